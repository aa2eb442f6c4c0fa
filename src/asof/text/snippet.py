"""Snippets: the part of a passage that best shows why it was found; positions of the query's words."""

from __future__ import annotations

import html
import re
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


# -- removal of Markdown, wiki and HTML markup for display; what is stored and cited keeps it ----------

MAX_TAG = 400
"""The most characters of a tag or a comment; what is longer is text."""

_RULE = re.compile(r"[ \t]*(?:[-=*_|:+ \t]{3,}|(?:`{3,}|~{3,})[^\s`~]*)[ \t]*")
_BEFORE = re.compile(r"[ \t]*(?:>[ \t]*)*(?:\[![\w-]{1,40}\][+-]?[ \t]*)?(?:#{1,6}[ \t]+)?")
_AFTER_HEADING = re.compile(r"[ \t]+#+[ \t]*$")
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]|\n\\]*)(?:\\?\|([^\[\]\n]*))?\]\]")
_LINK = re.compile(r'!?\[([^\[\]]*)\]\((?:[^()\s"]|\([^()\s]*\))*(?:\s+"[^"\n]*")?\)')
_REFERENCE = re.compile(r"\[\^[^\[\]\s]{1,40}\]|(?<=\])\[[^\[\]\n]{0,100}\]")
_IMAGE = re.compile(r"(?i)\.(?:svg|png|jpe?g|gif|webp|avif|bmp)(?:#|$)")
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`]+)\1(?!`)")
_COMMENT = re.compile(rf"<!--.{{0,{MAX_TAG}}}?-->", re.DOTALL)
_TAG = re.compile(rf"</?([a-zA-Z][a-zA-Z0-9-]{{0,20}})(?:\s[^<>]{{0,{MAX_TAG}}})?/?>")
_INLINE = re.compile(r"(?i)a|abbr|b|code|del|em|i|ins|kbd|mark|q|s|small|span|strike|strong|su[bp]|tt|u")
_ADDRESS = re.compile(r"<((?:https?|mailto):[^<>\s]{1,400})>")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_EMPHASIS = (
    re.compile(r"(?<![\w*\\])(\*{1,3})(?=[^\s*])([^*]+)(?<=\S)\1(?!\*)"),
    re.compile(r"(?<![\w\\])(_{1,3})(?=[^\s_])([^_]+)(?<=\S)\1(?!\w)"),
    re.compile(r"(~~)(?=[^\s~])([^~]+)(?<=\S)~~"),
    re.compile(r"(==)(?=[^\s=])([^=]+)(?<=\S)=="),
)
_CUT = re.compile(r"^(\*{1,3}|_{1,3}|==)(?=\w)|(?<=[\w.!?])(\*{1,3}|_{1,3}|==)$")
_NESTED = 3
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def unmarked(text: str) -> str:
    """A text without marks of headings, emphasis, links, code, tables, tags; entities as their characters.

    A link is its text, a table's cells stay parted by |, code keeps what is in it. Lists keep their signs.

    >>> unmarked("## *Who* runs [the mole](mole.md)? See [[Harbour office|the office]] &amp; `a*b*c`")
    'Who runs the mole? See the office & a*b*c'
    """
    lines = [_line(line) for line in text.split("\n") if not _RULE.fullmatch(line)]
    text = _WIKILINK.sub(_target, "\n".join(lines))
    for _ in range(2):  # an image in a link
        text = _LINK.sub(r"\1", text)
    pieces, at = [], 0
    for code in _CODE.finditer(text):
        pieces += [_prose(text[at : code.start()]), code[2]]
        at = code.end()
    text = "".join([*pieces, _prose(text[at:])])
    return _CUT.sub("", text)  # of an emphasis that begins before the text, or ends behind it


def _line(line: str) -> str:
    """A line without the marks before and after it."""
    start = _BEFORE.match(line)
    if start is not None and start[0].strip():
        line = line[start.end() :]
        if "#" in start[0]:
            line = _AFTER_HEADING.sub("", line)
    row = line.strip()
    if len(row) > 2 and row[0] == row[-1] == "|":
        line = row[1:-1].strip()
    return line


def _target(link: re.Match[str]) -> str:
    """The displayed text of a wiki link: its alias (no width of an image), else target; "" for an image."""
    alias = (link[3] or "").strip()
    if alias and not (link[1] and alias.replace("x", "").isdigit()):
        return alias
    if link[1] and _IMAGE.search(link[2]):
        return ""
    return " › ".join(part for part in link[2].split("#") if part.strip())


def _prose(text: str) -> str:
    """A text outside of code."""
    text = _REFERENCE.sub("", _COMMENT.sub("", text))
    text = _ADDRESS.sub(r"\1", text)
    text = _TAG.sub(lambda tag: "" if _INLINE.fullmatch(tag[1]) else " ", text)
    for _ in range(_NESTED):
        before = text
        for mark in _EMPHASIS:
            text = mark.sub(r"\2", text)
        if text == before:
            break
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), _ESCAPED.sub(r"\1", text))
