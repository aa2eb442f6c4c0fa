"""What a question wants of time depends on its words of time and its structure, never on its subject."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from asof.text.question import QuestionReading, read

ASKED = datetime(2024, 5, 31, 12, tzinfo=UTC)

# subject words stand in brackets; words that name a kind of answer (price, result) are no subject
QUESTIONS = """
Who is the current owner of [Larkhaven] [mill]?
Who is the owner of [Larkhaven] [mill] now?
Who was the first owner of the [mill] in [Larkhaven]?
Who owns the [mill]?
Who led the [Heronsgate] [choir] in 2019?
Who is the current leader of the [choir] as of June 2021?
Who still keeps [bees] near [Larkhaven]?
Who will lead the [choir] next year?
What is the newest [Corvane] [lantern]?
What was the price of a [lantern] in Q3 2021?
What did [Corvane] say about [lanterns] last spring?
What is the origin of [Heronsgate]?
What does a [lantern] cost?
When does the next [ferry] leave [Heronsgate]?
Where did the [choir] sing two years ago?
Which [ferry] sails to [Larkhaven] these days?
How do [lanterns] work?
How many [lanterns] did [Corvane] sell in the past 5 years?
Was the [mill] ever in use?
Why are [bees] leaving [Larkhaven] lately?
current [lantern] prices
history of the [ferry] until 1950
""".strip().splitlines()
NONSENSE = ("vorpel", "quandle", "drusk", "mimbly")


def filled(question: str, words: list[str]) -> str:
    """The question with other words in its brackets, capitals where they were."""
    rest = iter(words)

    def word(found: re.Match[str]) -> str:
        other = next(rest)
        return other.capitalize() if found[1][0].isupper() else other

    return re.sub(r"\[(\w+)\]", word, question)


def readings(question: str) -> tuple[QuestionReading, QuestionReading, list[str]]:
    """The question as it stands, the same about nonsense, and its subject words."""
    subjects = re.findall(r"\[(\w+)\]", question)
    nonsense = list(NONSENSE[: len(subjects)])
    return read(filled(question, subjects), ASKED), read(filled(question, nonsense), ASKED), subjects


@pytest.mark.parametrize("question", QUESTIONS)
def test_another_subject_is_read_alike(question):
    real, other, subjects = readings(question)
    assert real.intent is not None
    assert other.intent is not None
    assert other.query.recency == real.query.recency
    assert other.intent.direction == real.intent.direction
    assert other.intent.volatility == real.intent.volatility
    assert other.as_of == real.as_of
    assert [each.span for each in other.mentions] == [each.span for each in real.mentions]
    assert words(other, other.intent.wishes) == words(real, real.intent.wishes)
    lexical = real.query.lexical
    for subject, nonsense in zip(subjects, NONSENSE, strict=False):
        changed = nonsense.capitalize() if subject[0].isupper() else nonsense
        lexical = lexical.replace(subject, changed, 1)
    assert other.query.lexical == lexical


def words(reading: QuestionReading, extents: tuple[tuple[int, int], ...]) -> list[str]:
    return [reading.query.text[start:end] for start, end in extents]


def test_they_are_not_all_alike():
    """The questions show every direction, and all strengths of the wish."""
    found = [readings(question)[0] for question in QUESTIONS]
    directions = {each.intent.direction for each in found if each.intent}
    assert directions == {"past", "recent", "future", "timeless"}
    assert {each.query.recency for each in found} >= {0.0, 0.2, 0.25, 0.5, 1.0}
