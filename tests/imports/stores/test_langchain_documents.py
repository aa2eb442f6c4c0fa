"""Documents of LangChain in the shapes in which they are saved."""

from __future__ import annotations

import pytest

from asof.data import Problem
from asof.imports.stores.langchain_documents import rows
from asof.imports.stores.rows import Row

ONE = {"page_content": "The ferry sails.", "metadata": {"source": "a.md", "date": "2021"}}
DUMPED = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "document", "Document"]}


@pytest.mark.parametrize(
    ("value", "keys"),
    [
        ([ONE, ONE], ["a.md:1", "a.md:2"]),
        ({"x": ONE, "y": {"text": "In memory.", "metadata": {}, "vector": [0.5]}}, ["x", "y"]),
        ([{**ONE, "id": "z"}], ["z"]),
        ([{**DUMPED, "kwargs": {**ONE, "id": "k", "type": "Document"}}], ["k"]),
        ([{**DUMPED, "kwargs": {**ONE, "id": None}}], ["a.md:1"]),
        ([{"page_content": "x", "metadata": {"doc_id": 7}}], ["7"]),
        (ONE, ["a.md:1"]),
    ],
)
def test_each_shape_is_read(value, keys):
    read = [row for row in rows(value, "docstore:x") if isinstance(row, Row)]
    assert [row.key for row in read] == keys
    assert read[0].text in {"The ferry sails.", "x"}


def test_without_anything_else_the_text_says_which_document_it_is():
    read = rows([{"text": "a"}, {"text": "b"}, {"text": "a"}], "x")
    first, second, again = (str(row.key) for row in read if isinstance(row, Row))
    assert first == again != second
    assert len(first) == 24  # 12 bytes


def test_what_is_no_document_is_a_problem():
    read = list(rows({"a": 5, "b": ONE}, "docstore:x"))
    assert [str(each) for each in read if isinstance(each, Problem)] == [
        "docstore:x: 'a' is no document: page_content and metadata are expected"
    ]
    assert [str(each).partition(" is")[0] for each in rows([None], "docstore:x")] == ["docstore:x: item 1"]
