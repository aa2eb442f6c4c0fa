"""One measurement in a process of its own: `job.py NAME ARGUMENTS`, arguments and figures as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))


def main(name: str, arguments: str) -> None:
    from bench import ours, peers

    jobs: dict[str, Callable[..., dict[str, Any]]] = {
        "build": ours.build, "open": ours.opening, "search": ours.search, "add": ours.adding,
        "cold": ours.cold, "build-all": ours.build_by_all,
        "bm25s-build": peers.build_bm25s, "bm25s-open": peers.open_bm25s,
        "tantivy-build": peers.build_tantivy, "tantivy-open": peers.open_tantivy,
        "tantivy-search": peers.search_tantivy, "bm25s-search": peers.search_bm25s,
        "published": peers.published,
    }  # fmt: skip
    print(json.dumps(jobs[name](**json.loads(arguments))))


if __name__ == "__main__":
    main(*sys.argv[1:])
