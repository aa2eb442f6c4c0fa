"""Where `--index` says that the corpus is, a folder or a URL, and how commands open what is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from asof.errors import NotAcrossShards, UsageError

if TYPE_CHECKING:
    from asof.cluster.corpus import ShardedCorpus
    from asof.corpus.corpus import Corpus
    from asof.storage.storage import Storage
    from asof.store.settings import CorpusSettings

ACROSS_SHARDS = "index, import, search, status, correct, purge, vacuum, export, cluster"
"""The commands that work on a corpus in shards."""


class IndexPlace(click.Path):
    """The folder of a corpus (a Path), or the URL of one (a text)."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and "://" in value:
            from asof.storage.address import normal

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
        raise NotAcrossShards(
            f"{command_name()} is exact in a corpus in one piece only, and that in {place} lies in {count} "
            f"shards, for which there are: {ACROSS_SHARDS}"
        )


def storage_of(index: Path | str | None) -> Storage:
    """The storage of the corpus at a URL. Raises UsageError for a folder, MissingExtra."""
    from asof.cli.main import echo_err
    from asof.cluster.at_url import storage_at

    if not isinstance(index, str):
        raise UsageError(f"{command_name()} works on a corpus at a URL: give it by --index URL")
    return storage_at(index, echo_err)


def open_at_url(url: str) -> Corpus:
    """What a command reads at a URL: a corpus of one shard. Raises NotAcrossShards, StorageError."""
    from asof.cli.main import echo_err
    from asof.cluster.corpus import ShardedCorpus
    from asof.cluster.opening import open as open_corpus

    corpus: Corpus | ShardedCorpus = cast(Any, open_corpus(url, create=False, on_note=echo_err))
    if isinstance(corpus, ShardedCorpus):
        count = corpus.layout.count
        corpus.close()
        refuse_shards(count, url)
    return corpus


def settings_of(corpus: Corpus | ShardedCorpus) -> CorpusSettings:
    """The settings with which a corpus was made."""
    from asof.cluster.corpus import ShardedCorpus

    return corpus.settings if isinstance(corpus, ShardedCorpus) else corpus.store.settings


def called(corpus: Corpus | ShardedCorpus, name: str) -> str:
    """The document of this name as of now. Raises UsageError."""
    from asof.cluster.corpus import ShardedCorpus

    return corpus.called(name) if isinstance(corpus, ShardedCorpus) else corpus.at().called(name)


def open_any(index: Path | str | None, *, write: bool = False) -> Corpus | ShardedCorpus:
    """The corpus that `--index` names, which has to be there, also in shards; `write`: one at a URL is
    claimed. Raises NoCorpus, StorageError."""
    from asof.cli.main import corpus_root, echo_err, open_corpus
    from asof.cluster.opening import open as open_whole
    from asof.store.shard_layout import read_layout
    from asof.store.store import FOLDER

    if isinstance(index, str):
        return open_whole(index, create=False, on_note=echo_err, write=write)
    root = corpus_root(index)
    layout = read_layout(root / FOLDER)
    if layout is None or layout.count == 1:
        return open_corpus(index)
    return open_whole(root, create=False, on_note=echo_err)
