"""Parses a question for an answer: names, topics, times, and whether one of several is to be chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import islice, pairwise, product
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from asof.lang import FIRST, codes, detect, tables
from asof.queries import Query
from asof.text.figures import NONE, lexicon
from asof.text.query import key
from asof.text.question import AS_OF, MOST_PARTS, QuestionReading
from asof.text.tokens import any_of
from asof.text.versions import AFTER, BEFORE, asked, phrases, versions_in
from asof.time.intent import WISHED
from asof.time.span import DAY, GRAINS, Grain, Period, Span
from asof.wire import replace

if TYPE_CHECKING:
    from asof.time.expressions import TimeExpression


# -- names: capitalised phrases ------------------------------------------------------------------------

WORD = re.compile(r"\w[\w.'’-]*")
"""A word with its inner punctuation."""

_RUN = re.compile(
    r"[^\W\d_a-zß-öø-ÿ][\w.&’'-]*(?:(?:,\s+(?=(?:Inc|Ltd|Corp|LLC|L\.P|Co|plc|AG|GmbH|S\.A)\b)|\s+(?:of|and|&|de|von|der|the)"
    r"\s+(?=[^\W\d_a-zß-öø-ÿ])|\s+)(?:[^\W\d_a-zß-öø-ÿ][\w.&’'-]*|plc\b|\d{1,3}[a-z]?,?"
    r"(?=(?: [^\W\d_a-zß-öø-ÿ]\w+)+(?!\w| \d))))*"  # "Flat 3, Alder Court"
)
_POSSESSIVE = re.compile(r"['’]s(?!\w)|(?<=s)['’](?!\w)")
_LOWERCASE_NEXT = re.compile(
    r"[ ](?!and\b|or\b|in\b|und\b|oder\b|between\b|from\b|during\b|before\b|after\b)[a-zß-öø-ÿ]"
)
_AUXILIARY = re.compile(
    r"\b(?:did|does|do|is|are|was|were|has|have|had|will|by|of|c[efot]o|hat|haben|ist|war|wird|von)\s+$"
)
_PLACE = re.compile(r"\b(?:in|at|of|for|on|to|from|with|by) the\s+$")
"""Before capitalised words that are a name, whatever follows: "in the Oak Room cost"."""
_ARTICLE = re.compile(r"\bthe\s+$")
_JOINED = re.compile(r"\s*(?:,\s*)?(?:(?:and|or|und|oder)\s+)?")
_AND = re.compile(r"\s+and\s+|(?<=['’]s)\s+")
_VON = re.compile(r"\s+(?:von|der)\s+")
_DETERMINED = re.compile(
    r"\b(?i:de[rsnm]|die|das|eine?[rsnm]?|i[mn]s?|am|zu[mr]|vom|beim|welche[rsnm]?|jede[rsnm]?|wie viele?)\s+"
    r"(?:[a-zß-ÿ]+e[rsnm]?\s+){0,2}$"
)
_TITLE = re.compile(r"(?:C[EFOT]O|[A-Z&-]{2,9}(?=\s+of\s))\b\s*(?:of\s+)?")
"""An office or a measure before a name: "CEO Mira Voss", "AFFO of Birch Bay"."""

_CONTEXT = 80
"""How many characters before a capitalised phrase are read to decide whether it is a name."""
_LEGAL_END = re.compile(r"\b(?:Inc|Ltd|Corp|Co|L\.P|S\.A|U\.S\.A?)\.$")


def names_in(rest: str, question: frozenset[str], *, nouns: bool) -> tuple[tuple[str, ...], str]:
    """The names in a question, and the question with blanks in their places.

    `question`: words that only ask. `nouns`: nouns are capitalised (German).
    """
    source = rest
    names: dict[int, tuple[int, str]] = {}
    for begin, run in _runs(rest, _VON if nouns else _AND):
        inside = _ARTICLE.search(rest, max(0, begin - _CONTEXT), begin) is not None
        start, text = _without_question_words(begin, run, question, inside)
        possessive = _POSSESSIVE.search(text)
        text = text[: possessive.start()] if possessive else text
        text = text.rstrip(" ,?!" if _LEGAL_END.search(text) else " ,.?!")
        if len(key(text)) < 2 or (_is_measure(text) and not possessive):  # "I" is no name
            continue
        before = rest[max(0, start - _CONTEXT) : start]
        if nouns:
            if " " not in text and _DETERMINED.search(before):
                continue
        elif not (
            possessive
            or (" " in text and _PLACE.search(before))
            or (names and _JOINED.fullmatch(source, next(reversed(names.values()))[0], start))
            or not _continues(rest, before, start + len(text))
        ):
            continue
        names[start] = start + len(text), text
        rest = blank_out(rest, [(start, start + len(text))])
    return tuple(dict.fromkeys(_in_order(names, source))), rest


def _in_order(names: Mapping[int, tuple[int, str]], source: str) -> Iterator[str]:
    """The names in order of position. Two capitalised names with one blank between are one: "Ida Brandt"."""
    starts = sorted(names)
    at = 0
    while at < len(starts):
        first = starts[at]
        end, name = names[first]
        at += 1
        while at < len(starts) and _adjacent(source, end, starts[at]) and source[first].isupper():
            end = names[starts[at]][0]
            name = source[first:end]
            at += 1
        yield name


def _adjacent(source: str, end: int, start: int) -> bool:
    return start == end + 1 and source[start].isupper() and not _POSSESSIVE.search(source, end - 2, end)


def _runs(rest: str, separator: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The capitalised phrases with their offsets, split at `separator`.

    In German a single word before "von" is a noun and no name ("Umsatz von", "Kapitän der").
    """
    for match in _RUN.finditer(rest):
        begin = match.start()
        for cut in separator.finditer(match[0]):
            run = rest[begin : match.start() + cut.start()]
            if separator is _AND or " " in run:
                yield begin, run
            begin = match.start() + cut.end()
        yield begin, rest[begin : match.end()]


