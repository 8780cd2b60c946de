"""`python -m tests.torture.desk`: organisers who correct results and start long jobs until stopped.

They use pages and forms like a browser, and retry if there is no response.
"""

import json
import random
import sys
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.journeys.html import see
from tests.production.browsing import TOKEN, Answer, Visitor
from tests.torture.phones import HEARD_WITHIN, Ledger, lines_of

PAUSE = 0.3


class Desk:
    """An organiser's work; repeats requests until there is a response or time is up."""

    def __init__(self, orders: dict[str, Any], ledger: Ledger) -> None:
        self.orders, self.ledger = orders, ledger
        self.visitor = Visitor(orders["port"], orders["headers"], orders["cookies"], HEARD_WITHIN)
        self.dice = random.Random(f"desk-{orders['seed']}")
        self.ends_at = float("inf")

    @property
    def goes_on(self) -> bool:
        if Path(self.orders["over"]).exists() and self.ends_at == float("inf"):
            self.ends_at = time.monotonic() + self.orders["patience"]
        return self.ends_at == float("inf")

    @property
    def is_late(self) -> bool:
        return not self.goes_on and time.monotonic() > self.ends_at

    def get(self, address: str) -> Answer:
        """Return a page, following a redirect. Raise TimeoutError when time is up."""
        while not self.is_late:
            answer = self.visitor.get(address)
            if answer.status == 302:
                address = answer.location
            elif answer.status == 200:
                return answer
            else:
                time.sleep(PAUSE)
        raise TimeoutError

    def post(self, address: str, fields: Iterable[tuple[str, str]]) -> Answer:
        """Submit a form unchanged until there is a response, and return it. Raise TimeoutError when time is up."""
        sent = list(fields)
        while not self.is_late:
            answer = self.visitor.post(address, sent, is_lost=self.dice.random() < self.orders["lost_answers"])
            if 0 < answer.status < 500 and answer.status != 429:
                return answer
            time.sleep(PAUSE)
        raise TimeoutError

    def press(self, address: str, page: str, **more: str) -> Answer:
        token = TOKEN.search(self.get(page).text)
        assert token is not None, page
        return self.post(address, [("csrfmiddlewaretoken", token[1]), *more.items()])


def correct(desk: Desk) -> None:
    number = 0
    with ThreadPoolExecutor(2) as pool:
        while desk.goes_on:
            sent = [line for line in lines_of(Path(desk.orders["phones_ledger"]), "entry") if line["state"] == "sent"]
            if sent:
                number += 1
                chosen, begins = desk.dice.choice(sent), threading.Barrier(2)
                list(pool.map(lambda hand: _corrected(desk, chosen, begins, f"{number}-{hand}"), (1, 2)))  # noqa: B023
            time.sleep(desk.orders["desk_pace"])


def _corrected(desk: Desk, line: dict[str, Any], begins: threading.Barrier, name: str) -> None:
    address, reason = f"/l/{line['league']}/g/{line['hanchan']}/correct/", f"correction {name} {line['note']}"
    told = {"kind": "correct", "reason": reason, "hanchan": line["hanchan"], "seen": 0, "raw": [], "state": "unsent"}
    try:
        form = next((form for form in see(desk.get(address).text).forms if "seen_version" in form.controls), None)
        begins.wait(10)
        if form is None:
            return
        turned = [form.controls[f"raw_{(seat + int(name[-1])) % 4}"].values[0] for seat in range(4)]
        told["seen"] = int(form.controls["seen_version"].values[0])
        told |= {"raw": turned, "state": "begun"}
        more = {"reason": reason, "do": "save", "auto": ""} | {f"raw_{seat}": raw for seat, raw in enumerate(turned)}
        kept = [(name, each) for name, field in form.controls.items() for each in field.values if name not in more]
        told["state"] = "sent" if desk.post(address, [*kept, *more.items()]).status == 302 else "refused"
    except (TimeoutError, threading.BrokenBarrierError):
        pass
    if told["state"] != "unsent":
        desk.ledger.write(**told)


def order_work(desk: Desk) -> None:
    for number in range(10_000):
        for what in desk.orders["work"]:
            if not desk.goes_on:
                return
            league = desk.orders["leagues"][number % len(desk.orders["leagues"])]
            try:
                _work(desk, league, what, number)
            except TimeoutError:
                return
            time.sleep(4 * desk.orders["desk_pace"])


def _work(desk: Desk, league: dict[str, Any], what: str, number: int) -> None:
    home = f"/l/{league['slug']}/manage/"
    version = league["versions"][number % 2]
    address = f"{home}rebuild/" if what == "rebuild" else f"{home}rules/{version}/rescore/"
    line = {"kind": "job", "what": what, "league": league["slug"], "state": "begun"}
    try:
        job = desk.press(address, f"{home}import/new/").location
        while not _ends_well(desk, job):
            job = desk.press(job, job).location
        line["state"] = "sent"
    finally:
        desk.ledger.write(**line)


def _ends_well(desk: Desk, job: str) -> bool:
    while 'id="job-refresh"' in (page := desk.get(job).text):
        time.sleep(PAUSE)
    return 'class="job-bar"' not in page


def main() -> None:
    orders: dict[str, Any] = json.load(sys.stdin)
    ledger = Ledger(Path(orders["ledger"]))
    hands = [threading.Thread(target=correct, args=(Desk(orders, ledger),))] if orders["corrects"] else []
    if orders["work"]:
        hands.append(threading.Thread(target=order_work, args=(Desk(orders, ledger),)))
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()


if __name__ == "__main__":
    main()
