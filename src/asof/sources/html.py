"""Reads HTML: body text, a line for each block, with headings, links, and the dates that the page states.

Not `html.parser`: on broken markup it takes quadratic time (60 kB of `<a ` half a minute) and can fail with
an AssertionError. Here a tag that is never closed turns the rest into text.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from asof.errors import BadTime
from asof.sources import dates
from asof.sources.markdown import link_to
from asof.sources.readers import ParsedFile, text_reader
from asof.sources.records import language_code
from asof.sources.source import InputLimits
from asof.text.passages import count_words
from asof.values import Heading, Link, Problem, line_feeds, storable

# -- tokenizer: texts and tags in one pass -------------------------------------------------------------

RAW = {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}
"""Elements whose content holds no tags."""

_NAME = re.compile(r"[A-Za-z][^\s/>]{0,200}")
_ATTRIBUTE = re.compile(r"([^\s/>=][^\s/>=]*)(\s*=\s*)?")
_SPACE = re.compile(r"[\s/]*")
_DECLARATIONS = re.compile(
    r"\s*+(?>(?:(?:<\?[^>]*+>|<!--(?>(?:[^-]|-(?!->))*)-->)\s*+)*)<!DOCTYPE[^>\[]*+\[.*?\]\s*+>",
    re.IGNORECASE | re.DOTALL,
)
"""What begins an XHTML whose document type declares something (entities, mostly), up to its end."""

_CHARSET = re.compile(rb"charset\s{0,9}=\s{0,9}[\"']?([A-Za-z0-9][A-Za-z0-9._:-]{0,40})", re.IGNORECASE)
_UNQUOTED = re.compile(r"[^\s>]*")


class MarkupToken(NamedTuple):
    """A text (entities decoded), or the start or the end of the element `name`."""

    kind: str
    name: str = ""
    text: str = ""
    attributes: Mapping[str, str] = {}


class MarkupWalk:
    """Takes pieces one by one and hands them on, without what is in elements that are skipped: `on_start`
    puts the name of one into `skipping`, and what follows goes nowhere until the end of that element."""

    def __init__(self) -> None:
        self.skipping: list[str] = []

    def take(self, piece: MarkupToken) -> None:
        if self.skipping:
            self._skip(piece)
        elif piece.kind == "text":
            self.on_text(piece.text)
        elif piece.kind == "start":
            self.on_start(piece)
        else:
            self.on_end(piece.name)

    def _skip(self, piece: MarkupToken) -> None:
        if piece.kind == "text":
            self.on_skipped(piece.text)
        elif piece.name == self.skipping[-1]:
            if piece.kind == "start":
                self.skipping.append(piece.name)
            else:
                self.skipping.pop()

    def on_text(self, text: str) -> None:
        """A text that is read."""
        raise NotImplementedError

    def on_start(self, piece: MarkupToken) -> None:
        """The start of an element that is read."""
        raise NotImplementedError

    def on_end(self, name: str) -> None:
        """The end of an element that is read, or of none that was open."""
        raise NotImplementedError

    def on_skipped(self, text: str) -> None:
        """A text in an element that is skipped."""


def declared_charset(raw: bytes) -> str:
    """The encoding that a page declares in its first 2,048 bytes; "" where it declares none."""
    found = _CHARSET.search(raw[:2_048])
    return found[1].decode("ascii") if found else ""


def pieces(source: str) -> Iterator[MarkupToken]:
    """The pieces of an HTML text in order. Linear in its length, whatever stands in it."""
    at = _past(_DECLARATIONS, source, 0)
    while at < len(source):
        opening = source.find("<", at)
        if opening < 0:
            yield MarkupToken("text", text=html.unescape(source[at:]))
            return
        if opening > at:
            yield MarkupToken("text", text=html.unescape(source[at:opening]))
        at, piece = _tag(source, opening)
        if piece:
            yield piece
            if piece.kind == "start" and piece.name in RAW:
                end = _end_of_raw(source, at, piece.name)
                if end > at:
                    raw = source[at:end]
                    yield MarkupToken(
                        "text", text=html.unescape(raw) if piece.name in ("title", "textarea") else raw
                    )
                at = end


def _tag(source: str, at: int) -> tuple[int, MarkupToken | None]:
    """The token that begins with the `<` at a place, and its end."""
    if source.startswith("<!--", at):
        end = source.find("-->", at + 2)
        return (len(source) if end < 0 else end + 3), None
    closing = source.startswith("/", at + 1)
    name = _NAME.match(source, at + 2 if closing else at + 1)
    if name is None:
        if source[at + 1 : at + 2] in ("!", "?", "/"):
            end = source.find(">", at)
            return (len(source) if end < 0 else end + 1), None
        return at + 1, MarkupToken("text", text="<")
    end, attributes = _attributes(source, name.end())
    if end < 0:
        return len(source), MarkupToken("text", text=html.unescape(source[at:]))
    return end, MarkupToken("end" if closing else "start", name[0].lower(), "", attributes)


def _attributes(source: str, at: int) -> tuple[int, dict[str, str]]:
    """The attributes of a tag and where it ends; -1 if it does not."""
    attributes: dict[str, str] = {}
    while True:
        at = _past(_SPACE, source, at)
        if at >= len(source):
            return -1, attributes
        if source[at] == ">":
            return at + 1, attributes
        name = _ATTRIBUTE.match(source, at)
        if name is None:  # a lone `=`
            at += 1
            continue
        at, value = name.end(), ""
        if name[2]:
            quote = source[at : at + 1]
            if quote in ('"', "'") and quote:
                end = source.find(quote, at + 1)
                if end < 0:
                    return -1, attributes
                value, at = source[at + 1 : end], end + 1
            else:
                end = _past(_UNQUOTED, source, at)
                value, at = source[at:end], end
        attributes.setdefault(name[1].lower(), html.unescape(value))


def _past(pattern: re.Pattern[str], source: str, at: int) -> int:
    match = pattern.match(source, at)
    return match.end() if match else at


def _end_of_raw(source: str, at: int, name: str) -> int:
    match = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(source, at)
    return match.start() if match else len(source)


# -- page ----------------------------------------------------------------------------------------------

_SKIPPED = {"script", "style", "nav", "template"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1",
    "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "legend", "li", "main",
    "menu", "ol", "optgroup", "option", "p", "pre", "search", "section", "summary", "table", "tbody",
    "tfoot", "thead", "title", "tr", "ul",
}  # fmt: skip
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_DATES = {
    "article:published_time": "published", "datepublished": "published", "dc.date.issued": "published",
    "citation_publication_date": "published", "date": "date", "dc.date": "created",
    "dcterms.issued": "published", "dcterms.created": "created",
    "article:modified_time": "updated", "datemodified": "updated", "dcterms.modified": "updated",
    "dc.date.modified": "updated",
}  # fmt: skip
"""What the names of `<meta>`s and the keys of JSON-LD that hold dates are called in the front."""

_ASIDE = {"header", "footer", "aside"}
_SLASHES = re.compile(r"[0-9]{4}/[0-9]{2}(?:/[0-9]{2})?")
_ARTICLE = re.compile("Article|Posting|Report")


class _Line(NamedTuple):
    """A line of a page, its level if it is a heading (else 0), and where it stands: "main", "aside", ""."""

    text: str
    heading: int
    place: str


def parse_text(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """The text of a web page, its title, dates and links; without headers, footers and asides outside of its
    `<main>` or `<article>`, if it has one of these, with half of the words or more."""
    reading = _PageReading()
    for piece in pieces(text):
        reading.take(piece)
    reading.end_line()
    lines, links = reading.main_text()
    outline = tuple(_outline(lines))
    title = reading.title or reading.named or next((h.title for h in outline if h.level == 1), stem)
    lost = "<{}> is never closed: what follows it is not read"
    notes = [
        Problem(lost.format(name), remedy="mend the markup", lost=False) for name in reading.skipping[:1]
    ]
    return ParsedFile(
        "\n".join(line.text for line in lines), title, outline, tuple(dict.fromkeys(links)),
        tuple(dict.fromkeys(reading.tags)), language=reading.language, front=reading.dates.front(),
        by="metadata", notes=tuple(notes),
    )  # fmt: skip


HTML = text_reader(parse_text, declared_charset)


class _PageReading(MarkupWalk):
    """The state of reading a page; `named` is the title that the page shows to others."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[_Line] = []
        self.links: list[tuple[Link, str]] = []  # and the place of each, as of a line
        self.tags: list[str] = []
        self.dates = _PageDates()
        self.title = self.named = self.language = ""
        self._line: list[str] = []
        self._in_title = self._in_json = False
        self._heading = self._preformatted = 0
        self._open = {"main": 0, "article": 0}  # how many elements are open
        self._mains = 0  # how many there were that stand in no other
        self._asides = 0

    @property
    def _place(self) -> str:
        return "main" if any(self._open.values()) else "aside" if self._asides else ""

    def main_text(self) -> tuple[list[_Line], list[Link]]:
        """The lines and links; of a page with one main text without those beside it."""
        words = [(count_words(line.text), line.place == "main") for line in self.lines]
        most = 2 * sum(count for count, main in words if main) >= sum(count for count, _ in words)
        # What is never closed beside the main text may hold anything.
        left_out = "aside" if self._mains == 1 and most and not self._asides else None
        lines = [line for line in self.lines if line.place != left_out]
        return lines, [link for link, place in self.links if place != left_out]

    def on_skipped(self, text: str) -> None:
        if self._in_json:
            self.dates.take_json(text)

    def on_text(self, text: str) -> None:
        text = storable(line_feeds(text))
        if self._in_title:
            self.title = self.title or " ".join(text.split())
        elif self._preformatted and "\n" in text:
            first, *rest = text.split("\n")
            self._line.append(first)
            for line in rest:
                self.end_line()
                self._line.append(line)
        else:
            self._line.append(text)

    def on_start(self, piece: MarkupToken) -> None:
        name, get = piece.name, piece.attributes.get
        if name in _SKIPPED:
            self.skipping.append(name)
            self._in_json = name == "script" and get("type", "").strip().lower() == "application/ld+json"
        elif name == "meta":
            self._meta(piece)
        elif name == "html":
            self.language = language_code(get("lang", ""))
        elif name == "a" and (link := link_to(get("href", "").strip())):
            self.links.append((link, self._place))
        elif name == "time" and ("pubdate" in piece.attributes or self._open["article"]):
            self.dates.take_time(get("datetime", "").strip())
        if name in _BLOCKS:
            self.end_line()
            self._heading = _LEVELS.get(name, self._heading)
            self._in_title = name == "title"
            self._preformatted += name == "pre"
            self._asides += name in _ASIDE and self._place != "main"
            if name in self._open:
                self._mains += self._place != "main"
                self._open[name] += 1
        elif name in ("td", "th"):
            self._line.append(" ")

    def on_end(self, name: str) -> None:
        if name in _BLOCKS:
            self.end_line()
            self._in_title = False
            if name in _LEVELS:
                self._heading = 0
            elif name == "pre":
                self._preformatted = max(0, self._preformatted - 1)
            elif name in self._open:
                self._open[name] = max(0, self._open[name] - 1)
            elif name in _ASIDE and self._place != "main":
                self._asides = max(0, self._asides - 1)

    def _meta(self, piece: MarkupToken) -> None:
        get = piece.attributes.get
        name = (get("property") or get("name") or get("itemprop") or "").lower()
        content = storable(get("content", "")).strip()
        if name in _DATES:
            self.dates.take(name, content)
        elif name == "keywords":
            self.tags += [word for part in content.split(",") if (word := " ".join(part.split()))]
        elif name == "og:title":
            self.named = self.named or " ".join(content.split())

    def end_line(self) -> None:
        """Blocks end lines; a line without words is none."""
        line = "".join(self._line)
        self._line.clear()
        line = line.rstrip() if self._preformatted else " ".join(line.split())
        if line:
            self.lines.append(_Line(line, self._heading, self._place))


