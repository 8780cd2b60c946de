import atexit
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread

from tests.conftest import ROOT
from tests.processes import end, free_port, listens, spawn, wait_for
from tests.production.browsing import Answer
from tests.production.compose import replaced
from tests.tools import find_nginx

CONFIGURATION = ROOT / "docs/edge/nginx.conf"


def nginx_with_folder(mode: int) -> tuple[str, Path]:
    """Return nginx and a folder for it, as it runs as another user without access to those of the tests."""
    folder = Path(tempfile.mkdtemp(prefix="tenbo-nginx-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(mode)
    program = find_nginx()
    assert program, "No nginx; run: python -m tests.tools"
    return program, folder


@contextmanager
def started_edge(inside: int) -> Iterator[int]:
    """Start an HTTP edge cache in front of a port; yield its port. HTTPS ends before it."""
    (program, folder), port = nginx_with_folder(0o777), free_port()
    (folder / "cache").mkdir()
    (folder / "cache").chmod(0o777)
    given = {
        "listen 80 reuseport": f"listen 127.0.0.1:{port} reuseport",
        "site:8000": f"127.0.0.1:{inside}",
        "/run/": f"{folder}/",
        "/var/cache/tenbo-edge": f"{folder}/cache",
        "$said_scheme $scheme": "$said_scheme https",
    }
    (folder / "nginx.conf").write_text(replaced(CONFIGURATION.read_text("utf-8"), given), "utf-8")
    edge = spawn([program, "-c", folder / "nginx.conf"], folder / "log", signal.SIGTERM)
    try:
        wait_for(edge, partial(listens, port), folder / "log")
        yield port
    finally:
        end(edge, signal.SIGTERM)


@dataclass
class Origin:
    """A site whose responses the test sets. `asked`: headers of each request; `slow`: seconds of delay."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    asked: list[dict[str, str]] = field(default_factory=list)
    slow: float = 0.0
    lock: Lock = field(default_factory=Lock)

    def say(self, body: str, status: int = 200, **headers: str) -> None:
        self.status, self.body = status, body.encode()
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@contextmanager
def started_origin() -> Iterator[tuple[Origin, int]]:
    origin = Origin()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            with origin.lock:
                origin.asked.append({name.lower(): value for name, value in self.headers.items()})
                status, headers, body = origin.status, dict(origin.headers), origin.body
            time.sleep(origin.slow)
            known = self.headers.get("If-None-Match")
            if status == 200 and known and known == headers.get("ETag"):
                status, body = 304, b""
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 304:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_said: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_of: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield origin, int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


def cache(answer: Answer) -> str:
    return answer.headers.get("x-cache", "")
