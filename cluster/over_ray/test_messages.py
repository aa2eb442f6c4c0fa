"""What the root and actors tell each other comes out as it went in, and nothing else does."""

from __future__ import annotations

import math
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import asof
from asof.cluster.conversation import Answer, Call, End, Failed, Gathered
from asof.cluster.program import SearchRequest
from asof.cluster.ray import searcher
from asof.cluster.ray.connection import connect
from asof.cluster.ray.lines import Begin
from asof.cluster.ray.messages import NotPackable, packed, unpacked
from asof.cluster.ray.place import ShardPlace
from asof.cluster.ray.searcher import Searcher
from asof.cluster.search import NOTHING
from asof.data import Filters, Query
from asof.errors import CorpusError, DamagedObject, ShardLost
from asof.recipes import NAMES, named
from asof.time.span import Span

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(),
)
kinds = st.sampled_from(
    [np.dtype(each) for each in ("<i8", "<u8", "<f8", "<i2", "u1", "?", "<M8[us]", "<U4")]
)
tables = arrays.arrays(kinds, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0))
keys = st.one_of(st.text(), st.integers(-9, 9), st.tuples(st.text(), st.integers(0, 9)))
values = st.recursive(
    st.one_of(scalars, tables, st.sets(st.integers(-9, 9)), st.frozensets(st.text())),
    lambda inner: st.one_of(
        st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(keys, inner),
        inner.map(Answer), st.lists(inner).map(Gathered),
        st.lists(inner).map(lambda own: Call("", tuple(own))),
    ),
)  # fmt: skip


def same(one: Any, other: Any) -> bool:
    """Whether both are the same, of the same kinds, to the last bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    if isinstance(one, float):
        return math.copysign(1, one) == math.copysign(1, other) and one == other
    return bool(one == other)


@given(values)
def test_values_come_out_as_they_went_in(value: Any) -> None:
    assert same(unpacked(packed(value)), value)


def test_numbers_of_numpy_keep_their_kind() -> None:
    for each in (np.int64(-3), np.float64("nan"), np.uint64(2**64 - 1), np.bool_(True)):
        found = unpacked(packed(each))
        assert type(found) is type(each)
        assert found.tobytes() == each.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_requests_with_every_recipe_come_out_as_they_went_in(name: str) -> None:
    query = Query(
        "a",
        "a",
        filters=Filters(tags=("x",)),
        about=(Span(datetime(2024, 1, 1, tzinfo=UTC), None),),
        parts=("b",),
    )
    beginning = Begin(
        "id", SearchRequest(query, named(name), 2**60, None, np.arange(3, dtype=np.int16), 7), 4, None
    )
    found = unpacked(packed(beginning))
    assert found.request.recipe == named(name)
    assert found.request.query == query
    assert found._replace(request=None) == beginning._replace(request=None)
    assert found.request.vector.tolist() == [0, 1, 2]


def test_errors_keep_their_kind_and_what_they_say() -> None:
    for error in (ShardLost("gone"), DamagedObject("x is torn"), ValueError("no"), OSError(2, "none")):
        found = unpacked(packed(Failed(error))).error
        assert type(found) is type(error)
        assert str(found) == str(error)

    class Foreign(Exception):
        pass

    found = unpacked(packed(Failed(Foreign("what")))).error
    assert type(found) is RuntimeError
    assert str(found) == "Foreign: what"


@dataclass
class OfOthers:
    value: int = 1


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize(
    "value",
    [
        OfOthers(),
        Colour.RED,
        datetime.now(timezone(timedelta(hours=1))),
        object(),
        len,
        np.array([None]),
        2**64,
        1j,
    ],
)
def test_what_is_not_carried_is_refused(value: Any) -> None:
    with pytest.raises(NotPackable, match="cannot be sent"):
        packed([value])


def record(path: str, *values: Any) -> bytes:
    """The bytes of a record (code 7) of a class."""
    parts = msgpack.packb([path, list(values)])
    return bytes(msgpack.packb(msgpack.ExtType(7, bytes(msgpack.packb(msgpack.ExtType(1, parts))))))


@pytest.mark.parametrize(
    "path",
    [
        "os:system", "subprocess:Popen", "asof.environment:now", "asof.environment:os.system",
        "builtins:eval", "asof.nothing:Call", "asof.cluster.conversation:Nothing",
        "asof.cluster.conversation:Conversation", "",
    ],
)  # fmt: skip
def test_no_class_is_made_that_messages_do_not_carry(path: str) -> None:
    with pytest.raises(ValueError, match=r"no message|no class of asof|not carried"):
        unpacked(record(path, "echo"))


def test_a_record_is_read_from_its_parts() -> None:
    assert unpacked(record("asof.cluster.conversation:Call", "head", [])) == Call("head", [])  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["asof.cluster.conversation:Call", "asof.data.query:Filters"])
def test_a_record_of_another_version_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="install the same asof everywhere"):
        unpacked(record(path, "one"))


@given(st.binary(max_size=64))
def test_bytes_of_no_message_are_refused_and_nothing_else_happens(data: bytes) -> None:
    with suppress(ValueError):
        unpacked(data)


def test_an_actor_says_that_it_does_not_understand_and_goes_on(tmp_path: Path) -> None:
    with asof.open(tmp_path, shards=1) as made:
        made.add([{"id": "a", "text": "ferry"}])
    actor = Searcher(ShardPlace(0, root=str(tmp_path), shards=1), "127.0.0.1")
    address = actor.address()
    assert address is not None
    begin = packed(Begin("one", SearchRequest(NOTHING, None, 2**60, None), 0, Call("opening", ())))
    with closing(connect(address, 5)) as root:

        def said(data: bytes) -> Any:
            root.send(data)
            return unpacked(root.receive(5))

        assert said(begin).value.passages == 1
        assert said(packed(Call("opening", ()))).value.passages == 1
        failed = said(b"\xc1").error
        assert type(failed) is CorpusError
        assert "cannot be read" in str(failed)
        assert isinstance(said(packed(Call("opening", ()))).error, ShardLost)  # that search has failed
        assert said(begin).value.passages == 1
        root.send(packed(End()))
        assert type(said(b"\xc1").error) is CorpusError  # outside of a search, too
        assert said(begin).value.passages == 1
        assert actor.status()["under_way"] == 1
    until = time.monotonic() + 5
    while actor.status()["under_way"] and time.monotonic() < until:
        time.sleep(0.01)
    assert actor.status()["under_way"] == 0  # who asked is gone


def test_an_actor_that_was_not_asked_for_long_gives_up_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asof.open(tmp_path, shards=1) as made:
        made.add([{"id": "a", "text": "ferry"}])
    actor = Searcher(ShardPlace(0, root=str(tmp_path), shards=1), "127.0.0.1")
    address = actor.address()
    assert address is not None
    monkeypatch.setattr(searcher, "IDLE", 0.2)
    begin = packed(Begin("one", SearchRequest(NOTHING, None, 2**60, None), 0, Call("opening", ())))
    with closing(connect(address, 5)) as root:
        root.send(begin)
        assert unpacked(root.receive(5)).value.passages == 1
        with pytest.raises(OSError):  # noqa: PT011  of several kinds; no answer to what was not asked
            root.receive(5)
    assert actor.status()["under_way"] == 0
    with closing(connect(address, 5)) as root:
        root.send(begin)
        assert unpacked(root.receive(5)).value.passages == 1
