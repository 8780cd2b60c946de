from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.apps import apps
from django.contrib.sessions.backends.db import SessionStore
from django.db import models

from accounts.models import Claim, Invitation, Notice, NoticeMail
from league.models import Attendance, League, Player, SentForm
from league.services.erasing.person import Erasure, erase_player
from league.services.history import SYSTEM
from tests.league.factories import make_user
from tests.league.made_rows import make_row
from tests.league.people.erasing import NAME, found_in, make_named_league
from tests.league.people.test_erasing import ASKED
from tournaments.models import Registration, RegistrationTerms

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

APPS = ("league", "tournaments", "accounts", "stats", "admin")

NOT_WRITTEN = {
    "league.Player": "has columns of its own for the name",
    "league.PlayerAlias": "as well",
    "league.Board": "sums, found by the key of a period",
    "league.Standing": "as well",
    "league.Attempts": "digests",
    "league.SignOfLife": "names of workers",
    "stats.KeptSums": "sums",
    "stats.Award": "the key of a title",
    "league.FormerAddress": "an address",
    "accounts.Preferences": "what an account is called",
}
"""Tables without text about people, with the reason."""

OF_THINGS = {
    "object_id",
    "name",
    "name_en",
    "key",
    "slug",
    "time_zone",
    "file",
    "digest",
    "message_id",
    "to",
    "stage",
    "texts",
    "format_key",
}
"""Columns that hold names of leagues, rules and tournaments, or identifiers."""

GUARDED = {"league.Revision"}
"""Append-only tables: the services that make_named_league calls write the names there."""


@pytest.fixture
def named() -> tuple[League, Player]:
    """A league with rows in every table that may hold a name."""
    league, her = make_named_league()
    make_user("ueno")
    for model in (Invitation, Claim, NoticeMail, Notice, SentForm, Attendance, RegistrationTerms, Registration):
        make_row(model)
    return league, her


def written_in(model: type[models.Model]) -> Iterator[str]:
    """Yield the columns that hold text written by people."""
    for field in model._meta.concrete_fields:
        is_text = isinstance(field, models.CharField | models.TextField | models.JSONField)
        is_code = getattr(field, "choices", None) or field.name in OF_THINGS or field.name.endswith(("_hash", "_mark"))
        if is_text and not is_code and (getattr(field, "max_length", None) or 999) >= len(NAME) * 4:
            yield field.name


def plant() -> set[str]:
    """Write the name into every such column of all rows; return the columns as "app.Model.column"."""
    planted = set()
    for model in apps.get_models():
        label = model._meta.label
        if model._meta.app_label not in APPS or label in NOT_WRITTEN or label in GUARDED:
            continue
        for column in written_in(model):
            is_json = isinstance(model._meta.get_field(column), models.JSONField)
            value: Any = {"of": [f"{NAME}さん"]} if is_json else f"{NAME}さん"
            if model._base_manager.update(**{column: value}):
                planted.add(f"{label}.{column}")
    return planted


@pytest.mark.merge
def test_erased_name_is_in_no_column_of_any_table(named: tuple[League, Player]) -> None:
    _league, her = named
    planted = plant()
    assert {
        "accounts.Invitation.label",
        "accounts.Claim.note",
        "accounts.NoticeMail.error",
        "league.SentForm.answer",
    } <= planted
    assert len(planted) > 30
    erase_player(player=her, asked=ASKED, by=SYSTEM)
    left = [place for place in sorted(planted) if holds(*place.rsplit(".", 1))]
    assert left == []


def holds(label: str, column: str) -> bool:
    values = apps.get_model(label)._base_manager.values_list(column, flat=True)
    return any(found_in(str(value).encode()) for value in values)


@pytest.mark.merge
def test_erased_name_is_in_no_login_session(named: tuple[League, Player]) -> None:
    _league, her = named
    waiting, other = SessionStore(), SessionStore()
    waiting["suspended"], other["suspended"] = {"POST": f"reason={NAME}"}, {"POST": "reason=石田"}
    waiting["theme"] = "dark"
    waiting.save()
    other.save()
    erase_player(player=her, asked=Erasure("asked"), by=SYSTEM)
    assert dict(SessionStore(waiting.session_key).items()) == {"theme": "dark"}
    assert SessionStore(other.session_key)["suspended"] == {"POST": "reason=石田"}


@pytest.mark.merge
def test_erased_name_is_in_no_stored_redirect(named: tuple[League, Player]) -> None:
    _league, her = named
    SentForm.objects.create(digest="2", answer=f"/l/friday/people/?q={quote(NAME)}")
    SentForm.objects.create(digest="3", answer="/l/friday/people/?q=1")
    erase_player(player=her, asked=ASKED, by=SYSTEM)
    assert list(SentForm.objects.filter(digest__in=("2", "3")).values_list("digest", flat=True)) == ["3"]
