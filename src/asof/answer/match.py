"""Matching of sentences with a question: figures, scores, contradictions between sources.

Two statements contradict each other if different documents give one subject different values in one sentence.
Statements that nothing supersedes are preferred; of several, the one published last where the newest is asked
for, else those published after the time they are about (the others are forecasts). If the preferred
statements contradict each other, there is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from itertools import combinations
from typing import NamedTuple

from asof.answer.question import WORD, ParsedQuestion, listed
from asof.answer.statements import Statement, WeightedPhrase, times_named
from asof.hits import Hit
from asof.index.statements import verbs_of_states
from asof.index.view import View
from asof.lang import calendar_words, every, set_of
from asof.store.digest import KIND, TITLE
from asof.text.acts import numbered
from asof.text.figures import Figure, figures, language_of, lexicon
from asof.text.query import key
from asof.text.statements import ITEM
from asof.text.tokens import Analyzer, any_of
from asof.text.versions import asked as asked_version
from asof.time.expressions import TimeContext, parse
from asof.time.lexicon import lexicon as time_lexicon
from asof.time.span import BEGINNING, Span

# -- figures -------------------------------------------------------------------------------------------


def figures_in(sentence: Statement) -> list[Figure]:
    """The figures of a sentence's text that are no times."""
    text = sentence.text
    language = language_of(sentence.hit.text, "en")
    times = [(time.start, time.end) for time in parse(text, context=TimeContext(language=language))]
    return [
        figure
        for figure in figures(text, language)
        if figure.unit or not any(figure.start < end and start < figure.end for start, end in times)
    ]


NEXT_WORD = re.compile(r"\s*-?([^\W\d_]+)")


# -- numbers that name: "customer 5044" --------------------------------------------------------------------

_DIGITS = re.compile(r"\d+(?:[./-]\d+)*")
_ORDER = re.compile(r"^[ \t]*\d{1,3}[.)](?=\s)", re.MULTILINE)
"""The number of an item in a list."""


@cache
def _range() -> re.Pattern[str]:
    """Finds two numbers and what says that those between them are meant: "5001-5100", "5001 to 5100"."""
    to = any_of(time_lexicon(every("time")).names("to")).pattern
    return re.compile(rf"(\d{{1,9}})\s*(?:[-–—]|{to})\s*(\d{{1,9}})", re.IGNORECASE)


Numbers = Mapping[str, frozenset[str]]
"""The numbers behind words, by the stems of these."""


def of_asked_number(question: ParsedQuestion, sentences: Sequence[Statement], view: View) -> list[Statement]:
    """The sentences without those of another number than the question names: asked about customer 5044, what
    is said of customer 5001, and of invoice 5044 where nothing says "customer"; asked about flat 7, all of a
    passage that is of flat 3."""
    if question.beside or asked_version(question.text) is not None:
        return list(sentences)
    analyzer, yes_or_no = view.analyzer, asks_whether(question)
    language = question.language if question.language in analyzer.languages else analyzer.languages[0]
    named = _numbers_in(question.rest, analyzer, language, alone=yes_or_no)
    loose = frozenset(_DIGITS.findall(question.rest)).difference(*named.values())
    asked = {kind: numbers | loose for kind, numbers in named.items()}
    others: dict[str, frozenset[str]] = {}
    things = _things(analyzer, language) & asked.keys()

    def names_other(each: Statement) -> bool:
        """True if a statement names things of an asked kind, and none of the asked number."""
        own = _numbers_in(each.text, analyzer, language) if things else {}
        return any(
            kind in own and asked[kind].isdisjoint(own[kind]) and not _listed(each.text, asked[kind])
            for kind in things
        )

    def is_other(each: Statement) -> bool:
        if names_other(each):
            return True
        above = "\n".join((each.hit.title, *each.hit.place.headings))
        if each.hit.id not in others:
            name = _numbers_in(each.hit.document, analyzer, language, joined=True)  # "rfc9110.md"
            left = {
                kind: numbers for kind, numbers in asked.items() if numbers.isdisjoint(name.get(kind, ()))
            }
            others[each.hit.id] = _without_number(f"{above}\n{each.hit.text}", left, analyzer, language)
        lacks = others[each.hit.id]
        said = _numbers_in(f"{above}\n{each.text}", analyzer, language) if lacks else {}
        if lacks & things:  # a passage on one flat is on no other, whatever its sentences repeat
            whole = _numbers_in(f"{above}\n{each.hit.text}", analyzer, language)
            said = {**{kind: whole[kind] for kind in things & whole.keys() if len(whole[kind]) == 1}, **said}
        return _OTHER_KIND in lacks or any(kind in said for kind in lacks)

    return [each for each in sentences if not is_other(each)] if asked else list(sentences)


