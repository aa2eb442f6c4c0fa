"""What Prometheus is told: figures of the corpus."""

from __future__ import annotations

import re
from pathlib import Path

import asof
from asof.extensions.server.guard import Metrics
from asof.values import Document

DOCUMENTS = [
    Document(id=f"{number}.md", text=f"Ferry {number} sails at noon.", published="2021-05-01")
    for number in range(12)
]


def figures(text: bytes) -> dict[str, float]:
    """The values of gauges by name and labels."""
    found = re.findall(r"^(asof_\S+) (\S+)$", text.decode(), re.MULTILINE)
    return {name: float(value) for name, value in found}


def test_figures_are_those_of_the_corpus(tmp_path: Path) -> None:
    with asof.open(tmp_path) as corpus:
        corpus.add(DOCUMENTS)
        shown = figures(Metrics().text(corpus))
        assert shown["asof_documents"] == shown["asof_current_passages"] == 12
        assert shown["asof_last_write_timestamp_seconds"] > 1.7e9
        assert shown["asof_bytes"] > 0
        assert shown["asof_segments"] == len(corpus.status().segments)
