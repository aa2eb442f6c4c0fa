"""Manifests as JSON: what is read is what was written, and nothing else is accepted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.errors import DamagedObject, NewerSchema
from asof.storage.manifests import CorpusManifest, SegmentObject, ShardState, Truth

NUMBERS = st.integers(0, 2**63 - 1)
OBJECTS = st.from_regex(r"\A[0-9a-f]{32}(-[0-9a-f]{16})?\Z")
TIMES = st.none() | st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=2).map(
    lambda pair: (min(pair), max(pair))
)
SEGMENTS = st.builds(
    SegmentObject, st.from_regex(r"\A[0-9a-f]{16}\.seg\Z"), OBJECTS, *[NUMBERS] * 7, TIMES, TIMES, st.text()
)
STATES = st.builds(
    ShardState, st.just(0), NUMBERS, st.text(), st.text(), NUMBERS, NUMBERS, NUMBERS,
    st.none() | st.builds(Truth, NUMBERS, st.sampled_from([512, 4096, 1 << 20]), OBJECTS),
    st.lists(SEGMENTS, max_size=3, unique_by=lambda each: each.file).map(tuple),
)  # fmt: skip


@settings(max_examples=40)
@given(
    NUMBERS, st.text(), st.text(), st.lists(STATES, min_size=1, max_size=3), st.none() | NUMBERS, st.data()
)
def test_what_is_read_is_what_was_written(
    number: int, commit: str, written: str, states: list[ShardState], whole: int | None, data: st.DataObject
) -> None:
    from dataclasses import replace

    shards = tuple(replace(state, shard=place) for place, state in enumerate(states))
    count = data.draw(st.integers(1, len(shards)))
    manifest = CorpusManifest(number, commit, written, count, shards, whole=whole)
    assert CorpusManifest.loads(manifest.dumps(), "it", number) == manifest


SEGMENT = SegmentObject("0" * 16 + ".seg", "a" * 32, 9, 1, 1, 1, 1, 0, 7, (5, 6), None, "asof-sg2")
WHOLE = CorpusManifest(
    3, "c", "w", 1, (ShardState(0, 1, "me", "t", 5, 1, 1, Truth(9, 512, "b" * 32), (SEGMENT,)),)
)


def table() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(WHOLE.dumps())
    return read


def parsed(table: Any) -> CorpusManifest:
    return CorpusManifest.loads(json.dumps(table).encode(), "file:///s/manifests/3.json")


def test_a_later_format_is_refused_in_words() -> None:
    with pytest.raises(NewerSchema, match="has format 2, this asof knows format 1: use a newer asof"):
        parsed({**table(), "format": 2})
    with pytest.raises(NewerSchema):
        parsed({"format": 2, "of_another_kind": []})


PLACES: list[tuple[tuple[str | int, ...], Any]] = [
    (("format",), "1"), (("number",), -1), (("number",), True), (("number",), 1.0), (("count",), 0),
    (("count",), 2), (("shards",), {}), (("shards",), []), (("whole",), "x"), (("commit",), None),
    (("more",), 1), (("shards", 0, "shard"), 1), (("shards", 0, "epoch"), 2**63), (("shards", 0, "more"), 1),
    (("shards", 0, "truth", "chunk"), 1 << 40), (("shards", 0, "truth", "chunk"), 0), (("shards", 0, "truth",
    "chunks"), "../../etc"), (("shards", 0, "truth"), []), (("shards", 0, "segments", 0, "file"),
    "../x.seg"), (("shards", 0, "segments", 0, "object"), "A" * 32), (("shards", 0, "segments", 0,
    "visible"), [6, 5]), (("shards", 0, "segments", 0, "end_at"), [1]), (("shards", 0, "segments", 0,
    "checksum"), "7"), (("shards", 0, "segments"), [None]),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value"), PLACES, ids=str)
def test_anything_else_is_refused(place: tuple[str | int, ...], value: Any) -> None:
    read: Any = table()
    inner = read
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(DamagedObject, match=r"manifests/3\.json is not a manifest of asof"):
        parsed(read)


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"format": 1}'])
def test_what_is_no_table_is_refused(content: bytes) -> None:
    with pytest.raises(DamagedObject):
        CorpusManifest.loads(content, "it")


def test_the_number_is_that_of_the_name() -> None:
    with pytest.raises(DamagedObject, match="its number is 3"):
        CorpusManifest.loads(WHOLE.dumps(), "it", 4)


def test_two_segments_of_one_file_are_refused() -> None:
    read = table()
    read["shards"][0]["segments"] *= 2
    with pytest.raises(DamagedObject, match="names a segment twice"):
        parsed(read)
