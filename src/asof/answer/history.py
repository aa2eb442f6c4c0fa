"""Answers from how documents changed: since when, until when, what changed, what it was before.

The passages that have the words of a question are looked up in everything that was published until then,
whether it still stands or not. The edits at the instants at which they began and ended are scored by
the words of the question: a date, or the values between two dates, comes from the best of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from math import log2
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from asof.answer.choose import may_give
from asof.answer.extractive import answer_of, quoted
from asof.answer.question import WORD, ParsedQuestion, listed, phrases_of
from asof.answer.statements import WeightedPhrase, names
from asof.documents import shortened
from asof.hits import LONGEST_TITLE, Answer, Citation, Hit, Value
from asof.index.lexical import Bm25, scores
from asof.index.view import View, at_least, kth_best
from asof.queries import Query
from asof.rank.gather import query_terms
from asof.revisions import edits
from asof.revisions.edits import ADDED, CHANGED, MOVED, REMOVED, REWORDED, Edit, Stated
from asof.revisions.force import amendments, followers, validity
from asof.revisions.timeline import TimelineEntry, WordChanges, timeline, word_changes
from asof.store.reader import VisiblePassage, version_numbers, visible_passages
from asof.text.figures import figures, language_of, lexicon
from asof.text.force import Clause, clauses, phrases, times_in
from asof.text.statements import FIELD
from asof.text.versions import FIRST, asked
from asof.time.span import BEGINNING, NEVER, Span, iso
from asof.wire import replace

# -- what a question asks of the past --------------------------------------------------------------------

SINCE, UNTIL, WHEN, COURSE, ANYTHING = "since", "until", "when", "course", "anything"
"""Since when something holds, until when it held, when it changed, how it changed or what it was before, what
changed in something that may be large."""

_VERBS = {"began": ADDED, "ended": REMOVED, "altered": CHANGED}


class AskedChange(NamedTuple):
    """What a question asks of the past, the kind of edit that its verb names ("" without one), and its words
    without that verb."""

    kind: str
    edit: str
    text: str


@cache
def _verbs(language: str) -> dict[str, str]:
    return {word: kind for name, kind in _VERBS.items() for word in listed(language, name)}


def asked_change(question: ParsedQuestion) -> AskedChange | None:
    """What a question asks of the past of documents; None for another question, and one on versions."""
    of_version = asked(question.text)
    if of_version is not None and (of_version.words or (of_version.version and of_version.kind != FIRST)):
        return None
    language, lowered = question.language, question.text.lower()
    verbs = _verbs(language)
    words = WORD.findall(lowered)
    found = [verbs[word] for word in words if word in verbs]
    edit = next((kind for kind in (REMOVED, CHANGED, ADDED) if kind in found), "")
    rest = " ".join(word for word in WORD.findall(question.rest) if word.lower() not in verbs)

    def has(name: str) -> bool:
        return bool(listed(language, name)) and phrases_of(name, language).search(lowered) is not None

    if has("since") or has("until"):  # a time in what holds is a part of it: "does the trial last 30 days"
        rest = " ".join(word for word in WORD.findall(question.text) if word.lower() not in verbs)
        return AskedChange(SINCE, edit or ADDED, rest) if has("since") else AskedChange(
            UNTIL, edit or REMOVED, rest
        )  # fmt: skip
    if found and has("when"):
        return AskedChange(WHEN, edit, rest)
    over = not (listed(language, "past") | listed(language, "perfect")).isdisjoint(words)
    if CHANGED in found and over and phrases_of("course_asks", language).match(lowered.lstrip()):
        return AskedChange(ANYTHING if has("changed") else COURSE, CHANGED, rest)
    return AskedChange(ANYTHING, CHANGED, rest) if has("changed") else None


# -- edits of the passages that have the words -----------------------------------------------------------

ROWS, PASSAGES = 150, 60
"""The most passages, current or not, that are looked at, and of which the edits are read."""

NEAR_BEST, BESIDE = 0.6, 0.35
"""The least parts of the best passage's share that a passage has, and one that began or ended with it."""

