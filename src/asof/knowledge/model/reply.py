"""A model's reply as facts: each is checked against the passage, then stored, doubted or dropped."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import BaseModel, Field

from asof.data import CHANGE, EXPECTED, VALUE, Amount, Fact
from asof.knowledge.fact_store import Excerpt
from asof.knowledge.model.fact_time import time_of
from asof.knowledge.model.numbers import contains_number
from asof.lang import stop_words
from asof.text.sentences import sentences

MOST = 64
"""The most facts of a passage; of more the most confident are taken, of equals the first."""

DOUBT = 0.5
"""Confidence is multiplied by this for each of: a figure that the sentence does not have, an object that is
in the passage and not in the sentence, a relation of which no word is in the passage."""

LONGEST = 400
"""Characters of a subject, a relation or an object."""
NO_SENTENCE, NOT_IN_PASSAGE, EMPTY, TOO_MANY, DUPLICATE = (
    "no such sentence", "words that are not in the passage", "empty, too long or of no confidence",
    f"more than {MOST}", "duplicate",
)  # fmt: skip
"""Why a fact of a reply is dropped."""


class RepliedFact(BaseModel):
    """A fact of a model's reply."""

    subject: str
    relation: str
    object: str
    time: str | None = Field(None, description="YYYY, YYYY-Qn, YYYY-MM, YYYY-MM-DD, or words of the passage")
    sentence: int = Field(description="the number of the sentence that states it")
    kind: Literal["value", "change", "event", "name"]
    value: float | None = Field(None, allow_inf_nan=False, description="in whole units")
    unit: str | None = ""
    basis: str | None = ""
    confidence: float = Field(ge=0, le=1)


class RepliedFacts(BaseModel):
    """The facts of a passage."""

    facts: list[RepliedFact]


def fact_line(fact: Fact) -> str:
    """A fact on one line, as the prompts of further rounds show it."""
    when = fact.when.text if fact.when else None
    return json.dumps([fact.subject, fact.relation, fact.object, when], ensure_ascii=False)


def facts_of(
    excerpt: Excerpt, replied: Iterable[RepliedFact], known: Sequence[Fact] = ()
) -> tuple[list[Fact], Counter[str]]:
    """`known` with those facts of a reply that the passage can state, in order of their sentences, and how
    many of the reply were dropped, by reason."""
    reading = _CheckedPassage(excerpt)
    facts, dropped = list(known), Counter[str]()
    fact_keys = {_same(fact) for fact in known}
    for statement in replied:
        fact = reading.fact(statement)
        if isinstance(fact, str):
            dropped[fact] += 1
        elif _same(fact) in fact_keys:
            dropped[DUPLICATE] += 1
        else:
            fact_keys.add(_same(fact))
            facts.append(fact)
    if len(facts) > MOST:
        dropped[TOO_MANY] += len(facts) - MOST
        facts = sorted(facts, key=lambda fact: (-fact.confidence, fact.start))[:MOST]
    return sorted(facts, key=lambda fact: fact.start), dropped


class _CheckedPassage:
    """A passage with its sentences and words, against which facts are checked."""

    def __init__(self, excerpt: Excerpt) -> None:
        self.excerpt = excerpt
        self.extents = sentences(excerpt.text)
        self.words = words_of(excerpt.text)
        self.named = self.words.union(*map(words_of, (excerpt.title, *excerpt.headings)))
        self.plain = stop_words("en") | stop_words(excerpt.language)

    def fact(self, replied: RepliedFact) -> Fact | str:
        """The fact, or the reason why it is dropped."""
        if not 1 <= replied.sentence <= len(self.extents):
            return NO_SENTENCE
        parts = [" ".join(part.split()) for part in (replied.subject, replied.relation, replied.object)]
        if not all(0 < len(part) <= LONGEST and words_of(part) for part in parts):
            return EMPTY
        subject, relation, object_ = parts
        if not (self._occurs(object_, self.words) and self._occurs(subject, self.named)):
            return NOT_IN_PASSAGE
        start, end = self.extents[replied.sentence - 1]
        amount = None
        if replied.kind in (VALUE, CHANGE) and replied.value is not None:
            amount = Amount(replied.value, _line(replied.unit), _line(replied.basis))
        doubts = self._doubts(relation, object_, amount, self.excerpt.text[start:end])
        confidence = replied.confidence * DOUBT ** sum(doubts)
        if not confidence:
            return EMPTY
        when = time_of(replied.time or "", self.excerpt, expected=EXPECTED in words_of(relation))
        return Fact(subject, relation, object_, when, start, end, replied.kind, amount, confidence)

    def _occurs(self, text: str, where: frozenset[str]) -> bool:
        """Whether all words of a text except stop words are among these (all words, if it has no others)."""
        words = words_of(text)
        return (words - self.plain or words) <= where

    def _doubts(self, relation: str, object_: str, amount: Amount | None, sentence: str) -> tuple[bool, ...]:
        telling = words_of(relation) - self.plain - {EXPECTED}
        return (
            amount is not None and not contains_number(amount.value, sentence, self.excerpt.language),
            not self._occurs(object_, words_of(sentence)),
            bool(telling) and telling.isdisjoint(self.words),
        )


_WORD = re.compile(r"\w+")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")


def words_of(text: str) -> frozenset[str]:
    """The words of a text as they are compared: neither case nor the forms of Unicode make a difference."""
    return frozenset(_WORD.findall(_POSSESSIVE.sub("", unicodedata.normalize("NFKC", text).casefold())))


def _same(fact: Fact) -> tuple[object, ...]:
    """A key that is equal for facts that state the same of the same time."""
    when = None if fact.when is None else fact.when.span
    return (*(_bare(part) for part in (fact.subject, fact.relation, fact.object)), when)


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).strip(".,;:!?\"'“”‘’")


def _line(text: str | None) -> str:
    return " ".join((text or "").split())[:64]
