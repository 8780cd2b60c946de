"""The answers of a session as pages show and take them: a form that knows what stood, and who may see which names."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.http import QueryDict
from django.urls import reverse

from league.forms.attendance import AnswerForm
from league.messages.sessions import attendance_sentence
from league.models import Attendance, AttendanceLink, Player, Session
from league.permissions import CONFIRM, Person, hide_names
from league.selectors.attendance import (
    WhoComes,
    attendance_of,
    is_asked,
    player_of_user,
    players_of,
    sessions_to_answer,
    who_comes,
)
from league.services.attendance import AttendanceError, answer_session, hold_player
from league.services.history import Actor

Given = Attendance.Given


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """The form by which somebody answers for a player; see templates/league/attendance/my_answer.html."""

    session: Session
    player: Player
    form: AnswerForm
    url: str


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who answers, and how: `given` says with what right, `reads_word` whether they may read what was added before."""

    given: Given
    by: Actor
    link: AttendanceLink | None = None
    reads_word: bool = True


def part_for(session: Session, player: Player) -> AnswerPart:
    url = reverse("league:session_answer", args=[session.league.slug, session.pk])
    return AnswerPart(session, player, form_for(session, player), url)


def my_part(session: Session, user: Person) -> AnswerPart | None:
    """Return the form for whoever is logged in, None where they are no player or may not answer. Two queries."""
    if not user.has_perm(CONFIRM, session.league):
        return None
    player = player_of_user(session.league, user.pk)
    return part_for(session, player) if player else None


def next_part(user: Person, now: datetime) -> AnswerPart | None:
    """Return the form for the next session, in all leagues of whoever is logged in, that can be answered."""
    asked = sessions_to_answer(user.pk, now)
    mine = (each for each in asked if user.has_perm(CONFIRM, each[0].league))
    return next((part_for(session, player) for session, player in mine), None)


def form_for(
    session: Session,
    player: Player,
    typed: QueryDict | None = None,
    *,
    takes_back: bool = False,
    reads_word: bool = True,
) -> AnswerForm:
    standing = attendance_of(session, player)
    return AnswerForm(typed, of=session.pk, standing=standing, takes_back=takes_back, reads_word=reads_word)


@transaction.atomic
def sent_answer(typed: QueryDict, session: Session, player: Player, speaker: Speaker) -> AnswerForm | None:
    """Store what a form says of a player; return the form where something is wrong with it, None where it is done."""
    hold_player(player)
    takes_back = speaker.given == Given.ORGANISER
    form = form_for(session, player, typed, takes_back=takes_back, reads_word=speaker.reads_word)
    if not form.is_valid():
        return form
    try:
        answer_session(
            session=session,
            player=player,
            facts=form.facts(),
            given=speaker.given,
            by=speaker.by,
            link=speaker.link,
        )
    except AttendanceError as error:
        form.add_error(None, attendance_sentence(error.code))
        return form
    return None


def shown_who_comes(session: Session, reader: Person, now: datetime) -> WhoComes | None:
    """Return who comes under the names that the reader may read; None for a session that nobody is asked about."""
    if not is_asked(session, now):
        return None
    comes = who_comes(session, now)
    hide_names(reader, session.league, players_of(comes.everybody))
    return comes
