"""When passages of a view are in force, and what documents do to each other: supersede, amend, correct.

A passage holds as is stated of it, by its metadata, the heading that dates its section, or its own words
(`asof.store.digest`); else since it was published. An open end closes where what follows it in its series
begins, where the next dated section of its document begins that says the same with other values, or where an
act of another document ends it. An act counts from the moment at which the acting version can be seen, or
from that at which it is in force if this is later. All of it is looked up in the view: what is published or
learned later acts on nothing, and closes nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.documents import (
    AMENDED_BY,
    AMENDS,
    ANNULS,
    CORRECTS,
    PUBLISHED,
    SUPERSEDED_BY,
    SUPERSEDES,
    SourcedTime,
)
from asof.hits import Amendment, Hit, HitForce, Superseded, Why
from asof.index.view import View
from asof.lang import of_all, set_of
from asof.queries import Query
from asof.revisions.chains import succession
from asof.store.digest import FORCE, SECTION, hit_id, span_of
from asof.store.names import called
from asof.store.reader import AsOfReader, CurrentName, StoredAct, StoredPassage, force_of, has_acts
from asof.text.passages import provision
from asof.text.tokens import term_hash, tokenize
from asof.time.span import BEGINNING, NEVER
from asof.wire import replace

# -- by what is stated of a passage --------------------------------------------------------------------

YEAR_1, YEAR_9999 = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The first and the last instant of the calendar; undated texts can be seen before it."""

SAME, MOST = 0.5, 256
"""The least similarity of the words of two dated sections of which the later ends the other; the most
passages of later sections that are looked at, the next ones first."""


class ForceColumns(NamedTuple):
    """Since when and until when rows (n) are in force, instants, both included; whether that is `known`;
    whether a heading dates their `section`; whether their beginning is `stated`."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    known: NDArray[np.bool_]
    section: NDArray[np.bool_]
    stated: NDArray[np.bool_]


def validity(view: View, rows: NDArray[np.int64]) -> ForceColumns:
    """When these rows are in force: as is stated of them, else since they are published, without an end."""
    said, dated = view.column("said", rows), view.column("dated", rows).astype(bool)
    about = view.about(rows)
    of_row = np.repeat(np.arange(len(rows)), np.diff(about.offsets))
    stated = about.kind <= FORCE
    begun = stated & (about.first > BEGINNING)
    first, last = np.full(len(rows), NEVER), np.full(len(rows), BEGINNING)
    np.minimum.at(first, of_row[begun], about.first[begun])
    np.maximum.at(last, of_row[stated], about.last[stated])
    begins = np.where(first < NEVER, first, said)
    return ForceColumns(
        begins, np.where(last > BEGINNING, last, NEVER), dated | (first < NEVER),
        about.stated((SECTION, SECTION)), first < NEVER,
    )  # fmt: skip


class NextSection(NamedTuple):
    """For rows (n) in dated sections the next one of their document that says the same with other values, by
    its words (SAME of them): since when it holds (NEVER: there is none), and its row (-1)."""

    begins: NDArray[np.int64]
    rows: NDArray[np.int64]


def _next_section(view: View, rows: NDArray[np.int64], held: ForceColumns) -> NextSection:
    """The next dated section for each row, which is `held` in force."""
    found = NextSection(np.full(len(rows), NEVER), np.full(len(rows), -1))
    documents = view.column("document", rows)
    for document in np.unique(documents[held.section]).tolist():
        others = view.rows_of_document(document)
        every = validity(view, others)
        order = np.argsort(np.where(every.section, every.begins, NEVER), kind="stable")
        order = order[: np.count_nonzero(every.section)]
        others, begins = others[order], every.begins[order]
        for at in np.flatnonzero(held.section & (documents == document)).tolist():
            after = int(np.searchsorted(begins, held.begins[at], "right"))
            later = slice(after, after + MOST)
            shared = succession(view).shared_words(np.append(rows[at], others[later]))[0, 1:]
            if len(same := np.flatnonzero(shared >= SAME)):
                found.begins[at], found.rows[at] = begins[later][same[0]], others[later][same[0]]
    return found


def current_section(view: View, row: int) -> int | None:
    """The row of the dated section that holds instead of a row in an earlier one of its document; None for
    none."""
    at = np.array([row], np.int64)
    for _ in range(MOST):
        following = _next_section(view, at, validity(view, at))
        if following.begins[0] > view.as_of:
            break
        at = following.rows
    return None if at[0] == row else int(at[0])


def in_force(view: View, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which rows (n) are in force as of a view, by what is stated of them and by what follows them."""
    held = validity(view, rows)
    ends = np.minimum(held.ends, _next_section(view, rows, held).begins - 1)
    over = (each is not None and each.instant <= view.as_of for each in followers(view, rows, view.as_of))
    begun = (held.begins <= view.as_of) | ~held.stated
    stands: NDArray[np.bool_] = begun & (view.as_of <= ends) & ~np.fromiter(over, bool, len(rows))
    return stands


