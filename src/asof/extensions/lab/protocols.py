"""Protocols: experiments of the papers that do more than vary a recipe; each function makes an outcome.

TWE-RAG: the decay alone, parts of scores, times. TempRALM: a language model that reads. Adaptive RAG for
arXiv: learning from one question after the other. TG-RAG: answers, before and after an update, and a judge.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from asof import environment
from asof.answer.write import REFUSAL
from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.corpus.session import ModelProvider
from asof.corpus.snapshot import Snapshot
from asof.errors import UsageError
from asof.extensions.facts.hierarchy import Hierarchy
from asof.extensions.facts.local import TGRAG
from asof.extensions.facts.timeline import graph_size
from asof.extensions.lab import evaluation
from asof.extensions.lab.answers import (
    NO_MODELS,
    AnswerFunction,
    AnswerRun,
    AnswerRuns,
    EvaluationModels,
    IndexingCost,
    PreferenceCount,
    add_and_read,
    all_facts,
    exact_match,
    f1,
    is_abstract,
    refuses,
    uncited,
)
from asof.extensions.lab.datasets import Dataset, DatasetQuestion, load, prepared, temporary
from asof.extensions.lab.evaluation import Evaluation, evaluate
from asof.extensions.lab.experiments import (
    Cell,
    Cells,
    Experiment,
    ExperimentOptions,
    Outcome,
    RowEvaluation,
    measure,
)
from asof.extensions.lab.figures import Picture, Rows, age_curves, age_rows, lines, weights_at
from asof.extensions.lab.metrics import DEPTH, Floats, clusters, estimate
from asof.extensions.lab.runs import (
    BASE,
    NEW,
    SHOWN,
    EvaluationOptions,
    check_filters,
    choose,
    filters,
    progress_counter,
    relevant,
    sample,
    split,
)
from asof.extensions.systems.learning import Box, ExpressionLosses, JudgedQuery, JudgedScores
from asof.extensions.systems.loss import RELEVANT, gains
from asof.extensions.systems.online import OnlineLearner
from asof.extensions.systems.recipes import NAIVE_RAG, QD_RAG, TEMPRALM, TWE
from asof.extensions.systems.stages import Decay, Gap
from asof.index.view import View
from asof.models.ports import Model, Prompt, between, delimiter_for, prompt_text
from asof.rank.combine import Combine
from asof.rank.stage import Recipe, traits_of, value_of
from asof.recipes import by_document
from asof.store.schema import CorpusSettings
from asof.time.span import NEVER, iso
from asof.values import GLOBAL, LOCAL, Answer, Citation, Filters, Hit, QuestionUsage, Usage, Why
from asof.wire import replace

# -- TWE-RAG ---------------------------------------------------------------------------------------

AS_WRITTEN = CorpusSettings(chunking="whole", stem=False, undated="always")
"""Whole documents, words as they are written."""

PARTS_OF, TIMED, MOMENTS = 100, 30, 6
"""The most questions whose scores are taken apart, that are timed at each moment; the moments."""


def decay_of(recipe: Recipe) -> Decay:
    return next(stage for stage in recipe.stages if isinstance(stage, Decay))


def kinds(found: RowEvaluation) -> dict[str, list[int]]:
    """The places of temporal and of general questions: by the types in the parameter `temporal`, or by words
    that the recipe knows. Raises UsageError."""
    questions, types = found.evaluation.questions, found.options.parameters["temporal"]
    listed = types.split(",") if isinstance(types, str) else types
    named = {each.strip() for each in listed if each.strip()}
    there = {question.type for question in questions if question.type}
    if missing := sorted(named - there):
        has = f"there are: {', '.join(sorted(there))}" if there else "none has a type"
        raise UsageError(f"temporal={missing[0]}: no question has that type; {has}")
    assert found.whole is not None  # noqa: S101  it is TWE
    decay = decay_of(found.whole)
    places: dict[str, list[int]] = {"temporal": [], "general": []}
    for at, question in enumerate(questions):
        temporal = question.type in named if named else decay.recency(question.text) == 1.0
        places["temporal" if temporal else "general"].append(at)
    return places


def fading(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """The numbers of the decay itself, and figure 3 by running it; the dataset tells how often each holds."""
    recipe = options.applied(TWE)
    decay = decay_of(recipe)
    found = measure(dataset, {"twe": recipe}, options, AS_WRITTEN)
    numbers = {"recency question": decay.adapted(1.0), "general question": decay.adapted(decay.general)}
    rows: dict[str, Cells] = {label: {"delta": delta, "tau": tau} for label, (delta, tau) in numbers.items()}
    delta, tau = decay.adapted(1.0)
    for times in (1, 2, 3):  # what is left of a passage of that age, rounded to whole days
        left = weights_at(decay, "What is the latest?", [0, round(times * tau)])[1] / delta
        rows[f"age {times} tau".replace(" 1 ", " ")] = {"decay": left}
    wishes = sum(decay.recency(question.text) == 1.0 for question in found.questions)
    note = f"{wishes:,} of {len(found.questions):,} questions of the dataset are recency questions"
    caption = "Computed by the stage of the recipe, over passages of all ages."
    picture = Picture("twe-fig3-decay", age_rows({"twe": recipe}), age_curves, caption)
    notes = (note, *found.notes)
    return experiment.outcome(rows, found.dataset, len(found.questions), notes, pictures=(picture,))


def score_parts(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """The scores of the first hundred, and the parts of the first ten."""
    recipe = options.applied(TWE)
    found = measure(dataset, {"twe": recipe}, options, AS_WRITTEN)
    scores = [score for each in found.runs[0].results for _, score in each.ranking]
    cache = options.cache or environment.cache_folder()
    with prepared(found.dataset, found.options.settings, cache, options.encoder) as corpus:
        asked = sample(found.questions, PARTS_OF, found.options.seed)
        trees = [[hit.why for hit in first_hits(corpus, found, each, recipe)] for each in asked]
    ranks = mean_parts("twe", trees, sums(recipe))
    means: dict[str, list[float]] = defaultdict(list)
    for row in ranks:
        means[row["part"]].append(row["mean"])
    rows = {"score": _range(scores), **{f"part: {label}": _range(values) for label, values in means.items()}}
    caption = f"{found.dataset.name}: means over the questions that have a document of that rank."
    draw = partial(lines, x="rank", y=("mean",), series="part", title="the parts of scores")
    notes = (*_which(asked, found, "parts of the score"), *found.notes)
    pictures = (Picture("twe-fig4-scores", ranks, draw, caption),)
    return experiment.outcome(rows, found.dataset, len(found.questions), notes, pictures=pictures)


def _range(values: Sequence[float]) -> Cells:
    ends = (min(values), sum(values) / len(values), max(values)) if values else (None, None, None)
    return dict(zip(("least", "mean", "most"), ends, strict=True))


def _which(asked: Sequence[DatasetQuestion], found: Evaluation, what: str) -> tuple[str, ...]:
    """A note where something is of fewer questions than the rest of a table."""
    count, total = len(asked), len(found.questions)
    if count == total:
        return ()
    return (f"{what}: of {count:,} of the {total:,} questions, chosen by a hash of their ids",)


def first_hits(
    corpus: Corpus, found: Evaluation, question: DatasetQuestion, recipe: Recipe, as_of: int | None = None
) -> tuple[Hit, ...]:
    """The first hits of a question, as of its moment or another."""
    when = found.dataset.as_of(question) if as_of is None else as_of
    snapshot = corpus.snapshot(when, None, stated=question.asked_at is not None)
    meta = filters(question, found.options.filter_by)
    return snapshot.search(question.text, SHOWN, recipe=recipe, meta=meta, unit="passage").hits


def mean_parts(name: str, trees: Iterable[Sequence[Why]], sum_labels: frozenset[str]) -> list[dict[str, Any]]:
    """Mean parts of scores by rank. `trees`: for each question those of its hits in order; a missing part
    counts 0."""
    by_rank: dict[int, list[dict[str, float]]] = defaultdict(list)
    for of_question in trees:
        for rank, tree in enumerate(of_question, 1):
            by_rank[rank].append(parts(tree, sum_labels))
    labels = dict.fromkeys(label for values in by_rank.values() for each in values for label in each)
    return [
        {
            "recipe": name, "rank": rank, "part": label,
            "mean": sum(each.get(label, 0.0) for each in values) / len(values), "questions": len(values),
        }
        for rank, values in sorted(by_rank.items())
        for label in labels
    ]  # fmt: skip


def sums(recipe: Recipe) -> frozenset[str]:
    """The labels of sums of other stages' columns."""
    named = {stage.name for stage in recipe.stages if isinstance(stage, Combine)}
    return frozenset(named | {total for each in recipe.stages if (total := traits_of(each).total)})


