"""The schemas in docs/reference, and what is wrong with a value by one of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def against(name: str, value: Any) -> list[str]:
    """What is wrong with a value by the schema of this name."""
    return faults(value, json.loads((REFERENCE / f"{name}.schema.json").read_text()))


def faults(value: Any, schema: dict[str, Any]) -> list[str]:
    """What is wrong with a value by a schema, each with its place."""
    return [f"{each.json_path}: {each.message}" for each in Draft202012Validator(schema).iter_errors(value)]
