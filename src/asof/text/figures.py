"""Figures in a text: the words, the amount, and the position.

"about $3.7 billion"  ->  "$3.7 billion", 3.7e9 USD        "60 basis points"  ->  60 bp
"$0.91 per share"     ->  0.91 USD/share                   "31,5 Mio. Euro"   ->  31.5e6 EUR (German)
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from asof.text.fact_lexicon import RuleLexicon, lexicon

LONGEST = 18
"""The most digits of a figure; a longer number is an identifier (an account, a key)."""

_SHORT = {"k", "m", "b", "t"}  # are scales only of money: "$5m", but "5 m" are metres
_EACH = (
    "share|barrel|unit|ton|tonne|year|month|week|day|hour|person|head|piece|loaf|ticket|night|gallon|pound"
)


class Figure(NamedTuple):
    """`text[start:end]`; `value` in whole units of `unit`, "" for a bare number."""

    start: int
    end: int
    value: float
    unit: str
    money: bool


@lru_cache(maxsize=4)
def pattern(language: str) -> re.Pattern[str]:
    """Figures as they are written in a language. Possessive where a run could be long: linear time."""
    words = lexicon(language)
    point, comma = (r"\.", ",") if words.decimal == "." else (",", r"\.")
    number = rf"[0-9]{{1,3}}(?>(?:{comma}[0-9]{{3}})+)(?:{point}[0-9]++)?|[0-9]++(?>(?:{point}[0-9]++)?)"
    currency = _either(words.currencies)
    signs = _either(word for word in words.currencies if not word.isalpha())
    return re.compile(
        rf"(?<![\w.,/])(?<!\d:)(?P<sign>[-−+])?(?:(?P<money>{currency})[ \u00a0]?)?(?P<number>{number})"
        rf"(?:[ \u00a0-]?(?P<scale>{_either(words.scales)})(?![\w]))?"
        rf"(?:[ \u00a0-]?(?P<unit>{_either({**words.units, **words.currencies})}|{signs})(?![\w]))?"
        rf"(?:(?:[ \u00a0](?:per|pro|je)[ \u00a0]|/)(?:the )?(?P<per>(?:diluted |basic )?[^\W\d_]{{2,20}})"
        rf"|[ \u00a0](?:an?|each)[ \u00a0](?P<each>{_EACH})(?![\w-]| ago| earlier))?"
        r"(?![\w]|:\d)",
        re.IGNORECASE,
    )


def _either(words: object) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda w: (-len(w), w)))  # type: ignore[call-overload]


def figure_of(match: re.Match[str], words: RuleLexicon) -> Figure | None:
    """The figure that a match of `pattern` is; None for one that is none (a long number)."""
    number = match["number"]
    if sum(map(str.isdigit, number)) > LONGEST:
        return None
    plain = number.replace("." if words.decimal == "," else ",", "").replace(words.decimal, ".")
    money = (match["money"] or "").lower()
    unit, scale = (match["unit"] or "").lower(), (match["scale"] or "").lower()
    if scale in _SHORT and not (money or unit in words.currencies):
        if unit or match["per"] or match["each"]:
            return None
        unit, scale = words.units.get(scale, ""), ""
        if not unit:
            return None
    named = words.currencies.get(money) or words.currencies.get(unit) or words.units.get(unit, "")
    per = match["per"] or match["each"]
    value = float(Decimal(plain) * int(words.scales.get(scale, 1.0)))
    if match["sign"] in ("-", "−"):
        value = -value
    is_money = bool(money) or unit in words.currencies
    whole = f"{named}/{per.split()[-1].lower()}" if per else named
    return Figure(match.start(), match.end(), value, whole, is_money)
