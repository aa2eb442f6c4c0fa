"""The grammar of time expressions against a file of cases, and its speed.

`bench/timex.py CASES.jsonl [--misses]` compares extents and spans with the expectations of the open test
suite of Recognizers-Text (one JSON object per line: spec, text, reference, results). Where the suite and asof
mean different things by the same words, the case is left out and counted under the name of the difference.
`--speed [FILE ...]` prints the cost per character on texts and the growth on hostile ones.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from asof.time.expressions import TimeMention, parse
from asof.time.period import months_later

SPECS = ("DateTimeModel", "DatePeriodParser", "DateParser")
TYPES = ("date", "daterange", "datetime", "datetimerange")
Ends = tuple[datetime | None, datetime | None]


@dataclass(frozen=True)
class Expected:
    """One result of a case; `spans` are its resolutions, `kind` the type without the version before it."""

    text: str
    start: int
    kind: str
    timex: str
    mod: str
    spans: tuple[Ends, ...]
    before: str
    after: str
    anchor: datetime


Differs = Callable[[Expected], bool]


def _wording(pattern: str) -> Differs:
    regex = re.compile(pattern)
    return lambda expected: regex.search(expected.text) is not None


# name, reason, rule: a case one of whose expectations fulfils a rule is left out
DIFFERENCES: tuple[tuple[str, str, Differs], ...] = (
    ("unresolved", "the suite gives no span, or a day that the calendar has not", lambda e: not e.spans),
    ("now", "asof takes now for a wish, not for a time", lambda e: e.timex == "PRESENT_REF"),
    (
        "halves and thirds",
        "early, mid and late are thirds for asof, mostly halves in the suite",
        _wording(
            r"^(after |before |since |from the |until )?(the )?"
            r"(early|earlier|mid|late|later|beginning|start|middle|end|eoy)\b"
        ),
    ),
    (
        "narrated",
        "`the day`, `same week`, `later`, `the next day`, `following` point to what was told, no anchor",
        _wording(
            r"^(the|my|the same|same|on the|the whole) (day|week|month|year|weekend|day before|next day)$"
            r"|^weekend$|\blater$|\bfollowing\b|^same week|^otd$|^till date"
        ),
    ),
    (
        "working time",
        "asof knows no business days and no working week",
        _wording(r"business day|workweek|work week"),
    ),
    (
        "weekend of a holiday",
        "asof knows the holiday and not its weekend",
        _wording(r"weekend of|day( \d+)? weekend"),
    ),
    (
        "bare day",
        "a number alone is no day of a month for asof",
        lambda e: (
            e.timex.startswith("XXXX-XX-") and re.fullmatch(r"(the )?([0-9]{1,2}|thirty)", e.text) is not None
        ),
    ),
    (
        "bare figures",
        "4/22 and 2015.3 without a word of time before them are a fraction for asof",
        lambda e: (
            re.fullmatch(r"[0-9]{1,4} ?[-/.] ?[0-9]{1,4}", e.text) is not None
            and not re.search(
                r"\b(on|from|between|since|until|by|before|after|this|friday|monday)\W*$", e.before
            )
            and not re.fullmatch(r"[0-9]{4}[-/][0-9]{1,2}|[0-9]{1,2}[-/][0-9]{4}", e.text)
        ),
    ),
    (
        "zone",
        "a time zone belongs to the time for asof",
        lambda e: re.match(r"\W*(PT|[PECM]ST|GMT|UTC)\b", e.after) is not None,
    ),
)


def cases(path: Path) -> Iterator[dict[str, Any]]:
    """The cases whose results, if they have any, are all of a type that asof reads."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            kinds = {result["type"].removeprefix("datetimeV2.") for result in case["results"]}
            if case["spec"] in SPECS and (not kinds or kinds & set(TYPES)) and case["reference"]:
                yield case


def expectations(case: dict[str, Any]) -> tuple[list[Expected], list[tuple[int, int]]]:
    """The results of a case that are times on the calendar, and where the others stand."""
    found, other = [], []
    for result in case["results"]:
        kind = result["type"].removeprefix("datetimeV2.")
        start, size = result["start"], len(result["text"])
        if kind not in TYPES:
            other.append((start, start + size))
            continue
        values = result["values"]
        rows = values if isinstance(values, list) else [values]
        timex = rows[0].get("timex") or rows[0].get("Timex") or ""
        text = case["text"]
        found.append(
            Expected(
                text[start : start + size].casefold(),
                start,
                kind,
                timex,
                rows[0].get("Mod") or "",
                tuple(spans(rows)),
                text[:start].casefold(),
                text[start + size :],
                datetime.fromisoformat(case["reference"][:26]).replace(tzinfo=UTC),
            )
        )
    return found, other


def spans(rows: list[dict[str, Any]]) -> Iterator[Ends]:
    """The resolutions of a result as spans; a datetime is its second."""
    for row in rows:
        for part in (row, row.get("PastResolution") or {}, row.get("FutureResolution") or {}):
            values = {key.lower(): value for key, value in part.items() if isinstance(value, str)}
            start = next(
                (values[key] for key in ("start", "startdate", "startdatetime") if key in values), None
            )
            end = next((values[key] for key in ("end", "enddate", "enddatetime") if key in values), None)
            point = next((values[key] for key in ("value", "date", "datetime") if key in values), None)
            if point and point[0].isdigit() and not point.startswith("0001"):
                at = _moment(point)
                yield at, at + (timedelta(days=1) if len(point) == 10 else timedelta(seconds=1))
            elif (start or end) and not (start or end or "").startswith("0001"):
                yield (_moment(start) if start else None), (_moment(end) if end else None)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def right_span(mention: TimeMention, expected: Expected) -> bool:
    """Whether the best reading, or an alternative, is one of the resolutions.

    The suite's ranges end before the last unit that they name, asof's after it; its times of day are points;
    what reaches to now ends at midnight before the anchor, asof's at the anchor.
    """
    ours = [mention.core] if expected.mod == "approx" else [mention.span, *mention.alternatives]
    for span in ours:
        for start, end in expected.spans:
            if span.start == start and (
                span.end == end
                or (expected.kind == "datetime" and mention.grain in ("hour", "minute", "second"))
                or (
                    (mention.relation == "between" or expected.text.startswith("rest"))
                    and _one_unit_less(end, span.end)
                )
                or (span.end == expected.anchor and end is not None and end.date() == expected.anchor.date())
                or (end is not None and span.end == end + timedelta(seconds=1))
            ):
                return True
    return False


