"""Where the parts of the two-level graph are drawn: periods above, entities below, facts between them.

The picture is that of TG-RAG (figure 3): a time hierarchy, a graph of entities whose edges are facts, and
links from the periods to the facts that hold in them. Every fact is a point below its period, from which two
lines lead to what it relates. Lengths are in pixels; the same graph gives the same places.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from asof.knowledge.hierarchy import ancestors, nodes_of
from asof.knowledge.neighbourhood import Edge, Neighbourhood, Node
from asof.time.period import GRAINS, Period

MOST_FACTS = 40
"""The most facts of a drawing, the newest."""
MOST_COLUMNS = 16
"""Finer periods than that many are drawn as the coarser ones that hold them."""

MARGIN, CHARACTER, BOX, ROW = 24.0, 6.7, 24.0, 50.0
POINT, POINTS_HIGH, FACTS_GAP, ENTITY_ROW = 22.0, 4, 46.0, 58.0
TOP, NARROWEST, LONGEST_NAME = 56.0, 900.0, 30


@dataclass(frozen=True, slots=True)
class Box:
    """A labelled box: its middle and its width; `whole` is the text that `text` may be a part of."""

    text: str
    whole: str
    kind: str
    x: float
    y: float
    width: float


@dataclass(frozen=True, slots=True)
class FactPoint:
    """A fact: its number from 1, the edge, its place, and the periods (places in `Layout.times`) it holds in.

    `source`, `target`: places in `Layout.entities`. `column`: its number among the columns, for its colour.
    """

    number: int
    edge: Edge
    x: float
    y: float
    source: int
    target: int
    periods: tuple[int, ...]
    column: int


@dataclass(frozen=True, slots=True)
class Layout:
    """All places. `below`: for each period the place of the one that holds it, -1 for none. `earlier`: facts
    that are not drawn; `coarser`: the finest grain, if finer times are drawn at it."""

    times: tuple[Box, ...]
    below: tuple[int, ...]
    entities: tuple[Box, ...]
    facts: tuple[FactPoint, ...]
    time_bottom: float
    entity_top: float
    width: float
    height: float
    earlier: int
    coarser: str


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of facts below a period (None: below none): which edges, by place, and where it lies."""

    period: Period | None
    edges: tuple[int, ...]
    left: float
    width: float


def layout(graph: Neighbourhood, most: int = MOST_FACTS) -> Layout:
    """The places of a neighbourhood; of more facts than `most` those that are first in it are left out."""
    edges = graph.edges[-most:] if most else ()
    periods, coarser = _periods(edges)
    children = _children(each for found in periods for each in found)
    columns = _stretched(_columns(edges, periods, children))
    width = columns[-1].left + columns[-1].width + MARGIN if columns else NARROWEST
    grains = [grain for grain in GRAINS if any(each.grain == grain for each in children)]
    time_bottom = TOP + ROW * max(len(grains), 1)
    high = max((_rows(len(each.edges)) for each in columns), default=0)
    entity_top = time_bottom + FACTS_GAP + POINT * high + FACTS_GAP
    places = {
        at: (column.left + column.width / 2 + dx, time_bottom + FACTS_GAP + dy, number)
        for number, column in enumerate(columns)
        for at, (dx, dy) in zip(column.edges, _grid(len(column.edges)), strict=True)
    }
    centres = {
        node.name: [places[at][0] for at, edge in enumerate(edges) if node.name in (edge.source, edge.target)]
        for node in graph.nodes
    }
    drawn = [node for node in graph.nodes if centres[node.name]]
    entities, height = _entities(drawn, centres, width, entity_top)
    order = sorted(children)
    times = tuple(_time(each, columns, children, TOP + ROW * grains.index(each.grain)) for each in order)
    number_of = {each: at for at, each in enumerate(order)}
    entity_of = {node.name: at for at, node in enumerate(drawn)}
    points = tuple(
        FactPoint(
            at + 1, edge, places[at][0], places[at][1], entity_of[edge.source], entity_of[edge.target],
            tuple(number_of[each] for each in periods[at]), places[at][2],
        )
        for at, edge in enumerate(edges)
    )  # fmt: skip
    above = tuple(number_of[each.parent] if each.parent is not None else -1 for each in order)
    return Layout(
        times, above, entities, points, time_bottom, entity_top, width, height,
        len(graph.edges) - len(edges), coarser,
    )  # fmt: skip


def _periods(edges: Sequence[Edge]) -> tuple[list[tuple[Period, ...]], str]:
    """The periods of each fact, no finer than a grain of which there are few enough; and that grain."""
    found = [() if edge.when is None else nodes_of(edge.when.span) for edge in edges]
    for grain in reversed(GRAINS):
        coarse = [_at_most(each, GRAINS.index(grain)) for each in found]
        if len({each for periods in coarse for each in periods}) <= MOST_COLUMNS or grain == GRAINS[0]:
            return coarse, grain if coarse != found else ""
    return found, ""


def _at_most(periods: Sequence[Period], finest: int) -> tuple[Period, ...]:
    """The periods, each finer one as what holds it."""
    coarse: dict[Period, None] = {}
    for period in periods:
        chain = (period, *ancestors(period))
        coarse[next(each for each in chain if GRAINS.index(each.grain) <= finest)] = None
    return tuple(coarse)


