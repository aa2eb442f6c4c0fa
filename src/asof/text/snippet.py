"""Snippets: the part of a passage that best shows why it was found; positions of the query's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from asof.errors import UsageError
from asof.text.tokens import Analyzer, spans

MIN_WIDTH = 20  # characters
ELLIPSIS = "…"

Match = tuple[int, int, frozenset[str]]  # the start and end of a word, the stems of the query that it is


def snippet(
    text: str, words: Collection[str], analyzer: Analyzer, language: str, width: int = 240
) -> tuple[str, list[tuple[int, int]]]:
    """At most `width` characters of a text, and the stretches of them to highlight.

    It is the window with the most distinct stems of the query's words, the earliest of equals; white space is
    folded to single spaces, and … marks cut text. Words match as they do in the index: by their stem in
    `language`, which must be one of the analyzer's, and by those of its other languages. Raises UsageError
    for a width under 20.
    """
    if width < MIN_WIDTH:
        raise UsageError(f"a snippet of {width} characters is too narrow; give at least {MIN_WIDTH}")
    flat = " ".join(text.split())
    query_stems = {stem for word in words for stem in analyzer.alternatives(word)}
    matches = _matches(flat, query_stems, analyzer, language) if query_stems else []
    if len(flat) <= width:
        return flat, _merged(matches, 0, len(flat), 0)
    start, end = _window(flat, matches, width - 2 * len(ELLIPSIS))
    before = ELLIPSIS if start else ""
    after = ELLIPSIS if end < len(flat) else ""
    return f"{before}{flat[start:end]}{after}", _merged(matches, start, end, len(before) - start)


def _matches(flat: str, query_stems: set[str], analyzer: Analyzer, language: str) -> list[Match]:
    matches: list[Match] = []
    stems_of: dict[tuple[str, ...], frozenset[str]] = {}
    for start, end, tokens in spans(flat):
        stems = stems_of.get(tokens)
        if stems is None:
            stems = frozenset(analyzer.stem(token, language) for token in tokens) & query_stems
            stems_of[tokens] = stems
        if stems:
            matches.append((start, end, stems))
    return matches


def _window(flat: str, matches: list[Match], width: int) -> tuple[int, int]:
    """The stretch to show: the best run of matches, with as much text before as after it, in whole words."""
    first, last = _best_run(matches, width)
    spare = max(0, width - (last - first))
    start = max(0, min(first - spare // 2, len(flat) - width))
    end = min(len(flat), start + width)
    if start and not flat[start - 1].isspace():
        space = flat.find(" ", start, first + 1)
        start = space + 1 if 0 <= space < first else start
    if end < len(flat) and not flat[end].isspace():
        space = flat.rfind(" ", max(last, start), end)
        end = space if space >= 0 else end
    return (start + 1 if flat[start].isspace() else start), (end - 1 if flat[end - 1].isspace() else end)


def _best_run(matches: list[Match], width: int) -> tuple[int, int]:
    """From the first to the last match of the best window; (0, 0) without any match."""
    best = (0, 0)
    most = 0
    inside: Counter[str] = Counter()
    left = 0
    for right, (_, end, stems) in enumerate(matches):
        inside.update(stems)
        while left < right and end - matches[left][0] > width:
            inside -= Counter(matches[left][2])
            left += 1
        if len(inside) > most:
            most = len(inside)
            best = (matches[left][0], end)
    return best


def _merged(matches: list[Match], start: int, end: int, shift: int) -> list[tuple[int, int]]:
    """The matches inside `[start, end)`, moved by `shift`; overlapping ones (pairs of Han) become one."""
    merged: list[tuple[int, int]] = []
    for first, last, _ in matches:
        if first < start or last > end:
            continue
        if merged and first + shift < merged[-1][1]:
            merged[-1] = (merged[-1][0], last + shift)
        else:
            merged.append((first + shift, last + shift))
    return merged
