"""A git repository of 50 commits with its history: the corpus as of a commit is the tree of that commit."""

from __future__ import annotations

import contextlib
import io
import os
import random
import subprocess
import tarfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.corpora import memory_folder, new_corpus
from tests.support.rows import db_of, versions
from tests.support.sources import Forgetful, Stopped

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.sources.history import open_source

pytestmark = pytest.mark.slow

START = datetime(2020, 1, 1, 12, tzinfo=UTC)


class Repository:
    """A work tree whose commits lie a day apart."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.commits: list[tuple[str, datetime]] = []
        folder.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        day = (START + timedelta(days=len(self.commits))).isoformat()
        environment = {
            **os.environ, "GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day, "GIT_AUTHOR_NAME": "a",
            "GIT_COMMITTER_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_GLOBAL": os.devnull,
        }  # fmt: skip
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", f"commit {len(self.commits)}")
        self.note()

    def note(self) -> None:
        when = START + timedelta(days=len(self.commits))
        branch = (self.folder / ".git" / "HEAD").read_text().removeprefix("ref: ").strip()
        self.commits.append(((self.folder / ".git" / branch).read_text().strip(), when))

    def tree(self, commit: str) -> dict[str, str]:
        packed = self.git("archive", "--format=tar", commit).encode()
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            files = {each.name: tar.extractfile(each) for each in tar.getmembers()}
            return {name: file.read().decode() for name, file in files.items() if file is not None}


def grow(repository: Repository, rng: random.Random, commits: int) -> None:
    """Edits, new files, renames and deletions."""
    for _ in range(commits):
        files = sorted(repository.folder.glob("*.md"))
        act = rng.choice(["edit", "edit", "new", "rename", "delete"]) if len(files) > 3 else "new"
        words = " ".join(rng.choices(["mill", "ferry", "bread", "storm", "rope"], k=8))
        if act == "new":
            (repository.folder / f"note {len(repository.commits)}.md").write_text(f"# Note\n\n{words}\n")
        elif act == "edit":
            file = rng.choice(files)
            file.write_text(f"{file.read_text()}\n{words} {len(repository.commits)}\n")
        elif act == "rename":
            file = rng.choice(files)
            file.rename(repository.folder / f"renamed {len(repository.commits)}.md")
        else:
            rng.choice(files).unlink()
        repository.commit()


def test_every_commit_of_fifty_is_a_moment_of_the_corpus(tmp_path: Path) -> None:
    rng = random.Random(5)
    repository = Repository(tmp_path / "notes")
    grow(repository, rng, 25)
    # a branch that edits one note and adds another while the main line goes on; then a merge
    repository.git("checkout", "-q", "-b", "side")
    (repository.folder / "side.md").write_text("# Side\n\nwritten on the branch\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    (repository.folder / "main.md").write_text("# Main\n\nwritten on the main line\n")
    repository.commit()
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    repository.note()
    grow(repository, rng, 22)
    assert len(repository.commits) == 50

    with open_corpus(tmp_path) as corpus:
        corpus.maintenance.background = False
        report = corpus.add(repository.folder, history=True)
        assert report.failed == 0
        (before, _), (side, _) = repository.commits[24:26]
        for commit, when in repository.commits:
            tree = repository.tree(before if commit == side else commit)  # it counts from its merge
            snapshot = corpus.at(when.isoformat())  # the second as git writes it: its last instant
            there = db_of(corpus).execute("SELECT name FROM documents").fetchall()
            texts = [snapshot.text(name) for (name,) in there]  # under their last paths
            assert sorted(filter(None, texts)) == sorted(text[2:].strip() for text in tree.values())
            paths = [f"notes/{name}" for name in tree]
            assert len({snapshot.resolve(path) for path in paths}) == len(tree)
        again = corpus.add(repository.folder, history=True)
        assert (again.written, again.unchanged) == (0, len(there))
        sorted(repository.folder.glob("*.md"))[0].write_text("# Main\n\nnot committed yet\n")
        edit = corpus.add(repository.folder, history=True)
        assert edit.changed == 1
        assert corpus.at().search("committed yet").hits[0].dated_by == "edit"


ACTS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["edit", "delete"]), st.sampled_from("abc")),
        st.tuples(st.sampled_from(["commit", "commit", "branch", "merge"]), st.just("")),
        st.tuples(st.sampled_from(["amend", "back", "discard", "index", "index"]), st.just("")),
    ),
    min_size=4, max_size=24,
)  # fmt: skip


@example([("edit", "a"), ("index", ""), ("edit", "a"), ("amend", "")])
@given(ACTS)
def test_a_run_that_goes_on_from_the_last_is_a_run_that_reads_all(acts: list[tuple[str, str]]) -> None:
    """Commits, edits that are not committed, merges, and histories that were rewritten, between the runs."""
    with memory_folder() as folder, new_corpus() as resumed, new_corpus() as whole:
        repository = Repository(folder / "notes")
        (repository.folder / "a.md").write_text("mill\n")
        repository.commit()
        for number, (act, name) in enumerate([*acts, ("commit", ""), ("index", ""), ("index", "")]):
            file = repository.folder / f"{name}.md"
            if act == "edit":
                file.write_text(f"{file.read_text() if file.exists() else ''}line {number}\n")
            elif act == "delete":
                file.unlink(missing_ok=True)
            elif act == "index":
                for corpus, wrap in ((resumed, lambda each: each), (whole, Forgetful)):
                    source = open_source(repository.folder, root=folder, history=True)
                    corpus.add(wrap(source), allow_shrinking=True)
                assert versions(resumed) == versions(whole)
            elif act == "commit":
                repository.commit()
            else:
                rewrite(repository, act)


NAMES = ["a", "b", "sub/c"]
PAST = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["edit", "edit", "delete", "rename"]), st.sampled_from(NAMES)),
        st.tuples(st.sampled_from(["commit", "same second", "branch", "merge"]), st.just("")),
        st.tuples(st.sampled_from(["amend", "back"]), st.just("")),
        st.tuples(st.sampled_from(["index", "index", "stopped", "folder below"]), st.just("")),
    ),
    min_size=4, max_size=30,
)  # fmt: skip


@given(PAST)
def test_runs_between_commits_leave_what_one_run_over_all_of_them_makes(acts: list[tuple[str, str]]) -> None:
    """Merges of older branches, rewritten histories, stopped runs, another folder of the repository: nothing
    of what git no longer has remains, and nothing of what it has is dated otherwise."""
    with memory_folder() as folder, new_corpus() as resumed:
        repository = Repository(folder / "notes")
        (repository.folder / "sub").mkdir()
        (repository.folder / "sub" / "c.md").write_text("mill\n")
        repository.commit()
        roots = [repository.folder]
        for number, (act, name) in enumerate([*acts, ("index", "")]):
            if act in ("edit", "delete", "rename"):
                change(repository.folder / f"{name}.md", act, number)
            elif act == "same second":
                repository.git("add", "-A")
                repository.git("commit", "-q", "--allow-empty", "-m", "the next one has the same date")
            elif act in ("branch", "merge", "amend", "back"):
                rewrite(repository, act)
            else:
                repository.commit()
                (repository.folder / "sub").mkdir(exist_ok=True)
                if act == "folder below":
                    roots = [repository.folder / "sub", repository.folder]
                    run(resumed, folder, roots[0])
                elif act == "stopped":
                    run(resumed, folder, roots[-1], stop_after=1 + number % 5)
                elif act == "index":
                    with new_corpus() as whole:
                        for root in roots:
                            run(resumed, folder, root)
                            run(whole, folder, root)
                        assert current_history(resumed) == current_history(whole)


def change(file: Path, act: str, number: int) -> None:
    """Of few texts, so that a file gets back what it had; also with other line ends, which are no edit."""
    file.parent.mkdir(exist_ok=True)
    if act == "edit":
        file.write_bytes(f"line {number % 2}{number % 3 * chr(13)}\n".encode())
    elif act == "delete":
        file.unlink(missing_ok=True)
    elif file.exists():
        file.rename(file.with_name("moved.md"))


def run(corpus: Corpus, folder: Path, root: Path, stop_after: int | None = None) -> None:
    source = open_source(root, root=folder, history=True)
    if stop_after is None:
        corpus.add(source, allow_shrinking=True)
    else:
        with contextlib.suppress(KeyboardInterrupt):
            corpus.add(Stopped(source, stop_after), allow_shrinking=True)


def current_history(corpus: Corpus) -> list[tuple[object, ...]]:
    """What is stated of each document, from when on; what was withdrawn is no part of it."""
    return db_of(corpus).execute(
        "SELECT d.name, v.visible, v.content, v.head IS NULL, v.dated_by FROM versions AS v"
        " JOIN documents AS d ON d.id = v.document WHERE v.retired IS NULL ORDER BY 1, 2, v.added"
    ).fetchall()  # fmt: skip


def rewrite(repository: Repository, act: str) -> None:
    """Another branch, a merge of it, another last commit, or none: what git refuses is left out."""
    commands = {
        "branch": [["checkout", "-q", "-B", "side"], ["checkout", "-q", "main"]],
        "merge": [["merge", "-q", "--no-edit", "-X", "ours", "side"]],
        "amend": [["commit", "-q", "--amend", "--allow-empty", "-am", "again"]],
        "back": [["reset", "-q", "--hard", "HEAD~1"]],
        "discard": [["checkout", "-q", "--", "."]],
    }
    with contextlib.suppress(subprocess.CalledProcessError):
        for command in commands[act]:
            repository.git(*command)
        repository.note()
