"""A market whose stalls sell loaves, and a model that reads how many: what tests of learning share."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from tests.support.openai_server import ModelServer

from asof.corpus.corpus import Corpus
from asof.environment import now
from asof.extensions.facts.extraction import ExtractionReport, extract_facts
from asof.extensions.facts.model import ExtractionSettings
from asof.extensions.facts.store import facts_in
from asof.extensions.providers.chat import PATH, ChatModel
from asof.extensions.providers.http import Endpoint, Retry
from asof.models.metered import CachedModel, Meter, MeteredModel, Prices
from asof.store.calls import StoredCalls
from asof.store.store import Store

BY_MODEL = ExtractionSettings(extractor="model")
PRICES = Prices(prompt=2.0, reply=10.0)
BUDGET = 0.015
"""US dollars for one prompt at its worst (about 0.01) and a few as they are (about 0.002 each)."""
_SALE = re.compile(r"^\[(\d+)\] (Stall \w+) sold (\d+) loaves", re.MULTILINE)


def stall(number: int) -> str:
    return f"Stall {number} sold {100 + number} loaves on 3 May 2021."


def sales(body: dict[str, Any]) -> str:
    """A model that reads what stalls sold, each time it is asked."""
    found = _SALE.findall(body["messages"][-1]["content"])
    return json.dumps({"facts": [sale(int(sentence), name, count) for sentence, name, count in found]})


def sale(sentence: int, name: str, count: str) -> dict[str, Any]:
    return {
        "subject": name, "relation": "sold", "object": f"{count} loaves", "time": "2021-05-03",
        "sentence": sentence, "kind": "value", "value": int(count), "unit": "loaves", "confidence": 0.9,
    }  # fmt: skip


@contextmanager
def model(
    store: Store, url: str, budget: float | None = None, prices: Prices | None = PRICES, **more: Any
) -> Iterator[MeteredModel]:
    """The model of a server, with what keeps and counts its replies; it does not wait between attempts."""
    retry = Retry(more.pop("attempts", 3), timeout=10.0, sleep=lambda _: None)
    endpoint = Endpoint.below(url, PATH, retry=retry)
    chat = ChatModel("reader", endpoint, concurrency=more.pop("concurrency", 2), **more)
    with closing(StoredCalls(store, now)) as calls:
        yield MeteredModel(CachedModel(chat, calls), Meter(prices, budget))


def learned(
    corpus: Corpus, server: ModelServer, facts: ExtractionSettings = BY_MODEL, **more: Any
) -> ExtractionReport:
    options = {name: more.pop(name) for name in ("progress", "batch_size") if name in more}
    with model(corpus.store, server.url, **more) as asked, closing(corpus.store.writer()) as db:
        return extract_facts(corpus.store, db, facts, asked, **options)


def rows(corpus: Corpus, query: str) -> list[Any]:
    with closing(corpus.store.reader()) as db:
        return [row[0] for row in db.execute(query)]


def objects(corpus: Corpus) -> list[str]:
    """What all passages state, in order of passages."""
    with closing(corpus.store.reader()) as db:
        passages = [passage for (passage,) in db.execute("SELECT id FROM passages ORDER BY id")]
        return [each.fact.object for each in facts_in(db, passages)]


LOAVES = [f"{100 + n} loaves" for n in range(12)]
