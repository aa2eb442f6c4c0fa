"""A question parsed for an answer: names, topics, times, and whether one of several is to be chosen."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from asof.answer.question_names import WORD, blank_out, names_in
from asof.lang import FIRST, codes, detect, tables
from asof.text.question import QuestionReading
from asof.time.intent import WISHED
from asof.time.period import GRAINS, Grain
from asof.time.span import Span

_DAY = 24 * 3600 * 1_000_000  # microseconds
_GRAIN_DISTANCE = 3
"""A grain is looked for in this many words after "each": "each fiscal quarter", "every one of the years"."""

MAX_NAMES, MAX_CELLS = 16, 1_000
"""The most names (and the most topics) that are looked up at once, and the most cells of a table: names times
topics times periods."""


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """What a question asks for.

    `names`: known names and capitalised phrases, outside of its times. `topics`: what it asks about them,
    split at commas and "and". `times`: the spans that it names. `grain`: it asks for each period of this
    grain. `superlative`: +1 for the highest of several, -1 for the lowest, else 0. `wants_value`: a figure is
    expected. `overview`: it asks what happened in general, how something went on, or why, over one name or
    a longer time; not for a fact. `current`: it asks for what is
    current, by its words or because it is in the present tense and names no time. `forecast`: it asks for
    what is or was expected. `explains`: it asks for a reason or a way. `dated`: a time is named with figures,
    so that it cannot be meant otherwise than it is read. `figure`: a sentence with a figure answers it.
    `reason`: it asks why. `after`: it asks who or what came after this. `text`: the question as it was asked.
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

    @classmethod
    def of(cls, reading: QuestionReading, known: Iterable[str] = (), language: str = "en") -> ParsedQuestion:
        """Parse a question. `known`: names in the corpus; they count as names in any spelling.

        `language`: codes of the corpus, separated by blanks. The words of the question decide which
        language it is in; in doubt it is the first of these codes.
        """
        question = reading.query.text
        lowered = question.lower()
        tokens = WORD.findall(lowered)
        default = language.partition(" ")[0]
        code = detect(tokens, _telling_words(), default, least=2)  # "de" is a word of many
        lists = word_lists(code)
        intent = reading.intent.wishes if reading.intent else ()
        rest = blank_out(question, [*((each.start, each.end) for each in reading.mentions), *intent])
        words, compared = set(tokens), set(WORD.findall(_phrases("no_choice", code).sub(" ", lowered)))
        names, rest = names_in(rest, known, lists.question, nouns=lists.capital_nouns)
        recent = reading.query.recency >= WISHED or (
            not words & lists.past and bool(words & lists.present or reading.query.recency)
        )
        topics = _topics(_phrases("overview_phrases", code).sub(" ", rest), lists.asking, code)
        wants_value = bool(topics) and any(phrase in lowered for phrase in lists.value)
        times = tuple(span for span in reading.query.about if not (recent and _is_today(span, reading)))
        grain = _grain(tokens, lists)
        overview = (
            any(phrase in lowered for phrase in lists.overview_phrases)
            or bool(words & lists.overview and not wants_value)
            or (lists.asks_for_course(words) and grain is None and not wants_value)
            or bool(words & lists.reason and _is_wide(names, times))
        )
        return cls(
            names, topics, times, grain,
            1 if compared & lists.highest else -1 if compared & lists.lowest else 0,
            wants_value, overview,
            recent and not times, bool(words & lists.forecast), bool(words & lists.explain),
            any(sign.isdigit() for each in reading.mentions for sign in question[each.start : each.end]),
            any(phrase in lowered for phrase in lists.figure), bool(words & lists.reason),
            _after(question, code), question,
        )  # fmt: skip

    @property
    def asks_for_table(self) -> bool:
        """Whether it asks for several values: of names, times or measures, or for the highest of some."""
        several = max(len(self.names), len(self.times), len(self.topics)) > 1
        return self.grain is not None or (several and (self.wants_value or self.superlative != 0))

    @property
    def asks_for_figures(self) -> bool:
        """Whether it asks for the values of a table, or for a figure of a time."""
        return self.asks_for_table or (self.wants_value and bool(self.names and self.times))

    def bounded(self) -> tuple[ParsedQuestion, str]:
        """The question with at most MAX_NAMES names and topics and MAX_CELLS cells; a note if it was cut."""
        names, topics = self.names[:MAX_NAMES], self.topics[:MAX_NAMES]
        times = self.times[: MAX_CELLS // (max(len(names), 1) * max(len(topics), 1))]
        if (names, topics, times) == (self.names, self.topics, self.times):
            return self, ""
        note = (
            f"the question has {len(self.names)} names, {len(self.topics)} topics, {len(self.times)} times;"
            f" only the first {len(names)}, {len(topics)} and {len(times)} are looked up"
        )
        return replace(self, names=names, topics=topics, times=times), note


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The word lists of a language, `lang/*/questions.toml`."""

    question: frozenset[str]
    highest: frozenset[str]
    lowest: frozenset[str]
    each: frozenset[str]
    overview: frozenset[str]
    present: frozenset[str]
    past: frozenset[str]
    value: tuple[str, ...]
    figure: tuple[str, ...]
    overview_phrases: tuple[str, ...]
    forecast: frozenset[str]
    explain: frozenset[str]
    course: frozenset[str]
    perfect: frozenset[str]
    reason: frozenset[str]
    grain: dict[Grain, frozenset[str]]
    capital_nouns: bool

    def asks_for_course(self, words: set[str]) -> bool:
        """Whether these words ask how something went on: "how did … change", "how has … changed"."""
        return bool(words & self.explain and words & self.course and words & (self.past | self.perfect))

    @property
    def asking(self) -> frozenset[str]:
        """Words that belong to the question and not to its topic."""
        return self.question.union(self.highest, self.lowest, self.overview, *self.grain.values())


@cache
def _telling_words() -> dict[str, frozenset[str]]:
    """Of each language the words that show that a question is in it."""
    lists = {code: word_lists(code) for code in codes("questions")}
    return {code: words.asking | words.present | words.past for code, words in lists.items()}


@cache
def _phrases(name: str, language: str) -> re.Pattern[str]:
    """Finds the phrases of a list, of English and of the question's language, as whole words."""
    listed = [phrase for code in (FIRST, language) for phrase in tables(code, "questions").get(name, ())]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, listed))})\b", re.IGNORECASE)


