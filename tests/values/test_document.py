"""Documents as Python code makes them: what each field takes, and what is said of what it does not."""

from __future__ import annotations

import dataclasses
import pickle
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

import asof
from asof.documents import Document, Ended, Heading, Link, SourcedTime
from asof.errors import UsageError
from asof.time.moment import read
from asof.time.span import Period, Span

NOON = datetime(2021, 3, 1, 12, tzinfo=UTC)
NAIVE = datetime(2021, 3, 1)  # noqa: DTZ001
BERLIN = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("given", "span", "text"),
    [
        ("2021-03", read("2021-03"), "2021-03"),
        ("1 March 2021", read("2021-03-01"), "1 March 2021"),
        (date(2021, 3, 1), read("2021-03-01"), "2021-03-01"),
        (NOON, Span.at(NOON), "2021-03-01T12:00:00Z"),
        (datetime(2021, 3, 1, 13, tzinfo=BERLIN), Span.at(NOON), "2021-03-01T13:00:00+01:00"),
        (datetime.max.replace(tzinfo=UTC), Span(datetime.max.replace(tzinfo=UTC), None), None),
        (2021, read("2021"), "2021"),
        (Period("quarter", date(2021, 1, 1)), read("2021-Q1"), "2021-Q1"),
        (Span.at(NOON), Span.at(NOON), "2021-03-01T12:00:00Z .. 2021-03-01T12:00:00.000001Z"),
    ],
)
def test_a_time_is_given_in_any_form_that_names_one(given, span, text):
    document = Document("a", "The crane.", published=given, changed=given, about=given)
    assert document.published is not None
    assert (document.published.span, document.published.by) == (span, "metadata")
    assert text is None or str(document.published) == text
    assert document.changed == document.published
    assert document.about == (SourcedTime(span, document.published.text, "about"),)
    assert Ended("a", given).at == document.published


def test_a_stated_time_stays_what_it_is():
    stated = SourcedTime(read("2021"), "last year", "filename")
    document = Document("a", "The crane.", published=stated, about=[stated, "2020"])
    assert document.published is stated
    assert document.dated_by == "filename"
    assert document.about == (stated, SourcedTime(read("2020"), "2020", "about"))


@pytest.mark.parametrize(
    "wrong",
    ["2023-13", "", "soon", "yesterday", 20210301, 1.6e9, True, b"2021", object(),
     datetime.min.replace(tzinfo=BERLIN)],
)  # fmt: skip
@pytest.mark.parametrize("field", ["published", "changed", "about", "at"])
def test_what_is_no_time_is_told_with_its_field_and_what_is_accepted(field, wrong):
    with pytest.raises(UsageError, match=rf"^{field}\b.*(2024-03-05|tzinfo=UTC|years 1 to 9999)"):
        Ended("a", wrong) if field == "at" else Document("a", "The crane.", **{field: wrong})


@pytest.mark.parametrize(
    ("field", "given", "kept"),
    [
        ("id", 7, "7"),
        ("text", "one\r\ntwo", "one\ntwo"),
        ("tags", "quay, crane", ("quay", "crane")),
        ("tags", ["quay", "quay"], ("quay",)),
        ("aliases", "Quay, the", ("Quay, the",)),
        ("links", "The Mole", (Link("The Mole"),)),
        ("links", ["The Mole", Link("Crane", "Jib")], (Link("The Mole"), Link("Crane", "Jib"))),
        ("outline", [Heading(0, 1, "Crane")], (Heading(0, 1, "Crane"),)),
        ("meta", {"team": "x", "n": 1, "yes": True, "list": (1, [2.5, None])},
         {"team": "x", "n": 1, "yes": True, "list": [1, [2.5, None]]}),
        ("meta", {"since": date(2021, 3, 1)}, {"since": "2021-03-01"}),
    ],
)  # fmt: skip
def test_a_field_is_kept_in_one_form(field, given, kept):
    fields: dict[str, Any] = {"id": "a", "text": "The crane.", field: given}
    assert getattr(Document(**fields), field) == kept


@pytest.mark.parametrize(
    ("field", "wrong", "said"),
    [
        ("id", "", "id is ''"),
        ("id", None, "id is None"),
        ("text", None, "text is None .NoneType.; accepted: a text"),
        ("text", b"raw", r"decode it first: raw.decode\(\)"),
        ("text", "a\0b", "text holds .* at 1, which cannot be stored"),
        ("title", "\ud800", "title holds"),
        ("title", 5, "title is 5"),
        ("tags", 5, "tags is 5"),
        ("tags", [5], "each of tags is 5"),
        ("tags", {"quay": 1}, "tags is {"),
        ("aliases", b"x", "aliases is b'x'"),
        ("links", [5], "one of links is 5"),
        ("outline", ["Crane"], "one of outline is 'Crane'"),
        ("meta", [1], "meta is .*a mapping such as"),
        ("meta", {1: "x"}, "a key of meta is 1"),
        ("meta", {"x": object()}, "meta: .* is a object; accepted is what JSON can say"),
        ("meta", {"x": {1, 2}}, "meta: .*set"),
        ("meta", {"x": float("nan")}, "meta: .*finite numbers"),
        ("meta", {"x": ["\0"]}, "meta: .*NUL"),
        ("uri", 5, "uri is 5"),
        ("language", None, "language is None"),
        ("fiscal_start", 13, "fiscal_start is 13"),
        ("fiscal_start", "July", "fiscal_start is 'July'"),
    ],
)
def test_a_wrong_value_is_told_with_its_field(field, wrong, said):
    fields: dict[str, Any] = {"id": "a", "text": "The crane.", field: wrong}
    with pytest.raises(UsageError, match=said):
        Document(**fields)


def test_metadata_that_is_nested_without_end_is_refused():
    deep: list[Any] = []
    for _ in range(20):
        deep = [deep]
    endless: list[Any] = []
    endless.append(endless)
    for wrong in (deep, endless):
        with pytest.raises(UsageError, match=r"^meta: "):
            Document("a", "The crane.", meta={"x": wrong})


def test_a_document_is_frozen_and_can_be_replaced_copied_and_compared():
    document = Document("a", "The crane.", published="2021", tags="quay", meta={"n": 1})
    with pytest.raises(dataclasses.FrozenInstanceError):
        document.text = "Another."  # type: ignore[misc]
    assert dataclasses.replace(document, text="The crane.") == document
    assert pickle.loads(pickle.dumps(document)) == document  # noqa: S301  just made


def test_it_is_shown_in_a_line():
    document = Document("a", "The crane. " * 50, published=date(2021, 3, 1), tags="quay")
    assert repr(document).startswith("Document('a', 'The crane. The crane.")
    assert repr(document).endswith("…', published='2021-03-01', tags=('quay',))")
    assert len(repr(document)) < 150
    assert f"{document.published}" == "2021-03-01"


def test_what_is_given_as_a_date_is_found_as_of_it(memory_folder):
    with asof.open(memory_folder) as corpus:
        corpus.add([Document("a", "The crane is red.", published=NOON), asof.Ended("b", "2021")])
        assert [hit.document for hit in corpus.at(NOON).search("crane").hits] == ["a"]
        assert corpus.at(NOON - timedelta(microseconds=1)).search("crane").hits == ()
