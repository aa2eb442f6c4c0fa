"""Papers that were erased from a corpus: not taken in again, and named nowhere that is kept between runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from asof import corpus_files
from asof.arxiv.harvest_log import LARGEST, alone, another
from asof.errors import Busy

NAME = re.compile(r"[0-9a-f]{24}\.(json|jsonl|tmp)")
"""The names of the files in it."""


@contextmanager
def forgetting(folder: Path, paper: str) -> Iterator[None]:
    """While a paper is erased nobody fetches, and nothing in `folder` names it any more. What cannot go
    without the rest goes with it: then more is asked for. Raises Busy when somebody fetches."""
    with alone(folder) as descriptor:
        if descriptor is None:
            raise Busy(another(folder))
        for path in map(folder.joinpath, filter(NAME.fullmatch, corpus_files.names(folder))):
            if path.suffix == ".tmp":  # of a process that was killed
                corpus_files.remove(path)
            elif paper.encode() in (content := _content(path, paper)):
                if path.suffix == ".jsonl":
                    corpus_files.remove(path)
                else:
                    _without(path, content, paper)
        yield


def hidden(paper: str) -> str:
    """What stands for a paper that was erased where it would be named."""
    return f"erased {blake2b(paper.encode(), digest_size=12).hexdigest()}"


def _content(path: Path, paper: str) -> bytes:
    """The bytes of a file; of one that is too large to be ours the paper alone, so that it is removed."""
    try:
        return corpus_files.read_file(path, LARGEST)
    except corpus_files.FileTooLarge:
        return paper.encode()


def _without(path: Path, content: bytes, paper: str) -> None:
    """Take a paper out of the witnesses; without any that is left, nothing that was done is believed."""
    try:
        record = json.loads(content)
        record["witnesses"] = [each for each in record["witnesses"] if each != paper]
    except (ValueError, RecursionError, KeyError, TypeError):
        record = {}
    whole = json.dumps(record)
    if not record.get("witnesses") or paper in whole:
        corpus_files.remove(path)
        return
    corpus_files.write_file(path, whole.encode())
