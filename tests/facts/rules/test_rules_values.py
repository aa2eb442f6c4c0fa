"""Measures with their values: what the rules find in a sentence, and where they find nothing."""

from __future__ import annotations

import pytest
from tests.support.excerpts import facts, triples

from asof.values import VALUE

ONE = [  # text, relation, object, value in whole units, unit
    ("Revenue was $3.7 billion.", "Revenue", "$3.7 billion", 3.7e9, "USD"),
    ("Revenue totaled 12 million euros.", "Revenue", "12 million euros", 12e6, "EUR"),
    ("The gross margin of 53.3% was a record.", "gross margin", "53.3%", 53.3, "%"),
    ("We had a gross margin of 53.3%.", "gross margin", "53.3%", 53.3, "%"),
    ("Operating margin expanded to 9.9%.", "Operating margin", "9.9%", 9.9, "%"),
    ("Our GAAP effective tax rate came in at 28.1%.", "GAAP effective tax rate", "28.1%", 28.1, "%"),
    ("Our margin as a percentage of sales was 12.6%.", "margin", "12.6%", 12.6, "%"),
    ("Net leverage was 5.1 times.", "Net leverage", "5.1 times", 5.1, "x"),
    ("We finished with 3,589 stores.", "stores", "3,589 stores", 3589, "stores"),
    ("That brings our store count to 3,589.", "store count", "3,589", 3589, ""),
    ("Total revenues were RMB 31.5 billion.", "Total revenues", "RMB 31.5 billion", 31.5e9, "CNY"),
    ("Diluted earnings were $0.91 per share.", "Diluted earnings", "$0.91 per share", 0.91, "USD/share"),
    ("Adjusted earnings per share were $3.13.", "Adjusted earnings per share", "$3.13", 3.13, "USD"),
    (
        "We hold cash and liquid assets of $4.3 billion.",
        "cash and liquid assets",
        "$4.3 billion",
        4.3e9,
        "USD",
    ),
    ("The temperature reached 31 °C.", "temperature", "31 °C", 31, "°C"),
    ("The fare is 4 euros.", "fare", "4 euros", 4, "EUR"),
    ("Membership stood at 1,204.", "Membership", "1,204", 1204, ""),
    ("The crossing time is 40 minutes.", "crossing time", "40 minutes", 40, "minutes"),
    ("Free cash flow, excluding leases, was £4.2 million.", "Free cash flow", "£4.2 million", 4.2e6, "GBP"),
    ("Free cash flow for the quarter was £4.2 million.", "Free cash flow", "£4.2 million", 4.2e6, "GBP"),
    ("Passengers: 13,420.", "Passengers", "13,420", 13420, ""),
    ("- Single ticket, adult: €4.60", "Single ticket, adult", "€4.60", 4.6, "EUR"),
    ("The index stood at -3.5%.", "index", "-3.5%", -3.5, "%"),
    ("Comps were negative 1.7%.", "Comps", "negative 1.7%", -1.7, "%"),
    ("Capital spending was $500k.", "Capital spending", "$500k", 500e3, "USD"),
    ("Our mills ran at 94% utilization.", "utilization", "94%", 94, "%"),
    ("Sales rose to a new record of $2.16 billion.", "Sales", "$2.16 billion", 2.16e9, "USD"),
    ("We generated $1.5 billion of free cash flow.", "free cash flow", "$1.5 billion", 1.5e9, "USD"),
    ("We paid a $0.40 per share dividend.", "paid dividend", "$0.40 per share", 0.4, "USD/share"),
    ("We returned $50 million to shareholders.", "returned to shareholders", "$50 million", 50e6, "USD"),
    ("We bought back shares for $50 million.", "bought back shares", "$50 million", 50e6, "USD"),
    ("We opened 13 new stores.", "opened new stores", "13 new stores", 13, "stores"),
    ("Revenue was 242 million.", "Revenue", "242 million", 242e6, ""),
    ("Costs were $5.26 per barrel.", "Costs", "$5.26 per barrel", 5.26, "USD/barrel"),
]


@pytest.mark.parametrize(("text", "relation", "said", "value", "unit"), ONE)
def test_one_value(text, relation, said, value, unit):
    (fact,) = [fact for fact in facts(text) if fact.kind == VALUE]
    assert (fact.subject, fact.relation, fact.object) == ("Quill Ropes Ltd", relation, said)
    assert fact.amount is not None
    assert fact.amount.value == pytest.approx(value)
    assert fact.amount.unit == unit


