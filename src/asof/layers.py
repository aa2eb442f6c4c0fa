"""The effective configuration of a folder: the user's own, then what the folder's `asof.toml` may set.

A folder may come from anybody. Its file chooses behaviour; where texts and keys are sent, and which files are
loaded as a model, counts only if the user trusts the folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from asof import config
from asof.config import EXTERNAL, FILE, Config
from asof.errors import BadConfig, UsageError
from asof.files import PrivateFile, WritableByOthers
from asof.schema import MAX_SHOWN, value_text
from asof.wire import field_values, replace

# -- trusted folders: a list outside of all folders, with a digest of each trusted `asof.toml` ---------

TRUSTED_FILE = "trusted.json"
FORMAT = 1
LARGEST = 4_000_000
"""The most bytes of the list."""

NO_FILE = "none"
"""In place of a digest, for a folder that was trusted without an asof.toml."""


class Record(Struct, frozen=True):
    """The digest of the file that was trusted, and when that was (ISO 8601)."""

    digest: str
    at: str


def digest_of(content: bytes | None) -> str:
    """The digest of the bytes of an asof.toml; None if there is none."""
    return NO_FILE if content is None else hashlib.sha256(content).hexdigest()


def owners(environment: Mapping[str, str]) -> frozenset[int]:
    """The users whose folders are one's own, as git has it: oneself, and for root who called sudo."""
    me = os.geteuid()
    caller = environment.get("SUDO_UID", "") if me == 0 else ""
    return frozenset({me, int(caller)} if re.fullmatch(r"[0-9]{1,10}", caller) else {me})


class Trusted(Struct, frozen=True):
    """The list in the folder `state`, which may be missing; None where no folder for it is known. `owners`:
    the users who may have written it.

    Every method raises UsageError where the list is damaged or others may write to it: nothing is trusted
    by such a list, and none is begun anew unasked.
    """

    state: Path | None
    owners: frozenset[int]

    @property
    def path(self) -> Path:
        """Raises UsageError if there is no path for the list."""
        if self.state is None:
            raise UsageError("there is no home folder to keep the list of trusted folders in: set HOME")
        return self.state / TRUSTED_FILE

    def records(self) -> dict[str, Record]:
        """The records by resolved path of the folder."""
        if self.state is None:
            return {}
        try:
            content = self._file.read()
        except WritableByOthers as error:
            raise UsageError(f"{error}: no folder is trusted; remove it") from error
        except (ValueError, OSError) as error:
            raise self._damaged(error) from error
        try:
            return {} if content is None else _read(content)
        except (ValueError, RecursionError) as error:
            raise self._damaged(error) from error

    @property
    def _file(self) -> PrivateFile:
        return PrivateFile(self.path, self.owners, LARGEST)

    def _damaged(self, error: Exception) -> UsageError:
        return UsageError(
            f"{self.path} is damaged: no folder is trusted; remove it and trust again ({error})"
        )

    def record(self, folder: Path) -> Record | None:
        """The record of a folder; None if it was never trusted."""
        return self.records().get(str(folder.resolve()))

    def add(self, folder: Path, digest: str, at: str) -> None:
        """Trust the file with this digest in a folder. Raises AsofError where the list cannot be written."""
        with self._changing() as records:
            records[str(folder.resolve())] = Record(digest, at)

    def remove(self, folder: Path) -> bool:
        """Trust a folder no more; returns True if it was trusted. Raises AsofError, as `add` does."""
        with self._changing() as records:
            return records.pop(str(folder.resolve()), None) is not None

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Record]]:
        """The records, written when done; one process at a time."""
        with self._file.locked():
            records = self.records()
            yield records
            folders = {name: field_values(records[name]) for name in sorted(records)}
            # ensure_ascii: also names that are no UTF-8
            self._file.write(json.dumps({"format": FORMAT, "folders": folders}, indent=2) + "\n")


