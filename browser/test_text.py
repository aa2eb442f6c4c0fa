"""The modules of the page that make elements of texts, called in the browser by themselves."""

from __future__ import annotations

import pytest


def of(page, module, call, *arguments):
    """The result of `call`, a function of the names of a module, in a page of the server."""
    page.goto("/")
    script = (
        f"async (given) => {{ const m = await import('/page/{module}.js'); return ({call})(m, ...given); }}"
    )
    return page.evaluate(script, list(arguments))


RENDER = """(m, text, more) => {
    const made = document.createElement("div");
    for (const part of m.rendered(text, more)) made.append(part);
    return made.innerHTML;
}"""


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("One line\nand another", "<p>One line<br>and another</p>"),
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("3. c\n4. d", '<ol start="3"><li>c</li><li>d</li></ol>'),
        ("- a\n  - b\n  - c\n- d", "<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>"),
        ("- a\n  goes on", "<ul><li>a<br>goes on</li></ul>"),
        ("1. a\n  - b", "<ol><li>a<ul><li>b</li></ul></li></ol>"),
        ("> said\n> again", "<blockquote><p>said<br>again</p></blockquote>"),
        ("> - a", "<blockquote><ul><li>a</li></ul></blockquote>"),
        ("<b onclick=x>", "<p>&lt;b onclick=x&gt;</p>"),
        ("a javascript:alert(1) b", "<p>a javascript:alert(1) b</p>"),
    ],
)
def test_blocks(page, text, html):
    assert of(page, "text", RENDER, text, {}) == html


def test_code_keeps_what_looks_like_something_else(page):
    html = of(page, "text", RENDER, "````\n```\n- no item\n\n# none\n````\n\nafter", {})
    assert "<code>```\n- no item\n\n# none</code>" in html
    assert html.endswith("<p>after</p>")


def test_a_table_without_a_rule_has_no_header(page):
    html = of(page, "text", RENDER, "| a | b |\n| 1 | 2 |", {})
    assert "<th" not in html
    assert "<tr><td>1</td><td>2</td></tr>" in html


def test_no_level_of_headings_is_left_out(page):
    """Levels 1, 4, 4, 2 of a document become 3, 4, 4, 4: below an h2, none is skipped."""
    text = "A\n\nB\n\nC\n\nD\n\nwords"
    headings = [{"offset": 3 * at, "level": level} for at, level in enumerate((1, 4, 4, 2))]
    assert of(page, "text", RENDER, text, {"headings": headings}) == (
        "<h3>A</h3><h4>B</h4><h4>C</h4><h4>D</h4><p>words</p>"
    )


def test_links_stand_once_and_in_order(page):
    links = [{"text": "cat", "href": "/?1"}, {"text": "cat", "href": "/?2"}]
    html = of(page, "text", RENDER, "A catalogue of a cat, a cat and a cat", {"links": links})
    assert html == '<p>A catalogue of a <a href="/?1">cat</a>, a <a href="/?2">cat</a> and a cat</p>'


MARK = """(m, stems, text) => m.marker(stems)(text).map(
    (part) => part.nodeName === "MARK" ? `[${part.textContent}]` : part).join("")"""


@pytest.mark.parametrize(
    ("stems", "text", "marked"),
    [
        (["fare"], "Fares and farewells", "[Fares] and farewells"),
        (["happi"], "happy, happiness", "[happy], happiness"),
        ([], "nothing", "nothing"),
        (["b"], "a b c", "a b c"),
    ],
)
def test_words_that_were_looked_for_are_marked(page, stems, text, marked):
    assert of(page, "text", MARK, stems, text) == marked


NEW_YEAR = "2022-12-31T12:30:00Z"  # in a zone ahead of UTC: the day is that of its own words


@pytest.mark.parametrize(
    ("text", "start", "end", "words"),
    [
        ("2019-01-14", "2019-01-14T00:00:00Z", "2019-01-15T00:00:00Z", "14 January 2019"),
        ("2018-05", "2018-05-01T00:00:00Z", "2018-06-01T00:00:00Z", "May 2018"),
        ("2017", "2017-01-01T00:00:00Z", "2018-01-01T00:00:00Z", "2017"),
        ("2023-01-01T01:30:00+13:00", NEW_YEAR, "2022-12-31T12:30:01Z", "1 January 2023"),
        ("Q2 2021", "2021-04-01T00:00:00Z", "2021-07-01T00:00:00Z", "Q2 2021"),
        ("15 November", "2020-11-15T00:00:00Z", "2020-11-16T00:00:00Z", "15 November 2020"),
    ],
)
def test_dates_that_documents_state(page, text, start, end, words):
    time = {"text": text, "from": start, "until": end}
    assert of(page, "dates", "(m, time) => m.stated(time)", time) == words


