"""Reads HTML: the blocks of its body with headings, links, and the dates that the page states."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from asof.documents import Link, Problem, line_feeds, storable
from asof.sources import dates
from asof.sources.blocks import Block, written
from asof.sources.html_walk import BLOCKS, HtmlLines, MarkupToken, declared_charset
from asof.sources.markdown import link_to
from asof.sources.readers import ParsedFile, text_reader
from asof.sources.records import language_code
from asof.sources.source import InputLimits
from asof.text.passages import count_words

_DATES = {
    "article:published_time": "published", "datepublished": "published", "dc.date.issued": "published",
    "citation_publication_date": "published", "date": "date", "dc.date": "created",
    "dcterms.issued": "published", "dcterms.created": "created",
    "article:modified_time": "updated", "datemodified": "updated", "dcterms.modified": "updated",
    "dc.date.modified": "updated",
}  # fmt: skip
"""The front's keys for the names of `<meta>`s and the keys of JSON-LD that hold dates."""

_ASIDE = {"header", "footer", "aside"}
_ARTICLE = re.compile("Article|Posting|Report")


def parse_text(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """The text of a web page, its title, dates and links; without headers, footers and asides outside of its
    `<main>` or `<article>`, if it has one of these, with half of the words or more."""
    reading = _PageReading().read(text)
    blocks, links = reading.main_text()
    plain, outline = written(blocks)
    title = reading.title or reading.named or next((h.title for h in outline if h.level == 1), stem)
    notes = (Problem(each, remedy="mend the markup", lost=False) for each in reading.faults())
    return ParsedFile(
        plain, title, outline, tuple(dict.fromkeys(links)),
        tuple(dict.fromkeys(reading.tags)), language=reading.language, front=reading.dates.front(),
        by="metadata", notes=tuple(notes),
    )  # fmt: skip


HTML = text_reader(parse_text, declared_charset)


class _PageReading(HtmlLines):
    """The state of reading a page; `named` is the title that the page shows to others."""

    blocks = BLOCKS | {"dialog", "hgroup", "optgroup", "option", "search"}
    skipped = HtmlLines.skipped | {"nav"}

    def __init__(self) -> None:
        super().__init__()
        self.in_json = False
        self.placed: list[tuple[Block | Link, str]] = []  # and the place of each: "main", "aside", ""
        self.tags: list[str] = []
        self.dates = _PageDates()
        self.named = self.language = ""
        self._open = {"main": 0, "article": 0}  # how many elements are open
        self._mains = 0  # how many there were that stand in no other
        self._asides = 0

    @property
    def _place(self) -> str:
        return "main" if any(self._open.values()) else "aside" if self._asides else ""

    def main_text(self) -> tuple[list[Block], list[Link]]:
        """The blocks and links; of a page with one main text without those beside it."""
        words = [
            (count_words(each.words), place == "main")
            for each, place in self.placed
            if isinstance(each, Block)
        ]
        most = 2 * sum(count for count, main in words if main) >= sum(count for count, _ in words)
        # What is never closed beside the main text may hold anything.
        left_out = "aside" if self._mains == 1 and most and not self._asides else None
        kept = [each for each, place in self.placed if place != left_out]
        return [each for each in kept if isinstance(each, Block)], [
            each for each in kept if isinstance(each, Link)
        ]

    def faults(self) -> list[str]:
        self.skipping += ["script"] if self.in_json else []
        return super().faults()

    def on_text(self, text: str) -> None:
        if self.in_json:
            self.dates.take_json(text)
        else:
            super().on_text(storable(line_feeds(text)))

    def on_start(self, piece: MarkupToken) -> None:
        name, get = piece.name, piece.attributes.get
        if name == "script" and get("type", "").strip().lower() == "application/ld+json":
            self.in_json = True
            return
        if name == "meta":
            self._meta(piece)
        elif name == "html":
            self.language = language_code(get("lang", ""))
        elif name == "a" and (link := link_to(get("href", "").strip())):
            self.placed.append((link, self._place))
        elif name == "time" and ("pubdate" in piece.attributes or self._open["article"]):
            self.dates.take_time(get("datetime", "").strip())
        super().on_start(piece)
        self._asides += name in _ASIDE and self._place != "main"
        if name in self._open:
            self._mains += self._place != "main"
            self._open[name] += 1

    def on_end(self, name: str) -> None:
        super().on_end(name)
        if name == "script":
            self.in_json = False
        elif name in self._open:
            self._open[name] = max(0, self._open[name] - 1)
        elif name in _ASIDE and self._place != "main":
            self._asides = max(0, self._asides - 1)

    def add(self, block: Block) -> None:
        self.placed.append((block, self._place))

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


class _PageDates:
    """The dates that a page states, as written: in `<meta>`s and JSON-LD, and else in its first `<time>`."""

    def __init__(self) -> None:
        self._said: dict[str, list[str]] = {}
        self._time = ""

    def take(self, name: str, value: str) -> None:
        if value:
            self._said.setdefault(_DATES[name], []).append(value)

    def take_time(self, value: str) -> None:
        self._time = self._time or (value if _is_date(value) else "")

    def take_json(self, text: str) -> None:
        """The dates of the objects of JSON-LD, those of articles first. Invalid JSON is ignored."""
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
        """For each kind of date the first that can be read, or the first."""
        front = {key: next(filter(_is_date, values), values[0]) for key, values in self._said.items()}
        if self._time and not front.keys() & {"published", "date", "created"}:
            front["published"] = self._time
        return front


def _objects(data: Any) -> Iterator[dict[str, Any]]:
    """The main objects of JSON-LD: at its top, in a list, or in a graph."""
    if isinstance(data, dict):
        yield data
        data = data.get("@graph")
    for each in data if isinstance(data, list) else ():
        yield from _objects(each)


def _is_date(text: str) -> bool:
    return dates.stated_or_none(text.strip(), "metadata") is not None
