"""The guarantee: a question as of (T, K) sees what a corpus sees that never held anything else.

Random histories (statements, edits without a date, late back-dated versions, deletions, corrections) are
played into a corpus. Then a second corpus is given only those versions that were published by T and known
(and not yet retired) at K, and both are asked: ids, scores and trees must be equal to the last bit. The
*dense* strategy (two documents, three words, few dates) makes collisions likely that the *broad* one misses.
"""

from __future__ import annotations

import itertools
import json
import math
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.corpus.snapshot import Snapshot
from asof.data import Document, Ended, Filters, Heading, Link, SourcedTime
from asof.errors import DamagedStore, UsageError
from asof.index import prefix as prefix_module
from asof.index.merge import merge
from asof.index.prefix import Prefix
from asof.index.view import View
from asof.rank.recipe import Recipe
from asof.recipes import NAMES
from asof.recipes.asof import ASOF
from asof.store.digest import layout_places, span_of
from asof.store.settings import CorpusSettings
from asof.time.span import EPOCH, NEVER, Span, instant, iso, moment

DAY = 86_400_000_000
WORDS = [
    "mill",
    "ferry",
    "bread",
    "storm",
    "rope",
    "snow",
    "price",
    "chair",
    "harbour",
    "bell",
    "fog",
    "tide",
]


@dataclass(frozen=True)
class Event:
    """What happens on a day of the clock: kind, document, the date it claims (a day number), its passages,
    the day until which it says that it holds."""

    kind: str
    document: int
    date: int | None
    passages: tuple[tuple[int, ...], ...]
    wait: int
    about: int | None = None


def events(
    documents: int, words: int, dates: int, most: int, about: st.SearchStrategy[int | None]
) -> st.SearchStrategy[list[Event]]:
    passage = st.lists(st.integers(0, words - 1), min_size=1, max_size=4).map(tuple)
    event = st.builds(
        Event,
        st.sampled_from(["state"] * 6 + ["end", "correct", "merge"]),
        st.integers(0, documents - 1),
        st.one_of(st.integers(0, dates), st.integers(0, dates), st.none()),
        st.lists(passage, min_size=1, max_size=3).map(tuple),
        st.integers(0, 3),
        about,
    )
    return st.lists(event, min_size=2, max_size=most)


ASKED = (
    "{}", "{}", "{} latest", "who leads the {}", "{} on 3 January 1970", "latest {} as of 2 January 1970",
    "who led the {} as of 3 January 1970", "what was the {} yesterday", "title 1 {} in January 1970",
)  # fmt: skip
"""How words are asked for: with times, with wishes, with titles."""

TIGHT = ASOF.replaced({"rerank_window.n": 10})
"""The default recipe with a closer look at ten only."""

BROAD = events(6, 12, 30, 14, st.none() | st.none() | st.integers(0, 30))
DENSE = events(2, 3, 4, 8, st.none())


def document(event: Event) -> Document:
    text, outline = "", []
    for number, passage in enumerate(event.passages):
        outline.append(Heading(len(text), 1, f"part {number}"))
        text += f"# part {number}\n" + " ".join(WORDS[word] for word in passage) + spoken(passage) + "\n"
    return Document(
        f"doc{event.document}", text, f"title {event.document}", day(event.date), about=until(event.about),
        links=links(text), outline=tuple(outline),
    )  # fmt: skip


def spoken(passage: tuple[int, ...]) -> str:
    """Some passages speak of a time, of its own or counted from the date of their document."""
    return ("", " yesterday", " on 3 January 1970", "")[sum(passage) % 4]


def until(about: int | None) -> tuple[SourcedTime, ...]:
    return (
        ()
        if about is None
        else (SourcedTime(Span(None, moment(about * DAY)), iso(about * DAY), "valid_until"),)
    )


def links(text: str) -> tuple[Link, ...]:
    """A text links to the documents whose numbers its words have."""
    return tuple(Link(f"doc{at}") for at, word in enumerate(WORDS) if word in text.split())


def day(date: int | None) -> SourcedTime | None:
    if date is None:
        return None
    start = moment(date * DAY)
    return SourcedTime(Span(start, moment((date + 1) * DAY)), iso(date * DAY)[:10], "metadata")


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


def new_corpus(folder: Path) -> Corpus:
    corpus = open_corpus(folder, settings=CorpusSettings(stem=False))
    corpus.clock = Clock()
    corpus.background = False
    return corpus


def play(corpus: Corpus, history: Sequence[Event]) -> None:
    """Day by day; several events of one day are separate transactions."""
    clock = corpus.clock
    assert isinstance(clock, Clock)
    for event in history:
        clock.now += event.wait * DAY + 1_000
        if event.kind == "state":
            corpus.add([document(event)])
        elif event.kind == "end":
            at = day(event.date) or SourcedTime(Span.at(moment(clock.now)), "now", "git")
            corpus.add([Ended(f"doc{event.document}", at)])
        elif event.kind == "correct":
            try:
                corpus.correct(f"doc{event.document}", moment((event.date or 0) * DAY))
            except UsageError:
                continue  # nothing there to correct
        else:
            merge_some(corpus, event)


