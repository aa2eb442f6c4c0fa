"""Stale links: the target was removed, renamed or superseded. What never was there is yet to be written.

`stale_links`, at the end, uses the tables and places before it; a renamed document is found by its text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from asof.documents import PASSIVE, Link
from asof.extensions.facts.current import (
    LINK,
    SEEN,
    UNWRITTEN,
    DocumentLifetime,
    Interval,
    PassageText,
    Place,
    Section,
    Stale,
    StaleQuote,
    current_headings,
    current_passages,
    folded,
    is_named,
    keys_of,
    lives,
    past_passages,
    quotes,
    statements,
)
from asof.extensions.facts.dated_documents import of_their_day
from asof.hits import Why
from asof.index.view import View
from asof.revisions.force import acts_on, ends_all
from asof.store.digest import stem_of
from asof.store.reader import LinkResolver, LinkTarget, has_acts, has_links
from asof.text.passages import body, sentences
from asof.time.span import NEVER

# -- links of current documents, and all documents by name -----------------------------------------


_HOST = re.compile(r"(?!\.)[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/")
_TEXTS = frozenset(
    {".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".html", ".htm"}
)
_PLACEHOLDERS = frozenset(
    {"example", "toc", "_toc_", "foo", "bar", "link", "links", "url", "name", "your", "here"}
)


class WrittenLink(NamedTuple):
    """A link of a current document, by the number of the document, and the words that it stands for."""

    document: int
    target: str
    heading: str
    alias: str

    @property
    def words(self) -> str:
        """The words of the link in its text."""
        return Link(self.target, self.heading, self.alias).words


@dataclass(frozen=True)
class LinkTable:
    """The links of a view. `names`: current documents by number, `lives`: all that there ever were. `resolve`
    gives ids of current documents, `formerly` paths that documents have or had, and `holders` whose they were
    last."""

    links: tuple[WrittenLink, ...]
    names: Mapping[int, str]
    lives: Mapping[int, DocumentLifetime]
    resolve: LinkResolver
    formerly: LinkResolver
    holders: Mapping[str, int]
    numbers: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, view: View) -> LinkTable:
        """The link table of a view."""
        known = lives(view)
        names = {number: life.name for number, life in known.items() if life.ended is None}
        current = [(alias, known[number].path) for alias, number in view.store.current_aliases()]
        formerly = [(alias, known[number].path) for alias, number in _aliases_ever(view)]
        ids = {life.path: life.name for life in known.values() if life.path != life.name}
        left = sorted(
            (at, life.name, path, number) for number, life in known.items() for path, at in life.left.items()
        )
        holders = {path: number for *_, path, number in left}
        holders |= {life.path: number for number, life in known.items()}
        return cls(
            tuple(_written(view, known)), names, known,
            LinkResolver((known[number].path for number in names), current, ids),
            LinkResolver(holders, formerly), holders, {life.name: number for number, life in known.items()},
        )  # fmt: skip


class LinkShape:
    """Decides from the form of a link's target whether it is meant for a document of the corpus."""

    def __init__(self, table: LinkTable) -> None:
        ever = [life.path for life in table.lives.values()]
        now = [table.lives[number].path for number in table.names]
        self._numbers = {table.lives[number].path: number for number in table.names}
        self._suffixes = {_suffix(name) for name in ever} - {""}
        self._tops = {name.partition("/")[0] for name in ever}
        self._lasts: dict[str, list[str]] = defaultdict(list)
        for name in now:
            self._lasts[_last(name)].append(name)
        parts = [name.split("/")[:-1] for name in now]
        self._folders = {"/".join(each[:length]) for each in parts for length in range(1, len(each) + 1)}

    def is_document(self, target: str, origin: str, *, wiki: bool) -> bool:
        """Not an image, a program, an address of a site, a place outside the corpus or one to fill in."""
        if any(sign in target for sign in "{}<>$%*|\\") or "..." in target or target.endswith("/"):
            return False
        path = LinkTarget.of(target, origin).path
        if not path or (".." in target.split("/") and path.partition("/")[0] not in self._tops):
            return False
        if _last(target).split(" ")[0] in _PLACEHOLDERS or _HOST.match(target):
            return False
        suffix = _suffix(target)
        if not suffix:
            return wiki
        if suffix not in self._suffixes or suffix not in _TEXTS:
            return wiki and suffix[1:].isdigit()
        return suffix not in (".html", ".htm") or _last(target) not in self._lasts

    def is_folder(self, target: str, origin: str) -> bool:
        """True if it leads to a folder that has documents."""
        return any(path in self._folders for path in LinkTarget.of(target, origin).exact)

    def alike(self, target: str) -> int | None:
        """The only current document whose file is called like that of a target, by number."""
        named = self._lasts.get(_last(target), ())
        return self._numbers[named[0]] if len(named) == 1 else None


