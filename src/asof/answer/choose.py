"""The choice of what an answer quotes: the statements with the best scores, with what stands around them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from math import inf
from operator import mul
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from asof.answer.match import begun, is_of_another
from asof.answer.question import (
    COUNT,
    DATE,
    DURATION,
    MONEY,
    PERSON,
    SHARE,
    VERSION,
    ParsedQuestion,
    phrases_of,
)
from asof.answer.statements import (
    Statement,
    WeightedPhrase,
    comes_later,
    has_lapsed,
    lasts,
    speaks_outside,
    tells_more,
    times_named,
)
from asof.documents import PUBLISHED
from asof.hits import Hit, heading_above
from asof.lang import FIRST, numerals, tables
from asof.models.ports import Encoder
from asof.store.digest import STATUS
from asof.text.figures import figures, lexicon
from asof.text.force import phrases
from asof.text.passages import shown, unnumbered
from asof.text.statements import FIELD, ITEM, ROW, plain
from asof.text.tokens import any_of
from asof.text.versions import asked as asked_version
from asof.time.span import DAY, Span, nearest_moment

# -- quotes: the best sentences, without rules on what the question asks for ---------------------------

PASSAGES = 10
"""The number of best passages that are read for sentences."""

QUOTES, QUOTE_CHARACTERS, LIST_CHARACTERS = 3, 450, 1_000
"""The most quotes of an answer, the characters up to which a quote takes in the sentences around, and those
of the longest list or table that is quoted whole."""

SHORT = 60
"""A quote of so many characters has the heading above it."""

MARGIN = 4.0
"""Quotes that score so much less than the best one are left out, unless a time is asked about: there the
parts of the score for it are larger than that."""

MONTH = 28 * DAY
"""Texts of a week report its events without naming the time, and later ones may report them."""

SHORTEST = 4
"""Statements with fewer words are headings, labels and "Yes.", unless they give a label its value or have a
figure ("Ida Holm (1979-1984)")."""

_FIGURE = re.compile(r"[^\W\d_].*\d|\d.*[^\W\d_]", re.DOTALL)
_LABELLED = re.compile(r"\w[:：]\s*\w")
_MARKED_HEADING = re.compile(r"#{1,6} ")
_NAME = re.compile(
    r"[^\W\d_a-zß-öø-ÿ][\w’'-]+(?: (?:[^\W\d_a-zß-öø-ÿ]\.? ?)?[^\W\d_a-zß-öø-ÿ][\w’'-]+)+|@\w+"
    r"|\b(?:[^\W\d_a-zß-öø-ÿ]\. ?){1,3}[^\W\d_a-zß-öø-ÿ][\w’'-]+"  # J. Abara
)
_ENDED = re.compile(r"[.!。]$")
_CLOCK = re.compile(r"\b\d{1,2}(?::\d\d\b| ?(?:[ap]\.?m\b|o['’]clock\b|uhr\b|h ?\d\d\b))", re.IGNORECASE)
_OWNED = re.compile(r"(\w+)['’]s\b")
_VERSION = re.compile(r"\bv?\d+\.\d")


class Excerpt(Struct, frozen=True):
    """A stretch of a hit's text, `start` to `end`, and the statement that it is quoted for. `whole`: the
    items of the list, or the rows of the table, that are quoted as one."""

    hit: Hit
    start: int
    end: int
    statement: Statement
    whole: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The quoted text, plain, behind what names its version, or the heading above it if it is short."""
        own = self.statement
        if self.whole:
            lead = own.lead if own.kind == ITEM else own.text if own.kind != ROW else ""
            said = f"{lead or _above(self.hit)} {' • '.join(self.whole)}".strip()
        elif (self.start, self.end) == (own.start, own.end):
            said = own.text
        else:
            said = plain(shown(self.hit.text[self.start : self.end]))
        if own.edition:
            return said if said.startswith(own.edition) else f"{own.edition} › {said}"
        return said if len(said) > SHORT or not (above := _above(self.hit, said)) else f"{above} › {said}"

    @property
    def emphasis(self) -> tuple[int, int] | None:
        """The character range of the statement in the text; None if it is all."""
        own = self.statement.text
        first = self.text.find(own)
        return None if first < 0 or self.text == own else (first, first + len(own))


