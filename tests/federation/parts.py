"""The parts of a federation on this machine: each has its own process, and may be killed and begun again."""

import getpass
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psycopg

from tests.conftest import ROOT
from tests.deadlines import wait_until
from tests.postgresql import TEMPLATE, address, start_again, start_postgresql
from tests.processes import end, free_port, listens, server_account, spawn, tied
from tests.production.browsing import Visitor
from tests.production.compose import command, environment
from tests.production.edges import configured_edge
from tests.production.poolers import find_pgbouncer
from tests.production.pushing import CONF as PUSHES
from tests.production.stack import BEHIND_PROXY
from tests.production.standbys import Pair, kill_all, own_pair
from tests.services import start_redis
from tests.tools import find_nchan

LEAGUES_IN = ("east", "west")
"""The databases of leagues beside the home one."""


@dataclass
class Part:
    """Something that runs, how it is begun, and whether it does its work."""

    name: str
    begin: Callable[[], subprocess.Popen[bytes]]
    is_up: Callable[[], bool] = lambda: True
    stop: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin it, and wait until it does its work. Raises AssertionError."""
        self.process = self.begin()
        assert wait_until(self.is_up, 120), self.name

    def kill(self) -> None:
        """End it in the middle of whatever it does, with all its processes."""
        assert self.process is not None
        kill_all(self.process)

    def end(self) -> None:
        """End it in peace."""
        if self.process is not None:
            end(self.process, self.stop)


@dataclass
class Federation:
    """Everything that runs, in the order in which it was begun."""

    folder: Path
    pair: Pair
    edge_port: int
    ports: Mapping[str, int]
    environment: dict[str, str] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    is_promoted: bool = False

    def visitor(self) -> Visitor:
        """Return somebody who comes by the edge, as everybody does."""
        return Visitor(self.edge_port, BEHIND_PROXY)

    def manage(self, *words: str) -> None:
        """Run a command of manage.py. Raises AssertionError."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"

    def ask(self, database: str, question: str) -> list[tuple[object, ...]]:
        """Return the rows that a database answers, past the pooler; the home one may be the standby by now."""
        port = self.ports["leagues"] if database in LEAGUES_IN else self.pair.ports[0]
        if database not in LEAGUES_IN and self.is_promoted:
            port = self.pair.ports[1]
        name = database if database in LEAGUES_IN else TEMPLATE
        with psycopg.connect(address(port, name), autocommit=True) as connection:
            return connection.execute(question.encode()).fetchall()

    def wait_for_each_other(self) -> None:
        """Have nothing acknowledged any more that the standby does not have. Raises AssertionError."""
        self.pair.ask(0, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.pair.ask(0, "SELECT pg_reload_conf()")
        question = "SELECT sync_state FROM pg_stat_replication"
        assert wait_until(lambda: self.pair.ask(0, question) == "sync", 60)

    def promote(self) -> None:
        """Have the standby take over, and the pooler lead there."""
        self.pair.ask(1, "SELECT pg_promote()")
        self.is_promoted = True
        self._write_pools()
        pooler = self.parts["pooler"].process
        assert pooler is not None
        pooler.send_signal(signal.SIGHUP)

    def write_settings(self) -> None:
        """Write down what the processes of the site are told, and where the pooler leads."""
        pools = f"postgresql://tenbo@127.0.0.1:{self.ports['pooler']}"
        more = {
            "DATABASE_POOLED": "on",
            "REPLICA_URL": address(self.pair.ports[1], TEMPLATE),
            "EDGE": "on",
            "LEAGUE_DATABASES": " ".join(f"{name}={pools}/{name}" for name in LEAGUES_IN),
        }
        if find_nchan():
            more["PUSH_URL"] = f"http://127.0.0.1:{self.ports['publisher']}/publish/"
        redis = f"redis://127.0.0.1:{self.ports['redis']}/0"
        self.environment = environment(self.folder, f"{pools}/{TEMPLATE}", redis) | more
        (self.folder / "pooler").mkdir()
        self._write_pools()

    def _write_pools(self) -> None:
        home = self.pair.ports[1 if self.is_promoted else 0]
        places = {TEMPLATE: home} | dict.fromkeys(LEAGUES_IN, self.ports["leagues"])
        folder = self.folder / "pooler"
        (folder / "users.txt").write_text('"tenbo" ""\n', "utf-8")
        lines = [f"{name} = host=127.0.0.1 port={port} user=tenbo" for name, port in places.items()]
        (folder / "pgbouncer.ini").write_text(
            "\n".join(
                [
                    "[databases]",
                    *lines,
                    "[pgbouncer]",
                    "listen_addr = 127.0.0.1",
                    f"listen_port = {self.ports['pooler']}",
                    "unix_socket_dir =",
                    "auth_type = any",
                    f"auth_file = {folder / 'users.txt'}",
                    "pool_mode = transaction",
                    "default_pool_size = 10",
                    "max_client_conn = 200",
                    # Whoever was turned away is taken in soon after the server is back.
                    "server_login_retry = 1",
                    "",
                ]
            ),
            "utf-8",
        )
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755)

    def start(self, *parts: Part) -> None:
        """Begin parts that nobody has seen yet, side by side."""
        for part in parts:
            part.process = part.begin()
            self.parts[part.name] = part
        for part in parts:
            assert wait_until(part.is_up, 180), f"{part.name}: {self.log(part.name)}"

    def log(self, name: str) -> str:
        """Return what a part of the site said."""
        path = self.folder / f"{name.replace(' ', '-')}.log"
        return path.read_text("utf-8", "replace")[-3_000:] if path.exists() else ""

    def service(self, name: str, line: list[str], is_up: Callable[[], bool] = lambda: True) -> Part:
        """Return a part of the site itself."""
        return Part(name, partial(self._serve, name, line), is_up)

    def _serve(self, name: str, line: list[str]) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name.replace(' ', '-')}.log").open("ab") as log:
            return subprocess.Popen(
                tied(line), cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )


