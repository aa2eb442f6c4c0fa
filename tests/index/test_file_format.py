"""What an array of a file may hold; numbers under a right checksum are not trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asof.errors import DamagedSegment
from asof.index.build import build
from asof.index.columns import ArraySpec, FileFormat
from asof.index.segment import BLOCK, SEGMENT, Segment, SegmentWriter
from asof.store.writing import EndRow, IndexRow
from asof.text.tokens import Analyzer

Arrays = dict[str, Any]

POSTINGS = FileFormat(
    {
        "start": ArraySpec("<i8", "m+1", order="offsets", of="p"),
        "rows": ArraySpec("<i4", "p", low=0, below=5),
    },
    {"first": int},
)


def file(path: Path, facts: Mapping[str, Any], **arrays: Any) -> Path:
    with SegmentWriter(path) as writer:
        for name, array in arrays.items():
            writer.add(name, array)
        writer.close(**facts)
    return path


def ints(*values: int, dtype: type = np.int64) -> Any:
    return np.array(values, dtype)


def postings(tmp_path: Path, start: Any, rows: Any, **facts: Any) -> Segment:
    return Segment(file(tmp_path / "x", facts or {"first": 0}, start=start, rows=rows), expected=POSTINGS)


def test_what_the_format_allows(tmp_path: Path) -> None:
    segment = postings(tmp_path, ints(0, 1, 3), ints(4, 0, 2, dtype=np.int32))
    segment.verify()
    assert segment["rows"].tolist() == [4, 0, 2]


@pytest.mark.parametrize(
    ("rows", "start", "wrong"),
    [
        ((5, 0, 2), (0, 1, 3), "rows holds numbers out of bounds"),
        ((2**31 - 1, 0, 2), (0, 1, 3), "rows holds numbers out of bounds"),
        ((4, 0, -1), (0, 1, 3), "rows holds numbers out of bounds"),
        ((4, 0, 2), (0, 1, 4), "start is not in order"),
        ((4, 0, 2), (1, 1, 3), "start is not in order"),
        ((4, 0, 2), (0, 4, 3), "start is not in order"),
    ],
)
def test_numbers_out_of_bounds(
    tmp_path: Path, rows: tuple[int, ...], start: tuple[int, ...], wrong: str
) -> None:
    segment = postings(tmp_path, ints(*start), ints(*rows, dtype=np.int32))
    with pytest.raises(DamagedSegment, match=wrong):
        segment.verify()


def test_bounds_are_checked_where_the_file_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asof.index.segment.SMALL", 0)
    per_block = BLOCK // 4
    rows = np.zeros(2 * per_block, np.int32)
    rows[-1] = 7
    segment = postings(tmp_path, ints(0, len(rows)), rows)
    segment.check("rows", 0, per_block)
    with pytest.raises(DamagedSegment):
        segment.check("rows", per_block, per_block + 1)


def test_a_small_array_is_checked_as_a_whole(tmp_path: Path) -> None:
    rows = np.zeros(2 * BLOCK // 4, np.int32)
    rows[-1] = 7
    with pytest.raises(DamagedSegment):
        postings(tmp_path, ints(0, len(rows)), rows).check("rows", 0, 1)


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (lambda path: file(path, {"first": 0}, rows=ints(1, dtype=np.int32)), "it has no start"),
        (lambda path: file(path, {"first": 0}, start=ints(0), rows=ints()), "rows has the type <i8"),
        (lambda path: file(path, {"first": 0}, start=ints(), rows=ints(dtype=np.int32)), "start has the sha"),
        (
            lambda path: file(path, {"first": 0}, start=ints(0), rows=ints(1, dtype=np.int32).reshape(1, 1)),
            "rows has the shape",
        ),
        (lambda path: file(path, {}, start=ints(0), rows=ints(dtype=np.int32)), "first is None"),
        (lambda path: file(path, {"first": "0"}, start=ints(0), rows=ints(dtype=np.int32)), "first is '0'"),
        (lambda path: file(path, {"first": -1}, start=ints(0), rows=ints(dtype=np.int32)), "first is -1"),
        (lambda path: file(path, {"first": True}, start=ints(0), rows=ints(dtype=np.int32)), "first is True"),
    ],
)
def test_other_shapes(tmp_path: Path, make: Callable[[Path], Path], wrong: str) -> None:
    with pytest.raises(DamagedSegment, match=wrong):
        Segment(make(tmp_path / "x"), expected=POSTINGS)


def test_columns_of_one_size_are_equally_long(tmp_path: Path) -> None:
    format_ = FileFormat(
        {"a": ArraySpec("<i8", "n"), "b": ArraySpec("<i8", "n+1"), "c": ArraySpec("<i8", "n", 2)}
    )
    wide = np.zeros((2, 2), np.int64)
    Segment(file(tmp_path / "x", {}, a=ints(1, 2), b=ints(1, 2, 3), c=wide), expected=format_)
    with pytest.raises(DamagedSegment, match="b has the shape"):
        Segment(file(tmp_path / "y", {}, a=ints(1, 2), b=ints(1, 2), c=wide), expected=format_)
    with pytest.raises(DamagedSegment, match="c has the shape"):
        Segment(
            file(tmp_path / "z", {}, a=ints(1, 2), b=ints(1, 2, 3), c=wide.reshape(1, 4)), expected=format_
        )


def test_not_a_number(tmp_path: Path) -> None:
    format_ = FileFormat({"a": ArraySpec("<f8", "n", low=-1e9, below=1e9)})
    with pytest.raises(DamagedSegment, match="a holds numbers out of bounds"):
        Segment(file(tmp_path / "x", {}, a=np.array([0.0, np.nan])), expected=format_).verify()


# -- a whole segment --------------------------------------------------------------------------------


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.seg"
    rows = [
        IndexRow(5 + at, 10 * at, at, 10 * at, at, True, at, at, at % 2, "en", text, ((0, 9, 1),))
        for at, text in enumerate(["mill boat", "boat", "mill mill storm"])
    ]  # fmt: skip
    build(path, rows, [EndRow(5, 20, 3)], Analyzer(stem=False))
    return path


def altered(path: Path, name: str, at: int, value: int) -> Segment:
    """The same file with another number in it, under right checksums."""
    segment = Segment(path)
    arrays = {each: segment[each].copy() for each in segment.facts["arrays"]}
    arrays[name][at] = value
    facts = {key: fact for key, fact in segment.facts.items() if key != "arrays"}
    return Segment(file(path.with_name("altered.seg"), facts, **arrays), expected=SEGMENT)


def test_a_segment_fits_its_format(sound: Path) -> None:
    segment = Segment(sound, expected=SEGMENT)
    segment.verify()
    assert set(segment.facts["arrays"]) == set(SEGMENT.columns) - {"vectors", "waiting"}


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("visible", 0, 11), ("number", 0, -1), ("dated", 0, 2), ("row_of", 0, 3),
        ("row_of", 0, -2), ("terms", 0, 2**64 - 1), ("start", 1, 99), ("rows", 0, 2**31 - 1), ("tf", 0, 0),
        ("about_offsets", 1, 3),
    ],
)  # fmt: skip
def test_a_number_of_a_segment(sound: Path, name: str, at: int, value: int) -> None:
    with pytest.raises(DamagedSegment):
        altered(sound, name, at, value).verify()


def test_letters_of_a_stem_that_are_no_text(sound: Path) -> None:
    with pytest.raises(DamagedSegment, match="a stem is not UTF-8"):
        altered(sound, "stems", 0, 255).stems(np.array([0]))
