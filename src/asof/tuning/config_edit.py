"""What tuning writes: numbers of a recipe in `asof.toml`, and a journal beside it that can take them back.

Only the keys that change are touched; comments and order stay. The journal, `asof.tuning.json`, holds what
each key was before, so that undoing restores the file's own words.
"""

from __future__ import annotations

import difflib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof import config
from asof.errors import AsofError, BadConfig, UsageError
from asof.layers import command
from asof.rank.recipe import Recipe, with_values
from asof.schema import plain
from asof.tuning.toml_keys import set_at, value_at

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

JOURNAL = "asof.tuning.json"
FORMAT = 1
LARGEST = 16_000_000
"""Bytes of a journal or a configuration that are read."""


@dataclass(frozen=True, slots=True)
class ConfigEdit:
    """What is to be written: the file, its text before (None: there is none) and after, and the entry of the
    journal."""

    path: Path
    before: str | None
    after: str
    entry: Mapping[str, Any]

    @property
    def leaves(self) -> str | None:
        """The text of the file afterwards; None where tuning made it and nothing else is in it."""
        return self.after if self.after.strip() or self.entry["file_was_there"] else None

    @property
    def diff(self) -> str:
        """The lines that change, as `diff -u` has them."""
        name = self.path.name
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True), self.after.splitlines(keepends=True), name, name
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def proposed(
    folder: Path, recipe: Recipe, values: Mapping[str, float], told: Mapping[str, Any], at: str
) -> ConfigEdit:
    """The change that gives a recipe these values in `folder`/asof.toml. Nothing is written yet.

    `recipe` is the recipe as asof.toml has it; `told`: on what it was tuned, and the gain; `at`: when. Raises
    UsageError where the file cannot be changed so that it reads as meant.
    """
    path = folder / config.FILE
    before = _read(path)
    document = _parsed(before or "", path)
    wanted = with_values(recipe, values)
    changed = _settings(recipe, wanted)
    old = {key: value_at(document, _place(recipe.name, key)) for key in changed}
    for key, value in changed.items():
        set_at(document, _place(recipe.name, key), value)
    after = document.as_string()
    _check(after, path, wanted, changed)
    entry = {
        "at": at, "recipe": recipe.name, "file_was_there": before is not None, **told,
        "before": old, "after": {key: value_at(document, _place(recipe.name, key)) for key in changed},
        "text_before": before, "text_after": after,
    }  # fmt: skip
    return ConfigEdit(path, before, after, entry)


def write(change: ConfigEdit, *, follow: bool = False) -> None:
    """Write the file and the journal; each whole or not at all. `follow`: also where the file is a link to
    another folder. Raises UsageError when the file is another one by now, or cannot be written."""
    _check_links(change.path, follow=follow)
    if _read(change.path) != change.before:
        raise UsageError(f"{change.path} was changed meanwhile; nothing was written: tune again")
    journal = change.path.with_name(JOURNAL)
    entries = [*_entries(journal), dict(change.entry)]
    # the journal first: an entry whose values are not in the file is refused when it is undone
    _replace(journal, json.dumps({"format": FORMAT, "entries": entries}, ensure_ascii=False, indent=2) + "\n")
    _replace(change.path, change.after)


def undone(folder: Path) -> ConfigEdit:
    """The change that takes back what was written last. Nothing is written yet.

    Raises UsageError when nothing is left to undo, or values were changed by hand since.
    """
    path, journal = folder / config.FILE, folder / JOURNAL
    entries = _entries(journal)
    if not entries:
        raise UsageError(f"{journal}: nothing was written by `asof tune --write`, so nothing can be undone")
    entry, text = entries[-1], _read(path)
    if text is None:
        raise UsageError(
            f"{path} does not exist: the values that `asof tune --write` wrote on {entry['at']} are gone"
        )
    if text == entry["text_after"]:
        return ConfigEdit(path, text, entry["text_before"] or "", entry)
    document = _parsed(text, path)
    for key, value in entry["after"].items():
        now = value_at(document, _place(entry["recipe"], key))
        if now != value:
            raise UsageError(
                f"{path}: {entry['recipe']}: {key} is {_said(now)}, not {_said(value)} as tuning wrote it on "
                f"{entry['at']}: it was changed since; set it by hand (before: {_said(entry['before'][key])})"
            )
    for key, value in entry["before"].items():
        set_at(document, _place(entry["recipe"], key), value)
    return ConfigEdit(path, text, document.as_string(), entry)


