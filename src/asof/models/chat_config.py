"""`[model]` of asof.toml: which language model is asked, where, how patiently, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from asof.errors import UsageError
from asof.http.retry import Retry
from asof.models.metered import Prices
from asof.models.openai_http import OpenAIServer
from asof.models.structured import FORMS
from asof.schema import AcceptedValue, boolean, check, number, one_of, secret, text, variable, whole

if TYPE_CHECKING:
    from asof.models.chat import ChatModel

LIMITS = ("max_tokens", "max_completion_tokens")
"""How servers name the most tokens of a reply: the older name, which nearly all know, and OpenAI's newer."""


@dataclass(frozen=True, slots=True)
class LanguageModelConfig:
    """A model by its name on a server that speaks as OpenAI's does, whose address `url` ends before
    `/chat/completions`.

    `key_variable`: the name of the environment variable that holds the key. `json`: what the server is told
    of the shape of a reply (`structured.FORMS`). `timeout`: seconds for an attempt, of which there are up to
    `attempts`; a wait that the server asks for is waited up to `patience` seconds; `deadline`: seconds for a
    batch, 0 for no end. `limit`: how the server names the most tokens of a reply. `prices`: US dollars for a
    million tokens of prompts and of replies. `insecure`: whether texts may go to another machine over plain
    http.
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
    insecure: bool = False

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> LanguageModelConfig:
        """The table of a configuration. Raises UsageError: which key, what is accepted."""
        check(table, ACCEPTED)
        missing = [key for key in ("url", "model") if key not in table]
        if missing:
            raise UsageError(
                f"{' and '.join(missing)} missing: a server's address and a model's name are expected"
            )
        prices = Prices(**table["prices"]) if "prices" in table else None
        config = cls(**{**table, "prices": prices})
        OpenAIServer(config.url, insecure=config.insecure)
        return config


def language_from(settings: LanguageModelConfig, environment: Mapping[str, str]) -> ChatModel:
    """The model of these settings; the server is asked with the first prompt only.

    `environment`: where the key is looked up, by name. Raises UsageError when it is not there.
    """
    from asof.models.chat import ChatModel

    server = OpenAIServer(settings.url, insecure=settings.insecure)
    if settings.key_variable:
        server = replace(server, key=secret(environment, settings.key_variable, server.shown, "model"))
    return ChatModel(
        settings.model, server, settings.json,
        Retry(settings.attempts, settings.timeout, settings.patience),
        settings.concurrency, settings.deadline or None,
        temperature=settings.temperature, limit=settings.limit,
    )  # fmt: skip


_PRICE = number(0, 1_000_000)


def _prices(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and set(value) == {"prompt", "reply"}
        and all(map(_PRICE.good, value.values()))
    )


ACCEPTED: dict[str, AcceptedValue] = {
    "url": text("an address such as http://localhost:11434/v1"),
    "model": text("the model's name, as the server knows it,"),
    "key_variable": variable(),
    "json": one_of(*FORMS),
    "timeout": number(0.1, 3_600, "a number of seconds"),
    "attempts": whole(1, 10),
    "concurrency": whole(1, 256),
    "deadline": AcceptedValue(number(0, 1_000_000).good, "a number of seconds from 0 (no end) to 1000000"),
    "patience": number(0, 3_600, "a number of seconds"),
    "temperature": number(0, 2),
    "limit": one_of(*LIMITS),
    "prices": AcceptedValue(
        _prices, "a table of two numbers, prompt = 0.15 and reply = 0.60 (USD for a million tokens),"
    ),
    "insecure": boolean(),
}
