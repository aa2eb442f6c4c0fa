"""Learning numbers: boxes of settings, tables of candidates, the Gaussian process, question by question."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.stats import multivariate_normal
from tests.support.corpora import new_corpus
from tests.systems.made import Angled, boxes

from asof import engine
from asof.corpus.corpus import Corpus
from asof.documents import Document, SourcedTime
from asof.errors import UsageError
from asof.extensions.systems import online
from asof.extensions.systems.gaussian import LENGTHS, Floats, GaussianProcess, lcb, matern52
from asof.extensions.systems.judgements import FeedbackLog
from asof.extensions.systems.learning import (
    Box,
    ExpressionLosses,
    JudgedQuery,
    JudgedScores,
    replayable,
)
from asof.extensions.systems.loss import gains, ndcg_of_gains
from asof.extensions.systems.online import (
    RATE,
    SIGMA,
    AdaptiveRecipe,
    OnlineLearner,
    gradient,
    mean_losses,
    stage_of,
)
from asof.extensions.systems.recipes import PAPERS
from asof.index.view import View
from asof.queries import Query
from asof.rank.combine import Combine, MaxNormalize
from asof.rank.expression import Constant, Given, ratio, total
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Range, Ranking, Recipe, Traits, Tunable, with_values
from asof.recipes import named
from asof.schema import within
from asof.time.moment import read
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


MORE = (1 - 0.6 - 0.05 - 0.05 - 0.02) / 3


@pytest.mark.parametrize(
    ("box", "setting", "nearest"),
    [
        # 1.2 is .2 too much, .05 for each; nothing leaves its bounds
        (FOUR, [0.5, 0.3, 0.3, 0.1], [0.45, 0.25, 0.25, 0.05]),
        # normalise, clip and normalise gives .706 to a, above its .6; the others share what is left of .4
        (FOUR, [0.9, 0.05, 0.05, 0.02], [0.6, 0.05 + MORE, 0.05 + MORE, 0.02 + MORE]),
        (ROOM, [3.0, -1.0, 0.0], [1.0, -1.0, 5.0]),  # without a sum each number goes to its bounds
    ],
)
def test_the_nearest_setting(box, setting, nearest):
    assert box.project(setting) == pytest.approx(nearest)


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


WORDS = ["harbour", "ferry", "lighthouse", "pilot", "tide", "buoy", "quay", "mooring", "anchor", "dredger"]
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


def table_of(questions: list[JudgedQuery], recipe: Recipe, box: Box) -> ExpressionLosses:
    """The candidates of each question, with their trees."""
    scored = [
        asked.use(lambda view, asked=asked: JudgedScores.of_question(asked, view, recipe, box, K))  # type: ignore[misc]
        for asked in questions
    ]
    return ExpressionLosses(questions, scored, K)


def check(
    table: ExpressionLosses,
    questions: list[JudgedQuery],
    recipe: Recipe,
    box: Box,
    *,
    n: int,
    passages: int = 40,
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
    table = table_of(questions, recipe, box)
    check(table, questions, recipe, box, n=4)
    # a document that is left out takes no place
    first = [searched(asked, recipe)[0] for asked in questions[:4]]
    without = [replace(asked, left_out=name) for asked, name in zip(questions, first, strict=False)]
    check(table_of(without, recipe, box), without, recipe, box, n=1)
    # where nothing is found nothing is gained
    query = questions[0].query
    empty = replace(questions[0], query=replace(query, filters=replace(query.filters, source="none")))
    losses = table_of([empty, questions[1]], recipe, box).losses(box.sample(np.random.default_rng(0), 2))
    assert losses[:, 0].tolist() == [1.0, 1.0]


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
    table = table_of(questions, recipe, box)
    assert any(each.count > len(each.gains) for each in table.scored), "passages differ in two columns"
    check(table, questions, recipe, box, n=4, passages=200)
    # a stage that takes the largest number of the column before reads it outside of its expression
    share = Recipe("share", "", (Lexical(), Shortness(), MaxNormalize("shortness"), combined, TopK()))
    assert replayable(recipe) >= {"shortness.half"} > replayable(share)


# -- the Gaussian process: worked numbers, its limits, and the hyperparameters that it finds -------


THREE = np.array([[0.0], [0.5], [1.0]])
LOST = np.array([0.3, 0.1, 0.4])


def process(
    points: Floats, losses: Floats, *, length: float = 1.0, variance: float = 1.0, noise: float = 1e-6
) -> GaussianProcess:
    """A process with these hyperparameters, of losses as they are."""
    return GaussianProcess.of(points, losses, 0.0, 1.0, length, variance, noise)


def test_the_kernel_at_half_a_length() -> None:
    """r = 1/2: (1 + √5/2 + 5/12) exp(-√5/2)."""
    expected = (1 + math.sqrt(5) / 2 + 5 / 12) * math.exp(-math.sqrt(5) / 2)
    assert matern52(THREE[:1], THREE[1:2], 1.0)[0, 0] == pytest.approx(expected)
    assert expected == pytest.approx(0.828649142418)


def test_the_posterior_of_three_losses() -> None:
    """As an independent computation and scikit-learn have it, to 1e-5."""
    mu, sigma = process(THREE, LOST).predict(np.array([[0.25], [0.7]]))
    assert mu == pytest.approx([0.155858778417, 0.180019485177], abs=1e-5)
    assert sigma == pytest.approx([0.0869925573166, 0.0807873457488], abs=1e-5)
    assert lcb(mu, sigma) == pytest.approx([-0.0181263362161, 0.0184447936793], abs=1e-5)


def test_the_lower_confidence_bound() -> None:
    mu, sigma = np.array([0.1, 0.12, 0.3, 0.05]), np.array([0.01, 0.03, 0.14, 0.0])
    assert lcb(mu, sigma) == pytest.approx([0.1 - 0.02, 0.12 - 0.06, 0.3 - 0.28, 0.05])
    assert lcb(mu, sigma).argmin() == 2
    assert lcb(mu, sigma, 0.0).tolist() == mu.tolist()


def test_limits_of_what_is_predicted() -> None:
    scaled = (LOST - LOST.mean()) / LOST.std()
    model = GaussianProcess.of(THREE, scaled, LOST.mean(), LOST.std(), 1.0, 1.0, 1e-9)
    mu, sigma = model.predict(np.array([[1000.0]]))  # far from all that was seen
    assert (mu[0], sigma[0]) == pytest.approx((LOST.mean(), LOST.std()))
    mu, sigma = model.predict(THREE)  # without noise what was seen is known
    assert mu == pytest.approx(LOST, abs=1e-6)
    assert sigma == pytest.approx(np.zeros(3), abs=1e-4)
    twice = process(np.array([[0.5], [0.5]]), np.array([0.2, 0.4]))  # one point has the mean of both
    assert twice.predict(np.array([[0.5]]))[0][0] == pytest.approx(0.3, abs=1e-5)


@pytest.mark.parametrize("points", [[[0.3]], THREE])
def test_one_loss_and_equal_losses(points: Any) -> None:
    model = GaussianProcess.fitted(np.array(points), np.full(len(points), 0.7))
    mu, sigma = model.predict(np.array([[0.1], [0.9]]))
    assert mu == pytest.approx([0.7, 0.7])
    assert np.isfinite(sigma).all()


def test_fitting_finds_what_is_likelier_than_what_made_the_losses() -> None:
    """40 losses drawn from a process with length .4 and noise of 1 in 100."""
    rng = np.random.default_rng(7)
    points = rng.random((40, 2))
    covariance = matern52(points, points, 0.4) + 0.01 * np.eye(40)
    losses = np.linalg.cholesky(covariance) @ rng.normal(size=40)
    model = GaussianProcess.fitted(points, losses)
    standard = (losses - losses.mean()) / losses.std()
    scale = losses.std() ** -2

    def likelihood(length: float, variance: float, noise: float) -> float:
        matrix = variance * matern52(points, points, length) + noise * np.eye(40)
        return float(multivariate_normal(np.zeros(40), matrix).logpdf(standard))

    assert GaussianProcess.fitted(points, losses).length == model.length, "the same each time"
    length = model.length
    best = max(likelihood(length, model.variance, share * model.variance) for share in np.logspace(-6, 0, 61))
    assert best >= likelihood(0.4, scale, 0.01 * scale)
    assert 0.2 < length < 0.8
    assert LENGTHS[0] <= model.length


ALONE = Box(("x",), np.array([0.0]), np.array([2.0]))


BOX = Box.of(PAPERS)
START = np.array([0.4, 0.25, 0.25, 0.1, 0.5, 0.05])


@dataclass(frozen=True)
class Known:
    """A loss of settings (m, d), least at `best` (d,)."""

    best: Floats
    bowl: Callable[[Floats], Floats]

    def losses(self, x: Floats) -> Floats:
        return self.bowl(BOX.unit(x) - BOX.unit(self.best))

    def loss(self, x: ArrayLike) -> float:
        return float(self.losses(np.atleast_2d(np.asarray(x)))[0])

    def closed(self, x: ArrayLike) -> float:
        """The share of the gap between start and best that x closes."""
        return 1 - (self.loss(x) - self.loss(self.best)) / (self.loss(START) - self.loss(self.best))


KNOWN = {
    name: Known(BOX.project(best), shape)
    for name, best, shape in (
        ("inside", [0.2, 0.35, 0.3, 0.15, 0.38, 0.08], lambda d: np.square(d).sum(axis=1)),
        ("corner", [0.1, 0.5, 0.1, 0.3, 0.3, 0.1], lambda d: np.square(d).sum(axis=1)),
        ("uneven", [0.25, 0.2, 0.4, 0.15, 0.6, 0.03], lambda d: np.square(d) @ [3, 1, 0.3, 1, 2, 0.2]),
        ("valley", [0.18, 0.3, 0.42, 0.1, 0.4, 0.075], lambda d: 1 - np.exp(-np.square(d).sum(axis=1) / 0.6)),
    )
}


def learned(known: Known, seed: int, questions: int = 25, noise: float = 0.0) -> OnlineLearner:
    """After so many questions, with normal noise on what is told."""
    online, rng = OnlineLearner.begin(BOX, START, seed), np.random.default_rng(seed + 100)
    for _ in range(questions):
        online.tell(known.loss(list(online.ask().values())) + noise * rng.normal())
    return online


@pytest.mark.parametrize(
    ("question", "stage"),
    [(1, "baseline"), (2, "exploration"), (3, "evolution"), (5, "evolution"), (6, "bayesian"),
     (99, "bayesian")],
)  # fmt: skip
def test_the_stage_of_a_question(question, stage):
    assert stage_of(question) == stage
    assert learned(KNOWN["inside"], 0, min(question - 1, 6)).stage == stage


def test_the_first_question_has_the_start():
    online = OnlineLearner.begin(BOX, START)
    assert online.ask() == online.best == BOX.named(START)
    assert OnlineLearner.begin(ALONE, [9.0]).ask() == {"x": 2.0}  # a start outside is brought in


def test_the_second_question_explores_three_times_in_ten_by_a_tenth():
    """Of 1000 seeds 300 ± 29 (two deviations of √(1000 · .3 · .7) = 14.5). A range is 2, so steps have the
    deviation .2."""
    steps = []
    for seed in range(1000):
        online = OnlineLearner.begin(ALONE, [1.0], seed)
        online.ask()
        online.tell(0.5)
        steps.append(online.ask()["x"] - 1.0)
    moved = np.array([step for step in steps if step])
    assert 300 - 29 <= len(moved) <= 300 + 29
    assert moved.std() == pytest.approx(SIGMA * 2, rel=0.1)


def test_one_step_down_a_difference():
    """(.15 - .20) / (.45 - .40) = -1, and .45 - .1 · -1 = .55."""
    slope = gradient([[0.40], [0.45]], [0.20, 0.15])
    assert slope == pytest.approx([(0.15 - 0.20) / (0.45 - 0.40)])
    assert 0.45 - RATE * slope == pytest.approx([0.55])
    # nought where nothing was tried: y = 3 a + 2 b, tried along a alone
    assert gradient([[0, 1], [1, 1], [2, 1]], [2, 5, 8]) == pytest.approx([3, 0])
    assert gradient([[1, 2], [1, 2]], [0.1, 0.4]) == pytest.approx([0, 0])


@pytest.mark.parametrize("seed", range(5))
def test_evolution_moves_each_time_even_on_equal_losses(seed):
    online = OnlineLearner.begin(BOX, START, seed)
    for _ in range(5):
        online.ask()
        online.tell(0.5)
    tried = BOX.unit(online.settings)
    for place in (2, 3, 4):
        assert np.linalg.norm(tried[:place] - tried[place], axis=1).min() > 0.05


def test_the_same_is_asked_until_its_loss_is_told():
    online = learned(KNOWN["inside"], 1, 8)
    first = online.ask()
    assert online.ask() == first
    online.rescore(online.losses[::-1])
    assert online.ask() == first
    online.tell(0.3)
    assert online.ask() != first


def test_losses_of_different_questions_are_put_right_by_rescoring():
    """The first setting met an easy question (.1), the second a hard one (.9); on both questions the second
    loses less."""
    online = OnlineLearner.begin(ALONE, [1.0], 2)
    for loss in (0.1, 0.9, 0.9):
        online.ask()
        online.tell(loss)
    assert online.best == {"x": online.settings[0, 0]}
    online.rescore([0.5, 0.5, 0.2])
    assert online.best == {"x": online.settings[2, 0]}


def test_the_best_is_not_the_luckiest():
    """Ten times .3 at one setting and once .29, with .5 and .1 at another: that one is a coin."""
    online = OnlineLearner.begin(ALONE, [0.5])
    online.settings = np.array([[0.5]] * 10 + [[1.5]] * 2)
    online.losses = np.array([0.30] * 9 + [0.29] + [0.5, 0.2])
    online.evaluations = 12
    assert online.best == {"x": 0.5}


def test_nine_of_ten_close_nearly_all_of_the_gap_and_more_than_drawing_at_random():
    """25 questions with noise; drawing takes the luckiest of as many losses."""
    known, noise = KNOWN["inside"], 0.01
    closed, drawn = [], []
    for seed in range(10):
        closed.append(known.closed(list(learned(known, seed, 25, noise).best.values())))
        rng = np.random.default_rng(seed)
        points = np.vstack([START, BOX.sample(rng, 24)])
        drawn.append(known.closed(points[(known.losses(points) + noise * rng.normal(size=25)).argmin()]))
    assert sum(share >= 0.95 for share in closed) >= 9
    assert sum(ours > other for ours, other in zip(closed, drawn, strict=True)) >= 9


@pytest.mark.parametrize("name", ["corner", "valley", "uneven"])
def test_other_losses_are_learned_too(name):
    assert KNOWN[name].closed(list(learned(KNOWN[name], 4).best.values())) >= 0.95


TOLD = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1), st.floats(-1e9, 1e9))


@given(boxes(5), st.integers(0, 99), st.lists(TOLD, min_size=1, max_size=8))
def test_whatever_is_told_all_that_is_tried_is_in_the_box(box, seed, losses):
    online = OnlineLearner.begin(box, (2 * box.low + box.high) / 3, seed)
    for loss in losses:
        assert box.contains(list(online.ask().values()))
        online.tell(loss)
    assert box.contains(list(online.ask().values()))


# -- a recipe whose weights move with judgements of recorded questions -----------------------------


TOPICS = ("lantern oil", "tide rope", "wick glass", "keeper storm")


@pytest.fixture
def harbour() -> Iterator[Corpus]:
    """Of each topic eight notes, a month apart; the older a note, the more alike: .95, .89, ... .53."""
    documents = [
        Document(
            f"{topic.replace(' ', '-')}-{month}",
            f"{topic} @ {0.95 - 0.06 * month - 0.001 * at:.3f}",
            tags=(topic,),
            published=SourcedTime(read(f"2024-{1 + month:02}-10"), f"2024-{1 + month:02}-10", "metadata"),
        )
        for at, topic in enumerate(TOPICS)
        for month in range(8)
    ]
    with new_corpus(documents, encoder=Angled(), undated="always", search="none") as corpus:
        yield corpus


def asked(corpus: Corpus, learner: AdaptiveRecipe, topic: str, grades: dict[str, float]) -> str:
    """Ask by the learner's setting, and grade the hits."""
    recipe = learner.chosen()
    found = corpus.at("2024-08-11").search(topic, 8, recipe=recipe, tags=[topic])
    recorded = FeedbackLog.of(corpus).record(found, recipe)
    for hit in found.hits:
        if hit.document in grades:
            FeedbackLog.of(corpus).grade(recorded, hit.document, grades[hit.document])
    return recorded


