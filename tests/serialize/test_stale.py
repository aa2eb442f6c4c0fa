"""What is stale as JSON: the shape that is documented, and a sentence that says why."""

from __future__ import annotations

import pytest
from tests.support.json_schema import faults
from tests.support.stale_values import DAY, placed, quote, report, stale

from asof.extensions.facts.current import LINK, PASSED, STALE_KINDS, UNWRITTEN
from asof.results import schema
from asof.wire import encode


@pytest.mark.parametrize("explain", [False, True])
@pytest.mark.parametrize("kind", STALE_KINDS)
def test_the_shape_is_what_is_documented(kind: str, *, explain: bool) -> None:
    one = placed(stale(kind=kind))
    other = placed(stale(kind=kind, by=None))
    value = encode(report(one, other, more=3), *(["explain"] if explain else []))
    assert faults(value, schema("stale")) == []
    assert (value["more"], value["known_at"]) == (3, None)
    first, second = value["stale"]
    assert (first["document"], first["quote"], first["line"]) == ("old.md", "The free plan has 10 GB.", 7)
    assert first["published"] is not None
    assert first["published"]["text"] == "2021-03"
    assert first["by"] == {
        "document": "new.md", "title": "New", "quote": "The free plan has 50 GB.", "line": 4,
        "published": None,
    }  # fmt: skip
    assert second["by"] is None
    assert first["since"] == "1970-01-31T00:00:00Z"
    assert ("explain" in first) == explain


SENTENCES = {
    LINK: "it links to what changed on 1970-01-31; this has stood here since",
    PASSED: "it speaks from its own time: it has stood here unchanged since",
}


@pytest.mark.parametrize("kind", SENTENCES)
def test_a_sentence_for_each_kind(kind: str) -> None:
    assert stale(kind=kind).reason == f"{SENTENCES[kind]} 1970-01-01"


@pytest.mark.parametrize(
    ("kind", "why"),
    [(UNWRITTEN, "nothing of that name was ever here"), (LINK, "it links to what had changed before")],
)
def test_a_link_that_was_written_after_what_it_is_stale_for(kind: str, why: str) -> None:
    said = stale(quote(since=30 * DAY), None, kind, cause=30 * DAY).reason
    assert said == f"{why}; the sentence is known since 1970-01-31"
