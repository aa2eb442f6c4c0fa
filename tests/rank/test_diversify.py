"""Diversity: a cap for each document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof import engine
from asof.index.view import View
from asof.models.encoders import HashedNgrams
from asof.rank.combine import Hybrid, MaxNormalize
from asof.rank.expression import Given
from asof.rank.gather import Lexical, TopK
from asof.rank.rerank import PerDocument, before_cut
from asof.rank.stage import Ranking, Recipe
from asof.recipes import ASOF
from asof.values import Query

# -- reranking: the first few by a model's numbers, the rest below in their order, and no text of th---


Make = Callable[..., Any]


@dataclass(frozen=True)
class Marked:
    """Scores that the texts tell: the number after "score" in each; 0 where there is none."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        rows = ranking.window.rows(np.arange(ranking.window.n))
        told = [record.text.partition("score ")[2].split(" ")[0] for record in view.records(rows)]
        values = np.array([float(each or 0) for each in told])
        return ranking.with_column("marked", Given("told", values))


def passages(*scores: float) -> str:
    """A document of one passage for each score."""
    filler = "alpha beta gamma delta epsilon zeta eta theta"
    return "".join(f"score {score} {filler}.\n\n" for score in scores)


def found(results: Any) -> list[tuple[str, float]]:
    return [(hit.document, hit.score) for hit in results.hits]


def documents(results: Any) -> list[str]:
    return [hit.document for hit in results.hits]


# -- a cap for each document -------------------------------------------------------------------------


@pytest.fixture
def three(document: Make) -> list[Any]:
    """By score: A A A B C, the documents of the worked example of the cap."""
    return [
        document("A", passages(9.0, 8.0, 7.0), "2001"),
        document("B", passages(6.0), "2002"),
        document("C", passages(5.0), "2003"),
    ]


def test_two_of_a_document(fresh: Make, run: Make, three: list[Any]) -> None:
    """The positions 1, 2, 4, 5 of A A A B C are the first 4, and the third is the fifth."""
    with fresh(*three, chunking="10w") as corpus:
        before = run(corpus, "x", Marked(), TopK())
        assert documents(before) == ["A", "A", "A", "B", "C"]
        capped = run(corpus, "x", Marked(), PerDocument(), TopK(), k=4)
        assert [hit.id for hit in capped.hits] == [before.hits[at - 1].id for at in (1, 2, 4, 5)]
        assert [hit.score for hit in capped.hits] == [9.0, 8.0, 6.0, 5.0]
        filled = run(corpus, "x", Marked(), PerDocument(), TopK(), k=5)
        assert [hit.id for hit in filled.hits] == [before.hits[at - 1].id for at in (1, 2, 4, 5, 3)]
        assert filled.hits[4].score == 5.0 - 1
        assert filled.notes == (
            "diversity: 1 of the first 5 candidates moved down, being more than 2 of one document",
        )


def test_skipped_and_then_the_rest(fresh: Make, run: Make, document: Make) -> None:
    texts = [
        document("A", passages(9, 8, 8, 7), "2001"), document("B", passages(6), "2002"),
        document("C", passages(5, 5), "2003"), document("D", passages(4), "2004"),
    ]  # fmt: skip
    with fresh(*texts, chunking="10w") as corpus:
        capped = run(corpus, "x", Marked(), PerDocument(most=1, first=5), TopK())
        assert found(capped) == [
            ("A", 9.0), ("B", 6.0),  # the first five are A A A A B
            ("A", 6.0 - 1), ("A", 6.0 - 1), ("A", 6.0 - 2),
            ("C", 6.0 - 3), ("C", 6.0 - 3), ("D", 6.0 - 4),
        ]  # fmt: skip


def test_where_nothing_changes_later_searches_are_sound(fresh: Make, run: Make, three: list[Any]) -> None:
    """Arrays of scores are used again: none may be given back twice, or two columns would share one."""
    with fresh(*three) as corpus:
        for _ in range(3):
            run(corpus, "mill", Lexical(), PerDocument(most=99), TopK())
        prefix = corpus.at().view().prefix
        arrays = [prefix.zeros(1) for _ in range(4)]
        assert len({id(array) for array in arrays}) == 4


# -- invariants --------------------------------------------------------------------------------------


CAPS = [PerDocument(1), PerDocument(2, first=3)]


