"""Folders: what is read, what is not, and where dates come from."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from itertools import count
from pathlib import Path

import pytest
from tests.support.sources import stated

import asof
from asof.documents import Document, Problem
from asof.errors import SourceError
from asof.sources.files import OTHERWISE, SAME_MINUTE, together
from asof.sources.history import open_source
from asof.sources.source import InputLimits
from asof.store.writing import stored_checkpoints

NOBODY = 65_534
DAYS = count(10)


def write(path: Path, content: str | bytes, *, day: int | None = None) -> Path:
    """A file last modified `day` days after 2020-01-01, every file on another day if none is given."""
    day = next(DAYS) if day is None else day
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    mtime = 1_577_836_800 + day * 86_400
    os.utime(path, (mtime, mtime))
    return path


def read(folder: Path, **options) -> tuple[dict[str, Document], list[Problem]]:
    items = stated(open_source(folder, root=folder, **options))
    documents = {item.id: item for item in items if isinstance(item, Document)}
    return documents, [item for item in items if isinstance(item, Problem)]


def test_ids_are_paths_and_hidden_files_are_passed_over(tmp_path):
    assert read(tmp_path) == ({}, [])
    for name in ("b.md", "a/b.md", "a/.hidden.md", ".git/c.md", ".obsidian/d.md", ".asof/e.md", "asof.toml"):
        write(tmp_path / "notes" / name, "text")
    source = open_source(tmp_path / "notes", root=tmp_path)
    assert [d.id for d in stated(source) if isinstance(d, Document)] == ["notes/a/b.md", "notes/b.md"]
    assert (source.name, source.kind, source.complete) == ("notes", "folder", True)
    assert list(read(tmp_path / "notes")[0]) == ["a/b.md", "b.md"]


def test_other_kinds_are_counted(tmp_path):
    for name in ("a.png", "b.PNG", "c.md", "README", "d.jsonl"):
        write(tmp_path / name, "x")
    documents, problems = read(tmp_path)
    assert list(documents) == ["c.md"]
    assert [(p.message, p.remedy) for p in problems] == [
        ("1 file without an extension is not read", OTHERWISE),
        ("1 .jsonl file is not read", "index each on its own"),
        ("2 .png files are not read", "their text would have to be recognised (OCR) first"),
    ]
    assert not any(p.lost for p in problems)


def test_line_ends_and_encodings(tmp_path):
    texts = {
        "a.txt": (b"one\r\ntwo\rthree\n", "one\ntwo\nthree\n"),
        "b.txt": ("\ufeffmark".encode(), "mark"),
        "c.txt": ("sixteen ü".encode("utf-16"), "sixteen ü"),
        "e.txt": (b"a\0b", "a\ufffdb"),
        "latin.txt": ("café".encode("latin-1"), "café"),
    }
    for name, (raw, _) in texts.items():
        write(tmp_path / name, raw)
    write(tmp_path / "f.txt", b"\xff\xfea")
    write(tmp_path / "g.md", bytes(range(256)))
    documents, problems = read(tmp_path)
    assert {name: d.text for name, d in documents.items()} == {
        name: text for name, (_, text) in texts.items()
    }
    looks = "save it as UTF-8 if it looks wrong"
    assert [(p.file, p.message, p.document, p.remedy, p.lost) for p in problems] == [
        ("c.txt", "the file was read as UTF-16", "", looks, False),
        ("e.txt", "NUL characters stand in the file: read as U+FFFD", "", "", False),
        ("f.txt", "the file is not UTF-16 (byte 0x61 at 2)", "f.txt", "save it as UTF-8", True),
        ("g.md", "the file is not UTF-8 (byte 0x80 at 128) nor other text", "g.md", "save it as UTF-8", True),
        ("latin.txt", "the file was read as windows-1252", "", looks, False),
    ]


@pytest.mark.parametrize("content", ["", " \n\t\n", "---\n---\n", "\ufeff"])
def test_an_empty_note_is_a_document_with_its_name(tmp_path, content):
    write(tmp_path / "my-stub.md", content)
    documents, problems = read(tmp_path)
    assert (documents["my-stub.md"].text, documents["my-stub.md"].title, problems) == ("", "my stub", [])


@pytest.mark.parametrize("content", ["", " \n\t\n", "\ufeff", "x" * 101])
def test_an_empty_file_and_one_beyond_the_limit_are_problems(tmp_path, content):
    write(tmp_path / "a.txt", content)
    documents, (problem,) = read(tmp_path, limits=InputLimits(file=100))
    assert (documents, problem.document, problem.lost) == ({}, "a.txt", True)
    assert len(content) < 101 or problem.message == "the file has 101 bytes; the limit is 100"


def test_a_note_of_frontmatter_alone_is_a_document(tmp_path):
    write(tmp_path / "a.md", "---\naliases: [b]\n---\n")
    documents, problems = read(tmp_path)
    assert (documents["a.md"].text, documents["a.md"].aliases, problems) == ("", ("b",), [])


def test_links_are_not_followed_and_told_unless_they_lead_inside(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    write(inside / "real" / "a.md", "text")
    write(outside / "b.md", "secret")
    for name, target in (
        ("again", "real"), ("file.md", "real/a.md"), ("real/loop", ".."), ("out", outside),
        ("secret.md", outside / "b.md"), ("self", "self"), ("gone.md", "nowhere.md"), ("twice", "real"),
    ):  # fmt: skip
        (inside / name).symlink_to(target)
    documents, problems = read(inside)
    assert sorted(documents) == ["real/a.md"]
    assert {p.file for p in problems} == {"out", "secret.md", "gone.md"}
    assert {p.message for p in problems} == {
        "a link that leads out of the folder, or nowhere, is not followed"
    }
    (tmp_path / "link").symlink_to(inside)
    assert sorted(read(tmp_path / "link")[0]) == ["real/a.md"]  # a target may be one


@pytest.mark.parametrize("swapped", ["b.md", "b", "b/c", "b/c/d.md"])
@pytest.mark.parametrize("becomes", ["link", "pipe"])
def test_what_becomes_a_link_or_a_pipe_during_a_run_is_not_read(tmp_path, swapped, becomes):
    """The first document of a run is stated before the next file is read."""
    inside, outside, told = tmp_path / "in", tmp_path / "out", tmp_path / "in" / swapped
    for name in ("a.md", "b.md", "b/c/d.md", "c.md"):
        write(inside / name, f"{name} is sound")
    for name in ("b.md", "d.md", "c/d.md"):
        write(outside / name, "secret")
    items = open_source(inside, root=inside).documents()
    first = next(items)
    shutil.rmtree(told) if told.is_dir() else told.unlink()
    if becomes == "pipe":
        os.mkfifo(told)
    elif told.suffix:
        told.symlink_to(outside / told.name)
    else:
        told.symlink_to(outside / "c" if swapped == "b/c" else outside)
    rest = list(items)
    lost = [each.document for each in rest if isinstance(each, Problem)]
    documents = [each for each in (first, *rest) if isinstance(each, Document)]
    assert lost == (["b.md"] if swapped == "b.md" else ["b/c/d.md"])
    assert [each.id for each in documents] == sorted({"a.md", "b.md", "b/c/d.md", "c.md"} - set(lost))
    assert all("sound" in each.text for each in documents)


def test_a_pipe_and_a_name_that_is_no_text(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    write(tmp_path / os.fsdecode(b"caf\xe9.md"), "x")
    documents, problems = read(tmp_path)
    assert documents == {}
    assert [(p.file, p.message) for p in problems] == [
        ("caf\\xe9.md", "its name is not UTF-8"),
        ("pipe.md", "is neither a file nor a folder"),
    ]


@pytest.fixture
def unprivileged():
    """A folder of a user who may not read everything; root becomes that user for the test."""
    folder = Path(tempfile.mkdtemp())
    root = os.geteuid() == 0
    try:
        if root:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        yield folder
    finally:
        if root:
            os.seteuid(0)
        shutil.rmtree(folder)


def test_what_may_not_be_read(unprivileged):
    write(unprivileged / "a.md", "x").chmod(0)
    write(unprivileged / "d" / "b.md", "x")
    (unprivileged / "d").chmod(0)
    try:
        documents, problems = read(unprivileged)
    finally:
        (unprivileged / "d").chmod(0o700)
    assert documents == {}
    assert [(p.file, p.document, p.lost) for p in problems] == [("d", "", True), ("a.md", "a.md", True)]


DATED = {
    # content, when it was published and by what, when it was changed
    "2021-01-01 front.md": (
        "---\ndate: 2022-02-02\nupdated: 2023-03-03\nabout: 2023-Q4\nvalid_from: 2023\nk: v\n---\nx",
        ("2022-02-02", "frontmatter"), "2023-03-03",
    ),
    "2021-01-01 name.md": ("Date: 2019-01-01\nx", ("2021-01-01", "filename"), "2020-01-03T00:00:00Z"),
    "content.md": ("Date: 2019-01-01\nx", ("2019-01-01", "content"), "2020-01-04T00:00:00Z"),
    "mtime.md": ("x", ("2020-01-05T00:00:00Z", "mtime"), "2020-01-05T00:00:00Z"),
    "only.md": ("---\nlastmod: 2023-03-03\n---\nx", ("2023-03-03", "frontmatter"), "2023-03-03"),
    "page.html": (
        "<meta name=date content=2022-02-02><p>x", ("2022-02-02", "metadata"), "2020-01-07T00:00:00Z"
    ),
}  # fmt: skip


def test_the_order_of_dates(tmp_path):
    for day, (name, (content, *_)) in enumerate(DATED.items(), 1):
        write(tmp_path / name, content, day=day)
    documents, problems = read(tmp_path)
    assert problems == []
    for name, (_, published, changed) in DATED.items():
        each = documents[name]
        assert each.published
        assert each.changed
        assert ((each.published.text, each.dated_by), each.changed.text) == (published, changed)
    front = documents["2021-01-01 front.md"]
    assert [(s.text, s.by) for s in front.about] == [("2023 ..", "valid_from"), ("2023-Q4", "about")]
    assert (front.meta, documents["page.html"].meta) == ({"k": "v"}, {})


def test_a_date_in_the_frontmatter_that_cannot_be_read(tmp_path):
    write(tmp_path / "2021-01-01.md", "---\nk: v\ndate: soon\ncreated: 20220202\n---\nx")
    documents, (problem,) = read(tmp_path)
    document = documents["2021-01-01.md"]
    assert document.published is not None
    assert (document.published.text, document.meta) == ("20220202", {"k": "v", "date": "soon"})
    assert (problem.file, problem.line, problem.lost) == ("2021-01-01.md", 3, False)
    assert "'date' cannot be read: 'soon'" in problem.message


def test_copied_mtimes_are_not_believed(tmp_path):
    for number in range(5):
        write(tmp_path / f"{number}.md", "x", day=1)
    write(tmp_path / "2021-01-01.md", "x", day=9)
    documents, (problem,) = read(tmp_path)
    assert sum(d.published is None for d in documents.values()) == 5
    assert all(d.changed is None for d in documents.values())
    assert re.match(r"\d+ of the documents that were read have no date, .* within the same", problem.message)
    assert ("--trust-mtime" in problem.remedy, problem.lost) == (True, False)
    believed, nothing = read(tmp_path, trust_mtime=True)
    assert {d.dated_by for d in believed.values()} == {"mtime", "filename"}
    assert nothing == []


@pytest.mark.parametrize(
    ("seconds", "count"),
    [
        ([], 0),
        ([0, 0, 0, 0], 0),  # four are too few
        ([0, 0, 0, 0, 60], 5),
        ([0, 0, 0, 0, 61], 0),  # four of five again
        ([0] * 5 + [1000 * n for n in range(1, 6)], 0),  # just half
        ([0] * 5 + [1000 * n for n in range(1, 5)], 5),
    ],
)
def test_files_that_share_a_minute(seconds, count):
    assert together([second * SAME_MINUTE // 60 for second in seconds]) == count


def test_one_file_is_a_source_also_outside_of_the_corpus(tmp_path):
    write(tmp_path / "d" / "2021-01-01 a.md", "x")
    (tmp_path / "corpus").mkdir()
    for root, name in ((tmp_path, "d/2021-01-01 a.md"), (tmp_path / "corpus", "2021-01-01 a.md")):
        source = open_source(tmp_path / "d" / "2021-01-01 a.md", root=root)
        (document,) = stated(source)
        assert (document.id, document.dated_by, document.title) == (name, "filename", "2021-01-01 a")
        assert (source.name, source.kind) == (name, "file")


@pytest.mark.parametrize(
    ("name", "history", "said"),
    [
        ("b.md", False, r"does not exist; accepted are a folder, and files that end in \.jsonl"),
        ("a.bin", False, r"a\.bin is of no kind that can be read; accepted are"),
        ("a.bin", True, "--history reads a folder"),
    ],
)
def test_what_is_no_source(tmp_path, name, history, said):
    write(tmp_path / "a.bin", "x")
    with pytest.raises(SourceError, match=said):
        open_source(tmp_path / name, root=tmp_path, history=history)


def test_a_folder_that_went_away(tmp_path):
    (tmp_path / "d").mkdir()
    source = open_source(tmp_path / "d", root=tmp_path)
    (tmp_path / "d").rmdir()
    with pytest.raises(SourceError, match="d cannot be read: No such file"):
        list(source.documents())


def mails(*days: int, word: str = "late") -> str:
    """A mailbox with a mail of each of these days of March 2021."""
    return "".join(
        f"From a Fri Mar {day} 18:04:05 2021\nMessage-ID: <{day}@q>\nDate: {day} Mar 2021 18:04:05 +0000\n\n"
        f"The ferry is {word if day == 13 else 'old'}.\n\n"
        for day in days
    )


def test_a_file_of_several_documents_is_read_again_only_when_it_changed(tmp_path):
    box = write(tmp_path / "notes" / "a.mbox", mails(12, 13), day=500)
    first, second = "notes/a.mbox!/12@q", "notes/a.mbox!/13@q"
    with asof.open(tmp_path) as corpus:
        report = corpus.add(tmp_path / "notes")
        assert (report.added, report.problems) == (2, [])
        assert {each.id: str(each.published)[:10] for each in corpus.at().documents()} == {
            first: "2021-03-12", second: "2021-03-13",
        }  # fmt: skip
        again = corpus.add(tmp_path / "notes")
        assert (again.unchanged, again.written) == (2, 0)
        assert corpus.session.read(lambda db: len(stored_checkpoints(db, "notes"))) == 2
        write(box, mails(12, 13, 14, word="gone"), day=501)
        third = corpus.add(tmp_path / "notes")
        assert (third.unchanged, third.added, third.changed) == (1, 1, 1)
        write(box, mails(12), day=502)
        assert corpus.add(tmp_path / "notes", allow_shrinking=True).ended == 2
        assert {each.id for each in corpus.at().documents()} == {first}


def test_the_documents_of_a_file_that_cannot_be_read_stay(tmp_path):
    box = write(tmp_path / "notes" / "a.mbox", mails(12, 13), day=500)
    for number in range(10):
        write(tmp_path / "notes" / f"{number}.md", f"Note {number}.")
    with asof.open(tmp_path) as corpus:
        corpus.add(tmp_path / "notes")
        before = {each.id for each in corpus.at().documents()}
        write(box, b"\x00\x01\x02\xff" * 50, day=501)
        report = corpus.add(tmp_path / "notes", allow_shrinking=True)
        assert (report.ended, report.failed) == (0, 1)
        assert {each.id for each in corpus.at().documents()} == before


def test_a_number_beside_numbers_is_no_year(tmp_path):
    for name in ("1979.md", "2024.md", "2579.md", "years/2024.md", "years/2024-03-05.md", "0007.md"):
        write(tmp_path / name, "text")
    found = {name: document.dated_by for name, document in read(tmp_path)[0].items()}
    assert sorted(name for name, by in found.items() if by == "filename") == [
        "years/2024-03-05.md", "years/2024.md",
    ]  # fmt: skip
