"""A source is read in one way, which is remembered: its files as they are, or with their git history."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.corpora import memory_folder

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.errors import SourceError, WayChanged
from asof.extensions.server.watching import known_sources
from asof.store.store import SourceWay

START = datetime(2020, 1, 1, 12, tzinfo=UTC)


class World:
    """A folder in a git work tree and a corpus beside it, whose clock is that of files and commits: a day a
    step."""

    def __init__(self, root: Path, stack: ExitStack) -> None:
        self.root, self.stack, self.days = root, stack, 1
        self.folder = root / "notes"
        self.folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.corpora = [self.new_corpus()]

    @property
    def now(self) -> datetime:
        return START + timedelta(days=self.days)

    @property
    def corpus(self) -> Corpus:
        return self.corpora[0]

    def new_corpus(self) -> Corpus:
        index = self.stack.enter_context(memory_folder())
        (index / "notes").symlink_to(self.folder)
        corpus = self.stack.enter_context(open_corpus(index))
        corpus.maintenance.background = False
        ticks = iter(range(10**9))
        corpus.session.clock = lambda: int(self.now.timestamp()) * 10**6 + next(ticks)
        return corpus

    def git(self, *words: str, day: float | None = None) -> str:
        when = (START + timedelta(days=self.days if day is None else day)).isoformat()
        said = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "GIT_CONFIG_GLOBAL": os.devnull}
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=os.environ | said | dates, check=True, capture_output=True,
            text=True,
        )  # fmt: skip
        return done.stdout

    def edit(self, name: str, fare: int, date: str = "") -> None:
        file = self.folder / name
        file.write_text(f"---\ndate: {date}\n---\n" * bool(date) + f"The fare is {fare} pounds.\n")
        os.utime(file, (self.now.timestamp(), self.now.timestamp()))

    def commit(self, ago: float = 0) -> None:
        """Commit all, dated some days ago, as a commit that was pulled is."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x", day=self.days - ago)

    def index(self, history: bool | None = None) -> None:
        """Index in the remembered way, or in one that may be another; then a second corpus, which knows
        nothing but this way, is indexed beside the first."""
        known = {source.kind for source in self.corpus.status().sources}
        if history is not None and known != {"history" if history else "folder"}:
            self.corpora[1:] = [self.new_corpus()]
        for corpus in self.corpora:
            corpus.add(corpus.root / "notes", history=history, change_way=True, allow_shrinking=True)

    def current(self) -> dict[str, str]:
        """The texts that the folder holds; a file whose deletion is not committed stays in a history."""
        files = {file.name: file.read_text() for file in self.folder.glob("*.md")}
        if any(source.kind == "history" for source in self.corpus.status().sources):
            for name in self.git("ls-tree", "--name-only", "HEAD").split():
                files.setdefault(name, self.git("show", f"HEAD:{name}"))
        return {f"notes/{name}": text.rpartition("---\n")[2].strip() for name, text in files.items()}


def texts(corpus: Corpus, as_of: datetime | None = None, known_at: datetime | None = None) -> dict[str, str]:
    then = corpus.at(as_of, known_at)
    return {each.id: (then.text(each.id) or "").strip() for each in then.documents(most=100)}


@contextmanager
def world() -> Iterator[World]:
    with memory_folder() as root, ExitStack() as stack:
        yield World(root, stack)


NAMES = st.sampled_from(["fee.md", "rule.md", "rate.md"])
ACTS = st.one_of(
    st.tuples(st.just("edit"), NAMES, st.integers(1, 4), st.sampled_from(["", "2019-05-05", "2020-01-03"])),
    st.tuples(st.just("commit"), st.sampled_from([0, 0, 0.5, 1.5])),
    st.tuples(st.just("index"), st.sampled_from([None, None, True, False])),
    st.tuples(st.just("restore")),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(st.just("move"), NAMES, NAMES),
)  # fmt: skip


