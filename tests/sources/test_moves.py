"""Files that are moved: one document under its last path, with the life of a file that stays."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.test_branches import START, FastImport, git
from tests.support.corpora import memory_folder, new_corpus
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import Document, Ended
from asof.sources.history import open_source
from asof.store.run import IndexReport
from asof.time.span import NEVER, iso

LINES = "".join(f"Line {number} of a text that is long enough.\n" for number in range(20))


def page(title: str, *more: str) -> str:
    return f"# {title}\n\n{LINES}" + "".join(f"\n## {each}\n\nWhat is said of {each}.\n" for each in more)


def events(
    folder: Path, below: str = "", root: str = ""
) -> list[tuple[int, str, str | None, tuple[str, ...]]]:
    """(seconds after START, path, last word or None for an end, aliases) of each statement, by time; before a
    path that is not the id the id and a colon."""
    told: list[tuple[int, str, str | None, tuple[str, ...]]] = []
    for item in open_source(folder / below, root=folder / root, history=True).documents():
        if isinstance(item, Document) and item.published:
            seconds, called = item.published.span.first // 10**6 - START, f"{item.id}:{item.path}".strip(":")
            told.append((seconds, called, item.text.split()[-1], item.aliases))
        elif isinstance(item, Ended):
            told.append((item.at.span.first // 10**6 - START, item.id, None, ()))
    return sorted(told, key=lambda each: each[:2])


A, B = page("A"), page("B", "b", "bb")
CASES: dict[str, tuple[list[dict[str, str | None]], list[tuple[int, str, str | None, tuple[str, ...]]]]] = {
    "a folder that is moved, and an edit before and after": (
        [{"a.txt": A}, {"a.txt": A + "x"}, {"a.txt": None, "new/a.md": A + "x"}, {"new/a.md": A + "y"}],
        [(0, "new/a.md:a.txt", "enough.", ()), (1, "new/a.md:a.txt", "x", ()),
         (2, "new/a.md", "x", ("a.txt",)), (3, "new/a.md", "y", ("a.txt",))],
    ),
    "a move with an edit is a version": (
        [{"a.md": A}, {"a.md": None, "b.md": A + "x"}],
        [(0, "b.md:a.md", "enough.", ()), (1, "b.md", "x", ("a.md",))],
    ),
    "from path to path, and back to the first": (
        [{"a.md": A}, {"a.md": None, "b.md": A}, {"b.md": None, "a.md": A}],
        [(0, "a.md", "enough.", ()), (1, "a.md:b.md", "enough.", ("a.md",)),
         (2, "a.md", "enough.", ("b.md",))],
    ),
    "a new file at the old path": (
        [{"a.md": A}, {"a.md": None, "b.md": A}, {"a.md": B}],
        [(0, "b.md:a.md", "enough.", ()), (1, "b.md", "enough.", ("a.md",)), (2, "a.md", "bb.", ())],
    ),
    "two files change places": (
        [{"a.md": A, "b.md": B}, {"a.md": None, "c.md": A}, {"b.md": None, "a.md": B},
         {"c.md": None, "b.md": A}],
        [(0, "a.md:b.md", "bb.", ()), (0, "b.md:a.md", "enough.", ()), (1, "b.md:c.md", "enough.", ("a.md",)),
         (2, "a.md", "bb.", ("b.md",)), (3, "b.md", "enough.", ("a.md", "c.md"))],
    ),
    "deleted, and new at the same path": (
        [{"a.md": A}, {"a.md": None}, {"a.md": A}],
        [(0, "a.md", "enough.", ()), (1, "a.md", None, ()), (2, "a.md", "enough.", ())],
    ),
    "a split goes on in the part that is most alike": (
        [{"a.md": B}, {"a.md": None, "b.md": B + "x", "c.md": page("B", "b")}],
        [(0, "b.md:a.md", "bb.", ()), (1, "b.md", "x", ("a.md",)), (1, "c.md", "b.", ())],
    ),
    "another one came to the path of one that had ended": (
        [{"a.md": A, "b.md": B}, {"a.md": None}, {"b.md": None, "a.md": B}],
        [(0, "a.md:b.md", "bb.", ()), (0, "a.md@:a.md", "enough.", ()), (1, "a.md@", None, ()),
         (2, "a.md", "bb.", ("b.md",))],
    ),
    "ended while it was called otherwise": (
        [{"a.md": A}, {"a.md": None, "b.md": A}, {"b.md": None}],
        [(0, "b.md:a.md", "enough.", ()), (1, "b.md", "enough.", ("a.md",)), (2, "b.md", None, ())],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_moves(name, tmp_path):
    commits, expected = CASES[name]
    write(tmp_path, commits)
    assert [(at, re.sub("@[0-9a-f]+", "@", name), *rest) for at, name, *rest in events(tmp_path)] == expected


def write(folder: Path, commits: list[dict[str, str | None]]) -> None:
    """A repository whose commits are a second apart."""
    made = FastImport()
    for number, edits in enumerate(commits):
        made.commit("main", number, edits, parents=[number] if number else [])
    made.write(folder, "main")


def test_into_a_folder_and_out_of_it(tmp_path):
    commits: list[dict[str, str | None]] = [
        {"a.txt": A, "docs/b.md": B}, {"a.txt": A + "x"}, {"a.txt": None, "docs/a.md": A + "x"},
        {"docs/b.md": None, "old/b.md": B}, {"old/b.md": B + "x"},
    ]  # fmt: skip
    write(tmp_path, commits)
    for root, top in (("", "docs/"), ("docs", "")):
        told = events(tmp_path, "docs", root)
        assert [each for each in told if each[1].startswith(f"{top}a.md")] == [
            (0, f"{top}a.md:a.txt", "enough.", ()), (1, f"{top}a.md:a.txt", "x", ()),
            (2, f"{top}a.md", "x", ("a.txt",)),
        ]  # fmt: skip
        assert [each for each in told if each[1] == f"{top}b.md"] == [
            (0, f"{top}b.md", "bb.", ()), (3, f"{top}b.md", None, ())
        ]  # fmt: skip


class Library:
    """One history twice: with files that move, and with the same edits of files that stay."""

    def __init__(self) -> None:
        self.moving, self.still = FastImport(), FastImport()
        self.at = 0
        self.texts: dict[int, list[str]] = {}  # the sections of each document
        self.paths: dict[int, str] = {}
        self.made = 0

    def commit(self, *changed: int, gone: int = 0, left: str = "") -> None:
        """Commit documents that changed, one that is gone, and the path that one of the changed left."""
        at: dict[str, str | None] = {left: None} if left else {}
        once: dict[str, str | None] = {}
        if gone:
            at[self.paths.pop(gone)] = once[f"{gone}.md"] = None
        for number in changed:
            text = f"# Document {number}\n\n" + "\n".join(self.texts[number])
            at[self.paths[number]] = once[f"{number}.md"] = text
        parents = [self.moving.count] if self.moving.count else []
        self.moving.commit("main", self.at, at, parents=parents)
        self.still.commit("main", self.at, once, parents=parents)
        self.at += 60

    def section(self, number: int) -> str:
        self.made += 1
        words = "".join(f"Sentence {line} of part {self.made} in {number}.\n" for line in range(6))
        return f"## Part {self.made}\n\n{words}"


PLACES = [f"{folder}{name}.md" for folder in ("", "sub/", "sub/deep/") for name in "abcd"]


@st.composite
def libraries(draw: st.DrawFn) -> Library:
    """Documents that are made, edited, moved (with an edit or not), split, merged and deleted."""
    library = Library()
    for number in range(1, draw(st.integers(4, 14))):
        free = sorted(set(PLACES) - set(library.paths.values()))
        there = sorted(library.paths)
        acts = ["edit", "move", "move", "split", "merge", "delete"] if len(there) > 1 else ["new"]
        act = draw(st.sampled_from(acts))
        document = draw(st.sampled_from(there)) if there else 0
        if act in ("new", "split"):
            library.paths[number] = draw(st.sampled_from(free))
            library.texts[number] = [library.section(number) for _ in range(4)]
            if act == "split" and len(library.texts[document]) > 1:
                library.texts[document].pop()
            library.commit(number, *([document] if act == "split" else []))
        elif act == "merge":
            other = draw(st.sampled_from([each for each in there if each != document]))
            library.texts[other] += library.texts.pop(document)[:1]
            library.commit(other, gone=document)
        elif act == "delete":
            library.commit(gone=document)
        else:
            left = library.paths[document] if act == "move" else ""
            if act == "edit" or draw(st.booleans()):
                library.texts[document].insert(draw(st.integers(0, 1)), library.section(document))
            if left:
                library.paths[document] = draw(st.sampled_from(free))
            library.commit(document, left=left)
    return library


def lives(corpus: Corpus) -> list[Any]:
    """Every passage that was ever current: its words, since when, until when, and the date of its version;
    under all its paths."""
    return db_of(corpus).execute(
        "SELECT p.headings, p.text, v.visible, max(p.ended), v.starts FROM ("
        f" SELECT p.*, coalesce(min(e.at), {NEVER}) AS ended FROM passages AS p LEFT JOIN ends AS e"
        " ON e.passage = p.id GROUP BY p.id HAVING ended > 0) AS p JOIN versions AS v ON v.id = p.version"
        " GROUP BY p.version, p.key ORDER BY 3, 1, 2"
    ).fetchall()  # fmt: skip


@given(libraries())
def test_a_document_lives_as_if_its_file_had_never_moved(library):
    with memory_folder() as folder, new_corpus() as moving, new_corpus() as still, new_corpus() as later:
        for made, corpus in ((library.moving, moving), (library.still, still)):
            with TemporaryDirectory(dir=folder) as name:
                made.write(Path(name), "main")
                corpus.add(open_source(Path(name), root=Path(name), history=True))
                if corpus is moving:
                    git(Path(name), "checkout", "-q", "-B", "before", "HEAD~1")
                    later.add(open_source(Path(name), root=Path(name), history=True), allow_shrinking=True)
                    git(Path(name), "checkout", "-q", "main")
                    later.add(open_source(Path(name), root=Path(name), history=True))
        assert lives(moving) == lives(still) == lives(later)
        for at in range(0, library.at, 180):
            shown = [texts(corpus.at(iso((START + at) * 10**6))) for corpus in (moving, still, later)]
            assert shown[0] == shown[1] == shown[2]


def texts(snapshot: Any) -> list[str]:
    return sorted(snapshot.text(each.id) for each in snapshot.documents())


def test_a_run_after_a_move_knows_the_document_as_before_until_then(tmp_path):
    """The new id has the whole past; what was known before the run is as it was. No document is missing."""
    write(tmp_path, [{f"{name}.md": page(name)} for name in "abc"])
    with open_corpus(tmp_path) as corpus:
        corpus.add(tmp_path, history=True)
        (known,) = db_of(corpus).execute("SELECT max(id) FROM transactions").fetchone()
        (tmp_path / "sub").mkdir()
        git(tmp_path, "mv", "a.md", "b.md", "c.md", "sub")
        git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x")
        report = corpus.add(tmp_path, history=True)
        assert (report.added, report.ended, report.changed, report.problems) == (3, 0, 3, [])
        then = iso((START + 1) * 10**6)
        assert listed(corpus.at(then)) == ["sub/a.md", "sub/b.md"]
        assert listed(corpus.at(then, known_at=iso(known))) == ["a.md", "b.md"]
        hits = [corpus.at(then).search("text", path=each).hits for each in ("a.md", "sub/a.md", "c.md")]
        assert [sorted({hit.document for hit in each}) for each in hits] == [["sub/a.md"], ["sub/a.md"], []]
        assert [str(hit.published)[:10] for hit in hits[0][:1]] == ["2020-09-13"]
        assert corpus.at(then).called("b.md") == "sub/b.md"


def test_a_corrected_date_goes_with_the_text_that_moves(tmp_path):
    write(tmp_path, [{"a.md": A, "b.md": B}])
    with open_corpus(tmp_path) as corpus:
        corpus.add(tmp_path, history=True)
        corpus.correct("a.md", "2018")
        (known,) = db_of(corpus).execute("SELECT max(id) FROM transactions").fetchone()
        git(tmp_path, "mv", "a.md", "c.md")
        git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x")
        corpus.add(tmp_path, history=True)
        assert corpus.add(tmp_path, history=True).written == 0
        assert listed(corpus.at("2019")) == ["c.md"]
        assert listed(corpus.at("2019", known_at=iso(known))) == ["a.md"]


def test_a_move_is_known_since_its_run_whatever_dates_the_file(tmp_path):
    """Also where its name does, or its header; and again, back to the first name."""
    text = "Minutes: the fence was agreed by all neighbours.\n"
    with open_corpus(tmp_path) as corpus:
        indexed(corpus, tmp_path / "notes", {"2021-02-03 fence.md": text, "x.md": OTHER})
        names = ["2021-02-03 fence.md", "2023-04-05 wall.md", "wall.md", "2019-01-01 fence.md"]
        names.append(names[0])
        for old, new in pairwise(names):
            report = indexed(corpus, tmp_path / "notes", {old: None, new: text})
            assert (report.added, report.changed, report.ended) == (0, 1, 0)
            assert indexed(corpus, tmp_path / "notes", {}).written == 0
            assert [hit.document for hit in corpus.at().search("fence agreed").hits] == [f"notes/{new}"]
            (hit,) = corpus.at("2022").search("fence agreed").hits
            assert (hit.title, str(hit.published)[:10]) == ("2021-02-03 fence", "2021-02-03")
            assert not corpus.at("2024").search("wall").hits
            assert not corpus.at("2020").search("fence").hits
        assert corpus.status().documents == 2
        assert [source.documents for source in corpus.status().sources] == [2]


def test_edits_of_an_earlier_text_do_not_come_back_behind_a_later_date(tmp_path):
    """The header is edited, then text and date: what is stated now holds since its date, and nothing is said
    again that nobody wrote."""
    note = "---\nstatus: {}\ndate: {}\n---\nRemote costs are {} euros a month for everybody.\n"
    with open_corpus(tmp_path) as corpus:
        for state in (("draft", "2019-03-01", 45), ("final", "2019-03-01", 45), ("final", "2020-04-01", 52)):
            indexed(corpus, tmp_path / "notes", {"g.md": note.format(*state)})
        (known,) = db_of(corpus).execute("SELECT max(id) FROM transactions").fetchone()
        said = [each.sentence for each in corpus.at().timeline("remote costs").entries]
        assert [re.findall("[0-9]+", each) for each in said] == [["45"], ["52"]]
        for when, costs in (("2019-06", "45"), ("2020-06", "52"), ("2100", "52")):
            assert costs in corpus.at(when).search("remote costs").hits[0].text
        before = corpus.at("2100", known_at=iso(known - 1)).search("remote costs").hits[0]
        assert "45" in before.text
        assert indexed(corpus, tmp_path / "notes", {}).written == 0


def test_a_document_is_found_by_a_name_of_then_and_by_its_id(tmp_path):
    write(tmp_path, [{"draft/pelican.md": A}, {"draft/pelican.md": None, "ops/flamingo.md": A}])
    with open_corpus(tmp_path) as corpus:
        corpus.add(tmp_path, history=True)
        then, now = (corpus.at(iso((START + at) * 10**6)) for at in range(2))
        for name in ("pelican", "draft/pelican.md", "pelican.md", "ops/flamingo.md"):
            assert then.called(name) == now.called(name) == "ops/flamingo.md"
        for snapshot in (then, now):
            assert snapshot.search("text", path="ops/flamingo.md").hits
            assert snapshot.search("text", path="draft/*").hits
        assert not then.search("text", path="ops/*").hits


def test_words_of_a_path_are_searched_since_the_move(tmp_path):
    """A text keeps its date and the ids of its hits, under any path and metadata."""
    text = f"---\nstatus: {{}}\n---\n{A}"
    write(tmp_path, [{"leave.md": text.format("draft")}, {"leave.md": text.format("final")},
                     {"leave.md": None, "zebra.md": text.format("final")}])  # fmt: skip
    with open_corpus(tmp_path) as corpus:
        corpus.add(tmp_path, history=True)
        began, edited, moved = (corpus.at(iso((START + at) * 10**6)) for at in range(3))
        assert [len(each.search("zebra", 1).hits) for each in (began, edited, moved)] == [0, 0, 1]
        assert [len(each.search("leave", 1).hits) for each in (began, edited, moved)] == [1, 1, 1]  # an alias
        for path, found in (("lea*.md", (1, 1, 1)), ("zeb*.md", (0, 0, 1))):
            hits = [each.search("long enough", 1, path=path).hits for each in (began, edited, moved)]
            assert tuple(map(len, hits)) == found
        shown = [each.search("long enough text", 1).hits[0] for each in (began, edited, moved)]
        assert [hit.published for hit in shown] == [shown[0].published] * 3
        assert len({hit.id for hit in shown}) == 1
        assert moved.search("text", meta={"status": "final"}).hits
        assert not moved.search("text", meta={"status": "draft"}).hits
        assert began.search("text", meta={"status": "draft"}).hits


def listed(snapshot: Any) -> list[str]:
    return [each.id for each in snapshot.documents()]


NOTE = "# Roof\n\nThe roof was repaired by Anna.\n"
OTHER = "# Other\n\nA note that stays as it is.\n"


def indexed(corpus: Corpus, folder: Path, files: dict[str, str | None]) -> IndexReport:
    """The report of a run over the folder after these files were written, or removed."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
    return corpus.add(folder)


