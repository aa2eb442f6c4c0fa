"""Decay with age: the worked numbers of TWE-RAG, its two settings of tau_min."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.systems.stages import RECENT, Decay, recency_need
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe
from asof.time.intent import intent

Make = Callable[..., Any]

LATEST = "latest mill"
AGES = (0, 1, 30, 90, 180, 365, 538, 730, 1095)

NEWEST = (2.5, 2.47237597323, 1.79132827643, 0.919698602929, 0.338338208092, 0.0433146300897,
          0.00633613038714, 0.000750462871923, 1.30024086773e-05)  # fmt: skip
GENERAL = (0.75, 0.74860724274, 0.709323092728, 0.634468068971, 0.536732974058, 0.380556458029,
           0.275909580879, 0.193097623663, 0.0979793969536)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "r", "printed"),
    [
        ("the latest price", 1.0, NEWEST),
        ("What is new at the mill?", 1.0, NEWEST),
        ("who is the miller", 0.3, GENERAL),
        ("mill", 0.3, GENERAL),
    ],
)
def test_a_table_of_ages(
    fresh: Make, aged: Make, measured: Make, question: str, r: float, printed: tuple[float, ...]
) -> None:
    delta, tau = 2.5 * r, 730 - (730 - 90) * r
    assert Decay().adapted(r) == pytest.approx((delta, tau))
    with fresh(*(aged(days) for days in AGES)) as corpus:
        found = measured(corpus, Decay(), question=question)
        assert found == pytest.approx({str(days): delta * math.exp(-days / tau) for days in AGES}, rel=1e-14)
        assert [found[str(days)] for days in AGES] == pytest.approx(list(printed), rel=1e-9)


def test_a_general_question_has_538_days_not_two_years() -> None:
    assert Decay().adapted(0.0) == (0.75, 538.0)
    assert Decay().adapted(0.3) == (0.75, 538.0)
    assert Decay().adapted(0.65) == pytest.approx((2.5 * 0.65, 730 - 640 * 0.65))


def test_the_tau_that_is_recommended_elsewhere(fresh: Make, aged: Make, measured: Make) -> None:
    stage = Decay(tau_min=365.0)
    assert stage.adapted(1.0) == (2.5, 365.0)
    assert stage.adapted(0.0) == (0.75, 730 - (730 - 365) * 0.3)
    with fresh(aged(90), aged(365)) as corpus:
        assert measured(corpus, stage, question=LATEST) == pytest.approx(
            {"90": 2.5 * math.exp(-90 / 365), "365": 2.5 * math.exp(-1)}
        )
        assert measured(corpus, stage)["365"] == pytest.approx(0.75 * math.exp(-365 / 620.5))


def test_nothing_is_younger_than_the_question(fresh: Make, aged: Make, measured: Make) -> None:
    """The formula gives more than delta for a date after the question; that is not in the view."""
    with fresh(aged(0), aged(-10)) as corpus:
        assert measured(corpus, Decay(), question=LATEST) == {"0": 2.5}


def test_undated_gets_no_credit(fresh: Make, aged: Make, measured: Make) -> None:
    with fresh(aged(0), aged(None), undated="always") as corpus:
        assert measured(corpus, Decay(), question=LATEST) == {"0": 2.5, "undated": 0.0}
    with fresh(aged(0), aged(None)) as corpus:  # seen from 2025 on, when it was added
        later = measured(corpus, Decay(), question=LATEST, as_of="2025-01-02")
        assert later["undated"] == 0.0 < later["0"]


def test_filters_and_nothing(fresh: Make, aged: Make, measured: Make, run: Make) -> None:
    with fresh(*(aged(days) for days in AGES)) as corpus:
        whole = measured(corpus, Decay())
        since = corpus.at("2024-01-01").as_of
        assert measured(corpus, Decay(), since=since) == {
            name: value for name, value in whole.items() if int(name) < 183
        }
        assert measured(corpus, Decay(), as_of="2000") == {}
        assert run(corpus, "mill", Lexical(), Decay(), TopK()).hits != ()
    with fresh() as corpus:
        assert measured(corpus, Decay()) == {}


@pytest.mark.parametrize(
    "question", ["LATEST mill", "now?", "this year", "as  of", "the news", "snow", "renew"]
)
def test_words_that_wish_for_the_newest(fresh: Make, aged: Make, measured: Make, question: str) -> None:
    """Whole words, in any case."""
    newest = question in ("LATEST mill", "now?", "this year")
    with fresh(aged(0)) as corpus:
        assert measured(corpus, Decay(), question=question) == {"0": 2.5 * (1.0 if newest else 0.3)}
        assert measured(corpus, Decay(recent=("snow", "c++")), question=question) == {
            "0": 2.5 * (1.0 if question == "snow" else 0.3)
        }
        assert measured(corpus, Decay(recent=()), question=question) == {"0": 2.5 * 0.3}


def test_words_can_be_set() -> None:
    recipe = Recipe("test", "", (Decay(),))
    assert recipe.replaced({"decay.recent": ["neu", "heute"]}).stages == (Decay(recent=("neu", "heute")),)
    for value in ([1] * 13, "neu", ["neu", ""], {"neu": 1}):
        with pytest.raises(UsageError, match="a list of texts is expected"):
            recipe.replaced({"decay.recent": value})


def test_it_does_not_rank_by_itself(fresh: Make, aged: Make, run: Make) -> None:
    with fresh(aged(1), aged(2, "mill mill")) as corpus:
        plain, with_decay = (run(corpus, "mill", Lexical(), *more, TopK()) for more in ((), (Decay(),)))
        assert [(h.id, h.score) for h in plain.hits] == [(h.id, h.score) for h in with_decay.hits]


# -- recency on a continuous scale -----------------------------------------------------------------------

CONTINUOUS = Decay(need="continuous")
ORDERED = ["rules of chess", "who won the cup", "who is the keeper", "who is the keeper now"]
"""Questions whose answers have to be ever newer."""


def test_the_need_of_a_question_is_continuous() -> None:
    """Between .3 and 1: a rule of chess needs least, a keeper's name more, "now" all of it."""
    needs = [CONTINUOUS.recency(question) for question in ORDERED]
    assert needs == sorted(needs)
    assert len(set(needs)) == len(needs)
    assert needs[0] == 0.3
    assert needs[-1] == 1.0
    assert [Decay().recency(question) for question in ORDERED] == [0.3, 0.3, 0.3, 1.0], "as published"


