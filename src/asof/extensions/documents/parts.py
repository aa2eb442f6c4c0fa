"""The result of a reader: parts of a file, each with text and metadata, within limits.

The process that reads imports this module, so it needs nothing but the standard library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

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


class Writer:
    """Makes the text of a part, block by block, with its headings. Raises Refused for more characters than
    are allowed."""

    def __init__(self, limits: ReadLimits) -> None:
        self.limits = limits
        self.outline: list[tuple[int, int, str]] = []
        self._blocks: list[str] = []
        self._length = 0

    @property
    def empty(self) -> bool:
        return not self._blocks

    def heading(self, words: str, level: int = 1) -> None:
        """A heading, on a line of its own. One without words is left out."""
        line = " ".join(words.split())
        if line:
            self.outline.append((self._length, max(1, min(level, 6)), line))
            self._add(line)

    def block(self, text: str) -> None:
        """A paragraph, a list, a table: lines that belong together."""
        block = text.strip("\n").rstrip()
        if block.strip():
            self._add(block)

    def row(self, header: Sequence[str], cells: Sequence[str]) -> None:
        """A row of a table, as "header: value" of its cells."""
        self.block(row_text(header, cells))

    def _add(self, block: str) -> None:
        self._length += len(block) + 2
        if self._length > self.limits.characters:
            raise Refused(f"it has more than {self.limits.characters:,} characters", "split it")
        self._blocks.append(block)

    def text(self) -> str:
        return "\n\n".join(self._blocks)

    def part(self, title: str = "", **more: Any) -> Part:
        """The part that was written. Raises Refused if nothing was."""
        if self.empty:
            raise Refused("there is no text in the file", empty=True)
        return Part(self.text(), " ".join(title.split()), outline=self.outline, **more)


def row_text(header: Sequence[str], cells: Sequence[str]) -> str:
    """A row as a line: "header: value; header: value"; a cell without a header is its value alone."""
    said = []
    for at, cell in enumerate(cells):
        value = " ".join(cell.split())
        if value:
            name = " ".join(header[at].split()) if at < len(header) else ""
            said.append(f"{name}: {value}" if name and name != value else value)
    return "; ".join(said)
