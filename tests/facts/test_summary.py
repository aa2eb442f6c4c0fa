"""Summaries of a time: what they take, what a model makes of them, and how they are told."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scripted import ScriptedModel
from tests.support.stated_facts import corpus_of_texts, stated

from asof.documents import SourcedTime
from asof.extensions.facts.build import ReportSelection
from asof.extensions.facts.hierarchy import Hierarchy
from asof.extensions.facts.reports import ReportCitation, ReportPoint
from asof.extensions.facts.summary import (
    MAX_SECTIONS,
    MOST_POINTS,
    EvidencePiece,
    MappedPoint,
    Summary,
    SummarySection,
    best_points,
    map_reduce,
    summarise_span,
    summary_periods,
)
from asof.hits import NotedPoint
from asof.models.ports import Reply
from asof.store.reader import visible_passages
from asof.time.moment import read
from asof.time.span import Period, Span

# -- digests of a whole time -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    """Rope and tar through three years, a document each."""
    texts = [
        f"Quay {what} in {when}."
        for what, when in (
            ("sold rope", "2023-Q4"), ("sold rope", "2024-Q1"), ("bought tar", "2024-02"),
            ("sold rope", "2024-Q3"), ("sold rope", "2024"), ("bought rope", "2025-Q1"),
        )
    ]  # fmt: skip
    with corpus_of_texts(tmp_path_factory.mktemp("quay"), texts, "Book", "2025-06-01") as corpus:
        yield corpus.at().view()


def rope(text: str) -> float:
    return 1.0 if "rope" in text else 0.0


def told(digest) -> list[tuple[str, list[str]]]:
    return [(str(each.period), [point.text for point in each.points]) for each in digest.sections]


YEAR = read("2024")


def test_a_digest_has_the_points_of_each_period_in_order_of_time(view):
    digest = summarise_span("what happened to rope?", view, YEAR, ReportSelection(relevance=rope))
    assert told(digest) == [
        ("2024", ["Quay sold rope in 2024."]),
        ("2024-Q1", ["Quay sold rope in 2024-Q1."]),
        ("2024-Q3", ["Quay sold rope in 2024-Q3."]),
    ]
    assert (digest.by, digest.notes, digest.span) == ("extract", (), YEAR)
    assert [each.document for s in digest.sections for p in s.points for each in p.citations] == [
        "d4",
        "d1",
        "d3",
    ]


def test_a_question_without_words_of_its_own_gets_all(view):
    # 2023-Q4 would say nothing here, and tar is told with the quarter that holds its month
    assert [text for _, texts in told(summarise_span("what happened?", view, YEAR)) for text in texts] == [
        "Quay sold rope in 2024.", "Quay sold rope in 2024-Q1.", "Quay bought tar in 2024-02.",
        "Quay sold rope in 2024-Q3.",
    ]  # fmt: skip


def test_what_says_less_than_half_of_the_best_is_left_out(view):
    def weigh(text):
        return {"sold": 1.0, "bought": 0.4}["sold" if "sold" in text else "bought"] if "Quay" in text else 0.0

    assert all(
        "bought" not in text
        for _, texts in told(summarise_span("x", view, YEAR, ReportSelection(relevance=weigh)))
        for text in texts
    )


def test_nothing_of_the_question_is_no_section(view):
    digest = summarise_span("zebras?", view, YEAR, ReportSelection(relevance=lambda _: 0.0))
    assert digest.sections == ()
    assert summarise_span("rope?", view, read("1999"), ReportSelection(relevance=rope)).sections == ()
    assert summarise_span("rope?", view, YEAR, ReportSelection(about="Mole", relevance=rope)).sections == ()


SUMMER = datetime(2023, 6, 1, tzinfo=UTC)
spans = st.tuples(st.integers(0, 900), st.integers(1, 900)).map(
    lambda days: Span(SUMMER + timedelta(days[0]), SUMMER + timedelta(days[0] + days[1]))
)


@given(scope=spans)
def test_nothing_is_from_outside_the_scope(view, scope):
    for section in summarise_span("rope?", view, scope, ReportSelection(relevance=rope)).sections:
        assert section.period is not None
        assert scope.first <= section.period.span.first
        assert section.period.span.last <= scope.last
        for point in section.points:
            for fact in point.facts:
                assert fact.fact.when is not None
                assert scope.first <= fact.fact.when.span.first
                assert fact.fact.when.span.last <= scope.last


def test_the_periods_take_turns_when_there_is_too_much(tmp_path):
    texts = [f"Quay r{n} rope in 2024-Q1." for n in range(40)] + ["Quay sold rope in 2024-Q3."]
    with corpus_of_texts(tmp_path, texts) as corpus:
        digest = summarise_span("rope?", corpus.at().view(), YEAR, ReportSelection(relevance=rope))
    sizes = {str(each.period): len(each.points) for each in digest.sections}
    assert sizes == {"2024-Q1": 12, "2024-Q3": 1}  # a report has 12 points
    assert sum(sizes.values()) <= MOST_POINTS


QUARTERS = [f"2024-Q{number}" for number in (1, 2, 3, 4)]
DAYS = [f"2024-01-{day:02}" for day in range(1, 32)]


@pytest.mark.parametrize(
    ("facts", "span", "parts"),
    [
        (["2024"], "2024", ["2024"]),
        (["2024", "2024-Q1"], "2024", ["2024 itself", "2024-Q1"]),
        (["2024-02-03"], "2024", ["2024-02-03"]),  # a heading as exact as can be
        ([*QUARTERS, "2024-05"], "2024", QUARTERS),
        (["2023", "2024-Q1"], "2024", ["2024-Q1"]),
        (DAYS[:17], "2024-01", ["2024-01"]),  # 17 days are more than 16
        (DAYS[:16], "2024-01", DAYS[:16]),
    ],
)  # fmt: skip
def test_the_headings_of_a_digest(facts, span, parts):
    tree = Hierarchy.of(stated(when, number=n) for n, when in enumerate(facts))
    found = summary_periods(tree, read(span))
    assert [f"{each.period}{'' if each.whole else ' itself'}" for each in found] == parts
    assert len(found) <= MAX_SECTIONS


# -- with a model -----------------------------------------------------------------------------------------


def noted(*found: tuple[str, float, float, list[int]]) -> str:
    keys = ("description", "importance", "confidence", "sources")
    return json.dumps({"points": [dict(zip(keys, each, strict=True)) for each in found]})


def merged(*found: tuple[str, list[int]]) -> str:
    return json.dumps({"statements": [{"statement": text, "points": numbers} for text, numbers in found]})


def model_of(mapping, reduction):
    def reply(prompt):
        made = mapping if prompt.system.startswith("You read one part") else reduction
        return made(prompt) if callable(made) else made

    return ScriptedModel(reply)


def ask(view, model, **more):
    return summarise_span(
        "what happened to rope?", view, YEAR, ReportSelection(relevance=rope), model=model, **more
    )


def test_a_model_notes_points_and_puts_them_together(view):
    model = model_of(
        noted(("Rope sold well at first.", 60, 0.9, [2]), ("And later.", 80, 0.8, [3, 3])),
        merged(("Rope sold in autumn.", [1]), ("Rope sold through the year.", [1, 2])),
    )
    digest = ask(view, model)
    assert told(digest) == [("None", ["Rope sold through the year."]), ("2024-Q3", ["Rope sold in autumn."])]
    assert (digest.by, digest.notes) == ("scripted", ())
    assert [each.document for each in digest.sections[0].points[0].citations] == ["d3", "d1"]
    first, second = model.prompts
    assert "[2] Report on 2024-Q1: Quay sold rope in 2024-Q1. [Book, 2025-06-01]" in first.user.splitlines()
    # the more important one first
    assert "[1] 2024-Q3: And later.\n[2] 2024-Q1: Rope sold well at first.\n" in second.user
    assert len(first.passages) == 3
    assert len(second.passages) == 2  # those of the points that it is about


def test_passages_stand_behind_the_reports(view):
    held = sorted(visible_passages(view.store.db, range(1, 7), view.as_of, view.known_at).values())
    model = model_of(noted(("Tar too.", 60, 0.9, [4])), merged(("Tar too.", [1])))
    digest = ask(view, model, passages=[each for each in held if "tar" in each.text])
    assert "[4] Book (2025-06-01): Quay bought tar in 2024-02." in model.prompts[0].user
    assert told(digest) == [("None", ["Tar too."])]  # a passage has no period
    assert digest.sections[0].points[0].citations[0].document == "d2"


def test_passages_of_another_time_are_not_read(view):
    held = sorted(visible_passages(view.store.db, range(1, 7), view.as_of, view.known_at).values())
    model = model_of(noted(("Rope.", 60, 0.9, [1])), merged(("Rope.", [1])))
    ask(view, model, passages=held)
    # all were published in 2025; d0 speaks of 2023, d5 of 2025
    assert [f"in {when}." in model.prompts[0].user for when in ("2023-Q4", "2024-02", "2025-Q1")] == [
        False, True, False,
    ]  # fmt: skip
    late = ScriptedModel(model.script)
    summarise_span("rope?", view, read("2025-06"), model=late, passages=held)
    assert (
        "[6] Book (2025-06-01): " in late.prompts[0].user
    )  # no fact is of that month, but all were told then


def test_what_rests_on_nothing_is_dropped_and_said(view):
    digest = ask(view, model_of(
        noted(("Rope.", 60, 0.9, [1]), ("Zebras.", 90, 1.0, [9]), ("Lions.", 90, 1.0, [])),
        merged(("Rope.", [1]), ("Zebras.", [2])),
    ))  # fmt: skip
    assert told(digest) == [("2024", ["Rope."])]
    assert digest.notes == (
        "2 of the model's points rest on no evidence and were dropped",
        "1 of the model's statements rest on no point and were dropped",
    )  # fmt: skip


def test_points_of_the_same_words_are_one(view):
    model = model_of(
        noted(("Rope sold.", 20, 0.9, [1]), ("rope sold.", 70, 0.5, [2]), ("Tar.", 50, 0.9, [3])),
        merged(("Rope.", [1])),
    )
    digest = ask(view, model)
    assert "[1] 2024, 2024-Q1: Rope sold.\n[2] 2024-Q3: Tar.\n" in model.prompts[1].user  # 70 before 50
    assert len(digest.sections[0].points[0].citations) == 2


def pieces_of(view):
    summary = summarise_span("rope?", view, YEAR, ReportSelection(relevance=rope))
    return [EvidencePiece(p.text, p, (), s.period) for s in summary.sections for p in s.points]


def test_evidence_that_does_not_fit_is_left_out_and_said(view):
    model = model_of(noted(("Rope.", 60, 0.9, [1])), merged(("Rope.", [1])))
    # "Quay sold rope in 2024. [Book, 2025-06-01]" has 6 + 9 tokens, those of a quarter 2 more;
    # of 40 tokens 4 are for passages and 36 for reports: 15 + 17 fit
    digest = ask(view, model, budget=40)
    assert digest.notes == ("left out: 1 of 3 points (17 tokens): 32 of at most 36 tokens are used",)


def test_where_a_model_fails_the_digest_is_extracted(view):
    plain = told(summarise_span("what happened to rope?", view, YEAR, ReportSelection(relevance=rope)))
    for mapping, why in (
        (Reply("", problem="used up"), "used up"),
        (noted(), "it found nothing in the evidence that answers the question"),
    ):
        digest = ask(view, model_of(mapping, ""))
        assert (digest.by, told(digest)) == ("extract", plain)
        assert digest.notes == (f"extracted, because scripted gave no answer: {why}",)


def test_a_note_on_a_part_that_was_not_read(view):
    def mapping(prompt):
        return Reply("", problem="used up") if "2024-Q3" in prompt.user else noted(("Rope.", 60, 0.9, [1]))

    reduced = map_reduce(
        "rope?", pieces_of(view), model_of(mapping, merged(("Rope.", [1]))), 100, part_tokens=1
    )
    assert not isinstance(reduced, str)
    assert reduced.notes == ("1 of 3 parts of the evidence were not read: used up",)


def test_points_stand_as_noted_where_they_are_not_put_together(view):
    model = model_of(noted(("Late.", 60, 0.9, [3]), ("Early.", 80, 0.9, [2])), Reply("", problem="used up"))
    digest = ask(view, model)
    assert told(digest) == [("2024-Q1", ["Early."]), ("2024-Q3", ["Late."])]
    assert digest.notes == ("the points were not put together: used up",)


def test_the_least_certain_points_make_room_and_are_kept_with_their_weights(view):
    # of "Rope one.", "Rope two.", "Rope three." with 3 tokens each two fit into 6
    model = model_of(
        noted(("Rope one.", 90, 0.2, [1]), ("Rope two.", 50, 0.9, [2]), ("Rope three.", 70, 0.8, [3])),
        merged(("Rope.", [1, 2])),
    )
    made = map_reduce("rope?", pieces_of(view), model, 6)
    assert not isinstance(made, str)
    assert "[1] 2024-Q3: Rope three.\n[2] 2024-Q1: Rope two.\n" in model.prompts[1].user
    assert made.notes == ("left out: 1 of 3 points (3 tokens): 6 of at most 6 tokens are used",)
    assert made.noted == (
        NotedPoint("Rope one.", 90, 0.2, ("2024",), read=False),
        NotedPoint("Rope three.", 70, 0.8, ("2024-Q3",)),
        NotedPoint("Rope two.", 50, 0.9, ("2024-Q1",)),
    )
    assert [each.text for each in ask(view, model).as_answer("").points] == [
        "Rope one.", "Rope three.", "Rope two.",
    ]  # fmt: skip


# -- a summary as an answer ------------------------------------------------------------------------


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


def test_a_heading_for_each_period_a_line_for_each_point_and_one_number_for_a_sentence():
    made = summary(
        SummarySection(None, (point("Rope is sold throughout.", ROPE),)),
        SummarySection(period("2024-Q1"), (point("Rope was sold.", TAR, ROPE, changes=("2 -> 3, +50%",)),)),
    ).as_answer("")
    assert made.text.split("\n") == [
        "over several periods", "- Rope is sold throughout. [1]", "", "2024-Q1",
        "- Rope was sold. (2 -> 3, +50%) [2][1]",
    ]  # fmt: skip
    assert (made.refused, made.mode, made.by) == (False, "global", "extractive")
    assert (made.as_of, made.known_at) == (7, 9)
    assert [(each.n, each.id, each.quote, each.about) for each in made.citations] == [
        (1, "rope#1", "Rope was sold.", (WHEN,)), (2, "tar#1", "Tar was bought.", ()),
    ]  # fmt: skip
    assert made.citations[0].published == PUBLISHED


def test_a_summary_without_sections_is_a_refusal():
    made = summary(notes=("a note",)).as_answer("Otter Mills")
    assert made.refused
    assert made.reason == "no fact about Otter Mills of that time answers the question"
    assert made.text == f"No answer: {made.reason}."
    assert (made.notes, made.citations) == (("a note",), ())
    assert summary().as_answer("").reason == "no fact of that time answers the question"


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