@pytest.mark.slow
@given(acts=st.lists(ACTS, min_size=3, max_size=14))
def test_the_current_text_is_that_of_the_file_and_the_past_that_of_the_remembered_way(acts):
    with world() as here:
        here.edit("fee.md", 9)
        here.commit()
        for act, *arguments in acts:
            here.days += 1
            if act == "restore":
                here.git("reset", "-q", "--hard")
                for file in here.folder.glob("*.md"):
                    os.utime(file, (here.now.timestamp(), here.now.timestamp()))
            elif act == "delete":
                (here.folder / arguments[0]).unlink(missing_ok=True)
            elif act == "move":
                with suppress(FileNotFoundError):
                    (here.folder / arguments[0]).rename(here.folder / arguments[1])
            else:
                getattr(here, act)(*arguments)
            if act == "index":
                assert texts(here.corpus) == here.current()
                assert here.corpus.check() == []
                for other in here.corpora[1:]:
                    for day in range(here.days):
                        at = START + timedelta(days=day, hours=1)
                        assert texts(here.corpus, at) == texts(other, at)


def test_another_way_is_refused_unless_it_is_wanted():
    with world() as here:
        here.edit("fee.md", 1)
        here.commit()
        here.days += 1
        here.edit("fee.md", 2, "2019-05-05")
        here.commit()
        here.index()
        here.days += 1
        with pytest.raises(
            WayChanged, match=r"notes is indexed as its files are, not with the history .* --yes"
        ):
            here.corpus.add(here.corpus.root / "notes", history=True)
        here.index(history=True)
        assert texts(here.corpus, START) == {}  # the frontmatter's date is the other way's
        assert texts(here.corpus, START, START + timedelta(days=2.5)) == here.current()
        with pytest.raises(WayChanged, match="with the history of its branch, not as its files are"):
            here.corpus.add(here.corpus.root / "notes", history=False)
        notes = here.corpus.root / "notes"
        assert known_sources(here.corpus) == []  # a link that leads out of the folder
        notes.unlink()
        here.folder.rename(notes)
        here.folder.mkdir()  # for who removes it
        assert known_sources(here.corpus) == [notes]


@pytest.mark.parametrize(
    ("one", "other", "differs", "overlaps"),
    [
        (("notes", "folder"), ("notes/old", "history"), True, True),
        (("notes/a.md", "file"), ("notes", "history"), True, True),
        ((".", "history", "main"), ("notes", "history", "draft"), True, True),
        (("notes", "folder"), ("notes/a.md", "file"), False, True),
        (("notes", "folder"), ("notes2", "history"), True, False),
        ((".", "history"), ("feed.jsonl", "jsonl"), True, False),
    ],
)
def test_sources_with_files_in_common(one, other, differs, overlaps):
    for first, second in ((one, other), (other, one)):
        assert SourceWay(*first).differs(SourceWay(*second)) is differs
        assert SourceWay(*first).overlaps(SourceWay(*second)) is overlaps


def test_a_folder_in_one_of_another_way_is_refused():
    with world() as here:
        here.edit("fee.md", 1)
        here.commit()
        here.index(history=True)
        with pytest.raises(SourceError, match=r"\. and notes, which is indexed with the history.*--index"):
            here.corpus.add(here.corpus.root)


def test_an_old_text_that_is_current_is_found():
    with world() as here:
        for number, date in enumerate(("2019-05-05", "2019-06-06")):
            here.edit("fee.md", number, date)
            here.index()
            here.days += 1
        db = here.corpus.store.writer()
        for change, found in (
            ("UPDATE documents SET current = (SELECT min(id) FROM versions)", True),
            ("UPDATE documents SET current = (SELECT max(id) FROM versions)", False),
            ("UPDATE versions SET visible = -visible", True),
            (
                "UPDATE documents SET current = (SELECT min(id) FROM versions)",
                True,
            ),  # last, but not stated last
        ):
            db.execute(change)
            faults = here.corpus.check()
            assert [fault.partition(" is not its last: ")[0] for fault in faults] == [
                "corpus.db: the current text of notes/fee.md"
            ] * found
        db.close()
