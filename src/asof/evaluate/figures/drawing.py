"""How each figure is drawn from its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from asof.evaluate.components import WORDS
from asof.evaluate.figures.age_curves import AgeEffect
from asof.evaluate.figures.canvas import COLOURS, GREY, MARKS, panelled
from asof.evaluate.figures.scaling import QueryLatencies
from asof.evaluate.figures.score_parts import ScorePartMean
from asof.evaluate.figures.trials import WHOLE, AblationRow, BudgetRow, SensitivityRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METRICS = {"ndcg@10": "nDCG@10", "success@1": "success@1"}
AGES = {
    1: "1 day", 7: "1 week", 30: "1 month", 90: "3 months", 365: "1 year", 1825: "5 years", 7300: "20 years",
}  # fmt: skip
ACROSS = 4
"""The most panels in a row."""

FIELDS = {
    "decay.delta": "δ: the most that age adds",
    "decay.tau_min": "τ min: scale of decay for the newest, days",
    "decay.tau_max": "τ max: largest scale of decay, days",
    "decay.general": "r of a general question",
    "time_preference.recency_weight": "weight of age among equally good matches",
    "time_preference.tie_margin": "score margin of equally good matches",
    "time_preference.cautious_margin": "the same margin for cautious questions",
    "requested_time.time_weight": "weight of a named time",
    "time_preference.termination_penalty": "penalty of ended documents",
    "freshness.rate": "rate of freshness, 1/day",
    "gap.floor": "smallest age that counts, days",
    "backlinks.weight": "weight of a backlink",
    "weights.centrality": "γ: weight of centrality",
    "weights.freshness": "weight of freshness",
    "weights.just_published": "weight of what was just published",
}

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


def budget(rows: Sequence[BudgetRow], caption: str) -> Figure:
    """Quality by the number of candidates; a star is a recipe's own number."""
    figure, panels = panelled(
        len(METRICS), 2, 4.4, 3.4, "Quality by the number of candidates", caption, legend=True
    )
    colours = _colours(row.recipe for row in rows)
    for axes, (metric, title) in zip(panels, METRICS.items(), strict=True):
        for recipe, line in _grouped([row for row in rows if row.metric == metric], lambda row: row.recipe):
            fixed = sorted((row for row in line if not row.own), key=lambda row: row.candidates)
            _band(axes, fixed, [row.candidates for row in fixed], colours[recipe], recipe)
            for row in line:
                if row.own:
                    axes.errorbar(
                        [row.candidates], [row.value], [[row.value - row.low], [row.high - row.value]],
                        fmt="*", markersize=13, color=colours[recipe], markeredgecolor="black", capsize=3,
                        label=f"{recipe}: its own ({row.candidates:.3g})",
                    )  # fmt: skip
        axes.set_title(title)
        axes.set_xlabel("candidates")
        axes.set_ylabel(f"mean {title}")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper")
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


def ablation(rows: Sequence[AblationRow], caption: str) -> Figure:
    """Bars with intervals: the whole recipe, and without each part. A row of panels for each recipe."""
    recipes = _grouped(rows, lambda row: row.recipe)
    bars_of = [len({row.variant for row in group}) for _, group in recipes]
    heights = [0.8 + 0.27 * count for count in bars_of]
    figure, panels = panelled(
        len(recipes) * len(METRICS), len(METRICS), 4.4, heights, "Recipes without single parts", caption
    )
    farthest = max(row.high for row in rows)
    cells = ((name, group, metric) for name, group in recipes for metric in METRICS)
    for number, (axes, (recipe, group, metric)) in enumerate(zip(panels, cells, strict=True)):
        bars = [row for row in group if row.metric == metric]
        whole = next(row.value for row in bars if row.variant == WHOLE)
        axes.barh(
            range(len(bars)), [row.value for row in bars], 0.7,
            color=[COLOURS[0] if row.variant == WHOLE else COLOURS[5] for row in bars],
            xerr=[[row.value - row.low for row in bars], [row.high - row.value for row in bars]],
            error_kw={"elinewidth": 1, "capsize": 2, "ecolor": "#222222"},
        )  # fmt: skip
        axes.axvline(whole, color="#222222", linestyle=":", linewidth=1)
        names = [row.variant for row in bars] if number % len(METRICS) == 0 else [""] * len(bars)
        axes.set_yticks(range(len(bars)), names)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.set_xlim(0, farthest * 1.03 or 1.0)
        axes.set_title(recipe)
        axes.set_xlabel(f"mean {METRICS[metric]}")
    return figure


def sensitivity(rows: Sequence[SensitivityRow], caption: str) -> Figure:
    """A panel for each field of each recipe: quality by its value; a line marks the present one."""
    cells = _grouped(rows, lambda row: (row.recipe, row.field))
    figure, panels = panelled(
        len(cells), ACROSS, 2.9, 2.3, "Quality by the values of single fields", caption, legend=True
    )
    highest = max(row.high for row in rows)
    for axes, ((recipe, field), group) in zip(panels, cells, strict=True):
        for number, (metric, title) in enumerate(METRICS.items()):
            line = [row for row in group if row.metric == metric]
            _band(axes, line, [row.setting for row in line], COLOURS[number], title, MARKS[number])
        present = next(row.setting for row in group if row.present)
        axes.axvline(present, color="#222222", linestyle=":", linewidth=1.2, label="present value")
        settings = [row.setting for row in group]
        if min(settings) > 0 and max(settings) / min(settings) > 20:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:,g}")
            axes.minorticks_off()
        axes.set_ylim(0, highest * 1.05 or 1.0)
        axes.set_title(recipe)
        axes.set_xlabel(_field(field))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper")
    return figure


def _field(key: str) -> str:
    """A field in words, with its unit; its key if there are no words for it."""
    stage, _, rest = key.partition(".")
    kind = stage.split("-")[0]
    return FIELDS.get(f"{kind}.{rest}", FIELDS.get(rest, key))


def _band(
    axes: Axes, rows: Sequence[BudgetRow] | Sequence[SensitivityRow], x: list[float], colour: str, label: str,
    mark: str = "o",
) -> None:  # fmt: skip
    """A line with its interval."""
    axes.plot(x, [row.value for row in rows], f"-{mark}", color=colour, label=label, markersize=4)
    axes.fill_between(
        x, [row.low for row in rows], [row.high for row in rows], color=colour, alpha=0.15, linewidth=0
    )


def _colours(names: Iterable[str]) -> dict[str, str]:
    return {name: COLOURS[at % len(COLOURS)] for at, name in enumerate(dict.fromkeys(names))}


def _grouped(rows: Sequence[T], key: Callable[[T], Any]) -> list[tuple[Any, list[T]]]:
    """Rows of the same key together, in order of appearance."""
    groups: dict[Any, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return list(groups.items())