# -- acts of documents on others --------------------------------------------------------------------------

_INVERSE = {SUPERSEDED_BY: SUPERSEDES, AMENDED_BY: AMENDS}


class Act(NamedTuple):
    """An act on a document: its kind (see `ACTS`), the part that it is on ("": all), since and until when it
    counts (it may be annulled itself: what it ended is in force again); the acting document by number (-1:
    none of the view), and what that is called; the acting passage of an act on a provision (-1: else)."""

    kind: str
    part: str
    since: int
    until: int
    by: int
    name: str
    title: str
    row: int = -1


def acts_on(view: View, documents: Iterable[int]) -> dict[int, tuple[Act, ...]]:
    """The acts on these documents (by number), those of each in order of time; documents without any are left
    out."""
    known = view.cached("acts", _none_yet)
    if known is None:
        return {}
    wanted = set(documents)
    if missing := {document for document in wanted if document not in known}:
        found = _read(view, missing)
        ends = _annulled(view, {act.by for acts in found.values() for act in acts})
        known.update(dict.fromkeys(missing, ()))
        for document, acts in found.items():
            until = (ends.get(act.by, NEVER) for act in acts)
            known[document] = tuple(
                act._replace(until=end) for act, end in zip(acts, until, strict=True) if end > act.since
            )
    return {document: known[document] for document in wanted if known.get(document)}


def acts_on_rows(view: View, rows: NDArray[np.int64]) -> list[tuple[Act, ...]]:
    """The acts on the document of each row, and on the provision that it is ("Resolution 2022-3: ..."), as
    acts on all of it."""
    from asof.text.acts import reference_key

    if view.cached("acts", _none_yet) is None:
        return [()] * len(rows)
    documents = view.column("document", rows).tolist()
    acts, provisions = acts_on(view, documents), view.cached("acts on provisions", _on_provisions)
    if not provisions:
        return [acts.get(document, ()) for document in documents]
    found = []
    for row, document, record in zip(rows.tolist(), documents, view.records(rows), strict=True):
        name = provision(record.text, record.headings.split("\n"))
        own = (act for act in provisions.get(reference_key(name), ()) if act.row != row) if name else ()
        found.append(tuple(sorted((*acts.get(document, ()), *own), key=lambda act: act.since)))
    return found


def _on_provisions(view: View) -> dict[str, list[Act]]:
    """What ends provisions of documents, by their keys: since the passage that says so can be seen, or is in
    force if this is later; nothing where that is never so (a draft)."""
    from asof.text.acts import acts_of

    stored = view.store.acts_in_series(of_all("acts", "provision"))
    actors = {each.document: each for each in view.store.names_of({act.document for act in stored})}
    annulled = _annulled(view, set(actors))
    found: dict[str, list[Act]] = {}
    for act in stored:
        actor = actors.get(act.document)
        if act.kind not in (SUPERSEDES, ANNULS) or act.part or actor is None:
            continue
        rows = view.rows_of_document(act.document)
        texts = (each.text if act.text in each.text else "" for each in view.records(rows))
        links = (acts_of(actor.path, actor.title, text, {}) if text else () for text in texts)
        rows = rows[[any(link.target == act.target for link in of_row) for of_row in links]]
        held = validity(view, rows)
        for row, begin, end in zip(rows.tolist(), held.begins.tolist(), held.ends.tolist(), strict=True):
            since, until = max(act.visible, begin), annulled.get(act.document, NEVER)
            if since < until and since <= end:
                made = Act(act.kind, "", since, until, act.document, actor.name, actor.title, row)
                found.setdefault(act.target, []).append(made)
    return found


CHAIN = 8
"""The most acts in a row of which each annuls the one before."""


