"""What a question asks for: of whom, of which times, which things, and whether to choose one of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from asof.answer.named import WORD, blanked, names_in
from asof.text.question import QuestionReading
from asof.time.intent import WISHED
from asof.time.period import GRAINS, Grain
from asof.time.span import Span

_DAY = 24 * 3600 * 1_000_000  # microseconds
_NEAR = 3
"""So many words after "each" say of what: "each fiscal quarter", "every one of the years"."""

MOST_NAMED, MOST_CELLS = 16, 1_000
"""So many names, and so many things, are looked for at once; and so many cells of a table (names, things and
times multiplied)."""

_NO_CHOICE = re.compile(r"\b(?:most recent(?:ly)?|most of|at most|at least|at best)\b")
_PARTS = re.compile(r",|;|\band\b|\bund\b|\bas well as\b|\bsowie\b")


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question, taken apart.

    `names`: capitalised runs and names that are known, outside of its times; `things`: what it asks about
    them, parted at commas and "and", in words; `times`: the spans that it names; `grain`: it asks for each
    period of that grain; `choice`: +1 for the highest, -1 for the lowest of several, else 0; `wants_value`:
    a figure is expected; `whole`: it asks for what happened at large rather than for a fact; `now`: for what
    is in force, by its words or because it speaks in the present of no time; `forecast`: for what is or was
    expected.
    """

    names: tuple[str, ...]
    things: tuple[str, ...]
    times: tuple[Span, ...]
    grain: Grain | None
    choice: int
    wants_value: bool
    whole: bool
    now: bool = False
    forecast: bool = False

    @classmethod
    def of(cls, reading: QuestionReading, known: Iterable[str] = (), language: str = "en") -> ParsedQuestion:
        """Take a question apart. `known` are names that the corpus has: those that it says are names however
        they are written. `language`: codes of the corpus, parted by blanks; the question itself says by its
        words which of `LANGUAGES` it is in, else the first of these does."""
        question = reading.query.text
        low = question.lower()
        told = WORD.findall(low)
        spoken = _spoken(told, language.partition(" ")[0])
        lists = words(spoken)
        wishes = reading.intent.wishes if reading.intent else ()
        rest = blanked(question, [*((each.start, each.end) for each in reading.mentions), *wishes])
        said, compared = set(told), set(WORD.findall(_NO_CHOICE.sub(" ", low)))
        names, rest = names_in(rest, known, lists.question, nouns=spoken == "de")
        wished = reading.query.recency >= WISHED or (
            not said & lists.past and bool(said & lists.present or reading.query.recency)
        )
        things = _things(rest, lists.asking)
        times = tuple(span for span in reading.query.about if not (wished and _present_day(span, reading)))
        return cls(
            names, things, times, _grain(told, lists),
            1 if compared & lists.highest else -1 if compared & lists.lowest else 0,
            bool(things) and any(phrase in low for phrase in lists.value),
            bool(said & lists.whole) or any(phrase in low for phrase in lists.at_large),
            wished and not times, bool(said & lists.forecast),
        )  # fmt: skip

    def bounded(self) -> tuple[ParsedQuestion, str]:
        """The first of what is asked for, as much as is looked for at once, and a note if that is not all."""
        names, things = self.names[:MOST_NAMED], self.things[:MOST_NAMED]
        times = self.times[: MOST_CELLS // (max(len(names), 1) * max(len(things), 1))]
        if (names, things, times) == (self.names, self.things, self.times):
            return self, ""
        note = (
            f"asked for at once: {len(self.names)} names, {len(self.things)} things, {len(self.times)} times;"
            f" looked for: the first {len(names)}, {len(things)} and {len(times)}"
        )
        return replace(self, names=names, things=things, times=times), note


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """The word lists of a language."""

    question: frozenset[str]
    highest: frozenset[str]
    lowest: frozenset[str]
    each: frozenset[str]
    whole: frozenset[str]
    present: frozenset[str]
    past: frozenset[str]
    value: tuple[str, ...]
    at_large: tuple[str, ...]
    forecast: frozenset[str]
    grain: dict[Grain, frozenset[str]]

    @property
    def asking(self) -> frozenset[str]:
        """Words that ask, and say nothing of what is asked about."""
        return self.question.union(self.highest, self.lowest, self.whole, *self.grain.values())

    def count(self, told: Iterable[str]) -> int:
        """How many of these words are among the lists."""
        return sum(word in self.asking or word in self.present or word in self.past for word in told)


LANGUAGES = ("en", "de")


def _spoken(told: Sequence[str], usual: str) -> str:
    """The language whose lists have most of a question's words; of equals `usual`, then the first."""
    return max(LANGUAGES, key=lambda code: (words(code).count(told), code == usual))


@lru_cache
def words(language: str) -> AnswerWords:
    """The lists of a language of `LANGUAGES`."""
    text = (files("asof.answer") / "words" / f"{language}.toml").read_text("utf-8")
    lists: dict[str, str] = tomllib.loads(text)
    of = {name: frozenset(value.split()) for name, value in lists.items()}
    return AnswerWords(
        of["question"], of["highest"], of["lowest"], of["each"], of["whole"],
        of["present"], of["past"],
        tuple(lists["value"].split("|")), tuple(lists["at_large"].split("|")), of["forecast"],
        {grain: of[grain] for grain in GRAINS},
    )  # fmt: skip


def _present_day(span: Span, reading: QuestionReading) -> bool:
    """Whether a span is the very day of the question: "today" wishes for what is in force then."""
    return span.first <= reading.as_of <= span.last < span.first + _DAY


def _grain(told: Sequence[str], lists: AnswerWords) -> Grain | None:
    """The grain of the periods that are each asked for: "every quarter", "which year"."""
    for at, word in enumerate(told):
        if word in lists.each:
            near = set(told[at + 1 : at + 1 + _NEAR])
            for grain in reversed(GRAINS):
                if near & lists.grain[grain]:
                    return grain
    return None


def _things(rest: str, drop: frozenset[str]) -> tuple[str, ...]:
    """The phrases of what is left, without words that only ask."""
    phrases = []
    for part in _PARTS.split(rest):
        kept = [word for word in WORD.findall(_tidy(part)) if word.lower() not in drop]
        if kept:
            phrases.append(" ".join(kept))
    return tuple(dict.fromkeys(phrases))


def _tidy(part: str) -> str:
    return re.sub(r"['’]s\b|(?<!\w)['’]s?", " ", part)
