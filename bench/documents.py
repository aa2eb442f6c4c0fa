"""How fast a mixed folder is read: `python bench/documents.py FOLDER [--files 2000]`.

Writes files of seven kinds into a new folder (words of the example notes, 200 to 1,500 each), indexes it,
indexes it again unchanged and with a tenth of the files moved, and prints files a second and the memory of
the processes that read.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import shutil
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.small_pdf import small_pdf

import asof
from asof.sources.formats.process import PROCESSES

Text = list[str]
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
CORE = "docProps/core.xml"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def words() -> list[str]:
    notes = Path(asof.__file__).parent / "example" / "notes"
    return " ".join(path.read_text() for path in sorted(notes.rglob("*.md"))).split()


def zipped(members: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def core(day: int) -> str:
    return (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
        ' xmlns:dcterms="http://purl.org/dc/terms/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dcterms:modified>2020-{day % 12 + 1:02}-{day % 28 + 1:02}T10:00:{day % 60:02}Z</dcterms:modified>"
        "</cp:coreProperties>"
    )


def note(text: Text, day: int) -> bytes:
    return "\n\n".join([f"---\ndate: 2021-01-{day % 28 + 1:02}\n---", *text]).encode()


def relations(*targets: tuple[str, str]) -> str:
    lines = "".join(
        f'<Relationship Id="rId{at}" Type="{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{lines}</Relationships>'


def office(main: str, day: int, members: dict[str, str]) -> bytes:
    tops = (f"{OFFICE}/officeDocument", main), (f"{PACKAGE}/relationships/metadata/core-properties", CORE)
    return zipped({"_rels/.rels": relations(*tops), CORE: core(day), **members})


def docx(text: Text, day: int) -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{escape(each)}</w:t></w:r></w:p>" for each in text)
    document = f"<w:document {W}><w:body>{body}</w:body></w:document>"
    return office("word/document.xml", day, {"word/document.xml": document})


def pptx(text: Text, day: int) -> bytes:
    p = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    members, ids = dict[str, str](), ""
    for at, each in enumerate(text[:8], 1):
        members[f"ppt/slides/slide{at}.xml"] = (
            f"<p:sld {p} {A}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{escape(each)}</a:t></a:r>"
            "</a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
        )
        ids += f'<p:sldId id="{255 + at}" r:id="rId{at}"/>'
    members["ppt/presentation.xml"] = (
        f"<p:presentation {p} {R}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"
    )
    slides = ((f"{OFFICE}/slide", f"slides/slide{at}.xml") for at in range(1, len(text[:8]) + 1))
    members["ppt/_rels/presentation.xml.rels"] = relations(*slides)
    return office("ppt/presentation.xml", day, members)


def eml(text: Text, day: int) -> bytes:
    date = f"{day % 28 + 1} Mar 2021 10:00:00 +0100"
    head = f"From: Ida <ida@x.example>\nTo: bo@x.example\nSubject: {text[0][:40]}\nDate: {date}\n"
    return f"{head}Message-ID: <{day}@x.example>\n\n{chr(10).join(text)}\n".encode()


def notebook(text: Text, _: int) -> bytes:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": f"# {each}"} for each in text]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def pdf(text: Text, _: int) -> bytes:
    plain = [each.encode("ascii", "ignore").decode() for each in text]
    return small_pdf([[each[at : at + 90] for at in range(0, len(each), 90)] for each in plain])


def page(text: Text, _: int) -> bytes:
    body = "".join(f"<p>{escape(each)}</p>" for each in text)
    return f"<html><head><title>{escape(text[0][:40])}</title></head><body>{body}</body></html>".encode()


MAKERS: dict[str, tuple[int, Callable[[Text, int], bytes]]] = {
    ".md": (40, note),
    ".docx": (15, docx), ".pptx": (5, pptx), ".eml": (15, eml), ".html": (10, page), ".ipynb": (5, notebook),
    ".pdf": (10, pdf),
}  # fmt: skip
"""For each kind of file its share in a hundred, and what makes one."""


def write(folder: Path, files: int) -> None:
    chance, known = random.Random(7), words()
    for number in range(files):
        kind = chance.choices(list(MAKERS), [share for share, _ in MAKERS.values()])[0]
        text = [" ".join(chance.choices(known, k=50)) for _ in range(chance.randint(4, 30))]
        path = folder / f"{number % 40:02}" / f"file {number}{kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(MAKERS[kind][1](text, number))
        at = 1_600_000_000 + 7_200 * number
        os.utime(path, (at, at))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=2_000)
    given = parser.parse_args()
    shutil.rmtree(given.folder, ignore_errors=True)
    write(given.folder / "files", given.files)
    with asof.open(given.folder) as corpus:
        for what in ("indexed", "unchanged", "a tenth moved"):
            if what == "a tenth moved":
                for path in sorted((given.folder / "files").rglob("file *"))[::10]:
                    path.rename(path.with_name(f"moved {path.name}"))
            started = time.perf_counter()
            report = corpus.add(given.folder / "files")
            took = time.perf_counter() - started
            done = f"{report.added} added, {report.unchanged} unchanged, {report.ended} removed"
            print(f"{what}: {took:.2f} s, {given.files / took:.0f} files/s; {done}, {report.failed} failed")
    PROCESSES.end()
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"memory of the processes that read: at most {most:.0f} MB")


if __name__ == "__main__":
    main()
