"""The numbers of the ranking: the learned state stored in the corpus, and the next numbers to try."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from asof.corpus.corpus import Corpus
from asof.corpus.feedback import FeedbackLog
from asof.errors import BeforeHorizon, Busy, NoSpace
from asof.learn.adaptive import CUTOFF, AdaptiveRecipe, is_of_other_numbers, mean_losses
from asof.learn.feedback import JudgedRecord
from asof.learn.loss import gains
from asof.learn.ranking_metrics import RankingMetrics
from asof.papers.answer import LossReport, WeightUpdate
from asof.rank.recipe import value_of
from asof.time.coerce import When

RECIPE = "papers"

ANEW = "asof.toml has other numbers for papers than learning began with: it begins anew from them"
OTHER_NUMBERS = (
    "what was learned is of another version of asof, which learned other numbers: learning begins anew; "
    "questions that were recorded then are not compared, if they lack what lies below the threshold"
)
DROPPED = "the learned state of then was dropped by `asof vacuum`: ranked by the numbers of asof.toml"


def learner(corpus: Corpus, known_at: When | None, notes: list[str]) -> tuple[AdaptiveRecipe, WeightUpdate]:
    """The learner as the corpus knew it at `known_at` (None: now), after it took the new judgements.

    Its state is stored, unless `known_at` is given; where the corpus cannot be written to now, a note is
    added and the next question learns the same. Another note is added where a vacuum removed the state of
    that moment: then learning has none. Raises DamagedState.
    """
    text, judged = _recorded(corpus, known_at, notes)
    fresh = AdaptiveRecipe.begin(corpus.config.recipe_named(RECIPE))
    if text is not None and is_of_other_numbers(text, fresh.recipe):
        notes.append(OTHER_NUMBERS)
        text = None
    adaptive = fresh if text is None else AdaptiveRecipe.loads(text, fresh.recipe)
    if not np.array_equal(adaptive.online.start, fresh.online.start):
        notes.append(ANEW)
        adaptive = fresh
    notes += _provider(adaptive)
    before = adaptive.setting()
    examples = adaptive.examples(judged)
    new = adaptive.take(examples)
    now = adaptive.setting()
    first = {name: value_of(adaptive.recipe, name) for name in now}
    both = np.array([[*now.values()], [*first.values()]])
    lost, began = mean_losses(examples, both)
    measured = [each.metrics(both) for each in examples]
    means = (RankingMetrics.mean([each[at] for each in measured]) for at in (0, 1))
    if known_at is None and adaptive.dumps() != text:
        try:
            FeedbackLog.of(corpus).learn_state(RECIPE, adaptive.dumps())
        except (Busy, NoSpace) as error:
            notes.append(f"the learned state was not stored, the next question learns it again: {error}")
    return adaptive, WeightUpdate(
        adaptive.online.stage, adaptive.online.evaluations + 1, before, now, _losses(adaptive, judged), new,
        len(examples), lost, began, *means,
    )  # fmt: skip


def _recorded(
    corpus: Corpus, known_at: When | None, notes: list[str]
) -> tuple[str | None, list[JudgedRecord]]:
    """The state that was stored last and the judged questions, as known at `known_at`."""
    try:
        return FeedbackLog.of(corpus).learned(RECIPE, known_at), FeedbackLog.of(corpus).judged(
            RECIPE, known_at
        )
    except BeforeHorizon:
        notes.append(DROPPED)
        return None, []


def _provider(adaptive: AdaptiveRecipe) -> list[str]:
    """A note on numbers of asof.toml that learning cannot begin with."""
    box, start = adaptive.online.box, adaptive.online.start
    own = np.array([value_of(adaptive.recipe, name) for name in box.names], np.float64)
    moved = [name for name, one, other in zip(box.names, own, start, strict=True) if abs(one - other) > 1e-9]
    if not moved:
        return []
    names = ", ".join(moved)
    return [f"asof.toml has {names} outside of the learned range: learning begins with the nearest values"]


def _losses(adaptive: AdaptiveRecipe, records: Sequence[JudgedRecord]) -> tuple[LossReport, ...]:
    judged = {each.question.id: each for each in records}
    return tuple(
        LossReport(
            id_, judged[id_].question.text, lost, adaptive.ranked_by(judged[id_].question),
            RankingMetrics.of(judged[id_].grades, gains(judged[id_].grades, judged[id_].weights), CUTOFF),
        )
        for id_, lost in adaptive.question_losses
        if id_ in judged
    )  # fmt: skip


def forget(corpus: Corpus) -> None:
    """Begin anew with the next question: earlier recorded questions do not move the weights any more.
    Judgements stay, settings are compared on them; earlier states stay too, for questions as known then."""
    last = max(
        [corpus.session.clock(), *(each.question.added for each in FeedbackLog.of(corpus).queries(RECIPE))]
    )
    FeedbackLog.of(corpus).learn_state(
        RECIPE, AdaptiveRecipe.begin(corpus.config.recipe_named(RECIPE), since=last).dumps()
    )
