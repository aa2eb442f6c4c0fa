"""Where links stand in the text of a passage, and in which sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from asof.sources.vault import link_to, wikilink
from asof.stale.statements import statements

_WIKI = re.compile(r"!?\[\[[^\[\]\n]+\]\](?!\()")
_MARKDOWN = re.compile(
    r"(!?)\[([^\[\]]*)\]\(\s{0,9}(?:<([^<>\n]*)>|([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*))"
    r"(?:\s{1,9}(?:\"[^\"\n]*\"|'[^'\n]*'))?\s{0,9}\)"
)
_WORD = re.compile(r"[^\W\d_]{2,}")


class LinkAt(NamedTuple):
    """A link that stands at `[start, end)` of a text. `wiki`: written `[[so]]`; `embed`: with a `!`."""

    start: int
    end: int
    target: str
    heading: str
    embed: bool
    wiki: bool


class LinkSentence(NamedTuple):
    """The sentence `[start, end)` of a text in which a link stands; `words`: how many it has beside links."""

    start: int
    end: int
    words: int
    link: LinkAt


def links_in(text: str) -> Iterator[LinkAt]:
    """The links to documents in a text, as the stored ones are written; those in code are among them."""
    for match in _WIKI.finditer(text):
        if link := wikilink(match[0]):
            yield LinkAt(*match.span(), link.target, link.heading, link.kind == "embed", True)
    for match in _MARKDOWN.finditer(text):
        target = match[3] if match[3] is not None else match[4]
        if target and (link := link_to(target)):
            yield LinkAt(*match.span(), link.target, link.heading, bool(match[1]), False)


def link_sentences(text: str, wanted: Callable[[LinkAt], bool]) -> Iterator[LinkSentence]:
    """The links of a text that stand in sentences, with these, if one of the links is wanted; not those in
    fenced code."""
    links = sorted(links_in(text))
    if not any(map(wanted, links)):
        return
    at = 0
    for start, end in statements(text):
        while at < len(links) and links[at].start < start:
            at += 1
        inside = at
        while inside < len(links) and links[inside].start < end:
            inside += 1
        if inside > at:
            words = _words_beside(text, start, end, links[at:inside])
            yield from (LinkSentence(start, end, words, link) for link in links[at:inside])
        at = inside


def _words_beside(text: str, start: int, end: int, links: list[LinkAt]) -> int:
    count, at = 0, start
    for link in links:
        count += len(_WORD.findall(text, at, max(link.start, at)))
        at = max(at, link.end)
    return count + len(_WORD.findall(text, at, max(end, at)))
