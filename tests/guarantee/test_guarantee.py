"""The guarantee: at (T, K) everything is as in a corpus that never held anything else.

A random history is played into a corpus (`histories.py`). A second corpus is told only what was published by
T and known (and not yet retired) at K, and whatever a corpus shows is compared on the two: to the last bit,
but for numbers of rows. What is compared stands in the lists `OBSERVABLES` of the modules of `EXTENSIONS`;
faults that must show in them, in `FAULTS`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from random import Random
from types import ModuleType

import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st
from tests.guarantee import core, facts, systems
from tests.guarantee.histories import AFTER, DAY, Event, History, Played, dropped_histories, histories, told
from tests.guarantee.observing import ASKED, Asked, Fault, Moment, Observable, differences, pair, said
from tests.support.amounts import HISTORIES_OF_PART, PARTS
from tests.support.corpora import memory_folder
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.store.digest import layout_places
from asof.time.moment import read
from asof.time.span import FIRST, LAST, NEVER
from asof.wire import replace

pytestmark = pytest.mark.slow

EXTENSIONS: list[ModuleType] = [core, facts, systems]
"""What each module has to show: `OBSERVABLES`, and perhaps `FAULTS`, and `prepare` for a corpus."""

OBSERVABLES: dict[str, Observable] = {
    name: observable for each in EXTENSIONS for name, observable in each.OBSERVABLES.items()
}
FAULTS: list[Fault] = [fault for each in EXTENSIONS for fault in getattr(each, "FAULTS", ())]


def prepare(corpus: Corpus) -> None:
    for each in EXTENSIONS:
        getattr(each, "prepare", lambda _: None)(corpus)


def look(corpus: Corpus, names: list[str], asked: Asked) -> None:
    """Ask about the present, so that what is kept between questions is there."""
    for name in names:
        said(OBSERVABLES[name], Moment(corpus, LAST, NEVER - 1), asked)


def moment_of(played: Played, at: int, back: int, beside: int) -> tuple[int, int] | None:
    """A moment (T, K) at or near which something happens; None where its history was dropped."""
    happens = sorted({v.visible for v in played.versions.values() if FIRST < v.visible < LAST})
    learned = sorted({v.added for v in played.versions.values()} | {at for at, _ in played.vacuums})
    if not happens:
        return None
    as_of = min(happens[-1 - at % len(happens)] + beside, LAST)
    known_at = learned[-1 - min(back, len(learned) - 1)]
    return None if played.refused(as_of, known_at) else (as_of, known_at)


@pytest.mark.parametrize("part", range(PARTS))
@settings(max_examples=HISTORIES_OF_PART, suppress_health_check=list(HealthCheck))
@given(
    histories(), ASKED, st.sampled_from((0, 1, 1, 2, 2, 3, 5, 8)), st.sampled_from((0, 0, 1, 2, 5)),
    st.sampled_from((0, 0, -1, 30 * DAY)), st.lists(st.sampled_from(sorted(OBSERVABLES)), max_size=4),
)  # fmt: skip
def test_at_a_moment_all_is_as_in_a_corpus_that_never_held_anything_else(
    part: int, history: History, asked: Asked, at: int, back: int, beside: int, looks: list[str]
) -> None:
    when = partial(moment_of, at=at, back=back, beside=beside)
    with pair(history, when, partial(look, names=looks, asked=asked), prepare) as corpora:
        if corpora is None:
            return
        whole, here, there = corpora
        names = sorted(whole.was_current(here.as_of, here.known_at))
        if asked.name not in names:  # what is asked is why something is not there
            asked = replace(asked, name=(names or [asked.name])[0])
        observables = dict(OBSERVABLES) if names else {"statistics": core.statistics}
        commands = {name: observables.pop(name) for name in {"commands"} & observables.keys()}
        assert differences(observables, here, there, asked) == {}
        if history.small:  # commands open the corpus anew, with the usual limits: not on what small ones made
            for moment in (here, there):
                shutil.rmtree(moment.corpus.root / ".asof" / "derived", ignore_errors=True)
        assert differences(commands, here, there, asked) == {}
        assert here.then.view().n == current_passages(here)
        event("versions visible", min(len(names), 3))


OF_SERIES = ("series", "verb search", "verb timeline", "verb changes", "verb ask")

PURGED_BETWEEN = History((
    told("mill.md", "2017", "A berth costs 3 euros.", title="Fees"),
    told("mole.md", "2018", "A berth costs 4 euros.", title="Fees"),
    told("ferry.md", "2019", "A berth costs 5 euros.", title="Fees"),
    told("mole.md", "2020", "Storm.", title="Mole"), told("ferry.md", "2020", "Fog.", title="Ferry"),
    Event("vacuum", date="2022"), Event("purge", name="mole.md"),
))  # fmt: skip
"""What superseded the first note is purged; what would have done so instead is dropped."""


@pytest.mark.parametrize("part", range(PARTS))
@settings(max_examples=HISTORIES_OF_PART, suppress_health_check=list(HealthCheck))
@given(dropped_histories(), st.sampled_from((0, 1, 2, 3, 5)), st.sampled_from((0, 0, 0, 1, 2)))
@example(PURGED_BETWEEN, 0, 0)
def test_a_vacuum_keeps_no_trace_of_what_is_purged_or_corrected_later(
    part: int, history: History, at: int, back: int
) -> None:
    def when(played: Played) -> tuple[int, int] | None:
        """The moment asked for, or the next one that is not refused, or the end of time."""
        days = [(each, 0) for each in range(at, -1, -1)] + [(0, LAST)]
        moments = (moment_of(played, each, back, beside) for each, beside in days)
        return next((each for each in moments if each), None)

    asked = Asked("what does a berth cost", "mill.md")
    look_at = partial(look, names=["series"], asked=asked)
    with pair(history, when, look_at, lambda _: None) as corpora:
        if corpora is not None:
            observables = {name: OBSERVABLES[name] for name in OF_SERIES}
            assert differences(observables, *corpora[1:], asked) == {}


def current_passages(moment: Moment) -> int:
    """How many passages are current, by looking at the versions of each document one by one."""
    count = 0
    for (document,) in db_of(moment.corpus).execute("SELECT id FROM documents").fetchall():
        visible = db_of(moment.corpus).execute(
            "SELECT visible, added, id, layout FROM versions WHERE document = ?1 AND visible <= ?2"
            " AND added <= ?3 AND (retired IS NULL OR retired > ?3)",
            (document, moment.as_of, moment.known_at),
        ).fetchall()  # fmt: skip
        count += len(layout_places(max(visible)[3])) if visible else 0
    return count


SOME = st.lists(st.sampled_from(sorted(OBSERVABLES)), min_size=10, max_size=10, unique=True)


@given(histories(), ASKED, SOME, st.randoms(use_true_random=False))
def test_the_order_of_arrival_leaves_no_trace(
    history: History, asked: Asked, names: list[str], random: Random
) -> None:
    """Notes of dates that are over may be told in any order, and lie in one segment or in many."""
    stated = {
        note.name: note for event in history.events for note in event.notes if dict(note.front).get("date")
    }
    events = tuple(Event("state", 0, (note,)) for note in stated.values())
    mixed = (*random.sample(events, len(events)), Event("merge"))
    both = (replace(history, events=each, start=AFTER) for each in (events, mixed))
    with played(*both, as_of="2023") as (here, there):
        observables = {name: OBSERVABLES[name] for name in names}
        of = replace(asked, name=min(stated, default=""))
        assert differences(observables, here, there, of) == {}


@contextmanager
def played(*histories: History, as_of: str) -> Iterator[list[Moment]]:
    """The end of a date, in a corpus to which each of the histories happened."""
    with memory_folder() as folder, ExitStack() as stack:
        moments = []
        for number, history in enumerate(histories):
            of = stack.enter_context(closing(Played(folder / str(number), history)))
            of.play()
            prepare(of.corpus)
            moments.append(Moment(of.corpus, read(as_of).last, NEVER))
        yield moments


# -- planted faults: what is compared must be able to differ ----------------------------------------------


def shown(fault: Fault) -> dict[str, str]:
    """The observables of a fault that differ now."""
    observables = {name: OBSERVABLES[name] for name in fault.seen}

    def at(played: Played) -> tuple[int, int]:
        writes = [row[0] for row in db_of(played.corpus).execute("SELECT id FROM transactions ORDER BY id")]
        return read(fault.as_of).last, writes[-1 - fault.back]

    look_at = partial(look, names=list(fault.seen), asked=fault.asked)
    with pair(History(fault.events, small=True), at, look_at, prepare) as corpora:
        assert corpora is not None
        return differences(observables, *corpora[1:], fault.asked)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_planted_fault_shows(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(fault) == {}
    fault.plant(monkeypatch)
    assert set(shown(fault)) == set(fault.seen)


def test_all_that_is_compared_can_differ() -> None:
    """On two corpora of which one was told more."""
    asked = Asked("latest price of bread", "mill.md", "mill", "mole", tokens=300, other="2020-02-03")
    more = (
        told("mill.md", "2020-03-01", "The price of bread is 5 euros. Quay Ltd's revenue was $3 million."),
        told("mole.md", "2020-03-02", "See [[mill]] and [[ferry]]. A crane will be delivered on 2020-03-05."),
        told("journal/2020-02-03.md", "2020-02-03", "Storm."),
    )  # fmt: skip
    both = (History(events) for events in (core.CURRENT, core.CURRENT + more))
    with played(*both, as_of="2020") as (here, there):
        alike = set(OBSERVABLES) - set(differences(OBSERVABLES, here, there, asked))
    assert alike == {"verb when"}, "it reads a question, and no document"
