"""What succession costs, and links of it to look at.

    .venv/bin/python bench/succession.py DATASET [--show 50]        (holds corpus.jsonl)
    .venv/bin/python bench/succession.py --generated 100000

The chains are made several times with nothing kept; the shortest counts, for the machine may do other
things. Then they are opened from their file, asked for as of other days, and brought up to date with one
document more.
`--show`: links drawn at random, to judge by eye.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.measure import milliseconds

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.data import Document
from asof.graph.succession import Succession, succession
from asof.index.view import View
from asof.sources.open import open_source
from asof.time.span import iso, moment
from bench import generated

ADDED = 9
ROWS = 200
DAYS = 5


def main() -> None:
    options = parse()
    with TemporaryDirectory(dir=options.folder) as place:
        with open_corpus(place) as corpus:
            corpus.maintenance.background = False
            given = options.dataset / "corpus.jsonl" if options.dataset else None
            corpus.add(given or generated.documents(options.generated))
            corpus.tidy()
        taken = [build(place) for _ in range(options.runs)]
        with open_corpus(place, create=False) as corpus:
            corpus.maintenance.background = False
            view = corpus.at().view()
            print(f"opened from the file: {milliseconds(lambda: succession(view)):.1f} ms")
            found = succession(view)
            known = int(found.chain.known.sum())
            print(f"made anew: {min(taken) / 1e3:.2f} s (longest {max(taken) / 1e3:.2f}), "
                  f"{1e3 * min(taken) / max(known, 1):.1f} µs a passage")  # fmt: skip
            print(f"passages: {known:,}; {int((found.chain.before >= 0).sum()):,} follow another")
            ask(corpus, view, found)
            one_more(corpus, options)
            show(view, found, options.show)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("dataset", type=Path, nargs="?")
    parser.add_argument("--generated", type=int, help="so many generated passages instead of a dataset")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--show", type=int, default=0, help="print so many links")
    parser.add_argument("--folder", help="where the corpus is made (default: the system's)")
    options = parser.parse_args()
    if (options.dataset is None) == (options.generated is None):
        parser.error("give a dataset or --generated N")
    return options


def build(place: str) -> float:
    """Milliseconds of the first question of a process that finds nothing kept."""
    shutil.rmtree(Path(place) / ".asof" / "derived", ignore_errors=True)
    with open_corpus(place, create=False) as corpus:
        view = corpus.at().view()
        return milliseconds(lambda: succession(view))


def ask(corpus: Corpus, view: View, found: Succession) -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(0, view.prefix.rows, ROWS)
    taken = [milliseconds(lambda: (found.predecessors(rows), found.successors(rows))) for _ in range(20)]
    print(f"before and after of {ROWS} rows: {min(taken):.3f} ms")
    visible = view.column("visible", rng.integers(0, view.prefix.rows, DAYS)).tolist()
    taken = []
    for instant in visible:
        then = corpus.at(moment(instant)).view()
        taken.append(milliseconds(partial(succession, then)))
    print(f"another day: {min(taken):.2f} ms (longest {max(taken):.2f})")


def one_more(corpus: Corpus, options: argparse.Namespace) -> None:
    """From a committed document to the chains of the new view."""
    taken = []
    for document in documents(options):
        corpus.add([document])
        view = corpus.at().view()
        taken.append(milliseconds(partial(succession, view)))
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


def show(view: View, found: Succession, many: int) -> None:
    rows = np.arange(view.prefix.rows)
    before = found.predecessors(rows)
    linked = np.flatnonzero(before >= 0)
    chosen = np.random.default_rng(7).choice(linked, min(many, len(linked)), replace=False)
    for row in chosen.tolist():
        for sign, each in (("", row), ("  <- ", int(before[row]))):
            record = view.records(np.array([each]))[0]
            instant = iso(int(view.column("visible", np.array([each]))[0]))[:10]
            print(f"{sign}{instant} {record.title} | {' '.join(record.text.split())[:160]}")


if __name__ == "__main__":
    main()
