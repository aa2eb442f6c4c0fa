"""At (T, K) every output is that of a corpus into which only what was visible and known was ever put.

`ASOF_CASES=10000 ASOF_SEED=7 pytest tests/differential` compares so many, from another seed on.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.differential.cases import Counts, Fault, faults, shrunk

from asof.extensions.systems import latent
from asof.index import segment
from asof.index.segment import Segment

pytestmark = pytest.mark.slow

CASES, SEED = int(os.environ.get("ASOF_CASES", "300")), int(os.environ.get("ASOF_SEED", "2"))


def first_fault(counts: Counts, most: int, seed: int) -> Fault | None:
    """The first difference among so many cases, made small."""
    while counts.cases < most:
        for fault in faults(seed, counts):
            return shrunk(fault)
        seed += 1
    return None


def test_outputs_are_those_of_a_corpus_without_the_future() -> None:
    counts = Counts()
    fault = first_fault(counts, CASES, SEED)
    assert fault is None, f"{fault}\n(found after {counts})"


def test_an_end_that_is_taken_from_the_future_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = segment.ended_by

    def wrong(segments: Sequence[Segment], as_of: int, known_at: int) -> NDArray[np.int64]:
        return right(segments, as_of + 40 * 86_400_000_000, known_at)

    monkeypatch.setattr(segment, "ended_by", wrong)
    monkeypatch.setattr(latent, "ended_by", wrong)
    fault = first_fault(Counts(), 300, 0)
    assert fault is not None
    assert str(fault).startswith(f"seed {fault.seed}: {fault.asked}\n  at T ")
    assert len(fault.of.events) <= 3
