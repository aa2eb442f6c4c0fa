"""A server that answers JSON with JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

from asof.errors import ModelError, UsageError
from asof.http import address
from asof.http.connection import one_line, retry_after
from asof.http.retry import GaveUp, Retry, RetryLater
from asof.http.transport import ResponseTooLarge, Unreachable, send

_REMEDIES = {
    401: "check the key",
    403: "check the key",
    404: "check the address and the model's name",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An http or https address that is sent JSON by POST, with `key` as a bearer token if there is one.

    `retry`: how often a server is asked that is busy (429), at fault (5xx), silent or gone. `largest`: bytes
    of an answer. `remedies`: what to do about an answer, by its status. Redirects are not followed: the key
    is for this address only. Over plain http only this machine is asked, unless it is `insecure`. Raises
    UsageError for an address or a key that cannot be used.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    retry: Retry = field(default_factory=lambda: Retry(timeout=10.0))
    largest: int = 8_000_000
    insecure: bool = False
    remedies: Mapping[int, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        address.check_address(self.url, insecure=self.insecure)
        check_key(self.key, self.url)

    @property
    def shown(self) -> str:
        """The address without what may be secret in it."""
        return address.shown(self.url)

    def post(self, body: Mapping[str, Any]) -> Any:
        """The server's answer to `body`, both JSON. Raises ModelError with the address and what is wrong."""
        data = json.dumps(body).encode()
        try:
            answer = self.retry.run(partial(self._once, data))
        except (GaveUp, Unreachable) as error:
            self.refuse(str(error), cause=error)
        except ResponseTooLarge as error:
            self.refuse(f"{error}; is this the right address?", cause=error)
        try:
            return json.loads(answer, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            text = self._without_key(answer.decode("utf-8", "replace"))
            self.refuse(f"the answer is not JSON: {text!r}", cause=error)

    def refuse(self, reason: str, *, cause: BaseException | None = None) -> NoReturn:
        """Raise ModelError about this server."""
        raise ModelError(f"{self.shown}: {reason}") from cause

    def _once(self, data: bytes, timeout: float) -> bytes:
        """The bytes of an answer with status 200. Raises RetryLater, ModelError, and what `send` raises."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "asof"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        response = send("POST", self.url, headers, timeout, body=data, largest=self.largest)
        status = response.status
        if status == 200:
            return response.body
        if (location := response.location) is not None:
            target = self._without_key(location)
            self.refuse(f"it redirects to {target!r}, which is not followed; set the right address as url")
        message = self._without_key(response.body.decode("utf-8", "replace"))
        reason = f"status {status}" + (f", {message!r}" if message else "")
        if response.may_pass:
            raise RetryLater(reason, retry_after(response.headers))
        remedy = self.remedies.get(status) or _REMEDIES.get(status)
        return self.refuse(reason + (f"; {remedy}" if remedy else ""))

    def _without_key(self, message: str) -> str:
        """A server's own words as part of a message: without the key, on one line, not long."""
        return one_line(message.replace(self.key, "(the key)") if self.key else message)


def check_key(key: str | None, url: str) -> None:
    """Raises UsageError for a key that cannot be sent as a bearer token."""
    if key is not None and not re.fullmatch(r"[!-~]+", key):
        raise UsageError(f"the key for {address.shown(url)} is empty, or has characters that no key has")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
