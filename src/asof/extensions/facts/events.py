"""Events (EVENT): verbs of change and of being between names and noun phrases, and offices.

An office stands beside a name: "the mayor, Ole Brandt", "Ole Brandt, mayor", "Mayor: Ole Brandt".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asof.extensions.facts.words import (
    FactDraft,
    Token,
    TokenRange,
    is_name,
    name_before,
    past_time,
    trimmed,
    words_of,
)
from asof.values import EVENT

# -- offices beside names --------------------------------------------------------------------------


BESIDE, LABELLED, SPEAKING = 0.75, 0.6, 0.9
"""The confidence of each rule: an apposition; "Treasurer: X"; the head of a speech."""

_WIDEST = 12
_LABEL = 4
_STOPS = frozenset({"mark", "time", "figure", "bound", "verb", "stop"})
_OPENS = frozenset({"mark", "time", "figure", "verb", "stop", "own", "colon"})
_LINE = frozenset({"\n", ".", ";", "|", ":", "•", "!", "?", "`"})
_SMALL = frozenset({"role", "former", "determiner", "preposition", "and", "qualifier"})


def beside(items: Sequence[Token], i: int, be: str) -> FactDraft | None:
    """A name and an office, in either order, that the comma at i separates."""
    after = i + 1
    while after < len(items) and after - i < _WIDEST and not _ends_office(items, after):
        after += 1
    closed = after >= len(items) or "mark" in items[after].senses or "and" in items[after].senses
    where = trimmed(items, i + 1, after)
    phrase = items[where.first : where.after]
    if not phrase or not closed:
        return None
    first = name_before(items, i)
    if i - first >= 2:
        if not _has_role(phrase) or _has_role(items[first:i]) or is_office(items[first:i]):
            return None
        return FactDraft(EVENT, words_of(items, TokenRange(first, i)), be, words_of(items, where), i, BESIDE)
    if len(phrase) < 2 or not all(is_name(item) for item in phrase) or _has_role(phrase):
        return None
    office = _office(items, i)
    if office is None:
        return None
    return FactDraft(EVENT, words_of(items, where), be, words_of(items, office), i, BESIDE)


def _ends_office(items: Sequence[Token], at: int) -> bool:
    """True if an apposition does not go over item `at`; it does over "and" before another office."""
    if "and" in items[at].senses:
        following = items[at + 1 : at + _LABEL + 1]
        return not _has_role(following) or any(_STOPS & item.senses for item in following[:1])
    return not _STOPS.isdisjoint(items[at].senses)


def _has_role(phrase: Sequence[Token]) -> bool:
    return any("role" in item.senses for item in phrase)


def is_office(name: Sequence[Token]) -> bool:
    """True if a seeming name is an office: "Executive Vice President"; not "Ann Baker"."""
    ranks = {"role", "rank", "former"}
    return len(name) > 1 and all(ranks & item.senses for item in name)


def _office(items: Sequence[Token], end: int) -> TokenRange | None:
    """The phrase with a word for an office that ends before item `end`, from its article on."""
    for at in range(end - 1, max(-1, end - _WIDEST), -1):
        senses = items[at].senses
        if _OPENS & senses and "determiner" not in senses:
            return None
        if "determiner" in senses or ("preposition" in senses and items[at].low not in ("of", "von")):
            where = trimmed(items, at, end)
            if _has_role(items[where.first : where.after]):
                return where
    return None


def speaker(items: Sequence[Token], i: int, be: str) -> FactDraft | None:
    """A name on a line, dashes on the next, an office on the one after: the line break at i ends the name."""
    dashes = items[i + 1 : i + 4]
    if len(dashes) < 3 or dashes[2].low != "\n" or {dashes[0].low, dashes[1].low} - {"-", "–", "—"}:
        return None
    first, after = name_before(items, i), i + 4
    while after < len(items) and after - i < _WIDEST + 4 and items[after].low != "\n":
        after += 1
    if i - first < 2 or (first > 0 and items[first - 1].low != "\n") or not _has_role(items[i + 4 : after]):
        return None
    office = " ".join(item.text for item in items[i + 4 : after]).replace(" ,", ",")
    return FactDraft(EVENT, words_of(items, TokenRange(first, i)), be, office, i, SPEAKING)


def labelled(items: Sequence[Token], i: int) -> FactDraft | None:
    """As in "Treasurer: Lambert Roake": the label before the colon at i is the relation."""
    first = i
    while first > 0 and i - first <= _LABEL and items[first - 1].low not in _LINE:
        senses = items[first - 1].senses
        if (
            items[first - 1].figure
            or {"verb", "pronoun", "own", "time"} & senses
            or items[first - 1].low == "i"
        ):
            return None
        first -= 1
    label = trimmed(items, first, i)
    while label.first < label.after and items[label.first].low in ("-", "–", "+"):
        label = trimmed(items, label.first + 1, label.after)
    after = i + 1
    while after < len(items) and after - i < _WIDEST and items[after].low not in _LINE:
        after += 1
    where = trimmed(items, i + 1, after)
    phrase, label_tokens = items[where.first : where.after], items[label.first : label.after]
    if not label_tokens or not phrase or len(label_tokens) > _LABEL or not label_tokens[0].text[:1].isupper():
        return None
    if any("mark" in item.senses for item in label_tokens) or not any(is_name(item) for item in phrase):
        return None
    if not all(item.text[:1].isupper() or _SMALL & item.senses or item.low in (",", "&") for item in phrase):
        return None
    if phrase[-1].low == "," or (after < len(items) and items[after].low in ("`", ":", "|")):
        return None
    return FactDraft(EVENT, "", words_of(items, label), words_of(items, where), i, LABELLED)


# -- events ----------------------------------------------------------------------------------------


NAMED, OURS, PHRASE, BEING, IN_OFFICE = 0.8, 0.7, 0.6, 0.6, 0.75
"""The confidence of each rule: a name before a verb; "we" before it; another phrase before it; "X is Y"; the
same where Y is an office."""
ALONE = 0.8
"""The factor for a verb without an object ("Mara Quill resigned")."""
WIDEST = 12
"""The most words of the object of a verb."""

_PHRASE = 6
_BOUND = frozenset({"mark", "time", "bound", "stop", "own", "pronoun", "figure", "verb", "and"})
_ENDS = frozenset({"mark", "time", "figure"})
_GOES_ON = frozenset({"bound", "own", "verb"})
_NO_OBJECT = frozenset({"figure", "pronoun", "own"})
_GROUP = frozenset({"auxiliary", "passive", "be"})
_MODAL = frozenset("would could should may might can könnte sollte würde".split())  # noqa: SIM905
_ARTICLE = frozenset("a an the ein eine der die das".split())  # noqa: SIM905
_NAMING = ("appoint", "elect", "nam", "ernann", "wähl")
_LEADS_ON = frozenset("as to with from into als zum zur zu mit".split())  # noqa: SIM905
_ALONE = frozenset("resigned resigns died retired closed reopened sank merged starb".split())  # noqa: SIM905

__all__ = ["BESIDE", "Events"]


@dataclass(slots=True)
class Events:
    """The reader of one sentence. `be` is its language's word for "is", `initial` the item it begins with."""

    items: Sequence[Token]
    be: str
    initial: int = 0

    def read(self) -> list[FactDraft]:
        """All events, in order of place."""
        drafts: list[FactDraft] = []
        for i, item in enumerate(self.items):
            senses = item.senses
            draft: FactDraft | None = None
            if "event" in senses:
                draft = self._done(i) or self._last(i)
            after_be = i > 0 and "be" in self.items[i - 1].senses
            if draft is None and (
                "be" in senses or self._will_be(i) or ("called" in senses and not after_be)
            ):
                draft = self._being(i)
            elif "comma" in senses:
                draft = beside(self.items, i, self.be)
            elif "break" in senses:
                draft = speaker(self.items, i, self.be)
            elif "colon" in senses:
                draft = labelled(self.items, i)
            if draft is not None:
                drafts += self._parted(draft)
        return drafts

    def _will_be(self, i: int) -> bool:
        return i > 0 and "future" in self.items[i].senses and self.items[i - 1].low == "will"

    def _parted(self, one: FactDraft) -> list[FactDraft]:
        """An appointment as two facts: "appointed Mara Quill harbour master" has the person and the
        office."""
        items, verb = self.items, self.items[one.at]
        name = after = one.at + 1
        while after < len(items) and is_name(items[after]):
            after += 1
        if not verb.low.startswith(_NAMING) or after - name < 2 or one.relation.lower() != verb.low:
            return [one]
        where = trimmed(items, after, self._end(after))
        if not _has_role(items[where.first : where.after]):
            return [one]
        whom, role = words_of(items, TokenRange(name, after)), words_of(items, where)
        return [one._replace(object=whom), one._replace(owner=whom, object=role)]

    def _last(self, i: int) -> FactDraft | None:
        """A verb that comes last: "Mara Quill wurde zur Hafenmeisterin ernannt"."""
        items = self.items
        if i + 1 < len(items) and "mark" not in items[i + 1].senses:
            return None
        for at in range(i - 1, max(0, i - WIDEST), -1):
            if "mark" in items[at].senses:
                return None
            if _GROUP & items[at].senses:
                subject, sure = self._subject(at)
                if sure == 0.0:
                    return None
                where = trimmed(items, at + 1, i)
                words = [item.text for item in items[where.first : where.after] if item.time is None]
                return FactDraft(
                    EVENT, subject, f"{items[at].text} {items[i].text}", " ".join(words), i, sure
                )
        return None

    def _done(self, i: int) -> FactDraft | None:
        """A verb of change with the phrases on either side of it."""
        items = self.items
        first = i
        while first > 0 and i - first < 4 and (
            _GROUP & items[first - 1].senses or items[first - 1].low.endswith("ly")
        ):  # fmt: skip
            first -= 1
        group = items[max(0, first - 1) : i]
        will = any(item.low == "will" for item in group)
        if any(
            ({"negation", "expect"} & item.senses and item.low != "will") or item.low in _MODAL
            for item in group
        ):
            return None
        subject, sure = self._subject(first)
        if will and sure < NAMED:
            return None
        if sure == 0.0 or (sure == PHRASE and items[i].low.endswith("s")):  # "our recent wins"
            return None
        passive = i > 0 and "passive" in items[i - 1].senses
        last, where = self._what(i, passive=passive)
        verb = words_of(items, TokenRange(first, last + 1))
        if where is not None:
            return FactDraft(EVENT, subject, verb, words_of(items, where), i, sure, expected=will)
        if passive or (sure >= NAMED and items[i].low in _ALONE):
            return FactDraft(EVENT, subject, verb, "", i, round(sure * ALONE, 3), expected=will)
        return None

    def _what(self, i: int, *, passive: bool) -> tuple[int, TokenRange | None]:
        """The last word of the verb ("moved to"), and its object if it has one."""
        items, last = self.items, i
        if i + 1 < len(items) and "preposition" in items[i + 1].senses:
            leads_on = items[i + 1].low in _LEADS_ON and not items[i].low.startswith(("elect", "announc"))
            timed = past_time(items, i + 1) > i + 1
            if not (leads_on or passive or timed):
                return i, None
            last = i if timed else i + 1
        start = past_time(items, last + 1)
        where = trimmed(items, start, self._end(start))
        if where.first >= where.after or not _NO_OBJECT.isdisjoint(items[where.first].senses):
            return i, None
        return last, where

    def _subject(self, end: int) -> tuple[str, float]:
        """The subject before item `end` ("": the document's entity), and how sure it is (0.0: none)."""
        items = self.items
        at = self._past_aside(end)
        if at <= 0:
            return "", 0.0
        last = items[at - 1]
        of_us = "itself" in last.senses and at > 1 and "determiner" in items[at - 2].senses
        if "own" in last.senses or of_us:
            return "", OURS
        first = name_before(items, at)
        if first < at:
            if first > 0 and self._is_attribute(first):
                return self._phrase(at)
            if at - first == 1 and first == self.initial and items[first].senses:
                return "", 0.0
            if is_office(items[first:at]):
                return self._phrase(at)
            return words_of(items, TokenRange(first, at)), NAMED
        return self._phrase(at)

    def _is_attribute(self, first: int) -> bool:
        """True if the name that begins with item `first` is only an attribute: "the chair of Garrow"."""
        before = self.items[first - 1].senses
        if "preposition" in before:
            return True
        return "determiner" in before and first > 1 and self.items[first - 2].capital

    def _past_aside(self, end: int) -> int:
        """`end` before a time, or before an apposition: "Jane Doe, the mayor, resigned"."""
        items, at = self.items, end
        if at > 0 and "comma" in items[at - 1].senses:
            opened = at - 2
            while opened > 0 and at - opened < WIDEST and "mark" not in items[opened].senses:
                opened -= 1
            if opened <= 0 or "comma" not in items[opened].senses:
                return 0
            at = at - 1 if name_before(items, at - 1) == opened + 1 else opened
        elif at > 2 and "close" in items[at - 1].senses and "open" in items[at - 3].senses:
            at -= 3
        return at - 1 if at > 0 and "time" in items[at - 1].senses else at

    def _phrase(self, end: int) -> tuple[str, float]:
        """The noun phrase with an article that ends before item `end`."""
        items, first = self.items, end
        while first > 0 and end - first < _PHRASE and _BOUND.isdisjoint(items[first - 1].senses):
            first -= 1
        if first == end:
            return "", 0.0
        where = trimmed(items, first, end)
        if "determiner" not in items[first].senses and "role" not in items[where.first].senses:
            return "", 0.0
        if where.first >= where.after or "weak" in items[where.after - 1].senses:
            return "", 0.0
        return words_of(items, where), PHRASE

    def _end(self, start: int) -> int:
        """The end of the object that begins with item `start`."""
        items, after = self.items, start
        while after < len(items) and after - start < WIDEST:
            senses = items[after].senses
            if _ENDS & senses or (after > start and _GOES_ON & senses):
                break
            after += 1
        return after

    def _being(self, i: int) -> FactDraft | None:
        """As in "Mara Quill is harbour master", "the harbour master is Mara Quill", "is called"."""
        items = self.items
        first = i
        while first > 0 and i - first < 2 and "auxiliary" in items[first - 1].senses:
            first -= 1
        subject, sure = self._subject(first)
        begins = past_time(items, i + 1)
        after = self._end(begins)
        if (
            sure in (0.0, OURS)
            or begins >= after
            or any("event" in item.senses for item in items[begins:after])
        ):
            return None
        last = i
        if "called" in items[i + 1].senses and i + 2 < after:
            last, begins = i + 1, i + 2
        begin = items[begins]
        where = trimmed(items, begins, after)
        if where.first >= where.after or "negation" in begin.senses:
            return None
        phrase = items[where.first : where.after]
        role = _has_role(phrase)
        named = is_name(phrase[0])
        if sure == PHRASE and (role or not named or len(phrase) < 2):
            return None
        to_come = self._will_be(i) or items[i].low == "wird"
        if not role and (to_come or not (named or begin.low in _ARTICLE)):
            return None
        verb = words_of(items, TokenRange(first, last + 1))
        return FactDraft(
            EVENT, subject, verb, words_of(items, where), i, IN_OFFICE if role else BEING, expected=to_come
        )
