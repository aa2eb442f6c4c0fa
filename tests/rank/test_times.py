"""Times that a question names, what was just published, what is over, and what is superseded."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.ranking import Columns

from asof.index.segment import Window
from asof.index.view import View
from asof.queries import Filters, Query
from asof.rank import expression, times
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Ranking
from asof.rank.times import (
    MENTIONS_TIME,
    OF_TIME,
    JustPublished,
    Supersession,
    Terminations,
    TimeEvidence,
    match_times,
    of_time,
    terminated,
)
from asof.revisions.force import validity
from asof.time.moment import read
from asof.time.span import NEVER, Span

# -- which candidates are about a time: one by one, and among all of a window ----------------------


Make = Callable[..., Any]
SPANS = st.lists(st.sampled_from(["2001", "2002", "Q2 2003", "2003-05", "1990"]), max_size=2)
DOCUMENTS = st.lists(
    st.tuples(
        st.sampled_from(["mill", "mill in 2001", "in May 2003", "since 2002 and in 2005", "2001-05-05"]),
        st.sampled_from(["", "2001", "Notes of 2003"]),
        st.sampled_from([None, "2001-05-05", "2002", "2003-06-01", "2004"]),
    ),
    min_size=1,
    max_size=10,
)


def in_the_window(
    view: View, window: Window, places: np.ndarray, spans: Any, monkeypatch: pytest.MonkeyPatch
) -> list[int]:
    """What is found where places are looked up among all."""
    with monkeypatch.context() as patch:
        patch.setattr(times, "FEW", -1)
        patch.setattr(times, "MANY", 1_000_000)
        found: list[int] = of_time(view, window, places, spans).tolist()
        return found


def test_about_or_published_or_mentioned(fresh: Make, document: Make) -> None:
    """Of 2001: one that says so in its title (whenever it was published), one published then without a time
    in its title. One that speaks of it mentions it, as one published then whose title has another year."""
    documents = [
        document("a", "mill", "1999", title="Notes of 2001"), document("b", "mill", "2001-05-05"),
        document("c", "mill in 2001", "2004"), document("d", "mill", "2001-06-05", title="Notes of 1997"),
        document("e", "mill in 2002", "2004"),
    ]  # fmt: skip
    with fresh(*documents) as corpus:
        view = corpus.at().view()
        window = view.window(Filters())
        rows = np.arange(window.n)
        named = [record.document for record in view.records(rows)]
        values = dict(zip(named, match_times(view, rows, [read("2001")]).tolist(), strict=True))
        assert values == {"a": OF_TIME, "b": OF_TIME, "c": MENTIONS_TIME, "d": MENTIONS_TIME, "e": 0.0}
        assert match_times(view, rows, []).tolist() == [0.0] * 5
        found = of_time(view, window, None, [read("2001")])
        assert sorted(named[at] for at in found.tolist()) == ["a", "b", "c", "d"]


@given(DOCUMENTS, SPANS, st.sampled_from([None, "2002"]), st.data())
def test_all_of_a_window_are_matched_as_each(
    fresh: Make, document: Make, drawn: list[Any], spans: list[str], since: str | None, data: st.DataObject
) -> None:
    """In several segments, in windows that begin later, for some places and for all; a text that gets another
    title is another row since then, of the time since when it stands."""
    asked = [read(span) for span in spans]
    made = [document(f"d{at}", text, date, title=title) for at, (text, title, date) in enumerate(drawn)]
    renamed = [document("d0", drawn[0][0], "2003", title="Mill")] if drawn else []
    cut = data.draw(st.integers(0, len(made)))
    with fresh() as corpus, pytest.MonkeyPatch.context() as monkeypatch:
        for part in (made[:cut], [*made[cut:], *renamed]):
            corpus.add(part)
        view = corpus.at(data.draw(st.sampled_from(["2003", None]))).view()
        window = view.window(Filters(since=read(since).first if since else None))
        every = np.arange(window.n)
        expected = np.flatnonzero(match_times(view, window.rows(every), asked) > 0).tolist()
        assert of_time(view, window, every, asked).tolist() == expected
        assert in_the_window(view, window, every, asked, monkeypatch) == expected
        assert of_time(view, window, None, asked).tolist() == expected
        some = every[:: data.draw(st.integers(1, 3))]
        assert (some[in_the_window(view, window, some, asked, monkeypatch)]).tolist() == [
            place for place in some.tolist() if place in expected
        ]


# -- what is over ----------------------------------------------------------------------------------


def found(corpus: Any, question: str) -> tuple[Query, Ranking, Any, list[str]]:
    """What the words find: the query, the ranking, the view, and the documents in their order."""
    view, query = corpus.at().view(), Query(question, question)
    ranking = Lexical()(query, Ranking(view.window(Filters())), view).matching()
    return query, ranking, view, [record.document for record in view.records(ranking.rows)]


def test_what_says_that_something_is_over(fresh: Make, document: Make) -> None:
    """Where it speaks of what is asked: in the sentences with the most words of the question."""
    made = [
        document("ended", "The boat has ended. The mill goes on.", "2001"),
        document("other", "The boat goes on. The mill has ended.", "2002"),
        document("goes", "The boat goes on.", "2003"),
    ]
    with fresh(*made) as corpus:
        query, ranking, view, documents = found(corpus, "boat")
        ended = terminated(query, ranking, view)
        assert [documents[at] for at in np.flatnonzero(ended)] == ["ended"]
        assert not terminated(Query("boat discontinued", "boat"), ranking, view).any()


def test_an_end_counts_where_the_question_asks_for_what_holds_or_names_a_time(
    fresh: Make, column: Make, document: Make
) -> None:
    with fresh(document("a", "The boat has ended.", "2001")) as corpus:
        for more, expected in (({}, 0.0), ({"recency": 0.2}, 1.0), ({"spoken": ["2001"]}, 1.0)):
            assert column(corpus, "boat", "termination", Lexical(), Terminations(), **more) == {"a": expected}


# -- named times as evidence, by hand --------------------------------------------------------------


@pytest.fixture
def named(fresh: Make, column: Make, document: Make) -> Callable[..., dict[str, float]]:
    made = [
        document("within", "fog", "2019-05-05"), document("speaks", "fog of May 2019", "2020-12-31"),
        document("other", "fog", "2020-12-30"),
    ]  # fmt: skip

    def measured(**more: Any) -> dict[str, float]:
        with fresh(*made) as corpus:
            stages = (Lexical(), TimeEvidence())
            found: dict[str, float] = column(
                corpus, "fog", "time_evidence", *stages, as_of="2020-12-31", **more
            )
            return found

    return measured


ENDS = {"within": date(2019, 5, 6), "speaks": date(2021, 1, 1), "other": date(2020, 12, 31)}
"""The end of the day on which each was published."""


def near(name: str, end: date) -> float:
    """What a passage gets for having been published some days after a time that ended then."""
    return 0.3 * math.exp(-(ENDS[name] - end).days / (5 * 365.25))


def test_published_then_or_speaking_of_it(named: Make) -> None:
    found = named(spoken=["2019-05"])
    assert found == pytest.approx({"within": 1.0, "speaks": 1.0, "other": near("other", date(2019, 6, 1))})


def test_a_time_of_which_nothing_is(named: Make) -> None:
    assert named(spoken=["1990"]) == pytest.approx({name: near(name, date(1991, 1, 1)) for name in ENDS})


def test_no_time_is_named(named: Make) -> None:
    assert named() == dict.fromkeys(ENDS, 0.0)


@pytest.mark.parametrize(
    ("years", "ends"),
    [
        (("2003", "2005"), {"both": 1.0, "begins": 0.5, "year": 0.5, "between": 0.0}),
        (("2003", "2003"), {"both": 0.0, "begins": 0.0, "year": 0.0, "between": 0.0}),
        (("2004", "2006"), {"both": 0.0, "begins": 0.0, "year": 0.0, "between": 0.5}),
    ],
)
def test_the_ends_of_a_long_time_count_where_a_passage_names_them(
    fresh: Make, column: Make, document: Make, years: tuple[str, str], ends: Mapping[str, float]
) -> None:
    """1 for both of its ends and .5 for one, beside 1 for what speaks of it; a single year has none."""
    texts = {
        "both": "Chair from 2003 to 2005.", "begins": "Chair since May 2003, until 2010.",
        "year": "The chair of 2005.", "between": "The chair of 2004.",
    }  # fmt: skip
    made = [document(name, text, "2012-05-05") for name, text in texts.items()]
    time = Span(read(years[0]).start, read(years[1]).end)
    with fresh(*made) as corpus:
        stages = (Lexical(), TimeEvidence())
        whole = column(corpus, "chair", "time_evidence", *stages, spoken=[time])
        view = corpus.at().view()
        rows = np.arange(view.n)
        of_time = dict(zip(texts, [0.0] * 4, strict=True)) | {
            record.document: value
            for record, value in zip(
                view.records(rows), times.time_evidence(view, rows, [time]).tolist(), strict=True
            )
        }
    assert {name: whole[name] - of_time[name] for name in texts} == pytest.approx(ends)


# -- what was just published, by hand --------------------------------------------------------------


class ByIt:
    """The column ranks, above 0."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        one = expression.Constant("one", 1.0)
        return ranking.with_column("sum", expression.total("sum", ranking.column("just_published"), one))


