"""Reads one PDF in a process of its own. `pdf_process` runs this file; it imports nothing of asof.

PDFium sets up the whole text of a page before it tells its length, and ends the process when memory runs out:
a file of a kilobyte can ask for all there is. Hence the limits that this process sets itself before it has
seen a byte of the PDF.

Arguments: the folder in which pypdfium2 lies; the limits (`source.InputLimits`) as JSON. The PDF comes
through stdin. Through stdout goes READY, then one JSON object: `pages`, the text of each, with `title` and
`created`; or `no`, the reason why there are none, and for too many pages their `count`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pypdfium2

READY = b"ready\n"
MAX_TITLE = 500
"""Characters of a title."""


def main() -> None:
    folder, limits = sys.argv[1], json.loads(sys.argv[2])
    sys.path.append(folder)
    import pypdfium2

    confine(limits["memory"], limits["seconds"])
    sys.stdout.buffer.write(READY)
    sys.stdout.buffer.flush()
    try:
        result = read(sys.stdin.buffer.read(), limits)
    except pypdfium2.PdfiumError:
        result = {"no": "page"}
    except MemoryError:
        result = {"no": "memory"}
    sys.stdout.buffer.write(json.dumps(result, ensure_ascii=False).encode("utf-8", "replace"))


def confine(memory: int, seconds: int) -> None:
    """Limits what this process may take from now on: bytes of memory, seconds of processor, no core file.

    The parent keeps the deadline; processor time is for when it is gone. Memory is limited on Linux only:
    macOS does not enforce that limit, and Windows has none of the three. Stricter limits that it has stay.
    """
    try:
        import resource
    except ImportError:
        return
    most = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: seconds + 1}
    if sys.platform == "linux":
        most[resource.RLIMIT_AS] = addresses() + memory
    for kind, value in most.items():
        stricter = min(each for each in (value, *resource.getrlimit(kind)) if each != resource.RLIM_INFINITY)
        resource.setrlimit(kind, (stricter, stricter))


def addresses() -> int:
    """Bytes of addresses that this process has, mostly of libraries; 0 where /proc is not mounted."""
    import resource

    try:
        statm = Path("/proc/self/statm").read_text()
    except OSError:
        return 0
    return int(statm.split()[0]) * resource.getpagesize()


def read(raw: bytes, limits: dict[str, int]) -> dict[str, Any]:
    """The content of a PDF, or why it has none. Raises PdfiumError for a page that cannot be read."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as wrong:
        return {"no": "locked" if "password" in str(wrong).lower() else "damaged"}
    count = len(document)
    if count > limits["pages"]:
        return {"no": "pages", "count": count}
    texts = _texts(document, limits["characters"])
    if texts is None:
        return {"no": "characters"}
    about = document.get_metadata_dict()
    return {
        "pages": texts,
        "title": about.get("Title", "")[:500],
        "created": about.get("CreationDate", "")[:500],
    }


def _texts(document: pypdfium2.PdfDocument, most: int) -> list[str] | None:
    """The text of each page, or None when they have more characters than `most`."""
    texts, characters = [], 0
    for number in range(len(document)):
        sheet = document[number]
        words = sheet.get_textpage()
        counted = words.count_chars()
        if characters + counted > most:
            return None
        texts.append(words.get_text_range())
        characters += max(counted, len(texts[-1]))  # a character can stand for several
        if characters > most:
            return None
        words.close()
        sheet.close()
    return texts


if __name__ == "__main__":
    main()
