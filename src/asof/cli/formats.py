"""Results to carry away: tables as CSV and workbooks, texts as Markdown.

`table` gives the rows and the Markdown of a result; each kind of result registers its own, those of
extensions too. `content` writes one of them in a format, for commands and HTTP alike.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import date
from functools import singledispatch
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from urllib.parse import quote

import click

from asof.cli.terminal import counted, plain
from asof.cli.xlsx import Cell, write_xlsx
from asof.documents import PASSIVE, SourcedTime
from asof.errors import UsageError
from asof.hits import GLOBAL, Answer, Citable, Citation, Hit, cite, place_path
from asof.queries import Filters
from asof.results import DocumentList, LinksResult, SearchResult
from asof.revisions.edits import Changes
from asof.revisions.timeline import Timeline
from asof.text.passages import body
from asof.time.span import Instant, iso, label

if TYPE_CHECKING:
    from asof.corpus.snapshot import Snapshot

# -- formats -------------------------------------------------------------------------------------------


class Format(NamedTuple):
    """A format of `--format`, beside JSON."""

    media_type: str
    suffix: str


FORMATS = {
    "csv": Format("text/csv; charset=utf-8", "csv"),
    "markdown": Format("text/markdown; charset=utf-8", "md"),
    "xlsx": Format("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
}


class CarriedTable(NamedTuple):
    """A result in rows below their columns, and as Markdown. `notes`: what is not in it, and why."""

    columns: tuple[str, ...]
    rows: Iterable[Sequence[Cell]]
    markdown: str
    notes: tuple[str, ...] = ()


@singledispatch
def table(value: Any) -> CarriedTable:
    """The rows and the Markdown of a result. Raises UsageError for one that is no table."""
    raise UsageError(f"{type(value).__name__} is no table: json is the only format of it")


def is_table(kind: type) -> bool:
    """True if `table` knows results of a kind."""
    return table.dispatch(kind) is not table.dispatch(object)


def content(made: CarriedTable, how: str) -> bytes:
    """A table in one of `FORMATS`. Raises UsageError for what a workbook cannot hold."""
    if how == "markdown":
        return "".join(f"{plain(line)}\n" for line in made.markdown.split("\n")).encode()
    out, rows = io.BytesIO(), map(clean, made.rows)
    if how == "xlsx":
        write_xlsx(out, made.columns, rows)
    else:
        write_csv(out, made.columns, rows)
    return out.getvalue()


def write_csv(out: BinaryIO, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> int:
    """Write rows as CSV in UTF-8, dates as ISO 8601, a row a line; returns how many rows there are. A cell
    that a spreadsheet would take for a formula gets an apostrophe."""
    text = io.TextIOWrapper(out, "utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    count = 0
    for row in rows:
        writer.writerow([f"'{each}" if isinstance(each, str) and is_formula(each) else each for each in row])
        count += 1
    text.detach()  # flushed, and `out` stays open
    return count


FORMULA, UNSEEN = (
    ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"),
    " \u00a0\u200b\u200c\u200d\u2060\ufeff",
)
"""A text that begins so would be a formula in a spreadsheet, also behind signs that nobody sees."""


def is_formula(text: str) -> bool:
    """True if a spreadsheet may take a text for a formula."""
    return text.lstrip(UNSEEN).startswith(FORMULA)


def clean(row: Sequence[Cell]) -> list[Cell]:
    """The cells, each text on one line and without control characters."""
    return [plain(" ".join(each.split())) if isinstance(each, str) else each for each in row]


def show_as(value: Any, how: str) -> tuple[str, ...]:
    """Prints a result in one of `FORMATS`; returns the notes of its table. Raises UsageError for a workbook
    on a terminal."""
    if how == "xlsx" and sys.stdout.isatty():
        raise UsageError(
            "--format xlsx is no text: write it to a file, as in asof list --format xlsx >a.xlsx"
        )
    made = table(value)
    data = content(made, how)
    if how == "xlsx":
        sys.stdout.buffer.write(data)
    else:
        click.echo(data.decode(), nl=False)
    return made.notes


# -- cells ---------------------------------------------------------------------------------------------

SOURCE = (
    "document", "title", "place", "published", "valid_from", "valid_until", "holds", "superseded_by",
    "superseded_on", "status", "id", "citation",
)  # fmt: skip
"""The columns that say where a passage is from, and when it holds. `valid_until` is the last day."""


def source_cells(one: Hit | Citation) -> tuple[Cell, ...]:
    """The cells of `SOURCE`."""
    later = one.superseded
    return (
        one.document, one.title, place_cell(one.headings, one.title), date_cell(one.published),
        *force_cells(one.in_force, one.published), "yes" if one.holds else "no",
        later.document if later else "", day(later.at) if later else None,
        "; ".join(one.status), one.id, one.citation,
    )  # fmt: skip


def place_cell(headings: Sequence[str], title: str) -> str:
    """The headings above a passage: page, slide, sheet and cells, chapter."""
    return " › ".join(place_path(headings, title))


def moment(as_of: Instant, in_force: Instant | None) -> str:
    """The moment of a result, and the date at which it has to hold, if one was given."""
    return f"as of {day(as_of)}" + ("" if in_force is None else f", in force on {day(in_force)}")


def day(instant: Instant) -> date:
    """The day of an instant, in UTC."""
    return date.fromisoformat(iso(instant)[:10])


def date_cell(when: SourcedTime | None) -> Cell:
    """A time as a day; a longer one as text, such as 2024-Q1 or 2024-03; None where it is not known."""
    if when is None:
        return None
    words = label(when.span)
    return date.fromisoformat(words) if _DAY.fullmatch(words) else words


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def force_cells(force: SourcedTime | None, published: SourcedTime | None) -> tuple[Cell, Cell]:
    """The first and the last day of a time of force; None for a side that is open."""
    if force is None:
        return None, None
    span = force.span
    return (
        None if span.start is None else since_cell(span.first, published),
        None if span.end is None else day(span.last),
    )


def since_cell(instant: Instant, published: SourcedTime | None) -> Cell:
    """The day of an instant since which something holds; where that is the end of a longer time in which it
    was published, this time: of what is dated "April 2014" nobody knows the day."""
    if published is not None and published.span.first <= instant <= published.span.last:
        return date_cell(published)
    return day(instant)


def left_out(count: int, shown: int, what: str) -> tuple[str, ...]:
    """The note on things that are not in a table beside those that are, if there are any."""
    return (f"{counted(count, what)} left out; -k {count + shown} takes all",) if count else ()


# -- Markdown ------------------------------------------------------------------------------------------

_SIGNS = re.compile(r"([\\`*_\[\]<>|#~])")
_RULE = re.compile(r"\A(?=[-=+]+\Z)")


def escaped(text: str) -> str:
    """A text on one line in which no sign of Markdown counts."""
    return _RULE.sub(r"\\", _SIGNS.sub(r"\\\1", " ".join(text.split())))


def link(text: str, document: str) -> str:
    """A Markdown link to a document: to its file below the folder of the index, or to its web address."""
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", document) and not re.match(r"https?://", document):
        return escaped(text)  # of another scheme: nothing that a click should run
    return f"[{escaped(text)}](<{quote(document, safe='/:?&=%~,;@+!$')}>)"


def linked_citation(one: Citable) -> str:
    """The citation of a passage, its title as a link."""
    title, *rest = cite(one)
    return ", ".join([link(title, one.document), *map(escaped, rest)])


def quoted_lines(text: str) -> list[str]:
    """A text as a quotation, its lines as they are."""
    return [f"> {escaped(line)}".rstrip() for line in text.strip().split("\n")]


def pipes(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table of cells that are Markdown."""
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _text(cell: Cell) -> str:
    return "" if cell is None else escaped(str(cell))


