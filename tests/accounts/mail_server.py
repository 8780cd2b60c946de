import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

Step = Callable[[], str | None]
"""Called at each step of the SMTP dialogue; returned text replaces the usual reply, "" closes the connection."""

USUAL = {
    "connect": "220 mail.example.org ESMTP",
    "mail": "250 ok",
    "rcpt": "250 ok",
    "data": "354 go on",
    "body": "250 taken",
    "quit": "221 bye",
}
STEPS = tuple(USUAL)


@dataclass
class MailServer:
    """A mail server for tests. `taken`: mails received completely, whatever was replied."""

    port: int = 0
    taken: list[bytes] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    steps: dict[str, Step] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def mails(self) -> list[EmailMessage]:
        return [message_from_bytes(each, policy=policy.default) for each in self.taken]


class _Conversation(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        mailbox: MailServer = self.server.mailbox  # type: ignore[attr-defined]
        if not self._answer(mailbox, "connect"):
            return
        while line := self.rfile.readline().decode().strip():
            word = line.split(" ")[0].lower()
            if word in {"ehlo", "helo"}:
                self._say("250 mail.example.org")
            elif not self._answer(mailbox, word if word in USUAL else "mail", line):
                return

    def _answer(self, mailbox: MailServer, step: str, line: str = "") -> bool:
        if step == "rcpt":
            mailbox.recipients.append(line)
        told = mailbox.steps.get(step, lambda: None)()
        answer = USUAL[step] if told is None else told
        if not answer:
            return False
        self._say(answer)
        return self._read_mail(mailbox) if answer.startswith("354") else step != "quit"

    def _read_mail(self, mailbox: MailServer) -> bool:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            if not line:
                return False
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        with mailbox.lock:
            mailbox.taken.append(b"".join(lines))
        return self._answer(mailbox, "body")

    def _say(self, text: str) -> None:
        try:
            self.wfile.write(f"{text}\r\n".encode())
        except OSError:
            return


class _Threads(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, *_told: object) -> None:
        """Ignore clients that disconnected."""


@contextmanager
def mail_server() -> Iterator[MailServer]:
    with _Threads(("127.0.0.1", 0), _Conversation) as server:
        mailbox = MailServer(server.server_address[1])
        server.mailbox = mailbox  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield mailbox
        finally:
            server.shutdown()
            thread.join()
