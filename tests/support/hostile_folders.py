"""Folders that want something sent, read or written elsewhere: a seeded generator, and its server."""

from __future__ import annotations

import json
import os
import random
import socketserver
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

SECRET = "hunter2-Tell-Nobody"  # noqa: S105  it is one for the tests
VARIABLES = ("HARBOUR_SECRET", "AWS_SECRET_ACCESS_KEY", "HOME", "PATH", SECRET, "harbour_secret", "")
HUB = "sentence-transformers/all-MiniLM-L6-v2"
EVERY = {
    "encoder": ("url", "model", "key_variable", "revision", "insecure", "query_prefix", "batch"),
    "rerank": ("url", "path", "hub", "model", "key_variable", "top", "insecure"),
    "model": ("url", "model", "key_variable", "prices", "temperature", "insecure", "attempts"),
    "arxiv": ("url", "pdf_url", "delay", "per_day"),
}
ODD = (
    "1", "true", "[]", "{}", "2020-05-27", "nan", "-0", '["{url}"]', '{{url = "{url}"}}', '""',
    "'''\n{url}'''", '"\\u0000"', '"{url}\\u202e"', "[[[]]]", "9" * 30,
)  # fmt: skip


class Attacker:
    """A server that answers every request and remembers it; a connection alone is remembered, too."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []
        there = self

        class Handler(socketserver.StreamRequestHandler):
            timeout = 2

            def handle(self) -> None:
                there.seen.append(b"connected")
                there.seen.append(self.request.recv(65_536))
                path = there.seen[-1].split(b" ")[1:2]
                body = b'<feed xmlns="http://www.w3.org/2005/Atom"></feed>'
                status = b"307 Moved" if path and b"moved" in path[0] else b"200 OK"
                self.wfile.write(
                    b"HTTP/1.1 %s\r\nLocation: /again\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                    % (status, len(body), body)
                )

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@dataclass
class Case:
    """A folder with notes and a hostile asof.toml. `odd`: how often a value is one that no table accepts.
    `what`: in words, for a failure."""

    folder: Path
    outside: Path
    port: int
    rng: random.Random
    odd: float = 0.0
    what: list[str] = field(default_factory=list)

    def address(self, *, plain: bool = False) -> str:
        host = self.rng.choice(["http://127.0.0.1:{0}", "http://localhost:{0}"] if plain else [
            "http://127.0.0.1:{0}", "http://localhost:{0}", "HTTP://LocalHost:{0}", "http://127.1:{0}",
            "http://me:{1}@127.0.0.1:{0}", "http://good.example\\\\@127.0.0.1:{0}", "http://2130706433:{0}",
            "http://127.0.0.1:{0}#@good.example", "//127.0.0.1:{0}", "https://127.0.0.1:{0}",
            "http://127.0.0.1:{0}?x=", "http://[::ffff:127.0.0.1]:{0}", "file:///etc/passwd",
        ])  # fmt: skip
        path = self.rng.choice(["/v1", "/v1/embeddings", "/rerank", "/moved", "", "/v1/chat/completions"])
        return str(host.format(self.port, SECRET) + path)

    def value(self, table: str, key: str) -> str:
        """A value as TOML has it: mostly one that would work, sometimes an odd one."""
        rng = self.rng
        if rng.random() < self.odd:
            return str(rng.choice(ODD)).replace("{{", "{").replace("}}", "}").replace("{url}", self.address())
        places = [HUB, f"./{HUB}", "../outside/model", str(self.outside / "model"), "~/model", "/proc/self"]
        known = {
            "key_variable": rng.choice(VARIABLES if self.odd else VARIABLES[:4]),
            "path": rng.choice(places), "hub": HUB, "revision": "main",
            "model": rng.choice([*places, "m"]) if table == "encoder" else "m", "query_prefix": "secret: ",
        }  # fmt: skip
        numbers = {
            "insecure": "true", "top": "50", "temperature": "0", "attempts": "1", "delay": "0", "batch": "7",
            "prices": "{prompt = 0, reply = 0}", "per_day": "5",
        }  # fmt: skip
        if key in numbers:
            return numbers[key]
        if key.endswith("url"):  # those of arXiv are looked at before anybody is trusted
            return self.text(self.address(plain=table == "arxiv" and not self.odd))
        return self.text(known[key])

    def text(self, value: str) -> str:
        way = self.rng.randrange(4)
        if way == 0 and "'" not in value:
            return f"'{value}'"
        if way == 1:
            return '"' + "".join(f"\\u{ord(each):04x}" for each in value) + '"'
        return json.dumps(value) if way == 2 else f'"""{value}"""'.replace("\\", "\\\\")

    def keys(self, table: str) -> dict[str, str]:
        some = [key for key in EVERY[table] if self.rng.random() < 0.5]
        if table == "rerank":
            some = [key for key in some if key not in ("path", "hub", "url")] + [
                self.rng.choice(["path", "hub", "url", "url"])
            ]
        if table == "model" or (table == "encoder" and "url" in some):
            some = list(dict.fromkeys([*some, "url", "model"]))
        return {key: self.value(table, key) for key in some}

    def table(self, table: str) -> str:
        """One table, in one of the forms that TOML has."""
        keys, way = self.keys(table), self.rng.randrange(7 if self.odd else 5)
        self.what.append(f"{table} {way}")
        name = table
        if way == 1:
            name = json.dumps(table)
        elif way == 2:
            name = '"' + "".join(f"\\u{ord(each):04x}" for each in table) + '"'
        elif way == 3:
            return f"{table} = {{ {', '.join(f'{key} = {each}' for key, each in keys.items())} }}\n"
        elif way == 4:
            return "".join(f"{table} . '{key}' = {each}\n" for key, each in keys.items())
        elif way == 5 and self.rng.random() < 0.5:
            name = f"[{table}]"
        elif way == 6 and self.rng.random() < 0.5:
            name = self.rng.choice([table.capitalize(), f"{table}.sub", f"recipes.{table}", f"{table}\u0430"])
        return f"[{name}]\n" + "".join(f"{key} = {each}\n" for key, each in keys.items())

    def toml(self) -> bytes:
        rng = self.rng
        tables = rng.sample(sorted(EVERY), rng.randint(1, 3))
        parts = [self.table(table) for table in tables]
        parts += rng.sample(
            ["[search]\nrerank = true\n", '[facts]\nextractor = "model"\nahead = true\n',
             '[ask]\ntokens = 24000\nbudget = 1000\n', "[search]\nk = 3\n", '[index]\nencoder = "hashed"\n'],
            rng.randint(0, 3),
        )  # fmt: skip
        # what stands outside of tables has to come first
        text = "".join(sorted(parts, key=lambda part: part.startswith("[")))
        spoiled = rng.random() if self.odd else 1.0
        if spoiled < 0.03:
            return b"\xef\xbb\xbf" + text.encode()
        if spoiled < 0.06:
            return text.encode() + b"\xff\x00"
        if spoiled < 0.09:
            return text.encode() + b"#" * 2_000_000
        if spoiled < 0.12:
            return text.encode() + b"a" + b".a" * 100_000 + b" = 1\n"
        if spoiled < 0.15:
            return text.encode() + b"[search]\nx = " + b"[" * 20_000
        return text.replace("\n", "\r\n").encode() if spoiled < 0.2 else text.encode()

    def write(self) -> None:
        """The file, as one, or as something that leads elsewhere."""
        file, rng, content = self.folder / "asof.toml", self.rng, self.toml()
        kind = rng.random()
        self.what.append(f"kind {kind:.2f}")
        if kind < (0.8 if self.odd else 0.9):
            file.write_bytes(content)
        elif kind < 0.88 or not self.odd:
            (self.outside / "asof.toml").write_bytes(content)
            file.symlink_to(self.outside / "asof.toml")
        elif kind < 0.91:
            file.symlink_to(self.outside / "secret")
        elif kind < 0.93:
            file.symlink_to("/proc/self/environ")
        elif kind < 0.95:
            file.symlink_to("/dev/zero")
        elif kind < 0.97:
            os.mkfifo(file)
        else:
            file.mkdir()
        self.what.append(content[:600].decode("utf-8", "replace"))

    def models(self) -> None:
        """Saved models where the names lead, which no library may be given."""
        for folder in (self.folder / HUB, self.outside / "model"):
            folder.mkdir(parents=True)
            (folder / "config.json").write_text("{}")
            (folder / "modules.json").write_text('[{"type": "os.system", "path": ""}]')
            (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'touch unpickled'\ntR.")


def state(*roots: Path) -> dict[str, Any]:
    """All that lies outside of .asof, with what is in it and when it was changed."""
    found = {}
    for root in roots:
        for path in sorted(root.rglob("*")):
            if ".asof" in path.relative_to(root).parts:
                continue
            about = path.lstat()
            content: Any = (
                str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
            )
            found[str(path)] = (about.st_mode, about.st_mtime_ns if not path.is_dir() else 0, content)
    return found
