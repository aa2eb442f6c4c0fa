"""Reads tables (CSV, TSV) and values (JSON, YAML, TOML) as blocks of text.

A table is rows below a header. Where its rows are too long for that, each is a record: a heading with the
name of the row, and fields (`key: value`) below it. A mapping is fields, a list of mappings with the same
keys a table, and a list of records that have a text each are documents of their own.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from asof.documents import Problem, TooDeep, storable_value
from asof.sources.blocks import FIELD, ITEM, PARAGRAPH, Block, Full, Page, rows, written
from asof.sources.markdown import parse_markdown
from asof.sources.plainyaml import BadYaml, read_toml, read_yaml
from asof.sources.readers import LONGEST_TITLE, ParsedFile, TextParser, Unreadable, text_reader
from asof.sources.records import LONGEST_LIST, constant
from asof.sources.source import Fields, InputLimits
from asof.text.tables import interval_cell, interval_columns


def _cut(page: Page) -> Problem:
    """The problem of a file with more text. Raises Unreadable where nothing of it could be read."""
    said, remedy = f"it has more than {page.most:,} characters of text", "split it into smaller files"
    if not page.blocks:
        raise Unreadable(said, remedy)
    return Problem(f"{said}: what comes after them is not read", remedy=remedy)


# -- tables --------------------------------------------------------------------------------------------

LOOKED_AT = 20
"""So many rows tell whether a table has a header, which cells are dates, and how long its rows are."""

LONG = 60
"""Rows of more words than this with their header are records."""

NUMBER = re.compile(r"(?=\D*\d)[-+\d.,:/' %€$£¥]+")  # or a date, a time
_YEAR = re.compile(r"(?:1[89]|20)\d\d(?:[-/]\d{2,4})?")
_SEPARATORS = re.compile(r"[\s_.-]+")


def add_table(
    page: Page, cells: Iterator[Sequence[str]], header: Sequence[str] = (), level: int = 1
) -> Sequence[str]:
    """Add rows of cells; without a `header` the first one is it if it looks like one. Single cells before it
    are paragraphs. The header. Raises Full."""
    ahead = list(islice(cells, LOOKED_AT))
    widest = max((len(row) - row.count("") for row in ahead), default=0)
    while not header and ahead and len(ahead[0]) - ahead[0].count("") == 1 < widest:
        page.add(Block(PARAGRAPH, next(filter(None, ahead.pop(0)))))
    if not header and len(ahead) > 1 and _is_header(ahead[0], widest):
        header = ahead.pop(0)
    shown = header
    if interval := _interval(header, ahead):
        shown = _joined(header, *interval, both=True)
        ahead, cells = [_joined(row, *interval) for row in ahead], (_joined(row, *interval) for row in cells)
    words = sum(len(cell.split()) for row in ahead for cell in row) / max(1, len(ahead))
    if words + sum(len(name.split()) for name in shown) > LONG:
        named = _name_column(shown, ahead)
        for number, row in enumerate(chain(ahead, cells), 1):
            _add_record(page, shown, row, named, number, level)
    elif widest < 2 and not header:
        for row in chain(ahead, cells):
            page.add(Block(ITEM, f"- {' '.join(row).strip()}"))
    else:
        _add_rows(page, shown, chain(ahead, cells))
    return header


def _add_rows(page: Page, header: Sequence[str], cells: Iterable[Sequence[str]]) -> None:
    kept = [header] if header else []
    try:
        for row in cells:
            page.take(sum(map(len, row)) + 3 * len(row))
            kept.append(row)
    finally:
        if kept[bool(header) :]:
            page.blocks.append(rows(kept, header=bool(header)))


def _is_header(row: Sequence[str], widest: int) -> bool:
    """True if the cells of a row are names of columns: different ones, and no numbers but years."""
    names = [cell for cell in row if cell]
    numbers = [name for name in names if NUMBER.fullmatch(name)]
    if len(names) < 2 or 2 * len(names) < widest or len({*names}) < len(names):
        return False
    return len(numbers) < len(names) and all(map(_YEAR.fullmatch, numbers))


def _add_record(
    page: Page, header: Sequence[str], row: Sequence[str], named: int, number: int, level: int
) -> None:
    name = row[named] if named < len(row) else ""
    page.heading(_short(name) or str(number), level)
    for at, cell in enumerate(row):
        if cell and (at != named or len(name) > LONGEST_TITLE):
            page.add(Block(FIELD, f"{header[at]}: {cell}" if at < len(header) and header[at] else cell))


def _short(name: str) -> str:
    """The words of a heading."""
    return name[: 2 * LONGEST_TITLE]


def _name_column(header: Sequence[str], ahead: Sequence[Sequence[str]]) -> int:
    """The column that names a row: of those whose cells differ and are no numbers one that is called a name
    or title, else the first."""
    telling = []
    for at in range(len(header)):
        cells = {row[at] for row in ahead if at < len(row) and row[at]}
        if len(cells) == len(ahead) and not any(map(NUMBER.fullmatch, cells)):
            telling.append(at)
    called = (at for at in telling if _SEPARATORS.split(header[at].lower())[-1] in TITLES)
    return next(called, next(iter(telling), 0))


# The columns in which the time of a row begins and ends become one, so that it is read as an interval.


def _interval(header: Sequence[str], ahead: Sequence[Sequence[str]]) -> tuple[int, int] | None:
    """The columns in which an interval begins and ends, if all cells in them are dates."""
    found = interval_columns(header)
    cells = [row[at] for row in ahead for at in found or () if at < len(row) and row[at]]
    return found if cells and all(map(_is_date, cells)) else None


def _is_date(cell: str) -> bool:
    from asof.time.expressions import TimeContext, parse

    return [mention.text for mention in parse(cell, context=TimeContext())] == [cell]


def _joined(row: Sequence[str], first: int, last: int, *, both: bool = False) -> list[str]:
    """A row whose interval is one cell, in place of where it begins."""
    start, end = (row[at] if at < len(row) else "" for at in (first, last))
    said = f"{start} – {end}" if both else interval_cell(start, end)
    return [said if at == first else cell for at, cell in enumerate(row) if at != last]


# -- CSV and TSV ---------------------------------------------------------------------------------------

_HEAD = 65_536
_QUOTED = re.compile(r'"[^"]*"')
_SEP = re.compile(r"sep=([,;\t|])\n")


def parse_csv(text: str, stem: str, limits: InputLimits) -> ParsedFile:
    """A table of cells parted by the sign that parts most lines into equally many."""
    stated = _SEP.match(text)
    sign = stated[1] if stated else delimiter(text[:_HEAD])
    text = text[stated.end() :] if stated else text
    if max(map(len, text.split("\n"))) > limits.characters:
        said = f"a line of it has more than {limits.characters:,} characters"
        raise Unreadable(said, "check its quotes, or split it")
    notes: list[Problem] = []
    page = Page(limits.characters)
    try:
        _add_cells(page, _quoted(text, sign), notes)
    except csv.Error:  # the cell may be all the rest of the file
        said = "a quoted cell has no end or is very long: quotes are read as they stand"
        notes = [Problem(said, lost=False)]
        page = Page(limits.characters)
        _add_cells(page, (line.split(sign) for line in io.StringIO(text)), notes)
    words, outline = written(page.blocks)
    return ParsedFile(words, stem, outline, notes=tuple(notes))


def _quoted(text: str, sign: str) -> Iterator[list[str]]:
    """Rows whose cells may stand in quotes. Raises csv.Error where a quote has no other."""
    if text.count('"') % 2:
        raise csv.Error
    yield from csv.reader(io.StringIO(text), delimiter=sign, skipinitialspace=True)


def _add_cells(page: Page, found: Iterable[list[str]], notes: list[Problem]) -> None:
    cells = ([" ".join(cell.split()) for cell in row] for row in found)
    try:
        add_table(page, filter(any, cells))
    except Full:
        notes.append(_cut(page))


def delimiter(head: str) -> str:
    """The sign that stands equally often in most lines outside of quotes; of equals the rarer in texts."""
    lines = [line for line in _QUOTED.sub("", head).split("\n") if line.strip()][:LOOKED_AT]

    def share(sign: str) -> int:
        return max(Counter(count for line in lines if (count := line.count(sign))).values(), default=0)

    return max("\t;|,", key=share)


CSV = text_reader(parse_csv)


# -- values: JSON, YAML, TOML --------------------------------------------------------------------------

TITLES = ("title", "name")
"""Keys that name a record."""

SEVERAL = 4
"""A mapping of so many values has a heading of its own; keys of a smaller one begin with its key."""

LISTED = 200
"""The most characters of a list in one line, and of a key."""

_FIELDS = Fields()

_Loaded = tuple[Any, Mapping[str, int], list[Problem]]
"""A value, the lines of its keys, and what is wrong with them."""


def _json(text: str) -> _Loaded:
    twice: dict[str, None] = {}

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(found)
        if len(values) < len(found):
            twice.update((key, None) for key, count in Counter(key for key, _ in found).items() if count > 1)
        return values

    value = json.loads(
        text, object_pairs_hook=pairs, parse_int=_number, parse_float=_number, parse_constant=constant
    )
    return value, {}, [_twice(key) for key in twice]


def _yaml(text: str) -> _Loaded:
    """Several documents in a file are a list."""
    try:
        found = read_yaml(text, "the file")
    except BadYaml as wrong:
        raise Unreadable(f"{wrong} (line {wrong.line})") from None
    documents = [each for each in found.documents if each is not None]
    value = documents[0] if len(documents) == 1 else documents
    return value, found.lines, [_twice(key, line) for key, line in found.twice]


def _toml(text: str) -> _Loaded:
    return read_toml(text, _number), {}, []


def _number(text: str) -> int | float | str:
    """A number; its digits where they say more than it can."""
    if text.lstrip("-").isdigit():
        return int(text) if len(text) <= 18 else text
    value = float(text)
    return value if str(value) == text and text[-1].isdigit() else text


def _twice(key: str, line: int = 0) -> Problem:
    return Problem(f"{key[:LONGEST_TITLE]!r} stands twice: the last one counts", line=line, lost=False)


def _loaded(name: str, load: Callable[[str], _Loaded], text: str, limits: InputLimits) -> _Loaded:
    """The value of a text in a format, its lines and notes. Raises Unreadable."""
    most = limits.line if load is _json else limits.characters
    if len(text) > most:
        raise Unreadable(f"it has more than {most:,} characters", "split it into smaller files")
    try:
        value, lines, notes = load(text)
        return storable_value(value), lines, notes
    except (RecursionError, TooDeep):
        raise Unreadable("it is nested too deeply") from None
    except ValueError as wrong:
        remedy = "if each line is a value, name it .jsonl" if "Extra data" in str(wrong) else ""
        raise Unreadable(f"it is not {name}: {wrong}", remedy) from None


def _parser(name: str, load: Callable[[str], _Loaded]) -> TextParser:
    """The parser of a format's values. A list of records with a text each is several documents."""

    def parse(text: str, stem: str, limits: InputLimits) -> ParsedFile:
        value, lines, notes = _loaded(name, load, text, limits)
        if isinstance(value, list) and 2 * sum(map(_has_text, value)) > len(value):
            parts = tuple(_documents(value, limits, notes))
            return ParsedFile("", stem, notes=tuple(notes), parts=parts)
        words, outline = _text(value, limits, notes)
        title, front = _named(value) or stem, _front(value)
        return ParsedFile(words, title, outline, front=front, lines=lines, notes=tuple(notes))

    return parse


