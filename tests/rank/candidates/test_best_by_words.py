"""Leaving passages unscored changes nothing that is shown: hits, scores, trees, what supersedes, notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.best_by_words import ALL, FEW
from tests.support.corpora import Clock, memory_folder, new_corpus
from tests.support.histories import ANY_HEALTH, BROAD, HISTORIES, WORDS, Event, last_moment
from tests.test_guarantee import ASKED

from asof.corpus.snapshot import Snapshot

pytestmark = pytest.mark.slow


def shown(snapshot: Snapshot, question: str, **options: Any) -> list[Any]:
    results = snapshot.search(question, **options)
    hits = [(hit.id, hit.score, hit.superseded, hit.why.as_json()) for hit in results.hits]
    return [*hits, results.notes]


@settings(max_examples=150, suppress_health_check=ANY_HEALTH)
@given(
    BROAD,
    st.integers(-1, 32),
    st.integers(0, 6),
    st.lists(st.integers(0, 11), min_size=1, max_size=4),
    st.sampled_from([*ASKED, '"{}"', "xfery {}"]),
    st.integers(1, 4),
)
def test_few_scores_are_as_good_as_all(
    history: Sequence[Event], as_of: int, back: int, words: Sequence[int], asked: str, k: int
) -> None:
    question = asked.format(" ".join(WORDS[word] for word in words))
    with memory_folder() as folder, HISTORIES.new_corpus(folder / "all") as corpus:
        HISTORIES.play(corpus, history)
        at_moment = last_moment(corpus, as_of, back)
        if at_moment is None:
            return
        here = corpus.snapshot(*at_moment)
        for options in ({"k": k}, {"unit": "document"}, {"since": "1970-01-03", "k": k}):
            few = shown(here, question, recipe=FEW, **options)
            assert few == shown(here, question, recipe=ALL, **options)


def test_documents_as_units_are_all_scored(document: Any) -> None:
    """One document has twelve of the best passages; six others are to be found all the same."""
    strong = "\n\n".join(f"# H{at}\n\n{'mill ferry mill ferry s. ' * 60}" for at in range(12))
    weak = [f"mill {' '.join(f'x{at}y{word}' for word in range(60))}" for at in range(6)]
    others = [f"gamma delta {at}" for at in range(30)]
    made = [document(f"d{at}", text) for at, text in enumerate([strong, *weak, *others])]
    with new_corpus(made, clock=Clock.at("2020-01-01")) as corpus:
        few, every = (
            shown(corpus.at(), "mill ferry", recipe=recipe, unit="document", k=5) for recipe in (FEW, ALL)
        )
        assert few == every
        assert any("of 7 documents" in note for note in few[-1])


def test_what_is_not_visible_is_not_counted_among_what_a_time_needs(document: Any) -> None:
    """60 documents of the time in the question are learned later: notes as known before do not change."""
    near = [document(f"a{at}", "mill ferry", "2019-01-01") for at in range(150)]
    far = [document(f"c{at}", f"mill {'rope ' * 400}", "2019-02-01") for at in range(100)]
    clock = Clock.at("2020-01-01")
    with new_corpus([*near, *far], clock=clock) as corpus:
        known = clock.now
        before = shown(corpus.snapshot(known, known), "mill ferry 2015", k=150)
        clock.to("2021-01-01")
        corpus.add([document(f"l{at}", "fog", "2015-05-01") for at in range(60)])
        assert shown(corpus.snapshot(known, known), "mill ferry 2015", k=150) == before
