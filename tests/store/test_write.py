"""From statements to rows: texts come back byte for byte, corrections, erasure, dropped history."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.made import document, fresh, said

from asof.corpus.corpus import Corpus
from asof.documents import Document, Heading, Link, SourcedTime
from asof.errors import BeforeHorizon, UsageError
from asof.store.digest import indexed_text
from asof.time.moment import read

WORDS = st.sampled_from(["a", "bread.", "Schön", "雪の日", "🙂", "e\u0301", "x_y", "\t", " ", "", "word"])
LINES = st.lists(WORDS, max_size=12).map(" ".join)
HEADED = st.lists(st.tuples(st.booleans(), st.integers(1, 3), LINES), max_size=12)


def outlined(lines: list[tuple[bool, int, str]]) -> tuple[str, tuple[Heading, ...]]:
    text, outline = "", []
    for heading, level, line in lines:
        if heading:
            outline.append(Heading(len(text), level, line.strip()))
            text += "#" * level + " "
        text += line + "\n"
    return text, tuple(outline)


@pytest.mark.parametrize("chunking", ["10w", "10w/4", "12c", "40c/30", "120w", "whole"])
def test_joined_passages_give_the_text_back(chunking: str) -> None:
    @given(st.lists(HEADED, min_size=1, max_size=3, unique_by=outlined))
    def property_(versions: list[list[tuple[bool, int, str]]]) -> None:
        with fresh(chunking=chunking) as corpus:
            for year, lines in enumerate(versions, 2001):
                text, outline = outlined(lines)
                date = SourcedTime(read(str(year)), str(year), "metadata")
                corpus.add([Document("d", text, "title", date, outline=outline)])
            for year, lines in enumerate(versions, 2001):
                assert corpus.at(str(year)).text("d") == outlined(lines)[0]
            assert corpus.at("2000").text("d") is None

    property_()


def test_an_unchanged_passage_keeps_its_row_and_its_id() -> None:
    first = "same words\n" + "one " * 20
    with fresh(chunking="10w") as corpus:
        corpus.add([document("d", first, "2001")])
        before = corpus.at("2001").search("same").hits[0]
        rows = corpus.status().passages
        corpus.add([document("d", first + "\n" + "two " * 20, "2002")])
        after = corpus.at("2002").search("same").hits[0]
        assert before.text.startswith("same words")
        assert (before.id, before.published) == (after.id, after.published)
        assert corpus.status().passages - rows <= 3, "only what changed got rows"


def test_a_passage_that_is_said_twice_is_two_passages() -> None:
    text = ("alpha beta gamma delta epsilon zeta eta theta iota kappa\n\n") * 2
    with fresh(chunking="10w") as corpus:
        corpus.add([document("d", text, "2001")])
        hits = corpus.search("alpha").hits
        assert [hit.place.number for hit in hits] == [0, 1]
        assert len({hit.id for hit in hits}) == 2


def test_what_the_index_holds_of_a_passage() -> None:
    about = '[{"from":null,"until":null,"text":"Q1 2020","by":"metadata"}]'
    assert indexed_text("T", "T\nPart", about, "words", "[]") == "T\nPart\nQ1 2020\nwords"
    assert indexed_text("T", "A\nB", "[]", "## B\nwords", "[]") == "T\nA\n## B\nwords"
    assert indexed_text("", "", "[]", "", "[]") == ""
    assert indexed_text("T", "", about, "ann\u2019s words", '["Ann","Anna","q1 2020"]') == (
        "T\nQ1 2020\nAnna\nann\u2019s words"
    )


# -- corrections ------------------------------------------------------------------------------------


def test_a_correction_is_known_from_when_it_was_made() -> None:
    source = said(document("d", "text", "2020", links=(Link("e"),), aliases=("dee",)))
    with fresh("2021") as corpus:
        corpus.add(source)
        corpus.session.clock.to("2022")
        corpus.correct("d", "2010")
        assert corpus.at("2015").text("d") == "text"
        assert corpus.at("2015", known_at="2021-06").text("d") is None
        assert corpus.at("2021", known_at="2021-06").text("d") == "text"
        assert corpus.at("2015").resolve("dee") == "d"
        assert corpus.at("2015").links("d").broken == ("e",)
        assert corpus.add(source).written == 0, "the source's own statement does not undo it"
        assert corpus.at("2015").text("d") == "text"


def test_a_corrected_date_lets_the_older_life_last_longer() -> None:
    with fresh() as corpus:
        corpus.add([document("d", "old", "2001"), document("d", "new", "2005")])
        assert corpus.at("2006").text("d") == "new"
        corpus.correct("d", "2008")
        assert [corpus.at(year).text("d") for year in ("2006", "2008")] == ["old", "new"]
        assert [hit.text for hit in corpus.at("2006").search("old new").hits] == ["old"]


# -- erasure and dropped history --------------------------------------------------------------------


def test_a_passage_stands_where_it_is_in_what_a_vacuum_left_of_its_text() -> None:
    """The text of 2001 without "One" and "Rye.", which is current again once the text of 2005 is of 2022."""
    outline = (Heading(0, 1, "One"), Heading(11, 1, "Two"))
    with fresh() as corpus:
        corpus.add([document("d", "One\n\nRye.\n\nTwo\n\nBread.", "2001", outline=outline)])
        corpus.add([document("d", "Two\n\nBread.", "2005", outline=(Heading(0, 1, "Two"),))])
        corpus.vacuum("2010")
        corpus.correct("d", "2022")
        then = corpus.at("2021")
        (hit,) = then.search("bread").hits
        assert then.text("d") == hit.text == "Two\n\nBread."
        assert (hit.place.start, hit.place.end) == (0, 11)
        assert then.document("d").headings == (Heading(0, 1, "Two"),)


def test_a_vacuum_changes_no_answer_from_its_horizon_on() -> None:
    def answers(corpus: Corpus) -> list[Any]:
        found: list[Any] = []
        for as_of in ("2011", "2014", None):
            snapshot = corpus.at(as_of)
            hits = snapshot.search("one two three part").hits
            found.append([(hit.id, hit.score, hit.place, hit.published) for hit in hits])
            found.append([snapshot.text(id_) for id_ in ("d", "e")])
        return found

    with fresh("2009") as corpus:
        corpus.add([document("d", "part one", "2001"), document("d", "part two", "2003")])
        corpus.add([document("d", "part three", "2012"), document("e", "one\n\ntwo", "2004")])
        corpus.session.clock.to("2015")
        before = answers(corpus)
        assert corpus.vacuum("2010-06") == 1, "`part one`"
        assert answers(corpus) == before
        assert corpus.check() == []
        with pytest.raises(BeforeHorizon, match="2010-06"):
            corpus.at("2009").search("one")
        with pytest.raises(UsageError):
            corpus.vacuum("2016")
