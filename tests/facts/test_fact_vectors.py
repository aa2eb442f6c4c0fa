"""Gamma by cosines: what describes facts and entities, and what of it is known when."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from tests.support.corpora import Clock, new_corpus
from tests.support.fact_lines import add, note
from tests.support.meanings import Meanings

from asof.extensions.facts.local import (
    DESCRIBED_BY,
    NEAR_BY_COSINE,
    NEAR_BY_WORDS,
    Local,
    entity_cosines,
    entity_text,
    fact_cosines,
    relation_text,
)
from asof.extensions.facts.visible import facts_about
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe

NOTES = (
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


def recipe(**fields) -> Recipe:
    return Recipe("local alone", "", (Lexical(), Local(**fields), TopK()))


def found(corpus, question="who lost a ferry in 2021", as_of="2024", **fields):
    results = corpus.at(as_of).search(question, k=20, recipe=recipe(**fields))
    for hit in results.hits:
        assert hit.why.value == hit.why.recomputed() == hit.score
    return results


def labels(why) -> set[str]:
    return {why.label, *(label for part in why.parts for label in labels(part))}


def test_what_describes_a_fact_and_an_entity():
    with meaning(*NOTES) as corpus:
        facts = facts_about(corpus.at().view(), ["otter"])
        assert relation_text(facts[0]).startswith(
            f"{facts[0].passage.title}: Otter lost boat (2021). Otter | lost"
        )
        assert entity_text("otter", facts) == "otter: Otter lost ship (2021); Otter lost boat (2021)"
        assert entity_text("nobody", []) == "nobody: "


def test_an_entity_is_described_by_its_latest_facts():
    notes = [
        note(f"d{n:02}", "2022-01-01", f"Otter | lost | boat{n} | {2000 + n}")
        for n in range(DESCRIBED_BY + 3)
    ]
    with meaning(*notes) as corpus:
        text = entity_text("otter", facts_about(corpus.at().view(), ["otter"]))
    assert [f"boat{n} " in text for n in range(DESCRIBED_BY + 3)] == [False] * 3 + [True] * DESCRIBED_BY


def test_gamma_is_the_cosine_of_the_question_and_the_fact():
    with meaning(*NOTES) as corpus:
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
    with meaning(*NOTES) as corpus:
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
        add(corpus, *NOTES)
        auto, wanted = found(corpus), found(corpus, gamma="cosine", seeds="cosine")
        assert [hit.score for hit in auto.hits] == [hit.score for hit in wanted.hits]
        assert wanted.notes[-1] == "gamma and seeds without cosines: this corpus has no vectors"
        assert not any("cosines" in note for note in auto.notes)


def test_walks_may_begin_where_the_question_is_about():
    with meaning(*NOTES) as corpus:
        equal = {hit.document: hit.score for hit in found(corpus).hits}
        nearer = {hit.document: hit.score for hit in found(corpus, seeds="cosine").hits}
        assert nearer["a"] / nearer["b"] > equal["a"] / equal["b"]
        view, query = corpus.at("2024").view(), found(corpus).query
        described = {name: facts_about(view, [name]) for name in ("heron", "otter")}
        heron, otter = entity_cosines(query, view, described)
        assert otter > heron


def test_only_new_facts_are_encoded():
    encoder = Meanings()
    with meaning(*NOTES[:2], encoder=encoder) as corpus:
        found(corpus)
        before = len(encoder.texts)
        found(corpus)
        assert encoder.texts[before:] == ["who lost a ferry in 2021"]
        add(corpus, NOTES[2])
        found(corpus)
        new = [text for text in encoder.texts[before:] if "lost" in text and "who" not in text]
        assert {text.count("ship") for text in new} == {1, 2}  # the passage, and its fact with its sentence
        assert not any("boat" in text or "bread" in text for text in new)


def test_erasing_a_document_erases_the_vectors():
    with meaning(*NOTES) as corpus:
        found(corpus)
        folder = corpus.session.derived.folder / "texts"
        assert list(folder.iterdir())
        corpus.purge("a")
        assert not folder.exists()
