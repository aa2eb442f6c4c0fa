"""A corpus at a URL: its commits, its working copies, its writers, and what may be removed of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from asof.errors import UsageError
from asof.storage import backup, pins
from asof.storage.address import normal, open_objects
from asof.storage.history import History, no_corpus
from asof.storage.manifests import CorpusManifest, ShardState
from asof.storage.objects import Objects
from asof.storage.pull import Pull
from asof.storage.push import Push
from asof.storage.swap import reading
from asof.storage.vacuum import GRACE, KEEP, KEEP_FOR, Vacuum, VacuumReport
from asof.storage.working_copy import WorkingCopy
from asof.store.shard_layout import MOST_SHARDS, checked_count
from asof.store.store import DEFAULT_WAIT
from asof.time.span import iso


@dataclass(frozen=True, slots=True)
class Storage:
    """The storage of a corpus. `on_note` is called with a line for the user; `wait`: how many seconds to wait
    for another process that uses the same working copy. Threads may share it.

    Every method may raise StorageUnavailable, DamagedObject, NewerSchema, and StorageError where a right is
    missing.
    """

    history: History
    on_note: Callable[[str], None] = print
    wait: float = DEFAULT_WAIT

    @classmethod
    def open(
        cls,
        url: str,
        clock: Callable[[], int],
        on_note: Callable[[str], None] = print,
        wait: float = DEFAULT_WAIT,
    ) -> Storage:
        """The storage at `url`: a folder, file://, s3://, gs:// or az://. Nothing is asked of it yet.

        `clock`: microseconds since 1970, for what manifests say of their time (`environment.now`). Raises
        UsageError, MissingExtra.
        """
        return cls(History(open_objects(url), clock), on_note, wait)

    @property
    def url(self) -> str:
        return self.objects.url

    @property
    def objects(self) -> Objects:
        return self.history.objects

    # -- commits ---------------------------------------------------------------------------------------

    def create(self, count: int) -> CorpusManifest:
        """Make a corpus of so many empty shards, or take the one that is there.

        Raises UsageError where it has another number of shards.
        """
        checked_count(count)

        def change(latest: CorpusManifest | None) -> CorpusManifest | None:
            if latest is None:
                return CorpusManifest(0, "", "", count, tuple(map(ShardState, range(count))))
            if latest.count != count:
                raise UsageError(
                    f"the corpus at {self.url} has {latest.count} shard{'s' * (latest.count > 1)}, not"
                    f" {count}: leave out how many; `asof cluster grow --shards N` makes more"
                )
            return None

        return self.history.commit(change)

    def latest(self) -> CorpusManifest | None:
        """The last commit; None where there is no corpus yet."""
        return self.history.latest()

    def manifest(self, number: int) -> CorpusManifest:
        """A commit that is kept, or that a pin holds. Raises ManifestExpired."""
        return pins.find(self.history, number)

    def oldest(self) -> int:
        """The number of the oldest commit that is kept. Raises NoCorpus."""
        number = self.history.oldest()
        if number is None:
            raise no_corpus(self.url)
        return number

    # -- writers ---------------------------------------------------------------------------------------

    def claim(self, shard: int, writer: str) -> int:
        """A new epoch of a shard; see `claim_shards`."""
        return self.claim_shards([shard], writer)[shard]

    def claim_shards(
        self, shards: Iterable[int], writer: str, ended: Callable[[str], bool] = lambda _: False
    ) -> dict[int, int]:
        """A new epoch of each of these shards, in which `writer` (words for people) may push, and nobody else
        any more; all in one commit, so that of two who claim the same shards one gets all of them. A note
        says whose place it takes, but for writers that have `ended`.

        Shards that follow the last one may be claimed, too, when the corpus is about to grow: they become
        part of it with the push of a working copy that has them. Raises NoCorpus, UsageError.
        """
        wanted, replaced = sorted(set(shards)), list[ShardState]()

        def change(latest: CorpusManifest | None) -> CorpusManifest:
            if latest is None:
                raise no_corpus(self.url)
            replaced.clear()
            claimed, claimed_at = latest, iso(self.history.clock())
            for shard in wanted:
                if not 0 <= shard <= min(len(claimed.shards), MOST_SHARDS - 1):
                    raise UsageError(
                        f"no shard {shard} at {self.url}: it has {len(claimed.shards)}, of which the first"
                        " is 0"
                    )
                state = claimed.shard(shard) or ShardState(shard)
                replaced.append(state)
                state = replace(state, epoch=state.epoch + 1, writer=writer, claimed=claimed_at)
                claimed = claimed.with_shards(state)
            return replace(claimed, origin="")

        if wanted:
            self.history.commit(change)
        if before := [state for state in replaced if state.epoch and not ended(state.writer)]:
            writers = " and ".join(sorted({state.writer for state in before}))
            self.on_note(
                f"{self.url} has one writer at a time: {writer} takes the place of {writers}. If that one is"
                " still at work, its next push ends with an error; if it has ended, nothing needs to be done"
            )
        return {state.shard: state.epoch + 1 for state in replaced}

    def push(self, root: Path, epochs: Mapping[int, int]) -> CorpusManifest:
        """Upload what is new in these shards of the working copy in `root`, then commit all of them at once.

        Readers and writers of the copy go on meanwhile. What is committed is one state of each shard; shards
        that are written to together are to be pushed between such writes. Raises Fenced, StaleCopy, Busy,
        CorpusError; nothing is committed then. After StorageUnavailable it may have been: the next push or
        pull of the same working copy finds that out.
        """
        return Push(self.history, self._copy(root), dict(epochs)).run()

    # -- working copies ----------------------------------------------------------------------------------

    def pull(
        self, root: Path, number: int | None = None, *, shards: Collection[int] | None = None,
        discard: bool = False,
    ) -> CorpusManifest:  # fmt: skip
        """Bring the working copy in `root` to a manifest (None: the latest); only what changed is fetched.

        `shards`: those that are wanted, None: all. A shard with changes that were not pushed stays as it is
        while the storage has what they were made on; else they are lost if `discard`, or UnpushedChanges is
        raised. Who has the old files open goes on with them, and reads the new ones after opening again.
        Raises NoCorpus, ManifestExpired, Busy, NoSpace, CorpusError; the copy is then what it was.
        """
        pull = Pull(self.history, self._copy(root), shards, discard, self.on_note)
        return pull.latest() if number is None else pull.run(self.manifest(number))

    def copied(self, root: Path) -> int:
        """The number of the manifest that the working copy in `root` was last brought to or pushed as; 0:
        none. How far it is behind is the difference to that of `latest`. Raises StaleCopy for that of
        another corpus."""
        return self._copy(root).state().number

    def reading(self, root: Path) -> AbstractContextManager[None]:
        """Held while the shards of a working copy are opened and their transactions begin, so that all of
        them are of one manifest: no pull replaces files then, and one that was killed is finished first."""
        return reading(self._copy(root))

    def _copy(self, root: Path) -> WorkingCopy:
        return WorkingCopy(root, self.url, self.wait)

    # -- keeping and removing ----------------------------------------------------------------------------

    def pin(self, name: str, number: int | None = None) -> CorpusManifest:
        """Keep a manifest (None: the latest) under a name until it is unpinned. Raises UsageError for a name
        that another manifest has, ManifestExpired."""
        return pins.pin(self.history, name, number)

    def unpin(self, name: str) -> bool:
        """Let a pinned manifest expire again; whether there was such a pin."""
        return pins.unpin(self.history, name)

    def pins(self) -> dict[str, int]:
        """The numbers of the manifests that are pinned, by the names of the pins."""
        return {name: manifest.number for name, manifest in pins.pinned(self.history)}

    def vacuum(
        self, grace: timedelta = GRACE, keep: int = KEEP, keep_for: timedelta = KEEP_FOR
    ) -> VacuumReport:
        """Let all manifests expire but the last `keep`, those that were the latest within `keep_for`, and
        those that are pinned; then remove the objects that nothing names and that are older than `grace`."""
        return Vacuum(self.history, grace).run(keep, keep_for)

    def expire_before(self, number: int) -> VacuumReport:
        """After a purge was pushed as this manifest: remove all earlier ones, the pins that hold any of
        them, and at once what only they name. Copies elsewhere, working copies too, have it until they are
        brought up to date. Raises ManifestExpired."""
        return Vacuum(self.history).expire_before(number)

    def backup(self, url: str, number: int | None = None, *, over: bool = False) -> backup.BackupReport:
        """Copy the corpus at a manifest (None: the latest) to another URL; see `backup.backup`."""
        if normal(url) == self.url:
            raise UsageError(f"{url} is the corpus itself: restore makes an earlier manifest the latest one")
        target = History(open_objects(url), self.history.clock)
        return backup.backup(self.history, target, number, over=over)

    def restore(self, number: int) -> CorpusManifest:
        """Make an earlier state the latest one, as a new manifest; all writers are fenced. Raises
        ManifestExpired."""
        return backup.restore(self.history, number)
