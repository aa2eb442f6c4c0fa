"""Results as Markdown and CSV, to carry away: answers, timelines, changes and lists of documents."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import Any, NamedTuple
from urllib.parse import quote

import click

from asof.cli.terminal import plain
from asof.results import DocumentList
from asof.revisions.edits import Changes
from asof.revisions.timeline import Timeline
from asof.time.span import iso
from asof.values import Answer, SourcedTime

FORMATS = ("markdown", "csv", "json")
"""What `--format` takes; `--json` is short for the last."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A cell that begins so would be a formula in a spreadsheet: it gets an apostrophe."""


class CarriedTable(NamedTuple):
    """A result in rows below their columns, and as Markdown."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    markdown: str


@singledispatch
def table(value: Any) -> CarriedTable:
    """The rows and the Markdown of a result."""
    raise NotImplementedError(type(value).__name__)


@table.register
def _(value: Answer) -> CarriedTable:
    rows = [
        (each.n, each.quote, each.document, each.title, _date(each.published), _day(each.in_force, 0),
         _day(each.in_force, 1), "yes" if each.holds else "no")
        for each in value.citations
    ]  # fmt: skip
    lines = [f"**{escaped(value.question)}** (as of {iso(value.as_of)[:10]})", ""]
    if value.refused:
        lines += [f"No answer: {escaped(value.reason)}.", ""]
    elif value.by != "extractive":
        lines += [value.text, ""]
    for each in value.citations:
        source = f"{link(each.title or each.document, each.document)}, {_date(each.published)}"
        lines += [f"> {escaped(each.quote)}", ">", f"> {each.n}. {source}", ""]
    columns = ("n", "quote", "document", "title", "published", "since", "until", "holds")
    return CarriedTable(columns, rows, "\n".join(lines).rstrip())


@table.register
def _(value: Timeline) -> CarriedTable:
    rows = [
        (iso(each.start)[:10], "" if each.end is None else iso(each.end)[:10], each.sentence, each.document,
         each.title, each.reworded)
        for each in value.entries
    ]  # fmt: skip
    return _as_table(("since", "until", "statement", "document", "title", "reworded"), rows, linked=3)


@table.register
def _(value: Changes) -> CarriedTable:
    rows = [
        (iso(edit.at)[:10], edit.kind, edit.before.text if edit.before else "",
         edit.after.text if edit.after else "", each.document, each.title)
        for each in value.documents
        for edit in each.edits
    ]  # fmt: skip
    return _as_table(("date", "change", "before", "after", "document", "title"), rows, linked=4)


@table.register
def _(value: DocumentList) -> CarriedTable:
    rows: list[tuple[object, ...]] = [
        (_date(each.published), each.title, each.id, ", ".join(each.tags)) for each in value.documents
    ]
    return _as_table(("published", "title", "document", "tags"), rows, linked=2)


def _as_table(columns: Sequence[str], rows: Sequence[tuple[object, ...]], linked: int) -> CarriedTable:
    """Rows with a Markdown table; the column of this number is an id, which becomes a link."""
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for row in rows:
        cells = [
            link(str(cell), str(cell)) if at == linked else escaped(str(cell)) for at, cell in enumerate(row)
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return CarriedTable(tuple(columns), rows, "\n".join(lines))


def show_as(value: Any, how: str) -> None:
    """Prints a result as Markdown or CSV."""
    made = table(value)
    if how == "markdown":
        click.echo("\n".join(map(plain, made.markdown.split("\n"))))
        return
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(made.columns)
    writer.writerows(map(_cells, made.rows))
    click.echo(out.getvalue(), nl=False)


def _cells(row: Iterable[object]) -> list[str]:
    texts = [plain(" ".join(str(each).split())) for each in row]
    return [f"'{each}" if each.startswith(FORMULA) else each for each in texts]


_SIGNS = re.compile(r"([\\`*_\[\]<>|#])")


def escaped(text: str) -> str:
    """A text on one line in which no sign of Markdown counts."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))


def link(text: str, document: str) -> str:
    """A Markdown link to a document: to its file below the folder of the index, or to its web address."""
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", document) and not re.match(r"https?://", document):
        return escaped(text)  # of another scheme: nothing that a click should run
    return f"[{escaped(text)}](<{quote(document, safe='/:?&=%~,;@+!$')}>)"


def _date(published: SourcedTime | None) -> str:
    return "undated" if published is None else published.day


def _day(force: SourcedTime | None, end: int) -> str:
    """The first day of a time of force, or the day of its end."""
    if force is None or (end and force.span.end is None) or (not end and force.span.start is None):
        return ""
    return iso(force.span.last + 1 if end else force.span.first)[:10]
