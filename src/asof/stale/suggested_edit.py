"""A suggested edit of a sentence as a unified diff of its document."""

from __future__ import annotations

import io
import re

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
    first = text.count("\n", 0, at)
    last = first + core.count("\n") + 1
    lines = _lines(text)
    above, below = lines[max(first - CONTEXT, 0) : first], lines[last : last + CONTEXT]
    changed = _lines(edited)[first : first + 1]
    name, start = one_line(quote.document), first - len(above) + 1
    around = len(above) + len(below)
    head = (
        f"--- {name}\n+++ {name}\n@@ -{_span(start, around + last - first)} +{_span(start, around + 1)} @@\n"
    )
    return head + "".join(
        mark + (line if line.endswith("\n") else line + _NO_LINE_FEED)
        for mark, part in ((" ", above), ("-", lines[first:last]), ("+", changed), (" ", below))
        for line in part
    )


def moved(diff: str, lines: int) -> str:
    """A diff with the numbers of lines that are so many farther down, as where something stands above."""

    def head(found: re.Match[str]) -> str:
        return f"@@ -{int(found[1]) + lines}{found[2]} +{int(found[3]) + lines}{found[4]} @@"

    return _HUNK.sub(head, diff)


def _span(start: int, lines: int) -> str:
    return f"{start},{lines}" if lines != 1 else f"{start}"


def _lines(text: str) -> list[str]:
    """The lines of a text with their line feeds, which alone end one here."""
    return list(io.StringIO(text, newline="\n"))
