"""Mails: who wrote what and when, without what was quoted; mailboxes, attachments, and odd charsets."""

from __future__ import annotations

import time

import pytest

import asof
from asof.extensions.documents.mail import decoded, messages, own_words, read, words
from asof.extensions.documents.parts import ReadLimits, Refused

LIMITS = ReadLimits(20_000, 5, 10**6)
HEAD = b"From: Ida Mole <ida@quay.org>\nDate: Tue, 5 Mar 2024 10:00:00 +0100\n"
MAIL = HEAD + (
    b'To: "Rook, Tom" <tom@quay.org>, pier@quay.org\nCc: bo@quay.org (Bo Elm)\nSubject: Re: the\n ferry\n'
    b"Message-ID: <b@quay.org>\nIn-Reply-To: <a@quay.org>\nReferences: <r@quay.org>\n <a@quay.org>\n\n"
    b"It runs at noon.\n\nOn Mon, 4 Mar 2024, Tom Rook <tom@quay.org>\nwrote:\n> When?\n\nAlways.\n-- \nIda\n"
)
PARTED = HEAD + b'Subject: log\nMessage-ID: <p@q>\nContent-Type: multipart/mixed; boundary="=="\n\n'


def eml(raw: bytes):
    return read(raw, "stem", ".eml", LIMITS)


def test_a_mail():
    (part,) = eml(MAIL)
    assert part.own == "It runs at noon.\n\n\nAlways."
    assert part.text.splitlines()[2:] == [
        "On Mon, 4 Mar 2024, Tom Rook <tom@quay.org>",
        "wrote:",
        "> When?",
        "",
        "Always.",
    ]
    assert part.quoted == ["a@quay.org"]
    assert (part.title, part.name, part.published) == ("Re: the ferry", "", "2024-03-05T10:00:00+01:00")
    assert part.front == {
        "author": "Ida Mole", "from": "Ida Mole <ida@quay.org>",
        "to": ["Rook, Tom <tom@quay.org>", "pier@quay.org"],
        "cc": ["Bo Elm <bo@quay.org>"], "thread": "r@quay.org",
    }  # fmt: skip
    assert part.links == ["r@quay.org", "a@quay.org"]
    assert part.notes == []


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Yes.\n> no", "Yes."),
        ("Ja.\n\nAm 4.3.24 um 10:00 schrieb Tom Rook:\n\n> Wann?", "Ja.\n"),
        ("Yes.\n\n-----Original Message-----\nFrom: Tom\nWhen?", "Yes.\n"),
        ("Yes.\n________________________________\nFrom: Tom\nSent: Monday\n\nWhen?", "Yes."),
        ("Yes.\nOn 4 Mar 2024, Tom <t@q> wrote:\n\nWhen?", "Yes."),
        ("Ida wrote a book:\nit is good", "Ida wrote a book:\nit is good"),
        ("From: here\nto there", "From: here\nto there"),
        ("Yes.\n-- \nIda\n____________________\nlist info", "Yes."),
        ("Yes.\n--\nIda", "Yes."),
        ("a\n--\n" + "b\n" * 20, "a\n--\n" + "b\n" * 20),
        ("a\n--\nThe crane comes on Monday.\nIda", "a\n--\nThe crane comes on Monday.\nIda"),
        (
            "a\n-- \nIda\nBe bold, be kind, be quick.\n\nOn 4 Mar 2024, Tom <t@q> wrote:\n> When?\n\nb",
            "a\n\nb",
        ),
        ("> all\n> quoted", "> all\n> quoted"),
    ],
)
def test_what_somebody_wrote(text, own):
    assert own_words(text) == own


def test_quotes_without_the_signature_above_them():
    text = "a\n-- \nIda\n\nOn 4 Mar 2024, Tom wrote:\n> When?"
    assert own_words(text, quotes=True) == "a\nOn 4 Mar 2024, Tom wrote:\n> When?"


def test_a_forwarded_mail_keeps_what_it_hands_on():
    body = b"\nSee below.\n\n-----Original Message-----\nFrom: Tom\nWhen?\n"
    assert eml(HEAD + b"Subject: FW: ferry\n" + body)[0].text.endswith("From: Tom\nWhen?")
    assert eml(HEAD + b"Subject: ferry\nReferences: <a@q>\n" + body)[0].own == "See below."


def test_plain_text_is_preferred_and_html_is_read_without_its_quotes():
    html = b"<p>It runs.</p><ul><li>daily</ul><div class='gmail_quote'>On 4 Mar Tom wrote:<p>When?</div>"
    for plain, text in ((b"Plain.", "Plain."), (b" ", "It runs.\n\n- daily")):
        (part,) = eml(
            HEAD + b"In-Reply-To: <a@q>\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\n" + plain
            + b"\n--b\nContent-Type: text/html\n\n" + html + b"\n--b--\n"
        )  # fmt: skip
        assert (part.own or part.text) == text


