"""Copies: files that say what another one said before, which are no news.

A document is a copy of an earlier one whose name it has ("Copy of fees.md", "fees (1).md", the conflict of a
sync program), or whose text it repeats: each passage of its first version stands in one other document,
present or past, and nothing but a file's time or a commit dates it. What comes later cannot make a copy of
what is there, so the past alone decides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.index.columns import Array, changed_at, places_of
from asof.revisions.rows import FeatureTable, Rows
from asof.text.query import mixed
from asof.time.span import NEVER

LEAST_WORDS = 4
"""The fewest words of a text that a copy repeats."""

Nodes = NDArray[np.int64]


def copies(rows: Rows, features: FeatureTable, nodes: Nodes) -> NDArray[np.int32]:
    """By node: the node that it repeats, or one of its document's original; -1 where it is none of a copy.

    `nodes` (ascending): those that count, which are known and dated.
    """
    original = np.full(rows.n, -1, np.int32)
    by_text = _copied_texts(rows, features, nodes)
    original[by_text[0]] = by_text[1]
    named = nodes[features["original"][nodes] != 0]
    if len(named):
        name = features["name"]
        of_name = nodes[np.isin(name[nodes], features["original"][named])]
        wanted = features["original"][named]
        found = _last(rows, (name[of_name], of_name), (wanted, named), strictly=False)
        original[named[found >= 0]] = found[found >= 0]
        text = features["text"]
        exact = _last(
            rows, (mixed(name[of_name]) ^ text[of_name], of_name), (mixed(wanted) ^ text[named], named),
            strictly=False,
        )  # fmt: skip
        original[named[exact >= 0]] = exact[exact >= 0]
    return original


def copies_since(
    rows: Rows, features: FeatureTable, counted: NDArray[np.bool_], before: Array, changed: Nodes
) -> Array:
    """By node: what `copies` gives of all that are `counted`, from what it gave `before` some `changed`.

    Looked at again are the documents that have one of these, its text, or a name made from its name.
    """
    document, text = rows.columns["document"], features["text"]
    name, original = features["name"], features["original"]
    by_text, names = features["changed"].any(), name[changed]
    near = [changed, places_of(original, names[names != 0])]
    if by_text:
        near.append(places_of(text, text[changed]))
    nodes = places_of(document, document[np.concatenate(near)])
    nodes = nodes[counted[nodes]]
    wanted = original[nodes]
    others = [nodes, places_of(name, wanted[wanted != 0])]
    if by_text:
        others.append(places_of(text, text[nodes]))
    among = np.unique(np.concatenate(others))
    among = among[counted[among]]
    copy = changed_at(before, changed, np.full(len(changed), -1))
    return changed_at(copy, nodes, copies(rows, features, among)[nodes])


def _copied_texts(rows: Rows, features: FeatureTable, nodes: Nodes) -> tuple[Nodes, Nodes]:
    """The nodes of copies by their text, and the nodes that they repeat."""
    none = np.zeros(0, np.int64)
    changed, text = features["changed"], features["text"]
    if not changed[nodes].any():
        return none, none
    visible, document = rows.columns["visible"], rows.columns["document"]
    documents, number = np.unique(document[nodes], return_inverse=True)
    begins = np.full(len(documents), NEVER)
    np.minimum.at(begins, number, visible[nodes])
    new = nodes[changed[nodes] & (visible[nodes] == begins[number])]
    own = np.searchsorted(documents, document[new])
    order = nodes[rows.canonical(nodes, text[nodes])]
    firsts = order[np.diff(text[order], prepend=text[order[:1]] ^ np.uint64(1)) != 0]
    first = firsts[np.searchsorted(text[firsts], text[new])]
    words = np.bitwise_count(features.of(new)["body"]).sum(axis=1, dtype=np.int64)
    repeated = (visible[first] < visible[new]) & (document[first] != document[new])
    whole = np.bincount(own, ~repeated, len(documents)) == 0
    whole &= np.bincount(own, words, len(documents)) >= LEAST_WORDS
    new, own, first, words = (each[whole[own]] for each in (new, own, first, words))
    if not len(new):
        return none, none
    other = np.zeros(len(documents), np.int64)
    most = np.lexsort([rows.columns["number"][new], words])  # the longest passage names the original
    other[own[most]] = document[first[most]]
    of_other = nodes[np.isin(document[nodes], other[own])]
    found = _last(
        rows, (text[of_other] ^ mixed(document[of_other].astype(np.uint64)), of_other),
        (text[new] ^ mixed(other[own].astype(np.uint64)), new), strictly=True,
    )  # fmt: skip
    whole = np.bincount(own, found < 0, len(documents)) == 0
    return new[whole[own]], found[whole[own]]


def _last(
    rows: Rows, of: tuple[NDArray[Any], Nodes], asked: tuple[NDArray[Any], Nodes], *, strictly: bool
) -> Nodes:
    """For each node asked about the last node with its key that is visible before it (or at its instant,
    unless `strictly`); -1 for none. Both are given as keys and nodes."""
    (keys, nodes), (wanted, later) = of, asked
    both = np.concatenate([nodes, later])
    key = np.concatenate([keys, wanted])
    is_asked = np.arange(len(both)) >= len(nodes)
    tie = is_asked ^ strictly
    columns = rows.columns
    order = np.lexsort([
        both, columns["added"][both], columns["number"][both], columns["digest"][both], tie,
        columns["visible"][both], key,
    ])  # fmt: skip
    at = np.where(is_asked[order], -1, np.arange(len(both)))
    last = np.maximum.accumulate(at)
    found = np.where(last >= 0, both[order[np.maximum(last, 0)]], -1)
    found[(last < 0) | (key[order[np.maximum(last, 0)]] != key[order])] = -1
    result = np.empty(len(both), np.int64)
    result[order] = found
    return np.where(result[len(nodes) :] == later, -1, result[len(nodes) :])
