"""Makes a dataset of the sets of TG-RAG's table X: python -m bench.multihop OUT FILE [FILE ...]

Files are read by their shape, as NaturalQuestions, 2WikiMultihopQA and HotpotQA are published (HippoRAG's
copies too), JSON lists or lines:

    {"question", "answer", "context": [[title, [sentence, ...]], ...], "supporting_facts": [[title, n], ...]}
    {"question", "answer" or "reference", "paragraphs" or "contexts": [{"title", "text", "is_supporting"}]}
    {"title", "text"}                        a passage of a corpus without a question

The corpus is all passages of all questions, each once, as HippoRAG has it; they have no dates. Nothing is
downloaded. OUT is for `asof evaluate OUT --answers` and `asof experiment tgrag/X OUT`.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.dataset_files import Dataset, command, records, text_of

from asof.errors import UsageError

Passage = tuple[str, str, list[str]]
"""A title, a text, and the sentences in it that answer."""


def convert(files: Sequence[Path]) -> Dataset:
    """The dataset of some files. Raises UsageError where no question is in them."""
    made, names = Dataset(), dict[tuple[str, str], str]()
    for path in files:
        for number, record in _objects(path, made):
            _take(record, path, number, made, names)
    if not made.questions:
        raise UsageError(f"no question in {', '.join(map(str, files))}; see the head of bench/multihop.py")
    return made


def _objects(path: Path, made: Dataset) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON list, or of lines; with their number from 1."""
    with path.open("rb") as file:
        listed = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    if not listed:
        yield from records(path, made)
        return
    try:
        values = json.loads(path.read_bytes())
    except ValueError as error:
        made.bad(f"no JSON: {error}", path)
        return
    for number, value in enumerate(values, 1):
        if isinstance(value, dict):
            yield number, value
        else:
            made.bad("no JSON object", path, number)


def _take(
    record: Mapping[str, Any], path: Path, number: int, made: Dataset, names: dict[tuple[str, str], str]
) -> None:
    question = text_of(record, "question")
    if not question:
        if text := text_of(record, "text"):
            _name(text_of(record, "title"), text, made, names)
        else:
            made.bad("neither a question nor a passage", path, number)
        return
    answers = _answers(record)
    if not answers:
        made.bad("a question without an answer", path, number)
        return
    kept = f"{path.stem}-{text_of(record, '_id', 'id') or number}"
    made.questions.append(
        {"id": kept, "text": question, "answer": answers, "answerable": True, "type": text_of(record, "type")}
    )
    for title, text, gold in _passages(record):
        name = _name(title, text, made, names)
        if gold:
            made.judged[kept, name] = None
            made.sentences += [{"query_id": kept, "doc_id": name, "sentence": each} for each in gold]


def _answers(record: Mapping[str, Any]) -> list[str]:
    found = [record.get(name) for name in ("answer", "reference", "answers")]
    listed: Any = next((each for each in found if each), [])
    parts = listed if isinstance(listed, list) else [listed]
    return [each.strip() for each in parts if isinstance(each, str) and each.strip()]


def _passages(record: Mapping[str, Any]) -> Iterator[Passage]:
    """The passages of a question, of whichever shape; those of no shape are left out."""
    supporting: dict[str, set[Any]] = {}
    for fact in record.get("supporting_facts") or []:
        if isinstance(fact, list) and len(fact) == 2:
            supporting.setdefault(str(fact[0]), set()).add(fact[1])
    for each in record.get("context") or []:
        if isinstance(each, list) and len(each) == 2 and isinstance(each[1], list):
            sentences = [str(sentence) for sentence in each[1]]
            wanted = supporting.get(str(each[0]), set())
            gold = [line.strip() for at, line in enumerate(sentences) if at in wanted and line.strip()]
            yield str(each[0]), " ".join(line.strip() for line in sentences), gold
    for each in record.get("paragraphs") or record.get("contexts") or []:
        if isinstance(each, dict) and (text := text_of(each, "text", "paragraph_text")):
            yield text_of(each, "title"), text, [text] if each.get("is_supporting") else []


def _name(title: str, text: str, made: Dataset, names: dict[tuple[str, str], str]) -> str:
    """The id of a passage, which is its title; a number is added for another text of the same title."""
    if (title, text) in names:
        return names[title, text]
    base = " ".join(title.split()) or "passage"
    name, number = base, 2
    while name in made.documents:
        name, number = f"{base} #{number}", number + 1
    names[title, text] = name
    made.documents[name] = {"id": name, "title": title, "text": text, "timestamp": None}
    return name


def main() -> None:
    parser = ArgumentParser(description="Make a dataset for asof evaluate of questions with passages.")
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    given = parser.parse_args()
    made = convert(given.files)
    made.write(given.out)
    made.report(given.out)


if __name__ == "__main__":
    sys.exit(command("bench.multihop", main))
