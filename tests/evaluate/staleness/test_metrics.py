"""Precision, recall and harmless flags, by hand."""

from __future__ import annotations

from tests.evaluate.staleness.flags import case, expected, flag

from asof.evaluate.staleness.cases import UnflaggedQuote
from asof.evaluate.staleness.judged import judge_case
from asof.evaluate.staleness.metrics import FlagCounts, Share, StaleMetrics, measure

TEXT = "Each account has 10 GB of space."
LAMPS = "Lamps are changed in May."
LINK = "See the page about lamps."


def measured() -> StaleMetrics:
    """Two cases; the pooled claims by score: right .9, wrong .8 (holds 10 GB), right .7, wrong .6, wrong .5,
    harmless .4. The right one of .7 and the wrong ones of .8 and .6 are of the last change."""
    one = case(
        expected("a.md", TEXT, type="figure", old_value="10 GB"), expected("x.md", TEXT, type="figure"),
        expected("l.md", LINK, "link"),
        harmless=(UnflaggedQuote("h.md", LAMPS, "history"), UnflaggedQuote("i.md", LAMPS, "history"),
                  UnflaggedQuote("k.md", LINK, "link that holds")), name="one",
    )  # fmt: skip
    two = case(expected("b.md", LAMPS, "statement"), name="two")
    first = judge_case(one, 50, [
        flag("a.md", TEXT, 0.9, cause=1), flag("q.md", TEXT, 0.8, cause=50),
        flag("r.md", LAMPS, 0.5, cause=1), flag("l.md", LINK, 0.45, kind="link"),
        flag("h.md", LAMPS, 0.4, cause=1), flag("t.md", LAMPS, 0.3, None, kind="time"),
    ])  # fmt: skip
    second = judge_case(two, 70, [
        flag("b.md", LAMPS, 0.7, "other.md", cause=70), flag("c.md", LAMPS, 0.6, cause=71),
    ])  # fmt: skip
    return measure([first, second])


def test_precision_of_the_first_of_all_cases_in_three_readings() -> None:
    found = {
        reading: {each.first: (each.right.count, each.right.of) for each in firsts}
        for reading, firsts in measured().precision.items()
    }
    assert found["strict"] == {5: (2, 5), 10: (2, 6), 20: (2, 6), 50: (2, 6), None: (2, 6)}
    assert found["since"][None] == (1, 3)
    assert found["since_set_aside"][None] == (1, 2)  # without "10 GB" of q.md


def test_recall_by_kind_and_type_and_counterparts() -> None:
    found = {(each.kind, each.type): (each.found, each.counterpart) for each in measured().recall}
    assert found == {
        ("link", ""): (Share(1, 1), Share(1, 1)),
        ("statement", ""): (Share(1, 1), Share(0, 1)),
        ("value", ""): (Share(1, 2), Share(1, 1)),
        ("value", "figure"): (Share(1, 2), Share(1, 1)),
    }


def test_harmless_sentences_and_links_apart() -> None:
    metrics = measured()
    assert [(each.why, each.flagged) for each in metrics.harmless] == [
        ("", Share(1, 2)), ("history", Share(1, 2))
    ]  # fmt: skip
    assert [(each.why, each.flagged) for each in metrics.harmless_links] == [
        ("", Share(0, 1)), ("link that holds", Share(0, 1))
    ]  # fmt: skip
    assert metrics.apart == (FlagCounts("link", 1, 1, 0, 0, 0), FlagCounts("time", 1, 0, 1, 0, 0))


def test_a_share_of_nothing() -> None:
    assert Share(0, 0).value is None
    assert Share(1, 4).value == 0.25