LEAST = 0.5
"""The least share of the question, by weight, that an edit has with the headings above it."""


class ScoredEdit(NamedTuple):
    """An edit; its score; the share of the question that it has by itself."""

    edit: Edit
    score: float
    share: float


class Past(Struct, frozen=True):
    """The edits for a question, best first, and all that were looked at."""

    ranked: tuple[ScoredEdit, ...]
    every: tuple[Edit, ...]

    def line(self, edit: Edit) -> list[Edit]:
        """The edits of one statement, through its wordings, oldest first."""
        became = {_key(each.after): each for each in self.every if each.after is not None}
        left = {_key(each.before): each for each in self.every if each.before is not None}
        line = [edit]
        while (before := line[0].before) is not None and (earlier := became.get(_key(before))):
            if earlier.at >= line[0].at:
                break
            line.insert(0, earlier)
        while (after := line[-1].after) is not None and (later := left.get(_key(after))):
            if later.at <= line[-1].at:
                break
            line.append(later)
        return line


def _with_ends(found: Sequence[Edit]) -> tuple[Edit, ...]:
    """The edits, with the end of what each added by the next one of it: a passage ends with any of its
    statements, and the others stand on in the next."""
    gone: dict[tuple[str, tuple[str, ...], str], list[int]] = {}
    for each in found:
        if each.before is not None:
            gone.setdefault(_key(each.before), []).append(each.at)
    return tuple(
        each if each.after is None else replace(each, after=replace(
            each.after, end=min((at for at in gone.get(_key(each.after), ()) if at > each.at), default=None)
        ))
        for each in found
    )  # fmt: skip


def _key(statement: Stated) -> tuple[str, tuple[str, ...], str]:
    return statement.document, statement.headings, statement.text


def past_of(view: View, query: Query, asked: AskedChange, times: Sequence[Span]) -> Past:
    """The edits for a question. `view`: with what was visible before."""
    words = WeightedPhrase.of(asked.text, view)
    stems: Stems = cache(partial(stems_in, view))
    found = _edits(view, replace_words(query, asked.text), words, stems)
    every = _with_ends([each for each in found if view.says_what_is_asked(query.filters, *each.said)])
    places = {name: at for at, name in enumerate(dict.fromkeys(each.side.document for each in every))}
    again: dict[str, int] = {}  # since when each statement was last said
    for each in every:
        if each.after is not None:
            again[_again(each.after)] = max(each.at, again.get(_again(each.after), each.at))
    ranked = [_scored(stems, each, words, asked, times, places[each.side.document], again) for each in every]
    if asked.kind == ANYTHING:  # a field of the header tells no change, but of its document
        ranked = [each for each in ranked if each.edit.side.kind != FIELD] or ranked
    ranked = [each for each in ranked if each.share >= LEAST]
    ranked.sort(key=lambda each: (-each.score, -each.edit.at))
    if amounts := _amounts(query.text):
        ranked = [
            each for each in ranked if any(amounts & _amounts(text) for text in _texts(each.edit))
        ] or ranked
    if asked.kind == WHEN and asked.edit == ADDED and ranked:  # the first of those that are nearly as good
        near = [each for each in ranked if each.score >= ranked[0].score - NEARLY]
        first = min(near, key=lambda each: (each.edit.at, -each.score))
        ranked = [first, *(each for each in ranked if each is not first)]
    return Past(tuple(ranked), every)


def _texts(edit: Edit) -> list[str]:
    """What an edit's statements say."""
    return [side.text for side in (edit.before, edit.after) if side is not None]


def _amounts(text: str) -> set[tuple[float, str]]:
    """The amounts of money in a text, with their currencies."""
    language = language_of(text, "en")
    money = set(lexicon(language).currencies.values())
    return {(each.value, each.unit) for each in figures(text, language) if each.unit in money}