def parts(tree: Why, sum_labels: frozenset[str]) -> dict[str, float]:
    """The parts of a score, which add up to it: its summands, and the change by each factor.

    Sums inside a sum are split into their summands if their label is in `sum_labels`.
    """
    values: dict[str, float] = defaultdict(float)
    for label, value in _parts(tree, sum_labels):
        values[label] += value
    return dict(values)


def _parts(tree: Why, sum_labels: frozenset[str]) -> list[tuple[str, float]]:
    if tree.op == "sum" and tree.label in sum_labels:
        return [values for part in tree.parts for values in _parts(part, sum_labels)]
    if tree.op == "product" and tree.parts and _composed(tree.parts[0], sum_labels):
        base, *factors = tree.parts
        inner = _parts(base, sum_labels)
        so_far = base.value
        for factor in factors:
            if factor.label == "weight":
                inner = [(label, value * factor.value) for label, value in inner]
            else:
                inner.append((factor.label, so_far * (factor.value - 1.0)))
            so_far *= factor.value
        return inner
    return [(tree.label, tree.value)]


def _composed(tree: Why, sum_labels: frozenset[str]) -> bool:
    """True if a tree is a sum to be split, or such a sum times factors."""
    if tree.op == "product":
        return bool(tree.parts) and _composed(tree.parts[0], sum_labels)
    return tree.op == "sum" and tree.label in sum_labels


