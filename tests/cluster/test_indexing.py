"""A corpus in shards holds what a corpus in one piece holds that was fed the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import Clock, memory_folder
from tests.support.shards import all_rows, new_shards, visible_rows

from asof.cluster.opening import open_shards
from asof.corpus.corpus import open as open_corpus
from asof.data import Checkpoint, Document, Ended, Problem, SourcedTime, Statement, Unchanged
from asof.errors import SourceShrunk
from asof.store.settings import CorpusSettings
from asof.time.moment import read

COUNTS = (1, 2, 2, 5, 5, 16)


class Source:
    """A source with the statements that it is given."""

    kind = "test"

    def __init__(
        self, name: str, statements: Sequence[Statement], *, complete: bool, states_past: bool
    ) -> None:
        self.name, self.complete, self.states_past = name, complete, states_past
        self._statements = statements
        self.resumed: dict[str, bytes] | None = None

    def resume(self, tokens: dict[str, bytes]) -> None:
        self.resumed = dict(tokens)

    def documents(self) -> list[Statement]:
        return list(self._statements)


def dated(day: int) -> SourcedTime:
    return SourcedTime(read(f"2020-01-{day:02}"), f"2020-01-{day:02}", "metadata")


NAMES = st.integers(0, 7).map("doc{}".format)
DATES = st.none() | st.integers(1, 9).map(dated)
TEXTS = st.lists(st.sampled_from(["mill", "ferry", "bread. storm"]), min_size=1, max_size=3).map(" ".join)
STATEMENT = st.one_of(
    st.builds(lambda name, text, at: Document(name, text, name, at), NAMES, TEXTS, DATES),
    st.builds(lambda name, text, at: Document(name, text, name, at), NAMES, TEXTS, DATES),
    st.builds(Ended, NAMES, st.integers(1, 9).map(dated)),
    st.builds(Checkpoint, NAMES | st.just(""), st.sampled_from([b"a", b"b"])),
    st.builds(Unchanged, NAMES),
    st.builds(lambda name: Problem("cannot be read", "here", document=name), st.none() | NAMES),
)
RUN = st.builds(
    lambda name, statements, complete, past, shrinking: (name, statements, complete, past, shrinking),
    st.sampled_from(["one", "two"]), st.lists(STATEMENT, max_size=7), st.booleans(), st.booleans(),
    st.sampled_from([True, True, False]),
)  # fmt: skip


def told(corpus: Any, run: Any) -> Any:
    """What a run reports, the checkpoints that it was given, and the error that it ended with."""
    name, statements, complete, past, shrinking = run
    source = Source(name, statements, complete=complete, states_past=past)
    try:
        report = corpus.add(source, allow_shrinking=shrinking)
    except SourceShrunk as error:
        return str(error), source.resumed
    return report, source.resumed


@settings(deadline=None, max_examples=30)
@given(st.lists(RUN, min_size=1, max_size=5), st.sampled_from(COUNTS), st.data())
def test_the_rows_of_all_shards_are_those_of_one_corpus(runs: Any, count: int, data: st.DataObject) -> None:
    with (
        memory_folder() as one,
        memory_folder() as many,
        open_corpus(one, settings=CorpusSettings(stem=False)) as corpus,
        new_shards(many, count) as shards,
    ):
        corpus.session.clock, shards.clock = Clock.at("2020-01-05"), Clock.at("2020-01-05")
        corpus.maintenance.background = False
        for run in runs:
            assert told(shards, run) == told(corpus, run)
        assert all_rows(shards.shards) == all_rows([corpus])
        as_of = read(f"2020-01-{data.draw(st.integers(1, 12)):02}").last
        for known_at in [None, *(at for at, _ in all_rows([corpus])["transactions"])]:
            assert visible_rows(shards.shards, as_of, known_at) == visible_rows([corpus], as_of, known_at)
        assert shards.committed() is None


def test_a_run_in_batches_of_several_threads_and_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asof.engine.BATCH_DOCUMENTS", 7)
    lines = [json.dumps({"id": f"d{at}", "text": f"ferry {at % 5}", "published": "2020"}) for at in range(40)]
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(lines))
    with open_corpus(tmp_path / "one") as corpus, new_shards(tmp_path / "many", 3, stem=True) as shards:
        corpus.session.clock, shards.clock = Clock.at("2021"), Clock.at("2021")
        steps: list[int] = []
        report = shards.add(file, progress=lambda so_far: steps.append(so_far.added), workers=2)
        corpus.add(file)
        assert (report.added, report.passages, report.problems) == (40, 40, [])
        assert steps == [7, 14, 21, 28, 35, 40]  # batches of seven documents, over all shards
        assert all_rows(shards.shards) == all_rows([corpus])
        assert len({row[0] for row in all_rows(shards.shards)["transactions"]}) == 6
        again = shards.add(file)
        assert (again.unchanged, again.written) == (40, 0)
        file.write_text("\n".join(lines[:20]))
        with pytest.raises(SourceShrunk, match="20 of the 40 documents"):  # of all shards together
            shards.add(file)
        assert shards.add(file, allow_shrinking=True).ended == 20


def test_ids_of_a_shard_lie_in_its_range(tmp_path: Path) -> None:
    with new_shards(tmp_path, 4) as shards:
        shards.add([{"id": f"d{at}", "text": "ferry"} for at in range(40)])
        for number, shard in enumerate(shards.shards):
            with shard.session.connection() as db:
                for table in ("documents", "heads", "versions", "passages"):
                    least, most = db.execute(f"SELECT min(id), max(id) FROM {table}").fetchone()
                    assert number << 40 < least <= most < (number + 1) << 40


def test_another_number_of_shards_is_refused(tmp_path: Path) -> None:
    from asof.errors import NoCorpus, UsageError

    with pytest.raises(NoCorpus):
        open_shards(tmp_path)
    open_shards(tmp_path, shards=2).close()
    with open_shards(tmp_path) as shards:
        assert shards.layout.count == 2
    with pytest.raises(UsageError, match="has 2 shards, not 3"):
        open_shards(tmp_path, shards=3)
    open_corpus(tmp_path / "one").close()
    with pytest.raises(UsageError, match="in one piece"):
        open_shards(tmp_path / "one", shards=2)
