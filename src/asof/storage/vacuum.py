"""Removing what no manifest needs: expired manifests, objects that nothing names, what killed writers left.

Why nothing goes that is needed, whatever others do meanwhile. A commit names objects of the manifest before
it (for each shard, unless that shard's own writer replaced them) and objects that its push made itself,
which are younger than the grace, or than the sign that the push gives while it is at work. So: manifests are
removed first; then the objects that are old enough are listed; then all manifests are read, and after them
the pins (`pins.py`); what is listed and not named in these can be named by no later commit.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise

from asof.errors import MissingObject, StorageError, UsageError
from asof.storage.chunks import read_list
from asof.storage.history import History
from asof.storage.local import PASSING
from asof.storage.manifests import CorpusManifest
from asof.storage.names import (
    CLOCK,
    MANIFESTS,
    OBJECTS,
    PUSHING,
    manifest_number,
    manifest_path,
    pin_path,
)
from asof.storage.objects import Listed, Objects
from asof.storage.pins import pinned
from asof.storage.upload import SHORTEST_GRACE, lease_seconds

SECOND = 1_000_000
THREADS = 16
GRACE = timedelta(days=1)
KEEP = 100
KEEP_FOR = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class VacuumReport:
    """What was removed: numbers of manifests, names of pins, how many objects and of how many bytes; and how
    many objects that nothing names are kept, because a push may be about to name them."""

    manifests: tuple[int, ...] = ()
    pins: tuple[str, ...] = ()
    objects: int = 0
    bytes: int = 0
    young: int = 0


@dataclass(slots=True)
class Vacuum:
    """One vacuum of a storage. `grace`: how long what nothing names is kept."""

    history: History
    grace: timedelta = GRACE

    @property
    def objects(self) -> Objects:
        return self.history.objects

    def run(self, keep: int = KEEP, keep_for: timedelta = KEEP_FOR) -> VacuumReport:
        """Let all manifests expire but the last `keep` and those that were the latest within `keep_for`; then
        remove what is needed no more. Raises UsageError for a grace that a push may outlast."""
        if self.grace.total_seconds() < SHORTEST_GRACE:
            raise UsageError(
                f"a grace of {self.grace} is too short: a push may be about to name what is younger; give 1"
                " hour or more"
            )
        if keep < 1:
            raise UsageError(
                f"keep is {keep}; accepted: 1 or more, because the latest manifest is always kept"
            )
        now = self._now()
        listed = [each for each in self.objects.names(MANIFESTS) if _numbered(each)]
        horizon = now - _microseconds(max(keep_for, self.grace))
        expired: list[int] = []
        for each, following in pairwise(listed[: 1 - keep or None]):
            if following.modified >= horizon:
                break
            expired.append(_numbered(each) or 0)
        self.objects.delete(map(manifest_path, expired))  # from the oldest on
        return self._sweep(now, expired)

    def expire_before(self, number: int) -> VacuumReport:
        """Remove all manifests before this one, with the pins that hold any of them, and at once the objects
        that only they name: what a purge has erased since. Raises ManifestExpired."""
        if self.history.read(number) is None:
            raise self.history.expired(number)
        now, condemned, lists = self._now(), set[str](), set[str]()
        old = [each for each in map(_numbered, self.objects.names(MANIFESTS)) if each and each < number]
        for each in old:
            manifest = self.history.read(each)
            if manifest:
                condemned.update(self._condemned(manifest, lists))
        self.objects.delete(map(manifest_path, old))  # from the oldest on
        pins = [(name, manifest) for name, manifest in pinned(self.history) if manifest.number < number]
        for name, manifest in pins:
            condemned.update(self._condemned(manifest, lists))
            self.objects.delete([pin_path(name)])
        return replace(self._sweep(now, old, condemned), pins=tuple(name for name, _ in pins))

    # -- objects --------------------------------------------------------------------------------------

    def _sweep(
        self, now: int, expired: Sequence[int], condemned: AbstractSet[str] = frozenset()
    ) -> VacuumReport:
        """Remove what nothing names and is old enough, or condemned."""
        old_enough = self._old_enough(now)
        listed = list(self.objects.names(OBJECTS))
        needed = self._needed()
        unnamed = [each for each in listed if _object_name(each) not in needed]
        gone = [each for each in unnamed if each.modified < old_enough or _object_name(each) in condemned]
        self._remove([each.name for each in gone])
        self._remove([each.name for each in self._left_behind(now)])
        size = sum(each.bytes for each in gone)
        return VacuumReport(tuple(expired), (), len(gone), size, len(unnamed) - len(gone))

    def _remove(self, names: Sequence[str]) -> None:
        """Remove objects that nobody names, in any order."""
        with ThreadPoolExecutor(THREADS) as pool:
            for _ in pool.map(lambda name: self.objects.delete([name]), names):
                pass

    def _old_enough(self, now: int) -> int:
        """Objects that were put before this moment are not those of a push that is at work."""
        moment = alive = now - _microseconds(self.grace)
        for each in self.objects.names(PUSHING):
            if each.modified >= alive:
                seconds = lease_seconds(self.objects.get(each.name, 1 << 16))
                moment = min(moment, each.modified - round((seconds + 60) * SECOND))
        return moment

    def _left_behind(self, now: int) -> Iterator[Listed]:
        """What pushes and vacuums that were killed left beside objects."""
        for folder in (PUSHING, PASSING, CLOCK):
            for each in self.objects.names(folder):
                if each.modified < now - _microseconds(self.grace):
                    yield each

    def _needed(self) -> set[str]:
        """The objects that the manifests and then the pins name."""
        needed: set[str] = set()
        for number in [manifest_number(each.name) for each in self.objects.names(MANIFESTS)]:
            manifest = None if number is None else self.history.read(number)
            if manifest is not None:
                try:
                    self._add(manifest, needed)
                except MissingObject:  # it expired in another vacuum just now
                    if self.history.read(manifest.number) is not None:
                        raise
        for _, manifest in pinned(self.history):
            self._add(manifest, needed)
        return needed

    def _add(self, manifest: CorpusManifest, needed: set[str]) -> None:
        for state in manifest.shards:
            if state.truth and state.truth.chunks not in needed:
                needed.update(read_list(self.objects, state.truth))
            needed.update(state.objects)

    def _condemned(self, manifest: CorpusManifest, lists: set[str]) -> Iterator[str]:
        """The objects that a manifest names, those of lists that were seen before left out."""
        for state in manifest.shards:
            if state.truth and state.truth.chunks not in lists:
                lists.add(state.truth.chunks)
                with suppress(MissingObject):
                    yield from read_list(self.objects, state.truth)
            yield from state.objects

    def _now(self) -> int:
        """The time by the clock of the storage, by which it says when objects were put."""
        probe = f"{CLOCK}/{secrets.token_hex(8)}"
        self.objects.put(probe, b"")
        try:
            found = [each.modified for each in self.objects.names(CLOCK) if each.name == probe]
        finally:
            self.objects.delete([probe])
        if not found:
            raise StorageError(f"{self.objects.url} does not list what was put just now: nothing was removed")
        return found[0]


def _numbered(each: Listed) -> int | None:
    return manifest_number(each.name)


def _object_name(each: Listed) -> str:
    return each.name.rpartition("/")[2]


def _microseconds(span: timedelta) -> int:
    return span // timedelta(microseconds=1)