def _last(name: str) -> str:
    return stem_of(name).rpartition("/")[2].lower()


def _suffix(name: str) -> str:
    _, dot, suffix = name.rpartition("/")[2].rpartition(".")
    return f".{suffix.lower()}" if dot and 0 < len(suffix) <= 8 and suffix.isalnum() else ""


def _written(view: View, known: Mapping[int, DocumentLifetime]) -> list[WrittenLink]:
    current = {life.version: number for number, life in known.items() if life.ended is None}
    rows = view.store.db.execute(
        "SELECT DISTINCT l.version, l.target, l.heading, l.alias FROM json_each(?) AS requested"
        " JOIN links AS l ON l.version = requested.value",
        (json.dumps(list(current)),),
    )
    return [WrittenLink(current[version], *words) for version, *words in rows]


def _aliases_ever(view: View) -> list[tuple[str, int]]:
    rows: list[tuple[str, int]] = view.store.db.execute(
        "SELECT DISTINCT a.alias, v.document FROM aliases AS a JOIN versions AS v ON v.id = a.version"
        f" WHERE {SEEN}",
        (view.as_of, view.known_at),
    ).fetchall()
    return rows


# -- links in the text of a passage, and their sentences -------------------------------------------


def sentences_of(view: View, wanted: Collection[WrittenLink]) -> Iterator[tuple[WrittenLink, Place]]:
    """The links that are wanted, each with the first sentence that has its words, in the order of the texts;
    none in code."""
    left: dict[int, set[WrittenLink]] = defaultdict(set)
    for link in wanted:
        left[link.document].add(link)
    for each in current_passages(view, left):
        found = [link for link in left[each.document] if link.words in each.text]
        for start, end in statements(each.text, each.headings) if found else ():
            sentence = each.text[start:end]
            for link in sorted(link for link in found if link.words in sentence):
                if re.search(rf"(?<!\w){re.escape(link.words)}(?!\w)", sentence):
                    yield link, Place(each, start, end)
                    found.remove(link)
                    left[each.document].remove(link)


# -- faults of links, by sentence ------------------------------------------------------------------


OF_ITS_DAY = 0.5
"""The share of that in a document that keeps what was so on its day."""


class FaultKind(Enum):
    """Why a link is stale: its document was removed, or renamed, or has no such heading any more, or is
    superseded. What never was in the corpus may be yet to be written: a document at a path, a heading of one,
    or `[[a note]]`."""

    REMOVED, RENAMED, HEADING_GONE, ENDED, NEVER_THERE, NO_HEADING, NO_NOTE = range(7)


_NEVER = frozenset({FaultKind.NEVER_THERE, FaultKind.NO_HEADING, FaultKind.NO_NOTE})


_SURE = {
    FaultKind.REMOVED: 0.95, FaultKind.RENAMED: 0.9, FaultKind.NEVER_THERE: 0.8, FaultKind.HEADING_GONE: 0.75,
    FaultKind.ENDED: 0.7, FaultKind.NO_HEADING: 0.5, FaultKind.NO_NOTE: 0.25,
}  # fmt: skip
"""The certainty that a link with such a fault is stale."""


class Fault(NamedTuple):
    """A fault of a link: its kind, the reason in words; the instant since which (None: since it was
    written); the document that is meant, by number, and a heading in it."""

    kind: FaultKind
    says: str
    cause: int | None
    target: int | None = None
    heading: str = ""


class Placed(NamedTuple):
    """A fault and the sentence in which its link stands."""

    place: Place
    document: int
    fault: Fault


def listed(view: View, placed: list[Placed]) -> list[Stale]:
    """The faults as they are shown, of each kind one for each sentence: the surest."""
    days = of_their_day(view)
    meant = _targets(view, placed)
    best: dict[tuple[str, int, str], Stale] = {}
    for quote, each in zip(quotes(view, [each.place for each in placed]), placed, strict=True):
        fault = each.fault
        parts = [Why(fault.says, _SURE[fault.kind])]
        if each.document in days:
            parts.append(Why("in a document of its day", OF_ITS_DAY))
        why = Why.of("a stale link", "product", *parts)
        cause = quote.since if fault.cause is None else max(fault.cause, quote.since)
        by = meant.get((fault.target, fault.heading)) if fault.target is not None else None
        kind = UNWRITTEN if fault.kind in _NEVER else LINK
        stale = Stale(kind, why.value, quote, by, cause, fault.says, why)
        key = quote.document, quote.start, kind
        if key not in best or (stale.score, stale.change) > (best[key].score, best[key].change):
            best[key] = stale
    return list(best.values())


