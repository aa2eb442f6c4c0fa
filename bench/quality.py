"""How well recipes rank and answer: all datasets of a folder, recipes and changed recipes side by side.

    python bench/run.py quality --data DIR [--recipe "NAME [-STAGE] [FIELD=A[,B]] ..."] [--parts]

Plain BM25 is always beside them; with `--encoder`, so are BM25 and the recipes with it. `-STAGE`
leaves a stage out, `FIELD=A,B` is a row for each value. `--parts`: each part of a recipe left out in
turn. A changed recipe is printed as the difference from the recipe as it is, on each set, in the mean, and on
kinds of questions; and, where there are changed values, what comes of choosing among them on all other sets.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import shlex
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from bench.figures import ONE_THREAD, Figure, Groups, aligned

import asof
from asof import recipes
from asof.extensions.lab.answers import reference_answers
from asof.extensions.lab.datasets import load
from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.experiments import changed as with_fields
from asof.extensions.lab.experiments import parsed
from asof.extensions.lab.runs import EvaluationOptions
from asof.rank.stage import Recipe
from asof.wire import replace

RANKED = ("success@1", "ndcg@10", "recall@5", "evidence@4000", "evidence@12000")
ANSWERED = ("answer@1", "evidence", "refused_when_answerable", "answered_when_not")
PLAIN, ENCODED = "bm25", " + encoder"

OPTIONAL = (
    "spread_documents", "round_robin_by_document", "exact_name", "local",
)  # fmt: skip
"""Stages that a recipe is complete without; other parts have a weight."""

EARNS, EARNS_ON_A_KIND = 0.002, 0.01
"""What a part has to be worth, in the mean of the sets or on a kind of question, to stay."""
KIND = 20
"""The fewest questions of a kind of which a difference is told."""


@dataclass(frozen=True)
class Asked:
    """A changed or unchanged recipe. `base`: the name of the one that it is compared with, "" for itself.
    `part`: whether it lacks a part; else values are changed."""

    recipe: Recipe
    base: str = ""
    part: bool = False


@dataclass
class OfSet:
    """Of a dataset: for each recipe and metric the values of the questions, and the kinds of these."""

    name: str
    kinds: list[str]
    values: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    milliseconds: dict[str, float] = field(default_factory=dict)

    def mean(self, recipe: str, metric: str) -> float:
        """NaN where the metric applies to no question."""
        return _mean(self.values.get(recipe, {}).get(metric, ()))


# -- recipes -------------------------------------------------------------------------------------------


def asked_recipes(specs: Sequence[str], *, parts: bool) -> list[Asked]:
    """The recipes of some specifications, what is changed about them, and plain BM25; each once."""
    found: dict[str, Asked] = {}
    for spec in (*specs, PLAIN):
        name, *changes = shlex.split(spec)
        whole = recipes.named(name)
        made = [Asked(whole)]
        if changes:
            part = all(each.startswith("-") for each in changes)
            made += [Asked(each, name, part) for each in changed(whole, changes)]
        elif parts:
            made += [Asked(each, name, part=True) for each in without_parts(whole)]
        for each in made:
            found.setdefault(each.recipe.name, each)
    return list(found.values())


def without_parts(whole: Recipe) -> Iterator[Recipe]:
    """A recipe without each of its weights in a sum, and without each of its stages of OPTIONAL."""
    for name, stage in whole.stages_by_name().items():
        for column, weight in getattr(stage, "weights", ()):
            if weight:
                yield from changed(whole, [f"{name}.weights.{column}=0"])
        if name in OPTIONAL:
            yield from changed(whole, [f"-{name}"])


def changed(whole: Recipe, changes: Sequence[str]) -> Iterator[Recipe]:
    """A recipe without stages (`-STAGE`), with values of fields (`FIELD=A,B`); one for each combination.

    Raises SystemExit for a stage that it does not have, UsageError for a field.
    """
    left_out = [each[1:] for each in changes if each.startswith("-")]
    fields = dict(each.split("=", 1) for each in changes if not each.startswith("-"))
    for values in product(*(value.split(",") for value in fields.values())):
        made = with_fields(whole, {name: parsed(each) for name, each in zip(fields, values, strict=True)})
        for each in left_out:
            made = without(made, each)
        said = [*(f"-{each}" for each in left_out), *map("=".join, zip(fields, values, strict=True))]
        yield replace(made, name=" ".join([whole.name, *said]))


def without(recipe: Recipe, name: str) -> Recipe:
    """The recipe without a stage."""
    stages: dict[str, Any] = dict(recipe.stages_by_name())
    if name not in stages:
        raise SystemExit(f"{recipe.name} has no stage {name}; it has {', '.join(stages)}")
    del stages[name]
    return replace(recipe, stages=tuple(stages.values()))


def encoded_recipes(specs: Sequence[str]) -> list[Recipe]:
    """What a corpus with vectors is asked by: the recipes, and BM25 and vectors by reciprocal rank."""
    named = [recipes.named(name) for name in dict.fromkeys(shlex.split(spec)[0] for spec in specs)]
    made = [replace(recipes.named("hybrid-rrf"), name=PLAIN), *(e for e in named if e.name != PLAIN)]
    return [replace(each, name=f"{each.name}{ENCODED}") for each in made]


# -- asking --------------------------------------------------------------------------------------------


def measure(options: argparse.Namespace) -> Groups:
    """Ask all sets, print the tables, and return their figures."""
    chosen = set(filter(None, options.sets.split(",")))
    folders = [
        path.parent for path in options.data.glob("*/qrels.tsv") if not chosen or path.parent.name in chosen
    ]
    if not folders:
        raise SystemExit(f"{options.data}: no folder with qrels.tsv{' of ' if chosen else ''}{options.sets}")
    specs = options.recipe or ["asof"]
    asked = asked_recipes(specs, parts=options.parts)
    folders.sort(key=lambda folder: -(folder / "corpus.jsonl").stat().st_size)
    os.environ.update(ONE_THREAD)
    work = [(folder, specs, options) for folder in folders]
    if options.processes > 1:
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(options.processes, mp_context=spawn) as pool:
            sets = list(pool.map(ask, *zip(*work, strict=True)))
    else:
        sets = [ask(*each) for each in work]
    sets.sort(key=lambda each: each.name)
    print(report(sets, asked, options.metric), flush=True)
    return groups(sets)


def ask(folder: Path, specs: Sequence[str], options: argparse.Namespace) -> OfSet:
    """Ask one set by all recipes, without and with the encoder."""
    answers = options.answers and bool(reference_answers(load(folder)))
    chosen = EvaluationOptions(limit=options.questions, answers=answers)
    plain = [each.recipe for each in asked_recipes(specs, parts=options.parts)]
    runs: list[tuple[list[Recipe], Any]] = [(plain, None)]
    if options.encoder:
        runs.append((encoded_recipes(specs), asof.LocalEncoder(options.encoder)))
    out: OfSet | None = None
    for asked, encoder in runs:
        found = evaluate(folder, asked, chosen, encoder=encoder, cache=options.cache, compare=False)
        kinds = [str(each.record.get(options.by) or "") for each in found.questions]
        out = out or OfSet(folder.name, kinds)
        for run in found.runs:
            metrics = dict.fromkeys((*RANKED, options.metric))
            out.values[run.name] = {metric: run.values(metric).tolist() for metric in metrics}
            out.milliseconds[run.name] = run.latency(50)
        for run_ in found.answers.runs if found.answers else ():
            values = {f"answers: {metric}": run_.values(metric).tolist() for metric in ANSWERED}
            out.values[run_.name] |= values
    assert out is not None
    print(f"{out.name}: {len(out.kinds)} questions, {len(out.values)} recipes", flush=True)
    return out


# -- tables --------------------------------------------------------------------------------------------


def report(sets: Sequence[OfSet], recipes: Sequence[Asked], metric: str) -> str:
    """Metrics of the recipes as they are; differences of those that are changed; values chosen elsewhere."""
    changed = [each for each in recipes if each.base]
    names = [name for name in sets[0].values if name not in {each.recipe.name for each in changed}]
    metrics = dict.fromkeys(metric for of in sets for values in of.values.values() for metric in values)
    tables = []
    for each in metrics:
        applies = [of for of in sets if any(not math.isnan(of.mean(name, each)) for name in names)]
        if applies:
            head = [each, *(of.name for of in applies), "mean"]
            tables.append(aligned([head, *(_line(name, applies, each) for name in names)]))
    if parts := [each for each in changed if each.part]:
        tables.append(_differences(f"{metric} without", sets, parts, metric, verdict=True))
    if values := [each for each in changed if not each.part]:
        tables.append(_differences(f"{metric} with", sets, values, metric, verdict=False))
        tables += [
            _elsewhere(base, sets, [each.recipe.name for each in values if each.base == base], metric)
            for base in dict.fromkeys(each.base for each in values)
        ]
    return "\n\n".join(("", *tables))


def _line(name: str, sets: Sequence[OfSet], metric: str) -> list[str]:
    means = [of.mean(name, metric) for of in sets]
    return [name, *map(_written, means), _written(_mean(means))]


def _differences(
    title: str, sets: Sequence[OfSet], changed: Sequence[Asked], metric: str, *, verdict: bool
) -> str:
    """For each changed recipe the difference from its base; the kinds of questions on which it is large."""
    lines = [[title, *(of.name for of in sets), "mean", "earns" if verdict else ""]]
    notes = []
    for each in changed:
        name = each.recipe.name
        means = [of.mean(name, metric) - of.mean(each.base, metric) for of in sets]
        kinds = [kind for of in sets for kind in _kinds(of, name, each.base, metric)]
        earns = -_mean(means) >= EARNS or any(least < 0 for _, least, _ in kinds)
        lines.append(
            [name, *map(_signed, means), _signed(_mean(means)), ("yes" if earns else "no") if verdict else ""]
        )
        notes += [f"  {name}: {text}" for _, _, text in sorted(kinds)]
    kinds_of = f"kinds of at least {KIND} questions with a difference of {EARNS_ON_A_KIND} or more:"
    return "\n".join((aligned(lines), *((kinds_of, *notes) if notes else ())))


def _kinds(of: OfSet, name: str, base: str, metric: str) -> Iterator[tuple[str, float, str]]:
    """Set and kind, the difference, and both as a text with an interval of 95%."""
    pairs = zip(of.kinds, of.values[name][metric], of.values[base][metric], strict=True)
    found: dict[str, list[float]] = {}
    for kind, value, before in pairs:
        if not math.isnan(value - before):
            found.setdefault(kind, []).append(value - before)
    for kind, values in found.items():
        mean, n = _mean(values), len(values)
        if n >= KIND and abs(mean) >= EARNS_ON_A_KIND:
            wide = 1.96 * math.sqrt(sum((each - mean) ** 2 for each in values) / (n - 1) / n)
            yield (
                f"{of.name}/{kind}",
                mean,
                f"{of.name}, {kind}: {_signed(mean)} ± {wide:.3f} ({n} questions)",
            )


def _elsewhere(base: str, sets: Sequence[OfSet], names: Sequence[str], metric: str) -> str:
    """Of each set what the value has that is best on all other sets."""
    choices = [base, *names]
    best = {
        of.name: max(choices, key=lambda name: _mean([x.mean(name, metric) for x in sets if x is not of]))
        for of in sets
    }
    lines = [
        [f"{base}: {metric}", *(of.name for of in sets), "mean"],
        _line(base, sets, metric),
        ["chosen on all other sets", *(_written(of.mean(best[of.name], metric)) for of in sets)],
        ["which is", *(best[of.name].removeprefix(base).strip() or "as it is" for of in sets), ""],
    ]
    lines[2].append(_written(_mean([of.mean(best[of.name], metric) for of in sets])))
    return aligned(lines)


def groups(sets: Sequence[OfSet]) -> Groups:
    """All means as figures: of each set, and the mean of the sets."""
    made: Groups = {}
    for of in sets:
        made[f"quality, {of.name}, {len(of.kinds)} questions"] = {
            name: {
                metric: Figure(of.mean(name, metric), "")
                for metric in values
                if not math.isnan(of.mean(name, metric))
            }
            | {"a question": Figure(of.milliseconds[name], "ms")}
            for name, values in of.values.items()
        }
    made[f"quality, mean of {len(sets)} sets"] = {
        name: {
            metric: Figure(mean, "")
            for metric in values
            if not math.isnan(mean := _mean([of.mean(name, metric) for of in sets]))
        }
        for name, values in sets[0].values.items()
    }
    return made


def _mean(values: Sequence[float]) -> float:
    known = [each for each in values if not math.isnan(each)]
    return math.fsum(known) / len(known) if known else math.nan


def _written(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}"


def _signed(value: float) -> str:
    return "" if math.isnan(value) else "0" if abs(value) < 0.00005 else f"{value:+.4f}"