def test_the_need_by_hand() -> None:
    """r = .3 + .7 · (1 - (1 - recency) (1 - volatility)), with the two of `asof when`."""
    read = intent("what is the price of copper", language="en")
    assert (read.recency, read.direction) == (0.5, "recent")
    need = 1 - (1 - 0.5) * (1 - read.volatility)
    assert recency_need("what is the price of copper") == pytest.approx(need)
    assert CONTINUOUS.recency("what is the price of copper") == pytest.approx(0.3 + 0.7 * need)
    past = intent("who was the keeper in 1990", language="en")
    assert past.direction == "past"
    assert recency_need("who was the keeper in 1990") == past.recency == 0.0, "nothing new is asked for"


def test_a_wish_in_another_language_counts() -> None:
    """The published words are English; the words of all languages are known here."""
    assert Decay().recency("aktueller Preis") == 0.3
    assert CONTINUOUS.recency("aktueller Preis") == 1.0


@given(st.text(max_size=60), st.floats(0, 1))
def test_the_continuous_need_is_never_below_the_published(question: str, general: float) -> None:
    published = Decay(general=general).recency(question)
    continuous = Decay(general=general, need="continuous").recency(question)
    assert general * (1 - 1e-12) <= published <= continuous * (1 + 1e-12)
    assert continuous <= 1.0


@pytest.mark.parametrize("word", RECENT)
def test_the_published_words_are_all_of_it(word: str) -> None:
    assert Decay().recency(f"{word} tide") == CONTINUOUS.recency(f"{word} tide") == 1.0


def test_the_parameters_are_told(fresh: Make, aged: Make, run: Make) -> None:
    """delta = 2.5 · .3, tau = 730 - 640 · .3."""
    with fresh(aged(1)) as corpus:
        assert (
            "decay: r = 0.3, delta = 0.75, tau = 538 days"
            in run(corpus, "mill", Lexical(), Decay(), TopK()).notes
        )


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 1e5), st.floats(0.1, 1e5))
def test_tau_lies_between(recency: float, general: float, low: float, high: float) -> None:
    delta, tau = Decay(tau_min=min(low, high), tau_max=max(low, high), general=general).adapted(recency)
    assert 0 <= delta <= 2.5
    assert min(low, high) * (1 - 1e-9) <= tau <= max(low, high) * (1 + 1e-9)


def test_off(fresh: Make, aged: Make, measured: Make) -> None:
    with fresh(aged(1), aged(2)) as corpus:
        assert measured(corpus, Decay(delta=0.0), question=LATEST) == {"1": 0.0, "2": 0.0}