def test_a_folder_without_git_knows_what_moved_by_its_bytes(tmp_path):
    folder, dated = tmp_path / "notes", "---\ndate: {}\n---\n"
    old, new = dated.format("2019-05-01") + NOTE, dated.format("2021-05-01") + NOTE + "\nAnd by Bert.\n"
    with open_corpus(tmp_path) as corpus:
        indexed(corpus, folder, {"a.md": old, "c.md": OTHER})
        indexed(corpus, folder, {"a.md": new})
        (known,) = db_of(corpus).execute("SELECT max(id) FROM transactions").fetchone()
        before = lives(corpus)
        report = indexed(corpus, folder, {"a.md": None, "sub/b.md": new})
        assert (report.added, report.changed, report.ended) == (0, 1, 0)
        assert lives(corpus) == before
        assert listed(corpus.at("2020")) == ["notes/sub/b.md"]
        assert listed(corpus.at("2020", known_at=iso(known))) == ["notes/a.md"]
        hit = corpus.at().search("Bert", path="notes/a.md").hits[0]
        assert (hit.document, str(hit.published)[:10], hit.dated_by) == (
            "notes/sub/b.md",
            "2021-05-01",
            "frontmatter",
        )
        assert indexed(corpus, folder, {}).written == 0
        indexed(corpus, folder, {"sub/b.md": f"{new}More.\n"})
        assert corpus.at().called("notes/a.md") == "notes/sub/b.md"
        indexed(corpus, folder, {"sub/b.md": None, "a.md": f"{new}More.\n"})
        assert listed(corpus.at("2020")) == ["notes/a.md"]
        corpus.purge("notes/a.md")
        (left,) = db_of(corpus).execute("SELECT text FROM passages").fetchall()
        assert left[0].startswith("Other")


