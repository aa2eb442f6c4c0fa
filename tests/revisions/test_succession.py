"""Succession: what follows what, who are siblings, and what is kept of it."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from tests.index.made import row, segmented
from tests.revisions import made
from tests.revisions.made import document, fresh, noted
from tests.support.corpora import new_corpus

from asof.corpus.corpus import Corpus
from asof.documents import Document, Ended, SourcedTime
from asof.index.features import grammar_of, title_of
from asof.index.statements import MOST_LEADS, frame_of, leads_of
from asof.revisions import rows
from asof.revisions.chains import SeriesCache, status, succession
from asof.revisions.force import followers
from asof.revisions.link import Linker
from asof.revisions.rows import Rows
from asof.text.tokens import Analyzer
from asof.time.moment import read
from asof.time.span import iso
from asof.wire import replace


def follows(corpus: Corpus, as_of: str | None = None, known_at: str | None = None) -> dict[str, str]:
    """By document (and, where it has more versions, the day) the one that its passage follows."""
    view = corpus.at(as_of, known_at).view()
    found = succession(view)
    rows = np.arange(view.prefix.rows)
    before = found.predecessors(rows)
    names = [record.document for record in view.records(rows)]
    days = [iso(instant)[:10] for instant in view.column("visible", rows).tolist()]
    many = {name for name in names if names.count(name) > 1}
    said = [f"{name} {day}" if name in many else name for name, day in zip(names, days, strict=True)]
    return {said[row]: said[to] for row, to in enumerate(before.tolist()) if to >= 0}


def series_of(corpus: Corpus, document: str, as_of: str | None = None) -> list[str]:
    view = corpus.at(as_of).view()
    names = [record.document for record in view.records(np.arange(view.prefix.rows))]
    chain = succession(view).series(names.index(document))
    return [names[row] for row in chain.tolist()]


def release(version: str, date: str, product: str = "Harbourd", text: str = "") -> Document:
    """A release note of Harbourd, or of another product."""
    title = f"{product} {version}"
    return document(f"{product}-{version}", text or f"{title} was released.", date, title=title)


# -- what follows -----------------------------------------------------------------------------------


WON = "In the final of the harbour race {} beat {} by {} lengths."


def test_each_year_follows_the_one_before_by_its_frame() -> None:
    """Names and numbers are values: what is left of the three texts is the same."""
    values = {2019: ("Ada Marsh", "Tom", 2), 2020: ("Tom Reed", "Ada Marsh", 3), 2021: ("Ina", "Bo Elm", 1)}
    notes = [
        document(f"r{year}", WON.format(*each), f"{year}-07-01", title="Harbour race")
        for year, each in values.items()
    ]
    with fresh(*notes) as corpus:
        assert follows(corpus) == {"r2020": "r2019", "r2021": "r2020"}
        assert series_of(corpus, "r2020") == ["r2019", "r2020", "r2021"]


LUNCH = "Lunch costs {} crowns for a guest of the harbour."
POLICY = """Who travels for the harbour books trains early, keeps every receipt, eats for at most {} crowns,
sleeps in a simple room near the quay, takes no taxi, asks the clerk before leaving the county, carries the
tide table and a lamp, and sends the form to the office within a month, with the names of all sailed."""
NOTICE = (
    "Harbour master: {}. Mooring costs {} crowns a night{}. The radio is on channel {}. {} All are welcome."
)
NOTICES = (NOTICE.format("Ada Marsh", 9, "", 12, "Nets dry on the rail."),
           NOTICE.format("Tom Reed", 11, ", form 2", 14, "Ropes are measured."))  # fmt: skip
FARES = (
    "| Fare | Crowns |\n| --- | --- |\n| Single | 4 |\n| Return | 7 |\n\nPaid to the mate.",
    "| Fare | Crowns |\n| --- | --- |\n| Single | 5 |\n| Return | 9 |\n| Dog | 1 |\n\nThe reason is diesel.",
)
MOORING = "The mooring at berth {} for yachts and barges costs {} crowns each night, with water and light."
MET = (
    "Present: Ada, Bo. Apologies: none. The roof leaks in two places; the ladder stands at the mill.",
    "Present: Ina, Tom. Apologies: Ada. A baker asked for flour, and lamps were bought before winter.",
)


@pytest.mark.parametrize(
    ("one", "other", "ids", "linked"),
    [
        ("The budget is 40 crowns. The roof leaks.", "The chair greeted two members.", ("a", "b"), False),
        ("The fee is 40 crowns.", "The fee is 45 crowns.", ("a", "b"), True),
        ("The master is Ada Marsh.", "The master is Tom Reed.", ("a", "b"), True),
        ("Where is the ferry: at the mole", "Where is the ferry: in dock since March", ("a", "b"), True),
        ("Status: proposed", "Status: in force since March", ("a", "b"), False),
        ("Ada spoke of the roof.", "Bo spoke of the crane.", ("a", "b"), False),
        (POLICY.format(30), POLICY.format(36), ("a.md", "b.md"), True),
        (POLICY.format(30), POLICY.format(36), ("v1/a.md", "v2/a.md"), False),
        (POLICY.format(30), POLICY.format(36), ("mast/a.md", "quay/a.md"), False),
        (POLICY.format(30), POLICY.format(36), ("minutes/1.md", "minutes/2.md"), False),
        (POLICY.format(30), POLICY.format(36), ("box.mbox!/1@q", "box.mbox!/2@q"), False),
        ("The licence is MIT.", "The licence is GPL.", ("mast/README.md", "quay/README.md"), False),
        (LUNCH.format(30), LUNCH.format(36), ("mast/a.md", "quay/a.md"), True),
        (LUNCH.format(30), LUNCH.format(36), ("v1/a.md", "v2/a.md"), False),
        (*NOTICES, ("a.md", "b.md"), True),
        (*NOTICES, ("mast/a.md", "quay/a.md"), False),
        (*NOTICES, ("minutes/1.md", "minutes/2.md"), False),
        (*FARES, ("a.md", "b.md"), True),
        (*MET, ("a.md", "b.md"), False),
        ("Berth 1 costs 12 crowns.", "Berth 2 costs 14 crowns.", ("a", "b"), False),
        ("Note 1: Berth 1 costs 12 crowns.", "Note 2: Berth 1 costs 14 crowns.", ("a", "b"), True),
        ("Version 2 costs 12 crowns.", "Version 3 costs 14 crowns.", ("a", "b"), True),
        (MOORING.format(1, 12), MOORING.format(2, 14), ("a", "b"), False),
        (MOORING.format(1, 12), MOORING.format(1, 14), ("a", "b"), True),
    ],
)  # fmt: skip
def test_a_title_alone_makes_no_series(one: str, other: str, ids: tuple[str, str], linked: bool) -> None:
    """Of two documents with one title a statement follows another that is the same but for values, a longer
    text one that is nearly the same or repeats half of its statements; not one of another folder, of minutes
    or of a mail, nor one that has only two labels and the title in common."""
    first, second = ids
    with fresh(
        document(first, one, "2020", title="Board"), document(second, other, "2021", title="Board")
    ) as corpus:
        assert follows(corpus) == ({second: first} if linked else {})


@pytest.mark.parametrize(
    ("title", "other", "linked"),
    [
        ("Mill race", "The Mill race went to Bo, 4 lengths ahead.", True),
        ("Mill race", "The Mill race went to Bo, who was ahead.", False),
        ("Mill race", "The race by the mole went to Bo, 4 lengths ahead.", False),
        ("Mill race", f"The Mill race went to Bo, 4 ahead. {POLICY}", False),
        ("Race", "The race went to Bo, 4 lengths ahead.", False),
        ("Minutes of the mill race", "Of minutes: the mill race went to Bo, 4 lengths ahead.", False),
    ],
)
def test_short_texts_with_all_words_of_one_title_state_its_value(
    title: str, other: str, linked: bool
) -> None:
    """They have a figure each, and the title has several words."""
    first = f"Ada won the {title.lower()} by 3 lengths."
    with fresh(
        document("a", first, "2020", title=title), document("b", other, "2021", title=title)
    ) as corpus:
        assert follows(corpus) == ({"b": "a"} if linked else {})


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("Ada Marsh won in 2019.", "Tom Reed won in 2021.", True),
        ("We meet on Monday at 10:30.", "We meet on Friday at 9.", True),
        ("I was told so. Ann Lee said no.", "I was told so. Bo Elm said no.", True),
        ("The fee is high.", "The fee is low.", False),
        ("Ada Marsh: Shall we sail on?", "Ada Marsh: The mast broke.", False),
        ("Die Wartung kostet 4 Kronen.", "Die Fähre kostet 5 Kronen.", False),  # German nouns are no names
    ],
)
def test_frames(text: str, other: str, same: bool) -> None:
    grammar = grammar_of(Analyzer(("en", "de")))
    language = "de" if text.startswith("Die") else "en"
    one, two = (frame_of(each, language, grammar) for each in (text, other))
    assert 0 not in (one.hash, two.hash)
    assert (one == two) == same


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Roll: €0.45. Roll: 3", 1), ("A night costs €9 here.", 1), ("- Low water level: at noon", 1),
        ("| Fare | Crowns |\n| Dog | 1 |", 1), ("Costs 4.", 0), ("Ship: the Prudence", 0), ("12:30 to 1", 0),
        ("Ann Lee: Shall we sail?", 0), ("We sail for the mill.", 0), ("The mole opens on 9 May 2020.", 1),
        ("".join(f"Lamp {'x' * at}: 1\n" for at in range(99)), MOST_LEADS),
    ],
)  # fmt: skip
def test_leads_are_what_statements_say_before_their_values(text: str, number: int) -> None:
    grammar = grammar_of(Analyzer(("en",)))
    assert len(leads_of(text, grammar)) == number
    assert leads_of(text.replace("4", "5").replace("9 May", "3 June"), grammar) == leads_of(text, grammar)


def test_a_yearly_report_follows_though_a_number_in_words_beside_its_figures_changed() -> None:
    said = (
        "At 31 December {} reserves stood at £{}. The policy is to hold between {} and six months of costs."
    )
    years = ((2019, "88,000", "three"), (2020, "61,200", "three"), (2021, "74,900", "four"))
    with fresh(
        *(document(f"r{year}", said.format(year, *rest), f"{year + 1}-05", title=f"Annual report {year}")
          for year, *rest in years)
    ) as corpus:  # fmt: skip
        assert follows(corpus) == {"r2020": "r2019", "r2021": "r2020"}


@pytest.mark.parametrize("mark", ["Re: ", "RE: AW: ", "Fwd: Re[2]: "])
def test_an_answer_follows_the_mail_that_it_answers(mark: str) -> None:
    said = "The guest wifi password is {} from today."
    with fresh(
        Document("in.mbox!/1", said.format("heron-47"), "Wifi password", "2022-03-01"),
        Document("in.mbox!/2", said.format("otter-12"), f"{mark}Wifi password", "2023-08-21"),
        Document("in.mbox!/3", said.format("plover-9"), f"{mark}Staff wifi password", "2023-09-21"),
    ) as corpus:
        assert follows(corpus) == {"in.mbox!/2": "in.mbox!/1"}


def test_prices_are_no_versions() -> None:
    """2022 has the crown of 2020 in common, and follows 2021."""
    notes = [
        document(f"f{year}", f"The ferry fare for a dog is {fare} crowns.", f"{year}", title="Ferry fare")
        for year, fare in ((2020, 4.20), (2021, 5.10), (2022, 4.60))
    ]
    with fresh(*notes) as corpus:
        assert follows(corpus) == {"f2021": "f2020", "f2022": "f2021"}


def test_a_frame_needs_words() -> None:
    grammar = grammar_of(Analyzer(("en",)))
    assert frame_of("So what?", "en", grammar) == frame_of("It is so.", "en", grammar) == (0, 0)
    assert frame_of("word " * 80, "en", grammar) == (0, 0)


def test_dates_in_a_title_are_left_out() -> None:
    text = "The fee for a berth is {} crowns, said the harbour board."
    titles = ["Board minutes 2024-01", "Board minutes February 2024", "2024-03-05 Board minutes"]
    notes = [
        document(f"m{month}", text.format(30 + month), f"2024-0{month}-05", title=title)
        for month, title in enumerate(titles, 1)
    ]
    with fresh(*notes) as corpus:
        assert follows(corpus) == {"m2": "m1", "m3": "m2"}


def test_nearly_the_same_text_without_a_title() -> None:
    one = "The ferry leaves the northern mole daily and the ticket costs {} crowns."
    other = "Bread is baked in the old mill on the hill, and sold from the window."
    notes = [document("a", one.format(4), "2020"), document("b", one.format(5), "2021"),
             document("c", other, "2022")]  # fmt: skip
    with fresh(*notes) as corpus:
        assert follows(corpus) == {"b": "a"}


def test_an_edit_follows_what_it_ended() -> None:
    with fresh(document("a", "The master is Ada Marsh.", "2020", title="Harbour")) as corpus:
        corpus.add([document("a", "Tom Reed has the office.", "2021", title="Harbour")])
        assert follows(corpus) == {"a 2021-12-31": "a 2020-12-31"}


def test_passages_of_one_version_do_not_follow_each_other() -> None:
    """Both paragraphs say nearly the same; the second version changes one of them."""
    first = "The ferry to the island leaves at nine from the mole.\n\n"
    second = "The ferry to the island leaves at ten from the mole.\n\n"
    third = "The ferry to the island leaves at noon from the mole.\n\n"
    with fresh(document("a", first + second, "2020", title="Ferry island"), chunking="12w") as corpus:
        corpus.add([document("a", first + third, "2021", title="Ferry island")])
        view = corpus.at().view()
        texts = [record.text.split()[7] for record in view.records(np.arange(view.prefix.rows))]
        before = succession(view).predecessors(np.arange(view.prefix.rows)).tolist()
        assert {texts[row]: texts[to] for row, to in enumerate(before) if to >= 0} == {"noon": "ten"}


def test_an_edit_goes_before_another_document() -> None:
    """b says something else meanwhile: a's next version follows a, and a's successor is that version."""
    text = "The harbour master is {}."
    with fresh(
        document("a", text.format("Ada Marsh"), "2020", title="Harbour master"),
        document("b", text.format("Tom Reed"), "2021", title="Harbour master"),
    ) as corpus:
        corpus.add([document("a", text.format("Ina Vogel"), "2022", title="Harbour master")])
        assert follows(corpus) == {"b": "a 2020-12-31", "a 2022-12-31": "a 2020-12-31"}
        assert series_of(corpus, "a") == ["a", "a"]
        assert series_of(corpus, "a", "2021") == ["a", "b"]


# -- numbers ----------------------------------------------------------------------------------------


def test_a_version_follows_the_one_that_begins_most_like_it() -> None:
    """6.0.3 comes after 6.1.0, and has two parts in common with 6.0.2."""
    dates = {"6.0.2": "2020-01", "6.1.0": "2020-02", "6.0.3": "2020-03", "6.1.1": "2020-04"}
    with fresh(*(release(version, date) for version, date in dates.items())) as corpus:
        assert follows(corpus) == {
            "Harbourd-6.1.0": "Harbourd-6.0.2", "Harbourd-6.0.3": "Harbourd-6.0.2",
            "Harbourd-6.1.1": "Harbourd-6.1.0",
        }  # fmt: skip


def test_another_event_of_a_version_is_another_series() -> None:
    ended = "Support for Harbourd {} has ended."
    notes = [
        release("5", "2019-01"), release("6", "2020-01"),
        release("5", "2020-02", "Harbourd", ended.format(5)), release("6", "2021-02", text=ended.format(6)),
        release("7", "2021-03"),
    ]  # fmt: skip
    with fresh(*(replace(note, id=f"{number}") for number, note in enumerate(notes))) as corpus:
        assert follows(corpus) == {"1": "0", "3": "2", "4": "1"}


@pytest.mark.parametrize(
    ("title", "version"),
    [
        ("Node.js 21.7.0", "21.7.0"), ("Windows 11", "11"), ("Harbour notice 2022", ""),
        ("Diary 9.11.2020", ""), ("Minutes 2024-03", ""), ("12 March 2024", ""), ("TYPO3 12.4", "12.4"),
        ("Mast v2.1", "2.1"),
    ],
)  # fmt: skip
def test_the_version_in_a_title(title: str, version: str) -> None:
    assert title_of(title, frozenset({"march"})).version == version


def test_titles_that_differ_in_numbers_and_dates_have_one_subject() -> None:
    subjects = [
        title_of(title, frozenset({"may"})).subject
        for title in ("Notice 7", "Notice May 2020", "notice 2020-05")
    ]
    assert len(set(subjects)) == 1
    assert title_of("Galaxy S23").subject != title_of("Galaxy A54").subject
    assert title_of("2020").subject == 0


# -- siblings ---------------------------------------------------------------------------------------


def test_another_product_is_no_version() -> None:
    with fresh(release("2.0", "2020-01", "Mast"), release("2.1", "2020-02", "Mast Web")) as corpus:
        assert follows(corpus) == {}


def test_a_word_of_the_title_tells_texts_apart() -> None:
    """The texts differ in one word of twelve, which is the one in which the titles differ."""
    text = (
        "The {}'s race around the island was won by a boat from the mill dock after a long and windy morning"
    )
    notes = [
        document(who, text.format(who), date, title=f"{who.title()}'s race")
        for who, date in (("men", "2020"), ("women", "2021"))
    ]
    with fresh(*notes) as corpus:
        assert follows(corpus) == {}
    with fresh(*(replace(note, title="") for note in notes)) as corpus:
        assert follows(corpus) == {}  # nor without titles, in so short a text


RAISED = "- SOP-06 amended.\n- Surgery ends in spring.\n- The petty cash limit is raised to 250 euros."
QUORUM = "- The staff day is in November.\n- The quorum for the practice meeting goes back to 3 members."


@pytest.mark.parametrize(
    ("said", "follow"),
    [
        ((RAISED, QUORUM), {}),
        (
            ("The fee for the practice meeting is 5 euros.", "The fee for the practice meeting is 3 euros."),
            {"b": "a"},
        ),
    ],
)
def test_the_words_of_a_title_stand_below_its_line(tmp_path: Any, said: Any, follow: Any) -> None:
    """What makes a series of two statements is that they name their title, not that it stands above them."""
    for name, day, text in zip("ab", ("5 March 2021", "7 May 2023"), said, strict=True):
        page = f"---\ndate: {day}\n---\n# Practice meeting {day}\n\n{text}\n"
        (tmp_path / f"{name}.md").write_text(page)
    with new_corpus() as corpus:
        corpus.add(tmp_path)
        found = {later[-4]: earlier[-4] for later, earlier in follows(corpus).items()}
    assert found == follow


def test_what_one_speaker_says_is_no_series() -> None:
    said = ["Shall we sail tomorrow?", "The mast is broken.", "I baked bread.", "Have you seen the ferry?",
            "My sister paints.", "It rains again."]  # fmt: skip
    notes = [
        document(f"t{at}", f"Ada Marsh: {text}", f"2020-01-01T10:0{at}", title="Ada Marsh")
        for at, text in enumerate(said)
    ]
    with fresh(*notes) as corpus:
        assert "t4" not in follows(corpus)  # by then it is plain that the title is a label
        assert "t5" not in follows(corpus)


def test_undated_passages_are_in_no_series() -> None:
    text = "The ferry costs {} crowns."
    with fresh(
        document("a", text.format(3), title="Ferry fee"),
        document("b", text.format(4), "2020", title="Ferry fee"),
        document("c", text.format(5), title="Ferry fee"),
    ) as corpus:
        assert follows(corpus) == {}


def test_of_one_instant_none_is_earlier() -> None:
    with fresh(release("1.0", "2020-01-01"), release("1.1", "2020-01-01")) as corpus:
        assert follows(corpus) == {}


# -- times ------------------------------------------------------------------------------------------


def test_nothing_follows_before_it_was_published() -> None:
    with fresh(release("1.0", "2020-01"), release("1.1", "2020-03")) as corpus:
        before, later = corpus.at("2020-02").view(), corpus.at("2020-04").view()
        assert followers(before, np.array([0]), before.as_of) == [None]
        [after] = followers(later, np.array([0]), later.as_of)
        assert after is not None
        assert iso(after.instant) == "2020-03-31T23:59:59.999999Z"
        assert followers(later, np.zeros(0, np.int64), later.as_of) == []


def test_an_empty_corpus_that_was_asked_gets_documents() -> None:
    """Nothing was known at the earlier K, before and after."""
    with fresh() as corpus:
        assert follows(corpus) == {}
        corpus.session.clock = itertools.count(read("2026").first, 1_000_000).__next__
        corpus.add([release("1.0", "2020-01"), release("1.1", "2020-03")])
        assert follows(corpus, known_at="2025") == {}
        assert follows(corpus) == {"Harbourd-1.1": "Harbourd-1.0"}


def test_a_late_one_comes_between() -> None:
    with fresh(release("1.0", "2020-01"), release("1.2", "2020-03")) as corpus:
        assert follows(corpus) == {"Harbourd-1.2": "Harbourd-1.0"}
        corpus.add([release("1.1", "2020-02")])
        assert follows(corpus) == {"Harbourd-1.2": "Harbourd-1.1", "Harbourd-1.1": "Harbourd-1.0"}


def test_what_ended_is_still_followed() -> None:
    with fresh(release("1.0", "2020-01")) as corpus:
        corpus.add([Ended("Harbourd-1.0", SourcedTime(read("2020-02"), "2020-02", "git"))])
        corpus.add([release("1.1", "2020-03")])
        assert follows(corpus) == {"Harbourd-1.1": "Harbourd-1.0"}


# -- what is kept -----------------------------------------------------------------------------------


def releases(first: int, last: int) -> list[Any]:
    return [release(f"{at}.0", f"20{at:02}") for at in range(first, last)]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What linkers did: "anew" or "moved"."""
    return noted(monkeypatch, (Linker, "anew"), (Linker, "moved"))


