"""The time of a question in TempRALM's score: named, stated, or none; what lies after it; speculation."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, pstdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.systems.recipes import TEMPRALM
from asof.extensions.systems.stages import question_time
from asof.rank.stage import Recipe
from asof.time.moment import read
from asof.values import Query
from asof.wire import encode

Make = Callable[..., Any]
AS_OF = read("2024-07-01").last
SPECULATIVE = TEMPRALM.replaced({"gap.mask": False})


@pytest.mark.parametrize(
    ("query", "masked", "unmasked"),
    [
        (Query("q", "q"), "2024-07-01", "2024-07-01"),
        (Query("q", "q", stated=False), None, None),
        (Query("q", "q", recency=0.25, stated=False), None, None),
        (Query("q", "q", recency=1.0, stated=False), "2024-07-01", "2024-07-01"),  # "latest"
        (Query("q", "q", recency=0.5, stated=False), "2024-07-01", "2024-07-01"),  # "who is"
        (Query("q", "q", about=(read("2019"),), stated=False), "2019-12-31", "2019-12-31"),
        (Query("q", "q", about=(read("2019"), read("2016"))), "2019-12-31", "2019-12-31"),
        (Query("q", "q", about=(read("2026"),)), "2024-07-01", "2026-12-31"),
    ],
)
def test_the_time_of_a_question(query: Query, masked: str | None, unmasked: str | None) -> None:
    for day, mask in ((masked, True), (unmasked, False)):
        expected = None if day is None else read(day).last
        assert question_time(query, AS_OF, masked=mask) == expected


@pytest.fixture
def mills(fresh: Make, aged: Make) -> Any:
    """Of the same words, one a year, and one undated; by words, shorter ones first, 2022 leads."""
    days = {"2022": 670, "2021": 1035, "2019": 1766, "2023": 305}
    texts = {year: "who ran the mill" + " then" * at for at, year in enumerate(days)}
    documents = [aged(age, texts[year], year) for year, age in days.items()]
    with fresh(*documents, aged(None, "who ran the mill then"), undated="always") as corpus:
        yield corpus


def ranked(corpus: Any, question: str, recipe: Recipe = TEMPRALM, as_of: str | None = "2024-07-01") -> Any:
    found = corpus.at(as_of).search(question, recipe=recipe)
    for hit in found.hits:
        assert hit.why.value == hit.why.recomputed() == hit.score
    return found


def test_a_named_year_masks_what_is_later(mills: Any) -> None:
    """Of 2021 there is a note; 2022 and 2023 are left out, the undated one stays."""
    found = ranked(mills, "who ran the mill in 2021")
    assert found.hits[0].document == "2021"
    assert {hit.document for hit in found.hits} == {"2021", "2019", "undated"}
    assert any(note.startswith("2 of 5 were published after 2021-12-31") for note in found.notes)


def test_a_year_between_two_notes_is_answered_by_the_one_before(mills: Any) -> None:
    found = ranked(mills, "who ran the mill in 2020")
    assert {hit.document for hit in found.hits} == {"2019", "undated"}


def test_speculation_ranks_what_is_nearest_on_either_side(mills: Any) -> None:
    """2021-08-31 is 243 days after 2020, 2019-08-31 is 488 days before its end."""
    found = ranked(mills, "who ran the mill in 2020", SPECULATIVE)
    assert found.hits[0].document == "2021"
    assert {hit.document for hit in found.hits} == {"2023", "2022", "2021", "2019", "undated"}


def test_by_hand(fresh: Make, aged: Make) -> None:
    """Words tell half of s (their share of the best is 1 for both): of 2020-12-31, 10 and 40 days before."""
    first = (read("2024-07-01").first - read("2020-12-31").first) // 86_400_000_000
    ages = [first + 10, first + 40]
    with fresh(*(aged(age, "who ran the mill", f"d{age - first}") for age in ages)) as corpus:
        found = ranked(corpus, "who ran the mill in 2020")
        near, s = [1 / 10, 1 / 40], [1.0, 1.0]
        t = [(each - fmean(near)) / pstdev(near) * pstdev(s) + fmean(s) for each in near]
        assert [hit.score for hit in found.hits] == pytest.approx([1 + each for each in t])
        (days,) = (part.value for part in _leaves(found.hits[0].why) if part.label == "days from 2020-12-31")
        assert days == 10.0


def _leaves(why: Any) -> list[Any]:
    return [why] if not why.parts else [leaf for part in why.parts for leaf in _leaves(part)]


def test_without_a_time_relevance_alone_ranks(mills: Any) -> None:
    """Not asked as of a moment, no time named, no wish for the newest: s + the mean of s, dated or not."""
    found = ranked(mills, "who ran the mill", as_of=None)
    assert [hit.document for hit in found.hits][:2] == ["2022", "2021"]
    level = found.hits[0].why.parts[1].value
    assert [hit.score - level for hit in found.hits] == pytest.approx(
        [hit.why.parts[0].value for hit in found.hits]
    )
    assert any(note.startswith("closeness in time is off") for note in found.notes)
    for question, as_of in (("who ran the mill", "2024-07-01"), ("latest news of the mill", None)):
        timed = ranked(mills, question, as_of=as_of)
        assert not any(note.startswith("closeness in time is off") for note in timed.notes)


def test_as_of_in_words_is_a_time(mills: Any) -> None:
    found = ranked(mills, "who ran the mill as of 2020", as_of=None)
    assert {hit.document for hit in found.hits} == {"2019", "undated"}


@given(
    st.lists(st.integers(0, 2_500), min_size=1, max_size=8, unique=True), st.integers(2017, 2027),
    st.integers(0, 2_500), st.booleans(),
)  # fmt: skip
def test_whatever_the_mask_nothing_after_as_of_has_a_part(
    fresh: Make, aged: Make, days: list[int], year: int, asked: int, mask: bool
) -> None:
    """Asked as of T, a corpus that goes on and one that ends at T give the same scores and reasons."""
    question, recipe = f"who ran the mill in {year}", TEMPRALM.replaced({"gap.mask": mask})
    documents = [aged(each, f"who ran the mill {'mill ' * (each % 3)}", f"d{each}") for each in days]
    as_of = aged(asked).published.text
    then = [each for each, age in zip(documents, days, strict=True) if age >= asked]
    shown = []
    for stated in (documents, then):
        with fresh(*stated) as corpus:
            hits = ranked(corpus, question, recipe, as_of).hits
            shown.append([(hit.id, hit.score, encode(hit.why)) for hit in hits])
    assert shown[0] == shown[1]
