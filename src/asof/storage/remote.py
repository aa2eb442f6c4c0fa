"""Objects in a bucket (S3, Google, Azure), through the library obstore, which is loaded when one is opened.

Keys, region and endpoint are what obstore reads from the environment (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL,
…); nothing of a corpus names them. obstore repeats a request that was answered with 5xx or not at all.
What it leaves is done here: a body that was cut is found by its length and read again, and all attempts
together end by a deadline. Where no connection was ever made, that comes soon: an address is mistyped more
often than a storage starts later than who asks it.
"""

from __future__ import annotations

import importlib
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import IO, Any, TypeVar

from asof.errors import DamagedObject, MissingExtra, StorageError, StorageUnavailable
from asof.storage.objects import LARGEST_SMALL, Listed

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds for which an operation is tried again. One request is given up after the 30 s of obstore:
options of its client are not set here, because those would take the place of AWS_ALLOW_HTTP."""

FIRST_PATIENCE = 8.0
"""Seconds for which it is tried to make the first connection."""

VARIABLES = {
    "s3": "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_SERVICE_ACCOUNT, the file of an account's key",
    "az": "AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN or an identity",
}
"""The variables that say how a bucket is reached, by the scheme of its URL."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_REFUSED = re.compile(r"status code: (4\d\d)(.*?):")
_UNREACHED = "kind: Connect,"
"""In an error of the library: the name is not known, or nothing listens there, or not in time."""
_PEER = re.compile(r"performing \w+ (\w+://[^/\s]+)")
_CAUSE = re.compile(r'(?:message|error): "([^"]+)"')
_PASSES = ("408", "409", "425", "429")
"""Answers to a request that may be made again: too slow, another one at the same moment, too many."""

_AT_ONCE = 1000
"""Names of one request that lists or removes."""


class _Cut(Exception):
    """A body that ended too early: it is asked for again, as after an error of the library."""


