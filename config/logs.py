"""Logs without secrets: a table link opens a table, a secret address reads a league, an invitation lets people in."""

import logging
import re

from gunicorn.config import Config
from gunicorn.glogging import Logger

CODE = re.compile(r"/(e|live|join)/(?:[0-9a-z]+-[0-9a-z]{8,}|[0-9a-z]{26})")
"""A table link, the secret address of a league, or an invitation, wherever it stands in a line."""


class QuietFormatter(logging.Formatter):
    """Writes lines as every formatter does, but hides what opens anything."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the finished line, traceback included, without codes."""
        return CODE.sub(r"/\1/…", super().format(record))


class QuietLogger(Logger):
    """The server's own logs, of requests and of errors, with the same care."""

    def setup(self, cfg: Config) -> None:
        """Set the logs up as the server does, then take the codes out of every line."""
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                known = handler.formatter
                if known is not None:
                    handler.setFormatter(QuietFormatter(known._fmt, known.datefmt))
