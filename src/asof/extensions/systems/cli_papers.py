"""The command `asof papers`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.ask import show_answer, used
from asof.cli.main import (
    DONE,
    NOTHING,
    PROBLEMS,
    TIMES,
    corpus_root,
    echo_err,
    given,
    index_option,
    joined,
    json_option,
    note_answers,
    open_corpus,
    print_json,
    time_option,
)
from asof.cli.show import TITLE
from asof.cli.terminal import (
    counted,
    index_progress,
    plain,
    problem_lines,
    shortened,
    waiting_progress,
)
from asof.extensions.systems.judgements import FeedbackLog
from asof.extensions.systems.results import FeedbackResult, RecordedQueries
from asof.hits import Answer, Hit, Why
from asof.rank.gather import UNKNOWN
from asof.time.span import format_instant, iso

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.extensions.systems.judgements import JudgedRecord, JudgingReport
    from asof.extensions.systems.papers import PaperAnswer, PaperQuestion, PaperStatement, WeightUpdate
    from asof.hits import Usage
    from asof.store.run import IndexReport


# -- asof papers -----------------------------------------------------------------------------------


CHUNKING = "400c/80"
"""The passages of a corpus that is made here, as published: 400 characters, 80 of them said twice."""


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("question", nargs=-1)
@click.option("--feedback", is_flag=True, help="Grade the hits of a question, or list the questions.")
@click.option(
    "--categories", metavar="A[+B]", help="Categories of arXiv, cs.IR+cs.CL (default: the question's)."
)
@time_option("--since", "Papers submitted from then on (default: as the question says, else a week ago).")
@time_option("--until", "Papers submitted until then (default: now).")
@click.option(
    "-k", type=click.IntRange(1, 100), metavar="N", help="How many papers (default: as asked for, or 10)."
)
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
@click.pass_context
def papers(
    context: click.Context, /, question: tuple[str, ...], feedback: bool, categories: str | None,
    since: str | None, until: str | None, k: int | None, offline: bool, no_record: bool, judge: bool,
    budget: float | None, as_of: str | None, known_at: str | None, forget: bool,
    index: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Answer QUESTION from new papers of arXiv: fetch, rank, read the first three in full, answer, learn.

    \b
      asof papers "new ways to keep retrieval fresh, last two weeks"
      asof papers --feedback                 list the recorded questions
      asof papers --feedback ID              show its hits and grades
      asof papers --feedback ID HIT GRADE    GRADE: 0 (useless) to 3 (answers it), or none
      asof papers --feedback ID --judge      let the model of asof.toml grade them

    Papers are ranked by similarity, freshness, coverage and volume; their weights move with what you say of
    papers (or the model, with --judge) and with nothing else. Exit code 1: no paper.

    The beginning of ID is enough. HIT is a rank, the id of a hit, or the id of a document.
    """
    from asof.errors import UsageError

    if feedback:
        return _feedback(context, question, judge, budget, known_at, index, as_json=as_json)
    if forget and not question:
        return _forget(index)
    from asof.extensions.systems.papers import PaperQuestion

    asked = joined(question, "QUESTION")
    if judge and no_record:
        raise UsageError("--judge grades what is recorded: leave out --no-record")
    named = tuple(
        filter(None, (each.strip() for each in (categories or "").removeprefix("arxiv:").split("+")))
    )
    request = PaperQuestion(
        asked, named, since, until, k=k, fetch=not offline, record=not no_record, judge=judge, budget=budget,
        as_of=as_of, known_at=known_at,
    )  # fmt: skip
    with _corpus(index) as corpus, waiting_progress(corpus):
        if forget:
            _begin_anew(corpus)
        note_answers(corpus.config)
        outcome = _asked(corpus, request)
        return _shown(outcome, as_json=as_json)


def _corpus(index: Path | None) -> Corpus:
    """The corpus of the folder; one that is made here has passages as published."""
    from asof import config, environment
    from asof.corpus.corpus import open as open_corpus
    from asof.wire import replace

    root = corpus_root(index)
    settings = environment.configuration(root).index
    if settings.chunking == config.Config().index.chunking:
        settings = replace(settings, chunking=CHUNKING)
    return open_corpus(root, settings=settings, on_note=echo_err)


