"""Quoted phrases are there as they are written, whichever stage brought a passage in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from asof.models.encoders import HashedNgrams

Make = Callable[..., Any]

TEXTS = {
    "band": "The Who played loud rock music",
    "apart": "the man who played loud rock music",
    "turned": "Who? The band that played loud rock music",
    "alike": "loud rock music",
    "title": "nothing of it",
    "over": "played the\n\nwho played",
}


@pytest.mark.parametrize("encoder", [None, HashedNgrams(d=64)])
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ('"The Who"', {"band", "title", "over"}),
        ("“the who” music", {"band", "title", "over"}),
        ('"the who" "rock music"', {"band"}),
        ('"who the"', {"turned"}),
        ('"music rock"', set()),
        ('"loud rock music"', {"band", "apart", "turned", "alike"}),
        ('"nothing"', {"title"}),  # one word is no phrase
    ],
)
def test_phrases(fresh: Make, document: Make, encoder: Any, question: str, expected: set[str]) -> None:
    documents = [
        document(id_, text, "2001", title="Who is the who" if id_ == "title" else "")
        for id_, text in TEXTS.items()
    ]
    with fresh(*documents, encoder=encoder) as corpus:
        results = corpus.search(question, k=50)
        found = {hit.document for hit in results.hits}
        assert found >= expected
        if " " in question.strip('"'):
            assert found == expected
            assert any(note.startswith(f"phrases: {0 + len(expected)} ") for note in results.notes)
        for hit in results.hits:
            assert hit.why.value == hit.why.recomputed() == hit.score


def test_a_phrase_and_a_filter(fresh: Make, document: Make) -> None:
    with fresh(*(document(id_, text, "2001", tags=(id_,)) for id_, text in TEXTS.items())) as corpus:
        results = corpus.at().search('"the who"', tags=("over",))
        assert [hit.document for hit in results.hits] == ["over"]
        assert corpus.at("2000").search('"the who"').hits == ()
        assert corpus.at().search('"the who"', since="2002").hits == ()
