"""PDF: the text page by page, each under a heading, so that a hit names its page.

Words parted at the ends of lines are joined, running heads are taken out. The list of references of a paper
is left out unless it is asked for: it would be found for the subjects of other papers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from asof.documents import Heading, Problem, SourcedTime, storable
from asof.errors import missing_extra
from asof.extensions.documents.office import title_of
from asof.extensions.documents.parts import BETWEEN_PAGES, Part
from asof.extensions.documents.reading import FormatReader, disbelieved
from asof.sources.dates import stated_or_none
from asof.sources.readers import LONGEST_TITLE, ParsedFile, Unreadable
from asof.sources.source import InputLimits

# -- lines of a page become running text -----------------------------------------------------------


LIGATURES = str.maketrans({
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st",
    "\ufb06": "st", "\u00ad": "", "\u00a0": " ", "\u0002": "-\n", "\ufffe": "-\n",
})  # fmt: skip
"""PDFium puts U+0002 or U+FFFE where a word is parted at the end of a line."""

EDGE_LINES = 2
"""The number of lines at the top and at the foot of a page that may be running heads."""

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
    text = "".join(each if each.isprintable() or each.isspace() else " " for each in text)
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in lines if line and not _STAMP.fullmatch(line)]


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
    """True if a paragraph, or a heading, ends between two lines."""
    if not (line[0].isupper() or line[0].isdigit() or not line[0].isalnum()):
        return False
    short = len(above) < 0.8 * usual
    return short and (_ENDS.search(above) is not None or len(above) < 0.6 * usual)


# -- the list of references ------------------------------------------------------------------------


LOOKAHEAD = 30
"""The number of lines after a heading that have to look like references."""

MIN_POSITION = 0.2
"""Before this share of the lines a heading of references is one of a table of contents."""

LIST_SHARE, NO_LIST_SHARE = 0.3, 0.1
"""Shares of lines with a mark of a reference: from which on a stretch is a list, below which it is none."""

_HEADING = re.compile(
    r"(?:(?:\d{1,2}|[ivxl]{1,6}|[a-z])[.):]?\s+)?"
    r"(?:r ?eferences?(?: and notes| cited)?|b ?ibliography|literature(?: cited)?|works cited)\s*[.:]?",
    re.IGNORECASE,
)
_APPENDIX = re.compile(
    r"(?:appendix|appendices|supplement(?:ary|al)?\b|a ppendix)(?: [A-Z0-9]{1,3}[.:])?[^.]{0,80}"
    r"|[A-H][.:]?\s+[A-Z][^.,\d]{2,70}",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"[A-Z]")
_MARK = re.compile(
    r"^\[[\w+., -]{1,12}\]|^\d{1,3}\.\s+[A-Z]|\b(?:19|20)\d{2}[a-z]?\b|\barXiv\b|\bdoi\b|\bet al\b"
    r"|\bpp\.|\bvol\.|\bProceedings\b|\bIn Proc|\b[A-Z]\. ?(?:[A-Z]\. ?)?[A-Z][a-z]+,|\beds?\.\)",
)


class ReferenceSection(NamedTuple):
    """Lines `first` to `last` (without it) are the heading and the list."""

    first: int
    last: int


class UncertainReferences(Exception):
    """There is a heading of a list, but not where the list ends, or whether it is one."""


def references_in(lines: Sequence[str]) -> ReferenceSection | None:
    """The list of references in the lines of a paper; None where no line heads one. Raises
    UncertainReferences.

    Its heading stands alone on a line, not among the first; what follows looks like references; the last such
    one counts. An appendix after it is not part of it: appendices are often longer than the paper.
    """
    heads = [at for at in range(int(len(lines) * MIN_POSITION), len(lines)) if _HEADING.fullmatch(lines[at])]
    for head in reversed(heads):
        if _share(lines[head + 1 : head + 1 + LOOKAHEAD]) >= LIST_SHARE:
            return ReferenceSection(head, _end(lines, head + 1))
    if not heads or heads[-1] < len(lines) // 2:
        return None
    raise UncertainReferences(f"what follows {lines[heads[-1]]!r} does not look like references")


def _end(lines: Sequence[str], start: int) -> int:
    """The end of the list: at an appendix, or with the text."""
    end = next((at for at in range(start + 1, len(lines)) if _appendix(lines, at)), len(lines))
    if any(_share(lines[at : at + LOOKAHEAD]) < NO_LIST_SHARE for at in range(start, end - LOOKAHEAD + 1)):
        raise UncertainReferences("what follows the references has no heading that tells where they end")
    return end


def _appendix(lines: Sequence[str], at: int) -> bool:
    line, after = lines[at], lines[at + 1 : at + 1 + LOOKAHEAD]
    if _APPENDIX.fullmatch(line) is None or _CAPITAL.match(line) is None or _MARK.search(line):
        return False
    return bool(after) and _share(after) < LIST_SHARE / 2


def _share(lines: Sequence[str]) -> float:
    return sum(_MARK.search(line) is not None for line in lines) / len(lines) if lines else 0.0


# -- the reader ------------------------------------------------------------------------------------


PACKAGE = "pypdfium2"
LINES_OF_HEAD = 30
"""The first lines of a PDF in which its date is looked for, as they stand."""

_RECOGNIZE = "have its text recognised before indexing: ocrmypdf FILE.pdf FILE.pdf"
_DATE = re.compile(
    r"(?:D:)?(?P<y>[0-9]{4})(?P<m>[0-9]{2})?(?P<d>(?<=[0-9]{6})[0-9]{2})?(?P<time>(?<=[0-9]{8})[0-9]{6})?"
    r"(?P<zone>Z|[+-][0-9]{2}'?[0-9]{2})?"
)


_PAGES = FormatReader("asof.extensions.documents.pdf_pages", ".pdf", (PACKAGE,), "pdf")


def installed() -> None:
    """Raises MissingExtra where the package is missing that reads PDFs; nothing is loaded."""
    if find_spec(PACKAGE) is None:
        raise missing_extra("reading PDFs", "documents", PACKAGE)


def read(raw: bytes, stem: str, limits: InputLimits, *, references: bool = True) -> ParsedFile:
    """A PDF with a heading for each page; without `references`, its list of them is left out if it can be
    found. Raises Unreadable, MissingExtra, SourceError."""
    texts, pdf = pages(raw, limits)
    lines = without_heads([lines_of(each) for each in texts])
    notes: tuple[Problem, ...] = ()
    if scanned := pdf.front["scanned"]:
        holding = "page holds" if len(lines) == 1 else "pages hold"
        said = f"{scanned} of {len(lines)} {holding} no text, as scans do"
        notes = (Problem(said, remedy=_RECOGNIZE, lost=False),)
    if not references:
        try:
            lines = _cut(lines, references_in([line for page in lines for line in page]))
        except UncertainReferences as unsure:
            notes += (Problem(f"the list of references is left in the text: {unsure}", lost=False),)
    text, outline = paged(lines)
    stated, heading = storable(pdf.title), " ".join(lines_of(pdf.front["heading"]))
    heading = heading if len(heading) <= LONGEST_TITLE else ""
    stated = stated if len(stated) <= LONGEST_TITLE else ""
    title = title_of(stated, heading, " ".join(lines[0]), stem)
    created = _created(pdf.changed) or _created(pdf.created)
    head = "\n".join(lines[0][:LINES_OF_HEAD])
    return ParsedFile(text, title, outline, created=created, notes=notes, slow=True, head=head)


def _created(text: str) -> SourcedTime | None:
    """The second, or the day, month, year, of a date such as D:20240131093000+01'00' (ISO 32000, 7.9.4); None
    for one that is not believed."""
    match = _DATE.match(text)
    if match is None:
        return None
    day, time, zone = "-".join(filter(None, match.group("y", "m", "d"))), match["time"], match["zone"] or "Z"
    written = day
    if time:
        zone = zone if zone == "Z" else f"{zone[:3]}:{zone[-2:]}"
        written = f"{day}T{time[:2]}:{time[2:4]}:{time[4:]}{zone}"
    made = stated_or_none(written, "metadata")
    return None if made is None or disbelieved(made.span) else made


def _cut(page_lines: list[list[str]], references: ReferenceSection | None) -> list[list[str]]:
    """The pages without some of their lines, counted through all pages."""
    if references is None:
        return page_lines
    remaining, at = [], 0
    for lines in page_lines:
        remaining.append(
            [line for place, line in enumerate(lines, at) if not references.first <= place < references.last]
        )
        at += len(lines)
    return remaining


def paged(page_lines: list[list[str]]) -> tuple[str, tuple[Heading, ...]]:
    """Pages with text, each under a heading with its number."""
    words = vocabulary(page_lines)
    text, outline = "", []
    for number, lines in enumerate(page_lines, 1):
        if lines:
            outline.append(Heading(len(text), 1, f"Page {number}"))
            text += f"Page {number}\n\n{flowing(lines, words)}\n\n"
    return storable(text.rstrip()), tuple(outline)


def pages(raw: bytes, limits: InputLimits) -> tuple[list[str], Part]:
    """The text of each page, as PDFium gives it to a process that may die of it, and what it says of the file
    (see `pdf_pages.read`). Raises Unreadable, MissingExtra, and SourceError when no such process can be had.
    """
    installed()
    (part,) = _PAGES.parts(raw, "", limits)
    scanned = part.front.get("scanned")
    if type(scanned) is not int or type(part.front.get("heading")) is not str:
        raise Unreadable("it breaks what reads it", "save it anew")
    pages = part.text.split(BETWEEN_PAGES)
    if not any(any(map(str.isalnum, text)) for text in pages):
        if scanned:
            raise Unreadable("there is no text in the PDF, as in a scanned one", _RECOGNIZE)
        raise Unreadable("there is no text in the PDF")
    return pages, part
