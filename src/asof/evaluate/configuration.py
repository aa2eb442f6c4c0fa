"""Which configuration holds for recipes that are evaluated: a file's, the folder's, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from asof import environment, recipes
from asof.config import FILE, Config, load
from asof.errors import UsageError
from asof.rank.recipe import Recipe
from asof.schema import plain

PUBLISHED = "none"
"""In place of a file: recipes as they are published."""


@dataclass(frozen=True, slots=True)
class UsedConfiguration:
    """A configuration, and the files that it was read from, of which there may be none. `changed`: by recipe
    that is evaluated, the fields that have other values than those that are published."""

    config: Config = field(default_factory=Config)
    files: tuple[Path, ...] = ()
    changed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def recipe(self, name: str) -> Recipe:
        """A recipe with what is changed about it, and [diversity]. Raises UsageError for an unknown name."""
        found = self.config.recipe_named(name)
        if self.config.diversity is None:
            return found
        from asof.rank.rerank.diversify import diversified

        return replace(diversified(found, self.config.diversity), name=found.name)

    def evaluating(self, names: Iterable[str]) -> UsedConfiguration:
        """The same, with what is changed about recipes of these names."""
        changes = {name: self._changes(name) for name in names}
        return replace(self, changed={name: values for name, values in changes.items() if values})

    def _changes(self, name: str) -> dict[str, Any]:
        published = dict(recipes.named(name).fields())
        fields = self.recipe(name).fields()
        return {key: plain(value) for key, value in fields if published.get(key, self) != value}

    @property
    def sentence(self) -> str:
        """What is used."""
        files = " and ".join(str(path) for path in self.files)
        if not self.changed:
            return f"recipes as published ({files} changes none of them)" if files else "recipes as published"
        said = (
            f"{name}: {', '.join(f'{key} = {value}' for key, value in values.items())}"
            for name, values in self.changed.items()
        )
        return f"recipes as in {files}: {'; '.join(said)}"


def used(named: Path | None, folder: Path, on_note: Callable[[str], None] | None = None) -> UsedConfiguration:
    """The configuration in the file `named` alone; of `folder` (with the user's own) where none is named;
    that of no file for "none".

    Raises UsageError for a file that is not there, BadConfig.
    """
    if named is None:
        own, beside = environment.user_configuration(), folder / FILE
        files = [path for path in (own, beside) if path is not None and path.is_file()]
        return UsedConfiguration(environment.configuration(folder, on_note), tuple(files))
    if str(named) == PUBLISHED:
        return UsedConfiguration()
    if not named.is_file():
        raise UsageError(f"--config {named}: there is no such file; accepted: an {FILE}, or {PUBLISHED}")
    return UsedConfiguration(load(named), (named,))
