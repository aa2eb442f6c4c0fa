"""The leakage check: questions are asked of the corpus and of one that ends at the moment of the question.

The second corpus is built from the documents that were published by then, and nothing else. Ids, order,
scores and explanations of the hits have to be equal to the last bit; so do facts, names, reports and answers.
The ids of passages differ between the two, so documents, offsets, words and values are compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Annotated, NamedTuple

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.extensions.facts.indexer import report
from asof.extensions.facts.names import EntityResolver
from asof.extensions.facts.visible import StatedFact
from asof.extensions.lab.answers import AnswerFunction, all_facts, ask_snapshot, read_facts
from asof.extensions.lab.datasets import Dataset, DatasetQuestion, temporary
from asof.extensions.lab.metrics import DEPTH
from asof.extensions.lab.runs import filters, sample
from asof.index.view import View
from asof.models.ports import Encoder
from asof.rank.stage import Recipe
from asof.store.schema import CorpusSettings
from asof.time.span import GRAINS, Instant, Period, nearest_moment
from asof.values import Answer, Filters, Hit
from asof.wire import As, encode, field_values, one_of, replace

# -- facts, names, reports and answers -------------------------------------------------------------


MAX_MOMENTS = 4
"""The most moments at which knowledge is compared: the facts of a corpus are read at each."""

MAX_QUESTIONS = 5
"""The most questions that are answered twice for each moment and recipe."""

REPORT_GRAINS = tuple(grain for grain in GRAINS if grain != "day")
"""The grains of the reports that are compared."""


@dataclass(slots=True)
class Compared:
    """The numbers of facts, names, reports and answers that were compared."""

    moments: int = 0
    facts: int = 0
    names: int = 0
    reports: int = 0
    answers: int = 0


class LeakedKnowledge(NamedTuple):
    """The first difference of two corpora: `what` (facts, names, reports, answer) at `rank`, as text."""

    what: str
    rank: int
    whole: str | None
    cut: str | None
    question: str = ""
    recipe: str = ""


def compare_knowledge(
    whole: Corpus, cut: Corpus, as_of: int, questions: Sequence[DatasetQuestion],
    recipes: Mapping[str, Recipe], ask: AnswerFunction, count: Compared,
) -> Iterator[LeakedKnowledge]:  # fmt: skip
    """The difference of a corpus as of a moment from one that ends there; `count` is added to."""
    one, other = whole.snapshot(as_of, None), cut.snapshot(as_of, None)
    count.moments += 1
    for what, lines in (("facts", fact_lines), ("names", name_lines)):
        expected = lines(one.view())
        setattr(count, what, getattr(count, what) + len(expected))
        yield from first_difference(what, expected, lines(other.view()))
    for period in periods(as_of):
        count.reports += 1
        yield from first_difference("reports", [_report(one, period)], [_report(other, period)])
    for question in questions[:MAX_QUESTIONS]:
        for name, recipe in recipes.items():
            count.answers += 1
            answers = [ask(each, as_of, question.text, Filters(), recipe) for each in (whole, cut)]
            for leak in first_difference("answer", [_content(answers[0])], [_content(answers[1])]):
                yield leak._replace(question=question.id, recipe=name)


def first_difference(what: str, whole: Sequence[str], cut: Sequence[str]) -> Iterator[LeakedKnowledge]:
    """The first place at which two lists differ, if they do."""
    for rank, (one, other) in enumerate(zip_longest(whole, cut), 1):
        if one != other:
            yield LeakedKnowledge(what, rank, one, other)
            return


def fact_lines(view: View) -> list[str]:
    """All facts of a view in canonical order, each with all that it states."""
    return [_fact_line(known) for known in all_facts(view)]


def _fact_line(known: StatedFact) -> str:
    fact, when = known.fact, known.fact.when
    time = None if when is None else [when.span.first, when.span.last, when.text, when.by]
    amount = None if fact.amount is None else field_values(fact.amount)
    return json.dumps(
        [known.passage.document, known.passage.number, known.number, fact.start, fact.end, fact.kind,
         fact.subject, fact.relation, fact.object, amount, time, fact.confidence],
        ensure_ascii=False,
    )  # fmt: skip


def name_lines(view: View) -> list[str]:
    """The merged names, everywhere and in single documents, and the document that states it."""
    entities = EntityResolver.of(view)
    stated = [["said", each.name, each.other, each.document] for each in entities.statements]
    everywhere = [["same", name, other] for name, other in entities.merged.root.items()]
    local = [["in", document, name, other] for (document, name), other in entities.merged.local.items()]
    return sorted(json.dumps(each, ensure_ascii=False) for each in (*stated, *everywhere, *local))


def periods(as_of: int) -> list[Period]:
    """The month, the quarter and the year of a moment, and those before them."""
    current = [Period.containing(nearest_moment(as_of), grain) for grain in REPORT_GRAINS]
    return [period for each in current for period in (each, each.previous)]


def _report(snapshot: Snapshot, period: Period) -> str:
    """The reports of a period in words, without the moment at which they were known."""
    return repr(replace(report(snapshot, str(period)), known_at=0))


def _content(answer: Answer) -> str:
    """An answer as JSON, without the moment at which it was known and without its cost."""
    value = encode(answer)
    for key in ("known_at", "cost"):
        del value[key]
    return json.dumps(value, ensure_ascii=False, default=str, sort_keys=True)


# -- the check -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LeakedResult:
    """The first difference between the whole corpus and the one that was cut.

    Of hits `whole` and `cut` are ids of passages (None for none).
    """

    question: Annotated[str, As("query_id"), 'the question; "" where none was asked']
    as_of: Annotated[Instant, "where it was cut"]
    recipe: Annotated[str, '"" where no question was asked']
    rank: int
    what: Annotated[
        str,
        one_of("hits", "score", "why", "superseded", "facts", "names", "reports", "answer"),
        "that differs",
    ]
    whole: Annotated[str | float | None, "by the whole corpus"]
    cut: Annotated[str | float | None, "by the cut one"]


@dataclass(frozen=True, slots=True)
class Leakage:
    """Leaks from later, found in corpora that are cut where questions were asked."""

    questions: Annotated[int, As("queries"), "how many questions were asked twice"]
    moments: Annotated[int, "how many cut corpora"]
    differences: tuple[LeakedResult, ...]
    known: Compared

    @property
    def clean(self) -> Annotated[bool, "True without a difference"]:
        return not self.differences


def can_leak(dataset: Dataset, questions: Sequence[DatasetQuestion]) -> list[DatasetQuestion]:
    """The questions that are asked before the last document is published."""
    newest = max((date for date in dataset.dates.values() if date is not None), default=dataset.newest)
    return [question for question in questions if dataset.as_of(question) < newest]


def leakage_sample(dataset: Dataset, count: int, seed: int) -> tuple[list[DatasetQuestion], int]:
    """`count` questions to check, and how many of them can leak; these come first."""
    exposed = can_leak(dataset, dataset.questions)
    chosen = sample(exposed, count, seed)
    ids = {question.id for question in exposed}
    others = [question for question in dataset.questions if question.id not in ids]
    return [*chosen, *sample(others, count - len(chosen), seed)], len(chosen)


def check_leakage(
    corpus: Corpus, dataset: Dataset, recipes: Mapping[str, Recipe], questions: Sequence[DatasetQuestion],
    settings: CorpusSettings, encoder: Encoder | None = None, filter_by: Sequence[str] = (),
    advance: Callable[[], None] | None = None, ask: AnswerFunction = ask_snapshot,
    max_moments: int = MAX_MOMENTS,
) -> Leakage:  # fmt: skip
    """Ask each question of the corpus and of one that is cut at its moment; a cut serves all of its moment.

    Knowledge is compared at the first `max_moments` moments.
    """
    by_moment = groupby(sorted(questions, key=dataset.as_of), key=dataset.as_of)
    differences: list[LeakedResult] = []
    moments, known = 0, Compared()
    for as_of, group in by_moment:
        moments += 1
        group_questions = list(group)
        with temporary(dataset, settings, encoder, until=as_of) as cut:
            if moments <= max_moments:
                read_facts(cut)
                differences += [
                    LeakedResult(
                        each.question, as_of, each.recipe, each.rank, each.what, each.whole, each.cut
                    )
                    for each in compare_knowledge(corpus, cut, as_of, group_questions, recipes, ask, known)
                ]
            for question in group_questions:
                for name, recipe in recipes.items():
                    pair = (_hits(each, as_of, question, recipe, filter_by) for each in (corpus, cut))
                    if first := difference(*pair):
                        differences.append(LeakedResult(question.id, as_of, name, *first))
                if advance is not None:
                    advance()
    return Leakage(len(questions), moments, tuple(differences), known)


def _hits(
    corpus: Corpus, as_of: int, question: DatasetQuestion, recipe: Recipe, filter_by: Sequence[str]
) -> tuple[Hit, ...]:
    snapshot = corpus.snapshot(as_of, None)
    meta = filters(question, filter_by)
    return snapshot.search(question.text, DEPTH, recipe=recipe, meta=meta, unit="passage").hits


def difference(
    whole: Sequence[Hit], cut: Sequence[Hit]
) -> tuple[int, str, str | float | None, str | float | None] | None:
    """The first rank at which two rankings differ, what differs, and both values; None if they are equal."""
    for rank in range(1, max(len(whole), len(cut)) + 1):
        one = whole[rank - 1] if rank <= len(whole) else None
        other = cut[rank - 1] if rank <= len(cut) else None
        if one is None or other is None or one.id != other.id:
            return rank, "hits", None if one is None else one.id, None if other is None else other.id
        if one.score != other.score:
            return rank, "score", one.score, other.score
        if encode(one.why) != encode(other.why):
            return rank, "why", one.id, other.id
        if one.superseded != other.superseded:
            return rank, "superseded", _superseding(one), _superseding(other)
    return None


def _superseding(hit: Hit) -> str | None:
    return hit.superseded.id if hit.superseded else None
