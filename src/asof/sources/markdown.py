"""Reads Markdown: its blocks without marks, the links and tags of vaults, frontmatter.

Blocks are found by markdown-it; marks inside of lines by one pass over the few signs that can be one.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from asof.documents import Link, storable
from asof.sources import blocks, headers
from asof.sources.blocks import INDENT, QUOTED, Block
from asof.sources.headers import frontmatter, scalar
from asof.sources.html_walk import BLOCKS, HtmlLines
from asof.sources.readers import ParsedFile, text_reader
from asof.sources.source import InputLimits
from asof.wire import replace

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


# -- inside of lines: `[[links]]`, `![[embeds]]`, `#tags`, emphasis, code ------------------------------

_WIKI = re.compile(r"(!?)\[\[([^\[\]\n]+)\]\]")
# Not \w: it has no vowel signs, which the words of many scripts are written with.
_TAG = r"#(?P<tag>[^\s!-,.:-@\[-^`{-~«»\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f]+)"
_TEMPLATE = r"\{\{[^{}]{0,1000}\}\}|\{%[^\n]{0,400}?%\}"
_TARGET = (
    rf"\(\s{{0,9}}(?:<(?P<angle>[^<>\n]*)>|(?P<target>(?:{_TEMPLATE})?[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*))"
    r"(?:\s{1,9}(?:\"[^\"\n]*\"|'[^'\n]*'))?\s{0,9}\)"
)
_LABEL = r"(?=\[(?P<label>[^\[\]\n]{0,100})\])"
_MARK = re.compile(
    rf"(?P<tick>`+)|\\(?P<escaped>[!-/:-@\[-`{{-~])|\\(?=\n)|(?P<wiki>!?\[\[[^\[\]\n]+\]\](?!\())"
    rf"|(?P<note>\[\^[^\[\]\s]{{1,40}}\]:?)|(?P<open>!?\[)|(?P<close>\])(?:{_TARGET}|{_LABEL})?"
    rf"|(?P<run>\*+|_+|~~|==)|(?P<comment><!--|(?<!\S)%%)|<(?P<url>(?:https?|mailto):[^<>\s]{{1,400}})>"
    rf"|</?(?P<element>[A-Za-z][\w:-]{{0,40}})(?P<rest>(?:[\s/][^<>]*)?)>"
    rf"|(?P<template>{_TEMPLATE}|\{{[:#.][^{{}}\n]{{0,200}}\}})"
    rf"|(?P<entity>&(?:#[0-9]{{1,7}}|#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});)"
    rf"|(?:(?<!.)|(?<=[\s(,;])){_TAG}"
)
_SIGN = re.compile(r"[`\\!\[\]*_~=<{&#%]")
"""With which each mark begins: a set of characters is found faster than one of many forms."""

_INLINE = frozenset(
    """a abbr b bdi bdo big br cite code del dfn em font i img input ins kbd label mark picture q ruby s samp
    script small source span strike strong style sub sup svg time tt u var video wbr""".split()  # noqa: SIM905
)
_ELEMENTS = _INLINE | BLOCKS | {"td", "th", "nav", "iframe", "audio", "button", "object"}
_COLOUR = re.compile(
    r"(?=[a-f]*[0-9])(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|([0-9a-f])\1{2}(?:\1{3})?", re.I
)
_NUMBER = re.compile(r"(\s{0,9}[0-9]{1,4}\.) ")
_TICKS = re.compile(r"`+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_IMAGE = re.compile(r"(?i)\.(?:svg|png|jpe?g|gif|webp|avif|bmp)(?:#|$)")


class _Open(NamedTuple):
    """A bracket that is open: its place among the pieces, and how many brackets were closed before."""

    piece: int
    closed: int


class Inline:
    """Takes the marks off texts, one after the other, and gathers their links and tags.

    `references`: the labels that are defined in the document, in capitals.
    """

    def __init__(self, references: Collection[str] = ()) -> None:
        self.references = references
        self.links: dict[Link, None] = {}
        self.tags: dict[str, None] = {}
        self._pieces: list[str] = []
        self._runs: dict[str, list[list[int]]] = {}  # of each sign: places of runs, and how many are left
        self._brackets: list[_Open] = []
        self._closed = 0

    def words(self, text: str) -> str:
        """The words of the text of a block: links and code are their words, lines stay apart."""
        if _SIGN.search(text):
            text = self._without_marks(text)
        return "\n".join(map(str.strip, text.split("\n"))) if "\n" in text else text.strip()

    def _without_marks(self, text: str) -> str:
        self._pieces = pieces = []
        self._runs = {}
        self._brackets, self._closed = [], 0
        spans = _code_spans(text) if "`" in text else {}
        ends: dict[str, int] = {}
        at = 0  # the text has been taken up to here
        sign = _SIGN.search(text)
        while sign is not None:
            start = sign.start()
            mark = _MARK.match(text, start)
            if mark is None:
                sign = _SIGN.search(text, start + 1)
                continue
            after = mark.end()
            if at < start:
                pieces.append(text[at:start])
            kind = mark.lastgroup
            at = after
            if kind == "tick" and start in spans:
                first, last, at = spans[start]
                pieces.append(" ".join(text[first:last].split("\n")))
            elif kind == "comment":
                at = _closing(text, mark[0], after, ends)
            elif kind == "run":
                self._run(text, start, after)
            elif mark["close"]:
                at += self._close(mark)
            else:
                pieces.append(self._plain(mark, kind))
            sign = _SIGN.search(text, at)
        pieces.append(text[at:])
        for each, runs in self._runs.items():
            for place, left in runs:
                pieces[place] = each * left
        return "".join(pieces)

    def _plain(self, mark: re.Match[str], kind: str | None) -> str:
        """What stands in the place of a mark."""
        match kind:
            case "escaped" | "url":
                return mark[kind]
            case "wiki":
                return self._wiki(mark["wiki"])
            case "rest":
                return _element(mark)
            case "entity":
                return html.unescape(mark[0])
            case "template" | "note" | None:
                return ""
            case "open":
                self._brackets.append(_Open(len(self._pieces), self._closed))
            case "tag":
                self._tag(mark["tag"])
        return mark[0]

    def _tag(self, word: str) -> None:
        if any(map(str.isalpha, word)) and not _COLOUR.fullmatch(word) and (name := tag(word)):
            self.tags[name] = None

    def _wiki(self, text: str) -> str:
        match = _WIKI.fullmatch(text)
        assert match is not None  # noqa: S101  the same form
        if link := _wiki(match):
            self.links[link] = None
        target, _, alias = match[2].replace("\\|", "|").partition("|")
        alias = alias.strip()
        if alias and not (match[1] and alias.replace("x", "").isdigit()):  # of an image it is the width
            return alias
        if match[1] and _IMAGE.search(target):
            return ""
        return " › ".join(part.strip() for part in target.split("#") if part.strip()) or text

    def _close(self, mark: re.Match[str]) -> int:
        """Ends what is in brackets: the words of a link, if it has a target or its label is defined. The
        number of characters of the label."""
        if not self._brackets:
            self._pieces.append(mark[0])
            return 0
        place, closed = self._brackets.pop()
        inner = "" if closed != self._closed else "".join(self._pieces[place + 1 :]).strip()
        if _NUMBER.match(inner):  # no sentence ends in "[3. Use it](…)"
            self._pieces[place + 1] = _NUMBER.sub("\\1\u00a0", self._pieces[place + 1], count=1)
        self._closed += 1
        target, label = mark["angle"] or mark["target"], mark["label"]
        if mark["target"] is None and mark["angle"] is None:
            if " ".join((label or inner).split()).upper() not in self.references:
                self._pieces.append(mark[0])
                return 0
        elif target and (link := link_to(target, inner, "embed" if self._pieces[place] == "![" else "link")):
            self.links[link] = None
        self._pieces[place] = ""
        return 0 if label is None else len(label) + 2

    def _run(self, text: str, start: int, after: int) -> None:
        """A run of the signs of emphasis, which closes as many as are open before it opens any."""
        sign, left = text[start], after - start
        before, behind = text[start - 1 : start], text[after : after + 1]
        inside = before.isalnum() and behind.isalnum() and (sign != "*" or (before + behind).isascii())
        opens = bool(behind) and not behind.isspace() and not inside
        closes = bool(before) and not before.isspace() and not inside
        if sign != "*":
            opens, closes = opens and not before.isalnum(), closes and not behind.isalnum()
        runs = self._runs.setdefault(sign, [])
        while closes and left and runs:
            taken = min(left, runs[-1][1])
            left -= taken
            runs[-1][1] -= taken
            if not runs[-1][1]:
                self._pieces[runs.pop()[0]] = ""
        self._pieces.append(sign * left)
        if left and opens:
            runs.append([len(self._pieces) - 1, left])


def _closing(text: str, opening: str, after: int, ends: dict[str, int]) -> int:
    """Where the comment ends that was opened before a place; that place if it never does."""
    mark = "-->" if opening == "<!--" else opening
    if ends.get(mark, 0) >= 0:
        ends[mark] = text.find(mark, after)
    return ends[mark] + len(mark) if ends[mark] >= 0 else after


def _element(mark: re.Match[str]) -> str:
    """What stands in the place of a tag of HTML; what only looks like one (<your-name>) stays."""
    name, rest = mark["element"].lower(), mark["rest"]
    if name == "br":
        return "\n"
    if name in _INLINE:
        return ""
    unknown = name not in _ELEMENTS and mark[0][1] != "/" and "=" not in rest and rest[-1:] != "/"
    return mark[0] if unknown else " "


def _code_spans(text: str) -> dict[int, tuple[int, int, int]]:
    """Of each run of backticks: where the code between it and the next equal run begins and ends, and where
    that run ends."""
    spans: dict[int, tuple[int, int, int]] = {}
    last: dict[int, tuple[int, int]] = {}
    for run in reversed(list(_TICKS.finditer(text))):
        start, end = run.span()
        if end - start in last:
            closing, after = last[end - start]
            spans[start] = (end, closing, after)
        last[end - start] = (start, end)
    return spans


def wikilink(text: str) -> Link | None:
    """The link of a text that is one `[[link]]` or `![[embed]]` and nothing else; None otherwise."""
    match = _WIKI.fullmatch(text.strip())
    return _wiki(match) if match else None


def tag(word: str) -> str:
    """A tag in the form that is compared: without its `#`, and without slashes and dashes at its ends."""
    return word.strip().lstrip("#").strip("/-")


def link_to(target: str, alias: str = "", kind: str = "link") -> Link | None:
    """The link to a URL that is a path (decoded; its fragment is the heading); None for others."""
    if _SCHEME.match(target):
        return None
    path, _, heading = target.partition("#")
    path = path.partition("?")[0]
    if not path:
        return None  # another place of the same page
    return Link(storable(unquote(path)), storable(unquote(heading)), storable(alias), kind)


def _wiki(match: re.Match[str]) -> Link | None:
    inner = match[2].replace("\\|", "|")  # in a table the bar is escaped
    where, _, alias = inner.partition("|")
    target, _, heading = where.partition("#")
    if not target.strip():
        return None  # a heading of the same note
    return Link(target.strip(), heading.strip(), alias.strip(), "embed" if match[1] else "link")


# -- blocks --------------------------------------------------------------------------------------------

_SPACES = re.compile(r"[,\s]+")
_CONFLICT = re.compile(r"^(?:<{7}|>{7}|={7}|\|{7})(?: [^\n]*)?\n?", re.MULTILINE)
_COMMENT = re.compile(r"^%%[ \t]*\n.*?^%%[ \t]*$|^%%(?>(?:[^%]|%(?!%))*)%%[ \t]*$", re.MULTILINE | re.DOTALL)
_CONTENTS = re.compile(r"\[[^\n]*\]\(#[^()\s]*\)")
"""A line of a table of contents: a link within the document."""

_CALLOUT = re.compile(r"\[![\w-]{1,40}\][+-]?[ \t]*")
_DEFINITION = re.compile(r"\n[ \t]*:[ \t]+")


def parse_markdown(text: str, stem: str, limits: InputLimits) -> ParsedFile:
    """A Markdown file parsed; frontmatter that cannot be read is a paragraph of its text."""
    front, start, notes = frontmatter(text, limits)
    body = text[start:]
    above: list[Block] = []
    if notes and not front.values:
        above = [Block(blocks.PARAGRAPH, text[4:start].rstrip("-+.\n\t "))]
    elif not start:
        found, start = headers.header_lines(text)
        front, body = headers.front_of(found), text[start:]
    inline, read = _read(body)
    file = headers.parsed_file(front, read, stem, Inline().words, above)
    values = dict(file.front)
    tags = [*_tags(values.pop("tags", None)), *_tags(values.pop("tag", None))]
    aliases = [*_texts(values.pop("aliases", None)), *_texts(values.pop("alias", None))]
    links = [link for value in values.values() for link in _written(value)]
    return replace(
        file,
        links=tuple(dict.fromkeys((*inline.links, *links))),
        tags=tuple(dict.fromkeys((*tags, *inline.tags))),
        aliases=tuple(dict.fromkeys(aliases)),
        front=values,
        notes=tuple(notes),
    )


MARKDOWN = text_reader(parse_markdown, blank=True)


def _read(source: str) -> tuple[Inline, list[Block]]:
    """The blocks of a Markdown text, and its links and tags."""
    if "<<<<<<< " in source and ">>>>>>> " in source:
        source = _CONFLICT.sub("", source)
    if "%%" in source:
        source = _COMMENT.sub("", source)
    tokens: list[Token] = []
    found: dict[str, Any] = {}
    parser = _parser()
    parser.block.parse(source, parser, found, tokens)
    inline = Inline(found.get("references", ()))
    return inline, list(_blocks(tokens, inline))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _blocks(tokens: Iterable[Token], inline: Inline) -> Iterator[Block]:
    """The blocks of tokens; headings in lists and quotations are paragraphs."""
    inside: list[str] = []
    mark = ""  # of an item that has begun
    level = 0  # of a heading that has begun
    table: list[list[str]] | None = None
    for token in tokens:
        kind = token.type
        if kind == "inline":
            words = "" if _CONTENTS.fullmatch(token.content) else inline.words(token.content)
            if table is not None:
                table[-1].append(words)
            elif mark:
                yield Block(blocks.ITEM, words and mark + words, 0, "".join(inside[:-1]))
                mark = ""
            elif level:
                yield Block(blocks.HEADING, words, level)
            else:
                yield _paragraph(words, "".join(inside))
        elif kind == "heading_open":
            level = 0 if inside else int(token.tag[1])
        elif kind == "heading_close":
            level = 0
        elif kind == "list_item_open":
            inside.append(INDENT)
            mark = f"{token.info}{token.markup} " if token.info else "- "
        elif kind == "blockquote_open":
            inside.append(QUOTED)
        elif kind in ("list_item_close", "blockquote_close"):
            inside.pop()
            mark = ""
        elif kind == "tr_open" and table is not None:
            table.append([])
        elif kind == "table_open":
            table = []
        elif kind == "table_close" and table is not None:
            yield blocks.rows(table, inside="".join(inside))
            table = None
        elif kind in ("fence", "code_block"):
            yield Block(blocks.CODE, token.content, 0, "".join(inside))
        elif kind == "html_block":
            yield from _html(token.content, inline, "".join(inside))


def _paragraph(words: str, inside: str) -> Block:
    """A paragraph; a term and its definition is a field, a callout its words."""
    if inside and words.startswith("[!"):
        words = _CALLOUT.sub("", words, count=1)
    elif "\n" in words and _DEFINITION.search(words):
        words = _DEFINITION.sub(": ", words)
    return Block(blocks.PARAGRAPH, words, 0, inside)


def _html(source: str, inline: Inline, inside: str) -> Iterator[Block]:
    """The blocks of HTML that stands in the text."""
    if source.startswith("<!--") and source.rstrip().endswith("-->") and source.count("-->") == 1:
        return
    for kind, words, level, within in HtmlLines().read(source).found:
        if kind == blocks.HEADING and inside:
            kind = blocks.PARAGRAPH
        plain = words if kind in (blocks.CODE, blocks.TABLE) else inline.words(words)
        yield Block(kind, plain, level, inside + within)


# -- values of frontmatter -----------------------------------------------------------------------------


def _texts(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [words for item in items if (words := scalar(item))]


def _tags(value: Any) -> list[str]:
    words = _texts(value)
    if isinstance(value, str):
        words = _SPACES.split(value)
    return [name for word in words if (name := tag(word))]


def _written(value: Any) -> list[Link]:
    """The links in a value of the frontmatter."""
    if isinstance(value, str):
        return [link for match in _WIKI.finditer(value) if (link := _wiki(match))]
    if isinstance(value, dict):
        value = list(value.values())
    return [link for item in value for link in _written(item)] if isinstance(value, list) else []
