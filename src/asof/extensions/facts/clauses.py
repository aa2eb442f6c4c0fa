"""Figures of a sentence as facts: values of measures (VALUE) and changes by an amount (CHANGE).

Each figure is read by the words left of it ("revenue was", "margin of", "rose", "compared to"), then by those
right of it ("of free cash flow", "higher"), else as one more figure of the last measure; RULES, at the end,
is in the order of precedence. `Clause` is the state meanwhile: the last measure, the drafts so far,
expectations. A rule gets the figure's item, the item left of its approximations ("about", "nearly") and the
last item of the range that it begins, and returns whether it has read the figure.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from asof.extensions.facts.words import (
    WIDEST,
    FactDraft,
    Measure,
    Token,
    TokenRange,
    after_of,
    before,
    head_of,
    is_hard,
    measure,
    name_before,
    trimmed,
    words_of,
)
from asof.text.figures import Figure
from asof.values import CHANGE, VALUE, Amount

# -- state -----------------------------------------------------------------------------------------


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

    def figure(self, i: int) -> Figure:
        """The figure that item i is."""
        figure = self.items[i].figure
        assert figure is not None  # noqa: S101  only figures come here
        return figure

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
        figure = self.figure(i)
        if after == i and not figure.unit and self._is_counted(i + 1):
            count = Amount(figure.value, self.items[i + 1].low)
            return self.add(VALUE, of, self.text_between(i, i + 1), i, sure, count, compared=compared)
        less = i > 0 and self.items[i - 1].low in ("negative", "minus")
        amount = Amount(-figure.value if less else figure.value, figure.unit) if after == i else None
        return self.add(VALUE, of, self.text_between(i - less, after), i, sure, amount, compared=compared)

    def _is_counted(self, at: int) -> bool:
        """True if item `at` is the unit of a bare figure: "40 minutes", "245,000 shares"."""
        items = self.items
        if at >= len(items) or not items[at].low.isalpha() or not items[at].senses <= _UNITS:
            return False
        return at + 1 == len(items) or bool(_CLOSES & items[at + 1].senses)

    def change(self, i: int, after: int, of: Measure, word: int, sure: float, *, falls: bool) -> bool:
        """A CHANGE: the figure at i (to `after`) and the word for its direction, before or after it."""
        figure = self.figure(i)
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
        """True if a figure is about the future: a word of expectation before it, none of the past between."""
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


# -- rules by the words left of a figure -----------------------------------------------------------


LINKED, OF, CHANGED, COMPARED, AGAIN = 0.95, 0.9, 0.9, 0.7, 0.75
"""The confidence of each rule: a verb links measure and figure; "margin of 5%"; "rose 5%"; a comparison; one
more figure of the last measure, or nothing between measure and figure."""

_GROUP = frozenset({"link", "auxiliary", "expect", "to", "negation"})
_PASSED = frozenset({"particle", "auxiliary", "determiner"})
_NOUN = frozenset({"rise_noun", "fall_noun"})
_APART = frozenset("at with in to by on over into mit zu auf bei im".split())  # noqa: SIM905
_NO_VALUE = frozenset({"figure", "preposition"})


def linked(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "revenue was", "came in at", "stood at"; also "is projected at", "expected to be"."""
    items, at, passed = clause.items, left, 0
    if at > 0 and items[at].low in ("between", "zwischen"):
        at -= 1
    while at > 0 and passed < 3 and _PASSED & items[at].senses and "link" not in items[at].senses:
        at, passed = at - 1, passed + 1
    while at > 0 and items[at].low == "to" and "expect" in items[at - 1].senses:
        at -= 1
    if at < 0 or "link" not in items[at].senses:
        return _foreseen(clause, i, at, after)
    if "copula" not in items[at].senses and after + 1 < len(items) and "measure" in items[after + 1].senses:
        return False  # "ran at 94% utilization"
    while at > 0 and _GROUP & items[at - 1].senses and NOUNS.isdisjoint(items[at - 1].senses):
        at -= 1
    of = clause.before(at)
    if of is None and at > 0 and items[at - 1].low in ("it", "which", ",", "that"):
        of = clause.measure
    return of is not None and clause.value(i, after, of, LINKED)


