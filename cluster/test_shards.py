"""A corpus in shards is, bit for bit, as one corpus."""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from ray import serve
from tests.guarantee import core, facts
from tests.guarantee.histories import DAY, SMALL, Event, History, Played, histories, told
from tests.guarantee.observing import ASKED, Asked, Moment, differences, said, search_by
from tests.guarantee.test_guarantee import moment_of
from tests.guarantee.texts import NAMES, RENAMED
from tests.support.corpora import memory_folder
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.extensions.cluster import gather, union
from asof.extensions.cluster.serving import Replicas, ShardReplica, brought
from asof.extensions.cluster.shards import ShardedCorpus, create, divide, open_folder, open_shards, shard_of
from asof.extensions.cluster.storage import Storage
from asof.extensions.cluster.transfer import pull, push
from asof.extensions.facts.indexer import ensure_facts
from asof.index import vectors
from asof.time.moment import read
from asof.time.span import NEVER
from asof.wire import replace

FACTS = ("facts", "entities", "search by tgrag", "verb stale")
OBSERVABLES = {
    **core.OBSERVABLES, **{name: facts.OBSERVABLES[name] for name in FACTS},
    "search of ten, three near": search_by(core.TIGHT.replaced({"hybrid.nearest": 3})),
}  # fmt: skip
del OBSERVABLES["commands"]
"""All but the commands, which open the folder of a corpus anew; of facts, what all else is made of."""

MOMENT = (
    ASKED, st.sampled_from((0, 1, 1, 2, 2, 3, 5, 8)), st.sampled_from((0, 0, 1, 2, 5)),
    st.sampled_from((0, 0, -1, 30 * DAY)), st.sampled_from((1, 2, 5)),
)  # fmt: skip
"""What is asked, at or near which moment, of how many shards."""

RANDOM = settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)  # fmt: skip


@pytest.fixture(scope="module")
def replicas(ray_cluster: str) -> Any:
    """Opens the shards of a corpus in replicas of Ray Serve; gives what asks these."""

    class AnyShard(ShardReplica):
        """A replica of the shard that it is told."""

        def __init__(self) -> None:
            pass

        def check_health(self) -> None:
            """Its folder may be gone."""

        def open(self, index: str, place: int) -> None:
            self.states = [open_folder(brought(index, place), only=place)]

    shard = serve.deployment(AnyShard, ray_actor_options={"num_cpus": 0}).bind()
    handles = serve.run_many([serve.RunTarget(shard, f"any-{at}", route_prefix=None) for at in range(5)])

    def opened(index: str, shards: int) -> Any:
        for place in range(shards):
            handles[place].open.remote(index, place).result()
        return partial(Replicas, handles[:shards], {})

    return opened


@RANDOM
@given(histories(), *MOMENT, st.sampled_from(("", "file", "s3")), st.booleans())
def test_all_is_as_in_one_corpus(
    bucket: str, replicas: Any, history: History, asked: Asked, at: int, back: int, beside: int, shards: int,
    published: str, by_replicas: bool,
) -> None:  # fmt: skip
    """Also in a copy of what was published at a URL, and where replicas score."""
    with memory_folder() as folder, closing(Played(folder / "one", replace(history, model=False))) as played:
        played.play()
        divide([folder / "one"], folder / "many", shards)
        many, index = folder / "many", str(folder / "many")
        if published:
            index = f"{bucket}{folder}" if published == "s3" else f"file://{folder}/objects"
            push(many, Storage(index, make=True))
            pull(Storage(index), many := folder / "copy")
        moment = moment_of(played, at, back, beside)
        if not by_replicas:
            assert compared(played, many, moment, asked) == {}
            return
        with pytest.MonkeyPatch.context() as patch:
            patch.delattr(gather.Threads, "candidates")
            assert compared(played, many, moment, asked, replicas(index, shards)) == {}


@settings(RANDOM, max_examples=8)
@given(histories(), st.integers(0, 9_999), *MOMENT, st.booleans())
def test_all_is_as_in_one_corpus_where_documents_are_added_and_get_other_ids(
    history: History, seed: int, asked: Asked, at: int, back: int, beside: int, shards: int, again: bool
) -> None:
    """Also where the shards are divided again."""
    draw, events = Random(seed), list(history.events)
    for _ in range(4):
        old, new = (draw.choice((*history.names, *RENAMED)) for _ in range(2))
        events.insert(draw.randint(1, len(events)), Event("rename", name=old, other=new))
    history = replace(history, events=tuple(events), model=False)
    with memory_folder() as folder, closing(PlayedInShards(folder / "one", history, shards=shards)) as both:
        both.play()
        many = folder / "one" / "many"
        if again:
            divide([many / f"shard-{place}" for place in range(shards)], folder / "anew", 6 - shards)
            many = folder / "anew"
        assert compared(both, many, moment_of(both, at, back, beside), asked) == {}


