"""Actors and indexers of Ray that are killed, again and again: no wrong answer, none lost, nothing twice.

    python -m bench.ray_chaos search [--questions 1000] [--every 2] [--shards 4] [--replicas 1]
    python -m bench.ray_chaos index [--moments 50] [--without-ray]

`search`: an actor for each replica of each shard, over storage in a folder; every two seconds the process of
a random one gets SIGKILL.
Each answer is compared with that of one corpus. `index`: a process that indexes, by Ray or by itself, is
killed at random moments; see `cluster.support.indexer_kills`. Needs the packages of `make cluster`.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from cluster.support.indexer_kills import kill_indexers
from cluster.support.ray_here import ray_here

import asof
from asof.cluster import search as sharded_search
from asof.cluster.ray.corpus import RayCorpus, open_ray
from asof.cluster.ray.library import ray
from bench import generated

AS_OF = "2025-06-01"
DIFFERENT = 40
"""Questions that are asked in turn."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["search", "index"])
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--passages", type=int, default=2_000)
    parser.add_argument("--every", type=float, default=2.0)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--without-ray", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, url = Path(folder), (Path(folder) / "bucket").as_uri()
        os.environ |= {"XDG_CACHE_HOME": str(path / "cache"), "ASOF_CONFIG": os.devnull}
        if options.what == "index" and options.without_ray:
            print(kill_indexers(url, None, path, options.moments))
            return
        with ray_here() as library:
            if options.what == "search":
                searched(path, url, options)
            else:
                address = library.get_runtime_context().gcs_address
                print(kill_indexers(url, address, path, options.moments))


def searched(path: Path, url: str, options: Any) -> None:
    """Ask while actors are killed, and print what was seen."""
    documents = list(generated.documents(options.passages))
    questions = generated.queries(DIFFERENT)
    with asof.open(path / "one") as corpus:
        corpus.add(documents)
        expected = {each: shown(corpus.at(AS_OF).search(each)) for each in questions}
    with asof.open(url, shards=options.shards, write=True) as corpus:
        corpus.add(documents)
    begun = [0]
    begin = sharded_search.Reopened.__init__

    def counted(self: Any, *arguments: Any) -> None:
        begun[0] += 1
        begin(self, *arguments)

    sharded_search.Reopened.__init__ = counted  # type: ignore[assignment, method-assign]
    with open_ray(url, caches=path / "copies", replicas=options.replicas) as corpus:  # type: ignore[assignment]
        stop, killed = threading.Event(), [0]
        killing = threading.Thread(target=kill, args=(corpus, options.every, stop, killed))
        killing.start()
        times, wrong, lost, again = [], 0, 0, 0
        try:
            for at in range(options.questions):
                question = questions[at % DIFFERENT]
                since, before = time.perf_counter(), begun[0]
                try:
                    wrong += shown(corpus.at(AS_OF).search(question)) != expected[question]
                except asof.errors.AsofError as error:
                    lost += 1
                    print(f"lost: {error}")
                times.append(1e3 * (time.perf_counter() - since))
                again += begun[0] - before > 1
                if at % 100 == 99:
                    print(
                        f"{at + 1}: {killed[0]} kills, {wrong} wrong, {lost} lost, {again} begun anew",
                        flush=True,
                    )
        finally:
            stop.set()
            killing.join()
    print(
        f"{len(times)} questions, {killed[0]} kills: {wrong} wrong, {lost} lost, {again} begun anew; "
        f"median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms"
    )


def shown(results: Any) -> list[Any]:
    """All that is compared of an answer."""
    hits = [(hit.id, hit.score, hit.superseded, hit.why.as_json()) for hit in results.hits]
    return [*hits, *results.notes]


def kill(corpus: RayCorpus, every: float, stop: threading.Event, killed: list[int]) -> None:
    """Kill the process of a random actor every so many seconds; one that is just being started is not."""
    chosen = random.Random(1)
    actors = [actor for replicas in corpus.searchers for actor in replicas]
    while not stop.wait(every):
        try:
            process = ray().get(chosen.choice(actors).status.remote(), timeout=every)["process"]
        except (ray().exceptions.RayError, TimeoutError):
            continue
        os.kill(process, signal.SIGKILL)
        killed[0] += 1


if __name__ == "__main__":
    main()
