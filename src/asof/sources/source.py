"""The interface of sources: a name, and an iterator over statements (documents, deletions, problems).

Also names of record fields, and sources that a scheme opens (`SCHEME:...`).
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import msgspec
from msgspec import Struct

from asof import plugins
from asof.documents import SourceEvent, document_file
from asof.errors import SourceError, UsageError
from asof.lang import of_all
from asof.schema import Table
from asof.time.moment import TimeOptions, zone_named
from asof.version import __version__

# -- source --------------------------------------------------------------------------------------------


class Source(Protocol):
    """A source of documents.

    `name` is the same in every run over the same target. `complete`: a document which a run does not state
    any more is gone; a source that is not complete states every deletion (`Ended`). One may have
    `replaces_history = True`: it states every version of all times under the time that it counts from, so
    that a version of a document which it no longer states is withdrawn, as if it had never been; its `branch`
    is then part of the way in which it is read.
    """

    name: str
    kind: str
    complete: bool

    def documents(self) -> Iterator[SourceEvent]:
        """All statements of the source now, in an order that depends on the source alone; `SafeToCommit`
        where earlier statements shall not wait for the rest.

        Raises SourceError when the source cannot be read at all.
        """
        ...


@runtime_checkable
class Resumable(Protocol):
    """A source that need not state again what its checkpoints cover."""

    name: str

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        """Take the tokens of what is stored, by document (`Checkpoint`), for the next `documents()`."""
        ...


def token(*parts: str | bytes | int | None) -> bytes:
    """A token of all parameters that decide what a source states, the version of asof included."""
    digest = blake2b(digest_size=16)
    for part in (__version__, *parts):
        data = part if isinstance(part, bytes) else repr(part).encode("utf-8", "backslashreplace")
        digest.update(b"%d:" % len(data) + data)
    return digest.digest()


@dataclass(frozen=True, slots=True)
class InputLimits:
    """The largest input that is read, in bytes: of a file, of a line of JSON, of a note's frontmatter; of a
    document that a process of its own reads (PDF, office documents), also its pages, the characters of its
    text and the bytes that it unpacks to (as of .jsonl.gz), and what reading it may take: bytes of memory
    (limited on Linux only) and seconds; of a mailbox its messages (`documents`) and characters of `all`."""

    file: int = 64 * 2**20
    line: int = 16 * 2**20
    frontmatter: int = 64 * 2**10
    pages: int = 2_000
    characters: int = 4_000_000
    documents: int = 50_000
    all: int = 64_000_000
    unpacked: int = 256 * 2**20
    memory: int = 384 * 2**20
    seconds: int = 60


class SourceNaming(Struct, frozen=True):
    """The names of a target and of what is below it: `name` in document ids, `shown` in problems."""

    target: Path
    name: str
    shown: str

    @classmethod
    def of(cls, target: Path, root: Path) -> SourceNaming:
        """Named by its path from the corpus's folder `root`; a target outside by its last part only."""
        inside = _relative(Path(os.path.abspath(target)), Path(os.path.abspath(root)))  # noqa: PTH100
        if inside is None:
            inside = _relative(target.resolve(), root.resolve())
        if inside is None:
            return cls(target, printable(target.resolve().name) or ".", printable(target.as_posix()))
        return cls(target, printable(inside), printable(inside))

    def id(self, relative: str) -> str:
        """The id of the document at a path (posix, from the target; empty for the target itself)."""
        return _below(self.name, relative)

    def file(self, relative: str) -> str:
        """The same path as a problem shows it."""
        return printable(_below(self.shown, relative))


def below(root: Path, name: str) -> Path | None:
    """What the name of a source or a document leads to, links resolved; None where nothing is there, or
    where it lies outside of the corpus's folder: a database from elsewhere may name anything."""
    try:
        path = (root / name).resolve(strict=True)
        return path if path.is_relative_to(root.resolve()) else None
    except (OSError, ValueError, RuntimeError):  # a name that no path can be, a circle of links
        return None


def source_file(root: Path, document: str) -> Path | None:
    """The file that a document was read from, inside the corpus's folder; None where there is none."""
    path = below(root, document_file(document))
    return path if path is not None and path.is_file() else None


def _relative(path: Path, root: Path) -> str | None:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else None


