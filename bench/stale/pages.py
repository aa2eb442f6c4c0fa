"""The pages of a generated handbook: what each says, and which of them are at odds."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.stale.bank import Bank, Row

FIRST, LAST = datetime(2019, 1, 2, tzinfo=UTC), datetime(2024, 11, 20, tzinfo=UTC)
AS_OF = "2024-12-31T00:00:00Z"
KINDS = {"figure": "value", "name": "value", "date": "value", "steps": "statement", "yesno": "statement"}


@dataclass
class Page:
    """A page: its paragraphs by heading, and when it was published. `edits`: what was added later, and when;
    `changes`: what was replaced by what."""

    id: str
    title: str
    published: datetime
    sections: list[tuple[str, list[str]]]
    edits: list[tuple[datetime, str]] = field(default_factory=list)
    changes: list[tuple[datetime, str, str]] = field(default_factory=list)

    def text(self, until: datetime) -> str:
        """The page as it was then."""
        parts = [f"# {self.title}"]
        for heading, paragraphs in self.sections:
            parts += [f"## {heading}" if heading else "", *paragraphs]
        parts += [words for when, words in self.edits if when <= until]
        text = "\n\n".join(part for part in parts if part) + "\n"
        for when, old, new in self.changes:
            text = text.replace(old, new) if when <= until else text
        return text

    def records(self) -> list[dict[str, str]]:
        """A record each version."""
        times = sorted(
            {self.published, *(edit[0] for edit in self.edits), *(edit[0] for edit in self.changes)}
        )
        return [{"id": self.id, "published": _instant(at), "text": self.text(at)} for at in times]


class Handbook:
    """Pages under construction."""

    def __init__(self, bank: Bank, seed: int) -> None:
        self.bank = bank
        self.rng = random.Random(f"{bank.name} {seed}")
        self.pages: dict[str, Page] = {}
        self.expected: list[dict[str, Any]] = []
        self.harmless: list[dict[str, str]] = []
        self._facts = {place: self.rng.sample(bank.facts, len(bank.facts)) for place in bank.places}

    def moment(self, after: datetime = FIRST, before: datetime = LAST) -> datetime:
        days = max(1, (before - after).days)
        return after + timedelta(days=self.rng.randrange(days), hours=self.rng.randrange(7, 17))

    def fact(self, place: str = "") -> str:
        """A sentence with figures that no other page has of the same."""
        while not place or not self._facts[place]:
            place = self.rng.choice(list(self._facts))
        a, b, y = self.rng.randint(2, 40), self.rng.randint(41, 900), self.rng.randint(1958, 2016)
        return _sentence(self._facts[place].pop().format(p=place, a=a, b=b, y=y))

    def paragraph(self, *sentences: str, place: str = "") -> str:
        """Sentences among others."""
        others = [self.fact(place), *self.rng.sample(self.bank.plain, self.rng.randint(0, 2))]
        self.rng.shuffle(others)
        at = self.rng.randint(0, len(others))
        return " ".join([*others[:at], *sentences, *others[at:]])

    def page(self, title: str, published: datetime, *sentences: str, place: str = "") -> Page:
        """A page with these sentences, in one of its sections; other figures are of the place, or of any."""
        title = _sentence(title).rstrip(".")
        folder = self.rng.choice(self.bank.folders)
        slug = plain = re.sub(r"[^\w]+", "-", title.casefold()).strip("-")
        stems = {Path(name).stem for name in self.pages}
        for number in range(2, 100):
            slug = slug if slug not in stems else f"{plain}-{number}"
        opening = _sentence(self.rng.choice(self.bank.openings).format(t=place or self.bank.subject))
        names = self.rng.sample(self.bank.sections, self.rng.randint(2, 3))
        sections = [("", [opening])] + [(name, [self.paragraph(place=place)]) for name in names]
        said = self.rng.randrange(len(sections))
        for sentence in sentences:
            block = sentence.startswith(("```", "- ", "1. "))
            sections[said][1].append(sentence if block else self.paragraph(sentence))
        made = Page(f"{folder}/{slug}.md", title, published, sections)
        for _ in range(self.rng.choice((0, 0, 1, 1, 2))):
            made.edits.append((self.moment(published + timedelta(days=1), LAST), self.fact(place)))
        self.pages[made.id] = made
        return made

    def pair(self, row: Row, filling: tuple[str, str, str]) -> tuple[Page, Page, str, str]:
        """The older page and the newer one, and what each says."""
        slots = dict(zip("son", filling, strict=True))
        told = [[_sentence(words.format(**slots)) for words in side] for side in (row.older, row.newer)]
        published = self.moment(FIRST, LAST - timedelta(days=200))
        older = self.page(told[0][0], published, told[0][1])
        newer = self.page(told[1][0], self.moment(published + timedelta(days=90)), told[1][1])
        return older, newer, told[0][1], told[1][1]

    def contradictions(self) -> None:
        for row in self.bank.contradictions:
            for filling in row.fillings:
                older, newer, old, new = self.pair(row, filling)
                self.expected.append(
                    {
                        "document": older.id,
                        "quote": old,
                        "by": [newer.id],
                        "new": new,
                        "kind": "statement" if row.other_words else KINDS[row.type],
                        "type": row.type,
                        "other_words": row.other_words,
                        "old_value": filling[1],
                        "new_value": filling[2],
                    }
                )

    def differences(self) -> None:
        for row in self.bank.harmless:
            for filling in row.fillings:
                older, _, old, _ = self.pair(row, filling)
                self.harmless.append({"document": older.id, "quote": old, "why": row.type})

    def written(self, out: Path) -> None:
        records = [record for page in self.pages.values() for record in page.records()]
        self.rng.shuffle(records)
        line = {
            "case": f"handbook-{self.bank.name}",
            "documents": "documents.jsonl",
            "as_of": AS_OF,
            "expected": self.expected,
            "harmless": self.harmless,
            "neutral": [],
        }
        out.mkdir(parents=True, exist_ok=True)
        (out / "cases.jsonl").write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (out / "documents.jsonl").write_text("".join(lines), encoding="utf-8")


def _sentence(words: str) -> str:
    """With a capital."""
    return words[:1].upper() + words[1:]


def _instant(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
