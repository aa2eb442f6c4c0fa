"""Lines of a page as they were set become text: what print has put between the words is taken out again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

LIGATURES = str.maketrans({
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st",
    "\ufb06": "st", "\u00ad": "", "\u00a0": " ", "\u0002": "-\n", "\ufffe": "-\n",
})  # fmt: skip
"""PDFium puts U+0002 or U+FFFE where a word is parted at the end of a line."""

EDGE_LINES = 2
"""So many lines at the top and at the foot of a page may be running heads."""

MIN_REPEATS = 3
"""A running head is on at least so many pages."""

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PARTED = re.compile(r"(?<![^\W\d_])([^\W\d_]+)-\Z")
_STARTS = re.compile(r"[^\W\d_]+")
_STAMP = re.compile(r"arXiv:\S+v\d+ \[[\w.-]+\] \d{1,2} \w{3} \d{4}")
_ENDS = re.compile(r"[.!?:;…][\"'”’)\]]*\Z")


def lines_of(page: str) -> list[str]:
    """The lines of a page that say something, ligatures as letters, white space as single blanks."""
    text = page.translate(LIGATURES)
    lines = (" ".join(_printable(line).split()) for line in text.splitlines())
    return [line for line in lines if line and not _STAMP.fullmatch(line)]


def _printable(line: str) -> str:
    return "".join(each if each.isprintable() or each.isspace() else " " for each in line)


def without_heads(pages: Sequence[list[str]]) -> list[list[str]]:
    """The pages without lines at their edges that repeat from page to page but for their numbers."""
    counts: Counter[str] = Counter()
    for lines in pages:
        counts.update({_shape(line) for line in _edges(lines)})
    running = {shape for shape, count in counts.items() if count >= MIN_REPEATS}
    return [_trimmed(lines, running) for lines in pages]


def _edges(lines: list[str]) -> list[str]:
    return lines if len(lines) <= 2 * EDGE_LINES else lines[:EDGE_LINES] + lines[-EDGE_LINES:]


def _shape(line: str) -> str:
    return re.sub(r"\d+", "0", line.casefold())


def _trimmed(lines: list[str], running: set[str]) -> list[str]:
    first, last = 0, len(lines)
    while first < min(EDGE_LINES, last) and _shape(lines[first]) in running:
        first += 1
    while last > max(first, len(lines) - EDGE_LINES) and _shape(lines[last - 1]) in running:
        last -= 1
    return lines[first:last]


def vocabulary(pages: Iterable[list[str]]) -> Counter[str]:
    """The words within the lines of a document, with or without hyphens; not those at the ends of lines."""
    counts: Counter[str] = Counter()
    for lines in pages:
        for line in lines:
            counts.update(word.casefold() for word in _WORD.findall(_PARTED.sub("", line)))
    return counts


def flowing(lines: Sequence[str], words: Counter[str]) -> str:
    """Lines as paragraphs: words that were parted at the end of a line are whole again.

    `words` of the document say whether a hyphen belongs to the word: "well-" and "known" become "well-known"
    where that is written somewhere, and "wellknown" is not.
    """
    usual = median(map(len, lines)) if lines else 0
    pieces = list(lines[:1])
    for above, line in pairwise(lines):
        parted, starts = _PARTED.search(above), _STARTS.match(line)
        if parted and starts and line[0].islower():
            whole, hyphened = parted[1] + starts[0], f"{parted[1]}-{starts[0]}"
            if words[hyphened.casefold()] <= words[whole.casefold()]:
                pieces[-1] = pieces[-1][:-1]
            pieces.append(line)
        else:
            pieces += ["\n\n" if _ends(above, line, usual) else " ", line]
    return "".join(pieces)


def _ends(above: str, line: str, usual: float) -> bool:
    """Whether a paragraph, or a heading, ends between two lines."""
    if not (line[0].isupper() or line[0].isdigit() or not line[0].isalnum()):
        return False
    short = len(above) < 0.8 * usual
    return short and (_ENDS.search(above) is not None or len(above) < 0.6 * usual)
