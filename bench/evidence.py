"""What the evidence graph costs, and which of its edges the cap leaves.

    .venv/bin/python bench/evidence.py DATASET          (holds corpus.jsonl)
    .venv/bin/python bench/evidence.py --generated 100000

The graph is made several times with nothing kept; the shortest counts, for the machine may do other things.
Then it is opened from its files, and brought up to date with one document more. Recall: of the edges that a
sample of passages has without the cap, found exactly, the share that the cap leaves.

    .venv/bin/python bench/evidence.py --generated 100000 --bands 16,32,64

With `--bands` graphs of locality-sensitive candidates are made from the same shingles instead, and compared
with the exact one: time and memory of each, the share of its edges and of its weight that is found, by J.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.measure import bytes_in, milliseconds
from bench.ours import peak_memory

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.data import Document
from asof.graph.evidence import CAP, THRESHOLD, Evidence, evidence
from asof.graph.evidence_cache import graph_cache
from asof.graph.overlap import SCALE, Weighted, edges_of, sharing_of
from asof.graph.postings import shingles_of
from asof.graph.update import Updater
from asof.index.view import View
from asof.sources.open import open_source
from asof.text.shingles import Shingler
from bench import generated

ADDED = 9


def main() -> None:
    options = parse()
    with TemporaryDirectory(dir=options.folder) as place:
        before = peak_memory()
        fill(place, options)
        if options.bands:
            with open_corpus(place, create=False) as corpus:
                compare([int(each) for each in options.bands.split(",")], corpus.at().view(), options)
            return
        indexed = peak_memory()
        seconds = [build(place, options) / 1e3 for _ in range(options.runs)]
        print(f"made anew: {min(seconds):.2f} s (shortest of {options.runs}; longest {max(seconds):.2f})")
        print(f"peak memory: {peak_memory() / 1e6:,.0f} MB (indexing {indexed / 1e6:,.0f}, at the start "
              f"{before / 1e6:,.0f})")  # fmt: skip
        with open_corpus(place, create=False) as corpus:
            corpus.maintenance.background = False
            view = corpus.at().view()
            print(f"opened from files: {milliseconds(lambda: evidence(view, **choice(options))):.1f} ms")
            graph = evidence(view, **choice(options))
            describe(graph, view, options)
            print(f"PageRank: {milliseconds(graph.pagerank):.1f} ms")
            one_more(corpus, options)


def compare(bands: list[int], view: View, options: argparse.Namespace) -> None:
    """Candidates against all pairs, from shingles that are in memory."""
    cache = graph_cache(view.derived)
    began = time.perf_counter()
    exact = cache.updater(view, options.threshold, options.cap)
    print(f"shingles of {exact.rows.n:,} passages: {time.perf_counter() - began:.2f} s")
    known = exact.rows.known(view.prefix)
    whole = timed("all pairs", exact, known)
    edges = coded(whole)
    weight = whole[2]
    for each in bands:
        found = coded(timed(f"{each} bands", replace(exact, bands=each), known))
        there = np.isin(edges, found)
        assert np.isin(found, edges).all(), "a candidate's overlap is exact"
        steps = {}
        for low, high in ((0.05, 0.1), (0.1, 0.2), (0.2, 0.5), (0.5, 1.01)):
            inside = (weight > low * SCALE) & (weight <= high * SCALE)
            steps[f"J to {min(high, 1):g}"] = float(there[inside].mean()) if inside.any() else 1.0
        shares = ", ".join(f"{name} {share:.3f}" for name, share in steps.items())
        mass = weight[there].sum() / weight.sum()
        print(f"  recall: {there.mean():.4f} of {len(edges):,} edges, {mass:.4f} of their weight; {shares}")


def timed(name: str, updater: Updater, known: Any) -> Weighted:
    tracemalloc.start()
    began = time.perf_counter()
    graph = updater.anew(known)
    seconds = time.perf_counter() - began
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"{name}: {seconds:.2f} s, {memory / 1e6:,.0f} MB at its height beside the shingles")
    return graph.edges.among(known)


def coded(edges: Weighted) -> Any:
    low, high, _ = edges
    return (low.astype(np.int64) << 32) | high


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("dataset", type=Path, nargs="?")
    parser.add_argument("--generated", type=int, help="so many generated passages instead of a dataset")
    parser.add_argument("--threshold", type=float, default=THRESHOLD)
    parser.add_argument("--cap", type=int, default=CAP)
    parser.add_argument("--bands", help="numbers of bands of locality-sensitive candidates, 16,32,64")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--sample", type=int, default=300, help="passages whose edges are found without the cap"
    )
    parser.add_argument("--folder", help="where the corpus is made (default: the system's)")
    options = parser.parse_args()
    if (options.dataset is None) == (options.generated is None):
        parser.error("give a dataset or --generated N")
    return options


def choice(options: argparse.Namespace) -> dict[str, Any]:
    return {"threshold": options.threshold, "cap": options.cap}


def fill(place: str, options: argparse.Namespace) -> None:
    with open_corpus(place) as corpus:
        corpus.maintenance.background = False
        if options.generated:
            corpus.add(generated.documents(options.generated))
        else:
            corpus.add(options.dataset / "corpus.jsonl")
        corpus.tidy()


def build(place: str, options: argparse.Namespace) -> float:
    """Milliseconds of the first question of a process that finds nothing kept."""
    shutil.rmtree(derived(place), ignore_errors=True)
    with open_corpus(place, create=False) as corpus:
        view = corpus.at().view()
        return milliseconds(lambda: evidence(view, **choice(options)))


def derived(place: str) -> Path:
    return Path(place) / ".asof" / "derived"


def describe(graph: Evidence, view: View, options: argparse.Namespace) -> None:
    known = graph.rows.known(view.prefix)
    edges = len(graph.edges.among(known)[0])
    print(f"passages: {known.sum():,} known, {view.n:,} in force; edges: {edges:,} and "
          f"{len(graph.edges.among(graph.alive)[0]):,}")  # fmt: skip
    sizes = {path.name: path.stat().st_size for path in sorted(view.derived.folder.rglob("*.seg"))}
    print(f"disk: {sum(sizes.values()) / 1e6:,.1f} MB ({', '.join(f'{n} {s:,}' for n, s in sizes.items())})")
    corpus = bytes_in(view.derived.folder.parent)
    print(f"      of {corpus / 1e6:,.1f} MB of the whole corpus")
    recall(graph, view, options)


def recall(graph: Evidence, view: View, options: argparse.Namespace) -> None:
    """Of all edges of a few passages, the share that the cap leaves."""
    everything = graph_cache(view.derived).updater(view, options.threshold, options.cap)
    known = graph.rows.known(view.prefix)
    rng = np.random.default_rng(5)
    sample = np.zeros(len(known), bool)
    sample[rng.choice(np.flatnonzero(known), min(options.sample, int(known.sum())), replace=False)] = True
    parts, rows = everything.parts, graph.rows
    limits = everything.limits
    hashes = shingles_of(view.store.db, np.flatnonzero(sample) + rows.first, Shingler(), limits.texts_at_once)
    uncapped = edges_of(
        sample, sharing_of(hashes, parts, known, 0, rows), everything.counts, rows, options.threshold,
        limits.products_at_once,
    )  # fmt: skip
    all_low, all_high, _ = graph.edges.among(known)
    left = int((sample[all_low] | sample[all_high]).sum())
    whole = len(uncapped[0])
    print(
        f"recall: {left / whole if whole else 1:.4f} ({left:,} of {whole:,} edges of {sample.sum()} passages)"
    )


def one_more(corpus: Corpus, options: argparse.Namespace) -> None:
    """From a committed document to the degrees of the new view."""
    taken = []
    for document in documents(options):
        corpus.add([document])
        taken.append(milliseconds(lambda: evidence(corpus.at().view(), **choice(options)).degrees))
    print(f"one document more: {min(taken):.1f} ms (median {median(taken):.1f}, longest {max(taken):.1f})")


def documents(options: argparse.Namespace) -> Iterator[Document]:
    """Generated documents, or documents of the dataset again, under other names."""
    if options.generated:
        found: Iterator[Any] = generated.documents(10 * ADDED, seed=99)
    else:
        found = iter(open_source(options.dataset / "corpus.jsonl", root=options.dataset).documents())
    stated = (each for each in found if isinstance(each, Document))
    for at, document in enumerate(islice(stated, ADDED)):
        yield replace(document, id=f"more{at}")


if __name__ == "__main__":
    main()
