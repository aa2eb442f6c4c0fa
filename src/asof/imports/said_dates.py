"""Dates as feeds, sitemaps, bookmarks and saved pages write them."""

from __future__ import annotations

from datetime import datetime
from email.utils import parsedate_to_datetime

from asof.data import SourcedTime
from asof.errors import BadTime
from asof.sources.dates import second, stated

_LONGEST = 100


def of_text(words: str) -> SourcedTime | None:
    """The time of ISO 8601, or of a mail's date (RFC 822) with whatever name of a zone; None for blanks.

    A zone that is not known leaves the day. Raises BadTime.
    """
    words = " ".join(words.split())
    try:
        return stated(words, "metadata")
    except BadTime as wrong:
        try:
            when = parsedate_to_datetime(words[:_LONGEST])
        except (ValueError, TypeError, IndexError, OverflowError):
            raise wrong from None
        return stated(when if when.tzinfo else when.date(), "metadata")


def of_seconds(words: str) -> SourcedTime | None:
    """The second of a Unix time; None for blanks and 0, which stand for no date. Raises BadTime."""
    words = words.strip()
    if not words.strip("0"):
        return None
    if not (words.isascii() and words.isdigit() and len(words) <= 20):
        raise BadTime(f"{words!r:.40} is not a number of seconds since 1970")
    return second(int(words), "metadata")


def of_browser(words: str) -> SourcedTime | None:
    """The time as JavaScript writes it ("Tue Mar 02 2021 10:00:00 GMT+0100 (...)"); None for another text."""
    plain = words.partition("(")[0].replace("GMT", "").replace("UTC", "").strip()
    for form in ("%a %b %d %Y %H:%M:%S %z", "%a %b %d %Y %H:%M:%S"):
        try:
            when = datetime.strptime(plain, form)  # noqa: DTZ007  without an offset only the day is taken
        except ValueError:
            continue
        return stated(when if when.tzinfo else when.date(), "metadata")
    return None
