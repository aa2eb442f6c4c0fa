"""Which names mean the same in a view: by evidence that is in force there, and in doubt not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fact_lines import CALLED, add, corpus_of, note, view

from asof.extensions.facts.names import EntityResolver, NameMerge, SameNameStatement, merged
from asof.text.query import key
from asof.time.moment import read

AUTHORITY, SOCIETY = "International Harbour Authority", "Island Horticultural Association"
DEFINED = f"{AUTHORITY} | {CALLED} | IHA"


def entities(corpus, as_of=None, known_at=None) -> EntityResolver:
    return EntityResolver.of(view(corpus, as_of, known_at))


def same(found: EntityResolver, one: str, other: str, document: str = "") -> bool:
    return found.root_of(one, document) == found.root_of(other, document)


# -- merges and their evidence ----------------------------------------------------------------------------


def test_a_defined_acronym_means_its_expansion_in_every_document():
    said = note("a", "2020-05-01", DEFINED, f"{AUTHORITY} | opened | a quay")
    with corpus_of(said, note("b", "2020-06-01", "IHA | closed | a lock")) as corpus:
        found = entities(corpus)
        assert same(found, "I.H.A.", AUTHORITY, "b")
        assert found.keys_of(AUTHORITY) == ("authority", "iha", "international harbour authority")
        (merge,) = found.why("IHA")
        assert merge == NameMerge(AUTHORITY, "IHA", "a", merge.id, read("2020-05-01").last, DEFINED, True)
        assert merge.id.startswith("a#")
        assert found.why("a quay") == ()


def test_the_canonical_name_is_that_of_most_documents_then_the_longest_then_the_first():
    """Acronyms come last. Of 2020: Authority in a, b; Harbour Office in a, c: 2 to 2, and the longer name is
    taken. With d it is 3 to 2."""
    with corpus_of(
        note("a", "2020", f"Authority | {CALLED} | Harbour Office", f"Authority | {CALLED} | IHA"),
        note("b", "2020", "Authority | met | IHA"),
        note("c", "2020", "Harbour Office | met | IHA"),
    ) as corpus:
        assert entities(corpus).names_of("iha") == ("Harbour Office", "Authority", "IHA")
        add(corpus, note("d", "2021", "Authority | opened | a quay"))
        assert entities(corpus).canonical("iha") == "Authority"
        assert entities(corpus, "2020").canonical("iha") == "Harbour Office"
        add(corpus, note("d", "2022", "Quay Ltd | sold | rope"), note("e", "2022", "QUAY LTD | sold | tar"))
        assert entities(corpus).canonical("quay") == "QUAY LTD"  # one document and seven letters each
        assert entities(corpus).canonical("  Nobody   else ") == "Nobody else"


def test_a_merge_goes_when_its_evidence_goes():
    with corpus_of(
        note("a", "2020-05-01", DEFINED), note("b", "2020-05-01", "IHA | closed | a lock")
    ) as corpus:
        add(corpus, note("a", "2021-05-01", f"{AUTHORITY} | opened | a quay"))
        assert same(entities(corpus, "2021-04-30"), "IHA", AUTHORITY)
        assert not same(entities(corpus, "2021-05-01"), "IHA", AUTHORITY)
        assert entities(corpus).why(AUTHORITY) == ()
        corpus.purge("a")
        assert not same(entities(corpus, "2021-04-30"), "IHA", AUTHORITY)


def test_a_merge_is_not_there_before_it_was_published_or_known():
    with corpus_of(note("b", "2020-01-01", "IHA | closed | a lock"), now="2022-01-01") as corpus:
        add(corpus, note("a", "2020-05-01", DEFINED), at="2023-01-01")
        assert [same(entities(corpus, day), "IHA", AUTHORITY) for day in ("2020-04-30", "2020-05-01")] == [
            False, True,
        ]  # fmt: skip
        assert not same(entities(corpus, known_at="2022-06"), "IHA", AUTHORITY)


def test_a_ticker_of_the_metadata():
    head = {"company": "Quay Rope, Inc.", "ticker": "Q"}
    with corpus_of(note("a", "2020", "Quay Rope | sold | tar", meta=head)) as corpus:
        found = entities(corpus)
        assert same(found, "Q", "Quay Rope")
        assert [(each.sentence, each.everywhere) for each in found.why("Q")] == [("", True)]


def test_aliases_of_documents_follow_their_versions():
    """The second version has other aliases and the same passages."""
    text = ["Ada Marsh | opened | the fair"]
    with corpus_of(note("a", "2020-05-01", *text, title="Net loft", aliases=("Rope house",))) as corpus:
        assert entities(corpus).canonical("rope house") == "Rope house"  # ten letters to eight
        (merge,) = entities(corpus).why("Net loft")
        assert merge == NameMerge("Net loft", "Rope house", "a", "", read("2020-05-01").last, "", True)
        add(corpus, note("a", "2021-05-01", *text, title="Net loft", aliases=("Tar house",)))
        assert same(entities(corpus), "net loft", "tar house")
        assert not same(entities(corpus), "net loft", "rope house")
        assert same(entities(corpus, "2021-04-30"), "net loft", "rope house")


# -- in doubt not -----------------------------------------------------------------------------------------


def test_an_acronym_of_two_things_means_each_in_the_document_that_says_so():
    with corpus_of(note("a", "2020", DEFINED), note("c", "2020", "IHA | won | a prize")) as corpus:
        add(corpus, note("b", "2021", f"{SOCIETY} | {CALLED} | IHA"))
        before, now = entities(corpus, "2020"), entities(corpus)
        assert same(before, "IHA", AUTHORITY, "c")
        assert [same(now, "IHA", name, "c") for name in (AUTHORITY, SOCIETY)] == [False, False]
        assert [same(now, "IHA", AUTHORITY, document) for document in "ab"] == [True, False]
        assert [same(now, "IHA", SOCIETY, document) for document in "ab"] == [False, True]
        assert [(each.document, each.everywhere) for each in now.why(AUTHORITY)] == [("a", False)]
        assert now.keys_of(SOCIETY) == (
            "association",
            "iha",
            "island horticultural association",
        )  # a surname, say


def test_surnames_mean_the_full_name_after_it_and_in_its_document_only():
    lines = ["Quill | was | late", "Marta Quill | opened | the fair", "Reed | met | Tom Reed"]
    with corpus_of(
        note("a", "2020", "Marta Quill | opened | the fair", "Quill | left | early"),
        note("b", "2020", *lines),
        note("c", "2020", "Marta Quill | met | Ada Quill", "Quill | left | early"),
        note("d", "2020", "Marta Quill | founded | Quill Ltd", "Quill | sold | rope"),
        note("e", "2020", "Quill | left | early"),
    ) as corpus:
        found = entities(corpus)
        assert [same(found, "Quill", "Marta Quill", document) for document in "abcde"] == [
            True,
            False,  # it stands before the full name
            False,  # there are two
            False,  # it is a company's, too
            False,  # nobody is named there
        ]
        assert not same(found, "Quill", "Marta Quill")
        assert found.canonical("Quill", "a") == "Marta Quill"
        assert found.keys_of("Marta Quill") == ("marta quill", "quill")


def test_a_company_that_is_called_like_its_founder_stays_a_company():
    head = {"company": "Quill Ltd", "ticker": "QLL"}
    with corpus_of(
        note("a", "2020", "Marta Quill | left | early", "Quill | sold | rope", meta=head)
    ) as corpus:
        assert not same(entities(corpus), "Quill", "Marta Quill", "a")


def named(*pairs: str) -> list[SameNameStatement]:
    """Statements as "name=other@document", with "!" in front for one of a head."""
    found = []
    for pair in pairs:
        names, _, document = pair.lstrip("!").partition("@")
        name, _, other = names.partition("=")
        found.append(SameNameStatement(name, other, document, pair.startswith("!")))
    return found


@pytest.mark.parametrize(
    ("said", "joined"),
    [
        (["Tide Works=TW@a"], False),  # two letters
        (["!Tide Works=TW@a"], True),  # unless it is in the head
        (["Marta Quill=M. Quill@a"], False),
        (["Tide Works=the Company@a"], False),
        (["Tide Works=TWX@a", "TWX=Tide Works@b"], True),  # whichever comes first
        (["Tide Works=TWX@a", "Tower=TWX@b", "Tide Works=Tower@c"], True),  # the old and the new name
        (["Tide Works=TWX@a", "Tower=TWX@b"], False),
    ],
)
def test_what_holds_outside_of_its_document(said, joined):
    found = merged(named(*said))
    one, other = (key.lower() for key in said[0].lstrip("!").partition("@")[0].split("="))
    keys = [one, other.replace("the ", "the ").replace(".", "")]
    assert (found.root_of(keys[0]) == found.root_of(keys[1])) is joined
    if "Tower" not in said[-1]:
        assert found.root_of(keys[0], "a") == found.root_of(keys[1], "a")


def test_two_companies_are_never_joined_however_long_the_chain():
    """Alder and Birch have documents of their own; what is nearer to one is its, what is as near to both
    is nobody's."""
    heads = ["!Alder=ALD@a", "!Birch=BRC@b"]

    def roots(*between: str) -> dict[str, str]:
        found = merged(named(*heads, *between))
        assert found.root_of("ald") == found.root_of("alder")
        assert found.root_of("brc") == found.root_of("birch")
        return {found.root_of(name): name for name in ("cone", "pip", "nut", "birch", "alder")}

    # roots by the last name of the list that has each: "alder" stands for nut where these are one
    assert list(roots("Alder=Birch@c").values()) == ["cone", "pip", "nut", "birch", "alder"]
    assert list(roots("Nut=Alder@c", "Nut=Birch@d").values()) == ["cone", "pip", "nut", "birch", "alder"]
    assert sorted(roots("Nut=Alder@c", "Cone=Nut@d", "Cone=Birch@e").values()) == ["alder", "birch", "pip"]
    # alder - nut - cone - pip - birch: cone is two steps from each
    assert sorted(roots("Nut=Alder@c", "Cone=Nut@d", "Cone=Pip@e", "Pip=Birch@f").values()) == [
        "alder", "birch", "cone",
    ]  # fmt: skip


