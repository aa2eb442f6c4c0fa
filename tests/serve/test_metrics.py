"""What Prometheus is told: figures of the corpus, and of each of its shards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import asof
from asof.data import Document
from asof.serve.metrics import Metrics

DOCUMENTS = [
    Document(id=f"{number}.md", text=f"Ferry {number} sails at noon.", published="2021-05-01")
    for number in range(12)
]


def figures(text: bytes) -> dict[str, float]:
    """The values of gauges by name and labels."""
    found = re.findall(r"^(asof_\S+) (\S+)$", text.decode(), re.MULTILINE)
    return {name: float(value) for name, value in found}


@pytest.mark.parametrize("shards", [None, 3])
def test_figures_of_shards_add_up_to_those_of_the_corpus(tmp_path: Path, shards: int | None) -> None:
    with asof.open(tmp_path, shards=shards) as corpus:
        corpus.add(DOCUMENTS)
        shown = figures(Metrics().text(corpus))
        count = shards or 1
        for name, total in (("documents", 12), ("current_passages", 12)):
            of = [shown[f'asof_shard_{name}{{shard="{number}"}}'] for number in range(count)]
            assert sum(of) == shown[f"asof_{name}"] == total
        assert f'asof_shard_documents{{shard="{count}"}}' not in shown
        last = [
            shown[f'asof_shard_last_write_timestamp_seconds{{shard="{number}"}}'] for number in range(count)
        ]
        assert max(last) == shown["asof_last_write_timestamp_seconds"] > 1.7e9
        assert all(shown[f'asof_shard_bytes{{shard="{number}"}}'] > 0 for number in range(count))
        segments = sum(value for name, value in shown.items() if name.startswith("asof_shard_segments"))
        assert segments == len(corpus.status().segments)
        assert 'asof_shard_segments{format="asof-sg2",shard="0"}' in shown


def test_a_format_of_which_no_file_is_left_is_gone(tmp_path: Path) -> None:
    metrics = Metrics()
    metrics.formats.labels(0, "asof-sg1").set(4)
    with asof.open(tmp_path) as corpus:
        corpus.add(DOCUMENTS)
        assert b"asof-sg1" not in metrics.text(corpus)
