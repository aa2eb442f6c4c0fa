"""The contract of ranking: a stage takes a query, a ranking and a view, and returns a ranking.

A `Ranking` is columnar: places of candidates in the window of the view that the query's filters leave, and
named columns of numbers about them. A column is made of an expression (`asof.rank.expression`), which the
stage builds: its numbers, and the tree of each, follow from that.

A `Recipe` is a name and a tuple of stages. A number of it is named by its field,
`supersession.margin`, or in a table by field and name, `combine.weights.freshness`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.errors import UsageError
from asof.hits import Halting
from asof.index.segment import Window
from asof.index.view import View, at_least, kth_best
from asof.queries import Query
from asof.rank.expression import Expression, Given, Places, RankingColumn, Values
from asof.schema import checked
from asof.wire import replace

# -- stages --------------------------------------------------------------------------------------------


class Ranking(Struct, frozen=True):
    """Candidates and their columns.

    `places` is None while every place of the window is a candidate; one whose value in the column that ranks
    (`by`) is 0 does not match. Once places were chosen, all of them match, whatever their scores. `deferred`
    holds candidates that a stage sets aside for a while (`asof.rank.rerank`). `halting`: the effect of a
    budget (`asof.extensions.systems.budget`). `whole`: the columns of all places of the window, from before
    some were chosen; `reusable`: those of their arrays that no tree reads, for other searches after this one.
    """

    window: Window
    places: NDArray[np.int64] | None = None
    columns: Mapping[str, RankingColumn] = msgspec.field(default_factory=dict)
    by: str = ""
    notes: tuple[str, ...] = ()
    deferred: Ranking | None = None
    halting: Halting | None = None
    whole: Mapping[str, RankingColumn] = msgspec.field(default_factory=dict)
    reusable: tuple[Values, ...] = ()

    @property
    def scores(self) -> RankingColumn:
        """The column that ranks. Raises UsageError when no stage before made one."""
        if not self.by:
            raise UsageError("no stage before gathers candidates and scores them, as Lexical() does")
        return self.columns[self.by]

    @property
    def score(self) -> Values:
        return self.scores.values

    @property
    def count(self) -> int:
        """The number of candidates."""
        return self.window.n if self.places is None else len(self.places)

    @property
    def rows(self) -> NDArray[np.int64]:
        """Row numbers of the candidates in the view."""
        places = np.arange(self.window.n) if self.places is None else self.places
        return self.window.rows(places)

    def row(self, at: int) -> int:
        """The row number of one candidate, by its place among them."""
        place = at if self.places is None else int(self.places[at])
        return int(self.window.rows(np.array([place]))[0])

    def column(self, name: str) -> RankingColumn:
        """The column of that name; raises UsageError when no stage before made it."""
        if name not in self.columns:
            names = ", ".join(self.columns) or "none"
            raise UsageError(f"there is no column {name!r} to rank with; those made before are: {names}")
        return self.columns[name]

    def with_column(
        self, name: str, of: Expression, *, by: bool = True, high: float | None = None,
        out: Values | None = None,
    ) -> Ranking:  # fmt: skip
        """The same candidates with one column more, which ranks them now unless `by` is False.

        `out`: an array that may be used for the numbers. Raises ValueError unless there is a number for each
        candidate: stages that gather (`Lexical`, `Dense`) have to come before those that choose.
        """
        column = RankingColumn.computed(of, self.count, high, out)
        if len(column.values) != self.count:
            raise ValueError(f"column {name!r}: {len(column.values)} values for {self.count} candidates")
        columns = {**self.columns, name: column}
        return replace(self, columns=columns, by=name if by else self.by)

    def with_feature(self, name: str, of: Expression) -> Ranking:
        """The candidates that match, in the same order, and one column more; all candidates before any column
        ranks them.

        `of` has a number for each of `rows`. Others are left out, as a sum with this column would make them
        match. Raises ValueError for a number that is not finite.
        """
        made = self.with_column(name, of, by=False)
        if self.places is None and self.by:
            chosen = np.flatnonzero(self.score > 0)
            # not `keep`: its arrays serve other searches, and the expression may hold them
            columns = {each: column.taken(chosen) for each, column in made.columns.items()}
            made = replace(made, places=chosen, columns=columns, whole=made.columns)
        if not np.isfinite(made.columns[name].values).all():
            raise ValueError(f"column {name!r}: a value is not a finite number")
        return made

    def note(self, *notes: str) -> Ranking:
        return replace(self, notes=(*self.notes, *notes))

    def keep(self, chosen: NDArray[np.int64]) -> Ranking:
        """Only these candidates (indices into the present ones), in this order."""
        places = chosen if self.places is None else self.places[chosen]
        columns = {name: column.taken(chosen) for name, column in self.columns.items()}
        if self.places is not None:
            return replace(self, places=places, columns=columns)
        reusable = tuple({id(each): each for each in _reusable(self.columns)}.values())
        return replace(self, places=places, columns=columns, whole=self.columns, reusable=reusable)

    @property
    def chosen(self) -> Places:
        """The places of a ranking of which some were chosen, as of those that match."""
        assert self.places is not None  # noqa: S101  see `matching`
        return self.places

    def matching(self) -> Ranking:
        """The candidates that match, as chosen places."""
        return self if self.places is not None else self.keep(np.flatnonzero(self.score > 0))

    def shortlist(self, k: int) -> Ranking:
        """Drop candidates that score less than the k-th and cannot be among the first k; ties stay."""
        if self.places is None:
            return self.keep(at_least(self.score, kth_best(self.score, k)))
        if len(self.places) <= k:
            return self
        bound = np.partition(self.score, len(self.places) - k)[len(self.places) - k]
        return self.keep(np.flatnonzero(self.score >= bound))


def places_among(values: NDArray[Any], among: NDArray[Any]) -> Places:
    """For each value its place among different ones; -1: none."""
    if not len(among):
        return np.full(len(values), -1)
    order = np.argsort(among)
    at: Places = order[np.minimum(np.searchsorted(among[order], values), len(among) - 1)]
    return np.where(among[at] == values, at, -1)


def _reusable(columns: Mapping[str, RankingColumn]) -> Iterator[Values]:
    """The arrays of columns that no tree reads."""
    for column in columns.values():
        if not isinstance(column.of, Given) or column.of.tree is not None:
            yield column.values


class Stage(Protocol):
    """One step of a recipe: a frozen value whose fields are its parameters.

    It can declare more in a class variable `traits` (`Traits`).
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking: ...


