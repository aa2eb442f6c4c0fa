"""Which files make up the index: published with a commit, merged, swept, rebuilt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.index.made import document, fresh
from tests.support.rows import db_of

from asof.corpus.corpus import open as open_corpus
from asof.documents import Ended, SourcedTime
from asof.errors import UsageError
from asof.index.build import FANOUT, rebuild
from asof.index.segment import Segment
from asof.models.encoders import HashedNgrams
from asof.time.moment import read

ENCODER = HashedNgrams(d=32)


def files(corpus: Any) -> set[str]:
    return {path.name for path in (corpus.store.folder / "segments").iterdir()}


def listed(corpus: Any) -> list[Any]:
    entries: list[Any] = corpus.manifest.entries(db_of(corpus))
    return entries


def answers(corpus: Any) -> list[Any]:
    found = []
    for as_of in ("2004", "2006", None):
        hits = corpus.at(as_of).search("mill boat text", k=50).hits
        found.append([(hit.id, hit.score, hit.place, hit.published, hit.why) for hit in hits])
    return found


def filled(corpus: Any, n: int = FANOUT + 2) -> None:
    for at in range(n):
        corpus.add([document(f"d{at}", f"mill text {at}", str(2001 + at))])
    corpus.add([Ended("d0", SourcedTime(read("2005"), "2005", "git"))])
    corpus.add([document("d1", "boat", "2004-06")])


def test_a_commit_enters_its_segment() -> None:
    with fresh() as corpus:
        assert listed(corpus) == []
        corpus.add([document("a", "mill", "2001"), document("b", "boat", "2002")])
        corpus.add([Ended("a", SourcedTime(read("2005"), "2005", "git"))])
        first, second = listed(corpus)
        assert (first.first, first.last, first.rows) == (1, 2, 2)
        assert (first.ends_first, first.ends_last) == (1, 0), "no ends"
        assert (second.first, second.last, second.rows) == (3, 2, 0), "no rows"
        assert (second.ends_first, second.ends_last) == (1, 1)
        assert files(corpus) == {first.file, second.file}
        sizes = [(corpus.manifest.folder / entry.file).stat().st_size for entry in (first, second)]
        assert sizes == [first.bytes, second.bytes]


@pytest.mark.parametrize("encoder", [None, ENCODER])
def test_merging_changes_no_answer(encoder: Any) -> None:
    with fresh(encoder=encoder) as corpus:
        filled(corpus)
        before = answers(corpus)
        assert len(listed(corpus)) == FANOUT + 4
        assert corpus.tidy() == 1
        (only,) = listed(corpus)
        assert files(corpus) == {only.file}
        assert (only.first, only.last, only.ends_first, only.ends_last) == (1, FANOUT + 3, 1, 2)
        assert answers(corpus) == before
        assert corpus.tidy() == 0
        assert corpus.check() == []


@pytest.mark.parametrize("encoder", [None, ENCODER])
@pytest.mark.parametrize("merged", [False, True])
def test_what_is_missing_is_rebuilt_just_as_it_was(encoder: Any, merged: bool) -> None:
    with fresh(encoder=encoder) as corpus:
        filled(corpus)
        if merged:
            corpus.tidy()
        before, entries = answers(corpus), listed(corpus)
        arrays = [dict(corpus.manifest.open(entry).facts["arrays"]) for entry in entries]
        root, told = corpus.root, list[str]()
        for name in files(corpus):
            (corpus.manifest.folder / name).unlink()
        with open_corpus(root, encoder=encoder, on_note=told.append) as again:
            again.session.clock = corpus.session.clock
            assert answers(again) == before
            assert len(told) == len(entries)
            assert all("is missing; rebuilt its" in line for line in told)
            assert [(e.first, e.last, e.ends_first, e.ends_last, e.rows) for e in listed(again)] == [
                (e.first, e.last, e.ends_first, e.ends_last, e.rows) for e in entries
            ]
            new = [dict(again.manifest.open(entry).facts["arrays"]) for entry in listed(again)]
            for one, other in zip(arrays, new, strict=True):
                for name in one:
                    assert one[name]["crc"] == other[name]["crc"], name
            assert again.check() == []


def test_files_that_nobody_names_are_swept() -> None:
    with fresh() as corpus:
        corpus.add([document("a", "mill", "2001")])
        killed = "0123456789abcdef"
        for name in (f"{killed}.seg", f"{killed}.tmp", f"{killed}-0.part", "notes.txt"):
            (corpus.manifest.folder / name).write_bytes(b"left behind")
        corpus.tidy()
        assert files(corpus) == {entry.file for entry in listed(corpus)} | {"notes.txt"}, "not one of ours"


def test_a_reader_goes_on_with_files_that_were_merged_away() -> None:
    with fresh() as corpus:
        filled(corpus)
        view = corpus.at().view()
        before = view.column("passage", np.arange(view.prefix.rows)).tolist()
        corpus.tidy()
        assert view.column("passage", np.arange(view.prefix.rows)).tolist() == before
        view.prefix.parts[0].segment.verify()


def test_a_segment_is_rebuilt_in_parts_as_it_was(tmp_path: Path) -> None:
    with fresh(encoder=ENCODER) as corpus:
        corpus.add([document(f"d{at}", f"mill {at}", "2001") for at in range(5)])
        (entry,) = listed(corpus)
        rebuild(db_of(corpus), entry, tmp_path / "x.seg", corpus.store.analyzer, ENCODER.name, at_once=2)
        old, new = corpus.manifest.open(entry), Segment(tmp_path / "x.seg")
        for name in old.facts["arrays"]:
            np.testing.assert_array_equal(new[name], old[name])


def test_an_encoder_belongs_to_a_corpus(tmp_path: Path) -> None:
    with fresh() as corpus:
        corpus.add([document("a", "mill", "2001")])
        with pytest.raises(UsageError, match="encoder"):
            open_corpus(corpus.root, encoder=ENCODER)
    with fresh(encoder=ENCODER) as corpus:
        corpus.add([document("a", "mill", "2001")])
        with pytest.raises(UsageError, match="encoder"):
            open_corpus(corpus.root, encoder=HashedNgrams(d=64))
        with open_corpus(corpus.root) as without:
            assert without.status().documents == 1
            with pytest.raises(UsageError, match="'hashed-3-5-32', which nothing names: set \\[encoder\\]"):
                without.search("mill")
            with pytest.raises(UsageError, match="which nothing names"):
                without.add([document("b", "boat", "2001")])
    with fresh(encoder=HashedNgrams()) as corpus, open_corpus(corpus.root) as built_in:
        assert built_in.manifest.encoder == HashedNgrams()