def _above(hit: Hit, said: str = "") -> str:
    """The heading above a hit that is neither its title nor said in a text nor the header of a table."""
    heading = plain(heading_above(hit.place.headings))
    known = not heading or heading == hit.title or "|" in heading or heading.casefold() in said.casefold()
    return "" if known else heading


class Candidates(NamedTuple):
    """The statements of the first PASSAGES of a question, in order; by their places, the signs of those that
    state something, and the sums of these."""

    statements: Sequence[Statement]
    signs: Mapping[int, Signs]
    scores: Mapping[int, float]

    @classmethod
    def of(
        cls, question: ParsedQuestion, words: WeightedPhrase, hits: Sequence[Hit],
        statements: Sequence[Statement], *, in_time: bool = False,
    ) -> Candidates:  # fmt: skip
        """The candidates among the statements of these hits. `words`: what is searched of the question.
        `in_time`: all are known to be of the time that is asked about, whether they name it or not."""
        first = {hit.id: at for at, hit in enumerate(hits[:PASSAGES])}
        statements = [each for each in statements if each.hit.id in first]
        signs = signs_of(question, words, first, statements)
        if in_time:
            signs = {at: each._replace(begins=0.0, ends=0.0, outside=0.0) for at, each in signs.items()}
        return cls(statements, signs, {at: sum(map(mul, each, WEIGHTS)) for at, each in signs.items()})

    @property
    def nearest(self) -> Candidates:
        """The same, with no less for what is of another thing: what a refusal shows."""
        scores = {at: each - self.signs[at].other * WEIGHTS.other for at, each in self.scores.items()}
        return self._replace(scores=scores)

    @property
    def best(self) -> list[int]:
        """The places of the QUOTES best."""
        return sorted(self.scores, key=lambda at: (-self.scores[at], at))[:QUOTES]


def best_quotes(
    question: ParsedQuestion, words: WeightedPhrase, found: Candidates, margin: float = MARGIN,
    encoder: Encoder | None = None, authority: Mapping[str, int] = MappingProxyType({}),
) -> list[Excerpt]:  # fmt: skip
    """The best of these statements, at most QUOTES of them, each with its neighbours as far as there are
    characters for them; best first, none quoted twice. `encoder`: compares the meaning of the best.
    `authority`: the place of each hit in the order of authority, by its id; {} without one."""
    candidates, scores = found.statements, dict(found.scores)
    if encoder is not None and scores:
        _add_meaning(scores, candidates, question.text, encoder)
    quotes: list[Excerpt] = []
    texts: set[str] = set()
    least = max(scores.values(), default=0.0) - (margin if not question.times else inf)
    order = sorted(scores, key=lambda at: (-scores[at], at))
    if question.current and order:
        newest = _newest(words, candidates, order, authority)
        order = [newest, *(at for at in order if at != newest)]
    for at in order:
        if scores[at] < least and quotes:
            break
        beside = [each for each in quotes if each.hit is candidates[at].hit]
        quote = _with_neighbours(candidates, at, beside, question.wants_list)
        inside = any(
            each.hit is quote.hit and each.start <= candidates[at].start < each.end for each in quotes
        )
        if inside or quote.text in texts:
            continue
        quotes.append(quote)
        texts.add(quote.text)
        if len(quotes) == QUOTES:
            break
    return _with_alike(question, found, order, quotes) if question.several and quotes else quotes


ALIKE = 0.6
"""The least share of a question that statements have which are listed because they have as much of it."""


