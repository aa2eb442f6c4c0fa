"""What documents do to each other, as their metadata, titles and sentences say."""

from __future__ import annotations

from typing import Any

import pytest

from asof.documents import Link
from asof.text.acts import acts_of, kinds_asked, name_keys, reference_key


def acts(title: str = "", text: str = "", path: str = "a.md", **meta: Any) -> list[tuple[str, str, str]]:
    """Kind, key of the target, part."""
    return [(link.kind, link.target, link.heading) for link in acts_of(path, title, text, meta)]


@pytest.mark.parametrize(
    ("meta", "found"),
    [
        (
            {"obsoletes": ["RFC 793", "RFC 0879"]},
            [("supersedes", "rfc#793", ""), ("supersedes", "rfc#879", "")],
        ),
        ({"Superseded-By": "[9. Use Kafka](0009-use-kafka.md)"}, [("superseded_by", "0009-use-kafka", "")]),
        (
            {"pep": 749, "replaces": "563, 649"},
            [("supersedes", "pep#563", ""), ("supersedes", "pep#649", "")],
        ),
        ({"supersedes": "[[Old Policy]]"}, [("supersedes", "old policy", "")]),
        ({"corrects": "Fares 2024"}, [("corrects", "fares#2024", "")]),
        ({"updates": 12, "site": "north", "replaces": ["n/a", "-"], "superseded-by": "None"}, []),
    ],
)
def test_fields_of_the_metadata(meta: dict[str, Any], found: list[tuple[str, str, str]]) -> None:
    assert acts(**meta) == found


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("Correction: Fares in 2024", [("corrects", "fares in 2024", "")]),
        ('Retraction of "On mills"', [("supersedes", "on mills", "")]),
        ("Regulation 7/2023 amending Regulation 12/2019", [("amends", "regulation#12/2019", "")]),
        ("Corrections", []), ("Fares in 2024", []), ("First aid for 2024", []),
        ("Re: Fares in 2024 - correction", [("corrects", "fares in 2024", "")]),
        ("Amendment 1 to the lease Mill Lane 4", [("amends", "lease mill lane 4", "")]),
        ("Second addendum (parking) to the lease", [("amends", "lease", "")]),
        ("2. Nachtrag zur Hausordnung", [("amends", "hausordnung", ""), ("amends", "~ordnung", "")]),
    ],
)  # fmt: skip
def test_titles(title: str, found: list[tuple[str, str, str]]) -> None:
    assert acts(title) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("This notice supersedes Notice 4.", [("supersedes", "notice#4", "")]),
        ("This notice replaces what was said in 2024.", []),
        ("Notice 4 is hereby repealed.", [("supersedes", "notice#4", "")]),
        ("The old plan, Notice 4, is cancelled.", [("supersedes", "notice#4", "")]),
        (
            "Status: superseded by [7. Use NATS](0007-use-nats.md)",
            [("superseded_by", "0007-use-nats", "said")],
        ),
        ("Article 4 of Regulation 12/2019 is replaced by the following: 270 days.",
         [("amends", "regulation#12/2019", "Article 4")]),
        (
            "In Regulation 12/2019, “180 days” is replaced by “270 days”.",
            [("amends", "regulation#12/2019", "")],
        ),
        ("Verordnung 12 wird aufgehoben.", [("supersedes", "verordnung#12", "")]),
        ("The proxy replaces what the controller of the cluster did before KEP-6089 came.", []),
        ("For a pod, the old field is replaced by metav1 time.", []),
        ("This PEP supplements rather than supersedes PEP 649.", []), ("Notice 4 is not repealed.", []),
        ("The module replaces it (PEP 324).", []),
        ("The mill was replaced by a house.", []), ("He was replaced in May 2020.", []),
        ("RFC 793 is replaced by RFC 9293.", []), ("See Notice 4.", []),
        ("She said that [[Prudence]] was to be replaced before winter.", []),
        ("Notice 4 might be repealed.", []), ("Die Verordnung 12 sollte aufgehoben werden.", []),
    ],
)  # fmt: skip
def test_sentences(text: str, found: list[tuple[str, str, str]]) -> None:
    assert acts(text=text) == found


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("Order 9 on fares", "Order 4 is repealed by Order 9.", [("supersedes", "order#4", "")]),
        ("Order 9", "Rule 3 of Order 4 is replaced by Order 9.", [("amends", "order#4", "Rule 3")]),
        ("Fares of 2022", "Order 4 is replaced by “Fares of 2022”.", [("supersedes", "order#4", "")]),
        ("Order 9", "Order 4 wird durch Order 9 aufgehoben.", [("supersedes", "order#4", "")]),
        ("Order 8", "Order 4 wird durch Order 9 aufgehoben.", []),
        ("Order 9", "Order 4 is not repealed by Order 9.", []),
        ("Guide to Order 9", "Order 4 is repealed by Order 9.", []),
        (
            "Order 9",
            "Order 4 (Fares, ferries) and Order 5 are repealed.",
            [("supersedes", "order#4", ""), ("supersedes", "order#5", "")],
        ),
        ("Order 9", "Under Order 4, Order 5 is repealed.", [("supersedes", "order#5", "")]),
    ],
)
def test_an_act_by_the_document_itself(title: str, text: str, found: list[tuple[str, str, str]]) -> None:
    assert acts(title, text) == found