def _below(top: str, relative: str) -> str:
    if not relative:
        return top
    return relative if top == "." else f"{top}/{relative}"


def printable(path: str) -> str:
    """A path with every byte that is not UTF-8 shown as an escape."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


# -- names of record fields ----------------------------------------------------------------------------


class Fields(Struct, frozen=True):
    """The accepted names of each field of a JSON record; the first that exists and is not null is taken.

    Without names of its own, `published`, `changed`, `in_force_from` or `in_force_until` is any field of
    `lang/*/dates.toml`; case, dashes and blanks make no difference there. `order` is that of day and month in
    figures, where a text does not tell; `timezone` names the zone of times of day without one ("": UTC).

    Of `about` every name counts. The five from `fiscal_year` on name periods by label (`sources.periods`);
    `fiscal_start` is no name but the first month of the fiscal year, unless a record states its own.
    """

    id: tuple[str, ...] = ("id", "_id", "doc_id")
    text: tuple[str, ...] = ("text", "body", "content", "contents")
    title: tuple[str, ...] = ("title",)
    published: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    in_force_from: tuple[str, ...] = ()
    in_force_until: tuple[str, ...] = ()
    about: tuple[str, ...] = ("about", "period")
    tags: tuple[str, ...] = ("tags", "keywords")
    uri: tuple[str, ...] = ("url", "uri", "link")
    language: tuple[str, ...] = ("language", "lang")
    aliases: tuple[str, ...] = ("aliases",)
    links: tuple[str, ...] = ("links",)
    fiscal_year: tuple[str, ...] = ("fiscal_year",)
    fiscal_quarter: tuple[str, ...] = ("fiscal_quarter",)
    fiscal_period: tuple[str, ...] = ("fiscal_period",)
    quarter: tuple[str, ...] = ("quarter",)
    year: tuple[str, ...] = ("year",)
    fiscal_start: int = 1
    order: Literal["", "dmy", "mdy"] = ""
    timezone: str = ""

    @property
    def times(self) -> TimeOptions:
        """How times that people give are read."""
        return TimeOptions(self.fiscal_start, zone_named(self.timezone) if self.timezone else None)


# -- schemes: how `SCHEME:...` is opened, and the context it gets --------------------------------------

ERASED = 0
"""In place of a version's number: the document was erased, and is not to be indexed again unasked."""

_SCHEME = re.compile(r"([a-z][a-z0-9-]+):", re.IGNORECASE)

Stored = Callable[[Collection[str]], Mapping[str, Collection[int]]]
"""Gives the numbers of the versions (`version` of their metadata) that the corpus has of documents (ids)."""


class SourceContext(Struct, frozen=True):
    """The context that a scheme gets of the corpus for which its source is opened.

    `root`: the corpus's folder. `now`: the instant, in microseconds since 1970. `settings`: the table of
    asof.toml that has the scheme's name. `fields`: those of [fields]. `folder`: where the source may keep
    files between runs (it may not be there yet). `stored`: which versions the corpus has.
    """

    root: Path
    now: int
    settings: Mapping[str, Any] = msgspec.field(default_factory=dict)
    fields: Fields = Fields()
    folder: Path | None = None
    stored: Stored | None = None


class Erasure(Struct, frozen=True):
    """The permanent erasure of a document of a scheme, with what belongs to it.

    `group(document)`: the ids of the documents of the same thing, empty if it is none of the scheme's; with
    the first one all are erased, any other alone. `forget(folder, document)`: while this is open, no run
    of the source goes on, and none of its files names the document any more. `lasting`: it is not indexed
    again by a run that does not name it.
    """

    group: Callable[[str], tuple[str, ...]]
    forget: Callable[[Path, str], AbstractContextManager[None]]
    lasting: bool = False


class SourceScheme(Struct, frozen=True):
    """The object that an entry point of the group `asof.sources` names.

    `open(target, context, **options)`: the source that a target (`SCHEME:...`) names, with the options of
    `Corpus.add` that it accepts, by name. It raises SourceError or UsageError, and sends no request yet.
    `table`: its table of asof.toml, of which a folder that is not trusted sets the safe keys only. `erasure`:
    see there; without one, a document is erased like that of a file.
    `notes(target)`: lines about a target for who indexes it.
    """

    open: Callable[..., Source]
    table: Table | None = None
    erasure: Erasure | None = None
    notes: Callable[[str], Sequence[str]] = lambda _: ()


