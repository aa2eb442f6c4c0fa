"""Succession across shards is that of one corpus of all documents, at any (T, K).

Titles are of templates, so that many documents of several shards have one subject; dates are few, so that
many are of one day. Limits are narrow in half of the examples: then nearly every passage displaces another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.histories import ANY_HEALTH, DAY, PLANTED, Event, Histories, last_moment
from tests.support.histories import document as document_of
from tests.support.histories_in_shards import Layouts, layouts, shard_of

from asof.corpus.corpus import Corpus
from asof.data import Document, SourcedTime
from asof.graph import statement_index, succession_across, succession_shards
from asof.graph.limits import DEFAULT, CandidateLimits, GraphLimits
from asof.graph.passage_pool import PassagePool
from asof.graph.statement_index import StatementIndex
from asof.graph.succession import succession, superseded
from asof.graph.succession_across import NONE, SuccessionAcross
from asof.graph.succession_cache import series_cache
from asof.index.view import View
from asof.store.digest import name_digest
from asof.time.span import NEVER, Span
from asof.time.span import moment as date_of

NARROW = GraphLimits(
    candidates=CandidateLimits(window=2, window_of_words=1, edits=2, label_documents=2, words_titled=1)
)
SMALL = replace(NARROW, least_written=1, texts_at_once=2, most_postings=12, nodes_of_key=1)
"""As NARROW, with all in several batches, files that are always written, and every key one of many nodes."""

LIMITS = (DEFAULT, NARROW, SMALL)
TITLES = ("Harbour fee", "Harbour fee", "Mast 1.{}", "Harbour fee", "", "Minutes of the {} meeting")


def templated(event: Event) -> Document:
    """A document of a history; its title is of one of a few templates. Some are of a minute, not of a day."""
    title = TITLES[event.document % len(TITLES)].format(event.document)
    made = replace(document_of(event), title=title)
    if event.date is None or event.document % 4 < 3:
        return made
    minute = date_of(event.date * DAY + 60_000_000 * event.passages[0][0])
    return replace(made, published=SourcedTime(Span.at(minute), str(minute), "metadata"))


TEMPLATED = Histories(document=templated)


def history(documents: int, words: int, dates: int, least: int, most: int) -> st.SearchStrategy[list[Event]]:
    passage = st.lists(st.integers(0, words - 1), min_size=1, max_size=4).map(tuple)
    event = st.builds(
        Event,
        st.sampled_from(["state"] * 8 + ["end", "correct", "merge"]),
        st.integers(0, documents - 1),
        st.integers(0, dates) | st.integers(0, dates) | st.integers(0, dates) | st.none(),
        st.lists(passage, min_size=1, max_size=2).map(tuple), st.integers(0, 2),
    )  # fmt: skip
    return st.lists(event, min_size=least, max_size=most)


Named = dict[int, Any]


def named(view: View, rows: Any) -> Named:
    """By number of the passage: document, key and since when it is visible; -1 is none."""
    names: Named = {
        passage: (record.document, record.key, visible)
        for passage, record, visible in zip(
            view.column("passage", rows).tolist(), view.records(rows), view.column("visible", rows).tolist(),
            strict=True,
        )
    }  # fmt: skip
    return names | {NONE: None}


def of_one(corpus: Corpus, moment: tuple[int, int]) -> dict[Any, Any]:
    """All that succession says, by what passages are."""
    view = corpus.snapshot(*moment).view()
    found = succession(view)
    rows = np.arange(view.prefix.rows)
    rows = rows[found.nodes(rows) >= 0]
    passages = view.column("passage", rows).tolist()
    passage_of = dict(zip(rows.tolist(), passages, strict=True)) | {NONE: NONE}
    names = named(view, rows)
    after = superseded(view, rows)
    return {
        names[passage]: (
            names[passage_of[before]], names[passage_of[NONE if later is None else later.row]],
            later and later.instant, inside, end, [names[passage_of[each]] for each in found.series(row)],
        )
        for row, passage, before, later, inside, end in zip(
            rows.tolist(), passages, found.predecessors(rows).tolist(), after,
            found.in_series(rows).tolist(), found.ends(rows), strict=True,
        )
    }  # fmt: skip


def across(
    here: Layouts, moment: tuple[int, int], limits: GraphLimits, *, fresh: bool = True
) -> dict[Any, Any]:
    """The same of the shards, each method by an object of its own if `fresh`."""
    ask = here.ask(*moment)
    names: Named = {NONE: None}
    for shard in here.shards:
        view = shard.snapshot(*moment).view()
        rows = np.arange(view.prefix.rows)
        names |= named(view, rows[succession(view).nodes(rows) >= 0])
    passages = np.array([each for each in names if each != NONE], np.int64)
    kept = SuccessionAcross(ask, limits)

    def found() -> SuccessionAcross:
        return SuccessionAcross(ask, limits) if fresh else kept

    after = found().superseded(passages)
    assert [NONE if each is None else each.row for each in after] == found().successors(passages).tolist()
    return {
        names[passage]: (
            names[before], names[NONE if later is None else later.row], later and later.instant, inside, end,
            [names[each] for each in found().series(passage).tolist()],
        )
        for passage, before, later, inside, end in zip(
            passages.tolist(), found().predecessors(passages).tolist(), after,
            found().in_series(passages).tolist(), found().ends(passages), strict=True,
        )
    }  # fmt: skip


def check(
    events: Sequence[Event], shards: int, as_of: int, back: int, limits: GraphLimits = DEFAULT,
    *, asked: bool = False, fresh: bool = True, least: bool = False,
) -> int:  # fmt: skip
    """Compare; returns how many passages follow another.

    `asked`: also in the middle of the history. `least`: possible successors are sent
    and linked one at a time.
    """
    with pytest.MonkeyPatch.context() as patch, layouts(shards, TEMPLATED) as here:
        if least:
            patch.setattr(succession_shards, "MOST_FOLLOWERS", 1)
            for name in ("FIRST_TRIED", "TRIED_NEXT"):
                patch.setattr(succession_across, name, 1)
        for corpus in (here.one, *here.shards):
            series_cache(corpus.session.derived, limits)
        for at, event in enumerate(events):
            here.play(event)
            if asked and at == len(events) // 2 and (moment := last_moment(here.one, as_of, 0)):
                across(here, moment, limits)
        moment = last_moment(here.one, as_of, back)
        if moment is None:
            return 0
        expected = of_one(here.one, moment)
        assert across(here, moment, limits, fresh=fresh) == expected
        return sum(each[0] is not None for each in expected.values())


def property_of(
    events: st.SearchStrategy[list[Event]], dates: int, examples: int, **options: Any
) -> Callable[[], None]:
    @settings(max_examples=examples, suppress_health_check=ANY_HEALTH, **options)
    @given(
        events, st.sampled_from([1, 2, 2, 5, 16]), st.integers(dates // 2, dates + 1),
        st.sampled_from([0, 0, 1, 2, 5]), st.sampled_from(LIMITS),
        st.fixed_dictionaries({"asked": st.booleans(), "fresh": st.booleans(), "least": st.booleans()}),
    )  # fmt: skip
    def property_(
        events: list[Event], shards: int, as_of: int, back: int, limits: GraphLimits, how: dict[str, bool]
    ) -> None:
        check(events, shards, as_of, back, limits, **how)

    return property_


BROAD = history(12, 6, 12, 3, 16)
CROWDED = history(12, 2, 5, 8, 20)

test_broad = pytest.mark.slow(property_of(BROAD, 12, 15))
test_crowded = pytest.mark.slow(property_of(CROWDED, 5, 30))


# -- by hand ----------------------------------------------------------------------------------------


def state(document: int, date: int, words: tuple[int, ...] = (0, 1)) -> Event:
    return Event("state", document, date, (words,), 0)


def fees(days: int) -> list[Event]:
    """Documents 0, 6, 12, …, all titled "Harbour fee", one a day."""
    return [state(6 * at, at) for at in range(days)]


def asked_of(here: Layouts, method: str, *, first: int, last: int) -> tuple[list[str], Any]:
    """What shards are asked for a method, by an object that knows nothing, and its result; of all
    passages in order of time from `first` to `last` (exclusive)."""
    moment = last_moment(here.one, 1_000, 0)
    assert moment is not None
    found = SuccessionAcross(here.ask(*moment))
    views = [shard.snapshot(*moment).view() for shard in here.shards]
    rows = [np.arange(view.prefix.rows) for view in views]
    passages, visible = (
        np.concatenate([view.column(name, each) for view, each in zip(views, rows, strict=True)])
        for name in ("passage", "visible")
    )
    passages = passages[np.argsort(visible)][first:last]
    here.asked.clear()
    result = getattr(found, method)(passages if method != "series" else int(passages[0]))
    return list(here.asked), result


def test_a_series_over_all_shards_is_one() -> None:
    """Thirty days, one after the other."""
    assert check(fees(30), 5, 40, 0, fresh=False) == 29


def test_rounds_are_few() -> None:
    """A round for what the passages are, one for what is near them, one for what is near their followers."""
    with layouts(5, TEMPLATED) as here:
        for event in fees(60):
            here.play(event)
        described, near = "succession.described", "succession.neighbours"
        asked, before = asked_of(here, "predecessors", first=0, last=60)
        assert asked == [described, near]
        assert (before >= 0).sum() == 59
        asked, after = asked_of(here, "successors", first=0, last=60)
        assert asked == [described, near, near]
        assert (after >= 0).sum() == 59
        asked, inside = asked_of(here, "in_series", first=20, last=30)
        assert asked == [described, near]  # each has a predecessor
        assert inside.all()
        asked, _ = asked_of(here, "ends", first=0, last=60)
        assert asked == [described]
        asked, series = asked_of(here, "series", first=30, last=31)
        assert len(series) == 60
        assert len(asked) <= 16  # a round brings several of the next ones


def many_of_one_day() -> list[Event]:
    """Two masts of day 1, and six of day 2 in one shard: five have two words of the second and one of the
    first, the last one, by digest, has the words of the first."""
    first, second, *others = sorted((2 + 6 * at for at in range(30)), key=lambda at: name_digest(f"doc{at}"))
    *many, last = [each for each in others if shard_of(each, 2) == 0][:6]
    history = [state(first, 1, (0, 4)), state(second, 1, (2, 5)), state(last, 2, (0, 4))]
    return [*history, *(state(each, 2, (0, 2, 5)) for each in many)]


def test_many_of_one_day_are_asked_for_in_parts() -> None:
    assert check(many_of_one_day(), 2, 3, 0, least=True) == check(many_of_one_day(), 2, 3, 0) == 6


def test_passages_that_are_not_there() -> None:
    with layouts(2, TEMPLATED) as here:
        here.play(state(0, 0))
        moment = last_moment(here.one, 5, 0)
        assert moment is not None
        found = SuccessionAcross(here.ask(*moment))
        none = np.array([NONE, 999, (1 << 40) + 999], np.int64)
        assert found.predecessors(none).tolist() == found.successors(none).tolist() == [NONE] * 3
        assert found.in_series(none).tolist() == [False] * 3
        assert found.ends(none) == [None] * 3
        assert found.superseded(none) == [None] * 3
        assert found.series(999).tolist() == [999]
        assert found.successors(np.zeros(0, np.int64)).tolist() == []


def test_a_shard_writes_and_reads_its_file() -> None:
    """Numbers of passages begin at 1 << 40, and the first rows come after the cache has been asked."""
    with layouts(2, TEMPLATED) as here:
        for corpus in here.shards:
            series_cache(corpus.session.derived, SMALL)
            statement_index.statement_index(corpus.at().view())
        for event in fees(12):
            here.play(event)
        for corpus in here.shards:
            index = statement_index.statement_index(corpus.at().view())
            assert index.rows.n < 20  # and not 1 << 40
            assert (corpus.store.folder / "derived" / "succession" / "chains.seg").exists()
            corpus.session.derived.memo.clear()
            corpus.session.forget()
        moment = last_moment(here.one, 40, 0)
        assert moment is not None
        assert across(here, moment, DEFAULT) == of_one(here.one, moment)


# -- planted faults: the property must be able to fail ----------------------------------------------


def falls(*history: Event, limits: GraphLimits = DEFAULT, **how: bool) -> None:
    """The comparison fails for a history, or, without one, for some history."""
    compare = (
        partial(check, history, 2, 5, 0, limits, **how)
        if history
        else property_of(CROWDED, 5, 400, **PLANTED)
    )
    with pytest.raises((AssertionError, IndexError, KeyError)):
        compare()


def test_a_window_of_one_shard_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shard says nothing of passages whose keys it was asked for by others."""

    def wrong(view: View, windows: Any, followed: Any) -> Any:
        own = statement_index.statement_index(view).nodes(windows.passages)
        windows = windows if (own >= 0).any() else succession_shards.Windows(*(each[:0] for each in windows))
        return right(view, windows, followed)

    other = next(each for each in range(6, 99, 6) if shard_of(each, 2) != shard_of(0, 2))
    history = [state(0, 0), state(other, 1)]
    assert check(history, 2, 5, 0) == 1
    right = succession_shards.neighbours
    monkeypatch.setitem(succession_shards.SHARD_FUNCTIONS, "succession.neighbours", wrong)
    falls(*history)


