"""`python -m bench.clients PORT`: sixteen phones that send results at once; reads what to send, prints how long it took.

It runs in a process of its own, so that it costs the server nothing but the processor they share.
"""

import http.client
import json
import sys
import threading
import time
from typing import Any

HEADERS = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}


class Phone(threading.Thread):
    """Sends its results one after the other over one connection."""

    def __init__(self, port: int, cookie: str, posts: list[tuple[str, str]]) -> None:
        super().__init__()
        self.port, self.headers, self.posts = port, HEADERS | {"Cookie": cookie}, posts
        self.seconds: list[float] = []
        self.refused: list[str] = []

    def run(self) -> None:
        """Send everything."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for address, body in self.posts:
            begun = time.perf_counter()
            connection.request("POST", address, body, self.headers)
            answer = connection.getresponse()
            text = answer.read()
            self.seconds.append(time.perf_counter() - begun)
            if answer.status != 200:
                self.refused.append(f"{answer.status} {text[:300].decode('utf-8', 'replace')}")
        connection.close()


def main() -> None:
    """Send what stands in the standard input, all phones at once."""
    orders: dict[str, Any] = json.load(sys.stdin)
    phones = [Phone(int(sys.argv[1]), orders["cookie"], posts) for posts in orders["phones"]]
    begun = time.perf_counter()
    for phone in phones:
        phone.start()
    for phone in phones:
        phone.join()
    seconds = [each for phone in phones for each in phone.seconds]
    refused = [each for phone in phones for each in phone.refused]
    print(json.dumps({"wall": time.perf_counter() - begun, "seconds": seconds, "refused": refused}))


if __name__ == "__main__":
    main()
