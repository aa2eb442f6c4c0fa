"""Markdown: frontmatter, headings by CommonMark's rules, and what vaults add to it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from asof.data import Heading, Link, Problem
from asof.sources import vault
from asof.sources.frontmatter import BadFrontmatter, Front, parse, split
from asof.sources.readers import ParsedFile, text_reader
from asof.sources.source import InputLimits

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LINK_WORDS = re.compile(r"!?\[\[(?:[^\[\]\n|]*\|)?([^\[\]\n|]+)\]\]|!?\[([^\[\]]*)\]\([^()\s]*\)")
_SPACES = re.compile(r"[,\s]+")


def parse_text(text: str, stem: str, limits: InputLimits) -> ParsedFile:
    """A Markdown file parsed. Its text is what follows the frontmatter, or all of it if that is broken."""
    front, body, skipped, notes = _front(text, limits)
    outline, paragraphs = _blocks(body, skipped)
    links, tags = vault.marks(paragraphs)
    values = dict(front.values)
    for value in values.values():
        links += _written(value)
    title = _title(values.pop("title", None)) or next(
        (h.title for h in outline if h.level == 1 and h.title), stem
    )
    tags = [*_tags(values.pop("tags", None)), *_tags(values.pop("tag", None)), *tags]
    aliases = [*_texts(values.pop("aliases", None)), *_texts(values.pop("alias", None))]
    return ParsedFile(
        body,
        title,
        tuple(outline),
        tuple(dict.fromkeys(links)),
        tuple(dict.fromkeys(tags)),
        tuple(dict.fromkeys(aliases)),
        front=values,
        lines=front.lines,
        notes=tuple(notes),
    )


READER = text_reader(parse_text)

SUFFIXES = (".md", ".markdown")


def _front(text: str, limits: InputLimits) -> tuple[Front, str, int, list[Problem]]:
    """The frontmatter, the text after it, how much of that text is broken frontmatter, and what is wrong."""
    parts = split(text)
    if parts is None:
        return Front(), text, 0, []
    block, start = parts
    try:
        front = parse(block, limits.frontmatter)
    except BadFrontmatter as wrong:
        return (
            Front(),
            text,
            start,
            [
                Problem(
                    str(wrong),
                    line=wrong.line,
                    remedy="put texts with signs like { [ : * in quotes",
                    lost=False,
                )
            ],
        )
    notes = [
        Problem(
            f"{key!r} stands twice in the frontmatter: the last one counts", line=front.lines[key], lost=False
        )
        for key in front.twice
    ]
    return front, text[start:], 0, notes


def _blocks(body: str, skipped: int) -> tuple[list[Heading], list[str]]:
    """The headings that are in no list or quotation, and the inline text of every block that has any."""
    from markdown_it.token import Token

    source = body[skipped:] if skipped else body
    tokens: list[Token] = []
    parser = _parser()
    parser.block.parse(source, parser, {}, tokens)
    opened = [
        (place, token)
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and not token.level
    ]
    starts = _line_starts(source) if opened else []
    outline = [
        Heading(skipped + starts[token.map[0]], int(token.tag[1]), _plain(tokens[place + 1].content))
        for place, token in opened
        if token.map
    ]
    return outline, [token.content for token in tokens if token.type == "inline"]


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _line_starts(text: str) -> list[int]:
    starts, at = [0], text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def _plain(title: str) -> str:
    """A heading's words without the marks of links, emphasis and code."""
    if "[" in title:
        title = _LINK_WORDS.sub(lambda match: match[1] or match[2] or "", title)
    return " ".join(title.replace("*", "").replace("`", "").split())


def _title(value: Any) -> str:
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _texts(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [words for item in items if (words := _title(item))]


def _tags(value: Any) -> list[str]:
    words = _texts(value)
    if isinstance(value, str):
        words = _SPACES.split(value)
    return [name for word in words if (name := vault.tag(word))]


def _written(value: Any) -> list[Link]:
    """The links in a value of the frontmatter."""
    if isinstance(value, str):
        return vault.wikilinks(value) if "[[" in value else []
    if isinstance(value, dict):
        value = list(value.values())
    return [link for item in value for link in _written(item)] if isinstance(value, list) else []
