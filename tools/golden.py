# ruff: noqa: BLE001, E402, E501, SIM115, T201
"""The golden record: what asof gives on fixed inputs, a line a thing, to compare two states of the code.

    python tools/golden.py --data DIR [--into FILE] [--full PREFIX] [--only PART,...] [--jobs 2]
    python tools/golden.py --compare A B

A line is a key, a tab, and a digest of a canonical text. `--full PREFIX` prints the texts of matching keys
instead, as JSON strings (`--cut N`: at most N characters of each); `--texts FILE.gz` writes all of them beside
the record. Parts: rows, search, answers, times, reading. `--corpora NAME,...` leaves all other corpora out.

Every corpus is built in a process of its own below a temporary folder, under a clock that stands still unless
this tool moves it, in two runs: half of the documents, then all of them, with some edited and some removed.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime


class Clock:
    """The clock that asof reads here: microseconds since 1970."""

    def __init__(self) -> None:
        self.set("2026-09-01T00:00:00")

    def set(self, moment: str) -> None:
        self.now = int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp()) * 1_000_000


CLOCK = Clock()
FIRST_RUN, BETWEEN, SECOND_RUN, NOW = (
    "2026-09-01T00:00:00", "2026-09-15T00:00:00Z", "2026-10-01T00:00:00", "2026-11-01T12:00:00",
)  # fmt: skip
EDITED = "2026-09-20"


# == what this tool uses of asof =====================================================================
# The clock: `asof.environment.now` reads time.time_ns.

if "--task" in __import__("sys").argv:
    time.time_ns = lambda: CLOCK.now * 1_000

    import asof
    from asof import recipes
    from asof.cli.main import cli, run
    from asof.models.encoders import HashedNgrams
    from asof.models.ports import ScriptedModel
    from asof.text.question import read as read_question
    from asof.time.expressions import TimeContext, parse
    from asof.wire import encode

HASHED = "hashed-3-5-256"


def open_corpus(folder, languages=("en",), *, encoder=False, model=None):
    settings = asof.CorpusSettings(languages=languages, encoder=HASHED if encoder else "")
    return asof.open(folder, settings=settings, encoder=HashedNgrams() if encoder else None, model=model)


def run_command():
    """Run `asof` with sys.argv in this process; the exit code."""
    return run(cli)


def search_aspects(results):
    """What is recorded of a search, by aspect."""
    hits, halting = list(results.hits), results.halting
    return {
        "ids": [hit.id for hit in hits],
        "scores": [float(hit.score).hex() for hit in hits],
        "trees": [tree(hit.why) for hit in hits],
        "hits": [
            [
                hit.document, hit.title, hit.uri, sourced(hit.published), hit.dated_by, hit.ended,
                [sourced(each) for each in hit.about], hit.place.number, hit.place.start, hit.place.end,
                list(hit.place.headings), hit.text,
                hit.superseded and [hit.superseded.at, hit.superseded.id, hit.superseded.title],
            ]
            for hit in hits
        ],
        "notes": list(results.notes),
        "halting": halting and [
            halting.examined, halting.candidates, halting.budget, halting.scored, halting.halted,
            float(halting.margin).hex(), float(halting.agreement).hex(), halting.reason,
        ],
    }  # fmt: skip


def tree(why):
    node = [why.label, float(why.value).hex(), why.op]
    return [*node, [tree(part) for part in why.parts]] if why.parts else node


def sourced(time_):
    return time_ and [*span(time_.span), time_.text, time_.by]


def span(value):
    return [str(value.start), str(value.end)]


def parsed_times(text, anchor, languages):
    return [
        [
            each.text, each.start, each.end, span(each.span), each.grain, each.relation, span(each.core),
            [span(other) for other in each.alternatives], each.relative, each.fiscal,
        ]
        for each in parse(text, anchor, TimeContext(language=languages))
    ]  # fmt: skip


def question_reading(text, anchor):
    read = read_question(text, anchor)
    query, intent = read.query, read.intent
    return [
        query.lexical, read.as_of, repr(query.recency), [span(each.span) for each in read.mentions],
        intent and [intent.direction, repr(intent.volatility), list(intent.reasons)], list(read.notes),
    ]  # fmt: skip


def scripted_answer(folder, questions):
    """The answers of a scripted model that quotes the digest of its prompt, as JSON, and its prompts."""

    def reply(prompt):
        return f"The sources say so [1]. Another says {digest(prompt.system + prompt.user)} [2]."

    for question in questions:
        model = ScriptedModel(reply, "golden")  # replies of this name are kept by their prompts
        with open_corpus(folder, model=model) as corpus:
            answer = encode(corpus.at().ask(question, mode="local"))
        yield answer, [[prompt.system, prompt.user, prompt.most] for prompt in model.prompts]


def recipe_names():
    return list(recipes.NAMES)


# == end of that =====================================================================================

import argparse
import contextlib
import gzip
import io
import itertools
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback
import zipfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path

PARTS = ("rows", "search", "answers", "times", "reading")
MODELS = ("dense", "hybrid", "hybrid-rrf", "qd-rag")
"""Recipes that need an encoder or a language model."""
UNITS = ("passage", "document")
DROPPED = {"took_ms", "bytes", "file", "derived", "truth", "formats"}
"""Keys of JSON that depend on the machine, or are about files."""
PROGRESS = re.compile(r"reading facts, once: ")
"""Lines that come the sooner the slower the machine is."""
SKIPPED_COLUMNS = {("segments", "file"), ("checkpoints", "token")}
"""The one is random, the other depends on what limits there are."""


class CorpusPlan:
    """What is made of a set: its documents, its questions, how many searches."""

    def __init__(self, name, kind, documents=0, questions=40, slow=8, **more):
        self.name, self.kind, self.documents, self.questions, self.slow = (
            name,
            kind,
            documents,
            questions,
            slow,
        )
        self.languages, self.encoder = more.get("languages", ("en",)), more.get("encoder", False)
        self.set = more.get("set", name)
        self.by = more.get("by", "")


PLANS = [
    CorpusPlan("example", "example", languages=("en", "de"), slow=6),
    CorpusPlan("multihoprag-facts", "jsonl", 326, 30, slow=4),
    CorpusPlan("policy", "jsonl", 1500),
    CorpusPlan("locomo-turns", "jsonl", 1500),
    CorpusPlan("rfc", "jsonl", 500, 30, slow=4),
    CorpusPlan("endoflife-events", "jsonl", 1500),
    CorpusPlan("timeqa-human", "jsonl", 1200, 30, slow=4),
    CorpusPlan("arxiv-sample", "jsonl", 500, 24, slow=4),
    CorpusPlan("encoded", "jsonl", 800, 24, slow=6, set="realtimeqa-evidence", encoder=True),
    CorpusPlan("ect-qa", "jsonl", 14, 14, slow=3),
    CorpusPlan("help", "vault", set="vaults/obsidian-help-en", questions=24, slow=4),
    CorpusPlan("help-history", "jsonl", 1200, 24, slow=4, set="vaults/obsidian-help-history"),
    CorpusPlan("git", "git", questions=12, slow=0),
]
READ_ONLY = ["kepano", "formats", "help"]


# -- canonical texts and where they go ---------------------------------------------------------------


def canonical(value):
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str, separators=(",", ":"))


def digest(text):
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class Record:
    """Writes the lines of a task, and its texts where they are wanted."""

    def __init__(self, out, full, cut, work):
        self.digests = Path(out).open("w", encoding="utf-8")
        self.texts = None if full is None else gzip.open(f"{out}.full.gz", "wt", 3, encoding="utf-8")
        self.full, self.cut, self.work = full, cut, str(work)

    def line(self, key, value):
        text = (value if isinstance(value, str) else canonical(value)).replace(self.work, "WORK")
        key = key.replace("\t", " ").replace("\n", " ")
        self.digests.write(f"{key}\t{digest(text)}\n")
        if self.texts is not None and key.startswith(self.full):
            if self.cut and len(text) > self.cut:
                text = f"{text[: self.cut]} ... and {len(text) - self.cut} characters more"
            self.texts.write(f"{key}\t{json.dumps(text, ensure_ascii=False)}\n")

    def columns(self, key, value):
        """A line for each key of an object, and of the objects in a list below it."""
        if not isinstance(value, dict):
            self.line(key, value)
            return
        for name, below in value.items():
            if name in DROPPED:
                continue
            if isinstance(below, dict) and below:
                for inner, each in below.items():
                    if inner not in DROPPED:
                        self.line(f"{key}/{name}.{inner}", each)
            elif isinstance(below, list) and below and all(isinstance(each, dict) for each in below):
                for inner in dict.fromkeys(itertools.chain.from_iterable(below)):
                    if inner not in DROPPED:
                        self.line(f"{key}/{name}.{inner}", [each.get(inner) for each in below])
            else:
                self.line(f"{key}/{name}", below)

    def close(self):
        self.digests.close()
        if self.texts is not None:
            self.texts.close()


# -- inputs ------------------------------------------------------------------------------------------


def json_lines(path):
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def evenly(items, most):
    """At most so many of them, evenly spaced."""
    if len(items) <= most:
        return list(items)
    return [items[at * len(items) // most] for at in range(most)]


def questions_of(data, plan):
    """Its questions: the text, the date asked, the id of a right document where one is known."""
    folder = data / plan.set
    if plan.kind == "example" or plan.kind == "git":
        return [(text, asked, "") for text, asked in EXAMPLE_QUESTIONS][: plan.questions]
    if plan.set.startswith("vaults/"):
        asked = json_lines(data / "vaults/obsidian-help-history/questions.jsonl")
        found = [(each["text"], each.get("as_of"), "") for each in asked]
        titles = evenly(json_lines(folder / "corpus.jsonl"), plan.questions - len(found))
        return found + [(f"how do I use {each['title'].lower()}?", None, each["id"]) for each in titles]
    if not (folder / "queries.jsonl").exists():
        papers = evenly(json_lines(folder / "corpus.jsonl")[: plan.documents], plan.questions)
        shapes = ("{}", "latest work on {}", "{} since 2025", "what was new about {} in May 2025?")
        texts = [" ".join(each["title"].lower().split()[-5:]) for each in papers]
        return [
            (shapes[at % 4].format(text), None, paper["id"])
            for at, (text, paper) in enumerate(zip(texts, papers, strict=True))
        ]
    right = relevant(folder)
    asked = evenly(json_lines(folder / "queries.jsonl"), plan.questions)
    return [(each["text"], each.get("asked_at"), next(iter(right.get(each["id"], ())), "")) for each in asked]


def relevant(folder):
    right = defaultdict(list)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, document, grade, *_ = line.split("\t")
        if grade.isdigit() and int(grade) > 0:
            right[query].append(document)
    return right


def documents_of(data, plan):
    """The first documents of a set, and those that answer its questions."""
    folder = data / plan.set
    wanted = set()
    if (folder / "qrels.tsv").exists():
        right = relevant(folder)
        asked = evenly(json_lines(folder / "queries.jsonl"), plan.questions)
        wanted = {name for each in asked for name in right.get(each["id"], ())}
    everything = json_lines(folder / "corpus.jsonl")
    first = plan.documents - min(len(wanted), plan.documents // 2)
    return [each for at, each in enumerate(everything) if at < first or each["id"] in wanted]


def changed(documents):
    """The documents of the second run: some edited, some with a later date too, some gone."""
    half, kept = len(documents) // 2, []
    for at, each in enumerate(documents):
        if at < half and at % 40 == 7:
            continue
        if at < half and at % 25 == 3:
            each = {**each, "text": f"{each['text']} Revised: item {at} is now {at * 3} units."}
            if at % 2 and "timestamp" in each:
                each["timestamp"] = EDITED
        kept.append(each)
    return kept


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def copy_files(origin, target, times):
    """Copy all files of a folder; when each was last modified depends on its place, or stands in `times`."""
    for at, path in enumerate(files_of(origin)):
        to = target / path.relative_to(origin)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)
        seconds = times.get(path.relative_to(origin).as_posix(), 1_500_000_000 + at * 1_234_567 % 10**8)
        os.utime(to, (seconds, seconds))


def change_files(origin, target, times):
    """The second run of files: all of them, some edited, some gone."""
    copy_files(origin, target, times)
    later = int(datetime.fromisoformat(EDITED).replace(tzinfo=UTC).timestamp())
    half = len(files_of(origin)) // 2
    for at, path in enumerate(files_of(target)):
        if at < half and at % 40 == 7:
            path.unlink()
        elif at < half and at % 15 == 3 and path.suffix in (".md", ".txt"):
            path.write_text(f"{path.read_text(encoding='utf-8')}\nRevised: item {at} is now {at * 3}.\n")
            os.utime(path, (later + at, later + at))


def half_of_files(origin, target, times):
    copy_files(origin, target, times)
    paths = files_of(target)
    for path in paths[len(paths) // 2 :]:
        path.unlink()


EXAMPLE_QUESTIONS = [
    ("Who is the current harbour master?", None),
    ("Who is the current harbour master?", "2017-06-01"),
    ("Who is the current harbour master?", "2020-06-01"),
    ("How much did an adult single ticket cost in 2019 and in 2023?", None),
    ("How much will an adult single ticket cost in 2031?", None),
    ("who runs the ferry", None),
    ("harbour master", None),
    ("price of the loaf", None),
    ("price of the loaf in 2018", None),
    ("Who was the mayor before Bastian Crowe?", None),
    ("who chairs the cooperative", "2022-01-01"),
    ("When was the bell found?", None),
    ("what changed since last spring", None),
    ("the Lantern Storm", None),
    ("Is the mole whole?", None),
    ("council minutes November 2020", None),
    ("Wer ist der Hafenmeister?", None),
    ("Wie viel kostet die Fähre?", None),
    ("Was stand letztes Jahr in den Briefen?", "2021-03-01"),
    ("opening hours of the harbour office", None),
    ("latest fares", None),
    ("fares in 2016", None),
    ("dogs on the ferry", None),
    ("How often was the fare raised between 2016 and 2023?", None),
    ('"harbour master" office', None),
    ("who was elected in May 2021", None),
    ("recipe for soup", None),
    ("April Dunmore", None),
    ("What does mooring cost a visitor?", None),
    ("What does mooring cost a visitor?", "2019-06-01"),
    ("When does the ferry leave on Sundays?", None),
    ("Which votes were close?", None),
    ("vote of the council on renewable power", None),
    ("who hangs up the cap", None),
    ("news of this week", "2022-09-25"),
    ("the two elections of 2022", None),
    ("What will be opened in the time capsule in 2032?", None),
    ("before the storm", None),
    ("as of 2018, who was mayor?", None),
    ("zeppelin", None),
]


# -- building ----------------------------------------------------------------------------------------


def build(data, plan, folder):
    """The corpus of a plan in `folder`, in two runs; what the runs said."""
    folder.mkdir(parents=True)
    if plan.kind == "git":
        return build_history(folder)
    reports = []
    if plan.kind == "jsonl":
        documents = documents_of(data, plan)
        source = folder / "documents.jsonl"
        states = (documents[: len(documents) // 2], changed(documents))
        states = [lambda each=each: write_lines(source, each) for each in states]
    else:
        source, times = folder / "notes", {}
        if plan.kind == "example":
            origin = Path(asof.__file__).parent / "example" / "notes"
        else:
            origin = data / plan.set / "vault"
            for each in json_lines(data / plan.set / "corpus.jsonl"):
                times[each["id"]] = int(datetime.fromisoformat(each["timestamp"]).timestamp())
        states = [
            lambda: half_of_files(origin, source, times),
            lambda: change_files(origin, source, times),
        ]
    for moment, state in zip((FIRST_RUN, SECOND_RUN), states, strict=True):
        CLOCK.set(moment)
        state()
        with open_corpus(folder, plan.languages, encoder=plan.encoder) as corpus:
            reports.append(report_of(corpus.add(source, allow_shrinking=True)))
    CLOCK.set(NOW)
    return reports


def report_of(report):
    names = ("added", "changed", "corrected", "unchanged", "ended", "failed", "passages")
    counts = {name: getattr(report, name) for name in names if hasattr(report, name)}
    problems = [[each.file, each.line, each.message, each.remedy, each.lost] for each in report.problems]
    return {**counts, "problems": problems}


def write_lines(path, documents):
    text = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in documents)
    path.write_text(text, encoding="utf-8")


def build_history(folder):
    """A repository of the example notes in five commits, indexed with its history after the third and last."""
    origin = Path(asof.__file__).parent / "example" / "notes"
    repository = folder / "repository"
    repository.mkdir()
    paths = files_of(origin)

    def git(*arguments, day="2019-01-01"):
        named = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (
            ("NAME", "Ida Mole"), ("EMAIL", "ida@quay.org"), ("DATE", f"{day}T10:00:00+00:00"))}  # fmt: skip
        subprocess.run(  # noqa: S603
            ["git", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false", *arguments],  # noqa: S607
            cwd=repository, env={**os.environ, **named}, check=True, capture_output=True,
        )  # fmt: skip

    def put(some, edit=""):
        for path in some:
            to = repository / path.relative_to(origin)
            to.parent.mkdir(parents=True, exist_ok=True)
            body = re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            to.write_text(body + edit, encoding="utf-8")

    def commit(day):
        git("add", "-A", day=day)
        git("commit", "-q", "-m", day, day=day)

    def add(moment):
        CLOCK.set(moment)
        with open_corpus(folder, ("en", "de")) as corpus:
            return report_of(corpus.add(repository, history=True))

    git("init", "-q")
    put(paths[::3])
    commit("2019-01-01")
    put(paths[:30:6], "\nThe price is now five euros.\n")
    commit("2020-02-02")
    put(paths[1::3])
    for path in paths[3:40:9]:
        (repository / path.relative_to(origin)).unlink(missing_ok=True)
    commit("2021-03-03")
    reports = [add(FIRST_RUN)]
    put(paths[2::3])
    moved = repository / "moved"
    moved.mkdir()
    for path in files_of(repository / "ferry")[:5]:
        path.rename(moved / path.name)
    commit("2022-04-04")
    put(paths[4:90:10], "\nSince Tuesday, 3 May 2022, the office is closed.\n")
    commit("2023-05-05")
    reports.append(add(SECOND_RUN))
    CLOCK.set(NOW)
    return reports


# -- rows --------------------------------------------------------------------------------------------


def rows(record, key, folder, only=()):
    """Every column of every table, and the digest of every segment file."""
    db = sqlite3.connect(f"file:{folder / '.asof' / 'corpus.db'}?mode=ro", uri=True)
    tables = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    for table, sql in tables:
        if table.startswith("sqlite_") or (only and table not in only):
            continue
        names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        order = (
            "first, last, ends_first"
            if table == "segments"
            else ", ".join(str(n + 1) for n in range(len(names)))
        )
        found = db.execute(f"SELECT * FROM {table} ORDER BY {order}").fetchall()
        if not only:
            record.line(f"{key}/schema/{table}", " ".join(sql.split()))
        for at, name in enumerate(names):
            if (table, name) not in SKIPPED_COLUMNS:
                record.line(f"{key}/{table}.{name}", "\n".join(cell(row[at]) for row in found))
    if not only:
        for number, (file,) in enumerate(
            db.execute("SELECT file FROM segments ORDER BY first, last, ends_first")
        ):
            raw = (folder / ".asof" / "segments" / file).read_bytes()
            record.line(f"{key}/segment-files/{number}", f"{len(raw)} {blake2b(raw).hexdigest()}")
    db.close()


def cell(value):
    if isinstance(value, float):
        return value.hex()
    return value.hex() if isinstance(value, bytes) else str(value)


def middle(folder):
    """The day in the middle of the dates of a corpus, and the year before it."""
    db = sqlite3.connect(f"file:{folder / '.asof' / 'corpus.db'}?mode=ro", uri=True)
    instants = [
        row[0] for row in db.execute("SELECT visible FROM versions WHERE head IS NOT NULL ORDER BY 1")
    ]
    db.close()
    day = datetime.fromtimestamp(instants[len(instants) // 2] / 1e6, UTC).date()
    early = datetime.fromtimestamp(instants[len(instants) // 6] / 1e6, UTC).date()
    return day.isoformat(), early.isoformat()


def names_of(folder):
    db = sqlite3.connect(f"file:{folder / '.asof' / 'corpus.db'}?mode=ro", uri=True)
    found = db.execute(
        "SELECT d.name, h.title FROM documents d JOIN versions v ON v.id = d.current "
        "JOIN heads h ON h.id = v.head ORDER BY d.name"
    ).fetchall()
    db.close()
    return found


# -- search ------------------------------------------------------------------------------------------


def search(record, plan, folder, questions):
    day, _ = middle(folder)
    moments = {"now": {}, "as-of": {"as_of": day}, "known": {"known_at": BETWEEN}}
    with open_corpus(folder, plan.languages, encoder=plan.encoder) as corpus:

        def one(key, moment, text, **options):
            try:
                results = corpus.at(**moment).search(text, **options)
                aspects = search_aspects(results)
            except Exception as error:
                aspects = {"error": f"{type(error).__name__}: {error}"}
            for aspect, value in aspects.items():
                record.line(f"{key}/{aspect}", value)

        for recipe in recipe_names():
            if recipe in MODELS and (not plan.encoder or recipe == "qd-rag"):
                continue
            for (moment, when), unit in itertools.product(moments.items(), UNITS):
                most = len(questions) if recipe == "asof" else plan.slow
                for at, (text, _, _) in enumerate(evenly(questions, most)):
                    key = f"search/{plan.name}/{recipe}/{unit}/{moment}/{at:02}"
                    one(key, when, text, unit=unit, recipe=recipe)
        for at, (text, _, _) in enumerate(evenly(questions, 4)):
            found = corpus.at(as_of=day).context(text, 700)
            record.line(f"search/{plan.name}/context/{at:02}", found.text)
        for at, (text, asked, _) in enumerate(questions):
            if asked:
                one(f"search/{plan.name}/asof/passage/asked/{at:02}", {"as_of": asked[:10]}, text)
        for name, options in (
            ("since", {"since": day}), ("until", {"until": day}), ("about", {"about": day[:4]}),
            ("about-recent", {"about": "2023", "k": 30}), ("path", {"path": "*a*"}), ("k50", {"k": 50}),
            ("k1", {"k": 1}),
        ):  # fmt: skip
            for at, (text, _, _) in enumerate(evenly(questions, 5)):
                one(f"search/{plan.name}/asof/{name}/now/{at:02}", {}, text, **options)


# -- answers -----------------------------------------------------------------------------------------


def command(record, key, *arguments):
    """Run a command in this process, with JSON as its output."""
    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["asof", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run_command()
    except (Exception, SystemExit) as error:
        code = f"{type(error).__name__}: {error}"
    record.line(f"{key}/code", str(code))
    said = [line for line in err.getvalue().splitlines() if line.strip() and not PROGRESS.match(line)]
    if said:
        record.line(f"{key}/stderr", said)
    text = out.getvalue()
    if text.strip():
        try:
            found = json.loads(text)
            one = (
                found["recipes"][0] if len(found.get("recipes", ())) == 1 else found
            )  # a line for each field
            record.columns(key, one)
        except ValueError:
            record.line(f"{key}/stdout", text)


def answers(record, plan, folder, questions):
    day, early = middle(folder)
    here, top = folder.name, f"answers/{plan.name}"
    at_index = ("--index", here, "--json")

    def ask(name, *arguments):
        command(record, f"{top}/{name}", *arguments, *at_index)

    texts = [text for text, _, _ in questions]
    if plan.name == "example":
        for at, tag in enumerate(("election", "ferry", "harbour")):
            ask(f"search-tag/{at:02}", "search", texts[at], "--tag", tag, "-k", "5")
    if plan.encoder:
        ask("search-meta", "search", texts[0], "--meta", "source=CNN", "-k", "5")
    few, some = evenly(texts, 4), evenly(texts, 8)
    known = names_of(folder)
    for at, (text, asked, _) in enumerate(evenly(questions, 20)):
        ask(f"ask/{at:02}", "ask", text, *(("--as-of", asked[:10]) if asked else ()))
    for at, text in enumerate(few):
        ask(f"ask-as-of/{at:02}", "ask", text, "--as-of", day)
        ask(f"ask-known/{at:02}", "ask", text, "--known-at", BETWEEN)
        ask(f"ask-local/{at:02}", "ask", text, "--mode", "local", "--tokens", "600")
        ask(f"ask-global/{at:02}", "ask", text, "--mode", "global")
        ask(f"ask-twe/{at:02}", "ask", text, "--recipe", "twe-365")
        ask(f"ask-since/{at:02}", "ask", text, "--since", early)
        ask(f"search/{at:02}", "search", text, "--explain", "-k", "5")
        ask(
            f"search-as-of/{at:02}",
            "search",
            text,
            "--as-of",
            day,
            "--known-at",
            BETWEEN,
            "--unit",
            "document",
        )
    for at, text in enumerate(some):
        ask(f"timeline/{at:02}", "timeline", text)
        ask(f"timeline-as-of/{at:02}", "timeline", text, "--as-of", day, "-k", "5")
        ask(f"diff/{at:02}", "diff", text, early, day)
        ask(f"diff-now/{at:02}", "diff", text, day, "2026-10-31")
    for at, text in enumerate(texts):
        ask(f"when/{at:02}", "when", text)
    for at, (text, _, right) in enumerate(evenly(questions, 8)):
        wanted = right or known[at * len(known) // 8][0]
        ask(f"why-not/{at:02}", "why-not", wanted, text, "--verbose")
        ask(f"why-not-as-of/{at:02}", "why-not", wanted, text, "--as-of", early, "--since", early)
        ask(f"why-not-twe/{at:02}", "why-not", wanted, text, "--recipe", "twe", "--unit", "document")
    for at, (name, _) in enumerate(evenly(known, 12)):
        ask(f"links/{at:02}", "links", name)
        ask(f"links-deep/{at:02}", "links", name, "--depth", "3", "--as-of", day)
    if plan.slow:
        subjects = list(dict.fromkeys(" ".join(title.split()[:3]) for _, title in known if title))
        for at, subject in enumerate(evenly(subjects, 5)):
            ask(f"facts/{at:02}", "facts", subject)
            ask(f"facts-as-of/{at:02}", "facts", subject, "--as-of", day)
            ask(f"graph/{at:02}", "facts", subject, "--graph")
        for at, period in enumerate(("2026", day[:4], early[:4], day[:7])):
            ask(f"report/{at:02}", "report", period)
        ask("report/known", "report", day[:4], "--known-at", BETWEEN)
        rows(record, f"{top}/rows", folder, ("facts", "extractions"))
        for kind in ("value", "statement", "quote", "link", "time"):
            ask(f"stale-{kind}", "stale", "--kind", kind, "-k", "1000")
            ask(f"stale-{kind}-as-of", "stale", "--kind", kind, "-k", "1000", "--as-of", day)
        for at, (answer, prompts) in enumerate(scripted_answer(folder, [] if plan.encoder else few)):
            record.columns(f"{top}/ask-scripted/{at:02}", answer)
            record.line(f"{top}/ask-scripted/{at:02}/prompts", prompts)
    ask("status", "status")
    if plan.name == "example":
        for recipe in recipe_names():
            ask(f"recipes/{recipe}", "recipes", recipe)
        maintained(record, folder, texts)


def maintained(record, folder, texts):
    """What is there after documents were corrected and erased, and history was dropped."""
    top, names = "answers/example-maintained", names_of(folder)

    def look(name):
        rows(record, f"{top}/{name}/rows", folder)
        for at, text in enumerate(evenly(texts, 6)):
            command(record, f"{top}/{name}/search/{at}", "search", text, "--index", folder.name, "--json")

    CLOCK.set("2026-11-02T00:00:00")
    command(record, f"{top}/correct", "correct", names[5][0], "2018-05-01", "--index", folder.name)
    look("corrected")
    CLOCK.set("2026-11-03T00:00:00")
    command(record, f"{top}/purge", "purge", names[9][0], "--yes", "--index", folder.name)
    look("purged")
    CLOCK.set("2026-11-04T00:00:00")
    command(record, f"{top}/vacuum", "vacuum", "2018-01-01", "--yes", "--index", folder.name)
    look("vacuumed")
    CLOCK.set(NOW)


# -- times -------------------------------------------------------------------------------------------

SENTENCES = 10_000
ASKED_SETS = (
    "temporalia-tqic", "recencyqa", "ect-qa", "tennis", "endoflife-events", "endoflife-patches", "locomo-turns",
    "multihoprag-facts", "realtimeqa-evidence", "situatedqa", "timeqa-human", "policy", "rfc", "beam-100k",
    "scifact",
)  # fmt: skip
TEXT_SETS = (
    "ect-qa", "tennis", "endoflife-events", "locomo-turns", "multihoprag-facts", "realtimeqa-evidence",
    "timeqa-human", "policy", "rfc", "beam-100k", "arxiv-sample", "vaults/obsidian-help-history",
)  # fmt: skip


def moment_of(text):
    try:
        found = datetime.fromisoformat(text or "2024-07-04")
    except ValueError:
        found = datetime.fromisoformat("2024-07-04")
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def times(record, data):
    asked, told = [], []
    for at, each in enumerate(json_lines(data / "timex-recognizers/cases.jsonl")):
        text = next((each[key] for key in ("text", "input", "Input") if key in each), canonical(each))
        anchor = next((each[key] for key in ("anchor", "reference", "asked_at") if each.get(key)), None)
        asked.append((f"timex-recognizers/{at:04}", text, anchor))
    for name in ASKED_SETS:
        for at, each in enumerate(evenly(json_lines(data / name / "queries.jsonl"), 300)):
            asked.append((f"{name}/{at:04}", each["text"], each.get("asked_at")))
    most = (SENTENCES - len(asked)) // len(TEXT_SETS)
    for name in TEXT_SETS:
        sentences = []
        for each in evenly(json_lines(data / name / "corpus.jsonl"), 400):
            found = re.split(r"(?<=[.!?])\s+|\n+", each["text"][:4000])
            found = [text for text in found if re.search(r"\d|day|week|month|year|now|last|next|since", text)]
            sentences += [(text, each.get("timestamp")) for text in found if text.strip()]
        for at, (text, day) in enumerate(evenly(sentences, most)):
            told.append((f"text/{name}/{at:04}", text, day))
    for key, text, day in (*asked, *told):
        record.line(f"times/{key}", [text, parsed_times(text, moment_of(day), "en")])
    for key, text, day in asked:
        record.line(f"times/{key}/question", [text, question_reading(text, moment_of(day))])
    notes = Path(asof.__file__).parent / "example" / "notes"
    for path in files_of(notes):
        lines = path.read_text(encoding="utf-8").splitlines()
        found = [parsed_times(line, moment_of("2021-05-06"), "en de") for line in lines]
        record.line(f"times/example/{path.relative_to(notes)}", found)


# -- reading -----------------------------------------------------------------------------------------


def reading(record, key, folder):
    """The date, title, passages, links of each document of a corpus."""
    db = sqlite3.connect(f"file:{folder / '.asof' / 'corpus.db'}?mode=ro", uri=True)
    for number, name in db.execute("SELECT id, name FROM documents ORDER BY name").fetchall():
        top = f"reading/{key}/{name}"
        versions = db.execute(
            "SELECT v.id, v.published, v.starts, v.ends, v.dated_by, v.visible, v.layout, h.title, h.language, "
            "h.tags, h.meta, h.about, h.keywords, h.fiscal_start FROM versions v LEFT JOIN heads h ON h.id = "
            "v.head WHERE v.document = ? ORDER BY v.id", (number,),
        ).fetchall()  # fmt: skip
        record.line(f"{top}/dates", [row[1:6] for row in versions])
        record.line(f"{top}/boundaries", [cell(row[6]) for row in versions])
        record.line(f"{top}/head", [row[7:] for row in versions])
        record.line(f"{top}/passages", db.execute(
            "SELECT number, visible, dated, headings, about, text FROM passages WHERE document = ? "
            "ORDER BY id", (number,),
        ).fetchall())  # fmt: skip
        links = [
            db.execute("SELECT * FROM links WHERE version = ? ORDER BY place", (row[0],)).fetchall()
            for row in versions
        ]
        record.line(f"{top}/links", [[row[1:] for row in each] for each in links])
    db.close()


def read_only(record, name, data, work):
    folder = work / f"reading-{name}"
    folder.mkdir()
    source = folder / "files"
    if name == "formats":
        source.mkdir()
        for at, (file, raw) in enumerate(sorted(files_of_all_formats().items())):
            path = source / file
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(raw.encode() if isinstance(raw, str) else raw)
            os.utime(path, (1_600_000_000 + at * 86_400 * 3,) * 2)
    else:
        copy_files(data / "vaults" / {"help": "obsidian-help-en"}.get(name, name) / "vault", source, {})
    CLOCK.set(FIRST_RUN)
    with open_corpus(folder) as corpus:
        report = corpus.add(source)
    record.line(f"reading/{name}.report", report_of(report))
    reading(record, name, folder)
    rows(record, f"rows/reading-{name}", folder)


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CORE = (
    '<c:coreProperties xmlns:c="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>Log of the ferry</dc:title>'
    "<dc:creator>Ida Mole</dc:creator><dcterms:created>2019-05-01T08:00:00Z</dcterms:created>"
    "<dcterms:modified>2020-03-05T10:00:00Z</dcterms:modified></c:coreProperties>"
)
PROSE = [
    f"On {n} May {2000 + n} the ferry carried {n * 17} people, and the fare was {n} euros."
    for n in range(1, 25)
]


def related(*lines):
    items = "".join(f'<Relationship Id="{i}" Type="{RELATIONS}/{k}" Target="{t}"/>' for i, k, t in lines)
    return f"<Relationships>{items}</Relationships>"


def docx():
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    heading = '<w:p><w:pPr><w:pStyle w:val="Heading{}"/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    body = heading.format(1, "Log") + "".join(
        f"<w:p><w:r><w:t>{each}</w:t></w:r></w:p>" for each in PROSE[:12]
    )
    body += heading.format(2, "Fares") + "<w:tbl>" + "".join(
        f"<w:tr><w:tc><w:p><w:r><w:t>{a}</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>{b}</w:t></w:r></w:p></w:tc>"
        "</w:tr>" for a, b in (("Year", "Fare"), ("2019", "4.50"), ("2020", "5.10"))
    ) + "</w:tbl><w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>"  # fmt: skip
    return zipped({
        "_rels/.rels": related(("r1", "officeDocument", "/word/document.xml"),
                               ("r2", "core-properties", "docProps/core.xml")),
        "word/document.xml": f"<w:document {w}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": related(("rs", "styles", "styles.xml")),
        "word/styles.xml": f'<w:styles {w}><w:style w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
                           '<w:style w:styleId="Heading2"><w:name w:val="heading 2"/></w:style></w:styles>',
        "docProps/core.xml": CORE.replace("2020-03-05", "2021-03-05"),
    })  # fmt: skip


def pptx():
    names = (
        'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        f'xmlns:r="{RELATIONS}"'
    )
    shape = (
        '<p:sp><p:nvSpPr><p:cNvPr id="{0}" name="s"/><p:nvPr><p:ph type="{1}"/></p:nvPr></p:nvSpPr>'
        "<p:txBody><a:p><a:r><a:t>{2}</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    members = {
        "_rels/.rels": related(("r1", "officeDocument", "ppt/presentation.xml"),
                               ("r2", "metadata/core-properties", "docProps/core.xml")),
        "ppt/presentation.xml": f"<p:presentation {names}><p:sldIdLst>"
        + "".join(f'<p:sldId id="{255 + n}" r:id="s{n}"/>' for n in (1, 2, 3)) + "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": related(*((f"s{n}", "slide", f"slides/slide{n}.xml") for n in (1, 2, 3))),
        "docProps/core.xml": CORE,
    }  # fmt: skip
    for n in (1, 2, 3):
        shapes = shape.format(2, "title", f"Part {n}") + shape.format(
            3, "body", " ".join(PROSE[n * 4 : n * 4 + 3])
        )
        members[f"ppt/slides/slide{n}.xml"] = (
            f"<p:sld {names}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
    return zipped(members)


def odf(kind):
    names = (
        " ".join(
            f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
            for name in ("office", "text", "table", "draw", "presentation", "style", "meta", "xlink")
        )
        + ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
    )
    text = "".join(f"<text:p>{each}</text:p>" for each in PROSE[:10])
    body = {
        "text": f'<text:h text:outline-level="1">Log</text:h>{text}',
        "presentation": f'<draw:page draw:name="One"><draw:frame><draw:text-box>{text}</draw:text-box></draw:frame>'
                        "</draw:page>",
        "spreadsheet": '<table:table table:name="Fares">' + "".join(
            "<table:table-row>" + "".join(
                f'<table:table-cell office:value-type="string"><text:p>{each}</text:p></table:table-cell>'
                for each in row) + "</table:table-row>"
            for row in (("Year", "Fare"), ("2019", "4.50"), ("2020", "5.10"))) + "</table:table>",
    }[kind]  # fmt: skip
    return zipped({
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "META-INF/manifest.xml": "<manifest></manifest>",
        "content.xml": f"<office:document-content {names}><office:body><office:{kind}>{body}</office:{kind}>"
                       "</office:body></office:document-content>",
        "meta.xml": f"<office:document-meta {names}><office:meta><dc:title>Log of the ferry</dc:title>"
                    "<dc:date>2020-02-03T10:00:00</dc:date></office:meta></office:document-meta>",
    })  # fmt: skip


def epub():
    chapters = {"one": PROSE[:8], "two": PROSE[8:16]}
    items = "".join(f'<item id="{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>' for n in chapters)
    spine = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    return zipped({
        "META-INF/container.xml":
            '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": '<package xmlns:dc="d"><metadata><dc:title>The Ferry</dc:title><dc:creator>Ida Mole'
                        "</dc:creator><dc:language>en-GB</dc:language><dc:date>2011-05-01</dc:date></metadata>"
                        f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
        **{f"OPS/{name}.xhtml": f"<html><head><title/></head><body><h1>Chapter {name}</h1>"
           + "".join(f"<p>{each}</p>" for each in texts) + "</body></html>" for name, texts in chapters.items()},
    })  # fmt: skip


def xlsx():
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    cells = [
        ("Year", "Fare", "Note"),
        ("2019", "4.50", "raised in May 2019"),
        ("2020", "5.10", "since March"),
    ]
    lines = "".join(
        f'<row r="{n}">' + "".join(
            f'<c r="{"ABC"[at]}{n}" t="inlineStr"><is><t>{each}</t></is></c>' for at, each in enumerate(row)
        ) + "</row>" for n, row in enumerate(cells, 1)
    )  # fmt: skip
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    return zipped({
        "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{RELATIONS}/officeDocument"'
                       ' Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{RELATIONS}"><sheets><sheet name="Fares" sheetId="1"'
                           ' r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" '
                                      f'Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
                                      "</Relationships>",
        "xl/styles.xml": f'<styleSheet xmlns="{main}"><cellXfs count="1"><xf numFmtId="0"/></cellXfs></styleSheet>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{lines}</sheetData></worksheet>',
        "docProps/core.xml": CORE,
    })  # fmt: skip


def pdf():
    pages = [PROSE[:10], PROSE[10:20]]
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"",
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]  # fmt: skip
    kids = []
    for lines in pages:
        shown = " T* ".join(f"({line}) Tj" for line in lines)
        stream = f"BT /F1 10 Tf 12 TL 50 780 Td {shown} ET".encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        kids.append(b"%d 0 R" % (len(objects) + 1))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    objects.append(b"<< /Title (A log) /CreationDate (D:20180304050607Z) >>")
    out, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF"
        % (len(objects) + 1, table, len(objects) + 1, len(objects), len(out))
    )


def mail(number, day, text):
    return (
        f"From: Ida Mole <ida@quay.org>\nTo: pier@quay.org\nSubject: Re: ferry {number}\nMessage-ID: <{number}@quay>\n"
        f"Date: {day} 10:00:00 +0100\n\n{text}\n\nOn Mon, 4 Mar 2024, Tom Rook wrote:\n> When?\n"
    )


def files_of_all_formats():
    """A file or two of every format, by name."""
    prose, lines = " ".join(PROSE), "\n\n".join(PROSE)
    days = ("Tue, 5 Mar 2024", "Wed, 6 Mar 2024")
    slack = [
        {"type": "message", "ts": f"{1_615_572_245 + n * 700}.000200", "user": "U1", "text": each}
        for n, each in enumerate(PROSE[:8])
    ]
    discord = {"guild": {"name": "Pier"}, "channel": {"name": "ferry"}, "messages": [
        {"type": "Default", "timestamp": f"2021-03-12T18:{n:02}:05.123+01:00", "content": each,
         "author": {"name": "ada#1", "nickname": "Ada"}} for n, each in enumerate(PROSE[:8])]}  # fmt: skip
    cells = [
        {"cell_type": "markdown", "source": ["# Ferries\n", "\n", *(f"{each}\n" for each in PROSE[:5])]},
        {
            "cell_type": "code",
            "source": ["print(3)"],
            "outputs": [{"output_type": "stream", "text": ["3\n"]}],
        },
    ]
    return {
        "front.md": f"---\npublished: 2021-03\nupdated: 2022-04-05\nabout: 2020\ntags: [a, b]\naliases: [Fr]\n"
                    f"owner: Ida\n---\n# Front\n\n{prose}\n\n## Links\n\n[[plain]] and [md](2022-05-06 named.md) #tag\n",
        "2022-05-06 named.md": f"# Named\n\n{lines}\n\n```python\nprint('x')\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "dated first line.md": f"# Minutes\n\nDate: 4 July 2019\n\n{prose}\n",
        "plain.txt": f"Minutes of 3 March 2018\n\n{lines}\n",
        "deutsch.md": "# Der Hafen\n\nAm 3. März 2021 wurde die Fähre teurer. Seit letztem Frühling kostet sie 5 €.\n",
        "whatsapp.txt": "[12.03.21, 18:04:05] Ada: The crane: it is\nbroken.\n[12.03.21, 18:14:04] Bo: Since when?\n"
                        "[12.03.21, 18:24:04] Ada: Monday.\n[13.03.21, 00:01:00] Bo: Repaired.\n",
        "page.rst": f"Ferry\n=====\n\n:date: 2017-08-09\n\n{lines}\n\nFares\n-----\n\nSee `pier <plain.txt>`_.\n",
        "page.html": '<html lang="en"><head><title>Ferry</title><meta property="article:published_time" '
                     f'content="2016-05-04"></head><body><nav>menu</nav><h1>Ferry</h1><p>{"</p><p>".join(PROSE)}</p>'
                     '<ul><li>one<li>two</ul><a href="plain.txt">plain</a></body></html>',
        "page.org": f"#+TITLE: Ferry\n#+DATE: <2015-04-03 Fri>\n\n* Log :boat:\n\n{lines}\n\n** TODO Fares\n[[file:plain.txt][x]]\n",
        "page.adoc": f"= Ferry\nIda Mole\n2014-03-02\n\n{lines}\n\n== Fares\n\nxref:plain.txt[x]\n",
        "module.py": '"""The ferry.\n\nIt runs since 2012.\n"""\n\n\ndef fare(year: int) -> float:\n    """The fare of '
                     'a year, as of 2020."""\n    return 4.5\n',
        "log.docx": docx(), "log.pptx": pptx(), "log.odt": odf("text"), "log.odp": odf("presentation"),
        "log.ods": odf("spreadsheet"), "log.epub": epub(), "log.xlsx": xlsx(), "log.pdf": pdf(),
        "log.rtf": "{\\rtf1\\ansi{\\info{\\title Log}{\\creatim\\yr2013\\mo2\\dy1}}\\b Log\\b0\\par "
                   + "\\par ".join(PROSE) + "}",
        "log.eml": mail(1, days[0], lines),
        "log.mbox": "".join(f"From a@x Mon Mar  1 10:0{n}:00 2021\n{mail(n, days[n % 2], PROSE[n])}\n" for n in range(6)),
        "log.ipynb": json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}),
        "2021-03-12.json": json.dumps(slack),
        "discord.json": json.dumps(discord),
        "data.json": '{"no": "chat"}',
        "latin.txt": "Der Hafen von Süderbø, 4 July 2019, öffnet früh.\n".encode("latin-1"),
        "utf16.txt": f"Log of 2011-12-13\n\n{prose}".encode("utf-16"),
        "empty.md": "",
        "broken.docx": b"PK\x03\x04 nothing",
        "more.jsonl": "".join(json.dumps({"id": str(n), "text": each, "published": f"20{10 + n}-05"}) + "\n"
                              for n, each in enumerate(PROSE)),
    }  # fmt: skip


