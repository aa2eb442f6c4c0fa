"""A corpus that Ray Serve serves answers as one corpus: whatever is killed, late, or of another state."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode
from urllib.request import urlopen

import msgspec
import pytest
import yaml
from ray import serve
from ray.serve.schema import ServeDeploySchema
from tests.support.local_server import free_port

import asof
from asof.cli.main import cli, run
from asof.errors import UsageError
from asof.extensions.cluster import serving
from asof.extensions.cluster.gather import Threads
from asof.extensions.cluster.serving import FrontReplica, Replicas, ServedCorpus, ShardReplica, application
from asof.extensions.cluster.shards import IN_USE, ShardedCorpus, create, open_folder, renew
from asof.extensions.cluster.storage import Storage
from asof.extensions.cluster.transfer import local_copy, pull, push
from asof.files import try_lock
from asof.wire import encode

pytestmark = pytest.mark.filterwarnings("ignore")

WORDS = ("ferry", "mill", "fare", "bridge", "toll", "crane", "berth", "storm", "bread", "quay")
SHARDS, DOCUMENTS = 2, 400

QUESTIONS = [f"{one} {other}" for one in WORDS[:5] for other in WORDS[5:]] + [
    "ferry in 2015", "-mill fare", '"toll bridge"', "berth after:2012", "harbour",
]  # fmt: skip

NEW = {"id": "new", "published": "2024-01-01", "text": "Ferry mill, ferry mill."}


def texts(first: int, last: int) -> list[dict[str, Any]]:
    """Documents of few words, so that most match a question and many tie."""
    draw = random.Random(first)
    return [
        {
            "id": f"note-{at}", "published": f"20{10 + at % 14}-0{1 + at % 9}-11",
            "text": " ".join(draw.choices(WORDS, k=draw.choice((4, 4, 9)))) + ".",
        }
        for at in range(first, last)
    ]  # fmt: skip


def shown(corpus: asof.Corpus, question: str, as_of: str | None = None) -> object:
    """What a search shows: hits with their trees, and notes."""
    found = corpus.at(as_of).search(question)
    return [(hit.id, hit.score, repr(hit.why), hit.superseded) for hit in found], found.notes


def all_shown(corpus: asof.Corpus) -> list[object]:
    return [shown(corpus, question, as_of) for question in QUESTIONS for as_of in (None, "2016-06-01")]


class Written(NamedTuple):
    """The same documents in one corpus and in shards, which are published in `storage`."""

    one: asof.Corpus
    many: ShardedCorpus
    storage: Storage

    def add(self, *documents: dict[str, Any]) -> None:
        """Add documents to both, and publish them."""
        self.one.add(documents)
        self.many.add(documents)
        push(self.many.root, self.storage)


@contextlib.contextmanager
def written_in(folder: Path) -> Iterator[Written]:
    with asof.open(folder / "one") as one, create(folder / "many", SHARDS) as many:
        written = Written(one, many, Storage(f"file://{folder}/objects", make=True))
        written.add(*texts(0, DOCUMENTS))
        yield written


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Written]:
    monkeypatch.setattr(serving, "repeat", lambda _: None)  # here tests say when to look for a newer state
    with written_in(tmp_path) as written:
        yield written


# -- states: replicas and a front in this process -------------------------------------------------------


class DirectHandle:
    """A handle of a replica in this process. `answered`: how often it had the state asked for."""

    def __init__(self, replica: ShardReplica) -> None:
        self.replica, self.candidates, self.answered = replica, self, 0

    def remote(self, state: str, ask: Any) -> DirectHandle:
        self.reply = self.replica.candidates(state, ask)
        self.answered += self.reply is not None
        return self

    def result(self, timeout_s: float) -> Any:
        return self.reply


def replicas_of(index: str) -> list[DirectHandle]:
    return [DirectHandle(ShardReplica(index, place)) for place in range(SHARDS)]


def front_of(index: str, handles: list[DirectHandle]) -> FrontReplica:
    return FrontReplica(ServedCorpus(index, host="127.0.0.1", quiet=True), handles)


def test_a_replica_of_another_state_is_not_believed(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """State 1 has 400 documents, state 2 has 480; the replicas keep to state 1."""
    handles = replicas_of(written.storage.url)
    written.add(*texts(DOCUMENTS, DOCUMENTS + 80))
    front = front_of(written.storage.url, handles)
    expected = all_shown(written.one)
    assert all_shown(front.corpus) == expected
    assert [each.answered for each in handles] == [0, 0]
    monkeypatch.setattr(serving, "state_of", lambda _: "any")  # the planted fault
    assert all_shown(front.corpus) != expected
    assert all(each.answered for each in handles)


def test_a_replica_has_the_state_before_for_fronts_that_have_no_newer_one(written: Written) -> None:
    handles = replicas_of(written.storage.url)
    front = front_of(written.storage.url, handles)
    before = all_shown(written.one)
    written.add(*texts(DOCUMENTS, DOCUMENTS + 80))
    for each in handles:
        each.replica.look()
    assert all_shown(front.corpus) == before
    asked = len(before) - 2  # "harbour" is in no document, so no shard is asked, as of two dates
    assert [each.answered for each in handles] == [asked, asked]
    front.look()
    assert all_shown(front.corpus) == all_shown(written.one) != before
    assert [each.answered for each in handles] == [2 * asked, 2 * asked]


def test_a_folder_that_is_written_is_served_as_it_is(written: Written) -> None:
    handles = replicas_of(str(written.many.root))
    front = front_of(str(written.many.root), handles)
    for first in (DOCUMENTS, DOCUMENTS + 80):
        written.add(*texts(first, first + 80))
        assert all_shown(front.corpus) == all_shown(written.one)
    assert all(each.answered for each in handles)


def test_what_uses_a_state_keeps_it_and_closes_it_as_it_ends(written: Written) -> None:
    corpus = open_folder(local_copy(written.storage.url))
    first, before = corpus.store.folder, corpus.at()
    hits = [hit.id for hit in before.search("ferry mill")]
    written.add(NEW)
    local_copy(written.storage.url)
    renew(corpus)
    assert corpus.search("ferry mill")[0].document == "new"
    assert [hit.id for hit in before.search("ferry mill")] == hits
    with try_lock(first / IN_USE) as lock:
        assert lock is None
    del before
    with try_lock(first / IN_USE) as lock:
        assert lock is not None
    corpus.close()


def test_a_copy_of_one_shard_has_no_other(written: Written, tmp_path: Path) -> None:
    whole = pull(written.storage, tmp_path / "whole")
    parts = [pull(written.storage, tmp_path / f"part-{place}", place) for place in range(SHARDS)]
    assert sum(each.bytes for each in parts) == whole.bytes
    assert {each.name for each in (tmp_path / "part-1").glob("*/*")} == {"shard-1", IN_USE}
    assert not pull(written.storage, tmp_path / "part-1", 1).changed


# -- the command ----------------------------------------------------------------------------------------


def get(url: str) -> Any:
    """The JSON of a reply; waits for a server that is just starting."""
    end = time.monotonic() + 90.0
    while True:
        try:
            with urlopen(url, timeout=30.0) as reply:  # noqa: S310  this machine
                return json.loads(reply.read())
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


SOON = "from asof.extensions.cluster import transfer; transfer.EVERY = 0.5; from asof.cli import main; main()"


@contextlib.contextmanager
def command(*options: str) -> Iterator[str]:
    """The address of `asof serve`, a process that looks for a newer state twice a second."""
    port = free_port()
    words = [sys.executable, "-c", SOON, "serve", "--port", str(port), *options]
    with subprocess.Popen(words, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}) as process:
        try:
            yield f"http://127.0.0.1:{port}/api/v1/search?q=ferry+mill"
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
        finally:
            process.kill()


def test_a_server_of_a_url_follows_it(written: Written) -> None:
    with command("--index", written.storage.url) as url:
        assert get(url)["hits"][0]["document"] != "new"
        written.add(NEW)
        end = time.monotonic() + 30
        while get(url)["hits"][0]["document"] != "new":
            assert time.monotonic() < end


def test_a_server_on_ray(written: Written) -> None:
    with command("--index", str(written.many.root), "--ray", "local") as url:
        found = get(url)["hits"]
    there = written.one.search("ferry mill")
    assert [(each["id"], each["score"]) for each in found] == [(each.id, each.score) for each in there]


def test_what_cannot_be_served_is_refused(
    written: Written, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for options, said in (
        (["--write"], "go one at a time"), (["--workers", "2"], "go one at a time"),
        (["--index", str(written.many.root)], "ray start --head"), (["--need-key"], "asof key add"),
        (["--index", str(written.one.root)], "it has no shards.json"),
    ):  # fmt: skip
        monkeypatch.setattr(sys, "argv", ["asof", "serve", "--ray", "nowhere", *options])
        assert run(cli) == 2
        assert said in " ".join(capsys.readouterr().err.split())
    with pytest.raises(UsageError, match="unknown field `workers`"):
        application({"index": "/srv/notes", "workers": 3})


def test_a_server_without_ray_imports_nothing_of_the_cluster() -> None:
    code = "import sys, asof.extensions.server.cli, asof.extensions.server.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "asof.extensions.server.app" in loaded
    assert not [each for each in loaded.split() if each.startswith(("ray", "asof.extensions.cluster"))]


def test_the_example_for_kubernetes(written: Written) -> None:
    """Serve's part, by Serve's own schema and by the application that it names."""
    example = yaml.safe_load((Path(__file__).parents[1] / "docs/guides/kuberay.yaml").read_text())["spec"]
    (app,) = ServeDeploySchema.model_validate(yaml.safe_load(example["serveConfigV2"])).applications
    assert app.import_path == f"{application.__module__}:{application.__name__}"
    assert msgspec.convert(app.args, ServedCorpus).index == "s3://bucket/notes"
    built = application(app.args | {"index": written.storage.url})._bound_deployment
    shards = [each._bound_deployment.name for each in built.init_args[1]]
    assert [built.name, *shards] == [each.name for each in app.deployments]
    least = sum(each.autoscaling_config["min_replicas"] for each in app.deployments)
    (workers,) = example["rayClusterConfig"]["workerGroupSpecs"]
    (worker,) = workers["template"]["spec"]["containers"]
    # 2 fronts and 2 replicas of each of 2 shards want 6 CPUs; 2 workers of 4 have 8
    assert least == 6 <= workers["minReplicas"] * int(worker["resources"]["requests"]["cpu"]) == 8


# -- Serve ----------------------------------------------------------------------------------------------


class Served(NamedTuple):
    """A corpus that Serve serves, the corpus of a front in this process, the address."""

    written: Written
    corpus: asof.Corpus
    url: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, ray_cluster: str) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patch, written_in(folder) as written:
        patch.setenv("XDG_CACHE_HOME", str(folder / "caches"))
        serve.run(application({"index": written.storage.url, "host": "127.0.0.1"}), name=serving.NAME)
        handles = [serve.get_deployment_handle(f"shard-{place}", serving.NAME) for place in range(SHARDS)]
        with open_folder(local_copy(written.storage.url), asking=partial(Replicas, handles, {})) as corpus:
            yield Served(written, corpus, ray_cluster)
        serve.delete(serving.NAME)


def test_replicas_and_a_front_find_what_one_corpus_finds(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = all_shown(served.written.one)
    with monkeypatch.context() as patch:
        patch.delattr(Threads, "candidates")  # all shards are scored by their replicas
        assert all_shown(served.corpus) == expected
    for question in QUESTIONS:
        found = get(f"{served.url}/api/v1/search?{urlencode({'q': question, 'as_of': '2016', 'explain': 1})}")
        there = served.written.one.at("2016").search(question)
        assert found["hits"] == json.loads(json.dumps([encode(hit, "explain") for hit in there])), question


def replica_processes(of: str = "shard-") -> list[int]:
    """The processes of replicas of shards, by their titles."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if (each / "cmdline").read_bytes().startswith(f"ray::ServeReplica:asof:{of}".encode()):
                found.append(int(each.name))
    return found