def _recorded_in(index: Path | None) -> Corpus:
    """The corpus whose questions were recorded. Raises NoCorpus."""
    from asof.errors import NoCorpus

    try:
        return open_corpus(index)
    except NoCorpus as error:
        raise NoCorpus(
            "no index is here, so no question was recorded: `asof papers QUESTION` makes one and records; "
            "--index names the folder of another"
        ) from error


def _forget(index: Path | None) -> int:
    with _recorded_in(index) as corpus:
        _begin_anew(corpus)
    return DONE


def _begin_anew(corpus: Corpus) -> None:
    from asof.extensions.systems.papers import forget

    forget(corpus)
    echo_err("the weights of papers are reset; judgements of papers are kept")


def _asked(corpus: Corpus, request: PaperQuestion) -> PaperAnswer:
    from asof.extensions.systems.papers import ask_papers

    with index_progress("arXiv") as advance:
        return ask_papers(corpus, request, advance)


def _shown(outcome: PaperAnswer, *, as_json: bool) -> int:
    from asof.extensions.systems.results import PapersResult

    if as_json:
        print_json(PapersResult.of(outcome), "explain")
    else:
        show_outcome(outcome)
    lost = any(
        problem.lost for report in (outcome.fetched, outcome.texts) if report for problem in report.problems
    )
    if not outcome.results.hits:
        return NOTHING
    return PROBLEMS if lost or outcome.incomplete else DONE


# -- its outcome -----------------------------------------------------------------------------------


NAMES = {"freshness.rate": "rate of freshness", "coverage.above": "threshold"}
"""Labels of numbers on a terminal, where the key says too little."""

STAGES = {
    "baseline": "they are the first",
    "exploration": "now near the first ones (exploration)",
    "evolution": "now down the gradient of what was tried (evolution)",
    "bayesian": "now where a model of what was tried expects the most (bayesian)",
}
"""Descriptions of the stages of learning."""

SHOWN_PROBLEMS = 8

NOTE = 400
"""The most characters of a note."""

QUOTE = 400
"""The most characters of what a paper says."""


def show_outcome(outcome: PaperAnswer) -> None:
    """Shows papers with the parts of their scores and quotes, the answer, the weights."""
    _show_head(outcome)
    statements = {each.paper: each for each in outcome.statements}
    for hit in outcome.results.hits:
        _show_paper(hit, statements.get(hit.document))
    if not outcome.results.hits:
        click.echo("no paper of these categories and this time is here")
    click.echo()
    _show_answer(outcome)
    _show_learned(outcome.learned)
    for note in (*outcome.notes, *(note for note in outcome.results.notes if note.startswith(UNKNOWN))):
        click.secho(f"note: {plain(shortened(note, NOTE))}", dim=True)
    _note_problems(outcome)
    if outcome.judging is not None:
        _note_judging(outcome.judging)
    if outcome.cost is not None:
        _note_cost(outcome.cost)
    if outcome.recorded:
        click.secho(
            f"recorded as {outcome.recorded}; how well does a paper answer, 0 to 3? Paper 1 well: "
            f"asof papers --feedback {outcome.recorded} 1 3",
            dim=True,
        )


def _show_head(outcome: PaperAnswer) -> None:
    """Shows the categories, the moment, and what was fetched."""
    wish, request, view = outcome.parsed, outcome.request, outcome.results.view
    parts = [" + ".join(wish.categories), f"{iso(wish.since)[:10]} to {iso(wish.until)[:10]}"]
    if request.as_of is not None:
        parts.append(f"as of {format_instant(view.as_of)}")
    if request.known_at is not None:
        parts.append(f"known at {format_instant(view.known_at)}")
    if wish.by != "rules":
        parts.append(f"read by {wish.by}")
    click.secho(plain(f"arXiv {' · '.join([*parts, _fetched(outcome)])}"), dim=True)


def _fetched(outcome: PaperAnswer) -> str:
    reports = [(outcome.fetched, "new abstract"), (outcome.texts, "new full text")]
    counts = [counted(_new(report), what) for report, what in reports if report]
    return ", ".join(counts) or "nothing was fetched"