def _without_question_words(start: int, text: str, question: frozenset[str], inside: bool) -> tuple[int, str]:
    """A capitalised phrase, and its offset, without first words that only ask ("Which") or are an office;
    `inside`: it stands behind an article, and if it has several words, all are its own ("the Main Hall")."""
    while text:
        head = WORD.match(text)
        asks = head is not None and head[0].lower() in question and not (inside and " " in text)
        before = head if asks else _TITLE.match(text)
        if before is None:
            break
        left = text[before.end() :].lstrip(" ,")
        start, text = start + len(text) - len(left), left
    return start, text


def _continues(rest: str, before: str, end: int) -> bool:
    """True if a capitalised phrase only begins a longer phrase ("China sales growth").

    After an auxiliary ("did Baltic Lines open") or an office ("CEO Mira Voss say") it is a name.
    """
    return _LOWERCASE_NEXT.match(rest, end) is not None and not _AUXILIARY.search(before.lower())


def _is_measure(text: str) -> bool:
    """True if a capitalised phrase names a measure (GAAP, EBITDA, AFFO) or begins with a number."""
    return all(word.isupper() and len(word) > 1 for word in text.split()) or text[0].isdigit()


def blank_out(text: str, extents: Sequence[tuple[int, int]]) -> str:
    """The text with blanks in place of these (start, end) ranges; its length stays the same."""
    for start, end in extents:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


# -- the parsed question -------------------------------------------------------------------------------

_GRAIN_DISTANCE = 3
"""A grain is searched in this many words after "each": "each fiscal quarter", "every one of the years"."""

VALUE_KINDS = DURATION, SHARE, VERSION, PERSON, DATE, MONEY, COUNT = (
    "duration", "share", "version", "person", "date", "money", "count",
)  # fmt: skip
"""The kinds of values that questions ask for; of several the first counts ("how long", "how many")."""


