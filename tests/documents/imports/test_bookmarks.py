"""`bookmarks:PATH`: a browser's export, with and without saved pages."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import SourceError
from asof.extensions.documents.web import MAX_DEPTH, BookmarkParser, stated_address

MARCH_2021 = 1_614_679_200  # 2 March 2021, 10:00 UTC
EXPORT = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks Menu</H1>
<DL><p>
    <DT><H3 ADD_DATE="1500000000">Harbour</H3>
    <DD>What the harbour is.
    <DL><p>
        <DT><A HREF="https://pier.example/crane" ADD_DATE="1614679200" TAGS="iron, red">The {colour} crane</A>
        <DD>Built by <Meyer> &amp; sons.
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
    assert crane.text == "Built by & sons."  # <Meyer> is a tag, as a browser reads it
    assert (crane.summary.title, crane.summary.tags) == ("The red crane", ("Harbour", "iron", "red"))
    assert crane.summary.meta == {"folder": "Harbour"}
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
    write("bookmarks.html", sound)  # which is not read again
    source = corpus.source("bookmarks:bookmarks.html")
    corpus.add(source)
    assert counts(corpus.add(source)) == {"unchanged": 3}
    assert [type(each).__name__ for each in source.documents()] == ["Unchanged"]
    changed = EXPORT.format(colour="blue").replace(' TAGS="iron, red"', ' LAST_MODIFIED="1704067200"')
    write("bookmarks.html", changed.replace('<DT><A HREF="https://undated.example/">Undated</A>', ""))
    assert counts(corpus.add("bookmarks:bookmarks.html")) == {"changed": 1, "unchanged": 1, "ended": 1}
    name = "bookmarks:https://pier.example/crane"
    assert corpus.at("2023-12-31").document(name).summary.title == "The red crane"
    assert corpus.at("2024-01-02").document(name).summary.title == "The blue crane"  # 1 January 2024


SINGLE_FILE = """<!DOCTYPE html> <html lang=en><!--
 Page saved with SingleFile
 url: https://pier.example/crane
 saved date: {} GMT+0100 (Central European Standard Time)
--><head><title>Crane</title></head><body><h1>Crane</h1><p>The jib is of oak.</p></body></html>"""
SAVED_FROM = """<!DOCTYPE html>
<!-- saved from url=(0022)https://ferry.example/ -->
<html><body><p>The ferry sails at noon.</p></body></html>"""


def test_saved_pages_give_the_texts(corpus, write, counts):
    write("bookmarks.html", EXPORT.format(colour="red"))
    write("pages/1.html", SINGLE_FILE.format("Tue Mar 01 2022 09:00:00"))
    file = write("pages/more/2.htm", SAVED_FROM)
    os.utime(file, (MARCH_2021 - 100, MARCH_2021 - 100))
    write("pages/3.html", "<html><body>Of no address.</body></html>")
    report = corpus.add("bookmarks:bookmarks.html", pages="pages")
    assert counts(report) == {"added": 3}
    hit = corpus.search("oak")[0]
    assert (hit.document, hit.title) == ("bookmarks:https://pier.example/crane", "The red crane")
    assert hit.published.text == "2022-03-01T09:00:00+01:00"  # saved a year after the bookmark was made
    assert hit.document not in [each.document for each in corpus.at("2022-02").search("oak")]
    ferry = corpus.search("noon")[0]
    assert ferry.published.text == "2021-03-02T10:00:00Z"  # saved before
    assert counts(corpus.add("bookmarks:bookmarks.html?pages=pages")) == {"unchanged": 3}


def test_a_page_that_was_saved_at_no_known_time_has_that_of_its_file(corpus, write):
    write("bookmarks.html", EXPORT.format(colour="red"))
    page = '<html><head><link rel="canonical" href="https://pier.example/crane#jib"></head><body>Oak.</body></html>'
    file = write("pages/1.html", page)
    os.utime(file, (1_704_067_200, 1_704_067_200))
    corpus.add("bookmarks:bookmarks.html", pages="pages")
    hit = corpus.search("oak")[0]
    assert (hit.published.text, hit.dated_by) == ("2024-01-01T00:00:00Z", "mtime")


def test_a_page_that_cannot_be_read_is_a_problem(corpus, write, counts):
    write("bookmarks.html", EXPORT.format(colour="red"))
    write("pages/1.html", "<!-- saved from url=(0026)https://pier.example/crane --><script>x</script>")
    report = corpus.add("bookmarks:bookmarks.html", pages="pages")
    assert counts(report) == {"added": 2, "failed": 1}
    assert "pages/1.html: there is no text in the file" in str(report.problems[0])


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
    deep = "<DL><DT><H3>a</H3>" * (MAX_DEPTH + 50) + '<DL><DT><A HREF="https://a.example/">A'
    (found,) = BookmarkParser().bookmarks(deep)
    assert len(found.folders) == MAX_DEPTH - 1  # the list of all has no name
    (found,) = BookmarkParser().bookmarks("</DL></DL>" + '<DT><A HREF="https://a.example/">A</A><DD>')
    assert (found.title, found.folders, found.about) == ("A", (), "")


def test_what_pages_say_of_their_address():
    assert stated_address("<!-- a --><!-- saved from url=(0014)about:internet -->")[0] == "about:internet"
    assert stated_address("<!--" * 100_000 + "<link rel=canonical href=x>") == ("", None)
    assert stated_address("<body><link rel=canonical href=x>") == ("", None)


@given(st.text("<>/ADLT3HREF=\"' abc&;\n", max_size=200))
def test_any_text_gives_bookmarks(text):
    for each in BookmarkParser().bookmarks(text):
        assert "" not in each.folders
