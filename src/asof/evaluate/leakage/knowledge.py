"""Does anything later leak into what is known? Facts, names, reports and answers, twice as of a moment.

The whole corpus and the one that ends there are read for facts each by itself; numbers of passages differ
between them, so what is compared are documents, offsets, words and values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.data import Answer
from asof.evaluate.answers.answers import Stand
from asof.evaluate.answers.facts import all_facts
from asof.evaluate.runs.questions import DatasetQuestion
from asof.index.view import View
from asof.knowledge.known import StatedFact
from asof.knowledge.resolve import Entities
from asof.rank.recipe import Recipe
from asof.time.period import GRAINS, Period
from asof.time.span import nearest_moment

MOMENTS = 4
"""What is known is compared at so many moments at most: a corpus is read for facts at each."""

ASKED = 5
"""So many questions are answered twice for each moment and recipe, at most."""

GRAINS_TOLD = tuple(grain for grain in GRAINS if grain != "day")
"""The periods of these grains around a moment, and those before them, are reported twice."""


@dataclass(slots=True)
class Compared:
    """How many facts, names, reports and answers of the whole corpus were compared, over how many moments."""

    moments: int = 0
    facts: int = 0
    names: int = 0
    reports: int = 0
    answers: int = 0


class LeakedKnowledge(NamedTuple):
    """Where two corpora first differ: `what` (facts, names, reports, answer) at `rank`, in words."""

    what: str
    rank: int
    whole: str | None
    cut: str | None
    question: str = ""
    recipe: str = ""


def compared(
    whole: Corpus, cut: Corpus, as_of: int, questions: Sequence[DatasetQuestion],
    recipes: Mapping[str, Recipe], stand: Stand, count: Compared,
) -> Iterator[LeakedKnowledge]:  # fmt: skip
    """What differs as of a moment between a corpus and one that ends there; `count` is counted on."""
    then, other = Snapshot(whole, as_of, None), Snapshot(cut, as_of, None)
    count.moments += 1
    for what, lines in (("facts", facts), ("names", names)):
        mine = lines(then.view())
        setattr(count, what, getattr(count, what) + len(mine))
        yield from first(what, mine, lines(other.view()))
    for period in periods(as_of):
        count.reports += 1
        yield from first("reports", [told(then, period)], [told(other, period)])
    for question in questions[:ASKED]:
        for name, recipe in recipes.items():
            count.answers += 1
            answers = [stand(each, as_of).ask(question.text, recipe=recipe) for each in (whole, cut)]
            for found in first("answer", [said(answers[0])], [said(answers[1])]):
                yield found._replace(question=question.id, recipe=name)


def first(what: str, whole: Sequence[str], cut: Sequence[str]) -> Iterator[LeakedKnowledge]:
    """The first place at which two lists differ, if they do."""
    for rank, (mine, other) in enumerate(zip_longest(whole, cut), 1):
        if mine != other:
            yield LeakedKnowledge(what, rank, mine, other)
            return


def facts(view: View) -> list[str]:
    """All facts of a view in canonical order, each in full."""
    return [_line(each) for each in all_facts(view)]


def _line(known: StatedFact) -> str:
    fact, when = known.fact, known.fact.when
    time = None if when is None else [when.span.first, when.span.last, when.text, when.by]
    amount = None if fact.amount is None else asdict(fact.amount)
    return json.dumps(
        [known.sight.document, known.sight.number, known.number, fact.start, fact.end, fact.kind,
         fact.subject, fact.relation, fact.object, amount, time, fact.confidence],
        ensure_ascii=False,
    )  # fmt: skip


def names(view: View) -> list[str]:
    """Which names mean the same as which, everywhere and in single documents, and who says so."""
    found = Entities.of(view)
    said = [["said", each.name, each.other, each.document] for each in found.statements]
    root = [["same", name, other] for name, other in found.merged.root.items()]
    local = [["in", document, name, other] for (document, name), other in found.merged.local.items()]
    return sorted(json.dumps(each, ensure_ascii=False) for each in (*said, *root, *local))


def periods(as_of: int) -> list[Period]:
    """The month, the quarter and the year of a moment, and those before them."""
    here = [Period.containing(nearest_moment(as_of), grain) for grain in GRAINS_TOLD]
    return [period for each in here for period in (each, each.previous)]


def told(then: Snapshot, period: Period) -> str:
    """The reports of a period as JSON, without the moment at which they were known."""
    return _json(then.report(str(period)).as_json())


def said(answer: Answer) -> str:
    """An answer as JSON, without the moment at which it was known and what it cost."""
    value = asdict(answer)
    for key in ("known_at", "cost"):
        del value[key]
    return _json(value)


def _json(value: dict[str, Any]) -> str:
    value.pop("known_at", None)
    return json.dumps(value, ensure_ascii=False, default=str, sort_keys=True)
