"""Org files."""

from __future__ import annotations

import pytest

from asof.documents import Heading, Link
from asof.extensions.documents.org import parse_org
from asof.sources.dates import dates_in
from asof.sources.readers import Unreadable, parsed
from asof.sources.source import InputLimits

FILE = """\
:PROPERTIES:
:ID: 1f-a
:ROAM_ALIASES: "The harbour" port
:CREATED: [2024-01-02 Tue]
:END:
#+TITLE: A *title*
#+AUTHOR: Ada
#+DATE: <2024-03-05 Tue 10:00>
#+FILETAGS: :one:two:
#+STARTUP: overview
# a comment
#+BEGIN_COMMENT
hidden
#+END_COMMENT
Intro with [[file:notes/b.org::*Part][label]], [[id:2f-b]] and [[https://e.org/][the web]].

* TODO [#A] Repair /quay/                 :work:@home:
SCHEDULED: <2024-03-06 Wed>
:LOGBOOK:
CLOCK: [2024-03-05 Tue 10:00]
:END:
| a | b |
|---+---|
| 1 | 2 |
** Code
#+BEGIN_SRC python
x = [[1]]
,* no headline
#+END_SRC
* TODO
"""


TEXT = """\
Intro with label, 2f-b and the web.

TODO [#A] Repair quay
SCHEDULED: <2024-03-06 Wed>
| a | b |
| 1 | 2 |

Code
```python
x = [[1]]
* no headline
```"""


def parse(text: str):
    return parse_org(text, "stem", InputLimits())


def test_a_file():
    page = parse(FILE)
    assert page.text == TEXT
    assert page.outline == (
        Heading(page.text.index("TODO"), 1, "Repair quay"),
        Heading(page.text.index("Code"), 2, "Code"),
    )
    assert page.links == (Link("notes/b.org", "Part", "label"), Link("2f-b"))
    assert (page.title, page.tags) == ("A *title*".replace("*", ""), ("one", "two", "work", "@home"))
    assert page.aliases == ("1f-a", "The harbour", "port")
    assert page.front == {"created": "[2024-01-02 Tue]", "author": "Ada", "date": "<2024-03-05 Tue 10:00>"}
    assert page.lines == {"created": 4, "title": 6, "author": 7, "date": 8}
    dates = dates_in(parsed(FILE.encode(), "a.org", InputLimits()))
    assert dates.published is not None
    assert (dates.published.text, dates.published.by) == ("2024-03-05 10:00", "frontmatter")
    assert dates.meta == {"created": "[2024-01-02 Tue]", "author": "Ada"}


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("[2024-03-05]", "2024-03-05"),
        ("<2024-03-05 mar. 09:30-10:00 +1w>", "2024-03-05 09:30"),
        ("March 2024", "March 2024"),
        ("\\today", None),
    ],
)
def test_dates(written, day):
    found = dates_in(parse(f"#+date: {written}\n"))
    assert (found.published.text if found.published else None, len(found.notes)) == (day, day is None)


@pytest.mark.parametrize(
    ("written", "shown", "links"),
    [
        ("[[./b.org]]", "./b.org", [Link("./b.org")]),
        ("[[../50%20x.org::#p][l]]", "l", [Link("../50%20x.org", "p", "l")]),
        ("[[*Part]]", "Part", []),
        ("[[file:/etc/x][l]]", "l", []),
        ("[[file:~/x.org]]", "~/x.org", []),
        ("[[id]]", "id", []),
        ("[[file:]]", "", []),
        ("[[a][b]", "[[a][b]", []),
        ("=code= ~v~, /usr/bin and a*b*c", "code v, /usr/bin and a*b*c", []),
    ],
)
def test_links_and_emphasis(written, shown, links):
    page = parse(f"{written}\n")
    assert page.text == shown
    assert list(page.links) == links


def test_titles_without_a_title():
    assert parse("* One\n** Two\n").title == "One"
    assert parse("* One\n* Two\n").title == "stem"


def test_what_is_never_closed_is_text():
    page = parse(":LOGBOOK:\nkept\n* A\n#+BEGIN_COMMENT\nkept too\n* B\n#+BEGIN_SRC\nx\n* C\n")
    assert page.text == ":LOGBOOK:\nkept\n\nA\n#+BEGIN_COMMENT\nkept too\n\nB\n```\nx\n```\n\nC"
    assert [heading.title for heading in page.outline] == ["A", "B", "C"]


def test_a_file_without_text_is_refused():
    with pytest.raises(Unreadable, match="no text"):
        parsed(b"# only a comment\n", "a.org", InputLimits())
