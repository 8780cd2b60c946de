"""How each kind of node is written; all others are left to Django."""

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any

from django.template.base import Node, Template, TextNode, VariableNode
from django.template.context import Context
from django.template.defaulttags import CommentNode, ForNode, IfNode, LoadNode, URLNode, WithNode
from django.template.exceptions import TemplateDoesNotExist
from django.template.library import SimpleNode
from django.template.loader_tags import IncludeNode, construct_relative_path
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.templatetags.static import StaticNode
from django.utils import translation

from config.drawing.draft import Draft
from config.drawing.expressions import condition, constant, is_text, value
from config.drawing.scope import Loop, NotWritableError, Scope

SETS = ("asvar", "target_var", "varname", "variable")
"""Where nodes keep the name that they set."""


def write_all(nodes: Iterable[Node], scope: Scope, draft: Draft) -> None:
    """Write nodes one after the other."""
    for node in nodes:
        writer = WRITERS.get(type(node))
        if writer is None or not is_written(node, draft):
            _leave(node, scope, draft)
        else:
            writer(node, scope, draft)


def is_written(node: Node, draft: Draft) -> bool:
    """Return whether a node needs no context of Django, nor does anything inside it."""
    if type(node) not in WRITERS:
        return False
    if isinstance(node, SimpleNode):
        return not node.takes_context
    if isinstance(node, IncludeNode):
        return _is_included_whole(node, draft)
    return all(is_written(each, draft) for inside in _inside(node) for each in inside)


def _inside(node: Any) -> Iterable[Iterable[Node]]:
    """Return the lists of nodes in a node."""
    if isinstance(node, IfNode):
        return [inside for _, inside in node.conditions_nodelists]
    return [getattr(node, name) for name in node.child_nodelists if hasattr(node, name)]


def _leave(node: Node, scope: Scope, draft: Draft) -> None:
    """Write that Django renders a node; what it sets is in the context, and those inside it are written if they can."""
    inside = INSIDE.get(type(node))
    if inside is not None:
        inside(node, scope, draft)
        return
    if not scope.holds:
        raise NotWritableError(node)
    draft.out(f"{draft.give(node.render_annotated)}({scope.context})")
    for name in (getattr(node, attribute, None) for attribute in SETS):
        if isinstance(name, str):
            scope.left.add(name)


def _set(name: str, expression: str, scope: Scope, draft: Draft) -> None:
    """Write that a name of the template means something from here on."""
    variable = scope.maybe.setdefault(name, draft.name())
    scope.known.pop(name, None)
    scope.left.discard(name)
    draft.line(f"{variable} = {expression}")
    if scope.holds:
        draft.line(f"{scope.context}[{name!r}] = {variable}")


def _inner(scope: Scope, nodes: Iterable[Node], known: dict[str, str], draft: Draft, loop: Loop | None = None) -> None:
    """Write nodes that know more names than those around them."""
    inner = Scope(scope.context, holds=False, outer=scope, known=known, loop=loop)
    write_level(nodes, inner, draft)


def write_level(nodes: Iterable[Node], scope: Scope, draft: Draft) -> None:
    """Write nodes with a level of names of their own."""
    draft.flush()
    at, depth = len(draft.lines), draft.depth
    write_all(nodes, scope, draft)
    draft.flush()
    draft.open_names(scope.maybe, at, depth)


# --- Text and values -------------------------------------------------------------------------------------------------


def _text(node: TextNode, _scope: Scope, draft: Draft) -> None:
    draft.text(node.s)


def _nothing(_node: Node, _scope: Scope, _draft: Draft) -> None:
    pass


def _variable(node: VariableNode, scope: Scope, draft: Draft) -> None:
    draft.out(f"shown({value(node.filter_expression, scope, draft)}, {scope.context})")


def _simple_tag(node: SimpleNode, scope: Scope, draft: Draft) -> None:
    arguments = [value(each, scope, draft) for each in node.args]
    arguments += [f"{name}={value(each, scope, draft)}" for name, each in node.kwargs.items()]
    made = f"{draft.give(node.func)}({', '.join(arguments)})"
    if node.target_var is not None:
        _set(node.target_var, made, scope, draft)
    else:
        draft.out(f"escaped({made})")


