"""A corpus of shards on a Ray cluster, by Ray Serve: replicas of each shard score, fronts answer over HTTP.

A front is the HTTP application of `asof serve` with the files of all shards. It asks a replica of each shard
for its candidates, and scores a shard itself whose replica is dead, is slow, or has another state open than
it has: so what runs where, and what was pulled when, changes no result. How many replicas there are, their
resources, health checks, autoscaling and upgrades are Serve's own settings, in its config file.
"""

from __future__ import annotations

import signal
import sqlite3
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import click
import msgspec
from msgspec import Struct

from asof import environment
from asof.corpus.corpus import Corpus
from asof.errors import BeforeHorizon, CorpusError, UsageError, missing_extra
from asof.extensions.cluster.gather import Ask, ShardCandidates, Threads, candidates
from asof.extensions.cluster.shards import ShardList, newer, open_folder, renew
from asof.extensions.cluster.storage import Storage
from asof.extensions.cluster.transfer import local_copy, repeat
from asof.extensions.server.app import LIMITS, Address, guarded, serve_options
from asof.extensions.server.guard import Guard, Keys
from asof.index.segment import Window
from asof.index.view import View
from asof.rank.gather import admitted
from asof.version import __version__
from asof.wire import replace

try:
    import ray
    from ray import serve
    from ray.exceptions import RayError, RayTaskError
    from ray.serve.context import _get_global_client
    from ray.serve.exceptions import RayServeException
except ModuleNotFoundError as missing:
    raise missing_extra("a server on Ray", "cluster", "ray[serve]") from missing


def brought(index: str, only: int | None = None) -> Path:
    """The folder of a corpus: that of a URL is brought to this machine, with all shards or `only` one."""
    return local_copy(index, only=only) if "://" in index else Path(index)


def state_of(shard: sqlite3.Connection) -> str:
    """What the results of a shard depend on, as a transaction sees it: the version of asof, the last
    transaction, and the files of segments, whose names are never used again."""
    head = shard.execute("SELECT max(id) FROM transactions").fetchone()[0]
    files = shard.execute("SELECT file FROM segments ORDER BY first, ends_first")
    return " ".join((__version__, str(head), *(file for (file,) in files)))


# -- replicas of a shard --------------------------------------------------------------------------------


class ShardReplica:
    """A shard in a process of its own. It has the newest state open, and the one before, for fronts that have
    not got the newest one yet."""

    def __init__(self, index: str, place: int) -> None:
        self.index, self.place = index, place
        self.states = [open_folder(brought(index, place), only=place)]
        repeat(self.look)

    def look(self) -> None:
        """Bring and open a newer state, if there is one."""
        brought(self.index, self.place)
        if (opened := newer(self.states[0])) is not None:
            self.states = [opened, self.states[0]]

    def candidates(self, state: str, ask: Ask) -> ShardCandidates | None:
        """Those of a state of the shard, scored with the statistics of all shards; None if it is not open."""
        for corpus in self.states:
            try:
                found = corpus.session.use(ask.as_of, ask.known_at, partial(_candidates, state, ask))
            except BeforeHorizon:  # the front, which has asked itself first, has this history
                continue
            if found is not None:
                return found
        return None

    def check_health(self) -> None:
        """Raises what a corpus raises that cannot be read: Serve then starts another replica."""
        self.states[0].session.last_write()


def _candidates(state: str, ask: Ask, view: View) -> ShardCandidates | None:
    (shard,) = cast(Any, view.store.db).shards
    if state_of(shard) != state:
        return None
    whole = replace(view.prefix, n=ask.n, tokens=ask.tokens, _dfs=dict(ask.dfs), memo={})
    of_all = replace(view, prefix=whole, memo={})
    window = of_all.window(ask.query.filters)
    return candidates(ask, of_all, window, admitted(ask.query, window, of_all))


# -- fronts ---------------------------------------------------------------------------------------------

WAIT = 2.0
"""Seconds after which a front scores a shard itself whose replica has not answered."""


@dataclass(frozen=True)
class Replicas:
    """The replicas of all shards, by their handles; `here`: the threads that score in these `folders` what
    no replica does. `late`: by the place of a shard that did not answer in time, what it was asked then.
    Until that is answered it is not waited for again."""

    least: ClassVar[int] = 0  # so that the front, which is one, has less to do
    handles: Sequence[Any]
    late: dict[int, Any]
    folders: Sequence[Path]
    here: Threads

    def candidates(self, ask: Ask, view: View, window: Window) -> Iterable[ShardCandidates]:
        """Those of each shard."""
        until = time.monotonic() + WAIT
        asked = [
            None if self._is_late(place) else self.handles[place].candidates.remote(state_of(shard), ask)
            for place, shard in enumerate(cast(Any, view.store.db).shards)
        ]
        replies = [self._reply(place, response, until) for place, response in enumerate(asked)]
        rest = {folder for folder, reply in zip(self.folders, replies, strict=True) if reply is None}
        found = [each for each in replies if each is not None]
        return [*found, *self.here.candidates(ask, view, window, rest)] if rest else found

    def _is_late(self, place: int) -> bool:
        """True until a shard that was late has answered."""
        if (asked := self.late.get(place)) is not None and not _is_answered(asked):
            return True
        self.late.pop(place, None)
        return False

    def _reply(self, place: int, response: Any, until: float) -> ShardCandidates | None:
        """The answer to a request; None if there is none in time, or the replica has another state."""
        if response is None:
            return None
        try:
            reply: ShardCandidates | None = response.result(timeout_s=max(0.0, until - time.monotonic()))
        except RayTaskError:  # a fault of the replica is one here, too
            raise
        except TimeoutError:
            self.late[place] = response
        except (RayError, RayServeException):  # it died, or has no room
            pass
        else:
            return reply
        return None


