"""Values of `asof.toml`: for each key what is accepted, and what it becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from asof import recipes
from asof.errors import BadConfig, UsageError
from asof.models.hashed import HashedNgrams
from asof.sources.periods import month_of
from asof.store.settings import UNDATED, CorpusSettings
from asof.tables import SHOWN, nearest, said
from asof.text.tokens import Analyzer

UNITS = ("passage", "document")

Check = Callable[[Any], Any]
"""Gives what a value becomes. Raises UsageError, ValueError or TypeError for one that is not accepted."""


def known(values: Mapping[str, Any], checks: Mapping[str, Check], where: str, prefix: str) -> dict[str, Any]:
    """What the values of a table become. Raises BadConfig: which key, where, what is accepted."""
    result = {}
    for key, value in values.items():
        if key not in checks:
            meant = nearest(key, checks, f"{prefix}{{}}")
            raise BadConfig(f"{where}: no key {prefix}{key[:SHOWN]}; {meant}")
        try:
            result[key] = checks[key](value)
        except (UsageError, ValueError, TypeError) as error:
            raise BadConfig(f"{where}: {prefix}{key[:SHOWN]} = {said(value)}: {error}") from error
    return result


def table(value: Any) -> Mapping[str, Any]:
    """A table."""
    if not isinstance(value, dict):
        raise TypeError("a table is expected")
    return value


def names(value: Any) -> tuple[str, ...]:
    """A name or a list of names."""
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or not given or not all(isinstance(name, str) for name in given):
        raise TypeError("a field name or a list of field names is expected")
    return tuple(given)


def _month(value: Any) -> int:
    return month_of(value)


def _searched(value: Any) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return CorpusSettings(search=value).search
    return names(value)


def _languages(value: Any) -> tuple[str, ...]:
    codes = names(value)
    Analyzer(codes)
    return codes


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false is expected")
    return value


def _chunking(value: Any) -> str:
    from asof.text.chunks import Chunking

    return str(Chunking.parse(value))


def _one_of(accepted: tuple[str, ...]) -> Check:
    def check(value: Any) -> str:
        if value not in accepted:
            raise ValueError("accepted: " + ", ".join(accepted))
        return str(value)

    return check


def _whole(low: int, high: int) -> Check:
    def check(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ValueError(f"a whole number from {low} to {high} is expected")
        return value

    return check


ENCODERS = {"none": "", "hashed": HashedNgrams().name}


def _encoder(value: Any) -> str:
    return ENCODERS[_one_of(tuple(ENCODERS))(value)]


INDEX: dict[str, Check] = {
    "languages": _languages, "stem": _boolean, "chunking": _chunking, "undated": _one_of(UNDATED),
    "encoder": _encoder,
}  # fmt: skip
VALUES: dict[str, Check] = {"fiscal_start": _month}
"""Keys of [fields] that are no names of fields."""
KEPT: dict[str, Check] = {"search": _searched}
"""Keys of [fields] that shape the index: the settings of a corpus hold them."""


def _recipe(value: Any) -> str:
    if value in recipes.NAMES:
        return str(value)
    name: str = _one_of(recipes.all_names())(value)
    return name


SEARCH: dict[str, Check] = {
    "k": _whole(1, 1000), "unit": _one_of(UNITS), "recipe": _recipe,
    "rerank": _boolean, "record": _boolean,
}  # fmt: skip
