"""Check the files of this folder: every field is a known one, of its type, and nothing required is missing.

    python docs/examples/kubernetes/check.py [--crd FILE ...]

Without --crd against fields.yaml, which describes the fields that are used here. With descriptions of kinds
that an operator installs (for KubeRay: ray.io_rayclusters.yaml in its repository, or
`kubectl get crd rayclusters.ray.io -o yaml`), objects of these kinds are checked against those as well. Exits
with 1 when anything is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent
TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
}  # fmt: skip
ANY_OBJECT = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}


def objects(folder: Path = FOLDER) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of all files, each with the name of its file."""
    for path in sorted(folder.glob("*.yaml")):
        if path.name != "fields.yaml":
            for each in yaml.safe_load_all(path.read_text("utf-8")):
                yield path.name, each


def own_kinds() -> dict[str, dict[str, Any]]:
    """The descriptions of fields.yaml, by apiVersion/kind."""
    table = yaml.safe_load((FOLDER / "fields.yaml").read_text("utf-8"))
    metadata = table["parts"]["metadata"]
    return {
        kind: {
            "type": "object",
            "required": ["metadata", *fields.get("required", [])],
            "properties": {**ANY_OBJECT, "metadata": metadata, **fields.get("properties", {})},
        }
        for kind, fields in table["kinds"].items()
    }


def crd_kinds(path: Path) -> dict[str, dict[str, Any]]:
    """The descriptions of a CustomResourceDefinition, by apiVersion/kind."""
    spec = yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["spec"]  # noqa: S506
    return {
        f"{spec['group']}/{version['name']}/{spec['names']['kind']}": version["schema"]["openAPIV3Schema"]
        for version in spec["versions"]
    }


def faults(value: object, schema: Mapping[str, Any], at: str) -> Iterator[str]:
    """What is wrong with a value, by a structural schema of Kubernetes; so is a field without description."""
    if schema.get("x-kubernetes-int-or-string"):
        if not isinstance(value, int | str) or isinstance(value, bool):
            yield f"{at}: {value!r} is neither a whole number nor a text"
    elif "type" in schema and not _is(value, schema["type"]):
        yield f"{at}: {value!r} is no {schema['type']}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{at}: {value!r} does not have the form {schema['pattern']}"
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{at}: {value} is out of bounds"
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from faults(each, schema.get("items", {}), f"{at}[{number}]")
    if isinstance(value, dict):
        yield from _field_faults(value, schema, at)


def _field_faults(value: dict[str, object], schema: Mapping[str, Any], at: str) -> Iterator[str]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    anything = (not known and others is None) or schema.get("x-kubernetes-preserve-unknown-fields")
    for name in schema.get("required", []):
        if name not in value:
            yield f"{at}: {name} is missing"
    for name, each in value.items():
        if name in known:
            yield from faults(each, known[name], f"{at}.{name}")
        elif isinstance(others, dict):
            yield from faults(each, others, f"{at}.{name}")
        elif not anything:
            yield f"{at}: there is no field {name}"


def _is(value: object, kind: str) -> bool:
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def check(value: Mapping[str, Any], kinds: Mapping[str, Mapping[str, Any]], at: str) -> list[str]:
    """What is wrong with an object, by the descriptions of kinds."""
    kind = f"{value.get('apiVersion')}/{value.get('kind')}"
    if kind not in kinds:
        return [f"{at}: there is no kind {kind}"]
    return list(faults(value, kinds[kind], f"{at}: {value['kind']}"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--crd", type=Path, action="append", default=[], help="a CustomResourceDefinition")
    found, checked = [], 0
    own = own_kinds()
    others = {kind: schema for path in parser.parse_args().crd for kind, schema in crd_kinds(path).items()}
    for file, value in objects():
        found += check(value, own, file)
        if f"{value['apiVersion']}/{value['kind']}" in others:
            found += check(value, others, f"{file} (by its definition)")
            checked += 1
    sys.stdout.write("".join(f"{line}\n" for line in found))
    sys.stdout.write(
        f"{len(list(objects()))} objects, {checked} by a definition given: {len(found)} faults\n"
    )
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
