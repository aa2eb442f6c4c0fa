"""Material out of what was said of hits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import asof
from asof.corpus.corpus import Corpus
from asof.corpus.session import Session
from asof.data import Document, SourcedTime
from asof.errors import UsageError
from asof.learn.loss_table import ExpressionLosses
from asof.models.hashed import HashedNgrams
from asof.recipes import named
from asof.time.moment import read
from asof.tuning.fields import chosen
from asof.tuning.from_feedback import from_feedback
from asof.tuning.tune import TuningOptions, tune

from .conftest import STREETS, lamps

WEIGHTS = tuple(f"combine.weights.{name}" for name in ("similarity", "freshness", "coverage", "volume"))


@pytest.fixture
def corpus(memory_folder: Path) -> Iterator[Corpus]:
    documents, _, _ = lamps()
    with asof.open(
        memory_folder, settings=asof.CorpusSettings(undated="always", encoder=HashedNgrams().name)
    ) as corpus:
        corpus.session.clock = itertools.count(read("2024-02-01").first, 1_000_000).__next__
        corpus.maintenance.background = False
        corpus.add(
            Document(
                each["id"], each["text"],
                published=SourcedTime(read(each["timestamp"]), each["timestamp"], "metadata"),
            )
            for each in documents
        )  # fmt: skip
        yield corpus


def say(corpus: Corpus, count: int = 24, recipe: str = "papers", clicks: bool = False) -> None:
    """Ask about so many streets; the report answers, the note does not."""
    for at, street in enumerate(STREETS[:count]):
        results = corpus.at("2024-01-31").search(f"{street}lamp {street}wick {street}oil", 6, recipe=recipe)
        query = corpus.record(results)
        shown = [hit.document for hit in results.hits]
        if clicks:
            corpus.click(query, f"old-{at}")
            continue
        corpus.grade(query, f"old-{at}", 3)
        if f"new-{at}" in shown:
            corpus.grade(query, f"new-{at}", 0)


def test_weights_are_learned_from_what_was_shown_without_a_search(corpus: Corpus, monkeypatch) -> None:
    say(corpus)
    recipe, box = chosen(named("papers"), (*WEIGHTS, "freshness.rate"))
    monkeypatch.setattr(Session, "use", None)  # nothing may be asked of the corpus
    material = from_feedback(corpus, recipe, box, 10)
    assert isinstance(material.table, ExpressionLosses)
    # both were judged, the note stood first: DCG 7 / log2(3) of 7
    start = np.array([[0.4, 0.25, 0.25, 0.1, 0.05]])
    assert material.table.losses(start)[0].max() == pytest.approx(1 - 1 / np.log2(3))
    found = tune(material, TuningOptions(folds=3, by="coordinates", evaluations=60))
    assert found.gain
    assert found.measured.startswith("by ordering the shown hits anew")
    assert found.values["combine.weights.freshness"] < 0.25


def test_another_threshold_needs_the_question_again(corpus: Corpus) -> None:
    say(corpus)
    recipe, box = chosen(named("papers"))
    material = from_feedback(corpus, recipe, box, 10)
    assert material.measured.startswith("by searches as of when each was asked")
    # what is added later is not seen: the questions were asked before
    corpus.add(
        [
            Document(
                "late",
                "Alderlamp Alderwick Alderoil",
                published=SourcedTime(read("2024-01-31"), "", "metadata"),
            )
        ]
    )
    again = from_feedback(corpus, recipe, box, 10)
    start = np.array([[0.4, 0.25, 0.25, 0.1, 0.5, 0.05]])
    assert (again.table.losses(start) == material.table.losses(start)).all()
    every = np.arange(material.n)
    assert again.measure(recipe, every, lambda: None).tolist() == pytest.approx(
        (1 - material.table.losses(start)[0]).tolist(), abs=1e-12
    )


def test_clicks_are_learned_from_and_what_was_not_clicked_counts_less(corpus: Corpus) -> None:
    say(corpus, clicks=True)
    recipe, box = chosen(named("papers"), WEIGHTS)
    material = from_feedback(corpus, recipe, box, 10)
    assert isinstance(material.table, ExpressionLosses)
    assert material.n == 24
    assert tune(material, TuningOptions(folds=3, by="coordinates", evaluations=40)).questions == 24


@pytest.mark.slow
def test_documents_as_units_are_asked_as_such(corpus: Corpus) -> None:
    for at, street in enumerate(STREETS):
        results = corpus.at("2024-01-31").search(
            f"{street}lamp {street}wick {street}oil", 6, unit="document", recipe="asof"
        )
        query = corpus.record(results)
        corpus.grade(query, f"old-{at}", 3)
        other = next(hit.document for hit in results.hits if hit.document != f"old-{at}")
        corpus.grade(query, other, 0)
    recipe, box = chosen(named("asof"), ["combine.weights.query_coverage=0..1.5"])
    material = from_feedback(corpus, recipe, box, 5, limit=20)
    assert material.n == 20
    found = material.table.losses(np.array([[0.5]]))[0]
    assert found.tolist() == pytest.approx(
        (1 - material.measure(recipe, np.arange(20), lambda: None)).tolist(), abs=1e-12
    )


def test_too_few_and_those_that_tell_nothing_are_refused(corpus: Corpus) -> None:
    say(corpus, 19)
    recipe, box = chosen(named("papers"), WEIGHTS)
    with pytest.raises(
        UsageError, match="19 judged questions of recipe papers have hits with different grades"
    ):
        from_feedback(corpus, recipe, box, 10)
    with pytest.raises(UsageError, match="0 judged questions of recipe asof"):
        from_feedback(corpus, named("asof"), box, 10)
