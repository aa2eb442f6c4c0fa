"""`[model]` of asof.toml: which language model is asked, where, how patiently, and what it costs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from asof.errors import UsageError
from asof.models.attempts import Attempts
from asof.models.metered import Prices
from asof.models.openai_http import OpenAIServer
from asof.models.structured import FORMS

if TYPE_CHECKING:
    from asof.models.chat import Chat

LIMITS = ("max_tokens", "max_completion_tokens")
"""How servers name the most tokens of a reply: the older name, which nearly all know, and OpenAI's newer."""


@dataclass(frozen=True, slots=True)
class Language:
    """A model by its name on a server that speaks as OpenAI's does, whose address `url` ends before
    `/chat/completions`.

    `key_variable`: the name of the environment variable that holds the key. `json`: what the server is told
    of the shape of a reply (`structured.FORMS`). `timeout`: seconds for an attempt, of which there are up to
    `attempts`; a wait that the server asks for is waited up to `patience` seconds; `deadline`: seconds for a
    batch, 0 for no end. `limit`: how the server names the most tokens of a reply. `prices`: US dollars for a
    million tokens of prompts and of replies.
    """

    url: str
    model: str
    key_variable: str = ""
    json: str = "object"
    timeout: float = 60.0
    attempts: int = 3
    concurrency: int = 8
    deadline: float = 0.0
    patience: float = 30.0
    temperature: float = 0.0
    limit: str = "max_tokens"
    prices: Prices | None = None

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Language:
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
        missing = [key for key in ("url", "model") if key not in table]
        if missing:
            raise UsageError(
                f"{' and '.join(missing)} missing: a server's address and a model's name are expected"
            )
        prices = Prices(**table["prices"]) if "prices" in table else None
        made = cls(**{**table, "prices": prices})
        OpenAIServer(made.url)
        return made


def language_from(settings: Language, environment: Mapping[str, str]) -> Chat:
    """The model of these settings; the server is asked with the first prompt only.

    `environment`: where the key is looked up, by name. Raises UsageError when it is not there.
    """
    from asof.models.chat import Chat

    key = None
    if settings.key_variable:
        key = environment.get(settings.key_variable, "").strip()
        if not key:
            raise UsageError(
                f"the environment variable {settings.key_variable} is not set; it should hold the key for "
                f"{OpenAIServer(settings.url).shown} (key_variable in [model])"
            )
    return Chat(
        settings.model, OpenAIServer(settings.url, key), settings.json,
        Attempts(settings.attempts, settings.timeout, settings.patience),
        settings.concurrency, settings.deadline or None,
        temperature=settings.temperature, limit=settings.limit,
    )  # fmt: skip


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _variable(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Z_][A-Z0-9_]*", value) is not None


def _one_of(accepted: tuple[str, ...]) -> Callable[[Any], bool]:
    return lambda value: value in accepted


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _number(low: float, high: float) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
    )


def _prices(value: Any) -> bool:
    return (
        isinstance(value, Mapping) and set(value) == {"prompt", "reply"} and all(map(_price, value.values()))
    )


_price = _number(0, 1_000_000)

_ACCEPTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "url": (_text, "an address such as http://localhost:11434/v1"),
    "model": (_text, "the model's name, as the server knows it,"),
    "key_variable": (_variable, "the name of an environment variable (not the key itself)"),
    "json": (_one_of(FORMS), f"one of {', '.join(FORMS)}"),
    "timeout": (_number(0.1, 3_600), "a number of seconds from 0.1 to 3600"),
    "attempts": (_whole(1, 10), "a whole number from 1 to 10"),
    "concurrency": (_whole(1, 256), "a whole number from 1 to 256"),
    "deadline": (_number(0, 1_000_000), "a number of seconds from 0 (no end) to 1000000"),
    "patience": (_number(0, 3_600), "a number of seconds from 0 to 3600"),
    "temperature": (_number(0, 2), "a number from 0 to 2"),
    "limit": (_one_of(LIMITS), f"one of {', '.join(LIMITS)}"),
    "prices": (_prices, "a table of two numbers, prompt = 0.15 and reply = 0.60 (USD for a million tokens),"),
}
