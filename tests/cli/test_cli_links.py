"""`asof links`: both directions, as they stood."""

from __future__ import annotations

import pytest

from .conftest import filled


@filled
def linked(asof, write):
    """mole links to net and to nothing; net to bell; in 2022 mole stops linking to net."""
    write("notes/mole.md", "---\ndate: 2020-01-01\n---\n# Mole\n\nSee [[net]] and [[nowhere]].\n")
    write("notes/net.md", "---\ndate: 2020-01-01\n---\n# Net\n\nUnder the [[bell]].\n")
    write("notes/bell.md", "---\ndate: 2020-01-01\n---\n# Bell\n\nIt rings.\n")
    assert asof("index", "notes").code == 0
    write("notes/mole.md", "---\ndate: 2022-01-01\n---\n# Mole\n\nNothing to see.\n")
    assert asof("index", "notes").code == 0


def test_both_directions(asof, linked):
    result = asof("links", "notes/net.md", "--as-of", "2021")
    assert result.code == 0
    assert [line.split()[:2] for line in result.out.splitlines()[1:]] == [
        ["->", "notes/bell.md"], ["<-", "notes/mole.md"],
    ]  # fmt: skip


def test_links_that_ended_do_not_count(asof, linked):
    assert "notes/mole.md" not in asof("links", "notes/net.md").out
    assert asof("links", "notes/mole.md").out.splitlines()[1:] == ["no links"]
    assert asof("links", "notes/mole.md").code == 1


def test_what_leads_nowhere_and_what_is_further(asof, linked):
    result = asof("links", "notes/mole.md", "--as-of", "2021", "--depth", "2").out
    assert "->  nowhere  (broken link)" in result
    assert "notes/bell.md  Bell  2 links away" in result


def test_json(asof, linked):
    result = asof("links", "notes/mole.md", "--as-of", "2021", "--json").json()
    assert result == {
        "document": "notes/mole.md", "as_of": "2021-12-31T23:59:59.999999Z", "known_at": None,
        "neighbours": [
            {"document": "notes/net.md", "title": "Net", "distance": 1, "direction": "out"},
        ],
        "broken": ["nowhere"],
    }  # fmt: skip


def test_an_unknown_document(asof, linked):
    result = asof("links", "bel", "--as-of", "2021-05-04")
    assert (result.code, result.out.partition(" as of")[0]) == (0, "notes/bell.md")
    result = asof("links", "bolls", "--as-of", "2021-05-04")
    assert result.code == 2
    assert result.err == "asof: no document 'bolls' as of 2021-05-04; did you mean notes/bell.md?\n"


@pytest.mark.parametrize("clock", ["--as-of", "--known-at"])
def test_a_document_of_a_later_time_is_as_unknown_as_any_other(asof, linked, clock):
    for name in ("notes/net.md", "notes/nut.md"):
        result = asof("links", name, clock, "2019")
        assert result.code == 2
        assert result.err.startswith(f"asof: no document {name!r} as of ")
        assert result.err.endswith("; a search shows ids and titles\n")


def test_a_document_that_had_ended(asof, linked, here):
    (here / "notes/net.md").unlink()
    assert asof("index", "notes").code == 0
    result = asof("links", "notes/net.md")
    assert result.code == 2
    assert "document 'notes/net.md' was not current as of " in result.err
