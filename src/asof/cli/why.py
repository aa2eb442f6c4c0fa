"""The tree of a score as lines that a reader can check with a pocket calculator."""

from __future__ import annotations

from asof.data import Why

MOST_SUMMANDS = 5
WORD_PREFIXES = ("“", "idf of “")
ALL_QUERY_WORDS = "weight of all query words"
LOG_AGE_LABEL = "log10(1 + age)"
SHARE_OF_BEST = "share of the best"
EXPANSION = "words of the best passages"
OPERATORS = {"sum": " + ", "product": " × ", "ratio": " / ", "max": " or ", "exp": "exp ", "log": "ln "}
ALWAYS_SHOWN = ("match score", "relevance")
"""Labels of parts whose own parts are shown also where they are 0."""

COLUMN_LABELS = {
    "normalized": "relevance by words",
    "dense": "vector similarity",
    "similarity": "vector similarity",
}
"""Columns of a ranking whose name alone says too little to a reader."""


def why_lines(why: Why, depth: int = 0) -> list[str]:
    """A line for each node: its value, its label, and the parts whose sum or product it is.

    Of many summands the largest are shown and the others added up, so that the line still adds up. A share
    stands within the line of its product; words and ages have their counts beside them; parts of a 0 are
    left out. Of the words that feedback added only the values are shown; `--json` has all of the tree.
    """
    parts = _largest(why)
    sign = OPERATORS[why.op]
    made = sign.join(_summand(part) for part in parts)
    if why.op in ("exp", "log"):
        made = sign + made
    lines = [f"{'  ' * depth}{_number(why.value)} {_label(why)} = {made}"]
    for part in parts:
        for below in part.parts if part.label == SHARE_OF_BEST else (part,):
            lines += _below(below, depth + 1, named_only=why.label == EXPANSION)
    return lines


def _below(part: Why, depth: int, *, named_only: bool) -> list[str]:
    if not part.parts or named_only:
        return []
    while part.op == "sum" and len(part.parts) == 1 and not part.parts[0].label.startswith(WORD_PREFIXES):
        (only,) = part.parts
        if not only.parts:
            break
        part = Why(part.label, part.value, only.op, only.parts)
    if part.value == 0.0 and part.label not in ALWAYS_SHOWN:
        return []
    if line := _in_one_line(part):
        return [f"{'  ' * depth}{part.value:.4f} {_label(part)} = {line}"]
    return why_lines(part, depth)


def _summand(part: Why) -> str:
    if part.label == SHARE_OF_BEST and part.op == "ratio":
        return " / ".join(_summand(each) for each in part.parts)
    return f"{_number(part.value)} {_label(part)}"


def _label(why: Why) -> str:
    return COLUMN_LABELS.get(why.label) or why.label.replace("_", " ")


def _number(value: float) -> str:
    """Four places; large whole numbers (of vectors, of overlaps) as they are."""
    return f"{value:,.0f}" if abs(value) >= 1000 and value.is_integer() else f"{value:.4f}"


def _largest(why: Why) -> list[Why]:
    parts = list(why.parts)
    if why.op != "sum" or len(parts) <= MOST_SUMMANDS + 1:
        return parts
    parts.sort(key=lambda part: -part.value)
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
    if why.label == LOG_AGE_LABEL:
        values = _values(why)
        days = next(value for label, value in values.items() if "1 + " in label and "age in days" in label)
        unknown = " · undated: the median age" if any("undated" in label for label in values) else ""
        return f"log10 {days:,.2f}{unknown} · 1 + age in days"
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
