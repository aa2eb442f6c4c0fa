"""Bringing a working copy to the state of a manifest.

A shard that changed gets a new folder, with what did not change taken from the present one. When all are
whole, the list of shards names the new ones (`swap.py`); so who has the copy open has one state of all
shards, to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path

from asof.corpus_files import refuse_links
from asof.errors import MissingObject, StaleCopy, UnpushedChanges, UsageError
from asof.storage.carry import carry_derived, carry_facts
from asof.storage.fetch import Fetched, fetch_database, fetch_segments
from asof.storage.history import History, no_corpus
from asof.storage.manifests import CorpusManifest, ShardState
from asof.storage.swap import finish, remove_old, swap
from asof.storage.working_copy import CopiedShard, CopyState, WorkingCopy
from asof.store.shard_layout import ShardLayout, read_layout
from asof.store.store import translate_errors

_ATTEMPTS = 5


@dataclass(slots=True)
class Pull:
    """One pull of these shards (None: all). `discard`: what was written here and not pushed may go; `on_note`
    gets a line for the user.

    `fetched` says afterwards what came from the storage.
    """

    history: History
    copy: WorkingCopy
    shards: Collection[int] | None = None
    discard: bool = False
    on_note: Callable[[str], None] = print
    fetched: Fetched = field(default_factory=Fetched)

    def latest(self) -> CorpusManifest:
        """Bring the copy to the latest manifest, or to a later one where that one expired meanwhile. Raises
        NoCorpus, UnpushedChanges, DamagedObject, StorageUnavailable, Busy, NoSpace."""
        for attempt in range(_ATTEMPTS):
            manifest = self._latest()
            try:
                return self.run(manifest, or_later=True)
            except MissingObject:
                if attempt + 1 == _ATTEMPTS or self._latest().number == manifest.number:
                    raise
        raise AssertionError  # the last attempt returned or raised

    def _latest(self) -> CorpusManifest:
        manifest = self.history.latest()
        if manifest is None:
            raise no_corpus(self.history.objects.url)
        return manifest

    def run(self, manifest: CorpusManifest, *, or_later: bool = False) -> CorpusManifest:
        """Bring the copy to this manifest; see `latest`. `or_later`: to the latest one where the copy was
        pushed, or fetched, as a later one meanwhile."""
        copy = self.copy
        refuse_links(copy.folder)
        with copy.changing(), translate_errors(copy.folder / "storage.json"):
            finish(copy)
            known = copy.state()
            if or_later and known.number > manifest.number:
                manifest = self._latest()
            self._bring(manifest, known)
            remove_old(copy)
        return manifest

    def _bring(self, manifest: CorpusManifest, known: CopyState) -> None:
        copy, wanted = self.copy, self._wanted(manifest)
        before = read_layout(copy.folder) or ShardLayout(())
        present = dict(enumerate(before.paths(copy.folder)))
        here = {each.shard: known.shard(each) for each in wanted}

        def changed() -> dict[int, ShardState]:
            """The shards to be fetched. Raises UnpushedChanges."""
            states = {each.shard: each for each in wanted}
            return {k: each for k, each in states.items() if self._differs(each, here[k], present.get(k))}

        anew = changed()
        layout = copy.layout_for(manifest.count, anew)
        for shard, place in enumerate(layout.paths(copy.folder)):
            if shard in anew:
                self._fetch(anew[shard], present.get(shard), place)
        now = dict(known.shards)
        for state in wanted:
            copied = CopiedShard.of(state, manifest.number) if state.shard in anew else here[state.shard]
            if copied:
                now[state.shard] = replace(copied, number=manifest.number)
        pushing = {shard: each for shard, each in known.pushing.items() if shard not in here}
        state_now = CopyState(known.url, manifest.number, now, pushing)
        if layout != before:
            swap(copy, layout, state_now, _whole(manifest), changed)
        elif state_now != known:
            copy.save(state_now)

    def _fetch(self, state: ShardState, present: Path | None, place: Path) -> None:
        """Make the folder of a shard that changed. `present`: the one that it has now."""
        if state.truth is None:
            return
        objects = self.history.objects
        fetch_database(objects, state.truth, present, place, self.fetched)
        fetch_segments(objects, state.segments, place, self.fetched)
        if present is not None:
            if wrong := carry_facts(present / "corpus.db", place / "corpus.db"):
                self.on_note(
                    f"shard {state.shard} of {objects.url}: the facts that were read on this machine cannot"
                    f" be kept ({wrong}); they are read again when they are asked for"
                )
            carry_derived(present, place)

    def _wanted(self, manifest: CorpusManifest) -> list[ShardState]:
        states = manifest.shards[: manifest.count]
        if self.shards is None:
            return list(states)
        if beyond := [shard for shard in self.shards if not 0 <= shard < manifest.count]:
            raise UsageError(f"no shard {beyond[0]}: {self.history.objects.url} has {manifest.count} shards")
        return [states[shard] for shard in sorted(set(self.shards))]

    def _differs(self, state: ShardState, here: CopiedShard | None, folder: Path | None) -> bool:
        """Whether the shard has to be fetched. Raises UnpushedChanges."""
        if state.truth is None:
            if here:
                raise StaleCopy(
                    f"shard {state.shard} of {self.history.objects.url} is empty in this manifest, and that"
                    f" in {self.copy.root} is not: fetch this manifest into another folder"
                )
            return False
        head = self.copy.head(folder) if folder else None
        if head is None:
            return True
        if here and here.truth == state.truth.chunks and head >= here.head:
            return self.discard and head > here.head
        if head > (here.head if here else state.head) and not self.discard:
            raise UnpushedChanges(
                f"shard {state.shard} in {self.copy.root} has changes that {self.history.objects.url} does"
                " not have, and another writer has changed it there since: discard those here to fetch it,"
                " and index the sources again"
            )
        return True


def _whole(manifest: CorpusManifest) -> int:
    """Up to which instant all shards have all that was written."""
    heads = [state.head for state in manifest.shards[: manifest.count]]
    return max(heads) if manifest.whole is None or manifest.count == 1 else manifest.whole
