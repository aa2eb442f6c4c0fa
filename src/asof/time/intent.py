"""What a question wants of time: the newest, what was, what will be; and how fast its answer changes.

`recency` and `wishes` follow from words of time and from structure alone, by the rules below. `direction` and
`volatility` are weighed by what such forms and kinds of answers turned out to mean (`tendency.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from asof.lang import FIRST, every
from asof.time.cues import Cue, cues, kinds_of_answer, language_of, words_of
from asof.time.question_form import HasTime, QuestionForm, question_form
from asof.time.tendency import Direction, tendency

WISHED = 1.0  # "latest", "now": in so many words
STATE = 0.5  # "who is", "where does", "what is the … of": the present state, which no word calls new
PRESENT = 0.25  # other questions in the present
INSTANCE = 0.2  # "who won": something past, of which the newest is often meant
NONE = 0.0

_STATES = frozenset(("who", "where", "which", "quantity"))
_LASTING = frozenset(("why", "how", "to", "long", "keywords"))


@dataclass(frozen=True, slots=True)
class Intent:
    """What a question wants of time.

    `recency` in [0, 1]: how strongly the newest is wished for, 1 only by words that say so. `volatility` in
    [0, 1]: how fast the answer to such a question changes, 0 never, 1 within hours. `reasons`: the words and
    structures that decided, the strongest first. `wishes`: character offsets [start, end) of words that only
    express the wish; they leave the lexical query.
    """

    recency: float
    direction: Direction
    volatility: float
    reasons: tuple[str, ...]
    wishes: tuple[tuple[int, int], ...]


def intent(
    question: str,
    mentions: Sequence[HasTime] = (),
    anchor: datetime | None = None,
    language: str = FIRST,
) -> Intent:
    """What a question wants of time. Any text is accepted.

    `mentions`: the times it names, in order; years of four digits are seen without them. `anchor`: the aware
    moment it is asked. `language` may name several codes; English is always among them.
    """
    words = words_of(question)
    spoken = language_of(words, language)
    asked = question_form(question, cues(question, words, spoken), mentions, anchor)
    wanted, reasons = _recency(asked)
    weighed = tendency(asked, kinds_of_answer(question, words, spoken), spoken)
    wishes = tuple((cue.start, cue.end) for cue in asked.wishes if wanted == WISHED or cue in asked.windows)
    said = tuple(dict.fromkeys((*reasons, *weighed.reasons)))
    return Intent(wanted, weighed.direction, weighed.volatility, said, wishes)


def recency(question: str, language: str = "") -> float:
    """How strongly a question wishes for what is newest, in [0, 1] (see `Intent`); in any language."""
    return _recency(_form(question, language or every("intent")))[0]


def _form(question: str, language: str) -> QuestionForm:
    words = words_of(question)
    return question_form(question, cues(question, words, language_of(words, language)), (), None)


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
