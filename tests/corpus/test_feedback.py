"""What a corpus records: as of any moment it is what had been said by then, and what is erased is gone."""

from __future__ import annotations

import itertools
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.corpora import new_corpus
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.documents import Document, SourcedTime
from asof.errors import BeforeHorizon, Busy, CorpusError, DamagedStore, UsageError
from asof.extensions.systems import feedback
from asof.extensions.systems.judgements import FeedbackLog, unpack
from asof.extensions.systems.recipes import PAPERS
from asof.store.schema import exclusive_lock
from asof.time.moment import read
from asof.time.span import moment

START = read("2025").first
log = FeedbackLog.of


def document(id_: str, text: str, day: str = "2024-03-01") -> Document:
    return Document(id_, text, f"about {id_}", SourcedTime(read(day), day, "metadata"))


LAMPS = [
    document("ann", "Ann keeps the lamp of the harbour."),
    document("ben", "Ben keeps the lamp of the mill.", "2024-04-01"),
    document("cid", "Cid sells oil for every lamp.", "2024-05-01"),
]


@pytest.fixture
def corpus() -> Iterator[Corpus]:
    with new_corpus(LAMPS) as corpus:
        yield corpus


def rows(corpus: Corpus, query: str) -> list[Any]:
    return db_of(corpus).execute(query).fetchall()


def recorded(corpus: Corpus, question: str = "lamp", k: int = 10, as_of: Any = None, **filters: Any) -> str:
    """The id of a question that is asked and recorded."""
    results = corpus.at(as_of).search(question, k, recipe=PAPERS, **filters)
    return log(corpus).record(results, PAPERS)


# -- recording and saying -------------------------------------------------------------------------------


def test_a_question_with_what_was_shown(corpus: Corpus) -> None:
    results = corpus.at("2024-06-01").search("who keeps the lamp", 2, recipe=PAPERS, since="2024-02")
    asked = log(corpus).recorded(log(corpus).record(results, PAPERS)).question
    assert asked.text == "who keeps the lamp"
    assert (asked.as_of, asked.known_at) == (results.view.as_of, results.view.known_at)
    assert asked.added > asked.known_at
    assert [(hit.rank, hit.hit, hit.document, hit.score) for hit in asked.shown] == [
        (hit.rank, hit.id, hit.document, hit.score) for hit in results.hits
    ]
    assert [unpack(hit.why).recomputed() for hit in asked.shown] == [hit.score for hit in asked.shown]
    assert asked.fields.keys() == dict(PAPERS.fields()).keys()


def test_nothing_to_record(corpus: Corpus) -> None:
    with pytest.raises(UsageError, match="nothing was found"):
        recorded(corpus, path="nowhere")
    results = corpus.search("harbour", k=1, recipe=PAPERS)
    corpus.purge(results.hits[0].document)
    with pytest.raises(UsageError, match="was erased meanwhile"):
        log(corpus).record(results, PAPERS)
    assert log(corpus).queries() == []


def test_what_is_erased_before_it_is_recorded_is_left_out(corpus: Corpus) -> None:
    results = corpus.search("lamp", recipe=PAPERS)
    left = [(hit.rank, hit.document) for hit in results.hits if hit.document != "ben"]
    corpus.purge("ben")
    asked = log(corpus).recorded(log(corpus).record(results, PAPERS)).question
    assert [(hit.rank, hit.document) for hit in asked.shown] == left
    assert len(left) == 2


def test_grades(corpus: Corpus) -> None:
    id_ = recorded(corpus)
    first = log(corpus).recorded(id_).question.shown[0]
    assert log(corpus).grade(id_, 1, 3)
    assert not log(corpus).grade(id_[:3], first.hit, 3.0), "said before"
    assert log(corpus).grade(id_.upper(), first.document, 2.5)
    assert log(corpus).grade(id_, "2", 1)
    for strange in ("", " ", "%", "_" * 8, "~", "a'--", id_ + "a", "é" * 8):
        with pytest.raises(UsageError, match="was recorded; did you mean"):
            log(corpus).recorded(strange)
    assert log(corpus).recorded(id_).grades == (2.5, 1.0, None)
    assert log(corpus).grade(id_, 1, None)
    assert not log(corpus).grade(id_, 1, None)
    assert not log(corpus).grade(id_, 3, None), "nothing to take back"
    assert log(corpus).recorded(id_).grades == (None, 1.0, None)
    assert len(rows(corpus, "SELECT * FROM judgements")) == 4


@pytest.mark.parametrize("grade", [-1, 3.01, float("nan"), float("inf"), True])
def test_grades_that_are_none(corpus: Corpus, grade: float) -> None:
    id_ = recorded(corpus)
    with pytest.raises(UsageError, match=r"a number (from 0 to 3|or None)"):
        log(corpus).grade(id_, 1, grade)