@pytest.fixture
def credit(fresh: Make, run: Make, document: Make) -> Callable[..., dict[str, float]]:
    def measured(dates: dict[str, str | None], covered: float = 0.25, **more: Any) -> dict[str, float]:
        made = [document(name, "fog", date) for name, date in dates.items()]
        with fresh(*made, undated="always") as corpus:
            given = Columns(
                ("score", "query_coverage", "title_group_coverage"), dict.fromkeys(dates, (covered,) * 3)
            )
            stages = (given, JustPublished(), ByIt(), TopK())
            hits = run(corpus, "x", *stages, as_of="2020-12-31", **more).hits
            return {hit.document: hit.score - 1 for hit in hits}

    return measured


DATES = {
    "today": "2020-12-31", "yesterday": "2020-12-30", "june": "2020-06-30", "may": "2020-05-31",
    "long ago": "2011-01-01", "undated": None,
}  # fmt: skip
"""Of the last year are four, of the last day (24 hours before its end) is one: 1 - 1/4 are older."""


def test_by_hand(credit: Make) -> None:
    found = credit(DATES)
    assert found["today"] == pytest.approx(1 * 0.75 * 0.75)
    assert found["yesterday"] == pytest.approx(math.exp(-1) * 0.75 * 0.75)
    assert found["june"] == found["long ago"] == found["undated"] == 0


