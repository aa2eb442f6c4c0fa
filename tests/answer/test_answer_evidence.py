"""The sentences that may be quoted, what they say of a phrase, and what their documents are about."""

from __future__ import annotations

import pytest
from tests.support.answers import Looked, corpus_with, doc, looked

from asof.answer.evidence import (
    NameUse,
    WeightedPhrase,
    document_in_time,
    document_times,
    name_use,
    quotable_sentences,
    text_names_time,
)
from asof.rank.words import largest_idf
from asof.time.moment import read
from asof.values import Heading

BOOK = "The quay is 40 metres long. The crane is red.\n\n## Dues\n\nA berth costs €12 a night in 2019."


@pytest.fixture(scope="module")
def quay(tmp_path_factory) -> Looked:
    with corpus_with(
        tmp_path_factory.mktemp("quay"),
        doc("book", "2021-03-01", BOOK, "Tallow Quay", outline=(Heading(BOOK.index("##"), 2, "Dues"),)),
        doc("crane", "2022-03-01", "The crane is blue. A berth at Tallow Quay is wet.", "Crane (FY2022)"),
        doc("undated", None, "Nobody knows how old the crane is.", "Old"),
    ) as corpus:
        return looked(corpus, "how much does a berth or the crane cost?")


def sentence(quay: Looked, begins: str):
    return next(each for each in quay.said if each.text.startswith(begins))


def hit(quay: Looked, document: str):
    return next(each for each in quay.hits if each.document == document)


def test_each_sentence_has_its_own_facts_and_headings_are_none(quay):
    assert {each.text for each in quay.said} == {
        "The quay is 40 metres long.", "The crane is red.", "A berth costs €12 a night in 2019.",
        "The crane is blue.", "A berth at Tallow Quay is wet.", "Nobody knows how old the crane is.",
    }  # fmt: skip
    assert [each.fact.object for each in sentence(quay, "A berth costs").facts] == ["€12 a night"]
    assert sentence(quay, "The crane is red").facts == ()


def test_words_of_a_sentence_are_its_own_and_those_of_its_headings_then_of_its_title(quay):
    berth = sentence(quay, "A berth costs")
    assert {"berth", "cost"} <= berth.stems
    assert berth.context_stems - berth.stems == {"due"}
    assert berth.titled_stems - berth.context_stems == {"tallow", "quay"}
    assert "due" not in sentence(quay, "The crane is red").context_stems


def test_sentences_come_in_the_order_of_their_hits(quay):
    order = [each.id for each in quay.hits]
    found = [order.index(each.hit.id) for each in quay.said]
    assert found == sorted(found)
    assert quotable_sentences(quay.view, (), ()) == []


def test_the_share_of_a_phrase_is_by_weight(quay):
    phrase = WeightedPhrase.of("berth crane zebra", quay.view)
    (_, berth), (_, crane), (_, zebra) = phrase.words
    assert berth > crane > 0  # 2 of 4 passages have a berth, 3 a crane
    assert zebra == 0.5 + largest_idf(quay.view) ** 2 >= berth  # nothing says it: as much as the rarest
    assert phrase.share(frozenset(("berth",))) == berth / (berth + crane + zebra)
    assert phrase.share(frozenset()) == 0.0
    assert phrase.share(frozenset(("berth", "crane", "zebra"))) == 1.0
    assert WeightedPhrase.of("", quay.view).share(frozenset()) == 1.0


def test_a_document_is_of_the_time_of_its_title_else_of_its_publication(quay):
    assert document_times(hit(quay, "crane")) == (read("2022"),)
    assert document_times(hit(quay, "book")) == (read("2021-03-01"),)  # 2019 is said in its text
    assert document_times(hit(quay, "undated")) == ()
    assert document_in_time(hit(quay, "crane"), read("2022"))
    assert not document_in_time(hit(quay, "book"), read("2019"))
    assert text_names_time(next(h for h in quay.hits if "€12" in h.text), read("2019"))
    assert not text_names_time(hit(quay, "crane"), read("2022"))


def test_a_name_stands_at_the_beginning_of_a_title_or_in_a_text(quay):
    book, crane = hit(quay, "book"), hit(quay, "crane")
    assert name_use(book, "Tallow Quay Ltd.") == NameUse(title=True, text=True)
    assert name_use(book, "tallow") == NameUse(title=True, text=True)
    assert name_use(book, "Quay") == NameUse(title=False, text="quay" in book.text)
    assert name_use(crane, "Tallow Quay") == NameUse(title=False, text=True)
    assert name_use(crane, "Tallow Qua") == NameUse(title=False, text=False)
