"""The same rules with German words: decimal commas, verbs that come last, nouns in capitals."""

from __future__ import annotations

import pytest
from tests.support.excerpts import facts, triples

from asof.text.figures import language_of

TITLE = "Hafenblatt, drittes Quartal 2024"

FIGURES = [
    ("Der Umsatz betrug 3,7 Milliarden Euro.", [("Umsatz", 3.7e9, "EUR")]),
    ("Im dritten Quartal lag der Umsatz bei 3,2 Mio. Euro.", [("Umsatz", 3.2e6, "EUR")]),
    ("Der Umsatz stieg um 5 % auf 3,2 Millionen Euro.", [("Umsatz", 5, "%"), ("Umsatz", 3.2e6, "EUR")]),
    ("Der Umsatz ist um 5 % auf 3 Millionen Euro gestiegen.", [("Umsatz", 5, "%"), ("Umsatz", 3e6, "EUR")]),
    ("Der Gewinn sank um 11 % gegenüber dem Vorjahr.", [("Gewinn", -11, "%")]),
    ("Die Wassertemperatur erreichte 31 °C.", [("Wassertemperatur", 31, "°C")]),
    ("Die Fahrt kostet 4 Euro.", [("Fahrt", 4, "EUR")]),
    ("Die Einwohnerzahl von Garrow ist 1.204.", [("Einwohnerzahl von Garrow", 1204, "")]),
    ("Wir erwarten einen Umsatz von 4 Millionen Euro.", [("expected Umsatz", 4e6, "EUR")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), FIGURES)
def test_figures(text, found):
    told = [(fact.relation, fact.amount) for fact in facts(text, TITLE, language="de") if fact.amount]
    assert [(relation, amount.unit) for relation, amount in told] == [(each[0], each[2]) for each in found]
    assert [amount.value for _, amount in told] == pytest.approx([each[1] for each in found])


EVENTS = [
    ("Mara Quill ist Hafenmeisterin von Garrow.", [("Mara Quill", "ist", "Hafenmeisterin")]),
    ("Mara Quill wurde zur Hafenmeisterin ernannt.", [("Mara Quill", "wurde ernannt", "Hafenmeisterin")]),
    ("Anna Berg ist am 3. Mai 2021 zurückgetreten.", [("Anna Berg", "ist zurückgetreten", "")]),
    ("Ole Brandt übernahm 2018 die Fähre.", [("Ole Brandt", "übernahm", "Fähre")]),
    (
        "Der Bürgermeister, Ole Brandt, eröffnete die neue Brücke.",
        [("Ole Brandt", "ist", "Bürgermeister"), ("Ole Brandt", "eröffnete", "neue Brücke")],
    ),
    (
        "Die Neue Hafengesellschaft (NH) wurde 1911 gegründet.",
        [("Neue Hafengesellschaft", "also called", "NH"),
         ("Neue Hafengesellschaft", "wurde gegründet", "")],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), EVENTS)
def test_events(text, found):
    assert sorted(triples(text, title=TITLE, language="de")) == sorted(found)


def test_the_text_says_its_language():
    assert language_of("Der Umsatz ist gestiegen und das ist gut", "en") == "de"
    assert language_of("The margin is up and that is good", "de") == "en"
    assert language_of("", "de") == "de"
    assert language_of("", "fr") == "en"
