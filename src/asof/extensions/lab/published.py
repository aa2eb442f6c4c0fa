"""The experiments: tables and figures of the five published systems, by system.

`published.toml` has the printed figures and how the papers are read; here stands what is run.
`experiments.py` says what an experiment is; what is no variation of settings is a function of `protocols.py`
or `tgrag.py`.
Of TG-RAG, tables I, II, XI and XII are a comparison of datasets, statistics of ECT-QA and two worked
examples; V and VI are verdicts of a model on overviews.
"""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from functools import partial
from importlib.resources import files
from itertools import chain
from typing import Any

from asof.errors import UsageError
from asof.extensions.lab import protocols, tgrag
from asof.extensions.lab.evaluation import Evaluation
from asof.extensions.lab.experiments import (
    LATENCY,
    WITHOUT_ENCODER,
    Cells,
    Experiment,
    ExperimentOptions,
    Parameter,
    ResultColumn,
    ResultTable,
    Rows,
    cells_of,
    changed,
    varied,
)
from asof.extensions.lab.protocols import kinds
from asof.extensions.systems.recipes import TWE
from asof.extensions.systems.stages import ReciprocalRank
from asof.extensions.systems.vault import KEYS, vault
from asof.rank.combine import Combine, MaxNormalize
from asof.rank.gather import TopK
from asof.rank.stage import Recipe
from asof.schema import boolean, one_of, text, whole
from asof.wire import replace

PRINTED: dict[str, Any] = tomllib.loads((files("asof.extensions.lab") / "published.toml").read_text("utf-8"))
SENTENCES: dict[str, str | list[str]] = PRINTED.pop("sentences")


def experiment(name: str, **run_here: Any) -> Experiment:
    """An experiment: its printed table, and its run here."""
    printed = PRINTED[name]
    columns = [_column(*each.split("|")) for each in printed.get("columns", ())]
    names = [each.name for each in columns]
    rows = {
        label: {name: None if cell == "" else cell for name, cell in zip(names, cells, strict=True)}
        for label, cells in printed.get("rows", {}).items()
    }
    told = (SENTENCES[each[1:]] if each[0] == "$" else each for each in printed["reading"])
    reading = tuple(one for each in told for one in ([each] if isinstance(each, str) else each))
    about, source, data = (printed[key] for key in ("about", "source", "data"))
    return Experiment(name, about, source, ResultTable(tuple(columns), rows), reading, data, **run_here)


def _column(name: str, better: str = "high", places: str = "3") -> ResultColumn:
    return ResultColumn(name, better.removeprefix("-"), int(places))  # type: ignore[arg-type]  # as printed


# -- TWE-RAG (README, sections 2, 4, 5 and 6) ------------------------------------------------------


TEMPORAL = {
    "temporal": Parameter(
        "", text("types between commas"),
        "types of the questions that are temporal; none: those with a word that asks for the newest",
    )
}  # fmt: skip
"""The parameter that says which questions are temporal."""

SIGNALS = ("lexical", "max_normalize", "latent", "combine")
"""The stages of `twe` that rank by words, by latent semantics, and by their sum."""

GAMMA, SIZES = "combine-2.weights.centrality", "budgeted_rerank.sizes"
RANKING = {"recall@5": "recall@5", "mrr": "mrr"}
GAMMAS: dict[str, dict[str, Any]] = {
    f"gamma={value:g}": {GAMMA: value} for value in (0.0, 0.3, 0.5, 1.0, 2.0)
}
DECAYS: dict[str, dict[str, Any]] = {
    "delta=0": {"decay.delta": 0.0},
    **{
        f"delta={delta:g} tau_min={days:g}": {"decay.delta": delta, "decay.tau_min": days}
        for delta in (1.0, 2.5, 5.0)
        for days in (30.0, 90.0, 365.0)
    },
}
"""The published rows, and what lies between and around them."""

BUDGETS: dict[str, dict[str, Any]] = {
    "Disabled (K=100)": {SIZES: [100, 100, 100]},
    "Enabled (30/60/100)": {},
    **{f"K={size}": {SIZES: [size, size, size]} for size in (10, 20, 30, 60)},
}
"""The published rows, and further numbers of candidates as in figure 5."""

