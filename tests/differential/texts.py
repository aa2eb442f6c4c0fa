"""Notes made by a seed: few names, few subjects, few dates, so that they collide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from asof.data import Document
from asof.sources import dating
from asof.sources.files import document
from asof.sources.page import page_of
from asof.sources.source import Limits

NAMES = (
    "ferry.md", "harbour/ferry.md", "mill.md", "harbour/index.md", "people/quill.md", "journal/2020-02-03.md",
    "mole.md", "Ärger.md", "harbour/old/mill.md",
)  # fmt: skip
TITLES = ("The Ledger", "Ferry", "Note 1", "", "", "Ferry")
TAGS = ("harbour", "people", "price")
ALIASES = ("The Ledger", "Marta", "old mill")
SITES = ("north", "south")
LINKED = (
    "ferry", "harbour/ferry", "./mill", "../mole", "people/quill|Marta", "The Ledger", "Marta", "nowhere",
    "Ärger", "old mill", "index#part", "FERRY",
)  # fmt: skip
WHO = ("Marta Quill", "Quill", "Jon Reed", "Quay Ltd", "Mole Inc", "Pier Ltd", "The NHA")
DATES = ("2020", "2020-03", "2020-Q1", "2020-02-03", "2020-03-05", "2020-03-05", "2020-03-31", "2020-06-01",
         "2020-03-05T10:00:00Z", "2020-03-05T10:00:01Z", "2019-11-20", "2021-01-15")  # fmt: skip
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
    """A file: its name and its bytes."""

    name: str
    text: str

    def document(self) -> Document:
        """As a source would read it."""
        page = page_of(self.text.encode(), self.name, Limits())
        told = dating.said(page)
        stem = self.name.rpartition("/")[2].removesuffix(".md")
        published = told.published or dating.of_name(stem) or dating.of_content(page.text)
        return document(self.name, page, told, published, told.changed)


def sentence(rng: Random) -> str:
    return rng.choice(SENTENCES).format(
        who=rng.choice(WHO), date=rng.choice(DATES[3:8]), n=rng.choice((3, 4, 5)),
        year=rng.choice((2019, 2020)), link=rng.choice(LINKED),
    )  # fmt: skip


def paragraph(rng: Random) -> str:
    return " ".join(sentence(rng) for _ in range(rng.choice((1, 1, 2, 3))))


def written(rng: Random, name: str, said: Sequence[str], extremes: bool) -> Note:
    """A note about what was `said` (paragraphs from which others are made too)."""
    front = []
    if rng.random() < 0.75:
        front.append(f"date: {rng.choice(ENDS if extremes and rng.random() < 0.3 else DATES)}")
    if title := rng.choice(TITLES):
        front.append(f"title: {title}")
    if rng.random() < 0.3:
        front.append(f"tags: [{', '.join(rng.sample(TAGS, rng.choice((1, 2))))}]")
    if rng.random() < 0.2:
        front.append(f"aliases: [{rng.choice(ALIASES)}]")
    if rng.random() < 0.2:
        front.append(f"site: {rng.choice(SITES)}")
    if rng.random() < 0.15:
        front.append(f"valid_until: {rng.choice(DATES[3:8])}")
    if rng.random() < 0.1:
        front.append(f"updated: {rng.choice(DATES)}")
    if rng.random() < 0.1:
        front.append("company: Quay Ltd\nticker: QUA")
    parts = [
        (f"## part {rng.choice((1, 2))}\n\n" if rng.random() < 0.5 else "") + rng.choice(said)
        for _ in range(rng.choice((1, 1, 2, 3)))
    ]
    head = "---\n" + "\n".join(front) + "\n---\n" if front else ""
    return Note(name, head + "\n\n".join(parts) + "\n")
