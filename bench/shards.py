"""Search over shards: a generated corpus of millions of passages, and what a question to it costs.

    python -m bench.shards build FOLDER --shards 8 --passages 10000000
    python -m bench.shards ask FOLDER --questions 200
    python -m bench.shards replicas FOLDER                 # with Ray: .venv-cluster

Some documents are indexed as usual. The shards hold copies of these, as many as it takes, with other ids and
other words of about the same frequency; their segments are made from the texts, as after a damage.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from bench.corpora import (
    DAYS,
    FIRST,
    FUNCTIONAL,
    KINDS,
    Record,
    name,
    questions_about,
    ranks,
    record,
    time_words,
    vocabulary,
)
from bench.figures import aligned

import asof
from asof.extensions.cluster.shards import MOVED, create, open_shards, shard_of
from asof.files import FOLDER
from asof.store.schema import transaction

WORDS, BASE = 40, 25_000
"""Words of a passage, and the passages that are copied."""

AT_ONCE = 1_000_000
"""Words drawn at once."""


def documents(passages: int) -> Iterator[Record]:
    """Documents of one passage each: a fifth announce a version, one in twenty has two versions."""
    rng = np.random.default_rng(7)
    words, names, times = (
        drawn(rng),
        [name(rng) for _ in range(20_000)],
        [time_words(rng) for _ in range(5_000)],
    )
    made = 0
    while made < passages:
        day, subject = int(rng.integers(DAYS)), names[int(rng.integers(len(names)))]
        when, id_ = FIRST + timedelta(days=day), f"d{made}"
        if rng.random() < 0.2:
            version = f"{rng.integers(12)}.{rng.integers(12)}.{rng.integers(12)}"
            text = f"{subject} {version} was released on {when.day} {when:%B %Y}. "
            yield record(id_, text + paragraph(words, subject, times, rng), f"{subject} {version}", when)
            made += 1
            continue
        title = f"{subject} {KINDS[made % len(KINDS)]} {when.year}"
        for _ in range(1 + (rng.random() < 0.05)):
            yield record(id_, paragraph(words, subject, times, rng), title, when)
            made += 1
            when += timedelta(days=int(rng.integers(1, 100)))


def drawn(rng: np.random.Generator) -> Iterator[str]:
    """Words by Zipf's law, without end."""
    every = [*FUNCTIONAL, *vocabulary()[len(FUNCTIONAL) :]]
    while True:
        yield from map(every.__getitem__, ranks(rng, AT_ONCE, len(every)).tolist())


