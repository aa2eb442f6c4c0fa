"""Coverage and volume of documents, and the score of Adaptive RAG for arXiv that they belong to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from asof.extensions.systems.stages import WHOLE, Coverage, Freshness, Similarity, Volume, counted
from asof.rank.combine import Combine
from asof.rank.gather import ByDocument, Everything, Lexical, TopK
from asof.recipes import named

Make = Callable[..., Any]
TODAY = "2024-07-01"
WEIGHTS = {"similarity": 0.4, "freshness": 0.25, "coverage": 0.25, "volume": 0.1}


@dataclass(frozen=True)
class Angled:
    """An encoder of two dimensions: the cosine with the question that a text tells after its last "@"."""

    name: str = "angled"

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        cosines = np.array([float(text.rpartition("@")[2]) if "@" in text else 1.0 for text in texts])
        return np.column_stack([cosines, np.sqrt(1 - cosines**2)]).astype(np.float32)


# similarities of the passages, age in days; then the worked numbers of the example
EXAMPLES = [
    ([0.82, 0.61, 0.5, 0.3], 3, 0.82, 0.860707976425, 0.715, 0.682606194486, 0.790187613555),
    ([0.4, 0.3], 0, 0.4, 1.0, 0.0, 0.0, 0.41),
    ([0.9], 30, 0.9, 0.223130160148, 0.9, 1.0, 0.740782540037),
    (
        [0.55, 0.56, 0.57, 0.58, 0.1, 0.2, 0.49],
        7,
        0.58,
        0.704688089719,
        0.565,
        0.773976031629,
        0.626819625593,
    ),
]


def by_hand(similarities: list[float], days: int, rate: float = 0.05) -> tuple[float, ...]:
    """Largest similarity, freshness, coverage, volume, and the score, as they are printed."""
    relevant = [each for each in similarities if each > 0.5]
    parts = (
        max(similarities), math.exp(-rate * days), fmean(relevant) if relevant else 0.0,
        math.log(1 + len(relevant)) / math.log(1 + len(similarities)),
    )  # fmt: skip
    return *parts, sum(weight * part for weight, part in zip(WEIGHTS.values(), parts, strict=True))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{len(example[0])} passages")
def test_the_worked_numbers(example: Any) -> None:
    similarities, days, *printed = example
    assert by_hand(similarities, days) == pytest.approx(tuple(printed))
    if days in (3, 7, 30):
        slow = {3: 0.817622002836, 30: 0.87020455517, 7: 0.683746058139}[days]
        assert by_hand(similarities, days, rate=0.01)[-1] == pytest.approx(slow)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{len(example[0])} passages")
def test_counts_give_coverage_and_volume(example: Any) -> None:
    similarities, _, _, _, coverage, volume, _ = example
    found = counted(np.full(len(similarities), 7), np.array(similarities), 0.5)
    relevant = [each for each in similarities if each > 0.5]
    assert set(found.passages.tolist()) == {len(similarities)}
    assert set(found.relevant.tolist()) == {len(relevant)}
    assert set(found.total.tolist()) == {sum(round(each * WHOLE) for each in relevant)}
    assert found.total[0] / max(found.relevant[0], 1) / WHOLE == pytest.approx(coverage)
    assert math.log(1 + found.relevant[0]) / math.log(1 + found.passages[0]) == pytest.approx(volume)


def test_exactly_the_threshold_is_not_relevant() -> None:
    found = counted(np.zeros(3, np.int64), np.array([0.5, np.nextafter(0.5, 1), 0.4]), 0.5)
    assert found.relevant.tolist() == [1, 1, 1]


def paragraphs(similarities: list[float]) -> str:
    return "".join(f"alpha beta gamma delta epsilon zeta eta theta @{each}\n\n" for each in similarities)


def examples(aged: Make) -> list[Any]:
    return [aged(days, paragraphs(sims), f"d{at}") for at, (sims, days, *_) in enumerate(EXAMPLES)]


def test_the_stages_on_a_corpus(fresh: Make, aged: Make, measured: Make) -> None:
    """Vectors are whole numbers over 4000: a similarity is right to 1e-3. The threshold lies a little above
    the .5 of an example, which rounding may lift."""
    with fresh(*examples(aged), encoder=Angled(), chunking="10w") as corpus:
        assert corpus.at(TODAY).view().n == 4 + 2 + 1 + 7
        before = (Everything(), Similarity("cosine"))
        coverage = measured(corpus, *before, Coverage(above=0.505))
        volume = measured(corpus, *before, Volume(above=0.505))
        for at, (_, _, _, _, c_avg, v, _) in enumerate(EXAMPLES):
            assert coverage[f"d{at}"] == pytest.approx(c_avg, abs=1e-3)
            assert volume[f"d{at}"] == pytest.approx(v, rel=1e-12)


def test_the_score_of_a_document(fresh: Make, run: Make, aged: Make) -> None:
    stages = (
        Everything(), Similarity("cosine"), Freshness(), Coverage(above=0.505), Volume(above=0.505),
        Combine(tuple(WEIGHTS.items()), "paper"), ByDocument(), TopK(),
    )  # fmt: skip
    with fresh(*examples(aged), encoder=Angled(), chunking="10w") as corpus:
        results = run(corpus, "x", *stages, as_of=TODAY)
        assert {hit.document: hit.score for hit in results.hits} == pytest.approx(
            {f"d{at}": example[-1] for at, example in enumerate(EXAMPLES)}, abs=1e-3
        )
        recipe = named("papers").replaced({"coverage.above": 0.505, "volume.above": 0.505})
        again = corpus.at(TODAY).search("x", recipe=recipe)
        assert [(hit.id, hit.score) for hit in again.hits] == [(h.id, h.score) for h in results.hits]


def test_filters_shut_out_whole_documents(fresh: Make, aged: Make, measured: Make) -> None:
    with fresh(*examples(aged), encoder=Angled(), chunking="10w") as corpus:
        before = (Everything(), Similarity("cosine"))
        for stage in (Coverage(), Volume()):
            whole = measured(corpus, *before, stage)
            assert measured(corpus, *before, stage, path="d[13]") == {
                name: whole[name] for name in ("d1", "d3")
            }
            assert measured(corpus, *before, stage, path="x") == {}
            since = corpus.at("2024-06-20").as_of
            assert measured(corpus, *before, stage, since=since).keys() == {"d0", "d1", "d3"}


def test_without_an_encoder(fresh: Make, aged: Make, measured: Make) -> None:
    """By latent semantics; and in a column that is told, words over their best."""
    texts = ["mill ferry", "mill ferry rope", "fog bread", "fog bread"]
    with fresh(*(aged(at, text, f"d{at}") for at, text in enumerate(texts))) as corpus:
        similarity = measured(corpus, Everything(), Similarity("cosine"), question="mill")
        coverage = measured(corpus, Everything(), Similarity("cosine"), Coverage(), question="mill")
        for name, each in similarity.items():
            assert coverage[name] == pytest.approx(each if each > 0.5 else 0.0, abs=1e-12)
        words = measured(corpus, Lexical(), Volume(above=0.0, of="lexical"), question="mill")
        assert words == {"d0": 1.0, "d1": 1.0}  # the others do not match


def test_nothing(fresh: Make, run: Make) -> None:
    with fresh(encoder=Angled()) as corpus:
        for stage in (Coverage(), Volume()):
            assert run(corpus, "x", Everything(), Similarity("cosine"), stage, TopK()).hits == ()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 16_000_000)), min_size=1, max_size=20), st.randoms()
)
def test_counts_do_not_depend_on_the_order(drawn: list[tuple[int, int]], random: Any) -> None:
    documents = np.array([document for document, _ in drawn])
    similarity = np.array([whole / WHOLE for _, whole in drawn])
    order = list(range(len(drawn)))
    random.shuffle(order)
    found, again = counted(documents, similarity, 0.5), counted(documents[order], similarity[order], 0.5)
    for one, other in zip(found, again, strict=True):
        assert one[order].tolist() == other.tolist()
