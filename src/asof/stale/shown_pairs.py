"""Two sentences as a language model is shown them: with titles, dates and neighbours, all of a view."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from asof.data.stale import Quote, Stale
from asof.index.view import View
from asof.models.prompts import one_line
from asof.store.digest import layout_places
from asof.store.passages import VisiblePassage, passage_histories, visible_passages
from asof.text.sentences import sentences
from asof.time.span import iso

NEIGHBOURS = 2
"""So many sentences before a sentence, and as many after it, are shown at most."""
LONGEST = 2_000
"""The most characters of a sentence that is judged."""
LONGEST_TITLE, LONGEST_NEIGHBOUR = 200, 300

TOO_LONG = f"a sentence has more than {LONGEST:,} characters"
NOT_THERE = "a sentence is not current in what is looked at"


@dataclass(frozen=True, slots=True)
class ShownPair:
    """What is stale as it is shown, as JSON without a number. `passages`: those whose words it has."""

    stale: Stale
    shown: dict[str, Any]
    passages: tuple[int, ...]

    def line(self, number: int) -> str:
        """It in one line, whose texts can neither end it nor pass for another key."""
        return json.dumps({"number": number, **self.shown}, ensure_ascii=False)


def shown_pair(view: View, stale: Stale) -> ShownPair | str:
    """A pair as it stands in a view; a text that says why it cannot be shown."""
    if stale.by is None:
        return "there is no other sentence"
    shown, passages = {}, []
    for name, quote in (("older", stale.quote), ("newer", stale.by)):
        if len(quote.text) > LONGEST:
            return TOO_LONG
        passage = _passage(view, quote)
        at = -1 if passage is None else _place(view, quote, passage)
        if passage is None or at < 0:
            return NOT_THERE
        shown[name] = _sentence(quote, passage, at)
        passages.append(passage.passage)
    return ShownPair(stale, shown, tuple(sorted(set(passages))))


def _passage(view: View, quote: Quote) -> VisiblePassage | None:
    """The current passage of a sentence; None where the view has none."""
    if "#" not in quote.passage or quote.since > view.as_of:
        return None
    db = view.store.db
    rows = [each.passage for each in passage_histories(db, quote.passage)]
    found = visible_passages(db, rows, view.as_of, view.known_at).values()
    return next((each for each in found if each.id == quote.passage), None)


def _place(view: View, quote: Quote, passage: VisiblePassage) -> int:
    """Where a sentence begins in its passage; -1: it is not there."""
    layout = layout_places(view.store.layouts({passage.document}).get(passage.document))
    starts = (quote.start - start for key, start, _ in layout if key == passage.key)
    exact = (at for at in starts if at >= 0 and passage.text.startswith(quote.text, at))
    return next(exact, passage.text.find(quote.text))


def _sentence(quote: Quote, passage: VisiblePassage, at: int) -> dict[str, Any]:
    """A sentence with its title, its date, and what stands around it in its passage."""
    text, end = passage.text, at + len(quote.text)
    places = sentences(text)
    before = [text[first:last] for first, last in places if last <= at]
    after = [text[first:last] for first, last in places if first >= end]
    day = iso(quote.since)[:10]
    return {
        "title": _cut(passage.title or passage.document, LONGEST_TITLE),
        "since": day if quote.dated else f"undated, known since {day}",
        "before": _neighbours(before[::-1])[::-1], "sentence": quote.text, "after": _neighbours(after),
    }  # fmt: skip


def _neighbours(texts: list[str]) -> list[str]:
    """The first of these that are not blank."""
    lines = filter(None, map(one_line, texts))
    return [_cut(line, LONGEST_NEIGHBOUR) for _, line in zip(range(NEIGHBOURS), lines, strict=False)]


def _cut(text: str, longest: int) -> str:
    line = one_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
