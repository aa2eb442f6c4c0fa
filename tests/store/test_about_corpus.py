"""What passages are about, as it stood: claims of a version's date, corrections, filters, erasure, vacuum."""

from __future__ import annotations

from typing import Any

import pytest
from tests.store.made import document, fresh

from asof.corpus.corpus import Corpus
from asof.documents import Document, SourcedTime
from asof.queries import Filters
from asof.time.moment import read
from asof.time.span import Span


def times(
    corpus: Corpus, as_of: str, question: str = "crane", **options: Any
) -> dict[str, list[tuple[str, str]]]:
    """From the document of each hit to its times: words and field."""
    hits = corpus.at(as_of).search(question, **options).hits
    return {hit.document: [(time.text, time.by) for time in hit.about] for hit in hits}


def force(corpus: Corpus, as_of: str) -> tuple[str, str]:
    """When the first hit is in force: words and field."""
    time = corpus.at(as_of).search("crane").hits[0].in_force
    assert time is not None
    return time.text, time.by


def found(
    corpus: Corpus, about: str, question: str = "crane", as_of: str = "2024", **options: Any
) -> set[str]:
    hits = corpus.at(as_of).search(question, 50, about=about, **options).hits
    return {hit.document for hit in hits}


def valid(first: str, last: str = "") -> SourcedTime:
    until = read(last).end if last else None
    return SourcedTime(Span(read(first).start, until), f"{first} .. {last}".strip(), "valid_from")


def test_an_end_that_is_learned_later_is_a_new_version() -> None:
    with fresh("2020") as corpus:
        corpus.add([document("d", "The crane may lift.", "2020-01-01", about=(valid("2020"),))])
        corpus.session.clock.to("2023-05-01")
        report = corpus.add(
            [document("d", "The crane may lift.", "2020-01-01", about=(valid("2020", "2022"),))]
        )
        assert report.changed == 1, "the same text, another claim: an edit, when it is known"
        assert force(corpus, "2023-04") == ("2020 ..", "valid_from")
        assert force(corpus, "2023-06") == ("2020 .. 2022", "valid_from")
        assert found(corpus, "2025", as_of="2023-04") == {"d"}
        assert found(corpus, "2025", as_of="2023-06") == set()
        assert found(corpus, "2021", as_of="2023-06") == {"d"}
        assert corpus.at("2023-06", "2023-04").search("crane", about="2025").hits, "nobody knew its end then"


def test_a_passage_that_is_said_on_counts_from_when_it_was_said_first() -> None:
    first = "Yesterday the crane fell.\n\n" + "one " * 9
    with fresh(chunking="10w") as corpus:
        corpus.add([document("d", first, "2020-05-05")])
        corpus.add([document("d", first + "\n\n" + "two " * 9, "2021-06-06")])
        hit = corpus.at("2022").search("fell").hits[0]
        assert [(time.span, time.text) for time in hit.about] == [(read("2020-05-04"), "Yesterday")]


def test_filters_on_what_is_spoken_of() -> None:
    with fresh("2023", undated="always") as corpus:
        corpus.add([
            document("meta", "The crane.", "2010", about=(valid("2019", "2020"),)),
            document("title", "The crane.", "2011", title="Cranes of 2018"),
            document("text", "The crane of March 2019 and the crane of 1999.", "2012"),
            document("dated", "The crane.", "2019-07-07"),
            document("undated", "The crane."),
        ])  # fmt: skip
        assert found(corpus, "2019") == {"meta", "text", "dated"}
        assert found(corpus, "2018") == {"title"}
        assert found(corpus, "2019-04") == {"meta"}
        assert found(corpus, "2012") == set(), "what speaks of other times is not of its date"
        assert found(corpus, "2019", until="2015") == {"meta", "text"}
        assert found(corpus, "2019", path="d*") == {"dated"}
        view = corpus.at("2024").view()
        assert view.count_without_times(Filters()) == 1, "`undated`"
        assert view.count_without_times(Filters(since=0)) == 0


def test_a_folder_without_its_slash_is_the_folder_where_no_document_is_called_so() -> None:
    with fresh("2023", undated="always") as corpus:
        corpus.add([
            document("house/money/rent.md", "The crane.", "2010"),
            document("house/money.md", "The crane.", "2010"),
            document("money/crane.md", "The crane.", "2010"),
            document("house/money", "The crane.", "2015"),
        ])  # fmt: skip

        def found(path: str, as_of: str) -> set[str]:
            then = corpus.at(as_of)
            return {hit.document for hit in then.search("crane", filters=then.filters(path=path)).hits}

        assert found("house/money", "2012") == {"house/money/rent.md"}, "what is published later is not known"
        assert found("house/money", "2016") == {"house/money"}
        assert found("house/money/", "2016") == {"house/money/rent.md"}
        assert found("money", "2016") == {"house/money/rent.md", "money/crane.md"}
        assert found("house/money.md", "2016") == {"house/money.md"}
        assert found("hous", "2016") == set()


def test_a_passage_that_has_ended_is_not_counted() -> None:
    with fresh("2023", undated="always") as corpus:
        corpus.add([document("d", "The crane.")])
        corpus.session.clock.to("2024")
        corpus.add([document("d", "The crane again.")])
        for as_of, expected in (("2023-06", 1), ("2025", 0)):  # an edit has a date: when it was known
            view = corpus.at(as_of).view()
            assert view.count_without_times(Filters()) == expected


@pytest.mark.parametrize("what", ["vacuum", "purge", "mend"])
def test_what_is_left_is_about_the_same(what: str) -> None:
    with fresh("2020") as corpus:
        corpus.add([
            document("d", "Yesterday the crane fell.", "2001-05-05", title="Cranes of 1990"),
            document("d", "Last year the crane fell.", "2004-05-05", title="Cranes of 1991"),
            document("e", "The crane of spring 1999.", "2002-01-01"), document("gone", "A crane.", "2003"),
        ])  # fmt: skip
        before = times(corpus, "2010")
        assert before["d"] == [("1991", "title"), ("Last year", "text")]
        if what == "vacuum":
            assert corpus.vacuum("2005") == 1
        elif what == "purge":
            corpus.purge("gone")
            before.pop("gone")
        else:
            for path in corpus.manifest.folder.iterdir():
                path.write_bytes(path.read_bytes()[:-40])
            assert corpus.check()
        assert times(corpus, "2010") == before
        assert found(corpus, "2003") == ({"d"} if what == "purge" else {"d", "gone"})
        assert found(corpus, "1991") == {"d"}
        assert corpus.check() == []


def test_keywords_and_times_of_documents_from_python() -> None:
    with fresh("2023") as corpus:
        corpus.add([Document("d", "Costs of FY2022 for the crane.", fiscal_start=7)])
        (hit,) = corpus.at("2024").search("crane").hits
        assert [time.span for time in hit.about] == [Span(read("2021-07").start, read("2022-06").end)]
        corpus.session.clock.to("2023-06-01")
        assert corpus.add([Document("d", "Costs of FY2022 for the crane.", fiscal_start=1)]).changed == 1
        assert [time.span for time in corpus.at("2024").search("crane").hits[0].about] == [read("2022")]