def undo(change: ConfigEdit, *, follow: bool = False) -> None:
    """Write what `undone` proposed, and take its entry out of the journal. A file that tuning made, and that
    holds nothing else now, is removed, as is a journal without entries. `follow`: as `write` has it."""
    _check_links(change.path, follow=follow)
    if _read(change.path) != change.before:
        raise UsageError(f"{change.path} was changed meanwhile; nothing was undone")
    journal = change.path.with_name(JOURNAL)
    entries = _entries(journal)[:-1]
    if change.leaves is None:
        change.path.unlink()
    else:
        _replace(change.path, change.leaves)
    if entries:
        _replace(
            journal, json.dumps({"format": FORMAT, "entries": entries}, ensure_ascii=False, indent=2) + "\n"
        )
    else:
        journal.unlink()


def _check_links(path: Path, *, follow: bool) -> None:
    """Raises UsageError where writing would change a file elsewhere: a folder may come from anybody."""
    journal = path.with_name(JOURNAL)
    if journal.is_symlink():
        raise UsageError(f"{journal} is a link: remove it")
    target = path.resolve()
    if not follow and path.is_symlink() and target.parent != path.parent.resolve():
        raise UsageError(
            f"{path} is a link to {target}: `{command(path.parent)}` first, or write the values by hand"
        )


def _settings(before: Recipe, after: Recipe) -> dict[str, Any]:
    """The fields that differ, as asof.toml has them."""
    old = dict(before.fields())
    return {key: plain(value) for key, value in after.fields() if value != old[key]}


def _place(recipe: str, key: str) -> tuple[str, ...]:
    return ("recipes", recipe, *key.split(".", 1))


# -- files --------------------------------------------------------------------------------------------


def _check(text: str, path: Path, wanted: Recipe, changed: Mapping[str, Any]) -> None:
    """That the file reads as it is meant."""
    lines = "; ".join(f"{key} = {plain(value)}" for key, value in wanted.fields() if key in changed)
    told = f"{path} cannot be changed automatically; write under [recipes.{wanted.name}] by hand: {lines}"
    try:
        tables = config.checked(config.parsed(text.encode(), str(path)), str(path))
        beside = {name: table for name, table in tables.items() if name not in config.ABROAD}
        found = dict(config.read(beside, str(path)).recipe_named(wanted.name).fields())
    except BadConfig as error:
        raise UsageError(f"{told} ({error})") from error
    if any(found[key] != value for key, value in wanted.fields() if key in changed):
        raise UsageError(told)


def _parsed(text: str, path: Path) -> TOMLDocument:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise UsageError(f"{path}: not TOML: {error}") from error


def _read(path: Path) -> str | None:
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{path} has more than {LARGEST:,} bytes: it is not read")
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def _entries(journal: Path) -> list[dict[str, Any]]:
    text = _read(journal)
    if text is None:
        return []
    try:
        value = json.loads(text)
        entries: list[dict[str, Any]] = value["entries"]
        sound = value["format"] == FORMAT and all(map(_sound, entries))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"{journal} is no journal of tuning: {error}; move it away to begin a new one"
        ) from error
    if not sound:
        raise UsageError(
            f"{journal} is a journal of another version of asof; move it away to begin a new one"
        )
    return entries


def _sound(entry: Mapping[str, Any]) -> bool:
    """Whether an entry has what undoing it reads."""
    if not entry.keys() >= _ENTRY:
        return False
    words = all(isinstance(entry[key], str) for key in ("at", "recipe", "text_after"))
    keys = all(isinstance(entry[key], Mapping) for key in ("before", "after"))
    before = entry["text_before"] is None or isinstance(entry["text_before"], str)
    return words and keys and before and entry["before"].keys() == entry["after"].keys()


_ENTRY = {"at", "recipe", "file_was_there", "before", "after", "text_before", "text_after"}


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all, with the permissions that it has; where it is a link, what that
    leads to."""
    try:
        path = path.resolve()
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        part = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            part.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise AsofError(f"{path} cannot be written: {error.strerror}") from error


def _said(value: Any) -> str:
    return "not set" if value is None else json.dumps(value)
