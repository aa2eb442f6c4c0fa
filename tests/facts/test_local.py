"""Passages by their facts (TG-RAG, algorithm 1): the formulas on a worked example, and the recipe."""

from __future__ import annotations

import math
import tomllib
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.corpora import Clock, new_corpus
from tests.support.fact_lines import add, corpus_of, note
from tests.support.meanings import Meanings

from asof import config, recipes
from asof.errors import BadConfig
from asof.extensions.facts.local import (
    NEAR_BY_COSINE,
    NEAR_BY_WORDS,
    Local,
    chunk_scores,
    chunk_weight,
    confidence_scores,
    edge_scores,
    fact_cosines,
    gammas,
    relation_text,
    seed_weights,
)
from asof.extensions.facts.pagerank import personalized_pagerank
from asof.extensions.facts.visible import facts_about
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe

# -- passages by their facts (TG-RAG, algorithm 1) -------------------------------------------------


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


def labels(why) -> set[str]:
    return {why.label, *(label for part in why.parts for label in labels(part))}


def search(corpus, question=QUESTION, as_of=None, **fields):
    found = corpus.at(as_of).search(question, k=20, recipe=recipe(**fields))
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
    texts = labels(next(hit for hit in search(quay).hits if hit.document == "a").why)
    assert texts >= {
        "Otter · sold · rope (2020): of another time", "PageRank of tar",
        "1 + gamma of Otter · sold · tar (2021)",
    }  # fmt: skip


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
    [{"in_time": False}, {"ppr": False}, {"facts": 1}, {"damping": 0.2}],
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


def test_the_same_whatever_else_is_in_the_corpus_later(quay):
    """Scores as of 2022 are bit for bit those of a corpus that ends there."""
    later = note("later", "2024-01-01", "Otter | sold | rope | 2021", "Heron | sold | Otter | 2021")
    with corpus_of(*NOTES, later) as corpus:
        one = corpus.at("2022").search(QUESTION, k=20, recipe=recipe())
    other = quay.at("2022").search(QUESTION, k=20, recipe=recipe())
    assert [(hit.id, hit.score) for hit in one.hits] == [(hit.id, hit.score) for hit in other.hits]
    assert [str(hit.why) for hit in one.hits] == [str(hit.why) for hit in other.hits]


# -- the scores of TG-RAG, section III-B, on a worked example --------------------------------------


ACME, CEO, GLOBEX, REVENUE = range(4)
HEADS = np.array([ACME, ACME, ACME, GLOBEX, GLOBEX])
TAILS = np.array([REVENUE, REVENUE, CEO, REVENUE, ACME])
QUARTERS = np.array(["2023-Q1", "2023-Q2", "2023-Q2", "2023-Q2", "2022-Q4"])
CHUNKS = np.array([0, 1, 1, 2, 3])
CONFIDENCE = np.array([0.8, 0.78, 0.4, 0.55, 0.3])


@dataclass(frozen=True)
class Scored:
    entities: np.ndarray
    edges: np.ndarray
    chunks: np.ndarray


def scored(*scope: str, quarters: np.ndarray = QUARTERS) -> Scored:
    within = np.isin(quarters, scope)
    start = seed_weights(4, HEADS, TAILS, within)
    entities = personalized_pagerank(4, HEADS, TAILS, start, tolerance=1e-13)
    edges = edge_scores(entities, HEADS, TAILS, within)
    weights = chunk_weight(CHUNKS, CONFIDENCE, 4)
    return Scored(entities, edges, chunk_scores(weights, CHUNKS, edges))


def about(*values: float) -> object:
    return pytest.approx(list(values), abs=1e-10)


# -- the worked example -------------------------------------------------------------------------------


def test_one_quarter() -> None:
    found = scored("2023-Q2")
    assert found.entities == about(0.389109069791, 0.120185677331, 0.201988700503, 0.288716552375)
    # .389109 + .288717, .389109 + .120186, .201989 + .288717
    assert found.edges == about(0, 0.677825622166, 0.509294747121, 0.490705252879, 0)
    # 2.492 (.677826 + .509295) and 1.55 · .490705
    assert found.chunks == about(0, 2.95830396026, 0.760593141962, 0)


