"""`asof index arxiv:...`: what is fetched, what is said, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.arxiv_server import Archive, busy, paper
from tests.support.small_pdf import small_pdf

from asof import environment

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def archive(here) -> Iterator[Archive]:
    with Archive([paper(n, NOW - timedelta(days=n, hours=1)) for n in range(30)]) as there:
        (here / "asof.toml").write_text(
            f'[arxiv]\nurl = "{there.url}"\npdf_url = "{there.pdf_url}"\ndelay = 0\nattempts = 2\n'
        )
        environment.trust(here)
        yield there


def test_the_papers_of_a_window_and_again(asof, archive):
    since = (NOW - timedelta(days=14)).date()
    count = sum(each.submitted.date() >= since for each in archive.papers)  # 14 or 15: it may be midnight
    result = asof("index", "arxiv:cs.IR+cs.CL", "--set", f"since={since}")
    assert result.code == 0
    assert f"arxiv:cs.IR+cs.CL: {count} added; {count} new passages" in result.out
    assert result.err == f"arXiv: {count} new versions of papers; 1 page, 1 request\n"
    hits = asof("search", "ferry 3", "--json").json()["hits"]
    assert hits[0]["document"] == "arxiv:2401.00003"
    result = asof("index", "arxiv:cs.CL+cs.IR", "--set", f"since={since}")
    assert result.code == 0
    assert "nothing to read" in result.out
    assert result.err.startswith("arXiv: 0 new versions of papers, ")


def test_a_run_that_broke_off_says_what_it_got_and_goes_on(asof, archive):
    archive.papers = [paper(n, NOW - timedelta(hours=n + 1)) for n in range(150)]
    archive.faults = [lambda there, asked: there.answer(asked), busy, busy]
    result = asof("index", "arxiv:cs.IR", "--set", "since=2 weeks ago")
    assert result.code == 2
    assert "arXiv: 100 new versions of papers; 1 page, 3 requests" in result.err
    assert "status 503" in result.err
    result = asof("index", "arxiv:cs.IR", "--set", "since=2 weeks ago")
    assert result.code == 0
    assert "50 added" in result.out
    assert " ".join(result.err.split()) == (
        "arXiv: 50 new versions of papers; 1 page (and 1 by the run that broke off), 1 request"
    )


def test_the_newest_of_each_day(asof, archive):
    archive.papers = [paper(n, NOW - timedelta(days=2, minutes=n)) for n in range(9)]
    result = asof("index", "arxiv:cs.IR", "--set", "per_day=1", "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json()["sources"][0]["added"] in (1, 2)  # nine minutes may hold a midnight


def test_a_paper_with_its_full_text(asof, archive):
    text = [
        [f"The mole and quay of Orrin, part {n}." for n in range(9)],
        ["The pendulum swings on the second page."],
    ]
    archive.pdfs["2401.00002v1"] = small_pdf(text)
    result = asof("index", "arxiv:2401.00002", "--set", "full=true")
    assert (result.code, result.err) == (
        0,
        "arXiv: 1 new version of papers, 1 full text; 1 page, 2 requests\n",
    )
    hit = asof("search", "pendulum", "--json").json()["hits"][0]
    assert (hit["document"], hit["location"]["headings"]) == ("arxiv:2401.00002/full", ["Page 2"])
    assert hit["title"] == "Ferry 2"
    assert "Page 2" in asof("search", "pendulum").out


def test_a_paper_without_a_pdf_has_its_abstract(asof, archive):
    result = asof("index", "arxiv:2401.00002", "--set", "full=true")
    assert result.code == 3
    assert "1 added" in result.out
    assert "there is no PDF to be had" in result.err
    assert "its abstract is indexed" in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (
            ["notes", "--set", "since=2024"],
            "--set since=2024: only for sources of a scheme, and 'notes' is none",
        ),
        (["arxiv:cs.IR", "--history"], "--history is for folders"),
        (["arxiv:sc.IR"], "neither a category nor an id"),
        (["arxiv:cs.IR", "--set", "since=soonish"], "'soonish' is not a time"),
        (["arxiv:2401.00002", "--set", "until=2024"], "are for categories, and these are ids"),
        (["arxiv:cs.IR", "--set", "full=true"], "named by their ids"),
    ],
)
def test_what_is_refused_before_arxiv_is_asked(asof, archive, here, arguments, result):
    (here / "notes").mkdir()
    told = asof("index", *arguments)
    assert told.code == 2
    assert result in told.err
    assert archive.asked == []


def test_a_file_of_that_name_is_a_path(asof, here, archive):
    (here / "arxiv:cs.IR").mkdir()
    (here / "arxiv:cs.IR" / "a.md").write_text("# A\n\nA crane.\n")
    assert "1 added" in asof("index", "./arxiv:cs.IR").out
    assert archive.asked == []
