"""Notes made by a seed: few names, few subjects, few dates, so that they collide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from asof.sources import dates
from asof.sources.files import document
from asof.sources.readers import parsed
from asof.sources.source import InputLimits
from asof.values import Document

NAMES = (
    "ferry.md", "harbour/ferry.md", "mill.md", "harbour/index.md", "people/quill.md", "journal/2020-02-03.md",
    "mole.md", "Ärger.md", "harbour/old/mill.md",
)  # fmt: skip
TITLES = ("The Ledger", "Ferry", "Note 1", "", "", "Ferry", "Quay Ltd", "Quay Ltd", "Marta Quill")
TAGS = ("harbour", "people", "price")
ALIASES = ("The Ledger", "Marta", "old mill", "Mole Inc", "Jon Reed", "Pier Ltd")
SITES = ("north", "south")
LINKED = (
    "ferry", "harbour/ferry", "./mill", "../mole", "people/quill|Marta", "The Ledger", "Marta", "nowhere",
    "Ärger", "old mill", "index#part", "FERRY",
)  # fmt: skip
WHO = ("Marta Quill", "Quill", "Jon Reed", "Quay Ltd", "Mole Inc", "Pier Ltd", "The NHA")
DATES = ("2020", "2020-03", "2020-Q1", "2020-02-03", "2020-03-05", "2020-03-05", "2020-03-31", "2020-06-01",
         "2020-03-05T10:00:00Z", "2020-03-05T10:00:01Z", "2019-11-20", "2021-01-15")  # fmt: skip
LATE = ("2021-07", "2022", "2022-02-02", "2023")
"""After all of these: notes that differ in no passage get such dates, so that nothing else happens then."""
ENDS = ("0001-01-01", "9999-12-31", "0001", "9999")
"""The ends of the calendar."""

SENTENCES = (
    "{who} is the harbour master.", "{who} was appointed director of Quay Ltd on {date}.",
    "A ticket of the ferry costs {n} euros.", "The price of bread is {n} euros.",
    "The mill closed in {year}.",
    "Support for version {n} has ended.", "Version {n} was released on {date}.",
    "{who}'s revenue was ${n} million in {year}.", "{who} reported revenue of ${n} million yesterday.",
    "Quay Ltd, formerly known as Pier Ltd, opened a shop in Brill.",
    "The Northern Harbour Authority (NHA) bought {who} on {date}.", "{who} left Mole Inc.",
    "The ferry will run until {date}.", "Last March the storm took {n} boats.", "See [[{link}]].",
    "Read [[{link}]] and ![[{link}]].", "Die Fähre fährt im {year} nicht, und das Wetter ist nicht gut.",
    "Der Hafenmeister ist {who}.", "Le bac coûte {n} euros.", "渡船の料金は{n}ユーロです。",
    "It is listed on the exchange.", "Fog and rope; storm and bell.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Note:
    """A file: its name, the fields of its frontmatter, its text."""

    name: str
    front: tuple[tuple[str, str], ...]
    body: str

    @property
    def text(self) -> str:
        """All that the file holds."""
        fields = "\n".join(f"{key}: {value}" for key, value in self.front)
        return f"---\n{fields}\n---\n{self.body}" if fields else self.body

    def but(self, **fields: str) -> Note:
        """The note with other fields in its frontmatter, and the same text."""
        return replace(self, front=tuple({**dict(self.front), **fields}.items()))

    def document(self) -> Document:
        """As a source would read it."""
        page = parsed(self.text.encode(), self.name, InputLimits())
        found = dates.dates_in(page)
        stem = self.name.rpartition("/")[2].removesuffix(".md")
        published = found.published or dates.of_name(stem) or dates.of_content(page.text)
        return document(self.name, page, found, published, found.changed)


def sentence(rng: Random) -> str:
    return rng.choice(SENTENCES).format(
        who=rng.choice(WHO), date=rng.choice(DATES[3:8]), n=rng.choice((3, 4, 5)),
        year=rng.choice((2019, 2020)), link=rng.choice(LINKED),
    )  # fmt: skip


def paragraph(rng: Random) -> str:
    return " ".join(sentence(rng) for _ in range(rng.choice((1, 1, 2, 3))))


def called(rng: Random) -> str:
    """Other names of a note and what it links to, where no passage shows them."""
    links = [f'"[[{link}]]"' for link in rng.sample(LINKED, rng.choice((0, 1, 1, 2)))]
    return f"[{', '.join([*rng.sample(ALIASES, rng.choice((0, 1, 1, 2))), *links])}]"


def written(rng: Random, name: str, said: Sequence[str], extremes: bool) -> Note:
    """A note about what was `said` (paragraphs from which others are made too); few have no text."""
    fields = {
        "date": (0.65, rng.choice(ENDS if extremes and rng.random() < 0.3 else DATES)),
        "title": (1.0, rng.choice(TITLES)),
        "tags": (0.3, f"[{', '.join(rng.sample(TAGS, rng.choice((1, 2))))}]"),
        "aliases": (0.25, called(rng)),
        "site": (0.2, rng.choice(SITES)),
        "valid_until": (0.15, rng.choice(DATES[3:8])),
        "updated": (0.1, rng.choice(DATES)),
        "company": (0.1, "Quay Ltd\nticker: QUA"),
    }
    parts = [
        (f"## part {rng.choice((1, 2))}\n\n" if rng.random() < 0.5 else "") + rng.choice(said)
        for _ in range(rng.choice((0, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3)))
    ]
    front = {key: value for key, (often, value) in fields.items() if value and rng.random() < often}
    if not parts:
        front["related"] = f'"[[{rng.choice(LINKED)}]]"'
    return Note(name, tuple(front.items()), "\n\n".join(parts) + "\n")