def test_attached_files_are_named_and_an_attached_mail_is_part_of_the_text():
    raw = PARTED + (
        b"--==\n\nSee these.\n"
        b"--==\nContent-Type: text/csv; name=log.csv\nContent-Transfer-Encoding: base64\n\nYSxiCjEsMg==\n"
        b"--==\nContent-Type: text/plain\nContent-Disposition: attachment; filename=../log.csv\n\nagain\n"
        b"--==\nContent-Type: image/png\nContent-Disposition: attachment; filename*=utf-8''f%C3%A4.png\n\nx\n"
        b"--==\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nRnJvbTogVG9tCgpPbGQK\n"
        b"--==\nContent-Type: message/rfc822\n\nFrom: Tom\nMessage-ID: <t@q>\n\nInner.\n--==--\n"
    )
    (part,) = eml(raw)
    assert (part.name, part.text, part.front["thread"]) == ("", "See these.\n\nFrom: Tom\n\nInner.", "p@q")
    names = ["log.csv", "log.csv", "fä.png", "unnamed message/rfc822"]
    assert part.front["attachments"] == names
    assert part.notes == [f"attached files are not read: {', '.join(names)}"]


def test_names_that_cannot_be_read_are_told():
    raw = PARTED + (
        b"--==\nContent-Type: text/plain; charset*1;charset*\n\nSee.\n"
        b"--==\nContent-Type: image/png\nContent-Disposition: attachment; filename*;;filename*0*\n\nx\n"
    )
    (part,) = eml(raw)
    assert part.text == "See."
    assert part.front["attachments"] == ["unnamed image/png"]
    assert part.notes[:2] == [
        "the name of a file in it cannot be read",
        "the name of its charset cannot be read",
    ]


@pytest.mark.parametrize(
    ("content", "charset", "text", "fault"),
    [
        (b"F\xe4hre", "iso-8859-1", "Fähre", ""),
        (b"\x93a\x94", "iso-8859-1", "“a”", ""),  # windows-1252 is meant
        ("Fähre".encode(), "us-ascii", "Fähre", "it names the charset 'us-ascii' but is read as UTF-8"),
        ("Fähre".encode(), "", "Fähre", ""),
        (
            b"F\xe4hre",
            "utf-8",
            "F\ufffdhre",
            "it is not in the charset 'utf-8' that it names: it is read as utf-8",
        ),
        (b"F\xe4hre", "x-none", "Fähre", "its charset is not known: it is read as cp1252"),
        (b"abc", "punycode", "abc", ""),
        (b"abc", "base64", "abc", ""),
    ],
)
def test_charsets(content, charset, text, fault):
    read_as, wrong = decoded(content, charset)
    assert (read_as, wrong.partition(", what")[0]) == (text, fault)


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("=?utf-8?q?F=C3=A4hre?= to =?iso-8859-1*de?B?5A==?=", "Fähre to ä"),
        ("=?utf-8?b?w6Q?= =?utf-8?b?w6Q=?=", "ää"),  # the space between is no part of them
        ("=?utf-8?b?ww==?= =?utf-8?b?pA==?=", "ä"),  # one letter in two words
        ("=?none?q?a_b?= c =?utf-8?x", "a b c =?utf-8?x"),
    ],
)
def test_words_of_headers(header, text):
    assert words(header) == text


def test_a_mail_without_a_date_has_that_of_its_last_server():
    days = (b"Wed, 6", b"Tue, 5")
    raw = b"".join(b"Received: from a; %b Mar 2024 09:00:00 +0000\n" % day for day in days)
    (part,) = eml(raw + b"Date: soon\n\na\n")
    assert part.published == "2024-03-06T09:00:00+00:00"
    assert part.notes == ["it has no date that can be read: it is dated by when it was received"]


MBOX = (
    b"From ida@quay.org Tue Mar  5 10:00:00 2024\nMessage-ID: <1@q>\nSubject: one\n\n>From here on\n"
    b"From there at 10:00 in 2024 it is not after an empty line\n\n"
    b"From tom@quay.org Wed Mar  6 10:00:00 2024\nMessage-ID: <1@q>\n\ntwo\n\n"
    b"From tom@quay.org Wed Mar  6 10:00:00 2024\nMessage-ID: <1@q>\n\ntwo\n\n"
    b"From x Thu Mar  7 10:00:00 2024\nSubject: no id\n\nthree\n"
)


def test_a_mailbox():
    parts = read(MBOX, "stem", ".mbox", LIMITS)
    assert [part.text for part in parts] == [
        "From here on\nFrom there at 10:00 in 2024 it is not after an empty line", "two", "three"
    ]  # fmt: skip
    names = [part.name for part in parts]
    assert names[0] == "1@q"
    assert names[1].startswith("1@q ")  # another message with the same id; the same message is read once
    assert len(set(names)) == 3
    assert parts[2].published == "2024-03-07T10:00:00"
    assert [arrived for arrived, _ in messages(MBOX)][-1] == "Thu Mar  7 10:00:00 2024"


