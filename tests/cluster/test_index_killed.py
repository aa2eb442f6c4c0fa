"""A run that is killed between or within shards: nothing acknowledged is lost, the next run completes it."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.corpora import Clock, memory_folder
from tests.support.shards import all_rows, new_shards, visible_rows

from asof import engine
from asof.cluster.corpus import ShardedCorpus
from asof.cluster.opening import open_shards
from asof.index.manifest import Manifest


class Killed(BaseException):
    """The process ends here."""


def documents(last: int, text: str = "ferry") -> list[Any]:
    return [{"id": f"d{at}", "text": f"{text} {at}", "published": "2020"} for at in range(last)]


@pytest.mark.parametrize("survivors", [0, 1, 2])
def test_some_shards_have_a_batch_and_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, survivors: int
) -> None:
    with new_shards(tmp_path, 3) as corpus:
        corpus.clock = Clock.at("2024")
        corpus.add(documents(12))
        before, until = shown(corpus, None), corpus.last_write()
        publish, having = Manifest.publish, [shard.store.folder for shard in corpus.shards[:survivors]]

        def dies(self: Manifest, write: Any) -> None:
            if self.store.folder not in having:
                raise Killed
            publish(self, write)

        with monkeypatch.context() as killing:
            killing.setattr(Manifest, "publish", dies)
            with pytest.raises(Killed):
                corpus.add(documents(12, "barge"))
        if survivors:
            assert corpus.last_write() > until
            assert corpus.committed() == until  # as all shards know it, nothing has changed
            assert shown(corpus, corpus.committed()) == before
        else:
            assert corpus.committed() is None
    with open_shards(tmp_path) as corpus:
        corpus.clock = Clock.at("2023")  # a clock that was put back
        report = corpus.add(documents(12, "barge"))
        assert (report.changed, report.unchanged, report.added) == (12, 0, 0)  # what some had was taken back
        assert corpus.committed() is None
        assert [row[3].split()[0] for row in shown(corpus, None)] == ["barge"] * 12
        instants = [at for at, _ in all_rows(corpus.shards)["transactions"]]
        assert instants == sorted(set(instants))
        assert instants[-1] > until
        assert not corpus.check()


def shown(corpus: ShardedCorpus, known_at: int | None) -> list[Any]:
    return visible_rows(corpus.shards, corpus.present(), known_at)


def test_killed_at_random_moments_it_is_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BATCH_DOCUMENTS", 5)
    random_ = random.Random(3)
    with memory_folder() as folder:
        file = folder / "log.jsonl"
        new_shards_closed(folder)
        kills = 0
        for round_ in range(25):
            lines = [json.dumps({"id": f"d{at}", "text": f"ferry {at} {round_ // 5}"}) for at in range(40)]
            file.write_text("\n".join(lines))
            acknowledged = run(folder, file, random_.uniform(0.0, 0.25))
            kills += acknowledged < 40
            with open_shards(folder) as corpus:
                rows = [row for shard in corpus.shards for row in names_and_texts(shard)]
                assert len(rows) == len({name for name, _ in rows})  # nothing twice
                present = {text for _, text in rows}
                assert all(f"ferry {at} {round_ // 5}" in present for at in range(acknowledged))
        assert kills > 3
        with open_shards(folder) as corpus:
            assert corpus.add(file).failed == 0
            assert sorted(text for shard in corpus.shards for _, text in names_and_texts(shard)) == sorted(
                f"ferry {at} 4" for at in range(40)
            )
            assert corpus.committed() is None
            assert not corpus.check()


def new_shards_closed(folder: Path) -> None:
    with new_shards(folder, 3):
        pass


def names_and_texts(shard: Any) -> list[tuple[str, str]]:
    with shard.session.connection() as db:
        rows: list[tuple[str, str]] = db.execute(
            "SELECT d.name, p.text FROM passages AS p JOIN documents AS d ON d.id = p.document"
            " WHERE p.id NOT IN (SELECT passage FROM ends)"
        ).fetchall()
    return rows


def run(folder: Path, file: Path, kill_after: float) -> int:
    """Index in a process of its own, and kill it; how many documents it said were committed."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            with open_shards(folder) as corpus:
                corpus.add(
                    file,
                    progress=lambda report: tell(write, report.added + report.changed + report.unchanged),
                )
        finally:
            os._exit(0)
    os.close(write)
    time.sleep(kill_after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(read, "rb") as told:
        said = told.read()
    return said[-1] if said else 0


def tell(pipe: int, count: int) -> None:
    os.write(pipe, bytes([count]))
