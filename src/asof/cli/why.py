"""The tree of a score as lines that a reader can check with a pocket calculator."""

from __future__ import annotations

from asof.data import Why

BRANCHES = 5
OF_WORD = ("“", "idf of “")
WHOLE = "weight of all query words"
LOG_AGE = "log10(1 + age)"
SHARE = "share of the best"
FEEDBACK = "words of the best passages"
SIGNS = {"sum": " + ", "product": " × ", "ratio": " / ", "max": " or ", "exp": "exp ", "log": "ln "}
SHOWN = ("match score", "relevance")
"""Labels of parts whose own parts are told also where they come to nothing."""


def why_lines(why: Why, depth: int = 0) -> list[str]:
    """A line for each node: its value, its label, and the parts whose sum or product it is.

    Of many summands the largest are shown and the others added up, so that the line still adds up. A share
    stands within the line of its product; words and ages are told with their counts; how a nothing came about
    is left out. Of the words that feedback added only the values are shown; `--json` has all of the tree.
    """
    parts = _largest(why)
    sign = SIGNS[why.op]
    made = sign.join(_summand(part) for part in parts)
    if why.op in ("exp", "log"):
        made = sign + made
    lines = [f"{'  ' * depth}{_number(why.value)} {why.label} = {made}"]
    for part in parts:
        for below in part.parts if part.label == SHARE else (part,):
            lines += _below(below, depth + 1, named_only=why.label == FEEDBACK)
    return lines


def _below(part: Why, depth: int, *, named_only: bool) -> list[str]:
    if not part.parts or named_only:
        return []
    while part.op == "sum" and len(part.parts) == 1 and not part.parts[0].label.startswith(OF_WORD):
        (only,) = part.parts
        if not only.parts:
            break
        part = Why(part.label, part.value, only.op, only.parts)
    if part.value == 0.0 and part.label not in SHOWN:
        return []  # how a nothing came about helps nobody
    if told := _told(part):
        return [f"{'  ' * depth}{part.value:.4f} {part.label} = {told}"]
    return why_lines(part, depth)


def _summand(part: Why) -> str:
    if part.label == SHARE and part.op == "ratio":
        return " / ".join(_summand(each) for each in part.parts)
    return f"{_number(part.value)} {part.label}"


def _number(value: float) -> str:
    """Four places; large whole numbers (of vectors, of overlaps) as they are."""
    return f"{value:,.0f}" if abs(value) >= 1000 and value.is_integer() else f"{value:.4f}"


def _largest(why: Why) -> list[Why]:
    parts = list(why.parts)
    if why.op != "sum" or len(parts) <= BRANCHES + 1:
        return parts
    parts.sort(key=lambda part: -part.value)
    rest = parts[BRANCHES:]
    return [*parts[:BRANCHES], Why(f"({len(rest)} more)", sum(part.value for part in rest))]


def _word(why: Why) -> str:
    """BM25 of one word: saturation, idf, k1 + 1, weight; and the counts behind them."""
    found = _values(why)
    idf = "idf, capped" if "idf, capped" in found else "idf"
    wanted = ("tf: times in the passage", "length norm", idf, "k1 + 1", "weight in the query")
    if not all(label in found for label in wanted):
        return ""
    tf, norm, rarity, k1, weight = (found[label] for label in wanted)
    return (
        f"{tf:.0f} tf / ({tf:.0f} tf + {norm:.4f} length norm) × {rarity:.4f} {idf} × {k1:g}"
        f"{'' if weight == 1 else f' × {weight:.4f} weight in the query'}"
        f" · {found['length of the passage']:.0f} words{_spread(found)}"
    )


def _spread(found: dict[str, float]) -> str:
    if "df: passages with the term" not in found:
        return ""
    return (
        f", in {found['df: passages with the term']:,.0f} of {found['N: passages in the view']:,.0f} passages"
    )


def _told(why: Why) -> str:
    """What is said of a node in one line instead of its parts; "" for all others."""
    if why.label.startswith("“"):
        return _word(why) or _weight(why)
    if why.label.startswith(OF_WORD):
        return f"idf{_spread(_values(why))}"
    if why.label == WHOLE:
        return "the same for all query words"
    if why.label == LOG_AGE:
        found = _values(why)
        days = next(value for label, value in found.items() if "1 + " in label and "age in days" in label)
        unknown = " · undated: the median age" if any("undated" in label for label in found) else ""
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
    found: dict[str, float] = {}
    level = [why]
    while level:
        for node in level:
            found.setdefault(node.label, node.value)
        level = [part for node in level for part in node.parts]
    return found
