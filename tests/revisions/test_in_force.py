"""Situations in which what was published last is not what holds: which passage answers, and what is said of
it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.revisions.made import fresh
from tests.support.corpora import Clock, new_corpus

from asof.documents import Document, force_words
from asof.time.moment import read
from asof.time.span import iso


def doc(name: str, date: str, title: str, text: str, in_force: Any = None, **meta: Any) -> Document:
    return Document(name, text, title, date, meta=meta, in_force=in_force)


COPAY = (
    doc("r1", "2021-01-10", "Copayment", "The copayment is 20 dollars.", ("2021-02-01", None)),
    doc("r2", "2024-11-20", "Copayment", "The copayment is 35 dollars.", ("2025-04-01", None)),
)
SALE = (doc("o", "2022-03-01", "Spring sale", "A bicycle costs 199 euros.", (None, "2022-05-20")),)
HOTEL = (doc("h", "2024-03-01", "Hotel", "From June to August 2024 a double room costs 99 euros."),)
BERTHS = (
    doc("a", "2023-01-01", "Berths", "The fee for a berth is 40 euros."),
    doc("b", "2023-11-01", "Berths from 2024", "From 1 January 2024 the fee for a berth is 45 euros."),
)
VOUCHER = (
    doc("v", "2022-01-01", "Voucher", "It gives 10 percent off. This voucher is valid until 30 June 2022."),
)
STORAGE = (
    doc(
        "reg12", "2019-03-01", "Regulation 12/2019 on storage",
        "Article 4. The time limit for storage is 180 days.",
    ),
    doc(
        "reg7", "2023-02-01", "Regulation 7/2023 amending Regulation 12/2019",
        "Article 4 of Regulation 12/2019 is replaced by the following: The time limit for storage is"
        " 270 days. It applies from 1 May 2023.",
    ),
)  # fmt: skip
PARKING = (
    doc("n4", "2020-01-01", "Notice 4", "Parking at the quay is free for residents."),
    doc("n9", "2022-03-01", "Notice 9", "Notice 4 is repealed with effect from 1 June 2022."),
)
TICKET = (
    doc("f", "2024-01-01", "Fares 2024", "A day ticket costs 6 euros."),
    doc("c", "2024-02-01", "Correction: Fares 2024", "The day ticket costs 5 euros, not 6."),
)
MILLS = (
    doc("p", "2020-05-01", "On mills and rivers", "Water mills raise the level of a river by 4 metres."),
    doc("r", "2021-05-01", 'Retraction of "On mills and rivers"', "The measurements were wrong."),
)
EVENTS = (
    doc(
        "adr/0003-use-rabbitmq.md", "2021-01-01", "3. Use RabbitMQ",
        "Status: Superseded by [7. Use NATS](0007-use-nats.md)\n\nEvents go through RabbitMQ.",
    ),
    doc("adr/0007-use-nats.md", "2023-01-01", "7. Use NATS", "Status: Accepted\n\nEvents go through NATS."),
)  # fmt: skip
ORDERS = (
    doc("adr/1.md", "2021-01-01", "1. Use PostgreSQL", "Orders are stored in PostgreSQL.", status="Accepted"),
    doc("adr/9.md", "2023-01-01", "9. Use MongoDB", "Orders are stored in MongoDB.", status="Proposed"),
)
MEALS = (
    doc(
        "old",
        "2019-01-01",
        "Travel policy",
        "Meals are paid up to 28 euros.",
        superseded_by="Expenses policy",
    ),
    doc("new", "2023-01-01", "Expenses policy", "Meals are paid up to 36 euros."),
)
TCP = (
    doc("rfc793", "1981-09-01", "RFC 793: TCP", "The checksum is computed over a pseudo header."),
    doc(
        "rfc9293", "2022-08-01", "RFC 9293: Transmission Control Protocol",
        "The checksum is computed over a pseudo header and the text.", obsoletes=["RFC 793"],
    ),
)  # fmt: skip
BAIL = (
    doc("a", "2020-01-01", "Rule 1", "The bail amount is 684 dollars."),
    doc("b", "2021-01-01", "Rule 2", "Rule 1 is superseded by this rule: the bail amount is 900 dollars."),
    doc("c", "2022-01-01", "Judgment 3", "Rule 2 was annulled; the bail amount is again 684 dollars."),
)
MINUTES = (
    doc("2019", "2019-05-11", "Minutes of 2019",
        "Resolution 2019-01: The annual subscription is 60 euros.\n\n"
        "Resolution 2019-02: Otto Behrens is elected treasurer."),
    doc("2022", "2022-05-14", "Minutes of 2022",
        "Present: Behrens, 12 members.\n\n"
        "Resolution 2022-01: The annual subscription is 84 euros from 1 July 2022. Resolution 2019-01 is"
        " repealed.\n\nResolution 2022-02: Imke Vasquez is elected treasurer."),
    doc("2024", "2024-11-16", "Minutes of 16 November 2024",
        "Present: Behrens, 12 members.\n\n"
        "Resolution 2024-06: The annual subscription is 96 euros from 1 January 2025.\n\n"
        "Resolution 2024-07: The workshop closes at 21:00."),
)  # fmt: skip


@pytest.mark.parametrize(
    ("documents", "question", "as_of", "quote", "mark"),
    [
        (COPAY, "What is the copayment?", "2025-01-15", "20 dollars",
         "in force since 2021-02-01 until 2025-03-31"),
        (COPAY, "What is the copayment?", "2025-05-15", "35 dollars", "in force since 2025-04-01"),
        (COPAY, "What will the copayment be in June 2025?", "2025-01-15", "35 dollars",
         "takes effect on 2025-04-01"),
        (COPAY, "What was the copayment in 2022?", "2025-05-15", "20 dollars", "superseded"),
        (SALE, "What does a bicycle cost?", "2023-01-01", "199", "ended on 2022-05-20"),
        (HOTEL, "What does a double room cost in July 2024?", "2024-12-01", "99", "ended on 2024-08-31"),
        (HOTEL, "What does a double room cost?", "2024-04-01", "99", "takes effect on 2024-06-01"),
        (BERTHS, "What is the fee for a berth?", "2023-12-01", "40 euros", ""),
        (BERTHS, "What is the fee for a berth?", "2024-02-01", "45 euros", "in force since 2024-01-01"),
        (VOUCHER, "How much off does the voucher give?", "2023-01-01", "10 percent", "ended on 2022-06-30"),
        (STORAGE, "What is the time limit for storage?", "2024-01-01", "270 days",
         "in force since 2023-05-01"),
        (STORAGE, "What is the time limit for storage?", "2023-03-01", "180 days", ""),
        (PARKING, "Is parking at the quay free for residents?", "2023-01-01", "free", "superseded"),
        (PARKING, "Is parking at the quay free for residents?", "2022-04-01", "free",
         "in force until 2022-05-31"),
        (TICKET, "What does a day ticket cost?", "2024-06-01", "5 euros", ""),
        (TICKET, "What does a day ticket cost?", "2024-01-20", "6 euros", ""),
        (MILLS, "By how much do water mills raise a river?", "2022-01-01", "4 metres", "superseded"),
        (EVENTS, "Through what do events go?", "2023-06-01", "NATS", ""),
        (ORDERS, "Where are orders stored?", "2023-06-01", "PostgreSQL", ""),
        (ORDERS[1:], "Where are orders stored?", "2023-06-01", "MongoDB", "not in force: Proposed"),
        (MEALS, "Up to how much are meals paid?", "2023-06-01", "36 euros", ""),
        (TCP, "Over what is the checksum computed?", "2023-01-01", "and the text", ""),
        (BAIL, "What is the bail amount?", "2023-01-01", "684", ""),
        (MINUTES, "What is the annual subscription?", "2022-06-01", "60 euros", "in force until 2022-06-30"),
        (MINUTES, "What is the annual subscription?", "2023-01-01", "84 euros", "in force since 2022-07-01"),
        (MINUTES, "What is the annual subscription?", "2024-12-01", "84 euros", "in force since 2022-07-01"),
        (MINUTES, "What is the annual subscription?", "2025-02-01", "96 euros", "in force since 2025-01-01"),
        (MINUTES, "What was the annual subscription in 2024?", "2025-02-01", "84 euros",
         "in force since 2022-07-01"),
        (MINUTES, "Who is elected treasurer?", "2022-06-01", "Imke Vasquez", ""),
    ],
)  # fmt: skip
def test_situations(documents: Any, question: str, as_of: str, quote: str, mark: str) -> None:
    with new_corpus(documents, undated="always") as corpus:
        best = corpus.at(as_of).ask(question).citations[0]
    assert quote in best.quote
    shown = "superseded" if best.superseded else force_words(best.in_force, read(as_of).last)
    assert shown == mark


def test_an_answer_says_that_nothing_in_force_says_so() -> None:
    for documents, question, as_of, begin in (
        (SALE, "What does a bicycle cost?", "2023-01-01", "so; this ended on 2022-05-20:"),
        (SALE, "What does a bicycle cost?", "2022-04-01", ""),
        (HOTEL, "What does a double room cost?", "2024-04-01", "so yet; this takes effect on 2024-06-01:"),
        (ORDERS[1:], "Where are orders stored?", "2024", "so; this is not in force: Proposed:"),
    ):
        with new_corpus(documents, undated="always") as corpus:
            lead = f"Nothing that is in force says {begin}\n[1] " if begin else "[1] "
            assert corpus.at(as_of).ask(question).text.startswith(lead)


def test_what_lapsed_leads_an_answer_but_not_what_never_was_in_force() -> None:
    """The first hit says more of the question; the second one is in force."""
    other = doc("n", "2021", "Office", "Some orders of old are stored on paper.")
    for given, quote in (({"in_force": (None, "2022-01-01")}, "MongoDB"), ({"status": "Deferred"}, "paper")):
        first = doc("d", "2020", "Orders", "All orders of the shop are stored in MongoDB.", **given)
        with new_corpus([first, other]) as corpus:
            answer = corpus.at("2023").ask("Where are all orders of the shop stored?")
        assert quote in answer.citations[0].quote


def test_the_date_of_force_can_be_given() -> None:
    with new_corpus(COPAY) as corpus:
        then = corpus.at("2025-01-15")
        for day, document in (("2025-06-01", "r2"), ("2025-01-15", "r1"), ("2023", "r1")):
            hits = then.search("copayment", in_force=day).hits
            assert [(hit.document, hit.holds) for hit in hits] == [
                (document, True), ("r2" if document == "r1" else "r1", False)
            ]  # fmt: skip
            assert then.ask("What is the copayment?", in_force=day).citations[0].document == document


def test_sections_of_a_list(tmp_path: Path) -> None:
    """A later section ends an earlier one that says the same with other values, not one of another
    subject."""
    sections = {
        "Prices from 1 April 2023": "A single ticket is 4 euros, ten are 35 euros, children pay half of it.",
        "Prices from 1 April 2024": "A single ticket is 5 euros, ten are 44 euros, children pay half of it.",
        "3 May 2024": "The pool has a new slide of 60 metres, and the sauna is closed for repair.",
    }
    text = "\n\n".join(f"## {heading}\n\n{said}" for heading, said in sections.items())
    (tmp_path / "pool.md").write_text(f"---\ntitle: Pool\ndate: 2024-06-01\n---\n{text}\n")
    with new_corpus() as corpus:
        corpus.add(tmp_path / "pool.md")
        then = corpus.at("2025")
        hits = then.search("single ticket price pool").hits
        asked = [then.ask(f"what {verb} a single ticket cost{when}?").citations[0].quote
                 for verb, when in (("does", ""), ("did", " in 2023"))]  # fmt: skip
    found = {
        hit.text.strip().split("\n")[-1][:20]: force_words(hit.in_force, read("2025").last) for hit in hits
    }
    assert found == {
        "A single ticket is 5": "in force since 2024-04-01", "A single ticket is 4": "ended on 2024-03-31",
        "The pool has a new s": "in force since 2024-05-03",
    }  # fmt: skip
    assert ["5 euros" in asked[0], "4 euros" in asked[1]] == [True, True]


@pytest.mark.parametrize(
    ("sections", "state"),
    [
        ({"2022": 800, "2023": 850, "2024": 900}, ""),
        ({"2022": 800, "2023": 850, "Contact": 5}, ""),  # what no heading dates still holds
        ({"from 1 January to 31 December 2022": 800, "from 1 January to 30 June 2023": 850},
         "ended on 2022-12-31"),
    ],
)  # fmt: skip
def test_a_document_is_over_when_all_of_it_is(tmp_path: Path, sections: dict[str, int], state: str) -> None:
    """A document of a section for each year is not over with the first one, nor does that answer."""
    said = (f"## {name}\n\nThe rent of the flat is {rent} euros." for name, rent in sections.items())
    (tmp_path / "Rents.md").write_text("\n\n".join(["---\ndate: 2024-05-01\n---\n# Rents", *said]))
    with new_corpus() as corpus:
        corpus.add(tmp_path / "Rents.md")
        then = corpus.at("2025")
        first = then.beginnings(["Rents.md"])["Rents.md"]
        answer = then.ask("Which rents are there?")
    assert "; ".join(first.status) == state
    assert answer.citations[0].holds == (not state)


CLUB = doc("c", "2024-10-01", "Chess club", "The club costs 30 euros; from 1 January 2025 it costs 35 euros.")
POOL = doc("p", "2024-10-01", "Pool", "The pool costs 12 euros. From 1 January 2025 the pool costs 14 euros.")


@pytest.mark.parametrize(
    ("document", "question", "at", "quote"),
    [
        (CLUB, "What does the club cost?", "2024-11-01", "The club costs 30 euros"),
        (CLUB, "What does the club cost?", "2025-02-01", "from 1 January 2025 it costs 35 euros."),
        (CLUB, "What did the club cost in 2024?", "2025-02-01", "The club costs 30 euros"),
        (POOL, "What does the pool cost?", "2024-11-01", "The pool costs 12 euros."),
        (POOL, "What does the pool cost?", "2025-02-01", "From 1 January 2025 the pool costs 14 euros."),
        (POOL, "What will the pool cost?", "2024-11-01", POOL.text),
    ],
)
def test_of_what_is_and_what_will_be_that_is_said_which_holds(
    document: Document, question: str, at: str, quote: str
) -> None:
    with new_corpus([document]) as corpus:
        then = corpus.at(at)
        (hit,) = then.search(question).hits
        answer = then.ask(question)
    assert (hit.status, hit.holds) == ((), True)
    assert (answer.text.startswith("[1]"), answer.citations[0].quote) == (True, quote)


def test_what_is_learned_or_published_later_acts_on_nothing() -> None:
    clock = Clock.at("2021-06-01")
    with new_corpus(PARKING[:1], clock=clock) as corpus:
        clock.to("2022-06-15")
        corpus.add([PARKING[1]])

        def shown(as_of: str, known_at: str | None = None) -> tuple[str, bool, bool]:
            hit = corpus.at(as_of, known_at).search("parking quay").hits[0]
            return force_words(hit.in_force, read(as_of).last), hit.superseded is not None, hit.holds

        assert shown("2022-02-01") == ("", False, True), "before the act was published"
        assert shown("2022-04-01") == ("in force until 2022-05-31", False, True)
        assert shown("2022-07-01") == ("ended on 2022-05-31", True, False)
        assert shown("2022-07-01", known_at="2022-06-10") == ("", False, True), "before it was known"


def test_a_provision_ends_when_its_repeal_holds_and_is_known() -> None:
    """Not with its document: the treasurer of 2019 is of the same minutes. Resolution 2 counts from its own
    day, not from that of Resolution 1; who withdraws all of the minutes withdraws what they ended."""
    said = (
        "Resolution 1: The fee is 9 euros from 1 July 2022.\n\nResolution 2: Resolution 2019-01 is repealed."
    )
    clock = Clock.at("2021-06-01")
    with new_corpus(MINUTES[:1], clock=clock) as corpus:
        clock.to("2022-06-15")
        corpus.add([doc("n", "2022-05-14", "Minutes 7", said)])
        clock.to("2023-06-15")
        corpus.add([doc("court", "2023-03-01", "Judgment", "Minutes 7 is annulled.")])

        def shown(as_of: str, known_at: str | None = None) -> list[bool]:
            hits = corpus.at(as_of, known_at).search("subscription treasurer").hits
            of_2019 = sorted((hit for hit in hits if hit.document == "2019"), key=lambda hit: hit.text)
            return [hit.superseded is None for hit in of_2019]

        assert shown("2022-05-01") == [True, True], "before it was published"
        assert shown("2022-06-01") == [False, True]
        assert shown("2022-06-01", "2022-06-10") == [True, True], "before it was known"
        assert shown("2023-04-01") == [True, True], "the minutes that ended it are annulled"
        assert shown("2023-04-01", "2023-06-01") == [False, True]


def test_a_draft_or_a_mention_ends_no_provision() -> None:
    """The minutes of 2022 speak of Resolution 2019-01 before the one that ends it, from July on."""
    said = "Resolution 2022-09: The board reads Resolution 2019-01.\n\n" + MINUTES[1].text
    draft = doc(
        "draft", "2021-05-01", "Minutes", "Resolution 5: Resolution 2019-01 is repealed.", status="Draft"
    )
    spoken = doc("2022", "2022-05-14", "Minutes of 2022", said)
    with new_corpus([MINUTES[0], draft, spoken], undated="always") as corpus:
        for as_of, over in (("2021-06-01", False), ("2022-06-01", False), ("2022-08-01", True)):
            hits = corpus.at(as_of).search("annual subscription 60 euros").hits
            hit = next(hit for hit in hits if "60 euros" in hit.text)
            assert (hit.superseded is not None) == over, as_of
        assert "acts of documents on others: 2" in corpus.status().derived, "none is said to be missing"


def test_an_act_of_a_version_that_changed_no_passage() -> None:
    """Only a field of the metadata was added; what was asked before sees nothing of it."""
    old = doc("old", "2020", "Old policy", "Meals are paid up to 28 euros.")
    other = doc("other", "2020", "Other policy", "Trips are booked by train.")
    with fresh(old, other) as corpus:
        before = corpus.at("2021").search("meals").hits[0]
        corpus.add([doc("other", "2022", other.title, other.text, supersedes="Old policy")])
        assert corpus.at("2023").search("meals").hits[0].superseded is not None
        again = corpus.at("2021").search("meals").hits[0]
        assert (
            (again.superseded, again.in_force)
            == (before.superseded, before.in_force)
            == (None, before.in_force)
        )


def test_relations_of_a_document() -> None:
    with new_corpus([*STORAGE, *MEALS]) as corpus:
        then = corpus.at("2024")
        found = {
            name: [
                (each.kind, each.direction, each.document, each.part) for each in then.links(name).relations
            ]
            for name in ("reg7", "reg12", "old", "new")
        }
        assert corpus.at("2020").links("reg12").relations == ()
    part = "Article 4"
    assert found == {
        "reg7": [("amends", "out", "reg12", ""), ("amends", "out", "reg12", part)],
        "reg12": [("amends", "in", "reg7", ""), ("amends", "in", "reg7", part)],
        "old": [("supersedes", "in", "new", "")], "new": [("supersedes", "out", "old", "")],
    }  # fmt: skip


def test_an_act_on_what_is_not_there_is_listed() -> None:
    said = "This notice supersedes Notice 4 and Notice 5."
    with new_corpus([doc("n4", "2020", "Notice 4", "Free."), doc("n9", "2022", "Notice 9", said)]) as corpus:
        found = [(each.kind, each.document, each.title) for each in corpus.at("2023").links("n9").relations]
    assert found == [("supersedes", "", "Notice 5"), ("supersedes", "n4", "Notice 4")]


def test_what_is_not_in_force_acts_on_nothing() -> None:
    draft = Document("n9", PARKING[1].text, PARKING[1].title, "2022-03-01", meta={"status": "Draft"})
    with new_corpus([PARKING[0], draft]) as corpus:
        hit = corpus.at("2023").search("parking quay").hits[0]
    assert (hit.superseded, hit.holds) == (None, True)


def test_amendments_of_a_part() -> None:
    parts = "## Article 3\n\nWho stores goods registers.\n\n## Article 4\n\nGoods are stored for 180 days.\n"
    with new_corpus(chunking="10w") as corpus:
        corpus.add([doc("reg7", *("2023-02-01", STORAGE[1].title, STORAGE[1].text))])
        corpus.add([{"id": "reg12.md", "title": STORAGE[0].title, "published": "2019-03-01", "text": parts}])
        hits = {hit.place.headings[-1]: hit for hit in corpus.at("2024").search("goods stored article").hits
                if hit.document == "reg12.md"}  # fmt: skip
    shown = {at: [(each.kind, each.part, each.document) for each in hit.amended] for at, hit in hits.items()}
    assert shown == {"Article 3": [("amends", "", "reg7")], "Article 4": [("amends", "Article 4", "reg7")]}


BAGS = [
    doc("31", "2016-10-12", "Marlow: By-law No. 31", "For an extra bag one sticker is due, of 2 dollars."),
    doc("44", "2019-06-05", "Marlow: By-law No. 44",
        "By-law No. 31 is repealed. Extra bags may be put out for nothing from 1 August 2019."),
    doc("vote", "2021-03-24", "Marlow: Council vote",
        "The council votes to withdraw By-law No. 44. The sticker is due again as of 3 May 2021."),
]  # fmt: skip


def test_what_an_annulled_act_had_ended_is_in_force_again() -> None:
    """An act counts from the first coming day of the document that acts until that of the one that annuls it;
    nothing of it shows before that was published or known."""
    clock = Clock.at("2019-12-01")
    with new_corpus(BAGS[:2], clock=clock) as corpus:
        clock.to("2021-06-01")
        corpus.add(BAGS[2:])

        def shown(as_of: str, in_force: str = "", known_at: str | None = None) -> tuple[str, bool]:
            then = corpus.at(as_of, known_at)
            hits = then.search("extra bag sticker", in_force=in_force or as_of).hits
            hit = next(hit for hit in hits if hit.document == "31")
            return force_words(hit.in_force, read(in_force or as_of).last), hit.holds

        assert shown("2019-07-01") == ("in force until 2019-07-31", True)
        assert shown("2020-01-01") == ("ended on 2019-07-31", False)
        assert shown("2021-01-01", "2021-06-01") == ("ended on 2019-07-31", False), "not yet published"
        assert shown("2021-04-01", "2021-06-01") == ("", True)
        assert shown("2021-06-15") == ("", True)
        assert shown("2021-06-15", known_at="2021-05-20") == ("ended on 2019-07-31", False), "not yet known"


def test_a_document_that_names_another_one_by_its_kind() -> None:
    """The handbook of the same league, not that of another one, nor one that came later."""
    old = doc("handbook", "2017", "Northern Chess League: Handbook", "C. Clock. A player has 90 minutes.")
    other = doc("other", "2017", "Rowing Club: Handbook", "C. Clock. A crew has 90 minutes.")
    new = doc("circular", "2019-06-02", "Northern Chess League: Circular 5",
              "Rule C of the Handbook is overwritten: a player has 75 minutes.")  # fmt: skip
    later = doc("later", "2020", "Northern Chess League: new Handbook", "C. Clock. A player has 60 minutes.")
    with new_corpus([old, other, new, later]) as corpus:
        then = corpus.at("2021")
        hits = then.search("clock minutes").hits
        amended = {hit.document: [each.document for each in hit.amended] for hit in hits}
        assert amended == {"handbook": ["circular"], "other": [], "circular": [], "later": []}
        assert corpus.at("2018").search("clock minutes").hits[0].amended == ()


def test_a_draft_is_not_in_force_whatever_dates_it_has(tmp_path: Path) -> None:
    front = "title: Remote work\ndate: 2022-01-24\neffective_date: 2022-04-01"
    for status, words in (("draft", "not in force: draft"), ("approved", "in force since 2022-04-01")):
        file = tmp_path / f"{status}.md"
        file.write_text(f"---\n{front}\nstatus: {status}\n---\nUp to 4 days {status}.\n")
        with new_corpus() as corpus:
            corpus.add(file)
            hit = corpus.at("2023").search("days").hits[0]
            assert force_words(hit.in_force, read("2023").last) == words


def test_when_why_not_and_timeline_tell_the_time_of_force() -> None:
    with new_corpus(COPAY) as corpus:
        then = corpus.at("2025-06-01")
        told = then.why_not("r1", "copayment").reason
        assert told.endswith("; it is not in force on 2025-06-01 (ended on 2025-03-31)")
        assert then.why_not("r2", "copayment").reason == "it is among the hits, at rank 1"
        entries = then.timeline("copayment").entries
        assert [force_words(each.in_force, then.as_of) for each in entries][-1] == "in force since 2025-04-01"
        query = then.read("What was the copayment in 2022?").query
        assert query.date_of_force(then.as_of) == read("2022").last


def test_a_link_of_a_note_names_what_is_superseded(tmp_path: Path) -> None:
    """Of a Markdown link the text has the words only; "Supersedes" stands before them."""
    for name, date, title, text in (
        ("0003-queue.md", "2020-01-01", "3. Use a queue", "Events go through RabbitMQ."),
        ("0009-stream.md", "2022-01-01", "9. Use a stream",
         "Supersedes [our third](./0003-queue.md).\n\nEvents go through NATS."),
    ):  # fmt: skip
        (tmp_path / name).write_text(f"---\ndate: {date}\n---\n# {title}\n\n{text}\n")
    with new_corpus() as corpus:
        corpus.add(tmp_path)
        hits = {hit.title[:1]: hit for hit in corpus.at("2023").search("events go through").hits}
        assert hits["3"].superseded is not None
        assert not hits["3"].holds
        assert corpus.at("2021").search("events go through").hits[0].holds


def test_status_names_acts_on_what_is_not_there() -> None:
    with fresh(*PARKING, doc("n10", "2023-01-01", "Notice 10", "Regulation 77/2019 is repealed.")) as corpus:
        (line,) = (line for line in corpus.status().derived if line.startswith("acts"))
    assert line == "acts of documents on others: 2; 1 name none that is here: Regulation 77/2019 (n10)"


# -- the order of what holds, whatever was published first ---------------------------------------------


def team(name: str, color: str, told: str, since: str | None = None, until: str | None = None) -> Document:
    stated = None if since is until is None else (since, until)
    return doc(name, told, "", f"Uta's team is {color}.", stated)


def shown(corpus: Any, at: str) -> dict[str, str]:
    """What is said of the time of each team at a date."""
    hits = corpus.at(at).search("Uta's team").hits
    return {hit.document: "; ".join(hit.status) for hit in hits}


RED, LATE = team("red", "Red", "2026-11-01", "2025-01-01"), "2026-11-02"


@pytest.mark.parametrize(
    ("documents", "at", "answer", "said"),
    [
        ([RED, team("blue", "Blue", LATE, "2021-01-01", "2024-12-31")], "2026-12-01", "Red",
         {"red": "in force since 2025-01-01", "blue": "superseded on 2025-01-01 by red"}),
        ([RED, team("blue", "Blue", LATE, "2021-01-01")], "2026-12-01", "Red",
         {"red": "in force since 2025-01-01", "blue": "superseded on 2025-01-01 by red"}),
        ([RED, team("blue", "Blue", LATE, "2021"), team("green", "Green", "2026-11-03", "2023")],
         "2026-12-01", "Red",
         {"red": "in force since 2025-01-01", "blue": "superseded on 2023-01-01 by green",
          "green": "superseded on 2025-01-01 by red"}),
        ([RED, team("blue", "Blue", LATE)], "2026-12-01", "Blue",
         {"red": "superseded on 2026-11-02 by blue", "blue": ""}),
        ([team("red", "Red", "2026-11-01"), team("blue", "Blue", LATE, "2021-01-01")], "2026-12-01", "Blue",
         {"red": "superseded on 2026-11-02 by blue", "blue": "in force since 2021-01-01"}),
        ([team("red", "Red", "2026-11-01"), team("blue", "Blue", LATE, "2021", "2022")], "2026-12-01", "Red",
         {"red": "", "blue": "ended on 2022-12-31"}),
        ([team("red", "Red", "2026-11-01", "2027-01-01"), team("blue", "Blue", LATE)], "2026-12-01", "Blue",
         {"red": "takes effect on 2027-01-01", "blue": "in force until 2026-12-31"}),
    ],
)  # fmt: skip
def test_what_began_later_holds_whichever_was_told_first(
    documents: Any, at: str, answer: str, said: dict[str, str]
) -> None:
    with new_corpus(documents) as corpus:
        assert shown(corpus, at) == said
        assert answer in corpus.at(at).ask("What is Uta's team?").citations[0].quote


@pytest.mark.parametrize(
    ("at", "answer", "said"),
    [
        ("2026-12-01", "Red", {"red": "in force until 2027-01-31", "blue": "takes effect on 2027-02-01"}),
        ("2027-02-10", "Blue",
         {"red": "superseded on 2027-02-01 by blue", "blue": "in force since 2027-02-01 until 2027-02-28"}),
        ("2027-03-10", "Red", {"red": "", "blue": "ended on 2027-02-28"}),
    ],
)  # fmt: skip
def test_what_has_ended_gives_way_to_what_it_interrupted(at: str, answer: str, said: dict[str, str]) -> None:
    blue = team("blue", "Blue", LATE, "2027-02-01", "2027-02-28")
    with new_corpus([team("red", "Red", "2026-11-01"), blue]) as corpus:
        assert shown(corpus, at) == said
        assert answer in corpus.at(at).ask("What is Uta's team?").citations[0].quote


PLANS = (
    team("red", "Red", "2022-01-10", "2022-01-10", "2022-12-31"),
    team("blue", "Blue", "2023-01-01", "2023-01-01", "2023-12-31"),
    team("green", "Green", "2024-01-01"),
)
GREEN = "superseded on 2024-01-01 by green"


@pytest.mark.parametrize(
    ("documents", "at", "said"),
    [
        (PLANS, "2023-06-01",
         {"red": "superseded on 2023-01-01 by blue", "blue": "in force since 2023-01-01 until 2023-12-31"}),
        (PLANS, "2024-06-01",  # blue has ended, and came between
         {"red": "superseded on 2023-01-01 by blue", "blue": GREEN, "green": ""}),
        ((PLANS[0], team("blue", "Blue", "2023-02-01", "2023-02-01", "2023-03-31"), PLANS[2]), "2024-06-01",
         {"red": "ended on 2022-12-31", "blue": "ended on 2023-03-31", "green": ""}),
        ((team("red", "Red", "2022-01-10"), team("blue", "Blue", "2023-02-01", "2023-02-01", "2023-03-31"),
          PLANS[2]), "2024-06-01",  # red held again from April to December 2023
         {"red": GREEN, "blue": "ended on 2023-03-31", "green": ""}),
    ],
)  # fmt: skip
def test_what_came_next_supersedes_although_it_has_ended(
    documents: Any, at: str, said: dict[str, str]
) -> None:
    with new_corpus(documents) as corpus:
        assert shown(corpus, at) == said


def test_what_is_told_later_orders_nothing_before() -> None:
    """Neither before it was published nor before it was known."""
    clock = Clock.at("2026-11-05")
    with new_corpus([team("blue", "Blue", "2026-11-01", "2021")], clock=clock) as corpus:
        before = shown(corpus, "2026-11-10")
        clock.to("2026-11-20")
        corpus.add([team("red", "Red", "2026-11-15", "2025-01-01")])
        assert shown(corpus, "2026-11-10") == before == {"blue": "in force since 2021-01-01"}
        (hit,) = corpus.at("2026-11-18", "2026-11-19").search("Uta's team").hits
        assert (hit.document, hit.superseded) == ("blue", None)
        assert shown(corpus, "2026-11-18")["blue"] == "superseded on 2025-01-01 by red"


def test_a_timeline_goes_by_when_each_holds() -> None:
    """Published in the order of Red, Blue, White; an entry that is to come begins then."""
    white = team("white", "White", "2026-11-03", "2027-01-01")
    blue = team("blue", "Blue", LATE, "2021-01-01", "2024-06-30")
    with new_corpus([RED, blue, white]) as corpus:
        entries = corpus.at("2026-12-01").timeline("Uta's team").entries
        told = [(each.document, iso(each.start)[:10], each.end and iso(each.end)[:10]) for each in entries]
        since = corpus.at("2026-12-01").timeline("Uta's team", since="2025-01-02", until="2026-12-31").entries
    assert told == [
        ("blue", "2021-01-01", "2024-07-01"), ("red", "2025-01-01", "2027-01-01"),
        ("white", "2027-01-01", None),
    ]  # fmt: skip
    assert [each.document for each in since] == ["red"]


TARIFF = "Heating with the pump costs {} euros per kWh from 1 March 2025. This supersedes [[Heat pump]]."


def decided(euros: str, date: str, text: str = TARIFF) -> Document:
    return doc("decision", date, "Decision", text.format(euros))


@pytest.mark.parametrize(
    ("versions", "since"),
    [
        ([("0.094", "2025-01-20")], "2025-03-01"),
        ([("0.094", "2025-01-20"), ("0.101", "2026-11-28")], "2025-03-01"),
        ([("0.094", "2025-01-20"), ("0.101", "2026-10-28"), ("0.102", "2026-11-28")], "2025-03-01"),
        ([("0.094", "2025-01-20", "It costs {}."), ("0.101", "2026-11-28")], "2026-11-28"),
        ([("0.1", "2025-01-20"), ("0.2", "2026-10-28", "It costs {}."), ("0.1", "2026-11-28")], "2026-11-28"),
    ],
)  # fmt: skip
def test_an_act_stands_since_every_version_states_it(versions: list[tuple[str, ...]], since: str) -> None:
    """A digit that is corrected moves no act; a version without it ends the act."""
    pump = doc("pump", "2024-01-01", "Heat pump", "Heating with the pump costs 0.08 euros per kWh.")
    with fresh(pump) as corpus:
        for version in versions:
            corpus.add([decided(*version)])
        hit = next(hit for hit in corpus.at("2027").search("heating").hits if hit.document == "pump")
        (linked,) = corpus.at("2027").links("pump").relations
        assert hit.status == (f"superseded on {since} by Decision",)
        assert iso(linked.since)[:10] == since
        (first, *later) = (version[1] for version in versions)
        if later and since < later[-1]:
            assert corpus.at(first).links("pump").relations == (linked,)


def test_the_act_of_a_title_is_on_the_document_of_before_whatever_was_edited_since() -> None:
    with fresh(doc("pump", "2024-01-01", "Heat pump", "The pump costs 0.08 euros.")) as corpus:
        corpus.add([decided("0.094", "2025-01-20")])
        corpus.add([doc("pump", "2026-05-01", "Heat pump", "The pump costs 0.09 euros.")])
        (linked,) = corpus.at("2027").links("pump").relations
    assert iso(linked.since)[:10] == "2025-03-01"


def test_what_had_ended_before_it_was_superseded_ended() -> None:
    first = doc("memory/a", "2026-10-01", "", "Lea's boss is Kim.", (None, "2018-12-31"))
    with fresh(first, doc("memory/b", "2026-11-01", "", "Lea's boss is Pia.")) as corpus:
        hits = {hit.document: hit for hit in corpus.at("2026-12-01").search("Lea's boss").hits}
    assert hits["memory/a"].status == ("ended on 2018-12-31",)
    assert hits["memory/a"].superseded is not None
