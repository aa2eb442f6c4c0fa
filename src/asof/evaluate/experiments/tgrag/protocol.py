"""The incremental protocol as an experiment: base questions before and after the update, new ones after it
(TG-RAG, section V-A), and the cells of its tables III and IV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from asof.errors import UsageError
from asof.evaluate.experiments.experiment import OPTIONS, ExperimentOptions, Parameter
from asof.evaluate.experiments.table import Cell, Column, Row, Table
from asof.schema import text

if TYPE_CHECKING:
    from asof.evaluate.answers.facts import IndexingCost
    from asof.evaluate.answers.models import EvaluationModels
    from asof.evaluate.answers.results import AnswerRuns
    from asof.evaluate.answers.run import AnswerRun
    from asof.evaluate.evaluation import Evaluation
    from asof.evaluate.incremental import Incremental
    from asof.rank.recipe import Recipe

LATER = Parameter(
    "year=2024", text("FIELD=VALUE[,...] of documents"), "the documents that come as the update"
)

UNCACHED = tuple(name for name in OPTIONS if name != "cache")
"""The options of the protocol, whose corpus is made anew."""

DATA = "ECT-QA; a folder of it by bench/ect_qa.py, or any folder as of asof evaluate with answers"

METRICS = ("correct", "refusal", "incorrect", "rouge_l", "f1")
INDEX = ("index prompt tokens", "index reply tokens")
ANSWERS = ("prompt tokens a question", "reply tokens a question")
COLUMNS = (
    Column(INDEX[0], "low", 0), Column(INDEX[1], "low", 0), Column("correct"), Column("refusal", ""),
    Column("incorrect", "low"), Column("rouge_l"), Column("f1"),
)  # fmt: skip

EVIDENCE = "evidence_share"

MODELS = (
    "The paper indexes with Gemini-2.5-flash-lite, answers and judges with GPT-4o-mini; here the [model] of "
    "asof.toml does all three, as its [facts] and [ask] say. Without one facts are read by rules, answers "
    "are quotes, and correct, refusal and incorrect stay empty."
)
OTHERS = (
    "LLM-GT gets the gold sentences alone, and refuses unasked where there are none. "
    "GraphRAG, LightRAG and HippoRAG2 are systems of their own: their rows are the paper's alone."
)
JUDGE = (
    "The judge sees the gold sentences beside the right answer; an unanswerable question is judged by the "
    "elements of the answer, and what declines is correct. The paper does not say into which of its three "
    "shares that goes."
)
ALL_ASKED = (
    "All specific questions are asked of all documents, each as of its moment; the paper asks base questions "
    "of the base corpus."
)
REPORTS = (
    "evidence_share, the share of the gold sentences that an answer quotes, is ours and needs no model. "
    "Reports are written when a question needs them: the tokens of the index are those of facts alone, those "
    "of reports are in the tokens of a question."
)


def ask(
    dataset: Path, recipes: Mapping[str, Recipe], options: ExperimentOptions, *, abstract: bool
) -> Incremental:
    """The protocol with the specific or the abstract questions. Raises UsageError, ModelError."""
    from asof.evaluate.experiments.tgrag.answering import Asking, labelled, models_of
    from asof.evaluate.experiments.tgrag.questions import questions_of
    from asof.evaluate.incremental import evaluate
    from asof.evaluate.options import EvaluationOptions

    if options.encoder is not None:
        raise UsageError("--encoder: the incremental protocol has no vectors of a model; accepted: hashed")
    with questions_of(dataset, options, abstract=abstract) as (data, queries):
        how = EvaluationOptions(
            queries, options.limit, filter_by=options.filter_by, seed=options.seed, settings=options.indexed()
        )
        found = evaluate(
            dataset, options.parameters["later"], labelled(recipes), how, progress=options.progress,
            answerer_at=Asking.of(data), models=models_of(options),
        )  # fmt: skip
    return replace(found, dataset=replace(found.dataset, problems=data.problems))


def asked(
    dataset: Path, recipes: Mapping[str, Recipe], options: ExperimentOptions, *, abstract: bool = False,
    only: str = "", models: EvaluationModels | None = None,
) -> tuple[Evaluation, AnswerRuns]:  # fmt: skip
    """The specific or the abstract questions, ranked and answered by recipes that are named by their rows.

    `only`: the question with this id. `models`: what writes and judges (default: as configured). Raises
    UsageError, ModelError.
    """
    from asof.evaluate.evaluation import evaluate
    from asof.evaluate.experiments.tgrag.answering import Asking, labelled, models_of
    from asof.evaluate.experiments.tgrag.questions import questions_of
    from asof.evaluate.options import EvaluationOptions

    with questions_of(dataset, options, abstract=abstract, only=only) as (data, queries):
        how = EvaluationOptions(
            queries, options.limit, filter_by=options.filter_by, seed=options.seed, answers=True,
            settings=options.indexed(),
        )  # fmt: skip
        found = evaluate(
            dataset, labelled(recipes), how, encoder=options.encoder, cache=options.cache,
            progress=options.progress, answerer_at=Asking.of(data),
            models=models_of(options) if models is None else models,
        )  # fmt: skip
    assert found.answers is not None  # noqa: S101  they were asked for
    return replace(found, dataset=replace(found.dataset, problems=data.problems)), found.answers


def cells(answers: AnswerRuns, run: AnswerRun, cost: IndexingCost | None) -> dict[str, Cell]:
    """A row of tables III and IV. `cost`: of the index, for the system that reads facts."""
    from asof.evaluate.experiments.tgrag.answering import OURS

    found: dict[str, Cell] = {}
    if cost is not None and run.name == OURS:
        found |= dict(zip(INDEX, (cost.prompt_tokens, cost.reply_tokens), strict=True))
    found |= {metric: answers.estimate(run, metric) for metric in (*METRICS, EVIDENCE)}
    if (taken := run.cost) is not None:
        count = max(len(run.replies), 1)
        for column, key in zip(ANSWERS, ("prompt_tokens", "reply_tokens"), strict=True):
            found[column] = taken.get(key, 0.0) / count
    return found


def columns(published: Table, rows: Sequence[Row]) -> tuple[Column, ...]:
    """Those of the paper, and behind them of ours that some row has: the evidence, what a question takes."""
    ours = (Column(EVIDENCE), *(Column(name, "low", 0) for name in ANSWERS))
    filled = {name for row in rows for name, cell in row.cells.items() if cell is not None}
    return (*published.columns, *(each for each in ours if each.name in filled))


def notes_of(found: Incremental) -> tuple[str, ...]:
    """What a reader has to know of the run."""
    later = ", ".join(f"{field} {' or '.join(values)}" for field, values in found.split.update_values)
    base, update = (
        f"{each.documents:,} documents, {each.facts:,} facts" for each in (found.base, found.update)
    )
    lines = [f"base: {base}; update ({later}): {update} in {found.update.periods:,} periods"]
    judged = next((each.answers.judging for each in found.stages if each.answers is not None), None)
    if judged is None:
        lines.append("no model is configured: answers are quotes, nothing is judged")
    else:
        lines.append(f"written and judged by {judged.judge}")
        lines += [f"a judgement of no use: {each}" for each in judged.problems[:1]]
    if not any(found.dataset.sentences.values()):
        lines.append("LLM-GT: the dataset has no evidence.jsonl, so it refuses everything")
    return (*lines, *found.notes)
