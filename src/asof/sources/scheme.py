"""Sources that are named by a scheme, `SCHEME:...`: how they are opened, and the context that they get."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asof import plugins
from asof.errors import SourceError, UsageError
from asof.schema import AcceptedValue
from asof.sources.fields import Fields
from asof.sources.source import Source

ERASED = 0
"""In place of a version's number: the document was erased, and is not to be indexed again unasked."""

_SCHEME = re.compile(r"([a-z][a-z0-9-]+):", re.IGNORECASE)

Stored = Callable[[Collection[str]], Mapping[str, Collection[int]]]
"""Gives the numbers of the versions (`version` of their metadata) that the corpus has of documents (ids)."""


@dataclass(frozen=True, slots=True)
class SourceContext:
    """What a scheme knows of the corpus that its source is for.

    `root`: the corpus's folder. `now`: the instant, in microseconds since 1970. `settings`: the table of
    asof.toml that has the scheme's name. `fields`: those of [fields]. `folder`: where the source may keep
    files between runs (it may not be there yet). `stored`: which versions the corpus has.
    """

    root: Path
    now: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    fields: Fields = Fields()  # noqa: RUF009  a frozen value
    folder: Path | None = None
    stored: Stored | None = None


@dataclass(frozen=True, slots=True)
class Erasure:
    """How a document of a scheme is erased for good, with what belongs to it.

    `group(document)`: the ids of the documents of the same thing, empty if it is none of the scheme's; with
    the first one all are erased, any other alone. `forget(folder, document)`: while this is open, no run
    of the source goes on, and none of its files names the document any more. `rename(source, document)`: the
    name of a source without the document, "" if nothing else is in it. `lasting`: it is not indexed again
    by a run that does not name it.
    """

    group: Callable[[str], tuple[str, ...]]
    forget: Callable[[Path, str], AbstractContextManager[None]]
    rename: Callable[[str, str], str]
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class SourceScheme:
    """What an entry point of the group `asof.sources` names.

    `open(target, context, **options)`: the source that a target (`SCHEME:...`) names, with the options of
    `Corpus.add` that it accepts, by name. It raises SourceError or UsageError, and sends no request yet.
    `settings`: the keys of its table in asof.toml; `untrusted_keys`: those that the asof.toml of any folder
    may set, while all others count in a trusted folder only. `check` raises UsageError for a table whose
    keys do not go together. `erasure`: see there; without one, a document is erased like that of a file.
    `notes(target)`: lines about a target for who indexes it. `table`: a class that describes the table, as
    `asof.plugins.TABLES` says.
    """

    open: Callable[..., Source]
    settings: Mapping[str, AcceptedValue] = field(default_factory=dict)
    untrusted_keys: frozenset[str] = frozenset()
    check: Callable[[Mapping[str, Any]], object] = dict
    erasure: Erasure | None = None
    notes: Callable[[str], Sequence[str]] = lambda _: ()
    table: Any = None


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
    """Whether a text begins with a known scheme: then it is no path (a file of that name is ./arxiv:...)."""
    name = scheme_in(text)
    return name in plugins.BUILT_IN[plugins.SOURCES] or (
        bool(name) and name in plugins.installed(plugins.SOURCES)
    )


def is_target(text: str) -> bool:
    """Whether a text names a source by a scheme, known or not, rather than a path that is there."""
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
    requested = {key: value for key, value in options.items() if value is not None and value is not False}
    parameters = inspect.signature(scheme.open).parameters.values()
    accepted = [each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY]
    if wrong := [key for key in requested if key not in accepted]:
        raise UsageError(
            f"{', '.join(wrong)}: not for {name}:...; accepted: {', '.join(accepted) or 'no options'}"
        )
    target = name + target[len(name) :]  # whatever its case was
    return scheme.open(target, context, **{key: options[key] for key in options if key in accepted})
