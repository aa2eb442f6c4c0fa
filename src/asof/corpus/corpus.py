"""The public entry point `Corpus`: open a corpus, add sources, take snapshots as of a moment, maintain it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from asof import engine, environment, plugins
from asof.arguments import all_checked, checked
from asof.config import Config
from asof.corpus.maintenance import Maintenance
from asof.corpus.session import ModelProvider, Session, encoder_for, named_encoder, new_encoder
from asof.corpus.snapshot import SearchArguments, Snapshot
from asof.engine import Results
from asof.errors import NoCorpus, UsageError
from asof.files import FETCHED, FOLDER, SHARDS
from asof.index.manifest import Manifest
from asof.store.schema import CorpusSettings
from asof.store.store import DEFAULT_WAIT, SourceWay, Store, removed_if_empty
from asof.time.moment import When, last_instant, zone_named
from asof.wire import replace

if TYPE_CHECKING:
    from asof.index.manifest import EmbeddingReport
    from asof.models.named import Named
    from asof.models.ports import Encoder, Model
    from asof.sources.records import Item, LibraryDocument, Record
    from asof.sources.source import Source, SourceContext
    from asof.store.export import ExportReport
    from asof.store.run import IndexReport
    from asof.store.status import CorpusStatus


@checked
def open(  # noqa: A001  asof.open is the word for it
    path: str | Path = ".",
    *,
    create: bool = True,
    encoder: Encoder | Named | None = None,
    model: Model | Named | Callable[[str], str] | None = None,
    settings: CorpusSettings | None = None,
    wait: float = DEFAULT_WAIT,
    on_note: Callable[[str], None] | None = None,
    trust: bool = False,
    config: Config | None = None,
    timezone: str = "",
) -> Corpus:
    """Open the corpus of a folder (`path/.asof`); create it if there is none and `create` is true. One to
    which nothing is written is removed again when it is closed.

    `settings` are those of a new corpus (default: asof.toml's). `encoder`: vectors beside words, in place of
    asof.toml's (nothing named: of the recommended one, where it was downloaded); that of a corpus is changed
    by `Corpus.embed` only. `model`: a language model in place of asof.toml's, also as a function of the
    prompt (see `asof.Named`). `wait`: seconds to wait for another
    writer. `on_note` gets a line when a part of the index had to be rebuilt, and when asof.toml names a model
    or an address that does not count, since the user does not trust the folder; without it, the latter is a
    Python warning. `trust`: it counts all the same. `config`: in place of all files.
    `timezone`: the zone of times of day without one ("Europe/Brussels"), in place of that of asof.toml; with
    it naive datetimes are read, too. A text such as "s3://bucket/notes" names a corpus at a URL, of which the
    newest state is brought to this machine; it is only read (`asof pull`). To a folder of shards
    `asof index --shards` adds documents, and not `Corpus.add`.

    Raises NoCorpus, OtherSchema, DamagedStore, BadConfig, Busy, and UsageError, also for another encoder.
    """
    if isinstance(path, str) and "://" in path:
        path = plugins.folder_at(path)
    root = folder_of(path)
    folder = root / FOLDER
    if os.access(root / SHARDS, os.F_OK) and (opener := plugins.load(plugins.OPENERS, SHARDS)) is not None:
        opened: Corpus = opener(
            root, encoder=encoder, model=model, wait=wait, on_note=on_note, trust=trust, config=config,
            timezone=timezone,
        )  # fmt: skip
        return opened
    variables = environment.variables()
    own_encoder, own_model = None, None
    if encoder is not None or model is not None:
        from asof.models.named import encoder_of, model_of

        own_encoder = None if encoder is None else encoder_of(encoder)
        own_model = None if model is None else model_of(model)
    if config is None:
        config = environment.configuration(root, on_note or warn, trust=trust)
    if timezone:
        zone_named(timezone)
        config = replace(config, fields=replace(config.fields, timezone=timezone))
    settings = settings or config.index
    with ExitStack() as leaves:
        try:
            store = Store.open(folder, wait)
        except NoCorpus as error:  # or one whose making was interrupted
            if not create:
                error.add_note("in Python: asof.open(path) makes one, unless create=False")
                raise
            chosen = own_encoder
            if chosen is None and not settings.encoder:
                chosen = new_encoder(config, settings.languages, root, variables)
            if chosen is not None:
                settings = replace(settings, encoder=chosen.name)
            leaves.enter_context(removed_if_empty(root))
            store = Store.create(folder, settings, wait)
        try:
            chosen = encoder_for(store, own_encoder, config, root, variables)
            manifest = Manifest(store, chosen, on_note or (lambda _: None))
            session = Session(root, store, manifest, config, environment.now, variables)
        except BaseException:
            store.first.close()
            raise
        return Corpus(session, ModelProvider(session, own_model), Maintenance(session), leaves.pop_all())


def scratch(folder: Path, settings: CorpusSettings, config: Config) -> Corpus:
    """A new corpus in an empty folder that the caller removes: nothing in it outlasts a loss of power, and
    nothing is merged. It has words only."""
    store = Store.create(folder / FOLDER, settings, durable=False)
    session = Session(folder, store, Manifest(store, None, warn), config, environment.now, {})
    return Corpus(session, ModelProvider(session), Maintenance(session, background=False))


def folder_of(path: str | Path) -> Path:
    """The folder of the corpus. Raises UsageError if there is none."""
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
    """An encoder by its name (see `asof.corpus.session.named_encoder`), as `folder` configures it."""
    return named_encoder(name, environment.configuration(folder), folder, environment.variables())


def warn(line: str) -> None:
    """For a program that opens a folder: its configuration is ignored."""
    warnings.warn(line, stacklevel=5)


@all_checked
@dataclass(slots=True, repr=False)
class Corpus:
    """An open corpus. Use it as a context manager, or `close` it. Threads may share it.

    Its parts: the open files, the models, and maintenance; `leaves`: what is done when it is closed.
    """

    session: Session
    models: ModelProvider
    maintenance: Maintenance
    leaves: ExitStack = field(default_factory=ExitStack)

    def __repr__(self) -> str:
        return f"Corpus({str(self.root)!r}{', closed' if self.closed else ''})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Wait for a running merge, and close the files."""
        self.maintenance.close()
        self.session.close()
        self.leaves.close()

    @property
    def root(self) -> Path:
        """The folder that it belongs to."""
        return self.session.root

    @property
    def config(self) -> Config:
        """Its effective configuration."""
        return self.session.config

    @property
    def store(self) -> Store:
        """The store of documents, in SQLite."""
        return self.session.store

    @property
    def manifest(self) -> Manifest:
        """The list of segment files of its index."""
        return self.session.manifest

    @property
    def closed(self) -> bool:
        """True if it was closed."""
        return self.session.closed

    # -- adding -------------------------------------------------------------------------------------

    def add(
        self,
        source: str | Path | Source | Item | Record | Iterable[Item | Record | LibraryDocument],
        *,
        history: bool | None = None,
        branch: str = "",
        trust_mtime: bool = False,
        allow_shrinking: bool = False,
        change_way: bool = False,
        encode: bool = True,
        progress: Callable[[IndexReport], None] | None = None,
        **options: object,
    ) -> IndexReport:
        """Index a source: a path (folder or file), `arxiv:...` or another scheme with its `options` (see
        `source`), a `Source`, or one or several documents (also as mappings with the fields of JSON Lines).

        Returns what was added, changed, corrected, unchanged, ended, and what could not be read. Documents
        given directly end nothing; a path is complete, so documents that it does not state any more have
        ended. A folder is read with its `history` or as it is, in the way in which it was before (None);
        another one needs `change_way`, and takes the place of all that was stored of the folder. In a corpus
        with an encoder, new passages are found by words at once, and get their vectors last, unless `encode`
        is False: then by `embed`. Raises SourceError, SourceShrunk, WayChanged, Busy, NoSpace, ModelError;
        UsageError for what is no document, and for a naive datetime where no zone is declared.
        """
        from asof.sources.records import as_python_source, items
        from asof.sources.source import Resumable
        from asof.store.writing import stored_checkpoints

        if isinstance(source, str | Path):
            source = self._source(source, trust_mtime, history=history, branch=branch, **options)
        elif options:
            raise UsageError(
                f"no option {', '.join(options)}: only sources named by a scheme have further ones"
            )
        if isinstance(source, Resumable):
            source.resume(self.session.read(lambda db: stored_checkpoints(db, source.name)))
        read = as_python_source(source)
        # closed here, not when an error that holds its frames is forgotten
        with closing(items(read.documents, self.config.fields)) as stated:
            report = engine.build(
                self.store, self.manifest, stated, self.session.clock,
                way=SourceWay(read.name, read.kind, read.branch), complete=read.complete,
                replaces_history=read.replaces_history, allow_shrinking=allow_shrinking,
                change_way=change_way, encode=encode, progress=progress,
            )  # fmt: skip
        if report.written or self.maintenance.removing():
            self.maintenance.tidy_behind()
        return report

    def source(
        self, name: str | Path, *, history: bool | None = None, branch: str = "", trust_mtime: bool = False,
        **options: object,
    ) -> Source:  # fmt: skip
        """The source that a path or `SCHEME:...` names, for `add`; nothing is read or requested yet.

        `history`: every version in the git history of a folder's branch, by default that of HEAD; `branch`
        names another one. `options` are those of the scheme: of `arxiv:...` since, until, per_day and full
        (see `asof.extensions.systems.arxiv_source.open_arxiv`). Raises SourceError, UsageError, BadTime,
        MissingExtra.
        """
        return self._source(name, trust_mtime, history=history, branch=branch, **options)

    def _source(
        self, name: str | Path, trust_mtime: bool, *, history: bool | None, branch: str, **options: object
    ) -> Source:
        from asof.sources.history import open_source
        from asof.sources.records import path_of
        from asof.sources.source import SourceNaming, is_target, open_scheme, scheme_in
        from asof.store.store import HISTORY, stored_ways

        if isinstance(name, str) and is_target(name):
            return open_scheme(name, self.source_context(scheme_in(name)), options)
        if options:
            unknown = ", ".join(options)
            raise UsageError(
                f"{name}: no option {unknown}; further ones have schemes only, such as arxiv:..."
            )
        path = name if isinstance(name, Path) else path_of(name)
        known = self.session.read(stored_ways).get(SourceNaming.of(path, self.root).name)
        if known is not None and known.kind == HISTORY and history is not False and path.is_dir():
            history, branch = True, branch or known.branch
        return open_source(
            path, root=self.root, history=bool(history), branch=branch, fields=self.config.fields,
            trust_mtime=trust_mtime,
        )  # fmt: skip

    def source_context(self, scheme: str) -> SourceContext:
        """The context in which a source of a scheme is opened for this corpus."""
        from asof.sources.source import SourceContext

        return SourceContext(
            self.root, self.session.clock(), self.config.sources.get(scheme, {}), self.config.fields,
            self.store.folder / FETCHED, self._versions,
        )  # fmt: skip

    def _versions(self, names: Iterable[str]) -> dict[str, set[int]]:
        """The numbers of the stored versions of documents."""
        from asof.store.validity import version_numbers

        with self.session.connection() as db:
            return version_numbers(db, names)

    def prepare(self) -> None:
        """Compute what searches derive from the rows (which passage follows which), as of now, so that the
        first search need not wait for it."""
        from asof.revisions.chains import succession

        self.session.use(self.session.clock(), None, succession)

    # -- asking -------------------------------------------------------------------------------------

    def at(self, as_of: When | None = None, known_at: When | None = None) -> Snapshot:
        """A snapshot of the corpus as of `as_of` (default: now), as known at `known_at` (default: now)."""
        anchor, how = self.session.present(), self.session.times
        return self.snapshot(
            anchor if as_of is None else last_instant(as_of, anchor, how),
            None if known_at is None else last_instant(known_at, anchor, how),
            stated=as_of is not None,
        )

    def snapshot(self, as_of: int, known_at: int | None = None, *, stated: bool = True) -> Snapshot:
        """A snapshot of the corpus as of an instant, as known at another one; see `at`."""
        return Snapshot(self.session, self.models, as_of, known_at, stated)

    def search(self, question: str, **options: Unpack[SearchArguments]) -> Results:
        """`corpus.at().search(question, ...)`: as of now."""
        return self.at().search(question, **options)

    # -- maintenance (`asof.corpus.maintenance`) ----------------------------------------------------

    def status(self) -> CorpusStatus:
        """See `Maintenance.status`."""
        return self.maintenance.status()

    def export(self, file: str | Path, *, overwrite: bool = False) -> ExportReport:
        """See `Maintenance.export`."""
        return self.maintenance.export(file, overwrite=overwrite)

    def backup(self, file: str | Path, *, overwrite: bool = False) -> int:
        """See `Maintenance.backup`."""
        return self.maintenance.backup(file, overwrite=overwrite)

    def check(self) -> list[str]:
        """See `Maintenance.check`."""
        return self.maintenance.check()

    def tidy(self) -> int:
        """See `Maintenance.tidy`."""
        return self.maintenance.tidy()

    def embed(
        self, encoder: Encoder | Named | None, progress: Callable[[int, int], None] | None = None
    ) -> EmbeddingReport:  # fmt: skip
        """See `Maintenance.embed`."""
        return self.maintenance.embed(encoder, progress)

    def correct(self, document: str, published: When) -> None:
        """See `Maintenance.correct`."""
        self.maintenance.correct(document, published)

    def purge(self, document: str) -> int:
        """See `Maintenance.purge`."""
        return self.maintenance.purge(document)

    def vacuum(self, before: When) -> int:
        """See `Maintenance.vacuum`."""
        return self.maintenance.vacuum(before)
