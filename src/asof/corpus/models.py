"""The models of a corpus, given or named by `asof.toml`; they are loaded when they are first needed."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from asof.config import FILE, Config
from asof.corpus.session import Session
from asof.errors import MissingExtra, UsageError
from asof.store.store import Store

if TYPE_CHECKING:
    from asof.models.chat_config import LanguageModelConfig
    from asof.models.metered import Meter, MeteredModel
    from asof.models.ports import Encoder, Model, Reranker
    from asof.models.reranker_config import RerankerConfig
    from asof.rank.recipe import Recipe


SHAPES, CLIENT = "pydantic", "openai"
"""What a language model needs of the extra asof[llm]: the shapes of replies, and the client of servers."""


def installed(*packages: str) -> None:
    """Raises MissingExtra unless these packages of asof[llm] are there; none of them is loaded."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise MissingExtra(f"a language model needs {' and '.join(missing)}: pip install 'asof[llm]'")


def configured_encoder(config: Config, root: Path, environment: Mapping[str, str]) -> Encoder | None:
    """The encoder that [encoder] names, or the built-in one of [index]; None where neither does. Nothing is
    loaded or asked. Raises UsageError, ModelError for a folder without a model."""
    from asof.models.hashed import HashedNgrams

    if config.encoding is not None:
        from asof.models.encoder_config import encoder_from

        return encoder_from(config.encoding, config.folder_of("encoder", root), environment)
    return HashedNgrams() if config.index.encoder == HashedNgrams().name else None


def named_encoder(
    name: str, config: Config, root: Path, environment: Mapping[str, str]
) -> Encoder | None:  # fmt: skip
    """An encoder by what a command calls it: none, hashed, configured (by `config`), a folder seen from
    `root`, or a name on the hub. Raises UsageError, ModelError for a folder without a model."""
    from asof.models.encoder_config import EncoderConfig, encoder_from
    from asof.models.hashed import HashedNgrams

    if name == "none":
        return None
    if name == "hashed":
        return HashedNgrams()
    if name != "configured":
        try:
            return encoder_from(EncoderConfig(name), root, environment)
        except UsageError as error:
            also = f"also accepted: none, hashed, configured (by {FILE})"
            raise UsageError(f"encoder: {error}; {also}") from error
    encoder = configured_encoder(config, root, environment)
    if encoder is None:
        raise config.lacking("encoder", "no encoder is configured")
    return encoder


def encoder_for(
    store: Store, given: Encoder | None, config: Config, root: Path, environment: Mapping[str, str]
) -> Encoder | None:
    """The encoder of a corpus: the given one if it is that of its vectors, the built-in one, or the one that
    is configured, which is looked at with the first text only; None for words only. Raises UsageError."""
    from asof.models.expected_encoder import ExpectedEncoder
    from asof.models.hashed import HashedNgrams

    name = store.settings.encoder
    if given is not None:
        if given.name != name:
            raise UsageError(
                f"this corpus holds vectors of the encoder {name or 'none'!r}, not {given.name!r}: open it "
                "without encoder=, and change it with corpus.embed(encoder) or `asof embed`"
            )
        return given
    if name in ("", HashedNgrams().name):
        return HashedNgrams() if name else None
    return ExpectedEncoder(
        name, lambda: _wanted_encoder(name, config, root, environment), lambda: _dimensions(store, name)
    )


def _wanted_encoder(
    name: str, config: Config, root: Path, environment: Mapping[str, str]
) -> Encoder | None:  # fmt: skip
    """The configured encoder. Raises Untrusted where it is another one than is wanted, and the folder names
    one that does not count."""
    encoder = configured_encoder(config, root, environment)
    if "encoder" in config.withheld and (encoder is None or encoder.name != name):
        raise config.lacking("encoder", f"this corpus holds vectors of the encoder {name!r}")
    return encoder


def _dimensions(store: Store, encoder: str) -> int | None:
    """Of the vectors in a corpus."""
    from asof.index.vectors import dimensions

    db = store.reader()
    try:
        return dimensions(db, encoder)
    finally:
        db.close()


@dataclass(slots=True)
class ModelProvider:
    """The encoder, the reranker and the language model of a corpus. Threads may share it.

    `model`: a language model in place of the configured one. `config`: a configuration in place of that of
    the session. `meter`: what all calls of the language model are counted on, see `metered`. `keeps`: its
    replies are kept in the corpus.
    """

    session: Session
    model: Model | None = None
    config: Config | None = None
    meter: Meter | None = None
    keeps: bool = True
    _reranker: tuple[RerankerConfig, Reranker] | None = field(default=None, init=False)
    _configured: tuple[LanguageModelConfig, Model] | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def _config(self) -> Config:
        return self.config or self.session.config

    def reranking(self, recipe: Recipe) -> Recipe:
        """The recipe with the reranker at its end. Raises UsageError when none is configured."""
        from asof.models.reranker_config import reranker_from
        from asof.rank.rerank.rerank import Rerank, reranked

        settings = self._config.reranking
        if settings is None:
            raise self._config.lacking("rerank", "no model is named to rerank with")
        with self._lock:
            if self._reranker is None or self._reranker[0] is not settings:
                folder = self._config.folder_of("rerank", self.session.root)
                self._reranker = settings, reranker_from(settings, folder, self.session.environment)
            reranker = self._reranker[1]
        return reranked(recipe, Rerank(reranker, settings.top, only_below=settings.only_below))

    def encoder(self) -> Encoder | None:
        """The configured encoder, None for words only; see `configured_encoder`."""
        return configured_encoder(self._config, self.session.root, self.session.environment)

    @property
    def speaks(self) -> bool:
        """Whether there is a language model, given or configured."""
        return self.model is not None or self._config.model is not None

    def metered(self, budget: float | None = None) -> ModelProvider:
        """The same models, with one meter and one `budget` for all calls of the language model from now on,
        whatever budgets those who ask it name."""
        from asof.models.metered import Meter

        shared = copy(self)
        settings = self._config.model
        shared.meter = Meter(settings.prices if settings is not None else None, budget)
        return shared

    def forgetting(self) -> ModelProvider:
        """The same models, of which no reply is kept."""
        shared = copy(self)
        shared.keeps = False
        return shared

    @contextmanager
    def language(self, budget: float | None = None) -> Iterator[MeteredModel | None]:
        """The language model, None where none is configured. Its replies are kept in the corpus (not those of
        a function without a name), its use is counted from 0, and `budget` (US dollars; tokens without
        prices), or that of `meter`, is not exceeded. Raises UsageError, MissingExtra."""
        from asof.models.cached import CachedModel
        from asof.models.metered import MeteredModel
        from asof.models.ports import is_cacheable
        from asof.store.calls import StoredCalls

        settings = self._config.model
        model = self._language_model()
        if model is None:
            yield None
            return
        prices = settings.prices if settings is not None else None
        if not self.keeps or not is_cacheable(model):
            yield MeteredModel(model, prices, budget, self.meter)
            return
        with StoredCalls(self.session.store, self.session.clock) as calls:
            yield MeteredModel(CachedModel(model, calls), prices, budget, self.meter)

    def _language_model(self) -> Model | None:
        """The model that is given, or else the configured one. Raises UsageError, MissingExtra."""
        settings = self._config.model
        if self.model is not None:
            installed(SHAPES)
            return self.model
        if settings is None:
            return None
        from asof.models.chat_config import language_from

        installed(SHAPES, CLIENT)
        with self._lock:
            if self._configured is None or self._configured[0] is not settings:
                self._configured = settings, language_from(settings, self.session.environment)
            return self._configured[1]
