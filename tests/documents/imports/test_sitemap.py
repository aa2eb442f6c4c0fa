"""`sitemap:PATH`: addresses of a sitemap with the texts of saved pages."""

from __future__ import annotations

import pytest

from asof.errors import SourceError
from asof.extensions.documents.web import file_of

SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{}
</urlset>"""


def url(path: str, date: str = "") -> str:
    changed = f"<lastmod>{date}</lastmod>" if date else ""
    return f"<url><loc>https://pier.example{path}</loc>{changed}</url>"


def page(text: str) -> str:
    return f"<html><title>Pier</title><body><h1>Pier</h1><p>{text}</p></body></html>"


@pytest.fixture
def site(write):
    write("site/a/b.html", page("The crane is red."))
    write("site/c/index.html", page("The mole is long."))
    write("site/d", page("A page without a suffix."))
    write("site/e.html", page("No date."))
    urls = [url("/a/b", "2021-03-02"), url("/c/", "2020-05-01T10:00:00Z"), url("/d", "2019"), url("/e")]
    return write("sitemap.xml", SITEMAP.format("\n".join([*urls, url("/lost"), url("/gone?id=7")])))


def test_pages_by_address_and_date(corpus, site, counts):
    report = corpus.add("sitemap:sitemap.xml", pages="site")
    assert counts(report) == {"added": 4}
    (problem,) = report.problems
    assert str(problem) == (
        "sitemap.xml: 2 of 6 addresses have no file below site, the first is https://pier.example/lost"
        " (save these pages there: /a/b as a/b.html or a/b/index.html)"
    )
    hit = corpus.search("crane")[0]
    assert (hit.document, hit.uri) == ("sitemap:https://pier.example/a/b", "https://pier.example/a/b")
    assert (hit.published.text, hit.dated_by, hit.place.headings) == ("2021-03-02", "metadata", ("Pier",))
    assert corpus.at().text("sitemap:https://pier.example/d") == "Pier\nA page without a suffix."
    assert counts(corpus.add("sitemap:sitemap.xml?pages=site")) == {"unchanged": 4}


def test_a_new_lastmod_is_a_version_and_what_is_gone_ends(corpus, site, write, counts):
    corpus.add("sitemap:sitemap.xml", pages="site")
    write("site/a/b.html", page("The crane is blue."))
    urls = [url("/a/b", "2022-03-02"), url("/c/", "2020-05-01T10:00:00Z"), url("/d", "2019")]
    write("sitemap.xml", SITEMAP.format("\n".join(urls)))
    again = counts(corpus.add("sitemap:sitemap.xml", pages="site"))
    assert again == {"changed": 1, "unchanged": 2, "ended": 1}
    name = "sitemap:https://pier.example/a/b"
    assert corpus.at("2021-12").text(name) == "Pier\nThe crane is red."
    assert corpus.at("2022-04").text(name) == "Pier\nThe crane is blue."


def test_a_page_that_cannot_be_read_keeps_what_is_stored(corpus, site, write, counts):
    corpus.add("sitemap:sitemap.xml", pages="site")
    write("site/a/b.html", "")
    report = corpus.add("sitemap:sitemap.xml", pages="site")
    assert counts(report) == {"unchanged": 3, "failed": 1}
    assert "site/a/b.html: the file is empty" in str(report.problems[0])
    assert corpus.at().text("sitemap:https://pier.example/a/b").endswith("red.")


def test_a_date_that_cannot_be_read(corpus, write):
    write("x.html", page("A quay."))
    write("sitemap.xml", SITEMAP.format(url("/x", "yesterday")))
    report = corpus.add("sitemap:sitemap.xml")  # the pages lie beside it
    assert report.added == 1
    (problem,) = report.problems
    assert str(problem).startswith("sitemap.xml:3: its lastmod cannot be read: 'yesterday'")


def test_where_a_page_may_be_saved(folder, write):
    for path in ("a/b.html", "a/b/index.html", "h.example/c.html", "index.html", "q?id=1.html", "f.pdf"):
        write(path, "x")
    (folder / "out").symlink_to("/etc/hostname")

    def found(address: str) -> str | None:
        path = file_of(address, folder)
        return path.relative_to(folder.resolve()).as_posix() if path else None

    assert found("https://h.example/a/b") == "a/b.html"
    assert found("https://h.example/c") == "h.example/c.html"
    assert found("https://h.example") == found("https://h.example/#top") == "index.html"
    assert found("https://h.example/q?id=1") == "q?id=1.html"
    assert found("https://h.example/q?id=2") is None
    assert found("https://h.example/f.pdf") == "f.pdf"
    for address in (
        "https://h.example/out", "https://h.example/%2e%2e/a/b", "https://h.example/..%2Fa", "https://../lost",
        "https://h.example/\0", "https://[::1/a", f"https://h.example/{'a' * 9000}",
    ):  # fmt: skip
        assert found(address) is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<sitemapindex><sitemap/></sitemapindex>", "lists sitemaps, and no pages: import each of these"),
        ("<rss/>", "its XML is <rss>, no sitemap"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><urlset/>', "it declares a DOCTYPE"),
        ("<urlset>", "is no sound XML"),
    ],
)
def test_what_is_no_sitemap_is_one_error(corpus, write, content, said):
    write("sitemap.xml", content)
    with pytest.raises(SourceError, match=r"^sitemap\.xml") as refused:
        corpus.add("sitemap:sitemap.xml")
    assert said in str(refused.value)
    for pages, why in (("lost", "lost does not exist"), ("sitemap.xml", "sitemap.xml is no folder")):
        with pytest.raises(SourceError, match=why):
            corpus.add("sitemap:sitemap.xml", pages=pages)
