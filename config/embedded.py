"""The server of `make run`: one process that slow clients cannot block.

Waitress buffers requests and responses and uses a thread only for complete requests. This adds a deadline for receiving
a request.
"""

import argparse
import logging
import signal
import sys
import time
from types import FrameType
from typing import NoReturn

from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer

HEADER_TIMEOUT = 15.0
BODY_TIMEOUT = 120.0
"""Maximum seconds to receive the headers, and to receive the whole request."""

SILENCE = 30
"""Seconds that a connection may be idle."""

CONNECTIONS = 1000
BODY = 64_000_000
ON_DISK = 1_000_000_000
"""Bytes of a response buffered on disk for a slow client before the thread has to wait."""


class PunctualChannel(HTTPChannel):  # type: ignore[misc]
    """A client connection that records when the current request began to arrive."""

    begun_at: float | None = None

    def received(self, data: bytes) -> bool:
        if self.request is None:
            self.begun_at = time.time()
        is_taken = bool(super().received(data))
        if self.request is None:
            self.begun_at = None
        return is_taken

    def is_late(self, now: float) -> bool:
        if self.request is None or self.begun_at is None:
            return False
        return now - self.begun_at > (BODY_TIMEOUT if self.request.headers_finished else HEADER_TIMEOUT)


class PunctualServer(TcpWSGIServer):  # type: ignore[misc]
    channel_class = PunctualChannel

    def maintenance(self, now: float) -> None:
        super().maintenance(now)
        for channel in self.active_channels.values():
            channel.will_close |= channel.is_late(now)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m config.embedded", description=__doc__)
    parser.add_argument("--listen", default="127.0.0.1:8000", help="host:port")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--ready", action="append", default=[], help="lines to print once the server listens")
    said = parser.parse_args()
    signal.signal(signal.SIGTERM, _end)

    # Import Django only when serving.
    from config.wsgi import application  # noqa: PLC0415
    from league.engine import finish_file  # noqa: PLC0415

    # A full thread pool is normal: requests wait.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    try:
        server = PunctualServer(
            application,
            listen=said.listen,
            threads=said.threads,
            connection_limit=CONNECTIONS,
            channel_timeout=SILENCE,
            cleanup_interval=5,
            asyncore_use_poll=True,
            max_request_body_size=BODY,
            outbuf_high_watermark=ON_DISK,
            ident=None,
        )
    except OSError as error:
        sys.exit(f"Cannot listen at {said.listen}: {error.strerror}. Choose another port, such as: make run PORT=8001")
    print(*filter(None, said.ready), sep="\n", flush=True)  # noqa: T201 - for the terminal
    server.run()
    finish_file()


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


if __name__ == "__main__":
    main()