SWEPT = {
    f"{name}={value:g}": {field: value}
    for name, field, values in (
        ("delta", "decay.delta", (0.0, 0.5, 1.0, 2.5, 4.0, 5.0)),
        ("tau_min", "decay.tau_min", (30.0, 90.0, 180.0, 365.0, 730.0)),
        ("gamma", GAMMA, (0.0, 0.3, 0.5, 1.0, 2.0)),
    )
    for value in values
}
"""One field at a time."""

STUDIES = {
    "1: hybrid - BM25, recall@5": ("Hybrid", "BM25 only", "recall@5", "all"),
    "1: dense - BM25, recall@5": ("Dense (SVD)", "BM25 only", "recall@5", "all"),
    "2: gamma .5 - 0, recall@5": ("whole", "gamma=0", "recall@5", "all"),
    "2: gamma 2 - .5, recall@5": ("gamma=2", "whole", "recall@5", "all"),
    "3: decay - none, temporal": ("tau_min=365", "delta=0", "success@1", "temporal"),
    "3: decay - none, general": ("tau_min=365", "delta=0", "success@1", "general"),
    "4: halting, saved": ("whole", "", "saved", "all"),
    "4: halting - none, recall@5": ("whole", "K=100", "recall@5", "all"),
}
"""Two runs (or one), a metric, and which questions."""


def signals() -> dict[str, Recipe]:
    """The first stages of `twe`: by words, by latent semantics, by their sum; what follows is left out."""
    words, scaled, meaning, both = (TWE.stages_by_name()[name] for name in SIGNALS)
    end = TopK()
    return {
        "BM25 only": replace(TWE, stages=(words, end)),
        "Dense (SVD)": replace(TWE, stages=(meaning, end)),
        "Hybrid": replace(TWE, stages=(words, scaled, meaning, both, end)),
    }


def gammas(options: ExperimentOptions) -> dict[str, Recipe]:
    """`twe` with each gamma, without decay unless it is asked for."""
    base = TWE if options.parameters["decay"] else TWE.replaced({"decay.delta": 0.0})
    return {label: changed(base, values) for label, values in GAMMAS.items()}


def studies() -> dict[str, Recipe]:
    """The recipes that the four studies compare."""
    varied: dict[str, dict[str, Any]] = {
        "whole": {}, "gamma=0": {GAMMA: 0.0}, "gamma=2": {GAMMA: 2.0}, "delta=0": {"decay.delta": 0.0},
        "tau_min=365": {"decay.tau_min": 365.0}, "K=100": {SIZES: [100, 100, 100]},
    }  # fmt: skip
    return {**signals(), **{label: changed(TWE, values) for label, values in varied.items()}}


def differences(found: Evaluation, options: ExperimentOptions) -> Rows:
    """The mean of the differences of each question, with its interval, for each of STUDIES."""
    runs = {each.name: each for each in found.runs}
    places = {"all": None, **kinds(found, options)}
    rows = {}
    for label, (one, other, metric, which) in STUDIES.items():
        values = runs[one].values(metric)
        if other:
            values = values - runs[other].values(metric)
        rows[label] = {"difference": found.mean(values, places[which])}
    return rows


def by_kind(found: Evaluation, options: ExperimentOptions, *, ranking: bool = False) -> Rows:
    """The accuracy of temporal and of general questions; recall and MRR of all as well."""
    places = kinds(found, options)
    return {
        run.name: {kind: found.estimate(run, "success@1", at) for kind, at in places.items()}
        | (cells_of(found, run, RANKING) if ranking else {})
        for run in found.runs
    }


def kinds_note(found: Evaluation, options: ExperimentOptions) -> list[str]:
    temporal, general = kinds(found, options).values()
    return [f"{len(temporal):,} temporal and {len(general):,} general questions"]


_twe = partial(experiment, settings=protocols.AS_WRITTEN, takes=WITHOUT_ENCODER)

