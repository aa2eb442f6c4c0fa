"""Since when and until when passages are in force, by what is stated of each.

That is its metadata, the heading that dates its section, or its own words (`asof.store.digest`); else it
holds since it was published. The end of a dated section is open until the next one of its document begins
that says the same with other values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.view import View
from asof.revisions.chains import succession
from asof.store.digest import FORCE, SECTION
from asof.time.span import BEGINNING, NEVER

SAME, MOST = 0.5, 256
"""The least similarity of the words of two dated sections of which the later ends the other; the most
passages of a document that are looked at."""


class ForceColumns(NamedTuple):
    """Since when and until when rows (n) are in force, instants, both included; whether that is `known`;
    whether a heading dates their `section`; whether their beginning is `stated`."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    known: NDArray[np.bool_]
    section: NDArray[np.bool_]
    stated: NDArray[np.bool_]


def validity(view: View, rows: NDArray[np.int64]) -> ForceColumns:
    """When these rows are in force: as is stated of them, else since they are published, without an end."""
    said, dated = view.column("said", rows), view.column("dated", rows).astype(bool)
    about = view.about(rows)
    of_row = np.repeat(np.arange(len(rows)), np.diff(about.offsets))
    stated = about.kind <= FORCE
    begun = stated & (about.first > BEGINNING)
    first, last = np.full(len(rows), NEVER), np.full(len(rows), BEGINNING)
    np.minimum.at(first, of_row[begun], about.first[begun])
    np.maximum.at(last, of_row[stated], about.last[stated])
    begins = np.where(first < NEVER, first, said)
    return ForceColumns(
        begins, np.where(last > BEGINNING, last, NEVER), dated | (first < NEVER),
        about.stated((SECTION, SECTION)), first < NEVER,
    )  # fmt: skip


def next_section(view: View, rows: NDArray[np.int64], held: ForceColumns) -> NDArray[np.int64]:
    """For each row in a dated section when the next one of its document begins that says the same with other
    values, by its words (SAME of them); NEVER without."""
    follows = np.full(len(rows), NEVER)
    for at in np.flatnonzero(held.section).tolist():
        others = view.rows_of_document(int(view.column("document", rows[at : at + 1])[0]))[:MOST]
        begins, _, _, section, _ = validity(view, others)
        others = others[section & (begins > held.begins[at])]
        begins = begins[section & (begins > held.begins[at])]
        if len(others):
            shared = succession(view).shared_words(np.append(rows[at], others))[0, 1:]
            follows[at] = min(begins[shared >= SAME].tolist(), default=NEVER)
    return follows
