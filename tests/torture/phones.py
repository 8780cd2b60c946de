"""`python -m tests.torture.phones`: phones that keep and resend each result until its state is known.

They behave like static/js/outbox-states.js, with a tenth of its pauses.
"""

import json
import random
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.production.browsing import Answer, Visitor

TOKEN = "b" * 32
"""CSRF token, the same in cookie and form."""

HEARD_WITHIN = 8.0
"""Timeout of requests in seconds; half of a phone's."""

MIN_PAUSE, MAX_PAUSE = 0.5, 5.0

REFUSED_OFTEN = 0.04
"""Results with wrong sums, which must be refused."""

CONFIRMED_OFTEN = 0.25

Line = dict[str, Any]


class Ledger:
    """Log of results sent and their outcome, one per line, kept out of reach of all faults."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8")
        self._lock = threading.Lock()

    def write(self, **line: Any) -> None:
        with self._lock:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()


def lines_of(path: Path, kind: str = "") -> Iterator[Line]:
    """Yield entries of a ledger, without an incomplete last line."""
    if not path.exists():
        return
    for text in path.read_text("utf-8").split("\n")[:-1]:
        line: Line = json.loads(text)
        if not kind or line["kind"] == kind:
            yield line


@dataclass
class Record:
    kind: str
    place: dict[str, Any]
    facts: dict[str, Any]
    key: str = field(default_factory=lambda: str(uuid.uuid4()))
    state: str = "unsent"
    tries: int = 0
    due: float = 0.0
    is_another: bool = False
    answered: dict[str, Any] = field(default_factory=dict)


class Phone(threading.Thread):
    def __init__(self, orders: dict[str, Any], number: int, ledger: Ledger) -> None:
        super().__init__(daemon=True)
        self.orders, self.ledger = orders, ledger
        self.member, self.guest = (
            Visitor(orders["port"], orders["headers"], cookies, HEARD_WITHIN) for cookies in (orders["cookies"], None)
        )
        self.dice = random.Random(f"{orders['seed']}-{number}")
        self.device = f"phone{number}"
        self.left = orders["results"] // orders["phones"] + (number < orders["results"] % orders["phones"])
        self.most = 10 * self.left
        self.enough = Path(orders["enough"])
        places = orders["places"][number :: orders["phones"]] or orders["places"]
        self.places = cycle(self.dice.sample(places, len(places)))
        self.queue: list[Record] = []
        self.errors = 0
        self.ends_at = float("inf")

    def run(self) -> None:
        while (self._types_on or self.queue) and time.monotonic() < self.ends_at:
            if self._types_on:
                self.left -= 1
                self.queue.append(self._typed())
                self.ends_at = time.monotonic() + self.orders["patience"]
            self._flush()
            pace = self.orders["pace"] if self.left > 0 else 2 * self.orders["pace"]
            time.sleep(self.dice.uniform(0, 2 * pace))
        for record in self.queue:
            self._tell(record)

    @property
    def _types_on(self) -> bool:
        return self.left > 0 or (self.left > -self.most and not self.enough.exists())

    def _typed(self) -> Record:
        place = next(self.places)
        players = self.dice.sample(place["players"], 4)
        cuts = sorted(self.dice.sample(range(1, 1000), 3))
        raw = [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], 1000 - cuts[2]]
        if self.dice.random() < REFUSED_OFTEN:
            raw[0] += 50
        note = uuid.UUID(int=self.dice.getrandbits(128)).hex
        facts = {"note": note, "players": players, "raw": [100 * hundreds for hundreds in raw]}
        return Record("entry", place, facts, key=str(uuid.UUID(int=self.dice.getrandbits(128), version=4)))

    def _flush(self) -> None:
        for record in list(self.queue):
            if record.due > time.monotonic():
                continue
            answer = self._sent(record)
            if record.state != "unsent":
                self.queue.remove(record)
                self._tell(record)
                self._go_on(record)
            elif not answer.status:
                return

    def _sent(self, record: Record) -> Answer:
        record.tries += 1
        is_lost = self.dice.random() < self.orders["lost_answers"]
        visitor = self.guest if record.place["is_link"] else self.member
        headers = {"Accept": "application/json", "X-CSRFToken": TOKEN} if record.kind == "entry" else {}
        answer = visitor.post(*self._form(record), is_lost=is_lost, **headers)
        settle(record, answer)
        self.errors += answer.status == 500
        return answer

    def _form(self, record: Record) -> tuple[str, dict[str, Any]]:
        place, facts = record.place, record.facts
        if record.kind == "confirm":
            return f"{place['url']}confirm/{facts['hanchan']}/", {
                "say": f"agrees-{facts['player']}",
                "version": 1,
                "device": self.device,
            }
        if self.orders["new_keys"] and record.tries > 1:
            # Simulate a phone without keys; skip the question about equal results, which would catch the duplicate.
            record.key, record.is_another = str(uuid.uuid4()), True
        fields = {f"player_{seat}": player for seat, player in enumerate(facts["players"])}
        fields |= {f"raw_{seat}": score // 100 for seat, score in enumerate(facts["raw"])}
        fields |= {"note": facts["note"], "sticks_left": 0, "client_key": record.key, "device": self.device}
        fields |= {"do": "another" if record.is_another else "save", "csrfmiddlewaretoken": TOKEN}
        fields |= {"entered_at": place.get("entered_at") or datetime.now(UTC).isoformat()}
        if record.tries > 1 or "entered_at" in place:
            fields["unsent"] = "1"
        return place["url"], fields

    def _go_on(self, record: Record) -> None:
        if (
            record.kind == "entry"
            and record.state == "sent"
            and record.place["is_link"]
            and self.dice.random() < CONFIRMED_OFTEN
        ):
            facts = {"hanchan": record.answered["hanchan"], "player": self.dice.choice(record.facts["players"])}
            self.queue.append(Record("confirm", record.place, facts))

    def _tell(self, record: Record) -> None:
        self.ledger.write(
            kind=record.kind,
            state=record.state,
            key=record.key,
            tries=record.tries,
            device=self.device,
            league=record.place["league"],
            session=record.place["session"],
            day=record.place.get("day"),
            hanchan=record.answered.get("hanchan"),
            answered=record.answered.get("status"),
            **{name: value for name, value in record.facts.items() if name != "hanchan"},
            of=record.facts.get("hanchan"),
        )


def settle(record: Record, answer: Answer) -> None:
    """Set a record's state by the response; without a definite one it is sent again."""
    record.due = time.monotonic() + min(MIN_PAUSE * 2 ** (record.tries - 1), MAX_PAUSE)
    if not answer.status:
        return
    record.answered = {"status": answer.status}
    if record.kind == "confirm":
        if answer.status == 302:
            record.state = "unsure" if "said=" in answer.location else "sent"
        return
    said = answer.said
    record.answered |= said
    state = said.get("state")
    if state == "saved" and answer.status < 300:
        record.state = "sent"
    elif state == "same":
        record.is_another, record.due = True, 0.0
    elif state in {"refused", "held"} or answer.status in {400, 413}:
        record.state = "refused"
    else:
        record.due = max(record.due, time.monotonic() + float(answer.headers.get("retry-after") or 0))


def main() -> None:
    orders: dict[str, Any] = json.load(sys.stdin)
    ledger = Ledger(Path(orders["ledger"]))
    phones = [Phone(orders, number, ledger) for number in range(orders["phones"])]
    for phone in phones:
        phone.start()
    for phone in phones:
        phone.join()
    ledger.write(kind="answers", state="heard", errors=sum(phone.errors for phone in phones))


if __name__ == "__main__":
    main()
