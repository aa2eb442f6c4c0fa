"""Documents by path, id, pattern, title."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.corpora import Clock, new_corpus

from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.extensions.facts.stale import documents_meant
from asof.values import Document


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
    for name in ("nope.md", "notes/*.txt", ""):
        with pytest.raises(UsageError, match="accepted: a file or folder that is indexed, a document's id"):
            documents_meant(corpus.at(), [name])
    with pytest.raises(UsageError, match=r"no document 'late\.md' as of 2021"):
        documents_meant(corpus.at("2021"), ["late.md"])
