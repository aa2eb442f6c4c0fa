"""`.gitignore` and `.asofignore`, as git reads them."""

from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
import time
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.base import GitIgnorePatternError

from asof.documents import Problem
from asof.sources.files import FoundFile, IgnoreRules, _spec, walk
from asof.sources.source import SourceNaming

FILES = [
    "a.md", "b.md", "drafts/a.md", "drafts/b.md", "deep/drafts/c.md", "deep/x.md", "deep/er/x.md", "out/o.md",
    "keep/out/k.md", "sp ace.md", "#hash.md",
]  # fmt: skip

RULES = [
    {".gitignore": "b.md\n"},
    {".gitignore": "/b.md\n"},
    {".gitignore": "drafts/\n"},
    {".gitignore": "deep/**/x.md\n"},
    {".gitignore": "*.md\n!a.md\n"},
    {".gitignore": "# a.md\n\n\\#hash.md\n"},
    {".gitignore": "out\n", "keep/.gitignore": "!out\n"},
    {"deep/.gitignore": "x.md\n"},
    {".gitignore": "sp ace.md\n[\n"},
    {".gitignore": "a.md\r\nb.md\r\n"},
    {".gitignore": "**/d*e*p/**/er/**/*.m*\n"},
    {".gitignore": "[!b]*s/[+-b].md\n[z-a]\n"},  # no bracket is the slash of deep/drafts, the last is none
    {".gitignore": "deep[!a]x.md\ndeep[+-9]x.md\n"},
]


def folder(root: Path, rules: dict[str, str]) -> Path:
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("words")
    for name, text in rules.items():
        (root / name).write_bytes(text.encode())
    return root


def found(root: Path) -> set[str]:
    return {each.relative for each in walk(SourceNaming.of(root, root)) if isinstance(each, FoundFile)}


@pytest.mark.skipif(shutil.which("git") is None, reason="compared with git itself")
@pytest.mark.parametrize("rules", RULES)
def test_what_git_ignores_is_not_read(tmp_path, rules):
    root = folder(tmp_path, rules)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    wanted = {name for name in listed.stdout.split("\0") if name.endswith(".md")}
    assert found(root) == wanted


def test_rules_say_what_they_say_to_pathspec():
    """What makes them linear changes no meaning; brackets, which may be a slash there, are left out."""
    chance = random.Random(3)
    for _ in range(300):
        rule = "".join(chance.choices(["a", "b", "*", "**", "/", "?", "\\*", "/**/", "*b"], k=7))
        try:
            wanted = GitIgnoreSpec.from_lines([rule], backend="simple")
        except GitIgnorePatternError:
            continue
        rules = IgnoreRules([("", _spec([rule]))])
        for _ in range(20):
            names = ("".join(chance.choices("ab*", k=3)) for _ in range(chance.randint(1, 6)))
            path = "/".join(name[: chance.randint(1, 3)] for name in names)
            assert rules.ignore(path, folder=False) == bool(wanted.check_file(path).include), (rule, path)


@pytest.mark.parametrize(
    ("rule", "part", "count"),
    [
        ("a*" * 100 + "b", "a" * 200, 1), ("*?" * 50 + "b", "a" * 200, 1), ("*[!b]" * 50 + "b", "a" * 200, 1),
        ("a**" * 100 + "b", "a" * 200, 1), ("**/a/" * 50 + "b", "a", 2000), ("*a*/" * 100 + "b", "aa", 999),
    ],
)  # fmt: skip
def test_a_rule_takes_a_time_that_grows_with_its_path(rule, part, count):
    """With choices that multiply each takes longer than anybody waits: 200 over 100 ways for the first."""
    rules = IgnoreRules([("", _spec([rule]))])
    started = time.process_time()
    assert not rules.ignore("/".join([part] * count), folder=False)
    assert time.process_time() - started < 1.0


def test_asofignore_counts_more(tmp_path):
    root = folder(tmp_path, {".gitignore": "a.md\n", ".asofignore": "!/a.md\nout/\n"})
    assert found(root) == set(FILES) - {"drafts/a.md", "out/o.md", "keep/out/k.md"}


@pytest.mark.parametrize("name", [".gitignore", "deep/.asofignore"])
@pytest.mark.parametrize("kind", ["pipe", "device", "link", "folder"])
def test_rules_in_what_is_no_file_do_not_count(tmp_path, name, kind):
    """Neither does git follow a link there; a pipe is not waited for."""
    root = folder(tmp_path / "in", {"keep/.gitignore": "k.md\n"})
    (tmp_path / "rules").write_text("*.md\n")
    if kind == "pipe":
        os.mkfifo(root / name)
    elif kind == "folder":
        (root / name).mkdir()
    else:
        (root / name).symlink_to("/dev/zero" if kind == "device" else tmp_path / "rules")
    (problem,) = (each for each in walk(SourceNaming.of(root, root)) if isinstance(each, Problem))
    assert (problem.file, problem.message, problem.remedy, problem.lost) == (
        name, "is a link or no file: its rules do not count", "put a file in its place", False
    )  # fmt: skip
    assert found(root) == set(FILES) - {"keep/out/k.md"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_device_holds_no_rules(tmp_path):
    root = folder(tmp_path, {})
    try:
        os.mknod(root / ".gitignore", 0o600 | stat.S_IFCHR, os.makedev(240, 99))  # nothing drives it
    except PermissionError:
        pytest.skip("no device can be made here")
    assert found(root) == set(FILES)


def test_without_rules_all_is_read(tmp_path):
    assert found(folder(tmp_path, {".gitignore": "# nothing\n"})) == set(FILES)
