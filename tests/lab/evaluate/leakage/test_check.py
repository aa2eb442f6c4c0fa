"""What counts as a difference between two answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from asof.corpus.corpus import open as open_corpus
from asof.extensions.lab.leakage import difference
from asof.time.moment import read
from asof.values import Document, SourcedTime


def _edition(year: str, price: str) -> Document:
    text = f"A single ticket for the ferry costs {price} from the first of May on, a return ticket twice."
    return Document(f"fares-{year}", text, f"Ferry fares {year}", SourcedTime(read(year), year, "metadata"))


def test_what_superseded_a_hit_is_compared(tmp_path: Path) -> None:
    with open_corpus(tmp_path) as corpus:
        corpus.add([_edition("2001", "4.00"), _edition("2002", "5.00")])
        hits = corpus.at("2003").search("single ticket").hits
    older = next(hit for hit in hits if hit.document == "fares-2001")
    newer = next(hit for hit in hits if hit.document == "fares-2002")
    assert older.superseded is not None
    assert (older.superseded.id, older.superseded.document) == (newer.id, "fares-2002")
    assert newer.superseded is None
    assert difference(hits, hits) is None
    alone = [replace(hit, superseded=None) for hit in hits]
    assert difference(hits, alone) == (older.rank, "superseded", newer.id, None)
    assert difference(hits, hits[:1]) == (2, "hits", hits[1].id, None)
