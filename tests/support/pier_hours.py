"""Notes of which one is edited and another repeats what it said, so that this is stale."""

from __future__ import annotations

from tests.support.answers import doc

from asof.data import Document

OLD = "The pier is open from 9:00 to 17:00."
NEW = "The pier is open from 9:00 to 19:00."
EDITED = "2023-04-11"

BEFORE = [
    doc("guide.md", "2021-03-01", f"A day at the shore. {OLD} Bring a hat.", "Guide"),
    doc("pier.md", "2021-02-01", OLD, "Pier"),
    doc("ferries.md", "2021-02-01", "The ferry to the island leaves from the east quay at noon.", "Ferries"),
    doc("boats.md", "2021-02-01", "The red boat is painted every spring by the crew.", "Boats"),
]


def edit(id_: str = "pier.md", text: str = NEW) -> Document:
    """The edit of a note."""
    return doc(id_, EDITED, text, id_.removesuffix(".md").title())