def _annulled(view: View, documents: set[int], chain: int = CHAIN) -> dict[int, int]:
    """The first instant at which each of these documents is annulled by an act that is not itself by then."""
    acts = _read(view, documents, ANNULS) if documents and chain else {}
    later = _annulled(view, {act.by for each in acts.values() for act in each}, chain - 1) if acts else {}
    first = {
        document: min((act.since for act in each if later.get(act.by, NEVER) > act.since), default=NEVER)
        for document, each in acts.items()
    }
    return {document: instant for document, instant in first.items() if instant < NEVER}


def ends_all(act: Act) -> bool:
    """True if an act ends all of a document, not a part of it."""
    return not act.part and act.kind in (SUPERSEDES, ANNULS)


def joined_by_acts(view: View, document: int) -> set[int]:
    """The numbers of the documents of a view that end all of this one, or that it ends, by acts."""
    own = [act for each in view.store.names_of([document]) for act in view.store.acts_by(each.version)]
    named = {_named(view.store, act) for act in own if act.kind not in _INVERSE} - {-1}
    on = acts_on(view, {document, *named})
    ended = {each for each in named if any(act.by == document and ends_all(act) for act in on.get(each, ()))}
    return ended | {act.by for act in on.get(document, ()) if act.by >= 0 and ends_all(act)}


def unresolved(view: View, document: int, targets: Iterable[int]) -> list[StoredAct]:
    """The acts that a document states by name on none of these documents (by number)."""
    from asof.text.acts import name_keys

    named = (name_keys(each.path, each.title, json.loads(each.meta)) for each in view.store.names_of(targets))
    keys = frozenset[str]().union(*named)
    own = (act for each in view.store.names_of([document]) for act in view.store.acts_by(each.version))
    return [
        act for act in own if act.kind not in _INVERSE and act.target[0] != "~" and act.target not in keys
    ]


SHOWN = 3
"""The most acts that a line of `asof status` names."""


def status(store: AsOfReader) -> list[str]:
    """A line for `asof status`: how many acts there are, and those that name no current document. Provisions
    are left out, as they are passages, which are not looked through."""
    if not has_acts(store.db):
        return []
    from asof.text.acts import name_keys

    documents = (id_ for (id_,) in store.db.execute("SELECT id FROM documents"))
    names = {each.document: each for each in store.names_of(documents)}
    keys = frozenset[str]().union(
        *(name_keys(each.path, each.title, json.loads(each.meta)) for each in names.values())
    )
    acts = [act for act in store.acts() if act.document in names]
    beside = set_of("acts", "provision")
    by_name = (act for act in acts if act.target[0] != "~" and act.target.partition("#")[0] not in beside)
    open_ones = [
        act for act in by_name if (_named(store, act) < 0 if act.kind in _INVERSE else act.target not in keys)
    ]
    line = f"acts of documents on others: {len(acts):,}"
    if open_ones:
        said = ", ".join(f"{act.text} ({names[act.document].name})" for act in open_ones[:SHOWN])
        line += f"; {len(open_ones):,} name none that is here: {said}{', …' * (len(open_ones) > SHOWN)}"
    return [line]


def _none_yet(view: View) -> dict[int, tuple[Act, ...]] | None:
    """Where the acts on documents are kept; None in a corpus without any."""
    return {} if has_acts(view.store.db) else None


def first_row(view: View, act: Act) -> int:
    """The row that acts, or the first of the acting document; -1 if it is none of the view."""
    rows = view.rows_of_document(act.by) if act.row < 0 <= act.by else np.array([act.row])
    return int(rows[0]) if len(rows) else -1


def _read(view: View, documents: Iterable[int], kind: str = "") -> dict[int, tuple[Act, ...]]:
    """The acts on these documents, of one kind or all."""
    from asof.text.acts import SAID, name_keys

    names = {each.document: each for each in view.store.names_of(documents)}
    of_key: dict[str, list[int]] = {}
    for document, each in names.items():
        for key in name_keys(each.path, each.title, json.loads(each.meta)):
            of_key.setdefault(key, []).append(document)
    pairs = [
        (document, act.document, act)
        for act in view.store.acts_on(of_key, kind)
        for document in of_key[act.target]
        if act.kind not in _INVERSE and act.document != document
    ]
    if not kind:
        pairs += [
            (document, by, act._replace(kind=_INVERSE[act.kind], part=""))
            for document, each in names.items()
            for act in view.store.acts_by(each.version)
            if act.kind in _INVERSE and ((by := _named(view.store, act)) >= 0 or act.part != SAID)
        ]
    first = {by: act.visible for _, by, act in pairs if act.document == by}
    actors = _actors(view, {by for _, by, _ in pairs}, first)
    found: dict[int, set[Act]] = {}
    for document, by, act in pairs:
        actor = actors.get(by, _Actor("", act.text, act.visible, NEVER))
        since = act.visible if act.kind == CORRECTS else max(act.visible, actor.begins)
        since = actor.begins if actor.undated and actor.begins > BEGINNING else since
        if actor.ends >= since and _is_meant(view, names[document], act, actor):
            made = Act(act.kind, act.part, since, NEVER, by if by in actors else -1, actor.name, actor.title)
            found.setdefault(document, set()).add(made)
    return {
        document: tuple(sorted(acts, key=lambda act: (act.since, act.name, act.kind, act.part, act.title)))
        for document, acts in found.items()
    }


