"""Templates as functions say what Django says when it reads them node by node."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.template import Context, Engine, Template
from django.template.base import Template as BaseTemplate
from django.utils import translation
from django.utils.safestring import mark_safe

from config.drawing.functions import lists_of, quicken, written
from config.drawing.scope import NotWritableError
from tests.conftest import ROOT


class Odd:
    """Has what templates stumble over."""

    name = "<b>"
    items = ("a", "b")

    def __str__(self) -> str:
        return "odd & <even>"

    def told(self) -> str:
        return "'told'"

    def asks(self, more: int) -> int:
        return more

    def deletes(self) -> str:
        raise AssertionError

    deletes.alters_data = True  # type: ignore[attr-defined]

    @property
    def lost(self) -> str:
        raise ObjectDoesNotExist

    @property
    def broken(self) -> str:
        message = "broken"
        raise ValueError(message)


def everything() -> dict[str, Any]:
    """Return names of every kind that a template may meet."""
    return {
        "text": "a < b & 'c'",
        "safe": mark_safe("<i>safe</i>"),
        "number": 12345,
        "zero": 0,
        "decimal": Decimal("1234.50"),
        "float": 2.5,
        "yes": True,
        "nothing": None,
        "day": date(2026, 4, 1),
        "moment": datetime(2026, 4, 1, 12, 30, tzinfo=UTC),
        "empty": [],
        "list": [3, 1, 2],
        "pairs": [("a", 1), ("b", 2)],
        "rows": [{"name": "x", "more": [1, 2]}, {"name": "<y>", "more": []}],
        "map": {"key": "value", "items": "shadowed", "1": "one"},
        "odd": Odd(),
        "kind": Odd,
        "maker": lambda: "made",
        "part": Fraction(1, 3),
        "thing": SimpleNamespace(name="名前", romanised="", pk=7),
        "spaces": (n for n in "ab"),
    }


SNIPPETS = [
    "{{ text }} {{ safe }} {{ number }} {{ decimal }} {{ float }} {{ yes }} {{ nothing }} {{ day }} {{ moment }} {{ part }}",
    "{{ odd }} {{ odd.name }} {{ odd.told }} {{ odd.asks }} {{ odd.deletes }} {{ odd.lost }} {{ odd.lost.more }} {{ odd.items.1 }}",
    "{{ kind.name }} {{ maker }} {{ missing }} {{ missing.more }} {{ map.key }} {{ map.items }} {{ map.1 }} {{ map.missing }}",
    "{{ list.0 }} {{ list.9 }} {{ text.0 }} {{ pairs.1.0 }} {{ number.real }} {{ odd.items.x }}",
    "{{ missing|default:'none' }} {{ nothing|default_if_none:'none' }} {{ text|upper }} {{ safe|upper }} {{ list|join:', ' }}",
    "{{ text|safe }} {{ text|escape }} {{ safe|striptags }} {{ text|linebreaksbr }} {{ list|length }} {{ missing|length }}",
    "{{ moment|date:'Y-m-d H:i' }} {{ day|date:'j M' }} {{ text|slice:':3' }} {{ number|add:zero }} {{ text|truncatechars:3 }}",
    "{{ 'literal <>' }} {{ 5 }} {{ 2.5 }} {{ True }} {{ None }} {{ number|stringformat:'05d' }} {{ text|urlencode }}",
    "{% if yes %}a{% elif zero %}b{% else %}c{% endif %}{% if not missing %}d{% endif %}{% if missing == None %}e{% endif %}",
    "{% if zero or missing or text %}a{% endif %}{% if yes and nothing %}b{% else %}c{% endif %}",
    "{% if nothing > 3 %}a{% else %}b{% endif %}{% if 'a' in nothing %}c{% else %}d{% endif %}{% if 3 in list %}e{% endif %}",
    "{% if list|length > 2 %}a{% endif %}{% if missing|length > 2 %}b{% endif %}{% if text|add:missing %}c{% else %}d{% endif %}",
    "{% if odd.lost %}a{% else %}b{% endif %}{% if odd.lost == '' %}c{% endif %}{% if number is not None %}d{% endif %}",
    "{% if text not in map %}a{% endif %}{% if number >= 12345 and number < 1 or yes %}b{% endif %}{% if nothing|add:odd.broken %}c{% endif %}",
    "{% for n in list %}{{ n }}{% if not forloop.last %},{% endif %}{% empty %}none{% endfor %}",
    "{% for n in list reversed %}{{ forloop.counter }}{{ forloop.counter0 }}{{ forloop.revcounter }}{{ forloop.revcounter0 }}{{ forloop.first }}{% endfor %}",
    "{% for n in empty %}x{% empty %}{{ n }}none{% endfor %}{% for n in missing %}x{% empty %}none{% endfor %}",
    "{% for a, b in pairs %}{{ a }}={{ b }} {{ forloop.parentloop }}{% endfor %}{% for n in spaces %}{{ n }}{{ forloop.revcounter }}{% endfor %}",
    "{% for r in rows %}{% for m in r.more %}{{ forloop.parentloop.counter }}.{{ m }}{% empty %}{{ r.name }}{% endfor %}{% endfor %}",
    "{% for a, b, c in pairs %}{{ a }}{% endfor %}",
    "{% for k in kind %}{{ k }}{% endfor %}",
    "{% for n in list %}{% if n == 1 %}{% firstof 'set' as seen %}{% endif %}[{{ seen }}]{% endfor %}({{ seen }})",
    "{% load i18n %}{% for n in list %}{% if n == 1 %}{% translate 'Players' as seen %}{% endif %}[{{ seen }}]{% endfor %}({{ seen }})",
    "{% with a=text b=missing %}{{ a }}{{ b }}{% with a=number %}{{ a }}{% endwith %}{{ a }}{% endwith %}{{ a }}",
    "{% with a=text %}{% firstof a as b %}{% with c=b %}{{ c }}{% firstof 'x' as a %}{{ a }}{% endwith %}{{ a }}{% endwith %}{{ a }}",
    "{% load i18n %}{% translate 'Players' %} {% translate 'Points' context 'column' %} {% translate 'Players' as p %}{{ p }} {% translate 'no such <b>' %}",
    "{% load i18n %}{% translate '100% sure' %}{% translate text %}{% translate 'Players' noop %}{{ _('Players') }}{{ text|default:_('Players') }}",
    "{% load i18n %}{% blocktranslate %}a {{ text }} 100%{% endblocktranslate %}{% blocktranslate with n=text|upper %}{{ n }}{{ missing }}{% endblocktranslate %}",
    "{% load i18n %}{% blocktranslate count counter=number %}{{ counter }} hanchan{% plural %}{{ counter }} hanchan{% endblocktranslate %}",
    "{% load i18n %}{% blocktranslate trimmed count counter=1 with x=safe %}\n {{ counter }} player \n{% plural %}\n {{ counter }} players {{ x }}\n{% endblocktranslate %}",
    "{% load i18n %}{% blocktranslate count counter=text %}{{ counter }}{% plural %}{{ counter }}{% endblocktranslate %}",
    "{% load i18n %}{% blocktranslate asvar told %}See {{ text }}{% endblocktranslate %}[{{ told }}]{% for r in rows %}{% blocktranslate with n=r.name %}{{ n }}{% endblocktranslate %}{% endfor %}",
    "{% url 'league:hanchan' 'a' 7 %} {% url 'league:hanchan' 'b' thing.pk %} {% url 'league:standings' 'a' '2026' as there %}{{ there }}",
    "{% url 'league:hanchan' 'a' missing as nowhere %}[{{ nowhere }}]{% url 'no:such' as never %}[{{ never }}]",
    "{% url 'league:hanchan' 'a' missing %}",
    "{% load static tenbo %}{% static 'icons/sprite.svg' %}{% icon 'enter' %}{% static 'icons/sprite.svg' as s %}{{ s }}{% icon text as i %}{{ i }}",
    "{% load tenbo %}{{ thing|local_name }} {{ number|points }} {{ number|points:0 }} {{ nothing|points }} {{ 3|rank_move:1 }} {{ missing|points }}",
    "{% load tenbo %}{{ number|mean_points:zero }} {{ number|points:missing }}",
    "{% include 'components/stat.html' with label=text value=safe only %}{% include 'components/empty.html' with title=number %}",
    "{% for r in rows %}{% include 'components/stat.html' with label=r.name value=number %}{% endfor %}{% include 'no/such.html' %}",
    "{% include 'components/account.html' with user=nothing only %}{% include 'components/progress.html' with label=text done=1 total=4 %}",
    "{% with label='kept' %}{% include 'components/stat.html' with value=1 %}{% include 'components/stat.html' with value=1 only %}{% endwith %}",
    "{% autoescape off %}{{ text }}{% endautoescape %}{% spaceless %}<p> {{ text }} </p> <p></p>{% endspaceless %}{% comment %}{{ odd.broken }}{% endcomment %}",
    "{% cycle 'a' 'b' as c %}{% for n in list %}{% cycle c %}{% ifchanged n %}{{ n }}{% endifchanged %}{% endfor %}{{ forloop }}",
    "{% for n in list %}{{ forloop }}{% endfor %}",
    "{{ odd.broken }}",
    "{{ template_name }}{{ autoescape }}{{ use_tz }}{% include 'components/stat.html' with label=autoescape value=request only %}",
    "{% block one %}a{% block two %}{{ text }}{% endblock %}{{ block.super }}{% endblock %}",
    "{% extends 'base.html' %}{% block title %}{{ text }}{% endblock %}{% block content %}{{ block.super }}{{ number }}{% endblock %}",
]


def told(template: BaseTemplate) -> str:
    """Return what a template says, or how it fails."""
    try:
        return template.render(Context(everything()))
    except Exception as error:  # noqa: BLE001 - whatever it is, both must say it
        return type(error).__name__


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("source", SNIPPETS)
def test_a_function_says_what_django_says(source: str, language: str) -> None:
    engine = Engine.get_default()
    as_function = Template(source, engine=engine)
    quicken(as_function)
    with translation.override(language):
        assert told(as_function) == told(Template(source, engine=engine))


def test_snippets_are_written_and_not_left_to_django() -> None:
    left = [source for source in SNIPPETS if not is_written(Template(source, engine=Engine.get_default()))]
    assert [source for source in left if "_('" not in source and "loop }}" not in source] == []


def is_written(template: BaseTemplate) -> bool:
    try:
        for nodes in lists_of(template):
            written(template, nodes, "en")
    except NotWritableError:
        return False
    return True


def test_every_template_becomes_functions() -> None:
    templates = ROOT / "templates"
    names = [str(path.relative_to(templates)) for path in sorted(templates.rglob("*.html"))]
    assert [name for name in names if not is_written(Engine.get_default().get_template(name))] == []


class Called:
    """The same thing, under another name later."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Called)

    def __hash__(self) -> int:
        return 1

    def __str__(self) -> str:
        return self.name


