"""The sentences that a generated handbook is made of: `tune.toml` and `hold.toml`, which share none."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Row:
    """What an older page says and what a newer one says, each a title and a sentence, with a subject {s}, an
    old value {o} and a new one {n}.

    `type` of a contradiction: figure, name, date, steps, yesno; of what is harmless: why it is.
    """

    type: str
    older: tuple[str, str]
    newer: tuple[str, str]
    fillings: tuple[tuple[str, str, str], ...]
    other_words: bool = False


@dataclass(frozen=True, slots=True)
class Bank:
    """All that the pages of one handbook are made of, beside the rows: headings; first sentences about {t};
    sentences without figures; facts about a place {p} with numbers {a} {b} and a year {y}; what {t} is where
    it is no place; and how {site} and {room} make the name of one."""

    name: str
    folders: tuple[str, ...]
    sections: tuple[str, ...]
    openings: tuple[str, ...]
    plain: tuple[str, ...]
    facts: tuple[str, ...]
    subject: str
    place: str
    sites: tuple[str, ...]
    rooms: tuple[str, ...]
    contradictions: tuple[Row, ...]
    harmless: tuple[Row, ...]

    @property
    def places(self) -> list[str]:
        return [self.place.format(site=site, room=room) for site in self.sites for room in self.rooms]


def read(name: str) -> Bank:
    """The bank `tune` or `hold`."""
    found = tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))
    for key in ("contradictions", "harmless"):
        found[key] = tuple(Row(**row) for row in found[key])
    return Bank(**found)
