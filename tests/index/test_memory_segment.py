"""Rows that are sent: a segment in memory answers as the segments that they were taken from."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.support.corpora import memory_folder

from asof.corpus.corpus import open as open_corpus
from asof.index.build import COLUMNS
from asof.index.forward import stems_of, terms_of
from asof.index.memory_segment import MemorySegment, taken
from asof.index.prefix import Prefix
from asof.models.hashed import HashedNgrams
from asof.text.tokens import term_hash

Make = Callable[..., Any]

TEXTS = ("the mill by the harbour", "fog and tide", "harbour bell", "a mill, a mill", "bread")


def test_rows_of_several_segments(document: Make) -> None:
    with memory_folder() as folder, open_corpus(folder, encoder=HashedNgrams()) as corpus:
        corpus.maintenance.background = False
        for number, text in enumerate(TEXTS):  # a segment each
            corpus.add([document(f"d{number}", text, f"200{number}", title=f"Title {number % 2}")])
        view = corpus.at().view()
        rows = np.array([4, 0, 3])
        pieces = pickle.loads(pickle.dumps(taken(view.prefix, rows)))  # noqa: S301
        segment = MemorySegment(pieces, "hashed")
        assert segment.n == 3
        prefix = Prefix.of([segment], view.as_of)
        order = rows[np.argsort(view.column("visible", rows))]  # in order of time
        for name in COLUMNS:
            assert segment[name].tolist() == view.column(name, order).tolist()
        own, theirs = terms_of(prefix, np.arange(3)), terms_of(view.prefix, order)
        for row in range(3):
            assert _words(prefix, own, row) == _words(view.prefix, theirs, row)
        assert (
            segment.titles.ids[segment.titles.of].tolist()
            == view.titles(order).ids[view.titles(order).of].tolist()
        )
        assert segment["total"].tolist() == [0, *np.cumsum(view.column("length", order)).tolist()]
        vectors = [view.prefix.locate(int(row))[0].segment["vectors"][0].tolist() for row in order]
        assert segment["vectors"].tolist() == vectors  # each of these segments has one row


def test_postings_are_those_of_the_rows(document: Make) -> None:
    with memory_folder() as folder, open_corpus(folder) as corpus:
        corpus.add([document(f"d{number}", text, f"200{number}") for number, text in enumerate(TEXTS)])
        view = corpus.at().view()
        rows = np.arange(len(TEXTS))
        segment = MemorySegment(taken(view.prefix, rows))
        (part,) = view.prefix.parts
        for first, last in zip(segment["start"][:-1], segment["start"][1:], strict=True):
            assert segment["rows"][first:last].tolist() == sorted(segment["rows"][first:last].tolist())
        for name in ("terms", "start", "rows", "tf", "stems", "stem_offsets", "forward", "forward_start"):
            assert segment[name].tolist() == part.segment[name].tolist(), name
        passages = segment["passage"][[1, 3]]
        assert segment.rows_of(passages).tolist() == [1, 3]


def test_of_some_terms_only_and_others_are_never_taken_for_absent(document: Make) -> None:
    with memory_folder() as folder, open_corpus(folder) as corpus:
        for number, text in enumerate(TEXTS):  # a segment each
            corpus.add([document(f"d{number}", text, f"200{number}")])
        view = corpus.at().view()
        rows = np.arange(len(TEXTS))
        harbour, mill, absent = (term_hash(stem) for stem in ("harbour", "mill", "absent"))
        some = np.array([harbour, mill, absent], np.uint64)
        segment = MemorySegment(taken(view.prefix, rows, some), only=some)
        prefix = Prefix.of([segment], view.as_of)
        # "a mill, a mill" has two, and what has none of them keeps its row and its length
        assert [_words(prefix, terms_of(prefix, rows[:row + 1]), row) for row in rows.tolist()] == [
            [("harbour", 1), ("mill", 1)], [], [("harbour", 1)], [("mill", 2)], [],
        ]  # fmt: skip
        assert segment["length"].tolist() == view.column("length", rows).tolist()
        assert prefix.dfs([harbour, mill, absent]) == [2, 2, 0]
        with pytest.raises(LookupError, match="has to name them"):
            prefix.dfs([term_hash("fog")])


def _words(prefix: Prefix, terms: Any, row: int) -> list[tuple[str, int]]:
    begin = int(terms.counts[:row].sum())
    here = slice(begin, begin + int(terms.counts[row]))
    return sorted(zip(stems_of(prefix, terms.hashes[here]), terms.tf[here].tolist(), strict=True))
