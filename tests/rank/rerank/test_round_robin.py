"""Several documents by name: their passages in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from asof.rank.combine import Combine, MaxNormalize
from asof.rank.gather import Lexical, TopK
from asof.rank.rerank import RoundRobinByDocument
from asof.values import Document, Heading

Make = Callable[..., Any]


def report(document: Make, id_: str, title: str, date: str, *texts: str) -> Document:
    text, outline = "", []
    for said in texts:
        outline.append(Heading(len(text), 1, said.split()[0]))
        text += f"# {said}\n"
    made: Document = replace(document(id_, text, date, title=title), outline=tuple(outline))
    return made


@pytest.fixture
def reports(document: Make) -> list[Document]:
    said = ("a revenue revenue revenue rose", "b revenue rose", "c staff left")
    return [
        report(document, "acme", "Acme report", "2021-05", *said),
        report(document, "bolt", "Bolt report", "2021-06", *said[1:]),
        report(document, "late", "Acme report", "2023-06", *said),
        report(document, "cork", "Cork almanac", "2021-06", *said),
    ]


QUESTION = "revenue of Acme and Bolt report"


def test_documents_that_are_named_take_turns(fresh: Make, run: Make, reports: list[Document]) -> None:
    with fresh(*reports) as corpus:
        plain = run(corpus, QUESTION, Lexical(), TopK(), k=99)
        before = {hit.id: hit.score for hit in plain.hits}
        found = run(corpus, QUESTION, Lexical(), RoundRobinByDocument(), TopK(), k=99, spoken=["2021"])
        assert [hit.document for hit in found.hits[:5]] in (
            ["acme", "bolt", "acme", "bolt", "acme"], ["bolt", "acme", "bolt", "acme", "acme"],
        )  # fmt: skip
        acme = [hit.text.strip() for hit in found.hits[:5] if hit.document == "acme"]
        assert acme == ["# a revenue revenue revenue rose", "# b revenue rose", "# c staff left"]
        turns = [1, 1, 2, 2, 3]
        assert [hit.score for hit in found.hits[:5]] == [
            10_000.0 - turn + before[hit.id] * 0.001 for turn, hit in zip(turns, found.hits, strict=False)
        ]
        rest = {hit.id: hit.score for hit in found.hits[5:]}
        assert rest == {id_: score for id_, score in before.items() if id_.startswith(("late", "cork"))}
        assert "passages of 2 documents that the question names, in turn" in found.notes


def test_scores_in_the_unit_interval_stay_there(fresh: Make, run: Make, reports: list[Document]) -> None:
    """Three rounds: 1/2 + (3 - round + score) / 6 for those in turn, half of the score for all others."""
    bounded = (Lexical(), MaxNormalize(), Combine((("normalized", 1.0),)))
    with fresh(*reports) as corpus:
        before = {hit.id: hit.score for hit in run(corpus, QUESTION, *bounded, TopK(), k=99).hits}
        found = run(corpus, QUESTION, *bounded, RoundRobinByDocument(), TopK(), k=99, spoken=["2021"])
        assert [hit.score for hit in found.hits[:5]] == [
            0.5 + (before[hit.id] + 3 - turn) / 6
            for turn, hit in zip([1, 1, 2, 2, 3], found.hits, strict=False)
        ]
        assert {hit.id: hit.score for hit in found.hits[5:]} == {
            id_: score / 2 for id_, score in before.items() if id_.startswith(("late", "cork"))
        }
        assert all(hit.why.recomputed() == hit.score for hit in found.hits)


def test_nothing_changes(fresh: Make, run: Make, reports: list[Document]) -> None:
    """Without a time, of a time of which nothing is, without a name, where each document has one passage."""
    with fresh(*reports) as corpus:
        plain = run(corpus, QUESTION, Lexical(), TopK(), k=99).hits
        for spoken in ([], ["1999"]):
            assert (
                run(corpus, QUESTION, Lexical(), RoundRobinByDocument(), TopK(), k=99, spoken=spoken).hits
                == plain
            )
        asked = "revenue staff"
        found = run(corpus, asked, Lexical(), RoundRobinByDocument(), TopK(), k=99, spoken=["2021"])
        assert found.hits == run(corpus, asked, Lexical(), TopK(), k=99).hits
        assert run(corpus, "penguin", Lexical(), RoundRobinByDocument(), TopK(), spoken=["2021"]).hits == ()
        one = run(
            corpus,
            QUESTION,
            Lexical(),
            RoundRobinByDocument(title_coverage=1.0),
            TopK(),
            k=99,
            spoken=["2021"],
        )
        assert {hit.document for hit in one.hits if hit.score > 100} == {"acme", "bolt"}
    short = [replace(each, text="# a revenue\n", outline=each.outline[:1]) for each in reports]
    with fresh(*short) as corpus:
        found = run(corpus, QUESTION, Lexical(), RoundRobinByDocument(), TopK(), k=99, spoken=["2021"])
        assert found.hits == run(corpus, QUESTION, Lexical(), TopK(), k=99).hits


def test_how_much_of_a_title_has_to_be_said(fresh: Make, run: Make, document: Make) -> None:
    """Of "Acme gazette" half is said, of equal words: 1 / 2 is less than .6."""
    made = [report(document, "a", "Acme gazette", "2021", "x boat mill", "y boat mill")]
    with fresh(*made) as corpus:
        for said, led in ((0.4, True), (0.6, False)):
            hits = run(
                corpus,
                "boat acme",
                Lexical(),
                RoundRobinByDocument(title_coverage=said),
                TopK(),
                spoken=["2021"],
            ).hits
            assert [hit.score > 100 for hit in hits] == [led, led]