# -- tasks -------------------------------------------------------------------------------------------


def perform(task, data, work, record, parts):
    if task == "times":
        times(record, data)
        return
    if task.startswith("read-"):
        read_only(record, task.removeprefix("read-"), data, work)
        return
    plan = next(each for each in PLANS if each.name == task)
    folder = work / plan.name
    record.line(f"rows/{plan.name}/reports", build(data, plan, folder))
    questions = questions_of(data, plan)
    if "rows" in parts:
        rows(record, f"rows/{plan.name}", folder)
    if "reading" in parts and plan.kind in ("example", "git"):
        reading(record, plan.name, folder)
    if "search" in parts:
        search(record, plan, folder, questions)
    if "answers" in parts:
        answers(record, plan, folder, questions)


def tasks_of(parts, corpora):
    made = [plan.name for plan in PLANS] if {"rows", "search", "answers", "reading"} & set(parts) else []
    tasks = [*made, *(["times"] if "times" in parts else ())]
    tasks += [f"read-{name}" for name in READ_ONLY] if "reading" in parts else []
    return [task for task in tasks if not corpora or task in corpora]


def child(given):
    work = Path(given.work).resolve()
    os.chdir(work)
    record = Record(given.out, given.full, given.cut, work)
    try:
        perform(given.task, Path(given.data), work, record, given.only.split(","))
    except Exception:
        traceback.print_exc()
        return 1
    finally:
        record.close()
        usage = os.times()
        spent = usage.user + usage.system + usage.children_user + usage.children_system
        print(f"{given.task:20} {spent:6.1f} s", file=sys.stderr)
    return 0


