"""A model's text on numbered points: which of them it cites, and whether it can be used."""

from __future__ import annotations

import re
from collections.abc import Sequence

from asof.answer.summary import WrittenText
from asof.answer.write import REFUSAL
from asof.knowledge.reports.report import ReportPoint
from asof.models.ports import Reply

_CITED = re.compile(r"\[([0-9]+(?:[ \t]*[,;][ \t]*[0-9]+)*)\]")


def composed_text(reply: Reply, points: Sequence[ReportPoint]) -> WrittenText | str:
    """The text of a reply with the points that it cites, renumbered in order of their first citation; a text
    that says why it cannot be used, or begins with REFUSAL.

    `[2, 5]` becomes `[2][5]`; numbers of no point are removed.
    """
    text = reply.text.strip()
    if reply.problem or not text:
        return reply.problem or "the reply was empty"
    if text.startswith(REFUSAL):
        return text
    number_of: dict[int, int] = {}

    def known(match: re.Match[str]) -> str:
        numbers = [int(each) for each in re.findall("[0-9]+", match[1])]
        return "".join(
            f"[{number_of.setdefault(number, len(number_of) + 1)}]"
            for number in dict.fromkeys(numbers)
            if 1 <= number <= len(points)
        )

    text = _CITED.sub(known, text)
    if not number_of:
        return "the text cites none of the points"
    return WrittenText(text, tuple(points[number - 1] for number in number_of))
