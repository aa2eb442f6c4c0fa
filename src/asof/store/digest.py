"""Digests that identify equal statements, the keys of passages, and the times that a passage is about.

Relative expressions (`last quarter`, `yesterday`) count from the date of the first version with the passage,
and are left out where that date is unknown or too coarse. So is a time of that very day (`at 3 pm`,
`tonight`). Of `before 2020` the year counts, not all the time before it.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from asof import wire
from asof.documents import Document, SourcedTime
from asof.errors import DamagedStore
from asof.lang import of_all, set_of
from asof.time.moment import is_time, read
from asof.time.span import BEGINNING, NEVER, Span, moment

if TYPE_CHECKING:
    from asof.text.passages import Chunk, Chunking
    from asof.time.expressions import TimeExpression


# -- keywords: short texts in metadata that name something ---------------------------------------------
# A query that names a source finds documents with that source in their metadata. Addresses, paths, dates and
# ids are left out: queries do not contain them as words.

AUTO, NONE = "auto", "none"
MAX_CHARACTERS, MAX_WORDS = 60, 8
"""The most characters and words of a value that is searched."""

HEADER = 4_000
"""How many characters of a text may be such lines."""

MAX_VALUES = 64
"""The most values of one document that are searched."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:www|mailto|tel|urn|doi)[.:]")
_MAIL = re.compile(r"[^\s@]@[^\s@.]+\.[^\s@]")
_PATH = re.compile(r"~?\.{0,2}[/\\]|[A-Za-z]:[/\\]|[^\s/\\]+[/\\](?:\S*[/\\]|\S*\.[A-Za-z0-9]{1,5}$)")
_HEX = re.compile(r"\{?[0-9a-fA-F]{8,}\}?")
_RUN = re.compile(r"[0-9]+|[A-Z]+|[^\W\d_A-Z]+")


def keywords_of(
    meta: Mapping[str, Any], tags: Iterable[str], search: str | tuple[str, ...]
) -> tuple[str, ...]:
    """The values that are searched, in the order of their keys, without repetitions (case ignored).

    `search`: "auto" for all keys, "none", or a list of keys; `tags` count as the key of that name.
    """
    if search == NONE:
        return ()
    values = {**meta, "tags": [*_texts(meta.get("tags")), *tags]}
    keys = sorted(values) if search == AUTO else sorted(set(search) & values.keys())
    keywords: dict[str, str] = {}
    for key in keys:
        for text in _texts(values[key]):
            plain = " ".join(text.split()) if len(text) <= 4 * MAX_CHARACTERS else ""
            if plain and plain.casefold() not in keywords and is_searchable(plain, tag=key == "tags"):
                keywords[plain.casefold()] = plain
                if len(keywords) == MAX_VALUES:
                    return tuple(keywords.values())
    return tuple(keywords.values())


def _texts(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list | tuple) else (value,):
        if isinstance(item, str):
            yield item


def is_searchable(text: str, *, tag: bool = False) -> bool:
    """True if a value is a short text of words: no address, path (a tag may be one), date or id."""
    if len(text) > MAX_CHARACTERS or text.count(" ") >= MAX_WORDS or not any(map(str.isalpha, text)):
        return False
    if _ADDRESS.match(text) or _MAIL.search(text) or (not tag and _PATH.match(text)):
        return False
    if not any(map(str.isdigit, text)):
        return True
    return not _is_id(text) and not is_time(text)


def _is_id(text: str) -> bool:
    """True if a value is a hash, a UUID, or one word mostly of digits or of alternating kinds of characters
    (`doc-00123`)."""
    if " " in text:
        return False
    signs = [sign for sign in text if sign.isalnum()]
    if len(signs) >= 6 and 2 * sum(map(str.isdigit, signs)) >= len(signs):
        return True
    return bool(_HEX.fullmatch("".join(text.rpartition(":")[2].split("-")))) or len(_RUN.findall(text)) >= 7


