"""An indexer that is killed again and again: what was acknowledged stays, and the next run completes it."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import asof

ROOT = Path(__file__).resolve().parents[2]
DAY = "2026-01-01"


class Kills(NamedTuple):
    """What was seen: how many runs were killed, how many ended before, how many had acknowledged documents
    when they were killed, and how many the corpus has at the end."""

    killed: int
    ended: int
    partly: int
    documents: int


def texts(count: int, edition: int) -> list[dict[str, Any]]:
    """Documents, more with each edition, two thirds of which have other texts in each."""
    return [
        {
            "id": f"n{at:04}", "title": f"Toll of ferry {at % 40}", "published": "2024-05-01",
            "text": f"Edition {edition if at % 3 else 0}. " + f"The toll of {at % 40} was {at} euros. " * 20,
        }
        for at in range(count + count * edition // 3)
    ]  # fmt: skip


def kill_indexers(
    url: str,
    address: str | None,
    folder: Path,
    moments: int,
    *,
    count: int = 240,
    shards: int = 2,
    seed: int = 1,
) -> Kills:
    """Index sources into the corpus at the URL and kill the process, at random moments, so many times; every
    few kills a run is left to complete. Each time a reader fetches what was acknowledged. `address`: of the
    Ray that prepares texts; None: the process itself does.

    Raises AssertionError where anything acknowledged is lost, or there twice, or a completed run differs from
    one corpus that was fed the same.
    """
    chosen = random.Random(seed)
    killed = ended = partly = 0
    edition, before = 0, set[Any]()
    longest = 6.0
    while killed < moments:
        source = folder / "source.jsonl"
        source.write_text("".join(json.dumps(each) + "\n" for each in texts(count, edition)))
        complete = killed and killed % 5 == 0 and edition < killed // 5
        took = _run(url, shards, source, address, None if complete else chosen.uniform(0, longest))
        rows = acknowledged(url, folder)
        assert len(rows) == len(set(rows)), "a passage is there twice"
        if complete:
            edition += 1
            expected = one_corpus(folder / f"one-{edition}", texts(count, edition - 1))
            assert sorted(rows) == expected, "a completed run differs from one corpus"
        else:
            kept = {row[0] for row in before} - {row[0] for row in rows}
            assert not kept, f"acknowledged documents are lost: {sorted(kept)[:5]}"
            was, now = _editions(before), _editions(rows)
            older = [name for name, edition_ in was.items() if now[name] < edition_]
            assert not older, f"acknowledged editions are lost: {sorted(older)[:5]}"
            killed, ended = (killed + 1, ended) if took is None else (killed, ended + 1)
            partly += took is None and set(rows) != before
            if took is not None:
                longest = max(took * 0.9, 0.1)
        before = set(rows)
    source.write_text("".join(json.dumps(each) + "\n" for each in texts(count, edition)))
    assert _run(url, shards, source, address, None) is not None
    rows = acknowledged(url, folder)
    assert sorted(rows) == one_corpus(folder / "one-last", texts(count, edition))
    return Kills(killed, ended, partly, len({row[0] for row in rows}))


def _run(url: str, shards: int, source: Path, address: str | None, kill_after: float | None) -> float | None:
    """Run an indexer; the seconds from its beginning to its end, None where it was killed."""
    command = [sys.executable, "-m", "cluster.support.ray_indexer", url, str(shards), str(source)]
    command += [address] if address else []
    errors = source.with_suffix(".errors")
    with (
        errors.open("w") as said,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, cwd=ROOT) as process,
    ):
        assert process.stdout is not None
        begun = process.stdout.readline()
        assert begun == b"begun\n", errors.read_text()[-2000:]
        since = time.monotonic()
        try:
            process.wait(kill_after)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            return None
        assert process.returncode == 0, errors.read_text()[-2000:]
        return time.monotonic() - since


def acknowledged(url: str, folder: Path) -> list[Any]:
    """The passages that a reader on another machine, which has a cache of its own in a folder, gets now from
    the corpus at the URL; none before the first."""
    with pytest.MonkeyPatch.context() as patch, suppress(asof.errors.NoCorpus):
        patch.setenv("XDG_CACHE_HOME", str(folder / "reader"))
        with asof.open(url, create=False) as corpus:
            return _passages(corpus)
    return []


def one_corpus(folder: Path, documents: list[dict[str, Any]]) -> list[Any]:
    """The passages of one corpus that holds these documents."""
    with asof.open(folder) as corpus:
        corpus.add(documents)
        return sorted(_passages(corpus))


def _editions(rows: Iterable[Any]) -> dict[str, int]:
    """The edition of each document, which its first passage states."""
    stated = ((name, re.search(r"Edition ([0-9]+)\.", text)) for name, _, text in rows)
    return {name: int(found[1]) for name, found in stated if found}


def _passages(corpus: Any) -> list[Any]:
    rows: list[Any] = []
    for shard in getattr(corpus, "shards", (corpus,)):
        with shard.session.connection() as db:
            rows += db.execute(
                "SELECT d.name, p.number, p.text FROM passages AS p JOIN documents AS d ON d.id = p.document"
                " JOIN versions AS v ON v.document = d.id AND v.id = d.current"
                " WHERE NOT EXISTS (SELECT 1 FROM ends AS e WHERE e.passage = p.id)"
            ).fetchall()
    return rows
