"""Times that a text mentions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.growth import is_linear

from asof.lang import codes
from asof.time.dates import _TABLES, _able
from asof.time.expressions import TimeContext, TimeExpression, parse
from asof.time.intent import recency
from asof.time.lexicon import (
    FAR,
    WORD,
    TimeLexicon,
    TimeText,
    TokenRun,
    WordWindow,
    bond,
    lexicon,
    windows,
    words_after,
    words_before,
)
from asof.time.moment import read
from asof.time.reading import ParseContext, anchor_at
from asof.time.span import GRAINS, Period, Span, months_later

ANCHOR = datetime(2024, 5, 31, 12, 34, tzinfo=UTC)  # a Friday
BERLIN = ZoneInfo("Europe/Berlin")


def whole_run(text: str, lexicon: TimeLexicon) -> TokenRun:
    """All words of a text as one run, whether they can say a time or not."""
    whole = TimeText(text)
    return TokenRun(WordWindow(whole, whole.ends), lexicon)


def only(text: str, **how: object) -> TimeExpression:
    anchor = how.pop("anchor", ANCHOR)
    found = parse(text, anchor, TimeContext(**how))  # type: ignore[arg-type]
    assert len(found) == 1, found
    return found[0]


def span(start: str | None, end: str | None) -> Span:
    return Span(
        *(None if side is None else datetime.fromisoformat(side + "T00:00Z") for side in (start, end))
    )


def test_a_mention_tells_where_it_stands_and_what_it_is() -> None:
    found = only("Revenue – grew since Q3 2023 in “Asia”")
    assert found == TimeExpression(
        text="since Q3 2023",
        start=15,
        end=28,
        span=span("2023-07-01", None),
        grain="quarter",
        relation="since",
        core=span("2023-07-01", "2023-10-01"),
    )


@pytest.mark.parametrize(
    ("text", "best", "other"),
    [
        ("03/04/2024", "2024-03-04 2024-03-05", "2024-04-03 2024-04-04"),
        ("03.04.2024", "2024-04-03 2024-04-04", "2024-03-04 2024-03-05"),  # dots: the day first
        ("in March", "2024-03-01 2024-04-01", "2025-03-01 2025-04-01"),
        ("in June", "2023-06-01 2023-07-01", "2024-06-01 2024-07-01"),
        ("last March", "2024-03-01 2024-04-01", "2023-03-01 2023-04-01"),
        ("last Tuesday", "2024-05-28 2024-05-29", "2024-05-21 2024-05-22"),
        ("on Monday", "2024-05-27 2024-05-28", "2024-06-03 2024-06-04"),
        ("February 29", "2024-02-29 2024-03-01", "2028-02-29 2028-03-01"),
    ],
)
def test_the_other_reading(text: str, best: str, other: str) -> None:
    found = only(text)
    assert found.span == span(*best.split())
    assert found.alternatives[0] == span(*other.split())


def test_the_future_can_be_preferred() -> None:
    found = only("in June", prefer="future")
    assert found.span == span("2024-06-01", "2024-07-01")
    assert found.alternatives == (span("2023-06-01", "2023-07-01"),)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("FY2024", ("2023-07-01", "2024-07-01")),  # named by the year in which it ends
        ("Q2 FY24", ("2023-10-01", "2024-01-01")),
        ("Q3 2024", ("2024-01-01", "2024-04-01")),
        ("fiscal Q4 2024", ("2024-04-01", "2024-07-01")),
        ("H1 FY24", ("2023-07-01", "2024-01-01")),
        ("last fiscal year", ("2022-07-01", "2023-07-01")),
        ("this fiscal quarter", ("2024-04-01", "2024-07-01")),
    ],
)
def test_a_fiscal_year_from_july_on(text: str, meant: tuple[str, str]) -> None:
    found = only(text, fiscal_start=7)
    assert found.fiscal
    assert found.span == span(*meant)


def test_words_stay_with_the_calendar_where_labels_are_fiscal() -> None:
    label, words = only("Q3 2024", fiscal_start=7), only("third quarter of 2024", fiscal_start=7)
    assert not words.fiscal
    assert words.span == span("2024-07-01", "2024-10-01") == label.alternatives[0]


def test_times_are_those_of_the_zone_and_days_of_all() -> None:
    assert only("2024-03-05", zone=BERLIN).span == read("2024-03-05")
    assert only("5 March 2024 at 14:30", zone=BERLIN).span == read("2024-03-05T14:30", zone=BERLIN)
    assert only("5 March 2024 at 14:30 UTC", zone=BERLIN).span == read("2024-03-05T14:30Z")
    late = datetime(2024, 5, 31, 22, 30, tzinfo=UTC)  # 00:30 of 1 June in Berlin
    assert only("today", anchor=late, zone=BERLIN).span == read("2024-06-01")
    assert only("the past 3 years", anchor=late, zone=BERLIN).span.end == late


def test_hours_pass_while_clocks_change() -> None:
    after = datetime(2024, 3, 31, 1, 30, tzinfo=UTC)  # 03:30 in Berlin, where 02:30 was skipped
    start = after - timedelta(hours=2)
    assert only("2 hours ago", anchor=after, zone=BERLIN).span == Span(start, start + timedelta(minutes=1))


def test_a_time_that_clocks_skip_is_no_mention() -> None:
    assert parse("2024-03-31 02:30", context=TimeContext(BERLIN)) == ()
    assert len(parse("2024-03-31 02:30")) == 1


def test_english_is_always_known_and_other_languages_need_a_list() -> None:
    for language in ("de", "en de", "de,en", "xx", "", "../en", "klingon"):
        assert only("last week", language=language).span == span("2024-05-20", "2024-05-27")
    assert parse("letzte Woche", ANCHOR) == ()
    assert lexicon("xx") is lexicon("en")


def test_what_is_given_must_make_sense() -> None:
    with pytest.raises(ValueError, match="time zone"):
        parse("today", datetime(2024, 5, 31))  # noqa: DTZ001
    with pytest.raises(ValueError, match="month from 1 to 12"):
        parse("FY24", context=TimeContext(fiscal_start=13))


def rendered(period: Period) -> list[str]:
    day = period.start
    if period.grain == "year":
        return [f"in {day.year}", f"the year {day.year}", f"calendar year {day.year}"]
    if period.grain == "quarter":
        number = (day.month + 2) // 3
        name = ("first", "second", "third", "fourth")[number - 1]
        return [
            f"Q{number} {day.year}", f"{day.year}-Q{number}", f"{day.year}q{number}", f"{number}Q {day.year}",
            f"{name} quarter of {day.year}", f"the {name} quarter {day.year}",
        ]  # fmt: skip
    if period.grain == "month":
        return [
            f"{day:%B} {day.year}",
            f"{day:%b} {day.year}",
            f"{day:%b}. {day.year}",
            f"{day.year}-{day.month:02}",
        ]
    return [
        day.isoformat(), f"{day.day} {day:%B} {day.year}", f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}", f"{day:%A}, {day.day} {day:%B} {day.year}",
        f"{day.month}/{day.day}/{day.year}", f"{day.year}/{day.month}/{day.day}",
        f"{day:%m}-{day:%d}-{day.year}",
        f"the {day.day}th of {day:%B} {day.year}", f"{day.day}-{day:%b}-{day.year}",
    ]  # fmt: skip


PERIODS = st.builds(Period.of, st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.sampled_from(GRAINS))


@given(PERIODS)
def test_a_written_period_reads_back_as_itself(period: Period) -> None:
    for text in rendered(period):
        found = parse(f"It was {text}, they said.")
        assert [mention.span for mention in found] == [period.span], text
        assert found[0].grain == period.grain


@given(PERIODS, PERIODS)
def test_a_written_range_reads_back_as_itself(one: Period, other: Period) -> None:
    first, last = sorted((one, other))
    if last.span.end is None or first.span.end is None or last.span.end < first.span.end or first == last:
        return
    text = f"between {rendered(first)[0].removeprefix('in ')} and {rendered(last)[0].removeprefix('in ')}"
    assert [mention.span for mention in parse(text)] == [Span(first.span.start, last.span.end)]


SHIFTING = (
    "last year", "this month", "in March", "since last summer", "three months ago", "the past 5 years",
    "early next year", "year to date", "Christmas", "the first Monday of March {}", "Q3 {}",
    "by the end of {}", "5 March {}", "from May to June {}", "winter {}", "late {}s",
)  # fmt: skip


@given(st.sampled_from(SHIFTING), st.dates(date(1990, 1, 1), date(2020, 12, 28)), st.sampled_from([28, 400]))
def test_shifting_text_and_anchor_by_whole_years_shifts_the_span(text: str, day: date, years: int) -> None:
    """The calendar of 1901 to 2099 repeats after 28 years, the Gregorian one after 400."""

    def at(year: int, anchor: date) -> Span:
        moment = datetime(anchor.year, anchor.month, anchor.day, 12, tzinfo=UTC)
        decade = year // 10 * 10
        return only(text.format(decade if text.endswith("s") else year), anchor=moment).span

    def later(moment: datetime | None) -> datetime | None:
        if moment is None:
            return None
        there = months_later(moment.date(), 12 * years)
        return moment.replace(year=there.year, month=there.month, day=there.day)

    if text.endswith("s") and "{}" in text:
        years = 400
    here, there = at(day.year, day), at(day.year + years, months_later(day, 12 * years))
    assert there == Span(later(here.start), later(here.end))


VOCABULARY = (
    sorted(lexicon("en de").known)
    + [str(n) for n in range(40)]
    + ["1990", "2019", "2024", "0000", "9999", "20240305"]
)
GLUE = [" "] * 8 + [*"-/.:'’–()$+_İ\ud800", "", ", ", " - ", "\n\n"]
TEXTS = (
    st.text(max_size=60)
    | st.text("0123456789-:./,+ TZqQh'’–$%\u0308İß\ud800\x00\n", max_size=40)
    | st.lists(st.tuples(st.sampled_from(VOCABULARY), st.sampled_from(GLUE)), max_size=10).map(
        lambda pairs: "".join(word + glue for word, glue in pairs)
    )
)
MOMENTS = st.datetimes(timezones=st.sampled_from([UTC, BERLIN])) | st.none()


@given(TEXTS, MOMENTS, st.sampled_from([UTC, BERLIN]), st.integers(1, 12), st.sampled_from(["en", "de en"]))
@example("earlier this year", datetime(1, 1, 1, tzinfo=UTC), UTC, 1, "en")
@example("last fiscal year to next century", datetime.max.replace(tzinfo=UTC), BERLIN, 7, "en")
@example("İİ 5 March 2024 İ", None, UTC, 1, "en")
def test_any_text_has_mentions_that_stand_where_they_say(
    text: str, anchor: datetime | None, zone: ZoneInfo, fiscal_start: int, language: str
) -> None:
    done = 0
    for mention in parse(text, anchor, TimeContext(zone, fiscal_start, language)):
        assert done <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.text
        assert (mention.span.start, mention.span.end) != (None, None)
        assert mention.span not in mention.alternatives
        assert anchor is not None or not mention.relative
        done = mention.end


HOSTILE = [
    "1" * 100_000, "last " * 5_000, "between " * 5_000, "two hundred and " * 2_000, "2019 to " * 2_000,
    "1/" * 5_000, "5." * 5_000, "5 " + " " * 50_000 + "March", "the first of " * 2_000,
    "\ud800May\udfff" * 2_000, "March 5, " * 2_000, "'" * 20_000, "from " * 2_000 + "2019",
    "two days before " * 1_000, "in the early " * 2_000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12].encode("ascii", "replace").decode())
def test_hostile_text_is_read(text: str) -> None:
    found = parse(text, ANCHOR, TimeContext(language="en de"))
    assert all(text[mention.start : mention.end] == mention.text for mention in found)


# -- tables of cases, a file for each language: `text => mention | start | end | grain ; …` -------------


def short(moment: datetime | None) -> str:
    """As short as the tables write it: 2024-03-05T14 for 14 o'clock."""
    if moment is None:
        return ".."
    text = moment.strftime(f"{moment.year:04}-%m-%dT%H:%M:%S")
    for zero in (":00", ":00", "T00"):
        text = text.removesuffix(zero)
    return text


