"""What was known at K is shown as K, whenever the corpus was last written."""

from __future__ import annotations

import itertools

import asof
from asof.extensions.facts.indexer import facts as known_facts
from asof.time.moment import read
from asof.time.span import iso

K, ITS_LAST = "2025-03-01", "2025-03-01T23:59:59.999999Z"


def test_an_answer_says_the_moment_that_was_asked_for(memory_folder, document) -> None:
    """The last write before it would tell whether anything was learned in between."""
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        corpus.session.clock = itertools.count(read("2025-01").first).__next__
        corpus.add([document("a", "the ferry", "2024")])
        before = shown(corpus.at("2024", K))
        corpus.session.clock = itertools.count(read("2025-05").first).__next__
        corpus.add([document("b", "another ferry", "2024")])
        assert before == shown(corpus.at("2024", K)) == [ITS_LAST] * 3


def shown(then: asof.Snapshot) -> list[str]:
    found = (then.search("ferry").view, then.timeline("ferry"), known_facts(then, "ferry"))
    return [iso(each.known_at) for each in found]