def _one_unit_less(end: datetime | None, ours: datetime | None) -> bool:
    if end is None or ours is None:
        return False
    if ours - end in (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(microseconds=1)):
        return True
    return any(months_later(end.date(), n) == ours.date() for n in (1, 3, 12))


def judged(case: dict[str, Any]) -> tuple[str | None, bool, bool, str]:
    """The difference that leaves a case out or None, right extents, right spans, what was found."""
    expected, other = expectations(case)
    for name, _, differs in DIFFERENCES:
        if any(differs(result) for result in expected):
            return name, False, False, ""
    anchor = datetime.fromisoformat(case["reference"][:26]).replace(tzinfo=UTC)
    found = parse(case["text"], anchor)
    if case["spec"] != "DateTimeModel":  # a parser of one type leaves times of day alone out
        found = tuple(
            m
            for m in found
            if m.grain not in ("hour", "minute") or any(m.start <= e.start < m.end for e in expected)
        )
    ours = [m for m in found if not any(m.start < end and start < m.end for start, end in other)]
    extents = [(m.start, m.end) for m in ours] == [(e.start, e.start + len(e.text)) for e in expected]
    meant = len(ours) == len(expected) and all(map(right_span, ours, expected))
    told = "; ".join(
        f"{m.text!r} {m.span.start:%F %T} .. {m.span.end:%F %T}"
        if m.span.start and m.span.end
        else f"{m.text!r} {m.span.start} .. {m.span.end}"
        for m in ours
    )
    return None, extents, meant, told


def compare(path: Path, *, misses: bool) -> None:
    """Print the table of a file of cases."""
    left, counts, in_scope = Counter[str](), Counter[str](), 0
    for case in cases(path):
        in_scope += 1
        difference, extents, meant, told = judged(case)
        if difference is not None:
            left[difference] += 1
            continue
        counts["agreeing"] += 1
        counts["extent"] += extents
        counts["span"] += meant
        counts["both"] += extents and meant
        if misses and not (extents and meant):
            expected, _ = expectations(case)
            print(f"{case['id']} {case['reference'][:10]} {case['text'][:110]!r}")
            for e in expected:
                wanted = " | ".join(
                    f"{a and f'{a:%F %T}'} .. {b and f'{b:%F %T}'}" for a, b in dict.fromkeys(e.spans)
                )
                print(f"    wanted {e.text!r} {e.timex} {wanted}")
            print(f"    found  {told or 'nothing'}")
    print(f"{in_scope} cases in scope ({', '.join(SPECS)}; {', '.join(TYPES)})")
    for name, reason, _ in DIFFERENCES:
        print(f"{-left[name]:5} {name}: {reason}")
    total = counts["agreeing"]
    print(f"{total:5} agree in what they mean")
    for name in ("extent", "span", "both"):
        print(f"{counts[name]:5} {name} right: {counts[name] / max(total, 1):.1%}")


HOSTILE = {
    "figures": "1" * 10, "last": "last ", "between": "between ", "two": "two ", "dates": "2024-03-05 ",
    "slashes": "1/2/", "ranges": "2019 to ", "months": "March ", "of": "first of ", "dots": "5.",
    "gaps": "5 " + " " * 9,
    "surrogates": "\ud8005 March\udc00 ", "the": "the ", "parts": "early ", "before": "two days before ",
}  # fmt: skip


def speed(files: list[Path]) -> None:
    """Print microseconds per character: the median over texts, and hostile texts as they grow."""
    anchor = datetime(2024, 5, 31, tzinfo=UTC)
    costs = []
    for path in files:
        text = path.read_text("utf-8", errors="replace")[:200_000]
        for at in range(0, len(text), 2000):
            piece = text[at : at + 2000]
            taken = min(_seconds(piece, anchor) for _ in range(3))
            costs.append(taken / len(piece) * 1e6)
    if costs:
        print(f"{len(costs)} texts of 2,000 characters: median {median(costs):.3f} us per character")
    for name, unit in HOSTILE.items():
        row = []
        for size in (10_000, 20_000, 40_000, 80_000):
            text = unit * (size // len(unit))
            row.append(f"{_seconds(text, anchor) / len(text) * 1e6:7.2f}")
        print(f"{name:12} us per character at 10, 20, 40, 80 thousand: {' '.join(row)}")


def _seconds(text: str, anchor: datetime) -> float:
    begin = time.perf_counter()
    parse(text, anchor)
    return time.perf_counter() - begin


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("cases", type=Path, nargs="?")
    parser.add_argument("--misses", action="store_true", help="list the cases that are not right")
    parser.add_argument("--speed", type=Path, nargs="*", help="time texts and hostile input")
    options = parser.parse_args()
    if options.cases is not None:
        compare(options.cases, misses=options.misses)
    if options.speed is not None:
        speed(options.speed)


if __name__ == "__main__":
    main()