def numbers_asked(question: ParsedQuestion) -> str:
    """What a question names by numbers, as it is written: "customer 5044"."""
    apart = (each for each in numbered(question.rest) if each.end("series") < each.start("number"))
    return ", ".join(each[0] for each in apart)


_OTHER_KIND = ""


def _without_number(text: str, asked: Numbers, analyzer: Analyzer, language: str) -> frozenset[str]:
    """The kinds of which a passage has no asked number, nor a range with one; _OTHER_KIND, if it has one as
    the number of another thing, and no word for that kind."""
    digits, found = frozenset(_DIGITS.findall(_ORDER.sub("", text))), set[str]()
    ranges = [(int(low), int(high)) for low, high in _range().findall(text)]
    said = _numbers_in(text, analyzer, language)
    things = _things(analyzer, language)
    for kind, numbers in asked.items():
        if kind in things & said.keys() and numbers.isdisjoint(said[kind]) and not _listed(text, numbers):
            found.add(kind)
            continue
        within = any(low < int(each) < high for each in numbers if each.isdigit() for low, high in ranges)
        if digits.isdisjoint(numbers):
            found.update(() if within else (kind,))
        elif kind not in analyzer.terms(text, language):
            bare = digits & numbers - frozenset().union(*said.values())
            found.update(() if bare else (_OTHER_KIND,))
    return frozenset(found)


def _things(analyzer: Analyzer, language: str) -> frozenset[str]:
    """The stems of words for things that numbers tell apart ("flat 3")."""
    return frozenset(analyzer.stem(word, language) for word in set_of("statements", "thing"))


def _listed(text: str, numbers: frozenset[str]) -> bool:
    """True if one of these numbers stands beside another one in a list or a range: "Flats 3, 5 and 7"."""
    return any(
        re.search(rf"\d\s*(?:,|[-–—/&]|\b[^\W\d_]{{1,3}}\b)\s*{re.escape(each)}\b", text) for each in numbers
    )


def _numbers_in(
    text: str, analyzer: Analyzer, language: str, *, alone: bool = False, joined: bool = False
) -> Numbers:
    """The numbers that stand behind words, by the stems of these; `alone`: without those which a word of
    content follows ("take 20 cars"); `joined`: also as one word with it, where "IPv6" is no number 6."""
    found: dict[str, frozenset[str]] = {}
    for each in numbered(text, 0, len(text)):
        if each.end("series") == each.start("number") and not joined:
            continue
        word = NEXT_WORD.match(text, each.end()) if alone else None
        if word is None or word[1].casefold() in analyzer.stop_words:
            kind = analyzer.stem(each["series"].casefold(), language)
            found[kind] = found.get(kind, frozenset()) | {each["number"]}
    return found


def asks_whether(question: ParsedQuestion) -> bool:
    """True for a question that is answered by yes or no."""
    first = WORD.findall(question.text.lower())[:1]
    return bool(first) and first[0] in listed(question.language, "present") | listed(
        question.language, "past"
    )


# -- things that are named: "Paul's dentist", "the head of sales" ------------------------------------------

_NAME = r"(?<!\w)[^\W\d_a-zß-öø-ÿ][\w.-]{0,60}"
_POSSESSED = re.compile(rf"({_NAME}(?: {_NAME}){{0,5}})['’]s?\s+(\w+)(?:\s+(\w+))?")
_SUBJECT = re.compile(rf"(?:\w{{1,4}} )?({_NAME}(?: {_NAME}){{0,3}})(?: ([^\W\d_]+))? ([\w’']+)")
_LABEL = re.compile(r"([^:;|]{2,60}): ")


class NamedThing(NamedTuple):
    """What a question asks something of, in words in lower case: of any of these `names`, and of what stands
    behind such a word ("sales" behind "head" and "of"), by that; `text`: as it is written."""

    names: frozenset[str]
    behind: Mapping[tuple[str, str], str]
    text: str


def thing_asked(question: ParsedQuestion) -> NamedThing:
    """The thing of which a question asks something: the owner of it, or else its names; and what stands
    behind an office, or last in a question that is answered by yes or no."""
    owners = [each[1] for each in _POSSESSED.finditer(question.rest)]
    named = owners or list(question.names) or list(question.capitals)
    words, joins = WORD.findall(question.rest), listed(question.language, "belongs")
    offices, whether = set_of("states", "role"), asks_whether(question)
    behind = {
        (one.casefold(), between.casefold()): word
        for one, between, word in zip(words, words[1:], words[2:], strict=False)
        if (between.casefold() in joins and one.casefold() in offices)
        or (whether and word == words[-1] and between.casefold() in set_of("statements", "goal"))
    }
    text = ", ".join([*named, *behind.values()][:1] if owners or not behind else behind.values())
    return NamedThing(
        frozenset(word for name in named for word in bare_words(name)),
        {pair: word.casefold() for pair, word in behind.items()}, text,
    )  # fmt: skip


