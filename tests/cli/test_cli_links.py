"""`asof links`: both directions, as they stood."""

from __future__ import annotations

import pytest


@pytest.fixture
def linked(write, asof):
    """mole links to net and to nothing; net to bell; in 2022 mole stops linking to net."""
    write("notes/mole.md", "---\ndate: 2020-01-01\n---\n# Mole\n\nSee [[net]] and [[nowhere]].\n")
    write("notes/net.md", "---\ndate: 2020-01-01\n---\n# Net\n\nUnder the [[bell]].\n")
    write("notes/bell.md", "---\ndate: 2020-01-01\n---\n# Bell\n\nIt rings.\n")
    assert asof("index", "notes").code == 0
    write("notes/mole.md", "---\ndate: 2022-01-01\n---\n# Mole\n\nNothing to see.\n")
    assert asof("index", "notes").code == 0


def test_both_directions(asof, linked):
    said = asof("links", "notes/net.md", "--as-of", "2021")
    assert said.code == 0
    assert [line.split()[:2] for line in said.out.splitlines()[1:]] == [
        ["->", "notes/bell.md"], ["<-", "notes/mole.md"],
    ]  # fmt: skip


def test_links_that_ended_do_not_count(asof, linked):
    assert "notes/mole.md" not in asof("links", "notes/net.md").out
    assert asof("links", "notes/mole.md").out.splitlines()[1:] == ["no links"]
    assert asof("links", "notes/mole.md").code == 1


def test_what_leads_nowhere_and_what_is_further(asof, linked):
    said = asof("links", "notes/mole.md", "--as-of", "2021", "--depth", "2").out
    assert "->  nowhere  (broken link)" in said
    assert "notes/bell.md  Bell  2 links away" in said


def test_json(asof, linked):
    said = asof("links", "notes/mole.md", "--as-of", "2021", "--json").json()
    assert said == {
        "document": "notes/mole.md", "as_of": "2021-12-31T23:59:59.999999Z", "known_at": None,
        "neighbours": [
            {"document": "notes/net.md", "title": "Net", "distance": 1, "direction": "out"},
        ],
        "broken": ["nowhere"],
    }  # fmt: skip


def test_an_unknown_document(asof, linked):
    said = asof("links", "bel", "--as-of", "2021-05-04")
    assert (said.code, said.out.partition(" as of")[0]) == (0, "notes/bell.md")
    said = asof("links", "bolls", "--as-of", "2021-05-04")
    assert said.code == 2
    assert said.err == "asof: no document 'bolls' as of 2021-05-04; did you mean notes/bell.md?\n"


@pytest.mark.parametrize("clock", ["--as-of", "--known-at"])
def test_a_document_of_a_later_time_is_as_unknown_as_any_other(asof, linked, clock):
    for name in ("notes/net.md", "notes/nut.md"):
        said = asof("links", name, clock, "2019")
        assert said.code == 2
        assert said.err.startswith(f"asof: no document {name!r} as of ")
        assert said.err.endswith("; `asof search` shows ids and titles\n")


def test_a_document_that_had_ended(asof, linked, here):
    (here / "notes/net.md").unlink()
    assert asof("index", "notes").code == 0
    said = asof("links", "notes/net.md")
    assert said.code == 2
    assert "document 'notes/net.md' was not current as of " in said.err
