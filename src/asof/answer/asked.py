"""What a question asks for: of whom, of which times, which things, and whether to choose one of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from asof.text.names import key
from asof.text.question import Reading
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
    r"\b(?:did|does|do|is|are|was|were|has|have|had|will|by|of|hat|haben|ist|war|wird|von)\s+$"
)
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
    is in force.
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
        they are written."""
        question = reading.query.text
        lists = [words(code) for code in language.split() if code in LANGUAGES] or [words("en")]
        rest = _blanked(question, [(each.start, each.end) for each in reading.mentions])
        low = question.lower()
        said = set(_WORD.findall(low))
        names, rest = _names(rest, known, frozenset().union(*(each.question for each in lists)))
        drop = frozenset().union(*(each.asking for each in lists))
        grain = next(
            (g for g in reversed(GRAINS) for each in lists if said & each.grain[g] and said & each.each), None
        )
        choice = (
            1 if any(said & e.highest for e in lists) else -1 if any(said & e.lowest for e in lists) else 0
        )
        return cls(
            names, _things(rest, drop), reading.query.about, grain, choice,
            any(phrase in low for each in lists for phrase in each.value),
            any(said & each.whole for each in lists),
            reading.query.recency > 0 and not reading.query.about,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Words:
    """The word lists of a language."""

    question: frozenset[str]
    highest: frozenset[str]
    lowest: frozenset[str]
    each: frozenset[str]
    whole: frozenset[str]
    value: tuple[str, ...]
    grain: dict[Grain, frozenset[str]]

    @property
    def asking(self) -> frozenset[str]:
        """Words that ask, and say nothing of what is asked about."""
        return self.question.union(self.highest, self.lowest, self.whole, *self.grain.values())


LANGUAGES = ("en", "de")


@lru_cache
def words(language: str) -> Words:
    """The lists of a language of `LANGUAGES`."""
    text = (files("asof.answer") / "words" / f"{language}.toml").read_text("utf-8")
    lists: dict[str, str] = tomllib.loads(text)
    of = {name: frozenset(value.split()) for name, value in lists.items()}
    return Words(
        of["question"], of["highest"], of["lowest"], of["each"], of["whole"],
        tuple(lists["value"].split("|")), {grain: of[grain] for grain in GRAINS},
    )  # fmt: skip


def _blanked(text: str, extents: Sequence[tuple[int, int]]) -> str:
    """The text with blanks in place of some stretches, as long as before."""
    for start, end in extents:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _names(rest: str, known: Iterable[str], question: frozenset[str]) -> tuple[tuple[str, ...], str]:
    """The names in a question, and the question without them."""
    found: dict[int, str] = {}
    for name in sorted(set(known), key=lambda each: (-len(each), each)):
        for match in re.finditer(rf"(?<!\w){_loose(name)}(?:['’]s)?(?!\w)", rest, re.IGNORECASE):
            found[match.start()] = name
            rest = _blanked(rest, [match.span()])
    for match in _RUN.finditer(rest):
        start, text = _without_question_words(match.start(), match[0], question)
        possessive = _POSSESSIVE.search(text)
        text = text[: possessive.start()] if possessive else text
        text = text.rstrip(" ,?!" if _LEGAL_END.search(text) else " ,.?!")
        if not key(text) or (_measure(text) and not possessive):
            continue
        if not possessive and _goes_on(rest, start, start + len(text)):
            continue
        found[start] = text
        rest = _blanked(rest, [(start, start + len(text))])
    return tuple(dict.fromkeys(found[start] for start in sorted(found))), rest


def _without_question_words(start: int, text: str, question: frozenset[str]) -> tuple[int, str]:
    """A run of capitals without the words at its beginning that only ask ("Which", "Did")."""
    while (head := _WORD.match(text)) and head[0].lower() in question:
        left = text[head.end() :].lstrip(" ,")
        start, text = start + len(text) - len(left), left
    return start, text


def _goes_on(rest: str, start: int, end: int) -> bool:
    """Whether a run is the beginning of a phrase in small letters ("China sales growth") and no name after
    an auxiliary ("did Baltic Lines open")."""
    return _SMALL_NEXT.match(rest, end) is not None and _AUXILIARY.search(rest, 0, start) is None


def _loose(name: str) -> str:
    """A pattern for a name in any case, with or without its legal form and marks."""
    legal = r"(?:,?\s+(?:inc|corp|co|ltd|plc|llc|lp|ag|se|gmbh|corporation|company|incorporated)\b\.?)?"
    return r"[\s.,’'-]*".join(r"[.’']?".join(map(re.escape, word)) for word in key(name).split()) + legal


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
