"""Certified halting: what is not read could not have mattered."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from asof.corpus.corpus import Corpus
from asof.engine import Results
from asof.index import vectors as dense
from asof.rank import combine
from asof.rank.combine import EarlyTermination, ScanLimits
from asof.rank.feedback import PseudoRelevanceFeedback
from asof.rank.gather import Lexical, TopK
from asof.rank.rerank import RerankWindow
from asof.time.moment import read
from asof.values import Document
from asof.wire import encode

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
FEEDBACK = PseudoRelevanceFeedback(passages=2, terms=3)


def compare(run: Run, corpus: Corpus, question: str, k: int, weight: float) -> list[str]:
    """Asks with and without a certificate; returns its notes."""
    short = (EarlyTermination(dense=weight, limits=SMALL), TopK())
    whole = (EarlyTermination(dense=weight, then=FEEDBACK, limits=SMALL), FEEDBACK, TopK())
    for stages in (short, whole):
        certified, *rest = stages
        all_read = replace(certified, prune=False)
        other = [
            replace(each, prune=False) if isinstance(each, PseudoRelevanceFeedback) else each for each in rest
        ]
        exact = run(corpus, question, Lexical(), all_read, *other, k=k, as_of="2026")
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
def mills(document: Any) -> list[Document]:
    """One passage is all about mills, one says it once; thirty others are about fog with the same vector."""
    fog = [document(f"fog{at:02}", f"fog {'rope ' * 20} @0", "2020") for at in range(30)]
    return [document("mill", "mill mill @0", "2020"), document("inn", f"mill {'inn ' * 30} @0", "2020"), *fog]


def test_it_says_how_many_vectors_were_read(fresh: Fresh, run: Run, mills: list[Document]) -> None:
    """The best scores 1 + .5 · 1; with fog the words are 0, so at most .5 · 1.024 < 1.5: 1 of 32 suffices,
    but 2 are read at the first trial."""
    with fresh(*mills, encoder=Told()) as corpus:
        results = run(corpus, "mill @0", Lexical(), EarlyTermination(limits=SMALL), TopK(), k=1)
        assert [hit.document for hit in results.hits] == ["mill"]
        assert results.hits[0].score == pytest.approx(1.0 + 0.5 * 1.0)
        assert (
            "exact: the vectors of 3.12% of 32 passages were read; no other can reach the first 1"
            in results.notes
        )


def test_where_words_do_not_decide_everything_is_read(fresh: Fresh, run: Run, mills: list[Document]) -> None:
    """For the third best, words are 0: any passage may be it."""
    with fresh(*mills, encoder=Told()) as corpus:
        results = run(corpus, "mill @0", Lexical(), EarlyTermination(limits=SMALL), TopK(), k=3)
        assert "exact: the vectors of all 32 passages were read" in results.notes
        assert len(results.hits) == 3


def test_too_many_survivors_are_scanned(fresh: Fresh, run: Run, mills: list[Document]) -> None:
    scan = EarlyTermination(limits=replace(SMALL, max_share=0.0))
    with fresh(*mills, encoder=Told()) as corpus:
        results = run(corpus, "mill @0", Lexical(), scan, TopK(), k=1)
        assert "exact: the vectors of all 32 passages were read" in results.notes


@pytest.mark.parametrize("share", [0.0, 0.05, 1.0])
@pytest.mark.parametrize("k", [1, 3])
def test_what_is_not_known_yet_is_not_counted(
    fresh: Fresh, run: Run, mills: list[Document], document: Any, share: float, k: int
) -> None:
    """Neither does it decide what is read, which the numbers of later stages would show."""
    limits = replace(SMALL, max_share=share)
    stages = (Lexical(), EarlyTermination(limits=limits), RerankWindow(), TopK())
    with fresh(*mills, encoder=Told()) as corpus:
        before = run(corpus, "mill inn @0", *stages, k=k)
        assert before.notes
        corpus.session.clock = itertools.count(read("2026").first, 1_000_000).__next__
        corpus.add([document(f"new{at:02}", f"inn {'quay ' * 30} @0", "2020") for at in range(99)])
        then = run(corpus, "mill inn @0", *stages, k=k, as_of="2025", known_at="2025")
        assert (found(then), then.notes) == (found(before), before.notes)


def test_without_an_encoder_words_alone_decide(fresh: Fresh, run: Run, mills: list[Document]) -> None:
    with fresh(*mills) as corpus:
        results = run(corpus, "mill", Lexical(), EarlyTermination(limits=SMALL), TopK())
        assert results.hits[0].score == 1.0
        assert not [note for note in results.notes if "vectors" in note]


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