def _text(value: Any, limits: InputLimits, notes: list[Problem], first: str = "") -> tuple[str, Any]:
    """The text and the outline of a value, with a text before it."""
    page = Page(limits.characters)
    try:
        page.add(Block(PARAGRAPH, first))
        _add(page, value, 1)
    except Full:
        notes.append(_cut(page))
    return written(page.blocks)


def _has_text(value: Any) -> bool:
    texts = (value.get(name) for name in _FIELDS.text) if isinstance(value, dict) else ()
    return any(isinstance(text, str) and text.strip() for text in texts)


def _documents(records: list[Any], limits: InputLimits, notes: list[Problem]) -> Iterator[ParsedFile]:
    """The documents of a list of records, named by their ids; one without an id by its number."""
    names: set[str] = set()
    if len(records) > limits.documents:
        said = f"of its {len(records):,} records the first {limits.documents:,} are read"
        notes.append(Problem(said, remedy="split it into smaller files"))
    for number, record in enumerate(records[: limits.documents], 1):
        if not _has_text(record):
            said = f"record {number} has no text"
            notes.append(Problem(said, remedy=f"accepted fields are {', '.join(_FIELDS.text)}"))
            continue
        text = next(key for key in _FIELDS.text if isinstance(record.get(key), str) and record[key].strip())
        name = next((str(record[key]) for key in _FIELDS.id if isinstance(record.get(key), str | int)), "")
        if not name or name in names:
            name = f"{name} {number}".strip()
        names.add(name)
        rest = {key: each for key, each in record.items() if key not in (text, *_FIELDS.id)}
        front = _front(rest)
        below = {key: each for key, each in rest.items() if key not in front and key not in TITLES}
        words, outline = _text(below, limits, notes, record[text].strip("\n"))
        yield ParsedFile(words, _named(rest), outline, front=front, by="metadata", name=name)


