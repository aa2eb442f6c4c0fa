"""When a statement holds, by its own words: "from 1 July 2024 the fee is 20", "valid until 30 April 2026".

A text may say when something happened, when it was written and when it holds. The last is said by a phrase
("takes effect on", "valid until": `lang/*/force.toml`) right before a time, by a time with which a
sentence of the present begins ("From June to August a room costs 99"), or by one that comes after the text
was published ("the fee is 25 from 1 July 2024"). A sentence of the past tells what was, so it holds from
nothing on. What is said of a whole passage counts for it: by sentences that make up most of
it, or by one of itself ("This notice is valid until ..."); what is said of a document counts for its passages
that say nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from asof.lang import FIRST, codes, of_all, set_of, tables
from asof.text.passages import sentences, unnumbered
from asof.text.tokens import any_of, tokenize
from asof.time.span import NEVER, Span, nearest_moment

if TYPE_CHECKING:
    from asof.time.expressions import TimeExpression

NEAR, BESIDE = 24, 9
"""The most characters between such a phrase and its time ("takes effect for all members on 1 May 2024"), and
between a preposition and its time."""

_MARK = re.compile(r"[\s>*#|•–-]*(?:[^\W_]{1,3}[.)]\s+)?(?:[\w ]{1,40}:\s+)?")
"""What may stand before the first word of a sentence: the mark of a list item, a label ("Fee: ...")."""

_OPEN, _CLOSED = ("in", "since", "as of", "after"), ("until", "before", "by")

EDGE, NEAR_EDGE = 4_000, 1_000
"""The characters at the beginning and the end of a document in which it is read when it holds; and in which
a sentence may begin with that."""

HALF, FIFTH = 0.5, 0.2
"""The share of a passage that its sentences about force make up at least; also if one begins with a
pronoun."""

LATE = 0.25
"""The part of the way from a day to the next of its name, in which a text may still say "from" it."""


class Phrases(NamedTuple):
    """The words of a language by which a sentence says since when (`begins`) or until when (`ends`) it holds,
    or since when its document does (`rules`, beside these); until when its subject lasts (`of_subject`, of
    the `ends`); the same, if it says both (`starts`, `stops`);
    with which it begins (`opens`), or which stand before a coming time (`coming`); that it tells what was
    (`past`), speaks of its own text (`itself`), denies what follows (`negated`), or goes on (`pronoun`).
    `release`: words beside the date in the heading of a version's section."""

    begins: re.Pattern[str]
    rules: re.Pattern[str]
    ends: re.Pattern[str]
    of_subject: re.Pattern[str]
    starts: re.Pattern[str]
    stops: re.Pattern[str]
    opens: re.Pattern[str]
    coming: re.Pattern[str]
    past: re.Pattern[str]
    itself: re.Pattern[str]
    negated: re.Pattern[str]
    pronoun: re.Pattern[str]
    release: re.Pattern[str]


@cache
def phrases(language: str) -> Phrases:
    """The phrases of the languages that have a list ("de en"), English always among them."""
    known = [FIRST, *(code for code in codes("force") if code in language.split() and code != FIRST)]

    return Phrases(
        *(
            any_of(word for code in known for key in keys for word in tables(code, "force").get(key, ()))
            for keys in (("begins", "rules") if key == "rules" else (key,) for key in Phrases._fields)
        )
    )


class StatedForce(NamedTuple):
    """A time for which a text says that it holds: its span, without a bound where none is stated; its words;
    whether a phrase says so (`True`), or only the place of the time."""

    span: Span
    text: str
    by_phrase: bool


class Clause(NamedTuple):
    """A sentence, or a part of one, at `start` to `end` of a text: since when and until when it says that it
    holds (None: it does not say); the clauses `beside` it, by number, that say what else is so, and no
    time."""

    start: int
    end: int
    force: StatedForce | None
    beside: tuple[int, ...] = ()


def clauses(
    text: str, times: Sequence[TimeExpression], language: str, published: Span | None = None
) -> list[Clause]:
    """The sentences of a text that mentions `times`; one that says what is so and then what will be, in two
    parts: "It costs 30; from 2025 it costs 35". What else is so is looked for beside a coming time from which
    a clause holds in what stands before, and beside one until which it does in all."""
    told = NEVER if published is None else published.last
    known = phrases(language)
    found, parts, at = list[Clause](), set[int](), 0
    for begin, end in sentences(text):
        inside = [time for time in times[at:] if time.start < end]
        at += len(inside)
        cut = _cut(text, begin, end, inside, known)
        for first, last, start in (
            ((begin, cut[0], begin), (cut[0], end, cut[1])) if cut else ((begin, end, begin),)
        ):
            own = [time for time in inside if first <= time.start < last]
            start = _first_word(text, start, last)
            stated = _force_of(text, start, last, own, known, told, NEAR) if own else None
            stated = None if stated and _ends_subject(text, start, last, stated, known) else stated
            found.append(Clause(first, last, stated))
        parts |= {len(found) - 1} if cut else set()
    if not any(each.force for each in found):
        return found
    says = [_says(text, each.start, each.end, times, known) for each in found]
    for n, each in enumerate(found):
        if each.force is not None and _is_of_part(text, each, each.force, told, known):
            others = range(n if each.force.span.start else len(found))
            beside = (
                at for at in others
                if found[at].force is None and ((at == n - 1 and n in parts) or _rivals(says[at], says[n]))
            )  # fmt: skip
            found[n] = each._replace(beside=tuple(beside))
    return found


