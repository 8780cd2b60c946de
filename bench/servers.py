"""Temporary servers: a database with Tenbo's tables, and a Redis."""

import logging
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import services
from tests.production.databases import new_database


@contextmanager
def database(engine: str) -> Iterator[None]:
    """Start a database and set up Django on it, as in the deployment with this engine."""
    services.name_servers()
    os.environ.pop("DEBUG", None)
    settings = {"DEMO": "on", "SECRET_KEY": secrets.token_hex(32), "ALLOWED_HOSTS": "*"}
    os.environ |= settings | {"DJANGO_SETTINGS_MODULE": "bench.settings"}
    services.start()
    with tempfile.TemporaryDirectory(prefix="bench") as folder, new_database(engine, Path(folder)) as address:
        os.environ["DATABASE_URL"] = address
        if engine == "sqlite":
            os.environ |= {"REDIS_URL": "", "EMBEDDED": "on"}
        import django  # noqa: PLC0415
        from django.core.management import call_command  # noqa: PLC0415
        from django.db import connections  # noqa: PLC0415

        django.setup()
        logging.disable(logging.WARNING)
        if engine == "sqlite":
            call_command("migrate", verbosity=0)
        try:
            yield
        finally:
            connections.close_all()
