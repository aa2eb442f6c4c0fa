"""What shards tell of a question over time, of its hits, and of links, equals that of one corpus, to the last
bit: timelines, differences, contexts, why something is no hit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cluster.test_answers_in_shards import said
from tests.cluster.test_search_in_shards import SHARDS, search_of
from tests.support.histories import (
    ANY_HEALTH,
    BROAD,
    DAY,
    DENSE,
    HISTORIES,
    WORDS,
    Event,
    Histories,
    document,
    last_moment,
)
from tests.support.histories_in_shards import Layouts, layouts
from tests.support.shards import new_shards

import asof
from asof.cluster.snapshot import ShardedSnapshot, snapshot_of
from asof.data import Link
from asof.errors import NotAcrossShards, UsageError
from asof.graph import links
from asof.graph.succession_across import SuccessionAcross
from asof.store.shard_layout import shard_of
from asof.time.span import moment

pytestmark = pytest.mark.slow

Make = Callable[..., Any]

Then = Any
"""A `Snapshot`, or a `ShardedSnapshot`."""

NAMESAKES = Histories(lambda event: replace(document(event), title="harbour"))
"""Histories of documents of one title, which state the same of the same subject."""


def over_time(then: Then, earlier: Then, question: str, document: str) -> list[Any]:
    """What is told of a question at several times."""
    since = moment(max(then.as_of - 3 * DAY, 0))
    return [
        said(partial(then.timeline, question)),
        said(partial(then.timeline, f"{question} {document}", 1, since=since, recipe="bm25")),
        said(partial(earlier.diff, question, then)),
        said(partial(then.diff, question, earlier, 2)),
    ]


def of_documents(then: Then, earlier: Then, question: str, document: str) -> list[Any]:
    """What is told of documents beside a question."""
    since = then.filters(since=moment(max(earlier.as_of, 0)))
    hits = [hit.id for hit in then.search(question, k=2).hits]
    return [
        said(lambda: then.context(question, 40)), said(lambda: then.read(question)),
        *(said(partial(then.why_not, wanted, question, 1)) for wanted in (document, "title 1", *hits)),
        said(partial(then.why_not, document, question, recipe="bm25", filters=since)),
        said(partial(then.links, document, 2)), said(partial(then.links, "title 1")),
    ]  # fmt: skip


def snapshots(parts: Layouts, threads: int, moments: list[tuple[int, int]]) -> list[ShardedSnapshot]:
    search = search_of(parts, threads)
    return [snapshot_of(search, parts.shards[0].models, *each, stated=True) for each in moments]


def property_of(
    shown: Callable[[Then, Then, str, str], list[Any]], history: st.SearchStrategy[list[Event]], words: int,
    dates: int, examples: int, histories: Histories = HISTORIES, **options: Any,
) -> Callable[[], None]:  # fmt: skip
    @settings(max_examples=examples, suppress_health_check=ANY_HEALTH, **options)
    @given(
        history, st.sampled_from(SHARDS), st.integers(-1, dates + 2),
        st.one_of(st.just(0), st.integers(0, 6)), st.integers(0, dates),
        st.lists(st.integers(0, words - 1), min_size=1, max_size=3),
        st.sampled_from(["doc0", "doc1", "doc4"]),
    )  # fmt: skip
    def property_(
        history: list[Event], shards: tuple[int, int], as_of: int, back: int, earlier: int, words: list[int],
        name: str,
    ) -> None:  # fmt: skip
        count, threads = shards
        with layouts(count, histories) as parts:
            for event in history:
                parts.play(event)
            then = last_moment(parts.one, as_of, back)
            before = last_moment(parts.one, as_of - earlier, 0)
            if then is None or before is None:
                return
            question = " ".join(WORDS[word] for word in words)
            sharded = snapshots(parts, threads, [then, before])
            one = [parts.one.snapshot(*each) for each in (then, before)]
            asked = question, name
            assert shown(sharded[0], sharded[1], *asked) == shown(one[0], one[1], *asked)

    return property_


test_equal_over_time = property_of(over_time, BROAD, 12, 30, 6)
test_equal_over_time_dense = property_of(over_time, DENSE, 3, 4, 8, NAMESAKES)
test_equal_of_documents = property_of(of_documents, BROAD, 12, 30, 10)


# -- by hand ------------------------------------------------------------------------------------------

FARES = (("notes/a", "2019-05-01", 4), ("notes/b", "2020-05-01", 6), ("notes/c", "2020-05-01", 9))
"""Notes of three shards; two of one day say two things of one fare."""


def test_what_contradicts_a_statement_is_of_another_shard(tmp_path: Path, monkeypatch: Any) -> None:
    notes = [
        {"id": id_, "published": day, "title": "Fares", "text": f"The ferry to the mill costs {fare} crowns."}
        for id_, day, fare in FARES
    ]
    assert {shard_of(id_, 3) for id_, *_ in FARES} == {0, 1, 2}
    with asof.open(tmp_path / "one") as one, new_shards(tmp_path / "shards", 3, stem=True) as sharded:
        for note in notes:
            one.add([note])
            sharded.add([note])
        line = one.at("2021").timeline("ferry fares")
        assert [
            (entry.document, [each.document for each in entry.contradicted]) for entry in line.entries
        ] == [("notes/a", []), ("notes/c", ["notes/b"])]
        asked = sharded.at("2021")
        assert asked.timeline("ferry fares").entries == line.entries
        monkeypatch.setattr(SuccessionAcross, "same_statement", lambda *_: np.zeros(0, np.int64))
        assert asked.timeline("ferry fares").entries != line.entries


def test_links_lead_from_one_shard_to_another(tmp_path: Path, document: Make) -> None:
    with new_shards(tmp_path, 3) as corpus:
        corpus.add([document(id_, f"costs {fare}", day, links=(Link("notes/c"), Link("gone")))
                    for id_, day, fare in FARES])  # fmt: skip
        found = corpus.at("2021").links("notes/a", 2)
        assert found.broken == ("gone",)
        assert found.neighbours == (links.Neighbour("notes/c", "", 1, "out"),)
        assert {each.document for each in corpus.at("2021").links("c").neighbours} == {"notes/a", "notes/b"}
        with pytest.raises(UsageError, match="'notes/b'"):
            corpus.at("2019-06").links("notes/b")


def test_what_actors_cannot_follow_is_refused_in_words() -> None:
    with layouts(2, HISTORIES) as parts:
        (then,) = snapshots(parts, 2, [(0, 0)])
        then.asked.search.shards = _Elsewhere()
        with pytest.raises(NotAcrossShards, match="over actors only their candidates are known"):
            then.why_not("doc1", "mill")


class _Elsewhere:
    """Shards of other processes."""

    count = 2

    def begin(self, request: Any) -> Any:
        raise AssertionError(request)
