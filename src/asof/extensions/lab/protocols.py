"""Protocols: experiments of the papers that do more than vary a recipe; each function makes an outcome.

TWE-RAG: the decay alone, parts of scores, times. TempRALM: a language model that reads. Adaptive RAG for
arXiv: learning from one question after the other. Those of TG-RAG are in `tgrag.py`.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from asof import environment
from asof.corpus.corpus import Corpus
from asof.corpus.session import ModelProvider
from asof.corpus.snapshot import Snapshot
from asof.errors import UsageError
from asof.extensions.lab.answers import exact_match, uncited
from asof.extensions.lab.datasets import Dataset, DatasetQuestion, load, prepared, temporary
from asof.extensions.lab.evaluation import Evaluation
from asof.extensions.lab.experiments import (
    Cells,
    Experiment,
    ExperimentOptions,
    Outcome,
    measure,
)
from asof.extensions.lab.figures import Picture, lines
from asof.extensions.lab.metrics import DEPTH, Floats, clusters, estimate
from asof.extensions.lab.runs import (
    SHOWN,
    asked_of,
    by_type,
    check_filters,
    choose,
    filters,
    progress_counter,
    relevant,
)
from asof.extensions.systems.learning import Box, ExpressionLosses, JudgedQuery, JudgedScores
from asof.extensions.systems.loss import RELEVANT, gains
from asof.extensions.systems.online import OnlineLearner
from asof.extensions.systems.recipes import TEMPRALM, TWE
from asof.extensions.systems.stages import Decay, Gap
from asof.hits import Hit, Why
from asof.index.view import View
from asof.models.ports import Prompt, delimiter_for, prompt_text
from asof.rank.combine import Combine
from asof.rank.stage import Recipe, value_of
from asof.recipes import by_document
from asof.recipes import named as recipe_named
from asof.store.schema import CorpusSettings
from asof.wire import replace

# -- TWE-RAG ---------------------------------------------------------------------------------------

AS_WRITTEN = CorpusSettings(chunking="whole", stem=False, undated="always")
"""Whole documents, words as they are written."""

DECAY: Decay = next(stage for stage in TWE.stages if isinstance(stage, Decay))


def kinds(found: Evaluation, options: ExperimentOptions) -> dict[str, list[int]]:
    """The places of temporal and of general questions: by the types in the parameter `temporal`, or by words
    that the recipe knows. Raises UsageError."""
    questions, types = found.questions, options.parameters["temporal"]
    named = {each.strip() for each in types.split(",") if each.strip()}
    there = {question.type for question in questions if question.type}
    if missing := sorted(named - there):
        has = f"there are: {', '.join(sorted(there))}" if there else "none has a type"
        raise UsageError(f"temporal={missing[0]}: no question has that type; {has}")
    places: dict[str, list[int]] = {"temporal": [], "general": []}
    for at, question in enumerate(questions):
        temporal = question.type in named if named else DECAY.recency(question.text) == 1.0
        places["temporal" if temporal else "general"].append(at)
    return places


def fading(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """The numbers of the decay itself, and figure 3; the dataset tells how often each holds."""
    found = measure(dataset, {"twe": TWE}, options, AS_WRITTEN)
    numbers = {"recency question": DECAY.adapted(1.0), "general question": DECAY.adapted(DECAY.general)}
    rows: dict[str, Cells] = {label: {"delta": delta, "tau": tau} for label, (delta, tau) in numbers.items()}
    _, tau = DECAY.adapted(1.0)
    for times in (1, 2, 3):  # what is left of a passage of that age, rounded to whole days
        rows[f"age {times} tau".replace(" 1 ", " ")] = {"decay": math.exp(-round(times * tau) / tau)}
    wishes = sum(DECAY.recency(question.text) == 1.0 for question in found.questions)
    note = f"{wishes:,} of {len(found.questions):,} questions of the dataset are recency questions"
    curve = [
        {"question": label, "age in days": day, "added": delta * math.exp(-day / tau)}
        for label, (delta, tau) in numbers.items()
        for day in range(0, 2_000, 10)
    ]
    draw = partial(lines, x="age in days", y=("added",), series="question", title="the weight of age")
    pictures = (Picture("twe-fig3-decay", curve, draw, "delta exp(-age / tau)"),)
    return experiment.outcome(rows, found.dataset, len(found.questions), (note, *found.notes), pictures)


def score_parts(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """The scores of the first hundred, and the parts of the first ten."""
    found = measure(dataset, {"twe": TWE}, options, AS_WRITTEN)
    scores = [score for each in found.runs[0].results for _, score in each.ranking]
    cache = options.cache or environment.cache_folder()
    with prepared(found.dataset, found.options.settings, cache, options.encoder) as corpus:
        trees = [[hit.why for hit in first_hits(corpus, found, each)] for each in found.questions]
    ranks = mean_parts(trees)
    means: dict[str, list[float]] = defaultdict(list)
    for row in ranks:
        means[row["part"]].append(row["mean"])
    rows = {"score": _range(scores), **{f"part: {label}": _range(values) for label, values in means.items()}}
    caption = f"{found.dataset.name}: means over the questions that have a document of that rank."
    draw = partial(lines, x="rank", y=("mean",), series="part", title="the parts of scores")
    pictures = (Picture("twe-fig4-scores", ranks, draw, caption),)
    return experiment.outcome(rows, found.dataset, len(found.questions), found.notes, pictures)


def _range(values: Sequence[float]) -> Cells:
    ends = (min(values), sum(values) / len(values), max(values)) if values else (None, None, None)
    return dict(zip(("least", "mean", "most"), ends, strict=True))


def first_hits(corpus: Corpus, found: Evaluation, question: DatasetQuestion) -> tuple[Hit, ...]:
    """The first hits of a question."""
    snapshot, meta = asked_of(corpus, found.dataset, question), filters(question, found.options.filter_by)
    return snapshot.search(question.text, SHOWN, recipe=TWE, meta=meta, unit="passage").hits


def mean_parts(trees: Iterable[Sequence[Why]]) -> list[dict[str, Any]]:
    """Mean parts of scores by rank. `trees`: for each question those of its hits in order; a missing part
    counts 0."""
    by_rank: dict[int, list[dict[str, float]]] = defaultdict(list)
    for of_question in trees:
        for rank, tree in enumerate(of_question, 1):
            by_rank[rank].append(parts(tree))
    labels = dict.fromkeys(label for values in by_rank.values() for each in values for label in each)
    return [
        {"rank": rank, "part": label, "mean": sum(each.get(label, 0.0) for each in values) / len(values)}
        for rank, values in sorted(by_rank.items())
        for label in labels
    ]


SUMS = frozenset(stage.name for stage in TWE.stages if isinstance(stage, Combine))
"""The labels of sums of other stages' columns."""


