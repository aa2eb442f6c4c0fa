"""Evidence: the sentences that an answer may quote, with their facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from asof.answer.question import WORD
from asof.index.view import View
from asof.rank.words import largest_idf, weighted_words
from asof.store.digest import KIND, TEXT
from asof.store.reader import VisiblePassage
from asof.text.passages import header, is_row, sentences, shown, split_rows
from asof.text.query import key, parse
from asof.time.span import Span, holds_in
from asof.values import Fact, Hit, Query

# -- facts of sentences --------------------------------------------------------------------------------
# Provided by an extension (`ask.Answering`).


class SentenceFact(Protocol):
    """A fact that a sentence of a passage states."""

    @property
    def fact(self) -> Fact:
        """The fact that is stated."""
        ...

    @property
    def passage(self) -> VisiblePassage:
        """The passage that states it."""
        ...

    @property
    def is_state(self) -> bool:
        """True if the fact holds from its time on until another one is stated."""
        ...

    def contradicts(self, other: SentenceFact) -> bool:
        """True if both facts cannot be right."""
        ...


# -- evidence ------------------------------------------------------------------------------------------

HEADING = KIND["heading"]

EVEN = 0.5
"""The weight of every word beside its idf²: in a corpus of few passages rarity is no evidence."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a hit, at `start` to `end` of the hit's text.

    `own_text`: its text; `text`: the same, a row of a table with its header before it. `stems`: those of the
    latter; `context_stems`: these and those of the headings above it; `titled_stems`: these and those of the
    title. `facts`: what it states.
    """

    hit: Hit
    start: int
    end: int
    own_text: str
    text: str
    stems: frozenset[str]
    context_stems: frozenset[str]
    titled_stems: frozenset[str]
    facts: tuple[SentenceFact, ...]


class WeightedPhrase(NamedTuple):
    """A phrase to look for: for each word its possible stems and its weight.

    The weight is idf², as in `asof.rank.words`, and EVEN; a word that is in no passage has the
    weight of the rarest. `unknown`: these words; `spelled`: all of them as they are written.
    """

    text: str
    words: tuple[tuple[frozenset[str], float], ...]
    unknown: tuple[str, ...] = ()
    spelled: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, view: View) -> WeightedPhrase:
        known = {word.text: word.weight for word in weighted_words(Query(text, text), view)}
        rarest = largest_idf(view) ** 2
        words = [word for word, _ in parse(text, view.analyzer).words]
        return cls(
            text,
            tuple(
                (frozenset(view.analyzer.alternatives(word)), EVEN + known.get(word, rarest))
                for word in words
            ),
            tuple(word for word in words if word not in known),
            tuple(words),
        )

    def share(self, stems: frozenset[str]) -> float:
        """The share of the weight whose words are among `stems`; 1 for a phrase without words."""
        total = matched = 0.0
        for alternatives, weight in self.words:
            total += weight
            matched += 0.0 if alternatives.isdisjoint(stems) else weight
        return matched / total if total else 1.0


def quotable_sentences(view: View, hits: Sequence[Hit], facts: Sequence[SentenceFact]) -> list[Sentence]:
    """The sentences of hits in their order, headings left out. `facts`: what these hits state."""
    facts_by_passage: dict[str, list[SentenceFact]] = {}
    for fact in facts:
        facts_by_passage.setdefault(fact.passage.id, []).append(fact)
    quotable = []
    for hit in hits:
        language = view.analyzer.detect(hit.text)
        headings = frozenset(view.analyzer.terms(" ".join(hit.place.headings), language))
        title = frozenset(view.analyzer.terms(hit.title, language))
        stated = facts_by_passage.get(hit.id, ())
        parts = [part for span in sentences(hit.text) for part in split_rows(hit.text, *span)]
        for start, end in parts:
            if hit.text.startswith("#", start):
                continue
            said = hit.text[start:end]
            above = header(hit.text, start) if is_row(hit.text, start) else ""
            shown_alone = shown(said)
            shown_text = f"{shown(above)} … {shown_alone}" if above else shown_alone
            stems = frozenset(view.analyzer.terms(f"{above} {said}", language))
            context = headings | stems
            own = tuple(fact for fact in stated if start <= fact.fact.start < end)
            quotable.append(
                Sentence(hit, start, end, shown_alone, shown_text, stems, context, context | title, own)
            )
    return quotable


def tells_more(sentence: str, question: str) -> bool:
    """True if a sentence has a name or a figure that the question lacks, where its script has capitals."""
    asked = set(WORD.findall(question.casefold()))
    words = [word for word in WORD.findall(sentence)[1:] if word.casefold() not in asked]
    return sentence.lower() == sentence.upper() or any(
        word[0].isupper() or any(sign.isdigit() for sign in word) for word in words
    )


def document_times(hit: Hit) -> tuple[Span, ...]:
    """The times that a hit's document is about by its metadata or title; else its date of publication."""
    stated = tuple(time.span for time in hit.about if KIND.get(time.by, 0) < HEADING)
    return stated or ((hit.published.span,) if hit.published else ())


def document_in_time(hit: Hit, span: Span) -> bool:
    """True if a hit's document is about a time inside a span."""
    return any(holds_in(time, (span,)) for time in document_times(hit))


def text_names_time(hit: Hit, span: Span) -> bool:
    """True if the text of a hit names a time inside a span."""
    return any(KIND.get(time.by, 0) == TEXT and holds_in(time.span, (span,)) for time in hit.about)


def mentions_name(sentence: Sentence, name: str) -> bool:
    """True if a sentence is about a name.

    It is if the document's title begins with the name, or a word of it is in the sentence, in the subject of
    a fact of it, or in the sentence before ("he", "she").
    """
    if name_use(sentence.hit, name).title:
        return True
    before = sentence.hit.text[: sentence.start].rstrip()
    previous = before[max(before.rfind(". "), before.rfind("\n"), 0) :]
    subjects = " ".join(fact.fact.subject for fact in sentence.facts)
    words = set(key(f"{previous} {sentence.text} {subjects}").split())
    return not words.isdisjoint(key(name).split())


class NameUse(NamedTuple):
    """Where a hit has a name: at the beginning of its `title`; there or in its `text`."""

    title: bool
    text: bool


def name_use(hit: Hit, name: str) -> NameUse:
    """Tests whether a hit's title begins with a name, and whether its title or text contains it."""
    words = key(name)
    if f"{key(hit.title)} ".startswith(f"{words} "):
        return NameUse(True, True)
    return NameUse(False, f" {words} " in f" {key(hit.text)} ")
