"""A JSON object becomes a document."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, TypeVar

from asof.data import Document, Ended, Link, SourcedTime, coerce
from asof.data.storable import line_feeds
from asof.errors import BadTime, UsageError
from asof.sources.dates import about, stated
from asof.sources.dating import dates_in
from asof.sources.fields import Fields
from asof.sources.markdown import SUFFIXES, parse_text
from asof.sources.periods import fiscal_start_of, periods
from asof.sources.readers import ParsedFile
from asof.sources.source import InputLimits
from asof.sources.vault import wikilink

LONGEST_LIST = 64
"""A longer list in a record (an embedding, say) is no metadata."""

ENDED = "ended"
"""The field that says when a document ended, in a record without a text."""

_T = TypeVar("_T")
_PLAIN = {str, int, float, bool}


class UnusableRecord(ValueError):
    """A record that makes no document; `remedy` says what to do, `document` its id if it has one."""

    def __init__(self, message: str, remedy: str = "", document: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy
        self.document = document


class RecordReader:
    """Reads records whose fields are called as `fields` says."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields

    def statement(self, record: dict[str, Any], note: Callable[[str], None]) -> Document | Ended:
        """The document that a record states; that it ended, if it has no text but `ended`, a date. What had
        to be left out goes to `note`. Raises UnusableRecord."""
        if record.get(ENDED) is None or any(record.get(name) is not None for name in self.fields.text):
            return self.document(record, note)
        name = _id(record, self.fields.id, set())
        try:
            at = stated(record[ENDED], "metadata")
        except BadTime as why:
            raise UnusableRecord(f"ends at no time: {why}", document=name) from None
        if at is None:
            raise UnusableRecord("has an empty date of its end", document=name)
        return Ended(name, at)

    def document(self, record: dict[str, Any], note: Callable[[str], None]) -> Document:
        """The document that a record states; what had to be left out of it goes to `note`.

        A text whose id ends in .md or .markdown is read as such a file, with its frontmatter; where both say
        something, the record counts. Raises UnusableRecord.
        """
        fields = self.fields
        used: set[str] = set()
        name = _id(record, fields.id, used)
        text = _text(record, fields.text, used, name)
        published = _date(record, fields.published, used, note)
        changed = _date(record, fields.changed, used, note)
        title = _first(record, fields.title, used)
        uri = _first(record, fields.uri, used)
        tags = _first(record, fields.tags, used)
        aliases = _first(record, fields.aliases, used)
        links = _first(record, fields.links, used)
        fiscal_start = fiscal_start_of(
            record, fields.fiscal_start, used, lambda name, why: note(f"{name!r} cannot be read: {why}")
        )
        page = _page(name, text)
        front = dates_in(page, fiscal_start, published=published is None)
        for problem in (*page.notes, *front.notes):
            note(problem.message)
        return Document(
            name,
            page.text,
            page.title if title is None else _words("title", title, note),
            published or front.published,
            changed or front.changed,
            (*self._about(record, used, note), *periods(record, fields, fiscal_start), *front.about),
            _both(() if links is None else _links(links, note), page.links),
            _both(() if tags is None else _texts("tags", tags, note, ","), page.tags),
            _both(() if aliases is None else _texts("aliases", aliases, note), page.aliases),
            outline=page.outline,
            language=_language(record, fields.language, used),
            meta=front.meta | _meta(record, used, note),
            uri="" if uri is None else _words("uri", uri, note),
            fiscal_start=front.fiscal_start,
        )

    def _about(
        self, record: Mapping[str, Any], used: set[str], note: Callable[[str], None]
    ) -> tuple[SourcedTime, ...]:
        names = [name for name in self.fields.about if name in record]
        if not names:
            return ()
        used.update(names)

        def wrong(name: str, why: BadTime) -> None:
            used.discard(name)
            note(f"{name!r} cannot be read: {why}")

        return tuple(about(record, self.fields.about, wrong))


def _page(name: str, text: str) -> ParsedFile:
    if not name.lower().endswith(SUFFIXES):
        return ParsedFile(text, "")
    return parse_text(text, PurePosixPath(name).stem, InputLimits())


