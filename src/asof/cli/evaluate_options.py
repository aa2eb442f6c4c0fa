"""What the options of `asof evaluate` mean: recipes with their settings, the corpus, models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.encoders import BUILT_IN
from asof.cli.main import corpus_root, echo_err, given
from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.evaluate.answers.models import EvaluationModels
    from asof.evaluate.configuration import UsedConfiguration
    from asof.evaluate.options import EvaluationOptions
    from asof.evaluate.overrides import Variant


def configuration(file: Path | None) -> UsedConfiguration:
    """The configuration that holds: of a file, or of the folder of the corpus (this one, where there is
    none). Raises UsageError, BadConfig."""
    from asof.evaluate.configuration import used

    return used(file, corpus_root(None), echo_err)


def variants(
    names: Sequence[str], configured: UsedConfiguration, settings: Sequence[str], *, add_one: bool,
    leave_one_out: bool, vectors: bool,
) -> list[Variant]:  # fmt: skip
    """The recipes to measure, those that vary others among them. Raises UsageError."""
    from asof.evaluate import components
    from asof.evaluate.overrides import Setting, with_settings

    recipes = [configured.recipe(name) for name in names]
    made = with_settings(recipes, [Setting.read(each) for each in settings])
    if not (add_one or leave_one_out):
        return made
    if any(each.base for each in made):
        raise UsageError(
            "--add-one and --leave-one-out vary one setting of each recipe: give --set one value"
        )
    for whole in list(made):
        if not components.components(whole.recipe, vectors=vectors):
            raise UsageError(f"recipe {whole.recipe.name} has no part that can be off")
        if add_one:
            made += components.add_one(whole.recipe, vectors=vectors)
        if leave_one_out:
            made += components.leave_one_out(whole.recipe, vectors=vectors)
    return made


def models(*, writes: bool, judges: bool) -> EvaluationModels:
    """The language model of asof.toml in this folder, as far as it is wanted. Raises UsageError,
    MissingExtra."""
    from asof.evaluate.answers.models import NO_MODELS, EvaluationModels

    if not (writes or judges):
        return NO_MODELS
    from asof import environment
    from asof.corpus.models import CLIENT, SHAPES, installed

    found = EvaluationModels(environment.configuration(Path(), echo_err), writes, judges)
    found.check()
    installed(SHAPES, CLIENT)
    return found


def check_alone(**others: object) -> None:
    """Raises UsageError for what --incremental cannot do as well: `others` by name, and what the command
    line has without a use, a cache, and single questions without --json."""
    context = click.get_current_context()
    typed = given(context)
    if "per_query" in typed and not context.params["as_json"]:
        raise UsageError("--per-query with --incremental goes with --json: the table has no single questions")
    for name, value in {**others, "cache": "cache" in typed}.items():
        if value:
            raise UsageError(f"--incremental has no --{name}: evaluate the whole dataset for that")


def evaluation_options(
    configured: UsedConfiguration, queries: str, limit: int | None, leakage: int, without: str,
    filter_by: tuple[str, ...], chunking: str | None, language: str | None, no_stem: bool,
    encoder: str | None, seed: int, answers: bool, by: tuple[str, ...], metrics: tuple[str, ...],
) -> EvaluationOptions:  # fmt: skip
    """The options, checked as asof.toml is; [index] has those of the corpus that are not given, but for the
    encoder. Raises BadConfig, UsageError."""
    from dataclasses import replace

    from asof import config
    from asof.evaluate.options import EvaluationOptions
    from asof.evaluate.runs.metrics import check_metrics

    given: dict[str, Any] = {}
    if chunking is not None:
        given["chunking"] = chunking
    if language is not None:
        given["languages"] = [code.strip() for code in language.split(",")]
    if no_stem:
        given["stem"] = False
    if encoder in BUILT_IN:
        given["encoder"] = encoder
    asked = config.read({"index": given}, "asof evaluate").index
    chosen = {"encoder": asked.encoder, **{key: getattr(asked, key) for key in given}}
    settings = replace(configured.config.index, **chosen)
    names = tuple(name.strip() for name in without.split(",") if name.strip())
    check_metrics(metrics)
    return EvaluationOptions(
        queries, limit, leakage, names, filter_by, settings, seed, answers, by, tuple(dict.fromkeys(metrics))
    )
