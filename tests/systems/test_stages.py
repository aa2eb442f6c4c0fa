"""Stages of the published systems, by their formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean, pstdev
from typing import Any

import numpy as np
import pytest
from tests.support.ranking import Columns
from tests.systems.made import Angled

from asof import engine
from asof.extensions.systems.overlap import EDGE_SCALE
from asof.extensions.systems.recipes import TEMPRALM
from asof.extensions.systems.stages import (
    Centrality,
    Coverage,
    Decay,
    Freshness,
    Gap,
    Latent,
    Similarity,
    Volume,
    counted,
    moments,
    on_scale,
    question_time,
)
from asof.index.vectors import VECTOR_SCALE, quantise
from asof.index.view import View
from asof.models.encoders import HashedNgrams
from asof.queries import Filters, Query
from asof.rank.combine import Combine
from asof.rank.gather import ByDocument, Dense, Everything, Lexical, TopK
from asof.rank.stage import Ranking, Recipe
from asof.recipes import named
from asof.time.moment import read

# -- scores by latent semantic analysis, on the published scale ------------------------------------


Make = Callable[..., Any]


def scores(results: Any) -> dict[str, float]:
    return {hit.document: hit.score for hit in results.hits}


def test_the_published_scale() -> None:
    """(1 + cos) / 2, and cos 0 for a vector without a direction."""
    question = [1.0, 2.0, 2.0]
    expected = {(2.0, 4.0, 4.0): (1 + 1) / 2, (2.0, -1.0, 0.0): (1 + 0) / 2, (-1.0, -2.0, -2.0): (1 - 1) / 2,
                (0.0, 0.0, 0.0): (1 + 0) / 2}  # fmt: skip
    for text, score in expected.items():
        both = np.array([question, text])
        length = np.linalg.norm(both, axis=1, keepdims=True)
        asked, own = quantise(np.divide(both, length, out=np.zeros_like(both), where=length > 0))
        cosine = np.array([int(own.astype(int) @ asked) / VECTOR_SCALE**2])
        for scale, value, tolerance in (("half", score, 2e-4), ("cosine", max(2 * score - 1, 0), 4e-4)):
            made: Any = on_scale(cosine, asked, lambda _, own=own: own, scale)  # type: ignore[misc]
            tree = made.why(0)
            assert tree.value == tree.recomputed() == pytest.approx(value, abs=tolerance)


def test_scores_over_a_corpus(fresh: Make, document: Make, run: Make) -> None:
    texts = ["mill ferry", "mill ferry", "ferry", "storm fog", "storm fog", "storm", "bread", "!"]
    documents = [document(f"d{at}", text, "2001") for at, text in enumerate(texts)]
    with fresh(*documents) as corpus:
        half = run(corpus, "mill", Latent(), TopK())
        assert len(half.hits) == 8, "every passage in force has a similarity"
        assert scores(half)["d7"] == 0.5, "a text without words"
        assert scores(half)["d6"] == 0.5, "in one text only: least_df is 2"
        rare = scores(run(corpus, "bread", Latent(min_df=1), TopK()))
        assert rare["d6"] == pytest.approx(1.0, abs=1e-3)
        cosine = scores(run(corpus, "mill", Latent(scale="cosine"), TopK()))
        assert set(cosine) <= {"d0", "d1", "d2"}
        for id_, score in cosine.items():
            assert (score + 1) / 2 == scores(half)[id_]
        assert half.notes[0] == "latent: latent semantic analysis, fitted to the first 8 of 8 passages"
        nothing = run(corpus, "bread nowhere", Latent(), TopK())
        assert set(scores(nothing).values()) == {0.5}
        assert nothing.notes[0].endswith("; the question has no word of it")
        assert run(corpus, "bread", Latent("cosine"), TopK()).hits == ()


@pytest.mark.parametrize("scale", ["cosine", "half"])
def test_similarity_is_by_the_encoder_where_there_is_one(
    fresh: Make, document: Make, run: Make, scale: str
) -> None:
    texts = ["mill", "miller mills", "fog", "bread"]
    made = [document(f"d{at}", text, "2001") for at, text in enumerate(texts)]
    with fresh(*made) as corpus:
        own = run(corpus, "mill", Similarity(scale), TopK())
        assert scores(own) == scores(run(corpus, "mill", Latent(scale), TopK()))
        assert own.notes[0].startswith("similarity: latent semantic analysis")
    with fresh(*made, encoder=HashedNgrams(d=64)) as corpus:
        found = run(corpus, "mill", Similarity(scale), TopK())
        assert found.notes[0] == "similarity: vectors of the encoder hashed-3-5-64"
        dense = scores(run(corpus, "mill", Dense(), TopK()))
        assert len(found.hits) == (len(dense) if scale == "cosine" else 4)
        for id_, cosine in dense.items():
            assert scores(found)[id_] == (cosine if scale == "cosine" else (cosine + 1) / 2)


# -- centrality as a column: shares in [0, 1], explained, and of no rank by itself -----------------


TEXTS = {
    "A": "the merger of acme and globex closed on friday",
    "B": "analysts say the merger of acme and globex will cut costs",
    "C": "acme and globex closed on friday after a long review",
    "D": "penguins live in the south and eat fish",
}
AB, AC, BC = 4 / 12, 4 / 11, 1 / 16
DEGREE = {"A": 1.0, "B": (AB + BC) / (AB + AC), "C": (AC + BC) / (AB + AC), "D": 0.0}


def centralities(view: View, stage: Centrality, **window: int) -> dict[str, float]:
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


@pytest.fixture
def merger(fresh: Make, document: Make) -> Iterator[Any]:
    texts = (document(name, text, f"202{at}") for at, (name, text) in enumerate(TEXTS.items()))
    with fresh(*texts) as corpus:
        yield corpus


def test_degree_is_a_share_of_the_largest(merger: Any) -> None:
    view = merger.at().view()
    assert centralities(view, Centrality()) == pytest.approx(DEGREE, abs=1e-8)
    assert centralities(view, Centrality())["B"] == (round(EDGE_SCALE * AB) + round(EDGE_SCALE * BC)) / (
        round(EDGE_SCALE * AB) + round(EDGE_SCALE * AC)
    )
    assert centralities(view, Centrality(threshold=0.1))["B"] == pytest.approx(AB / (AB + AC), abs=1e-8)
    why = Centrality()(Query("", ""), Ranking(view.window(Filters())), view).columns["centrality"].why
    labels = [part.label for part in why(0).parts]
    assert labels == [
        "overlaps with 2 passages of independent documents, in 1/1,000,000,000", "largest in the view"
    ]  # fmt: skip


def test_what_is_in_force_later_does_not_count(merger: Any) -> None:
    assert centralities(merger.at("2021").view(), Centrality()) == {"A": 1.0, "B": 1.0}
    assert centralities(merger.at("2020").view(), Centrality()) == {"A": 0.0}


def test_a_window_has_the_numbers_of_the_whole_view(merger: Any) -> None:
    view = merger.at().view()
    visible = np.sort(view.column("visible", np.arange(4)))
    whole = centralities(view, Centrality())
    assert centralities(view, Centrality(), first=int(visible[1]), last=int(visible[2])) == {
        name: whole[name] for name in "BC"
    }


def test_all_stages_of_a_recipe_use_one_graph(fresh: Make, document: Make) -> None:
    """Centrality and agreement refer to one value: a field of it is that of both."""
    text = "the ferry to the mainland leaves at seven says"
    ferries = [document(f"d{at}", f"{text} note {at} {at}", f"200{at}") for at in range(1, 7)]
    with fresh(*ferries) as corpus:
        view = corpus.at().view()
        engine.search(Query("ferry", "ferry"), view, named("twe").replaced({"centrality.cap": 3}))
        made = {key for key in view.prefix.memo if key.startswith("evidence")}
        assert made == {"evidence 0.05 3"}


# -- decay with age: the worked numbers of TWE-RAG, its two settings of tau_min --------------------


LATEST = "latest mill"
AGES = (0, 1, 30, 90, 180, 365, 538, 730, 1095)

NEWEST = (2.5, 2.47237597323, 1.79132827643, 0.919698602929, 0.338338208092, 0.0433146300897,
          0.00633613038714, 0.000750462871923, 1.30024086773e-05)  # fmt: skip
GENERAL = (0.75, 0.74860724274, 0.709323092728, 0.634468068971, 0.536732974058, 0.380556458029,
           0.275909580879, 0.193097623663, 0.0979793969536)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "r", "printed"), [("the latest price", 1.0, NEWEST), ("mill", 0.3, GENERAL)]
)
def test_a_table_of_ages(
    fresh: Make, aged: Make, measured: Make, question: str, r: float, printed: tuple[float, ...]
) -> None:
    delta, tau = 2.5 * r, 730 - (730 - 90) * r
    assert Decay().adapted(r) == pytest.approx((delta, tau))
    assert Decay(tau_min=365.0).adapted(r) == pytest.approx((delta, 730 - (730 - 365) * r))
    with fresh(*(aged(days) for days in AGES)) as corpus:
        found = measured(corpus, Decay(), question=question)
        assert found == pytest.approx({str(days): delta * math.exp(-days / tau) for days in AGES}, rel=1e-14)
        assert [found[str(days)] for days in AGES] == pytest.approx(list(printed), rel=1e-9)


def test_undated_gets_no_credit(fresh: Make, aged: Make, measured: Make) -> None:
    with fresh(aged(0), aged(None), undated="always") as corpus:
        assert measured(corpus, Decay(), question=LATEST) == {"0": 2.5, "undated": 0.0}
    with fresh(aged(0), aged(None)) as corpus:  # seen from 2025 on, when it was added
        later = measured(corpus, Decay(), question=LATEST, as_of="2025-01-02")
        assert later["undated"] == 0.0 < later["0"]


@pytest.mark.parametrize(
    "question", ["LATEST mill", "now?", "this year", "as  of", "the news", "snow", "renew"]
)
def test_words_that_wish_for_the_newest(fresh: Make, aged: Make, measured: Make, question: str) -> None:
    """Whole words, in any case."""
    newest = question in ("LATEST mill", "now?", "this year")
    with fresh(aged(0)) as corpus:
        assert measured(corpus, Decay(), question=question) == {"0": 2.5 * (1.0 if newest else 0.3)}
        assert measured(corpus, Decay(recent=("snow", "c++")), question=question) == {
            "0": 2.5 * (1.0 if question == "snow" else 0.3)
        }
        assert measured(corpus, Decay(recent=()), question=question) == {"0": 2.5 * 0.3}


def test_the_parameters_are_told(fresh: Make, aged: Make, run: Make) -> None:
    """delta = 2.5 · .3, tau = 730 - 640 · .3."""
    with fresh(aged(1)) as corpus:
        notes = run(corpus, "mill", Lexical(), Decay(), TopK()).notes
        assert "decay: r = 0.3, delta = 0.75, tau = 538 days" in notes


# -- freshness: whole days, the published rate and that of the code --------------------------------


def test_the_published_rate(fresh: Make, aged: Make, measured: Make) -> None:
    ages = (0, 1, 3, 7, 13, 14, 30, 400)
    with fresh(*(aged(days) for days in ages), aged(None), undated="always") as corpus:
        found = measured(corpus, Freshness())
        assert found.pop("undated") == 0.0
        assert found == pytest.approx({str(days): math.exp(-0.05 * days) for days in ages}, rel=1e-13)
        assert [found["3"], found["0"], found["30"], found["7"]] == pytest.approx(
            [0.860707976425, 1.0, 0.223130160148, 0.704688089719], rel=1e-9
        )
        slow = measured(corpus, Freshness(rate=0.01))
        assert slow["30"] == pytest.approx(math.exp(-0.3))


def test_days_are_whole(fresh: Make, aged: Make, measured: Make) -> None:
    """2 days less a moment are 1 day."""
    with fresh(aged(1)) as corpus:
        for as_of, days in (("2024-07-02T23:59:58", 1), ("2024-07-02", 2), ("2024-07-03T00:00", 2)):
            found = measured(corpus, Freshness(), as_of=as_of)
            assert found == pytest.approx({"1": math.exp(-0.05 * days)}, rel=1e-13)


def test_an_edit_renews_a_document(fresh: Make, run: Make, document: Make) -> None:
    """Both passages are as fresh as the newer one; the older version was as fresh as itself."""
    kept, old, new = (
        f"{word} alpha beta gamma delta epsilon zeta eta theta iota" for word in ("mill", "rope", "fog")
    )
    stages = (Everything(), Similarity("cosine"), Freshness(), Combine((("freshness", 1.0),)), TopK())
    with fresh(document("note", f"{kept}\n\n{old}", "2024-06-01"), chunking="10w") as corpus:
        corpus.add([document("note", f"{kept}\n\n{new}", "2024-06-21")])
        for as_of, days in (("2024-06-20", 19), ("2024-06-21", 0), ("2024-07-01", 10)):
            hits = run(corpus, "x", *stages, as_of=as_of).hits
            assert [hit.score for hit in hits] == pytest.approx([math.exp(-0.05 * days)] * 2, rel=1e-13)
        first = corpus.at("2024-06-01").as_of
        one = run(corpus, "x", *stages, as_of="2024-07-01", until=first).hits
        assert [hit.score for hit in one] == pytest.approx([math.exp(-0.05 * 30)]), "candidates only"


# -- tempRALM's temporal score: the worked example, equal ages, the very day, undated passages -----


TODAY = "2024-07-01"


@pytest.fixture
def ranked(fresh: Make, run: Make, aged: Make) -> Callable[..., dict[str, float]]:
    """The scores of notes of these ages in days and this relevance."""

    def score(notes: Mapping[str, tuple[int, float]], stage: Gap = Gap()) -> dict[str, float]:  # noqa: B008
        told = Columns(("relevance",), {name: (relevance,) for name, (_, relevance) in notes.items()})
        with fresh(*(aged(age, "mill", name) for name, (age, _) in notes.items())) as corpus:
            return scores(run(corpus, "mill", Everything(), told, stage, TopK(), as_of=TODAY))

    return score


def expected(scores: Sequence[float], distances: Sequence[float]) -> list[float]:
    """s + (1 / distance - mean) / deviation · deviation of s + mean of s."""
    near = [1 / each for each in distances]
    return [
        s + (each - fmean(near)) / pstdev(near) * pstdev(scores) + fmean(scores)
        for s, each in zip(scores, near, strict=True)
    ]


EXAMPLE = {1: 0.9, 2: 0.7, 4: 0.8, 8: 0.6}
"""Relevance by age in years."""


def test_the_worked_example(ranked: Make) -> None:
    """A year of 365 days here: the unit cancels. What is later than the question is not in the view."""
    notes = {str(years): (years * 365, score) for years, score in EXAMPLE.items()}
    found = ranked({**notes, "later": (-365, 0.85)})
    assert found == pytest.approx(dict(zip("1248", expected([*EXAMPLE.values()], [*EXAMPLE]), strict=True)))
    assert list(found) == ["1", "4", "2", "8"]
    assert list(found.values()) == pytest.approx([1.82723725195, 1.47701995508, 1.4604257207, 1.23531707227])


@pytest.mark.parametrize("age", [0, 1, 10, 49, 365])
@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_one_age_for_all(ranked: Make, age: int, n: int) -> None:
    """t is the mean of s, exactly: a mean of equal ages that was rounded would make something of nothing."""
    scores = [0.9 - at / 20 for at in range(n)]
    found = ranked({f"d{at}": (age, score) for at, score in enumerate(scores)})
    mean = math.fsum(scores) / n
    assert found == {f"d{at}": score + mean for at, score in enumerate(scores)}


def test_moments_do_not_depend_on_the_order() -> None:
    values = [1 / day for day in (1, 3, 7, 30, 365, 800)]
    assert moments(values) == moments(values[::-1]) == pytest.approx((fmean(values), pstdev(values)))
    assert moments([]) == (0.0, 0.0)


def test_the_very_day_counts_as_a_day(ranked: Make) -> None:
    notes = {"today": (0, 0.5), "yesterday": (1, 0.2), "older": (4, 0.8)}
    for floor in (1, 1 / 24):
        by_formula = expected([0.5, 0.2, 0.8], [floor, 1, 4])
        assert ranked(notes, Gap(floor=floor)) == pytest.approx(dict(zip(notes, by_formula, strict=True)))


# -- the time of a question in TempRALM's score: named, stated, or none ----------------------------


AS_OF = read("2024-07-01").last
SPECULATIVE = TEMPRALM.replaced({"gap.mask": False})


@pytest.mark.parametrize(
    ("query", "masked", "unmasked"),
    [
        (Query("q", "q"), "2024-07-01", "2024-07-01"),
        (Query("q", "q", stated=False), None, None),
        (Query("q", "q", recency=0.25, stated=False), None, None),
        (Query("q", "q", recency=1.0, stated=False), "2024-07-01", "2024-07-01"),  # "latest"
        (Query("q", "q", recency=0.5, stated=False), "2024-07-01", "2024-07-01"),  # "who is"
        (Query("q", "q", about=(read("2019"),), stated=False), "2019-12-31", "2019-12-31"),
        (Query("q", "q", about=(read("2019"), read("2016"))), "2019-12-31", "2019-12-31"),
        (Query("q", "q", about=(read("2026"),)), "2024-07-01", "2026-12-31"),
    ],
)
def test_the_time_of_a_question(query: Query, masked: str | None, unmasked: str | None) -> None:
    for day, mask in ((masked, True), (unmasked, False)):
        expected = None if day is None else read(day).last
        assert question_time(query, AS_OF, masked=mask) == expected


@pytest.fixture
def mills(fresh: Make, aged: Make) -> Any:
    """Of the same words, one a year, and one undated; by words, shorter ones first, 2022 leads."""
    days = {"2022": 670, "2021": 1035, "2019": 1766, "2023": 305}
    texts = {year: "who ran the mill" + " then" * at for at, year in enumerate(days)}
    documents = [aged(age, texts[year], year) for year, age in days.items()]
    with fresh(*documents, aged(None, "who ran the mill then"), undated="always") as corpus:
        yield corpus


def asked_at(corpus: Any, question: str, recipe: Recipe = TEMPRALM, as_of: str | None = "2024-07-01") -> Any:
    found = corpus.at(as_of).search(question, recipe=recipe)
    for hit in found.hits:
        assert hit.why.value == hit.why.recomputed() == hit.score
    return found


def test_a_named_year_masks_what_is_later(mills: Any) -> None:
    """Of 2021 there is a note; 2022 and 2023 are left out, the undated one stays."""
    found = asked_at(mills, "who ran the mill in 2021")
    assert found.hits[0].document == "2021"
    assert {hit.document for hit in found.hits} == {"2021", "2019", "undated"}
    assert any(note.startswith("2 of 5 were published after 2021-12-31") for note in found.notes)
    for question, as_of in (
        ("who ran the mill in 2020", "2024-07-01"),
        ("who ran the mill as of 2020", None),
    ):
        between = asked_at(mills, question, as_of=as_of)
        assert {hit.document for hit in between.hits} == {"2019", "undated"}


def test_speculation_ranks_what_is_nearest_on_either_side(mills: Any) -> None:
    """2021-08-31 is 243 days after 2020, 2019-08-31 is 488 days before its end."""
    found = asked_at(mills, "who ran the mill in 2020", SPECULATIVE)
    assert found.hits[0].document == "2021"
    assert {hit.document for hit in found.hits} == {"2023", "2022", "2021", "2019", "undated"}


def _leaves(why: Any) -> list[Any]:
    return [why] if not why.parts else [leaf for part in why.parts for leaf in _leaves(part)]


def test_days_are_counted_from_the_end_of_a_named_time(fresh: Make, aged: Make) -> None:
    """Of 2020-12-31, 10 and 40 days before; the share of the best word is 1 for both."""
    first = (read("2024-07-01").first - read("2020-12-31").first) // 86_400_000_000
    with fresh(*(aged(first + days, "who ran the mill", f"d{days}") for days in (10, 40))) as corpus:
        found = asked_at(corpus, "who ran the mill in 2020")
        assert [hit.score for hit in found.hits] == pytest.approx(expected([1.0, 1.0], [10, 40]))
        (days,) = (part.value for part in _leaves(found.hits[0].why) if part.label == "days from 2020-12-31")
        assert days == 10.0


def test_without_a_time_relevance_alone_ranks(mills: Any) -> None:
    """Not asked as of a moment, no time named, no wish for the newest: s + the mean of s, dated or not."""
    found = asked_at(mills, "who ran the mill", as_of=None)
    assert [hit.document for hit in found.hits][:2] == ["2022", "2021"]
    level = found.hits[0].why.parts[1].value
    assert [hit.score - level for hit in found.hits] == pytest.approx(
        [hit.why.parts[0].value for hit in found.hits]
    )
    assert any(note.startswith("closeness in time is off") for note in found.notes)


# -- coverage and volume of documents, and the score of Adaptive RAG for arXiv that they belong to ---


WEIGHTS = {"similarity": 0.4, "freshness": 0.25, "coverage": 0.25, "volume": 0.1}


# similarities of the passages, age in days; then coverage, volume and score as the example works them out
EXAMPLES = [
    ([0.82, 0.61, 0.5, 0.3], 3, 0.715, 0.682606194486, 0.790187613555),
    ([0.4, 0.3], 0, 0.0, 0.0, 0.41),
    ([0.9], 30, 0.9, 1.0, 0.740782540037),
    ([0.55, 0.56, 0.57, 0.58, 0.1, 0.2, 0.49], 7, 0.565, 0.773976031629, 0.626819625593),
]


def test_exactly_the_threshold_is_not_relevant() -> None:
    found = counted(np.zeros(3, np.int64), np.array([0.5, np.nextafter(0.5, 1), 0.4]), 0.5)
    assert found.relevant.tolist() == [1, 1, 1]


def paragraphs(similarities: list[float]) -> str:
    return "".join(f"alpha beta gamma delta epsilon zeta eta theta @{each}\n\n" for each in similarities)


def examples(aged: Make) -> list[Any]:
    return [aged(days, paragraphs(sims), f"d{at}") for at, (sims, days, *_) in enumerate(EXAMPLES)]


def test_the_score_of_a_document(fresh: Make, run: Make, aged: Make, column: Make) -> None:
    stages = (
        Everything(), Similarity("cosine"), Freshness(), Coverage(above=0.505), Volume(above=0.505),
        Combine(tuple(WEIGHTS.items()), "paper"), ByDocument(), TopK(),
    )  # fmt: skip
    with fresh(*examples(aged), encoder=Angled(), chunking="10w") as corpus:
        results = run(corpus, "x", *stages, as_of=TODAY)
        assert scores(results) == pytest.approx(
            {f"d{at}": example[-1] for at, example in enumerate(EXAMPLES)}, abs=1e-3
        )
        for at, name in ((2, "coverage"), (3, "volume")):
            found = column(corpus, "x", name, *stages[:5], as_of=TODAY)
            assert [found.get(f"d{n}", 0.0) for n in range(4)] == pytest.approx(
                [example[at] for example in EXAMPLES], abs=1e-3
            )
        recipe = named("papers").replaced({"coverage.above": 0.505, "volume.above": 0.505})
        again = corpus.at(TODAY).search("x", recipe=recipe)
        assert [(hit.id, hit.score) for hit in again.hits] == [(h.id, h.score) for h in results.hits]
