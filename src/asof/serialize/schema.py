"""JSON Schemas of what commands print, generated from the types of their values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from asof import plugins
from asof.data.json import AnswerJson, Keyword
from asof.serialize.corpus import EmbedJson, IndexedJson, IndexJson, StatusJson
from asof.serialize.documents import CalendarJson, DeletedJson, DocumentJson, DocumentsJson, PassageJson
from asof.serialize.history import DiffJson, LinksJson, TimelineJson
from asof.serialize.question import WhenJson
from asof.serialize.search import RecipesJson, SearchJson, WhyNotJson

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Shapes = Mapping[str, tuple[str, type]]
"""For the name of each schema: what prints such a value, and the value's type."""

SHAPES: Shapes = {
    "search": ("asof search --json", SearchJson),
    "ask": ("asof ask --json", AnswerJson),
    "timeline": ("asof timeline --json", TimelineJson),
    "diff": ("asof diff --json", DiffJson),
    "links": ("asof links --json", LinksJson),
    "why-not": ("asof why-not --json", WhyNotJson),
    "when": ("asof when --json", WhenJson),
    "document": ("GET /api/v1/document", DocumentJson),
    "documents": ("GET /api/v1/documents", DocumentsJson),
    "passage": ("the tool `open` of `asof mcp`", PassageJson),
    "calendar": ("GET /api/v1/calendar", CalendarJson),
    "add": ("POST /api/v1/documents", IndexedJson),
    "delete": ("DELETE /api/v1/documents", DeletedJson),
    "index": ("asof index --json", IndexJson),
    "status": ("asof status --json", StatusJson),
    "embed": ("asof embed --json", EmbedJson),
    "recipes": ("asof recipes --json", RecipesJson),
}
"""Those of the core; extensions offer theirs (`asof.plugins.SHAPES`)."""

_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


@cache
def all_shapes() -> Shapes:
    """The shapes of the core and of extensions."""
    offered: list[Shapes] = list(plugins.load_all(plugins.SHAPES).values())
    return {name: shape for shapes in (SHAPES, *offered) for name, shape in shapes.items()}


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of one of `all_shapes`."""
    title, shape = all_shapes()[name]
    definitions: dict[str, Any] = {}
    value = _object(shape, definitions)
    return {"$schema": DIALECT, "title": title, **value, "$defs": definitions}


def _object(shape: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a TypedDict; those that it refers to are added to the definitions."""
    keys = get_type_hints(shape, include_extras=True)
    return {
        "description": shape.__doc__,
        "type": "object",
        "properties": {key: _schema(hint, definitions) for key, hint in keys.items()},
        "required": [key for key, hint in keys.items() if not _optional(hint)],
        "additionalProperties": False,
    }


def _optional(hint: Any) -> bool:
    origin = get_origin(hint)
    return origin is NotRequired or (origin is Annotated and _optional(get_args(hint)[0]))


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type. A text that it is annotated with describes it.

    Raises TypeError for a type that JSON has no like of.
    """
    origin, args = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _schema(args[0], definitions)
    if origin is Annotated:
        return _annotated(_schema(args[0], definitions), args[1:])
    if origin in (Union, UnionType):
        return _either([_schema(each, definitions) for each in args])
    if origin is list:
        return {"type": "array", "items": _schema(args[0], definitions)}
    if origin is dict and args[0] is str:
        return {"type": "object", "additionalProperties": _schema(args[1], definitions)}
    if hint is Any:
        return {}
    if hint in _KINDS:
        return {"type": _KINDS[hint]}
    if not is_typeddict(hint):
        raise TypeError(f"{hint!r} has no schema")
    name = hint.__name__.removesuffix("Json")
    if name not in definitions:
        definitions[name] = {}  # it may hold values of its own kind
        definitions[name] = _object(hint, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _annotated(value: dict[str, Any], notes: tuple[Any, ...]) -> dict[str, Any]:
    for note in notes:
        if isinstance(note, str):
            value["description"] = note
        elif isinstance(note, Keyword):
            value[note.name] = note.value if isinstance(note.value, str) else list(note.value)
    if "enum" in value and "null" in value["type"]:
        value["enum"].append(None)
    if "required" in value:
        value["propertyNames"] = {"enum": value["required"]}
    return value


def _either(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several schemas: a list of types where that says it all."""
    more = {key: each for schema in schemas for key, each in schema.items() if key != "type"}
    if all("type" in each for each in schemas) and not more.keys() - {"format"}:
        return {"type": [each["type"] for each in schemas], **more}
    return {"anyOf": schemas}
