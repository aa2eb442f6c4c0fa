"""The file of an export: what stands in its lines, how it is written, and what of it is refused."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.corpora import new_corpus
from tests.support.exports import full_corpus, lines, restored, tables

from asof.corpus.corpus import Corpus
from asof.data import Document, Heading
from asof.errors import CorpusError, UsageError
from asof.store import export_file


@pytest.fixture
def full(tmp_path: Path) -> Iterator[tuple[Corpus, Path]]:
    """A corpus with all that an export can hold, and its export."""
    file = tmp_path / "full.jsonl"
    with full_corpus(file) as corpus:
        yield corpus, file


def test_a_passage_of_the_version_before_is_written_once(tmp_path: Path) -> None:
    with new_corpus(chunking="10w") as corpus:
        for year, last in ((2020, "rye"), (2021, "oats")):
            text = f"# One\nBread.\n# Two\n{last}\n"
            outline = [Heading(0, 1, "One"), Heading(13, 1, "Two")]
            corpus.add([Document("a", text, "t", year, outline=outline)])
        corpus.export(tmp_path / "x.jsonl")
    first, second = (line["passages"] for line in lines(tmp_path / "x.jsonl") if "version" in line)
    assert [passage["headings"] for passage in first] == [["One"], ["Two"]]
    assert second == [{"at": 0, "same": 1}, {"at": 13, "headings": ["Two"], "text": "# Two\noats\n"}]


def test_long_texts_are_parted_over_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asof.store.export.TEXT_OF_A_LINE", 100)
    words = " ".join(f"word{number}" for number in range(60))
    with new_corpus(chunking="whole") as corpus:
        corpus.add([Document("a", words, "t", 2020), Document("b", "Bread.", "t", 2020)])
        corpus.export(tmp_path / "x.jsonl")
        found = lines(tmp_path / "x.jsonl")
        assert len(words) == 409  # 60 times "word", 10 + 2 * 50 digits, 59 spaces
        assert [len(line["more"][0]) for line in found if "more" in line] == [100, 100, 100, 9]
        with restored(tmp_path / "x.jsonl") as other:
            assert tables(other) == tables(corpus)


def test_gzipped_it_is_the_same_file_every_time(full: tuple[Corpus, Path], tmp_path: Path) -> None:
    corpus, file = full
    corpus.export(tmp_path / "1.jsonl.gz")
    corpus.export(str(tmp_path / "2.jsonl.gz"))
    packed = (tmp_path / "1.jsonl.gz").read_bytes()
    assert packed == (tmp_path / "2.jsonl.gz").read_bytes()
    assert gzip.decompress(packed) == file.read_bytes()
    with restored(tmp_path / "1.jsonl.gz") as other:
        assert tables(other) == tables(corpus)


def test_a_file_that_is_there_is_kept_unless_it_may_be_overwritten(full: tuple[Corpus, Path]) -> None:
    corpus, file = full
    before = file.read_bytes()
    with pytest.raises(UsageError, match="is there already"):
        corpus.export(file)
    corpus.add([Document("new", "Bread.", "t", 2020)])
    corpus.export(file, overwrite=True)
    assert file.read_bytes() != before
    with pytest.raises(UsageError, match=r"ends in .jsonl or .jsonl.gz"):
        corpus.export(file.with_suffix(".db"))
    (file.parent / "f.jsonl").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        corpus.export(file.parent / "f.jsonl", overwrite=True)


def test_an_export_that_fails_leaves_nothing(
    full: tuple[Corpus, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, file = full
    before = file.read_bytes()
    monkeypatch.setattr(export_file, "LONGEST", 300)
    with pytest.raises(CorpusError, match=r"the metadata and links of 'a\.md' have"):
        corpus.export(file, overwrite=True)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]
