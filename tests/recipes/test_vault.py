"""`vault` on the island's notes, by hand; its keys; and everything switched off."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from asof.errors import UsageError
from asof.extensions.lab.published import weighted
from asof.extensions.systems.stages import ReciprocalRank, Similarity
from asof.extensions.systems.vault import KEYS, VAULT, vault
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe

Ask = Callable[..., dict[str, float]]
close = partial(pytest.approx, rel=0, abs=1e-12)
QUESTIONS = ["ferry to the mainland", "latest ferry", "who is the keeper of the mill", "oats", "penguin"]
OFF = {"backlink_boost_weight": 0.0, "recency_boost_enabled": False}


def boosted(
    by_hand: Any, fused: dict[str, float], weight: float = 0.1, cap: int = 10, bounds: Any = (14, 60, 180)
) -> dict[str, float]:
    links = by_hand.backlinks()
    return {
        id_: score * (1 + weight * min(links[id_], cap)) * by_hand.tier(id_, bounds)
        for id_, score in fused.items()
    }


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_scores_of_all_notes(notes: Any, ask: Ask, column: Any, there: Any, question: str) -> None:
    similarity = column(notes, question, Similarity("cosine"), TopK(), as_of=there.today)
    expected = boosted(there, there.rrf(there.bm25(question), similarity))
    found = ask(notes, question, "vault", as_of=there.today)
    assert found == close(expected)
    assert list(found) == there.order(expected)


@pytest.mark.parametrize("question", QUESTIONS)
def test_everything_off_is_plain_fusion(notes: Any, question: str) -> None:
    """Bit for bit: ids, scores, trees."""
    fused = ReciprocalRank((("lexical", 1.0), ("similarity", 1.0)), 60, 40)
    plain = Recipe("plain", "", (Lexical(), Similarity("cosine"), fused, TopK()), typed=True)
    one, other = (notes.at("2024-07-01").search(question, recipe=each) for each in (plain, vault(**OFF)))
    assert one.hits == other.hits
    assert one.notes == other.notes


# -- its keys ----------------------------------------------------------------------------------------


def test_the_keys_of_the_recipe() -> None:
    assert vault() == VAULT == vault(**{key: default for key, (default, _) in KEYS.items()})


def test_what_the_keys_change(notes: Any, ask: Ask, column: Any, by_hand: Any) -> None:
    question = "ferry to the mainland and the mill"
    similarity = column(notes, question, Similarity("cosine"), TopK())
    words, share = by_hand.bm25(question), by_hand.shares(question)
    found = ask(notes, question, vault(rrf_k=1, backlink_boost_weight=0.5, backlink_boost_cap=1))
    assert found == close(boosted(by_hand, by_hand.rrf(words, similarity, k=1), 0.5, 1))
    found = ask(notes, question, vault(recency_fresh_days=3, recency_recent_days=30, recency_old_days=100))
    assert found == close(boosted(by_hand, by_hand.rrf(words, similarity), bounds=(3, 30, 100)))
    found = ask(notes, question, weighted(vault(**OFF)))
    expected = {id_: 1.0 * similarity.get(id_, 0.0) + 0.5 * share[id_] for id_ in by_hand.said}
    assert found == close({id_: score for id_, score in expected.items() if score > 0})


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"rrf_k": 0}, "rrf_k = 0: a whole number from 1 to 1000 is expected"),
        ({"backlink_boost_weight": float("nan")}, "backlink_boost_weight = nan: a number from 0 to 1"),
        ({"recency_boost_enabled": 1}, "recency_boost_enabled = 1: true or false is expected"),
        ({"recency_fresh_days": 60}, "fresh_days < recency_recent_days < recency_old_days is expected"),
        ({"recency_old_days": 30}, "given: 14, 60, 30"),
        ({"rrf_kk": 60}, "no key rrf_kk; did you mean rrf_k?"),
        ({"zzz": 60}, "no key zzz; accepted: rrf_k"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        vault(**keys)
    assert message in str(refused.value)
