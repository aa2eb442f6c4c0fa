"""Whether a corpus in shards answers, and lists facts, as one corpus does, to the last bit.

    python -m bench.equal_answers DATASET [--shards 3] [--questions 50]

The answers to questions are compared, then the facts about the subjects of what their passages state, and the
graphs around these.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from asof.cluster.opening import open_shards
from asof.config import Config
from asof.corpus.corpus import open as open_corpus
from asof.evaluate.runs.dataset import Dataset, load
from asof.serialize.knowledge import facts_json


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--shards", type=int, default=3)
    parser.add_argument("--questions", type=int, default=50)
    options = parser.parse_args()
    dataset = load(options.dataset)
    asked = dataset.questions[:: max(len(dataset.questions) // options.questions, 1)][: options.questions]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        with (
            open_corpus(path / "one", config=Config()) as one,
            open_shards(path / "shards", shards=options.shards, config=Config()) as shards,
        ):
            one.add(dataset.documents())
            shards.add(dataset.documents())
            compare("answers", [answers(each, dataset, asked) for each in (one, shards)])
            one.facts.ensure_facts()
            db = one.store.reader()
            subjects = [
                name for (name,) in db.execute(
                    "SELECT subject FROM facts GROUP BY subject ORDER BY count(*) DESC, subject LIMIT ?",
                    (options.questions,),
                )
            ]  # fmt: skip
            db.close()
            compare("facts", [facts(each, dataset, asked[0], subjects) for each in (one, shards)])
            compare("graphs", [graphs(each, dataset, asked[0], subjects) for each in (one, shards)])


def compare(what: str, found: list[tuple[list[Any], float]]) -> None:
    """Print how many differ, and how long each took."""
    (one, before), (other, after) = found
    different = sum(a != b for a, b in zip(one, other, strict=True))
    print(f"{len(one)} {what}: {different} different; {before:.1f} s, {after:.1f} s", flush=True)


def answers(corpus: Any, dataset: Dataset, asked: Any) -> tuple[list[Any], float]:
    """The answers, and the seconds that they took."""
    begin = time.perf_counter()
    made = [corpus.snapshot(dataset.as_of(each)).ask(each.text) for each in asked]
    shown = [(each.text, each.refused, each.mode, each.citations, list(each.notes)) for each in made]
    return shown, time.perf_counter() - begin


def facts(corpus: Any, dataset: Dataset, question: Any, subjects: list[str]) -> tuple[list[Any], float]:
    """The facts about subjects, as JSON, and the seconds that they took."""
    begin = time.perf_counter()
    then = corpus.snapshot(dataset.as_of(question))
    shown = []
    for each in subjects:
        line = dict(facts_json(then.facts(each)))
        line.pop("known_at", None)
        shown.append(line)
    return shown, time.perf_counter() - begin


def graphs(corpus: Any, dataset: Dataset, question: Any, subjects: list[str]) -> tuple[list[Any], float]:
    """The neighbourhoods of subjects, and the seconds that they took."""
    begin = time.perf_counter()
    then = corpus.snapshot(dataset.as_of(question))
    made = [then.graph(each, 2) for each in subjects]
    return [(each.nodes, each.documents, each.edges, each.left_out) for each in made], (
        time.perf_counter() - begin
    )


if __name__ == "__main__":
    main()
