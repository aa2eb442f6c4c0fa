"""Reads Markdown (frontmatter, headings, links, tags of vaults), reStructuredText, AsciiDoc, plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import msgspec
from msgspec import Struct

from asof.sources.plainyaml import BadYaml, read_yaml
from asof.sources.readers import LONGEST_TITLE, ParsedFile, text_reader
from asof.sources.source import InputLimits
from asof.values import Heading, Link, Problem, storable

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


# -- frontmatter ---------------------------------------------------------------------------------------

_FENCE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)


class Front(Struct, frozen=True):
    """The values, the line of each top-level key, and duplicate keys, each with its line."""

    values: dict[str, Any] = msgspec.field(default_factory=dict)
    lines: dict[str, int] = msgspec.field(default_factory=dict)
    twice: list[tuple[str, int]] = msgspec.field(default_factory=list)


def split(text: str) -> tuple[str, int] | None:
    """The block between the `---` lines at the very top, and where the text after it starts; or None."""
    head, feed, _ = text.partition("\n")
    if not feed or head.rstrip(" \t") != "---":
        return None
    closing = _FENCE.search(text, len(head) + 1)
    if closing is None:
        return None
    return text[len(head) + 1 : closing.start()], min(closing.end() + 1, len(text))


def parse(block: str, largest: int) -> Front:
    """The values in a block of frontmatter of at most `largest` bytes. Raises BadYaml."""
    size = len(block.encode())
    if size > largest:
        raise BadYaml(f"its frontmatter has {size} bytes; the limit is {largest}")
    read = read_yaml(block, "its frontmatter", first=2, strict=True)
    if len(read.documents) > 1:
        raise BadYaml("its frontmatter holds more than one YAML document", 2)
    values = read.documents[0] if read.documents else None
    if values is not None and not isinstance(values, dict):
        what = "a list" if isinstance(values, list) else "a text"
        raise BadYaml(f"its frontmatter is {what}; accepted are lines like `key: value`", 2)
    return Front(values or {}, read.lines, read.twice)


# -- vaults: `[[links]]`, `![[embeds]]`, `#tags`, and links to relative files --------------------------

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
            words = (match[1] for match in _TAG.finditer(_HTML_TAG.sub(_blank, prose)))
            words = (word for word in words if any(map(str.isalpha, word)) and not _COLOUR.fullmatch(word))
            tags.update(dict.fromkeys(name for word in words if (name := tag(word))))
    return list(links), list(tags)


def tag(word: str) -> str:
    """A tag in the form that is compared: without its `#`, and without slashes and dashes at its ends."""
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
    """The text with spaces in place of its code spans, which are between equal runs of backticks."""
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


def _blank(match: re.Match[str]) -> str:
    return " " * (match.end() - match.start())


# -- Markdown ------------------------------------------------------------------------------------------

_LINK_WORDS = re.compile(r"!?\[\[(?:[^\[\]\n|]*\|)?([^\[\]\n|]+)\]\]|!?\[([^\[\]]*)\]\([^()\s]*\)")
_SPACES = re.compile(r"[,\s]+")


def parse_markdown(text: str, stem: str, limits: InputLimits) -> ParsedFile:
    """A Markdown file parsed. Its text is what follows the frontmatter, or all of it if that is broken."""
    front, body, skipped, notes = _front(text, limits)
    outline, paragraphs = _blocks(body, skipped)
    links, tags = marks(paragraphs)
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


MARKDOWN = text_reader(parse_markdown)

SUFFIXES = (".md", ".markdown")


def _front(text: str, limits: InputLimits) -> tuple[Front, str, int, list[Problem]]:
    """The frontmatter, the text after it, how much of that text is broken frontmatter, and what is wrong."""
    parts = split(text)
    if parts is None:
        return Front(), text, 0, []
    block, start = parts
    try:
        front = parse(block, limits.frontmatter)
    except BadYaml as wrong:
        remedy = "put texts with signs like { [ : * in quotes"
        return Front(), text, start, [Problem(str(wrong), line=wrong.line, remedy=remedy, lost=False)]
    twice = "{!r} stands twice in the frontmatter: the last one counts"
    notes = [Problem(twice.format(key), line=line, lost=False) for key, line in front.twice]
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
    starts = [0, *(feed.end() for feed in re.finditer("\n", source))] if opened else []
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
    return [name for word in words if (name := tag(word))]


def _written(value: Any) -> list[Link]:
    """The links in a value of the frontmatter."""
    if isinstance(value, str):
        return [link for match in _WIKI.finditer(value) if (link := _wiki(match))]
    if isinstance(value, dict):
        value = list(value.values())
    return [link for item in value for link in _written(item)] if isinstance(value, list) else []


# -- reStructuredText: the text as it is, and its section titles ---------------------------------------

_ENOUGH = 4  # an underline that is shorter than its title counts from here on


def parse_rst(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """The text of a reStructuredText file; its first section title is the title."""
    outline = tuple(_sections(text))
    return ParsedFile(text, outline[0].title if outline else stem, outline)


RST = text_reader(parse_rst)


def _sections(text: str) -> Iterator[Heading]:
    """Titles with a line of one repeated sign below, or above and below; levels by order of first use."""
    levels: dict[tuple[str, bool], int] = {}
    lines = text.split("\n")
    offset = 0
    after = 0  # lines before this one belong to a title already
    for number, line in enumerate(lines):
        if number >= after:
            section = _over_and_under(lines, number) or _under(lines, number)
            if section:
                sign, over, title = section
                level = levels.setdefault((sign, over), len(levels) + 1)
                yield Heading(offset, level, title)
                after = number + (3 if over else 2)
        offset += len(line) + 1


def _over_and_under(lines: list[str], number: int) -> tuple[str, bool, str] | None:
    if number + 2 >= len(lines):
        return None
    over, title, under = lines[number].rstrip(), lines[number + 1].strip(), lines[number + 2].rstrip()
    if over and title and over == under and (sign := _adornment(over)) and not _adornment(title):
        return (sign, True, title) if len(over) >= min(len(title), _ENOUGH) else None
    return None


def _under(lines: list[str], number: int) -> tuple[str, bool, str] | None:
    line = lines[number]
    if not line or line[0].isspace() or number + 1 >= len(lines) or (number and lines[number - 1].strip()):
        return None
    title, under = line.rstrip(), lines[number + 1].rstrip()
    sign = _adornment(under)
    if sign and len(under) >= min(len(title), _ENOUGH) and not _adornment(title):
        return sign, False, title
    return None


def _adornment(line: str) -> str:
    """The sign that a line consists of; empty if it is no such line."""
    sign = line[:1]
    if not sign or not sign.isascii() or not sign.isprintable() or sign.isalnum() or sign == " ":
        return ""
    return sign if line.count(sign) == len(line) else ""


# -- AsciiDoc: the text as it is, and its section titles -----------------------------------------------

_ADOC_TITLE = re.compile(r"^(={1,6})[ \t]+(\S.*)$", re.MULTILINE)
_ADOC_BLOCK = re.compile(r"^(-{4,}|\.{4,}|/{4,})[ \t]*\n.*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
"""Code, literal text and comments, in which a line of `=` is no title."""


def parse_asciidoc(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """The text of an AsciiDoc file; its first section title is the title."""
    titles = _ADOC_TITLE.finditer(_ADOC_BLOCK.sub(_blank, text))
    outline = tuple(Heading(title.start(), len(title[1]), title[2].rstrip()) for title in titles)
    return ParsedFile(text, outline[0].title if outline else stem, outline)


ASCIIDOC = text_reader(parse_asciidoc)


# -- plain text ----------------------------------------------------------------------------------------


def parse_plain(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """A text whose first line is the title if it is short."""
    first = text.lstrip().partition("\n")[0].rstrip()
    return ParsedFile(text, first if len(first) <= LONGEST_TITLE else stem)
