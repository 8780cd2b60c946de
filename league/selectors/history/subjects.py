"""Registry of the kinds of objects in the history; other apps register theirs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import Model
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from league import models

Labels = Mapping[str, str | Promise]
Link = Callable[[models.League, int], str]
"""Returns the URL of an object, by league and primary key."""


@dataclass(frozen=True, slots=True)
class HistorySubject:
    """A kind of object in the history; `key` is the `subject` of its revisions.

    `title`: name in singular; `titles`: in plural for the filter, which leaves it out if "". `labels`: names of
    snapshot keys, by default the verbose names of `model`. `values`: display texts by key and value, by default the
    field's choices. `silent`: keys not shown. `titles_by_part`: other titles, used if the snapshot has that key.
    `sentence`: returns what happened, from the snapshots before and after; if "", action and changed values are shown.
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
    sentence: Callable[[Any, Any], str] = lambda _before, _after: ""


def subject_for(model: type[Model], link: Link | None = None, **options: Any) -> HistorySubject:
    """Return the subject of a model, by default with the model's verbose names as titles."""
    names = {"title": capfirst(model._meta.verbose_name), "titles": capfirst(model._meta.verbose_name_plural)}
    return HistorySubject(model._meta.model_name or "", model=model, link=link, **names | options)


subjects: dict[str, HistorySubject] = {}


def register_subject(subject: HistorySubject) -> None:
    """Register a kind of object; apps call this when they are loaded."""
    subjects[subject.key] = subject


def subject_of(key: str) -> HistorySubject:
    """Return the subject with this key; unknown ones are shown as the key itself."""
    return subjects.get(key) or HistorySubject(key, key)


def subject_choices() -> list[tuple[str, str | Promise]]:
    return [(subject.key, subject.titles) for subject in subjects.values() if subject.titles]


def _own_page(name: str) -> Link:
    return lambda league, pk: reverse(name, args=[league.slug, pk])


def _common_page(name: str) -> Link:
    return lambda league, _pk: reverse(name, args=[league.slug])


LEAGUE_SUBJECTS = (
    subject_for(
        models.Hanchan, _own_page("league:hanchan"), silent=frozenset({"ruleset_version", "seats", "incidents"})
    ),
    subject_for(models.Session, _own_page("league:session"), silent=frozenset({"plan"})),
    subject_for(models.Player, _own_page(settings.PLAYER_PAGE)),
    subject_for(models.Adjustment, _common_page("league:adjustments"), silent=frozenset({"player", "name", "reason"})),
    subject_for(models.SessionPoints, _common_page("league:sessions"), silent=frozenset({"player", "name"})),
    subject_for(models.Ruleset, _common_page("league:rules"), title=_("Rules"), titles=_("Rules")),
    subject_for(models.League, _common_page("league:settings"), title=_("Settings"), titles=_("Settings")),
    subject_for(models.Membership, title=_("Member"), titles=_("Members")),
    subject_for(models.Attendance, silent=frozenset({"name", "session"})),
    subject_for(models.AttendanceLink, titles="", silent=frozenset({"name", "session"})),
    subject_for(
        models.LeagueOffer,
        title=_("League handover"),
        titles="",
        labels={"from": _("from"), "afterwards": _("afterwards"), "accepted": _("accepted")},
    ),
    subject_for(models.TableLink, titles="", silent=frozenset({"session", "table"})),
    subject_for(models.LiveAddress, _common_page("league:live")),
    subject_for(models.HeldResult, titles="", silent=frozenset({"typed"})),
    subject_for(models.Photo, titles="", silent=frozenset({"digest", "hanchan", "size"})),
)

for _subject in LEAGUE_SUBJECTS:
    register_subject(_subject)
