"""Out as JSON Lines and in again: the same documents and versions, each seen from the same instant on."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.guarantee.histories import DAY, Event, History, Played, histories, told
from tests.support.corpora import Clock, memory_folder, new_corpus
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import Document, Ended, Heading, Link
from asof.errors import CorpusError, UsageError
from asof.sources.source import InputLimits
from asof.store import export
from asof.store.digest import DOCUMENT
from asof.store.reader import NO_ACT, text_of
from asof.store.schema import CorpusSettings, get_meta
from asof.time.span import NEVER, Span, moment

VERSIONS = (
    "SELECT d.name, v.visible, v.head IS NULL, h.title, h.uri, h.language, h.tags, h.meta, h.about,"
    " h.fiscal_start, v.id, v.layout FROM versions AS v JOIN documents AS d ON d.id = v.document"
    " LEFT JOIN heads AS h ON h.id = v.head WHERE v.retired IS NULL"
    " ORDER BY d.name, v.visible, v.added, v.id"
)


@contextmanager
def again(file: Path, now: int = 0, **settings: Any) -> Iterator[Corpus]:
    """A new corpus of an export, its clock at `now`."""
    with new_corpus(clock=Clock(now, 0) if now else None, **settings) as corpus:
        report = corpus.add(file)
        assert [str(each) for each in report.problems] == []
        yield corpus


def held(corpus: Corpus) -> list[tuple[Any, ...]]:
    """Every version that holds: its document, since when it is seen, whether it ends the document, its
    attributes, the spans of the times that it is about, links, aliases and text."""
    db, found = db_of(corpus), []
    for name, visible, ended, *attributes, about, fiscal, version, layout in db.execute(VERSIONS).fetchall():
        links = db.execute(  # acts, like DOCUMENT, follow from the text, which may have been dropped
            "SELECT target, heading, alias, kind FROM links AS l"
            f" WHERE version = ? AND {NO_ACT} ORDER BY place", (version,),
        ).fetchall()  # fmt: skip
        aliases = db.execute("SELECT alias FROM aliases WHERE version = ? ORDER BY alias", (version,))
        times = json.loads(about or "[]")
        spans = [(each["from"], each["until"]) for each in times if each["by"] != DOCUMENT]
        found.append((
            name, visible, bool(ended), *attributes, spans, fiscal, links, aliases.fetchall(),
            "" if ended else text_of(db, version, layout),
        ))  # fmt: skip
    return found


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def same_past(corpus: Corpus, other: Corpus) -> None:
    """The same texts, just before and from every instant on from which a version is seen, where history was
    not dropped."""
    versions, horizon = held(corpus), int(get_meta(db_of(corpus), "horizon") or 0)
    instants = {visible for _, visible, *_ in versions if abs(visible) < NEVER}
    moments = {at for each in instants for at in (each - 1, each) if not horizon or at >= horizon}
    for at in sorted(moments):
        here, there = corpus.snapshot(at), other.snapshot(at)
        names = {name for name, *_ in versions}
        assert {name: there.text(name) for name in names} == {name: here.text(name) for name in names}
    assert [each for each in held(other) if each not in versions] == []


LEFT_AND_MOVED = History((
    told("ferry.md", "2020", "Oats.\n## Fees\nRye."), told("ferry.md", "2021", "## Fees\nRye."),
    Event("vacuum", date="2022"), Event("rename", name="ferry.md", other="zz2bell.md"),
))  # fmt: skip
"""A document gets another id when a vacuum has left but a part of its first text."""


@pytest.mark.slow
@example(LEFT_AND_MOVED, 0)
@settings(suppress_health_check=list(HealthCheck))
@given(histories(), st.sampled_from((0, 40, 400)))
def test_the_past_is_the_same(history: History, days: int) -> None:
    with memory_folder() as folder, closing(Played(folder / "all", history)) as played:
        played.play()
        first, second = folder / "first.jsonl", folder / "second.jsonl"
        played.corpus.export(first)
        with again(
            first, played.clock.now + days * DAY, languages=history.languages, undated=history.undated
        ) as other:
            same_past(played.corpus, other)
            other.export(second)
            assert other.add(first).written == 0
        assert first.read_bytes() == second.read_bytes()


FULL = Document(
    "a.md", "# One\nBread.\n# Two\nBread rose. #oven [[c]]\n", "Äpfel \u2028", "2020-03",
    about=["2019", "2021-Q1", Span(None, moment(1_514_764_800_000_000))],
    links=[Link("b", "h", "x", "embed"), "c"], tags=["bread", "oven"],
    aliases=["apples", "pears"], meta={"n": 1.5, "deep": {"b": [None, True, "x"], "a": 10**20}, "s": "Mill"},
    outline=[Heading(0, 1, "One"), Heading(13, 1, "Two")], uri="https://a/b?c", language="en", fiscal_start=7,
)  # fmt: skip


def exported(corpus: Corpus, folder: Path) -> Path:
    file = folder / "x.jsonl"
    corpus.export(file, overwrite=True)
    return file


def test_a_line_has_the_fields_that_are_read(tmp_path: Path) -> None:
    with new_corpus() as corpus:
        corpus.add([FULL, Document("b", "Rye.", published="2019"), Ended("b", "2023-02")])
        report = corpus.export(tmp_path / "x.jsonl")
        assert lines(tmp_path / "x.jsonl") == [
            {
                "id": "a.md", "text": FULL.text, "title": "Äpfel \u2028",
                "headings": [[0, 1, "One"], [13, 1, "Two"]], "published": "2020-03",
                "tags": ["bread", "oven"], "url": "https://a/b?c",
                "about": [
                    "2019", "2021-Q1", {"until": "2018-01-01T00:00:00Z"},
                ],
                "links": [
                    {"target": "b", "heading": "h", "alias": "x", "kind": "embed"},
                    {"target": "c", "kind": "link"},
                ],
                "aliases": ["apples", "pears"], "fiscal_start": 7, "n": 1.5,
                "deep": {"b": [None, True, "x"], "a": 10**20}, "s": "Mill",
            },
            {"id": "b", "text": "Rye.", "title": "", "published": "2019"},
            {"id": "b", "ended": "2023-02"},
        ]  # fmt: skip
        size = (tmp_path / "x.jsonl").stat().st_size
        assert (report.documents, report.versions, report.left_out, report.bytes) == (2, 3, 0, size)
        with again(tmp_path / "x.jsonl") as other:
            assert held(other) == held(corpus)
            for recipe in ("asof", "bm25"):
                here, there = (
                    [
                        (hit.text, hit.score)
                        for hit in each.at("2022").search("bread oven", recipe=recipe).hits
                    ]
                    for each in (corpus, other)
                )
                assert here == there != []


def test_a_date_that_was_not_over_is_the_instant_since_which_the_text_is_seen(tmp_path: Path) -> None:
    clock = Clock.at("2025-06-05T14:00:00Z", 0)
    with new_corpus(clock=clock) as corpus:
        corpus.add(
            [
                Document("a", "Rye.", published="2025-06-05"),
                Document("b", "Oats."),
                Document("c", "Bran.", published="2030"),
            ]
        )
        clock.now += 3_600_000_000
        corpus.add([Document("a", "Wheat.", published="2025-06-05")])
        file = exported(corpus, tmp_path)
        assert [(each["id"], each["published"]) for each in lines(file)] == [
            ("a", "2025-06-05T14:00:00.000000Z"), ("a", "2025-06-05T15:00:00.000000Z"),
            ("b", "2025-06-05T14:00:00.000000Z"), ("c", "2030-12-31T23:59:59.999999Z"),
        ]  # fmt: skip
        with again(file, Clock.at("2026").now) as other:
            same_past(corpus, other)
            assert len(held(other)) == 4


@pytest.mark.parametrize("undated", ["always", "never"])
def test_texts_without_a_date_stay_without_one(tmp_path: Path, undated: str) -> None:
    with new_corpus(undated=undated) as corpus:
        corpus.add([Document("a", "Rye."), Document("b", "Oats.", published="2020")])
        corpus.add([Document("a", "Bran."), Document("b", "Wheat.")])
        corpus.add([Document("a", "Corn.", published="2021")])
        file = exported(corpus, tmp_path)
        with again(file, Clock.at("2027").now, undated=undated) as other:
            same_past(corpus, other)
            assert len(held(other)) == len(held(corpus))


def test_metadata_that_is_called_as_a_field_is_counted(tmp_path: Path) -> None:
    meta = {
        "id": 7, "text": "x", "updated": "2020", "valid_from": "2019", "numbers": list(range(65)),
        "date": "2018", "body": "y", "keywords": "z", "link": "w",
    }  # fmt: skip
    with new_corpus() as corpus:
        corpus.add([Document("a", "Rye.", published="2021", meta=meta)])
        assert corpus.export(tmp_path / "x.jsonl").left_out == 5
        with again(tmp_path / "x.jsonl") as other:
            (version,) = held(other)
            assert json.loads(version[7]) == {"date": "2018", "body": "y", "keywords": "z", "link": "w"}
            assert (version[4], json.loads(version[6]), version[8]) == ("", [], [])


def test_metadata_with_the_name_of_metadata_stays_what_it_is(tmp_path: Path) -> None:
    meta = {"meta": {"title": "no title", "n": 1}, "metadata": "words", "team": "port"}
    with new_corpus() as corpus:
        corpus.add([Document("a", "Rye.", "Rye", published="2021", meta=meta)])
        assert corpus.export(tmp_path / "x.jsonl").left_out == 0
        with again(tmp_path / "x.jsonl") as other:
            (version,) = held(other)
            assert (version[3], json.loads(version[7])) == ("Rye", meta)


@pytest.mark.parametrize(
    "text", ["---\na: 1\n---\nRye.\n", "---\n", "--- a\nRye.", "", "\n", "---\n: [\n---\nRye.\n"]
)
def test_what_looks_like_frontmatter_is_text(tmp_path: Path, text: str) -> None:
    with new_corpus() as corpus:
        corpus.add([Document("a.md", text, "t", "2021")])
        file = exported(corpus, tmp_path)
        with new_corpus() as other:
            other.add(file)
            assert [each[-1] for each in held(other)] == [text]


def test_a_correction_is_not_told(tmp_path: Path) -> None:
    with new_corpus() as corpus:
        corpus.add([Document("a", "Rye.", published="2021")])
        corpus.correct("a", "2019")
        file = exported(corpus, tmp_path)
        assert [each["published"] for each in lines(file)] == ["2019"]


@pytest.mark.parametrize("dropped", ["Rye.", "Rye, oats."])
def test_what_a_vacuum_left_of_a_text_is_exported_with_its_headings(tmp_path: Path, dropped: str) -> None:
    """The last 12 characters, "Two" and "Bread.". "Two" began at 4 + 7 = 11, the last of these; or at
    10 + 7 = 17, where there is nothing any more."""
    outline = [Heading(0, 1, "One"), Heading(len(dropped) + 7, 1, "Two")]
    old = Document("a", f"One\n\n{dropped}\n\nTwo\n\nBread.\n", published="2020", outline=outline)
    new = Document("a", "Two\n\nBread.\n", published="2021", outline=[Heading(0, 1, "Two")])
    with new_corpus([old], clock=Clock.at("2023", 0)) as corpus:
        corpus.add([new])
        corpus.vacuum("2022")
        first = exported(corpus, tmp_path)
        assert [each["text"] for each in lines(first)] == [new.text, new.text]
        assert [each["headings"] for each in lines(first)] == [[[0, 1, "Two"]], [[0, 1, "Two"]]]
        with again(first, Clock.at("2024").now) as other:
            assert held(other) == held(corpus)
            assert [hit.published and hit.published.text for hit in other.search("bread").hits] == ["2020"]
            other.export(tmp_path / "second.jsonl")
        assert (tmp_path / "second.jsonl").read_bytes() == first.read_bytes()


def test_gzipped_it_is_the_same_file_every_time(tmp_path: Path) -> None:
    with new_corpus([FULL]) as corpus:
        file = exported(corpus, tmp_path)
        corpus.export(tmp_path / "1.jsonl.gz")
        corpus.export(str(tmp_path / "2.jsonl.gz"))
        packed = (tmp_path / "1.jsonl.gz").read_bytes()
        assert packed == (tmp_path / "2.jsonl.gz").read_bytes()
        assert gzip.decompress(packed) == file.read_bytes()
        with again(tmp_path / "1.jsonl.gz") as other:
            assert held(other) == held(corpus)


def test_a_file_is_replaced_only_when_that_is_said_and_when_all_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "InputLimits", lambda: InputLimits(line=1_000))
    with new_corpus([Document("a", "Rye.", published="2021"), Document("b", "x" * 1_000)]) as corpus:
        (tmp_path / "x.jsonl").write_text("mine")
        with pytest.raises(UsageError, match="is there already"):
            corpus.export(tmp_path / "x.jsonl")
        with pytest.raises(CorpusError, match="a version of 'b' has"):
            corpus.export(tmp_path / "x.jsonl", overwrite=True)
        (tmp_path / "y.jsonl").mkdir()
        with pytest.raises(UsageError, match="is a folder"):
            corpus.export(tmp_path / "y.jsonl")
        with pytest.raises(UsageError, match="the name of an export ends in"):
            corpus.export(tmp_path / "x.txt")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["x.jsonl", "y.jsonl"]
        assert (tmp_path / "x.jsonl").read_text() == "mine"


def test_the_folder_states_the_same_documents_afterwards(tmp_path: Path) -> None:
    for place in ("one", "two"):
        (tmp_path / place / "notes").mkdir(parents=True)
        for name in ("a", "b"):
            (tmp_path / place / "notes" / f"{name}.md").write_text(
                f"---\ndate: 2020\nn: 1\n---\n# {name}\nBread.\n"
            )
    with open_corpus(tmp_path / "one") as corpus:
        corpus.add(tmp_path / "one" / "notes")
        corpus.export(tmp_path / "x.jsonl")
    with open_corpus(tmp_path / "two") as other:
        other.add(tmp_path / "x.jsonl")
        report = other.add(tmp_path / "two" / "notes")
        assert (report.unchanged, report.written) == (2, 0)


@pytest.mark.parametrize("languages", [("en",), ("en", "de")])
def test_read_into_the_same_corpus_nothing_changed(tmp_path: Path, languages: tuple[str, ...]) -> None:
    """Whatever the order of aliases, and whether a language was stated or found."""
    note = "---\ndate: 2020-03-05\naliases: [pears, apples]\nlang: de\n---\n# Boot\nDas Boot ist auf See.\n"
    (tmp_path / "boot.md").write_text(note, "utf-8")
    with open_corpus(tmp_path, settings=CorpusSettings(languages=languages)) as corpus:
        corpus.add(tmp_path)
        report = corpus.add(exported(corpus, tmp_path))
        assert (report.changed, report.unchanged) == (0, 1)
