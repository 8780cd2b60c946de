import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
import time_machine
from celery import current_app
from django import forms
from django.conf import settings

from league.background import Message
from league.core.periods import parse_period
from league.forms.leagues import SETTINGS, SettingsForm
from league.models import League
from league.services.boards import unwatched
from league.services.calendar import change_settings
from league.services.history import SYSTEM
from league.services.people import change_player, facts_of
from league.services.rescoring import rescore
from league.services.rules import save_version
from stats.core.titles import METRICS
from stats.models import Award, KeptSums, OwnTitle
from stats.services.following import holders_of
from stats.services.titles import change_title, create_title, set_withdrawn
from tests.budget import budget, varied
from tests.conftest import built_once
from tests.keeping.test_verify import verify
from tests.league.boards.test_random_walk import UMAS
from tests.league.factories import make_league, make_session, play

LATER = datetime(2026, 3, 5, 12, tzinfo=UTC)
pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.time_machine(LATER)]

WORK = {"league.sweep_stale_periods", "league.refresh_standings", "league.run_job"}
"""Jobs that may follow a change besides `stats`; backups and photo moves are left out."""

TEXTS = {"time_zone": ("Asia/Tokyo", "America/New_York", "Europe/Berlin", "Pacific/Apia")}
CLOCKS = (time(0), time(6), time(21, 30), time(23))
Sweep = Callable[[], None]


@built_once()
def shared() -> League:
    """A league in which Aoki won three in a row over midnight in mid-month, and ten over New Year."""
    league = make_league(players=5)
    with time_machine.travel(LATER):
        session = make_session(league, date(2025, 11, 21))
        for number, raw in enumerate(
            ((65000, 25000, 10000, 0), (40000, 30000, 20000, 10000), (40000, 30000, 20000, 10000))
        ):
            play(
                session, raw, yakuman=((1, "国士無双"),), played_at=datetime(2025, 11, 14 + number, 13, 30, tzinfo=UTC)
            )
        session = make_session(league, date(2025, 12, 31))
        first = datetime(2025, 12, 31, 9, tzinfo=UTC)
        for number in range(10):
            play(session, (40000, 30000, 20000, 10000), played_at=first + timedelta(hours=number))
    return league


@pytest.fixture
def league(shared: League, sweep: Sweep) -> League:
    sweep()
    return League.objects.get(pk=shared.pk)


@pytest.fixture
def sweep(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[Any]]
) -> Sweep:
    waiting: list[Message] = []
    monkeypatch.setattr("league.background._dispatch", waiting.append)

    def swept() -> None:
        current_app.loader.import_default_modules()
        for _ in range(2):
            waiting.extend(map(Message, settings.SWEEPS))
            while waiting:
                message = waiting.pop(0)
                if message.task in WORK or message.task.startswith("stats."):
                    with django_capture_on_commit_callbacks(execute=True):
                        current_app.tasks[message.task](*message.args)

    return swept


def choices_of(form: SettingsForm, name: str) -> list[Any]:
    """Return the possible new values of a setting by the type of its field, so that new settings are covered too."""
    if name == "tiebreak":
        steps = dict(form["tiebreak_1"].field.choices)  # type: ignore[attr-defined]
        return [["last_hanchan", "shared"], *([step] for step in steps)]
    match form[name].field:
        case forms.BooleanField():
            return [False, True]
        case forms.ChoiceField() as field:
            return [value for value, _ in field.widget.choices]
        case forms.IntegerField():
            return [0, 3, 11]
        case forms.TimeField():
            return list(CLOCKS)
        case forms.CharField():
            return list(TEXTS.get(name, ("青葉", "Aoba")))
    raise AssertionError(name)


class Walk:
    def __init__(self, seed: int, league: League) -> None:
        self.dice, self.key = random.Random(seed), league.pk
        self.form = SettingsForm(league=league)
        self.settings = [*SETTINGS, "tiebreak"]
        self.dice.shuffle(self.settings)

    @property
    def league(self) -> League:
        return League.objects.select_related("current_version").get(pk=self.key)

    def set_one(self) -> None:
        league, name = self.league, self.settings[0]
        self.settings = [*self.settings[1:], name]
        value = self.dice.choice([each for each in choices_of(self.form, name) if each != getattr(league, name)])
        change_settings(league=league, settings={name: value}, by=SYSTEM)

    def rules(self) -> None:
        league = self.league
        version = league.current_version
        assert version is not None
        parameters = {**version.parameters, "uma": self.dice.choice(UMAS)}
        newer = save_version(ruleset=version.ruleset, parameters=parameters, note="uma", by=SYSTEM)
        rescore(league, newer.pk, SYSTEM, unwatched)

    def name(self) -> None:
        player = self.dice.choice(list(self.league.players.order_by("pk")))
        change_player(player=player, facts=replace(facts_of(player), name=f"選手{self.dice.random()}"), by=SYSTEM)

    def title(self) -> None:
        titles = list(OwnTitle.objects.filter(league=self.key).order_by("pk"))
        chosen = {"metric": self.dice.choice([*METRICS]), "better": self.dice.choice(("high", "low"))}
        if len(titles) < 3:
            create_title(league=self.league, values={"name": "皆勤賞", **chosen}, by=SYSTEM)
        elif self.dice.random() < 0.5:
            change_title(title=self.dice.choice(titles), values=chosen, reason="", by=SYSTEM)
        else:
            title = self.dice.choice(titles)
            set_withdrawn(title=title, withdrawn=not title.withdrawn, reason="", by=SYSTEM)


def check_title_holders(league: League) -> None:
    kept = KeptSums.objects.filter(league=league, player=None).values_list("period", flat=True)
    stored: dict[str, set[tuple[str, int]]] = {key: set() for key in kept}
    assert stored
    for period, key, player in (
        Award.objects.filter(league=league).exclude(key=Award.EVENINGS).values_list("period", "key", "player")
    ):
        stored[period].add((key, player))
    assert stored == {key: holders_of(league, parse_period(key, league.first_month)) for key in stored}


@pytest.mark.merge
@varied("seed", range(3))
def test_changed_settings_update_all_derived_data(league: League, sweep: Sweep, seed: int) -> None:
    walk = Walk(seed, league)
    for number in range(budget(100, least=len(walk.settings))):
        walk.set_one()
        walk.dice.choice((walk.rules, walk.name, walk.title, walk.title))() if number % 4 == 3 else None
        sweep()
        left, told = verify(walk.league.slug)
        assert left == 0, told
        check_title_holders(walk.league)
