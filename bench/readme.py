"""Writes the table of speed in README.md from the figures of one run of `make bench`.

    make bench ARGS="--json figures.json" && python bench/readme.py figures.json

Each corpus of the run is a column. A row that was not measured is left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- speed: python bench/readme.py -->", "<!-- end of speed -->"

Systems = Mapping[str, Mapping[str, Any]]
Cell = Callable[[Systems], str]


def of(system: str, key: str, write: str) -> Cell:
    """A figure of a system."""
    return lambda systems: write.format(systems[system][key])


def megabytes(key: str) -> Cell:
    return lambda systems: f"{systems['asof'][key] / 1e6:,.0f} MB"


def asked(system: str, key: str) -> Cell:
    """Median and 95th percentile of the milliseconds of a question."""
    return lambda systems: "{median:.1f} / {p95:.1f} ms".format(**systems[system][key])


ROWS: tuple[tuple[str, Cell], ...] = (
    ("indexed, passages a second of one core", of("asof", "rate_busy", "{:,.0f}")),
    ("indexed, passages a second of two cores", of("asof", "rate_all", "{:,.0f}")),
    ("the same file again", of("asof", "again", "{:,.0f} ms")),
    ("a document added, until it is found", of("asof", "added", "{:,.0f} ms")),
    ("opened", of("asof", "open", "{:,.1f} ms")),
    ("`asof search` as a command", of("asof", "cold", "{:,.0f} ms")),
    ("a question, median / 95th percentile", asked("asof", "default, whole")),
    ("as of the middle", asked("asof", "default, middle")),
    ("since the last tenth", asked("asof", "default, last tenth")),
    ("its words alone", asked("asof", "lexical, whole")),
    ("with vectors (128 dimensions)", asked("asof, vectors", "hybrid, whole")),
    ("questions a second, all cores", of("asof", "per_second", "{:,.0f}")),
    ("tantivy, words alone", asked("tantivy", "lexical, whole")),
    ("bm25s, words alone", asked("bm25s", "lexical, whole")),
    ("published stack of words and vectors", asked("published", "fused, whole")),
    ("memory of a search", megabytes("peak_search")),
    ("disk", megabytes("disk")),
)


def speed_table(figures: Mapping[str, Systems]) -> str:
    """The table in Markdown; rows that no corpus has are left out."""
    lines = [f"| | {' | '.join(figures)} |", "|---" * (len(figures) + 1) + "|"]
    for label, cell in ROWS:
        cells = [_cell(cell, systems) for systems in figures.values()]
        if any(cells):
            lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(cell: Cell, systems: Systems) -> str:
    try:
        return cell(systems)
    except KeyError:  # not measured
        return ""


def written(page: str, table: str) -> str:
    """A page with the table between its marks. Raises ValueError where it has none."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


if __name__ == "__main__":
    made = speed_table(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    README.write_text(written(README.read_text("utf-8"), made), "utf-8")