def paragraph(words: Iterator[str], subject: str, times: list[str], rng: np.random.Generator) -> str:
    """Sentences of some twenty words, with a name, and one in two with a time."""
    text = [next(words) for _ in range(int(rng.integers(WORDS // 2, WORDS * 3 // 2)))]
    text[7] = subject
    if rng.random() < 0.5:
        text[15] = times[int(rng.integers(len(times)))]
    for at in range(11, len(text), 17):
        text[at] += "."
    return f"{' '.join(text)}."


def copied(base: Path, folder: Path, place: int, shards: int, copies: int) -> int:
    """Write a shard that holds so many copies of the documents of a corpus, unless it does; returns its
    passages."""
    with asof.open(folder, create=False) as corpus:
        if there := corpus.at().view().n:
            return there
    own, other = ((each / FOLDER / "corpus.db").absolute().as_uri() for each in (folder, base))
    with closing(sqlite3.connect(own, uri=True, isolation_level=None)) as db:
        db.execute("ATTACH ? AS base", (f"{other}?mode=ro",))
        db.execute("PRAGMA cache_size = -1000000")  # 1 GB: each row goes into several indexes
        db.execute("INSERT OR IGNORE INTO transactions SELECT * FROM base.transactions")
        db.execute("INSERT OR IGNORE INTO sources SELECT * FROM base.sources")
        rows = {table: db.execute(f"SELECT max(id) FROM base.{table}").fetchone()[0] for table in NUMBERED}
        for copy in range(copies):
            words, named = other_words(copy * shards + place), other_names(copy, place, shards)
            db.create_function("words", 1, words, deterministic=True)
            db.create_function("named", 1, named, deterministic=True)
            with transaction(db):
                for table in (*NUMBERED, "ends"):
                    db.execute(_insert(db, table, rows, copy, place, shards))
        passages: int = db.execute("SELECT count(*) FROM passages").fetchone()[0]
    with asof.open(folder, create=False) as corpus:
        corpus.manifest.mend()
    return passages


NUMBERED = ("documents", "heads", "versions", "passages")
TEXTS = {"text": "words", "title": "words", "name": "named", "path": "named"}


def _insert(
    db: sqlite3.Connection, table: str, rows: dict[str, int], copy: int, place: int, shards: int
) -> str:
    columns = [column for _, column, *_ in db.execute(f"PRAGMA table_info({table})")]
    columns = [each for each in columns if not (table == "ends" and each == "id")]
    values = []
    for column in columns:
        of = MOVED.get(table, {}).get(column)
        if of:
            values.append(f"({column} - 1 + {copy * rows[of]}) * {shards} + {place or shards}")
        else:
            values.append(f"{TEXTS[column]}({column})" if column in TEXTS else column)
    return f"INSERT INTO main.{table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM base.{table}"


def other_words(number: int) -> Callable[[str], str]:
    """Puts another word of about the same frequency for each word that is not among the most frequent."""
    every = vocabulary()
    places, key = {word: at for at, word in enumerate(every)}, number * 0x9E3779B1

    def moved(word: str) -> str:
        at = places.get(word.lower(), 0)
        if not 64 <= at < 131_072:
            return word
        other = every[at ^ (key & ((1 << (at.bit_length() - 1)) - 1))]
        return other.capitalize() if word[0].isupper() else other

    return lambda text: " ".join(map(moved, text.split(" ")))


def other_names(copy: int, place: int, shards: int) -> Callable[[str], str]:
    """The id of the copy of a document, by its id: one that falls to a shard."""
    return lambda id_: next(new for at in count() if shard_of(new := f"{id_}-{copy}-{at}", shards) == place)


def build(root: Path, shards: int, passages: int, at_once: int) -> None:
    """Make a folder of shards."""
    base = root / "base"
    with asof.open(base) as corpus:
        corpus.add(documents(BASE))
        made = corpus.store.first.execute("SELECT count(*) FROM passages").fetchone()[0]
    if not (root / "shards.json").exists():
        create(root, shards).close()
    copies = -(-passages // shards // made)
    with ProcessPoolExecutor(at_once) as pool:
        folders = [root / f"shard-{place}" for place in range(shards)]
        of_each = ([base] * shards, folders, range(shards), [shards] * shards, [copies] * shards)
        for folder, written in zip(folders, pool.map(copied, *of_each), strict=True):
            print(f"{folder.name}: {written:,} passages", flush=True)


def ask(root: Path, count: int, recipe: str | None) -> None:
    """Ask generated questions of all time and of the last hundredth of it: medians, 95th percentiles, bytes
    read from the disk, and the memory of the process."""
    texts, lines = questions_about(count), list[tuple[str, str, str]]()
    forget(root)
    with measured(lines, "open, first question"):
        opened = open_shards(root) if (root / "shards.json").exists() else asof.open(root, create=False)
        corpus: Any = getattr(opened, "whole", opened)
        corpus.search(texts[0], recipe=recipe)
    with opened:
        since = f"{FIRST + timedelta(days=DAYS - DAYS // 100):%Y-%m-%d}"
        for scope, more in (("all", {}), ("a hundredth", {"since": since})):
            with measured(lines, f"{scope}, each once, for the first time"):
                for text in texts:
                    corpus.search(text, recipe=recipe, **more)
            took = []
            for text in texts:
                begun = time.perf_counter()
                corpus.search(text, recipe=recipe, **more)
                took.append((time.perf_counter() - begun) * 1e3)
            middle, late = np.percentile(took, [50, 95])
            lines.append((f"{scope}, warm", f"{middle:,.1f} ms", f"p95 {late:,.1f} ms"))
    print(aligned([*lines, ("memory, mapped files counted", *peak())]))


def replicas(root: Path, questions: int) -> None:
    """Score shards in replicas of Ray Serve, one CPU each: how long a question waits for their candidates,
    less the time that the slowest shard took."""
    import ray
    from ray import serve

    from asof.extensions.cluster import serving

    class Timed(serving.ShardReplica):
        """A replica that says how long it took, too."""

        def candidates(self, state: str, ask: Any) -> Any:
            begun = time.perf_counter()
            found = super().candidates(state, ask)
            self.took = time.perf_counter() - begun
            return found

        def last(self) -> float:
            return self.took

    class Noted(serving.Replicas):
        """Replicas whose answers are waited for with a clock."""

        def candidates(self, ask: Any, view: Any, window: Any) -> Any:
            begun = time.perf_counter()
            found = super().candidates(ask, view, window)
            waited.append(time.perf_counter() - begun)
            slowest.append(max(each.last.remote().result() for each in self.handles))
            return found

    waited, slowest = list[float](), list[float]()
    shards = serving.shards_of(str(root))
    ray.init("local", num_cpus=shards + 1, log_to_driver=False)
    handles = [
        serve.run(
            serve.deployment(Timed, name=f"shard-{place}").bind(str(root.absolute()), place),
            name=f"shard-{place}", route_prefix=None,
        )
        for place in range(shards)
    ]  # fmt: skip
    with open_shards(root, asking=lambda folders, here: Noted(handles, {}, folders, here)) as opened:
        for text in questions_about(questions) * 2:
            opened.whole.search(text)
    serve.shutdown()
    over = [1e3 * (all_ - own) for all_, own in zip(waited[questions:], slowest[questions:], strict=True)]
    print(aligned([
        ("a question, for candidates", f"{1e3 * np.median(waited[questions:]):,.1f} ms", ""),
        ("the slowest shard", f"{1e3 * np.median(slowest[questions:]):,.1f} ms", ""),
        ("more than that", f"{np.median(over):,.1f} ms", f"p95 {np.percentile(over, 95):,.1f} ms"),
    ]))  # fmt: skip


@contextmanager
def measured(lines: list[tuple[str, str, str]], what: str) -> Iterator[None]:
    """A line of the seconds and of the bytes that were read from the disk."""
    begun, read = time.perf_counter(), read_bytes()
    yield
    took, read = time.perf_counter() - begun, read_bytes() - read
    lines.append((what, f"{took:,.1f} s", f"{read / 1e6:,.0f} MB read"))


def read_bytes() -> int:
    """The bytes that this process has read from the disk (Linux)."""
    counted = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(counted["read_bytes"])


def peak() -> tuple[str, str]:
    """The most memory that this process had, and what of it now is its own."""
    said = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    most, own = (int(said[name].split()[0]) / 1e6 for name in ("VmHWM", "RssAnon"))
    return f"{most:,.1f} GB", f"{own:,.1f} GB its own"


def forget(root: Path) -> None:
    """Let the system forget the pages of all files below a folder."""
    for path in filter(Path.is_file, root.rglob("*")):
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    building, asking, replicated = map(commands.add_parser, ("build", "ask", "replicas"))
    for each in (building, asking, replicated):
        each.add_argument("folder", type=Path)
    building.add_argument("--shards", type=int, default=8)
    building.add_argument("--passages", type=int, default=1_000_000)
    building.add_argument("--at-once", type=int, default=2)
    asking.add_argument("--questions", type=int, default=200)
    asking.add_argument("--recipe")
    given = parser.parse_args()
    if given.command == "build":
        build(given.folder, given.shards, given.passages, given.at_once)
    elif given.command == "ask":
        ask(given.folder, given.questions, given.recipe)
    else:
        replicas(given.folder, 100)


if __name__ == "__main__":
    main()
