"""`asof export`, and `asof index` of what it wrote."""

from __future__ import annotations

import json
import re


def test_an_export_is_indexed_elsewhere_and_answers_the_same(asof, notes, here):
    written = asof("export", "crane.jsonl.gz")
    size = (here / "crane.jsonl.gz").stat().st_size
    assert written.code == 0
    assert re.sub(r"\d+\.\d s", "0.0 s", written.out) == (
        f"crane.jsonl.gz: 3 documents, 3 versions, {size:,} bytes in 0.0 s\n"
    )
    read = asof("index", "crane.jsonl.gz", "--into", "other")
    assert read.code == 0
    assert "3 added; 3 new passages" in read.out
    for as_of in ("2020-06", "2021-06", "2024"):
        here_, there = (
            asof("search", "crane", "--as-of", as_of, "--json", "--explain", *more).json()
            for more in ((), ("--index", "other"))
        )
        assert here_["hits"] == there["hits"] != []


def test_a_folder_is_unchanged_after_its_index_was_restored(asof, notes, here):
    """Named from another index, its documents are the same ones."""
    asof("export", "crane.jsonl")
    (here / ".asof").rename(here / "old")
    asof("index", "crane.jsonl", "--into", ".")
    assert "3 unchanged" in asof("index", "notes").out
    assert "store and index are sound" in asof("status", "--check").out


def test_json(asof, notes, here):
    result = asof("export", "crane.jsonl", "--json").json()
    assert result.pop("took_ms") > 0
    assert result == {
        "file": "crane.jsonl", "documents": 3, "versions": 3, "bytes": (here / "crane.jsonl").stat().st_size,
    }  # fmt: skip


def test_a_file_that_is_there_is_overwritten_only_with_force(asof, notes, write):
    write("x.jsonl", "mine")
    refused = asof("export", "x.jsonl")
    assert refused.code == 2
    assert refused.err == (
        "asof: x.jsonl is there already: overwrite it with --force, or choose another name\n"
    )
    assert asof("export", "x.jsonl", "--force").code == 0
    assert asof("export", "x.txt").code == 2


def test_settings_of_the_export_are_said(asof, notes):
    asof("export", "x.jsonl")
    result = asof("index", "x.jsonl", "--into", "other", "--chunking", "20w")
    assert result.code == 0
    assert "the index gets the chunking of the export, 120w, not 20w" in result.err


def test_a_damaged_export_leaves_no_index_behind(asof, notes, here):
    asof("export", "x.jsonl")
    lines = (here / "x.jsonl").read_bytes().splitlines(keepends=True)
    (here / "x.jsonl").write_bytes(b"".join(lines[:-1]))
    result = asof("index", "x.jsonl", "--into", "other")
    assert result.code == 2
    assert "x.jsonl:5: the file breaks off after this line" in result.err.replace("\n  ", " ")
    assert json.loads(lines[-1])["end"]["documents"] == 3
    assert not (here / "other").exists()


def test_an_index_that_holds_something_takes_no_export(asof, notes):
    asof("export", "x.jsonl")
    result = asof("index", "x.jsonl")
    assert result.code == 2
    assert "is read into a new index only" in result.err.replace("\n  ", " ")
