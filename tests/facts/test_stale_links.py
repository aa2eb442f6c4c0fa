"""Links whose target is gone or was renamed, and links that are in order."""

from __future__ import annotations

import pytest
from tests.support.corpora import new_corpus
from tests.support.notes import Told, listed, tell

from asof.documents import Document
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
    assert stale.quote.text == "Everybody on board sees the ropes before the first tide."
    assert (stale.quote.start, stale.quote.end) == (7, 7 + len(stale.quote.text))  # below "Boats"
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


def test_a_link_to_the_path_that_a_document_of_a_history_had_before() -> None:
    """In a git history a renamed file is one document, its id the last path."""
    piet, lines = "Piet lives in Ghent.", {"2020": "Piet.md", "2022-05-01": "people/Piet Vermeer.md"}
    with new_corpus() as corpus:
        for date, path in lines.items():
            corpus.add([Document("people/Piet Vermeer.md", piet, "Piet", date, path=path)])
        tell(corpus, [("2020-02", "rent.md", "The rent is paid to [[Piet]].")])
        (stale,) = corpus.at("2024").use(stale_links)
        assert corpus.at("2022-04-30").use(stale_links) == []
        corpus.add([Document("people/Piet Vermeer.md", piet, "Piet", "2023-05-01", path="Piet.md")])
        assert corpus.at("2024").use(stale_links) == []  # it came back
    assert (stale.kind, stale.score) == (LINK, 0.9)
    assert stale.change == "'Piet.md' was renamed to 'people/Piet Vermeer.md'"
    assert iso(stale.cause).startswith("2022-05-01")
    assert stale.by is not None
    assert stale.by.text == piet


def test_a_link_to_a_document_that_was_superseded_names_what_did_so() -> None:
    """From the day on which that is in force; the link of what supersedes is in order."""
    told: list[Told] = [
        ("2020", "ropes.md", ROPES),
        ("2020", "boats.md", SEES),
        ("2022-05-01", "new.md",
         "# New ropes\n\nThis note supersedes [the ropes](ropes.md). It takes effect on 1 June 2022."),
    ]  # fmt: skip
    (stale,) = found(*told)
    assert (stale.quote.document, stale.score) == ("boats.md", 0.7)
    assert stale.change == "'ropes.md' is superseded by 'New ropes'"
    assert stale.by is not None
    assert stale.by.document == "new.md"
    assert iso(stale.cause).startswith("2022-06-01")
    assert found(*told, as_of="2022-05-15") == []


def test_what_an_act_names_is_a_link_whatever_other_documents_say_later() -> None:
    """Without any other link in the corpus, too: a link of later would show what was published by then."""
    told: list[Told] = [
        ("2020", "ropes.md", ROPES),
        ("2021", "new.md", "---\nsupersedes: ropes\n---\n# New ropes\n\nThe loft is full."),
        ("2022", "newest.md", "---\nsupersedes: ropes\n---\n# Newest ropes\n\nThe loft is empty."),
    ]
    stale = found(*told, as_of="2023-06-01")
    assert [each.change for each in stale] == ["'ropes.md' is superseded by 'Newest ropes'",
                                               "'ropes.md' is superseded by 'New ropes'"]  # fmt: skip
    assert found(*told, ("2025", "boats.md", SEES), as_of="2023-06-01") == stale


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


KNOTS = "A [bowline](ropes.md#knots) holds the boat."


NAMED, BLOCK = "---\naliases: [cordage]\n---\n# Ropes\n\nDry.\n", "# Ropes\n\nRopes are dry. ^dry\n"
OTHER = ROPES.replace("## Knots", "## Knots and bends")


@pytest.mark.parametrize(
    ("ropes", "text", "later", "score", "change"),
    [
        (NAMED, "All see [[cordage]] first.", "# Ropes\n\nDry.\n", 0.9,
         "'ropes.md' is no longer called 'cordage'"),
        (ROPES, "See [it](old/ropes.md) at once.", ROPES, 0.8,
         "no document is called 'old/ropes.md'; there is 'ropes.md'"),
        (ROPES, KNOTS, OTHER, 0.75,
         "'ropes.md' has no heading 'knots' any more; it is 'Knots and bends'"),
        (BLOCK, "They say so: [[ropes#^dry]].", "# Ropes\n\nDry.", 0.75,
         "'ropes.md' has no block '^dry' any more"),
        (ROPES, "See [[ropes]] and [[ropes]].", None, 0.95, "'ropes.md' was removed"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_link(
    ropes: str, text: str, later: str | None, score: float, change: str
) -> None:
    (stale,) = found(("2020", "ropes.md", ropes), ("2020", "a.md", text), ("2021", "ropes.md", later))
    assert (stale.score, stale.change) == (score, change)


@pytest.mark.parametrize(
    "link",
    [
        "[bowline](ropes.md#knots)", "[[ropes#Knots]]", "[bowline](ropes.md#knots-1)", "[[ropes#^dry]]",
        "[ends](ropes.md#L12)", "[ends](ropes.md#L3-L9)", "[ends](ropes.md#:~:text=loft)",
        "[ends](ropes.md#top)", "[the folder](gear/)",
    ],
)  # fmt: skip
def test_a_link_to_what_is_there(link: str) -> None:
    ropes, gear = ROPES + "\n\nRopes are dry. ^dry\n", ("2020", "gear/README.md", ROPES)
    assert found(("2020", "ropes.md", ropes), gear, ("2020", "a.md", f"A {link} holds the boat.")) == []


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


def test_broken_links_of_a_diary_weigh_less() -> None:
    name = "daily/2020-03-01.md"
    (stale,) = found(
        ("2020", "ropes.md", ROPES), ("2020", name, "Saw [[ropes]]."), ("2021", "ropes.md", None)
    )
    assert stale.score == 0.95 * 0.5


NOTE = """# Note

## What's *up*, `doc`?

Yes.

## Nothing below

## First & second

{}
"""


@pytest.mark.parametrize(
    "link",
    [
        "[it](note)", "[it](NOTE.md)", "[it](../sea/note.md)", "[it](./note)", "[[Note]]",
        "[it](note.md#whats-up-doc)", "[it](note.md#What%27s%20up%2C%20doc%3F)", "[[note#What's up, doc?]]",
        "[it](note.md#first--second)", "[it](note.md#nothing-below)",
    ],
)  # fmt: skip
def test_a_link_that_leads_somewhere_is_neither_stale_nor_unwritten(link: str) -> None:
    told = ("2020", "sea/note.md", NOTE.format("Old.")), ("2020", "sea/boats.md", f"Look at {link} first.")
    assert found(*told, ("2021", "sea/note.md", NOTE.format("New."))) == []


def test_what_never_was_is_listed_apart() -> None:
    """Beside what is gone, in one sentence too; a heading that never was did not go."""
    text = "See [[ropes#Knots]], [[ropes#Splices]] and [[sails]]."
    told = ("2020", "ropes.md", ROPES), ("2020", "a.md", text), ("2021", "ropes.md", "# Ropes\n\nDry.")
    every = found(*told)
    assert [(each.kind, each.change) for each in every] == [
        ("link", "'ropes.md' has no heading 'Knots' any more"),
        ("unwritten", "'ropes.md' has no heading 'Splices'"),
    ]
