"""Reports: the worst, what is left out of them, with lines and dates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.corpora import Clock, new_corpus
from tests.support.stale_values import DAY, quote, stale

from asof.corpus.corpus import Corpus
from asof.extensions.facts.stale import CommitsSince, QuotePlace, stale_report
from asof.time.moment import read
from asof.values import Document

OLD = "# Old\n\nThe free plan has 10 GB.\n"
MARCH = read("2021-03").last


@pytest.fixture
def corpus() -> Iterator[Corpus]:
    with new_corpus(clock=Clock.at("2025")) as made:
        made.add([
            Document("old.md", OLD, published="2021-03"), Document("new.md", "The free plan has 50 GB."),
        ])  # fmt: skip
        yield made


def test_lines_and_dates(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text(f"---\na: b\n---\n{OLD}", "utf-8")
    one = stale(
        quote(start=OLD.index("The"), since=MARCH),
        quote("new.md", "The free plan has 50 GB.", 5, dated=False),
    )
    (found,) = stale_report(corpus.at(), [one], files=tmp_path).found
    assert found.quote.place == QuotePlace(6, 6, tmp_path / "old.md")
    assert found.quote.published is not None
    assert (found.quote.published.text, found.quote.published.by) == ("2021-03", "metadata")
    assert found.by is not None
    assert (found.by.place, found.by.published) == (QuotePlace(1, 1, None), None)
    (past,) = stale_report(corpus.at("2024"), [one]).found
    assert past.quote.place == QuotePlace(3, 3, None)


def test_so_many_are_shown_and_the_others_counted(corpus: Corpus) -> None:
    listed = [stale(quote(text=f"Sentence {number}.")) for number in range(5)]
    made = stale_report(corpus.at(), listed, 2)
    assert [each.stale for each in made.found] == listed[:2]
    assert made.more == 3
    assert stale_report(corpus.at(), []).found == ()


def test_what_commits_made_stale(corpus: Corpus) -> None:
    causes = [DAY - 1, DAY, 2 * DAY, 3 * DAY]
    listed = [stale(quote(text=f"Sentence {cause}."), cause=cause) for cause in causes]
    second = DAY // 10**6
    commits = CommitsSince(frozenset({second}), 2 * second)
    assert [each.stale.cause for each in stale_report(corpus.at(), listed, commits=commits).found] == [
        DAY,
        3 * DAY,
    ]