# -- traits: what learning needs to know of a stage beyond its fields ----------------------------------


@dataclass(frozen=True, slots=True)
class Traits:
    """Declared by a stage in its class variable `traits`; none of it is needed to rank.

    `constants`: the fields that are leaves in the trees of its column, or the threshold at which it is made
    (then `remade` of the stage makes it at another). Naming them, if none with (), declares that all numbers
    of the stage and all columns made before act in the expression of its column alone: learning then tries
    other numbers by that expression, and those fields on recorded trees.
    """

    constants: tuple[str, ...] | None = None


def traits_of(stage: Stage) -> Traits:
    """The traits of a stage."""
    traits: Traits = getattr(stage, "traits", Traits())
    return traits


# -- recipes -------------------------------------------------------------------------------------------

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
    """The numbers of a recipe learned by default; `simplex`: fields among them whose sum is fixed."""

    ranges: tuple[Range, ...] = ()
    simplex: tuple[str, ...] = ()


NOTHING = Tunable()


@dataclass(frozen=True, slots=True)
class Recipe:
    """A ranking recipe: its name, its purpose (`about`), and its stages in order.

    `typed`: the query is searched verbatim, including stop words and words that only ask for the newest, as
    the published systems do. `tunable`: its numbers that can be learned.
    """

    name: str
    about: str
    stages: tuple[Stage, ...]
    typed: bool = False
    tunable: Tunable = NOTHING

    @property
    def reads_times(self) -> bool:
        """True if a stage uses the times that a question names, also where the question is searched verbatim
        (its `reads_times`)."""
        return any(getattr(stage, "reads_times", False) for stage in self.stages)

    @property
    def splits(self) -> bool:
        """True if a stage searches each part of a question by itself (its `splits`)."""
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
            yield name, stage, query if k == query.k else replace(query, k=k)

    def fields(self) -> Iterator[tuple[str, Any]]:
        """The fields that can be set, as `stage.field` (and `typed`), with their values."""
        yield "typed", self.typed
        for name, stage in self.stages_by_name().items():
            for each in dataclasses.fields(stage):  # type: ignore[arg-type]  # stages are dataclasses
                value = getattr(stage, each.name)
                if not dataclasses.is_dataclass(value) and (value is not None or each.metadata):
                    yield f"{name}.{each.name}", value

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
                new = replace(old, **{field: checked(old, field, value)})
            except (UsageError, ValueError) as error:
                raise UsageError(f"recipe {self.name}: {key} = {value!r}: {error}") from error
            stages = {each: _substituted(stage, old, new) for each, stage in stages.items()}
            stages[name] = new
        return replace(self, stages=tuple(stages.values()), typed=typed)


def _substituted(stage: Any, old: Stage, new: Stage) -> Any:
    """A stage with `new` in place of `old` everywhere."""
    changed = {}
    for each in dataclasses.fields(stage):
        value = getattr(stage, each.name)
        if value == old:
            changed[each.name] = new
        elif dataclasses.is_dataclass(value):
            inner = _substituted(value, old, new)
            if inner != value:
                changed[each.name] = inner
    return replace(stage, **changed) if changed else stage


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
    """The number of a field. Raises UsageError if there is none of that name."""
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
    for number, value in values.items():
        for each in (number, *also.get(number, ())):
            value_of(recipe, each)
            if each in known:
                changed[each] = round(value) if isinstance(known[each], int) else float(value)
                continue
            table, _, name = each.rpartition(".")
            changed.setdefault(table, dict(known[table]))[name] = float(value)
    return recipe.replaced(changed)
