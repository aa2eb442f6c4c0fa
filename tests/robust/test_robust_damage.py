"""Damaged files: segments are rebuilt with one line, a damaged database is one clear error."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.amounts import DAMAGED_PLACES

import asof
from asof.errors import DamagedStore
from asof.index.features import FEATURE_COLUMNS
from asof.index.segment import Segment
from asof.wire import encode

from .conftest import island

pytestmark = pytest.mark.slow

FOOTER = struct.calcsize("<QII8s")
ASKED = (("mill storm", "2021-01-20"), ("latest bread price", "2030-01-01"))
ARRAYS = (
    "visible", "added", "said", "run", "passage", "document", "digest", "version", "number",
    "length", "dated",
    "row_of", "terms", "start", "rows", "tf", "end_passage", "end_at", "end_added",
    "stem_offsets", "stems", "forward_start", "forward", "forward_tf",
    "about_offsets", "about_first", "about_last", "about_kind",
    "title", "title_id", "title_group", "title_start", "title_stems", "title_kinds", *FEATURE_COLUMNS,
)  # fmt: skip
READ_BY_SEARCH = ("visible", "length", "terms", "start", "rows", "tf", "row_of", "end_at")

Answers = list[list[tuple[Any, ...]]]
Damage = Callable[[Path], None]


def segments(root: Path) -> list[Path]:
    with asof.open(root, create=False) as corpus:
        return [root / ".asof" / "segments" / file for file, _, _ in corpus.status().segments]


def answers(corpus: asof.Corpus) -> Answers:
    return [
        [(hit.id, hit.score, hit.place, encode(hit.why)) for hit in corpus.at(at).search(question, 5).hits]
        for question, at in ASKED
    ]


@pytest.fixture(scope="module")
def expected(sound: Path) -> Answers:
    with asof.open(sound, create=False) as corpus:
        return answers(corpus)


def used(root: Path) -> tuple[Answers, list[str], list[str]]:
    """What a search answers, the lines that it tells, and what a check finds after it."""
    told: list[str] = []
    with asof.open(root, create=False, on_note=told.append) as corpus:
        answered = answers(corpus)
        return answered, list(told), corpus.check()


# -- segments ---------------------------------------------------------------------------------------


def flip(path: Path, at: int, bit: int = 3) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1 << bit]))


def truncated(which: int, length: float) -> Damage:
    """To a length; a negative one from the end, a fraction of the size."""

    def damage(root: Path) -> None:
        path = segments(root)[which]
        size = path.stat().st_size
        keep = size + length if length < 0 else length if isinstance(length, int) else size * length
        with path.open("r+b") as file:
            file.truncate(int(keep))

    return damage


def longer(which: int) -> Damage:
    def damage(root: Path) -> None:
        with segments(root)[which].open("ab") as file:
            file.write(b"x")

    return damage


def in_footer(behind: int) -> Damage:
    def damage(root: Path) -> None:
        path = segments(root)[0]
        flip(path, path.stat().st_size - behind)

    return damage


def in_contents(share: float) -> Damage:
    """A bit of the table of contents."""

    def damage(root: Path) -> None:
        path = segments(root)[1]
        size = path.stat().st_size
        (begin,) = struct.unpack_from("<Q", path.read_bytes()[-FOOTER:])
        flip(path, int(begin + share * (size - FOOTER - begin)))

    return damage


def in_array(array: str, place: float) -> Damage:
    def damage(root: Path) -> None:
        path = segments(root)[1]
        segment = Segment(path)
        begin, size = segment.facts["arrays"][array]["at"], segment[array].nbytes
        assert size > 0, "the second segment has rows and ends"
        del segment
        flip(path, begin + int(place * (size - 1)))

    return damage


def of_another_corpus(root: Path) -> None:
    other = root.with_name("other")
    with asof.open(other) as corpus:
        corpus.add(island(3))
    shutil.copy(segments(other)[0], segments(root)[0])


def deleted(root: Path) -> None:
    segments(root)[0].unlink()


def all_deleted(root: Path) -> None:
    shutil.rmtree(root / ".asof" / "segments")


def swapped(root: Path) -> None:
    first, second = segments(root)
    spare = first.with_suffix(".spare")
    first.rename(spare)
    second.rename(first)
    spare.rename(second)


DAMAGED: dict[str, tuple[Damage, int]] = {
    "nothing": (lambda _: None, 0),
    **{f"segment {which} is cut to {length}": (truncated(which, length), 1)
       for which in (0, 1) for length in (0, 1, FOOTER - 1, FOOTER, 0.1, 0.5, 0.99, -1)},
    **{f"segment {which} is longer": (longer(which), 1) for which in (0, 1)},
    "a segment is deleted": (deleted, 1), "all are deleted": (all_deleted, 2),
    **{f"a bit of the footer, {behind} from the end": (in_footer(behind), 1)
       for behind in range(1, FOOTER + 1, 4)},
    **{f"a bit of the contents at {share}": (in_contents(share), 1) for share in (0.0, 0.3, 0.6, 0.99)},
    **{f"a bit of {array} at {place}": (in_array(array, place), int(array in READ_BY_SEARCH))
       for array in ARRAYS for place in DAMAGED_PLACES},
    "a segment of another corpus": (of_another_corpus, 1), "two changed places": (swapped, 2),
}  # fmt: skip
"""What is damaged, and how many lines a search tells of it at least; a check tells what is left."""


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_damaged_segment_is_rebuilt(root: Path, expected: Answers, damaged: str) -> None:
    """One line for each, from the search if it read what is damaged, else from the check; then none."""
    damage, lines = DAMAGED[damaged]
    damage(root)
    answered, told, checked = used(root)
    assert answered == expected
    assert len(told) >= lines
    assert len(told) + len(checked) == (max(lines, 1) if damaged != "nothing" else 0), (told, checked)
    assert all("rebuilt" in line for line in told + checked)
    assert used(root) == (expected, [], [])


def test_every_array_is_tried(root: Path) -> None:
    assert set(Segment(segments(root)[0]).facts["arrays"]) == set(ARRAYS)


def test_damaged_while_it_is_indexed_into(root: Path) -> None:
    """A write needs no old segment; merging does, and rebuilds it."""
    flip(segments(root)[0], 0)
    told: list[str] = []
    with asof.open(root, on_note=told.append) as corpus:
        assert corpus.add([asof.Document("new", "a new ferry")]).added == 1
        for number in range(8):
            corpus.add([asof.Document(f"new{number}", "a newer ferry")])
        corpus.tidy()
        assert "new" in [hit.document for hit in corpus.search("new ferry").hits]
        assert len(told) == 1
        assert corpus.check() == []


# -- damaged while another process has it open ------------------------------------------------------

READER = """
import json, sys
import asof
from asof.wire import encode
corpora = [asof.open(root, create=False) for root in sys.argv[1:]]
for line in sys.stdin:
    found = [corpus.at("2030-01-01").search(line.strip(), 50).hits for corpus in corpora]
    print(json.dumps([[[hit.id, hit.score, hit.why.value] for hit in hits] for hits in found]), flush=True)
