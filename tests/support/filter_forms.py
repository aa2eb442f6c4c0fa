"""Every form of a filter, as it is given in Python, as a parameter, and in the question, with what passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import asof
from asof import Document

QUESTION = "fare"

DOCUMENTS = (
    Document("policies/ferry.md", "# Fares\n\nThe fare of the ferry is 2 euros.", "Ferry", "2020-02-01",
             tags="money", meta={"team": "port", "year": 2020}, in_force=("2020-02-01", "2020-12-31")),
    Document("policies/old/tram.md", "The fare of the tram is 3 euros.", "Tram", "2021-03-01",
             tags="money/car", meta={"team": "rail", "year": 2021}),
    Document("notes/barge.md", "The fares of barges and cranes.", "Barges", "2022-05-10", tags="work",
             meta={"team": ["port", "yard"]}),
    Document("notes/policies/bus.md", "A fare of an old crane.", "Bus", "2023-01-01", meta={"year": 2023}),
    Document("undated.md", "No fare is known.", "Undated"),
)  # fmt: skip
FERRY, TRAM, BARGE, BUS, UNDATED = (each.id for each in DOCUMENTS)


class FilterForm(NamedTuple):
    """A filter as keywords of `Snapshot.search`, as parameters of a verb, and as a part of the question (""
    where it has no such form); the documents that pass."""

    python: dict[str, Any]
    typed: dict[str, Any]
    asked: str
    passing: set[str]


def _meta(python: dict[str, Any], *typed: str, passing: set[str]) -> FilterForm:
    return FilterForm({"meta": python}, {"meta": typed}, " ".join(f"meta:{each}" for each in typed), passing)


FORMS = {
    "none": FilterForm({}, {}, "", {FERRY, TRAM, BARGE, BUS, UNDATED}),
    "tag": FilterForm({"tags": "money"}, {"tag": ("money",)}, "tag:money", {FERRY, TRAM}),
    "two tags": FilterForm({"tags": ["money", "car"]}, {"tag": ("money", "car")}, "tag:money tag:car", set()),
    "path": FilterForm({"path": "notes/*"}, {"path": "notes/*"}, "path:notes/*", {BARGE, BUS}),
    "folder": FilterForm({"path": "policies/"}, {"path": "policies/"}, "path:policies/", {FERRY, TRAM, BUS}),
    "source": FilterForm({"source": "python"}, {"source": "python"}, "source:python",
                         {FERRY, TRAM, BARGE, BUS, UNDATED}),
    "other source": FilterForm({"source": "wire"}, {"source": "wire"}, "source:wire", set()),
    "since": FilterForm({"since": "2022"}, {"since": "2022"}, "after:2022", {BARGE, BUS}),
    "until": FilterForm({"until": "2021-03"}, {"until": "2021-03"}, "before:2021-03", {FERRY, TRAM}),
    "since and until": FilterForm({"since": "2021", "until": "2022"}, {"since": "2021", "until": "2022"},
                                  "after:2021 before:2022", {TRAM, BARGE}),
    "meta equal": _meta({"team": "port"}, "team=port", passing={FERRY, BARGE}),
    "meta in": _meta({"team": ["rail", "yard"]}, "team=rail|yard", passing={TRAM, BARGE}),
    "meta range": _meta({"year": {"gte": 2021, "lt": 2023}}, "year>=2021", "year<2023", passing={TRAM}),
    "meta not": _meta({"team": {"ne": "port"}}, "team!=port", passing={TRAM, BUS, UNDATED}),
    "meta exists": _meta({"year": {"exists": True}}, "year=*", passing={FERRY, TRAM, BUS}),
    "meta missing": _meta({"year": {"exists": False}}, "year!=*", passing={BARGE, UNDATED}),
    "several": FilterForm({"tags": "money", "path": "policies/*", "meta": {"year": 2021}},
                          {"tag": ("money",), "path": "policies/*", "meta": ("year=2021",)},
                          "tag:money path:policies/* meta:year=2021", {TRAM}),
}  # fmt: skip

ONLY_ASKED = {
    "-barge": {FERRY, TRAM, BUS, UNDATED}, "NOT crane": {FERRY, TRAM, UNDATED},
    '-"old crane"': {FERRY, TRAM, BARGE, UNDATED}, "ferry OR tram": {FERRY, TRAM},
    '"the tram"': {TRAM}, 'ferry OR "old crane"': {FERRY, BUS}, "-tag:money": {BARGE, BUS, UNDATED},
    "-barge after:2021 -tag:money": {BUS},
}  # fmt: skip
"""What is said in the question alone, and what passes."""


def index_forms(folder: Path) -> Path:
    """A folder with an index of the documents."""
    with asof.open(folder) as corpus:
        corpus.add(DOCUMENTS)
        corpus.prepare()
    return folder
