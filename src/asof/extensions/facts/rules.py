"""The rule extractor: facts without a model, sentence by sentence, from words, figures and times.

`RuleExtractor`, at the end, resolves the subject and the time of what `clauses.py` and `events.py` read. A
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
from typing import Any, Literal

from asof.extensions.facts.clauses import values_in
from asof.extensions.facts.dating import Dating, TimeMark
from asof.extensions.facts.events import Events
from asof.extensions.facts.store import Extraction, ExtractorInput
from asof.extensions.facts.words import FactDraft, Token, TokenRange, is_name, items_of, words_of
from asof.lang import every
from asof.text.figures import NONE, RuleLexicon, language_of, lexicon
from asof.text.passages import sentences
from asof.text.query import key
from asof.time.expressions import TimeContext, parse
from asof.time.span import Span, nearest_moment
from asof.values import EVENT, EXPECTED, NAME, VALUE, Amount, Fact, SourcedTime
from asof.wire import replace

# -- names of one thing (NAME): acronyms, "also known as" ------------------------------------------


DEFINED, KNOWN_AS = 0.9, 0.8
"""The confidence of each rule: "Harbour Authority (HA)" whose letters agree; "X, also known as Y"."""

_ACRONYM = re.compile(r"[A-Z][A-Za-z&.]{1,9}")
_SMALL = frozenset({"of", "the", "and", "for", "&", "der", "die", "das", "für", "und"})
_WIDEST = 10


def names_in(items: Sequence[Token]) -> list[FactDraft]:
    """The aliases that a sentence states, in order of place."""
    drafts: list[FactDraft] = []
    for i, item in enumerate(items):
        draft = None
        if "open" in item.senses and i + 2 < len(items) and "close" in items[i + 2].senses:
            draft = _acronym(items, i)
        elif "alias" in item.senses:
            draft = _known_as(items, i)
        if draft is not None:
            drafts.append(draft)
    return drafts


def _acronym(items: Sequence[Token], i: int) -> FactDraft | None:
    """As in "International Harbour Authority (IHA)", where the words before begin with its letters."""
    short = items[i + 1].text
    letters = [letter.lower() for letter in short if letter.isupper()]
    if not _ACRONYM.fullmatch(short) or len(letters) < 2:
        return None
    at, left = i, len(letters)
    while at > 0 and left and i - at < _WIDEST:
        at -= 1
        low = items[at].low
        parts = [part for part in low.split("-") if part]
        if low in _SMALL and low[:1] != letters[left - 1]:
            continue
        if not parts or not low[0].isalpha():
            return None
        if len(parts) > 1 and [part[0] for part in parts] == letters[max(0, left - len(parts)) : left]:
            left -= len(parts)
        elif low[0] == letters[left - 1]:
            left -= 1
        else:
            return None
    if left:
        return None
    return FactDraft(NAME, words_of(items, TokenRange(at, i)), "also called", short, i, DEFINED)


def _known_as(items: Sequence[Token], i: int) -> FactDraft | None:
    """As in "Low Sundrey, also known as the Landing", "Acme (formerly Bolt Works)"."""
    end = i
    while end > 0 and ({"mark", "auxiliary", "copula"} & items[end - 1].senses) and i - end < 2:
        end -= 1
    first = end
    while first > 0 and end - first < _WIDEST and is_name(items[first - 1]):
        first -= 1
    start = i + 1
    while start < len(items) and "determiner" in items[start].senses:
        start += 1
    after = start
    while after < len(items) and after - start < _WIDEST and is_name(items[after]):
        after += 1
    if first == end or after == start:
        return None
    relation = items[i].text
    return FactDraft(
        NAME,
        words_of(items, TokenRange(first, end)),
        relation,
        words_of(items, TokenRange(start, after)),
        i,
        KNOWN_AS,
    )


# -- fields of notes: "status: accepted", "Built by: [[Ida]]" --------------------------------------


FIELD, LINKED = 0.9, 0.8
"""The confidence of a field of the frontmatter and of a line whose value is links."""

MOST_VALUES, LONGEST = 8, 80
"""The most values of a field that are read, and the most characters of one: a longer one is a description."""

_NOTES = (".md", ".markdown")
_TECHNICAL = frozenset({
    "id", "uid", "uuid", "permalink", "slug", "publish", "draft", "mobile", "description", "excerpt",
    "layout", "template", "cssclass", "cssclasses", "banner", "cover", "icon", "position", "kanban-plugin",
    "lang", "language", "locale", "tag", "tags", "keywords", "categories", "weight", "order", "toc",
})  # fmt: skip
_TEMPLATE = re.compile(
    r"%%.*?%%|<!--.*?-->|<%.*?%>|\{\{.*?\}\}|<table\b.*?</table\s*>|<tr\b.*?</tr\s*>",
    re.DOTALL | re.IGNORECASE,
)
_LINK = r"\[\[[^\[\]\n]{1,200}\]\]|\[[^\[\]\n]{1,200}\]\([^()\s]{1,500}\)"
_LINE = re.compile(
    rf"^[ \t>*+-]{{0,9}}(?P<label>[^\W\d_][\w /'’-]{{0,39}}?)[*_]{{0,3}}[ \t]?::?[*_]{{0,3}}[ \t]{{1,9}}"
    rf"(?P<links>(?:{_LINK})(?:(?:[ \t]?[,;&][ \t]?|[ \t]and[ \t])(?:{_LINK})){{0,7}})[ \t.]{{0,9}}$",
    re.MULTILINE,
)
_NAME = re.compile(r"\[\[(?:[^\[\]\n|#]*/)?([^\[\]\n|#/]+)[^\[\]\n]*\]\]|\[([^\[\]\n]+)\]\([^()\s]*\)")


def without_templates(text: str) -> str:
    """The text with spaces for comments, placeholders of templates and tables written in HTML."""
    if "%" not in text and "<" not in text and "{{" not in text:
        return text
    return _TEMPLATE.sub(lambda match: " " * len(match[0]), text)


def linked_facts(text: str, subject: str, when: SourcedTime | None) -> Iterator[Fact]:
    """A fact for each link of a line that is a label, a colon and links: the label is the relation."""
    if "[" not in text:
        return
    for line in _LINE.finditer(text):
        start = line.start("label")
        for link in _NAME.finditer(line["links"]):
            name = " ".join((link[1] or link[2]).split())
            yield Fact(subject, line["label"].strip(), name, when, start, line.end(), EVENT, None, LINKED)


def field_facts(excerpt: ExtractorInput, subject: str, when: SourcedTime | None) -> Iterator[Fact]:
    """A fact for each short value in a note's frontmatter, without fields of names and technical ones."""
    if not excerpt.document.lower().endswith(_NOTES):
        return
    for field, stated in excerpt.meta.items():
        if field in NAMES or field in OTHERS or field.lower() in _TECHNICAL:
            continue
        relation = " ".join(re.split(r"[\s_-]+", field)).strip()
        for value in (stated if isinstance(stated, list) else [stated])[:MOST_VALUES]:
            if isinstance(value, bool):
                continue
            if isinstance(value, int | float):
                yield Fact(subject, relation, str(value), when, 0, 0, VALUE, Amount(float(value), ""), FIELD)
            elif isinstance(value, str) and (text := _plain(value)):
                yield Fact(subject, relation, text, when, 0, 0, EVENT, None, FIELD)


