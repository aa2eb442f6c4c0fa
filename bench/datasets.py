"""Writes datasets for the experiments that reproduce papers, in the form that `asof evaluate` reads.

    python bench/datasets.py news OUT          of the shape of TWE-RAG's: news, of which some is superseded
    python bench/datasets.py facts OUT         of the shape of TempRALM's TPQ: facts with years
    python bench/datasets.py vault OUT         the example notes of asof with ten questions, for RAGtriever

The same seed gives the same dataset.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

Record = dict[str, Any]


@dataclass
class Dataset:
    """Lines of the files, in the order of writing."""

    documents: list[Record] = field(default_factory=list)
    questions: list[Record] = field(default_factory=list)
    judged: list[tuple[str, str]] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """Write the folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, records in (("corpus", self.documents), ("queries", self.questions)):
            lines = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in records)
            (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        pairs = "".join(f"{question}\t{document}\t1\n" for question, document in self.judged)
        (folder / "qrels.tsv").write_text(pairs, encoding="utf-8")


# -- news ----------------------------------------------------------------------------------------------
#
# Companies change their head and bring out products, several papers tell of each in nearly the same words
# (what corroborates), and further documents are about what does not change: where a company was founded, what
# it makes. Each company has words of its own (what latent semantics find). Half of the questions are temporal
# ("Who is the current CEO of X?": right is what was told last), half are general. Documents say it in other
# words than questions do. The rest is news about companies of which nobody asks.

FIRST_DAY, LAST_DAY = date(2021, 1, 1), date(2024, 12, 31)
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
PAPERS = ("Courier", "Gazette", "Herald", "Ledger", "Observer", "Tribune")
TOLD = {
    "head": (
        "{person} takes over as chief executive of {company}, the {trade} company.",
        "{company} has named {person} its new CEO, after a month without a chief executive.",
        "The board of {company} put {person} at the head of the {trade} company.",
    ),
    "product": (
        "{company} brings out the {product}, its new {thing}.",
        "The {product} is the {thing} that {company} released this week.",
        "{company} launched a product in the {trade} trade, the {product}.",
    ),
    "place": (
        "{company} was founded in {town} by two engineers.",
        "The {trade} company {company} began in a shed in {town}, its founders say.",
    ),
    "makes": (
        "{company} makes {thing}s and little else.",
        "Most of what the {trade} company {company} sells are {thing}s.",
    ),
    "": (
        "The shares of {company} rose by {number} per cent on {day}.",
        "{company} will sponsor the fair of {town}, as it did {number} times before.",
        "A strike at {company} in {town} ended after {number} days.",
        "The {trade} trade expects {number} new rules, {company} says.",
    ),
}
TRADES = {
    "tool": "drill", "toy": "kite", "lamp": "lantern", "shoe": "boot", "music": "organ", "garden": "mower",
    "kitchen": "kettle", "clock": "alarm", "paper": "notebook", "travel": "suitcase",
}  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
ASKED = {
    "head": ("Who is the current CEO of {company}?", "Who is now the chief executive of {company}?"),
    "product": ("What is the latest product of {company}?", "Which product did {company} release recently?"),
    "place": ("Where was {company} founded?", "In which town did {company} begin?"),
    "makes": ("What does {company} make?", "What does the company {company} sell?"),
}
TEMPORAL = ("head", "product")


class News:
    """News about companies, made from a seed; four questions are about each company."""

    def __init__(self, documents: int, questions: int, seed: int) -> None:
        self.rng, self.made = Random(seed), Dataset()
        self.names = _invented(self.rng)
        companies = self._some(max((questions + 3) // 4, 1))
        self.words = {each: self._words(6) for each in companies}
        self.words[""] = self._words(400)
        asked = [fact for company in companies for fact in self._company(company)]
        others = self._some(len(companies))
        self.words |= {each: self._words(6) for each in others}
        while len(self.made.documents) < documents:
            self._tell(self.rng.choice(TOLD[""]), self.rng.choice(others), self._day(), 1)
        self.rng.shuffle(asked)
        temporal = [each for each in asked if each[0] in TEMPORAL][: (questions + 1) // 2]
        general = [each for each in asked if each[0] not in TEMPORAL][: questions // 2]
        for number, (kind, company, answer, right) in enumerate((*temporal, *general)):
            text = self.rng.choice(ASKED[kind]).format(company=company)
            sort = "temporal" if kind in TEMPORAL else "general"
            self.made.questions.append(
                {
                    "id": f"q{number}", "text": text, "asked_at": LAST_DAY.isoformat(), "answer": answer,
                    "type": sort, "about": kind,
                }
            )  # fmt: skip
            self.made.judged += [(f"q{number}", document) for document in right]

    def _some(self, count: int) -> list[str]:
        return [next(self.names) for _ in range(count)]

    def _words(self, count: int) -> list[str]:
        return [each.lower() for each in self._some(count)]

    def _day(self) -> date:
        return FIRST_DAY + timedelta(self.rng.randrange((LAST_DAY - FIRST_DAY).days))

    def _company(self, company: str) -> Iterator[tuple[str, str, str, list[str]]]:
        """The documents about one company: kind of question, company, answer, documents that are right."""
        rng = self.rng
        trade = rng.choice(list(TRADES))
        changing = (("head", rng.randint(2, 4)), ("product", rng.randint(2, 5)))
        for kind, times in changing:
            days = sorted(self._day() for _ in range(times))
            answer, right = "", []
            for day in days:
                answer = next(self.names)
                papers = rng.randint(2, len(PAPERS))
                right = self._tell(rng.choice(TOLD[kind]), company, day, papers, trade, answer)
            yield kind, company, answer, right
        for kind in ("place", "makes"):
            answer = next(self.names) if kind == "place" else TRADES[trade]
            right = self._tell(rng.choice(TOLD[kind]), company, self._day(), 1, trade, answer)
            yield kind, company, answer, right

    def _tell(
        self, form: str, company: str, day: date, papers: int, trade: str = "", answer: str = ""
    ) -> list[str]:
        """A document for each of some papers, which print the same story with a word or two of their own, up
        to three days later; their ids."""
        rng = self.rng
        trade = trade or rng.choice(list(TRADES))
        values = {
            "company": company, "trade": trade, "thing": TRADES[trade], "person": answer, "product": answer,
            "town": answer or next(self.names), "number": rng.randint(2, 40), "day": rng.choice(DAYS),
        }  # fmt: skip
        more = [*rng.sample(self.words[company], 4), *rng.sample(self.words[""], 8)]
        rng.shuffle(more)
        story = f"{form.format(**values)} {' '.join(more).capitalize()}."
        ids = []
        for paper in rng.sample(PAPERS, papers):
            ids.append(f"d{len(self.made.documents)}")
            printed = min(day + timedelta(rng.randint(0, 3)), LAST_DAY)
            text = f"{story} {paper}, page {rng.randint(1, 40)}."
            self.made.documents.append({"id": ids[-1], "text": text, "timestamp": printed.isoformat()})
        return ids


def news(documents: int = 5_000, questions: int = 500, seed: int = 0) -> Dataset:
    return News(documents, questions, seed).made


def _invented(rng: Random) -> Iterator[str]:
    """Names that nobody has, each once."""
    seen = set()
    while True:
        name = "".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))).capitalize()
        if name not in seen:
            seen.add(name)
            yield name


# -- facts ---------------------------------------------------------------------------------------------
#
# TPQ (Gade and Jetcheva 2024) turns a table of tennis results into passages with a year and asks the same
# templates of the year of a passage and of a year of which there is none. Its facts are not copied: cups,
# players and venues are made up. A question of a year without an edition is about the state of things then,
# so the last edition before answers it; so does the last of all where no year is named. Questions have no
# `asked_at`: all passages are visible, and only the words of a question say of when it is.

FORMS = {
    "same": "the year of a passage",
    "between": "a year between two seasons, of which there is no passage at all",
    "skipped": "a year in which this event was not held, and others were",
    "after": "a year after the last passage",
    "none": "no year",
}
FIRST, LAST = 1985, 2019
IDLE = (1991, 1992, 1999, 2007, 2008, 2014)
"""Years without any season."""
HELD = 0.75
"""The chance that an event of a cup is held in a season."""

EVENTS = ("men's singles", "women's singles", "men's doubles", "women's doubles")
PASSAGES = (
    "In {year} the {event} of the {cup} was played at {venue}. {winner} beat {loser} {score} in the final.",
    "At {venue} {winner} took the title of the {cup}, {event}, in {year}: {score} against {loser}.",
    "{cup} of {year}, {event}: the champion is {winner}, after a final at {venue} that {loser} lost {score}.",
)
ASKED_OF = (
    ("winner", "Who is the champion of the {event} of the {cup}{when}?"),
    ("loser", "Who lost the last final of the {event} of the {cup}{when}?"),
    ("venue", "Where is the final of the {event} of the {cup} played{when}?"),
)
ONSETS = ("b", "br", "d", "dr", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v")
VOWELS, CODAS = ("a", "e", "i", "o", "u"), ("l", "m", "n", "r", "s", "th")
SURNAMES = ("son", "ley", "worth", "man", "by", "croft")
PLACES = ("ham", "ford", "wick", "mouth", "dale", "combe")
CUPS = ("Open", "Cup", "Masters", "Trophy")


@dataclass(frozen=True, slots=True)
class Edition:
    """One event of a cup in one year."""

    id: str
    cup: str
    event: str
    year: int
    winner: str
    loser: str
    venue: str
    score: str

    def said(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


def editions(seed: int = 0, cups: int = 30, events: int = 2) -> list[Edition]:
    """All editions, those of an event in order of time."""
    rng = Random(seed)
    names = _pronounceable(rng, cups, PLACES)
    first = _pronounceable(rng, 12 * cups, ("a", "en", "o", "is"))
    last = _pronounceable(rng, 12 * cups, SURNAMES)
    players = [" ".join(each) for each in zip(first, last, strict=True)]
    venues = _pronounceable(rng, 3 * cups, PLACES)
    made = []
    for number, name in enumerate(names):
        cup = f"{name} {CUPS[number % len(CUPS)]}"
        for event in EVENTS[:events]:
            seasons = [year for year in range(FIRST, LAST + 1) if year not in IDLE]
            for year in [year for year in seasons if year in (FIRST, LAST) or rng.random() < HELD]:
                winner, loser = rng.sample(players, 2)
                name = f"{cup}-{event}-{year}".lower().replace(" ", "-").replace("'", "")
                venue, score = rng.choice(venues), _score(rng)
                made.append(Edition(name, cup, event, year, winner, loser, venue, score))
    return made


def _pronounceable(rng: Random, n: int, endings: Sequence[str]) -> list[str]:
    """So many names, all different."""
    names: dict[str, None] = {}
    while len(names) < n:
        middle = "".join(
            rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS) for _ in range(1 + len(names) // 400)
        )
        names[f"{middle}{rng.choice(endings)}".capitalize()] = None
    return list(names)


def _score(rng: Random) -> str:
    return " ".join(f"{six}-{rng.randrange(6 - (six == 6))}" for six in rng.choices((6, 7), (4, 1), k=2))


def facts(seed: int = 0, cups: int = 30, events: int = 2, of_each: int = 200) -> Dataset:
    """Passages of all editions, and so many questions of each form."""
    made, rng, out = editions(seed, cups, events), Random(seed + 2), Dataset()
    for each in made:
        text = rng.choice(PASSAGES).format(**each.said())
        out.documents.append({"id": each.id, "text": text, "timestamp": str(each.year)})
    rng = Random(seed + 1)
    series: dict[tuple[str, str], list[Edition]] = {}
    for each in made:
        series.setdefault((each.cup, each.event), []).append(each)
    for form in FORMS:
        asked: dict[str, None] = {}
        for _ in range(50 * of_each):
            if len(asked) == of_each:
                break
            edition, when = _asked_about(form, rng.choice(list(series.values())), rng)
            slot, template = rng.choice(ASKED_OF)
            text = template.format(**edition.said(), when=when)
            if text not in asked:
                asked[text] = None
                name, answer = f"{form}-{len(asked)}", str(getattr(edition, slot))
                out.questions.append({"id": name, "text": text, "type": form, "answer": answer})
                out.judged.append((name, edition.id))
    return out


def _asked_about(form: str, series: Sequence[Edition], rng: Random) -> tuple[Edition, str]:
    """The edition that answers, and the words for the year that is asked of."""
    last = series[-1]
    if form == "none":
        return last, ""
    if form == "after":
        return last, f" in {rng.randint(LAST + 1, LAST + 3)}"
    if form == "same":
        edition = rng.choice(series)
        return edition, f" in {edition.year}"
    edition, year = rng.choice([
        (one, year)
        for one, other in pairwise(series)
        for year in range(one.year + 1, other.year)
        if (year in IDLE) == (form == "between")
    ])  # fmt: skip
    return edition, f" in {year}"


# -- a vault -------------------------------------------------------------------------------------------

QUESTIONS = {
    "what is the mole": ["harbour/The Mole.md"],
    "which ship is the ferry": ["ferry/Second Opinion.md", "ferry/Prudence.md"],
    "seed cake": ["kitchen/Seed cake.md"],
    "how is a bowline bun baked": ["kitchen/Bowline bun.md"],
    "rules of the kitchen": ["kitchen/House rules.md"],
    "paying in cash on board": ["ferry/Cash again.md", "ferry/Card only.md"],
    "what do words of the harbour mean": ["kitchen/Glossary.md"],
    "current in the churn": ["harbour/The Churn.md"],
    "a turbine for the ferry": ["cooperative/Renewable power for the ferry.md"],
    "wrong reading of the gauge": ["harbour/Gauge reading corrected.md"],
}
"""Each with the notes that are right. RAGtriever's own ten questions, on a test vault, are not published."""


def vault() -> Dataset:
    """The example notes, each with the date that it states itself: when its file changed differs from machine
    to machine. Raises LookupError for a missing note."""
    import asof
    from asof import Document
    from asof.documents import CHANGES
    from asof.sources.history import open_source

    made, notes = Dataset(), Path(asof.__file__).parent / "example" / "notes"
    for note in open_source(notes, root=notes).documents():
        if isinstance(note, Document):
            published = None if note.published is None or note.published.by in CHANGES else note.published
            made.documents.append(
                {
                    "id": note.id, "title": note.title, "text": note.text,
                    "timestamp": None if published is None else published.text,
                    "tags": list(note.tags), "links": [link.target for link in note.links],
                }
            )  # fmt: skip
    known = {each["id"] for each in made.documents}
    for number, (text, right) in enumerate(QUESTIONS.items(), 1):
        if missing := set(right) - known:
            raise LookupError(f"{', '.join(sorted(missing))}: no such note of the example")
        made.questions.append({"id": f"q{number}", "text": text})
        made.judged += [(f"q{number}", note) for note in right]
    return made


def main() -> None:
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    makers: dict[str, Callable[[], Dataset]] = {"news": news, "facts": facts, "vault": vault}
    parser.add_argument("name", choices=list(makers))
    parser.add_argument("out", type=Path, metavar="OUT")
    options = parser.parse_args()
    made = makers[options.name]()
    made.write(options.out)
    print(f"{options.out}: {len(made.documents):,} documents, {len(made.questions):,} questions")


if __name__ == "__main__":
    main()
