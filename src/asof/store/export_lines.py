"""A line of an export from a JSON object: every key is known, every value is of its kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from asof.data import Document, Link
from asof.errors import UsageError
from asof.store.export_format import (
    FORMAT,
    HEADER,
    ExportedDeletion,
    ExportedLine,
    ExportedPassage,
    ExportedRetirement,
    ExportedSource,
    ExportedTransaction,
    ExportedVersion,
    ExportEnd,
    ExportHeader,
    MoreText,
)
from asof.store.export_values import LineValues, UnusableLine, instant_of, shown, time_of
from asof.store.settings import CorpusSettings


def read_line(record: dict[str, Any]) -> ExportedLine:
    """The line that a JSON object is. Raises UnusableLine."""
    values = LineValues(record)
    kind = next(iter(record), "")
    reader = _READERS.get(kind)
    if reader is None:
        raise UnusableLine(f"the line begins with {shown(kind)}; expected: {', '.join(_READERS)}")
    try:
        line = reader(values)
    except UsageError as wrong:  # of a setting or an attribute
        raise UnusableLine(str(wrong)) from None
    values.rest()
    return line


def _header(values: LineValues) -> ExportHeader:
    version = values.take(HEADER)
    if type(version) is not int or version != FORMAT:
        raise UnusableLine(f"the export has format {shown(version)}; this asof reads {FORMAT}")
    values.text("asof")
    horizon = [instant_of(each, "horizon") for each in values.list("horizon")]
    if len(horizon) not in (0, 2):
        raise UnusableLine("horizon has to be two instants")
    erased = tuple(LineValues({"erased": each}).digest("erased").hex() for each in values.list("erased"))
    sources = tuple(_source(each) for each in values.list("sources"))
    if len({source.name for source in sources}) < len(sources):
        raise UnusableLine("sources has a name twice")
    return ExportHeader(
        _settings(values.take("settings")), sources, (horizon[0], horizon[1]) if horizon else None, erased
    )


def _settings(value: object) -> CorpusSettings:
    """Settings of a corpus. Raises UnusableLine, UsageError."""
    names = set(CorpusSettings.__dataclass_fields__)
    if not isinstance(value, dict) or set(value) != names:
        raise UnusableLine(f"settings is {shown(value)}; expected: {', '.join(sorted(names))}")
    if not isinstance(value["search"], str) and not (
        isinstance(value["search"], list) and all(isinstance(each, str) for each in value["search"])
    ):
        raise UnusableLine(f"search is {shown(value['search'])}; a text or a list of texts is expected")
    settings = CorpusSettings.loads(json.dumps(value)).checked()
    settings.analyzer()
    return settings


def _source(value: object) -> ExportedSource:
    values = LineValues(value, "a source")
    source = ExportedSource(values.text("name"), values.text("kind"), values.instant("added"))
    values.rest()
    return source


def _transaction(values: LineValues) -> ExportedTransaction:
    return ExportedTransaction(values.instant("transaction"), values.text("what"))


def _version(values: LineValues) -> ExportedVersion:
    document = Document(
        values.text("version"), "", values.text("title", ""), values.time("published"),
        about=tuple(time_of(each, "about") for each in values.list("about")),
        links=tuple(map(_link, values.list("links"))), tags=values.texts("tags"),
        aliases=values.texts("aliases"), meta=values.take("meta", {}), uri=values.text("uri", ""),
        fiscal_start=values.take("fiscal_start", 1),
    )  # fmt: skip
    return ExportedVersion(
        document, values.optional_text("owner"), values.text("source"), values.text("language"),
        values.visible(), values.digest("content"), values.digest("stated"),
        [_passage(each) for each in values.list("passages")],
    )  # fmt: skip


def _deletion(values: LineValues) -> ExportedDeletion:
    name, published = values.text("deletion"), values.time("published")
    by = values.text("dated_by") if published is None else published.by
    return ExportedDeletion(
        name, values.optional_text("owner"), values.visible(), published, by, values.digest("stated")
    )


def _retirement(values: LineValues) -> ExportedRetirement:
    return ExportedRetirement(values.text("retirement"), values.count("number", 1))


def _more(values: LineValues) -> MoreText:
    items = [LineValues({"more": each}).text("more") if isinstance(each, str) else _passage(each)
             for each in values.list("more")]  # fmt: skip
    return MoreText(items)


def _end(values: LineValues) -> ExportEnd:
    end = LineValues(values.take("end"), "end")
    return ExportEnd(end.count("documents", 0), end.count("versions", 0), end.text("digest"))


def _passage(value: object) -> ExportedPassage:
    values = LineValues(value, "a passage")
    at = values.count("at", 0)
    if "same" in values:
        passage = ExportedPassage(at, "", "", values.count("same", 1))
    else:
        passage = ExportedPassage(at, "\n".join(values.texts("headings")), values.text("text"), None)
    values.rest()
    return passage


def _link(value: object) -> Link:
    values = LineValues(value, "a link")
    link = Link(values.text("target"), values.text("heading", ""), values.text("alias", ""),
                values.text("kind", "link"))  # fmt: skip
    values.rest()
    return link


_READERS: Mapping[str, Callable[[LineValues], ExportedLine]] = {
    HEADER: _header, "transaction": _transaction, "version": _version, "deletion": _deletion,
    "retirement": _retirement, "more": _more, "end": _end,
}  # fmt: skip
