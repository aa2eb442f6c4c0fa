"""Everything that depends on the machine and the user: clock, folders, effective configuration, trust.

No other module reads the wall clock. Elsewhere `asof.cli` reads variables of the terminal, `asof.sources.git`
passes some on to subprocesses, and paths with `~` look for the home folder.

A folder may come from anybody. Its `asof.toml` chooses behaviour; where texts and keys are sent, and which
files are loaded as a model, counts only if the user trusts the folder.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from asof import config
from asof.config import EXTERNAL, FILE, Config
from asof.errors import BadConfig, UsageError
from asof.files import FOLDER, PrivateFile
from asof.schema import MAX_SHOWN, value_text
from asof.time.span import iso
from asof.trusted import Trusted, digest_of, owners
from asof.wire import replace


def variables() -> Mapping[str, str]:
    """The environment variables of this process."""
    return os.environ


def now() -> int:
    """The wall clock, in microseconds since 1970."""
    return time.time_ns() // 1_000


# -- folders -------------------------------------------------------------------------------------------


def cache_folder() -> Path:
    """The folder of caches that survive a run: `asof` in $XDG_CACHE_HOME, or in ~/.cache."""
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (chosen if chosen.is_absolute() else Path.home() / ".cache") / "asof"


def holds_corpus(folder: Path) -> bool:
    """True if a folder contains a corpus."""
    try:
        return (folder / FOLDER / "corpus.db").is_file()
    except PermissionError:  # opening it reports the missing right
        return True


def find_folder(start: Path, on_note: Callable[[str], None] | None = None) -> Path | None:
    """`.asof` of `start` or of its nearest parent that has one.

    One of another user whose folder is not trusted ends the search, and `on_note` gets a line: who can make a
    folder above this one would choose what is searched.
    """
    for folder in (start, *start.parents):
        if holds_corpus(folder):
            if _is_own_corpus(folder):
                return folder / FOLDER
            if on_note is not None:
                on_note(
                    f"{folder / FOLDER} is of another user and is not used; --index "
                    f"{shlex.quote(str(folder))} uses it, `{command(folder)}` does so for good"
                )
            return None
    return None


def _is_own_corpus(folder: Path) -> bool:
    """True if a corpus belongs to the user, or its folder is trusted. As in git, root also owns what belongs
    to the user who called sudo."""
    mine = owners(os.environ)
    try:
        if all(each.stat().st_uid in mine for each in (folder, folder / FOLDER)):
            return True
        return trusted().record(folder) is not None
    except (UsageError, PermissionError):
        return False


def key_file() -> tuple[Path, frozenset[int]]:
    """The path of the keys of servers, and the users who may have written it. Raises UsageError where there
    is no home folder."""
    return trusted().path.with_name("keys.json"), trusted().owners


def _home(variable: str, default: str) -> Path | None:
    chosen = Path(os.environ.get(variable, ""))
    if chosen.is_absolute():
        return chosen / "asof"
    try:
        return Path.home() / default / "asof"
    except RuntimeError:  # neither HOME nor an entry for this user
        return None


# -- trusted folders -----------------------------------------------------------------------------------


def trusted() -> Trusted:
    """The list of the folders that the user trusts."""
    return Trusted(_home("XDG_STATE_HOME", ".local/state"), owners(os.environ))


def trust(folder: Path) -> dict[str, str]:
    """Trust asof.toml of a folder until it changes; returns what it names outside, in words by table. Raises
    UsageError, also where there is nothing to trust, and BadConfig."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; accepted: one with asof.toml in it")
    if not (folder / FILE).exists() and (not holds_corpus(folder) or _is_own_corpus(folder)):
        raise UsageError(f"nothing to trust: {folder} has no {FILE}")
    beside = Layer.read(folder / FILE)
    trusted().add(folder, digest_of(beside.content), iso(now()))
    return {name: shown(keys) for name, keys in external_keys(beside.tables).items()}


def distrust(folder: Path) -> bool:
    """Trust a folder no more; returns True if it was trusted. Raises UsageError."""
    return trusted().remove(folder)


def trusted_folders() -> dict[str, bool]:
    """The trusted folders, and whether asof.toml is unchanged since. Raises UsageError."""
    return {folder: _digest(Path(folder)) == record.digest for folder, record in trusted().records().items()}


def _digest(folder: Path) -> str | None:
    """The digest of `asof.toml` of a folder; None where it cannot be read."""
    try:
        return digest_of(config.content(folder / FILE))
    except BadConfig:
        return None


# -- what is remembered for the user, beside the list of trusted folders: texts by name -----------------

ENCODERS, LOOKS = "encoders.json", "looks.json"
"""The files of which model each encoder is that the user named to `asof embed` (a corpus holds a digest, and
a folder from somebody else could name any file), and of when changes were last looked at, by folder."""

