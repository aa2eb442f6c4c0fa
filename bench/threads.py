"""How many questions a second several threads answer beside one, with one open corpus.

    python bench/threads.py FOLDER [--passages 200000] [--threads 4] [--queries 60] [--rounds 5]

FOLDER is made when it is not there (generated text, no vectors). Each round asks the same questions by one
thread and by several, turn about; the ratio is the median of the rounds' ratios. `probe`: beside one thread
that asks, how often another one gets the interpreter at once: the share of time in which SQLite and numpy run
without it, so that another thread can.
"""

from __future__ import annotations

import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from bench import generated, ours

RECIPES = "asof", "twe", "tempralm"
AT_ONCE = 0.000_3
"""Seconds within which the interpreter was free: less than a turn of a thread that computes (5 ms)."""


def main() -> None:
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passages", type=int, default=200_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    if not (given.folder / ".asof").exists():
        ours.build(str(given.folder), given.passages, dense=False)
    questions = generated.queries(given.queries)
    with open_corpus(given.folder, create=False) as corpus:
        print(f"{corpus.status().passages:,} passages, {len(questions)} questions, {given.threads} threads")
        for recipe in RECIPES:
            figures = compared(corpus, questions, recipe, given.threads, given.rounds)
            print(f"{recipe:8} {figures}, free of the interpreter {probe(corpus, questions, recipe):.0%}")


def compared(corpus: Corpus, questions: Sequence[str], recipe: str, threads: int, rounds: int) -> str:
    """Questions a second by one thread and by several, and the median of their ratios."""
    for number in (threads, 1):  # each reader has looked at the corpus once
        rate(corpus, questions, recipe, number)
    found = [[rate(corpus, questions, recipe, number) for number in (1, threads)] for _ in range(rounds)]
    one, several = (median(each) for each in zip(*found, strict=True))
    ratios = sorted(many / single for single, many in found)
    return (
        f"{one:.1f} a second by one, {several:.1f} by {threads}: "
        f"x {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}), "
        f"the best rounds x {max(many for _, many in found) / max(single for single, _ in found):.2f}"
    )


def rate(corpus: Corpus, questions: Sequence[str], recipe: str, threads: int) -> float:
    """Questions a second."""
    with ThreadPoolExecutor(threads) as pool:
        begin = time.perf_counter()
        list(pool.map(lambda question: corpus.search(question, recipe=recipe), questions))
        return len(questions) / (time.perf_counter() - begin)


def probe(corpus: Corpus, questions: Sequence[str], recipe: str) -> float:
    """The share of looks at which the interpreter is free while one thread asks."""
    done = threading.Event()

    def ask() -> None:
        for question in questions:
            corpus.search(question, recipe=recipe)
        done.set()

    asking = threading.Thread(target=ask)
    asking.start()
    free = looks = 0
    while not done.is_set():
        begin = time.perf_counter()
        time.sleep(0.001)
        free += time.perf_counter() - begin < 0.001 + AT_ONCE
        looks += 1
    asking.join()
    return free / max(looks, 1)


if __name__ == "__main__":
    main()