def _with_alike(
    question: ParsedQuestion, found: Candidates, order: Sequence[int], quotes: list[Excerpt]
) -> list[Excerpt]:
    """The quotes, with every other statement that has as much of the question itself as the first and is of
    another document or version; one that was superseded by another version of its thing, too."""
    first = next(at for at in order if found.statements[at] is quotes[0].statement)
    least, versioned = found.signs[first], found.statements[first].version
    titles = {each.hit.title for each in quotes}
    if least.own < ALIKE or question.times:
        return quotes
    alike = list(quotes)
    for at in order:
        signs, each = found.signs[at], found.statements[at]
        current = not signs.past or (versioned and each.version)
        if current and signs.own >= least.own and signs.words >= least.words and each.hit.title not in titles:
            titles.add(each.hit.title)
            alike.append(quote_of(found.statements, at))
    return alike


MEANT, MEANING = 16, 8.0
"""So many of the best statements are encoded; the weight of their cosine with the question."""


def _add_meaning(
    scores: dict[int, float], statements: Sequence[Statement], question: str, encoder: Encoder
) -> None:
    """Adds to the best scores how near their statements are to the question in meaning; to the others the
    least of that."""
    best = sorted(scores, key=lambda at: (-scores[at], at))[:MEANT]
    texts = [f"{_above(each.hit, each.text)} {each.text}".strip() for each in (statements[at] for at in best)]
    asked = encoder.encode([question], question=True)[0]
    near = dict(zip(best, (encoder.encode(texts) @ asked).tolist(), strict=True))
    least = min(near.values())
    for at in scores:
        scores[at] += MEANING * near.get(at, least)


def _newest(
    words: WeightedPhrase, statements: Sequence[Statement], order: Sequence[int], authority: Mapping[str, int]
) -> int:
    """The first statement in this order; or, if that says what is the case and has all of the question
    itself, the one of these, of those of the highest authority, that was published last."""
    stating = {
        at: (-authority.get(statements[at].hit.id, 0), date.span.last, -place)
        for place, at in enumerate(order)
        if (date := statements[at].hit.published) is not None
        and words.share(statements[at].stems) == 1.0
        and _states_now(statements[at], max(date.span.last, begun(statements[at].hit)))
        and statements[at].hit.holds
    }
    return max(stating, key=stating.__getitem__) if order[0] in stating else order[0]


def _states_now(statement: Statement, until: int) -> bool:
    """True if a statement says what is the case up to an instant, or gives a value from a day on that its own
    words name: "The rent goes up to 890 euros from July"."""
    force = statement.hit.in_force
    named = force is not None and force.by not in (PUBLISHED, STATUS)
    gives = named and len(times_named(statement)) == 1
    return lasts(statement, until) or (gives and any(each.unit for each in figures(statement.text, FIRST)))


def quote_of(statements: Sequence[Statement], at: int, whole: bool = False) -> Excerpt:
    """The quote of one of these statements, with its neighbours. `whole`: a list is asked for."""
    return _with_neighbours(statements, at, (), whole)


# -- signs: what speaks for a statement ----------------------------------------------------------------


class Signs(NamedTuple):
    """What speaks for a statement as the answer to a question, or the weight of each sign.

    `relevance`: the score of its passage as a share of the best one's; `words`, `own`: the shares of the
    question that it has with the title and headings above it, and by itself; `passage`: that all of its
    passage has, since what brought the passage up should stand in the statement itself; `heading`: the share
    of the heading's words that the question has. `defines`: it begins with what is to be defined; `value`: it
    has a value of the kind that is asked for (`ParsedQuestion.value_kind`); `number`, `reason`: it has a
    number (in words, too), words that give a reason where one is asked for; `tells`: else it has a value, a
    name or a figure that the question lacks. `begins`, `ends`, `outside`: it names the year with which the
    time asked about begins, or a time that covers that; that with which it ends; only other times.
    `several`: it is an item or a row where several things are asked for. `past`: something superseded it, or
    one of these statements' documents amends it, or it is not in force; where times are asked about, it is in
    force in none of these. `other`: it is of another thing than the one that is named (`is_of_another`).
    `was`: it tells what was, where the question asks who is something.
    """

    relevance: float = 0.0
    words: float = 0.0
    own: float = 0.0
    passage: float = 0.0
    heading: float = 0.0
    defines: float = 0.0
    value: float = 0.0
    number: float = 0.0
    reason: float = 0.0
    tells: float = 0.0
    begins: float = 0.0
    ends: float = 0.0
    outside: float = 0.0
    several: float = 0.0
    past: float = 0.0
    other: float = 0.0
    was: float = 0.0