def test_an_id_that_another_document_had_before_is_in_two_shards_until_they_are_divided() -> None:
    """One shard has its past, the other one what is called so now."""
    first, second = (next(name for name in NAMES if shard_of(name, 2) == place) for place in (0, 1))
    events = (
        replace(told(second, "2020-01-05", "A berth costs 3 euros."), source="wire"),
        told(first, "2020-02-03", "The price of bread is 3 euros."),
        Event("rename", name=second, other="zz1sail.md"), Event("rename", name=first, other=second),
        told(first, "2020-03-05", "The price of bread is 4 euros."),
    )  # fmt: skip
    history = History(events)
    with memory_folder() as folder, closing(PlayedInShards(folder / "one", history, shards=2)) as both:
        both.play()
        many = [folder / "one" / "many" / f"shard-{place}" for place in (0, 1)]
        shards = map(db_of, cast(Any, both.corpus).many.shards)
        names = [{name for (name,) in each.execute("SELECT name FROM documents")} for each in shards]
        assert names == [{first, second}, {second, "zz1sail.md"}]
        divide(many, folder / "anew", 3)
        asked = Asked("price of bread", second, filters={"source": "wire"})
        for root, back in (("one/many", 0), ("one/many", 2), ("anew", 0), ("anew", 2)):
            assert compared(both, folder / root, moment_of(both, 0, back, 0), asked) == {}


def compared(
    played: Played, folder: Path, moment: tuple[int, int] | None, asked: Asked, asking: Any = None
) -> Any:
    """What differs in a folder of shards from the corpus, at a moment (None: its history was dropped)."""
    if moment is None:
        return {}
    with open_shards(folder, asking=asking) as many:
        many.whole.session.clock = played.clock
        for limit in SMALL if played.of.small else ():
            limit(many.whole)
        for each in (played.corpus, many.whole):
            ensure_facts(each.session)
        return differences(OBSERVABLES, Moment(played.corpus, *moment), Moment(many.whole, *moment), asked)


class Together(NamedTuple):
    """A corpus, and one of shards that is told and corrected alike; what it shows is the corpus's."""

    one: Corpus
    many: ShardedCorpus

    def __getattr__(self, name: str) -> Any:
        return partial(self._both, name) if name in CHANGING else getattr(self.one, name)

    def _both(self, what: str, *given: Any, **options: Any) -> None:
        getattr(self.one, what)(*given, **options)
        for each in [self.many] if what in ("add", "close") else self.many.shards:
            with suppress(UsageError):  # one shard has no such document
                getattr(each, what)(*given, **options)


CHANGING = frozenset({"add", "correct", "purge", "vacuum", "embed", "close"})


@dataclass
class PlayedInShards(Played):
    """A history that is played into a corpus and into shards. Each document is a run of its own, and so is
    the end of what a source does not state: the instants of all writes are the same."""

    shards: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        has, encoder = self.corpus.store.settings, self.corpus.manifest.encoder
        create(self.folder / "many", self.shards, has, encoder=encoder).close()
        self._open()

    def _open(self) -> None:
        many = open_shards(self.folder / "many", encoder=self.corpus.manifest.encoder)
        for each in (*many.shards, many.whole):
            each.session.clock, each.maintenance.background = self.clock, False
        self.corpus = cast(Any, Together(self.corpus, many))

    def _reopen(self, event: Event) -> None:
        super()._reopen(event)
        self._open()

    def _state(self, event: Event, *, whole: bool = False) -> None:
        for note in event.notes:
            super()._state(replace(event, notes=(note,)))
            self.clock.now += 1_000
        if whole:
            super()._state(event, whole=True)


MANY = tuple(
    told(f"{at}.md", "2020-02-03", f"Bread at a price of {at % 7} euros in the mill." + " Storm." * (at % 5))
    for at in range(40)
)  # fmt: skip
"""More notes than the recipe TIGHT looks at closely."""

ALIKE = tuple(
    told(f"alike-{at}.md", "2020-02-03", "Breadcrumbling." + " Mill." * at) for at in range(6)
)  # fmt: skip
"""Nearest to a question for breadcrumbs by the letters of their words, and without its words."""


def only_one(scores: Any, rows: Any, view: Any, n: int) -> Any:
    """A shard gives its best row alone."""
    return np.argsort(-scores)[:1]


def in_any_order(form: str) -> Any:
    """The rows of statements of a form are put together, one after another."""
    return tuple((each, union._joined if form in each else how) for each, how in union.FORMS)