def test_nothing_is_added(credit: Make) -> None:
    """Where a passage covers the question, all of the year has one date, or nothing is of the year."""
    assert set(credit(DATES, covered=1.0).values()) == {0.0}
    assert set(credit({"a": "2020-12-31", "b": "2020-12-31", "c": "2012-01-01"}).values()) == {0.0}
    assert credit({"a": "2011-12-31", "none": None}) == pytest.approx({"a": 0.0, "none": 0.0})


# -- what is superseded, by hand on given columns --------------------------------------------------


NAMES = (
    "normalized", "query_coverage", "title_group_coverage", "off_topic_title", "termination", "title",
)  # fmt: skip


@pytest.fixture
def years(document: Make) -> list[Any]:
    """Texts that have nothing in common; as of the end of 2020 they are so many days old."""
    made = {"new": ("fog", "2020-12-31"), "old": ("mill", "2020-12-22"), "older": ("rope", "2020-09-23"),
            "none": ("bell", None)}  # fmt: skip
    return [document(name, text, date) for name, (text, date) in made.items()]


@pytest.fixture
def superseded(fresh: Make, column: Make) -> Callable[..., dict[str, float]]:
    def measured(made: list[Any], told: Mapping[str, tuple[float, ...]], **more: Any) -> dict[str, float]:
        stages = (Columns(NAMES, told), Supersession(margin=0.2))
        with fresh(*made, undated="always") as corpus:
            found: dict[str, float] = column(corpus, "x", "superseded", *stages, as_of="2020-12-31", **more)
            return found

    return measured


