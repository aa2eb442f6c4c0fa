"""`asof tune`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.main import (
    DONE,
    NOTHING,
    corpus_root,
    echo_err,
    index_option,
    json_option,
    open_corpus,
    print_json,
)
from asof.cli.progress import step_progress
from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.evaluate.options import Progress
    from asof.learn.box import Box
    from asof.rank.recipe import Recipe
    from asof.tuning.config_edit import ConfigEdit
    from asof.tuning.outcome import TuningOutcome
    from asof.tuning.tuning_questions import TuningQuestions


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path), required=False)
@click.option("--feedback", is_flag=True, help="Tune on the feedback recorded in this corpus.")
@click.option("--recipe", metavar="NAME", help="Which way of ranking (default: that of asof.toml, asof).")
@click.option(
    "--field", "fields", multiple=True, metavar="FIELD[=LOW..HIGH]",
    help="A number to tune (again: and that); default: those that the recipe declares.",
)  # fmt: skip
@click.option(
    "--by", type=click.Choice(["both", "lcb", "coordinates"]), default="both",
    help="Which search: Gaussian processes, one number after another, or the better of both (default).",
)  # fmt: skip
@click.option("--metric", default="ndcg@10", metavar="NAME", help="ndcg@K, K from 1 to 50 (default ndcg@10).")
@click.option(
    "--folds", type=click.IntRange(2, 20), default=5, metavar="N", help="Parts to judge on (default 5)."
)
@click.option(
    "--evaluations", type=click.IntRange(10, 5000), default=300, metavar="N",
    help="Settings that a search tries at most for each fold (default 300).",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(20), metavar="N", help="N questions, chosen by a hash.")
@click.option("--group", multiple=True, metavar="FIELD", help="Questions with the same FIELD stay together.")
@click.option("--queries", default="", metavar="FILE", help="One file of questions only; a path or a name.")
@click.option("--filter-by", multiple=True, metavar="FIELD", help="As of asof evaluate.")
@click.option("--encoder", metavar="NAME", help="Vectors beside words: none (default), hashed.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="N", help="Of all that is drawn (default 0)."
)
@click.option("--write", is_flag=True, help="Put the values into asof.toml if they are a gain.")
@click.option("--anyway", is_flag=True, help="With --write: even if they are none.")
@click.option("--undo", is_flag=True, help="Put back what --write wrote last.")
@click.option(
    "--cache", type=click.Path(path_type=Path), metavar="DIR",
    help="Cache of corpora, for the next run (default ~/.cache/asof).",
)  # fmt: skip
@index_option
@json_option
def tune(
    dataset: Path | None, feedback: bool, recipe: str | None,
    fields: tuple[str, ...],
    by: str, metric: str, folds: int, evaluations: int, seed: int, write: bool, anyway: bool, undo: bool,
    index: Path | None, as_json: bool, **source: Any,
) -> int:  # fmt: skip
    """Fit a recipe's numbers to judgements, and say what they gain on questions that were held out.

    DATASET is a folder as of `asof evaluate`; --feedback takes what was said of hits instead. Nothing is
    changed unless --write is given: then asof.toml in the folder of the corpus (--index, or this one). Exit
    code 1: no gain; see docs/guides/tuning.md.
    """
    if undo:
        if dataset is not None or feedback or write:
            raise UsageError("--undo goes alone: it puts back what --write wrote last")
        return _undo(corpus_root(index), as_json)
    _check(dataset, feedback, write, anyway, source)
    from asof import environment
    from asof.tuning.fields import chosen, metric_depth
    from asof.tuning.tune import TuningOptions
    from asof.tuning.tune import tune as fitted

    k, folder, how = metric_depth(metric), corpus_root(index), TuningOptions(folds, by, evaluations, seed)
    configured = environment.configuration(folder)
    ranked, box = chosen(configured.recipe_named(recipe or configured.recipe), fields)
    with (
        step_progress() as progress,
        _material(dataset, index, ranked, box, k, seed, source, progress) as material,
    ):
        outcome = fitted(material, how, progress)
    change = _write(folder, ranked, outcome) if write and (outcome.gain or anyway) else None
    _show(outcome, change, as_json)
    if write and not (outcome.gain or anyway):
        echo_err("nothing was written: there is no gain; --anyway writes the values all the same")
    elif write and change is None:
        echo_err("nothing was written: the recipe has these values already")
    return DONE if outcome.gain or change is not None else NOTHING


def _write(folder: Path, recipe: Recipe, outcome: TuningOutcome) -> ConfigEdit | None:
    """Write the values that were found; None where they are there already."""
    from asof.rank.recipe import with_values

    origin = {"on": outcome.material, "metric": outcome.metric, "sentence": outcome.sentence}
    return _write_recipe(folder, recipe, with_values(recipe, outcome.values), origin)


def _write_recipe(folder: Path, recipe: Recipe, tuned: Recipe, origin: dict[str, str]) -> ConfigEdit | None:
    """Write how a recipe was changed; None where it is so already."""
    from asof import environment
    from asof.time.span import iso
    from asof.tuning.config_edit import proposed_recipe, write

    change = proposed_recipe(folder, recipe, tuned, origin, iso(environment.now()))
    if not change.diff:
        return None
    with environment.rewriting(folder, change.before, change.leaves) as trusted:
        write(change, follow=trusted)
    return change


def _check(dataset: Path | None, feedback: bool, write: bool, anyway: bool, source: dict[str, Any]) -> None:
    """Raises UsageError for options that do not go together."""
    if feedback == (dataset is not None):
        raise UsageError("give either DATASET or --feedback")
    if anyway and not write:
        raise UsageError("--anyway goes with --write")
    for name in () if dataset is not None else ("group", "queries", "filter_by", "encoder", "cache"):
        if source[name]:
            raise UsageError(f"--{name.replace('_', '-')} is about datasets: --feedback has none")


@contextmanager
def _material(
    dataset: Path | None, index: Path | None, recipe: Recipe, box: Box, k: int, seed: int,
    source: dict[str, Any], progress: Progress | None,
) -> Iterator[TuningQuestions]:  # fmt: skip
    """The questions, while their corpus is open."""
    if dataset is None:
        from asof.tuning.from_feedback import from_feedback

        with open_corpus(index) as corpus:
            yield from_feedback(corpus, recipe, box, k, source["limit"], seed)
        return
    from asof import config
    from asof.evaluate.options import EvaluationOptions
    from asof.tuning.from_dataset import from_dataset

    given = {} if source["encoder"] is None else {"encoder": source["encoder"]}
    settings = config.read({"index": given}, "asof tune").index
    options = EvaluationOptions(
        source["queries"], source["limit"], filter_by=source["filter_by"], settings=settings, seed=seed
    )
    with from_dataset(
        dataset,
        recipe,
        box,
        k,
        options,
        by=source["group"],
        cache=source["cache"],
        progress=progress,
    ) as material:
        yield material


def _show(outcome: TuningOutcome, change: ConfigEdit | None, as_json: bool) -> None:
    if as_json:
        from asof.serialize.tuning import tune_json

        print_json(tune_json(outcome, change))
        return
    from asof.cli.tuning_report import show, show_change

    show(outcome)
    if change is not None:
        show_change(change, "wrote")


def _undo(folder: Path, as_json: bool) -> int:
    from asof import environment
    from asof.tuning.config_edit import undo, undone

    change = undone(folder)
    with environment.rewriting(folder, change.before, change.leaves) as trusted:
        undo(change, follow=trusted)
    if as_json:
        from asof.serialize.tuning import tune_undo_json

        print_json(tune_undo_json(change))
    else:
        from asof.cli.tuning_report import show_change

        show_change(change, "undid")
    return DONE
