"""Lines of sentences: in files as they lie there, else in texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from asof.extensions.facts.current import Quote
from asof.extensions.facts.stale import QuotePlace, place_of

TEXT = "# Plans\n\nIt has 10 GB.\n\nAgain:\nIt has 10 GB.\n"


def quote(
    words: str = "It has 10 GB.", text: str = TEXT, document: str = "plans.md", *, last: bool = False
) -> Quote:
    start = text.rindex(words) if last else text.index(words)
    return Quote(document, "Plans", "plans.md#0", words, start, start + len(words), 0)


@pytest.mark.parametrize("top", ["", "---\nabout: It has 10 GB.\n---\n", "---\r\ntags: []\r\n---\r\n"])
@pytest.mark.parametrize("last", [False, True])
def test_lines_of_a_file_count_its_frontmatter(tmp_path: Path, top: str, last: bool) -> None:
    file = tmp_path / "plans.md"
    file.write_bytes((top + TEXT).encode())
    line = top.count("\n") + (6 if last else 3)
    assert place_of(quote(last=last), TEXT, tmp_path) == QuotePlace(line, line, file)


def test_a_sentence_of_two_lines(tmp_path: Path) -> None:
    file = tmp_path / "plans.md"
    file.write_text(f"---\na: b\n---\n{TEXT}", "utf-8")
    assert place_of(quote("Again:\nIt has 10 GB."), TEXT, tmp_path) == QuotePlace(8, 9, file)


def test_the_past_has_no_files(tmp_path: Path) -> None:
    (tmp_path / "plans.md").write_text(f"---\na: b\n---\n{TEXT}", "utf-8")
    assert place_of(quote(), TEXT, None) == QuotePlace(3, 3, None)


@pytest.mark.parametrize("content", [b"Edited since.", b"\x00\xff\xfe binary", b""])
def test_a_file_that_does_not_hold_it(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "plans.md").write_bytes(content)
    assert place_of(quote(), TEXT, tmp_path) == QuotePlace(3, 3, None)


@pytest.mark.parametrize(
    "document", ["none.md", "../outside.md", "link.md", ".", "a\x00b", "x" * 5_000, "\ud800"]
)
def test_no_file_is_read_outside_of_the_folder(tmp_path: Path, document: str) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (tmp_path / "outside.md").write_text(TEXT, "utf-8")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    assert place_of(quote(document=document), TEXT, folder).file is None