cached = partial(made.cached, SeriesCache)
reopened = partial(made.reopened, cache=SeriesCache)


def test_another_process_reads_what_was_kept(built: list[str]) -> None:
    with cached(*releases(1, 20)) as corpus:
        mine = follows(corpus)
        assert len(mine) == 18
        folder = corpus.store.folder / "derived"
        assert status(folder)[0].startswith("succession: 19 passages, 18 follow another; ")
        assert built == ["anew"]
        with reopened(corpus.root) as other:
            assert follows(other) == mine
            assert follows(other, "2010") == {name: to for name, to in mine.items() if int(name[9:-2]) <= 10}
        assert built == ["anew"]


def test_what_came_later_is_brought_in(built: list[str]) -> None:
    with cached(*releases(1, 20)) as corpus:
        succession(corpus.at().view())
        corpus.add(releases(20, 22))
        with reopened(corpus.root) as other:
            other.session.clock = corpus.session.clock
            assert len(follows(other)) == 20
        assert built == ["anew", "moved"]


def test_a_damaged_file_is_made_anew(built: list[str]) -> None:
    with cached(*releases(1, 20)) as corpus:
        mine = follows(corpus)
        folder = corpus.store.folder / "derived"
        path = folder / "succession" / "chains.seg"
        data = bytearray(path.read_bytes())
        data[5] ^= 1
        path.write_bytes(data)
        with reopened(corpus.root) as other:
            assert follows(other) == mine
        path.write_bytes(b"torn")
        assert status(folder) == ["succession: chains.seg is damaged; it will be rebuilt"]
        with reopened(corpus.root) as other:
            assert follows(other) == mine
    assert built == ["anew"] * 3


