"""Tokens, stems and hashes of words."""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.growth import is_linear

import asof
from asof.errors import UsageError
from asof.text.tokens import Analyzer, algorithms, spans, term_hash, tokenize

WORDS = st.text(alphabet=st.sampled_from("aZé ß'’.,-_0123東京ガ한Žİ\"\n+#v"), max_size=40)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \n… — !", []),
        ("Žižek, naïve", ["žižek", "naïve"]),
        ("don't don’t DON'T", ["don't"] * 3),
        ("the dog's bone, the dogs' bones", ["the", "dog", "bone", "the", "dogs", "bones"]),
        ("O'Brien's 'quoted' words", ["o'brien", "quoted", "words"]),
        ("3.15.5 or v3.15.5, not 3.15.6.", ["3.15.5", "or", "3.15.5", "not", "3.15.6"]),
        ("1,200 1,234,567.89 3,14 6.1", ["1200", "1234567.89", "3,14", "6.1"]),
        ("v1 and via", ["v1", "and", "via"]),
        ("2024-03-01 at 12:30", ["2024", "03", "01", "at", "12", "30"]),
        ("C++ C++11 C# .NET asp.net a.net", ["c++", "c++", "11", "c#", ".net", "asp", "net", "a", "net"]),
        ("state-of-the-art snake_case _x_", ["state", "of", "the", "art", "snake", "case", "x"]),
        ("Straße ﬁne İstanbul co\u00adop", ["strasse", "fine", "istanbul", "coop"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("東京タワー 京 3回 한국어", ["東京", "京タ", "タワ", "ワー", "京", "3", "回", "한국", "국어"]),
        ("❤️ \u0301", []),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@given(st.text(max_size=60) | WORDS)
def test_composed_and_decomposed_texts_have_the_same_tokens(text: str) -> None:
    assert tokenize(normalize("NFD", text)) == tokenize(normalize("NFC", text))
    assert all(tokenize(text))


@example("0’¹")  # a raised figure is no letter behind an apostrophe
@given(st.text(alphabet=st.characters(max_codepoint=0xFF) | st.sampled_from("’“”–—…€"), max_size=60))
def test_the_fast_ways_find_what_the_general_one_does(text: str) -> None:
    assert [*tokenize(text), "京"] == tokenize(text + " 京")


@given(WORDS)
def test_spans_hold_the_same_tokens_where_they_stand(text: str) -> None:
    found = list(spans(text))
    assert [token for *_, tokens in found for token in tokens] == tokenize(text)
    assert all(0 <= start < end <= len(text) for start, end, _ in found)
    assert all(tokenize(text[start:end]) == list(tokens) for start, end, tokens in found)


def test_spans_of_decomposed_hangul_cover_the_word() -> None:
    text = normalize("NFD", "한국어")
    assert list(spans(text)) == [(0, len(text), ("한국", "국어"))]


@pytest.mark.parametrize(
    "piece", ["a", "1.", "1,", "a'", "'", ".", "c+", "_", "東", "e\u0301", "\u0301", "İ"]
)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    assert is_linear(lambda n: tokenize(piece * (n // len(piece))), 5_000)
    assert is_linear(lambda n: list(spans(piece * (n // len(piece)))), 5_000)


def test_terms_are_stems_and_numbers_with_digits_are_left_alone() -> None:
    analyzer = Analyzer()
    assert analyzer.terms("The runners were running 6.1 times, mp3s", "en") == [
        *("the", "runner", "were", "run", "6.1", "time", "mp3s")
    ]
    assert Analyzer(stem=False).terms("The runners", "en") == ["the", "runners"]
    assert analyzer.terms("", "en") == []


@given(st.lists(WORDS, max_size=5), st.booleans())
def test_numbers_stand_for_the_hashes_of_the_terms(texts: list[str], stem: bool) -> None:
    analyzer = Analyzer(("en", "de"), stem)
    for text in texts:
        for language in analyzer.languages:
            numbers = analyzer.ids(text, language)
            expected = [term_hash(term) for term in analyzer.terms(text, language)]
            assert analyzer.hashes()[numbers].tolist() == expected if numbers else not expected


def test_term_hash_is_blake2b() -> None:
    digest = blake2b("žižek".encode(), digest_size=8).digest()
    assert term_hash("žižek") == sum(byte << (8 * place) for place, byte in enumerate(digest))


def test_tables_are_emptied_only_when_they_are_large() -> None:
    analyzer = Analyzer()
    analyzer.ids("one two three", "en")
    assert not analyzer.reset_if_large(3)
    assert analyzer.reset_if_large(2)
    assert len(analyzer.hashes()) == 0
    assert analyzer.ids("three", "en") == [0]
    assert analyzer.hashes().tolist() == [term_hash("three")]


def test_the_language_with_most_stop_words_is_found_and_ties_go_to_the_first() -> None:
    analyzer = Analyzer(("en", "de", "fr"))
    assert analyzer.detect("Der Hund und die Katze sind nicht im Haus") == "de"
    assert analyzer.detect("le chat est sur la table avec le chien") == "fr"
    assert analyzer.detect("The dog and the cat") == "en"
    assert analyzer.detect("Zürich 2024") == "en"
    assert analyzer.detect("") == "en"
    # only the first 200 tokens count
    assert analyzer.detect("x " * 200 + "der die das und") == "en"
    assert analyzer.detect("x " * 196 + "der die das und") == "de"
    assert Analyzer(("ru",)).detect("the and of") == "ru"


def test_alternatives_are_the_distinct_stems_in_the_order_of_the_languages() -> None:
    assert Analyzer(("en", "de")).alternatives("running") == ("run", "running")
    assert Analyzer(("de", "en")).alternatives("running") == ("running", "run")
    assert Analyzer(("en", "de")).alternatives("6.1") == ("6.1",)


@pytest.mark.parametrize("languages", [("xx",), (), ("en", "English")])
def test_unknown_languages_are_refused_with_the_accepted_ones(languages: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=r"accepted are .*\bde\b.*\ben\b"):
        Analyzer(languages)


def test_a_language_that_was_not_chosen_is_refused() -> None:
    for ask in (Analyzer().ids, Analyzer().terms, Analyzer().stem):
        with pytest.raises(UsageError, match="not among those of this corpus: en"):
            ask("word", "de")


def test_every_accepted_language_works() -> None:
    analyzer = Analyzer((*algorithms(), "en"))
    assert len(analyzer.languages) == len(algorithms())
    for language in analyzer.languages:
        assert len(analyzer.terms("one deux drei четыре", language)) == 4


# -- cPython 3.11.0 to 3.11.4 (Debian 12 has 3.11.2) loops for ever on possessive quantifiers of gro------

POSSESSIVE_GROUP = re.compile(r"(?<!\\\\)\)(?:[*+?]|\{\d*,?\d*\})\+")


def test_no_pattern_has_a_possessive_group() -> None:
    assert POSSESSIVE_GROUP.search(r"(?:ab)*+")
    assert not POSSESSIVE_GROUP.search(r"(?>(?:ab)*)[a-z]*+")
    sources = Path(asof.__file__).parent.rglob("*.py")
    found = [
        f"{path.name}: {line.strip()}"
        for path in sources
        for line in path.read_text(encoding="utf-8").splitlines()
        if POSSESSIVE_GROUP.search(line) and not line.lstrip().startswith("#")
    ]
    assert found == []
