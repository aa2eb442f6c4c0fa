"""`[encoder]` of asof.toml: which model makes vectors of passages and questions, and how it is reached."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.errors import UsageError
from asof.http.retry import Retry
from asof.models.embeddings_http import HttpEncoder, embeddings_endpoint
from asof.models.model_files import is_onnx_only
from asof.models.vectors import MAX_DIMENSIONS
from asof.schema import AcceptedValue, boolean, check, like, number, secret, text, variable, whole

if TYPE_CHECKING:
    from asof.models.ports import Encoder

HUB = re.compile(r"\w[\w.-]*/\w[\w.-]*")
"""Names on the Hugging Face hub, with their owner: another word may be a slip, and nobody is asked for it."""

_SERVER = ("key_variable", "timeout", "attempts", "patience", "insecure")
_LOCAL = ("device", "revision")
BATCH = 32


@dataclass(frozen=True, slots=True)
class EncoderConfig:
    """A model: without a `url` that of a folder (seen from that of asof.toml), or of a name on the Hugging
    Face hub; with one, a model by its name on a server whose address ends before `/embeddings`.

    `batch`: texts at once, by default 1 on this machine (see `LocalEncoder`) and 32 for a server.
    `query_prefix`, `passage_prefix`: in place of those that the model, or the table of `prefixes.py`, has.
    `dimensions`: fewer numbers, for models that are made for that (0: all).
    For a server only: `key_variable`, the name of the environment variable that holds the key; `timeout`,
    seconds for an attempt, of which there are up to `attempts`; `patience`, the longest wait that it may ask
    for; `insecure`, whether texts may go to another machine over plain http. For a local model only:
    `device`, as torch names it, and `revision` of a name on the hub.
    """

    model: str
    url: str = ""
    batch: int = 0
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dimensions: int = 0
    key_variable: str = ""
    timeout: float = 60.0
    attempts: int = 5
    patience: float = 60.0
    device: str = "cpu"
    revision: str = ""
    insecure: bool = False

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> EncoderConfig:
        """The table of a configuration. Raises UsageError: which key, what is accepted."""
        check(table, ACCEPTED)
        if "model" not in table:
            raise UsageError("model missing: a folder, a name on the hub, or (with url) one on a server")
        config = cls(**table)
        wrong = [key for key in (_LOCAL if config.url else _SERVER) if key in table]
        if wrong:
            where = "a local model, not for a server (url)" if config.url else "a server (url)"
            raise UsageError(f"{', '.join(wrong)}: only for {where}")
        if config.url:
            embeddings_endpoint(config.url, insecure=config.insecure)
        return config


def encoder_from(settings: EncoderConfig, root: Path, environment: Mapping[str, str]) -> Encoder:
    """The encoder of these settings; a model is loaded, and a server asked, with the first text only.

    `root`: the folder that a path is seen from. `environment`: where the key is looked up, by name. Raises
    UsageError when it is not there, and for a model that is neither a folder nor a name.
    """
    shared: dict[str, Any] = {
        "query_prefix": settings.query_prefix, "passage_prefix": settings.passage_prefix,
        "dimensions": settings.dimensions,
    }  # fmt: skip
    if settings.url:
        key = None
        if settings.key_variable:
            shown = embeddings_endpoint(settings.url, insecure=settings.insecure).shown
            key = secret(environment, settings.key_variable, shown, "encoder")
        retry = Retry(settings.attempts, settings.timeout, settings.patience)
        endpoint = embeddings_endpoint(settings.url, key, retry, insecure=settings.insecure)
        return HttpEncoder(endpoint, settings.model, settings.batch or BATCH, **shared)
    model = where(settings.model, root)
    if isinstance(model, Path) and is_onnx_only(model):
        from asof.models.onnx_encoder import OnnxEncoder

        return OnnxEncoder(model, settings.batch or 1, **shared)
    from asof.models.local import LocalEncoder

    return LocalEncoder(
        model, settings.batch or 1, settings.device, revision=settings.revision,
        hub=isinstance(model, str), **shared,
    )  # fmt: skip


def where(model: str, root: Path) -> Path | str:
    """The folder that `model` names, or the name on the hub. Raises UsageError for what can be neither, or
    both: nobody may put a folder in the place of a name.

    What begins with `/`, `./`, `../` or `~` is a folder also where there is none, so that no mistyped path is
    looked up as a name.
    """
    path = root / Path(model).expanduser()
    if model.startswith(("/", ".", "~")):
        return path
    named = HUB.fullmatch(model) is not None
    if named and path.is_dir():
        raise UsageError(f"{model!r} is a name on the hub and a folder here: write ./{model} for the folder")
    if path.is_dir():
        return path
    if not named:
        raise UsageError(
            f"{model!r} is no folder, and no name on the hub, such as sentence-transformers/all-MiniLM-L6-v2"
        )
    return model


_PREFIX = AcceptedValue(
    lambda value: isinstance(value, str) and len(value) <= 1_000, "a text of up to 1000 characters"
)

ACCEPTED: dict[str, AcceptedValue] = {
    "model": text("a folder with a saved model, a name on the hub, or the model's name on a server"),
    "url": text("an address such as http://localhost:11434/v1"),
    "batch": whole(1, 2_048),
    "query_prefix": _PREFIX,
    "passage_prefix": _PREFIX,
    "dimensions": whole(1, MAX_DIMENSIONS),
    "key_variable": variable(),
    "timeout": number(0.1, 3_600, "a number of seconds"),
    "attempts": whole(1, 10),
    "patience": number(0, 3_600, "a number of seconds"),
    "device": like(r"[a-z]+(:\d+)?", "a device as torch names it, such as cpu, cuda, cuda:1, mps,"),
    "revision": like(r"\w[\w./-]*", "a branch, a tag or a commit"),
    "insecure": boolean(),
}