def test_an_address_names_a_thing_as_it_is_called_now() -> None:
    template = Template("{% url 'league:league_home' thing %}", engine=Engine.get_default())
    quicken(template)
    with translation.override("ja"):
        told = [template.render(Context({"thing": thing})) for thing in (Called("old"), Called("new"), 1, True)]
    assert told == ["/l/old/", "/l/new/", "/l/1/", "/l/True/"]


def test_a_template_is_written_once_for_each_language(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noted(template: BaseTemplate, nodes: Any, language: str) -> Callable[[Context], str]:
        asked.append(language)
        return written(template, nodes, language)

    monkeypatch.setattr("config.drawing.functions.written", noted)
    template = Template("{% load i18n %}{% translate 'Players' %}", engine=Engine.get_default())
    quicken(template)
    quicken(template)
    for language in ("ja", "en", "ja"):
        with translation.override(language):
            template.render(Context())
    assert asked == ["ja", "en"]


def test_django_itself_reads_templates_while_developing() -> None:
    loaders = [("config.drawing.loader.Loader", settings.TEMPLATE_PLACES)]
    library = {
        "i18n": "django.templatetags.i18n",
        "static": "django.templatetags.static",
        "tenbo": "league.templatetags.tenbo",
    }
    engine = Engine(dirs=[str(ROOT / "templates")], loaders=loaders, libraries=library, debug=True)
    assert "render" not in vars(engine.get_template("404.html").nodelist)
    assert "render" in vars(Engine.get_default().get_template("404.html").nodelist)
