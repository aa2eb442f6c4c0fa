"""How much of a budget a text takes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from asof.text.passages import ends, passage_header, tokens
from asof.time.span import Span
from asof.values import SourcedTime


def test_words_and_marks_are_tokens() -> None:
    # Revenue rose 4 . 2 % ( Q3 ) .
    assert tokens("Revenue rose 4.2% (Q3).") == 10
    assert ends("rose 4.2%") == [4, 6, 7, 8, 9]
    assert tokens(" \n\t") == 0


def test_the_line_above_a_passage() -> None:
    assert (
        passage_header("Harbour news", SourcedTime(Span(None, None), "May 2021", "text"))
        == "Harbour news (May 2021)"
    )
    assert passage_header("Harbour news", None) == "Harbour news (undated)"


@given(st.text(max_size=60), st.text(max_size=60))
def test_lines_add_up(one: str, other: str) -> None:
    assert tokens(f"{one}\n{other}") == tokens(one) + tokens(other) == len(ends(f"{one}\n{other}"))
