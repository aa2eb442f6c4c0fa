"""How well recipes find what people asked of real corpora: the question banks in a folder.

A bank is NAME.json with "questions": `text`, `as_of`, `kind`, `document` and `answer` (patterns that a right
document's id and a right passage match), `refuse` (nothing answers). Its corpus lies in index/NAME of the
folder; one with vectors is asked with them. Beside the default stands what a user would take instead: plain
BM25, and where there are vectors BM25 and these by reciprocal rank.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median, quantiles
from typing import Any

from bench.figures import Figure, Groups, Rows, milliseconds
from bench.quality import asked_recipes

import asof
from asof.rank.stage import Recipe

FIRST = 5
INSTEAD = {"bm25": "bm25", "hybrid-rrf": "bm25 + encoder"}
PARAPHRASE = "paraphrase"
"""The kind of a question that shares no word with what answers it."""

ROWS = ("document first", "document among five", "passage among five")


def measure(options: argparse.Namespace) -> Groups:
    """The figures of each bank, and of all of their questions."""
    every: dict[str, list[tuple[bool, ...]]] = {}
    groups: Groups = {}
    for path in sorted(options.arena.glob("*.json")):
        bank = json.loads(path.read_text(encoding="utf-8"))
        index = options.arena / "index" / path.stem
        if "questions" not in bank or not (index / ".asof").is_dir():
            continue
        questions = [each for each in bank["questions"] if not each["refuse"]]
        if len(questions) < 2:
            continue
        with asof.open(index) as corpus:
            group = groups[f"arena, {path.stem}, {len(questions)} questions"] = {}
            for recipe in chosen(corpus, options.recipe or ["asof"]):
                name = INSTEAD.get(recipe.name, recipe.name)
                found = list(asked(corpus, questions, recipe))
                group[name] = rows(found) | times(corpus, questions, recipe)
                every.setdefault(name, []).extend(found)
    whole = {name: rows(found) for name, found in every.items()}
    return groups | {f"arena, {max(map(len, every.values()), default=0)} questions": whole}


def chosen(corpus: asof.Corpus, specs: Sequence[str]) -> list[Recipe]:
    """The recipes of some specifications, as they are and changed, and what is taken instead."""
    instead = ["hybrid-rrf"] if corpus.store.settings.encoder else []
    return [each.recipe for each in asked_recipes([*specs, *instead], parts=False)]


def at(corpus: asof.Corpus, question: dict[str, Any]) -> asof.Snapshot:
    return corpus.at(question.get("as_of") or None)


def asked(
    corpus: asof.Corpus, questions: Sequence[dict[str, Any]], recipe: Recipe
) -> Iterator[tuple[bool, ...]]:
    """For each question whether each of ROWS holds, and whether it is asked in other words."""
    for each in questions:
        hits = list(at(corpus, each).search(each["text"], k=FIRST, recipe=recipe))
        documents = [matches(each["document"], hit.document) for hit in hits]
        passages = [matches(each["answer"], f"{hit.title} {hit.text}") for hit in hits]
        yield any(documents[:1]), any(documents), any(passages), each["kind"] == PARAPHRASE


def matches(pattern: str, text: str) -> bool:
    return bool(re.search(pattern, " ".join(text.split()), re.IGNORECASE | re.DOTALL))


def rows(found: Sequence[tuple[bool, ...]]) -> Rows:
    shares = {
        name: Figure(sum(each[place] for each in found) / max(len(found), 1), "")
        for place, name in enumerate(ROWS)
    }
    if other := [among for _, among, _, in_other_words in found if in_other_words]:
        shares[f"in other words ({len(other)}), among five"] = Figure(sum(other) / len(other), "")
    return shares


def times(corpus: asof.Corpus, questions: Sequence[dict[str, Any]], recipe: Recipe) -> Rows:
    """A search again, and an answer, with warm caches."""
    taken = {
        "search": [milliseconds(partial(at(corpus, e).search, e["text"], recipe=recipe)) for e in questions]
    }
    if recipe.name == "asof":
        taken["ask"] = [milliseconds(partial(at(corpus, e).ask, e["text"])) for e in questions]
    return {
        name: Figure(
            median(each.value for each in found), "ms", median(each.busy or 0.0 for each in found),
            quantiles([each.value for each in found], n=20)[-1],
        )
        for name, found in taken.items()
    }  # fmt: skip
