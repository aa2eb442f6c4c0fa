"""A history in one corpus, and the same history in several, each of which has the documents of a shard.

What happens to a document happens in its shard alone, at the same instant as in the one corpus. Numbers of
passages of shard i begin after i << 40.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any

from tests.support.corpora import Clock, memory_folder
from tests.support.histories import Event, Histories, merge_some

from asof.corpus.corpus import Corpus
from asof.graph.succession_shards import SHARD_FUNCTIONS

ID_TABLES = ("documents", "heads", "versions", "passages", "ends")


def shard_of(document: int, shards: int) -> int:
    digest = hashlib.blake2b(f"doc{document}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) % shards


@dataclass(frozen=True)
class Layouts:
    """One corpus, and the same in shards. `asked`: the names that the shards were asked, one a round."""

    one: Corpus
    shards: Sequence[Corpus]
    histories: Histories
    asked: list[str]

    def play(self, event: Event) -> None:
        """The event in the one corpus and in the shard of its document; all of them merge segments."""
        clock = self.one.session.clock
        assert isinstance(clock, Clock)
        then = clock.now
        self.histories.play(self.one, [event])
        if event.kind == "merge":
            for shard in self.shards:
                merge_some(shard, event.document, 1 + len(event.passages))
            return
        shard = self.shards[shard_of(event.document, len(self.shards))]
        assert isinstance(shard.session.clock, Clock)
        shard.session.clock.now = then
        self.histories.play(shard, [event])

    def ask(self, as_of: int, known_at: int) -> Callable[..., list[Any]]:
        """What the shards answer at (T, K); everything goes through pickle as it does between processes."""
        views = [shard.snapshot(as_of, known_at).view() for shard in self.shards]

        def ask(name: str, *arguments: Any) -> list[Any]:
            self.asked.append(name)
            sent = pickle.dumps(arguments)
            return [
                pickle.loads(pickle.dumps(SHARD_FUNCTIONS[name](view, *pickle.loads(sent))))  # noqa: S301
                for view in views
            ]

        return ask


@contextmanager
def layouts(shards: int, histories: Histories) -> Iterator[Layouts]:
    """Empty corpora: one, and one for each shard."""
    with ExitStack() as stack:
        folder = stack.enter_context(memory_folder())
        one = stack.enter_context(histories.new_corpus(folder / "one"))
        parts = [stack.enter_context(histories.new_corpus(folder / str(at))) for at in range(shards)]
        for at, part in enumerate(parts):
            with closing(part.store.writer()) as db:
                db.executemany(
                    "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
                    [(table, at << 40) for table in ID_TABLES],
                )
        yield Layouts(one, parts, histories, [])
