"""The corpora that are measured: a file of lines and the questions about it, generated or of datasets."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from bench import generated

PIECE = 120
"""Words of a passage of a system that cuts no documents itself."""


class Measured(NamedTuple):
    """Files with documents (.jsonl) and questions (a JSON list), and two days: the middle of the documents'
    dates, and the one from which on the last tenth of them was published."""

    documents: str
    questions: str
    middle: str
    tenth: str


def generate(folder: Path, passages: int, questions: int) -> Measured:
    """Write generated text of so many passages."""
    records = (
        {
            "id": each.id, "title": each.title, "text": each.text,
            "published": each.published and each.published.text,
        }
        for each in generated.documents(passages)
    )  # fmt: skip
    return _write(folder, records, generated.queries(questions))


def gather(folder: Path, data: Path, questions: int) -> Measured:
    """Write the documents of all datasets below a folder (`corpus.jsonl`, `queries.jsonl`) as one corpus."""
    asked: list[str] = []
    for path in sorted(data.rglob("queries.jsonl")):
        texts = [json.loads(line)["text"] for line in path.open(encoding="utf-8")]
        random.Random(7).shuffle(texts)
        asked += texts[: -(-questions // 10)]
    random.Random(7).shuffle(asked)
    return _write(folder, _gathered(data), asked[:questions])


def _gathered(data: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(data.rglob("corpus.jsonl")):
        seen: set[str] = set()
        for line in path.open(encoding="utf-8"):
            record = json.loads(line)
            if record.get("text") and record["id"] not in seen:
                seen.add(record["id"])
                published = record.get("timestamp") or record.get("published_at")
                yield {
                    "id": f"{path.parent.name}/{record['id']}", "title": record.get("title") or "",
                    "text": record["text"], "published": published,
                }  # fmt: skip


def _write(folder: Path, records: Iterator[dict[str, Any]], questions: list[str]) -> Measured:
    documents, asked = folder / "corpus.jsonl", folder / "questions.json"
    dates = []
    with documents.open("w", encoding="utf-8") as file:
        for record in records:
            if record["published"] is None:
                del record["published"]
            else:
                dates.append(str(record["published"])[:10])
            file.write(json.dumps(record) + "\n")
    asked.write_text(json.dumps(questions), encoding="utf-8")
    days = sorted(date for date in dates if date <= f"{datetime.now(UTC):%Y-%m-%d}")
    return Measured(str(documents), str(asked), days[len(days) // 2], days[len(days) * 9 // 10])


def pieces(documents: str) -> list[tuple[str, str]]:
    """Title and text of passages of PIECE words; of documents with several versions all are there."""
    out = []
    with Path(documents).open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    for record in records:
        words = record["text"].split()
        out += [
            (record["title"], " ".join(words[at : at + PIECE])) for at in range(0, max(len(words), 1), PIECE)
        ]
    return out


def questions_of(path: str) -> list[str]:
    questions: list[str] = json.loads(Path(path).read_text(encoding="utf-8"))
    return questions
