"""Answers, facts and graphs of shards equal those of one corpus, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cluster.test_search_in_shards import search_of
from tests.support.fact_histories import BY_RULES
from tests.support.histories import ANY_HEALTH, BROAD, PLANTED, Event, Histories, last_moment
from tests.support.histories_in_shards import layouts

from asof.cluster.snapshot import ShardedSnapshot, snapshot_of
from asof.corpus.snapshot import Snapshot
from asof.errors import NotAcrossShards, UsageError
from asof.index.view import View
from asof.knowledge import visible_facts
from asof.knowledge.current_names import CurrentNames
from asof.knowledge.visible_facts import StatedFact
from asof.store.passages import VisiblePassage

pytestmark = pytest.mark.slow

QUESTIONS = (
    "What was Quay Ltd's revenue?", "Who bought Pier Ltd?", "What happened in January 1970?",
    "Who was appointed director of Quay Ltd on 1 January 1970?", "What did the NHA buy?",
    "How did Mole Inc's revenue change?", "Why did Quill leave Mole Inc?",
)  # fmt: skip
SUBJECTS = ("Quay Ltd", "Pier Ltd", "NHA", "Quill", "Mole Inc", "The Ledger", "Quey", "Brill")


def said(ask: Callable[[], Any]) -> Any:
    """What is answered, without the numbers of passages; or what is refused."""
    try:
        return without_numbers(ask())
    except NotAcrossShards:
        raise
    except UsageError as error:
        return str(error)


def without_numbers(value: Any) -> Any:
    if isinstance(value, StatedFact):
        return value.fact, value.number, value.passage._replace(passage=0)
    if isinstance(value, VisiblePassage):
        return value._replace(passage=0)
    if hasattr(value, "_fields"):
        return tuple(without_numbers(each) for each in value)
    if hasattr(value, "__dataclass_fields__"):
        return {name: without_numbers(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, list | tuple):
        return [without_numbers(each) for each in value]
    return value


def shown(then: Snapshot | ShardedSnapshot, question: str, subject: str, mode: str, depth: int) -> list[Any]:
    return [
        said(lambda: then.ask(question, mode="local")),  # before facts are read ahead
        said(lambda: then.facts(subject)),
        said(lambda: then.graph(subject, depth)),
        said(lambda: then.ask(question, mode=mode)),
        said(lambda: then.report("January 1970")),
        *(said(partial(then.document, each)) for each in ("doc1", "Note 0", "The Ledger", "no")),
        *(said(partial(then.text, each)) for each in ("doc0", "doc2")),
        said(lambda: [then.passage(hit.id) for hit in then.search(question).hits]),
        said(lambda: [then.documents(), then.documents("doc0", 1), then.calendar()]),
    ]


def property_of(examples: int, histories: Histories = BY_RULES, **options: Any) -> Callable[[], None]:
    @settings(max_examples=examples, suppress_health_check=ANY_HEALTH, **options)
    @given(
        BROAD, st.sampled_from([1, 2, 5, 16]), st.integers(-1, 32),
        st.one_of(st.just(0), st.integers(0, 6)), st.sampled_from(QUESTIONS), st.sampled_from(SUBJECTS),
        st.sampled_from(["local", "global", "auto"]), st.integers(1, 2),
    )  # fmt: skip
    def property_(
        history: list[Event], shards: int, as_of: int, back: int, question: str, subject: str, mode: str,
        depth: int,
    ) -> None:  # fmt: skip
        with layouts(shards, histories) as parts:
            for event in history:
                parts.play(event)
            moment = last_moment(parts.one, as_of, back)
            if moment is None:
                return

            def read_facts() -> None:
                for each in parts.shards:
                    each.facts.ensure_facts()

            sharded = snapshot_of(
                search_of(parts, shards if back % 2 else 1, ahead=as_of % 2 == 0),
                parts.shards[0].models,
                *moment,
                stated=True,
                read_facts=read_facts,
            )
            one = parts.one.snapshot(*moment)
            asked = (question, subject, mode, depth)
            assert shown(sharded, *asked) == shown(one, *asked)

    return property_


test_equal = property_of(25)


def caught() -> None:
    with pytest.raises(AssertionError):
        property_of(300, **PLANTED)()


def test_facts_of_one_shard_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def first(view: View, name: str, own: Callable[..., Any], *arguments: object) -> Any:
        return view.exchange.ask(name, lambda: own(view, *arguments), *arguments)[0]

    monkeypatch.setattr(visible_facts, "_of_all", first)
    caught()


def test_names_of_one_shard_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = CurrentNames._ask
    monkeypatch.setattr(CurrentNames, "_ask", lambda *asked: exact(*asked)[:1])
    caught()


def test_what_is_not_exact_is_refused_in_words() -> None:
    with layouts(2, BY_RULES) as parts:
        then = snapshot_of(search_of(parts, 1), parts.shards[0].models, 0, None, stated=True)
        for ask in (
            lambda: then.ask("Quay?", stale=True), lambda: then.facts("Quay Ltd"),
            lambda: then.stale(), lambda: then.resolve("doc1"),
        ):  # fmt: skip
            with pytest.raises(NotAcrossShards):
                ask()
        with pytest.raises(AttributeError):
            _ = then.nothing_of_the_kind