def test_the_same_question_twice_is_two(corpus: Corpus) -> None:
    ids = [recorded(corpus) for _ in range(5)]
    assert [each.question.id for each in log(corpus).queries()] == ids
    assert len(set(ids)) == 5


def test_judged_questions(corpus: Corpus) -> None:
    first, second, third = (recorded(corpus, question) for question in ("lamp", "oil", "mill"))
    log(corpus).grade(third, 1, 0)
    log(corpus).grade(first, 1, 3)
    assert [each.question.id for each in log(corpus).judged()] == [first, third]
    assert [each.question.id for each in log(corpus).queries()] == [first, second, third]


def test_states_of_learning(corpus: Corpus) -> None:
    assert log(corpus).learned("papers") is None
    log(corpus).learn_state("papers", '{"n": 1}')
    log(corpus).learn_state("papers", '{"n": 2}')
    first, second = (added for (added,) in rows(corpus, "SELECT added FROM learned ORDER BY id"))
    assert log(corpus).learned("papers") == '{"n": 2}'
    assert log(corpus).learned("papers", moment(second - 1)) == '{"n": 1}'
    assert log(corpus).learned("papers", moment(first - 1)) is None


def test_recording_changes_no_search(corpus: Corpus) -> None:
    before = corpus.at("2024-06-01").search("lamp")
    id_ = recorded(corpus)
    log(corpus).grade(id_, 3, 3)
    after = corpus.at("2024-06-01").search("lamp")
    assert after.view.known_at == before.view.known_at
    assert [(h.id, h.score, h.why) for h in after.hits] == [(h.id, h.score, h.why) for h in before.hits]


def test_it_does_not_wait_for_another_writer(corpus: Corpus) -> None:
    id_ = recorded(corpus)
    with exclusive_lock(corpus.store.folder / "write.lock", 1.0):
        corpus.store.wait = 1e6  # as long as a write would wait
        with pytest.raises(Busy, match="is writing to"):
            recorded(corpus)
        corpus.store.wait = 0.0
        with pytest.raises(Busy):
            log(corpus).grade(id_, 1, 1)
    assert log(corpus).grade(id_, 1, 1)


def test_threads_share_it(corpus: Corpus) -> None:
    results = corpus.search("lamp", recipe=PAPERS)

    def work() -> None:
        for _ in range(5):
            log(corpus).grade(log(corpus).record(results, PAPERS), 1, 2)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each.question.id for each in log(corpus).judged()}) == 15


def test_an_error_leaves_nothing(corpus: Corpus) -> None:
    def fail(error: Exception) -> None:
        with feedback.write_feedback(corpus.store, corpus.session.clock) as (db, added):
            feedback.insert_learned(db, "papers", "x", added)
            raise error

    with pytest.raises(ZeroDivisionError):
        fail(ZeroDivisionError())
    with pytest.raises(CorpusError, match="no such table"):
        fail(sqlite3.OperationalError("no such table"))
    assert rows(corpus, "SELECT * FROM learned") == []
    assert rows(corpus, "SELECT count(*) FROM transactions") == [(1,)], "nothing that a search sees"


def test_rows_that_were_altered(corpus: Corpus) -> None:
    id_ = recorded(corpus)
    db = corpus.store.writer()
    db.execute("UPDATE shown SET why = ?", (b"\0",))
    db.close()
    with pytest.raises(DamagedStore, match="the tree of a score"):
        unpack(log(corpus).recorded(id_).question.shown[0].why)


# -- as of any moment -----------------------------------------------------------------------------------

ranks = st.integers(1, 3)
doings = st.one_of(
    st.tuples(st.just("record"), st.sampled_from(["lamp", "who keeps the lamp", "oil"])),
    st.tuples(st.just("grade"), st.integers(0, 5), ranks, st.sampled_from([0.0, 1.0, 2.5, 3.0, None])),
    st.tuples(st.just("state"), st.sampled_from(["a", "b"])),
    st.tuples(st.just("add"), st.integers(0, 9)),
)


def do(corpus: Corpus, doing: Any) -> None:
    what, *given_ = doing
    ids = [each.question.id for each in log(corpus).queries()]
    if what == "record":
        recorded(corpus, given_[0])
    elif what == "state":
        log(corpus).learn_state("papers", given_[0])
    elif what == "add":
        corpus.add([document(f"new{given_[0]}", "Another lamp that nobody keeps.", "2024-06-01")])
    elif ids:
        id_ = ids[given_[0] % len(ids)]
        shown = log(corpus).recorded(id_).question.shown
        hit = shown[given_[1] % len(shown)].rank
        getattr(log(corpus), what)(id_, hit, *given_[2:])


LATEST = (
    "SELECT max(m) FROM (SELECT max(id) AS m FROM transactions UNION SELECT max(added) FROM asked"
    " UNION SELECT max(added) FROM judgements UNION SELECT max(added) FROM learned) AS each_latest"
)