def merge_some(corpus: Corpus, event: Event) -> None:
    db = corpus.store.writer()
    entries = corpus.manifest.entries(db)
    first = event.document % (len(entries) + 1)
    chosen = entries[first : first + 1 + len(event.passages)]
    if len(chosen) > 1:
        manifest = corpus.manifest
        manifest.replace(db, chosen, lambda path: merge(path, [manifest.open(entry) for entry in chosen]))
    db.close()


def only_visible(corpus: Corpus, folder: Path, as_of: int, known_at: int) -> Corpus:
    """A corpus that was only ever told what is visible at (T, K)."""
    other = new_corpus(folder)
    clock = other.clock
    assert isinstance(clock, Clock)
    versions = corpus._db.execute(
        "SELECT v.id, d.name, v.head, v.content, v.stated, v.published, v.starts, v.ends, v.dated_by,"
        " v.visible, v.layout, v.added, h.about FROM versions AS v JOIN documents AS d ON d.id = v.document"
        " LEFT JOIN heads AS h ON h.id = v.head"
        " WHERE v.visible <= ? AND v.added <= ? AND (v.retired IS NULL OR v.retired > ?) ORDER BY v.id",
        (as_of, known_at, known_at),
    ).fetchall()
    db = other.store.writer()
    for added, group in itertools.groupby(versions, key=lambda version: version[-2]):
        clock.now = added
        with other.store.write(
            db, clock, other.manifest.publish, what="test", source=("python", "documents")
        ) as write:
            for (
                id_,
                name,
                head,
                content,
                stated,
                published,
                starts,
                ends,
                by,
                visible,
                layout,
                _,
                about,
            ) in group:
                write.load([name] if name not in write.dossiers else [])
                dossier = write.dossier(name)
                when = None if starts is None else SourcedTime(span_of(starts, ends), published, by)
                if head is None:
                    write.begin_silence(dossier, stated, when, by, visible)
                    continue
                text = stored_text(corpus, id_, layout)
                write.begin_version(
                    dossier, restored(name, text, when, about), content, stated, when, visible
                )
    merge_all(other, db)
    db.close()
    return other


def merge_all(corpus: Corpus, db: sqlite3.Connection) -> None:
    """One segment: another order of rows than that of many, by which nothing may be decided."""
    entries = corpus.manifest.entries(db)
    if len(entries) > 1:
        manifest = corpus.manifest
        manifest.replace(db, entries, lambda path: merge(path, [manifest.open(entry) for entry in entries]))


def stored_text(corpus: Corpus, version: int, layout: bytes) -> str:
    texts = dict(corpus._db.execute(
        "SELECT key, text FROM passages WHERE document = (SELECT document FROM versions WHERE id = ?)",
        (version,),
    ).fetchall())  # fmt: skip
    return "".join(texts[key] for key, _, _ in layout_places(layout))


def restored(name: str, text: str, when: SourcedTime | None, about: str) -> Document:
    outline = tuple(
        Heading(at, 1, text[at + 2 : text.index("\n", at)])
        for at in range(len(text))
        if text.startswith("# ", at)
    )
    title = f"title {name.removeprefix('doc')}"
    ends = [(instant(datetime.fromisoformat(time["until"])), time) for time in json.loads(about)]
    times = tuple(SourcedTime(Span(None, moment(end)), time["text"], time["by"]) for end, time in ends)
    return Document(name, text, title, when, about=times, links=links(text), outline=outline)


def seen(snapshot: Snapshot, question: str, **options: Any) -> list[tuple[Any, ...]]:
    results = snapshot.search(question, k=50, **options)
    found = []
    for hit in results.hits:
        assert hit.why.recomputed() == hit.why.value == hit.score
        found.append((
            hit.id, hit.score, hit.published, hit.dated_by, hit.place, hit.text, hit.about, hit.why.as_json(),
        ))  # fmt: skip
    return found


