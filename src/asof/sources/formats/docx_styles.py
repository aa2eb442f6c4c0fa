"""What a paragraph of a Word document is by its style: a heading, a title, an item of a list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from asof.sources.bounded_xml import attribute, below
from asof.sources.formats.office_core import child

_HEADING = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_CHAIN = 20  # no style is based on so many others


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph is: a heading of a `level` from 1, an item of a list from `depth` 0. None: it does not
    say; 0 and -1: it is none, whatever the style is based on. `name`: of the style, in lower case."""

    level: int | None = None
    depth: int | None = None
    name: str = ""
    parent: str = ""

    def over(self, parent: Style) -> Style:
        """This style where it says something, else the one that it is based on."""
        return Style(
            parent.level if self.level is None else self.level,
            parent.depth if self.depth is None else self.depth,
            self.name or parent.name,
        )


class Styles:
    """The styles of paragraphs in styles.xml."""

    def __init__(self, root: ET.Element | None) -> None:
        self._own: dict[str, Style] = {}
        self._whole: dict[str, Style] = {}
        for each in below(root, "style") if root is not None else ():
            name, parent = value(child(each, "name")), value(child(each, "basedOn"))
            self._own[attribute(each, "styleId")] = _style(child(each, "pPr"), name, parent)

    def of(self, properties: ET.Element | None) -> Style:
        """The style of a paragraph by its properties (w:pPr)."""
        named = value(child(properties, "pStyle"))
        return _style(properties).over(self._named(named)) if properties is not None else Style()

    def _named(self, name: str) -> Style:
        """A style by its id, with what it has from others. One that is not there goes by its id."""
        if name not in self._whole:
            style = self._own.get(name) or _style(None, name)
            parent = style.parent
            for _ in range(_CHAIN):
                if parent not in self._own:
                    break
                style = style.over(self._own[parent])
                parent = self._own[parent].parent
            self._whole[name] = style
        return self._whole[name]


def _style(properties: ET.Element | None, name: str = "", parent: str = "") -> Style:
    level = depth = None
    if (outline := child(properties, "outlineLvl")) is not None:
        level = number(outline, 9) + 1
        level = level if level <= 9 else 0
    elif named := _HEADING.fullmatch(name):
        level = int(named[1])
    if (numbering := child(properties, "numPr")) is not None:
        listed, place = child(numbering, "numId"), child(numbering, "ilvl")
        depth = -1 if listed is not None and number(listed, 0) == 0 else number(place, 0)
    return Style(level, depth, name.lower(), parent)


def value(element: ET.Element | None) -> str:
    """The w:val of an element; "" if there is none."""
    return "" if element is None else attribute(element, "val")


def number(element: ET.Element | None, otherwise: int) -> int:
    """The w:val of an element as a number; what is none counts as `otherwise`."""
    text = value(element)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else otherwise


def is_on(element: ET.Element | None) -> bool:
    """Whether a switch such as w:vanish is there and not turned off."""
    return element is not None and value(element) not in ("0", "false", "off")
