"""Recording where the corpus cannot be written to: the search is shown, and one line says why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import asof
from asof.data import Document

pytestmark = pytest.mark.slow

WITHOUT_RIGHTS = """
import ctypes
libc = ctypes.CDLL(None)
header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert libc.capget(header, sets) == 0
sets[0] &= ~(1 << 1)
assert libc.capset(header, sets) == 0
"""
"""Root may write everywhere; a child of root gives up that right (CAP_DAC_OVERRIDE)."""


@pytest.fixture
def read_only(memory_folder: Path) -> Iterator[Path]:
    """A corpus that nobody may write."""
    with asof.open(memory_folder) as corpus:
        corpus.add([Document("pier", "The pier is closed.")])
    folder = memory_folder / ".asof"
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield memory_folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)


def test_a_search_is_shown_all_the_same(read_only: Path, run_asof: Any) -> None:
    before = WITHOUT_RIGHTS if os.getuid() == 0 else ""
    plain = run_asof("search", "pier", "--as-of", "2090", "--index", read_only, cwd=Path("/"))
    said = run_asof(
        "search", "pier", "--as-of", "2090", "--record", "--index", read_only, before=before, cwd=Path("/")
    )
    assert (said.returncode, said.stdout) == (0, plain.stdout)
    assert said.stderr.startswith("not recorded: ")
    assert len(said.stderr.splitlines()) == 1
