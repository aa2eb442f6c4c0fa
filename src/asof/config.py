"""`asof.toml` as typed values. Each key has a default and a check; unknown keys are errors."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof import plugins, recipes, schema
from asof.answer import AskSettings
from asof.errors import BadConfig, Untrusted, UsageError
from asof.models.encoders import HashedNgrams
from asof.schema import (
    MAX_SHOWN,
    AcceptedValue,
    Check,
    accepting,
    boolean,
    check,
    choosing,
    names,
    nearest,
    whole,
)
from asof.sources.dates import month_of
from asof.sources.source import Fields, scheme_named
from asof.store.schema import UNDATED, CorpusSettings
from asof.text.tokens import Analyzer

if TYPE_CHECKING:
    from asof.models.chat import LanguageModelConfig
    from asof.models.named import EncoderConfig
    from asof.models.rerankers import RerankerConfig
    from asof.rank.stage import Recipe, Stage
    from asof.sources.source import SourceScheme


# -- checks: which values a key accepts, and what it converts them to ----------------------------------

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
    from asof.text.passages import Chunking

    return str(Chunking.parse(value))


ENCODERS = {"none": "", "hashed": HashedNgrams().name}


def _encoder(value: Any) -> str:
    return ENCODERS[choosing(*ENCODERS)(value)]


INDEX: dict[str, Check] = {
    "languages": _languages, "stem": accepting(boolean()), "chunking": _chunking,
    "undated": choosing(*UNDATED), "encoder": _encoder,
}  # fmt: skip
VALUES: dict[str, Check] = {"fiscal_start": _month}
"""Keys of [fields] that are no field names."""
CORPUS_FIELDS: dict[str, Check] = {"search": _searched}
"""Keys of [fields] that shape the index: they are among the settings of a corpus."""


def _recipe(value: Any) -> str:
    if value in recipes.NAMES:
        return str(value)
    name: str = choosing(*recipes.all_names())(value)
    return name


SEARCH: dict[str, Check] = {
    "k": accepting(whole(1, 1000)), "unit": choosing(*UNITS), "recipe": _recipe,
    "rerank": accepting(boolean()),
}  # fmt: skip


# -- configuration -------------------------------------------------------------------------------------

FILE = "asof.toml"

MAX_BYTES = 250_000
"""The most bytes of a configuration."""

MAX_DOTS = 100
"""The most dots in a line of it: for a key of n parts tomllib keeps n²/2 of them."""


@dataclass(frozen=True, slots=True)
class Config:
    """The values of `asof.toml`.

    [index]  languages, stem, chunking, undated, encoder: decided when the corpus is made.
    [fields] id, text, title, ...: which fields of a JSONL line are read as what; a name or a list of names.
             fiscal_start: the first month of the fiscal year.
             search: which metadata is searched; decided when the corpus is made.
    [search] k, unit, recipe, rerank: defaults of `asof search`; rerank of ask, too.
    [encoder] the model that makes vectors, see `asof.models.named`; `asof embed` changes it.
    [rerank] the model that reranks, see `asof.models.rerankers`.
    [model] the language model, see `asof.models.chat`; nothing asks one that is not named.
    [ask] recipe, mode, tokens, budget: defaults of `asof ask`, see `asof.answer`.
    [SCHEME] settings of the sources that a scheme names, such as [arxiv]; those of asof's own are checked,
             those of a package when one of its sources is opened.
    [diversity] kind, most, balance, first: unlike first hits (`asof.rank.rerank`).
    [TABLE] what else is read, by its name, as extensions of asof offer it (`plugins.TABLES`).
    [recipes.NAME] stage.field: other values for fields of a recipe, e.g. `decay.tau_min = 365`.

    Where several files were read (`asof.layers`): `origin` has the file that names each model or address,
    by its table; `withheld` what a file has that is ignored since its folder is not trusted, and why;
    `beside` the keys of [index] that the file of the folder has.
    """

    index: CorpusSettings = field(default_factory=CorpusSettings)
    fields: Fields = field(default_factory=Fields)
    k: int = 10
    unit: str = "passage"
    recipe: str = "asof"
    rerank: bool = False
    encoding: EncoderConfig | None = None
    reranking: RerankerConfig | None = None
    model: LanguageModelConfig | None = None
    asking: AskSettings = field(default_factory=AskSettings)
    sources: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    diversity: Stage | None = None
    tables: Mapping[str, Any] = field(default_factory=dict)
    changed: Mapping[str, Recipe] = field(default_factory=dict)
    origin: Mapping[str, Path] = field(default_factory=dict)
    withheld: Mapping[str, str] = field(default_factory=dict)
    beside: frozenset[str] = frozenset()

    def lacking(self, table: str, message: str, remedy: str = "") -> UsageError:
        """The error of a command that needs a table which is missing."""
        if table in self.withheld:
            return Untrusted(f"{message}: {self.withheld[table]}")
        return UsageError(f"{message}: {remedy or f'see [{table}] in {FILE}'}")

    def folder_of(self, table: str, root: Path) -> Path:
        """The folder that paths in a table are seen from; `root` unless another file has the table."""
        return self.origin[table].parent if table in self.origin else root

    def recipe_named(self, name: str) -> Recipe:
        """A recipe with the changes of this configuration. Raises UsageError for an unknown name."""
        return self.changed.get(name) or recipes.named(name)


TABLES = (
    "index", "fields", "search", "encoder", "recipes", "diversity", "rerank", "model",
    *plugins.BUILT_IN[plugins.TABLES], "ask",
)  # fmt: skip


EXTERNAL = frozenset({"encoder", "rerank", "model"})
"""Tables that name resources outside of a folder; those of schemes do, too."""


def schemes(tables: Iterable[str]) -> set[str]:
    """The names of tables of schemes."""
    return set(tables) - set(TABLES)


def own_scheme(name: str) -> SourceScheme | None:
    """A built-in scheme. No configuration loads the code of a package: for its scheme this is None."""
    return scheme_named(name) if name in plugins.BUILT_IN[plugins.SOURCES] else None


def load(path: Path) -> Config:
    """The configuration in `path` alone; the defaults when there is no such file. Raises BadConfig."""
    return read(parsed(content(path) or b"", str(path)), str(path))


def content(path: Path) -> bytes | None:
    """The bytes of a configuration; None where there is no such file. Raises BadConfig."""
    try:
        # O_NONBLOCK: a pipe is refused instead of waited for
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise BadConfig(f"{path} is no file")
            with os.fdopen(handle, "rb", closefd=False) as file:
                raw = file.read(MAX_BYTES + 1)
        finally:
            os.close(handle)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadConfig(f"{path}: {error.strerror}") from error
    if len(raw) > MAX_BYTES:
        raise BadConfig(f"{path} has more than {MAX_BYTES:,} bytes: it is not read")
    return raw


def parsed(raw: bytes, where: str) -> dict[str, Any]:
    """The values in the bytes of a configuration. Raises BadConfig."""
    if any(line.count(b".") > MAX_DOTS for line in raw.split(b"\n")):
        raise BadConfig(f"{where}: a line with more than {MAX_DOTS} dots is not read")
    try:
        return tomllib.loads(raw.decode())
    except (ValueError, RecursionError) as error:  # also numbers of 5,000 digits, lists in lists in lists
        raise BadConfig(f"{where}: not TOML: {error}") from error


def checked(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The tables of one file among several: each key and each value is accepted, but a table that names a
    model or an address may miss what another file has of it. Raises BadConfig."""
    tables = _tables(values, where)
    outside = EXTERNAL | schemes(tables)
    known = {name for name in outside if name in EXTERNAL or own_scheme(name) is not None}
    for name in known & tables.keys():
        with _located(where, name):
            check(tables[name], _keys(name))
    if tables.get("encoder"):
        _one_encoder(tables.get("index", {}), where)
    read({name: table for name, table in tables.items() if name not in outside}, where)
    return tables


