"""`asof.toml` as typed values. Each key has a default and a check; unknown keys are errors."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from asof import plugins, recipes, schema
from asof.answer import AskSettings
from asof.errors import BadConfig, Untrusted, UsageError
from asof.files import NotAFile, open_file
from asof.schema import (
    MAX_SHOWN,
    Setting,
    Table,
    boolean,
    converting,
    nearest,
    number,
    one_of,
    value_text,
    whole,
)
from asof.sources.source import Fields, scheme_named
from asof.store.schema import UNDATED, CorpusSettings
from asof.text.tokens import Analyzer
from asof.time.moment import zone_named

if TYPE_CHECKING:
    from asof.rank.stage import Recipe


# -- tables: which keys there are, what each accepts, what it means -------------------------------------

UNITS = ("passage", "document")


def _searched(value: Any) -> str | tuple[str, ...]:
    return CorpusSettings(search=value).search if isinstance(value, str) else schema.names(value)


def _languages(value: Any) -> tuple[str, ...]:
    codes = schema.names(value)
    Analyzer(codes)
    return codes


def _chunking(value: Any) -> str:
    from asof.text.passages import Chunking

    return str(Chunking.parse(value))


def _recipe(value: Any) -> str:
    known = recipes.NAMES if value in (None, *recipes.NAMES) else recipes.all_names()
    if value not in known:
        raise UsageError("accepted: " + ", ".join(known))
    return str(value)


def _field(about: str, example: str | None = None) -> Setting:
    return Setting(converting(schema.names), about, example)


ENCODERS = {"none": "", "hashed": "hashed-3-5-256"}
"""The names of the built-in encoders as corpora store them; `asof.models.encoders` need not be loaded."""


def _month(value: Any) -> int:
    from asof.sources.dates import month_of

    return month_of(value)


_MAY_HOLD = "The fields, first to last, that may hold"

INDEX = Table("How texts are read. Decided when the corpus is made; later changes are refused.", {
    "languages": Setting(
        converting(_languages), "Codes of the languages of the texts; the first is for texts that name none."
    ),
    "stem": Setting(boolean(), "Whether words are searched by their stems (ferries finds ferry)."),
    "chunking": Setting(
        converting(_chunking),
        'Passages: "120w" (words), "120w/20" (20 overlap), "2000c/200" (characters), "whole".',
    ),
    "undated": Setting(
        one_of(*UNDATED), 'When texts without a date are visible: "added" (from then on), "always", "never".'
    ),
    "encoder": Setting(
        one_of(*ENCODERS)._replace(to=ENCODERS.__getitem__),
        '"none", or "hashed" (character n-grams, no model); a model is named in [encoder]. Default: the'
        " recommended encoder where it was downloaded.", "none",
    ),
}, CorpusSettings, dict)  # fmt: skip

FIELDS = Table("Which fields of a record are read as what; the first that is there counts.", {
    "id": _field(f"{_MAY_HOLD} its id."),
    "text": _field(f"{_MAY_HOLD} its text."),
    "title": _field(f"{_MAY_HOLD} its title."),
    "published": _field(
        f"{_MAY_HOLD} its date, in records and notes. Default: published, date, created and the like in all"
        " languages.",
        "published",
    ),
    "changed": _field(f"{_MAY_HOLD} the date of its last change, likewise.", "updated"),
    "about": _field("The fields that say which times it speaks of: every one counts."),
    "tags": _field(f"{_MAY_HOLD} its tags."),
    "uri": _field(f"{_MAY_HOLD} its address."),
    "language": _field(f"{_MAY_HOLD} its language."),
    "fiscal_start": Setting(
        converting(_month),
        "First month of the fiscal year (1 to 12, a name) unless a document has its own.",
    ),
    "search": Setting(
        converting(_searched),
        'Which metadata is searched: "auto" (all), "none", a list of keys. Decided as [index] is.', "auto",
    ),
}, Fields, dict)  # fmt: skip


def _timezone(value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError("the name of a time zone is expected")
    zone_named(value)
    return value


DATES = Table("How dates in figures, and times of day, are read.", {
    "order": Setting(
        one_of("dmy", "mdy"),
        'What comes first in 03/04/2023: "dmy" the day, "mdy" the month. Default: as the other dates of the'
        " document tell.",
        "dmy",
    ),
    "timezone": Setting(
        converting(_timezone),
        "Zone of times of day that name none, in documents and questions, and of today. Default: UTC.",
        "Europe/Brussels",
    ),
}, Fields, dict)  # fmt: skip


def _official(value: Any) -> tuple[str, ...]:
    names = schema.names(value)
    if not all(name.removeprefix("source:").removeprefix("tag:").strip() for name in names):
        raise UsageError("a source, a tag, a folder or a pattern of ids is expected")
    return names


AUTHORITY = Table("Which sources lead where current statements of one thing differ.", {
    "official": Setting(
        converting(_official),
        'Sources ("source:hr"), tags ("tag:policy") and folders ("policies/") or patterns of ids, the highest'
        " first; all others come after them.",
        "policies/",
    ),
}, dict)  # fmt: skip


class SearchDefaults(Struct, frozen=True):
    """Defaults of `asof search`; `rerank` of ask, too."""

    k: int = 10
    unit: str = "passage"
    recipe: str = "asof"
    rerank: bool = False


SEARCH = Table("What asof search does unless an option says otherwise.", {
    "k": Setting(whole(1, 100), "How many hits, 1 to 100."),
    "unit": Setting(one_of(*UNITS), 'What is ranked: "passage" or "document".'),
    "recipe": Setting(converting(_recipe), "How asof search and ask rank; asof recipes lists the ways."),
    "rerank": Setting(boolean(), "Whether the model of [rerank] re-ranks the first few."),
}, SearchDefaults)  # fmt: skip

ASK = Table("How asof ask answers.", {
    "tokens": Setting(
        whole(100, 1_000_000), "How much of what is found is read. Default: 12000, global 24000.", 12_000
    ),
    "budget": Setting(
        number(0, 1e9), "What a model may cost for an answer: US dollars (tokens without prices).", 0.05
    ),
}, AskSettings)  # fmt: skip


# -- configuration -------------------------------------------------------------------------------------

FILE = "asof.toml"

MAX_BYTES = 250_000
"""The most bytes of a configuration."""

MAX_DOTS = 100
"""The most dots in a line of it: for a key of n parts tomllib keeps n²/2 of them."""


class Config(Struct, frozen=True):
    """The values of `asof.toml`.

    [index]  languages, stem, chunking, undated, encoder: decided when the corpus is made.
    [fields] id, text, title, ...: which fields of a JSONL line are read as what; a name or a list of names.
             fiscal_start: the first month of the fiscal year.
             search: which metadata is searched; decided when the corpus is made.
    [dates]  order: of day and month in 03/04/2023; timezone: of times of day without one.
    [search] k, unit, recipe, rerank: defaults of `asof search`; rerank of ask, too.
    [encoder] the model that makes vectors, see `providers.encoders`; `asof embed` changes it.
    [rerank] the model that reranks, see `providers.rerankers`.
    [model] the language model, see `providers.chat`; nothing asks one that is not named.
    [ask] tokens, budget: defaults of `asof ask`, see `asof.answer`.
    [authority] official: the order of sources, tags and folders.
    [SCHEME] settings of the sources that a scheme names, such as [arxiv]; those of asof's own are checked,
             those of a package when one of its sources is opened.
    [TABLE] what else is read, by its name, as extensions of asof offer it (`plugins.TABLES`).
    [recipes.NAME] stage.field: other values for fields of a recipe, e.g. `decay.tau_min = 365`.

    Where several files were read (`asof.environment`): `origin` has the file that names each model or
    address, by its table; `withheld` what a file has that is ignored since its folder is not trusted, and
    why; `beside` the keys of [index] that the file of the folder has. `automatic`: no encoder is named, not
    even none, so a new corpus gets the recommended one if it is here.
    """

    index: CorpusSettings = msgspec.field(default_factory=CorpusSettings)
    fields: Fields = msgspec.field(default_factory=Fields)
    k: int = 10
    unit: str = "passage"
    recipe: str = "asof"
    rerank: bool = False
    encoding: Any = None
    reranking: Any = None
    model: Any = None
    asking: AskSettings = msgspec.field(default_factory=AskSettings)
    official: tuple[str, ...] = ()
    sources: Mapping[str, Mapping[str, Any]] = msgspec.field(default_factory=dict)
    tables: Mapping[str, Any] = msgspec.field(default_factory=dict)
    changed: Mapping[str, Recipe] = msgspec.field(default_factory=dict)
    origin: Mapping[str, Path] = msgspec.field(default_factory=dict)
    withheld: Mapping[str, str] = msgspec.field(default_factory=dict)
    beside: frozenset[str] = frozenset()
    automatic: bool = False

    def lacking(self, table: str, message: str) -> UsageError:
        """The error of a command that needs a table which is missing."""
        if table in self.withheld:
            return Untrusted(f"{message}: {self.withheld[table]}")
        return UsageError(f"{message}: see [{table}] in {FILE}")

    def folder_of(self, table: str, root: Path) -> Path:
        """The folder that paths in a table are seen from; `root` unless another file has the table."""
        return self.origin[table].parent if table in self.origin else root

    def recipe_named(self, name: str) -> Recipe:
        """A recipe with the changes of this configuration. Raises UsageError for an unknown name."""
        return self.changed.get(name) or recipes.named(name)


_TABLES: Mapping[str, Table | str] = {
    "index": INDEX, "fields": FIELDS, "dates": DATES, "search": SEARCH,
    "encoder": plugins.MODELS, "rerank": plugins.MODELS,
    "model": plugins.MODELS, "ask": ASK, "authority": AUTHORITY,
    **dict.fromkeys(plugins.BUILT_IN[plugins.TABLES], plugins.TABLES),
}  # fmt: skip
"""The tables, or the group of plugins that offers them: those are loaded when they are used."""

TABLES = (*_TABLES, "recipes")

EXTERNAL = frozenset({"encoder", "rerank", "model"})
"""Tables that name resources outside of a folder; those of schemes do, too."""


def table(name: str) -> Table | None:
    """The table of a name; None for [recipes], and for the scheme of a package: no configuration loads its
    code."""
    if name in _TABLES:
        found = _TABLES[name]
        if isinstance(found, Table):
            return found
        offered: Any = plugins.load(found, name)
        return offered.table if found == plugins.MODELS else offered  # type: ignore[no-any-return]
    scheme = scheme_named(name) if name in plugins.BUILT_IN[plugins.SOURCES] else None
    return None if scheme is None else scheme.table


def schemes(tables: Iterable[str]) -> set[str]:
    """The names of tables of schemes."""
    return set(tables) - set(TABLES)


def content(path: Path) -> bytes | None:
    """The bytes of a configuration; None where there is no such file. Raises BadConfig."""
    try:
        with os.fdopen(open_file(path, path), "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except NotAFile as error:
        raise BadConfig(f"{path} is no file") from error
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
    for name in outside & tables.keys():
        if (known := table(name)) is not None:
            with _located(where, name):
                known.taken(tables[name])
    if tables.get("encoder"):
        _one_encoder(tables.get("index", {}), where)
    read({name: each for name, each in tables.items() if name not in outside}, where)
    return tables


def read(values: Mapping[str, Any], where: str = FILE) -> Config:
    """The configuration of parsed TOML. Raises BadConfig."""
    tables = _tables(values, where)
    found: dict[str, Any] = {}
    for name, each in tables.items():
        known = table(name)
        if known is not None and each:
            with _located(where, name):
                found[name] = known.value(each)
    if "encoder" in found:
        _one_encoder(tables.get("index", {}), where)
    named = found.pop("fields", {})
    searched = {key: named.pop(key) for key in ("search",) if key in named}
    defaults: SearchDefaults = found.pop("search", SearchDefaults())
    return Config(
        CorpusSettings(**found.pop("index", {}), **searched), Fields(**named, **found.pop("dates", {})),
        defaults.k, defaults.unit, defaults.recipe, defaults.rerank,
        found.pop("encoder", None), found.pop("rerank", None), found.pop("model", None),
        found.pop("ask", AskSettings()), found.pop("authority", {}).get("official", ()),
        {name: tables[name] for name in schemes(tables) if tables[name]},
        {name: each for name, each in found.items() if name in plugins.BUILT_IN[plugins.TABLES]},
        _changed(tables.get("recipes", {}), where),
    )  # fmt: skip


def _one_encoder(index: Mapping[str, Any], where: str) -> None:
    if index.get("encoder", "none") not in ("", "none"):
        raise BadConfig(f"{where}: index.encoder and [encoder] both name an encoder: leave one out")


@contextmanager
def _located(where: str, table: str) -> Iterator[None]:
    """Errors of a table become BadConfig with the place of the table."""
    try:
        yield
    except UsageError as error:
        raise BadConfig(f"{where}: [{table}] {error}") from error


def _changed(tables: Mapping[str, Any], where: str) -> dict[str, Recipe]:
    """Recipes with other values of their fields."""
    changed: dict[str, Recipe] = {}
    _check_tables(tables, where, "recipes.")
    try:
        for name, fields in tables.items():
            recipe = recipes.named(name)
            if fields:
                changed[name] = recipe.replaced(_flat(fields, recipe))
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
    _check_tables(values, where, "")
    return dict(values)


def _check_tables(values: Mapping[str, Any], where: str, prefix: str) -> None:
    """Raises BadConfig for a value that is no table."""
    for name, value in values.items():
        if not isinstance(value, dict):
            raise BadConfig(f"{where}: {prefix}{name[:MAX_SHOWN]} = {value_text(value)}: a table is expected")
