"""Costs on paper: what is measured agrees with what is stored, and the table with its arithmetic."""

from __future__ import annotations

from itertools import pairwise

import pytest
from bench.cluster_costs import (
    BATCH,
    Line,
    Measured,
    Prices,
    made_up,
    measure,
    on_paper,
    passages_of,
    segments_of,
)

from asof.storage.manifests import CorpusManifest
from bench import cluster_costs

PRICES = Prices(gb_month=0.02, puts=0.005, gets=0.0004, machine_hour=1, memory=64, disk=900, network=8)


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    folder = tmp_path_factory.mktemp("costs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        return measure(400, folder)


def test_a_pull_reads_all_bytes_once_and_then_none(one: Measured) -> None:
    stored = (one.truth + one.segments) * one.passages
    assert stored <= one.pull_bytes <= stored * 1.05  # manifest and lists
    assert one.objects <= one.pull_requests <= one.objects + 10
    assert (one.again_requests, one.again_bytes) == (2, 0)
    assert one.rounds > 1
    assert one.up.of(2) > one.down.of(2) / 100 > 0
    assert one.up.each > 0
    assert one.down.each > 0
    assert 0 < one.columns < one.segments


@pytest.mark.parametrize(
    ("rows", "segments"),
    [(BATCH, 1), (7 * BATCH, 7), (8 * BATCH, 1), (9 * BATCH, 2), (64 * BATCH, 1), (500, 1)],
)
def test_segments_are_those_of_the_merge_policy(rows: int, segments: int) -> None:
    """Eight neighbours of a level become one: 9 = 1 of eight and 1."""
    assert segments_of(rows) == segments


def test_a_manifest_that_is_made_up_is_one(one: Measured) -> None:
    manifest = made_up(3, 2, 10_000, one)
    assert CorpusManifest.loads(manifest.dumps(), "it", 1) == manifest
    ids = [(each.first, each.last) for shard in manifest.shards for each in shard.segments]
    assert sorted(ids) == ids
    assert all(last < first for (_, last), (first, _) in pairwise(ids))


def test_the_arithmetic_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """20M passages of 1,000 + 1,500 bytes in 2 shards of 10M: 20 GB of truth in 76,293 chunks (of 262,144 B)
    and 30 GB of segments. A shard is 38,146 chunks, its 4 segments, a manifest and a list: 38,152 GET, and
    25 GB, which take 25 s at 8 Gbit/s."""
    monkeypatch.setattr(cluster_costs, "CHUNK", 262_144)
    one = Measured(
        passages=1, truth=1_000, segments=1_500, objects=1, pull_requests=1, pull_bytes=1, again_requests=2,
        again_bytes=0, columns=200, postings=2, rounds=30, up=Line(7_000, 500), down=Line(0, 1_000),
        warm_ms=1,
    )  # fmt: skip
    rows = on_paper(20_000_000, 10_000_000, one, PRICES)
    assert rows["truth"] == "20 GB in 76,293 chunks of 256 KiB"
    assert rows["segment bytes"] == "30 GB"
    assert segments_of(10_000_000) == 4
    assert rows["objects"] == f"{76_293 + 2 * 5 + 1:,}"
    assert rows["storage, a month"] == "$1"
    assert rows["cold: a searcher fetches its shard"] == "38,152 GET, 25.0 GB, 25 s at 8 Gbit/s, $0.015"
    assert "2.0 GB of columns" in rows["a question touches, a shard"]
    assert "20M postings (100 MB)" in rows["a question touches, a shard"]
    assert rows["a question sends"] == "8 kB to the root and 2 kB to shards, in 30 round trips"
    assert rows["machines"].startswith("1 with 64 GB")


def test_a_line_through_two_measured_numbers() -> None:
    line = Line.through((2, 300.0), (8, 600.0))  # 300 more for 6 shards: 50 each, and 200 once
    assert line == Line(200, 50)
    assert line.of(100) == 5_200


def test_numbers_of_passages() -> None:
    assert [passages_of(text) for text in ("40000", "10M", "1.5B")] == [40_000, 10_000_000, 1_500_000_000]
