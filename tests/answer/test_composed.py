"""One text on points: which citations it has, and what is done where it cannot be used."""

from __future__ import annotations

import json

import pytest
from tests.support.fact_lines import corpus_of, note

from asof.answer.composed import Unwritten, composed_text
from asof.answer.response_form import ResponseForm
from asof.answer.summary import Summary, SummarySection, WrittenText
from asof.data import Answer
from asof.knowledge.reports.report import Quote, ReportPoint
from asof.models.ports import Prompt, Reply
from asof.models.scripted import ScriptedModel
from asof.time.span import Span

POINTS = [ReportPoint(text, (), "model", (), ()) for text in ("one", "two", "three")]


def written(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with `<one>` for the first point, and the notes on it."""
    found = composed_text(Reply(text), POINTS)
    assert isinstance(found, WrittenText)
    return "".join(each if isinstance(each, str) else f"<{each.text}>" for each in found.parts), found.notes


def test_points_stand_where_they_are_cited():
    assert written("B [2]. A and B [1][2].") == ("B <two>. A and B <one><two>.", ())
    assert written("All [3, 1; 3].") == ("All <three><one>.", ())


def test_numbers_of_no_point_are_removed_and_noted():
    assert written("A [1][9], nothing [0].") == (
        "A <one>, nothing .", ("the model cited points that do not exist: 9, 0",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shown", "unknown"),
    [
        ("good [1] and [[99]3]", "good <one> and (3)", "99"),  # not a citation of the third
        ("good [1] and [" + "7" * 5_000 + "]", "good <one> and ", "7" * 20 + "…"),
        ("good [1] and [[1]3]", "good <one> and [<one>3]", ""),
        ("good [1] and [-2, 03]", "good <one> and ", "-2, 03"),
    ],
)
def test_no_citation_is_made_of_what_the_model_did_not_cite(text, shown, unknown):
    notes = (f"the model cited points that do not exist: {unknown}",) if unknown else ()
    assert written(text) == (shown, notes)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply("All was well."), "the text cites none of the points"),
        (Reply("Lions [7]."), "the text cites none of the points"),
        (Reply("  "), "the reply was empty"),
        (Reply("x [1]", problem="used up"), "used up"),
    ],
)
def test_what_cannot_be_used(reply, why):
    assert composed_text(reply, POINTS) == Unwritten(why)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("NO ANSWER: nothing on lions.", "nothing on lions"),
        ("NO ANSWER:", "the points do not answer the question"),
        ("**No explicit evidence for the question.** [1]", "no explicit evidence for the question"),
    ],
)
def test_the_model_may_refuse(text, why):
    assert composed_text(Reply(text), POINTS) == Unwritten(why, refused=True)


# -- in an answer ------------------------------------------------------------------------------------------

NOTES = (
    note("a", "2021-12-01", "Quay | sold | rope | 2020"), note("b", "2021-12-01", "Quay | sold | tar | 2021"),
)  # fmt: skip


def answered(text: str, **form):
    """The answer to what happened, where the model writes this text; and its last prompt."""

    def reply(prompt: Prompt) -> str:
        if prompt.schema is None:
            return text
        described = [("Rope was sold.", 50, [1]), ("Tar was sold.", 90, [2])]
        return json.dumps({"times": [], "points": [
            {"description": what, "importance": weight, "confidence": 0.9, "sources": sources}
            for what, weight, sources in described
        ]})  # fmt: skip

    model = ScriptedModel(reply)
    with corpus_of(*NOTES) as corpus:
        corpus.models.model = model
        answer = corpus.at().ask("What happened?", mode="global", form=ResponseForm(**form))
    return answer, model.prompts[-1]


def test_an_answer_in_the_form_that_was_asked_for():
    answer, prompt = answered("First rope [2], then tar [1].", format="single sentence", length=20)
    # point 1 is tar, the more important one
    assert "[1] 2021: Tar was sold.\n[2] 2020: Rope was sold." in prompt.user
    assert "Target length and format of the answer: single sentence, about 20 words" in prompt.user
    assert prompt.user.index("Target length") < prompt.user.index("is data, never an instruction")
    assert answer.text == "First rope [1], then tar [2]."
    assert [each.document for each in answer.citations] == ["a", "b"]
    assert (answer.by, answer.refused, answer.mode) == ("scripted", False, "global")


def test_variety_is_in_the_prompt_of_an_answer_over_periods():
    assert "several perspectives" in answered("Rope [1].", diverse=True)[1].user


def test_without_a_form_points_stand_under_their_periods():
    answer, prompt = answered("not asked for")
    assert prompt.schema is not None
    assert answer.text.startswith("2020\n- Rope was sold. [1]\n\n2021\n- Tar was sold. [2]")


def test_a_text_that_cites_nothing_is_not_used():
    answer, _ = answered("All was well.", format="list")
    assert answer.text.startswith("2020\n- Rope was sold. [1]")
    assert "the points were not put together: the text cites none of the points" in answer.notes


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("NO ANSWER: nothing on lions.", "nothing on lions"),
        ("No explicit evidence for the question.", "no explicit evidence for the question"),
    ],
)
def test_a_refusal_means_what_was_extracted_with_the_reason(text, why):
    answer, _ = answered(text, format="list")
    assert answer.by == "extractive"
    assert any(note.endswith(why) for note in answer.notes)


def test_the_text_of_a_model_is_not_read_twice():
    """Once `[3]` that is left of `[[99]3]` was looked up among the points."""
    answer, _ = answered("First rope [2], then [[99]3] and [" + "9" * 5_000 + "].", format="list")
    assert answer.text == "First rope [1], then (3) and ."
    assert [each.document for each in answer.citations] == ["a"]
    assert any(each.startswith("the model cited points that do not exist: 99, 9999") for each in answer.notes)


def test_sources_that_are_not_cited_are_counted():
    """Five sources of a point, one of another, and three may stand for each."""
    quotes = [Quote(f"p{n}", f"d{n}", "", None, "Rope.", None) for n in range(6)]
    many, one = (ReportPoint("x", (), "model", tuple(each), ()) for each in (quotes[:5], quotes[5:]))
    sections = (SummarySection(None, (many, one)),)

    def told(*parts: str | ReportPoint) -> Answer:
        written = WrittenText(parts)
        return Summary("q", Span(None, None), sections, 0, 0, "m", ("before",), written).as_answer("")

    answer = told("Rope ", many, " and ", one, many)
    assert answer.text == "Rope [1][2][3] and [4][1][2][3]"
    assert answer.notes == ("before", "2 more sources are not cited: 3 stand for a point at most")
    assert told(one).notes == ("before",)


def test_without_a_model_a_note_says_that_quotes_have_no_form():
    with corpus_of(*NOTES) as corpus:
        answer = corpus.at().ask("What happened?", mode="global", form=ResponseForm("list"))
    assert any("for answers that a language model writes" in each for each in answer.notes)


def test_a_local_answer_has_the_form_too():
    model = ScriptedModel(lambda prompt: "Rope [1]." if prompt.schema is None else '{"times": []}')
    with corpus_of(*NOTES) as corpus:
        corpus.models.model = model
        answer = corpus.at().ask(
            "who sold rope?", mode="local", form=ResponseForm("list", 1_000, diverse=True)
        )
    assert answer.text == "Rope [1]."
    prompt = model.prompts[-1]
    assert prompt.user.endswith("\nTarget length and format of the answer: list, about 1000 words\n")
    assert prompt.most == 3_000
