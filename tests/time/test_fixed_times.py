"""Times that no anchor changes are read once for texts of all dates."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from asof.time.expressions import PLAIN, _fixed, _mentions

DAYS = ("1987-03-03", "2000-02-29", "2026-12-31")
ANCHORS = [datetime.fromisoformat(f"{day}T00:00+00:00") for day in DAYS]
FILES = sorted(Path(__file__).parent.glob("expressions_*.txt"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_text_without_a_relative_time_reads_alike_from_every_anchor(file):
    context = PLAIN._replace(language=file.stem.rpartition("_")[2])
    texts = [line.partition(" => ")[0] for line in file.read_text().splitlines()]
    read = {text: _fixed(text, context) for text in texts}
    fixed = {text: found for text, (found, relative) in read.items() if not relative}
    assert any(fixed.values())
    assert len(fixed) < len(texts)
    for anchor in ANCHORS:
        assert {text: _mentions(text, anchor, context) for text in fixed} == fixed
