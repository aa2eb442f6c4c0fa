"""A generated handbook of 500 pages: seeded contradictions, harmless differences, links that hold or not.

python bench/stale/handbook.py OUT [--bank tune|hold] [--seed N] [--pages 500]

OUT/cases.jsonl has one line, OUT/documents.jsonl the pages as `asof index` reads them. Each contradiction is
an older page and a newer one, each difference that is none as well; the other pages have figures of their
own. The same bank and number give the same handbook.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.stale.bank import Bank, read
from bench.stale.handbook_links import add_links
from bench.stale.pages import Handbook


def handbook(bank: Bank, seed: int, pages: int) -> Handbook:
    """All pages, with what is expected of them."""
    made = Handbook(bank, seed)
    made.contradictions()
    made.differences()
    add_links(made)
    while len(made.pages) < pages:
        place = made.rng.choice(bank.places)
        title = made.rng.choice((place, f"About {place}", f"{made.rng.choice(bank.sections)}: {place}"))
        made.page(title, made.moment(), place=place)
    return made


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--bank", choices=("tune", "hold"), default="tune")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=500)
    arguments = parser.parse_args()
    made = handbook(read(arguments.bank), arguments.seed, arguments.pages)
    made.written(arguments.out)
    print(f"{len(made.pages)} pages, {sum(len(page.records()) for page in made.pages.values())} versions")
    print("expected:", dict(Counter(f"{each['kind']} {each['type']}" for each in made.expected)))
    print("harmless:", dict(Counter(each["why"] for each in made.harmless)))


if __name__ == "__main__":
    main()