def check(
    history: Sequence[Event], as_of: int, back: int, words: Sequence[int], asked: str, recipe: str | Recipe
) -> None:
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))  # noqa: S108
    question = asked.format(" ".join(WORDS[word] for word in words))
    try:
        with new_corpus(folder / "all") as corpus:
            play(corpus, history)
            known = [row[0] for row in corpus._db.execute("SELECT id FROM transactions ORDER BY id")]
            if not known:
                return
            known_at = known[max(len(known) - 1 - back, 0)]
            at = min(as_of * DAY + DAY - 1, NEVER - 1)
            with only_visible(corpus, folder / "part", at, known_at) as part:
                here = Snapshot(corpus, at, known_at)
                there = Snapshot(part, at, None)
                assert seen(here, question) == seen(there, question)
                assert seen(here, question, recipe=recipe) == seen(there, question, recipe=recipe)
                assert seen(here, question, unit="document") == seen(there, question, unit="document")
                since = moment(max(as_of - 2, 0) * DAY)
                assert seen(here, question, since=since) == seen(there, question, since=since)
                about = moment((as_of + back) % 5 * DAY)
                assert seen(here, question, about=about) == seen(there, question, about=about)
                assert _timeless(here) == _timeless(there)
                mine, theirs = here.view().prefix, there.view().prefix
                assert (mine.n, mine.tokens) == (theirs.n, theirs.tokens)
                assert mine.n == sum(in_force(corpus, at, known_at))
    finally:
        shutil.rmtree(folder)


def _timeless(snapshot: Snapshot) -> int:
    view = snapshot.view()
    return view.timeless(view.window(Filters()))


def in_force(corpus: Corpus, at: int, known_at: int) -> list[int]:
    """Numbers of passages of the versions in force, by looking at each document's versions one by one."""
    counts = []
    for (name,) in corpus._db.execute("SELECT id FROM documents"):
        visible = corpus._db.execute(
            "SELECT visible, added, id, layout FROM versions WHERE document = ? AND visible <= ?"
            " AND added <= ? AND (retired IS NULL OR retired > ?)",
            (name, at, known_at, known_at),
        ).fetchall()
        if visible:
            counts.append(len(layout_places(max(visible)[3])))
    return counts


def property_of(
    history: st.SearchStrategy[list[Event]], words: int, dates: int, examples: int, **options: Any
) -> Callable[[], None]:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck), **options)
    @given(
        history,
        st.integers(-1, dates + 2),
        st.one_of(st.just(0), st.integers(0, 6)),
        st.lists(st.integers(0, words - 1), min_size=1, max_size=3),
        st.sampled_from(ASKED),
        st.sampled_from([*NAMES, TIGHT]),
    )
    def property_(
        history: list[Event], as_of: int, back: int, words: list[int], asked: str, recipe: str | Recipe
    ) -> None:
        check(history, as_of, back, words, asked, recipe)

    return property_


test_guarantee_broad = property_of(BROAD, 12, 30, 120)
test_guarantee_dense = property_of(DENSE, 3, 4, 250)


# -- planted faults: the property must be able to fail ------------------------------------------------

FAULT = {"derandomize": True, "database": None, "phases": [Phase.generate]}


def test_a_statistic_over_all_rows_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Prefix.of.__func__  # type: ignore[attr-defined]

    def wrong(cls: type[Prefix], segments: Any, as_of: int, known_at: int = NEVER) -> Prefix:
        made: Prefix = right(cls, segments, as_of, known_at)
        made.n = sum(segment.n for segment in segments)
        return made

    monkeypatch.setattr(Prefix, "of", classmethod(wrong))
    with pytest.raises((AssertionError, DamagedStore)):
        property_of(DENSE, 3, 4, 500, **FAULT)()


def test_one_end_for_each_row_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last known end wins, as if each row had a field `ended` that is overwritten."""

    def wrong(segments: Any, as_of: int, known_at: int) -> Any:
        last: dict[int, tuple[int, int]] = {}
        for segment in segments:
            for row, at, added in zip(segment["end_passage"].tolist(), segment["end_at"].tolist(),
                                      segment["end_added"].tolist(), strict=True):  # fmt: skip
                last[row] = max(last.get(row, (-1, 0)), (added, at))
        return np.array(
            sorted(row for row, (added, at) in last.items() if at <= as_of and added <= known_at), np.int64
        )

    # published on day 3, superseded on day 8; then a version of day 5 arrives: the first ended on day 5. As
    # was known before, it ended on day 8, which an overwritten end has forgotten
    history = [Event("state", 0, date, ((word,),), 1) for word, date in enumerate((3, 8, 5))]
    check(history, 9, 1, [0], "{}", "asof")
    monkeypatch.setattr(prefix_module, "gone_by", wrong)
    with pytest.raises((AssertionError, DamagedStore)):
        check(history, 9, 1, [0], "{}", "asof")


def test_a_tie_broken_by_row_number_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: View, scores: Any, rows: Any) -> Any:
        return np.lexsort((rows, -scores))

    monkeypatch.setattr(View, "tie_order", wrong)
    with pytest.raises((AssertionError, DamagedStore)):
        property_of(DENSE, 3, 4, 2000, **FAULT)()


def test_epoch_is_where_days_are_counted_from() -> None:
    assert instant(EPOCH) == 0
    assert math.isclose(DAY, 24 * 3600 * 1e6)