LARGEST_REMEMBERED = 4_000_000
"""The most bytes of such a file."""


def remember(file: str, name: str, text: str) -> None:
    """Keep a text under a name. Raises AsofError, also where there is no home."""
    kept = _kept(file)
    with kept.locked():
        kept.write(json.dumps({**_texts(kept), name: text}, indent=2) + "\n")


def remembered(file: str, name: str) -> str | None:
    """The text that is kept under a name, if any. Raises UsageError."""
    return None if trusted().state is None else _texts(_kept(file)).get(name)


def _kept(file: str) -> PrivateFile:
    return PrivateFile(trusted().path.with_name(file), trusted().owners, LARGEST_REMEMBERED)


def _texts(file: PrivateFile) -> dict[str, str]:
    try:  # not msgspec.json: paths that are no UTF-8 are halves of surrogate pairs
        return msgspec.convert(json.loads(file.read() or b"{}"), dict[str, str])
    except (msgspec.ValidationError, ValueError, RecursionError, OSError) as error:
        raise UsageError(f"{file.path} cannot be used ({error}): remove it") from error


# -- the effective configuration: the user's own, then what the folder's file may set ------------------

Tables = Mapping[str, Mapping[str, Any]]

USER_FILE = "config.toml"
"""The user's own configuration, in the folder `asof` of $XDG_CONFIG_HOME."""

VARIABLE = "ASOF_CONFIG"
"""The environment variable with another path of it."""

MAX_MESSAGE = 1_000
"""The most characters of a message about a file."""


class Layer(Struct, frozen=True):
    """One file: its path, its bytes (None: it does not exist), its tables."""

    path: Path | None
    content: bytes | None
    tables: Tables

    @classmethod
    def read(cls, path: Path | None) -> Layer:
        """Raises BadConfig."""
        content = config.content(path) if path is not None else None
        if path is None or content is None:
            return cls(path, None, {})
        try:
            return cls(path, content, config.checked(config.parsed(content, str(path)), str(path)))
        except BadConfig as error:
            raise BadConfig(_short(str(error))) from error


def configuration(
    folder: Path, on_note: Callable[[str], None] | None = None, *, trust: bool = False
) -> Config:
    """The effective configuration of a folder. `trust`: its file counts as if the user trusted it. `on_note`
    gets a line if the file names something that is ignored. Raises BadConfig."""
    own = Layer.read(user_configuration())
    beside = Layer.read(folder / FILE)
    if own.path is not None and beside.content is not None and _same(own.path, folder / FILE):
        beside = Layer(beside.path, None, {})
    external = external_keys(beside.tables)
    withheld: dict[str, str] = {}
    if external and not trust:
        note = on_note or (lambda _: None)
        before = _trusted_digest(folder, note)
        if before != digest_of(beside.content):
            how = _why_ignored(folder, own.path, changed=before is not None)
            note(
                f"{_keys_text(external)} of {folder / FILE}: {how}; {_replacement_text(external, own.tables)}"
            )
            withheld = {table: f"[{table}] of {folder / FILE}: {how}" for table in external}
            beside = Layer(beside.path, beside.content, _without(beside.tables, external))
    return _merged(own, beside, withheld)


def own_configuration() -> Config:
    """The user's own configuration, without any folder's. Raises BadConfig."""
    return _merged(Layer.read(user_configuration()), Layer(None, None, {}), {})


def user_configuration() -> Path | None:
    """The path of the user's own configuration, which need not exist; None where there is no home. Raises
    BadConfig where $ASOF_CONFIG names no file."""
    if named := os.environ.get(VARIABLE):
        if named == os.devnull:
            return None
        if not Path(named).is_file() or not Path(named).is_absolute():
            raise BadConfig(f"{VARIABLE} is {value_text(named)}: the absolute path of a file is expected")
        return Path(named)
    home = _home("XDG_CONFIG_HOME", ".config")
    return None if home is None else home / USER_FILE


def external_keys(tables: Tables) -> dict[str, dict[str, Any]]:
    """The keys of a folder's tables that only count if the user trusts it, by table."""
    models = [name for name in config.TABLES if name in EXTERNAL & tables.keys()]
    keys = {
        name: {key: value for key, value in tables[name].items() if key not in keys_safe_without_trust(name)}
        for name in (*models, *sorted(config.schemes(tables)))
    }
    return {name: each for name, each in keys.items() if each}


def keys_safe_without_trust(table: str) -> frozenset[str]:
    """The keys that any folder may set in a table that names external resources. All others decide where
    texts go, with which key, what is loaded or what it costs."""
    known = config.table(table)
    if known is None:
        return frozenset()
    return frozenset(key for key, setting in known.settings.items() if setting.safe)