def test_what_has_no_date_is_undated(page):
    assert of(page, "dates", "(m) => m.stated(null)") == "undated"


@pytest.mark.parametrize(
    ("one", "name"),
    [
        ({"title": "Fares", "document": "x/y.md"}, "Fares"),
        ({"title": "", "document": "notes/ferry/Fares 2018.md"}, "Fares 2018"),
        ({"title": "", "document": "https://site.example/a/page.html?x=1"}, "page.html (site.example)"),
        ({"title": "", "document": "https://site.example/"}, "site.example"),
    ],
)
def test_names_of_documents(page, one, name):
    assert of(page, "hits", "(m, one) => m.nameOf(one)", one) == name


@pytest.mark.parametrize(
    ("headings", "address"),
    [
        (["Report", "Page 12"], "/file?document=papers%2Fa.pdf#page=12"),
        (["Report"], "/file?document=papers%2Fa.pdf"),
    ],
)
def test_a_pdf_opens_at_its_page(page, headings, address):
    call = """(m, headings) => {
        const sources = [{ name: "papers", kind: "folder", vault: "", folder: "" }];
        return m.linksTo({ document: "papers/a.pdf", uri: "" }, headings, sources)[0].getAttribute("href");
    }"""
    assert of(page, "hits", call, headings) == address


def test_an_address_that_is_no_web_address_is_no_link(page):
    call = """(m) => m.linksTo({ document: "x", uri: "javascript:alert(1)" }, [], []).length"""
    assert of(page, "hits", call) == 0


def test_values_over_years_are_a_table(page):
    """Two measures in two years; one of the four values was not found."""
    values = [
        {"name": "Firm", "measure": "sales", "period": "2020", "value": "5", "citation": 1},
        {"name": "Firm", "measure": "sales", "period": "2021", "value": "7", "citation": 2},
        {"name": "Firm", "measure": "costs", "period": "2021", "value": "6", "citation": 2},
    ]
    answer = {
        "question": "q", "answer": "a", "refused": False, "reason": "", "mode": "local", "by": "extractive",
        "as_of": "2022-01-01T00:00:00Z", "citations": [], "notes": [], "values": values,
    }  # fmt: skip
    call = """(m, answer) => [...m.answerView(answer).querySelectorAll("tr")].map(
        (row) => [...row.children].map((cell) => cell.textContent.trim()))"""
    assert of(page, "answer", call, answer) == [
        ["", "2020", "2021"],
        ["Firm: sales", "5 [1]", "7 [2]"],
        ["Firm: costs", "not found", "6 [2]"],
    ]


DIFF = """(m, a, b) => [...m.lineDiff(a, b, "").children].map(
    (row) => row.className.replace("line", "").trim() + ":" + row.textContent)"""


@pytest.mark.parametrize(
    ("before", "after", "rows"),
    [
        ("a", "a", [":a"]),
        ("a\nb", "a", [":a", "removed:−removed: b"]),
        ("a", "a\nb", [":a", "added:+added: b"]),
        ("x y z", "x y w", ["removed:−removed: x y z", "added:+added: x y w"]),
    ],
)
def test_lines_that_differ(page, before, after, rows):
    joined = of(page, "words", DIFF, before, after)
    assert joined == rows


def test_places_are_counted_in_characters(page):
    """The server counts the boat as one character, JavaScript as two."""
    text = "🛶\n\nA\n\nwords"
    html = of(page, "text", RENDER, text, {"headings": [{"offset": 3, "level": 1}], "cited": [6, 11]})
    assert html == '<p>🛶</p><h3>A</h3><div class="cited"><p>words</p></div>'


@pytest.mark.parametrize(
    "text",
    [
        "a line\n" * 100_000,
        "a paragraph\n\n" * 140_000,
        ">" * 20_000 + " deep",
        "> " * 4_000 + "deep",
        "| " + "a | " * 100_000,
        "- a\n" * 80_000,
        "".join(f"{'  ' * level}- a\n" for level in range(2_000)),
    ],
    ids=["lines", "paragraphs", "quotations", "quotations within", "cells", "items", "deep items"],
)
def test_odd_texts_take_no_time(page, text):
    """Three seconds are long: what is beyond some thousand blocks is shown as it stands."""
    call = """(m, text) => {
        const begin = performance.now(), made = m.rendered(text);
        return [made.length, performance.now() - begin];
    }"""
    count, took = of(page, "text", call, text)
    assert count > 0
    assert took < 3_000


def test_many_links_on_one_line(page):
    links = [{"text": f"w{number}", "href": f"/?{number}"} for number in range(9_000)]
    html = of(page, "text", RENDER, " ".join(link["text"] for link in links), {"links": links})
    assert html.count("<a ") == 500
    assert html.endswith(" w8999</p>")
