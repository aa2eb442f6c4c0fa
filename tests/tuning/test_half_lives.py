"""Half-lives out of corpora: what ends a passage, kinds of known rates, and nothing from later."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import Clock, new_corpus

from asof.data import Document, Ended, SourcedTime
from asof.recipes import named
from asof.time.moment import read
from asof.tuning.half_lives import learned, with_learned
from asof.tuning.lifetimes import folders, lifetimes

KNOWN = {"news": 20.0, "prices": 90.0, "manuals": 900.0}
"""Half-lives of the kinds of a generated corpus, in days."""

START, END = date(2021, 1, 1), date(2024, 7, 1)


def version(name: str, day: date, text: str, *tags: str) -> Document:
    published = SourcedTime(read(day.isoformat()), day.isoformat(), "metadata")
    return Document(name, text, published=published, tags=tags)


def history(seed: int = 4) -> list[Document]:
    """Twenty documents of each kind, each of words of its own, written anew after exponential times."""
    draw = random.Random(seed)
    versions = []
    for kind, days in KNOWN.items():
        for at in range(20):
            words = " ".join("".join(draw.choices("bcdfglmnprst", k=6)) for _ in range(6))
            day, number = START + timedelta(draw.randrange(200)), 0
            while day < END:
                versions.append(version(f"{kind}/{at}.md", day, f"{words} is {number}.", "note"))
                day, number = day + timedelta(max(1, round(draw.expovariate(math.log(2) / days)))), number + 1
    return sorted(versions, key=lambda each: each.published.text)  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def kept() -> Iterator[Any]:
    with new_corpus() as corpus:
        corpus.add(history())
        yield corpus


def test_known_rates_are_recovered(kept: Any) -> None:
    """20, 90 and 900 days lie in the intervals; half of each kind is current at its half-life."""
    found = kept.at("2024-07-01").use(learned)
    assert {each.name for each in found.kinds} == {"folder:news", "folder:manuals"}
    assert found.rest is not None
    by_kind = {"prices": found.rest} | {each.name[7:]: each.half_life for each in found.kinds}
    for kind, days in KNOWN.items():
        each = by_kind[kind]
        assert each.low < days < each.high
        assert each.current == pytest.approx(0.5, abs=0.1)
        assert each.high / each.low < 3
    assert sum(each.passages for each in by_kind.values()) == found.passages
    assert sum(each.ends for each in by_kind.values()) == found.ends
    assert dict(found.pairs(2.0)) == {
        name: float(f"{2 * days.days:.3g}")
        for name, days in (("folder:news", by_kind["news"]), ("folder:manuals", by_kind["manuals"]),
                           ("*", by_kind["prices"]))
    }  # fmt: skip


def test_the_stages_that_get_them(kept: Any) -> None:
    """One for each recipe that has an age; all others but the kinds have theirs, too."""
    found = kept.at("2024-07-01").use(learned)
    assert found.pairs()[-1][0] == "*"
    for name, field in (
        ("twe", "decay.half_lives"), ("papers", "freshness.half_lives"), ("tempralm", "gap.half_lives"),
        ("asof", "time_preference.half_lives"), ("vault", "recency_tiers.half_lives"),
    ):  # fmt: skip
        recipe = named(name)
        assert recipe.takes_half_lives == (field,)
        assert dict(with_learned(recipe, found).fields())[field] == found.pairs()
    assert named("tgrag").takes_half_lives == ()


def test_what_ends_a_passage() -> None:
    """On 11 January `changed` says something else (10 days). `gone` is moved on the 21st: it was followed
    for 20 days, without an end, and for 10 where it is now. `stays` and the new version
    are followed until the last change, the 31st."""
    with new_corpus(clock=Clock.at("2025-01-01")) as corpus:
        day = date(2024, 1, 1)
        corpus.add([
            version("a/changed.md", day, "The quay is open.", "quay"),
            version("gone.md", day, "A gull cries."),
            version("a/b/stays.md", day, "Nets dry on poles.", "net"),
        ])  # fmt: skip
        corpus.add([version("a/changed.md", day + timedelta(10), "Rope costs nine.", "rope")])
        corpus.add([Ended("gone.md", SourcedTime(read("2024-01-21"), "2024-01-21", "git"))])
        corpus.add([version("moved/gone.md", day + timedelta(20), "A gull cries.")])
        corpus.add([version("last.md", day + timedelta(30), "Oats are sown.")])
        found = corpus.at("2024-06-01").use(lifetimes)
        own = {
            name: sorted(
                zip(found.lifetimes.days[of].tolist(), found.lifetimes.ended[of].tolist(), strict=True)
            )
            for name, of in found.kinds.items()
        }
        assert own == {
            "folder:a": [(10.0, True), (20.0, False), (30.0, False)], "folder:a/b": [(30.0, False)],
            "folder:moved": [(10.0, False)],
            "source:python": [
                (0.0, False), (10.0, False), (10.0, True), (20.0, False), (20.0, False), (30.0, False)],
            "tag:net": [(30.0, False)], "tag:quay": [(10.0, True)], "tag:rope": [(20.0, False)],
        }  # fmt: skip


def test_folders() -> None:
    assert folders("a/b/c.md") == ["a", "a/b"]
    assert folders("c.md") == folders("https://example.org/a/b") == []


def test_few_ends_tell_nothing() -> None:
    with new_corpus() as corpus:
        assert corpus.at("2024").use(learned).kinds == ()
        for at in range(7):
            corpus.add([version("a/x.md", START + timedelta(at), f"It is {at}.")])
            corpus.add([version(f"b/{at}.md", START, f"Word{at} stands.")])
        found = corpus.at("2024").use(learned)
        assert (found.kinds, found.ends) == ((), 6)


events = st.lists(
    st.tuples(
        st.sampled_from(["a/x.md", "a/y.md", "b/z.md"]), st.integers(0, 60), st.integers(0, 3),
        st.sampled_from(["quay", "net"]),
    ),
    min_size=1, max_size=12, unique_by=lambda each: each[:2],
)  # fmt: skip


@settings(max_examples=12, deadline=None)
@given(events, st.integers(0, 60), st.randoms(use_true_random=False))
def test_what_comes_later_changes_nothing(
    told: list[tuple[str, int, int, str]], upto: int, random: Any
) -> None:
    """As of a day: the lifetimes and half-lives of a corpus that ends there, told in whatever order."""
    as_of = (START + timedelta(upto)).isoformat()

    def found(told: list[tuple[str, int, int, str]]) -> Any:
        with new_corpus() as corpus:
            for name, day, number, tag in told:
                corpus.add([version(name, START + timedelta(day), f"{name} costs {4 * day + number}.", tag)])
            then = corpus.at(as_of)
            kinded = then.use(lifetimes)
            of = kinded.lifetimes
            lives = sorted(
                (float(days), bool(end), tuple(name for name in kinded.kinds if at in kinded.kinds[name]))
                for at, (days, end) in enumerate(zip(of.days, of.ended, strict=True))
            )
            return lives, then.use(learned)

    mixed = list(told)
    random.shuffle(mixed)
    assert found(mixed) == found([each for each in told if each[1] <= upto])


def test_what_was_learned_later_is_not_known() -> None:
    """A change of 2024-02 that was told on 2025-01-02 is not known on the day before."""
    clock = Clock.at("2025-01-01")
    with new_corpus(clock=clock) as corpus:
        corpus.add(
            [version("a/x.md", date(2024, 1, 1), "It is one."), version("y.md", date(2024, 5, 1), "Oats.")]
        )
        clock.to("2025-01-02")
        corpus.add([version("a/x.md", date(2024, 2, 1), "It is two.")])
        before, after = (corpus.at("2024-06", known).use(learned) for known in ("2025-01-01", "2025-01-03"))
        assert (before.passages, before.ends) == (2, 0)
        assert (after.passages, after.ends) == (3, 1)
