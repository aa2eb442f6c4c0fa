"""Limits of the graphs of a corpus: sizes of batches and files, and how many candidates are compared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CandidateLimits:
    """How many earlier passages are compared with a passage. Other limits give another succession.

    Of all passages with a key the last `window` before a passage are compared, the last `window_of_words` for
    a key of words, and the `edits` nearest in the document of those that an edit ended. A title that
    `label_documents` documents had within a day of each other is a label. A text with a title needs
    `words_titled` words for keys of words.
    """

    window: int = 12
    window_of_words: int = 4
    edits: int = 32
    label_documents: int = 3
    words_titled: int = 12


@dataclass(frozen=True, slots=True)
class GraphLimits:
    """Limits of memory, time and files, and those of `candidates`. Only the latter affect results.

    least_written, share_written   files are written again when at least so many rows, and one in so many of
                                   all, were added or removed
    rebuild_share       after a change of more than one row in so many all rows are compared again
    texts_at_once       texts in one batch
    most_postings       postings in one part; more are split, and parts are not merged beyond it
    shingles_at_once, products_at_once, pairs_at_once   shingles, multiplications and pairs in one batch
    sketched_at_once    shingles, and candidate pairs, in one batch of `minhash.py`
    past_only           of more rows than this the graph of an earlier moment is made of its past alone; not
                        more than views have that are compared exactly (`Centrality.exact_up_to`)
    sparse_edges        from this many edges on sums are sparse products, six times as fast as numpy there and
                        worth the import of scipy
    nodes_of_key        keys of more nodes than this are restricted to near nodes; of fewer all are compared
    """

    least_written: int = 256
    share_written: int = 64
    rebuild_share: int = 4
    texts_at_once: int = 8_192
    most_postings: int = 32_000_000
    shingles_at_once: int = 1 << 20
    sketched_at_once: int = 1 << 20
    past_only: int = 2_000_000
    products_at_once: int = 4_000_000
    pairs_at_once: int = 1 << 16
    sparse_edges: int = 2_000_000
    nodes_of_key: int = 256
    candidates: CandidateLimits = CandidateLimits()


DEFAULT = GraphLimits()
