"""The list of references of a paper: found where it is, and left where it is not sure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.small_pdf import small_pdf

from asof.extensions.documents.pdf import ReferenceSection, UncertainReferences, read, references_in
from asof.sources.source import InputLimits

BODY = [f"We cross the lake for the {n}th time and count the gulls on the mole." for n in range(60)]
LISTED = [
    line
    for n in range(12)
    for line in (
        f"[{n + 1}] I. Mole, J. Quay. Gulls of lake {n}. Journal of Lakes,",
        f"vol. {n}, pp. 3-9, {2001 + n}.",
    )
]
APPENDIX = [f"The gull number {n} sits on the quay and looks at the water." for n in range(40)]


@pytest.mark.parametrize(
    "heading",
    [
        "References", "REFERENCES", "7 References", "7. References", "VII. REFERENCES", "Bibliography",
        "R EFERENCES", "Literature Cited", "Works cited", "References and Notes", "references:",
        "A. Literature",
    ],
)  # fmt: skip
def test_headings(heading: str):
    assert references_in([*BODY, heading, *LISTED]) == ReferenceSection(60, 60 + 1 + 24)


@pytest.mark.parametrize(
    "line",
    [
        "References to gulls are many.", "See the references", "The bibliography of gulls", "References 12",
        "In the literature", "preferences",
    ],
)  # fmt: skip
def test_words_in_running_text_are_no_heading(line: str):
    assert references_in([*BODY, line, *LISTED]) is None


def test_the_last_heading_counts():
    lines = [*BODY[:40], "References", *BODY[40:], "References", *LISTED]
    assert references_in(lines) == ReferenceSection(61, 61 + 1 + 24)


def test_a_table_of_contents_names_it_too():
    assert references_in(["Contents", "References", *BODY]) is None  # among the first lines


@pytest.mark.parametrize(
    "heading",
    [
        "Appendix",
        "Appendix A. More gulls",
        "A Proofs of the lemmas",
        "B. More gulls",
        "Supplementary Material",
    ],
)
@pytest.mark.parametrize("times", [1, 4])
def test_an_appendix_stays(heading: str, times: int):
    """However long it is: with four times its lines the list stands in the first third."""
    assert references_in([*BODY, "References", *LISTED, heading, *APPENDIX * times]) == ReferenceSection(
        60, 85
    )


def test_where_the_end_is_not_told_nothing_is_cut():
    with pytest.raises(UncertainReferences, match="no heading that tells where they end"):
        references_in([*BODY, "References", *LISTED, *APPENDIX])


def test_what_does_not_look_like_references_is_not_cut():
    with pytest.raises(UncertainReferences, match="'References' does not look like references"):
        references_in([*BODY, "References", *APPENDIX])


def test_a_paper_without_a_list():
    assert references_in(BODY) is None
    assert references_in([]) is None


@given(
    st.lists(st.sampled_from([*BODY[:5], "References", *LISTED[:6], "Appendix", *APPENDIX[:4]]), max_size=120)
)
def test_what_is_found_begins_with_a_heading_that_is_not_among_the_first(lines: list[str]):
    try:
        found = references_in(lines)
    except UncertainReferences:
        return
    if found is not None:
        assert lines[found.first] == "References"
        assert int(len(lines) * 0.2) <= found.first < found.last <= len(lines)


def sheets(lines: list[str]) -> list[list[str]]:
    return [lines[at : at + 30] for at in range(0, len(lines), 30)]


def test_a_paper_is_read_without_its_list():
    lines = [*BODY, "References", *LISTED, "Appendix A. More gulls", *APPENDIX]
    file = read(small_pdf(sheets(lines)), "log", InputLimits(), references=False)
    text, outline, notes = file.text, file.outline, file.notes
    assert "Journal of Lakes" not in text
    assert "for the 59th time" in text
    assert "The gull number 0 sits" in text
    # 126 lines on five pages; the list fills lines 61 to 85, on page 3, which has some of the appendix, too
    assert [each.title for each in outline] == ["Page 1", "Page 2", "Page 3", "Page 4", "Page 5"]
    assert notes == ()


def test_a_list_that_is_left_is_told():
    raw = small_pdf(sheets([*BODY, "References", *LISTED, *APPENDIX]))
    file = read(raw, "log", InputLimits(), references=False)
    text, notes = file.text, file.notes
    assert "Journal of Lakes" in text
    assert [note.lost for note in notes] == [False]
    assert "the list of references is left in the text" in notes[0].message
