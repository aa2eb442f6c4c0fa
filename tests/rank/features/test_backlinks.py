"""Backlinks as a factor: expected values are the formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from asof.errors import UsageError
from asof.extensions.systems.linked_notes import Backlinks
from asof.rank.combine import ReciprocalRank
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Ranking
from asof.schema import checked
from asof.values import Filters, Link, Query
from asof.wire import encode

Make = Callable[..., Any]

FUSED = (Lexical(), ReciprocalRank(k=60))


def linked(document: Make, many: int, **more: Any) -> Iterator[Any]:
    """A note with the word, and so many others that link to it."""
    yield document("hub", "mill", "2020", **more)
    for at in range(many):
        yield document(f"n{at}", "fog", "2020", links=(Link("hub"), Link("HUB")))


@pytest.mark.parametrize(
    ("links", "factor"), [(0, 1), (1, 1.1), (5, 1.5), (9, 1.9), (10, 2), (11, 2), (50, 2)]
)
def test_a_tenth_for_each_up_to_ten(
    fresh: Make, document: Make, run: Make, links: int, factor: float
) -> None:
    with fresh(*linked(document, links)) as corpus:
        (hit,) = run(corpus, "mill", *FUSED, Backlinks(), TopK()).hits
        assert hit.score == pytest.approx(1 / (60 + 1) * factor, rel=1e-15)


def test_other_weight_and_cap(fresh: Make, document: Make, run: Make) -> None:
    with fresh(*linked(document, 5)) as corpus:
        (hit,) = run(corpus, "mill", *FUSED, Backlinks(0.5, 3), TopK()).hits
        assert hit.score == 1 / (60 + 1) * (1 + 0.5 * 3)
        assert encode(hit.why)["parts"][1]["parts"][1]["parts"][1] == {
            "label": "documents that link to it, at most 3", "value": 3.0, "op": "given",
        }  # fmt: skip


def test_off_is_unchanged(fresh: Make, document: Make) -> None:
    with fresh(*linked(document, 2)) as corpus:
        view = corpus.at().view()
        query = Query("mill", "mill")
        before = Lexical()(query, Ranking(view.window(query.filters)), view)
        assert Backlinks(0.0)(query, before, view) is before


def test_all_candidates_are_boosted_before_the_cut(fresh: Make, document: Make, run: Make) -> None:
    """As the design has it, 2 / (60 + 61) > 1 / (60 + 1): ten links lift rank 61 above rank 1, not 62."""
    words = {f"d{at:02}": "mill " * (62 - at) + "fog " * at for at in range(62)}
    order = sorted(words)
    for target, first in ((order[60], order[60]), (order[61], order[0])):
        sources = [document(f"n{at}", "rope", "2019", links=(Link(target),)) for at in range(10)]
        notes = [document(name, text, "2020") for name, text in words.items()]
        with fresh(*notes, *sources, chunking="500w") as corpus:
            assert [hit.document for hit in run(corpus, "mill", *FUSED, TopK(), k=100).hits] == order
            hits = run(corpus, "mill", *FUSED, Backlinks(), TopK(), k=1).hits
            if target == first:
                assert [(hit.document, hit.score) for hit in hits] == [(first, 1 / (60 + 61) * 2)]
            else:  # 2 / (60 + 62) is 1 / 61
                assert hits[0].score == pytest.approx(1 / 61)


def test_links_as_of_then(fresh: Make, document: Make, run: Make) -> None:
    later = document("n0", "fog", "2022", links=(Link("hub"),))
    with fresh(*linked(document, 0), later) as corpus:
        scores = [
            run(corpus, "mill", *FUSED, Backlinks(), TopK(), as_of=year).hits[0].score
            for year in ("2021", "2022")
        ]
        assert scores == [1 / 61, 1 / 61 * (1 + 0.1 * 1)]


def test_filters_choose_candidates_and_change_no_count(fresh: Make, document: Make, run: Make) -> None:
    with fresh(*linked(document, 3)) as corpus:
        everywhere, here = (
            run(corpus, "mill", *FUSED, Backlinks(), TopK(), **filters).hits[0].score
            for filters in ({}, {"path": "hub"})
        )
        assert here == everywhere == 1 / 61 * (1 + 0.1 * 3)


def test_the_whole_window_and_chosen_places_have_the_same_numbers(fresh: Make, document: Make) -> None:
    notes = [document(f"m{at}", "mill " * at, f"20{10 + at}", links=(Link("hub"),)) for at in range(1, 5)]
    with fresh(*linked(document, 3, links=(Link("m2"),)), *notes) as corpus:
        view = corpus.at().view()
        query = Query("mill", "mill")
        whole = Lexical()(query, Ranking(view.window(Filters())), view)
        some = whole.matching()
        wholly, partly = Backlinks()(query, whole, view), Backlinks()(query, some, view)
        assert wholly.by == partly.by == "linked"
        assert wholly.rows.tolist() == partly.rows.tolist()
        assert wholly.score.tolist() == partly.score.tolist()
        assert np.count_nonzero(partly.score != some.score) == 2  # the hub, and m2


def test_nothing_found(fresh: Make, document: Make, run: Make) -> None:
    with fresh() as corpus:
        assert run(corpus, "mill", *FUSED, Backlinks(), TopK()).hits == ()
    with fresh(*linked(document, 1)) as corpus:
        assert run(corpus, "snow", *FUSED, Backlinks(), TopK()).hits == ()


@pytest.mark.parametrize(("field", "value"), [("weight", 1.1), ("weight", -0.1), ("cap", 0), ("cap", 101)])
def test_what_is_not_accepted(field: str, value: float) -> None:
    with pytest.raises(UsageError):
        checked(Backlinks(), field, value)
