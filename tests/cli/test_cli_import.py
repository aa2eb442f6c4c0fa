"""`asof index KIND:PATH`: what is told, where it goes, what is refused before anything is made."""

from __future__ import annotations

import pytest
from tests.support.json_schema import against

RSS = (
    '<rss version="2.0"><channel><link>https://pier.example/</link>'
    "<item><guid>https://pier.example/1</guid><pubDate>Tue, 02 Mar 2021 10:00:00 GMT</pubDate>"
    "<description>The crane is {}.</description></item></channel></rss>"
)
PAGE = "<html><body><p>The jib is of {}.</p></body></html>"
SITEMAP = "<urlset>{}</urlset>"


def url(name: str) -> str:
    return f"<url><loc>https://pier.example/{name}</loc><lastmod>2021-03-02</lastmod></url>"


def test_a_feed_and_again(asof, write, here):
    write("blog.xml", RSS.format("red"))
    result = asof("index", "feed:blog.xml")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("new index in .asof\nfeed:blog.xml: 1 added; 1 new passage in ")
    assert asof("index", "feed:blog.xml").out.startswith("feed:blog.xml: 1 unchanged in ")
    write("blog.xml", RSS.format("blue"))
    told = asof("index", f"FEED:{here / 'blog.xml'}", "--json").json()
    assert told["sources"][0]["changed"] == 1
    assert against("index", told) == []
    hits = asof("search", "crane", "--json").json()["hits"]
    assert [hit["document"] for hit in hits] == ["feed:https://pier.example/1"]


def test_into_another_folder_and_from_one_below(asof, write, here, monkeypatch):
    write("exports/blog.xml", RSS.format("red"))
    (here / "corpus").mkdir()
    monkeypatch.chdir(here / "exports")
    result = asof("index", "feed:blog.xml", "--into", "../corpus")
    assert result.code == 0
    assert (here / "corpus" / ".asof").is_dir()
    assert not (here / "exports" / ".asof").exists()
    assert str(here) not in asof("status", "--index", "../corpus", "--json").out.replace(
        str(here / "corpus"), ""
    )


def test_pages_and_what_is_gone(asof, write):
    names = ["a", "b", "c", "d"]
    for name in names:
        write(f"site/{name}.html", PAGE.format(f"oak {name}"))
    write("map.xml", SITEMAP.format("".join(map(url, [*names, "lost"]))))
    result = asof("index", "sitemap:map.xml", "--set", "pages=site")
    assert result.code == 0
    assert "4 added" in result.out
    assert "1 of 5 addresses have no file below site" in " ".join(result.err.split())
    assert "4 unchanged" in asof("index", "sitemap:map.xml", "--set", "pages=site").out
    write("map.xml", SITEMAP.format(url("a")))
    result = asof("index", "sitemap:map.xml", "--set", "pages=site")
    assert result.code == 2
    assert "3 of the 4 documents of 'sitemap:map.xml' are missing" in " ".join(result.err.split())
    assert "3 removed" in asof("index", "sitemap:map.xml", "--set", "pages=site", "--yes").out


def test_an_entry_that_cannot_be_read(asof, write):
    write("blog.xml", RSS.format("red").replace("</item>", "</item><item><title>No id</title></item>"))
    result = asof("index", "feed:blog.xml")
    assert result.code == 3
    assert "blog.xml:1: entry 2 has neither an id nor a link" in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["feeds:blog.xml"], "did you mean feed?"),
        (["feed:lost.xml"], "lost.xml does not exist; the path of a file or folder is expected"),
        (["feed:."], "is no file; one that was exported or saved is expected"),
        (["feed:blog.xml", "--set", "pages=."], "pages: not for feed:...; accepted: no options"),
        (["feed:blog.xml", "--set", "pages"], "--set 'pages': NAME=VALUE is expected"),
        (["sitemap:blog.xml", "--set", "pages=lost"], "lost does not exist"),
        (["zotero:."], "holds no zotero.sqlite"),
        (["bookmarks:blog.xml"], "is no export of bookmarks"),
        (["sitemap:blog.xml"], "its XML is <rss>, no sitemap"),
        (["feed:"], "'' is no path; the path of a file or folder is expected"),
    ],
)
def test_what_is_refused(asof, write, here, arguments, said):
    write("blog.xml", RSS.format("red"))
    result = asof("index", *arguments)
    assert result.code == 2
    assert said in " ".join(result.err.split())
    assert not (here / ".asof").exists()


def test_a_hostile_feed_leaves_nothing_behind(asof, write, here):
    write("blog.xml", '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss>&x;</rss>')
    result = asof("index", "feed:blog.xml")
    assert result.code == 2
    assert "blog.xml:1: it declares a DOCTYPE, which such files do not need; do not trust it" in " ".join(
        result.err.split()
    )
    assert not (here / ".asof").exists()


def test_nothing_to_index(asof, write, here):
    write("map.xml", SITEMAP.format(""))
    result = asof("index", "sitemap:map.xml")
    assert result.code == 1
    assert "nothing was indexed, and no index is left behind" in result.err
    assert not (here / ".asof").exists()
