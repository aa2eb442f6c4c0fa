"""A town whose reports stay right for years and whose notes are written anew each week."""

from __future__ import annotations

from typing import Any

STREETS = (
    "Alder", "Birch", "Cedar", "Damson", "Elder", "Gorse", "Hazel", "Juniper", "Kerria", "Larch", "Maple",
    "Nettle", "Olive", "Poplar", "Quince", "Rowan", "Sorrel", "Thistle", "Vetch", "Willow",
)  # fmt: skip
WEEKS = ("2024-01-09", "2024-01-16", "2024-01-23", "2024-01-30")
ASKED = "2024-01-31"


def question(street: str) -> str:
    return f"{street}lamp {street}wick {street}oil"


def documents() -> list[dict[str, Any]]:
    """For each street a report of 2021 that says all three words that are asked, and a note in four versions
    that says two. The report loses by its age, until its kind is known to last."""
    found: list[dict[str, Any]] = []
    for at, street in enumerate(STREETS):
        found.append(
            {"id": f"old-{at}", "timestamp": "2021-03-01", "text": question(street), "tags": ["report"]}
        )
        for week, fruit in zip(WEEKS, ("figs", "pears", "quinces", "plums"), strict=True):
            text = f"{street}lamp {street}wick and {fruit}"
            found.append({"id": f"new-{at}", "timestamp": week, "text": text, "tags": ["note"]})
    return found
