# ruff: noqa: N999  the paper numbers its tables so
"""`tgrag/VI`: one abstract question, two answers, and why the judge prefers one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.table import Column, Row, Table
from asof.evaluate.experiments.tgrag.protocol import MODELS
from asof.evaluate.experiments.tgrag.table_V import DIMENSIONS
from asof.recipes.tgrag import TGRAG
from asof.schema import text

PUBLISHED = Table.of([Column("winner", "")], dict.fromkeys(DIMENSIONS, ("TG-RAG",)))


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """The question, asked of NaiveRAG and TG-RAG. Raises UsageError, ModelError."""
    from asof.errors import UsageError
    from asof.evaluate.evaluation import evaluate
    from asof.evaluate.experiments.tgrag.answering import NAIVE, OURS, Asking, labelled, models_of, systems
    from asof.evaluate.experiments.tgrag.questions import questions_of
    from asof.evaluate.options import EvaluationOptions

    if options.config.model is None:
        raise options.config.lacking("model", "tgrag/VI asks a language model to judge")
    compared = {name: each for name, each in systems(options).items() if name in (NAIVE, OURS)}
    wanted = str(options.parameters["question"])
    with questions_of(dataset, options, abstract=True, only=wanted) as (data, queries):
        how = EvaluationOptions(queries, None if wanted else 1, seed=options.seed, answers=True)
        found = evaluate(
            dataset, labelled(compared), how, encoder=options.encoder, cache=options.cache,
            progress=options.progress, answerer_at=Asking.of(data), models=models_of(options),
        )  # fmt: skip
    answers = found.answers
    if answers is None or answers.judging is None or not answers.judging.reasons:
        problems = answers.judging.problems if answers is not None and answers.judging else ()
        raise UsageError(f"tgrag/VI: the judge gave no verdict: {'; '.join(problems) or 'no reply'}")
    names = {"a": NAIVE, "b": OURS, "tie": "neither"}
    verdicts = answers.judging.reasons
    rows = tuple(Row(each.dimension, {"winner": names[each.better]}) for each in verdicts)
    each: list[dict[str, object]] = [
        {"system": one.name, "question": reply.reference.question.text, "answer": reply.answer.text}
        for one in answers.runs
        for reply in one.replies
    ]
    each += [
        {"dimension": one.dimension, "winner": names[one.better], "reason": " / ".join(one.reasons)}
        for one in verdicts
    ]
    notes = (f"the question: {answers.references[0].question.text}",)
    return replace(
        Outcome(Table(PUBLISHED.columns, rows), 1, (*notes, *found.notes), data.problems), each=tuple(each)
    )


EXPERIMENT = Experiment(
    "tgrag/VI",
    "a case: two answers to an abstract question, and why one is preferred (--per-query shows them)",
    "TG-RAG, section VI-A, table VI",
    PUBLISHED,
    run,
    reading=(MODELS, "The other answer is NaiveRAG's; in the paper it is GraphRAG's."),
    data='a folder as of asof evaluate with abstract questions ("abstract": true)',
    parameters={
        "question": Parameter("", text("the id of a question"), "which question; one by a hash of its id")
    },
    recipe=TGRAG,
)
