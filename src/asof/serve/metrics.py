"""What `/metrics` tells Prometheus."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from asof.cluster.corpus import ShardedCorpus
from asof.cluster.ray.corpus import RayCorpus
from asof.corpus.corpus import Corpus

_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


@dataclass(slots=True)
class Metrics:
    """Counters and gauges of one server."""

    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    requests: Counter = field(init=False)
    seconds: Histogram = field(init=False)
    cost: Counter = field(init=False)
    documents: Gauge = field(init=False)
    passages: Gauge = field(init=False)
    written: Gauge = field(init=False)
    shards: tuple[Gauge, ...] = field(init=False)
    formats: Gauge = field(init=False)
    actors: Mapping[str, Gauge] = field(init=False)

    def __post_init__(self) -> None:
        one = self.registry
        self.requests = Counter(
            "asof_requests", "Requests by verb and status", ("verb", "status"), registry=one
        )
        self.seconds = Histogram(
            "asof_request_seconds", "Seconds to answer, by verb", ("verb",), buckets=_SECONDS, registry=one
        )
        self.cost = Counter("asof_model_cost_dollars", "What language models cost", registry=one)
        self.documents = Gauge("asof_documents", "Current documents", registry=one)
        self.passages = Gauge("asof_current_passages", "Current passages", registry=one)
        self.written = Gauge(
            "asof_last_write_timestamp_seconds", "When the corpus was last written to", registry=one
        )
        self.shards = tuple(Gauge(name, about, ("shard",), registry=one) for name, about in _OF_A_SHARD)
        self.formats = Gauge(
            "asof_shard_segments", "Files of the index, by their format", ("shard", "format"), registry=one
        )
        self.actors = {
            key: Gauge(name, about, ("shard", "process"), registry=one) for key, (name, about) in _OF_AN_ACTOR
        }

    def text(self, corpus: Corpus | ShardedCorpus | RayCorpus) -> bytes:
        """The metrics in Prometheus' text format, with figures of the corpus as it is; one in one piece is
        shard 0. Over Ray the figures are those of the actors that answer just now."""
        if isinstance(corpus, RayCorpus):
            self._of_actors(corpus)
            return generate_latest(self.registry)
        shards = corpus.shards if isinstance(corpus, ShardedCorpus) else (corpus,)
        figures = [shard.status() for shard in shards]
        written = [shard.session.last_write() / 1e6 for shard in shards]
        self.documents.set(sum(each.documents for each in figures))
        self.passages.set(sum(each.current_passages for each in figures))
        self.written.set(max(written))
        self.formats.clear()  # a format of which no file is left
        for number, (each, last) in enumerate(zip(figures, written, strict=True)):
            values = (each.documents, each.current_passages, each.bytes, last)
            for gauge, value in zip(self.shards, values, strict=True):
                gauge.labels(number).set(value)
            for name, count in each.formats.items():
                self.formats.labels(number, name).set(count)
        return generate_latest(self.registry)

    def _of_actors(self, corpus: RayCorpus) -> None:
        figures = corpus.status()
        for key, gauge in self.actors.items():
            gauge.clear()  # of a process that is no more
            for each in figures:
                gauge.labels(each["shard"], each["process"]).set(each[key])
        self.documents.set(math.nan)  # which is not counted there
        self.passages.set(corpus.current_passages())
        if figures:
            self.written.set(max(each["head"] for each in figures) / 1e6)


_OF_A_SHARD = (
    ("asof_shard_documents", "Current documents"),
    ("asof_shard_current_passages", "Current passages"),
    ("asof_shard_bytes", "On the disk of this machine"),
    ("asof_shard_last_write_timestamp_seconds", "When the shard was last written to"),
)
_OF_AN_ACTOR = (
    ("manifest", ("asof_actor_manifest", "The number of the manifest that the actor is at")),
    ("searches", ("asof_actor_searches", "Searches that were begun since its process started")),
    ("under_way", ("asof_actor_searches_under_way", "Searches just now")),
    ("fetched", ("asof_actor_openings", "How often it opened its shard")),
    ("segment_bytes", ("asof_actor_segment_bytes", "Files of the index that it has on disk")),
    ("resident_bytes", ("asof_actor_resident_bytes", "Memory, mapped files included")),
)
