"""What `arxiv:...` names, `[arxiv]` of asof.toml, pages of Atom, what a question wants, windows of time."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.arxiv_server import HEAD, Archive, day, entry, paper
from tests.support.scripted import ScriptedModel

from asof import config
from asof.errors import BadConfig, SourceError
from asof.extensions.providers.http import RequestRejected
from asof.extensions.systems.arxiv import (
    TABLE,
    BrokenFeed,
    FeedEntry,
    PaperId,
    UnusableEntry,
    category,
    document,
    paper_id,
    read,
    read_page,
    withdrawn,
)
from asof.extensions.systems.arxiv_harvest import (
    DAY,
    MINUTE,
    HarvestCoverage,
    HarvestLog,
    days,
    halves,
    joined,
    minutes,
    without,
)
from asof.extensions.systems.arxiv_question import DEFAULT_CATEGORIES, SYSTEM, by_model, by_rules, table
from asof.time.span import FIRST, LAST, instant

# -- what `arxiv:...` names, and what it does not --------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "query"),
    [
        ("arxiv:cs.IR+cs.CL", "arxiv:cs.CL+cs.IR", "(cat:cs.CL OR cat:cs.IR)"),
        ("ArXiv:cs.ir", "arxiv:cs.IR", "cat:cs.IR"),
        ("arxiv:cs", "arxiv:cs.*", "cat:cs.*"),
        ("arxiv:cs.*+cs.*", "arxiv:cs.*", "cat:cs.*"),
        ("arxiv:cond-mat.STR-EL", "arxiv:cond-mat.str-el", "cat:cond-mat.str-el"),
        ("arxiv: physics.flu-dyn ", "arxiv:physics.flu-dyn", "cat:physics.flu-dyn"),
        ("arxiv:astro-ph", "arxiv:astro-ph.*", "(cat:astro-ph.* OR cat:astro-ph)"),
    ],
)
def test_categories(text: str, name: str, query: str):
    found = read(text)
    assert (found.name, found.query, found.papers) == (name, query, ())


@pytest.mark.parametrize(
    ("text", "papers"),
    [
        ("arxiv:2401.13222", [("2401.13222", 0)]),
        ("arxiv:2401.13222v1", [("2401.13222", 1)]),
        ("arxiv:0704.0001v12+0704.0001v2", [("0704.0001", 2), ("0704.0001", 12)]),
        ("arxiv:math.GT/0309136v2", [("math/0309136", 2)]),
        ("arxiv:2401.13222v1+2401.13222", [("2401.13222", 0)]),  # all versions have the first in them
    ],
)
def test_papers(text: str, papers: list[tuple[str, int]]):
    assert read(text).papers == tuple(PaperId(*each) for each in papers)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("arxiv:", "names nothing at arXiv; accepted are categories"),
        ("arxiv:sc.IR", r"'sc.IR' is neither a category nor an id of arXiv; did you mean cs\?"),
        ("arxiv:2413.00001", "neither a category nor an id"),  # there is no month 13
        ("arxiv:2401.13222v0", "neither a category nor an id"),
        ("arxiv:hep-th.AB", "hep-th is one category, without parts"),
        ("arxiv:cs.IRX", "categories of cs have two letters"),
        ("arxiv:cs.IR+2401.13222", "mixes papers and categories"),
        ("arxiv:cs.IR OR all:x", "neither a category nor an id"),
        ("arxiv:" + "+".join(["cs.IR"] * 201), "201 names in one target; accepted are 200 at most"),
        ("notes", "names nothing"),
    ],
)
def test_what_names_nothing(text: str, said: str):
    with pytest.raises(SourceError, match=said):
        read(text)


@given(st.text(max_size=40))
def test_any_text_is_a_target_or_an_error_of_ours(text: str):
    try:
        found = read("arxiv:" + text)
    except SourceError:
        return
    assert read(found.name) == found  # its name is a target again
    assert bool(found.categories) != bool(found.papers)
    assert all(character.isascii() for character in found.name)


@given(st.text(alphabet="cs.IRhepth-/0123456789v*+ ()", max_size=20))
def test_nothing_but_categories_gets_into_a_query(text: str):
    try:
        assert set(category(text)) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-.*")
    except SourceError:
        assert paper_id(text) is None or "/" in text or "." in text


# -- `[arxiv]` of asof.toml ------------------------------------------------------------------------


def test_what_is_read():
    table = {"url": "http://127.0.0.1:8000/q", "pdf_url": "http://[::1]:8000/pdf", "delay": 0, "per_day": 20}
    made = TABLE.value(config.read({"arxiv": table}).sources["arxiv"])
    assert (made.url, made.delay, made.per_day, made.attempts) == ("http://127.0.0.1:8000/q", 0, 20, 6)
    assert config.Config().sources == {}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"delay": 1}, "delay = 1: arXiv asks for 3 seconds or more"),
        ({"url": "http://127.0.0.1/q", "delay": 0}, "arXiv asks for 3 seconds"),  # its PDFs are still arXiv's
        ({"url": "http://export.arxiv.org/api/query"}, "an https address"),
        ({"url": "https://key@example.org/"}, "an https address"),
        ({"url": "https://example.org/?x=1"}, "an https address"),
        ({"url": "https://example.org:x/"}, "an https address"),
        ({"url": "file:///etc/passwd"}, "an https address"),
        ({"pdf_url": "https://exämple.org/"}, "an https address"),
        ({"per_day": -1}, "a whole number from 0 to 2000"),
        ({"attempts": 0}, "a whole number from 1 to 20"),
        ({"dela": 3}, "did you mean delay"),
    ],
)
def test_what_is_refused(table: dict[str, object], said: str):
    with pytest.raises(BadConfig, match=said) as told:
        config.read({"arxiv": table})
    assert "[arxiv]" in str(told.value)
    assert "key@" not in str(told.value)


# -- pages of Atom: what an entry says, what is no feed, and what a hostile one may not do ---------


COUNTS = (
    "<opensearch:totalResults>7</opensearch:totalResults><opensearch:startIndex>5</opensearch:startIndex>"
)

WHOLE = """
<entry>
  <id>http://arxiv.org/abs/hep-th/9901001v3</id>
  <title>Ferries  and
   lakes: a &lt;survey&gt;</title>
  <updated>1999-03-02T18:00:01Z</updated>
  <link href="https://arxiv.org/abs/hep-th/9901001v3" rel="alternate" type="text/html"/>
  <link href="https://arxiv.org/pdf/hep-th/9901001v3" rel="related" type="application/pdf" title="pdf"/>
  <summary>  We cross
 the lake.
   </summary>
  <category term="hep-th" scheme="http://arxiv.org/schemas/atom"/>
  <category term="math.GT" scheme="http://arxiv.org/schemas/atom"/>
  <published>1999-01-01T00:00:59Z</published>
  <arxiv:comment>3 pages,
   no figure</arxiv:comment>
  <arxiv:primary_category term="hep-th"/>
  <arxiv:journal_ref>J. Ferr. 4 (1999) 1-3</arxiv:journal_ref>
  <arxiv:doi>10.1000/182</arxiv:doi>
  <author><name>Ida  Mole</name><arxiv:affiliation>Orrin</arxiv:affiliation></author>
  <author><name>Jo Quay</name></author>
  <author><name> </name></author>
