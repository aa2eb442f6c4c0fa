"""Half-lives in every recipe that has an age: what they make of ages, which of several counts, asof.toml."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from asof import config, recipes
from asof.errors import BadConfig
from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.features.gap import Gap
from asof.rank.features.half_lives import counted, half_life_of, scales
from asof.rank.features.tiers import RecencyTiers

Make = Callable[..., Any]
TODAY = "2024-07-01"
ALL_NAMES = ("tagged", "a/b/deep.md", "a/near.md", "ab/other.md", "[a]/odd.md", "plain", "wired")


def scores(results: Any) -> dict[str, float]:
    assert all(hit.score == pytest.approx(hit.why.recomputed(), rel=1e-12) for hit in results.hits)
    return {hit.document: hit.score for hit in results.hits}


@pytest.fixture
def desk(fresh: Make, aged: Make, feed: Make) -> Any:
    """Notes of 30 days: of a tag, in folders, of another source, of nothing; and a name like a pattern."""
    with fresh(
        aged(30, id_="tagged", tags=("news",)), aged(30, id_="a/b/deep.md"), aged(30, id_="a/near.md"),
        aged(30, id_="ab/other.md"), aged(30, id_="[a]/odd.md"), aged(30, id_="plain"),
    ) as corpus:  # fmt: skip
        corpus.add(feed("wire", (aged(30, id_="wired", tags=("news",)),)))
        yield corpus


def by_document(corpus: Any, values: Callable[[Any, Any], Any]) -> dict[str, float]:
    view = corpus.at(TODAY).view()
    rows = np.arange(view.prefix.rows)
    return dict(zip([each.document for each in view.records(rows)], values(rows, view).tolist(), strict=True))


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ({"tag:news": 7}, {"tagged": 7, "wired": 7}),
        ({"source:wire": 3, "tag:news": 7}, {"tagged": 7, "wired": 3}),  # the first that fits
        ({"tag:news": 7, "source:wire": 3}, {"tagged": 7, "wired": 7}),
        ({"folder:a": 9}, {"a/b/deep.md": 9, "a/near.md": 9}),
        ({"folder:a/": 9}, {"a/b/deep.md": 9, "a/near.md": 9}),
        ({"folder:a/b": 2, "folder:a": 9}, {"a/b/deep.md": 2, "a/near.md": 9}),
        ({"folder:[a]": 9}, {"[a]/odd.md": 9}),  # a name, no pattern
        ({"folder:*": 9}, {}),
        (
            {"*": 100, "tag:news": 7},
            dict.fromkeys(ALL_NAMES, 100.0) | {"tagged": 7, "wired": 7},
        ),  # "*" is last
        ({"source:nobody": 1}, {}),
    ],
)
def test_which_counts(desk: Any, pairs: dict[str, float], expected: dict[str, float]) -> None:
    of = tuple((name, float(days)) for name, days in pairs.items())
    known = by_document(desk, lambda rows, view: half_life_of(rows, view, of))
    assert {name: days for name, days in known.items() if not math.isnan(days)} == expected
    everything = by_document(desk, lambda rows, view: half_life_of(rows, view, (*of, ("*", 100.0))))
    assert everything == {name: expected.get(name, 100.0) for name in known}


def test_scales_and_counted_ages(desk: Any) -> None:
    """tau = 7 / ln 2; of 30 days a kind with a half-life of 73 days makes 30 · 365 / 73 = 150."""
    taus = by_document(desk, lambda rows, view: scales(rows, view, 90.0, (("tag:news", 7.0),)))
    assert taus["plain"] == 90.0
    assert taus["tagged"] == 7 / math.log(2)
    days = by_document(
        desk, lambda rows, view: counted(np.full(len(rows), 30.0), rows, view, (("tag:news", 73.0),))
    )
    assert (days["plain"], days["tagged"]) == (30.0, 150.0)


def test_steps_of_age(desk: Any, run: Make) -> None:
    """30 days are recent, 1.10; 30 · 365 / 73 = 150 old, 1.00; 30 · 365 / 1095 = 10 fresh, 1.20."""
    stage = RecencyTiers(half_lives=(("tag:news", 73.0), ("folder:a", 1095.0)))
    before = scores(run(desk, "mill", Lexical(), TopK(), as_of=TODAY))
    after = scores(run(desk, "mill", Lexical(), stage, TopK(), as_of=TODAY))
    factors = {"tagged": 1.0, "wired": 1.0, "a/near.md": 1.2, "a/b/deep.md": 1.2}
    assert after == {name: score * factors.get(name, 1.1) for name, score in before.items()}


def test_closeness_in_time(fresh: Make, aged: Make, run: Make) -> None:
    """Of 10 and 20 days the first is nearer; where the second's kind ages at a quarter, 20 / 4 = 5 is. A
    third note of other words gives the relevance a deviation to scale by."""
    for pairs, first in ((), "10"), ((("tag:slow", 4 * 365.0),), "20"):
        with fresh(aged(10), aged(20, tags=("slow",)), aged(500, "A mill by a quay.")) as corpus:
            found = scores(
                run(corpus, "mill today", Lexical(), Gap(half_lives=pairs), TopK(), as_of=TODAY, recency=1.0)
            )
            assert next(iter(found)) == first


def test_the_newest_by_the_default_recipe(fresh: Make, aged: Make) -> None:
    """Of two notes with the same words the newer leads a question for the newest, until its kind ages by
    365 / 3.65 = 100 times: 10 days count as 1,000, more than 100."""
    with fresh(aged(10, "The mill is open.", tags=("news",)), aged(100, "The mill is open.")) as corpus:
        changed = recipes.named("asof").replaced({"time_preference.half_lives": {"tag:news": 3.65}})
        for recipe, first in ((recipes.named("asof"), "10"), (changed, "100")):
            found = scores(corpus.at(TODAY).search("the latest on the mill", recipe=recipe))
            assert next(iter(found)) == first


def read(text: str) -> config.Config:
    return config.read(config.parsed(text.encode(), "asof.toml"), "asof.toml")


def test_in_asof_toml_for_all_recipes() -> None:
    """A field of a recipe counts before the table for all."""
    text = '[half_lives]\n"tag:news" = 7\n"*" = 400.5\n[recipes.twe]\ndecay.half_lives = {"tag:news" = 3}\n'
    made = read(text)
    for name in recipes.NAMES:
        recipe = made.recipe_named(name)
        for field in recipe.takes_half_lives:
            expected = (("tag:news", 3.0),) if name == "twe" else (("tag:news", 7.0), ("*", 400.5))
            assert dict(recipe.fields())[field] == expected
    with_age = {name for name in recipes.NAMES if made.recipe_named(name).takes_half_lives}
    assert with_age == {"asof", "twe", "twe-365", "twe-hops", "vault", "tempralm", "papers"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[half_lives]\nnews = 7", "[half_lives] half-life 'news' = 7"),
        ('[half_lives]\n"tag:news" = 0', "days above 0, are expected"),
        ('[half_lives]\n"tag:news" = "a week"', "tag:news = 'a week': days above 0 are expected"),
        ('[half_lives]\n"tag:news" = true', "tag:news = True: days above 0 are expected"),
        ('[half_lives]\n"author:me" = 7', "source:NAME or tag:NAME or folder:PATH"),
        ('[recipes.twe]\ndecay.half_lives = {"news" = 7}', "half-life 'news' = 7"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadConfig) as refused:
        read(text)
    assert message in str(refused.value)