ALL = (1.0, 1.0, 1.0)
NEWEST: dict[str, Any] = {"recency": 1.0}
CASES: dict[str, tuple[dict[str, tuple[float, ...]], dict[str, Any], dict[str, float]]] = {
    "the newest of all is in force; half of the undated one may be older": (
        {"new": ALL, "old": ALL, "older": ALL, "none": ALL}, NEWEST,
        {"new": 0, "old": 1, "older": 1, "none": 0.5},
    ),
    "an undated one supersedes nothing": ({"old": ALL, "none": ALL}, NEWEST, {"old": 0, "none": 0.5}),
    "different statements do not supersede each other": (
        {"new": ALL, "old": ALL}, {"recency": 0.5}, {"new": 0, "old": 0},
    ),
    # all is covered, so that the match is the coverage: 1 - (1 - .9) / .2 = .5
    "one that says less of the question supersedes less": (
        {"new": (1, 0.9, 0.9), "old": ALL}, NEWEST, {"new": 0, "old": 0.5},
    ),
    # another edition says the rest: (.8 + 1) / 2 = .9
    "what passages with its title say counts half": (
        {"new": (1, 0.8, 1.0), "old": ALL}, NEWEST, {"new": 0, "old": 0.5},
    ),
    # nothing says more than .4, so .6 of the match is relevance: .4 · .4 + .6 · .9 = .7 of .76
    "in doubt relevance counts": (
        {"new": (0.9, 0.4, 0.4), "old": (1, 0.4, 0.4)}, NEWEST, {"new": 0, "old": 1 - 0.06 / 0.2},
    ),
    "what is of another subject, or over, supersedes nothing": (
        {"new": (1, 1, 1, 0.2), "old": (1, 1, 1, 0, 1), "older": ALL}, NEWEST,
        {"new": 0, "old": 1, "older": 0},
    ),
    # in force at the end of September 2020: older; the others began later
    "of a past time": (
        {"new": ALL, "old": ALL, "older": ALL}, {**NEWEST, "spoken": ["2020-09"]},
        {"new": 1, "old": 1, "older": 0},
    ),
    "before all of them": (
        {"new": ALL, "old": ALL}, {**NEWEST, "spoken": ["1990"]}, {"new": 0, "old": 0},
    ),
    "a coming time: as of the moment of the question": (
        {"new": ALL, "old": ALL}, {**NEWEST, "spoken": ["2030"]}, {"new": 0, "old": 1},
    ),
    "nothing there": ({}, NEWEST, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_superseded(superseded: Make, years: list[Any], case: str) -> None:
    told, more, expected = CASES[case]
    assert superseded(years, told, **more) == pytest.approx(expected)


def test_statements_of_mostly_the_same_words(superseded: Make, document: Make) -> None:
    """3 of 5 words: 2 · (3 / 5)³ = .432 of the same, and without a wish for the newest half of that."""
    made = [
        document("a", "fares boat mill four", "2020-12-22"),
        document("b", "fares boat mill five", "2020-12-31"),
    ]
    told = {"a": ALL, "b": ALL}
    assert superseded(made, told) == pytest.approx({"a": 0.216, "b": 0}, abs=2e-3)
    assert superseded(made, told, recency=0.5) == pytest.approx({"a": 0.324, "b": 0}, abs=3e-3)


def test_what_speaks_of_a_past_time_is_not_too_late_for_it(superseded: Make, document: Make) -> None:
    """Published later, both of them, and alike but for figures and months. By its title it is of then; by its
    words it is not superseded."""
    told = {"july": ALL, "june": ALL}
    made = [
        document("july", "fares boat mill of July 2020", "2020-08-22"),
        document("june", "fares boat mill of June 2020", "2020-07-22"),
    ]
    assert superseded(made, told, spoken=["2020-07"]) == pytest.approx({"july": 0, "june": 0})
    made = [
        document("july", "fares boat mill", "2020-08-22", title="July 2020"),
        document("june", "fares boat mill", "2020-07-22", title="June 2020"),
    ]
    assert superseded(made, told, spoken=["2020-07"]) == pytest.approx({"july": 0, "june": 0.5})
    assert superseded(made, told, spoken=["2020-06"]) == pytest.approx({"july": 0.5, "june": 0})


def test_of_several_times_none_supersedes_the_other(superseded: Make, document: Make) -> None:
    made = [
        document("a", "fares boat mill", "2019-05-05"), document("b", "fares boat mill 4", "2020-05-05"),
        document("c", "fares boat mill in 2019", "2018-05-05"),
    ]  # fmt: skip
    told = dict.fromkeys("abc", ALL)
    assert superseded(made, told, spoken=["2020"]) == pytest.approx({"a": 0.5, "b": 0, "c": 0.5})
    assert superseded(made, told, spoken=["2019", "2020"]) == pytest.approx({"a": 0, "b": 0, "c": 0.5})


def test_what_has_ended_supersedes_nothing(superseded: Make, document: Make) -> None:
    """An offer of summer, and a report on the year before, which is about that year and holds since then."""
    made = [
        document("always", "fares boat mill", "2019-05-05"),
        document("summer", "fares boat mill 4", "2020-05-05", in_force=("2020-07-01", "2020-09-30")),
        document("report", "fares boat mill 5", "2020-02-02", about="2019"),
    ]  # fmt: skip
    told = dict.fromkeys(("always", "summer", "report"), ALL)
    assert superseded(made, told) == pytest.approx({"always": 0.5, "summer": 1, "report": 0})


def test_titles_that_differ_in_figures(superseded: Make, document: Make) -> None:
    """As surely the same as their title covers the question."""
    made = [
        document("a", "fog", "2020-12-22", title="Guide 1"),
        document("b", "bell", "2020-12-31", title="Guide 2"),
        document("c", "mill", "2020-12-31", title="Atlas 2"),
    ]
    found = superseded(made, dict.fromkeys("abc", (*ALL, 0, 0, 0.6)))
    assert found == pytest.approx({"a": 0.6 / 2, "b": 0, "c": 0})


def test_passages_of_one_document_do_not_supersede_each_other(fresh: Make, document: Make) -> None:
    """Both match alike; an edit added the second."""
    one, other = (f"A boat lies in the harbour of Brill since {days} days." for days in (3, 4))
    for name, text, noted in (("a", f"{one}\n\n{other}", False), ("b", other, True)):
        with fresh(document("a", one, "2001"), chunking="10w") as corpus:
            corpus.add([document(name, text, "2003")])
            found = corpus.at().search("boat")
            assert (len(found.hits), any("comes first" in note for note in found.notes)) == (2, noted)


def test_since_when_and_until_when_a_statement_holds(fresh: Make, document: Make) -> None:
    """As is stated of it, else since its publication; a time that it is about is none."""
    made = [
        document("later", "fog", "2020-05-05", in_force=("2021", "2021")),
        document("published", "fog in 2017", "2019"),
        document("over", "fog", "2020-05-05", about="2018"), document("none", "fog", None),
        document("undated", "fog", None, in_force=("2016", "2016")),
    ]  # fmt: skip
    with fresh(*made, undated="always") as corpus:
        view = corpus.at().view()
        rows = np.arange(view.n)
        names = [record.document for record in view.records(rows)]
        begins, ends, known, *_ = (each.tolist() for each in validity(view, rows))
    found = {
        name: (begin, end)
        for name, begin, end, is_known in zip(names, begins, ends, known, strict=True) if is_known
    }  # fmt: skip
    assert found == {
        "later": (read("2021").first, read("2021").last), "published": (read("2019").last, NEVER),
        "over": (read("2020-05-05").last, NEVER), "undated": (read("2016").first, read("2016").last),
    }  # fmt: skip
