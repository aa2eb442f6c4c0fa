"""The manifests of a corpus in order: which one is the latest, and how another one follows.

Numbers have no gaps: manifest n + 1 is made only where n is the latest, by whoever is first, and manifests
expire from the oldest on, one after another. So the latest is found by asking for single names, without a
listing, which would take a thousand requests for a million manifests: from a number that was seen before,
twice as far at each step, then by halving. If n + 1 was not there and n is there afterwards, n was the
latest: had n + 1 expired, n would have done so before it.
"""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from asof.errors import ManifestExpired, NoCorpus, StorageUnavailable
from asof.storage.manifests import LARGEST_MANIFEST, CorpusManifest
from asof.storage.names import MANIFESTS, manifest_number, manifest_path
from asof.storage.objects import Objects
from asof.time.span import iso

Change = Callable[[CorpusManifest | None], CorpusManifest | None]
"""What is to follow a manifest (None: no manifest yet), its number, name and time aside; None: nothing. It is
asked again with the next one where another commit was first, and may raise."""

_ATTEMPTS = 1000
_PAUSE = 0.005


@dataclass(slots=True)
class History:
    """`clock` gives microseconds since 1970, for the time that a manifest states. Threads may share it."""

    objects: Objects
    clock: Callable[[], int]
    _last: CorpusManifest | None = field(default=None, init=False)

    def latest(self) -> CorpusManifest | None:
        """The manifest that no other follows; None where there is none. Raises StorageUnavailable,
        DamagedObject, NewerSchema."""
        for _ in range(_ATTEMPTS):
            start = self._last.number if self._last else self.oldest()
            if start is None:
                return None
            number = self._climb(start)
            last = self._last
            if last and last.number == number and self.objects.size(manifest_path(number)) is not None:
                return last
            found = self.read(number)
            if found:
                self._last = found
                return found
            self._last = None
        raise StorageUnavailable(f"{self.objects.url}: manifests expire faster than they can be read")

    def read(self, number: int) -> CorpusManifest | None:
        """A manifest; None where it is not there. Raises DamagedObject, NewerSchema."""
        path = manifest_path(number)
        content = self.objects.get(path, LARGEST_MANIFEST)
        return None if content is None else self.parsed(content, path, number)

    def parsed(self, content: bytes, path: str, number: int | None = None) -> CorpusManifest:
        """What an object says; `number`: the one that it has to have."""
        return CorpusManifest.loads(content, f"{self.objects.url}/{path}", number)

    def expired(self, number: int) -> ManifestExpired:
        """The error for a manifest that is not there."""
        latest = self.latest()
        there = f"the latest is {latest.number}" if latest else "there is none yet"
        return ManifestExpired(
            f"{self.objects.url} has no manifest {number}: {there}, and older ones expire; a pin keeps one"
        )

    def commit(self, change: Change) -> CorpusManifest:
        """Make what `change` says the next manifest; without a change, the latest one is returned.

        Raises NoCorpus where there is neither a change nor a manifest.
        """
        token, base = secrets.token_hex(8), self.latest()
        for attempt in range(_ATTEMPTS):
            changed = change(base)
            if changed is None:
                if base is None:
                    raise no_corpus(self.objects.url)
                return base
            number = base.number + 1 if base else 1
            following = replace(changed, number=number, commit=token, written=iso(self.clock()))
            if self._create(following):
                self._last = following
                return following
            time.sleep(random.uniform(0, _PAUSE * min(attempt, 20)))  # noqa: S311
            base = self.read(number) or self.latest()
        raise StorageUnavailable(f"{self.objects.url}: {_ATTEMPTS} other commits were first; try again")

    def _create(self, manifest: CorpusManifest) -> bool:
        """Whether the manifest is there now, by this attempt or by one whose answer was lost."""
        try:
            if self.objects.create(manifest_path(manifest.number), manifest.dumps()):
                return True
        except StorageUnavailable:
            if not self._is_there(manifest):
                raise
            return True
        return self._is_there(manifest)

    def _is_there(self, manifest: CorpusManifest) -> bool:
        there = self.read(manifest.number)
        return there is not None and there.commit == manifest.commit

    def oldest(self) -> int | None:
        """The least number of a manifest that is there; None where there is none."""
        numbers = (manifest_number(each.name) for each in self.objects.names(MANIFESTS))
        return next((number for number in numbers if number is not None), None)

    def _climb(self, start: int) -> int:
        """A number from `start` on whose next one is not there."""
        low, step = start, 1
        while self._exists(low + step):
            low, step = low + step, step * 2
        high = low + step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._exists(middle) else (low, middle)
        return low

    def _exists(self, number: int) -> bool:
        return self.objects.size(manifest_path(number)) is not None


def no_corpus(url: str) -> NoCorpus:
    return NoCorpus(f"no corpus at {url} yet: make one with `asof index SOURCE --index {url} --shards S`")
