"""Which fact of a sentence says what is asked, and which figure the sentence has for it."""

from __future__ import annotations

from typing import NamedTuple

from asof.answer.evidence import SearchedPhrase, Sentence, naming
from asof.data import CHANGE, VALUE, Amount
from asof.knowledge.known import StatedFact
from asof.knowledge.lines.holding import is_state
from asof.knowledge.rules.figures import Figure, figure_of, pattern
from asof.knowledge.rules.lexicon import language_of, lexicon
from asof.knowledge.scope import holds_in
from asof.text.names import key
from asof.time.expressions import mentions
from asof.time.span import Span


class FactPattern(NamedTuple):
    """What a fact is looked for: a phrase, about a name ("" for any), of a time, a figure or anything."""

    phrase: SearchedPhrase
    name: str
    span: Span | None
    value: bool


class WrittenFigure(NamedTuple):
    """A figure as it was written, and what it amounts to."""

    text: str
    amount: Amount


def stating(sought: FactPattern, sentence: Sentence) -> tuple[StatedFact | None, float]:
    """The fact of a sentence that says a phrase best by its relation, of the time asked for if there is one,
    and what share of the phrase it says. Where a name alone is asked about ("what is Birch Bay?"), what is
    the case with it says it by its subject."""
    best: StatedFact | None = None
    most = 0.0
    for each in sentence.facts:
        fact = each.fact
        measured = fact.kind in (VALUE, CHANGE)
        if sought.value and not measured:
            continue
        if sought.span is not None and not holds_in(fact.span, (sought.span,)):
            continue
        if sought.name and measured and not _same(fact.subject, sought.name, sentence):
            continue
        share = sought.phrase.share(_stems(_words_of(each, sought), sought.phrase))
        if share > most:
            best, most = each, share
    return best, most


def _words_of(known: StatedFact, sought: FactPattern) -> str:
    fact = known.fact
    if sought.name and sought.phrase.text == sought.name:
        return fact.subject if is_state(fact) else ""
    office = fact.subject if is_state(fact) else ""  # "the chair of the board is Ann" says who is chair
    return f"{office} {fact.relation} {fact.object}"


def _same(subject: str, name: str, sentence: Sentence) -> bool:
    """Whether a fact's subject is who is asked about, or a part of the document's own subject."""
    mine, theirs = set(key(name).split()), set(key(subject).split())
    return bool(mine & theirs) or naming(sentence.hit, name).own


def _stems(text: str, phrase: SearchedPhrase) -> frozenset[str]:
    """Those stems of a phrase that a text says, by the words' beginnings."""
    words = key(text).split()
    return frozenset(
        stem
        for alternatives, _ in phrase.words
        for stem in alternatives
        if any(word.startswith(stem) for word in words)
    )


def shown_figure(sentence: Sentence, fact: StatedFact | None) -> WrittenFigure | None:
    """The figure of a fact; without a fact the only figure of the sentence: the only one with a unit, or,
    where none has one, the only number that is no time. None where there are several, or none."""
    if fact is not None:
        amount = fact.fact.amount
        return None if amount is None else WrittenFigure(fact.fact.object, amount)
    figures = figures_in(sentence)
    measured = [each for each in figures if each.unit] or figures
    if len(measured) != 1:
        return None
    one = measured[0]
    return WrittenFigure(sentence.text[one.start : one.end].strip(), Amount(one.value, one.unit))


def figures_in(sentence: Sentence) -> list[Figure]:
    """The figures of a sentence's text that are no times."""
    text = sentence.text
    language = language_of(sentence.hit.text, "en")
    words = lexicon(language)
    times = [(each.start, each.end) for each in mentions(text, language=language)]
    found = (figure_of(match, words) for match in pattern(language).finditer(text))
    return [
        each
        for each in found
        if each is not None
        and (each.unit or not any(each.start < end and start < each.end for start, end in times))
    ]