class ParsedQuestion(Struct, frozen=True):
    """A question, parsed: names, topics and times.

    `names`: capitalised phrases, outside of its times. `topics`: what it asks about them,
    split at commas and "and". `times`: the spans that it names; `periods`: the same, a range in its years
    or quarters if a figure is asked for. `grain`: it asks for each period of this
    grain. `superlative`: +1 for the highest of several, -1 for the lowest, else 0. `wants_value`: a figure is
    expected. `overview`: it asks what happened in general, how something went on, or why, over one name or
    a longer time; not for a fact. `current`: it asks for what is
    current, by its words or because it is in the present tense and names no time. `forecast`: it asks for
    what is or was expected. `explains`: it asks for a reason or a way. `dated`: a time is named with figures,
    so that it cannot be meant otherwise than it is read. `figure`: a sentence with a figure answers it.
    `reason`: it asks why. `after`, `before`: it asks who or what came right after, or before, this. `text`:
    the question as it was asked; `rest`: without the times that it names; `language`: of its words;
    `several`: it asks which there are; `defines`: it asks what this is, or what it means; `value_kind`: the
    one of VALUE_KINDS that it asks for, or ""; `asking`: words that may only say what is asked for, which an
    answer need not have.
    """

    names: tuple[str, ...]
    topics: tuple[str, ...]
    times: tuple[Span, ...]
    grain: Grain | None
    superlative: int
    wants_value: bool
    overview: bool
    current: bool = False
    forecast: bool = False
    explains: bool = False
    dated: bool = False
    figure: bool = False
    reason: bool = False
    after: str = ""
    text: str = ""
    rest: str = ""
    language: str = FIRST
    several: bool = False
    defines: str = ""
    value_kind: str = ""
    asking: frozenset[str] = frozenset()
    periods: tuple[Span, ...] = ()
    before: str = ""

    @classmethod
    def of(cls, reading: QuestionReading) -> ParsedQuestion:
        """Parse a question."""
        query = reading.query
        return _parsed(replace(reading, query=Query(query.text, "", query.recency, about=query.about)))

    @property
    def beside(self) -> str:
        """What it asks the successor or the predecessor of, or ""."""
        return self.after or self.before

    @property
    def wants_number(self) -> bool:
        """True if nothing but a number answers it: it asks how much or how many, or for what is measured."""
        heads = (self.head_of(each) for each in self.topics)
        return self.value_kind in (DURATION, SHARE, MONEY, COUNT) or any(
            is_measure((head,), self.language) for head in heads
        )

    def head_of(self, topic: str) -> str:
        """The word of one of its topics that says what is asked for: "premium" of "the insurance premium of
        the flat"."""
        return _head_of(topic, WORD.findall(self.text.lower()), self.language)

    @property
    def numbered(self) -> str:
        """What it asks the number of as a name ("fax" of "the fax number of the office"), or ""."""
        tokens, numbers = WORD.findall(self.text.lower()), listed(self.language, "numbers")
        at = next((at for at, word in enumerate(tokens) if at and word in numbers), 0)
        word = tokens[at - 1] if at else ""
        return "" if word in _asking(self.language) else word

    @property
    def number_words(self) -> frozenset[str]:
        """The words for that number, and where it is a phone's all words for one."""
        phone, word = listed(self.language, "phone"), self.numbered
        return phone if word in phone else frozenset({word})

    @property
    def capitals(self) -> tuple[str, ...]:
        """Its words with a capital, behind the first and outside of its times; () where nouns have them."""
        if tables(self.language, "questions").get("capital_nouns", False):
            return ()
        return tuple(word for word in WORD.findall(self.rest)[1:] if word[0].isupper() and len(word) > 1)

    @property
    def wants_list(self) -> bool:
        """True if a list answers it whole: it asks which there are, or how something is done."""
        return self.several or (self.explains and not self.reason and not self.figure)

    @property
    def asks_for_table(self) -> bool:
        """True if it asks for several values: of names, times or measures, or for the highest of some."""
        several = max(len(self.names), len(self.periods), len(self.topics)) > 1
        return self.grain is not None or (several and (self.wants_value or self.superlative != 0))

    @property
    def asks_for_each(self) -> bool:
        """True if it asks, without a word for a value, for one thing at several times or of several names
        that it joins ("who led A and B?"): it may have an answer for each."""
        explains = self.explains and not self.value_kind  # but "how often"
        if self.asks_for_table or self.overview or explains or self.beside:
            return False
        return len(self.times) > 1 or (bool(self.value_kind) and len(self.names) > 1 and self._joins_names)

    @property
    def _joins_names(self) -> bool:
        """True if nothing but joining words and words that only ask stands between its names."""
        if len(self.names) > MOST_PARTS:
            return False
        joining = phrases_of("joining", self.language)
        ends = [(at := self.text.find(name), at + len(name)) for name in self.names]
        between = [self.text[one[1] : other[0]].lower() for one, other in pairwise(sorted(ends))]
        return all(
            ("," in each or joining.search(each))
            and set(WORD.findall(joining.sub(" ", each))) <= listed(self.language, "question")
            for each in between
        )


