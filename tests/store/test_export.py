"""An export read into a new corpus gives the same answers at every (T, K), and the same export again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import memory_folder, new_corpus
from tests.support.exports import FULL, full_corpus, restored, rows, tables
from tests.support.histories import (
    ANY_HEALTH,
    BROAD,
    DAY,
    DENSE,
    HISTORIES,
    WORDS,
    Event,
    hits_in_full,
)  # fmt: skip
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.data import Document
from asof.errors import BeforeHorizon
from asof.models.hashed import HashedNgrams
from asof.time.span import moment

MOMENTS = st.lists(
    st.tuples(st.integers(-1, 32), st.integers(0, 8), st.integers(0, 11)), min_size=8, max_size=8
)
"""A day, how many transactions before the last one, a word: eight times."""


def same_answers(corpus: Corpus, other: Corpus, moments: list[tuple[int, int, int]], words: int) -> None:
    known = [at for (at,) in db_of(corpus).execute("SELECT id FROM transactions ORDER BY id")]
    for day, back, word in moments if known else ():
        at = (day + 1) * DAY - 1, known[max(len(known) - 1 - back, 0)]
        here, there = corpus.snapshot(*at), other.snapshot(*at)
        question = f"{WORDS[word % words]} {WORDS[(word + 1) % words]}"
        try:
            expected = hits_in_full(here, question)
        except BeforeHorizon:
            with pytest.raises(BeforeHorizon):
                hits_in_full(there, question)
            continue
        assert hits_in_full(there, question) == expected
        assert hits_in_full(there, question, recipe="twe") == hits_in_full(here, question, recipe="twe")
        for name in ("doc0", "doc1"):
            assert here.text(name) == there.text(name)


def property_of(history: st.SearchStrategy[list[Event]], words: int) -> Callable[[], None]:
    @settings(max_examples=25, suppress_health_check=ANY_HEALTH)
    @given(history, MOMENTS)
    def property_(history: list[Event], moments: list[tuple[int, int, int]]) -> None:
        with memory_folder() as folder, HISTORIES.new_corpus(folder / "all") as corpus:
            HISTORIES.play(corpus, history)
            first, second = folder / "first.jsonl", folder / "second.jsonl"
            corpus.export(first)
            with restored(first, corpus.session.clock()) as other:
                same_answers(corpus, other, moments, words)
                assert rows(corpus) == rows(other)
                assert other.check() == []
                other.export(second)
            assert first.read_bytes() == second.read_bytes()

    return property_


test_the_answers_are_the_same = pytest.mark.slow(property_of(BROAD, 12))
test_the_answers_are_the_same_where_documents_collide = pytest.mark.slow(property_of(DENSE, 3))


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=ANY_HEALTH)
@given(DENSE, DENSE, st.integers(0, 5), MOMENTS)
def test_the_answers_are_the_same_after_history_was_dropped(
    before: list[Event], after: list[Event], horizon: int, moments: list[tuple[int, int, int]]
) -> None:
    """What was dropped is refused by both; rows may have come earlier than before, which no question sees."""
    with memory_folder() as folder, HISTORIES.new_corpus(folder / "all") as corpus:
        HISTORIES.play(corpus, before)
        corpus.session.clock.now += 40 * DAY  # type: ignore[attr-defined]
        corpus.vacuum(moment(horizon * DAY))
        HISTORIES.play(corpus, after)
        first, second = folder / "first.jsonl", folder / "second.jsonl"
        corpus.export(first)
        with restored(first, corpus.session.clock()) as other:
            same_answers(corpus, other, moments, 3)
            assert other.check() == []
            other.export(second)
        assert first.read_bytes() == second.read_bytes()


@pytest.fixture
def full(tmp_path: Path) -> Iterator[tuple[Corpus, Path]]:
    """A corpus with all that an export can hold, and its export."""
    file = tmp_path / "full.jsonl"
    with full_corpus(file) as corpus:
        yield corpus, file


def test_all_that_is_stored_comes_back(full: tuple[Corpus, Path]) -> None:
    corpus, file = full
    with restored(file) as other:
        assert tables(other) == tables(corpus)
        assert other.store.settings == corpus.store.settings
        assert other.at("2020-06").text("a.md") == FULL.text


def test_searches_have_the_settings_of_the_export(full: tuple[Corpus, Path]) -> None:
    """The readers that were open have stemmed English only; the export's languages are German and English."""
    corpus, file = full
    with new_corpus(chunking="whole", stem=False) as other:
        assert len(other.search("rising")) == 0
        problems = [problem.message for problem in other.add(file).problems]
        assert problems == [
            "the index gets the languages of the export, de,en, not en",
            "the index gets the stem of the export, true, not false",
            "the index gets the chunking of the export, 10w, not whole",
            "the index gets the undated of the export, never, not added",
            "the index gets the search of the export, s,tags, not auto",
        ]
        at = "2020-06"
        assert (
            [hit.id for hit in other.at(at).search("breads")]
            == [hit.id for hit in corpus.at(at).search("breads")]
            != []
        )


