"""What a new statement means: every row of the table in docs/explanation/data.md, as a corpus shows it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.store.made import document, fresh, said
from tests.support.corpora import Clock, new_corpus

from asof.time.span import iso

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "data.md"
SECTION = "## What a new statement means"
BEFORE = "2025-03-01"
"""When the first statements are taken in; each of the others half a year after the one before."""

MOMENTS = ("2019", "2020", "2022", "2025-06", "2025-12", "2026-12", "2030")

ROWS: dict[str, list[tuple[Sequence[tuple[str | None, ...] | None], str, Sequence[str | None]]]] = {
    "what a version said, date included": [
        ([("A", "2020"), ("A", "2020")], "unchanged", [None, "A", "A", "A", "A", "A", "A"]),
    ],
    "the current text under another date": [
        ([("A", "2020"), ("A", "2022")], "corrected", [None, None, "A", "A", "A", "A", "A"]),
        ([("A", "2020"), ("A", "2019")], "corrected", ["A", "A", "A", "A", "A", "A", "A"]),
    ],
    "another text under another date": [
        ([("A", "2020"), ("B", "2022")], "changed", [None, "A", "B", "B", "B", "B", "B"]),
        ([("A", "2020"), ("A", "2020", "B", "2019")], "changed", ["B", "A", "A", "A", "A", "A", "A"]),
    ],
    "another text under the same date, or none": [
        ([("A", "2020"), ("B", "2020")], "changed", [None, "A", "A", "A", "B", "B", "B"]),
        ([("A", "2020"), ("B", None)], "changed", [None, "A", "A", "A", "B", "B", "B"]),
    ],
    "nothing any more, in a source that states all there is": [
        ([("A", "2020"), None], "ended", [None, "A", "A", "A", None, None, None]),
        ([("A", "2029"), None], "ended", [None, None, None, None, None, None, None]),
    ],
    "an older text again, or for the first time, and the current one no more": [
        ([("A", "2020"), ("B", "2022"), ("A", "2020")], "changed", [None, "A", "B", "B", "B", "A", "A"]),
        ([("A", "2020"), ("B", "2019")], "changed", ["B", "A", "A", "A", "B", "B", "B"]),
    ],
    "a text of a document that had ended, under a date after its end": [
        ([("A", "2020"), None, ("B", "2026-01")], "changed", [None, "A", "A", "A", None, "B", "B"]),
        ([("A", "2020"), None, ("A", "2029")], "changed", [None, "A", "A", "A", None, None, "A"]),
    ],
    "a text of a document that had ended, under a date before its end, or none": [
        ([("A", "2020"), None, ("B", "2019")], "changed", [None, "A", "A", "A", None, "B", "B"]),
        ([("A", "2020"), None, ("B", "2022")], "changed", [None, "A", "A", "A", None, "B", "B"]),
        ([("A", "2020"), None, ("A", None)], "changed", [None, "A", "A", "A", None, "A", "A"]),
        ([("A", "2020"), None, ("A", "2020")], "changed", [None, "A", "A", "A", None, "A", "A"]),
    ],
}  # fmt: skip
"""Statements of one document (texts with their dates; None: it is not there), what the last one counts as,
and what the document says as of each of MOMENTS."""


def batched(values: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [values[at : at + size] for at in range(0, len(values), size)]


def test_every_row_is_played() -> None:
    table = PAGE.read_text("utf-8").split(SECTION)[1].split("\n\n")[1]
    rows = re.findall(r"^\| (.*?) \| .* \|$", table, re.MULTILINE)
    assert rows[0] == "the source states"
    assert rows[1:] == list(ROWS)


@pytest.mark.parametrize(
    ("statements", "counted", "seen"),
    [
        pytest.param(*each, id=f"{row} {at}")
        for row, examples in ROWS.items()
        for at, each in enumerate(examples)
    ],
)
def test_a_row(statements: Any, counted: str, seen: Sequence[str | None]) -> None:
    others = [document(f"other{at}", "text", "2018") for at in range(3)]
    with fresh(BEFORE) as corpus:
        for at, each in enumerate(statements):
            corpus.session.clock.to(("2025-03", "2025-09", "2026-03")[at])
            here = [document("d", *pair) for pair in batched(each or (), 2)]
            report = corpus.add(said(*others, *here))
        counts = {what: getattr(report, what) for what in ("added", "changed", "corrected", "ended")}
        expected = dict.fromkeys(counts, 0)
        assert {what: min(count, 1) for what, count in counts.items()} == (
            expected if counted == "unchanged" else expected | {counted: 1}
        )
        assert [corpus.at(moment).text("d") for moment in MOMENTS] == list(seen)
        assert corpus.add(said(*others, *here)).written == 0, "said again it is nothing new"


SERVICED = "The boiler was serviced yesterday."


@pytest.mark.parametrize(
    ("text", "day", "yesterday"),
    [
        (f"{SERVICED} See [[Gas meter]].", "2024-03-01", "2024-02-29"),
        (f"{SERVICED}\n\n- [[Gas meter]] and [[Stove]]", "2024-03-01", "2024-02-29"),
        (SERVICED.replace("boiler", "[[boiler]]"), "2024-03-01", "2024-02-29"),
        (f"{SERVICED} [[Tom]] paid 50 euros.", "2024-09-01", "2024-08-31"),  # that is news
        (SERVICED.replace("boiler", "stove"), "2024-09-01", "2024-08-31"),
    ],
)
@pytest.mark.parametrize(("name", "front"), [("2024-03-01.md", ""), ("n.md", "---\ndate: 2024-03-01\n---\n")])
def test_a_link_is_no_news(
    tmp_path: Path, text: str, day: str, yesterday: str, name: str, front: str
) -> None:
    """A dated note keeps its date, from which its words count; the edit is seen from when it was known."""
    clock = Clock.at("2024-03-05")
    with new_corpus(clock=clock) as corpus:
        for each, now in ((SERVICED, "2024-03-05"), (text, "2024-09-01")):
            clock.to(now)
            (tmp_path / name).write_text(front + each)
            os.utime(tmp_path / name, (0, 0))
            corpus.add(tmp_path)
        before, after = (corpus.at(at).search("serviced").hits[0] for at in ("2024-08", "2025"))
        (listed,), _ = corpus.at("2025").newest()
    shown = [each.published and iso(each.published.span.first)[:10] for each in (before, after, listed)]
    assert (before.text.strip(), shown) == (SERVICED, ["2024-03-01", day, day])
    assert yesterday in {iso(time.span.first)[:10] for time in after.about}
