"""Edits of `asof.toml` by tuning: the numbers of a recipe, and a journal beside the file for undoing them.

Only the keys that change are touched; comments and order stay. The journal, `asof.tuning.json`, holds the
earlier values and text, so that undoing restores the file exactly.
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
    """An edit: the file, its text before (None: no file) and after, and the journal entry."""

    path: Path
    before: str | None
    after: str
    entry: Mapping[str, Any]

    @property
    def leaves(self) -> str | None:
        """The text of the file afterwards; None where tuning created it and nothing else is in it."""
        return self.after if self.after.strip() or self.entry["file_was_there"] else None

    @property
    def diff(self) -> str:
        """The lines that change, in the format of `diff -u`."""
        name = self.path.name
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True), self.after.splitlines(keepends=True), name, name
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def proposed(
    folder: Path, recipe: Recipe, values: Mapping[str, float], report: Mapping[str, Any], at: str
) -> ConfigEdit:
    """The edit that gives a recipe these values in `folder`/asof.toml. Nothing is written yet.

    `recipe` is the recipe as asof.toml has it; `report`: further keys of the journal entry (the dataset, the
    gain); `at`: when. Raises UsageError where the file cannot be edited so that it has these values.
    """
    return proposed_recipe(folder, recipe, with_values(recipe, values), report, at)


def proposed_recipe(
    folder: Path, recipe: Recipe, tuned: Recipe, report: Mapping[str, Any], at: str
) -> ConfigEdit:
    """The edit that makes a recipe, as `folder`/asof.toml has it, the tuned one; see `proposed`."""
    path = folder / config.FILE
    before = _read(path)
    document = _parsed(before or "", path)
    changed = _settings(recipe, tuned)
    old = {key: value_at(document, _place(recipe.name, key)) for key in changed}
    for key, value in changed.items():
        set_at(document, _place(recipe.name, key), value)
    after = document.as_string()
    _check(after, path, tuned, changed)
    entry = {
        "at": at, "recipe": recipe.name, "file_was_there": before is not None, **report,
        "before": old, "after": {key: value_at(document, _place(recipe.name, key)) for key in changed},
        "text_before": before, "text_after": after,
    }  # fmt: skip
    return ConfigEdit(path, before, after, entry)


def write(change: ConfigEdit, *, follow: bool = False) -> None:
    """Write the file and the journal, each atomically. `follow`: also where the file is a link to another
    folder. Raises UsageError when the file changed meanwhile, or cannot be written."""
    _check_links(change.path, follow=follow)
    if _read(change.path) != change.before:
        raise UsageError(f"{change.path} was changed meanwhile; nothing was written: tune again")
    journal = change.path.with_name(JOURNAL)
    entries = [*_entries(journal), dict(change.entry)]
    # the journal first: undoing an entry whose values are not in the file is refused
    _replace(journal, json.dumps({"format": FORMAT, "entries": entries}, ensure_ascii=False, indent=2) + "\n")
    _replace(change.path, change.after)


def undone(folder: Path) -> ConfigEdit:
    """The edit that reverts the last one. Nothing is written yet.

    Raises UsageError when no edit is left to undo, or values were changed by hand since.
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
                f"{path}: {entry['recipe']}: {key} is {_json(now)}, not {_json(value)} as tuning wrote it on "
                f"{entry['at']}: it was changed since; set it by hand (before: {_json(entry['before'][key])})"
            )
    for key, value in entry["before"].items():
        set_at(document, _place(entry["recipe"], key), value)
    return ConfigEdit(path, text, document.as_string(), entry)


def undo(change: ConfigEdit, *, follow: bool = False) -> None:
    """Write the edit of `undone`, and remove its entry from the journal. A file that tuning created and that
    has no other content now is removed, as is a journal without entries. `follow`: see `write`."""
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
    """Raises UsageError where writing would change a file elsewhere: the folder may be untrusted."""
    journal = path.with_name(JOURNAL)
    if journal.is_symlink():
        raise UsageError(f"{journal} is a link: remove it")
    target = path.resolve()
    if not follow and path.is_symlink() and target.parent != path.parent.resolve():
        raise UsageError(
            f"{path} is a link to {target}: `{command(path.parent)}` first, or write the values by hand"
        )


def _settings(before: Recipe, after: Recipe) -> dict[str, Any]:
    """The fields that differ, as they are written in asof.toml."""
    old = dict(before.fields())
    return {key: plain(value) for key, value in after.fields() if value != old[key]}


def _place(recipe: str, key: str) -> tuple[str, ...]:
    return ("recipes", recipe, *key.split(".", 1))


# -- files --------------------------------------------------------------------------------------------


def _check(text: str, path: Path, tuned: Recipe, changed: Mapping[str, Any]) -> None:
    """Raises UsageError unless the text gives the recipe its tuned values."""
    lines = "; ".join(f"{key} = {plain(value)}" for key, value in tuned.fields() if key in changed)
    advice = f"{path} cannot be changed automatically; write under [recipes.{tuned.name}] by hand: {lines}"
    try:
        tables = config.checked(config.parsed(text.encode(), str(path)), str(path))
        beside = {name: table for name, table in tables.items() if name not in config.EXTERNAL}
        written = dict(config.read(beside, str(path)).recipe_named(tuned.name).fields())
    except BadConfig as error:
        raise UsageError(f"{advice} ({error})") from error
    if any(written[key] != value for key, value in tuned.fields() if key in changed):
        raise UsageError(advice)


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
    """Whether an entry has all that undoing it reads."""
    if not entry.keys() >= _ENTRY:
        return False
    words = all(isinstance(entry[key], str) for key in ("at", "recipe", "text_after"))
    keys = all(isinstance(entry[key], Mapping) for key in ("before", "after"))
    before = entry["text_before"] is None or isinstance(entry["text_before"], str)
    return words and keys and before and entry["before"].keys() == entry["after"].keys()


_ENTRY = {"at", "recipe", "file_was_there", "before", "after", "text_before", "text_after"}


def _replace(path: Path, text: str) -> None:
    """Write a file atomically, with its permissions; where it is a link, the file that it leads to."""
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


def _json(value: Any) -> str:
    return "not set" if value is None else json.dumps(value)
