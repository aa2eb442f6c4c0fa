"""Results outlive the view that they came from: each score explains itself when the corpus has changed or is
closed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import asof
from asof import recipes
from asof.documents import Document, Link, SourcedTime
from asof.time.moment import read
from asof.wire import encode


def document(name: str, text: str, *links: str) -> Document:
    published = SourcedTime(read("2020-01-01", datetime(2026, 1, 1, tzinfo=UTC)), "2020-01-01", "metadata")
    return Document(name, text, published=published, links=tuple(map(Link, links)), tags=("news",))


@pytest.fixture
def corpus(tmp_path):
    with asof.open(tmp_path) as corpus:
        corpus.add([
            document("mole", "The crane on the mole.", "net"), document("net", "A crane and a net.", "mole"),
            document("bell", "The bell beside the crane.", "net"),
        ])  # fmt: skip
        yield corpus


@pytest.mark.parametrize("name", recipes.NAMES)
@pytest.mark.parametrize("unit", ["passage", "document"])
def test_what_was_found_explains_itself_later(corpus, name, unit):
    hits = corpus.at("2020-06").search("crane", recipe=name, unit=unit).hits
    assert len(hits) == 3
    told = [encode(hit.why) for hit in hits]
    for gone in ("mole", "net", "bell"):  # with them go all links, and all that has the tag
        corpus.purge(gone)
    assert [encode(hit.why) for hit in hits] == told
    corpus.close()
    assert [hit.why.recomputed() for hit in hits] == [hit.score for hit in hits]
