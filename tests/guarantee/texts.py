"""Notes of few names, few subjects and few dates, so that they collide."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from asof.documents import Document
from asof.sources import dates as dating
from asof.sources.files import document
from asof.sources.readers import parsed
from asof.sources.source import InputLimits
from asof.wire import replace

NAMES = (
    "ferry.md", "mill.md", "harbour/ferry.md", "harbour/index.md", "people/quill.md", "journal/2020-02-03.md",
    "mole.md", "Ärger.md", "harbour/old/mill.md", "adr/0002-mole.md", "Copy of ferry.md",
    "harbour/index (1).md", "v1/ferry.md", "v2/ferry.md",
    "memory/2020-03-05-0a0a0a0a0a0a", "memory/2020-03-06-0b0b0b0b0b0b",
)  # fmt: skip
RENAMED = {"zz1sail.md": "zz1xx.md", "zz2bell.md": "zz2xx.md"}
"""Ids that documents get later, and what stands for each where it is not known yet; in order of all names."""


def later(text: str) -> str:
    """A text with the ids that documents got later."""
    for id_, other in RENAMED.items():
        text = text.replace(other, id_)
    return text


TITLES = (
    "Ferry: Rules", "Mill: new Rules",
    "", "Ferry", "Fees 2019", "Fees 2020", "Fees 2021", "The Ledger", "Note 1", "Quay Ltd", "Marta Quill",
    "Note 3", "Correction: Ferry", "Note 4",
)  # fmt: skip
TAGS = ("harbour", "people", "price")
ALIASES = ("The Ledger", "Marta", "old mill", "Mole Inc", "Jon Reed", "Pier Ltd")
SITES = ("north", "south")
LINKED = (
    "ferry", "harbour/ferry", "./mill", "../mole", "people/quill|Marta", "The Ledger", "Marta", "nowhere",
    "Ärger", "old mill", "index#part 1", "FERRY",
)  # fmt: skip
WHO = ("Marta Quill", "Quill", "Jon Reed", "Quay Ltd", "Mole Inc", "Pier Ltd", "The NHA")
DATES = (
    "2020-03-05", "2020-02-03", "2020", "2020-03", "2020-Q1", "2020-03-31", "2020-06-01",
    "2020-03-05T10:00:00Z", "2020-03-05T10:00:01Z", "2019-11-20", "2021-01-15", "2022", "2022-02-02",
)  # fmt: skip
ENDS = ("0001-01-01", "9999-12-31", "0001", "9999")
"""The ends of the calendar."""

SENTENCES = (
    "Mill ferry.", "Ferry mill storm.", "Bread.", "Fog and rope; storm and bell.",
    "{who} is the harbour master.", "{who} was appointed director of Quay Ltd on {date}.",
    "A ticket of the ferry costs {n} euros.", "The price of bread is {n} euros.", "Mole Inc is closed.",
    "The mill closed in {year}.", "Support for version {n} has ended.", "Version {n} was released on {date}.",
    "{who}'s revenue was ${n} million in {year}.", "{who} reported revenue of ${n} million yesterday.",
    "Quay Ltd, formerly known as Pier Ltd, opened a shop in Brill.",
    "The Northern Harbour Authority (NHA) bought {who} on {date}.",
    "The National Horse Association (NHA) bought {who} on {date}.", "{who} left Mole Inc.",
    "The ferry will run until {date}.", "Last March the storm took {n} boats.", "See [[{link}]].",
    "Read [[{link}]] and ![[{link}]].", "Everybody has read [the first](ferry.md#part-1) with care.",
    "A crane will be delivered on {date}.", "Next week we plan to sail.", "Currently the pier is open.",
    "Die Fähre fährt im {year} nicht, und das Wetter ist nicht gut.", "Der Hafenmeister ist {who}.",
    "Le bac coûte {n} euros.", "渡船の料金は{n}ユーロです。", "It is listed on the exchange.",
    "From {date} a ticket of the ferry costs {n} euros.", "This note is valid until {date}.",
    "Note {n} is repealed with effect from {date}.", "This note supersedes Note {n}.",
    "Part 1 of Note {n} is replaced by the following: the mill ferry is free.",
    "These rules take effect on {date}.", "The bag limit in the rules is cut to {n} trout from {date}.",
    "We withdraw Note {n}.", "This tariff is valid until {date}.",
    "Marta Quill lives in Brill.", "Marta Quill moved from Brill to Ford.",
    "The favourite boat of {who} is a sloop.", "The favourite boat of {who} is a yawl.",
    "{who} no longer lives in Ford.",
    "The ferry is no longer held.", "Ferry has ended.", "It was cancelled from {date} on.",
    "The contract starts on {date} and ends on {date}.", "The password of the mill is storm.",
    "The password of the mill is now bell.", "Note {n} is about the mill.",
    "Cancelled the ferry ticket on {date}.",
    "A ticket of the ferry costs {n} euros; from {date} it costs 9 euros.",
)  # fmt: skip

QUESTIONS = (
    "harbour master", "mill ferry storm", "who is the harbour master", "latest price of bread",
    "ferry ticket", "Fähre im 2020", "current version",
    "who led Quay Ltd as of March 2020", "What happened in March 2020?",
    "What was Quay Ltd's revenue in 2020?", "when did the mill close", '"harbour master" ferry', "fees 2020",
    "Note 1 part 2", "What did the NHA buy?", "revenue of Pier Ltd since 2019", "xyzzy ferry", "料金",
    "What happened to the ferry between 2019 and 2020?", "the latest price as of 5 March 2020",
    "who is the harbour master as of 2030", "newest version until 2099", "brad ferrry prise",
    "what was the price of bread the day before yesterday", "who will lead Quay Ltd tomorrow",
    "ADR 2", "note 1 and fees 2020", "zz1sail ferry", "zz2bell", "where does Marta Quill live",
    "what does a ticket of the ferry cost in 1.2", "which version came before 1.10.0",
    "what changed in 1.10.0", "what has changed since 1.2", "which version is the newest in 2020",
    "price of bread in v1", "since which version is the pier open", "favourite boat of Quill",
    "since when does a ticket of the ferry cost 9 euros", "until when did a ticket of the ferry cost 4 euros",
)  # fmt: skip
ENTITIES = ("Quay Ltd", "Pier Ltd", "NHA", "Quill", "Marta Quill", "Mole Inc", "Jon Reed", "ferry", "Nobody")
PERIODS = ("2020", "2019", "2020-Q1", "2020-03", "2020-03-05", "January 2020 to June 2020", "2021")
CALLED = ("ferry", "Ferry", "the ledger", "mil", "harbour", "ferri", "fery.md", "Mole", "note 1", "old/mill")


@dataclass(frozen=True, slots=True)
class Note:
    """A file: its name, the fields of its frontmatter, its text."""

    name: str
    front: tuple[tuple[str, str], ...]
    body: str

    def but(self, **fields: str) -> Note:
        """The note with other fields in its frontmatter, and the same text."""
        return replace(self, front=tuple({**dict(self.front), **fields}.items()))

    def document(self) -> Document:
        """As a source would read it."""
        fields = "\n".join(f"{key}: {value}" for key, value in self.front)
        text = f"---\n{fields}\n---\n{self.body}" if fields else self.body
        page = parsed(text.encode(), f"{self.name.removesuffix('.md')}.md", InputLimits())
        found = dating.dates_in(page)
        stem = self.name.rpartition("/")[2].removesuffix(".md")
        published = found.published or dating.of_name(stem, dating.UNKNOWN, [])
        published = published or dating.of_content(page.text, dating.UNKNOWN, [])
        if published is not None and "title" not in dict(self.front):
            published = replace(published, by="git")  # so that it can be a copy of what says the same
        return document(self.name, page, found, published, found.changed)


def one(values: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(values)


SENTENCE = st.builds(
    lambda text, who, date, n, year, link: text.format(who=who, date=date, n=n, year=year, link=link),
    one(SENTENCES), one(WHO), one(DATES[:6]), st.integers(3, 5), st.integers(2019, 2020), one(LINKED),
)  # fmt: skip
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=3).map(" ".join)

CALLS = st.lists(st.one_of(one(ALIASES), one(LINKED).map('"[[{}]]"'.format)), max_size=3, unique=True).map(
    lambda calls: f"[{', '.join(calls)}]"
)
"""Other names of a note and what it links to, where no passage shows them."""

LISTED = st.lists(one(TAGS), min_size=1, max_size=2, unique=True).map(lambda tags: f"[{', '.join(tags)}]")


@st.composite
def notes(draw: st.DrawFn, names: tuple[str, ...], said: list[str], dates: tuple[str, ...]) -> Note:
    """A note about what was said (paragraphs from which others are made too); few have no text."""
    chance = st.integers(0, 9)
    fields = {
        "date": (7, one(dates)), "title": (9, one(TITLES)), "tags": (3, LISTED), "aliases": (2, CALLS),
        "site": (2, one(SITES)), "valid_until": (1, one(DATES[:6])), "updated": (1, one(DATES)),
        "effective": (1, one(DATES)), "status": (1, one(("draft", "final"))),
        "supersedes": (1, one(CALLED)), "superseded_by": (1, one(CALLED)),
        "company": (1, st.just("Quay Ltd\nticker: QUA")),
    }  # fmt: skip
    front = [(key, draw(value)) for key, (often, value) in fields.items() if draw(chance) < often]
    above = [
        "",
        "",
        "## part 1\n\n",
        "## part 2\n\n",
        "## Fees from 2020\n\n",
        "## 1.2.0\n\n",
        "## 1.10.0 (2020-03-05)\n\n",
    ]
    headed = st.tuples(st.sampled_from(above), st.sampled_from(said))
    parts = draw(st.lists(headed.map("".join), min_size=int(draw(chance) > 0), max_size=3))
    if not parts:
        front.append(("related", f'"[[{draw(one(LINKED))}]]"'))
    return Note(draw(one(names)), tuple(each for each in front if each[1]), "\n\n".join(parts) + "\n")
