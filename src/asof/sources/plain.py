"""Plain text: as it is, or a chat that was exported as text."""

from __future__ import annotations

from asof.sources.chat_text import parse_chat
from asof.sources.readers import LONGEST_TITLE, ParsedFile, text_reader
from asof.sources.source import InputLimits


def parse(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001  a parser's contract
    """A text whose first line is the title if it is short; a chat export as one."""
    chat = parse_chat(text, stem)
    if chat is not None:
        return chat
    first = text.lstrip().partition("\n")[0].rstrip()
    return ParsedFile(text, first if len(first) <= LONGEST_TITLE else stem)


READER = text_reader(parse)