def _is_answered(response: Any) -> bool:
    try:
        response.result(timeout_s=0.0)
    except TimeoutError as error:
        return isinstance(error, RayTaskError)
    except (RayError, RayServeException):
        pass
    return True


class ServedCorpus(Struct, frozen=True, forbid_unknown_fields=True):
    """What is served, and to whom: the options of `asof serve`; `args` in a config file of Serve. `index`: a
    URL, or a folder of shards that all machines see. `host` and `port`: where Serve listens."""

    index: str
    host: str = "0.0.0.0"  # noqa: S104  so that keys are needed
    port: int = 8000
    names: tuple[str, ...] = ()
    need_key: bool = False
    quiet: bool = False


class FrontReplica:
    """The HTTP application, in a process of Serve."""

    def __init__(self, served: ServedCorpus, handles: Sequence[Any]) -> None:
        self.index = served.index
        self.corpus: Corpus = open_folder(brought(self.index), asking=partial(Replicas, handles, {}))
        told = msgspec.structs.asdict(served) | {"keys": str(environment.key_file()[0]), "write": False}
        self.guard = guarded(self.corpus, told)
        repeat(self.look)

    def look(self) -> None:
        """Bring a newer state, if there is one, and answer from it."""
        brought(self.index)
        renew(self.corpus)

    def __serve_build_asgi_app__(self) -> Guard:
        return self.guard

    def check_health(self) -> None:
        """Raises what a corpus raises that cannot be read: Serve then starts another front."""
        self.corpus.session.last_write()


# -- the application ------------------------------------------------------------------------------------

NAME = "asof"
"""The application in Serve."""


def application(args: dict[str, Any]) -> Any:
    """The application of Serve: `import_path` in its config file, with `args` as in `ServedCorpus`.

    Its deployments are `front` and one for each shard, `shard-0` and so on. Raises UsageError, NoCorpus,
    StorageError.
    """
    try:
        served = msgspec.convert(args, ServedCorpus)
    except msgspec.ValidationError as error:
        raise UsageError(f"args of the application: {error}") from error
    handles = [
        serve.deployment(ShardReplica, name=f"shard-{place}").bind(served.index, place)
        for place in range(shards_of(served.index))
    ]
    front = serve.deployment(serve.ingress()(FrontReplica), name="front", max_ongoing_requests=LIMITS.waiting)
    return front.bind(served, handles)


def shards_of(index: str) -> int:
    """How many shards a corpus has."""
    if "://" in index:
        return Storage(index).state(0)[0].shards
    return ShardList.read(Path(index)).shards


def serve_on_ray(address: str, **options: Any) -> None:
    """Serve a corpus on the Ray cluster at an address until SIGINT or SIGTERM; `options`: the fields of
    `ServedCorpus`. Raises UsageError, CorpusError, and what `application` raises."""
    at, keys = Address(options["host"], options["port"]), Keys(*environment.key_file())
    serve_options(at, keys, write=False, names=options["names"], need_key=options["need_key"])
    served = application(options)
    _connect(address, shards_of(options["index"]) + 1)
    _start_serve(at)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        serve.run(served, name=NAME)
        click.echo(f"{at.url}  (Ctrl-C ends it)")
        stop.wait()
    except RuntimeError as error:
        raise CorpusError(f"Serve could not start it; see its log: {error}") from error
    finally:
        serve.delete(NAME)


def _connect(address: str, wanted: int) -> None:
    """Join a cluster that has so many CPUs; a local one is started with them."""
    try:
        ray.init(address, num_cpus=wanted if address == "local" else None)
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(
            f"--ray {address}: no Ray cluster can be reached ({error}): `ray start --head` starts one here"
        ) from error
    if (cpus := ray.cluster_resources().get("CPU", 0)) < wanted:
        raise UsageError(
            f"--ray {address}: the cluster has {cpus:g} CPUs, and {wanted} are wanted, for a front and each "
            "shard: add machines, or deploy a config file of Serve with other `ray_actor_options`"
        )


def _start_serve(at: Address) -> None:
    """Start Serve there, unless it runs there. Raises UsageError, CorpusError."""
    try:
        serve.start(http_options={"host": at.host, "port": at.port})
    except (RuntimeError, RayError) as error:  # also where a machine is too busy to answer in time
        raise CorpusError(f"Serve could not start, see its log: {str(error).splitlines()[0]}") from error
    there = _get_global_client().http_config
    if (there.host, there.port) != (at.host, at.port):
        raise UsageError(
            f"Serve listens at {there.host}:{there.port} on this cluster already: name that by --host and "
            "--port, or end it by `serve shutdown`"
        )