def _children(periods: Iterable[Period]) -> dict[Period, list[Period]]:
    """All periods and those above them, each with the next finer ones, in order of time."""
    known: set[Period] = set()
    for period in periods:
        known.update((period, *ancestors(period)))
    children: dict[Period, list[Period]] = {each: [] for each in sorted(known)}
    for each in children:
        if each.parent is not None:
            children[each.parent].append(each)
    return children


def _columns(
    edges: Sequence[Edge], periods: Sequence[tuple[Period, ...]], children: Mapping[Period, Sequence[Period]]
) -> list[_Column]:
    """The columns from left to right: a period's own facts before those inside it, timeless ones last."""
    own: dict[Period | None, list[int]] = {}
    for at in range(len(edges)):
        own.setdefault(periods[at][0] if periods[at] else None, []).append(at)
    ordered: list[Period | None] = []

    def visit(period: Period) -> None:
        if period in own or not children[period]:
            ordered.append(period)
        for each in children[period]:
            visit(each)

    for period in children:
        if period.parent is None:
            visit(period)
    if None in own:
        ordered.append(None)
    columns: list[_Column] = []
    left = MARGIN
    for each in ordered:
        places = tuple(own.get(each, ()))
        label = 60.0 if each is None else text_width(str(each)) + 28
        width = max(label, POINT * _across(len(places)) + 16)
        columns.append(_Column(each, places, left, width))
        left += width
    return columns


def _stretched(columns: Sequence[_Column]) -> list[_Column]:
    """Columns that take the whole width of the narrowest drawing, if they are narrower."""
    taken = sum(each.width for each in columns)
    factor = max(1.0, (NARROWEST - 2 * MARGIN) / taken) if taken else 1.0
    return [
        replace(each, left=MARGIN + (each.left - MARGIN) * factor, width=each.width * factor)
        for each in columns
    ]


def _across(count: int) -> int:
    """How many points stand side by side."""
    return -(-count // POINTS_HIGH)


def _rows(count: int) -> int:
    return min(count, POINTS_HIGH)


def _grid(count: int) -> list[tuple[float, float]]:
    """The places of points around the middle of a column, downwards first."""
    across = _across(count)
    return [
        (POINT * (at // POINTS_HIGH - (across - 1) / 2), POINT * (at % POINTS_HIGH)) for at in range(count)
    ]


def _time(
    period: Period, columns: Sequence[_Column], children: Mapping[Period, Sequence[Period]], y: float
) -> Box:
    """The box of a period, in the middle above the columns of what is in it."""
    inside = {period}
    open_ = [period]
    while open_:
        for each in children[open_.pop()]:
            inside.add(each)
            open_.append(each)
    covered = [each for each in columns if each.period in inside]
    left = min(each.left for each in covered)
    right = max(each.left + each.width for each in covered)
    name = str(period)
    return Box(name, name, period.grain, (left + right) / 2, y, text_width(name) + 18)


def _entities(
    nodes: Sequence[Node], centres: Mapping[str, Sequence[float]], width: float, top: float
) -> tuple[tuple[Box, ...], float]:
    """The boxes of the nodes near the points of their facts, the entity asked for lowest; and the height."""
    wide = {node.name: text_width(shortened(node.name)) + 20 for node in nodes}
    around = [node for node in nodes if node.steps]
    around.sort(key=lambda node: (_mean(centres[node.name]), node.name))
    needed = sum(wide[node.name] + 14 for node in around)
    rows = max(1, -(-int(needed) // max(int(width - 2 * MARGIN), 1)) + (1 if len(around) > 4 else 0))
    x: dict[str, tuple[float, float]] = {}
    for row in range(rows):
        line = around[row::rows]
        found = _spread([(_mean(centres[node.name]), wide[node.name] + 14) for node in line], width)
        x |= {node.name: (at, top + ENTITY_ROW * row) for node, at in zip(line, found, strict=True)}
    lowest = top + ENTITY_ROW * rows
    middle = [node for node in nodes if not node.steps]
    found = _spread([(_mean(centres[node.name]), wide[node.name]) for node in middle], width)
    x |= {node.name: (at, lowest) for node, at in zip(middle, found, strict=True)}
    boxes = tuple(
        Box(
            shortened(node.name), node.name, "middle" if not node.steps else node.kind, *x[node.name],
            wide[node.name],
        )
        for node in nodes
    )  # fmt: skip
    return boxes, lowest + ENTITY_ROW


def _spread(wanted: Sequence[tuple[float, float]], width: float) -> list[float]:
    """Middles as near as can be to the wanted ones, in their order, that overlap nowhere: (middle, width)
    each."""
    found: list[float] = []
    right = MARGIN
    for middle, wide in wanted:
        found.append(max(middle, right + wide / 2))
        right = found[-1] + wide / 2
    limit = width - MARGIN
    for at in range(len(found) - 1, -1, -1):
        found[at] = min(found[at], limit - wanted[at][1] / 2)
        limit = found[at] - wanted[at][1] / 2
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def shortened(text: str, most: int = LONGEST_NAME) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def text_width(text: str) -> float:
    """About how wide a text is in 12 pixels: wide characters (CJK) count twice."""
    return CHARACTER * sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)
