"""What an update costs: a model is asked about new passages, and about the periods that change.

24 companies report in each of 8 quarters: a passage with the figure of the quarter, one with a sale on a day,
and of every third company one with a purchase on another day. The model is a script; what it was asked is
compared with what the documents say, counted by hand.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import asof
from asof.corpus.corpus import Corpus
from asof.extensions.facts.hierarchy import ancestors
from asof.extensions.facts.indexer import learn, report_all
from asof.models.ports import Prompt, ScriptedModel
from asof.store.schema import CorpusSettings
from asof.time.moment import read
from asof.time.span import Period
from asof.values import Document, Ended, SourcedTime

pytestmark = pytest.mark.slow

COMPANIES = tuple(
    f"{wood} {trade}"
    for wood in ("Alder", "Birch", "Cedar", "Elder", "Hazel", "Maple")
    for trade in ("Mills", "Carts", "Ropes", "Kilns")
)
QUARTERS = tuple((2021 + at // 4, 1 + at % 4) for at in range(1, 9))
"""2021-Q2 to 2023-Q1."""

SAID = re.compile(r"^\[(\d+)\] ((\w+ \w+) (earned|sold|bought) ((\d+) \w+) (?:on|in) (\S+)\.)", re.MULTILINE)
NAMED = re.compile(r"^\[(\d+)\] (\w+ \w+) is formerly known as (\w+ \w+)\.", re.MULTILINE)


# -- the corpus, and the model ----------------------------------------------------------------------------


def sale(company: int, year: int, quarter: int) -> date:
    """Twelve days of a quarter, on each of which two companies sell; four in each of its months."""
    return date(year, 3 * quarter - 2 + company % 3, 1 + company % 12)


def lines(company: int, year: int, quarter: int, wagons: int = 30) -> list[str]:
    name, day = COMPANIES[company], sale(company, year, quarter)
    said = [
        f"{name} earned {100 + company} crowns in {year}-Q{quarter}.",
        f"{name} sold {wagons} wagons on {day}.",
    ]
    if company % 3 == 0:
        said.append(f"{name} bought {20 + company} horses on {day.replace(day=day.day + 14)}.")
    return said


def document(company: int, year: int, quarter: int, said: list[str], published: str) -> Document:
    """A passage for each line, of ten words or more."""
    text = "\n\n".join(f"{each} That was all there was." for each in said)
    dated = SourcedTime(read(published), published, "metadata")
    return Document(f"{COMPANIES[company]} {year}-Q{quarter}", text, "", dated)


def quarter_of(year: int, quarter: int) -> list[Document]:
    """What the companies report of a quarter, on its last 28th."""
    return [
        document(each, year, quarter, lines(each, year, quarter), f"{year}-{3 * quarter:02}-28")
        for each in range(len(COMPANIES))
    ]


def statement(number: str, name: str, relation: str, thing: str, **more: Any) -> dict[str, Any]:
    return {
        "subject": name, "relation": relation, "object": thing, "time": None, "sentence": int(number),
        "kind": "value", "value": None, "unit": "", "basis": "", "confidence": 1.0, **more,
    }  # fmt: skip


def named(company: int, other: str) -> Document:
    """A document that says that a company has another name."""
    dated = SourcedTime(read("2023-05-02"), "2023-05-02", "metadata")
    return Document("names", f"{COMPANIES[company]} is formerly known as {other}.", "", dated)


def script(prompt: Prompt) -> str:
    """The facts of a passage; a report that rests on all it was shown, other for every other prompt."""
    if prompt.schema is not None and prompt.schema.__name__ == "RepliedFacts":
        facts = [
            statement(number, name, verb, thing, value=float(value), time=time)
            for number, _, name, verb, thing, value, time in SAID.findall(prompt.user)
        ]
        facts += [
            statement(number, name, "is formerly known as", other, kind="name")
            for number, name, other in NAMED.findall(prompt.user)
        ]
        return json.dumps({"facts": facts})
    numbers = [int(each) for each in re.findall(r"^\[(\d+)\]", prompt.user, re.MULTILINE)]
    digest = hashlib.sha256(prompt.user.encode()).hexdigest()
    finding = {"statement": f"Told {digest}.", "facts": numbers}
    return json.dumps({"title": f"Of {digest[:8]}", "summary": "Told.", "findings": [finding]})


class Counted:
    """A corpus, and what its model was asked since it was last looked at."""

    def __init__(self, corpus: Corpus, model: ScriptedModel) -> None:
        self.corpus, self.model = corpus, model
        self._seen = 0

    def update(self, *documents: Document | Ended) -> tuple[list[str], list[str]]:
        """Take documents in, read them and tell all periods: the sentences and the periods of its prompts."""
        self.corpus.add(documents)
        assert learn(self.corpus).complete
        assert report_all(self.corpus).complete
        return self.asked()

    def asked(self) -> tuple[list[str], list[str]]:
        prompts = [each.user for each in self.model.prompts[self._seen :]]
        self._seen = len(self.model.prompts)
        periods = [each.partition("\n")[0] for each in prompts if each.startswith("Period: ")]
        read = [each for each in prompts if not each.startswith("Period: ")]
        sentences = [found[1] for each in read for found in SAID.findall(each)]
        sentences += [f"{one} = {other}" for each in read for _, one, other in NAMED.findall(each)]
        assert len(sentences) == len(read)  # a passage is a line
        return sorted(sentences), sorted(each.removeprefix("Period: ") for each in periods)


@pytest.fixture(scope="module")
def told() -> Iterator[Path]:
    """The folder of a corpus of 192 documents, of which all is read and told."""
    shared = Path("/dev/shm")  # noqa: S108
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        root = Path(folder) / "told"
        root.mkdir()
        (root / "asof.toml").write_text('[facts]\nextractor = "model"\n', "utf-8")
        with opened(root) as counted:
            documents = [each for quarter in QUARTERS for each in quarter_of(*quarter)]
            assert len(documents) == 192
            sentences, periods = counted.update(*documents)
            # two lines of 24 companies, a third one of 8, in 8 quarters
            assert len(sentences) == len(set(sentences)) == (2 * 24 + 8) * 8
            # 12 days of sales and 4 others, 3 months and the quarter, 8 times; three years
            assert len(periods) == len(set(periods)) == (12 + 4 + 3 + 1) * 8 + 3
        yield root


class opened:  # noqa: N801  used as a function
    def __init__(self, root: Path) -> None:
        self.model = ScriptedModel(script, "teller")
        self.corpus = asof.open(root, settings=CorpusSettings(chunking="10w"), model=self.model)
        self.corpus.maintenance.background = False

    def __enter__(self) -> Counted:
        return Counted(self.corpus, self.model)

    def __exit__(self, *error: object) -> None:
        self.corpus.close()


@pytest.fixture
def counted(told: Path) -> Iterator[Counted]:
    """A copy of that corpus."""
    copy = told.with_name("copy")
    shutil.copytree(told, copy)
    with opened(copy) as corpus:
        yield corpus
    shutil.rmtree(copy)


# -- what an update asks ----------------------------------------------------------------------------------


def test_a_new_quarter_asks_about_its_passages_and_its_periods(counted):
    sentences, periods = counted.update(*quarter_of(2023, 2))
    assert sentences == sorted(line for each in range(24) for line in lines(each, 2023, 2))
    days = {str(sale(each, 2023, 2)) for each in range(24)}
    days |= {line[-11:-1] for each in range(0, 24, 3) for line in lines(each, 2023, 2)[2:]}
    assert periods == sorted([*days, "2023-04", "2023-05", "2023-06", "2023-Q2", "2023"])
    assert len(periods) == 12 + 4 + 3 + 1 + 1


def test_an_edit_asks_about_what_it_changes(counted):
    """A figure of company 5, that sells on the 6th of the third month; company 17 sells then too."""
    said = lines(5, 2022, 2, wagons=31)
    sentences, periods = counted.update(document(5, 2022, 2, said, "2023-05-02"))
    assert sentences == [said[1]] == ["Birch Carts sold 31 wagons on 2022-06-06."]
    assert periods == ["2022", "2022-06", "2022-06-06", "2022-Q2"]


def test_a_deletion_asks_about_what_it_takes_away(counted):
    """Two days of company 3; company 15 sells and buys on the same ones, so that both are told still."""
    gone = f"{COMPANIES[3]} 2021-Q3"
    sentences, periods = counted.update(Ended(gone, SourcedTime(read("2023-05-02"), "2023-05-02", "git")))
    assert sentences == []
    days = [str(sale(3, 2021, 3)), "2021-07-18"]
    assert days == ["2021-07-04", "2021-07-18"]
    assert periods == sorted(["2021", "2021-07", *days, "2021-Q3"])


def test_a_name_that_nobody_has_asks_about_no_period(counted):
    assert counted.update(named(0, "Olive Mills")) == (["Alder Mills = Olive Mills"], [])


def test_names_that_become_one_ask_about_what_tells_of_both(counted):
    """Companies 0 and 12 sell on the same days, and buy on the same days; other periods stay as they are."""
    sentences, periods = counted.update(named(0, COMPANIES[12]))
    assert sentences == ["Alder Mills = Elder Mills"]
    both = {line[-11:-1] for each in QUARTERS for line in lines(0, *each)[1:]}
    above = {str(above) for each in both for above in ancestors(Period.parse(each))}
    assert periods
    assert set(periods) <= both | above
    assert len(both | above) == (2 + 1 + 1) * 8 + 3  # two days in a month, of each quarter


def test_a_second_run_asks_nothing(counted):
    assert learn(counted.corpus).passages == 0
    told = report_all(counted.corpus)
    assert (told.reports, told.cost.calls, told.cost.cached) == (163, 0, 163)
    assert counted.asked() == ([], [])
