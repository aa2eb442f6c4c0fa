"""Manifests that are kept under a name: a snapshot that a reader, a backup or a user holds.

A pin holds the whole manifest, so that nothing has to be kept in the order of the manifests for it. It counts
when the manifest was still there after the pin was: a vacuum that has removed the manifest by then reads the
pins later than that, and one that has not will see the pin.
"""

from __future__ import annotations

from collections.abc import Iterator

from asof.errors import UsageError
from asof.storage.history import History, no_corpus
from asof.storage.manifests import LARGEST_MANIFEST, CorpusManifest
from asof.storage.names import PIN, PINS, pin_path


def pin(history: History, name: str, number: int | None = None) -> CorpusManifest:
    """Keep a manifest (None: the latest) until `unpin`. Raises UsageError for a name that is no file's, or
    that another manifest has, NoCorpus, ManifestExpired."""
    path = pin_path(_checked(name))
    manifest = history.latest() if number is None else find(history, number)
    if manifest is None:
        raise no_corpus(history.objects.url)
    if not history.objects.create(path, manifest.dumps()):
        held = _read(history, path)
        if held is not None and held.commit == manifest.commit:
            return held
        raise UsageError(f"the pin {name} of {history.objects.url} is taken: give another name, or unpin it")
    if history.read(manifest.number) is None and _held(history, manifest.number, but=path) is None:
        history.objects.delete([path])
        raise history.expired(manifest.number)
    return manifest


def unpin(history: History, name: str) -> bool:
    """Let a manifest expire again; whether there was such a pin."""
    path = pin_path(_checked(name))
    there = history.objects.size(path) is not None
    history.objects.delete([path])
    return there


def pinned(history: History) -> Iterator[tuple[str, CorpusManifest]]:
    """The pins, by their names."""
    for each in history.objects.names(PINS):
        name = each.name.removeprefix(f"{PINS}/").removesuffix(".json")
        if each.name == pin_path(name) and PIN.fullmatch(name):
            manifest = _read(history, each.name)
            if manifest is not None:  # it may have been removed meanwhile
                yield name, manifest


def find(history: History, number: int) -> CorpusManifest:
    """A manifest that has not expired, or that a pin holds. Raises ManifestExpired."""
    manifest = history.read(number) or _held(history, number)
    if manifest is None:
        raise history.expired(number)
    return manifest


def _held(history: History, number: int, but: str = "") -> CorpusManifest | None:
    pins = (manifest for name, manifest in pinned(history) if pin_path(name) != but)
    return next((manifest for manifest in pins if manifest.number == number), None)


def _read(history: History, path: str) -> CorpusManifest | None:
    content = history.objects.get(path, LARGEST_MANIFEST)
    return None if content is None else history.parsed(content, path)


def _checked(name: str) -> str:
    if not PIN.fullmatch(name):
        raise UsageError(f"{name!r:.120} is no name of a pin: letters, digits, '.', '_' and '-', at most 100")
    return name
