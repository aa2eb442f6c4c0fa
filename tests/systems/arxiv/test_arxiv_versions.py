"""What a feed says of versions is believed within bounds: of a paper, and of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from tests.support.arxiv_server import Archive, day, paper

from asof.extensions.systems.arxiv import ArxivSettings, FeedEntry, PaperId, read
from asof.extensions.systems.arxiv_harvest import ArxivApi, Figures, HarvestRange
from asof.extensions.systems.arxiv_source import (
    EARLIER_PER_PAPER,
    EARLIER_PER_RUN,
    MAX_EARLIER,
    Arxiv,
    VersionReader,
)
from asof.http import Fetcher
from asof.time.span import instant
from asof.values import Document, Problem, SafeToCommit


def entry(paper: str, version: int) -> FeedEntry:
    return FeedEntry(
        PaperId(paper, version),
        "Ferry",
        f"Version {version} of it.",
        day(1),
        day(1) + timedelta(hours=version),
    )


@dataclass(frozen=True)
class Shelf(ArxivApi):
    """Gives the versions of a paper up to `last`, and says what it was asked for."""

    last: int = 999
    asked: list[PaperId] = field(default_factory=list)

    def papers(self, ids: Sequence[PaperId]) -> list[FeedEntry]:  # type: ignore[override]
        self.asked.extend(ids)
        return [entry(each.id, each.version) for each in ids if each.version <= self.last]


def versions(
    shelf: Shelf, known: dict[str, set[int]] | None = None, left: int = EARLIER_PER_RUN
) -> VersionReader:
    return VersionReader(shelf, lambda _: known or {}, Figures(), left=left)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf("", Fetcher(delay=0))


def told(items: Sequence[Document | Problem]) -> tuple[list[int], list[Problem]]:
    stated = [each.meta["version"] for each in items if isinstance(each, Document)]
    return stated, [each for each in items if isinstance(each, Problem)]


@pytest.mark.parametrize("last", [1, 2, 3, 51, 52])
def test_up_to_as_many_as_are_taken_all_are(shelf, last):
    """1 + 50 + the last one: 52 versions are all of them."""
    assert told(list(versions(shelf).state([entry("2401.00001", last)]))) == (list(range(1, last + 1)), [])


@pytest.mark.parametrize("last", [53, 999])
def test_of_more_the_first_and_the_latest(shelf, last):
    stated, (problem,) = told(list(versions(shelf).state([entry("2401.00001", last)])))
    assert stated == [1, *range(last - MAX_EARLIER, last + 1)]
    assert problem.message == f"it has {last} versions: taken are the first and the latest 51"
    assert (problem.lost, problem.file) == (False, f"2401.00001v{last}")


def test_what_is_left_out_is_told_once_and_not_asked_for_later(shelf):
    known = {"2401.00001": {1, *range(949, 1_000)}}
    assert told(list(versions(shelf, known).state([entry("2401.00001", 999)]))) == ([], [])
    assert shelf.asked == []
    stated, (problem,) = told(list(versions(shelf, known).state([entry("2401.00001", 1_000)])))
    assert (stated, shelf.asked, problem.lost) == ([1_000], [], False)


def test_versions_that_are_not_given_are_one_problem(shelf):
    short = Shelf("", shelf.fetcher, last=1)
    stated, problems = told(list(versions(short).state([entry("2401.00001", 999)])))
    assert stated == [1, 999]
    assert [each.message for each in problems if each.lost] == [
        "arXiv does not give 50 earlier versions, the last of them v998: their texts are not known"
    ]


def test_a_run_asks_for_so_many_and_no_more(shelf):
    """100 to spare and 5 for each of 3 papers: 115 - 51 - 51 = 13 are left, fewer than the third one has."""
    run = versions(shelf, left=100)
    stated, problems = told(list(run.state([entry(f"2401.0000{n}", 999) for n in range(3)])))
    assert (len(shelf.asked), len(stated), run.left) == (
        2 * 51,
        2 * 52 + 1,
        100 + 3 * EARLIER_PER_PAPER - 2 * 51,
    )
    (problem,) = (each for each in problems if each.lost)
    assert problem.message == "its 51 earlier versions are not asked for: too many were in this run"
    assert (problem.file, problem.remedy) == ("2401.00002v999", "asof index arxiv:2401.00002")


def test_papers_with_a_few_versions_come_to_no_bound(shelf):
    run = versions(shelf, left=0)
    for first in range(0, 400, 100):
        entries = [entry(f"2401.{first + n:05}", 1 + n % 6) for n in range(100)]
        _, problems = told(list(run.state(entries)))
        assert problems == []


def test_two_versions_of_a_paper_on_a_page(shelf):
    stated, _ = told(list(versions(shelf).state([entry("2401.00001", 4), entry("2401.00001", 2)])))
    assert set(stated) == {1, 2, 3, 4}


def test_a_page_of_papers_with_very_many_versions():
    """20 papers, 51 earlier versions each: 1,020 by their ids, 100 a request, and the page itself."""
    dates = [day(1) + timedelta(hours=n) for n in range(120)]
    with Archive([paper(n, *dates) for n in range(20)]) as archive:
        source = Arxiv(
            read("arxiv:cs.IR"), HarvestRange(since=instant(day(1))), instant(day(9)),
            ArxivSettings(url=archive.url, delay=0),
        )  # fmt: skip
        stated, problems = told([each for each in source.documents() if not isinstance(each, SafeToCommit)])
    assert (len(stated), len(problems), len(archive.asked)) == (20 * 52, 20, 1 + 11)
