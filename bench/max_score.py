"""What MaxScore (`asof.index.max_score`) saves the default recipe in a large corpus.

    python -m bench.max_score FOLDER [--questions 40]

FOLDER has shards as `bench.shards` leaves them, of more than two million passages. Each question is asked
with and without it, in turn, after both were asked once. Prints medians and means in ms, the median of the
ratios of a question, and how many answers differ (hits, scores, notes).
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.shards import AS_OF

from asof.cluster.opening import open as open_corpus
from asof.rank.candidates.gather import Lexical
from asof.recipes.asof import ASOF
from bench import generated

WHOLE = replace(
    ASOF,
    name="asof, all scored",
    stages=tuple(replace(each, then=None) if isinstance(each, Lexical) else each for each in ASOF.stages),
)
"""The default recipe without it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=40)
    options = parser.parse_args()
    questions = generated.queries(options.questions)
    with open_corpus(options.folder / "shards", create=False) as corpus:
        snapshot = corpus.at(AS_OF)
        for question in questions:
            asked(snapshot, question, ASOF)
            asked(snapshot, question, WHOLE)
        pairs: list[tuple[float, float]] = []
        different = 0
        for question in questions:
            took, found = asked(snapshot, question, ASOF)
            beside, expected = asked(snapshot, question, WHOLE)
            pairs.append((took, beside))
            different += found != expected
    for name, times in zip(("with", "without"), zip(*pairs, strict=True), strict=True):
        print(
            f"{name}: median {statistics.median(times):.0f} ms, mean {statistics.mean(times):.0f}, "
            f"at most {max(times):.0f}"
        )
    ratio = statistics.median(took / beside for took, beside in pairs)
    print(f"median of the ratios: {ratio:.2f}; {different} different")


def asked(snapshot: Any, question: str, recipe: Any) -> tuple[float, tuple[Any, ...]]:
    """How long a question takes, in ms, and what is found."""
    begin = time.perf_counter()
    results = snapshot.search(question, recipe=recipe)
    took = 1_000 * (time.perf_counter() - begin)
    return took, ([(hit.id, hit.score) for hit in results.hits], results.notes)


if __name__ == "__main__":
    main()