WHOSE = [
    ("The mill's output was 40 tonnes.", [("mill", "output", "40 tonnes")]),
    ("The rope division's sales were $9 million.", [("rope division", "sales", "$9 million")]),
    ("Sales of Bolt Works were $9 million.", [("Bolt Works", "Sales", "$9 million")]),
    ("Net income attributable to Bolt Works was $2 million.", [("Bolt Works", "Net income", "$2 million")]),
    ("Kestrel Rope sales were $9 million.", [("Kestrel Rope", "sales", "$9 million")]),
    ("In May, Kestrel generated revenue of $9 million.", [("Kestrel", "revenue", "$9 million")]),
    ("The ferry carried 31,000 passengers.", [("ferry", "carried passengers", "31,000 passengers")]),
    ("The company's revenue was $9 million.", [("", "revenue", "$9 million")]),
    ("Quill Ropes' revenue was $9 million.", [("", "revenue", "$9 million")]),
    ("Our wire revenue was $9 million.", [("", "wire revenue", "$9 million")]),
]


@pytest.mark.parametrize(("text", "found"), WHOSE)
def test_whose_value_it_is(text, found):
    assert triples(text) == found


SEVERAL = [
    (
        "Rope sales were $5 million, wire sales were $6 million and tar sales were $7 million.",
        [("", "Rope sales", "$5 million"), ("", "wire sales", "$6 million"), ("", "tar sales", "$7 million")],
    ),
    (
        "Gross and operating margin were 31% and 12%, respectively.",
        [("", "Gross margin", "31%"), ("", "operating margin", "12%")],
    ),
    (
        "Revenue and net income were $5 billion and $1 billion, respectively.",
        [("", "Revenue", "$5 billion"), ("", "net income", "$1 billion")],
    ),
    (
        "Income from operations was $121 million or 10.5% of revenue.",
        [("", "Income from operations", "$121 million"), ("", "Income from operations", "10.5% of revenue")],
    ),
    (
        "We had gross margins of 52.5% and an operating margin of 13.3%.",
        [("", "gross margins", "52.5%"), ("", "operating margin", "13.3%")],
    ),
    (
        "We earned $1.6 billion of adjusted income and paid $300 million of dividends.",
        [("", "adjusted income", "$1.6 billion"), ("", "paid dividends", "$300 million")],
    ),
    (
        "Margin was 31%, compared to 29% a year ago.",
        [("", "Margin", "31%"), ("", "Margin", "29%")],
    ),
    (
        "We bought shares for $50 million at an average price of $204.32.",
        [("", "bought", "shares"), ("", "bought shares", "$50 million"), ("", "average price", "$204.32")],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), SEVERAL)
def test_several_values(text, found):
    assert triples(text) == found


@pytest.mark.parametrize("text", ["The spread was between 5% and 7%.", "The spread was 5% to 7%."])
def test_a_range_is_no_amount(text):
    (fact,) = facts(text)
    assert fact.relation == "spread"
    assert fact.amount is None


NOTHING = [
    "Was revenue $5 million?",
    "The margin was not 5%.",
    "Chapter 3 begins on page 12.",
    "Call 555 2368 for help.",
    "An increase of 60 basis points.",
    "It was 5%.",
    "On 3 May 2021 nothing happened.",
    "Version 2.1.3 is out.",
    "The train leaves at 07:15.",
    "See RFC 8601 strings.",
    "We do well.",
    "10.5% of revenue.",
    "1. 2. 3. 4.",
    "12345678901234567890 was the key.",
    "",
]


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_found(text):
    assert facts(text) == []


def test_what_is_expected_is_said_to_be():
    (fact,) = facts("We expect revenue of $4 billion in the fourth quarter.")
    assert (fact.relation, fact.object) == ("expected revenue", "$4 billion")
    assert fact.confidence == pytest.approx(0.9 * 0.9)  # "revenue of", times what a forecast is worth


def test_what_met_an_expectation_is_not_expected():
    (fact,) = facts("Gross margin was 31%, above our guidance.")
    assert fact.relation == "Gross margin"


def test_an_unknown_measure_is_less_sure():
    known, unknown = facts("The fare was 4 euros."), facts("The frobnication was 4 euros.")
    assert known[0].confidence == pytest.approx(0.95)
    assert unknown[0].confidence == pytest.approx(0.95 * 0.75, abs=0.001)
