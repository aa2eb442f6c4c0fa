"""Searches, recipes, and why something was not found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from asof.data.json import HitJson, Instant, SpanJson, hit_json, validity_json
from asof.time.span import BEGINNING, NEVER, iso

if TYPE_CHECKING:
    from asof.data import Halting
    from asof.engine import Results
    from asof.rank.recipe import Recipe
    from asof.rank.whynot import WhyNot


class QueryJson(TypedDict):
    """A query as it was run."""

    text: Annotated[str, "as it was asked"]
    lexical: Annotated[str, "what of it the index was asked"]
    recency: Annotated[float, "how much it asks for the newest, 0 to 1"]
    k: Annotated[int, "how many hits were asked for"]
    recipe: Annotated[str, "what ranked them"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    since: Annotated[Instant | None, "filter: published from then on"]
    until: Annotated[Instant | None, "filter: published until then"]
    about: Annotated[SpanJson | None, "filter: speaking of that time"]
    source: Annotated[str, 'filter: the name of a source; "": none']
    path: Annotated[str, 'filter: a pattern of document ids; "": none']
    tags: Annotated[list[str], "filter: all of these tags"]
    meta: Annotated[dict[str, Any], "filter: all of these metadata"]


class HaltingJson(TypedDict):
    """How many candidates a recipe with a budget examined, and why it stopped there."""

    k: Annotated[int, "how many candidates were ranked by the whole score"]
    candidates: Annotated[int, "of so many"]
    budget: Annotated[int, "the most that would have been"]
    scored: Annotated[int, "for how many the whole score was computed"]
    saved: Annotated[float, "the share of the budget for which it was not, 0 to 1"]
    halted: Annotated[bool, "whether margin and agreement exceed their thresholds"]
    margin: Annotated[float, "the best score less that of the last of the first few"]
    agreement: Annotated[float, "the share of the first few that corroborate the best"]
    reason: str


class SearchJson(TypedDict):
    """The best passages for a query."""

    query: QueryJson
    hits: Annotated[list[HitJson], "best first"]
    notes: Annotated[list[str], "what the stages did: what was cut, and where"]
    halting: Annotated[HaltingJson | None, "of a recipe with a budget, such as twe"]
    took_ms: Annotated[float, "the search alone"]


class StepJson(TypedDict):
    """What one stage of a recipe did with a passage."""

    stage: str
    rank: Annotated[int | None, "null: it is out"]
    score: float | None
    candidates: Annotated[int, "how many passages were ranked"]
    notes: Annotated[list[str], "of the stage"]


class WhyNotJson(TypedDict):
    """Why a document or passage is not among the hits of a query, or its rank."""

    id: Annotated[str, "the document or passage"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant | None, "the moment whose knowledge of them was asked; null: all of it"]
    rank: Annotated[int | None, "its rank among the hits; null: it is not among them"]
    reason: Annotated[str, "why, in a sentence"]
    steps: Annotated[list[StepJson], "stage by stage until it is out, for its best passage"]


class RecipeJson(TypedDict):
    """A way of ranking."""

    name: str
    about: Annotated[str, "what it is for"]
    default: Annotated[bool, "whether `asof search` takes it"]
    stages: Annotated[list[str], "in their order"]
    fields: Annotated[dict[str, Any], "what asof.toml can set, with its present value"]


class RecipesJson(TypedDict):
    """The ways of ranking."""

    recipes: list[RecipeJson]


def search_json(results: Results, took_ms: float, *, explain: bool = False) -> SearchJson:
    """A search; with `explain` each hit has the tree of its score."""
    query, view = results.query, results.view
    filters = query.filters
    return {
        "query": {
            "text": query.text, "lexical": query.lexical, "recency": query.recency, "k": query.k,
            "recipe": results.recipe, "as_of": iso(view.as_of), "known_at": iso(view.known_at),
            "since": None if filters.since is None else iso(filters.since),
            "until": None if filters.until is None else iso(filters.until),
            "about": None if filters.about is None else _stretch(*filters.about),
            "source": filters.source, "path": filters.path, "tags": list(filters.tags),
            "meta": dict(filters.meta),
        },
        "hits": [hit_json(hit, explain=explain) for hit in results.hits],
        "notes": list(results.notes),
        "halting": None if results.halting is None else halting_json(results.halting),
        "took_ms": round(took_ms, 2),
    }  # fmt: skip


def halting_json(halting: Halting) -> HaltingJson:
    return {
        "k": halting.examined, "candidates": halting.candidates, "budget": halting.budget,
        "scored": halting.scored, "saved": halting.saved, "halted": halting.halted,
        "margin": halting.margin, "agreement": halting.agreement, "reason": halting.reason,
    }  # fmt: skip


def _stretch(first: int, last: int) -> SpanJson:
    """A span from its first and last instant, which may lie at the ends of time."""
    return validity_json(None if first <= BEGINNING else first, None if last >= NEVER else last + 1)


def why_not_json(why_not: WhyNot, as_of: int, known_at: int | None) -> WhyNotJson:
    return {
        "id": why_not.id, "as_of": iso(as_of), "known_at": None if known_at is None else iso(known_at),
        "rank": why_not.rank, "reason": why_not.reason,
        "steps": [
            {
                "stage": step.stage, "rank": step.rank, "score": step.score, "candidates": step.candidates,
                "notes": list(step.notes),
            }
            for step in why_not.steps
        ],
    }  # fmt: skip


def recipes_json(recipes: Iterable[Recipe], default: str) -> RecipesJson:
    """Recipes as they are configured; `default`: the name of that of a search."""
    from asof.schema import plain

    return {
        "recipes": [
            {
                "name": each.name, "about": each.about, "default": each.name == default,
                "stages": list(each.stages_by_name()),
                "fields": {key: plain(value) for key, value in each.fields()},
            }
            for each in recipes
        ]
    }  # fmt: skip
