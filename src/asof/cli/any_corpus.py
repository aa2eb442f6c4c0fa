"""Opening what `--index` names, for the commands that work with any corpus: in shards, at a URL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from asof.cli.main import corpus_root, echo_err, open_corpus
from asof.cli.places import command_name
from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.cluster.corpus import ShardedCorpus
    from asof.cluster.ray.corpus import RayCorpus
    from asof.corpus.corpus import Corpus
    from asof.storage.storage import Storage
    from asof.store.settings import CorpusSettings

F = TypeVar("F", bound=Callable[..., Any])


def ray_option(about: str) -> Callable[[F], F]:
    """`--ray ADDRESS`: a cluster of Ray; `about` says what it does."""
    return click.option(
        "--ray", "ray_address", metavar="ADDRESS", help=f"{about} (auto: Ray on this machine)."
    )  # fmt: skip


def storage_of(index: Path | str | None) -> Storage:
    """The storage of the corpus at a URL. Raises UsageError for a folder, MissingExtra."""
    from asof.cluster.at_url import storage_at

    if not isinstance(index, str):
        raise UsageError(f"{command_name()} works on a corpus at a URL: give it by --index URL")
    return storage_at(index, echo_err)


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


def open_asked(index: Path | str | None, ray_address: str | None) -> Corpus | ShardedCorpus | RayCorpus:
    """The corpus that `--index` names to be asked, by actors where an address of Ray is given. Raises
    NoCorpus, StorageError, CorpusError, MissingExtra."""
    if ray_address is None:
        return open_any(index)
    from asof.cluster.ray.corpus import open_ray

    return open_ray(index if isinstance(index, str) else corpus_root(index), address=ray_address)
