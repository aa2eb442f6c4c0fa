"""The other documents of a case: half are near the document that is held out, half are any."""

from __future__ import annotations

import math
from collections import Counter

from bench.stale.mine import HeldOut, number
from bench.stale.paths import counts, nearness, newest_only, same_but_figures
from bench.stale.repository import Repository
from bench.stale.texts import text_of
from bench.stale.units import content

LONGEST = 60_000
LOOKED_AT = 400


def neighbours(repository: Repository, held: HeldOut, tree: dict[str, str], most: int) -> list[str]:
    """Paths of documents as of the commit: a quarter nearest by path, a quarter by rare words that they share
    with the stale sentence and its headings, the others by the digest of their path."""
    free = [
        path
        for path in newest_only(sorted({*tree, *held.changed}))
        if path in tree
        and path not in held.changed
        and counts(path)
        and not any(same_but_figures(path, each) for each in held.changed)
    ]
    free.sort(key=lambda path: (-nearness(path, held.path), number(held.commit.id, path)))
    by_digest = sorted(free, key=lambda path: number("other", held.commit.id, path))
    words = _words(repository, tree, dict.fromkeys([*free[:LOOKED_AT], *by_digest[:LOOKED_AT]]))
    tally = Counter(word for each in words.values() for word in each)
    edit = held.matches[0].edit
    wanted = edit.old.content | edit.old.heads

    def rare(path: str) -> float:
        return sum(math.log(len(words) / tally[word]) for word in words[path] & wanted)

    orders = (
        [path for path in free if path in words],
        sorted(words, key=lambda path: (-rare(path), path)),
        [path for path in by_digest if path in words],
    )
    chosen: dict[str, None] = {}
    for order, until in zip(orders, (most // 4, most // 2, most), strict=True):
        for path in order:
            if len(chosen) >= until:
                break
            chosen[path] = None
    return list(chosen)


def _words(repository: Repository, tree: dict[str, str], paths: dict[str, None]) -> dict[str, frozenset[str]]:
    found = {}
    for path in paths:
        text = text_of(path, repository.blob(tree[path]))
        if 0 < len(text) < LONGEST:
            found[path] = content(tuple(text.casefold().split()))
    return found