def test_weights_of_passages() -> None:
    # 1.8, 1.78 · 1.4, 1.55, 1.3; a fifth without facts
    assert chunk_weight(CHUNKS, CONFIDENCE, 5) == about(1.8, 2.492, 1.55, 1.3, 1)


def test_seeds_are_the_entities_of_the_facts_in_scope() -> None:
    assert seed_weights(4, HEADS, TAILS, QUARTERS == "2023-Q2").tolist() == [1, 1, 1, 1]
    assert seed_weights(4, HEADS, TAILS, QUARTERS == "2023-Q1").tolist() == [1, 0, 0, 1]


def test_another_quarter() -> None:
    found = scored("2023-Q1")
    assert found.entities == about(0.409110321059, 0.0869359432251, 0.179004806502, 0.324948929214)
    # 1.8 (.409110 + .324949)
    assert found.chunks == about(1.32130665049, 0, 0, 0)


def test_two_quarters() -> None:
    moved = QUARTERS.copy()
    moved[3] = "2023-Q3"
    found = scored("2023-Q1", "2023-Q2", quarters=moved)
    assert found.entities == about(0.402897502088, 0.135615719194, 0.168600238829, 0.29288653989)
    # 1.8 (.402898 + .292887) and 2.492 (.402898 + .292887 + .402898 + .135616)
    assert found.chunks == about(1.25241127556, 3.07586878004, 0, 0)


def test_nothing_in_scope() -> None:
    found = scored("2031")
    for scores in (found.entities, found.edges, found.chunks):
        assert not scores.any()


# -- without one of the parts -------------------------------------------------------------------------


def test_confidence_in_place_of_the_graph() -> None:
    assert confidence_scores(CONFIDENCE, QUARTERS == "2023-Q2").tolist() == [0, 0.78, 0.4, 0.55, 0]
    assert confidence_scores(CONFIDENCE).tolist() == CONFIDENCE.tolist()


def test_without_the_filter_all_times_count() -> None:
    entities = np.array([0.4, 0.1, 0.2, 0.3])
    assert edge_scores(entities, HEADS, TAILS) == about(0.7, 0.7, 0.5, 0.5, 0.6)


# -- edges of the formulas ----------------------------------------------------------------------------


def test_no_facts_at_all() -> None:
    none, numbers = np.zeros(0, np.int64), np.zeros(0)
    assert seed_weights(2, none, none, np.zeros(0, bool)).tolist() == [0, 0]
    weights = chunk_weight(none, numbers, 2)
    assert weights.tolist() == [1, 1]
    assert chunk_scores(weights, none, numbers).tolist() == [0, 0]


def test_more_facts_than_a_number_can_weigh() -> None:
    # 2^1024 is too great; where nothing is in scope it is still nothing
    chunks = np.zeros(1024, np.int64)
    weights = chunk_weight(chunks, np.ones(1024), 1)
    assert weights.tolist() == [np.inf]
    assert chunk_scores(weights, chunks, np.zeros(1024)).tolist() == [0]
    assert chunk_scores(weights, chunks, np.ones(1024)).tolist() == [np.inf]


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1), st.floats(0.01, 1)), max_size=12))
def test_as_the_formula_says(facts: list[tuple[int, float, float]]) -> None:
    chunks = np.array([chunk for chunk, _, _ in facts], np.int64)
    edges = np.array([score for _, score, _ in facts], np.float64)
    confidence = np.array([certain for _, _, certain in facts], np.float64)
    found = chunk_scores(chunk_weight(chunks, confidence, 4), chunks, edges)
    for chunk in range(4):
        weight, total = 1.0, 0.0
        for at, score, certain in facts:
            if at == chunk:
                weight, total = weight * (1 + certain), total + score
        assert found[chunk] == weight * total


# -- gamma by cosines ------------------------------------------------------------------------------


NOTES_OF_FACT_VECTORS = (
    note("a", "2022-01-01", "Otter | lost | boat | 2021"),
    note("b", "2022-01-02", "Heron | lost | bread | 2021"),
    note("c", "2023-06-01", "Otter | lost | ship | 2021"),
)


