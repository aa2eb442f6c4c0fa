"""What is refused where a corpus lies in shards."""

from __future__ import annotations

from asof.errors import NotAcrossShards


def not_across_shards(what: str, instead: str) -> NotAcrossShards:
    """The error that says that `what` ("facts are listed from") needs a corpus in one piece, and what to do
    `instead`."""
    return NotAcrossShards(f"{what} a corpus in one piece only, and this one lies in shards: {instead}")
