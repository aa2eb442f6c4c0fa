"""A town and its lamps: for each street an old report that is right, and a newer note that is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

STREETS = (
    "Alder", "Birch", "Cedar", "Damson", "Elder", "Fig", "Gorse", "Hazel", "Ivy", "Juniper", "Kerria",
    "Larch", "Maple", "Nettle", "Olive", "Poplar", "Quince", "Rowan", "Sorrel", "Thistle", "Ulex", "Vetch",
    "Willow", "Yew",
)  # fmt: skip


def lamps() -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[tuple[str, str, int]]]:
    """Documents, questions and judgements. The old report says all three words that are asked, the note of
    the day before the question two of them. Its likeness by n-grams of letters is about .8, so that it leads
    with .4 · .8 + .25 · exp(-.05) + .25 · .8 + .1 = .86 against .4 + .25 + .1 = .75. Weights of .6, .1, .2
    and .1 give it .84 against .9."""
    documents, questions, judged = [], [], []
    for at, street in enumerate(STREETS):
        asked = f"{street}lamp {street}wick {street}oil"
        documents.append({"id": f"old-{at}", "timestamp": "2021-03-01", "text": asked})
        noted = f"{street}lamp {street}wick and plums"
        documents.append({"id": f"new-{at}", "timestamp": "2024-01-30", "text": noted})
        questions.append({"id": f"q{at}", "text": asked, "asked_at": "2024-01-31"})
        judged.append((f"q{at}", f"old-{at}", 1))
    return documents, questions, judged


def write_dataset(folder: Path) -> Path:
    documents, questions, judged = lamps()
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in (("corpus", documents), ("queries", questions)):
        text = "".join(f"{json.dumps(value)}\n" for value in values)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "qrels.tsv").write_text("".join("\t".join(map(str, each)) + "\n" for each in judged))
    return folder


@pytest.fixture
def town(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "town")
