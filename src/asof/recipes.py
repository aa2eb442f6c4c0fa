"""Recipes by name: the published systems, and `asof`, the default.

All constants of `asof` are here; docs/explanation/recipes.md tells what happens without each of them.
"""

from __future__ import annotations

from asof import plugins
from asof.errors import UsageError
from asof.rank.combine import Combine, Hybrid, MaxNormalize
from asof.rank.gather import ByDocument, Lexical, TopK
from asof.rank.rerank import AppendRest, ExactName, Originals, RerankWindow, RoundRobinByDocument
from asof.rank.stage import Range, Recipe, Tunable
from asof.rank.times import JustPublished, RequestedTime, TimePreference
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

TIMELY = TimePreference(
    recency_weight=0.3,  # what a factor of ten in age weighs within a tie group
    equal_margin=0.03,  # so far behind the best score, as a share of it, the newer of two comes first
    tie_margin=0.2,  # so far behind the best match score is within the tie group
    cautious_margin=0.2,  # so far behind the best score, if nothing asks for the newest
    same_kind_threshold=0.5,  # such a share of a tie group is of one kind for age to count as much
    uncertainty=0.1,  # so much of the match score is relevance at least
    relevance_floor=0.5,  # a tie group has at least this share of the best relevance
    just_published_weight=1.5,  # what it is worth to have just been published
    title_weight=0.1,  # weight of a title that contains the question
    extra_title_terms=0.1,  # penalty of a title for words beyond the question
    termination_penalty=0.8,  # penalty of a passage that states an end
)

ASOF = Recipe(
    "asof",
    "reads the time in the question; of equally good matches the newest comes first",
    (
        Lexical(k1=1.2, b=0.7),
        Hybrid(lexical=1.0, dense=2.0),  # vectors: only with an encoder
        RerankWindow(n=100, of_time=200),
        MaxNormalize(""),
        QueryCoverage(),
        TitleColumns(),
        NeighbouringText(k1=1.2, b=0.7, document=0.5),
        JustPublished(),
        Combine(
            (
                ("normalized", 1.0),
                ("query_coverage", 0.5),
                ("title", 0.2),
                ("neighbouring_text", 0.2),
                ("just_published", 1.5),
            ),
            "relevance",
        ),
        RequestedTime(time_weight=0.6, bounds_weight=0.6, off_topic_weight=0.7),
        TIMELY,
        Originals(),
        RoundRobinByDocument(title_coverage=0.35),
        AppendRest(),
        ExactName(),
        TopK(),
    ),
    tunable=Tunable(  # all behind the closer look: trying them reads no index
        (
            Range("combine.weights.query_coverage", 0.0, 1.5),
            Range("combine.weights.title", 0.0, 0.6),
            Range("combine.weights.neighbouring_text", 0.0, 0.6),
            Range("combine.weights.just_published", 0.0, 3.0, ("time_preference.just_published_weight",)),
            Range("time_preference.recency_weight", 0.05, 1.0),
            Range("requested_time.time_weight", 0.0, 1.5),
            Range("time_preference.tie_margin", 0.02, 0.5),
        )
    ),
)
