"""Freshness: whole days, the published rate and that of the code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.extensions.systems.stages import Freshness, Similarity
from asof.rank.combine import Combine
from asof.rank.gather import Everything, TopK

Make = Callable[..., Any]


def test_the_published_rate(fresh: Make, aged: Make, measured: Make) -> None:
    ages = (0, 1, 3, 7, 13, 14, 30, 400)
    with fresh(*(aged(days) for days in ages), aged(None), undated="always") as corpus:
        found = measured(corpus, Freshness())
        assert found.pop("undated") == 0.0
        assert found == pytest.approx({str(days): math.exp(-0.05 * days) for days in ages}, rel=1e-13)
        assert [found["3"], found["0"], found["30"], found["7"]] == pytest.approx(
            [0.860707976425, 1.0, 0.223130160148, 0.704688089719], rel=1e-9
        )
        slow = measured(corpus, Freshness(rate=0.01))
        assert slow["30"] == pytest.approx(math.exp(-0.3))


def test_undated_gets_no_credit_from_when_it_was_added(fresh: Make, aged: Make, measured: Make) -> None:
    with fresh(aged(0), aged(None)) as corpus:
        assert measured(corpus, Freshness(), as_of="2025-01-02") == pytest.approx(
            {"0": math.exp(-0.05 * 185), "undated": 0.0}
        )


def test_half_of_it_is_gone() -> None:
    assert math.log(2) / Freshness().rate == pytest.approx(13.8629436112)
    assert math.log(2) / 0.01 == pytest.approx(69.314718056)


def test_days_are_whole(fresh: Make, aged: Make, measured: Make) -> None:
    """2 days less a moment are 1 day."""
    with fresh(aged(1)) as corpus:
        late = corpus.at("2024-07-02").as_of
        for as_of, days in ((late - 1, 1), (late, 2), (late + 1, 2)):
            found = measured(Asked(corpus, as_of), Freshness())
            assert found == pytest.approx({"1": math.exp(-0.05 * days)}, rel=1e-13)


class Asked:
    """A corpus at an instant, whatever date is asked for."""

    def __init__(self, corpus: Corpus, as_of: int) -> None:
        self.corpus, self.as_of = corpus, as_of

    def at(self, _: str) -> Snapshot:
        return self.corpus.snapshot(self.as_of, None)


def test_an_edit_renews_a_document(fresh: Make, run: Make, document: Make) -> None:
    """Both passages are as fresh as the newer one; the older version was as fresh as itself."""
    kept, old, new = (
        f"{word} alpha beta gamma delta epsilon zeta eta theta iota" for word in ("mill", "rope", "fog")
    )
    stages = (Everything(), Similarity("cosine"), Freshness(), Combine((("freshness", 1.0),)), TopK())
    with fresh(document("note", f"{kept}\n\n{old}", "2024-06-01"), chunking="10w") as corpus:
        corpus.add([document("note", f"{kept}\n\n{new}", "2024-06-21")])
        for as_of, days in (("2024-06-20", 19), ("2024-06-21", 0), ("2024-07-01", 10)):
            hits = run(corpus, "x", *stages, as_of=as_of).hits
            assert [hit.score for hit in hits] == pytest.approx([math.exp(-0.05 * days)] * 2, rel=1e-13)
        first = corpus.at("2024-06-01").as_of
        one = run(corpus, "x", *stages, as_of="2024-07-01", until=first).hits
        assert [hit.score for hit in one] == pytest.approx([math.exp(-0.05 * 30)]), "candidates only"


def test_filters_and_nothing(fresh: Make, aged: Make, measured: Make) -> None:
    with fresh(aged(1), aged(9, tags=("news",))) as corpus:
        everything = measured(corpus, Freshness())
        assert measured(corpus, Freshness(), since=corpus.at("2024-06-25").as_of) == {"1": everything["1"]}
        assert measured(corpus, Freshness(), as_of="2020") == {}
