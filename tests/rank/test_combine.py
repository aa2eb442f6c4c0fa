"""Shares, sums and fusion of columns by their formulas; what early termination leaves unread."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from asof import engine
from asof.corpus.corpus import Corpus
from asof.engine import Results
from asof.extensions.systems.stages import Decay
from asof.index import vectors as dense
from asof.index.view import View
from asof.rank import combine
from asof.rank.combine import Combine, EarlyTermination, MaxNormalize, ReciprocalRank, ScanLimits
from asof.rank.expression import Given
from asof.rank.gather import Lexical, Pool, TopK
from asof.rank.rerank import RerankWindow
from asof.rank.stage import Ranking, Recipe
from asof.time.moment import read
from asof.values import Document, Query
from asof.wire import encode, replace

# -- shares and sums of columns: the worked numbers of TWE-RAG's lexical and unified scores --------


Make = Callable[..., Any]


class Columns:
    """Columns of given numbers, for documents d0, d1, ... in order of time."""

    def __init__(self, **columns: list[float]) -> None:
        self.columns = columns

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        for name, numbers in self.columns.items():
            values = np.array(numbers)[: len(ranking.rows)]
            ranking = ranking.with_column(name, Given("given", values))
        return ranking


@pytest.fixture
def scores(fresh: Make, document: Make, run: Make) -> Callable[..., dict[str, float]]:
    """The scores by stages over columns, of a document for each number of them."""

    def scored(columns: Columns, *stages: Any, k: int = 10) -> dict[str, float]:
        n = len(next(iter(columns.columns.values())))
        with fresh(*(document(f"d{at}", f"text {at}", str(1901 + at)) for at in range(n))) as corpus:
            hits = run(corpus, "x", columns, *stages, TopK(), k=k).hits
        return {hit.document: hit.score for hit in hits}

    return scored


# -- words ---------------------------------------------------------------------------------------------


ACME = ["the ceo of acme is alice", "acme names bob as new ceo ceo", "quarterly revenue of the bakery rose"]


def bm25(counts: list[int], dfs: list[int], length: int, lengths: list[int]) -> float:
    """As TWE-RAG prints it: k1 1.5, b .75, the idf with + 1 inside the logarithm."""
    n, average = len(lengths), sum(lengths) / len(lengths)
    return sum(
        math.log((n - df + 0.5) / (df + 0.5) + 1)
        * tf * (1.5 + 1) / (tf + 1.5 * (1 - 0.75 + 0.75 * length / average))
        for tf, df in zip(counts, dfs, strict=True)
    )  # fmt: skip


def test_bm25_and_its_share_of_the_best(fresh: Make, document: Make, run: Make) -> None:
    lengths = [len(text.split()) for text in ACME]
    assert sum(lengths) / 3 == pytest.approx(6.33333333333)
    raw = [bm25([1, 1], [2, 2], 6, lengths), bm25([1, 2], [2, 2], 7, lengths)]
    assert raw == pytest.approx([0.962810669075, 1.09820674411], rel=1e-11)
    with fresh(*(document(f"d{at}", text) for at, text in enumerate(ACME))) as corpus:
        hits = run(corpus, "acme ceo", Lexical(), TopK()).hits
        assert {hit.document: hit.score for hit in hits} == pytest.approx(
            {"d0": raw[0], "d1": raw[1]}, rel=1e-14
        )
        shares = run(
            corpus, "acme ceo", Lexical(), MaxNormalize(), Combine((("normalized", 1.0),)), TopK()
        ).hits
        assert {hit.document: hit.score for hit in shares} == {
            "d0": pytest.approx(raw[0] / raw[1], rel=1e-14), "d1": 1.0,
        }  # fmt: skip
        assert shares[1].score == pytest.approx(0.876711670398, rel=1e-11)


def test_a_share_is_of_the_candidates_of_the_window(fresh: Make, document: Make, run: Make) -> None:
    stages = (Lexical(), MaxNormalize(), Combine((("normalized", 1.0),)), TopK())
    with fresh(*(document(f"d{at}", text, f"{2001 + at}") for at, text in enumerate(ACME))) as corpus:
        until = corpus.at("2001").as_of
        assert [(h.document, h.score) for h in run(corpus, "acme ceo", *stages, until=until).hits] == [
            ("d0", 1.0)
        ]


def test_a_share_does_not_rank(scores: Make) -> None:
    assert scores(Columns(one=[3.0, 4.0, 0.0], two=[1.0, 2.0, 3.0]), MaxNormalize("one")) == {
        "d0": 1.0, "d1": 2.0, "d2": 3.0,
    }  # fmt: skip


# -- sums ----------------------------------------------------------------------------------------------


def test_the_unified_score_on_given_parts(scores: Make) -> None:
    """S = 1 · .8 + 1 · .75 + .5 · .5 + 2.5 · exp(-45 / 90); at most 1 + 1 + .5 + delta."""
    decay, tau = Decay().adapted(1.0)
    columns = Columns(
        normalized=[0.8, 1.0, 0.0], latent=[0.75, 1.0, 0.0], centrality=[0.5, 1.0, 0.0],
        decay=[decay * math.exp(-45 / tau), decay, 0.0],
    )  # fmt: skip
    weights = (("normalized", 1.0), ("latent", 1.0), ("centrality", 0.5), ("decay", 1.0))
    found = scores(columns, Combine(weights, "unified"))
    assert found == {"d0": 0.8 + 0.75 + 0.5 * 0.5 + 2.5 * math.exp(-0.5), "d1": 1 + 1 + 0.5 + 2.5}
    assert found["d0"] == pytest.approx(3.31632664928)
    assert found["d1"] == 5.0, "not 5.5, as its README has it"
    assert Decay().adapted(0.0)[0] + 1 + 1 + 0.5 == 3.25


def test_weights_and_their_order(scores: Make) -> None:
    columns = Columns(one=[0.1, 0.7, 0.0], two=[0.2, 0.1, 0.3], three=[0.3, 0.0, 0.0])
    assert scores(columns, Combine((("one", 2.0), ("two", 0.5), ("three", -1.0)))) == {
        "d0": 0.1 * 2.0 + 0.2 * 0.5 + 0.3 * -1.0, "d1": 0.7 * 2.0 + 0.1 * 0.5, "d2": 0.3 * 0.5,
    }  # fmt: skip
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    given_ = scores(columns, Combine((("one", 1.0), ("two", 1.0), ("three", 1.0))))
    turned = scores(columns, Combine((("three", 1.0), ("two", 1.0), ("one", 1.0))))
    assert (given_["d0"], turned["d0"]) == (0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1)


def test_a_column_that_is_not_there(fresh: Make, document: Make, run: Make) -> None:
    with fresh(document("a", "mill")) as corpus:
        stage = Combine((("dense", 1.0), ("lexical", 2.0), ("nobody", 1.0)), "both")
        results = run(corpus, "mill", Lexical(), stage, TopK())
        assert results.hits[0].score == 2 * run(corpus, "mill", Lexical(), TopK()).hits[0].score
        assert results.notes == ("both is without dense, nobody: no such column",)
        assert run(corpus, "mill", Lexical(), Combine((("nobody", 1.0),)), TopK()).hits == ()


numbers = st.lists(st.floats(0, 10), min_size=4, max_size=4)


@pytest.fixture
def four(fresh: Make, document: Make) -> Any:
    with fresh(*(document(f"d{at}", f"text {at}", str(2001 + at)) for at in range(4))) as corpus:
        yield corpus


def test_trees_and_chosen_places(four: Any, run: Make) -> None:
    """What is summed does not depend on whether places were chosen before (`run` looks at the trees)."""

    @given(numbers, numbers, st.floats(-3, 3), st.floats(0, 3))
    def holds(one: list[float], two: list[float], first: float, second: float) -> None:
        columns = Columns(one=one, two=two)
        combine = Combine((("normalized", first), ("two", second)))
        pooled = run(four, "x", columns, MaxNormalize("one"), Pool(9), combine, TopK())
        view = four.at().view()
        query = Query("x", "x")
        whole = Recipe("test", "", (columns, MaxNormalize("one"), combine, TopK()))
        known = {hit.id: hit.score for hit in engine.search(query, view, whole).hits}
        found = {hit.id: hit.score for hit in pooled.hits}
        assert {id_: found[id_] for id_ in known if id_ in found} == {
            id_: score for id_, score in known.items() if id_ in found
        }
        best = max(one)
        for hit in pooled.hits:
            at = int(hit.document[1:])
            share = one[at] / best if best > 0 else 0.0
            assert hit.score == share * first + two[at] * second

    holds()


# -- fusion: expected values are the formulas ------------------------------------------------------


BOTH = (("one", 1.0), ("two", 1.0))


def test_reciprocal_ranks(scores: Make) -> None:
    columns = Columns(one=[0.9, 0.5, 0.7, 0.0], two=[0.1, 0.0, 5.0, 0.2])
    assert scores(columns, ReciprocalRank(BOTH)) == {
        "d0": 1 / (60 + 1) + 1 / (60 + 3),
        "d1": 1 / (60 + 3),
        "d2": 1 / (60 + 2) + 1 / (60 + 1),
        "d3": 1 / (60 + 2),
    }


def test_reciprocal_ranks_with_weights_depth_and_ties(scores: Make) -> None:
    columns = Columns(one=[0.5, 0.5, 0.5, 0.9], two=[0.0, 0.0, 0.0, 0.0])
    stage = ReciprocalRank((("one", 2.0), ("two", 1.0), ("nobody", 1.0)), k=10, depth=3)
    assert scores(columns, stage) == {
        "d3": 2 / (10 + 1), "d2": 2 / (10 + 2), "d1": 2 / (10 + 3),
    }, "of equals the later ones come first, and d0 is beyond the depth"  # fmt: skip


def test_reciprocal_ranks_of_two_lists(scores: Make) -> None:
    """Of the lists a b c d and c e a: a and c tie exactly, b and e too; ties fall to the later document."""
    first, second = [4.0, 3.0, 2.0, 1.0, 0.0], [1.0, 0.0, 3.0, 0.0, 2.0]  # of a, b, c, d, e
    found = scores(Columns(one=first, two=second), ReciprocalRank(BOTH))
    assert found == {
        "d0": 1 / (60 + 1) + 1 / (60 + 3), "d1": 1 / (60 + 2), "d2": 1 / (60 + 3) + 1 / (60 + 1),
        "d3": 1 / (60 + 4), "d4": 1 / (60 + 2),
    }  # fmt: skip
    assert list(found) == ["d2", "d0", "d4", "d1", "d3"]
    assert list(found.values()) == pytest.approx(
        [0.032266458496, 0.032266458496, 0.0161290322581, 0.0161290322581, 0.015625]
    )


def test_single_ranks(scores: Make) -> None:
    """Ranks 1, 10 and 100 of one list, and 1 of both."""
    one = [float(100 - at) for at in range(100)]
    both = [1.0] + [0.0] * 99
    found = scores(Columns(one=one), ReciprocalRank((("one", 1.0),)), k=100)
    assert [found[f"d{at}"] for at in (0, 9, 99)] == [1 / (60 + 1), 1 / (60 + 10), 1 / (60 + 100)]
    assert scores(Columns(one=one, two=both), ReciprocalRank(BOTH))["d0"] == 1 / 61 + 1 / 61


def test_reciprocal_ranks_do_not_see_the_scale(scores: Make) -> None:
    given_ = Columns(one=[0.9, 0.5, 0.7, 0.0], two=[0.1, 0.0, 5.0, 0.2])
    scaled = Columns(one=[900.0, 500.0, 700.0, 0.0], two=[1e-9, 0.0, 5e-8, 2e-9])
    assert scores(given_, ReciprocalRank(BOTH)) == scores(scaled, ReciprocalRank(BOTH))


# -- certified halting: what is not read could not have mattered -----------------------------------


Fresh = Callable[..., AbstractContextManager[Corpus]]
Run = Callable[..., Results]


@dataclass(frozen=True)
class Told:
    """An encoder of two dimensions: the vector that a text tells, at the angle after its last "@"."""

    name: str = "told"

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        angles = np.array([float(text.rpartition("@")[2]) if "@" in text else 0.0 for text in texts])
        return np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)


SMALL = ScanLimits(trials=(10, 3), min_trial=2, max_share=1.0, scanned=0)
"""Corpora of a test are small: a certificate is tried on them too."""


def found(results: Results) -> list[tuple[Any, ...]]:
    return [(hit.id, hit.score, encode(hit.why)) for hit in results.hits]


passages = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["mill", "ferry", "rope", "fog"]), min_size=1, max_size=5),
        st.integers(0, 31), st.one_of(st.none(), st.integers(2000, 2024)),
    ),
    min_size=4, max_size=24,
)  # fmt: skip
WINDOW = RerankWindow(n=10)


def compare(run: Run, corpus: Corpus, question: str, k: int, weight: float) -> list[str]:
    """Asks with and without a certificate; returns its notes."""
    short = (EarlyTermination(dense=weight, limits=SMALL), TopK())
    whole = (EarlyTermination(dense=weight, then=WINDOW, limits=SMALL), WINDOW, TopK())
    for stages in (short, whole):
        certified, *rest = stages
        all_read = replace(certified, prune=False)
        exact = run(corpus, question, Lexical(), all_read, *rest, k=k, as_of="2026")
        results = run(corpus, question, Lexical(), *stages, k=k, as_of="2026")
        assert found(results) == found(exact)
    return [note for note in results.notes if note.startswith("exact")]


def property_(fresh: Fresh, run: Run, document: Any, **options: Any) -> Callable[[], None]:
    @settings(suppress_health_check=list(HealthCheck), **options)
    @given(passages, st.integers(0, 31), st.integers(1, 4), st.sampled_from([0.1, 0.5, 2.0]))
    def holds(texts: list[tuple[list[str], int, int | None]], angle: int, k: int, weight: float) -> None:
        made = [
            document(f"d{at}", f"{' '.join(words)} @{turn / 5}", None if year is None else str(year))
            for at, (words, turn, year) in enumerate(texts)
        ]
        with fresh(*made, encoder=Told()) as corpus:
            compare(run, corpus, f"mill rope @{angle / 5}", k, weight)

    return holds


@pytest.mark.slow
def test_a_certificate_never_lies(fresh: Fresh, run: Run, document: Any) -> None:
    """The first k, their scores and their trees are those of reading every vector."""
    property_(fresh, run, document)()


def test_a_bound_that_is_too_low_is_caught(
    fresh: Fresh, run: Run, document: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(combine, "largest_cosine", lambda _: 0.3)
    with pytest.raises(AssertionError):
        property_(fresh, run, document, max_examples=300, phases=[Phase.generate])()


@pytest.fixture
def fogs(document: Any) -> list[Document]:
    """One passage is all about mills, one says it once; thirty others are about fog with the same vector."""
    fog = [document(f"fog{at:02}", f"fog {'rope ' * 20} @0", "2020") for at in range(30)]
    return [document("mill", "mill mill @0", "2020"), document("inn", f"mill {'inn ' * 30} @0", "2020"), *fog]


def test_it_says_how_many_vectors_were_read(fresh: Fresh, run: Run, fogs: list[Document]) -> None:
    """The best scores 1 + .5 · 1; with fog the words are 0, so at most .5 · 1.024 < 1.5: 1 of 32 suffices,
    but 2 are read at the first trial."""
    with fresh(*fogs, encoder=Told()) as corpus:
        results = run(corpus, "mill @0", Lexical(), EarlyTermination(limits=SMALL), TopK(), k=1)
        assert [hit.document for hit in results.hits] == ["mill"]
        assert results.hits[0].score == pytest.approx(1.0 + 0.5 * 1.0)
        assert (
            "exact: the vectors of 3.12% of 32 passages were read; no other can reach the first 1"
            in results.notes
        )


def test_where_words_do_not_decide_everything_is_read(fresh: Fresh, run: Run, fogs: list[Document]) -> None:
    """For the third best, words are 0: any passage may be it. Of too many survivors all are read, too."""
    with fresh(*fogs, encoder=Told()) as corpus:
        for k, limits in ((3, SMALL), (1, replace(SMALL, max_share=0.0))):
            results = run(corpus, "mill @0", Lexical(), EarlyTermination(limits=limits), TopK(), k=k)
            assert "exact: the vectors of all 32 passages were read" in results.notes
            assert len(results.hits) == k
    with fresh(*fogs) as corpus:  # without an encoder words alone decide
        results = run(corpus, "mill", Lexical(), EarlyTermination(limits=SMALL), TopK())
        assert results.hits[0].score == 1.0
        assert not [note for note in results.notes if "vectors" in note]


@pytest.mark.parametrize("share", [0.0, 0.05, 1.0])
@pytest.mark.parametrize("k", [1, 3])
def test_what_is_not_known_yet_is_not_counted(
    fresh: Fresh, run: Run, fogs: list[Document], document: Any, share: float, k: int
) -> None:
    """Neither does it decide what is read, which the numbers of later stages would show."""
    limits = replace(SMALL, max_share=share)
    stages = (Lexical(), EarlyTermination(limits=limits), RerankWindow(), TopK())
    with fresh(*fogs, encoder=Told()) as corpus:
        before = run(corpus, "mill inn @0", *stages, k=k)
        assert before.notes
        corpus.session.clock = itertools.count(read("2026").first, 1_000_000).__next__
        corpus.add([document(f"new{at:02}", f"inn {'quay ' * 30} @0", "2020") for at in range(99)])
        then = run(corpus, "mill inn @0", *stages, k=k, as_of="2025", known_at="2025")
        assert (found(then), then.notes) == (found(before), before.notes)


def test_filters_hold_for_vectors_too(fresh: Fresh, run: Run, document: Any) -> None:
    made = [document(f"d{at}", f"fog {at} @0", "2020", tags=("a",) if at % 2 else ()) for at in range(8)]
    with fresh(*made, encoder=Told()) as corpus:
        results = run(corpus, "mill @0", Lexical(), EarlyTermination(limits=SMALL), TopK(), tags=("a",))
        assert {hit.document for hit in results.hits} == {"d1", "d3", "d5", "d7"}


def test_no_cosine_exceeds_its_bound() -> None:
    """A vector of 256 equal parts: each rounds to 4000/16 = 250 exactly; of 255 parts the length is not 1."""
    vectors = np.full((1, 256), 1 / 16, np.float32)
    whole = dense.quantise(vectors)[0]
    own = float((whole.astype(np.int64) ** 2).sum()) / 16_000_000
    assert own == 1.0 <= dense.largest_cosine(whole) == pytest.approx(4096 / 4000)
