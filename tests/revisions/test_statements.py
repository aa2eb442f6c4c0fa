"""Statements without titles: which of them a later one makes obsolete, and which it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.revisions.made import document, fresh
from tests.revisions.test_succession import follows

from asof.index.features import grammar_of
from asof.index.statements import LONGEST, NOTHING, statement_of, without_its_time
from asof.text.tokens import Analyzer

SUCCEED = [
    ("Mira works at Nordwind since 2019.", "Mira works at Sudbury Labs."),
    ("Otto Brandl lives at Lindenallee 4.", "Otto Brandl has moved. His new address is Rheinstrasse 77."),
    ("Otto lives at Lindenallee 4.", "Otto has moved."),
    ("Mira is married to Tom.", "Mira is married to Paul."),
    ("Mira is based in Lyon.", "Mira is based in Ghent."),
    ("The rent of flat 3 is 800 euros.", "From 1 May 2024 the rent of flat 3 is 850 euros."),
    ("The favourite coffee of the user is a cortado.", "The favourite coffee of the user is a flat white."),
    ("The user's dentist is Dr Okafor.", "The user's dentist is Dr Lind."),
    ("The user's dentist is Dr. Okafor.", "The user's dentist is Dr. Lind."),
    ("The wifi password is swordfish.", "The wifi password is now trombone."),
    ("The spare key is at Tom's.", "The spare key is at Ida's."),
    ("Locker 2 belongs to Sam.", "Locker 2 belongs to Ida."),
    ("The town choir meets on Tuesdays.", "The town choir is no longer held."),
    ("The town choir meets on Tuesdays.", "The town choir has ended."),
    ("The town choir meets on Tuesdays.", "The town choir was cancelled on 3 June 2023."),
    ("Die Chorprobe am Kai ist um 9 Uhr.", "Die Chorprobe am Kai findet nicht mehr statt."),
    ("My gym opens at 6.", "My gym opens at 7."),
    ("I live in Lyon", "I live in Ghent"),
    ("Ada Marsh is the master of the harbour.", "Tom Reed is the master of the harbour."),
    ("Where is the ferry now: at the mole.", "Where is the ferry now: at the quay."),
    ("Mara lives in Lyon with two cats.", "Mara moved from Lyon to Ghent."),
    ("Mara moved from Lyon to Ghent.", "Mara moved from Ghent to Oslo."),
    ("Use Jina as the search provider.", "Use Exa from now on, no longer Jina."),
    ("We use Jina for the search.", "We use Exa instead of Jina."),
    ("The user drinks two coffees a day.", "The user doesn't drink coffee any more."),
    ("The user works at Brightline as a nurse.", "The user left Brightline and works at Harrow now."),
    ("Our team meets on Tuesdays.", "The team meeting was changed from Tuesdays to Thursdays."),
    ("Standup is at 9:30 every day.", "Standup moved from 9:30 to 10:00."),
    ("Our CI runs on Jenkins.", "We migrated our CI from Jenkins to Buildkite."),
    ("The user prefers window seats.", "The user prefers aisle seats instead of window seats."),
    ("Das Lieblingsgetränk der Nutzerin ist Tee.", "Das Lieblingsgetränk der Nutzerin ist Kaffee."),
    ("Mara wohnt in Lyon.", "Mara ist von Lyon nach Gent gezogen."),
    ("Die Nutzerin trinkt zwei Kaffee am Tag.", "Die Nutzerin trinkt keinen Kaffee mehr."),
    ("Mara habite à Lyon.", "Mara n'habite plus à Lyon."),
    ("Mara vive en Lyon.", "Mara se mudó de Lyon a Gante."),
    ("Mara abita a Lione.", "Mara non abita più a Lione."),
    ("Mara woont in Lyon.", "Mara is van Lyon naar Gent verhuisd."),
    ("A Mara mora em Lyon.", "A Mara já não mora em Lyon."),
]

STAND_SIDE_BY_SIDE = [
    ("Mira works at Nordwind since 2019.", "Mira also works at Sudbury Labs."),
    ("Otto lives at Lindenallee 4.", "Otto moved the piano."),
    ("The capital of France is Paris.", "The capital of Spain is Madrid."),
    ("The rent of flat 3 is 800 euros.", "The rent of flat 4 is 900 euros."),
    ("The user met Tom Reed at the market.", "The user met Ada Marsh at the market."),
    (
        "Yesterday I paid 30 euros for the train to Paris.",
        "Yesterday I paid 45 euros for the train to Lille.",
    ),
    ("Mara is a vegetarian.", "Mara is a nurse."),
    ("Mara is Tom's sister.", "Mara is Ann's sister."),
    ("On Monday the user is in Ghent.", "On Tuesday the user is in Lyon."),
    ("The office is closed on Friday.", "The office is closed on Monday."),
    ("My dentist is Dr Lind.", "My dentist is on holiday in Rome."),
    ("Lena is allergic to peanuts.", "Lena is allergic to cats."),
    ("The deadline for the grant is 3 May.", "The deadline for the report is 9 June."),
    ("The user likes tea.", "The user likes coffee."),
    ("The user is in Berlin on 3 May.", "The user is in Paris on 7 June."),
    ("I live in Ghent and work in Lyon.", "I no longer work in Lyon."),
    ("Tom lives in Lyon with Ada.", "Ada moved from Lyon to Ghent."),
    ("Sales are up 5% in Lyon.", "Sales rose from 5% to 7% in Ghent."),
    ("The wifi password is swordfish.", "The wifi password is on the fridge."),
    ("The wifi password is swordfish.", "The wifi password is weak."),
    ("The wifi password is swordfish.", "The wifi password is stored in the vault."),
    ("The town choir meets on Tuesdays.", "The town choir was cancelled today."),
    ("The town choir meets on Tuesdays.", "The town choir has not ended."),
    ("The town choir meets on Tuesdays.", "The town choir is no longer held in the hall."),
    ("The town choir meets on Tuesdays.", "The village choir has ended."),
    ("Tom is the brother of Ada.", "Jim is the brother of Ada."),
    ("The user is learning Spanish.", "The user is learning Dutch."),
    ("She lives in Lyon.", "She lives in Ghent."),
    ("Today the pool is open until 6.", "Today the pool is open until 7."),
    ("Tom lives in Lyon.", "Mara moved from Lyon to Ghent."),
    ("Mara has a brother in Lyon.", "Mara moved from Lyon to Ghent."),
    ("We use Jina for the search.", "We no longer use Jina for translation."),
    ("The user does not drink coffee.", "The user no longer drinks coffee."),
    ("Jon: I got advice on the office yesterday!", "Jon: I won't quit the office."),
    ("Does the user drink coffee?", "The user no longer drinks coffee."),
    ("Nate: Thanks, Joanna!", "Nate: Thanks so much, Joanna!"),
]


@pytest.mark.parametrize(("one", "other"), SUCCEED)
def test_a_statement_succeeds_one_of_its_template_and_one_that_it_ends(one: str, other: str) -> None:
    with fresh(document("a", one, "2022"), document("b", other, "2024")) as corpus:
        assert follows(corpus) == {"b": "a"}


@pytest.mark.parametrize(("one", "other"), STAND_SIDE_BY_SIDE)
def test_what_may_both_be_so_stands_side_by_side(one: str, other: str) -> None:
    with fresh(document("a", one, "2022"), document("b", other, "2024")) as corpus:
        assert follows(corpus) == {}


def test_who_speaks_of_himself_is_another_one_in_another_folder() -> None:
    with fresh(
        document("ann/1", "I live in Lyon.", "2022"), document("bo/1", "I live in Ghent.", "2024")
    ) as corpus:
        assert follows(corpus) == {}


def test_a_statement_that_came_between_is_the_one_that_ends() -> None:
    """The last of those that state it; an earlier one has ended before."""
    with fresh(
        document("a", "Mara lives in Lyon.", "2020"), document("b", "Mara lives in Ghent.", "2021"),
        document("c", "Mara lives in Lyon.", "2022"), document("d", "Mara moved from Lyon to Oslo.", "2023"),
    ) as corpus:  # fmt: skip
        assert follows(corpus)["d"] == "c"


def test_only_one_sentence_is_a_statement() -> None:
    grammar = grammar_of(Analyzer(("en",)))
    for text in ("I live in Lyon.\nI work.", "Is the fee 4?", "The fee is 4 " + "indeed " * LONGEST):
        assert statement_of(text, "en", grammar) == NOTHING
    assert statement_of("The fee is 4. It rains.", "en", grammar).frame == NOTHING.frame


def test_what_is_published_later_ends_nothing_before() -> None:
    with fresh(
        document("a", "Mara lives in Lyon.", "2022"), document("b", "Mara moved from Lyon to Ghent.", "2024")
    ) as corpus:
        for day, text in (("2023", "Mara lives in Lyon."), ("2025", "Mara moved from Lyon to Ghent.")):
            hits = corpus.at(day).search("Where does Mara live").hits
            assert [hit.text for hit in hits if hit.superseded is None] == [text]


def test_the_last_of_those_that_end_each_other_leads() -> None:
    """It has one word of the question, and gets the score of what has two."""
    texts = ("I live in Lyon.", "I moved from Lyon to Ghent.", "I moved from Ghent to Oslo.")
    notes = [document(f"{at}", text, f"{2020 + at}") for at, text in enumerate(texts)]
    with fresh(*notes, document("3", "I paint boats.", "2024")) as corpus:
        question = "Where do I live?"
        assert [hit.document for hit in corpus.at().search(question).hits][:2] == ["2", "0"]
        assert corpus.at("2021").search(question).hits[0].document == "1"
        assert corpus.at("2020").search(question).hits[0].document == "0"
        assert "Oslo" in corpus.at().ask(question).text.splitlines()[0]


def test_a_section_under_a_title_with_a_version_succeeds_none_of_another_version(tmp_path: Path) -> None:
    """One passage under such a title is a note on a release, and the next one follows it."""
    text = "---\ndate: {}\n---\n# Harbourd {} schedule\n\n## Crew\n\nThe release manager of it is {}.\n"
    for name, *values in (("a", 2020, "3.1", "Ada Marsh"), ("b", 2021, "3.2", "Tom Reed")):
        (tmp_path / f"{name}.md").write_text(text.format(*values))
    with fresh() as corpus:
        corpus.add(tmp_path)
        assert follows(corpus) == {}


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("From 1 May 2024 the rent is 950.", "the rent is 950."),
        ("From 1 January 2025, the rent is 950.", "the rent is 950."),
        ("Ab dem 1. Mai 2024 kostet es 5 Euro.", "kostet es 5 Euro."),
        ("The rent is 950 from 1 May 2024.", "The rent is 950."),
        ("Rent:\nfrom 2024-05-01 it is 950", "Rent:\nit is 950"),
        ("From 12 rooms 5 are free.", "From 12 rooms 5 are free."),
        ("The ferry runs from 9 to 5.", "The ferry runs from 9 to 5."),
        ("From 1 May 2024", "From 1 May 2024"),
    ],
)
def test_the_day_from_which_a_statement_holds_is_no_part_of_it(text: str, rest: str) -> None:
    assert without_its_time(text, frozenset({"january", "may", "mai"})) == rest
