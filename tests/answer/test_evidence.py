"""Evidence: sentences, whether they can hold the answer, and the best of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.answers import answered, corpus_with, doc, looked

from asof import plugins
from asof.answer.ask import answering
from asof.answer.evidence import QUOTE_CHARACTERS, WeightedPhrase
from asof.answer.match import LEAST, WrittenFigure, answerability, figure_shown
from asof.errors import UsageError
from asof.rank.words import largest_idf
from asof.values import Amount, Answer, Citation

CRANES = ("The crane is red.", "A berth by the crane.", "A berth costs €12.", "Nobody knows the old crane.")


def test_the_share_of_a_phrase_is_by_weight(memory_folder):
    """Two of four passages have a berth, three a crane."""
    with corpus_with(memory_folder, *(doc(text, None, text) for text in CRANES)) as corpus:
        view = corpus.at().view()
        phrase = WeightedPhrase.of("berth crane zebra", view)
        (_, berth), (_, crane), (_, zebra) = phrase.words
        assert zebra == 0.5 + largest_idf(view) ** 2 >= berth  # nothing says it: as much as the rarest
        assert WeightedPhrase.of("", view).share(frozenset()) == 1.0
    assert berth > crane > 0
    assert phrase.share(frozenset(("berth",))) == berth / (berth + crane + zebra)
    assert phrase.share(frozenset()) == 0.0
    assert phrase.share(frozenset(("berth", "crane", "zebra"))) == 1.0


# -- answers without the extension that reports on periods -----------------------------------------------

PRICES = (
    doc("a", "2020-03-01", "The price of the ferry is 4 euros in 2020."),
    doc("b", "2021-03-01", "The price of the ferry is 5 euros in 2021."),
)


def test_without_the_extension_sentences_answer(memory_folder, monkeypatch):
    monkeypatch.setitem(plugins.BUILT_IN, plugins.ANSWERING, {})
    assert answering() is None
    with corpus_with(memory_folder, *PRICES) as corpus:
        answer = corpus.at().ask("what was the price of the ferry in 2020?", mode="local")
        with pytest.raises(UsageError, match='mode "global" answers from reports'):
            corpus.at().ask("what happened in 2020?", mode="global")
        assert corpus.at().ask("what happened in 2020?").mode == "local"
    assert answer.citations[0].document == "a"


# -- which figure of a sentence is shown -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ticket, adult: €4.20", WrittenFigure("€4.20", Amount(4.2, "EUR"))),
        ("Pig: free", None),  # says no figure
        ("In 2016 there were rains.", None),  # a time
        ("There are 214 of them.", WrittenFigure("214", Amount(214.0, ""))),
        ("It rose to €5.40, then fell to €4.90.", None),  # two
    ],
)
def test_the_only_figure_of_a_sentence(memory_folder, text, shown):
    with corpus_with(memory_folder, doc("a", "2022-02-01", text, "Tallow Works")) as corpus:
        (said,) = looked(corpus, "tallow works").said
    assert figure_shown(said) == shown


# -- whether passages can hold the answer to a question --------------------------------------------------

ROPE, QUAY = (frozenset({"rope"}), 3.0), (frozenset({"quay"}), 1.0)


def odds(probability: float) -> float:
    return math.log(probability / (1 - probability))


@pytest.mark.parametrize(
    ("missing", "passages", "expected"),
    [
        ((), [{"quay"}, {"rope", "mill"}], 2.0 + 2.1 * math.log(0.75 + 0.05)),  # the second has 3 of 3 + 1
        (("quay",), [{"rope"}], 2.0 + 2.1 * math.log(0.75 + 0.05) - 2.6 / 2),  # one of two nothing has
        ((), [{"mill"}], 2.0 + 2.1 * math.log(0.05)),
        ((), [], 2.0 + 2.1 * math.log(0.05)),
    ],
)
def test_by_the_largest_share_of_the_words_less_what_nothing_has(missing, passages, expected) -> None:
    words = WeightedPhrase("rope quay", (ROPE, QUAY), missing)
    found = answerability(words, [frozenset(each) for each in passages])
    assert odds(found) == pytest.approx(expected)
    assert (found < LEAST) == (expected < -4)  # -4.3: a probability of .013


RELEASES = [
    doc("r", "2024-02-06", "Quill 1.22 is out with loops over integers.", "Quill 1.22"),
    doc("m", "2023-05-01", "The mill was sold.", "Mill"),
]


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        ("Which Quill editions are new in 2024?", False),
        ("Which Quill editions are new in 2023?", True),
        ("Which Quill editions are new?", True),
    ],
)
def test_a_document_of_the_time_whose_title_has_the_question_is_enough(
    tmp_path: Path, question: str, refused: bool
) -> None:
    """Of the words of the question the corpus has only the one that is the title's; nothing is of 2023."""
    assert answered(tmp_path, question, *RELEASES).refused is refused