@pytest.mark.parametrize(
    ("module", "name", "fault", "seen"),
    [
        (gather, "_nearest", only_one, "search by asof, ten looked at"),
        (gather, "_alone", lambda window, _, allowed: (window, allowed), "search by asof, ten looked at"),
        (gather, "at_least", lambda *_: np.zeros(0, np.int64), "search of ten, three near"),
        (gather, "kth_best", lambda cosine, _: cosine.max(), "search of ten, three near"),
        (vectors, "products", lambda *given, **_: given[2].fill(1.0), "search of ten, three near"),
        (union, "FORMS", in_any_order("LIMIT :most"), "verb list"),
        (union, "FORMS", in_any_order("LEFT JOIN"), "search by tgrag"),
        (union, "FORMS", in_any_order("count…"), "verb calendar"),
    ],
)
def test_a_planted_fault_shows(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, fault: Any, seen: str
) -> None:
    asked = Asked("storm breadcrumbs" if "near" in seen else "price of bread", other="2019")
    observable = {seen: OBSERVABLES[seen]}
    history = History((*MANY, *ALIKE), encoder="near" in seen)
    with memory_folder() as folder, closing(Played(folder / "one", history)) as played:
        played.play()
        divide([folder / "one"], folder / "many", 3)
        here = Moment(played.corpus, read("2021").last, NEVER)
        with open_shards(folder / "many") as many:
            many.whole.session.clock = played.clock
            assert differences(observable, here, Moment(many.whole, here.as_of, NEVER), asked) == {}
        monkeypatch.setattr(module, name, fault)
        union.whole_of.cache_clear()
        with open_shards(folder / "many") as many:
            many.whole.session.clock = played.clock
            assert differences(observable, here, Moment(many.whole, here.as_of, NEVER), asked)
        union.whole_of.cache_clear()


BREAD = told("mill.md", "2020-02-03", "The price of bread is 3 euros.", title="Bread")
CALL = told("call-13", "2020-02-03T10:03:00Z", "The price rose in the mill.")


@pytest.mark.parametrize(
    "events",
    [
        (BREAD, Event("rename", name="mill.md", other="zz2bell.md"), BREAD,
         told("oven.md", "2020-05-03", "The price of bread is 4 euros.", title="Bread")),
        (told("call-12", "2020-02-03T10:02:00Z", "The price of bread is 3 euros."), CALL,
         Event("rename", name="call-13", other="zz2bell.md"),
         told("call-13", "2020-02-03T10:04:00Z", "Bread bread bread.")),
    ],
)  # fmt: skip
def test_a_new_document_at_the_path_of_another_one_comes_after_it(events: tuple[Event, ...]) -> None:
    """Their passages tie in all but the time at which they were learned."""
    others = (told(f"{at}.md", "2020-02-03", "The ferry is in the harbour.") for at in range(12))
    observables = {each: OBSERVABLES[each] for each in ("search by asof", "series", "verb timeline")}
    with memory_folder() as folder, closing(Played(folder / "one", History((*others, *events)))) as played:
        played.play()
        here = Moment(played.corpus, read("2021").last, NEVER)
        for shards in range(2, 8):
            divide([folder / "one"], folder / f"{shards}", shards)
            with open_shards(folder / f"{shards}") as many:
                many.whole.session.clock = played.clock
                there = Moment(many.whole, here.as_of, NEVER)
                assert differences(observables, here, there, Asked("price of bread")) == {}


def test_each_form_is_of_a_statement_that_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of a statement that is written otherwise now is left over."""
    used = set[str]()
    forms = tuple((form, partial(_counted, used, form, how)) for form, how in union.FORMS)
    monkeypatch.setattr(union, "FORMS", forms)
    union.whole_of.cache_clear()
    filters = {"tags": ("nothing",), "meta": (("nothing", "1"),), "source": "nothing"}
    asked = Asked("price of bread", other="2019", called="1", filters=filters)
    with memory_folder() as folder, closing(Played(folder / "one", History(MANY))) as played:
        played.play()
        divide([folder / "one"], folder / "many", 2)
        with pytest.raises(UsageError, match="holds shards already"):
            divide([folder / "one"], folder / "many", 2)
        with open_shards(folder / "many") as many:
            many.whole.session.clock = played.clock
            for observable in OBSERVABLES.values():
                said(observable, Moment(many.whole, read("2021").last, NEVER), asked)
            ensure_facts(many.whole.session)
            many.whole.status()
    union.whole_of.cache_clear()
    assert used == {form for form, _ in union.FORMS}


def _counted(used: set[str], form: str, how: Any, found: Any, values: Any) -> Any:
    used.add(form)
    return how(found, values)
