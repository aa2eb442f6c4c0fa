"""`[facts]` of asof.toml: what reads facts, what it looks for, and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from asof.errors import BadConfig, UsageError

RULES, MODEL = "rules", "model"
EXTRACTORS = (RULES, MODEL)
ENTITY_TYPES = ("organisations", "people", "places", "products", "measures", "offices", "events")


@dataclass(frozen=True, slots=True)
class Facts:
    """`extractor`: "rules" (free, at once) or "model" (that of [model]).

    For "model" only: `entity_types`, what it is told to look for; `gleaning`, how many further times (0 to
    3) a passage is read for what was missed. `ahead`: `asof index` reads facts as if it had --facts.
    """

    extractor: str = RULES
    entity_types: tuple[str, ...] = ENTITY_TYPES
    gleaning: int = 0
    ahead: bool = False

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Facts:
        """The table of a configuration. Raises UsageError: which key, what is accepted."""
        for key, value in table.items():
            if key not in _ACCEPTED:
                near = get_close_matches(key, _ACCEPTED, 1, 0.5)
                meant = f"did you mean {near[0]}?" if near else "accepted: " + ", ".join(_ACCEPTED)
                raise UsageError(f"no key {key}; {meant}")
            good, accepted = _ACCEPTED[key]
            if not good(value):
                raise UsageError(f"{key} = {value!r}: {accepted} is expected")
        given: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
        }
        made = cls(**given)
        alone = [key for key in ("entity_types", "gleaning") if key in table]
        if alone and made.extractor != MODEL:
            raise UsageError(f'{", ".join(alone)}: only for extractor = "{MODEL}"')
        return made


def read(table: Mapping[str, Any], where: str) -> Facts:
    """The table [facts] of the file `where`; the defaults for an empty one. Raises BadConfig."""
    try:
        return Facts.read(table)
    except UsageError as error:
        raise BadConfig(f"{where}: [facts] {error}") from error


def _type(value: Any) -> bool:
    """A short line of words: it is written into what a model is told."""
    return isinstance(value, str) and 0 < len(value.strip()) <= 64 and value.isprintable()


def _types(value: Any) -> bool:
    return isinstance(value, list) and 1 <= len(value) <= 32 and all(map(_type, value))


def _boolean(value: Any) -> bool:
    return isinstance(value, bool)


def _rounds(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 3


_ACCEPTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "extractor": (lambda value: value in EXTRACTORS, f"one of {', '.join(EXTRACTORS)}"),
    "entity_types": (_types, "a list of 1 to 32 short names"),
    "gleaning": (_rounds, "a whole number from 0 to 3"),
    "ahead": (_boolean, "true or false"),
}