def _static(node: StaticNode, scope: Scope, draft: Draft) -> None:
    made = f"{draft.give(node.handle_simple)}({value(node.path, scope, draft)})"
    if node.varname is not None:
        _set(node.varname, made, scope, draft)
    else:
        draft.out(f"escaped({made})")


def _url(node: Any, scope: Scope, draft: Draft) -> None:
    name = draft.give(constant(node.view_name))
    arguments = "".join(f"{value(each, scope, draft)}, " for each in node.args)
    named = ", ".join(f"{key!r}: {value(each, scope, draft)}" for key, each in node.kwargs.items())
    draft.asks_addresses = True
    asked = f"where, {name}, ({arguments}), {{{named}}}"
    if node.asvar:
        _set(node.asvar, f"address_or_nothing({asked})", scope, draft)
    else:
        draft.out(f"escaped(address({asked}))")


# --- Branches, loops, names ------------------------------------------------------------------------------------------


def _if(node: IfNode, scope: Scope, draft: Draft) -> None:
    word = "if"
    for test, inside in node.conditions_nodelists:
        if test is None and word == "if":
            raise NotWritableError(node)
        head = "else:" if test is None else f"{word} {condition(test, scope, draft)}:"
        with draft.block(head):
            write_all(inside, scope, draft)
        word = "elif"


def _for(node: Any, scope: Scope, draft: Draft) -> None:
    values, length, number = draft.name(), draft.name("n"), draft.name("i")
    draft.line(f"{values} = listed({value(node.sequence, scope, draft, 'given_or_none')})")
    draft.line(f"{length} = len({values})")
    variables = {name: draft.name() for name in node.loopvars}
    with draft.block(f"if {length} > 0:"):
        draft.flush()
        at, depth = len(draft.lines), draft.depth
        items = f"reversed({values})" if node.is_reversed else values
        item = draft.name() if len(variables) > 1 else next(iter(variables.values()))
        loop = Loop(number, length, scope.loop_around())
        inner = Scope(scope.context, holds=False, outer=scope, known=variables, loop=loop)
        with draft.block(f"for {number}, {item} in enumerate({items}):"):
            if len(variables) > 1:
                draft.line(f"{', '.join(variables.values())} = unpacked({item}, {len(variables)})")
            write_all(node.nodelist_loop, inner, draft)
        draft.open_names(inner.maybe, at, depth)
    if node.nodelist_empty:
        with draft.block("else:"):
            _inner(scope, node.nodelist_empty, {}, draft)


def _values(named: dict[str, Any], scope: Scope, draft: Draft) -> dict[str, str]:
    known = {}
    for name, expression in named.items():
        known[name] = draft.name()
        draft.line(f"{known[name]} = {value(expression, scope, draft)}")
    return known


def _with(node: WithNode, scope: Scope, draft: Draft) -> None:
    _inner(scope, node.nodelist, _values(node.extra_context, scope, draft), draft)


def _with_left(node: WithNode, scope: Scope, draft: Draft) -> None:
    """Write a `with` inside which something is left to Django, so that the context must have its names too."""
    if not scope.holds:
        raise NotWritableError(node)
    known = _values(node.extra_context, scope, draft)
    named = ", ".join(f"{name}={variable}" for name, variable in known.items())
    with draft.block(f"with {scope.context}.push({named}):"):
        write_level(node.nodelist, Scope(scope.context, holds=True, outer=scope, known=known), draft)


def _if_left(node: IfNode, scope: Scope, draft: Draft) -> None:
    """Write an `if` inside which something is left to Django: it adds no names, so nothing else changes."""
    if not scope.holds:
        raise NotWritableError(node)
    _if(node, scope, draft)


# --- Includes --------------------------------------------------------------------------------------------------------


