"""The clock of the server, told to pages that count time."""

from typing import TypeVar

from django.http import HttpResponse
from django.utils import timezone

Answer = TypeVar("Answer", bound=HttpResponse)

NOW = "Tenbo-Now"
"""The header that tells a page what the server's clock says, in 1/1000 seconds since 1970."""


def with_clock(answer: Answer) -> Answer:
    answer.headers[NOW] = str(round(timezone.now().timestamp() * 1000))
    return answer
