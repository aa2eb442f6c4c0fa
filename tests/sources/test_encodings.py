"""Texts that are not UTF-8 are read in the encoding that they are likely to have; what is no text is not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from asof.sources.readers import NotText, decoded

FRENCH = "L’été dernier, la fenêtre était fermée à cause de l’œuvre, où ça?\n"
TEXTS = [
    ("cp1252", "windows-1252", FRENCH),
    ("cp1252", "windows-1252", "café"),
    ("cp1252", "windows-1252", "The “harbour master” said – it’s closed.\n"),
    ("latin-1", "windows-1252", "Die Größe der Übertragung für schöne Mädchen.\n"),
    ("latin-1", "windows-1252", "A informação não está disponível; as ações são úteis.\n"),
    ("latin-1", "windows-1252", "Färjan går från ön på lördagar. Å ena sidan öl.\n"),
    ("latin-1", "windows-1252", "El año pasado, ¿dónde estaba la niña?\n"),
    ("cp1250", "windows-1250", "Zażółć gęślą jaźń, wczoraj był piękny dzień w Łodzi.\n"),
    ("cp1251", "windows-1251", "Паром отправляется от пристани каждый день, кроме воскресенья.\n"),
    ("koi8-r", "KOI8-R", "Паром отправляется от пристани каждый день, кроме воскресенья.\n"),
    ("cp1253", "windows-1253", "Το πλοίο φεύγει κάθε μέρα από το λιμάνι.\n"),
    ("shift_jis", "Shift JIS", "渡し船は毎日港から出ます。日曜日は休みです。\n"),
    ("euc_jp", "EUC-JP", "渡し船は毎日港から出ます。日曜日は休みです。\n"),
    ("gb18030", "GB 18030", "渡轮每天从港口出发，星期天除外。今年的价格是二十元。\n"),
    ("utf-16", "UTF-16", "ferry — Fähre"),
    ("utf-16-le", "UTF-16", "The ferry leaves — at nine.\n"),
    ("utf-16-be", "UTF-16", "Die Fähre fährt um neun.\n"),
    ("utf-32", "UTF-32", "The ferry leaves at nine.\n"),
]


@pytest.mark.parametrize(("codec", "name", "text"), TEXTS)
def test_the_likely_encoding(codec, name, text):
    assert decoded(text.encode(codec)) == (text, name)


@pytest.mark.parametrize("before", ["Plain words of a long note.\n" * 5_000, "# Ferry\n\n"])
def test_what_is_ascii_does_not_matter(before):
    assert decoded((before + FRENCH).encode("cp1252")) == (before + FRENCH, "windows-1252")


NO_TEXTS = {
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\6\0\0\0\\r\xa8f",
    "all bytes": bytes(range(256)),
    "noise": bytes(n * n % 251 or 7 for n in range(60, 900)),
    "half of a UTF-16 unit": b"\xff\xfea",
    "UTF-8 with a fault": "Die Fähre fährt um fünf für Örtliche ab ".encode() + b"\xff\n",
    "UTF-8 that was cut": "Fähre, Brücke, Möwe".encode() + b"\xc3",
}


@pytest.mark.parametrize("raw", NO_TEXTS.values(), ids=NO_TEXTS)
def test_what_is_no_text(raw):
    with pytest.raises(NotText):
        decoded(raw)


def test_utf8_loads_no_library():
    code = (
        "import sys; from asof.sources.readers import decoded\n"
        "print(decoded('Fähre'.encode()).text, 'charset_normalizer' in sys.modules)\n"
        "decoded('Fähre'.encode('latin-1')); print('charset_normalizer' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert said.stdout == "Fähre False\nTrue\n"
