"""Which document is meant by a name depends on what was visible, never on what else is in the corpus."""

from __future__ import annotations

import pytest
from tests.store.made import document, fresh

from asof.errors import UsageError
from asof.time.moment import read
from asof.values import Ended, SourcedTime


def test_the_id_of_a_later_document_is_the_name_of_an_earlier_one() -> None:
    with fresh() as corpus:
        corpus.add([document("harbour/mill.md", "text", "2020"), document("mill.md", "text", "2022")])
        assert [corpus.at(year).called("mill.md") for year in ("2021", "2023")] == [
            "harbour/mill.md", "mill.md",
        ]  # fmt: skip
        assert corpus.at("2021").links("mill.md").document == "harbour/mill.md"


def test_what_ended_keeps_its_id() -> None:
    with fresh() as corpus:
        corpus.add([document("mill.md", "text", "2020"), document("old/mill.md", "text", "2020")])
        corpus.add([Ended("mill.md", SourcedTime(read("2022"), "2022", "git"))])
        assert corpus.at("2023").called("mill.md") == "mill.md"


def test_proposals_do_not_depend_on_what_came_first() -> None:
    said = []
    for names in (("a/ferry.md", "b/ferry.md"), ("b/ferry.md", "a/ferry.md")):
        with fresh() as corpus:
            for name in names:
                corpus.add([document(name, "text", "2020")])
            with pytest.raises(UsageError) as refused:
                corpus.at("2021").called("ferri")
            said.append(str(refused.value))
    assert said[0] == said[1] == "no document 'ferri' as of 2021-12-31; did you mean a/ferry.md?"
