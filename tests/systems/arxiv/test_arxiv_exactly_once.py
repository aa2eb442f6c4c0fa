"""Exactly the papers of the window, once each, across pages, faults, restarts and shifts of the feed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.arxiv_server import Archive, Paper, busy, crowded, cut, day, empty, nothing, paper, torn

from asof.errors import SourceError
from asof.extensions.systems.arxiv import ArxivSettings, read
from asof.extensions.systems.arxiv_harvest import EMPTY_ANSWERS, HarvestLog, HarvestRange
from asof.extensions.systems.arxiv_source import Arxiv
from asof.http import Fetcher, Retry
from asof.time.span import instant
from asof.values import Document, SafeToCommit

SINCE, UNTIL, NOW = day(3), day(20, 12, 30, 15), day(40)
PAGE, MOST = 4, 9


class Killed(Exception):
    """The process died."""


class Store:
    """What the corpus would have: statements up to the last commit."""

    def __init__(self) -> None:
        self.versions: list[tuple[str, int]] = []
        self.texts: dict[tuple[str, int], Document] = {}

    def known(self, papers: Any) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for id_, version in self.versions:
            if id_ in papers:
                found.setdefault(id_, set()).add(version)
        return found

    def run(self, items: Iterator[Any], dies_after: int | None) -> None:
        """Take items as the engine does; die after so many."""
        waiting: list[Document] = []
        for at, item in enumerate(items):
            if at == dies_after:
                items.close()  # type: ignore[attr-defined]
                raise Killed
            if isinstance(item, Document):
                waiting.append(item)
            if isinstance(item, SafeToCommit):
                for each in waiting:
                    key = (each.id.removeprefix("arxiv:"), each.meta["version"])
                    self.versions.append(key)
                    self.texts[key] = each
                waiting.clear()


def source(archive: Archive, folder: Path, store: Store, now: Any = NOW, **wanted: Any) -> Arxiv:
    asked = {"since": instant(SINCE), "until": instant(UNTIL), **wanted}
    fetcher = Fetcher(0, Retry(4, sleep=lambda _: None))
    target = read("arxiv:cs.IR+cs.CL")
    return Arxiv(
        target, HarvestRange(**asked), instant(now), ArxivSettings(url=archive.url),
        HarvestLog(folder, target.name, store.known), fetcher, PAGE, MOST,
    )  # fmt: skip


MINUTES = st.integers(0, 25 * 24 * 60)
CATEGORIES = st.sampled_from([("cs.IR",), ("cs.CL", "cs.IR"), ("cs.CV",), ("cs.CL",)])


@st.composite
def archives(draw: Any) -> list[Paper]:
    dates = draw(st.lists(st.lists(MINUTES, min_size=1, max_size=3, unique=True), max_size=24))
    return [
        paper(
            number, *(day(1) + timedelta(minutes=each) for each in sorted(some)), categories=draw(CATEGORIES)
        )
        for number, some in enumerate(dates)
    ]


def truth(papers: list[Paper]) -> list[tuple[str, int]]:
    return sorted(
        (each.id, number)
        for each in papers
        if SINCE <= each.submitted <= UNTIL and {"cs.IR", "cs.CL"} & set(each.categories)
        for number in range(1, len(each.versions) + 1)
    )


FAULTS = st.lists(
    st.sampled_from([None, None, None, busy, crowded, torn, cut, empty, nothing]), max_size=30
).filter(lambda faults: faults.count(nothing) < EMPTY_ANSWERS)  # what is always said is believed


@given(papers=archives(), faults=FAULTS, deaths=st.lists(st.integers(0, 30), max_size=4))
def test_exactly_the_versions_of_the_window_once_each(papers, faults, deaths):
    with Archive(papers) as archive, tempfile.TemporaryDirectory() as folder:
        archive.faults = [each or (lambda there, asked: there.answer(asked)) for each in faults]
        store, deaths = Store(), list(deaths)
        for _ in range(40):
            try:
                store.run(source(archive, Path(folder), store).documents(), deaths.pop() if deaths else None)
                break
            except (Killed, SourceError):
                continue
        assert sorted(store.versions) == truth(papers)
        for (id_, number), document in store.texts.items():
            version = next(each for each in papers if each.id == id_).versions[number - 1]
            assert document.text == version.summary
            assert document.published is not None
            assert document.published.span.start == version.dated
        assert [each.name for each in Path(folder).iterdir() if each.suffix == ".jsonl"] == []


@given(
    papers=archives(),
    moves=st.lists(st.tuples(st.integers(0, 12), st.booleans(), st.integers(0, 23)), max_size=4),
)
def test_a_feed_that_shifts_loses_nothing_that_stays(papers, moves):
    """Papers come and go between pages; those that are there from first to last are stated."""
    with Archive(list(papers)) as archive, tempfile.TemporaryDirectory() as folder:
        gone: set[str] = set()

        def shift(there: Archive) -> None:
            for at, leaves, which in moves:
                if len(there.asked) == at and leaves and which < len(there.papers):
                    gone.add(there.papers.pop(which).id)
                elif len(there.asked) == at:
                    there.papers.append(paper(500 + at, day(4 + which % 15, 5)))

        archive.after = shift
        store = Store()
        with suppress(SourceError):
            store.run(source(archive, Path(folder), store).documents(), None)
        stays = [each for each in papers if each.id not in gone]
        assert {id_ for id_, _ in truth(stays)} <= {id_ for id_, _ in store.versions}
        assert len(set(store.versions)) == len(store.versions)


@given(
    papers=archives(),
    runs=st.lists(st.integers(5, 38), min_size=2, max_size=4).map(sorted),
    deaths=st.lists(st.integers(0, 30), max_size=2),
    lag=st.integers(0, 6 * 24),
)
def test_runs_that_follow_each_other_end_where_one_run_does(papers, runs, deaths, lag):
    """The archive grows, some days behind; each run sees what is there by then."""
    with Archive(papers, lag=timedelta(hours=lag)) as archive, tempfile.TemporaryDirectory() as folder:
        store, deaths = Store(), list(deaths)
        for number in [*runs, 40]:
            archive.at = day(number)
            for _ in range(4):
                try:
                    run = source(archive, Path(folder), store, day(number), since=instant(SINCE))
                    store.run(run.documents(), deaths.pop() if deaths else None)
                    break
                except Killed:
                    continue
        assert sorted(store.versions) == truth(papers)
