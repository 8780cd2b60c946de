"""What the written functions call: names, filters and values as Django's templates treat them, without its detours."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from html import escape
from inspect import signature
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.template.base import VariableDoesNotExist, render_value_in_context
from django.template.context import Context
from django.template.exceptions import TemplateSyntaxError
from django.urls import NoReverseMatch, get_script_prefix, get_urlconf, reverse
from django.utils.html import conditional_escape
from django.utils.safestring import SafeData, SafeString, mark_safe
from django.utils.translation import get_language

MISSING: Any = object()
"""A name that there is not."""

BROKEN: Any = object()
"""A name behind which there should be a row of the database, and is none: an empty text even in conditions."""

NO_ITEM = (TypeError, AttributeError, KeyError, ValueError, IndexError)


# --- Names -----------------------------------------------------------------------------------------------------------


def find(context: Context, name: str) -> Any:
    """Return what a name means in a context, called if it can be; MISSING if there is no such name."""
    for level in reversed(context.dicts):
        if name in level:
            value = level[name]
            return called(value) if callable(value) else value
    return MISSING


def raw(context: Context, name: str) -> Any:
    """Return what a name means for a sentence that is translated: as it is, or nothing."""
    for level in reversed(context.dicts):
        if name in level:
            return level[name]
    return ""


_without_items: set[type] = set()
"""Kinds of things that have attributes only, such as rows of the database."""


def step(thing: Any, name: str) -> Any:
    """Return the item or attribute of a thing, as a dot in a template asks for it; MISSING and BROKEN stay."""
    try:
        if type(thing) in _without_items:
            try:
                value = getattr(thing, name)
            except (TypeError, AttributeError) as error:
                value = _otherwise(thing, name, error)
        elif thing is MISSING or thing is BROKEN:
            return thing
        else:
            value = _item(thing, name)
        return called(value) if callable(value) else value
    except ObjectDoesNotExist:
        return BROKEN


def _item(thing: Any, name: str) -> Any:
    if hasattr(type(thing), "__getitem__"):
        try:
            return thing[name]
        except NO_ITEM:
            pass
    else:
        _without_items.add(type(thing))
    try:
        return getattr(thing, name)
    except (TypeError, AttributeError) as error:
        return _otherwise(thing, name, error)


def _otherwise(thing: Any, name: str, error: Exception) -> Any:
    """Return an item by its number; MISSING if there is none. Raises the error of an attribute that is there."""
    if name in dir(thing):
        raise error
    try:
        return thing[int(name)]
    except NO_ITEM:
        return MISSING


def place(thing: Any, name: str, number: int) -> Any:
    """Return the same for a name that is a number."""
    if type(thing) in {tuple, list}:
        try:
            value = thing[number]
        except IndexError:
            return MISSING
        return called(value) if callable(value) else value
    return step(thing, name)


def called(value: Any) -> Any:
    """Return what a template makes of something that can be called."""
    try:
        if getattr(value, "do_not_call_in_templates", False):
            return value
        return "" if getattr(value, "alters_data", False) else _call(value)
    except ObjectDoesNotExist:
        return BROKEN


def _call(value: Callable[[], Any]) -> Any:
    try:
        return value()
    except TypeError:
        try:
            signature(value).bind()
        except (TypeError, ValueError):
            return ""
        raise


def given(value: Any) -> Any:
    """Return a value; an empty text for one that there is not."""
    return "" if value is MISSING or value is BROKEN else value


def given_or_none(value: Any) -> Any:
    """Return a value as a condition and a loop see it."""
    return None if value is MISSING else "" if value is BROKEN else value


def needed(value: Any) -> Any:
    """Return what a filter is given besides. Raises VariableDoesNotExist, as Django does there."""
    if value is MISSING:
        raise VariableDoesNotExist("An argument of a filter is missing.")
    return "" if value is BROKEN else value


# --- Values ----------------------------------------------------------------------------------------------------------


def shown(value: Any, context: Context) -> str:
    """Return a value as HTML."""
    kind = type(value)
    if kind is SafeString:
        return value  # type: ignore[no-any-return]
    if kind is str:
        return escape(value)
    if kind is int and not settings.USE_THOUSAND_SEPARATOR:
        return str(value)
    return render_value_in_context(value, context)


def kept_safe(function: Callable[..., Any], value: Any, *arguments: Any, **named: Any) -> Any:
    """Return what a filter makes of a value, which is safe if the value was."""
    made = function(value, *arguments, **named)
    return mark_safe(made) if isinstance(value, SafeData) else made  # noqa: S308 - as the filter promises


def escaped(value: Any) -> str:
    """Return what a tag says, as HTML."""
    return value if type(value) is SafeString else conditional_escape(value)


def listed(values: Any) -> Any:
    """Return what a loop goes through, with a length."""
    if values is None:
        return ()
    return values if hasattr(values, "__len__") else list(values)


def unpacked(item: Any, count: int) -> Sequence[Any]:
    """Return the parts of an item of a loop. Raises ValueError unless there are so many."""
    try:
        length = len(item)
    except TypeError:
        length = 1
    if length != count:
        message = f"Need {count} values to unpack in for loop; got {length}. "
        raise ValueError(message)
    return tuple(item)


def counted(number: Any) -> Any:
    """Return the number that a sentence counts. Raises TemplateSyntaxError for anything else."""
    if not isinstance(number, (Decimal, float, int)):
        message = f"{number!r} is not a number that a sentence could count."
        raise TemplateSyntaxError(message)
    return number


def quiet(work: Callable[[], Any]) -> Any:
    """Return what an operator makes of its sides; False where they do not fit each other."""
    try:
        return work()
    except Exception:  # noqa: BLE001 - as Django's operators do
        return False


def tested(work: Callable[[], Any]) -> Any:
    """Return the value of a condition; None where the argument of a filter is missing."""
    try:
        return work()
    except VariableDoesNotExist:
        return None


# --- Addresses -------------------------------------------------------------------------------------------------------

PLAIN = {str, int, SafeString}
"""Parts of addresses that are the same where they are equal; other things may be called otherwise next time."""

PROBES = (7_000_001, 7_000_003)

Site = tuple[Any, str | None, str, str | None]
"""What addresses depend on besides what they lead to: the addresses there are, the language, the prefix, the app."""


def site_of(context: Context) -> Site:
    """Return what the addresses on a page depend on."""
    request = getattr(context, "request", None)
    app = getattr(request, "current_app", MISSING)
    if app is MISSING:
        app = getattr(getattr(request, "resolver_match", None), "namespace", None)
    return get_urlconf() or settings.ROOT_URLCONF, get_language(), get_script_prefix(), app


def address(site: Site, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> str:
    """Return the address of a page. Raises NoReverseMatch."""
    if not all(type(each) in PLAIN for each in (*arguments, *named.values())):
        return reverse(name, args=arguments, kwargs=named, current_app=site[3])
    if not named and arguments and type(arguments[-1]) is int and arguments[-1] >= 0:
        ends = _numbered(site, name, arguments[:-1])
        if ends is not None:
            return f"{ends[0]}{arguments[-1]}{ends[1]}"
    return _kept_address(site, name, arguments, tuple(named.items()))


def address_or_nothing(site: Site, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> str:
    """Return the address of a page, nothing where there is none."""
    try:
        return address(site, name, arguments, named)
    except NoReverseMatch:
        return ""


@lru_cache(maxsize=4096)
def _kept_address(site: Site, name: str, arguments: tuple[Any, ...], named: tuple[tuple[str, Any], ...]) -> str:
    return reverse(name, args=arguments, kwargs=dict(named), current_app=site[3])


@lru_cache(maxsize=4096)
def _numbered(site: Site, name: str, arguments: tuple[Any, ...]) -> tuple[str, str] | None:
    """Return what stands before and after the number that such addresses end with; None where numbers are no matter."""
    try:
        one, other = (reverse(name, args=(*arguments, probe), current_app=site[3]) for probe in PROBES)
    except NoReverseMatch:
        return None
    ends = [tuple(text.split(str(probe))) for text, probe in zip((one, other), PROBES, strict=True)]
    return (ends[0][0], ends[0][1]) if ends[0] == ends[1] and len(ends[0]) == 2 else None
