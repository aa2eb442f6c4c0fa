"""What is said of pages that are pictures, and when their file is read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.fake_tesseract import SAYS, TEXT, installed
from tests.support.small_pdf import small_pdf

import asof
from asof.sources.formats.process import PROCESSES
from asof.sources.readers import Unreadable
from asof.sources.scans import Scans, ranges
from asof.sources.source import InputLimits

LINE = "The ferry of Orrin crosses the lake at noon."


@pytest.mark.parametrize(
    ("numbers", "text"), [((), ""), ((3,), "3"), ((1, 2, 3), "1-3"), ((1, 2, 4, 6, 7), "1-2, 4, 6-7")]
)
def test_numbers_as_a_text(numbers: tuple[int, ...], text: str):
    assert ranges(numbers) == text


@pytest.mark.parametrize("front", [{}, {"scanned": 3}, {"scanned": ["a"], "recognized": [], "failed": 0}])
def test_a_process_may_say_anything(front):
    with pytest.raises(Unreadable, match="breaks what reads it"):
        Scans.of(front, InputLimits())


def test_recognising_begins_with_the_setting_and_goes_on_where_it_was_missing(
    memory_folder, tmp_path, monkeypatch
):
    """The setting reads the file again, and so does the program, once it is there; what was read is kept."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    PROCESSES.end()
    (memory_folder / "2024-03-01 log.pdf").write_bytes(small_pdf([[LINE], TEXT]))
    assert indexed(memory_folder) == (1, ["1 of 2 pages hold no text, as scans do: OCR is off"])
    assert indexed(memory_folder) == (0, [])
    (memory_folder / "asof.toml").write_text('[documents]\nocr = "eng"\n')
    missing = "1 of 2 pages hold no text, as scans do: tesseract is not installed"
    assert indexed(memory_folder) == (0, [missing])
    assert indexed(memory_folder) == (0, [missing]), "it is looked for in each run"
    installed(programs)
    assert indexed(memory_folder) == (1, [])
    assert indexed(memory_folder) == (0, [])
    with asof.open(memory_folder) as corpus:
        hit = corpus.search("mended in the spring").hits[0]
        assert SAYS in hit.text
        assert hit.place.headings == ("Page 2",)
    PROCESSES.end()


def indexed(folder: Path) -> tuple[int, list[str]]:
    """How many documents were added or changed, and what was remarked."""
    with asof.open(folder) as corpus:
        report = corpus.add(folder)
    return report.added + report.changed, [each.message for each in report.problems]
