"""`.gitignore` and `.asofignore`, as git reads them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from asof.sources.files import FoundFile, walk
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


def test_asofignore_counts_more(tmp_path):
    root = folder(tmp_path, {".gitignore": "a.md\n", ".asofignore": "!/a.md\nout/\n"})
    assert found(root) == set(FILES) - {"drafts/a.md", "out/o.md", "keep/out/k.md"}


def test_without_rules_all_is_read(tmp_path):
    assert found(folder(tmp_path, {".gitignore": "# nothing\n"})) == set(FILES)
