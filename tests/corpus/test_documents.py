"""A document as it stood: its headings, passages and links; the vaults that sources lie in."""

from __future__ import annotations

import pytest

import asof

PIER = """---
date: 2020-01-01
---
# Pier

It is long, see [[Quay]] and [the mole](Mole.md).

## Rails

They are of oak.
"""


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Pier.md").write_text(PIER)
    (tmp_path / "notes" / "Quay.md").write_text("---\ndate: 2021-01-01\n---\nA quay.\n")
    with asof.open(tmp_path, create=True) as opened:
        opened.add(tmp_path / "notes")
        opened.add([{"id": "row", "text": "A row.", "date": "2020"}])
        yield opened


def test_headings_and_passages_have_their_places(corpus):
    """The text is "Pier\\n\\nIt is long, ….\\n\\nRails\\n\\nThey are of oak.": the passages tile it."""
    shown = corpus.at().document("Pier")
    assert [(each.level, each.title) for each in shown.headings] == [(1, "Pier"), (2, "Rails")]
    assert all(shown.text[each.offset :].startswith(each.title) for each in shown.headings)
    first, second = shown.passages
    assert (first.start, first.end, second.end) == (0, second.start, len(shown.text))
    assert shown.text[second.start :].startswith("Rails")
    hit = corpus.search("rails of oak")[0]
    assert hit.id == second.id


def test_links_lead_to_what_was_there_then(corpus):
    """The quay is published a year after the pier; there is no mole."""
    before, after = (corpus.at(moment).document("Pier").links for moment in ("2020-06", "2021-06"))
    assert [(each.text, each.document) for each in before] == [("Quay", None), ("the mole", None)]
    assert [(each.text, each.document) for each in after] == [("Quay", "notes/Quay.md"), ("the mole", None)]


def test_a_source_in_a_vault_says_so(corpus, tmp_path):
    folder, rows = corpus.status().sources
    assert (folder.vault, folder.folder) == (tmp_path.name, "notes")
    assert (rows.vault, rows.folder) == ("", "")
