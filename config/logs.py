"""Log formatting that hides the codes of secret links: entry, attendance, invitations, calendars."""

import logging
import re

from gunicorn.config import Config
from gunicorn.glogging import Logger

PLACES = ("a", "e", "live", "join", "register", "registration", "check-in")
CODE = re.compile(rf"/({'|'.join(PLACES)})/(?:[0-9a-z]+-[0-9a-z]{{8,}}|[0-9a-z]{{26}})")
"""URLs with a code that works without a log-in: tables, attendance, calendars, invitations, registrations."""


class QuietFormatter(logging.Formatter):
    """Formatter that hides the codes of secret links."""

    def format(self, record: logging.LogRecord) -> str:
        return CODE.sub(r"/\1/…", super().format(record))


class QuietLogger(Logger):
    """Gunicorn's access and error logs without the codes of secret links."""

    def setup(self, cfg: Config) -> None:
        """Set up gunicorn's logs, then replace their formatters."""
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                known = handler.formatter
                if known is not None:
                    handler.setFormatter(QuietFormatter(known._fmt, known.datefmt))
