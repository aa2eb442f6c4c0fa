"""Markup: pieces of a text, what a document type declares, and elements that are skipped."""

from __future__ import annotations

import pytest

from asof.sources.html_walk import declared_charset, pieces, shown


def text(source: str) -> str:
    return "".join(piece.text for piece in pieces(source))


DECLARED = '<!DOCTYPE html PUBLIC "-//W3C//DTD" "x.dtd" [\n<!ENTITY a "b">\n<!ELEMENT p ANY>\n]'


@pytest.mark.parametrize(
    "before", ["", "\n ", '<?xml version="1.0"?>\n', "<!-- a -- > [x]> -->\n<?xml-stylesheet href='a'?>"]
)
@pytest.mark.parametrize("end", [">", " \n>"])
def test_what_a_document_type_declares_is_no_text(before, end):
    assert text(f"{before}{DECLARED}{end}<p>One [1]> two").strip() == "One [1]> two"


@pytest.mark.parametrize("source", ["<!DOCTYPE html><p>a [b]> c", "<!doctype html><p>a [b]> c"])
def test_a_document_type_that_declares_nothing_ends_at_once(source):
    assert text(source) == "a [b]> c"


def test_declarations_without_end_hide_no_text():
    assert text("<!DOCTYPE html [<p>One</p>").strip() == "One"


def test_elements_that_are_skipped_end_where_they_end():
    read, skipping = [], list[str]()
    for piece in shown("a<nav>b<p>c</p><nav>d</nav>e</nav>f</p>", skipping):
        read.append(piece.text or f"{piece.kind} {piece.name}")
        skipping += ["nav"] * (piece.name == "nav")
    assert (read, skipping) == (["a", "start nav", "f", "end p"], [])


@pytest.mark.parametrize(
    ("raw", "charset"),
    [(b"<meta charset='koi8-r'>", "koi8-r"), (b"; charset = utf-8", "utf-8"), (b"<p>charset", "")],
)
def test_the_encoding_that_a_page_declares(raw, charset):
    assert declared_charset(raw) == charset
