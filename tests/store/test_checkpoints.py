"""A source that skips what its checkpoints stand for leaves the corpus as if it stated all again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.corpora import memory_folder, new_corpus
from tests.support.rows import versions
from tests.support.sources import Forgetful

from asof.corpus.corpus import Corpus
from asof.documents import Checkpoint, Document, SafeToCommit, SourceEvent, Unchanged
from asof.errors import SourceShrunk
from asof.sources.files import Files
from asof.sources.history import open_source
from asof.sources.records import JsonLines
from asof.store.writing import WHOLE, stored_checkpoints


def added(corpus: Corpus, source: Any) -> str:
    try:
        corpus.add(source, allow_shrinking=False)
    except SourceShrunk:
        return "shrunk"
    return ""


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from("abc"), st.sampled_from(["mill", "ferry", "bread", ""])),
        st.tuples(st.just("date"), st.sampled_from("abc"), st.sampled_from(["2020-01-05", "2021-03-07"])),
        st.tuples(st.just("delete"), st.sampled_from("abc"), st.none()),
        st.tuples(st.just("index"), st.sampled_from(["folder", "lines"]), st.none()),
        st.tuples(st.just("state"), st.sampled_from("abc"), st.sampled_from(["storm", "mill"])),
        st.tuples(st.just("purge"), st.sampled_from("abc"), st.none()),
    ),
    max_size=24,
)


LAST = [("index", "folder", None), ("index", "lines", None)]


@given(STEPS)
def test_what_is_skipped_changes_nothing(steps: list[tuple[str, str, str | None]]) -> None:
    """Notes in a folder, the same ids from a file of lines, single documents and purges, in any order."""
    files: dict[str, tuple[str, str]] = {}
    with memory_folder() as folder, new_corpus() as resumed, new_corpus() as plain:
        notes, lines = folder / "notes", folder / "lines.jsonl"
        notes.mkdir()
        for number, (what, name, value) in enumerate(
            [*steps, ("index", "folder", None), ("index", "lines", None)]
        ):
            if what == "write" or what == "date":
                text, date = files.get(name, ("", ""))
                files[name] = (value or "", date) if what == "write" else (text, value or "")
                _write(notes / f"{name}.md", files[name], 1_500_000_000 + 1000 * number)
            elif what == "delete":
                files.pop(name, None)
                (notes / f"{name}.md").unlink(missing_ok=True)
            elif what == "state":
                for corpus in (resumed, plain):
                    corpus.add(Document(f"{name}.md", value or "", published="2019"))
            elif what == "purge":
                for corpus in (resumed, plain):
                    if f"{name}.md" in {row[0] for row in versions(corpus)}:
                        corpus.purge(f"{name}.md")
            else:
                lines.write_text("".join(
                    f'{{"id": "{key}.md", "text": "{text} by the line", "published": "{date or 2018}"}}\n'
                    for key, (text, date) in sorted(files.items())
                ))  # fmt: skip
                target = notes if name == "folder" else lines
                root = notes if name == "folder" else folder
                outcomes = [
                    added(corpus, wrap(open_source(target, root=root, trust_mtime=True)))
                    for corpus, wrap in ((resumed, lambda each: each), (plain, Forgetful))
                ]
                assert outcomes[0] == outcomes[1]
            assert versions(resumed) == versions(plain)


def _write(path: Path, note: tuple[str, str], mtime: int) -> None:
    text, date = note
    front = f"---\ndate: {date}\n---\n" if date else ""
    path.write_text(f"{front}{text}")
    os.utime(path, (mtime, mtime))


def test_an_unchanged_file_of_lines_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "text": "mill", "published": "2020"}\n{"id": "b", "text": "rope"}\n')
    with new_corpus() as corpus:
        assert corpus.add(path).added == 2
        source = open_source(path, root=corpus.root)
        assert isinstance(source, JsonLines)
        source.resume(corpus.session.read(lambda db: stored_checkpoints(db, source.name)))
        assert list(source.documents()) == [Unchanged(count=2)]
        report = corpus.add(path)
        assert (report.unchanged, report.written) == (2, 0)
        path.write_text(path.read_text().replace("rope", "bell"))
        assert (corpus.add(path).changed, corpus.add(path).unchanged) == (1, 2)


def test_a_file_with_a_problem_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "text": "mill", "published": "2020"}\nnonsense\n')
    with new_corpus() as corpus:
        for _ in range(2):
            assert len(corpus.add(path).problems) == 1
        assert corpus.session.read(lambda db: stored_checkpoints(db, "a.jsonl")) == {}


def test_a_file_that_does_not_hold_what_it_held_states_only_itself(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.md").write_text(f"---\ndate: 2020-01-01\n---\nnote {name}")
    with new_corpus() as corpus:
        corpus.add(tmp_path)
        (tmp_path / "b.md").write_text("---\ndate: 2020-02-01\n---\nanother")
        source = open_source(tmp_path, root=corpus.root)
        assert isinstance(source, Files)
        source.resume(corpus.session.read(lambda db: stored_checkpoints(db, source.name)))
        assert [type(each) for each in source.documents()] == [Unchanged, Document, Checkpoint, Unchanged]


@dataclass
class Stated:
    """A source that states what it is made of."""

    items: list[SourceEvent]
    name: str = "stated"
    kind: str = "test"
    complete: bool = True

    def documents(self) -> Iterator[SourceEvent]:
        return iter(self.items)


def tokens(corpus: Corpus, name: str = "stated") -> dict[str, bytes]:
    return corpus.session.read(lambda db: stored_checkpoints(db, name))


def test_a_checkpoint_stands_for_what_was_stated_before_it() -> None:
    one, two = Document("a", "mill", published="2020"), Document("a", "mill two", published="2021")
    with new_corpus() as corpus:
        corpus.add(Stated([one, Checkpoint("a", b"1"), SafeToCommit(), two, Checkpoint("a", b"2")]))
        assert tokens(corpus) == {"a": b"2"}
        corpus.add(Stated([two]))
        assert tokens(corpus) == {}, "stated without a checkpoint, though nothing changed"
        corpus.add(Stated([one, two, Checkpoint("a", b"2")]))
        assert tokens(corpus) == {"a": b"2"}
        corpus.correct("a", "2021-05")
        assert tokens(corpus) == {}


def test_the_checkpoint_of_all_is_stored_when_what_is_missing_has_ended() -> None:
    kept, gone = Document("a", "mill", published="2020"), Document("b", "rope", published="2020")
    with new_corpus() as corpus:
        corpus.add(Stated([kept, gone, Checkpoint(WHOLE, b"1")]))
        assert tokens(corpus) == {WHOLE: b"1"}
        report = corpus.add(Stated([kept, Checkpoint(WHOLE, b"2")]), allow_shrinking=True)
        assert (report.ended, tokens(corpus)) == (1, {WHOLE: b"2"})
        assert corpus.add(Stated([Unchanged(count=1)])).unchanged == 1
        assert tokens(corpus) == {WHOLE: b"2"}
        corpus.add(Document("a", "bell", published="2022"))
        assert tokens(corpus) == {}, "somebody else changed a document of the source"