NEARLY = 0.15
"""Edits whose scores differ by no more say the same, as far as words tell."""


def _again(statement: Stated) -> str:
    return f"{statement.document}\n{statement.text.casefold()}"


def replace_words(query: Query, text: str) -> Query:
    """The query for other words."""
    return Query(text, text, filters=query.filters)


def _edits(view: View, query: Query, words: WeightedPhrase, stems: Stems) -> list[Edit]:
    """The edits of the passages with the words at the instants at which they began and ended."""
    window = view.window(query.filters)
    values, _ = scores(window, query_terms(query, view.analyzer), Bm25(1.2, 0.7))
    allowed = view.allowed(window, query.filters)
    if allowed is not None:
        values[~allowed] = 0.0
    places = at_least(values, kth_best(values, ROWS))
    rows, found_scores = window.rows(places), values[places]
    rows = rows[view.tie_order(found_scores, rows)[:ROWS]]
    view.prefix.give_back(values)
    passages = view.column("passage", rows).tolist()
    found = visible_passages(view.store.db, passages, view.as_of, view.known_at, ended=True)
    best = [found[each] for each in passages if each in found]
    if not best:
        return []
    good = _with_words(stems, words, best, NEAR_BEST)
    instants: dict[str, set[int]] = {}
    for each in good[:PASSAGES]:
        instants.setdefault(each.document, set()).update({each.visible, each.ended or each.visible})
    beside = {name: _with_words(stems, words, each, BESIDE) for name, each in _beside(view, instants).items()}
    within = [each for name in instants for each in edits.edits(beside.get(name, ()), instants[name])]
    row_of = dict(zip(passages, rows.tolist(), strict=True))
    by_force = [*_by_force(view, {row_of[each.passage]: each for each in good[:PASSAGES]})]
    told = {(each.at, _key(each.after)) for each in by_force if each.after is not None}
    own = [
        each for each in _since_in_force(view, within)
        if each.kind != ADDED or each.after is None or (each.at, _key(each.after)) not in told
    ]  # fmt: skip
    said = {(each.side.document, each.side.text) for each in own}
    whole = edits.edits_of_documents(view, instants)
    return [*own, *by_force, *(each for each in whole if (each.side.document, each.side.title) not in said)]


def _by_force(view: View, passages: Mapping[int, VisiblePassage]) -> Iterator[Edit]:
    """The edits that no version of a document makes: another document holds instead of these passages, by
    their rows in the view, or the time for which one is stated to hold ends."""
    rows = np.array([*passages], np.int64)
    after, held = followers(view, rows, view.as_of), validity(view, rows)
    later = np.array([-1 if each is None else each.row for each in after], np.int64)
    numbers = view.column("passage", np.maximum(later, 0)).tolist()
    found = visible_passages(view.store.db, numbers, view.as_of, view.known_at, ended=True)
    for each, passage, number, end in zip(after, passages.values(), numbers, held.ends.tolist(), strict=True):
        follower = None if each is None or each.row < 0 else found.get(number)
        if each is not None and follower is not None:
            if follower.document != passage.document:
                yield from edits.edits_between(each.instant, passage, follower)
        elif end < NEVER:
            yield from (Edit(REMOVED, end + 1, said, None) for said in edits.statements_in(passage))


def _since_in_force(view: View, found: Sequence[Edit]) -> Iterator[Edit]:
    """The edits, each at the time from which what it says is stated to hold: that of a passage, or of a part
    of a statement that says what is so before that, too, which is an edit of its own."""
    rows = view.prefix.rows_of(np.array([each.side.passage for each in found], np.int64))
    held = validity(view, rows)
    begins = np.where((rows >= 0) & held.stated & (held.begins <= held.ends), held.begins, NEVER).tolist()
    for edit, begin in zip(found, begins, strict=True):
        after = edit.after
        if after is None:
            yield edit
        elif begin < NEVER:
            yield replace(edit, at=begin, after=replace(after, start=begin))
        else:
            yield from _in_parts(view, edit, after)


