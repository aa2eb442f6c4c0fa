"""`feed:PATH`: RSS 2.0, RSS 1.0 and Atom; what leaves a feed stays."""

from __future__ import annotations

import gzip

import pytest

from asof.errors import SourceError
from asof.time.moment import read

RSS = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>Harbour</title><link>https://harbour.example/</link>
{}
</channel></rss>"""
FERRY = """<item><media:title>Not this</media:title><title>The ferry &amp; the quay</title>
<link>https://harbour.example/ferry</link><guid isPermaLink="false">17</guid>
<pubDate>Tue, 02 Mar 2021 10:00:00 EST</pubDate><dc:creator>A. Nowak</dc:creator>
<category>ferry</category><category>quay</category><description>Short.</description>
<content:encoded><![CDATA[<h2>Fares</h2><p>The ferry costs <b>two</b> crowns.</p>
<script>x()</script>]]></content:encoded>
</item>"""
MOLE = """<item><guid>https://harbour.example/mole</guid><pubDate>Sat, 01 May 2021 00:00:00 GMT</pubDate>
<description>The mole is mended.</description></item>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://harbour.example/">
<title>Harbour</title><author><name>B. Meyer</name></author>
<entry><id>tag:harbour.example,2021:1</id><title type="html">The &lt;i&gt;crane&lt;/i&gt;</title>
<link rel="self" href="x.atom"/><link href="/crane"/>
<published>2021-03-02T10:00:00Z</published><updated>{changed}</updated>
<category term="c" label="cranes"/>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><h3>Now</h3>
<p>It is <b>{colour}</b>.</p></div></content>
</entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://harbour.example/"><link>https://harbour.example/</link></channel>
<item rdf:about="https://harbour.example/buoy"><title>Buoy</title><link>https://harbour.example/buoy</link>
<description>A buoy &amp;amp; a bell.</description><dc:date>2020-05</dc:date></item>
</rdf:RDF>"""


def test_an_entry_of_rss(corpus, write, counts):
    write("blog.xml", RSS.format(FERRY))
    report = corpus.add("feed:blog.xml")
    assert (counts(report), report.problems) == ({"added": 1}, [])
    found = corpus.at().document("feed:https://harbour.example/#17")
    assert found.text == "Fares\n\nThe ferry costs two crowns."
    about = found.summary
    assert (about.title, about.tags) == ("The ferry & the quay", ("ferry", "quay"))
    assert about.meta == {"author": ["A. Nowak"]}
    (hit,) = corpus.search("ferry")
    assert (hit.uri, hit.place.headings) == ("https://harbour.example/ferry", ("Fares",))
    assert hit.published.span.first == read("2021-03-02T15:00:00Z").first  # five hours behind UTC
    assert hit.dated_by == "metadata"


def test_what_left_the_feed_stays_and_what_changed_is_a_version(corpus, write, counts):
    write("blog.xml", RSS.format(FERRY + MOLE))
    assert counts(corpus.add("feed:blog.xml")) == {"added": 2}
    assert counts(corpus.add("feed:blog.xml")) == {"unchanged": 2}
    write("blog.xml", RSS.format(MOLE.replace("is mended", "is sold").replace("01 May 2021", "01 May 2022")))
    assert counts(corpus.add("feed:blog.xml")) == {"changed": 1}
    assert corpus.at("2021-06").text("feed:https://harbour.example/mole") == "The mole is mended."
    assert corpus.at().text("feed:https://harbour.example/mole") == "The mole is sold."
    assert corpus.at().text("feed:https://harbour.example/#17").startswith("Fares")


def test_atom_of_two_days_in_two_files(corpus, write, counts):
    write("a.atom", ATOM.format(colour="red", changed="2021-03-02T10:00:00Z"))
    write("b.atom", ATOM.format(colour="blue", changed="2022-04-01T00:00:00Z"))
    assert counts(corpus.add("feed:a.atom")) == {"added": 1}
    assert counts(corpus.add("feed:b.atom")) == {"changed": 1}  # the same entry, changed
    name = "feed:tag:harbour.example,2021:1"
    assert corpus.at("2021-12").text(name) == "Now\n\nIt is red."
    assert corpus.at("2022-05").text(name) == "Now\n\nIt is blue."
    about = corpus.at().document(name).summary
    assert (about.title, about.tags, about.meta) == ("The crane", ("cranes",), {"author": ["B. Meyer"]})
    assert corpus.search("blue")[0].uri == "https://harbour.example/crane"


def test_rdf_and_gzip(corpus, write):
    write("buoy.rdf.gz", gzip.compress(RDF.encode(), mtime=0))
    assert corpus.add("feed:buoy.rdf.gz").added == 1
    (hit,) = corpus.search("bell")
    assert (hit.document, hit.text) == ("feed:https://harbour.example/buoy", "A buoy & a bell.")
    assert hit.published.text == "2020-05"


def test_entries_that_cannot_be_used_are_problems_with_their_lines(corpus, write, counts):
    items = [
        "<item><description>No id.</description></item>",
        "<item><guid>https://x.example/empty</guid></item>",
        "<item><guid>https://x.example/a</guid><title>A</title><pubDate>soon</pubDate></item>",
        "<item><guid>https://x.example/a</guid><title>Twice</title></item>",
        f"<item><guid>https://x.example/{'a' * 5000}</guid><title>Long</title></item>",
    ]
    write("blog.xml", RSS.format("\n".join(items)))
    report = corpus.add("feed:blog.xml")
    assert counts(report) == {"added": 1, "failed": 4}
    lines = [str(each) for each in report.problems]
    assert lines[0] == "blog.xml:5: entry 1 has neither an id nor a link (a feed names each entry by an id)"
    assert lines[1] == "blog.xml:6: entry 2 has neither a text nor a title"
    assert lines[2].startswith("blog.xml:7: its date cannot be read: 'soon' is not a time")
    assert lines[3] == "blog.xml:8: its id 'https://x.example/a' is that of an entry above; it is left out"
    assert "an id of 5,0" in lines[4]
    assert corpus.at().text("feed:https://x.example/a") == "A"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<rss><channel>", "blog.xml is no sound XML"),
        (b"<html><body/></html>", "its XML is <html>, no feed; accepted are RSS and Atom"),
        (b'<!DOCTYPE r [<!ENTITY a "b">]><rss/>', "it declares a DOCTYPE"),
        (gzip.compress(b"<rss/>", mtime=0)[:-4], "blog.xml is damaged"),
        (gzip.compress(b" " * (65 * 2**20), mtime=0), "unpacks to more than 67,108,864 bytes"),
    ],
)
def test_a_damaged_or_hostile_file_is_one_error(corpus, write, content, said):
    write("blog.xml", content)
    with pytest.raises(SourceError, match=r"blog\.xml") as refused:
        corpus.add("feed:blog.xml")
    assert said in str(refused.value)


def test_a_path_that_is_not_there(corpus):
    for path in ("lost.xml", "", "~no_such_user_here/x"):
        with pytest.raises(SourceError):
            corpus.add(f"feed:{path}")
