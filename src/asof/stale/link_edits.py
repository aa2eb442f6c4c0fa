"""Links to sections and embeds of documents that were edited since the linking passage was."""

from __future__ import annotations

from collections.abc import Container

from asof.index.view import View
from asof.stale.anchors import Section, at, differing, is_named
from asof.stale.current import CurrentPassages, Interval, Place, past_passages
from asof.stale.link_faults import Fault, Placed, listed, sentences_of
from asof.stale.link_table import WrittenLink
from asof.stale.of_their_day import of_their_day
from asof.stale.values import LINK, QUOTED, Stale
from asof.text.tokens import tokenize
from asof.time.span import NEVER, format_instant

EDITED, UNRELATED = 0.5, 0.25
"""The same where a section was edited: if a word of the sentence is no longer in it, and if none is."""

CHANGED = 0.4
"""The least share of words by which a linked section differs from what it was."""

WORDS = 6
"""A sentence with fewer words beside its links rests on nothing that they lead to."""


def edited(
    view: View, current: CurrentPassages, links: list[tuple[WrittenLink, int]], faults: Container[WrittenLink]
) -> list[Stale]:
    """The sentences that link to a section, or embed a document, that was edited since they were."""
    days, old = of_their_day(view), current.edited_documents()
    asked = {
        link: number for link, number in links
        if number in old and link not in faults and link.document not in days and number != link.document
        and (link.embed or (is_named(link.heading) and number not in days))
    }  # fmt: skip
    found: list[Placed] = []
    for link, passage, sentence in sentences_of(current, asked.keys()):
        if link.embed or sentence.words >= WORDS:
            kind = QUOTED if link.embed else LINK
            fault = Fault(EDITED, "", None, asked[link], link.heading, kind)
            found.append(Placed(Place(passage, sentence.start, sentence.end), link.document, fault))
    history = past_passages(view, {each.fault.target for each in found if each.fault.target is not None})
    since = current.edited([each.place for each in found])
    changed = (
        _changed(view, current, each, stands, history.get(each.fault.target or 0, []))
        for each, stands in zip(found, since, strict=True)
    )
    return listed(view, current, [each for each in changed if each is not None])


def _changed(
    view: View, current: CurrentPassages, placed: Placed, since: int, intervals: list[Interval]
) -> Placed | None:
    """The fault of a link whose target was edited by enough since an instant."""
    fault = placed.fault
    before, now = Section(fault.heading, intervals).at(since) if fault.heading else at(intervals, since)
    share, lost = differing(before, now)
    last = max((each.visible for each in now), default=since)
    last = max([last, *(each.ended for each in before if each.ended != NEVER)])
    if share < CHANGED or last <= since:
        return None
    passage, start, end = placed.place
    own = set(tokenize(current.texts([passage])[0].text[start:end])) - view.analyzer.stop_words
    if fault.kind == LINK and own.isdisjoint(lost):
        fault = fault._replace(sure=UNRELATED)
    what = f"section {fault.heading!r}" if fault.heading else "document"
    says = f"the {what} was edited since, last on {format_instant(last)[:10]}"
    return placed._replace(fault=fault._replace(share=share, cause=last, says=says))
