"""What every surface calls: open a corpus, add to it, ask it as of a moment, look after it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from asof import engine, environment
from asof.arguments import all_checked, checked
from asof.config import Config
from asof.corpus.maintenance import Maintenance
from asof.corpus.models import configured_encoder, encoder_for, named_encoder
from asof.corpus.snapshot import Snapshot as Snapshot
from asof.engine import Results
from asof.errors import NoCorpus, UsageError
from asof.index.manifest import Manifest
from asof.models.named import encoder_of, model_of
from asof.store.run import IndexReport
from asof.store.settings import CorpusSettings
from asof.store.store import DEFAULT_WAIT, FETCHED, FOLDER, Store, translate_sqlite_errors
from asof.time.bounds import When, last_instant

if TYPE_CHECKING:
    from asof.models.named import Named
    from asof.models.ports import Encoder, Model
    from asof.sources.from_python import Item, Record
    from asof.sources.scheme import SourceContext
    from asof.sources.source import Source

T = TypeVar("T")


@checked
def open(  # noqa: A001  asof.open is the word for it
    path: str | Path = ".",
    *,
    create: bool = True,
    encoder: Encoder | Named | None = None,
    model: Model | Named | Callable[[str], str] | None = None,
    settings: CorpusSettings | None = None,
    wait: float = DEFAULT_WAIT,
    tell: Callable[[str], None] | None = None,
    trust: bool = False,
    configured: Config | None = None,
) -> Corpus:
    """Open the corpus of a folder (it lies in `path/.asof`), making it if `create` and there is none.

    `settings` are those of a new corpus (default: asof.toml's). `encoder`: vectors beside words, in place of
    asof.toml's; that of a corpus is changed by `Corpus.embed` only. `model`: a language model in place of
    asof.toml's, also as a function of the prompt (see `asof.Named`). `wait`: seconds to wait for another
    writer. `tell` gets a line when a part of the index had to be rebuilt, and when asof.toml names a model or
    an address that does not count, since the user does not trust the folder; a warning says the latter where
    there is no `tell`. `trust`: it counts, whatever the user said. `configured`: in place of all files.

    Raises NoCorpus, NewerSchema, DamagedStore, BadConfig, Busy, and UsageError, also for another encoder.
    """
    root = _folder(path)
    given = None if encoder is None else encoder_of(encoder)
    speaker = None if model is None else model_of(model)
    if configured is None:
        configured = environment.configuration(root, tell or _warn, trust=trust)
    folder = root / FOLDER
    wanted = settings or configured.index
    try:
        store = Store.open(folder, wait)
    except NoCorpus as error:  # or one whose making was interrupted
        if not create:
            error.add_note("in Python: asof.open(path) makes one, unless create=False")
            raise
        chosen = given
        if chosen is None and configured.encoding is not None:
            chosen = configured_encoder(configured, root, environment.variables())
        if chosen is not None:
            wanted = replace(wanted, encoder=chosen.name)
        store = Store.create(folder, wanted, wait)
    found = encoder_for(store, given, configured, root, environment.variables())
    manifest = Manifest(store, found, tell or _silent)
    return Corpus(root, store, manifest, configured, environment.now, environment.variables(), model=speaker)


def _folder(path: str | Path) -> Path:
    """The folder that is meant. Raises UsageError where none can be."""
    root = Path(path)
    if path == "" or "\0" in str(root):
        raise UsageError(f"{str(path)!r:.60} is no path")
    try:
        file = root.is_file()
    except (OSError, UnicodeEncodeError) as wrong:
        raise UsageError(f"{str(root)!r:.60} cannot be opened: {wrong}") from wrong
    if file:
        raise UsageError(
            f"{root} is a file, and a corpus lies in a folder: asof.open({str(root.parent)!r}), then "
            f"corpus.add({str(root)!r})"
        )
    return root


def encoder_named(name: str, folder: Path) -> Encoder | None:
    """An encoder by what a command calls it (`outside.named_encoder`), as it is configured in `folder`."""
    return named_encoder(name, environment.configuration(folder), folder, environment.variables())


def _warn(line: str) -> None:
    """To a program that opens a folder: what it says there does not count."""
    warnings.warn(line, stacklevel=6)


def _silent(line: str) -> None:
    """Rebuilding a part of the index is no news to a program."""


@all_checked
@dataclass(slots=True, repr=False)
class Corpus(Maintenance):
    """An open corpus. Use it as a context manager, or `close` it. Threads may share it.

    `background`: after a write, small segments are merged in a thread; else only by `tidy`.
    """

    def __repr__(self) -> str:
        return f"Corpus({str(self.root)!r}{', closed' if self.closed else ''})"

    # -- adding -------------------------------------------------------------------------------------

    def add(
        self,
        source: str | Path | Source | Item | Record | Iterable[Item | Record],
        *,
        history: bool = False,
        trust_mtime: bool = False,
        allow_shrinking: bool = False,
        progress: Callable[[IndexReport], None] | None = None,
        **options: object,
    ) -> IndexReport:
        """Index a source: a path (folder or file), `arxiv:...` or another scheme with its `options` (see
        `source`), a `Source`, or one or several documents (also as mappings with the fields of JSON Lines).

        Says what was added, changed, corrected, unchanged, ended, and what could not be read. Documents
        given as they are end nothing; a path states all there is, so what it does not state any more has
        ended. Raises SourceError, SourceShrunk, Busy, NoSpace.
        """
        from asof.sources.from_python import given_as, items

        if isinstance(source, str | Path):
            source = self._source(source, history=history, trust_mtime=trust_mtime, **options)
        elif options:
            raise UsageError(f"{', '.join(options)}: only for a source that is named by a scheme")
        given = given_as(source)
        # closed here, not when an error that holds its frames is forgotten
        with closing(items(given.documents, self.config.fields)) as stated:
            report = engine.build(
                self.store, self.manifest, stated, self.clock, name=given.name, kind=given.kind,
                complete=given.complete,
                allow_shrinking=allow_shrinking, progress=progress,
            )  # fmt: skip
        if report.written and self.background:
            self._tidy_behind()
        return report

    def source(
        self, name: str | Path, *, history: bool = False, trust_mtime: bool = False, **options: object
    ) -> Source:
        """The source that a path or `SCHEME:...` names, for `add`; nothing is read or asked yet.

        `options` are those of the scheme: of `arxiv:...` since, until, per_day and full (see
        `asof.arxiv.scheme.open_arxiv`). Raises SourceError, UsageError, BadTime, MissingExtra.
        """
        return self._source(name, history=history, trust_mtime=trust_mtime, **options)

    def _source(self, name: str | Path, *, history: bool, trust_mtime: bool, **options: object) -> Source:
        from asof.sources.from_python import path_of
        from asof.sources.open import open_source
        from asof.sources.scheme import is_target, open_scheme, scheme_in

        if isinstance(name, str) and is_target(name):
            return open_scheme(name, self.source_context(scheme_in(name)), options)
        if given := [key for key, value in options.items() if value is not None and value is not False]:
            raise UsageError(f"{name}: {', '.join(given)} are options of schemes, such as arxiv:...")
        path = name if isinstance(name, Path) else path_of(name)
        return open_source(
            path, root=self.root, history=history, fields=self.config.fields, trust_mtime=trust_mtime
        )

    def source_context(self, scheme: str) -> SourceContext:
        """What a source of a scheme is told of this corpus."""
        from asof.sources.scheme import SourceContext

        return SourceContext(
            self.root, self.clock(), self.config.sources.get(scheme, {}), self.config.fields,
            self.store.folder / FETCHED, self._versions,
        )  # fmt: skip

    def _versions(self, names: Iterable[str]) -> dict[str, set[int]]:
        """The numbers of the versions that are stored of documents."""
        from asof.store.versions import version_numbers

        with self._lock, translate_sqlite_errors(self.store.database):
            return version_numbers(self._db, names)

    def prepare(self) -> None:
        """Make now what searches derive from the rows (which passage follows which), as of now; the first
        search need not wait for it then."""
        from asof.graph.succession import refresh

        self.use(self.clock(), None, refresh)

    # -- asking -------------------------------------------------------------------------------------

    def at(self, as_of: When | None = None, known_at: When | None = None) -> Snapshot:
        """The corpus as it stood at `as_of` (default: now), as it was known at `known_at` (default: now)."""
        anchor = self._present()
        fiscal = self.config.fields.fiscal_start
        at = anchor if as_of is None else last_instant(as_of, anchor, fiscal)
        known = None if known_at is None else last_instant(known_at, anchor, fiscal)
        return Snapshot(self, at, known)

    def search(self, question: str, **options: object) -> Results:
        """`corpus.at().search(question, ...)`: as of now."""
        return self.at().search(question, **options)  # type: ignore[arg-type]
