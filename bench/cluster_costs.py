"""Costs of a corpus beyond one machine, on paper, from bytes that are measured here.

    python -m bench.cluster_costs [--passages 40000] [--sizes 100M,1B] [--shard 10M] [--json]

Measured, on generated text in two shards at a file:// URL: bytes a passage of the truth and of segments, what
a push and a pull ask of the storage, what a question asks of it once the copy is there, the parts of segments
that a question touches, and the messages between shards and root.

Then, for each size: the number of shards and segments (the merge policy itself is run on the numbers of
rows), a manifest of so many segments is made, written, read and timed, and what grows with passages is the
measured bytes a passage times their number. What is modelled and not measured: postings are as dense as in
the sample (the number of postings that a question reads grows with the passages of a shard), and messages
grow with the number of shards as they do from 2 to 8 shards of the sample, each searched apart: what all
chose together is as much in many shards as in few, and the rest is for each. Prices are options.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

import numpy as np
from bench.counted_objects import CountedObjects, CountedShards, Messages
from bench.generated import documents, queries

from asof import environment
from asof.cluster.opening import open as open_corpus
from asof.cluster.opening import open_shards
from asof.cluster.shards import LocalShards
from asof.config import Config
from asof.index.merge import due
from asof.index.segment import BLOCK, Segment
from asof.storage.address import open_objects
from asof.storage.chunks import CHUNK, load_list
from asof.storage.history import History
from asof.storage.manifests import CorpusManifest, SegmentObject, ShardState, Truth
from asof.storage.names import manifest_path, object_path
from asof.storage.objects import Objects
from asof.storage.storage import Storage
from asof.text.tokens import term_hash

BATCH = 1_000
"""Rows of a segment before it is merged: a commit of a run."""
QUESTIONS = 20
MORE = 8
"""Shards, beside two, of which messages are measured."""
BY_TERM = frozenset({"rows", "tf", "forward", "forward_tf"})
"""Arrays of which a question reads parts: in a sample of few blocks of 256 KiB it touches nearly all."""
GB = 1e9


class Line(NamedTuple):
    """A number that is `once` and `each` for every shard."""

    once: float
    each: float

    @classmethod
    def through(cls, one: tuple[int, float], other: tuple[int, float]) -> Line:
        """That of two measured numbers of shards."""
        each = (other[1] - one[1]) / (other[0] - one[0])
        return cls(one[1] - one[0] * each, each)

    def of(self, shards: int) -> float:
        """In so many shards."""
        return self.once + self.each * shards


@dataclass(frozen=True, slots=True)
class Measured:
    """Of the sample. Bytes a passage; requests and bytes of the storage; `columns`: bytes of segments, but
    for postings and terms by row, that a question touches in a copy of which nothing was read yet, a passage;
    `postings`: how many it reads, a passage; `up`, `down`: bytes of the messages of a question to the root
    and to the shards; `warm_ms`: of a question, here, when it is warm."""

    passages: int
    truth: float
    segments: float
    objects: int
    pull_requests: int
    pull_bytes: int
    again_requests: int
    again_bytes: int
    columns: float
    postings: float
    rounds: float
    up: Line
    down: Line
    warm_ms: float


def measure(passages: int, folder: Path) -> Measured:
    url = (folder / "storage").as_uri()
    counted = CountedObjects(open_objects(url))
    history = History(counted, environment.now)
    with open_corpus(url, config=Config(), shards=2, write=True) as corpus:
        corpus.add(documents(passages))
    storage = Storage(history, lambda _line: None)
    manifest = storage.latest()
    assert manifest is not None
    count = sum(shard.passages for shard in manifest.shards)
    truth = sum(shard.truth.bytes for shard in manifest.shards if shard.truth)
    segments = sum(each.bytes for shard in manifest.shards for each in shard.segments)
    objects = len({name for shard in manifest.shards for name in named(counted.inner, shard)}) + 1
    pulled = pull(storage, counted, folder / "cold")
    again = pull(storage, counted, folder / "cold")
    asked = ask(folder / "cold", count)
    with open_corpus(folder / "more", config=Config(), shards=MORE) as corpus:
        corpus.add(documents(passages))
    sent, sent_more = messages(folder / "cold"), messages(folder / "more")
    return Measured(
        passages=count, truth=truth / count, segments=segments / count, objects=objects,
        pull_requests=pulled[0], pull_bytes=pulled[1], again_requests=again[0],
        again_bytes=again[1], **asked, rounds=mean(each.rounds for each in sent),
        up=Line.through((2, mean(each.up for each in sent)), (MORE, mean(each.up for each in sent_more))),
        down=Line.through(
            (2, mean(each.down for each in sent)), (MORE, mean(each.down for each in sent_more))
        ),
    )  # fmt: skip


def named(objects: Objects, shard: ShardState) -> list[str]:
    """The objects of a shard: its list of chunks and its segments, and the chunks."""
    assert shard.truth is not None
    listed = objects.get(object_path(shard.truth.chunks))
    assert listed is not None
    return [*shard.objects, *load_list(listed)]


def pull(storage: Storage, counted: CountedObjects, root: Path) -> tuple[int, int]:
    """Requests and bytes of a pull."""
    counted.requests.clear()
    counted.read_bytes = 0
    storage.pull(root)
    return counted.requests.total(), counted.read_bytes


def ask(root: Path, count: int) -> dict[str, float]:
    """What questions touch, a fresh reader each, and what they cost when it is warm."""
    questions = queries(QUESTIONS)
    columns = list[int]()
    postings = list[int]()
    for question in questions:
        with open_shards(root, config=Config()) as corpus:
            corpus.at().search(question)
            opened = [s for each in corpus.shards for s in each.session.manifest._open.values()]
            blocks = [(s, name, sum(marks)) for s in opened for name, marks in s._checked.items()]
            columns.append(
                sum(min(n * BLOCK, s.unchecked(name).nbytes) for s, name, n in blocks if name not in BY_TERM)
            )
            terms = set(corpus.settings.analyzer().terms(question, "en"))
            postings.append(sum(_postings(s, terms) for s in opened))
    took = list[float]()
    with open_shards(root, config=Config()) as corpus:
        corpus.at().search(questions[0])
        for question in questions:
            begin = time.perf_counter()
            corpus.at().search(question)
            took.append((time.perf_counter() - begin) * 1e3)
    return {
        "columns": mean(columns) / count, "postings": mean(postings) / count, "warm_ms": median(took),
    }  # fmt: skip


def messages(root: Path) -> list[Messages]:
    """What questions send between root and shards, each of which is searched apart."""
    sent = list[Messages]()
    with open_shards(root, config=Config()) as corpus:
        corpus.at().search("anything")
        assert corpus.searching is not None
        sessions = [each.session for each in corpus.shards]
        counted = CountedShards(LocalShards(sessions, len(sessions)))
        corpus.searching.shards = counted
        for question in queries(QUESTIONS):
            counted.messages = Messages()
            corpus.at().search(question)
            sent.append(counted.messages)
    return sent


def _postings(segment: Segment, terms: set[str]) -> int:
    found = segment.find(np.array([term_hash(term) for term in terms], np.uint64))
    return sum(last - first for first, last in found)


# -- on paper -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Prices:
    """In dollars: a GB and month of storage, a thousand PUT, a thousand GET, a machine and hour; and what a
    machine has: GB of memory and of local disk, Gbit/s of network."""

    gb_month: float
    puts: float
    gets: float
    machine_hour: float
    memory: float
    disk: float
    network: float


def segments_of(rows: int) -> int:
    """How many segments a shard of so many rows has, written in commits of BATCH rows and merged."""
    sizes: list[int] = []
    for _ in range(rows // BATCH):
        sizes.append(BATCH)
        while chosen := due(sizes):
            sizes[chosen] = [sum(sizes[chosen])]
    return max(len(sizes), 1)


def made_up(shards: int, segments: int, rows: int, one: Measured) -> CorpusManifest:
    """The manifest of a corpus of this size."""

    def segment(shard: int, at: int) -> dict[str, object]:
        first = (shard << 40) + at * rows // segments
        count = rows // segments
        ids = {
            "first": first,
            "last": first + count - 1,
            "ends_first": first,
            "ends_last": first + count // 20,
        }
        return {
            "file": f"{secrets.token_hex(8)}.seg", "object": secrets.token_hex(16), "rows": count, **ids,
            "bytes": int(count * one.segments), "checksum": secrets.randbits(32), "format": "asof-sg2",
            "visible": (1_420_070_400_000_000 + first, 1_735_603_200_000_000), "end_at": None,
        }  # fmt: skip

    states = tuple(
        ShardState(
            shard, 1, "writer-01, process 4711", "2026-01-01T00:00:00Z", 1_767_225_600_000_000, rows // 4,
            rows,
            Truth(int(rows * one.truth), CHUNK, secrets.token_hex(16)),
            tuple(SegmentObject(**segment(shard, at)) for at in range(segments)),  # type: ignore[arg-type]
        )
        for shard in range(shards)
    )  # fmt: skip
    return CorpusManifest(1, secrets.token_hex(8), "2026-01-01T00:00:00Z", shards, states)


def manifest_times(manifest: CorpusManifest) -> tuple[int, float, float]:
    """Bytes of a manifest; milliseconds to make and write it, and to read and check it, in a folder."""
    with tempfile.TemporaryDirectory() as folder:
        objects = open_objects(folder)
        begin = time.perf_counter()
        content = manifest.dumps()
        objects.create(manifest_path(1), content)
        written = time.perf_counter()
        read = History(open_objects(folder), environment.now).latest()
        done = time.perf_counter()
        assert read == manifest
    return len(content), (written - begin) * 1e3, (done - written) * 1e3


def on_paper(passages: int, rows: int, one: Measured, prices: Prices) -> dict[str, str]:
    """The rows of the table for a corpus of so many passages in shards of `rows`."""
    shards = -(-passages // rows)
    each = segments_of(rows)
    size, write, read = manifest_times(made_up(shards, each, rows, one))
    truth, segments = passages * one.truth / GB, passages * one.segments / GB
    chunks = int(passages * one.truth / CHUNK)
    objects = chunks + shards * (each + 1) + 1
    pulled = rows * (one.truth + one.segments) / GB
    gets = int(rows * one.truth / CHUNK) + each + 2
    by_memory = -(-int(segments) // int(prices.memory * 0.75))
    by_disk = -(-int(truth + segments) // int(prices.disk * 0.8))
    return {
        "shards": f"{shards:,} of {rows:,} passages",
        "segments": f"{shards * each:,} ({each} a shard)",
        "truth": f"{truth:,.0f} GB in {chunks:,} chunks of {CHUNK >> 10} KiB",
        "segment bytes": f"{segments:,.0f} GB",
        "objects": f"{objects:,}",
        "manifest": f"{size / 1e3:,.0f} kB; written in {write:.0f} ms, read and checked in {read:.0f} ms",
        "storage, a month": f"${(truth + segments) * prices.gb_month:,.0f}",
        "first upload": f"{objects:,} PUT, ${objects / 1000 * prices.puts:,.2f}",
        "cold: a searcher fetches its shard": (
            f"{gets:,} GET, {pulled:,.1f} GB, {pulled * 8 / prices.network:,.0f} s at"
            f" {prices.network:g} Gbit/s, ${gets / 1000 * prices.gets:,.3f}"
        ),
        "a look for a newer manifest": f"{one.again_requests} requests, {one.again_bytes:,} bytes",
        "warm: a question asks the storage": "0 requests, 0 bytes",
        "a question touches, a shard": (
            f"{one.columns * rows / 1e9:,.1f} GB of columns when nothing was read yet, later none of the"
            f" disk; {one.postings * rows / 1e6:,.0f}M postings ({one.postings * rows * 5 / 1e6:,.0f} MB);"
            f" 2 blocks of {BLOCK >> 10} KiB for each candidate"
        ),
        "a question sends": (
            f"{one.up.of(shards) / 1e3:,.0f} kB to the root and {one.down.of(shards) / 1e3:,.0f} kB to"
            f" shards, in {one.rounds:.0f} round trips"
        ),
        "machines": (
            f"{by_memory:,} with {prices.memory:g} GB keep all segments in memory; {by_disk:,} with "
            f"{prices.disk:g} GB of disk hold it; twice for two replicas"
        ),
        "machines, a month": f"${max(by_memory, by_disk) * prices.machine_hour * 730:,.0f} for one replica",
    }  # fmt: skip


def table(one: Measured, sizes: list[int], rows: int, prices: Prices) -> str:
    columns = [on_paper(size, min(rows, size), one, prices) for size in sizes]
    lines = [f"| | {' | '.join(_number(size) for size in sizes)} |", "|---" * (len(sizes) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(column[name] for column in columns)} |" for name in columns[0]]
    return "\n".join(lines)


def _number(size: int) -> str:
    return (
        f"{size // 10**9}B"
        if size % 10**9 == 0
        else f"{size // 10**6}M"
        if size % 10**6 == 0
        else f"{size:,}"
    )


def passages_of(text: str) -> int:
    """A number such as 40000, 10M or 1B."""
    factor = {"M": 10**6, "B": 10**9}.get(text[-1:].upper(), 1)
    return int(float(text[:-1] if factor > 1 else text) * factor)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=passages_of, default=40_000, help="of the sample")
    parser.add_argument("--sizes", default="100M,1B")
    parser.add_argument("--shard", type=passages_of, default=10_000_000, help="passages of a shard")
    for name, default in (
        ("gb-month", 0.023), ("puts", 0.005), ("gets", 0.0004), ("machine-hour", 0.5), ("memory", 64),
        ("disk", 900), ("network", 10),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", type=float, default=default)
    parser.add_argument("--json", action="store_true", help="print the measured figures as JSON")
    options = vars(parser.parse_args())
    prices = Prices(**{name: options[name] for name in Prices.__slots__})
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder  # where the working copy lies
        one = measure(options["passages"], Path(folder))
    if options["json"]:
        print(json.dumps(asdict(one)))
        return
    for name, value in asdict(one).items():
        if isinstance(value, tuple):
            print(f"{name:>15}  {value[0]:,.0f} and {value[1]:,.0f} for each shard")
        else:
            print(f"{name:>15}  {value:,.1f}" if isinstance(value, float) else f"{name:>15}  {value:,}")
    print()
    print(table(one, [passages_of(size) for size in options["sizes"].split(",")], options["shard"], prices))


if __name__ == "__main__":
    main()
