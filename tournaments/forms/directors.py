"""Who directs a tournament beside the organisers of its league."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from league.models import Membership
from tournaments.models import Tournament

LEADING = (Membership.Role.OWNER, Membership.Role.ORGANISER)
"""Who directs every tournament of the league anyhow."""


class DirectorForm(forms.Form):
    """One more director: a member of the league who is none yet."""

    member = forms.ModelChoiceField(
        label=_("Member of the league"),
        empty_label="—",
        queryset=Membership.objects.none(),
        error_messages={
            "invalid_choice": _("Whoever you chose directs it already, or does not belong to the league. Choose again.")
        },
    )

    def __init__(self, *args: Any, tournament: Tournament, **options: Any) -> None:
        super().__init__(*args, **options)
        members = tournament.league.members.exclude(role__in=LEADING).exclude(directs__tournament=tournament)
        field: Any = self.fields["member"]
        field.queryset = members.select_related("user").order_by("user__username")
        field.label_from_instance = lambda member: f"{member.user.get_username()} ({member.get_role_display()})"