def stated_force(
    text: str, times: Sequence[TimeExpression], language: str, published: Span | None = None
) -> Iterator[StatedForce]:
    """The times for which a text says that it holds, of all `times` that it mentions."""
    known = phrases(language)
    found, covered, least = list[StatedForce](), 0, HALF
    for begin, end, stated, beside in clauses(text, times, language, published) if times else ():
        if stated is None or beside:
            continue
        found.append(stated)
        covered += end - begin
        first = _first_word(text, begin, end)
        if known.itself.match(text, first, end):
            least = 0.0
        elif known.pronoun.match(text, first, end):
            least = min(least, FIFTH)
    if covered >= least * len(text):
        yield from found


def _ends_subject(text: str, begin: int, end: int, force: StatedForce, known: Phrases) -> bool:
    """True if the end is what a clause states of its subject ("The passport expires on 3 March 2027", "The
    deadline was extended to 28 February"): that stays so afterwards. It bounds what else is said ("The fee is
    25 and expires on ..."), and its own text ("This notice", "It")."""
    phrase = None if force.span.start else known.of_subject.search(text, begin, end)
    if phrase is None or known.itself.match(text, begin) or known.pronoun.match(text, begin):
        return False
    words = list(_WORD.finditer(text, begin, phrase.start()))
    while words and words[-1][0].casefold() in set_of("words", "stop") | set_of("statements", "now"):
        words.pop()  # "is now extended to"
    return bool(words) and _says(text, begin, words[-1].end(), (), known) is None


_WORD = re.compile(r"\w+")


def _first_word(text: str, begin: int, end: int) -> int:
    mark = _MARK.match(text, begin, end)
    return mark.end() if mark else begin


_JOINT = re.compile(r"[;,:–—]\s+(?=((?:[^\W\d_]{1,5}\s+)?))")
"""What stands between two parts of a sentence ("; from"), maybe with a word (", and from")."""


def _cut(
    text: str, begin: int, end: int, times: Sequence[TimeExpression], known: Phrases
) -> tuple[int, int] | None:
    """Where the part of a sentence begins that a time opens, behind one that says what is so without a time,
    and the phrase of that time; None: it has no such parts."""
    for joint in _JOINT.finditer(text, begin, times[0].start) if times else ():
        for at in (joint.end(), joint.end(1)):
            opens = known.opens.match(text, at, end) and times[0].start - at <= NEAR
            if opens and _says(text, begin, joint.start(), (), known) is not None:
                return joint.end(), at
    return None


class _Said(NamedTuple):
    """The words of content of a clause that says what is so, and whether it has figures."""

    words: frozenset[str]
    figures: bool


def _says(text: str, begin: int, end: int, times: Sequence[TimeExpression], known: Phrases) -> _Said | None:
    """What a clause says is so; None if it tells what was, is a heading or a question."""
    said = unnumbered(text[begin:end].strip())
    if known.past.search(text, begin, end) or said.startswith("#") or said.endswith(("?", "？")):
        return None
    for time in times:
        if begin <= time.start < end:
            said = said.replace(time.text, " ")
    words = tokenize(said)
    figures = any(any(map(str.isdigit, word)) for word in words)
    figures = figures or not set_of("questions", "free").isdisjoint(words)
    if not figures and set_of("statements", "verbs").isdisjoint(words) and not _copula().search(said):
        return None
    plain = set_of("words", "stop") | set_of("words", "calendar")
    return _Said(frozenset(word for word in words if word.isalpha()) - plain, figures)


def _rivals(one: _Said | None, other: _Said | None) -> bool:
    """True if one clause says of the same as the other what is so: they share a word, or there is none but
    its figures; a figure stands beside a figure."""
    if one is None or other is None or other.figures != one.figures:
        return False
    return not other.words or not one.words.isdisjoint(other.words)


def _is_of_part(text: str, clause: Clause, force: StatedForce, told: int, known: Phrases) -> bool:
    """True if a clause speaks of a coming time from which it holds, or of one until which it does, and not of
    its whole text ("This notice", "It takes effect")."""
    if force.span.start and force.span.first <= told < NEVER:
        return False
    first = _first_word(text, clause.start, clause.end)
    return not known.itself.match(text, first) and not (force.by_phrase and known.pronoun.match(text, first))


