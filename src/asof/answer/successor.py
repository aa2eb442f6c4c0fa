"""What came after something: the earliest later statement of the same kind that does not name it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from asof.answer.best_sentences import Quote, quote_of
from asof.answer.evidence import Sentence, WeightedPhrase
from asof.answer.question import ParsedQuestion
from asof.index.view import View
from asof.text.names import key

SAME_KIND = 0.6
"""The share of the words that tell the kind of a statement that another of the same kind has."""

COMMON = 2
"""A word tells the kind of a statement if so many sentences have it that are not about the same thing."""


def successor_quotes(
    question: ParsedQuestion, words: WeightedPhrase, view: View, sentences: Sequence[Sentence]
) -> list[Quote]:
    """The quote of what came after `question.after`, then that of what it came after; [] if none is found.

    The statement on what it came after is the earliest of the sentences that name it and have most of the
    question. Its own words are those with figures, as in "Ubuntu 20.04", or else all. Of the later published
    sentences that have none of its own words, all other words of the question that the statement has, and
    at least SAME_KIND of the words that tell its kind, the earliest is taken; of several of one day the most
    similar. Where its title names it, theirs begin with the same word.
    """
    after = key(question.after)
    at = _stating(words, sentences, after) if after else None
    published = None if at is None else sentences[at].hit.published
    if at is None or published is None:
        return []
    stating, named = sentences[at], _terms(view, question.after)
    own = frozenset(filter(_is_figure, named)) or named
    asked = (_terms(view, words.text) & stating.titled_stems) - own
    beginning = _first_word(stating) if _names(stating.hit.title, after) else ""
    others = [
        (number, each)
        for number, each in enumerate(sentences)
        if own.isdisjoint(each.stems)
        and asked <= each.titled_stems
        and _first_word(each).startswith(beginning)
    ]
    kind = _kind(view, stating, own, [each for _, each in others])
    later = [
        (day.span.last, -said, number)
        for number, each in others
        if (day := each.hit.published) is not None
        and day.span.first > published.span.last
        and (said := len(each.stems & kind)) >= SAME_KIND * max(len(kind), 1)
    ]
    if not asked or not later:
        return []
    return [quote_of(sentences, min(later)[2]), quote_of(sentences, at)]


def _stating(words: WeightedPhrase, sentences: Sequence[Sentence], name: str) -> int | None:
    """The earliest of the dated sentences that, with their title, name this and have most of the question."""
    shares = [
        (words.share(each.titled_stems), -each.hit.published.span.first, -at)
        for at, each in enumerate(sentences)
        if each.hit.published is not None and _names(f"{each.hit.title} {each.text}", name)
    ]
    return -max(shares)[2] if shares else None


def _names(text: str, name: str) -> bool:
    return f" {name} " in f" {key(text)} "


def _first_word(sentence: Sentence) -> str:
    return key(sentence.hit.title).partition(" ")[0]


def _kind(view: View, stating: Sentence, own: frozenset[str], others: Sequence[Sentence]) -> frozenset[str]:
    """The words that tell the kind of a statement: in COMMON other sentences, and neither figures nor words
    of times."""
    counts = Counter(stem for each in others for stem in each.stems & stating.stems)
    times = frozenset(term for time in stating.hit.about for term in _terms(view, time.text))
    return frozenset(
        stem for stem in stating.stems - own - times if counts[stem] >= COMMON and not _is_figure(stem)
    )


def _terms(view: View, text: str) -> frozenset[str]:
    return frozenset(view.analyzer.terms(text, view.analyzer.detect(text)))


def _is_figure(stem: str) -> bool:
    return any(sign.isdigit() for sign in stem)
