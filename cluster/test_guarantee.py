"""A copy of a corpus at a URL shows, as of every moment, what its corpus shows: bit for bit."""

from __future__ import annotations

from contextlib import closing

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.guarantee import core
from tests.guarantee.histories import DAY, SMALL, History, Played, histories
from tests.guarantee.observing import ASKED, Asked, Moment, differences
from tests.guarantee.test_guarantee import moment_of
from tests.support.corpora import memory_folder

from asof.extensions.cluster.shards import divide, open_shards
from asof.extensions.cluster.storage import Storage
from asof.extensions.cluster.transfer import pull, push
from asof.extensions.facts.indexer import ensure_facts
from asof.wire import replace

OBSERVABLES = {name: each for name, each in core.OBSERVABLES.items() if name != "commands"}
"""All but the commands, which open the folder of a corpus anew."""


@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
@given(
    histories(), ASKED, st.sampled_from((0, 1, 2, 5)), st.sampled_from((0, 0, 1, 5)),
    st.sampled_from((0, 0, -1, 30 * DAY)), st.sampled_from((1, 1, 3)),
)  # fmt: skip
def test_a_copy_shows_what_its_corpus_shows(
    history: History, asked: Asked, at: int, back: int, beside: int, shards: int
) -> None:
    with memory_folder() as folder, closing(Played(folder / "one", replace(history, model=False))) as played:
        played.play()
        moment = moment_of(played, at, back, beside)
        if moment is None:
            return
        source, storage = folder / "one", Storage(f"file://{folder}/objects", make=True)
        if shards > 1:
            source = folder / "many"
            divide([folder / "one"], source, shards)
        push(source, storage)
        pull(storage, folder / "copy")
        with open_shards(folder / "copy") as copy:
            copy.whole.session.clock = played.clock
            for limit in SMALL if history.small else ():
                limit(copy.whole)
            for each in copy.shards:
                ensure_facts(each.session)
            here, there = Moment(played.corpus, *moment), Moment(copy.whole, *moment)
            assert differences(OBSERVABLES, here, there, asked) == {}
