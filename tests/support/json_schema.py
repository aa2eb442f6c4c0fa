"""The schemas in docs/reference, and what is wrong with a value by one of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
KINDS: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip


def against(name: str, value: Any) -> list[str]:
    """What is wrong with a value by the schema of this name."""
    schema: dict[str, Any] = json.loads((REFERENCE / f"{name}.schema.json").read_text())
    return list(faults(value, schema, schema))


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "$") -> Iterator[str]:
    """What is wrong with a value, by the part of JSON Schema that the schemas use."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if "anyOf" in schema:
        tried = [list(faults(value, each, root, at)) for each in schema["anyOf"]]
        if [] not in tried:
            yield f"{at}: none of anyOf: {tried}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    kinds = schema.get("type", list(KINDS))
    if not any(_is(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        yield f"{at}: {value!r} is no {kinds}"
    elif isinstance(value, list):
        for n, each in enumerate(value):
            yield from faults(each, schema.get("items", {}), root, f"{at}[{n}]")
    elif isinstance(value, dict):
        yield from _keys(value, schema, root, at)


def _keys(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], at: str) -> Iterator[str]:
    yield from (f"{at}: {key} is missing" for key in schema.get("required", ()) if key not in value)
    known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    for key, each in value.items():
        if others is False and key not in known:
            yield f"{at}: {key} is not documented"
        elif key not in schema.get("propertyNames", {}).get("enum", value):
            yield f"{at}: {key} is no name of it"
        else:
            yield from faults(each, known.get(key, others), root, f"{at}.{key}")


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, KINDS[kind]) and not (isinstance(value, bool) and kind in ("integer", "number"))