def _new(report: IndexReport) -> int:
    return report.added + report.changed + report.corrected


def _show_paper(hit: Hit, statement: PaperStatement | None) -> None:
    date = iso(hit.published.span.first)[:10] if hit.published else "undated"
    title = click.style(plain(shortened(" ".join(hit.title.split()) or hit.document, TITLE)), bold=True)
    click.echo(f"{hit.rank:>3}. {title}  {click.style(plain(date), fg='cyan')}")
    parts = " · ".join(f"{NAMES.get(name, name)} {value:.2f}" for name, value in columns(hit.why).items())
    click.secho(f"     {plain(hit.uri or hit.document)}  {hit.score:.3f} of {parts}", dim=True)
    if statement is not None:
        click.echo(plain(f"     {statement.place}: “{shortened(' '.join(statement.quote.split()), QUOTE)}”"))


def _show_answer(outcome: PaperAnswer) -> None:
    """The answer; quotes only as far as they do not stand above already, with the papers."""
    answer, request = outcome.answer, outcome.request
    if answer is None or _above(answer, outcome):
        return
    if answer.refused and answer.by == "extractive":
        click.secho("no single sentence answers it: above is what comes nearest in each paper read", dim=True)
    else:
        show_answer(answer, dated=request.as_of is not None, known=request.known_at is not None, streamed="")
    click.echo()


def _above(answer: Answer, outcome: PaperAnswer) -> bool:
    """True if an answer is nothing but quotes that the papers are shown with."""
    quotes = [each.quote for each in answer.citations]
    only = answer.by == "extractive" and not answer.values and not answer.refused
    return only and all(any(quote in each.quote for each in outcome.statements) for quote in quotes)


def columns(why: Why) -> dict[str, float]:
    """The weighed values of a paper, by name."""
    return {part.label: part.parts[0].value for part in why.parts if part.op == "product" and part.parts}


def _show_learned(learned: WeightUpdate) -> None:
    """The weights of this question, those before if they moved, and what they were learned from."""
    click.echo(f"weights: {_numbers(learned.now)}")
    if learned.before != learned.now:
        click.echo(f"before:  {_numbers(learned.before)}")
    now, first = learned.metrics, learned.initial_metrics
    if not learned.losses or now is None or first is None:
        click.secho("as they began: no judged question to learn from yet", dim=True)
        return
    pairs = ((f"NDCG@{now.k}", now.ndcg, first.ndcg), (f"precision@{now.k}", now.precision, first.precision))
    shown = " · ".join(f"{name} {one:.3f} (first weights {other:.3f})" for name, one, other in pairs)
    click.echo(f"metrics: {shown}, on {counted(learned.compared, 'judged question')}")
    judged = counted(len(learned.losses), "judged question")
    click.secho(f"learned from {judged}; these weights are a trial: {STAGES[learned.stage]}", dim=True)


def _note_cost(cost: Usage) -> None:
    """Shows what the calls of the model took."""
    kept = f", {cost.cached:,} replies kept from before" if cost.cached else ""
    refused = f", {counted(cost.refused, 'prompt')} not sent: the budget is used up" if cost.refused else ""
    echo_err(f"model, all calls: {used(cost)}{kept}{refused}")


def _numbers(values: Mapping[str, float]) -> str:
    short = {name.removeprefix("combine.weights."): value for name, value in values.items()}
    return " · ".join(f"{NAMES.get(name, name)} {value:.3f}" for name, value in short.items())


def _note_problems(outcome: PaperAnswer) -> None:
    problems = [each for report in (outcome.fetched, outcome.texts) if report for each in report.problems]
    for line in problem_lines(problems, SHOWN_PROBLEMS):
        echo_err(f"  {shortened(line, NOTE)}")


def _note_judging(judging: JudgingReport) -> None:
    echo_err(f"{judging.judge} graded {counted(judging.graded, 'paper')}")
    for problem in judging.problems[:SHOWN_PROBLEMS]:
        echo_err(f"  not graded: {shortened(problem, NOTE)}")


