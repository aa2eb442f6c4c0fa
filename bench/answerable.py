"""How well `ask` knows what it cannot answer, and the fit of the constants of `asof.answer.answerability`.

    python bench/answerable.py DATASETS [--questions 250]

DATASETS is a folder of datasets with answers. Asked of each are its own questions, with an answer or without,
and those of another of them, which it cannot answer. Every set, and its questions of each kind, weighs the
same. The probabilities are those of a fit without the set that they are of; the constants printed at the end
are fitted on all.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.answer import answerability
from asof.answer.evidence import WeightedPhrase
from asof.corpus.corpus import Corpus
from asof.evaluate.answers.reference import ReferenceAnswer, reference_answers
from asof.evaluate.runs.corpus import prepared
from asof.evaluate.runs.dataset import Dataset, load
from asof.evaluate.runs.selection import sample
from asof.store.settings import CorpusSettings

BINS = (0.0, 0.05, 0.1, 0.15, 0.25, 0.5, 0.75, 0.9, 1.0)
OTHERS = 80
"""The most questions that are put to the corpus of another set."""

Floats = NDArray[np.float64]


class Asked(NamedTuple):
    """A question that was put to a set: whether it can be answered, and what was read of it.

    `kind`: "own" or "other". `features`: ln(share + .05) and the share of unknown words, None where rules are
    sure of an answer, or know a name or a time to be missing, so that no probability is asked for.
    `refused`: what `ask` did.
    """

    dataset: str
    kind: str
    answerable: bool
    features: tuple[float, float] | None
    refused: bool


def main() -> None:
    options = parse()
    sets = [load(folder) for folder in sorted(options.datasets.iterdir()) if (folder / "qrels.tsv").exists()]
    known = [(data, references) for data in sets if (references := reference_answers(data))]
    asked = [each for at in range(len(known)) for each in ask_all(known, at, options.questions)]
    probabilities = left_out(asked)
    print("set                     questions    answerable: refused    not: answered    fit without it")
    for name in dict.fromkeys(each.dataset for each in asked):
        for kind in ("own", "other"):
            show(name, kind, asked, probabilities)
    reliability(asked, probabilities)
    base, share, unknown = fit([each for each in asked if each.features])
    print(f"\nBASE, SHARE, UNKNOWN = {base:.2f}, {share:.2f}, {unknown:.2f}")


def parse() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("datasets", type=Path)
    parser.add_argument("--questions", type=int, default=250)
    return parser.parse_args()


def ask_all(known: list[tuple[Dataset, list[ReferenceAnswer]]], at: int, most: int) -> Iterator[Asked]:
    data, references = known[at]
    chosen = {each.id for each in sample([each.question for each in references], most, 0)}
    other, foreign = known[(at + 1) % len(known)]
    with (
        TemporaryDirectory() as folder,
        prepared(
            data, CorpusSettings(undated="always"), Path(folder), None, lambda _: None, lambda _: None
        ) as corpus,
    ):
        corpus.facts.ensure_facts()
        for each in references:
            if each.question.id in chosen:
                moment = data.as_of(each.question)
                yield ask(corpus, data.name, "own", each.answerable, each.question.text, moment)
        last = max(map(data.as_of, data.questions))
        for question in sample([each.question for each in foreign if each.answerable], OTHERS, 0):
            yield ask(corpus, data.name, "other", False, question.text, last)
    print(f"{data.name}: asked, with questions of {other.name}", flush=True)


def ask(corpus: Corpus, name: str, kind: str, answerable: bool, text: str, moment: int) -> Asked:
    with reading() as read:
        answer = corpus.snapshot(moment, None).ask(text)
    return Asked(name, kind, answerable, read[-1] if read else None, answer.refused)


@contextmanager
def reading() -> Iterator[list[tuple[float, float]]]:
    """What probabilities are asked for meanwhile."""
    read: list[tuple[float, float]] = []
    given = answerability.answerability

    def noted(words: WeightedPhrase, passages: Iterable[frozenset[str]]) -> float:
        passages = list(passages)
        share = max(map(words.share, passages), default=0.0)
        read.append((math.log(share + 0.05), len(words.unknown) / max(len(words.words), 1)))
        return given(words, passages)

    answerability.answerability = noted
    try:
        yield read
    finally:
        answerability.answerability = given


def weights(asked: list[Asked]) -> Floats:
    """The same for each set and kind, and for what can be answered and what cannot, in sum."""
    groups = [(each.dataset, each.kind, each.answerable) for each in asked]
    even = np.array([1 / groups.count(group) for group in groups])
    able = np.array([each.answerable for each in asked])
    for side in (able, ~able):
        even[side] *= 100 / even[side].sum()
    return even


def fit(asked: list[Asked]) -> Floats:
    """A logistic regression by Newton's method, with a small penalty: base, share, unknown."""
    x = np.array([(1.0, *each.features) for each in asked if each.features])
    y, even = np.array([float(each.answerable) for each in asked]), weights(asked)
    penalty = 0.05 * np.diag([0.0, 1.0, 1.0])
    found = np.zeros(3)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ found))
        hessian = (x * (even * p * (1 - p))[:, None]).T @ x + penalty + 1e-9 * np.eye(3)
        found += np.linalg.solve(hessian, x.T @ (even * (y - p)) - penalty @ found)
    return found


def left_out(asked: list[Asked]) -> Floats:
    """The probability of each question by a fit without its set; 1 or 0 where rules answer or refuse."""
    out = np.array([0.0 if each.refused else 1.0 for each in asked])
    for name in {each.dataset for each in asked}:
        found = fit([each for each in asked if each.features and each.dataset != name])
        for at, each in enumerate(asked):
            if each.dataset == name and each.features:
                out[at] = 1 / (1 + math.exp(-float(found @ (1.0, *each.features))))
    return out


def show(name: str, kind: str, asked: list[Asked], probabilities: Floats) -> None:
    for answerable in (True, False):
        at = [
            n for n, each in enumerate(asked)
            if (each.dataset, each.kind, each.answerable) == (name, kind, answerable)
        ]  # fmt: skip
        if not at:
            continue
        refused = float(np.mean([asked[n].refused for n in at]))
        without = float(np.mean(probabilities[at] < answerability.LEAST))
        figures = (
            f"{refused:>8.3f}{'':>20}{without:>18.3f}"
            if answerable
            else f"{'':>20}{1 - refused:>8.3f}{1 - without:>18.3f}"
        )
        print(f"{name[:22]:<22}  {len(at):>4} {kind:<6} {figures}")


def reliability(asked: list[Asked], probabilities: Floats) -> None:
    """How often what had a probability could be answered, each set weighing the same."""
    known = np.array([each.features is not None for each in asked])
    even, able = weights(asked), np.array([each.answerable for each in asked])
    print("\nprobability    questions    mean    could be answered")
    for low, high in pairwise(BINS):
        inside = known & (probabilities >= low) & ((probabilities < high) | (high == 1.0))
        if inside.any():
            total = even[inside].sum()
            mean, share = (float((even * each)[inside].sum() / total) for each in (probabilities, able))
            print(f"{low:.2f} to {high:.2f}   {int(inside.sum()):>9}    {mean:.2f}    {share:.2f}")


if __name__ == "__main__":
    main()
