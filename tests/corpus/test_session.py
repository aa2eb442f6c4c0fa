"""Readers of a session do not wait for each other, and see what one alone would see."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import asof
from asof.corpus import session as opened
from asof.corpus.corpus import Corpus
from asof.errors import NoCorpus, UsageError
from asof.index.view import View
from asof.wire import replace

THREADS = 4
RECIPES = "asof", "twe"
QUESTIONS = "who runs the ferry", "the price of bread in 2021", "the newest price"
WORDS = "ferry bread harbour storm lighthouse price council mayor island mill"


def documents(first: int, last: int) -> list[asof.Document]:
    words = WORDS.split()
    return [
        asof.Document(
            f"note-{number}",
            f"The {words[number % 10]} of {words[number % 7]} costs {number} crowns. "
            f"It was {words[number % 3]} that {words[number % 9]} named.",
            published=f"20{10 + number % 14}-0{1 + number % 9}",
            title=f"{words[number % 4]} {number % 5}",
        )
        for number in range(first, last)
    ]


@pytest.fixture
def corpus(memory_folder: Path) -> Any:
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        corpus.add(documents(0, 60))
        yield corpus


def seen(then: asof.Snapshot, question: str, recipe: str) -> list[Any]:
    found = then.search(question, 5, recipe=recipe)
    return [*((hit.id, hit.score, hit.superseded) for hit in found), *(str(hit.why) for hit in found[:1])]


def in_threads(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
    """What the tasks give, begun at the same time."""
    together = threading.Barrier(THREADS)

    def run(task: Callable[[], Any]) -> Any:
        together.wait(30)
        return task()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, tasks))


def test_many_threads_see_what_one_sees_while_documents_are_added(corpus: Corpus) -> None:
    head = corpus.session.last_write()
    moments = [corpus.snapshot(corpus.session.clock(), head), *map(corpus.at, ("2014", "2019-05"))]
    moments = [corpus.snapshot(each.as_of, head) for each in moments]
    asked = [(then, question, recipe) for then in moments for question in QUESTIONS for recipe in RECIPES]
    before = [seen(*each) for each in asked]
    assert all(before[: len(QUESTIONS)])
    begun = threading.Event()

    def ask(shift: int) -> Callable[[], None]:
        def run() -> None:
            begun.set()
            for at in range(len(asked)):
                which = (at + shift) % len(asked)
                assert seen(*asked[which]) == before[which]

        return run

    def write() -> None:
        assert begun.wait(30)
        for first in range(60, 120, 20):
            corpus.add(documents(first, first + 20))
            corpus.tidy()

    in_threads([write, *map(ask, range(0, 15, 5))])
    assert corpus.status().passages > 60
    assert [seen(*each) for each in asked] == before
    assert corpus.check() == []


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=4).map(" ".join),
            st.sampled_from(("2012", "2017-03", "2022-06-01")),
            st.booleans(),
        ),
        min_size=THREADS,
        max_size=THREADS,
    )
)
def test_questions_that_are_asked_at_once(shared: Corpus, asked: list[tuple[str, str, bool]]) -> None:
    known = shared.session.last_write()
    tasks = [
        partial(seen, replace(shared.at(at), known_at=known if as_then else None), text, "asof")
        for text, at, as_then in asked
    ]
    assert in_threads(tasks) == [task() for task in tasks]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with asof.open(tmp_path_factory.mktemp("shared")) as corpus:
        corpus.add(documents(0, 40))
        yield corpus


def test_a_reader_does_not_wait_for_another(corpus: Corpus) -> None:
    """Each of two uses ends only when the other has begun."""
    together = threading.Barrier(2)
    now = corpus.session.present()

    def meet(view: View) -> int:
        together.wait(30)
        return view.n

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: corpus.session.use(now, None, meet), range(2)))
    assert found[0] == found[1] > 0


def test_a_snapshot_is_equal_to_another_of_the_same_moment(corpus: Corpus) -> None:
    assert corpus.at("2014") == corpus.at("2014")
    assert corpus.at("2014") != corpus.at("2015")
    assert corpus.at("2014") != corpus.at("2014", "2030")


def test_threads_wait_where_all_readers_are_in_use(corpus: Corpus) -> None:
    session, now = corpus.session, corpus.session.present()
    most, inside, lock = 0, 0, threading.Lock()

    def count(_: View) -> None:
        nonlocal most, inside
        with lock:
            inside += 1
            most = max(most, inside)
        threading.Event().wait(0.01)
        with lock:
            inside -= 1

    with ThreadPoolExecutor(opened.READERS + 8) as pool:
        list(pool.map(lambda _: session.use(now, None, count), range(3 * opened.READERS)))
    assert most <= opened.READERS


def test_connections_are_closed_with_the_corpus(memory_folder: Path) -> None:
    """Also that of a thread which reads meanwhile, when it is done."""
    reading, closed = threading.Event(), threading.Event()
    with asof.open(memory_folder) as corpus:
        corpus.add(documents(0, 5))
        now = corpus.session.present()

        def slow(view: View) -> Any:
            reading.set()
            assert closed.wait(30)
            return view.store.db

        with ThreadPoolExecutor(1) as pool:
            late = pool.submit(corpus.session.use, now, None, slow)
            assert reading.wait(30)
            then = corpus.at()
            view = then.view()
            corpus.close()
            closed.set()
            for db in (late.result(30), view.store.db):
                with pytest.raises(Exception, match="closed database"):
                    db.execute("SELECT 1")
    with pytest.raises(UsageError, match="this corpus is closed"):
        then.search("ferry")


MISSPELT: list[tuple[str, Callable[[Corpus], object]]] = [
    ("sice", lambda corpus: corpus.search("quay", sice="2020")),  # type: ignore[call-arg]
    ("tag", lambda corpus: corpus.at().search("quay", tag="a")),  # type: ignore[call-arg]
    ("tag", lambda corpus: corpus.at().ask("quay", tag="a")),  # type: ignore[call-arg]
    ("kk", lambda corpus: corpus.at().context("quay", kk=3)),  # type: ignore[call-arg]
    ("knwon_at", lambda corpus: corpus.at("2020", knwon_at="2021")),  # type: ignore[call-arg]
    ("hisotry", lambda corpus: corpus.add(str(corpus.root), hisotry=False)),
    ("since", lambda corpus: corpus.add({"id": "a", "text": "b"}, since=None)),
    ("hisotry", lambda corpus: corpus.source(str(corpus.root), hisotry=None)),
    ("perday", lambda corpus: corpus.add("arxiv:cs.AI", perday=False)),
    ("creat", lambda corpus: asof.open(corpus.root, creat=False)),  # type: ignore[call-arg]
]


@pytest.mark.parametrize(("name", "call"), MISSPELT)
def test_no_option_that_is_misspelt_is_ignored(
    tmp_path: Path, name: str, call: Callable[[Corpus], object]
) -> None:
    with asof.open(tmp_path) as corpus, pytest.raises((TypeError, UsageError), match=rf"\b{name}\b"):
        call(corpus)


def test_an_answer_takes_the_filters_of_a_search(tmp_path: Path) -> None:
    with asof.open(tmp_path) as corpus:
        for id_, year in (("a", 2020), ("b", 2021)):
            corpus.add(asof.Document(id_, f"The fee is {year} crowns.", published=year, tags=id_,
                                     meta={"year": year}))  # fmt: skip
        ask = corpus.at().ask
        for answer in (
            ask("What is the fee?", tags="a"), ask("What is the fee?", meta={"year": {"lt": 2021}}),
            ask("What is the fee?", until="2020"), ask("What is the fee? path:a"),
            ask("What is the fee?", path="a", filters=corpus.at().filters(tags="a")),
            asyncio.run(corpus.at().aask("What is the fee?", source="python", tags="a")),
        ):  # fmt: skip
            assert [each.document for each in answer.citations] == ["a"]
        assert ask("What is the fee?", tags="a", filters=corpus.at().filters(tags="b")).refused


# -- opening, and what is taken ------------------------------------------------------------------------


def test_a_corpus_to_which_nothing_is_written_is_removed(tmp_path: Path) -> None:
    with asof.open(tmp_path / "typo" / "deeper") as corpus:
        results = corpus.search("quay")
        assert results.hits == ()
        assert results.notes[0] == (
            "nothing matches: this corpus is empty: index something first, or open another folder"
        )
    assert list(tmp_path.iterdir()) == [], "nor is a folder above it left"
    with pytest.raises(NoCorpus):
        asof.open(tmp_path / "typo", create=False)
    with asof.open(tmp_path) as corpus:
        corpus.add({"id": "a", "text": "The quay is long."})
    with asof.open(tmp_path, create=False) as corpus:
        assert [hit.document for hit in corpus.search("quay").hits] == ["a"]


class LangChainDocument(NamedTuple):
    """As the library has it."""

    page_content: str
    metadata: dict[str, Any]
    id: str | None = None


def test_documents_of_libraries_are_taken_with_their_metadata(tmp_path: Path) -> None:
    with asof.open(tmp_path) as corpus:
        of_source = {"source": "a.txt", "team": "port"}
        report = corpus.add([
            LangChainDocument("The quay is long.", of_source),
            LangChainDocument("The mole is short.", of_source),
            LangChainDocument("The crane is red.", {"date": "2020"}, "crane"), LangChainDocument("Nets.", {}),
        ])  # fmt: skip
        assert (report.added, report.problems) == (4, [])
        found = {each.id: each.meta for each in corpus.at().documents()}
        assert found.pop("a.txt") == found.pop("a.txt#2") == of_source
        assert found.pop("crane") == {}  # the date was read
        assert len(found) == 1


async def asked(corpus: Corpus) -> tuple[Any, ...]:
    then = corpus.at()
    return (
        await then.asearch("quay", k=1),
        await then.aask("how long is the quay"),
        await then.acontext("quay"),
    )


def test_programs_with_an_event_loop(tmp_path: Path) -> None:
    with asof.open(tmp_path) as corpus:
        corpus.add({"id": "a", "text": "The quay is 40 metres long.", "team": "port"})
        results, answer, context = asyncio.run(asked(corpus))
        then = corpus.at()
        assert results.hits == then.search("quay", k=1).hits
        assert answer.text == then.ask("how long is the quay").text
        assert context.text == then.context("quay").text
        assert results.hits[0].meta == {"team": "port"}
