"""Where sentences begin and end, by rules: terminators, abbreviations, initials, list items, blank lines."""

from __future__ import annotations

import re

# What may end a sentence, with the closing quotes and the white space after it. Possessive: linear time.
_CANDIDATE = re.compile(r"""[.!?…。！？\n](?>(?:(?<!\n)[.!?…。！？]*+["'”’»›」』）)\]}*_]*+)?)\s*+""")
_LIST_ITEM = re.compile(r"[ \t]*+(?:[-*+•–]|\d{1,9}[.)])[ \t]")
_HEADING = re.compile(r"[ ]{0,3}+#{1,6}+[ \t]")
_OPENING = "([{\"'“”„«»‘’/*_"
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]{1,2}")  # U.S, e.g, z.B
_LOOK_BACK = 24  # characters; no abbreviation is longer

_ABBREVIATIONS = frozenset(
    """adm al approx assoc ave bde bldg blvd bros bzgl bzw ca capt cf cmdr co col corp cpl d dept dipl dist dr
    ed eds esp evtl fig figs gen ggf gov hon inc inkl jr lt ltd maj messrs mio mme mlle mr mrs ms mrd mt
    nr op ph.d phd prof rep resp rev sen sgt sog sr st u ugs univ usw vgl viz vs zzgl z""".split()  # noqa: SIM905 - a list of strings would fill a page
)
_BEFORE_A_NUMBER = frozenset(
    """abs apr art aug bd cap ch chap dec eq eqs feb jan jul jun kap mar no nos nov num oct okt p par pp s sec
    sect sep sept tel v vol vols ziff""".split()  # noqa: SIM905
)
_AFTER_AN_ORDINAL = re.compile(
    r"""(?:januar|jänner|februar|feber|märz|april|mai|juni|juli|august|september|oktober|november|dezember
      | jahrhundert|jahrtausend|weltkrieg|auflage|kapitel|bundesliga|liga|platz|mal|oder|und|bis)\b""",
    re.VERBOSE | re.IGNORECASE,
)


def sentences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The offsets of the sentences in `text[start:end]`, which they tile; none for an empty stretch.

    White space belongs to the sentence before it. Sentences end after . ! ? … with closing quotes and
    brackets before white space (not after an abbreviation, an initial or a German ordinal), after 。！？, at
    a blank line, and at a line break after or before a list item or a heading (`# …`).
    """
    stop = len(text) if end is None else end
    spans: list[tuple[int, int]] = []
    begun = line = start
    for match in _CANDIDATE.finditer(text, start, stop):
        at, after = match.span()
        if after == stop:
            break
        newline = text.rfind("\n", at, after)
        if newline >= 0:
            ends = _breaks(text, line, at, newline, after) or _ends(text, line, match)
            line = newline + 1
        else:
            ends = _ends(text, line, match)
        if ends:
            spans.append((begun, after))
            begun = after
    if begun < stop:
        spans.append((begun, stop))
    return spans


def is_list_item(text: str, at: int) -> bool:
    """Whether an item of a list begins at this place, which begins a line."""
    return _LIST_ITEM.match(text, at) is not None


def unnumbered(text: str) -> str:
    """A text without the bullet or number of a list item before it."""
    mark = _LIST_ITEM.match(text)
    return text[mark.end() :] if mark else text


def _breaks(text: str, line: int, at: int, newline: int, after: int) -> bool:
    """Whether the line break alone ends the sentence: a blank line, a heading or a list item after or before
    it."""
    if text.find("\n", at, newline) >= 0 or is_list_item(text, newline + 1):
        return True
    if _HEADING.match(text, line) or _HEADING.match(text, newline + 1):
        return True
    indented = after > newline + 1  # the item's second line
    return not indented and is_list_item(text, line)


def _ends(text: str, line: int, match: re.Match[str]) -> bool:
    """Whether the terminator (with what follows it) ends the sentence; `line` is where its line begins."""
    mark = match[0]
    if mark[0] == "\n":
        return False
    if not mark[-1].isspace():
        return "。" in mark or "！" in mark or "？" in mark
    at = match.start()
    if mark[0] != "." or not mark[1].isspace() or at == line or text[at - 1].isspace():
        return True
    words = text[max(line, at - _LOOK_BACK) : at].rsplit(None, 1)
    word = words[-1].lstrip(_OPENING)
    return not _goes_on(text, word, match.end(), at - len(word) == line)


def _goes_on(text: str, word: str, after: int, leads: bool) -> bool:
    """Whether the dot after `word` belongs to the word; `leads`: the word is the first of its line."""
    if word.isdigit():
        return len(word) <= 3 and (leads or _AFTER_AN_ORDINAL.match(text, after) is not None)
    if len(word) == 1 and word.isupper() and word != "I":
        return True
    folded = word.casefold()
    if folded in _ABBREVIATIONS or _DOTTED.fullmatch(word):
        return True
    return folded in _BEFORE_A_NUMBER and text[after].isdigit()


_LINE_MARKS = re.compile(r"^[ \t]*+(?:>[ \t]*)+(?:\[![\w-]{1,40}\][+-]?[ \t]*+)?")
_HARD_BREAK = re.compile(r"\\[ \t]*$", re.MULTILINE)
_MARKS = re.compile(r"(?:[-*+•–>]\s+|#{1,6}\s+|\[![\w-]{1,40}\][+-]?\s*)+")
_TAGS_BEHIND = re.compile(r"(?:\s+#[^\W\d][\w/-]*)+$")


def shown(sentence: str) -> str:
    """A sentence on one line, without the marks of lists, quotations, callouts and headings before it or its
    lines, and without the tags behind it.

    >>> shown("> [!note]- Ferries\\n> The *mole* is closed. #harbour #news")
    'Ferries The *mole* is closed.'
    """
    lines = [_LINE_MARKS.sub("", line, count=1) for line in _HARD_BREAK.sub("", sentence).split("\n")]
    text = " ".join(" ".join(lines).split())
    text = _TAGS_BEHIND.sub("", text) or text
    mark = _MARKS.match(text)
    return text[mark.end() :] if mark and mark.end() < len(text) else text
