"""Re-ranking of the first candidates: models, windows, exact names, documents in turn."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.answers import corpus_with, doc
from tests.support.corpora import Clock, new_corpus
from tests.support.ranking import Columns

from asof import engine
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import Document, Heading, SourcedTime
from asof.errors import ModelError, UsageError
from asof.hits import Hit, Why
from asof.index.view import View
from asof.queries import Filters, Query
from asof.rank.combine import Combine, MaxNormalize
from asof.rank.expression import Constant, product, total
from asof.rank.gather import Lexical, TopK
from asof.rank.rerank import (
    LARGEST,
    AppendRest,
    Rerank,
    RerankWindow,
    RoundRobinByDocument,
    reranked,
)
from asof.rank.stage import Ranking, Recipe
from asof.recipes import ASOF
from asof.store.schema import CorpusSettings
from asof.time.moment import read
from asof.wire import encode, replace

# -- the first few by a model's numbers, the rest below in their order -------------------------------


Make = Callable[..., Any]


@dataclass
class Judge:
    """A reranker by a function of question and text. `read`: what it was given."""

    judge: Callable[[str, str], Any]
    name: str = "judge"
    read: list[tuple[str, list[str]]] = field(default_factory=list)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.read.append((query, list(texts)))
        return [self.judge(query, text) for text in texts]


def bread(_: str, text: str) -> float:
    """How often a text says bread, less 1: negative numbers are numbers."""
    return text.count("bread") - 1.0


@pytest.fixture
def mills(document: Make) -> list[Any]:
    """By the word mill: best, good, fair, poor; by bread: poor first."""
    return [
        document("best", "mill mill mill mill x x x x", "2001"),
        document("good", "mill mill mill bread x x x x", "2001"),
        document("fair", "mill mill bread bread x x x x", "2001"),
        document("poor", "mill bread bread bread x x x x", "2001"),
    ]


def order(results: Any) -> list[str]:
    return [hit.document for hit in results.hits]


def test_the_first_are_ordered_by_the_model(fresh: Make, run: Make, mills: list[Any]) -> None:
    with fresh(*mills) as corpus:
        before = run(corpus, "mill", Lexical(), TopK())
        assert order(before) == ["best", "good", "fair", "poor"]
        results = run(corpus, "mill", Lexical(), Rerank(Judge(bread)), TopK())
        assert [(hit.document, hit.score) for hit in results.hits] == [
            ("poor", 3.0 - 1.0), ("fair", 2.0 - 1.0), ("good", 1.0 - 1.0), ("best", 0.0 - 1.0),
        ]  # fmt: skip
        assert results.notes == ("reranked: the first 4 of 4 candidates, by judge",)


def test_the_rest_stays_below_in_its_order(fresh: Make, run: Make, mills: list[Any]) -> None:
    with fresh(*mills) as corpus:
        results = run(corpus, "mill", Lexical(), Rerank(Judge(bread), top=2), TopK())
        assert [(hit.document, hit.score) for hit in results.hits] == [
            ("good", 1.0 - 1.0), ("best", 0.0 - 1.0), ("fair", -1.0 - 1), ("poor", -1.0 - 2),
        ]  # fmt: skip
        assert results.notes == ("reranked: the first 2 of 4 candidates, by judge",)


def numbers_in(tree: Why) -> dict[str, float]:
    """The value of each label of a tree, of equal ones the last."""
    found = {tree.label: tree.value}
    for part in tree.parts:
        found.update(numbers_in(part))
    return found


def test_a_tree_shows_both_scores(fresh: Make, run: Make, mills: list[Any]) -> None:
    with fresh(*mills) as corpus:
        before = {hit.document: hit.score for hit in run(corpus, "mill", Lexical(), TopK()).hits}
        for hit in run(corpus, "mill", Lexical(), Rerank(Judge(bread), top=2), TopK()).hits:
            shown = numbers_in(hit.why)
            assert shown["words (BM25)"] == before[hit.document]
            if hit.document in ("good", "best"):
                assert shown["judge"] == hit.score
            else:
                assert shown["-place below"] == {"fair": -1.0, "poor": -2.0}[hit.document]
                # min(1 - 1, 0 - 1) = -1, a number without the tree of the hit that has it
                assert hit.why.parts[0] == Why("lowest score above", -1.0)


def test_what_the_model_reads(fresh: Make, run: Make, document: Make) -> None:
    """Title, headings and period above the text, as they are indexed; the question as it was typed."""
    judge = Judge(lambda _, text: len(text))
    with fresh(document("a", "The mill is closed.", "2001", title="Harbour")) as corpus:
        query = Query("Which mill, latest?", "mill")
        engine.search(query, corpus.at().view(), Recipe("test", "", (Lexical(), Rerank(judge), TopK())))
    assert judge.read == [("Which mill, latest?", ["Harbour\nThe mill is closed."])]


def test_equal_texts_are_asked_once_and_tie(fresh: Make, run: Make, document: Make) -> None:
    """A model's rounding may depend on where a text stands among others."""
    calls: list[str] = []

    def uneven(_: str, text: str) -> float:
        calls.append(text)
        return len(calls) * 1e-9

    documents = [document(f"d{at}", "mill", str(2001 + at)) for at in range(5)]
    with fresh(*documents) as corpus:
        results = run(corpus, "mill", Lexical(), Rerank(Judge(uneven)), TopK())
        assert calls == ["mill"]
        assert {hit.score for hit in results.hits} == {1e-9}
        assert order(results) == ["d4", "d3", "d2", "d1", "d0"]  # the later one first, as everywhere


