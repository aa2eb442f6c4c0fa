"""The sentences that an answer may quote: those of the passages that were found, with what they state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from asof.data import Hit, Query
from asof.index.view import View
from asof.knowledge.known import StatedFact
from asof.knowledge.scope import holds_in
from asof.rank.features.query_terms import largest_idf, words_of
from asof.store.about import KIND, TEXT
from asof.text.names import key
from asof.text.query import parse
from asof.text.sentences import sentences, shown
from asof.time.span import Span

HEADING = KIND["heading"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a hit: its offsets in the hit's text, its `own` stems, these with those of the headings
    above it, the same with those of the title, and the facts that it states."""

    hit: Hit
    start: int
    end: int
    own: frozenset[str]
    stems: frozenset[str]
    titled: frozenset[str]
    facts: tuple[StatedFact, ...]

    @property
    def text(self) -> str:
        return shown(self.hit.text[self.start : self.end])


class SearchedPhrase(NamedTuple):
    """Words that are looked for: for each its possible stems, and what it weighs (idf², as in
    `asof.rank.features.query_terms`; a word that no passage has weighs as much as the rarest)."""

    text: str
    words: tuple[tuple[frozenset[str], float], ...]

    @classmethod
    def of(cls, text: str, view: View) -> SearchedPhrase:
        known = {word.text: word.weight for word in words_of(Query(text, text), view)}
        rare = largest_idf(view) ** 2
        return cls(
            text,
            tuple(
                (frozenset(view.analyzer.alternatives(word)), known.get(word, rare))
                for word, _ in parse(text, view.analyzer).words
            ),
        )

    def share(self, stems: frozenset[str]) -> float:
        """The share of its weight that these stems have; 1 for a phrase without words."""
        whole = said = 0.0
        for alternatives, weight in self.words:
            whole += weight
            said += 0.0 if alternatives.isdisjoint(stems) else weight
        return said / whole if whole else 1.0


def evidence(view: View, hits: Sequence[Hit], facts: Sequence[StatedFact]) -> list[Sentence]:
    """The sentences of hits, in their order. `facts`: what the passages of these hits state."""
    of_passage: dict[str, list[StatedFact]] = {}
    for each in facts:
        of_passage.setdefault(each.sight.id, []).append(each)
    found = []
    for hit in hits:
        language = view.analyzer.detect(hit.text)
        above = frozenset(view.analyzer.terms(" ".join(hit.place.headings), language))
        title = frozenset(view.analyzer.terms(hit.title, language))
        stated = of_passage.get(hit.id, ())
        for start, end in sentences(hit.text):
            if hit.text.startswith("#", start):  # a heading says nothing by itself
                continue
            own = frozenset(view.analyzer.terms(hit.text[start:end], language))
            stems = above | own
            here = tuple(each for each in stated if start <= each.fact.start < end)
            found.append(Sentence(hit, start, end, own, stems, stems | title, here))
    return found


def own_times(hit: Hit) -> tuple[Span, ...]:
    """The times that a hit's document is about, by its metadata or title; else the date of publication."""
    said = tuple(each.span for each in hit.about if KIND.get(each.by, 0) < HEADING)
    return said or ((hit.published.span,) if hit.published else ())


def of_time(hit: Hit, span: Span) -> bool:
    """Whether a hit's document is of a time."""
    return any(holds_in(each, (span,)) for each in own_times(hit))


def speaks_in_text_of(hit: Hit, span: Span) -> bool:
    """Whether the hit's own words name a time inside a span."""
    return any(KIND.get(each.by, 0) == TEXT and holds_in(each.span, (span,)) for each in hit.about)


def names(sentence: Sentence, name: str) -> bool:
    """Whether a sentence is about a name: its document's title begins with it, or a word of it stands in the
    sentence, in a fact's subject, or in the sentence before ("he", "she")."""
    if naming(sentence.hit, name).own:
        return True
    before = sentence.hit.text[: sentence.start].rstrip()
    last = before[max(before.rfind(". "), before.rfind("\n"), 0) :]
    subjects = " ".join(each.fact.subject for each in sentence.facts)
    said = set(key(f"{last} {sentence.text} {subjects}").split())
    return not said.isdisjoint(key(name).split())


class HitNaming(NamedTuple):
    """How a hit names somebody: at the beginning of its title (`own`), or in its text."""

    own: bool
    text: bool


def naming(hit: Hit, name: str) -> HitNaming:
    """Whether the title of a hit begins with a name, or its text says it."""
    wanted = key(name)
    if f"{key(hit.title)} ".startswith(f"{wanted} "):
        return HitNaming(True, True)
    return HitNaming(False, f" {wanted} " in f" {key(hit.text)} ")
