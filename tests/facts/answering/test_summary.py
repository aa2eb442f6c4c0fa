"""A summary as an answer: periods, points, citations each with one number."""

from __future__ import annotations

from asof.extensions.facts.reports import Quote, ReportPoint
from asof.extensions.facts.summary import Summary, SummarySection
from asof.time.moment import read
from asof.time.span import Period, Span
from asof.values import SourcedTime

PUBLISHED = SourcedTime(read("2024-04-02"), "2024-04-02", "metadata")
WHEN = SourcedTime(read("2024-Q1"), "Q1 2024", "text")


def quote(id_: str, sentence: str, when: SourcedTime | None = WHEN) -> Quote:
    return Quote(f"{id_}#1", id_, id_.title(), PUBLISHED, sentence, when)


def point(text: str, *quotes: Quote, changes: tuple[str, ...] = ()) -> ReportPoint:
    return ReportPoint(text, changes, "central", quotes, ())


def period(when: str) -> Period:
    start = read(when).start
    assert start is not None
    return Period.containing(start, "quarter")


def summary(*sections: SummarySection, by: str = "extract", notes: tuple[str, ...] = ()) -> Summary:
    return Summary("what happened?", Span(None, None), sections, 7, 9, by, notes)


ROPE = quote("rope", "Rope was sold.")
TAR = quote("tar", "Tar was bought.", None)


def test_a_heading_for_each_period_and_a_line_for_each_point():
    made = summary(
        SummarySection(None, (point("Rope is sold throughout.", ROPE),)),
        SummarySection(period("2024-Q1"), (point("Rope was sold.", ROPE, TAR, changes=("2 -> 3, +50%",)),)),
    ).as_answer("")
    assert made.text.split("\n") == [
        "over several periods", "- Rope is sold throughout. [1]", "", "2024-Q1",
        "- Rope was sold. (2 -> 3, +50%) [1][2]",
    ]  # fmt: skip
    assert (made.refused, made.mode, made.by, made.as_of, made.known_at) == (
        False,
        "global",
        "extractive",
        7,
        9,
    )


def test_a_sentence_has_one_number_wherever_it_is_cited():
    twice = SummarySection(period("2024-Q2"), (point("Tar again.", TAR), point("Rope again.", ROPE)))
    made = summary(SummarySection(period("2024-Q1"), (point("Rope.", ROPE),)), twice).as_answer("")
    assert [(each.n, each.id, each.quote) for each in made.citations] == [
        (1, "rope#1", "Rope was sold."), (2, "tar#1", "Tar was bought."),
    ]  # fmt: skip
    assert made.text.split("\n")[-2:] == ["- Tar again. [2]", "- Rope again. [1]"]
    assert [each.about for each in made.citations] == [(WHEN,), ()]
    assert made.citations[0].published == PUBLISHED


def test_two_sentences_of_a_passage_are_two_citations():
    other = quote("rope", "Rope was spliced.")
    made = summary(SummarySection(None, (point("Both.", ROPE, other),))).as_answer("")
    assert [each.quote for each in made.citations] == ["Rope was sold.", "Rope was spliced."]


def test_a_summary_without_sections_is_a_refusal():
    made = summary(notes=("a note",)).as_answer("Otter Mills")
    assert made.refused
    assert made.reason == "no fact about Otter Mills of that time answers the question"
    assert made.text == f"No answer: {made.reason}."
    assert (made.notes, made.citations) == (("a note",), ())
    assert summary().as_answer("").reason == "no fact of that time answers the question"


def test_a_model_is_named():
    assert summary(SummarySection(None, (point("Rope.", ROPE),)), by="m-1").as_answer("").by == "m-1"
    assert summary(by="m-1").as_answer("").by == "m-1"
