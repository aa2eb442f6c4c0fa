"""A language model as judge of what is held to be stale: several pairs of sentences a prompt.

Replies are read as pydantic values, so this module is loaded only where there is a judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, Field

from asof.models.metered import tokens
from asof.models.ports import Model, Prompt, Reply
from asof.models.prompts import between, prompt_text
from asof.stale.shown_pairs import ShownPair

MOST = 8
"""The most pairs of a prompt."""
MOST_TOKENS = 4_000
"""The most tokens of the pairs of a prompt, estimated; one pair may be longer by itself."""
ENDS = frozenset("01")
"""A batch ends behind an id with one of these as its last digit: see `batches`."""
REPLY, REPLY_PER_PAIR = 64, 200
"""Tokens of a reply, beside those of the replacements."""

LEFT_OUT = "the reply leaves them out"
TWICE = "the reply judges them twice"
NO_VERDICTS = "the reply has no verdicts"
OVER_BUDGET = "the budget is used up"


class PairVerdict(BaseModel):
    """The judge's reply about one pair."""

    number: int
    verdict: Literal["contradiction", "outdated", "unrelated"]
    reason: str = Field(max_length=600)
    replacement: str = Field("", max_length=4_000)


class PairVerdicts(BaseModel):
    """The judge's reply about the pairs of a prompt."""

    pairs: list[PairVerdict] = Field(max_length=4 * MOST)


def judge(model: Model, pairs: Sequence[ShownPair]) -> dict[str, PairVerdict | str]:
    """The verdict on each pair, by the id of what is stale; a text that says why there is none.

    The pairs of a batch whose reply cannot be used in full are asked for once more, each by itself: one that
    confuses the model does not keep the others from being judged. Raises ModelError.
    """
    judged: dict[str, PairVerdict | str] = {}
    groups, alone = batches(pairs), []
    for group, reply in zip(groups, model.complete([prompt(each) for each in groups]), strict=True):
        judged |= read(group, reply)
        if reply.text and len(group) > 1:
            alone += [each for each in group if isinstance(judged[each.stale.id], str)]
    if alone:
        for pair, reply in zip(alone, model.complete([prompt([each]) for each in alone]), strict=True):
            judged |= read([pair], reply)
    return judged


def batches(pairs: Iterable[ShownPair]) -> list[list[ShownPair]]:
    """The pairs in batches, that of the first pair first.

    Where a batch ends follows from the ids, which are digests: where one pair comes or goes, only its own
    batch is another one and is paid for, and the replies about the others are in the cache.
    """
    once = {each.stale.id: each for each in pairs}
    rank = {id_: number for number, id_ in enumerate(once)}
    groups: list[list[ShownPair]] = []
    full, used = True, 0
    for id_, each in sorted(once.items()):
        size = tokens(each.line(MOST))
        if full or used + size > MOST_TOKENS:
            groups.append([])
            used = 0
        groups[-1].append(each)
        used += size
        full = len(groups[-1]) == MOST or id_[-1] in ENDS
    return sorted(groups, key=lambda group: min(rank[each.stale.id] for each in group))


def prompt(pairs: Sequence[ShownPair]) -> Prompt:
    """The pairs, numbered from 1, between marks that are in none of them. It holds no moment at which was
    asked: the same pairs are the same prompt at any time."""
    lines = [each.line(number) for number, each in enumerate(pairs, 1)]
    passages = sorted({passage for each in pairs for passage in each.passages})
    replies = sum(REPLY_PER_PAIR + tokens(each.stale.quote.text) for each in pairs)
    return Prompt(
        prompt_text("asof.stale", "judge"), between(*lines), PairVerdicts, tuple(passages), REPLY + replies
    )


def read(pairs: Sequence[ShownPair], reply: Reply) -> Mapping[str, PairVerdict | str]:
    """What a reply says of each pair, by id; a text that says why it says nothing that counts."""
    if reply.unsent:
        return dict.fromkeys((each.stale.id for each in pairs), OVER_BUDGET)
    if reply.problem or not isinstance(reply.value, PairVerdicts):
        return dict.fromkeys((each.stale.id for each in pairs), reply.problem or NO_VERDICTS)
    times = Counter(each.number for each in reply.value.pairs)
    verdicts = {each.number: each for each in reply.value.pairs}
    return {
        each.stale.id: TWICE if times[number] > 1 else verdicts.get(number, LEFT_OUT)
        for number, each in enumerate(pairs, 1)
    }