texts = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["mill", "ferry", "rope", "fog"]), min_size=1, max_size=6),
        st.integers(0, 3), st.one_of(st.none(), st.integers(2001, 2003)),
    ),
    min_size=1, max_size=10,
)  # fmt: skip


def made_of(document: Make, drawn: Sequence[tuple[list[str], int, int | None]]) -> list[Any]:
    """Up to four documents: paragraphs of the same one become its passages."""
    paragraphs: dict[int, list[str]] = {}
    years: dict[int, int | None] = {}
    for said, owner, year in drawn:
        paragraphs.setdefault(owner, []).append(" ".join(said * 10))
        years.setdefault(owner, year)
    return [
        document(f"d{owner}", "\n\n".join(said), None if years[owner] is None else str(years[owner]))
        for owner, said in paragraphs.items()
    ]


@pytest.mark.slow
@pytest.mark.parametrize("encoder", [None, HashedNgrams(d=16)], ids=["words", "vectors"])
def test_invariants(fresh: Make, run: Make, document: Make, encoder: Any) -> None:
    """The same passages; the first stays first; what is shown does not depend on k, nor on whether places
    were chosen before; trees give their scores (`run` looks)."""

    @given(texts, st.integers(1, 4), st.sampled_from(CAPS))
    def holds(drawn: Any, k: int, stage: Any) -> None:
        with fresh(*made_of(document, drawn), encoder=encoder, chunking="10w") as corpus:
            asked = partial(run, corpus, "mill fog", Lexical(), Hybrid(), as_of="2026", k=99)
            before, after = asked(TopK()), asked(stage, TopK())
            assert {hit.id for hit in after.hits} == {hit.id for hit in before.hits}
            assert [hit.id for hit in after.hits[:1]] == [hit.id for hit in before.hits[:1]]
            assert all(one.score >= other.score for one, other in pairwise(after.hits))
            shown = [(hit.id, hit.score, hit.why) for hit in after.hits]
            assert [(hit.id, hit.score, hit.why) for hit in asked(TopK(), stage, TopK()).hits] == shown
            few = engine.search(
                Query("mill fog", "mill fog", k=k), corpus.at("2026").view(),
                before_cut(Recipe("test", "", (Lexical(), Hybrid(), TopK())), stage),
            )  # fmt: skip
            assert [(hit.id, hit.score, hit.why) for hit in few.hits] == shown[:k]
            first = documents(before)[: stage.first]
            kept = sum(min(first.count(name), stage.most) for name in set(first))
            assert all(documents(after)[:kept].count(name) <= stage.most for name in set(first))

    holds()


@pytest.mark.parametrize("stage", CAPS, ids=repr)
@pytest.mark.parametrize("encoder", [None, HashedNgrams(d=32)], ids=["words", "vectors"])
def test_what_comes_later_has_no_effect(
    fresh: Make, run: Make, document: Make, stage: Any, encoder: Any
) -> None:
    """To the last bit of scores and trees; what was superseded since is still among the first."""
    said = ["mill mill rope", "mill fog", "mill mill fog", "mill rope rope", "boat"]
    made = [document(f"d{at % 3}", text * 4, str(2001 + at % 3)) for at, text in enumerate(said[:3])]
    made.append(document("d3", "\n\n".join(f"{text} " * 4 for text in said), "2004"))
    later = [
        document("d0", "mill other", "2006"),
        document("x", "mill mill mill", "2007"),
        document("d3", "", "2008"),
    ]
    found = []
    for after in ([], later):
        with fresh(*made, encoder=encoder, chunking="10w") as corpus:
            for each in after:
                corpus.add([each])
            results = run(corpus, "mill rope", Lexical(), stage, TopK(), as_of="2005")
            found.append(([(hit.id, hit.score, hit.why) for hit in results.hits], results.notes))
    assert found[0] == found[1]
    assert len(found[0][0]) > 4


def test_the_name_and_place_in_a_recipe() -> None:
    whole = Recipe("whole", "", (Lexical(), Hybrid(), MaxNormalize(""), TopK()))
    recipe = before_cut(whole, PerDocument())
    assert before_cut(ASOF, PerDocument()).stages[-2:] == (PerDocument(), TopK())
    assert recipe.name == "whole-diverse"
    assert recipe.stages[-2:] == (PerDocument(), TopK())
    assert [query.k for _, _, query in recipe.steps(Query("x", "x", k=10))] == [50] * 3 + [10, 10]
