"""What holds for stages whatever they do: nothing found, switched off, columns that do not rank, bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from asof.documents import Document, Heading, Link
from asof.errors import UsageError
from asof.extensions.systems.budget import BudgetedRerank
from asof.extensions.systems.linked_notes import Backlinks, RecencyTiers
from asof.extensions.systems.stages import (
    Centrality,
    Coverage,
    Decay,
    Freshness,
    Gap,
    Latent,
    ReciprocalRank,
    Similarity,
)
from asof.models.encoders import HashedNgrams
from asof.rank.combine import Combine, Hybrid, MaxNormalize
from asof.rank.gather import ByDocument, Lexical, Pool, TopK
from asof.rank.rerank import AppendRest, Rerank, RerankWindow, RoundRobinByDocument
from asof.rank.stage import Recipe
from asof.rank.words import QueryCoverage, TitleColumns
from asof.schema import checked

Make = Callable[..., Any]


class Never:
    """A reranker that is not asked."""

    def __repr__(self) -> str:  # the name of a test is the same in every process
        return "Never()"

    name = "never"

    def scores(self, query: str, texts: object) -> list[float]:
        raise AssertionError("there is nothing to rerank")


STAGES = [
    (), (Pool(),), (Pool(3), Pool(2)), (ByDocument(),), (ReciprocalRank(),),
    (MaxNormalize(), Combine((("normalized", 1.0),))), (Hybrid(),),
    (RerankWindow(), AppendRest()), (Rerank(Never()),),
    (RoundRobinByDocument(),), (QueryCoverage(),), (TitleColumns(),), (Backlinks(),), (RecencyTiers(),),
    (Gap(),),
    (BudgetedRerank(by="lexical"),), (Centrality(),), (Decay(),), (Freshness(),), (Similarity(), Coverage()),
    (Latent("cosine"),),
]  # fmt: skip


@pytest.fixture
def mills() -> list[Document]:
    """Three notes about a mill, one of them linked to, with a heading and a tag, and one about fog."""
    return [
        Document("a", "# Mill\nmill rope", published="2020", outline=(Heading(0, 1, "Mill"),)),
        Document("b", "mill mill fog", published="2021", tags=("mill",), links=(Link("a"),)),
        Document("c", "mill", published="2022", title="The mill"),
        Document("d", "fog", published="2023"),
    ]


@pytest.mark.parametrize("stages", STAGES, ids=repr)
@pytest.mark.parametrize("encoder", [None, HashedNgrams(d=32)], ids=["words", "vectors"])
def test_nothing_and_no_match(
    fresh: Make, run: Make, mills: list[Document], stages: tuple[Any, ...], encoder: Any
) -> None:
    with fresh(encoder=encoder) as corpus:
        assert run(corpus, "mill", Lexical(), *stages, TopK(), spoken=["2021"]).hits == ()
    with fresh(*mills) as corpus:
        assert run(corpus, "penguin", Lexical(), *stages, TopK(), spoken=["2021"]).hits == ()
        assert run(corpus, "mill", Lexical(), *stages, TopK(), paths=("x*",)).hits == ()


OFF = [
    Backlinks(0.0), RecencyTiers(values=(1.0,) * 4),
    AppendRest(),
]  # fmt: skip


@pytest.mark.parametrize("stage", OFF, ids=repr)
def test_off_changes_nothing(fresh: Make, run: Make, mills: list[Document], stage: Any) -> None:
    with fresh(*mills) as corpus:
        before, after = (run(corpus, "mill", Lexical(), *more, TopK()) for more in ((), (stage,)))
        assert [(hit.id, hit.score, hit.why) for hit in after] == [
            (hit.id, hit.score, hit.why) for hit in before
        ]
        assert after.notes == before.notes


@pytest.mark.parametrize(
    "stage", [Decay(), Centrality(), Freshness(), QueryCoverage(), TitleColumns(), MaxNormalize()], ids=repr
)
def test_columns_that_do_not_rank(fresh: Make, run: Make, mills: list[Document], stage: Any) -> None:
    with fresh(*mills) as corpus:
        before, after = (run(corpus, "mill", Lexical(), *more, TopK()) for more in ((), (stage,)))
        assert [(hit.id, hit.score) for hit in after] == [(hit.id, hit.score) for hit in before]


@pytest.mark.parametrize(
    ("stage", "field", "accepted", "refused"),
    [
        (Pool(), "n", 100_000, 0), (Pool(), "n", 1, 100_001), (Pool(), "n", 7, 2.5),

        (Backlinks(), "weight", 1.0, 1.1), (Backlinks(), "cap", 100, 0),
        (Centrality(), "threshold", 1.0, 1.1),
        (Centrality(), "cap", 0, 2.5),
        (Latent(), "scale", "cosine", "raw"), (Similarity(), "scale", "half", "raw"),
        (Decay(), "general", 1.0, 1.5),
    ],
)  # fmt: skip
def test_what_fields_accept(stage: Any, field: str, accepted: object, refused: object) -> None:
    assert checked(stage, field, accepted) == accepted
    with pytest.raises(UsageError):
        checked(stage, field, refused)
    recipe = Recipe("test", "", (stage,))
    with pytest.raises(UsageError, match="recipe test"):
        recipe.replaced({f"{next(iter(recipe.stages_by_name()))}.{field}": refused})