def parent(given):
    parts = given.only.split(",")
    corpora = set(given.corpora.split(",")) if given.corpora else set()
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        work = Path(folder)
        full = "" if given.texts else given.full

        def start(task):
            (work / task).mkdir()
            (work / f"{task}-home").mkdir()
            keep = {
                key: os.environ[key] for key in ("PATH", "PYTHONPATH", "PYTHONHASHSEED") if key in os.environ
            }
            environment = {
                **keep, "HOME": str(work / f"{task}-home"), "TZ": "UTC", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
                "COLUMNS": "100", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
                "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
            }  # fmt: skip
            arguments = [sys.executable, str(Path(__file__).resolve()), "--task", task, "--only", given.only]
            arguments += ["--data", str(Path(given.data).resolve()), "--work", str(work / task)]
            arguments += ["--out", str(work / f"{task}.tsv"), "--cut", str(given.cut)]
            arguments += [] if full is None else ["--full", full]
            return subprocess.run(arguments, env=environment, check=False).returncode  # noqa: S603

        tasks = tasks_of(parts, corpora)
        with ThreadPoolExecutor(given.jobs) as pool:
            codes = list(pool.map(start, tasks))
        lines = sorted(
            line
            for task in tasks
            for line in (work / f"{task}.tsv").read_text(encoding="utf-8").split("\n")
            if line and (line.split("/", 1)[0] in parts)
        )
        if full is not None:
            written = gzip.open(given.texts, "wt", encoding="utf-8") if given.texts else sys.stdout
            for task in tasks:
                with gzip.open(work / f"{task}.tsv.full.gz", "rt", encoding="utf-8") as texts:
                    shutil.copyfileobj(texts, written)
            if given.texts:
                written.close()
        if given.into:
            Path(given.into).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        elif full is None:
            sys.stdout.write("".join(f"{line}\n" for line in lines))
    for task, code in zip(tasks, codes, strict=True):
        if code:
            print(f"{task} failed: its lines are missing or incomplete", file=sys.stderr)
    return 1 if any(codes) else 0


