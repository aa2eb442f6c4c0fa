"""Links lead to the documents that match them best."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.made import fresh

from asof.documents import Document, Ended, SourcedTime
from asof.store.reader import BY_NAME, AsOfReader, LinkResolver, LinkTarget, folded
from asof.time.moment import read

PARTS = st.sampled_from(
    ["a", "A", "b", "ab", "mill", "Mill", "straße", "STRASSE", "\u212a", "k", "%", "_", ""]
)
ENDS = st.sampled_from([".md", ".txt", "", ".md", ".MD", "."])
NAMES = st.builds(lambda parts, end: "/".join(parts) + end, st.lists(PARTS, min_size=1, max_size=4), ENDS)
ALIASES = st.one_of(NAMES, st.sampled_from(["The Mill", "the mill", "ÄRA", "ära"]))
STATED = st.tuples(
    NAMES.filter(str.strip), st.integers(2001, 2004), st.lists(ALIASES, max_size=2), st.booleans()
)


def year(number: int) -> SourcedTime:
    return SourcedTime(read(str(number)), str(number), "metadata")


def item(name: str, when: int, aliases: list[str], ends: bool) -> Document | Ended:
    if ends:
        return Ended(name, year(when))
    return Document(name, f"text {when}", published=year(when), aliases=tuple(aliases))


def first(target: str, origin: str, ids: dict[int, str], store: AsOfReader) -> str | None:
    """The first of all documents, one by one, in the order of how well they match."""
    link = LinkTarget.of(target, origin)
    aliased = {ids[number] for alias, number in store.current_aliases() if folded(alias) == folded(target)}
    ranked = [(link.rank(name), name) for name in ids.values()]
    return min(
        (each for each in ranked if each[0][0] <= BY_NAME or each[1] in aliased), default=(None, None)
    )[1]


@pytest.mark.slow
def test_many_links_lead_where_one_does() -> None:
    @given(st.lists(STATED, max_size=10), st.lists(st.tuples(ALIASES, NAMES), min_size=1, max_size=12))
    def property_(stated: list[Any], links: list[tuple[str, str]]) -> None:
        with fresh() as corpus:
            corpus.add([item(*each) for each in stated])
            for when in ("2002", "2004"):
                store = corpus.at(when).view().store
                ids = {number: name for number, name, *_ in store.current_documents()}
                assert set(ids.values()) == {
                    name for name, *_ in stated if store.current_version(name) is not None
                }
                resolve = LinkResolver(
                    ids.values(), [(alias, ids[number]) for alias, number in store.current_aliases()]
                )
                for target, origin in [*links, *((name, name) for name, *_ in stated)]:
                    assert resolve(target, origin) == first(target, origin, ids, store), (target, origin)

    property_()


@pytest.mark.parametrize(
    ("origin", "found"),
    [
        ("x/y/z.md", "x/y/deep/mill.md"),  # shares x/y, as no other does
        ("x/q.md", "x/y/deep/mill.md"),  # shares x: the shortest of those three, then the first
        ("x/z/q.md", "x/z/deep/mill.md"),
        ("q.md", "w/deep/mill.md"),  # shares nothing: the shortest of all
        ("", "w/deep/mill.md"),
        ("zz/q.md", "w/deep/mill.md"),
    ],
)
def test_the_nearest_of_one_name(origin: str, found: str) -> None:
    names = ["x/y/deep/mill.md", "x/y/deeper/mill.md", "x/z/deep/mill.md", "w/deep/mill.md", "mill/x.md"]
    for order in (names, names[::-1]):
        assert LinkResolver(order)("mill", origin) == found


def test_case_of_letters_beyond_ascii_counts_only_beyond_ascii() -> None:
    assert folded("KÄß", "k") == "KÄß".translate({ord("K"): "k"})
    assert folded("KÄß", "ä") == "käss"
    resolve = LinkResolver(["Ära.md", "\u212aelvin.md"])  # the second begins with the sign of the unit
    assert resolve("ära") == "Ära.md"
    assert resolve("kelvin") is None
    assert resolve("\u212aelvin") == "\u212aelvin.md"


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("../b/y.md", "b/y.md"), ("./x2.md", "a/x2.md"), ("sub/../x2", "a/x2.md"), ("../../b/y", None),
        ("/", None), ("", None), ("..", None), ("../a.md", "a.md"),
    ],
)  # fmt: skip
def test_steps_in_a_path(target: str, found: str | None) -> None:
    """From a note in the folder a; a path out of the root and an empty one lead nowhere."""
    assert LinkResolver(["a/x.md", "a/x2.md", "b/y.md", "a.md"])(target, "a/x.md") == found


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("/handbook/leave", "site/handbook/leave.md"), ("/handbook/leave/", "site/handbook/leave.md"),
        ("/handbook/leave.html", "site/handbook/leave.md"), ("/handbook", "site/handbook/README.md"),
        ("../handbook", "site/handbook/README.md"), ("/handbook/pay/", "site/handbook/pay/_index.md"),
        ("/site/handbook/leave", "site/handbook/leave.md"), ("/nowhere", None), ("handbook", None),
    ],
)  # fmt: skip
def test_paths_of_a_site(target: str, found: str | None) -> None:
    names = [
        "site/handbook/leave.md",
        "site/handbook/README.md",
        "site/handbook/pay/_index.md",
        "site/x/y.md",
    ]
    assert LinkResolver(names)(target, "site/x/y.md") == found
