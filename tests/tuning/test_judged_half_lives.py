"""Learned half-lives on held-out questions: better, worse, from feedback, and as of when each was asked."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import pytest
from tests.support.half_lives_town import ASKED, STREETS, documents, question

import asof
from asof.data import Document, SourcedTime
from asof.errors import UsageError
from asof.evaluate.options import EvaluationOptions
from asof.learn.box import Box
from asof.models.hashed import HashedNgrams
from asof.recipes import named
from asof.store.settings import CorpusSettings
from asof.time.moment import read
from asof.tuning import judged_half_lives
from asof.tuning.from_dataset import from_dataset
from asof.tuning.from_feedback import from_feedback
from asof.tuning.half_lives import learned, learned_as_of
from asof.tuning.judged_half_lives import judged

VECTORS = EvaluationOptions(settings=CorpusSettings(encoder=HashedNgrams().name))
PAPERS = named("papers")
BOX = Box.of(PAPERS, ["freshness.rate"])


def dataset(folder: Path, right: str, *, asked: str = ASKED) -> Path:
    folder.mkdir()
    questions = [
        {"id": f"q{at}", "text": question(each), "asked_at": asked} for at, each in enumerate(STREETS)
    ]
    for name, values in (("corpus", documents()), ("queries", questions)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in values))
    pairs = "".join(f"q{at}\t{right}-{at}\t1\n" for at in range(len(STREETS)))
    (folder / "qrels.tsv").write_text(pairs)
    return folder


def test_reports_that_last_are_found_again(tmp_path: Path) -> None:
    """Notes: 3 ends of 7 days for each of 20 streets, and the last version for none: 60 ends in 420 days, a
    half-life of 7 ln 2 = 4.85 days. Reports: no end in 20 · 1065 days."""
    with from_dataset(
        dataset(tmp_path / "town", "old"), PAPERS, BOX, 10, VECTORS, cache=tmp_path
    ) as questions:
        found = judged(questions, 4)
        assert questions.corpus is not None
        kinds = learned_as_of(questions.corpus, None, None)
    (only,) = kinds.kinds
    of = {only.name: only.half_life, "others": kinds.rest}
    assert of.keys() in ({"tag:report", "others"}, {"tag:note", "others"})
    notes, reports = (only.half_life, kinds.rest) if only.name == "tag:note" else (kinds.rest, only.half_life)
    assert notes is not None
    assert reports is not None
    assert (notes.ends, notes.exposure) == (60, 420.0)
    assert notes.days == pytest.approx(7 * math.log(2))
    assert (reports.ends, reports.exposure) == (0, 20 * 1065.0)
    # the note stood first: 1 / log2(3)
    assert found.start == pytest.approx(1 / math.log2(3))
    assert found.tuned == 1.0
    assert not found.worse
    assert found.sentence.startswith("ndcg@10 .631 -> 1.000 on questions it did not see (+.369")
    assert (found.scale, found.folds, found.moments) == (1.0, (1.0,) * 4, 1)


def test_what_is_worse_is_not_proposed(tmp_path: Path) -> None:
    with from_dataset(
        dataset(tmp_path / "town", "new"), PAPERS, BOX, 10, VECTORS, cache=tmp_path
    ) as questions:
        found = judged(questions, 2)
    assert found.worse
    assert found.start == 1.0 > found.tuned
    assert found.sentence.endswith("worse, so nothing is proposed")


def test_before_anything_changed_nothing_is_learned(tmp_path: Path) -> None:
    """Asked on 10 January no note had been written anew: all that follows must not speak for the reports."""
    path = dataset(tmp_path / "town", "old", asked="2024-01-10")
    with from_dataset(path, PAPERS, BOX, 10, VECTORS, cache=tmp_path) as questions:
        found = judged(questions, 2)
        assert questions.corpus is not None
        assert learned_as_of(questions.corpus, None, None).kinds
    assert found.tuned == found.start


@pytest.fixture
def corpus(memory_folder: Path):
    settings = asof.CorpusSettings(undated="always", encoder=HashedNgrams().name)
    with asof.open(memory_folder, settings=settings) as corpus:
        corpus.session.clock = itertools.count(read("2024-02-01").first, 1_000_000).__next__
        corpus.maintenance.background = False
        for each in documents():
            day = each["timestamp"]
            told = SourcedTime(read(day), day, "metadata")
            corpus.add([Document(each["id"], each["text"], published=told, tags=tuple(each["tags"]))])
        yield corpus


def test_from_feedback_and_only_what_was_known_then(corpus, monkeypatch) -> None:
    for at, street in enumerate(STREETS):
        query = corpus.record(corpus.at(ASKED).search(question(street), 6, recipe="papers"))
        corpus.grade(query, f"old-{at}", 3)
    late = SourcedTime(read("2024-01-25"), "", "metadata")
    corpus.add([Document(f"old-{at}", "All anew.", published=late, tags=("report",)) for at in range(20)])
    assert corpus.at(ASKED).use(learned).ends == 80, "60 notes, and the reports that were replaced by then"
    seen = []

    def spy(*of):
        seen.append(learned_as_of(*of))
        return seen[-1]

    monkeypatch.setattr(judged_half_lives, "learned_as_of", spy)
    found = judged(from_feedback(corpus, PAPERS, BOX, 10, again=True), 3)
    assert {each.ends for each in seen} == {60}, "as it was known when the questions were asked"
    assert found.tuned == 1.0 > found.start


def test_few_questions_are_refused(corpus, tmp_path: Path) -> None:
    path = dataset(tmp_path / "town", "old")
    lines = (path / "queries.jsonl").read_text().splitlines(keepends=True)
    (path / "queries.jsonl").write_text("".join(lines[:19]))
    with (
        from_dataset(path, PAPERS, BOX, 10, VECTORS, cache=tmp_path) as questions,
        pytest.raises(UsageError, match="19 judged questions; 20 are needed"),
    ):
        judged(questions, 2)
