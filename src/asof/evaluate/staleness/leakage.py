"""Does anything later leak into what is stale? A corpus as of a moment against one that ends there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path

from asof.data.stale import Quote, Stale
from asof.evaluate.staleness.cases import StaleCase
from asof.evaluate.staleness.corpora import (
    CaseDocuments,
    corpus_folder,
    opened,
    read_documents,
    temporary_corpus,
)

ID = "id"
"""What differs where the two corpora do not even flag the same sentences."""


@dataclass(frozen=True, slots=True)
class LeakedFlag:
    """Where what the whole corpus flags first differs from what the cut one flags, and in `what`.

    `whole` and `cut` are its values as texts; None where there is no flag at this rank.
    """

    case: str
    as_of: int
    rank: int
    what: str
    whole: str | None
    cut: str | None


@dataclass(frozen=True, slots=True)
class StaleLeakage:
    """How many moments were asked twice, how many flags compared, and where they differ."""

    moments: int
    flags: int
    differences: tuple[LeakedFlag, ...]

    @property
    def clean(self) -> bool:
        return not self.differences


def check_leakage(
    cases: Sequence[StaleCase], count: int, seed: int, index: Path | None, advance: Callable[[], None]
) -> StaleLeakage:
    """Compare `count` moments of cases that are chosen by a hash; several of a case where there are fewer.

    A moment is that of a version before the last one; cases whose versions are all of one instant have none.
    """
    ranked = sorted(cases, key=lambda case: _hash(seed, case.name))
    differences: list[LeakedFlag] = []
    moments = flags = 0
    for number, case in enumerate(ranked[:count]):
        documents = read_documents(case.documents)
        chosen = earlier_moments(case, documents, len(range(number, count, len(ranked))), seed)
        with corpus_folder(documents, index) as (folder, _):
            for as_of in chosen:
                whole = _flags(folder, as_of)
                with temporary_corpus(documents, as_of) as cut:
                    differences += first_difference(case.name, as_of, whole, _flags(cut, as_of))
                flags += len(whole)
        moments += len(chosen)
        advance()
    return StaleLeakage(moments, flags, tuple(differences))


def earlier_moments(case: StaleCase, documents: CaseDocuments, count: int, seed: int) -> list[int]:
    """At most `count` instants of versions before the last one, chosen by a hash, in order."""
    newest = documents.newest(case.as_of)
    earlier = [each for each in documents.instants if newest is not None and each < newest]
    return sorted(sorted(earlier, key=lambda instant: _hash(seed, f"{case.name} {instant}"))[:count])


def _hash(seed: int, text: str) -> bytes:
    return hashlib.sha256(f"{seed} {text}".encode()).digest()


def _flags(folder: Path, as_of: int) -> list[dict[str, str]]:
    with opened(folder) as corpus:
        return [flag_parts(each) for each in corpus.snapshot(as_of, None).stale(dismissed=None)]


def flag_parts(flag: Stale) -> dict[str, str]:
    """All that a flag says, as texts by what they are, bit for bit."""
    return {
        ID: flag.id, "kind": flag.kind, "score": repr(flag.score), "quote": _quote(flag.quote),
        "by": _quote(flag.by), "cause": str(flag.cause), "change": flag.change,
        "why": json.dumps(flag.why.as_json(), ensure_ascii=False),
    }  # fmt: skip


def _quote(quote: Quote | None) -> str:
    return "" if quote is None else json.dumps(asdict(quote), ensure_ascii=False)


def first_difference(
    case: str, as_of: int, whole: Sequence[dict[str, str]], cut: Sequence[dict[str, str]]
) -> Iterator[LeakedFlag]:
    """The first flag in which two lists differ, and the first thing about it."""
    for rank, (one, other) in enumerate(zip_longest(whole, cut, fillvalue=None), 1):
        if one == other:
            continue
        if one is None or other is None or one[ID] != other[ID]:
            yield LeakedFlag(case, as_of, rank, ID, _named(one), _named(other))
        else:
            what = next(key for key in one if one[key] != other[key])
            yield LeakedFlag(case, as_of, rank, what, one[what], other[what])
        return


def _named(parts: dict[str, str] | None) -> str | None:
    """A flag by its id and its sentence."""
    if parts is None:
        return None
    quote = json.loads(parts["quote"])
    return f"{parts[ID]}: {quote['document']}: {quote['text']}"
