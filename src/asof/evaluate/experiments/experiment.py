"""An experiment of a paper as a value, what it is given, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asof.config import Config
from asof.data import Problem
from asof.evaluate.experiments.table import Picture, Table
from asof.evaluate.options import Progress, no_progress
from asof.evaluate.overrides import changed
from asof.models.ports import Encoder
from asof.rank.recipe import Recipe
from asof.schema import AcceptedValue


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting of an experiment of its own: its default, what is accepted, what it means."""

    default: Any
    accepted: AcceptedValue
    about: str


@dataclass(frozen=True, slots=True)
class ExperimentOptions:
    """How an experiment is run.

    `limit`: the number of questions, chosen by a hash; `seed`: of all that is drawn; `queries`, `filter_by`:
    as of `asof evaluate`. `parameters`: all of the experiment's own, defaults included. `fields`: other
    values of fields of its recipe. `config` names the language model; `encoder` encodes passages.
    """

    limit: int | None = None
    seed: int = 0
    queries: str = ""
    filter_by: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    encoder: Encoder | None = None
    cache: Path | None = None
    progress: Progress = no_progress

    def applied(self, recipe: Recipe) -> Recipe:
        """A recipe with the values of `fields`. Raises UsageError."""
        return changed(recipe, self.fields)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an experiment measured: our table, over how many questions, what a reader has to know about this
    run (`notes`), lines of the dataset that could not be used, pictures, and a row for `each` question where
    the paper looks at single ones."""

    table: Table
    questions: int
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    pictures: tuple[Picture, ...] = ()
    each: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table or a figure of a paper, and how it is made here.

    `name`: the system and the place, "twe/4.3". `source`: the paper, section and table in words.
    `published`: the figures that are printed there. `reading`: how what the paper leaves open is read, and
    where the experiment differs from it, a sentence each. `data`: which dataset the paper used and which one
    fits here. `run` makes our table from the folder of a dataset; it raises UsageError for one that does not
    fit. `parameters`: its own settings, by name. `recipe`: the one whose fields `--set stage.field=value`
    changes; None: fields cannot be set.
    """

    name: str
    about: str
    source: str
    published: Table
    run: Callable[[Path, ExperimentOptions], Outcome]
    reading: tuple[str, ...] = ()
    data: str = "a folder as of asof evaluate"
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    recipe: Recipe | None = None
