"""`asof open`: the file of a hit in the desktop's program, or its text."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from asof.cli import search as opening
from asof.sources.source import source_file


@pytest.fixture
def vault(asof, write):
    text = "---\ndate: 2020-01-01\n---\n# Quay\n\n## Length\n\nThe quay is 40 m long.\n"
    folder = write("notes/quay.md", text).parent
    assert asof("index", "notes").code == 0
    return folder


def test_the_text_is_printed_with_its_place(asof, vault):
    hit = asof("search", "long", "--json").json()["hits"][0]["id"]
    said = asof("open", hit).out
    assert said.startswith("notes/quay.md › Quay › Length\n")
    assert "The quay is 40 m long." in said
    assert "\n# Quay\n\n## Length\n" in asof("open", "quay", "--as-of", "2021").out


@pytest.mark.parametrize("arguments", [["pier"], ["quay", "--as-of", "2019"]])
def test_what_is_not_there(asof, vault, arguments):
    said = asof("open", *arguments)
    assert (said.code, f"no document '{arguments[0]}'" in said.err) == (2, True)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_desktop_opens_the_file(vault, tmp_path, monkeypatch):
    program = tmp_path / "bin" / "xdg-open"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/opened\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":9")
    monkeypatch.setattr(sys, "platform", "linux")
    assert opening.opener(vault / "quay.md") is None  # no terminal: somebody reads the output
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert opening.opener(vault / "quay.md") == str(program)
    assert opening.opener(vault / "quay.py") is None
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert opening.opener(vault / "quay.md") is None


@pytest.mark.parametrize("name", ["../secret.md", "notes/../../secret.md", "/etc/passwd", "notes"])
def test_only_files_inside_the_folder_are_opened(tmp_path: Path, name: str):
    (tmp_path / "root" / "notes").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "root" / "notes" / "inbox.mbox").write_text("mail")
    (tmp_path / "root" / "link.md").symlink_to(tmp_path / "secret.md")
    assert source_file(tmp_path / "root", name) is None
    assert source_file(tmp_path / "root", "link.md") is None
    inside = tmp_path / "root" / "notes" / "inbox.mbox"
    assert source_file(tmp_path / "root", "notes/inbox.mbox!/<id@host>") == inside
