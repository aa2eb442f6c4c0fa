"""All recipes: their names, and every field of theirs at both ends of its range."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from asof import recipes
from asof.errors import UsageError
from asof.models.encoders import HashedNgrams

pytestmark = pytest.mark.slow

Ask = Callable[..., dict[str, float]]

TEXTS = {
    "budgeted_rerank.by": ["hybrid", "unified", "lexical"],
    "max_normalize.of": ["lexical"],
    "coverage.of": ["similarity", "freshness"], "volume.of": ["similarity", "freshness"],
    "combine-2.name": ["anything"],
}  # fmt: skip
"""What is tried of a field that takes any text, and of one that takes numbers without limits."""

NUMBERS: dict[str, list[list[float]]] = {
    "recency_tiers.bounds": [[1, 2, 3], [1_000.0, 2_000.0, 3_000.0]],
    "recency_tiers.values": [[0, 0, 0, 0], [5, 4, 3, 2]],
    "budgeted_rerank.sizes": [[1, 1, 1], [1, 2, 3], [99_999, 100_000, 100_000]],
}


def ends(name: str, stage: Any, field: Any) -> Iterator[tuple[str, Any]]:
    """A field of a stage with each of the values that are tried."""
    key, value, rule = f"{name}.{field.name}", getattr(stage, field.name), field.metadata
    if dataclasses.is_dataclass(value):
        return
    if "accepted" in rule:
        yield from ((key, word) for word in rule["accepted"])
    elif "low" in rule:
        yield from ((key, type(1.0 if value is None else value)(end)) for end in (rule["low"], rule["high"]))
    elif isinstance(value, bool):
        yield from ((key, each) for each in (True, False))
    elif isinstance(value, int):
        yield from ((key, each) for each in (1, 3))
    elif key == "combine.name":
        yield key, value  # later stages look for it
    elif key in TEXTS:
        yield from ((key, word) for word in TEXTS[key])
    elif key in NUMBERS:
        yield from ((key, numbers) for numbers in NUMBERS[key])
    elif field.name == "recent":
        yield from ((key, words) for words in ([], ["ferry"]))
    elif field.name == "weights":
        yield from ((key, dict.fromkeys(dict(value), weight)) for weight in (0.0, 1.0, -2.0))
        yield key, {"nobody": 1.0}
    else:
        raise AssertionError(f"{key} = {value!r}: say which values to try")


CASES = [
    (recipe, key, value)
    for recipe in recipes.NAMES
    for name, stage in recipes.named(recipe).stages_by_name().items()
    for field in dataclasses.fields(stage)  # type: ignore[arg-type]
    for key, value in ends(name, stage, field)
] + [(recipe, "typed", typed) for recipe in recipes.NAMES for typed in (True, False)]


def test_every_field_is_tried() -> None:
    for name in recipes.NAMES:
        tried = {key for recipe, key, _ in CASES if recipe == name}
        assert tried == {key for key, _ in recipes.named(name).fields()}


def test_names() -> None:
    published = ("asof", "twe", "vault", "tempralm", "papers", "tgrag")
    signals = ("bm25", "lsa", "dense", "hybrid", "hybrid-rrf")
    assert (*published, *signals) == recipes.NAMES
    for name in recipes.NAMES:
        assert recipes.named(name).name == name
        assert recipes.named(name).about
    with pytest.raises(UsageError, match="no recipe 'tempral'; did you mean tempralm"):
        recipes.named("tempral")
    with pytest.raises(UsageError, match="no recipe 'zzz'; accepted: asof, twe"):
        recipes.named("zzz")


@pytest.fixture(scope="module")
def with_vectors(island: Any) -> Iterator[Any]:
    with island(encoder=HashedNgrams(d=32)) as corpus:
        yield corpus


@pytest.mark.parametrize(("name", "key", "value"), CASES, ids=str)
def test_a_field_at_an_end_of_its_range(
    notes: Any, with_vectors: Any, ask: Ask, name: str, key: str, value: Any
) -> None:
    """The search runs, with hits in order; trees give the scores again (`ask` looks)."""
    recipe = recipes.named(name).replaced({key: value})
    for corpus in (notes, with_vectors):
        for question in ("latest ferry to the mainland", "penguin"):
            found = ask(corpus, question, recipe, k=5)
            assert list(found.values()) == sorted(found.values(), reverse=True)
        assert ask(corpus, "ferry", recipe, as_of="1990").keys() <= {"rules"}, "of undated notes only"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("twe", {"combine.name": "other"}), ("twe", {"budgeted_rerank.by": "nobody"}),
        ("twe", {"max_normalize.of": "latent"}),
        ("papers", {"coverage.of": "volume"}),
    ],
)  # fmt: skip
def test_a_column_that_no_stage_made_before(notes: Any, ask: Ask, name: str, values: dict[str, Any]) -> None:
    with pytest.raises(
        UsageError, match=r"there is no column '\w+' to rank with; those made before are: \w+"
    ):
        ask(notes, "ferry", recipes.named(name).replaced(values))


@pytest.mark.parametrize("name", recipes.NAMES)
def test_by_document(notes: Any, ask: Ask, name: str) -> None:
    """Of notes of one passage the documents are the passages."""
    recipe = recipes.named(name)
    grouped = ask(notes, "ferry to the mainland", recipes.by_document(recipe))
    whole = ask(notes, "ferry to the mainland", recipe)
    assert grouped == whole
