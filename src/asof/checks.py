"""Values of `asof.toml`: for each key what is accepted, and what it becomes."""

from __future__ import annotations

from typing import Any

from asof import recipes
from asof.models.hashed import HashedNgrams
from asof.schema import Check, accepting, boolean, choosing, names, whole
from asof.sources.periods import month_of
from asof.store.settings import UNDATED, CorpusSettings
from asof.text.tokens import Analyzer

UNITS = ("passage", "document")


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


def _chunking(value: Any) -> str:
    from asof.text.chunks import Chunking

    return str(Chunking.parse(value))


ENCODERS = {"none": "", "hashed": HashedNgrams().name}


def _encoder(value: Any) -> str:
    return ENCODERS[choosing(*ENCODERS)(value)]


INDEX: dict[str, Check] = {
    "languages": _languages, "stem": accepting(boolean()), "chunking": _chunking,
    "undated": choosing(*UNDATED), "encoder": _encoder,
}  # fmt: skip
VALUES: dict[str, Check] = {"fiscal_start": _month}
"""Keys of [fields] that are no names of fields."""
CORPUS_FIELDS: dict[str, Check] = {"search": _searched}
"""Keys of [fields] that shape the index: the settings of a corpus hold them."""


def _recipe(value: Any) -> str:
    if value in recipes.NAMES:
        return str(value)
    name: str = choosing(*recipes.all_names())(value)
    return name


SEARCH: dict[str, Check] = {
    "k": accepting(whole(1, 1000)), "unit": choosing(*UNITS), "recipe": _recipe,
    "rerank": accepting(boolean()),
}  # fmt: skip
