"""What is known as of (T, K) is what a corpus knows that was only told what is visible then.

Histories are those of `tests/support/histories.py` (few documents, few dates, edits, deletions, corrections,
late back-dated versions), their words sentences that state facts, names and figures. Facts, names, timelines,
reports, answers and the recipe that reads facts are compared to the last bit; only numbers of rows are left
out. The whole corpus is asked at other moments too, before and in the middle, so that what is kept is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import memory_folder
from tests.support.fact_histories import BY_MODEL, BY_RULES, SENTENCES
from tests.support.histories import ANY_HEALTH, DAY, PLANTED, Event, hits_in_full, last_moment

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.extensions.facts import names, store
from asof.extensions.facts import store as store_facts
from asof.extensions.facts.hierarchy import Hierarchy
from asof.extensions.facts.indexer import ensure_facts, learn
from asof.extensions.facts.indexer import facts as known_facts
from asof.extensions.facts.indexer import graph as known_graph
from asof.extensions.facts.indexer import report as known_report
from asof.extensions.facts.names import Entities
from asof.extensions.facts.visible import facts_about, facts_during, facts_of_kind
from asof.index.view import View
from asof.store import reader as store_passages
from asof.text.query import key
from asof.time.span import NEVER, Span
from asof.values import GLOBAL, KINDS, LOCAL

pytestmark = pytest.mark.slow

ASKED = (
    "What was Quay Ltd's revenue on 2 January 1970?", "What happened in January 1970?",
    "What did the NHA buy?", "What happened at Quay Ltd in 1970?", "revenue of Pier Ltd on 1 January 1970",
    "What happened since October 1969?",
)  # fmt: skip
NAMES = (
    "Quay Ltd", "Pier Ltd", "Mole Inc", "NHA", "Northern Harbour Authority", "National Horse Association",
    "Marta Quill", "Quill", "QUA", "MOL", "The Ledger", "Note 1", "Quai Ltd",
)  # fmt: skip
PERIODS = ("1969", "1970", "1969-Q4", "1970-Q1", "1970-01", "1970-01-02", "October 1969 to January 1970")

OF_ROWS = frozenset({"passage", "known_at", "cost"})
"""Fields that tell numbers of rows, when it was asked, and what a model had said before."""


# -- all that is known ------------------------------------------------------------------------------------


def bare(value: Any) -> Any:
    """A value without what tells of rows, in tuples."""
    if isinstance(value, Span | str | bytes):
        return value
    if is_dataclass(value):
        return (
            type(value).__name__,
            *_bare({each.name: getattr(value, each.name) for each in fields(value)}),
        )
    if hasattr(value, "_asdict"):
        return (type(value).__name__, *_bare(value._asdict()))
    if isinstance(value, Mapping):
        return _bare(value)
    if isinstance(value, Sequence):
        return tuple(map(bare, value))
    return value


def _bare(value: Mapping[Any, Any]) -> tuple[Any, ...]:
    return tuple((name, bare(each)) for name, each in value.items() if name not in OF_ROWS)


def known(view: View) -> dict[str, Any]:
    """Facts, and what names mean."""
    keys = sorted({key(name) for name in NAMES})
    kinds = [facts_of_kind(view, kind) for kind in KINDS]
    entities = Entities.of(view)
    documents = ["doc0", "doc1", ""]
    return {
        "facts": bare(kinds),
        "hierarchy": bare(Hierarchy.of_view(view)),
        "about": [bare(facts_about(view, [each], ended=ended)) for each in keys for ended in (False, True)],
        "during": bare(facts_during(view, 0, DAY)),
        "said": bare(entities.statements),
        "merged": (entities.merged.root, entities.merged.local, entities.merged.owners),
        "names": [
            (entities.names_of(name), bare(entities.why(name)), entities.near(name),
             entities.roots_in_documents(name),
             [(entities.root_of(name, each), entities.canonical(name, each)) for each in documents])
            for name in NAMES
        ],
    }  # fmt: skip


def told(then: Snapshot, question: str, by_model: bool) -> dict[str, Any]:
    """What surfaces show."""
    found: dict[str, Any] = {f"report {each}": bare(known_report(then, each)) for each in PERIODS}
    for name in ("NHA", "Quay Ltd"):
        found[f"report of {name}"] = bare(known_report(then, "1970", name))
        found[f"graph of {name}"] = bare(known_graph(then, name, 2))
    found |= {f"facts {each}": bare(known_facts(then, each)) for each in NAMES}
    found["some facts"] = bare(known_facts(then, "Quay Ltd", 1, relation="revenue", until="1970-01-02"))
    found |= {mode: bare(then.ask(question, mode=mode)) for mode in (LOCAL, GLOBAL)}
    found["tgrag"] = hits_in_full(then, question, recipe="tgrag")
    return found


def check(
    history: Sequence[Event], as_of: int, back: int, question: str, looks: Sequence[bool], by_model: bool
) -> int:
    """Compare; returns how many facts were known."""
    histories = BY_MODEL if by_model else BY_RULES
    with memory_folder() as folder, histories.new_corpus(folder / "all") as corpus:
        at = as_of * DAY + DAY - 1
        for number, event in enumerate(history):
            histories.play(corpus, [event])
            if looks[number % len(looks)]:
                learned(corpus, by_model)
                known(corpus.snapshot(at, None).view())
        moment = last_moment(corpus, as_of, back)
        if moment is None:
            return 0
        learned(corpus, by_model)
        for other in (NEVER - 1, at + 1):
            known_facts(corpus.snapshot(other, None), "Quay Ltd")
        with histories.only_visible(corpus, folder / "part", *moment) as part:
            learned(part, by_model)
            here, there = corpus.snapshot(*moment), part.snapshot(at, None)
            same(known(here.view()), known(there.view()))
            same(told(here, question, by_model), told(there, question, by_model))
        return len(Hierarchy.of_view(here.view()).facts)


def learned(corpus: Corpus, by_model: bool) -> None:
    if by_model:
        learn(corpus)
    ensure_facts(corpus.session)


def same(here: dict[str, Any], there: dict[str, Any]) -> None:
    for what, value in here.items():
        assert value == there[what], what


@st.composite
def crowded(draw: st.DrawFn, documents: int, dates: int, most: int) -> list[Event]:
    """Histories of few documents and few texts on few dates, that state much and take some of it back."""
    passage = st.lists(st.integers(0, len(SENTENCES) - 1), min_size=1, max_size=3).map(tuple)
    text = st.lists(passage, min_size=1, max_size=3).map(tuple)
    texts = draw(st.lists(text, min_size=2, max_size=4, unique=True))
    event = st.builds(
        Event,
        st.sampled_from(["state"] * 8 + ["end", "correct", "merge"]),
        st.integers(0, documents - 1), st.sampled_from([None, *range(dates), *range(dates)]),
        st.sampled_from(texts), st.integers(0, 3),
    )  # fmt: skip
    return draw(st.lists(event, min_size=4, max_size=most))


def property_of(examples: int, by_model: bool, **options: Any) -> Callable[[], None]:
    @settings(max_examples=examples, suppress_health_check=ANY_HEALTH, **options)
    @given(
        crowded(3, 4, 9),
        st.integers(1, 4),
        st.sampled_from([0, 0, 1, 2, 3]),
        st.sampled_from(ASKED),
        st.lists(st.booleans(), min_size=1, max_size=3),
    )
    def property_(history: list[Event], as_of: int, back: int, question: str, looks: list[bool]) -> None:
        check(history, as_of, back, question, looks, by_model)

    return property_


test_what_rules_find = property_of(30, by_model=False)
test_what_a_model_finds = property_of(25, by_model=True)


@pytest.mark.parametrize("by_model", [False, True])
def test_the_histories_have_facts(by_model: bool) -> None:
    """Three texts in force, of seven sentences; a correction, and what is published later."""
    said = [(0, 0, ((0, 2),)), (1, 1, ((3, 5), (7,))), (2, 2, ((4, 9),)), (0, 3, ((1,),)), (1, 4, ((6,),))]
    history = [Event("state", *each, 0) for each in said]
    history.append(Event("correct", 2, 0, ((0,),), 0))
    assert check(history, 2, 0, ASKED[3], [False, True], by_model) >= 6


# -- planted faults: the property must be able to fail ------------------------------------------------


def falls() -> None:
    with pytest.raises((AssertionError, KeyError)):
        property_of(300, by_model=False, **PLANTED)()


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        (store_passages, " AND p.added <= ?3", ""),  # facts that were learned later
        (store_passages, "AND e.added <= ?3", ""),  # ends that were learned later
        (store_facts, "v.id = p.version", "v.id = coalesce(d.current, p.version)"),  # a later date
    ],
)
def test_a_query_that_forgets_the_moment_is_caught(
    query: ModuleType, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "_VISIBLE" if query is store_passages else "_EXCERPT"
    said = getattr(query, name)
    assert right in said
    monkeypatch.setattr(query, name, said.replace(right, wrong))
    falls()


def test_names_over_all_facts_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = store.alias_facts

    def wrong(db: Any, as_of: int, known_at: int) -> Any:
        return right(db, NEVER - 1, known_at)

    monkeypatch.setattr(store, "alias_facts", wrong)
    falls()


def test_aliases_that_are_looked_at_once_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept for one moment is taken for all that have the same passages."""
    history = [Event("state", 0, day, ((0,),), wait) for day, wait in ((0, 0), (3, 1))]
    check(history, 2, 0, ASKED[0], [False], by_model=False)
    monkeypatch.setattr(names, "bisect_right", lambda *_: 0)
    with pytest.raises(AssertionError):
        check(history, 2, 0, ASKED[0], [False], by_model=False)


def test_surnames_of_all_times_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = store.mentions_by_document

    def wrong(db: Any, documents: Any, as_of: int, known_at: int) -> Any:
        return right(db, documents, NEVER - 1, NEVER)

    monkeypatch.setattr(store, "mentions_by_document", wrong)
    falls()
