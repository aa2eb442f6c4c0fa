"""`asof graph`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.fact_labels import WIDTH, head, time_label, unknown
from asof.cli.main import (
    DONE,
    NOTHING,
    TIMES,
    index_option,
    json_option,
    note_answers,
    open_corpus,
    print_json,
    time_option,
)
from asof.cli.progress import waiting_progress
from asof.cli.terminal import counted, plain, shortened, show
from asof.serialize.knowledge import graph_json

if TYPE_CHECKING:
    from asof.knowledge.neighbourhood import Edge, Neighbourhood, Node

NODES = 20
SHOWN = 3
"""So many facts of a neighbour are shown on a terminal, the newest."""


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.option("--around", "around", required=True, metavar="ENTITY", help="In the middle: any name of it.")
@click.option("--depth", type=click.IntRange(1, 3), default=1, help="So many facts away, 1 to 3 (default 1).")
@click.option(
    "-k", "k", type=click.IntRange(1, 10_000), default=NODES, metavar="N",
    help=f"At most N neighbours, the nearest and best connected (default {NODES}).",
)  # fmt: skip
@time_option("--as-of", "What was current then (a date means the end of that day).")
@time_option("--known-at", "Only what the index contained by then.")
@click.option("--dot", "dot", is_flag=True, help="As text for Graphviz instead: | dot -Tsvg >FILE draws it.")
@index_option
@json_option
def graph(
    around: str, depth: int, k: int, as_of: str | None, known_at: str | None, dot: bool, index: Path | None,
    as_json: bool,
) -> int:  # fmt: skip
    """The entities and measures around ENTITY, and the facts between them, each with its time.

    --json has all nodes, documents and facts; the list shows the newest facts of each neighbour.
    """
    from asof.knowledge.questions import graph as around_entity

    if not around.strip():
        raise click.UsageError("--around is empty; a name is expected")
    with open_corpus(index) as corpus, waiting_progress(corpus):
        note_answers(corpus.config)
        neighbourhood = around_entity(corpus.at(as_of, known_at), around, depth, k)
    if dot and neighbourhood.edges:
        click.echo(dot_text(neighbourhood))
    elif as_json:
        print_json(graph_json(neighbourhood))
    else:
        show_graph(neighbourhood, dated=as_of is not None, known=known_at is not None)
    return DONE if neighbourhood.edges else NOTHING


def dot_text(neighbourhood: Neighbourhood) -> str:
    """The graph in the language of Graphviz: a node for each entity or measure, an arrow for each fact."""
    lines = [f"digraph {_quoted(neighbourhood.query)} {{", "  rankdir=LR;"]
    for node in neighbourhood.nodes:
        style = "" if node.steps else ", style=bold"
        lines.append(
            f"  {_quoted(node.name)} [shape={'box' if node.kind == 'entity' else 'ellipse'}{style}];"
        )
    for edge in neighbourhood.edges:
        what = edge.object if edge.kind in ("value", "change") else edge.relation
        label = "\n".join(filter(None, (what, time_label(edge.when))))
        lines.append(f"  {_quoted(edge.source)} -> {_quoted(edge.target)} [label={_quoted(label)}];")
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "\\n".join(plain(line) for line in escaped.split("\n")) + '"'


def show_graph(neighbourhood: Neighbourhood, *, dated: bool, known: bool) -> None:
    """The neighbours, each with its newest facts. `dated`, `known`: which clocks were set."""
    if not neighbourhood.edges:
        show(unknown(neighbourhood.query, neighbourhood.near))
        return
    start, *others = neighbourhood.nodes
    counts = " · ".join((
        counted(len(neighbourhood.edges), "fact"), counted(len(others), "neighbour"),
        counted(len(neighbourhood.documents), "document"),
    ))  # fmt: skip
    show(head(start.name, [], neighbourhood.as_of, neighbourhood.known_at, counts, dated=dated, known=known))
    if neighbourhood.left_out:
        show(f"({counted(neighbourhood.left_out, 'more neighbour')} left out; -k shows more)", dim=True)
    nearer = {each.name: each.steps for each in neighbourhood.nodes}
    for each in others:
        _show_node(start, each, [edge for edge in neighbourhood.edges if _leads_to(edge, each, nearer)])


def _show_node(start: Node, node: Node, edges: list[Edge]) -> None:
    far = f", {node.steps} facts away" if node.steps > 1 else ""
    name = click.style(plain(node.name), fg="cyan")
    about = f"{node.kind}, {counted(node.facts, 'fact')}{far}"
    show(f"  {name}  {click.style(about, dim=True)}", hang=2)
    lines = dict.fromkeys((time_label(edge.when), _fact(edge, start), edge.document) for edge in edges)
    for label, fact, document in list(reversed(lines))[:SHOWN]:
        time = f"{label}   " if label else ""
        show(f"    {time}{fact}   {click.style(f'[{plain(document)}]', dim=True)}", hang=2)


def _fact(edge: Edge, start: Node) -> str:
    """A figure, and whose it is if not that of the entity in the middle; else the fact in a sentence."""
    if edge.kind in ("value", "change"):
        whose = "" if edge.source == start.name else f"{edge.source}: "
        return shortened(plain(f"{whose}{edge.object}"), WIDTH)
    return shortened(plain(f"{edge.source} {edge.relation} {edge.target}"), 2 * WIDTH)


def _leads_to(edge: Edge, node: Node, steps: dict[str, int]) -> bool:
    """Whether a fact joins a node to one that is nearer to the middle."""
    ends = {edge.source, edge.target}
    return node.name in ends and any(steps[each] < node.steps for each in ends)
