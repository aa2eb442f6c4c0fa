"""What a statement means: each line of the table in `asof.store.validity`, then the cases between them."""

from __future__ import annotations

import pytest

from asof.documents import SourcedTime
from asof.store.digest import stated_digest
from asof.store.validity import (
    DocumentState,
    StatementOutcome,
    StoredVersion,
    edit_without_date,
    interpret,
    visible_from,
)
from asof.time.moment import read
from asof.time.span import LAST, NEVER

NOW = read("2024-03-10").first


def said(date: str, by: str = "metadata") -> SourcedTime:
    return SourcedTime(read(date), date, by)


def last(date: str) -> int:
    return read(date).last


def known(
    id_: int, text: str, published: SourcedTime | None, visible: int, *, fresh: bool = False
) -> StoredVersion:
    content = text.encode()
    return StoredVersion(
        id_, content, stated_digest(content, published), visible, id_, "metadata", seen=fresh
    )


def gone(id_: int, at: int) -> StoredVersion:
    return StoredVersion(id_, b"", b"gone", at, id_, "edit", deleted=True)


def ask(
    versions: list[StoredVersion],
    text: str,
    published: SourcedTime | None = None,
    changed: SourcedTime | None = None,
    undated: str = "added",
) -> StatementOutcome:
    content = text.encode()
    return interpret(
        DocumentState(1, "d", 1, versions), content, stated_digest(content, published), published, changed,
        NOW, undated,
    )  # fmt: skip


OLD = known(1, "A", said("2020"), last("2020"))
NEW = known(2, "B", said("2022"), last("2022"))
TOUCHED = known(1, "A", said("2020-05-05", "mtime"), last("2020-05-05"))
UNDATED = known(1, "A", None, last("2023"))
STATED = known(1, "old", said("2024-01"), last("2024-01"), fresh=True)
ONE, TWO = (
    known(at, text, said(f"200{at}"), last(f"200{at}"), fresh=True) for at, text in ((1, "A"), (2, "B"))
)
END = gone(2, last("2022"))
NEVER_SEEN = known(1, "A", None, NEVER)


def changed(date: str) -> StatementOutcome:
    return StatementOutcome("changed", said(date), last(date))


OUTCOMES: dict[str, tuple[StatementOutcome, StatementOutcome]] = {
    "what an older version said": (
        ask([OLD, NEW], "A", said("2020")), StatementOutcome("unchanged", same=OLD),
    ),
    "the same span in other words": (
        ask([OLD], "A", SourcedTime(read("2020"), "the year 2020", "frontmatter")),
        StatementOutcome("unchanged", same=OLD),
    ),
    "two texts of one date in one run": (ask([STATED], "new", said("2024-01")), changed("2024-01")),
    "a file that was merely touched": (
        ask([TOUCHED], "A", said("2023-01-01", "mtime")), StatementOutcome("unchanged", same=TOUCHED),
    ),
    "an mtime in place of a date": (
        ask([OLD], "A", said("2023-01-01", "mtime")), StatementOutcome("unchanged", same=OLD),
    ),
    "no date in place of one": (ask([OLD], "A", None), StatementOutcome("unchanged", same=OLD)),
    "a date in place of none": (
        ask([UNDATED], "A", said("2020")),
        StatementOutcome("corrected", said("2020"), last("2020"), retire=UNDATED),
    ),
    "an edit of a text that is never seen": (
        ask([NEVER_SEEN], "B", undated="never"), StatementOutcome("changed", None, NEVER),
    ),
    "its removal": (
        edit_without_date(NEVER_SEEN, None, None, NOW), StatementOutcome("changed", None, NEVER),
    ),
    "the same text twice in one run": (ask([ONE, TWO], "A", said("2003")), changed("2003")),
    "the same text under two dates in one run": (ask([ONE], "A", said("2003")), changed("2003")),
    "after an end, what was said before": (  # the run decides at its end
        ask([OLD, END], "A", said("2020")), StatementOutcome("unchanged", same=OLD),
    ),
}  # fmt: skip


@pytest.mark.parametrize("statement", OUTCOMES)
def test_what_a_statement_means(statement: str) -> None:
    outcome, expected = OUTCOMES[statement]
    assert outcome == expected


FUTURE = known(1, "A", said("2030"), last("2030"))
EDITS: dict[str, tuple[StatementOutcome, int]] = {
    "the same date": (ask([OLD], "B", said("2020")), NOW),
    "no date": (ask([OLD], "B", None), NOW),
    "a later mtime": (
        ask([OLD], "B", said("2020"), changed=said("2023-01-01", "mtime")), last("2023-01-01"),
    ),
    **{f"an mtime of {mtime}, before the old version or in the future": (
        ask([OLD], "B", said("2020"), changed=said(mtime, "mtime")), NOW,
    ) for mtime in ("2019-06-01", "2020", "2025-01-01")},
    "a text that is published in the future": (ask([FUTURE], "B", said("2030")), last("2030")),
    "its removal": (edit_without_date(FUTURE, None, None, NOW), last("2030")),
    "after an end, under an older date": (ask([OLD, END], "B", said("2021")), NOW),
    **{f"{date}, the last day that there is": (
        ask([known(1, "A", said(date), LAST)], "B", said(date)), LAST,
    ) for date in ("9999-12-31", "9999-12", "9999", "9999-12-31T23:59:59.999999Z")},
}  # fmt: skip
"""Changes without a date of their own, and since when they are seen."""


@pytest.mark.parametrize("edit", EDITS)
def test_when_an_edit_was_published(edit: str) -> None:
    outcome, visible = EDITS[edit]
    assert (outcome.what, outcome.visible, outcome.retire) == ("changed", visible, None)
    assert outcome.published is not None
    assert outcome.published.by == "edit"
    assert (outcome.published.span.first, min(outcome.published.span.last, LAST)) == (visible, visible)


# -- visible from -----------------------------------------------------------------------------------


def test_a_date_is_seen_from_its_last_instant_or_from_now_inside_it() -> None:
    assert visible_from(said("2023"), NOW, "added") == last("2023")
    assert visible_from(said("2024"), NOW, "added") == NOW
    assert visible_from(said("2025"), NOW, "added") == last("2025")
    assert visible_from(said("2024-03-09"), NOW, "added") == NOW - 1
    assert visible_from(said("2024-03-10"), NOW, "added") == NOW
    assert visible_from(said("9999"), NOW, "added") == LAST