@pytest.mark.parametrize(
    ("files", "report"),
    [
        ({"b.md": NOTE}, (0, 1, 0)),  # added, changed, ended
        ({"b.md": NOTE, "c.md": NOTE}, (2, 0, 1)),  # which of them?
        ({"b.md": f"{NOTE}More.\n"}, (1, 0, 1)),
        ({"b.md": OTHER}, (1, 0, 1)),
    ],
)
def test_what_has_other_bytes_or_stands_twice_is_new(tmp_path, files, report):
    with open_corpus(tmp_path) as corpus:
        indexed(
            corpus, tmp_path / "notes", {"a.md": NOTE, "x.md": OTHER, "y.md": OTHER, "z.md": NOTE + OTHER}
        )
        run = indexed(corpus, tmp_path / "notes", {"a.md": None, **files})
        assert (run.added, run.changed, run.ended) == report


def test_a_note_that_is_titled_by_its_name_has_another_title_since_it_was_renamed(tmp_path):
    with open_corpus(tmp_path) as corpus:
        indexed(
            corpus,
            tmp_path / "notes",
            {"2019-01-01 roof.md": "The roof was repaired by Anna.\n", "x.md": OTHER},
        )
        indexed(
            corpus,
            tmp_path / "notes",
            {"2019-01-01 roof.md": None, "house.md": "The roof was repaired by Anna.\n"},
        )
        assert [corpus.at(when).documents()[0].title for when in ("2020", "2100")] == [
            "2019-01-01 roof",
            "house",
        ]


@pytest.mark.parametrize("ending", [".md", ".txt", ".html"])
def test_a_moved_file_keeps_its_date_and_nothing_in_it_was_removed(tmp_path, ending):
    with open_corpus(tmp_path) as corpus:
        indexed(corpus, tmp_path, {f"2021-02-03 fence{ending}": NOTE, f"2023-04-05 wall{ending}": OTHER})
        indexed(
            corpus, tmp_path, {f"2021-02-03 fence{ending}": None, f"archive/2021-02-03 fence{ending}": NOTE}
        )
        dates = [(each.id, str(each.published)[:10]) for each in corpus.at().documents()]
        assert dates == [
            (f"2023-04-05 wall{ending}", "2023-04-05"), (f"archive/2021-02-03 fence{ending}", "2021-02-03")
        ]  # fmt: skip
        assert corpus.at().changes("2024").documents == ()
