"""What the root and an actor tell each other, as bytes: MessagePack with types of its own for what it lacks.

Plain values, numpy arrays, and asof's own records (named tuples, data classes, enumerations) and errors come
out as they went in. Reading calls nothing: a record gets its fields as they were written, and of classes only
those of asof are looked up.
"""

from __future__ import annotations

import builtins
import dataclasses
import importlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from asof.cluster.ray.library import msgpack

PACKAGE = "asof."

BUFFER = 1024
"""Bytes that are set aside for a value at first: a value within another one has a packer of its own, and most
are small."""


class NotPackable(Exception):
    """A value of a kind that messages do not carry, such as a stage of a plugin."""


def packed(value: Any) -> bytes:
    """The bytes of a value. Raises NotPackable."""
    try:
        return bytes(msgpack().Packer(default=_extended, strict_types=True, buf_size=BUFFER).pack(value))
    except (TypeError, ValueError, OverflowError) as error:
        raise NotPackable(f"it cannot be sent: {error}") from error


def unpacked(data: bytes) -> Any:
    """The value that bytes are of. Arrays are read-only. Raises ValueError where they are of none."""
    try:
        return msgpack().unpackb(data, ext_hook=_restored, strict_map_key=False)
    except (msgpack().UnpackException, TypeError, AttributeError, LookupError, ImportError) as error:
        raise ValueError(f"no message: {error}") from error


class Kind(NamedTuple):
    """How a kind of value is written as plain ones, and made of them again."""

    fits: Callable[[type], bool]
    parts: Callable[[Any], Any]
    whole: Callable[[Any], Any]


def _path(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


@cache
def _class_at(path: str) -> Any:
    """A class of asof that messages carry, or an error of Python. Raises ValueError for any other."""
    module, _, name = path.partition(":")
    if module != builtins.__name__ and not module.startswith(PACKAGE):
        raise ValueError(f"{path} is no class of asof")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if isinstance(found, type) and (_is_record(found) or issubclass(found, Exception | Enum)):
        return found
    raise ValueError(f"{path} is not carried by messages")


def _array_parts(array: Any) -> Any:
    if array.dtype.hasobject:
        raise NotPackable(f"an array of {array.dtype} cannot be sent")
    return [array.dtype.str, list(array.shape), array.tobytes()]


def _array(parts: Any) -> Any:
    dtype, shape, data = parts
    return np.frombuffer(data, np.dtype(dtype)).reshape(shape)


def _record_parts(record: Any) -> Any:
    if isinstance(record, tuple):
        return [_path(type(record)), list(record)]
    return [_path(type(record)), [getattr(record, each.name) for each in dataclasses.fields(record)]]


def _record(parts: Any) -> Any:
    path, values = parts
    kind = _class_at(path)
    names = kind._fields if issubclass(kind, tuple) else [each.name for each in dataclasses.fields(kind)]
    if len(names) != len(values):
        raise ValueError(
            f"{path} has {len(names)} fields and not {len(values)}: install the same asof everywhere"
        )
    if issubclass(kind, tuple):
        return tuple.__new__(kind, values)
    made = object.__new__(kind)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)
    return made


def _error_parts(error: Exception) -> Any:
    kind = type(error)
    if kind.__module__ == builtins.__name__ or kind.__module__.startswith(PACKAGE):
        return [_path(kind), [str(each) for each in error.args]]
    return [_path(RuntimeError), [f"{kind.__name__}: {error}"]]


def _error(parts: Any) -> Exception:
    path, arguments = parts
    made: Exception = _class_at(path)(*arguments)
    return made


def _time_parts(time: datetime) -> str:
    if time.tzinfo is not UTC:
        raise NotPackable(f"{time} cannot be sent: it is not in UTC")
    return time.isoformat()


def _is_record(kind: type) -> bool:
    named = issubclass(kind, tuple) and hasattr(kind, "_fields")
    return kind.__module__.startswith(PACKAGE) and (named or dataclasses.is_dataclass(kind))


_KINDS: Mapping[int, Kind] = {
    1: Kind(lambda kind: kind is tuple, list, tuple),
    2: Kind(lambda kind: kind is np.ndarray, _array_parts, _array),
    3: Kind(lambda kind: issubclass(kind, np.generic), _array_parts, lambda parts: _array(parts)[()]),
    4: Kind(lambda kind: kind is set, list, set),
    5: Kind(lambda kind: kind is frozenset, list, frozenset),
    6: Kind(
        lambda kind: kind.__module__.startswith(PACKAGE) and issubclass(kind, Enum),
        lambda one: [_path(type(one)), one.name],
        lambda parts: _class_at(parts[0])[parts[1]],
    ),
    7: Kind(_is_record, _record_parts, _record),
    8: Kind(lambda kind: issubclass(kind, Exception), _error_parts, _error),
    9: Kind(lambda kind: kind is datetime, _time_parts, datetime.fromisoformat),
}


@cache
def _code(kind: type) -> int:
    for code, each in _KINDS.items():
        if each.fits(kind):
            return code
    raise NotPackable(f"a value of {kind.__module__}.{kind.__qualname__} cannot be sent")


def _extended(value: Any) -> Any:
    kind: Any = type(value)
    code = _code(kind)
    return msgpack().ExtType(code, packed(_KINDS[code].parts(value)))


def _restored(code: int, data: bytes) -> Any:
    return _KINDS[code].whole(unpacked(data))
