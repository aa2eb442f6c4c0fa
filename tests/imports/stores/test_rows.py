"""Rows become documents by the rules of JSON Lines."""

from __future__ import annotations

from asof.data import Document, Problem
from asof.imports.stores.rows import LONGEST_TEXT, Row, RowReader
from asof.sources.fields import Fields


def read(*rows, time=""):
    stated = list(RowReader("s:x#t", Fields(), time).documents(rows))
    documents = [each for each in stated if isinstance(each, Document)]
    return documents, [each for each in stated if isinstance(each, Problem)]


def test_metadata_is_read_as_the_fields_of_a_record_are():
    metadata = {"date": "2021-03", "title": "Ferry", "tags": "a,b", "url": "https://x", "id": 5, "text": "t"}
    [document], problems = read(Row("a", "The ferry sails.", metadata))
    assert (document.id, document.title, document.tags) == ("s:x#t!/a", "Ferry", ("a", "b"))
    assert (str(document.published), document.uri) == ("2021-03", "https://x")
    assert document.meta == {"id": 5, "text": "t"}  # the key and the text of the row are others
    assert problems == []


def test_an_update_dates_a_text_without_another_date_and_the_edit_of_one_with():
    [only, both], problems = read(
        Row(1, "x", {"updated_at": "2022"}), Row(2, "x", {"created_at": "2021", "updated_at": "2022"})
    )
    assert (str(only.published), str(only.changed)) == ("2022", "2022")
    assert (str(both.published), str(both.changed)) == ("2021", "2022")
    assert problems == []


def test_the_date_is_where_the_option_says():
    [document, other], problems = read(
        Row(1, "x", {"date": "2021", "seen": 2020}), Row(2, "x", {"date": "2021"}), time="seen"
    )
    assert (str(document.published), document.meta) == ("2020", {"date": "2021"})
    assert other.published is None
    assert [(each.message, each.lost) for each in problems] == [("1 of 2 documents have no date", False)]


def test_what_makes_no_document_is_a_problem_and_the_rest_is_read():
    rows = [
        Row("a", None, {}), Row("b", " ", {}), Row("c", 5, {}), Row("d", "x" * (LONGEST_TEXT + 1), {}),
        Row(None, "x", {}), Row(True, "x", {}), Row(" ", "x", {}), Row("y" * 5000, "x", {}),
        Row("e", "x", {"deep": _deep(20), "date": "2021"}), Row("f", "fine", {"date": "2021"}),
    ]  # fmt: skip
    documents, problems = read(*rows)
    assert [each.id for each in documents] == ["s:x#t!/f"]
    assert len(problems) == 9
    assert all(each.lost for each in problems)
    assert [each.document[-1:] for each in problems] == ["a", "b", "c", "d", "", "", "", "", "e"]
    assert problems[0].message == "has no text"


def test_two_rows_of_one_id_are_versions_if_their_dates_differ():
    documents, problems = read(
        Row("a", "old", {"date": "2020"}),
        Row("a", "new", {"date": "2021"}),
        Row("a", "odd", {"date": "2021"}),
    )
    assert [each.text for each in documents] == ["old", "new"]
    assert [each.message for each in problems] == ["another row has the same id and date: left out"]


def test_nul_is_replaced_and_said_and_the_copy_of_a_node_is_no_metadata():
    [document], [note] = read(Row("a", "x\0y", {"date": "2021", "_node_content": "{}", "_node_type": "T"}))
    assert (document.text, document.meta) == ("x\ufffdy", {})
    assert (note.lost, note.document) == (False, "")


def _deep(levels):
    return [_deep(levels - 1)] if levels else 1
