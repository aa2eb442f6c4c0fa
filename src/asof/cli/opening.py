"""The corpus that `asof index` writes to, made with the settings that are asked for or as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.main import corpus_root, echo_err
from asof.cli.terminal import plain

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus

OPTIONS = {"languages": "--language", "stem": "--no-stem", "chunking": "--chunking", "undated": "--undated"}


def opened(index: Path | None, wait: float, asked: dict[str, Any], *, quiet: bool) -> Corpus:
    """The corpus, new or not. Raises UsageError when it was made with other settings than asked for."""
    from asof import config, environment
    from asof.corpus.corpus import open as open_corpus
    from asof.errors import UsageError
    from asof.store.store import FOLDER

    root = corpus_root(index)

    given = _given(asked)
    configured_here = environment.configuration(root)
    configured = configured_here.index
    wanted = replace(configured, **given)
    new = not environment.holds_corpus(root)
    corpus = open_corpus(root, settings=wanted, wait=wait, on_note=echo_err)
    has = corpus.store.settings
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
    if not quiet and not new and root.resolve() != Path.cwd():
        click.echo(f"index in {plain(str(root / FOLDER))}")
    _note_encoder(corpus)
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