def times_in(text: str, language: str, published: Span | None) -> tuple[TimeExpression, ...]:
    """The times that a text mentions, as it means them (`with_coming_years`)."""
    from asof.time.expressions import TimeContext, parse

    times = parse(text, context=TimeContext(language=language, published=published))
    return with_coming_years(text, times, language, published)


def with_coming_years(
    text: str, times: Sequence[TimeExpression], language: str, published: Span | None
) -> tuple[TimeExpression, ...]:
    """The times, but of those without a year which the text announces ("From June the cleaners come") the
    coming one, counted from its publication: the newest that is not after that is meant by what looks back
    ("in March we met", "since March")."""
    if published is None or not any(time.relative and time.alternatives for time in times):
        return tuple(times)
    known, found, at = phrases(language), list(times), 0
    for begin, end in sentences(text):
        mark = _MARK.match(text, begin, end)
        first = mark.end() if mark else begin
        while at < len(found) and found[at].start < end:
            time = found[at]
            if time.relative and time.alternatives and _announces(text, first, end, time, known):
                found[at] = _coming(time, published.last)
            at += 1
    return tuple(found)


def _announces(text: str, begin: int, end: int, time: TimeExpression, known: Phrases) -> bool:
    """True if a sentence says of a time that something will hold from then or until then: by a phrase, at its
    beginning, or where it says what is so."""
    if known.past.search(text, begin, end):
        return False
    lead = text[max(begin, time.start - 4 * NEAR) : time.end]
    coming = _last(known.coming, lead, time, BESIDE) >= 0
    if coming or time.relation != "since":
        opens = coming and time.start - begin <= NEAR and known.opens.match(text, begin, end)
        edges = _edges(text, begin, end, known)
        phrased = any(_last(each, lead, time, NEAR) >= 0 for patterns in edges for each in patterns)
        return bool(opens or phrased or (coming and _copula().search(text, begin, time.start)))
    return False


def _edges(text: str, begin: int, end: int, known: Phrases) -> tuple[tuple[re.Pattern[str], ...], ...]:
    """The phrases by which a sentence says since when it holds, and until when."""
    begins, ends = (known.begins, known.starts), (known.ends, known.stops)
    both = all(any(each.search(text, begin, end) for each in patterns) for patterns in (begins, ends))
    return (begins, ends) if both else (begins[:1], ends[:1])


@cache
def _copula() -> re.Pattern[str]:
    return any_of(set_of("statements", "copula"))


def _coming(time: TimeExpression, told: int) -> TimeExpression:
    """The time, or the next of its name if that one was over at the instant `told`; one that goes on from
    then, if more than LATE had passed."""
    for span in time.alternatives if time.core.last < told else ():
        before, after = (time.span.start, span.start) if span.start else (time.span.end, span.end)
        if before is None or after is None or after <= before:
            continue
        lasts = time.relation in (*_CLOSED, "between")
        if not lasts and nearest_moment(told) - before <= LATE * (after - before):
            return time
        moved = (
            None if each is None else each + (after - before) for each in (time.core.start, time.core.end)
        )
        core = span if time.core == time.span else Span(*moved)
        return time._replace(span=span, core=core, alternatives=(time.span,))
    return time


def force_of_document(
    text: str, title: str, language: str, published: Span | None, acts: bool
) -> StatedForce | None:
    """The time for which a sentence at an EDGE of a document says that all of it holds: "These Regulations
    come into force on 6 October 2023". Of several the first counts that says since when, and the first that
    says until when. A short document that acts on another one (`acts`) and does not say so is in force from
    the first day after its publication that it names, and not of a part ("The fee is 84 from 1 July")."""
    from asof.time.expressions import TimeContext, parse

    known = phrases(language)
    known = known._replace(begins=known.rules)
    titled = {noun[0].casefold() for noun in document_nouns().finditer(title)}
    context = TimeContext(language=language, published=published)
    begins = ends = None
    said = []
    for begin, phrase, end in _phrased_sentences(text, known):
        if not _of_document(text, begin, phrase, titled, known):
            continue
        sentence = text[begin:end]
        times = with_coming_years(sentence, parse(sentence, context=context), language, published)
        times = tuple(time for time in times if time.grain in ("day", "month")) or times
        stated = _force_of(sentence, 0, end - begin, times, known, NEVER, len(sentence))
        if stated is not None and ((stated.span.start and not begins) or (stated.span.end and not ends)):
            begins, ends = begins or stated.span.start, ends or stated.span.end
            said.append(stated.text)
    if acts and published is not None and begins is None and len(text) <= 2 * EDGE:
        times = parse(text, context=context)
        of_parts = [
            each for each in clauses(text, times, language, published)
            if each.force and (part := _says(text, each.start, each.end, times, known)) and part.figures
        ]  # fmt: skip
        for time in times:
            quoted = text[max(time.start - 1, 0)] in '"“„«'  # instead of "1 April" read "1 May"
            if quoted or any(each.start <= time.start < each.end for each in of_parts):
                continue
            coming = time.grain == "day" and time.core.first > published.last and time.relation in _OPEN
            if coming and _last(known.ends, text[max(0, time.start - 4 * NEAR) : time.end], time, NEAR) < 0:
                begins = time.core.start
                said.append(time.text)
                break
    if not said or (begins and ends and ends <= begins):
        return None
    return StatedForce(Span(begins, ends), " ".join(said), True)


