"""What is measured on: generated text has the properties of real text; tables hold what was measured."""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path

import pytest
from bench.figures import Figure

from asof import recipes
from asof.rank.stage import Recipe
from asof.wire import replace
from bench import corpora, figures, quality, startup


@pytest.fixture(scope="module")
def documents() -> list[corpora.Record]:
    return list(corpora.generated(1_500))


def test_the_same_seed_gives_the_same_corpus(documents: list[corpora.Record]) -> None:
    assert list(islice(corpora.generated(1_500), 20)) == documents[:20]
    assert corpora.questions_about(5) == corpora.questions_about(5) != corpora.questions_about(5, seed=2)


def test_prose_speaks_of_times(documents: list[corpora.Record]) -> None:
    """Two to four in a hundred words of articles: TIMES_A_WORD = .03 of the words are replaced by a time."""
    starts = [re.escape(each.partition("{")[0]) for each in corpora.TIMES if not each.startswith("{")]
    time = re.compile(rf"\b(?:{'|'.join(starts)})|\b[A-Z][a-z]+ \d\d?, \d{{4}}|\b\d{{4}}-\d\d-\d\d")
    articles = [each["text"] for each in documents if each["text"].count("\n\n")]
    words = sum(len(text.split()) for text in articles)
    assert 0.02 <= sum(len(time.findall(text)) for text in articles) / words <= 0.06  # "in " is a word too


def test_titles_repeat_words_and_a_fifth_are_of_one_template(documents: list[corpora.Record]) -> None:
    titles = [word for each in documents for word in each["title"].split()]
    assert len(set(titles)) < len(titles) / 2
    templated = [each for each in documents if re.search(r"\d+\.\d+\.\d+ was released on", each["text"])]
    assert 0.12 <= len(templated) / len({each["id"].partition("/")[0] for each in documents}) <= 0.3
    threads = [each for each in documents if "/" in each["id"]]
    assert len(threads) >= corpora.TURNS
    assert len({each["id"] for each in documents}) < len(documents), "some are superseded"


def test_questions_are_as_long_as_those_of_people() -> None:
    lengths = [len(each.split()) for each in corpora.questions_about(300)]
    assert 6 <= min(lengths) <= max(lengths) <= 17
    assert sum(any(letter.isdigit() for letter in each) for each in corpora.questions_about(300)) > 50


def test_a_figure_is_compared_by_the_time_of_the_processor() -> None:
    assert Figure(8.0, "ms", 2.0).better(Figure(4.0, "ms", 4.0)) == 2.0
    assert Figure(8.0, "/s").better(Figure(4.0, "/s", 4.0)) == 2.0
    assert str(Figure(8.12, "ms", 2.0, 9.0)) == "8.12 / 9.00 / 2.00 ms"


def test_figures_of_two_runs_are_told_side_by_side(tmp_path: Path) -> None:
    kept = tmp_path / "figures.json"
    before = {"5,000": {"asof": {"open": Figure(10.0, "ms"), "gone": Figure(1.0, "ms")}}}
    kept.write_text(json.dumps({"figures": before}))
    now = {"5,000": {"asof": {"open": Figure(20.0, "ms"), "new": Figure(1.0, "ms")}}}
    lines = figures.against(now, figures.read(kept)).splitlines()
    assert [line.split()[-2:] for line in lines[1:]] == [["x", "worse"]]


def test_systems_stand_side_by_side() -> None:
    made = {
        "asof": {"open": Figure(10.0, "ms")},
        "tantivy": {"open": Figure(5.0, "ms"), "disk": Figure(1e6, "MB")},
    }
    assert [line.split()[-2:] for line in figures.table(made).splitlines()[1:]] == [
        ["0.50", "x"],
        ["MB", "-"],
    ]


def test_a_command_enters_fewer_modules_than_it_imports() -> None:
    taken = startup.run(startup.COMMANDS["asof --help"])
    assert taken.busy > 0
    entered = startup.entered(startup.COMMANDS["asof --help"])
    assert 0 < entered.modules <= entered.imported
    assert entered.modules <= entered.functions


def names(specs: list[str], *, parts: bool = False) -> dict[str, Recipe]:
    return {each.recipe.name: each.recipe for each in quality.asked_recipes(specs, parts=parts)}


def test_recipes_are_changed_by_words() -> None:
    made = names(["asof", "asof lexical.k1=1,1.5 -exact_name"])
    assert list(made) == ["asof", "asof -exact_name lexical.k1=1", "asof -exact_name lexical.k1=1.5", "bm25"]
    whole, changed = made["asof"], made["asof -exact_name lexical.k1=1.5"]
    assert set(whole.stages_by_name()) - set(changed.stages_by_name()) == {"exact_name"}
    assert dict(changed.fields())["lexical.k1"] == 1.5
    with pytest.raises(SystemExit, match="has no stage"):
        names(["asof -nothing"])


def test_each_part_is_left_out_in_turn() -> None:
    made = names(["asof"], parts=True)
    assert {"asof combine.weights.superseded=0", "asof -round_robin_by_document", "bm25"} < set(made)
    assert len(made) == 2 + 9 + 3


def of_set(name: str, **values: list[float]) -> quality.OfSet:
    kinds = ["a"] * 20 + ["b"] * 20
    asked = {recipe: {"ndcg@10": each} for recipe, each in values.items()}
    return quality.OfSet(name, kinds, asked, dict.fromkeys(asked, 1.0))


def test_a_part_earns_its_place_on_a_kind_of_questions() -> None:
    same = [0.5] * 40
    sets = [
        of_set("one", whole=same, poor=[0.5] * 20 + [0.4] * 20, same=same),
        of_set("two", whole=same, poor=[0.6] * 20 + [0.6] * 20, same=same),
    ]
    recipe = recipes.named("bm25")
    asked = [quality.Asked(replace(recipe, name="whole"))]
    asked += [quality.Asked(replace(recipe, name=each), "whole", part=True) for each in ("poor", "same")]
    report = quality.report(sets, asked, "ndcg@10")
    assert re.search(r"^poor +-0.0500 +\+0.1000 +\+0.0250 +yes$", report, re.MULTILINE)
    assert re.search(r"^same +0 +0 +0 +no$", report, re.MULTILINE)
    assert "poor: one, b: -0.1000 ± 0.000 (20 questions)" in report


def test_a_value_is_chosen_on_the_other_sets() -> None:
    sets = [
        of_set("one", whole=[0.5] * 40, other=[0.9] * 40), of_set("two", whole=[0.5] * 40, other=[0.4] * 40),
    ]  # fmt: skip
    recipe = recipes.named("bm25")
    asked = [
        quality.Asked(replace(recipe, name="whole")),
        quality.Asked(replace(recipe, name="other"), "whole"),
    ]
    report = quality.report(sets, asked, "ndcg@10")
    assert re.search(r"^chosen on all other sets +0.500 +0.400 +0.450$", report, re.MULTILINE)
