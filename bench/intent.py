"""How well direction and volatility are read from questions, and the fit of their weights.

    .venv/bin/python bench/intent.py DIR_TQIC DIR_RECENCYQA
    .venv/bin/python bench/intent.py DIR_TQIC DIR_RECENCYQA --write src/asof/time/weights.toml

Each DIR holds queries.jsonl. The figures come from cross-validation by groups: questions that share
half of their words, or a rare name, stay together, so neither a template nor a subject is on both sides. The
weights of a fold are fitted without it. Direction: a softmax regression with a Gaussian prior around `PRIOR`,
accuracy over four classes. Volatility: a logistic regression on the mean labelled speed in [0, 1], Spearman.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import spearmanr

from asof.time.cues import cues, kinds_of_answer, words_of
from asof.time.expressions import parse
from asof.time.intent import intent
from asof.time.question_form import question_form
from asof.time.tendency import DIRECTIONS, features, weights

SPEEDS = (
    "Never", "Many-Years", "A-Few-Years", "A-Year", "A-Few-Months", "A-Month", "A-Few-Weeks", "A-Week",
    "A-Few-Days", "A-Day", "A-Few-Hours", "An-Hour",
)  # fmt: skip

Floats = NDArray[np.float64]

PAST, RECENT, FUTURE, TIMELESS = np.eye(4)
LEVELS = ("reading", "market", "cost", "result", "rank", "news", "figure", "role")
PRIOR: dict[str, Floats] = {
    "wish": 3 * RECENT, "past": 3 * PAST, "future": 3 * FUTURE, "still": 2 * RECENT, "relation.before": PAST,
    "tense.past": PAST, "tense.future": FUTURE, "date.past": PAST, "date.coming": FUTURE,
    "who.tense.present": RECENT / 2, "where.tense.present": RECENT / 2, "quantity.tense.present": RECENT / 2,
    "kind.forecast": FUTURE, "kind.plan": FUTURE, "kind.constant": TIMELESS,
} | {f"kind.{kind}": RECENT for kind in LEVELS}  # fmt: skip
"""What words mean before any question was seen; a fit moves away from it as far as its questions say."""

FOLDS = 10
RAREST, COMMONEST = 3, 60
"""A feature needs as many questions to be fitted; a name of at most as many ties its questions together."""

LEAST = 0.03
"""A weight that moves a sum by less is not written."""


def read(folder: Path) -> list[dict[str, Any]]:
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def asked_at(question: dict[str, Any]) -> datetime | None:
    text = question["asked_at"]
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


def features_of(question: dict[str, Any]) -> list[str]:
    text, anchor = question["text"], asked_at(question)
    words = words_of(text)
    asked = question_form(text, cues(text, words, "en"), parse(text, anchor), anchor)
    return list(features(asked, kinds_of_answer(text, words, "en"), "en"))


def label(question: dict[str, Any]) -> int:
    """The place of a labelled direction in `DIRECTIONS`; what is called atemporal there is timeless here."""
    return DIRECTIONS.index({"atemporal": "timeless"}.get(question["type"], question["type"]))


def groups(texts: Sequence[str]) -> list[int]:
    """A number for each text, the same for texts that share half their words or a rare name."""
    parent = list(range(len(texts)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    words = [set(re.findall(r"[^\W\d_]+", text.lower())) for text in texts]
    for i, here in enumerate(words):
        for j in range(i):
            if 3 * len(here & words[j]) >= len(here) + len(words[j]):  # Jaccard >= 1/2
                parent[root(i)] = root(j)
    named: dict[str, list[int]] = defaultdict(list)
    for at, text in enumerate(texts):
        if any(word.islower() for word in text.split()):
            for name in set(re.findall(r"(?<=\w )[A-Z]\w+(?: [A-Z]\w+)*|'[A-Z][^']+'", text)):
                named[name].append(at)
    for members in named.values():
        if len(members) <= COMMONEST:
            for member in members:
                parent[root(member)] = root(members[0])
    return [root(at) for at in range(len(texts))]


def folds(group: Sequence[int]) -> list[int]:
    """A fold for each question: the largest group goes to the emptiest fold."""
    sizes, load = Counter(group), [0] * FOLDS
    fold: dict[int, int] = {}
    for name, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        fold[name] = load.index(min(load))
        load[fold[name]] += size
    return [fold[name] for name in group]


def told(group: Sequence[int]) -> str:
    sizes = Counter(group)
    return f"{len(group)} questions in {len(sizes)} groups (largest {max(sizes.values())}), {FOLDS} folds"


def matrix(rows: Sequence[Sequence[str]], names: Sequence[str]) -> Floats:
    column = {name: at for at, name in enumerate(names)}
    made = np.zeros((len(rows), len(names)))
    for at, row in enumerate(rows):
        made[at, [column[name] for name in row if name in column]] = 1.0
    return made


def common(rows: Sequence[Sequence[str]], least: int) -> list[str]:
    counts = Counter(name for row in rows for name in row)
    return sorted({name for name, count in counts.items() if count >= least})


def fit(made: Floats, targets: Floats, prior: Floats, strength: float) -> Floats:
    """Weights of least cross entropy + strength/2 · |weights - prior|²; one column: logistic."""

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(prior.shape)
        sums = made @ weights
        if prior.shape[1] == 1:
            sums = np.hstack((sums, np.zeros_like(sums)))
        top = sums.max(axis=1, keepdims=True)
        logs = sums - top - np.log(np.exp(sums - top).sum(axis=1, keepdims=True))
        away = weights - prior
        slope = (made.T @ (np.exp(logs) - targets))[:, : prior.shape[1]] + strength * away
        return float(-(targets * logs).sum() + strength / 2 * (away**2).sum()), slope.ravel()

    return np.asarray(
        minimize(loss, prior.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    ).reshape(prior.shape)


def direction_fit(rows: Sequence[Sequence[str]], labels: Sequence[int], strength: float) -> dict[str, Floats]:
    names = sorted({*common(rows, 2), *PRIOR})
    prior = np.array([PRIOR.get(name, np.zeros(4)) for name in names])
    weights = fit(matrix(rows, names), np.eye(4)[list(labels)], prior, strength)
    return dict(zip(names, weights, strict=True))


def speed_fit(rows: Sequence[Sequence[str]], speeds: Floats, strength: float) -> dict[str, Floats]:
    names = common(rows, RAREST)
    targets = np.column_stack((speeds, 1 - speeds))
    return dict(
        zip(names, fit(matrix(rows, names), targets, np.zeros((len(names), 1)), strength), strict=True)
    )


def summed(row: Sequence[str], weights: dict[str, Floats], width: int) -> Floats:
    return np.asarray(sum((weights[name] for name in row if name in weights), np.zeros(width)))


def directions(questions: list[dict[str, Any]], strength: float, misses: bool) -> None:
    rows = [features_of(question) for question in questions]
    labels = [label(question) for question in questions]
    group = groups([question["text"] for question in questions])
    fold = folds(group)
    confusion = np.zeros((4, 4), int)
    right = [0] * FOLDS
    for at in range(FOLDS):
        seen = [i for i, other in enumerate(fold) if other != at]
        fitted = direction_fit([rows[i] for i in seen], [labels[i] for i in seen], strength)
        for i in (i for i, other in enumerate(fold) if other == at):
            guess = int(summed(rows[i], fitted, 4).argmax())
            confusion[labels[i], guess] += 1
            right[at] += guess == labels[i]
            if misses and guess != labels[i]:
                read_as = f"{DIRECTIONS[labels[i]]:9} read as {DIRECTIONS[guess]:9}"
                print(f"  {read_as} {questions[i]['text']}  {rows[i]}")
    sizes = Counter(fold)
    print(f"direction: {told(group)}, prior strength {strength}")
    print("  right of each fold: " + ", ".join(f"{right[at]}/{sizes[at]}" for at in range(FOLDS)))
    print(f"  accuracy {sum(right) / len(rows):.3f}")
    print("  rows: labelled, columns: read  " + " ".join(f"{name:>9}" for name in DIRECTIONS))
    for name, row in zip(DIRECTIONS, confusion, strict=True):
        print(f"  {name:>29}  " + " ".join(f"{count:9}" for count in row))


def speeds_of(questions: list[dict[str, Any]]) -> Floats:
    """The mean of the labelled classes' ranks, 0 never, 1 within an hour."""
    return np.array(
        [
            sum(SPEEDS.index(name) * share for name, share in question["label_distribution"].items())
            for question in questions
        ]
    ) / (len(SPEEDS) - 1)


