"""Logs without secrets: links open tables, answer, invite, a secret address reads a league: no log shows them."""

import logging
import re

from gunicorn.config import Config
from gunicorn.glogging import Logger

PLACES = ("a", "e", "live", "join", "register", "registration", "check-in")
CODE = re.compile(rf"/({'|'.join(PLACES)})/(?:[0-9a-z]+-[0-9a-z]{{8,}}|[0-9a-z]{{26}})")
"""Addresses that open without a log-in: tables, attendance, calendars, invitations, registrations."""


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