def _named(value: Any) -> str:
    """The title of a mapping; "" for what has none."""
    for key, found in value.items() if isinstance(value, dict) else ():
        if key.lower() in TITLES and isinstance(found, str) and len(found) <= 2 * LONGEST_TITLE:
            return " ".join(found.split())
    return ""


def _front(value: Any) -> dict[str, Any]:
    """What a mapping says of itself: short values, and short lists of them."""
    found = value.items() if isinstance(value, dict) else ()
    lines = {
        key: _line(each)
        for key, each in found
        if key != "title" and not (isinstance(each, list) and len(each) > LONGEST_LIST)
    }
    short = (key for key, line in lines.items() if line and len(line) <= LISTED and "\n" not in line)
    return {key: value[key] for key in islice(short, LONGEST_LIST)}


def _line(value: Any) -> str | None:
    """A value, or a short list of them, in one line; None for what has more than that."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list():
            if len(value) > LONGEST_LIST and all(isinstance(each, int | float) for each in value):
                return f"{len(value):,} numbers"
            if any(isinstance(each, list | dict) for each in value):
                return None
            line = ", ".join(str(_line(each)) for each in value[:LISTED])
            return line if len(line) <= LISTED and "\n" not in line else None
        case dict():
            return None
    return str(value).strip()


def _add(page: Page, value: Any, level: int, path: str = "") -> None:
    """Add a value below its heading; keys of a mapping begin with `path`. Raises Full."""
    if (line := _line(value)) is not None:
        page.add(Block(PARAGRAPH, line))
    elif isinstance(value, list):
        _add_list(page, value, level)
    elif not path and (found := _rows(value.values(), [*value])):
        add_table(page, iter(found[1:]), found[0], level)
    else:
        _add_mapping(page, value, level, path)


def _add_mapping(page: Page, value: Mapping[str, Any], level: int, path: str) -> None:
    """Fields first, then what has a heading of its own."""
    below = {}
    for name, each in value.items():
        key = f"{path}{' '.join(name.split())[:LISTED]}"
        if isinstance(each, list) and len(each) == 1:
            each = each[0]
        line = _line(each)
        if line:
            page.add(Block(PARAGRAPH if "\n" in line else FIELD, f"{key}: {line}"))
        elif isinstance(each, dict) and len(each) < SEVERAL and None not in map(_line, each.values()):
            _add_mapping(page, each, level, f"{key}.")
        elif line is None:
            below[key] = each
    for key, each in below.items():
        page.heading(_short(key), level)
        _add(page, each, level + 1)


def _add_list(page: Page, values: list[Any], level: int) -> None:
    """A table, records, or items."""
    if found := _rows(values):
        add_table(page, iter(found[1:]), found[0], level)
        return
    for number, value in enumerate(values, 1):
        line = _line(value)
        if line is None:
            page.heading(_named(value) or str(number), level)
            _add(page, value, level + 1)
        elif line:
            page.add(Block(ITEM, f"- {line}"))


def _rows(values: Iterable[Any], names: Sequence[str] = ()) -> list[list[str]]:
    """Mappings with the same keys as the rows of a table, its header first; [] for others. `names`: what each
    is called, if that does not stand in it."""
    values = list(values)
    if len(values) < 2 or not all(isinstance(value, dict) and value for value in values):
        return []
    header = list(dict.fromkeys(key for value in values for key in value))
    if 2 * sum(map(len, values)) < len(header) * len(values):
        return []
    found = [["key" if "name" in header else "name"] * bool(names) + header]
    for at, value in enumerate(values):
        lines = [_line(value.get(key)) for key in header]
        cells = [line for line in lines if line is not None and "\n" not in line]
        if len(cells) < len(lines):
            return []
        found.append([*names[at : at + 1], *cells])
    return found


# -- JSON Canvas: cards of Obsidian --------------------------------------------------------------------


def _canvas(text: str, stem: str, limits: InputLimits) -> ParsedFile:
    """A canvas as a note: its cards from top to bottom, those of a group below its name; a card of a file is
    a link to it. Raises Unreadable."""
    value, _, _ = _loaded("JSON", _json, text, limits)
    nodes = value.get("nodes") if isinstance(value, dict) else None
    cards = [each for each in nodes if isinstance(each, dict)] if isinstance(nodes, list) else []
    groups = [each for each in cards if each.get("type") == "group"]
    inside: dict[int, list[str]] = {at: [] for at in range(-1, len(groups))}
    for card in sorted(cards, key=lambda each: (_place(each, "y"), _place(each, "x"))):
        said = {"text": "{text}", "file": "[[{file}]]", "link": "<{url}>"}.get(str(card.get("type")), "")
        words = said.format_map({name: str(card.get(name) or "") for name in ("text", "file", "url")})
        at = next((at for at, group in enumerate(groups) if _lies_in(card, group)), -1)
        inside[at] += [words] if words.strip("[]<> ") else []
    parts = inside[-1]
    for at, group in enumerate(groups):
        parts += [f"## {' '.join(str(group.get('label') or 'Group').split())}", *inside[at]]
    return parse_markdown("\n\n".join(parts), stem, limits)


def _place(card: Mapping[str, Any], side: str) -> float:
    value = card.get(side)
    return float(value) if isinstance(value, int | float) else 0.0


def _lies_in(card: Mapping[str, Any], group: Mapping[str, Any]) -> bool:
    """True if the upper left corner of a card is in a group."""
    return card is not group and all(
        _place(group, side) <= _place(card, side) < _place(group, side) + _place(group, size)
        for side, size in (("x", "width"), ("y", "height"))
    )


CANVAS = text_reader(_canvas)
JSON = text_reader(_parser("JSON", _json))
YAML = text_reader(_parser("YAML", _yaml))
TOML = text_reader(_parser("TOML", _toml))