def _in_parts(view: View, edit: Edit, after: Stated) -> Iterator[Edit]:
    """An edit; where its new statement has a part that holds from a day on, without that, and the edit by
    which that takes the place of what else the statement says."""
    published = after.published.span if after.published else None
    language = view.analyzer.detect(after.text)

    def parts_of(text: str) -> list[tuple[str, Clause]]:
        found = clauses(text, times_in(text, language, published), language, published)
        return [(text[each.start : each.end].strip(" ;,"), each) for each in found]

    texts, parts = zip(*parts_of(after.text), strict=True)
    was = replace(after, text=" ".join(texts[at] for at, each in enumerate(parts) if each.force is None))
    if not any(each.beside for each in parts):
        first = next(iter(times_in(after.text, language, published)), None)
        if first and first.grain == "day" and not after.text[: first.start].strip(" *•-"):
            at = first.core.first  # the entry of a log
            yield replace(edit, at=at, after=replace(after, start=at))
            return
        alone = [each for piece in after.text.split("; ") for each in parts_of(piece)]
        dated = {text: each.force.span.first for text, each in alone if each.force and each.force.span.start}
        for text, at in dated.items():
            yield replace(edit, at=at, after=replace(after, text=text, start=max(after.start, at)))
        if rest := "; ".join(text for text, _ in alone if text not in dated):
            yield replace(edit, after=replace(after, text=rest if dated else after.text))
        return
    yield replace(edit, after=was)
    for text, each in zip(texts, parts, strict=True):
        if each.force is not None and each.force.span.start and each.beside:
            at = each.force.span.first
            now = replace(after, text=text, start=at)
            yield Edit(CHANGED, at, replace(was, end=at), now)
            was = now


def _with_words(
    stems: Stems, words: WeightedPhrase, passages: Sequence[VisiblePassage], least: float
) -> list[VisiblePassage]:
    """The passages that have at least this part of the share of a phrase that the best of them has."""
    shares = [words.share(stems(each.title, *each.headings, each.text)) for each in passages]
    most = max(shares, default=0.0)
    return [each for each, share in zip(passages, shares, strict=True) if share >= least * most]


def _beside(view: View, instants: dict[str, set[int]]) -> dict[str, list[VisiblePassage]]:
    """The passages of documents that began or ended at these instants."""
    pairs = json.dumps([[name, at] for name, all_of in instants.items() for at in all_of])
    ids = view.store.db.execute(
        "WITH asked AS (SELECT d.id AS document, value ->> 1 AS at FROM json_each(?)"
        " JOIN documents AS d ON d.name = value ->> 0)"
        " SELECT p.id FROM asked AS a JOIN passages AS p ON p.document = a.document AND p.visible = a.at"
        " UNION SELECT p.id FROM asked AS a JOIN passages AS p ON p.document = a.document"
        " JOIN ends AS e ON e.passage = p.id AND e.at = a.at",
        (pairs,),
    )
    seen = visible_passages(view.store.db, [row[0] for row in ids], view.as_of, view.known_at, ended=True)
    found: dict[str, list[VisiblePassage]] = {}
    for each in seen.values():
        found.setdefault(each.document, []).append(each)
    return found


Stems = Callable[..., frozenset[str]]
"""The stems of texts, worked out once for a question: versions repeat most of what they say."""


def stems_in(view: View, *texts: str) -> frozenset[str]:
    """The stems of texts."""
    text = "\n".join(texts)
    return frozenset(view.analyzer.terms(text, view.analyzer.detect(text)))


AS_ASKED, IN_TIME, OUT_OF_TIME, FAR = 0.35, 0.4, -0.4, 0.05
"""Weights beside the shares. AS_ASKED: the edit is of the kind that the verb names. IN_TIME, OUT_OF_TIME: it
was, or was not, in a time that the question names. FAR is subtracted for the base-2 logarithm of the place of
its document."""

