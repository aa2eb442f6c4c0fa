"""Settings of a corpus that are fixed when it is created, because the index depends on them."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass, replace
from typing import Any

from asof.errors import UsageError
from asof.schema import AcceptedValue, boolean, check, text
from asof.store.keywords import AUTO, NONE
from asof.store.schema import get_meta, set_meta
from asof.text.tokens import Analyzer

UNDATED = ("added", "always", "never")

_ACCEPTED = {
    "languages": AcceptedValue(
        lambda value: isinstance(value, tuple | list) and all(isinstance(each, str) for each in value),
        'a tuple of codes such as ("en",)',
    ),
    "stem": boolean(),
    "chunking": text('a text such as "120w"'),
    "encoder": AcceptedValue(lambda value: isinstance(value, str), "the name of an encoder"),
}


@dataclass(frozen=True, slots=True)
class CorpusSettings:
    """How texts are analysed (languages, stemming) and split (chunking), and when undated ones are visible.

    `encoder`: the name of the encoder of the stored vectors, "" for none; the only setting that can change
    (`asof embed`).
    `undated`: visible since they were `added` (the default), `always` (as of any date), or `never`.
    `search`: the keys of metadata whose values are searched: `auto` (all), `none`, or their names.
    Raises UsageError for a value that is not accepted; `checked` also checks the chunking.
    """

    languages: tuple[str, ...] = ("en",)
    stem: bool = True
    chunking: str = "120w"
    undated: str = "added"
    encoder: str = ""
    search: str | tuple[str, ...] = AUTO

    def __post_init__(self) -> None:
        check({name: getattr(self, name) for name in _ACCEPTED}, _ACCEPTED)
        if self.undated not in UNDATED:
            raise UsageError(f"undated is {self.undated!r}; accepted: {', '.join(UNDATED)}")
        if isinstance(self.search, str) and self.search not in (AUTO, NONE):
            raise UsageError(f"search is {self.search!r}; accepted: {AUTO}, {NONE}, names of keys in a list")

    def checked(self) -> CorpusSettings:
        """These settings; raises UsageError when the chunking cannot be read."""
        from asof.text.chunks import Chunking

        Chunking.parse(self.chunking)
        return self

    def analyzer(self) -> Analyzer:
        return Analyzer(self.languages, self.stem)

    def dumps(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def loads(cls, text: str) -> CorpusSettings:
        values: dict[str, Any] = json.loads(text)
        values |= {key: tuple(value) for key, value in values.items() if isinstance(value, list)}
        return cls(**values)


def encoder_of(db: sqlite3.Connection) -> str:
    """The encoder of the stored vectors, in the transaction of `db`."""
    stored = get_meta(db, "settings")
    return CorpusSettings.loads(stored).encoder if stored else ""


def change_encoder(db: sqlite3.Connection, settings: CorpusSettings, encoder: str) -> CorpusSettings:
    """The settings with another encoder, stored in the transaction of `db`."""
    changed = replace(settings, encoder=encoder)
    set_meta(db, "settings", changed.dumps())
    return changed
