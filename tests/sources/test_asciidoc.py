"""AsciiDoc files."""

from __future__ import annotations

import pytest

from asof.sources import markups
from asof.sources.dates import dates_in
from asof.sources.readers import Unreadable, parsed
from asof.sources.source import InputLimits
from asof.values import Heading, Link

FILE = """\
////
the licence
////
= The {product} guide
Ada Lovelace <ada@e.org>; Charles Babbage
v1.2, 2024-03-05: second edition
:product: Quay
:keywords: cranes, \\
  ships
:lang: en-GB
:toc:

Intro of {product} with xref:other.adoc#part[the part], <<here,this>> and https://e.org[the web].
// a comment

[[here]]
== First *bold* section ==
.A table
[cols="1,2"]
|===
|a |b
|1 |2
|===

[source,ruby]
----
puts "{product}" # *not* bold

// no comment
----

[NOTE]
====
Mind {undefined} and {cpp}.
====

* one
+
more
** two
include::part/b.adoc[]
image::pic.png[A crane]
"""


TEXT = """\
The guide

Intro of Quay with the part, this and the web.

First bold section
A table
|a |b
|1 |2

```ruby
puts "{product}" # *not* bold

// no comment
```

NOTE:
Mind {undefined} and C++.

* one
more
** two

A crane"""


def parse(text: str):
    return markups.parse_asciidoc(text, "stem", InputLimits())


def test_a_file():
    page = parse(FILE.replace("= The {product} guide", "= The guide"))
    assert page.text == TEXT
    assert page.outline == (
        Heading(0, 1, "The guide"),
        Heading(page.text.index("First"), 2, "First bold section"),
    )
    assert page.links == (
        Link("other.adoc", "part", "the part"),
        Link("part/b.adoc", kind="embed"),
        Link("pic.png", "", "A crane", "embed"),
    )
    assert (page.title, page.language, page.tags) == ("The guide", "en", ("cranes", "ships"))
    assert page.front == {"author": "Ada Lovelace; Charles Babbage", "version": "1.2", "date": "2024-03-05"}


def test_a_title_takes_the_attributes_that_stand_before_it():
    assert parse(":product: Quay\n= The {product} guide\n").title == "The Quay guide"
    assert parse("= The {product} guide\n:product: Quay\n").title == "The {product} guide"


@pytest.mark.parametrize(
    ("line", "front"),
    [
        ("v1.2", {"version": "1.2"}),
        ("2024-03-05", {"date": "2024-03-05"}),
        ("5 March 2024: done", {"date": "5 March 2024"}),
        ("1.0, March 5, 2024", {"version": "1.0", "date": "March 5, 2024"}),
        ("rev 3, 2024-03", {"version": "3", "date": "2024-03"}),
        (":revdate: 2024-03-05", {"date": "2024-03-05"}),
        (":date: 2024-03-06\n:updated: 2024-04-01", {"date": "2024-03-06", "updated": "2024-04-01"}),
    ],
)
def test_revisions(line, front):
    assert parse(f"= T\nAda\n{line}\n\nx").front == {"author": "Ada", **front}


def test_the_date_of_the_file():
    published = dates_in(parsed(FILE.encode(), "a.adoc", InputLimits())).published
    assert published is not None
    assert published.text == "2024-03-05"


@pytest.mark.parametrize(
    ("written", "shown", "links"),
    [
        ("<<b.adoc#p,B>>", "B", [Link("b.adoc", "p", "B")]),
        ("<<part>>", "part", []),
        ("xref:1.0@comp:mod:b.adoc[B]", "B", [Link("b.adoc", "", "B")]),
        ("link:b%20c.html[B,window=_blank]", "B", [Link("b c.html", "", "B")]),
        ("link:/b.html[B]", "B", []),
        ("https://e.org[]", "https://e.org", []),
        ("snake_case_name, 2*3*4 and `code`", "snake_case_name, 2*3*4 and code", []),
        ("[.lead]#words# **b**old", "words **b**old", []),
        ("[quote, Ada, Notes]", "Ada, Notes:", []),
        ("a[[x]]b anchor:y[]c", "ab c", []),
        ("term:: meaning", "term:: meaning", []),
        ("ifdef::x[]", "", []),
    ],
)
def test_marks_and_links(written, shown, links):
    page = parse(f"x\n\n{written}\n")
    assert page.text == f"x\n\n{shown}".rstrip()
    assert list(page.links) == links


def test_attributes_of_the_body_hold_from_their_line_on_and_text_below_the_title_is_kept():
    assert parse("{a}\n:a: 1\n{a}\n:!a:\n{a}").text == "{a}\n1\n{a}"
    page = parse("= T\nIt says: something, and that.\n")
    assert (page.text, page.front) == ("T\nIt says: something, and that.", {})


def test_a_comment_that_is_never_closed_is_told():
    page = parse("a\n////\nb\n")
    (note,) = page.notes
    assert (page.text, note.message) == ("a", "a comment (////) is never closed: what follows it is not read")


def test_attributes_that_multiply_are_refused():
    """Twenty times ten: 10^20 characters."""
    lines = [":a0: x"] + [f":a{n + 1}: " + f"{{a{n}}}" * 10 for n in range(20)]
    with pytest.raises(Unreadable, match="many times as long"):
        parse("\n".join([*lines, "{a20}"]))
