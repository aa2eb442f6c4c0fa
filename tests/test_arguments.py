"""Arguments of the wrong type, in every place: an error of ours that names the argument, never another's."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

import pytest

import asof
from asof.arguments import BOUNDS, checked
from asof.errors import AsofError, UsageError
from asof.extensions.facts.indexer import facts as known_facts
from asof.queries import Filters

GOOD: dict[str, Any] = {
    "about": None, "around": "crane", "as_of": 0, "before": "1990", "do": lambda view: view.as_of,
    "document": "a", "encoder": None, "filters": Filters(), "grade": 1, "hit": 1, "known_at": None,
    "meta": (), "origin": "", "period": "2021", "published": "2021", "query_id": "q", "recipe": None,
    "question": "which crane?", "source": "", "subject": "crane", "target": "arxiv:2401.13222",
    "text": "{}", "wanted": "a",
}  # fmt: skip
OWN = {
    ("add", "source"): (),
    ("learned", "recipe"): "asof",
    ("learn_state", "recipe"): "asof",
    ("report", "about"): "",
}
WRONG: tuple[Any, ...] = (
    object(), b"raw", 5, -1, 2.5, math.nan, True, "3", "no such", "", "\0", "\ud800", [], [5], [("a",)], {},
    {"a": object()}, (), None, date(2021, 1, 1), datetime(2021, 1, 1),  # noqa: DTZ001
    datetime(2021, 1, 1, tzinfo=UTC), asof.Document, Filters,
)  # fmt: skip


def public(kind: type) -> Iterator[tuple[str, str]]:
    """Every function that can be called, with each of its arguments."""
    for name in dir(kind):
        function = getattr(kind, name)
        if not name.startswith("_") and inspect.isfunction(function) and name != "close":
            for argument in list(inspect.signature(function).parameters)[1:]:
                yield name, argument


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Some of the wrong values are good names of files, which are written into the present folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    with asof.open(tmp_path_factory.mktemp("quay")) as corpus:
        corpus.maintenance.background = False
        corpus.add([asof.Document(name, f"The crane {name} is red.", published=2021) for name in "abc"])
        yield corpus


def arguments(function: Any, name: str, corpus: asof.Corpus) -> dict[str, Any]:
    """Arguments that are right, for what has to be given."""
    others = {"other": corpus.at(), "results": corpus.search("crane"), "one": None}
    return {
        each.name: OWN.get((name, each.name), {**GOOD, **others}.get(each.name))
        for each in list(inspect.signature(function).parameters.values())
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    }


@pytest.mark.parametrize(
    ("kind", "name", "argument"),
    [(kind, *each) for kind in (asof.Corpus, asof.Snapshot) for each in public(kind)],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_a_wrong_argument_ends_in_an_error_of_ours(corpus, kind, name, argument):
    function = getattr(corpus if kind is asof.Corpus else corpus.at(), name)
    right = arguments(function, name, corpus)
    for wrong in WRONG:
        if argument == "do" and callable(wrong):  # what that raises is its own
            continue
        given = {**right, argument: wrong} if argument != "options" else {**right, "since": wrong}
        try:
            made = function(**given)
            if inspect.iscoroutine(made):
                asyncio.run(made)
        except AsofError:
            pass
        except Exception as error:
            error.add_note(f"{name}({argument}={wrong!r})")
            raise


@pytest.mark.parametrize("name", ["path", "create", "encoder", "model", "settings", "wait", "on_note"])
def test_opening_with_a_wrong_argument_ends_in_an_error_of_ours(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    for wrong in (*WRONG, "x" * 5000):
        with suppress(AsofError):
            asof.open(**{name: wrong}).close()


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda corpus: corpus.search(None), "question is None .NoneType.; accepted: a text"),
        (lambda corpus: corpus.search("crane", k="3"), "k is '3' .str.; accepted: a whole number or None"),
        (lambda corpus: corpus.search("crane", k=True), "k is True .bool."),
        (lambda corpus: corpus.search("crane", recipe=5), "recipe is 5 .int.; accepted: a text or Recipe"),
        (lambda corpus: corpus.search("crane", filters={}), "filters is {} .dict.; accepted: Filters"),
        (lambda corpus: corpus.search("crane", unit="x"), "unit is 'x'; accepted: passage, document"),
        (lambda corpus: corpus.search("crane", tags=5), "tags is 5 .int.; accepted: a text or a list"),
        (lambda corpus: corpus.search("crane", tags=[5]), "each of tags is 5"),
        (lambda corpus: corpus.search("crane", meta="x"), "meta is 'x' .str.; accepted: a mapping such as"),
        (lambda corpus: corpus.search("crane", since=object()), "is not a time: accepted are"),
        (lambda corpus: corpus.at("2023-13"), "'2023-13' is not a time"),
        (lambda corpus: corpus.at(20230101), "20230101 .int. is not a time.*datetime.fromtimestamp"),
        (lambda corpus: corpus.at().ask(b"who?"), "question is b'who.' .bytes."),
    ],
)  # fmt: skip
def test_a_message_says_what_was_given_and_what_is_accepted(corpus, ask, said):
    with pytest.raises(UsageError, match=said):
        ask(corpus)


def test_what_is_too_much_or_too_little_is_told_by_python(corpus):
    with pytest.raises(TypeError, match=r"search\(\) got an unexpected keyword argument 'limit'"):
        corpus.at().search("crane", limit=5)
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'question'"):
        corpus.search()


def test_a_function_stays_what_it_was():
    def long(of: int | None) -> int | None:
        """Its own words."""
        return of

    again = checked(long)
    assert (again.__name__, again.__doc__, inspect.signature(again)) == (
        "long",
        "Its own words.",
        inspect.signature(long),
    )
    assert again(5) == 5
    assert again(None) is None


@pytest.mark.parametrize(
    "when", [2021, date(2021, 12, 31), datetime(2021, 12, 31, 23, 59, 59, 999999, UTC), "2021"]
)
def test_a_moment_is_given_in_any_form_that_names_one(corpus, when):
    assert corpus.at(when).as_of == corpus.at("2021-12-31").as_of
    assert len(corpus.at(when).search("crane", since=2021, until=when)) == 3


def test_filters_take_one_tag_and_a_mapping(tmp_path):
    with asof.open(tmp_path) as corpus:
        corpus.add(
            {"id": "a", "text": "The crane is red.", "tags": ["quay"], "team": "x", "level": 3, "on": True}
        )
        corpus.add({"id": "b", "text": "The crane is blue.", "tags": ["q", "u", "a", "y"], "team": "y"})
        for only in ({"tags": "quay"}, {"meta": {"team": "x"}}, {"meta": {"level": 3, "on": True}}):
            assert [hit.document for hit in corpus.search("crane", **only)] == ["a"]


def test_settings_are_of_their_types():
    for wrong in (
        {"languages": 5},
        {"languages": (5,)},
        {"stem": "no"},
        {"chunking": 120},
        {"encoder": None},
    ):
        with pytest.raises(UsageError, match=f"^{next(iter(wrong))} = .* is expected"):
            asof.CorpusSettings(**wrong)


def test_a_corpus_that_was_closed_says_so(tmp_path):
    with asof.open(tmp_path) as corpus:
        corpus.add(asof.Document("a", "The crane is red."))
        then = corpus.at()
    for ask in (lambda: corpus.search("crane"), lambda: then.search("crane"), corpus.status, corpus.tidy):
        with pytest.raises(UsageError, match=r"this corpus is closed: .* open it again"):
            ask()
    corpus.close()
    assert repr(corpus) == f"Corpus({str(tmp_path)!r}, closed)"


@pytest.mark.parametrize("name", BOUNDS)
def test_a_number_lies_between_bounds(name):
    @checked
    def ask(
        k: int | None,
        most: int,
        tokens: int,
        depth: int,
        wait: float,
        budget: float,
        eta: float,
    ):
        return True

    low, high = BOUNDS[name]
    within: dict[str, Any] = dict.fromkeys(BOUNDS, 1)
    for right in (low, min(high, 10**6)):
        assert ask(**{**within, name: right})
    wrong: list[Any] = [low - 1, -(10**18), 2**63, -(10**5_000), 10**5_000, math.nan, True]
    if high < math.inf:
        wrong += [high + 1, 10**18]
    for each in wrong:
        with pytest.raises(UsageError, match=rf"^{name} is .*; accepted: ") as refused:
            ask(**{**within, name: each})
        assert len(str(refused.value)) < 200


def test_numbers_out_of_bounds_are_refused_wherever_they_are(corpus):
    then = corpus.at()
    for ask in (
        lambda: then.search("crane", 0), lambda: then.search("crane", k=1_000_001),
        lambda: then.search("crane", 2**63),
        lambda: then.why_not("a", "crane", -1), lambda: then.diff("crane", then, 10**9),
        lambda: then.timeline("crane", 0), lambda: known_facts(then, "crane", 10_001),
        lambda: then.links("a", 6),
        lambda: then.ask("crane", tokens=10**7),
        lambda: corpus.at(10**5_000),
        lambda: asof.open(corpus.root, wait=math.nan), lambda: asof.open(corpus.root, wait=-1),
        lambda: corpus.search("crane", k=1_000_001),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=r" is .*; accepted: |: 1 to 3 is accepted"):
            ask()
