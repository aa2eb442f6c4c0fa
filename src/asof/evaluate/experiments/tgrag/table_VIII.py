# ruff: noqa: N999  the paper numbers its tables so
"""`tgrag/VIII`: how many entities and relations the graph has, before and after the update."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from asof.evaluate.experiments.drawing import beside
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome
from asof.evaluate.experiments.table import Cell, Column, Row, Table
from asof.evaluate.experiments.tgrag.protocol import LATER

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus

COLUMNS = ("base entities", "base relations", "updated entities", "updated relations")

PUBLISHED = Table.of(
    [Column(name, "", 0) for name in COLUMNS],
    {
        "GraphRAG": (45_540, 59_679, 54_854, 71_989),
        "LightRAG": (35_003, 42_892, 42_514, 53_383),
        "HippoRAG2": (19_318, 24_205, 22_128, 28_153),
        "TG-RAG": (16_817, 28_157, 20_110, 34_671),
    },
)
OURS = ("base periods", "updated periods", "index calls", "update calls")


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """The graph of the base, and of both. Raises UsageError, ModelError."""
    from tempfile import TemporaryDirectory

    from asof.corpus.corpus import open as open_corpus
    from asof.evaluate.answers.facts import add_and_read
    from asof.evaluate.experiments.tgrag.answering import models_of
    from asof.evaluate.runs.dataset import load
    from asof.evaluate.runs.split import BASE, NEW, split
    from asof.store.settings import CorpusSettings

    data = load(dataset)
    parts = split(data, options.parameters["later"])
    cells: dict[str, Cell] = {}
    with (
        TemporaryDirectory(prefix="asof-graph-") as folder,
        open_corpus(folder, settings=CorpusSettings(undated="always")) as corpus,
    ):
        corpus.session.clock = itertools.count(data.clock, 1_000_000).__next__
        corpus.maintenance.background = False
        models_of(options).configure(corpus)
        for part, kind, calls in ((BASE, "base", OURS[2]), (NEW, "updated", OURS[3])):
            cost = add_and_read(corpus, parts.documents(data, part), options.progress)
            entities, relations, periods = sizes(corpus)
            cells |= {
                f"{kind} entities": entities, f"{kind} relations": relations, f"{kind} periods": periods,
                calls: cost.calls,
            }  # fmt: skip
    columns = (*PUBLISHED.columns, *(Column(name, "", 0) for name in OURS))
    table = Table(columns, (Row("TG-RAG", cells),))
    caption = f"{data.name}: the graph before and after the update."
    note = "facts by the model of asof.toml" if options.config.model else "facts by rules: no model is asked"
    return Outcome(table, 0, (note,), data.problems, (beside("tgrag-VIII", PUBLISHED, table, caption),))


def sizes(corpus: Corpus) -> tuple[int, int, int]:
    """The entities, the relations between them, and the periods of a corpus as it is now."""
    from asof.evaluate.answers.facts import all_facts
    from asof.knowledge.hierarchy import Hierarchy
    from asof.knowledge.neighbourhood import graph_size

    view = corpus.at().view()
    facts = all_facts(view)
    entities, relations = graph_size(view, facts)
    return entities, relations, len(Hierarchy.of(facts).nodes)


EXPERIMENT = Experiment(
    "tgrag/VIII",
    "the size of the graph: entities and relations of the base and of the updated corpus",
    "TG-RAG, section VI-B, table VIII",
    PUBLISHED,
    run,
    reading=(
        "Entities are names (several may mean one) and measures that have values; relations are facts.",
        "Which facts a text has is up to its reader, a model or rules: sizes by different ones say little.",
        "Periods and calls of a model are ours: the time hierarchy, and what reading base and update took.",
    ),
    data="ECT-QA (bench/ect_qa.py), or any folder as of asof evaluate",
    parameters={"later": LATER},
    takes=(),
)
