"""What is measured of asof: building, opening, asking, adding; threads, serving."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode, urlsplit

from bench.corpora import RandomVectors, questions_of, vocabulary
from bench.figures import (
    Figure,
    Rows,
    bytes_in,
    clocked,
    latency,
    megabytes,
    middle,
    milliseconds,
    of_each,
    one_core,
    rate,
)

import asof
from asof import Corpus, Document, recipes
from asof.corpus.memory import Memory
from asof.wire import replace
from bench import startup

ADDED = 7
NOTES = 40
DATES = 7
COLD = 5
SAMPLED = 10
"""The memory of a server is looked at after so many seconds, and again."""
COMPILED = "asof", "twe", "tempralm"
"""Recipes that are asked by threads."""


def recipe(name: str) -> Any:
    """`lexical`: plain BM25. Of a corpus with vectors: `dense`, `fused` (both), `hybrid`: the default."""
    stages = recipes.named("asof").stages_by_name()
    both = stages["hybrid"]
    dense = recipes.named("tempralm").stages_by_name()["dense"]
    chosen = {"dense": (dense, stages["top_k"]), "fused": (stages["lexical"], both, stages["top_k"])}
    if name in chosen:
        return replace(recipes.named("asof"), name=name, stages=chosen[name])
    return {"lexical": "bm25", "default": "asof", "hybrid": "asof"}[name]


def opened(folder: str, *, dense: bool = False, create: bool = False) -> Corpus:
    return asof.open(folder, create=create, encoder=RandomVectors() if dense else None)


# -- a corpus ------------------------------------------------------------------------------------------


def build(folder: str, documents: str, dense: bool) -> Rows:
    """Index a file of lines on one core; merge what is due; index it again."""
    one_core()
    corpus = opened(folder, dense=dense, create=True)
    corpus.maintenance.background = False
    with clocked() as clock:
        passages = corpus.add(Path(documents)).passages
        seconds, busy = clock()
    peak = startup.largest(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    merging = milliseconds(corpus.tidy)
    again = milliseconds(lambda: corpus.add(Path(documents)))
    corpus.close()
    files = Path(folder) / ".asof"
    return {
        "passages": Figure(passages, ""), "build, one core": rate(passages, seconds, busy),
        "build and merge, one core": rate(
            passages, seconds + merging.value / 1e3, busy + (merging.busy or 0) / 1e3
        ),
        "the same file again": again, "bytes on disk": megabytes(bytes_in(files)),
        "of these the index": megabytes(bytes_in(files / "segments")), "peak memory, build": megabytes(peak),
    }  # fmt: skip


def opening(folder: str, dense: bool) -> Rows:
    """To open a corpus and have a view of it, imports not counted."""
    return {"open": milliseconds(lambda: opened(folder, dense=dense).at().view())}


def search(folder: str, dense: bool, questions: str, middle_day: str, tenth: str, runs: int) -> Rows:
    """By recipe and stretch of time; the first question at a new date; from several threads."""
    texts = questions_of(questions)
    scopes = {"whole": (None, None), "middle": (middle_day, None), "last tenth": (None, tenth)}
    rows: Rows = {}
    with opened(folder, dense=dense) as corpus:
        for name in ("dense", "fused", "hybrid") if dense else ("lexical", "default"):
            for scope, (as_of, since) in scopes.items():
                ask = asker(corpus, recipe(name), as_of, since)
                rows[f"query: {name}, {scope}"] = latency(ask, texts, runs)
        if not dense:
            rows["first question at a new date"] = new_dates(corpus, texts, middle_day, tenth)
            found = [per_second(corpus, texts, "asof", os.cpu_count() or 1) for _ in range(runs)]
            rows["questions a second, all processors"] = middle(found)
    return rows


def asker(corpus: Corpus, chosen: Any, as_of: str | None, since: str | None) -> Callable[[str], object]:
    """From a question to its hits, the snapshot being made each time as any program would."""
    return lambda question: corpus.at(as_of).search(question, since=since, recipe=chosen)


def new_dates(corpus: Corpus, questions: Sequence[str], middle_day: str, tenth: str) -> Figure:
    """A question as of a day that nobody asked about."""
    first, last = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (middle_day, tenth))
    days = [first + (last - first) * (at + 1) / (DATES + 2) for at in range(DATES)]
    return middle([
        milliseconds(lambda day=day, text=text: corpus.at(day).search(text))  # type: ignore[misc]
        for day, text in zip(days, questions, strict=False)
    ])  # fmt: skip


def per_second(corpus: Corpus, questions: Sequence[str], chosen: str, threads: int) -> Figure:
    with ThreadPoolExecutor(threads) as pool, clocked() as clock:
        list(pool.map(lambda question: corpus.search(question, recipe=chosen), questions))
        return rate(len(questions), *clock())


def cold(folder: str, questions: str) -> Rows:
    """`asof search` as a process."""
    asked = questions_of(questions)[: COLD + 1]
    taken = startup.typical([startup.run(("search", "--index", folder, "--", text)) for text in asked])
    return {"a search as a command, cold": Figure(taken.seconds * 1e3, "ms", taken.busy * 1e3)}


def adding(folder: str) -> Rows:
    """From having one more document until a search has found it; then the merges that these cause."""
    with opened(folder) as corpus:
        corpus.search("warm up")
        taken = [milliseconds(lambda at=at: add_and_find(corpus, at)) for at in range(ADDED)]  # type: ignore[misc]
    with opened(folder) as corpus:
        corpus.maintenance.background = False
        for at in range(ADDED, 2 * ADDED + 1):
            add_and_find(corpus, at)
        merging = milliseconds(corpus.tidy)
    slowest = max(taken, key=lambda each: each.value)
    return {
        "a document added and found": middle(taken), "the slowest of them": slowest,
        "merges after eight of these": merging,
    }  # fmt: skip


def add_and_find(corpus: Corpus, number: int) -> None:
    """Add a document with a word of its own, and look for that word."""
    word = f"unheard{number}"
    corpus.add([Document(f"new-{number}", f"{word} baba dede", published="2024-01-05")])
    first = corpus.search(word).hits[0].document
    assert first == f"new-{number}", f"{word} was not found first, but {first}"


def remembering(folder: str) -> Rows:
    """Notes as an assistant writes them: on a new subject each, then one each that supersedes the first."""
    words = vocabulary()[6_000 : 6_000 + NOTES]
    with opened(folder) as corpus:
        memory = Memory(corpus)
        memory.remember("The warehouse is in Turin.", "warehouse")

        def remember(word: str, town: str, *, supersedes: int) -> None:
            said = f"The office of {word} is in {town}."
            told = memory.remember(said, f"office of {word}", confirm=True)
            assert len(told.supersedes) == supersedes, told

        return {
            "a note": of_each(lambda word: remember(word, "Ghent", supersedes=0), words),
            "a note that supersedes one": of_each(lambda word: remember(word, "Lyon", supersedes=1), words),
        }


# -- threads -------------------------------------------------------------------------------------------


def threads(folder: str, questions: str, number: int, rounds: int) -> Rows:
    """Questions a second by one thread and by several, turn about; the ratio is the median of the rounds'."""
    texts, rows = questions_of(questions), Rows()
    with opened(folder) as corpus:
        for name in COMPILED:
            for at in (number, 1):  # each reader has looked at the corpus once
                per_second(corpus, texts, name, at)
            found = [[per_second(corpus, texts, name, at) for at in (1, number)] for _ in range(rounds)]
            one, several = (middle(each) for each in zip(*found, strict=True))
            rows[f"{name}: one thread"], rows[f"{name}: {number} threads"] = one, several
            rows[f"{name}: several : one"] = Figure(
                median(many.value / single.value for single, many in found), "x"
            )
    return rows


