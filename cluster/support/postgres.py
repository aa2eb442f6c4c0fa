"""A PostgreSQL server of the tests' own: Debian's programs in a temporary folder."""

from __future__ import annotations

import getpass
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cluster.support.processes import server

PASSWORD = "sesame-secret"  # noqa: S105  of a server that lives as long as the tests
USER = "asof"
_NUMBERS = itertools.count()


@dataclass
class Postgres:
    """A server that listens at a socket in its folder and wants a password."""

    folder: Path
    tools: Path
    user: str
    _running: ExitStack = field(default_factory=ExitStack)

    def dsn(self, database: str = "postgres") -> str:
        """Without the password, which is in the variable PGPASSWORD."""
        return f"postgresql://{USER}@/{database}?host={self.folder}"

    def connect(self, database: str = "postgres", **options: Any) -> Any:
        """A connection of psycopg."""
        import psycopg

        return psycopg.connect(self.dsn(database), password=PASSWORD, **options)

    def new_database(self) -> str:
        """An empty database. Its order of texts is not that of bytes, as that of most servers."""
        name = f"asof_{next(_NUMBERS)}"
        with self.connect(autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return name

    def drop(self, database: str) -> None:
        """Remove a database, whoever is connected."""
        with self.connect(autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")

    def disconnect(self, database: str) -> int:
        """End all connections to the database, as a server that restarts does; how many there were."""
        with self.connect(autocommit=True) as connection:
            rows = connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = %s AND pid <> pg_backend_pid()",
                (database,),
            ).fetchall()
        return len(rows)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._running.enter_context(
            server(
                [self.tools / "postgres", "-D", self.folder / "data", "-k", self.folder, "-h", "",
                 "-c", "fsync=off", "-c", "shared_buffers=32MB", "-c", "max_connections=60"],
                ready=self._answers, log=self.folder / "log", stop=signal.SIGQUIT, user=self.user,
            )
        )  # fmt: skip

    def stop(self) -> None:
        """Stop it at once, as a machine that goes: what was not committed is lost, and nothing else."""
        self._running.close()

    def _answers(self) -> bool:
        command = [self.tools / "pg_isready", "-q", "-h", self.folder, "-d", "postgres"]
        return subprocess.run(command, check=False).returncode == 0


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    """A running server; raises RuntimeError where Debian's package postgresql is not installed."""
    tools = programs()
    user = "postgres" if os.geteuid() == 0 else getpass.getuser()  # PostgreSQL refuses to run as root
    folder = Path(tempfile.mkdtemp(prefix="asof-pg-"))  # a short path: that of a socket has 107 bytes at most
    made = Postgres(folder, tools, user)
    try:
        (folder / "password").write_text(PASSWORD)
        (folder / "log").touch()
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, user)
        folder.chmod(0o755)
        subprocess.run(
            [tools / "initdb", "-D", "data", "-U", USER, "-A", "scram-sha-256", "--pwfile=password", "-N",
             "-E", "UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"],
            check=True, user=user, cwd=folder, capture_output=True,
        )  # fmt: skip
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder)


def programs() -> Path:
    """The folder of initdb, postgres and pg_isready: Debian's newest, or one on the path."""
    folders = [
        *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
        *map(Path, os.get_exec_path()),
    ]
    found = next((folder for folder in folders if (folder / "initdb").is_file()), None)
    if found is None:
        raise RuntimeError("no PostgreSQL is installed: apt-get install postgresql")
    return found
