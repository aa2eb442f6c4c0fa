"""`asof why-not`: each way of not being a hit has its own sentence."""

from __future__ import annotations

import re

import pytest
from tests.support.json_schema import against

from asof import recipes

RED = "notes/red.md"


def test_what_is_there_has_a_rank(asof, notes):
    """ "crane" stands once in each of three notes; the shortest of them scores best."""
    result = asof("why-not", RED, "crane")
    assert result.code == 0
    assert "it is among the hits, at rank" in result.out
    ranked = [hit["document"] for hit in asof("search", "crane", "--json").json()["hits"]]
    assert f"rank {ranked.index(RED) + 1}\n" in result.out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["crane", "--as-of", "2019"], "published 2020-01-10, after 2019-12-31"),
        (["crane", "--known-at", "2001"], "this corpus learned of it on 20"),
        (["crane", "--since", "2021"], "a filter excludes it: since"),
        (["crane", "--until", "2019"], "a filter excludes it: until"),
        (["crane", "--tag", "oak"], "a filter excludes it: tag oak"),
        (["crane", "--meta", "site=south"], "a filter excludes it: site = south"),
        (["crane", "--path", "x/*"], "a filter excludes it: path"),
        (["crane", "--source", "none"], "a filter excludes it: source"),
        (["crane", "--tag", "yard", "--since", "2021"], "a filter excludes it: since"),
        (["zebra"], "it does not match the query (0 other passages do)"),
    ],
    ids=lambda value: " ".join(value)[:30],
)
def test_the_reason(asof, notes, arguments, reason):
    result = asof("why-not", RED, *arguments)
    assert result.code == 1
    assert reason in result.out


def test_cut_at_a_rank(asof, notes):
    """Three passages have the word and one is shown, so two of the three are out."""
    outcomes = [
        asof("why-not", f"notes/{name}.md", "crane", "-k", "1").out for name in ("red", "blue", "more/oak")
    ]
    assert sum("it is among the hits, at rank 1" in out for out in outcomes) == 1
    assert (
        sum(bool(re.search(r"its rank is [23] of 3; only the first is a hit", out)) for out in outcomes) == 2
    )


def test_what_had_ended(asof, notes):
    (notes / "red.md").write_text("---\ndate: 2023-05-01\n---\n# Red\n\nThe winch is green.\n")
    assert asof("index", "notes").code == 0
    hit = asof("search", "crane red", "--as-of", "2020-06", "--json").json()["hits"][0]
    assert hit["document"] == RED
    result = asof("why-not", hit["id"], "crane")
    assert result.code == 1
    assert "it was current from 2020-01-10 until 2023-05-01, before " in result.out
    assert asof("why-not", hit["id"], "crane", "--as-of", "2022").code == 0


def test_json(asof, notes):
    result = asof("why-not", RED, "crane", "-k", "1", "--json").json()
    assert against("why-not", result) == []
    assert [step["stage"] for step in result["steps"]][:2] == ["lexical", "early_termination"]
    assert result["steps"][0]["candidates"] == 3


@pytest.mark.parametrize("recipe", recipes.NAMES)
@pytest.mark.parametrize("unit", ["passage", "document"])
def test_it_agrees_with_the_search(asof, notes, recipe, unit):
    """For every recipe the rank of a note is that of its best hit; a note that is no hit has none."""
    options = ["--recipe", recipe, "--unit", unit, "--as-of", "2021-06"]
    for question in ("crane", "red crane", "the", "zebra"):
        ranks: dict[str, int] = {}
        found = asof("search", question, *options, "--json")
        for hit in found.json()["hits"]:
            ranks.setdefault(hit["document"], hit["rank"])
        for name in ("red", "blue", "more/oak"):
            document = f"notes/{name}.md"
            assert asof("why-not", document, question, *options, "--json").json()["rank"] == ranks.get(
                document
            )


def test_a_recipe_that_ranks_after_it_chose(asof, notes):
    """`papers` takes all passages for candidates and ranks them then; a quotation shuts some out."""
    result = asof("why-not", RED, "crane", "--recipe", "papers", "--json").json()
    assert (result["steps"][0]["stage"], result["steps"][0]["candidates"]) == ("similarity", 3)
    result = asof("why-not", RED, '"blue now"', "--recipe", "papers")
    assert (result.code, result.out.splitlines()[1:]) == (
        1, ["it does not match the query (1 other passages do)"],
    )  # fmt: skip