WEIGHTS = Signs(
    relevance=11.0, words=5.6, own=1.3, passage=-1.8, heading=1.2, defines=5.0, value=2.0,
    number=2.0, reason=5.0, tells=1.0, begins=2.5, ends=1.7, outside=-1.2, several=1.5, past=-8.0,
    other=-16.0, was=-1.5,
)  # fmt: skip
"""Log odds of a linear model (a softmax over the statements of a question) with a prior at the weights
before, fitted on questions of people on documents and of datasets, judged on the corpora left out, and
rounded (`bench/answers.py`)."""


def signs_of(
    question: ParsedQuestion, words: WeightedPhrase, places: Mapping[str, int],
    statements: Sequence[Statement],
) -> dict[int, Signs]:  # fmt: skip
    """The signs of those of these statements that state something, by their places among them. `places`: of
    their hits, by id, in the ranking."""
    hits = {each.hit.id: each.hit for each in statements}.values()
    documents = {hit.document for hit in hits}
    best = max((hit.score for hit in hits), default=0.0)
    stems: dict[str, frozenset[str]] = {}
    for each in statements:
        stems[each.hit.id] = stems.get(each.hit.id, frozenset()) | each.titled_stems
    asked = frozenset[str]().union(*(each for each, _ in words.words))
    asks = asked_version(question.text)
    by_version = asks is not None and asks.version is not None  # what holds in a version may be over now
    told, who_is = phrases(question.language), question.current and question.value_kind == PERSON
    later = {at for at, each in enumerate(statements) if not question.times and comes_later(each)}
    held = (
        each for at, each in enumerate(statements) if later and at not in later and states_something(each)
    )
    most = max((words.share(each.titled_stems) for each in held), default=0.0)
    found = {}
    for at, each in enumerate(statements):
        if not states_something(each):
            continue
        place, score = places[each.hit.id], each.hit.score
        against = not each.hit.holds and (place > 0 or not has_lapsed(each.hit))
        amended = any(act.document in documents for act in each.hit.amended)
        if at in later:  # what holds comes first, if it says as much
            against = words.share(each.titled_stems) <= most
        past = float(each.hit.superseded is not None or against or amended)
        if by_version and each.version:
            past = 0.0
        if question.times:
            past = speaks_outside(each.hit, each.text, question.times)
        found[at] = Signs(
            relevance=max(score / best, 0.0) if best > 0 else 0.0,
            words=words.share(each.titled_stems), own=words.share(each.stems),
            passage=words.share(stems[each.hit.id]),
            heading=len(each.above & asked) / max(len(each.above), 1),
            past=past, other=float(is_of_another(question, words, each)),
            several=float(question.several and each.kind in (ITEM, ROW)),
            was=float(who_is and told.past.search(each.text) is not None),
            **_expected(question, each), **_of_time(question, each),
        )  # fmt: skip
    return found


def _expected(question: ParsedQuestion, statement: Statement) -> dict[str, float]:
    """The signs of the kind of thing that is asked for."""
    said = unnumbered(statement.text)
    signs = {
        "defines": float(bool(question.defines) and _defines(question.defines, said)),
        "value": float(has_value(question, statement, said)),
    }
    if question.figure:
        signs["number"] = float(has_number(question, said))
    elif question.explains:
        signs["reason"] = float(
            question.reason and phrases_of("because", question.language).search(said.lower()) is not None
        )
    else:
        signs["tells"] = float(statement.kind in (ROW, FIELD) or tells_more(said, question.text))
    return signs