def _is_meant(view: View, target: CurrentName, act: StoredAct, actor: _Actor) -> bool:
    """True if an act means this document. One of the acting title is older; of several with the name that is
    corrected it is the newest before. A sentence that names it by its kind only ("the Handbook") and the
    acting title have MEANT of the words of its title, by their weight, and the figures, and it is older."""
    if act.kind == CORRECTS and len(others := called(view.store, act.text)) > 1:
        known = (each.visible for each in view.store.names_of(others) if each.document != act.document)
        return target.visible == max((each for each in known if each <= act.visible), default=NEVER)
    if act.document == target.document:
        return True  # it says itself what acts on it
    by_kind = act.target[0] == "~"
    if target.visible >= act.visible and (by_kind or act.target == actor.title.casefold()):
        return False
    if not by_kind:
        return True
    weights = view.cached(f"title {target.title}", partial(_weights, title=target.title))
    said = set(tokenize(f"{act.text} {actor.title}"))
    shared = {word for word in weights if word in said or any(_alike(word, other) for other in said)}
    if any(word.isdigit() for word in weights.keys() - shared):
        return False
    return math.fsum(weights[word] for word in shared) >= MEANT * math.fsum(weights.values())


def _weights(view: View, title: str) -> dict[str, float]:
    """The words of a title, weighed by their rarity in a view."""
    words = [word for word in dict.fromkeys(tokenize(title)) if word not in view.analyzer.stop_words]
    dfs = view.dfs([term_hash(view.analyzer.alternatives(word)[0]) for word in words])
    return {word: math.log(1 + view.n / (1 + df)) for word, df in zip(words, dfs, strict=True)}


MEANT, STEM = 0.6, 5
"""The weight of the words of a title that a sentence which means its document has; the letters with which two
forms of a word begin, or which a compound has of it."""


def _alike(word: str, other: str) -> bool:
    if min(len(word), len(other)) < STEM:
        return False
    return word[:STEM] == other[:STEM] or word in other or other in word


def _named(store: AsOfReader, act: StoredAct) -> int:
    """The number of the document that "superseded by X" names; -1 if none or several are called so."""
    for name in (act.text, act.target, act.target.replace("#", "")):
        if len(others := called(store, name)) == 1:
            return others[0]
    return -1


class _Actor(NamedTuple):
    """A document that acts: its id, its title, and since when and until when it is in force; not before it
    can be seen, unless it is `undated`, which is seen since it was read. If its passages state several
    beginnings, each is that of a part; if none, those count that it stated when it first acted."""

    name: str
    title: str
    begins: int
    ends: int
    undated: bool = False


def _actors(view: View, documents: Iterable[int], first: Mapping[int, int]) -> dict[int, _Actor]:
    """Those of these documents that are current, by number; `first`: since when each acts."""
    window = view.prefix.window()
    of_row = window.column("document")
    rows = np.flatnonzero(np.isin(of_row, np.array(sorted(documents), np.int64)))
    rows = rows[window.visible(rows)]
    held, of = validity(view, rows), of_row[rows]
    actors = {}
    for each in view.store.names_of(documents):
        own = of == each.document
        begins = np.unique(held.begins[own & held.stated]).tolist()
        if not begins and each.document in first:
            begins = view.store.beginnings_of(each.document, first[each.document])
        begin = begins[0] if len(begins) == 1 else BEGINNING
        of_it = view.records(rows[own][:1])
        undated = all(record.starts is None or record.dated_by == "mtime" for record in of_it)
        begin = begin if undated else max(each.visible, begin)
        actors[each.document] = _Actor(
            each.name, each.title, begin, int(held.ends[own].max(initial=BEGINNING)), undated
        )
    return actors


# -- when passages are in force, and what changes them, also by acts ----------------------------------


