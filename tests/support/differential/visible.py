"""A corpus that was only ever given what another one shows at (T, K)."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from tests.support.differential.played import Clock, Played, Version, new_corpus
from tests.support.rows import db_of

from asof import engine
from asof.corpus.corpus import Corpus
from asof.store import corrections
from asof.store.schema import get_meta
from asof.store.store import source_row


def visible(played: Played, as_of: int, known_at: int) -> list[Version]:
    """The versions that could be seen at (T, K), in order of their arrival; not what turned out wrong."""
    return [
        v for v in played.versions.values()
        if v.visible <= as_of and v.added <= known_at and (v.retired is None or v.retired > known_at)
    ]  # fmt: skip


def refused(played: Played, as_of: int, known_at: int) -> bool:
    """Whether the history of a moment was dropped; also for a version that covered others when they were
    dropped, and turned out wrong later: what it covered is lost."""
    db = db_of(played.corpus)
    horizon, known = (int(get_meta(db, key) or 0) for key in ("horizon", "known_horizon"))
    if (horizon and as_of < horizon) or (known and known_at < known):
        return True
    return any(
        v.visible <= before and v.retired is not None and v.added <= at < v.retired
        for at, before in played.vacuums for v in played.versions.values()
    )  # fmt: skip


def only_visible(played: Played, folder: Path, as_of: int, known_at: int) -> Corpus:
    """A corpus that was only ever told what is visible at (T, K), with the same vacuums."""
    other = new_corpus(folder, played.of, encoder=played.encoder)
    clock = other.session.clock
    assert isinstance(clock, Clock)
    left = list(played.vacuums)
    db = other.store.writer()
    for added, group in itertools.groupby(visible(played, as_of, known_at), key=lambda v: v.added):
        while left and left[0][0] < added:
            _vacuum(other, db, *left.pop(0))
        clock.now = added
        _begin(other, db, group)
    for each in left:
        _vacuum(other, db, *each)
    db.close()
    return other


def _vacuum(corpus: Corpus, db: sqlite3.Connection, last: int, horizon: int) -> None:
    engine.remove(
        corpus.store, corpus.manifest, db, lambda: last + 1, lambda db: corrections.drop_history(db, horizon),
        "vacuum",
    )  # fmt: skip
    corpus.session.forget()


def _begin(corpus: Corpus, db: sqlite3.Connection, versions: Iterable[Version]) -> None:
    """What one write of the whole corpus stored, less what was not to be seen."""
    with corpus.store.write(db, corpus.session.clock, corpus.manifest.publish, what="test") as write:
        for each in versions:
            write.load([each.name] if each.name not in write.documents else [])
            write.source = source_row(db, each.source, write.now)
            state = write.document_state(each.name)
            if each.document is None:
                write.add_deletion(state, each.stated, each.when, each.by, each.visible)
            else:
                write.add_version(state, each.document, each.content, each.stated, each.when, each.visible)
