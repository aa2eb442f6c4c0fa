"""Answerability: can the passages that were found hold the answer, by words, names and times?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import exp
from operator import mul
from typing import NamedTuple

from asof.answer.choose import MONTH, Candidates, durations, has_number, has_value
from asof.answer.match import asks_whether, bare_words, figures_in, numbers_asked, thing_asked
from asof.answer.question import (
    COUNT,
    DATE,
    DURATION,
    MONEY,
    PERSON,
    SHARE,
    VERSION,
    ParsedQuestion,
    phrases_of,
)
from asof.answer.statements import Statement, WeightedPhrase, hit_in_time, names
from asof.hits import Hit
from asof.index.view import View
from asof.text.query import key
from asof.time.span import label, nearest


class AnswerSigns(NamedTuple):
    """What speaks for the answer to a question being among passages.

    `unknown`: the share of the question, by weight, whose words no passage has; `first`: that of the other
    words which the best statement has with the title and headings above it; `names`: the share of the names
    of the question that the best statements have with their titles and headings.
    """

    first: float = 0.0
    unknown: float = 0.0
    names: float = 0.0


CONSTANT = -0.8
WEIGHTS = AnswerSigns(first=1.2, unknown=-4.7, names=0.7)
"""Log odds, fitted on questions of people with an answer or without, near-misses above all, with as much
weight for both, and judged on the corpora left out (`bench/answers.py`)."""

LEAST = 0.27
"""Questions of a smaller probability are refused: about one in thirty of those with an answer."""


def signs_of(question: ParsedQuestion, words: WeightedPhrase, found: Candidates) -> AnswerSigns:
    """The signs of the candidates for an answer to a question."""
    best = [found.statements[at] for at in found.best]
    if not best:
        return AnswerSigns()
    gone = frozenset(words.unknown)
    known = WeightedPhrase(words.text, tuple(
        word for word, spelled in zip(words.words, words.spelled, strict=True) if spelled not in gone
    ))  # fmt: skip
    whole = sum(weight for _, weight in words.words)
    unknown = 1 - sum(weight for _, weight in known.words) / whole if whole else 0.0
    said = "\n".join(" ".join((each.hit.title, *each.hit.place.headings, each.text)) for each in best)
    named = [f" {key(name)} " in f" {key(said)} " for name in question.names]
    share = sum(named) / len(named) if named else 1.0
    return AnswerSigns(known.share(best[0].titled_stems), unknown, share)


def probability(signs: AnswerSigns) -> float:
    """The probability that passages hold the answer to a question."""
    return 1 / (1 + exp(-(CONSTANT + sum(map(mul, signs, WEIGHTS)))))


# -- reasons of a refusal: words, names and times ---------------------------------------------------------


def unanswerable_reason(
    question: ParsedQuestion, words: WeightedPhrase, hits: Sequence[Hit], found: Candidates, view: View
) -> str:
    """The reason why these passages cannot hold the answer, or "". `found`: the candidates of the hits."""
    if not hits:
        return "nothing in this corpus matches the question"
    if reason := _time_reason(question, hits, found, view):
        return reason
    if not found.best and (named := numbers_asked(question)):
        return f"no passage that was found is about {named}"
    if reason := _of_others(question, words, found):
        return reason
    if probability(signs_of(question, words, found)) >= LEAST:
        return ""
    unknown = f"no passage has: {', '.join(words.unknown)}" if words.unknown else ""
    return unknown or "no passage that was found has much of the question"


def _of_others(question: ParsedQuestion, words: WeightedPhrase, found: Candidates) -> str:
    """The reason why what statements say of other things is no answer, or "": none has most of that of the
    thing which is asked about, or of a passage that names it."""
    others = [at for at in found.scores if found.signs[at].other]
    if not others:
        return ""
    asked = thing_asked(question)
    best = found.statements[max(others, key=found.scores.__getitem__)]
    told = WeightedPhrase("", tuple(
        each for each, word in zip(words.words, words.spelled, strict=True)
        if word not in asked.names and not each[0].isdisjoint(best.stems)
    ))  # fmt: skip
    wanted = asked.names | frozenset(asked.behind.values())
    for at in found.scores.keys() - others:
        own = found.statements[at]
        said = (own.hit.document, own.hit.title, *own.hit.place.headings, own.hit.text)
        if told.share(own.titled_stems) >= MOSTLY and not wanted.isdisjoint(bare_words(" ".join(said))):
            return ""
    return f"nothing that was found says this of {asked.text}"


MOSTLY = 0.5
"""The least share of what is said of another thing that is said of the one which is asked about."""


def _time_reason(question: ParsedQuestion, hits: Sequence[Hit], found: Candidates, view: View) -> str:
    """The reason why nothing is known of the times of a question, or "": no passage is of these. Only for
    times that are written with figures, and do not include now unless the figure of something named is asked
    for, and if most passages are dated."""
    times, named = question.times, question.wants_value and question.names
    if not times or not question.dated or any(span.last - span.first < MONTH for span in times):
        return ""
    if not named and any(span.first <= view.as_of <= span.last for span in times):
        return ""
    if 2 * sum(hit.published is None for hit in hits) >= len(hits):
        return ""
    if named:
        hits = [
            hit for hit in hits if any(names(f"{hit.title} {hit.text}", each) for each in question.names)
        ] or hits  # fmt: skip
    best = [found.statements[at] for at in found.best]
    for hit in hits:  # since when a figure is so stands beside it
        said = " ".join(each.text for each in best if each.hit is hit) if question.figure else hit.text
        if any(hit_in_time(hit, span, said) for span in times):
            return ""
    return _nothing_known(question, [label(span) for span in times], hits)


def _nothing_known(question: ParsedQuestion, periods: Sequence[str], hits: Sequence[Hit]) -> str:
    whom = f" about {', '.join(question.names)}" if question.names else ""
    times = [(time.span, time.text) for hit in hits for time in hit.about if time.text]
    times += [(hit.published.span, hit.published.day) for hit in hits if hit.published and not hit.about]
    near = nearest(times, question.times)
    known = f"; the nearest times that are known: {', '.join(near)}" if near else ""
    return f"nothing{whom} is known of {', '.join(dict.fromkeys(periods))}{known}"


# -- the reason of a refusal: no value of the kind that is asked for ----------------------------------------

NEAR_MOST = 0.5
"""The least part of the most that a quoted passage has of a question, for one that is about it."""


def missing_value(
    question: ParsedQuestion, words: WeightedPhrase, statements: Sequence[Statement], quoted: Collection[str]
) -> str:
    """The reason why what is quoted gives no value of the kind that is asked for, or "": these statements, of
    the passages that are about it, have none. Those are the ones with most of the question that have all of
    its names, or without such the quoted ones (ids of hits). What is counted may be a list, and where no kind
    is asked for nothing is missed."""
    kind, numbered = question.value_kind, question.numbered
    if (kind in ("", COUNT, PERSON) and not numbered) or asks_whether(question):
        return ""
    passages: dict[str, list[Statement]] = {}
    for each in statements:
        passages.setdefault(each.hit.id, []).append(each)
    pairs = zip(words.words, words.spelled, strict=True)
    asked = WeightedPhrase(words.text, tuple(word for word, said in pairs if said not in question.asking))
    shares = {
        at: asked.share(frozenset().union(*(each.titled_stems for each in told)))
        for at, told in passages.items()
    }
    least = NEAR_MOST * max(shares.values(), default=0.0)
    near = [at for at in passages if shares[at] >= least]
    named = [at for at in near if _names_all(question.capitals, passages[at][0].hit)]
    about = named if named and question.capitals else [at for at in near if at in quoted]
    if not about or any(_gives(question, each) for at in about for each in passages[at]):
        return ""
    what = f"a {numbered} number" if numbered else _KINDS[kind]
    return f"no passage that was found on this gives {what}"


_KINDS = {
    DURATION: "a length of time", SHARE: "a share", VERSION: "a version", DATE: "a time", MONEY: "an amount",
}  # fmt: skip


def _names_all(names_: Sequence[str], hit: Hit) -> bool:
    text = " ".join((hit.title, *hit.place.headings, hit.text))
    return all(names(text, each) for each in names_)


def _gives(question: ParsedQuestion, statement: Statement) -> bool:
    """True if a statement may give a value of the kind that is asked for."""
    hit, kind = statement.hit, question.value_kind
    if question.numbered:
        said = f" {key(' '.join((hit.title, *hit.place.headings, statement.text)))} "
        called = any(f" {key(word)} " in said for word in question.number_words)
        return any(map(str.isdigit, statement.text)) and called
    if kind == DATE:
        return hit.dated_by != "mtime" or bool(hit.about) or has_value(question, statement, statement.text)
    if kind == VERSION and statement.version:
        return True
    free = phrases_of("free", question.language)
    if kind == MONEY:  # a date is no amount
        in_words = "".join(sign for sign in statement.text if not sign.isdigit())
        in_words = durations(question.language).sub(" ", in_words)
        says = bool(figures_in(statement)) or has_number(question, in_words)
        return says or free.search(in_words.lower()) is not None
    return has_number(question, statement.text) or has_value(question, statement, statement.text)
