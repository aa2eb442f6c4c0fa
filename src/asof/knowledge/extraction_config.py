"""`[facts]` of asof.toml: which extractor reads facts, of which types, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from asof.config import FILE, Config
from asof.errors import UsageError
from asof.schema import AcceptedValue, check, one_of, whole

RULES, MODEL = "rules", "model"
EXTRACTORS = (RULES, MODEL)
ENTITY_TYPES = ("organisations", "people", "places", "products", "measures", "offices", "events")


@dataclass(frozen=True, slots=True)
class Facts:
    """`extractor`: "rules" (free, at once) or "model" (that of [model]).

    For "model" only: `entity_types`, the types of entities named in the prompt; `gleaning`, how many further
    rounds (0 to 3) ask for missed facts.
    """

    extractor: str = RULES
    entity_types: tuple[str, ...] = ENTITY_TYPES
    gleaning: int = 0

    ABOUT: ClassVar = "What reads facts."
    WORDS: ClassVar[Mapping[str, str]] = {
        "extractor": '"rules" (free, at once) or "model" (that of [model]).',
        "entity_types": 'For "model" only: what it looks for.',
        "gleaning": 'For "model" only: how many further times a passage is read, 0 to 3.',
    }  # fmt: skip

    @classmethod
    def of(cls, tables: Mapping[str, Any]) -> Facts:
        """The settings among the tables of a configuration (`Config.tables`)."""
        return tables["facts"] if "facts" in tables else cls()

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Facts:
        """The table of a configuration. Raises UsageError: which key, what is accepted."""
        check(table, _ACCEPTED)
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
        }
        facts = cls(**values)
        alone = [key for key in ("entity_types", "gleaning") if key in table]
        if alone and facts.extractor != MODEL:
            raise UsageError(f'{", ".join(alone)}: only for extractor = "{MODEL}"')
        return facts


def _type(value: Any) -> bool:
    """Whether a value is a short printable line, as it becomes part of a prompt."""
    return isinstance(value, str) and 0 < len(value.strip()) <= 64 and value.isprintable()


def _types(value: Any) -> bool:
    return isinstance(value, list) and 1 <= len(value) <= 32 and all(map(_type, value))


_ACCEPTED: dict[str, AcceptedValue] = {
    "extractor": one_of(*EXTRACTORS),
    "entity_types": AcceptedValue(_types, "a list of 1 to 32 short names"),
    "gleaning": whole(0, 3),
}


def extractor_note(config: Config) -> str:
    """That rules read facts, if a model is to read them and none is named; "" else."""
    if Facts.of(config.tables).extractor != MODEL or config.model is not None:
        return ""
    return f"facts are read by rules: [facts] of {FILE} asks for a model, and [model] names none"
