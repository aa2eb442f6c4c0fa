"""Fits what chooses and refuses answers, and judges it on the corpora left out.

    python bench/answers.py --arena DIR [--arena DIR ...] [--data DIR] [--work DIR]

Banks of questions (`bench/arena.py`) with their corpora in index/NAME of their folder, and datasets,
whose answers are looked for in the quotes. Prints the weights of `asof.answer.choose.WEIGHTS` and the share
of first quotes that are right, on each corpus by weights that were fitted on all others; then the weights of
`asof.answer.answerable.WEIGHTS`, refusals by the same, and how often a probability comes true.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.arena import matches

import asof
from asof import engine
from asof.answer import answerable, choose
from asof.answer.ask import RetrievedPassages, context_of
from asof.answer.choose import Candidates, Signs, quote_of
from asof.corpus.snapshot import Snapshot
from asof.queries import Filters

SETS = ("realtimeqa-evidence", "timeqa-human", "situatedqa", "multihoprag-facts", "ect-qa")
NONE = (["unanswerable"], ["Insufficient information."], [""])
"""The answers of datasets to questions without one."""

QUESTIONS = 200
LEAST_OF_SET = 0.3
"""The weight of a question of a dataset, of one of a bank 1."""
RIDGE, PASSAGES = 30.0, 100
REFUSED = 0.02, 0.04, 0.06, 0.08, 0.1, 0.15


class Asked(NamedTuple):
    """The statements of a question: their signs, which are right as quotes. `able`: the signs that it can be
    answered; `answerable`: that is so."""

    signs: np.ndarray
    right: np.ndarray
    able: Sequence[float]
    answerable: bool


def look(then: Snapshot, question: str, right: Callable[[str], bool], refuse: bool = False) -> Asked:
    reading, query, recipe = then.reader.query_for(question, PASSAGES, Filters(), "passage", None, None)

    def seen(view: Any) -> Asked:
        ranked = engine.search(query, view, recipe)
        retrieved = RetrievedPassages(view, reading, ranked.hits, ranked.rows, Filters(), ())
        whole = context_of(retrieved, None)
        found = Candidates.of(whole.parsed, whole.words, whole.hits, whole.sentences)
        texts = [quote_of(found.statements, at, whole.parsed.wants_list).text for at in found.signs]
        return Asked(
            np.array([*found.signs.values()], float).reshape(-1, len(Signs._fields)),
            np.array([right(text) for text in texts], bool),
            answerable.signs_of(whole.parsed, whole.words, found), not refuse,
        )  # fmt: skip

    return then.session.use(reading.as_of, None, seen)


def of_bank(path: Path) -> Iterator[Asked]:
    bank = json.loads(path.read_text(encoding="utf-8"))
    with asof.open(path.parent / "index" / path.stem) as corpus:
        for each in bank["questions"]:
            then = corpus.at(each.get("as_of") or None)
            yield look(then, each["text"], partial(matches, each["answer"] or "(?!)"), each["refuse"])


def padded(text: str) -> str:
    return " ".join(["", *re.findall(r"\w+", text.lower()), ""])


def of_set(folder: Path, work: Path) -> Iterator[Asked]:
    index = work / folder.name
    if not (index / ".asof").is_dir():
        index.mkdir(parents=True, exist_ok=True)
        words = [sys.executable, "-m", "asof", "index", str(folder / "corpus.jsonl"), "--index", str(index)]
        subprocess.run(words, check=True, capture_output=True)
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [each for each in map(json.loads, lines) if each.get("answer") is not None]
    random.Random(3).shuffle(questions)
    with asof.open(index) as corpus:
        for each in questions[:QUESTIONS]:
            answers = each["answer"] if isinstance(each["answer"], list) else [str(each["answer"])]
            plain = [padded(answer) for answer in answers]

            def right(text: str, plain: list[str] = plain) -> bool:
                return any(answer in padded(text) for answer in plain)

            refuse = each.get("answerable") is False or answers in NONE
            yield look(corpus.at(each.get("asked_at") or None), each["text"], right, refuse)


def fitted(of: dict[str, list[Asked]], names: Sequence[str], banks: Sequence[str]) -> np.ndarray:
    """The weights of a softmax over the statements of each question, with a prior at those of today."""
    pairs = [(each.signs, each.right, 1.0 if name in banks else LEAST_OF_SET)
             for name in names for each in of[name] if each.right.any()]  # fmt: skip
    spread = np.concatenate([signs for signs, _, _ in pairs]).std(0)
    spread[spread < 1e-9] = 1.0
    prior = np.array(choose.WEIGHTS) * spread

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = RIDGE / 2 * float((weights - prior) @ (weights - prior)), RIDGE * (weights - prior)
        for signs, right, share in pairs:
            scaled = signs / spread
            odds = np.exp((score := scaled @ weights) - score.max())
            chance = odds / odds.sum()
            hit = max(float(chance[right].sum()), 1e-12)
            total -= share * np.log(hit)
            slope = slope - share * (scaled.T @ (chance * right / hit - chance))
        return total, slope

    found: np.ndarray = minimize(loss, prior.copy(), jac=True, method="L-BFGS-B").x / spread
    return found


def first_right(of: Sequence[Asked], weights: np.ndarray) -> float:
    asked = [each for each in of if each.answerable]
    return sum(bool(len(each.right) and each.right[(each.signs @ weights).argmax()]) for each in asked) / len(
        asked
    )


def able(
    of: dict[str, list[Asked]], names: Sequence[str], banks: Sequence[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    asked = [each for name in names for each in of[name]]
    shares = [1.0 if name in banks else LEAST_OF_SET for name in names for _ in of[name]]
    yes = np.array([each.answerable for each in asked])
    return np.array([each.able for each in asked], float), yes, np.array(shares)


def logistic(signs: np.ndarray, yes: np.ndarray, share: np.ndarray) -> np.ndarray:
    spread = signs.std(0) + 1e-9
    scaled = np.column_stack([np.ones(len(signs)), signs / spread])
    share = np.where(yes, 0.5 / max(share[yes].sum(), 1), 0.5 / max(share[~yes].sum(), 1)) * share * len(yes)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        chance = 1 / (1 + np.exp(-scaled @ weights))
        total = -float(share @ np.log(np.where(yes, chance, 1 - chance) + 1e-12)) + float(
            weights[1:] @ weights[1:]
        )
        return total, scaled.T @ (share * (chance - yes)) + 2 * np.concatenate([[0.0], weights[1:]])

    found = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B").x
    return np.concatenate([found[:1], found[1:] / spread])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arena", type=Path, action="append", required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, default=Path("answers-work"))
    options = parser.parse_args()
    paths = [path for folder in options.arena for path in sorted(folder.glob("*.json"))
             if (folder / "index" / path.stem / ".asof").is_dir()]  # fmt: skip
    of = {path.stem: list(of_bank(path)) for path in paths}
    banks = list(of)
    if options.data:
        of |= {name: list(of_set(options.data / name, options.work)) for name in SETS}
    now = np.array(choose.WEIGHTS)
    lines = []
    for name in of:
        left_out = fitted(of, [each for each in of if each != name], banks)
        lines.append((first_right(of[name], now), first_right(of[name], left_out)))
        print(f"{name:24} first quote right {lines[-1][0]:.3f}, by weights of the others {lines[-1][1]:.3f}")
    print(
        "mean of banks",
        np.mean(lines[: len(banks)], axis=0).round(4),
        "of sets",
        np.mean(lines[len(banks) :], axis=0).round(4),
    )
    print(
        {
            name: round(float(each), 2)
            for name, each in zip(Signs._fields, fitted(of, list(of), banks), strict=True)
        }
    )
    chances, truth = [], []
    for name in of:
        signs, yes, _ = able(of, [name], banks)
        weights = logistic(*able(of, [each for each in of if each != name], banks))
        chance = 1 / (1 + np.exp(-(weights[0] + signs @ weights[1:])))
        if name in banks:
            chances.append(chance)
            truth.append(yes)
        below = [np.mean(chance[which] < answerable.LEAST) if which.any() else 0 for which in (yes, ~yes)]
        print(f"{name:24} refused {below[0]:.3f} with an answer, {below[1]:.3f} without one")
    chance, yes = np.concatenate(chances), np.concatenate(truth)
    for least in np.quantile(chance[yes], REFUSED):
        shares = [np.mean(chance[which] < least) for which in (yes, ~yes)]
        print(f"below {least:.3f}: refused {shares[0]:.3f} with an answer, {shares[1]:.3f} without one")
    for low in np.arange(0, 1, 0.2):
        inside = (chance >= low) & (chance < low + 0.2)
        print(
            f"{low:.1f} to {low + 0.2:.1f}: {yes[inside].mean() if inside.any() else 0:.2f} of {inside.sum()}"
        )
    weights = logistic(*able(of, list(of), banks))
    print(
        {"constant": round(float(weights[0]), 2)}
        | {
            name: round(float(each), 2)
            for name, each in zip(answerable.AnswerSigns._fields, weights[1:], strict=True)
        }
    )


if __name__ == "__main__":
    main()
