"""JSON Schemas out of types, and the style that all shapes keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from tests.support.json_schema import faults

from asof import results as module
from asof.results import all_shapes, schema
from asof.time.span import Instant, Span
from asof.wire import (
    FLAT,
    HIDDEN,
    NAN_IS_NULL,
    UNLESS_EMPTY,
    As,
    Decimals,
    Keyword,
    Only,
    _schema,
    encode,
    keys,
    one_of,
)  # fmt: skip


@dataclass(frozen=True)
class Leaf:
    """A leaf."""

    leaves: Annotated[tuple[Leaf, ...], UNLESS_EMPTY, "below it"] = ()


@dataclass(frozen=True)
class Shape:
    """A shape.

    More about it."""

    leaf: Annotated[Leaf, FLAT]
    when: Annotated[Instant | None, "an instant"]
    span: Span | None
    sort: Annotated[str | None, As("kind"), one_of("a", "b")]
    scores: Annotated[dict[str, float], keys(["x"])]
    anything: Any
    secret: Annotated[bytes, HIDDEN] = b""
    mean: Annotated[float, NAN_IS_NULL] = 0.0
    ratio: Annotated[float, Decimals(1)] = 0.25
    tree: Annotated[str, Only("explain")] = "tree"

    @property
    def size(self) -> Annotated[int, "of the scores"]:
        return len(self.scores)

    @property
    def other(self) -> int:
        return 1


@pytest.fixture
def shape(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(module, "all_shapes", lambda: {"shape": ("asof shape", Shape)})
    return schema("shape")


def test_each_kind_of_type(shape: dict[str, Any]) -> None:
    assert (shape["title"], shape["description"]) == ("asof shape", "A shape.")
    assert shape["properties"] == {
        "leaves": {"type": "array", "items": {"$ref": "#/$defs/Leaf"}, "description": "below it"},
        "when": {"type": ["string", "null"], "format": "date-time", "description": "an instant"},
        "span": {"anyOf": [{"$ref": "#/$defs/Span"}, {"type": "null"}]},
        "kind": {"type": ["string", "null"], "enum": ["a", "b", None]},
        "scores": {"type": "object", "additionalProperties": {"type": "number"}, "required": ["x"],
                   "propertyNames": {"enum": ["x"]}},
        "anything": {},
        "mean": {"type": ["number", "null"]},
        "ratio": {"type": "number"},
        "tree": {"type": "string"},
        "size": {"type": "integer", "description": "of the scores"},
    }  # fmt: skip
    assert shape["required"] == ["when", "span", "kind", "scores", "anything", "mean", "ratio", "size"]
    assert sorted(shape["$defs"]) == ["Leaf", "Span"]
    assert shape["$defs"]["Leaf"]["required"] == []


def test_each_kind_of_value() -> None:
    """0 is 1970 began; the ratio .25 has one decimal; the tree is there where its detail is asked for."""
    one = Shape(Leaf((Leaf(),)), 0, Span(None, None), "a", {"x": 1}, [1], mean=0.25)
    shown = {
        "leaves": [{}], "when": "1970-01-01T00:00:00Z", "span": {"from": None, "until": None}, "kind": "a",
        "scores": {"x": 1}, "anything": [1], "mean": 0.25, "ratio": 0.2, "size": 1,
    }  # fmt: skip
    assert encode(one) == shown
    assert encode(one, "explain") == {**shown, "tree": "tree"}
    bare = encode(Shape(Leaf(), None, None, None, {}, None, mean=float("nan")))
    assert (bare["when"], bare["span"], bare["kind"], bare["mean"]) == (None, None, None, None)
    assert "leaves" not in bare


GOOD = {
    "when": None, "span": None, "kind": "a", "scores": {"x": 1}, "anything": [1, "a", {"b": None}],
    "mean": 1, "ratio": 1, "size": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, []),
        ({"leaves": [{"leaves": []}]}, []),
        (
            {"leaves": [{"leaf": 1}]},
            ["$.leaves[0]: Additional properties are not allowed ('leaf' was unexpected)"],
        ),
        ({"kind": "c"}, ["$.kind: 'c' is not one of ['a', 'b', None]"]),
        ({"when": 1}, ["$.when: 1 is not of type 'string', 'null'"]),
        ({"scores": {"y": 1}}, ["$.scores: 'x' is a required property", "$.scores: 'y' is not one of ['x']"]),
        ({"scores": {"x": True}}, ["$.scores.x: True is not of type 'number'"]),
    ],
)
def test_the_schema_finds_what_is_wrong(
    shape: dict[str, Any], change: dict[str, Any], wrong: list[str]
) -> None:
    assert faults({**GOOD, **change}, shape) == wrong


def test_a_type_that_json_has_no_like_of() -> None:
    with pytest.raises(TypeError, match="bytes"):
        _schema(bytes, {})


def test_a_keyword_is_not_shared() -> None:
    """The null of one key is not added to another one's values."""
    values = one_of("a")
    first, second = (_schema(Annotated[kind, values], {}) for kind in (str | None, str))
    assert (first["enum"], second["enum"]) == (["a", None], ["a"])
    assert values == Keyword("enum", ("a",))


INSTANTS = ("as_of", "known_at", "visible", "removed", "since", "until", "recorded_at", "asked_at")
TIMES = {
    "published": ("SourcedTime",),
    "time": ("SourcedTime",),
    "span": ("Span",),
    "valid": ("Span", "Validity"),
}


@pytest.mark.parametrize("name", all_shapes())
def test_the_same_key_has_the_same_shape(name: str) -> None:
    """Where times are, what holds of them: an instant is a text, a stretch a Span, a stated time a Time."""
    found = schema(name)
    for part, value in {"": found, **found["$defs"]}.items():
        for key, each in value["properties"].items():
            where = f"{name} {part}.{key}"
            if key in INSTANTS and part not in ("Span", "Validity") and each["type"] != "integer":
                assert each["format"] == "date-time", where
            if key in TIMES:
                assert any(f"'#/$defs/{name}'" in str(each) for name in TIMES[key]), where
            if key == "notes":
                assert (each["type"], each["items"]) == ("array", {"type": "string"}), where
            if key == "took_ms":
                assert each["type"] == "number", where
            assert key not in ("said", "told", "ended", "near", "came", "went"), where


def test_a_part_of_one_name_is_one_shape() -> None:
    parts: dict[str, Any] = {}
    for name in all_shapes():
        for part, value in schema(name)["$defs"].items():
            assert parts.setdefault(part, value) == value, f"{name}: {part}"
