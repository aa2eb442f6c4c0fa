"""Lines that many documents have: counted as of the view, and not quoted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.ranking import fresh as fresh

from asof.answer.boilerplate import common_lines
from asof.answer.statements import statements_of
from asof.documents import Document

Make = Callable[..., Any]

FORM = "Please fill in every part of this form."


@pytest.fixture
def forms() -> list[Document]:
    """Four forms of 2020 and one of 2021; in 2022 a text with the words of their first line in two lines."""
    made = [
        Document(str(at), f"{FORM}\n\nRopes and bells of pier {at}.\n", published="2020") for at in range(4)
    ]
    more = f"{FORM}\n\nEvery part of a mill is listed in the ledger of the harbour.\n"
    other = "Please fill in every part\nof this form.\n"
    return [
        *made, Document("more", more, published="2021"), Document("other", other, published="2022"),
        *(Document(f"mill {at}", f"The mill has wing {at}.", published="2022") for at in range(4)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("as_of", "is_common"),
    [
        ("2020-12-31", False),  # 4 documents have it: fewer than 5
        ("2021-12-31", True),  # 5 of 5
        ("2022-12-31", True),  # 5 of 10; six have its words
    ],
)
def test_lines_are_counted_as_of_the_view(
    fresh: Make, forms: list[Document], as_of: str, *, is_common: bool
) -> None:
    with fresh(*forms) as corpus:
        corpus.at().search("form")  # what is known of the present says nothing about the past
        view = corpus.at(as_of).view()
        assert (len(common_lines(view, [(forms[0].text, "en")])) == 1) is is_common
        assert common_lines(view, [(forms[5].text, "en")]) == frozenset()


def test_a_share_of_the_documents_has_it(fresh: Make, forms: list[Document]) -> None:
    """5 of 25 are a fifth, 5 of 26 are fewer."""
    for others, is_common in ((20, True), (21, False)):
        made = [Document(f"x{at}", f"Rope {at}.", published="2022") for at in range(others)]
        with fresh(*forms[:5], *made) as corpus:
            assert bool(common_lines(corpus.at().view(), [(FORM, "en")])) is is_common


def test_what_is_boilerplate_is_not_quoted(fresh: Make, forms: list[Document]) -> None:
    with fresh(*forms[:5]) as corpus:
        found = corpus.at().search("every part of this form")
        said = {each.text for each in statements_of(corpus.at().view(), found)}
        assert "Every part of a mill is listed in the ledger of the harbour." in said
        assert FORM not in said
