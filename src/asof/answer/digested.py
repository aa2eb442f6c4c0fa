"""A digest as an answer: a heading for each period, its points with their citations."""

from __future__ import annotations

from asof.answer.digest import Digest
from asof.data import GLOBAL, Answer, Citation
from asof.knowledge.reports.report import Quote, ReportPoint


def digested(digest: Digest, about: str) -> Answer:
    """The answer; a refusal where no fact of the time says anything of the question."""
    if not digest.sections:
        whom = f" about {about}" if about else ""
        reason = f"no fact{whom} of that time says anything of the question"
        return Answer(
            digest.question, f"No answer: {reason}.", True, reason, GLOBAL, digest.as_of, digest.known_at, (),
            notes=digest.notes, by=_by(digest),
        )  # fmt: skip
    number: dict[tuple[str, str], int] = {}
    quotes: list[Quote] = []
    lines = []
    for section in digest.sections:
        lines.append(str(section.period) if section.period is not None else "over several periods")
        for point in section.points:
            for quote in point.citations:
                if (quote.id, quote.sentence) not in number:
                    number[quote.id, quote.sentence] = len(number) + 1
                    quotes.append(quote)
            lines.append(_line(point, [number[each.id, each.sentence] for each in point.citations]))
        lines.append("")
    return Answer(
        digest.question, "\n".join(lines).rstrip(), False, "", GLOBAL, digest.as_of, digest.known_at,
        tuple(_citation(at, quote) for at, quote in enumerate(quotes, 1)), (), digest.notes, _by(digest),
    )  # fmt: skip


def _by(digest: Digest) -> str:
    return "extractive" if digest.by == "extract" else digest.by


def _line(point: ReportPoint, numbers: list[int]) -> str:
    changed = f" ({'; '.join(point.changes)})" if point.changes else ""
    return f"- {point.said}{changed} {''.join(f'[{number}]' for number in numbers)}"


def _citation(number: int, quote: Quote) -> Citation:
    about = () if quote.when is None else (quote.when,)
    return Citation(number, quote.id, quote.document, quote.title, quote.published, about, quote.sentence)
