"""Answers that are everybody's: alike for whoever brings nothing of their own, so that an edge may hand them to others.

A view says of an answer that it is; `config/middleware.py` looks whether anything speaks against it. Without an edge nothing
of this changes an answer.
"""

from typing import TypeVar

from django.http import HttpRequest, HttpResponse

Answer = TypeVar("Answer", bound=HttpResponse)


def brings_nothing(request: HttpRequest) -> bool:
    """Return whether an edge stands before the site and whoever asks brings no cookie and nothing else of their own."""
    return getattr(request, "brings_nothing", False)


def everybodys(request: HttpRequest, answer: Answer) -> Answer:
    """Return an answer that is everybody's; to whoever brings something of their own it is theirs."""
    setattr(answer, "is_everybodys", brings_nothing(request))  # noqa: B010 - an answer has no such field
    return answer


def refuse(request: HttpRequest) -> None:
    """Note that there is nothing here for whoever asks, with the same answer as where there never was anything."""
    setattr(request, "is_refused", True)  # noqa: B010 - nor has a request this one
