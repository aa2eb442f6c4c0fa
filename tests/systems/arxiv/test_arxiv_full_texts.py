"""Full texts of papers: beside the abstract, under the date of their version; what is told when none is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.support.arxiv_server import Archive, Paper, Version, day
from tests.support.small_pdf import small_pdf

import asof
from asof.corpus.corpus import Corpus
from asof.errors import MissingExtra
from asof.extensions.documents import pdf
from asof.extensions.systems.arxiv import FeedEntry, PaperId
from asof.extensions.systems.arxiv_source import FullTexts
from asof.http import Fetcher, Retry
from asof.sources.source import InputLimits
from asof.time.span import instant
from asof.values import Document, Problem

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
    (memory_folder / "asof.toml").write_text(
        f'[arxiv]\nurl = "{archive.url}"\npdf_url = "{archive.pdf_url}"\ndelay = 0\nattempts = 1\n'
    )
    with asof.open(memory_folder, trust=True) as made:
        made.maintenance.background = False
        made.session.clock = lambda: instant(day(30))
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


def test_one_that_is_known_is_not_fetched(archive):
    assert texts(archive, known=(1, 2)) == []
    assert archive.asked == []


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
    paper = Paper(
        "2401.00001",
        (Version(day(5), "The ferry", "We row."), Version(day(9), "The ferry", "We row and sail.")),
    )
    archive.papers = [Paper(paper.id, paper.versions[:1])]
    archive.pdfs = {
        "2401.00001v1": small_pdf(TEXT),
        "2401.00001v2": small_pdf([["The sundial " * 9], ["Two."]]),
    }
    corpus.add("arxiv:2401.00001", full=True)
    archive.papers = [paper]
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
    with pytest.raises(MissingExtra, match=r"pip install 'asof-search\[documents\]'"):
        corpus.add("arxiv:2401.00001", full=True)
    assert archive.asked == []