def test_long_texts_are_cut_and_that_is_said(fresh: Make, run: Make, document: Make) -> None:
    judge = Judge(lambda _, text: float(len(text)))
    documents = [document("long", "mill " * 60, "2001"), document("short", "mill", "2001")]
    with fresh(*documents, chunking="whole") as corpus:
        results = run(corpus, "mill", Lexical(), Rerank(judge, characters=100), TopK())
        assert {hit.document: hit.score for hit in results.hits} == {"long": 100.0, "short": 4.0}
        assert "reranked: 1 of them by their first 100 characters" in results.notes


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ([1.0], "judge gave 1 numbers for 4 texts"),
        ([1.0] * 5, "judge gave 5 numbers for 4 texts"),
        ([1.0, math.nan, 1.0, 1.0], "judge gave the number nan; finite ones up to 1e"),
        ([1.0, 1.0, math.inf, 1.0], "judge gave the number inf"),
        ([1.0, 1.0, 1.0, -2 * LARGEST], "judge gave the number -2000000000.0; finite"),
    ],
)
def test_no_result_without_a_number_for_each(
    fresh: Make, run: Make, mills: list[Any], numbers: list[float], told: str
) -> None:
    class Faulty:
        name = "judge"

        def scores(self, query: str, texts: Sequence[str]) -> list[float]:
            return numbers

    with fresh(*mills) as corpus, pytest.raises(ModelError, match=told):
        run(corpus, "mill", Lexical(), Rerank(Faulty()), TopK())


# -- in a recipe ------------------------------------------------------------------------------------


def test_it_stands_before_the_cut() -> None:
    stage = Rerank(Judge(bread))
    assert reranked(ASOF, stage).stages == (*ASOF.stages[:-1], stage, ASOF.stages[-1])
    assert reranked(ASOF, stage).name == "asof-reranked"
    assert reranked(Recipe("x", "", (Lexical(),)), stage).stages == (Lexical(), stage)


def test_why_not_sees_it(fresh: Make, mills: list[Any]) -> None:
    with fresh(*mills) as corpus:
        recipe = reranked(ASOF, Rerank(Judge(bread), top=2))
        found = corpus.at().why_not("best", "mill", k=1, recipe=recipe)
        assert [(step.stage, step.rank) for step in found.steps][-2:] == [("rerank", 2), ("top_k", None)]
        assert found.reason == "its rank is 2 of 2; only the first is a hit (k = 1)"


# -- for any scores ---------------------------------------------------------------------------------


NUMBERS = st.floats(-LARGEST, LARGEST) | st.integers(-3, 3).map(float) | st.floats(-1e-300, 1e-300)
SCORES = st.floats(0, 100, exclude_min=True) | st.integers(1, 3).map(float) | st.floats(5e-324, 1e-300)


