"""The rule extractor: facts without a model, sentence by sentence, from words, figures and times.

`RuleExtractor`, at the end, resolves the subject and the time of what `patterns.py` reads. A
document's own entity is the one that "we", "the company" or a missing subject refers to: a field of the
metadata (NAMES), else the title without its times and the words for its type ("Crocs, Inc.
(CROX) 2024 Q1 Earnings Call" is Crocs, Inc.), else the title.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from asof.documents import SourcedTime
from asof.extensions.facts.dating import Dating, TimeMark
from asof.extensions.facts.patterns import FactDraft, TaggedSentence
from asof.extensions.facts.store import EVENT, EXPECTED, NAME, VALUE, Amount, Extraction, ExtractorInput, Fact
from asof.extensions.facts.tokens import Token, tokens_of
from asof.lang import every, set_of
from asof.sources.headers import is_date, is_presentation
from asof.text.figures import NONE, RuleLexicon, language_of, lexicon
from asof.text.passages import sentences
from asof.text.query import key
from asof.time.expressions import TimeContext, parse
from asof.time.span import Span

# -- fields of notes: "status: accepted" --------------------------------------


FIELD = 0.9
"""The confidence of a field of the frontmatter."""

MOST_VALUES, LONGEST = 8, 80
"""The most values of a field that are read, and the most characters of one: a longer one is a description."""

_NOTES = (".md", ".markdown")
_TECHNICAL = frozenset({
    "description", "excerpt", "category", "categories", "tag", "tags", "keywords", "type", "kind", "reviewed",
    "summary",
})  # fmt: skip

_NAME = re.compile(r"\[\[(?:[^\[\]\n|#]*/)?([^\[\]\n|#/]+)[^\[\]\n]*\]\]|\[([^\[\]\n]+)\]\([^()\s]*\)")


def field_facts(excerpt: ExtractorInput, subject: str, when: SourcedTime | None) -> Iterator[Fact]:
    """A fact for each short value in a note's frontmatter, without fields of names and technical ones."""
    if not excerpt.document.lower().endswith(_NOTES):
        return
    for field, stated in excerpt.meta.items():
        relation = " ".join(re.split(r"[\s_-]+", field)).strip()
        technical = field.lower() in _TECHNICAL or is_presentation(field) or is_date(field)
        if technical or field in NAMES or field in OTHERS:
            continue
        for value in (stated if isinstance(stated, list) else [stated])[:MOST_VALUES]:
            if isinstance(value, bool):
                continue
            if isinstance(value, int | float):
                yield Fact(subject, relation, str(value), when, 0, 0, VALUE, Amount(float(value), ""), FIELD)
            elif isinstance(value, str) and (text := _plain(value)):
                yield Fact(subject, relation, text, when, 0, 0, EVENT, None, FIELD)


def _plain(value: str) -> str:
    """A value without the marks of links; "" for one that is too long or an address."""
    text = " ".join(_NAME.sub(lambda link: link[1] or link[2] or "", value).split())
    return "" if len(text) > LONGEST or "://" in text else text


# -- days without a year that are in the future ----------------------------------------------------


_FROM, _PAST, _PRESENT = (set_of("states", key) for key in ("from", "past", "present"))


def coming(dating: Dating, one: FactDraft, mark: TimeMark, language: str, *, begins: bool) -> Span | None:
    """The first time after publication that a mark without a year names, where that is meant; None where it
    is the last one before, as it mostly is.

    Meant is the next one if something is expected then; in the present tense ("takes over on 1 December"),
    if it is in the year of publication; where a fact `begins` then ("was appointed from 1 June"), if it is
    nearer.
    """
    published, stated = dating.excerpt.published, mark.stated
    words = set(one.relation.lower().split())
    event = one.kind == EVENT
    present = event and _PAST.isdisjoint(words) and not _PRESENT.isdisjoint(words)
    always = one.expected and (event or begins or dating.own is not None)
    if not (always or present or (event and begins)) or stated is None or published is None:
        return None
    span = dating.next(mark, language)
    if span is None or span.start is None or published.start is None:
        return None
    if dating.own is not None and always:
        return span
    if span.first <= published.last:
        return None
    near = span.first - published.last < published.first - stated.span.last
    this_year = present and span.start.year == published.start.year
    return span if always or near or this_year else None


# -- a document's own entity -----------------------------------------------------------------------


NAMES = ("company", "company_name", "organization", "organisation", "entity", "name")
"""Fields of the metadata that name the entity, by priority."""
OTHERS = ("ticker", "symbol", "stock_code", "isin", "aliases", "alias")
"""Fields that hold other names of it."""