class Successor(NamedTuple):
    """The row that supersedes another, and since when it holds instead (an instant). The row of an act that
    only its target tells of is -1."""

    row: int
    instant: int


def followers(view: View, rows: NDArray[np.int64], instant: int) -> list[Successor | None]:
    """For each row what holds instead of it, in its series (`_Series`) or by an act that ends its document
    or provision and still counts at an instant (`acts_on_rows`); None for none."""
    found = _Series(view).followers(rows, instant)
    for at, acts in enumerate(acts_on_rows(view, rows)):
        ends = [act for act in acts if ends_all(act) and act.until > instant]
        earlier = found[at]
        if ends and (earlier is None or ends[0].since < earlier.instant):
            found[at] = Successor(first_row(view, ends[0]), ends[0].since)
    return found


STEPS = 32
"""The most statements of a series that are looked at before and after one."""


class _Series:
    """Which statement of a series holds instead of another, at an instant.

    Chains are in order of publication. What was published later supersedes what was before, from the day on
    from which it is stated to hold, if it is not published after it began. But what is stated to hold only
    from a later day on comes after all that began before, whenever this was published: of "Red since 2025"
    and "Blue from 2021 to 2024" the first supersedes the second. What had ended by that instant, or ended
    before the other one began, supersedes nothing, so what it interrupted holds again. A version supersedes
    the one before of its document in any case. Only passages of no lower authority count."""

    def __init__(self, view: View) -> None:
        self.view, self.chains = view, succession(view)

    def followers(self, rows: NDArray[np.int64], instant: int) -> list[Successor | None]:
        """The one that took the place of each row (n) that does not hold at an instant: the first of those in
        a line without a gap, of which each held until the next one began."""
        found = self._holding(rows, np.full(len(rows), instant))
        left = np.array([at for at, each in enumerate(found) if each], np.int64)
        if not len(left):
            return found
        own = validity(self.view, rows)
        before = np.full(len(rows), instant)
        for _ in range(STEPS):
            began = np.array([each.instant for at in left if (each := found[at])], np.int64)
            until = np.minimum(began - 1, own.ends[left])
            left, until = left[until < before[left]], until[until < before[left]]
            if not len(left):
                break
            before[left] = until
            earlier = self._holding(rows[left], until)
            nearer = [
                one is not None and (last := found[at]) is not None and one.instant < last.instant
                for at, one in zip(left.tolist(), earlier, strict=True)
            ]
            for at, one in zip(left[nearer].tolist(), compress(earlier, nearer), strict=True):
                found[at] = one
            left = left[nearer]
        return found

    def _holding(self, rows: NDArray[np.int64], instants: NDArray[np.int64]) -> list[Successor | None]:
        """The one that holds at these instants (n) instead of each row (n), the first by that from which
        on."""
        found: list[Successor | None] = [None] * len(rows)
        if not len(rows):
            return found
        for later, step in ((True, self.chains.successors), (False, self.chains.predecessors)):
            at, beside = np.arange(len(rows)), rows
            for _ in range(STEPS):
                beside = step(beside)
                at, beside = at[beside >= 0], beside[beside >= 0]
                if not len(at):
                    break
                since, goes_on = self._since(rows[at], beside, instants[at], later=later)
                for place in np.flatnonzero(since < NEVER).tolist():
                    of, known = int(at[place]), found[int(at[place])]
                    if known is None or since[place] < known.instant:
                        found[of] = Successor(int(beside[place]), int(since[place]))
                at, beside = at[goes_on], beside[goes_on]
        return found

    def _since(
        self, rows: NDArray[np.int64], others: NDArray[np.int64], at: NDArray[np.int64], *, later: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Since when each of these others, published `later` than the row beside it or earlier, holds instead
        of this at an instant (NEVER: it does not); and whether one that is farther away may do so earlier."""
        view = self.view
        own, other, said = validity(view, rows), validity(view, others), view.column("said", others)
        one_document = view.column("document", rows) == view.column("document", others)
        current = np.array([end is None for end in self.chains.ends(others)], bool)
        holds = (other.ends >= np.maximum(own.begins, at)) | (one_document & later)
        holds &= view.authority(others) <= view.authority(rows)
        if later:
            holds &= one_document | ~own.stated | (other.begins >= own.begins)
            since = np.where(other.stated & (other.begins > own.begins), other.begins, said)
            goes_on = ~holds | (other.stated & ~one_document)
        else:
            holds &= current & ~one_document & other.stated & (other.begins > own.begins)
            since, goes_on = other.begins, own.stated | other.stated
        return np.where(holds, since, NEVER), goes_on


def times_of_force(
    view: View,
    rows: NDArray[np.int64],
    records: Sequence[StoredPassage],
    after: Sequence[Successor | None],
) -> list[SourcedTime | None]:
    """The time in which each row is in force, `after` being its `followers`; None where none is known."""
    held, said = validity(view, rows), view.column("said", rows)
    ends = np.minimum(held.ends, _next_section(view, rows, held).begins - 1)
    times: list[SourcedTime | None] = []
    for at, (record, follower) in enumerate(zip(records, after, strict=True)):
        stated = force_of(record)
        if not held.known[at] and stated is None:
            times.append(None)
            continue
        begin = int(held.begins[at]) if held.known[at] else BEGINNING
        begin = record.starts if begin == said[at] and record.starts is not None else begin
        if held.ends[at] < begin and not held.stated[at]:
            begin = BEGINNING  # it told of what was over: since when is not said
        end = int(ends[at]) + 1 if ends[at] < NEVER else NEVER
        if follower is not None and follower.instant > begin:
            end = min(end, follower.instant)
        stated = stated or SourcedTime(span_of(begin, NEVER), record.published or "", PUBLISHED)
        if end <= max(begin, YEAR_1):  # it ends before it begins; what has no beginning has no end then
            end = begin + 1 if YEAR_1 < begin < YEAR_9999 else NEVER
        times.append(replace(stated, span=span_of(begin, end)))
    return times


def amendments(
    view: View, rows: NDArray[np.int64], records: Sequence[StoredPassage], at: int
) -> list[tuple[Amendment, ...]]:
    """What amends or corrects each passage by an instant: the acts on the whole document, and those on a
    part that its headings or its first words name."""
    documents = view.column("document", rows).tolist()
    acts = acts_on(view, documents)
    found: list[tuple[Amendment, ...]] = []
    for document, record in zip(documents, records, strict=True):
        of_it = [
            act for act in acts.get(document, ())
            if act.since <= at < act.until and _names_part(record, act.part)
        ]  # fmt: skip
        on_part = {act.by for act in of_it if act.part}
        found.append(tuple(
            Amendment(act.kind, act.since, act.name, act.title, act.part) for act in of_it
            if act.part or (not ends_all(act) and act.by not in on_part)
        ))  # fmt: skip
    return found


def _names_part(record: StoredPassage, part: str) -> bool:
    """True if a passage is (of) a part of its document, as "Article 4"."""
    words = part.casefold().split()
    begin = f"{record.headings} {record.text[:200]}".casefold().split()
    plain = [word.strip(".:,;()#") for word in begin]
    headed = {
        heading.split()[0].strip(".:,;()#§") for heading in record.headings.split("\n") if heading.strip()
    }
    named = any(plain[at : at + len(words)] == words for at in range(len(plain)))
    return not words or named or words[-1] in headed  # "3. Pets" is clause 3


# -- hits with their force --------------------------------------------------------------------------------


def current_hits(view: View, rows: NDArray[np.int64], query: Query | None = None) -> tuple[Hit, ...]:
    """Rows of a view as hits without a score, in their order, with what supersedes or amends them at the date
    of force of a query."""
    nothing = Why("not ranked", 0.0)
    return view.hits(rows, np.zeros(len(rows)), lambda _: nothing, forces(view, rows, query or Query("", "")))


def forces(view: View, rows: NDArray[np.int64], query: Query) -> list[HitForce]:
    """For each row the time in which it is in force, whether that is so at the date of force, and what
    supersedes or amends it by then."""
    at = query.date_of_status(view.as_of)
    after, records = followers(view, rows, at), view.records(rows)
    known = [each.row for each in after if each is not None and each.row >= 0]
    record_of = dict(zip(known, view.records(np.array(known, np.int64)), strict=True))
    times = times_of_force(view, rows, records, after)
    amended = amendments(view, rows, records, at)
    found: list[HitForce] = []
    for later, time, acts in zip(after, times, amended, strict=True):
        superseded = None
        if later is not None and later.row >= 0 and later.instant <= at:
            record = record_of[later.row]
            id_ = hit_id(record.document, record.key)
            superseded = Superseded(later.instant, id_, record.document, record.title)
        found.append(HitForce(superseded, time, acts, query.holds(time, view.as_of), view.as_of, at))
    return found
