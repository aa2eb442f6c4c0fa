"""`[arxiv]` of asof.toml: where arXiv is asked, and how patiently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlsplit

from asof.errors import UsageError
from asof.http.address import in_domain, is_loopback
from asof.http.fetcher import Fetcher
from asof.http.retry import Retry
from asof.schema import AcceptedValue, check, number, whole

MIN_DELAY = 3.0
"""Seconds between two requests that arXiv asks of every client."""

MAX_PER_DAY = 2_000
DOMAIN = "arxiv.org"


@dataclass(frozen=True, slots=True)
class ArxivSettings:
    """`url`: the address of the API; `pdf_url`: what an id is put behind to get its PDF.

    `delay`: seconds between two requests, at least 3 where arXiv itself is asked. `attempts` of `timeout`
    seconds each are made where it is busy or at fault, with waits that double; a wait that it asks for is
    waited up to `patience` seconds. `per_day`: only so many of the newest papers of a day; 0 for all.
    """

    url: str = "https://export.arxiv.org/api/query"
    pdf_url: str = "https://arxiv.org/pdf"
    delay: float = MIN_DELAY
    attempts: int = 6
    timeout: float = 60.0
    patience: float = 300.0
    per_day: int = 0

    ABOUT: ClassVar = (
        "Where arXiv is asked, and how patiently. What names an address counts after asof trust, or in your "
        "own configuration."
    )
    WORDS: ClassVar[Mapping[str, str]] = {
        "url": "The address of the API.", "pdf_url": "What an id is put behind to get its PDF.",
        "delay": "Seconds between two requests; arXiv wants 3 or more.",
        "attempts": "How many attempts where it is busy.", "timeout": "Seconds for an attempt.",
        "patience": "The longest wait in seconds that it may ask for.",
        "per_day": "Only so many of the newest papers of a day; 0: all.",
    }  # fmt: skip

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> ArxivSettings:
        """The table of a configuration. Raises UsageError: which key, what is accepted."""
        check(table, ACCEPTED)
        settings = cls(**table)
        if settings.delay < MIN_DELAY and any(
            in_domain(host(url), DOMAIN) for url in (settings.url, settings.pdf_url)
        ):
            raise UsageError(f"delay = {settings.delay:g}: arXiv asks for {MIN_DELAY:g} seconds or more")
        return settings

    def fetcher(self) -> Fetcher:
        """What asks arXiv, as patiently as this says; each wait is at least half of what it may be."""
        retry = Retry(self.attempts, self.timeout, self.patience, first_wait=self.delay, jitter=0.5)
        return Fetcher(self.delay, retry, DOMAIN, "[arxiv] of asof.toml")


def host(url: str) -> str:
    """The host of an address, in lower case."""
    return (urlsplit(url).hostname or "").lower()


def safe(url: str) -> bool:
    """Whether an address is https, or http on this machine, and names neither a user nor a query."""
    try:
        parts = urlsplit(url)
        named, _ = parts.hostname or "", parts.port
    except ValueError:  # a port or an IPv6 address that is none
        return False
    if not named or "@" in parts.netloc or parts.query or parts.fragment:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(named))


_ADDRESS = AcceptedValue(
    lambda value: isinstance(value, str) and value.isascii() and value.isprintable() and safe(value),
    "an https address without a query (http on this machine)", shown=False,
)  # fmt: skip
ACCEPTED: dict[str, AcceptedValue] = {
    "url": _ADDRESS,
    "pdf_url": _ADDRESS,
    "delay": number(0, 3_600, "a number of seconds"),
    "attempts": whole(1, 20),
    "timeout": number(0.1, 3_600, "a number of seconds"),
    "patience": number(0, 86_400, "a number of seconds"),
    "per_day": whole(0, MAX_PER_DAY),
}
