"""Boilerplate: lines that many documents of a view have, such as the instructions of a template or a licence.

A line is boilerplate if SHARE of the current documents, and at least LEAST, have it word for word. The index
has no lines: the documents with all of its words in one passage are counted, and some of them are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil

import numpy as np

from asof.index.lexical import Term, having_all
from asof.index.view import View
from asof.text.tokens import term_hash, tokenize

SHARE, LEAST = 0.2, 5
"""The share of the current documents that have a line of boilerplate, and how many do so at least."""

SHORTEST, FIRST, READ = 4, 3, 64
"""The fewest words of such a line, the stems of it that are looked up first, and the most passages read."""


def common_lines(view: View, passages: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The lines of some passages (text and language) that are boilerplate, each as its words."""
    known = _known(view)
    every = {(line, language) for text, language in passages for line in lines_of(text)}
    new = {each: view.analyzer.terms(*each) for each in every - known.keys()}
    hashes = {stem: term_hash(stem) for terms in new.values() for stem in terms}
    most = dict(zip(hashes, view.prefix.most_dfs(list(hashes.values())).tolist(), strict=True))
    enough = _enough(view)
    for each, terms in new.items():
        rarest = sorted(set(terms), key=lambda stem: (most[stem], stem))
        often = most[rarest[0]] >= enough <= min(view.dfs([hashes[stem] for stem in rarest[:FIRST]]))
        known[each] = often and _stands(each[0], rarest, view)
    return frozenset(each[0] for each in every if known[each])


def _known(view: View) -> dict[tuple[str, str], bool]:
    """Which lines are boilerplate, by line and language; kept with the view."""
    known: dict[tuple[str, str], bool] = view.prefix.memo.setdefault("boilerplate", {})
    return known


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text that are long enough to be boilerplate, each as its words."""
    return (" ".join(words) for words in map(tokenize, text.splitlines()) if len(words) >= SHORTEST)


def is_boilerplate(text: str, start: int, end: int, common: frozenset[str]) -> bool:
    """True if all lines in which a stretch of a text lies are among these lines of boilerplate."""
    end = text.find("\n", max(end - 1, start))
    lines = list(lines_of(text[text.rfind("\n", 0, start) + 1 : None if end < 0 else end]))
    return bool(lines) and common.issuperset(lines)


def _enough(view: View) -> int:
    """The number of documents that make a line boilerplate."""
    if "documents" not in view.prefix.memo:
        window = view.prefix.window()
        places = np.arange(window.n)
        current = view.column("document", window.rows(places[window.visible(places)]))
        view.prefix.memo["documents"] = len(np.unique(current))
    return max(LEAST, ceil(SHARE * int(view.prefix.memo["documents"])))


def _stands(line: str, stems: list[str], view: View) -> bool:
    """True if enough documents have a line: those with all of its stems in a passage, times the share of some
    of these, evenly spread in the order of ties, that have it."""
    window, enough = view.prefix.window(), _enough(view)
    terms = [[Term(stem, term_hash(stem))] for stem in stems]
    if len(having_all(window, terms[:FIRST])) < enough:
        return False
    rows = window.rows(having_all(window, terms))
    documents = len(np.unique(view.column("document", rows)))
    if documents < enough:
        return False
    some = rows[view.tie_order(np.zeros(len(rows)), rows)[:: ceil(len(rows) / READ)]]
    have = sum(line in lines_of(record.text) for record in view.records(some))
    return documents * have >= enough * len(some)
