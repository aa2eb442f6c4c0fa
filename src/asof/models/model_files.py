"""A saved model on this machine: which files are read, what is refused, how the hub is asked for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from asof.errors import ModelError

MODEL_SUFFIXES = frozenset({".safetensors", ".json", ".txt", ".model"})
"""Files of a saved model that shape its output: weights, configuration, vocabulary."""

SKIPPED_FOLDERS = frozenset({"onnx", "openvino"})
"""Folders of a saved model with the same weights for other libraries."""

ACCEPTED_MODULE = "sentence_transformers."

Missing = Callable[[ModuleNotFoundError], Exception]
"""What it means that a module is not there."""


ONNX_MODELS = ("model.onnx", "onnx/model.onnx")


def is_onnx_only(folder: Path) -> bool:
    """Whether the model in a folder is saved as ONNX, and not as what sentence-transformers reads as well."""
    return any((folder / name).is_file() for name in ONNX_MODELS) and not any(folder.rglob("*.safetensors"))


def check_parts(folder: Path, whose: str) -> None:
    """Raises ModelError for a saved model of which a part is a pickle, code of others, or outside of its
    folder. `whose`: what the message calls it."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() and path.is_dir():
            raise ModelError(f"{whose}: {path.name} is a link to another folder, which is not followed")
        if path.match("pytorch_model*.bin") and not any(path.parent.glob("model*.safetensors")):
            raise ModelError(
                f"{whose}: {path.name} is a pickle, which is never read; save the model as safetensors"
            )
        if path.name == "adapter_config.json":
            raise ModelError(f"{whose}: it is an adapter of another model, which would be loaded; merge them")
        if path.name in ("config.json", "router_config.json"):
            _check_types(_json(path, whose), path, whose)
    if (folder / "modules.json").is_file():
        _check_modules(folder / "modules.json", whose)


def _check_modules(path: Path, whose: str) -> None:
    """Each part of a model has to be one of sentence-transformers, in the model's folder."""
    value = _json(path, whose)
    try:
        parts = [(str(module["type"]), str(module.get("path", ""))) for module in value]
    except (TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"{whose}: modules.json cannot be read; it may be damaged") from error
    for kind, place in parts:
        _check_kind(kind, path, whose)
        where = PurePosixPath(place)
        if where.is_absolute() or ".." in where.parts:
            raise ModelError(f"{whose}: modules.json wants a part at {place[:80]!r}, outside of its folder")


def _check_types(value: Any, path: Path, whose: str) -> None:
    """The classes that a part made of parts names."""
    types = value.get("types") if isinstance(value, dict) else None
    for kind in types.values() if isinstance(types, dict) else ():
        _check_kind(str(kind), path, whose)


def _check_kind(kind: str, path: Path, whose: str) -> None:
    if not kind.startswith(ACCEPTED_MODULE):
        raise ModelError(
            f"{whose}: {path.name} wants {kind[:80]!r}, code that is not of sentence-transformers and is "
            "never run; take another model"
        )


def _json(path: Path, whose: str) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError, OSError) as error:
        raise ModelError(f"{whose}: {path.name} cannot be read; it may be damaged") from error


def fetched(name: str, revision: str, whose: str, missing: Missing) -> Path:
    """The folder of a model of the hub, downloaded unless it was before; of its files only those that are
    read, so neither code nor pickles. A folder of that name that lies here is not looked at. Raises what
    `missing` makes of it where the hub's client is not there, and ModelError."""
    try:
        from huggingface_hub import snapshot_download
    except ModuleNotFoundError as error:
        raise missing(error) from error
    options: dict[str, Any] = {
        "revision": revision or None, "allow_patterns": [f"*{suffix}" for suffix in MODEL_SUFFIXES],
        "ignore_patterns": [f"{folder}/*" for folder in SKIPPED_FOLDERS],
    }  # fmt: skip
    try:
        folder = Path(snapshot_download(name, local_files_only=True, **options))
        if any(folder.rglob("*.safetensors")):
            return folder
    except (OSError, ValueError):
        pass  # it is not here yet
    try:
        return Path(snapshot_download(name, **options))
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(
            f"{whose} cannot be loaded: {line(error)}; a name needs the network once, a folder does not"
        ) from error


def line(error: Exception) -> str:
    """The message of a library's error, on one line that is not long."""
    message = " ".join(str(error).split())
    return message[:400] + ("…" if len(message) > 400 else "")


@contextmanager
def quietly() -> Iterator[None]:
    """Without the bars of transformers; those of a download are left alone."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
