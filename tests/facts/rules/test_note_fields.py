"""Facts of frontmatter and of lines of links; what templates leave in a note states nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.excerpts import excerpt, facts, triples

from asof.extensions.facts.rules import RuleExtractor, without_templates
from asof.extensions.facts.store import Excerpt
from asof.values import EVENT, NAME, VALUE, Amount, Fact


def read(note: Excerpt) -> tuple[Fact, ...]:
    (extraction,) = RuleExtractor().extract([note])
    return extraction.facts


LINES = [
    ("Developed by: [[mgmeyers]]", [("", "Developed by", "mgmeyers")]),
    ("- **Crew**: [[Ida Holm|Ida]], [[Ole]] and [Jo](people/jo.md)",
     [("", "Crew", "Ida Holm"), ("", "Crew", "Ole"), ("", "Crew", "Jo")]),
    ("Status:: [[Ready#Since May]]", [("", "Status", "Ready")]),
    ("see: nothing", []),
    ("Developed by: [[mgmeyers]] since the autumn", []),  # a sentence, no field
    ("%% Developed by: [[somebody]] %%", []),
    ("<!-- Treasurer: Lena Moor. -->", []),
    ("<table><tr><td>Treasurer: Lena Moor.</td></tr></table>", []),
    ("Developed by: {{author}}", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), LINES)
def test_lines_of_links(text, found):
    assert triples(text) == found


def test_the_place_of_a_line_is_that_in_the_text():
    text = "%% hidden %%\nBuilt.\n- Keeper: [[ida]]\n"
    (fact,) = facts(text)
    assert text[fact.start : fact.end] == "Keeper: [[ida]]"


def test_short_values_of_the_frontmatter_are_facts():
    meta = {
        "status": "accepted", "author": "[[Ida Holm]]", "team_lead": ["Ole", "Jo"], "rating": 7,
        "public": True, "permalink": "a/b", "site": "https://example.org", "note": "x" * 81,
        "empty": "", "aliases": ["K"],
    }  # fmt: skip
    note = replace(excerpt("Built.", "Quay", meta=meta, number=0), document="Quay.md")
    found = read(note)
    assert [(each.kind, each.relation, each.object) for each in found] == [
        (NAME, "aliases", "K"), (EVENT, "status", "accepted"), (EVENT, "author", "Ida Holm"),
        (EVENT, "team lead", "Ole"), (EVENT, "team lead", "Jo"), (VALUE, "rating", "7"),
    ]  # fmt: skip
    assert {each.subject for each in found} == {"Quay"}
    assert found[-1].amount == Amount(7.0, "")
    assert [each.kind for each in read(replace(note, document="Quay"))] == [NAME]  # no note
    assert read(replace(note, number=1)) == ()  # they stand once


@pytest.mark.parametrize("text", ["a %% b %% c", "a <% b\n %> c", "a {{b}} c", "a <!-- b --> c"])
def test_templates_become_spaces_of_their_length(text):
    plain = without_templates(text)
    assert plain.split() == ["a", "c"]
    assert len(plain) == len(text)
