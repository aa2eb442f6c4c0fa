"""Models and encoders given as Python objects or functions, with their names; `[encoder]` of asof.toml."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.errors import ModelError, UsageError
from asof.models.encoders import around_blanks, unit
from asof.models.metered import prompt_tokens, tokens
from asof.models.ports import CompletesReplies, Encoder, Model, Prompt, Reply, fitted, instructions

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
