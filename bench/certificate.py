"""How many vectors a certified question reads, and how long it takes beside reading all of them.

    python bench/certificate.py FOLDER --passages N [--queries 200]

FOLDER is made when it is not there (by the way of bench/run.py: generated text, vectors without meaning).
"""

from __future__ import annotations

import re
import sys
import time
from argparse import ArgumentParser
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.vectors import RandomVectors

from asof import engine
from asof.corpus.corpus import open as open_corpus
from asof.text.question import as_typed
from bench import generated, ours

REPEATED = 3
"""The shortest of so many is the time of a question."""

SHARE = re.compile(r"exact: the vectors of (all|[\d.]+%)")


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    given = parser.parse_args()
    if not given.folder.exists():
        ours.build(str(given.folder), given.passages, dense=True)
    with open_corpus(given.folder, create=False, encoder=RandomVectors()) as corpus:
        view = corpus.at().view()
        asked = [as_typed(each, view.as_of).query for each in generated.queries(given.queries)]
        taken: dict[str, list[float]] = {"fused": [], "scanned": []}
        shares, worst = [], 0.0
        for name in taken:
            for query in asked[:20]:
                engine.search(query, view, ours.STAGES[name])
        for query in asked:
            times, ids = {}, {}
            for name in taken:
                times[name] = float("inf")
                for _ in range(REPEATED):
                    begin = time.perf_counter()
                    results = engine.search(query, view, ours.STAGES[name])
                    times[name] = min(times[name], 1000 * (time.perf_counter() - begin))
                ids[name] = [(hit.id, hit.score) for hit in results.hits]
                if name == "fused":
                    found = next(found for note in results.notes if (found := SHARE.match(note)))
                    shares.append(1.0 if found[1] == "all" else float(found[1].rstrip("%")) / 100)
            assert ids["fused"] == ids["scanned"], query.text
            for name, each in times.items():
                taken[name].append(each)
            worst = max(worst, times["fused"] / times["scanned"])
        fused, scanned = np.median(taken["fused"]), np.median(taken["scanned"])
        print(f"{view.n:,} passages, {len(asked)} questions, words : vectors = 1 : .5")
        print(
            f"share of vectors read: median {np.median(shares):.4f}, "
            f"9 in 10 at most {np.quantile(shares, 0.9):.4f}, "
            f"all of them for {np.mean(np.array(shares) == 1.0):.1%} of the questions"
        )
        print(
            f"median {fused:.2f} ms, all read {scanned:.2f} ms; "
            f"9 in 10: {np.quantile(taken['fused'], 0.9):.2f}, {np.quantile(taken['scanned'], 0.9):.2f}; "
            f"largest ratio of one question {worst:.2f}"
        )
        read_all = [
            a / b
            for a, b, share in zip(taken["fused"], taken["scanned"], shares, strict=True)
            if share == 1.0
        ]
        if read_all:
            print(
                f"where all were read after a try: median ratio {np.median(read_all):.3f} of {len(read_all)}"
            )


if __name__ == "__main__":
    main()
