"""Evidence: sentences, whether they can hold the answer, and the best of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.answers import Looked, corpus_with, doc, looked

from asof import plugins
from asof.answer.ask import answering
from asof.answer.evidence import (
    QUOTE_CHARACTERS,
    NameUse,
    WeightedPhrase,
    document_in_time,
    document_times,
    name_use,
    quotable_sentences,
    text_names_time,
)
from asof.answer.match import LEAST, WrittenFigure, answerability, figure_shown
from asof.errors import UsageError
from asof.rank.words import largest_idf
from asof.time.moment import read
from asof.values import Amount, Answer, Citation, Heading

BOOK = "The quay is 40 metres long. The crane is red.\n\n## Dues\n\nA berth costs €12 a night in 2019."


@pytest.fixture(scope="module")
def quay(tmp_path_factory) -> Looked:
    with corpus_with(
        tmp_path_factory.mktemp("quay"),
        doc("book", "2021-03-01", BOOK, "Tallow Quay", outline=(Heading(BOOK.index("##"), 2, "Dues"),)),
        doc("crane", "2022-03-01", "The crane is blue. A berth at Tallow Quay is wet.", "Crane (FY2022)"),
        doc("undated", None, "Nobody knows how old the crane is.", "Old"),
    ) as corpus:
        return looked(corpus, "how much does a berth or the crane cost?")


def sentence(quay: Looked, begins: str):
    return next(each for each in quay.said if each.text.startswith(begins))


def hit(quay: Looked, document: str):
    return next(each for each in quay.hits if each.document == document)


def test_headings_are_no_sentences_which_come_in_the_order_of_their_hits(quay):
    assert {each.text for each in quay.said} == {
        "The quay is 40 metres long.", "The crane is red.", "A berth costs €12 a night in 2019.",
        "The crane is blue.", "A berth at Tallow Quay is wet.", "Nobody knows how old the crane is.",
    }  # fmt: skip
    order = [each.id for each in quay.hits]
    found = [order.index(each.hit.id) for each in quay.said]
    assert found == sorted(found)
    assert quotable_sentences(quay.view, ()) == []


def test_words_of_a_sentence_are_its_own_and_those_of_its_headings_then_of_its_title(quay):
    berth = sentence(quay, "A berth costs")
    assert {"berth", "cost"} <= berth.stems
    assert berth.context_stems - berth.stems == {"due"}
    assert berth.titled_stems - berth.context_stems == {"tallow", "quay"}
    assert "due" not in sentence(quay, "The crane is red").context_stems


def test_the_share_of_a_phrase_is_by_weight(quay):
    phrase = WeightedPhrase.of("berth crane zebra", quay.view)
    (_, berth), (_, crane), (_, zebra) = phrase.words
    assert berth > crane > 0  # 2 of 4 passages have a berth, 3 a crane
    assert zebra == 0.5 + largest_idf(quay.view) ** 2 >= berth  # nothing says it: as much as the rarest
    assert phrase.share(frozenset(("berth",))) == berth / (berth + crane + zebra)
    assert phrase.share(frozenset()) == 0.0
    assert phrase.share(frozenset(("berth", "crane", "zebra"))) == 1.0
    assert WeightedPhrase.of("", quay.view).share(frozenset()) == 1.0


def test_a_document_is_of_the_time_of_its_title_else_of_its_publication(quay):
    assert document_times(hit(quay, "crane")) == (read("2022"),)
    assert document_times(hit(quay, "book")) == (read("2021-03-01"),)  # 2019 is said in its text
    assert document_times(hit(quay, "undated")) == ()
    assert document_in_time(hit(quay, "crane"), read("2022"))
    assert not document_in_time(hit(quay, "book"), read("2019"))
    assert text_names_time(next(h for h in quay.hits if "€12" in h.text), read("2019"))
    assert not text_names_time(hit(quay, "crane"), read("2022"))


def test_a_name_stands_at_the_beginning_of_a_title_or_in_a_text(quay):
    book, crane = hit(quay, "book"), hit(quay, "crane")
    assert name_use(book, "Tallow Quay Ltd.") == NameUse(title=True, text=True)
    assert name_use(book, "tallow") == NameUse(title=True, text=True)
    assert name_use(book, "Quay") == NameUse(title=False, text="quay" in book.text)
    assert name_use(crane, "Tallow Quay") == NameUse(title=False, text=True)
    assert name_use(crane, "Tallow Qua") == NameUse(title=False, text=False)


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
    with corpus_with(tmp_path, *RELEASES) as corpus:
        assert corpus.at().ask(question).refused is refused


# -- the sentences that answer, as they are quoted -------------------------------------------------------

Ask = Callable[..., Answer]
WEATHER = (
    " The weather was fair all over the coast for most of the week, and few people were seen outside." * 3
)


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    def asked(question: str, *texts: str) -> Answer:
        documents = [doc(f"{at}", f"2022-0{at}-01", text, f"Note {at}") for at, text in enumerate(texts, 1)]
        with corpus_with(tmp_path, *documents) as corpus:
            return corpus.at().ask(question)

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
