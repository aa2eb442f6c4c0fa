"""Where a sentence stands: its lines in the file, or in the text of its document as it stood."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from asof.sources.decode import NotText, decoded
from asof.sources.source import InputLimits, file_of
from asof.stale.values import Quote


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """The first and the last line of a sentence, from 1. `file`: that in which these lines are; None where
    they are lines of the document's text, since no file holds the sentence as it was read."""

    line: int
    end_line: int
    file: Path | None


def place_of(quote: Quote, text: str, root: Path | None) -> QuotePlace:
    """Where a sentence stands. `text`: its document's; `root`: the folder in which files are looked at, None
    for what stood in the past, when files were other ones."""
    file = None if root is None else file_of(root, quote.document)
    found = None if file is None else _line_in(file, quote.text, text[quote.start :])
    line = text.count("\n", 0, quote.start) + 1 if found is None else found
    return QuotePlace(line, line + quote.text.count("\n"), None if found is None else file)


def _line_in(file: Path, words: str, rest: str) -> int | None:
    """The line of the words in a file, of which `rest` follows in the text that was read; None: not there.

    What a reader leaves out of a text stands at its top (frontmatter): places are counted from the end.
    """
    try:
        if file.stat().st_size > InputLimits().file:
            return None
        content = decoded(file.read_bytes()).text
    except (OSError, NotText):
        return None
    at = len(content)
    for _ in range(rest.count(words)):
        at = content.rfind(words, 0, at)
        if at < 0:
            return None
    return content.count("\n", 0, at) + 1 if at < len(content) else None
