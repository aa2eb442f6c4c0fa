"""What `/metrics` tells Prometheus."""

from __future__ import annotations

from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

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
    size: Gauge = field(init=False)
    formats: Gauge = field(init=False)

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
        self.size = Gauge("asof_bytes", "On the disk of this machine", registry=one)
        self.formats = Gauge(
            "asof_segments", "Files of the index, by their format", ("format",), registry=one
        )

    def text(self, corpus: Corpus) -> bytes:
        """The metrics in Prometheus' text format, with figures of the corpus as it is."""
        figures = corpus.status()
        self.documents.set(figures.documents)
        self.passages.set(figures.current_passages)
        self.written.set(corpus.session.last_write() / 1e6)
        self.size.set(figures.bytes)
        self.formats.clear()  # a format of which no file is left
        for name, count in figures.formats.items():
            self.formats.labels(name).set(count)
        return generate_latest(self.registry)
