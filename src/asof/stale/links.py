"""Links whose target is gone, was renamed, or was edited since the linking passage was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

from asof.data.stale import LINK, QUOTED, Quote, Stale
from asof.data.why import Why
from asof.index.view import View
from asof.stale.anchors import Section, differing, is_named
from asof.stale.current import CurrentPassages, Interval, Place, past_passages
from asof.stale.link_places import LinkSentence, link_sentences
from asof.stale.link_table import LinkShape, LinkTable, WrittenLink
from asof.stale.moves import moved_to
from asof.stale.of_their_day import of_their_day
from asof.store.links import has_links
from asof.text.sentences import sentences
from asof.time.span import NEVER, format_instant

REMOVED, RENAMED, NEVER_THERE, UNWRITTEN = 0.95, 0.9, 0.8, 0.25
"""How surely a link is stale: its document was removed, or renamed, or never was in the corpus; `[[a note]]`
that never was may be one that is yet to be written."""

HEADING_GONE, HEADING_NEVER, EDITED = 0.75, 0.55, 0.5

OF_ITS_DAY = 0.5
"""The share of that in a document that keeps what was so on its day."""

CHANGED = 0.4
"""The least share of words by which a linked section differs from what it was."""

WORDS = 6
"""A sentence with fewer words beside its links rests on nothing that they lead to."""


class Fault(NamedTuple):
    """What is wrong with a link: how surely, in words; the instant since which (None: since it was written);
    the document that is meant, by number, and a heading in it."""

    sure: float
    says: str
    cause: int | None
    target: int | None = None
    heading: str = ""
    kind: str = LINK
    share: float = 1.0


Faults = dict[WrittenLink, Fault]


def stale_links(view: View) -> list[Stale]:
    """The stale links of the current documents of a view."""
    if not has_links(view.store.db):
        return []
    table = LinkTable.of(view)
    current = CurrentPassages.of(view)
    leads = [(link, table.resolve(link.target, table.names[link.document])) for link in table.links]
    faults = _broken(view, table, [link for link, document in leads if document is None])
    whole = [(link, table.numbers[document]) for link, document in leads if document is not None]
    faults |= _without_heading(view, table, [each for each in whole if is_named(each[0].heading)])
    placed = _placed(current, faults, LinkShape(table), table)
    return [*_listed(view, current, placed), *_edited(view, current, whole, faults)]


def _broken(view: View, table: LinkTable, links: list[WrittenLink]) -> Faults:
    """What is wrong with links that lead to no current document."""
    was = {link: table.formerly(link.target, table.names[link.document]) for link in links}
    removed = {table.numbers[name] for name in was.values() if name is not None}
    moved = moved_to(view, table.lives, sorted(removed))
    faults: Faults = {}
    for link, name in was.items():
        if name is None:
            faults[link] = Fault(NEVER_THERE, f"no document is called {link.target!r}", None)
            continue
        number = table.numbers[name]
        ended = table.lives[number].ended
        if ended is None:  # an alias that it had
            faults[link] = Fault(RENAMED, f"{name!r} is no longer called {link.target!r}", None, number)
        elif number in moved:
            to = table.lives[moved[number]].name
            faults[link] = Fault(RENAMED, f"{name!r} was renamed to {to!r}", ended, moved[number])
        else:
            faults[link] = Fault(REMOVED, f"{name!r} was removed", ended)
    return faults


def _without_heading(view: View, table: LinkTable, links: list[tuple[WrittenLink, int]]) -> Faults:
    """What is wrong with links to headings and blocks that their documents do not have."""
    history = past_passages(view, {number for _, number in links})
    faults: Faults = {}
    sections: dict[tuple[int, str], Section] = {}
    for link, number in links:
        name = table.names[number]
        if not name.endswith((".md", ".markdown", ".mdx")):
            continue
        key = number, link.heading
        section = sections.get(key)
        if section is None:
            section = sections[key] = Section(link.heading, history.get(number, ()))
        if section.stands:
            continue
        what = f"{name!r} has no {'block' if section.block else 'heading'} {link.heading!r}"
        if section.gone is not None:
            faults[link] = Fault(HEADING_GONE, f"{what} any more", section.gone, number)
        elif not section.made:
            faults[link] = Fault(HEADING_NEVER, what, None, number)
    return faults


class Placed(NamedTuple):
    """A fault and the sentence in which its link stands."""

    place: Place
    document: int
    fault: Fault


def _placed(current: CurrentPassages, faults: Faults, shape: LinkShape, table: LinkTable) -> list[Placed]:
    """The sentences of links, the first one of each."""
    places: dict[WrittenLink, Placed] = {}
    of_documents = current.of_documents({link.document for link in faults})
    for document, passages in of_documents.items():
        for passage, sentence in _sentences_of(current, passages):
            link = _as_written(document, sentence)
            fault = faults.get(link)
            if fault is None or link in places:
                continue
            if fault.sure == NEVER_THERE:
                if not shape.is_document(link.target, table.names[document], wiki=sentence.link.wiki):
                    continue
                if sentence.link.wiki:
                    fault = fault._replace(sure=UNWRITTEN)
            place = Place(passage, sentence.start, sentence.end)
            places[link] = Placed(place, document, fault)
    return list(places.values())


def _sentences_of(current: CurrentPassages, passages: list[int]) -> Iterable[tuple[int, LinkSentence]]:
    """The links of passages in the order of the text."""
    texts = current.texts(passages)
    current.starts(each.name for each in texts)
    for each in sorted(texts, key=current.start_of):
        for sentence in link_sentences(each.text):
            yield each.passage, sentence


def _as_written(document: int, sentence: LinkSentence) -> WrittenLink:
    link = sentence.link
    return WrittenLink(document, link.target, link.heading, link.embed)


def _listed(view: View, current: CurrentPassages, placed: list[Placed]) -> list[Stale]:
    """The faults as they are shown, one for each sentence: the surest."""
    days = of_their_day(view)
    quotes = current.quotes([each.place for each in placed])
    meant = _targets(current, placed)
    best: dict[tuple[str, str, int], Stale] = {}
    for quote, each in zip(quotes, placed, strict=True):
        fault = each.fault
        parts = [Why(fault.says, fault.sure)]
        if fault.share < 1:
            parts.append(Why("share of its words that changed", fault.share))
        if each.document in days:
            parts.append(Why("in a document of its day", OF_ITS_DAY))
        why = Why.of("an edited target" if fault.share < 1 else "a broken link", "product", *parts)
        cause = quote.since if fault.cause is None else max(fault.cause, quote.since)
        by = meant.get((fault.target, fault.heading)) if fault.target is not None else None
        stale = Stale(fault.kind, why.value, quote, by, cause, fault.says, partial(_given, why))
        key = fault.kind, quote.document, quote.start
        if key not in best or (stale.score, stale.change) > (best[key].score, best[key].change):
            best[key] = stale
    return list(best.values())


def _given(why: Why) -> Why:
    return why


def _targets(current: CurrentPassages, placed: list[Placed]) -> Mapping[tuple[int, str], Quote]:
    """The first sentence of each document, or of the section, that is meant."""
    wanted = {(each.fault.target, each.fault.heading) for each in placed if each.fault.target is not None}
    passages = current.of_documents({number for number, _ in wanted})
    places: dict[tuple[int, str], Place] = {}
    for number, heading in wanted:
        texts = current.texts(passages.get(number, ()))
        current.starts(each.name for each in texts)
        inside = [each for each in texts if heading and Section(heading, [
            Interval(0, NEVER, True, "\n".join(each.headings), each.text)]).stands]  # fmt: skip
        if first := min(inside or texts, key=current.start_of, default=None):
            end = next((end for _, end in sentences(first.text)), 0)
            places[number, heading] = Place(first.passage, 0, len(first.text[:end].rstrip()))
    return dict(zip(places, current.quotes(list(places.values())), strict=True))


def _edited(
    view: View, current: CurrentPassages, links: list[tuple[WrittenLink, int]], faults: Faults
) -> list[Stale]:
    """The sentences that link to a section, or embed a document, that was edited since they were."""
    days = of_their_day(view)
    asked = {
        link: number for link, number in links
        if link not in faults and link.document not in days and number != link.document
        and (link.embed or (is_named(link.heading) and number not in days))
    }  # fmt: skip
    found: list[Placed] = []
    for document, passages in current.of_documents({link.document for link in asked}).items():
        for passage, sentence in _sentences_of(current, passages):
            number = asked.get(_as_written(document, sentence))
            if number is not None and (sentence.link.embed or sentence.words >= WORDS):
                fault = Fault(EDITED, "", None, number, sentence.link.heading,
                              QUOTED if sentence.link.embed else LINK)  # fmt: skip
                found.append(Placed(Place(passage, sentence.start, sentence.end), document, fault))
    history = past_passages(view, {each.fault.target for each in found if each.fault.target is not None})
    since = current.since([each.place for each in found])
    changed = (
        _changed(each, stands, history.get(each.fault.target or 0, []))
        for each, stands in zip(found, since, strict=True)
    )
    return _listed(view, current, [each for each in changed if each is not None])


def _changed(placed: Placed, since: int, intervals: list[Interval]) -> Placed | None:
    """The fault of a link whose target was edited by enough since an instant."""
    fault = placed.fault
    if fault.heading:
        share, last = Section(fault.heading, intervals).changed(since)
    else:
        before = [each for each in intervals if each.visible <= since < each.ended]
        now = [each for each in intervals if each.ended == NEVER]
        share = differing(before, now) if before and now else 0.0
        last = max((each.visible for each in now), default=since)
    if share < CHANGED or last <= since:
        return None
    what = f"section {fault.heading!r}" if fault.heading else "document"
    says = f"the {what} was edited since, last on {format_instant(last)[:10]}"
    return placed._replace(fault=fault._replace(share=share, cause=last, says=says))