def has_value(question: ParsedQuestion, statement: Statement, said: str) -> bool:
    """True if a statement has a value of the kind that the question asks for."""
    kind, language = question.value_kind, question.language
    if kind == DATE:
        return bool(times_named(statement)) or _CLOCK.search(said) is not None
    if kind == PERSON:
        asked = question.text.casefold()
        said = _OWNED.sub(lambda owner: " " if owner[1].casefold() in asked else owner[0], said)
        return any(word.casefold() not in asked for name in _NAME.findall(said) for word in name.split())
    if kind == DURATION:
        return durations(language).search(said) is not None
    if kind in (MONEY, SHARE):
        words = phrases_of("free" if kind == MONEY else "fractions", language)
        units = {each.unit.partition("/")[0] for each in figures(said, language)}
        of_kind = set(lexicon(language).currencies.values()) if kind == MONEY else {"%", "bp", "pp"}
        return not units.isdisjoint(of_kind) or words.search(said.lower()) is not None
    return (kind == COUNT and has_number(question, said)) or (
        kind == VERSION and _VERSION.search(said) is not None
    )


def may_give(question: ParsedQuestion, said: str) -> bool:
    """False for a text that has no figure and no word for one where an amount, a length of time, a share or a
    version is asked for."""
    kind, language = question.value_kind, question.language
    if kind not in (MONEY, DURATION, SHARE, VERSION) or has_number(question, said):
        return True
    words = phrases_of("fractions" if kind == SHARE else "free", language)
    return words.search(said.lower()) is not None or (
        kind == DURATION and durations(language).search(said) is not None
    )


def has_number(question: ParsedQuestion, said: str) -> bool:
    """True if a text has a number, in words, too."""
    numbers = _number_words(question.language)
    return any(map(str.isdigit, said)) or not numbers.isdisjoint(said.lower().split())


def number_in_words(question: ParsedQuestion, said: str) -> str:
    """The number in words, with what it counts, of a text: "four days"; "" for none, and where no length of
    time nor count is asked for."""
    if question.value_kind not in (DURATION, COUNT):
        return ""
    length = question.value_kind == DURATION
    found = (durations if length else _counts)(question.language).search(said)
    return found[0] if found else ""


@cache
def _counts(language: str) -> re.Pattern[str]:
    """Finds a number in words and the word behind it."""
    return re.compile(rf"{any_of(_number_words(language)).pattern}\s+\w+", re.IGNORECASE)


@cache
def _number_words(language: str) -> frozenset[str]:
    """The numbers of a language in words, from two on."""
    return frozenset(word for word in numerals(language) if not word.isdigit())


@cache
def durations(language: str) -> re.Pattern[str]:
    """Finds a number with a unit of time behind it, maybe one word later: "ten working days"."""
    lists = [tables(code, "time").get(name, {}) for code in (FIRST, language) for name in ("unit", "units")]
    units = {word.replace("_", " ") for each in lists for words in each.values() for word in words.split()}
    one = {word for words in tables(language, "time").get("one", {}).values() for word in words.split()}
    numbers = "|".join(map(re.escape, sorted({*_number_words(language), *one})))
    named = "|".join(map(re.escape, sorted(units, key=len, reverse=True)))
    return re.compile(rf"(?:\d|\b(?:{numbers}))[\s-]+(?:\w+[\s-]+)?(?:{named})\b", re.IGNORECASE)


def _defines(name: str, said: str) -> bool:
    """True if a statement begins with a name, maybe behind an article, or has it in brackets: "Everyone on
    Support (EOS)"."""
    first, _, rest = (text := said.casefold()).partition(" ")
    begins = text.startswith(name) or (len(first) <= LONGEST_ARTICLE and rest.startswith(name))
    return begins or f"({name})" in text


LONGEST_ARTICLE = 3


def _of_time(question: ParsedQuestion, statement: Statement) -> dict[str, float]:
    """The signs of the times that a statement names."""
    times = [span for span in question.times if span.last - span.first >= MONTH]
    named = times_named(statement) if times else []
    years = {year for span in named for year in _years(span)}
    within = any(_within(each, span) for each in named for span in times)
    covers = any(each.overlap(span) == span for each in named for span in times)
    return {
        "begins": float(covers or any(_years(span)[0] in years for span in times if span.start is not None)),
        "ends": float(any(
            _years(span)[1] in years - {_years(span)[0]} for span in times if span.end is not None
        )),
        "outside": float(bool(named) and not (within or covers)),
    }  # fmt: skip


