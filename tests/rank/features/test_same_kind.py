"""Whether near-equals are reports of one kind; what is over; what is of a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asof.rank.gather import Lexical
from asof.rank.stage import Ranking
from asof.rank.times import MENTIONS_TIME, OF_TIME, match_times, same_kind_share, terminated
from asof.time.moment import read
from asof.values import Filters, Query

Make = Callable[..., Any]


def found(corpus: Any, question: str) -> tuple[Query, Ranking, Any, list[str]]:
    """What the words find: the query, the ranking, the view, and the documents in their order."""
    view, query = corpus.at().view(), Query(question, question)
    ranking = Lexical()(query, Ranking(view.window(Filters())), view).matching()
    return query, ranking, view, [record.document for record in view.records(ranking.rows)]


def share(corpus: Any, *near: str, **limits: int) -> float:
    _, ranking, view, documents = found(corpus, "boat")
    return same_kind_share(ranking, np.array([name in near for name in documents]), view, **limits)


def test_titles_and_words_of_another_date(fresh: Make, document: Make) -> None:
    """a and b share a title, figures apart; c and d 3 of 5 words; e and f are unlike these."""
    made = [
        document("a", "boat fog", "2001", title="Guide 1"),
        document("b", "boat bell", "2002", title="Guide 2"),
        document("c", "boat mill rope oar", "2003"), document("d", "boat mill rope net", "2004"),
        document("e", "boat x y z", "2005", title="Other"), document("f", "boat snow", "2006"),
    ]  # fmt: skip
    with fresh(*made) as corpus:
        assert share(corpus, "a", "b") == share(corpus, "c", "d") == 1.0
        assert share(corpus, "a", "b", "c", "d") == 1.0
        assert share(corpus, "a", "b", "e", "f") == 0.5
        assert share(corpus, "e", "f") == share(corpus, "e") == share(corpus) == 0.0
    with fresh(*(document(name, f"boat {name}", "2001", title="Guide") for name in "ab")) as corpus:
        assert share(corpus, "a", "b") == 0.0, "of the same date"


def test_only_the_best_are_examined(fresh: Make, document: Make) -> None:
    made = [document("a", "boat boat rope one", "2001"),
            document("b", "boat boat rope two", "2002"),
            document("c", "boat fog bell oar", "2003")]  # fmt: skip
    with fresh(*made) as corpus:
        assert share(corpus, "a", "b", "c", examined=2) == 1.0 > share(corpus, "a", "b", "c")


def test_what_says_that_something_is_over(fresh: Make, document: Make) -> None:
    """Where it speaks of what is asked: in the sentences with the most words of the question."""
    made = [
        document("ended", "The boat has ended. The mill goes on.", "2001"),
        document("other", "The boat goes on. The mill has ended.", "2002"),
        document("goes", "The boat goes on.", "2003"),
    ]
    with fresh(*made) as corpus:
        query, ranking, view, documents = found(corpus, "boat")
        fit = np.ones(len(documents))
        ended = terminated(query, ranking, view, fit, 0.5, [np.ones(len(fit), bool)])
        assert ended is not None
        assert dict(zip(documents, ended.tolist(), strict=True)) == {
            "ended": True,
            "other": False,
            "goes": False,
        }
        fit = np.where(np.array(documents) == "ended", 0.4, 1.0)
        low = terminated(query, ranking, view, fit, 0.5, [np.ones(len(fit), bool)])
        assert low is not None
        assert not low.any(), "too low to lead: not read"
        assert terminated(Query("boat discontinued", "boat"), ranking, view, fit, 0.5, []) is None


def test_what_is_of_a_time(fresh: Make, document: Make) -> None:
    """A title decides where it names a time, else the date; a text mentions."""
    made = [
        document("titled", "boat", "2003", title="Fares 2001"), document("dated", "boat", "2001-05-05"),
        document("both", "boat", "2001-05-05", title="Fares 2003"), document("says", "boat of 2001", "2003"),
        document("none", "boat", "2003"), document("undated", "boat"),
    ]  # fmt: skip
    with fresh(*made) as corpus:
        _, ranking, view, documents = found(corpus, "boat")
        far = dict(zip(documents, match_times(view, ranking.rows, [read("2001")]), strict=True))
        assert far == {
            "titled": OF_TIME, "dated": OF_TIME, "both": MENTIONS_TIME, "says": MENTIONS_TIME, "none": 0,
            "undated": 0,
        }  # fmt: skip
        assert match_times(view, ranking.rows, []).tolist() == [0.0] * 6
        either = match_times(view, ranking.rows, [read("1990"), read("2003")])
        assert dict(zip(documents, either, strict=True))["none"] == OF_TIME
        assert match_times(view, np.zeros(0, np.int64), [read("2001")]).tolist() == []
