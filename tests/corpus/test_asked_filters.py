"""Filters in a question: what they leave out of hits, answers, timelines and changes, and what they say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.corpora import Clock, new_corpus

from asof import Document
from asof.corpus.corpus import Corpus
from asof.errors import BadTime, UsageError
from asof.queries import Filters
from asof.text.operators import MOST, OPERATOR_NOTES

NOTICE = "harbour/notice.md"


def notice(master: str, published: str) -> Document:
    return Document(NOTICE, f"The harbour master is {master}.", "Notice", published, tags="harbour")


@pytest.fixture(scope="module")
def harbour() -> Iterator[Corpus]:
    """A notice in three versions, and other documents; the clock stands at 2025."""
    clock = Clock.at("2025-01-01")
    with new_corpus([], clock=clock) as corpus:
        for master, published in (("Ada", "2020-02-01"), ("Bert", "2021-02-01"), ("Cleo", "2022-02-01")):
            corpus.add(notice(master, published))
        corpus.add([
            Document("guide.md", "The harbour master of the old harbour is Dora.", "Guide", "2023-01-01"),
            Document("barge.md", "A barge costs 30 euros. Barges are slow.", "Barges", "2023-02-01",
                     tags="money/boats"),
            Document("crane.md", "A crane costs 40 euros.", "Cranes", "2023-03-01", tags="money"),
        ])  # fmt: skip
        yield corpus


def test_a_word_is_left_out_of_an_answer(harbour: Corpus) -> None:
    question = "who is the harbour master"
    every = harbour.at().ask(question)
    assert {each.document for each in every.citations} == {NOTICE, "guide.md"}
    told = harbour.at().ask(f"{question} -Dora")
    assert {each.document for each in told.citations} == {NOTICE}
    assert told.question == f"{question} -Dora"
    assert told.notes[0] == "read as filters: -Dora"
    assert harbour.at().ask(f"{question} -Dora -Cleo").refused


def test_all_that_limits_has_to_hold(harbour: Corpus) -> None:
    def found(question: str, **options: object) -> set[str]:
        return {hit.document for hit in harbour.search(question, **options)}  # type: ignore[arg-type]

    assert found("costs tag:money", until="2023-02") == {"barge.md"}
    assert found("costs before:2023-02", tags="money", filters=Filters(since=0)) == {"barge.md"}
    assert found("costs after:2023-03", filters=harbour.at().filters(tags="money")) == {"crane.md"}
    assert found("costs path:c* -crane") == set()
    assert found("costs path:c*", path="*.md") == {"crane.md"}
    with pytest.raises(UsageError, match="source is given twice: 'python', 'wire'; give it once"):
        found("costs source:wire", source="python")


def test_what_is_left_out_changes_no_statistic_and_no_score(harbour: Corpus) -> None:
    """Its tree is the same: N = 4 passages, of which df = 2 say "costs" (`tests/rank/test_gather.py`)."""
    both = harbour.search("costs", recipe="bm25")
    one = harbour.search("costs -barge", recipe="bm25")
    assert [hit.document for hit in both] == ["crane.md", "barge.md"]
    assert list(one) == [both[0]]
    assert one[0].why == both[0].why


def test_the_query_shows_all_filters(harbour: Corpus) -> None:
    results = harbour.search('costs tag:money -"old barge" barge OR crane meta:year!=1 meta:year!=2')
    assert results.query.filters == Filters(
        tags=("money",), without=("old barge",), any_of=(("barge", "crane"),),
        meta=(("year\0!=", "1"), ("year\0!=", "2")),
    )  # fmt: skip
    assert (results.query.text, results.query.lexical) == ("costs barge crane", "costs barge crane")
    assert results.notes[0] == (
        'read as filters: tag:money, -"old barge", barge OR crane, meta:year!=1, meta:year!=2'
    )


def test_a_timeline_leaves_out_what_holds_the_word(harbour: Corpus) -> None:
    def said(question: str) -> list[str]:
        return [each.sentence for each in harbour.at().timeline(question).entries]

    every = [f"The harbour master is {name}." for name in ("Ada", "Bert", "Cleo")]
    assert said("harbour master path:harbour/") == every
    assert said("harbour master path:harbour/ -Bert") == [every[0], every[2]]
    assert said("harbour master path:harbour/ Ada OR Cleo") == [every[0], every[2]]
    assert said("harbour master path:harbour/ after:2022-06") == [every[2]], "what was current then"
    assert harbour.at().timeline("harbour master -Bert").question == "harbour master -Bert"


def test_changes_leave_out_what_holds_the_word(harbour: Corpus) -> None:
    def said(question: str) -> list[tuple[str, str]]:
        changes = harbour.at().changes(question, since="2020-06")
        return [
            (edit.before.text[-4:-1] if edit.before else "", edit.after.text[-4:-1] if edit.after else "")
            for each in changes.documents if each.document == NOTICE for edit in each.edits
        ]  # fmt: skip

    assert said("harbour master") == [("Ada", "ert"), ("ert", "leo")]
    assert said("harbour master -Cleo") == [("Ada", "ert")]
    assert said("-Cleo tag:harbour") == [("Ada", "ert")], "without a word to look for"
    assert said("harbour master before:2021") == [("Ada", "ert")]
    assert said("after:2022") == [("ert", "leo")]


def test_answers_on_how_documents_changed_leave_out_what_holds_the_word(harbour: Corpus) -> None:
    question = "who was the harbour master before 2021"
    then = harbour.at()
    told = then.ask("what changed in the harbour master path:harbour/").text
    assert "Bert" in told
    assert "Bert" not in then.ask("what changed in the harbour master path:harbour/ -Bert").text
    assert "barge.md" not in str(then.ask("what happened in 2023 -barges").citations)
    assert "barge.md" in str(then.ask("what happened in 2023").citations)
    assert "Ada" not in then.ask(f"{question} -Ada").text


def test_why_not_names_the_word(harbour: Corpus) -> None:
    def reason(question: str) -> str:
        return harbour.at().why_not("barge.md", question).reason

    assert reason("costs -barges") == "a filter excludes it: it contains 'barges'"
    assert reason("costs crane OR mole") == "a filter excludes it: it contains none of crane, mole"
    assert reason("costs -tag:money") == "a filter excludes it: -tag money"
    assert reason("costs path:crane*") == "a filter excludes it: path crane*"


def test_an_overview_does_not_tell_what_is_left_out(harbour: Corpus) -> None:
    answer = harbour.at().ask("what happened in 2022 and 2023 -crane", mode="global")
    assert "rane" not in answer.text


@pytest.mark.parametrize(
    ("question", "error", "message"),
    [
        ("costs after:someday", BadTime, "after:someday: 'someday' is not a time.*searched as words"),
        ('costs before:"since 2020"', BadTime, "before:since 2020: .* has no end"),
        ("costs meta:team", UsageError, "meta:team: meta 'team': key=value is expected"),
        ("tag:money", UsageError, "'tag:money' has only filters: add words"),
        ("tag:money -barge", UsageError, "has only filters"),
        ("costs -path:x", UsageError, "only a tag, a word or a phrase can be left out"),
        ("costs " + "-barge " * (MOST + 1), UsageError, "51 operators"),
    ],
)
def test_a_wrong_filter_is_an_error(
    harbour: Corpus, question: str, error: type[Exception], message: str
) -> None:
    then = harbour.at()
    for ask in (
        then.search,
        then.ask,
        then.timeline,
        then.read,
        lambda asked: then.why_not("barge.md", asked),
    ):
        with pytest.raises(error, match=message):
            ask(question)


def test_a_filter_that_no_document_passes_is_told(harbour: Corpus) -> None:
    notes = harbour.search("costs tag:mony path:barge").notes
    assert "nothing matches: no document has the tag 'mony'; did you mean money?" in notes
    assert any(note.startswith("nothing matches: no document's id matches 'barge'") for note in notes)


def test_the_published_recipes_read_operators_too(harbour: Corpus) -> None:
    for recipe in ("bm25", "tempralm", "papers", "twe", "vault"):
        found = harbour.search("costs crane OR mole -barge", recipe=recipe)
        assert [hit.document for hit in found] == ["crane.md"], recipe


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("harbour master -Dora", ("read as filters: -Dora",)),
        (
            "harbour AND master -Bert tag:harbour",
            (
                "read as filters: -Bert, tag:harbour",
                "read as words: AND (operators: a -b, a NOT b, a OR b)",
            ),
        ),
    ],
)
def test_what_was_read_is_told_by_all_that_are_asked(
    harbour: Corpus, question: str, said: tuple[str, ...]
) -> None:
    then = harbour.at()
    for notes in (
        then.search(question).notes, then.ask(question).notes, then.context(question).notes,
        then.read(question).notes, then.timeline(question).notes, then.changes(question, since="2020").notes,
    ):  # fmt: skip
        assert tuple(note for note in notes if note.startswith(OPERATOR_NOTES)) == said
