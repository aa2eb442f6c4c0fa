"""Pages of PDFs that are pictures, and a program that recognises them or does not."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.fake_tesseract import (
    CLOSED,
    DEAF,
    FAILS,
    FLOODS,
    NOTHING,
    SAYS,
    SLOW,
    TEXT,
    installed,
    running,
)  # fmt: skip
from tests.support.small_pdf import small_pdf

from asof.sources.formats.process import PROCESSES
from asof.sources.pdf import read
from asof.sources.readers import ParsedFile, Unreadable
from asof.sources.source import InputLimits

LINE = "The ferry of Orrin crosses the lake at noon."
LIMITS = InputLimits(ocr="eng")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch) -> Iterator[Path]:
    """The only folder in which programs are found, with tesseract in it."""
    folder = tmp_path / "bin"
    installed(folder)
    monkeypatch.setenv("PATH", str(folder))
    PROCESSES.end()
    yield folder
    PROCESSES.end()


def parsed(*pages: list[str] | int, limits: InputLimits = LIMITS) -> ParsedFile:
    return read(small_pdf(pages), "stem", limits)


def notes(file: ParsedFile) -> list[str]:
    return [note.message for note in file.notes]


def test_pictures_are_recognised_and_keep_their_page(programs):
    file = parsed([LINE], TEXT, [], TEXT, NOTHING)
    assert file.text.startswith(f"Page 1\n\n{LINE}\n\nPage 2\n\n{SAYS}")
    assert [each.title for each in file.outline] == ["Page 1", "Page 2", "Page 4"]
    assert file.front == {"ocr_pages": "2, 4"}
    assert (notes(file), file.slow) == ([], True)


def test_a_pdf_of_pictures_alone(programs):
    assert parsed(TEXT, limits=InputLimits(ocr="eng+chi_sim")).text.endswith("Its languages: eng+chi_sim")
    with pytest.raises(Unreadable, match="no text in the PDF, and none in its pictures"):
        parsed(NOTHING)


def test_a_pdf_with_text_asks_no_program(programs):
    (programs / "tesseract").unlink()
    assert notes(parsed([LINE], [])) == []


@pytest.mark.parametrize("wrong", [FAILS, FLOODS])
def test_a_page_that_fails_is_counted(programs, wrong: int):
    file = parsed(TEXT, wrong, TEXT)
    assert file.front == {"ocr_pages": "1, 3"}
    assert notes(file) == [
        "3 of 3 pages hold no text, as scans do: 2 were recognised, 1 failed or took more than 40 s"
    ]


@pytest.mark.parametrize("wrong", [SLOW, DEAF, CLOSED])
def test_a_page_that_is_late_is_counted_and_its_program_ended(programs, wrong: int):
    file = parsed(TEXT, wrong, limits=InputLimits(ocr="eng", ocr_page=3))
    assert notes(file) == [
        "2 of 2 pages hold no text, as scans do: 1 were recognised, 1 failed or took more than 3 s"
    ]
    assert running(programs) == []


def test_after_three_failures_in_a_row_the_others_are_left(programs):
    file = parsed(FAILS, FAILS, TEXT, FAILS, FAILS, FAILS, TEXT, TEXT)
    assert file.front == {"ocr_pages": "3"}
    (note,) = notes(file)
    assert note.startswith("8 of 8 pages hold no text, as scans do: 1 were recognised, 5 failed or took")
    assert note.endswith("more than 40 s, 2 were left after failures in a row")
    assert file.slow, "it is not tried again"


def test_the_time_of_a_file_ends(programs):
    file = parsed([LINE], SLOW, TEXT, limits=InputLimits(ocr="eng", ocr_seconds=2))
    assert notes(file) == ["2 of 3 pages hold no text, as scans do: 0 were recognised, 2 were left after 2 s"]
    assert file.notes[0].remedy == "raise ocr_seconds under [documents] in asof.toml"


@pytest.mark.parametrize(
    ("languages", "message", "remedy"),
    [
        ("", "OCR is off", "install tesseract and asof"),
        ("eng", "tesseract is not installed", "apt-get install tesseract-ocr;"),
        (
            "eng+chi_tra",
            "tesseract has no language data for chi_tra",
            "apt-get install tesseract-ocr-chi-tra",
        ),
    ],
)
def test_what_is_missing_is_said(programs, languages: str, message: str, remedy: str):
    if languages == "eng":
        (programs / "tesseract").unlink()
    limits = InputLimits(ocr=languages)
    file = parsed([LINE], TEXT, limits=limits)
    assert notes(file) == [f"1 of 2 pages hold no text, as scans do: {message}"]
    assert remedy in file.notes[0].remedy
    assert file.slow == (not languages), "once it is there, the file is read again"
    with pytest.raises(Unreadable, match=f"no text in the PDF, as in a scanned one: {message}") as refused:
        parsed(TEXT, limits=limits)
    assert remedy in refused.value.remedy


def test_a_program_in_the_current_folder_is_none(programs, monkeypatch):
    monkeypatch.chdir(programs)
    monkeypatch.setenv("PATH", ".")
    assert notes(parsed([LINE], TEXT)) == [
        "1 of 2 pages hold no text, as scans do: tesseract is not installed"
    ]


def test_a_program_that_does_not_run(programs):
    (programs / "tesseract").write_text("#!/nowhere\n")
    assert "tesseract does not run" in notes(parsed([LINE], TEXT))[0]


def test_no_program_outlives_the_process_that_reads(programs):
    """It is killed while a page is being recognised that takes a minute."""

    def reading() -> None:
        with suppress(Unreadable):
            parsed(SLOW)

    thread = threading.Thread(target=reading)
    thread.start()
    until(lambda: running(programs), "tesseract was not started")
    process = PROCESSES._running
    assert process is not None
    os.kill(process.process.pid, signal.SIGKILL)
    thread.join(20)
    until(lambda: not running(programs), "tesseract is still there")


def until(holds, otherwise: str) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end, otherwise
        time.sleep(0.05)
