"""A dataset that tuning learns from: of each street an old report is right, and a note of yesterday leads."""

from __future__ import annotations

from typing import Any

STREETS = (
    "Alder", "Birch", "Cedar", "Damson", "Elder", "Gorse", "Hazel", "Juniper", "Kerria", "Larch", "Maple",
    "Nettle", "Olive", "Poplar", "Quince", "Rowan", "Sorrel", "Thistle", "Vetch", "Willow",
)  # fmt: skip


def streets() -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[tuple[str, str, int]]]:
    """Documents, questions and judgements. The old report says all three words that are asked, the note of
    the day before the question two of them. Its likeness by n-grams of letters is about .8, so that it leads
    with .4 · .8 + .25 · exp(-.05) + .25 · .8 + .1 = .86 against .4 + .25 + .1 = .75. Weights of .6, .1, .2
    and .1 give it .84 against .9."""
    documents, questions, judged = [], [], []
    for at, street in enumerate(STREETS):
        asked = f"{street}lamp {street}wick {street}oil"
        noted = f"{street}lamp {street}wick and plums"
        documents.append({"id": f"old-{at}", "timestamp": "2021-03-01", "text": asked})
        documents.append({"id": f"new-{at}", "timestamp": "2024-01-30", "text": noted})
        questions.append({"id": f"q{at}", "text": asked, "asked_at": "2024-01-31"})
        judged.append((f"q{at}", f"old-{at}", 1))
    return documents, questions, judged
