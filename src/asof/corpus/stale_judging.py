"""What is stale, judged by the language model of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asof.corpus.models import ModelProvider
from asof.corpus.session import Session
from asof.data.stale import Stale
from asof.data.verdict import JUDGED_KINDS, UNRELATED, JudgedSentence, Verdict
from asof.errors import UsageError
from asof.index.view import View
from asof.models.prompts import one_line
from asof.stale.shown_pairs import ShownPair, shown_pair
from asof.stale.suggested_edit import suggested_diff

if TYPE_CHECKING:
    from asof.models.metered import MeteredModel, Usage
    from asof.stale.judge import PairVerdict

NO_JUDGE = "no language model is named that could judge what is stale"
REMEDY = 'name one in asof.toml: [model] with url = "http://localhost:11434/v1" and model = "NAME"'


@dataclass(frozen=True, slots=True)
class JudgedStale:
    """`flags`: what is stale with verdicts, in the order in which it was given, without what was judged to be
    unrelated. `notes`: how many that were, and how many were not judged and why. `cost`: what it took."""

    flags: tuple[JudgedSentence, ...]
    notes: tuple[str, ...]
    cost: Usage


@dataclass(frozen=True, slots=True)
class StaleJudge:
    """What lets the language model of a corpus judge what was stale at `as_of`, as it was known at
    `known_at`."""

    session: Session
    models: ModelProvider
    as_of: int
    known_at: int | None

    def judged(self, found: Sequence[Stale], budget: float | None = None) -> JudgedStale:
        """What is stale with verdicts; see `Snapshot.judged_stale`."""
        if wrong := [each for each in found if not isinstance(each, Stale)]:
            raise UsageError(f"found has {wrong[0]!r:.60}; what `Snapshot.stale` gives is expected")
        asked = [each for each in found if each.kind in JUDGED_KINDS and each.by is not None]
        asking = self.session.config.asking
        with self.models.language(asking.budget if budget is None else budget) as model:
            if model is None:
                raise self.session.config.lacking("model", NO_JUDGE, REMEDY)
            replies = self._replies(model, asked)
            cost = model.meter
        verdicts = self.session.use(self.as_of, self.known_at, lambda view: _verdicts(view, asked, replies))
        flags = (JudgedSentence(each, verdicts.get(each.id)) for each in found)
        kept = tuple(each for each in flags if each.verdict is None or each.verdict.verdict != UNRELATED)
        return JudgedStale(kept, _notes(replies), cost)

    def _replies(self, model: MeteredModel, asked: Sequence[Stale]) -> Mapping[str, PairVerdict | str]:
        """What the model says of each, by id; a text that says why it says nothing."""
        from asof.stale.judge import judge  # its shapes need an extra that the model needs as well

        def look(view: View) -> dict[str, ShownPair | str]:
            return {each.id: shown_pair(view, each) for each in asked}

        shown = self.session.use(self.as_of, self.known_at, look)
        replies = judge(model, [each for each in shown.values() if isinstance(each, ShownPair)])
        return {id_: each if isinstance(each, str) else replies[id_] for id_, each in shown.items()}


def _verdicts(
    view: View, asked: Sequence[Stale], replies: Mapping[str, PairVerdict | str]
) -> dict[str, Verdict]:
    verdicts = {}
    for each in asked:
        said = replies[each.id]
        if not isinstance(said, str):
            text = view.store.text(each.quote.document) or ""
            diff = suggested_diff(text, each.quote, said.replacement) if said.verdict != UNRELATED else ""
            verdicts[each.id] = Verdict(said.verdict, one_line(said.reason), diff)
    return verdicts


def _notes(replies: Mapping[str, PairVerdict | str]) -> tuple[str, ...]:
    reasons = Counter(each for each in replies.values() if isinstance(each, str))
    unrelated = sum(not isinstance(each, str) and each.verdict == UNRELATED for each in replies.values())
    notes = [f"{_of(count, replies)} not judged: {reason}" for reason, count in reasons.items()]
    if unrelated:
        notes.append(f"{_of(unrelated, replies)} judged unrelated and left out")
    return tuple(notes)


def _of(count: int, replies: Mapping[str, PairVerdict | str]) -> str:
    return f"{count:,} of {len(replies):,} {'was' if count == 1 else 'were'}"
