"""Which fact of a sentence answers a phrase best, and which figure the sentence has for it."""

from __future__ import annotations

from typing import NamedTuple

from asof.answer.evidence import Sentence, WeightedPhrase, name_use
from asof.answer.sentence_facts import SentenceFact
from asof.data import CHANGE, VALUE, Amount
from asof.text.fact_lexicon import language_of, lexicon
from asof.text.figures import Figure, figure_of, pattern
from asof.text.names import key
from asof.time.expressions import TimeContext, parse
from asof.time.scope import holds_in
from asof.time.span import Span


class FactPattern(NamedTuple):
    """The condition on a fact: about a phrase and a name ("": any), in a span (None: any), with a figure."""

    phrase: WeightedPhrase
    name: str
    span: Span | None
    value: bool


class WrittenFigure(NamedTuple):
    """A figure as it is written, and its amount."""

    text: str
    amount: Amount


def best_fact(condition: FactPattern, sentence: Sentence) -> tuple[SentenceFact | None, float]:
    """The fact of a sentence with the largest share of a phrase, and that share.

    A fact has the phrase in its relation and object; a state also in its subject. If only a name is asked
    about ("what is Birch Bay?"), a state matches by its subject.
    """
    best: SentenceFact | None = None
    largest = 0.0
    for known in sentence.facts:
        fact = known.fact
        measured = fact.kind in (VALUE, CHANGE)
        if condition.value and not measured:
            continue
        if condition.span is not None and not holds_in(fact.span, (condition.span,)):
            continue
        if condition.name and measured and not _same_subject(fact.subject, condition.name, sentence):
            continue
        share = condition.phrase.share(_stems(_text_of(known, condition), condition.phrase))
        if share > largest:
            best, largest = known, share
    return best, largest


def _text_of(known: SentenceFact, condition: FactPattern) -> str:
    fact = known.fact
    state_subject = fact.subject if known.is_state else ""
    if condition.name and condition.phrase.text == condition.name:
        return state_subject
    return f"{state_subject} {fact.relation} {fact.object}"  # "the chair of the board is Ann": who is chair?


def _same_subject(subject: str, name: str, sentence: Sentence) -> bool:
    """Whether a fact's subject has a word of a name, or the document's title begins with the name."""
    return bool(set(key(name).split()) & set(key(subject).split())) or name_use(sentence.hit, name).title


def _stems(text: str, phrase: WeightedPhrase) -> frozenset[str]:
    """The stems of a phrase with which a word of a text begins."""
    words = key(text).split()
    return frozenset(
        stem
        for alternatives, _ in phrase.words
        for stem in alternatives
        if any(word.startswith(stem) for word in words)
    )


def figure_shown(sentence: Sentence, fact: SentenceFact | None) -> WrittenFigure | None:
    """The figure of a fact. Without a fact: the only figure of the sentence that has a unit; if none has one,
    its only number that is no time. None if there are several, or none."""
    if fact is not None:
        amount = fact.fact.amount
        return None if amount is None else WrittenFigure(fact.fact.object, amount)
    figures = figures_in(sentence)
    measured = [figure for figure in figures if figure.unit] or figures
    if len(measured) != 1:
        return None
    only = measured[0]
    return WrittenFigure(sentence.text[only.start : only.end].strip(), Amount(only.value, only.unit))


def figures_in(sentence: Sentence) -> list[Figure]:
    """The figures of a sentence's text that are no times."""
    text = sentence.text
    language = language_of(sentence.hit.text, "en")
    words = lexicon(language)
    times = [(time.start, time.end) for time in parse(text, context=TimeContext(language=language))]
    figures = (figure_of(match, words) for match in pattern(language).finditer(text))
    return [
        figure
        for figure in figures
        if figure is not None
        and (figure.unit or not any(figure.start < end and start < figure.end for start, end in times))
    ]
