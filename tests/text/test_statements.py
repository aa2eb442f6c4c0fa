"""The statements of a text: plain, and long enough to be read alone."""

from __future__ import annotations

import pytest

from asof.text.statements import FIELD, ITEM, ROW, SENTENCE, pieces, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**Note:** see [the `fees`](fees.md#now \"all\") and _not all_.", "Note: see the fees and not all."),
        ("[[Ferry|the ferry]] and [[Mole]]; ![plan](a.png)", "the ferry and Mole; plan"),
        (":pep:`649`, :ref:`the rules <r>`, ``x = 1``, `here <https://a.b>`_", "649, the rules, x = 1, here"),
        ("<b>Bold</b> <!-- hidden --> a < b > c, 2 * 3 * 4", "Bold  a < b > c, 2 * 3 * 4"),
        ("__init__ and snake_case_name and a[^1]", "__init__ and snake_case_name and a"),
        ("[link with (brackets)](https://a.b/c_(d)) stays", "link with (brackets) stays"),
        ("No marks at all", "No marks at all"),
    ],
)  # fmt: skip
def test_markup_and_addresses_are_left_out(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_text_in_statements() -> None:
    text = (
        "Fees\n\nThe mole is open. It closes at **nine**.\n\nYou pay:\n\n- adults: 4 euros\n"
        "- children: 2 euros\n\nStatus: Final\n\n| Day | Hour |\n|---|---|\n| Mon | 9 |\n| Tue | 10 |\n"
    )
    found = [(each.kind, each.text, each.lead) for each in pieces(text, ("Fees",), "Harbour")]
    assert found == [
        (SENTENCE, "The mole is open.", ""), (SENTENCE, "It closes at nine.", ""), (SENTENCE, "You pay:", ""),
        (ITEM, "You pay: adults: 4 euros", "You pay:"), (ITEM, "You pay: children: 2 euros", "You pay:"),
        (FIELD, "Status: Final", ""),
        (ROW, "Day: Mon; Hour: 9", "| Day | Hour |"), (ROW, "Day: Tue; Hour: 10", "| Day | Hour |"),
    ]  # fmt: skip
    assert all(text[each.start : each.end] for each in pieces(text, ("Fees",), "Harbour"))


def test_a_lone_short_line_has_its_heading() -> None:
    (only,) = pieces("Conclusion\n\nApproved for Stage 4!\n\n", ("Temporal", "Conclusion"), "Minutes")
    assert only.text == "Conclusion › Approved for Stage 4!"
