from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from asof.time.expressions import TimeMention, parse

ANCHOR = datetime(2024, 5, 31, 12, 34, tzinfo=UTC)  # a Friday


TABLE = Path(__file__).with_name("hard_expressions.txt").read_text("utf-8")


def rows(*sections: str) -> list[str]:
    """The lines of some sections of the table."""
    pieces = TABLE.split("\n[")[1:]
    named = {piece.partition("]")[0]: piece.splitlines()[1:] for piece in pieces}
    return [line for section in sections for line in named[section] if line]


def short(moment: datetime | None) -> str:
    """As short as the tables write it: 2024-03-05T14 for 14 o'clock."""
    if moment is None:
        return ".."
    text = moment.strftime(f"{moment.year:04}-%m-%dT%H:%M:%S")
    for zero in (":00", ":00", "T00"):
        text = text.removesuffix(zero)
    return text


def told(mention: TimeMention) -> str:
    span = mention.span
    return f"{mention.text} | {short(span.start)} | {short(span.end)} | {mention.grain}"


@pytest.mark.parametrize("row", rows("absolute", "labels", "limits"))
def test_times_that_need_no_anchor(row: str) -> None:
    text, meant = row.split(" => ")
    if "this year" in text or "last year" in text:
        assert parse(text) == ()
    else:
        assert [told(mention) for mention in parse(text)] == meant.split(" ; ")
        assert not any(mention.relative for mention in parse(text))
    assert [told(mention) for mention in parse(text, ANCHOR)] == meant.split(" ; ")


@pytest.mark.parametrize("row", rows("relative"))
def test_times_that_count_from_the_anchor(row: str) -> None:
    text, meant = row.split(" => ")
    assert [told(mention) for mention in parse(text, ANCHOR)] == meant.split(" ; ")
    assert all(mention.relative for mention in parse(text, ANCHOR))
    assert not any(mention.relative for mention in parse(text))
    assert not any(told(mention) in meant for mention in parse(text))


@pytest.mark.parametrize("text", rows("none"))
def test_what_is_no_time(text: str) -> None:
    assert parse(text, ANCHOR) == ()
    assert parse(text) == ()