def told(mention: TimeExpression) -> str:
    span = mention.span
    return f"{mention.text} | {short(span.start)} | {short(span.end)} | {mention.grain}"


FILES = {
    path.stem.removeprefix("expressions_"): path for path in Path(__file__).parent.glob("expressions_*.txt")
}


def lines(*wanted: str) -> list[tuple[str, str]]:
    """Language and line of the sections of these names."""
    chosen = []
    for code, path in sorted(FILES.items()):
        for section in path.read_text("utf-8").split("\n[")[1:]:
            name, _, lines = section.partition("]")
            chosen += [(code, line) for line in lines.splitlines() if line and name in wanted]
    return chosen


def read_in(language: str, text: str, anchor: datetime | None = ANCHOR) -> str:
    return " ; ".join(map(told, parse(text, anchor, TimeContext(language=language))))


def test_every_language_of_time_has_its_cases() -> None:
    assert FILES.keys() == set(codes("time"))


@pytest.mark.parametrize(("language", "row"), lines("dates", "labels", "parts", "limits", "clock"))
def test_times_that_need_no_anchor(language: str, row: str) -> None:
    text, meant = row.split(" => ")
    needs_one = "this year" in text or "last year" in text
    assert read_in(language, text) == meant
    assert read_in(language, text, None) == ("" if needs_one else meant)


