"""A corpus in shards is, bit for bit, as one corpus."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.guarantee import core
from tests.guarantee.histories import DAY, SMALL, Event, History, Played, histories, told
from tests.guarantee.observing import ASKED, Asked, Moment, differences, said
from tests.guarantee.test_guarantee import moment_of
from tests.support.corpora import memory_folder

from asof.errors import UsageError
from asof.extensions.cluster import gather, union
from asof.extensions.cluster.shards import divide, open_shards
from asof.extensions.cluster.storage import Storage
from asof.extensions.cluster.transfer import pull, push
from asof.extensions.facts.indexer import ensure_facts
from asof.time.moment import read
from asof.time.span import NEVER
from asof.wire import replace

OBSERVABLES = {name: each for name, each in core.OBSERVABLES.items() if name != "commands"}
"""All but the commands, which open the folder of a corpus anew."""


@settings(
    max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)  # fmt: skip
@given(
    histories(), ASKED, st.sampled_from((0, 1, 1, 2, 2, 3, 5, 8)), st.sampled_from((0, 0, 1, 2, 5)),
    st.sampled_from((0, 0, -1, 30 * DAY)), st.sampled_from((1, 2, 5)), st.booleans(),
)  # fmt: skip
def test_all_is_as_in_one_corpus(
    history: History, asked: Asked, at: int, back: int, beside: int, shards: int, published: bool
) -> None:
    """Also in a copy of what was published at a URL."""
    with memory_folder() as folder, closing(Played(folder / "one", replace(history, model=False))) as played:
        played.play()
        moment = moment_of(played, at, back, beside)
        if moment is None:
            return
        divide([folder / "one"], folder / "many", shards)
        if published:
            storage = Storage(f"file://{folder}/objects", make=True)
            push(folder / "many", storage)
            pull(storage, folder / "copy")
        with open_shards(folder / ("copy" if published else "many")) as many:
            many.whole.session.clock = played.clock
            for limit in SMALL if history.small else ():
                limit(many.whole)
            for each in many.shards:
                ensure_facts(each.session)
            here, there = Moment(played.corpus, *moment), Moment(many.whole, *moment)
            assert differences(OBSERVABLES, here, there, asked) == {}


MANY = tuple(
    told(f"{at}.md", "2020-02-03", f"Bread at a price of {at % 7} euros in the mill." + " Storm." * (at % 5))
    for at in range(40)
)  # fmt: skip
"""More notes than the recipe TIGHT looks at closely."""


def only_one(scores: Any, rows: Any, view: Any, n: int) -> Any:
    """A shard gives its best row alone."""
    return np.argsort(-scores)[:1]


@pytest.mark.parametrize(
    ("module", "name", "fault", "seen"),
    [
        (gather, "_nearest", only_one, "search by asof"),
        (union, "WHOLE", {}, "verb list"),
        (gather, "_alone", lambda window, _, allowed: (window, allowed), "search by asof"),
    ],
)
def test_a_planted_fault_shows(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, fault: Any, seen: str
) -> None:
    observable = {seen: core.search_by(core.TIGHT) if seen == "search by asof" else core.OBSERVABLES[seen]}
    asked = Asked("price of bread", other="2019")
    with memory_folder() as folder, closing(Played(folder / "one", History(MANY))) as played:
        played.play()
        divide([folder / "one"], folder / "many", 3)
        here = Moment(played.corpus, read("2021").last, NEVER)
        with open_shards(folder / "many") as many:
            many.whole.session.clock = played.clock
            assert differences(observable, here, Moment(many.whole, here.as_of, NEVER), asked) == {}
        monkeypatch.setattr(module, name, fault)
        union._whole.cache_clear()
        with open_shards(folder / "many") as many:
            many.whole.session.clock = played.clock
            assert differences(observable, here, Moment(many.whole, here.as_of, NEVER), asked)
        union._whole.cache_clear()


def test_a_new_document_at_the_path_of_another_one_comes_after_it() -> None:
    """Their passages tie in all but the time at which they were learned."""
    bread = told("mill.md", "2020-02-03", "The price of bread is 3 euros.")
    others = (told(f"{at}.md", "2020-02-03", "The ferry is in the harbour.") for at in range(12))
    events = (*others, bread, Event("rename", name="mill.md", other="zz2bell.md"), bread)
    with memory_folder() as folder, closing(Played(folder / "one", History(events))) as played:
        played.play()
        here = Moment(played.corpus, read("2021").last, NEVER)
        for shards in range(2, 8):
            divide([folder / "one"], folder / f"{shards}", shards)
            with open_shards(folder / f"{shards}") as many:
                many.whole.session.clock = played.clock
                there = Moment(many.whole, here.as_of, NEVER)
                observable = {"search": core.OBSERVABLES["search by asof"]}
                assert differences(observable, here, there, Asked("price of bread")) == {}


def test_each_rule_for_rows_of_shards_is_of_a_statement_that_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A statement of the core that is written otherwise now would be asked without its rule."""
    used = set[str]()
    rules = {said: partial(_counted, used, said, how) for said, how in union.WHOLE.items()}
    monkeypatch.setattr(union, "WHOLE", rules)
    union._whole.cache_clear()
    filters = {"tags": ("nothing",), "meta": (("nothing", "1"),), "source": "nothing"}
    asked = Asked("price of bread", other="2019", called="1", filters=filters)
    with memory_folder() as folder, closing(Played(folder / "one", History(MANY))) as played:
        played.play()
        divide([folder / "one"], folder / "many", 2)
        with pytest.raises(UsageError, match="holds shards already"):
            divide([folder / "one"], folder / "many", 2)
        with open_shards(folder / "many") as many:
            many.whole.session.clock = played.clock
            for each in many.shards:
                ensure_facts(each.session)
            for observable in OBSERVABLES.values():
                said(observable, Moment(many.whole, read("2021").last, NEVER), asked)
    union._whole.cache_clear()
    assert used == set(rules)


def _counted(used: set[str], said: str, how: Any, rows: Any, values: Any) -> Any:
    used.add(said)
    return how(rows, values)