</entry>"""


def feed(*entries: str, counts: str = COUNTS) -> bytes:
    return f"{HEAD}{counts}{''.join(entries)}</feed>".encode()


def test_an_entry():
    page = read_page(feed(WHOLE))
    assert page.total == 7
    assert page.entries == (
        FeedEntry(
            PaperId("hep-th/9901001", 3), "Ferries and lakes: a <survey>", "We cross the lake.",
            datetime(1999, 1, 1, 0, 0, 59, tzinfo=UTC), datetime(1999, 3, 2, 18, 0, 1, tzinfo=UTC),
            ("Ida Mole", "Jo Quay"), "hep-th", ("hep-th", "math.GT"), "10.1000/182", "3 pages, no figure",
        ),
    )  # fmt: skip
    stated = document(page.entries[0])
    assert (stated.id, stated.text) == ("arxiv:hep-th/9901001", "We cross the lake.")
    assert (stated.title, stated.tags) == ("Ferries and lakes: a <survey>", ("hep-th", "math.GT"))
    assert stated.published is not None
    assert stated.published.text == "1999-03-02T18:00:01Z"  # version 3: its own date
    assert stated.meta == {
        "kind": "abstract", "authors": ["Ida Mole", "Jo Quay"], "primary_category": "hep-th",
        "doi": "10.1000/182", "comment": "3 pages, no figure", "version": 3,
    }  # fmt: skip


def test_a_thousand_authors_are_counted():
    names = "".join(f"<author><name>A{n}</name></author>" for n in range(1000))
    (found,) = read_page(feed(WHOLE.replace("<author><name>Jo Quay</name></author>", names))).entries
    assert isinstance(found, FeedEntry)
    meta = document(found).meta
    assert (len(meta["authors"]), meta["authors_in_all"]) == (64, 1001)


@pytest.mark.parametrize(
    ("comment", "summary", "gone"),
    [
        ("This paper has been withdrawn by the author", "x", True),
        ("", "This paper has been withdrawn.", True),
        ("Withdrawn: an error in Lemma 2", "x", True),
        ("", "Cash is withdrawn at the quay.", False),
        ("", "We study papers. The ferry was withdrawn from service.", False),
        ("12 pages", "x", False),
    ],
)
def test_what_says_that_it_was_withdrawn(comment: str, summary: str, gone: bool):
    at = datetime(2024, 1, 1, tzinfo=UTC)
    assert withdrawn(FeedEntry(PaperId("2401.00001", 1), "t", summary, at, at, comment=comment)) is gone


@pytest.mark.parametrize(
    ("spoiled", "reason"),
    [
        (WHOLE.replace("hep-th/9901001v3</id>", "hep-th/9901001</id>"), "no id of a paper with its version"),
        (WHOLE.replace("1999-01-01T", "1999-13-01T"), "no dates"),
        (WHOLE.replace("00:59Z", "00:59"), "no dates"),  # without a zone
        (WHOLE.replace("1999-01-01T", "9999-01-01T"), "no dates"),
        (WHOLE.replace("<id>http://", "<id>http://["), "no id of a paper"),  # as if it were an IPv6 address
        ("<entry><id>http://arxiv.org/abs/2401.00001v1</id></entry>", "neither a title nor an abstract"),
    ],
)
def test_an_entry_that_states_no_paper_is_told_beside_the_others(spoiled: str, reason: str):
    page = read_page(feed(spoiled, entry(paper(4, day(2)), 1)))
    assert isinstance(page.entries[0], UnusableEntry)
    assert reason in page.entries[0].reason
    assert isinstance(page.entries[1], FeedEntry)


def test_an_error_is_what_the_api_says():
    with pytest.raises(RequestRejected, match="incorrect id format for abc"):
        read_page(Archive().error("incorrect id format for abc").encode())


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no whole XML"),
        (feed(WHOLE)[:-30], "no whole XML"),
        (b"<html><body>busy</body></html>", "no Atom feed"),
        (feed(WHOLE).replace(b"<feed", b'<!DOCTYPE feed [<!ENTITY a "aaaa">]><feed'), "declares a DOCTYPE"),
        (b'<!DOCTYPE feed SYSTEM "file:///etc/hostname"><x/>', "declares a DOCTYPE"),
        (b'<!-- <feed --><!DOCTYPE feed [<!ENTITY a "aaaa">]><feed>&a;</feed>', "declares a DOCTYPE"),
        (feed(WHOLE).decode().encode("utf-16"), "not UTF-8"),
        (feed(WHOLE, counts=""), "does not say its totalResults"),
        (feed(WHOLE).replace(b"Ida", b"&ida;"), "no whole XML"),
    ],
)
def test_what_is_no_feed(body: bytes, said: str):
    with pytest.raises(BrokenFeed, match=said):
        read_page(body)


@given(st.binary(max_size=200), st.integers(0, 900))
def test_any_bytes_are_a_feed_or_an_error_of_ours(noise: bytes, at: int):
    body = feed(WHOLE)
    for each in (noise, body[:at] + noise + body[at:]):
        try:
            read_page(each)
        except (BrokenFeed, RequestRejected):
            continue


# -- what a question in words wants of arXiv, by rules and by a model ------------------------------


ASKED = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "categories"),
    [
        ("information retrieval", ["cs.IR"]),
        ("what is new in Retrieval Augmented Generation?", ["cs.CL", "cs.IR"]),
        ("continual learning", ["cs.LG"]),
        ("music information retrieval", ["cs.SD"]),  # the longest phrase, not cs.IR
        ("robots and elliptic curves", ["cs.RO", "math.NT"]),
        ("papers in q-fin.TR and cond-mat.str-el about robots", ["q-fin.TR", "cond-mat.str-el"]),
        ("quantum error correction", ["quant-ph"]),
        ("gardening", list(DEFAULT_CATEGORIES)),
        ("", list(DEFAULT_CATEGORIES)),
    ],
)
def test_categories_of_a_question(question: str, categories: list[str]):
    found = by_rules(question, ASKED)
    assert list(found.categories) == categories
    assert any("cs.LG, cs.AI, cs.RO, cs.CV and cs.CL were taken" in note for note in found.notes) == (
        question in ("gardening", "")
    )


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("robots today", "2026-03-18T00:00", "2026-03-18T09:30"),
        ("recent robots", "2026-03-11T09:30", "2026-03-18T09:30"),
        ("two weeks of robots", "2026-03-04T09:30", "2026-03-18T09:30"),
        ("robots of the last 2 weeks", "2026-03-04T00:00", "2026-03-18T09:30"),
        ("robots last month", "2026-02-01T00:00", "2026-03-01T00:00"),
        ("robots since January 2026", "2026-01-01T00:00", "2026-03-18T09:30"),
        ("robots in 2024", "2024-01-01T00:00", "2025-01-01T00:00"),
        ("robots as of June 2025", "2025-06-24T00:00", "2025-07-01T00:00"),
        ("robots", "2026-03-11T09:30", "2026-03-18T09:30"),
    ],
)
def test_times_of_a_question(question: str, first: str, last: str):
    found = by_rules(question, ASKED)
    ends = [instant(datetime.fromisoformat(each).replace(tzinfo=UTC)) for each in (first, last)]
    # an end that is no moment of now is the last instant before it
    assert abs(found.since - ends[0]) <= 1
    assert abs(found.until - ends[1]) <= 1
    assert found.until <= instant(ASKED)
    assert any("no time is named" in note for note in found.notes) == (
        question in ("robots", "robots as of June 2025")
    )


@pytest.mark.parametrize(
    ("question", "papers"),
    [
        ("robots", 20), ("5 papers on robots", 5), ("the 12 newest papers on robots", 12),
        ("top 3 robots", 3),
        ("2 weeks of papers on robots", 20), ("9999 papers on robots", 500), ("robots of 2024", 20),
    ],
)  # fmt: skip
def test_how_many(question: str, papers: int):
    assert by_rules(question, ASKED).papers == papers


def test_every_category_of_the_table_is_one():
    titles = table().titles
    assert len(titles) > 150
    for name, title in titles.items():
        assert category(name) == name
        assert name in by_rules(title, ASKED).categories, title
    assert read("arxiv:" + "+".join(list(titles)[:200])).categories


@given(st.text(max_size=200))
def test_any_text_has_an_answer(question: str):
    found = by_rules(question, ASKED)
    assert 1 <= len(found.categories) <= 8
    assert found.since <= found.until <= instant(ASKED)
    assert 1 <= found.papers <= 500


def replying(reply: dict[str, Any]) -> ScriptedModel:
    return ScriptedModel([json.dumps(reply)] * 2)


def test_a_model_reads_the_question():
    reply = {"categories": ["cs.RO", "cs.ro", "eess"], "time_range_days": 3, "max_papers": 9}
    model = replying(reply)
    found = by_model("robots of 3 days", ASKED, model)
    assert (model.prompts[0].system, model.prompts[0].user) == (SYSTEM, "robots of 3 days")
    assert (found.categories, found.papers, found.by) == (("cs.RO", "eess.*"), 9, "model")
    assert found.until - found.since == 3 * 24 * 3600 * 10**6


@pytest.mark.parametrize(
    "reply",
    [
        {"categories": ["cs.XX"], "time_range_days": 3},
        {"categories": ["cs.RO OR all:x"], "time_range_days": 3},
        {"categories": ["cs.RO"], "time_range_days": 0},
        {"categories": ["cs.RO"], "time_range_days": 3, "max_papers": 10**9},
        {"categories": ["cs.RO"], "time_range_days": 3, "run": "rm"},
    ],
)
def test_what_a_model_says_is_checked(reply: dict[str, Any]):
    found = by_model("robots of 3 days", ASKED, replying(reply))
    rules = by_rules("robots of 3 days", ASKED)
    assert (found.categories, found.since, found.by) == (rules.categories, rules.since, "rules")
    assert found.notes[0].startswith("the model's reading is of no use")


def test_the_first_days_that_there_are():
    asked = datetime(1, 1, 2, tzinfo=UTC)
    model = replying({"categories": ["cs.IR"], "time_range_days": 30, "max_papers": 5})
    for wish in (by_rules("robots", asked), by_model("robots of 3 days", asked, model)):
        assert (wish.since, wish.until) == (FIRST, instant(asked))


# -- windows: what is covered, what is left, and how a stretch is searched -------------------------


POINTS = st.integers(0, 30)
STRETCHES = st.lists(st.tuples(POINTS, POINTS).map(lambda ends: (min(ends), max(ends))), max_size=5)


@given(st.tuples(POINTS, POINTS).map(lambda ends: (min(ends), max(ends))), STRETCHES)
def test_what_is_left_of_a_window(window, covered):
    inside = {n for n in range(window[0], window[1] + 1) if not any(a <= n <= b for a, b in covered)}
    left = without(window, covered)
    assert [n for a, b in left for n in range(a, b + 1)] == sorted(inside)


@given(STRETCHES)
def test_joined_stretches_hold_the_same(stretches):
    made = joined(stretches)
    assert {n for a, b in made for n in range(a, b + 1)} == {n for a, b in stretches for n in range(a, b + 1)}
    assert all(left[1] + 1 < right[0] for left, right in pairwise(made))


@given(st.integers(0, 10**16), st.integers(0, 10 * DAY))
def test_days_and_halves_tile_a_stretch(first, length):
    stretch = (first, first + length)
    for parts in (days(stretch), halves(stretch) or [stretch]):
        assert (parts[0][0], parts[-1][1]) == stretch
        assert all(left[1] + 1 == right[0] for left, right in pairwise(parts))
        assert all(a <= b for a, b in parts)
    if length >= 2 * MINUTE:
        assert len(halves(stretch)) == 2


def test_as_the_api_searches_it():
    # widened to full minutes: seconds cannot be said
    assert minutes((instant(day(3, 5, 6, 7)), instant(day(4)) + 999_999)) == "[202401030506 TO 202401040001]"
    assert minutes((LAST - MINUTE, LAST)) == "[999912312358 TO 999912312359]"


# -- what is kept between runs: believed only as far as it is whole --------------------------------


DONE = HarvestCoverage(((0, 10), (20, 30)), 40, ("2401.00001",))


@pytest.fixture
def log(tmp_path: Path) -> HarvestLog:
    tmp_path.joinpath("fetched").mkdir()
    return HarvestLog(tmp_path / "fetched", "arxiv:cs.IR", lambda _: {"2401.00001": {1}})


def test_what_is_done_is_known_again(log: HarvestLog):
    assert log.done() == HarvestCoverage()
    log.save(DONE)
    assert log.done() == DONE
    assert HarvestLog(log.folder, "arxiv:cs.CL", log.known).done() == HarvestCoverage()
    log.known = lambda _: {}  # the store was put back from a copy
    assert log.done() == HarvestCoverage()


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", '{"covered": 3}', '{"covered": [[1]], "checked": 1, "witnesses": []}',
        '{"covered": [[1e999, 2]], "checked": 1, "witnesses": []}', "[" * 9_999,
    ],
)  # fmt: skip
def test_a_damaged_file_is_none(log: HarvestLog, text: str):
    log.save(DONE)
    (path,) = log.folder.glob("*.json")
    path.write_text(text)
    assert log.done() == HarvestCoverage()


def test_one_at_a_time_and_how_long_ago(log: HarvestLog):
    with log.turn() as ago:
        assert ago == float("inf")
        with pytest.raises(SourceError, match="another process fetches"), log.turn():
            pass
    with log.turn() as ago:
        assert 0 <= ago < 60