def times_by_size(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """A corpus built anew, so that nothing is kept: its graph, then questions as of six moments."""
    recipe = options.applied(TWE)
    found = measure(dataset, {"twe": recipe}, options, AS_WRITTEN)
    results = found.runs[0].results
    asked = sample(found.questions, TIMED, found.options.seed)
    with temporary(found.dataset, found.options.settings, options.encoder) as corpus:
        newest = corpus.snapshot(max(found.dataset.newest, *(each.as_of for each in results)), None)
        graph, passages = _graph_seconds(newest, found.questions[0].text, recipe), newest.view().n
        seen = median(corpus.snapshot(each.as_of, None).view().n for each in results)
        dates = moments(found.dataset)
        advance = progress_counter(options.progress, "latency", len(dates))
        timed = []
        for as_of in dates if len(dates) > 1 else ():
            timed.append(_latencies(corpus, found, asked, recipe, as_of))
            advance()
    rows: dict[str, Cells] = {
        "graph, s": {"documents": passages, "taken": graph},
        "question, ms": {"documents": int(seen), "taken": round(found.runs[0].latency(50), 2)},
    }
    for each in timed:
        cells: Cells = {"documents": each["passages"], "taken": round(each["median_ms"], 2)}
        rows[f"question, ms, as of {each['as_of'][:10]}"] = cells
    notes = (*(_which(asked, found, "times as of a moment") if timed else ()), *found.notes)
    caption = f"{found.dataset.name}: as of moments of equal numbers of documents. Bands: quartiles."
    pictures = (Picture("twe-fig6-scaling", timed, _scaling, caption),) if timed else ()
    return experiment.outcome(rows, found.dataset, len(found.questions), notes, pictures=pictures)


def _graph_seconds(snapshot: Snapshot, question: str, recipe: Recipe) -> float:
    """The seconds that the first search with centrality takes more than one without it, all else ready."""
    stages = recipe.stages_by_name()
    names = ("lexical", "pool", "centrality", "top_k")
    ready = replace(recipe, stages=tuple(stages[name] for name in names if name != "centrality"))
    linked = replace(recipe, stages=tuple(stages[name] for name in names))
    taken = []
    for each in (ready, ready, linked):
        started = time.perf_counter()
        snapshot.search(question, 10, recipe=each, unit="passage")
        taken.append(time.perf_counter() - started)
    return max(taken[2] - taken[1], 0.0)


def moments(dataset: Dataset) -> list[int]:
    """Up to MOMENTS dates of documents, with equal numbers of documents between them."""
    dates = sorted(date for date in dataset.dates.values() if date is not None and date < NEVER)
    if not dates:
        return []
    return sorted({dates[max(len(dates) * part // MOMENTS, 1) - 1] for part in range(1, MOMENTS + 1)})


def _latencies(
    corpus: Corpus, found: Evaluation, asked: Sequence[DatasetQuestion], recipe: Recipe, as_of: int
) -> dict[str, Any]:
    """Quartiles of the latency of a first page of hits as of a moment; the first question only warms up."""
    taken = []
    for question in [asked[0], *asked]:
        started = time.perf_counter()
        first_hits(corpus, found, question, recipe, as_of)
        taken.append(1000 * (time.perf_counter() - started))
    low, middle, high = np.percentile(taken[1:], [25, 50, 75]).tolist()
    return {
        "recipe": "twe", "as_of": iso(as_of), "passages": corpus.snapshot(as_of, None).view().n,
        "median_ms": middle, "low_ms": low, "high_ms": high, "questions": len(asked),
    }  # fmt: skip


def _scaling(rows: Rows, caption: str) -> Any:
    shown = [
        {"current passages": row["passages"], "ms": row["median_ms"], "ms low": row["low_ms"],
         "ms high": row["high_ms"]}
        for row in rows
    ]  # fmt: skip
    return lines(shown, caption, x="current passages", y=("ms",), title="latency by the size of the corpus")


# -- TempRALM --------------------------------------------------------------------------------------

WHOLE_FACTS = CorpusSettings(chunking="whole", undated="always")
"""Each fact is a passage."""

LONGEST = 60
"""Tokens of a reply."""


def retrievers(options: ExperimentOptions) -> dict[str, Recipe]:
    """TempRALM without the temporal score and its mask, and as it is."""
    recipe = options.applied(TEMPRALM)
    kept = tuple(each for each in recipe.stages if not isinstance(each, Gap))
    return {"retriever alone": replace(recipe, stages=kept), "TempRALM": recipe}


def places_by_form(questions: Sequence[DatasetQuestion]) -> dict[str, list[int]]:
    """The places of the questions of each form, in the order in which they occur; "all" for those without."""
    found: dict[str, list[int]] = {}
    for at, question in enumerate(questions):
        found.setdefault(str(question.record.get("type") or "all"), []).append(at)
    return found


def read_by_model(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """Each retriever with each number of examples in the prompt of a model that reads."""
    if options.config.model is None:
        raise options.config.lacking("model", "tempralm/reader asks a language model")
    data = load(dataset, queries=options.queries)
    check_filters(data, EvaluationOptions(filter_by=options.filter_by))
    sizes = sorted(options.parameters["examples"])
    shown, asked = divided(data, max(sizes), options)
    forms, cluster = places_by_form(asked), clusters([each.text for each in asked])
    rows: dict[str, Cells] = {}
    cache = options.cache or environment.cache_folder()
    with prepared(data, options.indexed(WHOLE_FACTS), cache, options.encoder) as corpus:
        models = ModelProvider(corpus.session, config=replace(corpus.config, model=options.config.model))
        with models.language() as model:
            assert model is not None  # noqa: S101  it is configured
            for name, recipe in retrievers(options).items():
                retriever = Retriever(corpus, data, recipe, options.parameters["passages"], options.filter_by)
                solved = [(retriever.posed(each), each.record["answer"]) for each in shown]
                posed = [retriever.posed(each) for each in asked]
                for size in sizes:
                    options.progress(f"{name}, {size} examples", 0, len(asked))
                    replies = model.complete([prompt_for(each, solved[:size]) for each in posed])
                    right = exact_matches([reply.text for reply in replies], asked)
                    cells: Cells = {"exact match": estimate(right, cluster, options.seed)}
                    for form, at in forms.items():
                        cells[form] = estimate(right[at], cluster[at], options.seed)
                    rows[f"{size} examples, {name}"] = cells
            meter = model.meter
    failed = f"; {meter.failed:,} without a usable reply count as wrong" if meter.failed else ""
    used = f"{meter.prompt_tokens:,} tokens read and {meter.reply_tokens:,} written"
    note = f"{model.name}: {meter.calls:,} calls, {meter.cached:,} kept replies, {used}{failed}"
    return experiment.outcome(rows, data, len(asked), (note,))


def divided(
    data: Dataset, most: int, options: ExperimentOptions
) -> tuple[list[DatasetQuestion], list[DatasetQuestion]]:
    """The questions that are shown as examples, and those that are asked: by a hash, none in both.

    Questions need a field `answer`. Raises UsageError where too few are left.
    """
    known = [each for each in data.questions if isinstance(each.record.get("answer"), str)]
    order = sorted(known, key=lambda each: _hash(options.seed, each.id))
    shown, asked = order[:most], order[most:]
    if not asked:
        raise UsageError(
            f"{data.name} has {len(known):,} questions with a text in answer; more than {most:,} are needed, "
            f"{most:,} of them as examples (--set examples=[0, 8])"
        )
    return shown, asked[: options.limit]


def _hash(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed} {name}".encode()).digest()


def exact_matches(replies: Sequence[str], asked: Sequence[DatasetQuestion]) -> Floats:
    """1 for each reply whose first line is the answer, compared as `evaluate --answers` does."""
    first = [uncited(reply.strip().partition("\n")[0]) for reply in replies]
    right = [exact_match(line, [each.record["answer"]]) for line, each in zip(first, asked, strict=True)]
    return np.array(right, np.float64)


@dataclass(frozen=True, slots=True)
class Posed:
    """A question with the passages that were retrieved for it, as lines, and their ids in the store."""

    text: str
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Retriever:
    """Retrieves passages for questions, each as of its moment."""

    corpus: Corpus
    data: Dataset
    recipe: Recipe
    k: int
    filter_by: Sequence[str] = ()

    def posed(self, question: DatasetQuestion) -> Posed:
        """A question as the reader gets it."""
        then = self.corpus.snapshot(self.data.as_of(question), None, stated=question.asked_at is not None)
        meta = filters(question, self.filter_by)
        found = then.search(question.text, self.k, recipe=self.recipe, meta=meta, unit="passage")
        told = [
            f"[{hit.rank}] {hit.published or 'undated'}: {' '.join(hit.text.split())}" for hit in found.hits
        ]
        passages = found.view.column("passage", np.array(found.rows, np.int64)).tolist()
        return Posed("\n".join([*told, f"Question: {question.text}"]), tuple(passages))


def prompt_for(posed: Posed, examples: Sequence[tuple[Posed, str]] = ()) -> Prompt:
    """The prompt for a question, after some that are answered."""
    mark = delimiter_for("\0".join([*(each.text for each, _ in examples), posed.text]))
    solved = [f"{mark}\n{each.text}\n{mark}\nAnswer: {answer}" for each, answer in examples]
    asked = f"{mark}\n{posed.text}\n{mark}\nAnswer:"
    used = dict.fromkeys(each for one in (*(one for one, _ in examples), posed) for each in one.passages)
    instructions = prompt_text("asof.extensions.lab", "reader")
    return Prompt(instructions, "\n\n".join([*solved, asked]), None, tuple(used), LONGEST)


# -- Adaptive RAG for arXiv ------------------------------------------------------------------------

OVERLAPPING = CorpusSettings(chunking="400c/80", undated="always")
"""Passages of 400 characters, 80 of them said twice, as published."""

FIRST = 10
FEWEST = 4
"""Questions that are needed: two to learn from, two to judge by."""

STAGES = {
    "baseline": "Baseline (1)", "exploration": "Exploration (2)", "evolution": "Gradient descent (3-5)",
    "bayesian": "Global search (6+)",
}  # fmt: skip
"""The rows of the published table, by the names of the stages here."""

CURVES = {
    "loss": "of the question", "on_all": "mean until then, this setting",
    "initial": "mean until then, initial setting",
}  # fmt: skip
"""The lines of the learning curve, by the field of a step."""


@dataclass(frozen=True, slots=True)
class JudgedQuestions:
    """Questions in the order in which they are asked, and the losses of each at settings of a box."""

    recipe: Recipe
    box: Box
    texts: tuple[str, ...]
    table: ExpressionLosses
    data: Dataset
    notes: tuple[str, ...]
    seed: int

    def metrics(self, setting: Floats) -> dict[str, Floats]:
        """The published metrics of each question (q,) at a setting (d,)."""
        loss = self.table.losses(setting[None])[0]
        return {"NDCG@10": 1 - loss, "Loss": loss, "Precision@10": self._precision(setting)}

    def estimates(self, setting: Floats, at: Sequence[int]) -> Cells:
        """The mean of each metric over the questions at some places."""
        chosen, cluster = list(at), clusters(self.texts)
        return {
            name: estimate(values[chosen], cluster[chosen], self.seed)
            for name, values in self.metrics(setting).items()
        }

    def _precision(self, setting: Floats) -> Floats:
        """The share of the first ten that are relevant, always of ten."""
        bound, found = 2.0**RELEVANT - 1, []
        for own in self.table.scored:
            scores = own.scores(setting[None])[0]
            first = np.argsort(-scores, kind="stable")[:FIRST]
            found.append(np.count_nonzero((own.gains[first] > bound) & np.isfinite(scores[first])) / FIRST)
        return np.array(found)


def judged_questions(
    dataset: Path, options: ExperimentOptions, recipe: Recipe, relevance: str = "judged"
) -> JudgedQuestions:
    """The questions of a dataset, ranked by `papers` as of their moments, in the order of those.

    Questions of one moment, or without one, are in an order by a hash. `relevance`: of the judgements of the
    dataset, or a document's own similarity, as published. Raises UsageError.
    """
    data = load(dataset, queries=options.queries)
    how = EvaluationOptions(
        options.queries, options.limit, filter_by=options.filter_by, seed=options.seed, settings=OVERLAPPING
    )
    check_filters(data, how)
    questions, notes = choose(data, how)
    if len(questions) < FEWEST:
        raise UsageError(f"{data.name}: {len(questions)} judged questions; at least {FEWEST} are needed")
    questions = sorted(questions, key=lambda each: (data.as_of(each), _hash(options.seed, each.id)))
    box = Box.of(recipe)
    cache = options.cache or environment.cache_folder()
    advance = progress_counter(options.progress, "ranking", len(questions))
    queries, scored = [], []
    with prepared(data, options.indexed(OVERLAPPING), cache, options.encoder, on_note=notes.append) as corpus:
        for question in questions:
            query = _query(corpus, data, question, recipe, options.filter_by)
            queries.append(query)
            scored.append(_scored(query, by_document(recipe), box))
            advance()
    if relevance == "similarity":
        scored = [_by_similarity(each, recipe, box) for each in scored]
        queries = [
            replace(query, gains={str(at): gain for at, gain in enumerate(own.gains.tolist())})
            for query, own in zip(queries, scored, strict=True)
        ]
    table = ExpressionLosses(queries, scored, FIRST)
    texts = tuple(each.text for each in questions)
    return JudgedQuestions(recipe, box, texts, table, data, tuple(notes), options.seed)


def _query(
    corpus: Corpus, data: Dataset, question: DatasetQuestion, recipe: Recipe, filter_by: Sequence[str]
) -> JudgedQuery:
    then = corpus.snapshot(data.as_of(question), None, stated=question.asked_at is not None)
    graded = relevant(question, data)
    hard = then.filters(meta=filters(question, filter_by))
    _, query, _ = then.reader.query_for(question.text, DEPTH, hard, "passage", recipe, rerank=False)
    gained = dict(zip(graded, gains(graded.values()), strict=True))
    return JudgedQuery(query, (then.as_of, None), then.use, gained, question.query_doc)


def _scored(query: JudgedQuery, recipe: Recipe, box: Box) -> JudgedScores:
    def look(view: View) -> JudgedScores:
        return JudgedScores.of_question(query, view, recipe, box, FIRST)

    scores: JudgedScores = query.use(look)
    return scores


def _by_similarity(scores: JudgedScores, recipe: Recipe, box: Box) -> JudgedScores:
    """The same with the published relevance: the largest similarity of a document's passages as grade."""
    setting = start_of(recipe, box)
    for at, name in enumerate(box.names):
        if name in recipe.tunable.simplex:
            setting[at] = float(name.endswith(".similarity"))
    similar = scores.scores(setting[None])[0]
    grades = np.where(np.isfinite(similar), np.maximum(similar, 0.0), 0.0)
    return replace(scores, gains=np.exp2(grades) - 1)


def start_of(recipe: Recipe, box: Box) -> Floats:
    """The numbers of a recipe as a point of its box (d,)."""
    return np.array([value_of(recipe, name) for name in box.names])


@dataclass(frozen=True, slots=True)
class Step:
    """A question, its number from 1, its stage, what its setting lost on it and, on average, on the questions
    until then, and what the initial numbers lost on them."""

    question: int
    stage: str
    setting: dict[str, float]
    loss: float
    on_all: float
    initial: float


def run_online(judged: JudgedQuestions, first: int, seed: int) -> tuple[list[Step], Floats]:
    """Learn from the first questions, as `asof papers` does when all hits of each are graded at once: the
    steps, and the setting (d,) of the lowest expected loss at the end.

    All settings that were tried are compared on the questions until then (`OnlineLearner.rescore`).
    """
    start = judged.box.project(start_of(judged.recipe, judged.box))
    learner = OnlineLearner.begin(judged.box, start, seed)
    steps = []
    for number in range(1, first + 1):
        stage, named = learner.stage, learner.ask()
        setting, asked = np.array(list(named.values())), np.arange(number)
        lost = judged.table.losses(np.stack([setting, start]), asked)
        learner.tell(float(lost[0, -1]))
        learner.rescore(_means(judged.table.losses(learner.settings, asked)))
        on_all, initial = _means(lost)
        steps.append(Step(number, stage, named, float(lost[0, -1]), on_all, initial))
    return steps, np.array(list(learner.best.values()))


def _means(losses: Floats) -> Sequence[float]:
    return [math.fsum(each) / len(each) for each in losses.tolist()]


def learned_online(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """Learn from the first questions, measure on the others."""
    assert experiment.recipe is not None  # noqa: S101
    recipe = options.applied(experiment.recipe)
    judged = judged_questions(dataset, options, recipe, options.parameters["relevance"])
    count = len(judged.texts)
    first = min(options.parameters["learned"], count // 2)
    steps, best = run_online(judged, first, options.seed)
    rows = {
        f"{name}{of}": judged.estimates(setting, at)
        for of, at in (("", range(first, count)), (", on what was learned from", range(first)))
        for name, setting in (("Initial", start_of(recipe, judged.box)), ("Optimized", best))
    }
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in judged.box.named(best).items())
    notes = (f"learned from {first:,} questions, measured on {count - first:,} others", f"learned: {numbers}")
    curve = [
        {"question": each.question, "stage": each.stage, "line": line, "loss": getattr(each, field)}
        for field, line in CURVES.items()
        for each in steps
    ]
    settings = [{"question": each.question, **each.setting} for each in steps]
    caption = f"{len(steps):,} questions, each ranked by what was learned before"
    losses = partial(lines, x="question", y=("loss",), series="line", title="1 - NDCG@10")
    names = partial(lines, x="question", y=tuple(steps[0].setting), title="the numbers of the ranking")
    pictures = (
        Picture("arxiv-learning", curve, losses, caption), Picture("arxiv-numbers", settings, names, caption)
    )  # fmt: skip
    return experiment.outcome(rows, judged.data, count - first, (*notes, *judged.notes), pictures=pictures)


def losses_by_stage(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """Learn from the first questions, and return the losses by stage."""
    assert experiment.recipe is not None  # noqa: S101
    recipe = options.applied(experiment.recipe)
    judged = judged_questions(dataset, options, recipe, options.parameters["relevance"])
    first = min(options.parameters["learned"], len(judged.texts))
    steps, _ = run_online(judged, first, options.seed)
    rows: dict[str, Cells] = {}
    for stage, label in STAGES.items():
        own = [each for each in steps if each.stage == stage]
        if own:
            values = zip(*((each.loss, each.on_all, each.initial) for each in own), strict=True)
            means = [math.fsum(each) / len(own) for each in values]
            names = (column.name for column in experiment.published.columns)
            rows[label] = dict(zip(names, (len(own), *means), strict=True))
    return experiment.outcome(rows, judged.data, first, judged.notes)


# -- TG-RAG ----------------------------------------------------------------------------------------

GOLD, NAIVE, PARTED, OURS = "LLM-GT", "NaiveRAG", "QD-RAG", "TG-RAG"
METRICS = ("correct", "refusal", "incorrect", "rouge_l", "f1")
INDEX = ("index prompt tokens", "index reply tokens")
ANSWERS = ("prompt tokens a question", "reply tokens a question")
EVIDENCE = "evidence@12000"
DIMENSIONS = ("comprehensiveness", "diversity", "temporal_coverage", "overall")

MIXED_IN = ("max_normalize", "combine", "round_robin_by_document")
"""The stages of `tgrag` that mix in words, which the published system does not."""

Sentences = Sequence[tuple[str, str]]


def systems(options: ExperimentOptions) -> dict[str, Recipe]:
    """The systems of the paper that are here, by the names of its tables."""
    return {GOLD: NAIVE_RAG, NAIVE: NAIVE_RAG, PARTED: QD_RAG, OURS: options.applied(TGRAG)}


def models_of(options: ExperimentOptions) -> EvaluationModels:
    """The configured model writes and judges; without one, answers are quotes and nothing is judged."""
    return (
        NO_MODELS
        if options.config.model is None
        else EvaluationModels(options.config, writes=True, judges=True)
    )


def asking(data: Dataset) -> AnswerFunction:
    """Answers as the system whose name the recipe has: facts are retrieved locally, those of overviews
    globally; LLM-GT is given the gold evidence in place of either (section V-B). Evidence of questions with
    the same text and moment is joined."""
    evidence: dict[tuple[str, int], dict[tuple[str, str], None]] = defaultdict(dict)
    for each in data.questions:
        evidence[each.text, data.as_of(each)] |= dict.fromkeys(data.sentences.get(each.id, []))
    overviews = {(each.text, data.as_of(each)) for each in data.questions if is_abstract(each)}

    def ask(corpus: Corpus, as_of: int, question: str, filters: Filters, recipe: Recipe) -> Answer:
        if recipe.name == GOLD:
            with corpus.models.language() as model:
                return gold_answer(question, list(evidence.get((question, as_of), ())), as_of, model)
        mode = GLOBAL if recipe.name == OURS and (question, as_of) in overviews else LOCAL
        return corpus.snapshot(as_of, None).ask(question, mode=mode, filters=filters, recipe=recipe)

    return ask


def gold_answer(question: str, sentences: Sentences, as_of: int, model: Model | None) -> Answer:
    """The answer of a model from these sentences (document, sentence); without one, the sentences.

    Raises ModelError.
    """
    if not sentences:
        reason = "no evidence is given"
        return Answer(question, f"No answer: {reason}", True, reason, LOCAL, as_of, as_of, ())
    citations = tuple(
        Citation(number, document, document, "", None, (), sentence)
        for number, (document, sentence) in enumerate(sentences, 1)
    )
    quoted = " ".join(each.quote for each in citations)
    answer = Answer(question, quoted, False, "", LOCAL, as_of, as_of, citations)
    if model is None:
        return answer
    evidence = between("\n\n".join(f"[{each.n}] {each.document}\n{each.quote}" for each in citations))
    user = f"As of: {iso(as_of)}\n\n{evidence}\n\nQuestion: {question}\n"
    reply = model.complete([Prompt(prompt_text("asof.answer", "answer"), user)])[0]
    usage = Usage(reply.calls, prompt_tokens=reply.prompt_tokens, reply_tokens=reply.reply_tokens)
    cost = QuestionUsage(usage, ())
    if reply.problem:
        note = f"quoted, because {model.name} gave no answer: {reply.problem}"
        return replace(answer, notes=(note,), cost=cost)
    text = reply.text.strip()
    refused = text.startswith(REFUSAL)
    reason = text.removeprefix(REFUSAL).strip() if refused else ""
    return replace(answer, text=text, refused=refused, reason=reason, by=model.name, cost=cost)


@contextmanager
def questions_of(
    dataset: Path, options: ExperimentOptions, *, abstract: bool, only: str = ""
) -> Iterator[tuple[Dataset, str]]:
    """The dataset, and the path of a file with its specific or its abstract questions alone.

    `only`: the one with this id. Raises UsageError without any.
    """
    data = load(dataset, queries=options.queries)
    chosen = [each for each in data.questions if is_abstract(each) == abstract]
    if not chosen:
        kind = 'abstract ({"abstract": true})' if abstract else "specific (with answers)"
        raise UsageError(f"{data.name} has {len(data.questions):,} questions, none of them {kind}")
    if only:
        ids = ", ".join(each.id for each in chosen[:5])
        chosen = [each for each in chosen if each.id == only]
        if not chosen:
            raise UsageError(f"no such question: {only}; accepted are ids, e.g. {ids}")
    with TemporaryDirectory(prefix="asof-questions-") as folder:
        path = Path(folder) / "queries.jsonl"
        told = (json.dumps({**each.record, "id": each.id}, ensure_ascii=False) for each in chosen)
        path.write_text("".join(f"{line}\n" for line in told), encoding="utf-8")
        yield data, str(path)


def asked_twice(
    dataset: Path, recipes: Mapping[str, Recipe], options: ExperimentOptions, *, abstract: bool
) -> evaluation.Incremental:
    """The incremental protocol with the specific or the abstract questions: base questions before and after
    the update, new ones after it (section V-A). Raises UsageError, ModelError."""
    if options.encoder is not None:
        raise UsageError("--encoder: the incremental protocol has no vectors of a model; accepted: hashed")
    with questions_of(dataset, options, abstract=abstract) as (data, queries):
        how = EvaluationOptions(
            queries, options.limit, filter_by=options.filter_by, seed=options.seed, settings=options.indexed()
        )
        named = [replace(recipe, name=label) for label, recipe in recipes.items()]
        found = evaluation.evaluate_incremental(
            dataset, options.parameters["later"], named, how, progress=options.progress,
            ask=asking(data), models=models_of(options),
        )  # fmt: skip
    return replace(found, dataset=replace(found.dataset, problems=data.problems))


def asked_once(
    dataset: Path, recipes: Mapping[str, Recipe], options: ExperimentOptions, *, abstract: bool = False,
    only: str = "", models: EvaluationModels | None = None,
) -> tuple[Evaluation, AnswerRuns]:  # fmt: skip
    """The specific or the abstract questions, ranked and answered by recipes that are named by their rows.

    `only`: the question with this id. `models`: what writes and judges (default: as configured). Raises
    UsageError, ModelError.
    """
    with questions_of(dataset, options, abstract=abstract, only=only) as (data, queries):
        how = EvaluationOptions(
            queries, options.limit, filter_by=options.filter_by, seed=options.seed, answers=True,
            settings=options.indexed(),
        )  # fmt: skip
        found = evaluate(
            dataset, [replace(recipe, name=label) for label, recipe in recipes.items()], how,
            encoder=options.encoder, cache=options.cache, progress=options.progress,
            ask=asking(data), models=models_of(options) if models is None else models,
        )  # fmt: skip
    assert found.answers is not None  # noqa: S101  they were asked for
    return replace(found, dataset=replace(found.dataset, problems=data.problems)), found.answers


def answered(answers: AnswerRuns, run: AnswerRun, cost: IndexingCost | None) -> Cells:
    """A row of tables III and IV. `cost`: of the index, for the system that reads facts."""
    found: Cells = {}
    if cost is not None and run.name == OURS:
        found |= dict(zip(INDEX, (cost.prompt_tokens, cost.reply_tokens), strict=True))
    found |= {metric: answers.estimate(run, metric) for metric in METRICS}
    if (share := answers.estimate(run, "evidence_share")) is not None:
        found["evidence_share"] = share
    return found | tokens(run)


def tokens(run: AnswerRun) -> Cells:
    """The tokens of a model for each question; nothing where none was asked."""
    if run.cost is None:
        return {}
    keys = zip(ANSWERS, ("prompt_tokens", "reply_tokens"), strict=True)
    return {column: run.cost.get(key, 0.0) / max(len(run.replies), 1) for column, key in keys}


def notes_of(found: evaluation.Incremental) -> tuple[str, ...]:
    """Notes that a reader of the run needs."""
    later = ", ".join(f"{field} {' or '.join(values)}" for field, values in found.split.update_values)
    base, update = (
        f"{each.documents:,} documents, {each.facts:,} facts" for each in (found.base, found.update)
    )
    told = [f"base: {base}; update ({later}): {update} in {found.update.periods:,} periods"]
    judged = next((each.answers.judging for each in found.stages if each.answers is not None), None)
    if judged is None:
        told.append("no model is configured: answers are quotes, nothing is judged")
    else:
        told.append(f"written and judged by {judged.judge}")
        told += [f"a judgement of no use: {each}" for each in judged.problems[:1]]
    if not any(found.dataset.sentences.values()):
        told.append("LLM-GT: the dataset has no evidence.jsonl, so it refuses everything")
    return (*told, *found.notes)


def answered_by_stage(
    experiment: Experiment, dataset: Path, options: ExperimentOptions, *, updated: bool
) -> Outcome:  # fmt: skip
    """The systems on base questions before the update, or on base and new questions after it."""
    found = asked_twice(dataset, systems(options), options, abstract=False)
    before, after, new = found.stages
    shown = [(", base", after, found.update), (", new", new, None)] if updated else [("", before, found.base)]
    rows: dict[str, Cells] = {}
    count, notes = 0, notes_of(found)
    for suffix, stage, cost in shown:
        if (answers := stage.answers) is not None:
            count += len(answers.references)
            rows |= {f"{run.name}{suffix}": answered(answers, run, cost) for run in answers.runs}
    for each in found.changed if updated else ():
        changed = f"{each.answers:,} of {each.answered:,} base questions have another answer afterwards"
        notes = (*notes, f"{each.recipe}: {changed}")
    return experiment.outcome(rows, found.dataset, count, notes)


def share(counted: PreferenceCount) -> Cell:
    """The share of verdicts for TG-RAG, the second of the pair; a tie is half a win. None without a
    verdict."""
    usable = counted.a_better + counted.b_better + counted.ties
    return (counted.b_better + counted.ties / 2) / usable if usable else None


def preferred_in_pairs(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """TG-RAG against the baselines at each stage, by a judge."""
    if options.config.model is None:
        raise options.config.lacking("model", "tgrag/V asks a language model to judge")
    compared = {name: each for name, each in systems(options).items() if name != GOLD}
    found = asked_twice(dataset, compared, options, abstract=True)
    rows: dict[str, Cells] = {}
    count = 0
    for stage in found.stages:
        if stage.answers is None or stage.answers.judging is None:
            continue
        count += len(stage.answers.references)
        for each in stage.answers.judging.preferred:
            if each.b == OURS:
                rows.setdefault(f"{stage.name}, {each.dimension}", {})[f"over {each.a}"] = share(each)
    return experiment.outcome(rows, found.dataset, count, notes_of(found))


def one_case(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """One abstract question, asked of NaiveRAG and TG-RAG, and why the judge prefers one."""
    if options.config.model is None:
        raise options.config.lacking("model", "tgrag/VI asks a language model to judge")
    compared = {name: each for name, each in systems(options).items() if name in (NAIVE, OURS)}
    wanted = str(options.parameters["question"])
    alone = replace(options, limit=None if wanted else 1)
    found, answers = asked_once(dataset, compared, alone, abstract=True, only=wanted)
    if answers.judging is None or not answers.judging.reasons:
        problems = answers.judging.problems if answers.judging else ()
        raise UsageError(f"tgrag/VI: the judge gave no verdict: {'; '.join(problems) or 'no reply'}")
    names = {"a": NAIVE, "b": OURS, "tie": "neither"}
    verdicts = answers.judging.reasons
    rows: dict[str, Cells] = {each.dimension: {"winner": names[each.better]} for each in verdicts}
    question = answers.references[0].question
    told = [(run.name, reply.answer.text) for run in answers.runs for reply in run.replies]
    told += [(f"{each.dimension}: {names[each.better]}", " / ".join(each.reasons)) for each in verdicts]
    each = [
        {"query_id": question.id, "query": question.text, "part": part, "text": text} for part, text in told
    ]
    notes = (f"the question: {question.text}", *found.notes)
    return experiment.outcome(rows, found.dataset, 1, notes, each)


def without_each(recipe: Recipe, *, alone: bool) -> dict[str, Recipe]:
    """The recipe, and the recipe without each of its parts. `alone`: passages are ranked by their facts only,
    as published."""
    stages = recipe.stages_by_name()
    facts = tuple(stage for name, stage in stages.items() if name not in MIXED_IN)
    base = replace(recipe, stages=facts) if alone else recipe
    return {
        OURS: base,
        "w/o PPR": base.replaced({"local.ppr": False}),
        "w/o temporal retrieval": base.replaced({"local.in_time": False}),
        "w/o both": base.replaced({"local.ppr": False, "local.in_time": False}),
        "w/o all": replace(recipe, stages=(stages["lexical"], stages["top_k"])),
    }


def without_parts(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """TG-RAG without its temporal retrieval, its PageRank, its temporal index, on the specific questions."""
    if alone := options.parameters["alone"]:
        options.refuse(MIXED_IN, "passages are ranked by their facts alone; --set alone=false mixes in words")
    found, answers = asked_once(dataset, without_each(options.applied(TGRAG), alone=alone), options)
    ranked = {run.name: run for run in found.runs}
    rows: dict[str, Cells] = {}
    for each in answers.runs:
        rows[each.name] = {name: answers.estimate(each, name) for name in METRICS}
        if each.name in ranked:
            rows[each.name][EVIDENCE] = found.estimate(ranked[each.name], EVIDENCE)
    return experiment.outcome(rows, found.dataset, len(answers.references), found.notes)


def size_of_the_graph(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """The numbers of entities, relations and periods in the graph of the base, and in that of both."""
    data = load(dataset)
    both = split(data, options.parameters["later"])
    cells: Cells = {}
    with (
        TemporaryDirectory(prefix="asof-graph-") as folder,
        open_corpus(folder, settings=CorpusSettings(undated="always"), config=Config()) as corpus,
    ):
        corpus.session.clock = itertools.count(data.clock, 1_000_000).__next__
        corpus.maintenance.background = False
        models_of(options).configure(corpus)
        for part, kind, calls in ((BASE, "base", "index calls"), (NEW, "updated", "update calls")):
            cost = add_and_read(corpus, both.documents(data, part), options.progress)
            view = corpus.at().view()
            facts = all_facts(view)
            entities, relations = graph_size(view, facts)
            cells |= {
                f"{kind} entities": entities, f"{kind} relations": relations,
                f"{kind} periods": len(Hierarchy.of(facts).nodes), calls: cost.calls,
            }  # fmt: skip
    note = "facts by the model of asof.toml" if options.config.model else "facts by rules: no model is asked"
    return experiment.outcome({OURS: cells}, data, 0, (note,))


def by_each_model(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """Each language model on the specific questions."""
    config = options.config
    if config.model is None:
        raise config.lacking("model", "tgrag/IX asks language models")
    rows, notes = dict[str, Cells](), dict[str, None]()
    for name in tuple(options.parameters["models"]) or (config.model.model,):
        writes = replace(config, model=replace(config.model, model=name))
        models = EvaluationModels(writes, writes=True, judges=True, judged_by=config)
        found, answers = asked_once(dataset, {name: options.applied(TGRAG)}, options, models=models)
        (answering,) = answers.runs
        rows[name] = {metric: answers.estimate(answering, metric) for metric in METRICS} | tokens(answering)
        notes |= dict.fromkeys(found.notes)
    told = (f"judged by {config.model.model}", *notes)
    return experiment.outcome(rows, found.dataset, len(answers.references), told)


def best_f1(run: AnswerRun) -> Floats:
    """F1 of each answer with the accepted answer that it is nearest to; 0 for a refusal."""
    values = []
    for each in run.replies:
        text = uncited(each.answer.text)
        shared = [f1(text, accepted) for accepted in each.reference.accepted]
        values.append(0.0 if refuses(each.answer) else max(shared, default=np.nan))
    return np.array(values, np.float64)


def other_sets(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """NaiveRAG, QD-RAG, TG-RAG on the questions of another set, most of them without a time."""
    compared = {name: recipe for name, recipe in systems(options).items() if name != GOLD}
    found, answers = asked_once(dataset, compared, options)
    ranked = {run.name: run for run in found.runs}
    rows: dict[str, Cells] = {}
    for each in answers.runs:
        rows[each.name] = {options.parameters["set"]: estimate(best_f1(each), answers.cluster, options.seed)}
        if each.name in ranked:
            rows[each.name]["recall@5"] = found.estimate(ranked[each.name], "recall@5")
    return experiment.outcome(rows, found.dataset, len(answers.references), found.notes)
