"""A line is a document, a broken line a problem with its number, and the run goes on."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sources import stated

from asof.documents import Document, Ended, Link, Problem
from asof.errors import SourceError
from asof.sources.history import open_source
from asof.sources.records import MOST_NAMES
from asof.sources.source import Fields, InputLimits
from asof.time.span import Span
from asof.wire import field_values

DAY = timedelta(days=1)


def read(folder: Path, raw: bytes, *, name="c.jsonl", fields=Fields(), limits=InputLimits()):  # noqa: B008
    (folder / name).write_bytes(raw)
    return stated(open_source(folder / name, root=folder, fields=fields, limits=limits))


def one(folder: Path, **record) -> Document:
    items = read(folder, json.dumps({"id": "a", "text": "words", **record}).encode())
    assert [type(item) for item in items] == [Document], items
    assert isinstance(items[0], Document)
    return items[0]


def midnight(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


def problems(items) -> list[Problem]:
    return [item for item in items if isinstance(item, Problem)]


def test_a_record_with_everything(tmp_path):
    document = one(
        tmp_path,
        title="A title",
        timestamp="2024-03-05",
        updated="2024-03-06",
        about="2023-Q4",
        tags=["x", "y", "x"],
        url="https://example.org/a",
        language="en-GB",
        aliases="other name",
        links=["b", "[[c#part|see]]", {"target": "d", "kind": "embed"}],
        product="p",
        size=3,
        nested={"a": [1, None]},
        nothing=None,
    )
    assert document.published is not None
    assert document.published.span == Span(midnight(2024, 3, 5), midnight(2024, 3, 6))
    assert (document.published.text, document.dated_by) == ("2024-03-05", "metadata")
    assert document.changed is not None
    assert document.changed.text == "2024-03-06"
    assert [(time.text, time.by) for time in document.about] == [("2023-Q4", "about")]
    assert (document.tags, document.aliases) == (("x", "y"), ("other name",))
    assert document.links == (Link("b"), Link("c", "part", "see"), Link("d", kind="embed"))
    assert (document.uri, document.language, document.title) == ("https://example.org/a", "en", "A title")
    assert document.meta == {"product": "p", "size": 3, "nested": {"a": [1, None]}}


@pytest.mark.parametrize(
    ("value", "start", "length"),
    [
        (2024, midnight(2024, 1, 1), 366 * DAY),
        (1_709_596_800, midnight(2024, 3, 5), timedelta(seconds=1)),
        (1_709_596_800_000, midnight(2024, 3, 5), timedelta(milliseconds=1)),
        (999, datetime(1970, 1, 1, 0, 16, 39, tzinfo=UTC), timedelta(seconds=1)),
    ],
)
def test_numbers_as_dates(tmp_path, value, start, length):
    published = one(tmp_path, date=value).published
    assert published is not None
    assert published.span == Span(start, start + length)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("1e999", "inf is not a Unix time"), ("-1e999", "-inf is not a Unix time"),
        ("[1e999]", "inf is not a Unix time"), ("1e300", "1e+300 is not a Unix time"),
        ("2023.5", "2023.5 is not a time: write a month as 2023-05"),
        ("2999.9", "2999.9 is not a time: write a month as 2023-05"),
    ],
)  # fmt: skip
def test_numbers_that_are_no_dates(tmp_path, value, said):
    record = f'{{"id": "a", "text": "words", "published": {value}}}\n'
    items = read(tmp_path, record.encode() + b'{"id": "b", "text": "more words"}')
    documents = [item for item in items if isinstance(item, Document)]
    assert [(each.id, each.published) for each in documents] == [("a", None), ("b", None)]
    assert problems(items)[0].message.startswith(f"'published' cannot be read: {said}")


def test_the_first_name_that_holds_something_is_taken(tmp_path):
    for value in (None, "", "  "):
        undated = one(tmp_path, date=value)
        assert (undated.published, undated.dated_by) == (None, "none")
    document = one(tmp_path, published=None, date="2024-01-01", created_at="2020")
    assert document.published is not None
    assert (document.published.text, document.meta) == ("2024-01-01", {"created_at": "2020"})


@pytest.mark.parametrize(
    ("name", "value", "meant"),
    [
        ("publised", "2024-01-05", "published"),
        ("pubilshed-at", 1_709_596_800, "published_at"),
        ("publised", "03/04/2024", "published"),
        ("updatd", "2024", "updated"),
        ("Title", "A title", "title"),
        ("titel", "A title", "title"),
        ("tag", ["x"], "tags"),
        ("alias", "x", "aliases"),
        ("languge", "en", "language"),
    ],
)
def test_a_misspelt_field_is_told_once_for_a_file(tmp_path, name, value, meant):
    lines = [{"id": str(at), "text": "words", **({name: value} if at else {})} for at in range(3)]
    (problem,) = problems(read(tmp_path, b"\n".join(json.dumps(each).encode() for each in lines)))
    assert str(problem).startswith(
        f"c.jsonl:2: {name!r} is read as metadata: did you mean {meant!r}? (2 records) (rename it, or name it"
    )
    assert not problem.lost


@pytest.mark.parametrize(
    "record",
    [
        {"publisher": "Quay Press"},  # no date
        {"publisher": "2020", "published": "2021"},  # beside what is meant
        {"context": "words", "subtitle": "words", "source": "x", "name": "x", "version": "2"},
        {"rate": 2000, "state": "x", "line": "x", "lines": 3, "next": "2024-01-05", "due_date": "2024-01-05"},
        {"start": 0, "starting": 120},  # offsets
        {"Published": "2024", "LANG": 3},
    ],
    ids=str,
)
def test_metadata_that_is_called_nearly_so_is_no_mistake(tmp_path, record):
    one(tmp_path, **record)
    assert problems(read(tmp_path, json.dumps({"id": "a", "text": "words", **record}).encode())) == []


def test_only_some_of_many_names_are_compared(tmp_path):
    many = {f"key{at}": at for at in range(MOST_NAMES)}
    assert problems(read(tmp_path, json.dumps({"id": "a", "text": "x", **many, "tag": "y"}).encode())) == []


def test_nested_metadata_is_that_of_the_record(tmp_path):
    document = one(tmp_path, metadata={"published": "2024-03-05", "team": "port"}, size=3)
    assert (str(document.published), document.meta) == ("2024-03-05", {"size": 3, "team": "port"})


@pytest.mark.parametrize("value", ["soon", True, [["soon"]], 1e300, "yesterday"])
def test_a_date_that_cannot_be_read_leaves_the_document_undated(tmp_path, value):
    document, problem = read(tmp_path, json.dumps({"id": "a", "text": "words", "date": value}).encode())
    assert document.published is None
    assert document.meta == {"date": value}
    assert (problem.file, problem.line, problem.lost) == ("c.jsonl", 1, False)
    assert problem.message.startswith("'date' cannot be read: ")


@pytest.mark.parametrize(
    ("record", "start", "end"),
    [
        ({"valid_from": "2023-01-01", "valid_until": "2023-12-31"}, (2023, 1, 1), (2024, 1, 1)),
        ({"valid_from": "2023"}, (2023, 1, 1), None),
        ({"valid_until": "2023"}, None, (2024, 1, 1)),
        ({"period": {"from": "2023-02", "until": "2023-03"}}, (2023, 2, 1), (2023, 4, 1)),
        ({"about": {"from": "2023-02", "until": "2023-03-01T00:00:00Z"}}, (2023, 2, 1), (2023, 3, 1)),
    ],
)
def test_a_stretch_that_a_record_is_about(tmp_path, record, start: Any, end: Any):
    (stated,) = one(tmp_path, **record).about
    first, last = (midnight(*day) if day else None for day in (start, end))
    assert (stated.by, stated.span) == (next(iter(record)), Span(first, last))


def test_a_list_of_times_and_an_impossible_one(tmp_path):
    times = {"about": ["2023", "2021-Q1"], "valid_from": "2024", "valid_until": "2020"}
    document, problem = read(tmp_path, json.dumps({"id": "a", "text": "x", **times}).encode())
    assert [stated.text for stated in document.about] == ["2023", "2021-Q1"]
    assert "ends before it starts" in problem.message
    assert not problem.lost


BAD_LINES = [
    # the line, what is said of it, and the document that it is about
    (b"{not json", "not JSON", ""),
    (b"[1, 2]", "no object: list", ""),
    (b'{"id": "b", "text": "caf\xe9"}', "not UTF-8 (byte 0xe9", ""),
    (b'{"text": "no id"}', "no id", ""),
    (b'{"id": "c", "text": " "}', "empty text", "c"),
    (b'{"id": "d"}', "no text", "d"),
    (b'{"id": "e", "text": 5}', "a number", "e"),
    (b'{"id": "f", "text": "x", "n": Infinity}', "Infinity", ""),
    (b"[" * 100_000, "nested too deeply", ""),
    (b'{"id": "a", "ended": "someday"}', "ends at no time: 'someday'", "a"),
    (b'{"id": "a", "ended": true}', "ends at no time: True", "a"),
    (b'{"id": "a", "ended": " "}', "has an empty date of its end", "a"),
    (b'{"id": "a", "ended": null}', "has no text", "a"),
    (b'{"ended": "2024"}', "has no id", ""),
]


def test_every_bad_line_is_a_problem_with_its_number(tmp_path):
    lines = [
        b'{"id": "a", "text": "fine"}',
        *(line for line, *_ in BAD_LINES),
        b'{"id": 7, "text": "fine"}',
        b" ",
    ]
    items = read(tmp_path, b"\n".join(lines))
    assert [item.id for item in items if isinstance(item, Document)] == ["a", "7"]
    for (number, (_, said, document)), found in zip(enumerate(BAD_LINES, 2), problems(items), strict=True):
        assert (found.line, found.document, found.lost) == (number, document, True)
        assert said in found.message
    assert "[fields]" in problems(items)[3].remedy
    assert str(problems(items)[0]).startswith("c.jsonl:2: ")


@pytest.mark.parametrize("record", [{"id": "a" * 5_000}, {"id": "a", "id_then": "a" * 5_000}])
def test_an_id_that_is_too_long_is_a_problem_of_its_line(tmp_path, record):
    other = json.dumps({"id": "b", "text": "words"}).encode()
    long, right = read(tmp_path, json.dumps({**record, "text": "words"}).encode() + b"\n" + other)
    assert isinstance(right, Document)
    assert (long.line, long.lost) == (1, True)
    assert "4,096 characters" in long.message


def test_what_a_document_was_called_then(tmp_path):
    assert one(tmp_path, id_then="old/a").path == "old/a"
    assert one(tmp_path, id_then="a").path == ""
    assert one(tmp_path, id_then="old/a").meta == {}


def test_the_record_of_a_markdown_file_is_read_as_the_file(tmp_path):
    text = (
        "---\naliases: [Kai]\nupdated: 2020-02-01\nkind: place\n---\nBuilt.\n# North\nSee [[Mole]]. #stone\n"
    )
    items = read(tmp_path, json.dumps({"id": "quay/Quay.md", "text": text, "tags": "old"}).encode())
    document = items[0]
    assert isinstance(document, Document)
    assert document.text == "kind: place\n\nBuilt.\n\nNorth\n\nSee Mole. #stone"
    assert [(each.title, each.offset) for each in document.outline] == [("North", 21)]
    assert (document.links, document.tags, document.aliases) == ((Link("Mole"),), ("old", "stone"), ("Kai",))
    assert (document.title, document.meta) == ("North", {"kind": "place"})
    assert (str(document.published), problems(items)) == ("2020-02-01", [])


def test_what_the_record_says_counts_before_the_frontmatter(tmp_path):
    text = "---\ntitle: Inner\ndate: 2020-01-01\nkind: place\n---\nBuilt."
    document = one(tmp_path, id="Quay.md", text=text, title="Outer", date="2021-01-01", kind="pier")
    assert (document.title, str(document.published)) == ("Outer", "2021-01-01")
    assert document.meta == {"kind": "pier", "date": "2020-01-01"}


def test_broken_frontmatter_in_a_record_is_noted(tmp_path):
    items = read(tmp_path, json.dumps({"id": "Quay.md", "text": "---\n[: x\n---\nBuilt."}).encode())
    assert "frontmatter" in problems(items)[0].message
    assert problems(items)[0].line == 1


def test_a_line_beyond_the_limit_is_passed_over(tmp_path):
    long = json.dumps({"id": "long", "text": "x" * 3_000_000}).encode()
    lines = b"\n".join([b'{"id":"a","text":"x"}', long, b'{"id":"b","text":"x"}', long])
    a, first, b, second = read(tmp_path, lines, limits=InputLimits(line=1000))
    assert (a.id, b.id, first.line, second.line) == ("a", "b", 2, 4)
    assert f"{len(long) + 1} bytes; the limit is 1000" in first.message
    assert f"{len(long)} bytes" in second.message


def test_a_byte_order_mark_is_skipped(tmp_path):
    assert read(tmp_path, b'\xef\xbb\xbf{"id": "a", "text": "x"}\r\n')[0].id == "a"
    (problem,) = read(tmp_path, '{"id": "a", "text": "x"}'.encode("utf-16"))
    assert (problem.message, problem.remedy) == ("is UTF-16", "save it as UTF-8")


def test_half_a_surrogate_pair_is_replaced(tmp_path):
    broken = rb'{"id": "a", "text": "x\ud800y \ud83d\ude00", "m": ["\u0000"]}'
    raw = broken + b'\n{"id":"b","text":"\\ud83d\\ude00"}'
    a, problem, b = read(tmp_path, raw)
    assert (a.text, a.meta, b.text) == ("x\ufffdy \U0001f600", {"m": ["\ufffd"]}, "\U0001f600")
    assert (problem.line, problem.lost) == (1, False)


def test_nan_is_null_and_a_long_list_is_left_out(tmp_path):
    a, problem = read(tmp_path, b'{"id":"a","text":"x","date":NaN,"v":[' + b",".join([b"1"] * 65) + b"]}")
    assert (a.published, a.meta) == (None, {})
    assert "'v' holds 65 values" in problem.message
    assert not problem.lost


@pytest.mark.parametrize("line", [b"\n", b'{"id": "a", "text": "03/04/2023"}\n', b'"' + b" " * 200_000])
def test_gzip_that_unpacks_to_more_than_its_limit_breaks_off(tmp_path, line):
    """A limit of 100,000 bytes, or of 100 times the file's: gzip packs 2 MB of a line into 10 kB."""
    many = line * (2_000_000 // len(line))
    packed, limits = gzip.compress(b'{"id": "b", "text": "x"}\n' + many), InputLimits(unpacked=100_000)
    most = max(100_000, 100 * len(packed))
    assert most < len(many)
    first, *_, last = read(tmp_path, packed, name="c.jsonl.gz", limits=limits)
    assert (first.id, last.lost) == ("b", True)
    assert f"it unpacks to more than {most:,} bytes" in last.message
    assert "unpacks" not in str(read(tmp_path, packed, name="c.jsonl.gz"))


def test_gzip_is_read_and_a_torn_one_ends_in_a_problem(tmp_path):
    lines = "".join(json.dumps({"id": str(n), "text": f"text {n * 7919}"}) + "\n" for n in range(2000))
    whole = gzip.compress(lines.encode())
    assert len(read(tmp_path, whole, name="c.jsonl.gz")) == 2000
    items = read(tmp_path, whole[: len(whole) // 2], name="c.jsonl.gz")
    assert 0 < len(items) < 2000
    assert "breaks off" in items[-1].message
    assert items[-1].lost
    assert "breaks off" in read(tmp_path, b"no gzip", name="c.jsonl.gz")[0].message


def test_fields_can_be_named(tmp_path):
    items = read(tmp_path, b'{"key": "a", "prose": "x"}', fields=Fields(id=("key",), text=("prose",)))
    assert (items[0].id, items[0].text, items[0].meta) == ("a", "x", {})


def test_a_source_can_be_read_twice(tmp_path):
    (tmp_path / "c.jsonl").write_bytes(b'{"id": "a", "text": "x"}\n{')
    source = open_source(tmp_path / "c.jsonl", root=tmp_path)
    assert list(source.documents()) == list(source.documents())
    assert (source.name, source.kind, source.complete) == ("c.jsonl", "jsonl", True)
    (tmp_path / "c.jsonl").unlink()
    with pytest.raises(SourceError, match="cannot be read"):
        list(source.documents())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
LISTS = [names for names in field_values(Fields()).values() if isinstance(names, tuple)]
NAMES = st.sampled_from([name for names in LISTS for name in names]) | st.text()


@given(record=st.dictionaries(NAMES, JSON), raw=st.binary())
def test_no_record_and_no_bytes_raise(tmp_path_factory, record, raw):
    folder = tmp_path_factory.mktemp("any")
    for line in (json.dumps(record).encode(), json.dumps({**record, "id": "a", "text": "x"}).encode(), raw):
        for item in read(folder, line):
            if isinstance(item, Document):
                json.dumps(dict(item.meta), allow_nan=True).encode()
                "".join([item.id, item.text, item.title, item.uri, *item.tags, *item.aliases]).encode()


def test_a_record_without_a_text_says_when_a_document_ended(tmp_path):
    assert read(tmp_path, b'{"id": "a", "ended": "2024-03-05", "text": null}') == [Ended("a", "2024-03-05")]
    assert one(tmp_path, ended="2024-03-05").meta == {"ended": "2024-03-05"}
