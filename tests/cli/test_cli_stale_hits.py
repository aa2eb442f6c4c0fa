"""`--stale` of `asof search` and `asof ask`: hits and quotes that a newer note contradicts."""

from __future__ import annotations

import pytest
from tests.support.json_schema import against
from tests.support.pier_hours import EDITED, NEW, OLD

from .conftest import note

TOLD = f"stale: a newer note says “{NEW}”, {EDITED} (n/pier.md)"


@pytest.fixture
def pier(asof, write):
    write("n/guide.md", note("2021-03-01", "Guide", f"A day at the shore. {OLD} Bring a hat."))
    write("n/pier.md", note("2021-02-01", "Pier", OLD))
    write("n/boats.md", note("2021-02-01", "Boats", "The red boat is painted every spring by the crew."))
    assert asof("index", "n").code == 0
    write("n/pier.md", note(EDITED, "Pier", NEW))
    assert asof("index", "n").code == 0
    return asof


def lines(result):
    return [line.strip() for line in result.out.splitlines()]


def test_a_stale_hit_says_so_if_asked(pier):
    found = lines(pier("search", "pier open", "--stale"))
    at = found.index(TOLD)
    assert found[at - 1].startswith("n/guide.md")
    assert found.count(TOLD) == 1
    assert TOLD not in lines(pier("search", "pier open"))
    assert TOLD not in lines(pier("search", "pier open", "--stale", "--as-of", "2022"))


def test_the_configuration_is_overruled(pier, write):
    write("asof.toml", "[search]\nstale = true\n")
    assert TOLD in lines(pier("search", "pier open"))
    assert TOLD not in lines(pier("search", "pier open", "--no-stale"))


def test_the_json_of_a_search(pier):
    found = pier("search", "pier open", "--stale", "--json").json()
    assert against("search", found) == []
    stale = {hit["document"]: hit["stale"] for hit in found["hits"]}
    assert stale["n/pier.md"] is None
    assert (stale["n/guide.md"]["kind"], stale["n/guide.md"]["quote"]) == ("value", OLD)
    assert stale["n/guide.md"]["by"]["document"] == "n/pier.md"
    assert stale["n/guide.md"]["by"]["published"]["text"] == EDITED


def test_an_answer_prefers_the_newer_and_names_the_conflict(pier):
    found = lines(pier("ask", "When is the pier open on a day at the shore?", "--stale"))
    assert found[0] == f"[1] “{NEW}” (Pier, {EDITED})"
    note_ = f"note: n/pier.md of {EDITED} says “{NEW}”; n/guide.md still says “{OLD}”"
    assert note_ in found
    assert note_ not in lines(pier("ask", "When is the pier open on a day at the shore?"))


def test_a_stale_quote_says_so(pier):
    asked = ["ask", "When is the pier open?", "--until", "2022", "--stale"]
    assert TOLD in lines(pier(*asked))
    (cited,) = pier(*asked, "--json").json()["citations"]
    assert (cited["stale"]["quote"], cited["stale"]["by"]["quote"]) == (OLD, NEW)


def test_signs_of_control_are_not_printed(pier, write):
    write("n/pier.md", note("2024-04-11", "Pier", NEW.replace("19", "20").replace("pier", "\x1b[31mpier")))
    pier("index", "n")
    assert "\x1b" not in pier("search", "pier open", "--stale").out
