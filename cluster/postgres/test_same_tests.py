"""Tests of the store, the index and the threads of a session, every corpus with its truth in PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("folder", ["tests/store", "tests/index", "tests/corpus/test_session.py"])
def test_the_same_tests(folder: str, postgres: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
         "cluster.support.on_postgres", "-m", "not slow", "--hypothesis-profile=fast", "--tb=short", folder],
        cwd=ROOT, env={**os.environ, "ASOF_TEST_TRUTH": postgres, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-8_000:]
    assert " passed" in done.stdout