def test_a_window_that_is_shared_out_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each shard sends only its last one: the third release of a mast has no word of the second, and follows
    the first, which lies in the shard of the second."""
    first, *rest = (2 + 6 * at for at in range(20))
    second = next(each for each in rest if shard_of(each, 2) == shard_of(first, 2))
    last = next(each for each in rest if each != second)
    history = [state(first, 0, (0, 4)), state(second, 1, (2, 5)), state(last, 2, (0, 4))]
    assert check(history, 2, 5, 0) == 1
    monkeypatch.setattr(statement_index, "steps", lambda keys, _: np.ones(len(keys), np.int64))
    falls(*history)


def test_a_successor_without_the_second_round_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first possible successor is taken, but it follows only one of two passages of a day."""

    def wrong(self: SuccessionAcross, passage: int, link: Any, follow: set[int], judge: Any) -> None:
        search = self._searches.get(passage)
        if search is None:
            follow.add(passage)
        else:
            self._after[passage] = next(iter(search.found), NONE)

    history = [state(0, 1), state(6, 1), state(12, 2)]
    assert check(history, 2, 5, 0) == 1
    monkeypatch.setattr(SuccessionAcross, "_advance", wrong)
    falls(*history)


def test_a_part_of_the_possible_successors_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies beyond the first message is never asked for, and what a shard has left out is not minded."""
    monkeypatch.setattr(succession_across, "_certain", lambda replies, *_: [None] * len(replies[0].more))
    falls(*many_of_one_day(), least=True)


def test_a_judgement_of_what_is_not_in_the_window_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last mast follows the first one by a key of words; two others of its subject lie between. The third
    has words of the first, but follows the second."""
    words = [(0, 4), (6, 10), (4, 6, 10), (6, 10), (6, 10), (0, 4)]
    history = [state(2 + 6 * at, min(at + 1, 4) + (at == 5), each) for at, each in enumerate(words)]
    monkeypatch.setattr(succession_across, "FIRST_TRIED", 1)
    assert check(history, 2, 9, 0, NARROW) == 4
    monkeypatch.setattr(PassagePool, "_share_keys", lambda _, one, __: [False] * len(one))
    falls(*history, limits=NARROW)


def test_a_passage_that_is_not_known_yet_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = StatementIndex.of

    def of(view: View) -> StatementIndex:
        index = right(view)
        dated = index.statements.taken(np.arange(index.rows.n))["dated"]
        return replace(index, counted=index.rows.present & dated)

    monkeypatch.setattr(StatementIndex, "of", of)
    falls()


def test_an_end_that_is_learned_later_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = StatementIndex.of

    def of(view: View) -> StatementIndex:
        index = right(view)
        return replace(index, ends=np.full(index.rows.n, NEVER))

    monkeypatch.setattr(StatementIndex, "of", of)
    falls()
