"""Writes a dataset of the shape of TWE-RAG's experiments: news about companies, of which some is superseded.

    python bench/temporal_qa.py OUT [--documents 5000] [--questions 500] [--seed 0]

Companies change their head and bring out products, several papers tell of each in nearly the same words (what
corroborates), and further documents are about what does not change: where a company was founded, what it
makes. Each company has words of its own (what latent semantics find). Half of the questions are temporal,
"Who is the current CEO of X?" (type `temporal`): right is what was told last; half are `general`. Documents
say it in other words than questions do. The rest is news about companies of which nobody asks. All questions
are asked as of the end of four years.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

FIRST, LAST = date(2021, 1, 1), date(2024, 12, 31)
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
PAPERS = ("Courier", "Gazette", "Herald", "Ledger", "Observer", "Tribune")
HEADS = (
    "{person} takes over as chief executive of {company}, the {trade} company.",
    "{company} has named {person} its new CEO, after a month without a chief executive.",
    "The board of {company} put {person} at the head of the {trade} company.",
)
PRODUCTS = (
    "{company} brings out the {product}, its new {thing}.",
    "The {product} is the {thing} that {company} released this week.",
    "{company} launched a product in the {trade} trade, the {product}.",
)
PLACES = (
    "{company} was founded in {town} by two engineers.",
    "The {trade} company {company} began in a shed in {town}, its founders say.",
)
MAKES = (
    "{company} makes {thing}s and little else.",
    "Most of what the {trade} company {company} sells are {thing}s.",
)
NOISE = (
    "The shares of {company} rose by {number} per cent on {day}.",
    "{company} will sponsor the fair of {town}, as it did {number} times before.",
    "A strike at {company} in {town} ended after {number} days.",
    "The {trade} trade expects {number} new rules, {company} says.",
)
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


@dataclass
class Dataset:
    """Lines of the files, in the order of writing; `words` of each company, and of all ("")."""

    documents: list[dict[str, Any]] = field(default_factory=list)
    questions: list[dict[str, Any]] = field(default_factory=list)
    judged: list[tuple[str, str]] = field(default_factory=list)
    words: dict[str, list[str]] = field(default_factory=dict)


def dataset(documents: int, questions: int, seed: int) -> Dataset:
    """A dataset; the same seed gives the same one. Four questions are about each company."""
    rng, made = Random(seed), Dataset()
    names = _names(rng)
    companies = [next(names) for _ in range(max((questions + 3) // 4, 1))]
    made.words = {each: [next(names).lower() for _ in range(6)] for each in companies}
    made.words[""] = [next(names).lower() for _ in range(400)]
    asked: list[tuple[str, str, str, list[str]]] = []
    for company in companies:
        asked += _company(company, names, rng, made)
    others = [next(names) for _ in companies]
    made.words |= {each: [next(names).lower() for _ in range(6)] for each in others}
    while len(made.documents) < documents:
        _told(rng.choice(NOISE), rng.choice(others), _any_day(rng), 1, names, rng, made)
    for number, (kind, company, answer, right) in enumerate(_chosen(asked, questions, rng)):
        temporal = kind in ("head", "product")
        text = rng.choice(ASKED[kind]).format(company=company)
        id_ = f"q{number}"
        made.questions.append(
            {
                "id": id_, "text": text, "asked_at": LAST.isoformat(), "answer": answer,
                "type": "temporal" if temporal else "general", "about": kind,
            }
        )  # fmt: skip
        made.judged += [(id_, document) for document in right]
    return made


def _chosen(
    asked: list[tuple[str, str, str, list[str]]], questions: int, rng: Random
) -> list[tuple[str, str, str, list[str]]]:
    """Half temporal, half general."""
    rng.shuffle(asked)
    temporal = [each for each in asked if each[0] in ("head", "product")]
    general = [each for each in asked if each[0] not in ("head", "product")]
    return [*temporal[: (questions + 1) // 2], *general[: questions // 2]]


def _company(
    company: str, names: Iterator[str], rng: Random, made: Dataset
) -> list[tuple[str, str, str, list[str]]]:
    """The documents about one company: kind of question, company, answer, documents that are right."""
    trade = rng.choice(list(TRADES))
    facts = []
    changing = (("head", HEADS, rng.randint(2, 4)), ("product", PRODUCTS, rng.randint(2, 5)))
    lasting = (("place", PLACES), ("makes", MAKES))
    for kind, forms, times in changing:
        days = sorted(_any_day(rng) for _ in range(times))
        answer, right = "", []
        for day in days:
            answer = next(names)
            papers = rng.randint(2, len(PAPERS))
            right = _told(rng.choice(forms), company, day, papers, names, rng, made, trade, answer)
        facts.append((kind, company, answer, right))
    for kind, told in lasting:
        answer = next(names) if kind == "place" else TRADES[trade]
        right = _told(rng.choice(told), company, _any_day(rng), 1, names, rng, made, trade, answer)
        facts.append((kind, company, answer, right))
    return facts


def _told(
    form: str, company: str, day: date, papers: int, names: Iterator[str], rng: Random, made: Dataset,
    trade: str = "", answer: str = "",
) -> list[str]:  # fmt: skip
    """Add a document for each of some papers, which print the same story with a word or two of their own, up
    to three days later; their ids."""
    trade = trade or rng.choice(list(TRADES))
    values = {
        "company": company, "trade": trade, "thing": TRADES[trade], "person": answer, "product": answer,
        "town": answer or next(names), "number": rng.randint(2, 40), "day": rng.choice(DAYS),
    }  # fmt: skip
    more = [*rng.sample(made.words[company], 4), *rng.sample(made.words[""], 8)]
    rng.shuffle(more)
    story = f"{form.format(**values)} {' '.join(more).capitalize()}."
    ids = []
    for paper in rng.sample(PAPERS, papers):
        ids.append(f"d{len(made.documents)}")
        printed = min(day + timedelta(rng.randint(0, 3)), LAST)
        text = f"{story} {paper}, page {rng.randint(1, 40)}."
        made.documents.append({"id": ids[-1], "text": text, "timestamp": printed.isoformat()})
    return ids


def _any_day(rng: Random) -> date:
    return FIRST + timedelta(rng.randrange((LAST - FIRST).days))


def _names(rng: Random) -> Iterator[str]:
    """Names that nobody has, each once."""
    seen = set()
    while True:
        name = "".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))).capitalize()
        if name not in seen:
            seen.add(name)
            yield name


def write(made: Dataset, out: Path) -> None:
    """The folder of a dataset as `asof evaluate` reads it."""
    out.mkdir(parents=True, exist_ok=True)
    for name, lines in (("corpus.jsonl", made.documents), ("queries.jsonl", made.questions)):
        (out / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    judged = "".join(f"{query}\t{document}\t1\n" for query, document in made.judged)
    (out / "qrels.tsv").write_text(judged, encoding="utf-8")


def main() -> None:
    parser = ArgumentParser(description="Write a dataset of temporal and general questions.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    write(dataset(given.documents, given.questions, given.seed), given.out)


if __name__ == "__main__":
    main()
