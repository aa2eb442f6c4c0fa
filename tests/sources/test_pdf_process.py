"""The process that reads a PDF: files that want all memory, answers that are none, no process to be had."""

from __future__ import annotations

import json
import resource
import sys
import zlib
from pathlib import Path

import pytest
from tests.support.small_pdf import small_pdf

from asof.errors import SourceError
from asof.sources import pdf_child
from asof.sources.pdf import installed, pages
from asof.sources.pdf import read as read_pdf
from asof.sources.pdf_process import content
from asof.sources.readers import Unreadable
from asof.sources.source import InputLimits

CHILD = pdf_child.__file__
MIB = 2**20
LINE = "The lamp of the mole is lit at dusk."


def drawing(content: bytes, *forms: bytes, coded: bytes = b"") -> bytes:
    """A PDF of one page with this content, and forms /A, /B, ... that all of them can draw."""
    last = 5 + len(forms)
    names = b" ".join(b"/%c %d 0 R" % (65 + n, 5 + n) for n in range(len(forms)))
    drawn = b"/Resources << /Font << /F1 4 0 R >> /XObject << %s >> >>" % names
    return assembled([
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R %s >>" % (last, drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *(stream(b"/Type /XObject /Subtype /Form /BBox [0 0 595 842] " + drawn, form) for form in forms),
        stream(coded, content),
    ])  # fmt: skip


def assembled(objects: list[bytes]) -> bytes:
    """Without a table of where they stand: PDFium then looks for them."""
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, each) for number, each in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer\n<< /Root 1 0 R >>\n%%EOF\n"


def stream(about: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (about, len(content), content)


SHOWN = b"BT /F1 10 Tf 50 780 Td (%s) Tj ET" % LINE.encode()


def itself() -> bytes:
    """A form that draws itself twice."""
    return drawing(SHOWN + b" /A Do", b"/A Do /A Do")


def nested(levels: int) -> bytes:
    """Forms of which each draws the next twice, and the last the line: 2 ** (levels - 1) times in all."""
    twice = [b"/%c Do /%c Do" % (66 + n, 66 + n) for n in range(levels - 1)]
    return drawing(b"/A Do", *twice, SHOWN)


def blank(mebibytes: int) -> bytes:
    """A line and so many MiB of blanks, compressed to a thousandth, and that once more."""
    once = zlib.compressobj(1)
    parts = [once.compress(SHOWN), *(once.compress(b" " * MIB) for _ in range(mebibytes)), once.flush()]
    return drawing(zlib.compress(b"".join(parts)), coded=b"/Filter [/FlateDecode /FlateDecode]")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raw", "limits"),
    [
        (itself(), InputLimits()),
        (itself(), InputLimits(memory=100 * MIB)),
        (nested(24), InputLimits(memory=100 * MIB)),
        (blank(160), InputLimits(memory=100 * MIB)),
        (small_pdf([[LINE]]) + b" " * 30 * MIB, InputLimits(memory=16 * MIB)),  # what is read is too large
    ],
    ids=["itself", "itself-in-100-MiB", "nested", "compressed", "large"],
)
def test_what_wants_all_memory(raw: bytes, limits: InputLimits):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(Unreadable, match=f"more than {limits.memory // MIB} MiB of memory") as caught:
        read_pdf(raw, "stem", limits)
    assert caught.value.remedy == "print it to a new PDF"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40 * 1024  # in KiB


def test_what_wants_a_little_is_read():
    assert pages(nested(4), InputLimits()).pages[0].count(LINE) == 8  # 2 ** (4 - 1)
    assert pages(blank(8), InputLimits(memory=100 * MIB)).pages == [LINE]


# -- other processes in the place of the one that reads --------------------------------------------------


@pytest.fixture
def instead(tmp_path, monkeypatch):
    def put(code: str) -> None:
        script = tmp_path / "instead.py"
        script.write_text(f"import json, os, runpy, sys, time\ntell = sys.stdout.write\n{code}\n")
        monkeypatch.setattr(pdf_child, "__file__", str(script))

    return put


def read(**limits: int) -> list[str]:
    return content(small_pdf([[LINE]]), InputLimits(**limits), installed()).pages