def test_a_number_behind_a_verb_is_of_the_series_of_its_document() -> None:
    text = "It amends 2474 and obsoletes RFC 2481."
    assert acts(text=text, path="rfc3168") == [("amends", "rfc#2474", ""), ("supersedes", "rfc#2481", "")]
    assert acts(text=text) == [("supersedes", "rfc#2481", "")]


def test_names_and_references_meet() -> None:
    for path, title, said in (
        ("rfc793", "RFC 793: TCP", "RFC 0793"), ("peps/pep-0649.rst", "PEP 649", "PEP 649"),
        ("a.md", "Regulation 12/2019 on storage", "Regulation 12/2019"),
        ("adr/0007-use-nats.md", "7. Use NATS", "[7. Use NATS](0007-use-nats.md)"),
        ("x", "Travel policy", "travel  Policy"),
    ):  # fmt: skip
        assert reference_key(said) in name_keys(path, title, {})
    assert reference_key("Regulation 12/2018") not in name_keys("a", "Regulation 12/2019 on storage", {})
    assert reference_key("Decree 641.11") in name_keys("a", "Decree on tax", {"number": "641.11"})
    assert reference_key("Decree 641.11") in name_keys("a", "Decree on tax", {"number": 641.11})
    assert reference_key("ADR 3") in name_keys("docs/adr/0003-storage.md", "Storage", {})
    assert reference_key("ADR 2020") not in name_keys("docs/adr/2020-02-03.md", "Storage", {})
    assert reference_key("HTC/P/2016/3") in name_keys("a", "Parking", {"reference": "HTC/P/2016/3"})
    assert reference_key("Order 118") in name_keys("a", "Order on speed", {"order": 118})
    assert "q3 2024" not in name_keys("a", "Report", {"period": "Q3 2024"})
    assert "notice#4" not in name_keys("a", "Notice 9: on Notice 4", {})


def test_what_a_question_asks_for() -> None:
    assert kinds_asked(["which", "rfcs", "update", "rfc"]) == {"amends", "updates", "corrects"}
    assert kinds_asked(["which", "pep", "replaced", "pep"]) == {"supersedes"}
    assert "amends" in kinds_asked(["what", "of", "pep"])


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("Rule C of the Handbook is overwritten thus.", "amends", "~handbook"),
        ("The bag limit in the permit is cut to 1 trout a day.", "amends", "~permit"),
        ("The arrangements of 2016 are repealed.", "supersedes", "~arrangement"),
        ("The ruling of the court annuls the order.", "annuls", "~order"),
        ("In § 2 der Hundesteuersatzung wird der Satz auf 60 Euro erhöht.", "amends", "~satzung"),
    ],
)
def test_a_document_by_its_kind_only(text: str, kind: str, target: str) -> None:
    assert [(act.kind, act.target) for act in acts_of("a", "A", text, {})] == [(kind, target)]


@pytest.mark.parametrize(
    "text", ["This notice is changed.", "See the handbook.", "A permit is cut in half.", "Prices are raised."]
)
def test_no_other_document_is_named(text: str) -> None:
    assert acts_of("a", "A", text, {}) == ()


def test_words_of_links_are_whole_words() -> None:
    link = Link("art.md", alias="art")
    for said, targets in (("art 4", ["art"]), ("parties", []), ("a start", []), ("artful", [])):
        acts = acts_of("a", "A", f"This text replaces {said}.", {}, [link])
        assert [act.target for act in acts] == targets, said


@pytest.mark.parametrize(
    ("text", "target", "alias", "kinds"),
    [
        ("This note replaces the use of queues.", "0003-use-queues.md", "use of queues", ["supersedes"]),
        ("Superseded by the newer list.", "prices-2024.md", "the newer list", ["superseded_by"]),
        ("The reader then replaces the prompt fields with data.", "fields.md", "prompt fields", []),
        ("When you move a far store your data will be replaced.", "near and far stores.md", "far store", []),
    ],
)
def test_words_of_links_that_describe_name_no_document(
    text: str, target: str, alias: str, kinds: list[str]
) -> None:
    assert [act.kind for act in acts_of("a", "A", text, {}, [Link(target, alias=alias)])] == kinds


def test_what_is_only_proposed_is_no_act() -> None:
    assert acts_of("a", "A", "Notice 4 should really be replaced by a rule.", {}) == ()
    assert acts_of("a", "A", "These were dropped in Notice 4 and may be replaced.", {}) == ()


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("The Friday stand-up is no longer held.", "~friday stand-up"),
        ("The stand-up has ended. We write now.", "~friday stand-up"),
        ("It was discontinued on 3 June 2024.", "~friday stand-up"),
        ("The town choir is cancelled from May on.", "~town choir"),
        ("The Friday stand-up was cancelled today.", ""), ("The stand-up is cancelled this week.", ""),
        ("The stand-up was cancelled on Friday.", ""), ("The stand-up has not ended.", ""),
        ("The stand-up is no longer held in room 4.", ""), ("Has the stand-up ended?", ""),
        ("The stand-up might have ended.", ""), ("The Friday stand-up is at 9:30.", ""),
    ],
)  # fmt: skip
def test_a_note_ends_the_notes_of_what_it_says_is_over(text: str, target: str) -> None:
    note = "memory/2025-01-01-0123456789ab"
    found = acts("Friday stand-up", text, note)
    assert found == ([("supersedes", target, "")] if target else [])
    assert acts("Friday stand-up", text) == []  # a file is no note
    assert ("~friday stand-up" in name_keys(note, "The Friday stand-up", {})) is True