TWE_RAG = [
    _twe("twe/2.3", run=protocols.fading),
    _twe("twe/2.4", run=protocols.score_parts),
    _twe("twe/4.1", rows=lambda _: signals(), cells={**RANKING, LATENCY: LATENCY}),
    _twe(
        "twe/4.2",
        rows=gammas,
        cells=RANKING,
        parameters={"decay": Parameter(False, boolean(), "whether age adds to the score")},
    ),
    _twe("twe/4.3", rows=varied(TWE, DECAYS), cells=by_kind, notes=kinds_note, parameters=TEMPORAL),
    _twe(
        "twe/4.4",
        rows=varied(TWE, BUDGETS),
        cells={"mean K": "candidates", "saved": "saved", **RANKING, LATENCY: LATENCY},
        columns=(ResultColumn(LATENCY, "low", 1),),
    ),
    _twe(
        "twe/4.5",
        rows=varied(TWE, SWEPT),
        cells=partial(by_kind, ranking=True),
        notes=kinds_note,
        parameters=TEMPORAL,
    ),
    _twe("twe/5", run=protocols.times_by_size),
    _twe("twe/6", rows=lambda _: studies(), cells=differences, notes=kinds_note, parameters=TEMPORAL),
]

# -- RAGtriever (design of its ranking, 2026-01-25, section Evaluation) ----------------------------

BASELINE, ALL = "baseline", "all components"
OFF = {"backlink_boost_weight": 0.0, "recency_boost_enabled": False}
"""The keys that turn the components off, beside weighted fusion."""
FUSED = "+ rank fusion"


def components(options: ExperimentOptions) -> dict[str, Recipe]:
    """The baseline, each component alone, all of them, with RAGtriever's own keys. Raises UsageError."""
    keys = options.parameters
    on = {
        FUSED: {},
        "+ backlinks": {"backlink_boost_weight": keys["backlink_boost_weight"]},
        "+ recency": {"recency_boost_enabled": True},
    }
    every = {key: value for part in on.values() for key, value in part.items()}
    parts: dict[str, dict[str, Any]] = {BASELINE: {}, **on, ALL: every}
    made = {label: vault(**{**keys, **OFF, **part}) for label, part in parts.items()}
    return {label: each if label in (FUSED, ALL) else weighted(each) for label, each in made.items()}


def weighted(recipe: Recipe) -> Recipe:
    """The recipe with RAGtriever's older way of fusion in place of ranks: 1.0 · meaning + .5 · words."""
    summed = MaxNormalize("lexical"), Combine((("similarity", 1.0), ("normalized", 0.5)), "relevance")
    stages = ((each,) if not isinstance(each, ReciprocalRank) else summed for each in recipe.stages)
    return replace(recipe, stages=tuple(chain.from_iterable(stages)))


def against_baseline(found: Evaluation, _: ExperimentOptions) -> Rows:
    """MRR and precision, and how they change question by question."""
    baseline, *others = found.runs
    names = ("mrr", "precision@3")
    rows: dict[str, Cells] = {
        run.name: {name: found.estimate(run, name) for name in names} for run in found.runs
    }
    for run in others:
        changes = {name: run.values(name) - baseline.values(name) for name in names}
        rows[run.name] |= {f"{name} change": found.mean(values) for name, values in changes.items()}
        rank = changes["mrr"]
        rows[run.name] |= {"better": int((rank > 0).sum()), "worse": int((rank < 0).sum())}
    return rows


def verdict(found: Evaluation, _: ExperimentOptions) -> list[str]:
    """The criteria of success and which of them hold, in a sentence."""
    first, last = found.runs[0], found.runs[-1]
    before, after = float(first.values("mrr").mean()), float(last.values("mrr").mean())
    gain = f"{after / before - 1:+.0%}" if before else "from nothing"
    worse = int((last.values("mrr") < first.values("mrr")).sum())
    held = after >= before * 1.1 and after > 0
    kept = float(last.values("precision@3").mean()) >= float(first.values("precision@3").mean())
    told = (
        f"its criteria: MRR {gain} ({'met' if held else 'not met'}, +10%); precision@3 "
        f"{'kept' if kept else 'lower'} ({'met' if kept else 'not met'}); {worse:,} questions worse "
        f"({'met' if not worse else 'not met'}, none)"
    )
    return [told]


