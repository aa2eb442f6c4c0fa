"""The drawing of the two-level graph."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.data import SourcedTime
from asof.knowledge.graph_layout import MARGIN, MOST_COLUMNS, layout
from asof.knowledge.graph_svg import graph_svg
from asof.knowledge.neighbourhood import ENTITY, MEASURE, Edge, Neighbourhood, Node
from asof.time.moment import read
from asof.time.span import Span

SVG = "{http://www.w3.org/2000/svg}"


def edge(target, when="", source="Quay", said="5%"):
    time = SourcedTime(read(when), when, "said") if when else None
    return Edge(source, target, "margin", said, "value", time, "a.md", "a.md#0")


def graph(*edges, left_out=0):
    """All that the edges name, Quay in the middle."""
    names = dict.fromkeys(name for each in edges for name in (each.source, each.target))
    nodes = [Node("Quay", ENTITY, 0, len(edges))]
    nodes += [Node(name, MEASURE, 1, 1) for name in names if name != "Quay"]
    return Neighbourhood("Quay", 0, 0, tuple(nodes), (), edges, left_out)


def parsed(drawing):
    """Our own drawing as XML."""
    return ET.fromstring(drawing)  # noqa: S314


def labels(drawing):
    return [each.text for each in parsed(drawing).iter(f"{SVG}text")]


def test_periods_above_entities_below_facts_between():
    """A fact of 2024-Q1 and one of 2024: Q1 is below its year; its own fact is left of the quarter's."""
    plan = layout(graph(edge("margin", "2024-Q1"), edge("margin", "2024")))
    assert [(each.text, plan.below[at]) for at, each in enumerate(plan.times)] == [
        ("2024", -1),
        ("2024-Q1", 0),
    ]
    year, quarter = plan.times
    first, second = plan.facts
    assert (first.periods, second.periods) == ((1,), (0,))
    assert second.x < first.x == quarter.x
    assert year.y < quarter.y < first.y == second.y < min(each.y for each in plan.entities)
    assert {plan.entities[at].text for at in (first.source, first.target)} == {"Quay", "margin"}
    assert max(plan.entities, key=lambda each: each.y).text == "Quay"


def test_a_fact_of_several_periods_hangs_from_each():
    """A half year is two quarters."""
    half = Span(read("2024-Q1").start, read("2024-Q2").end)
    when = SourcedTime(half, "H1", "said")
    (fact,) = layout(graph(edge("margin")._replace(when=when))).facts
    assert len(fact.periods) == 2


def test_what_is_not_drawn_is_said():
    many = [edge("margin", f"{1990 + number}-01-0{day}") for number in range(20) for day in (1, 2)]
    drawing = graph_svg(graph(*many, left_out=3), "now", most=30)
    assert "10 earlier facts are not drawn" in labels(drawing)
    assert "3 more neighbours are not drawn" in labels(drawing)
    assert "finer times are drawn at their months" in labels(drawing)
    assert "1990" not in labels(drawing)
    assert "2009" in labels(drawing)


def test_texts_are_data():
    name = "<script>&\x00\u202e]]>" + "x" * 200
    drawing = graph_svg(graph(edge(name, "2024", said="</text><a href='#'>")), "now")
    root = parsed(drawing)
    assert not {each.tag.removeprefix(SVG) for each in root.iter()} & {
        "script",
        "a",
        "foreignObject",
        "image",
    }
    assert any("<script>&" in (each.text or "") for each in root.iter(f"{SVG}title"))
    assert "\u202e" not in drawing


def test_nothing_is_drawn_of_nobody():
    empty = Neighbourhood("Quai", 0, 0, (), (), (), 0)
    assert labels(graph_svg(empty, "now")) == ["Quai as of now", "no fact about Quai"]


times = st.sampled_from(["", "2021", "2021-Q2", "2021-05", "2021-05-03", "2022-12", "1999", "2022-Q4"])
edges = st.lists(
    st.builds(
        edge, st.sampled_from(["margin", "Tide", "a very long name of something that is measured", "费用率"]),
        times,
    ),
    min_size=1, max_size=45,
)  # fmt: skip


@given(edges)
@settings(max_examples=60, deadline=None)
def test_boxes_overlap_nowhere_and_lie_inside(drawn):
    plan = layout(graph(*drawn))
    assert len(plan.times) == len({each.text for each in plan.times})
    for boxes in (plan.times, plan.entities):
        for at, one in enumerate(boxes):
            assert one.x - one.width / 2 >= MARGIN - 1
            assert one.x + one.width / 2 <= plan.width
            assert all(
                one.y != other.y or abs(one.x - other.x) >= (one.width + other.width) / 2
                for other in boxes[at + 1 :]
            )
    assert len({(each.x, each.y) for each in plan.facts}) == len(plan.facts) == min(len(drawn), 40)
    assert len({each.column for each in plan.facts}) <= MOST_COLUMNS + 1 + 4
    parsed(graph_svg(graph(*drawn), "now"))


@pytest.mark.parametrize("when", ["", "2024"])
def test_the_same_graph_gives_the_same_drawing(when):
    one, other = (graph_svg(graph(edge("margin", when), edge("Tide", "2023")), "2024-01-01") for _ in "12")
    assert one == other
