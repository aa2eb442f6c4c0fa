"""Facts on a terminal, as `asof facts` and `asof graph` show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from asof.cli.terminal import plain
from asof.time.span import format_instant, iso

if TYPE_CHECKING:
    from collections.abc import Sequence

    from asof.data import SourcedTime
    from asof.time.span import Span

WIDTH = 60
"""The most characters of an object in a line."""


def time_label(when: SourcedTime | None) -> str:
    """The time of a fact: its period by its canonical name (a fiscal one by its own words), else its days;
    "" where none is known."""
    if when is None:
        return ""
    label = span_label(when.span)
    return f"{label} ({plain(when.text)})" if "fiscal" in when.text.casefold() else label


def span_label(span: Span) -> str:
    """A span as short as it can be: 2024-Q1, 2024-03-05, "2024-03-05 - 2024-03-09", "until 2024-03"."""
    from asof.time.period import GRAINS, Period

    if span.start is None and span.end is None:
        return "always"
    if span.start is None or span.end is None:
        return f"until {_day(span.last)}" if span.start is None else f"from {_day(span.first)}"
    for grain in GRAINS:
        period = Period.containing(span.start, grain)
        if period.span == span:
            return str(period)
    first, last = _day(span.first), _day(span.last)
    return first if first == last else f"{first} - {last}"


def _day(instant: int) -> str:
    return iso(instant)[:10]


def stretch_label(start: int | None, end: int | None, *, still: str) -> str:
    """From when until when a state holds (instants; `end` is not in it); `still` where it goes on."""
    first = "?" if start is None else _day(start)
    last = still if end is None else _day(end)
    return f"{first} - {last}"


def head(
    subject: str, names: Sequence[str], as_of: int, known_at: int, counted: str, *, dated: bool, known: bool
) -> str:
    """The first line: who, when, how many."""
    also = f" ({', '.join(plain(name) for name in names)})" if names else ""
    moment = f" as of {format_instant(as_of) if dated else 'now'}"
    if known:
        moment += f" · known at {format_instant(known_at)}"
    return f"{click.style(plain(subject) + also, bold=True)}{click.style(f'{moment} · {counted}', dim=True)}"


def unknown(subject: str, near: Sequence[str]) -> str:
    """What is said of a name that no fact has."""
    suggestion = f"; did you mean {' or '.join(plain(name) for name in near)}?" if near else ""
    return f"no fact about {plain(subject)}{suggestion}"
