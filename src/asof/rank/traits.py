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

    `part`: the name of what is left out where a recipe runs without the stage, because no other one needs its
    column; a stage with a property `off` has no effect where that is true. `varied`: fields on time and the
    graph that figures vary; "weights" is that of its column, which has its name, in a sum. `by_age`: its
    column is "added" to a score, or its score is one with a "factor", that follows from age.

    `total`: the label of the sum that it makes of other columns; `weights`: the fields of their weights, a
    table of them or each named as its column. `limit`: the field that says how many candidates are ranked
    further, a tuple where it depends on them.

    `alone`: the numbers of its columns depend on the candidate and the view, not on which other candidates
    there are, and it leaves all of them: some can be run at a time (`asof.rank.rerank.batches`).
    `by_score`: it reads the score of candidates and no other column.
    """

    constants: tuple[str, ...] | None = None
    part: str = ""
    varied: tuple[str, ...] = ()
    by_age: str = ""
    total: str = ""
    weights: tuple[str, ...] = ()
    limit: str = ""
    alone: bool = False
    by_score: bool = False


NOTHING_SAID = Traits()


def traits_of(stage: Stage) -> Traits:
    """The traits of a stage."""
    traits: Traits = getattr(stage, "traits", NOTHING_SAID)
    return traits


def part_of(stage: Stage) -> str:
    """The name of what a recipe lacks without the stage; "" where another stage needs it, or it is off."""
    return "" if getattr(stage, "off", False) else traits_of(stage).part
