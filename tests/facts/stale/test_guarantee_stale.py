"""What is stale as of T is what a corpus that ends at T shows: links, times, documents of their day."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import memory_folder
from tests.support.histories import (
    ANY_HEALTH,
    Event,
    Histories,
    Version,
    day,
    events,
    last_moment,
    stored_text,
)
from tests.support.notes import note

from asof.corpus.corpus import Corpus
from asof.extensions.facts.current import Stale, lives
from asof.extensions.facts.dated_documents import of_their_day
from asof.extensions.facts.expired_dates import passed_times
from asof.extensions.facts.stale import order
from asof.extensions.facts.stale_links import moved_from, moved_to, stale_links
from asof.index.view import View
from asof.values import Document

SAID = (
    "Everybody on board has read [the first](doc0.md) with care.",
    "See [[doc1]] at once.",
    "All sailors know the knots of [[doc2#Part 0]] by heart, they say.",
    "The [second](doc1.md#part-1) holds.",
    "This is shown here: ![[doc0]] as it is.",
    "A crane will be delivered on 6 January 1970.",
    "The mole is closed until 20 January 1970.",
    "Next week we plan to sail.",
    "Currently the pier is open.",
    "The rope is dry and the bell is rung.",
    "Nobody may fish from the mole while lamps are lit.",
)  # fmt: skip


def document(event: Event) -> Document:
    parts = (
        f"# Part {number}\n\n" + " ".join(SAID[word] for word in passage)
        for number, passage in enumerate(event.passages)
    )
    return note(f"doc{event.document}", "\n\n".join(parts) + "\n", day(event.date))


def restored(corpus: Corpus, version: Version) -> Document:
    return note(version.name, stored_text(corpus, version), version.when)


NOTES = Histories(document, restored)
HISTORY = events(4, len(SAID), 12, 14, st.none())


def shown(view: View) -> list[tuple[Any, ...]]:
    """All that is said of each, links first."""
    found = [*sorted(stale_links(view), key=order), *sorted(passed_times(view), key=order)]
    return [in_full(each) for each in found]


def in_full(each: Stale) -> tuple[Any, ...]:
    assert each.why.recomputed() == each.why.value == each.score
    assert each.quote.start < each.quote.end
    return each.kind, each.score, each.quote, each.by, each.cause, each.change, each.why.as_json()


def by_names(view: View) -> tuple[Any, ...]:
    """What is known of documents, by their ids."""
    known = lives(view)
    names = {number: life.name for number, life in known.items()}
    removed = [number for number, life in known.items() if life.ended is not None]
    return (
        {names[number] for number in of_their_day(view) if number in names},
        {names[old]: names[new] for old, new in moved_to(view, known, removed).items()},
        {names[new]: [names[old] for old in line] for new, line in moved_from(view, known, known).items()},
    )


@pytest.mark.slow
@settings(suppress_health_check=ANY_HEALTH)
@given(HISTORY, st.one_of(st.integers(-1, 24), st.just(900)), st.integers(0, 5))
def test_it_is_what_a_corpus_that_ends_there_shows(history: list[Event], as_of: int, back: int) -> None:
    same(history, as_of, back)


def same(history: list[Event], as_of: int, back: int) -> list[tuple[Any, ...]]:
    with memory_folder() as folder, NOTES.new_corpus(folder / "all") as corpus:
        NOTES.play(corpus, history)
        at = last_moment(corpus, as_of, back)
        if at is None:
            return []
        corpus.at().use(shown)  # what was kept for a later view must not show
        with NOTES.only_visible(corpus, folder / "part", *at) as part:
            here, there = corpus.snapshot(*at), part.snapshot(at[0], None)
            looks: tuple[Callable[[View], Any], ...] = (shown, by_names)
            for look in looks:
                assert here.use(look) == there.use(look)
            return here.use(shown)


def test_these_histories_have_what_is_looked_for() -> None:
    """A planted history: a removed target, a heading that went, a time that passed, old words."""
    story = [
        Event("state", 0, 1, ((9, 10), (10,)), 1), Event("state", 1, 1, ((9,), (10,)), 1),
        Event("state", 2, 1, ((10, 9),), 1), Event("state", 3, 2, ((0, 1, 2), (3, 5, 6), (7, 8)), 1),
        Event("end", 0, 4, (), 1), Event("state", 1, 5, ((9,),), 1),
    ]  # fmt: skip
    changes = " ".join(each[5] for each in same(story, 900, 0))
    for words in ("'doc0' was removed", "no heading 'part-1' any more", "6 January 1970", "'Currently'"):
        assert words in changes


@pytest.mark.slow
@settings(suppress_health_check=ANY_HEALTH)
@given(HISTORY, st.randoms(use_true_random=False))
def test_the_order_of_arrival_leaves_no_trace(history: list[Event], random: Any) -> None:
    """Dated statements of different documents may come in any order."""
    told = {(event.document, event.date): event for event in history if event.kind == "state" and event.date}
    first = [document(event) for event in told.values()]
    second = first[:]
    random.shuffle(second)
    seen = []
    for order_of in (first, second):
        with memory_folder() as folder, NOTES.new_corpus(folder / "all") as corpus:
            for each in order_of:
                corpus.add([each])
            seen.append(corpus.at("1970-02-01").use(shown))
    assert seen[0] == seen[1]