# -- serving -------------------------------------------------------------------------------------------


def serve(folder: str, questions: str, clients: int, seconds: float, workers: int = 2) -> Rows:
    """Searches a second of `asof serve` on a free port, each client one after the other over a connection."""
    paths = ["/api/v1/search?" + urlencode({"q": each}) for each in questions_of(questions)]
    words = startup.command("serve", "--index", folder, "--port", "0", "--workers", str(workers))
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=startup.environment()
    ) as server:
        assert server.stdout is not None
        where = urlsplit(server.stdout.readline().split()[0])
        load = _Load(where.hostname or "", where.port or 0, paths, clients)
        time.sleep(min(3, seconds))
        asyncio.run(load.run(min(3, seconds)))  # warm
        load.took.clear()
        load.lasted.clear()
        before, memory = _processor(server.pid), [_resident(server.pid)]
        for _ in range(max(round(seconds / SAMPLED), 1)):
            asyncio.run(load.run(min(seconds, SAMPLED)))
            memory.append(_resident(server.pid))
        busy = _processor(server.pid) - before
        server.terminate()
    taken = [1e3 * each for each in load.took]
    return {
        "searches a second": rate(len(taken), sum(load.lasted), busy),
        "a search": Figure(median(taken), "ms", 1e3 * busy / len(taken), quantiles(taken, n=20)[-1]),
        "not answered": Figure(load.wrong, "wrong"),
        "memory at the beginning": megabytes(memory[0]),
        "memory in the middle": megabytes(memory[len(memory) // 2]),
        "memory at the end": megabytes(memory[-1]), "memory at most": megabytes(max(memory)),
    }  # fmt: skip


class _Load:
    """Clients that ask a server; `took`: seconds of each answer; `lasted`: of each run; `wrong`: answers that
    are none."""

    def __init__(self, host: str, port: int, paths: Sequence[str], clients: int) -> None:
        self.host, self.port, self.paths, self.clients = host, port, paths, clients
        self.took: list[float] = []
        self.lasted: list[float] = []
        self.wrong = 0

    async def run(self, seconds: float) -> None:
        begin = time.perf_counter()
        await asyncio.gather(*(self.client(number * 131, begin + seconds) for number in range(self.clients)))
        self.lasted.append(time.perf_counter() - begin)

    async def client(self, at: int, until: float) -> None:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        while time.perf_counter() < until:
            request = (
                f"GET {self.paths[at % len(self.paths)]} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n\r\n"
            )
            started = time.perf_counter()
            writer.write(request.encode())
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]))
            self.took.append(time.perf_counter() - started)
            self.wrong += b" 200 " not in head[:16]
            at += 17
        writer.close()


def _tree(pid: int) -> list[int]:
    """A process and those that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in _tree(int(child)))]


def _resident(pid: int) -> int:
    """Bytes of a process and of those that it started."""
    pages = (int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in _tree(pid))
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")


def _processor(pid: int) -> float:
    """Seconds of the processor that a process, and those that it started, have used."""
    stats = (Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split() for each in _tree(pid))
    return sum(int(each[11]) + int(each[12]) for each in stats) / os.sysconf("SC_CLK_TCK")
