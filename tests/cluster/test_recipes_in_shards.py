"""Recipes that read the rows of all shards, over one view of them, rank as in one corpus, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cluster.test_answers_in_shards import QUESTIONS
from tests.cluster.test_search_in_shards import SHARDS, property_of, search_of, shown
from tests.support.fact_histories import BY_RULES
from tests.support.histories import ANY_HEALTH, BROAD, Event, Histories, last_moment
from tests.support.histories_in_shards import layouts
from tests.support.shards import new_shards

import asof
from asof.cluster.exactness import inexact_apart, refuse_inexact
from asof.cluster.snapshot import snapshot_of
from asof.config import Config
from asof.data import Link
from asof.errors import NotAcrossShards
from asof.models.hashed import HashedNgrams
from asof.rank.candidates.by_document import ByDocument
from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.features.sub_questions import SubQuestions
from asof.rank.recipe import Recipe
from asof.store.settings import CorpusSettings

pytestmark = pytest.mark.slow

Make = Callable[..., Any]

BOOSTS = """
[retrieval]
heading_boost_enabled = true
tag_boost_enabled = true
"""
TOLD = Histories(encoder=HashedNgrams(), toml=BOOSTS)

BY_WORDS = Recipe("by-words", "", (SubQuestions("words"), TopK()))
SUMMED = Recipe("summed", "", (Lexical(), ByDocument(3), TopK()))

test_equal = property_of(BROAD, 12, 30, 8, ["vault", "papers", "qd-rag", BY_WORDS, SUMMED], TOLD)


@settings(max_examples=8, suppress_health_check=ANY_HEALTH)
@given(
    BROAD, st.sampled_from(SHARDS), st.integers(-1, 32), st.integers(0, 6), st.sampled_from(QUESTIONS)
)  # fmt: skip
def test_facts_are_related_as_in_one_corpus(
    history: list[Event], shards: tuple[int, int], as_of: int, back: int, question: str
) -> None:
    count, threads = shards
    with layouts(count, BY_RULES) as parts:
        for event in history:
            parts.play(event)
        moment = last_moment(parts.one, as_of, back)
        if moment is None:
            return
        sharded = snapshot_of(search_of(parts, threads), parts.shards[0].models, *moment, stated=True)
        one = parts.one.snapshot(*moment)
        assert shown(sharded, question, recipe="tgrag") == shown(one, question, recipe="tgrag")


def test_links_of_an_edit_that_changes_no_passage_are_seen_in_the_next_search(
    tmp_path: Path, document: Make
) -> None:
    """As one that adds a link to the frontmatter of a note does."""
    with (
        new_shards(tmp_path / "shards", 3, encoder=HashedNgrams()) as sharded,
        asof.open(
            tmp_path / "one", encoder=HashedNgrams(), settings=CorpusSettings(stem=False)
        ) as one,
    ):  # fmt: skip
        found = []
        for links in ((Link("d1"),), (Link("d2"), Link("d3")), ()):
            notes = [document(f"d{at}", f"the harbour bell {at}", "2001") for at in range(1, 4)]
            notes += [document(f"l{at}", f"a ferry {at}", "2001", links=links) for at in range(3)]
            for corpus in (sharded, one):
                corpus.add(notes)
            found.append([
                [(hit.id, hit.score) for hit in corpus.at().search("harbour bell", recipe="vault")]
                for corpus in (sharded, sharded, one)
            ])  # fmt: skip
        for first, again, alone in found:
            assert first == again == alone
        assert found[0] != found[1] != found[2] != found[0]


def test_over_actors_they_are_refused_with_the_reason() -> None:
    named = Config().recipe_named
    for name, stage in (("vault", "Backlinks"), ("papers", "Everything"), ("qd-rag", "SubQuestions")):
        recipe = named(name)
        assert inexact_apart(recipe, encoder=True) is not None
        refuse_inexact(recipe, True, together=True)
        with pytest.raises(NotAcrossShards, match=rf"its stage {stage} is not exact there \("):
            refuse_inexact(recipe, True, together=False)
        with pytest.raises(NotAcrossShards, match="encoder"):
            refuse_inexact(recipe, False, together=True)
    refuse_inexact(named("tgrag"), False, together=True)
    with pytest.raises(NotAcrossShards, match="without an encoder it is exact"):
        refuse_inexact(named("tgrag"), True, together=True)
    refuse_inexact(BY_WORDS, False, together=True)
    assert inexact_apart(SUMMED, encoder=False) == ByDocument(3)
