"""Links whose target is gone or was renamed, and links that are in order."""

from __future__ import annotations

import pytest
from tests.support.notes import Told, listed

from asof.extensions.facts.current import LINK, Stale
from asof.extensions.facts.stale_links import stale_links
from asof.time.span import iso

ROPES = (
    "# Ropes\n\nRopes are kept dry in the loft.\n\n## Knots\n\nThe bowline is tied with the left hand first."
)
SEES = "# Boats\n\nEverybody on board sees [the ropes](ropes.md) before the first tide."


def found(*told: Told, as_of: str = "2024-01-01") -> list[Stale]:
    return listed(stale_links, told, as_of)


def test_a_link_to_a_document_that_was_removed() -> None:
    told: list[Told] = [
        ("2020", "ropes.md", ROPES),
        ("2020", "boats.md", SEES),
        ("2022-05-01", "ropes.md", None),
    ]
    (stale,) = found(*told)
    assert (stale.kind, stale.by, stale.score) == (LINK, None, 0.95)
    assert stale.quote.text == "Everybody on board sees [the ropes](ropes.md) before the first tide."
    assert SEES[stale.quote.start : stale.quote.end] == stale.quote.text
    assert stale.change == "'ropes.md' was removed"
    assert iso(stale.cause).startswith("2022-05-01")
    assert found(*told, as_of="2022-04-30") == []


def test_a_link_to_a_document_that_was_renamed_names_the_new_one() -> None:
    (stale,) = found(
        ("2020", "ropes.md", ROPES),
        ("2020", "boats.md", SEES),
        ("2022-05-01", "ropes.md", None),
        ("2022-05-01", "gear/rigging.md", ROPES),
        ("2023-05-01", "gear/rigging.md", None),
        ("2023-05-01", "gear/lines.md", ROPES + "\n\nNew."),
    )
    assert stale.change == "'ropes.md' was renamed to 'gear/lines.md'"
    assert stale.by is not None
    assert stale.by.document == "gear/lines.md"


def test_an_alias_that_a_document_no_longer_has() -> None:
    named, plain = "---\naliases: [cordage]\n---\n# Ropes\n\nDry.\n", "# Ropes\n\nDry.\n"
    boats = "All see [[cordage]] first."
    (stale,) = found(("2020", "ropes.md", named), ("2020", "boats.md", boats), ("2021", "ropes.md", plain))
    assert stale.change == "'ropes.md' is no longer called 'cordage'"


@pytest.mark.parametrize(
    ("link", "score"),
    [
        ("[the chart](charts/north.md)", 0.8),
        ("[[Northern chart]]", 0.25),
        ("[the chart](../../outside.md)", 0),
        ("[the chart](chart.png)", 0),
        ("![[chart.png]]", 0),
        ("[the chart](https://example.org/north.md)", 0),
        ("[the chart]({{ base }}/north.md)", 0),
        ("[the chart](charts/)", 0),
        ("[[slides]](https://example.org/x)", 0),
        ("`[the chart](charts/north.md)`", 0),
        ("[[TOC]]", 0),
        ("[the site](example.com/north.md)", 0),
    ],
)
def test_a_link_that_never_led_anywhere(link: str, score: float) -> None:
    told: list[Told] = [("2020", "sea/boats.md", f"# Boats\n\nThe pilot has {link} at hand.")]
    assert [stale.score for stale in found(*told)] == ([score] if score else [])


def test_a_folder_with_documents_is_a_target() -> None:
    assert (
        found(("2020", "a.md", "All is in [the folder](gear/) there."), ("2020", "gear/README.md", ROPES))
        == []
    )


def test_a_link_beside_a_file_of_that_name_says_where_it_is() -> None:
    (stale,) = found(("2020", "a.md", "See [it](old/ropes.md) at once."), ("2020", "gear/ropes.md", ROPES))
    assert stale.change == "no document is called 'old/ropes.md'; there is 'gear/ropes.md'"


KNOTS = "A [bowline](ropes.md#knots) holds the boat."


@pytest.mark.parametrize(
    "link", ["[bowline](ropes.md#knots)", "[[ropes#Knots]]", "[bowline](ropes.md#knots-1)"]
)
def test_a_heading_that_is_there(link: str) -> None:
    assert found(("2020", "ropes.md", ROPES), ("2020", "boats.md", f"A {link} holds the boat.")) == []


def test_a_heading_that_is_gone() -> None:
    without = "# Ropes\n\nRopes are kept dry in the loft."
    told: list[Told] = [
        ("2020", "ropes.md", ROPES),
        ("2020", "boats.md", KNOTS),
        ("2021-06-01", "ropes.md", without),
    ]
    (stale,) = found(*told)
    assert (stale.score, stale.change) == (0.75, "'ropes.md' has no heading 'knots' any more")
    assert iso(stale.cause).startswith("2021-06-01")
    assert stale.by is not None
    assert stale.by.document == "ropes.md"
    assert found(*told, as_of="2021-05-01") == []


def test_a_heading_with_another_name_is_named() -> None:
    other = ROPES.replace("## Knots", "## Knots and bends")
    (stale,) = found(("2020", "ropes.md", ROPES), ("2020", "a.md", KNOTS), ("2021", "ropes.md", other))
    assert stale.change.endswith("any more; it is 'Knots and bends'")


def test_a_heading_that_never_was() -> None:
    (stale,) = found(("2020", "ropes.md", ROPES), ("2020", "a.md", "The [[ropes#Splices]] hold."))
    assert (stale.score, stale.change) == (0.55, "'ropes.md' has no heading 'Splices'")


@pytest.mark.parametrize("there", ['<a id="loose"></a>', "## Other {#loose}", "<h3>Loose</h3>", "> ## Loose"])
def test_places_that_no_outline_has(there: str) -> None:
    ropes = f"{ROPES}\n\n{there}\n\nAnd so on."
    assert found(("2020", "ropes.md", ropes), ("2020", "a.md", "The [ends](ropes.md#loose) hold.")) == []


@pytest.mark.parametrize("place", ["L12", "L3-L9", ":~:text=loft", "top"])
def test_lines_and_pages_are_no_headings(place: str) -> None:
    assert found(("2020", "ropes.md", ROPES), ("2020", "a.md", f"The [ends](ropes.md#{place}) hold.")) == []


def test_a_block_that_is_gone() -> None:
    block = "# Ropes\n\nRopes are dry. ^dry\n"
    boats = "They say so: [[ropes#^dry]]."
    assert found(("2020", "ropes.md", block), ("2020", "boats.md", boats)) == []
    (stale,) = found(
        ("2020", "ropes.md", block), ("2020", "boats.md", boats), ("2021", "ropes.md", "# Ropes\n\nDry.")
    )
    assert stale.change == "'ropes.md' has no block '^dry' any more"


def test_broken_links_of_a_diary_weigh_less() -> None:
    name = "daily/2020-03-01.md"
    (stale,) = found(
        ("2020", "ropes.md", ROPES), ("2020", name, "Saw [[ropes]]."), ("2021", "ropes.md", None)
    )
    assert stale.score == 0.95 * 0.5


def test_the_worst_of_a_sentence_counts() -> None:
    (stale,) = found(
        ("2020", "ropes.md", ROPES),
        ("2020", "a.md", "See [[ropes]] and [[sails]]."),
        ("2021", "ropes.md", None),
    )
    assert stale.score == 0.95
