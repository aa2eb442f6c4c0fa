"""Leaving passages unscored changes nothing that is shown: hits, scores, trees, what supersedes, notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.best_by_words import ALL, FEW
from tests.support.corpora import memory_folder
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
