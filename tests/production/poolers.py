"""A pgbouncer before a database, which gives each transaction another of a few connections."""

import getpass
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.browsers import install
from tests.deadlines import wait_until
from tests.processes import end, free_port, listens, server_account, spawn

SERVER_CONNECTIONS = 3
"""Fewer than there are threads, so that they take each other's."""


def find_pgbouncer() -> str | None:
    """Return the pooler's program, which is installed where there is none; Debian puts it where only root looks."""
    path = "/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"
    return (
        shutil.which("pgbouncer", path=path) or (install("pgbouncer") and shutil.which("pgbouncer", path=path)) or None
    )


@contextmanager
def pooling(program: str, folder: Path, database: str) -> Iterator[str]:
    """Give the address under which a database is reached through a pooler."""
    server, port = urlsplit(database), free_port()
    account = server_account()
    folder.mkdir()
    (folder / "users.txt").write_text(f'"{server.username}" ""\n', "utf-8")
    (folder / "pgbouncer.ini").write_text(
        f"""
[databases]
* = host={server.hostname} port={server.port} user={server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
auth_file = {folder / "users.txt"}
pool_mode = transaction
default_pool_size = {SERVER_CONNECTIONS}
max_client_conn = 100
""",
        "utf-8",
    )
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
    user = account.pw_name if account else getpass.getuser()
    process = spawn([program, "-u", user, folder / "pgbouncer.ini"], folder / "log", signal.SIGINT)
    try:
        assert wait_until(lambda: listens(port)), (folder / "log").read_text("utf-8")
        yield f"postgresql://{server.username}@127.0.0.1:{port}{server.path}"
    finally:
        end(process, signal.SIGINT)
