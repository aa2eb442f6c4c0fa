"""What is stale as annotations of a GitHub workflow, and as a page in Markdown.

Both are read by programs that obey marks, and all of it is text of documents: what could be a mark is written
so that it is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from asof.cli.stale_text import day, shown_file
from asof.cli.terminal import counted, plain, readable
from asof.serialize.stale import why_sentence
from asof.time.span import format_instant

if TYPE_CHECKING:
    from asof.stale.report import PlacedQuote, PlacedStale, StaleReport

# -- annotations ---------------------------------------------------------------------------------------

_OLD_COMMAND = re.compile(r"##(?=\[)")
"""How commands began that a runner finds anywhere in a line."""


def annotation_lines(report: StaleReport) -> Iterator[str]:
    """A line for each, which a workflow shows beside the line of the file."""
    for each in report.found:
        place = each.quote.place
        properties = {"title": f"stale {each.stale.kind}: {shown_file(each.quote)}"}
        if place.file is not None:
            properties = {
                "file": from_top(place.file), "line": str(place.line), "endLine": str(place.end_line),
                **properties,
            }  # fmt: skip
        written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
        yield f"::warning {written}::{_message(each)}"


def _message(each: PlacedStale) -> str:
    lines = [f"“{readable(each.quote.quote.text)}” ({day(each.quote)})"]
    if each.by is not None:
        lines.append(f"there: {_where(each.by)} ({day(each.by)}): “{readable(each.by.quote.text)}”")
    lines += [each.stale.change, f"because {why_sentence(each.stale)}"]
    return _data("\n".join(map(plain, lines)))


def _data(text: str) -> str:
    """A text as the runner takes it: in one line."""
    calm = _OLD_COMMAND.sub("# #", text)
    return calm.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(plain(text)).replace(":", "%3A").replace(",", "%2C")


def from_top(file: Path) -> str:
    """The path of a file from the top of its repository; where it is in none, from the current folder."""
    top = next((each for each in file.parents if (each / ".git").exists()), Path.cwd())
    return file.relative_to(top).as_posix() if file.is_relative_to(top) else file.name


def _where(each: PlacedQuote) -> str:
    file = each.place.file
    return f"{from_top(file) if file else each.quote.document}:{each.place.line}"


# -- Markdown ------------------------------------------------------------------------------------------

_SIGNS = re.compile(r"[\\`*_{}\[\]()#+\-.!|~=$^]")
_ADDRESSING = re.compile(r"[@#](?=\w)|(?<=:)(?=//)|(?<=www)(?=\\?\.)")
"""Where GitHub makes a link of a plain text: names of people, numbers of issues, addresses."""
_APART = "\N{ZERO WIDTH SPACE}"


def markdown_lines(report: StaleReport, *, dated: bool) -> Iterator[str]:
    """The lines of a page: a list with links to the lines of files, from the top of the repository."""
    total = len(report.found) + report.more
    moment = f"as of {format_instant(report.as_of)}" if dated else "now"
    yield f"# {counted(total, 'stale sentence') if total else 'Nothing is stale'}, {moment}"
    for number, each in enumerate(report.found, 1):
        stale = each.stale
        yield ""
        yield f"{number}. {_link(each.quote)} ({stale.kind}, {escaped(day(each.quote))}): {code(each.quote)}"
        if each.by is not None:
            yield f"   - there: {_link(each.by)} ({escaped(day(each.by))}): {code(each.by)}"
        yield f"   - {escaped(stale.change)}"
        yield f"   - because {escaped(why_sentence(stale))}"
    if report.more:
        yield f"\n{report.more:,} more are not shown."


def _link(each: PlacedQuote) -> str:
    text = escaped(_where(each))
    if each.place.file is None:
        return text
    return f"[{text}]({quote(from_top(each.place.file), safe='/')}#L{each.place.line})"


def escaped(text: str) -> str:
    """A text in one line of which Markdown, HTML and GitHub make nothing but the text."""
    line = " ".join(plain(text).split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    apart = _ADDRESSING.sub(lambda found: f"{found[0]}{_APART}", line)
    return _SIGNS.sub(lambda found: f"\\{found[0]}", apart)


def code(each: PlacedQuote) -> str:
    """A sentence as a span of code, which nothing in it can end."""
    text = readable(each.quote.text) or "…"
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"
