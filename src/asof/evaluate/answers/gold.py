"""The right answers of a dataset, and which of its questions have none in the corpus."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import relevant

UNANSWERABLE = "unanswerable"
ABSTRACT = "abstract"


@dataclass(frozen=True, slots=True)
class Gold:
    """A question with its right answer, `text`. `answerable`: the corpus can tell it, as of the question."""

    question: DatasetQuestion
    text: str
    answerable: bool

    @property
    def abstract(self) -> bool:
        """Whether its answer is an overview, which has no one wording (see `abstract`)."""
        return abstract(self.question)


def golds(dataset: Dataset, *, overviews: bool = False) -> list[Gold]:
    """The questions that say what is right, in order: `answer`, or that there is none (`answerable` false).

    An answer of several parts is all of them. A question is unanswerable where its field `answerable` says
    so; without that field, where its answer is the word "unanswerable", or where no relevant document was in
    the corpus when it is asked. `overviews`: also abstract questions without an answer.
    """
    found = []
    for question in dataset.questions:
        text = right(question.record.get("answer"))
        said = question.record.get("answerable")
        if text or said is False:
            found.append(Gold(question, text, answerable(question, text, dataset)))
        elif overviews and abstract(question):
            found.append(Gold(question, "", True))
    return found


def abstract(question: DatasetQuestion) -> bool:
    """Whether a question asks for an overview: its field `abstract` is true, or its type says so."""
    return question.record.get("abstract") is True or ABSTRACT in question.type.casefold()


def right(answer: Any) -> str:
    """A right answer as a text: parts are joined by commas; "" where there is none.

    >>> right(["Ann", "Bob"]), right(7), right(None)
    ('Ann, Bob', '7', '')
    """
    if answer is None:
        return ""
    if isinstance(answer, str):
        return answer.strip()
    if isinstance(answer, Sequence):
        return ", ".join(text for text in map(right, answer) if text)
    return json.dumps(answer, ensure_ascii=False)


def answerable(question: DatasetQuestion, text: str, dataset: Dataset) -> bool:
    """Whether the corpus can tell the answer as of the moment of the question; the rule stands at `golds`."""
    said = question.record.get("answerable")
    if isinstance(said, bool):
        return said
    return text.casefold().strip(" .") != UNANSWERABLE and bool(there(question, dataset))


def there(question: DatasetQuestion, dataset: Dataset) -> list[str]:
    """The relevant documents that are in the corpus as of the moment of the question."""
    good = [document for document, grade in relevant(question, dataset).items() if grade > 0]
    moment = dataset.as_of(question)
    return [document for document in good if _visible(document, dataset, moment)]


def _visible(document: str, dataset: Dataset, moment: int) -> bool:
    if document not in dataset.dates:
        return False
    date = dataset.dates[document]
    return date is None or date <= moment
