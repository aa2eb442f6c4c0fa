"""Word lists of languages; a new language is a folder of them and no code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.lang.test_schema import faults

import asof
from asof.documents import Document
from asof.lang import codes, detect, every, stop_words, tables
from asof.store.schema import CorpusSettings
from asof.text.tokens import tokenize
from asof.wire import encode

LANG = Path(asof.__file__).parent / "lang"
SWEDISH = Path(__file__).with_name("sv")
TIMES = {
    "den 5 mars 2021": "2021-03-05 2021-03-06",
    "5:e mars 2021": "2021-03-05 2021-03-06",
    "3/4/2021": "2021-04-03 2021-04-04",
    "tredje kvartalet 2021": "2021-07-01 2021-10-01",
    "slutet av mars 2021": "2021-03-21 2021-04-01",
    "sommaren 2020": "2020-06-01 2020-09-01",
    "mellan 2003 och 2005": "2003-01-01 2006-01-01",
    "från mars till maj 2021": "2021-03-01 2021-06-01",
    "före mars 2021": ".. 2021-03-01",
    "sedan 2020": "2020-01-01 ..",
    "i mars": "2024-03-01 2024-04-01",
    "förra månaden": "2024-04-01 2024-05-01",
    "för tre veckor sedan": "2024-05-10 2024-05-11",
    "om två dagar": "2024-06-02 2024-06-03",
    "i förrgår": "2024-05-29 2024-05-30",
    "nästa måndag": "2024-06-03 2024-06-04",
    "mars är en planet": "",
}
ASKED = """
import json, sys
from asof.lang import codes, stop_words
from asof.time.expressions import TimeContext, parse
from asof.time.intent import mentions_termination
from asof.time.intent import recency
from datetime import UTC, datetime

noon = datetime(2024, 5, 31, 12, tzinfo=UTC)

def day(moment):
    return moment.isoformat()[:10] if moment else ".."

read = {
    text: " ".join(f"{day(each.span.start)} {day(each.span.end)}"
                   for each in parse(text, noon, TimeContext(language="qs")))
    for text in json.loads(sys.argv[1])
}
print(json.dumps(["qs" in codes("time"), read, recency("senaste priset"), "och" in stop_words("qs"),
                  mentions_termination("Färjan har upphört.")]))
"""


def test_english_is_first() -> None:
    for lists in ("words", "time", "intent", "facts"):
        folders = {file.parent.name for file in LANG.glob(f"*/{lists}.toml")}
        assert codes(lists) == ("en", *sorted(folders - {"en"}))
        assert every(lists).split() == list(codes(lists))


def test_a_language_without_a_list_has_none() -> None:
    assert tables("xx", "time") == {}
    assert stop_words("xx") == frozenset()


def test_stop_words_are_tokens() -> None:
    for code in codes("words"):
        assert [word for word in stop_words(code) if tokenize(word) != [word]] == []
        assert len(stop_words(code)) > 100, f"{code}: too few to tell that a text is of this language"


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
    shutil.copytree(SWEDISH, package / "lang" / "qs")  # no language has this code
    run = subprocess.run(
        [sys.executable, "-c", ASKED, json.dumps(list(TIMES))],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONUTF8": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    known, read, recency, stop, over = json.loads(run.stdout)
    assert known
    assert read == TIMES
    assert (recency, stop, over) == (1.0, True, True)


def test_its_lists_have_no_faults() -> None:
    lists = {file.stem: tomllib.loads(file.read_text("utf-8")) for file in SWEDISH.iterdir()}
    assert faults(lists) == []


def test_lists_of_questions_are_phrases_or_words() -> None:
    """Words of a list are parted by blanks, phrases stand one by one; German nouns have capitals."""
    for code in codes("questions"):
        phrases = {name for name, listed in tables(code, "questions").items() if isinstance(listed, list)}
        assert {"value", "overview_phrases", "joining"} <= phrases
    assert [code for code in ("en", "de") if tables(code, "questions").get("capital_nouns")] == ["de"]


def test_the_language_that_knows_most_words() -> None:
    known = {"en": {"the", "of"}, "de": {"der", "von"}, "fr": {"le", "de"}}
    assert detect(["der", "von", "the"], known) == "de"  # two against one
    assert detect(["der", "the"], known) == detect([], known) == "en"  # of equals the first
    assert detect(["der", "the"], known, default="de") == detect([], known, default="de") == "de"
    assert detect([], known, default="xx") == "en"
    assert detect(["le"], known, default="en", least=2) == "en"
    assert detect(["le", "de"], known, default="en", least=2) == "fr"
    assert detect(["le"], known, default="xx", least=2) == "fr"


# -- a corpus in several languages ------------------------------------------------------------------------

VAULT = {
    "en": "The boiler of the house is looked after by Ida Holm. She repaired its pumps in May 2019.",
    "de": "Die Fähren fahren im Sommer nicht mehr, seit dem 3. März 2020 sind die Häfen zu.",
    "fr": "Les marchands vendent leurs poissons depuis mars 2021. Ils arrivent avec des chevaux.",
}
"""A note in each language; its words are asked for in other forms than it has."""


@pytest.mark.parametrize(
    ("question", "language", "month"),
    [
        ("repairing a pump", "en", "2019-05"),
        ("eine Fähre fährt", "de", "2020-03"),
        ("le marchand vendait un poisson", "fr", "2021-03"),
    ],
)
def test_each_note_is_found_by_the_stems_of_its_own_language(
    tmp_path: Path, question: str, language: str, month: str
) -> None:
    settings = CorpusSettings(languages=("en", "de", "fr"))
    with asof.open(tmp_path, settings=settings) as corpus:
        corpus.add([Document(code, text, published="2022") for code, text in VAULT.items()])
        first = corpus.at().search(question).hits[0]
        assert (first.document, first.language) == (language, language)
        assert encode(first)["language"] == language
        assert [str(time.span.start)[:7] for time in first.about] == [month]
        assert corpus.status().languages == {"en": 1, "de": 1, "fr": 1}