def test_one_that_does_not_end(instead):
    instead("tell('ready\\n'); sys.stdout.flush(); time.sleep(60)")
    with pytest.raises(Unreadable, match="takes more than 1 seconds") as caught:
        read(seconds=1)
    assert caught.value.remedy == "print it to a new PDF"


def test_one_that_does_not_end_and_reads_nothing(instead):
    instead("time.sleep(60)")
    with pytest.raises(Unreadable, match="takes more than 1 seconds"):
        content(b"x" * MIB, InputLimits(seconds=1), installed())  # more than a pipe holds


def test_one_that_does_not_stop_talking(instead):
    instead("tell('ready\\n')\nwhile True: tell('x' * 9_000)")
    with pytest.raises(Unreadable, match="breaks what reads it"):
        read(characters=1_000)


@pytest.mark.parametrize(
    "said",
    [
        "", "pages", "[" * 1_100, "[]", '{"pages": "all"}', '{"pages": [1]}', '{"pages": ["a", "b"]}',
        '{"pages": ["' + "a" * 41 + '"]}',
        '{"no": "why"}', '{"no": ["page"]}', '{"no": "pages", "count": "9"}',
    ],
)  # fmt: skip
def test_answers_that_are_none(instead, said: str):
    """Of these limits: one page, 40 characters."""
    instead(f"tell('ready\\n' + {said!r})")
    with pytest.raises(Unreadable, match="breaks what reads it"):
        read(pages=1, characters=40)


def test_one_that_ends_before_it_is_ready(instead):
    instead("sys.exit(3)")
    with pytest.raises(SourceError, match=r"does not start \(status 3\).* -c 'import pypdfium2'"):
        read()


def test_a_package_that_does_not_load(tmp_path):
    (tmp_path / "pypdfium2.py").write_text("raise ImportError('no library')")
    with pytest.raises(SourceError, match=r"does not start \(status 1\)"):
        content(small_pdf([[LINE]]), InputLimits(), tmp_path)


def test_it_is_alone(instead, tmp_path, monkeypatch):
    """No secret of the caller, and no module that lies where the caller works."""
    monkeypatch.setenv("ASOF_SECRET", "a key")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Path("pypdfium2.py").write_text("raise SystemExit(9)")
    Path("json.py").write_text("raise SystemExit(9)")
    assert read() == [LINE]
    instead("tell('ready\\n' + json.dumps({'pages': sorted(os.environ)}))")
    Path("json.py").unlink()
    assert set(read()) <= {"PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LC_CTYPE"}


def test_without_limits_as_on_windows(instead):
    instead(f"sys.modules['resource'] = None\nrunpy.run_path({CHILD!r}, run_name='__main__')")
    assert read() == [LINE]


def test_the_limits_that_it_sets_itself(instead):
    """60 MiB above what it has; 7 seconds and one; a stricter limit stays, here of 5 seconds."""
    instead(f"""
import resource
child = runpy.run_path({CHILD!r})
had = child["addresses"]()
child["confine"](60 * 2**20, 7)
now = [resource.getrlimit(kind) for kind in (resource.RLIMIT_CORE, resource.RLIMIT_CPU, resource.RLIMIT_AS)]
resource.setrlimit(resource.RLIMIT_CPU, (5, 8))
child["confine"](60 * 2**20, 7)
now.append(resource.getrlimit(resource.RLIMIT_CPU))
tell('ready\\n' + json.dumps(dict(pages=[json.dumps([had, *now])])))
""")
    had, core, seconds, memory, kept = json.loads(read()[0])
    assert (core, seconds, kept) == ([0, 0], [8, 8], [5, 5])
    assert memory[0] == memory[1]
    assert 0 <= memory[0] - 60 * MIB - had < 8 * MIB  # what it took between the two looks


# -- no process can be had -------------------------------------------------------------------------------


@pytest.mark.parametrize("executable", ["", None])
def test_where_python_does_not_know_itself(monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(SourceError, match="no Python to start: run asof with an installed Python"):
        read()


def test_where_python_is_no_longer_there(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(SourceError, match="cannot be run, which reads PDFs: No such file"):
        read()