def volatilities(questions: list[dict[str, Any]], strength: float) -> None:
    rows = [features_of(question) for question in questions]
    speeds, ranks = speeds_of(questions), np.array([SPEEDS.index(question["type"]) for question in questions])
    group = groups([question["text"] for question in questions])
    fold = np.array(folds(group))
    read = np.zeros(len(rows))
    for at in range(FOLDS):
        seen = np.flatnonzero(fold != at)
        fitted = speed_fit([rows[i] for i in seen], speeds[seen], strength)
        for i in np.flatnonzero(fold == at):
            read[i] = summed(rows[i], fitted, 1)[0]
    by_fold = [float(spearmanr(read[fold == at], ranks[fold == at]).statistic) for at in range(FOLDS)]
    print(f"volatility: {told(group)}, prior strength {strength}")
    print("  Spearman of each fold: " + ", ".join(f"{value:.2f}" for value in by_fold))
    by_class, by_mean = (float(spearmanr(read, other).statistic) for other in (ranks, speeds))
    print(f"  Spearman with the labelled class {by_class:.3f}, with the mean speed {by_mean:.3f}")
    third = np.digitize(read, np.quantile(read, (1 / 3, 2 / 3)))
    print("  questions by labelled class (rows) and third of read volatility (columns)")
    for at, name in enumerate(SPEEDS):
        print(
            f"  {name:>14} "
            + " ".join(f"{int(((ranks == at) & (third == part)).sum()):5}" for part in range(3))
        )


