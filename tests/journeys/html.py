from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
UNREAD = {"script", "style", "template", "noscript"}
NO_VALUE = {"submit", "image", "reset", "button"}


@dataclass(slots=True)
class Link:
    text: str
    href: str


@dataclass(slots=True)
class Control:
    """A form field. `values`: what a browser would send; `options`: value to label, if limited."""

    name: str
    kind: str
    values: list[str] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Button:
    """A submit button, with its value and its own target."""

    text: str
    name: str = ""
    value: str = ""
    action: str | None = None
    method: str | None = None


@dataclass(slots=True)
class Form:
    action: str
    method: str
    controls: dict[str, Control] = field(default_factory=dict)
    buttons: list[Button] = field(default_factory=list)


@dataclass(slots=True)
class Seen:
    """A parsed page: title, visible text, links and forms."""

    title: str
    text: str
    links: list[Link]
    forms: list[Form]


def tidy(text: str) -> str:
    """Collapse each run of white space to one space."""
    return re.sub(r"\s+", " ", text).strip()


def see(html: str) -> Seen:
    reader = Reader()
    reader.feed(html)
    reader.close()
    forms = list(reader.forms)
    for name, control in reader.loose_controls:
        if name in reader.named:
            reader.named[name].controls.setdefault(control.name, control)
    for name, button in reader.loose_buttons:
        if name in reader.named:
            reader.named[name].buttons.append(button)
    return Seen(tidy("".join(reader.titles)), tidy("".join(reader.texts)), reader.links, forms)


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.titles: list[str] = []
        self.texts: list[str] = []
        self.links: list[Link] = []
        self.forms: list[Form] = []
        self.named: dict[str, Form] = {}
        self.loose_controls: list[tuple[str, Control]] = []
        self.loose_buttons: list[tuple[str, Button]] = []
        self._form: Form | None = None
        self._catching: list[tuple[str, list[str]]] = []
        self._link = Link("", "")
        self._button = Button("")
        self._select: Control | None = None
        self._option: tuple[str, bool] | None = None
        self._area: Control | None = None
        self._unread = 0

    # Start tags

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in UNREAD:
            self._unread += 1
        given = {name: value if value is not None else "" for name, value in attrs}
        if begin := getattr(self, f"_begin_{tag}", None):
            begin(given)
        if tag not in VOID and tag in {"p", "div", "li", "td", "th", "h1", "h2", "h3", "section", "tr"}:
            self.texts.append(" ")
        for name in ("alt", "aria-label"):
            if given.get(name):
                self._said(f" {given[name]} ")

    def _begin_a(self, given: dict[str, str]) -> None:
        if "href" in given:
            self._link = Link("", given["href"])
            self._catch("a")

    def _begin_title(self, given: dict[str, str]) -> None:
        self._catch("title")

    def _begin_form(self, given: dict[str, str]) -> None:
        self._form = Form(given.get("action", ""), given.get("method", "get").lower())
        self.forms.append(self._form)
        if given.get("id"):
            self.named[given["id"]] = self._form

    def _begin_input(self, given: dict[str, str]) -> None:
        kind = given.get("type", "text").lower()
        if "disabled" in given:
            return
        if kind in NO_VALUE:
            if kind == "submit":
                self._add_button(given, Button(given.get("value", ""), given.get("name", ""), given.get("value", "")))
            return
        if not (name := given.get("name")):
            return
        control = self._control_for(name, kind, given)
        value = given.get("value", "on" if kind in {"checkbox", "radio"} else "")
        if kind in {"checkbox", "radio"}:
            control.options.setdefault(value, "")
            if "checked" in given:
                control.values = [value] if kind == "radio" else [*control.values, value]
        elif kind != "file":
            control.values.append(value)

    def _control_for(self, name: str, kind: str, given: dict[str, str]) -> Control:
        form = self._form
        if given.get("form"):
            found = [
                control for owner, control in self.loose_controls if (owner, control.name) == (given["form"], name)
            ]
            control = found[0] if found else Control(name, kind)
            if not found:
                self.loose_controls.append((given["form"], control))
            return control
        if form is None:
            return Control(name, kind)
        return form.controls.setdefault(name, Control(name, kind))

    def _begin_textarea(self, given: dict[str, str]) -> None:
        if "disabled" not in given:
            self._area = self._control_for(given.get("name", ""), "textarea", given)
            self._catch("textarea")

    def _begin_select(self, given: dict[str, str]) -> None:
        if "disabled" not in given:
            kind = "multiple" if "multiple" in given else "select"
            self._select = self._control_for(given.get("name", ""), kind, given)

    def _begin_option(self, given: dict[str, str]) -> None:
        self._end_option()
        if self._select is not None and "disabled" not in given:
            self._option = (given.get("value", "\0"), "selected" in given)
            self._catch("option")

    def _begin_button(self, given: dict[str, str]) -> None:
        if given.get("type", "submit").lower() == "submit" and "disabled" not in given:
            self._button = Button("", given.get("name", ""), given.get("value", ""))
            self._add_button(given, self._button)
            self._catch("button")

    def _add_button(self, given: dict[str, str], button: Button) -> None:
        button.action, method = given.get("formaction"), given.get("formmethod")
        button.method = method.lower() if method else None
        if given.get("form"):
            self.loose_buttons.append((given["form"], button))
        elif self._form is not None:
            self._form.buttons.append(button)

    # Messages

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self._said(data)

    def _said(self, text: str) -> None:
        for _tag, words in self._catching:
            words.append(text)
        if not any(tag in {"title", "option", "textarea"} for tag, _words in self._catching):
            self.texts.append(text)

    def _catch(self, tag: str) -> None:
        self._catching.append((tag, []))

    def _caught(self, tag: str) -> str | None:
        for place in range(len(self._catching) - 1, -1, -1):
            if self._catching[place][0] == tag:
                return "".join(self._catching.pop(place)[1])
        return None

    # End tags

    def handle_endtag(self, tag: str) -> None:
        if tag in UNREAD:
            self._unread = max(0, self._unread - 1)
        if end := getattr(self, f"_end_{tag}", None):
            end()

    def _end_a(self) -> None:
        if (text := self._caught("a")) is not None:
            self._link.text = tidy(text)
            self.links.append(self._link)

    def _end_title(self) -> None:
        self.titles.append(self._caught("title") or "")

    def _end_form(self) -> None:
        self._form = None

    def _end_button(self) -> None:
        if (text := self._caught("button")) is not None:
            self._button.text = tidy(text)

    def _end_textarea(self) -> None:
        if (text := self._caught("textarea")) is not None and self._area is not None:
            self._area.values = [text.removeprefix("\r\n").removeprefix("\n")]
            self._area = None

    def _end_option(self) -> None:
        text = self._caught("option")
        if self._select is None or self._option is None or text is None:
            return
        value, is_selected = self._option
        label = tidy(text)
        value = label if value == "\0" else value
        self._select.options[value] = label
        if is_selected:
            self._select.values = [*self._select.values, value] if self._select.kind == "multiple" else [value]
        self._option = None

    def _end_select(self) -> None:
        self._end_option()
        if self._select is not None and self._select.kind == "select" and not self._select.values:
            self._select.values = [*self._select.options][:1]
        self._select = None
