"""Passages by their facts (TG-RAG, algorithm 1): against the formulas in plain Python, and bit for bit."""

from __future__ import annotations

import math
from collections import defaultdict

import pytest
from tests.support.fact_lines import corpus_of, note

from asof.extensions.facts.local import Local, gammas
from asof.extensions.facts.visible import facts_about
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe

NOTES = (
    note("a", "2022-01-01", "Otter | sold | rope | 2020", "Otter | sold | tar | 2021"),
    note("b", "2022-01-02", "Heron | sold | rope | 2021"),
    note("c", "2022-01-03", "Heron | bought | tar | 2020"),
    note("d", "2022-01-04", "Otter | crew | 40 | 2021", "Otter | crew | 41 | 2020"),
    note("e", "2022-01-05", "Nothing is stated here of who sold rope."),
)
QUESTION = "who sold rope to Otter in 2021?"


@pytest.fixture(scope="module")
def quay():
    with corpus_of(*NOTES) as corpus:
        yield corpus


def recipe(**fields) -> Recipe:
    return Recipe("local alone", "", (Lexical(), Local(**fields), TopK()))


def search(corpus, question=QUESTION, **fields):
    found = corpus.at().search(question, k=20, recipe=recipe(**fields))
    for hit in found.hits:
        assert hit.why.value == hit.why.recomputed() == hit.score
    return found


def scores(found) -> dict[str, float]:
    return {hit.document: hit.score for hit in found.hits}


def by_hand(corpus, *, scope="2021", damping=0.85) -> dict[str, float]:
    """The equations of the docstring; gamma is taken as given."""
    view = corpus.at().view()
    facts = facts_about(view, ("otter", "heron"))
    query = search(corpus).query
    gamma = dict(zip(facts, gammas(query, view, facts), strict=True))
    facts = [each for each in facts if gamma[each] > 0]
    ends = {
        each: (
            each.fact.subject.lower(),
            (each.fact.relation if each.fact.amount else each.fact.object).lower(),
        )
        for each in facts
    }
    within = {
        each: not scope or (each.fact.when is not None and each.fact.when.text == scope) for each in facts
    }
    nodes = sorted({name for pair in ends.values() for name in pair})
    degree = dict.fromkeys(nodes, 0.0)
    for one, other in ends.values():
        degree[one] += 1
        degree[other] += 1
    seeds = {name for each in facts if within[each] for name in ends[each]}
    start = {name: (name in seeds) / len(seeds) for name in nodes}
    rank = dict(start)
    for _ in range(300):  # 0.85^300 is below 1e-21
        step = {name: (1 - damping) * start[name] for name in nodes}
        for one, other in ends.values():
            step[other] += damping * rank[one] / degree[one]
            step[one] += damping * rank[other] / degree[other]
        rank = step
    sums: dict[str, float] = defaultdict(float)
    weights: dict[str, float] = defaultdict(lambda: 1.0)
    for each in facts:
        document = each.passage.document
        weights[document] *= 1 + gamma[each]
        sums[document] += sum(rank[name] for name in ends[each]) if within[each] else 0.0
    return {document: weights[document] * sums[document] for document in weights if sums[document] > 0}


def test_the_golden_case(quay):
    expected = by_hand(quay)
    assert set(expected) == {"a", "b", "d"}  # c is of 2020 alone, e states nothing
    found = scores(search(quay))
    assert {document: found[document] for document in expected} == pytest.approx(expected, rel=1e-5)
    assert list(found)[: len(expected)] == sorted(expected, key=expected.__getitem__, reverse=True)


def test_facts_of_another_time_count_for_nothing_but_their_place_in_the_graph(quay):
    tree = next(hit for hit in search(quay).hits if hit.document == "a").why
    texts = []

    def walk(why):
        texts.append(why.label)
        for each in why.parts:
            walk(each)

    walk(tree)
    assert "Otter · sold · rope (2020): of another time" in texts
    assert "PageRank of tar" in texts
    assert "1 + gamma of Otter · sold · tar (2021)" in texts


def test_without_a_time_in_the_question_every_fact_counts(quay):
    found = search(quay, "who sold rope to Otter?")
    assert set(scores(found)) == {"a", "b", "d", "e"}  # c has none of these words
    assert found.notes == ("5 facts, 5 of them of the time asked for",)


def test_a_time_of_which_nothing_is_known_finds_nothing_and_says_what_is_nearest(quay):
    found = search(quay, "who sold rope to Otter in 2031?")
    assert found.hits == ()
    assert found.notes == ("no fact of the time asked for; the nearest times that are known: 2021, 2020",)


def test_words_that_no_fact_says_leave_the_passages_as_they_were():
    with corpus_of(note("e", "2022-01-05", "Nothing is stated of the rope.")) as corpus:
        found = search(corpus, "rope")
        assert [hit.document for hit in found.hits] == ["e"]
        assert found.notes == ("no fact that says any of it",)


@pytest.mark.parametrize(
    "fields",
    [{"in_time": False}, {"ppr": False}, {"sum_over": "graph"}, {"facts": 1}, {"damping": 0.2}],
)
def test_every_switch_changes_something(quay, fields):
    assert scores(search(quay, **fields)) != scores(search(quay))


def test_without_the_graph_a_fact_counts_as_much_as_it_says(quay):
    view = quay.at().view()
    facts = facts_about(view, ("otter", "heron"))
    found = search(quay, ppr=False)
    gamma = dict(zip(facts, gammas(found.query, view, facts), strict=True))
    mine = [each for each in facts if each.passage.document == "b"]
    expected = math.prod(1 + gamma[each] for each in mine) * sum(gamma[each] for each in mine)
    assert scores(found)["b"] == pytest.approx(expected)


def test_the_letter_of_equation_3_has_one_sum_for_all_passages(quay):
    """Then only the product of (1 + gamma) orders them."""
    found = search(quay, sum_over="graph")
    values = {hit.document: hit.why for hit in found.hits if hit.why.label == "passage by its facts"}
    sums = {tree.parts[1].value for tree in values.values()}
    assert len(values) >= 4
    assert len(sums) == 1
    for document, tree in values.items():
        assert tree.value == tree.parts[0].value * tree.parts[1].value, document


def test_the_same_whatever_else_is_in_the_corpus_later(quay):
    """Scores as of 2022 are bit for bit those of a corpus that ends there."""
    later = note("later", "2024-01-01", "Otter | sold | rope | 2021", "Heron | sold | Otter | 2021")
    with corpus_of(*NOTES, later) as corpus:
        one = corpus.at("2022").search(QUESTION, k=20, recipe=recipe())
    other = quay.at("2022").search(QUESTION, k=20, recipe=recipe())
    assert [(hit.id, hit.score) for hit in one.hits] == [(hit.id, hit.score) for hit in other.hits]
    assert [str(hit.why) for hit in one.hits] == [str(hit.why) for hit in other.hits]