@pytest.mark.parametrize(("language", "row"), lines("relative"))
def test_times_that_count_from_the_anchor(language: str, row: str) -> None:
    text, meant = row.split(" => ")
    assert read_in(language, text) == meant
    assert all(mention.relative for mention in parse(text, ANCHOR, TimeContext(language=language)))
    without = parse(text, context=TimeContext(language=language))
    assert not any(mention.relative or told(mention) in meant for mention in without)


@pytest.mark.parametrize(("language", "text"), lines("none"))
def test_what_is_no_time(language: str, text: str) -> None:
    assert read_in(language, text) == read_in(language, text, None) == ""


@pytest.mark.parametrize(("language", "row"), lines("wish"))
def test_wishes_for_the_newest(language: str, row: str) -> None:
    question, wanted = row.split(" => ")
    assert recency(question, language) == recency(question) == float(wanted)


def phrases() -> Iterator[tuple[str, datetime, str, str]]:
    """Language, anchor, phrase and wanted spans of each row of `phrases.txt`."""
    for section in (Path(__file__).parent / "phrases.txt").read_text("utf-8").split("\n[")[1:]:
        language, *rows = section.splitlines()
        for row in filter(None, rows):
            text, _, wanted = row.partition(" =>")
            day, _, rest = text.partition(" ") if text.startswith("@") else ("", "", text)
            anchor = datetime.fromisoformat(f"{day[1:]}T12:34Z") if day else ANCHOR
            yield language.strip("]"), anchor, rest, wanted.strip()


