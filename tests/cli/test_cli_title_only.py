"""A note that has a title and says nothing else is a document, and is found by its title."""

from __future__ import annotations

import pytest

NOTES = {
    "given.md": "---\ndate: 2020-01-01\ntitle: Boiler\n---\n",
    "Boiler.md": "---\ndate: 2020-01-01\n---",
    "open.md": "---\ndate: 2020-01-01\ntitle: Boiler\n---\n\n \n",
    "heading.md": "---\ndate: 2020-01-01\n---\n# Boiler\n",
    "tagged.md": "---\ndate: 2020-01-01\ntags: [boiler]\n---\n",
}


@pytest.mark.parametrize("name", NOTES)
def test_it_is_found_as_of_its_time(asof, here, write, name):
    write(f"notes/{name}", NOTES[name])
    write("notes/other.md", "---\ndate: 2019-01-01\n---\n# Stove\n\nThe stove is lit.\n")
    assert asof("index", "notes").out.splitlines()[-1].startswith("notes: 2 added; 2 new passages")
    found = asof("search", "boiler")
    assert found.out.splitlines()[2].split()[0] == f"notes/{name}"
    assert found.out.splitlines()[3].strip()
    assert "nothing found" in asof("search", "boiler", "--as-of", "2019-06").out
    assert "it is among the hits, at rank 1" in asof("why-not", name, "boiler").out
    assert asof("index", "notes").out.startswith("notes: 2 unchanged")


def test_it_has_no_text_and_may_get_one(asof, here, write):
    write("notes/boiler.md", "---\ndate: 2020-01-01\ntitle: Boiler\n---\n")
    asof("index", "notes")
    (hit,) = asof("search", "boiler", "--json").json()["hits"]
    assert (hit["text"], hit["title"], hit["location"]["start"], hit["location"]["end"]) == (
        "",
        "Boiler",
        0,
        0,
    )
    write("notes/boiler.md", "---\ndate: 2021-01-01\ntitle: Boiler\n---\nIt is old.\n")
    asof("index", "notes")
    result = asof("diff", "boiler", "2020-06", "2021-06")
    assert "~ changed" in result.out
    assert "It is old." in result.out
    assert "(only a title)" in asof("search", "boiler", "--as-of", "2020-06").out
    assert asof("status", "--check").out.endswith("checked: store and index are sound\n")
    assert asof("purge", "boiler", "--yes").code == 0


def test_commands_that_read_texts_pass_over_it(asof, here, write):
    write("notes/boiler.md", NOTES["given.md"])
    asof("index", "notes")
    for command in ("timeline boiler", "ask boiler", "facts boiler", "report 2020", "embed --encoder hashed"):
        result = asof(*command.split())
        assert result.code in (0, 1), result
    for recipe in ("asof", "twe", "tempralm", "tgrag", "vault", "papers"):
        assert asof("search", "boiler", "--recipe", recipe).code == 0