# -- results of the core -------------------------------------------------------------------------------


@table.register
def _(value: SearchResult) -> CarriedTable:
    rows = [(hit.rank, hit.score, hit.text, *source_cells(hit)) for hit in value.hits]
    lines = [f"**{escaped(value.query.text)}** ({moment(value.query.as_of, value.query.in_force)})", ""]
    for hit in value.hits:
        lines += [f"{hit.rank}. {linked_citation(hit)}"]
        lines += [f"   {escaped(each)}" for each in hit.status]
        below = hit.text[body(hit.text, hit.place.headings) :] or hit.text  # the citation has its heading
        lines += ["", *(f"   {line}" for line in quoted_lines(below)), ""]
    notes = () if value.hits else value.notes
    return CarriedTable(("rank", "score", "text", *SOURCE), rows, "\n".join(lines).rstrip(), notes)


@table.register
def _(value: Answer) -> CarriedTable:
    """A row for each value of an answer's table, with its citation if it was found; then for each other
    citation."""
    of: dict[int | None, Citation] = {each.n: each for each in value.citations}
    used = {each.citation for each in value.values}
    cells: list[tuple[tuple[Cell, ...], Citation | None]] = [
        ((each.name, each.period, each.measure, each.value), of.get(each.citation)) for each in value.values
    ]
    cells += [(("", "", "", ""), each) for each in value.citations if each.n not in used]
    empty: tuple[Cell, ...] = ("",) * (len(SOURCE) + 2)
    rows = [
        (*first, *((each.n, each.quote, *source_cells(each)) if each else empty)) for first, each in cells
    ]
    lines = [f"**{escaped(value.question)}** ({moment(value.as_of, value.in_force)})", ""]
    if value.refused:
        lines += [f"No answer: {escaped(value.reason)}.", ""]
    elif value.values:
        names = ("name", "period", "measure", "value", "source")
        whose = [
            (
                *map(escaped, (each.name, each.period, each.measure, each.value)),
                f"\\[{each.citation}\\]" if each.citation else "",
            )
            for each in value.values
        ]
        kept = [at for at in range(len(names)) if any(row[at] for row in whose)]
        lines += [pipes([names[at] for at in kept], [[row[at] for at in kept] for row in whose]), ""]
    elif value.by != "extractive" or value.mode == GLOBAL:
        lines += [*map(escaped, value.text.split("\n")), ""]
    for each in value.citations:
        lines += [*quoted_lines(each.quote), ">", f"> {each.n}. {linked_citation(each)}"]
        lines += [f">    {escaped(words)}" for words in each.status]
        lines.append("")
    columns = ("name", "period", "measure", "value", "n", "quote", *SOURCE)
    notes = (f"no answer: {value.reason}",) if value.refused else ()
    return CarriedTable(columns, rows, "\n".join(lines).rstrip(), notes)


