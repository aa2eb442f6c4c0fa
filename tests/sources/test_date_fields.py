"""Dates as people write them: each field, name and line of `date_fields.txt` is read as it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.sources import stated

from asof import config
from asof.documents import Document, Problem, SourcedTime
from asof.sources.dates import UNKNOWN, dates_in, of_content, of_name
from asof.sources.history import open_source
from asof.sources.markdown import parse_markdown
from asof.sources.records import RecordReader
from asof.sources.source import Fields, InputLimits
from asof.time.moment import read

LIST = Path(__file__).with_name("date_fields.txt").read_text("utf-8").splitlines()
ROWS = [line.replace("\\|", "\0").split(" | ") for line in LIST if line and not line.startswith("#")]


def date_in(where: str, key: str, text: str, notes: list[str]) -> SourcedTime | None:
    doubts: list[Problem] = []
    if where == "json":
        record = {"id": "a", "text": "Text.", key: json.loads(text)}
        return RecordReader(Fields()).document(record, notes.append).published
    if where in ("name", "letter"):
        lines = text.replace(" // ", "\n\n")
        date = of_name(key, UNKNOWN, doubts) if where == "name" else of_content(lines, UNKNOWN, doubts)
        notes += [each.message for each in doubts]
        return date
    found = dates_in(parse_markdown(f"---\n{key}: {text}\n---\n\nText.\n", "note", InputLimits()))
    notes += [each.message for each in found.notes]
    return found.published


@pytest.mark.parametrize("row", ROWS, ids=[" ".join(row[:3]) for row in ROWS])
def test_a_date_is_read_or_refused_with_a_reason(row: list[str]) -> None:
    where, key, text, wanted = (part.replace("\0", "|").strip() for part in row)
    notes: list[str] = []
    found = date_in(where, key, text, notes)
    span = None if wanted in ("refused", "none", "doubt") else read(wanted)
    assert (found.span if found else None) == span
    assert bool(notes) == (wanted == "refused"), notes
    assert all(key in each for each in notes)


# -- the order of day and month ------------------------------------------------------------------------

APRIL, MARCH = read("2023-04-03"), read("2023-03-04")


@pytest.mark.parametrize(
    ("other", "said", "first"),
    [
        ("13/04/2023", "", APRIL),
        ("04/13/2023", "", MARCH),
        ("4/13/2023", "dmy", APRIL),
        ("2023-04-13", "mdy", MARCH),
        ("13/04/2023\nupdated: 04/13/2023", "", None),
        ("05/06/2023", "", None),
    ],
)
@pytest.mark.parametrize("kind", ["folder", "jsonl"])
@pytest.mark.parametrize("beside", [True, False])
def test_the_order_is_that_of_asof_toml_or_of_other_dates_of_the_document(
    tmp_path, other, said, first, kind, beside
):
    """The date that is ambiguous is read before the one that tells; what was learned is said once. Another
    document, which may come later, tells nothing."""
    fields = dict(zip(("updated", "edited"), other.split("\nupdated: "), strict=False))
    one, more = {"date": "03/04/2023"}, {"date": "04/03/2023"}
    records = [one | fields, more | fields] if beside else [one, more, {"date": "2022", **fields}]
    target = tmp_path if kind == "folder" else tmp_path / "a.jsonl"
    if kind == "folder":
        for name, record in zip("abc", records, strict=False):
            fields_of = "\n".join(f"{key}: {value}" for key, value in record.items())
            (tmp_path / f"{name}.md").write_text(f"---\n{fields_of}\n---\nText.\n")
    else:
        lines = (json.dumps({"id": f"{at}", **each, "text": "Text."}) for at, each in enumerate(records))
        target.write_text("\n".join(lines))
    named = config.read({"dates": {"order": said}} if said else {}).fields
    found = stated(open_source(target, root=tmp_path, fields=named, trust_mtime=True))
    document = next(each for each in found if isinstance(each, Document))
    messages = [each.message for each in found if isinstance(each, Problem)]
    known = first if beside or said else None
    assert sum("is read first, as in" in each for each in messages) == (known is not None and not said)
    assert any("dates.order" in each for each in messages) == (known is None)
    if known:
        assert document.published is not None
        assert document.published.span == known
    elif not beside:
        assert document.published is None or document.published.by == "mtime"


def test_fields_of_asof_toml_count_for_notes_too(tmp_path):
    (tmp_path / "a.md").write_text("---\ndate: 2020\nWritten on: 2021\nseen: 2022\nfor: 2019\n---\nText.\n")
    names = {"published": "written_on", "changed": ["seen"], "about": ["for"]}
    (document,) = (
        each
        for each in stated(open_source(tmp_path, root=tmp_path, fields=config.read({"fields": names}).fields))
        if isinstance(each, Document)
    )
    assert [each and each.text for each in (document.published, document.changed)] == ["2021", "2022"]
    assert ([each.text for each in document.about], document.meta) == (["2019"], {"date": 2020})


def test_the_day_that_is_shown_is_the_day_that_filters_use():
    """01:30 in a zone 13 hours ahead is 12:30 of the day before in UTC."""
    for text, day in (
        ("2023-01-01T01:30:00+13:00", "2022-12-31"),
        ("1684602725", "2023-05-20"),
        ("15/03/2023", "2023-03-15"),
        ("May 2023", "May 2023"),
    ):
        found = date_in("json", "timestamp", json.dumps(text), [])
        assert found is not None
        assert found.day == day
