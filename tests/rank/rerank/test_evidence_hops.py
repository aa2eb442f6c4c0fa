"""Hops over evidence: what the best hits are corroborated by, as it stood, and what that leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof import engine
from asof.corpus.corpus import Corpus
from asof.extensions.systems.budget import EvidenceHops
from asof.extensions.systems.evidence import evidence
from asof.extensions.systems.overlap import EDGE_SCALE
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe
from asof.recipes import by_document, named
from asof.values import Filters, Query, Why

Make = Callable[..., Any]

HIT = "the keeper left the lighthouse on monday morning"
CLOSE = "left the lighthouse on monday morning and took the boat to skerry"
NEXT = "took the boat to skerry where a cousin has a farm"
FAR = "where a cousin has a farm with forty sheep and no dog"
ALONE = "goats ate all the kale again"
TEXTS = {"hit": HIT, "close": CLOSE, "next": NEXT, "far": FAR, "alone": ALONE}
"""A chain: each shares a phrase with the next, and only the first has a word of the question."""


def jaccard(one: str, other: str) -> float:
    """Of runs of three words, in whole billionths, as edges have it."""
    first, second = (
        set(zip(words, words[1:], words[2:], strict=False)) for words in (one.split(), other.split())
    )
    return round(EDGE_SCALE * len(first & second) / len(first | second))


@pytest.fixture(scope="module")
def chain(fresh: Make, document: Make) -> Iterator[Corpus]:
    years = dict(zip(TEXTS, ("2001", "2002", "2003", "2004", "2005"), strict=True))
    with fresh(*(document(name, text, years[name]) for name, text in TEXTS.items())) as corpus:
        yield corpus


def scores(run: Make, corpus: Corpus, stage: EvidenceHops, **more: Any) -> dict[str, float]:
    hits = run(corpus, "keeper", Lexical(), stage, TopK(), **more).hits
    return {hit.document: hit.score for hit in hits}


def test_one_hop_by_hand(run: Make, chain: Corpus) -> None:
    """Of the hit's only edge J is the largest, so its corroborator gets half of the score."""
    plain = scores(run, chain, EvidenceHops(hops=0))
    assert list(plain) == ["hit"]
    assert scores(run, chain, EvidenceHops()) == {"hit": plain["hit"], "close": plain["hit"] * 0.5}


def test_two_hops_by_hand(run: Make, chain: Corpus) -> None:
    """`close` has edges to `hit` and `next`; `next` gets of its half a half times J / the larger J."""
    hit = scores(run, chain, EvidenceHops(hops=0))["hit"]
    back, on = jaccard(CLOSE, HIT), jaccard(CLOSE, NEXT)
    found = scores(run, chain, EvidenceHops(hops=2))
    assert found == {"hit": hit, "close": hit * 0.5, "next": hit * 0.5 * 0.5 * (on / max(back, on))}
    assert list(scores(run, chain, EvidenceHops(hops=3))) == ["hit", "close", "next", "far"]
    assert "alone" not in scores(run, chain, EvidenceHops(hops=3)), "no edge leads there"


def test_why_names_the_passage_that_it_came_through(run: Make, chain: Corpus) -> None:
    hits = run(chain, "keeper", Lexical(), EvidenceHops(hops=2), TopK()).hits
    ids = {hit.document: hit.id for hit in hits}
    why = hits[2].why
    assert why.label == f"through {ids['close']}"
    share, overlap = why.parts[1:]
    assert (share.label, share.value) == ("share", 0.5)
    assert overlap.parts == (
        Why(f"overlap with it, in 1/{EDGE_SCALE:,}", jaccard(CLOSE, NEXT)),
        Why("largest", jaccard(CLOSE, HIT)),
    )  # fmt: skip
    assert why.parts[0].label == f"through {ids['hit']}"
    assert why.parts[0].parts[0] == hits[0].why


def test_what_is_later_is_not_reached(run: Make, chain: Corpus) -> None:
    """`close` was told in 2002, `next` in 2003."""
    assert list(scores(run, chain, EvidenceHops(hops=3), as_of="2001")) == ["hit"]
    assert list(scores(run, chain, EvidenceHops(hops=3), as_of="2002")) == ["hit", "close"]


def test_filters_and_phrases_hold(run: Make, chain: Corpus) -> None:
    """What they exclude is neither added nor walked through."""
    three = EvidenceHops(hops=3)
    assert list(scores(run, chain, three, path="[hn]*")) == ["hit"], "close lies between"
    assert list(scores(run, chain, three, path="[hc]*")) == ["hit", "close"]
    quoted = run(chain, 'keeper "monday morning"', Lexical(), three, TopK()).hits
    assert [hit.document for hit in quoted] == ["hit", "close"]


