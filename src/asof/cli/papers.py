"""`asof papers`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import (
    DONE,
    NOTHING,
    PROBLEMS,
    TIMES,
    corpus_root,
    echo_err,
    index_option,
    json_option,
    note_answers,
    print_json,
    time_option,
)
from asof.cli.progress import index_progress, waiting_progress
from asof.cli.question import joined

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.papers.answer import PaperAnswer, PaperQuestion

CHUNKING = "400c/80"
"""The passages of a corpus that is made here, as published: 400 characters, 80 of them said twice."""


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("question", nargs=-1)
@click.option(
    "--categories",
    metavar="A[+B]",
    help="Categories of arXiv, cs.IR+cs.CL (default: the question's).",
)
@time_option("--since", "Papers submitted from then on (default: as the question says, else a week ago).")
@time_option("--until", "Papers submitted until then (default: now).")
@click.option("--per-day", type=click.IntRange(min=0), metavar="N", help="Fetch a day's N newest; 0: all.")
@click.option(
    "-k", type=click.IntRange(1, 100), metavar="N", help="How many papers (default: as asked for, or 10)."
)
@click.option(
    "--read", type=click.IntRange(0, 20), default=3, metavar="N",
    help="How many of the first are read in full (default 3).",
)  # fmt: skip
@click.option("--offline", is_flag=True, help="Ask nothing of arXiv: answer from what is here.")
@click.option("--no-record", is_flag=True, help="Do not record the question: nothing is learned from it.")
@click.option("--judge", is_flag=True, help="Let [model] of asof.toml grade the papers, to learn from it.")
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    metavar="USD",
    help="What all calls of [model] for the question may cost.",
)
@time_option("--as-of", "What was published then, and as of when questions are read.")
@time_option("--known-at", "Only what this corpus had learned by then, weights included.")
@click.option("--forget", is_flag=True, help="Reset the weights; judgements are kept.")
@index_option
@json_option
def papers(
    question: tuple[str, ...], categories: str | None, since: str | None, until: str | None,
    per_day: int | None, k: int | None, read: int, offline: bool, no_record: bool, judge: bool,
    budget: float | None, as_of: str | None, known_at: str | None, forget: bool,
    index: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Answer QUESTION from new papers of arXiv: fetch, rank, read the first in full, answer, learn.

    \b
      asof papers "new ways to keep retrieval fresh, last two weeks"
      asof feedback ID 1 3        the first paper answers it: the next question is ranked by other weights

    Papers are ranked by similarity, freshness, coverage and volume; their weights move with what you say of
    papers (or the model, with --judge) and with nothing else. Exit code 1: no paper.
    """
    from asof.errors import UsageError

    if forget and not question:
        return _forget(index)
    from asof.papers.answer import PaperQuestion
    from asof.store.empty_corpus import removed_if_empty

    asked = joined(question, "QUESTION", "some words are")
    if judge and no_record:
        raise UsageError("--judge grades what is recorded: leave out --no-record")
    named = tuple(
        filter(None, (each.strip() for each in (categories or "").removeprefix("arxiv:").split("+")))
    )
    request = PaperQuestion(
        asked, named, since, until, per_day, k, read, not offline, not no_record, judge, budget, as_of,
        known_at,
    )  # fmt: skip
    with removed_if_empty(corpus_root(index)), _corpus(index) as corpus, waiting_progress(corpus):
        if forget:
            _begin_anew(corpus)
        note_answers(corpus.config)
        outcome = _asked(corpus, request)
        return _shown(outcome, as_json=as_json)


def _corpus(index: Path | None) -> Corpus:
    """The corpus of the folder; one that is made here has passages as published."""
    from dataclasses import replace

    from asof import config, environment
    from asof.corpus.corpus import open as open_corpus

    root = corpus_root(index)
    settings = environment.configuration(root).index
    if settings.chunking == config.Config().index.chunking:
        settings = replace(settings, chunking=CHUNKING)
    return open_corpus(root, settings=settings, on_note=echo_err)


def _forget(index: Path | None) -> int:
    from asof.cli.main import open_corpus

    with open_corpus(index) as corpus:
        _begin_anew(corpus)
    return DONE


def _begin_anew(corpus: Corpus) -> None:
    from asof.papers.weights import forget

    forget(corpus)
    echo_err("the weights of papers are reset; judgements of papers are kept")


def _asked(corpus: Corpus, request: PaperQuestion) -> PaperAnswer:
    from asof.papers.pipeline import ask_papers

    with index_progress("arXiv") as advance:
        return ask_papers(corpus, request, advance)


def _shown(outcome: PaperAnswer, *, as_json: bool) -> int:
    from asof.cli.papers_report import show_outcome
    from asof.serialize.papers import papers_json

    if as_json:
        print_json(papers_json(outcome))
    else:
        show_outcome(outcome)
    lost = any(
        problem.lost for report in (outcome.fetched, outcome.texts) if report for problem in report.problems
    )
    if not outcome.results.hits:
        return NOTHING
    return PROBLEMS if lost or outcome.incomplete else DONE