def read(values: Mapping[str, Any], where: str = FILE) -> Config:
    """The configuration of parsed TOML. Raises BadConfig."""
    tables = _tables(values, where)
    index = schema.converted(tables.get("index", {}), INDEX, where, "index.")
    names = {each.name: schema.names for each in fields(Fields)} | VALUES | CORPUS_FIELDS
    named = schema.converted(tables.get("fields", {}), names, where, "fields.")
    corpus_fields = {key: named.pop(key) for key in CORPUS_FIELDS if key in named}
    search = schema.converted(tables.get("search", {}), SEARCH, where, "search.")
    offered = _offered(tables, where)
    return Config(
        CorpusSettings(**index, **corpus_fields), Fields(**named), **search,
        diversity=_diversity(tables.get("diversity", {}), where),
        encoding=_encoding(tables.get("encoder", {}), index, where),
        reranking=_reranking(tables.get("rerank", {}), where),
        model=_model(tables.get("model", {}), where), tables=offered,
        asking=_asking(tables.get("ask", {}), where),
        changed=_changed(tables.get("recipes", {}), offered, where), sources=_sources(tables, where),
    )  # fmt: skip


def _diversity(table: Mapping[str, Any], where: str) -> Stage | None:
    if not table:
        return None
    from asof.rank.rerank import Mmr, PerDocument
    from asof.rank.stage import Recipe

    kinds: dict[str, Stage] = {"per-document": PerDocument(), "mmr": Mmr()}
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise BadConfig(f"{where}: diversity.kind = {kind!r}: accepted: {', '.join(kinds)}")
    stage = Recipe("[diversity]", "", (kinds[kind],))
    name = next(iter(stage.stages_by_name()))
    fields_ = {f"{name}.{key}": value for key, value in table.items() if key != "kind"}
    try:
        return stage.replaced(fields_).stages[0]
    except UsageError as error:
        raise BadConfig(f"{where}: {error}") from error


