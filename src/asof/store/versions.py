"""Which versions of documents are stored, by the number that their sources gave them; which were erased."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from hashlib import blake2b

from asof.sources.scheme import ERASED
from asof.store.schema import set_meta


def numbered(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, set[int]]:
    """The numbers (`version` of the metadata) of all versions of these documents, as far as they have one.

    Of a document that was erased for good, and is not here again, it is `ERASED`.
    """
    names = list(names)
    found = db.execute(
        "SELECT d.name, json_extract(h.meta, '$.version') FROM json_each(?) AS wanted"
        " JOIN documents AS d ON d.name = wanted.value LEFT JOIN versions AS v ON v.document = d.id"
        " AND v.retired IS NULL LEFT JOIN heads AS h ON h.id = v.head",
        (json.dumps(names),),
    )
    numbers: dict[str, set[int]] = {}
    here = set()
    for name, number in found:
        here.add(name)
        if isinstance(number, int):
            numbers.setdefault(name, set()).add(number)
    absent = (name for name in names if name not in here)
    return numbers | {name: {ERASED} for name in _erased(db, absent)}


def never_again(db: sqlite3.Connection, name: str) -> None:
    """Remember that a document was erased for good. What is kept is a digest of its name: who knows the name
    can ask whether it was erased, and it can be read from nothing."""
    set_meta(db, _digest(name), "")


def _erased(db: sqlite3.Connection, names: Iterable[str]) -> Iterable[str]:
    """Those of these documents that were erased for good."""
    names = {_digest(name): name for name in names}
    found = db.execute(
        "SELECT wanted.value FROM json_each(?) AS wanted JOIN meta ON meta.key = wanted.value",
        (json.dumps(list(names)),),
    )
    return [names[key] for (key,) in found]


def _digest(name: str) -> str:
    """The key of `meta` under which it is kept that a document was erased."""
    return f"erased {blake2b(name.encode(), digest_size=16).hexdigest()}"
