"""Which questions wish for what is newest, which only look so, and which way in time they look."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.lang import codes, every, of_all, tables
from asof.time.expressions import TimeExpression
from asof.time.intent import (
    DIRECTIONS,
    INSTANCE,
    NONE,
    PRESENT,
    STATE,
    WISHED,
    Cue,
    QuestionForm,
    cues,
    intent,
    kinds,
    language_of,
    mentions_termination,
    phrases,
    question_form,
    recency,
    weights,
    words_of,
)
from asof.time.span import Span

ANCHOR = datetime(2024, 5, 1, tzinfo=UTC)


def without_wishes(question: str, language: str = every("intent")) -> str:
    """The question without the words that only wish for the newest."""
    pieces, start = [], 0
    for begin, end in intent(question, language=language).wishes:
        pieces.append(question[start:begin])
        start = end
    return " ".join((*pieces, question[start:]))


def cues_of(question: str, language: str = "en") -> list[Cue]:
    return cues(question, words_of(question), phrases(language))


def form(question: str, language: str = "en") -> QuestionForm:
    return question_form(question, cues_of(question, language), (), None)


@pytest.mark.parametrize(
    "question",
    [
        "", "snow", "renewable energy", "New York", "undercurrents", "as of 1850", "news",
        "currently-unknown", "concurrent writes", "the present", "in 2024", "todays", "month", "this monthly",
        "nowhere", "knowledge now-a-days", "recentness", "Heuteborn", "jetztzeit", "up to the date",
        "the New York Times", "mill boat", "what is photosynthesis", "why do mills turn",
        "how to mend a sail",
        # the word is a noun, a name or a phrase of its own
        "what is electric current", "how do ocean currents flow", "how is electric current measured",
        "a strong current", "current and voltage", "against the current", "why do current events matter",
        "the now defunct mill", "the now silent mill", "Apocalypse Now sequel plot", "a present for Ann",
        # it is only the point of reference
        "the owner before the current owner", "predecessor of the current captain",
        "prior to the latest flood",
        # the past is asked for
        "history of the mill", "who was the first captain", "when did the mill open", "all mills ever",
        "for the first time", "when was the last time it sank", "who owned it in 1990", "the original sails",
    ],
)  # fmt: skip
def test_no_wish(question: str) -> None:
    assert recency(question) == NONE
    assert without_wishes(question) == question


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("current population of Oslo", "population of Oslo"),
        ("oslo current population", "oslo population"),
        ("What is Oslo's current population?", "What is Oslo's population?"),
        ("the current and previous owners", "the and previous owners"),
        ("is the list still current", "is the list still"),
        ("what is the most up-to-date schedule", "what is the schedule"),
        ("what happened this month?", "what happened ?"),
        ("this year's regatta", "regatta"),
        ("Latest ferry times, right now", "ferry times,"),
        ("TODAY'S menu", "menu"),
        ("the most recent release", "the release"),
        ("as it stands, who owns the mill", ", who owns the mill"),
        ("ferry times these days", "ferry times"),
        ("what's new in the harbour", "in the harbour"),
        ("which mills are now open", "which mills are open"),
        ("Did the Mill Burn Today", "Did the Mill Burn"),
        ("what is the latest on the 2015 flood", "what is the on the 2015 flood"),
        ("aktuelle Fahrpläne", "Fahrpläne"),
        ("wer leitet derzeit die Werft", "wer leitet die Werft"),
        ("gegenwärtige Preise zur Zeit", "Preise"),
        ("Neueste Fassung", "Fassung"),
        ("(now) mill", "( ) mill"),
        # an unclosed quotation mark is a character
        ('12" latest screen', '12" screen'),
        ("the mills' latest owner", "the mills' owner"),
        *((wish, "") for wish in ("latest", "  now  ", "aktuell", "current")),
    ],
)
def test_a_wish_and_what_is_left_of_the_question(question: str, rest: str) -> None:
    assert recency(question) == WISHED
    assert without_wishes(question).split() == rest.split()


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        ("who is the captain of the ferry|who's the captain|what is the depth of the harbour", STATE),
        ("what is Ann's address|where does Ann live|how many boats does she have", STATE),
        ("is he still the captain|floods in the last two weeks|when is the next regatta", STATE),
        ("will the ferry run tomorrow|wer ist der Kapitän", STATE),
        ("what are the rules|is the mill open|do you know", PRESENT),
        ("who won the last regatta|who won the regatta|how many boats did she have", INSTANCE),
        ("which boat was lost|wo wohnt Ann", INSTANCE),  # "wohnt" is in no list: read like "who won"
    ],
)
def test_a_weaker_wish_by_the_structure(questions: str, expected: float) -> None:
    for question in questions.split("|"):
        assert recency(question) == expected, question
        assert without_wishes(question) == question


@pytest.mark.parametrize(
    "quoted", ['"right now"', "“right now”", "„heute“", "„jetzt”", "«latest»", "'newest'"]
)
def test_what_is_quoted_is_left_alone(quoted: str) -> None:
    assert without_wishes(f"who sang {quoted} latest").split() == f"who sang {quoted}".split()
    assert without_wishes(quoted) == quoted


def test_a_whole_question_in_quotation_marks_is_no_quotation() -> None:
    assert intent('"what is the current depth?"').wishes == ((13, 20),)
    assert intent('"what is" the "current depth?"').wishes == ()


WISHES = {
    language: sorted(
        " ".join((first, *rest))
        for first, options in phrases(language).items()
        for rest, kind in options
        if kind.startswith("wish.") and kind != "wish.adjective"
    )
    for language in codes("intent")
}


@pytest.mark.parametrize("language", codes("intent"))
def test_every_wish_is_found_in_whatever_case_and_only_as_whole_words(language: str) -> None:
    for wish in WISHES[language]:
        for said in (wish, wish.upper(), f"mill {wish}, boat"):
            assert recency(said, language) == WISHED, said
        assert without_wishes(f"mill {wish} boat", language).split() == ["mill", "boat"]
        if " " not in wish:
            assert recency(f"x{wish}y", language) == NONE


@pytest.mark.parametrize(
    ("questions", "direction"),
    [
        ("what is the latest on the flood|who is the current captain|water level today", "recent"),
        ("who is the harbour master|wer ist der Hafenmeister|qui est le maître du port", "recent"),
        ("wer leitet derzeit die Werft", "recent"),
        ("history of the mill|when did the mill burn|what was the weather yesterday", "past"),
        ("boat race of 1990|Geschichte der Mühle", "past"),
        ("upcoming regattas|when is the next ferry|will the mill open again", "future"),
        ("regatta 2031|wann fährt die nächste Fähre", "future"),
        ("difference between a boat and a ship|how to mend a sail|who is Ada Marsh", "timeless"),
    ],
)
def test_direction(questions: str, direction: str) -> None:
    for question in questions.split("|"):
        assert intent(question, (), ANCHOR, every("intent")).direction == direction, question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("current depth in 1990", NONE),
        ("current depth in 2024", WISHED),
        ("latest on the flood of 1990", WISHED),
        ("latest depth as of 1990", WISHED),
    ],
)
def test_a_past_date_outweighs_the_wish_and_a_present_one_does_not(question: str, expected: float) -> None:
    found = intent(question, (), ANCHOR)
    assert found.recency == expected
    assert bool(found.wishes) == (expected == WISHED)
    assert intent(question).recency == WISHED  # nobody knows when this is asked


def mention(question: str, said: str, start: datetime | None, end: datetime | None) -> TimeExpression:
    at = question.index(said)
    span = Span(start, end)
    return TimeExpression(said, at, at + len(said), span, "day", "in", span)


def test_mentions_tell_where_a_date_lies() -> None:
    question = "who kept the mill in the flood week"
    april, may, june = (datetime(2024, month, 3, tzinfo=UTC) for month in (4, 5, 6))
    past = mention(question, "the flood week", april, ANCHOR)  # it ends when the question is asked
    coming = mention(question, "the flood week", may, june)
    now = mention(question, "the flood week", april, may)
    since = mention(question, "the flood week", april, None)
    assert [intent(question, (m,), ANCHOR).direction for m in (past, coming)] == ["past", "future"]
    found = [intent(question, (m,), ANCHOR).recency for m in (past, coming, now, since)]
    assert found == [NONE, STATE, STATE, STATE]
    assert intent(question, (past,)).recency == NONE


def test_a_mention_that_is_the_wish_is_no_date() -> None:
    question = "ferry times today"
    today = mention(question, "today", ANCHOR, datetime(2024, 5, 2, tzinfo=UTC))
    assert intent(question, (today,), ANCHOR) == intent(question, (), ANCHOR)


def test_reasons_name_what_decided() -> None:
    found = intent("who is the current captain of the ferry")
    assert found.reasons[0] == "current"
    assert "captain" in found.reasons
    assert intent("history of the mill").reasons[0] == "history of"
    assert intent("who is she").reasons[0] == "who + present"


def test_unknown_languages_are_read_as_english() -> None:
    assert intent("the latest depth", language="xx") == intent("the latest depth")
    assert recency("wer leitet derzeit die Werft", "en") == NONE
    assert recency("wer leitet derzeit die Werft", "fr,de") == WISHED
    assert recency("who leads the yard now", "de") == WISHED


SHAPES = (
    "who is the current {} of the {}", "what is the latest {} {}", "{} {} today", "who {} the {}",
    "history of {}", "when did the {} {}", "how many {} does the {} {}", "the {} before the current {}",
    "is {} still {}", "when is the next {}", "how to {} a {}", "{} in 1990", "the now {} {}",
    "what {} are now {}", "{} {} 2031", "how is {} current {}", "most recent {} by the {}", "why do {} {}",
    "where does {} {} these days",
)  # fmt: skip
NONSENSE = st.text("bdfglkmprvz", min_size=4, max_size=8).map(lambda word: f"{word}u")


@given(st.sampled_from(SHAPES), st.lists(NONSENSE, min_size=6, max_size=6))
def test_no_other_word_has_a_say(shape: str, words: list[str]) -> None:
    known = ["mill", "boats", "harbour"]
    gaps = shape.count("{}")
    one, other = shape.format(*known[:gaps]), shape.format(*words[:gaps])
    found, again = intent(one, (), ANCHOR), intent(other, (), ANCHOR)
    assert found.recency == again.recency
    assert found.direction == again.direction
    assert [one[slice(*wish)] for wish in found.wishes] == [other[slice(*wish)] for wish in again.wishes]


WORDS = st.sampled_from(["now", "Current", "the", "before", "’s", "2013", "in", "who", "is"])
PIECES = WORDS | st.sampled_from("'\"„- ?İß\n")


@given(
    st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=20).map("".join)),
    st.sampled_from(("en", "de", every("intent"))),
)
def test_any_text(question: str, language: str) -> None:
    found = intent(question, (), ANCHOR, language)
    assert 0 <= found.recency <= 1
    assert not found.wishes or found.recency == WISHED
    ends = [end for wish in found.wishes for end in wish]
    assert ends == sorted(ends)
    assert all(re.search(r"\w", question[start:end]) for start, end in found.wishes)
    rest = without_wishes(question)
    assert rest == question or recency(question) == WISHED


@pytest.mark.parametrize(
    "piece", ["most up ", "the the now ", "Now A ", "now 2013 ", '"', "„", "'", "’s", "a-"]
)
def test_a_very_long_text_takes_no_time(piece: str) -> None:
    question = piece * 20_000
    assert intent(question, (), ANCHOR).recency in (NONE, WISHED)
    assert without_wishes('"' * 50_001) == '"' * 50_001


# -- cues: phrases of the lists ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("most recent mill", [("wish.newest", "most recent"), ("", "mill")]),
        ("most mills", [("degree.most", "most"), ("", "mills")]),
        ("the last time", [("past.former", "the last time")]),
        ("up to date", [("wish.newest", "up to date")]),
        ("right, now", [("", "right"), ("wish.state", "now")]),  # a phrase holds no punctuation
        ("right  now", [("wish.state", "right  now")]),
        ("what’s new", [("wish.newest", "what’s new")]),
    ],
)
def test_the_longest_phrase_is_taken(question: str, found: list[tuple[str, str]]) -> None:
    assert [(cue.kind, cue.text) for cue in cues_of(question)] == found


def test_a_possessive_and_offsets_of_the_question() -> None:
    found = [(cue.word, cue.possessive, cue.start, cue.end) for cue in cues_of("Ann's boat")]
    assert found == [("ann", True, 0, 5), ("boat", False, 6, 10)]
    question = "İİ now „heute“ ẞ latest"  # the lower case of İ has two characters
    assert [question[cue.start : cue.end] for cue in cues_of(question) if cue.kind] == ["now", "latest"]


def test_kinds_of_answers() -> None:
    question = "stock price and the exchange rate of 'price'"
    found = cues(question, words_of(question), kinds("en"), every=False)
    assert [cue.text for cue in found] == ["stock", "price", "exchange rate"]
    assert {cue.kind for cue in found} == {"market"}


@pytest.mark.parametrize("language", codes("intent"))
def test_a_phrase_stands_in_one_list_and_is_written_as_it_is_read(language: str) -> None:
    for listing in (tables(language, "intent"), {"": tables(language, "answer_kinds")}):
        said = Counter(phrase for lists in listing.values() for listed in lists.values() for phrase in listed)
        assert [phrase for phrase, count in said.items() if count > 1] == []
        for phrase in said:
            words = [word + ("'s" if possessive else "") for _, _, word, possessive in words_of(phrase)]
            assert words == phrase.split()


@pytest.mark.parametrize("lists", ["intent", "answer_kinds"])
def test_languages_have_the_same_tables(lists: str) -> None:
    assert [code for code in codes(lists) if set(tables(code, lists)) != set(tables("en", lists))] == []


def test_the_language_of_a_question() -> None:
    german, english = words_of("wer war der erste Kapitän"), words_of("who was the first captain")
    assert language_of(german, "en de") == language_of(german, "de") == "de"
    assert language_of(english, "en de") == language_of(english, "de") == "en"
    assert language_of(german, "en") == language_of(german, "") == language_of(german, "model") == "en"


def test_weights_are_of_features_that_can_occur() -> None:
    kept = weights()
    assert all(len(row) == len(DIRECTIONS) for row in kept.values())
    listed = {kind for options in phrases("en").values() for _, kind in options}
    heads = {kind.split(".")[0] for kind in listed}
    asks = {kind[3:] for kind in listed if kind.startswith("wh.")} | {"whether", "keywords"}
    for name in kept:
        head, _, rest = name.partition(".")
        assert name in listed or head in heads | asks | {"any", "kind", "date", "tense"}, name
        if head == "kind" and rest:
            assert rest.split(".")[0] in tables("en", "answer_kinds")


# -- form ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("questions", "structure"),
    [
        ("who is the captain|who's the captain", "who + present"),
        ("who was the captain", "who + past"),
        ("who sails|who of all the many old white painted boats is", "who"),  # the verb is too far away
        ("which of the boats has won", "which + perfect"),
        ("what year did the mill burn", "when + past"),
        ("how many boats are lost", "quantity + present"),
        ("how to mend a sail", "to"),
        ("how long will it rain", "long + future"),
        ("does it rain", "whether + present"),
        ("did it rain", "whether + past"),
        ("will it rain", "whether + future"),
        ("the mill of my aunt|upcoming regattas|may 2013 regatta|", "keywords"),
    ],
)
def test_structure(questions: str, structure: str) -> None:
    assert {form(question).structure for question in questions.split("|")} == {structure}


def test_years() -> None:
    for word in ("1000", "2099", "2024-q1", "2024-03-05", "2019-2021"):
        assert form(f"mill {word}").sides == {"unknown"}, word
    for word in ("0999", "2100", "١٩٩٠", "199", "19900", "2000-seat", "1990s", "2024-x"):
        assert form(f"mill {word}").sides == set(), word


@pytest.mark.parametrize(
    ("question", "wishes"),
    [
        ("who wrote Harbour Today", []),
        ("who wrote it. Today", ["today"]),
        ("Who Wrote Harbour Today", ["today"]),
        ("who wrote it TODAY", ["today"]),
    ],
)
def test_a_capital_tells_a_name_where_other_words_have_none(question: str, wishes: list[str]) -> None:
    assert [cue.text for cue in form(question).wishes] == wishes


# -- words for the end of something --------------------------------------------------------------------


@pytest.mark.parametrize("words", of_all("words", "ended"))
def test_every_word_for_an_end_is_found_in_whatever_case_and_only_as_whole_words(words: str) -> None:
    assert mentions_termination(words)
    assert mentions_termination(f"The boat: {words.upper()}, they say.")
    assert not mentions_termination(f"{words}x")
    assert " " in words or not mentions_termination(f"x{words} un-{words}")


def test_what_goes_on() -> None:
    texts = ("", "The ferry leaves at seven.", "an open-ended ticket", "suspended", "the end", "longer")
    assert not any(map(mentions_termination, texts))
