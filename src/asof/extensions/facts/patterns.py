"""The patterns of sentences that state facts: values of measures, changes, deeds, offices, names.

Patterns are regular expressions over the tags of `tokens.py`. A figure is read by the words left of it
("revenue was", "margin of", "rose"), then by those right of it ("of free cash flow", "higher"), else as one
more figure of the last measure. A deed is a verb between two phrases, an office a word for one beside a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from asof.extensions.facts.store import CHANGE, EVENT, NAME, VALUE, Amount
from asof.extensions.facts.tokens import COMPARATIVES, Token, trimmed, words_of
from asof.lang import of_all
from asof.text.figures import Figure

# -- drafts ----------------------------------------------------------------------------------------


class FactDraft(NamedTuple):
    """A draft of a fact. `owner` is its subject, "" for the document's own entity. `at` is the token of the
    sentence that it was read from (its time is the nearest). `compared`: the draft before it is compared with
    it, so it is of an earlier time. `expected`: it is about the future."""

    kind: str
    owner: str
    relation: str
    object: str
    at: int
    confidence: float
    amount: Amount | None = None
    compared: bool = False
    expected: bool = False


class Measure(NamedTuple):
    """What a figure is of, and whose it is ("": the document's own entity's). `known`: a word of it is known
    for a measure."""

    owner: str
    words: str
    known: bool


class Subject(NamedTuple):
    """Who does something ("": the document's own entity), how surely, and where the verb group begins."""

    words: str
    sure: float
    after: int


REACH = 30
"""How far left of a figure or a verb patterns look, in tokens: sentences are read in linear time."""

_PHRASE = r"(?<![NMnRg])(?P<phrase>(?>[NMnRg](?:[NMnRg]|[o&][dx]?(?=[NMnRg])){0,14}))"
_ASIDE = r"(?>(?:i?d?n{0,2}o?T|,[^,/.]{1,9},|\([^()/]{1,9}\)){0,2})"


# -- figures ---------------------------------------------------------------------------------------


LINKED, OF, CHANGED, MEASURED, COUNTED, DONE, LABELLED, AGAIN = 0.95, 0.9, 0.9, 0.85, 0.6, 0.6, 0.85, 0.75
"""The confidence of each pattern: a verb links measure and figure; "margin of 5%"; "rose 5%"; "5% of sales";
"5 stores"; "returned 5 million to"; "Label: 5"; one more figure of the last measure."""

UNKNOWN, FORECAST = 0.75, 0.9
"""The factors where no word of the measure is known for one, and where the value is expected."""

_LINKED = re.compile(rf"{_PHRASE}{_ASIDE}[xe!]*(?:[bl]|e(?=i?[bx]))[bxeli]*$")
_INVERTED = re.compile(rf"[bl]d?{_PHRASE}i?x*$")
_MOVED = re.compile(rf"(?:{_PHRASE}{_ASIDE}[bxe]*)?(?P<move>[rf])[xn]?(?P<by>i?)d?x*$")
_MOVED_IT = re.compile(rf"(?P<move>[rf])d?{_PHRASE}(?P<by>i)x*$")
_MOVED_LAST = re.compile(r"[^/.,;#]{0,6}#?[^/.,;#]{0,4}?(?P<move>[rf])(?=[/.,;]|$)")
_MOVE_OF = re.compile(rf"(?P<move>[rfg])(?:id?{_PHRASE})?ox*$")
_OF = re.compile(rf"{_PHRASE}ox*$")
_BESIDE = re.compile(r"(?P<phrase>[nNM]{0,6}M)$")
_LABEL = re.compile(r"(?:^|[/.])(?P<phrase>[^/.:#Tyvb]{1,14}):x*$")
_AGAIN = re.compile(r"(?:[&,]|#(?=i))[dxi]*$")
_COMPARED = re.compile(r"c[icdx]*$")
_HIGHER = re.compile(r"[xd]?(?P<phrase>[NMng]{0,4}?)(?P<move>[rfg])(?:[io]d?(?P<of>[NMnRg][NMnRgo]{0,8}))?")
_RIGHT = re.compile(r"(?P<of>[oi]?)d?(?P<phrase>[NMnRg](?:[NMnRgo]|&(?=[nMg]{1,4}M)){0,9})")
_DONE = re.compile(r"(?P<verb>v)(?P<phrase>d?[NMnRg]{0,6})i?d?x*$")
_BASIS = re.compile(r",?[ic][id]?d?T")
_ACT = re.compile(r"vd?x*$")
_TOPIC = re.compile(rf"[^/.,#Tybl]{{0,4}}?{_PHRASE}(?=[xe]*[ybl])")
_OWNED_BY = re.compile(rf"{_PHRASE}{_ASIDE}[xbeyl]*$")
_UNIT_AFTER = re.compile(r"[nM](?=[/.,;()i&T]|$)")
_ATTRIBUTED = re.compile(r"(?<=.)od?(N+)$")
_NOUNS_OF_MOVE = frozenset({"rise_noun", "fall_noun", "rise_after", "fall_after"})
_MARKUP = re.compile(r"[\[\]*_`#>]+")
_WIDER = re.compile(r"[NMng]{1,6}(?P<by>i)d?$")
_DURATIONS, _WITH, _PART, _TO, _OTHERS = (
    of_all("states", key) for key in ("duration", "with", "part", "to", "person")
)
_SUBJECT = rf"(?:(?P<determiner>d?){_PHRASE}(?P<aside>{_ASIDE})|(?P<own>w))"
_OWNER = re.compile(rf"(?:{_SUBJECT}|(?P<other>p))[xe!]*[yvbrf][xbyve!n]{{0,6}}i?d?$")


@dataclass(slots=True)
class TaggedSentence:
    """A sentence being read. `measure` is the last measure, `last` the last figure that was read (-1: none);
    `person` is who "her" and "him" mean, "" if that is not known."""

    items: Sequence[Token]
    text: str
    be: str
    person: str = ""
    tags: str = ""
    drafts: list[FactDraft] = field(default_factory=list)
    measure: Measure | None = None
    last: int = -1

    def read(self) -> list[FactDraft]:
        """All drafts, in order of place."""
        self.tags = "".join(item.tag for item in self.items)
        question = any(item.low == "?" for item in self.items[-3:])
        if not question:
            lists = any(item.low == "respectively" for item in self.items)  # which of whom is not read
            at = -1 if lists else self.tags.find("#")
            while at >= 0:
                at = self.tags.find("#", self._figure(at) + 1)
            self.drafts += self._deeds()
            self.drafts += self._offices()
        self.drafts += self._names()
        return sorted(self.drafts, key=lambda draft: draft.at)

    def _figure(self, i: int) -> int:
        """Read the figure at i; the last token that was used."""
        after = self._range(i)
        if "!" in self.tags[max(0, i - 3) : i]:
            return after
        if self.items[after + 1 : after + 2] and not self.items[after + 1].senses.isdisjoint(COMPARATIVES):
            if self._higher(i, after):  # else it is a difference of what is not known
                self.last = i
            return after
        for rule in (
            self._higher, self._moved, self._linked, self._compared, self._move_of,
            self._of_label, self._right, self._done, self._again, self._inverted,
        ):  # fmt: skip
            if rule(i, after):
                self.last = i
                break
        return after

    def _range(self, i: int) -> int:
        """The last token of the range that begins at i ("5% to 7%", "between 5 and 7"), else i."""
        if self.tags[i + 2 : i + 3] != "#" or (i and self.items[i - 1].low in ("from", "von")):
            return i
        between = i > 0 and self.items[i - 1].low in ("between", "zwischen")
        link = self.items[i + 1].low
        if not (link in ("to", "bis", "-", "–", "—") or (between and self.tags[i + 1] == "&")):
            return i
        lower, upper = self._amount(i), self._amount(i + 2)
        return i + 2 if not lower.unit or lower.unit == upper.unit else i

    def _amount(self, i: int) -> Figure:
        figure = self.items[i].figure
        assert figure is not None  # noqa: S101  the tag says so
        return figure

    def _left(self, pattern: re.Pattern[str], i: int) -> re.Match[str] | None:
        """The match of a pattern that ends before token i."""
        return pattern.search(self.tags, max(0, i - REACH), i)

    # each pattern returns whether it has read the figure at i, the last token of which is `after`

    def _moved(self, i: int, after: int) -> bool:
        """As in "increased 4%", "grew by", "rose to"; "cut the fare by"; "ist um 5 % gestiegen"."""
        match = self._left(_MOVED_IT, i)
        owned = match is not None
        match = match or self._left(_MOVED, i)
        if match is None:
            by_it = i > 0 and self.items[i - 1].low in ("by", "um")
            match = _MOVED_LAST.match(self.tags, after + 1) if by_it else None
            of = self._phrase(self._left(_OWNED_BY, i - 1)) or self.measure
            return match is not None and of is not None and self._change(i, after, of, match, i)
        by = self.items[match.start("by")].low if match["by"] else ""
        of = self._phrase(match) or self.measure or self._phrase(_TOPIC.match(self.tags))
        if of is None or by in ("from", "von"):
            self.measure = of or self.measure
            return of is not None
        of = self._owned(of, match.start() + 1) if owned else of
        if by in _TO:
            return self._value(i, after, of, LINKED)
        return by in ("", "by", "um") and self._change(i, after, of, match)

    def _linked(self, i: int, after: int) -> bool:
        """As in "revenue was", "came in at", "is projected at"."""
        match = self._left(_LINKED, i)
        if match is None or ("l" in match[0] and self.tags[after + 1 : after + 2] == "M"):
            return False  # "ran at 94% utilization"
        of = self._phrase(match)
        return of is not None and self._value(i, after, of, LINKED)

    def _inverted(self, i: int, after: int) -> bool:
        """A verb before its subject: "lag der Umsatz bei"; nothing between: "operating margin 9.6%"."""
        beside = self._left(_BESIDE, i) if self._amount(i).unit else None
        of = self._phrase(self._left(_INVERTED, i) or beside)
        return of is not None and of.known and self._value(i, after, of, AGAIN)

    def _move_of(self, i: int, after: int) -> bool:
        """As in "an increase of", "an increase in rent of", "gross margin of"."""
        match = self._left(_MOVE_OF, i)
        if match is not None and not self.items[match.start("move")].senses.isdisjoint(_NOUNS_OF_MOVE):
            of = (
                self._phrase(match, wide=False)
                or self._phrase(self._left(_BESIDE, match.start()))
                or self.measure
            )
            return of is not None and self._change(i, after, of, match)
        match = self._left(_OF, i)
        of = self._phrase(match)
        if match is None or of is None:
            return False
        return self._value(i, after, self._owned(of, match.start()), OF)

    def _of_label(self, i: int, after: int) -> bool:
        """As in "Passengers: 13,420", "Single ticket, adult: €4.60"."""
        match = self._left(_LABEL, i)
        if match is None:
            return False
        first, end = trimmed(self.items, *match.span("phrase"))
        words = _MARKUP.sub("", self._text(first, end - 1)).strip("-–• ") if first < end else ""
        return bool(words) and self._value(i, after, Measure("", words, True), LABELLED)

    def _compared(self, i: int, after: int) -> bool:
        """What the last figure is compared with: "compared to 29%"."""
        compared = self._left(_COMPARED, i) or (i and self.items[i - 1].low in ("from", "von"))
        if self.measure is None or not compared or not self.drafts:
            return False
        units = {draft.amount.unit for draft in self.drafts if draft.amount}
        same = self._amount(i).unit in units and i - self.last < 12
        return same and self._value(i, after, self.measure, AGAIN, compared=True)

    def _higher(self, i: int, after: int) -> bool:
        """As in "0.5 percentage points higher", "a 4% increase in revenue", "26% total revenue growth"."""
        match = _HIGHER.match(self.tags, after + 1)
        if match is None or not self._amount(i).unit:
            return False
        moves = self.items[match.start("move")]
        if match["move"] != "g" and moves.senses.isdisjoint(_NOUNS_OF_MOVE):
            return False
        of = self._phrase(match, "of", wide=False) or self._phrase(match)
        of = of or self._phrase(self._left(_LINKED, i) or self._left(_OWNED_BY, i)) or self.measure
        return of is not None and self._change(i, after, of, match)

    def _right(self, i: int, after: int) -> bool:
        """As in "$1.5 billion of free cash flow", "3,589 stores", "a $0.91 per share dividend"; not the
        name of the next row in a table without lines ("Income 90 80 Reserves 40 30")."""
        match, figure = _RIGHT.match(self.tags, after + 1), self._amount(i)
        if (
            match is not None
            and not match["of"]
            and "#" in (self.tags[i - 1 : i], self.tags[match.end() :][:1])
        ):
            return False
        if match is None or (match["of"] == "i" and self.items[after + 1].low not in _PART):
            return False
        if match["of"] and figure.unit == "%":  # a share: of the last measure
            last = self.measure if self._left(_AGAIN, i) and self.last >= 0 else None
            return last is not None and self._value(i, match.end() - 1, last, AGAIN)
        of = self._phrase(match)
        if of is None or ((match["of"] or figure.unit) and not of.known):
            return False
        act = self._left(_ACT, i)
        of = self._owned(of, i)
        if act is not None:
            of = of._replace(words=f"{self.items[act.start()].low} {of.words}")
        if figure.unit or match["of"]:
            return self._value(i, after, of, MEASURED)
        return self._counted(i, after, match, of, done=act is not None)

    def _counted(self, i: int, after: int, match: re.Match[str], of: Measure, *, done: bool) -> bool:
        """A count: "3,589 stores"; not "5 ways", "RFC 8601 strings", "3 years"."""
        nouns, value = self.items[match.start("phrase") : match.end()], self._amount(i).value
        if after != i or (i and self.items[i - 1].tag == "N") or (value < 10 and not (done or of.known)):
            return False
        if any(item.low in _DURATIONS for item in nouns):
            return False
        plurals = [item.low for item in nouns if item.low.endswith("s") and item.tag != "N"]
        amount = Amount(value, next(iter(plurals), nouns[-1].low))
        return self._add(VALUE, of, self._text(i, match.end() - 1), i, COUNTED, amount)

    def _done(self, i: int, after: int) -> bool:
        """As in "returned $40 billion to shareholders", "bought shares for $50 million"."""
        match = self._left(_DONE, i)
        if match is None or not self._amount(i).unit:
            return False
        verb = self.items[match.start()].low
        after_it = _RIGHT.match(self.tags, after + 1)
        words = words_of(self.items, *match.span("phrase"))
        if not words and after_it is not None and after_it["of"]:
            words = words_of(self.items, *after_it.span())
            words = f"{self.items[after + 1].low} {words}"
        of = Measure("", f"{verb} {words}".strip(), True)
        return self._value(i, after, self._owned(of, match.start() + 1), DONE)

    def _again(self, i: int, after: int) -> bool:
        """One more figure of the last measure: "$1.6 billion or $3.48 per share"."""
        match = self._left(_AGAIN, i)
        if self.measure is None or self.last < 0 or i - self.last > 8 or match is None:
            return False
        to = self.items[i - 1].low in _TO
        if to or match[0].startswith("#") or not self.drafts:
            return to and self._value(i, after, self.measure, LINKED)
        last = self.drafts[-1]
        if last.kind == CHANGE:
            falls = last.amount is not None and last.amount.value < 0
            return self._add_change(i, after, self.measure, i, falls=falls, sure=AGAIN)
        return self._value(i, after, self.measure, AGAIN, compared=last.compared)

    # phrases and drafts

    def _phrase(
        self, match: re.Match[str] | None, group: str = "phrase", *, wide: bool = True
    ) -> Measure | None:
        """The measure that the group of a match names; None if it names none (a pronoun, a name).

        `wide`: with what stands before it and a preposition: "mooring for visitors".
        """
        if match is None or not match[group]:
            return None
        first, after = match.span(group)
        wider = _WIDER.search(self.tags, max(0, first - 9), first) if wide else None
        if wider and self.items[wider.start("by")].low in _WITH:
            first = wider.start()
        first, after = trimmed(self.items, first, after)
        owner = ""
        for at in range(first, after - 1):
            if self.items[at].low.endswith(("'s", "s'")):
                owner, first = words_of(self.items, first, at + 1), at + 1
        if not owner and self.tags[max(0, first - 1) : first] not in ("d", "#"):
            owner, first, after = self._named(first, after)
        first, after = trimmed(self.items, first, after)
        tags = self.tags[first:after]
        article = self.tags[max(0, first - 1) : first] == "d"
        if not tags or "weak" in self.items[after - 1].senses or not (article or tags.strip("N")):
            return None
        known = "M" in tags or "g" in tags
        return Measure(_bare(owner), words_of(self.items, first, after), known)

    def _named(self, first: int, after: int) -> tuple[str, int, int]:
        """The name that leads a phrase, or that it is attributed to, and the phrase without it."""
        tags = self.tags[first:after]
        match = _ATTRIBUTED.search(tags)
        if match is not None and "M" in tags[: match.start()]:
            return words_of(self.items, first + match.start(1), after), first, first + match.start()
        lead = len(tags) - len(tags.lstrip("N"))
        if lead and tags[lead:] and tags[lead] not in "o&" and not (lead == 1 and self._begins(first)):
            return words_of(self.items, first, first + lead), first + lead, after
        return "", first, after

    def _begins(self, at: int) -> bool:
        """True if a token is the first word of the sentence: its capital letter says nothing."""
        return not any(item.text[:1].isalpha() for item in self.items[:at])

    def _owned(self, of: Measure, first: int) -> Measure:
        """The measure with the subject of the verb before token `first` as its owner: "the ship carries"."""
        match = None if of.owner else self._left(_OWNER, first)
        if match is None or match["own"]:
            return of
        if match["other"]:
            return of._replace(known=of.known and self.items[match.start()].low not in _OTHERS)
        subject = self._subject_of(match)
        return of if subject is None else of._replace(owner=subject.words)

    def _value(self, i: int, after: int, of: Measure, sure: float, *, compared: bool = False) -> bool:
        """A VALUE: the figure at i, or the range from there to token `after`."""
        figure, end = self._amount(i), after
        unit = figure.unit
        if after == i and not unit and _UNIT_AFTER.match(self.tags, i + 1):
            unit, end = self.items[i + 1].low, i + 1
        less = i > 0 and self.items[i - 1].low in ("negative", "minus")
        amount = Amount(-figure.value if less else figure.value, unit) if after == i else None
        return self._add(VALUE, of, self._text(i - less, end), i, sure, amount, compared=compared)

    def _change(
        self, i: int, after: int, of: Measure, match: re.Match[str], word: int | None = None
    ) -> bool:  # fmt: skip
        """A CHANGE in the direction of the word that a pattern found."""
        move = match.start("move")
        falls = not self.items[move].senses.isdisjoint({"fall", "fall_noun", "fall_after"})
        return self._add_change(i, after, of, move if word is None else word, falls=falls, sure=CHANGED)

    def _add_change(self, i: int, after: int, of: Measure, word: int, *, falls: bool, sure: float) -> bool:
        """A CHANGE: the figure at i (to `after`) and the word for its direction, before or after it."""
        figure, begin, end = self._amount(i), min(word, i), max(word, after)
        basis = end
        if end + 1 < len(self.items) and "basis" in self.items[end + 1].senses:
            basis = end + 1
        elif match := _BASIS.match(self.tags, end + 1):
            basis = match.end() - 1
        words = self._text(end + 1, basis).lstrip(", ") if basis > end else ""
        amount = Amount(-abs(figure.value) if falls else figure.value, figure.unit, words)
        return self._add(CHANGE, of, self._text(begin, basis), i, sure, amount if after == i else None)

    def _add(
        self, kind: str, of: Measure, said: str, at: int, sure: float, amount: Amount | None, *,
        compared: bool = False,
    ) -> bool:  # fmt: skip
        """Add a draft; `of` becomes the last measure."""
        expected = not compared and self._expected(at)
        sure *= (1.0 if of.known else UNKNOWN) * (FORECAST if expected else 1.0)
        self.drafts.append(
            FactDraft(kind, of.owner, of.words, said, at, round(sure, 3), amount, compared, expected)
        )
        self.measure = of
        return True

    def _expected(self, at: int) -> bool:
        """True if a word of expectation stands before a figure, and none of the past between."""
        expects = self.tags.rfind("e", max(0, at - REACH), at)
        return expects >= 0 and not any("past" in item.senses for item in self.items[expects:at])

    def _text(self, first: int, last: int) -> str:
        """The text from one token to another."""
        return " ".join(self.text[self.items[first].start : self.items[last].end].split())

    # -- deeds and offices -------------------------------------------------------------------------

    def _deeds(self) -> Iterator[FactDraft]:
        """Verbs of change and of being between two phrases."""
        for i, tag in enumerate(self.tags):
            draft = None
            if tag == "v":
                draft = self._done_by(i) or self._done_last(i)
            called = "called" in self.items[i].senses and self.tags[i - 1 : i] != "b"
            is_it = tag == "b" and self.items[i].low not in ("be", "been", "being")
            if draft is None and (is_it or called or self._will_be(i)):
                draft = self._being(i)
            if draft is not None:
                yield from self._parted(draft)

    def _will_be(self, i: int) -> bool:
        return "future" in self.items[i].senses and i > 0 and self.items[i - 1].low == "will"

    def _subject(self, end: int) -> Subject | None:
        """The subject of the verb at token `end`."""
        match = self._left(_DOER, end)
        if match is None:
            return None
        if match["own"]:
            return Subject("", OURS, match.end("own"))
        return self._subject_of(match)

    def _subject_of(self, match: re.Match[str]) -> Subject | None:
        """A name, or a phrase with an article, that the match of a subject found."""
        first, after = match.span("phrase")
        article = bool(match["determiner"])
        end, aside = match.end("aside"), self.tags[slice(*match.span("aside"))].strip(",")
        if aside and not aside.strip("N") and len(aside) > 1:  # "the mayor, Horace Bell, opened"
            first, after, article = end - 1 - len(aside), end - 1, False
        tags = self.tags[first:after]
        names = len(tags) - len(tags.rstrip("N&"))
        before = self.tags[max(0, first - 1) : first]
        if names and (names == len(tags) or "o" not in tags) and not self._are_offices(after - names, after):
            first = first if article else after - names + tags[len(tags) - names :].startswith("&")
            alone = names == 1 and self._begins(first) and self.items[first].senses
            if alone or before == "i":
                return None
            if not self.tags[first:after].strip("N&") and not article:
                return Subject(words_of(self.items, first, after), NAMED, end)
        last = self.items[after - 1]
        if article and "itself" in last.senses:
            return Subject("", OURS, end)
        if (not article and "R" not in self.tags[first:after]) or "weak" in last.senses:
            return None
        if first > 1 and self.tags[first - 2] in "iNMnR" and before == "d":
            return None
        short = after - first <= 7
        return Subject(words_of(self.items, first, after), PHRASE, end) if short else None

    def _are_offices(self, first: int, after: int) -> bool:
        """True if a seeming name is an office: "Executive Vice President"; not "Ann Baker"."""
        ranks = {"role", "rank", "former"}
        return after - first > 1 and all(ranks & item.senses for item in self.items[first:after])

    def _object(self, i: int) -> tuple[int, int]:
        """The range of the phrase that follows token i, past a time: "has been mayor since"."""
        match = _OBJECT.match(self.tags, i + 1)
        return trimmed(self.items, *match.span("phrase")) if match else (i, i)

    def _done_by(self, i: int) -> FactDraft | None:
        """A deed with the phrases on either side of it."""
        subject = self._subject(i)
        if subject is None:
            return None
        group = self.items[subject.after : i]
        will = any(item.low == "will" for item in group)
        if any(
            item.tag == "!" or item.low in _MODAL or (item.tag == "e" and item.low != "will")
            for item in group
        ):
            return None
        if (will and subject.sure < NAMED) or (subject.sure == PHRASE and self.items[i].low.endswith("s")):
            return None
        passive, last = i > 0 and "passive" in self.items[i - 1].senses, i
        lead = self.items[i + 1].low if self.tags[i + 1 : i + 2] == "i" else ""
        if lead and (passive or lead in _LEADS_ON) and self.tags[i + 2 : i + 3] not in ("T", "#"):
            last = i + 1
        first, after = self._object(last) if not lead or last > i or self._timed(i) else (i, i)
        said, sure = words_of(self.items, first, after), subject.sure
        if not said and self.items[i + 1 : i + 2] and self.items[i + 1].low in ("her", "him") and self.person:
            said, sure = self.person, sure * ALONE
        relation = " ".join(item.text for item in self.items[subject.after : last + (1 if said else 0)])
        if not said:
            if not passive and not (sure >= NAMED and self.items[i].low in _ALONE):
                return None
            relation, sure = " ".join(item.text for item in self.items[subject.after : i + 1]), sure * ALONE
        return FactDraft(EVENT, subject.words, relation, said, i, round(sure, 3), expected=will)

    def _timed(self, i: int) -> bool:
        """True if a time follows token i: "became on 3 May mayor"."""
        return _TIMED.match(self.tags, i + 1) is not None

    def _done_last(self, i: int) -> FactDraft | None:
        """A verb that comes last: "Mara Quill wurde zur Hafenmeisterin ernannt"."""
        match = self._left(_LAST, i) if self.tags[i + 1 : i + 2] in ("", ".", ",", ";", "/") else None
        subject = self._subject(match.start("verb")) if match else None
        if match is None or subject is None:
            return None
        first, after = trimmed(self.items, match.start("rest"), i)
        words = " ".join(item.text for item in self.items[first:after] if item.time is None)
        relation = f"{self.items[match.start('verb')].text} {self.items[i].text}"
        return FactDraft(EVENT, subject.words, relation, words, i, subject.sure)

    def _being(self, i: int) -> FactDraft | None:
        """As in "Mara Quill is harbour master", "the harbour master is Mara Quill", "is called"."""
        subject, last = self._subject(i), i
        if "called" in self.items[min(i + 1, len(self.items) - 1)].senses:
            last = i + 1
        first, after = self._object(last)
        if (
            subject is None
            or subject.sure == OURS
            or first >= after
            or "v" in self.tags[first - 1 : after + 1]
        ):
            return None
        tags, article = self.tags[first:after], self.items[first - 1].low in _ARTICLE
        office, to_come = "R" in tags, self._will_be(i) or self.items[i].low == "wird"
        named = not office and any(word[:1].isupper() for word in subject.words.split())
        if subject.sure == PHRASE and not named and (office or len(tags) < 2 or tags[0] != "N"):
            return None
        if not office and (to_come or not (tags[0] == "N" or article)):
            return None
        begin = min(subject.after, i)
        relation = " ".join(item.text for item in self.items[begin : last + 1])
        said, sure = words_of(self.items, first, after), IN_OFFICE if office else BEING
        return FactDraft(EVENT, subject.words, relation, said, i, sure, expected=to_come)

    def _parted(self, one: FactDraft) -> list[FactDraft]:
        """An appointment as two facts: "appointed Mara Quill harbour master" has a person and an office."""
        match, verb = _APPOINTED.match(self.tags, one.at + 1), self.items[one.at]
        if match is None or not verb.low.startswith(_NAMING) or one.relation != verb.text:
            return [one]
        whom, office = (words_of(self.items, *match.span(group)) for group in ("name", "office"))
        return [one._replace(object=whom), one._replace(owner=whom, object=office)]

    def _offices(self) -> Iterator[FactDraft]:
        """An office beside a name, in either order, and labels: "Treasurer: Lambert Roake"."""
        for pattern in (_NAME_OFFICE, _OFFICE_NAME):
            for match in pattern.finditer(self.tags):
                name, office = match.span("name"), match.span("office")
                if "R" in self.tags[slice(*office)] and not self._are_offices(*name):
                    who, what = words_of(self.items, *name), words_of(self.items, *office)
                    yield FactDraft(EVENT, who, self.be, what, match.start("mark"), BESIDE)
        for match in _FIELD.finditer(self.tags):
            label, value = (
                words_of(self.items, *match.span("label")),
                words_of(self.items, *match.span("value")),
            )
            if "N" in match["value"] and label[:1].isupper():
                yield FactDraft(EVENT, "", label, value, match.start("mark"), FIELD)

    # -- names of one thing ------------------------------------------------------------------------

    def _names(self) -> Iterator[FactDraft]:
        """Aliases that a sentence states: acronyms in brackets, "also known as"."""
        for match in re.finditer(r"\((?=[NMRn]\))", self.tags):
            short = self.items[match.end()].text
            if long := self._spelt(match.start(), short):
                yield FactDraft(NAME, long, "also called", short, match.start(), DEFINED)
        for match in _ALIAS.finditer(self.tags):
            name, other = (words_of(self.items, *match.span(group)) for group in ("name", "other"))
            at = match.start("as")
            yield FactDraft(NAME, name, self.items[at].text, other, at, KNOWN_AS)

    def _spelt(self, end: int, short: str) -> str:
        """The words before token `end` that begin with the letters of an acronym; "" if they do not."""
        letters = [letter.lower() for letter in short if letter.isupper()]
        if not _ACRONYM.fullmatch(short) or len(letters) < 2:
            return ""
        at = end
        while letters and at > max(0, end - 10):
            at -= 1
            low = self.items[at].low
            if self.tags[at] in "o&di" and low[:1] != letters[-1]:
                continue
            for part in reversed(low.split("-")):
                if not letters or part[:1] != letters.pop():
                    return ""
        return "" if letters else " ".join(item.text for item in self.items[at:end])


OURS, NAMED, PHRASE, BEING, IN_OFFICE, BESIDE, FIELD = 0.7, 0.8, 0.6, 0.6, 0.75, 0.75, 0.6
"""The confidence of each: "we", a name, another phrase before a verb; "X is Y", and where Y is an office; an
office beside a name; "Treasurer: X"."""
ALONE = 0.8
"""The factor for a verb without an object ("Mara Quill resigned"), or with "her" as one."""
DEFINED, KNOWN_AS = 0.9, 0.8
"""The confidence of "Harbour Authority (HA)" whose letters agree, and of "X, also known as Y"."""

_DOER = re.compile(rf"{_SUBJECT}[xbe!]*$")
_OBJECT = re.compile(r"i?d?(?:T|i?d?T)?d?[xd]*(?P<phrase>[NMnRg](?:[NMnRgd]|[o&][dx]?(?=[NMnRg])){0,11})")
_TIMED = re.compile("id?T")
_LAST = re.compile(r"(?P<verb>[bx])(?P<rest>[^.,;/:vb]{0,9}[NMnRgT][^.,;/:vb]{0,3})$")
_APPOINTED = re.compile(r"d?(?P<name>N{2,4})d?(?P<office>[nMNRgo]*R[NMnRgo]*)")
_ONE_CASE = r"(?:[NRM]{1,8}|[nRMg]{1,8})"
_OFFICE = rf"(?P<office>[dx]?{_ONE_CASE}(?:o[dx]?[NMnRg]{{1,8}}|&[dx]?{_ONE_CASE}){{0,3}})"
_NAME_OFFICE = re.compile(rf"(?<!N)(?P<name>N{{2,6}})(?P<mark>,){_OFFICE}(?=[/.,;()&]|$)")
_OFFICE_NAME = re.compile(rf"(?<=d){_OFFICE}(?P<mark>,)(?P<name>N{{2,5}})(?=[/.,;()&]|$)")
_FIELD = re.compile(
    r"(?:^|(?<=[/.;]))(?P<label>[NMnRg][NMnRgo&d]{0,3})(?P<mark>:)(?P<value>[NMRd,&oi]{1,12})(?=[/.;]|$)"
)
_ALIAS = re.compile(r"(?P<name>N{1,10})[,(xb]{0,2}(?P<as>a)d?(?P<other>N{1,10})")
_ACRONYM = re.compile(r"[A-Z][A-Za-z&.]{1,9}")
_MODAL, _ARTICLE, _NAMING, _LEADS_ON, _ALONE = (
    of_all("states", key) for key in ("modal", "article", "naming", "leads_on", "alone")
)


def _bare(owner: str) -> str:
    return owner.removesuffix("'s").removesuffix("’s").rstrip("'’")
