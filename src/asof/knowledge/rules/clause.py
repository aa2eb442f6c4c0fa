"""The state of a sentence while its figures are read: the last measure, the drafts so far, expectations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from asof.data import CHANGE, VALUE, Amount
from asof.knowledge.rules.fact_draft import FactDraft
from asof.knowledge.rules.measures import (
    Measure,
    TokenRange,
    before,
    is_hard,
    measure,
    name_before,
    trimmed,
    words_of,
)
from asof.knowledge.rules.tokens import Token

UNKNOWN, FORECAST = 0.75, 0.9
"""The factors where the head of the measure is no word for a measure, and where the value is expected."""

NEAR, FAR = 8, 30
"""Distances in items: near a figure, and still in the same clause."""

RISES = frozenset({"rise", "fall"})
NOUNS = frozenset({"measure", "qualifier"})
_OWNER = 4
_VERB_GROUP = frozenset({"verb", "auxiliary", "act", "expect", "bring", "event"})


@dataclass(slots=True)
class Clause:
    """One sentence. `initial` is the item it begins with, `measure` the last measure, `last` the last figure
    that was read (-1: none), `expects` the last word of expectation, `last_past` the last word of the
    past."""

    items: Sequence[Token]
    text: str
    initial: int = 0
    drafts: list[FactDraft] = field(default_factory=list)
    measure: Measure | None = None
    last: int = -1
    expects: int = -1
    last_past: int = -1

    def pass_over(self, i: int) -> None:
        """Record a word of expectation or of the past."""
        senses = self.items[i].senses
        if "past" in senses:
            self.last_past = i
        elif "expect" in senses and not ("foreseen" in senses and self.last_past >= 0):
            around = self.items[max(0, i - 1) : i + 2]
            if "intent" not in senses or any("to" in item.senses or "own" in item.senses for item in around):
                self.expects = i

    def phrase(self, where: TokenRange) -> Measure | None:
        """The measure that a range of items names."""
        return measure(self.items, where, self.initial)

    def before(self, end: int) -> Measure | None:
        """The measure that stands before item `end`."""
        return self.phrase(before(self.items, end))

    def moving(self, verb: int) -> Measure | None:
        """The measure of a verb of change: the phrase before it, else the last measure, else the topic of the
        sentence."""
        items, at = self.items, verb
        while at > 0 and (_MOVES & items[at - 1].senses or items[at - 1].low.endswith("ly")):
            at -= 1
        return self.before(at) or self.measure or self._topic()

    def _topic(self) -> Measure | None:
        """The phrase before the first verb."""
        for at in range(min(len(self.items), FAR)):
            if {"verb", "link"} & self.items[at].senses and NOUNS.isdisjoint(self.items[at].senses):
                of = self.before(at)
                return of if of is not None and of.known else None
        return None

    def owned(self, of: Measure, first: int) -> Measure:
        """The measure with the subject of the verb as its owner: "EPAM generated revenue of", "the ship
        carries". Its confidence is lower where the subject is a pronoun.
        """
        items, at, floor = self.items, first - 1, max(-1, first - FAR)
        if of.owner:
            return of
        while at > floor and "verb" not in items[at].senses and "act" not in items[at].senses:
            if {"mark", "own"} & items[at].senses:
                return of
            at -= 1
        while at > floor and _VERB_GROUP & items[at].senses:
            at -= 1
        if at > floor and items[at].low in _OTHERS:
            return of._replace(known=False)
        name = name_before(items, at + 1)
        if name <= at:
            alone = name > 0 and "preposition" in items[name - 1].senses
            return of if alone else of._replace(owner=words_of(items, TokenRange(name, at + 1)))
        return self._by_phrase(of, at)

    def _by_phrase(self, of: Measure, at: int) -> Measure:
        """The same where a short phrase with an article ends at item `at`: "the bakery"."""
        items, first = self.items, at
        while first > 0 and at - first < _OWNER and "determiner" not in items[first].senses:
            if is_hard(items[first]) or {"preposition", "pronoun"} & items[first].senses:
                return of
            first -= 1
        if first < 0 or items[first].low not in _ARTICLES or {"itself", "time", "weak"} & items[at].senses:
            return of
        if first > 0 and _OPENS.isdisjoint(items[first - 1].senses):
            return of
        where = trimmed(items, first, at + 1)
        return of._replace(owner=words_of(items, where)) if where.first < where.after else of

    def value(self, i: int, after: int, of: Measure, sure: float, *, compared: bool = False) -> bool:
        """A VALUE: the figure at i, or the range from there to item `after`."""
        figure = self.items[i].figure
        assert figure is not None  # noqa: S101  only figures come here
        if after == i and not figure.unit and self._is_counted(i + 1):
            count = Amount(figure.value, self.items[i + 1].low)
            return self.add(VALUE, of, self.text_between(i, i + 1), i, sure, count, compared=compared)
        less = i > 0 and self.items[i - 1].low in ("negative", "minus")
        amount = Amount(-figure.value if less else figure.value, figure.unit) if after == i else None
        return self.add(VALUE, of, self.text_between(i - less, after), i, sure, amount, compared=compared)

    def _is_counted(self, at: int) -> bool:
        """Whether item `at` is the unit of a bare figure: "40 minutes", "245,000 shares"."""
        items = self.items
        if at >= len(items) or not items[at].low.isalpha() or not items[at].senses <= _UNITS:
            return False
        return at + 1 == len(items) or bool(_CLOSES & items[at + 1].senses)

    def change(self, i: int, after: int, of: Measure, word: int, sure: float, *, falls: bool) -> bool:
        """A CHANGE: the figure at i (to `after`) and the word for its direction, before or after it."""
        figure = self.items[i].figure
        assert figure is not None  # noqa: S101
        begin, end = min(word, i), max(word, after)
        if i - begin > NEAR:
            begin = i
        basis = self._basis(end + 1)
        words = self.text_between(end + 1, basis - 1).lstrip(", ") if basis > end + 1 else ""
        value = -abs(figure.value) if falls else figure.value
        amount = Amount(value, figure.unit, words) if after == i else None
        return self.add(CHANGE, of, self.text_between(begin, basis - 1), i, sure, amount)

    def add(
        self, kind: str, of: Measure, object_: str, at: int, sure: float, amount: Amount | None,
        *, compared: bool = False,
    ) -> bool:  # fmt: skip
        """Add a draft; `of` becomes the last measure."""
        expected = not compared and self._expected(at)
        sure *= (1.0 if of.known else UNKNOWN) * (FORECAST if expected else 1.0)
        words = of.words
        self.drafts.append(
            FactDraft(kind, of.owner, words, object_, at, round(sure, 3), amount, compared, expected)
        )
        self.measure = of
        return True

    def text_between(self, first: int, last: int) -> str:
        """The text from one item to another."""
        return " ".join(self.text[self.items[first].start : self.items[last].end].split())

    def _expected(self, at: int) -> bool:
        """Whether a figure is about the future: a word of expectation before it, none of the past between."""
        if self.expects < 0 or at - self.expects > FAR:
            return False
        if any("beyond" in item.senses for item in self.items[max(0, self.expects - 7) : self.expects]):
            return False
        return not any("past" in item.senses or item.low == ";" for item in self.items[self.expects + 1 : at])

    def _basis(self, start: int) -> int:
        """The end of the basis of a change ("from a year ago") that begins at `start`; `start` if none
        does."""
        items, at = self.items, start
        if at < len(items) and "comma" in items[at].senses:
            at += 1
        if at < len(items) and "basis" in items[at].senses:
            return at + 1
        if at >= len(items) or not {"compare", "from"} & items[at].senses:
            return start
        end = at + 1
        while (
            end < len(items)
            and end - at < NEAR
            and not (_AFTER_BASIS & items[end].senses or is_hard(items[end]))
        ):
            end += 1
        named = any(item.time is not None or item.low in _EARLIER for item in items[at:end])
        return end if named else start


_UNITS = frozenset({"measure", "document_type"})
_OPENS = frozenset({"mark", "time", "and", "stop", "discourse"})
_CLOSES = frozenset({"mark", "preposition", "and", "time"})
_MOVES = frozenset({"link", "auxiliary", "expect", "to"})
_OTHERS = frozenset("he she they i er sie ich".split())  # noqa: SIM905 - who that is stands elsewhere
_ARTICLES = frozenset("the der die das ein eine a an".split())  # noqa: SIM905
_AFTER_BASIS = frozenset({"mark", "figure", "and"})
_EARLIER = frozenset("prior prior-year last previous year-ago vorjahr vorquartal".split())  # noqa: SIM905
