"""HTML: the words of its body, a block a line, with headings, links and the dates in its `<meta>`s."""

from __future__ import annotations

from asof.data import Heading, Link, Problem
from asof.data.storable import line_feeds, storable
from asof.sources.markup import MarkupToken, pieces
from asof.sources.readers import ParsedFile, text_reader
from asof.sources.record import language_code
from asof.sources.source import InputLimits
from asof.sources.vault import link_to

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
    "article:published_time": "published",
    "date": "date",
    "dc.date": "created",
    "article:modified_time": "updated",
}


def parse_text(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """The text of a web page, its title, dates and links."""
    reading = _PageReading()
    for piece in pieces(text):
        reading.take(piece)
    reading.end_line()
    title = reading.title or next((h.title for h in reading.outline if h.level == 1), stem)
    notes = [
        Problem(
            f"<{name}> is never closed: what follows it is not read", remedy="mend the markup", lost=False
        )
        for name in reading.skipping[:1]
    ]
    return ParsedFile(
        "\n".join(reading.lines),
        title,
        tuple(reading.outline),
        tuple(dict.fromkeys(reading.links)),
        tuple(dict.fromkeys(reading.tags)),
        language=reading.language,
        front=reading.front,
        by="metadata",
        notes=tuple(notes),
    )


READER = text_reader(parse_text)


class _PageReading:
    """What has been read so far."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.outline: list[Heading] = []
        self.links: list[Link] = []
        self.tags: list[str] = []
        self.front: dict[str, str] = {}
        self.title = ""
        self.language = ""
        self.skipping: list[str] = []
        self._line: list[str] = []
        self._length = 0
        self._heading = 0
        self._in_title = False
        self._preformatted = 0

    def take(self, piece: MarkupToken) -> None:
        if self.skipping:
            self._skip(piece)
        elif piece.kind == "text":
            self._text(piece.text)
        elif piece.kind == "start":
            self._start(piece)
        else:
            self._end(piece.name)

    def _skip(self, piece: MarkupToken) -> None:
        if piece.kind == "start" and piece.name == self.skipping[-1]:
            self.skipping.append(piece.name)
        elif piece.kind == "end" and piece.name == self.skipping[-1]:
            self.skipping.pop()

    def _text(self, text: str) -> None:
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

    def _start(self, piece: MarkupToken) -> None:
        name = piece.name
        if name in _SKIPPED:
            self.skipping.append(name)
        elif name == "meta":
            self._meta(piece)
        elif name == "html":
            self.language = language_code(piece.attributes.get("lang", ""))
        elif name == "a" and (link := link_to(piece.attributes.get("href", "").strip())):
            self.links.append(link)
        if name in _BLOCKS:
            self.end_line()
            self._heading = _LEVELS.get(name, self._heading)
            self._in_title = name == "title"
            self._preformatted += name == "pre"
        elif name in ("td", "th"):
            self._line.append(" ")

    def _end(self, name: str) -> None:
        if name in _BLOCKS:
            self.end_line()
            self._in_title = False
            if name in _LEVELS:
                self._heading = 0
            elif name == "pre":
                self._preformatted = max(0, self._preformatted - 1)

    def _meta(self, piece: MarkupToken) -> None:
        get = piece.attributes.get
        name = (get("property") or get("name") or "").lower()
        content = storable(get("content", "")).strip()
        if content and name in _DATES:
            self.front.setdefault(_DATES[name], content)
        elif name == "keywords":
            self.tags += [word for part in content.split(",") if (word := " ".join(part.split()))]

    def end_line(self) -> None:
        """Blocks end lines; a line without words is none."""
        line = "".join(self._line)
        self._line.clear()
        line = line.rstrip() if self._preformatted else " ".join(line.split())
        if not line:
            return
        if self._heading:
            self.outline.append(Heading(self._length, self._heading, line.strip()))
        self.lines.append(line)
        self._length += len(line) + 1