@cache
def document_nouns() -> re.Pattern[str]:
    """Finds the words for kinds of documents in all languages; some end a compound, too."""
    ends = of_all("acts", "document_end")
    return any_of((*of_all("acts", "document"), *ends), ends)


def _phrased_sentences(text: str, known: Phrases) -> Iterator[tuple[int, int, int]]:
    """Beginning and end of the sentences with a figure and a phrase of force, and where that begins."""
    edges = {(0, min(EDGE, len(text))), (max(0, len(text) - EDGE), len(text))}
    places = {
        found.start() for pattern in (known.begins, known.ends) for edge in edges
        for found in pattern.finditer(text, *edge)
    }  # fmt: skip
    pieces, read = list[tuple[int, int]](), 0
    for at in sorted(places):
        if at < read:
            continue
        if not pieces or at >= pieces[-1][1]:
            first, last = max(read, at - EDGE), min(len(text), at + EDGE)  # a text may be one line
            begin, end = text.rfind("\n\n", first, at) + 1 or first, text.find("\n\n", at, last)
            pieces = sentences(text, begin, end if end >= 0 else last)
        begin, read = next(piece for piece in pieces if piece[0] <= at < piece[1])
        if any(map(str.isdigit, text[begin:read])):
            mark = _MARK.match(text, begin, at)
            yield mark.end() if mark else begin, at, read


def _of_document(text: str, begin: int, phrase: int, titled: set[str], known: Phrases) -> bool:
    """True if a sentence with a phrase speaks of all of its document: it begins with the phrase near the
    beginning or the end of the text, or its subject is a word for a document behind "this", or in the title;
    "it" stands for the subject of the sentence before."""
    if begin >= phrase:
        return not NEAR_EDGE <= begin <= len(text) - NEAR_EDGE
    if known.pronoun.match(text, begin):
        before = max(text.rfind(mark, max(begin - EDGE, 0), max(begin - 2, 0)) for mark in (". ", "\n"))
        begin, phrase = before + 1, begin
    nouns = [noun[0].casefold() for noun in document_nouns().finditer(text, begin, phrase)]
    this = known.itself.match(text, begin) is not None
    return bool(nouns) if this else not titled.isdisjoint(nouns)


def _force_of(
    text: str, begin: int, end: int, times: Sequence[TimeExpression], known: Phrases, told: int, near: int
) -> StatedForce | None:
    """The time for which the sentence `text[begin:end]`, published by the instant `told`, says that it
    holds, its phrases at most `near` characters before."""
    start = stop = None
    by_phrase = False
    past = known.past.search(text, begin, end) is not None
    edges = _edges(text, begin, end, known)
    for time in times:
        lead = text[max(begin, time.start - 4 * near) : time.end]
        begins, ends = (max(_last(each, lead, time, near) for each in patterns) for patterns in edges)
        opens = time.start - begin <= NEAR and not past and known.opens.match(text, begin, end)
        phrase, negated = max(begins, ends) >= 0, known.negated.search(lead)
        coming = not (past or negated or time.relation == "between") and (
            (time.core.last if time.relation in _CLOSED else time.core.first) > told
            and _last(known.coming, lead, time, BESIDE) >= 0
        )
        if negated if phrase else not (opens or coming):
            continue
        by_phrase |= phrase
        if time.relation == "between":
            start, stop = time.core.start, time.core.end
        elif ends > begins or (not phrase and time.relation in _CLOSED):
            stop = stop or (time.core.start if time.relation == "before" else time.core.end)
        elif time.relation in _OPEN:
            start = start or (time.span.start if time.relation == "after" else time.core.start)
    if (start or stop) is None or (start and stop and stop <= start):
        return None
    return StatedForce(Span(start, stop), " ".join(text[begin:end].split()), by_phrase)


def _last(pattern: re.Pattern[str], lead: str, time: TimeExpression, near: int) -> int:
    """Where the last such phrase begins that stands at most `near` characters before the time or at its
    beginning; -1: none."""
    words = len(time.text)
    found = -1
    for match in pattern.finditer(lead):
        if match.end() >= len(lead) - words - near:
            found = match.start()
    return found