@dataclass(frozen=True, slots=True)
class RemoteObjects:
    """Objects below a URL of a bucket. `patience`: seconds for which an operation is tried again; `first`: a
    store that gives up soon, for use until the storage was reached."""

    url: str
    library: Any
    first: Any
    lasting: Any
    patience: float = PATIENCE
    _reached: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def open(cls, url: str, patience: float = PATIENCE) -> RemoteObjects:
        """Raises MissingExtra without obstore, StorageError for a URL or variables that it cannot use."""
        library, stores = _library("obstore", url), _library("obstore.store", url)
        try:
            first, lasting = (
                stores.from_url(url, retry_config=_retrying(times, seconds))
                for times, seconds in ((1, FIRST_PATIENCE / 4), (8, patience / 2))
            )
        except (library.exceptions.BaseError, ValueError) as error:
            raise StorageError(
                f"{url} cannot be opened: {_short(error)}; how to reach it comes from the environment"
                f" ({VARIABLES.get(url.partition(':')[0], 'see docs/guides/cluster.md')})"
            ) from error
        return cls(url.rstrip("/"), library, first, lasting, patience)

    @property
    def store(self) -> Any:
        """The store of the library."""
        return self.lasting if self._reached.is_set() else self.first

    def get(self, name: str, largest: int = LARGEST_SMALL) -> bytes | None:
        def once() -> bytes:
            answer = self.library.get(self.store, name)
            size = int(answer.meta["size"])
            if size > largest:
                raise DamagedObject(
                    f"{self.url}/{name} is larger than the {largest:,} bytes that it may have"
                )
            return _whole(answer.bytes(), size)

        return self._again(name, "read", once, missing=None)

    def read(self, name: str, first: int, last: int) -> bytes | None:
        def once() -> bytes:
            if first == last:
                return b""
            return _whole(self.library.get_range(self.store, name, start=first, end=last), last - first)

        size = self.size(name)
        if size is not None and size < last:
            raise DamagedObject(f"{self.url}/{name} ends before byte {last:,}")
        return None if size is None else self._again(name, "read", once, missing=None)

    def create(self, name: str, content: bytes) -> bool:
        def once() -> bool:
            try:
                self.library.put(self.store, name, content, mode="create", use_multipart=False)
            except (self.library.exceptions.AlreadyExistsError, self.library.exceptions.PreconditionError):
                return False
            return True

        return bool(self._again(name, "written", once))

    def put(self, name: str, content: bytes | IO[bytes]) -> None:
        def once() -> None:
            if not isinstance(content, bytes):
                content.seek(0)
            self.library.put(self.store, name, content)

        self._again(name, "written", once)

    def names(self, folder: str, after: str = "") -> Iterator[Listed]:
        pages: Iterator[Any] | None = None

        def once() -> list[Listed]:
            """The next page; after an error, the listing is begun anew after the last name that was seen."""
            nonlocal pages
            if pages is None:
                pages = iter(self.library.list(self.store, folder, offset=after or None, chunk_size=_AT_ONCE))
            try:
                return sorted(map(_listed, next(pages, [])))
            except self.library.exceptions.BaseError:
                pages = None
                raise

        while page := self._again(folder, "listed", once):
            yield from page
            after = page[-1].name

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            self._again(name, "removed", partial(self.library.delete, self.store, name), missing=None)

    def size(self, name: str) -> int | None:
        return self._again(
            name, "read", lambda: int(self.library.head(self.store, name)["size"]), missing=None
        )

    def _again(
        self, name: str, verb: str, once: Callable[[], T], missing: Any = StorageUnavailable
    ) -> T | None:
        """What `once` gives, tried until it does or the time is over; `missing`: for none."""
        wrong = self.library.exceptions
        begun, pause = time.monotonic(), _FIRST_PAUSE
        while True:
            try:
                answer = once()
            except FileNotFoundError as error:
                self._reached.set()
                if missing is None:
                    return None
                raise StorageError(f"{self.url}: there is no such bucket ({_short(error)})") from error
            except (wrong.PermissionDeniedError, wrong.UnauthenticatedError) as error:
                raise StorageError(
                    f"{self.url}/{name} may not be {verb} with the keys of the environment: {_short(error)}"
                ) from error
            except (wrong.BaseError, _Cut, OSError) as error:
                refused = _REFUSED.search(str(error))
                if refused and refused[1] not in _PASSES:
                    raise StorageError(
                        f"{self.url}/{name} was not {verb}: the storage answers {refused[1]}{refused[2]};"
                        f" look at the bucket's name and at what the environment says of it"
                        f" ({VARIABLES.get(self.url.partition(':')[0], 'keys, region')})"
                    ) from error
                if _UNREACHED not in str(error):
                    self._reached.set()
                ends = time.monotonic() + pause
                if not self._reached.is_set() and ends > begun + FIRST_PATIENCE:
                    raise self._unreached(str(error)) from error
                if ends > begun + self.patience:
                    raise StorageUnavailable(
                        f"{self.url}/{name} was not {verb} within {self.patience:g} s: {_short(error)}; "
                        "nothing is lost or half done: run the same command again when the storage answers"
                    ) from error
            else:
                self._reached.set()
                return answer
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _unreached(self, wrong: str) -> StorageUnavailable:
        peer, cause = _PEER.search(wrong), _CAUSE.findall(wrong)
        return StorageUnavailable(
            f"{self.url} was not reached: no connection to {peer[1] if peer else 'its server'} within"
            f" {FIRST_PATIENCE:g} s ({cause[-1] if cause else 'no answer'}); look at the network, and at what"
            f" the environment says ({VARIABLES.get(self.url.partition(':')[0], 'keys, region')})"
        )


def _retrying(times: int, seconds: float) -> dict[str, Any]:
    """How the library repeats a request."""
    return {
        "max_retries": times,
        "retry_timeout": timedelta(seconds=seconds),
        "backoff": {
            "init_backoff": timedelta(seconds=_FIRST_PAUSE),
            "max_backoff": timedelta(seconds=_LONGEST_PAUSE),
            "base": 2,
        },
    }


def _listed(about: Any) -> Listed:
    return Listed(about["path"], about["size"], round(about["last_modified"].timestamp() * 1_000_000))


def _whole(content: Any, size: int) -> bytes:
    body = bytes(content)
    if len(body) != size:
        raise _Cut(f"the connection was cut after {len(body):,} of {size:,} bytes")
    return body


def _library(module: str, url: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(f"a corpus at {url} needs obstore: pip install 'asof[cloud]'") from error


def _short(error: BaseException) -> str:
    """The first line of a message of the library, whose further lines are its own structures."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
