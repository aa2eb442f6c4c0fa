"""The documents of a view, those that it has and those that it had: since when, until when."""

from __future__ import annotations

from typing import NamedTuple

from asof.index.view import View

SEEN = "v.visible <= ?1 AND v.added <= ?2 AND (v.retired IS NULL OR v.retired > ?2)"
"""SQL for a version that is visible at (?1, ?2)."""


class Life(NamedTuple):
    """A document: the instant from which it was visible, when the corpus learned of it, and whether no source
    dates it; the instant since which it is gone (None: it is there), and when the corpus learned of that.

    `version` is its last version that is no deletion, `title` and `meta` (JSON) are those of it; `first` is
    its first version.
    """

    name: str
    born: int
    learned: int
    undated: bool
    ended: int | None
    ended_learned: int
    first: int
    version: int
    title: str
    meta: str


def lives(view: View) -> dict[int, Life]:
    """All documents that a view has or had, by number."""
    key = "stale lives"
    if key not in view.memo:
        view.memo[key] = _lives(view)
    found: dict[int, Life] = view.memo[key]
    return found


def _lives(view: View) -> dict[int, Life]:
    moment = (view.as_of, view.known_at)
    db = view.store.db
    versions = db.execute(
        "SELECT v.document, v.visible, v.added, v.id, v.head, v.dated_by IN ('mtime', 'none')"
        f" FROM versions AS v WHERE {SEEN} ORDER BY v.document, v.visible, v.added, v.id", moment,
    ).fetchall()  # fmt: skip
    first: dict[int, tuple[int, int, bool, int]] = {}
    last: dict[int, tuple[int, int, int | None]] = {}
    said: dict[int, tuple[int, int]] = {}
    for document, visible, added, version, head, undated in versions:
        first.setdefault(document, (visible, added, bool(undated), version))
        last[document] = (visible, added, head)
        if head is not None:
            said[document] = version, head
    names: dict[int, str] = dict(db.execute("SELECT id, name FROM documents"))
    heads = {number: (title, meta) for number, title, meta in db.execute("SELECT id, title, meta FROM heads")}
    found: dict[int, Life] = {}
    for document, (visible, added, head) in last.items():
        born, learned, undated, begin = first[document]
        version, of_it = said.get(document, (begin, 0))
        title, meta = heads.get(of_it, ("", "{}"))
        ended = visible if head is None else None
        found[document] = Life(
            names[document], born, learned, undated, ended, added, begin, version, title, meta
        )
    return found