def parts(tree: Why) -> dict[str, float]:
    """The parts of a score, which add up to it: its summands, and those of sums inside it."""
    if tree.op == "sum" and tree.label in SUMS:
        values: dict[str, float] = defaultdict(float)
        for part in tree.parts:
            for label, value in parts(part).items():
                values[label] += value
        return values
    if tree.op == "product" and tree.parts[0].op == "sum" and tree.parts[0].label in SUMS:
        weighted, *weights = tree.parts
        weight = math.prod(each.value for each in weights)
        return {label: value * weight for label, value in parts(weighted).items()}
    return {tree.label: tree.value}


def times_by_size(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """The graph of a corpus built anew, so that nothing is kept, and the latency of questions."""
    found = measure(dataset, {"twe": TWE}, options, AS_WRITTEN)
    results = found.runs[0].results
    with temporary(found.dataset, found.options.settings, found.dataset.documents()) as corpus:
        newest = corpus.snapshot(max(found.dataset.newest, *(each.as_of for each in results)), None)
        graph, passages = _graph_seconds(newest, found.questions[0].text), newest.view().n
        seen = median(corpus.snapshot(each.as_of, None).view().n for each in results)
    rows: dict[str, Cells] = {
        "graph, s": {"documents": passages, "taken": graph},
        "question, ms": {"documents": int(seen), "taken": round(found.runs[0].latency(50), 2)},
    }
    return experiment.outcome(rows, found.dataset, len(found.questions), found.notes)


def _graph_seconds(snapshot: Snapshot, question: str) -> float:
    """The seconds that the first search with centrality takes more than one without it, all else ready."""
    words, pool, centrality, end = (
        TWE.stages_by_name()[name] for name in ("lexical", "pool", "centrality", "top_k")
    )
    taken = []
    for stages in ((words, pool, end), (words, pool, end), (words, pool, centrality, end)):
        started = time.perf_counter()
        snapshot.search(question, 10, recipe=replace(TWE, stages=stages), unit="passage")
        taken.append(time.perf_counter() - started)
    return max(taken[2] - taken[1], 0.0)


# -- TempRALM --------------------------------------------------------------------------------------

WHOLE_FACTS = CorpusSettings(chunking="whole", undated="always")
"""Each fact is a passage."""

LONGEST = 60
"""Tokens of a reply."""

EXAMPLES = (0, 32, 64, 128)
"""How many examples stand in a prompt."""


def retrievers(options: ExperimentOptions) -> dict[str, Recipe]:
    """TempRALM without the temporal score and its mask, and as it is; `mask` may be turned off."""
    kept = tuple(each for each in TEMPRALM.stages if not isinstance(each, Gap))
    whole = TEMPRALM.replaced({"gap.mask": options.parameters.get("mask", True)})
    return {"retriever alone": replace(TEMPRALM, stages=kept), "TempRALM": whole}


def read_by_model(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """Each retriever with each number of examples in the prompt of a model that reads."""
    if options.config.model is None:
        raise options.config.lacking("model", "tempralm/reader asks a language model")
    data = load(dataset, queries=options.queries)
    check_filters(data, options.filter_by)
    sizes, shown, asked = divided(data, options)
    forms, cluster = by_type(asked), clusters([each.text for each in asked])
    rows: dict[str, Cells] = {}
    cache = options.cache or environment.cache_folder()
    with prepared(data, options.indexed(WHOLE_FACTS), cache, options.encoder) as corpus:
        models = ModelProvider(corpus.session, config=replace(corpus.config, model=options.config.model))
        with models.language() as model:
            assert model is not None  # noqa: S101  it is configured
            for name, recipe in retrievers(options).items():
                pose = partial(posed_by, corpus, data, recipe, options)
                solved = [(pose(each), each.record["answer"]) for each in shown]
                posed = [pose(each) for each in asked]
                for size in sizes:
                    options.progress(f"{name}, {size} examples", 0, len(asked))
                    replies = model.complete([prompt_for(each, solved[:size]) for each in posed])
                    right = exact_matches([reply.text for reply in replies], asked)
                    cells: Cells = {"exact match": estimate(right, cluster, options.seed)}
                    for form, at in forms.items():
                        cells[form or "all"] = estimate(right[at], cluster[at], options.seed)
                    rows[f"{size} examples, {name}"] = cells
            meter = model.meter
    failed = f"; {meter.failed:,} without a usable reply count as wrong" if meter.failed else ""
    used = f"{meter.prompt_tokens:,} tokens read and {meter.reply_tokens:,} written"
    note = f"{model.name}: {meter.calls:,} calls, {meter.cached:,} kept replies, {used}{failed}"
    left_out = ", ".join(str(size) for size in EXAMPLES if size not in sizes)
    too_few = (f"too few questions for {left_out} examples",) if left_out else ()
    return experiment.outcome(rows, data, len(asked), (note, *too_few))


def divided(
    data: Dataset, options: ExperimentOptions
) -> tuple[list[int], list[DatasetQuestion], list[DatasetQuestion]]:
    """How many examples stand in prompts, the questions that are shown as examples, and those that are asked:
    by a hash, none in both. At most half are shown. Questions need a field `answer`. Raises UsageError."""
    known = [each for each in data.questions if isinstance(each.record.get("answer"), str)]
    if not known:
        raise UsageError(f"{data.name}: no question has a text in answer")
    order = sorted(known, key=lambda each: _hash(options.seed, each.id))
    sizes = [size for size in EXAMPLES if size <= len(known) // 2]
    return sizes, order[: sizes[-1]], order[sizes[-1] :][: options.limit]


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


def posed_by(
    corpus: Corpus, data: Dataset, recipe: Recipe, options: ExperimentOptions, question: DatasetQuestion
) -> Posed:
    """A question as the reader gets it, with passages as of its moment."""
    then, meta = asked_of(corpus, data, question), filters(question, options.filter_by)
    k = options.parameters["passages"]
    found = then.search(question.text, k, recipe=recipe, meta=meta, unit="passage")
    told = [f"[{hit.rank}] {hit.published or 'undated'}: {' '.join(hit.text.split())}" for hit in found.hits]
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

PAPERS = recipe_named("papers")

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


def judged_questions(dataset: Path, options: ExperimentOptions, relevance: str = "judged") -> JudgedQuestions:
    """The questions of a dataset, ranked by `papers` as of their moments, in the order of those.

    Questions of one moment, or without one, are in an order by a hash. `relevance`: of the judgements of the
    dataset, or a document's own similarity, as published. Raises UsageError.
    """
    data = load(dataset, queries=options.queries)
    check_filters(data, options.filter_by)
    questions, notes = choose(data, options.evaluation(OVERLAPPING))
    if len(questions) < FEWEST:
        raise UsageError(f"{data.name}: {len(questions)} judged questions; at least {FEWEST} are needed")
    questions = sorted(questions, key=lambda each: (data.as_of(each), _hash(options.seed, each.id)))
    box = Box.of(PAPERS)
    cache = options.cache or environment.cache_folder()
    advance = progress_counter(options.progress, "ranking", len(questions))
    queries, scored = [], []
    with prepared(data, options.indexed(OVERLAPPING), cache, options.encoder) as corpus:
        for question in questions:
            query = judged_query(corpus, data, question, options.filter_by)
            queries.append(query)
            scored.append(_scored(query, box))
            advance()
    if relevance == "similarity":
        scored = [_by_similarity(each, box) for each in scored]
        queries = [
            replace(query, gains={str(at): gain for at, gain in enumerate(own.gains.tolist())})
            for query, own in zip(queries, scored, strict=True)
        ]
    table = ExpressionLosses(queries, scored, FIRST)
    texts = tuple(each.text for each in questions)
    return JudgedQuestions(box, texts, table, data, tuple(notes), options.seed)


def judged_query(
    corpus: Corpus, data: Dataset, question: DatasetQuestion, filter_by: Sequence[str]
) -> JudgedQuery:
    """A question as `papers` is asked it, with the gains of documents; nothing is searched."""
    then, graded = asked_of(corpus, data, question), relevant(question, data)
    hard = then.filters(meta=filters(question, filter_by))
    reading, query, _ = then.reader.query_for(question.text, DEPTH, hard, "passage", PAPERS, rerank=False)
    at = replace(then, as_of=reading.as_of)
    gained = dict(zip(graded, gains(graded.values()), strict=True))
    return JudgedQuery(query, at.use, gained, question.query_doc)


def _scored(query: JudgedQuery, box: Box) -> JudgedScores:
    def look(view: View) -> JudgedScores:
        return JudgedScores.of_question(query, view, by_document(PAPERS), box, FIRST)

    scores: JudgedScores = query.use(look)
    return scores


def _by_similarity(scores: JudgedScores, box: Box) -> JudgedScores:
    """The same with the published relevance: the largest similarity of a document's passages as grade."""
    setting = start_of(box)
    for at, name in enumerate(box.names):
        if name in PAPERS.tunable.simplex:
            setting[at] = float(name.endswith(".similarity"))
    similar = scores.scores(setting[None])[0]
    grades = np.where(np.isfinite(similar), np.maximum(similar, 0.0), 0.0)
    return replace(scores, gains=np.exp2(grades) - 1)


def start_of(box: Box) -> Floats:
    """The numbers of `papers` as a point of its box (d,)."""
    return np.array([value_of(PAPERS, name) for name in box.names])


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
    start = judged.box.project(start_of(judged.box))
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
    judged = judged_questions(dataset, options, options.parameters["relevance"])
    count = len(judged.texts)
    first = min(options.parameters["learned"], count // 2)
    steps, best = run_online(judged, first, options.seed)
    rows = {
        f"{name}{of}": judged.estimates(setting, at)
        for of, at in (("", range(first, count)), (", on what was learned from", range(first)))
        for name, setting in (("Initial", start_of(judged.box)), ("Optimized", best))
    }
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in judged.box.named(best).items())
    notes = (f"learned from {first:,} questions, measured on {count - first:,} others", f"learned: {numbers}")
    curve = [
        {"question": each.question, "stage": each.stage, "line": line, "loss": getattr(each, field)}
        for field, line in CURVES.items()
        for each in steps
    ]
    caption = f"{len(steps):,} questions, each ranked by what was learned before"
    draw = partial(lines, x="question", y=("loss",), series="line", title="1 - NDCG@10")
    pictures = (Picture("arxiv-losses", curve, draw, caption),)
    return experiment.outcome(rows, judged.data, count - first, (*notes, *judged.notes), pictures)


def losses_by_stage(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """Learn from the first questions, and return the losses by stage."""
    judged = judged_questions(dataset, options, options.parameters["relevance"])
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