MOST_PERIODS = 16
"""The most periods of a range ("from 2019 to 2022") that are each asked for."""


def _periods(times: Sequence[Span], mentions: Sequence[TimeExpression]) -> tuple[Span, ...]:
    """The times of a question, with the years or quarters of a range in its place; but a year of accounts or
    of a school is one time ("2019/20", "2016-17")."""
    from asof.time.expressions import is_one_year

    between = [each for each in mentions if each.relation == "between" and not is_one_year(each)]
    ranges = {each.span: each.grain for each in between}
    return tuple(dict.fromkeys(each for span in times for each in _each(span, ranges.get(span, ""))))


def _each(span: Span, grain: str) -> list[Span]:
    """The periods of a grain from the beginning to the end of a span; the span, if they are too many."""
    whole = next((each for each in ("year", "quarter") if each == grain), None)
    if whole is None or span.start is None or span.end is None:
        return [span]
    found, start = list[Span](), span.start.date()
    while len(found) <= MOST_PERIODS:
        period = Period.of(start, whole)
        found.append(period.span)
        if period.after is None or found[-1].last >= span.last:
            return found
        start = period.after
    return [span]


@lru_cache(maxsize=16)
def _parsed(reading: QuestionReading) -> ParsedQuestion:
    """Parse a question; the last ones are kept, since an answer asks several times. The words of the question
    decide which language it is in; in doubt it is the first of the reading's."""
    question = reading.query.text
    lowered = question.lower()
    tokens = WORD.findall(lowered)
    default = reading.language.partition(" ")[0]
    code = detect(tokens, _telling_words(), default, least=2)  # "de" is a word of many
    wishes = reading.intent.wishes if reading.intent else ()
    timeless = rest = blank_out(question, [*((each.start, each.end) for each in reading.mentions), *wishes])
    words, compared = set(tokens), set(WORD.findall(phrases_of("no_choice", code).sub(" ", lowered)))

    def has(*lists: str) -> bool:
        """True if the question has a word of one of these lists."""
        return any(not words.isdisjoint(listed(code, name)) for name in lists)

    names, rest = names_in(
        rest, listed(code, "question"), nouns=tables(code, "questions").get("capital_nouns", False)
    )
    versions = _versioned(question, names)
    if versions:
        names = versions
        rest = blank_out(
            rest, [found.span() for each in names for found in re.finditer(re.escape(each), question)]
        )
    recent = reading.query.recency >= WISHED or (
        not has("past") and bool(has("present") or reading.query.recency)
    )
    for asking in (phrases_of("overview_phrases", code), _ways_to_ask(code)):
        rest = asking.sub(" ", rest)
    topics = _topics(rest, _asking(code), code)
    figure = _has_phrase("figure", code, lowered)
    kind = next((kind for kind in VALUE_KINDS if phrases_of(f"asks_{kind}", code).search(lowered)), "")
    after = _after(question, code) or (_beside_name(AFTER, question, code) if kind == PERSON else "")
    measured = any(is_measure((_head_of(each, tokens, code),), code) for each in topics)
    named_only = not has("interrogative", "overview", "explain", "present", "past", "perfect")
    wants_value = bool(topics) and (
        _has_phrase("value", code, lowered)
        or (figure and kind != DATE)
        or (measured and named_only and kind not in (DATE, PERSON))
    )
    times = tuple(span for span in reading.query.about if not (recent and _is_today(span, reading)))
    each = grain_at(tokens, code)
    grain = each[0] if each else None
    course = has("explain") and has("course") and has("past", "perfect")  # "how did … change"
    overview = (
        _has_phrase("overview_phrases", code, lowered)
        or (has("overview") and not wants_value)
        or (course and grain is None and not wants_value)
        or (has("reason") and _is_wide(names, times))
    )
    highest, lowest = (not compared.isdisjoint(listed(code, name)) for name in ("highest", "lowest"))
    return ParsedQuestion(
        names, topics, times, grain, 1 if highest else -1 if lowest else 0, wants_value, overview,
        recent and not times, has("forecast"), has("explain"),
        any(sign.isdigit() for each in reading.mentions for sign in question[each.start : each.end]),
        figure, has("reason"),
        after, question,
        timeless, code, bool(phrases_of("several", code).match(lowered.lstrip())),
        _defined(lowered, code),
        kind, _asking_words(tokens, lowered, code),
        _periods(times, reading.mentions) if wants_value else times,
        _beside_name(BEFORE, question, code) if kind == PERSON else "",
    )  # fmt: skip


