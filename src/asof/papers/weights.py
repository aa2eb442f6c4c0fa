"""The numbers of the ranking: what was learned of them so far, in the corpus, and the next ones to try."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from asof.corpus.corpus import Corpus
from asof.errors import BeforeHorizon, Busy, NoSpace
from asof.learn.adaptive import AdaptiveRecipe, mean_losses
from asof.learn.feedback import JudgedRecord
from asof.papers.answer import LossReport, WeightUpdate
from asof.rank.recipe import value_of
from asof.time.coerce import When

RECIPE = "papers"

ANEW = "asof.toml has other numbers for papers than learning began with: it begins anew from them"
DROPPED = "what was learned by then was dropped by `asof vacuum`: ranked by the numbers of asof.toml"


def learner(corpus: Corpus, known_at: When | None, notes: list[str]) -> tuple[AdaptiveRecipe, WeightUpdate]:
    """The learner as the corpus knew it at `known_at` (None: now), after what was judged since.

    What it learned is kept, unless an earlier moment is asked for; where the corpus cannot be written to now,
    a note says so, and the next question learns the same. A note says, too, where a vacuum took from what was
    known then: nothing was learned there. Raises DamagedState.
    """
    text, judged = _recorded(corpus, known_at, notes)
    fresh = AdaptiveRecipe.begin(corpus.config.recipe_named(RECIPE))
    found = fresh if text is None else AdaptiveRecipe.loads(text, fresh.recipe)
    if not np.array_equal(found.online.start, fresh.online.start):
        notes.append(ANEW)
        found = fresh
    notes += _provider(found)
    before = found.setting()
    examples = found.examples(judged)
    new = found.take(examples)
    now = found.setting()
    first = {name: value_of(found.recipe, name) for name in now}
    lost, began = mean_losses(examples, [now, first])
    if known_at is None and found.dumps() != text:
        try:
            corpus.feedback.learn_state(RECIPE, found.dumps())
        except (Busy, NoSpace) as error:
            notes.append(f"what was learned is not kept now, the next question learns it again: {error}")
    return found, WeightUpdate(
        found.online.stage, found.online.told + 1, before, now, _told(found, judged), new, len(examples),
        lost, began,
    )  # fmt: skip


def _recorded(
    corpus: Corpus, known_at: When | None, notes: list[str]
) -> tuple[str | None, list[JudgedRecord]]:
    """The state that was kept last, and what was judged, as known at `known_at`."""
    try:
        return corpus.feedback.learned(RECIPE, known_at), corpus.judged(RECIPE, known_at)
    except BeforeHorizon:
        notes.append(DROPPED)
        return None, []


def _provider(found: AdaptiveRecipe) -> list[str]:
    """A note on numbers of asof.toml that learning cannot begin with."""
    box, start = found.online.box, found.online.start
    own = np.array([value_of(found.recipe, name) for name in box.names], np.float64)
    moved = [name for name, one, other in zip(box.names, own, start, strict=True) if abs(one - other) > 1e-9]
    if not moved:
        return []
    return [f"asof.toml has {', '.join(moved)} outside of what is learned within: the nearest is begun with"]


def _told(found: AdaptiveRecipe, judged: Sequence[JudgedRecord]) -> tuple[LossReport, ...]:
    asked = {each.asked.id: each.asked for each in judged}
    return tuple(
        LossReport(name, asked[name].question, lost, found.ranked_by(asked[name]))
        for name, lost in found.told
        if name in asked
    )


def forget(corpus: Corpus) -> None:
    """Begin anew with the next question: what was recorded until now moves nothing any more. Judgements stay,
    settings are compared on them; so do the states that were kept before, for questions as known then."""
    last = max([corpus.session.clock(), *(each.asked.added for each in corpus.queries(RECIPE))])
    corpus.feedback.learn_state(
        RECIPE, AdaptiveRecipe.begin(corpus.config.recipe_named(RECIPE), since=last).dumps()
    )
