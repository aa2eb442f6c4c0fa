"""`vault` with numbers of its own for a source, and its boosts by heading and tag."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from tests.support.corpora import new_corpus

from asof import config
from asof.errors import BadConfig, UsageError
from asof.extensions.systems.linked_notes import FACTORS, RecencyTiers
from asof.extensions.systems.vault import KEYS, VAULT, vault
from asof.time.moment import read
from asof.values import Document, Heading, Link, SourcedTime

TODAY = date(2024, 7, 1)


class Source:
    """A source by name."""

    kind, complete = "documents", False

    def __init__(self, name: str, *documents: Document) -> None:
        self.name, self.stated = name, documents

    def documents(self) -> Iterator[Document]:
        return iter(self.stated)


def note(id_: str, days: int, *links: str, **more: Any) -> Document:
    """A note on the mill, so many days old at the end of TODAY."""
    day = (TODAY - timedelta(days)).isoformat()
    published = SourcedTime(read(day), day, "metadata")
    return Document(id_, f"{id_} mill", published=published, links=tuple(map(Link, links)), **more)


@pytest.fixture(scope="module")
def desk() -> Iterator[Any]:
    """Notes of 10 and 100 days at work and at home; each later one links to the earlier one of its source.
    Two have headings and tags."""
    outline = (Heading(0, 1, "mill"), Heading(7, 2, "rope"))
    more: dict[str, Any] = {"outline": outline, "tags": ("mill-wheel", "rope", "mill")}
    with new_corpus() as corpus:
        corpus.add(Source("work", note("w10", 10, "w100"), note("w100", 100)))
        corpus.add(Source("home", note("h10", 10, "h100"), note("h100", 100)))
        marked = [
            Document(name, "# mill\n## rope\nmill rope\n", published=note(name, 100).published, **more)
            for name in ("marked", "also")
        ]
        corpus.add(Source("work", *marked[:1]))
        corpus.add(Source("home", *marked[1:]))
        yield corpus


def asked(corpus: Any, recipe: Any, question: str = "mill", as_of: str = "2024-07-01") -> dict[str, float]:
    """The scores by document; every tree gives its score again."""
    hits = corpus.at(as_of).search(question, k=20, recipe=recipe).hits
    assert all(hit.score == pytest.approx(hit.why.recomputed(), rel=1e-12) for hit in hits)
    return {hit.document: hit.score for hit in hits}


def ratios(corpus: Any, recipe: Any, other: Any = VAULT, question: str = "mill") -> dict[str, Any]:
    """How much each score changes, where it does."""
    one, two = asked(corpus, recipe, question), asked(corpus, other, question)
    return {name: pytest.approx(one[name] / two[name]) for name in one if one[name] != two[name]}


def test_steps_of_age_of_one_source(desk: Any) -> None:
    """10 days are fresh below 14 (1.20), and old where 3, 5 and 20 days bound the steps: 1.00. 100 days are
    old (1.00) and then older: .95."""
    days = {"recency_fresh_days": 3, "recency_recent_days": 5, "recency_old_days": 20}
    found = ratios(desk, vault({"work": days}))
    assert found == {"w10": 1.00 / 1.20, "w100": 0.95, "marked": 0.95}


def test_a_source_without_steps_and_one_with_other_factors(desk: Any) -> None:
    own: dict[str, dict[str, Any]] = {
        "work": {"recency_boost_enabled": False},
        "home": {"recency_fresh_boost": 2.0},
    }
    assert ratios(desk, vault(own)) == {"w10": 1.00 / 1.20, "h10": 2.00 / 1.20}


def test_only_one_source_has_steps(desk: Any) -> None:
    off = vault(recency_boost_enabled=False)
    on = vault({"work": {"recency_boost_enabled": True}}, recency_boost_enabled=False)
    assert ratios(desk, on, off) == {"w10": 1.20}


def test_backlinks_of_one_source(desk: Any) -> None:
    """One document links to w100: 1 + .5 · 1 in the place of 1 + .1 · 1."""
    assert ratios(desk, vault({"work": {"backlink_boost_weight": 0.5}})) == {"w100": 1.5 / 1.1}
    off = vault(backlink_boost_weight=0.0)
    on = vault({"home": {"backlink_boost_weight": 0.2}}, backlink_boost_weight=0.0)
    assert ratios(desk, on, off) == {"h100": 1.2}


@pytest.mark.parametrize(
    ("keys", "question", "factor"),
    [
        ({"heading_boost_enabled": True}, "mill", 1.05),
        ({"heading_boost_enabled": True}, "rope", 1.03),
        ({"heading_boost_enabled": True}, "rope mill", 1.05),  # the largest, once
        ({"heading_boost_enabled": True, "heading_h1_boost": 1.5}, "mill", 1.5),
        ({"heading_boost_enabled": True, "heading_h2_boost": 1.2}, "rope", 1.2),
        ({"heading_boost_enabled": True, "heading_h3_boost": 1.2}, "rope", 1.03),
        ({"tag_boost_enabled": True}, "mill", 1 + 0.03 * 2),  # mill-wheel and mill
        ({"tag_boost_enabled": True}, "mill rope", 1 + 0.03 * 3),
        ({"tag_boost_enabled": True, "tag_boost_cap": 1}, "mill rope", 1 + 0.03 * 1),
        ({"tag_boost_enabled": True, "tag_boost_weight": 0.2}, "rope", 1 + 0.2 * 1),
        ({"heading_boost_enabled": True, "tag_boost_enabled": True}, "rope", 1.03 * 1.03),
    ],
)
def test_headings_and_tags_as_its_code_has_them(
    desk: Any, keys: dict[str, Any], question: str, factor: float
) -> None:
    """Off in all corpora; on for all; on for one source."""
    assert ratios(desk, vault(**keys), question=question) == {"marked": factor, "also": factor}
    assert ratios(desk, vault({"home": keys}), question=question) == {"also": factor}


def test_what_a_source_says_of_its_own_holds_though_it_is_the_same_as_that_of_all() -> None:
    """Of a number that is set for all later, and of steps of age that are off."""
    said = vault({"work": {"backlink_boost_weight": 0.1, "recency_boost_enabled": False}})
    later = said.replaced({"backlinks.weight": 0.7})
    fields = dict(later.fields())
    assert dict(fields["backlinks.by_source"])["work:weight"] == 0.1
    steps = dict(fields["recency_tiers.by_source"])
    assert {steps[f"work:{name}"] for name in FACTORS} == {1.0}


def test_the_published_values_are_off() -> None:
    assert vault({"work": {}}) == VAULT
    assert {key: KEYS[key][0] for key in KEYS if key.startswith(("heading", "tag"))} == {
        "heading_boost_enabled": False, "heading_h1_boost": 1.05, "heading_h2_boost": 1.03,
        "heading_h3_boost": 1.02, "tag_boost_enabled": False, "tag_boost_weight": 0.03, "tag_boost_cap": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[retrieval.sources."w"]\nrrf_k = 10', '[retrieval] sources."w": rrf_k cannot differ by source'),
        ('[retrieval.sources.work]\nfusion_algorithm = "rrf"', "fusion_algorithm cannot differ by source"),
        ("[retrieval.sources.work]\nrecency_fresh_day = 1", "did you mean recency_fresh_days?"),
        ("[retrieval.sources.work]\nbacklink_boost_cap = 0", "backlink_boost_cap = 0: a whole number from 1"),
        ("[retrieval.sources.w]\nrecency_fresh_days = 99", '[retrieval] sources."w": recency_fresh_days <'),
        ("[retrieval.sources]\nwork = 1", "[retrieval] sources: a table of tables is expected"),
        ('[recipes.vault]\nbacklinks.by_source = {"work:wait" = 1}', "no number wait; did you mean weight?"),
        ('[recipes.vault]\nbacklinks.by_source = {"weight" = 1}', "SOURCE:NUMBER is expected"),
        ('[recipes.vault]\nbacklinks.by_source = {"work:weight" = 2}', "source work: weight = 2: a number"),
        ('[recipes.vault]\ntags.by_source = {"work:cap" = 1.5}', "source work: cap = 1.5: a whole number"),
        ('[recipes.vault]\nrecency_tiers.by_source = {"work:old_days" = 20}', "source work: bounds rise"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadConfig) as refused:
        config.read(config.parsed(text.encode(), "asof.toml"), "asof.toml")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("bounds", "values"),
    [((1, 2), (1, 2)), ((2, 2), (1, 2, 3)), ((0,), (1, 2)), ((1,), (1, math.nan)), ((1,), (1, -1))],
)
def test_tiers_that_are_refused(bounds: tuple[float, ...], values: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"not|rise"):
        RecencyTiers(bounds, values)


def test_in_asof_toml(desk: Any) -> None:
    """The keys of a source, over those of all; a recipe's own fields over both."""
    text = (
        "[retrieval]\nbacklink_boost_weight = 0.2\n"
        '[retrieval.sources."work"]\nbacklink_boost_weight = 0.4\nrecency_boost_enabled = false\n'
    )
    made = config.read(config.parsed(text.encode(), "asof.toml")).recipe_named("vault")
    own = {"backlink_boost_weight": 0.4, "recency_boost_enabled": False}
    assert made == vault({"work": own}, backlink_boost_weight=0.2)
    assert asked(desk, made) != asked(desk, vault(backlink_boost_weight=0.2))
    shown = dict(made.fields())
    assert shown["backlinks.by_source"] == (("work:weight", 0.4),)
    with pytest.raises(UsageError):
        made.replaced({"backlinks.by_source": 1})
