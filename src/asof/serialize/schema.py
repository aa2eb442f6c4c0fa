"""JSON Schemas of what commands print, generated from the types of their values."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from asof.data.json import AnswerJson, Keyword
from asof.evaluate.report.evaluation import EvaluationJson
from asof.evaluate.report.experiment import ExperimentJson, ExperimentsJson
from asof.serialize.corpus import EmbedJson, IndexedJson, IndexJson, StatusJson
from asof.serialize.documents import CalendarJson, DeletedJson, DocumentJson, DocumentsJson, PassageJson
from asof.serialize.feedback import FeedbackJson, FeedbackListJson, GradedJson, RecordJson
from asof.serialize.history import DiffJson, TimelineJson
from asof.serialize.knowledge import FactsJson, GraphJson, LinksJson, PrecomputedJson
from asof.serialize.papers import PapersJson
from asof.serialize.question import WhenJson
from asof.serialize.report import ReportJson
from asof.serialize.search import RecipesJson, SearchJson, WhyNotJson
from asof.serialize.stale import StaleJson
from asof.serialize.tuning import TuneJson

DIALECT = "https://json-schema.org/draft/2020-12/schema"

SHAPES: Mapping[str, tuple[str, type]] = {
    "search": ("asof search --json", SearchJson),
    "ask": ("asof ask --json", AnswerJson),
    "timeline": ("asof timeline --json", TimelineJson),
    "diff": ("asof diff --json", DiffJson),
    "facts": ("asof facts --json", FactsJson),
    "report": ("asof report --json", ReportJson),
    "graph": ("asof graph --json", GraphJson),
    "links": ("asof links --json", LinksJson),
    "stale": ("asof stale --json", StaleJson),
    "why-not": ("asof why-not --json", WhyNotJson),
    "when": ("asof when --json", WhenJson),
    "document": ("GET /api/v1/document", DocumentJson),
    "documents": ("GET /api/v1/documents", DocumentsJson),
    "passage": ("the tool `open` of `asof mcp`", PassageJson),
    "calendar": ("GET /api/v1/calendar", CalendarJson),
    "add": ("POST /api/v1/documents", IndexedJson),
    "delete": ("DELETE /api/v1/documents", DeletedJson),
    "record": ("POST /api/v1/record", RecordJson),
    "grade": ("POST /api/v1/feedback", GradedJson),
    "index": ("asof index --json", IndexJson),
    "status": ("asof status --json", StatusJson),
    "embed": ("asof embed --json", EmbedJson),
    "precompute": ("asof precompute --json", PrecomputedJson),
    "recipes": ("asof recipes --json", RecipesJson),
    "feedback": ("asof feedback QUERY_ID --json", FeedbackJson),
    "feedback-list": ("asof feedback --json", FeedbackListJson),
    "papers": ("asof papers --json", PapersJson),
    "evaluate": ("asof evaluate --json", EvaluationJson),
    "experiments": ("asof experiments --json", ExperimentsJson),
    "experiment": ("asof experiment NAME --json", ExperimentJson),
    "tune": ("asof tune --json", TuneJson),
}
"""For the name of each schema: what prints such a value, and the value's type."""

_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of one of SHAPES."""
    title, shape = SHAPES[name]
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