def taught(corpus: Corpus, since: int = 0, seed: int = 0) -> AdaptiveRecipe:
    return AdaptiveRecipe.of(PAPERS, FeedbackLog.of(corpus).judged(), since, seed)


def newest_good(topic: str) -> dict[str, float]:
    """Who asks wants what is new: the last three notes are good, the last best."""
    name = topic.replace(" ", "-")
    return {f"{name}-{month}": grade for month, grade in ((7, 3.0), (6, 2.0), (5, 1.0), (0, 0.0))}


@pytest.mark.slow
def test_weights_move_to_what_is_said_to_be_good(harbour: Corpus) -> None:
    learner = taught(harbour)
    start = learner.setting()
    for turn in range(12):
        topic = TOPICS[turn % 4]
        before = learner.setting()
        asked(harbour, learner, topic, newest_good(topic))
        learner = taught(harbour, seed=3)
        assert learner.online.evaluations == len(learner.learned) == turn + 1
        assert learner.online.stage == stage_of(turn + 2)
        assert learner.online.box.named(learner.learned[-1].setting) == before
        assert taught(harbour, seed=3).setting() == learner.setting()
    best = learner.online.best
    lost, began = mean_losses(learner.examples, np.array([[*best.values()], [*start.values()]]))
    assert lost < began * 0.7
    assert best["combine.weights.freshness"] > start["combine.weights.freshness"]
    # the loss of each question is that of the order that was shown, by the recorded scores
    for example in learner.learned:
        gained = example.gains
        shown = 1 - ndcg_of_gains(gained, gained, 10)
        assert example.losses(example.setting[None]) == [pytest.approx(shown, abs=1e-12)]


