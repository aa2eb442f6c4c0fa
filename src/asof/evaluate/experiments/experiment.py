"""An experiment of a paper as a value, what it is given, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from asof.checks import ENCODERS
from asof.config import Config
from asof.data import Problem
from asof.errors import UsageError
from asof.evaluate.experiments.table import Picture, Table
from asof.evaluate.options import Progress, no_progress
from asof.evaluate.overrides import changed
from asof.models.ports import Encoder
from asof.rank.recipe import Recipe
from asof.schema import AcceptedValue
from asof.store.settings import CorpusSettings

OPTIONS = ("limit", "seed", "queries", "filter_by", "encoder", "cache")
"""The options that an experiment can take."""

WITHOUT_ENCODER = tuple(name for name in OPTIONS if name != "encoder")
"""Of recipes that use no vectors of an encoder."""


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
    values of fields of its recipe. `config` names the language model. `encoder` encodes passages, or that of
    the name `built_in`, which is a setting of a corpus (`hashed`).
    """

    limit: int | None = None
    seed: int = 0
    queries: str = ""
    filter_by: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    encoder: Encoder | None = None
    built_in: str = "none"
    cache: Path | None = None
    progress: Progress = no_progress

    def applied(self, recipe: Recipe) -> Recipe:
        """A recipe with the values of `fields`. Raises UsageError."""
        return changed(recipe, self.fields)

    def indexed(self, settings: CorpusSettings | None = None) -> CorpusSettings:
        """Settings of a corpus (default: asof's own) with the encoder; as they are where none is given."""
        settings = settings or CorpusSettings()
        name = ENCODERS[self.built_in] if self.encoder is None else self.encoder.name
        return replace(settings, encoder=name) if name else settings

    @property
    def encoder_name(self) -> str:
        """The name of the encoder as it is given; "" for none."""
        if self.encoder is None:
            return "" if self.built_in == "none" else self.built_in
        return self.encoder.name

    @property
    def given(self) -> dict[str, Any]:
        """What is other than by default, by the names of OPTIONS."""
        values = {
            "limit": self.limit, "seed": self.seed, "queries": self.queries, "filter_by": self.filter_by,
            "encoder": self.encoder_name, "cache": self.cache,
        }  # fmt: skip
        return {name: value for name, value in values.items() if value}

    def refuse(self, stages: Sequence[str], why: str) -> None:
        """Raises UsageError for a field that was set of stages that other settings leave out."""
        for name in self.fields:
            if name.partition(".")[0] in stages:
                raise UsageError(f"--set {name}: {why}")


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
    changes; None: fields cannot be set. `varies`: the fields of it that the experiment sets itself or leaves
    out, or stages with a dot behind (`centrality.`), which `--set` does not change. `takes`: the options that
    it makes use of, of OPTIONS; others are refused.
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
    varies: tuple[str, ...] = ()
    takes: tuple[str, ...] = OPTIONS

    def own(self, field_: str) -> str:
        """The entry of `varies` that a field, or a table with it, is; "" for none."""
        for each in self.varies:
            inside = field_.startswith(each if each.endswith(".") else f"{each}.")
            if inside or field_ == each or each.startswith(f"{field_}."):
                return each
        return ""
