"""Which questions of a dataset are asked of which recipes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from asof import recipes as known
from asof.errors import UsageError
from asof.evaluate.options import EvaluationOptions
from asof.evaluate.runs.dataset import METADATA, SOME_TIME, Dataset
from asof.evaluate.runs.metrics import leak
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import relevant
from asof.rank.recipe import Recipe
from asof.time.span import iso

MAX_LISTED = 8
"""The most fields or values that a message lists."""

MAX_LENGTH = 40
"""The most characters of each."""


def recipes_by_name(recipes: Sequence[str | Recipe]) -> dict[str, Recipe]:
    """Recipes by name; a second one of the same name is called `name-2`. Raises UsageError."""
    if not recipes:
        raise UsageError(f"no recipe is given; accepted: {', '.join(known.NAMES)}")
    by_name: dict[str, Recipe] = {}
    for each in recipes:
        recipe = known.named(each) if isinstance(each, str) else each
        name, number = recipe.name, 2
        while name in by_name:
            name, number = f"{recipe.name}-{number}", number + 1
        by_name[name] = recipe
    return by_name


def check_filters(dataset: Dataset, options: EvaluationOptions) -> None:
    """Raises UsageError for a field of `filter_by` that no question or no document has."""
    for key in options.filter_by:
        _check_question_field(dataset, "--filter-by", key)
        if key not in dataset.fields or key in options.without or METADATA in options.without:
            raise UsageError(
                f"--filter-by {key}: no document has this field (or --without blanks it); there are: "
                f"{listed(sorted(dataset.fields))}"
            )


def check_by(dataset: Dataset, options: EvaluationOptions) -> None:
    """Raises UsageError for a field of `by` that no question has."""
    for key in options.by:
        _check_question_field(dataset, "--by", key)


def _check_question_field(dataset: Dataset, option: str, key: str) -> None:
    if not any(question.record.get(key) is not None for question in dataset.questions):
        fields = question_fields(dataset.questions)
        raise UsageError(f"{option} {key}: no question has this field; there are: {fields}")


def listed(values: Iterable[str]) -> str:
    """The first MAX_LISTED values, long ones cut, and how many more there are.

    >>> listed("abcdefghij")
    'a, b, c, d, e, f, g, h and 2 more'
    """
    shown = [each if len(each) <= MAX_LENGTH else each[: MAX_LENGTH - 1] + "…" for each in values]
    more = f" and {len(shown) - MAX_LISTED:,} more" if len(shown) > MAX_LISTED else ""
    return (", ".join(shown[:MAX_LISTED]) or "none") + more


def question_fields(questions: Iterable[DatasetQuestion]) -> str:
    """The fields that questions have, those with the fewest different values first."""
    values: dict[str, set[str]] = {}
    for question in questions:
        for key, value in question.record.items():
            if value is not None:
                values.setdefault(key, set()).add(value if isinstance(value, str) else repr(value))
    return listed(sorted(values, key=lambda key: (len(values[key]), key)))


def groups(questions: Sequence[DatasetQuestion], field: str) -> dict[str, list[int]]:
    """Places of the questions by the value of a field ("" for none), in order of the values."""
    places: dict[str, list[int]] = {}
    for at, question in enumerate(questions):
        value = question.record.get(field)
        text = "" if value is None else value if isinstance(value, str) else str(value).lower()
        places.setdefault(text, []).append(at)
    return dict(sorted(places.items()))


def sample(questions: Sequence[DatasetQuestion], count: int, seed: int) -> list[DatasetQuestion]:
    """`count` of the questions, chosen by a hash of their ids, in the order given."""
    if count >= len(questions):
        return list(questions)
    ranked = sorted(questions, key=lambda question: hashlib.sha256(f"{seed} {question.id}".encode()).digest())
    chosen = {question.id for question in ranked[:count]}
    return [question for question in questions if question.id in chosen]


def choose(dataset: Dataset, options: EvaluationOptions) -> tuple[list[DatasetQuestion], list[str]]:
    """The questions to ask, and notes on those that are left out. Raises UsageError."""
    judged = [q for q in dataset.questions if any(grade > 0 for grade in relevant(q, dataset).values())]
    count = len(dataset.questions)
    if not judged and not options.answers:
        raise UsageError(
            f"none of the {count:,} questions in {', '.join(dataset.files)} has a relevant "
            "document in qrels.tsv; accepted: query, document, relevance above 0, with the ids of both files"
        )
    notes = []
    if missing := count - len(judged):
        notes.append(f"{questions_note(missing, count)} no relevant document: left out")
    chosen = judged if options.limit is None else sample(judged, options.limit, options.seed)
    if len(chosen) < len(judged):
        notes.append(f"{len(chosen):,} of {len(judged):,} questions, chosen by a hash of their ids")
    absent = leaking = 0
    for question in chosen:
        good = [document for document, grade in relevant(question, dataset).items() if grade > 0]
        absent += any(document not in dataset.dates for document in good)
        leaking += leak(good, dataset.dates, dataset.as_of(question), len(good)) > 0
    if absent:
        notes.append(
            f"{questions_note(absent)} a relevant document that is not in the corpus: it is never found"
        )
    if leaking:
        notes.append(
            f"{questions_note(leaking)} a relevant document of a later date: it is not found as of then"
        )
    if all(date is None for date in dataset.dates.values()):
        notes.append(
            f"no document has a date: questions without a time are asked as of {iso(SOME_TIME)[:10]}"
        )
    elif chosen and all(question.asked_at is None for question in chosen):
        notes.append("no question has a time: all are asked as of the newest document")
    return chosen, notes


def questions_note(count: int, total: int | None = None) -> str:
    """The beginning of a note: "1 question has", "2 of 5 questions have"."""
    noun = "question" if (count if total is None else total) == 1 else "questions"
    number = f"{count:,}" if total is None else f"{count:,} of {total:,}"
    return f"{number} {noun} {'has' if count == 1 else 'have'}"