def _after(question: str, language: str) -> str:
    """What a question for a successor names: "Solveig Anderby" of "Who came after Solveig Anderby as chair?";
    empty for other questions."""
    asked = _phrases("successor_asks", language).match(question.lstrip())
    found = asked and _phrases("successor", language).search(question, asked.end())
    if not found:
        return ""
    rest = re.split(r"[?!,;:]|\.(?:\s|$)", question[found.end() :], maxsplit=1)[0].strip()
    end = _phrases("successor_ends", language).search(rest)
    return (rest[: end.start()] if end else rest).strip()


@cache
def word_lists(language: str) -> QuestionWords:
    """The word lists of a language, empty ones where it lacks them."""
    lists = tables(language, "questions")
    of = defaultdict(
        frozenset[str],
        {name: frozenset(words.split()) for name, words in lists.items() if isinstance(words, str)},
    )
    value, figure, overview = (tuple(lists.get(name, ())) for name in ("value", "figure", "overview_phrases"))
    return QuestionWords(
        of["question"], of["highest"], of["lowest"], of["each"], of["overview"],
        of["present"], of["past"], value, figure, overview, of["forecast"], of["explain"],
        of["course"], of["perfect"], of["reason"],
        {grain: of[grain] for grain in GRAINS}, lists.get("capital_nouns", False),
    )  # fmt: skip


def _is_wide(names: Sequence[str], times: Sequence[Span]) -> bool:
    """Whether these are one name, several times, or one that is longer than a month."""
    return len(names) == 1 or len(times) > 1 or any(span.last - span.first > 31 * _DAY for span in times)


def _is_today(span: Span, reading: QuestionReading) -> bool:
    """Whether a span is the day of the question: "today" asks for what is current then."""
    return span.first <= reading.as_of <= span.last < span.first + _DAY


def _grain(tokens: Sequence[str], lists: QuestionWords) -> Grain | None:
    """The grain of the periods that are each asked for: "every quarter", "which year"."""
    for at, word in enumerate(tokens):
        if word in lists.each:
            following = set(tokens[at + 1 : at + 1 + _GRAIN_DISTANCE])
            for grain in reversed(GRAINS):
                if following & lists.grain[grain]:
                    return grain
    return None


def _topics(rest: str, ignored: frozenset[str], language: str) -> tuple[str, ...]:
    """The phrases of a question without names and times; words in `ignored` are left out."""
    phrases = []
    for part in re.split(rf",|;|{_phrases('joining', language).pattern}", rest):
        part = re.sub(r"['’]s\b|(?<!\w)['’]s?", " ", part)
        words = [word for word in WORD.findall(part) if word.lower() not in ignored]
        if words:
            phrases.append(" ".join(words))
    return tuple(dict.fromkeys(phrases))