@pytest.mark.slow
def test_order_and_trees_for_any_numbers(fresh: Make, run: Make, document: Make) -> None:
    documents = [document(str(at), f"{at} mill", "2001") for at in range(12)]
    with fresh(*documents) as corpus:

        @given(st.tuples(*[SCORES] * 12), st.tuples(*[NUMBERS] * 12), st.integers(1, 14), st.integers(1, 14))
        def property_(scores: tuple[float, ...], numbers: tuple[float, ...], top: int, k: int) -> None:
            judge = Judge(lambda _, text: numbers[int(text.split()[0])])
            given = Columns(("given",), {str(at): (score,) for at, score in enumerate(scores)})
            before = order(run(corpus, "mill", given, TopK(), k=20))
            results = run(corpus, "mill", given, Rerank(judge, top=top), TopK(), k=20)
            after = [int(each) for each in order(results)]
            first, rest = [int(each) for each in before[:top]], [int(each) for each in before[top:]]
            assert set(after[:top]) == set(first)
            assert after[top:] == rest
            assert [hit.score for hit in results.hits][:top] == sorted(
                (numbers[at] for at in first), reverse=True
            )
            assert all(numbers[a] >= numbers[b] for a, b in pairwise(after[:top]))
            values = [hit.score for hit in results.hits]
            assert values == sorted(values, reverse=True)
            assert all(value < values[len(first) - 1] for value in values[top:])
            for one, other in pairwise(range(len(first), len(after))):  # below, only equals stay equal
                assert (values[one] == values[other]) == (scores[after[one]] == scores[after[other]])
            few = run(corpus, "mill", given, Rerank(judge, top=top), TopK(), k=k)
            assert few.hits == results.hits[:k]

        property_()


# -- as of ------------------------------------------------------------------------------------------


WORDS = st.sampled_from(["mill", "boat", "mill boat", "fog"])
HISTORIES = st.lists(
    st.tuples(st.integers(0, 3), WORDS, st.integers(2001, 2004)), min_size=2, max_size=10,
    unique_by=lambda each: (each[0], each[2]),  # a second text of one date is an edit of today
)  # fmt: skip


class Batchwise:
    """Its numbers depend on all texts that it is given and on their order, as the last bits of a model do."""

    name = "batchwise"

    def __init__(self) -> None:
        self.read: list[str] = []

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.read += texts
        lengths = [len(text) for text in texts]
        return [math.sin(sum(lengths[: at + 1]) * (at + 2)) + len(texts) for at in range(len(texts))]


def told(id_: int, text: str, year: int) -> Document:
    return Document(
        f"d{id_}", f"{text} {year}", published=SourcedTime(read(str(year)), str(year), "metadata")
    )


@pytest.mark.slow
@given(HISTORIES, st.integers(2001, 2004), st.integers(1, 3), st.booleans())
def test_the_future_has_no_effect(
    history: list[tuple[int, str, int]], year: int, top: int, recent: bool
) -> None:
    """A corpus that was told all, and one that was told what was published by then, the last first: the same,
    to the bit."""
    question = "mill boat" + (" latest" if recent else "")
    shown, given_to_model = [], []
    memory = Path("/dev/shm")  # noqa: S108
    past = [told(*each) for each in reversed(history) if each[2] <= year]
    for runs in ([[told(*each)] for each in history], [past]):  # a segment each, or one
        model = Batchwise()
        with (
            tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
            open_corpus(folder, settings=CorpusSettings(stem=False)) as corpus,
        ):
            corpus.maintenance.background = False
            for each in runs:
                corpus.add(each)
            found = corpus.at(str(year)).search(question, recipe=reranked(ASOF, Rerank(model, top=top)))
            shown.append([(hit.id, hit.score, hit.text, encode(hit.why)) for hit in found.hits])
            assert all(hit.why.recomputed() == hit.why.value == hit.score for hit in found.hits)
        given_to_model.append(model.read)
    assert shown[0] == shown[1]
    assert given_to_model[0] == given_to_model[1]
    assert all(int(text.split()[-1]) <= year for text in given_to_model[0])


# -- a closer look: who goes on, and where the others come back ------------------------------------


