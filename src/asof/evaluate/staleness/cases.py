"""Cases of `evaluate --stale`: documents, a moment, and which of their sentences are stale then.

A folder with cases.jsonl, whose format bench/stale/README.md describes, and the documents of each case. Bad
lines become problems.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asof.data import Problem
from asof.data.stale import LINK, STATEMENT, VALUE
from asof.errors import BadTime, UsageError
from asof.evaluate.runs.questions import UnusableLine, records
from asof.sources.dates import stated

CASES = "cases.jsonl"
FORMAT = (
    'a dataset of --stale is a folder with cases.jsonl {"case", "documents", "as_of", "expected", '
    '"harmless", "neutral"} and the documents of its cases'
)
EXPECTED_KINDS = (VALUE, STATEMENT, LINK)
_REMEDY = "see bench/stale/README.md for the fields of a case"


@dataclass(frozen=True, slots=True)
class ExpectedStale:
    """A sentence that is stale. `by`: the documents that are right counterparts; none where a page is gone.

    `type`: a finer kind, "" where none is given. `old_value`: the part of the sentence that was replaced.
    """

    document: str
    quote: str
    by: tuple[str, ...]
    new: str
    kind: str
    type: str = ""
    old_value: str = ""


@dataclass(frozen=True, slots=True)
class UnflaggedQuote:
    """A sentence that must not be flagged (`why` says what it is), or that does not count (`why` is "")."""

    document: str
    quote: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class StaleCase:
    """A case. `documents`: the file with their versions. `line`: its line in cases.jsonl.

    `held_out`: documents of which only the expected sentences are judged, since a commit edited others of
    their sentences, too.
    """

    name: str
    documents: Path
    as_of: int
    expected: tuple[ExpectedStale, ...]
    harmless: tuple[UnflaggedQuote, ...]
    neutral: tuple[UnflaggedQuote, ...]
    held_out: frozenset[str]
    line: int


def load_cases(folder: Path, problems: list[Problem]) -> list[StaleCase]:
    """The cases of a folder; lines that cannot be used are added to `problems`. Raises UsageError."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; {FORMAT}")
    if not (folder / CASES).is_file():
        raise UsageError(f"{folder} has no {CASES}; {FORMAT}")
    by_name: dict[str, StaleCase] = {}
    for number, record in records(folder / CASES, problems):
        try:
            case = _case(folder, record, number)
        except UnusableLine as error:
            problems.append(Problem(f"the case {error}", CASES, number, _REMEDY))
            continue
        if case.name in by_name:
            message = f"another case is called {case.name!r}: the first one counts"
            problems.append(Problem(message, CASES, number, "give each case a name of its own"))
        by_name.setdefault(case.name, case)
    if not by_name:
        why = f" ({problems[0]})" if problems else ""
        raise UsageError(f"{folder / CASES} holds no case that can be used{why}; {FORMAT}")
    return list(by_name.values())


def _case(folder: Path, record: dict[str, Any], line: int) -> StaleCase:
    expected = tuple(_expected(each) for each in _objects(record, "expected"))
    held_out = frozenset(each.document for each in expected) if record.get("commit") else frozenset()
    harmless = [(each, _text(each, "why")) for each in _objects(record, "harmless")]
    neutral = [(each, "") for each in _objects(record, "neutral")]
    return StaleCase(
        _text(record, "case"), _documents(folder, _text(record, "documents")), _as_of(record), expected,
        _unflagged(harmless), _unflagged(neutral), held_out, line,
    )  # fmt: skip


def _unflagged(found: list[tuple[dict[str, Any], str]]) -> tuple[UnflaggedQuote, ...]:
    return tuple(UnflaggedQuote(_text(each, "document"), _text(each, "quote"), why) for each, why in found)


def _expected(record: dict[str, Any]) -> ExpectedStale:
    kind, by = _text(record, "kind"), record.get("by", [])
    if kind not in EXPECTED_KINDS:
        raise UnusableLine(f"expects the kind {kind!r}; accepted: {', '.join(EXPECTED_KINDS)}")
    if not isinstance(by, list) or not all(isinstance(each, str) for each in by):
        raise UnusableLine("has a by that is no list of documents")
    return ExpectedStale(
        _text(record, "document"), _text(record, "quote"), tuple(by), _text(record, "new", ""), kind,
        _text(record, "type", ""), _text(record, "old_value", ""),
    )  # fmt: skip


def _documents(folder: Path, name: str) -> Path:
    """The file of a case's documents, inside the folder."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UnusableLine(f"has documents outside the dataset: {name!r}")
    if not path.is_file() or not path.name.endswith((".jsonl", ".jsonl.gz")):
        raise UnusableLine(f"has documents {name!r}: no file of JSON lines of this name is in the dataset")
    return path


def _as_of(record: dict[str, Any]) -> int:
    """The last instant of the case's moment."""
    try:
        time = stated(_text(record, "as_of"), "metadata")
    except BadTime as error:
        raise UnusableLine(f"has an as_of that cannot be read: {error}") from error
    if time is None:
        raise UnusableLine("has no as_of: a time is expected")
    return time.span.last


def _text(record: dict[str, Any], key: str, default: str | None = None) -> str:
    """A field that is a text; `default` where it is missing or null, if one is given."""
    value = record.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise UnusableLine(f"has no {key}: a text is expected")
    return value


def _objects(record: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """A field that is a list of objects; one that is missing is empty."""
    values = record.get(key, [])
    if not isinstance(values, list) or not all(isinstance(each, dict) for each in values):
        raise UnusableLine(f"has a field {key} that is no list of objects")
    return values
