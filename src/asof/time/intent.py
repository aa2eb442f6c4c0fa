"""The intent of a question about time: newest, past or future.

`recency` and `wishes` follow from words of time and from structure alone. `direction` is the class of the
largest sum of weights in a small linear model over the question's form, its words of time and the kinds of
answers that it names. The weights in `weights.toml` are fitted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from asof.lang import FIRST, codes, detect, every, of_all, tables

if TYPE_CHECKING:
    from asof.time.expressions import TimeExpression
    from asof.time.span import Span

# -- cues: words of time, of recency and of structure (`lang/<code>/intent.toml`, `answer_kinds.toml`) --

CONTENT = ""
"""The kind of a word that is in no list."""

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_QUOTED = re.compile(r"\"[^\"]*+\"|“[^“”]*+”|„[^„“”]*+[“”]|«[^«»]*+»|(?<!\w)'[^']*+'(?!\w)")
_MARKS = '"“”„«»'


class Cue(NamedTuple):
    """A word or phrase at [start, end) of a question. `kind`: `table.list` of the language, or `CONTENT`."""

    kind: str
    start: int
    end: int
    text: str  # in lower case
    word: str  # of a phrase the last one
    possessive: bool  # whether "'s" was there


Word = tuple[int, int, str, bool]
"""Start, end, the word in lower case without "'s", whether it had one."""

Phrases = dict[str, tuple[tuple[tuple[str, ...], str], ...]]
"""First word of a phrase -> (its other words, its kind), longest first."""


def language_of(words: list[Word], language: str) -> str:
    """The language of a question, of those named in `language` (codes with anything between them).

    The one whose lists know most of its words; in doubt English, which is always among them.
    """
    if language == FIRST:
        return language
    wanted = {FIRST, *re.findall("[a-z]+", language.lower())}
    named = [code for code in codes("intent") if code in wanted]
    if len(named) == 1:
        return FIRST
    return detect({word for _, _, word, _ in words}, {code: phrases(code) for code in named})


def words_of(question: str) -> list[Word]:
    """The words of a question in order; what is quoted in it is left out.

    A question that is in quotation marks as a whole, its question mark included, is no quotation.
    """
    start, end = 0, len(question)
    inner = question.strip().strip(_MARKS)
    if inner.endswith("?") and not any(mark in inner for mark in _MARKS):
        start = question.index(inner)
        end = start + len(inner)
    words: list[Word] = []
    for quoted in _QUOTED.finditer(question, start, end):
        words += _tokens(question, start, quoted.start())
        start = quoted.end()
    return words + _tokens(question, start, end)


def _tokens(question: str, start: int, end: int) -> list[Word]:
    words: list[Word] = []
    for found in _WORD.finditer(question, start, end):
        word = found[0].lower().replace("’", "'")
        words.append((*found.span(), word.removesuffix("'s"), word.endswith("'s")))
    return words


def cues(question: str, words: list[Word], listed: Phrases, *, every: bool = True) -> list[Cue]:
    """The longest phrases at each place from left to right, each as one; words in no phrase only if `every`.

    `listed`: the `phrases` of a language, or its `kinds` of answers.
    """
    found: list[Cue] = []
    after = 0
    for at, (start, end, word, possessive) in enumerate(words):
        if at < after:
            continue
        options = listed.get(word, ())
        if possessive:
            options = (*listed.get(f"{word}'s", ()), *options)
        for rest, kind in options:
            if not rest or _stands(question, words, at, rest):
                after = at + len(rest) + 1
                _, end, last, possessive = words[after - 1]
                found.append(
                    Cue(kind, start, end, question[start:end].lower() if rest else word, last, possessive)
                )
                break
        else:
            if every:
                found.append(Cue(CONTENT, start, end, word, word, possessive))
    return found


def _stands(question: str, words: list[Word], at: int, rest: tuple[str, ...]) -> bool:
    """True if `rest` comes after the word at `at`, with blanks between."""
    after = words[at + 1 : at + 1 + len(rest)]
    return tuple(word for _, _, word, _ in after) == rest and all(
        question[words[i][1] : words[i + 1][0]].isspace() for i in range(at, at + len(rest))
    )


@cache
def phrases(language: str) -> Phrases:
    """The lists of a language."""
    return _by_first_word(
        (phrase, f"{table}.{entry}")
        for table, entries in tables(language, "intent").items()
        for entry, listed in entries.items()
        for phrase in listed
    )


@cache
def kinds(language: str) -> Phrases:
    """The words of a language that name kinds of answers."""
    return _by_first_word(
        (phrase, entry) for entry, listed in tables(language, "answer_kinds").items() for phrase in listed
    )


def _by_first_word(named: Iterable[tuple[str, str]]) -> Phrases:
    listed: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrase, kind in named:
        first, *rest = phrase.split()
        listed.setdefault(first, []).append((tuple(rest), kind))
    return {
        first: tuple(sorted(options, key=lambda option: -len(option[0]))) for first, options in listed.items()
    }


# -- form: kind of question, tense, recency cues, dates; its topic is not used -------------------------

Side = Literal["past", "now", "coming", "unknown"]
"""The direction of a date from the moment of the question."""

Tense = Literal["present", "past", "perfect", "future", "none"]

FUNCTION = ("word.", "verb.", "wh.", "relation.", "still.")
"""Lists whose words cannot be the noun that an adjective belongs to."""

_OPENERS = frozenset(("word.determiner", "word.preposition", "word.of", "word.conjunction", "word.negation"))
_TENSES: dict[str, Tense] = {
    "verb.present": "present", "verb.course": "present", "verb.past": "past", "verb.perfect": "perfect",
    "verb.conditional": "present", "future.will": "future",
}  # fmt: skip
WINDOWS = "wish.period"
"""The list of words that are windows of time ("this week"), and no wish for the newest where one is read."""

_REACH = 5
"""How many words after its question word a question may take to come to its verb."""


_AFTER_YEAR = frozenset("0123456789qhw")
"""What may come after the hyphen behind a year: another number, a quarter, a half, a week."""


class QuestionForm(Struct, frozen=True):
    """`asks` is the question word ("when", "who"), "whether" or "keywords"; `tense` that of the next verb.

    `wishes`: the cues that wish for the newest, none where a date asks for the past ("in 1998"); `sides`:
    where the dates lie that it names; `windows`: the wishes that name a time ("this week"), which is looked
    for as other named times are; `first`: of each table of words the first cue.
    """

    cues: list[Cue]
    asks: str
    tense: Tense
    wishes: list[Cue]
    sides: frozenset[Side]
    windows: list[Cue]
    first: dict[str, Cue]

    @property
    def structure(self) -> str:
        """The structure in words: "who + present", "keywords"."""
        return self.asks if self.tense == "none" else f"{self.asks} + {self.tense}"


def question_form(
    question: str, cues: list[Cue], mentions: Sequence[TimeExpression], anchor: datetime | None
) -> QuestionForm:
    """The form of a question whose cues are given."""
    asks, tense = _asks(cues)
    wishes = _wishes(question, cues, asks == "keywords")
    dates = _dates(cues, mentions, anchor, wishes)
    sides = frozenset(side for _, side in dates)
    if sides == {"past"} and any(_is_within(cues, start) for start, _ in dates):
        wishes = []
    first: dict[str, Cue] = {}
    for cue in cues:
        if cue.kind:
            first.setdefault(cue.kind[: cue.kind.index(".")], cue)
    bounded = [mention for mention in mentions if mention.span.start is not None]  # not "as of this week"
    windows = [cue for cue in wishes if cue.kind == WINDOWS and _touches(bounded, cue)]
    return QuestionForm(cues, asks, tense, wishes, sides, windows, first)


def _asks(cues: list[Cue]) -> tuple[str, Tense]:
    for at, cue in enumerate(cues):
        if cue.kind.startswith("wh."):
            return cue.kind[3:], "present" if cue.possessive else _tense(cues[at + 1 : at + 1 + _REACH])
    if cues and cues[0].kind in _TENSES:
        return "whether", _tense(cues)
    return "keywords", _tense(cues)


def _tense(cues: list[Cue]) -> Tense:
    return next((_TENSES[cue.kind] for cue in cues if cue.kind in _TENSES), "none")


def _wishes(question: str, cues: list[Cue], keywords: bool) -> list[Cue]:
    positions = [at for at, cue in enumerate(cues) if cue.kind.startswith("wish.")]
    if not positions:
        return []
    cased = any(question[cue.start].islower() for cue in cues[1:] if cue.kind == CONTENT)
    return [cues[at] for at in positions if _holds(question, cues, at, keywords, cased)]


def _holds(question: str, cues: list[Cue], at: int, keywords: bool, cased: bool) -> bool:
    """True if the cue word at `at` asks for the newest; `cased`: capitals mark names."""
    kind = cues[at].kind
    if (cased and _is_name(question, cues, at)) or _is_reference(cues, at):
        return False
    if kind == "wish.adjective":
        return _is_adjective(question, cues, at, keywords)
    if kind in ("wish.state", "wish.day") and at and cues[at - 1].kind == "word.determiner":
        return not _follows_noun(question, cues, at)  # "the now silent mill"
    return True


def _is_name(question: str, cues: list[Cue], at: int) -> bool:
    """A capital within a sentence, and not all of the word in capitals."""
    start = cues[at].start
    if at == 0 or not question[start].isupper() or question[start : start + 2].isupper():
        return False
    return not any(mark in question[cues[at - 1].end : start] for mark in ".!?:\n")


def _is_reference(cues: list[Cue], at: int) -> bool:
    """After "before", "predecessor of" and the like, with nothing but an article between."""
    at -= 1
    while at >= 0 and cues[at].kind == "word.determiner":
        at -= 1
    return at >= 0 and cues[at].kind.startswith("relation.")


def _is_adjective(question: str, cues: list[Cue], at: int, keywords: bool) -> bool:
    """True if "current" belongs to a noun after it, or comes after "still" or "most"; else it is a noun."""
    if not _follows_noun(question, cues, at):
        after = cues[at + 1].kind if at + 1 < len(cues) else CONTENT
        if after == "word.conjunction" and at + 2 < len(cues):  # "the current and previous owners"
            return cues[at + 2].kind.startswith(("past.", "future."))
        return len(cues) == 1 or (at > 0 and cues[at - 1].kind.startswith(("still.", "degree.")))
    if at == 0:
        return True
    before, gap = cues[at - 1], question[cues[at - 1].end : cues[at].start]
    if before.kind or before.possessive or gap.strip() or before.word.isdigit():
        return cues[at].word != "present" or before.kind in _OPENERS
    if at > 1 and cues[at - 2].kind == "word.determiner":  # "the alternating current motor"
        return False
    return keywords or question[before.start].isupper()


def _follows_noun(question: str, cues: list[Cue], at: int) -> bool:
    """True if a word that could be a noun comes next, with nothing but blanks between."""
    if at + 1 == len(cues) or cues[at + 1].kind.startswith(FUNCTION):
        return False
    return not question[cues[at].end : cues[at + 1].start].strip()


def _dates(
    cues: list[Cue], mentions: Sequence[TimeExpression], anchor: datetime | None, wishes: list[Cue]
) -> list[tuple[int, Side]]:
    """Starts and sides of the mentions that are no wish, and of years that stand in none of them."""
    said = ((m.start, _side(m.span, anchor)) for m in mentions if not _touches(wishes, m))
    years = (
        (cue.start, _side_of_year(int(cue.word[:4]), anchor))
        for cue in cues
        if cue.word[0].isdigit() and _holds_year(cue.word) and not _touches(mentions, cue)
    )
    return [*said, *years]


def _touches(others: Sequence[Cue | TimeExpression], interval: Cue | TimeExpression) -> bool:
    """True if one of `others`, in order and disjoint, shares a character with a range."""
    at = bisect_right(others, interval.start, key=lambda other: other.end)
    return at < len(others) and others[at].start < interval.end


def _is_within(cues: list[Cue], start: int) -> bool:
    """True if a date at `start` begins with a preposition or comes after one; "of" and "as of" are none."""
    at = bisect_right(cues, start, key=lambda cue: cue.start)
    here = cues[max(at - 2, 0) : at]
    return any(cue.kind.startswith(("word.preposition", "relation.")) for cue in here)


def _holds_year(word: str) -> bool:
    """True if a word is a year, or begins with one as 2024-03, 2019-2021 and 2024-q1 do."""
    year, rest = word[:4], word[4:6]
    if rest and not (rest[0] == "-" and rest[1:] and rest[1] in _AFTER_YEAR):
        return False
    return len(year) == 4 and year.isascii() and year.isdigit() and "1000" <= year < "2100"


def _side_of_year(year: int, anchor: datetime | None) -> Side:
    if anchor is None:
        return "unknown"
    return "past" if year < anchor.year else "now" if year == anchor.year else "coming"


def _side(span: Span, anchor: datetime | None) -> Side:
    if anchor is None:
        return "unknown"
    if span.end is not None and span.end <= anchor:
        return "past"
    return "coming" if span.start is not None and span.start > anchor else "now"


# -- direction -----------------------------------------------------------------------------------------

Direction = Literal["past", "recent", "future", "timeless"]
DIRECTIONS: tuple[Direction, ...] = ("past", "recent", "future", "timeless")

MAIN_REASONS = 3
"""The number of features in favour of the direction that are reported."""

ANY = "any"
"""The feature of every question."""

_DATES = {
    "past": "a past date", "now": "a date around now", "coming": "a coming date", "unknown": "a date",
    "none": "no date",
}  # fmt: skip
_LISTS = frozenset(("past", "future", "still", "change", "unit", "degree", "relation"))


def tendency(asked: QuestionForm, kinds: Sequence[Cue], language: str) -> tuple[Direction, list[str]]:
    """The direction of a question by its form and by the kinds of answers that it names, and what spoke most
    for it."""
    told, rows = features(asked, kinds, language), weights()
    shares = [(name, rows[name]) for name in told if name in rows]
    sums = [sum(column) for column in zip(*(row for _, row in shares), strict=True)]
    best = sums.index(max(sums))
    spoke = sorted((-row[best], told[name]) for name, row in shares if row[best] > 0 and name != ANY)
    return DIRECTIONS[best], [reason for _, reason in spoke[:MAIN_REASONS]]


def features(asked: QuestionForm, kinds: Sequence[Cue], language: str) -> dict[str, str]:
    """The features a question has, each with the word or structure that shows it."""
    asks, tense, structure = asked.asks, f"tense.{asked.tense}", asked.structure
    told = {ANY: ANY, asks: structure, tense: structure, f"{asks}.{tense}": structure}
    wishes = set(asked.wishes)
    for cue in asked.cues:
        head = cue.kind.partition(".")[0]
        if head in _LISTS or cue in wishes:
            told[cue.kind] = told[head] = cue.text
            for rest, kind in phrases(language).get(cue.word, ()):
                if head != "unit" and not rest and kind.startswith("unit."):  # "this week", "last year"
                    told[kind] = cue.text
        elif cue.kind == "word.person":
            told[cue.kind] = cue.text
    sides: list[str] = sorted(asked.sides) or ["none"]
    for side in sides:
        told[f"date.{side}"] = told[f"{asks}.date.{side}"] = _DATES[side]
    for cue in kinds:
        told["kind"] = told[f"kind.{cue.kind}"] = cue.text
        for side in sides:
            told[f"kind.{cue.kind}.date.{side}"] = cue.text
    return told


@cache
def weights() -> dict[str, tuple[float, ...]]:
    """The fitted weights of each feature, in the order of `DIRECTIONS`."""
    import tomllib
    from importlib.resources import files

    kept = tomllib.loads((files("asof.time") / "weights.toml").read_text("utf-8"))
    return {name: tuple(row) for name, row in kept.items()}


# -- intent --------------------------------------------------------------------------------------------

WISHED = 1.0  # "latest", "now": in so many words
STATE = 0.5  # "who is", "where does", "what is the … of": the present state, which no word calls new
PRESENT = 0.25  # other questions in the present
INSTANCE = 0.2  # "who won": something past, of which the newest is often meant
NONE = 0.0

_STATES = frozenset(("who", "where", "which", "quantity"))
_LASTING = frozenset(("why", "how", "to", "long", "keywords"))


class Intent(Struct, frozen=True):
    """The intent of a question about time.

    `recency` in [0, 1]: how strongly the newest is asked for, 1 only by explicit words. `reasons`: the
    words and structures that decided, the strongest first. `wishes`: character offsets [start, end) of words
    that only ask for the newest; they leave the lexical query.
    """

    recency: float
    direction: Direction
    reasons: tuple[str, ...]
    wishes: tuple[tuple[int, int], ...]


def intent(
    question: str,
    mentions: Sequence[TimeExpression] = (),
    anchor: datetime | None = None,
    language: str = FIRST,
) -> Intent:
    """The intent of a question about time. Any text is accepted.

    `mentions`: the times it names, in order; years of four digits are seen without them. `anchor`: the aware
    moment it is asked. `language` may name several codes; English is always among them.
    """
    words = words_of(question)
    spoken = language_of(words, language)
    asked = question_form(question, cues(question, words, phrases(spoken)), mentions, anchor)
    wanted, reasons = _recency(asked)
    named = cues(question, words, kinds(spoken), every=False)
    direction, more = tendency(asked, named, spoken)
    if direction == "timeless" and wanted == STATE and not named and _asks_for_holder(asked):
        direction = "recent"
    wishes = tuple((cue.start, cue.end) for cue in asked.wishes if wanted == WISHED or cue in asked.windows)
    return Intent(wanted, direction, tuple(dict.fromkeys((*reasons, *more))), wishes)


def _asks_for_holder(asked: QuestionForm) -> bool:
    """True for "who is the harbour master": who holds an office now, whatever its word."""
    if asked.structure != "who + present":
        return False
    heads = [cue.kind for cue in asked.cues]
    at = heads.index("wh.who")
    return heads[at + 1 : at + 4] == ["verb.present", "word.determiner", CONTENT]


def recency(question: str, language: str = "") -> float:
    """How strongly a question asks for what is newest, in [0, 1] (see `Intent`); in any language."""
    words = words_of(question)
    spoken = language_of(words, language or every("intent"))
    return _recency(question_form(question, cues(question, words, phrases(spoken)), (), None))[0]


def _recency(asked: QuestionForm) -> tuple[float, list[str]]:
    """The recency, and the words or structures that decided it."""
    if len(asked.wishes) > len(asked.windows):
        return WISHED, [cue.text for cue in asked.wishes]
    for cue in asked.cues:
        if cue.kind == "still.lately":
            return STATE, [cue.text]
    if coming := asked.first.get("future"):
        return STATE, [coming.text]
    if asked.windows:
        return STATE, [cue.text for cue in asked.windows]
    if asked.sides & {"now", "coming"}:
        return STATE, ["a date that is not past"]
    if asked.sides:
        return NONE, ["a date"]
    return _by_structure(asked)


def _by_structure(asked: QuestionForm) -> tuple[float, list[str]]:
    reasons = [asked.structure]
    if past := asked.first.get("past"):
        return (INSTANCE if past.kind == "past.last" else NONE), [past.text]
    if still := asked.first.get("still"):
        return STATE, [still.text]
    if asked.first.get("relation"):
        return NONE, reasons
    if asked.tense in ("past", "none"):
        among = asked.asks in ("who", "which", "what", "where", "quantity", "whether")
        return (INSTANCE if among else NONE), reasons
    if asked.asks in _LASTING:
        return NONE, reasons
    if asked.asks in _STATES or _of_something(asked.cues):
        return STATE, reasons
    return (
        NONE
        if asked.asks == "what" and not any(cue.kind == "word.determiner" for cue in asked.cues)
        else PRESENT
    ), reasons


def _of_something(cues: list[Cue]) -> bool:
    """ "what is the … of …", "what is Ann's …"."""
    kinds = [cue.kind for cue in cues]
    if kinds[:1] != ["wh.what"]:
        return False
    return "word.of" in kinds[3:] or any(cue.possessive for cue in cues[1:])


# -- words for the end of something ("closed"): such a passage is not about what is current ------------


@cache
def _ended() -> tuple[tuple[str, ...], re.Pattern[str]]:
    words = tuple(word.lower() for word in of_all("words", "ended"))
    return words, re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, words))})(?![\w-])")


def mentions_termination(text: str) -> bool:
    """True if a text has a word for the end of something."""
    text, (words, pattern) = text.lower(), _ended()
    return any(map(text.__contains__, words)) and pattern.search(text) is not None  # most have none: faster