OF_KIND = {CHANGED: 0.0, ADDED: -0.1, REMOVED: -0.1, MOVED: -0.35, REWORDED: -0.6}
"""What the kind of an edit adds: what says nothing else answers no question."""

NO_CHANGE, NO_NAME, FIGURE, GONE_FIGURE = -0.5, -1.2, 0.3, 0.9
"""NO_CHANGE: of what was added or removed, where a change is asked for. NO_NAME: per share, by weight, of the
question in capitalised words that neither an edit nor what stands beside it has. FIGURE: a figure of the
question is new; subtracted if it was said before, too. GONE_FIGURE is subtracted if the edit ended it."""

STANDS, VALUES = 0.3, 0.3
"""STANDS: what is asked to hold "since" is still said, subtracted if it is not, and of what was removed and
came back. VALUES: a value took the place of another one."""

NAMED = 0.95
"""The least share of the question that the title of a document has which came or went: it tells no more."""

NEW = 0.6
"""Per share of the question that one side of an edit has and the other has not."""


def _scored(
    stems: Stems, edit: Edit, words: WeightedPhrase, asked: AskedChange, times: Sequence[Span], place: int,
    again: Mapping[str, int],
) -> ScoredEdit:  # fmt: skip
    sides = edit.before, edit.after
    was, now = (frozenset() if side is None else stems(side.text) for side in sides)
    above = [frozenset() if side is None else stems(*side.headings) for side in sides]
    title = stems(edit.side.title)
    beside = stems(edit.side.beside)
    said = was | now | above[0] | above[1] | title
    own, whole, near = words.share(was | now), words.share(said), words.share(said | beside)
    fresh, gone = (now | above[1]) - was - above[0], (was | above[0]) - now - above[1]
    kind = asked.edit
    told = words.share(gone) if kind == REMOVED else words.share(fresh)
    if kind == CHANGED:
        told = 0.0 if asked.kind in (COURSE, ANYTHING) else max(told, words.share(gone))
    score = (own + whole + near) * 2 / 3 + NEW * told + OF_KIND[edit.kind] - FAR * log2(1 + place)
    if asked.kind in (COURSE, ANYTHING):
        score += NO_CHANGE if edit.kind in (ADDED, REMOVED) else 0.0
    figures = [each for each, _ in words.words if any(stem[:1].isdigit() for stem in each)]
    if kind != REMOVED:
        score += FIGURE * any(not each.isdisjoint(fresh) for each in figures)
        score -= FIGURE * any(not each.isdisjoint(was) and not each.isdisjoint(now) for each in figures)
        score -= GONE_FIGURE * any(not each.isdisjoint(gone) for each in figures)
    capitals = {word.casefold() for word in WORD.findall(asked.text)[1:] if word[0].isupper()}
    names = [each for each, word in zip(words.words, words.spelled, strict=True) if word in capitals]
    missed = sum(weight for each, weight in names if each.isdisjoint(said | beside))
    score += NO_NAME * missed / max(sum(weight for _, weight in words.words), 1e-9)
    if asked.kind == SINCE:
        score += STANDS if edit.after is not None and edit.after.end is None else -STANDS
    if edit.kind == CHANGED and edit.before and edit.after:
        old, new = edits.values_of(edit.before.text), edits.values_of(edit.after.text)
        score += VALUES * bool(old - new and new - old)
    if edit.kind == REMOVED and edit.before and again.get(_again(edit.before), BEGINNING) >= edit.at:
        score -= STANDS
    score += AS_ASKED * (edit.kind == kind or (kind == CHANGED and edit.kind == MOVED))
    if times:
        score += IN_TIME if any(span.first <= edit.at <= span.last for span in times) else OUT_OF_TIME
    named = edit.side.kind != "document" or (own >= NAMED and asked.edit in ("", edit.kind))
    return ScoredEdit(edit, score, near if named else 0.0)


