"""What learning and figures know of a stage beyond its fields: the stage itself says it."""

from __future__ import annotations

from dataclasses import dataclass

from asof.rank.stage import Stage


@dataclass(frozen=True, slots=True)
class Traits:
    """Said by a stage in its class variable `traits`; none of it is needed to rank.

    `constants`: the fields that are leaves in the trees of its column, or the threshold at which it is made
    (then `remade` of the stage makes it at another). Who names them, if none with (), says
    that all numbers of the stage and all columns made before act in the expression of its column alone:
    learning then tries other numbers by that expression, and those fields on recorded trees.

    `by_age`: its column is "added" to a score, or its score is one with a "factor", that follows from age.
    `total`: the label of the sum that it makes of other columns.

    `alone`: the numbers of its columns depend on the candidate and the view, not on which other candidates
    there are, and it leaves all of them: some can be run at a time (`asof.rank.rerank.batches`).
    `by_score`: it reads the score of candidates and no other column.
    `halts`: it needs the numbers of few candidates at first, and of more only when these do not decide: its
    method `over(steps, ranking, view)` runs the stages before it, with their queries, itself.
    """

    constants: tuple[str, ...] | None = None
    by_age: str = ""
    total: str = ""
    alone: bool = False
    by_score: bool = False
    halts: bool = False


NOTHING_SAID = Traits()


def traits_of(stage: Stage) -> Traits:
    """The traits of a stage."""
    traits: Traits = getattr(stage, "traits", NOTHING_SAID)
    return traits
