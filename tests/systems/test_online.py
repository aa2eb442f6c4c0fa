"""Learning question by question: the stages, what each tries, that it learns, from recorded questions too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from tests.support.corpora import new_corpus
from tests.systems.made import Angled, boxes

from asof.corpus.corpus import Corpus
from asof.extensions.systems import online
from asof.extensions.systems.judgements import FeedbackLog
from asof.extensions.systems.learning import Box
from asof.extensions.systems.loss import ndcg_of_gains
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
from asof.time.moment import read
from asof.values import Document, SourcedTime

pytestmark = pytest.mark.slow

ALONE = Box(("x",), np.array([0.0]), np.array([2.0]))


Floats = NDArray[np.float64]

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


def bowl(*steep: float) -> Callable[[Floats], Floats]:
    return lambda d: np.square(d) @ np.array(steep)


def valley(d: Floats) -> Floats:
    """Flat far away."""
    return np.asarray(1 - np.exp(-np.square(d).sum(axis=1) / 0.6))


KNOWN = {
    name: Known(BOX.project(best), shape)
    for name, best, shape in (
        ("inside", [0.2, 0.35, 0.3, 0.15, 0.38, 0.08], bowl(1, 1, 1, 1, 1, 1)),
        ("face", [0.6, 0.1, 0.1, 0.2, 0.7, 0.02], bowl(1, 1, 1, 1, 1, 1)),
        ("corner", [0.1, 0.5, 0.1, 0.3, 0.3, 0.1], bowl(1, 1, 1, 1, 1, 1)),
        ("uneven", [0.25, 0.2, 0.4, 0.15, 0.6, 0.03], bowl(3, 1, 0.3, 1, 2, 0.2)),
        ("valley", [0.18, 0.3, 0.42, 0.1, 0.4, 0.075], valley),
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


def test_a_gradient_is_nought_where_nothing_was_tried():
    """y = 3 a + 2 b, tried along a alone."""
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


def test_evolution_goes_downhill():
    """Losses that fall by 1 over the range: the step of .1 down it is larger than what goes astray."""
    online = OnlineLearner.begin(ALONE, [1.0], 1)
    for _ in range(5):
        online.tell(online.ask()["x"] / 2)
    assert online.settings[4, 0] < online.settings[0, 0] - 0.2


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


@pytest.mark.parametrize("name", ["face", "corner", "valley", "uneven"])
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
