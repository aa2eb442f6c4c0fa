# ruff: noqa: N999  the paper numbers its tables so
"""`tgrag/VI`: one abstract question, two answers, and why the judge prefers one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from asof.evaluate.experiments.experiment import OPTIONS, Experiment, ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.table import Column, Row, Table
from asof.evaluate.experiments.tgrag.protocol import MODELS
from asof.evaluate.experiments.tgrag.table_V import DIMENSIONS
from asof.knowledge.tgrag import TGRAG
from asof.schema import text

PUBLISHED = Table.of([Column("winner", "")], dict.fromkeys(DIMENSIONS, ("TG-RAG",)))


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """The question, asked of NaiveRAG and TG-RAG. Raises UsageError, ModelError."""
    from asof.errors import UsageError
    from asof.evaluate.experiments.tgrag.answering import NAIVE, OURS, systems
    from asof.evaluate.experiments.tgrag.protocol import asked

    if options.config.model is None:
        raise options.config.lacking("model", "tgrag/VI asks a language model to judge")
    compared = {name: each for name, each in systems(options).items() if name in (NAIVE, OURS)}
    wanted = str(options.parameters["question"])
    alone = replace(options, limit=None if wanted else 1)
    found, answers = asked(dataset, compared, alone, abstract=True, only=wanted)
    if answers.judging is None or not answers.judging.reasons:
        problems = answers.judging.problems if answers.judging else ()
        raise UsageError(f"tgrag/VI: the judge gave no verdict: {'; '.join(problems) or 'no reply'}")
    names = {"a": NAIVE, "b": OURS, "tie": "neither"}
    verdicts = answers.judging.reasons
    rows = tuple(Row(each.dimension, {"winner": names[each.better]}) for each in verdicts)
    question = answers.references[0].question
    parts = [(run.name, reply.answer.text) for run in answers.runs for reply in run.replies]
    parts += [(f"{each.dimension}: {names[each.better]}", " / ".join(each.reasons)) for each in verdicts]
    shown = tuple(
        {"query_id": question.id, "query": question.text, "part": part, "text": told} for part, told in parts
    )
    notes = (f"the question: {question.text}", *found.notes)
    return Outcome(Table(PUBLISHED.columns, rows), 1, notes, found.dataset.problems, each=shown)


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
    takes=tuple(name for name in OPTIONS if name != "limit"),
)
