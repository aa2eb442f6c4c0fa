"""The recipes by name: published systems, and `asof`, which is the default."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from asof import plugins
from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.rank.recipe import Recipe

NAMES = tuple(plugins.BUILT_IN[plugins.RECIPES])
"""The names of asof's own recipes."""


def all_names() -> tuple[str, ...]:
    """The names of all recipes, those of installed packages too."""
    return plugins.names(plugins.RECIPES)


def named(name: str) -> Recipe:
    """The recipe of that name as published. Raises UsageError with the nearest name, or with the package
    whose recipe cannot be loaded."""
    recipe = plugins.load(plugins.RECIPES, name)
    if recipe is None:
        raise UsageError(plugins.unknown(plugins.RECIPES, name, "recipe"))
    if name not in NAMES:
        _check(name, recipe)
    return recipe  # type: ignore[no-any-return]


def _check(name: str, recipe: object) -> None:
    """Raises UsageError for what a package offers in place of a recipe of that name."""
    from asof.rank.recipe import Recipe

    if not isinstance(recipe, Recipe) or recipe.name != name:
        what = f"a recipe named {recipe.name!r}" if isinstance(recipe, Recipe) else type(recipe).__name__
        raise UsageError(f"the entry point {name!r} is {what}; a Recipe of that name is expected")


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
