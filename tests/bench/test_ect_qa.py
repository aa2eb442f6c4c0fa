"""ECT-QA's files become a dataset: tiny made-up ones of the same shape."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from asof.errors import UsageError
from asof.evaluate.answers.reference import reference_answers
from asof.evaluate.runs.dataset import load
from bench import ect_qa


def call(code: str, year: str, quarter: str, said: str, **more: Any) -> dict[str, Any]:
    return {
        "company_name": "Otter Mills", "stock_code": code, "sector": "paper", "year": year,
        "quarter": quarter, "URL": "https://example.org/2024/05/09/call/", "cleaned_content": said,
        "raw_content": f"Otter Mills\nQ1 Call\nMay 7, {year}\n,\n{said}", **more,
    }  # fmt: skip


def gold(name: str, sentence: str) -> dict[str, str]:
    return {"ect_filename": f"{name}.json", "evidence": sentence}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    source = tmp_path / "ect-qa"
    for name in ("corpus", "questions"):
        (source / name).mkdir(parents=True)
    calls = [
        call("OM US", "2024", "q1", "Revenue was $5 million."),
        call("OM US", "2024", "q1", "Again."),
        call("OM US", "2024", "q2", "Revenue was $6 million.", raw_content="no day"),
        call("HE", "2024", "q2", "", raw_content=""),
    ]
    lines = "".join(json.dumps(each) + "\n" for each in calls) + "{torn\n[]\n"
    (source / "corpus" / "new.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    asked = [
        {
            "question": "What was the revenue in 2024 Q1?", "answer": "$5 million", "question_type": "single",
            "evidence_list": [gold("paper-OM US-2024-q1", "Revenue was $5 million.")],
        },
        {"question": "And in 1950?", "answer": "unanswerable", "evidence_list": []},
        {"question": "And in 2020?", "answer": "$1", "evidence_list": [gold("paper-OM-2020-q1", "x")]},
        {"question": "No answer?"},
    ]  # fmt: skip
    written = "".join(json.dumps(each) + "\n" for each in asked)
    (source / "questions" / "local_new.jsonl").write_text(written)
    (source / "questions" / "global_new.jsonl").write_text(
        '{"question": "How did it go?", "type": "company"}\n'
    )
    return source


def test_a_dataset_is_made(files: Path, tmp_path: Path) -> None:
    made = ect_qa.convert(files)
    made.write(tmp_path / "set")
    found = load(tmp_path / "set")
    assert not found.problems
    assert list(found.dates) == ["paper-OM_US-2024-q1", "paper-OM_US-2024-q2"]
    days = [each["timestamp"] for each in made.documents.values()]
    assert days == ["2024-05-07", "2024-05-09"]  # of its head, of its address
    assert [(each["id"], each.get("answerable")) for each in made.questions] == [
        ("local-new-0001", True), ("local-new-0002", False), ("global-new-0001", None),
    ]  # fmt: skip
    assert found.relevance == {"local-new-0001": {"paper-OM_US-2024-q1": 1}}
    assert found.sentences == {"local-new-0001": [("paper-OM_US-2024-q1", "Revenue was $5 million.")]}
    references = reference_answers(found, overviews=True)
    assert [each.abstract for each in references] == [False, False, True]
    assert {each.question.record["split"] for each in references} == {"new"}


def test_what_cannot_be_used_is_a_problem(files: Path) -> None:
    said = [str(each) for each in ect_qa.convert(files).problems]
    for part in (
        "base.jsonl.gz: is missing", "new.jsonl.gz:2: the call paper-OM_US-2024-q1 occurs twice",
        "new.jsonl.gz:4: a call without cleaned_content", "new.jsonl.gz:5: no JSON",
        "new.jsonl.gz:6: no JSON object", "local_base.jsonl: is missing",
        "local_new.jsonl: 1 questions rest on calls that are not here",
        "local_new.jsonl:4: a question without an answer",
    ):  # fmt: skip
        assert any(each.startswith(part) for each in said), part


def test_a_torn_archive_counts_as_far_as_it_is_read(files: Path) -> None:
    path = files / "corpus" / "new.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-20])
    made = ect_qa.convert(files)
    assert "paper-OM_US-2024-q1" in made.documents
    assert any("cannot be read further" in str(each) for each in made.problems)


def test_a_folder_without_calls(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no call in corpus/base\.jsonl\.gz"):
        ect_qa.convert(tmp_path)
