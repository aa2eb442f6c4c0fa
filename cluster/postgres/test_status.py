"""What a corpus with its truth in PostgreSQL says of itself."""

from __future__ import annotations

from pathlib import Path

import asof
from asof.data import Document
from asof.store.status import folder_size


def test_its_size_counts_the_tables(tmp_path: Path, postgres: str) -> None:
    # 9 bytes of a random-looking word each: 20,000 of them take more than 100,000 bytes, compressed or not
    text = " ".join(f"w{number * 7_919_317 % 99_999_989:08}" for number in range(20_000))
    with asof.open(tmp_path, truth=postgres) as corpus:
        before = corpus.status().bytes - folder_size(tmp_path / ".asof")
        corpus.add([Document("a", text)])
        assert corpus.status().bytes - folder_size(tmp_path / ".asof") > before + 100_000
        corpus.purge("a")
        assert corpus.status().bytes - folder_size(tmp_path / ".asof") < before + 100_000
