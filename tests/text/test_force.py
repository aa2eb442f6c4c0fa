"""The times for which sentences say that they hold, by the words of each language."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.answers import corpus_with, doc

from asof.text import force
from asof.text.force import force_of_document, stated_force, with_coming_years
from asof.text.passages import sentences
from asof.time.expressions import TimeContext, parse
from asof.time.moment import read


def stated(text: str, language: str = "en", published: str = "") -> list[tuple[str, str, bool]]:
    """First day, day after the last, whether a phrase says so."""
    times = parse(text, context=TimeContext(language=language))
    found = stated_force(text, times, language, read(published) if published else None)
    ends = lambda at: at.isoformat()[:10] if at else ""  # noqa: E731
    return [(ends(each.span.start), ends(each.span.end), each.by_phrase) for each in found]


@pytest.mark.parametrize(
    ("language", "text", "first", "after"),
    [
        ("en", "The fare rises with effect from 1 April 2025.", "2025-04-01", ""),
        ("en", "The rule takes effect on January 1, 2025.", "2025-01-01", ""),
        ("en", "The law of 5 May 2010 comes into force for all shops on 1 June 2011.", "2011-06-01", ""),
        ("en", "It is in force from 2021 to 2023.", "2021-01-01", "2024-01-01"),
        ("en", "This ticket is valid until 30 April 2026.", "", "2026-05-01"),
        ("en", "This licence expires on 31 December 2022.", "", "2023-01-01"),
        ("en", "The fee is 25 and expires on 31 December 2022.", "", "2023-01-01"),
        ("en", "The lease starts on 1 March 2027 and ends on 28 February 2028.", "2027-03-01", "2028-02-29"),
        ("en", "The lease ends 28 February 2028; it began 1 March 2027.", "2027-03-01", "2028-02-29"),
        ("de", "Der Vertrag beginnt am 1. Mai 2027 und endet am 3. Mai 2028.", "2027-05-01", "2028-05-04"),
        ("de", "Das Gesetz tritt am 1. Januar 2025 in Kraft.", "2025-01-01", ""),
        ("de", "Der Tarif gilt bis 31.12.2023.", "", "2024-01-01"),
        ("fr", "Le tarif est valable jusqu'au 30 avril 2026.", "", "2026-05-01"),
        ("es", "La tarifa entra en vigor el 1 de enero de 2025.", "2025-01-01", ""),
        ("it", "La tariffa è in vigore dal 1 gennaio 2024.", "2024-01-01", ""),
        ("nl", "Het tarief geldt vanaf 1 januari 2024.", "2024-01-01", ""),
        ("pt", "A tarifa é válida até 30 de abril de 2026.", "", "2026-05-01"),
    ],
)
def test_a_phrase_before_a_time(language: str, text: str, first: str, after: str) -> None:
    assert stated(text, language) == [(first, after, True)]


@pytest.mark.parametrize(
    ("language", "text", "first", "after"),
    [
        ("en", "From 1 July 2024 the threshold is 844.", "2024-07-01", ""),
        ("en", "From June to August 2024 a double room costs 99 euros.", "2024-06-01", "2024-09-01"),
        ("en", "- Until 30 April 2021 the allowance is 100 dollars.", "", "2021-05-01"),
        ("en", "Fee: from 1 May 2024 20 euros", "2024-05-01", ""),
        ("de", "Ab dem 1. Juli 2024 gilt der neue Satz.", "2024-07-01", ""),
        ("it", "Dal 1 gennaio 2024 la tariffa è di 20 euro.", "2024-01-01", ""),
    ],
)
def test_a_time_with_which_a_sentence_begins(language: str, text: str, first: str, after: str) -> None:
    assert [each[:2] for each in stated(text, language)] == [(first, after)]


@pytest.mark.parametrize(
    "text",
    [
        "From 2 to 4 May 2023 the team met in Rome.", "On 3 May 2021 the council votes.",
        "The report of 2019 says so.", "Before 1 May 2024 the fee was 10.",
        "It no longer applies since 2021.",
        "The course starts on 5 May 2027.", "The war started in 1914 and ended in 1918.",
        "The allowance was repealed on 3 March 2022.", "He moved in on 1 May 2020.", "",
    ],
)  # fmt: skip
def test_what_happened_is_no_time_of_force(text: str) -> None:
    assert stated(text) == []


def test_what_is_said_of_a_part_does_not_hold_for_the_passage() -> None:
    """One of three sentences; the same of the text itself, or by a pronoun in a short one."""
    others = "The harbour has three quays. Boats of up to 20 metres may use the northern one of these quays."
    assert stated(f"{others} The permit for the crane is valid until 3 May 2024.") == []
    assert stated(f"{others} This notice is valid until 3 May 2024.") == [("", "2024-05-04", True)]
    assert stated(f"{others} It is valid until 3 May 2024.") == [("", "2024-05-04", True)]
    assert stated(f"{others} {others} {others} It is valid until 3 May 2024.") == []


@pytest.mark.parametrize(
    "text",
    [
        "The club costs 30 euros a month; from 1 July 2024 it costs 35.",
        "The treasurer is Ada Marsh, and from 1 July 2024 it is Tom Reed.",
        "The pool costs 12 euros. From 1 July 2024 the pool costs 14 euros, 7 for children, 30 for a family.",
        "Entry is free. From 1 July 2024 entry costs 5 euros.",
        "Entry is 7 euros; until 31 May 2024 it is 5.",
        "Der Verein kostet 30 Euro; ab dem 1. Juli 2024 kostet er 35.",
    ],
)  # fmt: skip
def test_what_is_so_already_beside_what_is_to_come_is_in_force(text: str) -> None:
    """Since it was published, on 2 May 2024: one part of it says no time."""
    assert stated(text, "de", "2024-05-02") == []


@pytest.mark.parametrize(
    "text",
    [
        "From 1 July 2024 the rent is 950.", "# Rent\n\nFrom 1 July 2024 the rent is 950.",
        "The old rent was 900. From 1 July 2024 the rent is 950.",
        "The rent is paid to the bank. From 1 July 2024 the rent is 950.",
        "From 1 July 2024 the rent is 950. The rent is due by the 3rd.",
        "The limit is 270 days. It applies from 1 July 2024.",
    ],
)  # fmt: skip
def test_what_says_nothing_else_of_the_same_is_of_the_coming_time(text: str) -> None:
    assert [each[:2] for each in stated(text, "en", "2024-05-02")] == [("2024-07-01", "")]


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("The fee is 25 euros from 1 July 2024.", "2024-07-01", ""),
        ("Books may be kept for 4 weeks starting 1 June 2024.", "2024-06-01", ""),
        ("The fee stays at 20 euros until 31 May 2024.", "", "2024-06-01"),
        ("Die Gebühr beträgt 25 Euro ab dem 1. Juli 2024.", "2024-07-01", ""),
        ("Le prix est de 25 euros à partir du 1er juillet 2024.", "2024-07-01", ""),
    ],
)
def test_a_coming_time_in_any_place(text: str, first: str, after: str) -> None:
    """Of texts published on 2 May 2024, in which a time that is over says nothing."""
    assert [each[:2] for each in stated(text, "de fr", "2024-05-02")] == [(first, after)]
    for other in (
        "The fee is 25 euros from 1 April 2024.", "The fee was 20 euros until 31 May 2024.",
        "The bridge is not due to open until 31 May 2024.", "Die Sitzung vom 1. Juli 2024 ist im Rathaus.",
        "The report covers the weeks from 6 May 2024 to 31 May 2024.",
    ):  # fmt: skip
        assert stated(other, "de fr", "2024-05-02") == [], other


FILLER = "The harbour has three quays. Boats of up to 20 metres may use the northern one of these quays.\n\n"


@pytest.mark.parametrize(
    ("title", "text", "first", "after"),
    [
        ("Market rules", "These Regulations come into operation on 6 October 2023.", "2023-10-06", ""),
        ("Handbook", "The Handbook has governed all matches since 1 September 2017.", "2017-09-01", ""),
        ("Tax revision", "The revision follows. It becomes operative on 1 January 2020.", "2020-01-01", ""),
        ("Offer", "This offer is valid until 30 April 2026.", "", "2026-05-01"),
        ("Rules", "In force from 1 March 2020.", "2020-03-01", ""),
        ("Satzung", "Diese Satzung tritt am 1. Januar 2016 in Kraft.", "2016-01-01", ""),
        ("Rules", "These rules take effect on 1 May 2020. This tariff lapses on 3 June 2021.",
         "2020-05-01", "2021-06-04"),
        ("Rules", "Section 5 takes effect on 1 May 2020.", "", ""),
        ("Rules", "This crane is valid until 1 May 2020.", "", ""),
        ("Rules", "The contract of the cook is valid until 1 May 2020.", "", ""),
        ("Rules", "These rules take effect on 1 May 2020. This tariff lapses on 3 May 2019.", "", ""),
    ],
)  # fmt: skip
def test_a_sentence_about_the_whole_document(title: str, text: str, first: str, after: str) -> None:
    """It makes up a small part of the text, and stands at an end of it."""
    found = force_of_document(FILLER * 3 + text, title, "en de", None, acts=False)
    ends = lambda at: at.isoformat()[:10] if at else ""  # noqa: E731
    told = ("", "") if found is None else (ends(found.span.start), ends(found.span.end))
    assert told == (first, after)


def test_what_acts_is_in_force_from_the_first_coming_day() -> None:
    """Of a circular of 2 June 2019; other days are not later, or until when something lasts."""
    text = "Since 1 May 2019 the clocks are lent until 30 June 2019. Both rules are good on 1 September 2019."
    published = read("2019-06-02")
    assert force_of_document(text, "Circular 5", "en", published, acts=False) is None
    found = force_of_document(text, "Circular 5", "en", published, acts=True)
    assert found is not None
    assert (str(found.span.start)[:10], found.span.end) == ("2019-09-01", None)
    for text in ("The fee is 84 euros from 1 July 2019. Circular 4 is repealed.",
                 'In Circular 4, instead of "1 July 2019" read "1 August 2019".'):  # fmt: skip
        assert force_of_document(text, "Circular 5", "en", published, acts=True) is None


def test_of_a_long_line_the_ends_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, however many phrases are in it."""
    lengths = []

    def counted(text: str, start: int, end: int) -> list[tuple[int, int]]:
        lengths.append(end - start)
        return sentences(text, start, end)

    monkeypatch.setattr(force, "sentences", counted)
    line = "The rule applies here and lapses at 5. " * 50_000
    assert force_of_document(line, "Rules", "en", None, acts=False) is None
    assert 2 * force.EDGE <= sum(lengths) <= 6 * force.EDGE


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("From June the cleaners come on Tuesdays.", "2022-06-01", "2022-07-01"),
        ("Ab Juni kommen die Reiniger.", "2022-06-01", "2022-07-01"),
        ("The fee is 25 from 1 July.", "2022-07-01", "2022-07-02"),
        ("Effective 1 July, the fee rises.", "2022-07-01", "2022-07-02"),
        ("The membership expires on 31 December.", "2022-12-31", "2023-01-01"),
        ("This ticket is valid until 30 April.", "2023-04-30", "2023-05-01"),
        ("From Monday the cleaners come.", "2022-05-09", "2022-05-10"),  # told on a Thursday
        ("From 1 May the fee is 25.", "2022-05-01", "2022-05-02"),  # told 4 days later: no year after
        ("From March the fee is 25.", "2022-03-01", "2022-04-01"),  # 65 of 365 days are no quarter
        ("In June we met twice.", "2021-06-01", "2021-07-01"),
        ("We walked from 3 to 5 June.", "2021-06-03", "2021-06-06"),
        ("Since July the fee is 25.", "2021-07-01", "2021-08-01"),
        ("The act came into force on 1 July.", "2021-07-01", "2021-07-02"),
        ("From June 2021 the cleaners come.", "2021-06-01", "2021-07-01"),
    ],
)
def test_the_year_of_a_time_that_is_announced(text: str, first: str, after: str) -> None:
    published = read("2022-05-05")
    times = parse(text, context=TimeContext(language="en de", published=published))
    (time,) = with_coming_years(text, times, "en de", published)
    assert [str(time.core.start)[:10], str(time.core.end)[:10]] == [first, after]


def test_what_is_announced_is_in_force_from_the_coming_month(tmp_path: Path) -> None:
    text = "From June the cleaners come on Fridays."
    with corpus_with(tmp_path, doc("m", "2022-05-05", text, "Cleaners")) as corpus:
        (hit,) = corpus.search("cleaners").hits
        assert hit.in_force is not None
        assert str(hit.in_force.span.start)[:10] == "2022-06-01"
        assert [str(each.span.start)[:10] for each in hit.about] == ["2022-06-01"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The licence expires on 31 December 2022."),
        ("en", "The deadline was extended to 31 May 2026."),
        ("en", "The deadline is now extended to 31 May 2026."),
        ("en", "The warranty of the boiler runs until 3 May 2026."),
        ("de", "Der Vertrag der Köchin endet am 3. Mai 2028."),
        ("fr", "Le passeport expire le 30 avril 2026."),
        ("es", "El pasaporte caduca el 30 de abril de 2026."),
        ("nl", "Mijn paspoort verloopt op 30 april 2026."),
    ],
)
def test_an_end_that_is_stated_of_a_subject_bounds_no_statement(language: str, text: str) -> None:
    """It stays so afterwards; of a text that speaks of itself it is the end."""
    assert stated(text, language) == []
