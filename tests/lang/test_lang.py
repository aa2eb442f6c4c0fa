"""Word lists of languages; a new language is a folder of them and no code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import asof
from asof.lang import codes, detect, every, stop_words, tables
from asof.text.tokens import tokenize

SWEDISH = {
    "words.toml": 'stop = "och i en ett den det är"\ncalendar = "januari måndag"\nended = ["upphört"]\n',
    "time.toml": 'figures = "day"\n[month]\n3 = "mars"\n[day]\n-2 = "förrgår"\n[relation]\nsince = "sedan"\n',
    "intent.toml": '[wish]\nnewest = ["senaste"]\n',
}
ASKED = """
import json
from asof.lang import codes, stop_words
from asof.time.termination import mentions_termination
from asof.time.intent import recency
from asof.time.moment import read
from datetime import UTC, datetime

noon = datetime(2024, 5, 31, 12, tzinfo=UTC)
day, month = (read(text, noon) for text in ("förrgår", "3 mars 2024"))
days = [each.start.isoformat()[:10] for each in (day, month)]
print(json.dumps(["sv" in codes("time"), *days, recency("senaste priset"), "och" in stop_words("sv"),
                  mentions_termination("Färjan har upphört.")]))
"""


def test_english_is_first() -> None:
    assert codes("words") == ("en", "de", "es", "fr", "it", "nl", "pt")
    assert every("facts") == "en de"
    assert codes("time")[:2] == codes("intent")[:2] == ("en", "de")


def test_a_language_without_a_list_has_none() -> None:
    assert tables("nl", "time") == tables("xx", "time") == {}
    assert stop_words("xx") == frozenset()


def test_stop_words_are_tokens() -> None:
    for code in codes("words"):
        assert [word for word in stop_words(code) if tokenize(word) != [word]] == []
        assert len(stop_words(code)) > 100


def test_question_words_are_stop_words_and_words_of_time_are_not() -> None:
    questions = "who what when where which why how whose whom"
    assert set(questions.split()) <= stop_words("en")
    times = "now current currently latest new newest recent today ever first last may march us it's"
    assert not stop_words("en").intersection(times.split())


def test_a_new_language_is_a_folder(tmp_path: Path) -> None:
    package = tmp_path / "asof"
    shutil.copytree(
        Path(asof.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "example")
    )
    (package / "lang" / "sv").mkdir()
    for name, text in SWEDISH.items():
        (package / "lang" / "sv" / name).write_text(text, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", ASKED], env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONUTF8": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    known, day, month, recency, stop, over = json.loads(run.stdout)
    assert known
    assert (day, month) == ("2024-05-29", "2024-03-03")  # two days before 31 May
    assert (recency, stop, over) == (1.0, True, True)


def test_lists_of_questions_are_phrases_or_words() -> None:
    """Words of a list are parted by blanks, phrases stand one by one; only German nouns have capitals."""
    for code in codes("questions"):
        phrases = {name for name, listed in tables(code, "questions").items() if isinstance(listed, list)}
        assert {"value", "overview_phrases", "joining"} <= phrases
        assert tables(code, "questions").get("capital_nouns", False) is (code == "de")


def test_the_language_that_knows_most_words() -> None:
    known = {"en": {"the", "of"}, "de": {"der", "von"}, "fr": {"le", "de"}}
    assert detect(["der", "von", "the"], known) == "de"  # two against one
    assert detect(["der", "the"], known) == detect([], known) == "en"  # of equals the first
    assert detect(["der", "the"], known, default="de") == detect([], known, default="de") == "de"
    assert detect([], known, default="xx") == "en"
