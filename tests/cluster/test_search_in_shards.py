"""A search of shards equals that of one corpus, to the last bit: hits, trees, what supersedes, notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.histories import (
    ANY_HEALTH,
    BROAD,
    DAY,
    DENSE,
    HISTORIES,
    PLANTED,
    WORDS,
    Event,
    Histories,
    last_moment,
)
from tests.support.histories_in_shards import Layouts, layouts
from tests.test_guarantee import ASKED, TIGHT

from asof.cluster import program
from asof.cluster.search import ShardSearch
from asof.cluster.shards import LocalShards, Talk
from asof.cluster.snapshot import ShardedSnapshot, snapshot_of
from asof.corpus.snapshot import Snapshot
from asof.data import Document, SourcedTime
from asof.index import exchange
from asof.index.partial import Keys
from asof.index.prefix import Window
from asof.index.view import View
from asof.models.hashed import HashedNgrams
from asof.rank.combine.early_termination import EarlyTermination, ScanLimits
from asof.rank.features import neighbouring_text, neighbours
from asof.rank.features.neighbouring_text import NeighbouringText
from asof.rank.features.pseudo_relevance_feedback import PseudoRelevanceFeedback, RescoreLimits
from asof.rank.recipe import Recipe
from asof.rank.stage import Stage
from asof.time.span import Span, iso, moment

pytestmark = pytest.mark.slow


def pruned(stage: Stage) -> Stage:
    """The stage with limits that a corpus of few passages meets."""
    if isinstance(stage, PseudoRelevanceFeedback):
        return replace(stage, limits=RescoreLimits(1.0), passages=2)
    if isinstance(stage, EarlyTermination):
        limits = ScanLimits(trials=(4, 2), min_trial=1, max_share=0.9, scanned=1)
        return replace(stage, limits=limits, then=None, dense=0.2)
    return stage


PRUNED = replace(TIGHT, stages=tuple(map(pruned, TIGHT.stages)))
"""The default recipe that leaves passages unread from the first on."""

RECIPES: list[str | Recipe] = ["asof", "asof", "bm25", "tempralm", TIGHT, PRUNED]
WITH_VECTORS: list[str | Recipe] = ["asof", "dense", "hybrid", "hybrid-rrf", "tempralm", TIGHT, PRUNED]
VECTORS = Histories(encoder=HashedNgrams())

SHARDS = [(1, 1), (2, 2), (5, 5), (5, 2), (5, 1), (16, 16), (16, 3), (16, 1)]
"""Numbers of shards, and of the threads that search them, each several shards as one."""

MINUTE = 60_000_000


def turn(event: Event) -> Document:
    """A turn of a conversation, said on a minute of a day."""
    at = (event.date or 0) * MINUTE + 30
    words = " ".join(WORDS[word] for passage in event.passages for word in passage)
    return Document(
        f"call/{event.document}", words, published=SourcedTime(Span.at(moment(at)), iso(at), "metadata")
    )


THREADS = Histories(turn)
"""Histories of short documents whose numbers and minutes make threads."""


def shown(snapshot: Snapshot | ShardedSnapshot, question: str, **options: Any) -> list[Any]:
    """All that a search shows, without numbers of rows."""
    results = snapshot.search(question, **options)
    found = []
    for hit in results.hits:
        assert hit.why.recomputed() == hit.why.value == hit.score
        found.append((
            hit.rank, hit.id, hit.score, hit.published, hit.dated_by, hit.place, hit.text, hit.about,
            hit.title, hit.superseded, hit.why.as_json(),
        ))  # fmt: skip
    return [*found, results.notes, results.recipe]


class SayingAhead(LocalShards):
    """Shards that say with their rows what is mostly asked of them later, as where asking takes long."""

    def begin(self, request: program.SearchRequest) -> Talk:
        return super().begin(replace(request, ahead=True))


def search_of(parts: Layouts, threads: int, *, ahead: bool = False) -> ShardSearch:
    first, sessions = parts.shards[0], [each.session for each in parts.shards]
    shards = (SayingAhead if ahead else LocalShards)(sessions, threads)
    return ShardSearch(shards, first.store.settings, first.manifest.encoder)


def check(
    history: Sequence[Event], shards: tuple[int, int], as_of: int, back: int, words: Sequence[int],
    asked: str, recipe: str | Recipe, k: int, histories: Histories = HISTORIES,
) -> None:  # fmt: skip
    question = asked.format(" ".join(WORDS[word] for word in words))
    count, threads = shards
    with layouts(count, histories) as parts:
        for event in history:
            parts.play(event)
        at_moment = last_moment(parts.one, as_of, back)
        if at_moment is None:
            return
        one = parts.one.snapshot(*at_moment)
        sharded = snapshot_of(
            search_of(parts, threads, ahead=k % 2 == 0), parts.shards[0].models, *at_moment, stated=True
        )
        since, about = moment(max(as_of - 2, 0) * DAY), moment((as_of + back) % 5 * DAY)
        options: list[dict[str, Any]] = [
            {}, {"k": k}, {"k": 50}, {"unit": "document"}, {"since": since}, {"about": about},
            {"path": "doc[0-2]"},
        ]  # fmt: skip
        for each in options:
            asked_with = {"recipe": recipe, **each}
            assert shown(sharded, question, **asked_with) == shown(one, question, **asked_with), asked_with


def property_of(
    history: st.SearchStrategy[list[Event]], words: int, dates: int, examples: int,
    recipes: Sequence[str | Recipe] = RECIPES, histories: Histories = HISTORIES,
    numbers: Sequence[tuple[int, int]] = SHARDS, **options: Any,
) -> Callable[[], None]:  # fmt: skip
    @settings(max_examples=examples, suppress_health_check=ANY_HEALTH, **options)
    @given(
        history,
        st.sampled_from(numbers),
        st.integers(-1, dates + 2),
        st.one_of(st.just(0), st.integers(0, 6)),
        st.lists(st.integers(0, words - 1), min_size=1, max_size=3),
        st.sampled_from([*ASKED, '"{}"', "title 1", "doc2", "mlil {}", "xfery"]),
        st.sampled_from(recipes),
        st.integers(1, 3),
    )
    def property_(
        history: list[Event], shards: tuple[int, int], as_of: int, back: int, words: list[int], asked: str,
        recipe: str | Recipe, k: int,
    ) -> None:  # fmt: skip
        check(history, shards, as_of, back, words, asked, recipe, k, histories)

    return property_


test_equal_broad = property_of(BROAD, 12, 30, 60)
test_equal_dense = property_of(DENSE, 3, 4, 60)
test_equal_in_threads = property_of(BROAD, 12, 30, 60, ["asof"], THREADS)
test_equal_with_vectors = property_of(BROAD, 12, 30, 40, WITH_VECTORS, VECTORS)


# -- planted faults: the property must be able to fail ------------------------------------------------


APART = [(2, 2), (5, 5), (16, 16)]
"""Shards that are all searched apart."""


def caught(
    history: st.SearchStrategy[list[Event]] = BROAD, words: int = 12, dates: int = 30, recipe: str = "asof",
    histories: Histories = HISTORIES,
) -> None:  # fmt: skip
    with pytest.raises(AssertionError):
        property_of(history, words, dates, 300, [recipe], histories, APART, **PLANTED)()


def test_document_frequencies_of_one_shard_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = program.Opening.joined
    of_first = classmethod(lambda _, every: exact(every)._replace(dfs=every[0].dfs))
    monkeypatch.setattr(program.Opening, "joined", of_first)
    caught()


def test_a_sum_of_averages_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = program.Opening.joined

    def averaged(_: type, every: Sequence[program.Opening]) -> program.Opening:
        n = sum(each.passages for each in every)
        tokens = n * float(np.mean([each.tokens / max(each.passages, 1) for each in every]))
        return exact(every)._replace(tokens=tokens)  # type: ignore[arg-type]

    monkeypatch.setattr(program.Opening, "joined", classmethod(averaged))
    caught()


def test_ties_by_shard_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = exchange.best_of_all

    def by_shard(of: exchange.Exchange, keys: Keys, n: int) -> exchange.Later[exchange.Best]:
        return exact(of, keys if of.alone else (*map(np.zeros_like, keys[:-1]), keys[-1]), n)

    monkeypatch.setattr(exchange, "best_of_all", by_shard)
    caught(DENSE, 3, 4, "bm25")


def test_the_bound_of_one_shard_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "largest", lambda of, own: of.later(lambda: own, lambda every: every[0]))
    caught()


def test_neighbours_that_are_not_sent_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NeighbouringText, "beside", lambda *_: np.zeros(0, np.int64))
    caught()


def test_threads_across_shards_that_are_not_sent_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_own_documents(view: View, window: Window, places: Any, _: neighbours.ThreadLimits) -> Any:
        near = neighbours._in_documents(view, window, places)
        return np.unique(near[near >= 0])

    monkeypatch.setattr(neighbouring_text, "neighbours_of_all", of_own_documents)
    caught(histories=THREADS)
