"""Answers to questions that are only a time: what was published, and what changed, then."""

from __future__ import annotations

import json

import numpy as np

from asof.answer.extractive import answer_of, quoted, refused
from asof.answer.history import cited, stems_in
from asof.answer.question import WORD, ParsedQuestion, listed
from asof.answer.statements import WeightedPhrase, is_of, own_times, statements_of
from asof.hits import Answer, Citation
from asof.index.view import View
from asof.lang import stop_words
from asof.queries import Filters, Query
from asof.rank.times import of_time, stated_times
from asof.revisions.edits import Changes, DocumentChanges, Edit, changes_of_documents
from asof.revisions.force import current_hits
from asof.store.digest import TEXT
from asof.time.span import DAY, NEVER, iso, label

WEEK = 7 * DAY
EDITS = 8
"""The most edits of a document that are listed."""

LEAST = 0.65
"""The least share of a question, by weight, that an edit about it has."""


def changes_about(
    view: View, question: str, first: int, most: int, filters: Filters, learned: int = NEVER
) -> Changes:
    """What changed in documents from an instant on, or was `learned` from one on, about a question unless it
    is empty. `filters`: which documents, until when, and what edits say. `view`: with what was visible
    before."""
    words = WeightedPhrase.of(question, view) if question else None

    def keep(edit: Edit) -> bool:
        if not view.says_what_is_asked(filters, *edit.said):
            return False
        return words is None or words.share(stems_in(view, *edit.said)) >= LEAST

    last = view.as_of if filters.until is None else min(view.as_of, filters.until)
    found = changes_of_documents(view, first, last, EDITS, keep, _among(view, filters), learned)
    return Changes(question, first, view.as_of, view.known_at, tuple(found[:most]), max(len(found) - most, 0))


def _among(view: View, filters: Filters) -> frozenset[str] | None:
    """The ids of the documents that pass the filters; None for all."""
    documents = view.documents_passing(filters)
    if documents is None:
        return None
    rows = view.store.db.execute(
        "SELECT name FROM documents WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(documents),)
    )
    return frozenset(name for (name,) in rows)


def is_only_a_time(question: ParsedQuestion) -> bool:
    """True if a question has no words but those of its times and those that ask for anything at all."""
    language = question.language
    asks = stop_words(language) | listed(language, "anything") | listed(language, "question")
    rest = {word.lower() for word in WORD.findall(question.rest)}
    return bool(question.times) and question.grain is None and rest <= asks


MOST = 20
"""The most lines of an answer."""


def answer_for_period(view: View, question: ParsedQuestion, filters: Filters) -> Answer:
    """What documents were published or changed in the times of a question, in order of time, as far as they
    pass the filters. `view`: with what was visible before."""
    among = _among(view, filters)
    found: list[DocumentChanges] = []
    for span in question.times:
        first = span.first if filters.since is None else max(span.first, filters.since)
        last = span.last if filters.until is None else min(span.last, filters.until)
        found += changes_of_documents(
            view, first, last, 3, lambda edit: view.says_what_is_asked(filters, *edit.said), among
        )
    found.sort(key=lambda each: (each.at, each.document))
    if not found:
        when = ", ".join(map(label, question.times))
        return refused(view, question.text, f"no document was published or changed in {when}")
    citations = list[Citation]()
    for each in found:
        if len(citations) >= MOST:
            break
        for edit in each.edits[: MOST - len(citations)]:
            citations.append(cited(view, len(citations) + 1, edit.side, _told(edit, each)))
    count = f"{len(found)} document{'s' * (len(found) != 1)} published or changed:"
    left = sum(len(each.edits) + each.left_out for each in found) - len(citations)
    more = f"{left:,} more statements were found and left out: asof changes --since lists them"
    lines, notes = [count, *map(quoted, citations)], (more,) if left else ()
    return answer_of(view, question.text, lines, tuple(citations), notes=notes)


def what_names(view: View, question: ParsedQuestion, filters: Filters) -> Answer | None:
    """The statements that name a time inside those of a question, the newest passages first; None where there
    are none."""
    window = view.window(filters)
    places = of_time(view, window, None, question.times)
    allowed = view.allowed(window, filters)
    places = places[window.visible(places) if allowed is None else window.visible(places) & allowed[places]]
    rows = window.rows(places)
    named = stated_times(view.about(rows), question.times, (TEXT, TEXT)).any(axis=1)
    rows = rows[named]
    rows = rows[view.tie_order(view.column("said", rows).astype(np.float64), rows)[:MOST]]
    found = [
        each for each in statements_of(view, current_hits(view, rows, Query("", "", filters=filters)))
        if any(is_of(time, span) for time in own_times(each) for span in question.times)
    ]  # fmt: skip
    citations = tuple(Citation.of(n, each.hit, each.quoted) for n, each in enumerate(found[:MOST], 1))
    left = len(found) - len(citations)
    notes = (f"{left:,} more statements were found and left out",) if left else ()
    return answer_of(view, question.text, map(quoted, citations), citations, notes=notes) if found else None


def _told(edit: Edit, of: DocumentChanges) -> str:
    """An edit as a line of a list."""
    day = iso(edit.at)[:10]
    if of.kind != "changed":
        return f"{day}, {of.kind}: {edit.side.text}"
    if edit.before is None or edit.after is None:
        return f"{day}, {edit.kind}: {edit.side.text}"
    return f"{day}: {edit.after.text}; before: {edit.before.text}"
