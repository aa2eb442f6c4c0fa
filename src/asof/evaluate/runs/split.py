"""A dataset split in two: a base and a later update, and the questions that need either."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from asof.data import Document
from asof.errors import UsageError
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import relevant
from asof.evaluate.runs.selection import listed

BASE, NEW = "base", "new"


@dataclass(frozen=True, slots=True)
class Split:
    """The documents of the update: those with one of the values (in lower case) of each field.

    `later`: the ids of the documents with a version in the update.
    """

    update_values: tuple[tuple[str, tuple[str, ...]], ...]
    later: frozenset[str]

    def documents(self, dataset: Dataset, part: str) -> Iterator[Document]:
        """The documents of the base, or those of the update (NEW)."""
        return (each for each in dataset.documents() if matches(each, self.update_values) == (part == NEW))

    def part(self, question: DatasetQuestion, dataset: Dataset) -> str:
        """NEW for a question with a relevant document in the update, BASE for one with others only.

        If no document is relevant, the question's own field `split` decides; without one it is BASE.
        """
        grades = relevant(question, dataset)
        existing = [document for document in grades if grades[document] > 0 and document in dataset.dates]
        if existing:
            return NEW if self.later.intersection(existing) else BASE
        stated = question.record.get("split")
        return NEW if isinstance(stated, str) and stated.casefold() == NEW else BASE


def matches(document: Document, update_values: tuple[tuple[str, tuple[str, ...]], ...]) -> bool:
    """Whether a document has one of the values of each field in its metadata; case does not count."""
    return all(
        field in document.meta and str(document.meta[field]).casefold() in values
        for field, values in update_values
    )


def split(dataset: Dataset, text: str) -> Split:
    """The dataset split by `FIELD=VALUE[,FIELD=VALUE]`; a field that occurs twice may have either value.

    Raises UsageError if the text cannot be read, a field does not exist, or all documents or none match.
    """
    values: dict[str, tuple[str, ...]] = {}
    for piece in text.split(","):
        field, equals, value = (part.strip() for part in piece.partition("="))
        if not (field and equals and value):
            raise UsageError(f"--set later={text}: accepted: FIELD=VALUE[,FIELD=VALUE], e.g. quarter=q4")
        values[field] = (*values.get(field, ()), value.casefold())
    counted = _counted(dataset)
    for field in values:
        if field not in counted:
            there = field in dataset.fields
            why = f"{field} is not metadata" if there else f"no document has the field {field}"
            usable = _usable(dataset, counted)
            accepted = (
                f"accepted: {listed(usable)}" if usable else "no field tells some documents from others"
            )
            raise UsageError(f"--set later={text}: {why}; {accepted}")
    update_values = tuple(values.items())
    sides = [(each.id, matches(each, update_values)) for each in dataset.documents()]
    if len({side for _, side in sides}) < 2:
        which = "every document matches" if sides and sides[0][1] else "no document matches"
        accepted = "; ".join(f"{field} is one of: {_values(counted[field])}" for field in values)
        raise UsageError(f"--set later={text}: {which}; a base and an update are needed; {accepted}")
    return Split(update_values, frozenset(id_ for id_, side in sides if side))


def _counted(dataset: Dataset) -> dict[str, Counter[str]]:
    """How many documents have each value of each field of metadata."""
    values: dict[str, Counter[str]] = {}
    for each in dataset.documents():
        for field, value in each.meta.items():
            values.setdefault(field, Counter())[str(value)] += 1
    return values


def _usable(dataset: Dataset, counted: dict[str, Counter[str]]) -> list[str]:
    """The fields that tell some documents from others, those with the fewest values first."""
    count = sum(1 for _ in dataset.documents())
    usable = [field for field, found in counted.items() if max(found.values()) < count]
    return sorted(usable, key=lambda field: (len(counted[field]), field))


def _values(counted: Counter[str]) -> str:
    """The values of a field, those of most documents first."""
    return listed(value for value, _ in sorted(counted.items(), key=lambda each: (-each[1], each[0])))