def missing_keywords(keywords: str, *texts: str) -> list[str]:
    """Those of `keywords` (a JSON list) that do not occur in `texts` as whole words, case ignored."""
    if keywords == "[]":
        return []
    text = "\n".join(map(str.casefold, texts))  # one by one: most are ASCII, which is done soon
    return [word for word, folded in _folded(keywords) if not _occurs(folded, text)]


@lru_cache(maxsize=64)
def _folded(keywords: str) -> tuple[tuple[str, str], ...]:
    return tuple((word, word.casefold()) for word in json.loads(keywords))


def _occurs(word: str, text: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and text[at - 1].isalnum()) and not text[end : end + 1].isalnum():
            return True
        at = text.find(word, at + 1)
    return False


# -- digests -------------------------------------------------------------------------------------------

WEAK_DATES = frozenset({"mtime", "none"})
"""Dates that no source states: a file with only another mtime is unchanged."""

KEY_BYTES = 6
_PLACE = struct.Struct(f"<{KEY_BYTES}sII")
PLACE_BYTES = _PLACE.size


# one encoder for all: `json.dumps` with options makes a new one at every call
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str).encode


def digest(value: Any) -> bytes:
    return blake2b(_encode(value).encode(), digest_size=16).digest()


def name_digest(name: str) -> int:
    """A 63-bit number for a document's id, the last criterion for ties."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") >> 1


def run_digest(version: int, key: bytes) -> int:
    """A 63-bit number for the time in which a passage stands in its document without a gap, from a version
    on."""
    return int.from_bytes(blake2b(key + version.to_bytes(8), digest_size=8).digest(), "little") >> 1


def stem_of(name: str) -> str:
    """A document's id without the ending of its last part."""
    return name.rpartition(".")[0] if "." in name.rpartition("/")[2] else name


def time_bounds(stated: SourcedTime | None) -> tuple[int | None, int | None]:
    """First and last-but-exclusive instant of a stated time (None, None when there is none)."""
    if stated is None:
        return None, None
    return stated.span.first, min(stated.span.last + 1, NEVER)


def span_of(starts: int, ends: int) -> Span:
    """The inverse of `time_bounds`. Raises DamagedStore for a time that ends before it begins."""
    if starts >= ends:
        raise DamagedStore(f"a stored time ends before it begins: {starts} .. {ends}")
    return Span(
        None if starts <= BEGINNING else moment(starts),
        None if ends >= NEVER else moment(ends),
    )


class SharedAttributes(NamedTuple):
    """The attributes that all passages of a version share, in stored form. `searched`: the digest of those
    with which each passage is searched; `path`: its document's then."""

    digest: bytes
    searched: bytes
    path: str
    title: str
    uri: str
    language: str
    tags: str
    meta: str
    about: str
    keywords: str
    fiscal_start: int


def shared_attributes(
    document: Document, language: str, search: str | tuple[str, ...], acts: bool
) -> SharedAttributes:
    """The shared attributes of a document; `search`: which metadata is searched (see `keywords_of`); `acts`:
    whether it acts on another one."""
    path, meta = document.path or document.id, dict(document.meta)
    tags = _encode(document.tags) if document.tags else "[]"
    force = _force_of_document(document, meta, language, acts)
    times = [wire.encode(each) for each in (*document.about, *force)]
    about = _encode(times) if times else "[]"
    apart = _beside(meta, document.text) if search == AUTO else meta
    keywords = _encode(keywords_of(apart, document.tags, search))
    fields = document.title, document.uri, language, tags, about, document.fiscal_start
    return SharedAttributes(
        digest((path, *fields, meta)), digest((stem_of(path), *fields, apart)), path, document.title,
        document.uri, language, tags,
        _encode(meta), about, keywords, document.fiscal_start,
    )  # fmt: skip


