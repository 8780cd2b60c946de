"""The `titles` of a tenbo/1 file: a league's own titles."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from league.interchange.field_types import AsList, Line100, Name100, StrictDocument
from league.models import League
from league.services.history import Actor
from stats.core.titles import METRICS, TitleError, TitleScope, read_minimum
from stats.models import OwnTitle
from stats.services.titles import PREFIX, create_title

OwnKey = Annotated[str, StringConstraints(pattern=rf"^{PREFIX}[a-z0-9-]+$", max_length=60)]


def _metric(text: str) -> str:
    if text not in METRICS:
        raise ValueError(f"must be one of {', '.join(METRICS)}")
    return text


def _minimum(text: str) -> str:
    try:
        return str(read_minimum(text))
    except TitleError as error:
        raise ValueError('must be a number of hanchan such as "20", or a share such as "1/3"') from error


class TitleDocument(StrictDocument):
    """A league's own title. `given`: some of "month", "year" and "all"."""

    key: OwnKey
    name: Name100
    name_en: Line100 = ""
    metric: Annotated[str, AfterValidator(_metric)]
    better: Literal["high", "low"]
    minimum: Annotated[str, AfterValidator(_minimum)] = "0"
    given: Annotated[tuple[Literal["month", "year", "all"], ...], AsList, Field(min_length=1)]
    withdrawn: bool = False

    def values(self) -> dict[str, Any]:
        return {
            **self.model_dump(include={"name", "name_en", "metric", "better", "minimum"}),
            "in_months": TitleScope.MONTH in self.given,
            "in_years": TitleScope.YEAR in self.given,
            "of_all_time": TitleScope.ALL in self.given,
        }


def titles_document(league: League) -> list[dict[str, Any]]:
    """Return the league's own titles for a file, including withdrawn ones. One query."""
    return [_document(title) for title in OwnTitle.objects.filter(league=league).order_by("pk")]


def store_titles(league: League, titles: Sequence[TitleDocument], by: Actor) -> None:
    for title in titles:
        create_title(league=league, values=title.values(), by=by, key=title.key, withdrawn=title.withdrawn)


def _document(title: OwnTitle) -> dict[str, Any]:
    return {
        "key": title.key,
        "name": title.name,
        **({"name_en": title.name_en} if title.name_en else {}),
        "metric": title.metric,
        "better": title.better,
        "minimum": title.minimum,
        "given": [scope.value for scope in title.scopes],
        **({"withdrawn": True} if title.withdrawn else {}),
    }
