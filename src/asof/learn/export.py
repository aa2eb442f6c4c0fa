"""Graded questions as the files of a dataset: `queries.jsonl` and `qrels.tsv`, for `asof evaluate`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from asof.data import Problem
from asof.errors import UsageError
from asof.learn.feedback import CLICK, JudgedRecord
from asof.time.span import iso

QUERIES, QRELS = "queries.jsonl", "qrels.tsv"


@dataclass(frozen=True, slots=True)
class ExportReport:
    """How many questions and judgements were written, and the problems of those that could not be."""

    queries: int
    judgements: int
    problems: tuple[Problem, ...]


def export(records: Sequence[JudgedRecord], folder: Path) -> ExportReport:
    """Write the questions that have grades; `asked_at` is the instant as of which each was asked.

    A document has the highest grade of its passages, rounded to a whole number (a half upwards). Clicks are
    left out: the files have no column for their weights. Raises UsageError when a file exists already or
    cannot be written.
    """
    queries, lines, problems = [], [], list[Problem]()
    for each in records:
        grades = _grades(each, problems)
        if grades:
            question = each.question
            queries.append({"id": question.id, "text": question.text, "asked_at": iso(question.as_of)})
            lines += [f"{question.id}\t{document}\t{grade}\n" for document, grade in grades.items()]
    if queries:
        query_lines = "".join(f"{json.dumps(query, ensure_ascii=False)}\n" for query in queries)
        _write(folder, {QUERIES: query_lines, QRELS: "".join(lines)})
    return ExportReport(len(queries), len(lines), tuple(problems))


def _grades(judged: JudgedRecord, problems: list[Problem]) -> dict[str, int]:
    """The grade of each document."""
    grades: dict[str, int] = {}
    for hit, grade, kind in zip(judged.question.shown, judged.grades, judged.kinds, strict=True):
        if grade is None or kind == CLICK:
            continue
        if not hit.document.isprintable():
            message = f"{hit.document!r} cannot be written to {QRELS}: its id has a tab or a line feed"
            problems.append(Problem(message, document=hit.document))
            continue
        grades[hit.document] = max(grades.get(hit.document, 0), int(grade + 0.5))
    return grades


def _write(folder: Path, files: dict[str, str]) -> None:
    if existing := [name for name in files if (folder / name).exists()]:
        raise UsageError(f"{' and '.join(existing)} in {folder} would be overwritten: name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}: a folder that can be written is expected") from error
