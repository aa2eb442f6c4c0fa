"""Statements: what a text says, one at a time: sentences, items of lists, rows of tables, fields.

A statement is plain text that can be read alone: an item has the words before it that introduce the list, a
row of a table says its header, and a lone short line has its heading. Markup and addresses are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from asof.hits import heading_above
from asof.lang import set_of
from asof.text.passages import body, is_field, is_list_item, sentences, shown
from asof.text.tables import row_parts, table_rows
from asof.text.tokens import tokenize

# -- plain text ----------------------------------------------------------------------------------------

_ADDRESS = r"(?:<[^>\n]{0,600}>|[^()\s]{0,600}(?:\([^()\s]{0,200}\)[^()\s]{0,300})?)"
_TOOLTIP = r"(?:\s+[\"'][^\"'\n]{0,200}[\"'])?"

_LINKS = (
    (re.compile(r"!?\[\[([^\]|\n]{1,300})(?:\|([^\]\n]{1,300}))?\]\]"), lambda m: m[2] or m[1]),
    (
        re.compile(rf"!?\[((?:[^\[\]\n]|\[[^\[\]\n]{{0,80}}\]){{0,300}})\]\({_ADDRESS}{_TOOLTIP}\)"),
        lambda m: m[1],
    ),
    (re.compile(r"\[([^\[\]\n]{1,300})\]\[[^\[\]\n]{0,100}\]"), lambda m: m[1]),
    (
        re.compile(r":[a-z][\w.+:-]{0,40}:`([^`<\n]{1,200}?)\s*(?:<[^>`\n]{1,300}>)?`"),
        lambda m: m[1].lstrip("~!"),
    ),
    (re.compile(r"`([^`<\n]{1,200}?)\s+<[^>`\n]{1,600}>`__?"), lambda m: m[1]),
    (re.compile(r"<((?:https?|mailto):[^>\s]{1,600})>"), lambda m: m[1].removeprefix("mailto:")),
    (re.compile(r"\[\^[\w-]{1,40}\]:?"), lambda _: ""),
    (re.compile(r"(?<!\w)\[[#*\d][\w-]{0,30}\]_"), lambda _: ""),
)
"""Links of Markdown, wikis and reStructuredText, each with the text that is shown for it."""

_NAMES_OF_TAGS = (
    "abbr|a|br|b|code|dd|details|div|dl|dt|em|font|h[1-6]|hr|img|i|kbd|li|mark|ol|p|small|span|strong|sub|"
    "summary|sup|table|tbody|td|thead|th|tr|ul|u"
)
_TAG = re.compile(rf"</?(?:{_NAMES_OF_TAGS})(?:\s[^<>]{{0,600}})?/?>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.{0,2000}?-->", re.DOTALL)
_PAIRS = (
    re.compile(r"(?<![\w`])(``?)(?=[^\s`])([^`\n]{1,300}?)(?<=[^\s`])\1(?![\w`])_{0,2}"),
    re.compile(r"(?<![\w*])(\*\*\*|\*\*|\*)(?=[^\s*])([^*\n]{1,600}?)(?<=[^\s*])\1(?![\w*])"),
    re.compile(r"(?<![\w_])(__|_)(?=[^\s_])([^_\n]{1,600}?\s[^_\n]{0,600}?)(?<=[^\s_])\1(?![\w_])"),
    re.compile(r"(~~|==)(?=[^\s~=])([^~=\n]{1,600}?)(?<=[^\s~=])\1"),
)
"""Marks around words: code, bold, italic, struck, highlighted."""

_MARKED = re.compile(r"[\[`*_~=<]")


def plain(text: str) -> str:
    """A text without markup: the words of its links, without their addresses; no marks around words.

    >>> plain("**Note:** see [the `fees`](fees.md) and :pep:`8`")
    'Note: see the fees and 8'
    """
    if not _MARKED.search(text):
        return text
    text = _COMMENT.sub("", text)
    for pattern, words in _LINKS:
        text = pattern.sub(words, text)
    text = _TAG.sub("", text)
    for pattern in _PAIRS:
        text = pattern.sub(lambda match: match[2], text)
    return text


AHEAD = 2
"""The most words before the links of a sentence that states nothing by itself: "See also [[Boiler]]"."""


def says_the_same(old: str, new: str, links: Iterable[str]) -> bool:
    """True if a text says what an earlier one says, but for sentences of links that were added or left out:
    "See Boiler and Stove". `links`: the words of its links."""
    return old == new or _but_for_links(old, links) == _but_for_links(new, links)


def _but_for_links(text: str, links: Iterable[str]) -> list[str]:
    found = "|".join(map(re.escape, sorted(filter(None, links), key=len, reverse=True))) or "(?!)"
    pattern, joins = re.compile(rf"(?<!\w)(?:{found})(?!\w)"), set_of("statements", "joins")
    said = list[str]()
    for start, end in sentences(text):
        sentence = text[start:end]
        before, *between = pattern.split(sentence)
        ahead = tokenize(before)
        named = len(ahead) <= AHEAD and not any(map(_has_digit, ahead))
        if between and named and all(word in joins for part in between for word in tokenize(part)):
            continue
        if words := tokenize(sentence):
            said.append(" ".join(words))
    return said


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


# -- statements ----------------------------------------------------------------------------------------

SENTENCE, ITEM, ROW, FIELD = "sentence", "item", "row", "field"
"""The kinds of statements."""

LONGEST_LEAD, BARE = 160, 4
"""The most characters of words that stand before each item of their list, and the most words of a line that
says something with its heading only."""


class Piece(NamedTuple):
    """A statement at `start` to `end` of a passage's text. `text`: as it is shown. `lead`: the words that
    introduce the list that it is an item of, the header of the table that it is a row of."""

    start: int
    end: int
    text: str
    kind: str
    lead: str = ""


def pieces(text: str, headings: Sequence[str], title: str) -> Iterator[Piece]:
    """The statements of a passage's text below its `headings`, in order."""
    begin, lead = body(text, headings), ""
    for start, end, above in table_rows(text, headings):
        if above is not None:
            for first, last, said in row_parts(text, start, end, above):
                yield Piece(first, last, plain(said), ROW, above)
            lead = ""
            continue
        for first, last in sentences(text, max(start, begin), end):
            said = text[first:last]
            if rows := laid_out(said):
                yield from (
                    Piece(first + at, first + to, plain(own), ROW, above) for at, to, own, above in rows
                )
                lead = ""
                continue
            own = plain(_below_heading(text, headings, title, first, last) or shown(said))
            if is_list_item(text, first):
                yield Piece(first, last, f"{lead} {own}" if lead else own, ITEM, lead)
                continue
            lead = own if own.endswith((":", "：")) and len(own) <= LONGEST_LEAD else ""
            ends = said.rstrip().endswith((".", "!", "?", "。"))
            yield Piece(first, last, own, FIELD if not ends and is_field(text, first) else SENTENCE)


