"""Ages, times that a question names, what was just published, and the order by time in a tie group."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.support.ranking import Columns

from asof.index.segment import Window
from asof.index.view import View
from asof.rank import expression, times
from asof.rank.expression import RankingColumn
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Ranking
from asof.rank.times import (
    MENTIONS_TIME,
    OF_TIME,
    CandidateAges,
    JustPublished,
    RequestedTime,
    TimePreference,
    match_times,
    of_time,
    same_kind_share,
    terminated,
)
from asof.time.moment import read
from asof.time.span import Span
from asof.values import Filters, Query, Why

# -- ages, and what stands for one that nobody knows -----------------------------------------------


def logs(known: CandidateAges, among: NDArray[np.bool_]) -> list[float]:
    found: list[float] = RankingColumn.computed(known.logs(among), len(known.days)).values.tolist()
    return found


@given(st.lists(st.tuples(st.floats(0, 1e6), st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_the_tree_has_the_same_bits(drawn: list[tuple[float, bool, bool]]) -> None:
    found = CandidateAges(
        np.array([days for days, _, _ in drawn]), np.array([dated for _, dated, _ in drawn])
    )
    among = np.array([each for _, _, each in drawn])
    for place, log in enumerate(logs(found, among)):
        assert RankingColumn.computed(found.logs(among), len(drawn)).why(place).recomputed() == log


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
    """In several segments, in windows that begin later, for some places and for all."""
    asked = [read(span) for span in spans]
    made = [document(f"d{at}", text, date, title=title) for at, (text, title, date) in enumerate(drawn)]
    cut = data.draw(st.integers(0, len(made)))
    with fresh() as corpus, pytest.MonkeyPatch.context() as monkeypatch:
        for part in (made[:cut], made[cut:]):
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


# -- whether near-equals are reports of one kind; what is over; what is of a time ------------------


def found(corpus: Any, question: str) -> tuple[Query, Ranking, Any, list[str]]:
    """What the words find: the query, the ranking, the view, and the documents in their order."""
    view, query = corpus.at().view(), Query(question, question)
    ranking = Lexical()(query, Ranking(view.window(Filters())), view).matching()
    return query, ranking, view, [record.document for record in view.records(ranking.rows)]


def share(corpus: Any, *near: str, **limits: int) -> float:
    _, ranking, view, documents = found(corpus, "boat")
    return same_kind_share(ranking, np.array([name in near for name in documents]), view, **limits)


def test_words_of_another_document_and_date(fresh: Make, document: Make) -> None:
    """a and b share a title, which makes no kind, c and d 3 of 5 words; e and f are unlike these."""
    made = [
        document("a", "boat fog", "2001", title="Guide 1"),
        document("b", "boat bell", "2002", title="Guide 2"),
        document("c", "boat mill rope oar", "2003"), document("d", "boat mill rope net", "2004"),
        document("e", "boat x y z", "2005", title="Other"), document("f", "boat snow", "2006"),
    ]  # fmt: skip
    with fresh(*made) as corpus:
        assert share(corpus, "c", "d") == 1.0
        assert share(corpus, "c", "d", "e", "f") == 0.5
        assert (
            share(corpus, "a", "b") == share(corpus, "e", "f") == share(corpus, "e") == share(corpus) == 0.0
        )
    with fresh(*(document(name, "boat mill", "2001") for name in "ab")) as corpus:
        assert share(corpus, "a", "b") == 0.0, "of the same date"


def test_an_edit_of_a_passage_makes_no_kind(fresh: Make, document: Make) -> None:
    """b says what a says of another day, c was edited: of a and b both are of one series, of c and d none."""
    made = [
        document("a", "The boat of the mill leaves at 9.", "2001", title="Times"),
        document("b", "The boat of the mill leaves at 10.", "2002", title="Times"),
        document("c", "A boat lies in the harbour of Brill since 3 days.", "2001"),
        document("d", "boat snow", "2001"),
    ]
    with fresh(*made) as corpus:
        corpus.add([document("c", "A boat lies in the harbour of Brill since 4 days.", "2003")])
        assert share(corpus, "a", "b") == 1.0
        assert share(corpus, "c", "d") == 0.0


def test_the_age_of_passages_of_one_document_says_nothing(fresh: Make, document: Make) -> None:
    """Both match alike; an edit added the second."""
    one, other = (f"A boat of the {word} lies in the harbour of Brill." for word in ("mill", "mole"))
    for name, text, noted in (("a", f"{one}\n\n{other}", False), ("b", other, True)):
        with fresh(document("a", one, "2001"), chunking="10w") as corpus:
            corpus.add([document(name, text, "2003")])
            found = corpus.at().search("boat")
            assert (len(found.hits), any("newest first" in note for note in found.notes)) == (2, noted)


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
        assert ended is not None
        assert [documents[at] for at in np.flatnonzero(ended)] == ["ended"]
        assert terminated(Query("boat discontinued", "boat"), ranking, view) is None


# -- named times as evidence, by hand on given columns ---------------------------------------------


COLUMNS = ("score", "title", "off_topic_title_terms", "extra_title_terms")
REQUESTED = RequestedTime(time_weight=0.6, bounds_weight=0.4, off_topic_weight=0.7)


@pytest.fixture
def requested(
    fresh: Make, run: Make, document: Make
) -> Callable[..., tuple[dict[str, float], tuple[str, ...]]]:
    made = [
        document("within", "fog", "2019-05-05"),
        document("speaks", "the mill of May 2019", "2020-12-31"),
        document("other", "rope", "2020-12-30"),
    ]

    def scored(
        given: Mapping[str, tuple[float, ...]], **more: Any
    ) -> tuple[dict[str, float], tuple[str, ...]]:
        with fresh(*made) as corpus:
            found = run(corpus, "x", Columns(COLUMNS, given), REQUESTED, TopK(), as_of="2020-12-31", **more)
            return {hit.document: hit.score for hit in found.hits}, found.notes

    return scored


ENDS = {"within": date(2019, 5, 6), "speaks": date(2021, 1, 1), "other": date(2020, 12, 31)}
"""The end of the day on which each was published."""


def near(name: str, end: date) -> float:
    """What a passage gets for having been published some days after a time that ended then."""
    return 0.6 * 0.3 * math.exp(-(ENDS[name] - end).days / (5 * 365.25))


AFTER_MAY = near("other", date(2019, 6, 1))

PLAIN = {"within": (0.5,), "speaks": (0.4,), "other": (1.0,)}


def test_published_then_or_speaking_of_it_counts_beside_the_words(requested: Make) -> None:
    found, notes = requested(PLAIN, spoken=["2019-05"], recency=0.5)
    assert found == pytest.approx({"within": 0.5 + 0.6, "speaks": 0.4 + 0.6, "other": 1 + AFTER_MAY})
    assert notes == ("2 matches of the time in the question",)


def test_a_time_of_which_nothing_is(requested: Make) -> None:
    found, notes = requested(PLAIN, spoken=["1990"])
    assert found == pytest.approx(
        {name: score + near(name, date(1991, 1, 1)) for name, (score,) in PLAIN.items()}
    )
    assert notes == ("no matches of the time in the question",)


def test_titles_of_another_subject_where_one_is_named(requested: Make) -> None:
    """The title of `within` has a third of the question and nothing else, so that it is named: half of the
    title of `speaks` is of another subject. .7 · (1 - .5) = .35."""
    given = {"within": (0.5, 1 / 3), "speaks": (0.6, 1 / 3, 0.5), "other": (1.0, 0, 1.0)}
    found, _ = requested(given, spoken=["2019-05"])
    assert found == pytest.approx(
        {"within": 0.5 + 0.6 + 0.7, "speaks": 0.6 + 0.6 + 0.35, "other": 1 + AFTER_MAY}
    )
    unnamed = {name: (values[0], 0.2, *values[2:]) for name, values in given.items()}
    found, _ = requested(unnamed, spoken=["2019-05"])
    assert found == pytest.approx({"within": 0.5 + 0.6, "speaks": 0.6 + 0.6, "other": 1 + AFTER_MAY})


@pytest.mark.parametrize(
    ("years", "ends"),
    [
        (("2003", "2005"), {"both": 1.0, "begins": 0.5, "year": 0.5, "between": 0.0}),
        (("2003", "2003"), {"both": 0.0, "begins": 0.0, "year": 0.0, "between": 0.0}),
        (("2004", "2006"), {"both": 0.0, "begins": 0.0, "year": 0.0, "between": 0.5}),
    ],
)
def test_the_ends_of_a_long_time_count_where_a_passage_names_them(
    fresh: Make, run: Make, document: Make, years: tuple[str, str], ends: Mapping[str, float]
) -> None:
    """0.4 for both of its ends and 0.2 for one; a single year has none."""
    texts = {
        "both": "Chair from 2003 to 2005.", "begins": "Chair since May 2003, until 2010.",
        "year": "The rope of 2005.", "between": "The rope of 2004.",
    }  # fmt: skip
    made = [document(name, text, "2012-05-05") for name, text in texts.items()]
    time = Span(read(years[0]).start, read(years[1]).end)
    with fresh(*made) as corpus:
        hits = run(
            corpus, "x", Columns(COLUMNS, dict.fromkeys(texts, (1.0,))), REQUESTED, TopK(), spoken=[time]
        ).hits
    found = {hit.document: sum(part.value for part in parts_of(hit.why, "ends of the time")) for hit in hits}
    assert found == pytest.approx({name: 0.4 * share for name, share in ends.items()})


def parts_of(tree: Why, label: str) -> list[Why]:
    return [tree] * (tree.label == label) + [found for part in tree.parts for found in parts_of(part, label)]


@pytest.mark.parametrize("more", [{}, {"spoken": ["2019-05"], "recency": 1.0}])
def test_nothing_changes_without_a_time_or_where_the_newest_is_asked_for(
    requested: Make, more: Mapping[str, Any]
) -> None:
    assert requested(PLAIN, **more) == ({"within": 0.5, "speaks": 0.4, "other": 1.0}, ())


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


# -- time in a tie group: by hand on given columns, and what never happens -------------------------


NAMES = (
    "normalized", "query_coverage", "title_group_coverage", "title", "off_topic_title_terms",
    "extra_title_terms", "just_published",
)  # fmt: skip
STAGE = TimePreference(
    recency_weight=0.3, tie_margin=0.2, title_weight=0.2, extra_title_terms=0.1, termination_penalty=0.8,
    just_published_weight=1.5, equal_margin=0.1, cautious_margin=0.2, same_kind_threshold=0.5,
    uncertainty=0.1, relevance_floor=0.5,
)  # fmt: skip


def lead(value: float, most: float = 1.2) -> Any:
    """The score in a tie group, of a match score less age; the largest match score is 1 + title_weight."""
    return pytest.approx(0.5 + math.exp(value - most) / 2)


@pytest.fixture
def years(document: Make) -> list[Any]:
    """Texts that have nothing in common; as of the end of 2020 they are so many days old."""
    made = {"new": ("fog", "2020-12-31"), "old": ("mill", "2020-12-22"), "older": ("rope", "2020-09-23"),
            "none": ("bell", None)}  # fmt: skip
    return [document(name, text, date) for name, (text, date) in made.items()]


@pytest.fixture
def scores(fresh: Make, run: Make, years: list[Any]) -> Callable[..., dict[str, float]]:
    def scored(
        told: Mapping[str, tuple[float, ...]], stage: TimePreference = STAGE, **more: Any
    ) -> dict[str, float]:
        with fresh(*years, undated="always") as corpus:
            results = run(corpus, "x", Columns(NAMES, told), stage, TopK(), as_of="2020-12-31", **more)
            return {hit.document: hit.score for hit in results.hits}

    return scored


SEVERAL_KINDS = {"new": (0.9, 0.8, 0.8), "old": (1.0, 0.8, 0.8), "older": (0.7, 0.8, 0.8)}
EQUALS = {"new": (0.85, 1, 1), "old": (0.95, 1, 1), "older": (1.0, 1, 1)}
NEWEST: dict[str, Any] = {"recency": 1.0}
TIE_GROUPS: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "without a wish and a time: the score before": (
        {"new": (0.5, 1.0, 1.0), "old": (1.0, 0.2, 0.2)}, {}, {"old": 1.0, "new": 0.5},
    ),
    # what all say whole: doubt .1. fit = .9 · 1 + .1 · share; ages 0, 9 and 99 days: logs 0, 1, 2
    "a tie group leads, the newest first": (
        {"new": (0.6, 1, 1), "old": (0.8, 1, 1), "older": (1.0, 1, 1)}, NEWEST,
        {"new": lead(0.96), "old": lead(0.98 - 0.3), "older": lead(1 - 0.6)},
    ),
    # fit of old: .9 · .5 + .1 = .55, further than .2 from 1; of older .94 is near, but its share of .4 is
    # less than half of the best
    "who is in no tie group stays below with half its score": (
        {"new": (0.9, 1, 1), "old": (1.0, 0.5, 0.5), "older": (0.4, 1, 1)}, NEWEST,
        {"new": lead(0.99), "old": 1 / 2, "older": 0.4 / 2},
    ),
    # what another edition says counts half: fit = .9 · (.8 + 1) / 2 + .1 · .9 = .9
    "a series says half": (
        {"new": (0.9, 0.8, 1), "old": (1.0, 1, 1)}, NEWEST,
        {"new": lead(0.9 * 0.9 + 0.1 * 0.9), "old": lead(1 - 0.3)},
    ),
    # nobody says more than .4: fit = .4 · said + .6 · share
    "doubt": (
        {"new": (0.9, 0.4, 0.4), "old": (1.0, 0.4, 0.4)}, NEWEST,
        {"new": lead(0.16 + 0.54), "old": lead(0.16 + 0.6 - 0.3)},
    ),
    # a title that is named: .2 · its share; less all of another subject, and .1 of what it adds
    "titles": (
        {"new": (1, 1, 1, 0.5, 0.0, 0.5), "old": (1, 1, 1, 0.5), "older": (1, 1, 1, 0.5, 0.5)}, NEWEST,
        {"new": lead(1.1 - 0.05), "old": lead(1.1 - 0.3), "older": 1 / 2},
    ),
    "no title is named": (
        {"new": (1, 1, 1, 0.2, 0.0, 0.5), "old": (1, 1, 1, 0.2), "older": (1, 1, 1, 0.2, 0.5)}, NEWEST,
        {"new": lead(1.04), "old": lead(1.04 - 0.3), "older": lead(1.04 - 0.6)},
    ),
    # within .1 of the best score: .95 of 9 days before 1 of 99 days, 90 days older; .85 is no equal
    "of equals the newest comes first whatever is asked": (
        EQUALS, {},
        {"old": lead(0.95, 1.0), "older": lead(1 - 0.3 * math.log10(1 + 90), 1.0), "new": 0.85 / 2},
    ),
    "a named time has its own stage": (
        EQUALS, {"recency": 0.5, "spoken": ["1990"]}, {"older": 1.0, "old": 0.95, "new": 0.85},
    ),
    "no equals": ({"new": (0.85, 1, 1), "older": (1.0, 1, 1)}, {}, {"older": 1.0, "new": 0.85}),
    # nobody says more than .4: match score = .4 · .4 + .6 · share + 1.5 · just published
    "what was just published": (
        {"new": (0.5, 0.4, 0.4, 0, 0, 0, 0.5), "old": (1.0, 0.4, 0.4)}, NEWEST,
        {"new": lead(0.16 + 0.3 + 0.75, 1 + 0.2 + 1.5 * 0.5), "old": 1 / 2},
    ),
    # of September is one; it leads though it fits less; the others follow with their scores
    "the newest of a time": (
        {"new": (1.0, 1, 1), "older": (0.9, 0.9, 0.9), "none": (0.8, 1, 1)},
        {"recency": 1.0, "spoken": ["2020-09"]},
        {"older": lead(0.9 * 0.9 + 0.1 * 0.9 - 0.3 * 2), "new": 1 / 2, "none": 0.8 / 2},
    ),
    # nothing alike: near are scores within .2 of the best, and the pace is .3 · .8²
    **{
        f"reports of several kinds, recency {recency}": (
            SEVERAL_KINDS, {"recency": recency},
            {"new": lead(0.9, 1.0), "old": lead(1 - 0.3 * 0.64, 1.0), "older": 0.7 / 2},
        )
        for recency in (0.2, 0.5)
    },
    "nothing there": ({}, NEWEST, {}),
    "nothing there, of a time": ({}, {"recency": 0.5, "spoken": ["2020"]}, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", TIE_GROUPS)
def test_tie_groups(scores: Make, case: str) -> None:
    told, more, expected = TIE_GROUPS[case]
    assert scores(told, **more) == expected


def test_an_unknown_age_is_neutral(scores: Make) -> None:
    """Near-equals of 0, 9 and 99 days: the undated one counts as 9 days old, whatever others are there."""
    told: dict[str, tuple[float, ...]] = dict.fromkeys(("new", "old", "older", "none"), (1, 1, 1))
    found = scores(told, recency=1.0)
    assert found["none"] == found["old"] == lead(1 - 0.3)
    assert found["new"] > found["none"] > found["older"]
    far = scores({**told, "new": (1, 0, 0)}, recency=1.0)
    assert far["none"] == far["older"], "of 9 and 99 days, 99 is the upper middle"
    assert scores({"none": (1, 1, 1)}, recency=1.0) == {"none": lead(1)}


def test_what_is_over_is_not_in_force(fresh: Make, run: Make, document: Make) -> None:
    """.8 less for the newer one, unless the question asks for that; .2 or less is near."""
    made = [
        document("a", "The boat sails.", "2020-12-22"),
        document("b", "The boat has ended.", "2020-12-31"),
    ]
    stages = (Columns(NAMES, {"a": (1, 1, 1), "b": (1, 1, 1)}), STAGE, TopK())
    with fresh(*made) as corpus:
        asked = partial(run, corpus, as_of="2020-12-31", recency=1.0)
        found = {h.document: h.score for h in asked("boat", *stages).hits}
        assert found == {"a": lead(1 - 0.3), "b": 1 / 2}
        found = {h.document: h.score for h in asked("boat no longer", *stages).hits}
        assert found == {"a": lead(1 - 0.3), "b": lead(1)}
        found = {h.document: h.score for h in asked("boat", *stages, recency=0.0).hits}
        assert found == {"a": lead(1 - 0.3, 1.0), "b": lead(1, 1.0)}, "of equals the newest comes first"


def test_the_newest_of_a_time_of_which_nothing_fits(fresh: Make, run: Make, years: list[Any]) -> None:
    told = {"new": (1.0, 1, 1), "older": (0.3, 0.3, 0.3)}  # .3 is less than 3/4 of 1
    with fresh(*years, undated="always") as corpus:
        asked = partial(
            run, corpus, "x", Columns(NAMES, told), STAGE, TopK(), as_of="2020-12-31", recency=1.0
        )
        for spoken in (["2020-09"], ["1990"]):
            found = asked(spoken=spoken)
            assert {hit.document: hit.score for hit in found.hits} == {"new": lead(1), "older": 0.3 / 2}
            assert found.notes == ("no passage of the time in the question is as relevant",)


def test_reports_of_one_kind(fresh: Make, run: Make, document: Make) -> None:
    """Of much the same words: the newer leads without a wish."""
    told = {"a": (1.0, 1, 1), "b": (0.6, 1, 1)}
    made = [
        document("a", "fares of the boat: four", "2020-12-22"),
        document("b", "fares of the boat: five", "2020-12-31"),
    ]
    with fresh(*made) as corpus:
        hits = run(corpus, "x", Columns(NAMES, told), STAGE, TopK(), as_of="2020-12-31", recency=0.2).hits
        assert {hit.document: hit.score for hit in hits} == {"b": lead(0.96), "a": lead(1 - 0.3)}
