"""Who did what and who is what, and the names of one thing."""

from __future__ import annotations

import pytest
from tests.support.excerpts import excerpt, facts, triples

from asof.extensions.facts.rules import RuleExtractor
from asof.values import EVENT, NAME

DONE = [
    (
        "Mara Quill was appointed harbour master on 3 May.",
        [("Mara Quill", "was appointed", "harbour master")],
    ),
    ("Orla Finch resigned.", [("Orla Finch", "resigned", "")]),
    ("Orla Finch resigned as treasurer.", [("Orla Finch", "resigned as", "treasurer")]),
    ("Ole Brandt became mayor of Garrow.", [("Ole Brandt", "became", "mayor of Garrow")]),
    ("Kestrel Bank acquired Finch Lending.", [("Kestrel Bank", "acquired", "Finch Lending")]),
    ("We acquired Finch Lending.", [("", "acquired", "Finch Lending")]),
    ("The company sold its mill.", [("", "sold", "mill")]),
    ("The bakery was renamed Crumb & Co in 2020.", [("bakery", "was renamed", "Crumb & Co")]),
    ("Tern Rovers beat Gull United on Saturday.", [("Tern Rovers", "beat", "Gull United")]),
    ("Ada Holm won the race.", [("Ada Holm", "won", "race")]),
    ("The mole was closed.", [("mole", "was closed", "")]),
    (
        "The council appointed Mara Quill harbour master.",
        [("council", "appointed", "Mara Quill"), ("Mara Quill", "appointed", "harbour master")],
    ),
    ("Mara Quill is harbour master.", [("Mara Quill", "is", "harbour master")]),
    ("Ole Brandt has been mayor since 2018.", [("Ole Brandt", "has been", "mayor")]),
    ("The captain is Hinrik Soll.", [("captain", "is", "Hinrik Soll")]),
    ("The new warden is called Jes Quant.", [("new warden", "is called", "Jes Quant")]),
    (
        "The mayor, Horace Bell, opened the new bridge.",
        [("Horace Bell", "is", "mayor"), ("Horace Bell", "opened", "new bridge")],
    ),
    (
        "Horace Bell, the mayor, opened the new bridge.",
        [("Horace Bell", "is", "mayor"), ("Horace Bell", "opened", "new bridge")],
    ),
    (
        "With us are Ann Reed, chief executive officer; and Tom Lund, treasurer.",
        [("Ann Reed", "is", "chief executive officer"), ("Tom Lund", "is", "treasurer")],
    ),
    (
        "I turn to Ann Reed, our founder and chief executive officer.",
        [("Ann Reed", "is", "founder and chief executive officer")],
    ),
    ("Our CFO, Jane Moor, spoke.", [("Jane Moor", "is", "CFO")]),
    ("Treasurer: Lena Moor.", [("", "Treasurer", "Lena Moor")]),
    ("Ship: [[Second Wind]].", [("", "Ship", "Second Wind")]),
    ("May Hollis resigned.", [("May Hollis", "resigned", "")]),
]


@pytest.mark.parametrize(("text", "found"), DONE)
def test_events(text, found):
    assert triples(text) == found
    assert {fact.kind for fact in facts(text)} == {EVENT}


NOTHING = [
    "He did not resign.",
    "Orla Finch did not resign.",
    "Orla Finch would have resigned.",
    "Who appointed Mara Quill?",
    "The council elected him.",
    "Ann Berg",
    "It is what it is.",
    "Note: tap and hold the widget.",
    "See https://example.org/a-page.",
    "The window was open.",
]


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_happened(text):
    assert facts(text) == []


SAME = [
    (
        "The International Harbour Authority (IHA) met.",
        ("International Harbour Authority", "also called", "IHA"),
    ),
    ("Northwind Traders, formerly Bolt Works, met.", ("Northwind Traders", "formerly", "Bolt Works")),
    ("Low Sundrey, also known as The Landing, is old.", ("Low Sundrey", "also known as", "Landing")),
]


@pytest.mark.parametrize(("text", "found"), SAME)
def test_names_of_one_thing(text, found):
    (fact,) = facts(text)
    assert fact.kind == NAME
    assert (fact.subject, fact.relation, fact.object) == found


def test_a_bracket_whose_letters_differ_is_no_acronym():
    assert facts("The International Harbour Authority (IXA) met.") == []


META = {"company": "Quill Ropes Ltd", "ticker": "QRL", "aliases": ["Quill", "The Ropery"]}


def heads(number: int, **more):
    (found,) = RuleExtractor().extract([excerpt("Nothing.", number=number, **more)])
    return [(f.subject, f.relation, f.object, f.start, f.end) for f in found.facts]


def test_the_head_names_the_entity_on_its_first_passage_only():
    own = "Quill Ropes Ltd"
    assert heads(0, meta=META) == [
        (own, "ticker", "QRL", 0, 0),
        (own, "aliases", "Quill", 0, 0),
        (own, "aliases", "The Ropery", 0, 0),
    ]
    assert heads(1, meta=META) == []


def test_a_code_in_the_title_is_a_name_of_what_it_is_about():
    assert heads(0) == [("Quill Ropes Ltd", "also called", "QRL", 0, 0)]


TITLES = [
    ("Quill Ropes Ltd (QRL) 2024 Q3 Earnings Call", "Quill Ropes Ltd"),
    ("Ferry fares from 1 May 2018", "Ferry fares"),
    ("Summer timetable 2022", "Summer timetable"),
    ("Minutes of the town council, 18 November 2020", "Minutes of the town council"),
    ("2024", "2024"),
    ("Harbour office", "Harbour office"),
]


@pytest.mark.parametrize(("title", "entity"), TITLES)
def test_whom_we_means(title, entity):
    (fact,) = facts("Our revenue was $5 million.", title)
    assert fact.subject == entity


def test_the_fields_that_name_the_entity_can_be_chosen():
    (found,) = RuleExtractor(names=("club",), others=()).extract(
        [excerpt("We won the cup.", meta={"club": "Tern Rovers"})]
    )
    assert found.facts[0].subject == "Tern Rovers"
    assert RuleExtractor().name == "rules-3"
    assert RuleExtractor(names=("club",)).name != "rules-3"
