"""What office documents say of themselves, and their text as it is written."""

from __future__ import annotations

import pytest

from asof.extensions.documents.office import (
    Body,
    CoreProperties,
    comment,
    list_item,
    properties_of,
    real_title,
)
from asof.extensions.documents.parts import ReadLimits, Writer


@pytest.mark.parametrize(
    "title",
    ["Untitled", "PowerPoint Presentation", "PowerPoint-Präsentation", "Présentation PowerPoint", "Dokument1",
     "Microsoft Word - letter", "Report v2.docx", "slides.ppt", "a.odt"],
)  # fmt: skip
def test_titles_that_programs_give(title):
    assert real_title(title) == ""


@pytest.mark.parametrize("title", ["Presentation of results", "Node.js", "Documents", "1.2 Scope"])
def test_titles_that_people_give(title):
    assert real_title(title) == title


def test_properties():
    said = properties_of("T", "Ann", "", " a, b;a;; ", created="2024", changed="")
    assert said == CoreProperties("T", {"author": "Ann", "tags": ["a", "b"]}, "2024", "")
    assert properties_of("", "python-docx", "", "", created="", changed="") == CoreProperties()


def test_items_and_comments():
    assert list_item(" a\nb ", 2) == "    - a\n      b"
    assert comment("", "", " a ") == "a"
    assert comment("Ann", "2024-03-05T10:00:00Z", "a") == "Ann (2024-03-05): a"


def test_only_addresses_of_the_web_are_links():
    body = Body(Writer(ReadLimits(100, 1, 1)))
    for target in ("HTTP://a", "https://b", "file:///c", "#d", "https://b", ""):
        body.link(target)
    assert list(body.links) == ["HTTP://a", "https://b"]