# -- the answer ----------------------------------------------------------------------------------------

LONGEST = 400
"""The most characters of a statement in an answer from the past."""

SURE, SURE_OF, BESIDES, MOST = 1.0, {COURSE: 1.3, ANYTHING: 1.6}, 0.4, 3
"""The least score of the edit that answers, for a date and for a course of values; how much less others have
that are quoted, and how many are."""


def answer_from_past(
    view: View, query: Query, question: ParsedQuestion, asked: AskedChange,
    statements: Sequence[tuple[Hit, str]] = (),
) -> Answer | None:  # fmt: skip
    """The answer to a question on how documents changed; None if no edit has enough of it, or all, where one
    of these statements of hits has all: that did not change. `view`: with what was visible before."""
    past = past_of(view, query, asked, () if asked.kind in (SINCE, UNTIL) else question.times)
    if not past.ranked or past.ranked[0].score < SURE:
        return None
    best = past.ranked[0].edit
    if _is_undated(view, best):
        return None
    if asked.kind == UNTIL and phrases(question.language).of_subject.search(best.side.text):
        return None  # it says itself until when
    words = WeightedPhrase.of(asked.text, view)
    told = max((share for _, share in _shared(view, words, statements)), default=0.0)
    sides = [side for side in (best.before, best.after) if side is not None]
    if (
        told
        == 1.0
        > max(words.share(stems_in(view, each.title, *each.headings, each.text)) for each in sides)
    ):
        return None
    if asked.kind in (COURSE, ANYTHING):
        line = past.line(best)
        sure = past.ranked[0].score >= SURE_OF[asked.kind] and best.kind == CHANGED
        of_title = words.share(stems_in(view, best.side.title))
        whole = _whole_change(view, query, past, best) if sure and of_title >= NAMED else None
        return whole or (_course(view, query, stood_in(line), question.times) if sure else None)
    near = [each.edit for each in past.ranked if each.score >= past.ranked[0].score - BESIDES]
    quotes = {dated(each): each for each in near}
    citations = tuple(
        cited(view, n, each.side, quote) for n, (quote, each) in enumerate([*quotes.items()][:MOST], 1)
    )
    return answer_of(view, query.text, map(quoted, citations), citations)


def _whole_change(view: View, query: Query, past: Past, best: Edit) -> Answer | None:
    """The edits by which a document that a question names changed when the best of them did, in order of
    place; None if it is the only one."""
    found = [
        each for each in past.every
        if each.at == best.at and each.side.title == best.side.title
        and each.side.kind not in ("document", FIELD)
        and each.kind in (CHANGED, ADDED, REMOVED)
    ]  # fmt: skip
    if len(found) < 2:
        return None
    quotes = {dated(each): each for each in found}
    shown = [*quotes.items()][:MOST_VALUES]
    citations = tuple(cited(view, n, each.side, quote) for n, (quote, each) in enumerate(shown, 1))
    notes = (f"{left} more changes were found and left out",) if (left := len(quotes) - len(shown)) else ()
    return answer_of(view, query.text, map(quoted, citations), citations, notes=notes)


def _is_undated(view: View, edit: Edit) -> bool:
    """True if an edit is the first version of a document without a date, which did not begin when it was
    indexed."""
    after = edit.after
    if edit.kind != ADDED or after is None or after.published is not None:
        return False
    number = version_numbers(view.store, [after.passage]).get(after.passage)
    rows = view.prefix.rows_of(np.array([after.passage], np.int64))
    return number is not None and number.number == 1 and not validity(view, rows[rows >= 0]).stated.any()


GONE, GONE_OWN = 0.75, 0.5
"""The least shares of a question that what is said no more has, with what stands around it and by itself."""