RAGTRIEVER = [
    experiment(
        "ragtriever/components",
        rows=components,
        cells=against_baseline,
        notes=verdict,
        parameters={
            name: Parameter(default, accepted, f"key {name} of RAGtriever")
            for name, (default, accepted) in KEYS.items()
            if name not in OFF or name == "backlink_boost_weight"
        },
    )
]

# -- TempRALM (Gade and Jetcheva 2024, arXiv 2401.13222) -------------------------------------------

RECALL = {f"recall@{k}": f"recall@{k}" for k in (1, 5, 10)}


def recall_by_form(found: Evaluation, _: ExperimentOptions) -> Rows:
    """A row for each form of question and retriever."""
    return {
        f"{form or 'all'}, {run.name}": {**cells_of(found, run, RECALL, at), "questions": len(at)}
        for form, at in found.types.items()
        for run in found.runs
    }


TEMP_RALM = [
    experiment(
        "tempralm/reader",
        run=protocols.read_by_model,
        parameters={"passages": Parameter(5, whole(1, 50), "how many passages the reader gets")},
    ),
    experiment(
        "tempralm/1",
        rows=protocols.retrievers,
        cells=recall_by_form,
        settings=protocols.WHOLE_FACTS,
        parameters={
            "mask": Parameter(
                True, boolean(), "whether what is later than the year that is named is left out"
            )
        },
    ),
]

# -- Adaptive RAG for arXiv (its README) -----------------------------------------------------------


def _learned(most: str) -> dict[str, Parameter]:
    told = f"how many questions are learned from, {most} at most"
    return {
        "learned": Parameter(30, whole(2, 100_000), told),
        "relevance": Parameter(
            "judged", one_of("judged", "similarity"), "what tells relevance; published: similarity"
        ),
    }


ARXIV = [
    experiment("arxiv/learning", run=protocols.learned_online, parameters=_learned("half")),
    experiment("arxiv/stages", run=protocols.losses_by_stage, parameters=_learned("all")),
]

# -- TG-RAG (arXiv 2510.13590, sections V and VI) --------------------------------------------------


TOKENS = tuple(ResultColumn(name, "low", 0) for name in tgrag.ANSWERS)
LATER = {
    "later": Parameter(
        "year=2024", text("FIELD=VALUE[,...] of documents"), "the documents that come as the update"
    )
}
SETS = ("NaturalQuestions", "2WikiMultihopQA", "HotpotQA", "this set")

TG_RAG = [
    *(
        experiment(
            name,
            run=partial(tgrag.answered_by_stage, updated=updated),
            columns=(ResultColumn("evidence_share"), *TOKENS),
            parameters=LATER,
        )
        for name, updated in (("tgrag/III", False), ("tgrag/IV", True))
    ),
    experiment(
        "tgrag/IX",
        run=tgrag.by_each_model,
        columns=TOKENS,
        parameters={
            "models": Parameter(
                "", text("names between commas"), "which models answer; none: that of asof.toml"
            )
        },
    ),
    experiment(
        "tgrag/VII",
        run=tgrag.without_parts,
        parameters={
            "alone": Parameter(
                True, boolean(),
                "passages by their facts alone, as published; false: mixed with words, as tgrag",
            )
        },
    ),
    experiment(
        "tgrag/VIII",
        run=tgrag.size_of_the_graph,
        columns=tuple(
            ResultColumn(name, "", 0)
            for name in ("base periods", "updated periods", "index calls", "update calls")
        ),
        parameters=LATER,
        takes=(),
    ),
    experiment(
        "tgrag/X",
        run=tgrag.other_sets,
        parameters={"set": Parameter("this set", one_of(*SETS), "which of the paper's sets it is")},
    ),
]  # fmt: skip

EXPERIMENTS = {each.name: each for each in (*TWE_RAG, *RAGTRIEVER, *TEMP_RALM, *ARXIV, *TG_RAG)}
"""All experiments by name."""


def named(name: str) -> Experiment:
    """The experiment of that name. Raises UsageError with the nearest one."""
    if name not in EXPERIMENTS:
        near = get_close_matches(name, EXPERIMENTS, 1, 0.6)
        hint = f"did you mean {near[0]}?" if near else f"accepted: {', '.join(EXPERIMENTS)}"
        raise UsageError(f"no experiment {name[:80]!r}; {hint}")
    return EXPERIMENTS[name]
