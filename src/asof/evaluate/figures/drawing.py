"""How each figure is drawn from its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from asof.evaluate.figures.age_curves import AgeEffect
from asof.evaluate.figures.canvas import COLOURS, GREY, MARKS, panelled
from asof.evaluate.figures.scaling import QueryLatencies
from asof.evaluate.figures.score_parts import ScorePartMean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AGES = {
    1: "1 day", 7: "1 week", 30: "1 month", 90: "3 months", 365: "1 year", 1825: "5 years", 7300: "20 years",
}  # fmt: skip
WORDS = {
    "lexical": "words", "normalized": "words", "latent": "latent semantics", "dense": "vectors",
    "query_coverage": "query coverage", "neighbouring_text": "neighbouring text",
    "just_published": "just published",
}  # fmt: skip
"""The names of columns; others have their own."""

T = TypeVar("T")


def decay(rows: Sequence[AgeEffect], caption: str) -> Figure:
    """The weight of age: a panel for what is added to a score, one for what multiplies it."""
    titles = {"added": "added to the score", "factor": "factor of the score"}
    effects = [effect for effect in titles if any(row.effect == effect for row in rows)]
    figure, panels = panelled(len(effects), 1, 6.4, 3.6, "The weight of age", caption)
    colours = _colours(row.recipe for row in rows)
    for axes, effect in zip(panels, effects, strict=True):
        for (recipe, question), line in _grouped(
            [row for row in rows if row.effect == effect and row.age_days > 0],
            lambda row: (row.recipe, row.question),
        ):
            dash = "--" if question == "general" else "-"
            kind = "any question" if question == "any" else f"question that {question}"
            kind = "general question" if question == "general" else kind
            axes.plot(
                [row.age_days for row in line], [row.weight for row in line], dash,
                color=colours[recipe], label=f"{recipe}: {kind}",
            )  # fmt: skip
        axes.set_xscale("log")
        axes.set_xticks(list(AGES), list(AGES.values()))
        axes.minorticks_off()
        axes.set_xlabel("age of the passage (log scale)")
        axes.set_ylabel(titles[effect])
        axes.legend(loc="best")
    return figure


def parts(rows: Sequence[ScorePartMean], caption: str) -> Figure:
    """Mean parts of the score by rank, stacked, negative ones below 0. A panel for each recipe."""
    recipes = list(dict.fromkeys(row.recipe for row in rows))
    figure, panels = panelled(len(recipes), 2, 4.6, 3.4, "The parts of scores", caption, legend=True)
    shown = {row.part for row in rows if row.mean}
    names = list(dict.fromkeys(WORDS.get(row.part, row.part) for row in rows if row.part in shown))
    handles: dict[str, Any] = {}
    for axes, recipe in zip(panels, recipes, strict=True):
        above: dict[int, float] = {}
        below: dict[int, float] = {}
        own = [row for row in rows if row.recipe == recipe and row.part in shown]
        for part, bars in _grouped(own, lambda row: row.part):
            bottoms = []
            for row in bars:
                side = above if row.mean >= 0 else below
                bottoms.append(side.get(row.rank, 0.0))
                side[row.rank] = bottoms[-1] + row.mean
            name = WORDS.get(part, part)
            number = names.index(name)
            handles[name] = axes.bar(
                [row.rank for row in bars], [row.mean for row in bars], 0.8, bottoms,
                color=COLOURS[number % len(COLOURS)], hatch="////" if number >= len(COLOURS) else "",
                edgecolor="white", linewidth=0.4,
            )  # fmt: skip
        axes.axhline(0, color=GREY, linewidth=0.8)
        axes.grid(visible=False, axis="x")
        axes.set_xticks(range(1, max(row.rank for row in rows) + 1))
        axes.set_title(recipe)
        axes.set_xlabel("rank of the passage")
        axes.set_ylabel("mean part of the score")
    figure.legend(handles.values(), handles.keys(), loc="outside right upper")
    return figure


def scaling(rows: Sequence[QueryLatencies], caption: str) -> Figure:
    """Latency by the number of current passages."""
    figure, (axes,) = panelled(1, 1, 6.4, 3.6, "Latency by the size of the corpus", caption)
    colours = _colours(row.recipe for row in rows)
    for number, (recipe, line) in enumerate(_grouped(rows, lambda row: row.recipe)):
        x = [row.passages for row in line]
        axes.plot(
            x, [row.median_ms for row in line], f"-{MARKS[number % len(MARKS)]}", color=colours[recipe],
            label=recipe, markersize=5,
        )  # fmt: skip
        axes.fill_between(
            x, [row.low_ms for row in line], [row.high_ms for row in line], color=colours[recipe], alpha=0.15,
            linewidth=0,
        )  # fmt: skip
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0, top=1.15 * max(row.high_ms for row in rows))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("current passages")
    axes.set_ylabel("median time of a search (ms)")
    axes.legend(loc="best")
    return figure


def _colours(names: Iterable[str]) -> dict[str, str]:
    return {name: COLOURS[at % len(COLOURS)] for at, name in enumerate(dict.fromkeys(names))}


def _grouped(rows: Sequence[T], key: Callable[[T], Any]) -> list[tuple[Any, list[T]]]:
    """Rows of the same key together, in order of appearance."""
    groups: dict[Any, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return list(groups.items())
