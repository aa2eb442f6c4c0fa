"""What is asked of a corpus at a moment: each output by a name, with what it is asked for."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.support.differential.texts import ALIASES, DATES, LINKED, NAMES, SITES, TAGS

from asof.cli.main import cli, run
from asof.corpus.snapshot import Snapshot
from asof.errors import AsofError
from asof.extensions.facts import indexer
from asof.recipes import NAMES as RECIPES
from asof.recipes import named as recipe_named
from asof.time.span import FIRST, LAST, instant, iso, moment
from asof.values import Filters

QUESTIONS = (
    "harbour master", "who is the harbour master", "latest price of bread", "ferry ticket", "Fähre im 2020",
    "current version", "who led Quay Ltd as of March 2020", "What happened in March 2020?", "mill",
    "What was Quay Ltd's revenue in 2020?", "when did the mill close", '"harbour master" ferry', "storm",
    "Note 1 part 2", "What did the NHA buy?", "revenue of Pier Ltd since 2019", "xyzzy ferry", "料金",
    "What happened to the ferry between 2019 and 2020?", "the latest price as of 5 March 2020",
    "who is the harbour master as of 2030", "the latest price as of December 2020",
    "newest version until 2099", "what was the price of bread the day before yesterday",
    "who will lead Quay Ltd tomorrow",
)  # fmt: skip
NAMED = ("Quay Ltd", "Quay Ltd", "Pier Ltd", "NHA", "Quill", "Marta Quill", "Mole Inc", "Jon Reed", "bread",
         "Quay", "ferry", "Nobody at all")  # fmt: skip
CALLED = ("ferry", "Ferry", "the ledger", "mil", "harbour", "ferri", "fery.md", "Mole", "note 1", "old/mill")
PERIODS = ("2019", "2020", "2020-Q1", "2020-03", "2020-03-05", "January 2020 to June 2020", "2021")
CHANGED: dict[str, dict[str, Any]] = {
    "asof": {"rerank_window.n": 10, "pseudo_relevance_feedback.passages": 2,
             "round_robin_by_document.title_coverage": 0.1},
    "twe": {"centrality.independent": "source", "pool.n": 3,
            "budgeted_rerank.sizes": [1, 2, 3]},
    "twe-365": {"centrality.kind": "pagerank", "centrality.threshold": 0.3},
    "vault": {"tags.weight": 0.2, "headings.h1": 1.2, "headings.h2": 1.3, "backlinks.weight": 0.5,
              "backlinks.by_source": {"wire:weight": 0.2},
              "recency_tiers.by_source": {"wire:fresh_days": 3.0, "wire:older": 0.5}},
    "papers": {"coverage.above": 0.2},
}  # fmt: skip
"""Recipes with other numbers, which look at what the usual ones leave alone."""

UNITS = ("passage", "document")

Outputs = Callable[[Snapshot], Any]


class Asked(NamedTuple):
    """One output: its kind, and what it is asked for. `of`: the document that it is about, if it is."""

    kind: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    of: str = ""

    def __str__(self) -> str:
        given = [*map(repr, self.arguments), *(f"{key}={value!r}" for key, value in self.options.items())]
        return f"{self.kind}({', '.join(given)})"

    def at(self, then: Snapshot) -> Any:
        """What the corpus says; an error of ours is what it says too."""
        try:
            return OUTPUTS[self.kind](then, *self.arguments, **self.options)
        except AsofError as error:
            return {"error": type(error).__name__, "says": str(error)}


# -- what there is ----------------------------------------------------------------------------------------


def search(then: Snapshot, question: str, **options: Any) -> dict[str, Any]:
    options = dict(options)
    if hard := options.pop("hard", {}):
        options["filters"] = Filters(**hard)
    if changed := options.pop("changed", ""):
        options["recipe"] = recipe_named(changed).replaced(CHANGED[changed])
    found = then.search(question, **options)
    return {
        "hits": [{"hit": hit, "why": hit.why.as_json(), "again": hit.why.recomputed()} for hit in found.hits],
        "notes": found.notes, "recipe": found.recipe, "as of": found.view.as_of, "n": found.view.n,
        "query": found.query,
    }  # fmt: skip


def diff(then: Snapshot, question: str, other: int, **options: Any) -> Any:
    return then.diff(question, replace(then, as_of=min(other, then.as_of)), **options)


def ask(then: Snapshot, question: str, **options: Any) -> Any:
    pieces: list[str] = []
    hard = then.filters(**options.pop("filters", {}))
    return then.ask(question, filters=hard, on_text=pieces.append, **options), "".join(pieces)


def why_not(then: Snapshot, wanted: str, question: str, **options: Any) -> Any:
    hard = then.filters(**options.pop("filters", {}))
    return then.why_not(wanted, question, filters=hard, **options)


def command(then: Snapshot, *words: str) -> dict[str, Any]:
    """The command line, in this process."""
    out, err = io.StringIO(), io.StringIO()
    root: Path = then.session.root
    argv = [*words, "--index", str(root)]
    if words[0] != "diff":
        argv += ["--as-of", iso(then.as_of)]
        argv += [] if then.known_at is None else ["--known-at", iso(then.known_at)]
    before, sys.argv = sys.argv, ["asof", *argv]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(cli)
    finally:
        sys.argv = before
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


OUTPUTS: dict[str, Callable[..., Any]] = {
    "search": search, "diff": diff, "ask": ask, "why_not": why_not, "command": command,
    "timeline": Snapshot.timeline, "facts": indexer.facts, "graph": indexer.graph,
    "report": indexer.report, "links": Snapshot.links, "text": Snapshot.text,
    "resolve": Snapshot.resolve, "called": Snapshot.called,
}  # fmt: skip


WEIGHTS = {
    "search": 7, "ask": 3, "why_not": 2, "links": 2, "timeline": 2, "facts": 2, "report": 2, "diff": 1,
    "graph": 1, "text": 1, "resolve": 1, "called": 1,
}  # fmt: skip
"""How often each is asked for, beside commands."""

# -- what is asked for ------------------------------------------------------------------------------------


def filters(rng: Random) -> dict[str, Any]:
    """Some filters, often none."""
    found = {
        "since": rng.choice(DATES), "until": rng.choice(DATES), "about": rng.choice(DATES),
        "source": rng.choice(("notes", "wire", "nothing")), "path": rng.choice(("harbour/*", "*mill*")),
        "tags": (rng.choice(TAGS),), "meta": (("site", rng.choice(SITES)),),
    }  # fmt: skip
    return {
        name: value for name, value in found.items() if rng.random() < (0.35 if name == "about" else 0.12)
    }


def some(rng: Random, **options: Any) -> dict[str, Any]:
    """Some of these options."""
    return {name: value for name, value in options.items() if rng.random() < 0.5}


def drawn(rng: Random, most: int, stated: tuple[str, ...] = (), *, commands: bool) -> list[Asked]:
    """So many outputs: each kind about as often as it has ways to go wrong; mostly about notes `stated`."""
    kinds = [kind for kind, weight in WEIGHTS.items() for _ in range(weight)]
    kinds += ["command"] * (2 * commands)
    return [one(rng, rng.choice(kinds), rng.choice((stated, stated, NAMES))) for _ in range(most)]


def one(rng: Random, kind: str, names: tuple[str, ...]) -> Asked:
    question, named, name = rng.choice(QUESTIONS), rng.choice(NAMED), rng.choice(names or NAMES)
    recipe = rng.choice(RECIPES)
    if kind == "search":
        options = filters(rng) | some(rng, recipe=recipe, unit=rng.choice(UNITS), k=rng.choice((1, 3, 40)))
        if rng.random() < 0.2:
            options["changed"] = rng.choice([*CHANGED])
        if rng.random() < 0.1:
            options["hard"] = some(rng, any_tags=(rng.choice(TAGS),), no_tags=(rng.choice(TAGS),),
                                   documents=tuple(rng.sample(NAMES, 3)))  # fmt: skip
        return Asked(kind, (question,), options)
    if kind == "why_not":
        options = some(rng, recipe=recipe, unit=rng.choice(UNITS), k=rng.choice((1, 3)), filters=filters(rng))
        return Asked(kind, (name, question), options, name)
    if kind == "ask":
        options = some(rng, mode=rng.choice(("local", "global", "auto")), recipe=recipe,
                       tokens=rng.choice((100, 300, 12_000)), filters=filters(rng))  # fmt: skip
        return Asked(kind, (question,), options)
    if kind == "timeline":
        options = some(rng, most=rng.choice((1, 2, 20)), since=rng.choice(DATES), recipe=recipe)
        return Asked(kind, (question,), options)
    if kind == "diff":
        other = instant(moment(rng.randrange(1_570_000_000, 1_610_000_000) * 1_000_000))
        return Asked(kind, (question, other), some(rng, k=rng.choice((1, 3, 10)), recipe=recipe))
    if kind == "facts":
        options = some(rng, most=rng.choice((1, 40)), relation="revenue", since=rng.choice(DATES))
        return Asked(kind, (named,), options)
    if kind == "graph":
        return Asked(kind, (named,), some(rng, depth=rng.choice((1, 2, 3)), most=rng.choice((1, 20))))
    if kind == "report":
        return Asked(kind, (rng.choice(PERIODS),), some(rng, about=named))
    if kind == "links":
        return Asked(kind, (rng.choice((name, *CALLED)),), some(rng, depth=rng.choice((1, 2, 5))))
    if kind == "called":
        return Asked(kind, (rng.choice((name, *CALLED)),), {})
    if kind == "text":
        return Asked(kind, (name,), {})
    if kind == "resolve":
        return Asked(
            kind, (rng.choice((*LINKED, *ALIASES, *ALIASES)).partition("|")[0],), some(rng, origin=name)
        )
    return _command(rng, name)


def _command(rng: Random, name: str) -> Asked:
    question, named = rng.choice(QUESTIONS), rng.choice(NAMED)
    words, of = rng.choice((
        (("search", question, "--explain"), ""), (("search", question, "-k", "3"), ""),
        (("search", question, "--source", rng.choice(("wire", "nothing"))), ""),
        (("ask", question), ""), (("timeline", question), ""), (("facts", named, "--why"), ""),
        (("graph", "--around", named), ""), (("report", rng.choice(PERIODS)), ""), (("links", name), ""),
        (("why-not", name, question), name),
    ))  # fmt: skip
    return Asked("command", (*words, *(("--json",) if rng.random() < 0.5 else ())), {}, of)


def speakable(at: int) -> bool:
    """Whether an instant can be written on the command line."""
    return FIRST <= at <= LAST
