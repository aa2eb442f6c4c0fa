"""The page, slide, sheet and cells, or message of a quote comes out wherever answers are shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.answers import corpus_with
from tests.support.office_files import pptx, xlsx
from tests.support.small_pdf import small_pdf

from asof.cli.ask import show_answer
from asof.corpus.corpus import Corpus
from asof.extensions.adapters.retrieval import metadata
from asof.extensions.server.mcp import answer_text
from asof.wire import encode


def slide(title: str, text: str) -> str:
    shapes = (
        f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
        f"<p:txBody><a:p><a:r><a:t>{said}</a:t></a:r></a:p></p:txBody></p:sp>"
        for kind, said in (("title", title), ("body", text))
    )
    return "".join(shapes)


def rows(*lines: tuple[str, ...]) -> str:
    return "".join(
        f'<row r="{n}">'
        + "".join(
            f'<c r="{column}{n}" t="inlineStr"><is><t>{said}</t></is></c>'
            for column, said in zip("ABC", line, strict=False)
        )
        + "</row>"
        for n, line in enumerate(lines, 1)
    )


MAIL = (
    "From a@e.org Mon Mar  1 10:00:00 2021\nFrom: a@e.org\nTo: b@e.org\nSubject: Crane\n"
    "Date: Mon, 01 Mar 2021 10:00:00 +0000\nMessage-ID: <m0@e.org>\n\n"
    "The harbour crane was sold to Marta Quill for scrap.\n\n"
)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("office")
    engine = "The ferry engine was built by Bo Lind in the yard."
    wheel = "The mill wheel was repaired by Ida Holm in the spring."
    berths = (("Berth", "Crowns", "Owner"), ("North quay berth", "410", "Cato Renn"))
    files: dict[str, Any] = {
        "report.pdf": small_pdf([["Annual report of the mill"], [wheel]]),
        "talk.pptx": pptx(slide("Welcome", "A talk on boats."), slide("Engines", engine)),
        "berths.xlsx": xlsx(("Hints", rows(("Rope", "Shed"))), ("Prices", rows(*berths))),
        "mail.mbox": MAIL.encode(),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    with corpus_with(tmp_path_factory.mktemp("index"), now="2040") as corpus:
        corpus.add(folder)
        yield corpus


@pytest.mark.parametrize(
    ("question", "document", "headings", "shown"),
    [
        ("who repaired the mill wheel?", "report.pdf", ("Page 2",), "report, p. 2"),
        ("who built the ferry engine?", "talk.pptx", ("Slide 2: Engines",), "Welcome, slide 2"),
        ("who owns the north quay berth?", "berths.xlsx", ("Prices", "A1:C2"), "berths, Prices A1:C2"),
        ("to whom was the harbour crane sold?", "mail.mbox!/m0@e.org", (), "Crane, 2021-03-01"),
    ],
)
def test_a_quote_says_where_it_stands(
    office: Corpus,
    capsys: pytest.CaptureFixture[str],
    question: str,
    document: str,
    headings: Any,
    shown: str,
) -> None:
    answer = office.at().ask(question, mode="local")
    said = encode(answer)["citations"][0]
    assert (said["document"].partition("/")[2], tuple(said["headings"])) == (document, headings)
    assert said["citation"].startswith(shown)
    first = answer_text(encode(answer), 400).split("\n")[4]
    assert first.startswith(f"[{said['id']}] {shown}")
    show_answer(answer, dated=False, streamed="")
    assert shown in capsys.readouterr().out.replace("\n    ", " ")
    hit = office.at().search(question).hits[0]
    assert metadata(hit)["headings"] == list(headings)


def test_an_assistant_reads_which_cells_are_not_found(tmp_path: Path) -> None:
    with corpus_with(tmp_path) as corpus:
        corpus.add(
            [{"id": "a", "text": "The fee was 5 euros in 2019.", "title": "Fees", "published": "2020"}]
        )
        answer = corpus.at().ask("What was the fee in 2019 and 2021?", mode="local")
    lines = answer_text(encode(answer), 400).split("\n")
    assert lines[4:6] == ["2019 fee: 5 euros", "2021 fee: not found"]
