"""What a corpus asks outside of itself: the models that `asof.toml` names, reached when first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from asof.config import FILE, Config
from asof.errors import UsageError
from asof.store.store import Store

if TYPE_CHECKING:
    from asof.models.metered import Metered
    from asof.models.ports import Model, Reranker
    from asof.rank.recipe import Recipe


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
        model = self.model
        if model is None and settings is not None:
            from asof.models.language import language_from

            model = self.model = language_from(settings, self.environment)
        if model is None:
            yield None
            return
        prices = settings.prices if settings is not None else None
        with StoredCalls(self.store, self.clock) as calls:
            yield Metered(Cached(model, calls), prices, budget)