# -- the sentences that answer, as they are quoted -------------------------------------------------------

Ask = Callable[..., Answer]
WEATHER = (
    " The weather was fair all over the coast for most of the week, and few people were seen outside." * 3
)


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    def asked(question: str, *texts: str) -> Answer:
        documents = [doc(f"{at}", f"2022-0{at}-01", text, f"Note {at}") for at, text in enumerate(texts, 1)]
        return answered(tmp_path, question, *documents)

    return asked


def emphasised(citation: Citation) -> str:
    """The part of a quote that answers."""
    first, last = citation.emphasis or (0, len(citation.quote))
    return citation.quote[first:last]


GREEN = "Why was the old lighthouse painted green?"
PAINTED = "The old lighthouse was painted green for the fair."
WANTED = "The fair wanted the lighthouse green."
LIST = "To paint the lighthouse green:\n\n- Close the gate to the rocks.\n- Mix the paint with oil.\n"
BREAD = "Prices of the bakery today.\n\n| Bread | Price |\n|---|---|\n| Rye loaf of a kilo | 3 crowns |\n"


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (GREEN, f"Ships pass the lighthouse at night.{WEATHER} {PAINTED}", PAINTED),
        (GREEN, f"{PAINTED} The fair asked for it. Nobody was told.", PAINTED),
        # questions and single words answer nothing
        (GREEN, f"{GREEN}{WEATHER} Green lighthouse.{WEATHER} {WANTED}", WANTED),
        (
            "Who paints the lighthouse green?",  # an item alone where others tell of something else
            "- Ada feeds the seven ducks.\n- Bo Lind paints the lighthouse green.\n- Cy Dunn mends nets.\n",
            "Bo Lind paints the lighthouse green.",
        ),
        (
            "Who tended the old lighthouse from 1950 to 1955?",  # one of the time first
            f"Ada Marsh tended the old lighthouse after 1970.{WEATHER} In 1950 Bo Lind moved in with dogs.",
            "In 1950 Bo Lind moved in with dogs.",
        ),
        ("Why is a rye loaf of a kilo so dear?", BREAD, "| Rye loaf of a kilo | 3 crowns |"),
    ],
)
def test_the_sentence_that_answers(ask: Ask, question: str, text: str, answer: str) -> None:
    made = ask(question, text)
    assert not made.refused
    assert emphasised(made.citations[0]) == answer
    assert len(made.citations[0].quote) <= QUOTE_CHARACTERS
    assert not any(emphasised(each).endswith("?") for each in made.citations)


@pytest.mark.parametrize(
    ("question", "text", "quote"),
    [
        (GREEN, f"{PAINTED} The fair asked for it. Nobody was told.", None),  # neighbours as far as they fit
        (
            "How is the lighthouse painted green?",  # items of a list below what introduces them
            f"{LIST}\nNobody lives in it any more today.",
            "To paint the lighthouse green: - Close the gate to the rocks. - Mix the paint with oil.",
        ),
        ("How much is a rye loaf?", BREAD, "| Bread | Price | … | Rye loaf of a kilo | 3 crowns |"),
    ],
)
def test_what_is_quoted_with_it(ask: Ask, question: str, text: str, quote: str | None) -> None:
    assert ask(question, text).citations[0].quote == (quote or text)


def test_quotes_of_one_passage_do_not_overlap(ask: Ask) -> None:
    text = (
        "The keeper paints the green lighthouse. He sings. The lighthouse is painted green in May, they say."
    )
    made = ask("Why is the lighthouse painted green?", f"{text}{WEATHER} The keeper likes green paint best.")
    quotes = [each.quote for each in made.citations]
    assert sum("He sings." in each for each in quotes) == 1
