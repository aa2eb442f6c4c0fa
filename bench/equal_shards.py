"""Whether a corpus in shards answers a dataset's questions as one corpus does, to the last bit.

    python -m bench.equal_shards DATASET [--shards 2,5] [--questions 200] [--recipe asof] [--encoder]

Ids, scores, trees, successors and notes of the first ten hits of each question are compared, and the medians
of the times that a question takes are printed side by side. The shards are searched as one, and then apart,
each in a thread that sends what an actor would.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.counted_objects import CountedShards

from asof.cluster.opening import open_shards
from asof.cluster.shards import LocalShards
from asof.config import Config
from asof.corpus.corpus import open as open_corpus
from asof.evaluate.runs.dataset import Dataset, load
from asof.models.hashed import HashedNgrams


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--shards", default="2,5")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--recipe", default="asof")
    parser.add_argument("--encoder", action="store_true", help="vectors by hashed n-grams beside words")
    options = parser.parse_args()
    dataset = load(options.dataset)
    encoder = HashedNgrams() if options.encoder else None
    asked = dataset.questions[:: max(len(dataset.questions) // options.questions, 1)][: options.questions]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        with open_corpus(path / "one", config=Config(), encoder=encoder) as corpus:
            corpus.add(dataset.documents())
            expected, before = answered(corpus, dataset, asked, options.recipe)
        print(f"{len(asked)} questions, one corpus: {before:.1f} ms")
        for count in map(int, options.shards.split(",")):
            with open_shards(path / str(count), shards=count, config=Config(), encoder=encoder) as corpus:
                corpus.add(dataset.documents())
                compared(corpus, dataset, asked, options.recipe, expected, f"{count} shards as one")
                assert corpus.searching is not None
                sessions = [each.session for each in corpus.shards]
                corpus.searching.shards = CountedShards(LocalShards(sessions, count))
                compared(corpus, dataset, asked, options.recipe, expected, f"{count} shards apart")


def compared(
    corpus: Any, dataset: Dataset, asked: Sequence[Any], recipe: str, expected: Sequence[Any], what: str
) -> None:
    """Print how many questions are answered otherwise than expected, and the first of them."""
    found, took = answered(corpus, dataset, asked, recipe)
    different = [q.text for q, one, other in zip(asked, expected, found, strict=True) if one != other]
    print(f"{what}: {len(different)} different, {took:.1f} ms", flush=True)
    for text in different[:3]:
        print(f"  {text}")


def answered(corpus: Any, dataset: Dataset, asked: Sequence[Any], recipe: str) -> tuple[list[Any], float]:
    """What each question finds, and the median of the times in ms."""
    shown, times = [], []
    corpus.snapshot(dataset.as_of(asked[0])).search(asked[0].text, recipe=recipe)
    for question in asked:
        begin = time.perf_counter()
        results = corpus.snapshot(dataset.as_of(question)).search(question.text, recipe=recipe)
        times.append((time.perf_counter() - begin) * 1_000)
        hits = [(hit.id, hit.score, hit.superseded, hit.why.as_json()) for hit in results.hits]
        shown.append((hits, results.notes))
    return shown, statistics.median(times)


if __name__ == "__main__":
    main()
