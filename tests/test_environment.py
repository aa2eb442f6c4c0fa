"""The environment: who reads it."""

from __future__ import annotations

import re
from pathlib import Path

import asof

_READS = re.compile(r"\bos\.(?:environ|environb|getenv)\b")


def test_the_environment_is_read_where_the_architecture_says() -> None:
    root = Path(asof.__file__).parent
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if _READS.search(path.read_text("utf-8"))
    }
    assert found == {"environment.py", "sources/git.py", "cli/main.py", "cli/terminal.py"}