def _targets(view: View, placed: list[Placed]) -> Mapping[tuple[int, str], StaleQuote]:
    """The first sentence of each document, or of the section, that is meant."""
    wanted = {(each.fault.target, each.fault.heading) for each in placed if each.fault.target is not None}
    passages: dict[int, list[PassageText]] = defaultdict(list)
    for each in current_passages(view, {number for number, _ in wanted}):
        passages[each.document].append(each)
    places: dict[tuple[int, str], Place] = {}
    for number, heading in wanted:
        texts = passages[number]
        inside = [each for each in texts if heading and Section(heading, [
            Interval(0, NEVER, True, "\n".join(each.headings), each.text)]).stands]  # fmt: skip
        if first := next(iter(inside or texts), None):
            start = body(first.text, first.headings)
            end = next((end for _, end in sentences(first.text, start)), start)
            places[number, heading] = Place(first, start, len(first.text[:end].rstrip()))
    return dict(zip(places, quotes(view, list(places.values())), strict=True))


# -- removed documents whose text lives on: renamed or moved ---------------------------------------


NEAR = 2 * 86_400_000_000
"""Microseconds between the end of a document and the beginning of one that has its text."""

SHARE = 0.5
"""The least share of the lines of a document that the other one has."""

CROWD = 50
"""A line that more documents begin with says nothing."""

LONGEST = 10
"""The most renamings that are followed."""


def moved_to(view: View, known: Mapping[int, DocumentLifetime], removed: Iterable[int]) -> dict[int, int]:
    """For those of some removed documents (by number) that live on, the current document that has their
    text."""
    step: dict[int, int] = {}
    left = {number for number in removed if known[number].ended is not None}
    for _ in range(LONGEST):
        if not left:
            break
        found = _next(view, known, left)
        step |= found
        left = {number for number in found.values() if known[number].ended is not None} - step.keys()
    ends = dict(step)
    for _ in range(LONGEST):
        ends = {number: step.get(last, last) for number, last in ends.items()}
    return {number: last for number, last in ends.items() if known[last].ended is None}


def _next(view: View, known: Mapping[int, DocumentLifetime], removed: Collection[int]) -> dict[int, int]:
    """For each removed document the one that began near its end with most of its lines."""
    ended = _near(known[each].ended for each in removed)
    learned = _near(known[each].ended_learned for each in removed)
    born = {
        number: life.born
        for number, life in known.items()
        if ended(life.born) or (life.undated and learned(life.learned))
    }
    having: dict[str, list[int]] = defaultdict(list)
    for number, lines in _lines(view, born).items():
        for line in lines:
            having[line].append(number)
    found: dict[int, int] = {}
    for number, lines in _lines(view, dict.fromkeys(removed)).items():
        common = Counter(other for line in lines if len(having[line]) <= CROWD for other in having[line])
        best = _best(known, number, common, len(lines))
        if best is not None:
            found[number] = best
    return found


def _lines(view: View, documents: Mapping[int, int | None]) -> dict[int, set[str]]:
    """The lines of documents as they began (an instant), or else as they ended."""
    found: dict[int, set[str]] = {}
    for number, intervals in past_passages(view, documents).items():
        born, ended = documents[number], max(each.ended for each in intervals)
        found[number] = {
            words
            for each in intervals
            if (each.visible == born if born is not None else each.ended == ended)
            for line in each.text.splitlines()
            if (words := line.strip(" \t>*-"))
        }
    return found


def _near(instants: Iterable[int | None]) -> Callable[[int | None], bool]:
    """A function that says whether an instant is near one of these."""
    ordered = sorted(each for each in instants if each is not None)

    def near(at: int | None) -> bool:
        place = len(ordered) if at is None else bisect_left(ordered, at - NEAR)
        return at is not None and place < len(ordered) and ordered[place] <= at + NEAR

    return near


def _follows(life: DocumentLifetime, removed: DocumentLifetime) -> bool:
    """True if a document began when another ended."""
    if removed.ended is None or life.name == removed.name:
        return False
    if abs(life.born - removed.ended) <= NEAR:
        return True
    return (
        life.undated and abs(life.learned - removed.ended_learned) <= NEAR and life.learned > removed.learned
    )


def _best(known: Mapping[int, DocumentLifetime], number: int, common: Counter[int], lines: int) -> int | None:
    """The document with most lines in common; of equals one with the same file name, then by id."""
    name = stem_of(known[number].name).rpartition("/")[2]
    enough = [
        (-count, stem_of(known[other].name).rpartition("/")[2] != name, known[other].name, other)
        for other, count in common.items()
        if other != number and count >= SHARE * lines and _follows(known[other], known[number])
    ]
    return min(enough)[3] if enough else None