def with_what_was_said(view: View, query: Query, question: ParsedQuestion, refusal: Answer) -> Answer:
    """A refusal; with what a document said before, if that has what is asked for. `view`: with what was
    visible before."""
    if question.beside:
        return _with_neighbour(view, query, question, refusal)
    words = WeightedPhrase.of(question.rest, view)
    past = past_of(view, query, AskedChange(UNTIL, REMOVED, question.rest), ())
    for each in past.ranked:
        before = each.edit.before
        if each.edit.kind != REMOVED or before is None or each.share < GONE:
            continue
        if not may_give(question, before.text):
            continue
        if (
            words.share(stems_in(view, before.text, *before.headings[-1:])) >= GONE_OWN
            and before.kind != "document"
        ):
            until = _day(each.edit.at - 1)
            quote = f"from {_day(before.start)} until {until}: {_short(before.text)}"
            citation = cited(view, 1, before, quote)
            source = shortened(citation.title or citation.document, LONGEST_TITLE)
            reason = f"nothing current says so; until {until} {source} said it"
            text = "\n".join([f"No answer: {reason}:", quoted(citation)])
            return replace(refusal, text=text, refused=True, reason=reason, citations=(citation,), notes=())
    return refusal


def _with_neighbour(view: View, query: Query, question: ParsedQuestion, refusal: Answer) -> Answer:
    """The edit by which what is asked for took the place of what is named, or the reverse; or the refusal."""
    rest = question.rest.replace(question.beside, " ")
    past = past_of(view, query, AskedChange(COURSE, CHANGED, rest), ())
    for edit in (each.edit for each in past.ranked):
        sides = (edit.before, edit.after) if question.before else (edit.after, edit.before)
        asked, named = sides
        if asked and named and names(named.text, question.beside) and not names(asked.text, question.beside):
            then = f"until {_day(edit.at)}: {_short(asked.text)}; then: {_short(named.text)}"
            citation = cited(view, 1, asked, then if question.before else dated(edit))
            return replace(refusal, text=quoted(citation), refused=False, reason="", citations=(citation,))
    return refusal


def answer_from_timeline(
    view: View, query: Query, question: ParsedQuestion, asked: AskedChange,
    statements: Sequence[tuple[Hit, str]],
) -> Answer | None:  # fmt: skip
    """The course of the first of these statements of hits with the most of the question, through the
    documents that follow one another; None if it has a single value, or says too little of the question."""
    shared = _shared(view, WeightedPhrase.of(asked.text, view), statements)
    most = max((share for _, share in shared), default=0.0)
    told = [each for each, share in shared if share == most >= LEAST]
    stood: list[Stated] = []
    for each in timeline(view, query.text, told, MOST_VALUES, query.filters).entries:
        own = each.id, each.document, each.title, (), each.sentence, "", each.start, each.end, each.published
        _add_value(stood, Stated(*own))
    return _course(view, query, stood, question.times)


def _shared(
    view: View, words: WeightedPhrase, statements: Sequence[tuple[Hit, str]]
) -> list[tuple[tuple[Hit, str], float]]:
    """Each of these statements of hits with the share of a phrase that it has with its title and headings."""
    return [
        ((hit, said), words.share(stems_in(view, hit.title, *hit.place.headings, said)))
        for hit, said in statements
    ]


MOST_VALUES = 50
"""The most values of a course."""


def timeline_of_removed(view: View, query: Query, question: ParsedQuestion) -> tuple[TimelineEntry, ...]:
    """The values of the best statement for a question that is said no more, oldest first; () for none.
    `view`: with what was visible before."""
    past = past_of(view, query, AskedChange(UNTIL, REMOVED, question.rest), ())
    gone = (each.edit for each in past.ranked if each.edit.kind == REMOVED and each.share >= GONE)
    edit = next((each for each in gone if each.before is not None and each.before.kind != "document"), None)
    stood = [] if edit is None else stood_in(past.line(edit))
    changes = [WordChanges((), ()), *(word_changes(one.text, two.text) for one, two in pairwise(stood))]
    versions = version_numbers(view.store, (each.passage for each in stood))
    return tuple(
        TimelineEntry(
            each.id, each.document, each.title, each.published, each.start, each.end, _short(each.text),
            differ.added, differ.removed, each.standing, 0, each.headings, versions.get(each.passage),
        ) for each, differ in zip(stood, changes, strict=False)
    )  # fmt: skip


