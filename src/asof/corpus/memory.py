"""Notes that are written one by one: remembered, corrected, forgotten, as an assistant does it.

A note is a document `memory/...`, published at the moment at which it is told; its subject is its title. As
of an earlier moment the corpus is as it was: what was believed then. What a note would supersede is found by
indexing it beside the texts that are nearest to it, in a folder that is removed at once, and is returned
before it is stored.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct

from asof.arguments import all_checked
from asof.corpus.asking import LONGEST_KEY, LONGEST_NOTE, LONGEST_QUESTION, LONGEST_SUBJECT, MOST_TAGS
from asof.corpus.corpus import Corpus, scratch
from asof.corpus.maintenance import NOTES_LOCK, TRIAL, remove_trials
from asof.documents import NOTE_PREFIX, PUBLISHED, Document, SourcedTime, is_note, line_feeds
from asof.errors import DocumentNotFound, UsageError
from asof.hits import Hit
from asof.index.features import LEAST_UNTITLED, grammar_of, title_of
from asof.index.statements import LEAST_FRAME, Grammar, frame_of, statement_of
from asof.lang import set_of
from asof.revisions.force import current_hits
from asof.revisions.link import NEARLY
from asof.sources.markdown import Inline
from asof.store.digest import STATUS, is_of_force, span_of
from asof.store.names import called
from asof.store.reader import document_as_of
from asof.store.schema import exclusive_lock
from asof.text.acts import acts_of, name_keys
from asof.text.tokens import Analyzer, tokenize
from asof.time.span import BEGINNING, NEVER, Instant, Span, iso, moment
from asof.wire import As, one_of, replace

if TYPE_CHECKING:
    from asof.index.view import View
    from asof.store.reader import DocumentAsOf
    from asof.time.moment import When

SHORT = 500
"""So many characters are shown of a document that a note supersedes as a whole."""

MOST_TOLD = 100
"""So many notes of one key, or of one text and day, are looked at."""

NEAREST = 12
"""So many passages are looked at for what a note would supersede."""

LIKE, SHOWN = 0.4, 3
"""The least share of words that notes have in common with one, which are shown though it does not supersede
them; how many of these."""


class Earlier(Struct, frozen=True):
    """What a note supersedes."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: str
    text: Annotated[str, "what it says; of a document as a whole its first characters"]
    published: Annotated[SourcedTime | None, "null: nobody knows"]


class Remembered(Struct, frozen=True):
    """A note, and what became of it."""

    document: Annotated[str, "its id"]
    state: Annotated[
        str, one_of("stored", "known", "unconfirmed"),
        "known: it is there; unconfirmed: nothing is stored, for it would supersede or contradict something",
    ]  # fmt: skip
    supersedes: Annotated[tuple[Earlier, ...], "the passages that it supersedes, or would supersede"]
    apart: Annotated[
        tuple[Earlier, ...],
        "notes that state the same with another value; one of both has no subject, so it supersedes none",
    ]
    alike: Annotated[tuple[Earlier, ...], "other notes of its subject that say nearly the same"]
    at: Annotated[Instant, As("as_of"), "the moment at which it was told"]
    in_force: Annotated[SourcedTime | None, "when it holds, as that was read; null: no time was given"]


class Forgotten(Struct, frozen=True):
    """A note that is erased, or would be."""

    document: Annotated[str, "its id"]
    erased: Annotated[bool, "false: nothing is erased yet, since that was not confirmed with this id"]
    title: str
    text: Annotated[str, "what it says, or said"]
    versions: Annotated[int, "how many wordings are erased with it"]


