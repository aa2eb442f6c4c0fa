"""`asof.toml`: every key has a default and a check; an unknown key is an error that names the nearest one."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof import recipes
from asof.answer.asking import Asking
from asof.errors import BadConfig, UsageError
from asof.knowledge.choice import Facts
from asof.models.hashed import HashedNgrams
from asof.sources.fields import Fields
from asof.sources.periods import month_of
from asof.store.settings import UNDATED, Settings
from asof.text.tokens import Analyzer

if TYPE_CHECKING:
    from asof.models.language import Language
    from asof.models.reranking import Reranking
    from asof.rank.recipe import Recipe
    from asof.rank.stage import Stage

FILE = "asof.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """What `asof.toml` says.

    [index]  languages, stem, chunking, undated, encoder: decided when the corpus is made.
    [fields] id, text, title, ...: which fields of a JSONL line are read as what; a name or a list of names.
             fiscal_start: the first month of the fiscal year.
             search: which metadata is searched; decided when the corpus is made.
    [search] k, unit, recipe, rerank: defaults of `asof search`.
    [rerank] the model that reranks, see `asof.models.reranking`.
    [model] the language model, see `asof.models.language`; nothing asks one that is not named.
    [facts] what reads facts, see `asof.knowledge.choice`.
    [ask] recipe, mode, tokens, budget: defaults of `asof ask`, see `asof.answer.asking`.
    [diversity] kind, most, balance, first: the first hits shall not all be alike (`asof.rank.diversify`).
    [recipes.NAME] stage.field: other values for fields of a recipe, e.g. `decay.tau_min = 365`.
    [retrieval] the keys of RAGtriever's design, for the recipe `vault`.
    """

    index: Settings = field(default_factory=Settings)
    fields: Fields = field(default_factory=Fields)
    k: int = 10
    unit: str = "passage"
    recipe: str = "asof"
    rerank: bool = False
    reranking: Reranking | None = None
    model: Language | None = None
    facts: Facts = field(default_factory=Facts)
    asking: Asking = field(default_factory=Asking)
    diversity: Stage | None = None
    changed: Mapping[str, Recipe] = field(default_factory=dict)

    def recipe_named(self, name: str) -> Recipe:
        """A recipe with what this configuration changes about it. Raises UsageError for an unknown name."""
        return self.changed.get(name) or recipes.named(name)


TABLES = (
    "index", "fields", "search", "recipes", "retrieval", "diversity", "rerank", "model", "facts", "ask",
)  # fmt: skip
UNITS = ("passage", "document")

Check = Callable[[Any], Any]


def load(path: Path) -> Config:
    """The configuration in `path`; the defaults when there is no such file. Raises BadConfig."""
    try:
        with path.open("rb") as file:
            values = tomllib.load(file)
    except FileNotFoundError:
        return Config()
    except (ValueError, RecursionError) as error:  # also numbers of 5,000 digits, lists in lists in lists
        raise BadConfig(f"{path}: not TOML: {error}") from error
    except OSError as error:
        raise BadConfig(f"{path}: {error.strerror}") from error
    return read(values, str(path))


def read(values: Mapping[str, Any], where: str = FILE) -> Config:
    """The configuration of parsed TOML. Raises BadConfig."""
    known = dict.fromkeys(TABLES, _table)
    tables = _known(values, known, where, "")
    index = _known(tables.get("index", {}), _INDEX, where, "index.")
    names = {each.name: _names for each in fields(Fields)} | _VALUES | _KEPT
    named = _known(tables.get("fields", {}), names, where, "fields.")
    kept = {key: named.pop(key) for key in _KEPT if key in named}
    search = _known(tables.get("search", {}), _SEARCH, where, "search.")
    return Config(
        Settings(**index, **kept), Fields(**named), **search,
        diversity=_diversity(tables.get("diversity", {}), where),
        reranking=_reranking(tables.get("rerank", {}), where),
        model=_model(tables.get("model", {}), where), facts=_facts(tables.get("facts", {}), where),
        asking=_asking(tables.get("ask", {}), where),
        changed=_changed(tables.get("recipes", {}), tables.get("retrieval", {}), where),
    )  # fmt: skip


def _diversity(table: Mapping[str, Any], where: str) -> Stage | None:
    if not table:
        return None
    from asof.rank.diversify import Mmr, PerDocument
    from asof.rank.recipe import Recipe

    kinds: dict[str, Stage] = {"per-document": PerDocument(), "mmr": Mmr()}
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise BadConfig(f"{where}: diversity.kind = {kind!r}: accepted: {', '.join(kinds)}")
    stage = Recipe("[diversity]", "", (kinds[kind],))
    name = next(iter(stage.named()))
    fields_ = {f"{name}.{key}": value for key, value in table.items() if key != "kind"}
    try:
        return stage.replaced(fields_).stages[0]
    except UsageError as error:
        raise BadConfig(f"{where}: {error}") from error


def _model(table: Mapping[str, Any], where: str) -> Language | None:
    if not table:
        return None
    from asof.models.language import Language

    with _told(where, "model"):
        return Language.read(table)


def _reranking(table: Mapping[str, Any], where: str) -> Reranking | None:
    if not table:
        return None
    from asof.models.reranking import Reranking

    with _told(where, "rerank"):
        return Reranking.read(table)


def _facts(table: Mapping[str, Any], where: str) -> Facts:
    with _told(where, "facts"):
        return Facts.read(table)


def _asking(table: Mapping[str, Any], where: str) -> Asking:
    with _told(where, "ask"):
        return Asking.read(table, recipes.NAMES)


@contextmanager
def _told(where: str, table: str) -> Iterator[None]:
    """What is wrong with a table, as BadConfig with the place."""
    try:
        yield
    except UsageError as error:
        raise BadConfig(f"{where}: [{table}] {error}") from error


def _changed(tables: Mapping[str, Any], retrieval: Mapping[str, Any], where: str) -> dict[str, Recipe]:
    """Recipes with other values of their fields."""
    changed = {}
    tables = _known(tables, dict.fromkeys(tables, _table), where, "recipes.")
    try:
        if retrieval:
            from asof.recipes.vault import vault

            changed["vault"] = vault(**retrieval)
        for name, table in tables.items():
            recipe = changed.get(name) or recipes.named(name)
            changed[name] = recipe.replaced(_flat(table, recipe))
    except (UsageError, TypeError) as error:
        raise BadConfig(f"{where}: {error}") from error
    return changed


def _flat(table: Mapping[str, Any], recipe: Recipe) -> dict[str, Any]:
    """`{"decay": {"tau_min": 365}}` as `{"decay.tau_min": 365}`."""
    flat = {}
    for stage, fields_ in table.items():
        if stage == "typed":
            flat[stage] = fields_
        elif not isinstance(fields_, dict):
            known = ", ".join(key for key, _ in recipe.fields())
            raise UsageError(f"[recipes.{recipe.name}] {stage}: stage.field is expected, one of: {known}")
        else:
            flat.update({f"{stage}.{key}": value for key, value in fields_.items()})
    return flat


def _known(values: Mapping[str, Any], checks: Mapping[str, Check], where: str, prefix: str) -> dict[str, Any]:
    result = {}
    for key, value in values.items():
        if key not in checks:
            near = difflib.get_close_matches(key, checks, 1, 0.5)
            meant = f"did you mean {prefix}{near[0]}?" if near else "accepted: " + ", ".join(checks)
            raise BadConfig(f"{where}: no key {prefix}{key}; {meant}")
        try:
            result[key] = checks[key](value)
        except (UsageError, ValueError, TypeError) as error:
            raise BadConfig(f"{where}: {prefix}{key} = {value!r}: {error}") from error
    return result


def _table(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("a table is expected")
    return value


def _names(value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise TypeError("a field name or a list of field names is expected")
    return tuple(names)


def _month(value: Any) -> int:
    return month_of(value)


def _searched(value: Any) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return Settings(search=value).search
    return _names(value)


def _languages(value: Any) -> tuple[str, ...]:
    names = _names(value)
    Analyzer(names)
    return names


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


_INDEX: dict[str, Check] = {
    "languages": _languages, "stem": _boolean, "chunking": _chunking, "undated": _one_of(UNDATED),
    "encoder": _encoder,
}  # fmt: skip
_VALUES: dict[str, Check] = {"fiscal_start": _month}
"""Keys of [fields] that are no names of fields."""
_KEPT: dict[str, Check] = {"search": _searched}
"""Keys of [fields] that shape the index: the settings of a corpus hold them."""
_SEARCH: dict[str, Check] = {
    "k": _whole(1, 1000), "unit": _one_of(UNITS), "recipe": _one_of(recipes.NAMES),
    "rerank": _boolean,
}  # fmt: skip
