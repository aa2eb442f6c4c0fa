"""Exports that are not sound: each is refused with its line, and the corpus stays empty."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import new_corpus
from tests.support.exports import full_corpus, lines, tables, write
from tests.support.histories import ANY_HEALTH
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.data import Document
from asof.errors import SourceError, UsageError


@pytest.fixture
def full(tmp_path: Path) -> Iterator[tuple[Corpus, Path]]:
    """A corpus with all that an export can hold, and its export."""
    file = tmp_path / "full.jsonl"
    with full_corpus(file) as corpus:
        yield corpus, file


def refused(file: Path, match: str) -> None:
    """Reading the file is an error, after which the corpus is as empty as before and can be used."""
    with new_corpus() as corpus:
        with pytest.raises(SourceError, match=match):
            corpus.add(file)
        assert corpus.status().transactions == 0
        assert db_of(corpus).execute("SELECT count(*) FROM sources").fetchone() == (0,)
        assert list((corpus.store.folder / "segments").glob("*")) == []
        corpus.add([Document("a", "Bread.")])
        assert len(corpus.search("bread")) == 1


def test_a_corpus_that_was_written_to_takes_no_export(full: tuple[Corpus, Path]) -> None:
    corpus, file = full
    before = tables(corpus)
    with pytest.raises(UsageError, match="is read into a new index only"):
        corpus.add(file)
    assert tables(corpus) == before


def test_a_file_that_breaks_off_is_refused_wherever_it_does(
    full: tuple[Corpus, Path], tmp_path: Path
) -> None:
    raw = full[1].read_bytes()
    parts = raw.splitlines(keepends=True)
    for count in range(1, len(parts)):
        (tmp_path / "cut.jsonl").write_bytes(b"".join(parts[:count]))
        refused(tmp_path / "cut.jsonl", f"cut.jsonl:{count}: the file breaks off after this line")
    (tmp_path / "cut.jsonl").write_bytes(raw[:-10])
    refused(tmp_path / "cut.jsonl", f"cut.jsonl:{len(parts)}: the file breaks off in this line")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(raw)[:-12])
    refused(tmp_path / "cut.jsonl.gz", "the file breaks off after this line")


def test_a_file_that_was_changed_is_refused(full: tuple[Corpus, Path], tmp_path: Path) -> None:
    raw = full[1].read_bytes()
    (tmp_path / "x.jsonl").write_bytes(raw.replace(b"Bread rose", b"Bread fell"))
    refused(tmp_path / "x.jsonl", "the file was changed")
    (tmp_path / "x.jsonl").write_bytes(raw + b"{}\n")
    refused(tmp_path / "x.jsonl", "something after the line that ends the export")


HEADER, BEGUN, VERSION = 0, 1, 2
CHANGES: list[tuple[int, dict[str, Any], str]] = [
    (HEADER, {"asof_export": 3}, "has format 3; this asof reads 1"),
    (HEADER, {"settings": {}}, "settings is {}; expected: chunking, encoder"),
    (HEADER, {"sources": [{"name": "x", "kind": "y", "added": "2024"}]}, "added is '2024'; expected"),
    (HEADER, {"horizon": ["2024-01-01T00:00:00Z"]}, "horizon has to be two instants"),
    (HEADER, {"erased": ["../x"]}, "32 digits"),
    (HEADER, {"other": 1}, "'other' is no key of such a line"),
    (BEGUN, {"transaction": 5}, "transaction is 5; expected: an instant"),
    (BEGUN, {"transaction": "9999-01-01T00:00:00Z"}, "lies in the future"),
    (BEGUN, {"what": None}, "what is not there; a text"),
    (VERSION, {"owner": None}, "owner is not there"),
    (VERSION, {"source": "elsewhere"}, "the source 'elsewhere' is not one of those in the header"),
    (VERSION, {"language": "xx"}, "language is 'xx'; expected: one of the settings, de, en"),
    (VERSION, {"visible": "soon"}, "visible is 'soon'"),
    (VERSION, {"visible": []}, "visible is \\[\\]"),
    (VERSION, {"content": "zz"}, "content is 'zz'"),
    (VERSION, {"meta": [1]}, "meta is"),
    (VERSION, {"fiscal_start": 13}, "fiscal_start is 13"),
    (VERSION, {"title": "a\0b"}, "title is 'a.x00b'; a text without NUL"),
    (VERSION, {"links": [{"target": 1}]}, "target is 1; a text"),
    (VERSION, {"published": {"from": "2024-01-01T00:00:00Z", "until": "2023-01-01T00:00:00Z",
                             "text": "", "by": "git"}}, "published ends before it begins"),
    (VERSION, {"passages": [{"at": -1, "text": ""}]}, "at is -1; a whole number"),
    (VERSION, {"passages": [{"at": 9, "text": ""}, {"at": 3, "text": ""}]}, "at 3 does not come after"),
    (VERSION, {"passages": [{"at": 2**32 - 1, "text": "ab"}]}, "ends at 4294967297"),
    (VERSION, {"passages": [{"at": 0, "same": 1}]}, "same is 1; the version before has 0 passages"),
    (VERSION, {"passages": [[]]}, "a passage is"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "change", "message"), CHANGES)
def test_bad_values_are_refused_with_their_line(
    full: tuple[Corpus, Path], tmp_path: Path, line: int, change: dict[str, Any], message: str
) -> None:
    values = lines(full[1])
    values[line] |= change
    refused(write(tmp_path / "x.jsonl", values), f"x.jsonl:{line + 1}: .*{message}")


def test_lines_in_the_wrong_place_are_refused(full: tuple[Corpus, Path], tmp_path: Path) -> None:
    values, file = lines(full[1]), tmp_path / "x.jsonl"
    header, begun, version = values[:3]
    retirement = {"retirement": "a.md", "number": 1}
    for wrong, message in (
        ([header, version], "before the first transaction"),
        ([header, begun, header], "a second header"),
        ([header, begun, {"more": []}], "more text follows no version"),
        ([header, begun, version | {"passages": []}, {"more": ["x"]}], "continues no passage"),
        ([header, begun, begun], "is not after the one before"),
        ([header, begun, version, version], "owner stands in a line of 'a.md' that is not its first"),
        ([header, begun, retirement], "version 1 of 'a.md' is retired; expected: one that an earlier"),
        ([header, begun, version, retirement], "version 1 of 'a.md' is retired"),
        ([header, begun, {"verse": 1}], "begins with 'verse'; expected: asof_export, transaction"),
    ):
        refused(write(file, wrong), f"x.jsonl:{len(wrong)}: .*{message}")
    write(file, values)
    ending = lines(file)[-1]
    file.write_text(file.read_text("utf-8").replace('"versions": 6', '"versions": 7'), "utf-8")
    assert ending["end"]["versions"] == 6
    refused(file, "3 documents and 6 versions, and the last line says 3 and 7")
    for raw, message in ((b"[1]", "no JSON object"), (b"{", "is not JSON"), (b"[" * 9000, "too deeply"),
                         (b'{"a": NaN}', "NaN is no JSON"), (b"\xff", "is not JSON")):  # fmt: skip
        file.write_bytes(full[1].read_bytes().splitlines(keepends=True)[0] + raw + b"\n")
        refused(file, f"x.jsonl:2: .*{message}")


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 2**70), st.floats(allow_nan=False), st.text(max_size=3),
    st.just([]), st.just({}), st.just([{}]), st.just("2024-03-01T12:00:00Z"), st.just("never"),
)  # fmt: skip


def test_any_change_is_read_or_refused(full: tuple[Corpus, Path], tmp_path: Path) -> None:
    values = lines(full[1])[:-1]

    @settings(max_examples=120, suppress_health_check=ANY_HEALTH)
    @given(st.data())
    def property_(data: st.DataObject) -> None:
        changed = json.loads(json.dumps(values))
        place = data.draw(st.sampled_from(changed))
        while True:
            key = data.draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
            inner = place[key]
            if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
                break
            place = inner
        place[key] = data.draw(ODD)
        with new_corpus() as corpus:
            try:
                corpus.add(write(tmp_path / "x.jsonl", changed))
            except SourceError:
                assert corpus.status().transactions == 0
            else:
                corpus.search("bread")
                assert corpus.check() == []

    property_()
