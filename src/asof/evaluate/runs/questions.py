"""The questions of a dataset, relevance judgements, and sentences that answer. Bad lines become problems."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asof.corpus.query_reader import LONGEST_QUESTION
from asof.data import Problem
from asof.data.storable import storable_value
from asof.errors import BadTime, UsageError
from asof.sources.dates import stated

_BOM = b"\xef\xbb\xbf"
_JSON = "every line has to be one JSON object"

Relevance = dict[str, dict[str, int]]
"""Grades by question and document; a grade above 0 is relevant."""

Sentences = dict[str, list[tuple[str, str]]]
"""By question: documents, and sentences in them that answer it."""


@dataclass(frozen=True, slots=True)
class DatasetQuestion:
    """A question of a dataset. `asked_at`: the instant as of which it is asked, None if none is given.

    `query_doc`: a document that it was made from, which does not count as an answer. `record`: its JSON line.
    """

    id: str
    text: str
    asked_at: int | None = None
    type: str = ""
    query_doc: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)


class UnusableLine(ValueError):
    """Why a line cannot be used."""


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbers and texts of the lines that are not blank. Raises UsageError."""
    try:
        content = path.read_bytes().removeprefix(_BOM)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            yield number, line.decode("utf-8", "surrogateescape").rstrip("\r")


def records(path: Path, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Numbers and objects of a file of JSON lines; other lines are added to `problems`."""
    for number, line in lines(path):
        try:
            record = storable_value(json.loads(_utf8(line)))
        except (ValueError, RecursionError) as error:
            problems.append(Problem(f"the line is not JSON: {error}", path.name, number, _JSON))
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            message = f"the line is JSON, but no object: {type(record).__name__}"
            problems.append(Problem(message, path.name, number, _JSON))


def _utf8(line: str) -> str:
    """The line, if it is UTF-8. Raises UnusableLine."""
    if any("\udc80" <= sign <= "\udcff" for sign in line):
        raise UnusableLine("it is not UTF-8")
    return line


def questions(paths: Iterable[Path], problems: list[Problem]) -> list[DatasetQuestion]:
    """The questions of some files, in order; a question in two files counts once."""
    by_id: dict[str, DatasetQuestion] = {}
    for path in paths:
        for number, record in records(path, problems):
            try:
                question = _question(record)
            except UnusableLine as error:
                problems.append(Problem(f"the question {error}", path.name, number))
                continue
            if by_id.setdefault(question.id, question) != question:
                message = f"another question has the id {question.id!r}: the first one counts"
                problems.append(Problem(message, path.name, number))
    return list(by_id.values())


def _question(record: dict[str, Any]) -> DatasetQuestion:
    id_, text = _required(record, "id"), _required(record, "text")
    if len(text) > LONGEST_QUESTION:
        raise UnusableLine(f"has {len(text):,} characters; accepted: up to {LONGEST_QUESTION:,}")
    try:
        time = stated(record.get("asked_at"), "metadata")
    except BadTime as error:
        raise UnusableLine(f"has an asked_at that cannot be read: {error}") from error
    kind, without = record.get("type"), record.get("query_doc")
    return DatasetQuestion(
        id_, text, None if time is None else time.span.last,
        "" if kind is None else str(kind), "" if without is None else str(without), record,
    )  # fmt: skip


def _required(record: dict[str, Any], key: str) -> str:
    """A required field: a text, or a number as a text. Raises UnusableLine."""
    value = record.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise UnusableLine(f"has no {key}: a text is expected")
    return value


def judgements(path: Path, problems: list[Problem]) -> Relevance:
    """The grades of qrels.tsv. A first line whose grade is no number is its header."""
    grades: Relevance = {}
    for number, line in lines(path):
        try:
            query, document, grade = _judgement(line)
        except UnusableLine as error:
            if number > 1 or line.count("\t") != 2:
                remedy = "query, document and a whole number, separated by tabs, are expected"
                problems.append(Problem(f"the line {error}", path.name, number, remedy))
            continue
        if grades.setdefault(query, {}).setdefault(document, grade) != grade:
            message = f"{document!r} had another relevance for {query!r} before: the first one counts"
            problems.append(Problem(message, path.name, number))
    return grades


def _judgement(line: str) -> tuple[str, str, int]:
    """Query, document, grade. Raises UnusableLine."""
    parts = [part.strip() for part in _utf8(line).split("\t")]
    if len(parts) != 3:
        raise UnusableLine(f"has {len(parts)} columns")
    if not _whole(parts[2]):
        raise UnusableLine(f"has the relevance {parts[2]!r}")
    return parts[0], parts[1], int(parts[2])


def _whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def sentences(path: Path, problems: list[Problem]) -> Sentences:
    """The sentences of evidence.jsonl; none if there is no such file."""
    by_question: Sentences = {}
    if not path.is_file():
        return by_question
    for number, record in records(path, problems):
        try:
            query, pair = (
                _required(record, "query_id"),
                (_required(record, "doc_id"), _required(record, "sentence")),
            )
        except UnusableLine as error:
            problems.append(Problem(f"the evidence {error}", path.name, number))
            continue
        if pair not in by_question.setdefault(query, []):
            by_question[query].append(pair)
    return by_question