"""


def test_flipped_while_open_elsewhere(sound: Path, memory_folder: Path) -> None:
    """What a process has checked once it does not check again; what it answers then may be old or new."""
    arrays = ("rows", "tf", "start", "length", "row_of", "end_passage")
    roots = [Path(shutil.copytree(sound, memory_folder / array)) for array in arrays]
    process = subprocess.Popen(
        [sys.executable, "-c", READER, *map(str, roots)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    asking, answering = process.stdin, process.stdout
    assert asking is not None
    assert answering is not None

    def asked(question: str) -> Any:
        print(question, file=asking, flush=True)
        return json.loads(answering.readline())

    before = asked("ferry")
    for root, array in zip(roots, arrays, strict=True):
        path = segments(root)[1]
        segment = Segment(path)
        entry, values = segment.facts["arrays"][array], segment[array]
        for at in range(0, values.nbytes, values.itemsize):
            flip(path, entry["at"] + at, bit=6)
    assert len(asked("bread")) == len(roots)
    assert process.communicate(timeout=30) == ("", "")
    assert process.returncode == 0
    for root, hits in zip(roots, before, strict=True):
        with asof.open(root, create=False) as corpus:
            found = corpus.at("2030-01-01").search("ferry", 50).hits
            assert [[hit.id, hit.score, hit.why.value] for hit in found] == hits


# -- the command line -------------------------------------------------------------------------------


def test_status_check_reports_and_repairs(root: Path, run_asof: Any) -> None:
    flip(segments(root)[0], 100)
    first = run_asof("status", "--check", "--index", root)
    assert first.returncode == 3
    assert "Traceback" not in first.stderr
    assert first.stdout.count("rebuilt") == 1
    second = run_asof("status", "--check", "--index", root)
    assert (second.returncode, second.stderr) == (0, "")
    assert "store and index are sound" in second.stdout


def test_search_says_it_in_one_line(root: Path, run_asof: Any) -> None:
    before = run_asof("search", "ferry", "--index", root)
    flip(segments(root)[0], 0)
    after = run_asof("search", "ferry", "--index", root)
    assert (after.returncode, after.stdout) == (0, before.stdout)
    assert len(after.stderr.splitlines()) == 1
    assert "rebuilt" in after.stderr


# -- the database: it cannot be rebuilt -------------------------------------------------------------


def corrupt(path: Path, how: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        roots = dict(db.execute("SELECT name, rootpage FROM sqlite_schema").fetchall())
        size = db.execute("PRAGMA page_size").fetchone()[0]
    data = bytearray(path.read_bytes())
    if how == "noise":
        data[:] = bytes(value * 7 % 251 for value in range(len(data)))
    elif how == "header":
        data[3] ^= 1
    elif how == "pages":
        data[4096:] = bytes([0xA5]) * (len(data) - 4096)
    elif how == "half":
        del data[len(data) // 2 :]
    else:
        page = size * (roots[how] - 1)
        data[page : page + size] = bytes([0xA5]) * size
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["noise", "header", "pages", "half", "passages", "versions", "segments"])
@pytest.mark.parametrize("command", ["search ferry", "status", "status --check", "index", "python"])
def test_a_damaged_database_is_one_clear_line(
    root: Path, run_asof: Any, write_lines: Any, how: str, command: str
) -> None:
    corrupt(root / ".asof" / "corpus.db", how)
    if command == "python":
        with pytest.raises(DamagedStore), asof.open(root, create=False) as corpus:
            corpus.search("ferry")
        return
    if command == "index":
        result = run_asof("index", write_lines(root / "island.jsonl", island(3)), "--index", root)
    else:
        result = run_asof(*command.split(), "--index", root)
    assert "Traceback" not in result.stderr
    if (how, command) == ("passages", "status"):
        assert result.returncode == 0  # counts stand in the indices, which are sound
    elif command == "status --check" and result.returncode == 3:
        assert "corpus.db" in result.stdout  # it was read to its end, and its faults were listed
    else:
        assert result.returncode == 2
        assert len(result.stderr.splitlines()) == 1
        assert "not a sound database" in result.stderr