@pytest.mark.parametrize(
    "long",
    [
        b"Subject: " + b"=?utf-8?q?a?= " * 50_000, b"From: " + b"=?utf-8?q?a?= " * 50_000,
        b"Content-Type: text/plain" + b";" * 700_000, b"References: " + b"<a@q> " * 100_000,
        b'Content-Disposition: attachment; filename="' + b"=?utf-8?q?a?= " * 50_000 + b'"',
    ],
)  # fmt: skip
def test_a_header_is_read_up_to_its_limit(long):
    """Of 700,000 characters each: the square of this is 1,225 times that of the limit."""
    started = time.process_time()
    (part,) = eml(long + b"\n" + HEAD + b"Subject: ferry\n\nIt runs at noon.\n")
    assert time.process_time() - started < 2.0
    assert "a header has more than 20,000 characters: the rest is not read" in part.notes
    (part,) = eml(long[:20_000] + b"\n" + HEAD + b"Subject: ferry\n\nIt runs at noon.\n")
    assert not any("20,000" in note for note in part.notes)


@pytest.mark.parametrize(("answered", "kept"), [("1@x", False), ("0@x", True)])
def test_what_is_quoted_of_a_mail_that_is_elsewhere_is_text(answered, kept):
    reply = (
        good(2).replace("Date", f"In-Reply-To: <{answered}>\nDate") + "\n\nOn 1 Mar 2021 Bo wrote:\n> Text 0."
    )
    _, part = read(mailbox(good(1), reply), "stem", ".mbox", LIMITS)
    assert ("> Text 0." in part.text) == kept


@pytest.mark.parametrize(("first", "target"), [(True, "."), (False, "."), (True, "a.eml")])
def test_what_is_quoted_is_left_out_if_it_is_in_the_folder(tmp_path, first, target):
    reply = good(2).replace("Date", "In-Reply-To: <1@x>\nDate") + "\n\nOn 1 Mar 2021 Bo wrote:\n> Text 1.\n"
    (tmp_path / "a.eml").write_text(reply)
    if first:
        (tmp_path / "b.eml").write_text(good(1))
    with asof.open(tmp_path / "corpus") as corpus:
        corpus.add(corpus.source(tmp_path / target))
        (hit,) = (hit for hit in corpus.at().search("text") if hit.document.endswith("a.eml"))
        assert ("> Text 1." in hit.text) != (first and target == ".")


def nested(levels: int) -> bytes:
    head = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(levels))
    return b"From: ida@quay.org\n" + head.encode() + b"\n\ntext\n"


@pytest.mark.parametrize(
    ("raw", "suffix", "said"),
    [
        (b"just words\n", ".eml", "it is no mail"),
        (b"just words\n", ".mbox", "it is no mailbox"),
        (HEAD + b"\n", ".eml", "there is no text in the file"),
        (nested(25), ".eml", "it is nested more than 20 levels deep"),
        (nested(3000), ".eml", "it is damaged"),
        (HEAD + b"Content-Type: message/rfc822\n\n" * 30 + b"a\n", ".eml", "it is nested more than 20"),
        (MBOX + b"\n" + MBOX, ".mbox", "it has more than 5 messages"),
        (HEAD + b"\n" + b"word " * 5000, ".eml", "it has more than 20,000 characters"),
    ],
)
def test_what_is_refused(raw, suffix, said):
    with pytest.raises(Refused) as refused:
        read(raw, "stem", suffix, LIMITS)
    assert refused.value.message.startswith(said)


def mailbox(*messages: str) -> bytes:
    lines = (f"From a@x Mon Mar  1 10:0{at}:00 2021\n{each}\n\n" for at, each in enumerate(messages))
    return "".join(lines).encode()


def good(number: int) -> str:
    return f"From: a@x\nMessage-ID: <{number}@x>\nDate: Mon, 1 Mar 2021 10:00:00 +0000\n\nText {number}."


def test_a_message_that_cannot_be_read_is_noted_and_the_others_are_read():
    deep = "From: a@x\nMessage-ID: <d@x>\n" + "Content-Type: message/rfc822\n\n" * 40 + "From: b@x\n\nx"
    odd = (
        "From: a@x\nContent-Type: text/plain; charset*=utf-8''utf-8\nContent-Transfer-Encoding: 8bit\n\n\xe4"
    )
    parts = read(mailbox(good(1), deep, odd, good(2)), "stem", ".mbox", LIMITS)
    assert {"1@x", "2@x"} <= {part.name for part in parts}
    assert any("cannot be read" in note for note in parts[0].notes)


def test_lines_that_look_like_the_begin_of_a_message_take_linear_time():
    line = "From " + "1:11 " * 100_000
    started = time.perf_counter()
    (part,) = read(mailbox(f"{good(1)}\n\n{line}\n\nEnd."), "stem", ".mbox", ReadLimits(10**6, 5, 0))
    assert time.perf_counter() - started < 5
    assert part.text.endswith("End.")