def _within(named: Span, asked: Span) -> bool:
    """True if a named time begins or ends within the time that is asked about."""
    return asked.first <= named.first <= asked.last or asked.first <= named.last <= asked.last


def _years(span: Span) -> tuple[int, int]:
    """The years in which a span begins and ends."""
    return nearest_moment(span.first).year, nearest_moment(span.last).year


def states_something(sentence: Statement) -> bool:
    """True if a sentence states anything: it is no question, heading, label, fence, lone "Yes." nor the title
    above other text."""
    text = sentence.text
    return (
        (
            _words(sentence) >= SHORTEST
            or _LABELLED.search(text) is not None
            or _FIGURE.search(unnumbered(text)) is not None
        )
        and not text.startswith(("```", "---"))
        and (text != sentence.hit.title or _ENDED.search(text) or text == sentence.hit.text.strip())
        and not _MARKED_HEADING.match(text)
        and not text.rstrip("\"'”’»*_) ").endswith(("?", "？"))
    )


def _with_neighbours(
    statements: Sequence[Statement], at: int, others: Sequence[Excerpt], whole: bool = False
) -> Excerpt:
    """A statement with those after and before it in its passage, while they fit and are in none of the other
    quotes; those after it first. Rows and fields stand alone.

    A list is quoted whole below the words that introduce it; where it is wanted `whole`, also for one of its
    items, and a table for one of its rows. Else an item is quoted alone behind these words.
    """
    own = statements[at]
    follows = at + 1 < len(statements) and statements[at + 1].hit is own.hit
    leads = (
        follows
        and statements[at + 1].kind == ITEM
        and own.kind != ITEM
        and own.text == statements[at + 1].lead
    )
    if leads or (whole and own.kind in (ITEM, ROW)):
        items = _whole(statements, at + leads)
        if items is not None:
            first, last = items
            texts = tuple(_item(each) for each in statements[first : last + 1])
            start = own.start if leads else statements[first].start
            return Excerpt(own.hit, start, statements[last].end, own, texts)
    first = last = at
    hit = own.hit

    def joined(before: int, after: int) -> bool:
        """True if these two are adjacent, and the quote from first to last still fits with both."""
        one, other = statements[before], statements[after]
        if other.hit is not hit or one.hit is not hit or one.end != other.start:
            return False
        start, end = min(one.start, statements[first].start), max(other.end, statements[last].end)
        if len(shown(hit.text[start:end])) > QUOTE_CHARACTERS:
            return False
        if any(each.start < end and start < each.end for each in others):
            return False
        if one.kind in (ROW, FIELD) or other.kind in (ROW, FIELD):
            return False
        top = min(first, before)
        alone = max(last, after) == top + 1 and _words(statements[top]) < SHORTEST
        return ITEM not in (one.kind, other.kind) or (
            other.kind == ITEM and (alone or statements[top].text.endswith((":", "：")))
        )

    while True:
        if last + 1 < len(statements) and joined(last, last + 1):
            last += 1
        elif first > 0 and joined(first - 1, first):
            first -= 1
        else:
            return Excerpt(hit, statements[first].start, statements[last].end, own)


def _whole(statements: Sequence[Statement], at: int) -> tuple[int, int] | None:
    """The first and the last of the items of the list, or rows of the table, that one is a part of; None if
    that is too long to be quoted, or the only one."""
    own, first, last = statements[at], at, at

    def belongs(other: Statement) -> bool:
        return other.hit is own.hit and other.kind == own.kind and other.lead == own.lead

    while first > 0 and belongs(statements[first - 1]):
        first -= 1
    while last + 1 < len(statements) and belongs(statements[last + 1]):
        last += 1
    length = sum(len(_item(each)) for each in statements[first : last + 1])
    return (first, last) if first < last and length <= LIST_CHARACTERS else None


def _item(statement: Statement) -> str:
    """A statement without the words that introduce its list."""
    text = statement.text
    return text[len(statement.lead) :].strip() if statement.kind == ITEM and statement.lead else text


def _words(sentence: Statement) -> int:
    return len(sentence.text.split())
