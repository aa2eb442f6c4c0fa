"""Reading a corpus for facts by a model behind a server: once, at a known price, whatever fails."""

from __future__ import annotations

from contextlib import closing

import pytest
from tests.support.market import (
    BUDGET,
    BY_MODEL,
    LOAVES,
    learned,
    model,
    objects,
    rows,
    sales,
    stall,
)
from tests.support.openai_server import ModelServer, status

import asof
from asof.errors import ModelError
from asof.extensions.facts.extraction import extract_facts
from asof.store.schema import CorpusSettings


def test_what_is_kept_costs_nothing(corpus, server):
    learned(corpus, server)
    with closing(corpus.store.writer()) as db:
        db.execute("DELETE FROM extractions")  # as if it had been killed before the commit
        db.execute("DELETE FROM facts")
    again = learned(corpus, server)
    assert again.cost is not None
    assert (again.passages, again.cost.calls, again.cost.cached, again.cost.cost) == (12, 0, 12, 0.0)
    assert server.answered == 12
    assert objects(corpus) == LOAVES


def test_progress_is_reported_reply_by_reply(corpus, server):
    calls: list[tuple[int, int]] = []
    learned(corpus, server, batch_size=5, progress=lambda done, total: calls.append((done, total)))
    assert [done for done, _ in calls] == [0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 10, 11, 12, 12]
    assert {total for _, total in calls} == {12}


# -- budgets --------------------------------------------------------------------------------------------


def test_a_budget_is_not_exceeded_and_the_next_run_goes_on(corpus, server):
    runs = 0
    while True:
        lesson = learned(corpus, server, budget=BUDGET)
        runs += 1
        assert lesson.cost is not None
        assert lesson.cost.cost is not None
        assert lesson.cost.cost <= BUDGET
        assert lesson.problems == []
        if lesson.complete:
            break
        assert lesson.left == 12 - len(objects(corpus))
        assert lesson.cost.refused == lesson.left
    assert runs > 1
    assert server.answered == 12
    assert objects(corpus) == LOAVES


def test_without_prices_a_budget_is_in_tokens(corpus, server):
    lesson = learned(corpus, server, budget=5_000, prices=None)
    assert lesson.passages + lesson.left == 12
    assert 0 < lesson.passages < 12
    assert server.prompt_tokens + server.reply_tokens <= 5_000


# -- what changes and what goes ----------------------------------------------------------------------------


def test_an_unchanged_passage_is_not_read_again(memory_folder, document, server):
    with asof.open(memory_folder, settings=CorpusSettings(chunking="10w")) as corpus:
        corpus.maintenance.background = False
        corpus.add([document("market", f"{stall(1)}\n\n{stall(2)}\n\n{stall(3)}", "2021-05-04")])
        learned(corpus, server)
        assert server.answered == 3
        corpus.add([document("market", f"{stall(1)}\n\n{stall(7)}\n\n{stall(3)}", "2021-05-05")])
        assert learned(corpus, server).passages == 1
        assert server.answered == 4
        assert objects(corpus) == ["101 loaves", "102 loaves", "103 loaves", "107 loaves"]


def test_a_purge_takes_facts_and_replies_along(corpus, server):
    learned(corpus, server)
    corpus.purge("stall-4")
    assert objects(corpus) == [each for each in LOAVES if each != "104 loaves"]
    assert len(rows(corpus, "SELECT digest FROM calls")) == 11
    assert not any("104" in reply for reply in rows(corpus, "SELECT reply FROM calls"))
    assert len(rows(corpus, "SELECT passage FROM call_passages")) == 11
    assert rows(corpus, "SELECT count(*) FROM extractions UNION ALL SELECT count(*) FROM facts") == [11, 11]
    assert learned(corpus, server).passages == 0


# -- failures -------------------------------------------------------------------------------------------


def test_a_server_that_is_never_well_is_not_asked_for_all(corpus, server):
    server.way = status(500)
    lesson = learned(corpus, server, batch_size=4, concurrency=1)
    assert (lesson.passages, len(lesson.problems), lesson.left) == (0, 4, 8)
    assert len(server.requests) == 4 * 3  # the first batch, each prompt three times


def test_what_was_committed_stays_when_the_server_goes(corpus):
    with ModelServer(says=sales) as server:
        url = server.url
        with model(corpus.store, url, budget=BUDGET) as asked, closing(corpus.store.writer()) as db:
            done = extract_facts(corpus.store, db, BY_MODEL, asked, batch_size=4).passages
    with pytest.raises(ModelError), model(corpus.store, url) as asked, closing(corpus.store.writer()) as db:
        extract_facts(corpus.store, db, BY_MODEL, asked, batch_size=4)
    assert len(objects(corpus)) == done > 0