def test_the_source_finds_everything_unchanged(tmp_path: Path) -> None:
    """Checkpoints are not exported: all is read and compared again."""
    for place in ("one", "two"):
        (tmp_path / place / "notes").mkdir(parents=True)
    for name in ("a", "b"):
        (tmp_path / "one" / "notes" / f"{name}.md").write_text(f"---\ndate: 2020\n---\n# {name}\nBread.\n")
    with open_corpus(tmp_path / "one") as corpus:
        corpus.add(tmp_path / "one" / "notes")
        (tmp_path / "one" / "notes" / "a.md").write_text("---\ndate: 2021\n---\n# a\nCake.\n")
        corpus.add(tmp_path / "one" / "notes")
        corpus.export(tmp_path / "x.jsonl.gz")
    with open_corpus(tmp_path / "two") as other:
        other.add(tmp_path / "x.jsonl.gz")
        (tmp_path / "two" / "notes").rmdir()
        (tmp_path / "one" / "notes").rename(tmp_path / "two" / "notes")
        report = other.add(tmp_path / "two" / "notes")
        assert (report.unchanged, report.written) == (2, 0)
        assert other.status().sources == [("notes", "folder", 2)]


def test_what_was_purged_is_not_there_and_stays_away(tmp_path: Path) -> None:
    with new_corpus() as corpus:
        corpus.add([Document("arxiv:2401.00001", "A secret."), Document("b", "Bread.")])
        corpus.purge("arxiv:2401.00001")
        corpus.export(tmp_path / "x.jsonl")
        assert "secret" not in (tmp_path / "x.jsonl").read_text("utf-8")
        assert "2401" not in (tmp_path / "x.jsonl").read_text("utf-8")
        with restored(tmp_path / "x.jsonl") as other:
            assert tables(other)["meta"][:1] == tables(corpus)["meta"][:1]
            assert tables(other)["meta"][0][0].startswith("erased ")


def test_an_export_of_an_empty_corpus_is_read(tmp_path: Path) -> None:
    with new_corpus() as corpus:
        corpus.export(tmp_path / "x.jsonl")
    with restored(tmp_path / "x.jsonl") as other:
        assert other.status().transactions == 0


def test_vectors_are_made_again_and_another_encoder_is_said(full: tuple[Corpus, Path]) -> None:
    with new_corpus(encoder=HashedNgrams(), languages=("de", "en"), chunking="10w", undated="never",
                    search=("s", "tags")) as other:  # fmt: skip
        problems = other.add(full[1]).problems
        (problem,) = problems
        assert not problem.lost
        assert problem.message == (
            "the export is of an index with the encoder none, and this one has "
            f"{HashedNgrams().name}: scores differ until `asof embed` changes it"
        )
        passages = other.status().passages
        assert db_of(other).execute("SELECT count(*) FROM vectors").fetchone() == (passages,)
        assert other.check() == []
