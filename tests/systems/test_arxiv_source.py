"""A corpus takes in papers: versions as of their dates, exactly once each, and what a second run asks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.arxiv_server import (
    Archive,
    Paper,
    Version,
    busy,
    crowded,
    cut,
    day,
    empty,
    nothing,
    paper,
    torn,
)
from tests.support.pier_papers import settings
from tests.support.rows import db_of
from tests.support.small_pdf import small_pdf

import asof
from asof.corpus.corpus import Corpus
from asof.documents import Document, Problem, SafeToCommit
from asof.errors import Busy, MissingExtra, SourceError, UsageError
from asof.extensions.documents import pdf
from asof.extensions.providers.http import Fetcher, Retry
from asof.extensions.systems.arxiv import ArxivSettings, FeedEntry, PaperId, read
from asof.extensions.systems.arxiv_harvest import EMPTY_ANSWERS, ArxivApi, Figures, HarvestLog, HarvestRange
from asof.extensions.systems.arxiv_source import MAX_EARLIER, Arxiv, FullTexts, VersionReader
from asof.files import FETCHED
from asof.sources.source import InputLimits
from asof.time.span import instant
from asof.wire import replace

# -- versions as of their dates, what a second run asks, and one that broke off --------------------


SAID = (
    Version(day(5, 9), "The ferry of Orrin", "We measure the ferry with a stopwatch."),
    Version(day(12, 10), "The ferry of Orrin", "We measure the ferry with a sundial."),
    Version(day(20, 11), "The ferries of Orrin", "We measure both ferries with a pendulum."),
)
FERRY = Paper("2401.00001", SAID)


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive() as there:
        yield there


@pytest.fixture
def corpus(archive: Archive, memory_folder: Path) -> Iterator[Callable[[datetime], Corpus]]:
    """Opens the corpus at a moment of the clock."""
    (memory_folder / "asof.toml").write_text(settings(archive).replace("attempts = 1", "attempts = 2"))
    opened: list[Corpus] = []

    def at(now: datetime) -> Corpus:
        made = asof.open(memory_folder, trust=True)
        made.maintenance.background = False
        made.session.clock = lambda: instant(now)
        archive.at = now
        opened.append(made)
        return made

    yield at
    for each in opened:
        each.close()


def texts(corpus: Corpus, as_of: str, question: str = "ferry ferries measure") -> list[str]:
    return [hit.text for hit in corpus.at(as_of).search(question).hits]


def test_as_of_a_date_the_version_of_that_date_is_in_force(archive, corpus):
    archive.papers = [FERRY]
    here = corpus(day(30))
    report = here.add("arxiv:cs.IR", since="2024-01-01")
    assert (report.added, report.changed, report.failed) == (1, 2, 0)
    assert texts(here, "2024-01-05T08:59") == []
    assert texts(here, "2024-01-05T09:00:00") == [FERRY.versions[0].summary]
    assert texts(here, "2024-01-12T09:59") == [FERRY.versions[0].summary]
    assert texts(here, "2024-01-13") == [FERRY.versions[1].summary]
    assert texts(here, "2024-01-30") == [FERRY.versions[2].summary]


def test_the_same_words_in_a_new_version_are_a_version(archive, corpus):
    """v2 often changes the PDF alone: as of a date before it the paper is still there."""
    same = Version(day(4), "Orrin", "The ferry sails at noon.")
    archive.papers = [Paper("2401.00002", (same,))]
    corpus(day(6)).add("arxiv:cs.IR", since="2024-01-01")
    archive.papers = [Paper("2401.00002", (same, Version(day(8), same.title, same.summary)))]
    here = corpus(day(10))
    report = here.add("arxiv:cs.IR", since="2024-01-01")
    assert (report.changed, report.corrected) == (1, 0)
    assert texts(here, "2024-01-05") == [same.summary]
    assert here.search("ferry noon").hits[0].uri.endswith("v2")


def test_a_second_run_asks_for_what_is_new_and_what_was_updated(archive, corpus):
    archive.papers = [paper(n, day(1 + n % 20, n % 24)) for n in range(250)]
    corpus(day(28)).add("arxiv:cs.IR", since="2024-01-01")
    assert archive.starts == [0, 100, 200]
    archive.asked.clear()
    old = archive.papers[3]
    archive.papers[3] = Paper(old.id, (*old.versions, Version(day(33), "Ferry 3", "It sails no more.")))
    archive.papers.append(paper(900, day(32)))
    report = corpus(day(35)).add("arxiv:cs.IR", since="2024-01-01")
    assert (report.added, report.changed) == (1, 1)
    searched = [each["search_query"] for each in archive.asked if "search_query" in each]
    # the first run is sure of what was submitted until a week before it, day 21 of January
    assert searched[0] == "cat:cs.IR AND submittedDate:[202401210000 TO 202402040001]"
    assert searched[1].endswith("lastUpdatedDate:[202401210000 TO 202402040001]")
    assert len(archive.asked) == 2 + 0  # its first version is known: nothing is asked by id


def test_without_since_it_goes_on_from_the_last_run(archive, corpus):
    archive.papers = [paper(n, day(n)) for n in range(1, 60)]
    assert corpus(day(30)).add("arxiv:cs.IR").added == 7 + 1  # days 23 to 30: a week, both ends included
    assert corpus(day(50)).add("arxiv:cs.IR").added == 20
    assert corpus(day(50)).add("arxiv:cs.IR").added == 0


def test_a_run_that_broke_off_goes_on_where_it_was(archive, corpus):
    """Of 80 papers in parts of 20 at most, pages of 20: the next run asks for no part that was done."""
    archive.papers = [paper(n, day(2, n // 4, 15 * (n % 4))) for n in range(80)]
    here = corpus(day(30))
    archive.faults = [lambda there, asked: there.answer(asked)] * 12 + [busy] * 2
    asked: list[str] = []
    for failing in (True, False):
        source = here.source("arxiv:cs.IR", since="2024-01-01", until="2024-01-03")
        source.size = source.most = 20
        with pytest.raises(SourceError, match=r"status 503.*2 attempts") if failing else nullcontext():
            here.add(source)
        queries = (each["search_query"] for each in archive.asked)
        asked.append(" ".join(each for each in queries if "lastUpdated" not in each))
        assert (here.status().documents == 80) != failing
        archive.asked.clear()
    assert "submittedDate:[202401010000" in asked[0]
    assert "submittedDate:[" in asked[1]
    assert "submittedDate:[202401010000" not in asked[1]


def test_the_newest_of_each_day(archive, corpus):
    archive.papers = [paper(n, day(1 + n // 10, n % 10)) for n in range(30)]
    here = corpus(day(8))
    source = here.source("arxiv:cs.IR", since="2024-01-01", per_day=2)
    source.most = 5  # a day with more is not cut in two: its newest come first
    assert here.add(source).added == 6
    # ten papers a day at 0 to 9 o'clock: the newest two are those of 8 and 9
    held = {name for (name,) in db_of(here).execute("SELECT name FROM documents")}
    assert held == {f"arxiv:2401.{n:05}" for n in (8, 9, 18, 19, 28, 29)}
    assert {each["max_results"] for each in archive.asked} == {"2"}


def test_what_the_feed_cannot_tell_is_told_and_asked_for_again(archive, corpus):
    archive.papers = [paper(n, day(2, n)) for n in range(5)]
    feed = archive.feed
    archive.feed = lambda found, total, start: feed(found, total + 1, start)
    with pytest.raises(SourceError, match="the page from 0 on is empty, of 1 results"):
        corpus(day(28)).add("arxiv:cs.IR", since="2023-12-01", until="2023-12-31")  # nothing is there
    twice = [0, 1, 1, 3, 4]  # one paper comes twice, another not at all
    archive.feed = lambda found, total, start: feed(
        [found[at] for at in twice] if len(found) == 5 else found, total, start
    )
    report = corpus(day(28)).add("arxiv:cs.IR", since="2024-01-01")
    assert [each.message for each in report.problems] == [
        "arXiv announced 5 papers between 2024-01-01T00:00:00Z and 2024-01-28T00:00:00Z, and gave 4"
    ]
    archive.feed = lambda found, total, start: feed(found[:4], total, start)
    assert corpus(day(28)).add("arxiv:cs.IR", since="2024-01-01").added == 1  # four at a time


def test_papers_by_their_ids(archive, corpus):
    archive.papers = [
        FERRY,
        paper(2, day(3)),
        Paper("hep-th/9901001", (Version(day(2), "Old", "Old ferry."),)),
    ]
    here = corpus(day(30))
    assert here.add("arxiv:2401.00001v2").added == 1
    assert texts(here, "2024-01-30") == [FERRY.versions[1].summary]
    report = here.add("arxiv:2401.00001+hep-th/9901001v1+2401.00099")
    assert (report.added, report.changed) == (1, 2)
    assert [str(each) for each in report.problems] == [
        "2401.00099: there is no such paper, or no such version, at arXiv (look at the id)"
    ]
    assert here.add("arxiv:2401.00001").written == 0


def test_without_a_memory_every_run_begins_anew(archive):
    archive.papers = [FERRY]
    source = Arxiv(
        read("arxiv:cs.IR"), HarvestRange(), instant(day(11)), ArxivSettings(url=archive.url, delay=0)
    )
    for _ in range(2):
        stated = [each for each in source.documents() if isinstance(each, Document)]
        assert [each.meta["version"] for each in stated] == [1, 2, 3]


@pytest.mark.parametrize("instead", [[], [(FERRY, 3)]])
def test_an_earlier_version_that_is_not_to_be_had_shows_nothing(archive, corpus, instead):
    """The text of another version is not shown under the date of version 1."""
    archive.papers = [FERRY]
    by_id = archive._by_id
    archive._by_id = lambda ids: [each for each in by_id(ids) or () if each[1] != 1] + instead
    here = corpus(day(30))
    report = here.add("arxiv:cs.IR", since="2024-01-01")
    assert [(each.file, each.lost) for each in report.problems] == [("2401.00001v1", True)]
    assert texts(here, "2024-01-06") == []
    assert texts(here, "2024-01-13") == [FERRY.versions[1].summary]


def test_a_withdrawn_paper_is_a_version_that_says_so(archive, corpus):
    gone = Version(day(9), "Orrin", "The ferry sails.", "This paper has been withdrawn by its author")
    archive.papers = [Paper("2401.00005", (Version(day(3), "Orrin", "The ferry sails."), gone))]
    here = corpus(day(12))
    report = here.add("arxiv:cs.IR", since="2024-01-01")
    assert [(each.file, each.lost) for each in report.problems] == [("2401.00005v2", False)]
    assert here.at("2024-01-05").search("ferry", tags=["withdrawn"]).hits == ()
    assert len(here.at().search("ferry", tags=["withdrawn"]).hits) == 1


def test_what_was_updated_between_two_windows_is_in_none(archive, corpus):
    archive.papers = [paper(1, day(2), day(58)), paper(2, day(20), day(58)), paper(3, day(40), day(58))]
    here = corpus(day(57))
    here.add("arxiv:cs.IR", since="2024-01-01", until="2024-01-05")
    here.add("arxiv:cs.IR", since="2024-02-05", until="2024-02-12")
    assert here.status().documents == 2
    later = corpus(day(60))
    report = later.add("arxiv:cs.IR", since="2024-01-01", until="2024-01-05")
    assert (report.added, report.changed) == (0, 2)


@pytest.mark.parametrize(
    ("target", "options", "said"),
    [
        ("arxiv:cs.IR", {"since": "2024-01-20", "until": "2024-01-10"}, "is after .*, where it ends"),
        ("arxiv:cs.IR", {"per_day": 2_001}, "accepted are 1 to 2000, and 0 for all"),
        ("arxiv:cs.IR", {"full": True}, "papers that are named by their ids"),
        ("arxiv:2401.00001", {"since": "2024"}, "are for categories, and these are ids"),
        ("notes", {"since": "2024"}, "no option since; further ones have schemes only, such as arxiv:"),
    ],
)
def test_options_that_do_not_go_together(corpus, target: str, options: dict[str, Any], said: str):
    with pytest.raises(UsageError, match=said):
        corpus(day(28)).add(target, **options)


# -- exactly the papers of the window, once each, whatever goes wrong ------------------------------


SINCE, UNTIL, NOW = day(3), day(20, 12, 30, 15), day(40)
PAGE, MOST = 4, 9


class Killed(Exception):
    """The process died."""


class Store:
    """What the corpus would have: statements up to the last commit."""

    def __init__(self) -> None:
        self.stated: list[Document] = []

    @property
    def versions(self) -> list[tuple[str, int]]:
        return [(each.id.removeprefix("arxiv:"), each.meta["version"]) for each in self.stated]

    def known(self, papers: Any) -> dict[str, set[int]]:
        return {id_: {number for name, number in self.versions if name == id_} for id_ in papers}

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
                self.stated += waiting
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
        assert all(start < MOST for start in archive.starts), "a window with more is cut in two"
        by_id = {each.id: each for each in papers}
        for (id_, number), document in zip(store.versions, store.stated, strict=True):
            version = by_id[id_].versions[number - 1]
            assert document.text == version.summary
            assert document.published is not None
            assert document.published.span.start == version.dated


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


# -- what a feed says of versions is believed within bounds: of a paper, and of a run --------------


def entry(paper: str, version: int) -> FeedEntry:
    updated = day(1) + timedelta(hours=version)
    return FeedEntry(PaperId(paper, version), "Ferry", f"Version {version} of it.", day(1), updated)


@dataclass(frozen=True)
class Shelf(ArxivApi):
    """Gives the versions of a paper up to `last`."""

    last: int = 999

    def papers(self, ids: Sequence[PaperId]) -> list[FeedEntry]:  # type: ignore[override]
        return [entry(each.id, each.version) for each in ids if each.version <= self.last]


LATEST = {1, *range(949, 1_000)}
LEFT_OUT = "it has {} versions: taken are the first and the latest 51"
NOT_GIVEN = "arXiv does not give 50 earlier versions, the last of them v998: their texts are not known"


@pytest.mark.parametrize(
    ("newest", "last", "known", "stated", "problems"),
    [
        (53, 999, set(), [1, *range(53 - MAX_EARLIER, 54)], [(False, LEFT_OUT.format(53))]),
        (999, 999, set(), sorted(LATEST), [(False, LEFT_OUT.format(999))]),
        # what is left out is told once, and not asked for later
        (999, 0, LATEST, [], []),
        (1_000, 0, LATEST, [1_000], [(False, LEFT_OUT.format(1_000))]),
        # versions that are not given are one problem
        (999, 1, set(), [1, 999], [(True, NOT_GIVEN), (False, LEFT_OUT.format(999))]),
    ],
)  # fmt: skip
def test_of_more_the_first_and_the_latest(newest, last, known, stated, problems):
    shelf = Shelf("", Fetcher(delay=0), last)
    reader = VersionReader(shelf, lambda _: {"2401.00001": known}, Figures())
    items = list(reader.state([entry("2401.00001", newest)]))
    assert [each.meta["version"] for each in items if isinstance(each, Document)] == stated
    told = [each for each in items if isinstance(each, Problem)]
    assert sorted(((each.lost, each.message) for each in told), reverse=True) == problems


# -- full texts of papers: beside the abstract, under the date of their version --------------------


TEXT = [
    ["The ferry of Orrin"] + [f"We row for the {n}th time over the lake." for n in range(9)],
    ["A pendulum."],
]
ENTRY = FeedEntry(
    PaperId("2401.00001", 2), "The ferry", "We row.", datetime(2024, 1, 5, tzinfo=UTC),
    datetime(2024, 1, 9, tzinfo=UTC), categories=("cs.IR",),
)  # fmt: skip


def full_texts(
    archive: Archive, entry: FeedEntry = ENTRY, known: tuple[int, ...] = (), **limits: Any
) -> list[object]:
    fetcher = Fetcher(0, Retry(2, sleep=lambda _: None))
    return list(FullTexts(archive.pdf_url, fetcher, InputLimits(**limits)).texts(entry, known))


def test_the_document_of_a_full_text(archive):
    archive.pdfs["2401.00001v2"] = small_pdf(TEXT)
    (stated,) = full_texts(archive)
    assert isinstance(stated, Document)
    assert (stated.id, stated.title, stated.tags) == ("arxiv:2401.00001/full", "The ferry", ("cs.IR", "full"))
    assert (stated.meta["kind"], stated.meta["version"]) == ("full", 2)
    assert stated.published is not None
    assert stated.published.span.start == datetime(2024, 1, 9, tzinfo=UTC)  # of version 2
    assert [each.title for each in stated.outline] == ["Page 1", "Page 2"]
    assert stated.uri == "https://arxiv.org/pdf/2401.00001v2"


@pytest.mark.parametrize(
    ("body", "limits", "said"),
    [
        (None, {}, "there is no PDF to be had"),
        (small_pdf(TEXT), {"file": 200}, "more than 200 bytes; its abstract is indexed"),
        (small_pdf(TEXT), {"pages": 1}, "the PDF has 2 pages; the limit is 1; its abstract is indexed"),
        (small_pdf(TEXT, encrypted=True), {}, "encrypted; its abstract"),
        (small_pdf([[], []]), {}, "no text in the PDF"),
    ],
)
def test_what_gives_no_full_text(archive, body, limits, said):
    if body is not None:
        archive.pdfs["2401.00001v2"] = body
    (problem,) = full_texts(archive, **limits)
    assert isinstance(problem, Problem)
    assert said in problem.message
    assert (problem.file, problem.document, problem.lost) == ("2401.00001v2", "arxiv:2401.00001/full", True)


def test_a_withdrawn_paper_has_none(archive):
    (problem,) = full_texts(archive, replace(ENTRY, comment="This paper has been withdrawn"))
    assert isinstance(problem, Problem)
    assert not problem.lost
    assert archive.asked == []


def test_a_page_that_says_wait_is_no_pdf(archive):
    archive.pdfs["2401.00001v2"] = b"<html>generating</html>"
    with pytest.raises(asof.AsofError, match=r"the answer is no PDF \(2 attempts\)"):
        full_texts(archive)


def test_as_of_a_date_the_full_text_of_that_date(archive, corpus):
    here = corpus(day(40))
    first = Version(day(5), "The ferry", "We row.")
    archive.papers = [Paper("2401.00001", (first,))]
    archive.pdfs = {"2401.00001v1": small_pdf(TEXT), "2401.00001v2": small_pdf([["The sundial " * 9]])}
    here.add("arxiv:2401.00001", full=True)
    archive.papers = [Paper("2401.00001", (first, Version(day(9), "The ferry", "We row and sail.")))]
    here.add("arxiv:2401.00001", full=True)
    asked = len(archive.asked)
    here.add("arxiv:2401.00001", full=True)
    assert len(archive.asked) == asked + 1  # nothing but whether there is a new version

    def found(as_of: str, kind: str) -> set[str]:
        hits = here.at(as_of).search("ferry pendulum sundial row", meta=(("kind", kind),)).hits
        return {hit.text.strip().rpartition("\n")[2][:9] for hit in hits}

    assert "A pendulu" in found("2024-01-06", "full")
    assert "A pendulu" not in found("2024-01-10", "full")
    assert found("2024-01-10", "abstract") == {"We row an"}


def test_without_the_extra_it_is_refused_before_anything_is_asked(archive, corpus, monkeypatch):
    monkeypatch.setattr(pdf, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match="install asof with its extra `documents`"):
        corpus(day(40)).add("arxiv:2401.00001", full=True)
    assert archive.asked == []


# -- a paper that was erased: no later run takes it in unasked, and nothing that is kept names it ---


GONE, FULL = "arxiv:2401.00003", "arxiv:2401.00003/full"
OLD = paper(3, day(4, 3))
RENEWED = Paper(OLD.id, (*OLD.versions, Version(day(39), "Ferry 3", "It sails no more.")))


@pytest.fixture
def library(archive: Archive, corpus: Any) -> Corpus:
    """Of five papers, each with its full text."""
    archive.papers = [paper(n, day(1 + n, n)) for n in range(5)]
    archive.pdfs = {f"2401.{n:05}v1": small_pdf([[f"Ferry {n} in full."]]) for n in range(5)}
    opened: Corpus = corpus(day(40))
    return opened


def held(library: Corpus, *names: str) -> list[bool]:
    return [library.at().text(name) is not None for name in names]


def traces(library: Corpus, words: bytes = b"2401.00003") -> list[str]:
    files = (path for path in library.store.folder.rglob("*") if path.is_file())
    return [path.name for path in files if words in path.read_bytes()]


@pytest.mark.parametrize(
    "words", [{}, {"since": "2024-01-01"}, {"since": "2024-01-01", "until": "2024-01-25"}]
)
def test_no_run_over_categories_brings_it_back(archive, library, words):
    library.add("arxiv:cs.IR", since="2024-01-01")
    assert library.purge(GONE) == 1
    # a version that came after it was erased is of the same paper
    archive.papers[3] = RENEWED
    report = library.add("arxiv:cs.IR", **words)
    assert (report.written, report.problems, held(library, GONE)) == (0, [], [False])


def test_nothing_that_is_kept_names_it(archive, library):
    """Unless it was asked for by its id, which is then the name of a source."""
    library.add("arxiv:cs.IR", since="2024-01-01")
    library.purge("arxiv:2401.00004")  # not among what is asked for below
    assert traces(library)
    torn = library.store.folder / FETCHED / f"{'a' * 24}.tmp"  # of a process that was killed
    torn.write_text("2401.00003")
    assert library.purge(GONE) == 1
    assert (traces(library), traces(library, b"Ferry 3 ")) == ([], [])
    library.add("arxiv:cs.IR", since="2024-01-01")
    assert (traces(library), library.check()) == ([], [])


def test_by_its_id_it_comes_back_and_is_then_a_paper_like_others(archive, library):
    library.add("arxiv:2401.00003", full=True)
    assert library.maintenance.purged_with(GONE) == (GONE, FULL)
    assert library.purge(GONE) == 2
    assert library.maintenance.purged_with(GONE) == ()
    assert library.add("arxiv:2401.00003").added == 1
    assert held(library, GONE, FULL) == [True, False]
    archive.papers[3] = RENEWED
    assert library.add("arxiv:cs.IR", since="2024-01-01").changed == 1
    assert library.add("arxiv:2401.00003v1", full=True).added == 1
    assert held(library, GONE, FULL) == [True, True]
    assert library.maintenance.purged_with(FULL) == (FULL,)  # a full text can go alone
    assert library.purge(FULL) == 1
    assert held(library, GONE, FULL) == [True, False]


def test_while_papers_are_fetched_none_is_erased(archive, library):
    """A run that has a page in hand would take it in again right after."""
    library.add("arxiv:cs.IR", since="2024-01-01")
    busy_here = HarvestLog(library.store.folder / FETCHED, "arxiv:cs.CL", lambda _: {})
    with busy_here.turn(), pytest.raises(Busy, match="another process fetches from arXiv"):
        library.purge(GONE)
    assert held(library, GONE) == [True]
