"""`[rerank]` of asof.toml: which model reranks, how many candidates, and how it is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.errors import UsageError
from asof.http.retry import Retry
from asof.models.model_files import is_onnx_only
from asof.models.rerank_http import SHAPES, HttpReranker, rerank_endpoint
from asof.schema import AcceptedValue, boolean, check, like, number, one_of, secret, text, variable, whole

if TYPE_CHECKING:
    from asof.models.ports import Reranker

LOCATIONS = ("url", "path", "hub")
_SERVER = ("model", "shape", "key_variable", "timeout", "attempts", "insecure")


@dataclass(frozen=True, slots=True)
class RerankerConfig:
    """One of `url` (a server), `path` (a cross-encoder's folder, seen from that of asof.toml) and `hub`
    (the name of one on the Hugging Face hub, downloaded once).

    For `url` only: `model` and `shape` (jina, tei), `key_variable`: the name of the environment variable that
    holds the key, `timeout` in seconds for an attempt, `attempts`; `insecure`: whether texts
    may go to another machine over plain http.

    `top` candidates are reranked; with `only_below` those of questions whose margin is lower alone
    (`asof.rank.rerank.rerank`).
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
    only_below: float | None = None
    insecure: bool = False

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> RerankerConfig:
        """The table of a configuration. Raises UsageError: which key, what is accepted."""
        check(table, ACCEPTED)
        locations = [key for key in LOCATIONS if key in table]
        if len(locations) != 1:
            raise UsageError(
                f"one of {', '.join(LOCATIONS)} is expected; given: {', '.join(locations) or 'none'}"
            )
        alone = [key for key in _SERVER if key in table]
        if alone and locations != ["url"]:
            raise UsageError(f"{', '.join(alone)}: only for a server (url), not for {locations[0]}")
        config = cls(**table)
        if config.url:
            rerank_endpoint(config.url, insecure=config.insecure)
        return config


def reranker_from(settings: RerankerConfig, root: Path, environment: Mapping[str, str]) -> Reranker:
    """The reranker of these settings; a model is loaded, and a server asked, with the first question only.

    `root`: the folder that `path` is seen from. `environment`: where the key is looked up, by name. Raises
    UsageError when it is not there.
    """
    if not settings.url:
        model = root / Path(settings.path).expanduser() if settings.path else settings.hub
        if isinstance(model, Path) and is_onnx_only(model):
            from asof.models.onnx_cross_encoder import OnnxCrossEncoder

            return OnnxCrossEncoder(model, settings.batch)
        from asof.models.cross_encoder import CrossEncoder

        return CrossEncoder(model, batch=settings.batch, hub=bool(settings.hub))
    retry = Retry(settings.attempts, settings.timeout)
    endpoint = rerank_endpoint(settings.url, retry=retry, insecure=settings.insecure)
    if settings.key_variable:
        key = secret(environment, settings.key_variable, endpoint.shown, "rerank")
        endpoint = replace(endpoint, key=key)
    return HttpReranker(endpoint, settings.model, settings.shape, settings.batch)


ACCEPTED: dict[str, AcceptedValue] = {
    "url": text("an address such as http://localhost:8080/rerank"),
    "path": text("a folder with a saved cross-encoder"),
    "hub": like(r"\w[\w.-]*/\w[\w.-]*", "a name such as cross-encoder/ms-marco-MiniLM-L-6-v2"),
    "model": text("the model's name, as the server knows it,"),
    "shape": one_of(*SHAPES),
    "key_variable": variable(),
    "timeout": number(0.1, 600, "a number of seconds"),
    "attempts": whole(1, 10),
    "batch": whole(1, 1_000),
    "top": whole(1, 1_000),
    "only_below": number(0, 10),
    "insecure": boolean(),
}
