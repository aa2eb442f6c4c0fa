"""An evaluation of `stale` as the documented JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, NotRequired, TypedDict

from asof.data.json import Instant, ProblemJson, keys, one_of, problem_json
from asof.data.stale import LINK, PASSED, STALE_KINDS
from asof.evaluate.staleness.cases import EXPECTED_KINDS, ExpectedStale
from asof.evaluate.staleness.evaluation import CaseSeconds, StaleEvaluation
from asof.evaluate.staleness.judged import VERDICTS, JudgedCase, JudgedFlag
from asof.evaluate.staleness.leakage import StaleLeakage
from asof.evaluate.staleness.metrics import READINGS, FirstFlags, FlaggedHarmless, FoundKind, Share
from asof.time.span import iso


class PrecisionJson(TypedDict):
    """How many of the first flags are right."""

    first: Annotated[int | None, "how many of all cases together, by score; null: all"]
    flags: Annotated[int, "how many there are of these"]
    right: int
    precision: Annotated[float | None, "null: there are none"]


class StaleRecallJson(TypedDict):
    """How many of the expected sentences of a kind are flagged."""

    kind: Annotated[str, one_of(*EXPECTED_KINDS)]
    type: Annotated[str, 'a finer kind that the dataset gives; "": all of the kind']
    expected: int
    found: int
    recall: float | None
    with_counterpart: Annotated[int, "of those found, how many have a right counterpart"]
    counterpart: Annotated[int, "of these, how many were flagged with one"]


class HarmlessJson(TypedDict):
    """How many sentences that must not be flagged are."""

    why: Annotated[str, 'why they are harmless; "": all of them']
    sentences: int
    flagged: int
    share: float | None


class FlagCountsJson(TypedDict):
    """How many flags of a kind there are."""

    kind: Annotated[str, one_of(LINK, PASSED)]
    flags: int
    right: int
    wrong: int
    harmless: Annotated[int, "of sentences that must not be flagged"]
    uncounted: Annotated[int, "of sentences that count neither way"]


class SecondsJson(TypedDict):
    """How long it takes to say what is stale, in seconds."""

    first_mean: Annotated[float, "asked for the first time"]
    first_most: float
    again_mean: Annotated[float, "asked again, of the corpus opened anew"]
    again_most: float
    documents_most: Annotated[int, "documents of the largest case"]


class LeakedFlagJson(TypedDict):
    """Where the whole corpus first differs from the one that was cut."""

    case: str
    as_of: Annotated[Instant, "where it was cut"]
    rank: int
    what: Annotated[str, one_of("id", "kind", "score", "quote", "by", "cause", "change", "why"), "differs"]
    whole: Annotated[str | None, "by the whole corpus; null: it flags no more"]
    cut: Annotated[str | None, "by the cut one; null: it flags no more"]


class StaleLeakageJson(TypedDict):
    """Whether anything later shows in corpora that are cut at earlier moments."""

    moments: Annotated[int, "how many cut corpora"]
    flags: Annotated[int, "how many flags of whole corpora were compared"]
    clean: bool
    differences: list[LeakedFlagJson]


class JudgedFlagJson(TypedDict):
    """A flag, and what it is."""

    case: str
    verdict: Annotated[str, one_of(*VERDICTS)]
    kind: Annotated[str, one_of(*STALE_KINDS)]
    score: float
    document: str
    quote: str
    by: Annotated[str | None, "the document of its counterpart; null: it has none"]
    by_quote: str | None
    change: str
    since: Annotated[Instant, "since when it is stale"]
    why: Annotated[str, "why it is harmless, if it is"]
    counterpart: Annotated[bool, "it is right, and so is its counterpart"]


class MissedStaleJson(TypedDict):
    """A sentence that should have been flagged."""

    case: str
    kind: Annotated[str, one_of(*EXPECTED_KINDS)]
    type: str
    document: str
    quote: str
    by: Annotated[list[str], "right counterparts"]
    new: Annotated[str, "the newer sentence"]


class StaleEvaluationJson(TypedDict):
    """How well what is stale is found in the cases of a dataset."""

    dataset: Annotated[str, "the name of its folder"]
    cases: int
    precision: Annotated[
        dict[str, list[PrecisionJson]], keys(READINGS), "of flags of the kinds value, statement and quote"
    ]
    recall: list[StaleRecallJson]
    harmless: Annotated[list[HarmlessJson], "sentences that must not be flagged; all of them first"]
    harmless_links: list[HarmlessJson]
    apart: Annotated[list[FlagCountsJson], "flags that are not in `precision`"]
    seconds: SecondsJson
    leakage: Annotated[StaleLeakageJson | None, "with `--leakage`; else null"]
    notes: list[str]
    problems: Annotated[list[ProblemJson], "lines that could not be used"]
    flags: Annotated[NotRequired[list[JudgedFlagJson]], "only with `--verbose`"]
    missed: Annotated[NotRequired[list[MissedStaleJson]], "only with `--verbose`"]


def stale_evaluation_json(evaluation: StaleEvaluation, *, verbose: bool = False) -> StaleEvaluationJson:
    """The JSON of `asof evaluate --stale`; `verbose` adds all flags, and what was missed."""
    metrics, leakage = evaluation.metrics, evaluation.leakage
    value: StaleEvaluationJson = {
        "dataset": evaluation.name,
        "cases": len(evaluation.cases),
        "precision": {
            reading: [_precision(each) for each in firsts] for reading, firsts in metrics.precision.items()
        },
        "recall": [_recall(each) for each in metrics.recall],
        "harmless": _harmless(metrics.harmless),
        "harmless_links": _harmless(metrics.harmless_links),
        "apart": [
            {
                "kind": each.kind, "flags": each.flags, "right": each.right, "wrong": each.wrong,
                "harmless": each.harmless, "uncounted": each.uncounted,
            }
            for each in metrics.apart
        ],
        "seconds": _seconds(evaluation.seconds),
        "leakage": None if leakage is None else _leakage(leakage),
        "notes": list(evaluation.notes),
        "problems": [problem_json(each) for each in evaluation.problems],
    }  # fmt: skip
    if verbose:
        value["flags"] = [_flag(each) for case in evaluation.cases for each in case.flags]
        value["missed"] = [_missed(case, each) for case in evaluation.cases for each in case.missed]
    return value


def _precision(each: FirstFlags) -> PrecisionJson:
    right: Share = each.right
    return {"first": each.first, "flags": right.of, "right": right.count, "precision": right.value}


def _recall(each: FoundKind) -> StaleRecallJson:
    return {
        "kind": each.kind, "type": each.type, "expected": each.found.of, "found": each.found.count,
        "recall": each.found.value, "with_counterpart": each.counterpart.of,
        "counterpart": each.counterpart.count,
    }  # fmt: skip


def _harmless(sorts: Iterable[FlaggedHarmless]) -> list[HarmlessJson]:
    return [
        {
            "why": each.why, "sentences": each.flagged.of, "flagged": each.flagged.count,
            "share": each.flagged.value,
        }
        for each in sorts
    ]  # fmt: skip


def _seconds(cases: Sequence[CaseSeconds]) -> SecondsJson:
    return {
        "first_mean": round(sum(each.first for each in cases) / len(cases), 3),
        "first_most": round(max(each.first for each in cases), 3),
        "again_mean": round(sum(each.again for each in cases) / len(cases), 3),
        "again_most": round(max(each.again for each in cases), 3),
        "documents_most": max(each.documents for each in cases),
    }


def _leakage(check: StaleLeakage) -> StaleLeakageJson:
    return {
        "moments": check.moments, "flags": check.flags, "clean": check.clean,
        "differences": [
            {
                "case": each.case, "as_of": iso(each.as_of), "rank": each.rank, "what": each.what,
                "whole": each.whole, "cut": each.cut,
            }
            for each in check.differences
        ],
    }  # fmt: skip


def _flag(each: JudgedFlag) -> JudgedFlagJson:
    flag = each.flag
    return {
        "case": each.case, "verdict": each.verdict, "kind": flag.kind, "score": flag.score,
        "document": flag.quote.document, "quote": flag.quote.text,
        "by": flag.by.document if flag.by else None, "by_quote": flag.by.text if flag.by else None,
        "change": flag.change, "since": iso(flag.cause), "why": each.why, "counterpart": each.counterpart,
    }  # fmt: skip


def _missed(case: JudgedCase, each: ExpectedStale) -> MissedStaleJson:
    return {
        "case": case.case.name, "kind": each.kind, "type": each.type, "document": each.document,
        "quote": each.quote, "by": list(each.by), "new": each.new,
    }  # fmt: skip
