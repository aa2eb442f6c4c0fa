"""Which values of metadata are searched, and that every reader of a passage reads what was indexed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.store.made import fresh
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.index.build import stored_parts
from asof.store.digest import (
    MAX_CHARACTERS,
    indexed_text,
    is_searchable,
    keywords_of,
    missing_keywords,
)
from asof.text.tokens import tokenize


@pytest.mark.parametrize(
    "text",
    [
        "Harbour Gazette", "TCP/IP", "and/or", "Node.js", "10-K", "3M", "GPT-4", "Covid19", "B2B", "v2.1.3",
        "bbc.example", "雪の日", "@anna", "C++", "one two three four five six seven eight", "x" * 60,
    ],
)  # fmt: skip
def test_names_are_searched(text: str) -> None:
    assert is_searchable(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "12", "3.5", "--", "https://pier.example/a", "www.pier.example", "mailto:ann@pier.example",
        "Ann <ann@pier.example>", "/var/notes", "./a", "~/notes", "C:\\notes", "notes/ferry.md",
        "journal/2020/may", "2024-03-05", "5 March 2024", "March 2024", "Q3 2024", "2024-03-05T10:00:00Z",
        "550e8400-e29b-41d4-a716-446655440000", "sha256:9f86d081884c7d65", "9f86d081884c7d65", "doc-001234",
        "dQw4w9WgXcQ", "one two three four five six seven eight nine", "x" * 61,
    ],
)  # fmt: skip
def test_addresses_dates_and_ids_are_not(text: str) -> None:
    assert not is_searchable(text)


def test_values_by_their_keys_each_once() -> None:
    meta = {
        "source": "Harbour  Gazette",
        "author": ["Ann", "ann", 7, None, ["Bo"]],
        "rank": 3,
        "deep": {"x": "Cy"},
    }
    assert keywords_of(meta, ["mole", "Ann"], "auto") == ("Ann", "Harbour Gazette", "mole")
    assert keywords_of(meta, ["mole"], ("source", "nothing")) == ("Harbour Gazette",)
    assert keywords_of(meta, ["mole"], ("tags",)) == ("mole",)
    assert keywords_of(meta, ["mole"], "none") == ()


@pytest.mark.parametrize(
    ("word", "said", "left"),
    [
        ("Ann", "with ANN.", False), ("Ann", "Anna", True), ("Ann", "Joann", True),
        ("Ann", "Joann Ann", False),
        ("Harbour Gazette", "the harbour gazette", False), ("C++", "in C++14", True),
        ("Straße", "STRASSE", False),
    ],
)  # fmt: skip
def test_what_is_said_already_is_not_said_again(word: str, said: str, left: bool) -> None:
    assert missing_keywords(json.dumps([word]), said) == ([word] if left else [])


VALUES = st.one_of(
    st.text(max_size=MAX_CHARACTERS + 5),
    st.sampled_from(["Ann", "ANN", "mole", "the mole", "2020", "/x", "a@b.c"]),
    st.integers(),
    st.none(),
    st.lists(st.sampled_from(["Ann", "mole", "crane"]), max_size=3),
)


@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=5), st.lists(st.text(max_size=8), max_size=3))
@example({"a": "a" * 59 + "z"}, ["0123456789abcdef" * 3])
def test_any_metadata_gives_short_words_in_one_order(meta: dict[str, Any], tags: list[str]) -> None:
    found = keywords_of(meta, tags, "auto")
    assert found == keywords_of(dict(reversed(meta.items())), tags, "auto")
    assert len({word.casefold() for word in found}) == len(found)
    assert all(len(word) <= MAX_CHARACTERS and is_searchable(word, tag=True) for word in found)
    assert set(keywords_of(meta, tags, tuple(meta))) <= set(found) | {"tags"}


def test_a_question_that_names_a_source_finds_it() -> None:
    documents = [
        Document("a", "The crane is painted.", meta={"source": "Harbour Gazette"}),
        Document("b", "The crane is painted.", meta={"source": "Island Herald"}),
    ]
    with fresh() as corpus:
        corpus.add(documents)
        assert corpus.search("herald").hits[0].document == "b"
        assert corpus.search('"island herald"').hits[0].document == "b"
        assert corpus.search("herald").hits[0].text == "The crane is painted."
    with fresh(search="none") as corpus:
        corpus.add(documents)
        assert corpus.search("herald").hits == ()
    with fresh(search=("author",)) as corpus:
        corpus.add(documents)
        assert corpus.search("herald").hits == ()


def indexed(corpus: Corpus) -> dict[int, str]:
    """The text of each passage as a rebuild of the index would read it."""
    parts = (
        part
        for entry in corpus.manifest.entries(db_of(corpus))
        for part in stored_parts(db_of(corpus), entry, "")
    )  # fmt: skip
    return {row.id: row.text for rows, _, _ in parts for row in rows}


def test_all_that_read_a_passage_read_what_was_indexed() -> None:
    with fresh("2020", chunking="10w") as corpus:
        text = (
            "The mole is long and grey and old and cold and wet.\n\nAnn paints the crane in the summer again."
        )
        corpus.add([Document("d", text, "Notes", tags=("pier",), meta={"by": "Ann", "at": "The mole"})])
        corpus.session.clock.to("2021")
        corpus.add([Document("d", "What is new.\n\n" + text, "Notes", tags=("pier",), meta={"by": "Ann"})])
        view = corpus.at().view()
        rows = [part.offset + row for part in view.prefix.parts for row in range(part.hi)]
        import numpy as np

        records = view.records(np.array(rows, np.int64))
        stored = indexed(corpus)
        assert {record.passage: record.indexed for record in records} == stored
        lengths = view.column("length", np.array(rows, np.int64)).tolist()
        assert [len(tokenize(record.indexed)) for record in records] == lengths
        assert indexed_text("Notes", "", "[]", "The mole is here.", '["Ann","The mole","pier"]') == (
            "Notes\nAnn\npier\nThe mole is here."
        )
