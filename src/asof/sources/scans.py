"""Pages of a PDF that are pictures, as scans are: whether their text was recognised, what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from asof.data import Problem
from asof.sources.formats.parts import Part
from asof.sources.formats.reading import FormatReader
from asof.sources.formats.tesseract import lacking
from asof.sources.readers import Unreadable
from asof.sources.source import InputLimits

_HOW = 'install tesseract and asof[ocr], and write ocr = "eng" under [documents] in asof.toml'


@dataclass(frozen=True, slots=True)
class Scans:
    """The pages of a PDF that hold no text but something drawn, and those among them with a text that was
    recognised, by number from 1; how many were tried in vain (`failed`) or left (`left`), for want of time
    (`late`) or not; `lacking`: what is missing for it on this machine; `broken`: why trying it gave nothing;
    `remedy`: what to do about either."""

    scanned: tuple[int, ...] = ()
    recognized: tuple[int, ...] = ()
    failed: int = 0
    left: int = 0
    late: bool = False
    lacking: str = ""
    remedy: str = ""
    broken: str = ""
    limits: InputLimits = InputLimits()  # noqa: RUF009  a frozen value

    @classmethod
    def of(cls, front: Mapping[str, Any], limits: InputLimits) -> Scans:
        """What a process says that a file may have brought to say anything. Raises Unreadable."""
        match front:
            case {
                "scanned": [*scanned], "recognized": [*recognized],
                "failed": int(failed), "left": int(left), "late": bool(late),
            } if all(type(each) is int for each in (*scanned, *recognized)):  # fmt: skip
                seen, read = (tuple(each + 1 for each in pages) for pages in (scanned, recognized))
                return cls(seen, read, failed, left, late, limits=limits)
        raise Unreadable("it breaks what reads it", "save it anew")

    def front(self) -> dict[str, str]:
        """Metadata: which pages were recognised."""
        return {"ocr_pages": ranges(self.recognized)} if self.recognized else {}

    def notes(self, pages: int) -> tuple[Problem, ...]:
        """At most one: how many of the PDF's `pages` were not recognised, why, and what to do."""
        why, remedy = self._why()
        if not why:
            return ()
        count = len(self.scanned)
        holding = "page holds" if pages == 1 else "pages hold"
        said = f"{count} of {pages} {holding} no text, as scans do: {why}"
        return (Problem(said, remedy=remedy, lost=False),)

    def without_text(self) -> Unreadable:
        """Why a PDF in which there is no text is not read."""
        why, remedy = self._why()
        if why:
            return Unreadable(f"there is no text in the PDF, as in a scanned one: {why}", remedy)
        pictures = ", and none in its pictures" if self.scanned else ""
        return Unreadable(f"there is no text in the PDF{pictures}")

    def _why(self) -> tuple[str, str]:
        """Why pages were not recognised, and what to do; empty where all were."""
        if not self.scanned:
            return "", ""
        if not self.limits.ocr:
            return "OCR is off", _HOW
        if self.lacking or self.broken:
            return self.lacking or self.broken, self.remedy
        if not self.failed + self.left:
            return "", ""
        said = [f"{len(self.scanned) - self.failed - self.left} were recognised"]
        remedy = "save these pages anew"
        if self.failed:
            said.append(f"{self.failed} failed or took more than {self.limits.ocr_page} s")
        if self.left and self.late:
            said.append(f"{self.left} were left after {self.limits.ocr_seconds} s")
            remedy = "raise ocr_seconds under [documents] in asof.toml"
        elif self.left:
            said.append(f"{self.left} were left after failures in a row")
        return ", ".join(said), remedy


def recognized(reader: FormatReader, raw: bytes, limits: InputLimits) -> tuple[Part, Scans]:
    """The pages of a PDF, those that are pictures recognised if `limits.ocr` says so and it can be done; they
    are tried only where there are such pages. Raises Unreadable, SourceError."""
    (part,) = reader.parts(raw, "", replace(limits, ocr=""))
    scans = Scans.of(part.front, limits)
    if not scans.scanned or not limits.ocr:
        return part, scans
    if missing := lacking(limits.ocr):
        return part, replace(scans, lacking=missing[0], remedy=missing[1])
    try:
        (again,) = reader.parts(raw, "", replace(limits, seconds=limits.seconds + limits.ocr_seconds))
        return again, Scans.of(again.front, limits)
    except Unreadable as wrong:
        return part, replace(scans, broken=str(wrong), remedy=wrong.remedy)


def ranges(numbers: tuple[int, ...]) -> str:
    """Numbers in order as a text: "1-3, 7"."""
    runs = [
        [each for _, each in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    ]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
