"""Questions about a course, a reason, a change or themes: ten of each, asked of the example notes."""

from __future__ import annotations

import re
from importlib.resources import as_file, files

import pytest

import asof

DEVELOP = [
    ("How did the ferry fares develop?", "4.20.*5.00.*4.60"),
    ("How did the price of the Sundrey loaf develop?", "2.60.*3.40.*4.20"),
    ("How did the passengers of the ferry develop in 2021?", "4,880.*11,730"),
    ("How did mooring prices for visitors develop?", "€11.*€12.*€14"),
    ("How did the crossing time change between 2019 and 2022?", "55 minutes.*40 minutes"),
    ("How did the bakery notices change between 2016 and 2024?", "2.60.*4.20"),
    ("How did the bicycle fare change over the years?", "1.00.*1.50"),
    ("How did loaves sold develop between 2020 and 2022?", "14,870"),
    ("How did the return ticket develop from 2016 to 2020?", "7.00.*7.80.*8.40.*9.40"),
    ("How did the price of a roll evolve?", "0.35.*0.40"),
]
WHY = [
    ("Why did the fares rise between 2018 and 2020?", "thirty cents are for the new ship"),
    ("Why did the notices of the bakery change between 2018 and 2020?", "Sundrey loaf"),
    ("Why did the mole cost money between 2020 and 2023?", "437,000"),
    ("Why did passenger numbers change in 2021?", "Passengers"),
    ("Why did the harbour master change in 2020 and 2021?", "Osterby|Finch-Larkin|Hollis"),
    ("Why were dogs banned between 2018 and 2019?", "[Dd]og"),
    ("Why did the captain go from ship to ship between 2019 and 2022?", "Sollwedel"),
    ("Why were fewer loaves sold between 2020 and 2022?", "Loaves sold"),
    ("Why did the mayor change between 2018 and 2022?", "Stavrik|Crowe"),
    ("Why did mooring cost more in 2022 and 2024?", "€12.*€14"),
]
CHANGED = [
    ("What changed on the ferry between 2018 and 2020?", "4.20|5.00"),
    ("What changed at the bakery between 2016 and 2018?", "2.60.*2.80"),
    ("What has changed in the fares since 2020?", "5.00.*4.60"),
    ("What changed in the second quarter of 2021?", "Dunmore|Hollis"),
    ("What changed in the timetable between 2019 and 2020?", "55 minutes.*40 minutes"),
    ("What changed with the mole between 2020 and 2022?", "[Mm]ole"),
    ("What changed for dogs?", "[Dd]ogs"),
    ("What changed in the quarterly figures between 2020 and 2022?", "Passengers"),
    ("What changed in the price of the loaf in 2019?", "3.40.*3.00"),
    ("What changed for Prudence between 2019 and 2021?", "Prudence"),
]
THEMES = [
    ("What were the main themes of 2021?", "Passengers"),
    ("What were the main themes of the first quarter of 2019?", "Marchbank|loaf"),
    ("What were the main events of the storm?", "lantern|Lantern|wheat"),
    ("What were the main developments in the harbour between 2019 and 2024?", "[Hh]arbour"),
    ("Give an overview of the ferry fares.", "3.80"),
    ("Summarise the figures of 2021.", "4,880"),
    ("What were the main points of the general meetings?", "Candidates"),
    ("What were the main topics of the family letters?", "201[68]"),
    ("What trends were there in ferry revenue?", "91,400|23,100"),
    ("What happened to Prudence between 2019 and 2021?", "Prudence"),
]


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    with (
        as_file(files("asof") / "example" / "notes") as folder,
        asof.open(tmp_path_factory.mktemp("overviews")) as corpus,
    ):
        corpus.add(folder)
        yield corpus.at("2024-12-01")


@pytest.mark.parametrize(("question", "told"), [*DEVELOP, *WHY, *CHANGED, *THEMES])
def test_what_spans_time_is_told_in_its_order(notes, question, told):
    mode = "auto" if (question, told) in WHY else "global"  # the course of one value is a table, by "auto"
    answer = notes.ask(question, mode=mode)
    assert (answer.refused, answer.mode) == (False, "global"), answer.text
    assert re.search(told, answer.text, re.DOTALL), answer.text
    headings = re.findall(r"^(\d{4}(?:-\S+)?)$", answer.text, re.MULTILINE)
    assert [each[:4] for each in headings] == sorted(each[:4] for each in headings)
    assert headings
