"""Questions with passages of three shapes become one dataset."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from asof.errors import UsageError
from asof.evaluate.runs.dataset import load
from bench import multihop

HOTPOT = {
    "_id": "h1", "question": "Who owns the mill?", "answer": "Ann", "type": "bridge",
    "context": [["Mill", ["The mill is old.", " Ann owns it."]], ["Pond", ["Ducks swim."]]],
    "supporting_facts": [["Mill", 1]],
}  # fmt: skip
NQ = {
    "id": 7, "question": "who runs the mill", "reference": ["Bob", "Robert"],
    "contexts": [
        {"title": "Mill", "text": "Bob runs the mill.", "is_supporting": True},
        {"title": "Pond", "text": "Ducks swim."},
    ],
}  # fmt: skip


def test_all_shapes(tmp_path: Path) -> None:
    (tmp_path / "hotpotqa.json").write_text(json.dumps([HOTPOT, 5, {"question": "Unanswered?"}]))
    (tmp_path / "nq.jsonl").write_text(
        json.dumps(NQ) + "\n{torn\n" + '{"title": "Sky", "text": "It is blue."}\n{}\n'
    )
    made = multihop.convert([tmp_path / "hotpotqa.json", tmp_path / "nq.jsonl"])
    made.write(tmp_path / "set")
    found = load(tmp_path / "set")
    assert not found.problems
    assert list(found.dates) == ["Mill", "Pond", "Mill #2", "Sky"]
    assert found.relevance == {"hotpotqa-h1": {"Mill": 1}, "nq-1": {"Mill #2": 1}}
    assert found.sentences["hotpotqa-h1"] == [("Mill", "Ann owns it.")]
    assert [question.record["answer"] for question in found.questions] == [["Ann"], ["Bob", "Robert"]]
    assert [str(each) for each in made.problems] == [
        "hotpotqa.json:2: no JSON object", "hotpotqa.json:3: a question without an answer",
        made.problems[2].message and str(made.problems[2]), "nq.jsonl:4: neither a question nor a passage",
    ]  # fmt: skip
    assert str(made.problems[2]).startswith("nq.jsonl:2: no JSON")


def test_no_question_at_all(tmp_path: Path) -> None:
    (tmp_path / "corpus.json").write_text("[")
    with pytest.raises(UsageError, match="no question in"):
        multihop.convert([tmp_path / "corpus.json"])


@pytest.mark.parametrize(
    ("script", "given", "said"),
    [
        ("multihop", ["out", "nowhere.json"], "bench.multihop: nowhere.json: No such file or directory"),
        ("multihop", ["out", "empty.json"], "bench.multihop: no question in empty.json; see the head of"),
        ("ect_qa", ["nowhere", "out"], "bench.ect_qa: nowhere has no call in corpus/base.jsonl.gz"),
    ],
)
def test_files_that_cannot_be_used_are_one_line(
    tmp_path: Path, script: str, given: list[str], said: str
) -> None:
    (tmp_path / "empty.json").write_text("[]")
    path = {**os.environ, "PYTHONPATH": str(Path(multihop.__file__).parents[1])}
    found = subprocess.run(
        [sys.executable, "-m", f"bench.{script}", *given], cwd=tmp_path, env=path,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (found.returncode, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert found.stderr.startswith(said)
    assert not (tmp_path / "out").exists()