_FIGURE = re.compile(r"(?!\D*000\D*\Z)[(−–-]?[^\w\s()]?\d[\d.,]*%?\)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FEWEST = {1: 3, 2: 2}
"""The fewest rows of a table without years above its columns, by how many these are."""


def laid_out(said: str) -> list[tuple[int, int, str, str]]:
    """The rows of a table of figures in running text, as pages are read, with places and header: labels, each
    before as many figures ("Reserves (£) 54 52 Members 9 8"), maybe below a year for each column. [] for any
    other text, and where the order is uncertain."""
    last = said.rstrip().rpartition(" ")[2]
    if last.endswith(".") or not _FIGURE.fullmatch(last):  # "Valid from 29 April to 1 October 2023."
        return []
    words = [(each.start(), each.end(), each[0]) for each in re.finditer(r"\S+", said)]
    runs = [[*run] for _, run in groupby(words, lambda each: _FIGURE.fullmatch(each[2]) is not None)]
    if _FIGURE.fullmatch(runs[0][0][2]):
        runs.insert(0, [])
    if len(runs) % 2:
        return []
    titles, said_in = [" ".join(word for _, _, word in run) for run in runs], runs[1::2]
    years = titles[1].split()
    headed = len(years) > 1 and all(map(_YEAR.fullmatch, years))
    wide, *others = {len(values) for values in said_in[headed:]} or {0}
    fewest, labels = {len(years): 1} if headed else _FEWEST, titles[2 * headed :: 2]
    if others or wide not in fewest or len(labels) < fewest[wide]:
        return []
    dated = not headed and all(map(_YEAR.fullmatch, titles[1::2]))
    if dated or any(not each[:1].isupper() or _PROSE.search(each) for each in labels):
        return []
    name = f"{titles[0]}: " if headed and titles[0] else ""
    above = f"| {' | '.join([titles[0], *years])} |" if headed else ""
    rows = []
    for label, place, values in zip(labels, runs[2 * headed :: 2], said_in[headed:], strict=True):
        texts = [each[2] for each in values]
        columns = [f"{year}: {text}" for year, text in zip(years, texts, strict=True)] if headed else []
        own = "; ".join([f"{name}{label}", *columns]) if headed else f"{label}: {' '.join(texts)}"
        rows.append((place[0][0], values[-1][1], own, above))
    return rows


_PROSE = re.compile(r"[.,:;!?|](?:\s|$)")


def _below_heading(text: str, headings: Sequence[str], title: str, start: int, end: int) -> str:
    """A short line that is all of a section's first paragraph, with the heading above it: "Status: final",
    "Stage › Approved!"; "" for any other sentence."""
    said = text[start:end]
    heading = headings[-1] if headings and heading_above(headings[-1:]) else title
    whole = end == len(text) or said.endswith("\n\n")
    below = text[:start].rstrip().rpartition("\n")[2] == heading
    if heading == title or not (whole and below) or len(said.split()) > BARE or ":" in said:
        return ""
    return f"{heading}{' › ' if said.rstrip().endswith(('.', '!', '?')) else ': '}{shown(said)}"