_LONGEST = 120
_CODE = re.compile(r"\(([A-Z][A-Z0-9]{0,5}(?:[.:-][A-Z0-9]{1,6})?)\)")
_PERIOD = re.compile(r"\b(?:[12][0-9]{3}|(?:FY|CY)\s?[0-9]{2,4}|[QH][1-4])\b", re.IGNORECASE)
_LOOSE = re.compile(
    r"\W*\b(?:from|of|in|for|since|until|the|and|ab|vom|seit|im|bis|und)\W*$|^\W+|[\s,;:|–—-]+$"
)


@dataclass(frozen=True, slots=True)
class Entity:
    """A document's own entity: its name, its other names with the place of each (a field, or title), and the
    keys (`asof.text.query.key`) of all."""

    name: str
    others: tuple[tuple[str, str], ...]
    keys: frozenset[str]

    @classmethod
    def of(cls, excerpt: ExtractorInput) -> Entity:
        """From a document's metadata and title."""
        stated = next((text for field in NAMES for text in _texts(excerpt.meta, field)), "")
        bare, codes = of_title(excerpt.title)
        name = stated or bare or excerpt.title.strip() or excerpt.document
        named = [(text, field) for field in OTHERS for text in _texts(excerpt.meta, field)]
        named += [(code, "title") for code in codes]
        if stated and codes and bare:
            named.append((bare, "title"))
        by_text: dict[str, str] = {}
        for text, field in named:
            if text != name:
                by_text.setdefault(text, field)
        return cls(name, tuple(by_text.items()), frozenset(map(key, (name, *by_text))))

    def is_meant(self, name: str) -> bool:
        """True if a name is this entity's, or the beginning of it: "Prudential" of Prudential Financial."""
        short = key(name)
        return bool(short) and (short in self.keys or any(each.startswith(f"{short} ") for each in self.keys))


def _texts(meta: Mapping[str, Any], field: str) -> list[str]:
    """The names that a field holds: a text, or a list of texts."""
    value = meta.get(field)
    values = value if isinstance(value, list) else [value]
    texts = [
        " ".join(each.replace("[[", "").replace("]]", "").split()) for each in values if isinstance(each, str)
    ]
    return [text for text in texts if 0 < len(text) <= _LONGEST]


def _without_type(words: list[str]) -> list[str]:
    """The words of a title without those at its end for the type of document; all of them where
    nothing else is left."""
    types, last = lexicon("en").senses, len(words)
    while last and "document_type" in types.get(words[last - 1].lower().strip(",:;-"), NONE):
        last -= 1
    return words[:last] or words


@lru_cache(maxsize=4096)
def of_title(title: str) -> tuple[str, tuple[str, ...]]:
    """A title without its times and type, and the codes (tickers) in its brackets."""
    short = title[:400]
    codes = tuple(_CODE.findall(short))
    bare = _CODE.sub(" ", short)
    for mention in reversed(parse(bare, context=TimeContext(language=every("facts")))):
        bare = f"{bare[: mention.start]} {bare[mention.end :]}"
    bare = _PERIOD.sub(" ", bare)
    words = bare.split()
    if codes or len(words) > 2 or (len(words) == 2 and words != short.split()):
        words = _without_type(words)
    bare, last = " ".join(words), ""
    while bare != last:
        bare, last = _LOOSE.sub("", bare), bare
    return bare, codes


# -- the extractor ---------------------------------------------------------------------------------


MOST = 64
"""The most facts of a passage; of more the most confident are taken, of equals the first."""

_HEAD = 0.95
_BACK = 40


class RuleExtractor:
    """An extractor (`extraction.py`) that needs no model."""

    name = "rules-5"

    def extract(self, excerpts: Sequence[ExtractorInput]) -> Iterator[Extraction]:
        """The facts of each excerpt, in order; at most MOST of each, by place."""
        for excerpt in excerpts:
            yield Extraction(excerpt.passage, _facts_of(excerpt))


def _facts_of(excerpt: ExtractorInput) -> tuple[Fact, ...]:
    entity = Entity.of(excerpt)
    passage = _PassageReader.of(excerpt, entity)
    facts: list[Fact] = []
    if excerpt.number == 0:  # the names that the head of a document gives to its own entity
        facts += [
            Fact(entity.name, "also called" if by == "title" else by, other, None, 0, 0, NAME, None, _HEAD)
            for other, by in entity.others
        ]
        facts += field_facts(excerpt, entity.name, passage.dating.otherwise(expected=False))
    facts += passage.facts()
    if len(facts) > MOST:
        best = sorted(range(len(facts)), key=lambda i: (-facts[i].confidence, i))[:MOST]
        facts = [facts[i] for i in sorted(best)]
    return tuple(facts)


