"""CPython 3.11.0 to 3.11.4 (Debian 12 has 3.11.2) loops for ever on possessive quantifiers of groups."""

from __future__ import annotations

import re
from pathlib import Path

import asof

POSSESSIVE_GROUP = re.compile(r"(?<!\\\\)\)(?:[*+?]|\{\d*,?\d*\})\+")


def test_no_pattern_has_a_possessive_group() -> None:
    assert POSSESSIVE_GROUP.search(r"(?:ab)*+")
    assert not POSSESSIVE_GROUP.search(r"(?>(?:ab)*)[a-z]*+")
    sources = Path(asof.__file__).parent.rglob("*.py")
    found = [
        f"{path.name}: {line.strip()}"
        for path in sources
        for line in path.read_text(encoding="utf-8").splitlines()
        if POSSESSIVE_GROUP.search(line) and not line.lstrip().startswith("#")
    ]
    assert found == []
