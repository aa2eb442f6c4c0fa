"""What a question and its options want."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.systems.arxiv_question import PaperRequest
from asof.extensions.systems.papers import PaperQuestion, complete_request, expanded, topic_of
from asof.time.moment import read
from asof.time.span import DAY

NOW = read("2024-01-30").first
NOTES = ("no time is named: the last 7 days", "no category is named: cs.LG was taken", "another")


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("top 5 papers on sparse attention in cs.CL", "sparse attention"),
        ("recent papers about tide tables", "tide tables"),
        ("show me the latest preprints of lamp oil on arXiv", "lamp oil"),
        ("how are abstracts summarised", "how are abstracts summarised"),
        ("detecting fake news articles", "detecting fake news articles"),
        ("12 articles on lamps", "lamps"),
        ("papers", ""),
        ("new ways to keep lamps,", "new ways to keep lamps"),
        ("node.js and cs.IR", "node.js"),
        ("forgetting in networks", "forgetting in networks"),
        ("onset of storms", "onset of storms"),
    ],
)
def test_the_topic_is_what_papers_are_about(question, topic):
    assert topic_of(question) == topic


@given(st.text(max_size=80))
def test_any_text_has_a_topic(text):
    assert len(topic_of(text)) <= len(text)


def test_tags_of_archives():
    assert expanded(("cs.IR",)) == ("cs.IR",)
    assert {"cs.IR", "cs.CL", "cs"} <= set(expanded(("cs.*",)))
    assert "cond-mat" in expanded(("cond-mat.*",))  # sent there before it was divided
    assert "stat.ML" not in expanded(("cs.*",))
    assert expanded(("cs.ZZ",)) == ("cs.ZZ",)
    assert expanded(("cs.ZZ",), known=True) == ()


def of(**given: object) -> PaperRequest:
    return complete_request(
        PaperQuestion("lamps", **given), PaperRequest(("cs.LG",), NOW - 7 * DAY, NOW, notes=NOTES), NOW, 1  # type: ignore[arg-type]
    )  # fmt: skip


def test_options_stand_before_the_question():
    assert of() == PaperRequest(("cs.LG",), NOW - 7 * DAY, NOW, notes=NOTES)
    assert of(categories=("cs", "CS.ir", "cs.IR")).categories == ("cs.*", "cs.IR")
    assert of(categories=("cs.IR",)).notes == (NOTES[0], NOTES[2])
    since = of(since="2024-01-10")
    assert (since.since, since.until, since.notes) == (read("2024-01-10").first, NOW, NOTES[1:])
    until = of(until="2024-01-10")  # no time is named: a week before that end
    assert (until.until, until.since) == (read("2024-01-10").last, read("2024-01-10").last - 7 * DAY)
    assert of(until="2024-02").until == NOW
