"""The nodes of a template as one function for each language, written when it is first asked for."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.template.base import NodeList, Template
from django.template.context import Context
from django.template.loader_tags import BlockNode
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.timezone import template_localtime  # type: ignore[attr-defined]
from django.utils.translation import get_language

from config.drawing import running
from config.drawing.draft import Draft
from config.drawing.nodes import write_level
from config.drawing.scope import NotWritableError, Scope

Function = Callable[[Context], str]

KNOWN: dict[str, Any] = {
    **{name: getattr(running, name) for name in vars(running) if not name.startswith("_")},
    "conditional_escape": conditional_escape,
    "template_localtime": template_localtime,
    "SafeString": SafeString,
}
"""What every function knows."""

PARAMETER = "context"


def quicken(template: Template) -> None:
    """Let a template be rendered by functions, and each of its blocks. Doing it again changes nothing."""
    if "render" in vars(template.nodelist):
        return
    for nodes in lists_of(template):
        vars(nodes)["render"] = _renderer(template, nodes)
    # A page asks for the blocks of its frame each time it is rendered.
    vars(template.nodelist)["get_nodes_by_type"] = lru_cache(template.nodelist.get_nodes_by_type)


def lists_of(template: Template) -> list[NodeList]:
    """Return the nodes of a template, and those of each of its blocks."""
    blocks: list[Any] = template.nodelist.get_nodes_by_type(BlockNode)
    return [template.nodelist, *(block.nodelist for block in blocks)]


def _renderer(template: Template, nodes: NodeList) -> Function:
    functions: dict[str, Function] = {}

    def render(context: Context) -> str:
        if not context.autoescape:
            return NodeList.render(nodes, context)
        language = get_language() or ""
        function = functions.get(language)
        if function is None:
            function = functions[language] = _function(template, nodes, language)
        return function(context)

    return render


def _function(template: Template, nodes: NodeList, language: str) -> Function:
    try:
        return written(template, nodes, language)
    except NotWritableError:
        return lambda context: NodeList.render(nodes, context)


def written(template: Template, nodes: NodeList, language: str) -> Function:
    """Return nodes as a function. Raises NotWritableError where Django must do it all."""
    draft = Draft(template, language)
    draft.including.append(str(template.origin.template_name))
    write_level(nodes, Scope(PARAMETER, holds=True), draft)
    source = "\n".join(
        [
            f"def render({PARAMETER}):",
            "    texts = []",
            "    out = texts.append",
            *(["    where = site_of(context)"] if draft.asks_addresses else []),
            *draft.lines,
            "    return SafeString(''.join(texts))",
        ]
    )
    values = {**KNOWN, **draft.values}
    exec(compile(source, f"<{template.origin}>", "exec"), values)  # noqa: S102 - written above, of our own templates
    function: Function = values["render"]
    return function