def _versioned(question: str, names: Sequence[str]) -> tuple[str, ...]:
    """Where a question names several versions, each right behind a name, these: "Kestrel 2.4"; else ()."""
    found = [
        next((name for name in names if question.endswith(f"{name} ", 0, start)), "")
        + question[start - 1 : end]
        for _, start, end in islice(versions_in(question), MOST_PARTS)
    ]
    named = len(found) > 1 and all(" " in each.strip() for each in found)
    return tuple(dict.fromkeys(found)) if named else ()


@cache
def listed(language: str, name: str) -> frozenset[str]:
    """The words of a list of a language (`lang/*/questions.toml`); none where it lacks the list."""
    return frozenset(str(tables(language, "questions").get(name, "")).split())


def _has_phrase(name: str, language: str, lowered: str) -> bool:
    """True if a question in lower case has a phrase of a list."""
    return any(phrase in lowered for phrase in tables(language, "questions").get(name, ()))


@cache
def _asking(language: str) -> frozenset[str]:
    """Words of the question that are no part of its topic."""
    lists = ("question", "highest", "lowest", "overview", *GRAINS)
    return frozenset().union(*(listed(language, name) for name in lists))


@cache
def _telling_words() -> dict[str, frozenset[str]]:
    """Of each language the words that show that a question is in it."""
    return {
        code: _asking(code) | listed(code, "present") | listed(code, "past") for code in codes("questions")
    }


@cache
def phrases_of(name: str, language: str) -> re.Pattern[str]:
    """Finds the phrases of a list, of English and of the question's language, as whole words."""
    phrases = [phrase for code in (FIRST, language) for phrase in tables(code, "questions").get(name, ())]
    return any_of(phrases)


@cache
def _ways_to_ask(language: str) -> re.Pattern[str]:
    """Finds the phrases of several words that ask for a figure ("how high"), which are no topic."""
    return any_of([each for each in tables(language, "questions").get("figure", ()) if " " in each])


def _after(question: str, language: str) -> str:
    """The predecessor named by a question for a successor: "Solveig Anderby" of "Who came after Solveig
    Anderby as chair?"; empty for other questions."""
    asked = phrases_of("successor_asks", language).match(question.lstrip())
    found = asked and phrases_of("successor", language).search(question, asked.end())
    return _to_end(question[found.end() :], language) if found else ""


def _beside_name(side: str, question: str, language: str) -> str:
    """The name behind a word for a side in a question for a person: "Ada Holm" of "Who was chair before Ada
    Holm?"; "" for another question, and before or after what happened."""
    *_, found = None, *phrases(side).finditer(question.lower())
    name = _to_end(question[found.end() :], language) if found else ""
    return name if all(word[0].isupper() for word in name.split()) else ""


def _to_end(rest: str, language: str) -> str:
    """What stands up to the end of a clause, or a word that ends what a successor is asked of."""
    rest = re.split(r"[?!,;:]|\.(?:\s|$)", rest, maxsplit=1)[0].strip()
    end = phrases_of("successor_ends", language).search(rest)
    return (rest[: end.start()] if end else rest).strip()


def _defined(lowered: str, language: str) -> str:
    """What a question in lower case asks the meaning of: "eos" of "what does eos stand for?"; or ""."""
    asked = phrases_of("defines", language).match(lowered.lstrip(" \"'“"))
    if asked is None:
        return ""
    rest = lowered.lstrip(" \"'“")[asked.end() :].strip(" ?!.\"'“”")
    words = WORD.findall(phrases_of("defines_ends", language).split(rest, 1)[0])
    while words and words[0] in listed(language, "question"):
        words.pop(0)
    return " ".join(words) if len(words) <= LONGEST_NAME else ""


