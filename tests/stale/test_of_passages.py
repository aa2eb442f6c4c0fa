"""What is told of hits: what in them a newer document contradicts, where that was asked for."""

from __future__ import annotations

import pytest
from tests.support.answers import corpus_with, doc
from tests.support.histories import hits_in_full
from tests.support.pier_hours import BEFORE, EDITED, NEW, OLD, edit

import asof
from asof.stale import of_passages

QUESTION = "when is the pier open"


@pytest.fixture
def pier(tmp_path):
    with corpus_with(tmp_path, *BEFORE) as corpus:
        corpus.add([edit()])
        yield corpus


def stale_by_document(hits):
    return {hit.document: hit.stale for hit in hits}


def test_a_hit_has_its_stale_sentence_with_the_newer_one_and_its_date(pier):
    found = stale_by_document(pier.search(QUESTION, stale=True))
    assert found.pop("pier.md") is None
    stale = found["guide.md"]
    assert (stale.kind, stale.quote.text, stale.by.document, stale.by.text) == ("value", OLD, "pier.md", NEW)
    assert stale.by.published.text == EDITED
    assert stale.change == "17:00 -> 19:00"
    assert stale.why.recomputed() == stale.why.value == stale.score


def test_it_is_the_best_of_those_that_are_listed(pier):
    listed = {each.id: each for each in pier.at().stale(kinds=["value", "statement", "quote"])}
    stale = stale_by_document(pier.search(QUESTION, stale=True))["guide.md"]
    of_hit = [each for each in listed.values() if each.quote.passage == stale.quote.passage]
    assert stale.score == max(each.score for each in of_hit)
    assert listed[stale.id].by.text == stale.by.text


def test_nothing_is_told_unasked(pier):
    for options in ({}, {"stale": False}, {"stale": None}):
        assert set(stale_by_document(pier.search(QUESTION, **options)).values()) == {None}


def test_order_scores_and_reasons_are_the_same(pier):
    plain = [(hit.id, hit.score, hit.why.as_json()) for hit in pier.search(QUESTION)]
    assert [(hit.id, hit.score, hit.why.as_json()) for hit in pier.search(QUESTION, stale=True)] == plain


def test_the_configuration_switches_it_on(tmp_path):
    with corpus_with(tmp_path, *BEFORE, toml="[search]\nstale = true\n") as corpus:
        corpus.add([edit()])
        assert stale_by_document(corpus.search(QUESTION))["guide.md"]
        assert stale_by_document(corpus.search(QUESTION, stale=False))["guide.md"] is None
        assert corpus.at().context(QUESTION).citations
        assert corpus.at().diff(QUESTION, corpus.at("2022"))


def test_what_is_dismissed_is_left_out_and_known_at_is_asked(pier):
    stale = stale_by_document(pier.search(QUESTION, stale=True))["guide.md"]
    before = pier.session.clock.now
    pier.dismiss(stale.id)
    assert stale_by_document(pier.search(QUESTION, stale=True))["guide.md"] is None
    then = pier.snapshot(pier.at().as_of, before)
    assert stale_by_document(then.search(QUESTION, stale=True))["guide.md"] == stale


def test_what_is_hardly_stale_is_listed_only(pier, monkeypatch):
    monkeypatch.setattr(of_passages, "LEAST", 1.1)
    assert set(stale_by_document(pier.search(QUESTION, stale=True)).values()) == {None}


def test_the_same_whatever_was_asked_before(pier, tmp_path):
    first = hits_in_full(pier.at(), QUESTION, stale=True)
    pier.at("2022").search(QUESTION, stale=True)
    assert hits_in_full(pier.at(), QUESTION, stale=True) == first
    with asof.open(pier.session.root) as again:
        again.at().stale()
        assert hits_in_full(again.snapshot(pier.at().as_of, None), QUESTION, stale=True) == first


@pytest.mark.parametrize(("as_of", "is_stale"), [("2022", False), (EDITED, True), ("2024-05", True)])
def test_as_of_a_date_it_is_that_of_a_corpus_that_ends_there(tmp_path, as_of, is_stale):
    """Later the guide is put right, and a third note repeats the old hours."""
    later = [
        doc("guide.md", "2024-08-01", f"A day at the shore. {NEW} Bring a hat.", "Guide"),
        doc("shops.md", "2024-09-01", f"The shops are red. {OLD} They sell rope.", "Shops"),
    ]
    folders = [tmp_path / name for name in ("whole", "cut")]
    for folder in folders:
        folder.mkdir()
    with corpus_with(folders[0], *BEFORE) as whole, corpus_with(folders[1], *BEFORE) as cut:
        whole.add([edit()])
        whole.add(later)
        cut.add([edit()] if is_stale else [])
        then = whole.at(as_of)
        found = hits_in_full(then, QUESTION, stale=True)
        assert found == hits_in_full(cut.snapshot(then.as_of, None), QUESTION, stale=True)
        assert any(each[-1] for each in found) == is_stale
