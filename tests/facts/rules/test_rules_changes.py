"""Changes of measures: by how much, which way, from what they count."""

from __future__ import annotations

import pytest
from tests.support.excerpts import facts

from asof.values import CHANGE, VALUE

ONE = [  # text, relation, object, amount, unit, basis
    ("Revenue was up 17% sequentially.", "Revenue", "up 17% sequentially", 17, "%", "sequentially"),
    (
        "Profit declined 11% year over year.",
        "Profit",
        "declined 11% year over year",
        -11,
        "%",
        "year over year",
    ),
    ("Gross margin rose 60 basis points.", "Gross margin", "rose 60 basis points", 60, "bp", ""),
    ("The price of a loaf fell by 20 cents.", "price of a loaf", "fell by 20 cents", -20, "cents", ""),
    ("We saw an increase in rent of 5%.", "rent", "increase in rent of 5%", 5, "%", ""),
    ("We had 12% growth in rope sales.", "rope sales", "12% growth", 12, "%", ""),
    ("We delivered 26% total revenue growth.", "total revenue", "26% total revenue growth", 26, "%", ""),
    ("Raising the fare by 2 euros helped.", "fare", "Raising the fare by 2 euros", 2, "EUR", ""),
    ("We cut the fare by 2 euros.", "fare", "cut the fare by 2 euros", -2, "EUR", ""),
    ("The ratio was 3 percentage points lower.", "ratio", "3 percentage points lower", -3, "pp", ""),
    ("Sales increased slightly by 2%.", "Sales", "increased slightly by 2%", 2, "%", ""),
]


@pytest.mark.parametrize(("text", "relation", "said", "value", "unit", "basis"), ONE)
def test_one_change(text, relation, said, value, unit, basis):
    (fact,) = facts(text)
    assert (fact.kind, fact.relation, fact.object) == (CHANGE, relation, said)
    assert fact.amount is not None
    assert (fact.amount.value, fact.amount.unit, fact.amount.basis) == (value, unit, basis)


BOTH = [
    ("Net sales increased 4% to $1.2 billion.", [(CHANGE, "increased 4%"), (VALUE, "$1.2 billion")]),
    ("Margin was 31%, an increase of 60 bps.", [(VALUE, "31%"), (CHANGE, "increase of 60 bps")]),
    ("Margin was 31%, up 60 bps and 20 bps.", [(VALUE, "31%"), (CHANGE, "up 60 bps"), (CHANGE, "20 bps")]),
    (
        "Margin was 31%, down 60 bps from last year.",
        [(VALUE, "31%"), (CHANGE, "down 60 bps from last year")],
    ),
    (
        "Margin was 31%, down 290 bps from 34% in the prior year.",
        [(VALUE, "31%"), (CHANGE, "down 290 bps"), (VALUE, "34%")],
    ),
    ("The fare rose from 3 euros to 4 euros.", [(VALUE, "4 euros")]),
]


@pytest.mark.parametrize(("text", "found"), BOTH)
def test_changes_and_values_of_one_measure(text, found):
    told = facts(text)
    assert [(fact.kind, fact.object) for fact in told] == found
    assert len({fact.relation for fact in told}) == 1


def test_a_range_of_changes_has_no_amount():
    (fact,) = facts("Sales grew 5% to 7%.")
    assert (fact.kind, fact.object, fact.amount) == (CHANGE, "grew 5% to 7%", None)


def test_a_second_list_is_of_the_measures_of_the_first():
    told = facts("Gross and net margin were 31% and 12%, up 3% and 4%, respectively.")
    assert [(fact.relation, fact.object) for fact in told] == [
        ("Gross margin", "31%"),
        ("net margin", "12%"),
        ("Gross margin", "up 3%"),
        ("net margin", "4%"),
    ]


def test_lists_of_changes_belong_to_lists_of_values():
    """As said of two times: the first change is of the first value's time, the second of the second's."""
    told = facts("Margin was 15% in Q2 and 16% for 2023, up 110 bps and 114 bps, respectively.")
    when = {fact.object: fact.when.text for fact in told if fact.when}
    assert when == {"15%": "Q2", "16%": "2023", "up 110 bps": "Q2", "114 bps": "2023"}
