"""The JSON of values: `encode` gives it, `schema` describes it, both by the annotations of a class.

A class lists its keys as annotated fields; a property whose type is `Annotated` is a key, too. A text in
`Annotated` describes the key. `As` gives it another name, `HIDDEN` leaves it out, `FLAT` puts the keys of
the value in its place, `UNLESS_EMPTY` leaves out an empty value, `Only` keeps a key for callers that ask for
this detail, `Decimals` rounds a number, `AsText` writes a value as a text, `NAN_IS_NULL` nan as null.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

T = TypeVar("T")


def replace(value: T, /, **changes: Any) -> T:
    """A copy of a value, a Struct or a dataclass, with other fields."""
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(value, **changes)
    return dataclasses.replace(value, **changes)  # type: ignore[type-var]


def field_values(value: Any) -> dict[str, Any]:
    """The fields of a value, a Struct or a dataclass, by their names."""
    names = getattr(value, "__struct_fields__", None) or value.__dataclass_fields__
    return {name: getattr(value, name) for name in names}


class Keyword(NamedTuple):
    """A keyword of JSON Schema beside a type, and its value."""

    name: str
    value: str | tuple[str, ...]


class As(NamedTuple):
    """The key of a field whose name differs."""

    name: str


class Only(NamedTuple):
    """A key that is there only if the caller of `encode` names this detail."""

    detail: str


class Decimals(NamedTuple):
    """The number of decimals to which a number is rounded."""

    places: int


class AsText(NamedTuple):
    """A value that JSON has as a text, and its text."""

    write: Callable[[Any], str]


HIDDEN, FLAT, UNLESS_EMPTY, NAN_IS_NULL = "<hidden>", "<flat>", "<unless empty>", "<nan is null>"
_MARKS = frozenset({HIDDEN, FLAT, UNLESS_EMPTY, NAN_IS_NULL})
DATE_TIME = Keyword("format", "date-time")


def one_of(*values: str) -> Keyword:
    """The values that a text may have."""
    return Keyword("enum", values)


def keys(names: Iterable[str]) -> Keyword:
    """The keys that a mapping has, all of them."""
    return Keyword("required", tuple(names))


# -- the keys of a class -------------------------------------------------------------------------------


class Field(NamedTuple):
    """A key of the JSON of a class: the attribute that it is taken from, its type, and its notes."""

    key: str
    attribute: str
    hint: Any
    notes: tuple[Any, ...]
    detail: str = ""
    """The detail that brings it; "": it is always there."""


@cache
def fields(shape: type) -> tuple[Field, ...]:
    """The keys of a class: its annotated fields in order, then its properties whose type is `Annotated`."""
    found = dict(get_type_hints(shape, include_extras=True))
    for each in reversed(shape.__mro__):
        for name, value in vars(each).items():
            if isinstance(value, property) and value.fget is not None:
                hint = value.fget.__annotations__.get("return", "")
                if str(hint).startswith(("Annotated[", "typing.Annotated[")):
                    found[name] = get_type_hints(value.fget, include_extras=True)["return"]
    result = []
    for name, hint in found.items():
        bare, notes = _parted(hint)
        if HIDDEN not in notes:
            key = next((note.name for note in notes if isinstance(note, As)), name)
            detail = next((note.detail for note in notes if isinstance(note, Only)), "")
            result.append(Field(key, name, bare, notes, detail))
    return tuple(result)


def _parted(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without the notes of `Annotated`, and these."""
    return (hint.__origin__, hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())


# -- JSON ----------------------------------------------------------------------------------------------

Encoder = Callable[[Any], Any]
_OFTEN = set[type]()


def often(shape: type[T]) -> type[T]:
    """Mark a class of hashable values without others in them that change, of which many are equal: the JSON
    of the last ones is kept."""
    _OFTEN.add(shape)
    return shape


def encode(value: Any, *details: str) -> dict[str, Any]:
    """The JSON of a value, with the keys of these details (`Only`)."""
    return _object(type(value), frozenset(details))(value)  # type: ignore[no-any-return]


class _Key(NamedTuple):
    """A key that is written, and how."""

    key: str
    attribute: str
    encoder: Encoder
    flat: bool
    unless_empty: bool


@cache
def _keys(shape: type, details: frozenset[str]) -> tuple[_Key, ...]:
    return tuple(
        _Key(
            each.key, each.attribute, _encoder(each.hint, details, each.notes), FLAT in each.notes,
            UNLESS_EMPTY in each.notes,
        )
        for each in fields(shape) if not each.detail or each.detail in details
    )  # fmt: skip