def _plain(value: str) -> str:
    """A value without the marks of links; "" for one that is too long, an address or a placeholder."""
    text = " ".join(_NAME.sub(lambda link: link[1] or link[2] or "", without_templates(value)).split())
    return "" if len(text) > LONGEST or "://" in text else text


# -- days without a year that are in the future ----------------------------------------------------
#
# A day without a year is the newest that is not after publication. It is the next one instead in a sentence
# about the future:
#
# - a future action ("will join on"), a figure that is expected from a day on: always;
# - an action or an office in the present tense: where the day is later in the year of publication, or nearer
#   to publication than the one before it;
# - an office from a day on ("was appointed from 1 June"): where it is nearer.


Ahead = Literal["", "nearer", "year", "always"]
"""When a day is the next one: never; where it is nearer; also where it is in the year of publication;
always."""

# fmt: off
_FROM = frozenset("from ab zum effective starting beginning".split())  # noqa: SIM905
_PAST = frozenset(
    "was were has have had did became been wurde wurden war waren hat hatte".split()  # noqa: SIM905
)
_PRESENT = frozenset(
    """is are becomes remains takes_over succeeds replaces joins leaves retires resigns opens closes launches
    releases introduces buys acquires wird ist sind werden übernimmt folgt""".split()  # noqa: SIM905
)
# fmt: on
_NAMING = ("appoint", "elect", "nam", "ernann", "wähl")


def looks_ahead(one: FactDraft, items: Sequence[Token], at: int) -> Ahead:
    """The condition under which the day at item `at` is the next one after publication."""
    if one.kind != EVENT:
        return "always" if one.expected and _begins(items, at) else ""
    if one.expected:
        return "always"
    verbs = one.relation.lower().replace("takes over", "takes_over").split()
    office = any("role" in item.senses for item in items)
    since = _begins(items, at) and (office or any(verb.startswith(_NAMING) for verb in verbs))
    if not _PAST.isdisjoint(verbs) or _PRESENT.isdisjoint(verbs):
        return "nearer" if since else ""
    deed = "event" in items[one.at].senses
    return "year" if since or deed else ""


