"""A dataset of one case: the hours of a museum on a pier, which one note has new and another old."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Lines = Callable[..., Path]

OLD, NEW = (
    f"The harbour museum on the pier closes at {hour} on working days." for hour in ("17:00", "19:00")
)
SHOP = "The shop sells rope, tar and lamps."
DOCUMENTS: list[dict[str, Any]] = [
    {"id": "pier.md", "published": "2021-01-04", "text": f"# Pier\n\n{OLD}"},
    {"id": "visit.md", "published": "2021-01-05", "text": f"# Visit\n\n{OLD}"},
    {"id": "shop.md", "published": "2021-01-06", "text": f"# Shop\n\n{SHOP}"},
    {
        "id": "ferry.md",
        "published": "2021-01-07",
        "text": "# Ferry\n\nThe ferry to the island leaves from the east landing at noon.",
    },
    {
        "id": "crane.md",
        "published": "2021-01-08",
        "text": "# Crane\n\nThe old crane lifts barrels and the new crane lifts cars.",
    },
    {"id": "pier.md", "published": "2022-03-01", "text": f"# Pier\n\n{NEW}"},
]
CASE: dict[str, Any] = {
    "case": "pier", "documents": "pier.jsonl", "as_of": "2022-12-31",
    "expected": [
        {"document": "visit.md", "quote": OLD, "by": ["pier.md"], "new": NEW, "kind": "value",
         "old_value": "17:00", "new_value": "19:00"},
    ],
    "harmless": [{"document": "shop.md", "quote": SHOP, "why": "other subject"}],
    "neutral": [],
}  # fmt: skip


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    """Writes a dataset of some cases and the documents of pier.jsonl; the defaults are the pier."""

    def write(*cases: Any, documents: list[dict[str, Any]] = DOCUMENTS) -> Path:
        folder = tmp_path / "pier"
        folder.mkdir(exist_ok=True)
        for name, values in (("cases.jsonl", cases or (CASE,)), ("pier.jsonl", documents)):
            written = [each if isinstance(each, str) else json.dumps(each) for each in values]
            (folder / name).write_text("".join(f"{each}\n" for each in written), encoding="utf-8")
        return folder

    return write