def is_of_another(question: ParsedQuestion, words: WeightedPhrase, statement: Statement) -> bool:
    """True if a statement says of another named thing what is asked of one that neither it nor what stands
    above it names: of "Sara's birthday is on 3 May" where Mira's is asked for."""
    asked = thing_asked(question)
    if question.beside or not (asked.names or asked.behind):
        return False
    said = set(bare_words(" ".join((statement.hit.document, *_above(statement), statement.text))))
    if any(
        each not in said and _other_behind(statement.text, *pair, each) for pair, each in asked.behind.items()
    ):
        return True
    if not asked.names or not said.isdisjoint(asked.names):
        return False
    about = [
        stems for (stems, _), word in zip(words.words, words.spelled, strict=True)
        if word not in asked.names
    ]  # fmt: skip
    if all(stems.isdisjoint(statement.stems) for stems in about):
        return False
    own = set(bare_words(question.text))
    plain = own | {word.rstrip("s") for word in own}
    for name, *thing in _POSSESSED.findall(statement.text):
        if any(word.casefold().rstrip("s") in plain for word in thing) and _is_other(name, own):
            return True
    subject = _SUBJECT.match(statement.text)  # "Team costs 29", "The Team plan costs 29"
    if subject is not None and subject[3].casefold() in verbs_of_states() and _is_other(subject[1], own):
        return subject[2] is None or subject[2].casefold() in own
    unknown = not asked.names.isdisjoint(words.unknown)
    label = _LABEL.match(
        statement.text.removeprefix(statement.lead if statement.kind == ITEM else "").strip()
    )
    return unknown and label is not None and own.isdisjoint(bare_words(label[1]))


def bare_words(text: str) -> list[str]:
    """The words of a text in lower case, without the ending of an owner."""
    return [re.sub(r"(?<=s)['’]$|['’]s$", "", word.rstrip(".").casefold()) for word in WORD.findall(text)]


def _above(statement: Statement) -> tuple[str, ...]:
    """The title and the headings above a statement."""
    return (statement.hit.title, *statement.hit.place.headings)


def _is_other(name: str, asked: Container[str]) -> bool:
    """True for a name no word of which a question has, nor is one of grammar."""
    stop = set_of("words", "stop") | set_of("words", "calendar")
    return not any(word in asked or word in stop for word in bare_words(name))


def _other_behind(text: str, word: str, between: str, asked: str) -> bool:
    """True if another word stands behind two in a text: "peanuts" behind "allergic to", not "shellfish"."""
    tokens = bare_words(text)
    return any(
        (one, two) == (word, between) and three != asked
        for one, two, three in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )


class StatedValue(NamedTuple):
    """The only value of a sentence, its unit or the word behind it, and both as they are written."""

    value: float
    unit: str
    text: str


def stated_value(sentence: Statement) -> StatedValue | None:
    """The value that a sentence states, if it is the only one: "2 days" of "up to 2 days a week"."""
    figures = figures_in(sentence)
    measured = [figure for figure in figures if figure.unit] or figures
    if len(measured) != 1:
        return None
    only, text = measured[0], sentence.text
    word = None if only.unit else NEXT_WORD.match(text, only.end)
    unit = only.unit or (word[1].casefold().rstrip("s") if word else "")
    return StatedValue(only.value, unit, text[only.start : word.end() if word else only.end].strip())


