"""Files of a dataset for `asof evaluate`, and lines of other people's files that may be bad."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asof.data import Problem
from asof.errors import AsofError

WRONG = 2
"""The exit code for files that cannot be used."""


def command(name: str, main: Callable[[], None]) -> int:
    """Run a script: files that it cannot use or write are one line on standard error, and code 2."""
    try:
        main()
    except AsofError as error:
        print(f"{name}: {error}", file=sys.stderr)
    except OSError as error:
        where = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        print(f"{name}: {where}", file=sys.stderr)
    else:
        return 0
    return WRONG


@dataclass
class Dataset:
    """What is written: documents, questions, judgements, sentences; and the problems that were met."""

    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    questions: list[dict[str, Any]] = field(default_factory=list)
    judged: dict[tuple[str, str], None] = field(default_factory=dict)
    sentences: list[dict[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def bad(self, message: str, path: Path, line: int = 0) -> None:
        self.problems.append(Problem(message, path.name, line))

    def write(self, folder: Path) -> None:
        """Write the folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        _lines(folder / "corpus.jsonl", self.documents.values())
        _lines(folder / "queries.jsonl", self.questions)
        _lines(folder / "evidence.jsonl", self.sentences)
        pairs = "".join(f"{question}\t{document}\t1\n" for question, document in self.judged)
        (folder / "qrels.tsv").write_text(pairs, encoding="utf-8")

    def report(self, folder: Path) -> None:
        """Say what was written, and each problem."""
        for problem in self.problems:
            print(problem, file=sys.stderr)
        print(
            f"{folder}: {len(self.documents):,} documents, {len(self.questions):,} questions, "
            f"{len(self.sentences):,} sentences of evidence, {len(self.problems):,} problems"
        )


def _lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records)
    path.write_text(text, encoding="utf-8")


def records(path: Path, made: Dataset) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of lines (gzip if it ends in .gz) with their line; others are problems."""
    number = 0
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        while True:
            try:
                line = file.readline()
            except (OSError, EOFError, zlib.error) as error:  # a torn archive: what was read before it counts
                made.bad(f"cannot be read further: {error}", path, number + 1)
                return
            if not line:
                return
            number += 1
            if line.strip():
                try:
                    record = json.loads(line)
                except ValueError as error:
                    made.bad(f"no JSON: {error}", path, number)
                    continue
                if isinstance(record, dict):
                    yield number, record
                else:
                    made.bad("no JSON object", path, number)


def text_of(record: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that is a text with something in it; "" if none is."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""
