"""Candidates: words, vectors, phrases and filters, the best n, documents as units."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from asof.documents import Document
from asof.extensions.systems.stages import Similarity
from asof.hits import Why
from asof.index.vectors import VECTOR_SCALE, quantise
from asof.models.encoders import HashedNgrams
from asof.queries import Query
from asof.rank.combine import Hybrid
from asof.rank.gather import (
    ByDocument,
    Dense,
    Everything,
    Lexical,
    Pool,
    TopK,
    query_terms,
)
from asof.rank.rerank import RerankWindow
from asof.rank.stage import Recipe
from asof.recipes import ASOF
from asof.text.tokens import Analyzer, term_hash

# -- gathering by words and by vectors; filters choose candidates and change no statistic ----------


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


def test_words_over_a_corpus(fresh: Make, document: Make, run: Make) -> None:
    documents = [document("a", "mill mill ferry", "2001"), document("b", "ferry boat", "2002")]
    with fresh(*documents) as corpus:
        results = run(corpus, "mill ferry nowhere", Lexical(), TopK())
        assert found(results) == ["a", "b"]
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


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"x/a", "x/b", "y/c", "y/d"}),
    ({"source": "python"}, {"x/a", "x/b", "y/c", "y/d"}),
    ({"source": "elsewhere"}, set()),
    ({"paths": ("x/*",)}, {"x/a", "x/b"}),
    ({"paths": ("x/",)}, {"x/a", "x/b"}),
    ({"paths": ("x/", "*/b")}, {"x/b"}),
    ({"no_tags": ("blue", "green")}, {"x/a", "x/b", "y/d"}),
    ({"without": ("boat",)}, {"x/a", "x/b", "y/d"}),
    ({"without": ("red boat",)}, {"x/a", "x/b", "y/c", "y/d"}),
    ({"without": ("boat red",)}, {"x/a", "x/b", "y/d"}),
    ({"any_of": (("boat", "fog"),)}, {"y/c", "y/d"}),
    ({"any_of": (("boat", "fog"),), "without": ("fog",)}, {"y/c"}),
    ({"any_of": (("boat red", "nothing"), ("mill",))}, {"y/c"}),
    ({"tags": ("red",)}, {"x/a", "y/c"}),
    ({"tags": ("red", "#blue")}, {"y/c"}),
    ({"meta": (("year", "1"),)}, {"x/b"}),
    ({"paths": ("x/*",), "tags": ("red",)}, {"x/a"}),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
def test_filters(fresh: Make, document: Make, run: Make, filters: dict[str, Any], expected: set[str]) -> None:
    documents = [
        document("x/a", "mill mill", "2001", tags=("red",)),
        document("x/b", "mill", "2002", meta={"year": 1}),
        document("y/c", "mill boat red", "2003", tags=("red", "blue")), document("y/d", "mill fog"),
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
            assert counts["words of all passages"] == 3 + 1 + 4 + 2 + 1, "tags that the text lacks are words"


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
    stages = (Lexical(), Dense(), Similarity("cosine"), Hybrid(), TopK())
    with fresh(document("a", "keeper", "2020"), encoder=encoder) as corpus:
        corpus.at("2026").search("keeper", recipe=Recipe("several", "", stages))
        assert encoder.questions == ["keeper"]


# -- quoted phrases are there as they are written, whichever stage brought a passage in ------------


TEXTS = {
    "band": "The Who played loud rock music",
    "apart": "the man who played loud rock music",
    "turned": "Who? The band that played loud rock music",
    "alike": "loud rock music",
    "title": "nothing of it",
    "over": "played the\n\nwho played",
}


@pytest.mark.parametrize("encoder", [None, HashedNgrams(d=64)])
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ('"The Who"', {"band", "title", "over"}),
        ("“the who” music", {"band", "title", "over"}),
        ('"the who" "rock music"', {"band"}),
        ('"who the"', {"turned"}),
        ('"music rock"', set()),
        ('"loud rock music"', {"band", "apart", "turned", "alike"}),
        ('"nothing"', {"title"}),  # one word is no phrase
    ],
)
def test_phrases(fresh: Make, document: Make, encoder: Any, question: str, expected: set[str]) -> None:
    documents = [
        document(id_, text, "2001", title="Who is the who" if id_ == "title" else "")
        for id_, text in TEXTS.items()
    ]
    with fresh(*documents, encoder=encoder) as corpus:
        results = corpus.search(question, k=50)
        found = {hit.document for hit in results.hits}
        assert found >= expected
        if " " in question.strip('"'):
            assert found == expected
            assert any(note.startswith(f"phrases: {0 + len(expected)} ") for note in results.notes)
        for hit in results.hits:
            assert hit.why.value == hit.why.recomputed() == hit.score


def test_a_phrase_and_a_filter(fresh: Make, document: Make) -> None:
    with fresh(*(document(id_, text, "2001", tags=(id_,)) for id_, text in TEXTS.items())) as corpus:
        results = corpus.at().search('"the who"', tags=("over",))
        assert [hit.document for hit in results.hits] == ["over"]
        assert corpus.at("2000").search('"the who"').hits == ()
        assert corpus.at().search('"the who"', since="2002").hits == ()


# -- candidates by number: the first k, the best so far, everything in force that passes the filters---


SAID = st.lists(st.sampled_from(["mill", "boat", "fog", "rope"]), min_size=1, max_size=3).map(" ".join)
CORPORA = st.lists(
    st.tuples(st.integers(0, 11), SAID, st.none() | st.integers(2001, 2009)), min_size=1, max_size=30
)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["passage", "document"])
@pytest.mark.parametrize("encoder", [None, HashedNgrams(d=16)])
def test_the_top_10_is_the_first_half_of_the_top_20(
    fresh: Make, document: Make, unit: str, encoder: Any
) -> None:
    @given(CORPORA, st.booleans(), st.integers(1, 12))
    def property_(drawn: list[tuple[int, str, int | None]], recent: bool, k: int) -> None:
        texts: dict[tuple[int, int | None], list[str]] = {}
        for id_, text, year in drawn:
            texts.setdefault((id_, year), []).append(text + " alpha beta gamma delta epsilon zeta eta theta")
        documents = [
            document(f"d{id_}", "\n\n".join(said), str(year) if year else None)
            for (id_, year), said in texts.items()
        ]
        question = "mill boat" + (" latest" if recent else "")
        with fresh(*documents, chunking="10w", encoder=encoder) as corpus:
            snapshot = corpus.at()
            some = snapshot.search(question, k=k, unit=unit).hits
            more = snapshot.search(question, k=2 * k, unit=unit).hits
            assert some == more[:k]
            for hit in some:
                assert hit.why.value == hit.why.recomputed() == hit.score
            assert [hit.rank for hit in more] == list(range(1, len(more) + 1))
            assert [hit.score for hit in more] == sorted((hit.score for hit in more), reverse=True)
            if unit == "document":
                assert len({hit.document for hit in more}) == len(more)

    property_()


def test_ties_are_ordered_by_time_then_document_never_by_arrival(
    fresh: Make, document: Make, run: Make
) -> None:
    documents = [document(f"d{at}", "mill", "2001" if at % 2 else "2002") for at in range(8)]
    with fresh(*documents) as one, fresh(*reversed(documents)) as other:
        here, there = (run(corpus, "mill", Lexical(), TopK()).hits for corpus in (one, other))
        assert [hit.document for hit in here] == [hit.document for hit in there]
        assert [hit.published.text for hit in here] == ["2002"] * 4 + ["2001"] * 4
        assert run(one, "mill", Lexical(), TopK(), k=3).hits == here[:3]


# -- the best n, and everything --------------------------------------------------------------------------


@pytest.fixture
def mills(document: Make) -> list[Any]:
    """By the word mill: d4 first, d0 last; and one that has other words."""
    made = [document(f"d{at}", "mill " * at + "rope " * (5 - at), str(2001 + at)) for at in range(1, 5)]
    return [*made, document("other", "bread", "2010")]


def test_the_best(fresh: Make, run: Make, mills: list[Any]) -> None:
    with fresh(*mills) as corpus:
        whole = run(corpus, "mill", Lexical(), TopK())
        assert found(whole) == ["d4", "d3", "d2", "d1"]
        for n in range(1, 7):
            pooled = run(corpus, "mill", Lexical(), Pool(n), TopK())
            assert [(h.id, h.score, h.why) for h in pooled.hits] == [
                (h.id, h.score, h.why) for h in whole.hits[:n]
            ]
            assert pooled.notes == (f"the best {min(n, 4)} of 5 passages were ranked further",)


def test_everything(fresh: Make, run: Make, mills: list[Any], document: Make) -> None:
    """All in force that pass the filters, also what shares no word with the question."""
    with fresh(*mills, document("undated", "mill"), encoder=HashedNgrams(d=16)) as corpus:
        corpus.add([document("d2", "fog", "2012")])
        every = (Everything(), Similarity("cosine"), TopK())
        assert set(found(run(corpus, "mill", *every))) == {"d1", "d2", "d3", "d4", "other", "undated"}
        assert len(run(corpus, "mill", *every).hits) == 6, "what has ended is no candidate"
        assert set(found(run(corpus, "mill", *every, as_of="2003"))) == {"d1", "d2"}
        assert set(found(run(corpus, "mill", *every, paths=("d*",)))) == {"d1", "d2", "d3", "d4"}
        since = corpus.at("2005").as_of
        assert set(found(run(corpus, "mill", *every, since=since))) == {"d4", "d2", "other"}
        assert set(found(run(corpus, '"mill rope"', *every))) == {"d1", "d3", "d4"}
        assert run(corpus, "mill", *every, paths=("x",)).hits == ()


# -- documents as units: the best passage ----------------------------------------------------------


LONG = "{} alpha beta gamma delta epsilon zeta eta theta iota.\n\n"


@pytest.fixture
def texts(document: Make) -> list[Any]:
    two = LONG.format("mill mill") + LONG.format("mill") + LONG.format("bread")
    return [document("two", two, "2001"), document("one", LONG.format("mill mill mill"), "2002"),
            document("none", LONG.format("bread"), "2003")]  # fmt: skip


def test_a_document_is_its_best_passage(fresh: Make, run: Make, texts: list[Any]) -> None:
    with fresh(*texts, chunking="10w") as corpus:
        passages = run(corpus, "mill", Lexical(), TopK()).hits
        assert [hit.document for hit in passages] == ["one", "two", "two"]
        one, first, _ = (hit.score for hit in passages)
        by_best = run(corpus, "mill", Lexical(), ByDocument(), TopK())
        assert [(hit.document, hit.score, hit.id) for hit in by_best.hits] == [
            ("one", one, passages[0].id), ("two", first, passages[1].id),
        ]  # fmt: skip
        assert by_best.notes == ("3 matching passages of 2 documents; each document is shown by its best",)


def test_trees_after_grouping(fresh: Make, run: Make, texts: list[Any]) -> None:
    with fresh(*texts, chunking="10w") as corpus:
        closer = ASOF.stages[ASOF.stages.index(RerankWindow()) :]
        results = run(corpus, "mill alpha", Lexical(), ByDocument(), *closer, recency=1.0)
        assert len(results.hits) == 3
