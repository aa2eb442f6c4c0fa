"""`asof index`, every kind of source, and `asof export`: settings, problems, exit codes, what is left."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.arxiv_server import Archive, busy, paper
from tests.support.json_schema import against

from asof import environment
from asof.corpus.corpus import open as open_corpus

from .conftest import documents, note

LINES = [
    {"id": "a", "text": "the first line about cranes", "timestamp": "2020-05-01"},
    {"id": "b", "text": "the second line about oaks", "timestamp": "2021-05-01"},
]


# -- folders, files and lines ------------------------------------------------------------------------------


def test_a_folder_and_again(asof, here, notes):
    result = asof("index", "notes", "--language", "en")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("notes: 3 unchanged in ")
    (notes / "red.md").write_text(note("2020-02-01", "Red", "The crane is pink."))
    (notes / "blue.md").unlink()
    result = asof("index", "notes")
    assert result.code == 0
    assert result.out.startswith("notes: 1 changed, 1 unchanged, 1 removed; 1 new passage in ")


def test_a_run_says_where_the_index_is(asof, here, write):
    write("a.md", "# A\n\ncrane\n")
    first, second = asof("index", "."), asof("index", ".")
    assert first.out.startswith("new index in .asof\n")
    assert "index in" not in second.out
    elsewhere = asof("index", "a.md", "--index", here.parent / "other")
    assert elsewhere.out.startswith(f"new index in {here.parent / 'other' / '.asof'}\n")


def test_several_sources_into_another_folder_or_its_index(asof, here, write):
    write("one/a.md", "a crane")
    write("two/b.md", "an oak")
    write("c.txt", "a willow")
    value = asof("index", "one", "two", "c.txt", "--index", "kept", "--json").json()
    assert against("index", value) == []
    reports = [(report["source"], report["added"]) for report in value["sources"]]
    assert reports == [("one", 1), ("two", 1), ("c.txt", 1)]
    assert (here / "kept/.asof/corpus.db").is_file()
    assert not (here / ".asof").exists()
    for index in ("kept", "kept/.asof"):
        assert len(documents(asof, "willow", "--index", index)) == 1
    asof("index", "one/a.md", "--index", "named/.asof")
    assert (here / "named/.asof/corpus.db").is_file()


def test_settings_of_a_new_corpus_and_those_that_come_too_late(asof, here, write):
    write("a.md", "Die Häfen und der Hafen.")
    write("asof.toml", '[index]\nchunking = "50w"\nundated = "always"\n')
    asof("index", "a.md", "--language", "de, en")
    settings = asof("status", "--json").json()["settings"]
    assert settings["languages"] == ["de", "en"]
    assert (settings["chunking"], settings["undated"]) == ("50w", "always")
    write("asof.toml", '[index]\nchunking = "60w"\n')
    result = asof("index", "a.md")
    assert result.code == 0
    assert "says chunking = 60w; this corpus was made with 50w, which stays" in result.err


def test_a_first_run_tells_of_languages_that_the_corpus_does_not_have(asof, here, write):
    write("a.md", "The house is on the hill, and it is for sale.")
    write("b.md", "Wij gaan in de zomer met de trein naar het huis van de buren.")
    write("c.md", "Der Vertrag ist von der Firma und dem Vermieter unterschrieben, aber nicht von uns.")
    said = "2 documents may be in a language that this corpus does not have (nl: 1, de: 1)"
    told = asof("index", ".").err
    assert f'{said}: put languages = ["en", "nl", "de"] below [index] of asof.toml' in told
    assert "seem to be" not in asof("index", ".").err
    assert "seem to be" not in asof("index", ".", "--index", "other", "--language", "en,nl,de").err


def test_templates_are_told_in_a_line_and_nothing_is_to_be_mended_in_them(asof, here, write):
    for name in ("daily", "book", "person"):
        write(f"{name}.md", f"---\ntags: {name}\ndate: {{{{date}}}}\n---\nThe crane.")
    run = asof("index", ".")
    assert run.code == 0
    assert "3 files: its frontmatter is a template: its fields are not read, e.g. book.md:3\n" in run.err
    assert "quotes" not in run.err


def test_the_index_is_never_indexed_and_the_nearest_one_answers(asof, here, notes, monkeypatch, write):
    for source in (".", here, here.parent):
        report = asof("index", source, "--index", here, "--json").json()["sources"][0]
        assert report["added"] == 0 or source == here.parent
    assert not [name for name in documents(asof, "crane") if ".asof" in name]
    write("sub/b.md", "an inner crane")
    monkeypatch.chdir(here / "sub")
    assert len(documents(asof, "crane")) > 1  # the parent's
    asof("index", ".", "--index", ".")
    assert documents(asof, "crane") == ["b.md"]


# -- problems ----------------------------------------------------------------------------------------------


def test_problems_have_place_and_remedy_and_code_3(asof, here, write):
    write("lines.jsonl", json.dumps(LINES[0]) + "\n{not json\n" + json.dumps(LINES[1]) + "\n")
    result = asof("index", "lines.jsonl")
    assert result.code == 3
    assert "2 added, 1 failed" in result.out
    assert "  lines.jsonl:2: " in result.err
    result = asof("index", "lines.jsonl", "--json")
    assert against("index", result.json()) == []
    (problem,) = result.json()["sources"][0]["problems"]
    assert (result.code, result.err) == (0, ""), "it was said before"
    assert (problem["file"], problem["line"], problem["lost"]) == ("lines.jsonl", 2, True)
    assert asof("status", "--json").json()["problems"] == [problem]
    assert "   problem  lines.jsonl:2: " in asof("status").out
    write("lines.jsonl", "{not json\n" * 2 + json.dumps(LINES[0]) + "\n")
    result = asof("index", "lines.jsonl", "--json")
    (report,) = result.json()["sources"]
    assert (result.code, report["repeated"]) == (3, 1)
    assert [each["line"] for each in report["problems"]] == [1, 0, 2], "what is new is first"
    write("notes/a.md", "---\ndate: nonsense\n---\nA crane.\n")
    result = asof("index", "notes")
    assert result.code == 0, "nothing is lost"
    assert "notes/a.md:2: 'date' cannot be read: 'nonsense' is not a time" in result.err


def test_problems_of_one_kind_are_a_line_which_is_shown_once(asof, here, write):
    write("alike.jsonl", "{not json\n" * 30)
    result = asof("index", "alike.jsonl")
    assert result.code == 3
    line, left = result.err.splitlines()
    assert left == "nothing was indexed, and no index is left behind"
    assert line.startswith("  30 places: the line is not JSON: ")
    assert line.endswith(", e.g. alike.jsonl:1 (every line has to be one JSON object)")
    for number in range(30):
        write(f"notes/{number:02}.md", f"---\ndate: bad {number}\n---\nA crane.\n")
    line, times = asof("index", "notes").err.splitlines()
    assert line.startswith("  30 files: 'date' cannot be read: …, e.g. notes/00.md:2: 'bad 0' is not a time")
    assert "within the same minute" in times
    assert asof("index", "notes").err == ""


def test_a_folder_that_was_emptied_ends_nothing_unless_told(asof, notes):
    for file in notes.rglob("*.md"):
        file.unlink()
    result = asof("index", "notes")
    assert result.code == 2
    assert "nothing was removed" in result.err
    assert "--yes" in result.err
    assert asof("search", "crane").code == 0
    result = asof("index", "notes", "--yes")
    assert (result.code, "3 removed" in result.out) == (0, True)
    assert asof("search", "crane").code == 1
    assert asof("search", "crane", "--as-of", "2022-06").code == 0


# -- a run that fails, or takes nothing in, leaves no index where there was none ---------------------------

FAILING = [
    (["index", "nowhere"], 2), (["index", "notes", "--language", "klingon"], 2),
    (["index", "notes", "--set", "since=2020"], 2), (["index", "notes", "nowhere"], 2),
    (["index", "pictures"], 1), (["index", "empty"], 1), (["index", "broken.jsonl"], 3),
    (["index", "binary.md"], 3), (["index", "arxiv:cs.IR"], 2), (["index", "feed:evil.xml"], 2),
    (["index", "pictures", "--index", "elsewhere"], 1),
    (["papers", "new papers on dense retrieval", "--categories", "cs.IR"], 2),
    (["papers", "--offline", "dense retrieval"], 1), (["search", "crane"], 2), (["links", "crane"], 2),
    (["status"], 2),
]  # fmt: skip
DOCTYPE = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss>&x;</rss>'


@pytest.mark.parametrize(("arguments", "code"), FAILING, ids=lambda value: str(value)[:40])
def test_nothing_is_left(asof, here, write, arguments, code):
    write("notes/red.md", "The crane is red.")
    write("pictures/a.png", "")
    write("broken.jsonl", "{\n")
    write("evil.xml", DOCTYPE)
    write("map.xml", "<urlset></urlset>")
    (here / "binary.md").write_bytes(bytes(range(256)))
    (here / "empty").mkdir()
    write("asof.toml", '[arxiv]\nurl = "http://127.0.0.1:9"\npdf_url = "http://127.0.0.1:9"\nattempts = 1\n')
    before = sorted(here.rglob("*"))
    result = asof(*arguments)
    assert (result.code, "Traceback" in result.err) == (code, False)
    assert sorted(here.rglob("*")) == before


def test_that_nothing_is_left_is_said_and_what_is_there_stays(asof, here, write):
    """A corpus with documents, one that another process has open, and a folder that is not ours."""
    write("pictures/a.png", "")
    result = asof("index", "pictures")
    assert "pictures: nothing to read in " in result.out
    assert "1 .png file is not read" in result.err
    assert "nothing was indexed, and no index is left behind" in result.err
    assert "new index" not in result.out
    write("red.md", "The crane is red.")
    write("elsewhere/.asof/mine.txt", "mine")
    asof("index", "pictures", "--index", "elsewhere")
    assert (here / "elsewhere/.asof/mine.txt").read_text() == "mine"
    asof("index", "red.md", "--index", "other")
    assert asof("index", "pictures", "--index", "other").code == 0
    assert "red.md" in asof("search", "crane", "--index", "other").out
    with open_corpus(here):
        another = sqlite3.connect(here / ".asof/corpus.db")
        another.execute("SELECT count(*) FROM meta").fetchone()
    another.close()
    assert open_corpus(here, create=False).status().documents == 0


# -- exports of other programs -----------------------------------------------------------------------------

RSS = (
    '<rss version="2.0"><channel><link>https://pier.example/</link>'
    "<item><guid>https://pier.example/1</guid><pubDate>Tue, 02 Mar 2021 10:00:00 GMT</pubDate>"
    "<description>The crane is {}.</description></item></channel></rss>"
)


def test_a_feed_and_again(asof, write, here, monkeypatch):
    write("exports/blog.xml", RSS.format("red"))
    (here / "corpus").mkdir()
    monkeypatch.chdir(here / "exports")
    into = ("--index", "../corpus")
    result = asof("index", "feed:blog.xml", *into)
    assert (result.code, result.err) == (0, "")
    assert "feed:blog.xml: 1 added; 1 new passage in " in result.out
    assert "feed:blog.xml: 1 unchanged in " in asof("index", "feed:blog.xml", *into).out
    assert not (here / "exports" / ".asof").exists()
    assert str(here) not in asof("status", *into, "--json").out.replace(str(here / "corpus"), "")
    write("exports/blog.xml", RSS.format("blue"))
    told = asof("index", f"FEED:{here / 'exports/blog.xml'}", *into, "--json").json()
    assert told["sources"][0]["changed"] == 1
    assert against("index", told) == []
    assert documents(asof, "crane", *into) == ["feed:https://pier.example/1"]
    write("exports/blog.xml", RSS.format("red").replace("</item>", "</item><item><title>No</title></item>"))
    result = asof("index", "feed:blog.xml", *into)
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
        (["feed:evil.xml"], "evil.xml:1: it declares a DOCTYPE, which such files do not need; do not trust"),
        (["feed:"], "'' is no path; the path of a file or folder is expected"),
    ],
)
def test_what_is_no_export(refused, write, here, arguments, said):
    write("blog.xml", RSS.format("red"))
    write("evil.xml", DOCTYPE)
    refused(["index", *arguments], said)
    assert not (here / ".asof").exists()


# -- arXiv -------------------------------------------------------------------------------------------------

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def archive(here) -> Iterator[Archive]:
    with Archive([paper(n, NOW - timedelta(days=n, hours=1)) for n in range(30)]) as there:
        (here / "asof.toml").write_text(
            f'[arxiv]\nurl = "{there.url}"\npdf_url = "{there.pdf_url}"\ndelay = 0\nattempts = 2\n'
        )
        environment.trust(here)
        yield there


def test_the_papers_of_a_window_and_again(asof, archive):
    since = (NOW - timedelta(days=14)).date()
    count = sum(each.submitted.date() >= since for each in archive.papers)  # 14 or 15: it may be midnight
    result = asof("index", "arxiv:cs.IR+cs.CL", "--set", f"since={since}")
    assert result.code == 0
    assert f"arxiv:cs.IR+cs.CL: {count} added; {count} new passages" in result.out
    assert result.err == f"arXiv: {count} new versions of papers; 1 page, 1 request\n"
    assert documents(asof, "ferry 3")[0] == "arxiv:2401.00003"
    result = asof("index", "arxiv:cs.CL+cs.IR", "--set", f"since={since}")
    assert (result.code, "nothing to read" in result.out) == (0, True)
    assert result.err.startswith("arXiv: 0 new versions of papers, ")


def test_a_run_that_broke_off_says_what_it_got_and_goes_on(asof, archive):
    archive.papers = [paper(n, NOW - timedelta(hours=n + 1)) for n in range(150)]
    archive.faults = [lambda there, asked: there.answer(asked), busy, busy]
    result = asof("index", "arxiv:cs.IR", "--set", "since=2 weeks ago")
    assert result.code == 2
    assert "arXiv: 100 new versions of papers; 1 page, 3 requests" in result.err
    assert "status 503" in result.err
    result = asof("index", "arxiv:cs.IR", "--set", "since=2 weeks ago")
    assert (result.code, "50 added" in result.out) == (0, True)
    assert " ".join(result.err.split()) == (
        "arXiv: 50 new versions of papers, 100 papers known before; 2 pages, 2 requests"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["notes", "--set", "since=2024"],
            "--set since=2024: only for sources of a scheme, and 'notes' is no",
        ),
        (["arxiv:cs.IR", "--history"], "--history is for folders"),
        (["arxiv:sc.IR"], "neither a category nor an id"),
        (["arxiv:cs.IR", "--set", "since=soonish"], "'soonish' is not a time"),
        (["arxiv:cs.IR", "--set", "per_day=many"], "per_day"),
    ],
)
def test_what_is_refused_before_arxiv_is_asked(asof, archive, here, arguments, said):
    (here / "notes").mkdir()
    told = asof("index", *arguments)
    assert told.code == 2
    assert said in told.err
    assert archive.asked == []


# -- export ------------------------------------------------------------------------------------------------


def test_an_export_is_indexed_elsewhere_and_answers_the_same(asof, notes, here, write):
    write("notes/id.md", note("2020", "Id", "Its number.", id="7"))
    asof("index", "notes")
    written = asof("export", "crane.jsonl.gz")
    size = (here / "crane.jsonl.gz").stat().st_size
    told = f"crane.jsonl.gz: 4 documents, 4 versions, {size:,} bytes in 0.0 s\n"
    assert (written.code, re.sub(r"\d+\.\d s", "0.0 s", written.out)) == (0, told)
    left_out = "1 value of metadata are left out: called as a field of a line, or too long a list\n"
    assert written.err == left_out
    read = asof("index", "crane.jsonl.gz", "--index", "other")
    assert (read.code, "4 added; 4 new passages" in read.out) == (0, True)
    hits, again = (
        asof("search", "crane", "--as-of", "2021-06", "--json", *more).json()["hits"]
        for more in ((), ("--index", "other"))
    )
    assert [(hit["id"], hit["score"]) for hit in hits] == [(hit["id"], hit["score"]) for hit in again] != []


@pytest.mark.parametrize("command", [["export"], ["export", "--backup"]])
def test_a_file_that_is_there_is_overwritten_only_with_force(asof, refused, notes, write, command):
    write("x.jsonl", "mine")
    refused([*command, "x.jsonl"], "x.jsonl is there already: overwrite it with --force, or choose another")
    assert asof(*command, "x.jsonl", "--force").code == 0
