"""The evidence graph by hand: who corroborates whom, how much, and who does not count."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.revisions.made import document, fresh

from asof.documents import Document
from asof.extensions.systems.evidence import Evidence, evidence
from asof.extensions.systems.overlap import EDGE_SCALE
from asof.index.view import View
from asof.text.tokens import tokenize
from asof.time.span import BEGINNING

TEXTS = {
    "A": "the merger of acme and globex closed on friday",
    "B": "analysts say the merger of acme and globex will cut costs",
    "C": "acme and globex closed on friday after a long review",
    "D": "penguins live in the south and eat fish",
}
# shingles: A 7, B 9, C 8, D 6; A and B share 4, A and C share 4, B and C share 1
AB, AC, BC = 4 / (7 + 9 - 4), 4 / (7 + 8 - 4), 1 / (9 + 8 - 1)


def words(*names: str, count: int = 22) -> str:
    """Words that no other text of this file has, for each name `count` of them."""
    return " ".join(f"{name}{at}" for name in names for at in range(count))


def weights(view: View, graph: Evidence) -> dict[frozenset[str], float]:
    """Edges by the documents at their ends, with J again."""
    rows = np.flatnonzero(graph.alive[graph.nodes])
    names = {row: record.document for row, record in zip(rows.tolist(), view.records(rows), strict=True)}
    return {
        frozenset((name, names[other])): weight / EDGE_SCALE
        for row, name in names.items()
        for other, weight in zip(*(each.tolist() for each in graph.neighbours(row)), strict=True)
    }


def by_document(view: View, values: Any) -> dict[str, Any]:
    """Values of rows, by document; passages not in force are left out, of several the last counts."""
    rows = np.flatnonzero(evidence(view).alive[evidence(view).nodes])
    return {
        record.document: values[row] for row, record in zip(rows.tolist(), view.records(rows), strict=True)
    }


# -- the golden example of TWE-RAG --------------------------------------------------------------------


def test_edges_and_degrees_of_four_texts() -> None:
    with fresh(*(document(name, text) for name, text in TEXTS.items())) as corpus:
        view = corpus.at().view()
        graph = evidence(view, cap=0)
        assert weights(view, graph) == pytest.approx(
            {frozenset("AB"): AB, frozenset("AC"): AC, frozenset("BC"): BC}, abs=1 / EDGE_SCALE
        )
        whole = {
            "A": round(EDGE_SCALE * AB) + round(EDGE_SCALE * AC),
            "B": round(EDGE_SCALE * AB) + round(EDGE_SCALE * BC),
            "C": round(EDGE_SCALE * AC) + round(EDGE_SCALE * BC), "D": 0,
        }  # fmt: skip
        assert by_document(view, graph.degrees) == whole
        assert graph.largest == whole["A"]
        shares = {name: degree / graph.largest for name, degree in whole.items()}
        expected = {"A": 1.0, "B": (AB + BC) / (AB + AC), "C": (AC + BC) / (AB + AC), "D": 0.0}
        assert shares == pytest.approx(expected, abs=1e-8)
        assert shares["B"] == pytest.approx(0.567934782609, abs=1e-8)


# -- the edge ----------------------------------------------------------------------------------------


def test_an_overlap_at_the_threshold_is_no_edge() -> None:
    """n + 2 words are n shingles: 10, 10, 11, all with one in common. 10 + 11 - 1 = 20, 10 + 10 - 1 = 19."""
    counts = {"a": 10, "b": 10, "c": 11}
    texts = {name: f"{words(name, count=n + 2 - 3)} mill ferry bread" for name, n in counts.items()}
    with fresh(*(document(name, text) for name, text in texts.items())) as corpus:
        view = corpus.at().view()
        nineteenth, twentieth = pytest.approx(1 / 19), 1 / 20
        assert weights(view, evidence(view, threshold=0.05)) == {frozenset("ab"): nineteenth}
        assert weights(view, evidence(view, threshold=0.0499)) == {
            frozenset("ab"): nineteenth, frozenset("ac"): twentieth, frozenset("bc"): twentieth,
        }  # fmt: skip


def test_where_nobody_corroborates_anybody() -> None:
    with fresh(document("a", words("a")), document("b", words("b")), document("c", "two words")) as corpus:
        graph = evidence(corpus.at().view())
        assert (graph.degrees.tolist(), graph.largest) == ([0, 0, 0], 0)
    with fresh() as corpus:
        assert len(evidence(corpus.at().view()).degrees) == 0
        corpus.add([document("a", words("a"), "2020")])
        early = evidence(corpus.at("2019").view())
        assert len(early.degrees) == early.largest == 0


# -- the cap: of those that carry a shingle, the first in time share it --------------------------------


def test_only_the_first_two_in_time_share_a_shingle() -> None:
    """SourcedTime in another order than published; each has 3 shingles, one of which all have."""
    dates = {"third": "2023", "first": "2021", "fourth": "2024", "second": "2022"}
    documents = [document(name, f"mill ferry bread {name} {name}s", date) for name, date in dates.items()]
    with fresh(*documents) as corpus:
        one = 1 / (3 + 3 - 1)
        view = corpus.at().view()
        assert weights(view, evidence(view, cap=2)) == {frozenset(("first", "second")): pytest.approx(one)}
        assert len(weights(view, evidence(view, cap=3))) == 3
        assert len(weights(view, evidence(view, cap=4))) == len(weights(view, evidence(view, cap=0))) == 6
        assert weights(view, evidence(view, cap=1)) == {}
        then = corpus.at("2022").view()
        assert weights(then, evidence(then, cap=2)) == {frozenset(("first", "second")): pytest.approx(one)}


TEXT = st.lists(st.sampled_from(["mill", "ferry", "bread"]), max_size=7).map(" ".join)


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(2020, 2023), TEXT), max_size=12),
    st.integers(0, 4),
    st.sampled_from([0.0, 0.05, 0.25, 1 / 3, 0.5]),
)
def test_the_definition_with_sets(drawn: list[tuple[int, int, str]], cap: int, threshold: float) -> None:
    with fresh() as corpus:
        for id_, year, text in drawn:
            corpus.add([document(f"d{id_}", text or "-", str(year))])
        view = corpus.at().view()
        assert weights(view, evidence(view, cap=cap, threshold=threshold)) == defined(view, cap, threshold)


def defined(view: View, cap: int, threshold: float) -> dict[frozenset[str], float]:
    """Edges by the definition: one passage a document here, so documents name them."""
    rows = np.arange(view.prefix.rows)
    facts = list(zip(*(view.column(name, rows).tolist() for name in ("visible", "digest")), strict=True))
    records = view.records(rows)
    dead = {row + part.offset for part in view.prefix.parts for row in part.dead.tolist()}
    retired = {
        passage
        for passage, at in view.store.db.execute("SELECT passage, at FROM ends").fetchall()
        if at == BEGINNING
    }
    said = {row: triples(records[row].text) for row in rows.tolist() if records[row].passage not in retired}
    in_time = sorted(said, key=lambda row: facts[row])
    sharers = {
        triple: [row for row in in_time if triple in said[row]][: cap or None]
        for triple in set().union(*said.values())
    }
    found = {}
    for one, other in itertools.combinations([row for row in in_time if row not in dead], 2):
        shared = sum(one in rows and other in rows for rows in sharers.values())
        union = len(said[one]) + len(said[other]) - shared
        if shared and shared / union > threshold:
            names = frozenset((records[one].document, records[other].document))
            found[names] = round(EDGE_SCALE * (shared / union)) / EDGE_SCALE
    return found


def triples(text: str) -> set[tuple[str, ...]]:
    each = tokenize(text)
    return {tuple(each[at : at + 3]) for at in range(len(each) - 2)}


# -- independence ------------------------------------------------------------------------------------


def test_passages_of_one_document_and_its_versions_are_one_voice() -> None:
    same = words("a", count=30)
    two = Document("two", f"# One\n{same}\n# Two\n{same}\n")
    with fresh(two, chunking="40w") as corpus:
        assert corpus.at().view().n > 1
        assert evidence(corpus.at().view()).largest == 0
    with fresh(document("a", same, "2020"), document("a", f"{same} and more", "2021")) as corpus:
        for when in ("2020", "2021"):
            assert evidence(corpus.at(when).view()).largest == 0


def test_versions_of_another_document_count_once() -> None:
    same = words("a")
    with fresh(
        document("a", same, "2020"), document("a", f"{same} more", "2021"), document("b", same)
    ) as corpus:
        view = corpus.at("2024").view()
        assert weights(view, evidence(view)) == {frozenset("ab"): pytest.approx(20 / 21)}
        assert by_document(view, evidence(view).degrees) == {
            "a": round(EDGE_SCALE * 20 / 21),
            "b": round(EDGE_SCALE * 20 / 21),
        }
