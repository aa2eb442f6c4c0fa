"""What a question asks for: of whom, of which times, which things, and whether to choose one of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from asof.text.names import key
from asof.text.question import Reading
from asof.time.intent import WISHED
from asof.time.period import GRAINS, Grain
from asof.time.span import Span

_RUN = re.compile(
    r"[^\W\d_a-zß-öø-ÿ][\w.&’'-]*(?:(?:,\s+(?=(?:Inc|Ltd|Corp|LLC|L\.P|Co|plc|AG|GmbH|S\.A)\b)|\s+(?:of|and|&|de|von|der|the)"
    r"\s+(?=[^\W\d_a-zß-öø-ÿ])|\s+)(?:[^\W\d_a-zß-öø-ÿ][\w.&’'-]*|plc\b))*"
)
_POSSESSIVE = re.compile(r"['’]s(?!\w)|(?<=s)['’](?!\w)")
_SMALL_NEXT = re.compile(
    r"[ ](?!and\b|or\b|in\b|und\b|oder\b|between\b|from\b|during\b|before\b|after\b)[a-zß-öø-ÿ]"
)
_AUXILIARY = re.compile(
    r"\b(?:did|does|do|is|are|was|were|has|have|had|will|by|of|c[efot]o|hat|haben|ist|war|wird|von)\s+$"
)
_JOINED = re.compile(r"\s+and\s+")
_JOINED_DE = re.compile(r"\s+(?:von|der)\s+")
_DETERMINED = re.compile(
    r"\b(?i:de[rsnm]|die|das|eine?[rsnm]?|i[mn]s?|am|zu[mr]|vom|beim|welche[rsnm]?|jede[rsnm]?|wie viele?)\s+"
    r"(?:[a-zß-ÿ]+e[rsnm]?\s+){0,2}$"
)
_BEFORE = re.compile(r"(?:C[EFOT]O|[A-Z&-]{2,9}(?=\s+of\s))\b\s*(?:of\s+)?")
"""An office or a measure before a name: "CEO Mira Voss", "AFFO of Birch Bay"."""

_LOOK_BACK = 80
"""So many characters before a run are looked at: what decides stands beside it."""

_NEAR = 3
"""So many words after "each" say of what: "each fiscal quarter", "every one of the years"."""

_NO_CHOICE = re.compile(r"\b(?:most recent(?:ly)?|most of|at most|at least|at best)\b")
_LEGAL_END = re.compile(r"\b(?:Inc|Ltd|Corp|Co|L\.P|S\.A|U\.S\.A?)\.$")
_PARTS = re.compile(r",|;|\band\b|\bund\b|\bas well as\b|\bsowie\b")
_WORD = re.compile(r"\w[\w.'’-]*")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, taken apart.

    `names`: capitalised runs and names that are known, outside of its times; `things`: what it asks about
    them, parted at commas and "and", in words; `times`: the spans that it names; `grain`: it asks for each
    period of that grain; `choice`: +1 for the highest, -1 for the lowest of several, else 0; `wants_value`:
    a figure is expected; `whole`: it asks for what happened at large rather than for a fact; `now`: for what
    is in force, by its words or because it speaks in the present of no time.
    """

    names: tuple[str, ...]
    things: tuple[str, ...]
    times: tuple[Span, ...]
    grain: Grain | None
    choice: int
    wants_value: bool
    whole: bool
    now: bool = False

    @classmethod
    def of(cls, reading: Reading, known: Iterable[str] = (), language: str = "en") -> Asked:
        """Take a question apart. `known` are names that the corpus has: those that it says are names however
        they are written. `language`: codes of the corpus, parted by blanks; the question itself says by its
        words which of `LANGUAGES` it is in, else the first of these does."""
        question = reading.query.text
        low = question.lower()
        told = _WORD.findall(low)
        spoken = _spoken(told, language.partition(" ")[0])
        lists = words(spoken)
        wishes = reading.intent.wishes if reading.intent else ()
        rest = _blanked(question, [*((each.start, each.end) for each in reading.mentions), *wishes])
        said, compared = set(told), set(_WORD.findall(_NO_CHOICE.sub(" ", low)))
        names, rest = _names(rest, known, lists.question, nouns=spoken == "de")
        wished = reading.query.recency >= WISHED or (
            not said & lists.past and bool(said & lists.present or reading.query.recency)
        )
        return cls(
            names, _things(rest, lists.asking), reading.query.about, _grain(told, lists),
            1 if compared & lists.highest else -1 if compared & lists.lowest else 0,
            any(phrase in low for phrase in lists.value), bool(said & lists.whole),
            wished and not reading.query.about,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Words:
    """The word lists of a language."""

    question: frozenset[str]
    highest: frozenset[str]
    lowest: frozenset[str]
    each: frozenset[str]
    whole: frozenset[str]
    present: frozenset[str]
    past: frozenset[str]
    value: tuple[str, ...]
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
def words(language: str) -> Words:
    """The lists of a language of `LANGUAGES`."""
    text = (files("asof.answer") / "words" / f"{language}.toml").read_text("utf-8")
    lists: dict[str, str] = tomllib.loads(text)
    of = {name: frozenset(value.split()) for name, value in lists.items()}
    return Words(
        of["question"], of["highest"], of["lowest"], of["each"], of["whole"],
        of["present"], of["past"],
        tuple(lists["value"].split("|")), {grain: of[grain] for grain in GRAINS},
    )  # fmt: skip


def _blanked(text: str, extents: Sequence[tuple[int, int]]) -> str:
    """The text with blanks in place of some stretches, as long as before."""
    for start, end in extents:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _grain(told: Sequence[str], lists: Words) -> Grain | None:
    """The grain of the periods that are each asked for: "every quarter", "which year"."""
    for at, word in enumerate(told):
        if word in lists.each:
            near = set(told[at + 1 : at + 1 + _NEAR])
            for grain in reversed(GRAINS):
                if near & lists.grain[grain]:
                    return grain
    return None


def _names(
    rest: str, known: Iterable[str], question: frozenset[str], *, nouns: bool
) -> tuple[tuple[str, ...], str]:
    """The names in a question, and the question without them. `nouns`: nouns have capitals too."""
    found: dict[int, str] = {}
    letters = re.sub(r"\W", "", rest.lower())
    there = {name for name in known if key(name) and all(each in letters for each in _said_in(name))}
    for name in sorted(there, key=lambda each: (-len(each), each)):
        for match in re.finditer(rf"(?<!\w){_loose(name)}(?:['’]s)?(?!\w)", rest, re.IGNORECASE):
            found[match.start()] = name
            rest = _blanked(rest, [match.span()])
    for begin, run in _runs(rest, _JOINED_DE if nouns else _JOINED):
        start, text = _without_question_words(begin, run, question)
        possessive = _POSSESSIVE.search(text)
        text = text[: possessive.start()] if possessive else text
        text = text.rstrip(" ,?!" if _LEGAL_END.search(text) else " ,.?!")
        if not key(text) or (_measure(text) and not possessive):
            continue
        before = rest[max(0, start - _LOOK_BACK) : start]
        if nouns:
            if " " not in text and _DETERMINED.search(before):
                continue
        elif not possessive and _goes_on(rest, before, start + len(text)):
            continue
        found[start] = text
        rest = _blanked(rest, [(start, start + len(text))])
    return tuple(dict.fromkeys(found[start] for start in sorted(found))), rest


def _runs(rest: str, joined: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The runs of capitals with their places, parted at the words that join two of them. In German a single
    word before "von" is a noun ("Umsatz von", "Kapitän der") and no name."""
    for match in _RUN.finditer(rest):
        begin = match.start()
        for link in joined.finditer(match[0]):
            run = rest[begin : match.start() + link.start()]
            if joined is _JOINED or " " in run:
                yield begin, run
            begin = match.start() + link.end()
        yield begin, rest[begin : match.end()]


def _said_in(name: str) -> list[str]:
    """The words of a name that a question must have to say it; "and" may be written "&"."""
    return [word for word in key(name).split() if word.isalnum() and word != "and"]


def _without_question_words(start: int, text: str, question: frozenset[str]) -> tuple[int, str]:
    """A run of capitals without the words at its beginning that only ask ("Which", "Did") or are no name."""
    while text:
        head = _WORD.match(text)
        asks = head is not None and head[0].lower() in question
        before = head if asks else _BEFORE.match(text)
        if before is None:
            break
        left = text[before.end() :].lstrip(" ,")
        start, text = start + len(text) - len(left), left
    return start, text


def _goes_on(rest: str, before: str, end: int) -> bool:
    """Whether a run is the beginning of a phrase in small letters ("China sales growth") and no name after
    an auxiliary ("did Baltic Lines open") or an office ("CEO Mira Voss say")."""
    return _SMALL_NEXT.match(rest, end) is not None and not _AUXILIARY.search(before.lower())


def _loose(name: str) -> str:
    """A pattern for a name in any case, with or without its legal form and marks."""
    legal = r"(?:,?\s+(?:inc|corp|co|ltd|plc|llc|lp|ag|se|gmbh|corporation|company|incorporated)\b\.?)?"
    words = ("(?:and|&)" if word == "and" else _dotted(word) for word in key(name).split())
    return r"[\s.,’'-]*".join(words) + legal


def _dotted(word: str) -> str:
    return r"[.’']?".join(map(re.escape, word))


def _measure(text: str) -> bool:
    """Whether a run of capitals is rather the name of a measure (GAAP, EBITDA, AFFO) than of somebody."""
    return all(word.isupper() and len(word) > 1 for word in text.split()) or text[0].isdigit()


def _things(rest: str, drop: frozenset[str]) -> tuple[str, ...]:
    """The phrases of what is left, without words that only ask."""
    phrases = []
    for part in _PARTS.split(rest):
        kept = [word for word in _WORD.findall(_tidy(part)) if word.lower() not in drop]
        if kept:
            phrases.append(" ".join(kept))
    return tuple(dict.fromkeys(phrases))


def _tidy(part: str) -> str:
    return re.sub(r"['’]s\b|(?<!\w)['’]s?", " ", part)
