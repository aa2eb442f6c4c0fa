"""Which versions of documents are stored, by the number that their sources gave them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable


def numbered(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, set[int]]:
    """The numbers (`version` of the metadata) of all versions of these documents, as far as they have one."""
    found = db.execute(
        "SELECT d.name, json_extract(h.meta, '$.version') FROM json_each(?) AS wanted"
        " JOIN documents AS d ON d.name = wanted.value JOIN versions AS v ON v.document = d.id"
        " JOIN heads AS h ON h.id = v.head WHERE v.retired IS NULL",
        (json.dumps(list(names)),),
    )
    numbers: dict[str, set[int]] = {}
    for name, number in found:
        if isinstance(number, int):
            numbers.setdefault(name, set()).add(number)
    return numbers