def _begins(items: Sequence[Token], at: int) -> bool:
    """True if a fact begins with the time at `at`: "from 1 June"."""
    return at > 0 and items[at - 1].low in _FROM


def coming(excerpt: ExtractorInput, mark: TimeMark, ahead: Ahead, language: str) -> SourcedTime | None:
    """A day or month without a year as the first after publication; None where `ahead` rules that out.

    A publication that is not exact to the day counts only if all of it agrees.
    """
    published, stated = excerpt.published, mark.stated
    if published is None or published.start is None or published.end is None or stated is None or not ahead:
        return None
    first, last = published.first, published.last
    span, past = _after(excerpt, mark.text, first, language), stated.span
    if span is None or span.start is None or _after(excerpt, mark.text, last, language) != span:
        return None
    if span.first <= last or past.last >= first:
        return None
    near = span.first - last < first - past.last
    this_year = ahead == "year" and span.start.year == published.start.year
    return SourcedTime(span, mark.text, "text") if ahead == "always" or near or this_year else None


def _after(excerpt: ExtractorInput, text: str, moment: int, language: str) -> Span | None:
    """The next day or month after an instant that a text names; None where it names the year."""
    context = TimeContext(fiscal_start=excerpt.fiscal_start, language=language, prefer="future")
    readings = parse(text, nearest_moment(moment), context)
    if len(readings) != 1 or not readings[0].relative or readings[0].grain not in ("day", "month"):
        return None
    return readings[0].core


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
_TRIGGERS = frozenset({"event", "be", "future", "called", "comma", "colon", "break"})


class RuleExtractor:
    """An extractor (`extraction.py`) that needs no model."""

    name = "rules-3"

    def extract(self, excerpts: Sequence[ExtractorInput]) -> Iterator[Extraction]:
        """The facts of each excerpt, in order; at most MOST of each, by place."""
        for excerpt in excerpts:
            yield Extraction(excerpt.passage, _facts_of(excerpt))


def _facts_of(excerpt: ExtractorInput) -> tuple[Fact, ...]:
    excerpt = replace(excerpt, text=without_templates(excerpt.text))
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
    """One passage being read; `ahead` is its last expected time, and the number of that sentence."""

    excerpt: ExtractorInput
    entity: Entity
    dating: Dating
    items: list[Token]
    words: RuleLexicon
    ahead: tuple[SourcedTime, int] | None = None

    @classmethod
    def of(cls, excerpt: ExtractorInput, entity: Entity) -> _PassageReader:
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
            drafts: list[FactDraft] = []
            if not is_question and any(item.figure for item in inside):
                drafts += values_in(inside, text, first)
            if not is_question and any(_TRIGGERS & item.senses for item in inside):
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
            when = None if one.kind == NAME else self._when(one, inside, number, last)
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
            read = None
            if mark.sort == "explicit":
                read = coming(self.excerpt, mark, looks_ahead(one, inside, at), self.words.language)
            if read is None:
                read = self.dating.read(mark, expected=one.expected, of=last if one.compared else None)
            if read is not None:
                if one.expected:
                    self.ahead = read, number
                return read
        if one.expected and self.ahead is not None and number - self.ahead[1] < 6:
            return self.ahead[0]
        return self.dating.otherwise(expected=one.expected)


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
            starts = one.expected and one.kind == VALUE and at == one.at + 2 and items[at - 1].low == "from"
            if not one.compared and _is_basis(items, at) and not starts:
                continue  # "starts": "will be 5 euros from 1 June"
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


def _is_of_participle(items: list[Token], at: int) -> bool:
    """True if the time at `at` belongs to a participle: "the range provided in October"."""
    before = items[at - 2] if at > 1 and "preposition" in items[at - 1].senses else None
    return (
        before is not None
        and before.low.endswith("ed")
        and not {"past", "rise", "fall", "event"} & before.senses
    )


def _is_basis(items: list[Token], at: int) -> bool:
    """True if the time at `at` is only the basis of a comparison."""
    mark = items[at].time
    if mark is not None and mark.sort in ("back", "before") and mark.stated is None:
        return True
    for before in range(at - 1, max(-1, at - 14), -1):
        item = items[before]
        if "compare" in item.senses:
            return True
        if item.low in ("from", "than", "over") and any(
            each.figure is not None or "basis" in each.senses for each in items[max(0, before - 3) : before]
        ):
            return True  # "up 5% from"
        if "mark" in item.senses or (item.time is not None and item.time.sort != "back"):
            return False
    return False