def differing(
    words: WeightedPhrase, sentence: Statement, sentences: Iterable[Statement], authority: Mapping[str, int]
) -> list[tuple[Statement, StatedValue]]:
    """What documents state of the same thing that are in force, each another value of the same unit, with the
    sentence itself: of the highest authority (by the id of a hit) first, then the newest; [] if they agree.

    The others have all words of the question that the sentence has, and say nothing else: no word of content
    that neither has, and no name or figure in their title. One that names a time may be of another one.
    """
    own, asked = stated_value(sentence), frozenset[str]().union(*(stems for stems, _ in words.words))
    plain = set_of("words", "stop") | set_of("words", "calendar")
    needed, known = asked & sentence.titled_stems, asked | sentence.titled_stems | plain
    if own is None or times_named(sentence) or not sentence.hit.holds:
        return []
    found = {sentence.hit.document: (sentence, own)}
    for other in sentences:
        if other.hit.document in found or other.hit.superseded is not None or not other.hit.holds:
            continue
        if not needed <= other.titled_stems or times_named(other) or other.version != sentence.version:
            continue
        more = (other.stems - known) | (sentence.stems - asked - other.titled_stems - plain)
        if any(len(stem) > 1 and not stem[0].isdigit() for stem in more):
            continue
        if _title_names(other) != _title_names(sentence):
            continue
        stated = stated_value(other)
        if stated is not None and stated.unit == own.unit:
            found[other.hit.document] = other, stated
    if len({stated.value for _, stated in found.values()}) < 2:
        return []
    return sorted(found.values(), key=lambda each: (authority.get(each[0].hit.id, 0), -begun(each[0].hit)))


def _title_names(sentence: Statement) -> frozenset[str]:
    """The words with capitals or figures in a title, without its first word."""
    words = WORD.findall(sentence.hit.title)[1:]
    return frozenset(word.casefold() for word in words if not word.islower())


# -- contradictions ------------------------------------------------------------------------------------

LONGEST_VALUE = 5
"""The most words of the value in which two statements differ."""

LEAST_SHARED = 2
"""The least words that two statements share."""

_WORDS = re.compile(r"[^\s,;:!?()]+(?<![.])|[:]")
_NUMBER = re.compile(r"\d[\d.,]*")


class Contradiction(NamedTuple):
    """Sentences that contradict each other: the preferred one (None: none is safe), and the others."""

    preferred: Statement | None
    others: tuple[Statement, ...]


class _Difference(NamedTuple):
    """The values in which two sentences differ, and the words before and after that they share."""

    one: tuple[str, ...]
    other: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


def find_contradiction(
    sentence: Statement, sentences: Iterable[Statement], authority: Mapping[str, int], *, newest: bool
) -> Contradiction | None:
    """The contradiction between a sentence and those of other documents, or None.

    `authority`: the place of each hit in the order of authority, by its id; `newest`: what was published last
    is asked for.
    """
    opposing = [other for other in sentences if contradict(sentence, other)]
    if not newest:  # "Fees 2018" and "Fees 2026" are of other times
        opposing = [other for other in opposing if _titled(other.hit) == _titled(sentence.hit)]
    if not opposing:
        return None
    everything = [sentence, *opposing]
    preferred = _prefer(everything, lambda each: each.hit.superseded is None and each.hit.holds)
    highest = min(authority.get(each.hit.id, 0) for each in preferred)
    preferred = _prefer(preferred, lambda each: authority.get(each.hit.id, 0) == highest)
    if newest:
        last = max(begun(each.hit) for each in preferred)
        preferred = _prefer(preferred, lambda each: begun(each.hit) == last)
    else:
        preferred = _prefer(preferred, lambda each: not _was_not_over(each))
    if any(contradict(one, other) for one, other in combinations(preferred, 2)):
        return Contradiction(None, tuple(everything))
    chosen = sentence if sentence in preferred else preferred[0]
    return Contradiction(chosen, tuple(each for each in everything if contradict(chosen, each)))


def _prefer(sentences: Sequence[Statement], condition: Callable[[Statement], bool]) -> Sequence[Statement]:
    """The sentences that meet a condition; all if none does."""
    return [each for each in sentences if condition(each)] or sentences


def contradict(one: Statement, other: Statement) -> bool:
    """True if two sentences of different documents are equal but for one value: another figure, or another
    name for what only one can be, about a subject that both name (or under one title). They are of one time:
    one that both name, or else they begin to hold on one day, since a later statement follows an earlier one;
    and of one version."""
    if one.hit.document == other.hit.document or one.version != other.version:
        return False
    if not times_named(one) and begun(one.hit) != begun(other.hit):
        return False
    difference = _difference(one.text, other.text)
    if difference is None or len(difference.before) + len(difference.after) < LEAST_SHARED:
        return False
    values = difference.one, difference.other
    if not all(0 < len(value) <= LONGEST_VALUE and all(map(_is_value, value)) for value in values):
        return False
    if key(one.hit.title) != key(other.hit.title) and not _names_subject(one, difference):
        return False
    figures = [_NUMBER.search(" ".join(value)) for value in values]
    if all(figures):
        return not (_names_time(one, values[0]) or _same_figure(*map(" ".join, values)))
    return not any(figures) and _is_only_one(difference, language_of(one.hit.text, "en"))


