"""What was dismissed, as it was known at any instant, and after an export."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.corpora import Clock, new_corpus
from tests.support.exports import lines, restored, write

from asof.corpus.corpus import Corpus
from asof.data import Document
from asof.errors import BeforeHorizon, SourceError
from asof.store.dismissals import (
    Dismissal,
    all_dismissals,
    dismissed_ids,
    insert_dismissal,
    is_stale_id,
)
from asof.store.feedback import write_feedback

ONE, OTHER = "0123456789ab", "ba9876543210"


@pytest.fixture
def corpus() -> Iterator[Corpus]:
    with new_corpus(clock=Clock(1_000, 0)) as made:
        made.add([Document("a", "Bread.", published="1970-01-01")])
        yield made


def say(corpus: Corpus, stale: str, *, dismissed: bool = True) -> int:
    with write_feedback(corpus.store, corpus.session.clock) as (db, added):
        return added if insert_dismissal(db, Dismissal(stale, dismissed, added)) else 0


def known(corpus: Corpus, at: int | None = None) -> frozenset[str]:
    return corpus.session.read(lambda db: dismissed_ids(db, at))


def test_the_last_word_by_an_instant_counts(corpus: Corpus) -> None:
    first = say(corpus, ONE)
    second = say(corpus, OTHER)
    third = say(corpus, ONE, dismissed=False)
    assert first < second < third, "each is later than all before, though the clock stands still"
    assert known(corpus) == {OTHER}
    assert [known(corpus, at) for at in (first - 1, first, second, third)] == [
        frozenset(), {ONE}, {ONE, OTHER}, {OTHER},
    ]  # fmt: skip


def test_the_same_word_twice_is_said_once(corpus: Corpus) -> None:
    assert not say(corpus, ONE, dismissed=False), "it was not dismissed"
    assert say(corpus, ONE)
    assert not say(corpus, ONE)
    assert len(corpus.session.read(all_dismissals)) == 1


def test_before_the_horizon_nothing_is_known(corpus: Corpus) -> None:
    say(corpus, ONE)
    corpus.session.clock = lambda: 10**15
    corpus.vacuum("1990")
    with pytest.raises(BeforeHorizon):
        known(corpus, 2_000)
    assert known(corpus) == {ONE}


def test_what_is_an_id() -> None:
    assert is_stale_id(ONE)
    assert not any(map(is_stale_id, ("", ONE[:-1], ONE.upper(), f"{ONE}\n", "0123456789xy")))


def test_an_export_carries_dismissals(corpus: Corpus, tmp_path: Path) -> None:
    plain, full = tmp_path / "plain.jsonl", tmp_path / "full.jsonl"
    corpus.export(plain)
    assert lines(plain)[0]["asof_export"] == 1, "what older versions read, too"
    say(corpus, ONE)
    say(corpus, OTHER)
    say(corpus, ONE, dismissed=False)
    corpus.export(full)
    assert lines(full)[0]["asof_export"] == 2
    with restored(full, 2_000) as other:
        assert known(other) == {OTHER}
        read = other.session.read(all_dismissals)
        assert read == corpus.session.read(all_dismissals)
        assert say(other, ONE) > read[-1].added
        other.export(tmp_path / "again.jsonl")
        assert len(lines(tmp_path / "again.jsonl")) == len(lines(full)) + 1


WRONG = [
    ({"dismissal": "x"}, "dismissal is 'x'; 12 digits from 0 to f are expected"),
    ({"dismissed": 1}, "dismissed is 1; true or false is expected"),
    ({"added": "soon"}, "added is 'soon'; expected: an instant"),
    ({"added": "2999-01-01T00:00:00Z"}, "lies in the future or not after the one before"),
    ({"words": "secret"}, "'words' is no key of such a line"),
]


@pytest.mark.parametrize(("change", "said"), WRONG)
def test_a_dismissal_that_is_none_is_refused(
    corpus: Corpus, tmp_path: Path, change: dict[str, object], said: str
) -> None:
    say(corpus, ONE)
    corpus.export(tmp_path / "full.jsonl")
    values = lines(tmp_path / "full.jsonl")
    changed = [{**value, **change} if "dismissal" in value else value for value in values]
    with pytest.raises(SourceError, match=said), restored(write(tmp_path / "wrong.jsonl", changed), 2_000):
        pass


def test_dismissals_stand_in_the_order_of_their_instants(corpus: Corpus, tmp_path: Path) -> None:
    say(corpus, ONE)
    corpus.export(tmp_path / "full.jsonl")
    values = lines(tmp_path / "full.jsonl")
    twice = [value for value in values for _ in range(1 + ("dismissal" in value))]
    with (
        pytest.raises(SourceError, match="not after"),
        restored(write(tmp_path / "wrong.jsonl", twice), 2_000),
    ):
        pass
