"""Two outputs side by side: what may differ, and where they do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import is_dataclass
from datetime import date
from enum import Enum
from typing import Any

import numpy as np
from msgspec import Struct

from asof.wire import field_values

LEFT_OUT = {
    "passage": "the number of a row tells what else is in a corpus; no output shows it",
    "cost": "what a model was asked anew: replies are kept, and the whole corpus has more of them",
    "took_ms": "the time that a search took",
}
"""Fields that differ by design, each with the reason."""


def plain(value: Any) -> Any:
    """A value as JSON has it, with the names of its types and all bits of its numbers; without `LEFT_OUT`."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, str):  # JSON that a command printed is compared by its values
        return plain(json.loads(value)) if value.startswith("{\n") else value
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float | bytes):
        return value.hex()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if is_dataclass(value) or isinstance(value, Struct):
        return _fields(type(value).__name__, field_values(value))
    if hasattr(value, "_asdict"):
        return _fields(type(value).__name__, value._asdict())
    if isinstance(value, Mapping):
        return _fields("", value)
    if isinstance(value, AbstractSet):
        return sorted(json.dumps(plain(each), ensure_ascii=False) for each in value)
    if isinstance(value, Sequence):
        return [plain(each) for each in value]
    raise TypeError(f"{type(value).__name__} is not compared")


def _fields(of: str, values: Mapping[Any, Any]) -> dict[str, Any]:
    """Without functions: the tree that a hit makes is compared by itself."""
    kept = {name: value for name, value in values.items() if name not in LEFT_OUT and not callable(value)}
    return ({"": of} if of else {}) | {str(name): plain(value) for name, value in kept.items()}


def difference(here: Any, there: Any, path: str = "") -> str | None:
    """The first place where two plain values differ; None where they are equal."""
    if type(here) is type(there) and here == there:
        return None
    if isinstance(here, dict) and isinstance(there, dict):
        for name in (*here, *there):
            if name not in here or name not in there:
                return f"{path}.{name}: only in {'the whole corpus' if name in here else 'the other'}"
            if found := difference(here[name], there[name], f"{path}.{name}"):
                return found
    if isinstance(here, list) and isinstance(there, list):
        for at, (one, other) in enumerate(zip(here, there, strict=False)):
            if found := difference(one, other, f"{path}[{at}]"):
                return found
        if len(here) != len(there):
            return f"{path}: {len(here)} against {len(there)}"
    return f"{path}: {here!r} against {there!r}"
