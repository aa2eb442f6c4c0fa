"""In which words two passages differ."""

from __future__ import annotations

import pytest

from asof.revisions.timeline import below_heading, differ_both_ways, key_sentence, word_changes


@pytest.mark.parametrize(
    ("before", "after", "added", "removed"),
    [
        ("The fee is 40 crowns.", "The fee is 45 crowns.", ("45",), ("40",)),
        ("Ada Marsh is master", "Tom Reed is now master", ("Tom Reed", "now"), ("Ada Marsh",)),
        ("6-3 7-6(4)", "6-3 7-6(5), at last", ("7-6(5) at last",), ("7-6(4)",)),
        ('"Open" (daily)', "open daily", (), ()),
        ("", "new words", ("new words",), ()),
    ],
)
def test_changed(before: str, after: str, added: tuple[str, ...], removed: tuple[str, ...]) -> None:
    assert word_changes(before, after) == (added, removed)


def test_the_sentence_that_tells() -> None:
    before = "The office opens at nine. Ada Marsh is master. The mole is long."
    after = "The office opens at nine. Tom Reed is master. The mole is long."
    assert key_sentence(after, before, set()) == "Tom Reed is master."


def test_a_figure_tells_more_than_a_word() -> None:
    """New are "now daily" (2) and "45" (a figure: 2, and it comes with no stop word), "crowns" is old."""
    before = "Open on Sundays. It costs 40 crowns."
    after = "Open now daily. It costs 45 silver crowns."
    assert key_sentence(after, before, set(), {"it"}) == "It costs 45 silver crowns."


def test_the_question_chooses_among_what_is_new() -> None:
    before = "Nets dry on the rail. The harbour master is Ada Marsh."
    after = (
        "Nets, ropes and sails dry on the new long rail. The harbour master is Tom Reed. The harbour is open."
    )
    assert key_sentence(after, before, {"harbour", "master"}) == "The harbour master is Tom Reed."
    assert key_sentence(after, before, {"the"}, {"the"}).startswith("Nets, ropes")


def test_where_nothing_differs_the_question_decides() -> None:
    text = "The mole is long. The master is Ada."
    assert key_sentence(text, text, {"master"}) == "The master is Ada."
    assert key_sentence(text, None, {"master"}) == "The master is Ada."
    assert key_sentence("...", None, set()) == "..."


def test_what_completes_another_text_is_not_apart() -> None:
    assert differ_both_ways("The fee is 40.", "The fee is 45.")
    assert not differ_both_ways("The fee is 40.", "The fee is 40 a day.")
    assert not differ_both_ways("The fee is 40.", "the fee IS 40")


def test_a_heading_stands_above_already() -> None:
    assert below_heading("## Fees\nIt costs 4.", "Ferry\nFees") == "It costs 4."
    assert below_heading("## Fees\n", "Fees") == "## Fees\n"
    assert below_heading("Fees are 4.\nMore.", "Fees") == "Fees are 4.\nMore."
