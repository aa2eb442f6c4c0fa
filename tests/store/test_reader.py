"""Reading the store as it stood: links, names, aliases, filters over attributes, times."""

from __future__ import annotations

from typing import Any

import pytest
from tests.store.made import document, fresh, said
from tests.support.rows import db_of

from asof.documents import Ended, SourcedTime
from asof.errors import UsageError
from asof.queries import metadata_condition, metadata_filter
from asof.store.reader import AsOfReader, documents_passing
from asof.time.moment import read
from asof.time.span import NEVER


@pytest.mark.parametrize(
    ("target", "origin", "found"),
    [
        ("notes/ferry", "", "notes/ferry.md"),
        ("notes/ferry.md", "", "notes/ferry.md"),
        ("/notes/ferry", "x/y.md", "notes/ferry.md"),
        ("ferry", "notes/mill.md", "notes/ferry.md"),
        ("ferry", "old/mill.md", "old/ferry.md"),
        ("ferry", "old/deep/mill.md", "old/ferry.md"),
        ("ferry", "", "old/ferry.md"),  # as near as the other: the shortest id
        ("FERRY", "notes/mill.md", "notes/ferry.md"),
        ("old/ferry", "notes/mill.md", "old/ferry.md"),
        ("The Crossing", "", "notes/ferry.md"),  # an alias
        ("the crossing", "old/ferry.md", "notes/ferry.md"),
        ("erry", "", None),
        ("f_rry", "", None),
        ("%", "", None),
        ("", "", None),
        ("100%", "", "notes/100%.md"),
        ("v1.2", "", "notes/v1.2.md"),
    ],
)
def test_where_a_link_leads(target: str, origin: str, found: str | None) -> None:
    with fresh() as corpus:
        corpus.add([
            document("notes/ferry.md", "text", "2020", aliases=("The Crossing",)),
            document("old/ferry.md", "text", "2020"), document("notes/100%.md", "text", "2020"),
            document("notes/v1.2.md", "text", "2020"),
        ])  # fmt: skip
        assert corpus.at().resolve(target, origin) == found


def test_a_link_leads_to_what_was_in_force_then() -> None:
    with fresh() as corpus:
        corpus.add([
            document("a/ferry.md", "text", "2020"),
            Ended("a/ferry.md", SourcedTime(read("2022"), "2022", "git")),
            document("b/longer/ferry.md", "text", "2021", aliases=("boat",)),
            document("b/longer/ferry.md", "other", "2023", aliases=("ship",)),
        ])  # fmt: skip
        moments = ["2019", "2020", "2021", "2022"]
        assert [corpus.at(moment).resolve("ferry") for moment in moments] == [
            None, "a/ferry.md", "a/ferry.md", "b/longer/ferry.md",
        ]  # fmt: skip
        assert [corpus.at(year).resolve("boat") for year in ("2022", "2023")] == ["b/longer/ferry.md", None]
        assert [corpus.at(year).resolve("ship") for year in ("2022", "2023")] == [None, "b/longer/ferry.md"]


def names(corpus: Any, **filters: Any) -> set[str]:
    wanted = {"source": "", "paths": (), "tags": (), "meta": (), **filters}
    found = documents_passing(AsOfReader(db_of(corpus), NEVER, NEVER), **wanted)
    of = dict(db_of(corpus).execute("SELECT id, name FROM documents").fetchall())
    return {of[document] for document in found}


def test_ids_that_begin_with_a_text_are_those_of_current_documents() -> None:
    with fresh() as corpus:
        corpus.add([
            document("n/a-1", "text", "2020"), document("n/a-2", "text", "2021"),
            document("n/a*", "text", "2022"), document("n/b", "text", "2020"),
            document("N/a-3", "text", "2020"),
            Ended("n/a-1", SourcedTime(read("2023"), "2023", "git")),
        ])  # fmt: skip

        def begin(moment: str, prefix: str) -> list[str]:
            found: list[str] = corpus.at(moment).use(lambda view: view.store.ids_from(prefix))
            return found

        assert [begin(moment, "n/a-") for moment in ("2019", "2020", "2021", "2023")] == [
            [], ["n/a-1"], ["n/a-2", "n/a-1"], ["n/a-2"],
        ]  # fmt: skip
        assert begin("2023", "n/a*") == ["n/a*"]  # a text, no pattern
        assert corpus.at("2023", "2000").use(lambda view: view.store.ids_from("n/")) == []  # not yet known


@pytest.mark.parametrize(
    ("condition", "passing"),
    [
        ("year=2023", "a"), ("year>=2023", "abc"), ("year>2023", "bc"), ("year<2025", "ac"),
        ("team=harbour", "ab"), ("team=bakery|sea", "bc"), ("team!=harbour", "cd"), ("team=*", "abc"),
        ("team!=*", "d"), ("day>2024-05", "d"), ("year>300", "ab"), ("draft=true", "a"), ("yaer=2023", ""),
    ],
)  # fmt: skip
def test_conditions_on_metadata(condition: str, passing: str) -> None:
    """As they are typed, and as Python has them. A text compares as a text: "2024" is not above "300"."""
    with fresh() as corpus:
        corpus.add([
            document("a", "text", meta={"year": 2023, "team": "harbour", "draft": True}),
            document("b", "text", meta={"year": 2025, "team": ["bakery", "harbour"]}),
            document("c", "text", meta={"team": "sea", "year": "2024"}),
            document("d", "text", meta={"day": "2024-06-01"}),
        ])  # fmt: skip
        meta = metadata_filter([metadata_condition(condition)])
        assert "".join(sorted(names(corpus, meta=meta))) == passing


