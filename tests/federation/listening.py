"""Open pages of an evening that listen: what they are told through the edge, whatever becomes of it meanwhile."""

import re
import selectors
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.federation.parts import Federation

ADDRESS = re.compile(r'data-live-push="(/push/[0-9a-f]+)"')
WORD = re.compile(rb'data: \{"version": "([^"]+)"\}')

AGAIN_AFTER = 1.0
"""Seconds after which a page that lost its connection listens again."""

PATIENCE = 2.0
"""Seconds for a connection to an edge of this machine."""


@dataclass
class Listener:
    """An open page of a league: where it listens, and when it heard the last word, in seconds since 1970."""

    league: int
    address: str
    heard_at: float = 0.0
    connection: socket.socket | None = None
    again_at: float = 0.0
    said: bytes = b""


@dataclass
class Listeners:
    """Open pages of leagues, one each, that listen as long as the block of `listening` lasts."""

    port: int
    pages: list[Listener]
    is_over: threading.Event = field(default_factory=threading.Event)
    words: int = 0

    def counted_anew(self) -> int:
        """Return how many words were heard until now, and begin anew."""
        words, self.words = self.words, 0
        return words

    def last_heard(self) -> dict[int, float]:
        """Return when the page of each league heard the last word."""
        return {page.league: page.heard_at for page in self.pages}

    def listen(self) -> None:
        """Hear what is told, and listen again wherever the edge hung up."""
        with selectors.DefaultSelector() as ready:
            while not self.is_over.is_set():
                for page in self.pages:
                    if page.connection is None and time.monotonic() >= page.again_at:
                        self._open(page, ready)
                for key, _ in ready.select(0.2):
                    self._hear(key.data, ready)
            for page in self.pages:
                self._leave(page, ready)

    def _open(self, page: Listener, ready: selectors.BaseSelector) -> None:
        page.again_at, page.said = time.monotonic() + AGAIN_AFTER, b""
        asked = f"GET {page.address} HTTP/1.1\r\nHost: league.example\r\nAccept: text/event-stream\r\n\r\n"
        try:
            page.connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
            page.connection.sendall(asked.encode())
            page.connection.setblocking(False)
        except OSError:
            if page.connection is not None:
                page.connection.close()
            page.connection = None
            return
        ready.register(page.connection, selectors.EVENT_READ, page)

    def _hear(self, page: Listener, ready: selectors.BaseSelector) -> None:
        assert page.connection is not None
        try:
            more = page.connection.recv(65_536)
        except OSError:
            more = b""
        if not more:
            self._leave(page, ready)
            return
        page.said += more
        words = WORD.findall(page.said)
        if words:
            page.heard_at = time.time()
            page.said = page.said[page.said.rindex(words[-1]) + len(words[-1]) :]
            self.words += len(words)

    def _leave(self, page: Listener, ready: selectors.BaseSelector) -> None:
        if page.connection is not None:
            ready.unregister(page.connection)
            page.connection.close()
            page.connection = None


@contextmanager
def listening(federation: Federation, boards: Iterable[tuple[int, str]]) -> Iterator[Listeners]:
    """Have an open page for each of these leagues, by number and address of its board, until the block is left.

    A page says itself where it listens; where nothing is pushed none does, and nobody listens.
    """
    reader, pages = federation.visitor(), []
    for league, board in boards:
        found = ADDRESS.search(reader.get(board).text)
        if found:
            pages.append(Listener(league, found[1]))
    listeners = Listeners(federation.edge_port, pages)
    thread = threading.Thread(target=listeners.listen)
    thread.start()
    try:
        yield listeners
    finally:
        listeners.is_over.set()
        thread.join(30)
