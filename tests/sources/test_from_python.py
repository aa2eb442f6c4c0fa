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


def test_a_misspelt_field_is_told_with_the_right_one(corpus):
    report = corpus.add([
        {"id": "a", "text": "The crane.", "publised": "2024-01-05"},
        {"id": "b", "text": "The mole.", "published": "2023", "publisher": "Quay Press"},
        {"id": "c", "text": "The quay.", "publised": date(2024, 1, 6)},
    ])  # fmt: skip
    (problem,) = report.problems
    said = "item 1: 'publised' is read as metadata: did you mean 'published'? (2 records)"
    assert (problem.message, problem.lost, report.added) == (said, False, 3)
    (hit,) = corpus.search("crane", meta={"publised": "2024-01-05"})
    assert hit.published is None


@pytest.mark.parametrize("name", ["meta", "metadata"])
def test_nested_metadata_is_that_of_the_document(corpus, name):
    told = {"team": "port", "published": "2021-03", "tags": ["quay"], "title": None}
    record = {"id": "a", "text": "The crane.", "title": "Crane", "size": 3, name: told}
    assert corpus.add(record).problems == []
    (hit,) = corpus.search("crane", meta={"team": "port"}, tags="quay")
    assert (hit.title, str(hit.published)) == ("Crane", "2021-03")
    assert hit.meta == {"size": 3, "team": "port"}


def test_metadata_that_contradicts_the_record_is_an_error_of_that_record(corpus):
    both = {"title": "Crane", "metadata": {"title": "Crane"}}
    report = corpus.add([
        {**CRANE, **both, "meta": {"title": "Mole"}},
        {"id": "b", "text": "The crane.", **both, "meta": "words"},
    ])  # fmt: skip
    (problem,) = report.problems
    assert problem.message == "item 1 states 'title' twice: 'Crane', and 'Mole' in 'meta'"
    assert (problem.document, problem.lost, report.added) == ("a", True, 1)
    assert [hit.meta for hit in corpus.search("crane")] == [{"meta": "words"}]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (
            {"id": "a", "contnet": "x"},
            "text; accepted fields are text, body, content, contents (not 'contnet')",
        ),
        ({"doc-id": "a", "text": "x"}, "id; accepted fields are id, _id, doc_id (not 'doc-id')"),
        ({"id": "a", "price": 3}, "text; accepted fields are text, body, content, contents"),
    ],
)
def test_a_field_that_is_needed_and_misspelt_is_named(corpus, record, said):
    (problem,) = corpus.add(record).problems
    assert problem.message == f"item 1 has no {said}"


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
