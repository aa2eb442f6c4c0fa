"""Which recipes are asked which questions of a dataset."""

from __future__ import annotations

from collections.abc import Sequence

from asof import recipes as known
from asof.errors import UsageError
from asof.evaluate.answers.gold import Gold, golds
from asof.evaluate.leakage import results as leaks
from asof.evaluate.options import Options
from asof.evaluate.runs.accepted import question_fields, some
from asof.evaluate.runs.dataset import METADATA, SOME_TIME, Dataset
from asof.evaluate.runs.metrics import leak
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import relevant
from asof.rank.recipe import Recipe
from asof.time.span import iso


def named(recipes: Sequence[str | Recipe]) -> dict[str, Recipe]:
    """Recipes by name; a second one of the same name is called `name-2`. Raises UsageError."""
    if not recipes:
        raise UsageError(f"no recipe is given; accepted: {', '.join(known.NAMES)}")
    found: dict[str, Recipe] = {}
    for each in recipes:
        recipe = known.named(each) if isinstance(each, str) else each
        name, number = recipe.name, 2
        while name in found:
            name, number = f"{recipe.name}-{number}", number + 1
        found[name] = recipe
    return found


def check_filters(dataset: Dataset, options: Options) -> None:
    """Raises UsageError for a field of `filter_by` that questions or documents have not."""
    for key in options.filter_by:
        if not any(question.record.get(key) is not None for question in dataset.questions):
            raise UsageError(f"--filter-by {key}: {_none_has(dataset)}")
        if key not in dataset.fields or key in options.without or METADATA in options.without:
            raise UsageError(
                f"--filter-by {key}: no document has this field (or --without blanks it); there are: "
                f"{some(sorted(dataset.fields))}"
            )


def check_by(dataset: Dataset, options: Options) -> None:
    """Raises UsageError for a field of `by` that no question has, or that nothing is asked for."""
    if options.by and not options.answers:
        raise UsageError("--by is about answers: use it with --answers")
    for key in options.by:
        if not any(question.record.get(key) is not None for question in dataset.questions):
            raise UsageError(f"--by {key}: {_none_has(dataset)}")


def _none_has(dataset: Dataset) -> str:
    return f"no question has this field; there are: {question_fields(dataset.questions)}"


def choose(dataset: Dataset, options: Options) -> tuple[list[DatasetQuestion], list[str]]:
    """The questions to ask, and what there is to say about those that are not. Raises UsageError."""
    judged = [q for q in dataset.questions if any(grade > 0 for grade in relevant(q, dataset).values())]
    if not judged and not options.answers:
        raise UsageError(
            f"none of the {len(dataset.questions):,} questions in {', '.join(dataset.files)} has a relevant "
            "document in qrels.tsv; accepted: query, document, relevance above 0, with the ids of both files"
        )
    notes = []
    left = len(dataset.questions) - len(judged)
    if left:
        notes.append(
            f"{left:,} of {_questions(len(dataset.questions))} {_have(left)} no relevant document: left out"
        )
    chosen = judged if options.limit is None else leaks.spread(judged, options.limit, options.seed)
    if len(chosen) < len(judged):
        notes.append(f"{len(chosen):,} of {_questions(len(judged))}, chosen by a hash of their ids")
    absent = late = 0
    for question in chosen:
        good = [document for document, grade in relevant(question, dataset).items() if grade > 0]
        absent += any(document not in dataset.dates for document in good)
        late += leak(good, dataset.dates, dataset.as_of(question), len(good)) > 0
    if absent:
        notes.append(
            f"{_questions(absent)} {_have(absent)} a relevant document that is not in the corpus: never found"
        )
    if late:
        notes.append(
            f"{_questions(late)} {_have(late)} a relevant document of a later date: not found as of then"
        )
    if all(date is None for date in dataset.dates.values()):
        notes.append(
            f"no document has a date: questions without a time are asked as of {iso(SOME_TIME)[:10]}"
        )
    elif chosen and all(question.asked is None for question in chosen):
        notes.append("no question has a time: all are asked as of the newest document")
    return chosen, notes


def to_answer(dataset: Dataset, options: Options, *, overviews: bool = False) -> tuple[list[Gold], list[str]]:
    """The questions whose answers are looked at, and what there is to say about the others.

    `overviews`: also abstract questions that have no right answer. Raises UsageError when there is none.
    """
    there = golds(dataset, overviews=overviews)
    if not there:
        raise UsageError(
            f"none of the {len(dataset.questions):,} questions in {', '.join(dataset.files)} has a right "
            'answer; accepted: {"answer": "..."}, or {"answerable": false}'
        )
    notes = []
    left = len(dataset.questions) - len(there)
    if left:
        notes.append(
            f"answers: {left:,} of {_questions(len(dataset.questions))} {_have(left)} no right answer: "
            "left out"
        )
    if options.limit is None or options.limit >= len(there):
        return there, notes
    ids = {each.id for each in leaks.spread([gold.question for gold in there], options.limit, options.seed)}
    notes.append(f"answers: {len(ids):,} of {_questions(len(there))}, chosen by a hash of their ids")
    return [gold for gold in there if gold.question.id in ids], notes


def _questions(count: int) -> str:
    return f"{count:,} question{'s' * (count != 1)}"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"
