"""What is stale, judged: verdicts and diffs, the cache, budgets, erased texts, nothing that came later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.corpora import Clock
from tests.support.stale_flags import flag, judging, pairs_in

import asof
from asof.corpus.corpus import Corpus
from asof.data import Document
from asof.data.stale import LINK, Stale
from asof.errors import ModelError, UsageError
from asof.models.scripted import ScriptedModel
from asof.stale.shown_pairs import LONGEST, NOT_THERE, TOO_LONG

OLD = "# Plans\n\nZero. One. Two. The free plan has 10 GB. Three. Four. Five.\n"
TEN, FIFTY = ("plans.md", "The free plan has 10 GB."), ("prices.md", "The free plan has 50 GB.")
BOILER, HEATER = (
    ("boiler.md", "The boiler is checked in May."),
    ("heater.md", "The heater is checked in June."),
)


def said(pair: dict[str, Any]) -> dict[str, Any]:
    if "boiler" in pair["older"]["sentence"]:
        return {"verdict": "unrelated", "replacement": "The boiler is checked in June."}
    return {"verdict": "outdated", "replacement": pair["newer"]["sentence"]}


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(judging(said))


@pytest.fixture
def corpus(memory_folder: Path, model: ScriptedModel) -> Iterator[Corpus]:
    with asof.open(memory_folder, model=model) as corpus:
        corpus.session.clock = Clock.at("2025")
        corpus.maintenance.background = False
        corpus.add([
            Document("plans.md", OLD, "Our plans", published="2021-03-01"),
            Document("prices.md", FIFTY[1], "Prices", published="2023-04-11"),
            Document("boiler.md", BOILER[1], published="2021"),
            Document("heater.md", HEATER[1], published="2022-01"),
        ])  # fmt: skip
        yield corpus


def flags(corpus: Corpus) -> list[Stale]:
    then = corpus.at()
    return [flag(then, TEN, FIFTY), flag(then, BOILER, HEATER)]


def calls(corpus: Corpus) -> int:
    db = corpus.store.reader()
    try:
        return int(db.execute("SELECT count(*) FROM calls").fetchone()[0])
    finally:
        db.close()


def test_verdicts_reasons_and_diffs(corpus: Corpus) -> None:
    link = flag(corpus.at(), BOILER, FIFTY, LINK)
    found = corpus.at().judged_stale([link, *flags(corpus)])
    first, second = found.flags
    assert (first.stale, first.verdict) == (link, None), "links are not judged"
    assert second.verdict is not None
    assert (second.verdict.verdict, second.verdict.reason) == ("outdated", "so it is")
    lines = second.verdict.diff.splitlines()
    assert lines[:2] == ["--- plans.md", "+++ plans.md"]
    assert lines[-2:] == [
        "-Zero. One. Two. The free plan has 10 GB. Three. Four. Five.",
        "+Zero. One. Two. The free plan has 50 GB. Three. Four. Five.",
    ]
    assert found.notes == ("1 of 2 was judged unrelated and left out",)
    assert found.cost.calls >= 1
    assert corpus.at().text("plans.md") == OLD, "nothing is applied"


def test_what_is_shown(corpus: Corpus, model: ScriptedModel) -> None:
    corpus.at().judged_stale(flags(corpus)[:1])
    (prompt,) = model.prompts
    assert pairs_in(prompt) == [{
        "number": 1,
        "older": {
            "title": "Our plans", "since": "2021-03-01", "before": ["One.", "Two."], "sentence": TEN[1],
            "after": ["Three.", "Four."],
        },
        "newer": {"title": "Prices", "since": "2023-04-11", "before": [], "sentence": FIFTY[1], "after": []},
    }]  # fmt: skip
    assert len(prompt.passages) == 2


def test_the_second_time_nothing_is_asked(corpus: Corpus, model: ScriptedModel) -> None:
    first = corpus.at().judged_stale(flags(corpus))
    asked = len(model.prompts)
    again = corpus.at("2024-12").judged_stale(flags(corpus))
    assert (again.flags, again.notes) == (first.flags, first.notes)
    assert (len(model.prompts), again.cost.calls, again.cost.cached) == (asked, 0, asked)


def test_replies_go_with_their_passages(corpus: Corpus) -> None:
    found = flags(corpus)[:1]
    corpus.at().judged_stale(found)
    assert calls(corpus) == 1
    corpus.purge("prices.md")
    assert calls(corpus) == 0
    assert corpus.at().judged_stale(found).notes == (f"1 of 1 was not judged: {NOT_THERE}",)


def test_nothing_that_came_later_is_in_a_prompt(corpus: Corpus, model: ScriptedModel) -> None:
    later = flags(corpus)
    corpus.add(Document("plans.md", OLD.replace("Three", "Secret"), "Secret plans", published="2024-06"))
    found = corpus.at("2022-06-01").judged_stale([*later, flag(corpus.at(), TEN, FIFTY)])
    assert not any("50 GB" in each.user or "Secret" in each.user for each in model.prompts)
    assert f"1 of 2 was not judged: {NOT_THERE}" in found.notes
    then = corpus.at("2024-01")
    then.judged_stale([flag(then, TEN, FIFTY)])
    assert "Our plans" in model.prompts[-1].user
    assert not any("Secret" in each.user for each in model.prompts)


def test_replies_of_no_use_are_no_verdicts(corpus: Corpus, model: ScriptedModel) -> None:
    model.script = lambda prompt: "it is outdated" if "10 GB" in prompt.user else judging(said)(prompt)
    found = corpus.at().judged_stale(flags(corpus))
    assert [each.verdict for each in found.flags] == [None]
    assert found.notes[0].startswith("1 of 2 was not judged: the reply is no PairVerdicts, asked twice")


def test_a_budget(corpus: Corpus, model: ScriptedModel) -> None:
    found = corpus.at().judged_stale(flags(corpus), budget=1)
    assert found.notes == ("2 of 2 were not judged: the budget is used up",)
    assert (len(found.flags), len(model.prompts)) == (2, 0)
    corpus.session.config = corpus.config.__class__(asking=corpus.config.asking.__class__(budget=1))
    assert corpus.at().judged_stale(flags(corpus)).cost.refused >= 1


def test_a_sentence_that_is_too_long(corpus: Corpus, model: ScriptedModel) -> None:
    long = ("long.md", "word " * LONGEST + "end.")
    corpus.add(Document(long[0], long[1], published="2021"))
    one = flag(corpus.at(), TEN, FIFTY)
    long_one = Stale("value", 0.5, one.quote.__class__(
        "long.md", "", one.quote.passage, long[1], 0, len(long[1]), one.quote.since
    ), one.by, one.cause, "", one.explain)  # fmt: skip
    assert corpus.at().judged_stale([long_one]).notes == (f"1 of 1 was not judged: {TOO_LONG}",)
    assert model.prompts == []


def test_errors(corpus: Corpus, model: ScriptedModel, tmp_path: Path) -> None:
    model.script = lambda _: ModelError("wrong key")
    with pytest.raises(ModelError, match="wrong key"):
        corpus.at().judged_stale(flags(corpus))
    with asof.open(tmp_path) as other:
        other.add(Document("a", "b"))
        with pytest.raises(UsageError, match=r"no language model is named .* \[model\] with url"):
            other.at().judged_stale([])