# -- stale links -----------------------------------------------------------------------------------


Faults = dict[WrittenLink, Fault]


def stale_links(view: View) -> list[Stale]:
    """The stale links of the current documents of a view."""
    if not (has_links(view.store.db) or has_acts(view.store.db)):  # what an act names is a link, too
        return []
    table = LinkTable.of(view)
    leads = [(link, table.resolve(link.target, table.names[link.document])) for link in table.links]
    shape = LinkShape(table)
    broken = [
        link for link, document in leads
        if document is None and not shape.is_folder(link.target, table.lives[link.document].path)
    ]  # fmt: skip
    faults = _broken(view, table, shape, broken)
    whole = [(link, table.numbers[document]) for link, document in leads if document is not None]
    faults |= _ended(view, table, whole)
    faults |= _without_heading(view, table, [each for each in whole if is_named(each[0].heading)])
    placed = _placed(view, faults, shape, table)
    return listed(view, placed)


def _broken(view: View, table: LinkTable, shape: LinkShape, links: list[WrittenLink]) -> Faults:
    """The faults of links that lead to no current document."""
    was = {link: table.formerly(link.target, table.lives[link.document].path) for link in links}
    removed = {table.holders[path] for path in was.values() if path is not None}
    moved = moved_to(view, table.lives, sorted(removed))
    faults: Faults = {}
    for link, path in was.items():
        if path is None:
            alike = shape.alike(link.target)
            there = "" if alike is None else f"; there is {table.names[alike]!r}"
            says = f"no document is called {link.target!r}{there}"
            faults[link] = Fault(FaultKind.NEVER_THERE, says, None, alike)
            continue
        number = table.holders[path]
        life = table.lives[number]
        if life.ended is None:
            faults[link] = _renamed(link, life, path, number)
        elif number in moved:
            to = table.lives[moved[number]].name
            says = f"{life.name!r} was renamed to {to!r}"
            faults[link] = Fault(FaultKind.RENAMED, says, life.ended, moved[number])
        else:
            faults[link] = Fault(FaultKind.REMOVED, f"{life.name!r} was removed", life.ended)
    return faults


def _renamed(link: WrittenLink, life: DocumentLifetime, path: str, number: int) -> Fault:
    """The fault of a link to a current document by a path that it left, or by an alias that it had."""
    if path in life.left:
        return Fault(FaultKind.RENAMED, f"{path!r} was renamed to {life.name!r}", life.left[path], number)
    return Fault(FaultKind.RENAMED, f"{life.name!r} is no longer called {link.target!r}", None, number)


def _ended(view: View, table: LinkTable, links: list[tuple[WrittenLink, int]]) -> Faults:
    """The faults of links to documents that another one than the linking one has superseded or annulled."""
    faults: Faults = {}
    acts = acts_on(view, {number for _, number in links})
    for link, number in links:
        for act in acts.get(number, ()):
            counts = act.since <= view.as_of < act.until and act.by != link.document
            if counts and ends_all(act):
                says = f"{table.names[number]!r} is {PASSIVE[act.kind]} by {act.title or act.name!r}"
                faults[link] = Fault(FaultKind.ENDED, says, act.since, act.by if act.by >= 0 else None)
    return faults


def _without_heading(view: View, table: LinkTable, links: list[tuple[WrittenLink, int]]) -> Faults:
    """The faults of links to headings and blocks that their documents do not have any more, or never had."""
    there = {number: {folded(each.rpartition("\n")[2]) for each in headings}
             for number, headings in current_headings(view).items()}  # fmt: skip
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
        if section.stands or section.is_marked:
            continue
        what = f"{name!r} has no {'block' if section.block else 'heading'} {link.heading!r}"
        if section.gone is None:
            faults[link] = Fault(FaultKind.NO_HEADING, what, None, number)
        else:
            renamed = section.renamed
            says = f"{what} any more" + (f"; it is {renamed!r}" if renamed else "")
            faults[link] = Fault(FaultKind.HEADING_GONE, says, section.gone, number, renamed)
    return faults


def _placed(view: View, faults: Faults, shape: LinkShape, table: LinkTable) -> list[Placed]:
    """The sentences of links, the first one of each."""
    places: dict[tuple[int, str, str], Placed] = {}
    for link, place in sentences_of(view, faults):
        key = link[:3]
        if key in places:
            continue
        fault = faults[link]
        if fault.kind is FaultKind.NEVER_THERE:
            wiki = not link.alias  # the words of [[this]] are its target
            if not shape.is_document(link.target, table.lives[link.document].path, wiki=wiki):
                continue
            if wiki:
                fault = fault._replace(kind=FaultKind.NO_NOTE)
        places[key] = Placed(place, link.document, fault)
    return list(places.values())
