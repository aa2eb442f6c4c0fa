"""Protocols of TG-RAG (arXiv 2510.13590, sections V and VI): answers of its systems before and after an
update. Each function makes the outcome of an experiment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from asof.answer.write import REFUSAL
from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.extensions.facts.hierarchy import Hierarchy
from asof.extensions.facts.local import TGRAG
from asof.extensions.facts.names import EntityResolver
from asof.extensions.facts.store import CHANGE, NAME, VALUE
from asof.extensions.facts.visible import StatedFact
from asof.extensions.lab.answers import (
    NO_MODELS,
    AnswerFunction,
    AnswerRun,
    AnswerRuns,
    EvaluationModels,
    IndexingCost,
    add_and_read,
    all_facts,
    cost_of,
    f1,
    is_abstract,
    refuses,
    uncited,
)
from asof.extensions.lab.datasets import Dataset, load, temporary
from asof.extensions.lab.evaluation import Evaluation, Incremental, evaluate, evaluate_incremental
from asof.extensions.lab.experiments import Cells, Experiment, ExperimentOptions, Outcome
from asof.extensions.lab.metrics import Floats, clusters, estimate
from asof.extensions.lab.runs import BASE, NEW, split
from asof.extensions.systems.recipes import DENSE
from asof.extensions.systems.stages import SubQuestions
from asof.hits import LOCAL, Answer, Citation, QuestionUsage, Usage
from asof.index.view import View
from asof.models.ports import Model, Prompt, between, prompt_text
from asof.queries import Filters
from asof.rank.gather import TopK
from asof.rank.stage import Recipe
from asof.store.schema import CorpusSettings
from asof.text.query import key
from asof.time.span import iso
from asof.wire import replace

GOLD, NAIVE, PARTED, OURS = "LLM-GT", "NaiveRAG", "QD-RAG", "TG-RAG"
METRICS = ("rouge_l", "f1")
INDEX = ("index prompt tokens", "index reply tokens")
ANSWERS = ("prompt tokens a question", "reply tokens a question")
EVIDENCE = "evidence@12000"

MIXED_IN = ("max_normalize", "combine", "round_robin_by_document")
"""The stages of `tgrag` that mix in words, which the published system does not."""

Sentences = Sequence[tuple[str, str]]


QD_RAG = Recipe("qd-rag", "each part of a question by vectors alone", (SubQuestions(), TopK()), typed=True)
"""Ammann et al. 2025. Parts of a question are found by rules, as `asof ask` finds the cells of a table."""

SYSTEMS: dict[str, Recipe] = {GOLD: DENSE, NAIVE: DENSE, PARTED: QD_RAG, OURS: TGRAG}
"""The systems of the paper that are here, by the names of its tables. NaiveRAG (Lewis et al. 2020) ranks
passages by vectors alone."""

RETRIEVING = {name: recipe for name, recipe in SYSTEMS.items() if name != GOLD}


def models_of(options: ExperimentOptions) -> EvaluationModels:
    """The configured model writes; without one, answers are quotes."""
    return NO_MODELS if options.config.model is None else EvaluationModels(options.config, writes=True)


def asking(data: Dataset) -> AnswerFunction:
    """Answers as the system whose name the recipe has: from single passages; LLM-GT from the gold evidence
    (section V-B). Evidence of questions with the same text and moment is joined."""
    evidence: dict[tuple[str, int], dict[tuple[str, str], None]] = defaultdict(dict)
    for each in data.questions:
        evidence[each.text, data.as_of(each)] |= dict.fromkeys(data.sentences.get(each.id, []))

    def ask(corpus: Corpus, as_of: int, question: str, filters: Filters, recipe: Recipe) -> Answer:
        if recipe.name == GOLD:
            with corpus.models.language() as model:
                return gold_answer(question, list(evidence.get((question, as_of), ())), as_of, model)
        return corpus.snapshot(as_of, None).ask(question, mode=LOCAL, filters=filters, recipe=recipe)

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


def questions_of(dataset: Path, options: ExperimentOptions) -> Dataset:
    """The dataset with its specific questions alone. Raises UsageError without any."""
    data = load(dataset, queries=options.queries)
    chosen = [each for each in data.questions if not is_abstract(each)]
    if not chosen:
        raise UsageError(f"{data.name} has {len(data.questions):,} questions, none of them specific")
    return replace(data, questions=tuple(chosen))


def asked_twice(dataset: Path, recipes: Mapping[str, Recipe], options: ExperimentOptions) -> Incremental:
    """The incremental protocol with the specific questions: base questions before and after the update, new
    ones after it (section V-A). Raises UsageError, ModelError."""
    if options.encoder is not None:
        raise UsageError("--encoder: the incremental protocol has no vectors of a model; accepted: hashed")
    data = questions_of(dataset, options)
    return evaluate_incremental(
        data, options.parameters["later"], named(recipes), options.evaluation(), progress=options.progress,
        ask=asking(data), models=models_of(options),
    )  # fmt: skip


def asked_once(
    dataset: Path, recipes: Mapping[str, Recipe], options: ExperimentOptions,
    models: EvaluationModels | None = None,
) -> tuple[Evaluation, AnswerRuns]:  # fmt: skip
    """The specific questions, ranked and answered by recipes that are named by their rows.

    `models`: what writes (default: as configured). Raises UsageError, ModelError.
    """
    data = questions_of(dataset, options)
    found = evaluate(
        data, named(recipes), options.evaluation(answers=True), encoder=options.encoder, cache=options.cache,
        progress=options.progress, ask=asking(data), models=models or models_of(options),
    )  # fmt: skip
    assert found.answers is not None  # noqa: S101  they were asked for
    return found, found.answers


def named(recipes: Mapping[str, Recipe]) -> list[Recipe]:
    return [replace(recipe, name=label) for label, recipe in recipes.items()]


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
    cost = cost_of(run)
    if cost is None:
        return {}
    keys = zip(ANSWERS, ("prompt_tokens", "reply_tokens"), strict=True)
    return {column: cost.get(key, 0.0) / max(len(run.results), 1) for column, key in keys}


def notes_of(found: Incremental, options: ExperimentOptions) -> tuple[str, ...]:
    """Notes that a reader of the run needs."""
    later = ", ".join(f"{field} {' or '.join(values)}" for field, values in found.split.update_values.items())
    base, update = (
        f"{each.documents:,} documents, {each.facts:,} facts" for each in (found.base, found.update)
    )
    told = [f"base: {base}; update ({later}): {update}"]
    model = options.config.model
    told.append(
        "no model is configured: answers are quotes" if model is None else f"written by {model.model}"
    )
    if not any(found.dataset.sentences.values()):
        told.append("LLM-GT: the dataset has no evidence.jsonl, so it refuses everything")
    return (*told, *found.notes)


def answered_by_stage(
    experiment: Experiment, dataset: Path, options: ExperimentOptions, *, updated: bool
) -> Outcome:  # fmt: skip
    """The systems on base questions before the update, or on base and new questions after it."""
    found = asked_twice(dataset, SYSTEMS, options)
    before, after, new = found.stages.values()
    shown = [(", base", after, found.update), (", new", new, None)] if updated else [("", before, found.base)]
    rows: dict[str, Cells] = {}
    count, notes = 0, notes_of(found, options)
    for suffix, answers, cost in shown:
        if answers is not None:
            count += len(answers.references)
            rows |= {f"{run.name}{suffix}": answered(answers, run, cost) for run in answers.runs}
    for name, changed in found.changed.items() if updated else ():
        asked = 0 if before is None else len(before.references)
        notes = (*notes, f"{name}: {changed:,} of {asked:,} base questions have another answer afterwards")
    return experiment.outcome(rows, found.dataset, count, notes)


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
    variants = without_each(TGRAG, alone=options.parameters["alone"])
    found, answers = asked_once(dataset, variants, options)
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
    with temporary(data, CorpusSettings(undated="always")) as corpus:
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


def graph_size(view: View, facts: Iterable[StatedFact]) -> tuple[int, int]:
    """The number of entities and measures that the current ones of some facts relate, and that of these
    facts. A fact that relates an entity to itself is none."""
    entities = EntityResolver.of(view)
    current = [each for each in facts if each.passage.ended is None and each.fact.kind != NAME]
    entities.prepare(current)
    nodes, relations = set[tuple[str, str]](), 0
    for each in current:
        fact, document = each.fact, each.passage.document
        source = ("entity", entities.root_of(fact.subject, document))
        if fact.kind in (VALUE, CHANGE):
            target = ("measure", key(fact.relation))
        else:
            target = ("entity", entities.root_of(fact.object, document))
        if source[1] and target[1] and source != target:
            nodes |= {source, target}
            relations += 1
    return len(nodes), relations


def by_each_model(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """Each language model on the specific questions."""
    config = options.config
    if config.model is None:
        raise config.lacking("model", "tgrag/IX asks language models")
    rows, notes = dict[str, Cells](), dict[str, None]()
    names = filter(None, map(str.strip, options.parameters["models"].split(",")))
    for name in list(dict.fromkeys(names)) or [config.model.model]:
        writes = replace(config, model=replace(config.model, model=name))
        found, answers = asked_once(dataset, {name: TGRAG}, options, EvaluationModels(writes, writes=True))
        (answering,) = answers.runs
        rows[name] = {metric: answers.estimate(answering, metric) for metric in METRICS} | tokens(answering)
        notes |= dict.fromkeys(found.notes)
    return experiment.outcome(rows, found.dataset, len(answers.references), tuple(notes))


def best_f1(run: AnswerRun) -> Floats:
    """F1 of each answer with the accepted answer that it is nearest to; 0 for a refusal."""
    values = []
    for each in run.results:
        text = uncited(each.answer.text)
        shared = [f1(text, accepted) for accepted in each.reference.accepted]
        values.append(0.0 if refuses(each.answer) else max(shared, default=np.nan))
    return np.array(values, np.float64)


def other_sets(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """NaiveRAG, QD-RAG, TG-RAG on the questions of another set, most of them without a time."""
    found, answers = asked_once(dataset, RETRIEVING, options)
    ranked = {run.name: run for run in found.runs}
    rows: dict[str, Cells] = {}
    cluster = clusters([each.text for each in answers.questions])
    for each in answers.runs:
        rows[each.name] = {options.parameters["set"]: estimate(best_f1(each), cluster, options.seed)}
        if each.name in ranked:
            rows[each.name]["recall@5"] = found.estimate(ranked[each.name], "recall@5")
    return experiment.outcome(rows, found.dataset, len(answers.references), found.notes)
