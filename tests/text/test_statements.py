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


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Accounts (£000) 2022 2021 Cash 5 4 Debts (2) (3)",
         ["Accounts (£000): Cash; 2022: 5; 2021: 4", "Accounts (£000): Debts; 2022: (2); 2021: (3)"]),
        ("Cash 5 4 Debts 2 3", ["Cash: 5 4", "Debts: 2 3"]),
        ("Cash 5 Debts 2 Staff 7", ["Cash: 5", "Debts: 2", "Staff: 7"]),
        ("Cash Debts 5 4 2 3", []), ("Cash 5 4 Debts 2", []), ("Cash 5 4 Debts of 2 or 3", []),
        ("Meeting May 2021 Party July 2022 Fair June 2023", []), ("It costs 5", []),
    ],
)  # fmt: skip
def test_a_table_in_running_text_has_rows_where_its_order_is_certain(text: str, rows: list[str]) -> None:
    found = [each for each in pieces(text, (), "") if each.kind == ROW]
    assert [each.text for each in found] == rows
    assert all(text[each.start : each.end].split()[0] in each.text for each in found)
