"""What a search of shards refuses, explains after its end, and survives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.shards import new_shards

from asof.cluster.corpus import ShardedCorpus
from asof.cluster.shards import LocalShards
from asof.corpus.corpus import Corpus
from asof.errors import BeforeHorizon, NotAcrossShards, UsageError
from asof.index.segment import Segment
from asof.models.hashed import HashedNgrams
from asof.recipes import NAMES
from asof.store.shard_layout import shard_of

Make = Callable[..., Any]

EXACT = {"asof", "bm25", "tempralm"}
EXACT_WITH_VECTORS = EXACT | {"dense", "hybrid", "hybrid-rrf", "naive-rag"}
TOGETHER = EXACT_WITH_VECTORS | {"papers", "vault", "qd-rag"}
"""With an encoder, where one process has all shards."""


@contextmanager
def harbour(folder: Path, document: Make, **options: Any) -> Iterator[ShardedCorpus]:
    """Eight notes in three shards."""
    with new_shards(folder, 3, **options) as corpus:
        corpus.add(
            [document(f"d{at}", f"the harbour bell {at}", f"200{at}", title="Harbour") for at in range(8)]
        )
        yield corpus


@pytest.mark.parametrize("recipe", NAMES)
def test_each_recipe_is_exact_or_refused_with_the_reason(tmp_path: Path, document: Make, recipe: str) -> None:
    for encoder, exact in ((None, EXACT | {"tgrag"}), (HashedNgrams(), TOGETHER)):
        with harbour(tmp_path / str(encoder is None), document, encoder=encoder) as corpus:
            if recipe in exact:
                assert len(corpus.at().search("harbour bell", recipe=recipe)) == 8
                continue
            with pytest.raises(
                NotAcrossShards, match=rf"the recipe '{recipe}'.* its stage \w+ is not exact there \("
            ):
                corpus.at().search("harbour bell", recipe=recipe)


def test_what_is_stale_is_refused(tmp_path: Path, document: Make) -> None:
    with harbour(tmp_path, document) as corpus, pytest.raises(NotAcrossShards, match="stale"):
        corpus.at().search("harbour bell", stale=True)


def test_a_tree_is_made_after_the_search_and_after_a_later_write(tmp_path: Path, document: Make) -> None:
    with harbour(tmp_path, document) as corpus:
        results = corpus.at().search("harbour bell")
        corpus.add([document(f"more{at}", "harbour", "2011", title="Harbour") for at in range(9)])
        for hit in results.hits:
            assert hit.why.recomputed() == hit.why.value == hit.score


def test_notes_on_filters_that_nothing_passes_are_those_of_all_shards(tmp_path: Path, document: Make) -> None:
    with harbour(tmp_path, document) as corpus:
        notes = corpus.at().search("harbour", path="dd*").notes
        assert "nothing matches: no document's id matches 'dd*'; existing ones: none" in notes
        (note,) = corpus.at("1950").search("harbour").notes[:1]
        assert note == "nothing matches: no document is known to have been published by 1950-12-31"


def test_times_before_the_kept_history_are_refused(tmp_path: Path, document: Make) -> None:
    with harbour(tmp_path, document) as corpus:
        corpus.vacuum("2004")
        with pytest.raises(BeforeHorizon, match="dropped by `asof vacuum`"):
            corpus.at("2003").search("harbour")
        assert len(corpus.at("2006").search("harbour")) == 7


@pytest.mark.parametrize("array", ["visible", "rows", "stems", "head"])  # the first is read at once
@pytest.mark.parametrize("threads", [1, 3])
def test_a_damaged_segment_is_rebuilt_and_the_search_begun_anew(
    tmp_path: Path, document: Make, threads: int, array: str
) -> None:
    with harbour(tmp_path, document) as corpus:
        expected = [(hit.id, hit.score) for hit in corpus.at("2009").search("harbour bell")]
    (file,) = (tmp_path / ".asof" / "shards" / "01" / "segments").glob("*.seg")
    at = Segment(file)._toc[array]["at"]
    content = bytearray(file.read_bytes())
    content[at] ^= 0xFF
    file.write_bytes(bytes(content))
    with new_shards(tmp_path, 3) as corpus:
        searching = corpus.at("2009").asked.search
        searching.shards = LocalShards([each.session for each in corpus.shards], threads)
        for _ in range(2):
            assert [(hit.id, hit.score) for hit in corpus.at("2009").search("harbour bell")] == expected


def test_errors_of_a_shard_reach_who_asked(tmp_path: Path, document: Make) -> None:
    with harbour(tmp_path, document) as corpus:
        with pytest.raises(UsageError, match="unit is 'page'"):
            corpus.at().search("harbour", unit="page")
        assert len(corpus.at().search("harbour")) == 8  # nothing is left behind


def test_a_window_reads_no_postings_of_shards_that_it_does_not_touch(tmp_path: Path, document: Make) -> None:
    with new_shards(tmp_path, 3) as corpus:
        years = {0: "2001", 1: "2001", 2: "2015"}
        corpus.add([
            document(f"d{at}", f"the harbour bell {at}", years[shard_of(f"d{at}", 3)]) for at in range(24)
        ])  # fmt: skip
    with new_shards(tmp_path, 3) as corpus:
        found = corpus.at("2020").search("harbour bell", since="2010")
        assert {shard_of(hit.document, 3) for hit in found} == {2}
        read = [arrays_read(shard) for shard in corpus.shards]
        assert read[2] >= POSTINGS
        assert not POSTINGS & (read[0] | read[1])  # their statistics alone: how often a term stands there


POSTINGS = {"rows", "tf", "forward", "forward_tf"}


def arrays_read(shard: Corpus) -> set[str]:
    """The arrays of a shard's segments of which anything was read."""
    with shard.session.connection() as db:
        segments = shard.manifest.state(db).segments
    return {name for segment in segments for name, blocks in segment._checked.items() if any(blocks)}
