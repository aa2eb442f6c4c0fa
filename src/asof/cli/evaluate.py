"""`asof evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from asof.cli.encoders import encoder_of, keeping
from asof.cli.evaluate_options import check_alone, configuration, evaluation_options, models, variants
from asof.cli.evaluated import updated, whole
from asof.cli.main import given, json_option
from asof.cli.staleness import check_options, evaluate_stale
from asof.errors import UsageError


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
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="[RECIPE:]FIELD=VALUE[,...]",
    help="Another value of a field, decay.delta=0; of several each combination (again: and that).",
)
@click.option("--leave-one-out", is_flag=True, help="Each recipe without each of its parts, too.")
@click.option("--add-one", is_flag=True, help="Each recipe with all parts off, then each of them on alone.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Another metric of rankings: success@K, precision@K, recall@K, ndcg@K, mrr@K (again: and that).",
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
    config_file: Path | None,
    settings: tuple[str, ...],
    leave_one_out: bool,
    add_one: bool,
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
    check_options(given(context), stale=stale)
    if stale:
        return evaluate_stale(
            dataset, options["leakage"], options["seed"], index, verbose=verbose, as_json=as_json
        )
    configured = configuration(config_file)
    names = recipes or (configured.config.recipe,)
    configured = configured.evaluating(names)
    chosen = evaluation_options(configured, **options)
    encoder = encoder_of(options["encoder"])
    if (model or judge) and not (chosen.answers or incremental):
        raise UsageError("--model and --judge are about answers: use them with --answers or --incremental")
    ranked = variants(
        names,
        configured,
        settings,
        add_one=add_one,
        leave_one_out=leave_one_out,
        vectors=bool(encoder or chosen.settings.encoder),
    )
    asked = models(writes=model, judges=judge)
    if incremental:
        alone = {
            "leakage": chosen.leakage,
            "figures": figures,
            "run": run_file,
            "by": chosen.by,
            "metric": chosen.metrics,
        }
        check_alone(**alone, **{"encoder MODEL": encoder})
        return updated(dataset, incremental, ranked, configured, chosen, asked, per_query, as_json)
    with keeping(encoder, cache) as cached:
        return whole(
            dataset, ranked, configured, chosen, asked, cached, run_file, per_query, cache, figures, as_json
        )
