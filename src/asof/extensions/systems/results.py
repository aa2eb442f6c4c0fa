"""The JSON of `asof papers`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.results import IndexedJson, indexed_json
from asof.time.span import iso
from asof.wire import AnswerJson, CostJson, HitJson, Instant, answer_json, cost_json, hit_json, one_of

if TYPE_CHECKING:
    from asof.extensions.systems.judgements import JudgedRecord, JudgingReport
    from asof.extensions.systems.loss import RankingMetrics
    from asof.extensions.systems.papers import PaperAnswer, PaperStatement, WeightUpdate


# -- recorded questions and their judgements -------------------------------------------------------


class RecordedJson(TypedDict):
    """A recorded query."""

    id: Annotated[str, "names it; so does any beginning that no other has"]
    query: Annotated[str, "as it was asked"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    recipe: Annotated[str, "what ranked"]
    unit: Annotated[str, one_of("passage", "document"), "what was ranked"]
    recorded_at: Instant
    shown: Annotated[int, "how many hits are kept of what was shown"]
    judged: Annotated[int, "how many of them have a grade"]


class JudgedHitJson(TypedDict):
    """A hit that was shown, and its grade."""

    rank: int
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    score: float
    grade: Annotated[float | None, "that counts, 0 to 3; null: none"]
    weight: Annotated[float, "of the grade beside others; 0 without one"]
    by: Annotated[str, one_of("grade", "model", "click", ""), 'who gave it; "": not judged']


class JudgingJson(TypedDict):
    """The work of a model as judge."""

    judge: Annotated[str, "the name of the model"]
    graded: Annotated[int, "how many hits"]
    ungraded: Annotated[list[str], "why others have no grade"]
    cost: CostJson


class FeedbackJson(RecordedJson):
    """A recorded query with its hits."""

    hits: list[JudgedHitJson]
    judging: Annotated[JudgingJson | None, "with `--judge`; else null"]


class FeedbackListJson(TypedDict):
    """The recorded queries."""

    queries: Annotated[list[RecordedJson], "oldest first"]


def feedback_list_json(records: Iterable[JudgedRecord]) -> FeedbackListJson:
    return {"queries": [_recorded_json(each) for each in records]}


def feedback_json(one: JudgedRecord, judging: JudgingReport | None) -> FeedbackJson:
    return {
        **_recorded_json(one),
        "hits": [
            {
                "rank": hit.rank, "id": hit.hit, "document": hit.document, "score": hit.score,
                "grade": grade, "weight": weight, "by": kind,
            }
            for hit, grade, weight, kind
            in zip(one.question.shown, one.grades, one.weights, one.kinds, strict=True)
        ],
        "judging": None if judging is None else judging_json(judging),
    }  # fmt: skip


def judging_json(judging: JudgingReport) -> JudgingJson:
    return {
        "judge": judging.judge, "graded": judging.graded, "ungraded": list(judging.problems),
        "cost": cost_json(asdict(judging.cost)),
    }  # fmt: skip


def _recorded_json(one: JudgedRecord) -> RecordedJson:
    question = one.question
    return {
        "id": question.id, "query": question.text, "as_of": iso(question.as_of),
        "known_at": iso(question.known_at), "recipe": question.recipe, "unit": question.unit,
        "recorded_at": iso(question.added), "shown": len(question.shown), "judged": sum(map(bool, one.kinds)),
    }  # fmt: skip


# -- papers ----------------------------------------------------------------------------------------


class PaperRequestJson(TypedDict):
    """The request to arXiv."""

    categories: Annotated[list[str], "closest first"]
    since: Annotated[Instant, "papers submitted from then on"]
    until: Annotated[Instant, "papers submitted until then"]
    papers: Annotated[int, "how many"]
    by: Annotated[str, one_of("rules", "model"), "what read the question"]


class FetchedJson(TypedDict):
    """The papers fetched; null: nothing was asked for, or arXiv could not be reached (see `notes`)."""

    abstracts: IndexedJson | None
    full_texts: IndexedJson | None


class PaperQuoteJson(TypedDict):
    """A sentence of a paper that was read."""

    paper: Annotated[str, "the document of its abstract"]
    document: Annotated[str, "where the sentence stands: its abstract or its full text"]
    id: Annotated[str, "the passage"]
    section: Annotated[str, "`abstract`, or the page"]
    uri: str
    quote: str


class RankingMetricsJson(TypedDict):
    """Metrics of an order of judged papers; papers without a grade count as 0."""

    k: int
    ndcg: Annotated[float, "nDCG@k"]
    dcg: Annotated[float, "the sum of (2^grade - 1) / log2(rank + 1) over the first k"]
    idcg: Annotated[float, "that of the best order"]
    loss: Annotated[float, "1 - nDCG@k"]
    precision: Annotated[float, "how many of the first k have a grade above .5, divided by k"]
    mean_relevance_top_k: Annotated[float, "the mean grade of the first k"]
    mean_relevance_all: Annotated[float, "the mean grade of all that were shown"]
    improvement: Annotated[float, "the first mean less the second"]


class LearnedQueryJson(TypedDict):
    """A judged query that weights were learned from."""

    id: str
    query: str
    loss: Annotated[float, "1 - nDCG@10"]
    weights: Annotated[dict[str, float], "that ranked it"]
    metrics: Annotated[RankingMetricsJson | None, "of what was shown, as it is judged now"]


class LearningJson(TypedDict):
    """A change of the weights of the ranking."""

    stage: Annotated[str, one_of("baseline", "exploration", "evolution", "bayesian")]
    number: Annotated[int, "which of the queries that are learned from this is, from 1"]
    weights: Annotated[dict[str, float], "that ranked this question"]
    previous_weights: Annotated[dict[str, float], "that ranked the question before"]
    examples: Annotated[list[LearnedQueryJson], "oldest first"]
    new: Annotated[int, "how many of the examples are new"]
    compared: Annotated[int, "on how many of the last ones settings are compared"]
    loss: Annotated[float | None, "of `weights` on those, on average; null: nothing is judged"]
    initial_loss: Annotated[float | None, "of the weights of the beginning on those"]
    metrics: Annotated[
        RankingMetricsJson | None, "of `weights` on those, each the mean; null: none is judged"
    ]
    initial_metrics: Annotated[RankingMetricsJson | None, "of the weights of the beginning on those"]


class PapersJson(TypedDict):
    """An answer from new papers of arXiv."""

    question: Annotated[str, "as it was asked"]
    request: PaperRequestJson
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    fetched: FetchedJson
    papers: Annotated[list[HitJson], "best first, each with `why`"]
    quotes: Annotated[list[PaperQuoteJson], "of the papers that were read"]
    answer: Annotated[AnswerJson | None, "null: there is no paper, or the model failed"]
    learning: LearningJson
    recorded: Annotated[str | None, "the id for `asof papers --feedback`; null: it is not recorded"]
    judging: Annotated[JudgingJson | None, "with `--judge`; else null"]
    cost: Annotated[CostJson | None, "of all calls of the model for this question; null: no model"]
    incomplete: Annotated[bool, "whether arXiv did not give all that was asked"]
    notes: list[str]


def papers_json(outcome: PaperAnswer) -> PapersJson:
    wish, view = outcome.parsed, outcome.results.view
    return {
        "question": outcome.request.question,
        "request": {
            "categories": list(wish.categories), "since": iso(wish.since), "until": iso(wish.until),
            "papers": wish.papers, "by": wish.by,
        },
        "as_of": iso(view.as_of), "known_at": iso(view.known_at),
        "fetched": {
            "abstracts": None if outcome.fetched is None else indexed_json(outcome.fetched),
            "full_texts": None if outcome.texts is None else indexed_json(outcome.texts),
        },
        "papers": [hit_json(hit, explain=True) for hit in outcome.results.hits],
        "quotes": [_quote_json(each) for each in outcome.statements],
        "answer": None if outcome.answer is None else answer_json(outcome.answer),
        "learning": _learning_json(outcome.learned),
        "recorded": outcome.recorded or None,
        "judging": None if outcome.judging is None else judging_json(outcome.judging),
        "cost": None if outcome.cost is None else cost_json(asdict(outcome.cost)),
        "incomplete": outcome.incomplete, "notes": [*outcome.notes, *outcome.results.notes],
    }  # fmt: skip


def _quote_json(each: PaperStatement) -> PaperQuoteJson:
    return {
        "paper": each.paper, "document": each.hit.document, "id": each.hit.id, "section": each.place,
        "uri": each.hit.uri, "quote": each.quote,
    }  # fmt: skip


def _learning_json(learned: WeightUpdate) -> LearningJson:
    return {
        "stage": learned.stage, "number": learned.question, "weights": dict(learned.now),
        "previous_weights": dict(learned.before),
        "examples": [
            {
                "id": each.id, "query": each.question, "loss": each.lost, "weights": dict(each.numbers),
                "metrics": _metrics_json(each.metrics),
            }
            for each in learned.losses
        ],
        "new": learned.new, "compared": learned.compared, "loss": _number(learned.lost),
        "initial_loss": _number(learned.began), "metrics": _metrics_json(learned.metrics),
        "initial_metrics": _metrics_json(learned.initial_metrics),
    }  # fmt: skip


def _metrics_json(metrics: RankingMetrics | None) -> RankingMetricsJson | None:
    if metrics is None:
        return None
    return {
        "k": metrics.k, "ndcg": metrics.ndcg, "dcg": metrics.dcg, "idcg": metrics.idcg,
        "loss": metrics.loss, "precision": metrics.precision, "mean_relevance_top_k": metrics.mean_top,
        "mean_relevance_all": metrics.mean_all, "improvement": metrics.improvement,
    }  # fmt: skip


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
