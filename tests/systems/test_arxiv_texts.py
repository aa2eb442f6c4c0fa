"""Full texts of papers beside their abstracts; and papers that were erased, which nothing brings back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.support.arxiv_server import Archive, Paper, Version, day, paper
from tests.support.pier_papers import settings
from tests.support.small_pdf import small_pdf

import asof
from asof.corpus.corpus import Corpus
from asof.errors import Busy, MissingExtra
from asof.extensions.documents import pdf
from asof.extensions.providers.http import Fetcher, Retry
from asof.extensions.systems.arxiv import FeedEntry, PaperId
from asof.extensions.systems.arxiv_harvest import HarvestLog
from asof.extensions.systems.arxiv_source import FullTexts
from asof.files import FETCHED
from asof.sources.source import InputLimits
from asof.time.span import instant
from asof.values import Document, Problem
from asof.wire import replace

# -- full texts of papers: beside the abstract, under the date of their version; what is told when n---


TEXT = [
    ["The ferry of Orrin"] + [f"We row for the {n}th time over the lake." for n in range(9)],
    ["A pendulum."],
]
ENTRY = FeedEntry(
    PaperId("2401.00001", 2), "The ferry", "We row.", datetime(2024, 1, 5, tzinfo=UTC),
    datetime(2024, 1, 9, tzinfo=UTC), categories=("cs.IR",),
)  # fmt: skip


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive() as there:
        yield there


@pytest.fixture
def corpus(archive: Archive, memory_folder: Path) -> Iterator[Corpus]:
    (memory_folder / "asof.toml").write_text(settings(archive))
    with asof.open(memory_folder, trust=True) as made:
        made.maintenance.background = False
        made.session.clock = itertools.count(instant(day(40)), 1_000_000).__next__
        yield made


def texts(
    archive: Archive, entry: FeedEntry = ENTRY, known: tuple[int, ...] = (), **limits: Any
) -> list[object]:
    fetcher = Fetcher(0, Retry(2, sleep=lambda _: None))
    return list(FullTexts(archive.pdf_url, fetcher, InputLimits(**limits)).texts(entry, known))


def test_the_document_of_a_full_text(archive):
    archive.pdfs["2401.00001v2"] = small_pdf(TEXT)
    (stated,) = texts(archive)
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
    (problem,) = texts(archive, **limits)
    assert isinstance(problem, Problem)
    assert said in problem.message
    assert (problem.file, problem.document, problem.lost) == ("2401.00001v2", "arxiv:2401.00001/full", True)


def test_a_withdrawn_paper_has_none(archive):
    (problem,) = texts(archive, replace(ENTRY, comment="This paper has been withdrawn"))
    assert isinstance(problem, Problem)
    assert not problem.lost
    assert archive.asked == []


def test_a_page_that_says_wait_is_no_pdf(archive):
    archive.pdfs["2401.00001v2"] = b"<html>generating</html>"
    with pytest.raises(asof.AsofError, match=r"the answer is no PDF \(2 attempts\)"):
        texts(archive)


def test_as_of_a_date_the_full_text_of_that_date(archive, corpus):
    first = Version(day(5), "The ferry", "We row.")
    archive.papers = [Paper("2401.00001", (first,))]
    archive.pdfs = {"2401.00001v1": small_pdf(TEXT), "2401.00001v2": small_pdf([["The sundial " * 9]])}
    corpus.add("arxiv:2401.00001", full=True)
    archive.papers = [Paper("2401.00001", (first, Version(day(9), "The ferry", "We row and sail.")))]
    corpus.add("arxiv:2401.00001", full=True)
    asked = len(archive.asked)
    corpus.add("arxiv:2401.00001", full=True)
    assert len(archive.asked) == asked + 1  # nothing but whether there is a new version

    def found(as_of: str, kind: str) -> set[str]:
        hits = corpus.at(as_of).search("ferry pendulum sundial row", meta=(("kind", kind),)).hits
        return {hit.text.strip().rpartition("\n")[2][:9] for hit in hits}

    assert "A pendulu" in found("2024-01-06", "full")
    assert "A pendulu" not in found("2024-01-10", "full")
    assert found("2024-01-10", "abstract") == {"We row an"}


def test_without_the_extra_it_is_refused_before_anything_is_asked(archive, corpus, monkeypatch):
    monkeypatch.setattr(pdf, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match="install asof with its extra `documents`"):
        corpus.add("arxiv:2401.00001", full=True)
    assert archive.asked == []


# -- a paper that was erased: no later run takes it in unasked, and nothing that is kept names it ---


GONE, FULL = "arxiv:2401.00003", "arxiv:2401.00003/full"
OLD = paper(3, day(4, 3))
RENEWED = Paper(OLD.id, (*OLD.versions, Version(day(39), "Ferry 3", "It sails no more.")))


@pytest.fixture
def library(archive: Archive, corpus: Corpus) -> Corpus:
    """Of five papers, each with its full text."""
    archive.papers = [paper(n, day(1 + n, n)) for n in range(5)]
    archive.pdfs = {f"2401.{n:05}v1": small_pdf([[f"Ferry {n} in full."]]) for n in range(5)}
    return corpus


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
    library.add([asof.Document("pier", "No paper at all.")])
    with busy_here.turn():
        assert library.purge("pier") == 1  # nothing of arXiv
