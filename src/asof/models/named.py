"""Models and encoders given as Python objects or functions, with their names; `[encoder]` of asof.toml."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.errors import ModelError, UsageError
from asof.http import Retry, shown
from asof.models.encoders import MAX_DIMENSIONS, HttpEncoder, around_blanks, embeddings_endpoint, unit
from asof.models.local import LocalEncoder
from asof.models.metered import prompt_tokens, tokens
from asof.models.ports import CompletesReplies, Encoder, Model, Prompt, Reply, fitted, instructions
from asof.schema import (
    INSECURE,
    KEY_VARIABLE,
    TRUST,
    AcceptedValue,
    Setting,
    Table,
    boolean,
    like,
    number,
    secret,
    text,
    variable,
    whole,
)

MODEL = (
    "a function that takes the prompt, a text, and gives the reply, a text; asof.Named(name, function), whose"
    " replies are kept; or a value with name, complete(prompts) and stream(prompt) (asof.models.ports.Model)"
)
ENCODER = (
    "asof.LocalEncoder(folder); asof.Named(name, function or model), where the function (the model's encode) "
    "takes a list of texts and gives a vector for each; or a value with name and encode(texts)"
)


@dataclass(frozen=True, slots=True)
class Named:
    """A function or a model, with the name that its vectors or replies are kept by.

    The name has to change when the model does: what is stored under it is not requested again.
    """

    name: str
    what: object

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise UsageError(f"asof.Named: the name is {self.name!r:.60}; accepted: a text that is not blank")


def model_of(value: object) -> Model:
    """The language model given as an object or by name. Raises UsageError."""
    if _has(value, "complete", "stream") and isinstance(getattr(value, "name", None), str):
        return value  # type: ignore[return-value]
    what = value.what if isinstance(value, Named) else value
    return Called(*_function(value, what, "model", MODEL), cacheable=isinstance(value, Named))


def encoder_of(value: object) -> Encoder:
    """The encoder given as an object or by name; functions get no blank texts. Raises UsageError."""
    name = getattr(value, "name", None)
    what = value.what if isinstance(value, Named) else value
    encode = what.encode if _has(what, "encode") else what  # type: ignore[attr-defined]
    if not isinstance(name, str) or not name.strip():
        if callable(encode) and not isinstance(encode, type):
            raise UsageError(
                f"encoder {value!r:.60} has no name, and vectors are kept by the name of their encoder: "
                'asof.open(..., encoder=asof.Named("my-model-1", encoder))'
            )
        raise _refusal("encoder", value, ENCODER)
    if what is value and encode is not value and _takes_questions(encode):
        return value  # type: ignore[return-value]
    return Vectors(*_function(Named(name, what), encode, "encoder", ENCODER))


@dataclass(frozen=True, slots=True)
class Called(CompletesReplies):
    """A language model that is a function of a text. It gets the system's words, the schema of the reply if
    that has to be JSON, and the user's words. `cacheable`: whether they are kept (`CachedModel`)."""

    name: str
    function: Callable[[str], Any]
    cacheable: bool = False

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
        """The place of each prompt and its reply, one after another. Raises ModelError, and what the function
        raises."""
        for at, prompt in enumerate(prompts):
            yield at, fitted(prompt, self._ask)

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply, in one piece."""
        yield self._ask(prompt).text

    def _ask(self, prompt: Prompt) -> Reply:
        text = self.function("\n\n".join(filter(None, (instructions(prompt, "object"), prompt.user))))
        if not isinstance(text, str):
            raise ModelError(f"the model {self.name} gave {text!r:.60} ({type(text).__name__}), no text")
        return Reply(
            text, None, "" if text.strip() else "the reply is empty", prompt_tokens(prompt), tokens(text), 1
        )


class Vectors(Struct, frozen=True):
    """An encoder that is a function of a list of texts. Its vectors are brought to unit length."""

    name: str
    function: Callable[[list[str]], Any]

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        """Vectors of unit length. Raises ModelError, and what the function raises."""
        return around_blanks(texts, self._encoded)

    def _encoded(self, texts: list[str]) -> NDArray[np.float32]:
        try:
            vectors = np.asarray(self.function(texts), np.float64)
        except (TypeError, ValueError) as wrong:
            raise ModelError(f"the encoder {self.name} failed, or gave no numbers: {wrong}") from wrong
        if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
            raise ModelError(
                f"the encoder {self.name} gave numbers of the shape {vectors.shape} for {len(texts)} texts; "
                "a vector for each is expected, all as long"
            )
        return unit(vectors, f"the encoder {self.name}")


def _function(value: object, what: object, role: str, accepted: str) -> tuple[str, Callable[..., Any]]:
    """The name and the function of a value, which takes one argument. Raises UsageError."""
    if not callable(what) or isinstance(what, type):
        raise _refusal(role, value, accepted)
    return value.name if isinstance(value, Named) else getattr(what, "__name__", type(what).__name__), what


def _has(value: object, *names: str) -> bool:
    return not isinstance(value, type | str) and all(callable(getattr(value, name, None)) for name in names)


def _takes_questions(encode: Any) -> bool:
    try:
        parameters = inspect.signature(encode).parameters.values()
    except ValueError:
        return False
    return any(each.name == "question" or each.kind is each.VAR_KEYWORD for each in parameters)


def _refusal(role: str, value: object, accepted: str) -> UsageError:
    return UsageError(f"{role} is {value!r:.60} ({type(value).__name__}); accepted: {accepted}")


# -- configuration: `[encoder]` of asof.toml -----------------------------------------------------------

HUB = re.compile(r"\w[\w.-]*/\w[\w.-]*")
"""Names on the Hugging Face hub, with their owner: another word may be a typo, and is not requested."""

_SERVER = ("key_variable", "timeout", "insecure")
ATTEMPTS, PATIENCE = 5, 60.0
"""Attempts of a request, and the longest wait in seconds that a server may ask for."""
_LOCAL = ("revision",)
BATCH = 32


class EncoderConfig(Struct, frozen=True):
    """A model: without a `url` that of a folder (seen from that of asof.toml), or of a name on the Hugging
    Face hub; with one, a model by its name on a server whose address ends before `/embeddings`.

    `batch`: texts at once, by default 1 on this machine (see `LocalEncoder`) and 32 for a server.
    `query_prefix`, `passage_prefix`: in place of those that the model, or the table of `encoders.py`, has.
    `dimensions`: fewer numbers, for models that are made for that (0: all).
    For a server only: `key_variable`, the name of the environment variable that holds the key; `timeout`,
    seconds for an attempt; `insecure`, whether texts may go to another machine over plain http. For a local
    model only: `revision` of a name on the hub.
    """

    model: str
    url: str = ""
    batch: int = 0
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dimensions: int = 0
    key_variable: str = ""
    timeout: float = 60.0
    revision: str = ""
    insecure: bool = False

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> EncoderConfig:
        """The configuration of a table whose keys are accepted. Raises UsageError."""
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
    """The encoder of these settings; a model is loaded, or a server called, with the first text only.

    `root`: the folder that a path is seen from. `environment`: where the key is looked up, by name. Raises
    UsageError when it is not there, and for a model that is neither a folder nor a name.
    """
    shared: dict[str, Any] = {
        "query_prefix": settings.query_prefix, "passage_prefix": settings.passage_prefix,
        "dimensions": settings.dimensions,
    }  # fmt: skip
    if settings.url:
        key = secret(environment, settings.key_variable, shown(settings.url), "encoder")
        retry = Retry(ATTEMPTS, settings.timeout, PATIENCE)
        endpoint = embeddings_endpoint(settings.url, key=key, retry=retry, insecure=settings.insecure)
        return HttpEncoder(endpoint, settings.model, settings.batch or BATCH, **shared)
    model = where(settings.model, root)
    hub = isinstance(model, str)
    return LocalEncoder(model, settings.batch or 1, revision=settings.revision, hub=hub, **shared)


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

TABLE = Table(
    f"A model that makes vectors: none unless named. asof embed changes to it. {TRUST}", {
        "model": Setting(
            text("a folder with a saved model, a name on the hub, or the model's name on a server"),
            "A saved model's folder, a name on the Hugging Face hub, or with url one there. No default.",
            "sentence-transformers/all-MiniLM-L6-v2",
        ),
        "url": Setting(
            text("an address such as http://localhost:11434/v1"),
            "A server's address, which ends before /embeddings. No default: a model on this machine.",
            "http://localhost:11434/v1",
        ),
        "batch": Setting(
            whole(1, 2_048),
            "How many texts go at once. Default: 1 on this machine, 32 for a server.", 32, safe=True,
        ),
        "query_prefix": Setting(
            _PREFIX, "Text put before each question. Default: the model's own.", "query: ", safe=True
        ),
        "passage_prefix": Setting(
            _PREFIX, "Text put before each passage. Default: the model's own.", "passage: ", safe=True
        ),
        "dimensions": Setting(
            whole(1, MAX_DIMENSIONS), "Fewer numbers, for models that are made for that. Default: all.", 256,
            safe=True,
        ),
        "key_variable": Setting(variable(), KEY_VARIABLE, "ENCODER_KEY"),
        "timeout": Setting(
            number(0.1, 3_600, "a number of seconds"), "For a server only: seconds for an attempt.", safe=True
        ),
        "revision": Setting(
            like(r"\w[\w./-]*", "a branch, a tag or a commit"),
            "For a model on this machine only: a branch, a tag or a commit of a name on the hub. No default.",
            "main",
        ),
        "insecure": Setting(boolean(), INSECURE),
    }, EncoderConfig, EncoderConfig.read, frozenset({"url", "model"}),
)  # fmt: skip
"""[encoder] of asof.toml."""
