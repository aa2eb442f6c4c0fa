"""Plugins by name: sources, recipes, readers, commands, configuration tables; built in or installed.

A package offers one by an entry point of a group below. asof's own are in `BUILT_IN`, and pyproject.toml
declares the same (a test compares the two). The table is looked up first: reading the metadata of all
packages takes longer than most commands, asof run from its source tree has no metadata, and no package can
replace one of asof's names.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.errors import UsageError, missing_extra

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

SOURCES = "asof.sources"
"""Schemes, as in `arxiv:cs.IR`: each names a `SourceScheme`, or only its function `open`."""

RECIPES = "asof.recipes"
"""Names of recipes: each names a `Recipe` of that name."""

READERS = "asof.readers"
"""Suffixes of files, such as ".md": each names a `sources.readers.Reader`."""

ANSWERING = "asof.answering"
"""Additions to answers: "facts" names an `answer.ask.Answering`."""

COMMANDS = "asof.commands"
"""Names of extensions: each names a table from names of commands to `cli.commands.CommandEntry`."""

TABLES = "asof.tables"
"""Tables of asof.toml: each names a `schema.Table`."""

MODELS = "asof.models"
"""Tables of asof.toml that name a model (encoder, rerank, model): each names a `models.ports.Provider`."""

STATUS = "asof.status"
"""Names of data derived beside the index: each names a function of the folder of derived files that gives
lines for `asof status`."""

SHAPES = "asof.shapes"
"""Names of extensions: each names a table of the JSON that its commands print: by the name of a schema, what
prints such a value, and the value's type, as "package.module:Type"."""

VERBS = "asof.verbs"
"""Names of extensions: each names a tuple of `verbs.Verb`."""

WATCHING = "asof.watching"
"""Names of extensions: each names a function that follows folders for `asof index --watch`. It gets a
function that opens the corpus, the folders (none: all that the corpus was made of), and `as_json`."""

SHARDING = "asof.sharding"
"""Names of extensions: each names a function that indexes sources into shards, for `asof index --shards`. It
gets the folder or the URL of the index, the sources with their options, and gives a report of each."""

REMOTES = "asof.remotes"
"""Schemes of URLs of corpora, such as s3: each names a function that brings the corpus at a URL to this
machine, and returns its folder; an open corpus of that folder, if given, then gets all newer states."""

SERVING = "asof.serving"
"""Options of `asof serve`: "ray" names a function that serves a corpus there, with its other options."""

OPENERS = "asof.openers"
"""Names of files by which a folder is known: each names a function that opens the corpus in it, with the
arguments of `asof.open`."""

_READERS = {
    "asof.sources.markdown:MARKDOWN": ".md .markdown",
    "asof.extensions.documents.chats:TEXT": ".txt",
    "asof.extensions.documents.plaintext:RST": ".rst",
    "asof.extensions.documents.html:HTML": ".html .htm",
    "asof.extensions.documents.pdf:read": ".pdf",
    "asof.extensions.documents.reading:DOCX": ".docx .docm",
    "asof.extensions.documents.reading:PPTX": ".pptx .pptm",
    "asof.extensions.documents.reading:ODT": ".odt",
    "asof.extensions.documents.reading:ODP": ".odp",
    "asof.extensions.documents.reading:EPUB": ".epub",
    "asof.extensions.documents.reading:RTF": ".rtf",
    "asof.extensions.documents.reading:XLSX": ".xlsx .xlsm",
    "asof.extensions.documents.reading:XLS": ".xls",
    "asof.extensions.documents.reading:ODS": ".ods",
    "asof.extensions.documents.reading:EML": ".eml",
    "asof.extensions.documents.reading:MBOX": ".mbox",
    "asof.extensions.documents.notebook:NOTEBOOK": ".ipynb",
    "asof.extensions.documents.org:ORG": ".org",
    "asof.extensions.documents.plaintext:ASCIIDOC": ".adoc .asciidoc",
    "asof.extensions.documents.datafiles:CSV": ".csv .tsv",
    "asof.extensions.documents.datafiles:CANVAS": ".canvas",
    "asof.extensions.documents.datafiles:JSON": ".json",
    "asof.extensions.documents.datafiles:YAML": ".yaml .yml",
    "asof.extensions.documents.datafiles:TOML": ".toml",
}
"""The suffixes of the files that each reader reads."""

BUILT_IN = {
    SHAPES: {
        "facts": "asof.extensions.facts.commands:SHAPES",
        "systems": "asof.extensions.systems.commands:SHAPES",
        "lab": "asof.extensions.lab.commands:SHAPES",
    },
    VERBS: {"facts": "asof.extensions.facts.verbs:VERBS"},
    WATCHING: {"server": "asof.extensions.server.cli:watch"},
    SHARDING: {"cluster": "asof.extensions.cluster.indexing:index_sources"},
    REMOTES: dict.fromkeys(("s3", "gs", "az", "file"), "asof.extensions.cluster.transfer:local_copy"),
    OPENERS: {"shards.json": "asof.extensions.cluster.shards:open_folder"},
    SERVING: {"ray": "asof.extensions.cluster.serving:serve_on_ray"},
    STATUS: {
        "evidence": "asof.extensions.systems.evidence:status",
        "latent": "asof.extensions.systems.latent:status",
    },
    COMMANDS: {
        "facts": "asof.extensions.facts.commands:COMMANDS",
        "systems": "asof.extensions.systems.commands:COMMANDS",
        "server": "asof.extensions.server.commands:COMMANDS",
        "cluster": "asof.extensions.cluster.commands:COMMANDS",
        "lab": "asof.extensions.lab.commands:COMMANDS",
    },
    SOURCES: {
        "arxiv": "asof.extensions.systems.arxiv_source:SCHEME",
        "feed": "asof.extensions.documents.feeds:FEED",
        "zotero": "asof.extensions.documents.zotero:SCHEME",
    },
    RECIPES: {
        "asof": "asof.recipes:ASOF",
        "twe": "asof.extensions.systems.recipes:TWE",
        "vault": "asof.extensions.systems.vault:VAULT",
        "tempralm": "asof.extensions.systems.recipes:TEMPRALM",
        "papers": "asof.extensions.systems.recipes:PAPERS",
        "tgrag": "asof.extensions.facts.local:TGRAG",
        "bm25": "asof.extensions.systems.recipes:BM25",
        "lsa": "asof.extensions.systems.recipes:LSA",
        "dense": "asof.extensions.systems.recipes:DENSE",
        "hybrid": "asof.extensions.systems.recipes:HYBRID",
        "hybrid-rrf": "asof.extensions.systems.recipes:HYBRID_RRF",
    },
    READERS: {suffix: reader for reader, suffixes in _READERS.items() for suffix in suffixes.split()},
    ANSWERING: {"facts": "asof.extensions.facts.overview:FACTS"},
    TABLES: {"facts": "asof.extensions.facts.model:TABLE"},
    MODELS: {
        "encoder": "asof.extensions.providers.encoders:PROVIDER",
        "rerank": "asof.extensions.providers.rerankers:PROVIDER",
        "model": "asof.extensions.providers.chat:PROVIDER",
    },
}