@pytest.mark.parametrize(("language", "anchor", "text", "wanted"), list(phrases()))
def test_a_phrase_means_its_spans(language: str, anchor: datetime, text: str, wanted: str) -> None:
    spans = [mention.span for mention in parse(text, anchor, TimeContext(language=language))]
    assert " ; ".join(f"{short(span.start)} | {short(span.end)}" for span in spans) == wanted


@pytest.mark.parametrize(
    ("language", "row"),
    [row for row in lines("dates", "labels", "limits", "relative") if row[0] in ("ja", "zh")],
)
def test_languages_of_a_script_of_their_own_are_read_in_any_text(language: str, row: str) -> None:
    text, meant = row.split(" => ")
    assert [read_in(other, text) for other in ("en", "de fr", "")] == [meant] * 3


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("März 2021", "März 2021 | 2021-03-01 | 2021-04-01 | month"),
        ("dated 15. März 2021, say", "15. März 2021 | 2021-03-15 | 2021-03-16 | day"),
        ("the 15. März of that", "15. März | 2024-03-15 | 2024-03-16 | day"),
        ("in Dezember 2020", "Dezember 2020 | 2020-12-01 | 2021-01-01 | month"),
        ("MÄRZ 2021", "MÄRZ 2021 | 2021-03-01 | 2021-04-01 | month"),
        ("Mai 2021", "Mai 2021 | 2021-05-01 | 2021-06-01 | month"),
        ("3. Mai 2021", "3. Mai 2021 | 2021-05-03 | 2021-05-04 | day"),
        ("between Mai and Juni 2021", "between Mai and Juni 2021 | 2021-05-01 | 2021-07-01 | month"),
        ("on 3 mars 2021", "3 mars 2021 | 2021-03-03 | 2021-03-04 | day"),
        ("published mars 2021", "mars 2021 | 2021-03-01 | 2021-04-01 | month"),
        ("août 2019", "août 2019 | 2019-08-01 | 2019-09-01 | month"),
        ("since décembre 2020", "since décembre 2020 | 2020-12-01 | .. | month"),
        ("marzo de 2021", "marzo de 2021 | 2021-03-01 | 2021-04-01 | month"),
        ("5 de marzo de 2021", "5 de marzo de 2021 | 2021-03-05 | 2021-03-06 | day"),
        ("the Mars 2020 rover", "2020 | 2020-01-01 | 2021-01-01 | year"),
        ("a Mayo Clinic study", ""),
        ("3 Mai Tais in mars, last mai", ""),
        ("Juli Zeh and 2 Mars bars", ""),
        ("this juin, as in juin", ""),
        ("until 4 mai", ""),
    ],
)
def test_months_of_other_languages_are_read_where_nothing_else_can_be_meant(text: str, meant: str) -> None:
    assert read_in("en", text) == meant


