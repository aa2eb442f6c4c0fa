"""Times of day without a zone: read in the declared one, else in UTC, which is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import asof
from asof import config
from asof.documents import Moved, SourceEvent
from asof.errors import BadConfig, BadTime, UsageError
from asof.time.span import iso

BRUSSELS = "Europe/Brussels"  # UTC+2 in summer, UTC+1 in winter
SAID = "2 times without a zone were read as UTC"
REMEDY = 'dates.timezone = "Europe/Brussels" in asof.toml declares another'


def dated(found: Any, id_: str) -> str:
    (hit,) = (each for each in found if each.document == id_)
    return iso(hit.published.span.first)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, date in (
        ("summer.md", "2023-05-01 14:30"), ("winter.md", "2023-12-01T14:30:00"), ("day.md", "2023-05-01"),
        ("zone.md", "2023-05-01T14:30:00Z"),
    ):  # fmt: skip
        (folder / name).write_text(f"---\ndate: {date}\n---\nThe crane.\n")
    return folder


def test_times_are_read_in_utc_and_it_is_said_once(tmp_path: Path, notes: Path) -> None:
    with asof.open(tmp_path) as corpus:
        report = corpus.add(notes)
        assert [(problem.message, problem.remedy) for problem in report.problems] == [(SAID, REMEDY)]
        assert not any(problem.lost for problem in report.problems)
        assert dated(corpus.search("crane"), "notes/summer.md") == "2023-05-01T14:30:00Z"


def test_times_are_read_in_the_declared_zone(tmp_path: Path, notes: Path) -> None:
    (tmp_path / "asof.toml").write_text(f'[dates]\ntimezone = "{BRUSSELS}"\n')
    with asof.open(tmp_path) as corpus:
        assert corpus.add(notes).problems == []
        found = corpus.search("crane")
    assert {id_: dated(found, f"notes/{id_}.md") for id_ in ("summer", "winter", "day", "zone")} == {
        "summer": "2023-05-01T12:30:00Z", "winter": "2023-12-01T13:30:00Z", "day": "2023-05-01T00:00:00Z",
        "zone": "2023-05-01T14:30:00Z",
    }  # fmt: skip


def test_another_zone_is_another_reading_of_the_same_files(tmp_path: Path, notes: Path) -> None:
    with asof.open(tmp_path) as corpus:
        corpus.add(notes)
    with asof.open(tmp_path, timezone=BRUSSELS) as corpus:
        report = corpus.add(notes)
        assert (report.corrected, report.unchanged, report.problems) == (2, 2, [])
        assert dated(corpus.search("crane"), "notes/winter.md") == "2023-12-01T13:30:00Z"


def test_records_and_naive_datetimes(tmp_path: Path) -> None:
    naive = datetime(2023, 5, 1, 14, 30)  # noqa: DTZ001
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps({"id": "line", "text": "A crane.", "date": "2023-05-01T14:30"}))
    record = {"id": "record", "text": "A crane.", "published": naive}
    with asof.open(tmp_path / "declared", timezone=BRUSSELS) as corpus:
        assert [*corpus.add(lines).problems, *corpus.add(record).problems] == []
        found = corpus.at(naive + timedelta(minutes=1)).search("crane", since=naive)
        assert {dated(found, "line"), dated(found, "record")} == {"2023-05-01T12:30:00Z"}
        assert corpus.at("2023-05-01T14:29").search("crane").hits == ()
    with asof.open(tmp_path / "not") as corpus:
        (problem,) = corpus.add(lines).problems
        assert problem.message == "1 time without a zone was read as UTC"
        (problem,) = corpus.add(record).problems
        assert "has no time zone" in problem.message
        assert "open the corpus with timezone=" in problem.message
        with pytest.raises(BadTime, match="has no time zone"):
            corpus.at(naive)


NAIVE = datetime(2023, 5, 1, 14, 30)  # noqa: DTZ001


@pytest.mark.parametrize("given", [NAIVE, "2023-05-01T14:30"], ids=["datetime", "text"])
def test_documents_of_python_are_read_in_the_declared_zone(tmp_path: Path, given: datetime | str) -> None:
    class Moving:
        name, kind, complete = "moving", "mine", False

        def documents(self) -> Iterator[SourceEvent]:
            yield Moved(asof.Document("new", "The mole.", published=given), "old")

    with asof.open(tmp_path, timezone=BRUSSELS) as corpus:
        made = asof.Document("a", "The crane.", published=given, changed=given, about=[given, 2020])
        assert corpus.add(made).problems == []
        (hit,) = corpus.at("2023-05-01T14:30").search("crane")
        spans = [iso(each.span.first) for each in (hit.published, *hit.about) if each]
        assert spans == ["2023-05-01T12:30:00Z", "2023-05-01T12:30:00Z", "2020-01-01T00:00:00Z"]
        assert corpus.at("2023-05-01T14:29").search("crane").hits == ()
        corpus.add(Moving())
        assert dated(corpus.search("mole"), "new") == "2023-05-01T12:30:00Z"
        later = given + timedelta(days=1) if isinstance(given, datetime) else "2023-05-02T14:30"
        assert corpus.add(asof.Ended("a", later)).ended == 1
        assert len(corpus.at(datetime(2023, 5, 2, 12, 29, 59, tzinfo=UTC)).search("crane")) == 1
        assert corpus.at(datetime(2023, 5, 2, 12, 31, tzinfo=UTC)).search("crane").hits == ()


def test_both_sides_of_a_time_of_force_are_in_the_declared_zone(tmp_path: Path) -> None:
    force = NAIVE, "2023-12-01T14:30:00"  # UTC+2, then UTC+1
    with asof.open(tmp_path, timezone=BRUSSELS) as corpus:
        corpus.add(asof.Document("a", "The crane.", published="2023", in_force=force))
        (hit,) = corpus.search("crane")
        assert hit.in_force is not None
        assert (hit.in_force.span.start, hit.in_force.span.end) == (
            datetime(2023, 5, 1, 12, 30, tzinfo=UTC), datetime(2023, 12, 1, 13, 30, 1, tzinfo=UTC)
        )  # fmt: skip


@pytest.mark.parametrize("field", ["published", "changed", "about", "in_force", "at"])
def test_a_naive_datetime_without_a_declared_zone_is_refused(tmp_path: Path, field: str) -> None:
    value = (None, NAIVE) if field == "in_force" else NAIVE
    fields: dict[str, Any] = {field: value}
    given = asof.Ended("a", **fields) if field == "at" else asof.Document("a", "A crane.", **fields)
    with asof.open(tmp_path) as corpus:
        with pytest.raises(BadTime, match=rf"^item 1: {field}: .*no time zone.*tzinfo=UTC.*open the corpus"):
            corpus.add(given)
        (problem,) = corpus.add(asof.Document("b", "A crane.", published="2023-05-01 14:30")).problems
    assert problem.message == "1 time without a zone was read as UTC"


def test_a_record_of_a_list_is_told_too(tmp_path: Path) -> None:
    with asof.open(tmp_path) as corpus:
        (problem,) = corpus.add({"id": "a", "text": "A crane.", "date": "2023-05-01 14:30"}).problems
    assert problem.message == "1 time without a zone was read as UTC"


def test_a_question_and_its_options_count_in_the_zone(tmp_path: Path) -> None:
    """Asked at 22:30 UTC, which is 00:30 of the next day in Brussels."""
    asked = datetime(2023, 5, 1, 22, 30, tzinfo=UTC)
    with asof.open(tmp_path, timezone=BRUSSELS) as corpus:
        corpus.add(asof.Document("a", "A crane.", published="2023-05-01"))
        then = corpus.at(asked)
        assert iso(then.filters(since="yesterday").since or 0) == "2023-05-01T00:00:00Z"
        assert iso(then.filters(until="2023-05-01T14:30").until or 0) == "2023-05-01T12:30:59.999999Z"
        (mention,) = then.read("what was said yesterday").mentions
        assert str(mention.span.start) == "2023-05-01 00:00:00+00:00"
        query = then.search("crane after:yesterday").query
        assert iso(query.filters.since or 0) == "2023-05-01T00:00:00Z"
        assert iso(corpus.at("2023-05-01").as_of) == "2023-05-01T23:59:59.999999Z", "a day is that of UTC"
    with asof.open(tmp_path) as corpus:
        assert iso(corpus.at(asked).filters(since="yesterday").since or 0) == "2023-04-30T00:00:00Z"


@pytest.mark.parametrize("name", ["Europe/Brusels", "Europe", "../etc/passwd", "CET+1", "Mars/Base"])
def test_no_zone(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"no time zone .*accepted: UTC, Europe/Brussels and the like"):
        asof.open(tmp_path, timezone=name)
    with pytest.raises(BadConfig, match=r"\[dates\] timezone = .*no time zone"):
        config.read({"dates": {"timezone": name}})


def test_the_nearest_name_and_a_system_without_names(monkeypatch: pytest.MonkeyPatch) -> None:
    from asof.time.moment import zone_named

    with pytest.raises(UsageError, match=r"did you mean Europe/Brussels"):
        zone_named("Europe/Brusels")
    assert zone_named("UTC") is UTC
    monkeypatch.setattr("zoneinfo.available_timezones", set)
    with pytest.raises(UsageError, match="this system has no list of them; pip install tzdata"):
        zone_named("Nowhere/At all")
    with pytest.raises(BadConfig, match="the name of a time zone is expected"):
        config.read({"dates": {"timezone": 3}})
