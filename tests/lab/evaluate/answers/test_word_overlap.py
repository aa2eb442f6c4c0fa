"""Token F1 and ROUGE-L against hand-made values and the textbook recursion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.lab.answers import exact_match, f1, longest_common, rouge_l, uncited, words

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "3.7"]), max_size=9)


def test_figures_stay_whole():
    """Said: 3.7 billion in q1, right: 3.7 billion: P = 2/4, R = 2/2, F1 = 2 * .5 * 1 / 1.5."""
    assert words("3.7 billion in q1") == ["3.7", "billion", "in", "q1"]
    assert f1("3.7 billion in q1", "3.7 billion") == pytest.approx(2 / 3)
    assert f1("3.8 billion", "3.7 billion") == pytest.approx(1 / 2)


def test_tokens_count_as_often_as_they_occur():
    """Two of the three "so" are matched: P = 2/3, R = 2/2."""
    assert f1("so so so", "so so") == pytest.approx(2 * (2 / 3) / (2 / 3 + 1))


def test_the_order_matters_to_rouge_alone():
    """LCS of "acme revenue was 3 billion" and "revenue 3 billion" is 3: P = 3/5, R = 3/3, F = 1.2 / 1.6."""
    assert rouge_l("acme revenue was 3 billion", "revenue 3 billion") == pytest.approx(0.75)
    assert rouge_l("b a", "a b") == pytest.approx(1 / 2)
    assert f1("b a", "a b") == 1.0


@pytest.mark.parametrize(("said", "gold", "value"), [("", "", 1.0), ("", "a", 0.0), ("...", "a", 0.0)])
def test_texts_without_a_token(said, gold, value):
    assert (f1(said, gold), rouge_l(said, gold)) == (value, value)


def test_case_and_punctuation_do_not_count():
    assert (
        f1("The Ferry, twice!", "the ferry twice") == rouge_l("The Ferry, twice!", "the ferry twice") == 1.0
    )


def test_numbers_of_citations_are_no_words():
    assert uncited("It was 5% [1], then [a] 6% [2, 13].") == "It was 5%, then [a] 6%."


@given(TEXTS, TEXTS)
def test_the_longest_common_subsequence_is_that_of_the_textbook(one, other):
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    assert longest_common(one, other) == table[-1][-1]


@given(TEXTS, TEXTS)
def test_what_is_alike_both_ways_is_alike(one, other):
    said, gold = " ".join(one), " ".join(other)
    for measure in (f1, rouge_l):
        assert measure(said, gold) == measure(gold, said)
        assert 0 <= measure(said, gold) <= 1
    assert rouge_l(said, gold) <= f1(said, gold)


@pytest.mark.parametrize(
    ("answer", "accepted", "same"),
    [
        ("The Harbour Master!", ["harbour master"], True),
        ("3.7 billion", ["3.7 Billion"], True),
        ("3.7 billion", ["37 billion"], False),
        ("Ann", ["Bob", "an Ann"], True),
        ("Ann and Bob", ["Ann"], False),
        ("", [], False),
    ],
)
def test_exact_match_is_of_all_words_but_articles(answer, accepted, same):
    assert exact_match(answer, accepted) is same


@given(TEXTS)
def test_an_exact_match_shares_all_words_but_articles(tokens):
    text = " ".join(tokens)
    assert exact_match(text, [text.upper()])
    assert f1(text, text) == 1.0
