"""Nothing found for another reason than the words: it is said, from what was visible then alone."""

from __future__ import annotations

import pytest

FILTERS = [
    (["--source", "note"], "there is no source 'note'; did you mean notes?"),
    (["--source", "elsewhere"], "there is no source 'elsewhere'; existing ones: notes"),
    (["--tag", "pant"], "no document has the tag 'pant'; did you mean paint?"),
    (["--tag", "#zebra"], "no document has the tag 'zebra'; existing ones: paint, yard"),
    (["--path", "more"], "no document's id matches 'more'; did you mean '*/more/*'?"),
    (["--path", "notes"], "no document's id matches 'notes'; did you mean 'notes/*'?"),
    (["--path", "./notes/red.md"], "no document's id matches './notes/red.md'; did you mean 'notes/red.md'?"),
    (["--path", "journal/*"], "no document's id matches 'journal/*'; existing ones: notes/*, notes/more/*"),
    (
        ["--since", "2022", "--until", "2021"],
        "since (2022-01-01) is later than until (2021-12-31)",
    ),
    (["--as-of", "2019"], "no document is known to have been published by 2019-12-31"),
    (["--known-at", "2019"], "of what was indexed by 2019-12-31 nothing was published by "),
]


@pytest.mark.parametrize(("options", "result"), FILTERS, ids=lambda value: str(value)[:30])
def test_search_says_why(asof, notes, options, result):
    found = asof("search", "crane", *options)
    assert (found.code, found.err) == (1, "")
    assert f"note: nothing matches: {result}" in found.out
    assert f"nothing matches: {result}" in " ".join(
        asof("search", "crane", *options, "--json").json()["notes"]
    )


@pytest.mark.parametrize("command", [["timeline", "crane"], ["facts", "crane"], ["ask", "which crane?"]])
def test_other_commands_say_why(asof, notes, command):
    result = asof(*command, "--since", "2022", "--until", "2021")
    assert result.code == 1
    assert "note: nothing matches: since (2022-01-01) is later than until (2021-" in result.err
    assert "nothing matches: no document is known" in asof(*command, "--as-of", "2019").err
    assert "nothing matches: of what was indexed by 2019-12-31" in asof(*command, "--known-at", "2019").err


def test_diff_and_report_before_all_documents(asof, notes):
    assert "published by 2018-12-31" in asof("diff", "crane", "2017", "2018").err
    assert "published by 2019-12-31" in asof("report", "2019", "--as-of", "2019").err


@pytest.mark.parametrize("clock", ["--as-of", "--known-at"])
def test_what_came_later_is_not_told(asof, notes, write, clock):
    """A tag, a source or a folder of later is said to be as unknown as one that never was."""
    write("later/yew.md", "---\ndate: 2024-01-01\ntags: [evergreen]\n---\n# Yew\n\nA yew by the crane.\n")
    asof("index", "later")
    for option, there, never in (
        ("--tag", "evergreen", "evergreem"), ("--source", "later", "laten"), ("--path", "later/*", "laten/*"),
    ):  # fmt: skip
        result = [asof("search", "crane", option, name, clock, "2023") for name in (there, never)]
        told = [
            each.out.partition("\n")[2].replace(name, "it")
            for each, name in zip(result, (there, never), strict=True)
        ]
        assert told[0] == told[1]
        assert "nothing matches: " in told[0]
        assert asof("search", "crane", option, there).code == 0


def test_words_that_are_nowhere_are_no_filter(asof, notes):
    assert "nothing matches" not in asof("search", "zebra", "--tag", "paint").out