def _asking_words(tokens: Sequence[str], lowered: str, language: str) -> frozenset[str]:
    """The words of a question that may only say what is asked for: those that name a kind of value, a change
    or a version, those around what is to be defined, and a first one that nearly is one that asks
    ("wich")."""
    found = {
        word for kind in VALUE_KINDS for phrase in phrases_of(f"asks_{kind}", language).findall(lowered)
        for word in WORD.findall(phrase)
    }  # fmt: skip
    if (asks := asked(lowered)) is not None and asks.version is not None:
        found.add(asks.version.text)
    for name in ("began", "ended", "altered", "anything"):
        found |= listed(language, name).intersection(tokens)
    if _defined(lowered, language):
        around = (phrases_of("defines", language), phrases_of("defines_ends", language))
        found |= {
            word for each in around for phrase in each.findall(lowered) for word in WORD.findall(phrase)
        }
    if tokens and get_close_matches(tokens[0], listed(language, "question"), 1, MISSPELLED):
        found.add(tokens[0])
    return frozenset(found)


MISSPELLED = 0.75
"""The least likeness (difflib) of a misspelled word to the one that is meant."""

LONGEST_NAME = 4
"""The most words of what is asked the meaning of."""


def _is_wide(names: Sequence[str], times: Sequence[Span]) -> bool:
    """True if these are one name, several times, or one that is longer than a month."""
    return len(names) == 1 or len(times) > 1 or any(span.last - span.first > 31 * DAY for span in times)


def _is_today(span: Span, reading: QuestionReading) -> bool:
    """True if a span is the day of the question: "today" asks for what is current then."""
    return span.first <= reading.as_of <= span.last < span.first + DAY


def grain_at(tokens: Sequence[str], language: str) -> tuple[Grain, int, int] | None:
    """The grain of the periods that are each asked for ("every quarter", "which year"), and the places of the
    words that say so, first and last; None without one."""
    for at, word in enumerate(tokens):
        if word in listed(language, "each"):
            following = tokens[at + 1 : at + 1 + _GRAIN_DISTANCE]
            for grain in reversed(GRAINS):
                if words := listed(language, grain).intersection(following):
                    return grain, at, at + 1 + min(map(following.index, words))
    return None


class _Part(NamedTuple):
    """A phrase of a question between joining words: what it asks for, and what that belongs to ("rent" and
    "flat" of "the rent of the flat")."""

    head: tuple[str, ...]
    tail: tuple[str, ...] = ()


def _topics(rest: str, ignored: frozenset[str], language: str) -> tuple[str, ...]:
    """The phrases of a question without names and times; words in `ignored` are left out. Two questions in
    one ("who looks after it and what does it cost") have one phrase: their values are not of one kind."""
    joining = phrases_of("joining", language).pattern
    rest = re.sub(rf"(?<=\s\s){joining}(?: (?:in|at|of|for))?(?: the)?(?=\s\s)", " ", rest)  # two names
    parts: list[_Part] = []
    asked = 0
    for part in re.split(rf",|;|{joining}", rest):
        part = re.sub(r"['’]s\b|(?<!\w)['’]s?", " ", part)
        every = WORD.findall(part)
        at = next((at for at, word in enumerate(every) if word.lower() in listed(language, "belongs")), None)
        head, tail = (
            tuple(word for word in words if word.lower() not in ignored)
            for words in (every[:at], every[at:] if at is not None else ())
        )
        if head or tail:
            parts.append(_Part(head, tail))
            asked += every[0].lower() in listed(language, "interrogative")
    if asked > 1:
        return (" ".join(word for part in parts for word in (*part.head, *part.tail)),)
    shared = (_with_shared(parts, at, language) for at in range(len(parts)))
    return tuple(dict.fromkeys(" ".join((*part.head, *part.tail)) for part in shared))


