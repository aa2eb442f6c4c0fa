"""Half-lives that were learned, what they are worth, and what was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.serialize.tuning import ConfigEditJson, DifferenceJson, edit_json

if TYPE_CHECKING:
    from asof.tuning.config_edit import ConfigEdit
    from asof.tuning.half_lives import LearnedHalfLives
    from asof.tuning.judged_half_lives import JudgedHalfLives
    from asof.tuning.survival import HalfLife


class HalfLifeJson(TypedDict):
    """A half-life."""

    days: Annotated[float, "until half of what passages state is outdated"]
    low: Annotated[float, "the lower end of the 95 % interval"]
    high: Annotated[float, "the upper end"]
    passages: int
    ends: Annotated[int, "passages that were outdated; the others are still current, or were removed"]
    exposure: Annotated[float, "days for which the passages were current, all together"]
    current: Annotated[float | None, "the share current at that age by Kaplan and Meier; null: not followed"]


class KindHalfLifeJson(TypedDict):
    """A kind that differs from the rest."""

    name: Annotated[str, "`source:NAME`, `tag:NAME` or `folder:PATH`"]
    half_life: Annotated[HalfLifeJson, "without what kinds before it have"]
    others: Annotated[HalfLifeJson, "that of all passages that are left"]


class JudgedHalfLivesJson(TypedDict):
    """What the half-lives are worth."""

    material: str
    metric: str
    questions: int
    start: Annotated[float, "the metric before, on questions held out"]
    tuned: Annotated[float, "the metric after, on questions held out"]
    difference: DifferenceJson
    worse: bool
    scale: Annotated[float, "what the learned half-lives are multiplied by"]
    folds: Annotated[list[float], "the same, as each fold chose it"]
    moments: Annotated[int, "as of so many moments half-lives were learned"]
    summary: str
    notes: list[str]


class HalfLivesJson(TypedDict):
    """Learned half-lives."""

    recipe: str
    passages: Annotated[int, "dated passages that there were"]
    ends: int
    kinds: Annotated[list[KindHalfLifeJson], "in the order in which they count"]
    rest: HalfLifeJson | None
    values: Annotated[dict[str, dict[str, float]], "fields of the recipe as they are proposed"]
    judged: Annotated[JudgedHalfLivesJson | None, "null: there were no questions to judge on"]
    written: Annotated[ConfigEditJson | None, "what `--write` changed; null: nothing"]


def half_lives_json(
    recipe: str, found: LearnedHalfLives, values: dict[str, dict[str, float]],
    judged: JudgedHalfLives | None, written: ConfigEdit | None,
) -> HalfLivesJson:  # fmt: skip
    return {
        "recipe": recipe, "passages": found.passages, "ends": found.ends,
        "kinds": [
            {"name": each.name, "half_life": _half_life(each.half_life), "others": _half_life(each.others)}
            for each in found.kinds
        ],
        "rest": None if found.rest is None else _half_life(found.rest), "values": values,
        "judged": None if judged is None else _judged(judged),
        "written": None if written is None else edit_json(written),
    }  # fmt: skip


def _half_life(of: HalfLife) -> HalfLifeJson:
    return {
        "days": of.days, "low": of.low, "high": of.high, "passages": of.passages, "ends": of.ends,
        "exposure": of.exposure, "current": of.current,
    }  # fmt: skip


def _judged(of: JudgedHalfLives) -> JudgedHalfLivesJson:
    moved = of.comparison
    return {
        "material": of.material, "metric": f"ndcg@{of.k}", "questions": of.questions, "start": of.start,
        "tuned": of.tuned, "worse": of.worse, "scale": of.scale, "folds": list(of.folds),
        "difference": {"value": moved.difference, "low": moved.low, "high": moved.high, "p": moved.p},
        "moments": of.moments, "summary": of.sentence, "notes": list(of.notes),
    }  # fmt: skip
