"""Notes that are remembered, corrected and forgotten, and what was believed before."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.answers import corpus_with, doc

from asof.corpus.asking import LONGEST_NOTE
from asof.corpus.corpus import Corpus
from asof.corpus.memory import Memory
from asof.documents import force_words
from asof.errors import DocumentNotFound, UsageError
from asof.time.span import iso

BRUGES, GHENT = "The office is in Bruges.", "The office is in Ghent."


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    with corpus_with(tmp_path, doc("bread", "2019-01-01", "Rye bread costs 4 crowns.", "Bread")) as opened:
        yield opened


def said(corpus: Corpus, *when: str) -> list[str]:
    """What stands of the office, newest first."""
    hits = corpus.at(*when).search("where is the office").hits
    return [hit.text for hit in hits if hit.superseded is None and "office" in hit.text]


def test_a_note_is_stored_with_what_it_says_and_found(corpus: Corpus) -> None:
    stored = Memory(corpus).remember(BRUGES, "Office", source="Ada", tags=["work"])
    assert (stored.state, stored.supersedes) == ("stored", ())
    (hit,) = corpus.at().search("where is the office", tags="work").hits
    assert (hit.document, hit.title, hit.text) == (stored.document, "Office", BRUGES)
    assert corpus.at().document(stored.document).summary.meta == {"told_by": "Ada"}


def test_what_a_note_supersedes_is_shown_before_it_counts(corpus: Corpus) -> None:
    memory = Memory(corpus)
    first = memory.remember(BRUGES)
    shown = memory.remember(GHENT)
    assert (shown.state, [each.document for each in shown.supersedes]) == ("unconfirmed", [first.document])
    assert said(corpus) == [BRUGES]
    assert memory.remember(GHENT, confirm=True).state == "stored"
    assert said(corpus) == [GHENT]
    assert memory.remember("Tea is at five.").supersedes == ()  # of something else


def test_what_holds_from_a_day_on_ends_the_earlier_then(corpus: Corpus) -> None:
    memory = Memory(corpus)
    memory.remember(BRUGES)
    later = memory.remember(GHENT, valid_from="2999-05-01")
    assert later.state == "unconfirmed"
    memory.remember(GHENT, valid_from="2999-05-01", confirm=True)
    assert corpus.at().ask("Where is the office?").citations[0].quote == BRUGES
    assert corpus.at().ask("Where is the office?", in_force="2999-06").citations[0].quote == GHENT


def test_as_of_a_moment_what_was_believed_then(corpus: Corpus) -> None:
    """Also of a text that was corrected later; and nothing of what was told later."""
    memory = Memory(corpus)
    assert said(corpus, iso(corpus.session.clock())) == []
    stored = memory.remember(BRUGES)
    before = iso(corpus.session.clock())
    assert memory.correct(stored.document, GHENT, confirm=True).state == "stored"
    assert said(corpus) == [GHENT]
    assert said(corpus, before) == [BRUGES]
    assert said(corpus, before, before) == [BRUGES]


def test_sent_twice_it_is_stored_once(corpus: Corpus) -> None:
    memory = Memory(corpus)
    first = memory.remember(BRUGES, key="call-1")
    assert memory.remember(BRUGES, key="call-1").state == "known"
    with pytest.raises(UsageError, match="the key 'call-1' was used for memory/key-"):
        memory.remember(GHENT, key="call-1")
    assert len([each for each in corpus.at().documents() if each.id.startswith("memory/")]) == 1
    assert memory.correct(first.document, BRUGES).state == "known"


def test_it_is_erased_when_that_is_confirmed(corpus: Corpus) -> None:
    memory = Memory(corpus)
    stored = memory.remember(BRUGES)
    shown = memory.forget(stored.document)
    assert (shown.erased, shown.text, shown.versions) == (False, BRUGES, 1)
    assert said(corpus) == [BRUGES]
    assert memory.forget(stored.document, confirm=True).erased
    assert said(corpus) == []
    with pytest.raises(DocumentNotFound, match="there is no note"):
        memory.forget(stored.document, confirm=True)


def test_only_notes_are_changed(corpus: Corpus) -> None:
    for change in (Memory(corpus).forget, lambda document: Memory(corpus).correct(document, GHENT)):
        with pytest.raises(UsageError, match="'bread' is no note"):
            change("bread")


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ({"text": " "}, "a note has a text"),
        ({"text": "a" * (LONGEST_NOTE + 1)}, "the text has 20,001 characters; accepted: up to 20,000"),
        ({"text": "a", "subject": "a" * 301}, "the subject has 301"),
        ({"text": "a", "key": "a" * 201}, "the key has 201"),
        ({"text": "a", "tags": ["t"] * 21}, "21 tags; accepted: up to 20"),
        ({"text": "a", "valid_from": "soon"}, "soon"),
        ({"text": "a", "valid_from": "2022", "valid_until": "2021"}, "ends before it starts"),
    ],
)  # fmt: skip
def test_what_is_no_note(corpus: Corpus, note: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Memory(corpus).remember(**note)  # type: ignore[arg-type]


def test_nothing_of_the_trial_is_left(corpus: Corpus) -> None:
    """What a note would supersede is found in a folder that is removed."""
    Memory(corpus).remember(BRUGES)
    Memory(corpus).remember(GHENT)
    assert not list(corpus.store.folder.glob("trial-*"))


def test_what_a_note_says_that_it_supersedes_is_shown_first(corpus: Corpus) -> None:
    shown = Memory(corpus).remember("The council met. This supersedes [[bread]] entirely.", "Minutes")
    assert (shown.state, [each.document for each in shown.supersedes]) == ("unconfirmed", ["bread"])
    assert all(each.text and each.published for each in shown.supersedes)


def test_writers_wait_for_each_other(corpus: Corpus) -> None:
    """Of several texts for a key one is stored, and of two that contradict one has to be confirmed."""
    memory = Memory(corpus)

    def told(text: str) -> str:
        try:
            return memory.remember(text, key="k" if "crane" in text else "").state
        except UsageError:
            return "refused"

    with ThreadPoolExecutor(4) as pool:
        same_key = sorted(pool.map(told, [f"The crane is {word}." for word in ("red", "blue", "old", "new")]))
        contradicting = sorted(pool.map(told, [BRUGES, GHENT]))
    assert same_key == ["refused", "refused", "refused", "stored"]
    assert contradicting == ["stored", "unconfirmed"]


def test_a_correction_keeps_the_times_and_may_change_them_alone(corpus: Corpus) -> None:
    memory = Memory(corpus)
    stored = memory.remember("The gym opens at 7.", valid_until="2999-01-01")
    memory.correct(stored.document, "The gym opens at 8.", confirm=True)
    assert memory.correct(stored.document, "The gym opens at 8.").state == "known"
    (hit,) = corpus.at().search("gym opens").hits
    assert hit.in_force is not None
    assert str(hit.in_force.span.end).startswith("2999-01-02")  # until the end of that day
    ended = memory.correct(stored.document, "The gym opens at 8.", valid_until="2001-01-01", confirm=True)
    assert ended.state == "stored"
    assert not corpus.at().search("gym opens").hits[0].holds


def test_a_note_that_was_corrected_can_be_told_again(corpus: Corpus) -> None:
    memory = Memory(corpus)
    first = memory.remember("The sauna costs 5.")
    memory.correct(first.document, "The sauna costs 6.", confirm=True)
    again = memory.remember("The sauna costs 5.", confirm=True)
    assert (again.state, again.document != first.document) == ("stored", True)


def test_what_a_killed_trial_left_is_removed_with_the_next_note_or_erasure(corpus: Corpus) -> None:
    memory = Memory(corpus)
    stored = memory.remember(BRUGES)
    for erase in (lambda: memory.forget(stored.document, confirm=True), lambda: corpus.purge("bread")):
        left = corpus.store.folder / "trial-x" / ".asof"
        left.mkdir(parents=True)
        (left / "corpus.db").write_text(BRUGES)
        erase()
        assert not left.parent.exists()


def test_a_correction_keeps_no_time_that_its_text_stated_before(corpus: Corpus) -> None:
    """The times that were given stay as they were given; those of a text go with it."""
    memory = Memory(corpus)
    told = memory.remember("The quay is closed from 1 May 2998 on.", confirm=True)
    memory.correct(told.document, "The quay is closed from 1 June 2998 on.", confirm=True)
    given = memory.remember("The gym opens at 7.", valid_from="2998-07-01", confirm=True)
    memory.correct(given.document, "The gym opens at 8.", confirm=True)
    forces = [corpus.at().search(asked).hits[0].in_force for asked in ("quay closed", "gym opens")]
    assert [(str(each.span.start)[:10], each.text[:10]) for each in forces if each] == [
        ("2998-06-01", "The quay i"), ("2998-07-01", "2998-07-01"),
    ]  # fmt: skip


def shown(corpus: Corpus, asked: str, at: str | None = None) -> list[tuple[str, str]]:
    """Text and status of what is found."""
    hits = corpus.at(at).search(asked).hits
    return [(hit.text, "; ".join(hit.status)) for hit in hits]


def test_a_correction_keeps_the_time_that_is_not_given(corpus: Corpus) -> None:
    memory, text = Memory(corpus), "The garage costs 80 euros."
    note = memory.remember(text, valid_from="2024-01-01").document
    memory.correct(note, text, valid_until="2026-12-31")
    assert shown(corpus, "garage") == [(text, "in force since 2024-01-01 until 2026-12-31")]
    changed = memory.correct(note, text, valid_from="2024-02-01")
    assert shown(corpus, "garage") == [(text, "in force since 2024-02-01 until 2026-12-31")]
    assert changed.in_force is not None
    assert force_words(changed.in_force, changed.at) == "in force since 2024-02-01 until 2026-12-31"
    assert memory.correct(note, text, valid_until="2026-12-31").state == "known"
    with pytest.raises(UsageError, match=r"'2024-02-01 \.\. 2020-01-01' ends before it starts"):
        memory.correct(note, text, valid_until="2020-01-01")
    assert shown(corpus, "garage") == [(text, "in force since 2024-02-01 until 2026-12-31")]


def test_what_was_over_when_it_was_told_ended_then(corpus: Corpus) -> None:
    Memory(corpus).remember("The sauna is hot.", valid_until="2020")
    assert shown(corpus, "sauna") == [("The sauna is hot.", "ended on 2020-12-31")]


@pytest.mark.parametrize(
    ("told", "begins"),
    [
        ("3 January", "2025-01-03"), ("3 November", "2024-11-03"), ("friday", "2025-01-03"),
        ("last friday", "2024-12-27"), ("3 January 2024", "2024-01-03"), ("yesterday", "2024-12-31"),
        ("3 days ago", "2024-12-29"), ("tomorrow", "2025-01-02"), ("January", "2025-01-01"),
    ],
)  # fmt: skip
def test_a_time_without_a_year_is_the_coming_one(corpus: Corpus, told: str, begins: str) -> None:
    """Told on Wednesday, 1 January 2025; of the months more than half a year ahead the last ones."""
    stored = Memory(corpus).remember("The gym is closed.", valid_from=told)
    assert stored.in_force is not None
    assert str(stored.in_force.span.start)[:10] == begins


def test_what_is_superseded_ended_or_forgotten_is_not_there(corpus: Corpus) -> None:
    memory = Memory(corpus)
    one, two = "Ada's phone number is 111.", "Ada's phone number is 222."
    memory.remember(one)
    memory.remember(two, confirm=True)
    assert memory.remember(one).state == "unconfirmed"
    again = memory.remember(one, confirm=True)
    assert again.state == "stored"
    assert corpus.at().ask("What is Ada's phone number?").citations[0].quote == one
    assert (memory.remember(one).state, memory.remember(one).document) == ("known", again.document)
    memory.remember(two, confirm=True)
    memory.remember(one, confirm=True)
    assert corpus.at().ask("What is Ada's phone number?").citations[0].quote == one

    ended = memory.remember("The pool is open.", valid_until="2020")
    assert memory.remember("The pool is open.", valid_until="2020").document != ended.document
    gone = memory.remember(BRUGES)
    memory.forget(gone.document, confirm=True)
    assert memory.remember(BRUGES).state == "stored"
    coming = memory.remember("The bar is new.", valid_from="2999")
    assert memory.remember("The bar is new.", valid_from="2999").document == coming.document
    kept = memory.remember("The tap is old.", key="k", valid_until="2020")
    assert memory.remember("The tap is old.", key="k", valid_until="2020").document == kept.document


def test_what_held_before_supersedes_nothing(corpus: Corpus) -> None:
    memory = Memory(corpus)
    memory.remember("Uta's team is Red.", valid_from="2024-06-01")
    past = memory.remember("Uta's team is Blue.", valid_from="2021-01-01", valid_until="2024-05-31")
    assert (past.state, past.supersedes) == ("stored", ())
    assert corpus.at().ask("What is Uta's team?").citations[0].quote == "Uta's team is Red."


@pytest.mark.parametrize("subjects", [("Flat 3", ""), ("", "Flat 3")])
def test_a_subject_that_only_one_of_two_has_is_told(corpus: Corpus, subjects: tuple[str, str]) -> None:
    memory, (one, other) = Memory(corpus), subjects
    first = memory.remember("The rent of flat 3 is 700 euros.", one)
    told = memory.remember("The rent of flat 3 is 750 euros.", other)
    assert (told.state, told.supersedes) == ("unconfirmed", ())
    assert [each.document for each in told.apart] == [first.document]
    same = memory.remember("The rent of flat 3 is 750 euros.", one)
    assert ([each.document for each in same.supersedes], same.apart) == ([first.document], ())
    assert memory.remember("The rent of flat 3 is 750 euros.", other, confirm=True).state == "stored"


def test_links_of_notes_lead_to_notes(corpus: Corpus) -> None:
    memory = Memory(corpus)
    holiday = memory.remember("The office is closed from 24 December on.", "Holiday").document
    plans = memory.remember("Plans are in [[Holiday]] and [[Nowhere]].").document
    found = corpus.at().links(plans)
    assert ([each.document for each in found.neighbours], found.broken) == ([holiday], ("Nowhere",))
    assert [each.direction for each in corpus.at().links(holiday).neighbours] == ["in"]
    memory.correct(plans, "Plans are in [[bread]].")
    assert [each.document for each in corpus.at().links(plans).neighbours] == ["bread"]


def test_links_tell_what_superseded_a_note(corpus: Corpus) -> None:
    memory = Memory(corpus)
    old, new = (memory.remember(text, confirm=True).document for text in (BRUGES, GHENT))
    told = {
        name: [(each.kind, each.direction, each.document) for each in corpus.at().links(name).relations]
        for name in (old, new)
    }
    assert told == {old: [("supersedes", "in", new)], new: [("supersedes", "out", old)]}


def test_a_note_is_named_as_it_was_shown(corpus: Corpus) -> None:
    memory = Memory(corpus)
    note = memory.remember("The key is under the mat.", "House key").document
    passage = corpus.at().search("where is the key").hits[0].id
    for at, name in enumerate((note, f"[{note}]", passage, f"[{passage}]", "house KEY")):
        assert memory.correct(name, f"The key is in drawer {at}.", confirm=True).document == note
    assert (memory.forget("House key", confirm=True).erased, memory.forget(note).document) == (False, note)
    with pytest.raises(UsageError, match="'Bread' is no note"):
        memory.correct("Bread", "Rye bread costs 5 crowns.")
    other = memory.remember("The key of the shed is lost.", "House key", confirm=True).document
    with pytest.raises(UsageError, match=r"2 notes have the title 'House key': memory/.*; give an id"):
        memory.forget("House key")
    assert memory.forget(note, confirm=True).erased
    assert memory.forget(other, confirm=True).erased
    for name in (note, passage):
        with pytest.raises(DocumentNotFound, match="there is no note"):
            memory.forget(name)


def test_of_two_notes_of_a_title_the_one_in_force_is_meant(corpus: Corpus) -> None:
    memory = Memory(corpus)
    _old, new = (memory.remember(text, "Office", confirm=True).document for text in (BRUGES, GHENT))
    assert memory.forget("Office").document == new
    assert memory.correct("office", "The office is in Lyon.", confirm=True).document == new


def test_numbers_of_subjects_tell_notes_apart(corpus: Corpus) -> None:
    """Yearly reports of one title follow one another, "Locker A1" and "Locker A2" do not."""
    notes = Memory(corpus)
    for number, who in (("A1", "Lou"), ("A2", "Sam"), ("A3", "Kim")):
        stored = notes.remember(f"Locker {number} belongs to {who}.", f"Locker {number}")
        assert (stored.state, stored.supersedes) == ("stored", ())
    changed = notes.remember("Locker A2 belongs to Ida.", "Locker A2")
    assert [each.title for each in changed.supersedes] == ["Locker A2"]


def test_a_file_in_a_folder_of_that_name_is_no_note(tmp_path: Path) -> None:
    file = doc("memory/diary.md", "2020-01-01", "The quay is wet.", "Diary 1")
    with corpus_with(tmp_path, file) as opened, pytest.raises(DocumentNotFound):
        Memory(opened).forget("memory/diary.md", confirm=True)


@pytest.mark.parametrize(
    ("subject", "first", "second"),
    [
        ("Ada's dentist", "Ada's dentist is Dr. Holm.", "Ada's dentist is Dr. Ruiz."),
        ("wifi password", "The wifi password is swordfish.", "The wifi password is trombone."),
        ("Home network", "The wifi password is swordfish.", "The wifi password is now trombone."),
        ("Office", "The office is in Bruges.", "The office is now in Ghent."),
        ("Mara", "Mara lives in Lyon.", "Mara moved from Lyon to Ghent."),
    ],
)  # fmt: skip
def test_a_newer_value_of_a_subject_supersedes_the_older(
    corpus: Corpus, subject: str, first: str, second: str
) -> None:
    memory = Memory(corpus)
    memory.remember(first, subject)
    shown = memory.remember(second, subject)
    assert (shown.state, [each.text for each in shown.supersedes]) == ("unconfirmed", [first])


@pytest.mark.parametrize(
    ("subject", "first", "second"),
    [
        ("Ada", "Ada likes tea.", "Ada likes coffee."), ("Ada", "Ada is a nurse.", "Ada is a vegetarian."),
        ("Project X", "Project X uses Postgres.", "Project X uses Redis."),
        ("Ada", "Ada met Tom on Monday.", "Ada met Jim on Tuesday."),
        ("Ada", "Ada drinks tea with milk and honey at noon.", "Ada drinks tea with milk and sugar at noon."),
        ("wifi password", "The wifi password is swordfish.", "The wifi password is weak."),
        ("Ada's dentist", "Ada's dentist is Dr. Holm.", "Ada's dentist is closed on Mondays."),
    ],
)  # fmt: skip
def test_what_a_subject_may_have_several_of_stands_side_by_side(
    corpus: Corpus, subject: str, first: str, second: str
) -> None:
    memory = Memory(corpus)
    memory.remember(first, subject)
    assert (memory.remember(second, subject).state, len(said_of(corpus, subject))) == ("stored", 2)


def said_of(corpus: Corpus, subject: str, *when: str) -> list[str]:
    """The notes of a subject that hold."""
    hits = corpus.at(*when).search(subject, unit="passage").hits
    return sorted(hit.text for hit in hits if hit.title == subject and hit.superseded is None)


OVER = "The town choir is no longer held."


def test_what_is_over_ends_all_notes_of_its_subject_but_no_later_one(corpus: Corpus) -> None:
    memory, subject = Memory(corpus), "town choir"
    told = ["The town choir meets on Tuesdays.", "The town choir sings in the mill."]
    for text in told:
        memory.remember(text, subject)
    memory.remember("The ferry choir meets on Fridays.", "ferry choir")
    before = iso(corpus.session.clock())
    shown = memory.remember(OVER, subject)
    assert (shown.state, sorted(each.text for each in shown.supersedes)) == ("unconfirmed", told)
    memory.remember(OVER, subject, confirm=True)
    assert said_of(corpus, subject) == [OVER]
    assert said_of(corpus, subject, before) == said_of(corpus, subject, before, before) == told
    assert said_of(corpus, subject, "2999", before) == told  # nothing else was known
    assert said_of(corpus, "ferry choir") == ["The ferry choir meets on Fridays."]
    again = memory.remember("The town choir meets on Mondays.", subject, confirm=True)
    assert again.supersedes == ()
    assert said_of(corpus, subject) == [
        "The town choir is no longer held.",
        "The town choir meets on Mondays.",
    ]


def test_what_is_over_from_a_day_on_holds_until_then(corpus: Corpus) -> None:
    memory, subject, meets = Memory(corpus), "town choir", "The town choir meets on Tuesdays."
    memory.remember(meets, subject)
    memory.remember(OVER, subject, valid_from="2999-05-01", confirm=True)
    assert corpus.at().ask("When does the town choir meet?").citations[0].quote == meets
    assert said_of(corpus, subject, "2999-06-01") == [OVER]


def test_a_correction_that_holds_later_leaves_what_held_before(corpus: Corpus) -> None:
    """Told in January 2025: 80 since 2024, corrected to 90 from June 2025 on."""
    memory, asks = Memory(corpus), "What does the garage cost?"
    one, two = "The garage costs 80 euros.", "The garage costs 90 euros."
    note = memory.remember(one, "Garage", valid_from="2024-01-01").document
    before = iso(corpus.session.clock())
    memory.correct(note, two, valid_from="2025-06-01", confirm=True)

    def quoted(*when: str, in_force: str | None = None) -> tuple[str, str, str]:
        best = corpus.at(*when).ask(asks, in_force=in_force).citations[0]
        assert best.in_force is not None
        return best.quote, str(best.in_force.span.start)[:10], str(best.in_force.span.end)[:10]

    assert quoted(before) == quoted("2025-05-01", before) == (one, "2024-01-01", "None")
    until_june = (one, "2024-01-01", "2025-06-01")
    assert quoted() == quoted("2025-05-01") == quoted(in_force="2024-05-01") == until_june
    assert corpus.at().ask("What did the garage cost in May 2024?").citations[0].quote == one
    assert quoted("2025-07-01") == quoted(in_force="2025-07-01") == (two, "2025-06-01", "None")
    assert quoted("2025-07-01", before) == (one, "2024-01-01", "None")


def test_a_correction_of_a_time_alone_leaves_none_of_the_old_one(corpus: Corpus) -> None:
    memory, text = Memory(corpus), "The garage costs 80 euros."
    note = memory.remember(text, "Garage", valid_from="2024-01-01").document
    before = iso(corpus.session.clock())
    memory.correct(note, text, valid_from="2024-06-01", confirm=True)
    for when, began in (((), "2024-06-01"), ((before,), "2024-01-01")):
        best = corpus.at(*when).ask("What does the garage cost?", in_force="2024-05-01").citations[0]
        assert best.in_force is not None
        assert str(best.in_force.span.start)[:10] == began


@pytest.mark.parametrize("subject", ["Gym", ""])
def test_the_versions_of_a_note_do_not_overlap_in_a_timeline(corpus: Corpus, subject: str) -> None:
    memory = Memory(corpus)
    note = memory.remember("The gym opens at 7.", subject, valid_from="2024-03-01").document
    for hour in (8, 9):
        memory.correct(note, f"The gym opens at {hour}.", confirm=True)
    entries = corpus.at().timeline("When does the gym open?").entries
    assert [each.sentence[-2] for each in entries] == ["7", "8", "9"]
    assert [each.end for each in entries] == [entries[1].start, entries[2].start, None]
    assert iso(entries[0].start)[:10] == "2024-03-01"


def test_a_number_that_names_another_thing_is_no_answer(corpus: Corpus) -> None:
    memory = Memory(corpus)
    for number, who in ((5001, "Harrow Mills"), (5003, "Lind & Sons")):
        memory.remember(f"Customer {number} is {who}.", f"Customer {number}")
    memory.remember("Ada Marsh is the contact of customer 5003.", "Contacts")
    memory.remember("Invoice 5044 was paid in May.", "Invoices")
    for question in ("Who is customer 5044?", "Who is the contact of customer #5044?"):
        made = corpus.at().ask(question)
        assert made.refused
        assert "5044" in made.reason
    assert corpus.at().ask("Who is customer 5001?").citations[0].quote == "Customer 5001 is Harrow Mills."
    assert "Ada Marsh" in corpus.at().ask("Who is the contact of customer 5003?").citations[0].quote
    assert "May" in corpus.at().ask("When was invoice 5044 paid?").citations[0].quote


@pytest.mark.parametrize(
    ("told", "bound"),
    [("since 2020", "valid_until"), ("until May 2024", "valid_from"), ("late March", "valid_from")],
)
def test_a_time_that_is_no_such_bound_is_refused(corpus: Corpus, told: str, bound: str) -> None:
    with pytest.raises(UsageError, match=told):
        Memory(corpus).remember("The gym is closed.", **{bound: told})  # type: ignore[arg-type]


def test_the_beginning_and_the_end_that_a_note_states(corpus: Corpus) -> None:
    Memory(corpus).remember("The lease starts on 1 March 2027 and ends on 28 February 2028.", "Lease")
    (hit,) = corpus.at().search("lease").hits
    assert hit.in_force is not None
    assert [str(each)[:10] for each in (hit.in_force.span.start, hit.in_force.span.end)] == [
        "2027-03-01", "2028-02-29",
    ]  # fmt: skip


def test_a_note_of_another_subject_is_not_alike(corpus: Corpus) -> None:
    memory = Memory(corpus)
    memory.remember("Ada likes green tea.")
    assert [each.text for each in memory.remember("Ada likes black tea.").alike] == ["Ada likes green tea."]
    assert memory.remember("Bob likes green tea.").alike == ()