def _force_of_document(
    document: Document, meta: Mapping[str, Any], language: str, acts: bool
) -> list[SourcedTime]:
    """The time in which a document is in force by its status, or by a sentence; its metadata comes first, but
    for a status with which it never is. Its title or the name of its file may call it a draft."""
    from asof.text.force import force_of_document

    names = document.title, stem_of(document.path or document.id).rpartition("/")[2]
    status = status_not_in_force(meta) or next(filter(None, map(_called_draft, names)), "")
    stated = any(is_of_force(each.by) for each in document.about)
    if status and (not stated or not set_of("acts", "never_in_force").isdisjoint(status.casefold().split())):
        return [SourcedTime(Span(None, _LONG_AGO), status, STATUS)]
    if stated:
        return []
    published = document.published.span if document.published else None
    said = force_of_document(document.text, document.title, language, published, acts)
    return [SourcedTime(said.span, said.text, DOCUMENT)] if said else []


def status_not_in_force(meta: Mapping[str, Any]) -> str:
    """The status of a document by its metadata, if with that it is not in force ("Rejected", "Superseded by
    ADR 9"); else ""."""
    status = next((value for key, value in meta.items() if key.casefold() == STATUS), "")
    if not isinstance(status, str) or len(status) > MAX_CHARACTERS:
        return ""
    return status if (found := _not_in_force().match(status.strip())) and found[0] else ""


def _called_draft(name: str) -> str:
    """The word by which a name is that of a draft, in lower case, or ""; "NFL DRAFT RESULTS" has none, as all
    of it is in capitals."""
    found = _draft().search(name)
    if found is None or (name.isupper() and found.start() > 0 and name[found.end() :].strip(" )]")):
        return ""
    return found["draft"].casefold()


@cache
def _draft() -> re.Pattern[str]:
    """Finds what calls a name that of a draft: "DRAFT", "(draft)", "Draft: ", or a "draft" at its end."""
    words = of_all("acts", "draft")
    plain, capital = ("|".join(map(re.escape, each)) for each in (words, map(str.upper, words)))
    return re.compile(rf"(?<![^\W_])(?P<draft>(?:{capital})(?![^\W_])|(?i:{plain})(?=[)\]:]|\s*$))")


@cache
def _not_in_force() -> re.Pattern[str]:
    words = "|".join(map(re.escape, of_all("acts", "not_in_force")))
    links = "|".join(map(re.escape, (*of_all("acts", "by"), "on", "since", "in")))
    return re.compile(rf"(?:{words})(?=$|\s*[(,;:–-]|\s+(?:{links})\b)", re.IGNORECASE)


STATUS, DOCUMENT = "status", "document"
"""The field of the metadata with what a document is (a draft, in force, withdrawn), and the name of a time
that a sentence states for its whole document."""

_LONG_AGO = datetime(1, 1, 2, tzinfo=UTC)


