"""Plain text: as it is."""

from __future__ import annotations

from asof.sources.page import ParsedFile
from asof.sources.source import InputLimits

LONGEST_TITLE = 80


def page(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """The text; its first line is the title if it is short."""
    head = text.lstrip()
    first = head.partition("\n")[0].rstrip()
    return ParsedFile(text, first if len(first) <= LONGEST_TITLE else stem)
