"""A git history: every version at its commit's date, the truth after each merge, what is not committed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.support.sources import stated

import asof
from asof.documents import Document, Ended, Problem
from asof.errors import SourceError
from asof.sources import git
from asof.sources.history import open_source
from asof.sources.source import InputLimits

START = 1_600_000_000


class Repository:
    """A git repository whose clock is set by hand, in seconds after START."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, at: int = 0, check: bool = True) -> None:
        date = f"{START + at} +0200"
        who = {f"GIT_{role}_{part}": "a@b" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_CONFIG_GLOBAL": os.devnull}
        environment = {**os.environ, **who, **dates}
        command = ["git", *arguments]
        subprocess.run(command, cwd=self.folder, check=check, capture_output=True, env=environment)

    def write(self, name: str, content: str | bytes | None) -> None:
        path = self.folder / name
        if content is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, at: int, **files: str | bytes | None) -> None:
        for name, content in files.items():
            self.write(name if "." in name else f"{name}.md", content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x", at=at)


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "repository")


def history(folder: Path, **options):
    return stated(open_source(folder, root=folder, history=True, **options))


def told(items) -> list[tuple[int, str, str | None]]:
    """(seconds after START, id, text or None for an end) of everything that is dated."""
    found: list[tuple[int, str, str | None]] = []
    for item in items:
        if isinstance(item, Document) and item.published:
            assert item.published.by == "git"
            found.append((item.published.span.first // 10**6 - START, item.id, item.text))
        elif isinstance(item, Ended):
            found.append((item.at.span.first // 10**6 - START, item.id, None))
    return sorted(found, key=lambda event: event[:2])


def as_of(events, at: int) -> dict[str, str]:
    state = {name: text for when, name, text in events if when <= at}
    return {name: text for name, text in state.items() if text is not None}


def problems(items) -> list[Problem]:
    return [item for item in items if isinstance(item, Problem)]


def test_edits_renames_and_deletions(repository):
    assert history(repository.folder) == []
    repository.commit(0, a="one", b="two")
    repository.commit(100, a="one, edited")
    repository.git("mv", "b.md", "c.md")
    repository.commit(200)
    repository.commit(300, a=None)
    repository.commit(400, a="one")
    items = history(repository.folder)
    assert told(items) == [
        (0, "a.md", "one"),
        (0, "c.md", "two"),
        (100, "a.md", "one, edited"),
        (200, "c.md", "two"),  # without a heading its name is its title, which is another one now
        (300, "a.md", None),
        (400, "a.md", "one"),
    ]
    assert problems(items) == []
    first = items[0]
    assert first.published.text == "2020-09-13T12:26:40Z"
    assert (first.published.span.last + 1 - first.published.span.first, first.changed) == (10**6, None)


def test_a_merge_is_settled_as_the_branch_has_it(repository):
    repository.commit(0, a="base", b="base", c="base")
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(50, a="side", b="side", c=None)
    repository.git("checkout", "-q", "main")
    repository.commit(20, a="main")
    repository.git("merge", "-q", "side", check=False)
    repository.write("b.md", "base")  # the merge drops what the side branch did to b
    repository.commit(100, a="resolved")
    events = told(history(repository.folder))
    assert as_of(events, 99) == {"a.md": "main", "b.md": "base", "c.md": "base"}
    assert as_of(events, 100) == {"a.md": "resolved", "b.md": "base"}


def test_a_merge_beside_a_branch_that_is_still_apart(repository):
    repository.commit(0, a="base", b="base")
    for branch, at in (("near", 10), ("far", 20)):
        repository.git("checkout", "-q", "-b", branch, "main")
        repository.commit(at, **{"a" if branch == "near" else "b": branch})
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "near", at=30)
    repository.git("merge", "-q", "--no-ff", "far", at=40)
    events = told(history(repository.folder))
    assert as_of(events, 29) == {"a.md": "base", "b.md": "base"}
    assert as_of(events, 39) == {"a.md": "near", "b.md": "base"}
    assert as_of(events, 40) == {"a.md": "near", "b.md": "far"}


def test_another_branch_has_its_own_history_and_no_work_tree(repository):
    repository.commit(0, a="base")
    repository.git("checkout", "-q", "-b", "next")
    repository.commit(10, a="next")
    repository.git("checkout", "-q", "main")
    repository.write("new.md", "not committed")
    items = history(repository.folder, branch="next")
    assert (
        told(items)
        == [(0, "a.md", "base"), (10, "a.md", "next")]
        == told(history(repository.folder, branch="next"))
    )
    assert len(items) == 2
    for wrong in ("gone", "--all", "a..b"):
        with pytest.raises(SourceError, match="there is no branch"):
            history(repository.folder, branch=wrong)


def test_a_clock_that_went_back(repository):
    repository.commit(1000, a="one")
    repository.commit(500, b="two")
    repository.commit(2000, a="three")
    items = history(repository.folder)
    assert told(items) == [(1000, "a.md", "one"), (1000, "b.md", "two"), (2000, "a.md", "three")]
    (problem,) = problems(items)
    assert problem.message == "1 commit is dated before a parent, and taken to be as late as that"
    assert not problem.lost


def test_of_one_second_the_last_state_counts(repository):
    repository.commit(0, a="one")
    repository.commit(5, a="two", b="short-lived")
    repository.commit(5, a="three", b=None)
    assert told(history(repository.folder)) == [(0, "a.md", "one"), (5, "a.md", "three")]


def test_only_texts_below_the_target(repository):
    repository.commit(0, **{"docs/a.md": "a", "docs/.hidden/b.md": "b", "docs/c.png": "c", "d.md": "d"})
    repository.commit(10, **{"docs/deep/e.rst": "e", "d.md": "dd"})
    items = history(repository.folder / "docs")
    assert told(items) == [(0, "a.md", "a"), (10, "deep/e.rst", "e")]
    assert [p.message for p in problems(items)] == ["1 .png file is not read"]
    source = open_source(repository.folder / "docs", root=repository.folder, history=True)
    assert (source.name, source.kind, source.complete) == ("docs", "history", True)
    assert next(item for item in source.documents() if isinstance(item, Document)).id == "docs/a.md"


def test_what_is_not_committed(repository):
    repository.commit(0, a="a", b="b", c="c", **{".gitignore": "ignored.md\n"})
    for name, content in (("a.md", "a, edited"), ("new.md", "new"), ("ignored.md", "x"), ("c.md", None)):
        repository.write(name, content)
    os.utime(repository.folder / "a.md", (START + 77, START + 77))
    *_, c, a, new = sorted(
        (i for i in history(repository.folder) if isinstance(i, Problem) or i.published is None),
        key=lambda item: item.id if isinstance(item, Document) else "",
    )
    assert (a.id, a.text, a.published, a.changed.by) == ("a.md", "a, edited", None, "mtime")
    assert a.changed.span.first == (START + 77) * 10**6
    assert (new.id, new.text) == ("new.md", "new")
    assert (c.file, c.lost) == ("c.md", False)
    assert "deleted, and that is not committed" in c.message


def test_versions_that_cannot_be_read(repository):
    repository.commit(0, a="fine", b="x" * 200)
    repository.commit(10, a=bytes(range(256))[::-1][:99], b="small")
    repository.commit(20, a=" ", b="---\nx: [\n---\nb")
    repository.commit(30, a="back", b="---\nx: [\n---\nbb")
    items = history(repository.folder, limits=InputLimits(file=100))
    assert [(*event[:2], event[2] and event[2][-1:]) for event in told(items)] == [
        (0, "a.md", "e"),
        (10, "b.md", "l"),
        (20, "a.md", ""),
        (20, "b.md", "b"),
        (30, "a.md", "k"),
        (30, "b.md", "b"),
    ]
    found = problems(items)
    assert [(p.message[:20], p.document, p.lost) for p in found] == [
        ("the file is not UTF-", "a.md", True),
        ("the file has 200 byt", "b.md", True),
        ("its frontmatter is n", "", False),
    ]
    assert all("@" in p.file for p in found)


def test_versions_in_another_encoding(repository):
    """Each version is read in its own, and a change of the encoding or of the ends of lines is no edit."""
    repository.commit(0, a="one\ntwo\n", c="one\ntwo\n")
    repository.commit(10, a="café".encode("latin-1"), b="Fähre".encode("utf-16"))
    repository.commit(20, a="cafés".encode("latin-1"))
    repository.write("a.md", "cafés")
    repository.write("c.md", "\ufeffone\r\ntwo\r\n")
    items = history(repository.folder)
    texts = [item.text for item in items if isinstance(item, Document)]
    assert texts == ["one\ntwo", "café", "cafés", "Fähre", "one\ntwo"]
    found = problems(items)
    assert [(p.file[:4], p.message, p.lost) for p in found] == [
        ("a.md", "the file was read as windows-1252", False), ("b.md", "the file was read as UTF-16", False),
    ]  # fmt: skip


def test_the_first_version_is_published_on_its_own_date_if_that_is_before_its_commit(repository):
    note = "---\ndate: {}\ntitle: T\n---\n{}"
    repository.commit(
        0, a=note.format("1999-01-01", "x"), b=note.format("2034-01-01", "y"), **{"2019-03-31-c.md": "z"}
    )
    repository.commit(10, a=note.format("2001-01-01", "xx"))
    dated = [
        (item.id, item.dated_by, item.published.text[:10], dict(item.meta))
        for item in history(repository.folder)
    ]
    assert dated == [
        ("2019-03-31-c.md", "filename", "2019-03-31", {}),
        ("a.md", "frontmatter", "1999-01-01", {}),
        ("a.md", "git", "2020-09-13", {}),
        ("b.md", "git", "2020-09-13", {}),
    ]


def test_a_shallow_clone_and_no_repository_are_refused(repository, tmp_path):
    repository.commit(0, a="one")
    repository.commit(10, a="two")
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth", "1", repository.folder.as_uri(), str(clone))
    with pytest.raises(SourceError, match=r"shallow clone.*git fetch --unshallow"):
        history(clone)
    (tmp_path / "plain").mkdir()
    with pytest.raises(SourceError, match="in no git work tree"):
        history(tmp_path / "plain")
    problem, document = stated(open_source(clone, root=clone))
    assert document.dated_by == "mtime"
    assert "shallow" in problem.message
    assert problem.remedy == "git fetch --unshallow"


def folder_dates(folder: Path) -> dict[str, tuple[str, int | None]]:
    items = stated(open_source(folder, root=folder))
    return {
        item.id: (item.dated_by, item.published.span.first // 10**6 - START if item.published else None)
        for item in items
        if isinstance(item, Document)
    }


def test_a_folder_takes_the_dates_of_its_last_commits(repository):
    repository.commit(0, a="a", b="b", c="c", **{"sub/é.md": "d", "2019-01-01 x.md": "x"})
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(50, a="side", **{"sub/é.md": "from the merge on"})
    repository.git("checkout", "-q", "main")
    repository.commit(60, a="main", b="bb")
    repository.git("merge", "-q", "side", check=False)
    repository.commit(70, a="resolved")
    repository.write("c.md", "dirty")
    repository.write("new.md", "untracked")
    repository.write("b.md", "bb")
    for name in ("c.md", "new.md"):
        os.utime(repository.folder / name, (START + 99, START + 99))
    dates = folder_dates(repository.folder)
    assert dates.pop("2019-01-01 x.md")[0] == "filename"
    assert dates == {
        "a.md": ("git", 70),
        "b.md": ("git", 60),
        "c.md": ("mtime", 99),
        "new.md": ("mtime", 99),
        "sub/é.md": ("git", 70),
    }
    assert folder_dates(repository.folder / "sub") == {"é.md": ("git", 70)}


def test_nothing_of_a_repository_is_run_and_no_inherited_git_dir_obeyed(repository, tmp_path, monkeypatch):
    """Filters, hooks and monitors that a repository configures are programs of whoever made it."""
    repository.commit(0, a="a", **{".gitattributes": "*.md filter=x diff=x\n"})
    touch = f"touch {tmp_path / 'ran'}; cat"
    for key in ("filter.x.clean", "filter.x.smudge", "diff.x.textconv", "diff.x.command", "core.fsmonitor",
                "diff.external", "gpg.program", "core.pager", "core.sshCommand"):  # fmt: skip
        repository.git("config", key, touch)
    repository.git("config", "log.showSignature", "true")
    repository.write("a.md", "b")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "broken")
    assert (0, "a.md", "a") in told(history(repository.folder))
    folder_dates(repository.folder)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("older", [False, True])
def test_nothing_is_fetched_whatever_the_repository_allows(repository, tmp_path, monkeypatch, older):
    if older:  # versions of git that do not know this variable
        monkeypatch.delitem(git._HARDENED, "GIT_NO_LAZY_FETCH")
    repository.commit(0, a="words")
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o700)
    for key, value in (
        ("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"), ("remote.origin.url", f"ext::{program}"),
        ("remote.origin.partialCloneFilter", "blob:none"), ("protocol.ext.allow", "always"),
    ):  # fmt: skip
        repository.git("config", key, value)
    blob = git.Git(repository.folder).ask("rev-parse", "HEAD:a.md").decode().strip()
    (repository.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    history(repository.folder)
    folder_dates(repository.folder)
    assert not ran.exists()


def test_content_that_a_partial_clone_lacks_is_a_problem_of_its_file(repository, tmp_path):
    text = "".join(f"line {number}\n" for number in range(20))
    repository.commit(0, a="one", b=text)
    repository.commit(10, a="two", b=f"{text}more\n")
    repository.git("mv", "b.md", "c.md")
    repository.commit(20, c=f"{text}and more\n")
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--no-local", "--filter=blob:none", repository.folder.as_uri(), str(clone))
    items = history(clone)
    assert [event[:2] for event in told(items)] == [(10, "a.md"), (20, "b.md"), (20, "c.md")]
    assert {(p.document, p.remedy, p.lost) for p in problems(items)} == {
        (name, "git fetch --refetch --no-filter", bool(name)) for name in ("", "a.md", "b.md")
    }
    with asof.open(tmp_path) as corpus:
        assert corpus.add(clone, history=True).failed == 2
        Repository(clone).git("fetch", "-q", "--refetch", "--no-filter")
        report = corpus.add(clone, history=True)
        assert (report.failed, len(corpus.at().documents())) == (0, 2)
