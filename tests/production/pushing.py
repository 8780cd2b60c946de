"""An edge that pushes: nginx with docs/edge/push.conf before a site, that may be killed and started again."""

import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

import pytest

from tests.processes import end, free_port, listens, spawn, wait_for
from tests.tools import find_nchan, find_nginx

needs_nchan = pytest.mark.skipif(
    not (find_nchan() and find_nginx()), reason="no nginx with nchan; python -m tests.tools brings both where apt does"
)

CONF = Path(__file__).parents[2] / "docs" / "edge" / "push.conf"

NGINX = """
load_module {nchan};
daemon off;
pid {folder}/pid;
worker_processes {processes};
worker_rlimit_nofile {files};
error_log stderr error;
events {{ worker_connections {files}; multi_accept on; }}
http {{
    access_log {folder}/asked.log;
    client_body_temp_path {folder}/1;
    proxy_temp_path {folder}/2;
    fastcgi_temp_path {folder}/3;
    uwsgi_temp_path {folder}/4;
    scgi_temp_path {folder}/5;
    server {{
        listen {port} reuseport;
        include {folder}/push.conf;
        location / {{
            proxy_pass http://127.0.0.1:{site};
            proxy_set_header Host $http_host;
        }}
    }}
}}
"""


@dataclass
class Edge:
    """An edge on loopback ports: `port` for visitors, `publisher` for the site."""

    folder: Path
    port: int = field(default_factory=free_port)
    publisher: int = field(default_factory=free_port)
    site: int = 0
    process: Popen[bytes] | None = None

    @property
    def push_url(self) -> str:
        """What the site has as PUSH_URL."""
        return f"http://127.0.0.1:{self.publisher}/publish/"

    @property
    def log(self) -> Path:
        """Where it writes what goes wrong."""
        return self.folder / "log"

    def write(self, *, pushes: bool = True, processes: int = 1, files: int = 1_000) -> None:
        """Write down what it serves: the site, and what pushes before it, or nothing of that."""
        said = CONF.read_text("utf-8")
        assert "8089" in said
        said = said.replace("8089", str(self.publisher)) if pushes else f"listen 127.0.0.1:{self.publisher};"
        (self.folder / "push.conf").write_text(said, "utf-8")
        values = {"folder": self.folder, "port": self.port, "site": self.site, "processes": processes, "files": files}
        (self.folder / "nginx.conf").write_text(NGINX.format(nchan=find_nchan(), **values), "utf-8")

    def start(self) -> None:
        """Start it, and wait until it listens."""
        command = [find_nginx(), "-e", "stderr", "-c", self.folder / "nginx.conf"]
        self.process = spawn(command, self.log, signal.SIGTERM)
        both = self.port, self.publisher
        wait_for(self.process, lambda: all(map(listens, both)), self.log)

    def stop(self) -> None:
        """End it: nobody listens any more, and every connection is gone."""
        assert self.process
        end(self.process, signal.SIGTERM)


@contextmanager
def edge_before(site: int, *, processes: int = 1, files: int = 1_000) -> Iterator[Edge]:
    """Give an edge before the site on this port, with so many processes and connections for each."""
    # Its processes are somebody else's, who may look into no folder of this one's.
    folder = Path(tempfile.mkdtemp(prefix="tenbo-push-"))
    folder.chmod(0o755)
    edge = Edge(folder, site=site)
    edge.write(processes=processes, files=files)
    edge.start()
    try:
        yield edge
    finally:
        edge.stop()
        shutil.rmtree(folder, ignore_errors=True)
