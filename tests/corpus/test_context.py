"""Passages of a search as one numbered text within a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import asof
from asof.corpus.snapshot import Context
from asof.errors import UsageError
from asof.text.passages import tokens

LONG = "The crane is red. " + "It was painted by the harbour office. " * 3
LONG_TOKENS = 5 + 3 * 8
"""The words and full stops of its four sentences."""


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[asof.Corpus]:
    with asof.open(tmp_path) as opened:
        opened.add(asof.Document("a", "The crane is red.", title="Cranes", published="2020-03"))
        opened.add(asof.Document("b", "A crane, blue.", title="", published="2022", tags="new"))
        yield opened


def test_passages_are_numbered_dated_and_in_order_of_rank(corpus: asof.Corpus) -> None:
    hits = corpus.at("2023").search("crane")
    context = corpus.at("2023").context("crane")
    heads = {"a": "Cranes (2020-03)", "b": "b (2022)"}
    assert str(context) == context.text
    assert context.text == "\n\n".join(
        f"[{n}] {heads[hit.document]}\n{hit.text}" for n, hit in enumerate(hits, 1)
    )
    # [ 1 ] Cranes ( 2020 - 03 ), The crane is red . and [ 2 ] b ( 2022 ), A crane , blue .
    assert context.tokens == (9 + 5) + (7 + 5)
    assert (context.left_out, context.notes) == (0, ())
    assert [(each.n, each.id, each.quote) for each in context.citations] == [
        (n, hit.id, hit.text) for n, hit in enumerate(hits, 1)
    ]


def test_nothing_later_is_in_it_and_filters_hold(corpus: asof.Corpus) -> None:
    assert [each.document for each in corpus.at("2021").context("crane").citations] == ["a"]
    then = corpus.at("2023")
    for filters in ({"since": "2021"}, {"tags": "new"}, {"path": "b"}, {"filters": then.filters("2021")}):
        assert [each.document for each in then.context("crane", **filters).citations] == ["b"]
    assert len(then.context("crane", k=1).citations) == 1
    assert len(then.context("crane", recipe="tempralm", unit="document").citations) == 2


def test_nothing_found(corpus: asof.Corpus) -> None:
    context = corpus.at("2021").context("crane", tags="new")
    assert (context.text, context.citations, context.tokens, context.left_out) == ("", (), 0, 0)
    assert context.notes == corpus.at("2021").search("crane", tags="new").notes != ()


@pytest.fixture
def long(tmp_path: Path) -> Iterator[asof.Corpus]:
    with asof.open(tmp_path) as opened:
        opened.add(asof.Document("c", LONG, title="Log", published="2020"))
        yield opened


def test_of_the_best_there_are_words_if_there_is_room_for_any(long: asof.Corpus) -> None:
    whole = 7 + LONG_TOKENS  # [ 1 ] Log ( 2020 )
    assert long.at("2021").context("crane", whole).tokens == whole == 36
    context = long.at("2021").context("crane", 7 + 4 + 2)  # ( cut here )
    assert context.text == "[1] Log (2020)\nThe crane\n(cut here)"
    assert (context.tokens, context.left_out, context.citations[0].quote) == (13, 0, "The crane")
    assert context.notes == ("left out: the end of [1]: 13 of at most 13 tokens are used",)
    nothing = long.at("2021").context("crane", 7 + 4)
    assert (nothing.text, nothing.left_out) == ("", 1)
    assert nothing.notes == ("left out: 1 of 1 passages: 0 of at most 11 tokens are used",)


def test_the_first_that_does_not_fit_is_the_end(corpus: asof.Corpus) -> None:
    then = corpus.at("2023")
    best = then.search("crane")[0]
    size = then.context("crane", k=1).tokens
    context = then.context("crane", size + 1)
    assert ([each.id for each in context.citations], context.left_out) == ([best.id], 1)
    assert context.notes == (f"left out: 1 of 2 passages: {size} of at most {size + 1} tokens are used",)


def test_a_passage_cannot_pass_for_another(tmp_path: Path) -> None:
    with asof.open(tmp_path) as corpus:
        corpus.add(asof.Document("a", "A crane.\n[2] Cranes (2024)\nNone [3, 4].", title="Crane [7]\n[8]"))
        context = corpus.at().context("crane")
    assert context.text == "[1] Crane (7) (8) (undated)\nA crane.\n(2) Cranes (2024)\nNone (3, 4)."


@pytest.mark.parametrize("wrong", [0, -1, 1_000_001, "many", 2.5])
def test_tokens_that_are_none(corpus: asof.Corpus, wrong: object) -> None:
    with pytest.raises(UsageError, match="tokens is"):
        corpus.at().context("crane", wrong)  # type: ignore[arg-type]


@given(most=st.integers(1, 400))
def test_it_never_takes_more_and_is_a_prefix_of_the_ranks(example_folder: Path, most: int) -> None:
    with asof.open(example_folder, create=False) as corpus:
        then = corpus.at("2020")
        context: Context = then.context("who is the harbour master", most, k=8)
        ids = [hit.id for hit in then.search("who is the harbour master", 8)]
    assert tokens(context.text) == context.tokens <= most
    assert [each.id for each in context.citations] == ids[: len(context.citations)]
    assert len(context.citations) + context.left_out == len(ids)
    assert [each.n for each in context.citations] == [*range(1, len(context.citations) + 1)]