def _model(table: Mapping[str, Any], where: str) -> LanguageModelConfig | None:
    if not table:
        return None
    from asof.models.chat import LanguageModelConfig

    with _located(where, "model"):
        return LanguageModelConfig.read(table)


def _encoding(table: Mapping[str, Any], index: Mapping[str, Any], where: str) -> EncoderConfig | None:
    if not table:
        return None
    from asof.models.named import EncoderConfig

    _one_encoder(index, where)
    with _located(where, "encoder"):
        return EncoderConfig.read(table)


def _keys(table: str) -> Mapping[str, AcceptedValue]:
    """The accepted value of each key of a table of `EXTERNAL`, or of a built-in scheme."""
    if table == "encoder":
        from asof.models.named import ACCEPTED
    elif table == "rerank":
        from asof.models.rerankers import ACCEPTED
    elif table == "model":
        from asof.models.chat import ACCEPTED
    else:
        scheme = own_scheme(table)
        return {} if scheme is None else scheme.settings
    return ACCEPTED


def _one_encoder(index: Mapping[str, Any], where: str) -> None:
    if index.get("encoder", "none") not in ("", "none"):
        raise BadConfig(f"{where}: index.encoder and [encoder] both name an encoder: leave one out")


def _reranking(table: Mapping[str, Any], where: str) -> RerankerConfig | None:
    if not table:
        return None
    from asof.models.rerankers import RerankerConfig

    with _located(where, "rerank"):
        return RerankerConfig.read(table)


def _offered(tables: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The tables that asof's own extensions read. No configuration loads the code of a package."""
    offered = {}
    for name in plugins.BUILT_IN[plugins.TABLES]:
        if tables.get(name):
            with _located(where, name):
                offered[name] = plugins.load(plugins.TABLES, name).read(tables[name])  # type: ignore[union-attr]
    return offered


def _asking(table: Mapping[str, Any], where: str) -> AskSettings:
    with _located(where, "ask"):
        own = table.get("recipe") in (None, *recipes.NAMES)
        return AskSettings.read(table, recipes.NAMES if own else recipes.all_names())


def _sources(tables: Mapping[str, Any], where: str) -> dict[str, Mapping[str, Any]]:
    """The tables of schemes, checked as far as the schemes are asof's own."""
    sources = {name: tables[name] for name in schemes(tables) if tables[name]}
    for name, table in sources.items():
        if (scheme := own_scheme(name)) is not None:
            with _located(where, name):
                scheme.check(table)
    return sources


@contextmanager
def _located(where: str, table: str) -> Iterator[None]:
    """Errors of a table become BadConfig with the place of the table."""
    try:
        yield
    except UsageError as error:
        raise BadConfig(f"{where}: [{table}] {error}") from error


def _changed(tables: Mapping[str, Any], offered: Mapping[str, Any], where: str) -> dict[str, Recipe]:
    """Recipes with other values of their fields: by tables of extensions, then by [recipes.NAME]."""
    changed: dict[str, Recipe] = {}
    for value in offered.values():
        changed |= getattr(value, "recipes", {})
    tables = schema.converted(tables, dict.fromkeys(tables, schema.table), where, "recipes.")
    try:
        for name, table in tables.items():
            recipe = changed.get(name) or recipes.named(name)
            if table:
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


def _tables(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The tables of a configuration. Raises BadConfig for another one, and for a key outside of all."""
    for name, value in values.items():
        if name not in (*TABLES, *plugins.BUILT_IN[plugins.SOURCES]) and name not in plugins.installed(
            plugins.SOURCES
        ):
            short = name[:MAX_SHOWN]
            what = f"table [{short}]" if isinstance(value, dict) else f"key {short} outside of a table"
            near = nearest(name, (*TABLES, *plugins.names(plugins.SOURCES)), "[{}]")
            raise BadConfig(f"{where}: no {what}; {near}")
    return schema.converted(values, dict.fromkeys((*TABLES, *values), schema.table), where, "")
