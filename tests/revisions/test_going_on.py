"""Chains that go on from what was kept after each write are those that are made anew."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.revisions.made import LIMITS, cached
from tests.revisions.test_copies import MEALS, file

from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.index.view import DerivedCache
from asof.revisions.chains import SeriesCache, succession
from asof.time.span import iso
from asof.wire import replace

NAMES = ("a/fees.md", "a/Copy of fees.md", "a/rates.md", "b/fees (1).md", "b/notes.md", "b/rates.md")
TEXTS = (
    MEALS.format(9), MEALS.format(12), "The ferry leaves at nine from the old mole.",
    "The final of the harbour race was won by Ada by 3 lengths.",
    "The final of the harbour race was won by Bo by 4 lengths.",
)  # fmt: skip


def any_document(rng: random.Random) -> Document:
    """A file or a dated statement, of one or two passages, perhaps with other tags than before."""
    text = "\n\n".join(
        f"## Part {at}\n\n{part}" for at, part in enumerate(rng.sample(TEXTS, rng.randint(1, 2)))
    )
    date = f"20{rng.randint(18, 22)}-0{rng.randint(1, 9)}-11"
    made = file(rng.choice(NAMES), text, date, rng.choice(("mtime", "metadata")))
    return replace(made, tags=rng.choice(((), ("fees",))))


def same_as_anew(corpus: Corpus, folder: Path, as_of: str | None, known_at: str | None) -> None:
    view = corpus.at(as_of, known_at).view()
    anew = SeriesCache(DerivedCache(folder), LIMITS).succession(view)
    kept = succession(view)
    n = kept.chain.n  # that of a former K may lack nodes, none of which is known then
    assert not anew.chain.known[n:].any()
    for name in ("known", "before", "after", "edit", "copy"):
        assert getattr(kept.chain, name).tolist() == getattr(anew.chain, name)[:n].tolist(), name
    assert kept.chain.ends[kept.chain.known].tolist() == anew.chain.ends[anew.chain.known].tolist()
    assert [each.tolist() for each in kept.first] == [each.tolist() for each in anew.first]


@pytest.mark.parametrize("seed", range(12))
def test_after_each_write_chains_are_those_made_anew(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    moments: list[str | None] = [None]
    with cached(SeriesCache) as corpus:
        corpus.maintenance.background = False
        for at in range(16):
            corpus.add([any_document(rng) for _ in range(rng.choice((1, 1, 3)))])
            if at % 6 == 5:
                corpus.tidy()
            asked = [(rng.choice((None, "2020-06-01")), None), (None, rng.choice(moments[-3:]))]
            for number, moment in enumerate(rng.sample(asked, 2)):
                same_as_anew(corpus, tmp_path / f"{at}-{number}", *moment)
            moments.append(iso(corpus.at().view().known_at))