def _both(first: Iterable[_T], second: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _first(record: Mapping[str, Any], names: tuple[str, ...], used: set[str]) -> Any:
    for name in names:
        value = record.get(name)
        if value is not None:
            used.add(name)
            return value
    return None


def _id(record: Mapping[str, Any], names: tuple[str, ...], used: set[str]) -> str:
    value = _first(record, names, used)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and value:
        return value
    what = "has no id" if value is None else f"has an id that is neither a text nor a number: {_kind(value)}"
    raise UnusableRecord(
        f"{what}; accepted fields are {', '.join(names)}", "name the field in asof.toml: [fields] id = ..."
    )


def _text(record: Mapping[str, Any], names: tuple[str, ...], used: set[str], document: str) -> str:
    value = _first(record, names, used)
    if isinstance(value, str):
        if value and not value.isspace():
            return line_feeds(value)
        raise UnusableRecord("has an empty text", document=document)
    what = "has no text" if value is None else f"has a text that is no text: {_kind(value)}"
    raise UnusableRecord(
        f"{what}; accepted fields are {', '.join(names)}",
        "name the field in asof.toml: [fields] text = ...",
        document,
    )


def _date(
    record: Mapping[str, Any], names: tuple[str, ...], used: set[str], note: Callable[[str], None]
) -> SourcedTime | None:
    for name in names:
        value = record.get(name)
        if value is not None:
            try:
                when = stated(value, "metadata")
            except BadTime as why:
                note(f"{name!r} cannot be read: {why}")
                return None
            used.add(name)
            return when
    return None


def _language(record: Mapping[str, Any], names: tuple[str, ...], used: set[str]) -> str:
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and (code := language_code(value)):
            used.add(name)
            return code
    return ""


def language_code(text: str) -> str:
    """The two letters of ISO 639-1 at the start of a language tag (`en-GB`); empty if there are none."""
    code = text.strip().replace("_", "-").partition("-")[0].lower()
    return code if len(code) == 2 and code.isascii() and code.isalpha() else ""


def _words(name: str, value: object, note: Callable[[str], None]) -> str:
    if isinstance(value, str):
        return line_feeds(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    note(f"its {name} is no text and is left out: {_kind(value)}")
    return ""


def _texts(name: str, value: object, note: Callable[[str], None], split: str = "") -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.split(split) if split else [value]
    if not isinstance(value, list):
        note(f"its {name} are no list of texts and are left out: {_kind(value)}")
        return ()
    words = (_words(name, item, note).strip() for item in value if item is not None)
    return tuple(dict.fromkeys(word for word in words if word))


def _links(value: object, note: Callable[[str], None]) -> tuple[Link, ...]:
    links: list[Link] = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str) and item.strip():
            links.append(wikilink(item) or Link(item.strip()))
        elif isinstance(item, Mapping) and isinstance(item.get("target"), str):
            parts = {key: item[key] for key in ("heading", "alias") if isinstance(item.get(key), str)}
            kind = "embed" if item.get("kind") == "embed" else "link"
            links.append(Link(item["target"], **parts, kind=kind))
        else:
            note(f"one of its links is neither a text nor has a target, and is left out: {_kind(item)}")
    return tuple(dict.fromkeys(links))


def _meta(record: Mapping[str, Any], used: set[str], note: Callable[[str], None]) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    for name, value in record.items():
        if name in used or value is None:
            continue
        if type(value) in _PLAIN:
            if isinstance(value, float) and not math.isfinite(value):
                note(f"{name!r} is left out: {value} is no finite number")
            else:
                meta[name] = value
        elif isinstance(value, list) and len(value) > LONGEST_LIST:
            note(f"{name!r} holds {len(value)} values and is left out (metadata has at most {LONGEST_LIST})")
        else:
            try:
                meta |= coerce.meta({name: value})
            except UsageError as wrong:
                note(f"{name!r} is left out: {wrong}")
    return meta


def constant(word: str) -> None:
    """What a constant outside JSON means: NaN is how tables say null; the infinities are refused."""
    if math.isnan(float(word)):
        return
    raise ValueError(f"{word} is no JSON value")


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return {"dict": "an object", "list": "a list", "int": "a number", "float": "a number"}.get(
        type(value).__name__, "an empty text"
    )
