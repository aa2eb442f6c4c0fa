"""Recipes with other values of their fields, one for each combination: `--set decay.delta=0,1,2.5`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from asof.errors import UsageError
from asof.evaluate.values import listed, once, split
from asof.rank.recipe import Recipe, with_values

MOST = 1_000
"""Combinations that are measured at most."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Values of a field, of a recipe or (`recipe` "") of every one that has the field."""

    field: str
    values: tuple[Any, ...]
    recipe: str = ""

    @classmethod
    def read(cls, text: str) -> Setting:
        """`[recipe:]stage.field=value[,value…]`. Raises UsageError.

        >>> Setting.read("twe:decay.delta=0,2.5")
        Setting(field='decay.delta', values=(0, 2.5), recipe='twe')
        """
        name, value = split(text)
        recipe, colon, field_ = name.rpartition(":")
        if colon and not recipe.strip():
            raise UsageError(f"--set {text[:80]!r}: a recipe is expected before the colon")
        return cls(field_.strip(), tuple(listed(value)), recipe.strip())


@dataclass(frozen=True, slots=True)
class Variant:
    """A recipe to measure. `base`: the name of the one that it is compared with ("": all others), `values`:
    its values of the fields that have several, or `part`: what is off or on."""

    recipe: Recipe
    base: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    part: str = ""


def changed(recipe: Recipe, values: Mapping[str, Any]) -> Recipe:
    """The recipe with other values of fields, and of numbers in their tables: `combine-2.weights.decay`.

    Raises UsageError for an unknown field, with the nearest name, or a value that is not accepted.
    """
    known = dict(recipe.fields())
    inside = {name: value for name, value in values.items() if name not in known and _inside(name, known)}
    for name, value in inside.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            raise UsageError(f"recipe {recipe.name}: {name} = {value!r}: a number is expected")
    recipe = recipe.replaced({name: value for name, value in values.items() if name not in inside})
    return with_values(recipe, inside) if inside else recipe


def has(recipe: Recipe, name: str) -> bool:
    """Whether a recipe has a field, or a number in a table of one, of that name."""
    known = dict(recipe.fields())
    return name in known or _inside(name, known)


def _inside(name: str, known: Mapping[str, Any]) -> bool:
    table, _, column = name.rpartition(".")
    pairs = known.get(table)
    return isinstance(pairs, tuple) and any(isinstance(each, tuple) and each[0] == column for each in pairs)


def with_settings(recipes: Sequence[Recipe], settings: Sequence[Setting]) -> list[Variant]:
    """The recipes with the settings; where there are several values, the recipe with its own values first,
    then one for each combination that differs from it.

    Raises UsageError for a setting that no recipe has, and for more than MOST combinations.
    """
    for setting in settings:
        if not any(_is_of(setting, recipe) for recipe in recipes):
            _refuse(setting, recipes)
    variants = [each for recipe in recipes for each in _variants(recipe, settings)]
    if len(variants) > MOST:
        raise UsageError(
            f"{len(variants):,} combinations; at most {MOST:,} are measured: leave out some values"
        )
    return variants


def _is_of(setting: Setting, recipe: Recipe) -> bool:
    return setting.recipe == recipe.name or (not setting.recipe and has(recipe, setting.field))


def _refuse(setting: Setting, recipes: Sequence[Recipe]) -> None:
    names = ", ".join(recipe.name for recipe in recipes)
    if setting.recipe:
        raise UsageError(
            f"--set {setting.recipe}:{setting.field}: {setting.recipe} is not evaluated; "
            f"{names} is (--recipe)"
        )
    for recipe in recipes:  # says which names there are
        recipe.replaced(dict.fromkeys([setting.field]))


def _variants(recipe: Recipe, settings: Sequence[Setting]) -> Iterator[Variant]:
    mine = [each for each in settings if _is_of(each, recipe)]
    once(
        (each.field for each in mine),
        lambda name: f"--set {name} is given twice for {recipe.name}; name all values at once: {name}=A,B",
    )
    own = {each.field: each.values for each in mine}
    single = {name: values[0] for name, values in own.items() if len(values) == 1}
    base = changed(recipe, single)
    if base != recipe:
        base = replace(base, name=f"{recipe.name} {in_words(single)}")
    axes = {name: values for name, values in own.items() if len(values) > 1}
    combinations = (
        [dict(zip(axes, values, strict=True)) for values in product(*axes.values())] if axes else []
    )
    made = [(changed(base, chosen), chosen) for chosen in combinations]
    yield Variant(base, values=next((chosen for each, chosen in made if each == base), {}))
    for each, chosen in made:
        if each != base:
            yield Variant(replace(each, name=f"{base.name} {in_words(chosen)}"), base.name, chosen)


def in_words(values: Mapping[str, Any]) -> str:
    """Values by the last part of their fields' names, or by the whole names where two would be the same.

    >>> in_words({"decay.delta": 0, "decay.tau_min": 90.0})
    'delta=0 tau_min=90'
    """
    short = [name.rpartition(".")[2] for name in values]
    names = short if len(set(short)) == len(short) else list(values)
    return " ".join(f"{name}={value_text(value)}" for name, value in zip(names, values.values(), strict=True))


def value_text(value: Any) -> str:
    """A value of a field, without blanks."""
    return f"{value:g}" if isinstance(value, float) else str(value).replace(" ", "")


def axes(variants: Iterable[Variant]) -> list[str]:
    """The fields that have several values in some variants."""
    return list(dict.fromkeys(name for each in variants for name in each.values))
