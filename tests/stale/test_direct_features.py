"""The features of pairs are kept between runs, and are those of a corpus that is read anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import asof
from asof.data.stale import Stale
from asof.stale.direct_features import FILE
from asof.stale.statement_cache import FOLDER

FILLER = [
    "The ferry to the island leaves from the east pier at noon.",
    "The red boat is painted every spring by the harbour crew.",
    "Nobody may fish from the mole while the lamps are lit.",
    "The old crane lifts barrels and the new crane lifts cars.",
    "Storm signals are hoisted on the tower of the pilots.",
]
SENTENCES = {
    "quota.md": "# Storage quota\n\nEvery account on Mosswood has {} GB of storage.",
    "limits.md": "# Mosswood\n\nEvery account on Mosswood has {} GB of storage; ask us.",
    "rooms.md": "# Rooms\n\nGuests of the Larkspur hostel pay {} crowns for breakfast.",
    "larkspur.md": "# Larkspur\n\nGuests of the Larkspur hostel pay {} crowns for breakfast; tea is free.",
}
PAGES = list(SENTENCES)


def page(name: str, figure: int) -> str:
    return SENTENCES[name].format(10 * figure)


def filled(folder: Path) -> Path:
    """A corpus with other pages: words that they do not have are rare."""
    with asof.open(folder) as corpus:
        corpus.add([
            {"id": f"{number}.md", "text": text, "published": "2020"}
            for number, text in enumerate(FILLER)
        ])  # fmt: skip
    return folder


def derived(folder: Path) -> Path:
    return folder / ".asof" / "derived" / FOLDER


def found(folder: Path) -> list[Stale]:
    with asof.open(folder) as corpus:
        return list(corpus.at().stale())


def read_anew(folder: Path) -> list[Stale]:
    shutil.rmtree(derived(folder))
    return found(folder)


def told(listed: list[Stale]) -> list[tuple[object, ...]]:
    return [(each.id, each.score, each.why.as_json(), each.quote, each.by, each.change) for each in listed]


EDIT = st.tuples(st.sampled_from(PAGES), st.integers(1, 3))


@settings(max_examples=12, deadline=None)
@given(st.lists(EDIT, min_size=3, max_size=6))
def test_after_any_edits_it_is_what_a_corpus_says_that_is_read_anew(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, int]]
) -> None:
    folder = filled(tmp_path_factory.mktemp("pages"))
    for day, (name, figure) in enumerate(edits, start=1):
        with asof.open(folder) as corpus:
            corpus.add([{"id": name, "text": page(name, figure), "published": f"2021-01-{day:02}"}])
        kept = found(folder)
    assert told(kept) == told(read_anew(folder))


def pages(folder: Path) -> Path:
    with asof.open(filled(folder)) as corpus:
        for day, name in enumerate(PAGES, start=1):
            corpus.add([{"id": name, "text": page(name, day), "published": f"2021-01-{day:02}"}])
    return folder


def test_a_damaged_file_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    before = told(found(pages(tmp_path)))
    file = derived(tmp_path) / FILE
    assert before
    whole = file.read_bytes()
    for damaged in (b"", whole[:-1], bytes([whole[0] ^ 1]) + whole[1:]):
        file.write_bytes(damaged)
        (derived(tmp_path) / "found.json").unlink()
        assert told(found(tmp_path)) == before


def test_the_past_writes_no_file(tmp_path: Path) -> None:
    with asof.open(pages(tmp_path)) as corpus:
        corpus.at("2021-01-02").stale()
        assert not (derived(tmp_path) / FILE).exists()
        corpus.at().stale()
    assert (derived(tmp_path) / FILE).exists()
