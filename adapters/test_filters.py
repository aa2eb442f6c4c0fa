"""Every form of a filter, in every library: the hits of Python, with their tags and metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.support.filter_forms import FERRY, FORMS, ONLY_ASKED, QUESTION, UNDATED, index_forms

import asof
from asof.extensions.adapters.haystack import HaystackRetriever
from asof.extensions.adapters.langchain import LangChainRetriever
from asof.extensions.adapters.llama_index import LlamaIndexRetriever
from asof.extensions.adapters.retrieval import metadata

BOUNDS = ("since", "until")


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[asof.Corpus]:
    with asof.open(index_forms(tmp_path_factory.mktemp("forms")), create=False) as corpus:
        yield corpus


Found = list[dict[str, Any]]


def by_langchain(corpus: asof.Corpus, question: str, **options: Any) -> Found:
    return [each.metadata for each in LangChainRetriever(corpus=corpus, **options).invoke(question)]


def by_llama_index(corpus: asof.Corpus, question: str, **options: Any) -> Found:
    return [each.node.metadata for each in LlamaIndexRetriever(corpus=corpus, **options).retrieve(question)]


def by_haystack(corpus: asof.Corpus, question: str, **options: Any) -> Found:
    return [each.meta for each in HaystackRetriever(corpus=corpus, **options).run(question)["documents"]]


LIBRARIES = [by_langchain, by_llama_index, by_haystack]
LIBRARY = pytest.mark.parametrize("library", LIBRARIES)


@LIBRARY
@pytest.mark.parametrize("name", FORMS)
def test_a_filter_as_an_option_and_in_the_question(
    forms: asof.Corpus, library: Callable[..., Found], name: str
) -> None:
    form = FORMS[name]
    own = [metadata(hit) for hit in forms.search(QUESTION, **form.python)]
    assert {each["document"] for each in own} == form.passing
    bounds = {key: value for key, value in form.python.items() if key in BOUNDS}
    where = {key: value for key, value in form.python.items() if key not in BOUNDS}
    assert library(forms, QUESTION, **bounds, where=where) == own
    assert library(forms, f"{QUESTION} {form.asked}".strip()) == own


@LIBRARY
@pytest.mark.parametrize("asked", ONLY_ASKED)
def test_operators_in_the_question(forms: asof.Corpus, library: Callable[..., Found], asked: str) -> None:
    own = [metadata(hit) for hit in forms.search(f"{QUESTION} {asked}")]
    assert library(forms, f"{QUESTION} {asked}") == own
    assert {each["document"] for each in own} == ONLY_ASKED[asked]


@LIBRARY
def test_when_it_has_to_hold_is_an_option(forms: asof.Corpus, library: Callable[..., Found]) -> None:
    own = [metadata(hit) for hit in forms.search(QUESTION, in_force="2020-06")]
    assert {each["document"] for each in own if each["holds"]} == {FERRY, UNDATED}
    assert library(forms, QUESTION, where={"in_force": "2020-06"}) == own
    assert not all(each["holds"] for each in library(forms, QUESTION))
