"""Facts in the calendar's tree: where a time belongs, what is inside a scope, what a fact touches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fact_lines import corpus_of, note
from tests.support.stated_facts import stated

from asof.extensions.facts.hierarchy import MOST_NODES, Hierarchy, ancestors, nodes_of
from asof.time.moment import read
from asof.time.span import Period, Span

START, END = datetime(2019, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)


def named(periods) -> list[str]:
    return [str(each) for each in periods]


@pytest.mark.parametrize(
    ("period", "above"),
    [
        ("2024-02-29", ["2024-02", "2024-Q1", "2024"]),
        ("2023-11", ["2023-Q4", "2023"]),
        ("2020-Q3", ["2020"]),
        ("2024", []),
    ],
)
def test_the_ancestors_of_a_period_are_finest_first(period, above):
    assert named(ancestors(Period.parse(period))) == above


@pytest.mark.parametrize(
    ("start", "end", "nodes"),
    [
        ("2024-02-29", "2024-03-01", ["2024-02-29"]),
        ("2024-03-01", "2024-04-01", ["2024-03"]),
        ("2024-04-01", "2024-07-01", ["2024-Q2"]),
        ("2023-01-01", "2024-01-01", ["2023"]),
        ("2024-03-05T14:30", "2024-03-05T15:30", ["2024-03-05"]),  # an hour
        ("2024-03-05T23:00", "2024-03-06T01:00", ["2024-03-05", "2024-03-06"]),
        ("2024-02-01", "2024-04-01", ["2024-02", "2024-03"]),  # two months
        ("2024-01-01", "2024-07-01", ["2024-Q1", "2024-Q2"]),  # a half year
        ("2024-02-01", "2024-05-01", ["2024-02", "2024-03", "2024-04"]),  # a fiscal quarter
        ("2023-02-01", "2024-02-01", ["2023-02", "2023-03", "2023-Q2", "2023-Q3", "2023-Q4", "2024-01"]),
        ("2019-01-01", "2022-01-01", ["2019", "2020", "2021"]),
        ("2024-02-26", "2024-03-04",  # a week: four days of February, three of March
         ["2024-02-26", "2024-02-27", "2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02", "2024-03-03"]),
        ("2024-01-10", "2024-01-30", ["2024-01"]),  # 20 days are more than 12
        ("2024-01-15", "2024-03-21", ["2024-Q1"]),  # 17 days, February, 20 days
        ("2024-03-15", "2024-07-02", ["2024"]),
        ("2023-11-15", "2024-02-10", ["2023", "2024"]),  # no single period holds both ends
        ("2014-01-01", "2026-01-01", [str(year) for year in range(2014, 2026)]),  # 12 years
        ("2014-01-01", "2027-01-01", []),  # 13
        ("2020-01-01", None, ["2020"]),
        (None, "2020-01-01", ["2019"]),
        (None, None, []),
        ("9999-12-01", None, ["9999-12"]),  # the calendar's end is an end
        ("9990-01-01", None, ["9990"]),
    ],
)  # fmt: skip
def test_where_a_time_belongs(start, end, nodes):
    span = Span(
        *(None if side is None else datetime.fromisoformat(side).replace(tzinfo=UTC) for side in (start, end))
    )
    assert named(nodes_of(span)) == nodes


moments = st.integers(0, (END - START) // timedelta(minutes=1) - 1).map(
    lambda minutes: START + minutes * timedelta(minutes=1)
)


@given(moments, st.integers(1, 40_000))
def test_every_instant_of_a_time_is_in_one_of_its_periods(start, hours):
    span = Span(start, min(start + timedelta(hours=hours), END))
    nodes = nodes_of(span)
    assert 1 <= len(nodes) <= MOST_NODES
    spans = [each.span for each in nodes]
    assert spans[0].first <= span.first
    assert span.last <= spans[-1].last
    assert all(before.end == after.start for before, after in pairwise(spans))


@given(st.lists(st.tuples(moments, st.integers(1, 9_000)), max_size=12), st.randoms())
def test_the_order_of_facts_makes_no_difference(times, random):
    facts = [
        stated(Span(start, start + timedelta(hours=hours)), number=number)
        for number, (start, hours) in enumerate(times)
    ]
    mixed = random.sample(facts, len(facts))
    assert Hierarchy.of(mixed) == Hierarchy.of(facts)


@given(st.lists(st.tuples(moments, st.integers(1, 9_000)), max_size=12))
def test_every_fact_is_in_its_nodes_and_in_no_other(times):
    facts = [stated(Span(start, start + timedelta(hours=h)), number=n) for n, (start, h) in enumerate(times)]
    tree = Hierarchy.of(facts)
    for node in tree.nodes:
        assert all(node in nodes_of(each.fact.span or Span(None, None)) for each in tree.facts_at(node))
        assert tree.facts_below(node)  # nodes are only where facts are
        assert all(each in tree.nodes for each in ancestors(node))
    placed = {each.number for node in tree.nodes for each in tree.facts_at(node)}
    assert placed == {each.number for each in facts}
    leaves = {node for each in facts for node in nodes_of(each.fact.span or Span(None, None))}
    assert set(tree.nodes) == leaves | {above for leaf in leaves for above in ancestors(leaf)}


def test_facts_from_nodes_and_nodes_from_facts():
    a, b, c, d = (
        stated("2024-Q1", number=0),
        stated("2024-03", number=1),
        stated("2024-W09", number=2),
        stated(None, number=3),
    )
    century = stated(Span(datetime(1900, 1, 1, tzinfo=UTC), datetime(2000, 1, 1, tzinfo=UTC)), number=4)
    tree = Hierarchy.of([d, c, b, a, century])
    assert tree.facts == (a, b, c, d, century)
    assert tree.facts_at(Period.parse("2024-Q1")) == (a,)
    assert tree.facts_below(Period.parse("2024")) == (a, b, c)  # once, though its week is seven days
    assert tree.facts_below(Period.parse("2024-02")) == (c,)
    assert tree.facts_below(Period.parse("2025")) == ()
    assert named(tree.children[Period.parse("2024-Q1")]) == ["2024-02", "2024-03"]
    assert named(tree.children[Period.parse("2024-02")]) == [f"2024-02-{day}" for day in (26, 27, 28, 29)]


def scope(*facts: str, start: str | None, end: str | None) -> list[str]:
    tree = Hierarchy.of(stated(each, number=number) for number, each in enumerate(facts))
    span = Span(None if start is None else read(start).start, None if end is None else read(end).start)
    return named(tree.scope(span))


def test_a_scope_is_the_coarsest_nodes_inside():
    facts = ["2023-11-05", "2024-02", "2024-Q3", "2025", "2025-12-24"]
    assert scope(*facts, start="2023-11", end="2026-01") == ["2023-11", "2024", "2025"]
    assert scope(*facts, start="2023-11", end="2025-06") == ["2023-11", "2024"]  # 2025 reaches beyond
    assert scope(*facts, start="2024-02", end="2024-06") == ["2024-02"]
    assert scope(*facts, start="2023-11-05T14", end="2023-11-05T15") == ["2023-11-05"]  # an hour has its day
    assert scope(*facts, start="2019-01", end="2020-01") == []
    assert scope(*facts, start=None, end=None) == ["2023", "2024", "2025"]


def test_a_view_has_the_facts_of_passages_in_force():
    notes = [
        note("a", "2024-01-05", "Quay | sold | rope | 2023-12"),
        note("b", "2024-06-01", "Quay | sold | rope | 2024-05"),
    ]
    with corpus_of(*notes) as corpus:
        nodes = {
            as_of: named(Hierarchy.of_view(corpus.at(as_of).view()).nodes)
            for as_of in ("2024-01-04", "2024-02", "2025")
        }
    assert nodes == {
        "2024-01-04": [], "2024-02": ["2023", "2023-Q4", "2023-12"],
        "2025": ["2023", "2023-Q4", "2023-12", "2024", "2024-Q2", "2024-05"],
    }  # fmt: skip
