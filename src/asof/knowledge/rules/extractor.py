"""Facts without a model: rules over words, figures and times, sentence by sentence; deterministic."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from asof.data import EVENT, EXPECTED, NAME, VALUE, Fact, SourcedTime
from asof.knowledge.fact_store import Excerpt, Extraction
from asof.knowledge.rules.aliases import names_in
from asof.knowledge.rules.dating import Dating
from asof.knowledge.rules.entity import NAMES, OTHERS, Entity
from asof.knowledge.rules.events import Events
from asof.knowledge.rules.fact_draft import FactDraft
from asof.knowledge.rules.future_dates import coming, looks_ahead
from asof.knowledge.rules.note_fields import field_facts, linked_facts, without_templates
from asof.knowledge.rules.tokens import Token, items_of
from asof.knowledge.rules.values import values_in
from asof.text.fact_lexicon import NONE, RuleLexicon, language_of, lexicon
from asof.text.names import key
from asof.text.sentences import sentences

MOST = 64
"""The most facts of a passage; of more the most confident are taken, of equals the first."""

_HEAD = 0.95
_CLAUSE = 12
_BACK = 40
_TRIGGERS = frozenset({"event", "be", "future", "called", "comma", "colon", "break"})


@dataclass(frozen=True, slots=True)
class RuleExtractor:
    """An extractor (`extraction.py`) that needs no model. `names`: fields of the metadata that name the
    document's own entity; `others`: fields with other names of it."""

    names: tuple[str, ...] = NAMES
    others: tuple[str, ...] = OTHERS

    @property
    def name(self) -> str:
        """`rules-3`, and the fields where they are not the defaults."""
        usual = (self.names, self.others) == (NAMES, OTHERS)
        return "rules-3" if usual else f"rules-3 {','.join(self.names)} {','.join(self.others)}"

    def extract(self, excerpts: Sequence[Excerpt]) -> Iterator[Extraction]:
        """The facts of each excerpt, in order; at most MOST of each, by place."""
        for excerpt in excerpts:
            yield Extraction(excerpt.passage, self._facts(excerpt))

    def _facts(self, excerpt: Excerpt) -> tuple[Fact, ...]:
        excerpt = replace(excerpt, text=without_templates(excerpt.text))
        entity = Entity.of(excerpt, self.names, self.others)
        passage = _Passage.of(excerpt, entity)
        facts: list[Fact] = []
        if excerpt.number == 0:
            published = passage.dating.otherwise(expected=False)
            facts += _of_head(entity)
            facts += field_facts(excerpt, entity.name, published, (*self.names, *self.others))
        facts += passage.facts()
        if len(facts) > MOST:
            best = sorted(range(len(facts)), key=lambda i: (-facts[i].confidence, i))[:MOST]
            facts = [facts[i] for i in sorted(best)]
        return tuple(facts)


def _of_head(entity: Entity) -> list[Fact]:
    """The names that a document's metadata and title give to its own entity."""
    return [
        Fact(entity.name, "also called" if by == "title" else by, other, None, 0, 0, NAME, None, _HEAD)
        for other, by in entity.others
    ]