def shown(keys: Mapping[str, Any]) -> str:
    """Keys of a table for display: addresses, paths and variables, without secrets."""
    return ", ".join(f"{key} {_key_value(key, value)}" for key, value in keys.items())


def _key_value(key: str, value: Any) -> str:
    if not isinstance(value, str):
        return value_text(value)
    if key.endswith("url"):
        value = re.sub(r"^(\w+://)?[^/]*@", r"\1", re.split(r"[?#]", value)[0])
    text = value if value.isprintable() else repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def _trusted_digest(folder: Path, on_note: Callable[[str], None]) -> str | None:
    """The digest of the trusted file of a folder, or None."""
    try:
        record = trusted().record(folder)
    except UsageError as error:
        on_note(str(error))
        return None
    return None if record is None else record.digest


def _keys_text(external: Mapping[str, Mapping[str, Any]]) -> str:
    return "; ".join(f"[{name}] {shown(keys)}" for name, keys in external.items())


def _why_ignored(folder: Path, own: Path | None, *, changed: bool) -> str:
    why = "the file has changed since it was trusted" if changed else "this folder is not trusted"
    users = f", or write it into {own}" if own is not None else ""
    return f"{why}, so it does not count; `{command(folder)}` allows it{users}"


def command(folder: Path) -> str:
    """The shell command that trusts a folder, quoted as necessary."""
    return f"asof trust {shlex.quote(str(folder))}"


def _replacement_text(external: Mapping[str, Any], own: Tables) -> str:
    """A text that names what is used instead."""
    without = {
        "encoder": "no encoder but what [index] says", "rerank": "no reranker", "model": "no language model",
    }  # fmt: skip
    used = [f"your own [{name}]" if external_keys({name: own.get(name, {})}) else
            without.get(name, f"the defaults of {name}:") for name in external]  # fmt: skip
    return f"used instead: {', '.join(used)}"


def _without(tables: Tables, names: Mapping[str, Any]) -> Tables:
    """The tables of a folder that is not trusted, without those that name ignored resources."""
    return {name: table for name, table in tables.items() if name not in names}


def _merged(own: Layer, beside: Layer, withheld: Mapping[str, str]) -> Config:
    """Both files together, by table and key. Raises BadConfig."""
    tables: dict[str, Any] = {}
    for name in own.tables.keys() | beside.tables.keys():
        low, high = own.tables.get(name, {}), beside.tables.get(name, {})
        tables[name] = high if _defining(name) & high.keys() else _added(low, high)
    if "budget" in own.tables.get("ask", {}) and not _names(beside, "model"):
        tables["ask"]["budget"] = min(own.tables["ask"]["budget"], tables["ask"]["budget"])
    if "encoder" in beside.tables.get("index", {}):
        tables.pop("encoder", None)
    elif _names(beside, "encoder"):
        tables.get("index", {}).pop("encoder", None)
    for name in EXTERNAL & tables.keys():
        if not tables[name].keys() - keys_safe_without_trust(name):  # how to ask a model that nothing names
            del tables[name]
    if "rerank" in withheld and "rerank" not in tables:
        tables["search"] = {**tables.get("search", {}), "rerank": False}
    where = " with ".join(str(each.path) for each in (own, beside) if each.content is not None)
    try:
        merged = config.read(tables, where or FILE)
    except BadConfig as error:
        raise BadConfig(_short(str(error))) from error
    origin: dict[str, Path] = {
        name: each.path for name in ("encoder", "rerank", "model") for each in (own, beside)
        if each.path is not None and name in tables and _defining(name) & each.tables.get(name, {}).keys()
    }  # fmt: skip
    return replace(
        merged, origin=origin, withheld=withheld, beside=frozenset(beside.tables.get("index", {})),
        automatic="encoder" not in {**tables, **tables.get("index", {}), **withheld},
    )  # fmt: skip


def _defining(name: str) -> frozenset[str]:
    """The keys of a table without which its others mean nothing. So no key of the user's goes to an address
    beside which the user did not write it."""
    known = config.table(name)
    return frozenset() if known is None else known.defining


def _names(layer: Layer, table: str) -> bool:
    """True if a file names a model or an address in a table."""
    return table in external_keys(layer.tables)


def _added(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of both, those of the second first; tables in tables likewise."""
    both = {**low, **high}
    for key in low.keys() & high.keys():
        if isinstance(low[key], dict) and isinstance(high[key], dict):
            both[key] = _added(low[key], high[key])
    return both


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _short(message: str) -> str:
    return message if len(message) <= MAX_MESSAGE else f"{message[:MAX_MESSAGE]}…"