@pytest.mark.parametrize(("text", "code"), [("depuis 9000 ans", "fr"), ("seit 9000 Jahren", "de")])
def test_what_has_lasted_since_before_the_calendar_is_no_time(text: str, code: str) -> None:
    assert read_in(code, text) == ""


# -- the words around triggers are the only ones that are cut --------------------------------------------

ENGLISH = lexicon("en")
WINDOW_TEXTS = st.lists(
    st.sampled_from(
        ["may", "March", "May", "2024", "Q3", "the", "profit", "İstanbul", "½", "März", "20240305"]
    )
    | st.sampled_from([" ", " ", "-", "\u2014", "\n\n", "5", "may", "é", "_"])
    | st.text(max_size=4)
).map("".join)


@given(WINDOW_TEXTS)
def test_triggers_are_those_words_of_the_text_that_may_say_a_time(text: str) -> None:
    whole = TimeText(text)
    expected = [
        word.span()
        for word in WORD.finditer(whole.lower)
        if word[0] in ENGLISH.triggers or (word[0][0] in "0123456789" and len(word[0]) in (8, 14))
    ]
    assert whole.triggers(ENGLISH) == expected


@given(WINDOW_TEXTS)
def test_windows_are_disjoint_and_hold_their_words_and_gaps(text: str) -> None:
    done, whole = 0, TimeText(text)
    for window in windows(whole, ENGLISH):
        start, end = window.starts[window.first], window.end(window.after - 1)
        assert done <= start
        done = end
        pieces = [piece for pair in zip(window.gaps, [*window.words, ""], strict=True) for piece in pair]
        assert whole.lower.startswith("".join(pieces), window.offset)
        assert window.words == WORD.findall(whole.lower, window.offset, window.end(len(window.words) - 1))
        assert len(WORD.findall(whole.lower[:start])[-2:]) == window.first
        assert len(WORD.findall(whole.lower[end:])[:1]) == len(window.words) - window.after