def test_nothing_is_kept_yet() -> None:
    with fresh() as corpus:
        assert follows(corpus) == {}
        assert status(corpus.store.folder / "derived") == []


def test_what_was_asked_before_goes_on_being_asked(built: list[str]) -> None:
    """A succession belongs to its view: what is written later does not reach into it."""
    with cached(*releases(1, 5)) as corpus:
        found = succession(corpus.at().view())
        line = found.series(0).tolist()
        corpus.add(releases(5, 9))
        assert len(succession(corpus.at().view()).series(0)) == 8
        assert found.series(0).tolist() == line == [0, 1, 2, 3]


def test_a_file_that_cannot_be_read_just_now_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with cached(*releases(1, 20)) as corpus:
        succession(corpus.at().view())
        path = corpus.store.folder / "derived" / "succession" / "chains.seg"
        with monkeypatch.context() as patch, reopened(corpus.root) as other:
            view = other.at().view()
            patch.setattr(rows, "Segment", Mock(side_effect=PermissionError(13, "denied")))
            with pytest.raises(PermissionError):
                succession(view)
        assert path.is_file()


# -- words that rows share --------------------------------------------------------------------------


def test_shared_words_of_rows() -> None:
    """Stop words and numbers do not count: 3 of 5, and none; undated ones have words too."""
    made = [
        document("a", "The fares of the boat to the mill: four, 4.", "2020"),
        document("b", "Fares, boat, mill; and five.", "2021"), document("c", "Rope.", None),
    ]  # fmt: skip
    with fresh(*made) as corpus:
        view = corpus.at().view()
        rows = np.arange(view.n)
        names = [record.document for record in view.records(rows)]
        shared = succession(view).shared_words(rows)
    at = {name: place for place, name in enumerate(names)}
    assert shared.diagonal().tolist() == pytest.approx([1.0] * 3)
    assert shared[at["a"], at["b"]] == shared[at["b"], at["a"]] == pytest.approx(3 / 5, rel=0.01)
    assert shared[at["a"], at["c"]] == pytest.approx(0.0, abs=0.01)


def test_the_table_of_rows_grows_as_if_it_were_made_anew() -> None:
    groups = [[row(1, "a", 3), row(2, "b", 1)], [row(3, "c", 2)], [], [row(7, "d", 1)]]
    with segmented(*((group, []) for group in groups)) as segments:
        grown = Rows.of(segments[:1])
        for segment in segments[1:]:
            grown = grown.extended([segment])
        tables = [
            (each.n, each.present.tolist(), {name: values.tolist() for name, values in each.columns.items()})
            for each in (grown, Rows.of(segments))
        ]
        assert tables[0] == tables[1]


def test_shared_words_are_of_the_language_of_the_version() -> None:
    """In English "ferries" and "ferry" have one stem; the first version of the same text was German."""
    other = document("b", "Harbour ferries.", "2020", language="en")
    said = document("a", "Harbour ferry.", "2021", language="de")
    now = document("a", said.text, "2022", language="en", title="Fees")
    for notes in ((other, now), (other, said, now)):
        with fresh(*notes, languages=("en", "de")) as corpus:
            view = corpus.at().view()
            b, *_, a = np.argsort(view.column("visible", np.arange(view.prefix.rows)))
            assert succession(view).shared_words(np.array([a, b]))[0, 1] == pytest.approx(1)
