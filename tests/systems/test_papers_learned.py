"""The numbers that questions about papers are ranked by: learned, of asof.toml, and as they were then."""

from __future__ import annotations

import json
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
from tests.support.pier_papers import KNOWN, NOW, PIER, ask, opened

from asof.corpus.corpus import Corpus
from asof.errors import DamagedState
from asof.extensions.systems.judgements import FeedbackLog
from asof.extensions.systems.papers import ANEW, DROPPED, RECIPE, PaperAnswer, forget, learner
from asof.store.schema import exclusive_lock
from asof.time.moment import read
from asof.time.span import instant, moment
from asof.values import Document, SourcedTime

# -- the numbers of the ranking: what was learned, what of asof.toml, and what is refused ----------


OTHER = (
    "[recipes.papers]\n"
    "combine.weights = { similarity = 0.3, freshness = 0.3, coverage = 0.3, volume = 0.1 }\n"
)


def stated() -> list[Document]:
    """The abstracts, as arXiv would state them."""
    return [
        Document(
            f"arxiv:{each.id}", each.versions[0].summary, each.versions[0].title,
            SourcedTime(read(f"{each.submitted:%Y-%m-%d}"), f"{each.submitted:%Y-%m-%d}", "metadata"),
            tags=each.categories, uri=f"https://arxiv.org/abs/{each.id}v1",
        )
        for each in PIER
    ]  # fmt: skip


def learned_from_one(corpus: Corpus) -> str:
    """The state after a question whose fifth paper was good."""
    corpus.add(stated())
    found = ask(corpus, fetch=False)
    FeedbackLog.of(corpus).grade(found.recorded, 5, 3)
    ask(corpus, fetch=False)
    return FeedbackLog.of(corpus).learned(RECIPE) or ""


def test_after_a_vacuum_the_past_is_ranked_by_the_numbers_of_asof_toml(memory_folder: Path):
    """What was learned before it is not known any more, but papers can be asked about from 2024-01-20 on."""
    with opened(memory_folder) as corpus:
        learned_from_one(corpus)
        corpus.vacuum("2024-01-20")
        then = ask(corpus, fetch=False, as_of="2024-01-28")
        assert then.results.hits
        assert list(then.learned.now.values()) == [0.4, 0.25, 0.25, 0.1, 0.5, 0.05]
        assert DROPPED in then.notes
        assert DROPPED not in ask(corpus, fetch=False).notes


def test_it_begins_with_the_numbers_that_were_published(memory_folder: Path):
    with opened(memory_folder) as corpus:
        notes: list[str] = []
        found, learned = learner(corpus, None, notes)
        assert list(learned.now.values()) == [0.4, 0.25, 0.25, 0.1, 0.5, 0.05]
        assert (learned.stage, learned.question, learned.losses, notes) == ("baseline", 1, (), [])
        assert FeedbackLog.of(corpus).learned(RECIPE) == json.dumps(
            {"start": [*found.setting().values()], "since": 0}
        )


def test_other_numbers_in_the_configuration_begin_anew(memory_folder: Path):
    with opened(memory_folder) as corpus:
        learned_from_one(corpus)
    (memory_folder / "asof.toml").write_text(OTHER)
    with opened(memory_folder) as corpus:
        found = ask(corpus, fetch=False)
        assert found.notes == (ANEW,)
        assert list(found.learned.now.values()) == [0.3, 0.3, 0.3, 0.1, 0.5, 0.05]
        # the judged question was ranked by other numbers: it tells nothing, but settings are compared on it
        assert (found.learned.stage, found.learned.losses) == ("baseline", ())
        assert found.learned.compared == 1
        assert ask(corpus, fetch=False).notes == ()


def test_numbers_outside_of_the_bounds(memory_folder: Path):
    (memory_folder / "asof.toml").write_text(OTHER.replace("similarity = 0.3", "similarity = 0.9"))
    with opened(memory_folder) as corpus:
        notes: list[str] = []
        found, learned = learner(corpus, None, notes)
        assert "combine.weights.similarity" in notes[0]
        assert "outside" in notes[0]
        # weights move within bounds and keep the sum that they have in asof.toml, .9 + .3 + .3 + .1
        assert sum(list(learned.now.values())[:4]) == pytest.approx(1.6)
        assert learned.now["combine.weights.similarity"] == pytest.approx(0.6)
        assert found.recipe.name == RECIPE


@pytest.mark.parametrize(
    "state", ["", "[]", "{}", "[" * 100_000, '{"start": 1, "since": 0}', '{"start": ["x"]}']
)
def test_a_state_that_is_not_sound(memory_folder: Path, state: str):
    with opened(memory_folder) as corpus:
        learned_from_one(corpus)
        FeedbackLog.of(corpus).learn_state(RECIPE, state)
        with pytest.raises(DamagedState, match="begin anew with `asof papers --forget`"):
            ask(corpus, fetch=False)
        forget(corpus)
        found = ask(corpus, fetch=False)
        assert list(found.learned.now.values()) == [0.4, 0.25, 0.25, 0.1, 0.5, 0.05]
        assert len(FeedbackLog.of(corpus).judged()) == 1


def test_forgetting_leaves_judgements_and_the_past(memory_folder: Path):
    with opened(memory_folder) as corpus:
        state = learned_from_one(corpus)
        then = read("2024-01-30T00:10:00").first
        corpus.session.clock = lambda: then
        forget(corpus)
        found, learned = learner(corpus, None, [])
        assert (found.online.evaluations, learned.losses, learned.compared) == (0, (), 1)
        assert FeedbackLog.of(corpus).learned(RECIPE, moment(then - 1)) == state
        _, before = learner(corpus, moment(then - 1), [])
        assert len(before.losses) == 1


def test_a_corpus_that_cannot_be_written_to_learns_the_same(memory_folder: Path):
    with opened(memory_folder) as corpus:
        corpus.add(stated())
        corpus.store.wait = 0.01
        with exclusive_lock(corpus.store.folder / "write.lock", 1.0):
            _, blocked = learner(corpus, None, [])
        assert FeedbackLog.of(corpus).learned(RECIPE) is None
        _, again = learner(corpus, None, [])
        assert again.now == blocked.now
        assert FeedbackLog.of(corpus).learned(RECIPE) is not None


pytestmark = pytest.mark.slow


# -- at (T, K) papers, scores, weights and words are those of a corpus that ends there -------------


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
