"""The nodes of a docstore.json become documents again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from asof.data import Problem
from asof.imports.stores.llama_nodes import Node, is_docstore, joined, rows

TEXT = "One. Two. Three."


def node(text, source="", start=None, end=None, **more):
    relations = {"1": {"node_id": source, "node_type": "4"}} if source else {}
    relations |= {kind: {"node_id": other} for kind, other in more.pop("related", {}).items()}
    data = {"text": text, "metadata": {"date": "2021"}, "relationships": relations, **more}
    return {"__data__": data | {"start_char_idx": start, "end_char_idx": end}, "__type__": "1"}


def read(separate=False, **nodes):
    return list(rows({"docstore/data": nodes, "docstore/ref_doc_info": {}}, "docstore:x", separate=separate))


def test_a_docstore_is_told_by_its_keys():
    assert is_docstore({"docstore/data": {}})
    assert is_docstore({"other/data": {}})
    assert not any(map(is_docstore, [{"docstore/data": []}, {"data": {}}, [], "x", None]))


def test_the_nodes_of_a_document_are_joined_without_what_they_repeat():
    # the last one begins at "Two.", which the first one ends with: 9 - 5 = 4 characters stand once
    read_rows = read(
        z=node("Two. Three.", "doc", 5, 16), a=node("One. Two.", "doc", 0, 9), b=node("Else.", "b")
    )
    assert [(row.key, row.text) for row in read_rows] == [("doc", TEXT), ("b", "Else.")]
    assert read_rows[0].metadata == {"date": "2021"}


def test_nodes_without_places_follow_one_another():
    chained = read(b=node("Two.", "doc"), a=node("One.", "doc", related={"3": "b"}))
    assert chained[0].text == "One.\n\nTwo."
    assert read(b=node("Two.", "doc"), a=node("One.", "doc"))[0].text == "Two.\n\nOne."
    circle = read(a=node("One.", "doc", related={"3": "b"}), b=node("Two.", "doc", related={"3": "a"}))
    assert circle[0].text == "One.\n\nTwo."


def test_nodes_alone_are_documents_each():
    assert [row.key for row in read(separate=True, a=node("One.", "doc"), b=node("Two.", "doc"))] == [
        "a",
        "b",
    ]
    assert [row.key for row in read(a=node("One."), b=node("Two."))] == ["a", "b"]


def test_a_node_that_was_made_of_one_that_is_stored_is_left_out():
    document = node("", text_resource={"text": TEXT})
    [row] = read(doc=document, a=node("One.", "doc", 0, 4))
    assert (row.key, row.text) == ("doc", TEXT)
    [row] = read(parent=node(TEXT, "doc"), child=node("One.", "doc", related={"4": "parent"}))
    assert row.text == TEXT


def test_metadata_is_what_all_nodes_say():
    first, second = node("One.", "d", metadata={"date": "2021", "page": 1}), node("Two.", "d")
    assert read(a=first, b=second)[0].metadata == {"date": "2021"}


def test_a_wrong_place_repeats_rather_than_loses():
    assert joined([_placed("abc", 0), _placed("xyz", 2)]) == "abc\n\nxyz"
    assert joined([_placed("abc", 0), _placed("b", 1)]) == "abc"
    assert joined([_placed("abc", 0), _placed("d", 4)]) == "abc d"
    assert joined([_placed("abc", 0), _placed("d", 9)]) == "abc\n\nd"


def test_what_is_no_node_is_a_problem():
    problems = read(a=5, b={}, c={"__data__": {"text": 5}}, d=node(" "), e=node("Two.", related={"1": None}))
    assert [str(each) for each in problems[:-1]] == [
        f"docstore:x: the node {name!r} has no text" for name in "abcd"
    ]
    assert all(isinstance(each, Problem) for each in problems[:-1])


@given(st.text(min_size=1, max_size=60), st.data())
def test_pieces_that_touch_or_overlap_are_the_text_again(text, data):
    pieces, end = [], 0
    while end < len(text):
        start = data.draw(st.integers(0, end))
        end = data.draw(st.integers(end + 1, len(text)))
        pieces.append(_placed(text[start:end], start))
    assert joined(sorted(pieces, key=lambda piece: (piece.start, piece.end))) == text


def _placed(text, start):
    return Node("", text, start, start + len(text), {}, {})