@dataclass(slots=True)
class _PassageReader:
    """One passage being read; `person` is who "her" and "him" mean."""

    excerpt: ExtractorInput
    entity: Entity
    dating: Dating
    items: list[Token]
    words: RuleLexicon
    person: str = ""

    @classmethod
    def of(cls, excerpt: ExtractorInput, entity: Entity) -> _PassageReader:
        language = language_of(excerpt.text, excerpt.language)
        dating = Dating.of(excerpt)
        words = lexicon(language)
        items = tokens_of(excerpt.text, words, dating.marks(language))
        return cls(excerpt, entity, dating, items, words)

    def facts(self) -> list[Fact]:
        """The facts of the sentences, by place."""
        text, items = self.excerpt.text, self.items
        starts = [item.start for item in items]
        facts: list[Fact] = []
        for start, end in sentences(text):
            inside = items[bisect_left(starts, start) : bisect_left(starts, end)]
            if inside:
                drafts = TaggedSentence(inside, text, self.words.be, self.person).read()
                self.person = next((each.owner for each in reversed(drafts) if _is_person(each)), self.person)
                facts += self._dated(drafts, inside, (start, start + len(text[start:end].rstrip())))
        return sorted(facts, key=lambda fact: fact.start)

    def _dated(
        self, drafts: list[FactDraft], inside: list[Token], offsets: tuple[int, int]
    ) -> Iterator[Fact]:
        last: SourcedTime | None = None
        for one in drafts:
            when = None if one.kind == NAME else self._when(one, inside, last)
            last = last if one.compared else when
            subject = one.owner
            itself = "itself" in self.words.senses.get(subject.lower(), NONE)
            if not subject or itself or self.entity.is_meant(subject):
                subject = self.entity.name
            relation = f"{EXPECTED} {one.relation}" if one.expected and one.kind != EVENT else one.relation
            yield Fact(subject, relation, one.object, when, *offsets, one.kind, one.amount, one.confidence)

    def _when(self, one: FactDraft, inside: list[Token], last: SourcedTime | None) -> SourcedTime | None:
        at = _nearest(one, inside)
        mark = None if at is None else inside[at].time
        read = None
        if at is not None and mark is not None:
            language, of = self.words.language, last if one.compared else None
            read = self.dating.read(mark, language, expected=one.expected, of=of)
            if mark.sort == "explicit":
                begins = any(item.low in _FROM for item in inside[max(0, at - 2) : at])
                span = coming(self.dating, one, mark, language, begins=begins)
                read = read if span is None else SourcedTime(span, mark.text, "text")
        return read or self.dating.otherwise(expected=one.expected)


def _is_person(draft: FactDraft) -> bool:
    """True if the subject of a draft may be whom "her" or "him" means in the next sentence."""
    return draft.kind == EVENT and len(draft.owner.split()) > 1 and draft.owner.istitle()


def _nearest(one: FactDraft, items: list[Token]) -> int | None:
    """The token with the time of a draft: in its clause after it, else the nearest before it, else one
    further after it; a time that is only compared with is skipped."""
    behind = None
    for at in range(one.at + 1, min(len(items), one.at + _BACK)):
        item = items[at]
        other = item.tag == "#" and at - one.at > 1 and items[at - 1].low not in ("to", "by", "or")
        if other or item.low in (";", "\n"):
            break
        if item.time is not None and (one.compared or not _is_basis(items, at)):
            behind = at
            break
    if one.compared or (behind and not any(item.tag == "," for item in items[one.at : behind])):
        return behind
    before = range(one.at - 1, max(-1, one.at - _BACK), -1)
    return next((at for at in before if items[at].time is not None and not _is_basis(items, at)), behind)


def _is_basis(items: list[Token], at: int) -> bool:
    """True if the time at `at` is only the basis of a comparison: "up 5% from", "compared to"."""
    mark = items[at].time
    if mark is not None and mark.sort == "back" and mark.stated is None:
        return True
    for before in range(at - 1, max(-1, at - 14), -1):
        item = items[before]
        if item.tag == "c":
            return True
        figures = [each.figure for each in items[max(0, before - 3) : before] if each.figure]
        if item.low in ("from", "over") and any(figure.unit in _RATES for figure in figures):
            return True
        if item.tag in ".,/:()T":
            return False
    return False


_RATES = ("%", "bp", "pp")