def scheme_in(text: str) -> str:
    """The scheme that a text begins with, in lower case; "" where it begins with none."""
    match = _SCHEME.match(text)
    return match[1].lower() if match else ""


def scheme_named(name: str) -> SourceScheme | None:
    """The scheme of that name; None if there is none. Raises UsageError for one that cannot be loaded."""
    scheme = plugins.load(plugins.SOURCES, name) if name else None
    if callable(scheme) and not isinstance(scheme, SourceScheme):
        return SourceScheme(scheme)
    if scheme is not None and not isinstance(scheme, SourceScheme):
        raise UsageError(f"the scheme {name}: is a {type(scheme).__name__}; a SourceScheme is expected")
    return scheme


def is_scheme(text: str) -> bool:
    """True if a text begins with a known scheme; then it is no path (a file of that name is ./arxiv:...)."""
    name = scheme_in(text)
    return name in plugins.BUILT_IN[plugins.SOURCES] or (
        bool(name) and name in plugins.installed(plugins.SOURCES)
    )


def is_target(text: str) -> bool:
    """True if a text names a source by a scheme, known or not, rather than an existing path."""
    return is_scheme(text) or (
        bool(scheme_in(text)) and not re.search(r"\s", text) and not os.path.lexists(text)
    )


def open_scheme(target: str, context: SourceContext, options: Mapping[str, object]) -> Source:
    """The source that `SCHEME:...` names. Raises SourceError for an unknown scheme, UsageError for options
    that it does not accept, and what the scheme raises."""
    name = scheme_in(target)
    scheme = scheme_named(name)
    if scheme is None:
        raise SourceError(
            f"{plugins.unknown(plugins.SOURCES, name, 'source scheme')}; another one comes with a package "
            f"that offers it (pip install), and a file of that name is ./{target[:80]}"
        )
    parameters = inspect.signature(scheme.open).parameters.values()
    accepted = [each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY]
    if wrong := [key for key in options if key not in accepted]:
        raise UsageError(
            f"{', '.join(wrong)}: not for {name}:...; accepted: {', '.join(accepted) or 'no options'}"
        )
    target = name + target[len(name) :]  # whatever its case was
    return scheme.open(target, context, **options)


# -- copies, by their names ----------------------------------------------------------------------------

_MARKED = {
    "conflict": r"(?P<name>.+?)\.sync-conflict-\d{8}-\d{6}(?:-\w+)?",
    "(": r"(?P<name>.+?) \(\d{1,2}\)",
}
"""What programs add to the name of a copy, in any language."""


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The patterns of the names of copies, each after its longest word, without which no name has it."""
    patterns = [
        (max(re.findall(r"\w+", each), key=len), _pattern(each))
        for each in dict.fromkeys(of_all("files", "copies"))
    ]
    return tuple((word, re.compile(each)) for word, each in (*patterns, *_MARKED.items()))


def _pattern(words: str) -> str:
    """The pattern of a name such as "copy of {}", which programs number: "copy (2) of a", "a copy 3"."""
    made = re.escape(words).replace(r"\{\}", "(?P<name>.+?)").replace(r"\*", "[^()]*")
    made = made.replace(r"\ ", r"(?:[ _-]+\(\d{1,3}\))?[ _-]+", 1).replace(r"\ ", "[ _-]+")
    return made if words.endswith(")") else made + r"(?:[ _-]+\(?\d{1,3}\)?)?"


@lru_cache(65_536)
def original_of(document: str) -> str:
    """The name of the file of which another would be a copy by its name ("Copy of a.md", "a (1).md", a
    conflict of a sync program), in lower case; "" if its name is not one of a copy."""
    folder, slash, file = document.casefold()[-LONGEST_COPIED:].rpartition("/")
    stem, dot, kind = file.rpartition(".") if "." in file else (file, "", "")
    found = next(
        (match for word, each in _patterns() if word in stem and (match := each.fullmatch(stem))), None
    )
    name = found["name"].strip() if found else ""
    return f"{folder}{slash}{name}{dot}{kind}" if name else ""


LONGEST_COPIED = 1_000
"""The most characters of a name that are looked at."""
