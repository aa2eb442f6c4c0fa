"""Repositories of others: what they can have git read, and which repository a `.git` is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.sources.test_history import Repository, folder_dates, history, told

from asof.errors import SourceError
from asof.sources.git import repository_of

SECONDS = 60
"""Far more than a history of two commits takes, and far less than git is given (`TIMEOUT`)."""

TEXT = "".join(f"line {number}\n" for number in range(20))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.commit(0, a=TEXT)
    made.git("mv", "a.md", "b.md")
    made.commit(10, b=f"{TEXT}more\n")
    return made


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """Another repository of the user, which is not to be read through that of somebody else."""
    made = Repository(tmp_path / "private")
    made.commit(0, diary="my secret")
    return made.folder


def refused(folder: Path, said: str) -> None:
    """No history is read, and no dates."""
    with pytest.raises(SourceError, match=said):
        history(folder)
    assert all(by != "git" for by, _ in folder_dates(folder).values())


@pytest.mark.parametrize(
    "key", ["diff.orderFile", "mailmap.file", "core.attributesFile", "core.excludesFile"]
)
@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_no_file_that_settings_name_is_read(
    repository: Repository, tmp_path: Path, key: str, kind: str
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    repository.git("config", "log.mailmap", "true")
    repository.git("config", key, str(pipe) if kind == "pipe" else "/dev/zero")
    begun = time.monotonic()
    assert told(history(repository.folder))[-1] == (10, "b.md", f"{TEXT}more")
    assert folder_dates(repository.folder) == {"b.md": ("git", 10)}
    assert time.monotonic() - begun < SECONDS


@pytest.mark.parametrize(
    "included", ["{pipe}", "/dev/zero", "{link}", "%(prefix)/x", "{itself}", "~/../../dev/zero"]
)
@pytest.mark.parametrize("key", ["include.path", "includeIf.gitdir:/**.path", "INCLUDE.PATH"])
def test_settings_include_files_only(repository: Repository, tmp_path: Path, included: str, key: str) -> None:
    pipe, link, itself = tmp_path / "pipe", tmp_path / "link", repository.folder / ".git" / "itself"
    os.mkfifo(pipe)
    link.symlink_to("/dev/zero")
    itself.write_text(f"[include]\npath = {pipe}\n")
    if included.startswith("~"):
        included = f"{os.path.relpath('/', Path.home())}/dev/zero".join(("~/", ""))
    repository.git("config", key, included.format(pipe=pipe, link=link, itself="itself"))
    begun = time.monotonic()
    refused(repository.folder, "is a link or no file|includes too much")
    assert time.monotonic() - begun < SECONDS


def test_settings_may_include_files(repository: Repository) -> None:
    (repository.folder / "shared.conf").write_text("[user]\nname = x\n[include]\npath = missing\n")
    repository.git("config", "include.path", "../shared.conf")
    assert told(history(repository.folder))[-1][:2] == (10, "b.md")
    (repository.folder / "shared.conf").write_text("[include]\npath = shared.conf\n")
    refused(repository.folder, "includes too much")


def test_git_has_limits_of_memory(repository: Repository) -> None:
    """What no setting excludes ends there: all that git allocates is limited."""
    (repository.folder / ".git" / "info" / "attributes").symlink_to("/dev/zero")
    begun = time.monotonic()
    assert told(history(repository.folder))[-1] == (10, "b.md", f"{TEXT}more")
    assert time.monotonic() - begun < SECONDS


def gitfile(folder: Path, private: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {private}/.git\n")


def link_to_folder(folder: Path, private: Path) -> None:
    (folder / ".git").symlink_to(private / ".git")


def link_to_secret(folder: Path, private: Path) -> None:
    (folder / ".git").symlink_to(private / "diary.md")


def made(folder: Path) -> Path:
    return Repository(folder).folder / ".git"


def common(folder: Path, private: Path) -> None:
    (made(folder) / "commondir").write_text(f"{private}/.git\n")


def linked_common(folder: Path, private: Path) -> None:
    (private / "path").write_text(f"{private}/.git")
    (made(folder) / "commondir").symlink_to(private / "path")


def forged(folder: Path, private: Path) -> None:
    """A `.git` beside the folder that names it, and shares the history of another one."""
    beside = made(folder.parent / "beside")
    (beside / "gitdir").write_text(f"{folder}/.git\n")
    (beside / "commondir").write_text(f"{private}/.git\n")
    (folder / ".git").write_text(f"gitdir: {beside}\n")


def linked_branches(folder: Path, private: Path) -> None:
    """Objects may come from elsewhere; which of them are read, only its own branches say."""
    place = made(folder)
    (place / "objects" / "info" / "alternates").write_text(f"{private}/.git/objects\n")
    (place / "refs" / "heads" / "main").symlink_to(private / ".git" / "refs" / "heads" / "main")


def linked_refs(folder: Path, private: Path) -> None:
    place = made(folder)
    (place / "objects" / "info" / "alternates").write_text(f"{private}/.git/objects\n")
    (place / "refs").rename(place / "other")
    (place / "refs").symlink_to(private / ".git" / "refs")


def not_the_nearest(folder: Path, private: Path) -> None:
    """git passes over a `.git` that is none, and takes one above."""
    gitfile(folder.parent, private)
    (folder / ".git").mkdir()


@pytest.mark.parametrize(
    "lead",
    [gitfile, link_to_folder, link_to_secret, common, linked_common, forged, linked_branches, linked_refs,
     not_the_nearest],
)  # fmt: skip
def test_no_other_repository_is_read(
    tmp_path: Path, private: Path, lead: Callable[[Path, Path], None]
) -> None:
    folder = tmp_path / "of-others" / "folder"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("words")
    lead(folder, private)
    with pytest.raises(SourceError) as wrong:
        history(folder)
    assert "secret" not in str(wrong.value)
    assert set(folder_dates(folder)) == {"a.md"}
    assert folder_dates(folder)["a.md"][0] != "git"


def test_work_trees_submodules_and_folders_of_their_own(repository: Repository, tmp_path: Path) -> None:
    repository.git("worktree", "add", str(tmp_path / "tree"))
    assert told(history(tmp_path / "tree"))[-1][:2] == (10, "b.md")

    whole = Repository(tmp_path / "whole")
    add = ("submodule", "add", "-q", str(repository.folder), "part")
    whole.git("-c", "protocol.file.allow=always", *add)
    assert (whole.folder / ".git" / "modules" / "part").is_dir()
    assert told(history(whole.folder / "part"))[-1][:2] == (10, "b.md")

    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare" / ".bare"))
    (tmp_path / "bare" / ".git").write_text("gitdir: ./.bare\n")
    bare = Repository.__new__(Repository)
    bare.folder = tmp_path / "bare"
    bare.git("worktree", "add", "main")
    assert told(history(bare.folder / "main"))[-1][:2] == (10, "b.md")

    repository.git("clone", "-q", "--shared", ".", str(tmp_path / "shared"))
    assert told(history(tmp_path / "shared"))[-1][:2] == (10, "b.md")


def test_a_repository_elsewhere_has_to_name_the_folder(repository: Repository, tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    repository.git("clone", "-q", "--separate-git-dir", str(elsewhere), ".", str(folder))
    refused(
        folder, f"elsewhere, a repository that does not name .*git config --file {elsewhere}/config core.work"
    )
    repository.git("config", "--file", str(elsewhere / "config"), "core.worktree", str(folder))
    assert repository_of(folder) == elsewhere
    assert told(history(folder))[-1][:2] == (10, "b.md")
