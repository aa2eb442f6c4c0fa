"""A reader that does what its input says, for tests of the process that readers run in."""

from __future__ import annotations

import os
import time
from pathlib import Path

from asof.extensions.documents.parts import Part, ReadLimits, Refused, Writer


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:
    what, _, rest = raw.decode().partition(" ")
    if what == "die":
        os._exit(3)
    if what == "fail":
        raise ValueError(rest)
    if what == "sleep":
        time.sleep(float(rest))
    if what == "fill":
        return [Part(str(len(bytearray(int(rest)))))]
    if what == "deep":
        return read_deeply(0)
    if what == "write":
        Path(rest).write_text("x" * 10)
    if what == "refuse":
        raise Refused("it says no", "ask again")
    if what == "missing":
        import nothing_of_this_name  # type: ignore[import-not-found]  # noqa: F401
    if what == "parts":
        return [Part(f"Text of {name}.", name=name, published="2020-01-01") for name in rest.split()]
    if what == "outline":
        return [Part("ab", outline=[(5, 1, "far")])]
    if what == "dates":
        published, created, changed = ("" if each == "-" else each for each in rest.split())
        return [Part("Dated.", published=published, created=created, changed=changed)]
    writer = Writer(limits)
    writer.heading("Head")
    writer.block(f"{what} {stem}{suffix} {rest}")
    return [writer.part("A  title", front={"author": "Ida"}, links=["other"], notes=["a note"])]


def read_deeply(depth: int) -> list[Part]:
    return read_deeply(depth + 1)