@pytest.mark.parametrize("value", [0.00001, 1e22, 0.1 + 0.2, 10**25, 2.0, True, "x", [7]])
def test_a_value_equals_itself_under_any_key(value: object) -> None:
    """Also a key that ends as a condition does."""
    with fresh() as corpus:
        corpus.add([document("a", "text", meta={"n": value, "logged in": "yes", "p>": "1"})])
        for meta, found in (
            ({"n": value}, {"a"}), ({"n": {"ne": 8}}, {"a"}), ({"logged in": "yes"}, {"a"}),
            ({"p>": "1"}, {"a"}), ({"n in": "x"}, set[str]()),
        ):  # fmt: skip
            assert names(corpus, meta=metadata_filter(meta)) == found, meta


@pytest.mark.parametrize(
    ("meta", "typed"),
    [
        ({"team": ["a", "b"]}, "team=a|b"), ({"year": {"gte": "2024"}}, "year>=2024"),
        ({"year": {"$lt": "5"}}, "year < 5"), ({"team": {"exists": False}}, "team!=*"),
        ({"team": {"ne": "a"}}, "team!=a"),
    ],
)  # fmt: skip
def test_a_condition_is_the_same_in_python_and_typed(meta: dict[str, object], typed: str) -> None:
    assert metadata_filter(meta) == metadata_filter([metadata_condition(typed)])


@pytest.mark.parametrize("meta", [{"a": {"like": "x"}}, {"a": object()}, [("a",)]])
def test_what_is_no_condition(meta: object) -> None:
    with pytest.raises(UsageError, match=r"accepted|mapping"):
        metadata_filter(meta)


def test_several_values_behind_a_sign_that_takes_one() -> None:
    with pytest.raises(UsageError, match="one value is expected behind !="):
        metadata_condition("team!=sea|land")


def test_filters_over_attributes() -> None:
    with fresh() as corpus:
        corpus.add(said(
            document("a/x.md", "text", tags=("sea", "boat"), meta={"n": 3, "draft": True, "who": ["Ann", 7]}),
            document("a/y.md", "text", tags=("sea",), meta={"n": 1.5, "draft": False, "none": None}),
            name="one",
        ))  # fmt: skip
        corpus.add(said(document("b/x.md", "text", meta={"n": "3"}), name="two"))
        everything = {"a/x.md", "a/y.md", "b/x.md"}
        assert names(corpus) == everything
        assert names(corpus, source="two") == {"b/x.md"}
        assert names(corpus, source="three") == set()
        assert names(corpus, paths=("a/*",)) == {"a/x.md", "a/y.md"}
        assert names(corpus, paths=("*/x.md",)) == {"a/x.md", "b/x.md"}
        assert names(corpus, paths=("a",)) == {"a/x.md", "a/y.md"}
        assert names(corpus, paths=("a/",)) == {"a/x.md", "a/y.md"}
        assert names(corpus, paths=("a/", "*/x.md")) == {"a/x.md"}
        assert names(corpus, tags=("sea",)) == {"a/x.md", "a/y.md"}
        assert names(corpus, tags=("sea", "#boat")) == {"a/x.md"}
        corpus.add(
            [document("b.md", "text", tags=("sea/deep",)), document("c.md", "text", tags=("sea-bed",))]
        )
        assert (
            names(corpus, tags=("sea",)) == names(corpus, any_tags=("sea",)) == {"a/x.md", "a/y.md", "b.md"}
        )
        assert "b.md" not in names(corpus, no_tags=("sea",))
        assert names(corpus, tags=("sea/deep",)) == {"b.md"}
        assert names(corpus, any_tags=("#boat", "sky")) == {"a/x.md"}
        assert names(corpus, no_tags=("#boat", "sky"), paths=("a/*",)) == {"a/y.md"}
        assert names(corpus, documents=("a/y.md", "nothing")) == {"a/y.md"}
        assert names(corpus, documents=("a/y.md",), any_tags=("boat",)) == set()
        assert names(corpus, meta=(("n", "3"),)) == {"a/x.md", "b/x.md"}
        assert names(corpus, meta=(("n", "1.5"),)) == {"a/y.md"}
        assert names(corpus, meta=(("draft", "true"),)) == {"a/x.md"}
        assert names(corpus, meta=(("draft", "false"),)) == {"a/y.md"}
        assert names(corpus, meta=(("who", "Ann"),)) == names(corpus, meta=(("who", "7"),)) == {"a/x.md"}
        assert names(corpus, meta=(("n", "3"), ("draft", "true")), source="one", paths=("a/*",)) == {"a/x.md"}
        assert names(corpus, meta=(("N", "3"),)) == set()
