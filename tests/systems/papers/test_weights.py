"""The numbers of the ranking: what was learned, what of asof.toml, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.pier_papers import PIER, ask, opened

from asof.corpus.corpus import Corpus
from asof.errors import DamagedState
from asof.extensions.systems.judgements import FeedbackLog
from asof.extensions.systems.papers import ANEW, DROPPED, OTHER_NUMBERS, RECIPE, forget, learner
from asof.store.schema import exclusive_lock
from asof.time.moment import read
from asof.time.span import moment
from asof.values import Document, SourcedTime

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
        assert FeedbackLog.of(corpus).learned(RECIPE) == found.dumps()


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
        assert found.learned.began >= 0
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
    "spoil",
    [
        lambda state: state[:-1],
        lambda state: state.replace('"format": 2', '"format": 9', 1),
        lambda state: json.dumps(json.loads(state) | {"question_losses": []}),
        lambda state: json.dumps(
            json.loads(state) | {"online": {**json.loads(state)["online"], "start": []}}
        ),
    ],
)
def test_a_state_that_is_not_sound(memory_folder: Path, spoil):
    with opened(memory_folder) as corpus:
        sound = learned_from_one(corpus)
        FeedbackLog.of(corpus).learn_state(RECIPE, spoil(sound))
        with pytest.raises(DamagedState, match="begin anew with `asof papers --forget`"):
            ask(corpus, fetch=False)
        forget(corpus)
        found = ask(corpus, fetch=False)
        assert list(found.learned.now.values()) == [0.4, 0.25, 0.25, 0.1, 0.5, 0.05]
        assert len(FeedbackLog.of(corpus).judged(RECIPE)) == 1


def test_forgetting_leaves_judgements_and_the_past(memory_folder: Path):
    with opened(memory_folder) as corpus:
        state = learned_from_one(corpus)
        then = read("2024-01-30T00:10:00").first
        corpus.session.clock = lambda: then
        forget(corpus)
        found, learned = learner(corpus, None, [])
        assert (learned.new, found.online.evaluations, learned.losses) == (
            0,
            0,
            (),
        )  # forgotten, though judged
        assert learned.compared == 1
        assert FeedbackLog.of(corpus).learned(RECIPE, moment(then - 1)) == state


def test_a_state_of_a_version_that_learned_other_numbers_begins_anew(memory_folder: Path):
    """Of five numbers: the threshold was not learned, and is not among those of the stored box."""
    with opened(memory_folder) as corpus:
        sound = json.loads(learned_from_one(corpus))
        for key in ("names", "low", "high"):
            del sound["online"]["box"][key][4]
        FeedbackLog.of(corpus).learn_state(RECIPE, json.dumps(sound))
        found = ask(corpus, fetch=False)
        assert OTHER_NUMBERS in found.notes
        # the judged question was ranked by the initial numbers, so it is learned from again
        assert (found.learned.question, found.learned.new) == (2, 1)
        assert OTHER_NUMBERS not in ask(corpus, fetch=False).notes


def test_what_cannot_be_kept_now_is_learned_again(memory_folder: Path):
    with opened(memory_folder) as corpus:
        corpus.add(stated())
        found = ask(corpus, fetch=False)
        FeedbackLog.of(corpus).grade(found.recorded, 5, 3)
        state, corpus.store.wait = FeedbackLog.of(corpus).learned(RECIPE), 0.01
        notes: list[str] = []
        with exclusive_lock(corpus.store.folder / "write.lock", 1.0):
            _, blocked = learner(corpus, None, notes)
        assert "not stored" in notes[0]
        assert FeedbackLog.of(corpus).learned(RECIPE) == state
        notes = []
        _, again = learner(corpus, None, notes)
        assert (again.now, notes) == (blocked.now, [])
