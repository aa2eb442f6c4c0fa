"""A recipe whose weights move with judgements of recorded questions."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import asof
from asof.corpus.corpus import Corpus
from asof.errors import DamagedState
from asof.extensions.systems.judgements import FeedbackLog, recorded_scores
from asof.extensions.systems.loss import ndcg_of_gains
from asof.extensions.systems.online import AdaptiveRecipe, box_of, mean_losses
from asof.extensions.systems.recipes import PAPERS
from asof.rank.stage import with_values
from asof.time.moment import read
from asof.values import Document, SourcedTime

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


def test_only_the_latest_are_compared(harbour: Corpus) -> None:
    learner = AdaptiveRecipe.begin(PAPERS)
    ids = [asked(harbour, learner, topic, newest_good(topic)) for topic in TOPICS]
    assert [
        each.question.id for each in learner.examples(FeedbackLog.of(harbour).judged("papers"), 3)
    ] == ids[1:]


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