@table.register
def _(value: Timeline) -> CarriedTable:
    rows: list[tuple[Cell, ...]] = [
        (
            None if each.since is None else since_cell(each.since, each.published),
            None if each.end is None else day(each.end - 1),
            each.sentence, each.reworded, " … ".join(each.added), " … ".join(each.removed),
            each.document, each.title, place_cell(each.headings, each.title), date_cell(each.published),
            *force_cells(each.in_force, each.published), each.id, each.citation,
        )
        for each in value.entries
    ]  # fmt: skip
    columns = (
        "since", "until", "statement", "reworded", "words_added", "words_removed", "document", "title",
        "place", "published", "valid_from", "valid_until", "id", "citation",
    )  # fmt: skip
    shown = [
        (*map(_text, row[:3]), linked_citation(each)) for row, each in zip(rows, value.entries, strict=True)
    ]
    notes = left_out(value.left_out, len(rows), "older statement")
    return CarriedTable(columns, rows, pipes(("since", "until", "statement", "source"), shown), notes)


STATEMENT = ("statement", "kind", *SOURCE, "uri", "tags", "metadata")


def write_statements(out: BinaryIO, how: str, then: Snapshot, filters: Filters) -> int:
    """Write the statements of the current documents that pass the filters, a row each, as csv or xlsx;
    returns how many. No more than a few documents are in memory. Raises UsageError, BeforeHorizon."""
    rows = (
        clean((
            each.text, each.kind, *source_cells(each.hit), each.hit.uri,
            ", ".join(each.hit.tags), metadata_cell(each.hit.meta),
        ))
        for each in then.statements(filters)
    )  # fmt: skip
    return (write_xlsx if how == "xlsx" else write_csv)(out, STATEMENT, rows)


