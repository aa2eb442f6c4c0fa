"""Does anything later leak into facts, names, reports and answers? They are compared as of a moment.

The facts of the whole corpus and of the one that ends at the moment are read separately. The ids of passages
differ between them, so documents, offsets, words and values are compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from typing import NamedTuple

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.data import Answer
from asof.evaluate.answers.facts import all_facts
from asof.evaluate.answers.run import AnswererFactory
from asof.evaluate.runs.questions import DatasetQuestion
from asof.index.view import View
from asof.knowledge.questions import report
from asof.knowledge.resolve import Entities
from asof.knowledge.visible_facts import StatedFact
from asof.rank.recipe import Recipe
from asof.time.period import GRAINS, Period
from asof.time.span import nearest_moment

MAX_MOMENTS = 4
"""The most moments at which knowledge is compared: the facts of a corpus are read at each."""

MAX_QUESTIONS = 5
"""The most questions that are answered twice for each moment and recipe."""

REPORT_GRAINS = tuple(grain for grain in GRAINS if grain != "day")
"""The grains of the reports that are compared."""


@dataclass(slots=True)
class Compared:
    """How many facts, names, reports and answers were compared, at how many moments."""

    moments: int = 0
    facts: int = 0
    names: int = 0
    reports: int = 0
    answers: int = 0


class LeakedKnowledge(NamedTuple):
    """Where two corpora first differ: `what` (facts, names, reports, answer) at `rank`, as text."""

    what: str
    rank: int
    whole: str | None
    cut: str | None
    question: str = ""
    recipe: str = ""


def compare_knowledge(
    whole: Corpus, cut: Corpus, as_of: int, questions: Sequence[DatasetQuestion],
    recipes: Mapping[str, Recipe], answerer_at: AnswererFactory, count: Compared,
) -> Iterator[LeakedKnowledge]:  # fmt: skip
    """How a corpus as of a moment differs from one that ends there; `count` is added to."""
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
            answers = [answerer_at(each, as_of).ask(question.text, recipe=recipe) for each in (whole, cut)]
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
    amount = None if fact.amount is None else asdict(fact.amount)
    return json.dumps(
        [known.passage.document, known.passage.number, known.number, fact.start, fact.end, fact.kind,
         fact.subject, fact.relation, fact.object, amount, time, fact.confidence],
        ensure_ascii=False,
    )  # fmt: skip


def name_lines(view: View) -> list[str]:
    """Which names mean the same, everywhere and in single documents, and which document states it."""
    entities = Entities.of(view)
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
    value = asdict(answer)
    for key in ("known_at", "cost"):
        del value[key]
    return json.dumps(value, ensure_ascii=False, default=str, sort_keys=True)
