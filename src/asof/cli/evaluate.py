"""`asof evaluate`: its options, and the run that they ask for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.encoders import BUILT_IN, encoder_of, keeping
from asof.cli.main import DONE, NOTHING, PROBLEMS, corpus_root, echo_err, json_option, print_json
from asof.cli.problem_lines import note_problems
from asof.cli.tables import step_progress
from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.evaluate.answers.models import EvaluationModels
    from asof.store.settings import CorpusSettings


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option(
    "--recipe", "recipes", multiple=True, metavar="NAME", help="A way of ranking (again: and that)."
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Recipes as this asof.toml has them; none: as published (default: that of the corpus's folder).",
)
@click.option("--queries", default="", metavar="FILE", help="One file of questions only; a path or a name.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="N questions, chosen by a hash.")
@click.option(
    "--leakage",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Ask N questions again of a corpus rebuilt without anything later: are the answers the same?",
)
@click.option(
    "--without",
    default="",
    metavar="FIELDS",
    help="Blank fields of the documents first: title,metadata,timestamp or names from corpus.jsonl.",
)
@click.option(
    "--filter-by",
    multiple=True,
    metavar="FIELD",
    help="Documents have to agree with the question in this field, e.g. conversation.",
)
@click.option("--answers", is_flag=True, help="Ask for answers, too, and compare them with the right ones.")
@click.option(
    "--by", multiple=True, metavar="FIELD", help="Metrics also by this field of the questions, e.g. type."
)
@click.option(
    "--model", is_flag=True, help="Answers by the language model of asof.toml (default: quotes, no model)."
)
@click.option("--judge", is_flag=True, help="Have answers judged by the language model of asof.toml.")
@click.option("--run", "run_file", type=click.Path(path_type=Path), metavar="FILE", help="Write a TREC run.")
@click.option("--per-query", is_flag=True, help="What each question got, too.")
@click.option(
    "--encoder",
    metavar="NAME",
    help="Vectors beside words: none (default), hashed, a model's folder or its name on the hub; configured: "
    "that of asof.toml.",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Draw figures there, the numbers beside them as CSV (needs the extra asof[figures]).",
)
@json_option
def evaluate(
    dataset: Path,
    recipes: tuple[str, ...],
    config_file: Path | None,
    queries: str,
    limit: int | None,
    leakage: int,
    without: str,
    filter_by: tuple[str, ...],
    answers: bool,
    by: tuple[str, ...],
    model: bool,
    judge: bool,
    run_file: Path | None,
    per_query: bool,
    encoder: str | None,
    figures: Path | None,
    as_json: bool,
) -> int:
    """What recipes are worth on DATASET, each question asked as of when it was asked.

    DATASET is a folder with corpus.jsonl, queries*.jsonl, qrels.tsv and, for sentences, evidence.jsonl; see
    docs/guides/evaluate.md. Intervals hold in 95 of 100 drawings of other questions. Exit code 1: something
    leaked.
    """
    from asof.evaluate import evaluation
    from asof.evaluate.configuration import used
    from asof.evaluate.options import EvaluationOptions

    configured = used(config_file, corpus_root(None), echo_err)
    names = recipes or (configured.config.recipe,)
    configured = configured.evaluating(names)
    encodes = encoder_of(encoder)
    options = EvaluationOptions(
        queries, limit, leakage, tuple(name.strip() for name in without.split(",") if name.strip()),
        filter_by, _indexed(configured.config.index, encoder), answers=answers, by=by,
    )  # fmt: skip
    if (model or judge) and not answers:
        raise UsageError("--model and --judge are about answers: use them with --answers")
    models = _models(writes=model, judges=judge)
    if figures is not None:
        from asof.evaluate.figures import ready

        ready(figures)
    with keeping(encodes) as encodes, step_progress() as progress:
        found = evaluation.evaluate(
            dataset, [configured.recipe(name) for name in names], options, encoder=encodes,
            run_file=run_file, progress=progress, models=models,
        )  # fmt: skip
    found = replace(found, configuration=configured)
    if as_json:
        from asof.evaluate.report.evaluation import evaluation_json

        print_json(evaluation_json(found, per_query=per_query))
    else:
        from asof.cli.scores import show

        show(found, per_query=per_query)
        note_problems(found.dataset.problems)
    if figures is not None:
        from asof.evaluate.figures import of_evaluation

        drawn = of_evaluation(found)
        for picture in drawn:
            picture.written(figures)
        echo_err(f"figures in {figures}: {', '.join(each.name for each in drawn) or 'none'}")
    if found.leakage is not None and not found.leakage.clean:
        return NOTHING
    return PROBLEMS if any(problem.lost for problem in found.dataset.problems) else DONE


def _indexed(configured: CorpusSettings, encoder: str | None) -> CorpusSettings:
    """[index] of the configuration, but with the built-in encoder that is named, or none."""
    from asof.checks import ENCODERS

    return replace(configured, encoder=ENCODERS[encoder if encoder in BUILT_IN else "none"])


def _models(*, writes: bool, judges: bool) -> EvaluationModels:
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
