"""Where `--index` says that the corpus is, a folder or a URL, and how commands open what is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.errors import NotAcrossShards, UsageError

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus

ACROSS_SHARDS = (
    "index, import, watch, search, ask, timeline, diff, facts, graph, report, links, why-not, when, open, "
    "serve, mcp, status, correct, purge, vacuum, export, cluster"
)
"""The commands that work on a corpus in shards."""

_JUDGED = "a judgement is kept beside what it judges, to be erased with it, and hits are of several shards"
REASONS = {
    "stale": "each statement is compared with those of all documents, which no shard has",
    "embed": "the vectors of all shards would have to change at once",
    "feedback": _JUDGED,
    "papers": _JUDGED,
    "tune": _JUDGED,
}
"""Why others do not."""


class IndexPlace(click.Path):
    """The folder of a corpus (a Path), or the URL of one (a text)."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and ":" in value:
            from asof.storage.address import is_address, normal

            if is_address(value) or "://" in value:
                return normal(value)
        return super().convert(value, param, ctx)


INDEX_PLACE = IndexPlace()


def command_name() -> str:
    """The command that is running, as it was typed."""
    context = click.get_current_context(silent=True)
    return context.command_path if context else "this command"


def folder_only(index: Path | str | None, why: str) -> None:
    """Raises UsageError where the corpus is at a URL."""
    if isinstance(index, str):
        raise UsageError(f"{command_name()} {why}; {index} is a URL: give --index a folder")


def refuse_shards(count: int, place: object) -> None:
    """Raises NotAcrossShards where a corpus lies in several shards."""
    if count > 1:
        name = command_name()
        reason = REASONS.get(name.removeprefix("asof "), "")
        because = f" ({reason})" if reason else ""
        raise NotAcrossShards(
            f"{name} works in a corpus in one piece only{because}, and that in {place} lies in {count} "
            f"shards, for which there are: {ACROSS_SHARDS}"
        )


def open_at_url(url: str, on_note: Callable[[str], None]) -> Corpus:
    """What a command reads at a URL: a corpus of one shard. Raises NotAcrossShards, StorageError."""
    from asof.cluster.corpus import ShardedCorpus
    from asof.cluster.opening import open as open_corpus

    opened: Any = open_corpus(url, create=False, on_note=on_note)
    if isinstance(opened, ShardedCorpus):
        with opened:
            refuse_shards(max(opened.layout.count, 2), url)
    corpus: Corpus = opened
    return corpus