def _object(shape: type, details: frozenset[str]) -> Encoder:
    def encoded(value: Any) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, attribute, encoder, flat, unless_empty in _keys(shape, details):  # of its own kind, too
            one = getattr(value, attribute)
            if encoder is not _same:
                one = encoder(one)
            if flat:
                result.update(one)
            elif one or not unless_empty:
                result[key] = one
        return result

    if shape in _OFTEN:
        made = lru_cache(4_096)(encoded)
        return lambda value: made(value).copy()
    return encoded


def _encoder(hint: Any, details: frozenset[str], notes: tuple[Any, ...] = ()) -> Encoder:
    """What makes JSON of the values of a type; `_same` where they are JSON."""
    hint, more = _parted(hint)
    notes = (*notes, *more)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        kinds = [each for each in args if each is not NoneType]
        one = _encoder(kinds[0], details, notes) if len(kinds) == 1 else _same
        return one if one is _same else lambda value: None if value is None else one(value)
    for note in notes:
        if isinstance(note, AsText):
            return note.write
        if note == NAN_IS_NULL:
            return lambda value: None if math.isnan(value) else value
        if isinstance(note, Decimals):
            return partial(round, ndigits=note.places)
    if hint is datetime:
        return lambda value: value.isoformat().replace("+00:00", "Z")
    if hint in _PLAIN or hint is Any or origin is Literal:
        return _same
    if isinstance(origin, type) and issubclass(origin, Mapping):
        inner = _encoder(args[1], details)
        return lambda value: {str(key): inner(each) for key, each in value.items()}
    if isinstance(origin, type) and issubclass(origin, Iterable):
        inner = _encoder(args[0], details)
        return list if inner is _same else lambda value: [inner(each) for each in value]
    return _object(hint, details)


def _same(value: Any) -> Any:
    return value


# -- JSON Schema ---------------------------------------------------------------------------------------

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def schema(title: str, shape: type) -> dict[str, Any]:
    """The JSON Schema of the values of a class."""
    definitions: dict[str, Any] = {}
    value = _schema_of_object(shape, definitions)
    return {"$schema": DIALECT, "title": title, **value, "$defs": definitions}


def _schema_of_object(shape: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a class; those that it refers to are added to the definitions."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for each in fields(shape):
        if FLAT in each.notes:
            part = _schema_of_object(each.hint, definitions)
            properties |= part["properties"]
            required += part["required"]
            continue
        properties[each.key] = _schema(each.hint, definitions, each.notes)
        if not each.detail and UNLESS_EMPTY not in each.notes:
            required.append(each.key)
    about = " ".join((shape.__doc__ or "").split("\n\n")[0].split())
    return {
        "description": about,
        "type": "object",
        "properties": properties,
        "required": list(dict.fromkeys(required)),
        "additionalProperties": False,
    }


def _schema(hint: Any, definitions: dict[str, Any], notes: Sequence[Any] = ()) -> dict[str, Any]:
    """The schema of a type. Raises TypeError for a type that JSON has no like of."""
    hint, more = _parted(hint)
    notes = (*notes, *more)
    if any(isinstance(note, AsText) for note in notes):
        return _described({"type": "string"}, notes)
    if NAN_IS_NULL in notes:
        return _described({"type": ["number", "null"]}, notes)
    return _described(_schema_of_type(hint, definitions), notes)


def _schema_of_type(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _either([_schema(each, definitions) for each in args])
    if isinstance(origin, type) and issubclass(origin, Mapping) and args[0] is str:
        return {"type": "object", "additionalProperties": _schema(args[1], definitions)}
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return {"type": "array", "items": _schema(args[0], definitions)}
    if hint is Any:
        return {}
    if origin is Literal:
        return {"type": "string", "enum": list(args)}
    if hint is datetime:
        return {"type": "string", "format": "date-time"}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if not isinstance(hint, type) or hint.__module__ == "builtins":
        raise TypeError(f"{hint!r} has no schema")
    name = hint.__name__
    if name not in definitions:
        definitions[name] = {}  # it may hold values of its own kind
        definitions[name] = _schema_of_object(hint, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _described(value: dict[str, Any], notes: Sequence[Any]) -> dict[str, Any]:
    for note in notes:
        if isinstance(note, Keyword):
            value[note.name] = note.value if isinstance(note.value, str) else list(note.value)
        elif isinstance(note, str) and note not in _MARKS:
            value["description"] = note
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
