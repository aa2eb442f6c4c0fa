"""`asof`, the default, on the island's notes, by hand: words, feedback, recency."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from asof.models.hashed import HashedNgrams
from asof.rank.cut import Cut
from asof.rank.gather import Dense
from asof.text.tokens import Analyzer

Ask = Callable[..., dict[str, float]]
QUESTIONS = {"ferry mainland": False, "latest ferry mainland": True, "rye": False, "now the mill": True}
"""Questions, and whether they wish for the newest; "the" is a stop word, "latest" and "now" are wishes."""


def content(question: str) -> str:
    return " ".join(word for word in question.split() if word not in ("the", "latest", "now"))


def feedback(by_hand: Any, relevance: dict[str, float], most: int = 20) -> dict[str, float]:
    """Words of what matches (at most ten notes) by share times idf, searched with these weights."""
    stop = Analyzer(stem=False).stop_words
    texts = {id_: by_hand.words(text) for id_, text in by_hand.texts.items()}
    n, average = len(texts), sum(map(len, texts.values())) / len(texts)
    df = {word: sum(word in text for text in texts.values()) for text in texts.values() for word in text}
    idf = {word: math.log((n - count + 0.5) / (count + 0.5) + 1) for word, count in df.items()}
    read = [id_ for id_, score in relevance.items() if score > 0]
    shares: dict[str, float] = {}
    for id_ in read:
        for word in texts[id_]:
            if word not in stop:
                shares[word] = shares.get(word, 0.0) + 1 / len(texts[id_])
    considered = sorted(shares, key=lambda word: (-shares[word], word))[: 2 * most]
    weights = {word: shares[word] * idf[word] for word in considered}
    chosen = sorted(weights, key=lambda word: (-weights[word], word))[:most]
    largest = weights[chosen[0]] if chosen else 1.0
    found = {
        id_: sum(
            weights[word] / largest * idf[word] * 2.5 * text.count(word)
            / (text.count(word) + 1.5 * (0.25 + 0.75 * len(text) / average))
            for word in chosen
        )
        for id_, text in texts.items()
    }  # fmt: skip
    best = max((found[id_] for id_ in read), default=1.0)
    return {id_: 0.1 * min(score / best, 1.0) for id_, score in found.items()}


def recency(by_hand: Any, id_: str) -> float:
    """1 + (1/2 - ln(1 + age) / ln(10 001)); both days are taken at their last instant."""
    age = by_hand.age(id_)
    return 1.0 if age is None else 1 + (0.5 - math.log(1 + age) / math.log(10_001))


@pytest.mark.parametrize(("question", "wishes"), QUESTIONS.items())
def test_the_scores_of_all_notes(notes: Any, ask: Ask, by_hand: Any, question: str, *, wishes: bool) -> None:
    relevance = by_hand.shares(content(question))
    added = feedback(by_hand, relevance)
    expected = {
        id_: (relevance[id_] + added[id_]) * (recency(by_hand, id_) if wishes else 1.0)
        for id_ in by_hand.said
        if relevance[id_] + added[id_] > 0
    }
    found = ask(notes, question, "asof")
    assert found == pytest.approx(expected, rel=0, abs=1e-9)
    assert list(found) == sorted(expected, key=lambda id_: -expected[id_])


def test_with_an_encoder(island: Any, ask: Ask, column: Any, by_hand: Any) -> None:
    """Half the cosine is added to the words, before feedback; the cosine is taken as given."""
    with island(encoder=HashedNgrams(d=64)) as corpus:
        dense = column(corpus, "ferry mainland", Dense(), Cut())
        recipe = corpus.config.recipe_named("asof").replaced({"feedback.weight": 0.0})
        share = by_hand.shares("ferry mainland")
        expected = {id_: share[id_] + 0.5 * dense.get(id_, 0.0) for id_ in by_hand.said}
        assert ask(corpus, "ferry mainland", recipe) == pytest.approx(
            {id_: score for id_, score in expected.items() if score > 0}, rel=0, abs=1e-9
        )