def names(group: str) -> tuple[str, ...]:
    """All names of a group: asof's own first, then those of installed packages, sorted."""
    return (*BUILT_IN[group], *sorted(installed(group).keys() - BUILT_IN[group].keys()))


def load(group: str, name: str) -> Any | None:
    """The object behind a name of a group; None if nothing offers it. Raises UsageError, which names the
    package, if it cannot be loaded or two packages offer it."""
    if (built_in := BUILT_IN[group].get(name)) is not None:
        return named(built_in)
    offers = installed(group).get(name, {})
    if len(offers) > 1:
        raise UsageError(f"{name!r} is offered by {' and '.join(offers)}: uninstall all but one of them")
    for package, entry in offers.items():
        try:
            return entry.load()
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise UsageError(
                f"the package {package} offers {name!r} ({entry.value}), which cannot be loaded: "
                f"{type(error).__name__}: {reason}; upgrade or uninstall it"
            ) from error
    return None


def named(path: str) -> Any:
    """The object that "package.module:name" names."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def load_all(group: str) -> dict[str, Any]:
    """All objects of a group, by name. Raises UsageError as `load` does."""
    return {name: load(group, name) for name in names(group)}


def folder_at(url: str, *opened: Any) -> Path:
    """The folder of this machine with the newest state of the corpus at a URL; `opened`, its corpus, gets all
    newer ones. Raises UsageError for a scheme that nothing offers, and what the function of one raises."""
    scheme = url.partition("://")[0]
    bring = load(REMOTES, scheme)
    if bring is None:
        raise UsageError(unknown(REMOTES, scheme, "scheme of URLs of corpora"))
    folder: Path = bring(url, *opened)
    return folder


def unknown(group: str, name: str, what: str) -> str:
    """The message about a name that nothing offers; `what`: such as "recipe"."""
    known = names(group)
    near = get_close_matches(name, known, 1, 0.5)
    hint = f"did you mean {near[0]}?" if near else f"accepted: {', '.join(known)}"
    return f"no {what} {name[:80]!r}; {hint}"


def installed(group: str) -> Mapping[str, Mapping[str, EntryPoint]]:
    """The entry points of a group by name, then by package; none of packages in the working directory,
    which may be anybody's folder of documents."""
    return _installed(group, Path.cwd(), tuple(sys.path))


@lru_cache(maxsize=16)
def _installed(group: str, here: Path, path: tuple[str, ...]) -> Mapping[str, Mapping[str, EntryPoint]]:
    entries: dict[str, dict[str, EntryPoint]] = {}
    for package, entry in _entries(tuple(each for each in path if each and Path(each).resolve() != here)):
        if entry.group == group:
            entries.setdefault(entry.name, {}).setdefault(package, entry)
    return entries


@cache
def _entries(path: tuple[str, ...]) -> tuple[tuple[str, EntryPoint], ...]:
    return tuple(_read(path))


def _read(path: tuple[str, ...]) -> Iterator[tuple[str, EntryPoint]]:
    """Only packages that name a group of asof are read as such: to read all takes longer than a search."""
    places = [
        folder for each in path for kind in ("dist", "egg") for folder in Path(each).glob(f"*.{kind}-info")
    ]
    offering = [each for each in places if each.name.partition("-")[0] != OWN and _names_a_group(each)]
    if not offering:
        return
    from importlib.metadata import Distribution  # 30 modules that most commands do without

    seen: set[str] = set()
    for folder in offering:
        package = Distribution.at(folder)
        name = package.metadata["Name"] or "a package without a name"
        if name not in seen:  # what comes first on the path counts
            seen.add(name)
            yield from ((name, entry) for entry in package.entry_points)


OWN = "asof_search"
"""asof's own entry points stand in BUILT_IN."""


def _names_a_group(package: Path) -> bool:
    try:
        return "[asof." in (package / "entry_points.txt").read_text("utf-8")
    except (OSError, ValueError):
        return False


def scipy(name: str = "") -> Any:
    """The module `scipy`, or `scipy.NAME`: 143 MB that the default recipe does without. Raises MissingExtra
    where it is not installed."""
    try:
        return import_module(f"scipy.{name}" if name else "scipy")
    except ModuleNotFoundError as missing:
        raise missing_extra(
            "a recipe of the published systems (lsa, twe, vault, papers)", "systems", "scipy"
        ) from missing
