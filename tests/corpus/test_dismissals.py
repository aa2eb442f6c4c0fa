"""Dismissing what is stale: by its id or the beginning of it, until either side changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.corpora import Clock, new_corpus

from asof.corpus.corpus import Corpus
from asof.data import Document
from asof.errors import UsageError

SAYS = "The new ferry will be released in March 2023."


@pytest.fixture
def corpus() -> Iterator[Corpus]:
    """A note that speaks of a time that has passed."""
    with new_corpus(clock=Clock.at("2025")) as made:
        made.add([Document("ferry", SAYS, published="2022-05-01")])
        yield made


def test_what_was_dismissed_is_left_out(corpus: Corpus) -> None:
    (one,) = corpus.at().stale()
    before = corpus.session.clock()
    assert corpus.dismiss(one.id) == one.id
    assert corpus.at().dismissed() == {one.id}
    assert corpus.at().stale() == ()
    assert [each.id for each in corpus.at().stale(dismissed=True)] == [one.id]
    assert [each.id for each in corpus.at().stale(dismissed=None)] == [one.id]
    assert [each.id for each in corpus.snapshot(before, before).stale()] == [one.id], "as it was known then"
    assert corpus.dismiss(one.id) == one.id, "twice is no error"
    assert corpus.dismiss(one.id[:4], dismissed=False) == one.id
    assert [each.id for each in corpus.at().stale()] == [one.id]


def test_an_edit_ends_it(corpus: Corpus) -> None:
    (one,) = corpus.at().stale()
    corpus.dismiss(one.id)
    corpus.add([Document("ferry", SAYS.replace("new", "large"), published="2022-06-01")])
    (other,) = corpus.at().stale()
    assert other.id != one.id


@pytest.mark.parametrize(
    ("given", "dismissed", "said"),
    [
        ("000000000000", True, "'000000000000' is the id of nothing that is stale now; accepted: {id} "),
        ("", True, "'' is the id of nothing"),
        ("{id:.3}", True, "is the id of nothing"),
        ("{id}", False, "'{id}' is not dismissed; accepted: none, there are no others"),
    ],
)
def test_another_id_is_refused(corpus: Corpus, given: str, dismissed: bool, said: str) -> None:
    (one,) = corpus.at().stale()
    with pytest.raises(UsageError, match=said.format(id=one.id)):
        corpus.dismiss(given.format(id=one.id), dismissed=dismissed)


def test_another_kind_is_refused(corpus: Corpus) -> None:
    with pytest.raises(UsageError, match="kind is 'tiem'; accepted: value, statement, quote, link, time"):
        corpus.at().stale(kinds="tiem")
    assert corpus.at().stale(kinds=["value", "link"]) == ()
    assert len(corpus.at().stale(kinds="time")) == 1
