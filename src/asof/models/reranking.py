"""`[rerank]` of asof.toml: which model reranks, how many candidates, and how it is reached."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.errors import UsageError
from asof.models.endpoint import Endpoint
from asof.models.rerank_http import SHAPES, HttpReranker

if TYPE_CHECKING:
    from asof.models.ports import Reranker

WHERE = ("url", "path", "hub")


@dataclass(frozen=True, slots=True)
class Reranking:
    """One of `url` (a server), `path` (a cross-encoder's folder, seen from that of asof.toml) and `hub`
    (the name of one on the Hugging Face hub, downloaded once).

    For `url` only: `model` and `shape` (jina, tei), `key_variable`: the name of the environment variable that
    holds the key, `timeout` in seconds for an attempt, `attempts`.
    """

    url: str = ""
    path: str = ""
    hub: str = ""
    model: str = ""
    shape: str = "jina"
    key_variable: str = ""
    timeout: float = 10.0
    attempts: int = 3
    batch: int = 32
    top: int = 10

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Reranking:
        """The table of a configuration. Raises UsageError: which key, what is accepted."""
        for key, value in table.items():
            if key not in _ACCEPTED:
                near = get_close_matches(key, _ACCEPTED, 1, 0.5)
                meant = f"did you mean {near[0]}?" if near else "accepted: " + ", ".join(_ACCEPTED)
                raise UsageError(f"no key {key}; {meant}")
            good, accepted = _ACCEPTED[key]
            if not good(value):
                told = key if key == "key_variable" else f"{key} = {value!r}"  # it may be the key itself
                raise UsageError(f"{told}: {accepted} is expected")
        given = [key for key in WHERE if key in table]
        if len(given) != 1:
            raise UsageError(f"one of {', '.join(WHERE)} is expected; given: {', '.join(given) or 'none'}")
        alone = [key for key in ("model", "shape", "key_variable", "timeout", "attempts") if key in table]
        if alone and given != ["url"]:
            raise UsageError(f"{', '.join(alone)}: only for a server (url), not for {given[0]}")
        made = cls(**table)
        if made.url:
            Endpoint(made.url)
        return made


def reranker_from(settings: Reranking, root: Path, environment: Mapping[str, str]) -> Reranker:
    """The reranker of these settings; a model is loaded, and a server asked, with the first question only.

    `root`: the folder that `path` is seen from. `environment`: where the key is looked up, by name. Raises
    UsageError when it is not there.
    """
    if not settings.url:
        from asof.models.cross_encoder import CrossEncoder

        model = root / settings.path if settings.path else settings.hub
        return CrossEncoder(model, batch=settings.batch)
    key = None
    if settings.key_variable:
        key = environment.get(settings.key_variable, "").strip()
        if not key:
            raise UsageError(
                f"the environment variable {settings.key_variable} is not set; it should hold the key for "
                f"{Endpoint(settings.url).shown} (key_variable in [rerank])"
            )
    endpoint = Endpoint(settings.url, key, settings.timeout, settings.attempts)
    return HttpReranker(endpoint, settings.model, settings.shape, settings.batch)


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _like(pattern: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0.1 <= value <= 600


_ACCEPTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "url": (_text, "an address such as http://localhost:8080/rerank"),
    "path": (_text, "a folder with a saved cross-encoder"),
    "hub": (_like(r"\w[\w.-]*/\w[\w.-]*"), "a name such as cross-encoder/ms-marco-MiniLM-L-6-v2"),
    "model": (_text, "the model's name, as the server knows it,"),
    "shape": (lambda value: value in SHAPES, f"one of {', '.join(SHAPES)}"),
    "key_variable": (_like(r"[A-Z_][A-Z0-9_]*"), "the name of an environment variable (not the key itself)"),
    "timeout": (_seconds, "a number of seconds from 0.1 to 600"),
    "attempts": (_whole(1, 10), "a whole number from 1 to 10"),
    "batch": (_whole(1, 1_000), "a whole number from 1 to 1000"),
    "top": (_whole(1, 1_000), "a whole number from 1 to 1000"),
}
