"""A question about papers as a whole: what is fetched, ranked, read, answered, recorded, learned."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import corpora
from tests.support.arxiv_server import Archive, busy, day
from tests.support.pier_papers import KNOWN, NOW, PDFS, PIER, ask, made, names, opened, pdf, requests
from tests.support.scripted import ScriptedModel

from asof.corpus.corpus import Corpus
from asof.documents import Document, SourcedTime
from asof.errors import DamagedState, ModelError, SourceError
from asof.extensions.systems.arxiv_question import PaperRequest
from asof.extensions.systems.judgements import FeedbackLog
from asof.extensions.systems.papers import (
    ANEW,
    AS_KNOWN_THEN,
    DROPPED,
    RECIPE,
    PaperAnswer,
    PaperQuestion,
    best_statements,
    complete_request,
    expanded,
    forget,
    learner,
    topic_of,
)
from asof.models.ports import Prompt
from asof.store.schema import exclusive_lock
from asof.time.moment import TimeOptions, read
from asof.time.span import DAY, instant, moment
from asof.wire import replace

pytestmark = pytest.mark.slow

# -- what a question and its options want ----------------------------------------------------------


LATE = read("2024-01-30").first
NOTES = ("no time is named: the last 7 days", "no category is named: cs.LG was taken", "another")


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("top 5 papers on sparse attention in cs.CL", "sparse attention"),
        ("recent papers about tide tables", "tide tables"),
        ("show me the latest preprints of lamp oil on arXiv", "lamp oil"),
        ("how are abstracts summarised", "how are abstracts summarised"),
        ("detecting fake news articles", "detecting fake news articles"),
        ("papers", ""),
        ("new ways to keep lamps,", "new ways to keep lamps"),
        ("node.js and cs.IR", "node.js"),
        ("forgetting in networks", "forgetting in networks"),
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


def completed(**given: object) -> PaperRequest:
    return complete_request(
        PaperQuestion("lamps", **given),  # type: ignore[arg-type]
        PaperRequest(("cs.LG",), LATE - 7 * DAY, LATE, notes=NOTES), LATE, TimeOptions(),
    )  # fmt: skip


def test_options_stand_before_the_question():
    assert completed() == PaperRequest(("cs.LG",), LATE - 7 * DAY, LATE, notes=NOTES)
    assert completed(categories=("cs", "CS.ir", "cs.IR")).categories == ("cs.*", "cs.IR")
    assert completed(categories=("cs.IR",)).notes == (NOTES[0], NOTES[2])
    since = completed(since="2024-01-10")
    assert (since.since, since.until, since.notes) == (read("2024-01-10").first, LATE, NOTES[1:])
    until = completed(until="2024-01-10")  # no time is named: a week before that end
    assert (until.until, until.since) == (read("2024-01-10").last, read("2024-01-10").last - 7 * DAY)
    assert completed(until="2024-02").until == LATE


# -- what a paper says to a question: which sentence, of which place -------------------------------


def said_of(folder: Path, text: str, topic: str = "lamp oil", title: str = "The lamp") -> tuple[str, str]:
    dated = SourcedTime(read("2024-01-20"), "2024-01-20", "metadata")
    with opened(folder) as corpus:
        corpus.add([Document("arxiv:2401.00001", text, title, dated)])
        sources = {"arxiv:2401.00001": ("arxiv:2401.00001",)}
        (found,) = best_statements(corpus.at(), topic, sources)
    return found.place, found.quote


@pytest.mark.parametrize(
    ("before", "quote", "after", "topic"),
    [
        ("The pier has a lamp. ", "Its keeper buys the oil of the lamp.", " A lamp is of glass.", "lamp oil"),
        # neither a title nor a heading
        ("The oil of lamps\n", "We buy the oil of a lamp in spring.", "", "lamp oil"),
        ("# Lamp oil and lamps\n\n", "The pier has a lamp.", "", "lamp oil"),
        # without a word of the question a stretch
        ("", "the mole, the quay, and no more", "", "storm"),
    ],
)
def test_the_sentence_that_says_most_of_it(memory_folder, before, quote, after, topic):
    found = said_of(memory_folder, f"{before}{quote}{after}", topic, "The oil of lamps")
    assert found == ("abstract", quote)


def test_a_sentence_that_passages_part_is_whole(memory_folder):
    """Passages of 400 characters begin anywhere in a sentence."""
    filling = "The quay is long and the mole is old and nothing happens there all day. " * 5
    quote = "The oil of the QA lamp is bought in spring, when it is cheap, and the days are getting longer."
    for cut in (20, 60):
        text = f"{filling}{'x' * cut} end. {quote} {filling}"
        assert said_of(memory_folder, text)[1] == quote


# -- a question as a whole -------------------------------------------------------------------------


BUSY = [busy] * 50


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive(list(PIER), pdfs=dict(PDFS)) as there:
        yield there


@pytest.fixture
def corpus(archive: Archive, memory_folder: Path) -> Iterator[Corpus]:
    with opened(memory_folder, archive) as here:
        yield here


def good(corpus: Corpus, found: PaperAnswer, *papers: int) -> None:
    """Say that these papers answer and all others do not."""
    for hit, number in zip(found.results.hits, names(found), strict=True):
        FeedbackLog.of(corpus).grade(found.recorded, hit.rank, 3.0 if number in papers else 0.0)


def test_the_whole_round(archive, corpus):
    found = ask(corpus)
    # 6 is three weeks old, 7 of another category: cosines of the abstracts are (lamp oil)·(...)/(√2 |...|),
    # 1: (2, 2): 1; 3: (2, 1, keeper 1): 3/(√2 √6) = .866; 2: (2, 1, rope 2, keeper 1): 3/(√2 √10) = .671
    assert names(found)[:3] == [1, 3, 2]
    assert {6, 7}.isdisjoint(names(found))
    likeness = [hit.why.parts[0].parts[0].value for hit in found.results.hits[:3]]
    assert likeness == pytest.approx([1, 3 / (2 * 6) ** 0.5, 3 / (2 * 10) ** 0.5], abs=0.01)
    assert [part.label for part in found.results.hits[0].why.parts] == [
        "similarity", "freshness", "coverage", "volume",
    ]  # fmt: skip
    assert requests(archive) == [
        "search", "2401.00001v1,2401.00002v1,2401.00003v1",
        "/pdf/2401.00001v1", "/pdf/2401.00002v1", "/pdf/2401.00003v1",
    ]  # fmt: skip
    assert found.fetched is not None
    assert found.texts is not None
    assert found.answer is not None
    assert (found.fetched.added, found.texts.added) == (7 - 1, 3)  # not 7, nor 6: before the window
    assert [each.paper[-1] for each in found.statements] == ["1", "3", "2"]
    assert [each.place for each in found.statements] == ["Page 2"] * 3
    assert found.statements[0].quote == "Lamp oil of paper 1 is measured with a spoon."
    read = {each.hit.document for each in found.statements}
    assert {each.document for each in found.answer.citations} <= read | {
        each.paper for each in found.statements
    }
    assert found.notes == ()


def test_what_is_here_is_not_fetched_again(archive, corpus):
    first = ask(corpus)
    requests(archive)
    again = ask(corpus)
    assert set(requests(archive)) == {"search"}  # whether something is new
    assert again.fetched is not None
    assert (again.fetched.written, again.texts) == (0, None)
    assert names(again) == names(first)
    ask(corpus, k=5, read=5)
    assert [each for each in requests(archive) if each != "search"] == [
        "2401.00005v1,2401.00008v1", "/pdf/2401.00005v1", "/pdf/2401.00008v1",
    ]  # fmt: skip


def test_the_numbers_are_recorded(corpus):
    found = ask(corpus)
    asked = FeedbackLog.of(corpus).recorded(found.recorded).question
    assert asked.text == "lamp oil"
    assert [hit.document for hit in asked.shown] == [hit.document for hit in found.results.hits]
    weights = {f"combine.weights.{name}": value for name, value in asked.fields["combine.weights"].items()}
    others = {name: asked.fields[name] for name in ("freshness.rate", "coverage.above")}
    assert weights | others == dict(found.learned.now)
    assert asked.fields["volume.above"] == asked.fields["coverage.above"]
    assert not ask(corpus, record=False).recorded
    assert len(FeedbackLog.of(corpus).queries()) == 1


def test_it_learns_from_grades_and_from_nothing_else(corpus):
    first, second = ask(corpus), ask(corpus)
    assert second.learned.now == first.learned.now
    assert second.learned.losses == ()
    good(corpus, first, 5)
    third = ask(corpus)
    (told,) = third.learned.losses
    assert (told.id, third.learned.stage) == (first.recorded, "exploration")
    # paper 5 was shown at rank 5 of 6, the only good one: 1 - 1/log2(6)
    assert names(first).index(5) == 4
    assert told.metrics.loss == pytest.approx(1 - 1 / 2.584962500721156)
    assert third.learned.before == first.learned.now
    assert third.learned.initial_metrics == told.metrics
    assert told.numbers == first.learned.now


# -- what is missing ------------------------------------------------------------------------------------


def test_arxiv_is_down(archive, corpus):
    archive.faults = list(BUSY)
    with pytest.raises(SourceError, match="status 503"):
        ask(corpus)
    archive.faults = []
    ask(corpus, read=0)
    archive.faults = list(BUSY)
    found = ask(corpus)
    assert names(found)[:3] == [1, 3, 2]
    assert [note.partition(":")[0] for note in found.notes] == [
        "not all papers were fetched, those in the corpus are used",
        "not all papers were read in full, the texts in the corpus are used",
    ]  # fmt: skip
    assert [each.place for each in found.statements] == ["abstract"] * 3


def test_without_pypdfium2_abstracts_answer(corpus, monkeypatch):
    for name in [each for each in sys.modules if each.split(".")[0] == "pypdfium2"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    found = ask(corpus)
    assert "install asof with its extra `documents`" in found.notes[0]
    assert found.statements[0].place == "abstract"
    assert found.answer is not None


def test_nobody_can_record_while_another_writes(corpus):
    ask(corpus)
    corpus.store.wait = 0.01
    with exclusive_lock(corpus.store.folder / "write.lock", 1.0):
        found = ask(corpus, fetch=False)
    assert names(found)[:3] == [1, 3, 2]
    assert found.recorded == ""
    assert any(note.startswith("not recorded, nothing can be learned from it") for note in found.notes)


@pytest.mark.parametrize(
    ("given", "papers"),
    [
        ({"categories": ("cs.CL",)}, [7]),
        ({"categories": ("cs.CL", "cs.IR")}, [1, 2, 3, 4, 5, 7, 8]),
        ({"categories": ("cs",)}, [1, 2, 3, 4, 5, 7, 8]),
        ({"since": "2024-01-27"}, [1, 5]),
        ({"until": "2024-01-24"}, [3, 8]),
        ({"since": "2024-01-01", "until": "2024-01-15"}, [6]),
        ({"as_of": "2024-01-22"}, [3, 6]),
        ({"k": 1}, [1]),
    ],
)
def test_categories_and_window(corpus, given, papers):
    assert sorted(names(ask(corpus, read=0, **given))) == papers


# -- two clocks -----------------------------------------------------------------------------------------


REVISED = made(9, (18, "The lamp burns oil. A lamp of glass."), (26, "The lamp burns oil. A lamp of amber."))


def test_as_of_the_past_nothing_later_shows(archive, corpus):
    archive.papers.append(REVISED)
    archive.pdfs |= {
        "2401.00009v1": pdf("The lamp oil of glass."),
        "2401.00009v2": pdf("The lamp oil of amber."),
    }
    now = ask(corpus, k=1, until="2024-01-27")
    assert now.results.hits[0].uri.endswith("2401.00009v2")
    assert "amber" in now.statements[0].quote
    then = ask(corpus, as_of="2024-01-25", k=1)
    assert then.results.hits[0].uri.endswith("2401.00009v1")
    assert "/pdf/2401.00009v1" in requests(archive)
    assert then.statements[0].quote == "The lamp oil of glass."
    wide = ask(corpus, as_of="2024-01-25", k=9, read=9)
    for answer in (then.answer, wide.answer):
        assert answer is not None
        assert "amber" not in answer.text
        assert all("amber" not in each.quote for each in answer.citations)
    again = ask(corpus, k=1, until="2024-01-27")
    assert "amber" in again.statements[0].quote


def test_the_full_text_of_another_version_is_not_quoted(archive, corpus):
    """Of version 2 there is an abstract and no PDF: what version 1 says in full is no longer in force."""
    archive.papers = [REVISED]
    archive.pdfs["2401.00009v1"] = pdf("The lamp oil of glass.")
    then = ask(corpus, as_of="2024-01-25")
    assert then.statements[0].quote == "The lamp oil of glass."
    now = ask(corpus)
    assert now.texts is not None
    assert [each.document for each in now.texts.problems] == ["arxiv:2401.00009/full"]
    assert now.statements[0].place == "abstract"
    assert now.answer is not None
    assert "glass" not in now.answer.text


def test_as_known_then_nothing_is_fetched_and_nothing_is_learned(archive, corpus):
    """What is shown then is the subject of properties below."""
    good(corpus, ask(corpus), 5)
    second = ask(corpus)
    known = corpus.session.clock()
    good(corpus, second, 4)
    state = FeedbackLog.of(corpus).learned("papers")
    archive.asked.clear()
    then = ask(corpus, known_at=moment(known), record=False)
    assert AS_KNOWN_THEN in then.notes
    assert (archive.asked, FeedbackLog.of(corpus).learned("papers")) == ([], state)
    assert then.learned.now == second.learned.now


# -- a model --------------------------------------------------------------------------------------------


def _shape(prompt: Prompt) -> str:
    return "" if prompt.schema is None else prompt.schema.__name__


def reply(prompt: Prompt) -> str:
    """Reads questions as cs.IR of two weeks, grades what speaks of oil, and answers with the first source."""
    match _shape(prompt):
        case "WishedPapers":
            return '{"categories": ["cs.IR"], "time_range_days": 14, "max_papers": 3}'
        case "RelevanceGrade":
            return f'{{"because": "x", "grade": {3 if "oil" in prompt.user.lower() else 0}}}'
    return "The lamp burns oil [1]."


def test_a_model_reads_grades_and_answers(archive, memory_folder):
    model = ScriptedModel(reply)
    with opened(memory_folder, archive, model=model) as corpus:
        found = ask(corpus, "lamp oil", categories=(), judge=True)
        assert (found.parsed.by, found.parsed.papers, names(found)) == ("model", 3, [1, 3, 2])
        assert found.judging is not None
        assert (found.judging.judge, found.judging.graded) == ("scripted", 3)
        assert FeedbackLog.of(corpus).recorded(found.recorded).grades == (3.0, 3.0, 3.0)
        # one call to read the question, one to answer, one for each of three papers
        assert found.cost is not None
        assert found.answer is not None
        assert found.answer.cost is not None
        assert (found.cost.calls, found.answer.cost.usage.calls, found.judging.cost.calls) == (5, 1, 3)
        assert found.cost.calls == len(model.prompts)
        assert len(ask(corpus, "lamp oil", categories=()).learned.losses) == 1


@pytest.mark.parametrize("budget", [0, 600, 1_000, 1_400, 100_000])
@pytest.mark.parametrize("configured", [False, True])
def test_a_budget_holds_for_all_calls_together(archive, memory_folder, budget, configured):
    """In tokens, without prices: whatever is asked for first has its part, and the sum fits."""
    model = ScriptedModel(reply)
    settings = f"[ask]\nbudget = {float(budget)}" if configured else ""
    with opened(memory_folder, archive, settings, model=model) as corpus:
        found = ask(corpus, "lamp oil", judge=True, budget=None if configured else budget)
    assert found.cost is not None
    assert found.cost.prompt_tokens + found.cost.reply_tokens <= budget
    assert found.cost.calls == len(model.prompts) == (5 if budget == 100_000 else found.cost.calls)
    assert (found.cost.refused == 0) == (budget == 100_000)
    assert found.results.hits
    if budget == 0:
        assert (found.cost.calls, found.parsed.by) == (0, "rules")


def test_a_model_that_fails(archive, memory_folder):
    with opened(memory_folder, archive, model=ScriptedModel(lambda _: ModelError("it is asleep"))) as corpus:
        found = ask(corpus, judge=True)
    assert names(found)[:3] == [1, 3, 2]
    assert found.parsed.by == "rules"
    assert found.statements[0].quote == "Lamp oil of paper 1 is measured with a spoon."
    assert len([note for note in found.notes if "it is asleep" in note]) >= 2


def test_any_other_document_of_the_corpus_is_no_paper(corpus):
    corpus.add([Document("note", "lamp oil lamp oil", tags=("cs.IR",))])
    found = ask(corpus)
    assert all(hit.document.startswith("arxiv:") for hit in found.results.hits)
    assert all(not hit.document.endswith("/full") for hit in found.results.hits)


# -- what questions about papers leave alone: what was erased; and what they call what they read ---


def test_all_that_questions_read_in_full_is_one_source(corpus):
    ask(corpus)
    ask(corpus, k=5, read=5)
    told = {each.name: each.documents for each in corpus.status().sources}
    assert told == {"arxiv:cs.IR": 6, "arxiv: full texts": 5}
    found = corpus.at().search("spoon", source="arxiv: full texts").hits
    assert all(hit.document.endswith("/full") for hit in found)
    assert found


def test_a_full_text_that_was_erased_is_not_read_again(archive, corpus):
    ask(corpus)
    corpus.purge("arxiv:2401.00003/full")
    requests(archive)
    found = ask(corpus)
    assert names(found)[:3] == [1, 3, 2]
    assert set(requests(archive)) == {"search"}
    assert found.notes == ()
    assert [each.place for each in found.statements if each.paper.endswith("3")] == ["abstract"]
    corpus.add("arxiv:2401.00003", full=True)  # who asks for it by its id gets it
    assert [each.place for each in ask(corpus).statements] == ["Page 2"] * 3


# -- the numbers of the ranking: what was learned, what of asof.toml, and what is refused ----------


OTHER = (
    "[recipes.papers]\n"
    "combine.weights = { similarity = 0.3, freshness = 0.3, coverage = 0.3, volume = 0.1 }\n"
)


def learned_from_one(corpus: Corpus) -> str:
    """The state after a question whose fifth paper was good."""
    found = ask(corpus, read=0)
    FeedbackLog.of(corpus).grade(found.recorded, 5, 3)
    ask(corpus, fetch=False)
    return FeedbackLog.of(corpus).learned(RECIPE) or ""


def test_after_a_vacuum_the_past_is_ranked_by_the_numbers_of_asof_toml(corpus: Corpus):
    """What was learned before it is not known any more, but papers can be asked about from 2024-01-20 on."""
    learned_from_one(corpus)
    corpus.vacuum("2024-01-20")
    then = ask(corpus, fetch=False, as_of="2024-01-28")
    assert then.results.hits
    assert list(then.learned.now.values()) == [0.4, 0.25, 0.25, 0.1, 0.5, 0.05]
    assert DROPPED in then.notes
    assert DROPPED not in ask(corpus, fetch=False).notes


def test_it_begins_with_the_numbers_that_were_published(corpus: Corpus):
    notes: list[str] = []
    found, learned = learner(corpus, None, notes)
    assert list(learned.now.values()) == [0.4, 0.25, 0.25, 0.1, 0.5, 0.05]
    assert (learned.stage, learned.question, learned.losses, notes) == ("baseline", 1, (), [])
    assert FeedbackLog.of(corpus).learned(RECIPE) == json.dumps(
        {"start": [*found.setting().values()], "since": 0}
    )


def test_other_numbers_in_the_configuration_begin_anew(archive: Archive, memory_folder: Path):
    with opened(memory_folder, archive) as corpus:
        learned_from_one(corpus)
    with opened(memory_folder, archive, OTHER) as corpus:
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
def test_a_state_that_is_not_sound(corpus: Corpus, state: str):
    learned_from_one(corpus)
    FeedbackLog.of(corpus).learn_state(RECIPE, state)
    with pytest.raises(DamagedState, match="begin anew with `asof papers --forget`"):
        ask(corpus, fetch=False)
    forget(corpus)
    found = ask(corpus, fetch=False)
    assert list(found.learned.now.values()) == [0.4, 0.25, 0.25, 0.1, 0.5, 0.05]
    assert len(FeedbackLog.of(corpus).judged()) == 1


def test_forgetting_leaves_judgements_and_the_past(corpus: Corpus):
    state = learned_from_one(corpus)
    then = read("2024-01-30T01:00:00").first
    corpus.session.clock = lambda: then
    forget(corpus)
    found, learned = learner(corpus, None, [])
    assert (found.online.evaluations, learned.losses, learned.compared) == (0, (), 1)
    assert FeedbackLog.of(corpus).learned(RECIPE, moment(then - 1)) == state
    _, before = learner(corpus, moment(then - 1), [])
    assert len(before.losses) == 1


def test_a_corpus_that_cannot_be_written_to_learns_the_same(corpus: Corpus):
    corpus.store.wait = 0.01
    with exclusive_lock(corpus.store.folder / "write.lock", 1.0):
        _, blocked = learner(corpus, None, [])
    assert FeedbackLog.of(corpus).learned(RECIPE) is None
    _, again = learner(corpus, None, [])
    assert again.now == blocked.now
    assert FeedbackLog.of(corpus).learned(RECIPE) is not None


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
    with corpora.memory_folder() as folder, opened(folder) as corpus:
        corpus.add([document for each in versions for document in documents(each)])
        yield corpus


def shown(found: PaperAnswer) -> Any:
    """What a reader sees, but for what only says how it came to be."""
    hits = [(hit.id, hit.uri, hit.score, hit.why) for hit in found.results.hits]
    answer = found.answer and (found.answer.text, [replace(each, at=0) for each in found.answer.citations])
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
