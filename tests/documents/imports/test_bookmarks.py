"""`bookmarks:PATH`: a browser's export."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import SourceError
from asof.extensions.documents.bookmarks import MAX_DEPTH, bookmarks

EXPORT = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks Menu</H1>
<DL><p>
    <DT><H3 ADD_DATE="1500000000">Harbour</H3>
    <DL><p>
        <DT><A HREF="https://pier.example/crane" ADD_DATE="1614679200" TAGS="iron, red">The {colour} crane</A>
        <DT><H3>Ferries, and buoys</H3>
        <DL><p>
            <DT><A HREF="https://ferry.example/" ADD_DATE="1614679200" ICON="data:x">Ferry times</A>
        </DL><p>
    </DL><p>
    <DT><A HREF="javascript:alert(1)" ADD_DATE="1614679200">Trick</A>
    <DT><A HREF="https://ferry.example/" ADD_DATE="1714679200">Ferry again</A>
    <DT><H3 PERSONAL_TOOLBAR_FOLDER="true">Bookmarks bar</H3>
    <DL><p>
        <DT><A HREF="https://undated.example/">Undated</A>
    </DL><p>
</DL>
"""


def test_bookmarks_with_folders_tags_and_dates(corpus, write, counts):
    write("bookmarks.html", EXPORT.format(colour="red"))
    report = corpus.add("bookmarks:bookmarks.html")
    assert counts(report) == {"added": 3}
    assert [str(each) for each in report.problems] == [
        "bookmarks.html: 1 of the bookmarks is of no page (javascript:, data:, about:, or no address)"
    ]
    crane = corpus.at().document("bookmarks:https://pier.example/crane")
    assert (crane.text, crane.summary.title) == ("The red crane", "The red crane")
    assert (crane.summary.tags, crane.summary.meta) == (("Harbour", "iron", "red"), {})
    ferry = corpus.at().document("bookmarks:https://ferry.example/")
    assert (ferry.text, ferry.summary.tags) == ("Ferry times", ("Harbour", "Ferries, and buoys"))
    hit = corpus.search("crane")[0]
    assert (hit.uri, hit.published.text, hit.dated_by) == (
        "https://pier.example/crane", "2021-03-02T10:00:00Z", "metadata",
    )  # fmt: skip
    assert corpus.at().document("bookmarks:https://undated.example/").summary.tags == ()
    assert "bookmarks:https://undated.example/" in [hit.document for hit in corpus.search("undated")]
    assert counts(corpus.add("bookmarks:bookmarks.html")) == {"unchanged": 3}


def test_what_changed_is_a_version_and_what_is_gone_ends(corpus, write, counts):
    sound = (
        EXPORT.format(colour="red")
        .replace(">Trick<", "><")
        .replace("javascript:alert(1)", "https://ferry.example/")
    )
    write("bookmarks.html", sound)
    corpus.add("bookmarks:bookmarks.html")
    assert counts(corpus.add("bookmarks:bookmarks.html")) == {"unchanged": 3}
    changed = EXPORT.format(colour="blue").replace(' TAGS="iron, red"', ' LAST_MODIFIED="1704067200"')
    write("bookmarks.html", changed.replace('<DT><A HREF="https://undated.example/">Undated</A>', ""))
    assert counts(corpus.add("bookmarks:bookmarks.html")) == {"changed": 1, "unchanged": 1, "ended": 1}
    name = "bookmarks:https://pier.example/crane"
    assert corpus.at("2023-12-31").document(name).summary.title == "The red crane"
    assert corpus.at("2024-01-02").document(name).summary.title == "The blue crane"  # 1 January 2024


def test_dates_that_cannot_be_read(corpus, write):
    dates = ("soon", "1614679200000", "-1")
    marks = (f'<DT><A HREF="https://a.example/{each}" ADD_DATE="{each}">A</A>' for each in dates)
    write("bookmarks.html", "".join(marks))
    report = corpus.add("bookmarks:bookmarks.html")
    assert report.added == 3
    for date, problem in zip(dates, report.problems, strict=True):
        assert f"bookmarks.html: https://a.example/{date}: its date cannot be read" in str(problem)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<html><body><a href='https://a.example'>A</a></body></html>", "is no export of bookmarks"),
        (b"", "is no export of bookmarks"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe\x00\x01", "export"),
    ],
)
def test_what_is_no_export_is_one_error(corpus, write, content, said):
    write("bookmarks.html", content)
    with pytest.raises(SourceError, match=said):
        corpus.add("bookmarks:bookmarks.html")


def test_deep_folders_and_lists_that_are_not_closed():
    deep = "".join(f"<DL><DT><H3>{n}</H3>" for n in range(MAX_DEPTH + 50))
    (found,) = bookmarks(f'{deep}<DL><DT><A HREF="https://a.example/">A')
    assert found.tags == tuple(map(str, range(MAX_DEPTH - 1)))  # the list of all has no name
    (found,) = bookmarks('</DL></DL><DT><A HREF="https://a.example/">A</A><DD>')
    assert (found.title, found.tags) == ("A", ())


@given(st.text("<>/ADLT3HREF=\"' abc&;\n", max_size=200))
def test_any_text_gives_bookmarks(text):
    for each in bookmarks(text):
        assert "" not in each.tags