def test_a_ticker_that_has_a_document_of_its_own_is_no_other_company():
    found = merged(named("!Alder=ALD@a", "!ALD=Alder@b"))
    assert found.root_of("alder") == found.root_of("ald")
    found = merged(named("!Alder=ALD@a", "!Birch=ALD@b", "!ALD=Aldwych@c", "Birch=Alder@d"))
    assert len({found.root_of(name) for name in ("alder", "birch", "ald")}) == 3


NAMES = ["Alder", "Birch", "Cedar", "ALD", "BRC", "AB", "Fir Tree", "F. Tree"]
statements = st.builds(
    SameNameStatement, st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from("abc"), st.booleans()
)


@given(st.lists(statements, max_size=8), st.integers(0, 7))
def test_the_order_of_statements_makes_no_difference(said, at):
    assert merged(said) == merged(said[::-1]) == merged([*said[at:], *said[:at]])


@given(st.lists(statements, max_size=10))
def test_owners_stay_apart_whatever_is_said(said):
    """Except for a company and its ticker, which a head joins."""
    found = merged(said)
    companies = [name for name in ("alder", "birch", "cedar", "fir tree") if name in found.owners]
    assert len({found.root_of(name) for name in companies}) == len(companies)


def test_names_that_become_clear_one_after_the_other():
    """Each name stands for the two before it, which are one only once the name before has been joined."""
    names = [f"Pier{number} Works" for number in range(9)]
    said = [SameNameStatement(names[0], names[1], "a", False)]
    for at in range(2, 9):
        said += [SameNameStatement(names[at - back], names[at], "a", False) for back in (1, 2)]
    assert merged(said).root == dict.fromkeys(map(key, names), key(names[0]))
    without = merged(said[1:]).root  # nothing is clear: the first short name stands for two
    assert without == {}


def test_near_names():
    with corpus_of(note("a", "2020", "Marta Quill | opened | the fair", "Quay Ropes | sold | tar")) as corpus:
        found = entities(corpus)
        assert found.near("Quay Rops") == ("Quay Ropes",)
        assert found.near("Quill") == ("Marta Quill",)
        assert found.near("Xylophone") == ()
        assert entities(corpus, "2019").near("Quay Rops") == ()
