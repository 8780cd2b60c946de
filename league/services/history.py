"""The history of changes: who, when, from where, why, before and after."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import models

from league.models import League, Revision, TableLink
from league.models.editions import ANYTHING, raise_edition

WRITTEN_TOGETHER = 500
"""Rows per statement."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who makes a change, and from where: a user, a phone with a table link, a command or an import.

    `device`: random id of the phone, only to tell phones apart. `at`: time of the decision, if earlier than now.
    """

    user: User | None
    source: str
    link: TableLink | None = None
    device: str = ""
    at: datetime | None = None

    @property
    def name(self) -> str:
        """The user name, stored as text because the account may be deleted later."""
        return self.user.get_username() if self.user else ""


SYSTEM = Actor(None, "system")

FILE = "file"
"""Source of results imported from a file. It has no times."""


@dataclass(frozen=True, slots=True)
class Change:
    action: Revision.Action
    before: object = None
    after: object = None
    reason: str = ""


def revision_of(league: League, subject: models.Model, change: Change, by: Actor) -> Revision:
    return Revision(
        league=league,
        subject=subject._meta.model_name or "",
        subject_id=subject.pk,
        action=change.action,
        by=by.user,
        by_name=by.name,
        source=by.source,
        reason=change.reason,
        before=change.before,
        after=change.after,
    )


def write_revision(league: League, subject: models.Model, change: Change, by: Actor) -> Revision:
    revision = revision_of(league, subject, change, by)
    revision.save(force_insert=True)
    raise_edition(league.pk, getattr(subject, "edition_scope", ANYTHING))
    return revision


def write_revisions(league: League, changes: Iterable[tuple[models.Model, Change]], by: Actor) -> None:
    """Store revisions of several objects, in this order. One query per batch."""
    revisions = (revision_of(league, subject, change, by) for subject, change in changes)
    Revision.objects.bulk_create(revisions, WRITTEN_TOGETHER)
    raise_edition(league.pk)