@given(st.lists(doings, min_size=1, max_size=12), st.lists(st.integers(-3, 3), min_size=1, max_size=8))
def test_as_known_then_is_what_was_read_then(history: Any, steps: list[int]) -> None:
    """Also where the clock stands still or goes back: every write is later than all before."""
    with new_corpus(LAMPS) as corpus:
        ticks = itertools.accumulate(itertools.cycle(steps), initial=START)
        corpus.session.clock = ticks.__next__
        then = []
        for doing in history:
            do(corpus, doing)
            [(now,)] = rows(corpus, LATEST)
            then.append((now, log(corpus).queries(), log(corpus).judged(), log(corpus).learned("papers")))
        stamps = [now for now, *_ in then]
        assert stamps == sorted(stamps)
        for now, queries, judged, learned in then:
            known = moment(now)
            assert log(corpus).queries(known_at=known) == queries
            assert log(corpus).judged(known_at=known) == judged
            assert log(corpus).learned("papers", known) == learned


# -- erasure --------------------------------------------------------------------------------------------

MARKER = "quuxbarrow"
TOPIC = "The lamp of the harbour is kept by the board since 2021."


def marked() -> list[Document]:
    """A document with a word of its own among others."""
    others = [document(f"o{n}", f"{TOPIC} It burns oil {n}.", "2024-02-01") for n in range(3)]
    published = SourcedTime(read("2024-01-01"), "2024-01-01", "metadata")
    return [Document(MARKER, f"{TOPIC} {MARKER.title()} owns the lamp.", MARKER, published), *others]


def traces(corpus: Corpus) -> list[str]:
    """Where the marker stands: in which files, and in which trees."""
    files = [
        path.name for path in corpus.store.folder.rglob("*")
        if path.is_file() and MARKER.encode() in path.read_bytes().lower()
    ]  # fmt: skip
    trees = [hit for hit, why in rows(corpus, "SELECT hit, why FROM shown")
             if MARKER.encode() in zlib.decompress(why).lower()]  # fmt: skip
    return files + trees


def test_nothing_of_a_text_is_left_after_a_purge() -> None:
    with new_corpus(marked()) as corpus:
        ids = [recorded(corpus, "who keeps the lamp of the harbour", k) for k in (1, 10)]
        alone = recorded(corpus, MARKER, path=MARKER)
        for id_ in (*ids, alone):
            for hit in log(corpus).recorded(id_).question.shown:
                log(corpus).grade(id_, hit.rank, 1)
        assert any(hit.document == MARKER for id_ in ids for hit in log(corpus).recorded(id_).question.shown)
        assert traces(corpus)
        judged = rows(corpus, "SELECT count(*) FROM judgements")
        corpus.purge(MARKER)
        assert traces(corpus) == []
        left = {each.question.id: each for each in log(corpus).queries()}
        assert alone not in left
        assert all(each.question.shown for each in left.values())
        assert all(grade == 1.0 for each in left.values() for grade in each.grades)
        assert rows(corpus, "SELECT count(*) FROM judgements") < judged
        dangling = (
            "SELECT count(*) FROM judgements WHERE (asked, rank) NOT IN (SELECT asked, rank FROM shown)"
        )
        assert rows(corpus, dangling) == [(0,)]


def test_the_question_stays_with_other_hits() -> None:
    with new_corpus(marked()) as corpus:
        id_ = recorded(corpus, f"lamp {MARKER}")
        assert corpus.purge(MARKER)
        assert log(corpus).recorded(id_).question.text == f"lamp {MARKER}"
        with pytest.raises(UsageError, match="was not shown"):
            log(corpus).grade(id_, MARKER, 1)


def test_vacuum_drops_what_was_shown_of_the_past(corpus: Corpus) -> None:
    old = recorded(corpus, "lamp harbour", as_of="2024-03-15")
    now = recorded(corpus, "oil", path="cid")
    log(corpus).grade(old, 1, 3)
    log(corpus).learn_state("papers", "kept")
    corpus.add([document("ann", "Ann keeps no lamp any more.", "2024-06-01")])
    before = moment(log(corpus).recorded(now).question.added)
    assert corpus.vacuum("2025-01-01") == 1
    assert [each.question.id for each in log(corpus).queries()] == [now]
    assert rows(corpus, "SELECT count(*) FROM judgements") == [(0,)]
    assert log(corpus).learned("papers") == "kept"
    for ask in (log(corpus).queries, log(corpus).judged):
        with pytest.raises(BeforeHorizon, match="was dropped by `asof vacuum`"):
            ask(before)
    with pytest.raises(BeforeHorizon):
        log(corpus).learned("papers", before)


def test_a_question_asked_of_a_knowledge_to_come_sees_what_there_was(corpus: Corpus) -> None:
    """Recorded is what was known when it was asked, not all that will be known by then."""
    results = corpus.at(known_at="2030").search("lamp", recipe=PAPERS)
    id_ = log(corpus).record(results, PAPERS)
    assert log(corpus).recorded(id_).question.known_at < read("2026").first
