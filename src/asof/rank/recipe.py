"""A recipe: a name and a tuple of stages. Running it is a loop; changing it returns another value.

A number of a recipe is named by its field, `time_preference.recency_weight`, or, where the field is a table
from names to numbers, by field and name: `combine.weights.freshness`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from asof.data import Query
from asof.errors import UsageError
from asof.rank.stage import Stage
from asof.schema import checked

_UPPER = re.compile(r"(?<!^)(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Range:
    """A number of a recipe and its bounds, both included. `also`: numbers that are always the same."""

    field: str
    low: float
    high: float
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tunable:
    """The numbers of a recipe that are learned by default; `simplex`: fields among them whose sum is
    fixed."""

    ranges: tuple[Range, ...] = ()
    simplex: tuple[str, ...] = ()


NOTHING = Tunable()


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way of ranking: its name, its purpose (`about`), and its stages in order.

    `typed`: the question is searched as it was typed, including stop words and words that only ask for the
    newest, as the published systems do. `tunable`: its numbers that can be learned.
    """

    name: str
    about: str
    stages: tuple[Stage, ...]
    typed: bool = False
    tunable: Tunable = NOTHING

    @property
    def reads_times(self) -> bool:
        """Whether a stage goes by the times that a question names, also where the question is searched as it
        was typed (its `reads_times`)."""
        return any(getattr(stage, "reads_times", False) for stage in self.stages)

    @property
    def splits(self) -> bool:
        """Whether a stage searches each part of a question by itself (its `splits`)."""
        return any(getattr(stage, "splits", False) for stage in self.stages)

    def stages_by_name(self) -> dict[str, Stage]:
        """The stages by name: the class in snake case, with a number from the second of its kind on."""
        named: dict[str, Stage] = {}
        for stage in self.stages:
            kind = name = _UPPER.sub("_", type(stage).__name__).lower()
            number = 2
            while name in named:
                name, number = f"{kind}-{number}", number + 1
            named[name] = stage
        return named

    def steps(self, query: Query) -> Iterator[tuple[str, Stage, Query]]:
        """The stages by name, each with its query: the k of the stages before one that examines more
        candidates than are shown (its `needs`) is as large, so that they leave as many."""
        named = self.stages_by_name()
        depths = [query.k]
        for stage in reversed(named.values()):
            depths.append(max(depths[-1], getattr(stage, "needs", 0)))
        for (name, stage), k in zip(named.items(), reversed(depths[:-1]), strict=True):
            yield name, stage, query if k == query.k else dataclasses.replace(query, k=k)

    def fields(self) -> Iterator[tuple[str, Any]]:
        """The fields that can be set, as `stage.field` (and `typed`), with their values."""
        yield "typed", self.typed
        for name, stage in self.stages_by_name().items():
            for field in dataclasses.fields(stage):  # type: ignore[arg-type]  # stages are dataclasses
                value = getattr(stage, field.name)
                if not dataclasses.is_dataclass(value) and (value is not None or field.metadata):
                    yield f"{name}.{field.name}", value

    def replaced(self, values: Mapping[str, Any]) -> Recipe:
        """The recipe with other values of some fields, `{"decay.tau_min": 365}`.

        A stage that refers to a later one by value refers to the changed one. Raises UsageError for an
        unknown field (with the nearest name) or a value that it does not accept.
        """
        stages, typed = self.stages_by_name(), self.typed
        for key, value in values.items():
            name, _, field = key.partition(".")
            known = [known for known, _ in self.fields()]
            if key not in known:
                near = get_close_matches(key, known, 1, 0.4)
                suggestion = f"did you mean {near[0]}?" if near else "accepted: " + ", ".join(known)
                raise UsageError(f"recipe {self.name} has no field {key}; {suggestion}")
            try:
                if key == "typed":
                    typed = checked(self, key, value)
                    continue
                old = stages[name]
                new = dataclasses.replace(old, **{field: checked(old, field, value)})  # type: ignore[type-var]
            except (UsageError, ValueError) as error:
                raise UsageError(f"recipe {self.name}: {key} = {value!r}: {error}") from error
            stages = {each: _substituted(stage, old, new) for each, stage in stages.items()}
            stages[name] = new
        return dataclasses.replace(self, stages=tuple(stages.values()), typed=typed)


def _substituted(stage: Any, old: Stage, new: Stage) -> Any:
    """A stage with `new` in place of `old` everywhere."""
    changed = {}
    for field in dataclasses.fields(stage):
        value = getattr(stage, field.name)
        if value == old:
            changed[field.name] = new
        elif dataclasses.is_dataclass(value):
            inner = _substituted(value, old, new)
            if inner != value:
                changed[field.name] = inner
    return dataclasses.replace(stage, **changed) if changed else stage


def ranges(recipe: Recipe) -> dict[str, Range]:
    """All numbers of a recipe that have bounds: those that it declares, and fields of its stages with a
    range of their own (`asof.schema.within`)."""
    bounded = {}
    for name, stage in recipe.stages_by_name().items():
        for each in dataclasses.fields(stage):  # type: ignore[arg-type]  # stages are dataclasses
            value, bounds = getattr(stage, each.name), each.metadata
            if "low" in bounds and isinstance(value, int | float) and not isinstance(value, bool):
                field = f"{name}.{each.name}"
                bounded[field] = Range(field, bounds["low"], bounds["high"])
    return bounded | {each.field: each for each in recipe.tunable.ranges}


def value_of(recipe: Recipe, field: str) -> float:
    """The number that a field has. Raises UsageError when there is none of that name."""
    known = dict(recipe.fields())
    table, _, name = field.rpartition(".")
    if field in known and isinstance(known[field], int | float) and not isinstance(known[field], bool):
        return float(known[field])
    if table in known and isinstance(known[table], tuple):
        pairs = dict(known[table]) if all(isinstance(each, tuple) for each in known[table]) else {}
        if name in pairs:
            return float(pairs[name])
    raise UsageError(f"recipe {recipe.name} has no number {field}")


def with_values(recipe: Recipe, values: Mapping[str, float]) -> Recipe:
    """The recipe with other numbers; whole ones are rounded, those of `Range.also` follow.

    Raises UsageError for a number that is not there, or that its field does not accept.
    """
    also = {each.field: each.also for each in recipe.tunable.ranges}
    known = dict(recipe.fields())
    changed: dict[str, Any] = {}
    for field, value in values.items():
        for each in (field, *also.get(field, ())):
            value_of(recipe, each)
            if each in known:
                changed[each] = round(value) if isinstance(known[each], int) else float(value)
                continue
            table, _, name = each.rpartition(".")
            changed.setdefault(table, dict(known[table]))[name] = float(value)
    return recipe.replaced(changed)