def compare(first, second, shown):
    before, after = (
        dict(line.rsplit("\t", 1) for line in Path(name).read_text(encoding="utf-8").split("\n") if line)
        for name in (first, second)
    )
    counts, keys = defaultdict(Counter), defaultdict(list)
    groups = [{"/".join(key.split("/")[:2]) for key in record} for record in (before, after)]
    if left := sorted(groups[0] - groups[1]):  # a record of some parts and corpora
        print(f"not in {second} at all, and not counted: {', '.join(left)}\n")
        before = {key: value for key, value in before.items() if "/".join(key.split("/")[:2]) in groups[1]}
    for key in sorted({*before, *after}):
        old, new = before.get(key), after.get(key)
        kind = "new" if old is None else "missing" if new is None else "equal" if old == new else "differing"
        counts[key.split("/", 1)[0]][kind] += 1
        if kind != "equal":
            keys[kind].append(key)
    kinds = ("equal", "differing", "missing", "new")
    print(f"{'':10}" + "".join(f"{kind:>11}" for kind in kinds))
    for part, count in sorted(counts.items()):
        print(f"{part:10}" + "".join(f"{count[kind]:>11,}" for kind in kinds))
    for kind, found in keys.items():
        print(f"\n{kind}, {len(found):,}; the first, and how many by beginning:")
        for key in found[:shown]:
            print(f"  {key}")
        groups = Counter("/".join(key.split("/")[:3]) for key in found)
        for group, count in groups.most_common(shown):
            print(f"  {count:8,}  {group}/...")
    return 1 if keys else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="the folder of datasets")
    parser.add_argument("--into", help="where the record goes (default: the standard output)")
    parser.add_argument("--full", metavar="PREFIX", help="print the texts of keys that begin so")
    parser.add_argument("--texts", metavar="FILE.gz", help="write all texts, too")
    parser.add_argument("--cut", type=int, default=0, metavar="N", help="at most N characters of a text")
    parser.add_argument("--only", default=",".join(PARTS), metavar="PART,...")
    parser.add_argument(
        "--corpora", default="", metavar="NAME,...", help=f"of {', '.join(p.name for p in PLANS)}"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"))
    parser.add_argument("--shown", type=int, default=12, help="how many keys --compare prints of a kind")
    for name in ("--task", "--work", "--out"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.compare:
        return compare(*given.compare, given.shown)
    if not given.data:
        parser.error("--data is missing")
    return child(given) if given.task else parent(given)


if __name__ == "__main__":
    sys.exit(main())