@table.register
def _(value: Changes) -> CarriedTable:
    rows: list[tuple[Cell, ...]] = [
        (
            day(edit.at), edit.kind, edit.before.text if edit.before else "",
            edit.after.text if edit.after else "", each.kind, each.document, each.title,
            place_cell(edit.side.headings, each.title), date_cell(edit.side.published), edit.side.id,
        )
        for each in value.documents
        for edit in each.edits
    ]  # fmt: skip
    columns = (
        "date", "change", "before", "after", "document_change", "document", "title", "place", "published",
        "id",
    )  # fmt: skip
    shown = [(*map(_text, row[:4]), link(str(row[6] or row[5]), str(row[5]))) for row in rows]
    edits = sum(each.left_out for each in value.documents)
    notes = left_out(value.left_out, len(value.documents), "more document")
    if edits:
        notes += (f"{counted(edits, 'more edit')} of these documents left out: ask about a shorter time",)
    return CarriedTable(columns, rows, pipes(("date", "change", "before", "after", "document"), shown), notes)


@table.register
def _(value: DocumentList) -> CarriedTable:
    documents = [(each.summary, each) for each in value.documents]
    rows: list[tuple[Cell, ...]] = [
        (
            date_cell(each.published), each.title, each.id, ", ".join(each.tags), each.uri,
            metadata_cell(each.meta), listed.begins, listed.status,
        )
        for each, listed in documents
    ]  # fmt: skip
    shown = [
        (_text(row[0]), link(each.title or listed.begins or each.id, each.id), _text(row[3]))
        for row, (each, listed) in zip(rows, documents, strict=True)
    ]
    columns = ("published", "title", "document", "tags", "uri", "metadata", "begins", "status")
    notes = left_out(value.left_out, len(rows), "more document")
    return CarriedTable(columns, rows, pipes(("published", "document", "tags"), shown), notes)


def metadata_cell(meta: Any) -> str:
    """Metadata as JSON; "" where there is none."""
    return json.dumps(meta, ensure_ascii=False, sort_keys=True) if meta else ""


@table.register
def _(value: LinksResult) -> CarriedTable:
    """What a document links to, what links to it, broken links, and what it changes or is changed by."""
    found = value.found
    said = {"out": "links to", "in": "is linked from", "both": "links to and is linked from"}
    rows: list[tuple[Cell, ...]] = [
        (said[each.direction], each.document, each.title, each.distance, "", None)
        for each in found.neighbours
    ]
    rows += [("broken link", each, "", 1, "", None) for each in found.broken]
    rows += [
        (
            each.kind if each.direction == "out" else f"is {PASSIVE[each.kind]} by", each.document,
            each.title, 1, each.part, day(each.since),
        )
        for each in found.relations
    ]  # fmt: skip
    columns = ("relation", "document", "title", "distance", "part", "since")
    shown = [
        (_text(relation), link(str(title), str(document)) if title else _text(document), *map(_text, rest))
        for relation, document, title, *rest in rows
    ]
    names = ("relation", "document", "distance", "part", "since")
    return CarriedTable(columns, rows, pipes(names, shown))
