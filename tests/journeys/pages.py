from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from typing import Any
from urllib.parse import urldefrag, urljoin

from django.http import HttpResponseBase
from django.http.request import QueryDict
from django.test import Client

from tests.journeys.html import Button, Control, Form, Link, Seen, see

START = "/"


class LostError(AssertionError):
    pass


class Visitor:
    r"""A user on the site. Errors name the page and its links.

    `follows("順位表")` takes the link with this text, else the first containing it; `follows(to=r"/g/\d+/$")` the first
    with a matching URL. `submits("保存", points="-20")` sends the form with that button and these changes; `within` is the
    form's target if several have such a button. Choices are given by value or label; a list ticks several boxes, None
    unticks.
    """

    def __init__(self, client: Client, **headers: str) -> None:
        self.client = client
        self.headers = headers
        self.address = ""
        self.response: HttpResponseBase | None = None
        self.content = b""
        self.page = Seen("", "", [], [])

    # Navigation

    def opens(self, address: str = START) -> Visitor:
        assert address in {"/", "/en/"}, f"Nobody knows the address {address}: follow links from the first page."
        return self._arrives(address, self.client.get(address, follow=True, headers=self.headers))

    def scans(self, address: str) -> Visitor:
        return self._arrives(address, self.client.get(address, follow=True, headers=self.headers))

    def reloads(self) -> Visitor:
        return self._arrives(self.address, self.client.get(self.address, follow=True, headers=self.headers))

    def follows(self, text: str = "", *, to: str = "") -> Visitor:
        target = urldefrag(urljoin(self.address, self.link(text, to=to).href)).url
        return self._arrives(target, self.client.get(target, follow=True, headers=self.headers))

    def submits(self, button: str = "", *, within: str = "", **fields: Any) -> Visitor:
        form, pressed = self.button(button, within=within)
        sent = self._filled(form, pressed, fields)
        method = pressed.method or form.method
        target = urldefrag(urljoin(self.address, pressed.action if pressed.action is not None else form.action)).url
        if method == "post":
            response = self.client.post(target, sent, follow=True, headers=self.headers)
        else:
            query = QueryDict(mutable=True)
            for name, value in sent.items():
                query.setlist(name, value if isinstance(value, list) else [value])
            target = f"{target.partition('?')[0]}?{query.urlencode()}"
            response = self.client.get(target, follow=True, headers=self.headers)
        return self._arrives(target, response)

    def _arrives(self, address: str, response: Any, status: int = 200) -> Visitor:
        chain = getattr(response, "redirect_chain", [])
        came_from = self._here()
        self.address = urljoin(address, chain[-1][0]) if chain else address
        self.response = response
        self.content = b"".join(response.streaming_content) if response.streaming else response.content
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        self.page = see(self.content.decode()) if is_page else Seen(self.address, "", [], [])
        if response.status_code != status:
            message = f"{self.address} answers {response.status_code} to somebody who came from {came_from}."
            raise LostError(message)
        return self

    # Reading the page

    def link(self, text: str = "", *, to: str = "") -> Link:
        links = [link for link in self.page.links if not to or re.search(to, link.href)]
        exact = [link for link in links if not text or link.text == text]
        found = exact or [link for link in links if text in link.text]
        if not found:
            message = f"No link “{text or to}” on {self._here()}. {self._offered()}"
            raise LostError(message)
        return found[0]

    def button(self, text: str = "", *, within: str = "") -> tuple[Form, Button]:
        pairs = [(form, button) for form in self.page.forms for button in form.buttons or [Button("")]]
        fitting = [pair for pair in pairs if re.search(within, urljoin(self.address, pair[1].action or pair[0].action))]
        found = [pair for pair in fitting if pair[1].text == text] or [pair for pair in fitting if text in pair[1].text]
        if not found:
            message = f"No button “{text}” in a form to “{within}” on {self._here()}. {self._offered()}"
            raise LostError(message)
        return found[0]

    def has_link(self, text: str = "", *, to: str = "") -> bool:
        return any(text in link.text and re.search(to, link.href) for link in self.page.links)

    def has_button(self, text: str, *, within: str = "") -> bool:
        return any(
            text in button.text and re.search(within, urljoin(self.address, button.action or form.action))
            for form in self.page.forms
            for button in form.buttons
        )

    def reads(self, *sentences: str) -> Visitor:
        for sentence in sentences:
            if sentence not in self.page.text and sentence not in self.page.title:
                message = f"“{sentence}” is not on {self._here()}, which says: {self.page.text[:3000]}"
                raise LostError(message)
        return self

    def misses(self, *sentences: str) -> Visitor:
        for sentence in sentences:
            assert sentence not in self.page.text, f"“{sentence}” is on {self._here()}."
        return self

    # Forms

    def _filled(self, form: Form, button: Button, fields: dict[str, Any]) -> dict[str, Any]:
        if unknown := fields.keys() - form.controls.keys():
            message = f"No field {sorted(unknown)} in that form on {self._here()}: {sorted(form.controls)}."
            raise LostError(message)
        sent: dict[str, Any] = {}
        for name, control in form.controls.items():
            values = self._values(control, fields[name]) if name in fields else control.values
            if values and name:
                sent[name] = values
        if button.name:
            sent[button.name] = [button.value]
        return sent

    def _values(self, control: Control, given: Any) -> list[Any]:
        if given is None:
            return []
        many = given if isinstance(given, (list, tuple)) else [given]
        if control.kind == "file":
            return [*many]
        return [self._choice(control, str(value)) for value in many] if control.options else [str(v) for v in many]

    def _choice(self, control: Control, given: str) -> str:
        if given in control.options:
            return given
        exact = [value for value, label in control.options.items() if label == given]
        found = exact or [value for value, label in control.options.items() if given in label]
        if not found:
            message = f"“{given}” cannot be chosen for {control.name} on {self._here()}: {control.options}."
            raise LostError(message)
        return found[0]

    # Error messages

    def _here(self) -> str:
        return f"“{self.page.title}” ({self.address})" if self.address else "nowhere"

    def _offered(self) -> str:
        links = [f"{link.text} → {link.href}" for link in self.page.links]
        buttons = [f"[{button.text}]({form.action}: {', '.join(form.controls)})"
                   for form in self.page.forms for button in form.buttons]  # fmt: skip
        return f"It offers {'; '.join(links)}; {'; '.join(buttons)}."


def pressing(visitor: Visitor, button: str, address: str, fields: dict[str, Any]) -> Callable[[], Visitor]:
    """Return a function that presses the button on a freshly opened page and returns the resulting page."""
    alone, client = copy(visitor), Client()
    client.cookies = copy(visitor.client.cookies)
    alone.client = client
    return lambda: alone.submits(button, within=address, **fields)
