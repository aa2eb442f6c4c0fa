"""The schema of word lists: what is unknown, missing, of a wrong type, or in two places is a fault.

English has every list and every table, so its files say what there is; the tables below say what rows mean.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Any

import pytest

from asof.lang import FIRST, tables
from asof.time.lexicon import WORD
from asof.time.reading import holiday

ROOT = files("asof.lang")
LANGUAGES = sorted(folder.name for folder in ROOT.iterdir() if folder.is_dir() and folder.name.isalpha())
UNITS = set(tables(FIRST, "time")["unit"])
RELATIONS = set(tables(FIRST, "time")["relation"]) | set(tables(FIRST, "time")["trailing"])
CHOICES = {"figures": ("month", "day"), "accents": ("required", "optional")}

WHOLE = {"month": range(1, 13), "weekday": range(1, 8)}
"""Tables that have all of these rows, if they are there."""
PAIRS = {"between": "and", "from": "to", "units": "unit", "adjective": "determiner"}
"""Tables that say nothing without the other."""
FIGURES = {"number", "day_figures", "year_figures", "short_year"}
"""Senses that figures have by themselves; rules ask for them as for a table."""
MARKS = {"wary", "very_wary", "lower_case", "with_year", "loose"}
"""Tables of words that stand in another table as well."""
APART = {
    "time": [{"wary", "very_wary"}],
    "words": [{"stop", "calendar"}],
    "questions": [{"highest", "lowest"}, {"present", "past"}],
}
"""Lists of a file that have no word in common; in `intent` and `answer_kinds` no two lists have one."""


def _is_number(low: int, high: int) -> Callable[[str], bool]:
    return lambda key: key.lstrip("-").isdecimal() and low <= int(key) <= high


def _is_holiday(key: str) -> bool:
    try:
        holiday(key)(2024)
    except ValueError:
        return False
    return True


def _is_hours(key: str) -> bool:
    return len(key.split()) == 2 and all(map(_is_number(0, 24), key.split()))


def _is_beside(key: str) -> bool:
    unit, _, side = key.partition(" ")
    return unit in UNITS and _is_number(-2, 2)(side)


ROWS: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys(("month", "month_short", "season"), _is_number(1, 12)),
    **dict.fromkeys(("weekday", "weekday_short", "weekday_letter"), _is_number(1, 7)),
    **dict.fromkeys(("unit", "units", "unit_short", "end_of_unit", "to_date"), UNITS.__contains__),
    **dict.fromkeys(("relation", "prefix", "trailing"), RELATIONS.__contains__),
    **dict.fromkeys(("part", "part_after"), _is_number(0, 2)),
    **dict.fromkeys(("rolling", "ago", "ago_before", "shift"), _is_number(-1, 1)),
    **dict.fromkeys(("side", "side_after"), _is_number(-2, 2)),
    "quarter_name": _is_number(1, 4),
    "half_name": _is_number(1, 2),
    **dict.fromkeys(("holiday", "last_end"), _is_holiday),
    "daypart": _is_hours,
    **dict.fromkeys(("beside", "ends_at"), _is_beside),
}
"""What a row of a table may be called; elsewhere a number."""


def faults(lists: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What is wrong with the files of a language, by their names without `.toml`."""
    return [f"{name}.toml: {fault}" for name, held in lists.items() for fault in _faults(name, held)]


def _faults(name: str, held: Mapping[str, Any]) -> Iterator[str]:
    english = tables(FIRST, name)
    if not english:
        yield "no list has this name"
    flat = dict(_flat(held))
    for key, value in held.items():
        if key not in english:
            yield f"{key}: unknown"
        elif type(value) is not type(english[key]):
            yield f"{key}: {type(value).__name__}, and it must be {type(english[key]).__name__}"
        elif name == "time" and isinstance(value, dict):
            yield from _table_faults(key, value)
        elif isinstance(value, dict) and name == "intent":
            yield from (f"{key}.{row}: unknown" for row in value if row not in english[key])
        elif value not in CHOICES.get(key, [value]):
            yield f"{key}: {value!r}, and it must be one of {CHOICES[key]}"
    if name == "time" and "figures" not in held:
        yield "figures: missing"
    for key, listed in flat.items():
        yield from _word_faults(key, listed, signs=name == "facts")
        other = PAIRS.get(key.rpartition(".")[2])
        if other and not any(each.rpartition(".")[2] == other for each in flat):
            yield f"{other}: missing, and {key} needs it"
    yield from _overlaps(name, flat)


def _table_faults(table: str, rows: Mapping[str, Any]) -> Iterator[str]:
    known = ROWS.get(table, _is_number(-1000, 9999))
    for row, words in rows.items():
        if not known(row):
            yield f"{table}.{row}: unknown"
        if not isinstance(words, str):
            yield f"{table}.{row}: {type(words).__name__}, and it must be str"
    yield from (f"{table}.{row}: missing" for row in WHOLE.get(table, ()) if str(row) not in rows)


