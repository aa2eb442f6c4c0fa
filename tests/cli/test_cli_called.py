"""Documents by title, file name, alias or a part of the path; never by those of a later time."""

from __future__ import annotations

import io

import pytest

from .conftest import filled

NAMES = (
    "notes/red.md", "notes/red", "NOTES/RED.MD", "./notes/red.md", "red", "Red.md", "THE RED CRANE",
    "the  red crane", "rouge", "es/red.",
)  # fmt: skip


@filled
def yard(asof, write):
    """red of 2020, oak of 2021 (of which there are two), a later one of 2023; ash ended in 2022."""
    write("notes/red.md", "---\ndate: 2020-01-01\naliases: [Rouge]\n---\n# The red crane\n\nSee [[ash]].\n")
    write("notes/ash.md", "---\ndate: 2020-01-01\n---\n# Ash\n\nAn ash by the crane.\n")
    write("notes/oak.md", "---\ndate: 2021-01-01\n---\n# Oak\n\nAn oak by the crane.\n")
    write("notes/old/oak.md", "---\ndate: 2021-01-01\n---\n# An older oak\n\nAn old oak by the crane.\n")
    write("notes/redwood.md", "---\ndate: 2023-01-01\n---\n# Redwood\n\nA redwood by the crane.\n")
    assert asof("index", "notes").code == 0


@pytest.mark.parametrize("name", NAMES)
def test_every_command_takes_a_name(asof, yard, name, monkeypatch):
    assert asof("links", name, "--json").json()["document"] == "notes/red.md"
    assert asof("why-not", name, "crane", "--json").json()["id"] == "notes/red.md"
    assert asof("correct", name, "2019").out.startswith("notes/red.md: published 2019")
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    result = asof("purge", name)
    assert "Erase notes/red.md and all its history?" in result.out + result.err
    assert "notes/red.md: erased, " in result.out


@pytest.mark.parametrize(
    "command", ["links oak", "why-not oak crane", "purge OAK --yes", "correct oak.md 2020"]
)
def test_a_name_of_several_lists_them(asof, yard, command):
    result = asof(*command.split())
    assert (result.code, result.out) == (2, "")
    assert "can be 2 documents: notes/oak.md, notes/old/oak.md; give more of its path" in result.err
    assert asof("links", "old/oak", "--json").json()["document"] == "notes/old/oak.md"


@pytest.mark.parametrize("command", ["links", "why-not"])
def test_what_is_not_visible_then_is_neither_found_nor_proposed(asof, yard, command):
    question = ["crane"] if command == "why-not" else []
    for clock in ("--as-of", "--known-at"):
        for name in ("redwood", "redwod", "Redwood.md"):
            result = asof(command, name, *question, clock, "2022-06")
            assert result.code == 2
            assert "notes/redwood" not in result.err
            assert f"no document {name!r} as of " in result.err
    # a part of two paths, one of which is later
    assert asof(command, "notes/re", *question, "--as-of", "2022-06").err == ""
    assert "2 documents" in asof(command, "notes/re", *question).err


def test_what_ended_is_still_called_so(asof, here, yard):
    (here / "notes/ash.md").unlink()
    asof("index", "notes")
    assert "it was current from" in asof("why-not", "Ash", "crane").out
    assert "was not current as of" in asof("links", "ash").err
    assert asof("purge", "ash", "--yes").out.startswith("notes/ash.md: erased")


def test_an_unknown_name_is_refused_before_asking(asof, yard, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    result = asof("purge", "notes/reed.md")
    assert (result.code, result.out) == (2, "")
    assert result.err == "asof: no document 'notes/reed.md' in the corpus; did you mean notes/red.md?\n"


def test_nothing_is_erased_unasked_by_a_part_of_its_name(asof, yard):
    result = asof("purge", "notes/as", "--yes")
    assert (result.code, result.out) == (2, "")
    assert "'notes/as' is only a part of the id notes/ash.md" in result.err
    assert asof("purge", "ASH", "--yes").out.startswith("notes/ash.md: erased")