@contextmanager
def meaning(*notes, encoder=None):
    """A corpus with an encoder that knows that a boat is a ferry."""
    clock = Clock.at("2025")
    with new_corpus(clock=clock, encoder=encoder or Meanings(), stem=False, undated="always") as corpus:
        add(corpus, *notes)
        yield corpus


def found(corpus, **fields):
    return search(corpus, "who lost a ferry in 2021", "2024", **fields)


def test_gamma_is_the_cosine_of_the_question_and_the_fact():
    with meaning(*NOTES_OF_FACT_VECTORS) as corpus:
        then = corpus.at()
        query = found(corpus).query
        facts = facts_about(then.view(), ["otter", "heron"])
        cosines = dict(
            zip([each.fact.object for each in facts], fact_cosines(query, then.view(), facts), strict=True)
        )
    encoder = Meanings()
    asked = encoder.encode([query.text], question=True)[0]
    for known in facts:
        expected = float(encoder.encode([relation_text(known)])[0] @ asked)
        assert cosines[known.fact.object] == pytest.approx(expected, abs=1e-3)  # whole numbers of 4,000
    assert cosines["boat"] > cosines["bread"]


def test_words_find_what_is_spelt_alike_and_cosines_what_means_the_same():
    """Both state what was lost; only the encoder knows that a boat is a ferry."""
    with meaning(*NOTES_OF_FACT_VECTORS) as corpus:
        by_cosine, by_words = found(corpus), found(corpus, gamma="words")
        assert by_cosine.hits[0].document in "ac"
        scores = {hit.document: hit.score for hit in by_cosine.hits}
        assert scores["a"] > scores["b"]
        plain = {hit.document: hit.score for hit in by_words.hits}
        assert plain["a"] == pytest.approx(plain["c"])
        assert NEAR_BY_COSINE in labels(by_cosine.hits[0].why)
        assert NEAR_BY_WORDS in labels(by_words.hits[0].why)
        assert "gamma: cosines of the encoder meanings" in by_cosine.notes
        assert not any("gamma" in note for note in by_words.notes)


def test_without_an_encoder_words_stand_in_and_a_note_says_so():
    with new_corpus(clock=Clock.at("2025"), stem=False, undated="always") as corpus:
        add(corpus, *NOTES_OF_FACT_VECTORS)
        auto, wanted = found(corpus), found(corpus, gamma="cosine")
        assert [hit.score for hit in auto.hits] == [hit.score for hit in wanted.hits]
        assert wanted.notes[-1] == "gamma without cosines: this corpus has no vectors"
        assert not any("cosines" in note for note in auto.notes)


def test_only_new_facts_are_encoded():
    encoder = Meanings()
    with meaning(*NOTES_OF_FACT_VECTORS[:2], encoder=encoder) as corpus:
        found(corpus)
        before = len(encoder.texts)
        found(corpus)
        assert encoder.texts[before:] == ["who lost a ferry in 2021"]
        add(corpus, NOTES_OF_FACT_VECTORS[2])
        found(corpus)
        new = [text for text in encoder.texts[before:] if "lost" in text and "who" not in text]
        assert {text.count("ship") for text in new} == {1, 2}  # the passage, and its fact with its sentence
        assert not any("boat" in text or "bread" in text for text in new)


# -- `tgrag` ---------------------------------------------------------------------------------------


NOTES_OF_TGRAG = tuple(
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
    with corpus_of(*NOTES_OF_TGRAG) as corpus:
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


def test_answers_can_be_found_by_it(firms):
    made = firms.at().ask("What was the revenue of Otter in Q1 2023?", recipe="tgrag")
    assert [each.document for each in made.citations] == ["otter 2023-Q1"]


@pytest.mark.parametrize(
    "line",
    ["facts = 0", "passages = 9", "damping = 1.0", "tolerance = 0.0", "ppr = 1"],
)
def test_a_setting_that_is_out_of_bounds_is_refused(line):
    with pytest.raises(BadConfig, match=f"local.{line.split()[0]}"):
        config.read(tomllib.loads(f"[recipes.tgrag]\nlocal.{line}")).recipe_named("tgrag")