def _word_faults(key: str, words: list[str], *, signs: bool) -> Iterator[str]:
    """`signs`: some such as $ and % may stand among the words, and units with capitals."""
    for word, count in Counter(words).items():
        if count > 1:
            yield f"{key}: {word!r} stands there {count} times"
        if word != word.lower():
            yield f"{key}: {word!r} has a capital"
        if not signs and not WORD.search(word):
            yield f"{key}: {word!r} is no word"


def _overlaps(name: str, flat: Mapping[str, list[str]]) -> Iterator[str]:
    for lists in APART.get(name, [set(flat)] if name in ("intent", "answer_kinds") else []):
        places: dict[str, list[str]] = {}
        for key in flat:
            for word in set(flat[key]) if key in lists else ():
                places.setdefault(word, []).append(key)
        yield from (
            f"{word!r} stands in {' and '.join(keys)}" for word, keys in places.items() if len(keys) > 1
        )
    if name == "time":
        others = {word for key, words in flat.items() if key not in MARKS for word in words}
        for key in MARKS & flat.keys():
            yield from (f"{key}: {word!r} is in no other table" for word in flat[key] if word not in others)


def _flat(held: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Each list of words with its name; the rows of a table of times are one list."""
    for key, value in held.items():
        if isinstance(value, dict) and all(isinstance(row, str) for row in value.values()):
            yield key, [word for row in value.values() for word in row.split()]
        elif isinstance(value, dict):
            yield from ((f"{key}.{row}", list(words)) for row, words in value.items())
        elif isinstance(value, list):
            yield key, value
        elif isinstance(value, str) and key not in (*CHOICES, "decimal"):
            yield key, value.split()


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_lists_of_a_language_have_no_faults(code: str) -> None:
    names = [file.name.removesuffix(".toml") for file in (ROOT / code).iterdir()]
    assert faults({name: tables(code, name) for name in names}) == []


def test_every_table_has_its_meaning_in_english() -> None:
    text = (ROOT / FIRST / "time.toml").read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("[") and "#" not in line] == []


def test_every_table_that_a_rule_asks_for_is_in_english() -> None:
    source = "".join(
        file.read_text("utf-8") for file in files("asof.time").iterdir() if file.name[-3:] == ".py"
    )
    asked = set(re.findall(r"\b(?:sense|after)\([^\"\n]*\"(\w+)\"", source))
    assert asked - tables(FIRST, "time").keys() == FIGURES


MONTHS = {str(number): f"month{chr(96 + number)}" for number in range(1, 13)}


@pytest.mark.parametrize(
    ("name", "lists", "meant"),
    [
        ("times", {}, ["no list has this name"]),
        ("time", {}, ["figures: missing"]),
        ("time", {"figures": "year"}, ["figures: 'year', and it must be one of ('month', 'day')"]),
        ("time", {"figures": "day", "moon": {"1": "moon"}}, ["moon: unknown"]),
        ("time", {"figures": "day", "month": "mars"}, ["month: str, and it must be dict"]),
        ("time", {"figures": "day", "month": MONTHS | {"13": "smarch"}}, ["month.13: unknown"]),
        ("time", {"figures": "day", "unit": {"moon": "moon"}}, ["unit.moon: unknown"]),
        ("time", {"figures": "day", "now": {"1": ["nu"]}}, ["now.1: list, and it must be str"]),
        ("time", {"figures": "day", "holiday": {"13-1": "x"}}, ["holiday.13-1: unknown"]),
        (
            "time",
            {"figures": "day", "month": {number: word for number, word in MONTHS.items() if number != "5"}},
            ["month.5: missing"],
        ),
        ("time", {"figures": "day", "side": {"-1": "x", "1": "x"}}, ["side: 'x' stands there 2 times"]),
        ("time", {"figures": "day", "now": {"1": "Nu"}}, ["now: 'Nu' has a capital"]),
        ("time", {"figures": "day", "between": {"1": "x"}}, ["and: missing, and between needs it"]),
        ("time", {"figures": "day", "wary": {"1": "x"}}, ["wary: 'x' is in no other table"]),
        ("words", {"stop": "x mars", "calendar": "mars"}, ["'mars' stands in stop and calendar"]),
        ("words", {"ended": "upphört"}, ["ended: str, and it must be list"]),
        ("intent", {"wish": {"newest": ["x"], "oldest": ["y"]}}, ["wish.oldest: unknown"]),
        ("intent", {"wish": {"newest": ["x"], "state": ["x"]}}, ["'x' stands in wish.newest and wish.state"]),
        ("intent", {"wish": {"adjective": ["x"]}}, ["determiner: missing, and wish.adjective needs it"]),
    ],
)
def test_a_fault_is_named(name: str, lists: dict[str, Any], meant: list[str]) -> None:
    assert faults({name: lists}) == [f"{name}.toml: {each}" for each in meant]