def write(
    file: Path, looks: list[dict[str, Any]], changes: list[dict[str, Any]], given: argparse.Namespace
) -> None:
    """The weights fitted on all questions, to two decimals; what weighs less than `LEAST` is left out."""
    rows = [features_of(question) for question in looks]
    by_direction = direction_fit(rows, [label(question) for question in looks], given.strength)
    speeds = speed_fit(
        [features_of(question) for question in changes], speeds_of(changes), given.speed_strength
    )
    strengths = f"--strength {given.strength} --speed-strength {given.speed_strength}"
    lines = [
        f"# Weights of asof.time.tendency, fitted on {len(looks)} questions of Temporalia TQIC (direction)",
        f"# and {len(changes)} of RecencyQA (volatility) by",
        f"#     .venv/bin/python bench/intent.py DIR_TQIC DIR_RECENCYQA {strengths} --write THIS_FILE",
        "",
        f"[direction]  # {', '.join(DIRECTIONS)}",
    ]
    for name, row in sorted(by_direction.items()):
        if abs(row).max() >= LEAST:
            lines.append(f'"{name}" = [{", ".join(f"{value + 0.0:.2f}" for value in row)}]')
    lines += ["", "[volatility]"]
    lines += [f'"{name}" = {row[0]:.2f}' for name, row in sorted(speeds.items()) if abs(row[0]) >= LEAST]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{file} written")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tqic", type=Path)
    parser.add_argument("recencyqa", type=Path)
    parser.add_argument("--strength", type=float, default=1.0, help="of the prior, direction")
    parser.add_argument("--speed-strength", type=float, default=3.0, help="of the prior, volatility")
    parser.add_argument("--misses", action="store_true", help="list the questions whose direction is misread")
    parser.add_argument("--write", type=Path, help="fit on all questions and write the weights")
    given = parser.parse_args()
    looks, changes = read(given.tqic), read(given.recencyqa)
    directions(looks, given.strength, given.misses)
    volatilities(changes, given.speed_strength)
    if given.write:
        write(given.write, looks, changes, given)
        weights.cache_clear()
    cost([question["text"] for question in (*looks, *changes)])


def cost(texts: list[str]) -> None:
    """Microseconds per question, the best of five calls each."""
    took = []
    for text in texts:
        calls = []
        for _ in range(5):
            start = perf_counter()
            intent(text)
            calls.append(perf_counter() - start)
        took.append(min(calls))
    middle, late = np.quantile(took, (0.5, 0.9)) * 1e6
    print(f"cost: median {middle:.1f} µs, ninth decile {late:.1f} µs per question")


if __name__ == "__main__":
    main()
