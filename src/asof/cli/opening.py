"""The corpus that `asof index` writes to, made with the settings that are asked for or as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.main import corpus_root, echo_err
from asof.cli.terminal import plain

if TYPE_CHECKING:
    from asof.cluster.corpus import ShardedCorpus
    from asof.corpus.corpus import Corpus

OPTIONS = {"languages": "--language", "stem": "--no-stem", "chunking": "--chunking", "undated": "--undated"}


def root_of(index: Path | str | None) -> Path:
    """The folder whose configuration holds: that of the corpus, or the present one where it is at a URL."""
    return Path.cwd() if isinstance(index, str) else corpus_root(index)


@contextmanager
def nothing_left_if_empty(index: Path | str | None) -> Iterator[None]:
    """A corpus of a folder that is made within this context is removed if nothing was written to it."""
    from asof.store.empty_corpus import removed_if_empty

    with nullcontext() if isinstance(index, str) else removed_if_empty(corpus_root(index)):
        yield


@contextmanager
def preparing_texts(
    corpus: Corpus | ShardedCorpus, workers: int, ray_address: str | None
) -> Iterator[dict[str, Any]]:
    """What `add` is told of who prepares texts: processes of this machine, or tasks of Ray. Raises UsageError
    for Ray and a corpus that has no shards, MissingExtra, CorpusError."""
    from asof.cluster.corpus import ShardedCorpus
    from asof.errors import UsageError

    if ray_address is None:
        yield {"workers": workers}
        return
    if not isinstance(corpus, ShardedCorpus):
        raise UsageError(
            "--ray is for a corpus in shards or at a URL, and this one is in one piece: leave --ray out (the "
            "texts are prepared by --workers processes), or make shards by `asof cluster grow --shards N`"
        )
    from asof.cluster.ray.library import connected
    from asof.cluster.ray.texts import RayTexts

    with connected(ray_address):
        yield {"pool": RayTexts}


def use_truth(index: Path | str | None, truth: str, shards: int | None) -> None:
    """Have the corpus of a folder lie in a database from here on. Raises UsageError."""
    from asof import environment
    from asof.errors import NotAcrossShards, UsageError
    from asof.store.store import FOLDER

    if isinstance(index, str):
        raise UsageError("--truth: a corpus at a URL has its truth there; name a folder by --index")
    if shards is not None and shards > 1:
        raise NotAcrossShards("--truth: a database holds a corpus in one piece; leave --shards out")
    folder = root_of(index) / FOLDER
    if (folder / "corpus.db").exists() or (folder / "shards.json").exists():
        raise UsageError(
            f"--truth: {folder} holds a corpus of its own; `asof export FILE`, then `asof index FILE "
            f"--index NEW "
            "--truth URL`, takes it to a database"
        )
    environment.use_truth(folder, truth)


def nothing_indexed(index: Path | str | None) -> str:
    """What is said where a first run indexed nothing."""
    left = "the corpus there is empty" if isinstance(index, str) else "no index is left behind"
    return f"nothing was indexed, and {left}"


def is_new(index: Path | str | None, corpus: Corpus | ShardedCorpus, before: bool) -> bool:
    """Whether a corpus that was opened was made just now; `before`: whether the folder held one before."""
    from asof.cluster.corpus import ShardedCorpus

    if isinstance(index, str):
        return isinstance(corpus, ShardedCorpus) and not corpus.last_write()
    return not before


def opened(
    index: Path | str | None, wait: float, asked: dict[str, Any], *, quiet: bool, shards: int | None = None
) -> Corpus | ShardedCorpus:
    """The corpus, new or not; one at a URL is claimed. `shards`: of how many a new one is made. Raises
    UsageError when it was made with other settings than asked for."""
    from asof import config, environment
    from asof.cluster.corpus import ShardedCorpus
    from asof.cluster.opening import open as open_corpus
    from asof.errors import UsageError
    from asof.store.store import FOLDER

    root = root_of(index)

    given = _given(asked)
    configured_here = environment.configuration(root)
    configured = configured_here.index
    wanted = replace(configured, **given)
    new = not environment.holds_corpus(root)
    place = index if isinstance(index, str) else root
    corpus: Corpus | ShardedCorpus = open_corpus(
        place, settings=wanted, wait=wait, on_note=echo_err, shards=shards, write=isinstance(index, str)
    )
    first = corpus.shards[0] if isinstance(corpus, ShardedCorpus) else corpus
    has = first.store.settings
    for key in given:
        if getattr(has, key) != getattr(wanted, key):
            corpus.close()
            raise UsageError(
                f"{OPTIONS[key]}: this corpus was made with {_text(getattr(has, key))}, not "
                f"{_text(getattr(wanted, key))}; settings are those of the first run; "
                "index into another folder with --index"
            )
    for key in OPTIONS:
        setting = getattr(configured, key)
        if (
            key not in given
            and key in configured_here.beside
            and setting not in (getattr(has, key), getattr(config.Config().index, key))
        ):
            echo_err(
                f"{root / config.FILE} says {key} = {_text(setting)}; this corpus was made with "
                f"{_text(getattr(has, key))}, which stays: index into another folder with --index"
            )
    if not quiet and not new and not isinstance(index, str) and root.resolve() != Path.cwd():
        click.echo(f"index in {plain(str(root / FOLDER))}")
    _note_encoder(first)
    return corpus


def _note_encoder(corpus: Corpus) -> None:
    """Say so where asof.toml names another encoder than the corpus has."""
    from asof import config

    setting, has = corpus.models.encoder(), corpus.store.settings.encoder
    if setting is not None and setting.name != has:
        file = corpus.config.origin.get("encoder", corpus.root / config.FILE)
        echo_err(
            f"{file} names the encoder {setting.name}; this corpus has "
            f"{has or 'none'}, which stays until `asof embed` changes it"
        )


def _given(asked: dict[str, Any]) -> dict[str, Any]:
    """The settings among the options, checked as those of asof.toml are. Raises BadConfig."""
    from asof import config

    values: dict[str, Any] = {key: asked[key] for key in ("chunking", "undated") if asked[key]}
    if asked["language"]:
        values["languages"] = [code.strip() for code in asked["language"].split(",")]
    if asked["no_stem"]:
        values["stem"] = False
    checked = {key: config.read({"index": {key: value}}, OPTIONS[key]).index for key, value in values.items()}
    return {key: getattr(settings, key) for key, settings in checked.items()}


def _text(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value).lower()
