"""The reference answers of a dataset, and which of its questions the corpus cannot answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from asof.errors import UsageError
from asof.evaluate.options import EvaluationOptions
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import relevant
from asof.evaluate.runs.selection import questions_note, sample

UNANSWERABLE = "unanswerable"
ABSTRACT = "abstract"


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """A question with its reference answer. `answerable`: the corpus has the answer as of the question.
    `accepted`: its texts, of which one is enough where an answer is quoted."""

    question: DatasetQuestion
    text: str
    answerable: bool

    @property
    def accepted(self) -> tuple[str, ...]:
        answer = self.question.record.get("answer")
        parts = answer if isinstance(answer, list) else [answer]
        return tuple(filter(None, map(answer_text, parts)))

    @property
    def abstract(self) -> bool:
        """Whether its answer is an overview, which has no one wording (see `is_abstract`)."""
        return is_abstract(self.question)


def reference_answers(dataset: Dataset, *, overviews: bool = False) -> list[ReferenceAnswer]:
    """The questions with a reference answer, in order: `answer`, or `answerable` false.

    An answer of several parts is all of them. A question is unanswerable if its field `answerable` says so;
    without that field, if its answer is the word "unanswerable" or no relevant document was in the corpus
    when it is asked. `overviews`: also abstract questions without an answer.
    """
    references = []
    for question in dataset.questions:
        text = answer_text(question.record.get("answer"))
        if text or question.record.get("answerable") is False:
            references.append(ReferenceAnswer(question, text, _is_answerable(question, text, dataset)))
        elif overviews and is_abstract(question):
            references.append(ReferenceAnswer(question, "", True))
    return references


def choose_references(
    dataset: Dataset, options: EvaluationOptions, *, overviews: bool = False
) -> tuple[list[ReferenceAnswer], list[str]]:
    """The questions whose answers are evaluated, and notes on those that are left out.

    `overviews`: also abstract questions without a reference answer. Raises UsageError if there is none.
    """
    references = reference_answers(dataset, overviews=overviews)
    count = len(dataset.questions)
    if not references:
        raise UsageError(
            f"none of the {count:,} questions in {', '.join(dataset.files)} has a reference "
            'answer; accepted: {"answer": "..."}, or {"answerable": false}'
        )
    notes = []
    if missing := count - len(references):
        notes.append(f"answers: {questions_note(missing, count)} no reference answer: left out")
    if options.limit is None or options.limit >= len(references):
        return references, notes
    chosen = sample([reference.question for reference in references], options.limit, options.seed)
    ids = {question.id for question in chosen}
    notes.append(f"answers: {len(ids):,} of {len(references):,} questions, chosen by a hash of their ids")
    return [reference for reference in references if reference.question.id in ids], notes


def is_abstract(question: DatasetQuestion) -> bool:
    """Whether a question asks for an overview: its field `abstract` is true, or its type says so."""
    return question.record.get("abstract") is True or ABSTRACT in question.type.casefold()


def answer_text(answer: Any) -> str:
    """A reference answer as a text: parts are joined by commas; "" where there is none.

    >>> answer_text(["Ann", "Bob"]), answer_text(7), answer_text(None)
    ('Ann, Bob', '7', '')
    """
    if answer is None:
        return ""
    if isinstance(answer, str):
        return answer.strip()
    if isinstance(answer, Sequence):
        return ", ".join(text for text in map(answer_text, answer) if text)
    return json.dumps(answer, ensure_ascii=False)


def _is_answerable(question: DatasetQuestion, text: str, dataset: Dataset) -> bool:
    """Whether the corpus has the answer as of the question; the rule is in `reference_answers`."""
    stated = question.record.get("answerable")
    if isinstance(stated, bool):
        return stated
    return text.casefold().strip(" .") != UNANSWERABLE and any(
        grade > 0 and _visible(document, dataset, dataset.as_of(question))
        for document, grade in relevant(question, dataset).items()
    )


def _visible(document: str, dataset: Dataset, moment: int) -> bool:
    if document not in dataset.dates:
        return False
    date = dataset.dates[document]
    return date is None or date <= moment