def _difference(one: str, other: str) -> _Difference | None:
    """The words in which two sentences differ, between those that they share; None for equal sentences."""
    first, second = _WORDS.findall(one), _WORDS.findall(other)
    folded, against = [word.casefold() for word in first], [word.casefold() for word in second]
    if folded == against:
        return None
    most, before, after = min(len(first), len(second)), 0, 0
    while before < most and folded[before] == against[before]:
        before += 1
    while after < most - before and folded[-1 - after] == against[-1 - after]:
        after += 1
    return _Difference(
        tuple(first[before : len(first) - after]), tuple(second[before : len(second) - after]),
        tuple(first[:before]), tuple(first[len(first) - after :]),
    )  # fmt: skip


def _names_subject(sentence: Statement, difference: _Difference) -> bool:
    """True if the words that two sentences share have a name that is no word of the calendar."""
    calendar = calendar_words(language_of(sentence.hit.text, "en"))
    shared = (*difference.before[1:], *difference.after)
    return any(word[0].isupper() and word.casefold() not in calendar for word in shared)


def _is_value(word: str) -> bool:
    return word[0].isupper() or any(map(str.isdigit, word))


def _names_time(sentence: Statement, value: Sequence[str]) -> bool:
    """True if a value is, or is part of, a time that the sentence names."""
    text = " ".join(value)
    language = language_of(sentence.hit.text, "en")
    times = parse(sentence.text, context=TimeContext(language=language))
    at = sentence.text.find(text)
    return any(time.start < at + len(text) and at < time.end for time in times)


def _same_figure(one: str, other: str) -> bool:
    """True if one figure rounds to the other, with the same signs around both: 2.43 to 2.4."""
    if _NUMBER.sub("", one) != _NUMBER.sub("", other):
        return False
    pairs = [
        [each.replace(",", "").rstrip(".") for each in pair]
        for pair in zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    ]
    if any(each.count(".") > 1 for pair in pairs for each in pair):
        return False  # versions (21.7.0), dates
    return all(_rounds(*map(Decimal, pair)) for pair in pairs)


def _rounds(one: Decimal, other: Decimal) -> bool:
    coarse, fine = sorted((one, other), key=lambda each: -int(each.as_tuple().exponent))
    return fine.quantize(coarse) == coarse


def _is_only_one(difference: _Difference, language: str) -> bool:
    """True if only one name can stand where two sentences differ: behind "X:" or "the X is", before "is the
    X"."""
    senses = lexicon(language).senses

    def has(word: str, sense: str) -> bool:
        return sense in senses.get(word.casefold(), ())

    before, after = difference.before, difference.after
    if before:
        return before[-1] == ":" or (has(before[-1], "copula") and has(before[0], "determiner"))
    return len(after) > 1 and has(after[0], "copula") and after[1].casefold() in _DEFINITE


_DEFINITE = frozenset({"the", "der", "die", "das"})


CONTRADICT = "the sources contradict each other"


def contradiction_reason(statements: Sequence[Statement], numbers: Sequence[int]) -> str:
    """The reason of a refusal: what each source states, with the number of its citation."""
    first = statements[0]
    values = [shown_value(each, statements[1 if each is first else 0]) for each in statements]
    said = " but ".join(f"{value} [{number}]" for value, number in zip(values, numbers, strict=True))
    return f"{CONTRADICT}: {said}"


def shown_value(one: Statement, other: Statement) -> str:
    """What a sentence states in place of another's value: a figure with the word behind it."""
    difference = _difference(one.text, other.text)
    if difference is None:
        return one.text
    unit = difference.after[:1] if _NUMBER.search(" ".join(difference.one)) else ()
    return " ".join((*difference.one, *unit))


def _titled(hit: Hit) -> frozenset[Span]:
    """The times that the title of a hit names: "Fees 2018"."""
    return frozenset(time.span for time in hit.about if KIND.get(time.by) == TITLE)


def begun(hit: Hit) -> int:
    """The instant from which a hit is in force, by its words or its date; the earliest one if neither says
    it."""
    return BEGINNING if hit.in_force is None or hit.in_force.span.start is None else hit.in_force.span.first


def _was_not_over(sentence: Statement) -> bool:
    """True if a sentence was published before a time that it names was over."""
    published = sentence.hit.published
    return published is not None and any(span.last > published.span.last for span in times_named(sentence))


def is_forecast(sentence: Statement) -> bool:
    """True if a sentence says what is or was expected."""
    language = language_of(sentence.hit.text, "en")
    return not listed(language, "forecast").isdisjoint(WORD.findall(sentence.text.lower()))
