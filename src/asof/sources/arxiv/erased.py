"""Papers that were erased from a corpus: not taken in again, and named nowhere that is kept between runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from asof.errors import Busy
from asof.sources.arxiv.kept import alone, another

ERASED = 0
"""No version has this number: it stands for those of a paper that is not to be taken in again."""

FETCHED = "fetched"
"""The folder in `.asof` of what is kept between runs."""


@contextmanager
def forgetting(folder: Path, paper: str) -> Iterator[None]:
    """While a paper is erased nobody fetches, and nothing in `folder` names it any more. What cannot go
    without the rest goes with it: then more is asked for. Raises Busy when somebody fetches."""
    with alone(folder) as descriptor:
        if descriptor is None:
            raise Busy(another(folder))
        for path in folder.glob("*.tmp"):  # of a process that was killed
            path.unlink()
        for path in folder.glob("*.jsonl"):
            if paper.encode() in path.read_bytes():
                path.unlink()
        for path in folder.glob("*.json"):
            if paper.encode() in path.read_bytes():
                _without(path, paper)
        yield


def hidden(paper: str) -> str:
    """What stands for a paper that was erased where it would be named."""
    return f"erased {blake2b(paper.encode(), digest_size=12).hexdigest()}"


def _without(path: Path, paper: str) -> None:
    """Take a paper out of the witnesses; without any that is left, nothing that was done is believed."""
    try:
        said = json.loads(path.read_bytes())
        said["witnesses"] = [each for each in said["witnesses"] if each != paper]
    except (ValueError, RecursionError, KeyError, TypeError):
        said = {}
    whole = json.dumps(said)
    if not said.get("witnesses") or paper in whole:
        path.unlink()
        return
    passing = path.with_suffix(".tmp")
    passing.write_text(whole)
    passing.replace(path)