def _is_included_whole(node: IncludeNode, draft: Draft) -> bool:
    try:
        template = _included(node, draft)
    except (NotWritableError, TemplateDoesNotExist):
        return False
    name = template.origin.template_name
    if name in draft.including:
        return False
    draft.including.append(str(name))
    try:
        return all(is_written(each, draft) for each in template.nodelist)
    finally:
        draft.including.pop()


def _included(node: IncludeNode, draft: Draft) -> Template:
    here: Any = node.origin.template_name
    return draft.template.engine.get_template(construct_relative_path(here, constant(node.template)))


def _include(node: IncludeNode, scope: Scope, draft: Draft) -> None:
    template = _included(node, draft)
    known = _values(node.extra_context, scope, draft)
    draft.including.append(str(template.origin.template_name))
    inner = Scope(scope.context, holds=False, outer=scope, is_alone=node.isolated_context, known=known)
    write_level(template.nodelist, inner, draft)
    draft.including.pop()


# --- Sentences -------------------------------------------------------------------------------------------------------


def _translate(node: TranslateNode, scope: Scope, draft: Draft) -> None:
    """Write what a sentence is in the language of the function, which Django itself tells."""
    if not is_text(node.filter_expression) or any(args for _, args in node.filter_expression.filters):
        raise NotWritableError(node)
    context = Context()
    with context.bind_template(draft.template):
        told = node.render(context)
        text = context[node.asvar] if node.asvar else told
    if node.asvar:
        _set(node.asvar, draft.give(text), scope, draft)
    else:
        draft.text(text)


def _block_translate(node: BlockTranslateNode, scope: Scope, draft: Draft) -> None:
    about = constant(node.message_context) if node.message_context else None
    singular, names = node.render_token_list(node.singular)
    known = _values(node.extra_context, scope, draft)
    if node.plural and node.countervar and node.counter:
        plural, more = node.render_token_list(node.plural)
        known[node.countervar] = draft.name()
        draft.line(f"{known[node.countervar]} = counted({value(node.counter, scope, draft)})")
        names = [*names, *more]
        text = f"{draft.give(_forms(about, singular, plural, names))}({known[node.countervar]})"
    else:
        text = draft.give(_checked(_told(about, singular), names))
    inner = Scope(scope.context, holds=False, outer=scope, known=known)
    parts = ", ".join(f"{name!r}: shown({inner.as_it_is(name)}, {scope.context})" for name in dict.fromkeys(names))
    if node.asvar:
        _set(node.asvar, f"SafeString({text} % {{{parts}}})", scope, draft)
    elif not names and not node.plural:
        draft.text(draft.values[text] % {})
    else:
        draft.out(f"{text} % {{{parts}}}")


def _told(about: str | None, text: str) -> str:
    return translation.pgettext(about, text) if about else translation.gettext(text)


def _forms(about: str | None, singular: str, plural: str, names: list[str]) -> Callable[[Any], str]:
    """Return a function from a number to the form of a sentence, in the present language."""
    told = partial(translation.npgettext, about) if about else translation.ngettext
    for number in (0, 1, 2, 5):
        _checked(told(singular, plural, number), names)
    return lru_cache(maxsize=1024)(partial(told, singular, plural))


def _checked(text: str, names: list[str]) -> str:
    """Return a sentence. Raises NotWritableError for one with other names than these, which Django says as it stood."""
    try:
        text % dict.fromkeys(names, "")
    except (KeyError, ValueError, TypeError) as error:
        raise NotWritableError(text) from error
    return text


Writer = Callable[[Any, Scope, Draft], None]

WRITERS: dict[type[Node], Writer] = {
    TextNode: _text,
    CommentNode: _nothing,
    LoadNode: _nothing,
    VariableNode: _variable,
    SimpleNode: _simple_tag,
    StaticNode: _static,
    URLNode: _url,
    IfNode: _if,
    ForNode: _for,
    WithNode: _with,
    IncludeNode: _include,
    TranslateNode: _translate,
    BlockTranslateNode: _block_translate,
}

INSIDE: dict[type[Node], Writer] = {IfNode: _if_left, WithNode: _with_left}
