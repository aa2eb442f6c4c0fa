"""Links whose target is gone, was renamed, or was edited since the linking passage was."""

from __future__ import annotations

from asof.index.view import View
from asof.stale.anchors import Section, folded, is_named, keys_of
from asof.stale.current import CurrentPassages, Place, past_passages
from asof.stale.link_edits import edited
from asof.stale.link_faults import Fault, Placed, listed, sentences_of
from asof.stale.link_table import LinkShape, LinkTable, WrittenLink
from asof.stale.moves import moved_to
from asof.stale.values import Stale
from asof.store.links import has_links

REMOVED, RENAMED, NEVER_THERE, UNWRITTEN = 0.95, 0.9, 0.8, 0.25
"""How surely a link is stale: its document was removed, or renamed, or never was in the corpus; `[[a note]]`
that never was may be one that is yet to be written."""

HEADING_GONE, HEADING_NEVER = 0.75, 0.55


Faults = dict[WrittenLink, Fault]


def stale_links(view: View) -> list[Stale]:
    """The stale links of the current documents of a view."""
    if not has_links(view.store.db):
        return []
    table = LinkTable.of(view)
    current = CurrentPassages.of(view)
    leads = [(link, table.resolve(link.target, table.names[link.document])) for link in table.links]
    shape = LinkShape(table)
    broken = [
        link for link, document in leads
        if document is None and not shape.is_folder(link.target, table.names[link.document])
    ]  # fmt: skip
    faults = _broken(view, table, shape, broken)
    whole = [(link, table.numbers[document]) for link, document in leads if document is not None]
    faults |= _without_heading(view, current, table, [each for each in whole if is_named(each[0].heading)])
    placed = _placed(current, faults, shape, table)
    return [*listed(view, current, placed), *edited(view, current, whole, faults)]


def _broken(view: View, table: LinkTable, shape: LinkShape, links: list[WrittenLink]) -> Faults:
    """What is wrong with links that lead to no current document."""
    was = {link: table.formerly(link.target, table.names[link.document]) for link in links}
    removed = {table.numbers[name] for name in was.values() if name is not None}
    moved = moved_to(view, table.lives, sorted(removed))
    faults: Faults = {}
    for link, name in was.items():
        if name is None:
            alike = shape.alike(link.target)
            says = f"no document is called {link.target!r}" + (f"; there is {alike!r}" if alike else "")
            faults[link] = Fault(NEVER_THERE, says, None, table.numbers[alike] if alike else None)
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


def _without_heading(
    view: View, current: CurrentPassages, table: LinkTable, links: list[tuple[WrittenLink, int]]
) -> Faults:
    """What is wrong with links to headings and blocks that their documents do not have."""
    there = {number: {folded(each.rpartition("\n")[2]) for each in headings}
             for number, headings in current.headings().items()}  # fmt: skip
    links = [
        (link, number) for link, number in links
        if there.get(number, set()).isdisjoint(keys_of(link.heading))
    ]  # fmt: skip
    history = past_passages(view, {number for _, number in links})
    faults: Faults = {}
    sections: dict[tuple[int, str], Section] = {}
    for link, number in links:
        name = table.names[number]
        if "." in name.rpartition("/")[2] and not name.endswith((".md", ".markdown", ".mdx")):
            continue
        key = number, link.heading
        section = sections.get(key)
        if section is None:
            section = sections[key] = Section(link.heading, history.get(number, ()))
        if section.stands:
            continue
        what = f"{name!r} has no {'block' if section.block else 'heading'} {link.heading!r}"
        if section.gone is not None:
            renamed = section.renamed
            says = f"{what} any more" + (f"; it is {renamed!r}" if renamed else "")
            faults[link] = Fault(HEADING_GONE, says, section.gone, number, renamed)
        elif not section.made:
            faults[link] = Fault(HEADING_NEVER, what, None, number)
    return faults


def _placed(current: CurrentPassages, faults: Faults, shape: LinkShape, table: LinkTable) -> list[Placed]:
    """The sentences of links, the first one of each."""
    places: dict[WrittenLink, Placed] = {}
    for link, passage, sentence in sentences_of(current, faults.keys()):
        if link in places:
            continue
        fault = faults[link]
        if fault.sure == NEVER_THERE:
            if not shape.is_document(link.target, table.names[link.document], wiki=sentence.link.wiki):
                continue
            if sentence.link.wiki:
                fault = fault._replace(sure=UNWRITTEN)
        places[link] = Placed(Place(passage, sentence.start, sentence.end), link.document, fault)
    return list(places.values())
