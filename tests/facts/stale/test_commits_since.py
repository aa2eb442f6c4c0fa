"""Revisions of git: which commits came since, and nothing that git could take for an option."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from asof.errors import UsageError
from asof.extensions.facts.stale import CommitsSince, commits_since

DAY = 86_400


def git(folder: Path, *arguments: str, at: int = 0) -> None:
    dates = {f"GIT_{who}_DATE": f"@{at} +0000" for who in ("AUTHOR", "COMMITTER")}
    names = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", "-C", folder, *arguments], check=True, env=os.environ | dates | names)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Commits at days 10, 20, 30 on main; `side`, from the first on, has one of day 15."""
    git(tmp_path, "init", "-q", "-b", "main")
    for day in (10, 20, 30):
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x", at=day * DAY)
    git(tmp_path, "checkout", "-q", "-b", "side", "HEAD~2")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x", at=15 * DAY)
    return tmp_path


def test_the_commits_that_head_has_and_the_revision_has_not(repository: Path) -> None:
    assert commits_since(repository, "HEAD~1") == CommitsSince(frozenset({15 * DAY}), 15 * DAY)
    assert commits_since(repository, "main").times == {15 * DAY}, "older than the tip of main, and not on it"
    assert commits_since(repository, "HEAD").times == frozenset()


def test_a_change_counts_by_the_second_of_its_commit(repository: Path) -> None:
    since = commits_since(repository, "HEAD~1")
    last = 15 * DAY * 10**6 + 999_999
    assert since.made(last)
    assert since.made(last + 1), "no commit has it yet"
    assert not since.made(15 * DAY * 10**6 - 1)
    assert not commits_since(repository, "HEAD").made(last)


@pytest.mark.parametrize(
    ("revision", "said"),
    [
        ("--output=x", "begins with -"),
        ("-1", "begins with -"),
        ("nope", "is no time, and no commit of the repository"),
        ("HEAD~9", "no commit"),
        ("", "no commit"),
        ("HEAD^{tree}", "no commit"),
        ("HEAD HEAD~1", "no commit"),
        ("HEAD..main", "no commit"),
        ("$(touch x)", "no commit"),
    ],
)
def test_what_is_no_commit_is_refused(repository: Path, revision: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        commits_since(repository, revision)
    assert "accepted: a date or a period" in str(raised.value)
    assert sorted(each.name for each in repository.iterdir()) == [".git"]


def test_a_folder_without_a_repository(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is in no git work tree; accepted: a date"):
        commits_since(tmp_path, "HEAD")


def test_a_commit_that_is_dated_before_its_parent_counts_with_both_dates(repository: Path) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "x", at=12 * DAY)
    git(repository, "commit", "-q", "--allow-empty", "-m", "x", at=40 * DAY)
    assert commits_since(repository, "HEAD~2") == CommitsSince(
        frozenset({12 * DAY, 15 * DAY, 40 * DAY}), 40 * DAY
    )
