"""`asof export` and `asof index` of what it wrote; `--backup`."""

from __future__ import annotations

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
            asof("search", "crane", "--as-of", as_of, "--json", *more).json()["hits"]
            for more in ((), ("--index", "other"))
        )
        assert (
            [(hit["id"], hit["score"]) for hit in here_] == [(hit["id"], hit["score"]) for hit in there] != []
        )


def test_a_file_that_is_there_is_overwritten_only_with_force(asof, notes, write):
    write("x.jsonl", "mine")
    for command in (["export"], ["export", "--backup"]):
        refused = asof(*command, "x.jsonl")
        assert refused.code == 2
        assert refused.err == (
            "asof: x.jsonl is there already: overwrite it with --force, or choose another name\n"
        )
    assert asof("export", "x.jsonl", "--force").code == 0
    assert asof("export", "--backup", "x.jsonl", "--force").code == 0
    assert asof("export", "x.txt").code == 2


def test_what_is_left_out_is_said(asof, write):
    write("notes/a.md", "---\nid: 7\ndate: 2020\n---\nThe crane is red.\n")
    asof("index", "notes")
    assert asof("export", "x.jsonl").err == (
        "1 value of metadata are left out: called as a field of a line, or too long a list\n"
    )


def test_a_backup_in_another_folder_is_the_same_index(asof, notes, here):
    result = asof("export", "--backup", "crane.db")
    assert (result.code, result.out) == (0, f"crane.db: {(here / 'crane.db').stat().st_size:,} bytes\n")
    (here / "other" / ".asof").mkdir(parents=True)
    (here / "crane.db").rename(here / "other" / ".asof" / "corpus.db")
    here_, there = (
        asof("search", "crane", "--as-of", "2024", "--json", "--explain", *more).json()["hits"]
        for more in ((), ("--index", "other"))
    )
    assert here_ == there != []
    assert "store and index are sound" in asof("status", "--check", "--index", "other").out
