"""What a corpus asks outside of itself: the models that `asof.toml` names, reached when first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from asof.config import FILE, Config
from asof.errors import MissingExtra, UsageError
from asof.store.store import Store

if TYPE_CHECKING:
    from asof.models.metered import Metered
    from asof.models.ports import Model, Reranker
    from asof.rank.recipe import Recipe


SHAPES, CLIENT = "pydantic", "openai"
"""What a language model needs of the extra asof[llm]: the shapes of replies, and the client of servers."""


def installed(*packages: str) -> None:
    """Raises MissingExtra unless these packages of asof[llm] are there; none of them is loaded."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise MissingExtra(f"a language model needs {' and '.join(missing)}: pip install 'asof[llm]'")


@dataclass(slots=True)
class Outside:
    """The models of a configuration. `root` is the folder that paths in it are seen from, `environment` where
    keys are looked up. `model`: a language model in place of the configured one."""

    config: Config
    root: Path
    store: Store
    environment: Mapping[str, str] = field(repr=False)
    clock: Callable[[], int]
    model: Model | None = None
    _reranker: Reranker | None = field(default=None, init=False)
    _configured: Model | None = field(default=None, init=False)

    def reranking(self, recipe: Recipe) -> Recipe:
        """The recipe with the reranker at its end. Raises UsageError when none is configured."""
        from asof.models.reranking import reranker_from
        from asof.rank.rerank import Rerank, reranked

        settings = self.config.reranking
        if settings is None:
            raise UsageError(f"no model is named to rerank with: see [rerank] in {FILE}")
        if self._reranker is None:
            self._reranker = reranker_from(settings, self.root, self.environment)
        return reranked(recipe, Rerank(self._reranker, settings.top))

    @contextmanager
    def language(self, budget: float | None = None) -> Iterator[Metered | None]:
        """The language model, None where none is configured. Its replies are kept in the corpus, its use is
        counted from 0, and `budget` (US dollars; tokens without prices) is not exceeded. Raises UsageError,
        MissingExtra."""
        from asof.models.cached import Cached
        from asof.models.metered import Metered
        from asof.store.calls import StoredCalls

        settings = self.config.model
        model = self._named()
        if model is None:
            yield None
            return
        prices = settings.prices if settings is not None else None
        with StoredCalls(self.store, self.clock) as calls:
            yield Metered(Cached(model, calls), prices, budget)

    def _named(self) -> Model | None:
        """The model that is given, or else the configured one. Raises UsageError, MissingExtra."""
        if self.model is not None:
            installed(SHAPES)
            return self.model
        if self._configured is None and self.config.model is not None:
            from asof.models.language import language_from

            installed(SHAPES, CLIENT)
            self._configured = language_from(self.config.model, self.environment)
        return self._configured
