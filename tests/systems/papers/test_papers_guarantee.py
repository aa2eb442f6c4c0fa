"""At (T, K) papers, scores, weights and words are those of a corpus that ends there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.arxiv_server import day
from tests.support.pier_papers import KNOWN, NOW, ask, opened

from asof.corpus.corpus import Corpus
from asof.extensions.systems.judgements import FeedbackLog
from asof.extensions.systems.papers import PaperAnswer
from asof.time.moment import read
from asof.time.span import instant, moment
from asof.values import Document, SourcedTime

pytestmark = pytest.mark.slow

WORDS = [f"{one} {other}" for one in KNOWN for other in KNOWN[:3]]

Version = tuple[int, int, int, str, bool]
"""A paper, its version, the day of January, words, and whether its full text is there."""

versions = st.lists(
    st.tuples(st.integers(1, 4), st.integers(1, 28), st.sampled_from(WORDS), st.booleans()),
    min_size=1, max_size=7, unique_by=lambda each: each[:2],
)  # fmt: skip


def numbered(drawn: Sequence[tuple[int, int, str, bool]]) -> list[Version]:
    """Versions get their numbers by their days."""
    found: list[Version] = []
    for paper, at, words, full in sorted(drawn, key=lambda each: each[1]):
        found.append((paper, 1 + sum(each[0] == paper for each in found), at, words, full))
    return found


def documents(version: Version) -> Iterator[Document]:
    paper, number, at, words, full = version
    date = f"{day(at):%Y-%m-%d}"
    dated = SourcedTime(read(date), date, "metadata")
    name = f"2401.{paper:05}"
    text = f"The {words} of paper {paper} are told in version {number}. A {words} is {words}."
    more: dict[str, Any] = {"title": f"Paper {paper}", "published": dated}
    yield Document(
        f"arxiv:{name}", text, tags=("cs.IR",), uri=f"https://arxiv.org/abs/{name}v{number}", **more
    )
    if full:
        yield Document(
            f"arxiv:{name}/full", f"{text} The full text has a {words} more, of {number}.",
            tags=("cs.IR", "full"), uri=f"https://arxiv.org/pdf/{name}v{number}", **more,
        )  # fmt: skip


@contextmanager
def corpus_of(versions: Sequence[Version] = ()) -> Iterator[Corpus]:
    memory = Path("/dev/shm")  # noqa: S108
    with (
        tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        opened(Path(folder)) as corpus,
    ):
        corpus.add([document for each in versions for document in documents(each)])
        yield corpus


def shown(found: PaperAnswer) -> Any:
    """What a reader sees, but for what only says how it came to be."""
    hits = [(hit.id, hit.uri, hit.score, hit.why) for hit in found.results.hits]
    answer = None if found.answer is None else (found.answer.text, found.answer.citations)
    return hits, found.statements, answer, dict(found.learned.now), [each.id for each in found.learned.losses]


def question(corpus: Corpus, **given: Any) -> PaperAnswer:
    return ask(corpus, "lamp oil, last three weeks", fetch=False, k=4, **given)


@given(versions, st.integers(1, 28), st.randoms(use_true_random=False))
def test_as_of_then_it_is_the_corpus_that_ends_there(drawn: Any, then: int, random: Any) -> None:
    whole = numbered(drawn)
    mixed = random.sample(whole, len(whole))
    date = f"{day(then):%Y-%m-%d}"
    with corpus_of(mixed) as later, corpus_of([each for each in whole if each[2] <= then]) as earlier:
        assert shown(question(later, as_of=date)) == shown(question(earlier, as_of=date))


steps = st.lists(
    st.one_of(st.just("ask"), st.tuples(st.integers(1, 4), st.sampled_from([0.0, 3.0])), st.just("more")),
    min_size=3, max_size=9,
)  # fmt: skip


@given(versions, steps)
def test_as_known_then_it_is_what_was_shown_then(drawn: Any, doing: Any) -> None:
    """However grades, papers and states of learning came afterwards."""
    left = numbered(drawn)
    with corpus_of([left.pop(0)]) as corpus:
        ticks = instant(NOW + timedelta(hours=1))
        then = []
        for at, step in enumerate(doing):
            corpus.session.clock = partial(int, ticks + at * 60_000_000)
            if step == "more" and left:
                corpus.add(list(documents(left.pop(0))))
            elif isinstance(step, tuple):
                asked = FeedbackLog.of(corpus).queries()
                if asked and any(hit.rank == step[0] for hit in asked[-1].question.shown):
                    FeedbackLog.of(corpus).grade(asked[-1].question.id, *step)
            found = question(corpus, record=step == "ask")
            then.append((moment(ticks + at * 60_000_000 + 30_000_000), shown(found)))
        for known, seen in then:
            assert shown(question(corpus, as_of=known, known_at=known, record=False)) == seen


def test_as_of_then_no_later_grade_has_moved_the_weights() -> None:
    """A grade that is given today may be of a paper that was published after the day that is asked about."""
    papers = [(number, 1, 7 * number, word, False) for number, word in enumerate(WORDS[:3], 1)]
    with corpus_of(papers) as corpus:
        published = dict(question(corpus, record=False).learned.now)
        for _ in range(6):
            FeedbackLog.of(corpus).grade(question(corpus).recorded, 1, 3)
        assert dict(question(corpus, record=False).learned.now) != published
        before = question(corpus, as_of=f"{day(12):%Y-%m-%d}", record=False).learned
        assert (dict(before.now), before.losses) == (published, ())
