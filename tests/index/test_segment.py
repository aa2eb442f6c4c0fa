"""The segment file: arrays come back as they were, and no torn or altered byte is ever used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from asof.errors import DamagedSegment
from asof.index.segment import ALIGN, BLOCK, Segment, SegmentWriter


def written(path: Path, **facts: object) -> tuple[Path, int]:
    with SegmentWriter(path) as writer:
        writer.add("visible", np.arange(100, dtype=np.int64))
        writer.add("wide", np.arange(300, dtype=np.uint16).reshape(100, 3))
        writer.add("none", np.zeros(0, np.int32))
        writer.close(first=0, encoder="", **facts)
    return path, writer.checksum


@given(
    st.lists(
        arrays.arrays(
            st.sampled_from([np.int64, np.uint8, np.int16, np.uint64, np.float64]),
            st.tuples(st.integers(0, 9)) | st.tuples(st.integers(0, 9), st.integers(1, 9)),
        ),
        max_size=5,
    )
)
def test_arrays_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, given_: list[np.ndarray]
) -> None:
    path = tmp_path_factory.mktemp("segment") / "x.seg"
    with SegmentWriter(path) as writer:
        writer.add("visible", np.zeros(3, np.int64))
        for at, array in enumerate(given_):
            writer.stream(str(at), array.dtype, array.shape[1:], [array[:2], array[2:]])
        size = writer.close(first=5, said="this")
    segment = Segment(path, writer.checksum)
    assert (segment.n, segment.size, segment.facts["said"]) == (3, size, "this")
    for at, array in enumerate(given_):
        assert segment[str(at)].dtype == array.dtype
        np.testing.assert_array_equal(segment[str(at)], array)
        assert segment.facts["arrays"][str(at)]["at"] % ALIGN == 0
    assert "visible" in segment
    assert "other" not in segment
    segment.verify()


def test_nothing_can_be_written_into_an_open_segment(tmp_path: Path) -> None:
    segment = Segment(*written(tmp_path / "x.seg"))
    with pytest.raises(ValueError, match="read-only"):
        segment["visible"][0] = 1


def test_an_altered_block_is_found_when_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asof.index.segment.SMALL", 0)
    block = BLOCK // 8  # numbers of int64
    n = 3 * block + 5
    path = tmp_path / "x.seg"
    with SegmentWriter(path) as writer:
        writer.add("visible", np.arange(n, dtype=np.int64))
        writer.add("wide", np.arange(300, dtype=np.uint16).reshape(100, 3))
        writer.close(first=0, encoder="")
    checksum = writer.checksum
    whole = Segment(path, checksum)
    whole.verify()
    altered = block + 2
    data = bytearray(path.read_bytes())
    data[whole.facts["arrays"]["visible"]["at"] + 8 * altered] ^= 1
    path.write_bytes(data)
    segment = Segment(path, checksum)
    assert len(segment.facts["arrays"]["visible"]["crc"]) == 4
    segment.check("visible", 0, block)
    segment.check("visible", 2 * block, n)
    segment.check("visible", altered, altered)
    assert segment["wide"][99, 2] == 299
    for first, last in ((0, block + 1), (altered, altered + 1), (2 * block - 1, n)):
        with pytest.raises(DamagedSegment, match="visible does not have its checksum"):
            segment.check("visible", first, last)
    with pytest.raises(DamagedSegment):
        segment["visible"]
    with pytest.raises(DamagedSegment):
        segment.verify()


def test_every_byte_counts(tmp_path: Path) -> None:
    path, checksum = written(tmp_path / "x.seg")
    data = path.read_bytes()
    arrays_ = Segment(path, checksum).facts["arrays"].values()
    sizes = [np.dtype(entry["dtype"]).itemsize * int(np.prod(entry["shape"])) for entry in arrays_]
    used = {
        at
        for entry, size in zip(arrays_, sizes, strict=True)
        for at in range(entry["at"], entry["at"] + size)
    }
    used |= set(range(max(entry["at"] for entry in arrays_), len(data)))
    padding = set(range(max(entry["at"] + size for entry, size in zip(arrays_, sizes, strict=True)))) - used
    for at in sorted(used - padding)[::13]:
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        with pytest.raises(DamagedSegment):
            Segment(path, checksum).verify()


@pytest.mark.parametrize("kept", [0, 1, 15, 16, 500, -1, -24])
def test_a_torn_file(tmp_path: Path, kept: int) -> None:
    path, checksum = written(tmp_path / "x.seg")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DamagedSegment, match="torn"):
        Segment(path, checksum)


def test_a_file_of_another_format(tmp_path: Path) -> None:
    path, checksum = written(tmp_path / "x.seg")
    path.write_bytes(path.read_bytes()[:-1] + b"9")
    with pytest.raises(DamagedSegment, match=r"x\.seg is torn, or in the format of another version of asof"):
        Segment(path, checksum)


def test_a_missing_file_and_another_segment_under_its_name(tmp_path: Path) -> None:
    path, checksum = written(tmp_path / "x.seg")
    with pytest.raises(DamagedSegment, match="missing"):
        Segment(tmp_path / "y.seg")
    other, _ = written(tmp_path / "z.seg", more=1)
    other.rename(path)
    Segment(path)
    with pytest.raises(DamagedSegment, match="table of contents"):
        Segment(path, checksum)


def test_an_error_leaves_no_file_behind(tmp_path: Path) -> None:
    with pytest.raises(TypeError), SegmentWriter(tmp_path / "x.seg") as writer:
        writer.close(first=object())
    assert list(tmp_path.iterdir()) == []


def test_postings_and_rows_are_found(tmp_path: Path) -> None:
    with SegmentWriter(tmp_path / "x.seg") as writer:
        writer.add("visible", np.zeros(3, np.int64))
        writer.add("terms", np.array([5, 9], np.uint64))
        writer.add("start", np.array([0, 2, 3], np.int64))
        writer.add("row_of", np.array([1, -1, 0, 2], np.int32))
        writer.close(first=10)
    segment = Segment(tmp_path / "x.seg")
    wanted = np.array([9, 4, 5, 2**63], np.uint64)
    assert segment.find(wanted.tolist()) == [(2, 3), (0, 0), (0, 2), (0, 0)]
    assert segment.find([]) == []
    assert segment.rows_of(np.array([9, 10, 11, 13, 14])).tolist() == [1, 2]
    assert segment.rows_of(np.zeros(0, np.int64)).tolist() == []