def test_a_replica_that_is_late_is_waited_for_once(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    (process,) = replica_processes("shard-1")
    os.kill(process, signal.SIGSTOP)
    seconds = []
    for question in QUESTIONS[:5]:
        began = time.monotonic()
        assert shown(served.corpus, question) == shown(served.written.one, question)
        seconds.append(time.monotonic() - began)
    os.kill(process, signal.SIGCONT)
    assert seconds[0] > serving.WAIT > max(seconds[1:])
    time.sleep(1.0)
    monkeypatch.delattr(Threads, "candidates")
    assert shown(served.corpus, "ferry mill") == shown(served.written.one, "ferry mill")


@pytest.mark.parametrize(
    ("questions", "every", "pause"), [(60, 0.5, 0.0), pytest.param(500, 2.0, 0.2, marks=pytest.mark.slow)]
)
def test_no_answer_is_lost_or_wrong_while_replicas_are_killed(
    served: Served, questions: int, every: float, pause: float
) -> None:
    """One question after the other, with a pause, so that replicas come back meanwhile; a random one of a
    shard is killed `every` so many seconds."""
    wrong, seconds, killed, done = list[str](), list[float](), list[int](), threading.Event()
    expected = {question: shown(served.written.one, question) for question in QUESTIONS}

    def kill() -> None:
        while not done.wait(every):
            if alive := replica_processes():
                killed.append(random.choice(alive))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(killed[-1], signal.SIGKILL)

    killing = threading.Thread(target=kill)
    killing.start()
    for at in range(questions):
        question, began = QUESTIONS[at % len(QUESTIONS)], time.monotonic()
        try:
            if shown(served.corpus, question) != expected[question]:
                wrong.append(question)
        except Exception as error:  # noqa: BLE001  whatever it is, an answer is lost
            wrong.append(f"{question}: {error!r}")
        seconds.append(time.monotonic() - began)
        time.sleep(pause)
    done.set()
    killing.join()
    median, most = sorted(seconds)[questions // 2], max(seconds)
    sys.stdout.write(f"{len(killed)} killed; median {median:.3f} s, most {most:.3f} s\n")
    assert killed
    assert wrong == []
    assert most < serving.WAIT + 3.0


def test_what_is_published_is_served(served: Served) -> None:
    served.written.add(NEW)
    serve.get_deployment_handle("front", serving.NAME).look.remote().result()
    found = get(f"{served.url}/api/v1/search?q=ferry+mill")["hits"]
    there = served.written.one.search("ferry mill")
    assert found[0]["document"] == "new"
    assert [(each["id"], each["score"]) for each in found] == [(each.id, each.score) for each in there]
