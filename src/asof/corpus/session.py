"""The open store, index, pool of readers and models of a corpus, shared by threads."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from asof import plugins
from asof.config import FILE, Config
from asof.engine import DERIVED, ViewFactory
from asof.environment import ENCODERS, remembered
from asof.errors import DamagedSegment, EncoderChanged, MissingExtra, UsageError, missing_extra
from asof.index.manifest import Manifest
from asof.index.view import DerivedCache, View
from asof.store.store import UNREADABLE, Store, translate_sqlite_errors
from asof.time.moment import TimeOptions

if TYPE_CHECKING:
    from asof.models.metered import Meter, MeteredModel
    from asof.models.ports import Encoder, Model, Provider, Reranker
    from asof.rank.stage import Recipe


T = TypeVar("T")

READERS = 16
"""Connections that read at the same time; further threads wait for one."""

CLOSED = "this corpus is closed: ask it inside its `with` block, or open it again"


class Reader(NamedTuple):
    """A connection that reads, and the views that are made with it; for one thread at a time."""

    db: sqlite3.Connection
    views: ViewFactory


@dataclass(slots=True, weakref_slot=True)
class Session:
    """An open corpus: its folder `root`, its store and the files of its index.

    `clock`: microseconds since 1970; `environment`: variables with keys of models. `shards`: those of the
    corpora in which all is kept, where these are several (`asof.extensions.cluster`). Segments and what is
    derived from them are shared by all readers. Each reader has a connection, a read transaction, views and
    an analyzer of its own, so searches do not wait for each other. `waiting` gets what a question has to wait
    for, in which unit, how many of these are done, of how many.
    """

    root: Path
    store: Store
    manifest: Manifest
    config: Config
    clock: Callable[[], int]
    environment: Mapping[str, str] = field(repr=False)
    derived: DerivedCache = field(init=False)
    exchange: threading.Lock = field(default_factory=threading.Lock, init=False)
    closed: bool = field(default=False, init=False)
    shards: tuple[Session, ...] = field(default=(), init=False)
    waiting: Callable[[str, str, int, int], None] | None = field(default=None, init=False)
    _idle: list[Reader] = field(default_factory=list, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _free: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(READERS), init=False)

    def __post_init__(self) -> None:
        self.derived = DerivedCache(self.store.folder / DERIVED)
        self._idle.append(self._reader_with(self.store.first))
        with self._reader():  # faults of the files are reported when they are opened
            pass

    def close(self) -> None:
        """Close the files. A reader that is in use is closed when it is done."""
        with self._lock:
            self.closed = True
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.db.close()
        self.store.empty_log()

    @contextmanager
    def _reader(self) -> Iterator[Reader]:
        """A reader that no other thread uses meanwhile. Raises UsageError once the corpus is closed."""
        with self._free:
            with self._lock:
                if self.closed:
                    raise UsageError(CLOSED)
                reader = self._idle.pop() if self._idle else None
            if reader is None:
                reader = self._reader_with(self.store.reader())
            try:
                yield reader
            finally:
                self._give_back(reader)

    def _reader_with(self, db: sqlite3.Connection) -> Reader:
        return Reader(db, ViewFactory(self.manifest, db, self.derived, self.config.official))

    def _give_back(self, reader: Reader) -> None:
        with self._lock:
            if not self.closed:
                self._idle.append(reader)
                return
        reader.db.close()

    # -- reading ------------------------------------------------------------------------------------

    def use(self, as_of: int, known_at: int | None, do: Callable[[View], T], *, past: bool = False) -> T:
        """Call a function with the view of a moment, in one read transaction: rows erased meanwhile are
        visible until it returns. A damaged segment is rebuilt, and a new view is made. `past`: the view has
        what was visible before, too."""
        with self._reader() as reader, translate_sqlite_errors(self.store.database):
            for attempt in range(3):
                try:
                    with self._transaction(reader.db):
                        return do(reader.views.at(as_of, known_at, past=past))
                except DamagedSegment:
                    if attempt:  # the first time it may only have been merged away
                        self.manifest.mend()
                except EncoderChanged:
                    if attempt:
                        raise
                    with self.exchange:  # the first time this process may be about to exchange it
                        pass
                except UNREADABLE:  # rows of an index that was made up, or a fault of ours
                    if not self.manifest.faults(reader.db):
                        raise
                    self.manifest.mend()
                reader.views.forget()
            with self._transaction(reader.db):
                return do(reader.views.at(as_of, known_at, past=past))

    def read(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """Read rows that belong together, in one read transaction."""
        with self.connection() as db, self._transaction(db):
            return do(db)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection that reads, outside of a transaction."""
        with self._reader() as reader, translate_sqlite_errors(self.store.database):
            yield reader.db

    @contextmanager
    def _transaction(self, db: sqlite3.Connection) -> Iterator[None]:
        try:
            db.execute("BEGIN")
            db.execute("SELECT 1 FROM transactions LIMIT 1").fetchone()  # from here on it sees one state
            yield
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")

    def forget(self) -> None:
        """Make all readers reload the corpus."""
        with self._lock:
            for reader in self._idle:
                reader.views.forget()

    # -- writing ------------------------------------------------------------------------------------

    def writing(self) -> closing[sqlite3.Connection]:
        """A connection that writes, as a context manager."""
        return closing(self.store.writer())

    # -- time ---------------------------------------------------------------------------------------

    def present(self) -> int:
        """The present instant; not before the last transaction, also if the clock steps back."""
        return max(self.clock(), self.last_write())

    def last_write(self) -> int:
        """The instant of the last transaction, 0 if there is none."""
        with self.connection() as db:
            last: int | None = db.execute("SELECT max(id) FROM transactions").fetchone()[0]
        return last or 0

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its texts, fixed when it was created."""
        return self.store.settings.languages

    @property
    def times(self) -> TimeOptions:
        """How times are read."""
        return self.config.fields.times


# -- models, given or configured in `asof.toml`; loaded when first needed ------------------------------


def check_llm_extra() -> None:
    """Raises MissingExtra unless pydantic, for JSON schemas of replies, is there; it is not loaded."""
    if find_spec("pydantic") is None:
        raise missing_extra("a language model", "llm", "pydantic")


def provider(table: str) -> Provider:
    """What makes models of a table of asof.toml."""
    offered: Provider | None = plugins.load(plugins.MODELS, table)
    assert offered is not None  # noqa: S101  a name of asof's own
    return offered


def configured_encoder(config: Config, root: Path, environment: Mapping[str, str]) -> Encoder | None:
    """The encoder that [encoder] names, or the built-in one of [index]; None without either. Nothing is
    loaded or requested. Raises UsageError, ModelError for a folder without a model."""
    if config.encoding is not None:
        folder = config.folder_of("encoder", root)
        named: Encoder = provider("encoder").create(config.encoding, folder, environment)
        return named
    from asof.models.encoders import HashedNgrams

    return HashedNgrams() if config.index.encoder == HashedNgrams().name else None


def new_encoder(
    config: Config, languages: Sequence[str], root: Path, environment: Mapping[str, str]
) -> Encoder | None:  # fmt: skip
    """The encoder of a new corpus: the configured one; where nothing names one, not even none, the
    recommended one if it was downloaded. Nothing is requested. Raises as `configured_encoder`."""
    if config.encoding is not None:
        return configured_encoder(config, root, environment)
    if not config.automatic or find_spec("onnxruntime") is None:
        return None
    from asof.models.local import RECOMMENDED, recommended_for

    chosen = RECOMMENDED[recommended_for(languages)]
    try:
        return chosen.encoder() if chosen.is_here else None
    except MissingExtra:
        return None


def named_encoder(
    name: str, config: Config, root: Path, environment: Mapping[str, str]
) -> Encoder | None:  # fmt: skip
    """An encoder by the name that commands use: none, hashed, english or multilingual (the recommended ones),
    configured (by `config`), a folder seen from `root`, or a name on the hub. Raises UsageError, ModelError
    for a folder without a model."""
    from asof.models.encoders import HashedNgrams

    if name == "none":
        return None
    if name == "hashed":
        return HashedNgrams()
    if name != "configured":
        from asof.models.local import RECOMMENDED

        if name in RECOMMENDED:
            return RECOMMENDED[name].encoder()
        try:
            offered = provider("encoder")
            named: Encoder = offered.create(offered.table.value({"model": name}), root, environment)
        except UsageError as error:
            also = f"also accepted: none, hashed, english, multilingual, configured (by {FILE})"
            raise UsageError(f"encoder: {error}; {also}") from error
        return named
    encoder = configured_encoder(config, root, environment)
    if encoder is None:
        raise config.lacking("encoder", "no encoder is configured")
    return encoder


def encoder_for(
    store: Store, given: Encoder | None, config: Config, root: Path, environment: Mapping[str, str]
) -> Encoder | None:
    """The encoder of a corpus: the given one if it is that of its vectors, the built-in one, or the
    configured one, which is checked with the first text only; None for words only. Raises UsageError."""
    name = store.settings.encoder
    if given is not None:
        if given.name != name:
            raise UsageError(
                f"this corpus holds vectors of the encoder {name or 'none'!r}, not {given.name!r}: open it "
                "without encoder=, and change it with corpus.embed(encoder) or `asof embed`"
            )
        return given
    if not name:
        return None
    from asof.models.encoders import ExpectedEncoder, HashedNgrams

    if name == HashedNgrams().name:
        return HashedNgrams()
    return ExpectedEncoder(
        name, lambda: _wanted_encoder(name, config, root, environment), lambda: _dimensions(store, name)
    )


def _wanted_encoder(
    name: str, config: Config, root: Path, environment: Mapping[str, str]
) -> Encoder | None:  # fmt: skip
    """The configured encoder; where [encoder] names none, a recommended one that was downloaded; else the one
    that the user named to `asof embed`. Raises Untrusted if it is not the expected one, and the folder names
    one that is ignored."""
    from asof.models.local import recommended_here, recommended_of

    if config.encoding is None and (known := recommended_of(name)) is not None:
        return recommended_here(known)
    encoder = configured_encoder(config, root, environment)
    if encoder is None and (model := remembered(ENCODERS, name)) is not None:
        encoder = named_encoder(model, config, root, environment)
    if "encoder" in config.withheld and (encoder is None or encoder.name != name):
        raise config.lacking("encoder", f"this corpus holds vectors of the encoder {name!r}")
    return encoder


def _dimensions(store: Store, encoder: str) -> int | None:
    """How many dimensions the vectors of an encoder have in a corpus; None without any."""
    from asof.index.vectors import dimensions

    with closing(store.reader()) as db:
        return dimensions(db, encoder)


@dataclass(slots=True)
class ModelProvider:
    """The encoder, the reranker and the language model of a corpus. Threads may share it.

    `model`: a language model in place of the configured one. `config`: a configuration in place of that of
    the session. `meter`: counts all calls of the language model, see `metered`.
    """

    session: Session
    model: Model | None = None
    config: Config | None = None
    meter: Meter | None = None
    _reranker: tuple[Any, Reranker] | None = field(default=None, init=False)
    _configured: tuple[Any, Model] | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def _config(self) -> Config:
        return self.config or self.session.config

    def reranking(self, recipe: Recipe) -> Recipe:
        """The recipe with the reranker at its end. Raises UsageError when none is configured."""
        from asof.rank.rerank import Rerank, reranked

        settings = self._config.reranking
        if settings is None:
            raise self._config.lacking("rerank", "no model is named to rerank with")
        with self._lock:
            if self._reranker is None or self._reranker[0] is not settings:
                folder = self._config.folder_of("rerank", self.session.root)
                made = provider("rerank").create(settings, folder, self.session.environment)
                self._reranker = settings, made
            reranker = self._reranker[1]
        return reranked(recipe, Rerank(reranker, settings.top))

    def encoder(self) -> Encoder | None:
        """The configured encoder, None for words only; see `configured_encoder`."""
        return configured_encoder(self._config, self.session.root, self.session.environment)

    @property
    def speaks(self) -> bool:
        """True if there is a language model, given or configured."""
        return self.model is not None or self._config.model is not None

    def metered(self, budget: float | None) -> ModelProvider:
        """The same models, with one meter and one `budget` for all calls of the language model from now on,
        whatever budgets the callers name."""
        shared = copy(self)
        shared.meter = self._new_meter(budget)
        return shared

    def _new_meter(self, budget: float | None) -> Meter:
        from asof.models.metered import Meter

        settings = self._config.model
        return Meter(settings.prices if settings is not None else None, budget)

    @contextmanager
    def language(self, budget: float | None = None) -> Iterator[MeteredModel | None]:
        """The language model, or None. Its replies are stored in the corpus (not those of a function without
        a name, and none where it has several shards), its usage is counted from 0, and `budget` (US dollars;
        tokens without prices), or that of `meter`, is not exceeded. Raises UsageError, MissingExtra."""
        from asof.models.metered import CachedModel, MeteredModel
        from asof.models.ports import is_cacheable
        from asof.store.calls import StoredCalls

        model = self._language_model()
        if model is None:
            yield None
            return
        meter = self.meter or self._new_meter(budget)
        if not is_cacheable(model) or self.session.shards:
            yield MeteredModel(model, meter)
            return
        with closing(StoredCalls(self.session.store, self.session.clock)) as calls:
            yield MeteredModel(CachedModel(model, calls), meter)

    def _language_model(self) -> Model | None:
        """The given model, or else the configured one. Raises UsageError, MissingExtra."""
        settings = self._config.model
        if self.model is not None or settings is not None:
            check_llm_extra()
        if self.model is not None or settings is None:
            return self.model
        with self._lock:
            if self._configured is None or self._configured[0] is not settings:
                made = provider("model").create(settings, self.session.root, self.session.environment)
                self._configured = settings, made
            return self._configured[1]
