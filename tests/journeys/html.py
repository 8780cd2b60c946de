from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, SubElement

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
UNREAD = {"script", "style", "template", "noscript", "title", "option", "textarea"}
BLOCKS = {"p", "div", "li", "td", "th", "h1", "h2", "h3", "section", "tr"}


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
    return re.sub(r"\s+", " ", text).strip()


def see(html: str) -> Seen:
    reader = Reader()
    reader.feed(html)
    reader.close()
    root = reader.open[0]
    forms = {form: Form(form.get("action", ""), form.get("method", "get").lower()) for form in root.iter("form")}
    named = {form.get("id", ""): form for form in forms}
    for element, around in fields(root, None):
        owner = named.get(element.get("form", "")) if element.get("form") else around
        if owner is not None and element.get("disabled") is None:
            READ[element.tag](element, forms[owner])
    links = [Link(text_of(link), link.get("href", "")) for link in root.iter("a") if "href" in link.attrib]
    return Seen(
        tidy("".join(title.text or "" for title in root.iter("title"))), text_of(root), links, [*forms.values()]
    )


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("page")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = SubElement(self.open[-1], tag, {name: value or "" for name, value in attrs})
        if tag not in VOID:
            self.open.append(element)

    def handle_data(self, data: str) -> None:
        around = self.open[-1]
        if len(around):
            around[-1].tail = (around[-1].tail or "") + data
        else:
            around.text = (around.text or "") + data

    def handle_endtag(self, tag: str) -> None:
        if tag in {element.tag for element in self.open[1:]}:
            while self.open.pop().tag != tag:
                pass


def text_of(element: Element) -> str:
    return tidy("".join(words(element)))


def words(element: Element) -> Iterator[str]:
    if element.tag in BLOCKS:
        yield " "
    yield from (f" {element.get(name)} " for name in ("alt", "aria-label") if element.get(name))
    yield element.text or ""
    for child in element:
        if child.tag not in UNREAD:
            yield from words(child)
        yield child.tail or ""


def fields(element: Element, form: Element | None) -> Iterator[tuple[Element, Element | None]]:
    for child in element:
        if child.tag in READ:
            yield child, form
        yield from fields(child, child if child.tag == "form" else form)


def read_input(element: Element, form: Form) -> None:
    kind = element.get("type", "text").lower()
    if kind in {"submit", "image", "reset", "button"}:
        read_button(element, form)
    elif name := element.get("name"):
        control = form.controls.setdefault(name, Control(name, kind))
        if kind in {"checkbox", "radio"}:
            value = element.get("value", "on")
            control.options.setdefault(value, "")
            control.values += [value] * ("checked" in element.attrib)
        elif kind != "file":
            control.values.append(element.get("value", ""))


def read_button(element: Element, form: Form) -> None:
    if element.get("type", "submit").lower() == "submit":
        value = element.get("value", "")
        text = value if element.tag == "input" else text_of(element)
        form.buttons.append(
            Button(text, element.get("name", ""), value, element.get("formaction"), element.get("formmethod"))
        )


def read_textarea(element: Element, form: Form) -> None:
    name = element.get("name", "")
    form.controls[name] = Control(name, "textarea", [re.sub(r"\A\r?\n", "", element.text or "")])


def read_select(element: Element, form: Form) -> None:
    kind = "multiple" if "multiple" in element.attrib else "select"
    control = Control(element.get("name", ""), kind)
    for option in element.iter("option"):
        if option.get("disabled") is None:
            value = option.get("value", text_of(option))
            control.options[value] = text_of(option)
            control.values += [value] * ("selected" in option.attrib)
    if kind == "select" and not control.values:
        control.values = [*control.options][:1]
    form.controls[control.name] = control


READ = {"input": read_input, "button": read_button, "textarea": read_textarea, "select": read_select}
