"""Words of the calendar: what tells one issue of a series from the next, and nothing of its subject."""

from __future__ import annotations

from collections.abc import Iterable

CALENDAR: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """
            january february march april may june july august september october november december
            jan feb mar apr jun jul aug sep sept oct nov dec
            monday tuesday wednesday thursday friday saturday sunday
            spring summer autumn winter easter christmas
        """,
        "de": """
            januar jänner februar feber märz april mai juni juli august september oktober november dezember
            jan feb mrz apr jun jul aug sep sept okt nov dez
            montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
            frühling frühjahr sommer herbst winter ostern pfingsten weihnachten
        """,
        "fr": """
            janvier février mars avril mai juin juillet août septembre octobre novembre décembre
            lundi mardi mercredi jeudi vendredi samedi dimanche printemps automne hiver pâques noël
        """,
        "es": """
            enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
            lunes martes miércoles jueves viernes sábado domingo primavera verano otoño invierno navidad
        """,
        "it": """
            gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
            lunedì martedì mercoledì giovedì venerdì sabato domenica primavera estate autunno inverno natale
        """,
        "nl": """
            januari februari maart april mei juni juli augustus september oktober november december
            maandag dinsdag woensdag donderdag vrijdag zaterdag zondag lente zomer herfst winter pasen
        """,
        "pt": """
            janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
            domingo sábado primavera verão outono inverno natal páscoa
        """,
    }.items()
}
"""Months, days of the week, seasons and feasts by ISO 639-1 code, in the form that `tokenize` gives them."""


def calendar_words(languages: Iterable[str]) -> frozenset[str]:
    """Those of some languages; one without a list has none."""
    return frozenset().union(*(CALENDAR.get(language, frozenset()) for language in languages))