def _read(content: bytes) -> dict[str, Record]:
    """Raises ValueError for content that asof did not write."""
    value = json.loads(content)
    folders = value.get("folders") if isinstance(value, dict) else None
    if not isinstance(folders, dict) or value.get("format") != FORMAT:
        raise ValueError("it is no list of this version of asof")
    return {path: _record(each) for path, each in folders.items()}


def _record(value: object) -> Record:
    keys = {"digest", "at"}
    if not isinstance(value, dict) or set(value) != keys or not all(map(_text, value.values())):
        raise ValueError("an entry is not of this version of asof")
    return Record(**value)


def _text(value: object) -> bool:
    return isinstance(value, str)


# -- layers --------------------------------------------------------------------------------------------

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


def configured(
    folder: Path, environment: Mapping[str, str], on_note: Callable[[str], None], *, trust: bool = False
) -> Config:
    """The effective configuration of a folder. `trust`: its file counts as if the user trusted it. `on_note`
    gets a line if the file names something that is ignored. Raises BadConfig."""
    own = Layer.read(user_file(environment))
    beside = Layer.read(folder / FILE)
    if own.path is not None and beside.content is not None and _same(own.path, folder / FILE):
        beside = Layer(beside.path, None, {})
    external = external_keys(beside.tables)
    withheld: dict[str, str] = {}
    if external and not trust:
        before = _trusted(folder, environment, on_note)
        if before != digest_of(beside.content):
            how = _why_ignored(folder, own.path, changed=before is not None)
            on_note(
                f"{_keys_text(external)} of {folder / FILE}: {how}; {_replacement_text(external, own.tables)}"
            )
            withheld = {table: f"[{table}] of {folder / FILE}: {how}" for table in external}
            beside = Layer(beside.path, beside.content, _without(beside.tables, external))
    return _merged(own, beside, withheld)


def own_configured(environment: Mapping[str, str]) -> Config:
    """The user's own configuration. Raises BadConfig."""
    return _merged(Layer.read(user_file(environment)), Layer(None, None, {}), {})


def user_file(environment: Mapping[str, str]) -> Path | None:
    """The user's own configuration, which may be missing; None where there is no home. Raises BadConfig
    where $ASOF_CONFIG names none."""
    if named := environment.get(VARIABLE):
        if named == os.devnull:
            return None
        if not Path(named).is_file() or not Path(named).is_absolute():
            raise BadConfig(f"{VARIABLE} is {value_text(named)}: the absolute path of a file is expected")
        return Path(named)
    home = _home(environment, "XDG_CONFIG_HOME", ".config")
    return None if home is None else home / USER_FILE


def trusted(environment: Mapping[str, str]) -> Trusted:
    """The list of the folders that the user trusts."""
    return Trusted(_home(environment, "XDG_STATE_HOME", ".local/state"), owners(environment))


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


def allow(folder: Path, environment: Mapping[str, str], at: str) -> dict[str, str]:
    """Trust what `asof.toml` of a folder names from now (`at`) on, until the file changes. Returns what that
    is, in words by table. Raises UsageError, BadConfig."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; accepted: one with asof.toml in it")
    beside = Layer.read(folder / FILE)
    trusted(environment).add(folder, digest_of(beside.content), at)
    return {name: shown(keys) for name, keys in external_keys(beside.tables).items()}


def unchanged(folder: Path, record: Record) -> bool:
    """True if `asof.toml` of a folder is the same as when the folder was trusted."""
    try:
        return record.digest == digest_of(config.content(folder / FILE))
    except BadConfig:
        return False


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


def _home(environment: Mapping[str, str], variable: str, default: str) -> Path | None:
    chosen = Path(environment.get(variable, ""))
    if chosen.is_absolute():
        return chosen / "asof"
    try:
        return Path.home() / default / "asof"
    except RuntimeError:  # neither HOME nor an entry for this user
        return None


def _trusted(folder: Path, environment: Mapping[str, str], on_note: Callable[[str], None]) -> str | None:
    """The digest of the trusted file of a folder, or None."""
    try:
        record = trusted(environment).record(folder)
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
    return replace(merged, origin=origin, withheld=withheld, beside=frozenset(beside.tables.get("index", {})))


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