def _foreseen(clause: Clause, i: int, at: int, after: int) -> bool:
    """As in "revenue is projected at": a word of expectation instead of the verb."""
    items = clause.items
    if at < 1 or "expect" not in items[at].senses:
        return False
    while at > 0 and ({"link", "auxiliary"} & items[at - 1].senses):
        at -= 1
    of = clause.before(at)
    return of is not None and of.known and clause.value(i, after, of, LINKED)


def changed(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "increased 4%", "up 17%", "grew by", "boosting our authorization by", "ist um 5 % gestiegen"."""
    items, at = clause.items, left
    if at < 0:
        return False
    has_by = "by" in items[at].senses
    at -= has_by
    floor = max(-1, at - NEAR)
    verb = at
    while verb > floor and RISES.isdisjoint(items[verb].senses):
        if is_hard(items[verb]) or ("preposition" in items[verb].senses and not has_by):
            break
        verb -= 1
    if verb <= floor or RISES.isdisjoint(items[verb].senses):
        return has_by and _behind(clause, i, left, after)
    of = clause.phrase(trimmed(items, verb + 1, at + 1)) if verb < at else None
    if verb < at and of is None and not has_by:
        return False
    of = of or clause.moving(verb)
    return of is not None and clause.change(i, after, of, verb, CHANGED, falls="fall" in items[verb].senses)


def _behind(clause: Clause, i: int, left: int, after: int) -> bool:
    """A verb of change that comes last: "ist um 5 % auf 3 Millionen Euro gestiegen"."""
    items = clause.items
    for at in range(after + 1, min(len(items), after + NEAR)):
        if "mark" in items[at].senses:
            return False
        if RISES.isdisjoint(items[at].senses):
            continue
        of = clause.before(left) or clause.measure
        return of is not None and clause.change(i, after, of, left, CHANGED, falls="fall" in items[at].senses)
    return False


def of_what(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "gross margin of", "an increase of", "an increase in revenue of"."""
    items = clause.items
    if left < 1 or "of" not in items[left].senses:
        return False
    where = before(items, left)
    for at in range(where.after - 1, where.first - 1, -1):
        if _NOUN.isdisjoint(items[at].senses):
            continue
        inside = trimmed(items, at + 1, where.after) if at + 1 < where.after else TokenRange(at, at)
        of = clause.phrase(inside) or clause.phrase(trimmed(items, where.first, at)) or clause.measure
        return of is not None and clause.change(i, after, of, at, OF, falls="fall_noun" in items[at].senses)
    measured = clause.phrase(_last_of(items, where)) or clause.phrase(where)
    return measured is not None and clause.value(i, after, clause.owned(measured, where.first), OF)


def _last_of(items: Sequence[Token], where: TokenRange) -> TokenRange:
    """The last noun phrase of a range: "shares at a cost" is a cost."""
    for at in range(where.after - 2, where.first, -1):
        if items[at].low in _APART:
            return trimmed(items, at + 1, where.after)
    return where


def to_what(clause: Clause, i: int, left: int, after: int) -> bool:
    """The value after a change: "increased 4% to", "brings the count to"."""
    items = clause.items
    if left < 1 or "to" not in items[left].senses:
        return False
    for at in range(left - 1, max(-1, left - WIDEST), -1):
        senses = items[at].senses
        if not (RISES | _NOUN).isdisjoint(senses):
            of = (clause.measure if clause.last >= at else None) or _between(clause, at + 1, left)
            of = of or clause.moving(at)
            return of is not None and clause.value(i, after, of, LINKED)
        if "bring" in senses:
            of = clause.phrase(trimmed(items, at + 1, left))
            return of is not None and clause.value(i, after, of, OF)
        if items[at].low in (";", "\n"):
            break
    near = (
        clause.last >= 0 and left - clause.last < NEAR and clause.drafts and clause.drafts[-1].kind == CHANGE
    )
    return bool(near) and clause.measure is not None and clause.value(i, after, clause.measure, AGAIN)


def _between(clause: Clause, first: int, after: int) -> Measure | None:
    """The measure between a verb of change and "to": "raised the fare to"."""
    if any(_NO_VALUE & item.senses for item in clause.items[first:after]):
        return None
    return clause.phrase(trimmed(clause.items, first, after))


def compared(clause: Clause, i: int, left: int, after: int) -> bool:
    """The earlier figure: "compared to 15.4% in the second quarter of 2023", "from 28.3% a year ago".

    Without a time it is read and dropped."""
    items, at = clause.items, left
    if at < 0 or clause.measure is None or clause.last < 0 or not clause.drafts:
        return False
    if items[at].low in ("to", "with", "dem") and at > 0:
        at -= 1
    if not {"compare", "from"} & items[at].senses or i - clause.last > FAR:
        return False
    last = clause.drafts[-1]
    timed = any(item.time is not None for item in items[after + 1 : after + 1 + NEAR])
    figure = items[i].figure
    same = last.kind == CHANGE or last.amount is None or figure is None or figure.unit == last.amount.unit
    if timed and same:
        return clause.value(i, after, clause.measure, COMPARED, compared=True)
    return True


def inverted(clause: Clause, i: int, left: int, after: int) -> bool:
    """A verb before its subject: "Im dritten Quartal betrug der Umsatz", "lag der Umsatz bei"."""
    items, at = clause.items, left
    if at >= 0 and "particle" in items[at].senses:
        at -= 1
    first = at
    while first >= 0 and at - first < NEAR and "link" not in items[first].senses:
        if is_hard(items[first]) or items[first].time is not None:
            return False
        first -= 1
    if first < 0 or "link" not in items[first].senses or first >= at:
        return False
    of = clause.phrase(trimmed(items, first + 1, at + 1))
    return of is not None and of.known and clause.value(i, after, of, LINKED)


def beside(clause: Clause, i: int, left: int, after: int) -> bool:
    """Nothing between the measure and its figure: "operating margin 9.6%"."""
    if not clause.figure(i).unit or left < 0 or "measure" not in clause.items[left].senses:
        return False
    of = clause.before(left + 1)
    return of is not None and clause.value(i, after, of, AGAIN)


# -- rules by the words right of a figure, labels and lists ----------------------------------------


MOVED, RIGHT, DONE, COUNTED, LABELLED, LISTED = 0.9, 0.85, 0.6, 0.6, 0.85, 0.75
"""The confidence of each rule: "5% higher"; "5% of sales"; "returned 5 million to"; a count; "Label: 5"; one
more figure of the last measure."""

_AFTER = frozenset({"rise_after", "fall_after", "rise_noun", "fall_noun"})
_BEGINS = frozenset({"measure", "qualifier", "rise_noun"})
_MAY_BEGIN = frozenset({"act", "event", "rise", "role", "former", "no_name"})
_ASIDE = re.compile(r"[\[\]*_`#>]+")
_LINE = frozenset({"\n", ".", ";", "|", ":", "•", "`"})
_DURATIONS = frozenset(
    {"years", "months", "weeks", "days", "hours", "minutes", "jahre", "monate", "wochen", "tage"}
)
_REACH = 5


def higher(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "0.5 percentage points higher", "a 4% increase in revenue", "2.8% total sales growth"."""
    items = clause.items
    at = _direction(items, after)
    if at < 0:
        return False
    noun = bool(_NOUN & items[at].senses)
    of: Measure | None = None
    if noun and at + 1 < len(items) and items[at + 1].low in ("in", "of", "for", "bei"):
        of = clause.phrase(after_of(items, at + 2))
    if of is None and noun and at > after + 1:
        of = clause.phrase(trimmed(items, after + 1, at))
        of = of if of is not None and of.known else None
    if of is None and left >= 0:
        verb = left - 1 if left > 0 and "particle" in items[left].senses else left
        if {"link", "copula"} & items[verb].senses:
            of = clause.before(verb)
    of = of or clause.measure
    falls = bool({"fall_after", "fall_noun"} & items[at].senses)
    return of is not None and clause.change(i, after, of, at, MOVED, falls=falls)


def _direction(items: Sequence[Token], after: int) -> int:
    """The word right of a figure that gives the direction of its change, -1 if none does."""
    for at in range(after + 1, min(len(items), after + _REACH)):
        senses = items[at].senses
        if _AFTER & senses:
            return at
        if is_hard(items[at]) or {"time", "preposition", "and"} & senses:
            return -1
    return -1


def measured(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "$1.5 billion of free cash flow", "3,589 stores", "a $0.91 per share dividend"."""
    items, at, figure = clause.items, after + 1, clause.items[i].figure
    if at >= len(items) or figure is None:
        return False
    linked = "part_of" in items[at].senses and "from" not in items[at].senses
    if linked and figure.unit == "%" and items[at].low == "of":
        return _share(clause, i, left, at)
    where = after_of(items, at + 1 if linked else at)
    if where.first > at + 2 or (not linked and not _is_noun(items[at])):
        return False
    of = clause.phrase(where._replace(ours=True))
    if of is None or ((linked or figure.unit) and not of.known):
        return False
    act = _act(items, left)
    owned = clause.owned(of, i if act is None else left + 1)
    if act is not None:
        owned = owned._replace(words=f"{act.low} {owned.words}")
    if figure.unit or linked:
        return clause.value(i, after, owned, RIGHT)
    return _counted(clause, i, after, owned, act)


def _counted(clause: Clause, i: int, after: int, of: Measure, act: Token | None) -> bool:
    """A count: "3,589 stores"; not "5 ways", "ISO 8601 strings"."""
    items, figure = clause.items, clause.figure(i)
    named = i > 0 and items[i - 1].capital and i - 1 != clause.initial
    if named or after != i or (figure.value < 10 and act is None and not of.known):
        return False
    nouns = items[of.first : of.after]
    if _DURATIONS & {item.low for item in nouns}:
        return False
    many = (item for item in nouns if item.low.endswith("s") and not item.capital)
    plural = next((item.low for item in many if "verb" not in item.senses), "")
    unit = plural or head_of(items, of.first, of.after).low
    return clause.add(VALUE, of, clause.text_between(i, of.after - 1), i, COUNTED, Amount(figure.value, unit))


def _is_noun(item: Token) -> bool:
    """True if a word can begin the name of counted things."""
    senses = item.senses
    return item.low[:1].isalpha() and (bool(_BEGINS & senses) or senses <= _MAY_BEGIN)


def _share(clause: Clause, i: int, left: int, at: int) -> bool:
    """As in "or 9.5% of revenue": a value of the last measure, not of the measure that it is a share of."""
    if clause.measure is None or not clause.drafts or left - clause.last > 1:
        return False
    if "and" not in clause.items[left].senses:
        return False
    after = after_of(clause.items, at + 1).after - 1
    return clause.value(i, after, clause.measure, LISTED, compared=clause.drafts[-1].compared)


def _act(items: Sequence[Token], left: int) -> Token | None:
    """The verb of which an amount is the object: "repurchased", before item `left`."""
    at = left
    while at >= 0 and ({"determiner", "approximate"} & items[at].senses or "-" in items[at].low):
        at -= 1
    return items[at] if at >= 0 and "act" in items[at].senses else None


def done(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "returned $40 billion to shareholders", "invested $1.1 billion back into the business"."""
    items = clause.items
    if not clause.figure(i).unit:
        return False
    if left > 0 and items[left].low in ("for", "für"):
        return _paid(clause, i, left, after)
    act = _act(items, left)
    if act is None:
        return False
    end = after + 1
    while end < len(items) and end - after < NEAR and items[end].time is None:
        if "and" in items[end].senses or (is_hard(items[end]) and items[end].low != "through"):
            break
        end += 1
    if end > after + 1 and "preposition" not in items[after + 1].senses and items[after + 1].low != "back":
        return False
    while end > after + 1 and {"preposition", "determiner"} & items[end - 1].senses:
        end -= 1
    words = f"{act.low} {words_of(items, TokenRange(after + 1, end))}".strip()
    return clause.value(i, after, clause.owned(Measure("", words, True, left, left), left + 1), DONE)


def _paid(clause: Clause, i: int, left: int, after: int) -> bool:
    """The price of a purchase: "bought shares for $50 million"."""
    items, verb = clause.items, left - 1
    while verb > 0 and left - verb < NEAR and "act" not in items[verb].senses:
        if is_hard(items[verb]) or items[verb].figure is not None:
            return False
        verb -= 1
    words = words_of(items, trimmed(items, verb + 1, left))
    if verb < 0 or "act" not in items[verb].senses or not words:
        return False
    of = Measure("", f"{items[verb].low} {words}", True, verb, left)
    return clause.value(i, after, clause.owned(of, verb + 1), DONE)


def labelled(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "Passengers: 13,420", "Single ticket, adult: €4.60"."""
    items = clause.items
    if left < 1 or "colon" not in items[left].senses:
        return False
    first = left
    while first > 0 and left - first < WIDEST and items[first - 1].low not in _LINE:
        if items[first - 1].figure or items[first - 1].time:
            return False
        first -= 1
    where = trimmed(items, first, left)
    head = items[where.first : where.after]
    if any("verb" in item.senses for item in head):
        return False
    words = _ASIDE.sub("", clause.text_between(where.first, where.after - 1)).strip("-–• ")
    return bool(words) and clause.value(
        i, after, Measure("", words, True, where.first, where.after), LABELLED
    )


def listed(clause: Clause, i: int, left: int, after: int) -> bool:
    """One more figure of the last measure: "$1.6 billion or $3.48 per share"."""
    items = clause.items
    if clause.measure is None or not clause.drafts or left - clause.last > NEAR:
        return False
    if not ("and" in items[left].senses or items[left].low in (",", "for")):
        return False
    if any(is_hard(item) and item.low != "," for item in items[clause.last + 1 : left]):
        return False
    last = clause.drafts[-1]
    if last.at != clause.last:
        return False
    if last.kind == CHANGE:
        falls = last.amount is not None and last.amount.value < 0
        return clause.change(i, after, clause.measure, i, LISTED, falls=falls)
    return clause.value(i, after, clause.measure, LISTED, compared=last.compared)


# -- paired lists: "A and B were 3% and 4%, respectively" ------------------------------------------


MOST = 8
"""The most figures of a list."""

_BETWEEN = 4


def respectively(items: Sequence[Token], drafts: list[FactDraft]) -> list[FactDraft]:
    """The drafts, with the figures before each "respectively" assigned to their measures.

    If the measure of the list is two ("gross and operating margin"), each figure gets its own; else, where as
    many figures come just before ("15.3% in Q4 and 15.9% for the year, up 110 and 114 bps"), each
    gets the measure and the place (so the time) of its counterpart.
    """
    by_item = {finding.at: finding for finding in drafts}
    places = [finding.at for finding in drafts]
    for end, item in enumerate(items):
        if item.low != "respectively":
            continue
        listed = _run(items, end, by_item)
        if len(listed) < 2:
            continue
        first = bisect_left(places, listed[0])
        before = places[max(0, first - len(listed)) : first]
        joined = by_item[listed[0]].relation
        parts = joined.split(" and ")
        if len(parts) == len(listed):
            like = [at for at in before if by_item[at].relation == joined]
            for ats in (listed, like if len(like) == len(listed) else []):
                for at, part in zip(ats, _completed(parts), strict=bool(ats)):
                    by_item[at] = by_item[at]._replace(relation=part)
        elif len(before) == len(listed):
            for at, other in zip(listed, before, strict=True):
                owner, relation = by_item[other].owner, by_item[other].relation
                by_item[at] = by_item[at]._replace(owner=owner, relation=relation, at=other)
    return [by_item[finding.at] for finding in drafts]


def _run(items: Sequence[Token], end: int, by_item: dict[int, FactDraft]) -> list[int]:
    """The figures of the list that ends before item `end`, in order: those parted by little but "and"."""
    listed: list[int] = []
    at = last = end
    while at > 0 and last - at <= _BETWEEN and len(listed) < MOST:
        at -= 1
        if items[at].figure is not None:
            if at not in by_item:
                break
            listed.append(at)
            last = at
        elif items[at].low == "respectively" or (RISES & items[at].senses and items[at - 1].low == ","):
            break  # "31% and 12%, up 3% and 4%": the second list begins
    return listed[::-1]


def _completed(parts: list[str]) -> list[str]:
    """Parts without a noun get that of the last one: "gross", "operating margin" become "gross margin",
    "operating margin"."""
    head = parts[-1].split()[-1]
    return [part if len(part.split()) > 1 or part.lower() in _WHOLE else f"{part} {head}" for part in parts]


_WHOLE = frozenset(
    """revenue revenues sales income earnings profit ebitda ebit eps margin debt cash costs expenses capex
    umsatz gewinn verlust kosten""".split()  # noqa: SIM905
)


# -- figures of a sentence -------------------------------------------------------------------------


RULES = (
    higher, linked, changed, compared, of_what,
    to_what, measured, done, labelled,
    listed, inverted, beside,
)  # fmt: skip

_LEADS = frozenset({"former", "time", "range_word"})


def values_in(items: Sequence[Token], text: str, initial: int = 0) -> list[FactDraft]:
    """The values and changes that a sentence states, in order of place; it begins with item `initial`."""
    clause = Clause(items, text, initial)
    i = 0
    while i < len(items):
        clause.pass_over(i)
        if items[i].figure is not None:
            i = _figure(clause, i)
        i += 1
    if any(item.low == "respectively" for item in items):
        return respectively(items, clause.drafts)
    return clause.drafts


def _figure(clause: Clause, i: int) -> int:
    """Read the figure at i; the last item that was used."""
    items, left = clause.items, i - 1
    while left >= 0 and "approximate" in items[left].senses:
        left -= 1
    left = _level(items, left)
    after = _range(items, i, left)
    if any("negation" in item.senses for item in items[max(0, left - 2) : i]):
        return after
    for rule in RULES:
        if rule(clause, i, left, after):
            clause.last = i
            break
    return after


def _level(items: Sequence[Token], left: int) -> int:
    """The item before "a record of", "the range of", where these stand at `left`; else `left`."""
    if left < 2 or "of" not in items[left].senses or "range_word" not in items[left - 1].senses:
        return left
    at = left - 2
    while at > 0 and _LEADS & items[at].senses:
        at -= 1
    return at - 1 if items[at].low in ("a", "an", "the") else left


def _range(items: Sequence[Token], i: int, left: int) -> int:
    """The last item of the range that begins at i ("5% to 7%", "between 5 and 7"), else i."""
    if i + 2 >= len(items):
        return i
    link, lower, upper = items[i + 1], items[i].figure, items[i + 2].figure
    if lower is None or upper is None or (left >= 0 and "from" in items[left].senses):
        return i
    between = "and" in link.senses and i > 0 and items[i - 1].low in ("between", "zwischen")
    if not (between or "to" in link.senses or link.low in ("-", "–", "—")):
        return i
    return i + 2 if not lower.unit or lower.unit == upper.unit else i
