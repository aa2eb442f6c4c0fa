"""What Python code adds: documents and records, one or several, and what is said of anything else."""

from __future__ import annotations

from datetime import date

import pytest

import asof
from asof.errors import SourceError, UsageError

CRANE = {"id": "a", "text": "The crane is red.", "published": "2021-03"}


@pytest.fixture
def corpus(memory_folder):
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        yield corpus


@pytest.mark.parametrize(
    "given",
    [
        asof.Document("a", "The crane is red.", published="2021-03"),
        [asof.Document("a", "The crane is red.", published="2021-03")],
        (each for each in [CRANE]),
        CRANE,
        [CRANE],
        {**CRANE, "published": date(2021, 3, 31), "tags": ("x", "y")},
    ],
    ids=["document", "list", "generator", "mapping", "mappings", "python's values"],
)
def test_documents_are_added_alone_and_in_any_number(corpus, given):
    report = corpus.add(given)
    assert (report.added, report.problems) == (1, [])
    (hit,) = corpus.at("2021-03").search("crane")
    assert (hit.document, str(hit.published)[:7]) == ("a", "2021-03")
    assert corpus.add(asof.Ended("a", 2022)).ended == 1
    assert len(corpus.at(2023).search("crane")) == 0


def test_a_record_is_read_as_a_line_of_json_is(corpus, tmp_path):
    nan = float("nan")
    records = [
        {"_id": 7, "body": "The crane is red.", "team": "x", "size": nan, "date": nan},
        {"id": "b"},
        {"text": "x"},
    ]
    report = corpus.add([*records, {**CRANE, "published": "soon", "deep": object(), "big": [float("inf")]}])
    assert (report.added, report.failed) == (2, 2)
    said = [
        "item 2 has no text",
        "item 3 has no id; ",
        "item 4: 'big' is l",
        "item 4: 'deep' is ",
        "item 4: 'published",
    ]
    assert sorted(str(problem)[:18] for problem in report.problems) == said
    assert [hit.document for hit in corpus.search("crane", meta={"team": "x"})] == ["7"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "source is None .NoneType.; accepted: a path, arxiv:"),
        (5, "source is 5"),
        (b"notes", r"asof.Document\(id, raw.decode\(\)\)"),
        (asof.Document, "source is <class"),
        (["notes/a.md"], "item 1 is 'notes/a.md' .str.; .*a path is given alone"),
        ([CRANE, 5], "item 2 is 5 .int.; accepted"),
    ],
    ids=str,
)
def test_what_is_no_source_is_told_with_what_is(corpus, given, said):
    with pytest.raises(UsageError, match=said):
        corpus.add(given)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((text, "no path") for text in ("The crane.\nIt is red.", "x" * 300, "a\0b", "", "\ud800")),
        ("The crane is red.", "neither a file nor a folder; of a text make asof.Document"),
        ("notes/none.md", "notes/none.md does not exist; accepted are a folder"),
    ],
)
def test_a_text_in_the_place_of_a_path_is_told_apart(corpus, text, said):
    with pytest.raises(SourceError, match=said):
        corpus.add(text)


def test_a_source_of_ones_own_that_fails_says_why(corpus):
    class Broken:
        name, kind, complete = "broken", "mine", False

        def documents(self):
            raise AttributeError("of its own")

    with pytest.raises(AttributeError, match="of its own"):
        corpus.add(Broken())


def test_a_generator_is_closed_when_an_item_cannot_be_used(corpus):
    closed = []

    def items():
        try:
            yield 5
        finally:
            closed.append(True)

    with pytest.raises(UsageError, match="item 1 is 5"):
        corpus.add(items())
    assert closed
