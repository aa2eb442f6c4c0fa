"""The process that reads formats: what comes back, and what a file that misbehaves can do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import asof
from asof.documents import Heading
from asof.errors import MissingExtra, SourceError
from asof.extensions.documents.reading import PROCESS, FormatReader, ReaderProcess
from asof.sources.dates import dates_in
from asof.sources.readers import ParsedFile, Unreadable
from asof.sources.source import InputLimits
from asof.wire import replace

LIMITS = InputLimits(memory=64 * 2**20, seconds=2, characters=10_000)


@pytest.fixture
def read(monkeypatch):
    """Read bytes with the reader beside this file."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    reader = FormatReader("hostile_reader", ".x", ("hostile_reader",))

    def run(what: str, limits: InputLimits = LIMITS) -> ParsedFile:
        return reader(what.encode(), "stem", limits)

    return run


def test_what_a_reader_says_of_a_file(read):
    file = read("hello there")
    assert file.text == "Head\n\nhello stem.x there"
    assert (file.title, file.outline) == ("A title", (Heading(0, 1, "Head"),))
    assert (file.front, file.by) == ({"author": "Ida"}, "metadata")
    assert [link.target for link in file.links] == ["other"]
    assert [note.message for note in file.notes] == ["a note"]


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("die", "breaks what reads it"),
        ("fail now", "breaks what reads it"),
        ("sleep 60", "more than 2 seconds"),
        ("fill 200000000", "needs more memory"),
        ("deep", "nested too deeply"),
        ("refuse", "it says no"),
        ("outline", "breaks what reads it"),
        ("parts a a", "breaks what reads it"),
    ],
)
def test_a_file_that_misbehaves_is_unreadable_and_the_next_is_read(read, what, said):
    with pytest.raises(Unreadable, match=said):
        read(what)
    assert read("again").text.endswith("again stem.x")


DEEP = b'{"parts": [{"text": "a", "front": ' + b'{"a":' * 200 + b"1" + b"}" * 200 + b"}]}"


@pytest.mark.parametrize(
    "answer", [b"", b"{", b"\xff", b"[" * 100_000, b"[]", b'{"parts": [7]}', b'{"parts": []}', DEEP]
)
def test_an_answer_that_is_none_is_no_exception_of_json(read, monkeypatch, answer):
    monkeypatch.setattr(ReaderProcess, "ask", lambda *_: answer)
    with pytest.raises(Unreadable, match="breaks what reads it"):
        read("hello")


def test_a_reader_may_say_what_to_do(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    reader = FormatReader("hostile_reader", ".x", ("hostile_reader",), remedy="delete far cells")
    for raw, why in ((b"die", "breaks what reads it"), (bytes(10_001), "the limit is 10000")):
        with pytest.raises(Unreadable, match=why) as refused:
            reader(raw, "stem", replace(LIMITS, file=10_000))
        assert refused.value.remedy == ("delete far cells" if raw == b"die" else "")


@pytest.mark.parametrize(
    ("dates", "published", "changed", "made", "noted"),
    [
        ("2011-05-01 - 2024-03-05", "2011-05-01", "2024-03-05", "", ""),  # a book
        ("2011-05-01 2010 2009", "2011-05-01", "2009", "", ""),
        ("2011-05-01 - -", "2011-05-01", "", "", ""),
        (
            "- 2019-01-02 2021-03-04",
            "",
            "",
            "2021-03-04",
            "",
        ),  # an office document: published at its last save
        ("- 2019-01-02 -", "", "", "2019-01-02", ""),
        ("soon - 2024-03-05", "", "", "2024-03-05", ""),
        ("2011-05-01 - soon", "2011-05-01", "", "", "cannot be read"),
        # dates of templates are not believed
        ("- 2013-01-27T09:14:16Z -", "", "", "", "the template of python-pptx"),
        ("- 1904-01-01 -", "", "", "", "no such format is older than 1985"),
        ("- soon -", "", "", "", "cannot be read"),
    ],
)
def test_which_of_several_dates_is_that_of_publication(read, dates, published, changed, made, noted):
    page = read(f"dates {dates}")
    found = dates_in(page)
    texts = [each.text if each else "" for each in (found.published, found.changed, page.created)]
    assert texts == [published, changed, made]
    assert noted in " ".join(note.message for note in page.notes)
    assert bool(page.notes) == bool(noted)


def test_a_child_writes_no_file(read, tmp_path):
    with pytest.raises(Unreadable):
        read(f"write {tmp_path / 'x'}")
    assert not (tmp_path / "x").exists() or (tmp_path / "x").read_text() == ""


def test_a_library_that_is_missing_is_no_fault_of_the_file(read):
    with pytest.raises(SourceError, match="nothing_of_this_name"):
        read("missing")
    with pytest.raises(MissingExtra, match="install asof with its extra `documents`"):
        FormatReader("m", ".x", ("no_such_package",), "documents")(b"x", "stem", LIMITS)


def test_several_documents_in_a_file(read):
    one = read("parts a b")
    assert (one.text, [(each.name, each.text) for each in one.parts]) == (
        "", [("a", "Text of a."), ("b", "Text of b.")],
    )  # fmt: skip
    assert one.parts[0].front == {"published": "2020-01-01"}


def test_threads_take_turns(read):
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda n: read(f"t{n}").text, range(8)))
    assert found == [f"Head\n\nt{n} stem.x" for n in range(8)]


def test_a_process_that_was_killed_is_started_again(read):
    read("first")
    assert PROCESS.process is not None
    PROCESS.process.kill()
    PROCESS.process.wait()
    assert read("second").text.endswith("second stem.x")


def test_the_reader_ends_with_the_process_that_asks(tmp_path):
    """It is killed while a file is being read that takes a minute."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from asof.extensions.documents.reading import FormatReader\n"
        "from asof.extensions.documents.reading import PROCESS\n"
        "from asof.sources.source import InputLimits\n"
        "FormatReader('hostile_reader', '.x', ('hostile_reader',))(b'hi', 's', InputLimits())\n"
        "print(PROCESS.process.pid, flush=True)\n"
        "FormatReader('hostile_reader', '.x', ('hostile_reader',))(b'sleep 50', 's', InputLimits())\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        server = int(process.stdout.readline())
        time.sleep(0.3)
        process.kill()
    end = time.monotonic() + 10
    while Path(f"/proc/{server}/cmdline").exists() and Path(f"/proc/{server}/cmdline").read_bytes():
        assert time.monotonic() < end, "the process that reads is still there"
        time.sleep(0.05)


@pytest.mark.parametrize("module", ["docx", "epub", "mail", "odf", "office", "pptx", "rtf", "xml"])
def test_a_reader_needs_the_standard_library_alone(module):
    """The process that reads is given no other folder of packages than the format's own."""
    source = str(Path(asof.__file__).parents[1])
    program = f"import sys; sys.path.append({source!r}); import asof.extensions.documents.{module}"
    subprocess.run([sys.executable, "-I", "-S", "-B", "-c", program], check=True)
