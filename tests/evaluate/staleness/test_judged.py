"""What a flag is, set against what is expected."""

from __future__ import annotations

import pytest
from tests.evaluate.staleness.flags import case, expected, flag

from asof.evaluate.staleness.cases import UnflaggedQuote
from asof.evaluate.staleness.judged import holds, judge_case, same_quote

TEN = "one two three four five six seven eight nine ten"
TEXT = "Each account has 10 GB of space."


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("one two three", True),  # 3 of 3 shared, 3 / 10 > .2
        ("one two", False),  # 2 / 10 is not more than a fifth
        ("One, two; THREE a b", True),  # 3 of 5 are .6
        ("one two three a b c", False),  # 3 of 6
        ("", False),
    ],
)
def test_quotes_that_overlap(words: str, *, same: bool) -> None:
    assert same_quote(words, TEN) is same
    assert same_quote(TEN, words) is same


def test_words_that_are_held_word_for_word() -> None:
    assert holds("It has 10 GB.", "10 gb")
    assert holds("It has 10\nGB.", "10 GB")
    assert not holds("It has 110 GB.", "10 GB")
    assert not holds("It is 3.10 GB or 10 GBit.", "10 GB")


def test_what_flags_are() -> None:
    flags = [
        flag("a.md", TEXT, 0.9),
        flag("b.md", TEXT, 0.8, "other.md"),
        flag("c.md", "Lamps are changed in May.", 0.7),
        flag("d.md", "Boats are painted in spring.", 0.6),
        flag("e.md", TEXT, 0.5),
        flag("a.md", "Nobody may fish here.", 0.4),
    ]
    wanted = case(
        expected("a.md", TEXT, old_value="10 GB"), expected("b.md", TEXT), expected("f.md", TEXT),
        harmless=(UnflaggedQuote("c.md", "Lamps are changed in May.", "history"),),
        neutral=(UnflaggedQuote("d.md", "Boats are painted in spring."),), held_out=("a.md",),
    )  # fmt: skip
    judged = judge_case(wanted, 0, flags)
    assert [(each.verdict, each.counterpart) for each in judged.flags] == [
        ("right", True), ("right", False), ("harmless", False), ("uncounted", False), ("wrong", False),
        ("uncounted", False),
    ]  # fmt: skip
    assert judged.flags[2].why == "history"
    assert [each.holds_old for each in judged.flags] == [True, True, False, False, True, False]
    assert [each.document for each in judged.missed] == ["f.md"]
    assert judged.flagged(wanted.harmless[0]) is judged.flags[2]


def test_a_second_flag_of_an_expected_sentence_does_not_count() -> None:
    judged = judge_case(
        case(expected("a.md", TEXT)), 0, [flag("a.md", TEXT, 0.9), flag("a.md", "10 GB of space", 0.5)]
    )
    assert [each.verdict for each in judged.flags] == ["right", "uncounted"]


def test_the_expected_sentence_that_has_the_counterpart_is_found() -> None:
    others = expected("a.md", TEXT), expected("a.md", f"{TEXT} It has.")
    judged = judge_case(case(*others), 0, [flag("a.md", f"{TEXT} It has.", 0.9), flag("a.md", TEXT, 0.8)])
    assert [each.expected for each in judged.flags] == [others[1], others[0]]


def test_a_link_does_not_find_a_value_and_a_claim_finds_a_changed_passage() -> None:
    value = judge_case(case(expected("a.md", TEXT)), 0, [flag("a.md", TEXT, 0.9, kind="link")])
    assert [each.verdict for each in value.flags] == ["wrong"]
    for kind in ("link", "quote"):
        link = judge_case(case(expected("a.md", TEXT, "link")), 0, [flag("a.md", TEXT, 0.9, kind=kind)])
        assert [each.verdict for each in link.flags] == ["right"]


def test_late_is_from_the_last_version_on() -> None:
    flags = [flag("a.md", TEXT, 0.9, cause=9), flag("b.md", TEXT, 0.8, cause=10)]
    assert [each.late for each in judge_case(case(), 10, flags).flags] == [False, True]
    assert [each.late for each in judge_case(case(), None, flags).flags] == [False, False]
