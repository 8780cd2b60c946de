"""Registry of subjects of the history; apps above add theirs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from django.conf import settings
from django.db.models import Model
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from league.models import (
    Adjustment,
    Attendance,
    AttendanceLink,
    Hanchan,
    HeldResult,
    League,
    LeagueOffer,
    LiveAddress,
    Membership,
    Photo,
    Player,
    Ruleset,
    Session,
    SessionPoints,
    TableLink,
)

Labels = Mapping[str, str | Promise]
Link = Callable[[League, int], str]
"""Gives the address of a thing of the league, named by its primary key."""


@dataclass(frozen=True, slots=True)
class HistorySubject:
    """A kind of thing that the history tells of, under the `key` that its revisions carry.

    `title` names one of them, `titles` several; without `titles` readers cannot ask for these alone. Parts of a
    snapshot are called by `labels`, else as the fields of `model`; coded values of a part are said by `values`, else by
    the choices of the field. Parts in `silent` are numbers of rows, or stand elsewhere in the line. Where the snapshot has
    a part of `titles_by_part`, that is what the line is about.
    """

    key: str
    title: str | Promise
    titles: str | Promise = ""
    model: type[Model] | None = None
    link: Link | None = None
    labels: Labels = field(default_factory=dict)
    values: Mapping[str, Labels] = field(default_factory=dict)
    silent: frozenset[str] = frozenset()
    titles_by_part: Labels = field(default_factory=dict)


_subjects: dict[str, HistorySubject] = {}


def register_subject(subject: HistorySubject) -> None:
    """Let the history tell of a kind of thing; an app does that for its own when Django has loaded it."""
    _subjects[subject.key] = subject


def subject_of(key: str) -> HistorySubject:
    """Return the subject with this key; unknown ones have only their key."""
    return _subjects.get(key) or HistorySubject(key, key)


def subject_choices() -> list[tuple[str, str | Promise]]:
    """Return the kinds of things that a reader can ask for, as a form takes them."""
    return [(subject.key, subject.titles) for subject in registered_subjects() if subject.titles]


def registered_subjects() -> tuple[HistorySubject, ...]:
    """Return every kind of thing that a history can tell of in words."""
    return tuple(_subjects.values())


def _own_page(name: str) -> Link:
    return lambda league, pk: reverse(name, args=[league.slug, pk])


def _common_page(name: str) -> Link:
    return lambda league, _pk: reverse(name, args=[league.slug])


LEAGUE_SUBJECTS = (
    HistorySubject(
        "hanchan",
        _("Hanchan"),
        _("Hanchan"),
        Hanchan,
        _own_page("league:hanchan"),
        silent=frozenset({"ruleset_version", "seats", "incidents"}),
    ),
    HistorySubject(
        "session", _("Session"), _("Sessions"), Session, _own_page("league:session"), silent=frozenset({"plan"})
    ),
    HistorySubject("player", _("Player"), _("Players"), Player, _own_page(settings.PLAYER_PAGE)),
    HistorySubject(
        "adjustment",
        _("Adjustment"),
        _("Adjustments"),
        Adjustment,
        _common_page("league:adjustments"),
        silent=frozenset({"player", "name", "reason"}),
    ),
    HistorySubject(
        "sessionpoints",
        _("Points without hanchan"),
        _("Points without hanchan"),
        SessionPoints,
        _common_page("league:sessions"),
        silent=frozenset({"player", "name"}),
    ),
    HistorySubject("ruleset", _("Rules"), _("Rules"), Ruleset, _common_page("league:rules")),
    HistorySubject("league", _("Settings"), _("Settings"), League, _common_page("league:settings")),
    HistorySubject("membership", _("Member"), _("Members"), Membership),
    HistorySubject("attendance", _("Attendance"), _("Attendance"), Attendance, silent=frozenset({"name", "session"})),
    HistorySubject("attendancelink", _("Attendance link"), model=AttendanceLink, silent=frozenset({"name", "session"})),
    HistorySubject(
        "leagueoffer",
        _("Handover of the league"),
        labels={"user": _("to"), "from": _("from"), "afterwards": _("afterwards"), "accepted": _("accepted")},
        values={"afterwards": dict(LeagueOffer.Afterwards.choices)},
    ),
    HistorySubject("tablelink", _("Table link"), model=TableLink, silent=frozenset({"session", "table"})),
    HistorySubject("liveaddress", _("Live address"), _("Live addresses"), LiveAddress, _common_page("league:live")),
    HistorySubject("heldresult", _("Held result"), model=HeldResult, silent=frozenset({"typed"})),
    HistorySubject("photo", _("Photo"), model=Photo, silent=frozenset({"digest", "hanchan", "size"})),
)

for _subject in LEAGUE_SUBJECTS:
    register_subject(_subject)
