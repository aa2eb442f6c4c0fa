"""Learning question by question: the stages, what each tries, that it learns, and that it can be put away."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.support.known_losses import BOX, KNOWN, START, Known

import asof
from asof.corpus.corpus import Corpus
from asof.errors import DamagedState, UsageError
from asof.extensions.systems.judgements import FeedbackLog, recorded_scores
from asof.extensions.systems.learning import Box
from asof.extensions.systems.loss import ndcg_of_gains
from asof.extensions.systems.online import (
    RATE,
    SIGMA,
    WINDOW,
    AdaptiveRecipe,
    OnlineLearner,
    box_of,
    gradient,
    mean_losses,
    stage_of,
)
from asof.extensions.systems.recipes import PAPERS
from asof.rank.stage import with_values
from asof.time.moment import read
from asof.values import Document, SourcedTime

# -- learning question by question: the stages, what each tries, that it learns, and that it can be ---


pytestmark = pytest.mark.slow

ALONE = Box(("x",), np.array([0.0]), np.array([2.0]))


def learned(known: Known, seed: int, questions: int = 25, noise: float = 0.0) -> OnlineLearner:
    """After so many questions, with normal noise on what is told."""
    online, rng = OnlineLearner.begin(BOX, START, seed), np.random.default_rng(seed + 100)
    for _ in range(questions):
        online.tell(known.loss(list(online.ask().values())) + noise * rng.normal())
    return online


@pytest.mark.parametrize(
    ("question", "stage"),
    [
        (1, "baseline"),
        (2, "exploration"),
        (3, "evolution"),
        (5, "evolution"),
        (6, "bayesian"),
        (99, "bayesian"),
    ],
)
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


def test_what_cannot_be_told():
    online = OnlineLearner.begin(BOX, START)
    with pytest.raises(UsageError, match="ask for one"):
        online.tell(0.5)
    online.ask()
    for loss in (math.nan, math.inf, 1e10):
        with pytest.raises(UsageError, match="not usable"):
            online.tell(loss)
    assert online.evaluations == 0
    with pytest.raises(UsageError, match="seed"):
        OnlineLearner.begin(BOX, START, -1)


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
    for wrong in ([0.5], [0.5, 0.5, math.nan]):
        with pytest.raises(UsageError, match="3 losses"):
            online.rescore(wrong)


def test_the_best_is_not_the_luckiest():
    """Ten times .3 at one setting and once .29, with .5 and .1 at another: that one is a coin."""
    online = OnlineLearner.begin(ALONE, [0.5])
    online.settings = np.array([[0.5]] * 10 + [[1.5]] * 2)
    online.losses = np.array([0.30] * 9 + [0.29] + [0.5, 0.2])
    online.evaluations = 12
    assert online.best == {"x": 0.5}


def test_the_oldest_goes_and_the_best_stays():
    online = learned(KNOWN["corner"], 3, 6)
    online.settings = np.vstack([online.settings, BOX.sample(np.random.default_rng(1), WINDOW - 6)])
    online.losses = np.append(online.losses, np.linspace(3, 4, WINDOW - 6))
    online.losses[0] = -5.0
    online.evaluations = WINDOW
    first, second, third = online.settings[:3].copy()
    online.ask()
    online.tell(3.0)
    assert len(online.settings) == len(online.losses) == WINDOW
    assert online.evaluations == WINDOW + 1
    assert (online.settings[0] == first).all()
    assert (online.settings[1] == third).all()
    assert not (online.settings == second).all(axis=1).any() or (second == first).all()


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


def test_put_away_after_each_question_it_goes_on_as_if_it_had_not_been():
    known = KNOWN["uneven"]
    online = stored = OnlineLearner.begin(BOX, START, 11)
    for question in range(9):
        stored = OnlineLearner.loads(stored.dumps(), BOX)
        assert stored.ask() == online.ask()
        stored = OnlineLearner.loads(stored.dumps(), BOX)
        loss = known.loss(list(online.ask().values()))
        online.tell(loss)
        stored.tell(loss)
        if question == 4:
            online.rescore(online.losses * 0.9)
            stored.rescore(stored.losses * 0.9)
    assert stored.dumps() == online.dumps()
    assert OnlineLearner.begin(BOX, START, 12).dumps() != OnlineLearner.begin(BOX, START, 11).dumps()


@st.composite
def walks(draw):
    """A box with a sum, a start, a seed and what is told."""
    d = draw(st.integers(1, 5))
    low = np.array(draw(st.lists(st.floats(-2, 2), min_size=d, max_size=d)))
    span = np.array(draw(st.lists(st.sampled_from([0.0, 0.01, 0.5, 3.0]), min_size=d, max_size=d)))
    at = draw(st.sets(st.integers(0, d - 1)))
    total = low[list(at)].sum() + draw(st.floats(0, 1)) * span[list(at)].sum()
    box = Box(tuple(map(str, range(d))), low, low + span, tuple(at), float(total))
    told = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1), st.floats(-1e9, 1e9))
    return box, low + span / 3, draw(st.integers(0, 99)), draw(st.lists(told, min_size=1, max_size=8))


@given(walks())
def test_whatever_is_told_all_that_is_tried_is_in_the_box(walk):
    box, start, seed, losses = walk
    online = OnlineLearner.begin(box, start, seed)
    for loss in losses:
        assert box.contains(list(online.ask().values()))
        online.tell(loss)
    assert box.contains(list(online.ask().values()))
    assert OnlineLearner.loads(online.dumps(), box).dumps() == online.dumps()


# -- the state of an online learner: it comes back bit for bit, and nothing else is taken for one ---


def learner() -> OnlineLearner:
    """Three losses reported, a fourth pending."""
    online = OnlineLearner.begin(BOX, START, 5)
    for _ in range(3):
        online.tell(KNOWN["inside"].loss(list(online.ask().values())))
    online.ask()
    return online


def broken(change):
    state = json.loads(learner().dumps())
    change(state)
    return json.dumps(state)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "keys"),
        (" " * 1_000_001, "characters"),
        (broken(lambda state: state.pop("seed")), "keys"),
        (json.dumps({"format": 1, "told": 0}), "its format is 1, this version of asof reads 2"),
        (broken(lambda state: state.update(format=3)), "format"),
        (broken(lambda state: state.update(evaluations=True)), "evaluations"),
        (broken(lambda state: state.update(evaluations=-1)), "evaluations"),
        (broken(lambda state: state.update(seed=1.5)), "seed"),
        (broken(lambda state: state.update(stage="bayesian")), "stage"),
        (broken(lambda state: state.update(evaluations=5)), "stage"),
        (broken(lambda state: state.update(evaluations=4)), "4 questions leave 4 settings"),
        (broken(lambda state: state["losses"].pop()), "2 losses"),
        (broken(lambda state: state.update(losses=None)), "lists"),
        (broken(lambda state: state["losses"].__setitem__(1, math.nan)), "loss 2"),
        (broken(lambda state: state["losses"].__setitem__(1, 10**400)), "loss 2"),
        (broken(lambda state: state["settings"][1].__setitem__(0, "1")), "setting 2"),
        (broken(lambda state: state["settings"][1].__setitem__(4, 0.9)), "outside"),
        (broken(lambda state: state["settings"][1].__setitem__(0, 0.11)), "outside"),
        (broken(lambda state: state["settings"][1].pop()), "6 numbers"),
        (broken(lambda state: state.update(start=None)), "the start"),
        (broken(lambda state: state.update(pending=[0] * 6)), "pending"),
        (broken(lambda state: state.update(box=None)), "box"),
        (broken(lambda state: state["box"]["high"].__setitem__(0, 0.7)), "another box"),
        (broken(lambda state: state["box"]["names"].__setitem__(0, "other")), "another box"),
    ],
)
def test_what_is_no_sound_state_is_refused_and_says_why(text, why):
    with pytest.raises(DamagedState, match=why) as caught:
        OnlineLearner.loads(text, BOX)
    assert "is left as it is" in str(caught.value)
    assert len(str(caught.value)) < 1000


# -- a recipe whose weights move with judgements of recorded questions -----------------------------


TOPICS = ("lantern oil", "tide rope", "wick glass", "keeper storm")


@dataclass(frozen=True)
class Told:
    """An encoder of two dimensions: the cosine with any question that a text tells after its last "@"."""

    name: str = "told"

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        cosines = np.array([float(text.rpartition("@")[2]) if "@" in text else 1.0 for text in texts])
        return np.column_stack([cosines, np.sqrt(1 - cosines**2)]).astype(np.float32)


@pytest.fixture
def harbour(tmp_path: Path) -> Iterator[Corpus]:
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
    settings = asof.CorpusSettings(undated="always", search="none")
    with asof.open(tmp_path, settings=settings, encoder=Told()) as corpus:
        corpus.session.clock = itertools.count(read("2025").first, 1_000_000).__next__
        corpus.maintenance.background = False
        corpus.add(documents)
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


def newest_good(topic: str) -> dict[str, float]:
    """Who asks wants what is new: the last three notes are good, the last best."""
    name = topic.replace(" ", "-")
    return {f"{name}-{month}": grade for month, grade in ((7, 3.0), (6, 2.0), (5, 1.0), (0, 0.0))}


@pytest.mark.slow
def test_weights_move_to_what_is_said_to_be_good(harbour: Corpus) -> None:
    learner = AdaptiveRecipe.begin(PAPERS, seed=3)
    start = learner.setting()
    for turn in range(12):
        topic = TOPICS[turn % 4]
        asked(harbour, learner, topic, newest_good(topic))
        assert learner.take(learner.examples(FeedbackLog.of(harbour).judged("papers"))) == 1
    examples = learner.examples(FeedbackLog.of(harbour).judged("papers"))
    latest = learner.examples(FeedbackLog.of(harbour).judged("papers"), 3)
    assert [each.question for each in latest] == [each.question for each in examples[-3:]]
    best = learner.online.best
    lost, began = mean_losses(examples, np.array([[*best.values()], [*start.values()]]))
    assert lost < began * 0.7
    assert best["combine.weights.freshness"] > start["combine.weights.freshness"]
    # the loss of each question when it was judged: of the order that was shown, by the recorded scores
    for (name, lost), example in zip(learner.question_losses, examples, strict=True):
        assert name == example.question.id
        gained = example.gains
        assert lost == pytest.approx(1 - ndcg_of_gains(gained, gained, 10), abs=1e-12)


def test_scores_of_a_lesson_are_those_of_a_search(harbour: Corpus) -> None:
    learner = AdaptiveRecipe.begin(PAPERS)
    asked(harbour, learner, TOPICS[0], newest_good(TOPICS[0]))
    (example,) = learner.examples(FeedbackLog.of(harbour).judged("papers"))
    for setting in learner.online.box.sample(np.random.default_rng(1), 5):
        values = learner.online.box.named(setting)
        scored = recorded_scores(
            example.question, with_values(PAPERS, values), learner.online.box, example.gains
        )
        assert scored is not None
        scores = scored.scores(np.array([[*values.values()]]))[0].tolist()
        order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
        expected = 1 - ndcg_of_gains([example.gains[at] for at in order], example.gains, 10)
        assert example.losses(np.array([[*values.values()]])) == [expected]


def test_what_was_recorded_before_moves_nothing_after_forgetting(harbour: Corpus) -> None:
    learner = AdaptiveRecipe.begin(PAPERS)
    asked(harbour, learner, TOPICS[0], newest_good(TOPICS[0]))
    last = FeedbackLog.of(harbour).judged("papers")[-1].question.added
    anew = AdaptiveRecipe.loads(AdaptiveRecipe.begin(PAPERS, since=last).dumps(), PAPERS)
    assert anew.take(anew.examples(FeedbackLog.of(harbour).judged("papers"))) == 0
    later = asked(harbour, anew, TOPICS[1], newest_good(TOPICS[1]))
    examples = anew.examples(FeedbackLog.of(harbour).judged("papers"))
    assert (anew.take(examples), len(examples)) == (1, 2)
    assert [name for name, _ in anew.question_losses] == [later]


@pytest.mark.slow
def test_restarting_after_every_question_changes_nothing(harbour: Corpus) -> None:
    whole, parts = AdaptiveRecipe.begin(PAPERS, seed=5), AdaptiveRecipe.begin(PAPERS, seed=5)
    for turn in range(8):
        topic = TOPICS[turn % 4]
        asked(harbour, whole, topic, newest_good(topic))
        parts = AdaptiveRecipe.loads(parts.dumps(), PAPERS)
        assert parts.setting() == whole.setting()
        whole.take(whole.examples(FeedbackLog.of(harbour).judged("papers")))
        parts.take(parts.examples(FeedbackLog.of(harbour).judged("papers")))
        assert parts.dumps() == whole.dumps()


def test_a_loss_is_reported_once_and_only_of_a_question_ranked_by_the_pending_setting(
    harbour: Corpus,
) -> None:
    learner = AdaptiveRecipe.begin(PAPERS)
    first = asked(harbour, learner, TOPICS[0], newest_good(TOPICS[0]))
    second = asked(harbour, learner, TOPICS[1], newest_good(TOPICS[1]))  # before the first was taken
    assert learner.take(learner.examples(FeedbackLog.of(harbour).judged("papers"))) >= 1
    # exploration is left out with probability .7: then the second was ranked by the pending setting as well
    both = learner.online.settings.shape[0] == 2
    assert [name for name, _ in learner.question_losses] == ([first, second] if both else [first])
    assert learner.take(learner.examples(FeedbackLog.of(harbour).judged("papers"))) == 0


def test_what_teaches_nothing_is_passed_over(harbour: Corpus) -> None:
    learner = AdaptiveRecipe.begin(PAPERS)
    asked(harbour, learner, TOPICS[0], {"lantern-oil-0": 0.0})  # nothing good
    asked(harbour, learner, TOPICS[1], {})  # nothing said
    other = PAPERS.replaced({"coverage.above": 0.4})
    found = harbour.at("2024-08-11").search(TOPICS[2], 8, recipe=other)
    # other fields: cannot be ranked again by weights alone
    FeedbackLog.of(harbour).grade(FeedbackLog.of(harbour).record(found, other), 1, 3)
    assert learner.take(learner.examples(FeedbackLog.of(harbour).judged("papers"))) == 0
    assert learner.setting() == dict(zip(box_of(PAPERS).names, learner.online.start.tolist(), strict=True))


def test_later_grades_change_what_settings_lose(harbour: Corpus) -> None:
    learner = AdaptiveRecipe.begin(PAPERS)
    query = asked(harbour, learner, TOPICS[0], newest_good(TOPICS[0]))
    learner.take(learner.examples(FeedbackLog.of(harbour).judged("papers")))
    before = learner.online.losses.copy()
    for document in newest_good(TOPICS[0]):
        FeedbackLog.of(harbour).grade(query, document, None)
    FeedbackLog.of(harbour).grade(query, 1, 3)  # what was shown first is best after all: nothing is lost
    learner.take(learner.examples(FeedbackLog.of(harbour).judged("papers")))
    assert before[0] > 0
    assert learner.online.losses.tolist() == [0.0]


def test_a_state_that_is_not_sound_is_refused() -> None:
    sound = json.loads(AdaptiveRecipe.begin(PAPERS).dumps())
    for change in (
        {"format": 1}, {"format": 3}, {"recipe": "asof"}, {"question_losses": None},
        {"question_losses": [["k1", 2.0]]}, {"question_losses": [["k1", 0.5]]}, {"since": None},
        {"since": 1.5}, {"online": None},
        {"online": {**sound["online"], "start": [9.0] * 5}},
    ):  # fmt: skip
        with pytest.raises(DamagedState, match="asof papers --forget"):
            AdaptiveRecipe.loads(json.dumps(sound | change), PAPERS)
    for text in ("", "[]", "{", "[" * 100_000):
        with pytest.raises(DamagedState):
            AdaptiveRecipe.loads(text, PAPERS)