@all_checked
@dataclass(frozen=True, slots=True)
class Memory:
    """The notes of an open corpus."""

    corpus: Corpus

    def remember(
        self, text: str, subject: str = "", *, valid_from: When | None = None,
        valid_until: When | None = None, source: str = "", tags: Iterable[str] = (), key: str = "",
        confirm: bool = False,
    ) -> Remembered:  # fmt: skip
        """Stores a note. One that would supersede something is stored only with `confirm`; without it, what
        that is comes back. So is one that says the same as a note with another value and would not supersede
        it, since one of both has no subject.

        `subject`: what it is about, its title. `valid_from`, `valid_until`: since and until when it holds, if
        that is not from now on. Times count from now: "the end of the year" is its last day; without a year
        or a week the coming one is meant, up to half a year ahead; one that is over then is no end.
        `source`: who said so. `key`: a note is stored once for a key, however often it is sent; without one,
        a text is stored once a day, as long as it holds. `[[links]]` in the text are links. Raises
        UsageError, also for a key that was used for another text; Busy, NoSpace.
        """
        _check(text, subject, key)
        tags = tuple(tags)
        if len(tags) > MOST_TAGS:
            raise UsageError(f"{len(tags)} tags; accepted: up to {MOST_TAGS}")
        told = repr((subject, text, str(valid_from), str(valid_until), source, sorted(tags)))
        with self._alone():
            now = self.corpus.session.clock()
            name = f"{NOTE_PREFIX}{f'key-{_hash(key)}' if key else iso(now)[:10]}-{_hash(told)}"
            for each in self._called(name):
                before = self._now(each)
                if before is not None and before.text == line_feeds(text) and (key or self._holds(each)):
                    return Remembered(each, "known", (), (), (), now, _force_of(before))
            if key and (others := self._called(f"{NOTE_PREFIX}key-{_hash(key)}-")):
                raise UsageError(f"the key {key!r} was used for {others[0]}, which says something else")
            if self._was_told(name):  # it was corrected or superseded since, or has ended
                name = f"{name}-{now}"
            times = self._times(now, valid_from, valid_until)
            meta = {"told_by": source} if source else {}
            note = _note(name, text, subject, now, tags=tags, meta=meta, in_force=times)
            return self._stored(note, now, confirm=confirm)

    def correct(
        self, document: str, text: str, *, valid_from: When | None = None, valid_until: When | None = None,
        confirm: bool = False,
    ) -> Remembered:  # fmt: skip
        """Gives a note another text, or other times in which it holds, from now on; times that are not given
        stay. What it said before stays as of then. `document`: its id, the id of a passage of it, or its
        title. Raises UsageError, DocumentNotFound; Busy, NoSpace."""
        _check(text)
        with self._alone():
            known = self._known(document)
            now = max(self.corpus.session.clock(), known.versions[-1].visible + 1)
            kept = _force_of(known)
            times = self._times(now, valid_from, valid_until, kept)
            about = [each for each in known.about if not is_of_force(each.by)]
            note = _note(
                known.summary.id, text, known.summary.title, now, about=about, tags=known.summary.tags,
                meta=known.summary.meta, in_force=times,
            )  # fmt: skip
            told = _force_of(note)
            if known.text == line_feeds(text) and (kept and kept.span) == (told and told.span):
                return Remembered(known.summary.id, "known", (), (), (), now, kept)
            return self._stored(note, now, confirm=confirm)

    def forget(self, document: str, *, confirm: bool = False) -> Forgotten:
        """Erases a note with all of its versions for good, with `confirm` and its whole id; without them,
        what would be erased comes back, with that id. `document` as in `correct`. Raises UsageError,
        DocumentNotFound; Busy, NoSpace."""
        with self._alone():
            known = self._known(document)
            confirm &= document == known.summary.id
            if confirm:
                self.corpus.purge(document)
        summary = known.summary
        return Forgotten(summary.id, confirm, summary.title, known.text, len(known.versions))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Holds the lock of writers of notes, so that what was looked up still holds when it is written.
        Raises Busy."""
        folder = self.corpus.store.folder
        with exclusive_lock(folder / NOTES_LOCK, self.corpus.store.wait):
            remove_trials(folder)
            yield

    def _called(self, begin: str) -> list[str]:
        """The ids of the current notes that begin like this, the newest first."""
        return self.corpus.at().use(lambda view: view.store.ids_from(begin))[:MOST_TOLD]

    def _was_told(self, name: str) -> bool:
        """True if there is or was a note of this id."""
        return self.corpus.at().use(lambda view: view.store.was_published(name))

    def _holds(self, name: str) -> bool:
        """True if a note holds now, or is to hold: nothing superseded it, and it has not ended."""

        def look(view: View) -> bool:
            hits = current_hits(view, view.rows_of_document(*called(view.store, name)))
            over = (hit.in_force is not None and hit.in_force.span.last < view.as_of for hit in hits)
            return not any(hit.superseded for hit in hits) and not any(over)

        return self.corpus.at().use(look)

    def _times(
        self, now: int, first: When | None, last: When | None, kept: SourcedTime | None = None
    ) -> tuple[SourcedTime | None, SourcedTime | None] | None:
        """Two times, which may be relative ("tomorrow"), as `Document` takes them; one that is not given is
        that of the time that is `kept`."""
        from asof.time.moment import first_instant, last_instant

        begin = end = None
        if first is not None:
            at = first_instant(first, now, replace(self.corpus.session.times, bound="begin"))
            begin = SourcedTime(span_of(at, NEVER), str(first), "in_force")
        if last is not None:
            at = last_instant(last, now, replace(self.corpus.session.times, bound="end"))
            end = SourcedTime(span_of(BEGINNING, at + 1), str(last), "in_force")
        if kept is not None:
            was = kept.text.partition("..")
            if begin is None and kept.span.start is not None:
                begin = SourcedTime(Span(kept.span.start, None), was[0].strip(), "in_force")
            if end is None and kept.span.end is not None:
                end = SourcedTime(Span(None, kept.span.end), was[2].strip(), "in_force")
        return None if begin is end is None else (begin, end)

    def _known(self, document: str) -> DocumentAsOf:
        """A note by its id, the id of a passage of it, both also in brackets, or its title: of several
        the one that holds. Raises UsageError for another document or a title of several, DocumentNotFound."""
        name = document.strip().removeprefix("[").removesuffix("]")
        whole, _, digest = name.rpartition("#")
        found = self._now(name) or (self._now(whole) if digest else None)
        if found is None and not name.startswith(NOTE_PREFIX):
            titled = self._titled(name)
            titled = [each for each in titled if len(titled) > 1 and self._holds(each)] or titled
            if len(titled) > 1:
                listed = ", ".join(titled[:SHOWN]) + ", …" * (len(titled) > SHOWN)
                raise UsageError(f"{len(titled)} notes have the title {name[:200]!r}: {listed}; give an id")
            found = self._now(titled[0]) if titled else None
        if found is not None and not is_note(found.summary.id):
            found = None
        if found is None and not name.startswith(NOTE_PREFIX):
            raise UsageError(
                f"{name[:200]!r} is no note: only ids that begin with {NOTE_PREFIX!r} and titles are"
            )
        if found is None:
            raise DocumentNotFound(f"there is no note {name[:200]!r} now")
        return found

    def _titled(self, title: str) -> list[str]:
        """The ids of the notes that have a title."""

        def look(view: View) -> list[str]:
            names = view.store.names_of(called(view.store, title))
            same = title.casefold()
            return [each.name for each in names if is_note(each.name) and each.title.casefold() == same]

        return self.corpus.at().use(look)

    def _now(self, document: str) -> DocumentAsOf | None:
        return self.corpus.at().use(lambda view: document_as_of(view.store, document))

    def _stored(self, note: Document, now: int, *, confirm: bool) -> Remembered:
        """Stores a note, unless it would supersede something and that is not confirmed."""
        asked = f"{note.title} {note.text}"[:LONGEST_QUESTION]
        found = self.corpus.at().search(asked, NEAREST, unit="passage", recipe="bm25").hits
        hits = [hit for hit in found if hit.superseded is None and hit.document != note.id]
        words = _grammar(self.corpus.store.settings.languages)
        ends = self._superseded(note, [hit for hit in hits if _is_related(note, hit, *words)], now)
        acted_on = self._acted_on(note)
        whole = {each.document for each in acted_on}
        more = (_earlier(hit) for hit in hits if hit.id in ends and hit.document not in whole)
        superseded = (*acted_on, *more)
        notes = [
            hit for hit in hits if hit.id not in ends and hit.document not in whole and is_note(hit.document)
        ]
        apart = tuple(_earlier(hit) for hit in notes if _is_apart(note, hit, *words))
        own, other = set(tokenize(note.text)), {each.id for each in apart}
        others = (
            hit for hit in notes
            if hit.id not in other and _likeness(own, set(tokenize(hit.text))) >= LIKE
            and _same_subject(note, hit)
        )  # fmt: skip
        alike = tuple(map(_earlier, islice(others, SHOWN)))
        state = "stored" if confirm or not (superseded or apart) else "unconfirmed"
        if state == "stored":
            report = self.corpus.add(note)
            if report.failed:
                raise UsageError("; ".join(each.message for each in report.problems))
        return Remembered(note.id, state, superseded, apart, alike, now, _force_of(note))

    def _acted_on(self, note: Document) -> tuple[Earlier, ...]:
        """The documents that a note says that it supersedes, amends or corrects; notes only if they hold."""
        acts = acts_of(note.path or note.id, note.title, note.text, note.meta, note.links)
        if not acts:
            return ()
        targets = {act.target for act in acts}

        def look(view: View) -> tuple[Earlier, ...]:
            named = [
                document_as_of(view.store, name) for _, name, title, path in view.store.current_documents()
                if name != note.id and not targets.isdisjoint(name_keys(path, title, {}))
            ]  # fmt: skip
            return tuple(
                Earlier(each.summary.id, each.summary.id, each.summary.title, each.text[:SHORT],
                        each.summary.published)
                for each in named if each is not None
            )  # fmt: skip

        found = self.corpus.at().use(look)
        return tuple(each for each in found if not is_note(each.document) or self._holds(each.document))

    def _superseded(self, note: Document, alike: list[Hit], now: int) -> set[str]:
        """Those of these passages, by id, that a note would supersede, or end from the day on which it
        holds."""
        if not alike:
            return set()
        copies = {_copy(hit, at).id: hit for at, hit in enumerate(alike)}
        settings = replace(self.corpus.store.settings, encoder="")
        with (
            tempfile.TemporaryDirectory(prefix=TRIAL, dir=self.corpus.store.folder) as folder,
            scratch(Path(folder), settings, self.corpus.config) as trial,
        ):
            trial.add([*map(_copy, alike, count()), note])
            found = (
                trial.snapshot(now).search(note.text[:LONGEST_QUESTION], len(alike) + 1, recipe="bm25").hits
            )
        return {
            copies[hit.document].id for hit in found
            if hit.document in copies and (
                (hit.superseded is not None and hit.superseded.document == note.id)
                or _end_of(hit) < _end_of(copies[hit.document])
            )
        }  # fmt: skip


def _end_of(hit: Hit) -> int:
    """The last instant at which a hit is in force."""
    return NEVER if hit.in_force is None else hit.in_force.span.last


def _note(name: str, text: str, subject: str, now: int, **more: Any) -> Document:
    """A note: links in its text lead elsewhere, and those to its subject lead to it."""
    inline = Inline()
    inline.words(text)
    return Document(
        name, text, subject, moment(now), links=tuple(inline.links), aliases=(subject,) if subject else (),
        **more,
    )  # fmt: skip


def _force_of(note: Document | DocumentAsOf) -> SourcedTime | None:
    """The time in which a note is stated to hold."""
    return next((each for each in note.about if is_of_force(each.by)), None)


@lru_cache(maxsize=4)
def _grammar(languages: tuple[str, ...]) -> tuple[Grammar, Callable[[str], str]]:
    """The words of grammar of some languages, and what tells in which of them a text is."""
    analyzer = Analyzer(languages)
    return grammar_of(analyzer), analyzer.detect


def _is_related(note: Document, hit: Hit, grammar: Grammar, detect: Callable[[str], str]) -> bool:
    """True if a note has the subject of a passage, states the same with another value, ends what it states,
    or has nearly its words: only then can it supersede it (`asof.revisions.link`)."""
    subjects = [
        title_of(title, grammar.calendar).subject
        for title in (note.title, "\n".join((hit.title, *hit.place.headings)))
    ]
    if any(subjects):
        return subjects[0] == subjects[1]
    one, other = (statement_of(text, detect(text), grammar) for text in (note.text, hit.text))
    if one.frame.hash and one.frame.hash == other.frame.hash:
        return True
    if not {*one.ended}.isdisjoint((*other.leads, *other.ended)):
        return True
    own, others = set(tokenize(note.text)), set(tokenize(hit.text))
    return len(own & others) >= LEAST_UNTITLED and _likeness(own, others) >= NEARLY


def _is_apart(note: Document, hit: Hit, grammar: Grammar, detect: Callable[[str], str]) -> bool:
    """True if a passage states the same as a note with another value, and one of both has no subject."""
    if bool(note.title) == bool(hit.title) or note.text.strip() == hit.text.strip():
        return False
    one, other = (frame_of(text, detect(text), grammar) for text in (note.text, hit.text))
    return one.words >= LEAST_FRAME and one.hash == other.hash


def _same_subject(note: Document, hit: Hit) -> bool:
    """True if two notes have one subject, or none and begin with the same word of content."""
    if note.title or hit.title:
        return note.title.casefold() == hit.title.casefold()
    one, other = (
        next((word for word in tokenize(each.text) if word not in set_of("words", "stop")), "")
        for each in (note, hit)
    )
    return one == other


def _likeness(one: set[str], other: set[str]) -> float:
    """The share of the words of two texts that both have (Jaccard)."""
    return len(one & other) / max(len(one | other), 1)


def _earlier(hit: Hit) -> Earlier:
    return Earlier(hit.id, hit.document, hit.title, hit.text, hit.published)


def _copy(hit: Hit, at: int) -> Document:
    """A passage as a document of its own, in the folder of its document, with the time in which it holds."""
    held = hit.in_force
    if held is None or held.by in (PUBLISHED, STATUS) or held.span == Span(None, None):
        return Document(f"{hit.document}~{at}", hit.text, hit.title, hit.published)
    begin, end = Span(held.span.start, None), Span(None, held.span.end)
    force = (begin if begin.start else None, end if end.end else None)
    return Document(f"{hit.document}~{at}", hit.text, hit.title, hit.published, in_force=force)


def _check(text: str, subject: str = "", key: str = "") -> None:
    """Raises UsageError for a note without words, or for more than is accepted."""
    if not text.strip():
        raise UsageError("a note has a text")
    for what, value, most in (("text", text, LONGEST_NOTE), ("subject", subject, LONGEST_SUBJECT),
                              ("key", key, LONGEST_KEY)):  # fmt: skip
        if len(value) > most:
            raise UsageError(f"the {what} has {len(value):,} characters; accepted: up to {most:,}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