@dataclass(frozen=True)
class Upside:
    """Orders what is there the other way round: 1 less the score."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        found = ranking.matching()
        turned = product("turned", found.scores, Constant("minus", -1.0))
        return found.with_column("upside", total("upside", Constant("one", 1.0), turned))


@pytest.fixture
def many(document: Make) -> list[Any]:
    """By the word mill: d19 first, d0 last, each of a year of its own."""
    return [
        document(f"d{at:02}", "mill " * (at + 1) + "rope " * (20 - at), str(2000 + at)) for at in range(20)
    ]


def names(results: Any) -> list[str]:
    return [hit.document for hit in results.hits]


def test_the_best_are_looked_at_and_the_others_stay_below_in_their_order(
    fresh: Make, run: Make, many: list[Any]
) -> None:
    with fresh(*many) as corpus:
        closer = run(corpus, "mill", Lexical(), RerankWindow(n=10), Upside(), AppendRest(), TopK(), k=99)
        assert names(closer) == [f"d{at:02}" for at in (*range(10, 20), *range(9, -1, -1))]
        assert "the best 10 of 20 matching passages were re-ranked" in closer.notes
        lowest = closer.hits[9].score
        assert [hit.score for hit in closer.hits[10:]] == [lowest - place for place in range(1, 11)]
        whole = run(corpus, "mill", Lexical(), RerankWindow(n=20), Upside(), AppendRest(), TopK(), k=99)
        assert names(whole) == [f"d{at:02}" for at in range(20)]
        assert not any("re-ranked" in note for note in whole.notes)


def test_what_is_of_the_time_goes_on_too(fresh: Make, run: Make, many: list[Any], document: Make) -> None:
    """d00 and d03 are the worst by words: their year is spoken of, or they speak of it."""
    made = [*many, document("said", "mill and " + "rope " * 25 + "in 2003", "1999")]
    with fresh(*made) as corpus:
        stages = (Lexical(), RerankWindow(n=10), Upside(), AppendRest(), TopK())
        found = run(corpus, "mill", *stages, k=13, spoken=["2000", "2003"])
        assert set(names(found)) == {"d00", "d03", "said", *(f"d{at}" for at in range(10, 20))}
        assert "the best 13 of 21 matching passages were re-ranked" in found.notes


def test_stages_before_leave_as_many_as_are_looked_at() -> None:
    asked = {name: query.k for name, _, query in ASOF.steps(Query("q", "q", k=3))}
    assert {asked[name] for name in ("lexical", "hybrid")} == {100}
    assert asked["supersession"] == asked["top_k"] == 3
    steps = Recipe("r", "", (Lexical(), RerankWindow(n=10))).steps(Query("q", "q", k=30))
    assert {query.k for _, _, query in steps} == {30}
    with pytest.raises(UsageError, match=r"rerank_window\.n = 9: a whole number from 10 to 10000 is"):
        ASOF.replaced({"rerank_window.n": 9})


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(2001, 2004)), min_size=11, max_size=24),
    st.integers(1, 24),
)
def test_the_first_do_not_depend_on_k(
    fresh: Make, run: Make, document: Make, drawn: list[tuple[int, int]], k: int
) -> None:
    """Many ties, at the edge of the closer look too; trees and all."""
    made = [
        document(f"d{at}", "mill " * tf + "rope " * (5 - tf), str(year))
        for at, (tf, year) in enumerate(drawn)
    ]
    with fresh(*made) as corpus:
        stages = (Lexical(), RerankWindow(n=10), Upside(), AppendRest(), TopK())
        whole = run(corpus, "mill", *stages, k=99).hits
        few = run(corpus, "mill", *stages, k=k).hits
        assert [(hit.id, hit.score, hit.why) for hit in few] == [
            (hit.id, hit.score, hit.why) for hit in whole[:k]
        ]
        assert len(whole) == len(drawn)
        assert np.all(np.diff([hit.score for hit in whole]) <= 0)


def test_what_is_learned_later_is_not_counted_among_what_a_time_needs(document: Make) -> None:
    """60 documents of the time in the question are learned later: all that is shown as known before stays."""
    near = [document(f"a{at}", "mill ferry", "2019-01-01") for at in range(150)]
    far = [document(f"c{at}", f"mill {'rope ' * 400}", "2019-02-01") for at in range(100)]
    clock = Clock.at("2020-01-01")
    with new_corpus([*near, *far], clock=clock) as corpus:
        known = clock.now

        def shown(question: str) -> Any:
            found = corpus.snapshot(known, known).search(question, k=150)
            return [(hit.id, hit.score) for hit in found.hits], found.notes

        questions = ("mill ferry 2015", "what was to be or not to be in 2015")
        before = [shown(each) for each in questions]
        assert "the best 100 of 250 matching passages were re-ranked" in before[0][1]
        clock.to("2021-01-01")
        corpus.add([document(f"l{at}", "fog", "2015-05-01") for at in range(60)])
        assert [shown(each) for each in questions] == before


# -- what is called exactly what was typed comes first ---------------------------------------------


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder: Path = tmp_path_factory.mktemp("notes")
    with corpus_with(
        folder,
        doc("log/2021-03-02.md", "2021-03-02", "Rope was bought.", "2021-03-02"),
        doc("rope.md", "2021-03-05", "Rope, rope and rope: 2021-03-02 is told of.", "Rope of the quay"),
        doc("fares.md", "2022-01-01", "Four crowns.", "The quay"),
        doc("quay.md", "2022-02-01", "The quay is old. The quay is long. Quay!", "Around the quay"),
    ) as corpus:
        yield corpus


def called(corpus: Corpus, query: str, **filters: tuple[str, ...]) -> list[str]:
    chosen = Filters(**filters)  # type: ignore[arg-type]
    return [hit.document for hit in corpus.at().search(query, filters=chosen).hits]


def test_a_title_first_whatever_its_words_are_worth(notes: Corpus) -> None:
    assert called(notes, "the quay of rope")[0] != "fares.md"
    assert called(notes, "The quay")[0] == "fares.md"
    assert {"fares.md", "quay.md", "rope.md"} <= set(called(notes, "The quay"))


def test_a_name_that_is_read_as_a_time(notes: Corpus) -> None:
    assert called(notes, "2021-03-02")[0] == "log/2021-03-02.md"


def test_filters_hold(notes: Corpus) -> None:
    assert called(notes, "2021-03-02", paths=("rope*",)) in ([], ["rope.md"])


def test_the_number_of_a_series(fresh: Make, document: Make) -> None:
    """Alone it is a name; of a question it is a word, and of several numbers each has its turn."""
    told = "The mill is old. Mill 3 stands."
    made = [document(f"adr/{name}.md", told, "2020") for name in ("0003-kafka", "0004-mill", "0005-mill-3")]
    with fresh(*made) as corpus:
        for query in ("ADR 3", "adr-0003", "adr3"):
            assert called(corpus, query)[0] == "adr/0003-kafka.md"
            assert corpus.at().search(query).hits[0].score >= 0.5
        assert called(corpus, "mills of ADR 4")[0] == "adr/0004-mill.md"
        assert set(called(corpus, "ADR 3 vs ADR 4 of mills")[:2]) == {"adr/0003-kafka.md", "adr/0004-mill.md"}
        assert "adr#9" not in str(corpus.at().search("mills of ADR 9").notes)


def test_the_tree_gives_the_score(notes: Corpus) -> None:
    first, second, *_ = notes.at().search("The quay").hits
    for hit in (first, second):
        assert hit.why.recomputed() == hit.why.value == hit.score
    assert 0.5 <= first.score <= 1.0
    assert second.score < 0.5


def test_nothing_changes_without_such_a_name(notes: Corpus) -> None:
    results = notes.at().search("an old quay")
    assert not any("called that" in note for note in results.notes)
    assert "exact_name" not in str(results.hits[0].why)


# -- several documents by name: their passages in turn ---------------------------------------------


def report(document: Make, id_: str, title: str, date: str, *texts: str) -> Document:
    text, outline = "", []
    for said in texts:
        outline.append(Heading(len(text), 1, said.split()[0]))
        text += f"# {said}\n"
    made: Document = replace(document(id_, text, date, title=title, about=date), outline=tuple(outline))
    return made


@pytest.fixture
def reports(document: Make) -> list[Document]:
    said = ("a revenue revenue revenue rose", "b revenue rose", "c staff left")
    return [
        report(document, "acme", "Acme report", "2021-05", *said),
        report(document, "bolt", "Bolt report", "2021-06", *said[1:]),
        report(document, "late", "Acme report", "2023-06", *said),
        report(document, "cork", "Cork almanac", "2021-06", *said),
    ]


QUESTION = "revenue of Acme and Bolt report"


def test_documents_that_are_named_take_turns(fresh: Make, run: Make, reports: list[Document]) -> None:
    with fresh(*reports) as corpus:
        plain = run(corpus, QUESTION, Lexical(), TopK(), k=99)
        before = {hit.id: hit.score for hit in plain.hits}
        found = run(corpus, QUESTION, Lexical(), RoundRobinByDocument(), TopK(), k=99, spoken=["2021"])
        assert [hit.document for hit in found.hits[:5]] in (
            ["acme", "bolt", "acme", "bolt", "acme"], ["bolt", "acme", "bolt", "acme", "acme"],
        )  # fmt: skip
        acme = [hit.text.strip() for hit in found.hits[:5] if hit.document == "acme"]
        assert acme == ["# a revenue revenue revenue rose", "# b revenue rose", "# c staff left"]
        turns = [1, 1, 2, 2, 3]
        assert [hit.score for hit in found.hits[:5]] == [
            10_000.0 - turn + before[hit.id] * 0.001 for turn, hit in zip(turns, found.hits, strict=False)
        ]
        rest = {hit.id: hit.score for hit in found.hits[5:]}
        assert rest == {id_: score for id_, score in before.items() if id_.startswith(("late", "cork"))}
        assert "passages of 2 documents that the question names, in turn" in found.notes


def test_scores_in_the_unit_interval_stay_there(fresh: Make, run: Make, reports: list[Document]) -> None:
    """Three rounds: 1/2 + (3 - round + score) / 6 for those in turn, half of the score for all others."""
    bounded = (Lexical(), MaxNormalize(), Combine((("normalized", 1.0),)))
    with fresh(*reports) as corpus:
        before = {hit.id: hit.score for hit in run(corpus, QUESTION, *bounded, TopK(), k=99).hits}
        found = run(corpus, QUESTION, *bounded, RoundRobinByDocument(), TopK(), k=99, spoken=["2021"])
        assert [hit.score for hit in found.hits[:5]] == [
            0.5 + (before[hit.id] + 3 - turn) / 6
            for turn, hit in zip([1, 1, 2, 2, 3], found.hits, strict=False)
        ]
        assert {hit.id: hit.score for hit in found.hits[5:]} == {
            id_: score / 2 for id_, score in before.items() if id_.startswith(("late", "cork"))
        }
        assert all(hit.why.recomputed() == hit.score for hit in found.hits)


def ranked(hits: Sequence[Hit]) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in hits]


def test_nothing_changes(fresh: Make, run: Make, reports: list[Document]) -> None:
    """Without a time, of a time of which nothing is, without a name, where each document has one passage, and
    of documents that were published then and state no time."""
    with fresh(*reports) as corpus:
        plain = run(corpus, QUESTION, Lexical(), TopK(), k=99).hits
        for spoken in ([], ["1999"]):
            found = run(corpus, QUESTION, Lexical(), RoundRobinByDocument(), TopK(), k=99, spoken=spoken)
            assert ranked(found.hits) == ranked(plain)
        asked = "revenue staff"
        found = run(corpus, asked, Lexical(), RoundRobinByDocument(), TopK(), k=99, spoken=["2021"])
        assert ranked(found.hits) == ranked(run(corpus, asked, Lexical(), TopK(), k=99).hits)
        whole = (Lexical(), RoundRobinByDocument(title_coverage=1.0), TopK())
        hits = run(corpus, QUESTION, *whole, k=99, spoken=["2021"]).hits
        assert {hit.document for hit in hits if hit.score > 100} == {"acme", "bolt"}
        assert all(hit.score < 100 for hit in run(corpus, "revenue acme", *whole, spoken=["2021"]).hits)
    silent = [replace(each, about=()) for each in reports]
    with fresh(*silent) as corpus:
        found = run(corpus, QUESTION, Lexical(), RoundRobinByDocument(), TopK(), k=99, spoken=["2021"])
        assert ranked(found.hits) == ranked(run(corpus, QUESTION, Lexical(), TopK(), k=99).hits)
    short = [replace(each, text="# a revenue\n", outline=each.outline[:1]) for each in reports]
    with fresh(*short) as corpus:
        found = run(corpus, QUESTION, Lexical(), RoundRobinByDocument(), TopK(), k=99, spoken=["2021"])
        assert ranked(found.hits) == ranked(run(corpus, QUESTION, Lexical(), TopK(), k=99).hits)
