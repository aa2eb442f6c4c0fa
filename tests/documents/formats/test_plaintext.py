"""reStructuredText, AsciiDoc and plain text: their blocks, headers and links."""

from __future__ import annotations

import pytest

from asof.documents import Link
from asof.extensions.documents.plaintext import parse_asciidoc, parse_plain, parse_rst
from asof.sources.source import InputLimits


def rst(text: str, stem: str = "stem"):
    return parse_rst(text, stem, InputLimits())


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("A :role:`word`, ``co_de``, *em*, **bold**, `link <http://a.b>`__ and ref_.",
         "A word, co_de, em, bold, link and ref."),
        ("See :pep:`8`, :pep:`this <8>`, :rfc:`2822` [1]_ and [Knuth]_.",
         "See PEP 8, this, RFC 2822 and Knuth."),
        ("snake_case 2*3 a|b C:\\\\dir __init__", "snake_case 2*3 a|b C:\\dir __init__"),
        (".. note:: Take care\n   of it.\n\n   And more.", "Take care\nof it.\n\nAnd more."),
        (".. image:: x.png\n   :alt: y\n\n.. contents::\n\n.. |s| replace:: t\n\n.. a comment\n   of it\n\nE",
         "E"),
        (".. code-block:: python\n   :linenos:\n\n   x = `1`\n\nEnd", "```\nx = `1`\n```\n\nEnd"),
        ("So::\n\n  a *b*\n\nEnd", "So:\n\n```\na *b*\n```\n\nEnd"),
        ("- one\n  goes on\n- two\n\n  - three\n\n1. four", "- one\n  goes on\n- two\n  - three\n1. four"),
        ("term\n  its definition\n\nalone\n  .. a comment", "term: its definition\n\nalone:"),
        (".. [1] A *note*\n   of two lines", "A note\nof two lines"),
        (".. versionadded:: 3.2\n   It is new.", "Added in version 3.2:\nIt is new."),
        ("===== =====\nName  Notes\n===== =====\na b   ``c``\n      d\ne\n===== =====",
         "| Name | Notes |\n| --- | --- |\n| a b | c d |\n| e |  |"),
        ("+---+----+\n| a | b  |\n+===+====+\n| c | d  |\n|   | e  |\n+---+----+",
         "| a | b |\n| --- | --- |\n| c | d e |"),
        (".. csv-table:: T\n   :header: a, b\n\n   c, \"d, e\"", "| a | b |\n| --- | --- |\n| c | d, e |"),
        (".. list-table::\n   :header-rows: 1\n\n   * - a\n     - b\n   * - c\n     - d",
         "| a | b |\n| --- | --- |\n| c | d |"),
        ("| a line\n| of verse", "a line\nof verse"),
    ],
)  # fmt: skip
def test_blocks_of_restructuredtext(text, plain):
    assert rst(text).text == plain


PEP = """\
PEP: 8
Title: Style Guide
Author: Guido <g@x.org>,
        Barry
Status: Active
Created: 05-Jul-2001
Post-History:

Introduction
============

See :pep:`257`.
"""


def test_a_header_of_key_value_lines():
    page = rst(PEP, "pep 0008")
    assert page.title == "PEP 8 – Style Guide"
    assert page.front == {
        "pep": 8, "author": "Guido <g@x.org>, Barry", "status": "Active", "created": "05-Jul-2001",
    }  # fmt: skip
    assert page.text.startswith(
        "PEP: 8\nAuthor: Guido <g@x.org>, Barry\nStatus: Active\n\nIntroduction\n\nSee"
    )
    assert (page.lines["status"], page.links) == (5, (Link("pep-0257"),))


@pytest.mark.parametrize(
    ("text", "title", "status"),
    [
        ("Use it\n======\n\n:Status: Final\n:Author: Ida\n\nText.", "Use it", "Final"),
        (":Status: Final\n\nAbstract\n========\n\nText.", "stem", "Final"),
        ("Use it\n======\n\nStatus\n------\n\nFinal\n\nWhy\n---\n\nText.", "Use it", "Final"),
        ("Alice: hello\nBob: hi\n\nText.", "stem", None),
    ],
)
def test_headers_are_metadata(text, title, status):
    page = rst(text)
    assert (page.title, page.front.get("status")) == (title, status)
    assert ("Status: Final" in page.text) == (status is not None)


ASCIIDOC = """\
= Use *it*
Ida Holm <i@x.org>
v1.2, 2020-03-05
:status: final
:toc:

// no
[source]
----
x = 1
----

== Why

NOTE: See link:a.adoc[the note], <<why,here>> and https://b.c[that^].

* one
** two
. three

term:: what it means

.Fees
[options="header"]
|===
|a |b
|1
|2
|===

////
no
////
"""
ASCIIDOC_TEXT = """\
author: Ida Holm
version: 1.2
status: final

Use it

```
x = 1
```

Why

NOTE: See the note, here and that.

- one
  - two
1. three

term: what it means

Fees

| a | b |
| --- | --- |
| 1 | 2 |"""


def test_asciidoc():
    page = parse_asciidoc(ASCIIDOC, "stem", InputLimits())
    assert page.title == "Use it"
    assert page.front == {"author": "Ida Holm", "version": "1.2", "date": "2020-03-05", "status": "final"}
    assert page.text == ASCIIDOC_TEXT
    assert page.links == (Link("a.adoc", "", "the note"),)


def test_the_header_of_plain_text():
    page = parse_plain("Title: Roof\nDate: 2020-01-02\nStatus: open\n\nIt leaks.\n", "stem", InputLimits())
    assert (page.title, page.front) == ("Roof", {"date": "2020-01-02", "status": "open"})
    assert page.text == "Status: open\n\nIt leaks."
