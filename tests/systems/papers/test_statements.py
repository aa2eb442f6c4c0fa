"""What a paper says to a question: which sentence, of which place."""

from __future__ import annotations

from pathlib import Path

from tests.support.pier_papers import opened

from asof.extensions.systems.papers import best_statements, full_text
from asof.time.moment import read
from asof.values import Document, Heading, SourcedTime


def paper(text: str, *, full: str = "", title: str = "The lamp") -> list[Document]:
    dated = SourcedTime(read("2024-01-20"), "2024-01-20", "metadata")
    found = [Document("arxiv:2401.00001", text, title, dated, uri="https://arxiv.org/abs/2401.00001v1")]
    if full:
        pages = tuple(Heading(at, 1, f"Page {n}") for n, at in enumerate((0, full.find("The oil")), 1))
        uri = "https://arxiv.org/pdf/2401.00001v1"
        found.append(Document("arxiv:2401.00001/full", full, title, dated, uri=uri, outline=pages))
    return found


def of(folder: Path, documents: list[Document], topic: str = "lamp oil") -> tuple[str, str]:
    with opened(folder) as corpus:
        corpus.add(documents)
        sources = {"arxiv:2401.00001": tuple(each.id for each in documents)}
        (found,) = best_statements(corpus.at(), topic, sources)
    return found.place, found.quote


def test_the_sentence_that_says_most_of_it(memory_folder):
    text = "The pier has a lamp and a mast. Its keeper buys the oil of the lamp. A lamp is a thing of glass."
    assert of(memory_folder, paper(text)) == ("abstract", "Its keeper buys the oil of the lamp.")


def test_of_the_full_text_with_its_page(memory_folder):
    full = "The lamp\n\nThe oil of the lamp is measured with a spoon."
    found = of(memory_folder, paper("The pier has a lamp and a mast.", full=full))
    assert found == ("Page 2", "The oil of the lamp is measured with a spoon.")


def test_neither_a_title_nor_a_heading(memory_folder):
    text = "The oil of lamps\nWe buy the oil of a lamp in spring."
    assert (
        of(memory_folder, paper(text, title="The oil of lamps"))[1] == "We buy the oil of a lamp in spring."
    )
    text = "# Lamp oil and lamps\n\nThe pier has a lamp."
    assert of(memory_folder, paper(text, title="x"))[1] == "The pier has a lamp."


def test_without_a_word_of_the_question_a_stretch(memory_folder):
    place, quote = of(memory_folder, paper("the mole, the quay, and no more"), "storm")
    assert (place, quote) == ("abstract", "the mole, the quay, and no more")


def test_the_full_text_of_a_paper():
    assert full_text("arxiv:hep-th/9901001") == "arxiv:hep-th/9901001/full"


def test_a_sentence_that_passages_part_is_whole(memory_folder):
    """Passages of 400 characters begin anywhere in a sentence."""
    filling = "The quay is long and the mole is old and nothing happens there all day. " * 5
    quote = "The oil of the QA lamp is bought in spring, when it is cheap, and the days are getting longer."
    for cut in (20, 60):
        text = f"{filling}{'x' * cut} end. {quote} {filling}"
        assert of(memory_folder, paper(text))[1] == quote
