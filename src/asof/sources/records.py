"""Records: JSON objects become documents; JSON Lines files; documents and records given from Python."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, nullcontext, suppress
from datetime import date
from difflib import get_close_matches
from hashlib import blake2b
from itertools import islice, pairwise, starmap
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias, TypeVar, cast

import msgspec

from asof.documents import (
    Checkpoint,
    Document,
    Ended,
    Heading,
    Link,
    Moved,
    Problem,
    SourceEvent,
    TooDeep,
    Unchanged,
    ZonelessTime,
    as_meta,
    line_feeds,
    storable_value,
)
from asof.errors import AmbiguousDate, BadTime, SourceError, UsageError
from asof.lang import of_all
from asof.sources.dates import (
    FROM,
    UNTIL,
    DateFields,
    DateOrder,
    dates_in,
    fiscal_start_of,
    periods,
    stated,
)
from asof.sources.markdown import parse_markdown, wikilink
from asof.sources.readers import NOTES, ParsedFile
from asof.sources.source import Fields, InputLimits, SourceNaming, token
from asof.text.names import plain_name
from asof.wire import replace

# -- record --------------------------------------------------------------------------------------------

LONGEST_LIST = 64
"""A longer list in a record (an embedding, say) is no metadata."""

ENDED = "ended"
"""The field with the end of a document, in a record without a text."""

HEADINGS = "headings"
"""The field with offset, level and words of each heading of a text, from which then no marks are taken."""

ID_THEN = "id_then"
"""The field with what a document was called then, where its id is what it was called later."""

METADATA = ("metadata", "meta")
"""Fields whose mapping is read as if its fields stood in the record itself."""

_T = TypeVar("_T")
_PLAIN = {str, int, float, bool}


class UnusableRecord(ValueError):
    """A record that makes no document; `remedy`: what to do, `document` its id if it has one."""

    def __init__(self, message: str, remedy: str = "", document: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy
        self.document = document


class RecordReader:
    """Reads records with the field names of `fields`."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.how = DateFields(fields, DateOrder(fields.order, fields.timezone))
        self.misspelt = MisspeltFields(fields)

    def statement(
        self, record: Mapping[str, Any], note: Callable[[str], None], number: int = 0
    ) -> Document | Ended:
        """The document that a record states; that it ended, if it has no text but `ended`, a date. What had
        to be left out goes to `note`; `number`: of the line or item. Raises UnusableRecord."""
        record = self._with_metadata(record)
        self.how.order.own = record.__repr__
        self.misspelt.look(record, number)
        if record.get(ENDED) is None or any(record.get(name) is not None for name in self.fields.text):
            return self.document(record, note)
        name = _Reading(record, note).id(self.fields.id)
        try:
            at = stated(record[ENDED], "metadata", self.how.order)
        except BadTime as why:
            raise UnusableRecord(f"ends at no time: {why}", document=name) from None
        if at is None:
            raise UnusableRecord("has an empty date of its end", document=name)
        return Ended(name, at)

    def remarks(self, file: str) -> Iterator[Problem]:
        """What was assumed of the dates and the fields of all records of a file ("": items of Python)."""
        yield from self.how.order.remarks(file)
        yield from self.misspelt.remarks(file)

    def _with_metadata(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The record with the fields of a mapping in METADATA beside its own. Raises UnusableRecord where
        both state a field, and not the same."""
        nested = [name for name in METADATA if isinstance(record.get(name), Mapping)]
        if not nested:
            return record
        whole = {key: value for key, value in record.items() if key not in nested}
        for name in nested:
            for key, value in record[name].items():
                if whole.setdefault(key, value) is None:
                    whole[key] = value
                elif value is not None and whole[key] != value:
                    document = _Reading(whole, lambda _: None).id(self.fields.id)
                    raise UnusableRecord(
                        f"states {key!r} twice: {whole[key]!r:.60}, and {value!r:.60} in {name!r}",
                        "leave one of them out", document,
                    )  # fmt: skip
        return whole

    def document(self, record: Mapping[str, Any], note: Callable[[str], None]) -> Document:
        """The document of a record; `note` gets what had to be left out.

        A text whose id ends in .md or .markdown is read as such a file, with its frontmatter; where both say
        something, the record counts. Raises UnusableRecord.
        """
        fields, reading = self.fields, _Reading(record, note)
        name = reading.id(fields.id)
        text = reading.text(fields.text, name, empty=record.get(HEADINGS) is not None)
        outline = reading.outline(text)
        published = self.how.published(record, "metadata", reading.used, reading.unread)
        changed = self.how.changed(record, "metadata", reading.used, reading.unread)
        title, uri = reading.words("title", fields.title), reading.words("uri", fields.uri)
        tags = reading.texts("tags", fields.tags, ",")
        aliases = reading.texts("aliases", fields.aliases)
        links = reading.links(fields.links)
        fiscal_start = fiscal_start_of(record, fields.fiscal_start, reading.used, reading.unread)
        page = ParsedFile(text, "", outline or ())
        if outline is None and name.lower().endswith(NOTES):
            page = parse_markdown(text, PurePosixPath(name).stem, InputLimits())
        how = self.how._replace(fields=replace(fields, fiscal_start=fiscal_start))
        front = dates_in(page, how, published=published is None)
        for problem in (*page.notes, *front.notes):
            note(problem.message)
        about = (
            *self.how.about(record, reading.used, reading.unread),
            *periods(record, fields, fiscal_start),
            *front.about,
        )
        language, path = reading.language(fields.language), reading.words("path", (ID_THEN,))
        return Document(
            name, page.text, page.title if title is None else title,
            published or front.published or changed,
            changed or front.changed, about, _both(links, page.links), _both(tags, page.tags),
            _both(aliases, page.aliases), front.meta | reading.meta(), page.outline, uri or "", language,
            front.fiscal_start, path or "",
        )  # fmt: skip


def _both(first: Iterable[_T], second: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys((*first, *second)))


ALIKE = 0.83
"""The least likeness of two names of fields, as difflib has it: of six letters one is another."""

LEAST_UNIX = 10**8
"""A smaller number under a misspelt name is no Unix time."""

MOST_NAMES, LONGEST_NAME = 256, 64
"""So many names of fields are compared, up to so many characters of each: there are records whose keys are
data."""


def _alike(name: str, names: Iterable[str]) -> list[str]:
    """The one of these names that is most like another: [] if none has nearly its letters."""
    letters = sorted(name)
    swapped = [each for each in names if sorted(each) == letters] if len(name) > 4 else []
    return swapped[:1] or get_close_matches(name, names, 1, ALIKE)


class MisspeltFields:
    """Fields of records whose names are nearly those that are read: "publised". They are metadata, as all
    other fields are, which `remarks` say, of each name once.

    A field counts only where the record has no field of the meaning that its name is near to, and where it
    holds what such a field does: `publisher` beside `published`, and a date in neither, are no mistakes.
    """

    def __init__(self, fields: Fields) -> None:
        dates = {
            "published": (*of_all("dates", "published"), *of_all("dates", "created")),
            "changed": of_all("dates", "changed"), FROM: of_all("dates", FROM), UNTIL: of_all("dates", UNTIL),
        }  # fmt: skip
        texts = (
            "title", "about", "tags", "uri", "language", "aliases", "links", "fiscal_year", "fiscal_quarter",
            "fiscal_period", "quarter",
        )  # fmt: skip
        self._dates = dates.keys()
        named = {name: getattr(fields, name) for name in (*dates, *texts)}
        self._meanings = {
            name: meaning for meaning, own in named.items() for name in own or dates.get(meaning, ())
        }
        self._plain = {plain_name(name): name for name in reversed(self._meanings)}
        self._read = {
            *self._meanings, *fields.id, *fields.text, *fields.year, *METADATA, ENDED, HEADINGS, ID_THEN
        }  # fmt: skip
        self._near: dict[str, str] = {}
        self._found: dict[str, tuple[int, int]] = {}

    def look(self, record: Mapping[str, Any], number: int) -> None:
        """Counts the misspelt fields of a record."""
        near = [(key, name) for key in record if (name := self._name(key))]
        if not near:
            return
        given = {self._meaning(key) for key, value in record.items() if value is not None}
        for key, name in near:
            meaning = self._meanings[name]
            if meaning not in given and self._may_be(meaning, record[key]):
                count, first = self._found.get(key, (0, number))
                self._found[key] = count + 1, first

    def _name(self, key: str) -> str:
        """The field that a name is near to; "" for none, and for the name of a field."""
        found = self._near.get(key)
        if found is None:
            if len(self._near) >= MOST_NAMES:
                return ""
            plain = plain_name(key[:LONGEST_NAME])
            close = [] if self._meaning(key) else _alike(plain, self._plain)
            found = self._near[key] = self._plain[close[0]] if close else ""
        return found

    def _meaning(self, key: str) -> str:
        """What a field of that name means; "" for metadata. Only in dates the case does not count."""
        if key in self._read:
            return self._meanings.get(key, key)
        meaning = self._meanings.get(self._plain.get(plain_name(key[:LONGEST_NAME]), ""), "")
        return meaning if meaning in self._dates else ""

    def _may_be(self, meaning: str, value: object) -> bool:
        if meaning not in self._dates:
            return isinstance(value, str | list) and bool(value)
        try:
            number = isinstance(value, int | float) and value < LEAST_UNIX  # an offset, a count
            return not number and stated(value, "metadata") is not None
        except BadTime as wrong:
            return isinstance(wrong, AmbiguousDate)

    def remarks(self, file: str) -> Iterator[Problem]:
        for key, (count, first) in self._found.items():
            name = self._near[key]
            said = f"{key!r} is read as metadata: did you mean {name!r}?"
            said += f" ({count:,} records)" if count > 1 else ""
            remedy = f"rename it, or name it in asof.toml: [fields] {self._meanings[name]} = ..."
            if file:
                yield Problem(said, file, first, remedy, lost=False)
            else:
                yield Problem(f"item {first}: {said}", remedy=remedy, lost=False)


class _Reading:
    """A record that is read: the names of the fields that were `used`, and where notes go."""

    def __init__(self, record: Mapping[str, Any], note: Callable[[str], None]) -> None:
        self.record = record
        self.note = note
        self.used: set[str] = set()

    def unread(self, name: str, why: BadTime) -> None:
        """Note a field that cannot be read, which stays metadata."""
        self.used.discard(name)
        self.note(f"{name!r} cannot be read: {why}")

    def first(self, names: tuple[str, ...]) -> Any:
        """The first of these fields that is not null; None if none is."""
        for name in names:
            value = self.record.get(name)
            if value is not None:
                self.used.add(name)
                return value
        return None

    def id(self, names: tuple[str, ...]) -> str:
        value = self.first(names)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value:
            return value
        what = (
            "has no id" if value is None else f"has an id that is neither a text nor a number: {_kind(value)}"
        )
        raise UnusableRecord(
            f"{what}; accepted fields are {', '.join(names)}{self._meant(names)}",
            "name the field in asof.toml: [fields] id = ...",
        )

    def _meant(self, names: tuple[str, ...]) -> str:
        """The field that is nearly called so, for a message."""
        keys = {plain_name(key[:LONGEST_NAME]): key for key in islice(self.record, MOST_NAMES)}
        near = next((close[0] for name in names if (close := _alike(name, keys))), None)
        return "" if near is None else f" (not {keys[near]!r})"

    def outline(self, text: str) -> tuple[Heading, ...] | None:
        """The headings of a text; None if the record has no field for them."""
        value = self.record.get(HEADINGS)
        with suppress(msgspec.ValidationError):
            found = msgspec.convert(value, list[tuple[int, int, str]])
            edges = [-1, *(offset for offset, _, _ in found), len(text)]
            if all(left < right for left, right in pairwise(edges)) or not found:
                self.used.add(HEADINGS)
                return tuple(starmap(Heading, found))
        return None  # none, or metadata that is called so

    def text(self, names: tuple[str, ...], document: str, *, empty: bool) -> str:
        value = self.first(names)
        if isinstance(value, str):
            if empty or (value and not value.isspace()):
                return line_feeds(value)
            raise UnusableRecord("has an empty text", document=document)
        what = "has no text" if value is None else f"has a text that is no text: {_kind(value)}"
        raise UnusableRecord(
            f"{what}; accepted fields are {', '.join(names)}{self._meant(names)}",
            "name the field in asof.toml: [fields] text = ...",
            document,
        )

    def language(self, names: tuple[str, ...]) -> str:
        for name in names:
            value = self.record.get(name)
            if isinstance(value, str) and (code := language_code(value)):
                self.used.add(name)
                return code
        return ""

    def words(self, what: str, names: tuple[str, ...]) -> str | None:
        """A field of words; None where there is none."""
        value = self.first(names)
        return None if value is None else self._words(what, value)

    def _words(self, what: str, value: object) -> str:
        if isinstance(value, str):
            return line_feeds(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        self.note(f"its {what} is no text and is left out: {_kind(value)}")
        return ""

    def texts(self, what: str, names: tuple[str, ...], split: str = "") -> tuple[str, ...]:
        """A field of several texts, parted at `split` where they are one."""
        value = self.first(names)
        if isinstance(value, str):
            value = value.split(split) if split else [value]
        if value is not None and not isinstance(value, list):
            self.note(f"its {what} are no list of texts and are left out: {_kind(value)}")
            value = None
        texts = (self._words(what, item).strip() for item in value or () if item is not None)
        return tuple(dict.fromkeys(text for text in texts if text))

    def links(self, names: tuple[str, ...]) -> list[Link]:
        value = self.first(names)
        links: list[Link] = []
        for item in value if isinstance(value, list) else [] if value is None else [value]:
            if isinstance(item, str) and item.strip():
                links.append(wikilink(item) or Link(item.strip()))
            elif isinstance(item, Mapping) and isinstance(item.get("target"), str):
                parts = {key: item[key] for key in ("heading", "alias") if isinstance(item.get(key), str)}
                kind = "embed" if item.get("kind") == "embed" else "link"
                links.append(Link(item["target"], **parts, kind=kind))
            else:
                self.note(
                    f"one of its links is neither a text nor has a target, and is left out: {_kind(item)}"
                )
        return links

    def meta(self) -> dict[str, Any]:
        """The fields that were not used, as far as they can be metadata."""
        meta: dict[str, Any] = {}
        for name, value in self.record.items():
            if name in self.used or value is None:
                continue
            if isinstance(value, float) and not math.isfinite(value):
                self.note(f"{name!r} is left out: {value} is no finite number")
            elif type(value) in _PLAIN:
                meta[name] = value
            elif isinstance(value, list) and len(value) > LONGEST_LIST:
                said = f"holds {len(value)} values and is left out (metadata has at most {LONGEST_LIST})"
                self.note(f"{name!r} {said}")
            else:
                try:
                    meta |= as_meta({name: value})
                except UsageError as wrong:
                    self.note(f"{name!r} is left out: {wrong}")
        return meta


def language_code(text: str) -> str:
    """The two letters of ISO 639-1 at the start of a language tag (`en-GB`); empty if there are none."""
    code = text.strip().replace("_", "-").partition("-")[0].lower()
    return code if len(code) == 2 and code.isascii() and code.isalpha() else ""


def constant(word: str) -> None:
    """Converts a constant outside JSON: NaN is how tables write null; the infinities are refused."""
    if math.isnan(float(word)):
        return
    raise ValueError(f"{word} is no JSON value")


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return {"dict": "an object", "list": "a list", "int": "a number", "float": "a number"}.get(
        type(value).__name__, "an empty text"
    )


# -- JSON Lines, plain or gzipped, read one line at a time ---------------------------------------------

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_SKIP = 2**20
MOST_PACKED = 100
"""How many times as long as its file gzipped text may be, if that is beyond the limit: text is 3 to 20."""

COUNT = 8
"""The bytes of a checkpoint with the number of documents of a file."""


class BadLine(ValueError):
    """The problem of a line without a JSON object."""


class _Unpacked(gzip.GzipFile):
    """What a file unpacks to; reading it raises EOFError beyond `most` bytes."""

    most = 0

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > self.most:
            raise EOFError(f"it unpacks to more than {self.most:,} bytes; if that is right, unpack it")
        return super().read(size)


class JsonLines:
    """The documents of a `.jsonl` or `.jsonl.gz` file. One that was read without a problem is not read again
    while it holds the same bytes."""

    kind = "jsonl"
    complete = True

    def __init__(self, naming: SourceNaming, fields: Fields, limits: InputLimits) -> None:
        self.name = naming.name
        self.path = naming.target
        self.file = naming.shown
        self.limits = limits
        self._records = RecordReader(fields)
        self._decoder = json.JSONDecoder(parse_constant=constant)
        self._notes: list[Problem] = []
        self._number = 0
        self._options = repr((fields, limits))
        self._before = b""
        self._digest = blake2b()

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        self._before = checkpoints.get("", b"")

    def documents(self) -> Iterator[SourceEvent]:
        try:
            digest, count = self._before[:-COUNT], int.from_bytes(self._before[-COUNT:])
            if digest and self._token(self._whole_digest()) == digest:
                yield Unchanged(count=count)
                return
            stream = self._open()
        except OSError as wrong:
            raise SourceError(f"{self.file} cannot be read: {wrong.strerror}") from wrong
        self._number, self._digest, sound, count = 0, blake2b(), True, 0
        with stream:
            try:
                for item in self._lines(stream):
                    sound = sound and not isinstance(item, Problem)
                    count += 1
                    yield item
            except (EOFError, zlib.error, OSError) as wrong:
                sound = False
                yield self._problem(
                    f"the file breaks off after this line: {wrong}", "fetch the file again: it is damaged"
                )
        yield from self._records.remarks(self.file)
        if sound:
            yield Checkpoint("", self._token(self._digest.digest()) + count.to_bytes(COUNT))

    def _whole_digest(self) -> bytes:
        """The digest of what the file holds, unpacked; empty where it cannot be read to its end."""
        digest = blake2b()
        with self._open() as stream:
            try:
                while piece := stream.read(_SKIP):
                    digest.update(piece)
            except (EOFError, zlib.error):
                return b""
        return digest.digest()

    def _token(self, digest: bytes) -> bytes:
        return token(self.name, self._options, digest)

    def _open(self) -> BinaryIO:
        if self.path.suffix.lower() != ".gz":
            return self.path.open("rb")
        unpacked = _Unpacked(self.path, "rb")
        unpacked.most = max(self.limits.unpacked, MOST_PACKED * self.path.stat().st_size)
        return cast(BinaryIO, io.BufferedReader(unpacked, 2**16))

    def _lines(self, stream: BinaryIO) -> Iterator[Document | Ended | Problem]:
        longest = self.limits.line
        notes = self._notes
        while line := stream.readline(longest + 1):
            self._number += 1
            self._digest.update(line)
            if self._number == 1:
                if line.startswith(_UTF16):
                    yield self._problem("is UTF-16", "save it as UTF-8")
                    return
                line = line.removeprefix(_BOM)
            if len(line) > longest and not line.endswith(b"\n"):
                size = len(line)
                while not line.endswith(b"\n") and (line := stream.readline(_SKIP)):
                    size += len(line)
                yield self._problem(f"the line has {size} bytes; the limit is {longest}")
                continue
            if line.isspace() or not line:
                continue
            yield self._statement(line)
            if notes:
                yield from notes
                notes.clear()

    def _statement(self, line: bytes) -> Document | Ended | Problem:
        try:
            return self._records.statement(self._record(line), self._note, self._number)
        except BadLine as wrong:
            return self._problem(str(wrong), "every line has to be one JSON object")
        except UnusableRecord as wrong:
            return self._problem(f"the record {wrong}", wrong.remedy, wrong.document)
        except UsageError as wrong:  # what no document can have: an id of a book's length, say
            return self._problem(f"the record makes no document: {wrong}")

    def _record(self, line: bytes) -> dict[str, object]:
        try:
            record = self._decoder.decode(line.decode())
            if (b"\\u" in line) and (b"\\ud" in line or b"\\uD" in line or b"\\u0000" in line):
                whole = storable_value(record)
                if whole != record:
                    record = whole
                    self._note("NUL or half of a surrogate pair stands in the record: read as U+FFFD")
        except UnicodeDecodeError as wrong:
            raise BadLine(
                f"the line is not UTF-8 (byte 0x{line[wrong.start]:02x} at {wrong.start})"
            ) from None
        except json.JSONDecodeError as wrong:
            raise BadLine(f"the line is not JSON: {wrong.msg} at character {wrong.pos}") from None
        except (RecursionError, TooDeep):
            raise BadLine("the line is nested too deeply") from None
        except ValueError as wrong:
            raise BadLine(f"the line is not JSON: {wrong}") from None
        if isinstance(record, dict):
            return record
        raise BadLine(f"the line is JSON, but no object: {type(record).__name__}")

    def _note(self, message: str) -> None:
        self._notes.append(Problem(message, self.file, self._number, lost=False))

    def _problem(self, message: str, remedy: str = "", document: str = "") -> Problem:
        return Problem(message, self.file, self._number, remedy, document)


# -- what Python code passes to `Corpus.add` -----------------------------------------------------------

MAX_NAME_BYTES = 255
"""The most bytes of a part of a path, on common file systems."""

Item: TypeAlias = SourceEvent
Record: TypeAlias = Mapping[str, Any]


class LibraryDocument(Protocol):
    """A document of LangChain, or a node of LlamaIndex."""

    @property
    def metadata(self) -> Mapping[str, Any]: ...


ACCEPTED = (
    "a path, arxiv:..., a source (name, kind, complete, documents()), or one or several of asof.Document, "
    'asof.Ended and mappings such as {"id": "a", "text": "...", "published": "2021-03"}'
)


class PythonSource(NamedTuple):
    """A source as Python code passed it: its name and kind, whether it is complete and states its past, of
    which branch (see `sources.source.Source`), and its documents."""

    name: str
    kind: str
    complete: bool
    documents: Iterable[object]
    replaces_history: bool = False
    branch: str = ""


def as_python_source(source: object) -> PythonSource:
    """Converts a source, or one or several documents, to a source. Raises UsageError for anything else."""
    if isinstance(source, Item | Mapping):
        source = [source]
    if isinstance(source, Iterable) and not isinstance(source, str | bytes):
        return PythonSource("python", "documents", complete=False, documents=source)
    try:
        past = getattr(source, "replaces_history", False), getattr(source, "branch", "")
        return PythonSource(source.name, source.kind, source.complete, source.documents(), *past)  # type: ignore[attr-defined]
    except AttributeError:
        if all(hasattr(source, name) for name in ("name", "kind", "complete", "documents")):
            raise
        raise refusal(source) from None


def path_of(source: str | Path) -> Path:
    """The path of a text. Raises SourceError for a text that can be none."""
    path, words = Path(source), str(source)
    try:
        longest = max((len(os.fsencode(part)) for part in path.parts), default=0)
    except UnicodeEncodeError:
        raise SourceError(f"{words!r:.60} is no path: it holds half of a surrogate pair") from None
    if source == "" or "\0" in words or "\n" in words or longest > MAX_NAME_BYTES:
        raise SourceError(f"{words!r:.60} is no path; of a text make asof.Document(id, text)")
    if isinstance(source, str) and " " in words and not path.exists():
        raise SourceError(f"{words!r} is neither a file nor a folder; of a text make asof.Document(id, text)")
    return path


def items(values: Iterable[object], fields: Fields) -> Generator[Item, None, None]:
    """The documents among these, in their order; a record that cannot be used becomes a Problem.

    Raises UsageError for what is neither a document nor a record, and BadTime for a naive datetime where no
    zone is declared.
    """
    records, seen = RecordReader(fields), Counter[str]()
    with closing(values) if isinstance(values, Generator) else nullcontext():
        for number, item in enumerate(values, 1):
            if isinstance(item, Item):
                yield _in_zone(item, records.how.order, number)
            elif isinstance(record := as_record(item, seen), Mapping):
                yield from _record(records, record, number)
            else:
                raise refusal(item, f"item {number}")
    yield from records.remarks("")


def _in_zone(item: Item, order: DateOrder, number: int) -> Item:
    """The statement with the times that Python code gave it in the declared zone. Raises BadTime."""
    try:
        if isinstance(item, Ended) and isinstance(item.at, ZonelessTime):
            return Ended(item.id, order.in_zone(item.at, "at"))
        document = item.document if isinstance(item, Moved) else item
        if not isinstance(document, Document):
            return item
        times = document.published, document.changed, *document.about
        if not any(isinstance(each, ZonelessTime) for each in times):
            return item
        published, changed = order.in_zone(times[0], "published"), order.in_zone(times[1], "changed")
        about = tuple(order.in_zone(each, "about") for each in document.about)
        document = replace(document, published=published, changed=changed, about=about)
        return replace(item, document=document) if isinstance(item, Moved) else document
    except BadTime as wrong:
        raise BadTime(f"item {number}: {wrong}") from None


def as_record(item: object, seen: Counter[str]) -> object:
    """A document of LangChain (`page_content`, `metadata`, `id`) or a node of LlamaIndex (`text`, `metadata`,
    `id_`) as a record; anything else as it is.

    Without an id it has that of its source, the parts of one numbered (`seen` counts them), or of its text.
    """
    text = getattr(item, "page_content", None) or getattr(item, "text", None)
    meta = getattr(item, "metadata", None)
    if not isinstance(text, str) or not isinstance(meta, Mapping):
        return item
    own = getattr(item, "id", None) or getattr(item, "id_", None) or meta.get("id")
    if not own and (own := meta.get("source")):
        seen[str(own)] += 1
        own = str(own) if seen[str(own)] == 1 else f"{own}#{seen[str(own)]}"
    made = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return {**meta, "id": own or made, "text": text}


def refusal(value: object, what: str = "source") -> UsageError:
    """The error for a value that cannot be added."""
    more = ""
    if isinstance(value, str):
        more = "; a path is given alone; of a text make asof.Document(id, text)"
    elif isinstance(value, bytes):
        more = "; of its text make asof.Document(id, raw.decode())"
    return UsageError(f"{what} is {value!r:.60} ({type(value).__name__}); accepted: {ACCEPTED}{more}")


def _record(
    records: RecordReader, item: Mapping[Any, Any], number: int
) -> Iterator[Document | Ended | Problem]:
    place, notes = f"item {number}", list[str]()
    try:
        whole = {str(key): _json(value) for key, value in item.items()}
        record = storable_value(whole)
        if record != whole:
            notes.append("NUL or half of a surrogate pair stands in the record: read as U+FFFD")
        yield records.statement(record, notes.append, number)
    except UnusableRecord as wrong:
        yield Problem(f"{place} {wrong}", remedy=wrong.remedy, document=wrong.document)
    except (UsageError, TooDeep) as wrong:
        yield Problem(f"{place}: {wrong}")
    yield from (Problem(f"{place}: {note}", lost=False) for note in notes)


def _json(value: object) -> object:
    """The value as in JSON: tuples are lists; NaN and NaT are null."""
    if isinstance(value, tuple):
        return list(value)
    return None if isinstance(value, float | date) and value != value else value
