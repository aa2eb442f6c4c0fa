"""The result of a reader: parts of a file, each with text and metadata, within limits.

The process that reads imports this module, so it needs nothing but the standard library.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from asof.sources.blocks import PARAGRAPH, Block, Full, Page, plainly

BETWEEN_PAGES = "\f"
"""Between the pages in the text of a PDF, which is told to the process that asked only."""


class Refused(Exception):
    """A file that cannot be read: the reason and the remedy. `empty`: there is no text in it."""

    def __init__(self, message: str, remedy: str = "", *, empty: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.empty = empty


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """The limits of a reader: characters of text in all parts, pages (slides, sheets, chapters, messages),
    bytes that are unpacked."""

    characters: int
    pages: int
    unpacked: int


@dataclass(slots=True)
class Part:
    """A document of a file: the file itself (`name` is ""), or one of several in it (a mail of a mailbox).

    `outline`: offset in `text`, level from 1 and words of each heading, whose line starts there. `front`:
    what it says of itself, as the frontmatter of a note would (`author`, `tags`). `created` and `changed`:
    ISO 8601, when it was made and last saved, as it says itself; `published`: the same of when it was sent
    or published, which is believed more. `own`: the text without what it quotes of the documents `quoted`
    (aliases), for the case that one of these is there. `links`: targets. `aliases`: further names of it.
    `notes`: what was left out or looks wrong, a sentence each.
    """

    text: str
    title: str = ""
    name: str = ""
    outline: list[tuple[int, int, str]] = field(default_factory=list)
    front: dict[str, Any] = field(default_factory=dict)
    published: str = ""
    created: str = ""
    changed: str = ""
    links: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    own: str = ""
    quoted: list[str] = field(default_factory=list)


class Writer(Page):
    """Gathers the blocks of a part. Raises Refused for more characters than are allowed."""

    def __init__(self, limits: ReadLimits) -> None:
        super().__init__(limits.characters)

    def take(self, length: int) -> None:
        try:
            super().take(length)
        except Full:
            raise Refused(f"it has more than {self.most:,} characters", "split it") from None

    def block(self, text: str) -> None:
        """A paragraph: lines that belong together."""
        self.add(Block(PARAGRAPH, text.strip("\n").rstrip()))

    def text(self) -> str:
        return plainly(self.blocks)[0]

    def part(self, title: str = "", **more: Any) -> Part:
        """The part that was written. Raises Refused if nothing was."""
        text, outline = plainly(self.blocks)
        if not text:
            raise Refused("there is no text in the file", empty=True)
        if len(text) > self.most:
            raise Refused(f"it has more than {self.most:,} characters", "split it")
        return Part(text, " ".join(title.split()), outline=outline, **more)
