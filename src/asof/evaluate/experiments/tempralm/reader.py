"""`tempralm/reader`: exact match of a language model that reads what was retrieved, with examples."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.table import Cell, Column, Row, Table
from asof.evaluate.experiments.tempralm.forms import (
    ALL_VISIBLE,
    DATA,
    FORMS,
    OWN_FACTS,
    SETTINGS,
    WITH,
    WITHOUT,
    WORDS,
    places_by_form,
    wholes,
    without_time,
)
from asof.recipes.tempralm import TEMPRALM
from asof.schema import whole

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.evaluate.runs.compare import Floats
    from asof.evaluate.runs.dataset import Dataset
    from asof.evaluate.runs.questions import DatasetQuestion
    from asof.models.ports import Prompt
    from asof.rank.recipe import Recipe

EXAMPLES = (0, 32, 64, 128)
LONGEST = 60
"""Tokens of a reply."""

PUBLISHED = Table((Column("exact match"),))


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """Each retriever with each number of examples. Raises UsageError without a model, ModelError."""
    from asof import environment
    from asof.corpus.models import ModelProvider
    from asof.evaluate.options import EvaluationOptions
    from asof.evaluate.runs.compare import clusters, estimate
    from asof.evaluate.runs.corpus import prepared
    from asof.evaluate.runs.dataset import load
    from asof.evaluate.runs.selection import check_filters

    if options.config.model is None:
        raise options.config.lacking("model", "tempralm/reader asks a language model")
    data = load(dataset, queries=options.queries)
    check_filters(data, EvaluationOptions(filter_by=options.filter_by))
    sizes = sorted(options.parameters["examples"])
    shown, asked = divided(data, max(sizes), options)
    forms = places_by_form(asked)
    cluster = clusters([each.text for each in asked])
    rows: list[Row] = []
    cache = options.cache or environment.cache_folder()
    whole_recipe = options.applied(TEMPRALM)
    with prepared(data, options.indexed(SETTINGS), cache, options.encoder) as corpus:
        models = ModelProvider(corpus.session, config=replace(corpus.config, model=options.config.model))
        with models.language() as model:
            assert model is not None  # noqa: S101  it is configured
            for name, recipe in {WITHOUT: without_time(whole_recipe), WITH: whole_recipe}.items():
                k = options.parameters["passages"]
                retriever = Retriever(corpus, data, recipe, k, options.filter_by)
                solved = [(retriever.posed(each), each.record["answer"]) for each in shown]
                posed = [retriever.posed(each) for each in asked]
                for size in sizes:
                    options.progress(f"{name}, {size} examples", 0, len(asked))
                    replies = model.complete([prompt_for(each, solved[:size]) for each in posed])
                    right = exact_matches([reply.text for reply in replies], asked)
                    cells: dict[str, Cell] = {"exact match": estimate(right, cluster, options.seed)}
                    for form, at in forms.items():
                        cells[form] = estimate(right[at], cluster[at], options.seed)
                    rows.append(Row(f"{size} examples, {name}", cells))
            meter = model.meter
    columns = (*PUBLISHED.columns, *map(Column, forms))
    failed = f"; {meter.failed:,} without a usable reply count as wrong" if meter.failed else ""
    used = f"{meter.prompt_tokens:,} tokens read and {meter.reply_tokens:,} written"
    note = f"{model.name}: {meter.calls:,} calls, {meter.cached:,} kept replies, {used}{failed}"
    return Outcome(Table(columns, tuple(rows)), len(asked), (note,), data.problems)


def divided(
    data: Dataset, most: int, options: ExperimentOptions
) -> tuple[list[DatasetQuestion], list[DatasetQuestion]]:
    """The questions that are shown as examples, and those that are asked: by a hash, none in both.

    Questions need a field `answer`. Raises UsageError where too few are left.
    """
    from asof.errors import UsageError

    known = [each for each in data.questions if isinstance(each.record.get("answer"), str)]
    order = sorted(known, key=lambda each: hashlib.sha256(f"{options.seed} {each.id}".encode()).digest())
    shown, asked = order[:most], order[most:]
    if not asked:
        raise UsageError(
            f"{data.name} has {len(known):,} questions with a text in answer; more than {most:,} are needed, "
            f"{most:,} of them as examples (--set examples=[0, 8])"
        )
    return shown, asked[: options.limit]


def exact_matches(replies: Sequence[str], asked: Sequence[DatasetQuestion]) -> Floats:
    """1 for each reply whose first line is the answer, compared as `evaluate --answers` does."""
    import numpy as np

    from asof.evaluate.answers.word_overlap import exact_match, uncited

    first = [uncited(reply.strip().partition("\n")[0]) for reply in replies]
    right = [exact_match(line, [each.record["answer"]]) for line, each in zip(first, asked, strict=True)]
    return np.array(right, np.float64)


@dataclass(frozen=True, slots=True)
class Posed:
    """A question with the passages that were retrieved for it, as lines, and their ids in the store."""

    text: str
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Retriever:
    """Retrieves passages for questions, each as of its moment."""

    corpus: Corpus
    data: Dataset
    recipe: Recipe
    k: int
    filter_by: Sequence[str] = ()

    def posed(self, question: DatasetQuestion) -> Posed:
        """A question as the reader gets it."""
        import numpy as np

        from asof.evaluate.runs.run import filters

        moment = self.data.as_of(question)
        then = self.corpus.snapshot(moment, None, stated=question.asked_at is not None)
        found = then.search(
            question.text, self.k, recipe=self.recipe, meta=filters(question, self.filter_by), unit="passage"
        )
        rows = np.array(found.rows, np.int64)
        lines = [
            f"[{hit.rank}] {hit.published or 'undated'}: {' '.join(hit.text.split())}" for hit in found.hits
        ]
        return Posed(
            "\n".join([*lines, f"Question: {question.text}"]),
            tuple(found.view.column("passage", rows).tolist()),
        )


def prompt_for(posed: Posed, examples: Sequence[tuple[Posed, str]] = ()) -> Prompt:
    """The prompt for a question, after some that are answered."""
    from asof.models.ports import Prompt
    from asof.models.prompts import delimiter_for, prompt_text

    mark = delimiter_for("\0".join([*(each.text for each, _ in examples), posed.text]))
    solved = [f"{mark}\n{each.text}\n{mark}\nAnswer: {answer}" for each, answer in examples]
    asked = f"{mark}\n{posed.text}\n{mark}\nAnswer:"
    used = dict.fromkeys(each for one in (*(one for one, _ in examples), posed) for each in one.passages)
    return Prompt(
        prompt_text(__package__ or "", "reader"), "\n\n".join([*solved, asked]), None, tuple(used), LONGEST
    )


EXPERIMENT = Experiment(
    "tempralm/reader",
    "exact match of a language model that reads what each retriever found, by examples in its prompt",
    "TempRALM, exact match on TPQ-2019 and TPQ-2020 with 32, 64 and 128 examples",
    PUBLISHED,
    run,
    reading=(
        "The text prints one figure: exact match rises by up to 74% where the year is not that of a passage.",
        "The paper fine-tunes its reader on 32, 64 and 128 examples; here as many stand in the prompt.",
        "The prompt is in our own words; each example stands with what was retrieved for it.",
        "Examples are questions of the same dataset that are not asked, chosen by a hash.",
        OWN_FACTS,
        FORMS,
        ALL_VISIBLE,
        WORDS,
    ),
    data=f"{DATA}; with the field answer, and [model] in asof.toml",
    parameters={
        "examples": Parameter(list(EXAMPLES), wholes(0, 1_000), "how many examples stand in a prompt"),
        "passages": Parameter(5, whole(1, 50), "how many passages the reader gets"),
    },
    recipe=TEMPRALM,
)
