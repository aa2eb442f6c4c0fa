"""`tgrag`: its stages, its settings, and its answers on notes with facts."""

from __future__ import annotations

import tomllib

import pytest
from tests.support.fact_lines import corpus_of, note

from asof import config, recipes
from asof.errors import BadConfig
from asof.extensions.facts.local import Local

NOTES = tuple(
    note(
        f"{name} {quarter}",
        f"{quarter[:4]}-12-31",
        f"{name.title()} | revenue | ${amount} million | {quarter}",
    )
    for name, amounts in (("otter", (10, 12)), ("heron", (5, 6)))
    for quarter, amount in zip(("2023-Q1", "2023-Q2"), amounts, strict=True)
)


@pytest.fixture(scope="module")
def firms():
    with corpus_of(*NOTES) as corpus:
        yield corpus


def test_its_stages_are_those_of_the_paper_words_and_turns():
    assert [type(stage).__name__ for stage in recipes.named("tgrag").stages] == [
        "Lexical", "Local", "MaxNormalize", "Combine", "RoundRobinByDocument", "TopK",
    ]  # fmt: skip


def test_a_passage_without_facts_is_worth_its_words():
    """ "crane" is said by a note of one fact, and by one that says all of the question and states nothing."""
    notes = (
        note("fact", "2022-01-01", "Heron | crane | 3 | 2022"),
        note("text", "2022-01-02", "Why the crane squeaks at night nobody knows."),
        note("else", "2022-01-03", "Rope is cheap."),
    )
    with corpus_of(*notes) as corpus:
        found = corpus.at().search("why does the crane squeak at night", recipe="tgrag")
        assert [hit.document for hit in found.hits] == ["text", "fact"]
        alone = recipes.named("tgrag").replaced({"combine.weights": {"facts": 1.0, "normalized": 0.0}})
        found = corpus.at().search("why does the crane squeak at night", recipe=alone)
        assert [hit.document for hit in found.hits] == ["fact", "text"]


def test_only_what_is_of_the_time_is_found_and_trees_add_up(firms):
    found = firms.at().search("revenue of Otter in Q2 2023", recipe="tgrag")
    assert found.hits[0].document == "otter 2023-Q2"
    assert {hit.document for hit in found.hits} <= {"otter 2023-Q2", "heron 2023-Q2"}
    for hit in found.hits:
        assert hit.why.value == hit.why.recomputed() == hit.score


def test_an_empty_scope_is_empty_and_says_what_is_nearest(firms):
    found = firms.at().search("revenue of Otter in 2031", recipe="tgrag")
    assert found.hits == ()
    assert found.notes[0].startswith(
        "no fact of the time asked for; the nearest times that are known: 2023-Q2"
    )


def test_answers_can_be_found_by_it(firms):
    made = firms.at().ask("What was the revenue of Otter in Q1 2023?", recipe="tgrag")
    assert [each.document for each in made.citations] == ["otter 2023-Q1"]


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("local.facts = 7", "facts", 7), ("local.passages = 50", "passages", 50),
        ("local.damping = 0.5", "damping", 0.5), ("local.tolerance = 0.001", "tolerance", 0.001),
        ("local.in_time = false", "in_time", False), ("local.ppr = false", "ppr", False),
        ('local.sum_over = "graph"', "sum_over", "graph"),
    ],
)  # fmt: skip
def test_every_setting_can_be_set(line, field, value):
    made = config.read(tomllib.loads(f"[recipes.tgrag]\n{line}")).recipe_named("tgrag")
    (local,) = [stage for stage in made.stages if isinstance(stage, Local)]
    assert getattr(local, field) == value != getattr(Local(), field)


@pytest.mark.parametrize(
    "line",
    ["facts = 0", "passages = 9", "damping = 1.0", "tolerance = 0.0", 'sum_over = "all"', "ppr = 1"],
)
def test_a_setting_that_is_out_of_bounds_is_refused(line):
    with pytest.raises(BadConfig, match=f"local.{line.split()[0]}"):
        config.read(tomllib.loads(f"[recipes.tgrag]\nlocal.{line}")).recipe_named("tgrag")
