"""What a statement means: each line of the table in `asof.store.validity`, then the cases between them."""

from __future__ import annotations

import pytest

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
from asof.time.span import BEGINNING, LAST, NEVER
from asof.values import SourcedTime

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


# -- the table --------------------------------------------------------------------------------------


def test_first_of_all_it_is_added() -> None:
    assert ask([], "A", said("2020")) == StatementOutcome("added", said("2020"), last("2020"))


def test_what_a_version_said_is_unchanged() -> None:
    old = known(1, "A", said("2020"), last("2020"))
    new = known(2, "B", said("2022"), last("2022"))
    assert ask([old], "A", said("2020")) == StatementOutcome("unchanged", same=old)
    assert ask([old, new], "A", said("2020")) == StatementOutcome("unchanged", same=old)
    same_span = SourcedTime(read("2020"), "the year 2020", "frontmatter")
    assert ask([old], "A", same_span).same is old, "the words of a date do not matter, its span does"


def test_the_current_text_under_another_date_is_a_correction() -> None:
    old = known(1, "A", said("2020"), last("2020"))
    verdict = ask([old], "A", said("2021"))
    assert verdict == StatementOutcome("corrected", said("2021"), last("2021"), retire=old)


@pytest.mark.parametrize("date", ["2022", "2018"])
def test_another_text_under_another_date_is_a_version_of_that_date(date: str) -> None:
    old = known(1, "A", said("2020"), last("2020"))
    assert ask([old], "B", said(date)) == StatementOutcome("changed", said(date), last(date))


@pytest.mark.parametrize("published", [said("2020"), None])
def test_another_text_under_the_same_date_or_none_is_an_edit(published: SourcedTime | None) -> None:
    old = known(1, "A", said("2020"), last("2020"))
    verdict = ask([old], "B", published)
    assert (verdict.what, verdict.visible, verdict.retire) == ("changed", NOW, None)
    assert verdict.published is not None
    assert verdict.published.by == "edit"
    assert verdict.published.span.first == verdict.published.span.last == NOW


# -- dates that are no claim ------------------------------------------------------------------------


def test_two_texts_of_one_date_in_one_run_are_two_versions_of_it() -> None:
    current = known(1, "old", said("2024-01"), last("2024-01"), fresh=True)
    outcome = ask([current], "new", said("2024-01"))
    assert outcome == StatementOutcome("changed", said("2024-01"), last("2024-01"))


def test_a_file_that_was_merely_touched_is_unchanged() -> None:
    old = known(1, "A", said("2020-05-05", "mtime"), last("2020-05-05"))
    assert ask([old], "A", said("2023-01-01", "mtime")) == StatementOutcome("unchanged", same=old)
    dated = known(2, "A", said("2020"), last("2020"))
    assert ask([dated], "A", said("2023-01-01", "mtime")) == StatementOutcome("unchanged", same=dated)
    assert ask([dated], "A", None) == StatementOutcome("unchanged", same=dated)


def test_an_undated_text_that_gets_a_date_is_corrected() -> None:
    old = known(1, "A", None, last("2023"))
    assert ask([old], "A", said("2020")) == StatementOutcome(
        "corrected", said("2020"), last("2020"), retire=old
    )


# -- when an edit was published ---------------------------------------------------------------------


def test_an_edit_is_dated_by_a_later_mtime() -> None:
    old = known(1, "A", said("2020"), last("2020"))
    verdict = ask([old], "B", said("2020"), changed=said("2023-01-01", "mtime"))
    assert (verdict.visible, verdict.published and verdict.published.by) == (last("2023-01-01"), "edit")


@pytest.mark.parametrize("mtime", ["2019-06-01", "2020", "2025-01-01"])
def test_an_mtime_before_the_old_version_or_in_the_future_is_not_believed(mtime: str) -> None:
    old = known(1, "A", said("2020"), last("2020"))
    assert ask([old], "B", said("2020"), changed=said(mtime, "mtime")).visible == NOW


def test_an_edit_of_a_text_that_is_published_in_the_future_stays_there() -> None:
    future = known(1, "A", said("2030"), last("2030"))
    assert ask([future], "B", said("2030")).visible == last("2030")
    assert edit_without_date(future, None, None, NOW).visible == last("2030")


# -- one text at several times ----------------------------------------------------------------------


def test_an_edit_of_a_text_that_is_never_seen_is_never_seen() -> None:
    old = known(1, "A", None, NEVER)
    assert ask([old], "B", undated="never") == StatementOutcome("changed", None, NEVER)
    assert edit_without_date(old, None, None, NOW) == StatementOutcome("changed", None, NEVER)


@pytest.mark.parametrize("date", ["9999-12-31", "9999-12", "9999", "9999-12-31T23:59:59.999999Z"])
def test_the_last_day_that_there_is(date: str) -> None:
    assert ask([], "A", said(date)) == StatementOutcome("added", said(date), LAST)
    found = ask([known(1, "A", said(date), LAST)], "B", said(date))
    assert (found.what, found.visible) == ("changed", LAST)
    assert found.published is not None
    assert found.published.span.first == LAST


def test_the_same_text_twice_in_one_run_is_two_versions() -> None:
    first = known(1, "A", said("2001"), last("2001"), fresh=True)
    second = known(2, "B", said("2002"), last("2002"), fresh=True)
    assert ask([first, second], "A", said("2003")) == StatementOutcome("changed", said("2003"), last("2003"))
    assert ask([first], "A", said("2003")) == StatementOutcome("changed", said("2003"), last("2003"))


def test_the_same_text_after_it_had_ended_is_said_from_its_later_date_on() -> None:
    old, end = known(1, "A", said("2020"), last("2020")), gone(2, last("2022"))
    assert ask([old, end], "A", said("2023")) == StatementOutcome("changed", said("2023"), last("2023"))


def test_a_return_under_an_older_date_is_an_edit_known_now() -> None:
    old, end = known(1, "A", said("2020"), last("2020")), gone(2, last("2022"))
    verdict = ask([old, end], "B", said("2021"))
    assert (verdict.what, verdict.visible) == ("changed", NOW)
    assert ask([old, end], "A", said("2020")) == StatementOutcome("unchanged", same=old), (
        "the run decides at its end"
    )


# -- visible from -----------------------------------------------------------------------------------


def test_a_date_is_seen_from_its_last_instant_or_from_now_inside_it() -> None:
    assert visible_from(said("2023"), NOW, "added") == last("2023")
    assert visible_from(said("2024"), NOW, "added") == NOW
    assert visible_from(said("2025"), NOW, "added") == last("2025")
    assert visible_from(said("2024-03-09"), NOW, "added") == NOW - 1
    assert visible_from(said("2024-03-10"), NOW, "added") == NOW


def test_the_undated_follow_the_setting() -> None:
    assert visible_from(None, NOW, "added") == NOW
    assert visible_from(None, NOW, "always") == BEGINNING
    assert visible_from(None, NOW, "never") == NEVER


def test_a_dossier_without_versions() -> None:
    empty = DocumentState(1, "d", 1)
    assert empty.current is None
    assert empty.with_digest(b"") is None
