"""A summary as an answer: periods, points, citations each with one number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.facts.reports import ReportCitation, ReportPoint
from asof.extensions.facts.summary import MappedPoint, Summary, SummarySection, best_points
from asof.time.moment import read
from asof.time.span import Period, Span
from asof.values import SourcedTime

PUBLISHED = SourcedTime(read("2024-04-02"), "2024-04-02", "metadata")
WHEN = SourcedTime(read("2024-Q1"), "Q1 2024", "text")


def quote(id_: str, sentence: str, when: SourcedTime | None = WHEN) -> ReportCitation:
    return ReportCitation(f"{id_}#1", id_, id_.title(), PUBLISHED, sentence, when)


def point(text: str, *quotes: ReportCitation, changes: tuple[str, ...] = ()) -> ReportPoint:
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


# -- the points that fit -------------------------------------------------------------------------------


def mapped(*points: tuple[str, int, float, float]) -> list[MappedPoint]:
    """Points by their first word, how many words they have, their confidence and importance."""
    return [
        MappedPoint(" ".join([name] * size), importance, sure, ()) for name, size, sure, importance in points
    ]


@pytest.mark.parametrize(
    ("points", "budget", "best", "left"),
    [
        # 90 in all; without the .2 it is 70, without the .5 40
        ([("p", 20, 0.2, 9), ("q", 30, 0.5, 8), ("r", 15, 0.9, 3), ("s", 25, 0.8, 7)], 45, "sr", "2 of 4"),
        # of equally certain ones the least important, then the last by its text
        ([("a", 10, 0.5, 2), ("b", 10, 0.5, 1), ("c", 10, 0.5, 3)], 20, "ca", "1 of 3"),
        ([("c", 10, 0.5, 1), ("a", 10, 0.5, 1), ("b", 10, 0.5, 1)], 20, "ab", "1 of 3"),
        ([("a", 10, 0.1, 1), ("b", 10, 0.9, 2)], 20, "ba", ""),
    ],
)  # fmt: skip
def test_the_least_certain_points_are_dropped(
    points: list[tuple[str, int, float, float]], budget: int, best: str, left: str
) -> None:
    found, note = best_points(mapped(*points), budget)
    assert "".join(each.text[0] for each in found) == best
    assert left in note
    assert bool(note) == bool(left)


ITEMS = st.tuples(st.integers(1, 50), st.integers(0, 3), st.integers(0, 3))


@given(st.lists(ITEMS, max_size=9), st.integers(-5, 200), st.data())
def test_points_in_any_order(items: list[tuple[int, int, int]], budget: int, data: st.DataObject) -> None:
    points = mapped(*((f"{at:02}", *item) for at, item in enumerate(items)))
    found, _ = best_points(points, budget)
    assert best_points(data.draw(st.permutations(points)), budget)[0] == found
    assert [each.importance for each in found] == sorted((each.importance for each in found), reverse=True)
    if found and (dropped := [each for each in points if each not in found]):
        assert min(each.confidence for each in found) >= max(each.confidence for each in dropped)
