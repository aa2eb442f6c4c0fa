"""Recipes by name: the published systems, and `asof`, the default.

All constants of `asof` are here; docs/explanation/recipes.md has its formulas.
"""

from __future__ import annotations

from asof import plugins
from asof.errors import UsageError
from asof.rank.combine import Combine, Hybrid, MaxNormalize, UnitScore
from asof.rank.gather import ByDocument, Lexical, TopK
from asof.rank.rerank import (
    AppendRest,
    ExactName,
    Leaders,
    RerankWindow,
    RoundRobinByDocument,
    SpreadDocuments,
)
from asof.rank.stage import Recipe
from asof.rank.times import JustPublished, Supersession, Terminations, TimeEvidence
from asof.rank.versions import VersionAsked
from asof.rank.words import NeighbouringText, QueryCoverage, TitleColumns
from asof.wire import replace

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
    """Raises UsageError if a package offers something else than a recipe of that name."""
    if not isinstance(recipe, Recipe) or recipe.name != name:
        what = f"a recipe named {recipe.name!r}" if isinstance(recipe, Recipe) else type(recipe).__name__
        raise UsageError(f"the entry point {name!r} is {what}; a Recipe of that name is expected")


def by_document(recipe: Recipe) -> Recipe:
    """The same ranking with documents as units: each is represented by its best passage before the last
    ordering.

    A recipe that ranks documents by itself does nothing else.
    """
    stages = list(recipe.stages)
    if not any(isinstance(each, ByDocument) for each in stages):
        last = next((at for at, each in enumerate(stages) if isinstance(each, RerankWindow)), len(stages) - 1)
        stages.insert(last, ByDocument())
    return replace(recipe, name=f"{recipe.name}-documents", stages=tuple(stages))


# -- asof ----------------------------------------------------------------------------------------------

NEAR = 200
"""So many passages are near a question in meaning, and so many of a time that it names are looked at."""

OBJECTION = -0.8
"""The weight of what speaks against a passage itself: another subject, or the end of what is asked for."""

ASOF = Recipe(
    "asof",
    "reads the time in the question; of passages that state the same, the current one comes first",
    (
        Lexical(k1=1.2, b=0.7),
        Hybrid(dense=1.0, nearest=NEAR),  # meaning: only with an encoder
        RerankWindow(n=100, of_time=NEAR),
        MaxNormalize(""),
        QueryCoverage(),
        TitleColumns(),
        NeighbouringText(document=1 / 3),
        JustPublished(days=0.5),
        TimeEvidence(),
        Terminations(),
        Supersession(margin=0.2),
        VersionAsked(),
        Combine(
            (
                ("normalized", 1.0),
                ("query_coverage", 0.5),
                ("neighbouring_text", 0.3),
                ("just_published", 4.0),
                ("time_evidence", 0.6),
                ("off_topic_title", OBJECTION),
                ("termination", OBJECTION),
                ("superseded", -1.0),
                ("version_asked", 2.0),
            ),
            "relevance",
        ),
        SpreadDocuments(weight=0.1),
        UnitScore(),
        RoundRobinByDocument(title_coverage=0.35),
        AppendRest(),
        Leaders(),
        ExactName(),
        TopK(),
    ),
)
