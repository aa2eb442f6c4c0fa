"""Chains of a corpus in shards go on from those that were kept, whichever shard grows."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import asof
from asof.documents import Document
from asof.extensions.cluster.shards import create, open_shards, shard_of
from asof.revisions.chains import SeriesCache, succession
from asof.revisions.link import Linker
from asof.revisions.rows import GraphLimits


def test_chains_go_on_where_a_shard_grows_between_the_rows_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 40 releases the shard with fewer rows gets one more: its row lies between those of the other one."""
    limits = GraphLimits(least_written=1, rebuild_share=0)
    made: list[str] = []
    for name in ("anew", "moved"):
        right = getattr(Linker, name)
        monkeypatch.setattr(
            Linker, name, lambda *given, right=right, name=name: (made.append(name), right(*given))[1]
        )

    def chain(root: Path) -> list[tuple[str, str]]:
        with open_shards(root) as many:
            SeriesCache.of(many.whole.session.derived, limits)
            view = many.whole.at("2030").view()
            rows = np.arange(view.prefix.rows)
            found, names = succession(view).predecessors(rows), view.records(rows)
            pairs = [(row, at) for row, at in enumerate(found) if at >= 0]
            return sorted((names[row].document, names[at].document) for row, at in pairs)

    def release(number: int) -> Document:
        text = f"Mill {number}.0 was released."
        return Document(f"mill-{number}", text, title=f"Mill {number}.0", published=str(1990 + number))

    with create(tmp_path / "many", 2) as many:
        many.add([release(number) for number in range(30)])
        sizes = [shard.at("2030").view().prefix.rows for shard in many.shards]
    fewer = sizes.index(min(sizes))
    assert len(chain(tmp_path / "many")) == 29
    new = next(number for number in range(30, 40) if shard_of(f"mill-{number}", 2) == fewer)
    with asof.open(tmp_path / "many" / f"shard-{fewer}", create=False) as corpus:
        corpus.add([release(new)])
    went_on = chain(tmp_path / "many")
    assert (made, (f"mill-{new}", "mill-29") in went_on) == (["anew", "moved"], True)
    shutil.rmtree(tmp_path / "many" / "derived")
    assert (chain(tmp_path / "many"), made) == (went_on, ["anew", "moved", "anew"])
