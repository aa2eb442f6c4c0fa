"""Damaged files: segments are rebuilt with one line, a damaged database is one clear error."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import asof
from asof.index.segment import Segment

pytestmark = pytest.mark.slow

FOOTER = struct.calcsize("<QII8s")
QUESTIONS = ("mill storm", "latest bread price")
TOWNS = ["mill", "ferry", "bread", "storm", "rope", "snow", "price", "chair", "bell", "fog", "tide", "oak"]
ARRAYS = (
    "visible", "added", "passage", "document", "digest", "head", "number", "length", "dated", "row_of",
    "total", "terms", "start", "rows", "tf", "end_passage", "end_at", "end_added",
    "stem_offsets", "stems", "forward_start", "forward", "forward_tf",
    "about_offsets", "about_first", "about_last", "about_kind",
    "title", "title_id", "title_group", "title_start", "title_stems", "title_kinds",
)  # fmt: skip
READ_BY_SEARCH = ("visible", "length", "total", "terms", "start", "rows", "tf", "row_of", "end_at")

Answers = list[list[tuple[Any, ...]]]


def documents(version: int) -> list[dict[str, str]]:
    return [
        {
            "id": f"d{number}", "title": f"note {number}",
            "published": f"202{version}-01-{number % 28 + 1:02d}",
            "text": " ".join(TOWNS[(number * (at + version) + at) % 12] for at in range(9))
            + f" v{version} in {1900 + number}",
        }
        for number in range(40)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, write_lines: Any) -> Path:
    """A corpus of two segments: 40 documents, each in two versions."""
    root = tmp_path_factory.mktemp("sound")
    with asof.open(root) as corpus:
        corpus.maintenance.background = False
        for version in (1, 2):
            corpus.add(write_lines(root / "island.jsonl", documents(version)))
        assert len(corpus.status().segments) == 2
    return root


@pytest.fixture
def root(sound: Path, memory_folder: Path) -> Path:
    return Path(shutil.copytree(sound, memory_folder / "island"))


def segments(root: Path) -> list[Path]:
    with asof.open(root, create=False) as corpus:
        return [root / ".asof" / "segments" / file for file, _, _ in corpus.status().segments]


def answers(corpus: asof.Corpus) -> Answers:
    return [
        [(hit.id, hit.score, hit.place, hit.why.as_json()) for hit in corpus.at(at).search(question, 5).hits]
        for question in QUESTIONS
        for at in ("2021-01-20", "2030-01-01")
    ]


@pytest.fixture(scope="module")
def expected(sound: Path) -> Answers:
    with asof.open(sound, create=False) as corpus:
        return answers(corpus)


def flip(path: Path, at: int, bit: int = 3) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1 << bit]))


def searched_and_checked(root: Path) -> tuple[Answers, list[str], list[str]]:
    """What a search answers, the lines that it tells, and what a check finds after it."""
    told: list[str] = []
    with asof.open(root, create=False, on_note=told.append) as corpus:
        answered = answers(corpus)
        return answered, list(told), corpus.check()


def assert_mended(root: Path, expected: Answers, at_once: bool = True) -> None:
    """One line, from the search if it read what is damaged (`at_once`), else from the check; then none."""
    answered, told, checked = searched_and_checked(root)
    assert answered == expected
    assert len(told) == 1 or not at_once
    assert len(told) + len(checked) == 1, (told, checked)
    assert "rebuilt" in (told + checked)[0]
    assert searched_and_checked(root) == (expected, [], [])


# -- one segment ------------------------------------------------------------------------------------


def test_a_sound_corpus_is_told_nothing_about(root: Path, expected: Answers) -> None:
    assert searched_and_checked(root) == (expected, [], [])
    assert any(expected)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("length", [0, 1, FOOTER - 1, FOOTER, 0.1, 0.5, 0.99, -1])
def test_truncated(root: Path, expected: Answers, which: int, length: float) -> None:
    path = segments(root)[which]
    size = path.stat().st_size
    keep = size + length if length < 0 else length if isinstance(length, int) else size * length
    with path.open("r+b") as file:
        file.truncate(int(keep))
    assert_mended(root, expected)


@pytest.mark.parametrize("which", [0, 1])
def test_longer_than_it_was(root: Path, expected: Answers, which: int) -> None:
    with segments(root)[which].open("ab") as file:
        file.write(b"x")
    assert_mended(root, expected)


def test_deleted(root: Path, expected: Answers) -> None:
    segments(root)[0].unlink()
    assert_mended(root, expected)


def test_all_deleted(root: Path, expected: Answers) -> None:
    """One line for each file that is rebuilt."""
    shutil.rmtree(root / ".asof" / "segments")
    answered, told, checked = searched_and_checked(root)
    assert answered == expected
    assert (len(told), checked) == (2, [])


@pytest.mark.parametrize("behind", range(1, FOOTER + 1, 4))
def test_a_bit_of_the_footer(root: Path, expected: Answers, behind: int) -> None:
    path = segments(root)[0]
    flip(path, path.stat().st_size - behind)
    assert_mended(root, expected)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.99])
def test_a_bit_of_the_table_of_contents(root: Path, expected: Answers, share: float) -> None:
    path = segments(root)[1]
    size = path.stat().st_size
    (begin,) = struct.unpack_from("<Q", path.read_bytes()[-FOOTER:])
    flip(path, int(begin + share * (size - FOOTER - begin)))
    assert_mended(root, expected)


@pytest.mark.parametrize("place", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("array", ARRAYS)
def test_a_bit_of_an_array(root: Path, expected: Answers, array: str, place: float) -> None:
    path = segments(root)[1]
    segment = Segment(path)
    begin, size = segment.facts["arrays"][array]["at"], segment[array].nbytes
    assert size > 0, "the second segment has rows and ends"
    del segment
    flip(path, begin + int(place * (size - 1)))
    assert_mended(root, expected, at_once=array in READ_BY_SEARCH)


def test_every_array_is_tried(root: Path) -> None:
    assert set(Segment(segments(root)[0]).facts["arrays"]) == set(ARRAYS)


def test_replaced_by_the_segment_of_another_corpus(
    root: Path, expected: Answers, memory_folder: Path, write_lines: Any
) -> None:
    other = memory_folder / "other"
    with asof.open(other) as corpus:
        corpus.add(write_lines(other / "other.jsonl", documents(3)))
    shutil.copy(segments(other)[0], segments(root)[0])
    assert_mended(root, expected)


def test_segments_that_changed_places(root: Path, expected: Answers) -> None:
    first, second = segments(root)
    spare = first.with_suffix(".spare")
    first.rename(spare)
    second.rename(first)
    spare.rename(second)
    answered, told, checked = searched_and_checked(root)
    assert (answered, len(told), checked) == (expected, 2, [])


def test_damaged_while_it_is_indexed_into(root: Path, write_lines: Any) -> None:
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
corpus = asof.open(sys.argv[1], create=False)
for line in sys.stdin:
    hits = corpus.at("2030-01-01").search(line.strip(), 50).hits
    print(json.dumps([[hit.id, hit.score, hit.why.value] for hit in hits]), flush=True)
"""


def reader(root: Path) -> tuple[subprocess.Popen[str], Callable[[str], Any]]:
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(root)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip

    def ask(question: str) -> Any:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(question + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        return json.loads(answer) if answer else None

    return process, ask


@pytest.mark.parametrize("array", ["rows", "tf", "start", "length", "row_of", "end_passage"])
def test_flipped_while_open_elsewhere(root: Path, array: str) -> None:
    """What a process has checked once it does not check again; what it answers then may be old or new."""
    process, ask = reader(root)
    before = ask("ferry")
    path = segments(root)[1]
    segment = Segment(path)
    entry, values = segment.facts["arrays"][array], segment[array]
    for at in range(0, values.nbytes, values.itemsize):
        flip(path, entry["at"] + at, bit=6)
    during = ask("bread")
    rest, errors = process.communicate(timeout=30)
    assert errors == ""
    assert (process.returncode, rest) == (0, "")
    assert during is not None
    process, ask = reader(root)
    assert ask("ferry") == before
    assert process.communicate(timeout=30)[1] == ""


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
