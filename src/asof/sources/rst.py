"""reStructuredText: the text as it is, and its section titles."""

from __future__ import annotations

from collections.abc import Iterator

from asof.data import Heading
from asof.sources.readers import ParsedFile, text_reader
from asof.sources.source import InputLimits

_ENOUGH = 4  # an underline that is shorter than its title counts from here on


def parse_text(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """The text; its first section title is the title."""
    outline = tuple(_sections(text))
    return ParsedFile(text, outline[0].title if outline else stem, outline)


READER = text_reader(parse_text)


def _sections(text: str) -> Iterator[Heading]:
    """Titles with a line of one repeated sign below, or above and below; levels by order of first use."""
    levels: dict[tuple[str, bool], int] = {}
    lines = text.split("\n")
    offset = 0
    after = 0  # lines before this one belong to a title already
    for number, line in enumerate(lines):
        if number >= after:
            section = _over_and_under(lines, number) or _under(lines, number)
            if section:
                sign, over, title = section
                level = levels.setdefault((sign, over), len(levels) + 1)
                yield Heading(offset, level, title)
                after = number + (3 if over else 2)
        offset += len(line) + 1


def _over_and_under(lines: list[str], number: int) -> tuple[str, bool, str] | None:
    if number + 2 >= len(lines):
        return None
    over, title, under = lines[number].rstrip(), lines[number + 1].strip(), lines[number + 2].rstrip()
    if over and title and over == under and (sign := _adornment(over)) and not _adornment(title):
        return (sign, True, title) if len(over) >= min(len(title), _ENOUGH) else None
    return None


def _under(lines: list[str], number: int) -> tuple[str, bool, str] | None:
    line = lines[number]
    if not line or line[0].isspace() or number + 1 >= len(lines) or (number and lines[number - 1].strip()):
        return None
    title, under = line.rstrip(), lines[number + 1].rstrip()
    sign = _adornment(under)
    if sign and len(under) >= min(len(title), _ENOUGH) and not _adornment(title):
        return sign, False, title
    return None


def _adornment(line: str) -> str:
    """The sign that a line consists of; empty if it is no such line."""
    sign = line[:1]
    if not sign or not sign.isascii() or not sign.isprintable() or sign.isalnum() or sign == " ":
        return ""
    return sign if line.count(sign) == len(line) else ""
