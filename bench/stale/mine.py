"""Commits that changed the same value or statement in two or more documents."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from bench.stale.pairs import Match, folded, match
from bench.stale.paths import counts, is_dated, newest_only, same_but_figures
from bench.stale.repository import Commit, Repository
from bench.stale.texts import is_generated, text_of
from bench.stale.units import Edit, edits, units

MOST_CHANGED = 60
"""Documents of a commit; one that changes more is a mass edit."""
LONGEST = 150_000
NEAR_COPY = 0.6
"""From this share of common sentences on, two documents are copies of each other."""
SAMPLE, COMMON = 300, 0.3
"""Documents that are looked at, and the share of them from which on a word is common."""
OFTEN, TWICE = 3, 2
"""Cases of one held-out document, and of sentences that differ by their figures only."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A document that a commit changed, as it would stand if it had been forgotten."""

    commit: Commit
    path: str
    changed: dict[str, tuple[str, str]]
    matches: tuple[Match, ...]
    also: tuple[Edit, ...]

    @property
    def kind(self) -> str:
        return self.matches[0].kind


def number(*words: str) -> int:
    """A number that depends on the words alone."""
    return zlib.crc32("\x00".join(words).encode())


def held_out(repository: Repository) -> Iterator[HeldOut]:
    """A case a commit, newest first."""
    common = common_words(repository)
    for commit in repository.commits:
        made = [each for each in commit.changes if each.old and each.new and counts(each.path)]
        if not 2 <= len(made) <= MOST_CHANGED or len(commit.changes) > 3 * MOST_CHANGED:
            continue
        paths = newest_only([each.path for each in made])
        texts: dict[str, tuple[str, str]] = {}
        for each in made:
            old, new = (text_of(each.path, repository.blob(name)) for name in (each.old, each.new))
            if (
                each.path in paths
                and old
                and new
                and len(old) + len(new) < 2 * LONGEST
                and old != new
                and not is_generated(new)
            ):
                texts[each.path] = old, new
        found = _in_commit(commit, texts, common) if len(texts) > 1 else None
        if found is not None:
            yield found


def common_words(repository: Repository) -> frozenset[str]:
    """Words that many documents of the repository have."""
    tree = {path: blob for path, blob in repository.tree("HEAD").items() if counts(path)}
    sample = sorted(tree, key=lambda path: number(path))[:SAMPLE]
    tally: Counter[str] = Counter()
    for path in sample:
        text = text_of(path, repository.blob(tree[path]))
        tally.update({word for unit in units(text, path) for word in unit.content})
    return frozenset(word for word, count in tally.items() if count > COMMON * len(sample))


def _in_commit(commit: Commit, texts: dict[str, tuple[str, str]], common: frozenset[str]) -> HeldOut | None:
    by_path = {path: list(edits(old, new, path)) for path, (old, new) in texts.items()}
    by_path = {path: made for path, made in by_path.items() if made}
    tally: Counter[tuple[str, str]] = Counter()
    for made in by_path.values():
        tally.update({folded(span) for edit in made for span in edit.spans})
    lines = {path: {line.strip() for line in texts[path][1].split("\n") if line.strip()} for path in by_path}
    eligible = []
    for path, made in by_path.items():
        if is_dated(path):
            continue
        others = [
            edit
            for other, theirs in by_path.items()
            if other != path
            and not same_but_figures(path, other)
            and not _copies(lines[path], lines[other])
            and not is_dated(other)
            for edit in theirs
        ]
        found = [one for edit in made if (one := match(edit, others, tally, common))]
        if found:
            found.sort(key=lambda one: -one.strength)
            matched = {id(one.edit) for one in found}
            also = tuple(edit for edit in made if id(edit) not in matched)
            eligible.append(HeldOut(commit, path, texts, tuple(found), also))
    return min(eligible, key=lambda each: number(commit.id, each.path), default=None)


def _copies(one: set[str], two: set[str]) -> bool:
    return len(one & two) > NEAR_COPY * min(len(one), len(two))


def diverse(found: list[HeldOut], most: int) -> list[HeldOut]:
    """At most so many, half of them statements if there are enough; few of one document or one template."""
    shuffled = sorted(found, key=lambda each: number("case", each.commit.id))
    documents: Counter[str] = Counter()
    shapes: Counter[str] = Counter()
    by_kind: dict[str, list[HeldOut]] = defaultdict(list)
    for each in shuffled:
        first = each.matches[0]
        plain = [word.casefold() for word in first.edit.old.words if word.islower() and word.isalpha()]
        shape = " ".join(word for word in plain if word.removesuffix("s") not in first.edit.removed)
        if documents[each.path] < OFTEN and shapes[shape] < TWICE:
            documents[each.path] += 1
            shapes[shape] += 1
            by_kind[each.kind].append(each)
    statements = by_kind["statement"]
    values = by_kind["value"]
    few = max(most // 2, most - len(values))
    kept = statements[:few]
    return sorted([*kept, *values[: most - len(kept)]], key=lambda each: (each.commit.time, each.commit.id))
