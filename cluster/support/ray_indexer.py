"""A process that indexes a source into a corpus at a URL, by Ray or without, in small batches that are pushed
at once: to be killed.

    python -m cluster.support.ray_indexer URL SHARDS SOURCE [RAY_ADDRESS]
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial

import asof
from asof import engine
from asof.cluster import indexing
from asof.cluster.ray.library import connected
from asof.cluster.ray.texts import RayTexts
from asof.store.workers import TextWorkers


def main() -> None:
    url, shards, source, *address = sys.argv[1:]
    engine.BATCH_DOCUMENTS = 20
    indexing.TextWorkers = partial(TextWorkers, worth=1)  # type: ignore[misc, assignment]
    ray = connected(address[0]) if address else nullcontext()
    with ray, asof.open(url, shards=int(shards), write=True) as corpus:
        corpus.writer.every = 0.0  # type: ignore[attr-defined]
        sys.stdout.write("begun\n")
        sys.stdout.flush()
        corpus.add(source, **({"pool": RayTexts} if address else {}))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
