"""Variables, filters and conditions of templates as expressions of Python."""

from typing import Any

from django.template.base import FilterExpression, Variable
from django.template.defaulttags import TemplateLiteral
from django.template.smartif import TokenBase
from django.utils.safestring import SafeString, mark_safe

from config.drawing.draft import Draft
from config.drawing.scope import NotWritableError, Scope

COMPARISONS = {"==", "!=", ">", ">=", "<", "<=", "in", "not in", "is", "is not"}


def variable(var: Variable, scope: Scope, draft: Draft) -> str:
    """Return the expression of a variable or literal; it may be MISSING. Raises NotWritableError."""
    if var.translate:
        raise NotWritableError(var.var)
    lookups = var.lookups
    if lookups is None:
        return literal(var.literal, draft)
    if lookups[0] == "forloop" and "forloop" not in scope.known:
        return _of_loop(lookups, scope)
    found = scope.root(lookups[0])
    for name in lookups[1:]:
        found = f"place({found}, {name!r}, {name})" if _is_number(name) else f"step({found}, {name!r})"
    return found


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdecimal() and str(int(name)) == name


def literal(value: Any, draft: Draft) -> str:
    """Return the expression of a value that is the same for every page."""
    return repr(value) if type(value) in {int, float} else draft.give(value)


def _of_loop(lookups: tuple[str, ...], scope: Scope) -> str:
    loop = scope.loop_around()
    for name in lookups[1:-1]:
        if name != "parentloop" or loop is None:
            raise NotWritableError(lookups)
        loop = loop.outer
    if loop is None or len(lookups) == 1:
        raise NotWritableError(lookups)
    return loop.expression(lookups[-1])


def value(expression: FilterExpression, scope: Scope, draft: Draft, otherwise: str = "given") -> str:
    """Return the expression of a variable with its filters. `otherwise`: what a missing one becomes."""
    if expression.is_var:
        found = variable(expression.var, scope, draft)
        if isinstance(expression.var, Variable) and expression.var.lookups is not None:
            found = f"{otherwise}({found})"
    else:
        found = literal(expression.var, draft)
    for function, arguments in expression.filters:
        found = _filtered(found, function, [_argument(each, scope, draft) for each in arguments], scope, draft)
    return found


def _argument(argument: tuple[bool, Any], scope: Scope, draft: Draft) -> str:
    is_looked_up, var = argument
    if not is_looked_up:
        return draft.give(mark_safe(var))  # noqa: S308 - it stands in the template
    return f"needed({variable(var, scope, draft)})" if var.lookups is not None else variable(var, scope, draft)


def _filtered(found: str, function: Any, arguments: list[str], scope: Scope, draft: Draft) -> str:
    if getattr(function, "expects_localtime", False):
        found = f"template_localtime({found}, {scope.context}.use_tz)"
    if getattr(function, "needs_autoescape", False):
        arguments = [*arguments, "autoescape=True"]
    if told := getattr(function, "told_in", None):
        return f"{draft.give(told)}({', '.join([repr(draft.language), found, *arguments])})"
    if not getattr(function, "is_safe", False):
        return f"{draft.give(function)}({', '.join([found, *arguments])})"
    return f"kept_safe({', '.join([draft.give(function), found, *arguments])})"


# --- Conditions ------------------------------------------------------------------------------------------------------


def condition(token: TokenBase, scope: Scope, draft: Draft) -> str:
    """Return the expression of what stands in an `if`."""
    found = _operation(token, scope, draft)
    return f"tested(lambda: {found})" if isinstance(token, TemplateLiteral) and "needed(" in found else found


def _operation(token: Any, scope: Scope, draft: Draft) -> str:
    if isinstance(token, TemplateLiteral):
        expression: Any = token.value
        return value(expression, scope, draft, "given_or_none")
    first = _operation(token.first, scope, draft)
    if token.id == "not":
        found = f"(not {first})"
    elif token.id in {"and", "or", *COMPARISONS}:
        found = f"({first} {token.id} {_operation(token.second, scope, draft)})"
    else:
        raise NotWritableError(token.id)
    return f"quiet(lambda: {found})" if _may_fail(token) else found


def _may_fail(token: Any) -> bool:
    """Return whether sides of an operator may not fit each other, or a filter may fail."""
    sides = [side for side in (token.first, token.second) if side is not None]
    if token.id in COMPARISONS - {"==", "!=", "is", "is not"}:
        return True
    return any(getattr(getattr(side, "value", None), "filters", ()) for side in sides)


def constant(expression: FilterExpression) -> Any:
    """Return the value of an expression that is the same on every page. Raises NotWritableError for another."""
    var = expression.var
    if expression.filters or (expression.is_var and (var.lookups is not None or var.translate)):
        raise NotWritableError(expression)
    return var.literal if expression.is_var else var


def is_text(expression: FilterExpression) -> bool:
    """Return whether an expression is a text that stands in the template, perhaps with filters."""
    var = expression.var
    return isinstance(var, (str, SafeString)) or (isinstance(var, Variable) and isinstance(var.literal, str))
