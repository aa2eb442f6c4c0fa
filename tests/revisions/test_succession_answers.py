"""Timelines and differences by the Python API: `Corpus.at(...).timeline` and `.diff`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from tests.revisions.made import document, fresh

from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.time.moment import read


@pytest.fixture
def fees() -> Iterator[Corpus]:
    """The fee of 2020, 2021 and 2022; that of 2021 was learned in 2026 only, the others in 2025."""

    def fee(year: int, crowns: int) -> Any:
        return document(f"f{year}", f"A berth costs {crowns} crowns.", f"{year}-06", title="Berth fee")

    with fresh(fee(2020, 40), fee(2022, 50)) as corpus:
        corpus.session.clock = itertools.count(read("2026-05").first, 1_000_000).__next__
        corpus.add([fee(2021, 45)])
        yield corpus


def said(side: Any) -> str | None:
    return None if side is None else side.sentence.split()[3]


def test_a_timeline_knows_what_was_known(fees: Corpus) -> None:
    def told(*when: str) -> list[str | None]:
        return [said(entry) for entry in fees.at(*when).timeline("berth fee").entries]

    assert told() == ["40", "45", "50"]
    assert told("2023", "2025") == ["40", "50"]
    assert told("2021") == ["40", "45"]
    assert told("2021", "2025") == ["40"]
    assert told("2019") == []


def test_a_timeline_of_what_was_known_when_it_was_kept(fees: Corpus) -> None:
    """What is kept has three rows; five came since."""
    fees.prepare()
    fees.session.clock = itertools.count(read("2026-06").first, 1_000_000).__next__
    fees.add(
        [
            document(f"f{year}", f"A berth costs {year} crowns.", f"{year}", title="Berth fee")
            for year in range(2005, 2010)
        ]
    )
    entries = fees.at("2023", "2026-05").timeline("berth fee").entries
    assert [said(entry) for entry in entries] == ["40", "45", "50"]


def test_spans_touch(fees: Corpus) -> None:
    entries = fees.at().timeline("berth fee").entries
    assert [entry.end for entry in entries] == [entries[1].start, entries[2].start, None]
    assert [(entry.added, entry.removed) for entry in entries[1:]] == [
        (("45",), ("40",)), (("50",), ("45",)),
    ]  # fmt: skip


def test_a_difference_of_what_was_published(fees: Corpus) -> None:
    found = fees.at("2020").diff("berth fee", fees.at("2022"))
    assert [(each.kind, said(each.before), said(each.after)) for each in found.changes] == [
        ("changed", "40", "50"),
    ]  # fmt: skip
    found = fees.at("2019").diff("berth fee", fees.at("2020"))
    assert [(each.kind, said(each.before), said(each.after)) for each in found.changes] == [
        ("added", None, "40"),
    ]  # fmt: skip


def test_a_difference_of_what_was_known(fees: Corpus) -> None:
    """As of 2021 it was 40, as was known in 2025, and 45, as is known now."""
    found = fees.at("2021", "2025").diff("berth fee", fees.at("2021"))
    assert [(each.kind, said(each.before), said(each.after)) for each in found.changes] == [
        ("changed", "40", "45"),
    ]  # fmt: skip


def test_nothing_and_wrong_usage(fees: Corpus) -> None:
    assert fees.at("2001").diff("berth", fees.at("2002")).empty
    assert fees.at().timeline("xylophone").entries == ()
    with pytest.raises(UsageError, match="most is 0"):
        fees.at().timeline("berth", 0)
