"""Boxes of settings, and tables of candidates: what a setting gives there is what a search gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.corpora import new_corpus
from tests.systems.made import boxes

from asof import engine
from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.extensions.systems.learning import (
    Box,
    ExpressionLosses,
    JudgedQuery,
    LossTable,
    RankingReplay,
    loss_table,
)
from asof.extensions.systems.loss import gains
from asof.extensions.systems.recipes import PAPERS
from asof.index.view import View
from asof.rank.combine import Combine, MaxNormalize
from asof.rank.expression import Constant, Given, ratio, total
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Range, Ranking, Recipe, Traits, Tunable, with_values
from asof.recipes import named
from asof.schema import within
from asof.values import Document, Query
from asof.wire import replace

# -- boxes: what lies in them, the nearest point, samples, and the box of a recipe -----------------


WEIGHTS = [f"combine.weights.{name}" for name in ("similarity", "freshness", "coverage", "volume")]
FOUR = Box(tuple("abcd"), np.array([0.1, 0.1, 0.1, 0.05]), np.array([0.6, 0.5, 0.5, 0.3]), (0, 1, 2, 3), 1.0)
ROOM = Box(("x", "y", "z"), np.array([0.0, -2.0, 5.0]), np.array([1.0, 2.0, 5.0]))


def test_the_box_of_papers():
    box = Box.of(PAPERS)
    assert box.names == (*WEIGHTS, "coverage.above", "freshness.rate")
    assert box.low.tolist() == [0.1, 0.1, 0.1, 0.05, 0.3, 0.01]
    assert box.high.tolist() == [0.6, 0.5, 0.5, 0.3, 0.7, 0.1]
    assert box.simplex == (0, 1, 2, 3)
    assert box.total == pytest.approx(1.0)
    assert box.contains([0.4, 0.25, 0.25, 0.1, 0.5, 0.05])


def test_some_fields_keep_the_sum_that_they_have():
    box = Box.of(PAPERS, ["freshness.rate", WEIGHTS[1], WEIGHTS[3]])
    assert box.simplex == (1, 2)
    assert box.total == pytest.approx(0.25 + 0.1)
    assert Box.of(PAPERS, ["freshness.rate"]).simplex == ()
    box = Box.of(PAPERS, [Range("freshness.rate", 0.02, 0.03)])  # a range brings its own bounds
    assert (box.low[0], box.high[0]) == (0.02, 0.03)


@pytest.mark.parametrize(
    ("recipe", "fields", "said"),
    [
        (PAPERS, ["freshness.rat"], "did you mean freshness.rate"),
        (PAPERS, [WEIGHTS[0]], "cannot move alone"),
        (PAPERS, ["freshness.rate", "freshness.rate"], "own name"),
        (Recipe("bare", "nothing to learn", (TopK(),)), None, "does not say"),
        (PAPERS, [Range(WEIGHTS[0], 0.0, 0.1), Range(WEIGHTS[1], 0.0, 0.1)], "cannot have the sum 0.65"),
    ],
)
def test_what_leaves_nothing_to_learn_is_refused(recipe, fields, said):
    with pytest.raises(UsageError, match=said):
        Box.of(recipe, fields)


@pytest.mark.parametrize(
    ("names", "low", "high", "simplex", "total"),
    [
        ((), [], [], (), 0.0),
        (("a",), [0, 0], [1, 1], (), 0.0),
        (("a", "b"), [0.6, 0.6], [1, 1], (0, 1), 1.0),
        (("a", "b"), [0, 0], [0.4, 0.4], (0, 1), 1.0),
    ],
)
def test_boxes_without_a_point_are_refused(names, low, high, simplex, total):
    with pytest.raises(UsageError):
        Box(names, np.array(low, dtype=float), np.array(high, dtype=float), simplex, total)


def test_a_sum_above_the_total_is_shared():
    """1.2 is .2 too much, .05 for each; nothing leaves its bounds."""
    assert FOUR.project([0.5, 0.3, 0.3, 0.1]) == pytest.approx([0.45, 0.25, 0.25, 0.05])


def test_where_clipping_and_scaling_leave_the_box():
    """Normalise, clip and normalise gives .706 to a, above its .6. Nearest is a = .6, and the others get the
    same more each of what is left of .4 besides .05, .05 and .02."""
    more = (1 - 0.6 - 0.05 - 0.05 - 0.02) / 3
    expected = [0.6, 0.05 + more, 0.05 + more, 0.02 + more]
    assert FOUR.project([0.9, 0.05, 0.05, 0.02]) == pytest.approx(expected)


def test_without_a_sum_each_number_goes_to_its_bounds():
    assert ROOM.project([3.0, -1.0, 0.0]).tolist() == [1.0, -1.0, 5.0]


def test_what_is_no_setting_is_refused():
    with pytest.raises(UsageError, match="finite"):
        ROOM.project([np.nan, 0.0, 5.0])
    with pytest.raises(UsageError, match="3 finite numbers"):
        ROOM.project([1.0, 2.0])


@given(boxes(), st.data())
def test_the_projection_is_inside_itself_again_and_nearest(box, data):
    x = np.array(data.draw(st.lists(st.floats(-9, 9), min_size=len(box), max_size=len(box))))
    nearest = box.project(x)
    assert box.contains(nearest)
    assert (box.project(nearest) == nearest).all()
    others = box.sample(np.random.default_rng(1), 40)
    assert all(box.contains(each) for each in others)
    distances = np.square(others - x).sum(axis=1)
    assert (np.square(nearest - x).sum() <= distances + 1e-9).all()


def test_samples_are_spread_over_the_volume_and_not_at_corners():
    """Shares of a triangle, a + b + c = 1, drawn evenly: each has the mean 1/3 and is at most 1/10 with the
    chance 1 - (9/10)²; nothing lies on a bound."""
    box = Box(tuple("abc"), np.zeros(3), np.ones(3), (0, 1, 2), 1.0)
    points = box.sample(np.random.default_rng(5), 4000)
    assert points.mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.02)
    assert (points <= 0.1).mean(axis=0) == pytest.approx([1 - 0.9**2] * 3, abs=0.03)
    assert (points > 0).all()


# -- tables of candidates: what a setting gives there is what a search gives -----------------------


WORDS = (
    "harbour", "ferry", "lighthouse", "pilot", "tide", "buoy", "quay", "mooring", "anchor", "dredger",
)  # fmt: skip
QUESTIONS = (
    "harbour pilot tide", "current ferry signal", "lighthouse", "mooring quay anchor 2021", "dredger buoy",
    "harbour lighthouse ferry",
)  # fmt: skip
MOMENTS = ("2021-06-01", "2023-12-31")
K = 3


@pytest.fixture(scope="module")
def corpus(document: Callable[..., Document]) -> Iterator[Corpus]:
    """Forty documents with one to six passages each, drawn with a seed, some of them without a date."""
    rng = np.random.default_rng(3)
    documents = []
    for number in range(40):
        passages = [
            " ".join(rng.choice(WORDS, 12)) + f". Berth {number} of part {part}."
            for part in range(rng.integers(1, 7))
        ]
        date = f"{2020 + number % 4}-{1 + number % 12:02}-{1 + number % 28:02}" if number % 7 else None
        title = " ".join(rng.choice(WORDS, 2)).title()
        documents.append(document(f"doc-{number}", "\n\n".join(passages), date, title=title))
    with new_corpus(documents, chunking="20w", undated="always") as corpus:
        yield corpus


def posed(corpus: Corpus, recipe: Recipe) -> list[JudgedQuery]:
    """Each question at each moment; documents are right by their numbers."""
    found = []
    for at, question in enumerate(QUESTIONS):
        for moment in MOMENTS:
            then = corpus.at(moment)
            _, query, _ = then.reader.query_for(question, 10, then.filters(), "passage", recipe, None)
            right = {
                f"doc-{number}": gain
                for number, gain in zip(range(at, 40, 9), gains([3, 2, 1, 1, 0.5]), strict=False)
            }
            found.append(JudgedQuery(query, then.use, right))
    return found


def searched(asked: JudgedQuery, recipe: Recipe, k: int = K, passages: int = 40) -> list[str]:
    """The first documents of a search."""
    query = replace(asked.query, k=passages)
    hits = asked.use(lambda view: engine.search(query, view, recipe).hits)
    return list(dict.fromkeys(hit.document for hit in hits if hit.document != asked.left_out))[:k]


def loss_by_hand(asked: JudgedQuery, ranked: list[str]) -> float:
    """1 - DCG@3 / the best: discounts 1, 1 / log2(3), 1 / log2(4)."""
    discount = [1.0, 1 / np.log2(3), 0.5]
    best = sum(d * g for d, g in zip(discount, sorted(asked.gains.values(), reverse=True), strict=False))
    return float(
        1 - sum(d * asked.gains.get(name, 0.0) for d, name in zip(discount, ranked, strict=False)) / best
    )


def check(
    table: LossTable, questions: list[JudgedQuery], recipe: Recipe, box: Box, *, n: int, passages: int = 40
) -> None:
    """The losses at some settings are those of searches."""
    settings = box.sample(np.random.default_rng(0), n)
    losses = table.losses(settings)
    assert (table.losses(settings, np.array([1, 0])) == losses[:, [1, 0]]).all()
    for at, setting in enumerate(settings):
        changed = with_values(recipe, box.named(setting))
        expected = [loss_by_hand(asked, searched(asked, changed, passages=passages)) for asked in questions]
        assert losses[at] == pytest.approx(expected, abs=1e-12)


def test_trees_lose_as_searches_do(corpus: Corpus) -> None:
    recipe = named("papers")
    box, questions = Box.of(recipe), posed(corpus, recipe)
    table = loss_table(questions, recipe, box, K)
    assert isinstance(table, ExpressionLosses)
    assert table.how.endswith("by expressions: those among the first 12 at one of many settings")  # 4 · 3
    check(table, questions, recipe, box, n=4)
    # a document that is left out takes no place
    first = [searched(asked, recipe)[0] for asked in questions[:4]]
    without = [replace(asked, left_out=name) for asked, name in zip(questions, first, strict=False)]
    check(loss_table(without, recipe, box, K), without, recipe, box, n=1)


@dataclass(frozen=True, slots=True)
class Shortness:
    """A signal as somebody adds it: half / (half + words)."""

    half: float = within(20.0, 1.0, 100.0)
    traits: ClassVar = Traits(constants=("half",))

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        words = Given("words of the passage", view.column("length", ranking.rows))
        half = Constant("half", self.half, self, "half")
        return ranking.with_feature("shortness", ratio("shortness", half, total("both", half, words)))


def test_a_new_signal_is_learned_by_its_trees(corpus: Corpus) -> None:
    combined = Combine((("normalized", 1.0), ("shortness", 0.2)))
    fields = (Range("shortness.half", 1.0, 100.0), Range("combine.weights.shortness", 0.0, 1.0))
    stages = (Lexical(), MaxNormalize(), Shortness(), combined, TopK())
    recipe = Recipe("short", "", stages, tunable=Tunable(fields))
    box, questions = Box.of(recipe), posed(corpus, recipe)
    table = loss_table(questions, recipe, box, K)
    assert isinstance(table, ExpressionLosses)
    assert any(each.count > len(each.gains) for each in table.scored), "passages differ in two columns"
    check(table, questions, recipe, box, n=4, passages=200)
    # a stage that takes the largest number of the column before reads it outside of its expression
    share = Recipe("share", "", (Lexical(), Shortness(), MaxNormalize("shortness"), combined, TopK()))
    assert isinstance(loss_table(questions[:1], share, Box.of(share, fields[:1]), K), RankingReplay)


def test_where_nothing_is_there_nothing_is_gained(corpus: Corpus) -> None:
    recipe = named("papers")
    box, asked = Box.of(recipe), posed(corpus, recipe)[0]
    empty = replace(asked, query=replace(asked.query, filters=replace(asked.query.filters, source="none")))
    losses = loss_table([empty, asked], recipe, box, K).losses(box.sample(np.random.default_rng(0), 2))
    assert losses[:, 0].tolist() == [1.0, 1.0]


ASOF_FIELDS = (
    Range("combine.weights.query_coverage", 0.0, 1.5), Range("combine.weights.title", 0.0, 1.0),
    Range("time_preference.recency_weight", 0.05, 0.6), Range("time_preference.tie_margin", 0.05, 0.4),
    Range("time_preference.cautious_margin", 0.05, 0.4),
)  # fmt: skip
HYBRID_FIELDS = (Range("hybrid.dense", 0.0, 4.0), Range("neighbouring_text.document", 0.1, 1.0))


@pytest.mark.parametrize(("ranges", "stage"), [(ASOF_FIELDS, "combine"), (HYBRID_FIELDS, "hybrid")])
def test_replaying_loses_as_searches_do(corpus: Corpus, ranges: tuple[Range, ...], stage: str) -> None:
    recipe = replace(named("asof"), tunable=Tunable(ranges))
    box, questions = Box.of(recipe), posed(corpus, recipe)
    table = loss_table(questions, recipe, box, K)
    assert isinstance(table, RankingReplay)
    assert f"the stages from {stage} on" in table.how
    check(table, questions, recipe, box, n=2, passages=12)
