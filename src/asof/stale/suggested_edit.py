"""A suggested edit of a sentence as a unified diff of its document."""

from __future__ import annotations

import io
import re
from difflib import unified_diff

from asof.data.stale import Quote
from asof.models.prompts import one_line

CONTEXT = 3
"""Lines around what changes."""
_HUNK = re.compile(r"^@@ -([0-9]+)((?:,[0-9]+)?) \+([0-9]+)((?:,[0-9]+)?) @@$", re.MULTILINE)
_NO_LINE_FEED = "\n\\ No newline at end of file\n"


def suggested_diff(text: str, quote: Quote, replacement: str) -> str:
    """The unified diff of a document's text in which a sentence reads otherwise, named by the document's id;
    "" where nothing is suggested, or the sentence does not stand in the text where it says.

    The replacement is one line: it can edit no line but those of the sentence.
    """
    old = text[quote.start : quote.end]
    new = one_line(replacement)
    if old != quote.text or not new or new == one_line(old):
        return ""
    core = old.strip()
    at = quote.start + old.index(core)
    edited = text[:at] + new + text[at + len(core) :]
    first = max(text.count("\n", 0, at) - CONTEXT, 0)
    last = text.count("\n", 0, at + len(core)) + 1 + CONTEXT
    name = one_line(quote.document)
    before = _lines(text)[first:last]
    after = _lines(edited)[first : last - core.count("\n")]
    return moved(_unified(before, after, name), first)


def moved(diff: str, lines: int) -> str:
    """A diff with the numbers of lines that are so many farther down, as where something stands above."""

    def head(found: re.Match[str]) -> str:
        return f"@@ -{int(found[1]) + lines}{found[2]} +{int(found[3]) + lines}{found[4]} @@"

    return _HUNK.sub(head, diff)


def _unified(before: list[str], after: list[str], name: str) -> str:
    made = unified_diff(before, after, name, name, n=CONTEXT)
    return "".join(line if line.endswith("\n") else line + _NO_LINE_FEED for line in made)


def _lines(text: str) -> list[str]:
    """The lines of a text with their line feeds, which alone end one here."""
    return list(io.StringIO(text, newline="\n"))