@contextmanager
def started(folder: Path, prepare: Callable[[Federation], None]) -> Iterator[Federation]:
    """Give an edge before two webs, three workers and a beat, on a pooler, a primary with its standby, a server with two
    databases of leagues, and Redis.

    `prepare` is called when the databases are there and nobody serves anything yet.
    """
    with ExitStack() as ends:
        pair = ends.enter_context(own_pair())
        names = ("leagues", "redis", "pooler", "publisher", "web 1", "web 2")
        federation = Federation(folder, pair, free_port(), {name: free_port() for name in names})
        federation.write_settings()
        ends.callback(_end_all, federation)
        federation.start(_leagues(federation), _redis(federation), _pooler(federation))
        for name in LEAGUES_IN:
            with psycopg.connect(address(federation.ports["leagues"]), autocommit=True) as server:
                server.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}".encode())
                # Says more than what the tests start their servers with: what is acknowledged is written down.
                server.execute(f"ALTER DATABASE {name} SET synchronous_commit = on".encode())
        federation.manage("prepare_databases")
        federation.manage("collectstatic", "--noinput", "--verbosity", "0")
        prepare(federation)
        webs = [_web(federation, name) for name in ("web 1", "web 2")]
        numbered = [("worker 1", "worker", "one@%h"), ("worker 2", "worker", "two@%h"), ("worker of jobs", "jobs", "")]
        workers = [federation.service(name, command(of) + _named(host)) for name, of, host in numbered]
        schedule = {"/tmp/celerybeat-schedule": str(folder / "celerybeat-schedule")}
        beat = federation.service("beat", command("beat", **schedule))
        federation.start(*webs, *workers, beat)
        federation.start(_edge(federation))
        federation.parts["standby"] = Part("standby", partial(_begin_standby, pair), process=pair.standby)
        federation.parts["primary"] = Part("primary", partial(_begin_primary, pair), process=pair.primary)
        yield federation


def _named(host: str) -> list[str]:
    return ["--hostname", host] if host else []


def _end_all(federation: Federation) -> None:
    for part in reversed(federation.parts.values()):
        part.end()


def _begin_standby(pair: Pair) -> subprocess.Popen[bytes]:
    pair.begin_standby()
    return pair.standby


def _begin_primary(pair: Pair) -> subprocess.Popen[bytes]:
    pair.primary = start_again(pair.folder / "primary", pair.ports[0])
    return pair.primary


def _leagues(federation: Federation) -> Part:
    folder, port = federation.pair.folder / "leagues", federation.ports["leagues"]

    def begin() -> subprocess.Popen[bytes]:
        return start_again(folder, port) if folder.exists() else start_postgresql(folder, port)

    return Part("databases of leagues", begin, stop=signal.SIGINT)


def _redis(federation: Federation) -> Part:
    return Part("Redis", partial(start_redis, federation.folder / "redis", federation.ports["redis"]))


def _pooler(federation: Federation) -> Part:
    program = find_pgbouncer()
    assert program, "No pgbouncer; install it with: apt-get install pgbouncer"
    account, folder = server_account(), federation.folder / "pooler"
    line = [program, "-u", account.pw_name if account else getpass.getuser(), folder / "pgbouncer.ini"]
    port = federation.ports["pooler"]
    return Part("pooler", lambda: spawn(line, federation.folder / "pooler.log", signal.SIGINT), partial(listens, port))


def _web(federation: Federation, name: str) -> Part:
    port = federation.ports[name]
    line = command("web", **{"0.0.0.0:8000": f"127.0.0.1:{port}", "3": "2"})
    return federation.service(name, line, lambda: Visitor(port, BEHIND_PROXY).get("/healthz").status == 200)


def _edge(federation: Federation) -> Part:
    inside = f"127.0.0.1:{federation.ports['web 1']}; server 127.0.0.1:{federation.ports['web 2']}"
    line = configured_edge(federation.folder / "edge", federation.edge_port, inside, **_pushing(federation))
    log = federation.folder / "edge.log"
    return Part("edge", lambda: spawn(line, log, signal.SIGTERM), partial(listens, federation.edge_port))


def _pushing(federation: Federation) -> dict[str, str]:
    """Return what the file of the edge says where it pushes, as its comments tell; nothing where there is no nchan."""
    module = find_nchan()
    if module is None:
        return {}
    said = PUSHES.read_text("utf-8")
    assert "8089" in said
    path = federation.folder / "push.conf"
    path.write_text(said.replace("8089", str(federation.ports["publisher"])), "utf-8")
    return {
        "# include /etc/nginx/modules-enabled/*.conf;": f"load_module {module};",
        "# include /etc/tenbo/push.conf;": f"include {path};",
    }