@given(WINDOW_TEXTS, WINDOW_TEXTS, st.sampled_from(sorted(ENGLISH.triggers)))
def test_a_window_reaches_as_far_as_words_are_known_and_near(before: str, after: str, trigger: str) -> None:
    """Word by word, as `bond` has it; 12 words before the trigger at most."""
    text = TimeText(f"{before} {trigger} {after}")
    words = list(WORD.finditer(text.lower))
    middle = next(n for n, word in enumerate(words) if word.start() == len(before) + 1)

    def linked(n: int) -> bool:
        """Whether word n and the next one are near; both are known."""
        near = bond(text.lower[words[n].end() : words[n + 1].start()])[0] != FAR
        return near and all(word[0].isdecimal() or word[0] in ENGLISH.known for word in words[n : n + 2])

    first, last = middle, middle
    while first > max(0, middle - 12) and linked(first - 1):
        first -= 1
    while last + 1 < len(words) and linked(last):
        last += 1
    start, end = words[middle].span()
    size = len(text.lower)
    left = words_before(ENGLISH, 12).match(text.backwards, size - start)
    right = words_after(ENGLISH, 400).match(text.lower, end)
    assert left is not None
    assert right is not None
    assert (size - left.end(), right.end()) == (words[first].start(), words[last].end())


@pytest.mark.parametrize(
    "piece", ["1234567,89,", "12, ", "1.2.3 ", "2024 " + "." * 50, "1٣", "1a", "the of "]
)
def test_a_long_text_is_read_in_linear_time(piece: str) -> None:
    assert is_linear(lambda size: parse(piece * (size // len(piece))), 12_500)


# -- which rules are tried at an item --------------------------------------------------------------------

HERE = ParseContext(anchor_at(datetime(2024, 5, 31, 12, 34, tzinfo=UTC), UTC))
FIGURES = st.integers(0, 40).map(str) | st.integers(1990, 2030).map(str) | st.sampled_from(["20240305", "05"])
SIGNS = st.sampled_from([" ", " ", " ", " ", "-", "/", ".", ". ", ", ", "'", ":", ""])
SUFFIXES = st.sampled_from(["1st", "22nd", "5th", "1990s", "Q3", "3pm", "2024-W09"])


def words_by_sense(lexical: TimeLexicon) -> list[list[str]]:
    """The words and phrases of each sense, so that rare and frequent senses are drawn alike."""
    by_sense: dict[str, list[str]] = {}
    for word, senses in lexical.senses.items():
        for sense in senses:
            by_sense.setdefault(sense, []).append(word)
    for phrases in lexical.phrases.values():
        for words, senses in phrases:
            for sense in senses:
                by_sense.setdefault(sense, []).append(" ".join(words))
    return [sorted(words) for _, words in sorted(by_sense.items())]


@pytest.mark.parametrize("language", codes("time"))
@given(data=st.data())
def test_a_rule_that_reads_a_time_is_among_those_that_are_tried(language: str, data: st.DataObject) -> None:
    lexical = lexicon(language)
    listed = st.sampled_from(words_by_sense(lexical)).flatmap(st.sampled_from)
    words = data.draw(st.lists(st.tuples(FIGURES | SUFFIXES | listed, SIGNS), min_size=2, max_size=5))
    run = whole_run("".join(word + sign for word, sign in words), lexical)
    for i, item in enumerate(run.items):
        for rule in dict.fromkeys(row.rule for row in _TABLES["day"] if row.begins & item.kind):
            try:
                match = rule(run, i, HERE)
            except (ValueError, OverflowError):
                match = None
            if match is not None:
                after = run[i + 1]
                assert rule in _able("day", item.kind, after.kind, after.glue, min(run.size - i, 4)), rule
