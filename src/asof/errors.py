"""The exceptions that asof raises on purpose.

    AsofError
    ├── UsageError            a request that cannot be carried out as given
    │   ├── DocumentNotFound  a name that no document has, as of that moment
    │   ├── BadTime           a text that is no time, or a time that needs an anchor
    │   │   └── AmbiguousDate  03/04/2023, and nothing says what comes first
    │   ├── BadConfig         a key or a value in asof.toml
    │   ├── Untrusted         a key of a folder's asof.toml is needed but ignored: `asof trust`
    │   ├── EncoderChanged    the corpus has vectors of another encoder than it was opened with
    │   └── BeforeHorizon     history before this moment was dropped by vacuum
    ├── SourceError           a source that cannot be read at all
    │   ├── SourceShrunk      a run would end too many of a source's documents
    │   └── WayChanged        a source would be read in another way than it was
    ├── CorpusError           the corpus itself
    │   ├── NoCorpus          there is none here
    │   ├── OtherSchema       written by an earlier or a later asof
    │   ├── Busy              another process is writing
    │   ├── NoSpace           the disk is full
    │   ├── DamagedStore      the database fails SQLite's checks
    │   ├── DamagedState      the learned state of a recipe cannot be read; it is not reset unasked
    │   └── StorageError      a corpus at a URL: an object is missing or altered, or there is no answer
    │       └── PublishConflict  another writer published there what this folder does not have
    ├── DamagedSegment        a cache file is missing, torn or altered; it is rebuilt, unseen by users
    ├── ModelError            a model, or its server, gave no usable answer
    └── MissingExtra          an optional dependency is not installed

Bad *input* is not an error: a line or a file that cannot be read becomes a `Problem` (see `asof.documents`)
and the run goes on. A message tells what was given, what is accepted and what to do.
"""

from __future__ import annotations


class AsofError(Exception):
    """The root: catch this to catch all that asof raises on purpose."""


class UsageError(AsofError):
    """A request that cannot be carried out as given."""


class DocumentNotFound(UsageError):
    """A name that no document has, as of that moment."""


class BadTime(UsageError):
    """A text that cannot be read as a time."""


class AmbiguousDate(BadTime):
    """A day in figures that is two days: the day or the month may come first."""


class BadConfig(UsageError):
    """A key or a value of `asof.toml` that is not accepted."""


class Untrusted(UsageError):
    """A key of a folder's `asof.toml` is needed but ignored, as the folder is not trusted."""


class EncoderChanged(UsageError):
    """The corpus holds vectors of another encoder than it was opened with."""


class BeforeHorizon(UsageError):
    """A question as of a moment whose history `asof vacuum` has dropped."""


class SourceError(AsofError):
    """A source that cannot be read at all (a path that is not there, a shallow clone)."""


class SourceShrunk(SourceError):
    """A run would end more documents of a source than is plausible; nothing was ended."""


class WayChanged(SourceError):
    """A source would be read in another way than before: with its history, or as it is; nothing was read."""


class CorpusError(AsofError):
    """Something about the corpus on disk."""


class NoCorpus(CorpusError):
    """There is no corpus at this place."""


class OtherSchema(CorpusError):
    """The corpus was written by an earlier or a later version of asof."""


class Busy(CorpusError):
    """Another process is writing and did not finish in time."""


class NoSpace(CorpusError):
    """The disk (or a limit on file sizes) is exhausted; the corpus is as it was before the write."""


class DamagedStore(CorpusError):
    """SQLite reports that the database file is not sound."""


class DamagedState(CorpusError):
    """The learned state of a recipe cannot be read; it is not reset without being asked."""


class StorageError(CorpusError):
    """An object of a corpus at a URL is missing or altered, or the object storage gives no answer."""


class PublishConflict(StorageError):
    """Another writer published a state of a corpus at a URL that this folder does not have."""


class DamagedSegment(AsofError):
    """A segment file is missing, torn or altered. The engine rebuilds it from the store."""


class ModelError(AsofError):
    """A model, or the server that runs it, gave no answer that can be used."""


class MissingExtra(AsofError):
    """An optional dependency is needed and not installed; the message names the extra."""


def missing_extra(what: str, extra: str, *packages: str) -> MissingExtra:
    """The error where packages that `what` needs are not installed; the extra brings them."""
    return MissingExtra(f"{what} needs {' and '.join(packages)}: install asof with its extra `{extra}`")
