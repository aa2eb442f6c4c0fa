"""Prints hits, score explanations and notes as text."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from asof.cli.terminal import counted, moment_text, plain, readable, shortened, show
from asof.documents import SourcedTime
from asof.engine import Results
from asof.hits import Citation, Hit, Why
from asof.rank.gather import INSTEAD, NO_VECTOR, UNKNOWN, query_terms
from asof.store.names import NOTHING_MATCHES
from asof.text.operators import OPERATOR_NOTES
from asof.text.passages import body
from asof.text.snippet import snippet
from asof.text.tables import say_rows

# -- score explanations, in numbers that can be checked by hand ----------------------------------------

MOST_SUMMANDS = 5
WORD_PREFIXES = ("“", "idf of “")
ALL_QUERY_WORDS = "weight of all query words"
OPERATORS = {"sum": " + ", "product": " × ", "ratio": " / ", "max": " or ", "exp": "exp ", "log": "ln "}

COLUMN_LABELS = {
    "normalized": "relevance by words",
    "dense": "vector similarity",
    "similarity": "vector similarity",
}
"""Descriptions of columns whose name alone is too short for a reader."""


def why_lines(why: Why, depth: int = 0) -> list[str]:
    """A line for each node: its value, its label, and the parts whose sum or product it is.

    Of many summands the largest are shown and the others added up, so that the line still adds up; those that
    are 0 are left out. Words have their counts beside them; parts of a 0 are left out.
    """
    parts = _largest(why)
    sign = OPERATORS[why.op]
    made = sign.join(_summand(part) for part in parts)
    if why.op in ("exp", "log"):
        made = sign + made
    lines = [f"{'  ' * depth}{_number(why.value)} {_label(why)} = {made}"]
    for part in parts:
        lines += _below(part, depth + 1)
    return lines


def _below(part: Why, depth: int) -> list[str]:
    if not part.parts:
        return []
    while part.op == "sum" and len(part.parts) == 1 and not part.parts[0].label.startswith(WORD_PREFIXES):
        (only,) = part.parts
        if not only.parts:
            break
        part = Why(part.label, part.value, only.op, only.parts)
    if part.value == 0.0:
        return []
    if line := _in_one_line(part):
        return [f"{'  ' * depth}{part.value:.4f} {_label(part)} = {line}"]
    return why_lines(part, depth)


def _summand(part: Why) -> str:
    return f"{_number(part.value)} {_label(part)}"


def _label(why: Why) -> str:
    return COLUMN_LABELS.get(why.label) or why.label.replace("_", " ")


def _number(value: float) -> str:
    """Four places; large whole numbers (of vectors, of overlaps) as they are."""
    return f"{value:,.0f}" if abs(value) >= 1000 and value.is_integer() else f"{value:.4f}"


def _largest(why: Why) -> list[Why]:
    parts = list(why.parts)
    if why.op == "sum":
        parts = [part for part in parts if part.value] or parts[:1]
    if why.op != "sum" or len(parts) <= MOST_SUMMANDS + 1:
        return parts
    parts.sort(key=lambda part: -abs(part.value))
    rest = parts[MOST_SUMMANDS:]
    return [*parts[:MOST_SUMMANDS], Why(f"({len(rest)} more)", sum(part.value for part in rest))]


def _word(why: Why) -> str:
    """BM25 of one word: saturation, idf, k1 + 1, weight; and the counts behind them."""
    values = _values(why)
    idf = "idf, capped" if "idf, capped" in values else "idf"
    needed = ("tf: times in the passage", "length norm", idf, "k1 + 1", "weight in the query")
    if not all(label in values for label in needed):
        return ""
    tf, norm, rarity, k1, weight = (values[label] for label in needed)
    return (
        f"{tf:.0f} tf / ({tf:.0f} tf + {norm:.4f} length norm) × {rarity:.4f} {idf} × {k1:g}"
        f"{'' if weight == 1 else f' × {weight:.4f} weight in the query'}"
        f" · {values['length of the passage']:.0f} words{_spread(values)}"
    )


def _spread(values: dict[str, float]) -> str:
    if "df: passages with the term" not in values:
        return ""
    df, passages = values["df: passages with the term"], values["N: passages in the view"]
    return f", in {df:,.0f} of {passages:,.0f} passages"


def _in_one_line(why: Why) -> str:
    """A node's line instead of its parts; "" where the parts are shown."""
    if why.label.startswith("“"):
        return _word(why) or _weight(why)
    if why.label.startswith(WORD_PREFIXES):
        return f"idf{_spread(_values(why))}"
    if why.label == ALL_QUERY_WORDS:
        return "the same for all query words"
    return ""


