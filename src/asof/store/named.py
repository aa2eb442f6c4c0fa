"""The documents that are called exactly so: by title, alias, file name or id."""

from __future__ import annotations

import json
from itertools import islice

from asof.store.reader import AsOfReader
from asof.store.schema import LAST_NAME

ENDINGS = ("", ".md", ".markdown", ".txt", ".html", ".htm", ".rst", ".pdf")
"""What a file name may have behind the name that it is called by."""

LONGEST, MOST = 300, 100
"""The most characters of a name that is looked up; a name that more current documents have names none."""

_NAMED = f"""
SELECT document FROM heads WHERE title = ?1 COLLATE NOCASE
UNION SELECT id FROM documents WHERE name IN (SELECT value FROM json_each(?2))
UNION SELECT id FROM documents WHERE {LAST_NAME} COLLATE NOCASE IN (SELECT value FROM json_each(?2))
UNION SELECT v.document FROM aliases AS a JOIN versions AS v ON v.id = a.version
    WHERE a.alias = ?1 COLLATE NOCASE
"""

_CALLED = f"""
SELECT v.document FROM versions AS v JOIN documents AS d ON d.id = v.document JOIN heads AS h ON h.id = v.head
WHERE v.id = (
    SELECT id FROM versions WHERE document = ?1 AND visible <= ?2 AND added <= ?3
    AND (retired IS NULL OR retired > ?3) ORDER BY visible DESC, added DESC, id DESC LIMIT 1
) AND (
    h.title = ?4 COLLATE NOCASE OR d.name IN (SELECT value FROM json_each(?5))
    OR {LAST_NAME.replace("name", "d.name")} COLLATE NOCASE IN (SELECT value FROM json_each(?5))
    OR EXISTS (SELECT 1 FROM aliases AS a WHERE a.version = v.id AND a.alias = ?4 COLLATE NOCASE)
)
"""


def called(store: AsOfReader, name: str) -> list[int]:
    """The numbers of current documents with this title, alias, file name (its ending may be left out) or id,
    ascending; none where they are more than MOST. The case of ASCII letters does not count."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST or name != name.encode(errors="ignore").decode():
        return []  # half a surrogate pair, as of a terminal's bytes that are no text, is in no name
    files = json.dumps([name + ending for ending in ENDINGS])
    once = [row[0] for row in store.db.execute(_NAMED, (name, files))]
    now = (store.as_of, store.known_at, name, files)
    current = (document for document in once if store.db.execute(_CALLED, (document, *now)).fetchone())
    every = sorted(islice(current, MOST + 1))
    return every if len(every) <= MOST else []
