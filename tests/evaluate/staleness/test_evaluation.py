"""Cases from their files to their metrics; corpora that are kept; documents that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evaluate.staleness.conftest import CASE, DOCUMENTS, NEW, OLD, Lines

from asof.errors import UsageError
from asof.evaluate.staleness.evaluation import evaluate
from asof.evaluate.staleness.metrics import Share


def test_what_one_note_changed_and_another_kept_is_found(lines: Lines) -> None:
    result = evaluate(lines())
    (case,) = result.cases
    (found,) = [each for each in case.flags if each.verdict == "right"]
    assert (found.flag.quote.document, found.flag.quote.text) == ("visit.md", OLD)
    assert found.flag.by is not None
    assert (found.flag.by.document, found.flag.by.text) == ("pier.md", NEW)
    assert found.late  # it is stale since the last version
    (recall,) = result.metrics.recall
    assert (recall.kind, recall.found, recall.counterpart) == ("value", Share(1, 1), Share(1, 1))
    assert [(each.why, each.flagged) for each in result.metrics.harmless] == [
        ("", Share(0, 1)), ("other subject", Share(0, 1))
    ]  # fmt: skip
    (seconds,) = result.seconds
    assert seconds.documents == 5
    assert seconds.first > 0 < seconds.again
    assert (result.leakage, result.notes, result.problems) == (None, (), ())


def test_before_the_edit_nothing_is_stale(lines: Lines) -> None:
    (recall,) = evaluate(lines(CASE | {"as_of": "2022-02-28"})).metrics.recall
    assert recall.found == Share(0, 1)


def test_a_corpus_is_kept_while_its_documents_are_the_same(lines: Lines, tmp_path: Path) -> None:
    index = tmp_path / "index"
    kept = [evaluate(lines(), index=index).seconds[0].kept for _ in range(2)]
    assert kept == [False, True]
    result = evaluate(lines(documents=DOCUMENTS[:-1]), index=index)
    assert not result.seconds[0].kept
    assert result.metrics.recall[0].found == Share(0, 1)
    assert len(list(index.iterdir())) == 2
    again = evaluate(lines(documents=DOCUMENTS[:-1]), index=index)
    assert again.notes == ("1 of 1 corpora were kept from an earlier run, with their caches",)


def test_documents_with_problems(lines: Lines) -> None:
    other = CASE | {"case": "other", "expected": [CASE["expected"][0] | {"document": "gone.md"}]}
    result = evaluate(lines(CASE, other, documents=[*DOCUMENTS, "{"]))
    assert [(each.file, each.line, each.lost) for each in result.problems] == [
        ("pier.jsonl", 7, True), ("cases.jsonl", 2, False)
    ]  # fmt: skip
    assert "expects 'gone.md', which is none of its documents" in result.problems[1].message


def test_no_documents_at_all(lines: Lines) -> None:
    with pytest.raises(UsageError, match="no case with documents that can be read"):
        evaluate(lines(documents=[]))
