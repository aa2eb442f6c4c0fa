"""Another encoder for a corpus: resumable, never mixed, and nobody sees both."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from tests.index.made import document, fresh
from tests.support.meanings import Meanings
from tests.support.rows import db_of

from asof.corpus.corpus import open as open_corpus
from asof.errors import Busy, ModelError, UsageError
from asof.index.manifest import BATCH
from asof.models.encoders import HashedNgrams
from asof.rank.gather import Dense, TopK
from asof.rank.stage import Recipe
from asof.store.schema import change_encoder

NEAREST = Recipe("nearest", "by vectors alone", (Dense(), TopK()))
ONE, TWO = "meanings", "other meanings"


def nearest(corpus: Any, question: str = "ship", as_of: str | None = None) -> list[tuple[str, float]]:
    """Documents by cosine, best first, those of 0 left out."""
    hits = corpus.at(as_of).search(question, 50, recipe=NEAREST).hits
    return [(hit.document, round(hit.score, 3)) for hit in hits if hit.score > 0]


def stored(corpus: Any) -> dict[str, int]:
    """How many vectors there are of each encoder."""
    return dict(db_of(corpus).execute("SELECT encoder, count(*) FROM vectors GROUP BY 1").fetchall())


def files(corpus: Any) -> set[str]:
    return {path.name for path in corpus.manifest.folder.iterdir()}


def filled(corpus: Any, extra: int = 0) -> Any:
    """The corpus with two segments: what a question about ships finds by meaning shares no word with it."""
    corpus.add([document("ferry", "The ferry.", "2001"), document("mill", "Flour of the mill.", "2002")])
    corpus.add([document("gale", "A gale.", "2003"), document("both", "Boat and storm.", "2004")])
    if extra:
        corpus.add([document(f"n{at}", f"Wind number {at}.", "2005") for at in range(extra)])
    return corpus


# "The ferry.": 1 of a meaning, 1 of none: 1 / √2. "Boat and storm.": 1, 1 and 1: 1 / √3
BY_MEANING = [("ferry", 0.707), ("both", 0.577)]


def test_from_words_to_meanings_and_back() -> None:
    with fresh() as corpus:
        filled(corpus)
        words = corpus.search("storm").hits
        before = files(corpus)
        encoder, steps = Meanings(), []
        report = corpus.embed(encoder, lambda done, of: steps.append((done, of)))
        assert (report.encoder, report.dimensions, report.passages, report.encoded, report.changed) == (
            ONE, 8, 4, 4, True
        )  # fmt: skip
        assert steps == [(0, 4), (4, 4)]
        assert nearest(corpus) == BY_MEANING
        assert nearest(corpus, as_of="2003") == BY_MEANING[:1]
        assert files(corpus).isdisjoint(before)
        assert len(files(corpus)) == 2
        assert corpus.check() == []
        back = corpus.embed(None)
        assert (back.encoder, back.dimensions, back.encoded, back.changed) == ("", None, 0, True)
        assert stored(corpus) == {}
        before = files(corpus)
        assert (corpus.embed(None).changed, files(corpus)) == (False, before)
        assert [(hit.id, hit.score, hit.why) for hit in corpus.search("storm").hits] == [
            (hit.id, hit.score, hit.why) for hit in words
        ]


def test_it_is_what_a_corpus_made_with_it_is() -> None:
    hits = []
    with fresh(encoder=HashedNgrams(d=32)) as corpus:
        filled(corpus).embed(Meanings())
        hits.append([(hit.id, hit.score, hit.why) for hit in corpus.search("ship and storm").hits])
        with open_corpus(corpus.root, encoder=Meanings()) as again:
            again.maintenance.background = False
            assert nearest(again) == BY_MEANING
            again.session.clock = corpus.session.clock
            again.tidy()
            again.manifest.mend()
            assert nearest(again) == BY_MEANING
    with fresh(encoder=Meanings()) as corpus:
        filled(corpus)
        hits.append([(hit.id, hit.score, hit.why) for hit in corpus.search("ship and storm").hits])
    assert hits[0] == hits[1]


def test_nothing_to_change() -> None:
    encoder = Meanings()
    with fresh(encoder=encoder) as corpus:
        filled(corpus)
        before, encoded_before = files(corpus), len(encoder.asked)
        report = corpus.embed(encoder)
        assert (report.encoded, report.changed) == (0, False)
        assert files(corpus) == before
        assert len(encoder.asked) == encoded_before
        assert corpus.embed(encoder).passages == 4


def test_segments_that_hold_ends_only() -> None:
    from asof.documents import Ended, SourcedTime
    from asof.time.moment import read

    with fresh() as corpus:
        filled(corpus).add([Ended("both", SourcedTime(read("2006"), "2006", "git"))])
        corpus.embed(Meanings())
        assert nearest(corpus) == BY_MEANING[:1]
        assert nearest(corpus, as_of="2005") == BY_MEANING
        assert corpus.check() == []


def test_the_same_text_is_encoded_once() -> None:
    encoder = Meanings()
    with fresh(encoder=encoder) as corpus:
        corpus.add([document("a", "The ferry.", "2001"), document("b", "The ferry.", "2002")])
        corpus.add([document("c", "The ferry.", "2003"), document("d", "The mill.", "2003")])
        assert encoder.texts == ["The ferry.", "The mill."]
        corpus.purge("a")
        assert stored(corpus) == {ONE: 3}
        assert db_of(corpus).execute("SELECT count(*) FROM vectors WHERE digest IS NULL").fetchone() == (0,)
        corpus.purge("b")
        corpus.purge("c")
        corpus.add([document("e", "The ferry.", "2004")])
        assert encoder.texts[2:] == ["The ferry."], "what was erased is not known any more"


# -- interruptions --------------------------------------------------------------------------------------


def test_a_model_that_fails_on_the_way() -> None:
    with fresh(encoder=HashedNgrams(d=32)) as corpus:
        filled(corpus, extra=2 * BATCH)
        before = nearest(corpus, "gale")
        with pytest.raises(ModelError, match="out of memory"):
            corpus.embed(Meanings(fails=ModelError("out of memory"), after=BATCH))
        assert stored(corpus) == {HashedNgrams(d=32).name: 4 + 2 * BATCH, ONE: BATCH}
        assert nearest(corpus, "gale") == before, "the old vectors go on serving"
        lines = corpus.status().derived
        assert any(
            f"vectors of {ONE}: 64 of 8 dimensions (1,024 bytes); `asof embed`" in line for line in lines
        )
        goes_on = Meanings()
        assert corpus.embed(goes_on).encoded == 4 + BATCH
        assert len(goes_on.asked) == 4 + BATCH
        assert stored(corpus) == {ONE: 4 + 2 * BATCH}


def test_what_an_interrupted_change_left_goes_with_the_next() -> None:
    encoder = Meanings()
    with fresh(encoder=encoder) as corpus:
        filled(corpus, extra=BATCH)
        with pytest.raises(ModelError):
            corpus.embed(Meanings(TWO, fails=ModelError("gone"), after=1))
        assert set(stored(corpus)) == {ONE, TWO}
        corpus.embed(encoder)
        assert set(stored(corpus)) == {ONE}


def test_killed_between_files_and_transaction(monkeypatch: Any) -> None:
    """The files of the new segments are swept away, those of the old ones serve."""
    from asof.index import manifest

    with fresh(encoder=HashedNgrams(d=32)) as corpus:
        filled(corpus)
        before = files(corpus)

        def dies(*arguments: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(manifest, "change_encoder", dies)
        with pytest.raises(KeyboardInterrupt):
            corpus.embed(Meanings())
        assert files(corpus) == before
        assert corpus.store.settings.encoder == HashedNgrams(d=32).name
        assert nearest(corpus, "gale")[0][0] == "gale"
        monkeypatch.undo()
        assert corpus.embed(Meanings()).encoded == 0, "all vectors were there"
        assert nearest(corpus) == BY_MEANING


# -- others meanwhile -----------------------------------------------------------------------------------


def test_another_process_has_it_open() -> None:
    """It sees the old vectors up to the change, and is told to open anew afterwards, also when it writes."""
    with fresh(encoder=Meanings()) as corpus:
        filled(corpus)
        with open_corpus(corpus.root, encoder=Meanings()) as other:
            other.maintenance.background = False
            assert nearest(other) == BY_MEANING
            corpus.embed(Meanings(TWO, d=4))
            with pytest.raises(
                UsageError, match="changed meanwhile, from 'meanings' to 'other meanings': open"
            ):
                nearest(other)
            with pytest.raises(UsageError, match="changed meanwhile"):
                other.add([document("late", "A late ferry.", "2009")])
            assert other.status().documents == 4
            other.tidy()
            other.check()
            assert other.purge("gale") == 1
        assert corpus.check() == []
        assert stored(corpus) == {TWO: 3}
        assert nearest(corpus) == BY_MEANING
        with pytest.raises(UsageError, match="holds vectors of the encoder 'other meanings', not 'meanings'"):
            open_corpus(corpus.root, encoder=Meanings())


def test_documents_that_come_meanwhile() -> None:
    """Added, purged and ended by another process between vectors and exchange: all have new vectors."""
    with fresh(encoder=HashedNgrams()) as corpus:
        filled(corpus)
        with open_corpus(corpus.root) as other:
            other.maintenance.background, other.session.clock = False, corpus.session.clock

            class Interrupted(Meanings):
                def encode(self, texts: Any, *, question: bool = False) -> Any:
                    if self.calls == 0:
                        other.add([document("late", "A ship.", "2006"), document("more", "Wind.", "2007")])
                    if self.calls == 1:
                        other.purge("mill")
                        other.add([document("last", "A ferry, a boat.", "2008")])
                    return super().encode(texts, question=question)

            encoder = Interrupted()
            found = corpus.embed(encoder)
        assert found.passages == 4 + 2 - 1 + 1
        assert stored(corpus) == {ONE: 6}
        # "A ship.": 1 / √2. "A ferry, a boat.": ferry with a comma is no word that is known: 1 / √(1 + 3²)
        assert nearest(corpus) == [("late", 0.707), ("ferry", 0.707), ("both", 0.577), ("last", 0.316)]
        assert corpus.check() == []


def test_writers_do_not_wait_for_the_encoder() -> None:
    """While one process encodes, another one writes: the lock is free."""
    with fresh() as corpus:
        filled(corpus)
        corpus.embed(Meanings())
        with open_corpus(corpus.root, encoder=Meanings(), wait=0.0) as other:
            other.maintenance.background, other.session.clock = False, corpus.session.clock
            added = []

            class Meanwhile(Meanings):
                def encode(self, texts: Any, *, question: bool = False) -> Any:
                    if not question:
                        added.append(other.add([document(f"w{self.calls}", "A gale.", "2006")]).added)
                    return super().encode(texts, question=question)

            corpus.manifest.encoder = Meanwhile()
            corpus.add([document("new", "A ship.", "2007")])
        assert added == [1]
        assert {name for name, _ in nearest(corpus)} == {"new", "ferry", "both"}


def test_threads_search_while_it_changes() -> None:
    with fresh(encoder=Meanings()) as corpus:
        filled(corpus, extra=BATCH)
        found, stop = [], threading.Event()

        def search() -> None:
            while not stop.is_set():
                found.append(nearest(corpus))

        thread = threading.Thread(target=search)
        thread.start()
        try:
            for name in (TWO, "third", TWO):
                corpus.embed(Meanings(name, d=4 if name == TWO else 16))
        finally:
            stop.set()
            thread.join()
    assert found
    assert all(each == BY_MEANING for each in found)


def test_another_model_under_the_same_name() -> None:
    with fresh(encoder=Meanings()) as corpus:
        filled(corpus)
        with open_corpus(corpus.root, encoder=Meanings(d=16)) as other:
            other.maintenance.background = False
            with pytest.raises(ModelError, match="vectors of 16 dimensions, and gave 8 before"):
                other.add([document("late", "A late ferry.", "2009")])


def test_a_segment_with_vectors_of_another_encoder_is_mended() -> None:
    """What no write of ours leaves, such as a folder copied together by hand."""
    with fresh(encoder=Meanings()) as corpus:
        filled(corpus)
        corpus.tidy()
        db = corpus.store.writer()
        db.execute(
            "UPDATE meta SET value = replace(value, 'meanings', 'other meanings') WHERE key = 'settings'"
        )
        db.execute("UPDATE vectors SET encoder = 'other meanings'")
        db.close()
        told: list[str] = []
        with open_corpus(corpus.root, encoder=Meanings(TWO), on_note=told.append) as again:
            again.maintenance.background = False
            assert nearest(again) == BY_MEANING
        assert [
            line.endswith("holds vectors of another encoder; rebuilt its 2 passages from the store")
            for line in told
        ] == [True, True]


def test_a_passage_without_a_vector_waits_for_one() -> None:
    with fresh(encoder=Meanings()) as corpus:
        filled(corpus)
        db = corpus.store.writer()
        db.execute("DELETE FROM vectors WHERE passage = 1")
        db.close()
        for path in corpus.manifest.folder.iterdir():
            path.unlink()
        assert [line.rpartition("; ")[2] for line in corpus.check()] == [
            "rebuilt its 2 passages from the store"
        ] * 2
        assert nearest(corpus) == BY_MEANING[1:]
        assert corpus.status().derived[0].endswith("; 1 passages have none: `asof embed` goes on")
        assert corpus.embed(Meanings()).encoded == 1
        assert nearest(corpus) == BY_MEANING


# -- searches meanwhile ---------------------------------------------------------------------------------

WAIT = "no vector yet: {} of {} passages, found by their words only; `asof embed` goes on"


def test_searches_use_what_is_there_so_far(monkeypatch: Any) -> None:
    """Two batches are encoded and shown, the third fails; passages are encoded in the order of their ids."""
    with fresh() as corpus:
        filled(corpus, extra=3 * BATCH)
        corpus.tidy()
        encoder = Meanings(fails=ModelError("out of memory"), after=1)
        with pytest.raises(ModelError):
            corpus.embed(encoder)
        assert (stored(corpus), corpus.store.settings.encoder) == ({ONE: BATCH}, ONE), "what goes on is known"
        encoder.after = 2 * BATCH
        monkeypatch.setattr("asof.index.manifest.SHOWN_AFTER", BATCH)
        with pytest.raises(ModelError):
            corpus.embed(encoder)
        encoder.fails = None
        results = corpus.search("ship")
        assert WAIT.format(4 + BATCH, 4 + 3 * BATCH) in results.notes
        assert {"ferry", "both"} <= {hit.document for hit in results.hits}
        assert "no vector" not in str(corpus.at("2004").search("ship").notes), (
            "all that was visible then has one"
        )
        assert corpus.check() == []
        assert f"; {4 + BATCH} passages have none: `asof embed`" in " ".join(corpus.status().derived)
        with open_corpus(corpus.root, encoder=Meanings()) as other:
            other.maintenance.background, other.session.clock = False, corpus.session.clock
            other.add([document("new", "A boat.", "2006")])
            assert other.manifest.waiting(db_of(other)) == 4 + BATCH, "only what is new was encoded"
            other.purge("n1")
            other.tidy()
            assert other.manifest.waiting(db_of(other)) == 4 + BATCH
            assert nearest(other)[0] == ("new", 0.707)
        assert corpus.embed(Meanings()).encoded == 4 + BATCH
        assert "no vector" not in str(corpus.search("ship").notes)
        assert corpus.check() == []
    with fresh(encoder=Meanings()) as whole:
        filled(whole, extra=3 * BATCH)
        assert whole.manifest.waiting(db_of(whole)) == 0


def test_one_process_makes_the_vectors_of_a_corpus() -> None:
    with fresh() as corpus:
        filled(corpus)

        class Twice(Meanings):
            def encode(self, texts: Any, *, question: bool = False) -> Any:
                with pytest.raises(Busy, match="another process makes vectors just now"):
                    corpus.embed(Meanings())
                return super().encode(texts, question=question)

        assert corpus.embed(Twice()).encoded == 4


def test_words_only_since_another_process_said_so_meanwhile() -> None:
    with fresh(encoder=Meanings()) as corpus:
        filled(corpus)

        class Interrupted(Meanings):
            def encode(self, texts: Any, *, question: bool = False) -> Any:
                with open_corpus(corpus.root, encoder=Meanings()) as other:
                    other.embed(None)
                return super().encode(texts, question=question)

        corpus.manifest.encoder = Interrupted()
        with pytest.raises(UsageError, match="changed meanwhile, from 'meanings' to 'none'"):
            corpus.add([document("new", "A ship.", "2007")])
        with pytest.raises(UsageError, match="changed meanwhile, from 'meanings' to 'none'"):
            corpus.embed(Meanings())
        with open_corpus(corpus.root) as again:
            assert (stored(again), again.check()) == ({}, [])
            assert [hit.document for hit in again.search("ship").hits] == ["new"]


def test_a_past_without_vectors_is_as_in_a_corpus_without_any() -> None:
    """Only what came later has a vector: neither an answer nor a note of the past shows it."""
    found = []
    for vectors in (False, True):
        with fresh() as corpus:
            corpus.add([document("both", "Boat and storm.", "2004")])
            if vectors:
                corpus.embed(Meanings())
            corpus.manifest.encoder = None
            db = corpus.store.writer()
            corpus.store.settings = change_encoder(db, corpus.store.settings, "")
            corpus.session.forget()
            filled(corpus)
            corpus.store.settings = change_encoder(db, corpus.store.settings, ONE)
            db.close()
            corpus.manifest.encoder = encoder = Meanings()
            corpus.session.forget()
            results = corpus.at("2003-06").search("gale of the ferry")
            found.append(([(hit.id, hit.score, hit.why) for hit in results.hits], results.notes))
            assert [text for text, question in encoder.asked if question] == []
    assert found[0] == found[1]
    assert found[0][1] == ("no current passage contains: gale", WAIT.format(2, 2))


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (np.zeros((3, 8)), r"the shape \(3, 8\) for 1 texts"),
        (np.zeros(8), r"the shape \(8,\) for 1 texts"),
        (np.full((1, 8), np.nan), "some that are not finite"),
        (np.full((1, 8), 1.0), "vectors that are not normalised"),  # √8
    ],
)
def test_vectors_that_are_none(numbers: Any, message: str) -> None:
    class Odd(Meanings):
        def encode(self, texts: Any, *, question: bool = False) -> Any:
            return numbers.astype(np.float32)

    with fresh(encoder=Odd()) as corpus:
        with pytest.raises(ModelError, match=message):
            corpus.add([document("ferry", "The ferry.", "2001")])
        assert [hit.document for hit in corpus.search("ferry").hits] == ["ferry"], "by its words"
