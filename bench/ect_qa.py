"""Makes a dataset of ECT-QA, the earnings-call transcripts of TG-RAG: python -m bench.ect_qa FROM OUT

FROM is the folder `ect-qa` of that project's repository: corpus/base.jsonl.gz (2020 to 2023) and
corpus/new.jsonl.gz (2024), of which one may be missing, questions/local_*.jsonl (specific) and
questions/global_*.jsonl (abstract). Nothing is downloaded. OUT is for `asof evaluate OUT --answers`,
and `asof experiment tgrag/III OUT` (to X).

A document is a call, dated by its day (from the transcript, else from its address); `year` and `quarter` are
the fiscal ones that it is about. A specific question has its answer, its gold sentences as evidence, and
`split` base or new; one whose calls are not all here is left out, and counted as a problem.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.dataset_files import Dataset, command, records, text_of

from asof.errors import UsageError

PARTS = ("base", "new")
_ADDRESS = re.compile(r"/(\d{4})/(\d{2})/(\d{2})/")
_SPOKEN = re.compile(r"\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? (\d{1,2}), (\d{4})\b")
HEAD = 600
"""The characters at the beginning of a transcript in which its day stands."""


def convert(source: Path) -> Dataset:
    """The dataset of a folder. Raises UsageError where there is no corpus or no question."""
    made = Dataset()
    for part in PARTS:
        path = _either(source / "corpus" / f"{part}.jsonl")
        if path is None:
            made.bad("is missing: questions about its calls are left out", source / f"corpus/{part}.jsonl.gz")
            continue
        for number, record in records(path, made):
            _document(record, path, number, made)
    if not made.documents:
        raise UsageError(f"{source} has no call in corpus/base.jsonl.gz or corpus/new.jsonl.gz")
    for kind in ("local", "global"):
        for part in PARTS:
            path = source / "questions" / f"{kind}_{part}.jsonl"
            if path.is_file():
                _questions(path, kind, part, made)
            else:
                made.bad("is missing", path)
    if not made.questions:
        raise UsageError(f"{source} has no question in questions/*.jsonl that its calls answer")
    return made


def _either(path: Path) -> Path | None:
    return next((each for each in (path.with_name(f"{path.name}.gz"), path) if each.is_file()), None)


def _document(record: Mapping[str, Any], path: Path, number: int, made: Dataset) -> None:
    fields = {name: text_of(record, name) for name in ("company_name", "stock_code", "year", "quarter")}
    text = text_of(record, "cleaned_content", "raw_content")
    if missing := [name for name, value in {**fields, "cleaned_content": text}.items() if not value]:
        made.bad(f"a call without {', '.join(missing)}", path, number)
        return
    company, code, year, quarter = fields.values()
    name = "-".join((text_of(record, "sector") or "none", code.replace(" ", "_"), year, quarter))
    if name in made.documents:
        made.bad(f"the call {name} occurs twice: the first one counts", path, number)
        return
    day = _day(record)
    if day is None:
        made.bad(f"the call {name} says no day: it is undated", path, number)
    made.documents[name] = {
        "id": name, "title": f"{company} ({code}) {year} {quarter.upper()} Earnings Call", "text": text,
        "timestamp": day, "company": company, "stock_code": code, "sector": text_of(record, "sector"),
        "year": year, "quarter": quarter,
    }  # fmt: skip


def _day(record: Mapping[str, Any]) -> str | None:
    """The day of a call as a date; None where neither its head nor its address says one."""
    if found := _SPOKEN.search(text_of(record, "raw_content")[:HEAD]):
        try:
            return datetime.strptime(" ".join((*found.groups(), "+0000")), "%b %d %Y %z").date().isoformat()
        except ValueError:  # 31 February
            return None
    found = _ADDRESS.search(text_of(record, "URL"))
    return "-".join(found.groups()) if found else None


def _questions(path: Path, kind: str, part: str, made: Dataset) -> None:
    left_out: Counter[str] = Counter()
    for number, record in records(path, made):
        question, kept = text_of(record, "question"), f"{kind}-{part}-{number:04d}"
        if not question:
            made.bad("a question without its text", path, number)
            continue
        if kind == "global":
            made.questions.append(
                {
                    "id": kept, "text": question, "type": f"abstract {text_of(record, 'type')}".strip(),
                    "abstract": True, "split": part,
                }
            )  # fmt: skip
            continue
        answer, gold = text_of(record, "answer"), _gold(record)
        if not answer:
            made.bad("a question without an answer", path, number)
            continue
        if missing := {document for document, _ in gold} - made.documents.keys():
            left_out["questions"] += 1
            left_out["calls"] = max(left_out["calls"], len(missing))
            continue
        made.questions.append(
            {
                "id": kept, "text": question, "type": text_of(record, "question_type"), "answer": answer,
                "answerable": answer.casefold() != "unanswerable", "split": part,
                "reasoning_type": text_of(record, "reasoning_type"),
            }
        )  # fmt: skip
        made.judged |= {(kept, document): None for document, _ in gold}
        made.sentences += [
            {"query_id": kept, "doc_id": document, "sentence": sentence}
            for document, sentence in gold
            if sentence
        ]
    if left_out:
        count, most = left_out["questions"], left_out["calls"]
        made.bad(f"{count:,} questions rest on calls that are not here (up to {most:,} each): left out", path)


def _gold(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The calls and sentences that a question rests on."""
    listed = record.get("evidence_list")
    return [
        (text_of(each, "ect_filename").removesuffix(".json").replace(" ", "_"), text_of(each, "evidence"))
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict) and text_of(each, "ect_filename")
    ]


def main() -> None:
    parser = ArgumentParser(description="Make a dataset for asof evaluate of ECT-QA's files.")
    parser.add_argument("source", type=Path, metavar="FROM")
    parser.add_argument("out", type=Path, metavar="OUT")
    given = parser.parse_args()
    made = convert(given.source)
    made.write(given.out)
    made.report(given.out)


if __name__ == "__main__":
    sys.exit(command("bench.ect_qa", main))
