"""Centrality as a column: shares in [0, 1], explained, and of no rank by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from asof import engine
from asof.errors import UsageError
from asof.extensions.systems.evidence import evidence
from asof.extensions.systems.overlap import EDGE_SCALE
from asof.extensions.systems.stages import Centrality
from asof.index.view import View
from asof.rank.combine import Combine, MaxNormalize
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Ranking
from asof.recipes import named
from asof.schema import checked
from asof.values import Query

Make = Callable[..., Any]

TEXTS = {
    "A": "the merger of acme and globex closed on friday",
    "B": "analysts say the merger of acme and globex will cut costs",
    "C": "acme and globex closed on friday after a long review",
    "D": "penguins live in the south and eat fish",
}
AB, AC, BC = 4 / 12, 4 / 11, 1 / 16
DEGREE = {"A": 1.0, "B": (AB + BC) / (AB + AC), "C": (AC + BC) / (AB + AC), "D": 0.0}


def column(view: View, stage: Centrality, **window: int) -> dict[str, float]:
    """The column for all places of a window, by document; each tree gives its number again."""
    ranking = Ranking(view.prefix.window(**window))
    after = stage(Query("", ""), ranking, view)
    assert after.by == ""
    made = after.columns["centrality"]
    records = view.records(after.rows)
    for at, value in enumerate(made.values.tolist()):
        why = made.why(at)
        assert why.value == why.recomputed() == value
    return dict(zip((record.document for record in records), made.values.tolist(), strict=True))


def four(document: Make) -> list[Any]:
    return [document(name, text, f"202{at}") for at, (name, text) in enumerate(TEXTS.items())]


def test_degree_is_a_share_of_the_largest(fresh: Make, document: Make) -> None:
    with fresh(*four(document)) as corpus:
        view = corpus.at().view()
        assert column(view, Centrality()) == pytest.approx(DEGREE, abs=1e-8)
        assert column(view, Centrality())["B"] == (round(EDGE_SCALE * AB) + round(EDGE_SCALE * BC)) / (
            round(EDGE_SCALE * AB) + round(EDGE_SCALE * AC)
        )
        assert column(view, Centrality(threshold=0.1))["B"] == pytest.approx(AB / (AB + AC), abs=1e-8)
        why = Centrality()(Query("", ""), Ranking(view.window(_none())), view).columns["centrality"].why
        labels = [part.label for part in why(0).parts]
        assert labels == [
            "overlaps with 2 passages of independent documents, in 1/1,000,000,000", "largest in the view"
        ]  # fmt: skip


def _none() -> Any:
    return Query("", "").filters


def test_pagerank_is_a_share_of_the_largest(fresh: Make, document: Make) -> None:
    with fresh(*four(document)) as corpus:
        ranks = column(corpus.at().view(), Centrality("pagerank"))
        printed = {"A": 0.335926315906, "B": 0.200666155405, "C": 0.213407528689, "D": 0.0375}
        assert ranks == pytest.approx(
            {name: value / printed["A"] for name, value in printed.items()}, abs=1e-8
        )
        even = column(corpus.at().view(), Centrality("pagerank", damping=0.0))
        assert even == dict.fromkeys("ABCD", 1.0)


def test_what_is_in_force_later_does_not_count(fresh: Make, document: Make) -> None:
    with fresh(*four(document)) as corpus:
        assert column(corpus.at("2021").view(), Centrality()) == {"A": 1.0, "B": 1.0}
        assert column(corpus.at("2020").view(), Centrality()) == {"A": 0.0}


def test_a_window_has_the_numbers_of_the_whole_view(fresh: Make, document: Make) -> None:
    with fresh(*four(document)) as corpus:
        view = corpus.at().view()
        visible = np.sort(view.column("visible", np.arange(4)))
        for kind in ("degree", "pagerank"):
            whole = column(view, Centrality(kind))
            assert column(view, Centrality(kind), first=int(visible[1]), last=int(visible[2])) == {
                name: whole[name] for name in "BC"
            }


def test_rows_not_in_force_have_none(fresh: Make, document: Make) -> None:
    with fresh(*four(document)) as corpus:
        corpus.add([document("A", "a quite other text", "2024")])
        view = corpus.at().view()
        for kind in ("degree", "pagerank"):
            ranking = Centrality(kind)(Query("", ""), Ranking(view.prefix.window()), view)
            values = ranking.columns["centrality"].values
            dead = np.concatenate([part.dead + part.offset for part in view.prefix.parts])
            assert values[dead].tolist() == [0.0]
        assert column(view, Centrality()).keys() == set("ABCD")


def test_nobody_corroborates_anybody(fresh: Make, document: Make) -> None:
    with fresh(document("a", "mill ferry bread"), document("b", "rope snow price")) as corpus:
        assert column(corpus.at().view(), Centrality()) == {"a": 0.0, "b": 0.0}
        assert column(corpus.at().view(), Centrality("pagerank")) == {"a": 1.0, "b": 1.0}
    with fresh() as corpus:
        assert column(corpus.at().view(), Centrality()) == {}
        assert column(corpus.at().view(), Centrality("pagerank")) == {}


def test_all_equal(fresh: Make, document: Make) -> None:
    with fresh(*(document(name, "mill ferry bread rope") for name in "abc")) as corpus:
        assert column(corpus.at().view(), Centrality()) == dict.fromkeys("abc", 1.0)


def test_in_a_recipe(fresh: Make, document: Make, run: Make) -> None:
    """What is corroborated comes first among equals; and what a stage keeps is not spoilt by another."""
    texts = {"told": "the ferry is late today", "told twice": "the ferry is late today",
             "alone": "late today the ferry is"}  # fmt: skip
    with fresh(*(document(name, text, "2020") for name, text in texts.items())) as corpus:
        for kind in ("degree", "pagerank"):
            sum_ = Combine((("normalized", 1.0), ("centrality", 0.5)))
            stages = (Lexical(), MaxNormalize(), Centrality(kind), sum_, TopK())
            for _ in range(3):
                hits = run(corpus, "ferry late", *stages).hits
                assert [hit.document for hit in hits][2] == "alone"
                assert hits[0].score == hits[1].score == 1.5


def test_chosen_places(fresh: Make, document: Make) -> None:
    with fresh(*four(document)) as corpus:
        view = corpus.at().view()
        places = np.array([2, 0])
        some = Centrality()(Query("", ""), Ranking(view.prefix.window(), places), view)
        whole = Centrality()(Query("", ""), Ranking(view.prefix.window()), view)
        assert some.columns["centrality"].values.tolist() == (
            whole.columns["centrality"].values[places].tolist()
        )


@pytest.mark.parametrize(
    ("field", "value"),
    [("kind", "between"), ("threshold", 1.1), ("cap", -1), ("cap", 2.5), ("damping", 1.0)],
)
def test_what_is_not_accepted(field: str, value: object) -> None:
    with pytest.raises(UsageError):
        checked(Centrality(), field, value)


# -- large views ---------------------------------------------------------------------------------------


def ferries(document: Make) -> list[Any]:
    """Six documents that repeat a sentence, a year after another, from 2001 on."""
    text = "the ferry to the mainland leaves at seven says"
    return [document(f"d{at}", f"{text} note {at} {at}", f"200{at}") for at in range(1, 7)]


def test_a_view_that_is_larger_compares_candidates(fresh: Make, run: Make, document: Make) -> None:
    """The limit is of the passages of the view: as of 2003 there were three."""
    stage = Centrality(bands=1, exact_up_to=3)
    with fresh(*ferries(document)) as corpus:
        for as_of, bands in ((None, 1), ("2003", 0)):
            view = corpus.at(as_of).view()
            assert stage.evidence(view) is evidence(view, bands=bands)
            notes = run(corpus, "ferry", Lexical(), stage, TopK(), as_of=as_of).notes
            assert ("corroboration: candidates are found by MinHash with 1 bands" in notes) is bool(bands)
        assert Centrality(bands=0, exact_up_to=0).evidence(view) is evidence(view)


def test_all_stages_of_a_recipe_use_one_graph(fresh: Make, document: Make) -> None:
    """Centrality, agreement and hops refer to one value: a field of it is that of all."""
    recipe = named("twe-hops").replaced({"centrality.exact_up_to": 3, "centrality.bands": 3})
    with fresh(*ferries(document)) as corpus:
        view = corpus.at().view()
        engine.search(Query("ferry", "ferry"), view, recipe)
        made = {key for key in view.prefix.memo if key.startswith("evidence")}
        assert made == {"evidence 0.05 256 document 3"}
