"""A storage that counts what is asked of it, and shards that count what is sent between them and the root."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import IO, Any

from asof.cluster.conversation import Call, FromShard, Given
from asof.cluster.program import SearchRequest
from asof.cluster.shards import Shards, Talk
from asof.storage.objects import LARGEST_SMALL, Listed, Objects


@dataclass(slots=True)
class CountedObjects:
    """Requests by kind, and bytes read: `GET` also for a part of an object, `LIST` for a thousand names."""

    inner: Objects
    requests: Counter[str] = field(default_factory=Counter)
    read_bytes: int = 0

    @property
    def url(self) -> str:
        return self.inner.url

    def get(self, name: str, largest: int = LARGEST_SMALL) -> bytes | None:
        return self._got(self.inner.get(name, largest))

    def read(self, name: str, first: int, last: int) -> bytes | None:
        return self._got(self.inner.read(name, first, last))

    def create(self, name: str, content: bytes) -> bool:
        self.requests["PUT"] += 1
        return self.inner.create(name, content)

    def put(self, name: str, content: bytes | IO[bytes]) -> None:
        self.requests["PUT"] += 1
        self.inner.put(name, content)

    def names(self, folder: str, after: str = "") -> Iterator[Listed]:
        for at, listed in enumerate(self.inner.names(folder, after)):
            self.requests["LIST"] += at % 1000 == 0
            yield listed

    def delete(self, names: Iterable[str]) -> None:
        self.inner.delete(names)

    def size(self, name: str) -> int | None:
        self.requests["HEAD"] += 1
        return self.inner.size(name)

    def _got(self, content: bytes | None) -> bytes | None:
        self.requests["GET"] += 1
        self.read_bytes += len(content or b"")
        return content


@dataclass(slots=True)
class Messages:
    """What one question cost between the shards and the root: round trips, and bytes as pickled messages,
    from all shards and to all of them."""

    rounds: int = 0
    up: int = 0
    down: int = 0


@dataclass(slots=True)
class CountedShards:
    """Shards whose messages are counted in `messages`: those that actors would send."""

    inner: Shards
    messages: Messages = field(default_factory=Messages)

    @property
    def count(self) -> int:
        return self.inner.count

    def begin(self, request: SearchRequest) -> Talk:
        request = replace(request, ahead=True)
        self.messages.down += len(pickle.dumps(request)) * self.count
        return _CountedTalk(self.inner.begin(request), self)


@dataclass(slots=True)
class _CountedTalk:
    inner: Talk
    shards: CountedShards

    @property
    def count(self) -> int:
        return self.inner.count

    def receive(self) -> list[FromShard]:
        replies = self.inner.receive()
        messages = self.shards.messages
        messages.rounds += 1
        for reply in replies:
            messages.up += len(pickle.dumps(reply.value if isinstance(reply, Given) else reply))
        return replies

    def gathered(self, values: list[list[Any]]) -> None:
        self.shards.messages.down += len(pickle.dumps(values)) * self.shards.count
        self.inner.gathered(values)

    def call(self, calls: Mapping[int, Call]) -> dict[int, Any]:
        answers = self.inner.call(calls)
        messages = self.shards.messages
        messages.rounds += 1
        messages.down += sum(len(pickle.dumps(call)) for call in calls.values())
        messages.up += sum(len(pickle.dumps(answer)) for answer in answers.values())
        return answers

    def close(self) -> None:
        self.inner.close()