def test_a_window_of_time(run: Make, fresh: Make, document: Make) -> None:
    """Rows of a slice have other places than those of the view: `--until` leaves out what came later."""
    with fresh(
        document("old", "salt and rope", "1999"), document("hit", HIT, "2001"),
        document("close", CLOSE, "2002"), document("next", NEXT, "2003"),
    ) as corpus:  # fmt: skip
        view = corpus.at().view()
        until = int(view.column("visible", evidence(view).neighbours(1)[0])[0])
        found = scores(
            run, corpus, EvidenceHops(hops=3), since=int(view.column("visible", [1])[0]), until=until
        )
        assert list(found) == ["hit", "close"]


def test_a_candidate_rises_to_what_it_gets(run: Make, fresh: Make, document: Make) -> None:
    """A long text says the word in passing; what it gets through the hit is more than its own score."""
    weak = f"{CLOSE} {' '.join(f'goat {at} ate kale' for at in range(9))} keeper"
    with fresh(document("hit", HIT, "2001"), document("weak", weak, "2002")) as corpus:
        plain = scores(run, corpus, EvidenceHops(hops=0))
        assert plain["weak"] < plain["hit"] * 0.6
        found = scores(run, corpus, EvidenceHops(share=0.6))
        assert found == {"hit": plain["hit"], "weak": plain["hit"] * 0.6}
        assert scores(run, corpus, EvidenceHops(share=0.01))["weak"] == plain["weak"], "no score falls"


def test_the_most_that_is_added(run: Make, fresh: Make, document: Make) -> None:
    more = [document(f"close {at}", f"{CLOSE} number {at}", f"200{at}") for at in range(2, 7)]
    with fresh(document("hit", HIT, "2001"), *more) as corpus:
        assert len(scores(run, corpus, EvidenceHops())) == 6
        results = run(corpus, "keeper", Lexical(), EvidenceHops(most=2), TopK())
        assert len(results.hits) == 3
        assert results.notes[-1] == (
            "evidence: 2 passages were added that edges lead to from the first 1 hits, and 0 candidates rose"
        )


def test_off_and_nothing_found(run: Make, chain: Corpus) -> None:
    assert EvidenceHops(hops=0).off
    assert EvidenceHops(share=0.0).off
    assert run(chain, "penguin", Lexical(), EvidenceHops(), TopK()).hits == ()


def test_twe_hops(chain: Corpus) -> None:
    """The recipe is twe with one hop; twe itself has none, and documents as units are ranked as well."""
    changed = {
        key: value for key, value in named("twe-hops").fields() if dict(named("twe").fields())[key] != value
    }
    assert changed == {"evidence_hops.hops": 1}
    query = Query("keeper", "keeper", k=99, stop_words=True)
    view = chain.at("2004").view()
    for recipe in (named("twe-hops"), by_document(named("twe-hops"))):
        hits = engine.search(query, view, recipe).hits
        assert {hit.document for hit in hits} == {"hit", "close", "next", "far"}
        assert all(hit.why.value == hit.why.recomputed() == hit.score for hit in hits)


WORDS = ["keeper", "boat", "farm", "sheep", "goats", "kale", "rope", "salt"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=3, max_size=8).map(" ".join)
STATED = st.lists(st.tuples(SENTENCES, st.integers(1990, 1999)), min_size=1, max_size=9)


@given(STATED, st.integers(1, 3), st.integers(1, 4), st.integers(1, 5))
def test_none_falls_below_its_own(
    fresh: Make, document: Make, stated: list[tuple[str, int]], hops: int, best: int, most: int
) -> None:
    stages = (Lexical(), EvidenceHops(hops=hops, best=best, most=most), TopK())
    query = Query("keeper boat", "keeper boat", 0.0, Filters(), 99)
    documents = [document(f"d{at}", text, str(day)) for at, (text, day) in enumerate(stated)]

    def told(stages: tuple[Any, ...]) -> dict[str, float]:
        with fresh(*documents) as corpus:
            hits = engine.search(query, corpus.at().view(), Recipe("test", "", stages)).hits
            assert all(one.score >= other.score for one, other in pairwise(hits))
            return {hit.id: hit.score for hit in hits}

    own, after = told((stages[0], stages[2])), told(stages)
    assert own.keys() <= after.keys()
    assert all(after[id_] >= score for id_, score in own.items())
    assert len(after) - len(own) <= most
