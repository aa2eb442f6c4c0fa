"""What is stale in a snapshot: paths, kinds and times, commits, lines and reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.corpora import Clock, new_corpus
from tests.support.notes import tell
from tests.support.stale_values import quote, stale

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.documents import Document
from asof.errors import UsageError
from asof.extensions.facts.current import StaleQuote
from asof.extensions.facts.stale import (
    documents_meant,
    find_stale,
    line_of,
    stale_report,
)
from asof.time.moment import read

# -- what is stale in a snapshot -------------------------------------------------------------------


@pytest.fixture
def then() -> Iterator[Snapshot]:
    with new_corpus() as corpus:
        tell(corpus, [
            ("2021-01-01", "notes/pier.md", "The pier will be painted in March 2021."),
            ("2021-01-02", "notes/quay.md", "Pay at [the office](office.md) of the harbour first."),
            ("2021-01-03", "notes/office.md", "It is open from eight to noon."),
            ("2022-01-01", "notes/office.md", None),
            ("2022-02-01", "notes/mole.md", "The mole is mended as [[Plan of the mole]] says."),
        ])  # fmt: skip
        yield corpus.at("2022-06")


def test_of_paths_kinds_and_times(then: Snapshot) -> None:
    quay, pier = find_stale(then)
    (unwritten,) = find_stale(then, kinds="unwritten")  # on demand only
    assert (unwritten.quote.document, unwritten.score) == ("notes/mole.md", 0.25)
    assert find_stale(then, "notes") == find_stale(then, ["*/quay.md", "*/pier.md"]) == (quay, pier)
    assert find_stale(then, "notes/quay.md") == find_stale(then, kinds="link") == (quay,)
    assert find_stale(then, since="2021-06") == (quay,)
    assert find_stale(then, ["notes/office.md", "note"]) == ()


def test_what_is_no_kind(then: Snapshot) -> None:
    with pytest.raises(UsageError, match="kind is 'value'; accepted: link, time, unwritten"):
        find_stale(then, kinds="value")
    with pytest.raises(UsageError, match="kinds"):
        find_stale(then, kinds=1)  # type: ignore[arg-type]


# -- documents by path, id, pattern, title ---------------------------------------------------------


@pytest.fixture
def corpus() -> Iterator[Corpus]:
    with new_corpus(clock=Clock.at("2025")) as made:
        made.add([
            Document("notes/red.md", "Red.", "The red one", published="2020"),
            Document("notes/more/oak.md", "Oak.", published="2020"),
            Document("mail.mbox!/<1@x>", "Hello.", published="2020"),
            Document("late.md", "Late.", published="2023"),
        ])  # fmt: skip
        yield made


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ([], ()),
        (["."], ()),
        (["notes/red.md", "."], ()),
        (["notes/red.md"], ("notes/red.md",)),
        (["notes/"], ("notes/",)),
        (["notes", "late.md"], ("notes", "late.md")),
        (["*/red.md"], ("*/red.md",)),
        (["mail.mbox"], ("mail.mbox!/<1@x>",)),
        (["the red one"], ("notes/red.md",)),
        (["oak"], ("notes/more/oak.md",)),
    ],
)
def test_what_is_meant(corpus: Corpus, given: list[str], meant: tuple[str, ...]) -> None:
    assert documents_meant(corpus.at(), given) == meant


def test_a_path_counts_from_the_current_folder(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes" / "more").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    then = corpus.at()
    monkeypatch.chdir(tmp_path / "notes")
    assert documents_meant(then, ["red.md", "more", "*.md"], tmp_path) == (
        "notes/red.md", "notes/more", "notes/*.md",
    )  # fmt: skip
    assert documents_meant(then, ["notes/red.md"], tmp_path) == ("notes/red.md",), "or it is an id"
    assert documents_meant(then, ["."], tmp_path) == ("notes",)
    assert documents_meant(then, [".."], tmp_path) == ()
    monkeypatch.chdir(tmp_path / "empty")
    with pytest.raises(UsageError, match=r"'\.' holds no document"):
        documents_meant(then, ["."], tmp_path)


def test_what_is_no_document_is_refused(corpus: Corpus) -> None:
    for name, said in (
        ("late.md", "no document 'late.md' as of 2021"),
        ("", "'' holds no document; accepted"),
    ):
        with pytest.raises(UsageError, match=said):
            documents_meant(corpus.at("2021"), [name])


# -- lines of sentences ----------------------------------------------------------------------------


TEXT = "# Plans\n\nIt has 10 GB.\n\nAgain:\nIt has 10 GB.\n"


def sentence(
    words: str = "It has 10 GB.", text: str = TEXT, document: str = "plans.md", *, last: bool = False
) -> StaleQuote:
    start = text.rindex(words) if last else text.index(words)
    return StaleQuote(document, "Plans", "plans.md#0", words, start, start + len(words), 0)


@pytest.mark.parametrize("top", ["", "---\nabout: It has 10 GB.\n---\n", "---\r\ntags: []\r\n---\r\n"])
@pytest.mark.parametrize("last", [False, True])
def test_lines_of_a_file_count_its_frontmatter(tmp_path: Path, top: str, last: bool) -> None:
    file = tmp_path / "plans.md"
    file.write_bytes((top + TEXT).encode())
    line = top.count("\n") + (6 if last else 3)
    assert line_of(sentence(last=last), TEXT, tmp_path) == (line, file)


def test_a_sentence_of_two_lines(tmp_path: Path) -> None:
    file = tmp_path / "plans.md"
    file.write_text(f"---\na: b\n---\n{TEXT}", "utf-8")
    assert line_of(sentence("Again:\nIt has 10 GB."), TEXT, tmp_path) == (8, file)


@pytest.mark.parametrize("content", [b"Edited since.", b"\x00\xff\xfe binary", b""])
def test_a_file_that_does_not_hold_it(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "plans.md").write_bytes(content)
    assert line_of(sentence(), TEXT, tmp_path) == (3, None)


@pytest.mark.parametrize(
    "document", ["none.md", "../outside.md", "link.md", ".", "a\x00b", "x" * 5_000, "\ud800"]
)
def test_no_file_is_read_outside_of_the_folder(tmp_path: Path, document: str) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (tmp_path / "outside.md").write_text(TEXT, "utf-8")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    assert line_of(sentence(document=document), TEXT, folder)[1] is None


# -- reports ---------------------------------------------------------------------------------------


OLD = "# Old\n\nThe free plan has 10 GB.\n"
MARCH = read("2021-03").last


@pytest.fixture
def corpus_of_report() -> Iterator[Corpus]:
    with new_corpus(clock=Clock.at("2025")) as made:
        made.add([
            Document("old.md", OLD, published="2021-03"), Document("new.md", "The free plan has 50 GB."),
        ])  # fmt: skip
        yield made


def test_lines_and_dates(corpus_of_report: Corpus, tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text(f"---\na: b\n---\n{OLD}", "utf-8")
    one = stale(
        quote(start=OLD.index("The"), since=MARCH),
        quote("new.md", "The free plan has 50 GB.", 5, dated=False),
    )
    (found,) = stale_report(corpus_of_report.at(), [one], files=tmp_path).found
    assert (found.quote.line, found.quote.file) == (6, tmp_path / "old.md")
    assert found.quote.published is not None
    assert (found.quote.published.text, found.quote.published.by) == ("2021-03", "metadata")
    assert found.by is not None
    assert (found.by.line, found.by.file, found.by.published) == (1, None, None)
    (past,) = stale_report(corpus_of_report.at("2024"), [one]).found
    assert (past.quote.line, past.quote.file) == (3, None)
