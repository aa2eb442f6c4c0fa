"""Which columns of a table are what, and what a row of them is."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from asof.errors import UsageError
from asof.imports.stores.columns import Columns
from asof.sources.fields import Fields

FIELDS = Fields()


def columns(*there, **options):
    return Columns.of(there, options, FIELDS, "s:x#t")


@pytest.mark.parametrize(
    ("there", "key", "text"),
    [
        (("id", "text", "metadata"), "id", "text"),
        (("uuid", "document", "cmetadata"), "uuid", "document"),
        (("node_id", "content"), "node_id", "content"),
        (("page_content", "doc_id"), "doc_id", "page_content"),
    ],
)
def test_columns_with_usual_names_are_found(there, key, text):
    found = columns(*there)
    assert (found.id, found.text) == (key, text)


def test_named_columns_count():
    found = columns("id", "sku", "text", "words", "on", id="sku", text="words", time="on")
    assert found == Columns("sku", "words", "on", ("id", "text", "on"))


@pytest.mark.parametrize(
    ("there", "options", "said"),
    [
        (("a", "text"), {}, "which column holds the id. Say id=NAME; the columns are a, text"),
        (("id", "a"), {}, "which column holds the text. Say text=NAME; the columns are id, a"),
        (("id", "text"), {"id": "b"}, "id=b: no column is called so; the columns are id, text"),
        (("id", "text"), {"time": "b"}, "time=b: no column is called so; the columns are id, text"),
    ],
)
def test_columns_are_listed_where_none_fits(there, options, said):
    with pytest.raises(UsageError, match=said):
        columns(*there, **options)


def test_the_date_may_be_a_key_of_the_metadata():
    assert columns("id", "text", "metadata", time="seen").time == "seen"


def test_a_row_has_the_keys_of_its_metadata_and_its_columns_in_json():
    values = {
        "id": 1, "text": "x", "metadata": {"author": "Ann", "n": 1, "at": date(2021, 3, 1)}, "n": 2,
        "created_at": datetime(2021, 3, 1, 10, tzinfo=UTC), "naive": datetime(2021, 3, 1, 10), "none": None,  # noqa: DTZ001
        "list": (1, date(2020, 1, 1)), "raw": b"x",
    }  # fmt: skip
    row = columns(*values).row(values)
    assert (row.key, row.text) == (1, "x")
    assert row.metadata == {
        "author": "Ann", "n": 2, "at": "2021-03-01", "created_at": "2021-03-01T10:00:00+00:00",
        "naive": "2021-03-01T10:00:00", "list": [1, "2020-01-01"], "raw": "b'x'",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("written", "metadata"),
    [
        ('{"date": "2021"}', {"date": "2021"}),
        ("{oops", {"metadata": "{oops"}),
        ("words", {"metadata": "words"}),
    ],
)
def test_metadata_that_is_a_text_of_json_is_read(written, metadata):
    row = columns("id", "text", "metadata").row({"id": "a", "text": "x", "metadata": written})
    assert row.metadata == metadata


def test_what_to_do_without_dates():
    assert columns("id", "text", "on").remedy == "name the column of the date: ?time=NAME, of on"
    assert columns("id", "text").remedy == "no column is left that could hold the date"
