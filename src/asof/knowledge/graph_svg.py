"""The two-level graph around an entity as an SVG file: no script, no font, nothing from outside."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from asof.knowledge.graph_layout import BOX, MARGIN, MOST_FACTS, Box, FactPoint, Layout, layout, shortened
from asof.knowledge.neighbourhood import Edge, Neighbourhood

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a6a00", "#3a6ea5", "#a0522d", "#555555")
"""Of facts, by their period."""
LINE = 16.0
LISTED = 110
"""The most characters of a fact in the list below the picture."""

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""What XML does not admit, and what would change the order of other characters."""

STYLE = """text{font:12px sans-serif;fill:#222}.small{font-size:11px}.title{font-size:15px;font-weight:bold}
.n{font-size:9px;fill:#fff;text-anchor:middle}.b{text-anchor:middle}.time{fill:#fde3c3;stroke:#d08a2e}
.entity{fill:#dbe6f2;stroke:#54749a}.measure{fill:#e4efdc;stroke:#6a9153}.middle{fill:#54749a;stroke:#2f4a6b}
.on{fill:#fff;font-weight:bold}.tree{stroke:#d08a2e;fill:none}.holds{fill:none;stroke-dasharray:3 3}
.fact{fill:none;stroke-width:1.3;opacity:.75}.upper{fill:#fff8ee}.lower{fill:#f3f5f7}"""


def graph_svg(graph: Neighbourhood, when: str, most: int = MOST_FACTS) -> str:
    """The drawing of a neighbourhood. `when`: as of when, in words; `most`: facts, the newest.

    Below the picture stands every fact by its number, and what is left out.
    """
    plan = layout(graph, most)
    notes = _notes(graph, plan)
    bottom = plan.height + LINE * (len(plan.facts) + len(notes) + 1) + MARGIN
    wide = max(plan.width, 2 * MARGIN + 6.2 * (LISTED + 30))
    parts = [
        _opening(wide, bottom),
        f"<title>{_text(f'{graph.query} as of {when}')}</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{wide:.0f}" height="{bottom:.0f}" fill="#fff"/>',
        _label(MARGIN, 24, f"{shortened(graph.query, 60)} as of {when}", "title"),
        _band(wide, 36, plan.time_bottom - 10, "upper"),
        _band(wide, plan.entity_top - 24, plan.height - 24, "lower"),
    ]
    parts += [_tree(plan, at) for at in range(len(plan.times)) if plan.below[at] >= 0]
    parts += [line for fact in plan.facts for line in _lines(plan, fact)]
    parts += [_box(each, "time" if each in plan.times else each.kind) for each in plan.times + plan.entities]
    parts += [_point(plan, fact) for fact in plan.facts]
    listed = [_listed(plan, fact) for fact in plan.facts]
    for number, line in enumerate([*listed, *notes]):
        parts.append(_label(MARGIN, plan.height + LINE * (number + 1), line, "small"))
    return "\n".join([*parts, "</svg>", ""])


def _opening(wide: float, high: float) -> str:
    size = f'width="{wide:.0f}" height="{high:.0f}" viewBox="0 0 {wide:.0f} {high:.0f}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'


def _text(text: str) -> str:
    return escape(_UNPRINTABLE.sub("\ufffd", " ".join(text.split())))


def _label(x: float, y: float, text: str, style: str) -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}">{_text(text)}</text>'


def _band(wide: float, top: float, bottom: float, style: str) -> str:
    size = f'width="{wide - 16:.1f}" height="{bottom - top:.1f}"'
    return f'<rect class="{style}" x="8" y="{top:.1f}" {size} rx="8"/>'


def _box(box: Box, style: str) -> str:
    rounded = 12 if style == "measure" else 4
    on = "b on" if style == "middle" else "b"
    return (
        f'<g><title>{_text(box.whole)}</title><rect class="{style}" x="{box.x - box.width / 2:.1f}" '
        f'y="{box.y - BOX / 2:.1f}" width="{box.width:.1f}" height="{BOX:.0f}" rx="{rounded}"/>'
        f"{_label(box.x, box.y + 4, box.text, on)}</g>"
    )


def _tree(plan: Layout, at: int) -> str:
    low, high = plan.times[at], plan.times[plan.below[at]]
    return f'<path class="tree" d="M{high.x:.1f} {high.y + BOX / 2:.1f}L{low.x:.1f} {low.y - BOX / 2:.1f}"/>'


def _lines(plan: Layout, fact: FactPoint) -> list[str]:
    """From the periods of a fact to its point, dashed; from there to what it relates."""
    colour = COLOURS[fact.column % len(COLOURS)]
    made = [
        f'<path class="holds" stroke="{colour}" d="{_curve(time.x, time.y + BOX / 2, fact.x, fact.y)}"/>'
        for time in (plan.times[at] for at in fact.periods)
    ]
    for at in (fact.source, fact.target):
        box = plan.entities[at]
        path = _curve(fact.x, fact.y, box.x, box.y - BOX / 2)
        made.append(f'<path class="fact" stroke="{colour}" d="{path}"/>')
    return made


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = (y + to_y) / 2
    return f"M{x:.1f} {y:.1f}C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"


def _point(plan: Layout, fact: FactPoint) -> str:
    return (
        f"<g><title>{_text(_listed(plan, fact))}</title>"
        f'<circle cx="{fact.x:.1f}" cy="{fact.y:.1f}" r="9" fill="{COLOURS[fact.column % len(COLOURS)]}"/>'
        f"{_label(fact.x, fact.y + 3, str(fact.number), 'n')}</g>"
    )


def _listed(plan: Layout, fact: FactPoint) -> str:
    edge = fact.edge
    when = ", ".join(plan.times[at].whole for at in fact.periods) or "no time"
    return f"{fact.number}  {when}: {shortened(_said(edge), LISTED)} [{shortened(edge.document, 40)}]"


def _said(edge: Edge) -> str:
    return f"{edge.source} · {edge.relation} · {edge.object}"


def _notes(graph: Neighbourhood, plan: Layout) -> list[str]:
    """What is not in the picture."""
    notes = []
    if plan.earlier:
        notes.append(f"{plan.earlier:,} earlier facts are not drawn")
    if graph.left_out:
        notes.append(f"{graph.left_out:,} more neighbours are not drawn")
    if plan.coarser:
        notes.append(f"finer times are drawn at their {plan.coarser}s")
    if not plan.facts:
        notes.append(f"no fact about {graph.query}")
    return notes
