"""Segments of other formats: read, made anew from the store, or refused; and what is written."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.previous_segment import as_sg1, in_format

import asof
from asof.errors import DamagedSegment, NewerSchema
from asof.index import columns, segment
from asof.index.columns import MAGIC, format_of
from asof.index.segment import SEGMENT, Segment, SegmentWriter
from asof.values import Document

PRESENT = MAGIC.decode()


def documents(first: int, count: int) -> list[Document]:
    return [
        Document(
            id=f"{number}.md", title=f"Ferry {number}", published=f"20{number % 20 + 1:02}-05-01",
            text=f"Ferry {number} carries {number * 7} cars. " + "It sails at noon. " * (number % 3),
        )
        for number in range(first, first + count)
    ]  # fmt: skip


def files(root: Path) -> list[Path]:
    return sorted((root / ".asof" / "segments").glob("*.seg"))


def listed(root: Path, file: Path, checksum: int) -> None:
    """Enter the checksum of an exchanged file in the list of segments."""
    with sqlite3.connect(root / ".asof" / "corpus.db") as db:
        size = file.stat().st_size
        db.execute("UPDATE segments SET checksum = ?, bytes = ? WHERE file = ?", (checksum, size, file.name))
    db.close()


def answers(root: Path, question: str = "ferry 3 noon") -> list[tuple[str, float]]:
    with asof.open(root) as corpus:
        return [(hit.document, hit.score) for hit in corpus.at("2015").search(question)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with asof.open(tmp_path) as corpus:
        corpus.add(documents(0, 12))
        corpus.add(documents(12, 5))
    return tmp_path


def test_a_file_says_its_format_and_who_wrote_it(root: Path) -> None:
    for file in files(root):
        opened = Segment(file, None, SEGMENT)
        assert (opened.facts["format"], opened.facts["asof"]) == (PRESENT, asof.__version__)
        assert format_of(file) == PRESENT
    with asof.open(root) as corpus:
        assert corpus.status().formats == {PRESENT: 2}


def test_a_file_that_does_not_state_its_format_is_read(root: Path) -> None:
    """As those that were written before there was more than one."""
    expected = answers(root)
    for file in files(root):
        listed(root, file, in_format(file, PRESENT, format=None, asof=None))
    assert answers(root) == expected
    with asof.open(root) as corpus:
        assert corpus.check() == []


def test_the_format_before_is_made_anew_from_the_store(root: Path) -> None:
    """asof-sg1 has neither stems nor titles, which the texts have: answers are the same; a note says it."""
    expected, old = answers(root), files(root)[0]
    listed(root, old, as_sg1(old))
    assert format_of(old) == "asof-sg1"
    with asof.open(root) as corpus:
        assert corpus.status().formats == {"asof-sg1": 1, PRESENT: 1}
    notes: list[str] = []
    with asof.open(root, on_note=notes.append) as corpus:
        assert [(hit.document, hit.score) for hit in corpus.at("2015").search("ferry 3 noon")] == expected
        assert corpus.status().formats == {PRESENT: 2}
    [note] = notes
    assert "asof-sg1, which is made anew from the store; rebuilt its" in note


@pytest.mark.parametrize("reads_as", [None, ["asof-sg7"], "asof-sg2", [3]])
def test_a_format_of_a_later_asof_is_refused_and_kept(root: Path, reads_as: object) -> None:
    new = files(root)[0]
    listed(root, new, in_format(new, "asof-sg8", format="asof-sg8", asof="3.1", reads_as=reads_as))
    kept = new.read_bytes()
    with asof.open(root) as corpus:
        assert corpus.status().formats == {PRESENT: 1, "asof-sg8": 1}
        for ask in (lambda: corpus.at("2015").search("ferry"), corpus.check):
            with pytest.raises(NewerSchema, match=r"asof-sg8, which asof 3\.1 wrote; .* reads asof-sg2: use"):
                ask()
    assert new.read_bytes() == kept


def test_a_later_format_that_only_adds_is_read(root: Path) -> None:
    expected, new = answers(root), files(root)[0]
    facts = {"format": "asof-sg8", "asof": "3.1", "reads_as": ["asof-sg7", PRESENT]}
    listed(root, new, in_format(new, "asof-sg8", **facts))
    assert answers(root) == expected
    with asof.open(root) as corpus:
        assert corpus.check() == []
        assert corpus.status().formats == {PRESENT: 1, "asof-sg8": 1}


def test_a_magic_that_the_file_denies_is_damage_not_a_format(root: Path) -> None:
    """One altered byte at the end must not make a corpus look newer than it is."""
    expected, file = answers(root), files(root)[0]
    file.write_bytes(file.read_bytes()[:-1] + b"3")
    with pytest.raises(DamagedSegment, match="another format than its table"):
        Segment(file, None, SEGMENT)
    assert answers(root) == expected


def test_caches_of_other_formats_are_made_anew(tmp_path: Path) -> None:
    with SegmentWriter(tmp_path / "cache") as writer:
        writer.add("visible", np.arange(3))
        writer.close()
    in_format(tmp_path / "cache", "asof-sg8", format="asof-sg8", reads_as=[PRESENT])
    with pytest.raises(DamagedSegment, match="a cache of another version"):
        Segment(tmp_path / "cache")


def test_the_format_of_what_is_no_segment(tmp_path: Path) -> None:
    assert format_of(tmp_path / "none") == "missing"
    (tmp_path / "short").write_bytes(b"x")
    (tmp_path / "other").write_bytes(b"x" * 100)
    assert format_of(tmp_path / "short") == format_of(tmp_path / "other") == "damaged"


def test_the_present_asof_refuses_what_that_one_writes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.MonkeyPatch.context() as later:
        later.setattr(segment, "MAGIC", b"asof-sg3")
        later.setattr(columns, "MAGIC", b"asof-sg3")
        later.setattr(columns, "__version__", "0.2.0")
        with asof.open(root) as corpus:
            corpus.add(documents(20, 1))
    with asof.open(root) as corpus, pytest.raises(NewerSchema, match=r"use asof 0\.2\.0 or a later one"):
        corpus.at("2015").search("ferry")


@given(st.data())
def test_no_facts_of_a_made_up_file_break_the_reader(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("made") / "x.seg"
    with SegmentWriter(path) as writer:
        writer.add("visible", np.arange(3))
        writer.close()
    value = st.none() | st.integers() | st.text(max_size=8) | st.lists(st.text(max_size=8) | st.integers())
    facts: dict[str, Any] = {name: data.draw(value, name) for name in ("format", "asof", "reads_as")}
    in_format(path, data.draw(st.sampled_from(["asof-sg1", "asof-sg2", "asof-sg9"])), **facts)
    with pytest.raises((DamagedSegment, NewerSchema)):
        Segment(path, None, SEGMENT)
