"""Facts with years and questions about them, as TempRALM's TPQ sets have them: python bench/tpq.py FOLDER

TPQ (Gade and Jetcheva 2024) turns a table of tennis results into passages with a year and asks the same
templates of the year of a passage (TPQ-2019) and of a year of which there is none (TPQ-2020). Its facts are
not copied: cups, players and venues are made up from a seed, and the same seed gives the same files,

    corpus.jsonl     a passage for each edition of an event of a cup, dated by its year
    queries.jsonl    {"id", "text", "type", "answer"}, by type: `FORMS`
    qrels.tsv        the one passage that answers

which is a dataset for `asof evaluate` and `asof experiment tempralm/1`. A question of a year without an
edition is about the state of things then, so the last edition before answers it; so does the last of all
where no year is named. Questions have no `asked_at`: all passages are visible, and only the words of a
question say of when it is.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

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
ASKED = (
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


def editions(seed: int = 0, cups: int = 30, events: int = 2) -> list[Edition]:
    """All editions, those of an event in order of time."""
    rng = random.Random(seed)
    names = _names(rng, cups, PLACES)
    players = [f"{first} {last}" for first, last in zip(
        _names(rng, 12 * cups, ("a", "en", "o", "is")), _names(rng, 12 * cups, SURNAMES), strict=True
    )]  # fmt: skip
    venues = _names(rng, 3 * cups, PLACES)
    made = []
    for number, name in enumerate(names):
        cup = f"{name} {CUPS[number % len(CUPS)]}"
        for event in EVENTS[:events]:
            for year in _years(rng):
                winner, loser = rng.sample(players, 2)
                name = f"{cup}-{event}-{year}".lower().replace(" ", "-").replace("'", "")
                venue, score = rng.choice(venues), _score(rng)
                made.append(Edition(name, cup, event, year, winner, loser, venue, score))
    return made


def _names(rng: random.Random, n: int, endings: Sequence[str]) -> list[str]:
    """So many pronounceable names, all different."""
    names: dict[str, None] = {}
    while len(names) < n:
        middle = "".join(
            rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS) for _ in range(1 + len(names) // 400)
        )
        names[f"{middle}{rng.choice(endings)}".capitalize()] = None
    return list(names)


def _years(rng: random.Random) -> list[int]:
    """The years in which an event is held: the first and the last of all, and some between."""
    seasons = [year for year in range(FIRST, LAST + 1) if year not in IDLE]
    return [year for year in seasons if year in (FIRST, LAST) or rng.random() < HELD]


def _score(rng: random.Random) -> str:
    return " ".join(f"{six}-{rng.randrange(6 - (six == 6))}" for six in rng.choices((6, 7), (4, 1), k=2))


def passage(edition: Edition, rng: random.Random) -> str:
    """An edition as a sentence or two."""
    return rng.choice(PASSAGES).format(**_said(edition))


def _said(edition: Edition) -> dict[str, object]:
    return {name: getattr(edition, name) for name in edition.__slots__}


def questions(
    made: Sequence[Edition], seed: int = 0, of_each: int = 200
) -> Iterator[tuple[dict[str, str], str]]:
    """So many questions of each form, as their records, with the id of the passage that answers."""
    rng = random.Random(seed + 1)
    series: dict[tuple[str, str], list[Edition]] = {}
    for each in made:
        series.setdefault((each.cup, each.event), []).append(each)
    for form in FORMS:
        asked: dict[str, None] = {}
        for _ in range(50 * of_each):
            if len(asked) == of_each:
                break
            edition, when = _asked_about(form, rng.choice(list(series.values())), rng)
            slot, template = rng.choice(ASKED)
            text = template.format(**_said(edition), when=when)
            if text not in asked:
                asked[text] = None
                record = {"id": f"{form}-{len(asked)}", "text": text, "type": form}
                yield {**record, "answer": str(getattr(edition, slot))}, edition.id


def _asked_about(form: str, series: Sequence[Edition], rng: random.Random) -> tuple[Edition, str]:
    """The edition that answers, and the words for the year that is asked of."""
    last = series[-1]
    if form == "none":
        return last, ""
    if form == "after":
        return last, f" in {rng.randint(LAST + 1, LAST + 3)}"
    if form == "same":
        edition = rng.choice(series)
        return edition, f" in {edition.year}"
    missing = [
        (one, year)
        for one, other in pairwise(series)
        for year in range(one.year + 1, other.year)
        if (year in IDLE) == (form == "between")
    ]
    edition, year = rng.choice(missing)
    return edition, f" in {year}"


def write(folder: Path, seed: int = 0, cups: int = 30, events: int = 2, of_each: int = 200) -> int:
    """Write the dataset into a folder, which is made; returns how many passages there are."""
    made, rng = editions(seed, cups, events), random.Random(seed + 2)
    asked = list(questions(made, seed, of_each))
    folder.mkdir(parents=True, exist_ok=True)
    passages = ({"id": each.id, "text": passage(each, rng), "timestamp": str(each.year)} for each in made)
    _lines(folder / "corpus.jsonl", passages)
    _lines(folder / "queries.jsonl", (record for record, _ in asked))
    qrels = "".join(f"{record['id']}\t{answer}\t1\n" for record, answer in asked)
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return len(made)


def _lines(path: Path, records: Iterator[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Write facts with years and questions about them.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cups", type=int, default=30)
    parser.add_argument("--events", type=int, default=2, choices=range(1, len(EVENTS) + 1))
    parser.add_argument("--questions", type=int, default=200, help="of each form")
    options = parser.parse_args()
    passages = write(options.folder, options.seed, options.cups, options.events, options.questions)
    print(f"{passages:,} passages, {len(FORMS) * options.questions:,} questions at most, in {options.folder}")


if __name__ == "__main__":
    main()