def test_settings_are_compared_on_the_latest_questions(
    harbour: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(online, "COMPARED", 2)
    ids = [asked(harbour, taught(harbour), topic, newest_good(topic)) for topic in TOPICS[:3]]
    learner = taught(harbour)
    assert [each.question.id for each in learner.examples] == ids[1:]
    assert learner.online.evaluations == 3


def test_what_teaches_nothing_is_passed_over(harbour: Corpus) -> None:
    learner = taught(harbour)
    asked(harbour, learner, TOPICS[0], {"lantern-oil-0": 0.0})  # nothing good
    asked(harbour, learner, TOPICS[1], {})  # nothing said
    # a number that cannot be tried on recorded hits is another one
    other = PAPERS.replaced({"similarity.scale": "half"})
    found = harbour.at("2024-08-11").search(TOPICS[2], 8, recipe=other)
    FeedbackLog.of(harbour).grade(FeedbackLog.of(harbour).record(found, other), 1, 3)
    assert taught(harbour).examples == ()
    assert taught(harbour).setting() == learner.setting() == START_OF_PAPERS


START_OF_PAPERS = dict(zip(BOX.names, START.tolist(), strict=True))


def test_later_grades_change_what_settings_lose(harbour: Corpus) -> None:
    query = asked(harbour, taught(harbour), TOPICS[0], newest_good(TOPICS[0]))
    assert taught(harbour).online.losses[0] > 0
    for document in newest_good(TOPICS[0]):
        FeedbackLog.of(harbour).grade(query, document, None)
    FeedbackLog.of(harbour).grade(query, 1, 3)  # what was shown first is best after all: nothing is lost
    assert taught(harbour).online.losses.tolist() == [0.0]
