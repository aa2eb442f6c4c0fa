"""What an update costs: a model is asked about new passages, and about the periods that change.

Six companies report in each of four quarters: a passage with the figure of the quarter, one with a sale on a
day, and of every third company one with a purchase on another day. The model is a script; what it was asked
is compared with what the documents say, counted by hand.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

import asof
from asof.corpus.corpus import Corpus
from asof.extensions.facts.hierarchy import ancestors
from asof.extensions.facts.indexer import precompute_facts, precompute_reports
from asof.models.ports import Prompt, ScriptedModel
from asof.store.schema import CorpusSettings
from asof.time.moment import read
from asof.time.span import Period
from asof.values import Document, Ended, SourcedTime

COMPANIES = ("Alder Mills", "Birch Carts", "Cedar Ropes", "Elder Kilns", "Hazel Mills", "Maple Carts")
QUARTERS = ((2021, 2), (2021, 3), (2021, 4), (2022, 1))
SAID = re.compile(r"^\[(\d+)\] ((\w+ \w+) (earned|sold|bought) ((\d+) \w+) (?:on|in) (\S+)\.)", re.MULTILINE)
NAMED = re.compile(r"^\[(\d+)\] (\w+ \w+) is formerly known as (\w+ \w+)\.", re.MULTILINE)


def sale(company: int, year: int, quarter: int) -> date:
    """Three days of a quarter, one in each of its months, on each of which two companies sell."""
    return date(year, 3 * quarter - 2 + company % 3, 1 + company % 3)


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
    return Document(f"{COMPANIES[company]} {year}-Q{quarter}", text, "", on(published))


def on(day: str) -> SourcedTime:
    return SourcedTime(read(day), day, "metadata")


def quarter_of(year: int, quarter: int) -> list[Document]:
    """What the companies report of a quarter, on its last 28th."""
    return [
        document(each, year, quarter, lines(each, year, quarter), f"{year}-{3 * quarter:02}-28")
        for each in range(len(COMPANIES))
    ]


def named(company: int, other: str) -> Document:
    """A document that says that a company has another name."""
    return Document("names", f"{COMPANIES[company]} is formerly known as {other}.", "", on("2022-05-02"))


def script(prompt: Prompt) -> str:
    """The facts of a passage; a report that rests on all it was shown, other for every other prompt."""
    if prompt.schema is not None and prompt.schema.__name__ == "RepliedFacts":
        stated = [
            (
                number,
                name,
                verb,
                thing,
                {"kind": "value", "value": float(value), "time": time, "confidence": 1},
            )
            for number, _, name, verb, thing, value, time in SAID.findall(prompt.user)
        ]
        stated += [
            (number, name, "is formerly known as", other, {"kind": "name", "confidence": 1})
            for number, name, other in NAMED.findall(prompt.user)
        ]
        return json.dumps({"facts": [
            {"sentence": int(number), "subject": name, "relation": verb, "object": thing, **more}
            for number, name, verb, thing, more in stated
        ]})  # fmt: skip
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
        assert precompute_facts(self.corpus).complete
        assert precompute_reports(self.corpus).complete
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


@pytest.fixture
def counted(memory_folder: Path) -> Iterator[Counted]:
    """A corpus of 24 documents, of which all is read and told."""
    (memory_folder / "asof.toml").write_text('[facts]\nextractor = "model"\n', "utf-8")
    model = ScriptedModel(script, "teller")
    with asof.open(memory_folder, settings=CorpusSettings(chunking="10w"), model=model) as corpus:
        corpus.maintenance.background = False
        made = Counted(corpus, model)
        sentences, periods = made.update(*(each for quarter in QUARTERS for each in quarter_of(*quarter)))
        # two lines of 6 companies, a third one of 2, in 4 quarters
        assert len(sentences) == len(set(sentences)) == (2 * 6 + 2) * 4
        # 3 days of sales and another, 3 months and the quarter, 4 times; two years
        assert len(periods) == len(set(periods)) == (3 + 1 + 3 + 1) * 4 + 2
        yield made


def test_a_new_quarter_asks_about_its_passages_and_its_periods(counted):
    sentences, periods = counted.update(*quarter_of(2022, 2))
    assert sentences == sorted(line for each in range(6) for line in lines(each, 2022, 2))
    days = ["2022-04-01", "2022-04-15", "2022-05-02", "2022-06-03"]
    assert periods == sorted([*days, "2022-04", "2022-05", "2022-06", "2022-Q2", "2022"])


def test_an_edit_asks_about_what_it_changes(counted):
    """A figure of company 5, that sells on the 3rd of the third month; company 2 sells then too."""
    said = lines(5, 2021, 3, wagons=31)
    sentences, periods = counted.update(document(5, 2021, 3, said, "2022-05-02"))
    assert sentences == [said[1]] == ["Maple Carts sold 31 wagons on 2021-09-03."]
    assert periods == ["2021", "2021-09", "2021-09-03", "2021-Q3"]


def test_a_deletion_asks_about_what_it_takes_away(counted):
    """Two days of company 3; company 0 sells and buys on the same ones, so that both are told still."""
    sentences, periods = counted.update(Ended(f"{COMPANIES[3]} 2021-Q3", on("2022-05-02")))
    assert sentences == []
    assert periods == ["2021", "2021-07", "2021-07-01", "2021-07-15", "2021-Q3"]


def test_a_name_that_nobody_has_asks_about_no_period(counted):
    assert counted.update(named(0, "Olive Mills")) == (["Alder Mills = Olive Mills"], [])


def test_names_that_become_one_ask_about_what_tells_of_both(counted):
    """Companies 0 and 3 sell on the same days, and buy on the same days; other periods stay as they are."""
    sentences, periods = counted.update(named(0, COMPANIES[3]))
    assert sentences == ["Alder Mills = Elder Kilns"]
    both = {line[-11:-1] for each in QUARTERS for line in lines(0, *each)[1:]}
    above = {str(above) for each in both for above in ancestors(Period.parse(each))}
    assert periods
    assert set(periods) <= both | above
    assert len(both | above) == (2 + 1 + 1) * 4 + 2  # two days in a month, of each quarter


def test_a_second_run_asks_nothing(counted):
    assert precompute_facts(counted.corpus).passages == 0
    told = precompute_reports(counted.corpus)
    assert (told.reports, told.cost.calls, told.cost.cached) == (34, 0, 34)
    assert counted.asked() == ([], [])
