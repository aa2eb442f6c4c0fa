"""Gathering by words and by vectors; filters choose candidates and change no statistic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from asof.extensions.systems.stages import Similarity
from asof.index.vectors import VECTOR_SCALE, quantise
from asof.models.encoders import HashedNgrams
from asof.rank.combine import EarlyTermination
from asof.rank.gather import Dense, Lexical, TopK, query_terms, question_vector, unknown_words
from asof.rank.stage import Recipe
from asof.recipes import ASOF
from asof.text.tokens import Analyzer, term_hash
from asof.values import Document, Query, Why

Make = Callable[..., Any]


def found(results: Any) -> list[str]:
    return [hit.document for hit in results.hits]


def leaves(why: Why) -> Iterator[tuple[str, float]]:
    if not why.parts:
        yield why.label, why.value
    for part in why.parts:
        yield from leaves(part)


def asked(text: str, *, stop_words: bool = False) -> Query:
    return Query(text, text, stop_words=stop_words)


def test_the_terms_of_a_query() -> None:
    analyzer = Analyzer(("en", "de"), stem=True)
    terms = query_terms(asked("the ferries, ferries and Häuser"), analyzer)
    stems = dict.fromkeys(analyzer.alternatives("ferries"), 2.0)
    stems |= dict.fromkeys(analyzer.alternatives("häuser"), 1.0)
    assert {term.word: term.weight for term in terms} == stems
    assert all(term.hash == term_hash(term.word) for term in terms)
    assert query_terms(asked(""), analyzer) == ()


def test_stop_words_can_be_searched_too() -> None:
    analyzer = Analyzer(stem=False)
    assert [term.word for term in query_terms(asked("who is the miller"), analyzer)] == ["miller"]
    whole = query_terms(asked("who is the miller", stop_words=True), analyzer)
    assert [term.word for term in whole] == ["who", "is", "the", "miller"]


def test_words_that_no_passage_has() -> None:
    analyzer = Analyzer(stem=False)
    assert unknown_words(asked("mill ferry boat"), {"ferry"}, analyzer) == ["mill", "boat"]


def test_bm25_over_a_corpus(fresh: Make, document: Make, run: Make) -> None:
    documents = [document("a", "mill mill ferry", "2001"), document("b", "ferry boat", "2002"),
                 document("c", "bread", "2003")]  # fmt: skip
    with fresh(*documents) as corpus:
        results = run(corpus, "mill ferry nowhere", Lexical(), TopK())
        average = (3 + 2 + 1) / 3
        idf = {df: math.log((3 - df + 0.5) / (df + 0.5) + 1) for df in (1, 2)}

        def part(tf: int, length: int) -> float:
            return 2.5 * tf / (tf + 1.5 * (0.25 + 0.75 * length / average))

        expected = [idf[1] * part(2, 3) + idf[2] * part(1, 3), idf[2] * part(1, 2)]
        assert found(results) == ["a", "b"]
        assert [hit.score for hit in results.hits] == pytest.approx(expected, rel=1e-15)
        assert results.notes == ("no current passage contains: nowhere",)
        assert found(run(corpus, "mill ferry", Lexical(), TopK(), as_of="2000")) == []
        assert found(run(corpus, "", Lexical(), TopK())) == []


def test_cosines_over_a_corpus(fresh: Make, document: Make, run: Make) -> None:
    encoder = HashedNgrams(d=64)
    texts = {"a": "ferryman", "b": "ferries", "c": "!"}
    with fresh(*(document(id_, text, "2001") for id_, text in texts.items()), encoder=encoder) as corpus:
        results = run(corpus, "ferryman", Dense(), TopK())
        query = quantise(encoder.encode(["ferryman"]))[0].astype(int)
        vectors = {id_: quantise(encoder.encode([text]))[0].astype(int) for id_, text in texts.items()}
        expected = {id_: int(vector @ query) / VECTOR_SCALE**2 for id_, vector in vectors.items()}
        assert {hit.document: hit.score for hit in results.hits} == {
            id_: score for id_, score in expected.items() if score > 0
        }
        assert found(results)[0] == "a"


def test_without_an_encoder_nothing_is_dense(fresh: Make, document: Make, run: Make) -> None:
    with fresh(document("a", "mill", "2001")) as corpus:
        assert (
            run(corpus, "mill", Lexical(), Dense(), TopK()).hits
            == run(corpus, "mill", Lexical(), TopK()).hits
        )


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"x/a", "x/b", "y/c", "y/d"}),
    ({"source": "python"}, {"x/a", "x/b", "y/c", "y/d"}),
    ({"source": "elsewhere"}, set()),
    ({"path": "x/*"}, {"x/a", "x/b"}),
    ({"tags": ("red",)}, {"x/a", "y/c"}),
    ({"tags": ("red", "#blue")}, {"y/c"}),
    ({"meta": (("year", "1"),)}, {"x/b"}),
    ({"path": "x/*", "tags": ("red",)}, {"x/a"}),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
def test_filters(fresh: Make, document: Make, run: Make, filters: dict[str, Any], expected: set[str]) -> None:
    documents = [
        document("x/a", "mill mill", "2001", tags=("red",)),
        document("x/b", "mill", "2002", meta={"year": 1}),
        document("y/c", "mill", "2003", tags=("red", "blue")), document("y/d", "mill"),
        document("z", "other", "2003"),
    ]  # fmt: skip
    with fresh(*documents) as corpus:
        everything = {hit.id: hit.score for hit in run(corpus, "mill", Lexical(), TopK()).hits}
        results = run(corpus, "mill", Lexical(), TopK(), **filters)
        assert set(found(results)) == expected
        for hit in results.hits:
            assert hit.score == everything[hit.id], "a filter changes no score"
            counts = dict(leaves(hit.why))
            assert counts["N: passages in the view"] == 5
            assert counts["df: passages with the term"] == 4
            assert counts["words of all passages"] == 3 + 1 + 3 + 1 + 1, "tags are words"


WORDS = st.lists(st.sampled_from(["mill", "boat", "fog"]), min_size=1, max_size=3).map(" ".join)


@given(
    st.lists(st.tuples(WORDS, st.none() | st.integers(2001, 2006)), max_size=7),
    st.integers(2000, 2007), st.none() | st.integers(2000, 2007), st.none() | st.integers(2000, 2007),
)  # fmt: skip
def test_since_and_until_only_leave_out(
    fresh: Make,
    document: Make,
    drawn: list[tuple[str, int | None]],
    as_of: int,
    since: int | None,
    until: int | None,
) -> None:
    made: list[Document] = [
        document(f"d{at}", text, str(year) if year else None) for at, (text, year) in enumerate(drawn)
    ]
    bounds = {"since": since and str(since), "until": until and str(until)}
    with fresh(*made, undated="always") as corpus:
        snapshot = corpus.at(str(as_of))
        everything = snapshot.search("mill boat", k=50).hits
        some = snapshot.search("mill boat", k=50, **bounds).hits
        years = {f"d{at}": year for at, (_, year) in enumerate(drawn)}

        def inside(id_: str) -> bool:
            year = years[id_]
            if year is None:
                return since is None and until is None
            return (since is None or since <= year) and (until is None or year <= until)

        lexical = {hit.document for hit in everything if {"mill", "boat"} & set(hit.text.split())}
        assert {hit.document for hit in some} >= {id_ for id_ in lexical if inside(id_)}
        assert all(inside(hit.document) for hit in some)
        for hit in some:
            counts = dict(leaves(hit.why))
            n = sum(year is None or year <= as_of for year in years.values())
            assert counts["N: passages in the view"] == n
            assert hit.why.recomputed() == hit.score


# -- the vector of a question ----------------------------------------------------------------------------


@dataclass
class Noting:
    """An encoder that notes what questions it is asked; every text has the vector (.6, .8)."""

    name: str = "noting"
    questions: list[str] = field(default_factory=list)

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        if question:
            self.questions += texts
        return np.tile(np.array([0.6, 0.8], np.float32), (len(texts), 1))


TYPED = "Who is the current keeper as of June 2021?"


def test_the_encoder_reads_the_question_as_it_was_typed(fresh: Make, document: Any) -> None:
    """Words of time and wishes leave the search by words, and stay in the sentence that a model reads."""
    encoder = Noting()
    with fresh(document("a", "The keeper of the light.", "2020"), encoder=encoder) as corpus:
        results = corpus.at("2026").search(TYPED, recipe=ASOF)
        assert "2021" not in results.query.lexical
        assert encoder.questions == [TYPED]


def test_stages_of_one_question_ask_the_encoder_once(fresh: Make, document: Any) -> None:
    encoder = Noting()
    stages = (Lexical(), Dense(), Similarity("cosine"), EarlyTermination(), TopK())
    with fresh(document("a", "keeper", "2020"), encoder=encoder) as corpus:
        corpus.at("2026").search("keeper", recipe=Recipe("several", "", stages))
        assert encoder.questions == ["keeper"]


def test_a_vector_is_whole_numbers(fresh: Make, document: Any) -> None:
    """.6 and .8 of 4000."""
    with fresh(document("a", "keeper", "2020"), encoder=Noting()) as corpus:
        then = corpus.at("2026")
        vector = question_vector(then.read("keeper").query, then.view())
        assert vector.tolist() == [int(0.6 * VECTOR_SCALE), int(0.8 * VECTOR_SCALE)] == [2_400, 3_200]
