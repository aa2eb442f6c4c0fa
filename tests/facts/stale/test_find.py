"""What is stale in a snapshot: of some paths, since a time, of some kinds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.corpora import new_corpus
from tests.support.notes import tell

from asof.corpus.snapshot import Snapshot
from asof.errors import UsageError
from asof.extensions.facts.stale import find_stale


@pytest.fixture
def then() -> Iterator[Snapshot]:
    with new_corpus() as corpus:
        tell(corpus, [
            ("2021-01-01", "notes/pier.md", "The pier will be painted in March 2021."),
            ("2021-01-02", "notes/quay.md", "Pay at [the office](office.md) of the harbour first."),
            ("2021-01-03", "notes/office.md", "It is open from eight to noon."),
            ("2022-01-01", "notes/office.md", None),
        ])  # fmt: skip
        yield corpus.at("2022-06")


def test_all_of_it_worst_first(then: Snapshot) -> None:
    assert [(each.quote.document, each.kind) for each in find_stale(then)] == [
        ("notes/quay.md", "link"), ("notes/pier.md", "time"),
    ]  # fmt: skip


def test_of_paths_kinds_and_times(then: Snapshot) -> None:
    quay, pier = find_stale(then)
    assert find_stale(then, "notes") == find_stale(then, ["*/quay.md", "*/pier.md"]) == (quay, pier)
    assert find_stale(then, "notes/quay.md") == find_stale(then, kinds="link") == (quay,)
    assert find_stale(then, since="2021-06") == (quay,)
    assert find_stale(then, ["notes/office.md", "note"]) == ()


def test_what_is_no_kind(then: Snapshot) -> None:
    with pytest.raises(UsageError, match="kind is 'value'; accepted: quote, link, time"):
        find_stale(then, kinds="value")
    with pytest.raises(UsageError, match="kinds"):
        find_stale(then, kinds=1)  # type: ignore[arg-type]
