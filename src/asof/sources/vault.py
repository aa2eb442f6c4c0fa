"""What notes say beside Markdown: `[[links]]`, `![[embeds]]`, `#tags`; and links to relative files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from asof.data import Link
from asof.data.storable import storable

_WIKI = re.compile(r"(!?)\[\[([^\[\]\n]+)\]\]")
_MARKDOWN = re.compile(
    r"(!?)\[([^\[\]]*)\]\(\s{0,9}(?:<([^<>\n]*)>|([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*))"
    r"(?:\s{1,9}(?:\"[^\"\n]*\"|'[^'\n]*'))?\s{0,9}\)"
)
_HTML_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
# Not \w: it has no vowel signs, which the words of many scripts are written with.
_TAG = re.compile(r"(?:^|(?<=[\s(,;]))#([^\s!-,.:-@\[-^`{-~«»\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f]+)")
_COLOUR = re.compile(
    r"(?=[a-f]*[0-9])(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|([0-9a-f])\1{2}(?:\1{3})?", re.I
)
_TICKS = re.compile(r"`+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|/")


def wikilink(text: str) -> Link | None:
    """The link of a text that is one `[[link]]` or `![[embed]]` and nothing else; None otherwise."""
    match = _WIKI.fullmatch(text.strip())
    return _wiki(match) if match else None


def wikilinks(text: str) -> list[Link]:
    """All `[[links]]` in a text that is no Markdown (a value of the frontmatter)."""
    return [link for match in _WIKI.finditer(text) if (link := _wiki(match))]


def marks(paragraphs: Iterable[str]) -> tuple[list[Link], list[str]]:
    """The links and the tags in the inline text of blocks, in the order of the text."""
    links: dict[Link, None] = {}
    tags: dict[str, None] = {}
    for text in paragraphs:
        if "[" not in text and "#" not in text:
            continue
        prose = without_code(text)
        links_at: list[tuple[int, Link]] = []
        if "[[" in prose:
            links_at += [(m.start(), link) for m in _WIKI.finditer(prose) if (link := _wiki(m))]
            prose = _WIKI.sub(_blank, prose)
        if "](" in prose:
            links_at += [(m.start(), link) for m in _MARKDOWN.finditer(prose) if (link := _relative(m))]
            prose = _MARKDOWN.sub(_blank, prose)
        links.update(dict.fromkeys(link for _, link in sorted(links_at, key=lambda pair: pair[0])))
        if "#" in prose:
            tags.update(dict.fromkeys(_tags(_HTML_TAG.sub(_blank, prose))))
    return list(links), list(tags)


def tag(word: str) -> str:
    """A tag as it is compared: without its `#`, and without slashes and dashes at its ends."""
    return word.strip().lstrip("#").strip("/-")


def link_to(target: str, alias: str = "", kind: str = "link") -> Link | None:
    """The link to a URL that is a relative path (decoded; its fragment is the heading); None for others."""
    if _SCHEME.match(target):
        return None
    path, _, heading = target.partition("#")
    path = path.partition("?")[0]
    if not path:
        return None  # another place of the same page
    return Link(storable(unquote(path)), storable(unquote(heading)), storable(alias), kind)


def without_code(text: str) -> str:
    """The text with spaces in place of its code spans, which lie between equal runs of backticks."""
    if "`" not in text:
        return text
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(text)]
    partner: list[int | None] = [None] * len(runs)
    last: dict[int, int] = {}
    for number in range(len(runs) - 1, -1, -1):
        start, end = runs[number]
        partner[number] = last.get(end - start)
        last[end - start] = number
    pieces: list[str] = []
    done = number = 0
    while number < len(runs):
        start, _ = runs[number]
        closing = partner[number]
        if closing is None or _escaped(text, start, done):
            number += 1
            continue
        end = runs[closing][1]
        pieces += [text[done:start], " " * (end - start)]
        done, number = end, closing + 1
    return "".join([*pieces, text[done:]])


def _escaped(text: str, at: int, start: int) -> bool:
    before = text[start:at] if at - start < 64 else text[at - 64 : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _wiki(match: re.Match[str]) -> Link | None:
    inner = match[2].replace("\\|", "|")  # in a table the bar is escaped
    where, _, alias = inner.partition("|")
    target, _, heading = where.partition("#")
    if not target.strip():
        return None  # a heading of the same note
    return Link(target.strip(), heading.strip(), alias.strip(), "embed" if match[1] else "link")


def _relative(match: re.Match[str]) -> Link | None:
    target = match[3] if match[3] is not None else match[4]
    return link_to(target, match[2].strip(), "embed" if match[1] else "link") if target else None


def _tags(prose: str) -> list[str]:
    words = (match[1] for match in _TAG.finditer(prose))
    return [
        name
        for word in words
        if any(map(str.isalpha, word)) and not _COLOUR.fullmatch(word) and (name := tag(word))
    ]


def _blank(match: re.Match[str]) -> str:
    return " " * (match.end() - match.start())
