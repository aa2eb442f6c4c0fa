"""A paper that was erased: no later run takes it in unasked, and nothing that is kept names it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.arxiv_server import Archive, Paper, Version, busy, day, paper
from tests.support.small_pdf import small_pdf

import asof
from asof.corpus.corpus import Corpus
from asof.errors import Busy, SourceError, UsageError
from asof.extensions.systems.arxiv_harvest import HarvestLog
from asof.extensions.systems.arxiv_source import forgetting, hidden
from asof.files import FETCHED
from asof.time.span import instant

GONE, FULL = "arxiv:2401.00003", "arxiv:2401.00003/full"


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive([paper(n, day(1 + n % 20, n % 24)) for n in range(30)]) as there:
        there.pdfs = {f"2401.{n:05}v1": small_pdf([[f"Ferry {n} in full."]]) for n in range(30)}
        yield there


@pytest.fixture
def corpus(archive: Archive, memory_folder: Path) -> Iterator[Corpus]:
    (memory_folder / "asof.toml").write_text(
        f'[arxiv]\nurl = "{archive.url}"\npdf_url = "{archive.pdf_url}"\ndelay = 0\nattempts = 1\n'
    )
    with asof.open(memory_folder, trust=True) as made:
        made.session.clock = itertools.count(instant(day(40)), 1_000_000).__next__
        made.maintenance.background = False
        yield made


def held(corpus: Corpus, *names: str) -> list[bool]:
    return [corpus.at().text(name) is not None for name in names]


def traces(corpus: Corpus, words: bytes = b"2401.00003") -> list[str]:
    files = (path for path in corpus.store.folder.rglob("*") if path.is_file())
    return [path.name for path in files if words in path.read_bytes()]


def witnesses(corpus: Corpus) -> list[str]:
    (path,) = (corpus.store.folder / FETCHED).glob("*.json")
    return list(json.loads(path.read_text())["witnesses"])


@pytest.mark.parametrize(
    "words", [{}, {"since": "2024-01-01"}, {"since": "2024-01-01", "until": "2024-01-25"}]
)
def test_no_run_over_categories_brings_it_back(archive, corpus, words):
    corpus.add("arxiv:cs.IR", since="2024-01-01")
    assert corpus.purge(GONE) == 1
    # a version that came after it was erased is of the same paper
    old = archive.papers[3]
    archive.papers[3] = Paper(old.id, (*old.versions, Version(day(39), "Ferry 3", "It sails no more.")))
    report = corpus.add("arxiv:cs.IR", **words)
    assert (report.written, report.problems, held(corpus, GONE)) == (0, [], [False])


def test_erasing_witnesses_costs_no_run_over_everything(archive, corpus):
    """What was covered is believed while one is left; without any it is asked for, and nothing comes back."""
    corpus.add("arxiv:cs.IR", since="2024-01-01")
    some = witnesses(corpus)
    assert len(some) == 8
    for id_ in some[:-1]:
        corpus.purge(f"arxiv:{id_}")
    assert witnesses(corpus) == some[-1:]
    archive.asked.clear()
    assert corpus.add("arxiv:cs.IR", since="2024-01-01").written == 0
    # covered until a week before day 40: what is new since, and what was updated since
    assert [each["search_query"].count("202402") > 0 for each in archive.asked] == [True] * len(archive.asked)
    corpus.purge(f"arxiv:{some[-1]}")
    archive.asked.clear()
    assert corpus.add("arxiv:cs.IR", since="2024-01-01").written == 0
    assert "submittedDate:[202401010000" in archive.asked[0]["search_query"]
    assert held(corpus, *(f"arxiv:{id_}" for id_ in some)) == [False] * 8
    assert corpus.status().documents == 30 - 8


def test_nothing_that_is_kept_names_it(archive, corpus):
    corpus.add("arxiv:2401.00003v1+2401.00004", full=True)
    corpus.add("arxiv:2401.00003")
    corpus.add("arxiv:cs.IR", since="2024-01-01")
    corpus.purge("arxiv:2401.00029")  # not among what is asked for below
    assert traces(corpus)
    assert corpus.purge(GONE) == 2
    assert (traces(corpus), traces(corpus, b"Ferry 3 ")) == ([], [])
    assert [name for name, _, _ in corpus.status().sources] == ["arxiv:2401.00004", "arxiv:cs.IR"]
    corpus.add("arxiv:cs.IR", since="2024-01-01")
    assert (traces(corpus), corpus.check()) == ([], [])


def test_a_source_that_is_called_like_another_without_it_is_one_with_it(archive, corpus):
    """arxiv:3+4 without 3 is arxiv:4, which there is."""
    corpus.add("arxiv:2401.00004")
    corpus.add("arxiv:2401.00003+2401.00004+2401.00005")
    corpus.add("arxiv:2401.00003+2401.00006")
    corpus.purge(GONE)
    corpus.purge("arxiv:2401.00005")
    named = [("arxiv:2401.00004", "arxiv", 1), ("arxiv:2401.00006", "arxiv", 1)]
    assert list(corpus.status().sources) == named
    assert corpus.at().search("ferry 4").hits[0].document == "arxiv:2401.00004"


class Shelf:
    """A source that is called like a paper and states something else."""

    name, kind, complete = "arxiv:2401.00003", "arxiv", False

    def documents(self) -> Iterator[asof.Document]:
        yield asof.Document("pier", "The pier is no ferry.")


def test_a_source_that_has_more_keeps_it_under_another_name(archive, corpus):
    corpus.add("arxiv:2401.00003")
    corpus.add(Shelf())
    corpus.purge(GONE)
    assert list(corpus.status().sources) == [("arxiv: erased", "arxiv", 1)]
    assert corpus.at().search("pier", source="arxiv: erased").hits[0].document == "pier"


def test_a_run_that_broke_off_does_not_name_it_either(archive, corpus):
    archive.papers = [paper(n, day(2, n // 60, n % 60)) for n in range(250)]
    archive.faults = [lambda there, asked: there.answer(asked), busy]
    with pytest.raises(SourceError, match="503"):
        corpus.add("arxiv:cs.IR", since="2024-01-01")
    gone = "arxiv:2401.00200"  # on the first page, which has 249 to 150
    corpus.purge(gone)
    assert traces(corpus, b"2401.00200") == []
    archive.faults = [lambda there, asked: there.answer(asked), busy]
    with pytest.raises(SourceError, match="503"):
        corpus.add("arxiv:cs.IR", since="2024-01-01")
    assert traces(corpus, b"2401.00200") == []  # what is listed is written down; this one by its digest
    assert traces(corpus, hidden("2401.00200").encode())
    assert corpus.add("arxiv:cs.IR", since="2024-01-01").added == 150
    assert held(corpus, gone) == [False]
    assert corpus.status().documents == 249


def test_of_a_day_the_newest_that_are_left_are_taken(archive, corpus):
    archive.papers = [paper(n, day(2, n)) for n in range(9)]
    corpus.add("arxiv:cs.IR", since="2024-01-01", per_day=2)  # 8 and 7
    corpus.purge("arxiv:2401.00008")
    corpus.add("arxiv:cs.IR", since="2024-01-01", per_day=3)  # 7, 6 and 5
    assert held(corpus, *(f"arxiv:2401.0000{n}" for n in (4, 5, 6, 7, 8))) == [False, True, True, True, False]


def test_by_its_id_it_comes_back_and_is_then_a_paper_like_others(archive, corpus):
    corpus.add("arxiv:2401.00003", full=True)
    assert corpus.maintenance.purged_with(GONE) == (GONE, FULL)
    assert corpus.purge(GONE) == 2
    assert corpus.maintenance.purged_with(GONE) == ()
    assert corpus.add("arxiv:2401.00003").added == 1
    assert held(corpus, GONE, FULL) == [True, False]
    old = archive.papers[3]
    archive.papers[3] = Paper(old.id, (*old.versions, Version(day(39), "Ferry 3", "It sails no more.")))
    assert corpus.add("arxiv:cs.IR", since="2024-01-01").changed == 1
    assert corpus.add("arxiv:2401.00003v1", full=True).added == 1
    assert held(corpus, GONE, FULL) == [True, True]


def test_a_full_text_can_go_alone(archive, corpus):
    corpus.add("arxiv:2401.00003", full=True)
    assert corpus.maintenance.purged_with(FULL) == (FULL,)
    assert corpus.purge(FULL) == 1
    assert held(corpus, GONE, FULL) == [True, False]


def test_while_papers_are_fetched_none_is_erased(archive, corpus):
    """A run that has a page in hand would take it in again right after."""
    corpus.add("arxiv:cs.IR", since="2024-01-01")
    busy_here = HarvestLog(corpus.store.folder / FETCHED, "arxiv:cs.CL", lambda _: {})
    with busy_here.turn(), pytest.raises(Busy, match="another process fetches from arXiv"):
        corpus.purge(GONE)
    assert held(corpus, GONE) == [True]
    corpus.add([asof.Document("pier", "No paper at all.")])
    with busy_here.turn():
        assert corpus.purge("pier") == 1  # nothing of arXiv


@pytest.mark.parametrize("name", ["arxiv:2401.09999", "arxiv:2401.00003v1", "arxiv:cs.IR", "arxiv:", FULL])
def test_what_is_not_here_cannot_be_erased(archive, corpus, name):
    corpus.add("arxiv:cs.IR", since="2024-01-01")
    with pytest.raises(UsageError, match="no document"):
        corpus.purge(name)


def test_an_old_id(archive, corpus):
    archive.papers = [Paper("hep-th/9901001", (Version(day(5), "Orrin", "The pier is old."),), ("hep-th",))]
    corpus.add("arxiv:hep-th", since="2024-01-01")
    assert corpus.purge("arxiv:hep-th/9901001") == 1
    assert corpus.add("arxiv:hep-th", since="2024-01-01", until="2024-01-20").written == 0
    assert traces(corpus, b"9901001") == []


@pytest.mark.parametrize(
    "text", ["{2401.00003", '["2401.00003"]', '{"name": "2401.00003", "witnesses": ["a"]}']
)
def test_a_file_that_cannot_do_without_it_goes(tmp_path, text):
    one, other = "a" * 24, "b" * 24
    (tmp_path / f"{one}.json").write_text(text)
    (tmp_path / f"{other}.json").write_text('{"witnesses": ["2401.00004"]}')
    (tmp_path / f"{one}.tmp").write_text("torn")
    with forgetting(tmp_path, "2401.00003"):
        assert sorted(path.name for path in tmp_path.iterdir()) == [f"{other}.json", "lock"]
