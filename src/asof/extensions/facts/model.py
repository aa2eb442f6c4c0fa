"""Facts by a language model: the table `[facts]` of asof.toml, the prompt for a passage, the reply, checked.

One request for each passage. Each fact of a reply is checked against the passage, then stored, marked as
uncertain or dropped: its time and its number must stand there.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from asof.config import FILE, Config
from asof.documents import SourcedTime
from asof.errors import BadTime
from asof.extensions.facts.dating import Dating
from asof.extensions.facts.store import CHANGE, EXPECTED, VALUE, Amount, Extraction, ExtractorInput, Fact
from asof.lang import stop_words
from asof.models.ports import Prompt, between, one_line, prompt_text, replies
from asof.schema import Setting, Table, one_of
from asof.store.digest import METADATA, TITLE
from asof.text.figures import figures, language_of
from asof.text.passages import sentences
from asof.time.moment import read
from asof.time.span import Period, Span, nearest_moment
from asof.wire import replace

if TYPE_CHECKING:
    from asof.extensions.facts.replies import RepliedFact
    from asof.models.ports import Model, Reply


# -- [facts] of asof.toml --------------------------------------------------------------------------


RULES, MODEL = "rules", "model"
EXTRACTORS = (RULES, MODEL)


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """`extractor`: "rules" (free, at once) or "model" (that of [model])."""

    extractor: str = RULES

    @classmethod
    def of(cls, tables: Mapping[str, Any]) -> ExtractionSettings:
        """The settings among the tables of a configuration (`Config.tables`)."""
        return tables["facts"] if "facts" in tables else cls()

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> ExtractionSettings:
        """The settings of a table whose keys are accepted."""
        return cls(**table)


TABLE = Table("What reads facts.", {
    "extractor": Setting(
        one_of(*EXTRACTORS), '"rules" (free, at once) or "model" (that of [model]).', safe=True
    ),
}, ExtractionSettings, ExtractionSettings.read, frozenset({"extractor"}))  # fmt: skip
"""[facts] of asof.toml."""


def extractor_note(config: Config) -> str:
    """That rules read facts, if a model is to read them and none is named; "" else."""
    if ExtractionSettings.of(config.tables).extractor != MODEL or config.model is not None:
        return ""
    return f"facts are read by rules: [facts] of {FILE} asks for a model, and [model] names none"


# -- the time of a fact, in digits or in words of the passage --------------------------------------


BY_MODEL = "model"
"""`SourcedTime.by` of a time that is neither in the words of the passage nor one that it is about."""


def time_of(phrase: str, excerpt: ExtractorInput, *, expected: bool = False) -> SourcedTime | None:
    """The time that a model states; where it states none that can be read, the document's own period or date.
    Words are read as those of the passage are (`dating.py`; `expected`: of a fact that is only expected).

    A time that the passage is about keeps its words and its source. Another one has the source "text" if its
    words are in the passage, else `BY_MODEL`.
    """
    phrase = one_line(phrase)
    plain = _folded(phrase)
    for time in excerpt.times:
        if time.by != "text" and _folded(time.text) == plain:
            return time.sourced_time()
    span = _span(phrase, excerpt, expected=expected) if phrase else None
    if span is None:
        return Dating.of(excerpt).otherwise(expected=expected)
    for time in excerpt.times:
        if (time.first, time.last) == (span.first, span.last):
            return time.sourced_time()
    return SourcedTime(span, phrase, "text" if plain in _folded(excerpt.text) else BY_MODEL)


def _span(phrase: str, excerpt: ExtractorInput, *, expected: bool) -> Span | None:
    """A period, the one time in words, or a date."""
    with suppress(BadTime):
        return Period.parse(phrase).span
    dating = Dating.of(replace(excerpt, text=phrase))
    language = language_of(excerpt.text, excerpt.language)
    marks = dating.marks(language)
    if len(marks) == 1:
        stated = dating.read(marks[0], language, expected=expected)
        ahead = dating.next(marks[0], language) if expected else None
        return ahead or (None if stated is None else stated.span)
    with suppress(BadTime):
        return read(phrase)
    return None


def _folded(text: str) -> str:
    return one_line(text.casefold())


# -- numbers of a sentence -------------------------------------------------------------------------


def contains_number(value: float, sentence: str, language: str) -> bool:
    """True if a sentence has this number, its sign left aside: "$3.7 billion" has 3.7e9, and not 3.7.

    `language`: that of its document, for sentences whose own cannot be detected.
    """
    found = figures(sentence, language_of(sentence, language))
    return any(math.isclose(abs(figure.value), abs(value), rel_tol=1e-9) for figure in found)


# -- the reply, checked ----------------------------------------------------------------------------


MOST = 64
"""The most facts of a passage; of more the most confident are taken, of equals the first."""

DOUBT = 0.5
"""Confidence is multiplied by this for each of: a figure that the sentence does not have, an object that is
in the passage and not in the sentence, a relation of which no word is in the passage."""

LONGEST = 400
"""Characters of a subject, a relation or an object."""
NO_SENTENCE, NOT_IN_PASSAGE, EMPTY, TOO_MANY, DUPLICATE = (
    "no such sentence", "words that are not in the passage", "empty, too long or of no confidence",
    f"more than {MOST}", "duplicate",
)  # fmt: skip
"""Why a fact of a reply is dropped."""


def facts_of(excerpt: ExtractorInput, replied: Iterable[RepliedFact]) -> tuple[list[Fact], Counter[str]]:
    """The facts of a reply that the passage can state, in order of their sentences, and how many of the reply
    were dropped, by reason."""
    reading = _CheckedPassage(excerpt)
    facts, dropped = list[Fact](), Counter[str]()
    fact_keys = set[tuple[object, ...]]()
    for statement in replied:
        fact = reading.fact(statement)
        if isinstance(fact, str):
            dropped[fact] += 1
        elif _same(fact) in fact_keys:
            dropped[DUPLICATE] += 1
        else:
            fact_keys.add(_same(fact))
            facts.append(fact)
    if len(facts) > MOST:
        dropped[TOO_MANY] += len(facts) - MOST
        facts = sorted(facts, key=lambda fact: (-fact.confidence, fact.start))[:MOST]
    return sorted(facts, key=lambda fact: fact.start), dropped


class _CheckedPassage:
    """A passage with its sentences and words, against which facts are checked."""

    def __init__(self, excerpt: ExtractorInput) -> None:
        self.excerpt = excerpt
        self.extents = sentences(excerpt.text)
        self.words = words_of(excerpt.text)
        self.named = self.words.union(*map(words_of, (excerpt.title, *excerpt.headings)))
        self.plain = stop_words("en") | stop_words(excerpt.language)

    def fact(self, replied: RepliedFact) -> Fact | str:
        """The fact, or the reason why it is dropped."""
        if not 1 <= replied.sentence <= len(self.extents):
            return NO_SENTENCE
        parts = [one_line(part) for part in (replied.subject, replied.relation, replied.object)]
        if not all(0 < len(part) <= LONGEST and words_of(part) for part in parts):
            return EMPTY
        subject, relation, object_ = parts
        if not (self._occurs(object_, self.words) and self._occurs(subject, self.named)):
            return NOT_IN_PASSAGE
        start, end = self.extents[replied.sentence - 1]
        amount = None
        if replied.kind in (VALUE, CHANGE) and replied.value is not None:
            amount = Amount(
                replied.value, *(one_line(part or "")[:64] for part in (replied.unit, replied.basis))
            )
        doubts = self._doubts(relation, object_, amount, self.excerpt.text[start:end])
        confidence = replied.confidence * DOUBT ** sum(doubts)
        if not confidence:
            return EMPTY
        when = time_of(replied.time or "", self.excerpt, expected=EXPECTED in words_of(relation))
        return Fact(subject, relation, object_, when, start, end, replied.kind, amount, confidence)

    def _occurs(self, text: str, where: frozenset[str]) -> bool:
        """True if all words of a text except stop words are among these (all words, if it has no others)."""
        words = words_of(text)
        return (words - self.plain or words) <= where

    def _doubts(self, relation: str, object_: str, amount: Amount | None, sentence: str) -> tuple[bool, ...]:
        telling = words_of(relation) - self.plain - {EXPECTED}
        return (
            amount is not None and not contains_number(amount.value, sentence, self.excerpt.language),
            not self._occurs(object_, words_of(sentence)),
            bool(telling) and telling.isdisjoint(self.words),
        )


_REPLY_WORD = re.compile(r"\w+")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")


def words_of(text: str) -> frozenset[str]:
    """The words of a text as they are compared: neither case nor the forms of Unicode make a difference."""
    return frozenset(_REPLY_WORD.findall(_POSSESSIVE.sub("", unicodedata.normalize("NFKC", text).casefold())))


def _same(fact: Fact) -> tuple[object, ...]:
    """A key that is equal for facts that state the same of the same time."""
    when = None if fact.when is None else fact.when.span
    parts = (fact.subject, fact.relation, fact.object)
    return (*(_folded(part).strip(".,;:!?\"'“”‘’") for part in parts), when)


# -- the prompt ------------------------------------------------------------------------------------


PACKAGE = "asof.extensions.facts"
LEAST_TOKENS, TOKENS_A_WORD, MOST_TOKENS = 512, 16, 8_192
"""Tokens of a reply: the least, how many more for each word of the passage, the most."""


def extraction_prompt(excerpt: ExtractorInput) -> Prompt:
    """The prompt for the facts of a passage. The instructions are the same for all passages, so that servers
    can keep them."""
    from asof.extensions.facts.replies import RepliedFacts

    system = prompt_text(PACKAGE, "extract").replace("{most}", str(MOST)).strip()
    most = min(LEAST_TOKENS + TOKENS_A_WORD * len(excerpt.text.split()), MOST_TOKENS)
    return Prompt(system, between(*shown(excerpt)), RepliedFacts, (excerpt.passage,), most)


def shown(excerpt: ExtractorInput) -> list[str]:
    """The lines that show a passage: its head, then its sentences, each on one line behind its number."""
    lines = [f"Title: {one_line(excerpt.title)}"] if excerpt.title else []
    if excerpt.headings:
        lines.append(f"Headings: {' > '.join(map(one_line, excerpt.headings))}")
    if excerpt.published is not None:
        lines.append(f"Published: {days(excerpt.published)}")
    own = [
        f"{one_line(time.text)} ({days(time.sourced_time().span)})"
        for time in excerpt.times if time.kind in (METADATA, TITLE)
    ]  # fmt: skip
    if own:
        lines.append(f"The document is about: {'; '.join(own)}")
    numbered = enumerate(sentences(excerpt.text), 1)
    said = [f"[{number}] {one_line(excerpt.text[start:end])}" for number, (start, end) in numbered]
    return [*lines, "Sentences:", *said]


def days(span: Span) -> str:
    """A span in days: `2024-03-05`, `2024-01-01 to 2024-03-31`, `since 2024-01-01`."""
    first, last = nearest_moment(span.first).date(), nearest_moment(span.last).date()
    if span.end is None:
        return f"since {first}" if span.start else "all time"
    if span.start is None:
        return f"until {last}"
    return str(first) if first == last else f"{first} to {last}"


# -- the extractor ---------------------------------------------------------------------------------


READING = "1"
"""Changes when replies, or times and figures in them (`dating.py`, `figures.py`), are read in another way."""


@dataclass(slots=True)
class ModelExtractor:
    """An `Extractor` that prompts a model.

    `dropped` counts the facts of replies that were not stored, by reason (`RepliedFacts`). `on_replies` is
    called with the number of replies of the current batch.
    """

    model: Model
    dropped: Counter[str] = field(default_factory=Counter)
    on_replies: Callable[[int], None] | None = None

    @property
    def name(self) -> str:
        """The model, and a digest of everything that affects the prompts and the reading of replies."""
        shaping = json.dumps([READING, prompt_text(PACKAGE, "extract")])
        return f"model:{self.model.name}:{blake2b(shaping.encode(), digest_size=6).hexdigest()}"

    def extract(self, excerpts: Sequence[ExtractorInput]) -> Iterator[Extraction]:
        """The facts of each passage; the prompts of all passages are sent at once.

        A reply that cannot be read becomes the passage's problem. Raises ModelError.
        """
        asked = [each for each in excerpts if each.text.strip()]
        found: dict[int, Extraction] = {}
        for count, (at, reply) in enumerate(replies(self.model, list(map(extraction_prompt, asked))), 1):
            found[asked[at].passage] = self._read(asked[at], reply)
            if self.on_replies is not None:
                self.on_replies(count)
        for each in excerpts:
            yield found.get(each.passage) or Extraction(each.passage, ())

    def _read(self, excerpt: ExtractorInput, reply: Reply) -> Extraction:
        from asof.extensions.facts.replies import RepliedFacts

        if not isinstance(reply.value, RepliedFacts):
            problem = reply.problem or "the reply was not read as facts"
            return Extraction(excerpt.passage, (), problem, reply.unsent)
        facts, dropped = facts_of(excerpt, reply.value.facts)
        self.dropped.update(dropped)
        return Extraction(excerpt.passage, tuple(facts))
