"""The recipes by name: published systems, and `asof`, which is the default."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.rank.recipe import Recipe

_ROOMS = {
    "asof": "asof", "twe": "twe", "twe-365": "twe", "vault": "vault", "tempralm": "tempralm",
    "papers": "papers", "tgrag": "tgrag",
}  # fmt: skip

NAMES = tuple(_ROOMS)


def named(name: str) -> Recipe:
    """The recipe of that name as published. Raises UsageError with the nearest name."""
    if name not in _ROOMS:
        near = get_close_matches(name, NAMES, 1, 0.5)
        meant = f"did you mean {near[0]}?" if near else "accepted: " + ", ".join(NAMES)
        raise UsageError(f"no recipe {name!r}; {meant}")
    room = import_module(f"asof.recipes.{_ROOMS[name]}")
    recipe: Recipe = getattr(room, name.upper().replace("-", "_"))
    return recipe


def by_document(recipe: Recipe) -> Recipe:
    """The same ranking with documents as units: each stands for its best passage before the last ordering.

    Nothing is left unread then: which passages can reach the first k is not known yet. A recipe that ranks
    documents by itself does nothing else.
    """
    from asof.rank.candidates.by_document import ByDocument
    from asof.rank.combine.early_termination import EarlyTermination
    from asof.rank.features.pseudo_relevance_feedback import PseudoRelevanceFeedback
    from asof.rank.rerank.window import RerankWindow

    stages = [
        replace(each, prune=False) if isinstance(each, PseudoRelevanceFeedback | EarlyTermination) else each
        for each in recipe.stages
    ]
    if not any(isinstance(each, ByDocument) for each in stages):
        last = next((at for at, each in enumerate(stages) if isinstance(each, RerankWindow)), len(stages) - 1)
        stages.insert(last, ByDocument())
    return replace(recipe, name=f"{recipe.name}-documents", stages=tuple(stages))