def _with_shared(parts: Sequence[_Part], at: int, language: str) -> _Part:
    """A part with the words that it shares with those joined to it: "the rent and deposit of the flat" has
    the deposit of the flat and its rent, "the rent of the flat and garage" two rents, "Q1 and Q2 revenue" two
    revenues."""
    (head, tail), last = parts[at], parts[-1]
    own = is_measure(head, language)
    if not own and head and at < len(parts) - 1 and len(last.head) > 1 and is_measure(last.head, language):
        head, own = (*head, last.head[-1]), True
    before = next((part for part in reversed(parts[:at]) if part.tail), None)
    if tail:
        return _Part(head, tail)
    if before is None:
        return _Part(head, last.tail)
    return _Part(head, before.tail) if own else _Part(before.head, head)


def _head_of(topic: str, tokens: Sequence[str], language: str) -> str:
    """The word of a topic that says what is asked for: the last before "of", else the last."""
    words = topic.lower().split()
    first = tokens.index(words[0]) if words and words[0] in tokens else 0
    belongs = listed(language, "belongs")
    edge = next((at for at, word in enumerate(tokens) if at > first and word in belongs), len(tokens))
    before = [word for word in words if word in tokens[first:edge]]
    return (before or words or [""])[-1]


def is_measure(words: Sequence[str], language: str) -> bool:
    """True if the last of these words names something that is measured: "rent", "fees"."""
    senses, last = lexicon(language).senses, words[-1].lower() if words else ""
    return any("measure" in senses.get(word, NONE) for word in (last, f"{last}s", last.removesuffix("s")))


# -- the times that a question names -------------------------------------------------------------------

MAX_TIMES = 32
"""Of a question that asks for each period, so many are read, the first."""


class NamedPeriods(NamedTuple):
    """The times of a question in words, and how many there are beyond these."""

    words: tuple[str, ...]
    beyond: int


def periods_named(reading: QuestionReading, grain: Grain | None) -> NamedPeriods:
    """The times that a question asks about in its own words; if it asks for each period of a grain, the first
    of those inside them. The moment that it is asked as of is none of them."""
    found: dict[str, None] = {}
    ranges: list[tuple[int, int]] = []
    words = 0
    for mention in reading.mentions:
        span = mention.span
        if mention.relation == AS_OF:
            continue
        if grain is None or span.start is None or span.end is None:
            text = reading.query.text[mention.start : mention.end]
            words += text not in found
            found[text] = None
            continue
        first = Period.of(span.start.date(), grain)
        last = Period.of((span.end - timedelta.resolution).date(), grain)
        ranges.append((first.ordinal, last.ordinal + 1))
        period: Period | None = first
        while period is not None and len(found) < MAX_TIMES and period <= last:
            found[str(period)] = None
            period = None if period.after is None else Period.of(period.after, grain)
    return NamedPeriods(tuple(found), words + _covered(ranges) - len(found))


def _covered(ranges: Iterable[tuple[int, int]]) -> int:
    """The number of integers in any of these half-open ranges."""
    count, reached = 0, 0
    for first, end in sorted(ranges):
        count += max(0, end - max(first, reached))
        reached = max(reached, end)
    return count


# -- sub-questions -------------------------------------------------------------------------------------


def sub_questions(reading: QuestionReading) -> tuple[tuple[str, ...], str]:
    """The sub-questions of a question: for each topic, each name, each time; and a note."""
    parsed = ParsedQuestion.of(reading)
    times = periods_named(reading, parsed.grain)
    return combined(parsed.names, parsed.topics, times.words, times.beyond)


def combined(
    names: tuple[str, ...], topics: tuple[str, ...], times: tuple[str, ...], more_times: int = 0
) -> tuple[tuple[str, ...], str]:
    """Every topic of every name at every time as a text of its own; () where there is one alone.

    A note says if there are more than are searched. `more_times`: how many times there are beyond these.

    >>> combined(("Otter Mills",), ("revenue", "debt"), ("Q1 2023",))[0]
    ('revenue Otter Mills Q1 2023', 'debt Otter Mills Q1 2023')
    """
    count = max(1, len(topics)) * max(1, len(names)) * max(1, len(times) + more_times)
    if count < 2:
        return (), ""
    groups = islice(product(topics or ("",), names or ("",), times or ("",)), MOST_PARTS)
    parts = tuple(" ".join(filter(None, group)) for group in groups)
    more = count > MOST_PARTS
    return parts, f"the question has {count:,} parts: the first {MOST_PARTS} are searched" if more else ""