def _weight(why: Why) -> str:
    """The square of an idf, and the counts behind it."""
    if why.op != "product" or len(why.parts) != 2 or why.parts[0] != why.parts[1]:
        return ""
    idf = why.parts[0]
    return f"({idf.value:.4f} {idf.label})²{_spread(_values(why))}"


def _values(why: Why) -> dict[str, float]:
    """The values of a tree by label; the uppermost of equal labels."""
    values: dict[str, float] = {}
    level = [why]
    while level:
        for node in level:
            values.setdefault(node.label, node.value)
        level = [part for node in level for part in node.parts]
    return values


# -- hits ----------------------------------------------------------------------------------------------

TITLE = 120
"""The most characters of a title and its headings."""

NOTE = 500
"""The most characters of a note: a question may hold a word of twenty thousand."""


def show_results(results: Results, *, explain: bool, dated: bool, known: bool = False) -> None:
    """Prints hits with snippets; with `explain` the tree of each score. `dated`, `known`: True if `--as-of`,
    `--known-at` was given."""
    view = results.view
    force = results.query.filters.in_force
    moment = moment_text(view.as_of, view.known_at, force, dated=dated, known=known)
    show(f"{moment} · {counted(view.n, 'current passage')}", dim=True)
    if not results.hits:
        click.echo("nothing found")
    words = {term.word for term in query_terms(results.query, view.analyzer)}
    for hit in results.hits:
        _show_hit(hit, words, results)
        if hit.about and (explain or results.query.filters.about is not None):
            show(f"     about {shortened(plain(_listed(hit.about)), TITLE)}", dim=True)
        if explain:
            for line in why_lines(hit.why):
                show(f"     {plain(line)}", hang=4)
    for note in results.notes:
        if explain or note.startswith(
            (*OPERATOR_NOTES, UNKNOWN, INSTEAD, NOTHING_MATCHES, NO_VECTOR)
        ):  # of any recipe
            show(f"note: {shortened(plain(note), NOTE)}", hang=6, dim=True)


def _show_hit(hit: Hit, words: set[str], results: Results) -> None:
    when = f"{hit.published.day} ({hit.dated_by})" if hit.published else "undated"
    path = [hit.title or hit.document, *(each for each in hit.place.headings if " | " not in each)]
    if len(path) > 1 and path[0] == path[1]:
        del path[0]
    title = click.style(readable(" › ".join(path), TITLE), bold=True)
    show(f"{hit.rank:>3}. {title}  {click.style(plain(when), fg='cyan')}", hang=3)
    click.secho(f"     {plain(hit.document)}  {hit.score:.4f}", dim=True)
    show_force(hit, indent=5)
    analyzer = results.view.analyzer
    below = hit.text[body(hit.text, hit.place.headings) :] or hit.text  # the headings are printed above it
    text, ranges = snippet(say_rows(below, hit.place.headings), words, analyzer, analyzer.detect(hit.text))
    show(f"     {_highlight(plain(text), ranges)}" if text else "     (only a title)")


def show_force(one: Hit | Citation, indent: int) -> None:
    """Prints when a passage is in force, if that is stated, and what supersedes it."""
    for line in one.status:
        show(f"{' ' * indent}{shortened(plain(line), TITLE)}", fg="yellow")


def _listed(times: Sequence[SourcedTime]) -> str:
    """Times as they were stated, and where: `Q1 2024 (fiscal_quarter), last March (text)`."""
    return ", ".join(f"{time.text} ({time.by})" for time in times)


def _highlight(text: str, ranges: list[tuple[int, int]]) -> str:
    if not sys.stdout.isatty():
        return text
    pieces, at = [], 0
    for start, end in ranges:
        pieces += [text[at:start], click.style(text[start:end], fg="yellow", bold=True)]
        at = end
    return "".join([*pieces, text[at:]])