def stood_in(line: Sequence[Edit]) -> list[Stated]:
    """The values of a statement in a line of its edits; wordings that say the same are one."""
    stood: list[Stated] = []
    for edit in line:
        for side in (edit.before if edit is line[0] else None, edit.after):
            if side is not None:
                _add_value(stood, side)
    return stood


def _add_value(stood: list[Stated], side: Stated) -> None:
    """Adds a statement to the values of a course; one that says the same takes the place of the last."""
    if stood and edits.values_of(stood[-1].text) == edits.values_of(side.text):
        stood[-1] = replace(side, start=stood[-1].start)
    else:
        stood.append(side)


def _course(view: View, query: Query, stood: list[Stated], times: Sequence[Span]) -> Answer | None:
    """The values of a statement in order of time; None for one that has a single value. Those that stood at
    no time of the question are left out."""
    inside = [at for at, each in enumerate(stood) if any(_stood_in(each, span) for span in times)]
    if inside and len(stood) > 1:
        stood = stood[max(min(inside) - (len(inside) == 1), 0) : max(inside) + 1]
    if len(stood) < 2:
        return None
    values = tuple(Value("", _day(each.start), "", _short(each.text), n) for n, each in enumerate(stood, 1))
    citations = tuple(cited(view, n, each, _stood(each)) for n, each in enumerate(stood, 1))
    lines = [f"{value.period}  {value.value} [{value.citation}]" for value in values]
    sources = [f"[{each.n}] {each.citation}" for each in citations]
    return answer_of(view, query.text, [*lines, "", *sources], citations, values)


def _stood(statement: Stated) -> str:
    """A statement behind the time in which it stood."""
    since, until = _day(statement.start), statement.end and _day(statement.end - 1)
    if statement.end is not None and statement.end <= statement.start:
        return f"until {until}: {_short(statement.text)}"
    return f"{f'from {since} until {until}' if until else f'since {since}'}: {_short(statement.text)}"


def _stood_in(statement: Stated, span: Span) -> bool:
    return statement.start <= span.last and (statement.end is None or span.first < statement.end)


def cited(view: View, n: int, statement: Stated, quote: str) -> Citation:
    """The citation of a statement of the past, with the time in which it stood, and what amends it."""
    rows = view.prefix.rows_of(np.array([statement.passage], np.int64))
    rows = rows[rows >= 0]
    amended = amendments(view, rows, view.records(rows), view.as_of)
    return Citation(
        n, statement.id, statement.document, statement.title, statement.published, (), quote,
        in_force=statement.standing, amended=amended[0] if amended else (), holds=statement.end is None,
        headings=statement.headings,
        version=version_numbers(view.store, [statement.passage]).get(statement.passage),
    )  # fmt: skip


def dated(edit: Edit) -> str:
    """An edit in words: "since 2024-01-05: …; before: …"."""
    at = _day(edit.at)
    old, new = (None if side is None else _short(side.text) for side in (edit.before, edit.after))
    if new is None:
        return f"until {_day(edit.at - 1)}: {old}"
    until = edit.after.end if edit.after else None
    when = f"since {at}" if until is None else f"from {at} until {_day(until - 1)}"
    if edit.kind == MOVED and edit.before and edit.after:
        places = [" › ".join(side.headings) for side in (edit.after, edit.before)]
        return f"{when}, below “{places[0]}”: {new}; before, below “{places[1]}”"
    return f"{when}: {new}" if old is None else f"{when}: {new}; before: {old}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"


def _day(instant: int) -> str:
    return iso(instant)[:10]