# -- asof papers --feedback ------------------------------------------------------------------------


NONE = "none"
QUESTION, TITLE_WIDTH = 60, 90
"""The most characters of a question in a list."""

FEEDBACK = ("question", "feedback", "judge", "budget", "known_at", "index", "as_json")


def _feedback(
    context: click.Context, words: tuple[str, ...], judge: bool, budget: float | None, known_at: str | None,
    index: Path | None, *, as_json: bool,
) -> int:  # fmt: skip
    """Grade a hit of a recorded question, show the question, or list all. Raises click.UsageError for what
    does not go together."""
    padded: list[str | None] = [*words, None, None, None]
    query_id, hit, grade = padded[:3]
    others = [each.replace("_", "-") for each in given(context) if each not in FEEDBACK]
    for wrong, message in (
        (others, f"--{''.join(others[:1])} is about a question, not --feedback"),
        (len(words) > 3, f"--feedback takes ID, HIT and GRADE: {''.join(words[3:4])!r:.80} is too much"),
        (hit is not None and grade is None, f"GRADE is missing: 0 to 3, or {NONE}"),
        (query_id is None and judge, "--judge needs an ID: asof papers --feedback lists them"),
        (query_id is not None and known_at, "--known-at is for all questions, without ID"),
        (judge and hit is not None, "either GRADE or --judge"),
        (budget is not None and not judge, "--budget is for --judge"),
    ):
        if wrong:
            raise click.UsageError(message)
    with _recorded_in(index) as corpus:
        log = FeedbackLog.of(corpus)
        if query_id is None:
            return _list(log.queries(known_at), as_json=as_json, known_at=known_at)
        judging = log.judge(query_id, budget) if judge else None
        if hit is not None and grade is not None and not log.grade(query_id, hit, _number(grade)):
            echo_err("that is its grade already; nothing was added")
        one = log.recorded(query_id)
        titles = log.titles(one)
    if as_json:
        print_json(FeedbackResult.of(one, judging))
    else:
        _show(one, titles)
        if judging is not None:
            _note_judging(judging)
            _note_cost(judging.cost)
    return PROBLEMS if judging is not None and judging.problems else DONE


def _number(grade: str) -> float | None:
    """A grade from a text. Raises click.UsageError if it is none."""
    from asof.extensions.systems.judgements import HIGHEST

    if grade == NONE:
        return None
    with suppress(ValueError):
        if 0 <= (value := float(grade)) <= HIGHEST:
            return value
    raise click.UsageError(f"GRADE is {grade!r}; accepted: a number from 0 to {HIGHEST:g}, or {NONE}")


def _list(records: list[JudgedRecord], *, as_json: bool, known_at: str | None) -> int:
    if as_json:
        print_json(RecordedQueries.of(records))
        return DONE if records else NOTHING
    if not records:
        then = f", as known at {plain(known_at)}" if known_at else ""
        click.echo(f"no question was recorded{then}: asof papers QUESTION does")
        return NOTHING
    for each in records:
        question = each.question
        judged = f"{sum(map(bool, each.kinds))} of {len(question.shown)} judged"
        click.echo(
            f"{click.style(question.id, bold=True)}  {iso(question.added)[:16]}  {judged:<16}"
            f" {plain(shortened(question.text, QUESTION))}"
        )
    return DONE


def _show(one: JudgedRecord, titles: Mapping[int, tuple[str, str]]) -> None:
    question = one.question
    click.secho(f"{question.id}  {plain(shortened(question.text))}", bold=True)
    dates = f"as of {format_instant(question.as_of)} · recorded {format_instant(question.added)}"
    click.secho(dates, dim=True)
    for hit, grade, kind in zip(question.shown, one.grades, one.kinds, strict=True):
        mark = "-" if grade is None else f"{grade:g}"
        by = f"  (by {kind})" if kind else ""
        title, date = titles.get(hit.rank, (hit.document, "undated"))
        click.echo(f"{hit.rank:>3}. {mark:<4} {plain(shortened(title, TITLE_WIDTH))} ({date}){by}")
        click.secho(f"          {plain(hit.hit)}  {hit.score:.4f}", dim=True)