@dataclass(slots=True)
class _Passage:
    """One passage being read; `ahead` is its last expected time, and the number of that sentence."""

    excerpt: Excerpt
    entity: Entity
    dating: Dating
    items: list[Token]
    words: RuleLexicon
    ahead: tuple[SourcedTime, int] | None = None

    @classmethod
    def of(cls, excerpt: Excerpt, entity: Entity) -> _Passage:
        language = language_of(excerpt.text, excerpt.language)
        dating = Dating.of(excerpt)
        words = lexicon(language)
        items = items_of(excerpt.text, words, dating.marks(language))
        return cls(excerpt, entity, dating, items, words)

    def facts(self) -> list[Fact]:
        text, items = self.excerpt.text, self.items
        starts = [item.start for item in items]
        facts: list[Fact] = []
        for number, (start, end) in enumerate(sentences(text)):
            inside = items[bisect_left(starts, start) : bisect_left(starts, end)]
            if not inside:
                continue
            first = next((i for i, item in enumerate(inside) if item.text[:1].isalpha()), 0)
            is_question = any(item.low == "?" for item in inside[-3:])
            drafts = (
                values_in(inside, text, first)
                if not is_question and any(item.figure for item in inside)
                else []
            )
            if not is_question and any(not _TRIGGERS.isdisjoint(item.senses) for item in inside):
                drafts += Events(inside, self.words.be, first).read()
            drafts += names_in(inside)
            stop = start + len(text[start:end].rstrip())
            facts += self._facts_of_sentence(drafts, inside, number, (start, stop))
        return self._with_links(facts)

    def _with_links(self, facts: list[Fact]) -> list[Fact]:
        """These facts with those of lines of links that they lack, by place."""
        known = {(key(fact.relation), key(fact.object)) for fact in facts}
        published = self.dating.otherwise(expected=False)
        linked = [
            fact
            for fact in linked_facts(self.excerpt.text, self.entity.name, published)
            if (key(fact.relation), key(fact.object)) not in known
        ]
        return sorted(facts + linked, key=lambda fact: fact.start) if linked else facts

    def _facts_of_sentence(
        self, findings: list[FactDraft], inside: list[Token], number: int, offsets: tuple[int, int]
    ) -> list[Fact]:
        facts: list[Fact] = []
        last: SourcedTime | None = None
        for one in sorted(findings, key=lambda finding: finding.at):
            when = None
            if one.kind != NAME:
                when = self._when(one, inside, number, last)
            last = last if one.compared else when
            facts.append(self._fact(one, when, offsets))
        return facts

    def _fact(self, one: FactDraft, when: SourcedTime | None, offsets: tuple[int, int]) -> Fact:
        subject = one.owner
        itself = "itself" in self.words.senses.get(subject.lower(), NONE)
        if not subject or itself or self.entity.is_meant(subject):
            subject = self.entity.name
        relation = f"{EXPECTED} {one.relation}" if one.expected and one.kind != EVENT else one.relation
        return Fact(subject, relation, one.object, when, *offsets, one.kind, one.amount, one.confidence)

    def _when(
        self, one: FactDraft, inside: list[Token], number: int, last: SourcedTime | None
    ) -> SourcedTime | None:
        at = _nearest(one, inside)
        if at is not None:
            mark = inside[at].time
            assert mark is not None  # noqa: S101
            read = self._coming(one, inside, at)
            if read is None:
                read = self.dating.read(mark, expected=one.expected, of=last if one.compared else None)
            if read is not None:
                if one.expected:
                    self.ahead = read, number
                return read
        if one.expected and self.ahead is not None and number - self.ahead[1] < 6:
            return self.ahead[0]
        return self.dating.otherwise(expected=one.expected)

    def _coming(self, one: FactDraft, inside: list[Token], at: int) -> SourcedTime | None:
        """The day at `at` as a day of the future; None where it is not."""
        mark, ahead = inside[at].time, looks_ahead(one, inside, at)
        if not ahead or mark is None or mark.sort != "explicit":
            return None
        return coming(self.excerpt, mark, ahead, self.words.language)


def _nearest(one: FactDraft, items: list[Token]) -> int | None:
    """The item with the time of a draft: in its clause after it, else the nearest before it, else one further
    after it; a time that is only compared with is skipped."""
    behind = None
    for at in range(one.at + 1, min(len(items), one.at + _BACK)):
        item = items[at]
        if (
            item.figure is not None
            and at - one.at > 1
            and behind is None
            and items[at - 1].low not in ("to", "by", "or")
        ):
            break
        if item.low in (";", "\n"):
            break
        if item.time is not None:
            if not one.compared and _is_basis(items, at) and not _starts(one, items, at):
                continue
            behind = at
            break
    if behind is not None and (one.compared or not any(items[k].low == "," for k in range(one.at, behind))):
        return behind
    if one.compared:
        return None
    for at in range(one.at - 1, max(-1, one.at - _BACK), -1):
        if items[at].time is not None and not _is_basis(items, at) and not _is_of_participle(items, at):
            return at
    return behind


def _starts(one: FactDraft, items: list[Token], at: int) -> bool:
    """Whether an expected value begins at the time at `at`: "will be 5 euros from 1 June"."""
    return one.expected and one.kind == VALUE and at == one.at + 2 and items[at - 1].low == "from"


def _is_of_participle(items: list[Token], at: int) -> bool:
    """Whether the time at `at` belongs to a participle: "the range provided in October"."""
    before = items[at - 2] if at > 1 and "preposition" in items[at - 1].senses else None
    return (
        before is not None
        and before.low.endswith("ed")
        and not {"past", "rise", "fall", "event"} & before.senses
    )


def _is_basis(items: list[Token], at: int) -> bool:
    """Whether the time at `at` is only the basis of a comparison."""
    mark = items[at].time
    if mark is not None and mark.sort in ("back", "before") and mark.stated is None:
        return True
    for before in range(at - 1, max(-1, at - 14), -1):
        item = items[before]
        if "compare" in item.senses or (item.low in ("from", "than", "over") and _is_changed(items, before)):
            return True
        if "mark" in item.senses or (item.time is not None and item.time.sort != "back"):
            return False
    return False


def _is_changed(items: list[Token], at: int) -> bool:
    """Whether the items before `at` are a change: "up 5% from"."""
    return any(item.figure is not None or "basis" in item.senses for item in items[max(0, at - 3) : at])
