"""Archives and their XML: what is refused, by the process that reads."""

from __future__ import annotations

import io
import zipfile

import pytest

from asof.extensions.documents.office import Archive, parsed
from asof.extensions.documents.parts import ReadLimits, Refused
from asof.extensions.documents.xml import MAX_DEPTH

LAUGHS = '<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;">]><a>&y;</a>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE, "<!DOCTYPE a><a/>"])
def test_a_document_type_is_refused_in_any_encoding(text: str, encoding: str) -> None:
    raw = f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding)
    with pytest.raises(Refused, match="declares a DOCTYPE"):
        parsed(raw)


def test_words_that_look_like_one_are_words() -> None:
    assert parsed(b"<a><![CDATA[<!DOCTYPE html>]]></a>").text == "<!DOCTYPE html>"


@pytest.mark.parametrize(("depth", "refused"), [(MAX_DEPTH, False), (MAX_DEPTH + 1, True)])
def test_the_depth_has_a_limit(depth: int, refused: bool) -> None:
    raw = b"<a>" * depth + b"</a>" * depth
    if refused:
        with pytest.raises(Refused, match="nested more than 256 levels"):
            parsed(raw)
    else:
        assert parsed(raw).tag == "a"


def test_members_that_unpack_to_too_much_are_refused_before_they_are_read() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("small", b"x" * 60)
        archive.writestr("large", b"x" * 50)
    found = Archive(packed.getvalue(), ReadLimits(1_000, 10, 100))
    assert found.bytes("small") == b"x" * 60
    with pytest.raises(Refused, match="unpacks to more than is read"):  # 60 + 50 > 100
        found.bytes("large")
