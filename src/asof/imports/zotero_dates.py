"""Zotero's dates: `2020-03-00 March 2020`, in figures (00 for what is not known) before the words."""

from __future__ import annotations

import re

from asof.data import SourcedTime
from asof.errors import BadTime
from asof.sources.dates import stated

_PARTS = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?: (.*))?", re.DOTALL)
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?")


def of_field(value: str) -> SourcedTime | None:
    """The time of the field `date`: a year, a month or a day, as far as it is known, in the user's words.

    None for a blank. Raises BadTime for one that Zotero could not read either ("in press").
    """
    value = value.strip()
    match = _PARTS.fullmatch(value)
    if match is None:
        return stated(value, "metadata")
    year, month, day, words = match[1], match[2], match[3], (match[4] or "").strip()
    if _TIME.fullmatch(words):
        return stated(value, "metadata")
    if year == "0000":
        raise BadTime(f"{words[:60]!r} is no date that Zotero could read")
    figures = year + (f"-{month}" if month != "00" else "") + (f"-{day}" if "00" not in (month, day) else "")
    time = stated(figures, "metadata")
    return None if time is None else SourcedTime(time.span, words or figures, "metadata")


def of_clock(value: str) -> SourcedTime | None:
    """A time at which Zotero did something ("2021-03-02 10:00:00", UTC). Raises BadTime."""
    return stated(value, "metadata")