def _outline(lines: Sequence[_Line]) -> Iterator[Heading]:
    offset = 0
    for line in lines:
        if line.heading:
            yield Heading(offset, line.heading, line.text.strip())
        offset += len(line.text) + 1


class _PageDates:
    """The dates that a page states, as written: in `<meta>`s and JSON-LD, and else in its first `<time>`."""

    def __init__(self) -> None:
        self._said: dict[str, list[str]] = {}
        self._time = ""

    def take(self, name: str, value: str) -> None:
        if value:
            plain = value.replace("/", "-") if _SLASHES.fullmatch(value) else value
            self._said.setdefault(_DATES[name], []).append(plain)

    def take_time(self, value: str) -> None:
        self._time = self._time or (value if _is_date(value) else "")

    def take_json(self, text: str) -> None:
        """The dates of the objects of JSON-LD, those of articles first. What is no JSON says nothing."""
        try:
            objects = list(_objects(json.loads(text, strict=False)))
            objects.sort(key=lambda each: not _ARTICLE.search(str(each.get("@type"))))
        except (ValueError, RecursionError):
            return
        for each in objects:
            for key in ("datePublished", "dateModified"):
                if isinstance(value := each.get(key), str):
                    self.take(key.lower(), storable(value).strip())

    def front(self) -> dict[str, str]:
        """Of each kind of date the first that can be read, or the first."""
        front = {key: next(filter(_is_date, values), values[0]) for key, values in self._said.items()}
        if self._time and not front.keys() & {"published", "date", "created"}:
            front["published"] = self._time
        return front


def _objects(data: Any) -> Iterator[dict[str, Any]]:
    """The objects of JSON-LD that stand for themselves: at its top, in a list, or in a graph."""
    if isinstance(data, dict):
        yield data
        data = data.get("@graph")
    for each in data if isinstance(data, list) else ():
        yield from _objects(each)


def _is_date(text: str) -> bool:
    try:
        return dates.stated(text.strip(), "metadata") is not None
    except BadTime:
        return False
