"""A corpus takes in papers: versions as of their dates, what a second run asks, what a broken one left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.arxiv_server import Archive, Paper, Version, busy, day, paper
from tests.support.rows import db_of

import asof
from asof.corpus.corpus import Corpus
from asof.errors import SourceError, UsageError
from asof.extensions.systems.arxiv_harvest import MAX_PART_RESULTS
from asof.extensions.systems.arxiv_source import ANNOUNCEMENT_DELAY, Arxiv
from asof.time.span import instant

FERRY = Paper(
    "2401.00001",
    (
        Version(day(5, 9), "The ferry of Orrin", "We measure the ferry with a stopwatch."),
        Version(day(12, 10), "The ferry of Orrin", "We measure the ferry with a sundial."),
        Version(day(20, 11), "The ferries of Orrin", "We measure both ferries with a pendulum."),
    ),
)


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive() as there:
        yield there


@pytest.fixture
def corpus(archive: Archive, memory_folder: Path) -> Iterator[Callable[[datetime], Corpus]]:
    """Opens the corpus at a moment of the clock."""
    (memory_folder / "asof.toml").write_text(
        f'[arxiv]\nurl = "{archive.url}"\npdf_url = "{archive.pdf_url}"\ndelay = 0\nattempts = 2\n'
    )
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


def test_what_is_told_of_a_paper(archive, corpus):
    archive.papers = [paper(7, day(5), categories=["cs.CL", "stat.ML"], comment="12 pages")]
    here = corpus(day(9))
    here.add("arxiv:cs.CL", since="2024-01-01")
    hit = here.search("ferry").hits[0]
    assert (hit.document, hit.title) == ("arxiv:2401.00007", "Ferry 7")
    assert hit.uri == "https://arxiv.org/abs/2401.00007v1"
    found = here.at().search("ferry", tags=["stat.ML"]).hits
    assert [each.document for each in found] == ["arxiv:2401.00007"]
    assert here.at().search("ferry", meta=(("primary_category", "cs.CL"), ("comment", "12 pages"))).hits


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
    archive.papers = [paper(n, day(2, n // 60, n % 60)) for n in range(250)]
    archive.faults = [lambda there, asked: there.answer(asked)] * 2 + [busy] * 2
    here = corpus(day(5))
    with pytest.raises(
        SourceError, match=r"status 503.*it asks for a wait of 0 s.*2 attempts.*try again later"
    ):
        here.add("arxiv:cs.IR", since="2024-01-01")
    assert here.status().documents == 200
    archive.asked.clear()
    # what broke off is asked for with the same words, a little later
    report = corpus(day(5) + timedelta(minutes=9)).add("arxiv:cs.IR", since="2024-01-01")
    assert (report.added, archive.starts) == (50, [200])
    assert list((here.store.folder / "fetched").glob("*.jsonl")) == []


def test_other_words_begin_anew_and_restate_nothing(archive, corpus):
    archive.papers = [paper(n, day(2, n // 60, n % 60)) for n in range(150)]
    archive.faults = [lambda there, asked: there.answer(asked)] + [busy] * 2
    here = corpus(day(5))
    with pytest.raises(SourceError):
        here.add("arxiv:cs.IR", since="2024-01-01")
    report = here.add("arxiv:cs.IR", since="2024-01-02")
    assert (report.added, report.changed) == (50, 0)
    assert archive.starts[-2:] == [0, 100]


def test_a_corpus_that_was_made_anew_is_not_believed_to_have_what_the_old_one_had(
    archive, corpus, memory_folder
):
    archive.papers = [paper(n, day(n)) for n in range(1, 9)]
    first = corpus(day(28))
    first.add("arxiv:cs.IR", since="2024-01-01")
    first.close()
    for file in (memory_folder / ".asof").glob("corpus.db*"):
        file.unlink()
    assert corpus(day(29)).add("arxiv:cs.IR", since="2024-01-01").added == 8


def test_the_newest_of_each_day(archive, corpus):
    archive.papers = [paper(n, day(1 + n // 10, n % 10)) for n in range(30)]
    here = corpus(day(8))
    report = here.add("arxiv:cs.IR", since="2024-01-01", per_day=2)
    assert report.added == 6
    # ten papers a day at 0 to 9 o'clock: the newest two are those of 8 and 9
    held = {name for (name,) in db_of(here).execute("SELECT name FROM documents")}
    assert held == {f"arxiv:2401.{n:05}" for n in (8, 9, 18, 19, 28, 29)}
    assert {each["max_results"] for each in archive.asked} == {"2"}


def test_a_window_with_many_papers_is_cut_in_two(archive, corpus):
    archive.papers = [paper(n, day(1 + n % 20, n % 24, n % 60)) for n in range(120)]
    here = corpus(day(28))
    source = here.source("arxiv:cs.IR", since="2024-01-01")
    source.size, source.most = 20, 50
    assert here.add(source).added == 120
    queries = [each["search_query"].partition("AND ")[2] for each in archive.asked]
    assert len(set(queries)) >= 4  # the whole, and at least three parts of 50 at most
    assert all(int(each["start"]) < 50 for each in archive.asked)
    assert MAX_PART_RESULTS <= 30_000


def test_a_paper_that_leaves_while_pages_are_fetched_hides_no_other(archive, corpus):
    archive.papers = [paper(n, day(2, n // 60, n % 60)) for n in range(250)]

    def leave(there: Archive) -> None:
        if len(there.asked) == 1:  # the newest goes: what was the 101st is now on the first page
            there.papers.pop()

    archive.after = leave
    here = corpus(day(5))
    assert here.add("arxiv:cs.IR", since="2024-01-01").added == 250
    assert archive.starts == [0, 100, 200, 0, 100, 200]


def test_papers_that_never_come_are_a_problem_and_the_window_is_not_done(archive, corpus):
    archive.papers = [paper(n, day(2, n)) for n in range(5)]
    feed = archive.feed
    archive.feed = lambda found, total, start: feed(found[:4], total, start)
    here = corpus(day(28))
    report = here.add("arxiv:cs.IR", since="2024-01-01")
    assert report.added == 5  # a page goes on where the one before ended, not a hundred further
    archive.feed = lambda found, total, start: feed(found, total + 1, start)
    with pytest.raises(SourceError, match="the page from 0 on is empty, of 1 results"):
        corpus(day(28)).add("arxiv:cs.IR", since="2023-12-01")  # December, of which nothing is there


def test_what_the_feed_cannot_tell_once_is_told_in_the_report(archive, corpus):
    archive.papers = [paper(n, day(2, n)) for n in range(5)]
    feed = archive.feed
    twice = [(0, 0), (1, 1), (1, 1), (3, 3), (4, 4)]  # one paper comes twice, another not at all
    archive.feed = lambda found, total, start: feed(
        [found[at] for at, _ in twice] if len(found) == 5 else found, total, start
    )
    here = corpus(day(28))
    report = here.add("arxiv:cs.IR", since="2024-01-01")
    assert [each.message for each in report.problems] == [
        "arXiv announced 5 papers between 2024-01-01T00:00:00Z and 2024-01-28T00:00:00Z, and gave 4"
    ]
    archive.feed = feed
    assert corpus(day(28)).add("arxiv:cs.IR", since="2024-01-01").added == 1


def test_papers_by_their_ids(archive, corpus):
    archive.papers = [
        FERRY,
        paper(2, day(3)),
        Paper("hep-th/9901001", (Version(day(2), "Old", "Old ferry."),)),
    ]
    here = corpus(day(30))
    report = here.add("arxiv:2401.00001+hep-th/9901001v1+2401.00099")
    assert (report.added, report.changed) == (2, 2)
    assert [str(each) for each in report.problems] == [
        "2401.00099: there is no such paper, or no such version, at arXiv (look at the id)"
    ]
    assert here.add("arxiv:2401.00001").written == 0


def test_one_version_alone(archive, corpus):
    archive.papers = [FERRY]
    here = corpus(day(30))
    assert here.add("arxiv:2401.00001v2").added == 1
    assert texts(here, "2024-01-30") == [FERRY.versions[1].summary]
    assert here.add("arxiv:2401.00001").changed == 2
    assert texts(here, "2024-01-06") == [FERRY.versions[0].summary]


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


def test_papers_that_are_announced_late_are_found_by_the_next_run(archive, corpus):
    archive.lag = timedelta(days=4)
    archive.papers = [paper(1, day(10)), paper(2, day(16))]
    assert corpus(day(18)).add("arxiv:cs.IR", since="2024-01-01").added == 1
    assert corpus(day(25)).add("arxiv:cs.IR", since="2024-01-01").added == 1
    assert ANNOUNCEMENT_DELAY == 7 * 24 * 3600 * 10**6


def test_what_was_updated_between_two_windows_is_in_none(archive, corpus):
    archive.papers = [paper(1, day(2), day(58)), paper(2, day(20), day(58)), paper(3, day(40), day(58))]
    here = corpus(day(57))
    here.add("arxiv:cs.IR", since="2024-01-01", until="2024-01-05")
    here.add("arxiv:cs.IR", since="2024-02-05", until="2024-02-12")
    assert here.status().documents == 2
    later = corpus(day(60))
    report = later.add("arxiv:cs.IR", since="2024-01-01", until="2024-01-05")
    assert (report.added, report.changed) == (0, 2)


def test_a_server_that_cannot_search_by_updates_is_not_paged_to_the_end(archive, corpus):
    archive.papers = [paper(n, day(1 + n % 20, n % 24)) for n in range(500)]
    corpus(day(40)).add("arxiv:cs.IR", since="2024-01-01")
    old = archive.papers[3]
    archive.papers[3] = Paper(old.id, (*old.versions, Version(day(48), "Ferry 3", "It sails no more.")))
    search = archive._search
    archive._search = lambda asked: search(
        {**asked, "search_query": asked["search_query"].partition(" AND lastUpdated")[0]}
    )
    archive.asked.clear()
    assert corpus(day(50)).add("arxiv:cs.IR", since="2024-01-01").changed == 1
    assert archive.starts == [0, 0, 0, 0]  # nothing new, told three times; and the page with the update


def test_two_processes_do_not_fetch_at_once(archive, corpus):
    archive.papers = [paper(1, day(2))]
    here = corpus(day(5))
    running = here.source("arxiv:cs.IR", since="2024-01-01").documents()
    next(running)
    with pytest.raises(
        SourceError, match=r"another process fetches from arXiv into .*wait until it has ended"
    ):
        corpus(day(5)).add("arxiv:cs.IR", since="2024-01-01")
    running.close()
    assert corpus(day(5)).add("arxiv:cs.IR", since="2024-01-01").added == 1


@pytest.mark.parametrize(
    ("target", "options", "said"),
    [
        (
            "arxiv:cs.IR",
            {"since": "2024-01-20", "until": "2024-01-10"},
            "since .* is after .*, where it ends",
        ),
        ("arxiv:cs.IR", {"since": "2030"}, "is after"),
        ("arxiv:cs.IR", {"per_day": -1}, "accepted are 1 to 2000, and 0 for all"),
        ("arxiv:cs.IR", {"per_day": 2_001}, "accepted are 1 to 2000, and 0 for all"),
        ("arxiv:cs.IR", {"full": True}, "papers that are named by their ids"),
        ("arxiv:2401.00001", {"since": "2024"}, "are for categories, and these are ids"),
        ("arxiv:2401.00001", {"per_day": 3}, "are for categories"),
        ("notes", {"since": "2024"}, "since are options of schemes, such as arxiv:"),
    ],
)
def test_options_that_do_not_go_together(corpus, target: str, options: dict[str, Any], said: str):
    with pytest.raises(UsageError, match=said):
        corpus(day(28)).add(target, **options)


def test_none_a_day_means_all_of_them_whatever_the_settings_say(corpus):
    opened = corpus(day(5))
    limited = {**opened.config.sources["arxiv"], "per_day": 20}
    opened.session.config = replace(opened.config, sources={"arxiv": limited})
    assert opened.source("arxiv:cs.IR").range.per_day == 20
    assert opened.source("arxiv:cs.IR", per_day=0).range.per_day == 0


def test_nothing_is_asked_before_the_source_is_read(archive, corpus):
    source = corpus(day(5)).source("arxiv:cs.IR")
    assert isinstance(source, Arxiv)
    source.documents()
    assert archive.asked == []


def test_a_source_without_a_memory(archive):
    """From Python, without a corpus: every run begins anew."""
    from asof.extensions.systems.arxiv import ArxivSettings, read
    from asof.extensions.systems.arxiv_harvest import HarvestRange

    archive.papers = [FERRY]
    source = Arxiv(
        read("arxiv:cs.IR"), HarvestRange(), instant(day(11)), ArxivSettings(url=archive.url, delay=0)
    )
    stated = [each for each in source.documents() if isinstance(each, asof.Document)]
    assert [each.meta["version"] for each in stated] == [1, 2, 3]
    assert [each.meta["version"] for each in source.documents() if isinstance(each, asof.Document)] == [
        1,
        2,
        3,
    ]
