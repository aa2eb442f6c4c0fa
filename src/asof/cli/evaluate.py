"""`asof evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from asof.cli.encoders import BUILT_IN, encoder_of, keeping
from asof.cli.main import DONE, NOTHING, PROBLEMS, echo_err, json_option, print_json
from asof.cli.problem_lines import note_problems
from asof.cli.progress import step_progress
from asof.cli.staleness import check_options, evaluate_stale
from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.evaluate.answers.models import EvaluationModels
    from asof.evaluate.evaluation import Evaluation
    from asof.evaluate.options import EvaluationOptions, Progress
    from asof.evaluate.runs.dataset import Dataset
    from asof.models.ports import Encoder


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option(
    "--recipe", "recipes", multiple=True, metavar="NAME", help="A way of ranking (again: and that)."
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
@click.option(
    "--incremental",
    default="",
    metavar="FIELD=VALUE[,...]",
    help="Documents that agree come as an update: before and after it, and what it costs.",
)
@click.option("--run", "run_file", type=click.Path(path_type=Path), metavar="FILE", help="Write a TREC run.")
@click.option("--per-query", is_flag=True, help="What each question got, too.")
@click.option("--chunking", metavar="SIZE", help="Passages: 120w (default), 120w/20, 2000c/200, whole.")
@click.option("--language", metavar="CODE[,CODE]", help="Languages of the texts (default en).")
@click.option("--no-stem", is_flag=True, help="Words as they are written.")
@click.option(
    "--encoder",
    metavar="NAME",
    help="Vectors beside words: none (default), hashed, a model's folder or its name on the hub; configured: "
    "that of asof.toml.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="N", help="Of all that is drawn (default 0)."
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Cache of corpora, for the next run (default ~/.cache/asof).",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Draw figures there, the numbers beside them as CSV (needs the extra asof[figures]).",
)
@click.option("--stale", is_flag=True, help="DATASET is a folder with cases.jsonl: is what is stale flagged?")
@click.option(
    "--index",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="With --stale: keep the corpora of the cases there, for the next run.",
)
@click.option("--verbose", is_flag=True, help="With --stale: each flag that is wrong, and what was missed.")
@json_option
@click.pass_context
def evaluate(
    context: click.Context,
    /,
    dataset: Path,
    recipes: tuple[str, ...],
    run_file: Path | None,
    per_query: bool,
    model: bool,
    judge: bool,
    incremental: str,
    cache: Path | None,
    figures: Path | None,
    stale: bool,
    index: Path | None,
    verbose: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """What recipes are worth on DATASET, each question asked as of when it was asked.

    DATASET is a folder with corpus.jsonl, queries*.jsonl, qrels.tsv and, for sentences, evidence.jsonl; see
    docs/guides/evaluate.md. Intervals hold in 95 of 100 drawings of other questions. Exit code 1: something
    leaked.
    """
    check_options(_given(context), stale=stale)
    if stale:
        return evaluate_stale(
            dataset, options["leakage"], options["seed"], index, verbose=verbose, as_json=as_json
        )
    chosen = _options(**options)
    encoder = encoder_of(options["encoder"])
    if (model or judge) and not (chosen.answers or incremental):
        raise UsageError("--model and --judge are about answers: use them with --answers or --incremental")
    models = _models(writes=model, judges=judge)
    if incremental:
        alone = {"leakage": chosen.leakage, "figures": figures, "run": run_file, "by": chosen.by}
        _check_alone(**alone, **{"encoder MODEL": encoder})
        return _incremental(dataset, incremental, recipes, chosen, models, per_query, as_json)
    with keeping(encoder, cache) as cached:
        return _whole(dataset, recipes, chosen, models, cached, run_file, per_query, cache, figures, as_json)


def _given(context: click.Context) -> list[str]:
    """The names of the parameters that are on the command line."""
    return [
        name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]


def _whole(
    dataset: Path, recipes: tuple[str, ...], options: EvaluationOptions, models: EvaluationModels,
    encoder: Encoder | None, run_file: Path | None, per_query: bool, cache: Path | None,
    figures: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """One corpus, all questions."""
    from asof.cli.scores import show
    from asof.evaluate import evaluation
    from asof.evaluate.report.evaluation import evaluation_json

    if figures is not None:
        from asof.evaluate.figures.files import ready

        ready(figures)
    drawn: list[str] = []
    with step_progress() as progress:
        evaluation_run = evaluation.evaluate(
            dataset, recipes or ("asof",), options, encoder=encoder, cache=cache, run_file=run_file,
            progress=progress, models=models,
        )  # fmt: skip
        if figures is not None and evaluation_run.runs:
            evaluation_run, drawn = _drawn(evaluation_run, figures, cache, encoder, progress)
    if as_json:
        print_json(evaluation_json(evaluation_run, per_query=per_query))
    else:
        show(evaluation_run, per_query=per_query)
        note_problems(evaluation_run.dataset.problems)
    if figures is not None:
        echo_err(f"figures in {figures}: {', '.join(drawn) or 'none'}")
    if evaluation_run.leakage is not None and not evaluation_run.leakage.clean:
        return NOTHING
    return _code(evaluation_run.dataset)


def _incremental(
    dataset: Path, later: str, recipes: tuple[str, ...], options: EvaluationOptions, models: EvaluationModels,
    per_query: bool, as_json: bool,
) -> int:  # fmt: skip
    """A base, then an update."""
    from asof.evaluate import incremental
    from asof.evaluate.report.incremental import incremental_json

    with step_progress() as progress:
        evaluation_run = incremental.evaluate(
            dataset, later, recipes or ("asof",), options, progress=progress, models=models
        )
    if as_json:
        print_json(incremental_json(evaluation_run, per_query=per_query))
    else:
        from asof.cli.incremental import show_incremental

        show_incremental(evaluation_run)
        note_problems(evaluation_run.dataset.problems)
    return _code(evaluation_run.dataset)


def _code(dataset: Dataset) -> int:
    return PROBLEMS if any(problem.lost for problem in dataset.problems) else DONE


def _models(*, writes: bool, judges: bool) -> EvaluationModels:
    """The language model of asof.toml in this folder, as far as it is wanted. Raises UsageError,
    MissingExtra."""
    from asof.evaluate.answers.models import NO_MODELS, EvaluationModels

    if not (writes or judges):
        return NO_MODELS
    from asof import environment
    from asof.corpus.models import CLIENT, SHAPES, installed

    models = EvaluationModels(environment.configuration(Path(), echo_err), writes, judges)
    models.check()
    installed(SHAPES, CLIENT)
    return models


def _check_alone(**others: object) -> None:
    """Raises UsageError for what --incremental cannot do as well."""
    for name, value in others.items():
        if value:
            raise UsageError(f"--incremental has no --{name}: evaluate the whole dataset for that")


def _options(
    queries: str, limit: int | None, leakage: int, without: str, filter_by: tuple[str, ...],
    chunking: str | None, language: str | None, no_stem: bool, encoder: str | None, seed: int,
    answers: bool, by: tuple[str, ...],
) -> EvaluationOptions:  # fmt: skip
    """The options, checked as asof.toml is. Raises BadConfig."""
    from asof import config
    from asof.evaluate.options import EvaluationOptions

    given: dict[str, Any] = {}
    if chunking is not None:
        given["chunking"] = chunking
    if language is not None:
        given["languages"] = [code.strip() for code in language.split(",")]
    if no_stem:
        given["stem"] = False
    if encoder in BUILT_IN:
        given["encoder"] = encoder
    settings = config.read({"index": given}, "asof evaluate").index
    names = tuple(name.strip() for name in without.split(",") if name.strip())
    return EvaluationOptions(queries, limit, leakage, names, filter_by, settings, seed, answers, by)


def _drawn(
    evaluation: Evaluation,
    folder: Path,
    cache: Path | None,
    encoder: Encoder | None,
    progress: Progress | None,
) -> tuple[Evaluation, list[str]]:
    """Draw the figures: the evaluation with notes about those that are left out, the names of the others."""
    from dataclasses import replace

    from asof.evaluate.figures.figures import figures

    notes: list[str] = []
    paths = figures(
        evaluation, folder, cache=cache, encoder=encoder, progress=progress, on_note=notes.append
    )  # fmt: skip
    drawn = [path.stem for path in paths if path.suffix == ".png"]
    return replace(evaluation, notes=(*evaluation.notes, *notes)), drawn
