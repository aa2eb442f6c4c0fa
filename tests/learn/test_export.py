"""Graded questions as the files of a dataset."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asof.data import Filters, Problem
from asof.errors import UsageError
from asof.evaluate.runs.questions import judgements, questions
from asof.learn.export import export
from asof.learn.feedback import JudgedRecord, RecordedQuestion, ShownHit

AS_OF = 1_709_251_199_999_999  # the last microsecond of 2024-02-29


def judged(id_: str, *hits: tuple[str, float | None, str]) -> JudgedRecord:
    shown = tuple(ShownHit(n, f"{name}#{n}", name, n, 0.5, b"") for n, (name, _, _) in enumerate(hits, 1))
    asked = RecordedQuestion(id_, f"question “{id_}”", AS_OF, 0, "asof", {}, Filters(), "passage", 1, shown)
    return JudgedRecord(
        asked, tuple(grade for _, grade, _ in hits), (1.0,) * len(hits), tuple(kind for *_, kind in hits)
    )


def test_what_evaluate_reads(tmp_path: Path) -> None:
    found = [
        judged("a", ("ann", 3.0, "grade"), ("ben", 0.0, "model"), ("cid", 1.0, "click"), ("dan", None, "")),
        judged("b", ("ann", 1.4, "grade"), ("ann", 1.5, "grade"), ("ben", 2.5, "grade")),
        judged("c", ("ann", 1.0, "click")),  # nothing that the files could say
    ]
    done = export(found, tmp_path / "set")
    assert (done.queries, done.judgements, done.problems) == (2, 4, ())
    problems: list[Problem] = []
    read = questions([tmp_path / "set" / "queries.jsonl"], problems)
    assert [(each.id, each.text, each.asked_at) for each in read] == [
        ("a", "question “a”", AS_OF), ("b", "question “b”", AS_OF),
    ]  # fmt: skip
    # of a document the best passage: 1.4 is 1, 1.5 is 2; 2.5 is 3
    grades = judgements(tmp_path / "set" / "qrels.tsv", problems)
    assert grades == {"a": {"ann": 3, "ben": 0}, "b": {"ann": 2, "ben": 3}}
    assert problems == []


def test_ids_that_no_table_can_hold(tmp_path: Path) -> None:
    done = export([judged("a", ("x\ty", 3.0, "grade"), ("z", 1.0, "grade"))], tmp_path)
    assert (done.judgements, len(done.problems)) == (1, 1)
    assert done.problems[0].document == "x\ty"


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_text("mine")
    with pytest.raises(UsageError, match=r"qrels.tsv in .* would be overwritten"):
        export([judged("a", ("ann", 3.0, "grade"))], tmp_path)
    assert (tmp_path / "qrels.tsv").read_text() == "mine"
    assert not (tmp_path / "queries.jsonl").exists()


def test_nothing_to_write(tmp_path: Path) -> None:
    assert export([], tmp_path / "set").queries == 0
    assert not (tmp_path / "set").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="a folder that can be written is expected"):
        export([judged("a", ("ann", 3.0, "grade"))], tmp_path / "file" / "set")


def test_lines_are_json(tmp_path: Path) -> None:
    export([judged("a", ("ann", 3.0, "grade"))], tmp_path)
    [line] = (tmp_path / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["asked_at"] == "2024-02-29T23:59:59.999999Z"