def _beside(meta: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The metadata without what lines at the beginning of the text state ("Status: Final"): it is found
    there, and other passages stay as they are when it changes."""
    if not meta:
        return {}
    from asof.sources.headers import fold

    lines = (line.partition(": ") for line in text[:HEADER].split("\n"))
    stated = {fold(key): words for key, _, words in lines if words}

    def is_stated(key: str, value: object) -> bool:
        words = stated.get(fold(key), "")
        return all(str(each) in words for each in (value if isinstance(value, list) else [value]))

    return {key: value for key, value in meta.items() if not is_stated(key, value)}


def content_digest(document: Document) -> bytes:
    """The digest of a document without its date."""
    return digest((
        document.path, document.text, document.title, document.uri, document.language, document.tags,
        sorted(document.aliases), dict(document.meta), [wire.encode(each) for each in document.about],
        document.fiscal_start,
        [(link.target, link.heading, link.alias, link.kind) for link in document.links],
    ))  # fmt: skip


def stated_digest(content: bytes, published: SourcedTime | None) -> bytes:
    """The digest of a statement: its content and date, unless the date is weak."""
    if published is None or published.by in WEAK_DATES:
        return blake2b(content, digest_size=16).digest()
    starts, ends = time_bounds(published)
    return blake2b(content + f"{starts}:{ends}".encode(), digest_size=16).digest()


class DigestedPassage(NamedTuple):
    """A passage of a version: its key, its place in the text, its headings and text."""

    key: bytes
    start: int
    end: int
    headings: str
    text: str


def passages_from_chunks(text: str, chunks: list[Chunk]) -> list[DigestedPassage]:
    """Passages with keys; equal in two versions exactly when headings and text are equal.

    Repeated passages of one document differ by the number of earlier ones.
    """
    base = blake2b(digest_size=KEY_BYTES)
    keys: set[bytes] = set()
    repeated: dict[bytes, blake2b] = {}  # the hash after the last repetition
    passages: list[DigestedPassage] = []
    for piece in chunks:
        headings = "\n".join(piece.headings)
        passage_text = text[piece.start : piece.end]
        stem = base.copy()
        stem.update(f"{len(headings)}\n{headings}\n{passage_text}".encode())
        first = key = stem.digest()
        if first in keys:
            stem = repeated.get(first, stem)
            while key in keys:
                stem.update(b"again")
                key = stem.digest()
            repeated[first] = stem
        keys.add(key)
        passages.append(DigestedPassage(key, piece.start, piece.end, headings, passage_text))
    return passages


def document_passages(document: Document, chunking: Chunking) -> list[DigestedPassage]:
    """The passages of a document. One with a title and no text has one empty passage, found by its title."""
    from asof.text.passages import Chunk, chunk

    chunks = chunk(document.text, document.outline, chunking)
    if not chunks and document.title:
        chunks = [Chunk(0, 0, ())]
    return passages_from_chunks(document.text, chunks)


def pack_layout(places: Sequence[DigestedPassage | tuple[bytes, int, int]]) -> bytes:
    return b"".join([_PLACE.pack(*place[:3]) for place in places])


def layout_keys(layout: bytes | None) -> tuple[bytes, ...]:
    return tuple([key for key, _, _ in layout_places(layout)])


def layout_places(layout: bytes | None) -> list[tuple[bytes, int, int]]:
    """(key, start, end) of each passage in order."""
    return list(_PLACE.iter_unpack(layout or b""))


def place_in(layout: bytes, key: bytes) -> tuple[int, int, int] | None:
    """The number, start and end of the first passage with this key; None without any."""
    at = layout.find(key)
    while at % PLACE_BYTES:  # also -1
        if at < 0:
            return None
        at = layout.find(key, at + 1)
    _, start, end = _PLACE.unpack_from(layout, at)
    return at // PLACE_BYTES, start, end


def indexed_text(title: str, headings: str, about: str, text: str, keywords: str) -> str:
    """The indexed text of a passage: its document's title, headings, period, keywords, then its text.

    `headings` are separated by line feeds, the outermost first; a first heading that repeats the title is
    not counted twice, nor a heading with which the passage starts. Of the document's `keywords` (a JSON list)
    those are added that occur nowhere else.
    """
    above = headings.split("\n") if headings else []
    if above and above[0] == title:
        above = above[1:]
    if above and text.lstrip("#= \t").startswith(above[-1]):
        above = above[:-1]
    times = json.loads(about) if about != "[]" else ()
    period = " ".join(time["text"] for time in times if time["by"] not in (STATUS, DOCUMENT))
    parts = [title, *above, period]
    parts += missing_keywords(keywords, *parts, text)
    return "\n".join([part for part in (*parts, text) if part])


def hit_id(document: str, key: bytes) -> str:
    return f"{document}#{key.hex()}"


# -- times of a passage: from metadata, and expressions in its text ------------------------------------

MAX_TIMES = 16
"""The most times of a passage: first those of its metadata, title and headings, then those of its text."""

Where = Literal["title", "heading", "text"]
SECTION, FORCE, METADATA, TITLE, HEADING, TEXT = range(6)
KIND = {
    "title": TITLE,
    "heading": HEADING,
    "text": TEXT,
    "section": SECTION,
    "statement": FORCE,
    STATUS: FORCE,
    DOCUMENT: FORCE,
}
"""Where a time occurs, most important first; any other name is a field of the metadata. SECTION
and FORCE: the time in which a passage is in force, by the heading that dates its section, or by its metadata
or own words."""

_encode_times = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class AboutTime(NamedTuple):
    """A time that a passage is about: first and last instant, the words, and where they occur."""

    first: int
    last: int
    text: str
    by: str

    @property
    def kind(self) -> int:
        """Where it occurs, from SECTION to TEXT."""
        return KIND.get(self.by, FORCE if is_of_force(self.by) else METADATA)

    def sourced_time(self) -> SourcedTime:
        """As a time with its source."""
        return SourcedTime(span_of(self.first, min(self.last + 1, NEVER)), self.text, self.by)


class TimeReadingOptions(NamedTuple):
    """Options for reading time expressions: the language, the first month of the fiscal year."""

    language: str
    fiscal_start: int


def passage_times(
    metadata: str, title: str, headings: str, text: str, published: Span | None, options: TimeReadingOptions
) -> tuple[AboutTime, ...]:
    """The different times that a passage is about, at most MOST, each with the first place that names it.

    `metadata`: document times as JSON (`asof.wire.encode`); `headings` separated by line feeds;
    `published`: the date of the version, from which relative times count.
    """
    times: dict[tuple[int, int, bool], AboutTime] = {}
    for time in _iter_times(metadata, title, headings, text, published, options):
        times.setdefault((*time[:2], time.kind <= FORCE), time)
        if len(times) == MAX_TIMES:
            break
    return tuple(times.values())


def _iter_times(
    metadata: str, title: str, headings: str, text: str, published: Span | None, options: TimeReadingOptions
) -> Iterator[AboutTime]:
    stated = metadata_times(metadata) if metadata != "[]" else ()
    whole = next((time for time in stated if time.by == DOCUMENT), None)
    ended = any(time.by == STATUS for time in stated)
    yield from (time for time in stated if time is not whole and not (ended and is_of_force(time.by)))
    mentions = _mentions(text, published, options)
    if mentions:
        from asof.text.force import with_coming_years

        mentions = with_coming_years(text, mentions, options.language, published)
    if whole is not None or all(time.kind > FORCE for time in stated):
        above = reversed(headings.split("\n"))
        sections = (_section_force(each, title, published, options) for each in above)
        own = [*next(filter(None, sections), ())]
        own = own or [*_stated_force(text, mentions, published, options)]
        yield from own or ([whole] if whole is not None else [])
    if title:
        yield from _title_times(title, "title", published, options)
    if headings:
        for heading in headings.split("\n"):
            yield from _title_times(heading, "heading", published, options)
    rows = _row_intervals(text, headings)
    for each in rows:
        for time in _mentions(each, published, options):  # of "since 2021" all that follows
            yield AboutTime(time.span.first, time.span.last, " ".join(time.text.split()), "text")
    yield from _about((each for each in mentions if not any(each.text in said for said in rows)), "text")


def _row_intervals(text: str, headings: str) -> list[str]:
    """The times of the rows of tables whose columns say since when and until when, as they are shown."""
    from asof.text.tables import row_interval, table_rows

    if "|" not in text:
        return []
    found = (
        row_interval(text[start:end], above)
        for start, end, above in table_rows(text, headings.split("\n")) if above is not None
    )  # fmt: skip
    return [each[0] for each in found if each is not None]


@lru_cache(maxsize=1024)
def metadata_times(metadata: str) -> tuple[AboutTime, ...]:
    """The times of a document, as they are stored."""
    times = []
    for time in json.loads(metadata):
        start = read(time["from"]).start if time["from"] else None
        end = read(time["until"]).start if time["until"] else None
        span = Span(start, end)
        times.append(AboutTime(span.first, span.last, time["text"], time["by"]))
    return tuple(times)


@lru_cache(maxsize=4096)
def _title_times(
    title: str, by: Where, published: Span | None, options: TimeReadingOptions
) -> tuple[AboutTime, ...]:
    """The times of a title or heading; cached, since many passages share them."""
    return tuple(_about(_mentions(title, published, options), by))


def _mentions(text: str, published: Span | None, options: TimeReadingOptions) -> tuple[TimeExpression, ...]:
    from asof.time.expressions import TimeContext, parse

    context = TimeContext(fiscal_start=options.fiscal_start, language=options.language, published=published)
    return parse(text, context=context)


def _about(mentions: Iterable[TimeExpression], by: Where) -> Iterator[AboutTime]:
    for mention in mentions:
        yield AboutTime(mention.core.first, mention.core.last, " ".join(mention.text.split()), by)


# -- the time in which a passage is in force -----------------------------------------------------------


@lru_cache(maxsize=256)
def is_of_force(field: str) -> bool:
    """True if a field of the metadata says since when or until when a document is in force."""
    from asof.sources.dates import FROM, UNTIL, names_date

    return names_date(field, FROM, UNTIL)


_WORD = re.compile(r"[^\W\d_]{2,}")
"""A word: a heading with one beside its date ("Budget 2025") says what the section is about."""


_YEAR = re.compile(r"\d+")


@lru_cache(maxsize=4096)
def _section_force(
    heading: str, title: str, published: Span | None, options: TimeReadingOptions
) -> tuple[AboutTime, ...]:
    """The time since which a section is in force whose heading is a date ("2.1.0 (2024-09-09)"), or a year
    beside words of the title at most (the sheet "Prices 2022" of "Prices"), or says it ("Prices from 1 April
    2023")."""
    if not any(map(str.isdigit, heading)):
        return ()
    mentions = _mentions(heading, published, options)
    if len(mentions) != 1 or mentions[0].core.start is None:
        return ()
    (mention,) = mentions
    from asof.text.force import phrases
    from asof.time.expressions import is_one_year

    if is_one_year(mention):  # the year of a school, or of accounts, begins in none of its months
        return ()

    known = phrases(options.language)
    before, after = heading[: mention.start], heading[mention.end :]
    says = mention.relation in ("since", "as of", "between") or any(
        known.opens.fullmatch(word.strip("([,")) for word in before.split()[-1:]
    )
    words = known.release.sub("", f"{before} {after}")
    of_year = mention.grain == "year" and not any(year in title for year in _YEAR.findall(mention.text))
    if of_year:
        words = " ".join(set(_WORD.findall(words.casefold())) - set(_WORD.findall(title.casefold())))
    if not says and (_WORD.search(words) or not (of_year or mention.grain in ("day", "month"))):
        return ()
    ends = mention.core.last if mention.relation == "between" else NEVER
    return (AboutTime(mention.core.first, ends, heading, "section"),)


def _stated_force(
    text: str, mentions: Sequence[TimeExpression], published: Span | None, options: TimeReadingOptions
) -> Iterator[AboutTime]:
    """The times for which sentences say that they hold; not one that was over when it was told."""
    if not mentions:
        return
    from asof.text.force import stated_force

    for stated in stated_force(text, mentions, options.language, published):
        over = published is not None and stated.span.last < published.first
        if stated.by_phrase or not over:
            yield AboutTime(stated.span.first, stated.span.last, stated.text, "statement")


def dumps(times: Sequence[AboutTime]) -> str:
    """Times as they are stored with a passage."""
    return _encode_times(times) if times else "[]"


def loads(stored: str) -> tuple[AboutTime, ...]:
    """The inverse of `dumps`."""
    return tuple(AboutTime(*time) for time in json.loads(stored)) if stored != "[]" else ()
