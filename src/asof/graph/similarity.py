"""Whether pairs of passages state the same of the same subject, and how similar they are.

For two passages of one subject a few common words are enough ("won the championship", "took the trophy");
others must have nearly the same texts, and the texts must not differ in a word of a title: "Icinga Web 2.1
was released" and "Icinga 2.1 was released" do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.graph.limits import DEFAULT, GraphLimits
from asof.graph.node_table import Rows
from asof.graph.statement import LEAST_UNTITLED, PARTS, StatementTable
from asof.graph.word_sets import words_in
from asof.index.file_format import Array

NO, SAME_WORDS, SAME_SUBJECT, SAME_PLACE = 0, 1, 2, 3
"""Grades: not the same; nearly the same text; the same subject; an edit of one document."""

TELLING = 2
"""A subject of less weight (see `statement.py`) is vague: one word, such as a speaker's name."""

LEAST, LEAST_LONG = 0.12, 0.3
"""The least similarity of two passages of one subject (Jaccard, titles included); of long ones without the
titles' words, as pages about one thing have words in common whatever they state."""

VAGUE, VAGUE_WORDS = 0.4, 2
"""For a vague subject: the least similarity without the title's words, and the least number of common
words."""

NEARLY = 0.6
LABEL, LABEL_WORDS = 0.5, 4
"""The same where a title is the label of many documents at once."""

EDITED = 0.3
LONG = 16
"""A passage with at least so many words that are not in the title is long: two of them share words by
chance."""

UNIT = 1000
"""Similarity is given in whole thousandths."""


Sets = NDArray[np.uint64]
"""Sets of words, (n, 8)."""


class PairGrades(NamedTuple):
    """For each pair its grade, the common parts of the version, and two similarities in thousandths: of all
    words, and `own`, without those of the titles. `long`: both are long."""

    grade: NDArray[np.int64]
    parts: NDArray[np.int64]
    similarity: NDArray[np.int64]
    own: NDArray[np.int64]
    long: NDArray[np.bool_]

    def at(self, which: Array) -> PairGrades:
        """Of some of the pairs."""
        return PairGrades(
            self.grade[which], self.parts[which], self.similarity[which], self.own[which], self.long[which]
        )  # fmt: skip


def grade_pairs(
    statements: StatementTable,
    rows: Rows,
    ends: NDArray[np.int64],
    later: NDArray[np.int64],
    earlier: NDArray[np.int64],
    label: NDArray[np.bool_],
    edit: NDArray[np.bool_],
    limits: GraphLimits = DEFAULT,
) -> PairGrades:
    """Compare pairs of nodes.

    `ends`, by node: the end of its passage. `label`, by node: its title is a label. `edit`, by pair: the
    later one began in the document where the earlier one ended, at that instant.
    """
    batches = [
        _grade_batch(
            statements,
            rows,
            ends,
            later[at:to],
            earlier[at:to],
            label,
            edit[at:to],
            limits.candidates.words_titled,
        )
        for at in range(0, len(later), limits.pairs_at_once)
        for to in [at + limits.pairs_at_once]
    ]
    none = (np.zeros(0, np.int64),) * 4 + (np.zeros(0, bool),)
    return PairGrades(*(np.concatenate(each) for each in zip(none, *batches, strict=True)))


def _grade_batch(
    statements: StatementTable, rows: Rows, ends: NDArray[np.int64], later: NDArray[np.int64],
    earlier: NDArray[np.int64], label: NDArray[np.bool_], edit: NDArray[np.bool_], words_titled: int,
) -> PairGrades:  # fmt: skip
    body, title = statements["body"], statements["title"]
    body_1: Sets = body[later]
    body_2: Sets = body[earlier]
    title_1: Sets = title[later]
    title_2: Sets = title[earlier]
    bodies, titles = body_1 | body_2, title_1 | title_2
    own_1, own_2 = words_in(body_1 & ~titles), words_in(body_2 & ~titles)
    own_shared, own = shared(own_1, own_2, words_in(bodies & ~titles))
    _, whole = shared(words_in(body_1 | title_1), words_in(body_2 | title_2), words_in(bodies | titles))
    subject, weight = statements["subject"], statements["weight"]
    same = (subject[later] == subject[earlier]) & (subject[later] != 0)
    long = np.minimum(own_1, own_2) >= LONG

    by_subject = same & ~label[later] & np.where(long, own >= LEAST_LONG, whole >= LEAST)
    words = (own_1 > 0) | (own_2 > 0)
    vague = weight[later] < TELLING
    by_subject &= ~(vague & words) | ((own >= VAGUE) & (own_shared > VAGUE_WORDS - 0.5))
    # "was released" and "is supported no more" are not the same of one thing, or of two in a row
    by_subject &= ~(statements["numbered"][later] & words) | (own_shared > 0)

    fewest = np.where((subject[later] == 0) & (subject[earlier] == 0), LEAST_UNTITLED, words_titled)
    fewest = np.where(same, LABEL_WORDS, fewest)
    by_words = (own >= np.where(same, LABEL, NEARLY)) & (own_shared > fewest - 0.5)
    by_words &= ~((title_1 ^ title_2) & (body_1 ^ body_2)).any(axis=1)

    documents = rows.columns["document"]
    one_document = documents[later] == documents[earlier]
    over = ends[earlier] <= rows.columns["visible"][later]
    grade = np.where(by_subject, SAME_SUBJECT, np.where(by_words, SAME_WORDS, NO))
    grade[edit & (same | (whole >= EDITED))] = SAME_PLACE
    parts = _parts(statements["version"], later, earlier)
    grade[~((over | ~one_document) & (_one_branch(statements, later, earlier, parts) | edit))] = NO
    return PairGrades(grade, parts, thousandths(whole), thousandths(own), long)


def _one_branch(
    statements: StatementTable, later: NDArray[np.int64], earlier: NDArray[np.int64], parts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Where both name a branch, it is the same; where one does, the other version belongs to it."""
    one, other = statements["branch"][later], statements["branch"][earlier]
    depth = np.maximum(statements["depth"][later], statements["depth"][earlier])
    allowed: NDArray[np.bool_] = (one == other) | (((one == 0) | (other == 0)) & (parts >= depth))
    return allowed


def shared(
    one: NDArray[np.float64], other: NDArray[np.float64], both: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """From the sizes of two sets and of their union: how many words they have in common, and their Jaccard
    similarity (1 for two empty sets)."""
    common = np.maximum(one + other - both, 0.0)
    return common, np.divide(common, both, out=np.ones(len(both)), where=both > 0)


def thousandths(values: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(UNIT * values).astype(np.int64)


def _parts(version: Array, later: NDArray[np.int64], earlier: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many parts two versions have in common from the first on: 6.0.3 and 6.0.2 two, 6.1.0 one."""
    common = np.ones(len(later), bool)
    count = np.zeros(len(later), np.int64)
    for part in range(PARTS):
        one, other = version[later, part], version[earlier, part]
        common &= (one == other) & (one >= 0)
        count += common
    return count
