"""Documents with the suffix of another format: they say what they are."""

from __future__ import annotations

import pytest
from tests.support.office_files import zipped

from asof.extensions.documents.office import corrected
from asof.extensions.documents.parts import ReadLimits, Refused
from asof.sources.readers import Unreadable, parsed
from asof.sources.source import InputLimits

LIMITS = ReadLimits(1_000, 10, 10**7)
TYPES = "[Content_Types].xml"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAIN = (
    '<Types><Default Extension="xlsx" ContentType="{}"/>'
    '<Override ContentType="application/{}.main+xml"/></Types>'
)


def office(kind: str) -> bytes:
    """An office document of this kind, which embeds a sheet."""
    return zipped({TYPES: MAIN.format(SHEET, kind)})


DOCX = office("vnd.openxmlformats-officedocument.wordprocessingml.document")
PPTX = office("vnd.openxmlformats-officedocument.presentationml.presentation")
ODT = zipped({"mimetype": "application/vnd.oasis.opendocument.text"})


@pytest.mark.parametrize(
    ("raw", "suffix", "what", "own"),
    [
        (DOCX, ".odt", "it is a Word document", ".docx"),
        (DOCX, ".epub", "it is a Word document", ".docx"),
        (office("vnd.ms-word.document.macroEnabled"), ".xlsx", "it is a Word document", ".docx"),
        (PPTX, ".xlsx", "it is a PowerPoint presentation", ".pptx"),
        (office("vnd.ms-excel.sheet.macroEnabled"), ".docx", "it is an Excel workbook", ".xlsx"),
        (ODT, ".docx", "it is an OpenDocument text", ".odt"),
        (zipped({"mimetype": "application/epub+zip\n"}), ".odt", "it is an EPUB", ".epub"),
    ],
)
def test_a_document_of_another_format_says_what_it_is(raw, suffix, what, own):
    with pytest.raises(Unreadable) as wrong:
        parsed(raw, f"a{suffix}", InputLimits())
    assert (str(wrong.value), wrong.value.remedy) == (what, f"correct its suffix: {own}")


@pytest.mark.parametrize(
    ("raw", "suffix"),
    [
        (DOCX, ".docx"),
        (DOCX, ".rtf"),
        (ODT, ".odt"),
        (zipped({"a.txt": "x"}), ".docx"),
        (zipped({"mimetype": "image/png"}), ".docx"),
        (zipped({TYPES: MAIN.format(SHEET, "x")}), ".docx"),
        (zipped({TYPES: " " * 2**21 + MAIN.format(SHEET, "vnd.ms-word.document")}), ".odt"),
        (DOCX[:60], ".odt"),
        (b"PK\x03\x04", ".odt"),
        (b"plain", ".odt"),
    ],
)
def test_what_does_not_say_so_is_refused_as_it_was(raw, suffix):
    why = Refused("it is damaged", "save it again")
    assert corrected(why, raw, suffix, LIMITS) is why


def test_a_document_without_text_is_not_called_by_another_name():
    why = Refused("there is no text in the file", empty=True)
    assert corrected(why, DOCX, ".odt", LIMITS) is why
