"""LSA of a corpus: how long the basis takes, the first question of a process, and a question after that.

python bench/latent.py CORPUS.jsonl | --generated N
"""

from __future__ import annotations

import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.ours import peak_memory

from asof.corpus.corpus import open as open_corpus
from asof.data import Filters
from asof.index import latent
from asof.index.sample import checkpoint, first_rows, past_rows, sampled
from asof.index.view import View
from asof.models.lsa import fit
from asof.rank.features.latent import Latent
from asof.rank.stage import Ranking
from asof.text.question import as_typed
from bench import generated

QUESTIONS = 50
REPEATED = 3


def fitting(view: View) -> tuple[int, float]:
    """How many rows the basis is fitted to, and the shortest of some fits, in seconds."""
    columns = {name: view.prefix.window().column(name) for name in latent.IDENTITY}
    past = past_rows(view.prefix)
    rows = sampled(first_rows(past, checkpoint(len(past)), columns), columns)
    counts, terms = latent.counts_of(view, rows)
    taken = []
    for _ in range(REPEATED):
        begin = time.perf_counter()
        fit(counts, terms)
        taken.append(time.perf_counter() - begin)
    return len(rows), min(taken)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("corpus", nargs="?", type=Path)
    parser.add_argument("--generated", type=int, default=0, metavar="N")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open_corpus(folder) as corpus:
        corpus.maintenance.background = False
        corpus.add(given.corpus if given.corpus else generated.documents(given.generated))
        corpus.tidy()
        view = corpus.at().view()
        titles = [record.text[:60] for record in view.records(np.arange(min(view.n, QUESTIONS)))]
        questions = generated.queries(QUESTIONS) if given.generated else titles
        taken = []
        for question in questions:
            begin = time.perf_counter()
            Latent()(as_typed(question, view.as_of).query, Ranking(view.window(Filters())), view)
            taken.append(time.perf_counter() - begin)
        peak = peak_memory()
        fitted, seconds = fitting(view)
        later = 1e3 * median(taken[1:])
        print(f"{view.n:,} passages: the first question {taken[0]:.2f} s, later {later:.2f} ms")
        print(f"a fit to {fitted:,}: {seconds:.2f} s (shortest of {REPEATED}); peak {peak / 1e9:.1f} GB")


if __name__ == "__main__":
    main()
