"""A source, `csv:FILE` (rows with an id, a text and a date), and a recipe, `newest`."""

import csv
from dataclasses import dataclass
from pathlib import Path

from asof import Document
from asof.errors import SourceError
from asof.extensions.systems.stages import Freshness
from asof.rank.combine import Combine
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe


@dataclass
class CsvFile:
    path: Path
    column: str
    name: str  # the same in every run
    kind: str = "csv"
    complete: bool = True  # a row that is gone from the file ends its document

    def documents(self):
        with self.path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield Document(row["id"], row[self.column], published=row["date"])


def open_csv(target, context, *, column="text"):
    path = context.root / target.removeprefix("csv:")
    if not path.is_file():
        raise SourceError(f"{target}: there is no file {path}")
    return CsvFile(path, column, target)


STAGES = (Lexical(), Freshness(), Combine((("freshness", 1.0),), "age"), TopK())
NEWEST = Recipe("newest", "Passages with the words, newest first", STAGES)
