"""Who links to whom, as of a moment."""

from __future__ import annotations

import numpy as np
import pytest
from tests.revisions.made import document, fresh

from asof.documents import Ended, Link, SourcedTime
from asof.errors import UsageError
from asof.index.view import View
from asof.revisions.links import Neighbour, links, reach
from asof.time.moment import read


def to(*targets: str) -> tuple[Link, ...]:
    return tuple(Link(target) for target in targets)


def counts(view: View) -> dict[str, int]:
    """Backlinks by id, of the documents that have any."""
    graph = links(view)
    numbers = np.array(list(graph.titles), np.int64)
    found = graph.backlinks(numbers).tolist()
    return {
        graph.titles[number][0]: count for number, count in zip(numbers.tolist(), found, strict=True) if count
    }


def test_each_other_document_counts_once() -> None:
    with fresh() as corpus:
        corpus.add([
            document("ferry.md", "text", "2020", links=to("ferry", "mill", "mill.md", "MILL")),
            document("log/mill.md", "text", "2020", aliases=("The Mill",)),
            document("rope.md", "text", "2020", links=(Link("The Mill"), Link("ferry", kind="embed"))),
            document("bell.md", "text", "2020", links=to("nowhere", "ferry")),
        ])  # fmt: skip
        view = corpus.at().view()
        assert counts(view) == {"ferry.md": 2, "log/mill.md": 2}
        assert reach(view, "bell.md", 1).broken == ("nowhere",)
        assert reach(view, "ferry.md", 1).broken == ()
        assert links(view) is links(view)


def test_a_folder_and_what_is_outside_are_no_broken_links() -> None:
    with fresh() as corpus:
        targets = to("sub/", "sub", "../sea/sub", "../../outside.md", "/site/page", "nowhere", "none/")
        corpus.add([document("sea/log.md", "text", "2020", links=targets),
                    document("sea/sub/mill.md", "text", "2020")])  # fmt: skip
        assert reach(corpus.at().view(), "sea/log.md", 1).broken == ("none/", "nowhere")


def test_links_lead_where_they_led_then() -> None:
    with fresh() as corpus:
        corpus.add([
            document("a/ferry.md", "old", "2020"),
            Ended("a/ferry.md", SourcedTime(read("2022"), "2022", "git")),
            document("b/longer/ferry.md", "new", "2021"),
            document("log.md", "one", "2019", links=to("ferry", "mill")),
            document("log.md", "two", "2023", links=to("mill")),
            document("mill.md", "text", "2023"),
        ])  # fmt: skip
        assert counts(corpus.at("2019").view()) == {}
        assert reach(corpus.at("2019").view(), "log.md", 1).broken == ("ferry", "mill")
        assert counts(corpus.at("2021").view()) == {"a/ferry.md": 1}
        assert counts(corpus.at("2022").view()) == {"b/longer/ferry.md": 1}
        assert counts(corpus.at("2023").view()) == {"mill.md": 1}


def test_a_version_that_changes_no_passage_changes_the_links() -> None:
    """All times after the last passage share what is kept of a view; links may still come and go."""
    with fresh() as corpus:
        corpus.add([
            document("mill.md", "text", "2020"), document("log.md", "said", "2020"),
            document("log.md", "said", "2021", links=to("mill")),
            document("empty.md", "", "2022", links=to("mill", "log")),
            document("empty.md", "", "2023", links=to("log")),
        ])  # fmt: skip
        at = {year: corpus.at(year).view() for year in ("2020", "2021", "2022", "2023")}
        assert len({id(at[year].prefix) for year in ("2021", "2022", "2023")}) == 1
        for year in ("2023", "2020", "2022", "2021", "2023"):
            assert counts(at[year]) == {
                "2020": {}, "2021": {"mill.md": 1}, "2022": {"mill.md": 2, "log.md": 1},
                "2023": {"mill.md": 1, "log.md": 1},
            }[year]  # fmt: skip


def test_neighbours_both_ways() -> None:
    with fresh() as corpus:
        corpus.add([
            document("a", "text", "2020", title="Alpha", links=to("b", "e")),
            document("b", "text", "2020", links=to("c")), document("c", "text", "2020", links=to("d", "a")),
            document("d", "text", "2020"), document("e", "text", "2020", title="Echo", links=to("a")),
        ])  # fmt: skip
        view = corpus.at().view()
        first = [Neighbour("b", "", 1, "out"), Neighbour("c", "", 1, "in"), Neighbour("e", "Echo", 1, "both")]
        assert list(reach(view, "a", 1).neighbours) == first
        assert list(reach(view, "a", 2).neighbours) == [
            *first, Neighbour("b", "", 2, "in"), Neighbour("c", "", 2, "out"),
        ]  # fmt: skip
        assert [each for each in reach(view, "a", 5).neighbours if each.distance > 2] == [
            Neighbour("d", "", 3, "out")
        ]
        assert reach(view, "d", 1).neighbours[0] == Neighbour("c", "", 1, "in")
        for depth in (0, 6):
            with pytest.raises(UsageError, match="1 to 5"):
                reach(view, "a", depth)


def test_nobody_links() -> None:
    with fresh(document("a", "text")) as corpus, fresh() as empty:
        for view in (corpus.at().view(), empty.at().view()):
            assert counts(view) == {}
            assert links(view).backlinks(np.array([1, 7])).tolist() == [0, 0]
